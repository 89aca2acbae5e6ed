//! Signatures of images: `image.openshift.io`.
//!
//! Source: `validateImageSignature` of `openshift-apiserver` `pkg/image/apis/image/validation`.

use crate::strategy::Scope;
use crate::validation::metadata::{name_is_path_segment, validate_object_meta};
use crate::validation::node::{Errors, Node};
use kube_api::internal_json;
use kube_api::server_profile::ServerProfile;

/// The condition of a signature that holds for its image, and that of one that is trusted.
const CONDITIONS: [&str; 2] = ["ForImage", "Trusted"];

/// Validates a signature besides its metadata.
pub(super) fn validate(errors: &mut Errors, signature: &Node, _: Option<&Node>, _: &ServerProfile) {
    validate_contents(errors, signature);
}

/// Validates the signatures in `image`.
pub(super) fn validate_of_image(errors: &mut Errors, image: &Node) {
    for signature in image.items("signatures") {
        validate_object_meta(errors, &signature, Scope::Cluster, name_is_path_segment);
        validate_contents(errors, &signature);
    }
}

fn validate_contents(errors: &mut Errors, signature: &Node) {
    let metadata = signature.child("metadata");
    for (field, detail) in
        [("labels", "signature labels cannot be set"), ("annotations", "signature annotations cannot be set")]
    {
        if metadata.raw(field).as_object().is_some_and(|entries| !entries.is_empty()) {
            errors.forbidden(&metadata.at(field), detail);
        }
    }
    let name = metadata.text("name");
    let is_whole = name
        .split_once('@')
        .is_some_and(|(image, name)| !image.is_empty() && !name.is_empty() && !name.contains('@'));
    if !is_whole {
        errors.invalid(&metadata.at("name"), name, "name must be of format <imageName>@<signatureName>");
    }
    errors.require_text(signature, "type");
    errors.require_text(signature, "content");
    let has = |kind: &str| signature.items("conditions").any(|condition| condition.text("type") == kind);
    let [is_for_image, is_trusted] = CONDITIONS.map(has);
    if is_for_image != is_trusted {
        let table = "openshift/image/v1.SignatureCondition";
        let conditions =
            signature.items("conditions").map(|condition| internal_json::internal(table, condition.value()));
        let printed = format!("[{}]", conditions.collect::<Vec<_>>().join(","));
        let missing = if is_trusted { CONDITIONS[0] } else { CONDITIONS[1] };
        let detail = format!("missing \"{missing}\" condition type");
        errors.invalid_printed(&signature.at("conditions"), printed, detail);
    }
    let trusted = signature.items("conditions").find(|condition| condition.text("type") == CONDITIONS[1]);
    if trusted.is_some_and(|condition| condition.text("status") != "Unknown") {
        return;
    }
    let detail = "must be unset for unknown signature state";
    let identity = signature.text("imageIdentity");
    if !identity.is_empty() {
        errors.invalid(&signature.at("imageIdentity"), identity, detail);
    }
    if signature.raw("signedClaims").as_object().is_some_and(|claims| !claims.is_empty()) {
        errors.invalid_value(&signature.at("signedClaims"), signature.raw("signedClaims"), detail);
    }
    for (field, table) in [
        ("issuedBy", "openshift/image/v1.SignatureIssuer"),
        ("issuedTo", "openshift/image/v1.SignatureSubject"),
    ] {
        if let Some(entity) = signature.get(field) {
            let printed = internal_json::internal(table, entity.value());
            errors.invalid_printed(&signature.at(field), printed, detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openshift::served::tests::errors_by;
    use gotext::value::json;

    #[test]
    fn rejects_signatures_without_an_image() {
        let signature = json!({
            "metadata": {"name": "web", "labels": {"a": "b"}},
            "type": "",
            "content": "eA==",
            "imageIdentity": "web",
        });
        assert_eq!(
            errors_by(validate, &signature),
            [
                "metadata.labels: Forbidden: signature labels cannot be set",
                "metadata.name: Invalid value: \"web\": name must be of format <imageName>@<signatureName>",
                "type: Required value",
                "imageIdentity: Invalid value: \"web\": must be unset for unknown signature state",
            ]
        );
        let signature = json!({"metadata": {"name": "sha256:1@a"}, "type": "atomic", "content": "eA=="});
        assert!(errors_by(validate, &signature).is_empty());
    }
}
