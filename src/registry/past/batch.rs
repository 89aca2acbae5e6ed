//! Versions whose fields are those of the version that is there, but for parts that are read in another way: jobs,
//! autoscalers, requests for certificates, runtime classes, priority levels.

use std::borrow::Cow;

use crate::api::tree::{child_mut, descend_mut, has, items_mut, made, remove_key, set, set_if_absent, set_if_zero};
use crate::api::{GroupVersionKind, Map, Object};
use crate::registry::past::conversion;
use crate::registry::strategy::Strategy;
use crate::registry::{autoscaling, batch, certificates, flowcontrol, node, resource};
use crate::value::json;

pub(super) static STRATEGIES: &[&Strategy] = &[
    &CRON_JOB,
    &AUTOSCALER,
    &FIRST_AUTOSCALER,
    &CERTIFICATE_REQUEST,
    &FIRST_RUNTIME_CLASS,
    &PRIORITY_LEVEL,
    &RESOURCE_CLAIM,
    &RESOURCE_CLAIM_TEMPLATE,
    &RESOURCE_SLICE,
];

static CRON_JOB: Strategy = Strategy { versions: &["v1beta1", "v2alpha1"], ..batch::cron_job::STRATEGY };

static AUTOSCALER: Strategy =
    Strategy { versions: &["v2beta2"], ..autoscaling::horizontal_pod_autoscaler::STRATEGY };

/// Metrics of `v2beta1` say their targets in fields of their own.
static FIRST_AUTOSCALER: Strategy = Strategy {
    versions: &["v2beta1"],
    defaults: Some(|autoscaler, _, _| {
        let spec = made(autoscaler, "spec");
        set_if_absent(spec, "minReplicas", 1);
        set_if_zero(
            spec,
            "metrics",
            json!([{"type": "Resource", "resource": {"name": "cpu", "targetAverageUtilization": 80}}]),
        );
    }),
    gated: &[],
    as_validated: Some(|object, _| {
        Cow::Owned(conversion::convert(
            object,
            &GroupVersionKind::new("autoscaling", "v2", "HorizontalPodAutoscaler"),
        ))
    }),
    ..autoscaling::horizontal_pod_autoscaler::STRATEGY
};

/// Requests of `v1beta1` need not name a signer.
static CERTIFICATE_REQUEST: Strategy = Strategy {
    versions: &["v1beta1"],
    defaults: Some(|request, _, _| {
        let spec = made(request, "spec");
        set_if_zero(spec, "usages", json!(["digital signature", "key encipherment"]));
        set_if_absent(spec, "signerName", "kubernetes.io/legacy-unknown");
    }),
    validate: None,
    ..certificates::certificate_signing_request::STRATEGY
};

/// Classes of `v1alpha1` have a specification.
static FIRST_RUNTIME_CLASS: Strategy = Strategy {
    versions: &["v1alpha1"],
    defaults: None,
    validate: None,
    ..node::runtime_class::STRATEGY
};

static PRIORITY_LEVEL: Strategy = Strategy {
    versions: &["v1beta2", "v1beta1", "v1alpha1"],
    defaults: Some(|level, _, _| {
        if let Some(limited) = descend_mut(level, &["spec", "limited"]) {
            set_if_zero(limited, "assuredConcurrencyShares", 30);
            if let Some(queuing) = descend_mut(limited, &["limitResponse", "queuing"]) {
                set_if_zero(queuing, "handSize", 8);
                set_if_zero(queuing, "queues", 64);
                set_if_zero(queuing, "queueLengthLimit", 50);
            }
        }
    }),
    as_validated: Some(|object, _| {
        let kind =
            GroupVersionKind::new("flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration");
        Cow::Owned(conversion::convert(object, &kind))
    }),
    ..flowcontrol::priority_level_configuration::STRATEGY
};

/// Makes shares of older versions those of newer ones, or back.
pub(super) fn rename_shares(level: &mut Map, to_old: bool) {
    const NAMES: [&str; 2] = ["assuredConcurrencyShares", "nominalConcurrencyShares"];
    let [from, to] = if to_old { [NAMES[1], NAMES[0]] } else { NAMES };
    let Some(limited) = descend_mut(level, &["spec", "limited"]) else { return };
    if let Some(shares) = limited.remove(from) {
        limited.insert(to, shares);
    }
    if !to_old {
        set_if_absent(limited, "lendablePercent", 0);
    }
}

/// Moves what the specification of a runtime class of `v1alpha1` says to where later versions have it.
pub(super) fn flatten_runtime_class(class: &mut Map) {
    let Some(spec) = class.remove("spec") else { return };
    let Some(mut spec) = spec.as_object().cloned() else { return };
    if let Some(handler) = spec.remove("runtimeHandler") {
        class.insert("handler", handler);
    }
    class.extend(spec);
}

/// Gives the backends of an Ingress the form of `v1`.
pub(super) fn ingress_to_v1(ingress: &mut Map) {
    fn backend(backend: &mut Map) {
        let name = backend.remove("serviceName");
        let port = backend.remove("servicePort");
        let Some(name) = name else { return };
        let mut service = Map::new();
        service.insert("name", name);
        if let Some(port) = port {
            let field = if port.is_string() { "name" } else { "number" };
            made(&mut service, "port").insert(field, port);
        }
        backend.insert("service", service.into());
    }
    let spec = made(ingress, "spec");
    if let Some(found) = spec.remove("backend") {
        spec.insert("defaultBackend", found);
    }
    if let Some(found) = child_mut(spec, "defaultBackend") {
        backend(found);
    }
    for rule in items_mut(spec, "rules") {
        let Some(http) = child_mut(rule, "http") else { continue };
        for path in items_mut(http, "paths") {
            set_if_absent(path, "pathType", "ImplementationSpecific");
            if let Some(found) = child_mut(path, "backend") {
                backend(found);
            }
        }
    }
}

/// Gives the backends of an Ingress the form of the versions before `v1`.
pub(super) fn ingress_from_v1(ingress: &mut Map) {
    fn backend(backend: &mut Map) {
        let Some(service) = backend.remove("service") else { return };
        let part = |fields: &[&str]| crate::api::at(&service, fields).cloned();
        backend.extend(part(&["name"]).map(|name| ("serviceName", name)));
        let port = part(&["port", "number"]).or_else(|| part(&["port", "name"]));
        backend.extend(port.map(|port| ("servicePort", port)));
    }
    let spec = made(ingress, "spec");
    if let Some(found) = spec.remove("defaultBackend") {
        spec.insert("backend", found);
    }
    if let Some(found) = child_mut(spec, "backend") {
        backend(found);
    }
    for rule in items_mut(spec, "rules") {
        let Some(http) = child_mut(rule, "http") else { continue };
        items_mut(http, "paths").filter_map(|path| child_mut(path, "backend")).for_each(backend);
    }
}

/// The topology of an endpoint has a field of its own since `v1`.
pub(super) fn endpoints_to_v1(slice: &mut Map) {
    for endpoint in items_mut(slice, "endpoints") {
        let topology = endpoint.remove("topology");
        let Some(mut topology) = topology.as_ref().and_then(|topology| topology.as_object().cloned()) else {
            continue;
        };
        for (label, field) in [("kubernetes.io/hostname", "nodeName"), ("topology.kubernetes.io/zone", "zone")] {
            if let Some(value) = topology.remove(label)
                && !has(endpoint, field)
            {
                set(endpoint, field, value);
            }
        }
        if !topology.is_empty() {
            endpoint.insert("deprecatedTopology", topology.into());
        }
    }
}

/// Subjects of `v1alpha1` say the version of their group too.
pub(super) fn subjects_to_v1(binding: &mut Map) {
    for subject in items_mut(binding, "subjects") {
        if let Some(version) = subject.remove("apiVersion") {
            let group = version.as_str().and_then(|version| version.split_once('/')).map(|(group, _)| group);
            if let Some(group) = group {
                set_if_absent(subject, "apiGroup", group);
            }
        }
    }
    remove_key(binding, "metadata", "initializers");
}

static RESOURCE_CLAIM: Strategy = Strategy {
    versions: &["v1alpha3"],
    defaults: Some(|claim, _, features| {
        if let Some(set_defaults) = resource::resource_claim::STRATEGY.defaults {
            set_defaults(claim, "v1beta1", features);
        }
    }),
    validate: None,
    ..resource::resource_claim::STRATEGY
};

static RESOURCE_CLAIM_TEMPLATE: Strategy = Strategy {
    versions: &["v1alpha3"],
    defaults: Some(|template, _, features| {
        if let Some(set_defaults) = resource::resource_claim_template::STRATEGY.defaults {
            set_defaults(template, "v1beta1", features);
        }
    }),
    validate: None,
    ..resource::resource_claim_template::STRATEGY
};

static RESOURCE_SLICE: Strategy = Strategy {
    versions: &["v1alpha3"],
    defaults: Some(|slice, _, features| {
        if let Some(set_defaults) = resource::resource_slice::STRATEGY.defaults {
            set_defaults(slice, "v1beta1", features);
        }
    }),
    validate: None,
    ..resource::resource_slice::STRATEGY
};

/// An object as validation of the version that is there sees it.
pub(super) fn as_ingress(object: &Object) -> Cow<'_, Object> {
    Cow::Owned(conversion::convert(object, &GroupVersionKind::new("networking.k8s.io", "v1", "Ingress")))
}
