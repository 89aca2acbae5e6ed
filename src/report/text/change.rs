//! What a plugin changed, line by line.

use std::io::{self, Write};

use colored::Colorize;
use sha2::{Digest, Sha256};
use similar::{ChangeTag, TextDiff};

use crate::api::{Object, Value};
use crate::manifest;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// A line of an object in YAML, and the way to the value that it belongs to.
struct Line {
    text: String,
    path: String,
}

/// Writes the difference of two states of an object.
pub(super) fn write(out: &mut impl Write, before: &Object, after: &Object, width: usize) -> io::Result<()> {
    let (before, after) = (masked(before, after), masked(after, before));
    let (old, new) = (lines(&before), lines(&after));
    let old_texts: Vec<&str> = old.iter().map(|line| line.text.as_str()).collect();
    let new_texts: Vec<&str> = new.iter().map(|line| line.text.as_str()).collect();
    let diff = TextDiff::from_slices(&old_texts, &new_texts);
    for group in diff.grouped_ops(CONTEXT) {
        let changes: Vec<_> = group.iter().flat_map(|operation| diff.iter_changes(operation)).collect();
        let first = changes.iter().find(|change| change.tag() != ChangeTag::Equal);
        let path = first.and_then(|change| match (change.new_index(), change.old_index()) {
            (Some(index), _) => Some(&new[index].path),
            (None, Some(index)) => Some(&old[index].path),
            (None, None) => None,
        });
        let header = format!("@@ {} @@", path.map_or("", String::as_str));
        writeln!(out, "    {}", header.blue())?;
        let texts = changes.iter().map(|change| change.value());
        let indent = texts.map(|text| text.len() - text.trim_start().len()).min().unwrap_or(0);
        for change in &changes {
            let text = shortened(&change.value()[indent..], width.saturating_sub(7));
            match change.tag() {
                ChangeTag::Equal => writeln!(out, "      {}", text.dimmed())?,
                ChangeTag::Insert => writeln!(out, "    {}", format!("+ {text}").green())?,
                ChangeTag::Delete => writeln!(out, "    {}", format!("- {text}").red())?,
            }
        }
    }
    Ok(())
}

/// The value to show of `object`: a Secret's data is never printed, only whether it differs from `other`'s.
fn masked(object: &Object, other: &Object) -> Value {
    let mut value = object.value.clone();
    if object.kind.is("", "Secret") {
        for field in ["data", "stringData"] {
            let Some(data) = value.get_mut(field).and_then(Value::as_object_mut) else { continue };
            for (key, secret) in data.iter_mut() {
                let same = other.value.get(field).and_then(|data| data.get(key)) == Some(secret);
                *secret = Value::String(mask(secret, same));
            }
        }
    }
    value
}

fn mask(secret: &Value, same: bool) -> String {
    if same {
        return "***".to_owned();
    }
    let text = secret.as_str().unwrap_or_default();
    let hash = Sha256::digest(text);
    let prefix: String = hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("*** ({} characters, sha256 {prefix}…)", text.chars().count())
}

fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

fn lines(value: &Value) -> Vec<Line> {
    let mut lines = Vec::new();
    push(&mut lines, value, 0, "", "");
    lines
}

/// Appends the lines of `value`; the first starts with `lead`, which stands at `indent` already.
fn push(lines: &mut Vec<Line>, value: &Value, indent: usize, lead: &str, path: &str) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let mut lead = lead.to_owned();
            for (key, value) in map {
                let child = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                let prefix = " ".repeat(indent);
                let start = if lead.is_empty() { prefix } else { std::mem::take(&mut lead) };
                let key = scalar(&Value::String(key.clone()));
                match value {
                    Value::Object(map) if !map.is_empty() => {
                        lines.push(Line { text: format!("{start}{key}:"), path: path.to_owned() });
                        push(lines, value, indent + 2, "", &child);
                    }
                    Value::Array(items) if !items.is_empty() => {
                        lines.push(Line { text: format!("{start}{key}:"), path: path.to_owned() });
                        push(lines, value, indent, "", &child);
                    }
                    other => push_scalar(lines, &format!("{start}{key}:"), other, indent, path),
                }
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                let lead = format!("{}- ", " ".repeat(indent));
                push(lines, item, indent + 2, &lead, &format!("{path}[{index}]"));
            }
        }
        other => push_scalar(lines, lead.trim_end(), other, indent, path),
    }
}

fn push_scalar(lines: &mut Vec<Line>, start: &str, value: &Value, indent: usize, path: &str) {
    let text = scalar(value);
    let mut parts = text.lines();
    let first = parts.next().unwrap_or_default();
    lines.push(Line { text: format!("{start} {first}"), path: path.to_owned() });
    for part in parts {
        lines.push(Line { text: format!("{}{part}", " ".repeat(indent)), path: path.to_owned() });
    }
}

fn scalar(value: &Value) -> String {
    let mut text = String::new();
    match manifest::write_yaml(value, &mut text) {
        Ok(()) => text.trim_end().to_owned(),
        Err(_) => value.to_string(),
    }
}
