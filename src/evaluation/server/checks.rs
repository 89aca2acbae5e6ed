//! The checks of a request that are the same for every kind.

use std::borrow::Cow;
use std::sync::Arc;

use crate::admission::{Attributes, Refusal};
use crate::evaluation::server::{Call, storage_key};
use crate::evaluation::target::Target;
use kube_api::field::{self, Path};
use kube_api::version::Version;
use kube_api::{GroupResource, Object, Status, Value};

/// Source: `rest.EnsureObjectNamespaceMatchesRequestNamespace`.
pub(super) fn ensure_namespace(body: &mut Object, call: &Call) -> Result<(), Refusal> {
    if body.at("metadata").is_none() {
        return Ok(());
    }
    if call.namespace.is_empty() {
        body.remove(["metadata", "namespace"]);
    } else if body.namespace().is_empty() {
        body.set(["metadata", "namespace"], call.namespace.as_str());
    } else if body.namespace() != call.namespace {
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

pub(super) fn check_uid(
    body: &Object,
    old_object: &Object,
    call: &Call,
    storage: (&str, Option<String>),
) -> Result<(), Refusal> {
    let uid = body.text(["metadata", "uid"]);
    let stored = old_object.text(["metadata", "uid"]);
    if uid.is_empty() || stored.is_empty() || uid == stored {
        return Ok(());
    }
    let resource = call.target.group_resource();
    let key = storage_key::of(call, storage);
    let error = format!(
        "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition \
         failed: UID in precondition: {uid}, UID in object meta: {stored}"
    );
    let status = Status::new_conflict(&resource, &call.name, &error);
    Err(Refusal::from(status).at(Path::new("metadata.uid")))
}

/// Returns the object with the version of the stored one, which an update without a version implies. A few kinds
/// require an explicit version.
pub(super) fn with_version<'a>(object: &'a Arc<Object>, stored: &Object, call: &Call) -> Cow<'a, Object> {
    const PATH: &[&str] = &["metadata", "resourceVersion"];
    let is_known = call.knows_version || call.target.strategy.allows_unconditional_update();
    if !is_known || !object.text(PATH).is_empty() {
        return Cow::Borrowed(object);
    }
    let mut versioned = Object::clone(object);
    let version = Some(stored.text(PATH)).filter(|version| !version.is_empty());
    versioned.set(PATH, version.unwrap_or("1"));
    Cow::Owned(versioned)
}

pub(super) fn check_resource_version(
    attributes: &Attributes,
    old_object: &Object,
    resource: &GroupResource,
) -> Result<(), Refusal> {
    let path = ["metadata", "resourceVersion"];
    let given = attributes.object.as_deref().map_or("", |object| object.text(path));
    let stored = old_object.text(path);
    if given.is_empty() || stored.is_empty() || given == stored {
        return Ok(());
    }
    let error = "the object has been modified; please apply your changes to the latest version and try again";
    let status = Status::new_conflict(resource, &attributes.name, error);
    Err(Refusal::from(status).at(Path::new("metadata.resourceVersion")))
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
    let options = options.unwrap_or(&Value::Null);
    let preconditions =
        [("uid", "UID", "deleted and then recreated"), ("resourceVersion", "ResourceVersion", "modified")];
    for (field, what, happened) in preconditions {
        let Some(wanted) = options["preconditions"][field].as_str() else { continue };
        let stored = old_object.text(["metadata", field]);
        if wanted != stored {
            let error = format!(
                "the {what} in the precondition ({wanted}) does not match the {what} in record ({stored}). \
                 The object might have been {happened}"
            );
            return Err(Status::new_conflict(kind, name, &error).into());
        }
    }
    Ok(())
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
