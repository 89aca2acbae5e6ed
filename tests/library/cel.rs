//! The compiler of CEL against the policies of the recorded cases.

#![expect(clippy::print_stdout, reason = "the tally is for whoever runs the tests")]

mod vectors;

use std::fs;
use std::path::{Path, PathBuf};

use gotext::source::SourceFile;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionKind, Object, Value};
use kube_registry::Context;
use kube_yaml::read;

fn testdata(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(folder)
}

/// Returns the errors in the expressions of an object.
fn complaints(value: &Value) -> Vec<String> {
    let kind = GroupVersionKind::new(
        "admissionregistration.k8s.io",
        "v1",
        value["kind"].as_str().unwrap_or_default().to_owned(),
    );
    let object = Object::new(kind, value.clone());
    let profile = ServerProfile::default();
    let strategy = kube_registry::of(&object.kind).expect("a policy");
    let errors = strategy.validate_create(&object, &Context::new(&profile));
    let bodies = errors.iter().map(kube_api::field::Error::body);
    bodies.filter(|body| body.contains("compilation failed") || body.contains("must evaluate to")).collect()
}

/// Collects every object in a case that has expressions for admission.
fn policies<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| policies(item, found)),
        Value::Object(fields) => {
            let kind = value["kind"].as_str().unwrap_or_default();
            if kind.ends_with("AdmissionPolicy") || kind.ends_with("WebhookConfiguration") {
                found.push(value);
            } else {
                fields.iter().for_each(|(_, field)| policies(field, found));
            }
        }
        _ => {}
    }
}

/// Cases in which the recorded server does not report the refusal.
const UNSAID: &[&str] = &[
    // Another validation of the policy fails first.
    "compile-error-int-equals-double",
    "compile-error-mixed-list-literal",
    "compile-error-not-a-bool",
    "compile-error-only-in-second-validation",
    // The message is used instead of its expression.
    "compile-error-authorizer-in-message-expression",
    "compile-error-in-message-expression",
    // A condition that does not compile is skipped, or its failure ignored.
    "match-condition-uses-variables",
    "compile-error-apply-ignore",
];

#[test]
fn recorded_policies_compile_or_are_refused_in_the_same_words() {
    let (mut compiled, mut refused) = (0, 0);
    let mut wrong = Vec::new();
    for plugin in fs::read_dir(testdata("conformance")).unwrap() {
        let folder = plugin.unwrap().path();
        for file in fs::read_dir(&folder).into_iter().flatten() {
            let path = file.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let Some(Ok(document)) = read(&SourceFile::new("case", text.clone())).next() else { continue };
            let case = document.node.into_value();
            let mut found = Vec::new();
            policies(&case, &mut found);
            let is_unsaid = UNSAID.contains(&&*path.file_stem().unwrap().to_string_lossy());
            let said = case["expect"].to_string();
            for policy in found {
                let complaints = complaints(policy);
                compiled += usize::from(complaints.is_empty());
                for complaint in complaints {
                    let starts = ["compilation failed", "must evaluate to"];
                    let detail = &complaint[starts.iter().find_map(|start| complaint.find(start)).unwrap()..];
                    let quoted = Value::from(detail).to_string();
                    if said.contains(quoted.trim_matches('"')) {
                        refused += 1;
                    } else if !is_unsaid {
                        wrong.push(format!("{}: {complaint}", path.display()));
                    }
                }
            }
        }
    }
    assert_eq!(refused, 27);
    println!("{compiled} policies compile, {refused} expressions are refused as recorded");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
