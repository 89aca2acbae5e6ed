//! Compares API validation with that of kube-apiserver v1.36.2: `testdata/api-vectors`.

#![expect(clippy::print_stdout, reason = "the tally is for whoever runs the tests")]

use std::fs;
use std::path::Path;

use gotext::source::{Data, Node, SourceFile};
use kube_api::decode::{DecodeContext, FieldValidation};
use kube_api::field::Error;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionKind, GroupVersionResource, Value, resource};
use kube_registry::merge::managed_fields;
use kube_registry::{Context, NOW, Read, RequestInfo};
use kube_yaml::read;

#[derive(Default)]
struct Figures {
    refused: usize,
    agreeing: usize,
    valid: usize,
    passing: usize,
    /// Reviews and the like, whose answers do not come from the registry.
    answered: usize,
    equal: usize,
}

impl Figures {
    fn describe(&self) -> String {
        let Self { refused, agreeing, valid, passing, equal, .. } = self;
        format!(
            "{agreeing} of {refused} 422 messages agree, {passing} of {valid} valid objects pass, {equal} are equal"
        )
    }
}

#[test]
fn agrees_with_the_recorded_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/api-vectors");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut total = Figures::default();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let mut figures = Figures::default();
        for record in records(&name, &fs::read_to_string(&file).unwrap()) {
            let body = record.get("body").expect("a body").clone();
            count(&record.into_value(), body, &mut figures);
        }
        println!("{name}: {}", figures.describe());
        total.refused += figures.refused;
        total.agreeing += figures.agreeing;
        total.valid += figures.valid;
        total.passing += figures.passing;
        total.answered += figures.answered;
        total.equal += figures.equal;
    }
    println!("all: {}", total.describe());
    let Figures { refused, agreeing, valid, passing, answered, equal } = total;
    assert_eq!((agreeing, refused), (480, 480), "422 messages");
    assert_eq!((passing, valid), (155, 155), "valid objects");
    assert_eq!((equal, valid - answered), (139, 139), "stored objects");
}

/// Returns field and message of each cause.
fn causes(expected: &Value) -> Vec<(String, String)> {
    let text = |cause: &Value, field: &str| timeless(cause[field].as_str().unwrap_or_default());
    let causes = expected["details"]["causes"].as_array().into_iter().flatten();
    causes.map(|cause| (text(cause, "field"), text(cause, "message"))).collect()
}

fn found(errors: &[Error]) -> Vec<(String, String)> {
    errors.iter().map(|error| (error.field(), error.body())).collect()
}

/// Whether the server found the same faults in another order: it iterates maps in random order.
fn reordered(expected: &Value, errors: &[Error]) -> bool {
    let (mut theirs, mut ours) = (causes(expected), found(errors));
    theirs.sort();
    ours.sort();
    ours == theirs
}

fn records(name: &str, text: &str) -> Vec<Node> {
    let source = SourceFile::new(name, format!("{{\"records\": {text}}}"));
    let document = read(&source).next().expect("a document").expect("the vectors are JSON");
    match document.node.get("records").map(|records| records.data.clone()) {
        Some(Data::Array(records)) => records,
        _ => panic!("{name} has no vectors"),
    }
}

/// Returns the message or cause with the time of managed fields set to the one used here.
fn timeless(text: &str) -> String {
    const BEFORE: &str = "\"time\":\"";
    let Some(start) = text.find(BEFORE).map(|at| at + BEFORE.len()) else { return text.to_owned() };
    let end = text[start..].find('"').map_or(text.len(), |length| start + length);
    format!("{}{NOW}{}", &text[..start], &text[end..])
}

/// The uid that takes the place of the one that the server generates before it validates a Job.
const UID: &str = "00000000-0000-4000-8000-000000000001";

fn count(record: &Value, body: Node, figures: &mut Figures) {
    let expected = &record["expect"];
    let code = expected["code"].as_u64();
    if code != Some(422) && code != Some(201) {
        return;
    }
    let profile = ServerProfile::default();
    let Read { mut object, had_labels, .. } = received(record, body, &profile);
    let strategy = kube_registry::of(&object.kind).expect("a built-in kind");
    let managed_fields = managed_fields::of_received(&object, None);
    let managed_fields = managed_fields.as_ref();
    let request = RequestInfo { uid: UID, had_labels, managed_fields, ..RequestInfo::default() };
    let context = Context::of_request(&profile, request);
    strategy.prepare_for_create(&mut object, &context);
    let errors = strategy.validate_create(&object, &context);
    if code == Some(201) {
        figures.valid += 1;
        figures.passing += usize::from(errors.is_empty());
        if !strategy.is_stored() {
            figures.answered += 1;
            return;
        }
        strategy.store(&mut object, &profile);
        let (ours, theirs) = (lasting(object.value), lasting(expected["object"].clone()));
        figures.equal += usize::from(ours == theirs);
        if ours != theirs {
            println!(
                "{} {}\n  server: {theirs}\n  kadmit: {ours}",
                object.kind.api_version(),
                object.kind.kind
            );
        }
        return;
    }
    figures.refused += 1;
    let message = strategy.refusal(&object.kind, object.name(), &errors).message;
    let theirs = timeless(expected["message"].as_str().unwrap_or_default());
    let said = theirs == message && causes(expected) == found(&errors);
    let agrees = !errors.is_empty() && (said || reordered(expected, &errors));
    figures.agreeing += usize::from(agrees);
    if !agrees && std::env::var_os("KADMIT_SHOW_DIFFERENCES").is_some() {
        println!(
            "{} {}\n  server: {}\n  kadmit: {message}",
            object.kind.api_version(),
            object.kind.kind,
            expected["message"]
        );
    }
}

/// Returns an object without what only the server can generate.
fn lasting(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"] {
            metadata.remove(field);
        }
    }
    object
}

fn kind_of(record: &Value) -> GroupVersionKind {
    let text = |field: &str| record["resource"][field].as_str().expect("a text").to_owned();
    let resource = GroupVersionResource::new(text("group"), text("version"), text("resource"));
    resource::by_resource(&resource).expect("a served resource").group_version_kind()
}

/// Returns the body as it reaches admission: decoded here, with the metadata that the server produced.
fn received(record: &Value, body: Node, profile: &ServerProfile) -> Read {
    let kind = kind_of(record);
    let written = record["body"].to_string();
    let context = DecodeContext {
        kind: &kind,
        field_validation: FieldValidation::Warn,
        strict_errors: &[],
        body: &written,
    };
    let mut read =
        kube_registry::read(body, &context, profile, NOW).expect("a body that the server could read");
    if let Some(metadata) = record["expect"]["received"].get("metadata") {
        read.object.value["metadata"].clone_from(metadata);
    }
    read
}
