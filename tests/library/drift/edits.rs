//! Random edits of one field, each of which must be found alone and with its manager.

use std::collections::BTreeSet;

use gotext::value::{Map, json};
use kadmit::Value;
use kadmit::report::drift::Drift;
use kube_api::{GroupVersionKind, Object};
use kube_registry::merge;

use super::states::{Applied, differences, states, text};

/// A generator of the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }

    fn one<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// The ways to change an object by hand: the command, its field manager and the subresource.
const WAYS: [(&str, &str, &str); 6] = [
    ("edit", "kubectl-edit", ""),
    ("patch", "kubectl-patch", ""),
    ("scale", "kubectl", "scale"),
    ("annotate", "kubectl-annotate", ""),
    ("label", "kubectl-label", ""),
    ("set image", "kubectl-set", ""),
];

/// Changes one field of `object` by hand, as `kubectl` does in this way; returns the JSON pointer of the field, or
/// nothing if the object has no such field.
fn edit(object: &mut Value, way: &str, random: &mut Random) -> Option<String> {
    let fresh = format!("edit-{}", random.below(1_000_000));
    match way {
        "annotate" | "label" => {
            let field = if way == "label" { "labels" } else { "annotations" };
            let key = format!("example.com/{fresh}");
            let metadata = object["metadata"].as_object_mut()?;
            metadata.entry(field).or_insert_with(|| json!({})).as_object_mut()?.insert(&*key, fresh.into());
            Some(format!("/metadata/{field}/{}", key.replace('/', "~1")))
        }
        "scale" => {
            let replicas = object["spec"].get("replicas")?.as_u64()?;
            object["spec"]["replicas"] = (replicas + 1 + random.below(5) as u64).into();
            Some("/spec/replicas".to_owned())
        }
        "set image" => {
            let containers = object["spec"].get_mut("template")?["spec"]["containers"].as_array_mut()?;
            let index = random.below(containers.len());
            containers[index]["image"] = format!("registry.example.com/{fresh}:1").into();
            Some(format!("/spec/template/spec/containers/{index}/image"))
        }
        _ => {
            let mut found = Vec::new();
            for root in
                ["data", "spec", "rules", "subjects", "metadata", "parameters", "value", "provisioner"]
            {
                if let Some(value) = object.get(root) {
                    editable(value, &format!("/{root}"), &mut found);
                }
            }
            if found.is_empty() {
                return None;
            }
            let pointer = random.one(&found).clone();
            let value = at(object, &pointer);
            *value = changed(value, &fresh);
            Some(pointer)
        }
    }
}

/// The fields that a server lets be changed in an object of any kind, by the end of their path.
const EDITABLE: [&str; 14] = [
    "image",
    "replicas",
    "revisionHistoryLimit",
    "progressDeadlineSeconds",
    "terminationGracePeriodSeconds",
    "minReadySeconds",
    "averageUtilization",
    "maxReplicas",
    "targetPort",
    "suspend",
    "successfulJobsHistoryLimit",
    "failedJobsHistoryLimit",
    "host",
    "dnsPolicy",
];

fn editable(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                if *name == "managedFields" || *name == "ownerReferences" {
                    continue;
                }
                editable(value, &format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| editable(item, &format!("{path}/{index}"), found));
        }
        _ => {
            let last = path.rsplit('/').next().unwrap_or_default();
            let is_value = path.starts_with("/data/") || path.starts_with("/metadata/labels/");
            let is_own = path.contains("kubernetes.io~1");
            if !is_own && (is_value || EDITABLE.contains(&last)) {
                found.push(path.to_owned());
            }
        }
    }
}

fn changed(value: &Value, fresh: &str) -> Value {
    match value {
        Value::Bool(flag) => (!flag).into(),
        Value::Number(_) => (value.as_u64().unwrap_or_default() + 1).into(),
        Value::String(text) if text == "ClusterFirst" => "Default".into(),
        // Values of Secrets are in base64.
        Value::String(_) => fresh.replace('-', "").chars().take(8).collect::<String>().into(),
        other => other.clone(),
    }
}

fn at<'v>(value: &'v mut Value, pointer: &str) -> &'v mut Value {
    pointer.split('/').skip(1).fold(value, |value, step| {
        let step = step.replace("~1", "/").replace("~0", "~");
        match value {
            Value::Array(items) => &mut items[step.parse::<usize>().expect("an index")],
            value => value.get_mut(step.as_str()).expect("the field"),
        }
    })
}

/// Removes the fields of `set` from `owned`.
fn disown(owned: &mut Map, set: &Map) {
    let names: Vec<String> = set.iter().map(|(name, _)| name.to_string()).collect();
    for name in names {
        let (Some(below), Some(Value::Object(gone))) = (owned.get_mut(&name), set.get(&name)) else {
            continue;
        };
        let is_leaf = gone.is_empty();
        match below {
            Value::Object(below) if !is_leaf && !below.is_empty() => {
                disown(below, gone);
                if below.is_empty() {
                    owned.remove(&name);
                }
            }
            _ => drop(owned.remove(&name)),
        }
    }
}

/// Records that `manager` changed `before` to `after`.
fn record(before: &Value, after: &mut Value, (manager, sub_resource): (&str, &str)) {
    let kind = GroupVersionKind::from_api_version(text(before, "apiVersion"), text(before, "kind"));
    let object = |value: &Value| {
        let mut value = value.clone();
        value["metadata"].as_object_mut().expect("metadata").remove("managedFields");
        Object::new(kind.clone(), value)
    };
    let set = merge::changes(&object(before), &object(after), None);
    let entries =
        after["metadata"].get("managedFields").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut kept: Vec<Value> = Vec::new();
    for mut entry in entries {
        if let Some(owned) = entry.get_mut("fieldsV1").and_then(Value::as_object_mut) {
            disown(owned, &set);
        }
        kept.push(entry);
    }
    let mut own = json!({
        "manager": manager, "operation": "Update", "apiVersion": text(before, "apiVersion"),
        "time": "2026-02-03T04:05:06Z", "fieldsType": "FieldsV1", "fieldsV1": Value::Object(set),
    });
    if !sub_resource.is_empty() {
        own["subresource"] = sub_resource.into();
    }
    kept.push(own);
    after["metadata"]["managedFields"] = kept.into();
}

/// Whether `live` is an object of a manifest, and nothing but the manifest decides its fields.
fn is_of(drift: &Drift, live: &Value) -> bool {
    let (namespace, name) = (text(&live["metadata"], "namespace"), text(&live["metadata"], "name"));
    drift.objects.iter().any(|object| {
        let own = &object.identity;
        object.place.is_some()
            && (&*own.kind, &*own.namespace, &*own.name) == (text(live, "kind"), namespace, name)
            && object.explained.iter().all(|field| !field.in_manifest)
    })
}

/// Whether an autoscaler among the `live` objects has the `workload`.
fn is_scaled(workload: &Value, live: &[Value]) -> bool {
    let name = |object: &Value| text(&object["metadata"], "name").to_owned();
    live.iter().filter(|object| text(object, "kind") == "HorizontalPodAutoscaler").any(|autoscaler| {
        let target = &autoscaler["spec"]["scaleTargetRef"];
        text(target, "kind") == text(workload, "kind") && text(target, "name") == name(workload)
    })
}

/// Makes `count` edits, the same in every run, of the states that have no drift before; returns those that are not found
/// alone, or not with their manager.
pub(crate) fn not_found(count: usize) -> Vec<String> {
    let clean = |state: Applied| {
        let drift = state.drift_of(&state.live);
        let own: Vec<usize> = (0..state.live.len()).filter(|at| is_of(&drift, &state.live[*at])).collect();
        (differences(&drift).is_empty() && !own.is_empty()).then_some((state, own))
    };
    let states: Vec<(Applied, Vec<usize>)> = states().into_iter().filter_map(clean).collect();
    assert!(states.len() > 25, "only {} clean states", states.len());
    let mut random = Random(20_261_123);
    let (mut edits, mut wrong, mut ways) = (0, Vec::new(), BTreeSet::new());
    while edits < count {
        let (state, own) = random.one(&states);
        let index = *random.one(own);
        let (way, manager, sub_resource) = *random.one(&WAYS);
        let mut live = state.live.clone();
        let Some(pointer) = edit(&mut live[index], way, &mut random) else { continue };
        // What an autoscaler sets is its own, whoever wrote it last.
        if live[index] == state.live[index] || pointer == "/spec/replicas" && is_scaled(&live[index], &live) {
            continue;
        }
        record(&state.live[index], &mut live[index], (manager, sub_resource));
        edits += 1;
        ways.insert(way);
        let found = differences(&state.drift_of(&live));
        let found: Vec<_> = found.iter().filter(|line| !line.ends_with(" refused")).collect();
        let edited = &live[index];
        let (namespace, name) = (text(&edited["metadata"], "namespace"), text(&edited["metadata"], "name"));
        let separator = if namespace.is_empty() { "" } else { "/" };
        let path = pointer.replace("~1", "/").replace("~0", "~");
        let wanted = format!("{} {namespace}{separator}{name} {path} by {manager}", text(edited, "kind"));
        // Paths and pointers have the same names between different signs.
        let names = |line: &str| line.replace(['.', '/', '[', ']'], "");
        if found.len() != 1 || names(found[0]) != names(&wanted) {
            wrong.push(format!(
                "{}: {way} {pointer} of {}: {found:?}",
                state.name,
                text(&live[index], "kind")
            ));
        }
    }
    assert_eq!(ways.len(), WAYS.len(), "{ways:?}");
    wrong
}
