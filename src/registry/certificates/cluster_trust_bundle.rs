//! Certificates that a cluster trusts.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/certificates`.

use crate::api::field::Path;
use crate::api::pem;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::metadata::{
    name_is_dns_subdomain, validate_immutable_field, validate_object_meta_update,
};
use crate::registry::validation::node::{Errors, Node};
use crate::registry::validation::pod::validate_signer_name;

/// The strategy of `ClusterTrustBundle`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "certificates.k8s.io",
    kind: "ClusterTrustBundle",
    resource: "clustertrustbundles",
    versions: &["v1beta1", "v1alpha1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| validate_cluster_trust_bundle(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};

const MAX_TRUST_BUNDLE: usize = 1024 * 1024;

/// Runs `ValidateClusterTrustBundle`, and `ValidateClusterTrustBundleUpdate` if there is an old object.
fn validate_cluster_trust_bundle(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let (metadata, spec) = (object.child("metadata"), object.child("spec"));
    let signer = spec.text("signerName");
    let rule = |name: &str, prefix: bool| {
        if signer.is_empty() {
            if name.contains(':') {
                let message = "ClusterTrustBundle without signer name must not have \":\" in its name";
                return vec![message.to_owned()];
            }
            return name_is_dns_subdomain(name, prefix);
        }
        let start = format!("{}:", signer.replace('/', ":"));
        match name.strip_prefix(&start) {
            Some(rest) => name_is_dns_subdomain(rest, prefix),
            None => {
                vec![format!("ClusterTrustBundle for signerName {signer} must be named with prefix {start}")]
            }
        }
    };
    crate::registry::validation::metadata::validate_names_by(errors, &metadata, rule);
    crate::registry::validation::metadata::validate_object_meta_common(errors, &metadata, Scope::Cluster);
    crate::registry::validation::metadata::validate_kube_finalizers(errors, &metadata);
    if !signer.is_empty() {
        validate_signer_name(errors, signer, &spec.at("signerName"));
    }
    let before = old.map(|old| old.child("spec"));
    if before.as_ref().is_none_or(|before| before.text("trustBundle") != spec.text("trustBundle")) {
        validate_trust_bundle(errors, spec.text("trustBundle"), &spec.at("trustBundle"));
    }
    if let (Some(old), Some(before)) = (old, before) {
        validate_object_meta_update(errors, object, old);
        validate_immutable_field(errors, &spec, &before, "signerName");
    }
}

/// Runs the checks of `validateTrustBundle` that need no parsing.
fn validate_trust_bundle(errors: &mut Errors, bundle: &str, path: &Path) {
    if bundle.len() > MAX_TRUST_BUNDLE {
        errors.too_long(path, MAX_TRUST_BUNDLE);
        return;
    }
    let types: Vec<String> = pem::blocks(bundle).into_iter().map(|block| block.kind).collect();
    let before = errors.len();
    for (index, kind) in types.iter().enumerate().filter(|(_, kind)| *kind != "CERTIFICATE") {
        errors.invalid(path, "<value omitted>", format!("entry {index} has bad block type: {kind}"));
    }
    if errors.len() == before && types.is_empty() {
        errors.invalid(path, "<value omitted>", "at least one trust anchor must be provided");
    }
}
