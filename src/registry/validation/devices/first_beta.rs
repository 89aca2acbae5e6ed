//! `v1beta1`, whose objects are flatter here and deeper there than the internal ones, which validation sees.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/resource/v1beta1`.

use std::borrow::Cow;

use crate::api::{Map, Object, Value};

/// Fields that have moved from a request into what it asks for exactly.
const EXACTLY: [&str; 7] =
    ["deviceClassName", "selectors", "allocationMode", "count", "adminAccess", "tolerations", "capacity"];

/// The object with the fields where the internal version has them.
pub(super) fn internal(object: &Object) -> Cow<'_, Value> {
    if object.kind.version != "v1beta1" {
        return Cow::Borrowed(&object.value);
    }
    let mut value = object.value.clone();
    let (requests, devices) = match &*object.kind.kind {
        "ResourceClaim" => ("/spec/devices/requests", ""),
        "ResourceClaimTemplate" => ("/spec/spec/devices/requests", ""),
        "ResourceSlice" => ("", "/spec/devices"),
        _ => return Cow::Owned(value),
    };
    change_items(&mut value, requests, nest_request);
    change_items(&mut value, devices, flatten_device);
    Cow::Owned(value)
}

fn change_items(value: &mut Value, pointer: &str, change: impl Fn(&mut Map)) {
    let items = value.pointer_mut(pointer).and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut).for_each(change);
}

fn nest_request(request: &mut Map) {
    let mut exactly = Map::new();
    for field in EXACTLY {
        if let Some(value) = request.remove(field).filter(|value| !super::super::metadata::is_zero(value)) {
            exactly.insert(field.to_owned(), value);
        }
    }
    if !exactly.is_empty() {
        request.insert("exactly".to_owned(), exactly.into());
    }
}

fn flatten_device(device: &mut Map) {
    if let Some(Value::Object(basic)) = device.remove("basic") {
        device.extend(basic);
    }
}
