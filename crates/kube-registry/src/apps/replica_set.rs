//! Sets of equal Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apps`.

use crate::apps::TERMINATING_REPLICAS;
use crate::defaults::pod;
use crate::gated::Gated;
use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Strategy, SubResource};
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use crate::validation::workload;
use crate::validation::workload::{
    template_options, validate_immutable_selector, validate_meta, validate_replica_selector_and_template,
};
use crate::warnings;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, set_if_absent};
use kube_api::{Map, Object, Value};

/// The strategy of `ReplicaSet`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    gated: &[Gated::PodSpec(&["spec", "template", "spec"]), Gated::Below(&[], TERMINATING_REPLICAS)],
    validate: Some(|errors, object, old, context| {
        validate_replica_set(errors, object, old, context.profile);
    }),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec),
        validate_update: Some(|errors, object, old, _| {
            workload::validate_replica_status(errors, object, old, "ReplicaSet");
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("apps", "ReplicaSet")
};

pub(crate) fn warnings(set: &Object, old: Option<&Object>, _: &ServerProfile) -> Vec<String> {
    let mut warnings = Vec::new();
    if old.is_none() {
        warnings::dns_label_recommended(set, "Pod names and hostnames", &mut warnings);
    }
    if let Some(Value::Object(spec)) = set.at("spec")
        && old.is_none_or(|old| set.at("spec") != old.at("spec"))
    {
        warnings::template(spec, "spec.template", &mut warnings);
    }
    warnings
}

/// Sets the defaults of `ReplicaSet`.
fn set_defaults(replica_set: &mut Map) {
    let spec = child_or_insert(replica_set, "spec");
    set_if_absent(spec, "replicas", 1);
    pod::template(spec);
}

/// Runs `ValidateReplicaSet`, and `ValidateReplicaSetUpdate` if there is an old object.
fn validate_replica_set(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_meta(errors, object, old, name_is_dns_subdomain);
    let options = template_options(old, profile);
    let spec = object.child("spec");
    errors.non_negative(&spec, "replicas");
    errors.non_negative(&spec, "minReadySeconds");
    validate_replica_selector_and_template(errors, &spec, &options);
    validate_immutable_selector(errors, &spec, old);
}
