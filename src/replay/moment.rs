//! Chosen requests with what they met, so that each can be sent again without the log.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::admission::Operation;
use crate::cluster::{Cluster, server_looks_up};
use crate::evaluation::{Outcome, Recorded};
use crate::plugin;
use crate::replay::event::{Event, Logged};
use crate::report::{Only, OutcomeFilter};
use gotext::value::json;
use kube_api::resources::{
    CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CUSTOM_RESOURCE_DEFINITIONS, MUTATING_ADMISSION_POLICIES,
    MUTATING_WEBHOOK_CONFIGURATIONS, NAMESPACES, NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS,
    RESOURCE_CLAIMS, ROLE_BINDINGS, ROLES, SECRETS, SERVICE_ACCOUNTS, VALIDATING_ADMISSION_POLICIES,
    VALIDATING_WEBHOOK_CONFIGURATIONS,
};
use kube_api::{GroupResource, GroupVersionKind, Object, Value, resource};

/// The most requests that are kept.
const MAX: usize = 50;

/// Resources of which only those objects are kept that the request names, or that are the request's own.
const NAMED: [GroupResource; 7] =
    [NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, RESOURCE_CLAIMS, SECRETS, SERVICE_ACCOUNTS];

/// A request, the objects that the chain may look up for it, and its answer.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Its place in the log.
    pub logged: Logged,
    /// The request as an `AdmissionReview`.
    pub review: Value,
    /// The objects that exist, ordered by resource, namespace and name.
    pub objects: Vec<Value>,
    /// The answer.
    pub outcome: Outcome,
}

/// The requests that are kept, of those that are alike the first.
#[derive(Debug, Default)]
pub struct Moments {
    /// Those that can be sent again, in the order of the log.
    pub kept: Vec<Moment>,
    /// The number of requests that are like none of them, and more than are kept.
    pub left_out: u64,
    /// The number of requests that cannot be sent again, by cause.
    pub unsendable: BTreeMap<String, u64>,
    known: HashSet<String>,
    filter: OutcomeFilter,
}

impl Moments {
    /// Returns the place for requests whose outcomes `only` chooses.
    pub(super) fn new(only: Only) -> Self {
        Self { filter: OutcomeFilter::new(only), ..Self::default() }
    }

    /// Whether a request with this outcome, and with what is `said` of it, is to be kept. Refused ones replace admitted
    /// ones when there are enough.
    pub(super) fn wants(&mut self, event: &Event, outcome: &Outcome, said: &[String]) -> bool {
        if self.filter.choose(vec![outcome.clone()]).is_empty() {
            return false;
        }
        let steps = outcome.trace.steps.iter().filter(|step| step.change.is_some() || step.refusal.is_some());
        let plugins: Vec<&str> = steps.map(|step| step.plugin).collect();
        let alike = format!("{} {} {plugins:?} {said:?}", event.verb, event.target());
        if self.known.contains(&alike) {
            return false;
        }
        if self.kept.len() >= MAX {
            let admitted = self.kept.iter().rposition(|moment| moment.outcome.allowed());
            let Some(position) = admitted.filter(|_| !outcome.allowed()) else {
                self.left_out += 1;
                return false;
            };
            self.kept.remove(position);
            self.left_out += 1;
        }
        self.known.insert(alike);
        true
    }

    pub(super) fn keep(&mut self, moment: Result<Moment, String>) {
        match moment {
            Ok(moment) => self.kept.push(moment),
            Err(cause) => self.leave_out(cause),
        }
    }

    fn leave_out(&mut self, cause: String) {
        *self.unsendable.entry(cause).or_default() += 1;
    }
}

/// Returns the request of `event` as an `AdmissionReview`; `recorded` is the request that it was.
///
/// # Errors
///
/// Returns why it has no such form.
pub(super) fn review(event: &Event, recorded: &Recorded, outcome: &Outcome) -> Result<Value, String> {
    if event.verb == "deletecollection" {
        return Err("the deletion of a collection".to_owned());
    }
    let Some(resource) = &event.resource else { return Err("a request without a resource".to_owned()) };
    // A patch of an object that does not exist creates it.
    let operation = match &recorded.patch {
        Some(_) => outcome.operation,
        None => recorded.request.operation.unwrap_or(Operation::Create),
    };
    let body = || recorded.request.object.clone().map(gotext::source::Node::into_value);
    // A patch is sent as the object that it makes.
    let object = match (&recorded.patch, &outcome.received) {
        (None, _) => body(),
        (Some(_), Some(patched)) => Some(whole(patched)),
        (Some(_), None) if outcome.allowed() => return Err("a patch without an object".to_owned()),
        (Some(_), None) => return Err("a patch that is refused before it is an object".to_owned()),
    };
    let mut options = recorded.request.options.clone().unwrap_or_else(|| json!({}));
    options["apiVersion"] = "meta.k8s.io/v1".into();
    options["kind"] = match operation {
        _ if recorded.patch.is_some() => "PatchOptions",
        Operation::Delete => "DeleteOptions",
        Operation::Update => "UpdateOptions",
        Operation::Create | Operation::Connect => "CreateOptions",
    }
    .into();
    if let Some(options) = options.as_object_mut() {
        // Bodies are recorded without what the server did not know.
        options.remove("fieldValidation");
    }
    let part = |text: &str| Value::from(text);
    let mut request = json!({
        "uid": "00000000-0000-4000-8000-000000000000",
        "resource": {"group": part(&resource.group), "version": part(&resource.version), "resource": part(&resource.resource)},
        "operation": operation.as_str(),
        "userInfo": json!(*event.user),
        "options": options,
        "dryRun": event.is_dry_run(),
    });
    if !outcome.kind.kind.is_empty() {
        let kind = &outcome.kind;
        request["kind"] =
            json!({"group": part(&kind.group), "version": part(&kind.version), "kind": part(&kind.kind)});
    }
    let texts =
        [("subResource", &*event.sub_resource), ("namespace", &*event.namespace), ("name", &*event.name)];
    for (field, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        request[field] = text.into();
    }
    if let Some(object) = object {
        request["object"] = object;
    }
    Ok(json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}))
}

/// Returns the objects of `cluster` that the chain may look up for the request in `review`, which `event` is. Rights of
/// users are among them if the server `authorizes`, configurations of webhooks if it `asks` them.
pub(super) fn looked_up(
    event: &Event,
    review: &Value,
    cluster: &Cluster,
    (authorizes, asks): (bool, bool),
) -> Vec<Value> {
    let own = (event.group_resource(), event.own_namespace(), event.stored_name());
    let mut resources: BTreeSet<GroupResource> = plugin::all_read().collect();
    resources.insert(own.0.clone());
    let params = parameters(cluster);
    resources.extend(params.iter().cloned());
    resources.insert(CUSTOM_RESOURCE_DEFINITIONS);
    let rights = [CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES];
    resources.extend(rights.iter().filter(|_| authorizes).cloned());
    let webhooks = [MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS];
    let mut named = BTreeSet::from(["default"]);
    let old = cluster.get(own.0, own.1, own.2);
    let old_value = old.as_ref().map(|old| &old.value);
    [Some(review), old_value].into_iter().flatten().for_each(|value| texts_in(value, &mut named));
    named.extend(event.user.username.strip_prefix("system:node:"));
    // A change of a namespace's level is a question about all its Pods.
    let is_namespace = event.is_of(&NAMESPACES);
    let namespace = if is_namespace { own.2 } else { own.1 };
    let is_meant = |resource: &GroupResource, object: &Object| {
        if (resource, object.namespace(), object.name()) == own {
            return true;
        }
        match resource {
            _ if *resource == NAMESPACES => object.name() == namespace,
            _ if *resource == CUSTOM_RESOURCE_DEFINITIONS => {
                let defined = |resource: &GroupResource| {
                    object.name() == format!("{}.{}", resource.resource, resource.group)
                };
                defined(own.0) || params.iter().any(defined)
            }
            _ if *resource == PODS && is_namespace => true,
            _ if webhooks.contains(resource) && !asks => false,
            _ if server_looks_up(resource) => !object.name().starts_with("system:"),
            _ if NAMED.contains(resource) => named.contains(object.name()),
            // Every server creates these itself.
            _ => !object.name().starts_with("system-"),
        }
    };
    let mut objects = Vec::new();
    for resource in &resources {
        // Of the resource itself, only the object counts, unless plugins read others.
        let places = ["", namespace];
        let places = if namespace.is_empty() { &places[..1] } else { &places[..] };
        for place in places {
            let found = cluster.list(resource, place);
            objects
                .extend(found.iter().filter(|object| is_meant(resource, object)).map(|object| whole(object)));
        }
    }
    objects
}

/// Returns the resources whose objects are parameters of policies.
fn parameters(cluster: &Cluster) -> Vec<GroupResource> {
    let policies = [VALIDATING_ADMISSION_POLICIES, MUTATING_ADMISSION_POLICIES];
    let policies = policies.iter().flat_map(|resource| cluster.list_all(resource));
    let found = policies.filter_map(|policy| {
        let kind = policy.at(["spec", "paramKind"])?;
        let kind = GroupVersionKind::from_api_version(kind.text("apiVersion"), kind.text("kind"));
        if let Some(found) = resource::by_kind(&kind) {
            return Some(found.group_version_resource().group_resource());
        }
        let custom = cluster.custom_resource_of_kind(&kind.group, &kind.kind)?;
        Some(GroupResource { group: kind.group.clone(), resource: custom.plural.clone().into() })
    });
    found.collect()
}

/// Returns the object with its kind.
fn whole(object: &Object) -> Value {
    let mut value = object.value.clone().untyped();
    value["apiVersion"] = object.kind.api_version().into();
    value["kind"] = object.kind.kind.to_string().into();
    value
}

fn texts_in<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(map) => map.values().for_each(|value| texts_in(value, found)),
        Value::Array(items) => items.iter().for_each(|value| texts_in(value, found)),
        _ => found.extend(value.as_str()),
    }
}
