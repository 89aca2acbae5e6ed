//! A scenario, played step by step.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kube_api::Value;

use gotext::source::SourceFile;
use gotext::value::json;

use super::{answers, made, served};

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

pub(crate) fn read(name: &str, source: &str) -> Vec<Value> {
    let source = SourceFile::new(name, source);
    let documents = kube_yaml::read(&source).map(|document| document.expect("YAML"));
    let items = documents.flat_map(kube_yaml::Document::unwrap_list);
    items.map(|item| item.node.into_value()).collect()
}

/// A step, with the objects that existed before it and the files that are applied.
pub(crate) struct Step<'a> {
    pub(crate) scenario: &'a Value,
    pub(crate) given: &'a Value,
    pub(crate) before: &'a Value,
    pub(crate) files: Vec<(String, String)>,
}

impl Step<'_> {
    /// Returns the flags of the API server.
    pub(crate) fn server_flags(&self) -> Vec<String> {
        let mode = self.scenario.get("authorization").and_then(Value::as_str);
        let mode = mode.map(|mode| format!("--authorization-mode={mode}"));
        let flags = self.scenario.get("server").map(|server| list(server, "flags")).unwrap_or_default();
        let flags = flags.iter().filter_map(Value::as_str).map(str::to_owned);
        mode.into_iter().chain(["--kubernetes-version=1.36".to_owned()]).chain(flags).collect()
    }

    /// Returns the user who sends the requests, if it is not the administrator.
    pub(crate) fn user(&self) -> Option<&Value> {
        [self.given, self.scenario].into_iter().find_map(|of| of.get("user"))
    }

    /// Returns the arguments of kubectl.
    pub(crate) fn arguments(&self) -> Vec<&str> {
        list(self.given, "args").iter().filter_map(Value::as_str).collect()
    }
}

/// The differences in a scenario: from the cluster, and of the answers over HTTP from those of `run`.
pub(crate) struct Differences {
    pub(crate) from_cluster: Vec<String>,
    pub(crate) served: Vec<String>,
}

/// Returns the differences in the scenario of `file`.
pub(crate) fn play(file: &Path) -> Differences {
    let source = fs::read_to_string(file).expect("a scenario");
    let scenario = read("scenario.yaml", &source).remove(0);
    let steps = list(&scenario, "steps").iter().zip(list(&scenario["expect"], "steps"));
    let mut differences = Differences { from_cluster: Vec::new(), served: Vec::new() };
    for (index, (step, expected)) in steps.enumerate() {
        let files = step.get("files").and_then(Value::as_object).into_iter().flatten();
        let files: Vec<(String, String)> = files
            .map(|(name, text)| (name.to_string(), text.as_str().unwrap_or_default().to_owned()))
            .collect();
        let step = Step { scenario: &scenario, given: step, before: &expected["before"], files };
        let report = run(&step);
        let results = list(&report, "results");
        let mut documents = Vec::new();
        for (name, text) in &step.files {
            documents.extend(read(name, text).iter().map(|object| document(name, object)));
        }
        let mut compared = answers::compare(step.given, expected, &documents, results);
        compared.extend(made::compare(expected, &documents, results));
        assert!(!compared.is_empty(), "{}: nothing is compared in step {}", file.display(), index + 1);
        for Compared { sort, subject, cluster, kadmit } in compared.iter().filter(|one| !one.agrees()) {
            let number = index + 1;
            differences.from_cluster.push(format!(
                "step {number}: {sort} of {subject}\n    cluster: {cluster}\n    kadmit:  {kadmit}"
            ));
        }
        for Compared { subject, cluster: served, kadmit: run, .. } in served::compare(&step, results) {
            let number = index + 1;
            differences.served.push(format!(
                "step {number}: answer about {subject}\n    served: {served}\n    run:    {run}"
            ));
        }
    }
    differences
}

pub(crate) fn document(file: &str, object: &Value) -> Document {
    let metadata = &object["metadata"];
    let name = match text(metadata, "name") {
        "" => format!("{}*", text(metadata, "generateName")),
        name => name.to_owned(),
    };
    Document { file: file.to_owned(), kind: text(object, "kind").to_owned(), name }
}

/// Returns the report of the program on one step.
fn run(step: &Step<'_>) -> Value {
    let directory = scratch();
    let manifests = directory.join("manifests");
    fs::create_dir_all(&manifests).expect("a scratch directory");
    let cluster = json!({"apiVersion": "v1", "kind": "List", "items": step.before});
    fs::write(directory.join("cluster.json"), cluster.to_string()).expect("is written");
    for (name, text) in &step.files {
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
    arguments.extend(["--apply".to_owned(), text(step.given, "apply").to_owned()]);
    let given = step.arguments();
    for (position, argument) in given.iter().enumerate() {
        match *argument {
            "-n" => arguments.extend(["-n".to_owned(), given[position + 1].to_owned()]),
            other if other.starts_with("--force-conflicts") || other.starts_with("--field-manager") => {
                arguments.push(other.to_owned());
            }
            _ => {}
        }
    }
    if let Some(user) = step.user() {
        arguments.extend(["--as".to_owned(), text(user, "username").to_owned()]);
        let groups = list(user, "groups").iter().filter_map(Value::as_str);
        arguments.extend(groups.map(|group| format!("--as-group={group}")));
    }
    arguments.extend(step.server_flags());
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
