//! Directories of static manifests, as servers accepted or refused them at their start.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gotext::value::Value;

const ANSWERS: &str = include_str!("../../testdata/static-manifests/answers.yaml");

#[test]
fn directories_are_accepted_and_refused_as_by_a_server() {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("static-manifests");
    let _ = fs::remove_dir_all(&root);
    let source = gotext::source::SourceFile::new("answers.yaml", ANSWERS);
    let answers = kube_yaml::read_first(&source).expect("YAML").node.into_value();
    let answers = answers.as_array().expect("a list");
    let differing: Vec<String> = answers.iter().filter_map(|recorded| difference(recorded, &root)).collect();
    assert!(answers.len() > 50 && differing.is_empty(), "{}", differing.join("\n"));
}

/// Returns what differs from a recorded start.
fn difference(recorded: &Value, root: &Path) -> Option<String> {
    let (name, plugin) = (recorded.text("name"), recorded.text("plugin"));
    let directory = root.join(name).join("manifests");
    fs::create_dir_all(&directory).expect("a directory");
    for (file, text) in recorded["files"].as_object().expect("files") {
        fs::write(directory.join(&**file), text.as_str().expect("text")).expect("a file");
    }
    let kind = if plugin.ends_with("Webhook") { "WebhookAdmission" } else { plugin };
    let configuration = format!(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: {plugin}\n  \
         configuration: {{apiVersion: apiserver.config.k8s.io/v1, kind: {kind}Configuration, staticManifestsDir: \
         '{}'}}\n",
        directory.display()
    );
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n";
    for (file, text) in [("plugins.yaml", configuration.as_str()), ("object.yaml", object)] {
        fs::write(root.join(name).join(file), text).expect("a file");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_kadmit"))
        .args([
            "run",
            "--no-settings",
            "-o",
            "json",
            "--feature-gates=ManifestBasedAdmissionControlConfig=true",
        ])
        .args(["--admission-control-config-file=plugins.yaml", "object.yaml"])
        .current_dir(root.join(name))
        .output()
        .expect("the program runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let (status, said) = match recorded["refused"].as_str() {
        None => (0, None),
        Some(text) => {
            let text = text.replace("$DIRECTORY", &directory.display().to_string());
            let start = "failed to apply admission: failed to initialize admission plugin";
            (2, Some(format!("{start} \"{plugin}\": {text}")))
        }
    };
    let message = report["diagnostics"][0]["message"].as_str().map(str::to_owned);
    let is_same = output.status.code() == Some(status) && message == said;
    (!is_same).then(|| format!("{name}: {message:?}, {status} expected with {said:?}"))
}
