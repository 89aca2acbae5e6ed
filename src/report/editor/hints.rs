//! What plugins set, at the ends of the lines that leave it open.

use std::collections::BTreeMap;

use crate::evaluation::{Outcome, Place};
use crate::report::blame::blame_of;
use crate::report::blame::origin::{Blame, Children, Origin};
use crate::report::editor::explain::origin_of_all;
use crate::report::masked;
use crate::report::printable::printable;
use crate::report::routine::routine;
use gotext::source::{Data, Node, SourceFile};
use kube_api::Value;

/// The limit of characters of a value that are shown.
const MAX_CHARACTERS: usize = 40;

/// The limit of values at the end of one line.
const MAX_VALUES: usize = 4;

/// The plugins that add the same to almost every object.
const ALWAYS: [&str; 4] =
    ["DefaultTolerationSeconds", "Priority", "ServiceAccount", "StorageObjectInUseProtection"];

/// A text for the end of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The end of the line.
    pub offset: usize,
    /// The values and who sets them: `resources.limits: {cpu: 500m} ‹LimitRanger›`.
    pub text: String,
}

/// Returns what plugins set in `outcome` and the requests that it caused, without what they add to almost every object.
pub fn hints(outcome: &Outcome) -> Vec<Hint> {
    let mut lines = Lines::default();
    for request in outcome.with_caused().filter(|request| request.allowed()) {
        let place = request.place.as_ref().filter(|place| !place.is_review());
        let Some(written) = place.and_then(Place::written) else { continue };
        let (Some(node), Some((object, blame))) = (written.node(), blame_of(request)) else { continue };
        let (value, _) = masked(&object.kind, &object.value, &object.value);
        let steps = request.trace.steps.iter().filter(|step| ALWAYS.contains(&step.plugin));
        let routine = steps.filter_map(|step| {
            let (before, after) = step.change.as_ref()?;
            routine(step.plugin, before, after).map(|_| step.plugin)
        });
        let walk = Walk { source: written.source(), routine: routine.collect(), start: node.span.start };
        walk.collect(&value, &blame, Some(node), (node.span.start, ""), &mut lines);
    }
    lines.hints()
}

/// The texts by the ends of their lines.
#[derive(Default)]
struct Lines(BTreeMap<usize, Vec<String>>);

impl Lines {
    fn hints(self) -> Vec<Hint> {
        let hint = |(offset, mut texts): (usize, Vec<String>)| {
            let more = texts.len().saturating_sub(MAX_VALUES);
            if more > 0 {
                texts.truncate(MAX_VALUES);
                texts.push(format!("… and {more} more"));
            }
            Hint { offset, text: texts.join(", ") }
        };
        self.0.into_iter().map(hint).collect()
    }
}

struct Walk<'a> {
    source: &'a SourceFile,
    routine: Vec<&'static str>,
    start: usize,
}

impl Walk<'_> {
    /// Collects what plugins set in `value`, which is written as `node`; otherwise it is missing at `anchor`, with this
    /// path from there.
    fn collect(
        &self,
        value: &Value,
        blame: &Blame<'_>,
        node: Option<&Node>,
        (anchor, path): (usize, &str),
        lines: &mut Lines,
    ) {
        let is_written = matches!(blame.origin, Origin::Manifest(_));
        if !is_written && let Some(Origin::Plugin(name, _)) = origin_of_all(blame) {
            self.push(value, name, (anchor, path), lines);
            return;
        }
        match (value, &blame.children) {
            (Value::Object(map), Children::Map(children)) => {
                for (key, value) in map {
                    let Some(child) = children.get(key.as_str()) else { continue };
                    let entries = node.map(|node| &node.data);
                    let entry = match entries {
                        Some(Data::Object(entries)) => entries.iter().rev().find(|entry| entry.key == *key),
                        _ => None,
                    };
                    if let Some(entry) = entry {
                        let at = (entry.key_span.start, "");
                        self.collect(value, child, Some(&entry.value), at, lines);
                    } else {
                        let dot = if path.is_empty() { "" } else { "." };
                        let path = format!("{path}{dot}{key}");
                        self.collect(value, child, None, (anchor, &path), lines);
                    }
                }
            }
            (Value::Array(items), Children::List(children)) => {
                for (index, (item, child)) in items.iter().zip(children).enumerate() {
                    match self.item(node, child) {
                        Some(node) => self.collect(item, child, Some(node), (node.span.start, ""), lines),
                        None => self.collect(item, child, None, (anchor, &format!("{path}[{index}]")), lines),
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the written item of `blame`, found by its line, since plugins add items.
    fn item<'n>(&self, node: Option<&'n Node>, blame: &Blame<'_>) -> Option<&'n Node> {
        let (Data::Array(items), Origin::Manifest(line)) = (&node?.data, blame.origin) else { return None };
        items.iter().find(|item| self.source.line_column(item.span.start).0 == line)
    }

    fn push(&self, value: &Value, name: &'static str, (anchor, path): (usize, &str), lines: &mut Lines) {
        // Plugins record in annotations what they set elsewhere.
        if self.routine.contains(&name) || path.split('.').take(2).any(|part| part == "annotations") {
            return;
        }
        let is_scalar = |value: &Value| !matches!(value, Value::Object(_) | Value::Array(_));
        if let Some(map) = value.as_object().filter(|map| map.len() == 1 || !map.values().all(is_scalar)) {
            for (key, value) in map {
                let dot = if path.is_empty() { "" } else { "." };
                self.push(value, name, (anchor, &format!("{path}{dot}{key}")), lines);
            }
            return;
        }
        let text = self.source.text();
        let anchor = anchor.max(self.start).min(text.len());
        let line = text[anchor..].lines().next().unwrap_or_default();
        let colon = if path.is_empty() { "" } else { ": " };
        let shown = printable(&format!("{path}{colon}{}", flow(value))).into_owned();
        let texts = lines.0.entry(anchor + line.trim_end().len()).or_default();
        let text = format!("{shown} ‹{name}›");
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
}

/// Returns `value` on one line, shortened.
fn flow(value: &Value) -> String {
    let mut text = String::new();
    push_flow(value, &mut text);
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn push_flow(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            text.push('{');
            for (position, (key, value)) in map.iter().enumerate() {
                text.push_str(if position > 0 { ", " } else { "" });
                text.push_str(key);
                text.push_str(": ");
                push_flow(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (position, item) in items.iter().enumerate() {
                text.push_str(if position > 0 { ", " } else { "" });
                push_flow(item, text);
            }
            text.push(']');
        }
        Value::String(string) => text.push_str(string),
        other => text.push_str(&serde_json::to_string(other).unwrap_or_default()),
    }
}
