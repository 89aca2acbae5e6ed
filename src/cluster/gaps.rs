//! Finds what is missing among the objects that were collected from a cluster.

use std::collections::BTreeSet;
use std::sync::Arc;

use gotext::quote;
use kube_api::kinds::{self, GroupKind};
use kube_api::resources::SYSTEM_PRIORITY_CLASSES;
use kube_api::{Map, Object};
use kube_registry::pod::PodTemplate;

/// Something that an object needs and that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The object that needs it.
    pub object: usize,
    /// The missing object.
    pub message: String,
    /// Advice on how to get it.
    pub help: String,
}

/// Namespaces that every cluster has.
const OWN_NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

const POLICY_BINDINGS: [GroupKind<'static>; 2] =
    [kinds::VALIDATING_ADMISSION_POLICY_BINDING, kinds::MUTATING_ADMISSION_POLICY_BINDING];

/// What a pod may name: the field, the kind, and the names that every cluster has.
const NAMED_BY_PODS: [(&str, GroupKind<'static>, &[&str]); 3] = [
    ("serviceAccountName", kinds::SERVICE_ACCOUNT, &["default"]),
    (
        "priorityClassName",
        GroupKind { group: "scheduling.k8s.io", kind: "PriorityClass" },
        &SYSTEM_PRIORITY_CLASSES,
    ),
    ("runtimeClassName", GroupKind { group: "node.k8s.io", kind: "RuntimeClass" }, &[]),
];

/// Returns what is missing among `objects`: undeclared namespaces, the status of quotas, the policies of bindings,
/// the parameters of policies, the accounts and classes that pods name, and the managed fields of objects that come from
/// a cluster.
pub fn gaps(objects: &[Arc<Object>]) -> Vec<Gap> {
    let mut namespaces: BTreeSet<&str> = OWN_NAMESPACES.into();
    namespaces
        .extend(objects.iter().filter(|object| object.kind.is(kinds::NAMESPACE)).map(|object| object.name()));
    let mut gaps = Vec::new();
    let mut said = BTreeSet::new();
    for (index, object) in objects.iter().enumerate() {
        let namespace = object.namespace();
        if !namespace.is_empty() && namespaces.insert(namespace) {
            gaps.push(Gap {
                object: index,
                message: format!("the namespace {} is not declared", quote(namespace)),
                help: format!("kubectl get namespace {} --output yaml", argument(namespace)),
            });
        }
        let is_binding = |kind: &GroupKind<'_>| object.kind.is(*kind);
        let mut found = named_by_pod(object, objects);
        found.retain(|(message, _)| said.insert(message.clone()));
        gaps.extend(found.into_iter().map(|(message, help)| Gap { object: index, message, help }));
        let found = if object.kind.is(kinds::RESOURCE_QUOTA) {
            status_of_quota(object)
        } else if POLICY_BINDINGS.iter().any(is_binding) {
            policy_of_binding(object, objects)
        } else {
            Vec::new()
        };
        gaps.extend(found.into_iter().map(|(message, help)| Gap { object: index, message, help }));
    }
    gaps.extend(managed_fields(objects));
    gaps
}

/// Returns the gaps of a pod, or of the template of one: the account and the classes that it names.
fn named_by_pod(object: &Object, objects: &[Arc<Object>]) -> Vec<(String, String)> {
    let Some(pod) = PodTemplate::of(object) else { return Vec::new() };
    let missing = NAMED_BY_PODS.iter().filter_map(|(field, kind, own)| {
        let name = pod.text(*field);
        let namespace = if kind.group.is_empty() { object.namespace() } else { "" };
        let is_it = |other: &Arc<Object>| {
            other.kind.is(*kind) && other.name() == name && other.namespace() == namespace
        };
        if name.is_empty() || own.contains(&name) || objects.iter().any(is_it) {
            return None;
        }
        let (place, flag) = match namespace {
            "" => (String::new(), String::new()),
            namespace => (format!("{namespace}/"), format!(" --namespace {}", argument(namespace))),
        };
        let message = format!("the {} {} is missing", kind.kind, quote(&format!("{place}{name}")));
        let kind = kind.kind.to_lowercase();
        Some((message, format!("kubectl get {kind} {}{flag} --output yaml", argument(name))))
    });
    missing.collect()
}

/// kubectl omits managed fields without a flag. A server-side apply detects conflicts by them.
fn managed_fields(objects: &[Arc<Object>]) -> Option<Gap> {
    let is_stripped = |object: &Arc<Object>| {
        !object.text(["metadata", "resourceVersion"]).is_empty()
            && object.list(["metadata", "managedFields"]).is_empty()
    };
    let first = objects.iter().position(is_stripped)?;
    let has_any = |object: &Arc<Object>| !object.list(["metadata", "managedFields"]).is_empty();
    if objects.iter().any(has_any) {
        return None;
    }
    let message =
        "the objects have no managed fields, so that conflicts of a server-side apply go unseen".to_owned();
    Some(Gap { object: first, message, help: "kubectl get --show-managed-fields".to_owned() })
}

/// Returns the gap of a quota without a status, whose usage is unknown.
fn status_of_quota(quota: &Object) -> Vec<(String, String)> {
    let names = |field: &str| {
        let map = quota.child([field, "hard"]);
        map.into_iter().flat_map(Map::keys).collect::<BTreeSet<_>>()
    };
    if names("spec").is_subset(&names("status")) && quota.has(["status", "used"]) {
        return Vec::new();
    }
    let (namespace, name) = (quota.namespace(), quota.name());
    let message =
        format!("the status of the quota {} does not have the usage", quote(&format!("{namespace}/{name}")));
    let (namespace, name) = (argument(namespace), argument(name));
    vec![(message, format!("kubectl get resourcequota {name} --namespace {namespace} --output yaml"))]
}

fn policy_of_binding(binding: &Object, objects: &[Arc<Object>]) -> Vec<(String, String)> {
    let kind = binding.kind.kind.trim_end_matches("Binding");
    let policy_name = binding.text(["spec", "policyName"]);
    let policy = objects.iter().find(|object| {
        object.kind.group == binding.kind.group && object.kind.kind == kind && object.name() == policy_name
    });
    let Some(policy) = policy else {
        let message =
            format!("the {kind} {} of the binding {} is missing", quote(policy_name), quote(binding.name()));
        let help = format!("kubectl get {} {} --output yaml", kind.to_lowercase(), argument(policy_name));
        return vec![(message, help)];
    };
    let (Some(param_kind), Some(reference)) =
        (policy.at(["spec", "paramKind"]), binding.at(["spec", "paramRef"]))
    else {
        return Vec::new();
    };
    let (api_version, kind) = (param_kind.text("apiVersion"), param_kind.text("kind"));
    let (namespace, name) = (reference.text("namespace"), reference.text("name"));
    let is_param = |object: &&Arc<Object>| {
        object.kind.api_version() == api_version
            && object.kind.kind == kind
            && (name.is_empty() || object.name() == name)
            && (namespace.is_empty() || object.namespace().is_empty() || object.namespace() == namespace)
    };
    if objects.iter().any(|object| is_param(&object)) {
        return Vec::new();
    }
    let named = if name.is_empty() { String::new() } else { format!(" {}", quote(name)) };
    let binding = quote(binding.name());
    let message = format!("the parameters of the binding {binding}, {kind}{named}, are missing");
    let kind = argument(&kind.to_lowercase());
    vec![(message, format!("kubectl get {kind} --all-namespaces --output yaml"))]
}

/// Returns `text` as one argument of a shell, which evaluates nothing in it.
fn argument(text: &str) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '.' | '_' | ':');
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.escape_debug().to_string().replace("\\'", "'").replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;
    use kube_api::Value;

    fn object(api_version: &str, kind: &str, mut value: Value) -> Arc<Object> {
        value["apiVersion"] = api_version.into();
        value["kind"] = kind.into();
        Arc::new(Object::new(GroupVersionKind::from_api_version(api_version, kind), value))
    }

    fn messages(objects: &[Arc<Object>]) -> Vec<String> {
        gaps(objects).into_iter().map(|gap| gap.message).collect()
    }

    #[test]
    fn asks_once_for_a_namespace() {
        let metadata = |namespace: &str| json!({"metadata": {"name": "a", "namespace": namespace}});
        let limits = |namespace| object("v1", "LimitRange", metadata(namespace));
        let shop = object("v1", "Namespace", json!({"metadata": {"name": "shop"}}));
        let objects = [limits("team"), limits("team"), limits("shop"), limits("default"), shop];
        assert_eq!(messages(&objects), ["the namespace \"team\" is not declared"]);
    }

    #[test]
    fn asks_once_for_what_pods_name() {
        let spec = json!({"serviceAccountName": "api", "priorityClassName": "system-node-critical",
            "runtimeClassName": "gvisor"});
        let metadata = json!({"name": "a", "namespace": "default"});
        let pod = object("v1", "Pod", json!({"metadata": metadata, "spec": spec}));
        let template = json!({"metadata": metadata, "spec": {"template": {"spec": spec}}});
        let deployment = object("apps/v1", "Deployment", template);
        let missing =
            ["the ServiceAccount \"default/api\" is missing", "the RuntimeClass \"gvisor\" is missing"];
        assert_eq!(messages(&[pod.clone(), deployment]), missing);
        let account =
            object("v1", "ServiceAccount", json!({"metadata": {"name": "api", "namespace": "default"}}));
        let class = object("node.k8s.io/v1", "RuntimeClass", json!({"metadata": {"name": "gvisor"}}));
        assert!(messages(&[pod, account, class]).is_empty());
    }

    #[test]
    fn asks_for_what_is_used_of_a_quota() {
        let quota = |status| {
            let spec = json!({"hard": {"pods": "3"}});
            object(
                "v1",
                "ResourceQuota",
                json!({"metadata": {"name": "q", "namespace": "default"}, "spec": spec, "status": status}),
            )
        };
        assert!(messages(&[quota(json!({"hard": {"pods": "3"}, "used": {"pods": "0"}}))]).is_empty());
        let missing = ["the status of the quota \"default/q\" does not have the usage"];
        assert_eq!(messages(&[quota(json!({}))]), missing);
        assert_eq!(messages(&[quota(json!({"hard": {"cpu": "1"}, "used": {}}))]), missing);
    }

    #[test]
    fn asks_for_policies_and_their_parameters() {
        const API: &str = "admissionregistration.k8s.io/v1";
        let binding = |name: &str| {
            object(
                API,
                "ValidatingAdmissionPolicyBinding",
                json!({
                    "metadata": {"name": "b"},
                    "spec": {"policyName": name, "paramRef": {"name": "limits", "namespace": "default"}},
                }),
            )
        };
        let policy = object(
            API,
            "ValidatingAdmissionPolicy",
            json!({
                "metadata": {"name": "p"},
                "spec": {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}},
            }),
        );
        let map =
            |name| object("v1", "ConfigMap", json!({"metadata": {"name": name, "namespace": "default"}}));
        assert_eq!(
            messages(&[binding("other"), policy.clone()]),
            ["the ValidatingAdmissionPolicy \"other\" of the binding \"b\" is missing"]
        );
        assert_eq!(
            messages(&[binding("p"), policy.clone(), map("other")]),
            ["the parameters of the binding \"b\", ConfigMap \"limits\", are missing"]
        );
        assert!(messages(&[binding("p"), policy, map("limits")]).is_empty());
    }
}
