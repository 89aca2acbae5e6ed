use std::sync::Arc;

use gotext::value::json;

use super::*;
use crate::admission::UserInfo;
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Flags};
use crate::evaluation::{ApplyOptions, Evaluator, Prepared, Request, RequestDefaults};
use gotext::source::SourceFile;
use kube_api::Value;
use kube_api::decode::FieldValidation;
use kube_api::server_profile::ServerProfile;
use kube_yaml::Document;

/// Returns the outcomes of the documents in `text` on a server with `flags`, and its side of a comparison.
fn run(file: &str, text: &str, flags: &str) -> (Vec<Outcome>, Side) {
    let mut server = Flags::default();
    server.vary(flags).unwrap();
    let (profile, cluster) = (Arc::new(ServerProfile::default()), Arc::new(Cluster::new()));
    let configuration = Configuration::new(&server, profile.clone(), cluster.clone()).unwrap();
    let mut evaluator = Evaluator::new(cluster, configuration.chain, profile.clone(), false);
    let defaults = RequestDefaults {
        namespace: "default".to_owned(),
        operation: None,
        apply: Arc::new(ApplyOptions { generates_names: true, ..ApplyOptions::default() }),
        user_info: Arc::new(UserInfo::default()),
        dry_run: false,
        field_validation: FieldValidation::Strict,
    };
    let source = SourceFile::new(file, text);
    let mut side = Side { plugins: evaluator.plugins(), ..Side::default() };
    let items = kube_yaml::read(&source).flat_map(|document| Document::unwrap_list(document.unwrap()));
    let evaluate = |item| {
        let request = Request::new(item, &defaults).unwrap();
        let outcome = evaluator.evaluate(Prepared::new(request, &profile)).unwrap();
        side.summary.count(&outcome);
        outcome
    };
    (items.map(evaluate).collect(), side)
}

fn compare(compared_by: ComparedBy, before: (&str, &str), after: (&str, &str)) -> Compared {
    colored::control::set_override(false);
    let ((old, first), (new, second)) =
        (run("before.yaml", before.0, before.1), run("after.yaml", after.0, after.1));
    let mut comparison = Comparison::new(compared_by, false);
    comparison.take_before(&old);
    comparison.take_after(&new, &Fixtures::default());
    comparison.finish(first, second, Vec::new())
}

fn of_manifests(before: &str, after: &str) -> Compared {
    compare(ComparedBy::Manifests, (before, ""), (after, ""))
}

fn of_servers(text: &str, before: &str, after: &str) -> Compared {
    compare(ComparedBy::Server, (text, before), (text, after))
}

fn text(compared: &Compared) -> String {
    let mut out = Vec::new();
    write_diff(&mut out, compared, true, 80).unwrap();
    String::from_utf8(out).unwrap()
}

fn audit(compared: &Compared) -> String {
    let mut out = Vec::new();
    write_audit(&mut out, compared, 2, 80).unwrap();
    String::from_utf8(out).unwrap()
}

fn json(compared: &Compared) -> Value {
    let mut out = Vec::new();
    write_json(&mut out, compared, true).unwrap();
    serde_json::from_slice(&out).unwrap()
}

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: nightly}\nspec: {template: {spec: \
                   {restartPolicy: Never, containers: [{name: a, image: b}]}}}\n---\n";
const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {generateName: web-}\nspec: {containers: [{name: a, image: \
                   b}]}\n---\n";

fn config_map(name: &str, value: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{key: {value}}}\n---\n")
}

#[test]
fn what_the_server_makes_up_is_no_difference() {
    let before = format!("{POD}{JOB}");
    let after = format!("{}{JOB}{POD}", config_map("new", "a"));
    assert_eq!(
        text(&of_manifests(&before, &after)),
        "+ ConfigMap default/new                                             after.yaml:1\n\n\
         before: 3 objects, 0 denied; after: 4 objects, 0 denied\n1 added\n"
    );
}

#[test]
fn the_same_key_is_matched_by_order() {
    let before = [config_map("a", "one"), config_map("a", "two"), config_map("a", "three")].concat();
    let after = [config_map("a", "one"), config_map("a", "other")].concat();
    assert_eq!(
        text(&of_manifests(&before, &after)),
        "~ ConfigMap default/a (update)                                      after.yaml:6\n  \
           stored otherwise\n    \
             @@ data @@\n    \
             - key: two\n    \
             + key: other\n\
         \n\
         - ConfigMap default/a (update)                                    before.yaml:11\n\
         \n\
         note: ConfigMap a is in after.yaml:1 already: after.yaml:6 is an update of it\n\
         note: ConfigMap a is in before.yaml:1 already: before.yaml:6 is an update of it\n\
         note: ConfigMap a is in before.yaml:6 already: before.yaml:11 is an update of it\n\
         \n\
         before: 3 objects, 0 denied; after: 2 objects, 0 denied\n\
         1 removed, 1 changed\n"
    );
}

#[test]
fn a_comment_folds_what_is_stored_otherwise() {
    let before = [config_map("a", "one"), config_map("b", "x")].concat();
    let after = [config_map("a", "two"), config_map("c", "x")].concat();
    let mut out = Vec::new();
    write_diff_markdown(&mut out, &of_manifests(&before, &after), true).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "## ✅ kadmit: no verdict, warning or mutation differs\n\
         \n\
         Before the change of the manifests: 2 requests, 0 denied; after it: 2 requests, 0 denied\n\
         \n\
         Added:\n\
         \n\
         - `ConfigMap default/c` `after.yaml:6`\n\
         \n\
         Removed:\n\
         \n\
         - `ConfigMap default/b` `before.yaml:6`\n\
         \n\
         <details><summary><code>ConfigMap default/a</code> stored otherwise</summary>\n\
         \n\
         ```diff\n\
         @@ data @@\n\
         - key: one\n\
         + key: two\n\
         ```\n\
         \n\
         </details>\n"
    );
}

#[test]
fn an_audit_names_plugins_namespaces_and_examples() {
    let manifests: String = ["a", "b", "c"].iter().map(|name| config_map(name, "x")).collect();
    let compared = of_servers(&manifests, "", "--enable-admission-plugins=AlwaysDeny");
    assert!(compared.has_newly_denied());
    assert_eq!(
        audit(&compared),
        "switched on: AlwaysDeny\n\
         \n\
         newly denied by AlwaysDeny: 3\n \
          3× configmaps \"…\" is forbidden: admission control is denying all modifications\n    \
             - ConfigMap default/a                                           after.yaml:1\n    \
             - ConfigMap default/b                                           after.yaml:6\n    \
             … and 1 more\n\
         \n\
         before: 3 objects, 0 denied; after: 3 objects, 3 denied\n\
         3 newly denied\n"
    );
    let back = of_servers(&manifests, "--enable-admission-plugins=AlwaysDeny", "");
    assert!(!back.has_newly_denied());
    assert_eq!(json(&back)["summary"]["events"], json!({"noLongerDenied": 3}));
}

#[test]
fn a_plugin_may_change_something_else_than_before() {
    let flag = "--default-not-ready-toleration-seconds=5";
    let compared = of_servers(&format!("{POD}{JOB}"), "", flag);
    let events = json!({"mutatedOtherwise": 2});
    assert_eq!(
        json(&compared)["summary"],
        json!({
            "events": &events,
            "accepted": {},
            "byPlugin": {"DefaultTolerationSeconds": &events},
            "byNamespace": {"default": &events},
        })
    );
    assert_eq!(json(&of_servers(&format!("{POD}{JOB}"), flag, flag))["differences"], json!([]));
}

#[test]
fn what_follows_from_a_refusal_is_not_reported() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: \
                      {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b}]}}}\n";
    let compared = of_servers(deployment, "", "--enable-admission-plugins=AlwaysDeny");
    let differences = json(&compared)["differences"].as_array().unwrap().clone();
    let subjects: Vec<_> = differences.iter().map(|difference| &difference["subject"]).collect();
    assert_eq!(subjects, ["Deployment default/web"]);
}

#[test]
fn the_machine_reads_what_is_documented() {
    let compared = of_manifests(&config_map("a", "one"), &config_map("a", "two"));
    let plugins = &compared.before.plugins;
    let side = json!({"plugins": plugins, "requests": 1, "admitted": 1, "denied": 0});
    assert_eq!(
        json(&compared),
        json!({
            "apiVersion": "kadmit.dev/v1alpha1",
            "kind": "AdmissionComparison",
            "before": &side,
            "after": &side,
            "differences": [{
                "subject": "ConfigMap default/a",
                "request": {"operation": "CREATE", "kind": "ConfigMap", "namespace": "default", "name": "a"},
                "caused": false,
                "source": {"file": "after.yaml", "line": 1},
                "before": {"allowed": true},
                "after": {"allowed": true},
                "events": [],
                "patch": [{"op": "replace", "path": "/data/key", "value": "two"}],
            }],
            "notes": [],
            "diagnostics": [],
            "summary": {"events": {}, "accepted": {}, "byPlugin": {}, "byNamespace": {}},
        })
    );
}

#[test]
fn a_comment_is_never_too_long() {
    let manifests: String = (0..800).map(|number| config_map(&format!("map-{number}"), "x")).collect();
    let compared = of_servers(&manifests, "", "--enable-admission-plugins=AlwaysDeny");
    let mut out = Vec::new();
    write_audit_markdown(&mut out, &compared, usize::MAX).unwrap();
    let comment = String::from_utf8(out).unwrap();
    let shown = comment.matches("is denying all modifications").count();
    assert!(comment.chars().count() <= 65_536 && shown > 300, "{shown}");
    let missing = format!("since a comment holds 65536 characters: {} lines and changes\n", 800 - shown);
    assert!(comment.ends_with(&missing), "{missing}: {}", &comment[comment.len() - 200..]);
}
