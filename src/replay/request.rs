//! From an event to the request that the server received.

use crate::admission::Operation;
use crate::evaluation::{Patch, PreparedRecord, Recorded, Request, connection_options};
use crate::replay::event::Event;
use gotext::source::Node;
use gotext::value::json;
use kube_api::decode::FieldValidation;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{Name, Value, resource};

/// Directives that only a strategic merge patch has.
const DIRECTIVES: [&str; 4] = ["$patch", "$retainKeys", "$deleteFromPrimitiveList/", "$setElementOrder/"];

/// Returns the requests to a server of `profile` that `event` may have been, decoded as far as that needs no cluster; or
/// why it cannot be judged.
pub(super) fn prepared(event: &Event, profile: &ServerProfile) -> Result<Vec<PreparedRecord>, String> {
    check(event)?;
    let requests = recorded(event, profile.release())?;
    Ok(requests.into_iter().map(|request| request.prepare(profile).of_log()).collect())
}

/// Returns why `event` cannot be judged, if that needs no look at the cluster.
fn check(event: &Event) -> Result<(), String> {
    if event.resource.is_none() {
        return Err("a request for a path that is not a resource".to_owned());
    }
    if event.is_connection() {
        return match event.code {
            0 => Err("no answer was recorded".to_owned()),
            403 => Ok(()),
            _ if event.succeeded() => Ok(()),
            code => Err(format!("the connection failed after admission ({code})")),
        };
    }
    if let Some(webhook) = event.answers.unrecorded().filter(|_| event.request.is_some()) {
        return Err(format!("the patch of webhook {webhook} was not recorded"));
    }
    if event.verb == "deletecollection" && event.option("fieldSelector").is_some() {
        return Err("a collection with a selector of fields".to_owned());
    }
    if !matches!(event.verb.as_str(), "create" | "update" | "patch" | "delete" | "deletecollection") {
        return Err(format!("the verb {}", event.verb));
    }
    match event.code {
        0 => Err("no answer was recorded".to_owned()),
        401 => Err("the server did not know the user".to_owned()),
        // An eviction that a budget does not allow is an answer of the chain.
        429 if event.sub_resource != "eviction" => Err("the server was busy (429)".to_owned()),
        502..=504 => Err(format!("the server failed ({})", event.code)),
        _ => Ok(()),
    }
}

/// Returns why a request without a body cannot be judged.
pub(super) fn missing_body(event: &Event) -> String {
    match event.level.as_str() {
        _ if event.is_forbidden => {
            "the server's authorizer refused it before its body was read (see --authorization-mode)"
                .to_owned()
        }
        "Metadata" => "the body was not recorded (level Metadata)".to_owned(),
        _ if event.code == 400 => "the server could not read the body, which is not recorded then".to_owned(),
        _ => "the body was not recorded".to_owned(),
    }
}

/// Returns the request of `event` to a server of `release`. There are several if a patch has no mark of its type, which
/// audit logs do not contain: the server's answer decides which it was.
pub(super) fn recorded(event: &Event, release: Version) -> Result<Vec<Recorded>, String> {
    let operation = match event.verb.as_str() {
        _ if event.is_connection() => Operation::Connect,
        "create" => Operation::Create,
        "delete" | "deletecollection" => Operation::Delete,
        _ => Operation::Update,
    };
    let is_patch = event.verb == "patch";
    let body = if event.is_connection() { connection(event) } else { event.request.clone() };
    if body.as_ref().is_some_and(is_redacted) {
        return Err("the body was redacted".to_owned());
    }
    let (object, patch) = match body {
        Some(body) if is_patch && operation != Operation::Connect => (None, Some(body)),
        Some(body) if operation != Operation::Delete => (Some(Node::from(body)), None),
        _ => (None, None),
    };
    let request = Request {
        place: None,
        operation: Some(operation),
        apply: None,
        resource: event.resource.clone(),
        kind: None,
        sub_resource: Name::Owned(event.sub_resource.to_string()),
        namespace: Some(event.namespace.clone()),
        name: Some(event.name.clone()).filter(|name| !name.is_empty()),
        object,
        old_object: None,
        options: options(event, operation),
        dry_run: event.is_dry_run(),
        user_info: event.user.clone(),
        // A patch is recorded as it was sent. What the server did not know of an object is not in the recorded body.
        field_validation: match event.option("fieldValidation") {
            Some(mode) if is_patch => FieldValidation::parse(&mode).unwrap_or_default(),
            _ => FieldValidation::Ignore,
        },
        strict_errors: Vec::new(),
    };
    let with = |patch| Recorded {
        request: request.clone(),
        verb: event.verb.clone(),
        patch,
        manager: String::new(),
        deadline: None,
    };
    let Some(body) = patch else {
        let bare = event.request.as_ref().and_then(without_default_labels).map(|body| Recorded {
            request: Request { object: Some(Node::from(body)), ..request.clone() },
            ..with(None)
        });
        return Ok(bare.into_iter().chain([with(None)]).collect());
    };
    Ok(patches(event, body, release).into_iter().map(|patch| with(Some(patch))).collect())
}

/// Returns the object that the request for a connection is, from its URL.
fn connection(event: &Event) -> Option<Value> {
    let resource = &event.resource.as_ref()?.resource;
    let path = event.uri.split_once('?').map_or(event.uri.as_str(), |(path, _)| path);
    let rest = path.split_once("/proxy/").map(|(_, rest)| rest);
    connection_options(resource, &event.sub_resource, |name| event.options(name).collect(), rest)
}

/// Returns a new `Job` without labels that may be defaults: the recorded body has those of the template, and the server
/// then counts both as one.
fn without_default_labels(body: &Value) -> Option<Value> {
    let labels = body.at(["metadata", "labels"])?;
    if body.text("kind") != "Job" || Some(labels) != body.at(["spec", "template", "metadata", "labels"]) {
        return None;
    }
    let mut bare = body.clone();
    bare["metadata"].as_object_mut()?.remove("labels");
    Some(bare)
}

/// Returns the options of the request, from its URL or its body.
fn options(event: &Event, operation: Operation) -> Option<Value> {
    let mut options = match &event.request {
        Some(body) if operation == Operation::Delete && body.text("kind") == "DeleteOptions" => body.clone(),
        _ => json!({}),
    };
    for field in ["fieldManager", "fieldValidation", "propagationPolicy"] {
        if let Some(value) = event.option(field) {
            options[field] = value.into();
        }
    }
    if let Some(seconds) = event.option("gracePeriodSeconds").and_then(|seconds| seconds.parse::<i64>().ok())
    {
        options["gracePeriodSeconds"] = seconds.into();
    }
    if event.is_dry_run() {
        options["dryRun"] = json!(["All"]);
    }
    options.as_object().is_some_and(|options| !options.is_empty()).then_some(options)
}

/// Returns the patches that `body` may be, the likeliest first.
fn patches(event: &Event, body: Value, release: Version) -> Vec<Patch> {
    if body.is_array() {
        return vec![Patch::Json(body)];
    }
    if is_apply(event, &body) {
        let manager = event.option("fieldManager").unwrap_or_default();
        let forces = event.option("force").as_deref() == Some("true");
        return vec![Patch::Apply { manifest: body, manager, forces }];
    }
    let is_built_in =
        event.resource.as_ref().is_some_and(|found| resource::by_resource_in(release, found).is_some());
    if !is_built_in {
        return vec![Patch::Merge(body)];
    }
    // Without lists both types of patches have the same result.
    if has_directive(&body) || !has_list(&body) {
        return vec![strategic_merge(&body)];
    }
    vec![strategic_merge(&body), Patch::Merge(body)]
}

fn strategic_merge(body: &Value) -> Patch {
    Patch::StrategicMerge(body.as_object().cloned().unwrap_or_default())
}

/// Whether `body` is a manifest of a server-side apply. Only such a patch may be forced, and has a manager that the
/// server records as one that applies.
pub(super) fn is_apply(event: &Event, body: &Value) -> bool {
    if event.option("force").is_some() {
        return true;
    }
    let Some(manager) = event.option("fieldManager") else { return false };
    let is_whole = !body.text("apiVersion").is_empty() && !body.text("kind").is_empty();
    if !is_whole || has_directive(body) {
        return false;
    }
    let managers = event.response.as_ref().filter(|_| event.succeeded());
    let managers = managers.map(|object| object.list(["metadata", "managedFields"])).unwrap_or_default();
    managers.is_empty()
        || managers.iter().any(|entry| entry.text("manager") == manager && entry.text("operation") == "Apply")
}

fn has_directive(body: &Value) -> bool {
    match body {
        Value::Object(map) => map.iter().any(|(name, value)| {
            DIRECTIVES.iter().any(|directive| name.as_str().starts_with(directive)) || has_directive(value)
        }),
        Value::Array(items) => items.iter().any(has_directive),
        _ => false,
    }
}

fn has_list(body: &Value) -> bool {
    match body {
        Value::Object(map) => map.values().any(has_list),
        Value::Array(_) => true,
        _ => false,
    }
}

/// Whether values of a Secret were replaced before the log was written.
fn is_redacted(body: &Value) -> bool {
    let is_mark = |value: &Value| {
        value.as_str().is_some_and(|text| {
            let text = text.trim_matches('*');
            text.is_empty() || text.eq_ignore_ascii_case("redacted")
        })
    };
    let Some(data) = body.child("data").filter(|_| body.text("kind") == "Secret") else { return false };
    data.values().any(|value| value.as_str().is_some_and(|text| !text.is_empty()) && is_mark(value))
}
