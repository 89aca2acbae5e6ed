//! The server's answers to the documents of a step.

use std::collections::BTreeMap;

use kube_api::Value;
use regex::Regex;

use super::story::{Compared, Document, list, text};

/// Returns the documents with the program's results, and their comparison with the server's answers.
pub(crate) fn compare(
    step: &Value,
    expected: &Value,
    documents: &[Document],
    results: &[Value],
) -> Vec<Compared> {
    let mut compared = Vec::new();
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (document, result) in answered(documents, results) {
        let key = (document.kind.as_str(), document.name.as_str());
        let turn = seen.entry(key).or_default();
        *turn += 1;
        let count =
            documents.iter().filter(|other| (other.kind.as_str(), other.name.as_str()) == key).count();
        let entry = entry(expected, key, count, count - *turn);
        let subject = format!("{} {}", document.kind, document.name);
        let wanted = match entry.as_ref().map(|entry| text(entry, "result")) {
            None => "not sent",
            Some("unchanged" | "configured") => "updated",
            Some(result) => result,
        };
        let said = match result {
            None => "not evaluated",
            Some(result) if result["allowed"] != true => "denied",
            Some(result) => match text(&result["request"], "operation") {
                "CREATE" => "created",
                "UPDATE" => "updated",
                "DELETE" => "deleted",
                other => other,
            },
        };
        let is_unsent = wanted == "not sent" && ["denied", "not evaluated"].contains(&said);
        let said = if is_unsent { wanted } else { said };
        let verdict = |cluster: &str, kadmit: &str| Compared {
            sort: "verdict",
            subject: subject.clone(),
            cluster: cluster.to_owned(),
            kadmit: kadmit.to_owned(),
        };
        compared.push(verdict(wanted, said));
        let (true, Some(entry), Some(result)) = (wanted == said, &entry, result) else { continue };
        if wanted == "denied" {
            let answer = |of: &Value| format!("{} {}", of["code"], text(of, "message"));
            let (cluster, kadmit) = (answer(entry), answer(&result["status"]));
            compared.push(Compared { sort: "message", subject, cluster, kadmit });
            continue;
        }
        if step["apply"] != "delete" {
            let (cluster, kadmit) = (warnings(entry), warnings(result));
            compared.push(Compared { sort: "warnings", subject: subject.clone(), cluster, kadmit });
        }
        if let (Some(cluster), Some(kadmit)) = (entry.get("object"), result.get("object")) {
            let (cluster, kadmit) = (stored(cluster), stored(kadmit));
            compared.push(Compared { sort: "stored", subject, cluster, kadmit });
        }
    }
    compared
}

/// Returns each document with the result of the program, if it evaluated it.
pub(crate) fn answered<'a>(
    documents: &'a [Document],
    results: &'a [Value],
) -> Vec<(&'a Document, Option<&'a Value>)> {
    let own = results.iter().filter(|result| result.get("cause").is_none());
    let mut by_file: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for result in own {
        let file = text(&result["source"], "file");
        let file = file.split_once("manifests/").map_or(file, |(_, file)| file);
        by_file.entry(file).or_default().push(result);
    }
    let mut answered = Vec::new();
    for document in documents {
        let of_file = documents.iter().filter(|other| other.file == document.file).count();
        let results = by_file.entry(&document.file).or_default();
        let before = answered.iter().filter(|(other, _): &&(&Document, _)| other.file == document.file);
        let before = before.filter(|(_, result): &&(_, Option<&Value>)| result.is_some()).count();
        let is_it = |result: &&Value| {
            let request = &result["request"];
            text(&request["kind"], "kind") == document.kind
                && text(request, "name").starts_with(document.name.trim_end_matches('*'))
        };
        let position = if of_file == results.len() + before {
            (!results.is_empty()).then_some(0)
        } else {
            results.iter().position(is_it)
        };
        answered.push((document, position.map(|position| results.remove(position))));
    }
    answered
}

/// Returns the server's answer to the write of a document, of which `left` more come after this one.
fn entry(expected: &Value, key: (&str, &str), count: usize, left: usize) -> Option<Value> {
    let is_it = |entry: &&Value| (text(entry, "kind"), text(entry, "name")) == key;
    let entries: Vec<&Value> = list(expected, "objects").iter().filter(is_it).collect();
    let last = entries.len().checked_sub(1 + left)?;
    let mut entry = entries[last].clone();
    if count == 1 && entries.len() > 1 {
        // For an apply that migrates managed fields, the first write has the verdict, the last one the stored object.
        entry = entries[0].clone();
        let done = entries.iter().rev().find(|entry| text(entry, "result") != "denied");
        let object = done.and_then(|done| done.get("object"));
        if let (true, Some(object)) = (text(&entry, "result") != "denied", object) {
            entry["object"] = object.clone();
        }
    }
    Some(entry)
}

pub(crate) fn warnings(of: &Value) -> String {
    let name =
        Regex::new(r"\b([a-z0-9-]+?)-[0-9a-z]{6,10}-(?:xxx[a-z]{2}|[bcdfghjklmnpqrstvwxz2456789]{5})\b");
    let name = name.expect("a pattern");
    let plain = |text: &str| name.replace_all(text, "$1-HASH-xxxxx").into_owned();
    let mut warnings: Vec<String> =
        list(of, "warnings").iter().filter_map(Value::as_str).map(plain).collect();
    warnings.sort();
    warnings.dedup();
    warnings.join("\n")
}

/// Returns an object without what differs between any two clusters.
pub(crate) fn stored(object: &Value) -> String {
    let mut object = object.clone();
    let Some(map) = object.as_object_mut() else { return String::new() };
    map.remove("status");
    let is_service = map.get("kind").is_some_and(|kind| kind == "Service");
    if let Some(Value::Object(metadata)) = map.get_mut("metadata") {
        for field in
            ["uid", "creationTimestamp", "resourceVersion", "managedFields", "selfLink", "generation"]
        {
            metadata.remove(field);
        }
        if let Some(Value::Object(annotations)) = metadata.get_mut("annotations") {
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
            annotations.remove("deployment.kubernetes.io/revision");
            if annotations.is_empty() {
                metadata.remove("annotations");
            }
        }
    }
    if let (true, Some(Value::Object(spec))) = (is_service, map.get_mut("spec")) {
        if spec.get("clusterIP").is_none_or(|address| address != "None") {
            spec.remove("clusterIP");
            spec.remove("clusterIPs");
        }
        spec.remove("healthCheckNodePort");
        for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
            port.as_object_mut().map(|port| port.remove("nodePort"));
        }
    }
    let metadata = &object["metadata"];
    let name = text(metadata, "name").to_owned();
    let is_generated = !text(metadata, "generateName").is_empty() && !name.is_empty();
    let mut printed = object.to_string();
    if is_generated {
        printed = printed.replace(&format!("\"{name}\""), "\"GENERATED\"");
    }
    for (pattern, with) in [
        (r"kube-api-access-[a-z0-9]{5}", "kube-api-access-xxxxx"),
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID"),
        (r#""\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z""#, "\"TIME\""),
    ] {
        printed = Regex::new(pattern).expect("a pattern").replace_all(&printed, with).into_owned();
    }
    printed
}
