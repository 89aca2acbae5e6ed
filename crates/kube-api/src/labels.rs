//! Label selectors: which labels select an object.
//!
//! Source: `k8s.io/apimachinery/pkg/labels` and `metav1.LabelSelectorAsSelector`.

mod parse;

use std::fmt;

use gotext::value::json;
use thiserror::Error;

use crate::field::{self, Path};
use crate::{Value, pairs};
use gotext::names;
use gotext::quote;

pub use parse::parse;

/// Requirements that labels must all meet, ordered by key; or a selector that selects nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector(Option<Vec<Requirement>>);

/// The requirement on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

/// The operator between a requirement's values and the label's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `key in (a,b)`
    In,
    /// `key notin (a,b)`
    NotIn,
    /// `key=a`
    Equals,
    /// `key==a`
    DoubleEquals,
    /// `key!=a`
    NotEquals,
    /// `key`
    Exists,
    /// `!key`
    DoesNotExist,
    /// `key>1`
    GreaterThan,
    /// `key<1`
    LessThan,
}

/// The reason that something is not a selector, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SelectorError(String);

impl Selector {
    /// Returns the selector that selects everything.
    pub const fn everything() -> Self {
        Self(Some(Vec::new()))
    }

    /// Returns the selector that selects nothing.
    pub const fn nothing() -> Self {
        Self(None)
    }

    /// Returns a selector for labels that meet all the requirements.
    pub fn new(mut requirements: Vec<Requirement>) -> Self {
        requirements.sort_by(|left, right| left.key.cmp(&right.key));
        Self(Some(requirements))
    }

    /// Returns the selector that a `LabelSelector` of the API describes: nothing if it is null, everything if it is
    /// empty.
    pub fn from_label_selector(selector: &Value) -> Result<Self, SelectorError> {
        if selector.is_null() {
            return Ok(Self::nothing());
        }
        let mut requirements = Vec::new();
        for (key, value) in pairs(selector.get("matchLabels")) {
            requirements.push(Requirement::new(key, Operator::Equals, vec![value.to_owned()])?);
        }
        for expression in selector.list("matchExpressions") {
            requirements.push(Requirement::from_expression(expression)?);
        }
        Ok(Self::new(requirements))
    }

    /// Whether the labels that `lookup` finds by key are selected.
    pub fn matches<'a>(&self, lookup: impl Fn(&str) -> Option<&'a str>) -> bool {
        let requirements = self.0.as_ref();
        requirements
            .is_some_and(|requirements| requirements.iter().all(|requirement| requirement.matches(&lookup)))
    }

    /// Whether the labels, a map of texts or nothing, are selected.
    pub fn matches_labels(&self, labels: Option<&Value>) -> bool {
        self.matches(|key| labels?.get(key)?.as_str())
    }

    /// Whether everything is selected.
    pub fn is_everything(&self) -> bool {
        self.0.as_ref().is_some_and(Vec::is_empty)
    }

    /// Returns the requirements, ordered by key. Empty for a selector that selects everything or nothing.
    pub fn requirements(&self) -> &[Requirement] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, requirement) in self.requirements().iter().enumerate() {
            if position > 0 {
                formatter.write_str(",")?;
            }
            requirement.fmt(formatter)?;
        }
        Ok(())
    }
}

impl Requirement {
    /// Returns a requirement, if key, operator and values fit together.
    pub fn new(key: &str, operator: Operator, values: Vec<String>) -> Result<Self, SelectorError> {
        let mut errors = Vec::new();
        errors.extend(key_error(Some(&Path::new("key")), key));
        let path = Path::new("values");
        // Go prints a list without items as null.
        let printed = if values.is_empty() { Value::Null } else { json!(values) };
        let mut refuse = |detail: &str| errors.push(field::Error::invalid(&path, &printed, detail));
        match operator {
            Operator::In | Operator::NotIn if values.is_empty() => {
                refuse("for 'in', 'notin' operators, values set can't be empty");
            }
            Operator::Equals | Operator::DoubleEquals | Operator::NotEquals if values.len() != 1 => {
                refuse("exact-match compatibility requires one single value");
            }
            Operator::Exists | Operator::DoesNotExist if !values.is_empty() => {
                refuse("values set must be empty for exists and does not exist");
            }
            Operator::GreaterThan | Operator::LessThan => {
                if values.len() != 1 {
                    refuse("for 'Gt', 'Lt' operators, exactly one value is required");
                }
                for (index, value) in
                    values.iter().enumerate().filter(|(_, value)| value.parse::<i64>().is_err())
                {
                    let detail = "for 'Gt', 'Lt' operators, the value must be an integer";
                    errors.push(field::Error::invalid_text(&path.index(index), value, detail));
                }
            }
            _ => {}
        }
        for (index, value) in values.iter().enumerate() {
            let messages = names::is_valid_label_value(value);
            if !messages.is_empty() {
                let path = path.index(index).key(key);
                errors.push(field::Error::invalid_text(&path, value, messages.join("; ")));
            }
        }
        if errors.is_empty() {
            Ok(Self { key: key.to_owned(), operator, values })
        } else {
            Err(SelectorError(field::aggregate(&errors)))
        }
    }

    /// Returns the label's key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the operator between the values and the label's.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// Returns the values, as they were given.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    fn from_expression(expression: &Value) -> Result<Self, SelectorError> {
        let text = |field| expression.text(field);
        let operator = match text("operator") {
            "In" => Operator::In,
            "NotIn" => Operator::NotIn,
            "Exists" => Operator::Exists,
            "DoesNotExist" => Operator::DoesNotExist,
            other => {
                return Err(SelectorError(format!(
                    "{} is not a valid label selector operator",
                    quote(other)
                )));
            }
        };
        let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
        Self::new(text("key"), operator, values.filter_map(Value::as_str).map(str::to_owned).collect())
    }

    fn matches<'a>(&self, lookup: impl Fn(&str) -> Option<&'a str>) -> bool {
        let label = lookup(&self.key);
        let has = |label: &str| self.values.iter().any(|value| value == label);
        match self.operator {
            Operator::In | Operator::Equals | Operator::DoubleEquals => label.is_some_and(has),
            Operator::NotIn | Operator::NotEquals => !label.is_some_and(has),
            Operator::Exists => label.is_some(),
            Operator::DoesNotExist => label.is_none(),
            Operator::GreaterThan => self.compares(label, |label, value| label > value),
            Operator::LessThan => self.compares(label, |label, value| label < value),
        }
    }

    fn compares(&self, label: Option<&str>, holds: impl Fn(i64, i64) -> bool) -> bool {
        let number = |text: &str| text.parse::<i64>().ok();
        let numbers = label.and_then(number).zip(self.values.first().and_then(|value| number(value)));
        numbers.is_some_and(|(label, value)| holds(label, value))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = &self.key;
        let mut values: Vec<&str> = self.values.iter().map(String::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        match self.operator {
            Operator::In => write!(formatter, "{key} in ({values})"),
            Operator::NotIn => write!(formatter, "{key} notin ({values})"),
            Operator::Equals => write!(formatter, "{key}={values}"),
            Operator::DoubleEquals => write!(formatter, "{key}=={values}"),
            Operator::NotEquals => write!(formatter, "{key}!={values}"),
            Operator::Exists => write!(formatter, "{key}"),
            Operator::DoesNotExist => write!(formatter, "!{key}"),
            Operator::GreaterThan => write!(formatter, "{key}>{values}"),
            Operator::LessThan => write!(formatter, "{key}<{values}"),
        }
    }
}

/// Returns the error in a label's key.
fn key_error(path: Option<&Path>, key: &str) -> Option<field::Error> {
    let messages = names::is_qualified_name(key);
    (!messages.is_empty()).then(|| {
        let detail = messages.join("; ");
        field::Error::printed(field::ErrorType::Invalid, path.cloned(), Some(quote(key)), detail)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn selector(selector: &Value) -> Selector {
        Selector::from_label_selector(selector).unwrap()
    }

    #[test]
    fn a_label_selector_selects() {
        let labels = json!({"app": "web", "tier": "front"});
        for (given, text, selects) in [
            (json!(null), "", false),
            (json!({}), "", true),
            (json!({"matchLabels": null, "matchExpressions": []}), "", true),
            (json!({"matchLabels": {"tier": "front", "app": "web"}}), "app=web,tier=front", true),
            (
                json!({"matchLabels": {"tier": "front"}, "matchExpressions": [
                    {"key": "app", "operator": "In", "values": ["web", "api"]},
                    {"key": "other", "operator": "DoesNotExist"},
                ]}),
                "app in (api,web),!other,tier=front",
                true,
            ),
            (
                json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}),
                "app notin (web)",
                false,
            ),
        ] {
            let selector = selector(&given);
            assert_eq!(selector.to_string(), text, "{given}");
            assert_eq!(selector.matches_labels(Some(&labels)), selects, "{given}");
        }
        assert!(selector(&json!({})).is_everything());
        assert!(!selector(&json!(null)).matches_labels(None));
    }

    #[test]
    fn a_wrong_label_selector_says_so() {
        for (expression, message) in [
            (json!({"key": "a", "operator": "Gt"}), "\"Gt\" is not a valid label selector operator"),
            (
                json!({"key": "a", "operator": "In"}),
                "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
            ),
            (
                json!({"key": "a", "operator": "Exists", "values": ["b"]}),
                "values: Invalid value: [\"b\"]: values set must be empty for exists and does not exist",
            ),
        ] {
            let given = json!({"matchExpressions": [expression]});
            assert_eq!(Selector::from_label_selector(&given).unwrap_err().to_string(), message);
        }
        let errors = Requirement::new("", Operator::In, vec![]).unwrap_err().to_string();
        assert!(
            errors.starts_with("[key: Invalid value: \"\": name part must be non-empty; name part must"),
            "{errors}"
        );
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC*", tokens in "[ab!=<>,() \\x00]*|(in|notin|[ab,() ]){0,8}") {
            for text in [&text, &tokens] {
                let _ = parse(text);
            }
        }

        #[test]
        fn written_is_read_again(text in "((!?[ab]|[ab](=|!=|==)c?|[ab] (in|notin) \\([a-c](,[a-c]){0,2}\\)|a>1),){0,3}b") {
            let selector = parse(&text).unwrap();
            prop_assert_eq!(parse(&selector.to_string()).unwrap(), selector);
        }
    }
}
