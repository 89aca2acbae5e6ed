//! Keeps what the text of a value says beyond the value.

use gotext::source::{Data, Node, Span};
use gotext::{encoding_json, number};

use crate::Value;

/// Returns the JSON of `node` in the order of writing, if that is not the order of the value tree.
pub(super) fn unsorted(node: &Node) -> Option<String> {
    fn is_sorted(node: &Node) -> bool {
        match &node.data {
            Data::Array(items) => items.iter().all(is_sorted),
            Data::Object(entries) => {
                entries.is_sorted_by(|left, right| left.key < right.key)
                    && entries.iter().all(|entry| is_sorted(&entry.value))
            }
            _ => true,
        }
    }
    fn write(node: &Node, text: &mut String) {
        let list = |text: &mut String,
                    [open, close]: [char; 2],
                    items: &mut dyn Iterator<Item = (Option<&str>, &Node)>| {
            text.push(open);
            for (index, (key, item)) in items.enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                if let Some(key) = key {
                    text.push_str(&encoding_json::to_string(&Value::from(key)));
                    text.push(':');
                }
                write(item, text);
            }
            text.push(close);
        };
        match &node.data {
            Data::Array(items) => list(text, ['[', ']'], &mut items.iter().map(|item| (None, item))),
            Data::Object(entries) => {
                let mut entries = entries.iter().map(|entry| (Some(entry.key.as_str()), &entry.value));
                list(text, ['{', '}'], &mut entries);
            }
            _ => text.push_str(&encoding_json::to_string(&node.clone().into_value())),
        }
    }
    if is_sorted(node) {
        return None;
    }
    let mut text = String::new();
    write(node, &mut text);
    Some(text)
}

/// Returns the text that a quantity is parsed from: the text, or the JSON of anything else.
pub(super) fn of_quantity(data: Data) -> String {
    match data {
        Data::String(text) => text.into(),
        Data::Number(value) => number::text(&value),
        data => Node { span: Span::default(), data }.into_value().to_string(),
    }
}
