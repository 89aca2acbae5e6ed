//! Templates and what is made from them: `template.openshift.io`.
//!
//! Deliberately absent: the requester of an instance, whom the server fills in.
//!
//! Source: `openshift-apiserver` `pkg/template/apis/template/validation`.

use std::sync::LazyLock;

use regex::Regex;

use crate::strategy::Scope;
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta};
use crate::validation::node::{Errors, Node};
use gotext::names;
use gotext::value::json;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;

/// Validates a template. An update is not validated beyond its metadata.
pub(super) fn validate_template(errors: &mut Errors, object: &Node, old: Option<&Node>, _: &ServerProfile) {
    if old.is_none() {
        validate_parameters(errors, object);
    }
}

fn validate_parameters(errors: &mut Errors, template: &Node) {
    for parameter in template.items("parameters") {
        let name = parameter.text("name");
        if name.is_empty() {
            errors.required(&parameter.at("name"), "");
        } else if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            errors.invalid(&parameter.at("name"), name, "does not match ^[a-zA-Z0-9_]+$");
        }
    }
}

pub(super) fn validate_instance(errors: &mut Errors, object: &Node, old: Option<&Node>, _: &ServerProfile) {
    let spec = object.child("spec");
    if let Some(old) = old {
        if !plainly_equal(spec.value(), old.child("spec").value()) {
            errors.forbidden(&object.at("spec"), "field is immutable");
        }
        return;
    }
    // A template within an instance needs neither a name nor a namespace.
    let mut template = spec.raw("template").clone();
    for field in ["name", "namespace"] {
        if template["metadata"][field].as_str().is_none_or(str::is_empty) {
            template["metadata"][field] = json!("dummy");
        }
    }
    let template = Node::new(spec.at("template"), &template);
    validate_object_meta(errors, &template, Scope::Namespaced, name_is_dns_subdomain);
    validate_parameters(errors, &template);
    if let Some(secret) = spec.get("secret") {
        match secret.text("name") {
            "" => errors.required(&secret.at("name"), ""),
            name => errors.each_of(&secret, "name", names::is_dns1123_subdomain(name)),
        }
    }
}

pub(super) fn validate_broker_instance(
    errors: &mut Errors,
    object: &Node,
    _: Option<&Node>,
    _: &ServerProfile,
) {
    static UUID: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new("^(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$").ok()
    });
    let spec = object.child("spec");
    validate_reference(errors, &spec.child("templateInstance"), "TemplateInstance");
    validate_reference(errors, &spec.child("secret"), "Secret");
    for id in spec.texts("bindingIDs") {
        if !UUID.as_ref().is_some_and(|pattern| pattern.is_match(id)) {
            errors.invalid(&Path::new("spec.bindingIDs"), id, "is not a valid UUID");
        }
    }
}

/// Implements `validateTemplateInstanceReference`.
fn validate_reference(errors: &mut Errors, reference: &Node, kind: &str) {
    match reference.text("kind") {
        "" => errors.required(&reference.at("kind"), ""),
        given if given != kind => errors.invalid(&reference.at("kind"), given, format!("must be {kind}")),
        _ => {}
    }
    match reference.text("name") {
        "" => errors.required(&reference.at("name"), ""),
        name => errors.each_of(reference, "name", name_is_dns_subdomain(name, false)),
    }
    match reference.text("namespace") {
        "" => errors.required(&reference.at("namespace"), ""),
        namespace => errors.each_of(reference, "namespace", names::is_dns1123_label(namespace)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openshift::served::tests::errors_in_spec;

    #[test]
    fn rejects_instances_with_bad_templates() {
        let spec = json!({
            "template": {"metadata": {"name": "A"}, "objects": [], "parameters": [{"name": "a b"}, {"name": ""}]},
            "secret": {"name": "A"},
        });
        assert_eq!(
            errors_in_spec(validate_instance, &spec),
            [
                "spec.template.metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case \
                 alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
                 'example.com', regex used for validation is \
                 '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
                "spec.template.parameters[0].name: Invalid value: \"a b\": does not match ^[a-zA-Z0-9_]+$",
                "spec.template.parameters[1].name: Required value",
                "spec.secret.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case \
                 alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
                 'example.com', regex used for validation is \
                 '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
            ]
        );
        assert!(errors_in_spec(validate_instance, &json!({"template": {"objects": []}})).is_empty());
    }

    #[test]
    fn rejects_instances_of_a_broker_that_refer_to_nothing() {
        let spec = json!({"templateInstance": {"kind": "Secret", "name": "a", "namespace": "shop"},
            "secret": {}, "bindingIDs": ["1"]});
        assert_eq!(
            errors_in_spec(validate_broker_instance, &spec),
            [
                "spec.templateInstance.kind: Invalid value: \"Secret\": must be TemplateInstance",
                "spec.secret.kind: Required value",
                "spec.secret.name: Required value",
                "spec.secret.namespace: Required value",
                "spec.bindingIDs: Invalid value: \"1\": is not a valid UUID",
            ]
        );
    }
}
