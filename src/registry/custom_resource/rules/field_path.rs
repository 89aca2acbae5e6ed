//! `fieldPath` of a rule: `.spec.labels['app']`.
//!
//! Source: `ValidFieldPath` of `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`.

use crate::api::Value;
use crate::api::field::Path;

/// A step to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// To a property.
    Property(String),
    /// To the value of a key.
    Key(String),
}

impl Step {
    /// Returns the path of the field below `path`.
    pub(super) fn below(&self, path: Option<Path>) -> Path {
        match (self, path) {
            (Self::Property(name) | Self::Key(name), None) => Path::named(name.clone()),
            (Self::Property(name), Some(path)) => path.child(name.clone()),
            (Self::Key(name), Some(path)) => path.key(name.clone()),
        }
    }
}

/// Reads a path through `schema`; it was validated with the definition.
pub(super) fn parse(text: &str, schema: &Value) -> Vec<Step> {
    let (mut rest, mut schema, mut steps) = (text, schema, Vec::new());
    while !rest.is_empty() {
        let name = if let Some(quoted) = rest.strip_prefix("['") {
            let Some((name, after)) = unquote(quoted) else { return Vec::new() };
            rest = after;
            name
        } else if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            rest = &after[end..];
            after[..end].to_owned()
        } else {
            return Vec::new();
        };
        if schema["properties"].is_object() {
            schema = &schema["properties"][name.as_str()];
            steps.push(Step::Property(name));
        } else {
            schema = &schema["additionalProperties"];
            steps.push(Step::Key(name));
        }
    }
    steps
}

/// Returns the text up to `']`, and the rest.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut characters = quoted.char_indices();
    while let Some((position, character)) = characters.next() {
        match character {
            '\'' => return Some((name, quoted[position + 1..].strip_prefix(']')?)),
            '\\' => name.push(match characters.next()?.1 {
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                other => other,
            }),
            other => name.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn names_properties_and_keys() {
        let labels = json!({"type": "object", "additionalProperties": {"type": "string"}});
        let schema = json!({"properties": {"spec": {"properties": {"labels": labels, "a.b": {}}}}});
        for (text, printed) in [
            (".spec.labels['app']", "at.spec.labels[app]"),
            (".spec['a.b']", "at.spec.a.b"),
            (".spec.labels['it\\'s']", "at.spec.labels[it's]"),
            ("", "at"),
        ] {
            let steps = parse(text, &schema);
            let path = steps.iter().fold(Path::new("at"), |path, step| step.below(Some(path)));
            assert_eq!(path.to_string(), printed);
        }
    }
}
