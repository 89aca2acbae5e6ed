//! Converts built-in objects to another version of their resource, or to the other group that serves it.
//!
//! Most versions of a kind agree in the fields that they share; those that do not are listed here.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/{autoscaling,core}/…/conversion.go`.

use crate::autoscaling::horizontal_pod_autoscaler::conversion as autoscaler;
use crate::events::event;
use kube_api::decode;
use kube_api::kinds::GroupKind;
use kube_api::{GroupVersionKind, Object, Value};

const AUTOSCALER: GroupKind<'static> = GroupKind { group: "autoscaling", kind: "HorizontalPodAutoscaler" };

/// Converts `object` to `kind`; `None` if no server converts it.
pub fn convert(object: &Object, kind: &GroupVersionKind) -> Option<Object> {
    if object.kind.kind != kind.kind {
        return None;
    }
    let mut value = object.value.clone();
    let map = value.as_object_mut()?;
    if kind.is(AUTOSCALER) {
        match (&*object.kind.version, &*kind.version) {
            ("v1", _) => autoscaler::from_v1(map),
            (_, "v1") => autoscaler::to_v1(map),
            _ => {}
        }
    } else if kind.kind == "Event" && object.kind.group != kind.group {
        event::convert(map, kind.group.is_empty());
    }
    map.insert("apiVersion".to_owned(), Value::from(kind.api_version()));
    let mut converted = Object::new(kind.clone(), value);
    decode::normalize(&mut converted);
    Some(converted)
}
