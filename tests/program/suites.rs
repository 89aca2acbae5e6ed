//! Suites: the one in the documentation, and those that the program writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::golden;

/// A separate directory for a test, with a namespace, a quota and a pod in it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("kadmit-suites-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a scratch directory");
        let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli/input/suites");
        for file in ["cluster.yaml", "pod.yaml", "privileged.yaml"] {
            fs::copy(suites.join(file), directory.join(file)).expect("a copy");
        }
        Self(directory)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("a file");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("a file")
    }

    fn run(&self, command: &str, status: i32) -> Output {
        let output = golden::run(command, &self.0);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(status), "{command}\n{err}{out}");
        output
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // At worst a directory is left over.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn suite(cases: &str) -> String {
    format!(
        "apiVersion: kadmit.dev/v1alpha1\nkind: Suite\ncluster: [cluster.yaml] # the shop\ncases:\n{cases}"
    )
}

#[test]
fn the_example_of_the_documentation_holds() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/test.md")).expect("the page");
    let (_, example) = text.split_once("```yaml\n").expect("an example");
    let (example, _) = example.split_once("```\n").expect("its end");
    let scratch = Scratch::new("documentation");
    scratch.write("kadmit-test.yaml", example);
    let output = scratch.run("kadmit test", 0);
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("1 suite, 4 cases: 4 passed\n"));
}

/// The first change by plugins to the new Pod, as recorded.
const CHANGE: &str = r#"    - {"op":"add","path":"/metadata/annotations","value":{"kubernetes.io/limit-ranger":"LimitRanger plugin set: cpu request for container web"}}"#;

#[test]
fn an_update_changes_what_differs_and_nothing_else() {
    let scratch = Scratch::new("update");
    let before = suite(concat!(
        "# refused\n",
        "- name: privileged   # pods\n",
        "  requests: [privileged.yaml]\n",
        "  expect:\n",
        "    allowed: true   # for now\n",
        "    # who\n",
        "    plugin: LimitRanger # perhaps\n",
        "    code: 422\n",
        "    message: >-\n",
        "      something else,\n",
        "      on two lines\n",
        "\n",
        "    # so many\n",
        "    warnings: []\n",
        "- name: admitted\n",
        "  requests: [pod.yaml]\n",
        "  expect: {plugin: PodSecurity, 'code': 403, object: {spec: {priority: 1, containers: [{image: 'a'}]}}}\n",
        "- name: nothing left\n",
        "  requests: [pod.yaml]\n",
        "  expect:\n",
        "  - code: 403 # gone\n",
        "    of: Pod shop/web\n",
        "- name: right\n",
        "  requests: [ pod.yaml ]\n",
        "  expect: { allowed: yes }\n",
        "- requests:\n",
        "  - pod.yaml # twice\n",
        "  - pod.yaml # an update\n",
        "  name: new\n",
        "# the end\n",
    ));
    let warning = "'would violate PodSecurity \"restricted:latest\": allowPrivilegeEscalation != false (container \"web\" \
                   must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container \"web\" \
                   must set securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true (pod or container \"web\" \
                   must set securityContext.runAsNonRoot=true), seccompProfile (pod or container \"web\" must set \
                   securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")'";
    let after = suite(&[
        "# refused\n",
        "- name: privileged   # pods\n",
        "  requests: [privileged.yaml]\n",
        "  expect:\n",
        "    allowed: false   # for now\n",
        "    # who\n",
        "    plugin: PodSecurity # perhaps\n",
        "    code: 403\n",
        "    message: 'pods \"agent\" is forbidden: violates PodSecurity \"baseline:latest\": privileged (container ",
        "\"agent\" must not set securityContext.privileged=true)'\n",
        "\n",
        "    # so many\n",
        "    warnings: []\n",
        "- name: admitted\n",
        "  requests: [pod.yaml]\n",
        "  expect: {object: {spec: {priority: 0, containers: [{image: 'nginx:1.29'}]}}}\n",
        "- name: nothing left\n",
        "  requests: [pod.yaml]\n",
        "  expect:\n",
        "  - allowed: true # gone\n",
        "    of: Pod shop/web\n",
        "- name: right\n",
        "  requests: [ pod.yaml ]\n",
        "  expect: { allowed: yes }\n",
        "- requests:\n",
        "  - pod.yaml # twice\n",
        "  - pod.yaml # an update\n",
        "  name: new\n",
        "  expect:\n",
        "  - of: Pod shop/web\n",
        "    allowed: true\n",
        "    warnings:\n",
        "    - ",
        warning,
        "\n",
        "  - of: Pod shop/web\n",
        "    allowed: true\n",
        "# the end\n",
    ]
    .concat());
    scratch.write("kadmit-test.yaml", &before);
    scratch.run("kadmit test", 2);
    scratch.run("kadmit test --filter right --update", 0);
    assert_eq!(scratch.read("kadmit-test.yaml"), before);
    scratch.run("kadmit test --update", 0);
    let updated = scratch.read("kadmit-test.yaml");
    let is_patch = |line: &&str| line.starts_with("    patch:") || line.starts_with("    - {\"op\"");
    let patch: Vec<_> = updated.lines().filter(is_patch).collect();
    assert_eq!(patch[1], CHANGE);
    assert!(updated.contains("kube-api-access-…"), "{updated}");
    let rest: Vec<_> = updated.lines().filter(|line| !is_patch(line)).collect();
    assert_eq!(rest, after.lines().collect::<Vec<_>>());
    scratch.run("kadmit test", 0);
    scratch.run("kadmit test --update", 0);
    assert_eq!(scratch.read("kadmit-test.yaml"), updated);
}

#[test]
fn an_update_keeps_the_line_breaks_of_the_file() {
    let scratch = Scratch::new("line-breaks");
    let text = |expect: &str| {
        suite(&format!("- name: a\n  requests:\n  - privileged.yaml\n{expect}")).replace('\n', "\r\n")
    };
    scratch.write("kadmit-test.yaml", &text(""));
    scratch.run("kadmit test --update", 0);
    let expected = concat!(
        "  expect:\n",
        "  - of: Pod shop/agent\n",
        "    allowed: false\n",
        "    plugin: PodSecurity\n",
        "    message: 'pods \"agent\" is forbidden: violates PodSecurity \"baseline:latest\": privileged (container ",
        "\"agent\" must not set securityContext.privileged=true)'\n",
    );
    assert_eq!(scratch.read("kadmit-test.yaml"), text(expected));
}

#[test]
fn what_would_be_lost_is_not_updated() {
    let scratch = Scratch::new("refusal");
    for (expect, reason) in [
        ("{warnings: [a,\n      # why\n      b]}", "a comment may be lost"),
        ("{of: Pod shop/other, allowed: true}", "there is no longer an answer about Pod shop/other"),
        ("{allowed: true,\n      # why\n      plugin: PodSecurity}", "a comment would be lost"),
    ] {
        let text = suite(&format!("- name: a\n  requests: [pod.yaml]\n  expect:\n    {expect}\n"));
        scratch.write("kadmit-test.yaml", &text);
        let output = scratch.run("kadmit test --update", 2);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(&format!("cannot be updated: {reason}")), "{told}");
        assert_eq!(scratch.read("kadmit-test.yaml"), text);
    }
    let cases = [
        (
            "- name: a\n  requests: [pod.yaml, privileged.yaml]\n  expect:\n    code: 422\n    object: {spec: {priority: 1}}\n",
            "several requests differ",
        ),
        (
            "- name: a\n  requests: [pod.yaml]\n  expect: &it {allowed: false}\n- name: b\n  requests: [privileged.yaml]\n  expect: *it\n",
            "without changing something else",
        ),
        ("- {name: a, requests: [pod.yaml]}\n", "a case in braces"),
    ];
    for (cases, reason) in cases {
        let text = suite(cases);
        scratch.write("kadmit-test.yaml", &text);
        let output = scratch.run("kadmit test --update", 2);
        let told = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.replace("│ ", "").contains(reason), "{told}");
        assert_eq!(scratch.read("kadmit-test.yaml"), text);
    }
}

#[test]
fn a_new_suite_holds() {
    let scratch = Scratch::new("init");
    let flags = "--cluster cluster.yaml --as alice --as-group dev --enable-admission-plugins AlwaysPullImages \
                 --workloads ignore --operation create";
    scratch.run(&format!("kadmit test --init tests/shop pod.yaml privileged.yaml {flags}"), 0);
    let text = scratch.read("tests/shop/kadmit-test.yaml");
    let beginning = concat!(
        "apiVersion: kadmit.dev/v1alpha1\n",
        "kind: Suite\n",
        "cluster:\n",
        "- '../../cluster.yaml'\n",
        "flags:\n",
        "- '--enable-admission-plugins=AlwaysPullImages'\n",
        "workloads: ignore\n",
        "user: alice\n",
        "groups:\n",
        "- dev\n",
        "operation: create\n",
        "cases:\n",
        "- name: everything stays as it is\n",
        "  requests:\n",
        "  - '../../pod.yaml'\n",
        "  - '../../privileged.yaml'\n",
        "  expect:\n",
        "  - of: Pod shop/web\n",
        "    allowed: true\n",
    );
    assert!(text.starts_with(beginning), "{text}");
    let end = concat!(
        "  - of: Pod shop/agent\n",
        "    allowed: false\n",
        "    plugin: PodSecurity\n",
        "    message: 'pods \"agent\" is forbidden: violates PodSecurity \"baseline:latest\": privileged (container ",
        "\"agent\" must not set securityContext.privileged=true)'\n",
    );
    assert!(text.ends_with(end), "{text}");
    scratch.run("kadmit test", 0);
    let output = scratch.run("kadmit test --init tests/shop pod.yaml", 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("exists already"));
    assert_eq!(scratch.read("tests/shop/kadmit-test.yaml"), text);
}
