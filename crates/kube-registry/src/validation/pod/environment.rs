//! Environment variables, and the fields of the pod that they and downward API volumes read.
//!
//! Source: `ValidateEnv`, `ValidateEnvFrom`, `validateObjectFieldSelector`.

use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use crate::validation::pod::Options;
use crate::validation::pod::path::validate_path_no_backsteps;
use crate::validation::resources::quantity;
use gotext::names;

const ENV_FIELD_PATHS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.podIP",
    "status.podIPs",
    "status.hostIPs",
];
/// The minor of the first release with the last one.
const HAS_ALL_ADDRESSES: u32 = 28;
/// The fields by which Pods can be selected, besides the paths for environment variables.
const OTHER_FIELD_LABELS: [&str; 6] = [
    "metadata.annotations",
    "metadata.labels",
    "spec.restartPolicy",
    "spec.schedulerName",
    "status.phase",
    "spec.host",
];
/// `sets.List(validContainerResourceFieldPathExpressions)`
const RESOURCE_FIELDS: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const DIVISORS: [&str; 13] =
    ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/// Implements `ValidateEnv`.
pub(crate) fn validate_env(errors: &mut Errors, container: &Node, options: &Options) {
    for variable in container.items("env") {
        if errors.require_text(&variable, "name") {
            let messages = check_name(variable.text("name"), options);
            errors.each_of(&variable, "name", messages);
        }
        validate_env_var_value_from(errors, &variable, options);
    }
}

/// Implements `validateEnvVarValueFrom`.
fn validate_env_var_value_from(errors: &mut Errors, variable: &Node, options: &Options) {
    let Some(source) = variable.get("valueFrom") else { return };
    let mut sources = 0;
    if let Some(reference) = source.get("fieldRef") {
        sources += 1;
        let [older @ .., _] = &ENV_FIELD_PATHS;
        let known = if errors.since(HAS_ALL_ADDRESSES) { &ENV_FIELD_PATHS[..] } else { older };
        validate_object_field_selector(errors, &reference, known);
    }
    if let Some(reference) = source.get("resourceFieldRef") {
        sources += 1;
        validate_container_resource_field_selector(errors, &reference, false);
    }
    for kind in ["configMapKeyRef", "secretKeyRef"] {
        if let Some(reference) = source.get(kind) {
            sources += 1;
            errors.each_of(&reference, "name", name_is_dns_subdomain(reference.text("name"), false));
            if errors.require_text(&reference, "key") {
                errors.each_of(&reference, "key", names::is_config_map_key(reference.text("key")));
            }
        }
    }
    if let Some(reference) = source.get("fileKeyRef") {
        sources += 1;
        validate_file_key_selector(errors, &reference);
    }
    if sources == 0 {
        let detail = if options.env_files {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        } else {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
        };
        errors.invalid(&source.here(), "", detail);
    } else if !variable.text("value").is_empty() {
        errors.invalid(&source.here(), "", "may not be specified when `value` is not empty");
    } else if sources > 1 {
        errors.invalid(&source.here(), "", "may not have more than one field specified at a time");
    }
}

/// Implements `validateObjectFieldSelector`.
pub(crate) fn validate_object_field_selector(errors: &mut Errors, reference: &Node, expressions: &[&str]) {
    if !errors.require_text(reference, "apiVersion") || !errors.require_text(reference, "fieldPath") {
        return;
    }
    let path = reference.text("fieldPath");
    let internal = match convert_downward_api_field_label(reference.text("apiVersion"), path) {
        Ok(internal) => internal,
        Err(error) => {
            let detail = format!("error converting fieldPath: {error}");
            errors.invalid(&reference.at("fieldPath"), path, detail);
            return;
        }
    };
    match subscripted(internal) {
        Some(("metadata.annotations", key)) => {
            let key = key.to_lowercase();
            errors.each(|| reference.here(), &key, names::is_qualified_name(&key));
        }
        Some((_, key)) => errors.each(|| reference.here(), key, names::is_qualified_name(key)),
        None if !expressions.contains(&internal) => {
            let mut sorted = expressions.to_vec();
            sorted.sort_unstable();
            errors.not_supported(&reference.at("fieldPath"), internal, &sorted);
        }
        None => {}
    }
}

/// Implements `ConvertDownwardAPIFieldLabel`.
fn convert_downward_api_field_label<'a>(version: &str, label: &'a str) -> Result<&'a str, String> {
    if version != "v1" {
        return Err(format!("unsupported pod version: {version}"));
    }
    match subscripted(label) {
        Some(("metadata.annotations" | "metadata.labels", _)) => Ok(label),
        Some(_) => Err(format!("field label does not support subscript: {label}")),
        None if label == "spec.host" => Ok("spec.nodeName"),
        None if ENV_FIELD_PATHS.contains(&label) || OTHER_FIELD_LABELS.contains(&label) => Ok(label),
        None => Err(format!("field label not supported: {label}")),
    }
}

/// Implements `SplitMaybeSubscriptedPath`.
fn subscripted(path: &str) -> Option<(&str, &str)> {
    let (field, key) = path.strip_suffix("']")?.split_once("['")?;
    (!field.is_empty()).then_some((field, key))
}

/// Implements `validateContainerResourceFieldSelector`.
pub(crate) fn validate_container_resource_field_selector(
    errors: &mut Errors,
    reference: &Node,
    volume: bool,
) {
    let resource = reference.text("resource");
    if volume && reference.text("containerName").is_empty() {
        errors.required(&reference.at("containerName"), "");
    } else if resource.is_empty() {
        errors.required(&reference.at("resource"), "");
    } else if !RESOURCE_FIELDS.contains(&resource) && !is_huge_pages(resource) {
        errors.not_supported(&reference.at("resource"), resource, &RESOURCE_FIELDS);
    }
    validate_container_resource_divisor(errors, reference);
}

fn is_huge_pages(resource: &str) -> bool {
    resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-")
}

/// Implements `validateContainerResourceDivisor`.
fn validate_container_resource_divisor(errors: &mut Errors, reference: &Node) {
    let divisor = quantity(reference.raw("divisor"));
    if divisor.is_zero() {
        return;
    }
    let resource = reference.text("resource");
    let kind = match resource {
        "limits.cpu" | "requests.cpu" => {
            if !["1m", "1"].contains(&&*divisor.canonical()) {
                let detail = "only divisor's values 1m and 1 are supported with the cpu resource";
                errors.invalid(&reference.at("divisor"), resource, detail);
            }
            return;
        }
        "limits.memory" | "requests.memory" => "memory",
        "limits.ephemeral-storage" | "requests.ephemeral-storage" => "local ephemeral storage",
        _ if is_huge_pages(resource) => "hugepages",
        _ => return,
    };
    if !DIVISORS.contains(&&*divisor.canonical()) {
        let detail =
            format!("only divisor's values {} are supported with the {kind} resource", DIVISORS.join(", "));
        errors.invalid(&reference.at("divisor"), resource, detail);
    }
}

/// Implements `validateFileKeySelector`.
fn validate_file_key_selector(errors: &mut Errors, reference: &Node) {
    if errors.require_text(reference, "key") {
        errors.each_of(reference, "key", names::is_relaxed_env_var_name(reference.text("key")));
    }
    if errors.require_text(reference, "volumeName") {
        errors.each_of(reference, "volumeName", names::is_dns1123_label(reference.text("volumeName")));
    }
    if errors.require_text(reference, "path") {
        validate_path_no_backsteps(errors, reference.text("path"), || reference.at("path"));
    }
}

/// Checks the name of a variable, or its prefix.
fn check_name(name: &str, options: &Options) -> Vec<String> {
    if options.relaxed_variable_names {
        names::is_relaxed_env_var_name(name)
    } else {
        names::is_env_var_name(name)
    }
}

/// Implements `ValidateEnvFrom`.
pub(crate) fn validate_env_from(errors: &mut Errors, container: &Node, options: &Options) {
    for source in container.items("envFrom") {
        let prefix = source.text("prefix");
        if !prefix.is_empty() {
            errors.each_of(&source, "prefix", check_name(prefix, options));
        }
        let mut sources = 0;
        for kind in ["configMapRef", "secretRef"] {
            if let Some(reference) = source.get(kind) {
                sources += 1;
                if errors.require_text(&reference, "name") {
                    errors.each_of(&reference, "name", name_is_dns_subdomain(reference.text("name"), true));
                }
            }
        }
        if sources == 0 {
            errors.invalid(
                &container.at("envFrom"),
                "",
                "must specify one of: `configMapRef` or `secretRef`",
            );
        } else if sources > 1 {
            let detail = "may not have more than one field specified at a time";
            errors.invalid(&container.at("envFrom"), "", detail);
        }
    }
}
