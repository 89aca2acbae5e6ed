//! The rules that older releases had and that are gone.

use std::collections::BTreeSet;

use crate::validation::equal::plainly_equal;
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::names;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Value};

/// A rule that is gone.
pub(super) struct Gone {
    /// The minor of the first release without it.
    until: u32,
    /// The feature gate that switched it off before, if there was one.
    gate: Option<Feature>,
    /// The kinds that it was for.
    kinds: &'static [&'static str],
    /// Adds its errors in an object, which replaces another or nothing.
    check: fn(&mut Errors, &Node<'_>, Option<&Node<'_>>, Version),
}

static RULES: &[Gone] = &[
    Gone { until: 15, gate: None, kinds: &["PodDisruptionBudget"], check: immutable_budget },
    Gone {
        until: 19,
        gate: Some(Feature::HugePageStorageMediumSize),
        kinds: &["Pod"],
        check: one_size_of_huge_pages,
    },
    Gone { until: 20, gate: None, kinds: &["HorizontalPodAutoscaler"], check: source_of_metric },
    Gone { until: 23, gate: None, kinds: &["Job"], check: immutable_template },
    Gone { until: 24, gate: Some(Feature::MixedProtocolLBService), kinds: &["Service"], check: one_protocol },
    Gone { until: 27, gate: None, kinds: &["Ingress"], check: either_class },
    Gone { until: 27, gate: None, kinds: &["PersistentVolume"], check: secrets_are_labels },
    Gone { until: 27, gate: Some(Feature::ElasticIndexedJob), kinds: &["Job"], check: immutable_completions },
    Gone {
        until: 29,
        gate: Some(Feature::SkipReadOnlyValidationGCE),
        kinds: &["DaemonSet", "Deployment", "ReplicaSet", "ReplicationController"],
        check: shared_disks_are_read_only,
    },
    Gone {
        until: 27,
        gate: Some(Feature::ReadWriteOncePod),
        kinds: &["PersistentVolume", "PersistentVolumeClaim"],
        check: no_access_by_one_pod,
    },
    Gone { until: 33, gate: None, kinds: &["Service"], check: port_of_kubelet },
];

/// Returns the rules that `release` has in addition to those of the newest.
pub(super) fn in_release(release: Version) -> impl Iterator<Item = &'static Gone> {
    RULES.iter().filter(move |rule| release.minor < rule.until)
}

/// Adds the errors of the rules that the release of `features` had and that are gone.
pub(crate) fn validate(
    errors: &mut Errors,
    kind: &GroupVersionKind,
    object: &Value,
    old: Option<&Value>,
    profile: &ServerProfile,
) {
    let release = profile.release();
    let (object, old) = (Node::root(object), old.map(Node::root));
    for rule in in_release(release) {
        let is_on = !rule.gate.is_some_and(|gate| profile.enabled(gate));
        if is_on && rule.kinds.contains(&&*kind.kind) {
            (rule.check)(errors, &object, old.as_ref(), release);
        }
    }
}

fn immutable_budget(errors: &mut Errors, object: &Node, old: Option<&Node>, _: Version) {
    if old.is_some_and(|old| !plainly_equal(object.raw("spec"), old.raw("spec"))) {
        errors.forbidden(&Path::new("spec"), "updates to poddisruptionbudget spec are forbidden.");
    }
}

/// `ValidatePodSingleHugePageResources`
fn one_size_of_huge_pages(errors: &mut Errors, object: &Node, _: Option<&Node>, _: Version) {
    let spec = object.child("spec");
    let mut sizes = BTreeSet::new();
    for container in spec.items("initContainers").chain(spec.items("containers")) {
        let resources = container.child("resources");
        let amounts = resources.entries("limits").chain(resources.entries("requests"));
        sizes.extend(amounts.map(|(name, _)| name).filter(|name| name.starts_with("hugepages-")));
    }
    if sizes.len() > 1 {
        let sizes: Vec<Value> = sizes.into_iter().map(Value::from).collect();
        let detail = "must use a single hugepage size in a pod spec";
        errors.invalid_value(&spec.here(), &Value::from(sizes), detail);
    }
}

/// A metric of an unknown type needed the field that is called like it.
fn source_of_metric(errors: &mut Errors, object: &Node, _: Option<&Node>, _: Version) {
    const KNOWN: [&str; 4] = ["External", "Object", "Pods", "Resource"];
    for metric in object.child("spec").items("metrics") {
        let kind = metric.text("type");
        if !KNOWN.contains(&kind) {
            let detail = "must populate information for the given metric source";
            errors.required(&metric.here().child(kind.to_lowercase()), detail);
        }
    }
}

/// The template of a suspended job could not be changed before `JobMutableNodeSchedulingDirectives`.
fn immutable_template(errors: &mut Errors, object: &Node, old: Option<&Node>, _: Version) {
    if let Some((path, template)) = changed_in_spec(errors, "template", object, old) {
        errors.invalid_typed(&path, "internal.PodTemplateSpec", template, IMMUTABLE);
    }
}

/// The completions of an indexed job could not be changed before `ElasticIndexedJob`.
fn immutable_completions(errors: &mut Errors, object: &Node, old: Option<&Node>, _: Version) {
    if let Some((path, completions)) = changed_in_spec(errors, "completions", object, old) {
        errors.invalid_value(&path, completions, IMMUTABLE);
    }
}

/// Returns the path and value of a `field` of the spec that differs from that of `old` and has no error yet.
fn changed_in_spec<'a>(
    errors: &Errors,
    field: &'static str,
    object: &Node<'a>,
    old: Option<&Node>,
) -> Option<(Path, &'a Value)> {
    let (spec, before) = (object.child("spec"), old?.child("spec"));
    let path = spec.at(field);
    let is_reported = errors.0.iter().any(|error| error.path.as_ref() == Some(&path));
    let is_changed = !plainly_equal(spec.raw(field), before.raw(field));
    (is_changed && !is_reported).then(|| (path, spec.raw(field)))
}

/// All ports of a load balancer had the same protocol.
fn one_protocol(errors: &mut Errors, object: &Node, old: Option<&Node>, release: Version) {
    let mixes = |service: &Node| {
        let spec = service.child("spec");
        let protocols: BTreeSet<_> =
            spec.list("ports").iter().map(|port| port["protocol"].as_str().unwrap_or_default()).collect();
        protocols.len() > 1
    };
    let spec = object.child("spec");
    let detail = match release.minor {
        ..20 => "cannot create an external load balancer with mix protocols",
        _ if old.is_some_and(mixes) => return,
        _ => "may not contain more than 1 protocol when type is 'LoadBalancer'",
    };
    if spec.text("type") == "LoadBalancer" && mixes(object) {
        errors.invalid_value(&spec.at("ports"), spec.raw("ports"), detail);
    }
}

/// An Ingress had its class in the annotation or in the field.
fn either_class(errors: &mut Errors, object: &Node, old: Option<&Node>, _: Version) {
    const ANNOTATION: &str = "kubernetes.io/ingress.class";
    let metadata = object.child("metadata");
    let annotation = metadata.raw("annotations").get(ANNOTATION).and_then(Value::as_str);
    if let (None, Some(annotation), true) = (old, annotation, object.child("spec").has("ingressClassName")) {
        let path = Path::new("annotations").child(ANNOTATION);
        errors.invalid(&path, annotation, "can not be set when the class field is also set");
    }
}

/// The names of a driver's secrets were labels, and until 1.24 they were reported at the source of the volume. Since
/// 1.25 those of volumes that had other names could stay.
fn secrets_are_labels(errors: &mut Errors, object: &Node, old: Option<&Node>, release: Version) {
    const SECRETS: [&str; 4] = [
        "controllerPublishSecretRef",
        "controllerExpandSecretRef",
        "nodePublishSecretRef",
        "nodeExpandSecretRef",
    ];
    let Some(csi) = object.child("spec").get("csi") else { return };
    // A second source of a volume is not looked at.
    if errors.0.iter().any(|error| error.path.as_ref() == Some(&csi.here())) {
        return;
    }
    let is_label = |name: &str| names::is_dns1123_label(name).is_empty();
    if release.minor >= 25
        && old.is_some_and(|old| {
            let before = old.child("spec").child("csi");
            SECRETS.iter().any(|secret| !is_label(before.child(secret).text("name")))
        })
    {
        return;
    }
    for secret in SECRETS {
        let reference = csi.child(secret);
        let name = reference.text("name");
        if !name.is_empty() {
            let at = if release.minor < 25 { csi.at("name") } else { reference.at("name") };
            errors.each(|| at, name, names::is_dns1123_label(name));
        }
    }
}

/// `ValidateReadOnlyPersistentDisks`
fn shared_disks_are_read_only(errors: &mut Errors, object: &Node, old: Option<&Node>, release: Version) {
    let is_writable =
        |volume: &Node| volume.get("gcePersistentDisk").is_some_and(|disk| !disk.flag("readOnly"));
    let pod = |object: &Node<'_>| object.child("spec").child("template").child("spec").value().clone();
    let (spec, before) = (object.child("spec"), old.map(pod));
    if spec.has("replicas") && spec.int("replicas") <= 1
        || before
            .filter(|_| release.minor >= 28)
            .is_some_and(|before| Node::root(&before).items("volumes").any(|volume| is_writable(&volume)))
    {
        return;
    }
    for volume in spec.child("template").child("spec").items("volumes").filter(is_writable) {
        let detail = "must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is \
                      read-only";
        errors.invalid_value(&volume.below(&["gcePersistentDisk", "readOnly"]), &Value::Bool(false), detail);
    }
}

/// Volumes could not be restricted to one Pod.
fn no_access_by_one_pod(errors: &mut Errors, object: &Node, old: Option<&Node>, _: Version) {
    const MODE: &str = "ReadWriteOncePod";
    let has = |object: &Node| object.child("spec").texts("accessModes").any(|mode| mode == MODE);
    if has(object) && !old.is_some_and(has) {
        let supported = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"];
        errors.not_supported(&object.child("spec").at("accessModes"), MODE, &supported);
    }
}

/// A load balancer could not have the port of the kubelet.
fn port_of_kubelet(errors: &mut Errors, object: &Node, _: Option<&Node>, _: Version) {
    const KUBELET: i64 = 10250;
    let spec = object.child("spec");
    if spec.text("type") != "LoadBalancer" {
        return;
    }
    for port in spec.items("ports").filter(|port| port.int("port") == KUBELET) {
        let detail = format!("may not expose port {KUBELET} externally since it is used by kubelet");
        errors.invalid_int(&port.here(), KUBELET, detail);
    }
}
