//! Converts objects of versions that are gone to current versions, and back, and those of both groups of events.
//!
//! Most have the same fields; those that do not are listed here. On the way back only what an update compares is
//! converted.

use crate::autoscaling::horizontal_pod_autoscaler::conversion as autoscaler;
use crate::events::event;
use crate::older_releases::shape;
use kube_api::{GroupVersionKind, Object, Value, decode, schema};

/// Converts `object` to `kind`.
pub(crate) fn convert(object: &Object, kind: &GroupVersionKind) -> Object {
    let mut value = object.value.clone();
    schema::forget(&mut value);
    if let Some(map) = value.as_object_mut() {
        let (from, to) = (&object.kind, kind);
        let (is_extension, to_extension) = (from.group == "extensions", to.group == "extensions");
        match (&*from.kind, &*from.version, &*to.version) {
            ("DaemonSet", ..) if is_extension != to_extension => {
                shape::template_generation(map, to_extension);
            }
            ("Deployment", ..) if to.version == "v1" => shape::rollback_to_annotation(map),
            ("Ingress", "v1beta1", "v1") => shape::ingress_to_v1(map),
            ("Ingress", "v1", "v1beta1") => shape::ingress_from_v1(map),
            ("HorizontalPodAutoscaler", "v2beta1", "v2") => autoscaler::from_v2beta1(map),
            ("HorizontalPodAutoscaler", "v2", "v2beta1") => autoscaler::to_v2beta1(map),
            ("Event", ..) if from.group != to.group => event::convert(map, to.group.is_empty()),
            ("RuntimeClass", "v1alpha1", _) => shape::flatten_runtime_class(map),
            ("CustomResourceDefinition", "v1beta1", "v1") => shape::definition_to_v1(map),
            ("EndpointSlice", _, "v1") => shape::endpoints_to_v1(map),
            ("RoleBinding" | "ClusterRoleBinding", "v1alpha1", _) => shape::subjects_to_v1(map),
            ("PriorityLevelConfiguration", "v1alpha1" | "v1beta1" | "v1beta2", "v1") => {
                shape::rename_shares(map, false);
            }
            ("PriorityLevelConfiguration", "v1", "v1alpha1" | "v1beta1" | "v1beta2") => {
                shape::rename_shares(map, true);
            }
            _ => {}
        }
        map.insert("apiVersion", Value::from(kind.api_version()));
    }
    let mut converted = Object::new(kind.clone(), value);
    decode::normalize(&mut converted);
    converted
}
