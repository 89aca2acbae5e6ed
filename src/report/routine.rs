//! Changes that plugins make to almost every object, in a few words.

use kube_api::diff::{self, PatchOperation};
use kube_api::{Object, Value};

/// Where a container finds the token of its service account.
const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The name of the volume with the token, before its generated part.
const TOKEN_VOLUME: &str = "kube-api-access-";
/// A part of the name of a token's secret.
const TOKEN_SECRET: &str = "-token-";

/// The prefix of the keys of default tolerations.
const NODE: &str = "node.kubernetes.io/";

/// Says what `plugin` changed, if it is what it usually changes and nothing else.
pub(super) fn routine(plugin: &str, before: &Object, after: &Object) -> Option<String> {
    match plugin {
        "ServiceAccount" => token(before, after),
        "DefaultTolerationSeconds" => tolerations(before, after),
        "Priority" => priority(before, after),
        "RuntimeClass" => runtime_class(before, after),
        "DefaultStorageClass" => class("storageClassName", before, after),
        "DefaultIngressClass" => class("ingressClassName", before, after),
        "StorageObjectInUseProtection" => finalizer(before, after),
        _ => None,
    }
}

/// Every addition as its path in steps and its value; nothing if anything else is changed.
fn additions(before: &Object, after: &Object) -> Option<Vec<(Vec<String>, Value)>> {
    let addition = |operation: PatchOperation| match operation {
        PatchOperation::Add { path, value } => {
            Some((path.split('/').skip(1).map(str::to_owned).collect(), value))
        }
        _ => None,
    };
    diff::json_patch(&before.value, &after.value).into_iter().map(addition).collect()
}

/// The items that are added to a list, which may be new; `rest` is what follows the name of the list in the path.
fn items<'a>(rest: &[&str], value: &'a Value) -> Option<Vec<&'a Value>> {
    match rest {
        [] => Some(value.as_array()?.iter().collect()),
        [_] => Some(vec![value]),
        _ => None,
    }
}

/// `service account default, its token mounted`
fn token(before: &Object, after: &Object) -> Option<String> {
    let account = after.text(["spec", "serviceAccountName"]);
    let (mut sets_account, mut mounts) = (false, false);
    for (path, value) in additions(before, after)? {
        let steps: Vec<&str> = path.iter().map(String::as_str).collect();
        match &steps[..] {
            ["spec", "serviceAccountName" | "serviceAccount"] => sets_account = true,
            ["spec", "volumes", rest @ ..] => {
                items(rest, &value)?.into_iter().all(is_token).then_some(())?;
            }
            ["spec", "containers" | "initContainers", _, "volumeMounts", rest @ ..] => {
                items(rest, &value)?.into_iter().all(is_mount).then_some(())?;
                mounts = true;
            }
            _ => return None,
        }
    }
    match (sets_account, mounts) {
        (true, true) => Some(format!("service account {account}, its token mounted")),
        (true, false) => Some(format!("service account {account}")),
        (false, true) => Some(format!("token of service account {account} mounted")),
        (false, false) => None,
    }
}

fn is_token(volume: &Value) -> bool {
    let has_keys = |value: &Value, keys: &[&str]| {
        value.as_object().is_some_and(|map| map.keys().all(|key| keys.contains(&key.as_str())))
    };
    let sources = volume.pointer("/projected/sources").and_then(Value::as_array);
    let is_known = |source: &Value| has_keys(source, &["serviceAccountToken", "configMap", "downwardAPI"]);
    // Before 1.21 it is a secret.
    let secret = volume.text(["secret", "secretName"]);
    has_keys(volume, &["name", "projected"])
        && volume.text("name").starts_with(TOKEN_VOLUME)
        && sources.is_some_and(|sources| sources.iter().all(is_known))
        || has_keys(volume, &["name", "secret"]) && secret.contains(TOKEN_SECRET)
}

fn is_mount(mount: &Value) -> bool {
    let name = mount.text("name");
    (name.starts_with(TOKEN_VOLUME) || name.contains(TOKEN_SECRET)) && mount.text("mountPath") == TOKEN_PATH
}

/// `not-ready and unreachable for 300s`
fn tolerations(before: &Object, after: &Object) -> Option<String> {
    let (mut nodes, mut seconds) = (Vec::new(), None);
    for (path, value) in additions(before, after)? {
        let steps: Vec<&str> = path.iter().map(String::as_str).collect();
        let ["spec", "tolerations", rest @ ..] = &steps[..] else { return None };
        for toleration in items(rest, &value)? {
            let is_usual = toleration.text("effect") == "NoExecute"
                && toleration.text("operator") == "Exists"
                && toleration.as_object().is_some_and(|map| map.len() == 4);
            let node = toleration.text("key").strip_prefix(NODE).filter(|_| is_usual)?;
            let given = toleration.get("tolerationSeconds")?.as_i64()?;
            (*seconds.get_or_insert(given) == given).then_some(())?;
            nodes.push(node.to_owned());
        }
    }
    Some(format!("{} for {}s", nodes.join(" and "), seconds?))
}

/// `priority 0`
fn priority(before: &Object, after: &Object) -> Option<String> {
    let is_usual = |(path, value): (Vec<String>, Value)| {
        let steps: Vec<&str> = path.iter().map(String::as_str).collect();
        match &steps[..] {
            ["spec", "priority"] => true,
            ["spec", "preemptionPolicy"] => value == "PreemptLowerPriority",
            _ => false,
        }
    };
    let is_usual = additions(before, after)?.into_iter().all(is_usual);
    is_usual.then(|| format!("priority {}", after.int(["spec", "priority"])))
}

/// `node selector sandbox=gvisor, overhead cpu 50m, memory 64Mi`
fn runtime_class(before: &Object, after: &Object) -> Option<String> {
    let (mut selector, mut overhead) = (Vec::new(), Vec::new());
    for (path, value) in additions(before, after)? {
        let steps: Vec<&str> = path.iter().map(String::as_str).collect();
        let (list, separator) = match steps.get(..2)? {
            ["spec", "nodeSelector"] => (&mut selector, "="),
            ["spec", "overhead"] => (&mut overhead, " "),
            _ => return None,
        };
        match (&steps[2..], &value) {
            ([key], Value::String(value)) => list.push(format!("{key}{separator}{value}")),
            ([], Value::Object(map)) => {
                let entries = map
                    .iter()
                    .map(|(key, value)| format!("{key}{separator}{}", value.as_str().unwrap_or_default()));
                list.extend(entries);
            }
            _ => return None,
        }
    }
    let part =
        |name: &str, list: &[String]| (!list.is_empty()).then(|| format!("{name} {}", list.join(", ")));
    let parts: Vec<String> =
        [part("node selector", &selector), part("overhead", &overhead)].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `class fast`
fn class(field: &str, before: &Object, after: &Object) -> Option<String> {
    match &additions(before, after)?[..] {
        [(path, Value::String(name))] if *path == ["spec", field] => Some(format!("class {name}")),
        _ => None,
    }
}

/// `kubernetes.io/pvc-protection`
fn finalizer(before: &Object, after: &Object) -> Option<String> {
    let mut names = Vec::new();
    for (path, value) in additions(before, after)? {
        let steps: Vec<&str> = path.iter().map(String::as_str).collect();
        let ["metadata", "finalizers", rest @ ..] = &steps[..] else { return None };
        for name in items(rest, &value)? {
            names.push(name.as_str()?.to_owned());
        }
    }
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    fn summary(plugin: &str, before: Value, after: Value) -> Option<String> {
        let pod = |spec| Object::new(GroupVersionKind::new("", "v1", "Pod"), json!({"spec": spec}));
        routine(plugin, &pod(before), &pod(after))
    }

    fn toleration(node: &str, seconds: i64) -> Value {
        json!({"key": format!("{NODE}{node}"), "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds})
    }

    #[test]
    fn a_token_is_routine_and_other_volumes_are_not() {
        let mount = json!({"name": "kube-api-access-x", "mountPath": TOKEN_PATH, "readOnly": true});
        let volume =
            json!({"name": "kube-api-access-x", "projected": {"sources": [{"serviceAccountToken": {}}]}});
        let before = json!({"containers": [{"name": "a"}, {"name": "b", "volumeMounts": [{"name": "c"}]}]});
        let after = json!({
            "containers": [{"name": "a", "volumeMounts": [mount]}, {"name": "b", "volumeMounts": [{"name": "c"}, mount]}],
            "volumes": [volume],
            "serviceAccount": "default",
            "serviceAccountName": "default",
        });
        let says = summary("ServiceAccount", before.clone(), after.clone());
        assert_eq!(says.as_deref(), Some("service account default, its token mounted"));
        let mut other = after.clone();
        other["imagePullSecrets"] = json!([{"name": "a"}]);
        assert_eq!(summary("ServiceAccount", before.clone(), other), None);
        let mut other = after;
        other["volumes"] = json!([{"name": "kube-api-access-x", "emptyDir": {}}]);
        assert_eq!(summary("ServiceAccount", before, other), None);
    }

    #[test]
    fn default_tolerations_are_routine() {
        let after = json!({"tolerations": [toleration("not-ready", 300), toleration("unreachable", 300)]});
        let says = summary("DefaultTolerationSeconds", json!({}), after);
        assert_eq!(says.as_deref(), Some("not-ready and unreachable for 300s"));
        let after = json!({"tolerations": [{"key": "a"}, toleration("unreachable", 60)]});
        let says = summary("DefaultTolerationSeconds", json!({"tolerations": [{"key": "a"}]}), after);
        assert_eq!(says.as_deref(), Some("unreachable for 60s"));
        let after = json!({"tolerations": [toleration("not-ready", 300), toleration("unreachable", 60)]});
        assert_eq!(summary("DefaultTolerationSeconds", json!({}), after), None);
    }

    #[test]
    fn what_classes_set_is_routine() {
        let after =
            json!({"nodeSelector": {"sandbox": "gvisor"}, "overhead": {"cpu": "50m", "memory": "64Mi"}});
        let says = summary("RuntimeClass", json!({}), after);
        assert_eq!(says.as_deref(), Some("node selector sandbox=gvisor, overhead cpu 50m, memory 64Mi"));
        let says = summary("DefaultStorageClass", json!({}), json!({"storageClassName": "fast"}));
        assert_eq!(says.as_deref(), Some("class fast"));
        assert_eq!(
            summary(
                "DefaultStorageClass",
                json!({"storageClassName": ""}),
                json!({"storageClassName": "fast"})
            ),
            None
        );
    }

    #[test]
    fn the_priority_of_pods_is_routine() {
        let usual = json!({"priority": 0, "preemptionPolicy": "PreemptLowerPriority"});
        assert_eq!(summary("Priority", json!({}), usual).as_deref(), Some("priority 0"));
        assert_eq!(summary("Priority", json!({}), json!({"priority": 5})).as_deref(), Some("priority 5"));
        assert_eq!(summary("Priority", json!({}), json!({"priority": 0, "priorityClassName": "a"})), None);
    }
}
