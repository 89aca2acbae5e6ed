//! Bindings for policies that have none, so that authors can try a policy before it is bound.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::policy::ParamKind;
use gotext::value::json;
use kube_api::resources::{
    MUTATING_ADMISSION_POLICIES, MUTATING_ADMISSION_POLICY_BINDINGS, VALIDATING_ADMISSION_POLICIES,
    VALIDATING_ADMISSION_POLICY_BINDINGS,
};
use kube_api::{GroupResource, GroupVersionKind, Object, Value};

/// A binding of a policy to everything.
#[derive(Clone, Debug)]
pub struct TrialBinding {
    /// Resource of the binding.
    pub resource: GroupResource,
    /// The binding.
    pub object: Arc<Object>,
    /// The note about what is assumed.
    pub note: String,
}

/// Binds `policy`, an object of `resource`, to everything, with `Deny`: once with each of `others` that can be its
/// parameters, or with all parameters that a request may have. Nothing if it is not a policy, or if a binding in
/// `cluster` names it.
pub fn trial_bindings(
    resource: &GroupResource,
    policy: &Object,
    others: &[(GroupResource, Arc<Object>)],
    cluster: &Cluster,
) -> Vec<TrialBinding> {
    let bindings = if *resource == VALIDATING_ADMISSION_POLICIES {
        VALIDATING_ADMISSION_POLICY_BINDINGS
    } else if *resource == MUTATING_ADMISSION_POLICIES {
        MUTATING_ADMISSION_POLICY_BINDINGS
    } else {
        return Vec::new();
    };
    let name = policy.name();
    if cluster.list_all(&bindings).iter().any(|binding| binding.text(["spec", "policyName"]) == name) {
        return Vec::new();
    }
    let kind =
        GroupVersionKind { kind: format!("{}Binding", policy.kind.kind).into(), ..policy.kind.clone() };
    let denies = bindings == VALIDATING_ADMISSION_POLICY_BINDINGS;
    let refs = param_refs(policy, others, cluster);
    let bind = |(position, (param_ref, with)): (usize, (Option<Value>, String))| {
        let mut spec = json!({"policyName": name});
        if denies {
            spec["validationActions"] = json!(["Deny"]);
        }
        if let Some(param_ref) = param_ref {
            spec["paramRef"] = param_ref;
        }
        let number = if position == 0 { String::new() } else { format!("-{}", position + 1) };
        let value = json!({
            "apiVersion": kind.api_version(),
            "kind": &*kind.kind,
            "metadata": {"name": format!("{name}-trial{number}")},
            "spec": spec,
        });
        let how = if denies { " with Deny" } else { "" };
        let note = format!(
            "no binding names the {} \"{name}\": it is tried as if bound to everything{how}{with}",
            policy.kind.kind
        );
        TrialBinding { resource: bindings.clone(), object: Arc::new(Object::new(kind.clone(), value)), note }
    };
    refs.into_iter().enumerate().map(bind).collect()
}

/// Returns the references to parameters that `policy` is tried with, each with its description.
fn param_refs(
    policy: &Object,
    others: &[(GroupResource, Arc<Object>)],
    cluster: &Cluster,
) -> Vec<(Option<Value>, String)> {
    let Some(param_kind) = policy.at(["spec", "paramKind"]) else { return vec![(None, String::new())] };
    let kind = ParamKind::resolve(param_kind, cluster).ok();
    let is_param = |resource: &GroupResource| kind.as_ref().is_some_and(|kind| kind.resource == *resource);
    let given: Vec<_> = others.iter().filter(|(resource, _)| is_param(resource)).collect();
    // Those that a binding names are the parameters of another policy.
    let bindings: Vec<Arc<Object>> =
        [VALIDATING_ADMISSION_POLICY_BINDINGS, MUTATING_ADMISSION_POLICY_BINDINGS]
            .iter()
            .flat_map(|bindings| cluster.list_all(bindings))
            .collect();
    let is_named = |params: &Object| {
        bindings.iter().any(|binding| {
            let reference = |field| binding.text(["spec", "paramRef", field]);
            let namespace = reference("namespace");
            reference("name") == params.name() && (namespace.is_empty() || namespace == params.namespace())
        })
    };
    let (named, unnamed): (Vec<_>, Vec<_>) = given.into_iter().partition(|(_, params)| is_named(params));
    let given = if unnamed.is_empty() { named } else { unnamed };
    let given: Vec<_> = given
        .into_iter()
        .map(|(_, params)| {
            let (namespace, name) = (params.namespace(), params.name());
            let mut param_ref = json!({"name": name, "parameterNotFoundAction": "Deny"});
            let mut full_name = name.to_owned();
            if !namespace.is_empty() {
                param_ref["namespace"] = namespace.into();
                full_name = format!("{namespace}/{name}");
            }
            (Some(param_ref), format!(" and the parameters of {} {full_name}", params.kind.kind))
        })
        .collect();
    if !given.is_empty() {
        return given;
    }
    let param_ref = json!({"selector": {}, "parameterNotFoundAction": "Deny"});
    let kind = param_kind.text("kind");
    vec![(Some(param_ref), format!(" and every {kind} that a request may have as parameters"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(spec: &Value) -> Object {
        let kind = GroupVersionKind::from_api_version(
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmissionPolicy",
        );
        Object::new(kind, json!({"metadata": {"name": "p"}, "spec": spec}))
    }

    #[test]
    fn binds_what_nothing_binds() {
        let cluster = Cluster::new();
        let policy = policy(&json!({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}}));
        let trials = trial_bindings(&VALIDATING_ADMISSION_POLICIES, &policy, &[], &cluster);
        assert_eq!(
            trials[0].note,
            "no binding names the ValidatingAdmissionPolicy \"p\": it is tried as if bound to everything \
             with Deny and every ConfigMap that a request may have as parameters"
        );
        cluster.put(&trials[0].resource, trials[0].object.clone());
        assert!(trial_bindings(&VALIDATING_ADMISSION_POLICIES, &policy, &[], &cluster).is_empty());
    }
}
