//! What starts the builds of a configuration.
//!
//! Source: `validateTrigger` of `openshift-apiserver` `pkg/build/apis/build/validation`.

use super::validate_image_reference;
use crate::validation::node::{Errors, Node};
use kube_api::internal_json;

pub(super) fn validate(errors: &mut Errors, trigger: &Node, from: Option<&Node>) {
    const HOOKS: [(&str, &str); 4] =
        [("GitHub", "github"), ("GitLab", "gitlab"), ("Bitbucket", "bitbucket"), ("Generic", "generic")];
    let kind = trigger.text("type");
    if let Some((_, field)) = HOOKS.iter().find(|(name, _)| *name == kind) {
        return match trigger.get(field) {
            None => errors.required(&trigger.at(field), ""),
            Some(hook) => validate_hook(errors, &hook, kind == "Generic"),
        };
    }
    match kind {
        "" => errors.required(&trigger.at("type"), ""),
        "ConfigChange" => {}
        "ImageChange" => validate_image_change(errors, trigger, from),
        other => errors.invalid(&trigger.at("type"), other, "invalid trigger type"),
    }
}

fn validate_image_change(errors: &mut Errors, trigger: &Node, from: Option<&Node>) {
    let Some(change) = trigger.get("imageChange") else {
        return errors.required(&trigger.at("imageChange"), "");
    };
    let Some(own) = change.get("from") else {
        if from.is_none_or(|from| from.text("kind") != "ImageStreamTag") {
            let shown = from.map_or_else(|| "nil".to_owned(), printed_reference);
            let detail = "a default ImageChange trigger can only be used when the build strategy includes an \
                          ImageStreamTag reference.";
            errors.invalid(&change.here(), &format!("build from: {shown}"), detail);
        }
        return;
    };
    if own.text("kind") != "ImageStreamTag" {
        let detail = "only an ImageStreamTag type of reference is allowed in an ImageChange trigger.";
        return errors.invalid(&own.at("kind"), own.text("kind"), detail);
    }
    // Upstream leaves a step of the path out.
    validate_image_reference(errors, &Node::new(trigger.at("from"), own.value()));
}

/// Returns a reference as Go prints it.
fn printed_reference(from: &Node) -> String {
    let fields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
    let texts = fields.map(|field| from.text(field));
    format!(
        "&ObjectReference{{Kind:{},Namespace:{},Name:{},UID:{},APIVersion:{},ResourceVersion:{},FieldPath:{},}}",
        texts[0], texts[1], texts[2], texts[3], texts[4], texts[5], texts[6]
    )
}

fn validate_hook(errors: &mut Errors, hook: &Node, is_generic: bool) {
    let printed = || internal_json::internal("openshift/build/v1.WebHookTrigger", hook.value());
    let reference = hook.get("secretReference");
    if hook.text("secret").is_empty() && reference.is_none() {
        let detail = "must provide a value for at least one of secret or secretReference";
        errors.invalid_printed(&hook.here(), printed(), detail);
    }
    if let Some(reference) = reference {
        errors.require_text(&reference, "name");
    }
    if !is_generic && hook.flag("allowEnv") {
        errors.invalid_printed(&hook.at("allowEnv"), printed(), "git webhooks cannot allow env vars");
    }
}
