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
        ("{warnings: [a,\n      # why\n      b]}", "cannot be updated: a comment may be lost"),
        (
            "{of: Pod shop/other, allowed: true}",
            "cannot be updated: there is no longer an answer about Pod shop/other",
        ),
        (
            "{allowed: true,\n      # why\n      plugin: PodSecurity}",
            "cannot be updated: a comment would be lost",
        ),
    ] {
        let text = suite(&format!("- name: a\n  requests: [pod.yaml]\n  expect:\n    {expect}\n"));
        scratch.write("kadmit-test.yaml", &text);
        let output = scratch.run("kadmit test --update", 2);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(reason), "{told}");
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

/// Returns the suites below `directory`, each with its name.
fn suites_in(directory: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(directory).expect("a directory of suites");
    let mut suites: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("a suite"))
        })
        .collect();
    suites.sort();
    suites
}

#[test]
fn requests_of_a_log_become_suites() {
    let scratch = Scratch::new("replayed");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let log = root.join("testdata/audit/quota-claims-stateful-set-ordered-pending.jsonl");
    let log = log.display();
    let flags = "--service-cluster-ip-range=10.96.0.0/16";
    scratch.run(&format!("kadmit replay {flags} --suite all {log}"), 0);
    scratch.run("kadmit test all", 0);
    let suites = suites_in(&scratch.0.join("all"));
    assert_eq!(suites.len(), 15);
    for (name, text) in &suites {
        for word in ["shop", "postgres", "kube-controller-manager", "192.168", "db-0"] {
            let is_user =
                word == "kube-controller-manager" && text.contains("system:kube-controller-manager");
            assert!(!text.contains(word) || is_user, "{word} is in {name}:\n{text}");
        }
    }
    // A second run would mix its suites with these.
    scratch.run(&format!("kadmit replay {flags} --suite all {log}"), 2);
    let restricted = root.join("testdata/cli/input/audit/restricted.yaml");
    let change = format!("--after-cluster {} --only PodSecurity", restricted.display());
    scratch.run(&format!("kadmit replay {flags} {change} --suite changed {log}"), 1);
    scratch.run("kadmit test changed", 0);
    let changed = suites_in(&scratch.0.join("changed"));
    assert_eq!(changed.len(), 2, "{changed:?}");
    let (_, denied) =
        changed.iter().find(|(name, _)| name.contains("denied-by-podsecurity")).expect("a refusal");
    golden::compare(denied.clone(), &root.join("testdata/audit/suite.yaml"));
    // What is kept has its name.
    scratch.run(&format!("kadmit replay {flags} --only denied -n shop --suite none {log}"), 0);
    assert!(!scratch.0.join("none").exists());
    scratch.run(&format!("kadmit replay {flags} --suite kept --keep namespaces,images,db {log}"), 0);
    scratch.run("kadmit test kept", 0);
    let kept: String = suites_in(&scratch.0.join("kept")).into_iter().map(|(_, text)| text).collect();
    assert!(kept.contains("shop") && kept.contains("postgres:16") && !kept.contains("db-0"));
}

#[test]
fn a_request_whose_answer_depends_on_its_names_is_no_suite() {
    let scratch = Scratch::new("named");
    let cluster = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n\
        apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: names}\nspec:\n  \
        matchConstraints:\n    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: \
        [configmaps]}]\n  validations: [{expression: object.metadata.name.startsWith('app-')}]\n---\n\
        apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: names}\n\
        spec: {policyName: names, validationActions: [Deny]}\n";
    scratch.write("names.yaml", cluster);
    let log =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli/input/audit/odd.jsonl"));
    let log =
        log.expect("a log").lines().next().expect("a line").replace("\"name\":\"a\"", "\"name\":\"app-a\"");
    scratch.write("log.jsonl", &log);
    let output = scratch.run("kadmit replay --cluster names.yaml --suite renamed log.jsonl", 0);
    let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("not written, as its answer is another one with other names"), "{said}");
    assert_eq!(suites_in(&scratch.0.join("renamed")), []);
    scratch.run("kadmit replay --cluster names.yaml --suite named --keep app-a log.jsonl", 0);
    scratch.run("kadmit test named", 0);
}
