//! Measures the time of runs, and that of reading alone: a thousand Pods and Deployments from the recorded cases,
//! through the default chain; eight times as many objects that are all refused, or all changed, whose time for each must
//! not grow; and the start for a single manifest.

use std::fmt::Write;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io, thread};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gotext::json;
use gotext::source::SourceFile;
use kadmit::cluster::Cluster;
use kadmit::configuration::{Configuration, Flags};
use kadmit::evaluation::{Evaluator, Outcome, Prepared, Request, RequestDefaults};
use kadmit::plugin;
use kadmit::report::{Json, Report, Summary};
use kube_api::Value;
use kube_api::decode::FieldValidation;
use kube_api::distribution::Distribution;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_yaml::Item;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance");

const KINDS: [(&str, &str); 2] = [("v1", "Pod"), ("apps/v1", "Deployment")];

const DOCUMENTS: usize = 1000;

/// The number of items in a List.
const ITEMS: usize = 8000;

fn run(criterion: &mut Criterion) {
    let text = documents();
    let source = SourceFile::new("all.yaml", text.as_str());
    let mut defaults = RequestDefaults::of_release(Version::BINARY);
    defaults.user_info = Arc::default();
    defaults.field_validation = FieldValidation::Warn;
    let profile = Arc::new(ServerProfile::default());

    let mut group = criterion.benchmark_group("run");
    group.throughput(Throughput::Elements(DOCUMENTS as u64)).sample_size(20);
    group.bench_function("read", |bench| bench.iter(|| items(&source).map(black_box).count()));
    group.bench_function("decode", |bench| {
        bench.iter(|| prepared(&source, &defaults, &profile).map(black_box).count());
    });
    group.bench_function("evaluate on one thread", |bench| {
        bench.iter(|| evaluate(&source, &defaults, &profile).expect("nothing to fail"));
    });
    let path = written("documents.yaml", &text);
    for (name, arguments) in [
        ("program -q --workloads ignore", &["-q", "--workloads", "ignore"][..]),
        ("program -o json --workloads ignore", &["-o", "json", "--workloads", "ignore"]),
        ("program -q", &["-q"]),
        ("program -o json", &["-o", "json"]),
    ] {
        group.bench_function(name, |bench| bench.iter(|| program(arguments, &path)));
    }
    group.finish();

    for documents in [1_000, 10_000, 100_000] {
        peak_memory(documents);
    }

    let mut group = criterion.benchmark_group("list");
    group.throughput(Throughput::Elements(ITEMS as u64)).sample_size(10);
    for (name, text) in [
        ("refused -o sarif", refused()),
        ("refused in one line -o sarif", in_one_line()),
        ("updated -o sarif", updated()),
        ("workloads refused -o sarif", workloads()),
    ] {
        let path = written("list.yaml", &text);
        group.bench_function(name, |bench| bench.iter(|| program(&["-o", "sarif"], &path)));
    }
    group.finish();

    let path = written("small.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: small}}\n");
    criterion.bench_function("cold start", |bench| bench.iter(|| program(&[], &path)));
}

/// Prints the peak memory of a run over files of ten documents each, where the system counts it.
#[expect(clippy::print_stdout, reason = "criterion has no place for a figure that is not a time")]
fn peak_memory(documents: usize) {
    const PER_FILE: usize = 10;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("documents-{documents}"));
    fs::create_dir_all(&folder).expect("a folder to write to");
    for file in 0..documents / PER_FILE {
        let names = file * PER_FILE..(file + 1) * PER_FILE;
        let text: String = names.map(deployment).collect();
        fs::write(folder.join(format!("{file}.yaml")), text).expect("a folder to write to");
    }
    for (name, arguments) in
        [("-q --workloads ignore", &["-q", "--workloads", "ignore"][..]), ("-q", &["-q"])]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
        command.arg("run").args(arguments).arg(&folder).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("a program to run");
        let status = PathBuf::from(format!("/proc/{}/status", child.id()));
        let mut peak = String::new();
        while child.try_wait().expect("a child").is_none() {
            let text = fs::read_to_string(&status).unwrap_or_default();
            if let Some(line) = text.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
                line.trim().clone_into(&mut peak);
            }
            thread::sleep(Duration::from_millis(5));
        }
        println!("peak memory/{name}/{documents}: {}", if peak.is_empty() { "unknown" } else { &peak });
    }
    fs::remove_dir_all(&folder).expect("the folder that was written");
}

/// Returns a Deployment with a name of its own.
fn deployment(number: usize) -> String {
    let labels = format!("{{app: web-{number}, tier: front}}");
    format!(
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-{number}\n  namespace: shop\n\
         spec:\n  replicas: 3\n  selector:\n    matchLabels: {labels}\n  template:\n    metadata:\n      \
         labels: {labels}\n    spec:\n      containers:\n      - name: app\n        image: registry.example.com/web:{number}\n        \
         ports:\n        - name: http\n          containerPort: 8080\n        env:\n        - name: SHARD\n          \
         value: \"{number}\"\n        resources:\n          requests: {{cpu: 100m, memory: 64Mi}}\n"
    )
}

fn written(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("a folder to write to");
    path
}

fn items(source: &Arc<SourceFile>) -> impl Iterator<Item = Item> {
    kube_yaml::read(source).flat_map(|document| document.expect("valid YAML").unwrap_list())
}

fn prepared(
    source: &Arc<SourceFile>,
    defaults: &RequestDefaults,
    profile: &ServerProfile,
) -> impl Iterator<Item = Prepared> {
    items(source).map(|item| Prepared::new(Request::new(item, defaults).expect("an object"), profile))
}

fn evaluate(
    source: &Arc<SourceFile>,
    defaults: &RequestDefaults,
    profile: &Arc<ServerProfile>,
) -> io::Result<()> {
    let cluster = Arc::new(Cluster::of(Distribution::Kubernetes, plugin::looks_up));
    let configuration = Configuration::new(&Flags::default(), profile.clone(), cluster.clone());
    let chain = configuration.expect("a valid configuration").chain;
    let mut evaluator = Evaluator::new(cluster, chain, profile.clone(), false);
    let mut report = Json::new(io::sink(), Version::BINARY);
    report.begin(&evaluator.plugins())?;
    for prepared in prepared(source, defaults, profile) {
        let outcome: Outcome = evaluator.evaluate(prepared).expect("a kind of the server");
        let rendered = report.render(&[outcome])?;
        report.write(&rendered)?;
    }
    report.end(&Summary::default())
}

fn program(arguments: &[&str], path: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
    command.args(["run", "--field-validation", "Warn"]).args(arguments).arg(path);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("a program to run");
    assert!(status.code().is_some_and(|code| code < 2), "{status}");
}

/// Returns a List of Pods that the Pod Security level of their namespace forbids.
fn refused() -> String {
    let mut text = "---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n  labels:\n    \
                    pod-security.kubernetes.io/enforce: baseline\n---\napiVersion: v1\nkind: List\nitems:\n"
        .to_owned();
    for number in 0..ITEMS {
        let pod = format!(
            "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web-{number}\n    namespace: shop\n  spec:\n    \
             containers:\n    - name: app\n      image: web\n      securityContext:\n        privileged: true\n"
        );
        text.push_str(&pod);
    }
    text
}

/// Returns the same List as JSON without line ends.
fn in_one_line() -> String {
    let text = refused();
    let (namespace, list) = text.split_at(text.rfind("---").expect("a List"));
    let source = SourceFile::new("list.yaml", list);
    let items: Vec<Value> = items(&source).map(|item| item.node.into_value()).collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    format!("{namespace}---\n{}\n", serde_json::to_string(&list).expect("text keys"))
}

/// Returns a List of `ConfigMaps`, and the List that changes them.
fn updated() -> String {
    let mut text = String::new();
    for version in 1..=2 {
        text.push_str("---\napiVersion: v1\nkind: List\nitems:\n");
        for number in 0..ITEMS {
            let map = "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    namespace: shop\n    name";
            writeln!(text, "{map}: map-{number}\n  data:\n    version: v{version}").expect("text grows");
        }
    }
    text
}

/// Returns Deployments of one namespace whose Pods are denied.
fn workloads() -> String {
    let mut text = refused();
    text.truncate(text.rfind("---").expect("a List"));
    for number in 0..ITEMS {
        let labels = format!("{{app: web-{number}}}");
        writeln!(
            text,
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web-{number}, namespace: shop}}\n\
             spec: {{replicas: 2, selector: {{matchLabels: {labels}}}, template: {{metadata: {{labels: {labels}}}, \
             spec: {{containers: [{{name: app, image: web, securityContext: {{privileged: true}}}}]}}}}}}"
        )
        .expect("text grows");
    }
    text
}

/// Returns the Pods and Deployments that the recorded requests carry, repeated under new names.
fn documents() -> String {
    let mut objects = Vec::new();
    let mut folders: Vec<_> = entries(Path::new(CASES)).filter(|path| path.is_dir()).collect();
    folders.sort();
    for folder in folders {
        let mut paths: Vec<_> = entries(&folder).collect();
        paths.sort();
        for path in paths {
            let source = SourceFile::new("case", fs::read_to_string(path).expect("a readable case"));
            let case = kube_yaml::read(&source).next().expect("a document").expect("valid YAML");
            let case = case.node.into_value();
            let object = &case["request"]["object"];
            let is_wanted = KINDS
                .iter()
                .any(|(version, kind)| object["apiVersion"] == *version && object["kind"] == *kind);
            if is_wanted && object["metadata"].is_object() {
                objects.push(object.clone());
            }
        }
    }
    let mut text = String::new();
    for (number, mut object) in objects.iter().cycle().take(DOCUMENTS).cloned().enumerate() {
        object["metadata"]["name"] = Value::from(format!("object-{number}"));
        text.push_str("---\n");
        kube_yaml::write_yaml(&object, &mut text).expect("a value that YAML can hold");
    }
    text
}

fn entries(folder: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("a readable entry").path())
}

criterion_group!(benches, run);
criterion_main!(benches);
