//! An object as lines of YAML that know their position.

use kube_api::Value;

/// One step from an object's root towards a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// The path from an object's root to a map or list in it.
pub(super) type Way = Vec<Step>;

/// A line of an object in YAML.
pub(super) struct Line {
    pub(super) text: String,
    /// The map that the line is an entry of, or the item that it is.
    owner: Way,
    /// Whether the line begins an item of a list.
    begins_item: bool,
}

impl Line {
    /// Returns what changes when the line is added or removed: for the first line of an item its list.
    pub(super) fn holder(&self) -> &[Step] {
        if self.begins_item { &self.owner[..self.owner.len() - 1] } else { &self.owner }
    }

    /// Returns the text among other lines of the value at `way`: the dash of that item itself is left out.
    pub(super) fn text_in(&self, way: &[Step]) -> String {
        if self.begins_item && self.owner == way {
            self.text.replacen('-', " ", 1)
        } else {
            self.text.clone()
        }
    }
}

/// Returns the steps that two paths share.
pub(super) fn shared<'a>(left: &'a [Step], right: &'a [Step]) -> &'a [Step] {
    let count = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    &left[..count]
}

/// Returns `spec.containers[0]`.
pub(super) fn display(way: &[Step]) -> String {
    let mut text = String::new();
    for step in way {
        match step {
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => text.extend([".", key]),
            Step::Index(index) => text.extend(["[", &index.to_string(), "]"]),
        }
    }
    text
}

/// Returns the lines of `value`.
pub(super) fn lines(value: &Value) -> Vec<Line> {
    let mut writer = Writer { lines: Vec::new(), way: Way::new() };
    writer.value(value, 0, String::new());
    writer.lines
}

struct Writer {
    lines: Vec<Line>,
    way: Way,
}

impl Writer {
    /// Appends the lines of `value`; the first begins with `lead`, which ends at `indent`, if there is one.
    fn value(&mut self, value: &Value, indent: usize, mut lead: String) {
        match value {
            Value::Object(map) if !map.is_empty() => {
                for (key, value) in map {
                    let begins_item = !lead.is_empty();
                    let start = if begins_item { std::mem::take(&mut lead) } else { " ".repeat(indent) };
                    let start = format!("{start}{}:", scalar(&Value::String(key.clone())));
                    if is_block(value) {
                        self.push(start, begins_item);
                        self.way.push(Step::Key(key.to_string()));
                        let deeper = if value.is_object() { indent + 2 } else { indent };
                        self.value(value, deeper, String::new());
                        self.way.pop();
                    } else {
                        self.scalar(&start, value, indent, begins_item);
                    }
                }
            }
            Value::Array(items) if !items.is_empty() => {
                for (index, item) in items.iter().enumerate() {
                    let start = if index == 0 { std::mem::take(&mut lead) } else { String::new() };
                    let start = if start.is_empty() { " ".repeat(indent) } else { start };
                    self.way.push(Step::Index(index));
                    self.value(item, indent + 2, format!("{start}- "));
                    self.way.pop();
                }
            }
            other => {
                let begins_item = !lead.is_empty();
                self.scalar(lead.trim_end(), other, indent, begins_item);
            }
        }
    }

    fn scalar(&mut self, start: &str, value: &Value, indent: usize, begins_item: bool) {
        let text = scalar(value);
        let mut parts = text.lines();
        let first = parts.next().unwrap_or_default();
        let separator = if start.is_empty() { "" } else { " " };
        self.push(format!("{start}{separator}{first}"), begins_item);
        for part in parts {
            self.push(format!("{}{part}", " ".repeat(indent)), false);
        }
    }

    fn push(&mut self, text: String, begins_item: bool) {
        self.lines.push(Line { text, owner: self.way.clone(), begins_item });
    }
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    }
}

/// Returns a value without parts as YAML writes it; text of one line stays on one line.
fn scalar(value: &Value) -> String {
    if let Some(text) = value.as_str().filter(|text| kube_yaml::is_word(text)) {
        return text.to_owned();
    }
    let mut text = String::new();
    if kube_yaml::write_yaml(value, &mut text).is_err() {
        return value.to_string();
    }
    let text = text.trim_end();
    let is_folded = value.as_str().is_some_and(|value| !value.contains('\n')) && !text.starts_with('"');
    if is_folded { text.lines().map(str::trim_start).collect::<Vec<_>>().join(" ") } else { text.to_owned() }
}
