//! API validation against what kube-apiserver v1.36.2 answered: `testdata/api-vectors`.

#![expect(clippy::print_stdout, reason = "the tally is for whoever runs the tests")]

use std::fs;
use std::path::Path;

use kadmit::api::features::FeatureGates;
use kadmit::api::field::Error;
use kadmit::api::strategy::{self, Creation};
use kadmit::api::{GroupVersionKind, Object, Status, validation};
use serde_json::Value;

/// How many 422 answers are reproduced to the letter, and how many valid objects pass. They only rise.
const AGREEING_MESSAGES: usize = 254;
const PASSING_OBJECTS: usize = 155;

const UID: &str = "00000000-0000-0000-0000-000000000001";

#[derive(Default)]
struct Figures {
    refused: usize,
    agreeing: usize,
    valid: usize,
    passing: usize,
}

#[test]
fn agrees_with_the_recorded_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/api-vectors");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut total = Figures::default();
    for file in files {
        let records: Vec<Value> = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let mut figures = Figures::default();
        for record in &records {
            count(record, &mut figures);
        }
        println!(
            "{}: {} of {} 422 messages agree, {} of {} valid objects pass",
            file.file_stem().unwrap().to_string_lossy(),
            figures.agreeing,
            figures.refused,
            figures.passing,
            figures.valid
        );
        total.refused += figures.refused;
        total.agreeing += figures.agreeing;
        total.valid += figures.valid;
        total.passing += figures.passing;
    }
    println!(
        "all: {} of {} 422 messages agree, {} of {} valid objects pass",
        total.agreeing, total.refused, total.passing, total.valid
    );
    assert!(
        total.agreeing >= AGREEING_MESSAGES,
        "only {} of {} 422 messages agree",
        total.agreeing,
        total.refused
    );
    assert!(total.passing >= PASSING_OBJECTS, "only {} of {} valid objects pass", total.passing, total.valid);
}

/// Field and message of each cause.
fn causes(expected: &Value) -> Vec<(String, String)> {
    let text = |cause: &Value, field: &str| cause[field].as_str().unwrap_or_default().to_owned();
    let causes = expected["details"]["causes"].as_array().into_iter().flatten();
    causes.map(|cause| (text(cause, "field"), text(cause, "message"))).collect()
}

fn found(errors: &[Error]) -> Vec<(String, String)> {
    errors.iter().map(|error| (error.field(), error.body())).collect()
}

/// Whether the server found the same faults in another order: it walks maps in none.
fn reordered(expected: &Value, errors: &[Error]) -> bool {
    let (mut theirs, mut ours) = (causes(expected), found(errors));
    theirs.sort();
    ours.sort();
    ours == theirs
}

fn count(record: &Value, figures: &mut Figures) {
    let expected = &record["expect"];
    let code = expected["code"].as_u64();
    if code != Some(422) && code != Some(201) {
        return;
    }
    let received = &expected["received"];
    let kind = GroupVersionKind::from_api_version(
        received["apiVersion"].as_str().unwrap_or_default(),
        received["kind"].as_str().unwrap_or_default(),
    );
    let mut object = Object::new(kind, received.clone());
    let features = FeatureGates::default();
    // The server generates a uid first, which the labels of a Job's template repeat.
    object.set(&["metadata", "uid"], UID);
    let labels = &record["body"]["metadata"]["labels"];
    let shares_labels =
        object.kind.is("batch", "Job") && labels.as_object().is_none_or(serde_json::Map::is_empty);
    let creation = Creation { uid: UID, requester: None, shares_labels };
    strategy::prepare_for_create(&mut object, &creation, &features);
    let errors = validation::validate_create(&object, &features);
    if code == Some(201) {
        figures.valid += 1;
        figures.passing += usize::from(errors.is_empty());
        return;
    }
    figures.refused += 1;
    let message = Status::new_invalid(&object.kind, object.name(), &errors).message;
    let said = expected["message"] == message.as_str() && causes(expected) == found(&errors);
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
