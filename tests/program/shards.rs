//! The results of all shards, and of several evaluators at once, are those of one run.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::scratch::Scratch;

/// Returns objects of nine namespaces, and what they share: a quota for each, addresses of Services, a policy with a
/// parameter, a definition with objects, accounts and a role that grants more than its author has.
fn documents() -> String {
    let mut text = String::from(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: replicas}\nspec:\n  \
         paramKind: {apiVersion: v1, kind: ConfigMap}\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [apps], \
         apiVersions: [v1], resources: [deployments], operations: [CREATE]}\n  validations:\n  - expression: \
         object.spec.replicas <= int(params.data.most)\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: \
         ValidatingAdmissionPolicyBinding\nmetadata: {name: replicas}\nspec:\n  policyName: replicas\n  paramRef: {name: \
         most, namespace: team-4, parameterNotFoundAction: Deny}\n  validationActions: [Deny]\n---\napiVersion: v1\nkind: \
         ConfigMap\nmetadata: {name: most, namespace: team-4}\ndata: {most: '3'}\n---\n",
    );
    for number in 0..180 {
        let namespace = number % 9;
        let metadata = format!("metadata: {{name: a{number}, namespace: team-{namespace}}}");
        match number / 9 {
            0 => write!(text, "apiVersion: v1\nkind: Namespace\nmetadata: {{name: team-{namespace}}}\n"),
            1 => write!(text, "apiVersion: v1\nkind: ResourceQuota\n{metadata}\nspec: {{hard: {{pods: 12, services: 2}}}}\n"),
            2..6 => write!(
                text,
                "apiVersion: v1\nkind: Service\n{metadata}\nspec: {{clusterIP: 10.96.0.{}, ports: [{{port: 80}}]}}\n",
                40 + number % 30
            ),
            6 => write!(text, "apiVersion: v1\nkind: Pod\n{metadata}\nspec: {{containers: []}}\n"),
            7 => writeln!(text, "broken: ["),
            number => write!(
                text,
                "apiVersion: apps/v1\nkind: Deployment\n{metadata}\nspec:\n  replicas: {}\n  selector: {{matchLabels: {{app: \
                 a}}}}\n  template:\n    metadata: {{labels: {{app: a}}}}\n    spec: {{containers: [{{name: main, image: \
                 nginx}}]}}\n",
                number % 5
            ),
        }
        .expect("writing to a string does not fail");
        text.push_str("---\n");
    }
    text
}

fn kadmit(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kadmit")).args(arguments).output().expect("a program to run")
}

/// Runs with `arguments` and stores the results in `file`.
fn store(file: &Path, arguments: &[&str]) {
    let output = format!("jsonl={}", file.display());
    let ran = kadmit(&[&["run", "--exit-zero", "-o", &output], arguments].concat());
    assert!(ran.status.code() < Some(3), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// Returns the report of the results in `path`.
fn report(path: &Path) -> String {
    let reported = kadmit(&["report", "--exit-zero", "-o", "json", &path.display().to_string()]);
    String::from_utf8(reported.stdout).expect("JSON")
}

#[test]
fn the_results_of_all_shards_are_those_of_one_run() {
    let scratch = Scratch::new("shards");
    let manifests = scratch.join("manifests.yaml");
    fs::write(&manifests, documents()).expect("a file");
    let manifests = manifests.display().to_string();
    let whole = scratch.join("whole.jsonl");
    store(&whole, &[&manifests]);
    let whole = report(&whole);
    for part in ["exceeded quota", "provided IP is already allocated", "denied request: failed expression"] {
        assert!(whole.contains(part), "{part}");
    }
    for count in [2, 7] {
        let parts = scratch.join(format!("of-{count}"));
        fs::create_dir_all(&parts).expect("a directory");
        for number in 1..=count {
            let shard = format!("{number}/{count}");
            store(&parts.join(format!("{number}.jsonl")), &["--shard", &shard, &manifests]);
        }
        assert!(report(&parts) == whole, "{count} shards");
    }
}

#[test]
fn several_evaluators_say_what_one_says() {
    let scratch = Scratch::new("evaluators");
    let mut text = documents();
    // Fewer documents are not worth several evaluators.
    for number in 0..2000 {
        let namespace = number % 9;
        write!(
            text,
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}, namespace: team-{namespace}}}\n---\n"
        )
        .expect("writing to a string does not fail");
    }
    let manifests = scratch.join("manifests.yaml");
    fs::write(&manifests, text).expect("a file");
    let run = |threads: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
        let lines = scratch.join(format!("{threads}.jsonl"));
        command.env("RAYON_NUM_THREADS", threads).args(["run", "--exit-zero", "-o", "json", "-o"]);
        let output = command.arg(format!("jsonl={}", lines.display())).arg(&manifests).output();
        let output = output.expect("a program to run");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(report["quotas"].to_string().contains("team-8"), "{report}");
        (output, fs::read(lines).expect("lines"))
    };
    let (one, lines) = run("1");
    let (four, lines_of_four) = run("4");
    assert!(four == one, "the reports");
    assert!(lines_of_four == lines, "the lines");
}
