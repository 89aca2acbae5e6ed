//! The rules by which a policy or webhook matches requests.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules`.

use crate::admission::{Attributes, Operation};
use kube_api::{GroupVersionResource, Value};

/// The scope of the objects that a rule matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// `*`
    #[default]
    All,
    /// `Cluster`: objects without namespaces; Namespaces are among them.
    Cluster,
    /// `Namespaced`
    Namespaced,
}

/// Whether rules also match other versions of the resources that they name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatchPolicy {
    /// They match only the named versions.
    Exact,
    /// The request is converted to a named version.
    #[default]
    Equivalent,
}

impl MatchPolicy {
    /// Reads the field `matchPolicy` of `value`.
    pub fn of(value: &Value) -> Self {
        if value["matchPolicy"] == "Exact" { Self::Exact } else { Self::Equivalent }
    }
}

/// `RuleWithOperations`, and the names that only policies may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    operations: Vec<String>,
    api_groups: Vec<String>,
    api_versions: Vec<String>,
    resources: Vec<String>,
    resource_names: Vec<String>,
    scope: Scope,
}

impl Rule {
    /// Reads a `NamedRuleWithOperations`.
    pub fn named(rule: &Value) -> Self {
        Self { resource_names: texts(&rule["resourceNames"]), ..Self::new(rule) }
    }

    /// Reads a `RuleWithOperations`.
    pub fn new(rule: &Value) -> Self {
        let scope = match rule["scope"].as_str() {
            Some("Cluster") => Scope::Cluster,
            Some("Namespaced") => Scope::Namespaced,
            _ => Scope::All,
        };
        Self {
            operations: texts(&rule["operations"]),
            api_groups: texts(&rule["apiGroups"]),
            api_versions: texts(&rule["apiVersions"]),
            resources: texts(&rule["resources"]),
            resource_names: Vec::new(),
            scope,
        }
    }

    /// Reads a list of `NamedRuleWithOperations`.
    pub fn named_list(rules: &Value) -> Vec<Self> {
        rules.as_array().into_iter().flatten().map(Self::named).collect()
    }

    /// Reads a list of `RuleWithOperations`.
    pub fn list(rules: &Value) -> Vec<Self> {
        rules.as_array().into_iter().flatten().map(Self::new).collect()
    }

    /// Whether the rule matches the request as one to `resource`: its own, or an equivalent one.
    pub fn matches(&self, attributes: &Attributes, resource: &GroupVersionResource) -> bool {
        self.matches_scope(attributes, resource)
            && self.matches_operation(attributes.operation)
            && matches_exactly_or_all(&self.api_groups, &resource.group)
            && matches_exactly_or_all(&self.api_versions, &resource.version)
            && self.matches_resource(&resource.resource, &attributes.sub_resource)
            && self.matches_name(&attributes.name)
    }

    fn matches_scope(&self, attributes: &Attributes, resource: &GroupVersionResource) -> bool {
        // A request for a Namespace has its name for a namespace.
        let is_cluster_wide =
            attributes.namespace.is_empty() || (resource.is("", "namespaces") && resource.version == "v1");
        match self.scope {
            Scope::All => true,
            Scope::Cluster => is_cluster_wide,
            Scope::Namespaced => !is_cluster_wide,
        }
    }

    fn matches_operation(&self, operation: Operation) -> bool {
        matches_exactly_or_all(&self.operations, operation.as_str())
    }

    fn matches_resource(&self, resource: &str, sub_resource: &str) -> bool {
        self.resources.iter().any(|rule| {
            let (name, below) = rule.split_once('/').unwrap_or((rule, ""));
            (name == "*" || name == resource) && (below == "*" || below == sub_resource)
        })
    }

    fn matches_name(&self, name: &str) -> bool {
        self.resource_names.is_empty() || self.resource_names.iter().any(|named| named == name)
    }
}

fn matches_exactly_or_all(items: &[String], wanted: &str) -> bool {
    items.iter().any(|item| item == "*" || item == wanted)
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use gotext::value::json;

    use super::*;
    use crate::admission::UserInfo;
    use kube_api::GroupVersionKind;

    fn request(resource: &'static str, sub_resource: &'static str, namespace: &str) -> Attributes {
        Attributes {
            operation: Operation::Create,
            kind: GroupVersionKind::new("", "v1", "Thing"),
            resource: GroupVersionResource::new("", "v1", resource),
            sub_resource: sub_resource.into(),
            namespace: namespace.to_owned(),
            name: "web".to_owned(),
            object: None,
            old_object: None,
            options: None,
            dry_run: false,
            user_info: Arc::new(UserInfo::default()),
            reinvocation: false,
            reinvocation_context: crate::admission::ReinvocationContext::default(),
            ordinal: 0,
            time: Duration::ZERO,
            deadline: None,
        }
    }

    fn matches(change: &Value, request: &Attributes) -> bool {
        let mut rule = json!({
            "operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"],
        });
        for (field, value) in change.as_object().expect("fields of a rule") {
            rule[field] = value.clone();
        }
        Rule::named(&rule).matches(request, &request.resource)
    }

    #[test]
    fn matches_resources_and_subresources() {
        let (pod, status) = (request("pods", "", "shop"), request("pods", "status", "shop"));
        for (resources, of_pod, of_status) in [
            (json!(["pods"]), true, false),
            (json!(["*"]), true, false),
            (json!(["pods/status"]), false, true),
            (json!(["pods/*"]), true, true),
            (json!(["*/status"]), false, true),
            (json!(["*/*"]), true, true),
            (json!(["services", "services/*"]), false, false),
        ] {
            let change = json!({"resources": resources});
            assert_eq!((matches(&change, &pod), matches(&change, &status)), (of_pod, of_status), "{change}");
        }
    }

    #[test]
    fn matches_scopes_operations_and_names() {
        let (pod, node) = (request("pods", "", "shop"), request("nodes", "", ""));
        let namespace = request("namespaces", "", "shop");
        let any = json!({"resources": ["*"], "scope": "Cluster"});
        assert!(!matches(&any, &pod) && matches(&any, &node) && matches(&any, &namespace));
        let any = json!({"resources": ["*"], "scope": "Namespaced"});
        assert!(matches(&any, &pod) && !matches(&any, &node) && !matches(&any, &namespace));
        assert!(matches(&json!({"operations": ["*"]}), &pod));
        assert!(!matches(&json!({"operations": ["UPDATE", "DELETE"]}), &pod));
        assert!(matches(&json!({"apiGroups": ["*"], "apiVersions": ["*"]}), &pod));
        assert!(!matches(&json!({"apiGroups": ["apps"]}), &pod));
        assert!(!matches(&json!({"apiVersions": ["v2"]}), &pod));
        assert!(matches(&json!({"resourceNames": ["api", "web"]}), &pod));
        assert!(!matches(&json!({"resourceNames": ["we"]}), &pod));
    }
}
