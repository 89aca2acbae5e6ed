//! Replication controllers, which Deployments replace.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::defaults::pod;
use crate::defaults::workload::labels_of_template;
use crate::gated::Gated;
use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Strategy, SubResource};
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{generated_name_is_dns_subdomain, name_is_dns_subdomain};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::validate_pod_template_spec;
use crate::validation::workload;
use crate::validation::workload::{NO_MATCH, template_options, validate_always_running, validate_meta};
use crate::warnings::{self, Warnings};
use kube_api::field::{Error, Path};
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, set_if_absent, set_if_zero};
use kube_api::version::Version;
use kube_api::{Map, Object, Value};

/// The strategy of `ReplicationController`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    gated: &[Gated::PodSpec(&["spec", "template", "spec"])],
    validate: Some(|errors, object, old, context| {
        validate_replication_controller(errors, object, old, context.profile);
        if let Some(old) = old {
            validate_non_convertible(errors, object, old);
        }
    }),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec),
        validate_update: Some(|errors, object, old, _| {
            workload::validate_replica_status(errors, object, old, "ReplicationController");
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("", "ReplicationController")
};

fn warnings(controller: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    if old.is_none() {
        warnings::dns_label_recommended(controller, "Pod names and hostnames", warnings);
    }
    // The server passes the two in the wrong order here.
    let looked_at = old.unwrap_or(controller);
    if let Some(Value::Object(spec)) = looked_at.at("spec")
        && old.is_none_or(|old| old.at("spec") != controller.at("spec"))
    {
        let path = if old.is_some() || warnings.since(27) { "spec.template" } else { "template" };
        warnings::template(spec, path, warnings);
    }
}

/// Takes selector and labels from its template.
fn set_defaults(controller: &mut Map) {
    let labels = labels_of_template(controller);
    let spec = child_or_insert(controller, "spec");
    if let Some(labels) = labels {
        set_if_zero(spec, "selector", labels.clone());
        set_if_zero(child_or_insert(controller, "metadata"), "labels", labels);
    }
    let spec = child_or_insert(controller, "spec");
    set_if_absent(spec, "replicas", 1);
    if spec.has("template") {
        pod::template(spec);
    }
}

/// The first release that checks the generated name instead of what it begins with.
const CHECKS_GENERATED_NAMES: Version = Version::minor(35);

/// Runs `ValidateReplicationController`, and its update if there is an old object.
fn validate_replication_controller(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    let is_name = if profile.release() < CHECKS_GENERATED_NAMES {
        name_is_dns_subdomain
    } else {
        generated_name_is_dns_subdomain
    };
    validate_meta(errors, object, old, is_name);
    let options = template_options(old, profile);
    let spec = object.child("spec");
    errors.non_negative(&spec, "minReadySeconds");
    if spec.len("selector") == 0 {
        errors.required(&spec.at("selector"), "");
    }
    if spec.has("replicas") {
        errors.non_negative(&spec, "replicas");
    } else {
        errors.required(&spec.at("replicas"), "");
    }
    let Some(template) = spec.get("template") else {
        errors.required(&spec.at("template"), "");
        return;
    };
    let labels = template.child("metadata").raw("labels");
    if !spec.entries("selector").all(|(key, value)| labels.get(key) == Some(value)) {
        errors.invalid_value(&template.below(&["metadata", "labels"]), labels, NO_MATCH);
    }
    validate_pod_template_spec(errors, &template, &options);
    validate_always_running(errors, &template, "ReplicationController");
}

/// Checks what an older version could not express, which annotations of the old object name.
///
/// Source: `rcStrategy.ValidateUpdate`
fn validate_non_convertible(errors: &mut Errors, object: &Node, old: &Node) {
    const PREFIX: &str = "non-convertible.kubernetes.io";
    for (key, value) in old.child("metadata").pairs("annotations").filter(|(key, _)| key.starts_with(PREFIX))
    {
        let mut parts = key.split('/').skip(1);
        let (Some(field), None) = (parts.next(), parts.next()) else { continue };
        let [now, then] = [object, old].map(|controller| controller.child("spec").raw("selector"));
        if !field.contains("selector") {
            let mut error = Error::not_found(&Path::named(field.to_owned()), &Value::from(value));
            "unknown non-convertible field".clone_into(&mut error.detail);
            errors.push(error);
        } else if !plainly_equal(now, then) {
            let detail = "cannot update non-convertible selector";
            errors.invalid_value(&object.child("spec").at("selector"), now, detail);
        }
    }
}
