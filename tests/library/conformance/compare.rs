//! Compares kadmit's outcome with the recorded one.

use gotext::value::{Map, json};
use kadmit::admission::{Operation, Step};
use kadmit::evaluation::Outcome;
use kadmit::plugin;
use kube_api::json_patch;
use kube_api::{Object, Value};

/// Returns the first difference between `outcome` and `expect`, if there is one.
pub(crate) fn compare(outcome: &Outcome, expect: &Value) -> Result<(), String> {
    let status = outcome.status();
    let is_endpoints_answer = outcome.operation == Operation::Connect && outcome.allowed();
    if !is_endpoints_answer {
        let message = status.map(|status| status.message.clone()).unwrap_or_default();
        let recorded = expect["message"].as_str().unwrap_or_default();
        same_text("message", without_body(recorded), without_body(&message))?;
        let code = status.map_or_else(
            || expect["code"].as_u64().filter(|code| *code < 300),
            |status| Some(status.code.into()),
        );
        same("code", &expect["code"], &json!(code))?;
        same("allowed", &expect["allowed"], &json!(outcome.allowed()))?;
        let reason = status.map(|status| status.reason.as_str()).unwrap_or_default();
        same_text("reason", expect["reason"].as_str().unwrap_or_default(), reason)?;
        let details = status.and_then(|status| status.details.as_ref());
        let details = details
            .map_or(Value::Null, |details| gotext::value::to_value(details).expect("details are JSON"));
        let empty = |value: &Value| value.as_object().is_none_or(Map::is_empty);
        if !(empty(&expect["details"]) && empty(&details)) {
            same("details", &expect["details"], &details)?;
        }
    }
    let warnings = expect.get("warnings").cloned().unwrap_or_else(|| json!([]));
    same("warnings", &warnings, &json!(outcome.trace.warnings))?;
    let annotations = expect.get("auditAnnotations").cloned().unwrap_or_else(|| json!({}));
    same("auditAnnotations", &annotations, &json!(outcome.trace.audit_annotations))?;
    // Absent if no plugin was called that could have recorded it.
    if let Some(received) = expect.get("received").filter(|received| received.get("encodeError").is_none()) {
        let received_by_kadmit = cleaned(outcome.received.as_deref());
        same("received", &without_allocations(received, &received_by_kadmit), &received_by_kadmit)?;
    }
    same("ran", &expected_ran(expect), &ran(outcome))?;
    steps(outcome, expect)?;
    // The answer to a DELETE is the removed object as storage has it, in which admission has no part.
    if outcome.operation != Operation::Delete && !is_endpoints_answer {
        let object = cleaned(outcome.object.as_deref());
        same("object", &without_allocations(&expect["object"], &object), &object)?;
    }
    Ok(())
}

/// Returns the plugins' writes to the API and their questions to the authorizer. The recorder's cache lagged, so the
/// writes for the previous request may be repeated, to the same effect.
pub(crate) fn requests(outcome: &Outcome, expect: &Value, before: &Value) -> Result<(), String> {
    let trace = &outcome.trace;
    let recorded = |what: &str| expect.get(what).cloned().unwrap_or_else(|| json!([]));
    let writes = recorded("writes");
    if !(trace.writes.is_empty() && writes == *before) {
        same("writes", &writes, &json!(trace.writes))?;
    }
    same("accessReviews", &recorded("accessReviews"), &json!(trace.access_reviews))
}

/// Returns a message about an unrecognized body without the start of the body, which is what the recording client sent.
fn without_body(message: &str) -> &str {
    match message.rsplit_once(" (") {
        Some((start, _)) if message.starts_with("the object provided is unrecognized") => start,
        _ => message,
    }
}

/// Returns an error unless both texts are the same; a build's source lines and random suffixes do not count.
pub(crate) fn same_text(what: &str, expected: &str, actual: &str) -> Result<(), String> {
    let actual = with_generated_names(expected, &normalized(actual));
    let (expected, actual) = (without_source_lines(expected), without_source_lines(&actual));
    if expected == actual {
        return Ok(());
    }
    Err(format!("{what}\n  recorded: {expected}\n  kadmit:   {actual}"))
}

pub(crate) fn same(what: &str, expected: &Value, actual: &Value) -> Result<(), String> {
    let text = with_generated_names(&expected.to_string(), &normalized(&actual.to_string()));
    let actual: Value = serde_json::from_str(&text).expect("still JSON");
    if *expected == actual {
        return Ok(());
    }
    let difference = kube_api::diff::json_patch(expected, &actual);
    let difference = serde_json::to_string(&difference).expect("a patch is JSON");
    Err(format!("{what}\n  kadmit's differs from the recorded by {difference}"))
}

/// Returns the recorded plugin/phase pairs, all of which kadmit must know.
fn expected_ran(expect: &Value) -> Value {
    let ran = expect["ran"].as_array().map_or(&[][..], Vec::as_slice);
    for entry in ran {
        let entry = entry.as_str().unwrap_or_default();
        let name = entry.rsplit_once('/').map_or(entry, |(name, _)| name);
        assert!(plugin::find(name).is_some(), "kadmit does not know {name}, which was recorded");
    }
    ran.iter().cloned().collect()
}

fn ran(outcome: &Outcome) -> Value {
    let mut ran: Vec<String> =
        outcome.trace.ran.iter().map(|(plugin, phase)| format!("{plugin}/{}", phase.as_str())).collect();
    ran.sort();
    ran.dedup();
    json!(ran)
}

fn steps(outcome: &Outcome, expect: &Value) -> Result<(), String> {
    // A client that waits for more than ten seconds retries: a refusal is then recorded twice.
    let mut expected = expect["steps"].as_array().cloned().unwrap_or_default();
    expected.dedup_by(|later, earlier| later == earlier && later.get("error").is_some());
    let actual: Vec<&Step> =
        outcome.trace.steps.iter().filter(|step| step.change.is_some() || step.refusal.is_some()).collect();
    let names =
        |steps: &[&Step]| json!(steps.iter().map(|step| (step.plugin, step.phase)).collect::<Vec<_>>());
    let recorded: Vec<_> = expected.iter().map(|step| json!([step["plugin"], step["phase"]])).collect();
    same("steps", &json!(recorded), &names(&actual))?;
    for (expected, actual) in expected.iter().zip(actual) {
        let what = |field: &str| format!("step {}: {field}", actual.plugin);
        let refusal = actual.refusal.as_ref().map(|refusal| &refusal.status);
        let error = refusal.map(|status| status.message.as_str()).unwrap_or_default();
        same_text(&what("error"), expected["error"].as_str().unwrap_or_default(), error)?;
        if expected.get("code").is_some() {
            same(&what("code"), &expected["code"], &json!(refusal.map(|status| status.code)))?;
            let reason = refusal.map(|status| status.reason.as_str()).unwrap_or_default();
            same_text(&what("reason"), expected["reason"].as_str().unwrap_or_default(), reason)?;
        }
        let reinvoked = expected["reinvoke"].as_bool().unwrap_or(false);
        same(&what("reinvocation"), &json!(reinvoked), &json!(actual.reinvocation))?;
        match (expected.get("patch"), &actual.change) {
            (None, None) => {}
            (Some(patch), Some((before, after))) => {
                let before: Value =
                    serde_json::from_str(&normalized(&before.value.to_string())).expect("still JSON");
                let patch = json_patch::decode(patch).map_err(|error| format!("recorded patch: {error}"))?;
                let wanted = patch.apply(before).map_err(|error| format!("recorded patch: {error}"))?;
                same(&what("patch"), &wanted, &after.value)?;
            }
            (patch, _) => return Err(format!("{}: recorded {patch:?}", what("patch"))),
        }
    }
    Ok(())
}

/// Returns `recorded` without the cluster IPs and node ports that the server allocated.
fn without_allocations(recorded: &Value, actual: &Value) -> Value {
    let mut recorded = recorded.clone();
    if recorded["kind"] != "Service" {
        return recorded;
    }
    let Some(spec) = recorded.get_mut("spec").and_then(Value::as_object_mut) else { return recorded };
    spec.retain(|field, _| {
        !matches!(field.as_str(), "clusterIP" | "clusterIPs") || actual["spec"].get(field).is_some()
    });
    for (index, port) in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten().enumerate()
    {
        if let Some(port) =
            port.as_object_mut().filter(|_| actual["spec"]["ports"][index].get("nodePort").is_none())
        {
            port.remove("nodePort");
        }
    }
    recorded
}

/// Returns the object without what the recorder removed.
fn cleaned(object: Option<&Object>) -> Value {
    let Some(object) = object else { return Value::Null };
    let mut value = object.value.clone();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in ["uid", "creationTimestamp", "resourceVersion", "generation", "managedFields"] {
            metadata.remove(field);
        }
        let text = |field: &str| metadata.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (name, base) = (text("name"), text("generateName"));
        if !base.is_empty() && name.len() == base.len() + 5 && name.starts_with(&base) {
            metadata.insert("name".to_owned(), json!(base + "xxxxx"));
        }
    }
    value
}

/// Returns `text` with the random letters of generated names and the uids as the recorder wrote them.
fn normalized(text: &str) -> String {
    let text = with_uids(text);
    let marker = "kube-api-access-";
    let mut parts = text.split(marker);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let random = part.bytes().take(5).filter(u8::is_ascii_alphanumeric).count() == 5;
        result.push_str(marker);
        result.push_str(if random { "xxxxx" } else { &part[..part.len().min(5)] });
        result.push_str(part.get(5..).unwrap_or_default());
    }
    result
}

/// Returns `actual` with the random letters of the names that `expected` has as `…-xxxxx`.
fn with_generated_names(expected: &str, actual: &str) -> String {
    let mut bases: Vec<&str> = Vec::new();
    for (end, _) in expected.match_indices("-xxxxx") {
        let start = expected[..end].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.');
        bases.push(&expected[start.map_or(0, |start| start + 1)..=end]);
    }
    let mut result = actual.to_owned();
    for base in bases {
        let mut parts = result.split(base);
        let mut renamed = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let is_random = part.bytes().take(5).filter(u8::is_ascii_alphanumeric).count() == 5
                && !part.as_bytes().get(5).is_some_and(u8::is_ascii_alphanumeric);
            renamed.push_str(base);
            renamed.push_str(if is_random { "xxxxx" } else { "" });
            renamed.push_str(if is_random { &part[5..] } else { part });
        }
        result = renamed;
    }
    result
}

fn with_uids(text: &str) -> String {
    let marker = "00000000-0000-4000-8000-";
    let mut parts = text.split(marker);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |result, part| result + "$UID" + part.get(12..).unwrap_or_default())
}

fn without_source_lines(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(".go:") {
        result.push_str(before);
        result.push_str(".go:");
        rest = after.trim_start_matches(|character: char| character.is_ascii_digit());
    }
    result + rest
}
