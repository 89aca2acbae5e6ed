//! The requests that a policy or a binding matches.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/policy/matching`.

use std::sync::Arc;

use thiserror::Error;

use crate::admission::{Attributes, Mismatch};
use crate::cluster::Cluster;
use crate::policy::{Equivalents, MatchPolicy, ObjectSelector, Rule, matches_namespace};
use kube_api::labels::{Selector, SelectorError};
use kube_api::{GroupVersionKind, GroupVersionResource, Status, Value};

/// The resources of policies and bindings.
const POLICIES: [&str; 4] = [
    "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
];

/// The resources of reviews, by group.
const REVIEWS: [(&str, &[&str]); 2] = [
    ("authentication.k8s.io", &["selfsubjectreviews", "tokenreviews"]),
    (
        "authorization.k8s.io",
        &[
            "localsubjectaccessreviews",
            "selfsubjectaccessreviews",
            "selfsubjectrulesreviews",
            "subjectaccessreviews",
        ],
    ),
];

/// Whether `resource` is one of policies or bindings: only static policies match it, since others could lock themselves.
pub fn is_policy(resource: &GroupVersionResource) -> bool {
    resource.group == "admissionregistration.k8s.io" && POLICIES.contains(&&*resource.resource)
}

/// Whether `resource` is one of reviews, which no policy matches.
pub fn is_access_review(resource: &GroupVersionResource) -> bool {
    REVIEWS
        .iter()
        .any(|(group, resources)| resource.group == *group && resources.contains(&&*resource.resource))
}

/// The request as it matches: itself, or a request to an equivalent resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matched {
    /// The resource that a rule names.
    pub resource: GroupVersionResource,
    /// The kind of its objects.
    pub kind: GroupVersionKind,
}

impl Matched {
    /// Returns the request as it is.
    pub fn exactly(attributes: &Attributes) -> Self {
        Self { resource: attributes.resource.clone(), kind: attributes.kind.clone() }
    }
}

/// The reason that a request is not matched.
#[derive(Clone, Debug, PartialEq)]
pub enum Unmatched {
    /// It is not one that the constraints are for.
    Not(Mismatch),
    /// That cannot be known.
    Failed(MatchError),
}

impl From<MatchError> for Unmatched {
    fn from(error: MatchError) -> Self {
        Self::Failed(error)
    }
}

/// The reason that matching a request fails.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MatchError {
    /// A malformed selector.
    #[error("Internal error occurred: {0}")]
    Selector(#[from] SelectorError),
    /// The namespace of the request does not exist.
    #[error("{}", .0.message)]
    Namespace(Box<Status>),
}

/// `matchConstraints` of a policy, `matchResources` of a binding.
#[derive(Clone, Debug)]
pub struct MatchResources {
    namespace_selector: Result<Selector, SelectorError>,
    object_selector: Result<ObjectSelector, SelectorError>,
    rules: Vec<Rule>,
    excluded: Vec<Rule>,
    policy: MatchPolicy,
}

/// Decides which requests configurations are for.
#[derive(Clone, Debug)]
pub struct Matcher {
    cluster: Arc<Cluster>,
    equivalents: Equivalents,
}

impl MatchResources {
    /// Reads a `MatchResources`; absent fields are defaulted.
    pub fn new(resources: &Value) -> Self {
        let selector = |field: &str| match &resources[field] {
            Value::Null => Ok(Selector::everything()),
            selector => Selector::from_label_selector(selector),
        };
        Self {
            namespace_selector: selector("namespaceSelector"),
            object_selector: selector("objectSelector").map(ObjectSelector),
            rules: Rule::named_list(&resources["resourceRules"]),
            excluded: Rule::named_list(&resources["excludeResourceRules"]),
            policy: MatchPolicy::of(resources),
        }
    }

    /// Returns constraints that match every request.
    pub fn everything() -> Self {
        Self::new(&Value::Null)
    }
}

impl Matcher {
    /// Returns a matcher over the namespaces and definitions in `cluster`.
    pub fn new(cluster: Arc<Cluster>, equivalents: Equivalents) -> Self {
        Self { cluster, equivalents }
    }

    /// Returns the request as it matches `resources`.
    ///
    /// # Errors
    ///
    /// Fails if it does not, or if the rules match, and a selector is malformed or cannot be applied.
    pub fn matches(&self, resources: &MatchResources, attributes: &Attributes) -> Result<Matched, Unmatched> {
        let in_namespace = match &resources.namespace_selector {
            // A request without a namespace matches every selector.
            _ if attributes.namespace.is_empty() && attributes.resource.resource != "namespaces" => Ok(true),
            Ok(selector) => {
                matches_namespace(selector, attributes, &self.cluster).map_err(MatchError::Namespace)
            }
            Err(error) => Err(error.clone().into()),
        };
        let is_selected = match &resources.object_selector {
            Ok(selector) => Ok(selector.matches(attributes)),
            Err(error) => Err(MatchError::from(error.clone())),
        };
        // The rules are looked at first: they say most about why a request is not matched.
        let matched = if resources.rules.is_empty() {
            Some(Matched::exactly(attributes))
        } else {
            self.matches_rules(&resources.rules, resources.policy, attributes)
        };
        let Some(matched) = matched else { return Err(Unmatched::Not(Mismatch::Rules)) };
        if in_namespace == Ok(false) {
            return Err(Unmatched::Not(Mismatch::NamespaceSelector));
        }
        if is_selected == Ok(false) {
            return Err(Unmatched::Not(Mismatch::ObjectSelector));
        }
        if self.matches_rules(&resources.excluded, resources.policy, attributes).is_some() {
            return Err(Unmatched::Not(Mismatch::Excluded));
        }
        in_namespace?;
        is_selected?;
        Ok(matched)
    }

    /// Returns the request as it matches one of the rules, if it does: itself first, then the equivalent resources in
    /// the order of the rules.
    pub fn matches_rules(
        &self,
        rules: &[Rule],
        policy: MatchPolicy,
        attributes: &Attributes,
    ) -> Option<Matched> {
        if rules.iter().any(|rule| rule.matches(attributes, &attributes.resource)) {
            return Some(Matched::exactly(attributes));
        }
        if policy == MatchPolicy::Exact || rules.is_empty() {
            return None;
        }
        let equivalents = self.equivalents.of(&attributes.resource, &attributes.sub_resource, &self.cluster);
        rules.iter().find_map(|rule| {
            let others = equivalents.iter().filter(|(resource, _)| *resource != attributes.resource);
            let mut matching = others.filter(|(resource, _)| rule.matches(attributes, resource));
            matching.next().map(|(resource, kind)| Matched { resource: resource.clone(), kind: kind.clone() })
        })
    }
}
