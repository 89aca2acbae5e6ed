//! Sets the pull policy of every container and image volume of a pod to `Always`, so that the kubelet asks the
//! registry, with the pod's credentials, each time it starts one. Without it, a private image that another user's pod
//! pulled onto a node can be run there by anyone who knows its name. Updates of pods without a new image change
//! nothing.
//!
//! # When it rejects
//!
//! When a container or image volume has another policy in the validating phase, which only a webhook can cause.
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
//! Before 1.10, off unless enabled. Updates without new images are exempt since 1.21; image volumes count since 1.33.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/alwayspullimages`

use std::collections::BTreeSet;

use gotext::value::json;

use crate::admission::{
    Attributes, Handler, MutationInterface, Operation, Recorder, Refusal, ValidationInterface,
};
use crate::plugin::PluginInitializer;
use kube_api::field::{self, Path};
use kube_api::version::Version;
use kube_api::{Object, Status, Value};
use kube_registry::pod::{Container, PodTemplate};

const ALWAYS: &str = "Always";

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let exempts_old_images = initializer.profile.release() >= EXEMPT;
    Handler::both(AlwaysPullImages { exempts_old_images })
}

/// The first release that exempts updates without new images.
const EXEMPT: Version = Version::minor(21);

struct AlwaysPullImages {
    exempts_old_images: bool,
}

impl MutationInterface for AlwaysPullImages {
    fn admit(&self, attributes: &mut Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        let Some(pod) = pod_to_check(attributes, self.exempts_old_images) else { return Ok(()) };
        if pull_policies(pod).any(|(_, policy)| policy != ALWAYS)
            && let Some(object) = attributes.object_mut()
        {
            set_pull_policies(object);
        }
        Ok(())
    }
}

impl ValidationInterface for AlwaysPullImages {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        let Some(pod) = pod_to_check(attributes, self.exempts_old_images) else { return Ok(()) };
        let (paths, messages): (Vec<_>, Vec<_>) = pull_policies(pod)
            .filter(|(_, policy)| *policy != ALWAYS)
            .map(|(path, policy)| {
                let error = field::Error::not_supported(&path, &json!(policy), &[ALWAYS]);
                (path, attributes.new_forbidden(error).status.message)
            })
            .unzip();
        if messages.is_empty() {
            return Ok(());
        }
        // Upstream returns several errors as one without a status.
        Err(Refusal::from(Status::from_error(field::aggregate(&messages))).at_all(paths))
    }
}

fn pod_to_check(attributes: &Attributes, exempts_old_images: bool) -> Option<PodTemplate<'_>> {
    if !attributes.is_for("", "pods") {
        return None;
    }
    let pod = PodTemplate::of(attributes.object.as_deref()?)?;
    if exempts_old_images
        && attributes.operation == Operation::Update
        && let Some(old) = attributes.old_object.as_deref().and_then(PodTemplate::of)
    {
        let old_images: BTreeSet<_> = old.containers().map(|container| container.image()).collect();
        let has_new_image = pod.containers().any(|container| !old_images.contains(container.image()));
        return has_new_image.then_some(pod);
    }
    Some(pod)
}

/// Returns every pull policy with its path: of the containers, then of the image volumes (KEP-4639).
fn pull_policies(pod: PodTemplate<'_>) -> impl Iterator<Item = (Path, &str)> {
    let containers = pod.containers().map(|container: Container| {
        (container.path().child("imagePullPolicy"), container.text("imagePullPolicy"))
    });
    let volumes = pod.list("volumes").iter().enumerate().filter_map(move |(index, volume)| {
        let policy = volume.at("image")?.text("pullPolicy");
        Some((pod.spec_path().child("volumes").index(index).child("image").child("pullPolicy"), policy))
    });
    containers.chain(volumes)
}

fn set_pull_policies(pod: &mut Object) {
    for field in ["initContainers", "containers", "ephemeralContainers"] {
        for container in items_mut(pod, field) {
            set(container, "imagePullPolicy");
        }
    }
    for volume in items_mut(pod, "volumes") {
        if let Some(image) = volume.get_mut("image") {
            set(image, "pullPolicy");
        }
    }
}

fn items_mut<'a>(pod: &'a mut Object, field: &str) -> impl Iterator<Item = &'a mut Value> {
    pod.at_mut(["spec", field]).and_then(Value::as_array_mut).into_iter().flatten()
}

fn set(value: &mut Value, field: &str) {
    if let Some(map) = value.as_object_mut() {
        map.insert(field.to_owned(), ALWAYS.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, pod, update};

    fn web(image: &str, policy: &str) -> Value {
        pod(json!({"containers": [{"name": "web", "image": image, "imagePullPolicy": policy}]}))
    }

    #[test]
    fn admits_pods_with_every_policy_set() {
        let object = pod(json!({
            "initContainers": [{"name": "a", "image": "a:1", "imagePullPolicy": "Never"}],
            "containers": [{"name": "b", "image": "b:1", "imagePullPolicy": "IfNotPresent"}],
            "ephemeralContainers": [{"name": "c", "image": "c:1"}],
            "volumes": [{"name": "d", "image": {"reference": "d:1", "pullPolicy": "Never"}}, {"name": "e", "emptyDir": {}}],
        }));
        let admitted = Bench::new("AlwaysPullImages", []).admitted(create(object));
        assert_eq!(
            admitted["spec"],
            json!({
                "initContainers": [{"name": "a", "image": "a:1", "imagePullPolicy": "Always"}],
                "containers": [{"name": "b", "image": "b:1", "imagePullPolicy": "Always"}],
                "ephemeralContainers": [{"name": "c", "image": "c:1", "imagePullPolicy": "Always"}],
                "volumes": [{"name": "d", "image": {"reference": "d:1", "pullPolicy": "Always"}}, {"name": "e", "emptyDir": {}}],
            })
        );
    }

    #[test]
    fn admits_an_update_with_a_new_image_with_the_policy_set() {
        let bench = Bench::new("AlwaysPullImages", []);
        let admitted = bench.admitted(update(web("web:1", "Never"), web("web:2", "Never")));
        assert_eq!(admitted, web("web:2", "Always"));
    }

    #[test]
    fn ignores_what_needs_no_change() {
        let bench = Bench::new("AlwaysPullImages", []);
        assert!(bench.leaves_alone(create(web("web:1", "Always"))));
        let without_new_image = update(web("web:1", "Never"), web("web:1", "Never"));
        assert!(bench.leaves_alone(without_new_image.clone()));
        assert_eq!(bench.validate(&without_new_image), Ok(()));
        let mut ephemeral = create(web("web:1", "Never"));
        ephemeral.sub_resource = "ephemeralcontainers".into();
        assert!(bench.leaves_alone(ephemeral));
    }

    #[test]
    fn admits_updates_without_new_images_with_the_policy_set_before_1_21() {
        let bench = Bench::of_release("AlwaysPullImages", Version::minor(20), []);
        assert_eq!(
            bench.admitted(update(web("web:1", "Never"), web("web:1", "Never"))),
            web("web:1", "Always")
        );
    }

    #[test]
    fn rejects_policies_that_were_set_back() {
        let bench = Bench::new("AlwaysPullImages", []);
        let refusal = bench.validate(&create(web("web:1", "Never"))).unwrap_err();
        assert_eq!(
            *refusal.status,
            Status::from_error(
                "pods \"web\" is forbidden: spec.containers[0].imagePullPolicy: \
                 Unsupported value: \"Never\": supported values: \"Always\""
            )
        );
        let both = pod(json!({
            "containers": [{"name": "web", "imagePullPolicy": "Never"}],
            "volumes": [{"name": "model", "image": {"pullPolicy": "IfNotPresent"}}],
        }));
        let refusal = bench.validate(&create(both)).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "[pods \"web\" is forbidden: spec.containers[0].imagePullPolicy: \
             Unsupported value: \"Never\": supported values: \"Always\", \
             pods \"web\" is forbidden: spec.volumes[0].image.pullPolicy: \
             Unsupported value: \"IfNotPresent\": supported values: \"Always\"]"
        );
        assert_eq!(refusal.fields[1].to_string(), "spec.volumes[0].image.pullPolicy");
    }
}
