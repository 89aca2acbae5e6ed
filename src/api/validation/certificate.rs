//! Certificate signing requests that are made.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/certificates/validation`. Deliberately absent: whether the request is signed by
//! the key in it, and what updates may change.

use std::collections::BTreeSet;

use super::metadata::{Scope, validate_object_meta};
use super::node::{Errors, Node};
use crate::api::certificate_request::Subject;
use crate::api::field::{Path, go_quote};
use crate::api::names;

const USAGES: &[&str] = &[
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// `ValidateCertificateSigningRequestCreate`
pub(super) fn validate_certificate_signing_request(errors: &mut Errors, object: &Node) {
    validate_object_meta(errors, object, Scope::Cluster, |_, _| Vec::new());
    let spec = object.child("spec");
    if let Err(error) = Subject::of_request(spec.text("request")) {
        errors.invalid_value(&spec.at("request"), spec.raw("request"), error);
    }
    let usages: Vec<&str> = spec.texts("usages").collect();
    if usages.is_empty() {
        errors.required(&spec.at("usages"), "");
    }
    for (index, usage) in usages.iter().enumerate().filter(|(_, usage)| !USAGES.contains(usage)) {
        errors.not_supported(&spec.at("usages").index(index), usage, USAGES);
    }
    let mut seen = BTreeSet::new();
    for (index, usage) in usages.iter().enumerate() {
        if !seen.insert(usage) {
            errors.duplicate(&spec.at("usages").index(index), usage);
        }
    }
    validate_signer_name(errors, &spec);
    if let Some(seconds) = spec.number("expirationSeconds").filter(|seconds| *seconds < 600) {
        let detail = "may not specify a duration less than 600 seconds (10 minutes)";
        errors.invalid_int(&spec.at("expirationSeconds"), seconds, detail);
    }
}

/// `ValidateSignerName`
fn validate_signer_name(errors: &mut Errors, spec: &Node) {
    const LONGEST_DOMAIN: usize = 253;
    const LONGEST: usize = LONGEST_DOMAIN + 1 + 63 + 1 + 253;
    let path = spec.at("signerName");
    let name = spec.text("signerName");
    if name == "kubernetes.io/legacy-unknown" {
        errors.invalid(&path, name, "the legacy signerName is not allowed via this API version");
        return;
    }
    if name.is_empty() {
        errors.required(&path, "");
        return;
    }
    let Some((domain, rest)) = name.split_once('/').filter(|(_, rest)| !rest.contains('/')) else {
        let detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        errors.invalid(&path, name, detail);
        return;
    };
    if domain.len() > LONGEST_DOMAIN {
        errors.too_long(&path, LONGEST_DOMAIN);
    }
    first_wrong_label(errors, &path, domain, names::is_dns1123_label);
    if !domain.contains('.') {
        errors.invalid(&path, domain, "should be a domain with at least two segments separated by dots");
    }
    first_wrong_label(errors, &path, rest, names::is_dns1123_subdomain);
    if name.len() > LONGEST {
        errors.too_long(&path, LONGEST);
    }
}

fn first_wrong_label(errors: &mut Errors, path: &Path, text: &str, rule: fn(&str) -> Vec<String>) {
    let wrong = text.split('.').map(|label| (label, rule(label))).find(|(_, messages)| !messages.is_empty());
    let Some((label, messages)) = wrong else { return };
    for message in messages {
        errors.invalid(path, text, format!("validating label {}: {message}", go_quote(label)));
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;

    use super::*;
    use crate::api::Value;

    fn errors(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let request = STANDARD.encode(include_str!("../../../testdata/certificates/developers.csr"));
        let usages = ["digital signature", "client auth"];
        let spec = json!({"request": request, "signerName": "example.com/mesh", "usages": usages});
        let mut object = json!({"metadata": {"name": "jane:1"}, "spec": spec});
        change(&mut object["spec"]);
        let mut errors = Errors::default();
        validate_certificate_signing_request(&mut errors, &Node::root(&object));
        errors.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn accepts_a_request() {
        assert_eq!(errors(|_| {}), [""; 0]);
    }

    #[test]
    fn names_what_is_wrong() {
        assert_eq!(
            errors(|spec| spec["request"] = json!("aGVsbG8K")),
            ["spec.request: Invalid value: \"aGVsbG8K\": PEM block type must be CERTIFICATE REQUEST"]
        );
        assert_eq!(errors(|spec| spec["usages"] = json!([])), ["spec.usages: Required value"]);
        assert_eq!(
            errors(|spec| spec["usages"] = json!(["any", "any"])),
            ["spec.usages[1]: Duplicate value: \"any\""]
        );
        assert!(
            errors(|spec| spec["usages"] = json!(["all"]))[0]
                .starts_with("spec.usages[0]: Unsupported value")
        );
        assert_eq!(
            errors(|spec| spec["expirationSeconds"] = json!(599)),
            [
                "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)"
            ]
        );
        assert_eq!(
            errors(|spec| spec["signerName"] = json!("mesh")),
            [
                "spec.signerName: Invalid value: \"mesh\": must be a fully qualified domain and path of the form \
              'example.com/signer-name'"
            ]
        );
        assert_eq!(
            errors(|spec| spec["signerName"] = json!("example/mesh")),
            [
                "spec.signerName: Invalid value: \"example\": should be a domain with at least two segments separated by \
              dots"
            ]
        );
    }
}
