//! What an object in a subresource needs of the object whose subresource it is.
//!
//! Source: `BindingREST.Create`, `EvictionREST.Create`, `TokenREST.Create` of `k8s.io/kubernetes/pkg/registry/core`.

use crate::admission::Refusal;
use crate::cluster::Cluster;
use kube_api::field::{Error, Path};
use kube_api::resources::SERVICE_ACCOUNTS;
use kube_api::{GroupResource, Object, Status, Value};
use kube_registry::strategy::Answer;

/// Refuses an object in a subresource of a Pod or service account that has another name, or does not exist.
pub(super) fn check(
    object: &Object,
    answer: Option<Answer>,
    (namespace, name): (&str, &str),
    dry_run: bool,
    cluster: &Cluster,
) -> Result<(), Refusal> {
    let exists = |resource: &GroupResource| match cluster.get(resource, namespace, name) {
        Some(_) => Ok(()),
        None => Err(Refusal::from(Status::new_not_found(resource, name))),
    };
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
            exists(&SERVICE_ACCOUNTS)
        }
        _ => Ok(()),
    }
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
    use kube_api::GroupVersionKind;

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
