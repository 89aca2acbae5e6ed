//! The paths of columns in definitions: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`.
//!
//! Source: `k8s.io/client-go/util/jsonpath`, the part that definitions use

use kube_api::Value;

/// A path to values.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::serve) struct JsonPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(String),
    Index(i64),
    All,
    /// The items whose field has this value.
    Where(Vec<String>, String),
}

impl JsonPath {
    /// Reads a path; nothing if it has parts that definitions do not use.
    pub(in crate::serve) fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let end = end_of(inner)?;
                steps.push(Step::within(&inner[..end])?);
                rest = &inner[end + 1..];
            } else {
                let field = rest.strip_prefix('.')?;
                let (name, length) = name(field);
                steps.push(if name == "*" { Step::All } else { Step::Field(name) });
                rest = &field[length..];
            }
        }
        Some(Self(steps))
    }

    /// Returns the values at the path.
    pub(in crate::serve) fn find<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        self.0
            .iter()
            .fold(vec![value], |found, step| found.into_iter().flat_map(|value| step.below(value)).collect())
    }
}

/// Returns the place of the bracket that ends `text`, which may contain quoted ones.
fn end_of(text: &str) -> Option<usize> {
    let mut quote = None;
    for (place, character) in text.char_indices() {
        match (quote, character) {
            (None, ']') => return Some(place),
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    None
}

/// Returns the name of a field at the start of `text`, where `\.` is a point in it, and its length.
fn name(text: &str) -> (String, usize) {
    let (mut name, mut is_escaped) = (String::new(), false);
    for (place, character) in text.char_indices() {
        match character {
            '\\' if !is_escaped => is_escaped = true,
            '.' | '[' if !is_escaped => return (name, place),
            character => {
                name.push(character);
                is_escaped = false;
            }
        }
    }
    (name, text.len())
}

impl Step {
    /// Reads what is between brackets.
    fn within(text: &str) -> Option<Self> {
        let text = text.trim();
        let unquoted = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
        if text == "*" {
            return Some(Self::All);
        }
        if let Ok(index) = text.parse() {
            return Some(Self::Index(index));
        }
        if let Some(filter) = text.strip_prefix("?(").and_then(|text| text.strip_suffix(')')) {
            let (field, value) = filter.split_once("==")?;
            let field = field.trim().strip_prefix("@.")?;
            return Some(Self::Where(field.split('.').map(str::to_owned).collect(), unquoted(value)));
        }
        text.starts_with(['"', '\'']).then(|| Self::Field(unquoted(text)))
    }

    fn below<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        let items = || value.as_array().map(Vec::as_slice).unwrap_or_default();
        match self {
            Self::Field(name) => value.look_up(name).filter(|value| !value.is_null()).into_iter().collect(),
            Self::Index(index) => {
                let length = i64::try_from(items().len()).unwrap_or_default();
                let index = if *index < 0 { length + index } else { *index };
                usize::try_from(index).ok().and_then(|index| items().get(index)).into_iter().collect()
            }
            Self::All => match value.as_object() {
                Some(map) => map.values().collect(),
                None => items().iter().collect(),
            },
            Self::Where(field, wanted) => {
                let is_it = |item: &&Value| {
                    let found = field.iter().try_fold(*item, |value, name| value.look_up(name));
                    match found {
                        Some(Value::String(text)) => **text == **wanted,
                        Some(other) => gotext::encoding_json::to_string(other) == *wanted,
                        None => false,
                    }
                };
                items().iter().filter(is_it).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;

    #[test]
    fn paths_find_values() {
        let value = json!({
            "spec": {"a.b": 1, "list": [1, 2, 3]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Old", "status": "False"}]},
        });
        for (path, expected) in [
            (".spec.list[1]", "[2]"),
            (".spec.list[-1]", "[3]"),
            (".spec.list[*]", "[1,2,3]"),
            (r".spec.a\.b", "[1]"),
            (".spec['a.b']", "[1]"),
            (".spec.other.more", "[]"),
            (r#".status.conditions[?(@.type=="Ready")].status"#, r#"["True"]"#),
            (".status.conditions[?(@.type=='Old')].status", r#"["False"]"#),
        ] {
            let found = JsonPath::parse(path).expect(path);
            let found: Vec<Value> = found.find(&value).into_iter().cloned().collect();
            assert_eq!(gotext::encoding_json::to_string(&Value::from(found)), expected, "{path}");
        }
        assert_eq!(JsonPath::parse("{.spec}"), None);
        assert_eq!(JsonPath::parse(".a[?(@.b>1)]"), None);
    }
}
