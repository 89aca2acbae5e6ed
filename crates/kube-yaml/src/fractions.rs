//! The fractions of numbers in JSON, which reading drops where they are zero.

use gotext::source::{Data, Node};
use gotext::value::Number;

/// Restores the fractions of the whole numbers in `node`, the content of the JSON `text`: fields of integers do not accept
/// `1.0`, which clients that read files send as `1`.
pub fn restore_fractions(node: &mut Node, text: &str) {
    match &mut node.data {
        Data::Object(entries) => {
            for entry in entries.iter_mut() {
                restore_fractions(&mut entry.value, text);
            }
        }
        Data::Array(items) => {
            for item in items.iter_mut() {
                restore_fractions(item, text);
            }
        }
        Data::Number(number) if !number.is_f64() => {
            let written = text.get(node.span.start..node.span.end).unwrap_or_default();
            if written.contains(['.', 'e', 'E'])
                && let Some(sent) = written.parse().ok().and_then(Number::from_f64)
            {
                *number = sent;
            }
        }
        _ => {}
    }
}
