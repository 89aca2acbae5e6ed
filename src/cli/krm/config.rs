//! The functionConfig: flags of `kadmit run`.

use std::path::PathBuf;

use clap::{Args, Command};

use crate::cli::clap_error::message_of;
use crate::cli::krm::resource_list::ResourceList;
use crate::cli::run::{Completed, Run};
use crate::cli::settings::SettingsFlags;
use crate::code::Code;
use crate::report::Diagnostic;
use kube_api::Value;

/// Flags that do not apply to a function, whose input and output are fixed.
const NOT_OF_A_FUNCTION: [&str; 17] = [
    "allow-empty",
    "each-alone",
    "exclude",
    "filename",
    "no-diff",
    "no-ignore",
    "no-settings",
    "only",
    "operation",
    "output",
    "paths",
    "quiet",
    "recreate",
    "recursive",
    "update-baseline",
    "verbose",
    "watch",
];

/// Returns the settings in the configuration of `list`.
pub(super) fn settings(list: &ResourceList) -> Result<Completed, Vec<Diagnostic>> {
    let words = words(list.function_config.as_ref())?;
    let command = Run::augment_args(Command::new("kadmit run")).no_binary_name(true);
    let given = command.try_get_matches_from(words).map_err(|error| vec![wrong(&message_of(&error))])?;
    let file = given.get_one::<PathBuf>("settings").cloned();
    Completed::new(&SettingsFlags::of_file(file), &given, false)
}

/// Returns `config` as words of a command line.
fn words(config: Option<&Value>) -> Result<Vec<String>, Vec<Diagnostic>> {
    let Some(config) = config else { return Ok(Vec::new()) };
    let is_config_map = config["kind"] == "ConfigMap";
    let (place, other) = if is_config_map { ("data", "spec") } else { ("spec", "data") };
    if !config[other].is_null() {
        let kind = config.text("kind");
        return Err(vec![wrong(&format!(
            "a functionConfig of kind `{kind}` has no `{other}`, but `{place}`"
        ))]);
    }
    let flags = match &config[place] {
        Value::Null => return Ok(Vec::new()),
        Value::Object(flags) => flags,
        _ => return Err(vec![wrong(&format!("`{place}` of the functionConfig is not a map"))]),
    };
    let command = Run::augment_args(Command::new("kadmit run"));
    let (mut words, mut errors) = (Vec::new(), Vec::new());
    for (key, value) in flags {
        let arg = command.get_arguments().find(|arg| arg.get_long() == Some(key.as_str()));
        let Some(arg) = arg.filter(|_| !NOT_OF_A_FUNCTION.contains(&key.as_str())) else {
            errors.push(unknown(key, &command));
            continue;
        };
        if !arg.get_action().takes_values() {
            match value {
                Value::Bool(true) => words.push(format!("--{key}")),
                Value::String(text) if text == "true" => words.push(format!("--{key}")),
                Value::Bool(false) => {}
                Value::String(text) if text == "false" => {}
                _ => errors.push(wrong(&format!("`{key}` of the functionConfig is true or false"))),
            }
            continue;
        }
        match texts(value) {
            Some(texts) => words.extend(texts.iter().map(|text| format!("--{key}={text}"))),
            None => errors.push(wrong(&format!(
                "`{key}` of the functionConfig is text or a list of it: one value in each line"
            ))),
        }
    }
    if errors.is_empty() { Ok(words) } else { Err(errors) }
}

/// Returns the values in `value`: the items of a list, or the lines of a text, since a ConfigMap has only texts.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => {
            Some(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
        }
        Value::Number(number) => Some(vec![number.to_string()]),
        Value::Array(items) => {
            let texts = items.iter().map(|item| match item {
                Value::String(text) => Some(text.to_string()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            });
            texts.collect()
        }
        _ => None,
    }
}

fn unknown(key: &str, command: &Command) -> Diagnostic {
    if NOT_OF_A_FUNCTION.contains(&key) {
        return wrong(&format!("`{key}` means nothing to a function")).help("leave it out");
    }
    let known = command.get_arguments().filter_map(clap::Arg::get_long);
    let known = known.filter(|known| !NOT_OF_A_FUNCTION.contains(known));
    let near =
        known.map(|known| (strsim::jaro(known, key), known)).max_by(|one, other| one.0.total_cmp(&other.0));
    let help = match near {
        Some((likeness, known)) if likeness > 0.8 => format!("did you mean `{known}`?"),
        _ => "`kadmit run --help` lists the flags".to_owned(),
    };
    wrong(&format!("the functionConfig has `{key}`, which is not a flag")).help(help)
}

fn wrong(message: &str) -> Diagnostic {
    Diagnostic::input(Code::KrmFunctionConfig, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn words_of(config: &Value) -> Result<Vec<String>, Vec<String>> {
        words(Some(config)).map_err(|errors| errors.into_iter().map(|error| error.message).collect())
    }

    #[test]
    fn a_config_map_has_text_alone() {
        let config = json!({
            "kind": "ConfigMap",
            "data": {"cluster": "a\nb\n", "strict": "true", "kubernetes-version": "1.35", "dry-run": "false"},
        });
        let words = ["--cluster=a", "--cluster=b", "--kubernetes-version=1.35", "--strict"];
        assert_eq!(words_of(&config).unwrap(), words);
    }

    #[test]
    fn any_other_kind_has_a_spec() {
        let config = json!({"kind": "Admission", "spec": {"cluster": ["a", "b"], "strict": true, "rate": 5}});
        assert_eq!(words_of(&config).unwrap(), ["--cluster=a", "--cluster=b", "--rate=5", "--strict"]);
    }

    #[test]
    fn rejects_what_is_no_flag_of_a_function() {
        let config =
            json!({"kind": "ConfigMap", "data": {"clusters": "a", "output": "json", "strict": "yes"}});
        assert_eq!(
            words_of(&config).unwrap_err(),
            [
                "the functionConfig has `clusters`, which is not a flag",
                "`output` means nothing to a function",
                "`strict` of the functionConfig is true or false",
            ]
        );
        let config = json!({"kind": "Admission", "data": {"cluster": "a"}});
        assert_eq!(
            words_of(&config).unwrap_err(),
            ["a functionConfig of kind `Admission` has no `data`, but `spec`"]
        );
    }
}
