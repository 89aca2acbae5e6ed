//! Refuses pods that choose a user, a group or SELinux options, so that those of the node apply. It was meant for
//! clusters without another policy, and ignores all fields that came after it: privileged pods, for example, pass.
//!
//! # When it rejects
//!
//! - The pod has supplemental groups, SELinux options, a user or a file system group.
//! - An init container or a container has SELinux options or a user.
//!
//! # Cluster objects it reads
//!
//! None.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! Before 1.10, until 1.29; off unless enabled. From 1.27 on a server with it enabled does not start without its
//! feature gate.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/securitycontext/scdeny`

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use kube_api::Object;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::version::Version;
use kube_registry::pod::{ContainerType, PodTemplate};

/// The first release in which the plugin needs its gate.
const GATED: Version = Version::minor(27);

pub(in crate::plugin) fn new(
    initializer: &PluginInitializer,
    _: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    if initializer.profile.release() >= GATED && !initializer.profile.enabled(Feature::SecurityContextDeny) {
        let error = "SecurityContextDeny admission controller is an alpha feature, planned to be removed, and requires \
                     the SecurityContextDeny feature gate to be enabled, see \
                     https://k8s.io/docs/reference/access-authn-authz/admission-controllers/#securitycontextdeny for \
                     more information";
        return Err(FactoryError::Configuration(error.to_owned()));
    }
    Ok(Handler::validating(SecurityContextDeny))
}

struct SecurityContextDeny;

impl ValidationInterface for SecurityContextDeny {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") {
            return Ok(());
        }
        let Some(pod) = attributes.object.as_deref() else { return Ok(()) };
        match why_not(pod) {
            Some((path, reason)) => Err(attributes.new_forbidden(format!("{reason} is forbidden")).at(path)),
            None => Ok(()),
        }
    }
}

/// Returns the first field that a pod may not have, and its name in the message.
fn why_not(pod: &Object) -> Option<(Path, String)> {
    const OF_POD: [(&str, &str); 4] = [
        ("supplementalGroups", "SupplementalGroups"),
        ("seLinuxOptions", "SELinuxOptions"),
        ("runAsUser", "RunAsUser"),
        ("fsGroup", "FSGroup"),
    ];
    const OF_CONTAINER: [(&str, &str); 2] =
        [("seLinuxOptions", "SELinuxOptions"), ("runAsUser", "RunAsUser")];
    for (field, name) in OF_POD {
        let fields = ["spec", "securityContext", field];
        // A list that was given empty counts, too.
        if pod.at(fields).is_some() || pod.was_given_empty(&fields) {
            let path = Path::new("spec").child("securityContext").child(field);
            return Some((path, format!("pod.Spec.SecurityContext.{name}")));
        }
    }
    let template = PodTemplate::of(pod)?;
    let containers =
        [ContainerType::Init, ContainerType::Main].into_iter().flat_map(|list| template.containers_of(list));
    for container in containers {
        for (field, name) in OF_CONTAINER {
            if container.at(["securityContext", field]).is_some() {
                let path = container.path().child("securityContext").child(field);
                return Some((path, format!("SecurityContext.{name}")));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, pod};
    use gotext::value::json;
    use kube_api::Value;

    fn refused(spec: Value) -> Option<String> {
        let bench = Bench::of_release("SecurityContextDeny", Version::minor(20), []);
        let refusal = bench.validate(&create(pod(spec))).err()?;
        Some(refusal.status.message.strip_prefix("pods \"web\" is forbidden: ").unwrap().to_owned())
    }

    #[test]
    fn rejects_the_first_field_of_all() {
        let user = json!({"runAsUser": 0, "fsGroup": 1});
        assert_eq!(
            refused(json!({"securityContext": user})).unwrap(),
            "pod.Spec.SecurityContext.RunAsUser is forbidden"
        );
        let containers = json!([{"name": "a", "securityContext": {"runAsUser": 1, "seLinuxOptions": {}}}]);
        assert_eq!(
            refused(json!({"containers": containers})).unwrap(),
            "SecurityContext.SELinuxOptions is forbidden"
        );
    }

    #[test]
    fn admits_other_fields() {
        let containers = json!([{"name": "a", "securityContext": {"privileged": true, "runAsGroup": 1}}]);
        assert_eq!(refused(json!({"hostNetwork": true, "containers": containers})), None);
    }

    #[test]
    fn wants_its_gate_since_1_27() {
        let initializer = crate::plugin::testing::initializer([]);
        let built = |minor| {
            let initializer = PluginInitializer {
                profile: crate::plugin::testing::profile_of(Version::minor(minor)),
                ..initializer.clone()
            };
            new(&initializer, None).is_ok()
        };
        assert!(built(26) && !built(27));
    }
}
