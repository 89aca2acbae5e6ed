//! The documents of a step, sent to a server over HTTP as kubectl sends them.

use kadmit::{ApiServer, Server, SourceFile};
use kube_api::{GroupVersionKind, Object, Value};
use kube_registry::merge::{last_applied, three_way};

use gotext::value::json;

use super::answers;
use super::story::{Compared, Document, Step, list, read, text};
use crate::client::{Answer, Client};

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The parameter that kubectl always sends.
const STRICT: &str = "fieldValidation=Strict";

/// Returns the comparisons of the server's answers with `results` of the program that do not agree.
pub(crate) fn compare(step: &Step<'_>, results: &[Value]) -> Vec<Compared> {
    let before = json!({"apiVersion": "v1", "kind": "List", "items": step.before}).to_string();
    let cluster = ApiServer::from_flags(step.server_flags()).expect("flags");
    let cluster = cluster.cluster(&[SourceFile::new("cluster.json", before)]).expect("a cluster");
    let server = Server::start(cluster).expect("a free port");
    let mut client = Client::new(server.address(), server.certificate_authority(), server.token());
    if let Some(user) = step.user() {
        client = client.with(&format!("Impersonate-User: {}", text(user, "username")));
        for group in list(user, "groups").iter().filter_map(Value::as_str) {
            client = client.with(&format!("Impersonate-Group: {group}"));
        }
    }
    let mut files = step.files.clone();
    files.sort();
    let manifests: Vec<(String, Value)> = files
        .iter()
        .flat_map(|(name, source)| read(name, source).into_iter().map(move |object| (name.clone(), object)))
        .collect();
    let documents: Vec<Document> =
        manifests.iter().map(|(file, object)| super::story::document(file, object)).collect();
    let admin = Client::new(server.address(), server.certificate_authority(), server.token());
    let mut compared = Vec::new();
    for ((_, manifest), (document, result)) in manifests.iter().zip(answers::answered(&documents, results)) {
        // What kubectl refuses is not sent.
        let (Some(result), Some(url)) = (result, Url::of(&admin, step, manifest)) else { continue };
        let Some(answer) = send(&client, step, manifest, &url) else { continue };
        let subject = format!("{} {}", document.kind, document.name);
        // The program shows no object of a deletion.
        let shows_object = text(step.given, "apply") != "delete";
        let (served, run) = (of_answer(&answer, shows_object), of_result(result));
        let one = Compared { sort: "answer", subject, cluster: served, kadmit: run };
        compared.extend((!one.agrees()).then_some(one));
    }
    compared
}

/// The paths of an object.
struct Url {
    collection: String,
    object: String,
}

impl Url {
    /// Asks `client` how the kind of `manifest` is served.
    fn of(client: &Client, step: &Step<'_>, manifest: &Value) -> Option<Self> {
        let api_version = text(manifest, "apiVersion");
        let root = if api_version.contains('/') { "apis" } else { "api" };
        let resources = client.get(&format!("/{root}/{api_version}"));
        let resources = gotext::encoding_json::from_slice(resources.body.as_bytes()).ok()?;
        let kind = text(manifest, "kind");
        let found = list(&resources, "resources")
            .iter()
            .find(|found| text(found, "kind") == kind && !text(found, "name").contains('/'))?;
        let metadata = &manifest["metadata"];
        let arguments = step.arguments();
        let named = arguments.iter().position(|argument| *argument == "-n");
        let default = named.map_or("default", |position| arguments[position + 1]);
        let namespace = Some(text(metadata, "namespace")).filter(|own| !own.is_empty()).unwrap_or(default);
        let plural = text(found, "name");
        let collection = if found["namespaced"] == true {
            format!("/{root}/{api_version}/namespaces/{namespace}/{plural}")
        } else {
            format!("/{root}/{api_version}/{plural}")
        };
        let object = format!("{collection}/{}", text(metadata, "name"));
        Some(Self { collection, object })
    }
}

/// Sends a manifest as kubectl does; nothing is sent if nothing changes.
fn send(client: &Client, step: &Step<'_>, manifest: &Value, url: &Url) -> Option<Answer> {
    let object = &url.object;
    Some(match text(step.given, "apply") {
        "create" => create(client, manifest.clone(), url),
        "replace" => client.put(&format!("{object}?{STRICT}"), manifest),
        "delete" => client.delete(object),
        "server-side" => {
            let force = step.arguments().contains(&"--force-conflicts");
            let url = format!("{object}?fieldManager=kubectl&force={force}&{STRICT}");
            let apply = || client.patch(&url, "apply-patch+yaml", manifest);
            let applied = apply();
            let is_applied = applied.code < 400;
            if is_applied && hand_over(client, object, applied.object(applied.code)) {
                apply()
            } else {
                applied
            }
        }
        _ => return apply(client, manifest, url),
    })
}

/// Gives what `kubectl apply` owns to the manager of `kubectl apply --server-side`, and returns whether that was to be
/// done. Like kubectl, it tries again if a controller wrote in between.
fn hand_over(client: &Client, url: &str, mut latest: Value) -> bool {
    while let Some(patch) = handed_over(&latest) {
        let patched = client.patch(url, "json-patch+json", &patch);
        if patched.code != 409 {
            patched.object(200);
            return true;
        }
        latest = client.get(url).object(200);
    }
    false
}

/// Returns the patch that gives what `kubectl apply` owns to the manager of `kubectl apply --server-side`.
///
/// Source: `UpgradeManagedFieldsPatch` of `k8s.io/client-go/util/csaupgrade`
fn handed_over(object: &Value) -> Option<Value> {
    let metadata = &object["metadata"];
    metadata["annotations"].get(LAST_APPLIED)?;
    let is_of = |entry: &Value, manager: &str, operation: &str| {
        text(entry, "manager") == manager && text(entry, "operation") == operation
    };
    let mut managers = list(metadata, "managedFields").to_vec();
    let given = managers.iter().position(|entry| is_of(entry, "kubectl-client-side-apply", "Update"))?;
    let given = managers.remove(given);
    let taker = managers.iter_mut().find(|entry| is_of(entry, "kubectl", "Apply"))?;
    unite(&mut taker["fieldsV1"], &given["fieldsV1"]);
    Some(json!([
        {"op": "replace", "path": "/metadata/managedFields", "value": managers},
        {"op": "replace", "path": "/metadata/resourceVersion", "value": metadata["resourceVersion"]},
    ]))
}

/// Adds the fields of a set to another one.
fn unite(fields: &mut Value, more: &Value) {
    for (name, below) in more.as_object().into_iter().flatten() {
        if fields.get(&**name).is_none() {
            fields[&**name] = json!({});
        }
        unite(&mut fields[&**name], below);
    }
}

/// Source: `Helper.Create` of `k8s.io/cli-runtime/pkg/resource`
fn create(client: &Client, mut manifest: Value, url: &Url) -> Answer {
    if let Some(Value::Object(metadata)) = manifest.get_mut("metadata") {
        metadata.remove("resourceVersion");
    }
    client.post(&format!("{}?{STRICT}", url.collection), &manifest)
}

/// Source: `Patcher` of `k8s.io/kubectl/pkg/cmd/apply`
fn apply(client: &Client, manifest: &Value, url: &Url) -> Option<Answer> {
    let mut recorded = manifest.clone();
    recorded["metadata"]["annotations"][LAST_APPLIED] = format!("{manifest}\n").into();
    let live = client.get(&url.object);
    if live.code == 404 {
        return Some(create(client, recorded, url));
    }
    if live.code != 200 {
        return Some(live);
    }
    let kind = GroupVersionKind::from_api_version(text(manifest, "apiVersion"), text(manifest, "kind"));
    let is_custom = kube_api::resource::by_kind(&kind).is_none();
    let live = Object::new(kind, live.object(200));
    let merged = three_way(&live, &recorded, last_applied(&live).as_ref(), is_custom);
    let patch = difference(&live.value, &merged)?;
    Some(client.patch(&format!("{}?{STRICT}", url.object), "merge-patch+json", &patch))
}

/// Returns the merge patch that turns `before` into `after`; nothing if they are the same.
fn difference(before: &Value, after: &Value) -> Option<Value> {
    if before == after {
        return None;
    }
    let (Some(old), Some(new)) = (before.as_object(), after.as_object()) else { return Some(after.clone()) };
    let mut patch = json!({});
    for (name, _) in old.iter().filter(|(name, _)| !new.contains_key(name)) {
        patch[&**name] = Value::Null;
    }
    for (name, value) in new {
        match old.get(name) {
            Some(former) => {
                if let Some(changed) = difference(former, value) {
                    patch[&**name] = changed;
                }
            }
            None => patch[&**name] = value.clone(),
        }
    }
    Some(patch)
}

/// Shows an answer without what differs between any two servers.
fn of_answer(answer: &Answer, shows_object: bool) -> String {
    if answer.code >= 400 {
        let (code, _, message) = answer.refusal();
        return format!("{code} {message}");
    }
    let warnings: Vec<Value> = answer
        .headers
        .lines()
        .filter_map(|line| line.strip_prefix("warning: 299 - \"")?.strip_suffix('"'))
        .map(|warning| warning.replace("\\\"", "\"").replace("\\\\", "\\").into())
        .collect();
    let object = gotext::encoding_json::from_slice(answer.body.as_bytes()).expect("JSON");
    let object = if shows_object && text(&object, "kind") != "Status" { object } else { Value::Null };
    admitted(&json!({"warnings": warnings}), &object)
}

fn of_result(result: &Value) -> String {
    if result["allowed"] != true {
        return format!("{} {}", result["status"]["code"], text(&result["status"], "message"));
    }
    let object = result.get("object").unwrap_or(&Value::Null);
    admitted(result, object)
}

fn admitted(warnings: &Value, object: &Value) -> String {
    let shown = [answers::stored(object), answers::warnings(warnings)];
    let shown: Vec<String> = shown.into_iter().filter(|text| !text.is_empty()).collect();
    if shown.is_empty() { "admitted".to_owned() } else { shown.join("\n") }
}
