//! `fieldPath` of a rule: `.spec.labels['app']`.
//!
//! Source: `ValidFieldPath` of `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`.

use gotext::control_escape;
use kube_api::Value;
use kube_api::field::Path;

/// A step to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
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

/// A path, and the schema of what it leads to, if it has one.
pub(crate) type Found<'a> = (Vec<Step>, Option<&'a Value>);

/// Returns the steps of a path that was validated with the definition.
pub(super) fn parse(text: &str, schema: &Value) -> Vec<Step> {
    find(text, schema, true).map(|(steps, _)| steps).unwrap_or_default()
}

/// Follows a path through `schema`; keys in brackets may be refused.
///
/// # Errors
///
/// Returns the server's reason.
pub(crate) fn find<'a>(text: &str, schema: &'a Value, takes_keys: bool) -> Result<Found<'a>, String> {
    const END: &str = "unexpected end of JSON path";
    let (mut rest, mut schema, mut steps) = (text, Some(schema), Vec::new());
    while let Some(token) = next_token(&mut rest) {
        let (name, is_key) = match token {
            "[" if !takes_keys => return Err("array notation is not allowed".to_owned()),
            "[" => (unquote(next_token(&mut rest).ok_or(END)?)?, true),
            "." => (next_token(&mut rest).ok_or(END)?.to_owned(), false),
            other => return Err(format!("expected [ or . but got: {other}")),
        };
        let here = schema.unwrap_or(&Value::Null);
        let properties = here["properties"].as_object().filter(|properties| !properties.is_empty());
        if let Some(properties) = properties {
            schema = Some(properties.get(name.as_str()).ok_or("does not refer to a valid field")?);
            steps.push(Step::Property(name));
        } else {
            let additional = &here["additionalProperties"];
            if additional.is_null() {
                return Err("does not refer to a valid field".to_owned());
            }
            schema = Some(additional).filter(|additional| additional.is_object());
            steps.push(Step::Key(name));
        }
        if is_key {
            match next_token(&mut rest).ok_or(END)? {
                "]" => {}
                other => return Err(format!("expected ] but got {other}")),
            }
        }
    }
    Ok((steps, schema))
}

/// Takes a delimiter, a quoted text or the text up to a delimiter from `rest`.
fn next_token<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = *rest;
    let first = text.chars().next()?;
    let bytes = text.as_bytes();
    let end = match first {
        '\'' => {
            (1..bytes.len()).find(|&end| bytes[end] == b'\'' && bytes[end - 1] != b'\\').map(|end| end + 1)
        }
        '.' | '[' | ']' => Some(1),
        _ => text.find(['.', '[', ']']),
    };
    let (token, after) = text.split_at(end.unwrap_or(text.len()));
    *rest = after;
    Some(token)
}

/// Returns the text between quotation marks.
fn unquote(token: &str) -> Result<String, String> {
    let quoted = token.strip_prefix('\'').and_then(|quoted| quoted.strip_suffix('\''));
    let quoted = quoted.ok_or_else(|| format!("expected single quoted string but got {token}"))?;
    let mut name = String::new();
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            name.push(character);
            continue;
        }
        let Some(escaped) = characters.next() else {
            name.push('\\');
            break;
        };
        name.push(match (control_escape(escaped), escaped) {
            (Some(control), _) => control,
            (None, '\'' | '\\') => escaped,
            (None, other) => return Err(format!("invalid string literal: invalid escape char \\{other}")),
        });
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

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

    #[test]
    fn rejects_what_leads_nowhere() {
        let schema = json!({"properties": {"spec": {"properties": {"a": {"type": "string"}}}}});
        for (text, error) in [
            (".spec.b", "does not refer to a valid field"),
            (".spec.a.b", "does not refer to a valid field"),
            (".spec['a]", "expected single quoted string but got 'a]"),
            (".spec[a]", "expected single quoted string but got a"),
            (".spec['a'", "unexpected end of JSON path"),
            ("spec.a", "expected [ or . but got: spec"),
            (".spec['\\q']", "invalid string literal: invalid escape char \\q"),
        ] {
            assert_eq!(find(text, &schema, true).unwrap_err(), error, "{text}");
        }
        assert_eq!(find(".spec['a']", &schema, false).unwrap_err(), "array notation is not allowed");
    }
}
