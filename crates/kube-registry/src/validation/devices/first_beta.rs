//! `v1beta1`, whose objects are flatter here and deeper there than the internal ones, which validation sees.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/resource/v1beta1`.

use std::borrow::Cow;

use crate::strategy::Context;
use kube_api::{Map, Object, Value};

/// Fields that have moved from a request into its `exactly`.
const EXACTLY: [&str; 7] =
    ["deviceClassName", "selectors", "allocationMode", "count", "adminAccess", "tolerations", "capacity"];

/// Returns a claim with the fields where the internal version has them.
pub(crate) fn claim<'a>(claim: &'a Object, _: &Context<'_>) -> Cow<'a, Object> {
    internal(claim, |value| change_items(value, "/spec/devices/requests", nest_request))
}

/// Returns a template of claims with the fields where the internal version has them.
pub(crate) fn claim_template<'a>(template: &'a Object, _: &Context<'_>) -> Cow<'a, Object> {
    internal(template, |value| change_items(value, "/spec/spec/devices/requests", nest_request))
}

/// Returns a slice with the fields where the internal version has them.
pub(crate) fn slice<'a>(slice: &'a Object, _: &Context<'_>) -> Cow<'a, Object> {
    internal(slice, |value| change_items(value, "/spec/devices", flatten_device))
}

pub(crate) fn internal(object: &Object, convert: impl FnOnce(&mut Value)) -> Cow<'_, Object> {
    if object.kind.version != "v1beta1" {
        return Cow::Borrowed(object);
    }
    let mut object = object.clone();
    convert(&mut object.value);
    Cow::Owned(object)
}

fn change_items(value: &mut Value, pointer: &str, change: impl Fn(&mut Map)) {
    let items = value.pointer_mut(pointer).and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut).for_each(change);
}

fn nest_request(request: &mut Map) {
    let mut exactly = Map::new();
    for field in EXACTLY {
        if let Some(value) =
            request.remove(field).filter(|value| !crate::validation::metadata::is_zero(value))
        {
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
