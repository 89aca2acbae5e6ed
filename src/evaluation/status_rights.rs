//! The rights that changes of a status need besides the right to update it: of the scheduler and drivers for claims of
//! devices, of signers for certificates of Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource/utils.go`,
//! `k8s.io/kubernetes/pkg/registry/certificates/podcertificaterequest`

use std::collections::BTreeSet;

use crate::admission::UserInfo;
use crate::api::features::{Feature, FeatureGates};
use crate::api::field::{Error, Path};
use crate::api::{GroupResource, Object, Status, Value};
use crate::cluster::authorizer::{Access, Authorizer, ResourceAttributes, Subject};
use crate::go::quote;

/// The relevant parts of the request.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) user: &'a UserInfo,
    pub(super) resource: &'a GroupResource,
    pub(super) sub_resource: &'a str,
    pub(super) namespace: &'a str,
    pub(super) verb: &'a str,
}

const NODE_NAME: &str = "authentication.kubernetes.io/node-name";

/// Adds to `errors` why the user may not change the status of a claim of devices: after what its namespace does not
/// allow, and before everything else.
pub(super) fn check_claim(
    asked: &Asked<'_>,
    authorizer: &Authorizer,
    object: &Object,
    old: &Object,
    features: &FeatureGates,
    errors: &mut Vec<Error>,
) {
    let is_claim = asked.sub_resource == "status" && asked.resource.resource == "resourceclaims";
    if !is_claim || !features.enabled(Feature::DRAResourceClaimGranularStatusAuthorization) {
        return;
    }
    let may = |verb: &str, sub_resource: &str, namespace: &str, name: &str| {
        authorize(authorizer, asked, verb, sub_resource, namespace, name)
    };
    let verb = asked.verb;
    let mut refused = Vec::new();
    let changes = |field: &str| object.at(["status", field]) != old.at(["status", field]);
    if (changes("allocation") || changes("reservedFor"))
        && let Err(error) = may(verb, "binding", "", "")
    {
        let detail = format!(
            "changing status.allocation or status.reservedFor requires resource=\"resourceclaims/binding\", \
             verb=\"{verb}\" permission: {error}"
        );
        refused.push(Error::forbidden(&Path::new("status.allocation"), detail));
    }
    let arbitrary = format!("arbitrary-node:{verb}");
    let verbs = if is_on_allocated_node(asked.user, object) {
        vec![format!("associated-node:{verb}"), arbitrary]
    } else {
        vec![arbitrary]
    };
    let is_allocated = object.at(["status", "allocation"]).is_some();
    for driver in changed_drivers(object, old).into_iter().filter(|_| is_allocated) {
        let refusals: Result<Vec<String>, ()> =
            verbs.iter().map(|verb| may(verb, "driver", asked.namespace, driver).err().ok_or(())).collect();
        if let Some(error) = refusals.ok().and_then(|refusals| refusals.into_iter().next()) {
            let detail = format!(
                "changing status.devices requires resource=\"resourceclaims/driver\", verb=\"[{}]\" permission: {error}",
                verbs.join(" ")
            );
            refused.push(Error::forbidden(&Path::new("status.devices"), detail));
        }
    }
    let of_namespace = |error: &Error| error.field().ends_with(".adminAccess");
    let start = errors.iter().take_while(|error| of_namespace(error)).count();
    errors.splice(start..start, refused);
}

/// Returns why the user may not change the status of a request for a certificate that is valid otherwise.
pub(super) fn check_certificate(
    asked: &Asked<'_>,
    authorizer: &Authorizer,
    object: &Object,
    old: &Object,
) -> Option<Error> {
    if asked.sub_resource != "status" || asked.resource.resource != "podcertificaterequests" {
        return None;
    }
    let (signer, user) = (old.text(["spec", "signerName"]), asked.user);
    if object.at(["status"]) == old.at(["status"])
        || authorizer.authorizes_for_signer(&user.username, &user.groups, "sign", signer)
    {
        return None;
    }
    let detail =
        format!("User {} is not permitted to \"sign\" for signer {}", quote(&user.username), quote(signer));
    Some(Error::forbidden(&Path::new("spec.signerName"), detail))
}

/// Returns the server's refusal unless the user may `verb` the subresource of claims.
///
/// Source: `responsewriters.ForbiddenStatusError`
fn authorize(
    authorizer: &Authorizer,
    asked: &Asked<'_>,
    verb: &str,
    sub_resource: &str,
    namespace: &str,
    name: &str,
) -> Result<(), String> {
    let resource = asked.resource;
    let attributes = ResourceAttributes {
        namespace,
        group: &resource.group,
        resource: &resource.resource,
        sub_resource,
        name,
    };
    let UserInfo { username, groups, .. } = asked.user;
    let access = Access { user: username, groups, verb, subject: Subject::Resource(attributes) };
    let decision = authorizer.authorize(&access);
    if decision.allowed {
        return Ok(());
    }
    let scope = match namespace {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace \"{namespace}\""),
    };
    let mut error = format!(
        "User \"{username}\" cannot {verb} resource \"{}/{sub_resource}\" in API group \"{}\" {scope}",
        resource.resource, resource.group
    );
    if !decision.reason.is_empty() {
        error = format!("{error}: {}", decision.reason);
    }
    Err(Status::new_forbidden(resource, name, &error).message)
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
    let is_account = user.username.strip_prefix("system:serviceaccount:").is_some_and(|rest| {
        rest.split_once(':').is_some_and(|(namespace, name)| !namespace.is_empty() && !name.contains(':'))
    });
    match (values, user.extra.get(NODE_NAME).map(Vec::as_slice)) {
        ([node], Some([own])) => is_one_node && is_account && !own.is_empty() && *node == own.as_str(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::GroupVersionKind;
    use crate::value::json;

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
