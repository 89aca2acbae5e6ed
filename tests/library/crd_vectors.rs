//! Compares answers about custom resources of real definitions with those of kube-apiserver v1.36.2:
//! `testdata/crd-vectors`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gotext::source::{Data, Node, SourceFile};
use gotext::value::json;
use kadmit::admission::{Operation, UserInfo};
use kadmit::cluster::{Cluster, Fixture};
use kadmit::configuration::{Configuration, Flags};
use kadmit::evaluation::{Evaluator, Outcome, Prepared, Request};
use kube_api::decode::FieldValidation;
use kube_api::{GroupVersionResource, Name, Object, Value};
use kube_yaml::read;

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/crd-vectors").join(folder);
    let entries = fs::read_dir(folder).expect("the vectors are there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    files.retain(|file| file.is_file() && file.extension().is_some_and(|extension| extension != "md"));
    files.sort();
    files
}

/// Returns a server with every definition and the namespace `shop`.
fn evaluator() -> Evaluator {
    let flags = Flags::default();
    let profile = Arc::new(flags.profile().expect("no gates"));
    let cluster = Arc::new(Cluster::new());
    let put = |node: Node| {
        let fixture = Fixture::read(node, "default", &cluster, &profile).expect("a cluster object");
        cluster.put(&fixture.resource, fixture.object);
    };
    put(Node::from(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})));
    for file in files("crds") {
        let text = fs::read_to_string(&file).expect("a definition");
        for document in read(&SourceFile::new(file.display().to_string(), text)) {
            put(document.expect("YAML").node);
        }
    }
    let configuration = Configuration::new(&flags, profile.clone(), cluster.clone()).expect("a chain");
    let evaluator = Evaluator::new(cluster, configuration.chain, profile, true);
    evaluator.authorized_by(configuration.authorizer).serving(flags.runtime_config())
}

fn request(record: &Node, body: Node) -> Request {
    let part = |field: &str| {
        let resource = record.get("resource").expect("a resource");
        resource.get(field).and_then(Node::as_str).unwrap_or_default().to_owned()
    };
    let namespace = body.get("metadata").and_then(|metadata| metadata.get("namespace"));
    let namespace = namespace.and_then(Node::as_str).unwrap_or("shop").to_owned();
    Request {
        place: None,
        operation: Some(Operation::Create),
        apply: None,
        resource: Some(GroupVersionResource::new(part("group"), part("version"), part("resource"))),
        kind: None,
        sub_resource: Name::Borrowed(""),
        namespace: Some(namespace),
        name: None,
        object: Some(body),
        old_object: None,
        options: None,
        dry_run: true,
        user_info: Arc::new(UserInfo {
            username: "alice".to_owned(),
            groups: vec!["system:authenticated".to_owned()],
            ..UserInfo::default()
        }),
        field_validation: FieldValidation::Warn,
        strict_errors: Vec::new(),
    }
}

/// Returns the errors of a message, which Go finds in random order.
fn parts(message: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = message.split(", ").map(|part| part.trim_matches(['[', ']'])).collect();
    let (start, first) = message.split_once(" is invalid: ").unwrap_or(("", ""));
    if !start.is_empty() {
        parts[0] = first.split(", ").next().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        parts.push(start);
    }
    parts.sort_unstable();
    parts
}

fn cleaned(object: Option<&Object>) -> Value {
    let Some(object) = object else { return Value::Null };
    let mut value = object.value.clone();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in ["uid", "creationTimestamp", "resourceVersion", "generation", "managedFields"] {
            metadata.remove(field);
        }
    }
    value
}

fn difference(outcome: &Outcome, expect: &Value) -> Option<String> {
    let status = outcome.status();
    let code = status.map_or(201, |status| u64::from(status.code));
    let message = status.map(|status| status.message.clone()).unwrap_or_default();
    let recorded = expect["message"].as_str().unwrap_or_default();
    if Some(code) != expect["code"].as_u64() || parts(recorded) != parts(&message) {
        return Some(format!("recorded: {} {recorded}\n  kadmit:   {code} {message}", expect["code"]));
    }
    let warnings = expect.get("warnings").cloned().unwrap_or_else(|| json!([]));
    if warnings != json!(outcome.trace.warnings) {
        return Some(format!("warnings {warnings} are {:?}", outcome.trace.warnings));
    }
    let object = cleaned(outcome.object.as_deref());
    (code == 201 && object != expect["object"]).then(|| {
        let change = kube_api::diff::json_patch(&expect["object"], &object);
        format!("object differs by {}", serde_json::to_string(&change).expect("a patch is JSON"))
    })
}

#[test]
fn agrees_with_the_recorded_answers() {
    let mut evaluator = evaluator();
    let (mut count, mut differences) = (0, Vec::new());
    for file in files("") {
        let text = fs::read_to_string(&file).expect("vectors");
        let source = SourceFile::new(file.display().to_string(), format!("{{\"records\": {text}}}"));
        let document = read(&source).next().expect("a document").expect("the vectors are JSON");
        let Some(Data::Array(records)) = document.node.get("records").map(|records| records.data.clone())
        else {
            panic!("{} has no vectors", file.display());
        };
        for (index, record) in records.into_iter().enumerate() {
            let body = record.get("body").expect("a body").clone();
            let request = request(&record, body);
            let prepared = Prepared::new(request, evaluator.profile());
            let outcome = evaluator.evaluate(prepared).expect("a known kind");
            let expect = record.get("expect").expect("an expectation").clone().into_value();
            count += 1;
            if let Some(difference) = difference(&outcome, &expect) {
                let name = file.file_stem().unwrap_or_default().to_string_lossy();
                differences.push(format!("{name} {index}: {difference}"));
            }
        }
    }
    assert_eq!(count, 2360);
    assert!(differences.is_empty(), "{} differ\n{}", differences.len(), differences.join("\n"));
}
