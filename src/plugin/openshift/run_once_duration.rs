//! Limits the run time of pods that are not restarted, such as those of Jobs and builds: `spec.activeDeadlineSeconds`
//! is capped at the limit of the namespace or of the configuration, so that a hanging job does not keep its resources
//! forever.
//!
//! # When it rejects
//!
//! - The annotation of the namespace is not a number.
//!
//! # Configuration
//!
//! ```yaml
//! apiVersion: autoscaling.openshift.io/v1
//! kind: RunOnceDurationConfig
//! activeDeadlineSecondsOverride: 3600
//! ```
//!
//! # Cluster objects it reads
//!
//! The Namespace of the pod.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 3.2; without a configuration it does nothing.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/autoscaling/runonceduration`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::plugin::openshift::configuration;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use gotext::quote;
use kube_api::Value;

const ANNOTATION: &str = "openshift.io/active-deadline-seconds-override";

pub(super) fn new(
    initializer: &PluginInitializer,
    given: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let kind = ("autoscaling.openshift.io", "RunOnceDurationConfig");
    let given = configuration::read(initializer, given, kind)?;
    let Some(given) = given else { return Ok(Handler::default()) };
    let seconds = given.get("activeDeadlineSecondsOverride").and_then(Value::as_i64);
    if let Some(seconds) = seconds.filter(|seconds| *seconds <= 0) {
        return Err(FactoryError::Configuration(format!(
            "activeDeadlineSecondsOverride: Invalid value: {seconds}: must be greater than 0"
        )));
    }
    Ok(Handler::mutating(RunOnceDuration { cluster: initializer.cluster.clone(), seconds }))
}

struct RunOnceDuration {
    cluster: Arc<Cluster>,
    seconds: Option<i64>,
}

impl MutationInterface for RunOnceDuration {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") {
            return Ok(());
        }
        let Some(pod) = attributes.object.as_deref() else { return Ok(()) };
        if !["Never", "OnFailure"].contains(&pod.text(["spec", "restartPolicy"])) {
            return Ok(());
        }
        let Some(limit) = self.namespace_limit(attributes)?.or(self.seconds) else { return Ok(()) };
        let given = pod.at(["spec", "activeDeadlineSeconds"]).and_then(Value::as_i64);
        if given.is_none_or(|given| limit < given)
            && let Some(pod) = attributes.object_mut()
        {
            pod.set(["spec", "activeDeadlineSeconds"], limit);
        }
        Ok(())
    }
}

impl RunOnceDuration {
    /// Returns the limit of the namespace, which overrides the configuration.
    fn namespace_limit(&self, attributes: &Attributes) -> Result<Option<i64>, Refusal> {
        let name = &attributes.namespace;
        let Some(namespace) = self.cluster.namespace(name) else {
            let error = format!("error looking up pod namespace: namespace {} not found", quote(name));
            return Err(attributes.new_forbidden(error));
        };
        let Some(text) = namespace.annotation(ANNOTATION) else { return Ok(None) };
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().map(Some).map_err(|_| {
            let why = if is_number { "value out of range" } else { "invalid syntax" };
            attributes.new_forbidden(format!(
                "cannot parse the ActiveDeadlineSeconds limit ({text}) for project {name}: strconv.ParseInt: parsing {}: \
                 {why}",
                quote(text)
            ))
        })
    }
}
