//! Templates of Pods that do not belong to a workload.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::defaults::pod;
use crate::gated::Gated;
use crate::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::validation::core::validate_meta;
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use crate::validation::pod::{Options, validate_pod_template_spec};
use crate::warnings::{self, Warnings};
use kube_api::server_profile::ServerProfile;
use kube_api::{Map, Object, Value};

/// The strategy of `PodTemplate`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "PodTemplate",
    resource: "podtemplates",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| set_defaults(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::PodSpec(&["template", "spec"])],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        validate_pod_template(errors, object, old, context.profile);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[],
};

fn warnings(object: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    if let Value::Object(map) = &object.value
        && old.is_none_or(|old| map.get("template") != old.at("template"))
    {
        warnings::template(map, "template", warnings);
    }
}

/// Sets the defaults of `PodTemplate`.
fn set_defaults(template: &mut Map) {
    pod::template(template);
}

/// Runs `ValidatePodTemplate`, and `ValidatePodTemplateUpdate` if there is an old object.
fn validate_pod_template(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let before = old.map(|old| old.child("template"));
    let options = Options::new(profile, before.as_ref());
    validate_pod_template_spec(errors, &object.child("template"), &options);
}
