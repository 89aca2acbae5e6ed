//! Earlier states of workloads.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apps`.

use crate::strategy::{Scope, Strategy};
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::encoding_json;
use kube_api::Value;

/// The strategy of `ControllerRevision`.
pub(crate) static STRATEGY: Strategy = Strategy {
    validate: Some(|errors, object, old, _| validate_controller_revision(errors, object, old)),
    ..Strategy::new("apps", "ControllerRevision")
};

/// Runs `validateControllerRevision`, and checks that its data is an object and does not change.
fn validate_controller_revision(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    }
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    errors.non_negative(object, "revision");
    match old {
        None if !object.has("data") => errors.required(&object.at("data"), "data is mandatory"),
        None if errors.since(31) && !object.raw("data").is_object() => {
            errors.required(&object.at("data"), "data must be a valid JSON object");
        }
        Some(old) if old.raw("data") != object.raw("data") => {
            let (path, data) = (object.at("data"), object.raw("data"));
            if errors.since(34) {
                errors.invalid_value(&path, data, IMMUTABLE);
            } else {
                let printed = if errors.since(31) { raw(data) } else { unknown(data) };
                errors.invalid_printed(&path, printed, IMMUTABLE);
            }
        }
        _ => {}
    }
}

/// Returns data that the server does not decode as Go prints it.
fn raw(data: &Value) -> String {
    format!("runtime.RawExtension{{Raw:{}, Object:runtime.Object(nil)}}", bytes_of(data))
}

/// Returns the same as releases before 1.31 have it.
fn unknown(data: &Value) -> String {
    format!(
        "runtime.Unknown{{TypeMeta:runtime.TypeMeta{{APIVersion:\"\", Kind:\"\"}}, Raw:{}, ContentEncoding:\"\", \
         ContentType:\"application/json\"}}",
        bytes_of(data)
    )
}

fn bytes_of(data: &Value) -> String {
    let bytes: Vec<_> = encoding_json::to_string(data).bytes().map(|byte| format!("{byte:#x}")).collect();
    format!("[]uint8{{{}}}", bytes.join(", "))
}
