//! Scopes: which objects a quota, or a limit of the configuration, is about.

use std::fmt;

use gotext::value::json;

use gotext::quote;
use kube_api::labels::{Operator, Requirement, Selector};
use kube_api::{Object, Value};

/// An expression such as `PriorityClass In [gold]`.
#[derive(Clone, Debug)]
pub(crate) struct ScopedResourceSelectorRequirement {
    pub(crate) scope_name: String,
    operator: String,
    values: Vec<String>,
    /// The selector of the object's values; an error if the expression is malformed.
    selector: Result<Selector, String>,
}

impl ScopedResourceSelectorRequirement {
    /// Returns the item as it was read.
    pub(crate) fn to_value(&self) -> Value {
        json!({"scopeName": self.scope_name, "operator": self.operator, "values": self.values})
    }

    /// Reads an item of `matchExpressions` or `matchScopes`.
    pub(crate) fn of(value: &Value) -> Self {
        let text = |field| value.text(field).to_owned();
        let values = value.list("values").iter();
        let values = values.filter_map(Value::as_str).map(str::to_owned).collect();
        Self::new(text("scopeName"), text("operator"), values)
    }

    /// Returns `spec.scopes` and `spec.scopeSelector` of a quota.
    ///
    /// Source: `getScopeSelectorsFromQuota`.
    pub(crate) fn of_quota(quota: &Object) -> Vec<Self> {
        let scopes = quota.list(["spec", "scopes"]).iter().filter_map(Value::as_str);
        let scopes = scopes.map(|scope| Self::new(scope.to_owned(), "Exists".to_owned(), Vec::new()));
        scopes.chain(quota.list(["spec", "scopeSelector", "matchExpressions"]).iter().map(Self::of)).collect()
    }

    /// Whether any of the classes that an object names matches; an object without any is tested once, as one without a
    /// class.
    ///
    /// Source: `podMatchesSelector`, `pvcMatchesSelector`.
    pub(crate) fn matches(&self, classes: &[&str]) -> Result<bool, String> {
        if self.operator == "Exists" {
            return Ok(!classes.is_empty());
        }
        let selector = match &self.selector {
            Ok(selector) => selector,
            Err(error) => return Err(format!("failed to parse and convert selector: {error}")),
        };
        let selects = |class: Option<&str>| selector.matches(|key| class.filter(|_| key == self.scope_name));
        Ok(if classes.is_empty() { selects(None) } else { classes.iter().any(|class| selects(Some(class))) })
    }

    fn new(scope_name: String, operator: String, values: Vec<String>) -> Self {
        let selector = selector(&scope_name, &operator, &values);
        Self { scope_name, operator, values, selector }
    }
}

impl fmt::Display for ScopedResourceSelectorRequirement {
    /// Formats it as Go prints the struct.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{{{} {} [{}]}}", self.scope_name, self.operator, self.values.join(" "))
    }
}

/// Source: `ScopedResourceSelectorRequirementsAsSelector`.
fn selector(scope_name: &str, operator: &str, values: &[String]) -> Result<Selector, String> {
    let operator = match operator {
        "In" => Operator::In,
        "NotIn" => Operator::NotIn,
        "Exists" => Operator::Exists,
        "DoesNotExist" => Operator::DoesNotExist,
        other => return Err(format!("{} is not a valid scope selector operator", quote(other))),
    };
    let requirement = Requirement::new(scope_name, operator, values.to_vec());
    requirement.map(|requirement| Selector::new(vec![requirement])).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requirement(operator: &str, values: &[&str]) -> ScopedResourceSelectorRequirement {
        let value = json!({"scopeName": "PriorityClass", "operator": operator, "values": values});
        ScopedResourceSelectorRequirement::of(&value)
    }

    #[test]
    fn looks_for_classes_like_a_label_selector() {
        let gold = requirement("In", &["gold", "silver"]);
        assert_eq!(gold.to_string(), "{PriorityClass In [gold silver]}");
        assert_eq!(gold.matches(&["gold"]), Ok(true));
        assert_eq!(gold.matches(&["lead"]), Ok(false));
        assert_eq!(gold.matches(&[]), Ok(false));
        assert_eq!(requirement("NotIn", &["gold"]).matches(&[]), Ok(true));
        assert_eq!(requirement("DoesNotExist", &[]).matches(&[]), Ok(true));
        assert_eq!(requirement("DoesNotExist", &[]).matches(&["gold"]), Ok(false));
        assert_eq!(requirement("Exists", &[]).matches(&["gold"]), Ok(true));
        assert_eq!(requirement("NotIn", &["gold"]).matches(&["gold", "lead"]), Ok(true));
    }

    #[test]
    fn says_why_an_expression_cannot_be_read() {
        assert_eq!(
            requirement("Equals", &["gold"]).matches(&["gold"]),
            Err("failed to parse and convert selector: \"Equals\" is not a valid scope selector operator"
                .to_owned())
        );
        assert_eq!(
            requirement("In", &[]).matches(&[]),
            Err("failed to parse and convert selector: values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty".to_owned())
        );
    }
}
