//! Objects that controllers created in a step, and their refusals by the server.

use std::collections::{BTreeMap, BTreeSet};

use kube_api::Value;
use regex::Regex;

use super::story::{Compared, Document, list, text};

type Key = (String, String, String);

/// The characters of generated names.
const SAFE: &str = "[bcdfghjklmnpqrstvwxz2456789]";

/// The results of the controllers' requests for one workload.
#[derive(Default)]
struct Made {
    counts: BTreeMap<String, u64>,
    refused: BTreeSet<String>,
}

pub(crate) fn compare(expected: &Value, documents: &[Document], results: &[Value]) -> Vec<Compared> {
    let workloads: BTreeMap<Key, &Value> =
        list(expected, "workloads").iter().map(|workload| (key(workload), workload)).collect();
    let mut made = made(results);
    let mut compared = Vec::new();
    let keys: BTreeSet<Key> = workloads.keys().chain(made.keys()).cloned().collect();
    for key in keys {
        let workload = workloads.get(&key).copied();
        let is_repeated = {
            let same = documents.iter().filter(|other| other.kind == key.0 && other.name == key.2);
            same.count() > 1
        };
        // A cluster creates the Jobs of a CronJob when they are due; of an object in two files the first is gone again.
        if key.0 == "CronJob" || is_repeated || is_generated_elsewhere(&key, workload, &workloads) {
            continue;
        }
        let mut own = made.remove(&key).unwrap_or_default();
        let makes = workload.is_some_and(|workload| !counts(&workload["new"]).is_empty());
        if key.2.contains("xxx") && makes {
            let stem = |name: &str| name[..name.len().saturating_sub(5)].to_owned();
            let same = made.keys().find(|other| other.0 == key.0 && stem(&other.2) == stem(&key.2)).cloned();
            own = same.and_then(|same| made.remove(&same)).unwrap_or(own);
        }
        own.counts.retain(|_, count| *count > 0);
        let subject = format!("{} {}/{}", key.0, key.1, key.2);
        let new = workload.map(|workload| counts(&workload["new"])).unwrap_or_default();
        compared.push(Compared {
            sort: "made",
            subject: subject.clone(),
            cluster: format!("{new:?}"),
            kadmit: format!("{:?}", own.counts),
        });
        let is_written = || {
            let written = |entry: &&Value| key == self::key(entry) && text(entry, "result") != "denied";
            list(expected, "objects").iter().any(|entry| written(&entry))
        };
        let told = workload.filter(|workload| !list(workload, "events").is_empty());
        let told = told.filter(|_| is_written() || !new.is_empty()).map(refusals).unwrap_or_default();
        let agrees = told.is_empty() == own.refused.is_empty() && own.refused.is_subset(&told);
        let kadmit = if agrees { told.clone() } else { own.refused };
        let (cluster, kadmit) = (format!("{told:?}"), format!("{kadmit:?}"));
        compared.push(Compared { sort: "refusal", subject, cluster, kadmit });
    }
    compared
}

fn key(of: &Value) -> Key {
    (text(of, "kind").to_owned(), text(of, "namespace").to_owned(), text(of, "name").to_owned())
}

fn counts(value: &Value) -> BTreeMap<String, u64> {
    let entries = value.as_object().into_iter().flatten();
    entries.map(|(kind, count)| (kind.to_string(), count.as_u64().unwrap_or(0))).collect()
}

/// Whether the workload has a generated name, which differs in the cluster.
fn is_generated_elsewhere(key: &Key, workload: Option<&Value>, workloads: &BTreeMap<Key, &Value>) -> bool {
    workload.is_none()
        && workloads.keys().any(|other| {
            let stem = &other.2[..other.2.len().saturating_sub(5)];
            other.0 == key.0
                && other.1 == key.1
                && other.2.contains("xxx")
                && !stem.is_empty()
                && key.2.starts_with(stem)
        })
}

fn made(results: &[Value]) -> BTreeMap<Key, Made> {
    let mut made: BTreeMap<Key, Made> = BTreeMap::new();
    for result in results {
        let (Some(cause), request) = (result.get("cause"), &result["request"]) else { continue };
        let kind = text(&request["kind"], "kind");
        if !text(request, "subResource").is_empty() || kind == "ControllerRevision" {
            continue;
        }
        let is_allowed = result["allowed"] == true;
        let operation = text(request, "operation");
        if operation == "UPDATE" && is_allowed || operation == "DELETE" {
            continue;
        }
        let owner = &cause["owner"];
        let own = made.entry(key(owner)).or_default();
        let all = if is_allowed { cause.get("replicas").and_then(Value::as_u64).unwrap_or(1) } else { 0 };
        let admitted = cause.get("admitted").and_then(Value::as_u64).unwrap_or(all);
        *own.counts.entry(kind.to_owned()).or_default() += admitted;
        if !is_allowed {
            own.refused.insert(plain(text(&result["status"], "message"), owner));
        }
    }
    made
}

/// Returns the refusals that block a workload at the end of the step; past ones do not count.
fn refusals(workload: &Value) -> BTreeSet<String> {
    let number = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or(0);
    let have = if text(workload, "kind") == "Deployment" {
        number(workload.get("current"))
    } else {
        number(workload["made"].get("Pod"))
    };
    let is_short = have < number(workload.get("wanted"));
    let failures = list(workload, "replicaFailure");
    let mut told: BTreeSet<String> =
        failures.iter().filter_map(Value::as_str).map(|message| plain(message, workload)).collect();
    for event in list(workload, "events") {
        let is_final = ["FailedBinding", "FailedResourceClaimCreation"].contains(&text(event, "reason"));
        if is_short && failures.is_empty() || is_final {
            told.insert(plain(text(event, "message"), workload));
        }
    }
    told
}

/// Returns a refusal as a controller reports it, without prefix, hash and random suffix.
fn plain(message: &str, owner: &Value) -> String {
    let (kind, name) = (text(owner, "kind"), regex::escape(text(owner, "name")));
    let replace = |text: &str, pattern: &str, with: &str| {
        Regex::new(pattern).expect("a pattern").replace_all(text, with).into_owned()
    };
    let mut message = message.to_owned();
    for prefix in [
        r"^Error creating: ",
        r#"^Failed to create new replica set "[^"]*": "#,
        r"^[Cc]reate (Pod|Claim) .*? failed error: ",
        r"^failed to create PVC [^:]*: ",
        r"^PodResourceClaim [^:]*: ",
        r"^ephemeral volume [^:]*: ",
        r"^create PVC [^:]*: ",
        r"^create ResourceClaim [^:]*: ",
    ] {
        message = replace(&message, prefix, "");
    }
    message = replace(
        &message,
        &format!(r#"(^|[^\w-]){name}-[0-9a-z]{{6,10}}([-"]|$)"#),
        &format!("${{1}}{name}-HASH$2"),
    );
    let suffix = format!(r"((?:^|[^\w-]){name}(?:-HASH)?(?:-\d+)?)-(?:xxx[a-z]{{2}}|{SAFE}{{5}})\b");
    message = replace(&message, &suffix, "$1-xxxxx");
    message = replace(&message, &format!(r"(-xxxxx-[a-z0-9-]+?)-{SAFE}{{5}}\b"), "$1-xxxxx");
    if kind == "StatefulSet" || kind == "Job" {
        // The order is random.
        message = replace(&message, &format!(r"(\W(?:[a-z0-9-]+-)?{name})-\d+\b"), "$1-N");
    }
    message.trim().to_owned()
}
