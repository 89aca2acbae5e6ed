//! Live objects next to their manifests: what a cluster has after an apply is no drift, and a single edit of it is found
//! alone, with its manager.
//!
//! The live objects are those of `testdata/scenarios`, as a real cluster had them after each step. `KADMIT_EDITS` sets
//! the number of random edits, which are the same in every run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gotext::source::SourceFile;
use gotext::value::{Map, json};
use kadmit::report::drift::{Drift, DriftedObject, State};
use kadmit::{ApiServer, Apply, ApplyOptions, DriftOptions, Order, RequestDefaults, Value};
use kube_api::{GroupVersionKind, Object};
use kube_registry::merge;

/// A state of a cluster, and the manifests that led to it.
struct Applied {
    name: String,
    flags: Vec<String>,
    manifests: Vec<Arc<SourceFile>>,
    live: Vec<Value>,
    options: ApplyOptions,
    namespace: Option<String>,
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the states of all scenarios after a step, as the next step found them.
fn states() -> Vec<Applied> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/scenarios");
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .expect("the scenarios")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let is_scenario = |file: &&PathBuf| file.extension().is_some_and(|extension| extension == "yaml");
    files.iter().filter(is_scenario).flat_map(|file| of_scenario(file)).collect()
}

fn of_scenario(file: &Path) -> Vec<Applied> {
    let source = SourceFile::new("scenario.yaml", fs::read_to_string(file).expect("a scenario"));
    let scenario = kube_yaml::read(&source).next().expect("a document").expect("YAML").node.into_value();
    let expected = list(&scenario["expect"], "steps");
    let steps = list(&scenario, "steps").iter().enumerate().zip(expected.iter().skip(1));
    let states = steps.filter_map(|((position, step), next)| {
        let apply = match text(step, "apply") {
            "client-side" | "create" => Apply::ClientSide,
            "server-side" => Apply::ServerSide,
            "replace" => Apply::Replace,
            _ => return None,
        };
        let arguments: Vec<&str> = list(step, "args").iter().filter_map(Value::as_str).collect();
        let namespace = arguments.iter().position(|argument| *argument == "-n");
        let mut options = ApplyOptions::default();
        options.apply = apply;
        options.force_conflicts = arguments.contains(&"--force-conflicts");
        let files = step.get("files").and_then(Value::as_object).into_iter().flatten();
        let flags = scenario.get("server").map(|server| list(server, "flags")).unwrap_or_default();
        Some(Applied {
            name: format!("{} {}", file.file_stem()?.to_string_lossy(), position + 1),
            flags: flags.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            manifests: files
                .map(|(name, text)| SourceFile::new(&**name, text.as_str().unwrap_or_default()))
                .collect(),
            live: list(next, "before").to_vec(),
            options,
            namespace: namespace.and_then(|at| arguments.get(at + 1)).map(|name| (*name).to_owned()),
        })
    });
    states.collect()
}

impl Applied {
    fn drift_of(&self, live: &[Value]) -> Drift {
        let server = ApiServer::from_flags(&self.flags).expect("it starts").following_workloads(false);
        let dump = json!({"apiVersion": "v1", "kind": "List", "items": live.to_vec()});
        let cluster = server.cluster(&[SourceFile::new("live.json", dump.to_string())]).expect("a cluster");
        let mut defaults = RequestDefaults::of_release(server.release());
        defaults.apply = Arc::new(self.options.clone());
        if let Some(namespace) = &self.namespace {
            defaults.namespace.clone_from(namespace);
        }
        cluster.in_order(Order::File).drift_with(&self.manifests, &defaults, DriftOptions::default())
    }
}

/// What the cluster has other than its manifests say, in the recorded states: the work of others, and what the server or
/// `kubectl` refused to create or to change.
const DRIFTED: &[(&str, &[&str])] = &[
    (
        "client-side-drops-fields 1",
        &[
            "Deployment shop/web spec.replicas by kubectl-edit",
            "Deployment shop/web metadata.labels[by] by kubectl-edit",
        ],
    ),
    (
        "conflict-before-first-apply 1",
        &[
            "ConfigMap shop/settings refused",
            "ConfigMap shop/settings data[mode] by ",
            "Deployment shop/web refused",
            "Deployment shop/web spec.template.spec.containers[0].image by ",
        ],
    ),
    (
        "conflict-client-side-over-argocd 1",
        &[
            "ConfigMap shop/settings data[region] by argocd-controller",
            "Deployment shop/web metadata.labels[team] by argocd-controller",
        ],
    ),
    (
        "conflict-helm 1",
        &[
            "Deployment shop/web refused",
            "Deployment shop/web spec.replicas by helm",
            "Deployment shop/web spec.template.spec.containers[0].image by helm",
            "Deployment shop/web spec.template.spec.containers[0].resources.requests[cpu] by helm",
        ],
    ),
    (
        "conflict-helm 2",
        &["Deployment shop/web spec.template.spec.containers[0].resources.requests[cpu] by helm"],
    ),
    (
        "conflict-kubectl-edit 1",
        &["Deployment shop/web refused", "Deployment shop/web spec.replicas by kubectl-edit"],
    ),
    (
        "conflict-kubectl-edit 2",
        &["Deployment shop/web refused", "Deployment shop/web spec.replicas by kubectl-edit"],
    ),
    (
        "create-and-replace 2",
        &[
            "ConfigMap shop/settings data[mode] by kubectl-create",
            "Deployment shop/web spec.replicas by kubectl-create",
        ],
    ),
    ("dump-of-another-cluster-applied 1", &["ReplicaSet shop/web-7c5ddbdf54 missing"]),
    ("order-crd-and-custom-resource 1", &["Backup shop/nightly missing"]),
    ("order-deployment-before-namespace 1", &["Deployment shop/web missing"]),
];

/// Returns what differs, one line for each field, and for each object in another state.
fn differences(drift: &Drift) -> Vec<String> {
    let object = |object: &DriftedObject| {
        let identity = object.identity.to_string();
        let state = match object.state {
            State::Refused => Some("refused"),
            State::Missing => Some("missing"),
            State::Extra => Some("extra"),
            _ => None,
        };
        let state: Vec<String> = state.iter().map(|state| format!("{identity} {state}")).collect();
        let fields = object.fields.iter().map(|field| {
            let managers: Vec<&str> = field.writers.iter().map(|writer| &*writer.manager).collect();
            format!("{identity} {} by {}", field.path, managers.join(" "))
        });
        state.into_iter().chain(fields.collect::<Vec<_>>())
    };
    drift.objects.iter().flat_map(object).collect()
}

#[test]
fn what_was_applied_is_in_sync() {
    let mut wrong = Vec::new();
    let mut states = states();
    assert!(states.len() > 40, "only {} states", states.len());
    for state in &mut states {
        let drift = state.drift_of(&state.live);
        let found = differences(&drift);
        let known = DRIFTED.iter().find(|(name, _)| *name == state.name).map_or(&[][..], |(_, known)| known);
        if found != known {
            wrong.push(format!("    (\"{}\", &{found:#?}),", state.name));
        }
    }
    assert!(wrong.is_empty(), "{} states\n{}", wrong.len(), wrong.join("\n"));
}

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

#[test]
fn a_random_edit_is_found_alone() {
    let count: usize = std::env::var("KADMIT_EDITS").ok().and_then(|count| count.parse().ok()).unwrap_or(40);
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
        if live[index] == state.live[index] {
            continue;
        }
        record(&state.live[index], &mut live[index], (manager, sub_resource));
        edits += 1;
        ways.insert(way);
        let found = differences(&state.drift_of(&live));
        let found: Vec<_> = found.iter().filter(|line| !line.ends_with(" refused")).collect();
        let steps: Vec<String> =
            pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
        let last = steps.last().expect("a field");
        let is_it = |line: &str| {
            line.ends_with(&format!(" by {manager}"))
                && (line.contains(&format!("{last} by")) || line.contains(&format!("[{last}] by")))
        };
        if found.len() != 1 || !is_it(found[0]) {
            wrong.push(format!(
                "{}: {way} {pointer} of {}: {found:?}",
                state.name,
                text(&live[index], "kind")
            ));
        }
    }
    assert_eq!(ways.len(), WAYS.len(), "{ways:?}");
    assert!(wrong.is_empty(), "{} of {edits}\n{}", wrong.len(), wrong.join("\n"));
}
