//! The time of a run grows with its input, not with the square of it.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FEW: usize = 150;

/// How often the larger input has the smaller one.
const TIMES: usize = 8;

/// The most that the time may grow: linear growth is at most [`TIMES`], and quadratic growth would be its square.
const MOST: u32 = 16;

const POD_SPEC: &str = "containers: [{name: app, image: web, securityContext: {privileged: true}}]";

fn namespace() -> String {
    let level = "pod-security.kubernetes.io/enforce: baseline";
    format!("---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: shop, labels: {{{level}}}}}\n")
}

/// Returns Deployments whose Pods are denied, as documents.
fn workloads(count: usize) -> String {
    (0..count).fold(namespace(), |mut text, number| {
        let labels = format!("{{app: web-{number}}}");
        writeln!(
            text,
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web-{number}, namespace: shop}}\n\
             spec: {{replicas: 2, selector: {{matchLabels: {labels}}}, \
             template: {{metadata: {{labels: {labels}}}, spec: {{{POD_SPEC}}}}}}}"
        )
        .expect("text grows");
        text
    })
}

/// Returns Pods that are denied, as a List in one line.
fn one_line(count: usize) -> String {
    let pod = |number| {
        let metadata = format!("{{name: web-{number}, namespace: shop}}");
        format!("{{apiVersion: v1, kind: Pod, metadata: {metadata}, spec: {{{POD_SPEC}}}}}")
    };
    let pods: Vec<String> = (0..count).map(pod).collect();
    format!("{}---\n{{apiVersion: v1, kind: List, items: [{}]}}\n", namespace(), pods.join(", "))
}

/// Returns a List of `ConfigMaps`, and the List that changes them.
fn updated(count: usize) -> String {
    let list = |version: usize| {
        let map = |number| {
            let metadata = format!("{{name: map-{number}, namespace: shop}}");
            format!(
                "- {{apiVersion: v1, kind: ConfigMap, metadata: {metadata}, data: {{version: v{version}}}}}\n"
            )
        };
        let maps: String = (0..count).map(map).collect();
        format!("---\napiVersion: v1\nkind: List\nitems:\n{maps}")
    };
    format!("{}{}{}", namespace(), list(1), list(2))
}

/// Returns the shortest time of a run on `text`.
fn time(name: &str, text: &str, format: &str) -> Duration {
    let path: PathBuf =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("growth-{name}-{}.yaml", std::process::id()));
    fs::write(&path, text).expect("a folder to write to");
    let run = || {
        let start = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
        command.args(["run", "--no-settings", "-o", format]).arg(&path);
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("a program to run");
        assert!(status.code().is_some_and(|code| code < 2), "{status}");
        start.elapsed()
    };
    let shortest = run().min(run());
    fs::remove_file(&path).expect("the file that was written");
    shortest
}

fn grows_with_its_input(name: &str, input: fn(usize) -> String, format: &str) {
    let (few, many) = (time(name, &input(FEW), format), time(name, &input(FEW * TIMES), format));
    assert!(many < few * MOST, "{FEW} objects: {few:?}, {TIMES} times as many: {many:?}");
}

#[test]
fn workloads_of_one_namespace() {
    grows_with_its_input("workloads", workloads, "text");
}

#[test]
fn refused_items_of_a_list_in_one_line() {
    grows_with_its_input("one-line", one_line, "sarif");
}

#[test]
fn updated_items_of_a_list() {
    grows_with_its_input("updated", updated, "json");
}
