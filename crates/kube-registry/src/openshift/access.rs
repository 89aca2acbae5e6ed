//! Origin's own roles and reviews: what its conversions change.
//!
//! Source: `openshift/origin` `pkg/authorization/api/v1/conversion.go`, `pkg/authorization/api/helpers.go`.

use gotext::value::json;
use kube_api::tree::set;
use kube_api::{Map, Value, service_account};

/// Brings the groups of a review into order, each once.
pub(super) fn sort_groups(review: &mut Map) {
    let mut groups: Vec<String> =
        review.list("groups").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    groups.sort();
    groups.dedup();
    set(review, "groups", groups);
}

/// Derives the subjects of a binding from its names of users and groups, if it has such lists, and then the names from
/// the subjects.
pub(super) fn convert_subjects(binding: &mut Map, namespace: &str) {
    if binding.has("userNames") || binding.has("groupNames") {
        let texts = |field: &str| -> Vec<String> {
            binding.list(field).iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let users = texts("userNames").into_iter().map(|name| subject_of_user(&name));
        let groups = texts("groupNames").into_iter().map(|name| {
            let kind = if name.contains(':') { "SystemGroup" } else { "Group" };
            json!({"kind": kind, "name": name})
        });
        let subjects: Vec<Value> = users.chain(groups).collect();
        set(binding, "subjects", Value::from(subjects));
    }
    let (mut users, mut groups) = (Vec::new(), Vec::new());
    for subject in binding.items("subjects") {
        let name = subject.text("name");
        match subject.text("kind") {
            "ServiceAccount" => {
                let own = subject.text("namespace");
                let namespace = if own.is_empty() { namespace } else { own };
                if !namespace.is_empty() {
                    users.push(service_account::make_username(namespace, name));
                }
            }
            "User" | "SystemUser" => users.push(name.to_owned()),
            "Group" | "SystemGroup" => groups.push(name.to_owned()),
            _ => {}
        }
    }
    for (field, names) in [("userNames", users), ("groupNames", groups)] {
        set(binding, field, if names.is_empty() { Value::Null } else { Value::from(names) });
    }
}

fn subject_of_user(name: &str) -> Value {
    if let Some((namespace, name)) = service_account::split_username(name) {
        return json!({"kind": "ServiceAccount", "namespace": namespace, "name": name});
    }
    let is_system = name.contains([':', '/', '%']) || ["", ".", "..", "~"].contains(&name);
    json!({"kind": if is_system { "SystemUser" } else { "User" }, "name": name})
}
