//! A scenario, played step by step.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kube_api::Value;

use gotext::source::SourceFile;
use gotext::value::json;

use super::{answers, made};

/// A document: file, API version, kind, namespace and name; a generated name ends in `*`.
pub(crate) struct Document {
    pub(crate) file: String,
    pub(crate) kind: String,
    pub(crate) name: String,
}

/// One comparison: its subject, the cluster's result and the program's.
pub(crate) struct Compared {
    pub(crate) sort: &'static str,
    pub(crate) subject: String,
    pub(crate) cluster: String,
    pub(crate) kadmit: String,
}

impl Compared {
    pub(crate) fn agrees(&self) -> bool {
        self.cluster == self.kadmit
    }
}

/// Returns the text in `field`, or nothing.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn read(name: &str, source: &str) -> Vec<Value> {
    let source = SourceFile::new(name, source);
    let documents = kube_yaml::read(&source).map(|document| document.expect("YAML"));
    let items = documents.flat_map(kube_yaml::Document::unwrap_list);
    items.map(|item| item.node.into_value()).collect()
}

/// Returns the differences in the scenario of `file`.
pub(crate) fn play(file: &Path) -> Vec<String> {
    let source = fs::read_to_string(file).expect("a scenario");
    let scenario = read("scenario.yaml", &source).remove(0);
    let steps = list(&scenario, "steps").iter().zip(list(&scenario["expect"], "steps"));
    let mut differences = Vec::new();
    for (index, (step, expected)) in steps.enumerate() {
        let files = step.get("files").and_then(Value::as_object).into_iter().flatten();
        let files: Vec<(String, String)> = files
            .map(|(name, text)| (name.to_string(), text.as_str().unwrap_or_default().to_owned()))
            .collect();
        let report = run(&scenario, step, expected, &files);
        let results = list(&report, "results");
        let mut documents = Vec::new();
        for (name, text) in &files {
            documents.extend(read(name, text).iter().map(|object| document(name, object)));
        }
        let mut compared = answers::compare(step, expected, &documents, results);
        compared.extend(made::compare(expected, &documents, results));
        assert!(!compared.is_empty(), "{}: nothing is compared in step {}", file.display(), index + 1);
        for one in compared {
            if !one.agrees() {
                differences.push(format!(
                    "step {}: {} of {}\n    cluster: {}\n    kadmit:  {}",
                    index + 1,
                    one.sort,
                    one.subject,
                    one.cluster,
                    one.kadmit
                ));
            }
        }
    }
    differences
}

fn document(file: &str, object: &Value) -> Document {
    let metadata = &object["metadata"];
    let name = match text(metadata, "name") {
        "" => format!("{}*", text(metadata, "generateName")),
        name => name.to_owned(),
    };
    Document { file: file.to_owned(), kind: text(object, "kind").to_owned(), name }
}

/// Returns the report of the program on one step.
fn run(scenario: &Value, step: &Value, expected: &Value, files: &[(String, String)]) -> Value {
    let directory = scratch();
    let manifests = directory.join("manifests");
    fs::create_dir_all(&manifests).expect("a scratch directory");
    let cluster = json!({"apiVersion": "v1", "kind": "List", "items": expected["before"]});
    fs::write(directory.join("cluster.json"), cluster.to_string()).expect("is written");
    for (name, text) in files {
        let path = manifests.join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("is created");
        fs::write(path, text).expect("is written");
    }
    let mut arguments: Vec<String> = [
        "run",
        "--no-settings",
        "--cluster",
        "cluster.json",
        "-o",
        "json",
        "--show-secrets",
        "--order",
        "file",
    ]
    .map(str::to_owned)
    .to_vec();
    arguments.extend(["--apply".to_owned(), text(step, "apply").to_owned()]);
    let given: Vec<&str> = list(step, "args").iter().filter_map(Value::as_str).collect();
    for (position, argument) in given.iter().enumerate() {
        match *argument {
            "-n" => arguments.extend(["-n".to_owned(), given[position + 1].to_owned()]),
            other if other.starts_with("--force-conflicts") || other.starts_with("--field-manager") => {
                arguments.push(other.to_owned());
            }
            _ => {}
        }
    }
    let user = [step, scenario].into_iter().find_map(|of| of.get("user"));
    if let Some(user) = user {
        arguments.extend(["--as".to_owned(), text(user, "username").to_owned()]);
        let groups = list(user, "groups").iter().filter_map(Value::as_str);
        arguments.extend(groups.map(|group| format!("--as-group={group}")));
    }
    if let Some(mode) = scenario.get("authorization").and_then(Value::as_str) {
        arguments.push(format!("--authorization-mode={mode}"));
    }
    arguments.push("--kubernetes-version=1.36".to_owned());
    let flags = scenario.get("server").map(|server| list(server, "flags")).unwrap_or_default();
    arguments.extend(flags.iter().filter_map(Value::as_str).map(str::to_owned));
    let output = Command::new(env!("CARGO_BIN_EXE_kadmit"))
        .args(&arguments)
        .arg("manifests")
        .current_dir(&directory)
        .output()
        .expect("the program runs");
    fs::remove_dir_all(&directory).expect("the scratch directory goes");
    let report = String::from_utf8(output.stdout).expect("UTF-8");
    read("report.json", &report).pop().expect("a report")
}

fn scratch() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kadmit-scenario-{}", std::process::id()))
}
