//! The managers that an object names in `metadata.managedFields`, and their effect on an apply.
//!
//! Source: `k8s.io/apimachinery/pkg/util/managedfields`, `sigs.k8s.io/structured-merge-diff/v6/merge`.

use std::borrow::Cow;

use crate::custom_resource::Version;
use crate::merge::Applier;
use crate::merge::field_set::{difference, entries, intersection, is_member, union};
use crate::merge::managed_fields::{BEFORE_FIRST_APPLY, KUBECTL, last_applied_field, of_all, owned};
use crate::merge::part::Part;
use gotext::encoding_json;
use gotext::quote;
use kube_api::secret::LAST_APPLIED;
use kube_api::{GroupVersionKind, Map, Object, Status, StatusCause, StatusDetails, Value};

/// The owners of an object's fields.
pub(super) struct Managers<'a> {
    /// The fields of the applier: those that it applied last, and those that `kubectl` hands over to it.
    pub(super) applied: Option<Map>,
    /// Whether the applier is `kubectl` itself.
    is_kubectl: bool,
    /// Whether the applier gets the fields that are handed over.
    migrates: bool,
    others: Vec<Manager<'a>>,
}

/// Returns the versions in which `object` names managers and into which it cannot be converted: their fields are not
/// known here. `version` is that of a custom resource.
pub fn unknown_versions<'a>(object: &'a Object, version: Option<&Version>) -> Vec<&'a str> {
    let part = Part::of(&object.kind, version);
    let entries = object.list(["metadata", "managedFields"]).iter();
    let versions = entries.filter_map(|entry| entry.get("apiVersion").and_then(Value::as_str));
    let is_unknown = |version: &&str| {
        let kind = GroupVersionKind::from_api_version(version, &object.kind.kind);
        kind != object.kind && !part.is_convertible(&object.kind, &kind)
    };
    let mut others: Vec<_> = versions.filter(is_unknown).collect();
    others.sort_unstable();
    others.dedup();
    others
}

struct Manager<'a> {
    /// Its name in messages.
    name: String,
    /// The kind as which it knows the object.
    kind: GroupVersionKind,
    fields: Cow<'a, Map>,
    /// Whether `kubectl` hands its fields over to the applier after the apply, as it applied the object before, without
    /// `--server-side`.
    is_handed_over: bool,
}

impl<'a> Managers<'a> {
    /// Returns the managers of `object` of its version, as `applier` finds them.
    ///
    /// Source: `migrateToSSAIfNecessary`, `skipNonAppliedManager`
    pub(super) fn of(part: Part, object: &'a Object, applier: Applier<'_>) -> Self {
        let Applier { manager: applier, migrates, sub_resource, .. } = applier;
        let is_kubectl = applier == KUBECTL;
        let mut managers = Self { applied: None, is_kubectl, migrates, others: Vec::new() };
        for entry in object.list(["metadata", "managedFields"]) {
            let text = |field: &str| entry.text(field);
            let Some(fields) = entry.get("fieldsV1").and_then(Value::as_object) else { continue };
            let kind = GroupVersionKind::from_api_version(text("apiVersion"), &object.kind.kind);
            if kind != object.kind && !part.is_convertible(&object.kind, &kind) {
                continue;
            }
            let is_apply = text("operation") == "Apply";
            if is_apply && text("manager") == applier && text("subresource") == sub_resource {
                managers.applied = Some(union(&managers.applied.unwrap_or_default(), fields));
                continue;
            }
            let is_handed_over = (is_kubectl || migrates)
                && !is_apply
                && text("subresource").is_empty()
                && owns_last_applied(fields);
            if is_handed_over && migrates {
                managers.applied = Some(union(&managers.applied.unwrap_or_default(), fields));
            }
            let mut name = quote(text("manager"));
            if !text("subresource").is_empty() {
                name = format!("{name} with subresource {}", quote(text("subresource")));
            }
            if !is_apply {
                name = format!("{name} using {}", text("apiVersion"));
            }
            managers.others.push(Manager { name, kind, fields: Cow::Borrowed(fields), is_handed_over });
        }
        // An object from a server has a uid. One written by hand does not record its managers.
        let is_known = !object.list(["metadata", "managedFields"]).is_empty();
        if !is_known && !object.text(["metadata", "uid"]).is_empty() {
            let name = format!("{} using {}", quote(BEFORE_FIRST_APPLY), object.kind.api_version());
            let fields = Cow::Owned(owned(of_all(object, part)));
            let kind = object.kind.clone();
            managers.others.push(Manager { name, kind, fields, is_handed_over: false });
        }
        // The annotation stays with `kubectl`, under a separate manager.
        if let (true, Some(applied)) = (managers.is_kubectl, &mut managers.applied) {
            *applied = difference(applied, &last_applied_field());
        }
        managers.others.sort_by(|left, right| left.name.cmp(&right.name));
        managers
    }

    /// Forgets the managers whose fields now belong to the applier.
    pub(super) fn hand_over(&mut self) {
        self.others.retain(|manager| !manager.is_handed_over);
    }

    /// Returns the fields that managers other than the applier own; all fields if the object names no manager.
    ///
    /// Source: `skipNonAppliedManager`
    pub(super) fn of_others(&self, part: Part, object: &Object) -> Map {
        if object.list(["metadata", "managedFields"]).is_empty() {
            return of_all(object, part);
        }
        let others = self.others.iter().filter(|manager| !(manager.is_handed_over && self.migrates));
        others.fold(Map::new(), |all, manager| union(&all, &manager.fields))
    }

    /// Returns 409 if `merged` changes fields of other managers, among those that the request has `reached`. Fields that
    /// `kubectl apply` set without `--server-side` may change.
    pub(super) fn conflicts(
        &self,
        part: Part,
        object: &Object,
        merged: &Value,
        reached: impl Fn(Map) -> Map,
    ) -> Result<(), Box<Status>> {
        let Some(changes) = part.changes(Some(&object.value), merged).map(&reached) else { return Ok(()) };
        let allowed = if self.is_kubectl { client_applied(part, object) } else { Map::new() };
        let mut conflicts: Vec<(&str, Vec<String>)> = Vec::new();
        for manager in &self.others {
            let is_of_other = manager.kind != object.kind;
            let merged = is_of_other.then(|| Object::new(object.kind.clone(), merged.clone()));
            let own = merged.and_then(|merged| part.changes_as(&manager.kind, object, &merged));
            let own = own.map(|(changes, _)| reached(changes));
            let fields = intersection(&manager.fields, own.as_ref().unwrap_or(&changes));
            let fields = difference(&fields, &allowed);
            let mut paths = Vec::new();
            collect_paths("", &fields, &mut paths);
            match conflicts.last_mut() {
                _ if paths.is_empty() => {}
                Some((name, before)) if *name == manager.name => before.extend(paths),
                _ => conflicts.push((&manager.name, paths)),
            }
        }
        let count = conflicts.iter().map(|(_, paths)| paths.len()).sum::<usize>();
        let message = match conflicts.as_slice() {
            [] => return Ok(()),
            [(manager, paths)] if count == 1 => {
                format!("Apply failed with 1 conflict: conflict with {manager}: {}", paths.concat())
            }
            several => {
                let of = |(manager, paths): &(&str, Vec<String>)| {
                    format!("conflicts with {manager}:\n- {}", paths.join("\n- "))
                };
                let all: Vec<String> = several.iter().map(of).collect();
                format!("Apply failed with {count} conflicts: {}", all.join("\n"))
            }
        };
        let causes = conflicts.iter().flat_map(|(manager, paths)| {
            paths.iter().map(move |path| StatusCause {
                reason: "FieldManagerConflict".to_owned(),
                message: format!("conflict with {manager}"),
                field: path.clone(),
            })
        });
        let details = StatusDetails { causes: causes.collect(), ..StatusDetails::default() };
        Err(Box::new(Status {
            code: 409,
            reason: "Conflict".to_owned(),
            message,
            details: Some(details),
            ..Status::default()
        }))
    }
}

/// Returns the fields that are as `kubectl apply` set them.
///
/// Source: `lastAppliedManager.allowedConflictsFromLastApplied`
fn client_applied(part: Part, object: &Object) -> Map {
    let text = object.annotation(LAST_APPLIED).unwrap_or_default();
    let Ok(applied) = encoding_json::from_slice(text.as_bytes()) else { return Map::new() };
    if applied["apiVersion"] != object.kind.api_version() {
        return Map::new();
    }
    let differing = part.changes(Some(&object.value), &applied).unwrap_or_default();
    difference(&part.fields(&applied).1, &differing)
}

/// Whether the annotation of `kubectl apply` is among `fields`.
///
/// Source: `FindFieldsOwners`
fn owns_last_applied(fields: &Map) -> bool {
    !intersection(fields, &last_applied_field()).is_empty()
}

/// Returns the fields that `kubectl` owns after it applied `manifest` to an object.
pub(super) fn applied(part: Part, manifest: &Value) -> Map {
    owned(part.fields(manifest).1)
}

/// Collects the fields of a set as messages name them, those of a part before those below it.
fn collect_paths(start: &str, set: &Map, paths: &mut Vec<String>) {
    let members = entries(set).filter(|(_, below)| is_member(below));
    paths.extend(members.map(|(name, _)| format!("{start}{}", step(name))));
    for (name, below) in entries(set) {
        collect_paths(&format!("{start}{}", step(name)), below, paths);
    }
}

pub(crate) fn step(name: &str) -> String {
    match name.split_once(':') {
        Some(("f", field)) => format!(".{field}"),
        Some(("k", keys)) => {
            let keys = encoding_json::from_slice(keys.as_bytes()).unwrap_or_default();
            let pairs = keys.as_object().into_iter().flatten();
            let pairs: Vec<String> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
            format!("[{}]", pairs.join(","))
        }
        Some(("v", value)) => {
            let value = encoding_json::from_slice(value.as_bytes()).unwrap_or_default();
            format!("[={value}]")
        }
        Some((_, index)) => format!("[{index}]"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;
    use crate::merge::{Applied, Applier, apply};

    fn deployment(spec: &Value) -> Value {
        let metadata = json!({"name": "web", "namespace": "shop"});
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec})
    }

    fn containers(containers: &Value) -> Value {
        json!({"template": {"spec": {"containers": containers}}})
    }

    fn manager(manager: &str, operation: &str, spec: &Value) -> Value {
        let fields = json!({"f:spec": spec});
        json!({"manager": manager, "operation": operation, "apiVersion": "apps/v1", "fieldsV1": fields})
    }

    fn managed(mut object: Value, managers: &[Value]) -> Object {
        object["metadata"]["managedFields"] = json!(managers);
        Object::new(GroupVersionKind::new("apps", "v1", "Deployment"), object)
    }

    fn spec_after(existing: &Object, manifest: &Value) -> Result<Value, Box<Status>> {
        apply(existing, &deployment(manifest), Applier::default(), None, None)
            .map(|mut merged| merged.value["spec"].take())
    }

    #[test]
    fn what_was_applied_and_is_nobody_elses_goes() {
        let list =
            json!([{"name": "a", "image": "1", "tty": true, "stdin": true}, {"name": "b", "image": "1"}]);
        let item = json!({".": {}, "f:name": {}, "f:image": {}, "f:tty": {}, "f:stdin": {}});
        let of = |items: Value| json!({"f:template": {"f:spec": {"f:containers": items}}});
        let ours =
            manager("kubectl", "Apply", &of(json!({"k:{\"name\":\"a\"}": item, "k:{\"name\":\"b\"}": item})));
        let theirs = manager(
            "helm",
            "Apply",
            &of(json!({"k:{\"name\":\"a\"}": {".": {}, "f:name": {}, "f:stdin": {}}})),
        );
        let existing = managed(deployment(&containers(&list)), &[ours, theirs]);
        assert_eq!(
            spec_after(&existing, &containers(&json!([{"name": "a", "image": "1"}]))).expect("merges"),
            containers(&json!([{"name": "a", "image": "1", "stdin": true}]))
        );
        assert_eq!(
            spec_after(&existing, &json!({"paused": true})).expect("merges"),
            json!({"paused": true, "template": {"spec": {"containers": [{"name": "a", "stdin": true}]}}})
        );
    }

    #[test]
    fn a_run_knows_what_was_applied() {
        let existing =
            managed(deployment(&json!({"replicas": 3, "paused": true, "minReadySeconds": 1})), &[]);
        let manifest = deployment(&json!({"replicas": 3, "paused": true}));
        let others = json!({"f:spec": {"f:replicas": {}}}).as_object().cloned().unwrap_or_default();
        let before = Applied { manifest, others: others.clone() };
        let merged = apply(&existing, &deployment(&json!({})), Applier::default(), Some(&before), None)
            .expect("merges");
        assert_eq!(merged.value["spec"], json!({"replicas": 3, "minReadySeconds": 1}));
        assert_eq!(merged.others, others);
        let merged =
            apply(&existing, &deployment(&json!({"replicas": 4})), Applier::default(), Some(&before), None)
                .expect("merges");
        assert_eq!(merged.value["spec"], json!({"replicas": 4, "minReadySeconds": 1}));
        assert_eq!(merged.others, Map::new());
    }

    #[test]
    fn managers_of_unknown_versions_are_not_heard() {
        let mut old = manager("scaler", "Update", &json!({"f:replicas": {}}));
        old["apiVersion"] = "apps/v0".into();
        let new = manager("kubectl", "Apply", &json!({"f:paused": {}}));
        let existing = managed(deployment(&json!({"replicas": 3})), &[old, new]);
        assert_eq!(spec_after(&existing, &json!({"replicas": 4})).expect("merges"), json!({"replicas": 4}));
        assert_eq!(unknown_versions(&existing, None), ["apps/v0"]);
    }

    #[test]
    fn managers_of_other_versions_own_what_the_fields_are_there() {
        let kind =
            |version: &'static str| GroupVersionKind::new("autoscaling", version, "HorizontalPodAutoscaler");
        let of_version = |version: &'static str, target: &Value| {
            let mut spec = json!({"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "d"}});
            for (name, value) in target.as_object().expect("an object") {
                spec[name.as_str()] = value.clone();
            }
            let metadata = json!({"name": "a", "namespace": "shop", "managedFields": [{
                "manager": "one",
                "operation": "Update",
                "apiVersion": "autoscaling/v1",
                "fieldsV1": {"f:spec": {"f:maxReplicas": {}, "f:targetCPUUtilizationPercentage": {}}},
            }]});
            let value = json!({
                "apiVersion": format!("autoscaling/{version}"),
                "kind": "HorizontalPodAutoscaler",
                "metadata": metadata,
                "spec": spec,
            });
            Object::new(kind(version), value)
        };
        let metrics = |percentage: i32| {
            let target = json!({"type": "Utilization", "averageUtilization": percentage});
            json!({"metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]})
        };
        let mut manifest = of_version("v2", &metrics(60)).value;
        manifest["metadata"].as_object_mut().expect("an object").remove("managedFields");
        let applier = Applier { manager: "two", migrates: false, ..Applier::default() };
        let existing = of_version("v2", &metrics(50));
        let status = apply(&existing, &manifest, applier, None, None).expect_err("conflicts");
        assert_eq!(
            status.message,
            "Apply failed with 1 conflict: conflict with \"one\" using autoscaling/v1: \
             .spec.targetCPUUtilizationPercentage"
        );
    }

    #[test]
    fn what_others_own_is_a_conflict() {
        let spec =
            json!({"replicas": 3, "template": {"spec": {"containers": [{"name": "a", "image": "1"}]}}});
        let image = json!({"k:{\"name\":\"a\"}": {"f:image": {}}});
        let hand =
            manager("kubectl-edit", "Update", &json!({"f:template": {"f:spec": {"f:containers": image}}}));
        let mut scaler = manager("scaler", "Update", &json!({"f:replicas": {}}));
        scaler["subresource"] = "scale".into();
        let existing = managed(deployment(&spec), &[scaler, hand]);
        assert_eq!(spec_after(&existing, &json!({"replicas": 3})).expect("changes nothing"), spec);
        let status = spec_after(&existing, &json!({"replicas": 4})).expect_err("conflicts");
        assert_eq!(
            status.message,
            "Apply failed with 1 conflict: conflict with \"scaler\" with subresource \"scale\" using apps/v1: \
             .spec.replicas"
        );
        assert_eq!((status.code, status.reason.as_str()), (409, "Conflict"));
        let causes = status.details.expect("has details").causes;
        assert_eq!(
            causes,
            [StatusCause {
                reason: "FieldManagerConflict".to_owned(),
                message: "conflict with \"scaler\" with subresource \"scale\" using apps/v1".to_owned(),
                field: ".spec.replicas".to_owned(),
            }]
        );
        let mut both = containers(&json!([{"name": "a", "image": "2"}]));
        both["replicas"] = 4.into();
        assert_eq!(
            spec_after(&existing, &both).expect_err("conflicts").message,
            "Apply failed with 2 conflicts: conflicts with \"kubectl-edit\" using apps/v1:\n\
             - .spec.template.spec.containers[name=\"a\"].image\n\
             conflicts with \"scaler\" with subresource \"scale\" using apps/v1:\n- .spec.replicas"
        );
    }

    #[test]
    fn what_was_applied_by_the_client_may_be_changed() {
        let client =
            manager("kubectl-client-side-apply", "Update", &json!({"f:replicas": {}, "f:paused": {}}));
        let mut existing = managed(deployment(&json!({"replicas": 3, "paused": true})), &[client]);
        let applied = deployment(&json!({"replicas": 3, "paused": false})).to_string();
        existing.set(["metadata", "annotations"], json!({(LAST_APPLIED): applied}));
        assert_eq!(
            spec_after(&existing, &json!({"replicas": 4})).expect("is allowed"),
            json!({"replicas": 4, "paused": true})
        );
        // That differs from what was applied.
        assert_eq!(
            spec_after(&existing, &json!({"paused": false})).expect_err("conflicts").message,
            "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using apps/v1: .spec.paused"
        );
    }
}
