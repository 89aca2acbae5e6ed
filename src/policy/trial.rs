//! Bindings for policies that have none, so that an author can try a policy before it is bound.

use std::sync::Arc;

use crate::api::resources::{
    MUTATING_ADMISSION_POLICIES, MUTATING_ADMISSION_POLICY_BINDINGS, VALIDATING_ADMISSION_POLICIES,
    VALIDATING_ADMISSION_POLICY_BINDINGS,
};
use crate::api::{GroupResource, GroupVersionKind, Object};
use crate::cluster::Cluster;
use crate::value::json;

/// A binding that binds a policy to everything.
#[derive(Clone, Debug)]
pub struct TrialBinding {
    /// Resource of the binding.
    pub resource: GroupResource,
    /// The binding.
    pub object: Arc<Object>,
    /// What is assumed by it.
    pub note: String,
}

/// Binds `policy`, an object of `resource`, to everything, with `Deny` and all parameters that a request may have;
/// nothing if it is not a policy, or if a binding in `cluster` names it.
pub fn trial_binding(resource: &GroupResource, policy: &Object, cluster: &Cluster) -> Option<TrialBinding> {
    let bindings = if *resource == VALIDATING_ADMISSION_POLICIES {
        VALIDATING_ADMISSION_POLICY_BINDINGS
    } else if *resource == MUTATING_ADMISSION_POLICIES {
        MUTATING_ADMISSION_POLICY_BINDINGS
    } else {
        return None;
    };
    let name = policy.name();
    if cluster.list_all(&bindings).iter().any(|binding| binding.text(&["spec", "policyName"]) == name) {
        return None;
    }
    let kind =
        GroupVersionKind { kind: format!("{}Binding", policy.kind.kind).into(), ..policy.kind.clone() };
    let mut spec = json!({"policyName": name});
    let mut how = String::new();
    if bindings == VALIDATING_ADMISSION_POLICY_BINDINGS {
        spec["validationActions"] = json!(["Deny"]);
        how += " with Deny";
    }
    if let Some(param_kind) = policy.at(&["spec", "paramKind"]) {
        spec["paramRef"] = json!({"selector": {}, "parameterNotFoundAction": "Deny"});
        how += &format!(", with every {} as its parameters", param_kind["kind"].as_str().unwrap_or_default());
    }
    let value = json!({
        "apiVersion": kind.api_version(),
        "kind": &*kind.kind,
        "metadata": {"name": format!("{name}-trial")},
        "spec": spec,
    });
    let note = format!(
        "no binding names the {} \"{name}\": it is tried as if bound to everything{how}",
        policy.kind.kind
    );
    Some(TrialBinding { resource: bindings, object: Arc::new(Object::new(kind, value)), note })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(spec: crate::api::Value) -> Object {
        let kind = GroupVersionKind::from_api_version(
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmissionPolicy",
        );
        Object::new(kind, json!({"metadata": {"name": "p"}, "spec": spec}))
    }

    #[test]
    fn binds_what_nothing_binds() {
        let cluster = Cluster::new();
        let policy = policy(json!({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}}));
        let trial = trial_binding(&VALIDATING_ADMISSION_POLICIES, &policy, &cluster).expect("a binding");
        assert_eq!(
            trial.note,
            "no binding names the ValidatingAdmissionPolicy \"p\": it is tried as if bound to everything \
             with Deny, with every ConfigMap as its parameters"
        );
        cluster.put(&trial.resource, trial.object);
        assert!(trial_binding(&VALIDATING_ADMISSION_POLICIES, &policy, &cluster).is_none());
    }
}
