//! Generated values: names and uids that the server generates, and that differ when the same document is evaluated
//! after others.

use crate::evaluation::Outcome;
use kube_api::name_generator::generate_uid;
use kube_api::{Value, name_generator};

/// The placeholder of generated values.
const PLACEHOLDER: &str = "…";

impl Outcome {
    /// Replaces the values that the server generated for this request in `value`, so that values of two runs can be
    /// compared.
    pub fn replace_generated(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(base) = name_generator::base_of(text, self.ordinal) {
                    *text = format!("{base}{PLACEHOLDER}").into();
                } else if *text == generate_uid(self.ordinal) {
                    *text = PLACEHOLDER.into();
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace_generated(item)),
            Value::Object(map) => map.values_mut().for_each(|value| self.replace_generated(value)),
            _ => {}
        }
    }

    /// Returns the name of the object without its generated part: by the server, or by a controller, which hashes the
    /// template.
    pub fn stable_object_name(&self) -> String {
        let prefix = self.received.as_ref().map(|object| object.generate_name()).unwrap_or_default();
        match (prefix, &self.cause) {
            ("", None) => self.name.clone(),
            (prefix, None) => format!("{prefix}{PLACEHOLDER}"),
            (_, Some(_)) => PLACEHOLDER.to_owned(),
        }
    }

    /// Returns `message` without the generated part of the object's name.
    pub fn stable_message(&self, message: &str) -> String {
        let prefix = self.received.as_ref().map(|object| object.generate_name()).unwrap_or_default();
        let mut stable = String::new();
        if prefix.is_empty() {
            stable.push_str(message);
        } else {
            // Of several equal objects, another one than the first may be refused.
            let mut parts = message.split(prefix);
            stable.extend(parts.next());
            for part in parts {
                stable.extend([PLACEHOLDER, name_generator::without_suffix(part)]);
            }
        }
        if self.cause.is_some() && !self.name.is_empty() {
            stable = stable.replace(&self.name, PLACEHOLDER);
        }
        stable
    }
}
