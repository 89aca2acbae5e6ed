//! Converts answers to expectations.

use crate::evaluation::Outcome;
use crate::report::Summary;
use crate::suite::Answers;
use crate::suite::compare::{changes, essence};
use kube_api::Value;
use kube_api::kinds;

/// Returns the lines of an `expect` that the answers meet.
pub(super) fn expectations(answers: &Answers) -> Vec<String> {
    let mut lines = Vec::new();
    for position in 0..answers.requests.len() {
        let mut own = vec![format!("of: {}", scalar(&answers.subject(position)))];
        own.extend(answer(
            &answers.requests[position],
            answers.requests[position].status().map(|status| &*status.message),
        ));
        own.extend(caused(&answers.caused(position)));
        lines.extend(item(own));
    }
    lines
}

/// Returns an item of a list.
fn item(lines: Vec<String>) -> impl Iterator<Item = String> {
    let lead = |position| if position == 0 { "- " } else { "  " };
    lines.into_iter().enumerate().map(move |(position, line)| format!("{}{line}", lead(position)))
}

fn answer(outcome: &Outcome, message: Option<&str>) -> Vec<String> {
    let mut lines = vec![format!("allowed: {}", outcome.allowed())];
    if let Some(message) = message {
        lines.push(format!("plugin: {}", scalar(outcome.denied_by().unwrap_or(Summary::API_SERVER))));
        lines.push(format!("message: {}", scalar(message)));
    }
    if !outcome.trace.warnings.is_empty() {
        lines.push("warnings:".to_owned());
        lines.extend(outcome.trace.warnings.iter().map(|warning| format!("- {}", scalar(warning))));
    }
    if outcome.allowed() && outcome.mutated() {
        let changes = changes(outcome);
        lines.push("patch:".to_owned());
        lines.extend(changes.as_array().into_iter().flatten().map(|change| format!("- {}", flow(change))));
    }
    lines
}

/// Returns `value` on one line, as JSON, which is valid YAML.
fn flow(value: &Value) -> String {
    value.to_string().chars().map(escaped).collect()
}

/// Returns the expectations about Pods, and about kinds with refused objects, in the order of the requests. The name of
/// a controller's object changes with its template, so messages are expected without it.
fn caused(caused: &[&Outcome]) -> Vec<String> {
    let mut kinds: Vec<&str> = Vec::new();
    for outcome in caused {
        let counts = outcome.kind.is(kinds::POD) || !outcome.allowed();
        if counts && !kinds.contains(&&*outcome.kind.kind) {
            kinds.push(&outcome.kind.kind);
        }
    }
    if kinds.is_empty() {
        return Vec::new();
    }
    let mut lines = vec!["caused:".to_owned()];
    for kind in kinds {
        let group: Vec<_> = caused.iter().filter(|outcome| outcome.kind.kind == kind).collect();
        let meant = group.iter().find(|outcome| !outcome.allowed()).unwrap_or(&group[0]);
        let reasons = || group.iter().filter_map(|outcome| outcome.cause.as_ref());
        let mut own = vec![
            format!("kind: {}", scalar(kind)),
            format!("replicas: {}", reasons().map(|cause| cause.replicas).sum::<u64>()),
            format!("admitted: {}", reasons().map(|cause| cause.admitted).sum::<u64>()),
        ];
        if let Some(status) = meant.status() {
            own.push(format!("plugin: {}", scalar(meant.denied_by().unwrap_or(Summary::API_SERVER))));
            let (field, message) = essence(&status.message);
            own.push(format!("{}: {}", field.name(), scalar(message)));
        }
        lines.extend(item(own));
    }
    lines
}

/// Returns `text` as YAML on one line.
pub fn scalar(text: &str) -> String {
    let is_word = |character: char| character.is_ascii_alphanumeric() || " _./()-".contains(character);
    let is_plain = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
        && text.chars().all(is_word)
        && !text.ends_with(' ')
        && !["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
            .contains(&text.to_lowercase().as_str());
    if is_plain {
        text.to_owned()
    } else if !text.is_empty()
        && text.chars().all(|character| matches!(character, ' '..='~' | '\u{A1}'..='\u{D7FF}'))
    {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        Value::from(text).to_string().chars().map(escaped).collect()
    }
}

/// Escapes a character that may be unescaped in JSON but not in YAML.
fn escaped(character: char) -> String {
    match character {
        ' '..='~' | '\u{A1}'..='\u{D7FF}' | '\u{E000}'..='\u{FEFE}' | '\u{FF00}'..='\u{FFFD}' => {
            character.to_string()
        }
        '\0'..='\u{FFFF}' => format!("\\u{:04X}", u32::from(character)),
        _ => format!("\\U{:08X}", u32::from(character)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    use gotext::source::SourceFile;

    fn read(text: &str) -> Value {
        let source = SourceFile::new("a.yaml", format!("a: {}\n", scalar(text)));
        let document = kube_yaml::read(&source).next().unwrap().unwrap();
        document.node.into_value()["a"].clone()
    }

    #[test]
    fn quotes_what_needs_it() {
        assert_eq!(scalar("API server"), "API server");
        assert_eq!(scalar("pods \"a\": it's"), "'pods \"a\": it''s'");
        assert_eq!(scalar("a\nb"), "\"a\\nb\"");
        for text in [
            "", "yes", "No", "1", "~", "- a", "a: b", "a #b", "-", "é", " a", "a ", "\u{7f}", "\u{85}",
            "\u{feff}", "😀\0",
        ] {
            assert_eq!(read(text), text);
        }
    }

    proptest! {
        #[test]
        fn is_read_as_it_was_written(text in "[ -~\n\té’]{0,20}") {
            prop_assert_eq!(read(&text), text);
        }
    }
}
