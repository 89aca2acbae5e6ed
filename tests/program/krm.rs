//! `kadmit krm`: the answers of a function of kustomize and kpt.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use gotext::source::SourceFile;
use gotext::value::{Value, json};

const LIST: &str = "apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web # of the shop
    namespace: shop
    annotations:
      internal.config.kubernetes.io/path: 'web.yaml'
      internal.config.kubernetes.io/index: '1'
  spec:
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec:
        hostNetwork: true
        containers:
        - name: web
          image: nginx
- apiVersion: v1
  kind: Namespace
  metadata:
    name: shop
    labels: {pod-security.kubernetes.io/enforce: baseline}
- apiVersion: kpt.dev/v1
  kind: Kptfile
  metadata:
    name: shop
    annotations: {config.kubernetes.io/local-config: 'true'}
";

/// Returns exit status, standard output and standard error for `list`.
fn run(list: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kadmit"))
        .arg("krm")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("its input").write_all(list.as_bytes()).expect("a program that reads");
    let output = child.wait_with_output().expect("its output");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code().expect("an exit status"), text(output.stdout), text(output.stderr))
}

fn value(text: &str) -> Value {
    let source = SourceFile::new("", text);
    kube_yaml::read(&source).next().expect("a document").expect("YAML").node.into_value()
}

#[test]
fn results_name_item_field_and_file() {
    let (status, out, err) = run(LIST);
    assert_eq!(status, 1);
    assert!(out.starts_with(LIST), "{out}");
    let results = value(&out)["results"].clone();
    let results = results.as_array().expect("results");
    let refused = results.iter().find(|result| result["severity"] == "error").expect("an error");
    assert_eq!(refused["tags"], json!({"code": "Forbidden", "rule": "PodSecurity"}));
    assert_eq!(
        refused["resourceRef"],
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"})
    );
    assert_eq!(refused["field"], json!({"path": "spec.template.spec.hostNetwork", "currentValue": true}));
    assert_eq!(refused["file"], json!({"path": "web.yaml", "index": 1}));
    let message = refused["message"].as_str().expect("text");
    assert!(message.contains("host namespaces (hostNetwork=true)"), "{message}");
    let line = "[error] Deployment shop/web web.yaml spec.template.spec.hostNetwork: PodSecurity: pods ";
    assert!(err.lines().any(|found| found.starts_with(line)), "{err}");
}

#[test]
fn an_admitted_list_comes_back_as_it_was() {
    let admitted = LIST.replace("hostNetwork: true", "hostNetwork: false");
    let (status, out, err) = run(&admitted);
    assert_eq!((status, err.as_str()), (0, ""));
    let without_results = out.split("results:\n").next().expect("the list");
    assert_eq!(without_results, admitted);
    assert!(!out.contains("severity: error"), "{out}");
}

#[test]
fn the_function_config_has_the_flags() {
    let config = "functionConfig:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: kadmit}
  data:
    disable-admission-plugins: PodSecurity
    cluster: |
      ../quickstart/cluster
";
    let (status, out, _) = run(&format!("{LIST}{config}"));
    assert!(out.contains("maximum") || status == 0, "{out}");
    assert!(!out.contains("rule: PodSecurity"), "{out}");
    let (status, out, err) = run(&format!("{LIST}{}", config.replace("cluster:", "clusters:")));
    assert_eq!(status, 2);
    let wrong = "the functionConfig has `clusters`, which is not a flag\ndid you mean `cluster`?";
    assert_eq!(value(&out)["results"][0]["message"], wrong);
    assert_eq!(err, format!("[error] {wrong}\n"));
}

#[test]
fn the_function_config_forbids_skips() {
    let skipped = LIST.replace(
        "    annotations:\n      internal.config.kubernetes.io/path",
        "    annotations:\n      kadmit.dev/skip: PodSecurity watches the host\n      internal.config.kubernetes.io/path",
    );
    assert_eq!(run(&skipped).0, 0);
    let config =
        "functionConfig:\n  apiVersion: kadmit.dev/v1alpha1\n  kind: Admission\n  spec: {no-skips: true}\n";
    assert_eq!(run(&format!("{skipped}{config}")).0, 1);
}

#[test]
fn what_is_no_list_is_refused() {
    let (status, out, err) = run("kind: Pod\n");
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("standard input is not a ResourceList: its kind is another one"), "{err}");
}
