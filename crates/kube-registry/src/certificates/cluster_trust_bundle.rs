//! Certificates that a cluster trusts.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/certificates`.

use std::collections::BTreeMap;

use crate::strategy::{Scope, Strategy};
use crate::validation::metadata::{
    name_is_dns_subdomain, validate_immutable_text, validate_object_meta_update,
};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::validate_signer_name;
use crate::x509::parse_certificate;
use kube_api::field::Path;
use kube_api::pem;

/// The strategy of `ClusterTrustBundle`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1", "v1beta1"],
    allow_unconditional_update: false,
    validate: Some(|errors, object, old, _| validate_cluster_trust_bundle(errors, object, old)),
    ..Strategy::new("certificates.k8s.io", "ClusterTrustBundle")
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
    crate::validation::metadata::validate_names_by(errors, &metadata, rule);
    crate::validation::metadata::validate_object_meta_common(errors, &metadata, Scope::Cluster);
    crate::validation::metadata::validate_kube_finalizers(errors, &metadata);
    if !signer.is_empty() {
        validate_signer_name(errors, signer, &spec.at("signerName"));
    }
    let before = old.map(|old| old.child("spec"));
    if before.as_ref().is_none_or(|before| before.text("trustBundle") != spec.text("trustBundle")) {
        validate_trust_bundle(errors, spec.text("trustBundle"), &spec.at("trustBundle"));
    }
    if let (Some(old), Some(before)) = (old, before) {
        validate_object_meta_update(errors, object, old);
        validate_immutable_text(errors, &spec, &before, "signerName");
    }
}

/// Implements `validateTrustBundle`.
fn validate_trust_bundle(errors: &mut Errors, bundle: &str, path: &Path) {
    if bundle.len() > MAX_TRUST_BUNDLE {
        errors.too_long(path, MAX_TRUST_BUNDLE);
        return;
    }
    let blocks = pem::blocks(bundle);
    let mut refuse = |detail: String| errors.invalid(path, "<value omitted>", detail);
    let refused: Vec<String> = blocks
        .iter()
        .enumerate()
        .filter_map(|(index, block)| Some(format!("entry {index} {}", refused_anchor(block)?)))
        .collect();
    if !refused.is_empty() {
        return refused.into_iter().for_each(refuse);
    }
    if blocks.is_empty() {
        refuse("at least one trust anchor must be provided".to_owned());
    }
    let mut anchors = BTreeMap::<&[u8], Vec<String>>::new();
    for (index, block) in blocks.iter().enumerate() {
        anchors.entry(&block.bytes).or_default().push(index.to_string());
    }
    let mut repeated: Vec<_> = anchors.into_values().filter(|indices| indices.len() > 1).collect();
    repeated.sort();
    for indices in repeated {
        refuse(format!("duplicate trust anchor (indices [{}])", indices.join(" ")));
    }
}

/// Returns what is wrong with a block that is not the certificate of an authority.
fn refused_anchor(block: &pem::Block) -> Option<String> {
    if block.kind != "CERTIFICATE" {
        return Some(format!("has bad block type: {}", block.kind));
    }
    if block.has_headers {
        return Some("has PEM block headers".to_owned());
    }
    match parse_certificate(&block.bytes) {
        Err(_) => Some("does not parse as X.509".to_owned()),
        Ok(certificate) => (!certificate.is_authority).then(|| "does not have the CA bit set".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(bundle: &str) -> Vec<String> {
        let mut errors = Errors::default();
        validate_trust_bundle(&mut errors, bundle, &Path::new("spec.trustBundle"));
        errors.0.iter().map(ToString::to_string).collect()
    }

    fn error(detail: &str) -> Vec<String> {
        vec![format!("spec.trustBundle: Invalid value: \"<value omitted>\": {detail}")]
    }

    #[test]
    fn rejects_blocks_that_are_no_certificates_of_authorities() {
        let request = include_str!("../../testdata/certificates/developers.csr");
        assert_eq!(errors(request), error("entry 0 has bad block type: CERTIFICATE REQUEST"));
        let broken = request.replace(" REQUEST", "");
        assert_eq!(errors(&broken), error("entry 0 does not parse as X.509"));
        let headed = broken.replace("CERTIFICATE-----\nM", "CERTIFICATE-----\nA: b\n\nM");
        assert_eq!(errors(&headed), error("entry 0 has PEM block headers"));
        assert_eq!(errors("none"), error("at least one trust anchor must be provided"));
    }

    #[test]
    fn rejects_an_authority_that_is_repeated() {
        let authority = include_str!("../../testdata/certificates/authority.crt");
        assert_eq!(errors(authority), [""; 0]);
        let detail = "duplicate trust anchor (indices [0 1])";
        assert_eq!(errors(&authority.repeat(2)), error(detail));
        let server = include_str!("../../testdata/certificates/server.crt");
        assert_eq!(errors(server), error("entry 0 does not have the CA bit set"));
    }
}
