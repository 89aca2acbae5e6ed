//! A whole library of policies with the verdicts of its own tests.
//!
//! `testdata/policy-library/` has policies of `kubescape/cel-admission-library`. Each test changes some fields of a
//! template, and says whether a policy passes it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kadmit::{ApiServer, SourceFile};
use serde_json::{Value, json};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/policy-library")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the documents of a YAML file.
fn documents(path: &Path) -> Vec<Value> {
    let source = SourceFile::new(path.display().to_string(), read(path));
    let documents = kube_yaml::read(&source).map(|document| document.expect("YAML"));
    let values = documents.map(|document| document.node.into_value().to_string());
    values.map(|text| text.parse().expect("JSON")).collect()
}

fn source(name: &str, values: &[Value]) -> Arc<SourceFile> {
    let texts: Vec<String> = values.iter().map(Value::to_string).collect();
    SourceFile::new(name.to_owned(), texts.join("\n---\n"))
}

/// Sets the field of `object` that `change` names: `spec.containers.[0].image=nginx`.
fn change(object: &mut Value, change: &str) {
    let (path, text) = change.split_once('=').expect("a field and a value");
    let value = text.parse().unwrap_or_else(|_| Value::from(text));
    let mut field = object;
    for step in path.split('.') {
        let index = step.strip_prefix('[').and_then(|step| step.strip_suffix(']'));
        field = if let Some(index) = index {
            let index: usize = index.parse().expect("an index");
            if !field.is_array() {
                *field = json!([]);
            }
            let items = field.as_array_mut().expect("a list");
            items.resize(items.len().max(index + 1), Value::Null);
            &mut items[index]
        } else {
            if !field.is_object() {
                *field = json!({});
            }
            field.as_object_mut().expect("a map").entry(step).or_insert(Value::Null)
        };
    }
    *field = value;
}

/// Returns what exists: the policies, bound, with their parameters.
fn cluster(policies: &[Value], test: &Value) -> Arc<SourceFile> {
    let file = |field: &str, default: &str| {
        directory().join("resources").join(test[field].as_str().unwrap_or(default))
    };
    let parameters = documents(&file("param_template", "default-control-configuration.yaml")).remove(0);
    let mut objects = policies.to_vec();
    objects.extend(documents(&directory().join("definition.yaml")));
    for policy in policies {
        let mut binding = documents(&file("binding_template", "policy-binding.yaml")).remove(0);
        let name = &policy["metadata"]["name"];
        binding["metadata"]["name"] = name.clone();
        binding["spec"]["policyName"] = name.clone();
        if policy["spec"]["paramKind"].is_object() {
            binding["spec"]["paramRef"]["name"] = parameters["metadata"]["name"].clone();
        } else if let Some(spec) = binding["spec"].as_object_mut() {
            spec.remove("paramRef");
        }
        objects.push(binding);
    }
    objects.push(parameters);
    source("cluster.yaml", &objects)
}

/// Returns `pass`, `warn` or `fail`; only policies may refuse.
fn verdict(server: &ApiServer, policies: &[Value], test: &Value) -> String {
    let template = directory().join("resources").join(test["template"].as_str().expect("a template"));
    let mut object = documents(&template).remove(0);
    for field in test["field_change_list"].as_array().into_iter().flatten() {
        change(&mut object, field.as_str().expect("a change"));
    }
    let mut cluster = server.cluster(&[cluster(policies, test)]).expect("a cluster");
    let evaluation = cluster.evaluate(&[source("object.yaml", &[object])]);
    let [outcome] = &evaluation.outcomes[..] else { return "nothing was evaluated".to_owned() };
    match outcome.status() {
        None if outcome
            .trace
            .warnings
            .iter()
            .any(|warning| warning.contains("ValidatingAdmissionPolicy")) =>
        {
            "warn".to_owned()
        }
        None => "pass".to_owned(),
        Some(_) if outcome.denied_by() == Some("ValidatingAdmissionPolicy") => "fail".to_owned(),
        Some(status) => status.message.clone(),
    }
}

#[test]
fn policies_of_a_library_decide_as_its_tests_say() {
    let server = ApiServer::from_flags([""; 0]).expect("a server").following_workloads(false);
    let mut controls: Vec<PathBuf> = fs::read_dir(directory().join("controls"))
        .expect("the controls")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    controls.sort();
    let (mut count, mut wrong) = (0, Vec::new());
    for control in &controls {
        let policies = documents(&control.join("policy.yaml"));
        let tests: Value = read(&control.join("tests.json")).parse().expect("JSON");
        for test in tests.as_array().expect("a list") {
            let (found, expected) = (verdict(&server, &policies, test), &test["expected"]);
            count += 1;
            if expected != &Value::from(found.as_str()) {
                let control = control.file_name().unwrap_or_default().display();
                wrong.push(format!("{control}: {}: {found}, not {expected}", test["name"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 628);
}
