//! The differences between a recorded answer and kadmit's.

use kadmit::admission::Operation;
use kadmit::evaluation::Outcome;
use kube_api::Value;
use kube_registry::NOW;

use super::record::Record;

/// One difference.
pub(super) struct Difference {
    /// The part of the answer that differs.
    pub(super) what: &'static str,
    /// What differences of the same cause have in common.
    pub(super) kind: String,
    /// Both answers.
    pub(super) text: String,
}

impl Difference {
    pub(super) fn new(what: &'static str, kind: &str, text: String) -> Self {
        Self { what, kind: format!("{what} {kind}"), text }
    }
}

/// Returns the differences between the answer in `record` and `outcome`.
pub(super) fn all(record: &Record, outcome: &Outcome) -> Vec<Difference> {
    let mut found = Vec::new();
    let expect = &record.expect;
    let kind = |text: &str| format!("{} {}", record.resource.resource, shortened(text));
    let status = outcome.status();
    let message = timeless(&status.map(|status| status.message.clone()).unwrap_or_default());
    let recorded = timeless(expect["message"].as_str().unwrap_or_default());
    let recorded = named_alike(recorded, &message);
    let code = match status {
        Some(status) => u64::from(status.code),
        None if record.operation == Operation::Create => 201,
        None => 200,
    };
    if expect["code"].as_u64() != Some(code) {
        let text = format!("  server: {} {recorded}\n  kadmit: {code} {message}", expect["code"]);
        let which = if status.is_none() { &recorded } else { &message };
        return vec![Difference::new("code", &kind(&format!("{code} {which}")), text)];
    }
    if message != recorded && pieces(&message) != pieces(&recorded) {
        let (ours, theirs) = (pieces(&message), pieces(&recorded));
        let missing = theirs.iter().find(|piece| !ours.contains(piece));
        let added = ours.iter().find(|piece| !theirs.contains(piece));
        let empty = String::new();
        let which =
            format!("{} / {}", shortened(missing.unwrap_or(&empty)), shortened(added.unwrap_or(&empty)));
        let text = format!("  server: {recorded}\n  kadmit: {message}");
        found.push(Difference::new("message", &format!("{} {which}", record.resource.resource), text));
    }
    let reason = status.map(|status| status.reason.as_str()).unwrap_or_default();
    if reason != expect["reason"].as_str().unwrap_or_default() {
        let text = format!("  server: {}\n  kadmit: {reason}", expect["reason"]);
        found.push(Difference::new("reason", &kind(reason), text));
    }
    let warnings: Vec<String> = outcome.trace.warnings.iter().map(|warning| timeless(warning)).collect();
    let recorded = expect["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let recorded: Vec<String> = recorded.map(timeless).collect();
    if warnings != recorded {
        let missing = recorded.iter().find(|warning| !warnings.contains(warning));
        let added = warnings.iter().find(|warning| !recorded.contains(warning));
        let side = if missing.is_some() { "-" } else { "+" };
        let which = format!("{side} {}", missing.or(added).map_or("order", String::as_str));
        let text = format!("  server: {recorded:?}\n  kadmit: {warnings:?}");
        found.push(Difference::new("warnings", &shortened(&which), text));
    }
    if status.is_none() {
        let ours = outcome.object.as_deref().map(|object| lasting(object.value.clone())).unwrap_or_default();
        let theirs = without_allocations(lasting(expect["object"].clone()), &ours);
        let theirs = with_generated_name(theirs, &ours);
        let mut paths = Vec::new();
        collect(String::new(), &ours, &theirs, &mut paths);
        for (path, text) in paths {
            found.push(Difference::new(
                "object",
                &format!("{} {path}", record.resource.resource),
                format!("  {text}"),
            ));
        }
    }
    found
}

/// Returns `recorded` with the name that was generated here, if it begins with an object of a generated name.
fn named_alike(recorded: String, message: &str) -> String {
    let name = |text: &str| text.split('"').nth(1).map(str::to_owned);
    let (Some(theirs), Some(own)) = (name(&recorded), name(message)) else { return recorded };
    let is_alike = theirs.len() == own.len() && theirs.len() > 5 && theirs.is_ascii() && own.is_ascii();
    if is_alike && theirs[..theirs.len() - 5] == own[..own.len() - 5] && theirs != own {
        return recorded.replace(&theirs, &own);
    }
    recorded
}

/// Returns the parts of a message, whose order is that of a map in Go now and then.
fn pieces(message: &str) -> Vec<String> {
    let mut pieces: Vec<String> = message
        .split(", ")
        .map(|piece| piece.split(": [").last().unwrap_or_default().trim_end_matches(']').to_owned())
        .collect();
    pieces.sort();
    pieces
}

/// Returns a text without what is in quotes and without numbers.
fn shortened(text: &str) -> String {
    let mut short = String::new();
    let mut is_quoted = false;
    for letter in text.chars().filter(|letter| !letter.is_ascii_digit()) {
        if letter == '"' {
            is_quoted = !is_quoted;
        } else if !is_quoted {
            short.push(letter);
        }
    }
    short.chars().take(160).collect()
}

/// Returns a text with the time, the uids, the random letters and the addresses in memory of this server.
fn timeless(text: &str) -> String {
    const RANDOM: &str = "kube-api-access-";
    const ADDRESS: &str = "(0xc";
    const DATE: &str = "time.Date(2026, time.November, ";
    let bytes = text.as_bytes();
    let is_uid = |at: usize| {
        bytes[at..].len() >= 36
            && bytes[at..at + 36].iter().enumerate().all(|(index, byte)| match index {
                8 | 13 | 18 | 23 => *byte == b'-',
                14 => *byte == b'4',
                _ => byte.is_ascii_hexdigit(),
            })
    };
    let mut result = String::new();
    let mut at = 0;
    while at < text.len() {
        if text.is_char_boundary(at) && is_uid(at) {
            result.push_str("$UID");
            at += 36;
        } else if text.is_char_boundary(at) && text[at..].starts_with("2026-11-23T") && text.len() >= at + 20
        {
            result.push_str(NOW);
            at += if bytes[at + 19] == b'.' { 27 } else { 20 };
        } else if bytes[at..].starts_with(RANDOM.as_bytes()) {
            result.push_str(RANDOM);
            at += RANDOM.len();
            at += bytes[at..].iter().take(5).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        } else if bytes[at..].starts_with(ADDRESS.as_bytes()) {
            result.push_str(ADDRESS);
            at += ADDRESS.len();
            at += bytes[at..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        } else if bytes[at..].starts_with(DATE.as_bytes()) || bytes[at..].starts_with(OWN_DATE.as_bytes()) {
            result.push_str(OWN_DATE);
            at += bytes[at..].iter().take_while(|byte| **byte != b')').count();
        } else {
            let letter = text[at..].chars().next().expect("a letter");
            result.push(letter);
            at += letter.len_utf8();
        }
    }
    result
}

/// The start of the time of this server as Go writes it.
const OWN_DATE: &str = "time.Date(2026, time.January, 1, ";

/// Returns `recorded` without the cluster IPs and ports that the server allocated.
fn without_allocations(mut recorded: Value, ours: &Value) -> Value {
    if recorded["kind"] == "Service"
        && let Some(spec) = recorded["spec"].as_object_mut()
    {
        for field in ["clusterIP", "clusterIPs", "healthCheckNodePort"] {
            if ours["spec"].get(field).is_none() {
                spec.remove(field);
            }
        }
        let ports = spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten();
        for (index, port) in ports.enumerate() {
            if ours["spec"]["ports"][index].get("nodePort").is_none()
                && let Some(port) = port.as_object_mut()
            {
                port.remove("nodePort");
            }
        }
    }
    recorded
}

/// Returns `recorded` with the name that was generated here.
fn with_generated_name(recorded: Value, ours: &Value) -> Value {
    let name =
        |object: &Value, field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
    let (base, theirs, own) = (name(&recorded, "generateName"), name(&recorded, "name"), name(ours, "name"));
    if base.is_empty()
        || !theirs.starts_with(&base)
        || theirs.len() != base.len() + 5
        || theirs.len() != own.len()
    {
        return recorded;
    }
    let theirs = Value::from(theirs).to_string();
    let text = recorded.to_string().replace(&theirs, &Value::from(own).to_string());
    serde_json::from_str(&text).expect("still JSON")
}

/// Returns an object without what only the server can generate.
fn lasting(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"] {
            metadata.remove(field);
        }
    }
    serde_json::from_str(&timeless(&object.to_string())).expect("still JSON")
}

fn collect(path: String, ours: &Value, theirs: &Value, found: &mut Vec<(String, String)>) {
    match (ours, theirs) {
        (Value::Object(left), Value::Object(right)) => {
            for key in left.keys().chain(right.keys().filter(|key| !left.contains_key(key))) {
                let path = format!("{path}.{key}");
                match (left.get(key), right.get(key)) {
                    (Some(left), Some(right)) => collect(path, left, right, found),
                    (Some(left), None) => found.push((format!("+{path}"), left.to_string())),
                    (None, right) => {
                        found.push((format!("-{path}"), right.unwrap_or(&Value::Null).to_string()));
                    }
                }
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (left, right) in left.iter().zip(right) {
                collect(format!("{path}[]"), left, right, found);
            }
        }
        _ if ours != theirs => found.push((path, format!("{ours}, not {theirs}"))),
        _ => {}
    }
}
