//! Flags of the command line, completed from a file.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::builder::ValueHint;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use toml::Spanned;
use toml::de::DeValue;

use crate::cli::clap_error::{self, message_of};
use crate::cli::settings::table::{Entry, Text};
use crate::code::Code;
use crate::report::Diagnostic;
use gotext::source::Span;

/// Flags that a file cannot set: those about the file, and those that trigger actions.
const NOT_IN_A_FILE: [&str; 6] = ["settings", "no-settings", "update-baseline", "update", "init", "watch"];

/// The values that may be written as numbers, by their names in the help.
const NUMBERS: [&str; 4] = ["COUNT", "REQUESTS", "SECONDS", "VERSION"];

/// The key of the arguments without a flag.
const PATHS: &str = "paths";

/// The flag that names files as well.
const FILES: &str = "filename";

/// The flag whose patterns are relative to the file, as paths are.
const PATTERNS: &str = "exclude";

/// The flags of the command line.
pub(super) struct Flags<'a> {
    command: Command,
    given: &'a ArgMatches,
    /// Key and words of the flags of the file.
    added: Vec<(String, Vec<String>)>,
    is_partial: bool,
}

impl<'a> Flags<'a> {
    /// Returns the flags of `command` that are `given`.
    pub(super) fn new(command: Command, given: &'a ArgMatches) -> Self {
        Self { command, given, added: Vec::new(), is_partial: false }
    }

    /// Returns the keys that a file may have.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.command.get_arguments().filter_map(key).filter(|key| !NOT_IN_A_FILE.contains(key))
    }

    /// Returns the words of the command line that are equivalent to `entry`, if it is valid.
    pub(super) fn words(&self, entry: &Entry<'_>, directory: &Path, text: &mut Text) -> Option<Vec<String>> {
        let arg = self.arg(entry.key)?;
        if !arg.get_action().takes_values() {
            let DeValue::Boolean(is_on) = entry.value.get_ref() else {
                text.refuse_type(entry, entry.value, "true or false");
                return None;
            };
            return Some(if *is_on { vec![format!("--{}", entry.key)] } else { Vec::new() });
        }
        let names = arg.get_value_names().unwrap_or_default();
        let is_number = names.iter().any(|name| NUMBERS.contains(&name.as_str()));
        let is_list = matches!(arg.get_action(), ArgAction::Append);
        let values: Vec<&Spanned<DeValue<'_>>> = match entry.value.get_ref() {
            DeValue::Array(items) if is_list => items.iter().collect(),
            _ => vec![entry.value],
        };
        let expected = if is_list { "a string or a list of strings" } else { "a string" };
        let mut words = Vec::new();
        for value in values {
            let written = match value.get_ref() {
                DeValue::String(text) => text,
                // A release such as 1.30 is taken as it was written.
                DeValue::Float(number) if is_number => number.as_str(),
                DeValue::Integer(number) if is_number && number.radix() == 10 => number.as_str(),
                DeValue::Table(_) if entry.key == PATHS => {
                    let expected = "a list of files; settings for some of them go below `[[override]]`";
                    text.refuse_type(entry, value, expected);
                    continue;
                }
                _ => {
                    text.refuse_type(entry, value, expected);
                    continue;
                }
            };
            let written = relative_to(directory, arg, written);
            let word = if entry.key == PATHS { written } else { format!("--{}={written}", entry.key) };
            if let Err((message, help)) = self.check(entry.key, &word) {
                text.refuse(Span::new(value.span()), message, help);
            }
            words.push(word);
        }
        Some(words)
    }

    /// Whether the command line has `key`.
    pub(super) fn is_given(&self, key: &str) -> bool {
        self.arg(key).is_some_and(|arg| is_given(self.given, arg))
    }

    /// Adopts the words of `key`, unless the command line has the flag.
    pub(super) fn add(&mut self, key: &str, words: Vec<String>) {
        let names_others = key == PATHS && (self.is_given(PATHS) || self.is_given(FILES));
        self.is_partial |= names_others;
        if names_others {
            return;
        }
        // The first value is kept: the table of the subcommand is read before the keys outside all tables.
        if self.added.iter().any(|(added, _)| added == key) {
            return;
        }
        let Some(arg) = self.arg(key) else { return };
        let conflicts = |one: &Arg, other: &Arg| {
            self.command.get_arg_conflicts_with(one).iter().any(|arg| arg.get_id() == other.get_id())
        };
        let mut given = self.command.get_arguments().filter(|other| is_given(self.given, other));
        if !given
            .any(|other| arg.get_id() == other.get_id() || conflicts(arg, other) || conflicts(other, arg))
        {
            self.added.push((key.to_owned(), words));
        }
    }

    /// Whether the file names paths, and the command line others.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Returns the matches of `words` alone.
    pub(super) fn matches(&self, words: &[String]) -> Result<ArgMatches, clap::Error> {
        let name = OsStr::new(self.command.get_name());
        let words = std::iter::once(name).chain(words.iter().map(OsStr::new));
        self.command.clone().try_get_matches_from(words)
    }

    /// Parses all flags together. `file` is the source of some of them.
    pub(super) fn parse<A: FromArgMatches>(self, file: Option<&str>) -> Result<A, Diagnostic> {
        let (paths, flags): (Vec<_>, Vec<_>) = self.added.into_iter().partition(|(key, _)| key == PATHS);
        let mut words = vec![OsString::from(self.command.get_name())];
        let mut positional = Vec::new();
        for arg in self.command.get_arguments().filter(|arg| is_given(self.given, arg)) {
            let values = self.given.get_raw(arg.get_id().as_str()).into_iter().flatten();
            match arg.get_long() {
                None => positional.extend(values.map(OsStr::to_owned)),
                Some(long) if arg.get_action().takes_values() => words.extend(values.map(|value| {
                    let mut word = OsString::from(format!("--{long}="));
                    word.push(value);
                    word
                })),
                Some(long) => words.push(format!("--{long}").into()),
            }
        }
        words.extend(flags.into_iter().flat_map(|(_, words)| words).map(OsString::from));
        words.push("--".into());
        words.extend(positional);
        words.extend(paths.into_iter().flat_map(|(_, words)| words).map(OsString::from));
        let matches = self.command.try_get_matches_from(words);
        matches.and_then(|matches| A::from_arg_matches(&matches)).map_err(|error| {
            let message = format!("the flags do not fit together: {}", message_of(&error));
            let diagnostic = Diagnostic::input(Code::Settings, message);
            match file {
                Some(file) => diagnostic.help(format!("some of them may be from {file}")),
                None => diagnostic,
            }
        })
    }

    /// Returns the error in `word` by itself, and the advice on fixing it.
    fn check(&self, key: &str, word: &str) -> Result<(), (String, String)> {
        let word = if key == PATHS { format!("./{word}") } else { word.to_owned() };
        let Err(error) = self.matches(&[word]) else { return Ok(()) };
        if !matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation) {
            // The flags that it needs may be on the command line.
            return Ok(());
        }
        let (message, help) = clap_error::explain(&error);
        let message = match message.split_once(' ') {
            Some((_, rest)) => format!("`{key}` {rest}"),
            None => message,
        };
        Err((message, help.unwrap_or_else(|| format!("see `{} --help`", self.title()))))
    }

    /// Returns the name of the subcommand.
    fn title(&self) -> String {
        let name = self.command.get_name();
        if name.starts_with("kadmit") { name.to_owned() } else { format!("kadmit {name}") }
    }

    fn arg(&self, wanted: &str) -> Option<&Arg> {
        self.command.get_arguments().find(|arg| key(arg) == Some(wanted))
    }
}

fn key(arg: &Arg) -> Option<&str> {
    if arg.get_id() == PATHS { Some(PATHS) } else { arg.get_long() }
}

fn is_given(given: &ArgMatches, arg: &Arg) -> bool {
    given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
}

/// Returns `written` relative to the working directory.
fn relative_to(directory: &Path, arg: &Arg, written: &str) -> String {
    let is_path =
        matches!(arg.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath);
    let joined = |path: &str| directory.join(path).display().to_string();
    match written.split_once('=') {
        _ if (is_path && written != "-") || arg.get_long() == Some(PATTERNS) => joined(written),
        Some((format, file)) if arg.get_long() == Some("output") && !file.is_empty() => {
            format!("{format}={}", joined(file))
        }
        _ => written.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args;

    use crate::cli::run::Run;

    #[test]
    fn paths_are_known_as_such() {
        let command = Run::augment_args(Command::new("kadmit run"));
        let mut count = 0;
        for arg in command.get_arguments() {
            let names = arg.get_value_names().unwrap_or_default();
            let names_path = names.iter().any(|name| matches!(name.as_str(), "PATH" | "FILE" | "DIR"));
            let joined = relative_to(Path::new("above"), arg, "a.yaml");
            let is_pattern = arg.get_long() == Some(PATTERNS);
            assert_eq!(joined == "above/a.yaml", names_path || is_pattern, "{:?}", arg.get_id());
            count += usize::from(names_path);
        }
        assert!(count > 5, "{count}");
    }

    #[test]
    fn reports_and_standard_input_stay_what_they_are() {
        let command = Run::augment_args(Command::new("kadmit run"));
        let arg = |name| command.get_arguments().find(|arg| key(arg) == Some(name)).unwrap();
        let directory = Path::new("above");
        assert_eq!(relative_to(directory, arg("output"), "json=a.json"), "json=above/a.json");
        assert_eq!(relative_to(directory, arg("output"), "json"), "json");
        assert_eq!(relative_to(directory, arg(PATHS), "-"), "-");
        assert_eq!(relative_to(directory, arg(PATHS), "/a.yaml"), "/a.yaml");
        assert_eq!(relative_to(Path::new(""), arg(PATHS), "a.yaml"), "a.yaml");
    }
}
