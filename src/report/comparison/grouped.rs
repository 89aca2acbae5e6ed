//! Events with the same effect on different objects, which are said once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::report::comparison::tally::Example;

/// Events of a group with the same effect, on different objects.
#[derive(Debug)]
pub(super) struct Alike<'a> {
    /// The message, or the field with its value.
    pub(super) what: Option<String>,
    pub(super) examples: Vec<Example<'a>>,
    /// The kinds that the messages are about, if they name one.
    kinds: BTreeSet<String>,
}

/// What replaces the parts in which messages differ.
const ANY: &str = "…";

/// Returns the effects of a group, the most frequent first. What differs by the names of the objects alone is alike.
/// Unless all of it `is_whole`, so is what differs by indexes, numbers of lines, unknown kinds, or the lines in which the
/// server prints the differences of a field that may not change; these are left out.
pub(super) fn alike<'a>(namespaces: &BTreeMap<&str, Vec<Example<'a>>>, is_whole: bool) -> Vec<Alike<'a>> {
    let mut found: BTreeMap<String, Alike<'a>> = BTreeMap::new();
    for example in namespaces.values().flatten() {
        let name = format!("\"{}\"", example.difference.name);
        let message = example.message.filter(|_| example.fields.is_empty());
        let one = message.is_some() || example.fields.is_empty();
        let messages = one.then(|| {
            let said =
                message.map(|message| if is_whole { message.to_owned() } else { without_lines(message) });
            let key = said.clone().unwrap_or_default().replace(&name, &format!("\"{ANY}\""));
            (said, if is_whole { key } else { without_numbers(&key) })
        });
        let fields = example.fields.iter().map(|field| {
            let (path, value) = field.split_once(": ").unwrap_or((field, ""));
            let value = if is_whole { value.to_owned() } else { value.replace(&name, &format!("\"{ANY}\"")) };
            (Some(field.clone()), format!("{}: {value}", without_indexes(path)))
        });
        for (said, key) in messages.into_iter().chain(fields) {
            let kind = kind_without_match(&key).filter(|_| !is_whole).map(str::to_owned);
            let key = match &kind {
                Some(kind) => key.replacen(&format!("\"{kind}\""), &format!("\"{ANY}\""), 1),
                None => key,
            };
            let alike = found.entry(key.clone()).or_insert_with(|| Alike {
                what: said.clone(),
                examples: Vec::new(),
                kinds: BTreeSet::new(),
            });
            if alike.what != said {
                alike.what = Some(key);
            }
            alike.kinds.extend(kind);
            alike.examples.push(*example);
        }
    }
    let mut found: Vec<_> = found.into_values().map(Alike::with_kinds).collect();
    found.sort_by_key(|alike| Reverse(alike.examples.len()));
    found
}

impl Alike<'_> {
    /// Writes all kinds into the message.
    fn with_kinds(self) -> Self {
        if self.kinds.len() < 2 {
            let kind = self.kinds.first().map_or(ANY, String::as_str);
            let what = self.what.map(|what| named(&what, &format!("\"{kind}\"")));
            return Self { what, ..self };
        }
        let kinds: Vec<String> = self.kinds.iter().map(|kind| format!("\"{kind}\"")).collect();
        let what = self.what.map(|what| named(&what, &kinds.join(", ")));
        Self { what, ..self }
    }
}

const NO_MATCHES: &str = "no matches for kind ";

/// Returns the kind in the message that the server has no such kind.
fn kind_without_match(message: &str) -> Option<&str> {
    message.strip_prefix(NO_MATCHES)?.strip_prefix('"')?.split('"').next()
}

/// Returns the same message about `kinds`, where it has none.
fn named(message: &str, kinds: &str) -> String {
    message.replacen(&format!("{NO_MATCHES}\"{ANY}\""), &format!("{NO_MATCHES}{kinds}"), 1)
}

/// Returns a message without the lines of a difference in it.
fn without_lines(message: &str) -> String {
    let mut lines = message.lines();
    let Some(first) = lines.next() else { return message.to_owned() };
    let is_printed = |line: &str| line.is_empty() || line.starts_with(['@', ' ', '+', '-']);
    let (printed, rest): (Vec<&str>, Vec<&str>) = lines.partition(|line| is_printed(line));
    if !printed.iter().any(|line| line.starts_with("@@")) {
        return message.to_owned();
    }
    format!("{first} … (--all){}", rest.concat())
}

/// Returns a message without its indexes and numbers of lines.
fn without_numbers(message: &str) -> String {
    let message = without_indexes(message);
    let Some((number, rest)) = message.strip_prefix("line ").and_then(|rest| rest.split_once(':')) else {
        return message;
    };
    if number.chars().all(|c| c.is_ascii_digit()) { format!("line {ANY}:{rest}") } else { message }
}

/// Returns `spec.containers[]` for `spec.containers[3]`.
fn without_indexes(text: &str) -> String {
    let mut parts = text.split('[');
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let index = part.split(']').next().unwrap_or_default();
        let is_index = index.len() < part.len() && index.chars().all(|c| c.is_ascii_digit());
        found.push('[');
        found.push_str(if is_index { &part[index.len()..] } else { part });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_alike_without_their_numbers() {
        assert_eq!(without_numbers("spec.ports[12].name: x [a] [7"), "spec.ports[].name: x [a] [7");
        assert_eq!(without_numbers("line 13: key \"a\" already set"), "line …: key \"a\" already set");
        assert_eq!(without_numbers("line a: b"), "line a: b");
    }

    #[test]
    fn the_lines_of_a_difference_are_left_out() {
        let message = "a is invalid: [spec: may not change\n@@ -1 +1 @@\n a\n-b\n+c\n\n, name: x]";
        assert_eq!(without_lines(message), "a is invalid: [spec: may not change … (--all), name: x]");
        assert_eq!(without_lines("a\n- b"), "a\n- b");
    }

    #[test]
    fn the_kinds_of_a_version_are_named_together() {
        assert_eq!(kind_without_match("no matches for kind \"Role\" in version"), Some("Role"));
        let any = "no matches for kind \"…\" in version";
        assert_eq!(named(any, "\"A\", \"B\""), "no matches for kind \"A\", \"B\" in version");
    }
}
