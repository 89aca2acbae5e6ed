//! Compares kadmit's handling of bodies of every kind with that of a real API server.

#![expect(clippy::print_stdout, reason = "the tally is for whoever runs the tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gotext::source::{Data, Node, SourceFile};
use kube_api::decode::{DecodeContext, DecodeError, FieldValidation};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionResource, Value, deprecation, resource};
use kube_registry::Read;
use kube_yaml::read;

/// Agreeing and all vectors.
#[derive(Clone, Copy, Default)]
struct Count(usize, usize);

impl Count {
    fn add(&mut self, agrees: bool) {
        self.0 += usize::from(agrees);
        self.1 += 1;
    }
}

#[derive(Clone, Copy, Default)]
struct Counts {
    messages: Count,
    received: Count,
    warnings: Count,
}

#[test]
fn agrees_with_the_server_about_every_kind() {
    let mut files = BTreeMap::new();
    for entry in
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/api-vectors")).expect("vectors")
    {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            files.insert(name, fs::read_to_string(&path).expect("a vector file"));
        }
    }
    assert_eq!(files.len(), 32, "vector files");
    let mut total = Counts::default();
    for (name, text) in files {
        let counts = compare_all(&name, &text);
        println!("{name}: {}", describe(counts));
        for (sum, count) in [
            (&mut total.messages, counts.messages),
            (&mut total.received, counts.received),
            (&mut total.warnings, counts.warnings),
        ] {
            sum.0 += count.0;
            sum.1 += count.1;
        }
    }
    println!("all: {}", describe(total));
    for (class, count, all) in [
        ("400 messages", total.messages, 285),
        ("received", total.received, 639),
        ("warnings", total.warnings, 926),
    ] {
        assert_eq!((count.0, count.1), (all, all), "{class}");
    }
}

fn describe(Counts { messages, received, warnings }: Counts) -> String {
    format!(
        "400 messages {} of {}, received {} of {}, warnings {} of {}",
        messages.0, messages.1, received.0, received.1, warnings.0, warnings.1
    )
}

fn compare_all(name: &str, text: &str) -> Counts {
    let source = SourceFile::new(name, format!("{{\"vectors\": {text}}}"));
    let document = read(&source).next().expect("a document").expect("the vectors are JSON");
    let Some(Data::Array(vectors)) = document.node.get("vectors").map(|vectors| vectors.data.clone()) else {
        panic!("{name} has no vectors");
    };
    let mut counts = Counts::default();
    for vector in vectors {
        let body = vector.get("body").expect("a body").clone();
        compare(&vector.into_value(), body, &mut counts);
    }
    counts
}

fn compare(vector: &Value, body: Node, counts: &mut Counts) {
    let text = |field: &str| vector["resource"][field].as_str().expect("a text").to_owned();
    let resource = GroupVersionResource::new(text("group"), text("version"), text("resource"));
    let entry = resource::by_resource(&resource).expect("a served resource");
    let kind = entry.group_version_kind();
    let profile = ServerProfile::default();
    let written = vector["body"].to_string();
    let context = DecodeContext {
        kind: &kind,
        field_validation: FieldValidation::Warn,
        strict_errors: &[],
        body: &written,
    };
    let expected = &vector["expect"];
    let now = time_of(&expected["received"]).unwrap_or(kube_registry::NOW);
    let answer = kube_registry::read(body, &context, &profile, now);
    let place = format!("{} {} {}", resource.api_version(), resource.resource, vector["what"]);

    let mut warnings: Vec<_> = deprecation::warning(&kind).into_iter().collect();
    if let Ok(Read { warnings: unknown, .. }) = &answer {
        warnings.extend(unknown.iter().cloned());
    }
    let theirs: Vec<_> = texts(&expected["warnings"]).filter(|text| is_ours(text)).collect();
    counts.warnings.add(warnings == theirs);
    if warnings != theirs {
        println!("{place}: warnings\n  ours:   {warnings:?}\n  server: {theirs:?}");
    }

    let theirs = match expected.get("received") {
        // The servers behind the main one, for custom resource definitions and API services, could not be recorded.
        Some(theirs) if theirs.get("encodeError").is_some() => return,
        theirs => theirs,
    };
    let Some(theirs) = theirs else {
        let ours = answer.err().map(|DecodeError { status, .. }| (status.code, status.message));
        let theirs = expected["message"].as_str().map(|message| (400, message.to_owned()));
        counts.messages.add(ours == theirs);
        if ours != theirs {
            println!("{place}: message\n  ours:   {ours:?}\n  server: {theirs:?}\n  body: {written:.300}");
        }
        return;
    };
    let agrees = match answer {
        Ok(Read { object, .. }) => {
            let ours = admitted(object.value, entry.namespaced);
            let theirs = admitted(theirs.clone(), entry.namespaced);
            differences(&place, &ours, &theirs)
        }
        Err(error) => {
            println!("{place}: {error}");
            false
        }
    };
    counts.received.add(agrees);
}

/// Returns the time at which the server read the object, if the object records it: when a device was tainted.
fn time_of(value: &Value) -> Option<&str> {
    match value {
        Value::Object(map) => match map.get("timeAdded").and_then(Value::as_str) {
            Some(time) => Some(time),
            None => map.values().find_map(time_of),
        },
        Value::Array(items) => items.iter().find_map(time_of),
        _ => None,
    }
}

/// Returns the object as it reaches admission: in the namespace of the URL, without what only the server may set.
fn admitted(mut object: Value, namespaced: bool) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in [
            "uid",
            "creationTimestamp",
            "resourceVersion",
            "generation",
            "managedFields",
            "selfLink",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
        ] {
            metadata.remove(field);
        }
        if namespaced {
            metadata.insert("namespace".to_owned(), "default".into());
        } else {
            metadata.remove("namespace");
        }
    }
    object
}

/// Whether two objects are equal; prints the first fields that differ.
fn differences(place: &str, ours: &Value, theirs: &Value) -> bool {
    let mut found = Vec::new();
    collect("", ours, theirs, &mut found);
    for difference in found.iter().take(4) {
        println!("{place}: received {difference}");
    }
    found.is_empty()
}

fn collect(path: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(left), Value::Object(right)) => {
            for key in left.keys().chain(right.keys().filter(|key| !left.contains_key(key))) {
                let path = format!("{path}.{key}");
                match (left.get(key), right.get(key)) {
                    (Some(left), Some(right)) => collect(&path, left, right, found),
                    (Some(left), None) => found.push(format!("{path}: {left} is not the server's")),
                    (None, right) => {
                        found.push(format!("{path}: {} is missing", right.unwrap_or(&Value::Null)));
                    }
                }
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                collect(&format!("{path}[{index}]"), left, right, found);
            }
        }
        _ if ours != theirs => found.push(format!("{path}: {ours}, not {theirs}")),
        _ => {}
    }
}

fn texts(list: &Value) -> impl Iterator<Item = String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned)
}

/// Whether a warning comes from decoding the object, not from checking its contents.
fn is_ours(warning: &str) -> bool {
    warning.starts_with("unknown field ")
        || warning.starts_with("duplicate field ")
        || warning.contains(" is deprecated in v1.")
}
