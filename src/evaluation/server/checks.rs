//! The checks of a request that are the same for every kind.

use std::borrow::Cow;
use std::num::IntErrorKind;
use std::sync::Arc;

use crate::admission::{Attributes, Refusal};
use crate::evaluation::server::{Call, storage_key};
use crate::evaluation::target::Target;
use gotext::quote;
use kube_api::distribution::Distribution;
use kube_api::field::{self, Path};
use kube_api::kinds;
use kube_api::resources::{NAMESPACES, PODS};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupResource, GroupVersionKind, Object, Status, Value};

/// Source: `rest.EnsureObjectNamespaceMatchesRequestNamespace`.
pub(super) fn ensure_namespace(body: &mut Object, call: &Call) -> Result<(), Refusal> {
    let namespace = body.namespace();
    let is_absent = namespace.is_empty();
    if namespace == call.namespace && !is_absent || body.at("metadata").is_none() {
        return Ok(());
    }
    if call.namespace.is_empty() {
        body.remove(["metadata", "namespace"]);
    } else if is_absent {
        body.set(["metadata", "namespace"], call.namespace.as_str());
    } else {
        let refusal = Refusal::from(Status::new_bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
        return Err(refusal.at(Path::new("metadata.namespace")));
    }
    Ok(())
}

/// Source: `checkName` of the update handler.
pub(super) fn check_name(body: &Object, call: &Call) -> Result<(), Refusal> {
    let message = match body.name() {
        name if name == call.name => return Ok(()),
        "" => format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            call.name
        ),
        name => {
            format!("the name of the object ({name}) does not match the name on the URL ({})", call.name)
        }
    };
    Err(Refusal::from(Status::new_bad_request(message)).at(Path::new("metadata.name")))
}

/// Checks the UID in the body of an update.
pub(super) fn check_uid(
    body: &Object,
    stored: &Object,
    call: &Call,
    storage: (&str, Option<String>),
) -> Result<(), Refusal> {
    let key = storage_key::of(call, storage);
    check_stored(("UID", "uid"), body, stored, &call.target.group_resource(), &key)
}

/// Checks what a binding says about its Pod, which is stored below `prefix`.
///
/// Source: `BindingREST.setPodNodeAndMetadata`
pub(super) fn check_bound(binding: &Object, pod: &Object, prefix: &str) -> Result<(), Refusal> {
    let key = format!("{prefix}/pods/{}/{}", pod.namespace(), pod.name());
    let preconditions = [("UID", "uid"), ("ResourceVersion", "resourceVersion")];
    preconditions.into_iter().try_for_each(|what| check_stored(what, binding, pod, &PODS, &key))
}

/// Whether a value that a request gives is not the known one. Without one of them nothing is compared.
pub(in crate::evaluation) fn contradicts(given: &str, known: &str) -> bool {
    !given.is_empty() && !known.is_empty() && given != known
}

/// Source: `Preconditions.Check` of `k8s.io/apiserver/pkg/storage`
fn check_stored(
    (what, field): (&str, &'static str),
    body: &Object,
    stored: &Object,
    resource: &GroupResource,
    key: &str,
) -> Result<(), Refusal> {
    let path = ["metadata", field];
    let (given, known) = (body.text(path), stored.text(path));
    if !contradicts(given, known) {
        return Ok(());
    }
    let error = format!(
        "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition \
         failed: {what} in precondition: {given}, {what} in object meta: {known}"
    );
    let status = Status::new_conflict(resource, stored.name(), &error);
    Err(Refusal::from(status).at(Path::new("metadata").child(field)))
}

/// Returns the object with the version of the stored one, which an update without a version implies.
pub(super) fn with_version<'a>(object: &'a Arc<Object>, stored: &Object) -> Cow<'a, Object> {
    if !object.text(RESOURCE_VERSION).is_empty() {
        return Cow::Borrowed(object);
    }
    let mut versioned = Object::clone(object);
    let version = Some(stored.text(RESOURCE_VERSION)).filter(|version| !version.is_empty());
    versioned.set(RESOURCE_VERSION, version.unwrap_or("1"));
    Cow::Owned(versioned)
}

const RESOURCE_VERSION: &[&str] = &["metadata", "resourceVersion"];

/// Checks the version that an update is based on. A few kinds require one.
///
/// Source: `Store.Update`
pub(super) fn check_resource_version(
    attributes: &Attributes,
    old_object: &Object,
    call: &Call,
    profile: &ServerProfile,
) -> Result<(), Refusal> {
    let given = attributes.object.as_deref().map_or("", |object| object.text(RESOURCE_VERSION));
    let stored = old_object.text(RESOURCE_VERSION);
    let refuse = |status: Status| Err(Refusal::from(status).at(Path::new("metadata.resourceVersion")));
    let resource = call.target.group_resource();
    if matches!(given, "" | "0") {
        let strategy = &call.target.strategy;
        // What OpenShift serves is known from its plugins alone, and they do not look at versions.
        let is_unchecked =
            profile.distribution() != Distribution::Kubernetes && strategy.definition().is_some();
        // The object of a scale keeps its version unless the scale has one.
        let is_scale = call.sub_resource == "scale";
        if call.knows_version || is_scale || is_unchecked || strategy.allows_unconditional_update() {
            return Ok(());
        }
        // A number without a sign, which Go's syntax has in hexadecimal.
        let zero = if profile.release() < Version::minor(34) { "0x0" } else { "0" };
        let path = Path::new("metadata.resourceVersion");
        let error = field::Error::invalid_printed(&path, zero, "must be specified for an update");
        // Upstream names the resource instead of the kind.
        let kind = GroupVersionKind::new(resource.group, "", resource.resource);
        return refuse(Status::new_invalid(&kind, &attributes.name, &[error]));
    }
    if stored.is_empty() || given == stored {
        return Ok(());
    }
    if let Err(error) = given.parse::<u64>() {
        let reason = match error.kind() {
            IntErrorKind::PosOverflow => "value out of range",
            _ => "invalid syntax",
        };
        return refuse(Status::from_error(format!("strconv.ParseUint: parsing {}: {reason}", quote(given))));
    }
    let error = "the object has been modified; please apply your changes to the latest version and try again";
    refuse(Status::new_conflict(&resource, &attributes.name, error))
}

/// Checks the preconditions in the options of a delete; `kind` is what the server calls the object.
///
/// Source: `rest.BeforeDelete`
pub(in crate::evaluation) fn check_preconditions(
    options: Option<&Value>,
    kind: &GroupResource,
    name: &str,
    old_object: &Object,
) -> Result<(), Refusal> {
    unmet_preconditions(options, old_object).try_for_each(|(what, wanted, stored)| {
        let happened = if what == "UID" { "deleted and then recreated" } else { "modified" };
        let error = format!(
            "the {what} in the precondition ({wanted}) does not match the {what} in record ({stored}). \
             The object might have been {happened}"
        );
        Err(Status::new_conflict(kind, name, &error).into())
    })
}

/// Checks the preconditions in the options of the delete of a Namespace.
///
/// Source: `REST.Delete` of `k8s.io/kubernetes/pkg/registry/core/namespace/storage`
pub(super) fn check_namespace_preconditions(
    options: Option<&Value>,
    namespace: &Object,
) -> Result<(), Refusal> {
    unmet_preconditions(options, namespace).try_for_each(|(what, wanted, stored)| {
        let error =
            format!("Precondition failed: {what} in precondition: {wanted}, {what} in object meta: {stored}");
        Err(Status::new_conflict(&NAMESPACES, namespace.name(), &error).into())
    })
}

/// Returns what the options of a delete want of the object and is not so: its name, the value, and the object's.
fn unmet_preconditions<'a>(
    options: Option<&'a Value>,
    object: &'a Object,
) -> impl Iterator<Item = (&'static str, &'a str, &'a str)> {
    let preconditions = [("uid", "UID"), ("resourceVersion", "ResourceVersion")];
    preconditions.into_iter().filter_map(move |(field, what)| {
        let wanted = options?.at(["preconditions", field])?.as_str()?;
        let stored = object.text(["metadata", field]);
        (wanted != stored).then_some((what, wanted, stored))
    })
}

/// Whether a delete of `object` changes nothing and passes no plugin: the Namespace terminates, or the Pod is being deleted
/// and gets no shorter time for that.
///
/// Source: `rest.BeforeDelete`, `REST.Delete` of `k8s.io/kubernetes/pkg/registry/core/namespace/storage`
pub(super) fn is_pending(object: &Object, options: Option<&Value>) -> bool {
    if object.kind.is(kinds::NAMESPACE) {
        // As long as it has `spec.finalizers`, which every Namespace has until it is gone.
        return object.text(["status", "phase"]) == "Terminating";
    }
    let given = options.and_then(|options| options.at("gracePeriodSeconds")?.as_i64());
    // A Pod without any time left waits for finalizers alone, which another deletion may change.
    let before = grace_period(object).filter(|before| *before > 0);
    before.is_some_and(|before| given.is_none_or(|given| given >= before))
        && object.kind.is(kinds::POD)
        && object.has(["metadata", "deletionTimestamp"])
}

/// The seconds that a deleted object has until it is removed.
pub(in crate::evaluation) const GRACE_PERIOD: &[&str] = &["metadata", "deletionGracePeriodSeconds"];

/// Returns the grace period of an object that is being deleted.
pub(in crate::evaluation) fn grace_period(object: &Object) -> Option<i64> {
    object.at(GRACE_PERIOD).and_then(Value::as_i64)
}

pub(in crate::evaluation) fn refuse_invalid(
    target: &Target,
    object: &Object,
    errors: &[field::Error],
    release: Version,
) -> Result<(), Refusal> {
    if errors.is_empty() {
        return Ok(());
    }
    let kind = kube_registry::kind_in_refusals(&object.kind, release);
    let status = target.strategy.refusal(&kind, object.name(), errors);
    let refusal = Refusal::from(status).at_all(errors.iter().filter_map(|error| error.path.clone()));
    Err(Refusal { errors: errors.to_vec(), ..refusal })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn preconditions_of_namespaces_are_phrased_otherwise() {
        let object = |kind: &'static str| {
            let metadata = json!({"name": "shop", "uid": "1", "resourceVersion": "7"});
            Object::new(GroupVersionKind::new("", "v1", kind), json!({"metadata": metadata}))
        };
        let options = |field: &str, value: &str| json!({"preconditions": {field: value}});
        let message = |result: Result<(), Refusal>| result.unwrap_err().status.message;
        let of_secret = |options: &Value| {
            let kind = GroupResource::new("", "Secret");
            message(check_preconditions(Some(options), &kind, "shop", &object("Secret")))
        };
        let of_namespace =
            |options: &Value| message(check_namespace_preconditions(Some(options), &object("Namespace")));
        assert_eq!(
            of_secret(&options("uid", "2")),
            "Operation cannot be fulfilled on Secret \"shop\": the UID in the precondition (2) does not match the UID in \
             record (1). The object might have been deleted and then recreated"
        );
        assert_eq!(
            of_secret(&options("resourceVersion", "8")),
            "Operation cannot be fulfilled on Secret \"shop\": the ResourceVersion in the precondition (8) does not match \
             the ResourceVersion in record (7). The object might have been modified"
        );
        assert_eq!(
            of_namespace(&options("uid", "2")),
            "Operation cannot be fulfilled on namespaces \"shop\": Precondition failed: UID in precondition: 2, UID in \
             object meta: 1"
        );
        assert_eq!(
            of_namespace(&options("resourceVersion", "8")),
            "Operation cannot be fulfilled on namespaces \"shop\": Precondition failed: ResourceVersion in precondition: \
             8, ResourceVersion in object meta: 7"
        );
        assert_eq!(check_namespace_preconditions(Some(&options("uid", "1")), &object("Namespace")), Ok(()));
    }

    fn object(kind: &'static str, value: Value) -> Object {
        Object::new(GroupVersionKind::new("", "v1", kind), value)
    }

    #[test]
    fn a_pod_is_deleted_again_only_if_it_gets_less_time() {
        let pod = |metadata: Value| object("Pod", json!({"metadata": metadata}));
        let deleted = json!({"deletionTimestamp": "2026-01-01T00:00:30Z", "deletionGracePeriodSeconds": 30});
        let seconds = |seconds: i64| json!({"gracePeriodSeconds": seconds});
        assert!(!is_pending(&pod(json!({})), None));
        assert!(is_pending(&pod(deleted.clone()), None));
        assert!(is_pending(&pod(deleted.clone()), Some(&seconds(30))));
        assert!(!is_pending(&pod(deleted), Some(&seconds(29))));
        let without_grace = pod(json!({"deletionTimestamp": "2026-01-01T00:00:30Z"}));
        assert!(!is_pending(&without_grace, Some(&seconds(0))));
        let secret = object("Secret", without_grace.value.clone());
        assert!(!is_pending(&secret, None));
    }

    #[test]
    fn a_terminating_namespace_is_not_deleted_again() {
        let namespace = |phase| object("Namespace", json!({"status": {"phase": phase}}));
        assert!(is_pending(&namespace("Terminating"), None));
        assert!(!is_pending(&namespace("Active"), None));
    }

    #[test]
    fn a_binding_names_its_pod() {
        let pod = |metadata: Value| {
            Object::new(GroupVersionKind::new("", "v1", "Pod"), json!({"metadata": metadata}))
        };
        let stored = pod(json!({"name": "web", "namespace": "shop", "uid": "1", "resourceVersion": "7"}));
        let message = |binding: Value, prefix| {
            check_bound(&pod(binding), &stored, prefix).map_err(|refusal| refusal.status.message).err()
        };
        assert_eq!(message(json!({"uid": "1", "resourceVersion": "7"}), ""), None);
        assert_eq!(
            message(json!({"uid": "2"}), "/registry").as_deref(),
            Some(
                "Operation cannot be fulfilled on pods \"web\": StorageError: invalid object, Code: 4, Key: \
                 /registry/pods/shop/web, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in \
                 precondition: 2, UID in object meta: 1"
            )
        );
        assert_eq!(
            message(json!({"resourceVersion": "8"}), "").as_deref(),
            Some(
                "Operation cannot be fulfilled on pods \"web\": StorageError: invalid object, Code: 4, Key: \
                 /pods/shop/web, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in \
                 precondition: 8, ResourceVersion in object meta: 7"
            )
        );
    }
}
