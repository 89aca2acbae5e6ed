//! What an object in a subresource needs of the object whose subresource it is.
//!
//! Source: `BindingREST.Create`, `EvictionREST.Create`, `TokenREST.Create` of `k8s.io/kubernetes/pkg/registry/core`.

use crate::admission::Refusal;
use crate::api::field::{Error, Path};
use crate::api::resources::{PODS, SERVICE_ACCOUNTS};
use crate::api::{GroupResource, Object, Status};
use crate::cluster::Cluster;
use crate::registry::strategy::Answer;

/// Refuses an object in a subresource of a Pod or service account that has another name, or does not exist.
pub(super) fn check(
    object: &Object,
    answer: Option<Answer>,
    namespace: &str,
    name: &str,
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
            exists(&PODS)
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
    use crate::api::GroupVersionKind;
    use crate::value::json;

    fn refusal(kind: (&'static str, &'static str), answer: Answer, name: &str) -> String {
        let kind = GroupVersionKind::new(kind.0, "v1", kind.1);
        let object = Object::new(kind, json!({"metadata": {"name": name}}));
        let refusal = check(&object, Some(answer), "shop", "web", &Cluster::new()).unwrap_err();
        refusal.status.message.clone()
    }

    #[test]
    fn rejects_what_has_another_name_or_no_parent() {
        let eviction = ("policy", "Eviction");
        assert_eq!(
            refusal(eviction, Answer::Eviction, "db"),
            "name in URL does not match name in Eviction object"
        );
        assert_eq!(refusal(eviction, Answer::Eviction, "web"), "pods \"web\" not found");
        let token = ("authentication.k8s.io", "TokenRequest");
        assert_eq!(
            refusal(token, Answer::TokenRequest, "db"),
            "TokenRequest.authentication.k8s.io \"web\" is invalid: metadata.name: Invalid value: \"db\": must match \
             the service account name if specified"
        );
        assert_eq!(refusal(token, Answer::TokenRequest, ""), "serviceaccounts \"web\" not found");
    }
}
