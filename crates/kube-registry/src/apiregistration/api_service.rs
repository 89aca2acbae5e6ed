//! Servers of other APIs.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apiregistration`.

use crate::preparation::copy_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::core::decoded_length;
use crate::validation::metadata;
use crate::validation::metadata::{validate_kube_finalizers, validate_names_by, validate_object_meta_common};
use crate::validation::node::{Errors, Node};
use gotext::names;
use gotext::quote;
use gotext::value::json;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, copy, set_if_absent};
use kube_api::{Map, Object, Value};

/// The strategy of `APIService`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    prepared_times: Some(set_available),
    validate: Some(|errors, object, _, _| validate_api_service(errors, object)),
    sub_resources: &[SubResource {
        prepare_for_update: Some(|service, old, _| {
            copy(service, old, "spec");
            copy_metadata(service, old, &["labels", "annotations", "finalizers", "ownerReferences"]);
        }),
        validate_update: Some(|errors, object, old, _| {
            metadata::validate_object_meta_update(errors, object, old);
            validate_api_service_status(errors, object);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("apiregistration.k8s.io", "APIService")
};

/// Sets the defaults of `APIService`.
fn set_defaults(service: &mut Map) {
    if let Some(reference) = child_mut(service, ["spec", "service"]) {
        set_if_absent(reference, "port", 443);
    }
}

/// Marks a new API that this server itself serves as available.
fn set_available(service: &mut Map, old: Option<&Object>, now: &str, _: &ServerProfile) {
    if old.is_none() && child_mut(service, ["spec", "service"]).is_none() {
        let condition = json!({
            "type": "Available",
            "status": "True",
            "lastTransitionTime": now,
            "reason": "Local",
            "message": "Local APIServices are always available",
        });
        service.insert("status", json!({"conditions": [condition]}));
    }
}

/// Implements `ValidateAPIService`.
fn validate_api_service(errors: &mut Errors, object: &Node) {
    let (metadata, spec) = (object.child("metadata"), object.child("spec"));
    let (group, version) = (spec.text("group"), spec.text("version"));
    let expected = format!("{version}.{group}");
    let rule = |name: &str, _: bool| {
        let mut messages = names::is_path_segment_name(name);
        if messages.is_empty() && name != expected {
            messages.push(format!("must be `spec.version+\".\"+spec.group`: {}", quote(&expected)));
        }
        messages
    };
    validate_names_by(errors, &metadata, rule);
    validate_object_meta_common(errors, &metadata, Scope::Cluster);
    validate_kube_finalizers(errors, &metadata);

    if group.is_empty() && version != "v1" {
        let detail = "only v1 may have an empty group and it better be legacy kube";
        errors.required(&spec.at("group"), detail);
    }
    if !group.is_empty() {
        errors.each_of(&spec, "group", names::is_dns1123_subdomain(group));
    }
    errors.each_of(&spec, "version", names::is_dns1035_label(version));
    for (field, most) in [("groupPriorityMinimum", 20_000), ("versionPriority", 1000)] {
        let priority = spec.int(field);
        if !(1..=most).contains(&priority) {
            let detail = format!("must be positive and less than {most}");
            errors.invalid_int(&spec.at(field), priority, detail);
        }
    }
    let bundle = decoded_length(spec.raw("caBundle"));
    let insecure = spec.flag("insecureSkipTLSVerify");
    let Some(service) = spec.get("service") else {
        if bundle > 0 {
            let detail = "local APIServices may not have a caBundle";
            errors.invalid(&spec.at("caBundle"), &format!("{bundle} bytes"), detail);
        }
        if insecure {
            let detail = "local APIServices may not have insecureSkipTLSVerify";
            errors.invalid_value(&spec.at("insecureSkipTLSVerify"), &Value::Bool(true), detail);
        }
        return;
    };
    errors.require_text(&service, "namespace");
    errors.require_text(&service, "name");
    let messages = names::is_valid_port_num(service.int("port"));
    if !messages.is_empty() {
        let detail = format!("port is not valid: {}", messages.join(", "));
        errors.invalid_int(&service.at("port"), service.int("port"), detail);
    }
    if insecure && bundle > 0 {
        let detail = "may not be true if caBundle is present";
        errors.invalid_value(&spec.at("insecureSkipTLSVerify"), &Value::Bool(true), detail);
    }
}

/// Implements `ValidateAPIServiceStatus`.
fn validate_api_service_status(errors: &mut Errors, object: &Node) {
    for condition in object.child("status").items("conditions") {
        errors.one_of(&condition, "status", &["True", "False", "Unknown"]);
    }
}
