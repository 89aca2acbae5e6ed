//! Values as text in the style of what is around them.

use gotext::value::Value;

use crate::write::write_yaml;

/// The style of the text around a value.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) is_json: bool,
    pub(super) is_in_flow: bool,
}

impl Style {
    /// Returns `value` on one line.
    pub(super) fn flow(self, value: &Value) -> Option<String> {
        if self.is_json {
            return Some(value.to_string());
        }
        match value {
            Value::Array(items) => {
                let items: Option<Vec<_>> = items.iter().map(|item| self.within().flow(item)).collect();
                Some(format!("[{}]", items?.join(", ")))
            }
            Value::Object(map) => {
                let entries: Option<Vec<_>> =
                    map.iter().map(|(key, value)| self.within().flow_entry(key, value)).collect();
                Some(format!("{{{}}}", entries?.join(", ")))
            }
            scalar => self.scalar(scalar),
        }
    }

    /// Returns `key: value` on one line.
    pub(super) fn flow_entry(self, key: &str, value: &Value) -> Option<String> {
        Some(format!("{}: {}", self.within().scalar(&key.into())?, self.within().flow(value)?))
    }

    /// Returns `text` in the quotes of `old`.
    pub(super) fn quoted_like(self, text: &str, old: &str) -> Option<String> {
        match old.chars().next() {
            Some('"') => Some(Value::from(text).to_string()),
            Some('\'') if !text.contains('\n') => Some(format!("'{}'", text.replace('\'', "''"))),
            _ => self.scalar(&text.into()),
        }
    }

    fn within(self) -> Self {
        Self { is_in_flow: true, ..self }
    }

    fn scalar(self, value: &Value) -> Option<String> {
        const SPECIAL: [char; 7] = [',', '[', ']', '{', '}', '#', '\n'];
        let mut text = String::new();
        write_yaml(value, &mut text).ok()?;
        let text = text.trim_end();
        let is_quoted = self.is_json || text.contains('\n') || self.is_in_flow && text.contains(SPECIAL);
        if is_quoted { Some(value.to_string()) } else { Some(text.to_owned()) }
    }
}

/// Returns the lines of `value` at `column`, the first without its indent.
pub(super) fn block(value: &Value, column: usize) -> Option<String> {
    let mut lines = String::new();
    write_yaml(value, &mut lines).ok()?;
    Some(lines.trim_end().replace('\n', &format!("\n{}", " ".repeat(column))))
}
