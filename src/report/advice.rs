//! Advice on fixing a refusal, from the answer, the manifest and the objects of the cluster.

use crate::admission::{Evidence, Operation, Refusal};
use crate::evaluation::Outcome;
use crate::report::Fixtures;
use crate::report::unknown_field::unknown_fields;
use gotext::pointer::escape;
use gotext::source::Span;
use kube_api::Status;
use kube_api::field::Path;
use kube_api::resources::{
    LIMIT_RANGES, PRIORITY_CLASSES, RUNTIME_CLASSES, SERVICE_ACCOUNTS, SYSTEM_PRIORITY_CLASSES,
};
use kube_api::schema;
use kube_api::secret::LAST_APPLIED;

/// Names in a list, at most.
const MAX_NAMES: usize = 8;

/// Returns what to do about `refusal` of `outcome`, or what it comes from, a line each.
pub(super) fn advice(outcome: &Outcome, refusal: &Refusal, fixtures: &Fixtures) -> Vec<String> {
    let mut lines = refusal.help.clone();
    lines.extend(missing(outcome, refusal, fixtures));
    lines.extend(set_limits(outcome, refusal, fixtures));
    lines.extend(conflict(&refusal.status));
    lines.extend(boolean(outcome, &refusal.status));
    lines.extend(about_unknown_fields(outcome, &refusal.status));
    lines.extend(dual_stack(&refusal.status));
    lines.extend(privileged(&refusal.status));
    lines.extend(record(outcome, &refusal.status));
    lines.extend(rights(outcome, &refusal.status));
    lines
}

/// Names the rule that would allow what the authorizer refuses, and why the client asks for it.
fn rights(outcome: &Outcome, status: &Status) -> Vec<String> {
    let (_, said) = status.message.split_once(": User \"").unwrap_or_default();
    let parts: Vec<&str> = said.split('"').collect();
    let (403, [user, cannot, resource, " in API group ", group, scope, ..]) = (status.code, parts.as_slice())
    else {
        return Vec::new();
    };
    let Some(verb) = cannot.trim().strip_prefix("cannot ").and_then(|rest| rest.strip_suffix(" resource"))
    else {
        return Vec::new();
    };
    let role = match (scope.trim_start().starts_with("in the namespace"), parts.get(6)) {
        (true, Some(namespace)) => format!("a Role in {namespace}"),
        _ => "a ClusterRole".to_owned(),
    };
    let mut lines = vec![format!(
        "{role} with apiGroups [\"{group}\"], resources [\"{resource}\"] and verbs [\"{verb}\"], bound to {user}, allows it"
    )];
    if verb == "get" && outcome.operation != Operation::Delete {
        lines.push("kubectl apply reads an object first; --apply create does not".to_owned());
    }
    lines
}

/// Says that it is the client's record of the manifest that is too long.
fn record(outcome: &Outcome, status: &Status) -> Option<String> {
    let annotation = outcome.received.as_ref()?.annotation(LAST_APPLIED)?;
    let is_too_long = status.message.contains("metadata.annotations: Too long");
    is_too_long.then(|| {
        format!(
            "kubectl apply records the manifest in an annotation, here of {} bytes; --apply server-side does not",
            annotation.len()
        )
    })
}

/// Says which objects exist where one is named that does not.
fn missing(outcome: &Outcome, refusal: &Refusal, fixtures: &Fixtures) -> Option<String> {
    let message = &refusal.status.message;
    let namespace = outcome.namespace.as_str();
    if refusal.status.code == 404 && message.starts_with("namespaces ") && message.ends_with(" not found") {
        return Some(format!(
            "add the Namespace {namespace} to the manifests or to --cluster; without --strict it is assumed"
        ));
    }
    let (kind, field, resource, scope): (_, &[&str], _, _) = match outcome.denied_by()? {
        "Priority" if message.contains("no PriorityClass with name ") => {
            ("PriorityClass", &["spec", "priorityClassName"], PRIORITY_CLASSES, "")
        }
        "RuntimeClass" if message.ends_with(" not found") => {
            ("RuntimeClass", &["spec", "runtimeClassName"], RUNTIME_CLASSES, "")
        }
        "ServiceAccount" if message.ends_with(" not found") => {
            ("ServiceAccount", &["spec", "serviceAccountName"], SERVICE_ACCOUNTS, namespace)
        }
        _ => return None,
    };
    let name = outcome.received.as_ref()?.value.at(field)?.as_str()?;
    let mut known = fixtures.names(&resource, scope);
    if kind == "PriorityClass" {
        known.extend(SYSTEM_PRIORITY_CLASSES.map(str::to_owned));
        known.sort();
    }
    let near = known.iter().map(|known| (strsim::damerau_levenshtein(known, name), known));
    let near = near.filter(|(distance, _)| *distance <= 2).min().map(|(_, near)| near);
    let mean = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
    let whose = if scope.is_empty() { String::new() } else { format!(" in the namespace {scope}") };
    let rest = known.len().saturating_sub(MAX_NAMES);
    let and = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    known.truncate(MAX_NAMES);
    Some(if known.is_empty() {
        format!("no {kind} is among the cluster objects{whose}; --cluster adds what exists")
    } else {
        format!("{mean}these {} exist{whose}: {}{and}", plural(kind), known.join(", "))
    })
}

fn plural(kind: &str) -> String {
    if kind.ends_with('s') { format!("{kind}es") } else { format!("{kind}s") }
}

/// Names the LimitRange that set a limit below what is requested.
fn set_limits(outcome: &Outcome, refusal: &Refusal, fixtures: &Fixtures) -> Vec<String> {
    let causes = refusal.status.details.iter().flat_map(|details| &details.causes);
    let resources = causes.filter_map(|cause| {
        let (_, rest) = cause.message.split_once("must be less than or equal to ")?;
        let (resource, limit) = rest.split_once(" limit of ")?;
        let path = refusal.fields.iter().find(|path| path.to_string() == cause.field)?;
        Some((path, resource, limit))
    });
    let set = resources.filter_map(|(path, resource, limit)| {
        let steps = path.to_string();
        let (container, _) = steps.split_once(".resources.")?;
        let is_set = outcome.trace.steps.iter().any(|step| {
            let change = step.change.as_ref().filter(|_| step.plugin == "LimitRanger");
            change.is_some_and(|(before, after)| {
                let pointer = pointer(container, resource);
                before.value.pointer(&pointer).is_none() && after.value.pointer(&pointer).is_some()
            })
        });
        is_set.then(|| default_limit(&outcome.namespace, resource, limit, fixtures))?
    });
    let mut lines: Vec<String> = set.collect();
    lines.dedup();
    lines
}

/// The JSON pointer of the limit that the container at `path` has.
fn pointer(path: &str, resource: &str) -> String {
    let steps = path.replace(['.', '['], "/").replace(']', "");
    format!("/{steps}/resources/limits/{}", escape(resource))
}

/// `LimitRange container-sizes set this limit of 500m (cluster/limits.yaml:16)`
fn default_limit(namespace: &str, resource: &str, limit: &str, fixtures: &Fixtures) -> Option<String> {
    let mut found = Vec::new();
    for name in fixtures.names(&LIMIT_RANGES, namespace) {
        let value = fixtures.written(&LIMIT_RANGES, namespace, &name)?;
        let limits = value.at(["spec", "limits"]).and_then(|limits| limits.as_array());
        for (index, item) in limits.into_iter().flatten().enumerate() {
            for field in ["default", "max"] {
                let Some(given) = item.look_up(field).and_then(|given| given.look_up(resource)) else {
                    continue;
                };
                let text = given.as_str().map_or_else(|| given.to_string(), str::to_owned);
                let path = Path::new("spec").child("limits").index(index).child(field).key(resource);
                found.push((text == limit, name.clone(), path));
                break;
            }
        }
    }
    found.sort_by_key(|(is_equal, ..)| !is_equal);
    let (_, name, path) = found.into_iter().next()?;
    let evidence = Evidence {
        resource: LIMIT_RANGES,
        namespace: namespace.to_owned(),
        name,
        path: Some(path),
        says: format!("set this limit of {limit}"),
    };
    let place = fixtures.locate(&evidence).map(|(file, line)| format!(" ({file}:{line})"));
    Some(format!("{evidence}{}", place.unwrap_or_default()))
}

/// Says how what exists is changed, or taken over.
fn conflict(status: &Status) -> Option<String> {
    let help = match (status.code, status.reason.as_str()) {
        (409, "AlreadyExists") => "it exists already; --apply client-side or server-side changes it",
        (409, _) if status.message.contains("with \"before-first-apply\"") => {
            "--force-conflicts takes the fields over, as kubectl does; if the object was read without \
             --show-managed-fields, who owns them is unknown"
        }
        (409, _) if status.message.contains("conflict") && status.message.contains("with \"") => {
            "--force-conflicts takes the fields over, as kubectl does"
        }
        (409, "Conflict") if status.message.contains("UID in precondition") => {
            "metadata.uid is not that of the object that exists: leave it out of the manifest"
        }
        (409, "Conflict") => {
            "metadata.resourceVersion is not that of the object that exists: leave it out of the manifest"
        }
        _ => return None,
    };
    Some(help.to_owned())
}

/// Words that are booleans in YAML 1.1, which is what Kubernetes reads.
const BOOLEANS: [&str; 10] = ["y", "n", "yes", "no", "on", "off", "true", "false", "Y", "N"];

/// Says that a name which YAML reads as a boolean is to be quoted.
fn boolean(outcome: &Outcome, status: &Status) -> Option<String> {
    if !(status.message.contains("cannot unmarshal bool") && status.message.ends_with("of type string")) {
        return None;
    }
    let Span { start, end } = outcome.decode_span?;
    let word = outcome.place.as_ref()?.source().text().get(start..end)?;
    let is_boolean = BOOLEANS.contains(&word) || BOOLEANS.contains(&word.to_lowercase().as_str());
    is_boolean
        .then(|| format!("`{word}` is a boolean in YAML 1.1, which Kubernetes reads: quote it, \"{word}\""))
}

/// Returns which releases know each unknown field, or the known field that it is probably meant to be.
fn about_unknown_fields(outcome: &Outcome, status: &Status) -> Vec<String> {
    let Some((_, unknown)) = status.message.split_once("strict decoding error: ") else {
        return Vec::new();
    };
    let advice = unknown_fields(unknown).filter_map(|path| {
        if let Some(lifetime) = schema::lifetime(&outcome.kind, path) {
            return Some(format!("{path} is {lifetime}"));
        }
        let (around, name) = path.rsplit_once('.').unwrap_or(("", path));
        let around = schema::of(&outcome.kind)?.at(around)?;
        let near = around.fields().iter().map(|field| (distance(&field.name, name), &field.name));
        let most = MAX_MISTAKES.min(name.chars().count() / 3);
        let (_, near) = near.filter(|(distance, _)| *distance <= most).min()?;
        Some(format!("did you mean {near} instead of {name}?"))
    });
    advice.collect()
}

/// The most characters that are wrong in a misspelt name.
const MAX_MISTAKES: usize = 2;

fn distance(name: &str, written: &str) -> usize {
    if name.eq_ignore_ascii_case(written) { 0 } else { strsim::damerau_levenshtein(name, written) }
}

/// Names the flag that allows privileged containers.
fn privileged(status: &Status) -> Option<String> {
    let is_refused = status.message.contains("privileged: Forbidden: disallowed by cluster policy");
    is_refused.then(|| "the server has to be started with --allow-privileged".to_owned())
}

/// Names the flag that configures the addresses of a second IP family.
fn dual_stack(status: &Status) -> Option<String> {
    let is_family = status.message.contains("not configured on this cluster")
        || status.message.contains("this cluster is not configured for dual-stack services");
    is_family.then(|| {
        "--service-cluster-ip-range of the server configures the families: 10.96.0.0/16,fd00::/108 for both"
            .to_owned()
    })
}
