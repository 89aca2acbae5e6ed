//! What an object in a subresource needs of the object whose subresource it is, and of others.
//!
//! Source: `BindingREST.Create`, `EvictionREST.Create`, `TokenREST.Create` of `k8s.io/kubernetes/pkg/registry/core`.

use crate::admission::{Refusal, Trace};
use crate::cluster::Cluster;
use crate::evaluation::binding;
use crate::evaluation::server::Server;
use crate::evaluation::server::checks::contradicts;
use gotext::quote;
use kube_api::features::Feature;
use kube_api::field::{Error, Path};
use kube_api::kinds::{self, GroupKind};
use kube_api::resources::{NODES, PODS, SECRETS, SERVICE_ACCOUNTS};
use kube_api::{GroupResource, GroupVersionKind, Object, Status, Value};
use kube_registry::strategy::Answer;

/// Refuses an object in a subresource of a Pod or service account that has another name, or does not exist.
pub(super) fn check(
    object: &Object,
    answer: Option<Answer>,
    (namespace, name): (&str, &str),
    dry_run: bool,
    cluster: &Cluster,
) -> Result<(), Refusal> {
    match answer {
        Some(Answer::Binding) => check_name(object, name, "Binding"),
        Some(Answer::Eviction) => {
            check_name(object, name, "Eviction")?;
            check_eviction_options(object, name, dry_run)
        }
        Some(Answer::TokenRequest) => {
            if !object.name().is_empty() && object.name() != name {
                let detail = "must match the service account name if specified";
                let error = Error::invalid_text(&Path::new("metadata.name"), object.name(), detail);
                return Err(Status::new_invalid(&object.kind, name, &[error]).into());
            }
            if cluster.get(&SERVICE_ACCOUNTS, namespace, name).is_none() {
                return Err(Status::new_not_found(&SERVICE_ACCOUNTS, name).into());
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Refuses a request for a token of another service account of the same name; a server without the gate only warns.
pub(super) fn check_account(
    request: &Object,
    (namespace, name): (&str, &str),
    server: Server,
    trace: &mut Trace,
) -> Result<(), Refusal> {
    let Some(account) = server.cluster.get(&SERVICE_ACCOUNTS, namespace, name) else { return Ok(()) };
    let [given, known] = [request, &account].map(|object| object.text(UID));
    if !contradicts(given, known) {
        return Ok(());
    }
    let kind = GroupResource { group: request.kind.group.clone(), resource: request.kind.kind.clone() };
    let error = format!(
        "the UID in the token request ({given}) does not match the UID of the service account ({known})"
    );
    if !server.profile.enabled(Feature::TokenRequestServiceAccountUIDValidation) {
        trace.warn([format!(
            "{error} but TokenRequestServiceAccountUIDValidation is not enabled. In the future, this will return a \
             conflict error"
        )]);
        trace.audit_annotations.insert("authentication.k8s.io/token-request-uid-mismatch".to_owned(), error);
        return Ok(());
    }
    let status = Status::new_conflict(&kind, account.name(), &error);
    Err(Refusal::from(status).at(Path::new("metadata.uid")))
}

const UID: [&str; 2] = ["metadata", "uid"];

/// The kinds of objects that a token can be bound to.
const BOUND_OBJECTS: [(GroupKind<'static>, GroupResource); 3] =
    [(kinds::POD, PODS), (kinds::SECRET, SECRETS), (kinds::NODE, NODES)];

/// Checks the object that a token is bound to, which the server reads after admission.
pub(super) fn check_bound_object(
    request: &Object,
    (namespace, account): (&str, &str),
    cluster: &Cluster,
) -> Result<(), Refusal> {
    let Some(reference) = request.at(["spec", "boundObjectRef"]) else { return Ok(()) };
    let path = Path::new("spec.boundObjectRef");
    let kind = GroupVersionKind::from_api_version(reference.text("apiVersion"), reference.text("kind"));
    let Some((_, resource)) = BOUND_OBJECTS.into_iter().find(|(known, _)| kind.is(*known)) else {
        let error = format!(
            "cannot bind token to object of type {}/{}, Kind={}",
            kind.group, kind.version, kind.kind
        );
        return Err(Refusal::from(Status::new_bad_request(error)).at(path.child("kind")));
    };
    let namespace = if resource == NODES { "" } else { namespace };
    let name = reference.text("name");
    binding::check_name(name)?;
    let Some(bound) = cluster.get(&resource, namespace, name) else {
        return Err(Refusal::from(Status::new_not_found(&resource, name)).at(path.child("name")));
    };
    if resource == PODS && bound.text(["spec", "serviceAccountName"]) != account {
        let error = format!(
            "cannot bind token for serviceaccount {} to pod running with different serviceaccount name.",
            quote(account)
        );
        return Err(Refusal::from(Status::new_bad_request(error)).at(path.child("name")));
    }
    let (given, known) = (reference.text("uid"), bound.text(UID));
    if !contradicts(given, known) {
        return Ok(());
    }
    let error = format!(
        "the UID in the bound object reference ({given}) does not match the UID in record. The object might have been \
         deleted and then recreated"
    );
    let status =
        Status::new_conflict(&GroupResource { group: kind.group, resource: kind.kind }, name, &error);
    Err(Refusal::from(status).at(path.child("uid")))
}

/// Refuses options of an eviction that the server does not accept.
fn check_eviction_options(eviction: &Object, name: &str, dry_run: bool) -> Result<(), Refusal> {
    const IGNORE: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";
    if eviction.at(["deleteOptions", IGNORE]) == Some(&Value::Bool(true)) {
        let path = Path::new("deleteOptions").child(IGNORE);
        let detail = "can not be set for pod eviction, try after removing the option";
        let error = Error::invalid(&path, &Value::Bool(true), detail);
        return Err(Refusal::from(Status::new_invalid(&eviction.kind, name, &[error])).at(path));
    }
    let given: Vec<&str> =
        eviction.list(["deleteOptions", "dryRun"]).iter().filter_map(Value::as_str).collect();
    if dry_run && !given.is_empty() && given != ["All"] {
        let message =
            format!("Non-matching dry-run options in request and content: [All] and [{}]", given.join(" "));
        return Err(Refusal::from(Status::from_error(message)).at(Path::new("deleteOptions.dryRun")));
    }
    Ok(())
}

fn check_name(object: &Object, name: &str, kind: &str) -> Result<(), Refusal> {
    if object.name() == name {
        return Ok(());
    }
    let message = format!("name in URL does not match name in {kind} object");
    Err(Refusal::from(Status::new_bad_request(message)).at(Path::new("metadata.name")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use std::sync::Arc;

    fn refusal(kind: (&'static str, &'static str), answer: Answer, name: &str) -> String {
        let kind = GroupVersionKind::new(kind.0, "v1", kind.1);
        let object = Object::new(kind, json!({"metadata": {"name": name}}));
        let refusal = check(&object, Some(answer), ("shop", "web"), false, &Cluster::new()).unwrap_err();
        refusal.status.message.clone()
    }

    #[test]
    fn rejects_what_has_another_name_or_no_parent() {
        let eviction = ("policy", "Eviction");
        assert_eq!(
            refusal(eviction, Answer::Eviction, "db"),
            "name in URL does not match name in Eviction object"
        );
        let token = ("authentication.k8s.io", "TokenRequest");
        assert_eq!(
            refusal(token, Answer::TokenRequest, "db"),
            "TokenRequest.authentication.k8s.io \"web\" is invalid: metadata.name: Invalid value: \"db\": must match \
             the service account name if specified"
        );
        assert_eq!(refusal(token, Answer::TokenRequest, ""), "serviceaccounts \"web\" not found");
    }

    #[test]
    fn rejects_tokens_for_others_than_what_they_are_bound_to() {
        let cluster = Cluster::new();
        let put = |resource: &GroupResource, kind: &'static str, value: Value| {
            cluster.put(resource, Arc::new(Object::new(GroupVersionKind::new("", "v1", kind), value)));
        };
        let metadata = json!({"name": "web", "namespace": "shop", "uid": "1"});
        put(&SERVICE_ACCOUNTS, "ServiceAccount", json!({"metadata": metadata.clone()}));
        put(&PODS, "Pod", json!({"metadata": metadata, "spec": {"serviceAccountName": "web"}}));
        let request = |uid: &str, reference: Value| {
            let kind = GroupVersionKind::new("authentication.k8s.io", "v1", "TokenRequest");
            let spec = json!({"boundObjectRef": reference});
            Object::new(kind, json!({"metadata": {"name": "web", "uid": uid}, "spec": spec}))
        };
        let place = ("shop", "web");
        assert_eq!(
            check(&request("1", Value::Null), Some(Answer::TokenRequest), place, false, &cluster),
            Ok(())
        );
        let bound = |account, kind: &str, name: &str, uid: &str| {
            let reference = json!({"apiVersion": "v1", "kind": kind, "name": name, "uid": uid});
            let result = check_bound_object(&request("", reference), ("shop", account), &cluster);
            result.map_err(|refusal| (refusal.status.code, refusal.status.message)).err()
        };
        let error = |code, message: &str| Some((code, message.to_owned()));
        assert_eq!(bound("web", "Pod", "web", "1"), None);
        assert_eq!(bound("web", "Pod", "web", ""), None);
        assert_eq!(bound("web", "Pod", "db", ""), error(404, "pods \"db\" not found"));
        assert_eq!(bound("web", "Node", "web", ""), error(404, "nodes \"web\" not found"));
        assert_eq!(bound("web", "Secret", "", ""), error(400, "Name parameter required."));
        assert_eq!(
            bound("web", "ConfigMap", "web", ""),
            error(400, "cannot bind token to object of type /v1, Kind=ConfigMap")
        );
        assert_eq!(
            bound("db", "Pod", "web", "1"),
            error(
                400,
                "cannot bind token for serviceaccount \"db\" to pod running with different serviceaccount name."
            )
        );
        assert_eq!(
            bound("web", "Pod", "web", "2"),
            error(
                409,
                "Operation cannot be fulfilled on Pod \"web\": the UID in the bound object reference (2) does not match \
                 the UID in record. The object might have been deleted and then recreated"
            )
        );
    }

    #[test]
    fn rejects_options_that_evictions_do_not_have() {
        let eviction = |options: Value| {
            let value = json!({"metadata": {"name": "web"}, "deleteOptions": options});
            Object::new(GroupVersionKind::new("policy", "v1", "Eviction"), value)
        };
        let refusal =
            |options| check_eviction_options(&eviction(options), "web", true).unwrap_err().status.message;
        assert_eq!(
            refusal(json!({"ignoreStoreReadErrorWithClusterBreakingPotential": true})),
            "Eviction.policy \"web\" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid \
             value: true: can not be set for pod eviction, try after removing the option"
        );
        assert_eq!(
            refusal(json!({"dryRun": ["all"]})),
            "Non-matching dry-run options in request and content: [All] and [all]"
        );
        assert_eq!(check_eviction_options(&eviction(json!({"dryRun": ["All"]})), "web", true), Ok(()));
    }
}
