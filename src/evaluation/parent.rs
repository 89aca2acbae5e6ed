//! What an object in a subresource needs of the object whose subresource it is.
//!
//! Source: `BindingREST.Create`, `EvictionREST.Create`, `TokenREST.Create` of `k8s.io/kubernetes/pkg/registry/core`.

use crate::admission::Refusal;
use crate::api::field::{Error, Path};
use crate::api::resources::{PODS, SERVICE_ACCOUNTS};
use crate::api::{GroupResource, Object, Status};
use crate::cluster::Cluster;
use crate::evaluation::server::Call;
use crate::registry::strategy::Answer;

/// Refuses an object that has another name than its Pod or service account, or for which there is none.
pub(super) fn check(object: &Object, call: &Call, cluster: &Cluster) -> Result<(), Refusal> {
    if call.sub_resource.is_empty() {
        return Ok(());
    }
    match call.target.answer() {
        Some(Answer::Binding) => check_name(object, call, "Binding"),
        Some(Answer::Eviction) => {
            check_name(object, call, "Eviction")?;
            check_existence(&PODS, call, cluster)
        }
        Some(Answer::TokenRequest) => {
            if !object.name().is_empty() && object.name() != call.name {
                let detail = "must match the service account name if specified";
                let error = Error::invalid_text(&Path::new("metadata.name"), object.name(), detail);
                return Err(Status::new_invalid(&object.kind, &call.name, &[error]).into());
            }
            check_existence(&SERVICE_ACCOUNTS, call, cluster)
        }
        _ => Ok(()),
    }
}

fn check_name(object: &Object, call: &Call, kind: &str) -> Result<(), Refusal> {
    if object.name() == call.name {
        return Ok(());
    }
    let message = format!("name in URL does not match name in {kind} object");
    Err(Refusal::from(Status::new_bad_request(message)).at(Path::new("metadata.name")))
}

fn check_existence(resource: &GroupResource, call: &Call, cluster: &Cluster) -> Result<(), Refusal> {
    match cluster.get(resource, &call.namespace, &call.name) {
        Some(_) => Ok(()),
        None => Err(Status::new_not_found(resource, &call.name).into()),
    }
}
