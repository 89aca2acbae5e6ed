//! Reports conform to their formats: schemas, counts, patches.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use boon::{Compiler, Schemas};
use gotext::value::{Value, json};
use kube_api::json_patch;
use roxmltree::{Document, Node, ParsingOptions};
use sha2::{Digest, Sha256};

use crate::golden;
use crate::scratch::Scratch;

/// Runs that together cover everything: refusals, warnings, changes, notes, broken input, no input, odd names.
const RUNS: &[&str] = &[
    "--cluster ../quickstart/cluster ../quickstart/manifests",
    "--admission-control AlwaysDeny --field-validation Warn input/odd input/broken/no-kind.yaml",
    "input/broken ../quickstart/manifests/cache.yaml",
    "--ignore-unknown-kinds input/broken/unknown-kind.yaml",
    "input/review-create.yaml input/review-delete.yaml input/review-connect.yaml",
    "--cluster ../quickstart/cluster input/deployment.yaml",
    "--allow-empty input/empty",
    "--enable-admission-plugins NoSuchPlugin input/many",
    "input/nowhere",
    "--settings input/skips/kadmit.toml input/skips",
    "--admission-control PodSecurity --baseline input/baseline/baseline.json input/baseline/pods.yaml",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

/// Returns the output of each of the runs in `format`.
fn printed(format: &str) -> Vec<String> {
    RUNS.iter().map(|arguments| printed_by(format, arguments)).collect()
}

fn printed_by(format: &str, arguments: &str) -> String {
    let command = format!("SOURCE_DATE_EPOCH=0 kadmit run -o {format} {arguments}");
    String::from_utf8(golden::run(&command, &root().join("cli")).stdout).expect("UTF-8")
}

#[test]
fn sarif_keeps_to_its_schema() {
    let mut schemas = Schemas::new();
    let file = root().join("schemas/sarif-2.1.0.json");
    let schema = Compiler::new().compile(&file.to_string_lossy(), &mut schemas).expect("the schema is one");
    let (mut results, mut suppressed) = (0, 0);
    for text in printed("sarif") {
        let log: Value = serde_json::from_str(&text).expect("JSON");
        if let Err(error) = schemas.validate(&text.parse().expect("JSON"), schema) {
            panic!("{error:#}\n{text}");
        }
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        for result in run["results"].as_array().expect("results") {
            // SARIF requires it for all results or for none.
            suppressed += result["suppressions"].as_array().expect("suppressions").len();
            let index = result["ruleIndex"].as_u64().and_then(|index| usize::try_from(index).ok());
            let rule = index.and_then(|index| rules.get(index)).expect("every result has a rule");
            assert_eq!(result["ruleId"], rule["id"]);
            results += 1;
        }
    }
    assert!(results > 10 && suppressed > 5, "{results}, {suppressed}");
    let wrong = serde_json::json!({"version": "2.1.0", "runs": [{"tool": {}}]});
    assert!(schemas.validate(&wrong, schema).is_err(), "the schema is one that refuses");
}

/// Runs with fields that the others lack: a policy that explains itself, with its parameters.
const MORE_RUNS: &[&str] = &[
    "--webhooks call --cluster input/policies/apply/hooks.yaml input/policies/apply/pods.yaml",
    "--cluster input/policies/soft.yaml input/policies/storefront.deployment.yaml",
    "--policy input/policies/images.yaml input/policies/storefront.deployment.yaml",
    "--policy input/policies/replicas.yaml input/policies/storefront.deployment.yaml",
    "--as alice --as-uid 17 ../quickstart/manifests/cache.yaml",
    "--only denied --cluster ../quickstart/cluster ../quickstart/manifests",
    "input/invalid.yaml input/wrong-type.yaml",
    "--cluster input/webhooks/hooks.yaml --webhook-recordings input/webhooks/recorded input/webhooks/pod.yaml",
];

/// Fields of Kubernetes' own types, and of rare refusals by the server itself, that no run here has.
const RARE: &[&str] =
    &["details.retryAfterSeconds", "details.uid", "quota.run", "result.reasons", "userInfo.extra"];

#[test]
fn json_keeps_to_its_schema() {
    let path = root().join("../docs/report.schema.json");
    let mut schema: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(path).expect("the schema is there")).expect("JSON");
    let mut defined = BTreeSet::new();
    close(&mut schema, "", &mut defined);
    let mut compiler = Compiler::new();
    compiler.add_resource("report.json", schema.clone()).expect("a schema");
    let mut schemas = Schemas::new();
    let index = compiler.compile("report.json", &mut schemas).expect("the schema is one");
    let mut used = BTreeSet::new();
    let more = MORE_RUNS.iter().map(|arguments| printed_by("json", arguments));
    for text in printed("json").into_iter().chain(more).filter(|text| !text.is_empty()) {
        let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        if let Err(error) = schemas.validate(&report, index) {
            panic!("{error:#}\n{text}");
        }
        note_fields(&report, &schema, &schema, "", &mut used);
    }
    let more = MORE_RUNS.iter().map(|arguments| printed_by("jsonl", arguments));
    for line in printed("jsonl")
        .iter()
        .flat_map(|text| text.lines())
        .map(str::to_owned)
        .chain(more.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()))
    {
        let line: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        if ["diagnostic", "quota", "policy", "webhook"].iter().any(|kind| line.get(kind).is_some()) {
            continue;
        }
        let counts = ["requests", "admitted", "denied", "mutated", "warnings", "errors"];
        let summary: BTreeMap<_, _> = counts.iter().map(|count| (*count, 0)).collect();
        let report = serde_json::json!({
            "apiVersion": "kadmit.dev/v1alpha1",
            "kind": "AdmissionReport",
            "kubernetesVersion": "1.37",
            "plugins": [],
            "results": [line],
            "diagnostics": [],
            "summary": summary,
        });
        if let Err(error) = schemas.validate(&report, index) {
            panic!("{error:#}\n{report}");
        }
        note_fields(&report, &schema, &schema, "", &mut used);
    }
    let unused: Vec<_> = defined.difference(&used).filter(|field| !RARE.contains(&field.as_str())).collect();
    assert!(unused.is_empty(), "no run has {unused:?}");
}

/// Forbids fields in objects of `schema` other than those that it defines, and adds these to `defined`.
fn close(schema: &mut serde_json::Value, name: &str, defined: &mut BTreeSet<String>) {
    match schema {
        serde_json::Value::Object(members) => {
            if let Some(serde_json::Value::Object(properties)) = members.get("properties") {
                defined.extend(properties.keys().map(|key| format!("{name}.{key}")));
                members.insert("additionalProperties".to_owned(), false.into());
            }
            for (key, member) in members {
                let is_named = !["properties", "$defs", "items"].contains(&key.as_str());
                close(member, if is_named { key } else { name }, defined);
            }
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| close(item, name, defined)),
        _ => {}
    }
}

/// Adds the fields of `value` to `used`, under the names that [`close`] uses.
fn note_fields(
    value: &serde_json::Value,
    schema: &serde_json::Value,
    root: &serde_json::Value,
    name: &str,
    used: &mut BTreeSet<String>,
) {
    let reference = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
    let (schema, name) = reference.map_or((schema, name), |def| (&root["$defs"][def], def));
    if let Some(items) = value.as_array() {
        for item in items {
            note_fields(item, &schema["items"], root, name, used);
        }
    }
    if let Some(other) = schema.get("additionalProperties").filter(|other| other.is_object()) {
        for value in value.as_object().into_iter().flat_map(serde_json::Map::values) {
            note_fields(value, other, root, name, used);
        }
    }
    let Some(properties) = schema["properties"].as_object() else { return };
    for (key, value) in value.as_object().into_iter().flatten() {
        used.insert(format!("{name}.{key}"));
        note_fields(value, &properties[key], root, key, used);
    }
}

#[test]
fn junit_counts_what_it_has() {
    let mut cases = 0;
    for text in printed("junit") {
        let document = Document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let named = |node: &roxmltree::Node<'_, '_>, name: &str| {
            node.descendants().filter(|child| child.has_tag_name(name)).count().to_string()
        };
        for suite in document.root_element().children().filter(roxmltree::Node::is_element) {
            for (attribute, element) in
                [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]
            {
                assert_eq!(suite.attribute(attribute), Some(&*named(&suite, element)), "{text}");
            }
        }
        cases += document.descendants().filter(|node| node.has_tag_name("testcase")).count();
    }
    assert!(cases > 20, "{cases}");
}

#[test]
fn tap_plans_what_it_has() {
    let mut count = 0;
    for text in printed("tap") {
        let is_point = |line: &&str| line.starts_with("ok ") || line.starts_with("not ok ");
        let points: Vec<&str> = text.lines().filter(is_point).collect();
        assert_eq!(text.lines().next(), Some("TAP version 14"));
        assert_eq!(text.lines().next_back(), Some(&*format!("1..{}", points.len())));
        for (position, point) in points.iter().enumerate() {
            let number = format!("ok {} - ", position + 1);
            assert!(point.trim_start_matches("not ").starts_with(&number), "{point}");
        }
        count += points.len();
    }
    assert!(count > 40, "{count}");
}

/// Returns the page without its script, which is not XML; everything else is, so a parser detects missing escapes and
/// end tags.
pub(crate) fn page(text: &str) -> String {
    let (before, script) = text.split_once("<script>").expect("a script");
    let (script, after) = script.split_once("</script>").expect("the end of the script");
    assert!(!script.contains("</"), "{script}");
    let page = format!("{before}<script></script>{after}");
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(&page, options).unwrap_or_else(|error| panic!("{error}\n{page}"));
    for node in document.descendants().filter(Node::is_element) {
        let loads = ["src", "href", "srcset", "action"].into_iter().find(|name| node.has_attribute(*name));
        assert_eq!(loads, None, "nothing is loaded from elsewhere: {}", node.tag_name().name());
        let handler = node.attributes().find(|attribute| attribute.name().starts_with("on"));
        assert_eq!(handler.map(|attribute| attribute.name()), None, "what the policy forbids");
    }
    page
}

#[test]
fn a_page_has_every_request() {
    let json = printed("json");
    for (text, json) in printed("html").iter().zip(json) {
        let report: Value = serde_json::from_str(&json).expect("JSON");
        let requests = report["summary"]["requests"].as_u64();
        let page = page(text);
        let rows = page.matches("<tbody class=\"object").count() as u64;
        assert_eq!(Some(rows), requests, "{text}");
        let denied = page.matches("data-verdict=\"denied").count() as u64;
        assert_eq!(Some(denied), report["summary"]["denied"].as_u64(), "{text}");
    }
}

/// A page that a reviewer opens in a browser.
#[test]
fn a_page_is_what_it_was() {
    let file = root().join("reports/quickstart.html");
    golden::compare(printed_by("html", RUNS[0]), &file);
}

#[test]
fn a_page_about_a_log_names_answers_that_differ_apart_from_the_input() {
    let replayed = golden::run("kadmit replay -o html input/audit/damaged.jsonl", &root().join("cli"));
    let page = String::from_utf8(replayed.stdout).expect("UTF-8");
    let parts: Vec<&str> = page.split("<h3>").skip(1).collect();
    let [differing, input] = parts[..] else { panic!("{page}") };
    assert!(differing.starts_with("Answers that differ from the log</h3>"), "{differing}");
    assert_eq!(differing.matches("<li").count(), 1, "{differing}");
    assert!(differing.contains("create serviceaccounts: metadata.labels"), "{differing}");
    assert!(input.starts_with("About the input</h3>") && !input.contains("kadmit: absent"), "{input}");
}

#[test]
fn the_script_and_the_style_of_a_page_are_those_that_its_policy_allows() {
    let text = &printed("html")[0];
    for (begin, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
        let inner = text.split_once(begin).and_then(|(_, rest)| rest.split_once(end)).expect("an element").0;
        let hash = STANDARD.encode(Sha256::digest(inner));
        assert!(text.contains(&format!("'sha256-{hash}'")), "{begin}");
    }
    assert!(text.contains("default-src 'none'"));
}

/// Reports about policies are valid objects in a cluster with their definitions.
#[test]
fn every_list_of_findings_has_what_decided_in_an_expression() {
    let policies = "--policy input/policies/replicas.yaml";
    let arguments = format!("{policies} input/policies/storefront.deployment.yaml");
    for (format, part) in [
        (
            "sarif",
            r"decided by `object.spec.replicas <= int(params.data.limit)`\nobject.spec.replicas is 3\n",
        ),
        (
            "html",
            "<li>decided by `object.spec.replicas &#60;= int(params.data.limit)`</li>\n<li>object.spec.replicas is 3</li>",
        ),
        (
            "github",
            "decided by `object.spec.replicas <= int(params.data.limit)`%0Aobject.spec.replicas is 3%0A",
        ),
        ("junit", "because object.spec.replicas is 3\n"),
    ] {
        let text = printed_by(format, &arguments);
        assert!(text.contains(part), "{format}: {text}");
    }
}

#[test]
fn a_page_of_coverage_counts_evaluations_of_what_is_no_condition() {
    let command = "kadmit test -q -o json=/dev/null --coverage=html input/policies/coverage";
    let text = String::from_utf8(golden::run(command, &root().join("cli")).stdout).expect("UTF-8");
    assert!(
        text.contains("spec.variables[0].expression <span class=\"q\">line 14, evaluated 2</span>"),
        "{text}"
    );
    assert!(text.contains("<span class=\"both\" title=\"evaluated 2\">5</span>"), "{text}");
    assert!(text.contains("title=\"evaluated 2, true 1, false 1\">object.spec.replicas"), "{text}");
}

#[test]
fn policy_reports_keep_to_their_definitions() {
    let scratch = Scratch::with_manifest("policy-reports");
    for (format, definitions, kind) in
        [("policyreport", "openreports", "Report"), ("policyreport-v1alpha2", "wgpolicyk8s", "PolicyReport")]
    {
        let definitions = root().join("reports/definitions").join(definitions);
        let mut counts = 0;
        for text in printed(format) {
            let file = scratch.join("report.yaml");
            fs::write(&file, &text).expect("a file");
            let command = format!(
                "kadmit run --allow-empty --field-validation Strict -o json --cluster {} {}",
                definitions.display(),
                file.display()
            );
            let output = golden::run(&command, &scratch);
            assert_eq!(output.status.code(), Some(0), "{}\n{text}", String::from_utf8_lossy(&output.stdout));
            let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            for result in report["results"].as_array().expect("results") {
                let object = &result["object"];
                let summary = object["summary"].as_object().expect("a summary");
                let results = object["results"].as_array().expect("results");
                for (ending, count) in summary {
                    let of_it = results.iter().filter(|result| result["result"] == *ending.as_str()).count();
                    assert_eq!(count.as_u64(), Some(of_it as u64), "{ending}: {text}");
                }
                let is_namespaced = object["metadata"]["namespace"].is_string();
                let expected = if is_namespaced { kind.to_owned() } else { format!("Cluster{kind}") };
                assert_eq!(object["kind"], *expected.as_str());
                counts += results.len();
            }
        }
        assert!(counts > 40, "{format}: {counts}");
    }
}

#[test]
fn every_issue_of_gitlab_is_one_of_a_kind() {
    let mut count = 0;
    for text in printed("gitlab") {
        let issues: Vec<Value> = serde_json::from_str(&text).expect("a list");
        let fingerprints: BTreeSet<&str> =
            issues.iter().map(|issue| issue["fingerprint"].as_str().expect("text")).collect();
        assert_eq!(fingerprints.len(), issues.len(), "{text}");
        for issue in &issues {
            assert!(issue["description"].is_string() && issue["check_name"].is_string(), "{issue}");
            assert!(issue["location"]["path"].is_string(), "{issue}");
            assert!(issue["location"]["lines"]["begin"].as_u64() > Some(0), "{issue}");
            let severity = issue["severity"].as_str();
            assert!(matches!(severity, Some("info" | "minor" | "major")), "{issue}");
        }
        count += issues.len();
    }
    assert!(count > 20, "{count}");
}

#[test]
fn a_finding_is_the_same_when_its_lines_move() {
    let scratch = Scratch::with_manifest("fingerprints");
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  hostPID: true\n";
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: default\n  labels:\n    \
                     pod-security.kubernetes.io/enforce: baseline\n";
    fs::write(scratch.join("namespace.yaml"), namespace).expect("a namespace");
    let fingerprints = |text: String| {
        fs::write(scratch.join("d.yaml"), text).expect("manifests");
        let arguments = "--cluster namespace.yaml --admission-control PodSecurity,AlwaysDeny d.yaml";
        let output = golden::run(&format!("kadmit run -o sarif {arguments}"), &scratch);
        let log: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let results = log["runs"][0]["results"].as_array().expect("results").iter();
        let found = results.map(|result| {
            let line = &result["locations"][0]["physicalLocation"]["region"]["startLine"];
            (line.as_u64().expect("a line"), result["partialFingerprints"]["kadmit/v1"].to_string())
        });
        found.collect::<Vec<_>>()
    };
    let containers = "  containers: [{name: a, image: a}]\n";
    let found = fingerprints(format!("{pod}{containers}"));
    let moved = fingerprints(format!("# a\n\n# b\n{pod}{containers}"));
    assert_eq!(found.len(), 1);
    assert_eq!((moved[0].0, &moved[0].1), (found[0].0 + 3, &found[0].1));
    let renamed = fingerprints(format!("{pod}{containers}").replace("name: a}\n", "name: b}\n"));
    assert_ne!(renamed[0].1, found[0].1);
}

#[test]
fn a_comparison_offers_the_edit_of_a_version() {
    let scratch = Scratch::new("compared-edit");
    let budget = "# a budget\napiVersion: \"policy/v1beta1\"\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: \
                  {maxUnavailable: 1, selector: {matchLabels: {a: b}}}\n";
    fs::write(scratch.join("d.yaml"), budget).expect("a manifest");
    let output = golden::run("kadmit compare -o sarif --kubernetes-version=1.24 --to 1.36 d.yaml", &scratch);
    let log: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let fixes: Vec<&Value> = results.iter().filter_map(|result| result.get("fixes")).collect();
    let region = json!({"startLine": 2, "startColumn": 13, "endColumn": 29});
    let replacement = json!({"deletedRegion": region, "insertedContent": {"text": "\"policy/v1\""}});
    let change = json!({
        "artifactLocation": {"uri": "d.yaml", "uriBaseId": "%SRCROOT%"},
        "replacements": [replacement],
    });
    let fix =
        json!({"description": {"text": "write the version that is served"}, "artifactChanges": [change]});
    assert_eq!(fixes, [&json!([fix])]);
    let edited = budget.replace("policy/v1beta1", "policy/v1");
    fs::write(scratch.join("d.yaml"), edited).expect("a manifest");
    let output = golden::run("kadmit compare -o sarif --kubernetes-version=1.24 --to 1.36 d.yaml", &scratch);
    let log: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(log["runs"][0]["results"], json!([]));
}

#[test]
fn a_command_of_github_is_one_line() {
    let mut count = 0;
    for text in printed("github") {
        for line in text.lines() {
            count += 1;
            let is_command =
                ["::error ", "::warning ", "::notice "].iter().any(|start| line.starts_with(start));
            assert!(is_command, "{line}");
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn a_comment_is_markdown() {
    let arguments =
        "--admission-control LimitRanger,PodSecurity,DefaultStorageClass --cluster cluster manifests";
    let output = golden::run(&format!("kadmit run -o markdown {arguments}"), &root().join("quickstart"));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    golden::compare(text, &root().join("reports/quickstart.md"));
}

#[test]
fn a_patch_does_what_the_plugins_did() {
    let mut patches = 0;
    let directory = root().join("quickstart");
    let print = |format: &str| {
        let command = format!("kadmit run -o {format} --cluster cluster manifests");
        String::from_utf8(golden::run(&command, &directory).stdout).expect("UTF-8")
    };
    let (reviews, results) = (print("admissionreview"), print("jsonl"));
    let results = results.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let is_asked_for = |result: &Value| result.get("request").is_some() && result.get("cause").is_none();
    let results: Vec<Value> = results.filter(is_asked_for).collect();
    assert_eq!(reviews.lines().count(), results.len());
    for (review, result) in reviews.lines().zip(&results) {
        let review: Value = serde_json::from_str(review).expect("JSON");
        let response = &review["response"];
        assert_eq!(response["allowed"], result["allowed"]);
        assert_eq!(response.get("status"), result.get("status"));
        let Some(patch) = response["patch"].as_str() else { continue };
        assert_eq!(response["patchType"], "JSONPatch");
        let patch: Value = serde_json::from_slice(&STANDARD.decode(patch).expect("base64")).expect("JSON");
        let apply = |object: Value, patch: &Value| {
            json_patch::decode(patch).and_then(|patch| patch.apply(object)).expect("a patch that fits")
        };
        let received = result["received"].clone();
        let steps = result["steps"].as_array().expect("steps").iter();
        let changed = steps.filter_map(|step| step.get("patch")).fold(received.clone(), apply);
        assert_eq!(apply(received, &patch), changed);
        patches += 1;
    }
    assert!(patches > 2, "{patches}");
}

#[test]
fn the_machine_readable_report_has_the_quotas() {
    let command =
        "kadmit run --no-settings -o json --cluster input/quotas/cluster.yaml input/quotas/web.yaml";
    let output = golden::run(command, &root().join("cli"));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let expected: Value = serde_json::from_str(
        r#"[{
            "namespace": "shop",
            "name": "team",
            "resources": {
                "pods": {"hard": "4", "before": "1", "after": "3"},
                "services": {"hard": "2", "before": "0", "after": "1"}
            },
            "by": [
                {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web", "used": {"pods": "2"}},
                {"apiVersion": "v1", "kind": "Service", "namespace": "shop", "name": "web", "used": {"services": "1"}}
            ]
        }]"#,
    )
    .expect("JSON");
    assert_eq!(report["quotas"], expected);
}

/// The reports about drift that a reviewer opens in a browser, or reads on a pull request.
#[test]
fn reports_about_drift_are_what_they_were() {
    for (format, file) in [("html", "reports/drift.html"), ("markdown", "reports/drift.md")] {
        let command = format!(
            "kadmit drift --live input/drift/live.yaml -o {format} input/drift/manifests/settings.yaml"
        );
        let output = golden::run(&command, &root().join("cli"));
        golden::compare(String::from_utf8(output.stdout).expect("UTF-8"), &root().join(file));
    }
}
