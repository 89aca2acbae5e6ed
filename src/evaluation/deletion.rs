//! Deletion: when a deleted object is removed, and what is left of it until then.
//!
//! Source: `k8s.io/apiserver/pkg/registry/rest/delete.go`, `k8s.io/apiserver/pkg/registry/generic/registry/store.go`,
//! `podStrategy.CheckGracefulDelete`

use std::sync::Arc;

use crate::admission::{Need, Refusal};
use crate::cluster::authorizer::ResourceAttributes;
use crate::evaluation::options::{IGNORE_READ_ERROR, ignoring_read_error};
use crate::evaluation::server::checks::{GRACE_PERIOD, grace_period};
use crate::evaluation::server::{Call, Server};
use gotext::{quote, time};
use kube_api::features::Feature;
use kube_api::resources::{PRIORITY_CLASSES, SYSTEM_PRIORITY_CLASSES};
use kube_api::version::Version;
use kube_api::{GroupResource, GroupVersionKind, Object, Status, Value, kinds};

const DELETION: &[&str] = &["metadata", "deletionTimestamp"];
const FINALIZERS: &[&str] = &["metadata", "finalizers"];

/// The first release that warns when a Job is deleted without its Pods.
const WARNS_ABOUT_PODS: Version = Version::minor(23);

/// Returns the finalizers of `object` when it is deleted and nothing collects its dependents.
///
/// Source: `deletionFinalizersForGarbageCollection`
fn finalizers_for_garbage_collection(object: &Object, options: Option<&Value>) -> Vec<Value> {
    let option = |field: &str| options.and_then(|options| options.at(field));
    let (given, others): (Vec<Value>, Vec<Value>) =
        object.list(FINALIZERS).iter().cloned().partition(|it| *it == ORPHAN || *it == FOREGROUND);
    let keeps_dependents = object.kind.is(kinds::JOB) || object.kind.is(kinds::REPLICATION_CONTROLLER);
    let added = match (option("orphanDependents"), option("propagationPolicy").and_then(Value::as_str)) {
        (Some(orphans), _) => (*orphans == true).then_some(ORPHAN),
        (None, Some("Orphan")) => Some(ORPHAN),
        (None, Some("Foreground")) => Some(FOREGROUND),
        (None, Some(_)) => None,
        (None, None) if !given.is_empty() => return others.into_iter().chain(given).collect(),
        (None, None) => keeps_dependents.then_some(ORPHAN),
    };
    others.into_iter().chain(added.map(Value::from)).collect()
}

/// The finalizers of the garbage collector.
const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

impl Server<'_> {
    /// Whether `object`, which replaces `old`, has lost the last finalizer.
    ///
    /// Source: `ShouldDeleteDuringUpdate`
    pub(super) fn ends(object: &Object, old: &Object) -> bool {
        object.list(FINALIZERS).is_empty() && grace_period(old) == Some(0)
    }

    /// Returns the error 409 for an object with the name of `existing`.
    pub(super) fn already_exists(existing: &Object, resource: &GroupResource) -> Status {
        let mut status = Status::new_already_exists(resource, existing.name());
        if existing.has(DELETION) {
            status.message.insert_str(0, "object is being deleted: ");
        }
        status
    }

    /// Refuses to delete as unreadable what every object here is not.
    ///
    /// Source: `authorizeUnsafeDelete`, `corruptObjectDeleter`
    pub(super) fn check_unreadable(self, call: &Call) -> Result<(), Refusal> {
        const VERB: &str = "unsafe-delete-ignore-read-errors";
        let is_ignoring = call.options.as_ref().is_some_and(|options| options.flag(IGNORE_READ_ERROR));
        if !is_ignoring || !self.profile.enabled(Feature::AllowUnsafeMalformedObjectDeletion) {
            return Ok(());
        }
        let resource = call.target.group_resource();
        if call.is_of_collection {
            let kind = GroupVersionKind::new("meta.k8s.io", "v1", "DeleteOptions");
            let detail = "is not allowed with DELETECOLLECTION, try again after removing the option";
            return Err(Status::new_invalid(&kind, "", &[ignoring_read_error(detail)]).into());
        }
        let attributes = ResourceAttributes {
            namespace: &call.namespace,
            group: &resource.group,
            resource: &resource.resource,
            sub_resource: "",
            name: &call.name,
        };
        let access = call.user_info.access(VERB, attributes);
        let decision = self.authorizer.authorize(&access);
        if !decision.allowed {
            let error = format!("not permitted to do {}, reason: {}", quote(VERB), decision.reason);
            let status = Status::new_forbidden(&resource, &call.name, &error);
            return Err(Refusal::from(status).needing(access.right().map(Need::Right)));
        }
        let kind = GroupVersionKind::new(resource.group.clone(), "", resource.resource.clone());
        let detail = "is exclusively used to delete corrupt object(s), try again by removing this option";
        Err(Status::new_invalid(&kind, &call.name, &[ignoring_read_error(detail)]).into())
    }

    /// Refuses to delete the PriorityClasses of the server, unless they are deleted together with others.
    ///
    /// Source: `pkg/registry/scheduling/priorityclass/storage`
    pub(super) fn check_system_class(call: &Call) -> Result<(), Refusal> {
        let resource = call.target.group_resource();
        let is_system_class =
            resource == PRIORITY_CLASSES && SYSTEM_PRIORITY_CLASSES.contains(&call.name.as_str());
        if !is_system_class || call.is_of_collection {
            return Ok(());
        }
        let error = "this is a system priority class and cannot be deleted";
        Err(Status::new_forbidden(&resource, &call.name, error).into())
    }

    /// Returns the warning about the Pods that stay when a Job is deleted and the options do not say what happens to
    /// them.
    ///
    /// Source: `pkg/registry/batch/job/storage`
    pub(super) fn deletion_warning(
        self,
        resource: &GroupResource,
        options: Option<&Value>,
    ) -> Option<String> {
        let is_set = |field: &str| options.is_some_and(|options| !options[field].is_null());
        let warns = (&*resource.group, &*resource.resource) == ("batch", "jobs")
            && self.profile.release() >= WARNS_ABOUT_PODS
            && !is_set("propagationPolicy")
            && !is_set("orphanDependents");
        warns.then(|| {
            "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them \
             or set propagationPolicy=Orphan to suppress this warning"
                .to_owned()
        })
    }

    /// Removes an object. One with finalizers stays until they are gone, and a Pod on a node until the kubelet has
    /// stopped it; a Namespace terminates first.
    pub(super) fn remove(self, resource: &GroupResource, old_object: &Arc<Object>, options: Option<&Value>) {
        let mut rest = Object::clone(old_object);
        if old_object.kind.is(kinds::NAMESPACE) {
            rest.set(["status", "phase"], "Terminating");
            rest.insert_default(DELETION, &*self.now());
            return self.cluster.put(resource, Arc::new(rest));
        }
        let finalizers = if self.has_kubelets {
            old_object.list(FINALIZERS).to_vec()
        } else {
            finalizers_for_garbage_collection(old_object, options)
        };
        let has_finalizers = !finalizers.is_empty();
        if has_finalizers {
            rest.set(FINALIZERS, finalizers);
        }
        let waits = old_object.kind.is(kinds::POD) && !self.has_kubelets;
        let grace = if waits { pod_grace_period(old_object, options) } else { 0 };
        if !has_finalizers && grace == 0 {
            self.cluster.remove(resource, old_object.namespace(), old_object.name());
            return;
        }
        let is_shorter = grace_period(old_object).is_none_or(|before| grace < before);
        if is_shorter {
            rest.set(DELETION, time::after(&self.now(), grace));
            rest.set(GRACE_PERIOD, grace);
            // Changes of other kinds are counted when they are stored.
            let generation = old_object.int(["metadata", "generation"]);
            if old_object.kind.is(kinds::POD) && !old_object.has(DELETION) && generation > 0 {
                rest.set(["metadata", "generation"], generation + 1);
            }
        }
        self.cluster.put(resource, Arc::new(rest));
    }
}

/// Returns the grace period of a Pod.
///
/// Source: `podStrategy.CheckGracefulDelete`
fn pod_grace_period(pod: &Object, options: Option<&Value>) -> i64 {
    let given = options.and_then(|options| options.get("gracePeriodSeconds")).and_then(Value::as_i64);
    let own = || pod.at(["spec", "terminationGracePeriodSeconds"]).and_then(Value::as_i64);
    let is_over = matches!(pod.text(["status", "phase"]), "Failed" | "Succeeded");
    match given.or_else(own).unwrap_or(0) {
        _ if pod.text(["spec", "nodeName"]).is_empty() || is_over => 0,
        ..0 => 1,
        period => period,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    fn object(kind: (&'static str, &'static str), value: Value) -> Object {
        Object::new(GroupVersionKind::new(kind.0, "v1", kind.1), value)
    }

    #[test]
    fn dependents_are_waited_for_as_the_options_and_the_kind_say() {
        let finalizers = |kind, given: Value, options: Value| {
            let object = object(kind, json!({"metadata": {"finalizers": given}}));
            Value::from(finalizers_for_garbage_collection(&object, Some(&options)))
        };
        let (job, secret) = (("batch", "Job"), ("", "Secret"));
        let policy = |policy| json!({"propagationPolicy": policy});
        assert_eq!(finalizers(secret, json!([]), json!({})), json!([]));
        assert_eq!(
            finalizers(secret, json!(["a/b"]), policy("Foreground")),
            json!(["a/b", "foregroundDeletion"])
        );
        assert_eq!(
            finalizers(secret, json!(["foregroundDeletion", "a/b"]), policy("Orphan")),
            json!(["a/b", "orphan"])
        );
        assert_eq!(finalizers(secret, json!(["orphan"]), json!({})), json!(["orphan"]));
        assert_eq!(finalizers(secret, json!(["orphan"]), json!({"orphanDependents": false})), json!([]));
        assert_eq!(finalizers(job, json!([]), json!({})), json!(["orphan"]));
        assert_eq!(finalizers(job, json!([]), policy("Background")), json!([]));
    }
}
