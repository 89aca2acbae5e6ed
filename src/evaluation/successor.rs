//! Checks whether a document of a kind that is gone is valid for the replacing kind, if its `apiVersion` is changed and
//! fields that moved are moved, and what that changes.

use std::fmt;

use gotext::change::{Change, in_order};
use gotext::source::{Data, Node};
use kube_api::decode::{DecodeContext, FieldValidation};
use kube_api::diff::{self, PatchOperation};
use kube_api::resource::{self, Lifetime};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Object, Value};
use kube_registry::{Context, stored};

/// The number of fields that advice names.
const MAX_FIELDS: usize = 3;

/// The version with which the server accepts a document, if fields that moved are moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Successor {
    /// The `apiVersion`.
    pub api_version: String,
    /// What differs although the text does not: `spec.revisionHistoryLimit: 2147483647 → 10`.
    pub differences: Vec<String>,
    /// The fields that moved, which have to be changed as well.
    pub moved: Vec<Change>,
}

impl fmt::Display for Successor {
    /// Formats it as advice.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = &self.api_version;
        if self.moved.is_empty() {
            write!(formatter, "only `apiVersion: {version}` has to be changed")?;
        } else {
            write!(formatter, "`kadmit fix` changes it to `apiVersion: {version}` and moves the fields")?;
        }
        if self.differences.is_empty() {
            return Ok(());
        }
        let shown =
            self.differences.iter().take(MAX_FIELDS).map(String::as_str).collect::<Vec<_>>().join(", ");
        write!(formatter, ", which changes {shown}")?;
        match self.differences.len().saturating_sub(MAX_FIELDS) {
            0 => Ok(()),
            more => write!(formatter, " and {more} more"),
        }
    }
}

/// Returns the version with which the server accepts `node`, a document of a `kind` that it does not serve: all fields
/// are those of the successor, or moved there, and none is missing.
pub(super) fn of(node: &Node, kind: &GroupVersionKind, profile: &ServerProfile) -> Option<Successor> {
    let successor = resource::replacement(kind, profile.release())?.kind;
    if successor.kind != kind.kind {
        return None;
    }
    let (moved, edited) = if is_valid(node, &successor, profile) {
        (Vec::new(), node.clone())
    } else {
        let moved = stored::moved_fields(&node.clone().into_value(), kind, &successor);
        let edited = edited(node, &moved).filter(|_| !moved.is_empty())?;
        if !is_valid(&edited, &successor, profile) {
            return None;
        }
        let moved = needed(moved, node, &edited, |node| read_as(node, &successor, profile));
        (moved, edited)
    };
    let differences = differences(node, kind, (&edited, &successor)).unwrap_or_default();
    Some(Successor { api_version: successor.api_version(), differences, moved })
}

/// Returns `node` with `changes`, if each of them can be made.
fn edited(node: &Node, changes: &[Change]) -> Option<Node> {
    let mut value = node.clone().into_value();
    let is_changed = in_order(changes).all(|change| change.apply(&mut value));
    is_changed.then(|| Node::from(value))
}

/// Returns `changes` without those that write what a server that reads `node` fills in anyway.
fn needed(
    mut changes: Vec<Change>,
    node: &Node,
    whole: &Node,
    read: impl Fn(&Node) -> Option<Object>,
) -> Vec<Change> {
    let whole = read(whole);
    for index in (0..changes.len()).rev() {
        let mut rest = changes.clone();
        rest.remove(index);
        if edited(node, &rest).is_some_and(|edited| read(&edited) == whole) {
            changes = rest;
        }
    }
    changes
}

/// Returns what the last release that has both versions stores differently: their defaults are not the same.
fn differences(
    node: &Node,
    kind: &GroupVersionKind,
    (edited, successor): (&Node, &GroupVersionKind),
) -> Option<Vec<String>> {
    let lifetime = Lifetime::of(kind)?;
    let release = Version::minor(lifetime.default_until.or(lifetime.until)?);
    resource::by_kind_in(release, successor)?;
    let gates = ServerProfile::of_release(release, []);
    let before = stored::as_kind(&read_as(node, kind, &gates)?, successor).value;
    let after = stored::as_kind(&read_as(edited, successor, &gates)?, successor).value;
    let mut found: Vec<String> = diff::json_patch(&before, &after)
        .iter()
        .filter_map(|operation| in_words(operation, &before))
        .collect();
    found.extend(stored::other_meaning(kind, &after).map(str::to_owned));
    Some(found)
}

fn in_words(operation: &PatchOperation, before: &Value) -> Option<String> {
    let pointer = operation.path();
    let path = pointer.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~");
    if ["apiVersion", "kind"].contains(&&*path) || path.starts_with("status.") {
        return None;
    }
    let was = before.pointer(pointer);
    // Servers write some unset fields as null.
    if was.is_none_or(Value::is_null) && operation.value().is_none_or(Value::is_null) {
        return None;
    }
    let was = was.map_or_else(|| "unset".to_owned(), ToString::to_string);
    let is = operation.value().map_or_else(|| "unset".to_owned(), ToString::to_string);
    Some(format!("{path}: {was} → {is}"))
}

/// Reads `node` as an object of `kind`.
fn read_as(node: &Node, kind: &GroupVersionKind, profile: &ServerProfile) -> Option<Object> {
    let mut node = node.clone();
    let Data::Object(entries) = &mut node.data else { return None };
    let entry = entries.iter_mut().find(|entry| entry.key == "apiVersion")?;
    entry.value.data = Data::String(kind.api_version().into());
    let context =
        DecodeContext { kind, field_validation: FieldValidation::Strict, strict_errors: &[], body: "" };
    kube_registry::read(node, &context, profile, kube_registry::NOW).ok().map(|read| read.object)
}

/// Whether the server accepts `node` as an object of `successor`.
fn is_valid(node: &Node, successor: &GroupVersionKind, profile: &ServerProfile) -> bool {
    let Some(strategy) = kube_registry::of(successor) else { return false };
    let (Some(mut object), Some(resource)) =
        (read_as(node, successor, profile), resource::by_kind_in(profile.release(), successor))
    else {
        return false;
    };
    if resource.namespaced && object.namespace().is_empty() {
        object.set(["metadata", "namespace"], "default");
    }
    let context = Context::new(profile);
    strategy.prepare_for_create(&mut object, &context);
    strategy.validate_create(&object, &context).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn advice(api_version: &str, kind: &str, rest: &str) -> String {
        let text = format!(
            "{{\"apiVersion\": \"{api_version}\", \"kind\": \"{kind}\", \"metadata\": {{\"name\": \"a\"}}, {rest}}}"
        );
        let node = kube_yaml::read_json(&text).expect("a document").node;
        let kind = GroupVersionKind::from_api_version(api_version, kind);
        let successor = of(&node, &kind, &ServerProfile::default());
        successor.map(|successor| successor.to_string()).unwrap_or_default()
    }

    #[test]
    fn names_the_defaults_that_another_version_changes() {
        let spec = r#""spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "a", "image": "b"}]}}}"#;
        assert_eq!(
            advice("extensions/v1beta1", "Deployment", spec),
            "only `apiVersion: apps/v1` has to be changed, which changes metadata.labels: {\"a\":\"b\"} → unset, \
             spec.progressDeadlineSeconds: 2147483647 → 600, spec.revisionHistoryLimit: 2147483647 → 10 and 2 more"
        );
        assert_eq!(
            advice("rbac.authorization.k8s.io/v1beta1", "ClusterRole", r#""rules": []"#),
            "only `apiVersion: rbac.authorization.k8s.io/v1` has to be changed"
        );
        assert_eq!(advice("extensions/v1beta1", "Deployment", r#""spec": {}"#), "");
    }

    #[test]
    fn the_schema_of_a_definition_moves_into_its_version() {
        let text = r#"{"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "as.example.com"}, "spec": {"group": "example.com", "version": "v1",
            "scope": "Namespaced", "names": {"plural": "as", "kind": "A"},
            "validation": {"openAPIV3Schema": {"type": "object"}}}}"#;
        let node = kube_yaml::read_json(text).expect("a document").node;
        let kind = GroupVersionKind::new("apiextensions.k8s.io", "v1beta1", "CustomResourceDefinition");
        let successor = of(&node, &kind, &ServerProfile::default()).expect("a successor");
        let mut value = node.into_value();
        assert!(in_order(&successor.moved).all(|change| change.apply(&mut value)));
        assert_eq!(
            value["spec"],
            json!({
                "group": "example.com", "scope": "Namespaced", "names": {"plural": "as", "kind": "A"},
                "versions": [{
                    "name": "v1", "served": true, "storage": true,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                }],
            })
        );
    }

    #[test]
    fn fields_that_moved_are_moved() {
        let spec = r#""spec": {"backend": {"serviceName": "a", "servicePort": 80}, "rules": [{"http": {"paths": [
            {"path": "/", "backend": {"serviceName": "b", "servicePort": "web"}}]}}]}"#;
        let text = format!(
            "{{\"apiVersion\": \"extensions/v1beta1\", \"kind\": \"Ingress\", \"metadata\": {{\"name\": \"a\"}}, {spec}}}"
        );
        let node = kube_yaml::read_json(&text).expect("a document").node;
        let kind = GroupVersionKind::new("extensions", "v1beta1", "Ingress");
        let successor = of(&node, &kind, &ServerProfile::default()).expect("a successor");
        assert_eq!(
            successor.to_string(),
            "`kadmit fix` changes it to `apiVersion: networking.k8s.io/v1` and moves the fields"
        );
        let mut value = node.into_value();
        assert!(in_order(&successor.moved).all(|change| change.apply(&mut value)));
        assert_eq!(
            value["spec"],
            json!({
                "defaultBackend": {"service": {"name": "a", "port": {"number": 80}}},
                "rules": [{"http": {"paths": [{
                    "path": "/", "pathType": "ImplementationSpecific",
                    "backend": {"service": {"name": "b", "port": {"name": "web"}}},
                }]}}],
            })
        );
        let metrics = r#""spec": {"maxReplicas": 3, "metrics": [
            {"type": "Resource", "resource": {"name": "cpu", "targetAverageUtilization": 60}}],
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}}"#;
        assert_eq!(
            advice("autoscaling/v2beta1", "HorizontalPodAutoscaler", metrics),
            "`kadmit fix` changes it to `apiVersion: autoscaling/v2` and moves the fields"
        );
    }

    #[test]
    fn an_empty_selector_of_a_budget_selects_other_pods() {
        assert_eq!(
            advice("policy/v1beta1", "PodDisruptionBudget", r#""spec": {"minAvailable": 1, "selector": {}}"#),
            "only `apiVersion: policy/v1` has to be changed, which changes the empty selector, which selected no pod \
             and now selects all"
        );
    }
}
