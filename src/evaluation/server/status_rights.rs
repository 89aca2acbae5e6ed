//! The rights that changes of a status need besides the right to update it: of the scheduler and drivers for claims of
//! devices, of signers for certificates of Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource/utils.go`,
//! `k8s.io/kubernetes/pkg/registry/certificates/podcertificaterequest`

use std::collections::BTreeSet;

use crate::admission::UserInfo;
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::evaluation::server::{Call, Server};
use gotext::quote;
use kube_api::features::Feature;
use kube_api::field::{Error, Path};
use kube_api::{Object, Value, service_account};

const NODE_NAME: &str = "authentication.kubernetes.io/node-name";

impl Server<'_> {
    /// Adds to `errors` the rights for a change of a status that the user does not have.
    pub(super) fn check_status_rights(
        self,
        call: &Call,
        object: &Object,
        old: &Object,
        errors: &mut Vec<Error>,
    ) {
        if call.sub_resource != "status" {
            return;
        }
        match &*call.target.group_resource().resource {
            "resourceclaims"
                if self.profile.enabled(Feature::DRAResourceClaimGranularStatusAuthorization) =>
            {
                // After what the namespace does not allow, and before everything else.
                let of_namespace = |error: &Error| error.field().ends_with(".adminAccess");
                let start = errors.iter().take_while(|error| of_namespace(error)).count();
                errors.splice(start..start, claim_errors(call, self.authorizer, object, old));
            }
            "podcertificaterequests" if errors.is_empty() => {
                errors.extend(certificate_error(&call.user_info, self.authorizer, object, old));
            }
            _ => {}
        }
    }
}

/// Returns why the user may not change the status of a claim of devices.
fn claim_errors(call: &Call, authorizer: &Authorizer, object: &Object, old: &Object) -> Vec<Error> {
    let user = &*call.user_info;
    let resource = call.target.group_resource();
    let require = |verb: &str, sub_resource, namespace, name| {
        let (group, resource) = (&*resource.group, &*resource.resource);
        let attributes = ResourceAttributes { namespace, group, resource, sub_resource, name };
        let required = authorizer.require(&user.username, &user.groups, verb, attributes);
        required.map_err(|refusal| refusal.message)
    };
    let verb = if call.is_patch { "patch" } else { "update" };
    let mut errors = Vec::new();
    let changes = |field: &str| object.at(["status", field]) != old.at(["status", field]);
    if (changes("allocation") || changes("reservedFor"))
        && let Err(error) = require(verb, "binding", "", "")
    {
        let detail = format!(
            "changing status.allocation or status.reservedFor requires resource=\"resourceclaims/binding\", \
             verb=\"{verb}\" permission: {error}"
        );
        errors.push(Error::forbidden(&Path::new("status.allocation"), detail));
    }
    let arbitrary = format!("arbitrary-node:{verb}");
    let verbs = if is_on_allocated_node(user, object) {
        vec![format!("associated-node:{verb}"), arbitrary]
    } else {
        vec![arbitrary]
    };
    let is_allocated = object.at(["status", "allocation"]).is_some();
    for driver in changed_drivers(object, old).into_iter().filter(|_| is_allocated) {
        // One of the verbs suffices; the error is that of the first.
        let refusals: Option<Vec<String>> =
            verbs.iter().map(|verb| require(verb, "driver", &call.namespace, driver).err()).collect();
        if let Some(error) = refusals.and_then(|refusals| refusals.into_iter().next()) {
            let detail = format!(
                "changing status.devices requires resource=\"resourceclaims/driver\", verb=\"[{}]\" permission: {error}",
                verbs.join(" ")
            );
            errors.push(Error::forbidden(&Path::new("status.devices"), detail));
        }
    }
    errors
}

/// Returns why the user may not change the status of a request for a certificate that is valid otherwise.
fn certificate_error(
    user: &UserInfo,
    authorizer: &Authorizer,
    object: &Object,
    old: &Object,
) -> Option<Error> {
    let signer = old.text(["spec", "signerName"]);
    if object.at(["status"]) == old.at(["status"])
        || authorizer.authorizes_for_signer(&user.username, &user.groups, "sign", signer)
    {
        return None;
    }
    let detail =
        format!("User {} is not permitted to \"sign\" for signer {}", quote(&user.username), quote(signer));
    Some(Error::forbidden(&Path::new("spec.signerName"), detail))
}

/// Returns the drivers whose devices have another status than before, ordered by name.
///
/// Source: `getModifiedDrivers`
fn changed_drivers<'a>(object: &'a Object, old: &'a Object) -> BTreeSet<&'a str> {
    let id = |device: &Value| ["driver", "pool", "device", "shareID"].map(|field| device[field].clone());
    let (new, old) = (object.list(["status", "devices"]), old.list(["status", "devices"]));
    let find = |devices: &'a [Value], wanted: &Value| devices.iter().rfind(|device| id(device) == id(wanted));
    let changed = new.iter().filter(|device| find(old, device) != Some(*device));
    let removed = old.iter().filter(|device| find(new, device).is_none());
    changed.chain(removed).filter_map(|device| device["driver"].as_str()).collect()
}

/// Whether the user is a service account on the one node for which the claim is allocated.
///
/// Source: `saAssociatedWithAllocatedNode`
fn is_on_allocated_node(user: &UserInfo, claim: &Object) -> bool {
    let terms = claim.list(["status", "allocation", "nodeSelector", "nodeSelectorTerms"]);
    let [term] = terms else { return false };
    let count = |field: &str| term[field].as_array().map_or(0, Vec::len);
    let field = &term["matchFields"][0];
    let values = field["values"].as_array().map_or(&[][..], Vec::as_slice);
    let is_one_node = count("matchExpressions") == 0
        && count("matchFields") == 1
        && field["key"] == "metadata.name"
        && field["operator"] == "In";
    let is_account = service_account::split_username(&user.username)
        .is_some_and(|(namespace, name)| !namespace.is_empty() && !name.contains(':'));
    match (values, user.extra.get(NODE_NAME).map(Vec::as_slice)) {
        ([node], Some([own])) => is_one_node && is_account && !own.is_empty() && *node == own.as_str(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    fn claim(status: &Value) -> Object {
        let kind = GroupVersionKind::new("resource.k8s.io", "v1", "ResourceClaim");
        Object::new(kind, json!({"metadata": {"name": "gpu", "namespace": "shop"}, "status": status}))
    }

    #[test]
    fn finds_drivers_with_another_status() {
        let device =
            |driver: &str, ready: bool| json!({"driver": driver, "device": "a", "data": {"ready": ready}});
        let old = claim(&json!({"devices": [device("a", true), device("b", true), device("c", true)]}));
        let new = claim(&json!({"devices": [device("a", true), device("b", false), device("d", true)]}));
        assert_eq!(changed_drivers(&new, &old), BTreeSet::from(["b", "c", "d"]));
    }

    #[test]
    fn knows_accounts_on_the_node_of_the_claim() {
        let field = json!({"key": "metadata.name", "operator": "In", "values": ["node-1"]});
        let selector = json!({"nodeSelectorTerms": [{"matchFields": [field]}]});
        let claim = claim(&json!({"allocation": {"nodeSelector": selector}}));
        let user = |name: &str, node: &str| UserInfo {
            username: name.to_owned(),
            extra: [(NODE_NAME.to_owned(), vec![node.to_owned()])].into(),
            ..UserInfo::default()
        };
        assert!(is_on_allocated_node(&user("system:serviceaccount:kube-system:driver", "node-1"), &claim));
        assert!(!is_on_allocated_node(&user("system:serviceaccount:kube-system:driver", "node-2"), &claim));
        assert!(!is_on_allocated_node(&user("driver", "node-1"), &claim));
    }
}
