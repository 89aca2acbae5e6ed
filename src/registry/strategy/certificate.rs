//! Certificate signing requests.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/certificates/certificates`. Deliberately absent: the times of conditions,
//! which the server takes from its clock.

use std::collections::BTreeMap;

use crate::value::json;

use crate::api::tree::{child, copy, is_zero, items, made, set, text};
use crate::api::{Map, Value};

/// Who asks for something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requester {
    /// User name.
    pub name: String,
    /// What tells users of the same name apart.
    pub uid: String,
    /// The groups that the user is in.
    pub groups: Vec<String>,
    /// What else the authenticator said.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// A request says who made it, and nobody else may.
pub(super) fn set_requester(request: &mut Map, requester: Option<&Requester>) {
    let spec = made(request, "spec");
    for field in ["username", "uid", "groups", "extra"] {
        spec.remove(field);
    }
    let Some(requester) = requester else { return };
    if !requester.name.is_empty() {
        set(spec, "username", requester.name.as_str());
    }
    if !requester.uid.is_empty() {
        set(spec, "uid", requester.uid.as_str());
    }
    if !requester.groups.is_empty() {
        set(spec, "groups", json!(requester.groups));
    }
    if !requester.extra.is_empty() {
        set(spec, "extra", json!(requester.extra));
    }
}

/// A request never changes; its conditions do through `approval`, the rest of its status through `status`, where
/// approval and denial stay as they were unless their number changes.
pub(super) fn for_update(request: &mut Map, old: &Map, sub_resource: &str) {
    copy(request, old, "spec");
    match sub_resource {
        "approval" => {
            let conditions = child(request, "status").and_then(|status| status.get("conditions")).cloned();
            copy(request, old, "status");
            let status = made(request, "status");
            status.remove("conditions");
            if let Some(conditions) = conditions {
                set(status, "conditions", conditions);
            }
        }
        "status" => {
            for condition in ["Approved", "Denied"] {
                preserve_conditions(request, old, condition);
            }
        }
        _ => copy(request, old, "status"),
    }
    let kept = |condition: &Map| {
        let old = child(old, "status")?;
        let same = |other: &&Map| {
            text(other, "type") == text(condition, "type")
                && text(other, "status") == text(condition, "status")
        };
        items(old, "conditions").find(same)?.get("lastTransitionTime").cloned()
    };
    let conditions = made(request, "status").get_mut("conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten().filter_map(Value::as_object_mut) {
        if is_zero(condition, "lastTransitionTime")
            && let Some(time) = kept(condition)
        {
            set(condition, "lastTransitionTime", time);
        }
    }
}

fn preserve_conditions(request: &mut Map, old: &Map, condition: &str) {
    let is_meant = |item: &&Map| text(item, "type") == condition;
    let Some(old) = child(old, "status") else { return };
    let old: Vec<&Map> = items(old, "conditions").filter(is_meant).collect();
    let Some(Value::Object(status)) = request.get_mut("status") else { return };
    if items(status, "conditions").filter(is_meant).count() != old.len() {
        return;
    }
    let new =
        crate::api::tree::items_mut(status, "conditions").filter(|item| text(item, "type") == condition);
    for (new, old) in new.zip(old) {
        new.clone_from(old);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{object, updated};
    use super::super::{Creation, prepare_for_create};
    use super::*;
    use crate::api::features::FeatureGates;

    fn request(user: &str, conditions: &Value) -> Value {
        json!({
            "apiVersion": "certificates.k8s.io/v1",
            "kind": "CertificateSigningRequest",
            "spec": {"request": "eA==", "signerName": "example.com/a", "username": user},
            "status": {"certificate": user, "conditions": conditions}
        })
    }

    #[test]
    fn a_request_says_who_made_it() {
        let requester =
            Requester { name: "alice".to_owned(), groups: vec!["a".to_owned()], ..Requester::default() };
        let mut request = object(&request("mallory", &json!([])));
        let creation = Creation { requester: Some(&requester), ..Creation::default() };
        prepare_for_create(&mut request, &creation, &FeatureGates::default());
        assert_eq!(request.text(&["spec", "username"]), "alice");
        assert_eq!(request.list(&["spec", "groups"]), ["a"]);
        assert_eq!(request.value["status"], json!({}));
    }

    #[test]
    fn approval_changes_conditions_alone() {
        let approved = json!([{"type": "Approved", "status": "True", "lastTransitionTime": null}]);
        let (new, old) = (request("new", &approved), request("old", &json!([])));
        let approval = updated(&new, &old, "approval");
        assert_eq!(
            (&approval["spec"]["username"], &approval["status"]["certificate"]),
            (&json!("old"), &json!("old"))
        );
        assert_eq!(approval["status"]["conditions"][0]["type"], "Approved");
        let status = updated(&old, &new, "status");
        assert_eq!(status["status"]["certificate"], "old");
        assert_eq!(updated(&new, &old, "")["status"]["certificate"], "old");
    }
}
