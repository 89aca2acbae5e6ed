//! Sources of projected volumes.
//!
//! Source: `validateProjectionSources`.

use std::collections::BTreeSet;

use crate::validation::metadata::{TOTAL_ANNOTATION_SIZE_LIMIT, name_is_dns_subdomain};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::Options;
use crate::validation::pod::path::validate_local_non_reserved_path;
use crate::validation::pod::volumes::{validate_downward_api_file, validate_key_to_path};
use crate::validation::selector::{LABEL_SELECTOR, validate_label_selector};
use gotext::names;
use gotext::quote;
use kube_api::field::{Path, Rule};

const KEY_TYPES: [&str; 6] = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];

/// Implements `validateProjectionSources`.
pub(super) fn validate_projection_sources(errors: &mut Errors, projection: &Node, options: &Options) {
    let mut paths: BTreeSet<&str> = BTreeSet::new();
    for source in projection.items("sources") {
        let mut kinds = 0;
        for kind in ["secret", "configMap"] {
            let Some(inner) = source.get(kind) else { continue };
            kinds += 1;
            errors.require_text(&inner, "name");
            for item in inner.items("items") {
                validate_key_to_path(errors, &item);
                let path = item.text("path");
                if !path.is_empty() && !paths.insert(path) {
                    errors.invalid(&projection.here(), inner.text("name"), "conflicting duplicate paths");
                }
            }
        }
        if let Some(inner) = source.get("downwardAPI") {
            kinds += 1;
            for file in inner.list("items") {
                let file = Node::new(inner.here(), file);
                validate_downward_api_file(errors, &file);
                if !file.text("path").is_empty() {
                    claim_path(errors, &mut paths, file.text("path"), projection);
                }
            }
        }
        if let Some(inner) = source.get("serviceAccountToken") {
            kinds += 1;
            validate_token_projection(errors, &inner, projection, options);
        }
        if let Some(inner) = source.get("clusterTrustBundle") {
            kinds += 1;
            validate_trust_bundle_projection(errors, &inner);
            claim_path(errors, &mut paths, inner.text("path"), projection);
        }
        if let Some(inner) = source.get("podCertificate") {
            kinds += 1;
            validate_pod_certificate_projection(errors, &inner, projection, &mut paths);
        }
        if kinds > 1 {
            errors.by(Rule::KindsOfSource, |errors| {
                errors.forbidden(&source.here(), "may not specify more than 1 volume type per source");
            });
        }
    }
}

fn claim_path<'a>(errors: &mut Errors, paths: &mut BTreeSet<&'a str>, path: &'a str, projection: &Node) {
    if !paths.insert(path) {
        errors.invalid(&projection.here(), path, "conflicting duplicate paths");
    }
}

/// Implements `hasNonLocalProjectedTokenPath`.
pub(crate) fn has_non_local_projected_token_path(spec: &Node) -> bool {
    let mut errors = Errors::default();
    for source in spec.items("volumes").flat_map(|volume| volume.child("projected").items("sources")) {
        if let Some(token) = source.get("serviceAccountToken") {
            validate_local_non_reserved_path(&mut errors, token.text("path"), || token.at("path"));
        }
    }
    !errors.is_empty()
}

fn validate_token_projection(errors: &mut Errors, source: &Node, projection: &Node, options: &Options) {
    let seconds = source.int("expirationSeconds");
    let path = || source.at("expirationSeconds");
    if seconds < 10 * 60 {
        errors.invalid_int(&path(), seconds, "may not specify a duration less than 10 minutes");
    }
    if seconds > 1 << 32 {
        errors.invalid_int(&path(), seconds, "may not specify a duration larger than 2^32 seconds");
    }
    // Upstream names the volume's path, not the source's.
    if source.text("path").is_empty() {
        errors.required(&projection.at("path"), "");
    } else if !options.non_local_projected_token_path {
        validate_local_non_reserved_path(errors, source.text("path"), || projection.at("path"));
    }
}

fn validate_trust_bundle_projection(errors: &mut Errors, source: &Node) {
    match (source.given("name"), source.given("signerName")) {
        (Some(_), Some(_)) => {
            let detail = "only one of name and signerName may be used";
            errors.invalid_typed(
                &source.here(),
                "internal.ClusterTrustBundleProjection",
                source.value(),
                detail,
            );
        }
        (Some(name), None) => {
            if name.is_empty() {
                errors.required(&source.at("name"), "must be a valid object name");
            }
            let messages = cluster_trust_bundle_name_messages(name);
            let messages =
                messages.into_iter().map(|message| format!("not a valid clustertrustbundlename: {message}"));
            errors.each_of(source, "name", messages.collect());
            if source.has("labelSelector") {
                let detail = "labelSelector must be unset if name is specified";
                let selector = source.raw("labelSelector");
                errors.invalid_typed(&source.at("labelSelector"), LABEL_SELECTOR, selector, detail);
            }
        }
        (None, Some(signer)) => {
            if signer.is_empty() {
                errors.required(&source.at("signerName"), "must be a valid signer name");
            }
            validate_signer_name(errors, signer, &source.at("signerName"));
            validate_label_selector(errors, source, "labelSelector", false);
        }
        (None, None) => errors.required(&source.here(), "either name or signerName must be specified"),
    }
    errors.require_text(source, "path");
    validate_local_non_reserved_path(errors, source.text("path"), || source.at("path"));
}

/// Runs `ValidateClusterTrustBundleName` for the signer that the name itself contains.
fn cluster_trust_bundle_name_messages(name: &str) -> Vec<String> {
    match name.rsplit_once(':') {
        None => name_is_dns_subdomain(name, false),
        Some((_, last)) => name_is_dns_subdomain(last, false),
    }
}

const MAX_DOMAIN: usize = 253;

/// Validates the labels of `text` up to the first that is wrong.
fn validate_labels_of(errors: &mut Errors, text: &str, rule: fn(&str) -> Vec<String>, path: &Path) {
    let faults = text.split('.').map(|label| (label, rule(label))).find(|(_, faults)| !faults.is_empty());
    let Some((label, faults)) = faults else { return };
    for fault in faults {
        errors.invalid(path, text, format!("validating label {}: {fault}", quote(label)));
    }
}

/// Implements `ValidateSignerName`.
pub(crate) fn validate_signer_name(errors: &mut Errors, name: &str, path: &Path) {
    if name.is_empty() {
        errors.required(path, "");
        return;
    }
    let segments: Vec<&str> = name.split('/').collect();
    let [domain, tail] = segments.as_slice() else {
        errors.invalid(
            path,
            name,
            "must be a fully qualified domain and path of the form 'example.com/signer-name'",
        );
        return;
    };
    if domain.len() > MAX_DOMAIN {
        errors.too_long(path, MAX_DOMAIN);
    }
    validate_labels_of(errors, domain, names::is_dns1123_label, path);
    if !domain.contains('.') {
        errors.invalid(path, domain, "should be a domain with at least two segments separated by dots");
    }
    validate_labels_of(errors, tail, names::is_dns1123_subdomain, path);
    if name.len() > 571 {
        errors.too_long(path, 571);
    }
}

/// Implements `ValidateUserAnnotations` for the `field` of a node.
pub(crate) fn validate_user_annotations(errors: &mut Errors, node: &Node, field: &'static str) {
    let mut size = 0;
    for (key, value) in node.pairs(field) {
        size += key.len() + value.len();
        let key = key.to_lowercase();
        let messages = names::is_qualified_name(&key);
        if key.is_empty() {
            errors.required(&node.at(field), "");
        } else if messages.is_empty() && !key.contains('/') {
            let detail = "must be a domain-prefixed key (such as \"acme.io/foo\")";
            errors.invalid(&node.at(field), &key, detail);
        } else {
            errors.each(|| node.at(field), &key, messages);
        }
    }
    if size > TOTAL_ANNOTATION_SIZE_LIMIT {
        errors.too_long(&node.at(field), TOTAL_ANNOTATION_SIZE_LIMIT);
    }
}

fn validate_pod_certificate_projection<'a>(
    errors: &mut Errors,
    source: &Node<'a>,
    projection: &Node,
    paths: &mut BTreeSet<&'a str>,
) {
    let signer = source.text("signerName");
    validate_signer_name(errors, signer, &source.at("signerName"));
    validate_user_annotations(errors, source, "userAnnotations");
    errors.one_of(source, "keyType", &KEY_TYPES);
    if let Some(seconds) = source.number("maxExpirationSeconds") {
        let path = || source.at("maxExpirationSeconds");
        if seconds < 3600 {
            errors.invalid_int(&path(), seconds, "if provided, maxExpirationSeconds must be >= 3600");
        }
        let kubernetes = signer
            .split_once('/')
            .is_some_and(|(domain, _)| domain == "kubernetes.io" || domain.ends_with(".kubernetes.io"));
        let max = if kubernetes { 24 * 60 * 60 } else { 91 * 24 * 60 * 60 };
        if seconds > max {
            let detail = format!("if provided, maxExpirationSeconds must be <= {max}");
            errors.invalid_int(&path(), seconds, detail);
        }
    }
    let mut given = false;
    for field in ["credentialBundlePath", "keyPath", "certificateChainPath"] {
        let path = source.text(field);
        if !path.is_empty() {
            given = true;
            validate_local_non_reserved_path(errors, path, || source.at(field));
            claim_path(errors, paths, path, projection);
        }
    }
    if !given {
        let detail = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
        errors.required(&source.here(), detail);
    }
}
