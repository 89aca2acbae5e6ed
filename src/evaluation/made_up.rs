//! What the server makes up: names and uids that nobody asked for by these letters, and that are other ones when the
//! same document is evaluated behind others.

use crate::api::name_generator::generate_uid;
use crate::api::{Value, name_generator};
use crate::evaluation::Outcome;

/// Stands for what is made up.
const MADE_UP: &str = "…";

impl Outcome {
    /// Replaces what the server made up for this request in `value`, so that values of two runs can be compared.
    pub fn settle(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(base) = name_generator::base_of(text, self.ordinal) {
                    *text = format!("{base}{MADE_UP}").into();
                } else if *text == generate_uid(self.ordinal) {
                    *text = MADE_UP.into();
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.settle(item)),
            Value::Object(map) => map.values_mut().for_each(|value| self.settle(value)),
            _ => {}
        }
    }

    /// The name of the object without what is made up of it: by the server, or by a controller, which hashes what it
    /// makes the object from.
    pub fn settled_object_name(&self) -> String {
        let prefix = self.received.as_ref().map(|object| object.generate_name()).unwrap_or_default();
        match (prefix, &self.cause) {
            ("", None) => self.name.clone(),
            (prefix, None) => format!("{prefix}{MADE_UP}"),
            (_, Some(_)) => MADE_UP.to_owned(),
        }
    }

    /// `message` without what is made up of the object's name.
    pub fn settled_message(&self, message: &str) -> String {
        let prefix = self.received.as_ref().map(|object| object.generate_name()).unwrap_or_default();
        let mut settled = String::new();
        if prefix.is_empty() {
            settled.push_str(message);
        } else {
            // Of several objects that are alike, another one than the first may be refused.
            let mut parts = message.split(prefix);
            settled.extend(parts.next());
            for part in parts {
                settled.extend([MADE_UP, name_generator::without_suffix(part)]);
            }
        }
        if self.cause.is_some() && !self.name.is_empty() {
            settled = settled.replace(&self.name, MADE_UP);
        }
        settled
    }
}
