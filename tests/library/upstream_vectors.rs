//! Compares kadmit's handling of the objects of Kubernetes' own unit tests with the answers of kube-apiserver v1.36.2:
//! `testdata/upstream-vectors`. The records of `gates` are of a server with all alpha and beta gates on.
//!
//! `KADMIT_SHOW_DIFFERENCES=FILE cargo test --test library upstream_vectors` writes every difference to FILE.

#![expect(clippy::print_stdout, reason = "the tally is for whoever runs the tests")]

use std::env;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use flate2::read::GzDecoder;
use gotext::source::{Node, SourceFile};
use gotext::value::json;
use kadmit::admission::{Operation, UserInfo};
use kadmit::cluster::{Cluster, Fixture};
use kadmit::configuration::{Configuration, Flags};
use kadmit::evaluation::{Evaluator, Outcome, Prepared, Request};
use kube_api::decode::FieldValidation;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionResource, Name, Value};
use kube_registry::NOW;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use regex::{Captures, Regex};
use serde::Deserialize;
use serde_json::value::RawValue;

/// What the server had before any request.
const CLUSTER: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: shop}
";

/// The day on which the answers were recorded, as it starts their times.
const RECORDED: &str = "2026-11-23T";

#[test]
fn by_default() {
    run("", &[], 7336);
}

#[test]
fn with_all_gates() {
    run("gates", &[("--feature-gates", "AllAlpha=true,AllBeta=true")], 478);
}

/// Compares the answers in `folder`, recorded by a server with `flags`, of which there are `count`.
fn run(folder: &str, flags: &[(&str, &str)], count: usize) {
    let records = records(folder);
    let server = Settings::new(flags);
    let compare = |evaluator: &mut Evaluator, (index, record): &(String, Record)| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            server.compare(evaluator, record).err().map(|difference| (index.clone(), difference))
        }))
        .unwrap_or_else(|_| Some((index.clone(), format!("PANIC {} {}", record.kind, record.resource))))
    };
    let differences: Vec<_> = records.par_iter().map_init(|| server.evaluator(), compare).flatten().collect();
    println!("{} of {} records agree", records.len() - differences.len(), records.len());
    if let Some(file) = env::var_os("KADMIT_SHOW_DIFFERENCES") {
        let lines = differences.iter().map(|(index, text)| format!("=== {folder}/{index}\n{text}\n"));
        fs::write(format!("{}{folder}", file.display()), lines.collect::<String>()).expect("a file to write");
    }
    assert_eq!(records.len(), count, "records");
    let texts: Vec<_> = differences.iter().map(|(index, text)| format!("{index}: {text}")).collect();
    assert!(texts.is_empty(), "{}", texts.join("\n\n"));
}

/// Returns the records of the files in `folder`, with their names.
fn records(folder: &str) -> Vec<(String, Record)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/upstream-vectors").join(folder);
    let entries = fs::read_dir(root).expect("the vectors are there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "gz"));
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let mut text = String::new();
        GzDecoder::new(File::open(file).expect("a readable file")).read_to_string(&mut text).expect("UTF-8");
        let records: Vec<Record> = serde_json::from_str(&text).expect("the vectors are JSON");
        let name = file.file_name().expect("a name").to_string_lossy().replace(".json.gz", "");
        let named = records.into_iter().enumerate();
        named.map(|(index, record)| (format!("{name}#{index}"), record)).collect::<Vec<_>>()
    };
    files.par_iter().flat_map_iter(read).collect()
}

/// A request, and the server's answer.
#[derive(Deserialize)]
struct Record {
    resource: Value,
    kind: String,
    operation: String,
    what: String,
    old: Option<Box<RawValue>>,
    body: Box<RawValue>,
    expect: Value,
}

/// The recorded server.
struct Settings {
    flags: Flags,
    profile: Arc<ServerProfile>,
    user: Arc<UserInfo>,
}

impl Settings {
    fn new(given: &[(&str, &str)]) -> Self {
        const FLAGS: [(&str, &str); 4] = [
            ("--admission-control", "NamespaceLifecycle"),
            ("--authorization-mode", "AlwaysAllow"),
            ("--runtime-config", "api/all=true"),
            ("--service-cluster-ip-range", "10.96.0.0/16"),
        ];
        let mut flags = Flags::default();
        for (flag, value) in FLAGS.iter().chain(given) {
            assert!(flags.set(flag, value).expect("a valid value"), "a known flag");
        }
        let profile = Arc::new(flags.profile().expect("known gates"));
        let groups = vec!["system:authenticated".to_owned()];
        let user = UserInfo { username: "alice".to_owned(), groups, ..UserInfo::default() };
        Self { flags, profile, user: Arc::new(user) }
    }

    fn evaluator(&self) -> Evaluator {
        let cluster = Arc::new(Cluster::new());
        for document in kube_yaml::read(&SourceFile::new("cluster.yaml", CLUSTER)) {
            let node = document.expect("valid YAML").node;
            let fixture = Fixture::read(node, "shop", &cluster, &self.profile).expect("a fixture");
            cluster.put(&fixture.resource, fixture.object);
        }
        let configuration = Configuration::new(&self.flags, self.profile.clone(), cluster.clone());
        let configuration = configuration.expect("a valid configuration");
        Evaluator::new(cluster, configuration.chain, self.profile.clone(), true)
            .authorized_by(configuration.authorizer)
            .serving(self.flags.runtime_config())
            .with_service_network(self.flags.service_network.clone())
    }

    /// Returns the differences between the recorded answer and that of `evaluator`.
    fn compare(&self, evaluator: &mut Evaluator, record: &Record) -> Result<(), String> {
        let prepared = Prepared::new(self.request(record), &self.profile);
        let outcome = evaluator.evaluate(prepared).map_err(|error| error.to_string())?;
        let differences = differences(&outcome, record);
        if differences.is_empty() {
            return Ok(());
        }
        let about = format!(
            "{} {}/{} {} {} {}",
            record.operation,
            record.resource["group"],
            record.resource["version"],
            record.kind,
            record.resource["subresource"],
            record.what
        );
        Err(format!("{about}\n{}", differences.join("\n")))
    }

    fn request(&self, record: &Record) -> Request {
        let resource = |field: &str| record.resource[field].as_str().unwrap_or_default().to_owned();
        let body: Value = serde_json::from_str(record.body.get()).expect("JSON");
        let metadata = &body["metadata"];
        let text = |field: &str| metadata[field].as_str().map(str::to_owned);
        let operation = Operation::ALL.iter().find(|operation| record.operation == operation.as_str());
        Request {
            place: None,
            operation: Some(*operation.expect("an operation")),
            apply: None,
            resource: Some(GroupVersionResource::new(
                resource("group"),
                resource("version"),
                resource("resource"),
            )),
            kind: None,
            sub_resource: Name::Owned(resource("subresource")),
            namespace: text("namespace"),
            name: text("name"),
            object: Some(node(record.body.get())),
            old_object: record.old.as_ref().map(|old| node(&as_of_now(old.get(), record.body.get()))),
            options: None,
            dry_run: true,
            user_info: self.user.clone(),
            field_validation: FieldValidation::Warn,
            strict_errors: Vec::new(),
        }
    }
}

/// Returns the stored object as of the request, which came in the same second: times that the request does not have are
/// defaults that the server filled in when it read the object.
fn as_of_now(old: &str, body: &str) -> String {
    let now =
        |found: &Captures<'_>| if body.contains(&found[0]) { found[0].to_owned() } else { NOW.to_owned() };
    RECORDED_TIME.replace_all(old, now).into_owned()
}

/// Reads JSON, whose keys keep their order.
fn node(text: &str) -> Node {
    let source = SourceFile::new("body.json", text);
    kube_yaml::read(&source).next().expect("a document").expect("valid JSON").node
}

static RECORDED_TIME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!("{RECORDED}[^\"Z]*Z")).expect("valid"));

fn differences(outcome: &Outcome, record: &Record) -> Vec<String> {
    let expected = &record.expect;
    let status = outcome.status();
    let code = match status {
        Some(status) => status.code,
        None if outcome.operation == Operation::Create => 201,
        None => 200,
    };
    let written = format!("{} {}", record.body, record.old.as_deref().map_or("", RawValue::get));
    let mut differences = Vec::new();
    let mut differ = |what: &str, expected: String, actual: String| {
        if expected != actual {
            differences.push(format!("{what}\n  server: {expected}\n  kadmit: {actual}"));
        }
    };
    differ("code", expected["code"].to_string(), code.to_string());
    let message = normalized(status.map(|status| &*status.message).unwrap_or_default(), &written);
    let wanted = normalized(expected["message"].as_str().unwrap_or_default(), &written);
    if !is_reordered(&wanted, &message) {
        differ("message", wanted, message);
    }
    let reason = status.map(|status| status.reason.clone()).unwrap_or_default();
    differ("reason", expected["reason"].as_str().unwrap_or_default().to_owned(), reason);
    let warnings = expected.get("warnings").filter(|warnings| !warnings.is_null()).cloned();
    let warnings = warnings.unwrap_or_else(|| json!([])).to_string();
    differ(
        "warnings",
        normalized(&warnings, &written),
        normalized(&json!(outcome.trace.warnings).to_string(), &written),
    );
    if let Some(theirs) = expected.get("object") {
        let ours = outcome.object.as_ref().map_or(&Value::Null, |object| &object.value);
        let (theirs, ours) = (lasting(theirs, &written), lasting(ours, &written));
        let theirs = without_allocations(theirs, &ours);
        if theirs != ours {
            let difference = kube_api::diff::json_patch(&theirs, &ours);
            let difference = serde_json::to_string(&difference).expect("a patch is JSON");
            differ("object: kadmit's differs from the server's by", String::new(), difference);
        }
    }
    differences
}

/// Whether the messages have the same errors in another order: the server iterates maps in random order.
fn is_reordered(expected: &str, actual: &str) -> bool {
    let errors = |text: &str| {
        let text = text.rsplit_once(']').map_or(text, |(start, _)| start);
        let mut errors: Vec<String> = text.replacen('[', ", ", 1).split(", ").map(str::to_owned).collect();
        errors.sort();
        errors
    };
    expected.len() == actual.len() && errors(expected) == errors(actual)
}

/// Returns `text` without the times of the two servers, and without the uids that are not `written` in the request.
fn normalized(text: &str, written: &str) -> String {
    static TIME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(&format!("{NOW}|{RECORDED}[^\"Z]*Z")).expect("valid"));
    static UID: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}").expect("valid")
    });
    let text = TIME.replace_all(text, "TIME");
    let uid = |found: &Captures<'_>| {
        if written.contains(&found[0]) { found[0].to_owned() } else { "UID".to_owned() }
    };
    UID.replace_all(&text, uid).into_owned()
}

/// Returns an object without what only the server can generate.
fn lasting(object: &Value, written: &str) -> Value {
    let mut object: Value =
        serde_json::from_str(&normalized(&object.to_string(), written)).expect("still JSON");
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"] {
            metadata.remove(field);
        }
    }
    object
}

/// Returns the object of the server without the cluster IPs and node ports that it allocated and kadmit left open.
fn without_allocations(mut object: Value, ours: &Value) -> Value {
    if object["kind"] != "Service" {
        return object;
    }
    let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else { return object };
    for field in ["clusterIP", "clusterIPs", "healthCheckNodePort"] {
        if ours["spec"].get(field).is_none() {
            spec.remove(field);
        }
    }
    let ports = spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten();
    for (index, port) in ports.enumerate() {
        let Some(port) = port.as_object_mut() else { continue };
        if ours["spec"]["ports"][index].get("nodePort").is_none() {
            port.remove("nodePort");
        }
    }
    object
}
