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

/// A trial of a policy that has no binding.
#[derive(Clone, Debug)]
pub struct Trial {
    /// A binding of the policy to everything, with its resource; `None` if there are no parameters to try it with.
    pub binding: Option<(GroupResource, Arc<Object>)>,
    /// The note about what is assumed.
    pub note: String,
}

/// Returns the bindings of policies in `cluster`.
pub fn all_bindings(cluster: &Cluster) -> Vec<Arc<Object>> {
    let resources = [VALIDATING_ADMISSION_POLICY_BINDINGS, MUTATING_ADMISSION_POLICY_BINDINGS];
    resources.iter().flat_map(|bindings| cluster.list_all(bindings)).collect()
}

/// Binds `policy`, an object of `resource`, to everything, with `Deny`: once with each of `others` that can be its
/// parameters, or with all parameters that a request may have. Nothing if it is not a policy, or if one of `bound`,
/// the bindings that are not trials, names it.
pub fn trials(
    resource: &GroupResource,
    policy: &Object,
    others: &[(GroupResource, Arc<Object>)],
    bound: &[Arc<Object>],
    cluster: &Cluster,
) -> Vec<Trial> {
    let bindings = if *resource == VALIDATING_ADMISSION_POLICIES {
        VALIDATING_ADMISSION_POLICY_BINDINGS
    } else if *resource == MUTATING_ADMISSION_POLICIES {
        MUTATING_ADMISSION_POLICY_BINDINGS
    } else {
        return Vec::new();
    };
    let name = policy.name();
    let kind =
        GroupVersionKind { kind: format!("{}Binding", policy.kind.kind).into(), ..policy.kind.clone() };
    let is_own =
        |binding: &Object| binding.kind.kind == kind.kind && binding.text(["spec", "policyName"]) == name;
    if bound.iter().any(|binding| is_own(binding)) {
        return Vec::new();
    }
    let denies = bindings == VALIDATING_ADMISSION_POLICY_BINDINGS;
    let Some(refs) = param_refs(policy, others, bound, cluster) else {
        let note = format!(
            "no binding names the {} \"{name}\": it is not tried, as all parameters of its kind are those of other \
             bindings; give its own with --policy, or a binding",
            policy.kind.kind
        );
        return vec![Trial { binding: None, note }];
    };
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
        Trial { binding: Some((bindings.clone(), Arc::new(Object::new(kind.clone(), value)))), note }
    };
    refs.into_iter().enumerate().map(bind).collect()
}

/// Returns the references to parameters that `policy` is tried with, each with its description. `None` if all that could
/// be its parameters are those of other policies, which may well be refused by it.
fn param_refs(
    policy: &Object,
    others: &[(GroupResource, Arc<Object>)],
    bound: &[Arc<Object>],
    cluster: &Cluster,
) -> Option<Vec<(Option<Value>, String)>> {
    let Some(param_kind) = policy.at(["spec", "paramKind"]) else {
        return Some(vec![(None, String::new())]);
    };
    let kind = ParamKind::resolve(param_kind, cluster).ok();
    let is_param = |resource: &GroupResource| kind.as_ref().is_some_and(|kind| kind.resource == *resource);
    let given: Vec<_> = others.iter().filter(|(resource, _)| is_param(resource)).collect();
    let is_named = |params: &Object| {
        bound.iter().any(|binding| {
            let reference = |field| binding.text(["spec", "paramRef", field]);
            let namespace = reference("namespace");
            reference("name") == params.name() && (namespace.is_empty() || namespace == params.namespace())
        })
    };
    let (named, given): (Vec<_>, Vec<_>) = given.into_iter().partition(|(_, params)| is_named(params));
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
        return Some(given);
    }
    if !named.is_empty() {
        return None;
    }
    let param_ref = json!({"selector": {}, "parameterNotFoundAction": "Deny"});
    let kind = param_kind.text("kind");
    Some(vec![(Some(param_ref), format!(" and every {kind} that a request may have as parameters"))])
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
        let found = trials(&VALIDATING_ADMISSION_POLICIES, &policy, &[], &[], &cluster);
        assert_eq!(
            found[0].note,
            "no binding names the ValidatingAdmissionPolicy \"p\": it is tried as if bound to everything \
             with Deny and every ConfigMap that a request may have as parameters"
        );
        let (_, binding) = found[0].binding.clone().expect("a binding");
        assert!(trials(&VALIDATING_ADMISSION_POLICIES, &policy, &[], &[binding], &cluster).is_empty());
    }
}
