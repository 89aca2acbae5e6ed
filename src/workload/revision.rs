//! `ControllerRevisions`: the templates that a `StatefulSet` or `DaemonSet` had.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/history`.

use gotext::value::json;

use crate::workload::owned::{make, template_hash};
use crate::workload::{Event, Reaction, Template, pod};
use kube_api::{GroupVersionKind, Object, Value};

/// The label with the revision of a pod.
pub(super) const LABEL: &str = "controller-revision-hash";

const NAME_LENGTH: usize = 223;

/// Returns the value of [`LABEL`] for the template that `owner` has, which is also the name of the revision.
pub(super) fn name(owner: &Object) -> String {
    let hash = template_hash(owner.at(["spec", "template"]));
    let prefix: String = owner.name().chars().take(NAME_LENGTH).collect();
    format!("{prefix}-{hash}")
}

/// Creates the revision of a new template. `label` is the key under which the kind writes its hash.
pub(super) fn react(event: &Event<'_>, label: &str) -> Option<Reaction> {
    let owner = event.object;
    if event.old_object.is_some_and(|old| pod::template(old) == pod::template(owner)) {
        return None;
    }
    let kind = GroupVersionKind::new("apps", "v1", "ControllerRevision");
    let mut revision = make(owner, kind, &json!({"name": name(owner)}));
    let template = pod::template(owner);
    let labels = template.pointer("/metadata/labels").cloned().unwrap_or_else(|| json!({}));
    revision.set(["metadata", "labels"], labels);
    revision.set(["metadata", "labels", label], template_hash(Some(template)));
    if let Some(annotations) = owner.at(["metadata", "annotations"]) {
        revision.set(["metadata", "annotations"], annotations.clone());
    }
    let mut template = template.clone();
    if let Value::Object(template) = &mut template {
        template.insert("$patch".to_owned(), Value::from("replace"));
    }
    revision.set(["data"], json!({"spec": {"template": template}}));
    revision.set(["revision"], owner.at(["metadata", "generation"]).cloned().unwrap_or_else(|| json!(1)));
    Some(Reaction::of_one(Template { object: revision, path: None }))
}
