//! The server drops repeated owner references, with a warning.
//!
//! Source: `dedupOwnerReferencesAndAddWarning` of `k8s.io/apiserver/pkg/endpoints/handlers`.

use crate::admission::Trace;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{Object, Value};

/// The first release that drops repeated owner references.
const SINCE: Version = Version::minor(20);
const OWNERS: [&str; 2] = ["metadata", "ownerReferences"];

/// Drops the repeated owner references of the body of a request; those of a patch are only dropped after mutation.
pub(super) fn deduplicate_sent(
    body: &mut Object,
    is_patch: bool,
    profile: &ServerProfile,
    trace: &mut Trace,
) {
    if !is_patch {
        deduplicate(body, false, profile, trace);
    }
}

/// Drops the repeated owner references of `object`, which was mutated by admission or not yet.
pub(super) fn deduplicate(object: &mut Object, is_mutated: bool, profile: &ServerProfile, trace: &mut Trace) {
    let repeated = repeated(object);
    if !repeated.is_empty() && profile.release() >= SINCE {
        drop_repeated(object);
        trace.warn([warning(&repeated, is_mutated)]);
    }
}

fn repeated(object: &Object) -> Vec<String> {
    let references = object.list(OWNERS);
    let is_repeated = |index: &usize| references[..*index].contains(&references[*index]);
    let repeated = (1..references.len()).filter(is_repeated);
    repeated.map(|index| references[index].text("uid").to_owned()).collect()
}

fn drop_repeated(object: &mut Object) {
    let mut kept: Vec<Value> = Vec::new();
    for reference in object.list(OWNERS) {
        if !kept.contains(reference) {
            kept.push(reference.clone());
        }
    }
    object.set(OWNERS, kept);
}

fn warning(repeated: &[String], is_mutated: bool) -> String {
    let when = if is_mutated { " after mutating admission happens" } else { "" };
    format!(
        ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and may \
         reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
        repeated.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    fn owned(references: &Value) -> Object {
        let value = json!({"metadata": {"name": "a", "ownerReferences": references}});
        Object::new(GroupVersionKind::new("", "v1", "ConfigMap"), value)
    }

    #[test]
    fn drops_equal_references_alone() {
        let owner =
            |name: &str, uid: &str| json!({"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid});
        let mut object = owned(&json!([owner("a", "1"), owner("b", "1"), owner("a", "1"), owner("a", "1")]));
        assert_eq!(repeated(&object), ["1", "1"]);
        drop_repeated(&mut object);
        assert_eq!(object, owned(&json!([owner("a", "1"), owner("b", "1")])));
        assert!(repeated(&object).is_empty());
        assert_eq!(
            warning(&["1".to_owned(), "2".to_owned()], true),
            ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups \
             owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate \
             UID(s) observed: 1, 2"
        );
    }
}
