//! Asks a backend whether the images of a Pod may run. The backend sees the images, the namespace and the annotations
//! that are meant for it, and allows or denies them. This keeps out images that a scanner or a registry's owner has not
//! approved.
//!
//! # When it rejects
//!
//! When the backend denies, with the backend's reason. When the backend cannot be called or its answer is invalid,
//! unless `defaultAllow` is set.
//!
//! # Configuration
//!
//! A file with the key `imagePolicy`. Times are seconds, the backoff milliseconds; 0 is the default, -1 disables.
//!
//! ```yaml
//! imagePolicy:
//!   kubeConfigFile: /etc/kubernetes/images.kubeconfig
//!   allowTTL: 300
//!   denyTTL: 30
//!   retryBackoff: 500
//!   defaultAllow: false
//! ```
//!
//! # Cluster objects it reads
//!
//! None.
//!
//! # Offline
//!
//! The backend is not called unless `--webhooks` allows it: a note names it. Answers are kept for the whole run.
//!
//! # Since
//!
//! Before 1.10, off unless enabled.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/imagepolicy`

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::admission::{Attributes, Handler, Operation, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use crate::versioned::ServerFiles;
use crate::webhook::{self, Backend, Exchange, Webhooks};
use gotext::source::SourceFile;
use gotext::value::json;
use kube_api::{GroupVersionKind, Object, Status, StatusCause, StatusDetails, Value};

const PREFIX: &str = "imagepolicywebhook.image-policy.k8s.io/";

/// The number of attempts when the backend fails.
const STEPS: usize = 5;

pub(super) fn new(
    initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let given = configuration.ok_or_else(|| "no config specified".to_owned())?;
    Ok(Handler::validating(ImagePolicyWebhook {
        cluster: initializer.cluster.clone(),
        configuration: Configuration::load(&given.text, &initializer.files)?,
        webhooks: initializer.webhooks.clone(),
        answers: Mutex::default(),
    }))
}

struct ImagePolicyWebhook {
    cluster: Arc<Cluster>,
    configuration: Configuration,
    webhooks: Webhooks,
    /// Answers by the specification of their reviews.
    answers: Mutex<BTreeMap<String, Value>>,
}

struct Configuration {
    backend: Backend,
    keeps_allowed: bool,
    keeps_denied: bool,
    default_allow: bool,
}

impl ValidationInterface for ImagePolicyWebhook {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let result = self.review(attributes, recorder);
        webhook::note_secrets(&self.cluster, &attributes.namespace, &result, recorder);
        result
    }
}

impl ImagePolicyWebhook {
    fn review(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let is_reviewed = attributes.is_for("", "pods") && !attributes.has_sub_resource()
            || attributes.is_for_sub_resource("", "pods", "ephemeralcontainers");
        let writes = matches!(attributes.operation, Operation::Create | Operation::Update);
        let Some(pod) = attributes.object.as_deref().filter(|_| is_reviewed && writes) else { return Ok(()) };
        let client = match &self.webhooks {
            Webhooks::Ask(client) => client,
            Webhooks::Skip => {
                recorder.add_note(format!(
                    "the image policy backend {} would be called; see --webhooks",
                    self.configuration.backend.url
                ));
                return Ok(());
            }
        };
        let spec = spec(pod, attributes);
        let key = spec.to_string();
        let known = self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let status = match known {
            Some(status) => status,
            None => match self.ask(&**client, &spec) {
                Ok(status) => {
                    let is_allowed = status["allowed"] == true;
                    let Configuration { keeps_allowed, keeps_denied, .. } = self.configuration;
                    if if is_allowed { keeps_allowed } else { keeps_denied } {
                        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
                        answers.insert(key, status.clone());
                    }
                    status
                }
                Err(_) if self.configuration.default_allow => {
                    recorder.add_audit_annotation(format!("{PREFIX}failed-open"), "true");
                    let mut pod = pod.clone();
                    pod.set(["metadata", "annotations", "alpha.image-policy.k8s.io/failed-open"], "true");
                    recorder.replace_object(pod);
                    return Ok(());
                }
                // A refusal is not wrapped in another one.
                Err(failure) if failure.is_forbidden => {
                    let reason = "UnexpectedServerResponse".to_owned();
                    let cause =
                        StatusCause { reason, message: failure.text.clone(), ..StatusCause::default() };
                    let details = StatusDetails { causes: vec![cause], ..StatusDetails::default() };
                    return Err(Refusal::from(Status {
                        message: failure.text,
                        details: Some(details),
                        ..*attributes.new_forbidden("").status
                    }));
                }
                Err(failure) => return Err(attributes.new_forbidden(failure.text)),
            },
        };
        for (key, value) in status["auditAnnotations"].as_object().into_iter().flatten() {
            recorder.add_audit_annotation(format!("{PREFIX}{key}"), value.as_str().unwrap_or_default());
        }
        if status["allowed"] == true {
            return Ok(());
        }
        Err(attributes.new_forbidden(match status.text("reason") {
            "" => "one or more images rejected by webhook backend".to_owned(),
            reason => format!("image policy webhook backend denied one or more images: {reason}"),
        }))
    }
}

/// The reason that there is no answer of the backend.
struct Failure {
    text: String,
    is_forbidden: bool,
}

impl ImagePolicyWebhook {
    fn ask(&self, client: &dyn webhook::Client, spec: &Value) -> Result<Value, Failure> {
        let kind = GroupVersionKind::new("imagepolicy.k8s.io", "v1alpha1", "ImageReview");
        let body = json!({
            "kind": "ImageReview", "apiVersion": kind.api_version(), "metadata": {}, "spec": spec,
            "status": {"allowed": false},
        });
        let backend = &self.configuration.backend;
        let exchange = Exchange {
            webhook: "ImagePolicyWebhook",
            url: &backend.url,
            service: None,
            has_service: false,
            ca_bundle: &backend.ca_bundle,
            credentials: Some(&backend.credentials),
            timeout: None,
            body: &body,
        };
        let mut tries = 0;
        let reply = loop {
            tries += 1;
            match client.post(&exchange) {
                Ok(reply) if matches!(reply.status, 429 | 500) && tries < STEPS => {}
                Ok(reply) => break reply,
                Err(text) => return Err(Failure { text, is_forbidden: false }),
            }
        };
        let review = webhook::decode(&reply, &kind, None)
            .map_err(|text| Failure { text, is_forbidden: reply.status == 403 })?;
        Ok(review["status"].clone())
    }
}

fn spec(pod: &Object, attributes: &Attributes) -> Value {
    let lists: &[&str] = match &*attributes.sub_resource {
        "ephemeralcontainers" => &["ephemeralContainers"],
        _ => &["containers", "initContainers"],
    };
    let containers = lists.iter().flat_map(|list| pod.list(["spec", list]));
    let containers: Vec<Value> =
        containers.map(|container| json!({"image": container.text("image")})).collect();
    let annotations = kube_api::pairs(pod.at(["metadata", "annotations"]));
    let annotations: BTreeMap<&str, &str> =
        annotations.filter(|(key, _)| key.contains(".image-policy.k8s.io/")).collect();
    let mut spec = json!({});
    if !containers.is_empty() {
        spec["containers"] = containers.into();
    }
    if !annotations.is_empty() {
        spec["annotations"] = json!(annotations);
    }
    if !attributes.namespace.is_empty() {
        spec["namespace"] = attributes.namespace.as_str().into();
    }
    spec
}

impl Configuration {
    fn load(text: &str, files: &ServerFiles) -> Result<Self, FactoryError> {
        let document = kube_yaml::read_first(&SourceFile::new("", text))
            .map_err(|error| format!("error converting YAML to JSON: {error}"))?;
        let value = document.node.into_value();
        check_types(&value).map_err(|error| {
            // Only what begins like JSON is read as JSON first, and that is whose error counts.
            let is_json = text.trim_start().starts_with('{');
            if is_json { error } else { format!("error unmarshaling JSON: while decoding JSON: {error}") }
        })?;
        let policy = &value["imagePolicy"];
        let number = |field: &str| policy[field].as_i64().unwrap_or_default();
        let within = |given: Duration, is_negative: bool, least: Duration, most: Duration| {
            if !is_negative && given >= least && given <= most {
                return Ok(());
            }
            let shown =
                |span: Duration| gotext::duration::print(i64::try_from(span.as_nanos()).unwrap_or(i64::MAX));
            let sign = if is_negative { "-" } else { "" };
            Err(format!(
                "valid value is between {} and {}, got {sign}{}",
                shown(least),
                shown(most),
                shown(given)
            ))
        };
        let checked = |field: &str, unit: fn(u64) -> Duration, least, most| match number(field) {
            0 | -1 => Ok(()),
            given => within(unit(given.unsigned_abs()), given < 0, least, most),
        };
        let (second, half_hour) = (Duration::from_secs(1), Duration::from_secs(30 * 60));
        checked("retryBackoff", Duration::from_millis, Duration::from_nanos(1), Duration::from_secs(300))?;
        checked("allowTTL", Duration::from_secs, second, half_hour)?;
        checked("denyTTL", Duration::from_secs, second, half_hour)?;
        Ok(Self {
            backend: Backend::load(
                &match &policy["kubeConfigFile"] {
                    Value::Null => String::new(),
                    Value::String(path) => path.to_string(),
                    // A number or a flag is read as text.
                    other => other.to_string(),
                },
                files,
            )?,
            keeps_allowed: number("allowTTL") != -1,
            keeps_denied: number("denyTTL") != -1,
            default_allow: policy["defaultAllow"] == true,
        })
    }
}

/// The fields of the configuration.
pub(crate) const IMAGE_POLICY_FIELDS: [&str; 5] =
    ["allowTTL", "defaultAllow", "denyTTL", "kubeConfigFile", "retryBackoff"];

/// Checks the types of the fields of the configuration in the order of their names; the error is Go's.
fn check_types(value: &Value) -> Result<(), String> {
    const FIELDS: [(&str, &str); 5] = [
        ("allowTTL", "time.Duration"),
        ("defaultAllow", "bool"),
        ("denyTTL", "time.Duration"),
        ("kubeConfigFile", "string"),
        ("retryBackoff", "time.Duration"),
    ];
    let mistyped = |given: &Value, place: &str, wanted: &str| {
        let found = gotext::encoding_json::kind(given);
        Err(format!("json: cannot unmarshal {found} into Go {place} of type {wanted}"))
    };
    let policy = match value {
        Value::Null => return Ok(()),
        Value::Object(fields) => fields.get("imagePolicy").unwrap_or(&Value::Null),
        other => return mistyped(other, "value", "imagepolicy.AdmissionConfig"),
    };
    let fields = match policy {
        Value::Null => return Ok(()),
        Value::Object(fields) => fields,
        other => {
            let place = "struct field AdmissionConfig.imagePolicy";
            return mistyped(other, place, "imagepolicy.imagePolicyWebhookConfig");
        }
    };
    for (field, wanted) in FIELDS {
        let given = fields.get(field).unwrap_or(&Value::Null);
        let place = format!("struct field imagePolicyWebhookConfig.imagePolicy.{field}");
        match (wanted, given) {
            (_, Value::Null) | ("bool", Value::Bool(_)) => {}
            ("string", given) if !given.is_array() && !given.is_object() => {}
            ("time.Duration", Value::Number(number)) if number.as_i64().is_some() => {}
            ("time.Duration", Value::Number(number)) => {
                return Err(format!(
                    "json: cannot unmarshal number {number} into Go {place} of type {wanted}"
                ));
            }
            (wanted, given) => return mistyped(given, &place, wanted),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn rejects_fields_of_another_type() {
        let said = |value: Value| check_types(&value).unwrap_err();
        let field =
            "json: cannot unmarshal string into Go struct field imagePolicyWebhookConfig.imagePolicy.";
        assert_eq!(
            said(json!({"imagePolicy": {"kubeConfigFile": 5, "allowTTL": "50", "defaultAllow": "yes"}})),
            format!("{field}allowTTL of type time.Duration")
        );
        assert_eq!(
            said(json!({"imagePolicy": {"defaultAllow": "yes"}})),
            format!("{field}defaultAllow of type bool")
        );
        assert_eq!(
            said(json!({"imagePolicy": []})),
            "json: cannot unmarshal array into Go struct field AdmissionConfig.imagePolicy of type \
             imagepolicy.imagePolicyWebhookConfig"
        );
        assert_eq!(
            said(json!("text")),
            "json: cannot unmarshal string into Go value of type imagepolicy.AdmissionConfig"
        );
    }
}
