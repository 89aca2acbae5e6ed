//! Holds new objects back until controllers outside of the API server have changed or accepted them: it lists the
//! configured initializers in `metadata.initializers`, and an object is not visible to others while one of them is
//! pending. Mutating webhooks replaced it.
//!
//! # When it rejects
//!
//! - The user sets `metadata.initializers`, or changes an object that is not initialized yet, without the right to
//!   `initialize` the resource.
//! - An update adds initializers to an object that is initialized, or sets a result that is not a failure.
//!
//! # Cluster objects it reads
//!
//! `initializerconfigurations.admissionregistration.k8s.io`, roles and bindings (verb `initialize`).
//!
//! # Offline
//!
//! No controller runs: an object with pending initializers is admitted as it is, with a note that it would stay
//! uninitialized. The server would answer such a request only when the controllers are done, or after a timeout.
//!
//! # Since
//!
//! Before 1.10, until 1.13; off unless enabled. Needs `--runtime-config=admissionregistration.k8s.io/v1alpha1=true`.
//!
//! # Upstream
//!
//! `k8s.io/apiserver/pkg/admission/plugin/initialization`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Operation, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::cluster::authorizer::{Authorizer, Decision, ResourceAttributes};
use crate::plugin::PluginInitializer;
use gotext::quote;
use kube_api::field::{self, Path};
use kube_api::kinds;
use kube_api::resources::INITIALIZER_CONFIGURATIONS;
use kube_api::{Map, Object, Status, Value};

const FIELD: [&str; 2] = ["metadata", "initializers"];
const MIRROR: &str = "kubernetes.io/config.mirror";

pub(in crate::plugin) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::mutating(Initializers {
        cluster: initializer.cluster.clone(),
        authorizer: initializer.authorizer.clone(),
    })
}

struct Initializers {
    cluster: Arc<Cluster>,
    authorizer: Arc<Authorizer>,
}

impl MutationInterface for Initializers {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if attributes.has_sub_resource() || attributes.object.is_none() {
            return Ok(());
        }
        match attributes.operation {
            Operation::Create => self.create(attributes)?,
            Operation::Update => self.update(attributes)?,
            Operation::Delete | Operation::Connect => return Ok(()),
        }
        let pending = attributes.object.as_deref().map(pending).unwrap_or_default();
        if !pending.is_empty() {
            recorder.add_note(format!(
                "the object would stay uninitialized until these controllers act: {}",
                pending.join(", ")
            ));
        }
        Ok(())
    }
}

impl Initializers {
    fn create(&self, attributes: &mut Attributes) -> Result<(), Refusal> {
        let Some(object) = attributes.object.clone() else { return Ok(()) };
        if let Some(initializers) = initializers(&object) {
            let decision = self.may_initialize(attributes, "");
            if !decision.allowed {
                let error = format!("create with initializers denied: {}", decision.reason);
                return Err(forbidden(attributes, "", &error));
            }
            if is_done(initializers)
                && let Some(object) = attributes.object_mut()
            {
                object.remove(FIELD);
            }
            return Ok(());
        }
        if object.kind.is(kinds::POD) && object.annotation(MIRROR).is_some() {
            return Ok(());
        }
        let names = self.required(attributes);
        if !names.is_empty()
            && let Some(object) = attributes.object_mut()
        {
            let pending: Vec<Value> = names.into_iter().map(named).collect();
            object.set(["metadata", "initializers", "pending"], pending);
        }
        Ok(())
    }

    fn update(&self, attributes: &mut Attributes) -> Result<(), Refusal> {
        let Some(object) = attributes.object.clone() else { return Ok(()) };
        let mut updated = initializers(&object);
        if updated.is_some_and(is_done) {
            updated = None;
            if let Some(object) = attributes.object_mut() {
                object.remove(FIELD);
            }
        }
        let old_object = attributes.old_object.clone();
        let existing = old_object.as_deref().and_then(initializers);
        if updated.is_none() && existing.is_none() {
            return Ok(());
        }
        let errors: Vec<_> = invalid_transition(updated, existing).into_iter().collect();
        if !errors.is_empty() {
            return Err(Status::new_invalid(&attributes.kind, &attributes.name, &errors).into());
        }
        let decision = self.may_initialize(attributes, &attributes.name);
        if decision.allowed {
            return Ok(());
        }
        let error = format!("update to uninitialized resource denied: {}", decision.reason);
        Err(forbidden(attributes, &attributes.name, &error))
    }

    fn may_initialize(&self, attributes: &Attributes, name: &str) -> Decision {
        let resource = ResourceAttributes {
            namespace: &attributes.namespace,
            group: &attributes.resource.group,
            resource: &attributes.resource.resource,
            name,
            ..ResourceAttributes::default()
        };
        self.authorizer.authorize(&attributes.user_info.access("initialize", resource))
    }

    /// Returns the names of the configured initializers that match the resource of the request, with repetitions.
    fn required(&self, attributes: &Attributes) -> Vec<String> {
        let configurations = self.cluster.list_all(&INITIALIZER_CONFIGURATIONS);
        let configured = configurations.iter().flat_map(|configuration| configuration.list("initializers"));
        let matching = configured.filter(|initializer| {
            let rules = initializer.at("rules").and_then(Value::as_array);
            // All of them, although the documentation of the API says any.
            rules.is_some_and(|rules| !rules.is_empty() && rules.iter().all(|rule| matches(rule, attributes)))
        });
        matching.filter_map(|initializer| initializer.at("name")?.as_str().map(str::to_owned)).collect()
    }
}

fn initializers(object: &Object) -> Option<&Value> {
    object.at(FIELD)
}

/// Whether no initializer is pending or failed.
fn is_done(initializers: &Value) -> bool {
    let pending = initializers.at("pending").and_then(Value::as_array);
    pending.is_none_or(Vec::is_empty) && initializers.at("result").is_none()
}

fn pending(object: &Object) -> Vec<String> {
    let pending = object.list(["metadata", "initializers", "pending"]);
    pending.iter().filter_map(|entry| entry.at("name")?.as_str().map(str::to_owned)).collect()
}

fn named(name: String) -> Value {
    let mut entry = Map::new();
    entry.insert("name", name.into());
    Value::Object(entry)
}

/// Source: `webhook/rules`.
fn matches(rule: &Value, attributes: &Attributes) -> bool {
    let resource = &attributes.resource;
    let lists = |list: &str, value: &str| {
        let entries = rule.list(list).iter();
        let entries: Vec<&str> = entries.filter_map(Value::as_str).collect();
        let is_any = matches!(entries.first().copied(), Some("*"))
            || list == "resources" && matches!(entries.first().copied(), Some("*/*"));
        is_any || entries.contains(&value)
    };
    lists("apiGroups", &resource.group)
        && lists("apiVersions", &resource.version)
        && lists("resources", &resource.resource)
}

/// Source: `validation.ValidateInitializersUpdate`, as far as the plugin sees it.
fn invalid_transition(updated: Option<&Value>, existing: Option<&Value>) -> Option<field::Error> {
    let path = Path::new("metadata").child("initializers");
    let updated = updated?;
    let Some(existing) = existing else {
        let detail = "field is immutable once initialization has completed";
        return Some(field::Error::invalid_printed(&path, "\"null\"", detail));
    };
    let result = updated.at("result");
    match (existing.at("result"), result) {
        (None, Some(result)) => {
            let status = result.text("status");
            (status != "Failure").then(|| {
                let path = path.child("result").child("status");
                field::Error::invalid_text(&path, status, "must be 'Failure'")
            })
        }
        (Some(before), after) if Some(before) != after => {
            let value = after.map_or_else(|| quote("null"), printed);
            Some(field::Error::invalid_printed(&path.child("result"), value, "field is immutable"))
        }
        _ => None,
    }
}

/// Returns a result as Go prints the struct, apart from its details: Go prints where they are in memory.
fn printed(result: &Value) -> String {
    let text = |fields: &[&str]| quote(result.text(fields));
    let details = match result.at("details") {
        None => "(*v1.StatusDetails)(nil)",
        Some(_) => "(*v1.StatusDetails)(0xc000000000)",
    };
    format!(
        "v1.Status{{TypeMeta:v1.TypeMeta{{Kind:{}, APIVersion:{}}}, ListMeta:v1.ListMeta{{SelfLink:{}, \
         ResourceVersion:{}, Continue:{}}}, Status:{}, Message:{}, Reason:{}, Details:{details}, Code:{}}}",
        text(&["kind"]),
        text(&["apiVersion"]),
        text(&["metadata", "selfLink"]),
        text(&["metadata", "resourceVersion"]),
        text(&["metadata", "continue"]),
        text(&["status"]),
        text(&["message"]),
        text(&["reason"]),
        result.int("code"),
    )
}

/// Returns 403 about the object called `name`, which a request to create one does not name yet.
fn forbidden(attributes: &Attributes, name: &str, error: &str) -> Refusal {
    let resource = attributes.resource.group_resource();
    let status = Status::new_forbidden(&resource, name, error);
    Refusal::from(status).at(Path::new("metadata").child("initializers"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, pod, update};
    use gotext::value::json;

    fn configuration(rules: &Value) -> Value {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1alpha1",
            "kind": "InitializerConfiguration",
            "metadata": {"name": "a"},
            "initializers": [{"name": "image.example.com", "rules": rules}],
        })
    }

    fn pods() -> Value {
        json!([{"apiGroups": [""], "apiVersions": ["*"], "resources": ["pods"]}])
    }

    fn with(initializers: &Value) -> Value {
        let mut object = pod(json!({}));
        object["metadata"]["initializers"] = initializers.clone();
        object
    }

    #[test]
    fn admits_with_the_initializers_of_which_all_rules_match() {
        let bench = Bench::new("Initializers", [configuration(&pods())]);
        let mut request = create(pod(json!({})));
        bench.admit(&mut request).unwrap();
        let expected = json!({"pending": [{"name": "image.example.com"}]});
        assert_eq!(request.object.unwrap().value["metadata"]["initializers"], expected);
        let other = json!({"apiGroups": ["apps"], "apiVersions": ["*"], "resources": ["*"]});
        let rules = json!([pods()[0], other]);
        assert!(Bench::new("Initializers", [configuration(&rules)]).leaves_alone(create(pod(json!({})))));
    }

    #[test]
    fn rejects_whoever_may_not_initialize() {
        let bench = Bench::with_roles("Initializers", [configuration(&pods())]);
        let refusal = bench.admit(&mut create(with(&json!({"pending": []})))).unwrap_err();
        assert_eq!(refusal.status.message, "pods is forbidden: create with initializers denied: ");
        let pending = with(&json!({"pending": [{"name": "a"}]}));
        let refusal = bench.admit(&mut update(pending, pod(json!({})))).unwrap_err();
        let message = "pods \"web\" is forbidden: update to uninitialized resource denied: ";
        assert_eq!(refusal.status.message, message);
    }

    #[test]
    fn rejects_initializers_of_an_object_that_is_initialized() {
        let bench = Bench::new("Initializers", []);
        let pending = with(&json!({"pending": [{"name": "a"}]}));
        let refusal = bench.admit(&mut update(pod(json!({})), pending)).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "Pod \"web\" is invalid: metadata.initializers: Invalid value: \"null\": field is immutable once \
             initialization has completed"
        );
    }

    #[test]
    fn rejects_another_result() {
        let bench = Bench::new("Initializers", []);
        let failed = |message: &str| json!({"result": {"status": "Failure", "message": message}});
        let refused = |new: &Value| {
            let refusal = bench.admit(&mut update(with(&failed("a")), with(new))).unwrap_err();
            refusal.status.message.clone()
        };
        let message = "Pod \"web\" is invalid: metadata.initializers.result: Invalid value: ";
        assert_eq!(
            refused(&json!({"pending": [{"name": "a"}]})),
            format!("{message}\"null\": field is immutable")
        );
        assert_eq!(
            refused(&failed("b")),
            format!(
                "{message}v1.Status{{TypeMeta:v1.TypeMeta{{Kind:\"\", APIVersion:\"\"}}, \
                 ListMeta:v1.ListMeta{{SelfLink:\"\", ResourceVersion:\"\", Continue:\"\"}}, Status:\"Failure\", \
                 Message:\"b\", Reason:\"\", Details:(*v1.StatusDetails)(nil), Code:0}}: field is immutable"
            )
        );
    }
}
