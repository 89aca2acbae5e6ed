//! The operators of a cluster: `operator.openshift.io`.
//!
//! Source: `customresourcevalidation/{dns,kubecontrollermanager}`.

use crate::openshift::facts::ClusterFacts;
use crate::openshift::validator::{Validator, name_is_cluster};
use crate::validation::metadata::validate_labels;
use crate::validation::node::{Errors, Node};
use crate::validation::validate_tolerations;

/// Validates `DNS`.
pub static DNS: Validator = Validator {
    validate: validate_dns,
    ..Validator::new("operator.openshift.io", "DNS", "openshift/operator/v1.DNS")
};

/// Validates `KubeControllerManager`.
pub static KUBE_CONTROLLER_MANAGER: Validator = Validator {
    name: name_is_cluster,
    validate: |errors, object, old, _| {
        let is_on = |object: &Node| object.child("spec").flag("useMoreSecureServiceCA");
        if old.is_some_and(is_on) && !is_on(object) {
            let detail = "once enabled, the more secure service-ca.crt cannot be disabled";
            errors.forbidden(&object.child("spec").at("useMoreSecureServiceCA"), detail);
        }
    },
    ..Validator::new(
        "operator.openshift.io",
        "KubeControllerManager",
        "openshift/operator/v1.KubeControllerManager",
    )
};

fn validate_dns(errors: &mut Errors, object: &Node, old: Option<&Node>, _: &ClusterFacts) {
    let spec = object.child("spec");
    let placement = spec.child("nodePlacement");
    validate_labels(errors, &placement, "nodeSelector");
    let tolerations = validate_tolerations(placement.list("tolerations"), &placement.at("tolerations"));
    errors.0.extend(tolerations);
    let resolvers = spec.child("upstreamResolvers");
    let old_spec = old.map(|old| old.child("spec"));
    let transport = resolvers.child("transportConfig");
    let is_known = ["", "Cleartext", "TLS"].contains(&transport.text("transport"));
    let differs = old_spec.as_ref().is_none_or(|old| {
        old.child("upstreamResolvers").raw("transportConfig") != resolvers.raw("transportConfig")
    });
    if differs || is_known {
        validate_resolvers(errors, &resolvers);
    }
    let Some(old_spec) = old_spec else {
        for server in spec.items("servers") {
            validate_transport(errors, &server.child("forwardPlugin").child("transportConfig"));
        }
        return;
    };
    // Upstream keeps the errors of the last changed server alone.
    let mut last = None;
    for server in spec.items("servers") {
        for before in old_spec.items("servers").filter(|before| before.text("name") == server.text("name")) {
            let config = |server: &Node<'_>| server.child("forwardPlugin").raw("transportConfig").clone();
            if config(&server) != config(&before) {
                let mut found = Errors::default();
                validate_transport(&mut found, &server.child("forwardPlugin").child("transportConfig"));
                last = Some(found);
            }
        }
    }
    errors.0.extend(last.into_iter().flat_map(|found| found.0));
}

fn validate_resolvers(errors: &mut Errors, resolvers: &Node) {
    let transport = resolvers.child("transportConfig");
    validate_transport(errors, &transport);
    if transport.text("transport") != "TLS" {
        return;
    }
    for upstream in resolvers.items("upstreams").filter(|item| item.text("type") == "SystemResolvConf") {
        let detail = "SystemResolvConf is not allowed when TLS is configured as the transport";
        errors.invalid(&upstream.at("type"), "SystemResolvConf", detail);
    }
}

fn validate_transport(errors: &mut Errors, config: &Node) {
    let tls = config.get("tls");
    match config.text("transport") {
        "" | "Cleartext" => {
            if let Some(tls) = tls {
                let detail = "TLS must not be configured when using an empty or cleartext transport";
                errors.invalid_typed(
                    &tls.here(),
                    "openshift/operator/v1.DNSOverTLSConfig",
                    tls.value(),
                    detail,
                );
            }
        }
        "TLS" => {
            if tls.is_none_or(|tls| tls.text("serverName").is_empty()) {
                let detail = "transportConfig requires a serverName when transport is TLS";
                errors.required(&config.at("tls").child("serverName"), detail);
            }
        }
        other => errors.invalid(&config.at("transport"), other, "unknown transport"),
    }
}
