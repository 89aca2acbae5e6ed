//! The errors of clap in the words of all other errors.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Returns what is wrong, and advice if there is any.
pub(super) fn explain(error: &clap::Error) -> (String, Option<String>) {
    let argument = text(error, ContextKind::InvalidArg).map(|argument| name_of(&argument).to_owned());
    let value = text(error, ContextKind::InvalidValue);
    let near = |kind| text(error, kind).map(|near| format!("did you mean `{near}`?"));
    let why = || std::error::Error::source(error).map(ToString::to_string);
    match (error.kind(), argument, value) {
        (ErrorKind::InvalidValue, Some(argument), Some(value)) if !value.is_empty() => {
            let valid = text(error, ContextKind::ValidValue).map(|valid| format!("it is one of {valid}"));
            (format!("{argument} cannot be \"{value}\""), near(ContextKind::SuggestedValue).or(valid))
        }
        (ErrorKind::InvalidValue, Some(argument), _) => {
            let valid = text(error, ContextKind::ValidValue).map(|valid| format!("it is one of {valid}"));
            (format!("{argument} has no value"), valid)
        }
        (ErrorKind::ValueValidation, Some(argument), Some(value)) => {
            let why = why().map(|why| format!(": {why}")).unwrap_or_default();
            (format!("{argument} cannot be \"{value}\"{why}"), None)
        }
        (ErrorKind::UnknownArgument, Some(argument), _) if argument.starts_with('-') => {
            (format!("there is no flag {argument}"), near(ContextKind::SuggestedArg))
        }
        (ErrorKind::UnknownArgument, Some(argument), _) => {
            (format!("nothing is done with \"{argument}\""), None)
        }
        (ErrorKind::ArgumentConflict, Some(argument), _) => {
            let other = text(error, ContextKind::PriorArg).unwrap_or_default();
            let other = name_of(&other);
            let message = if other.is_empty() || other == argument {
                format!("{argument} is given more than once")
            } else {
                format!("{argument} and {other} exclude each other")
            };
            (message, Some("leave one of them out".to_owned()))
        }
        (ErrorKind::MissingRequiredArgument, Some(_), _) => {
            let missing = text(error, ContextKind::InvalidArg).unwrap_or_default();
            let one_of: Vec<&str> = missing.trim_matches(['<', '>']).split('|').map(name_of).collect();
            match one_of.as_slice() {
                [others @ .., last] if last.starts_with("--") && !others.is_empty() => {
                    (format!("{} or {last} is missing", others.join(", ")), None)
                }
                _ => (format!("{missing} is missing"), None),
            }
        }
        (ErrorKind::InvalidSubcommand, ..) => {
            let word = text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            (format!("there is no command \"{word}\""), near(ContextKind::SuggestedSubcommand))
        }
        _ => (message_of(error), None),
    }
}

/// Returns the name of an argument without that of its value.
fn name_of(argument: &str) -> &str {
    argument.split([' ', '=', '[']).next().unwrap_or(argument)
}

/// Returns the part `kind` of `error` as text.
pub(super) fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => (!texts.is_empty()).then(|| texts.join(", ")),
        _ => None,
    }
}

/// Returns the message of `error`, without the usage after it.
pub(super) fn message_of(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let said = lines.join(" ");
    said.strip_prefix("error: ").unwrap_or(&said).to_owned()
}
