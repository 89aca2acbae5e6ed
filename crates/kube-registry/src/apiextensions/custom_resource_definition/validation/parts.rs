//! The independent parts of a definition: names, columns, subresources, conversion.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::apiextensions::custom_resource_definition::validation::schema;
use crate::custom_resource::rules::field_path::{self, Step};
use crate::validation::node::{Errors, Node};
use crate::validation::webhook::{validate_client_config, validate_given_review_versions};
use crate::x509;
use gotext::names;
use kube_api::Value;

const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: [&str; 8] =
    ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
/// The field with the versions of conversion reviews that a webhook understands.
pub(crate) const REVIEW_VERSIONS: &str = "conversionReviewVersions";
const MAX_SELECTABLE_FIELDS: usize = 8;

/// Implements `ValidateCustomResourceDefinitionSubresources`.
pub(crate) fn validate_sub_resources(errors: &mut Errors, holder: &Node) {
    let sub_resources = holder.child("subresources");
    let Some(scale) = sub_resources.get("scale") else { return };
    for (field, part) in [("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")] {
        let (path, text) = (scale.at(field), scale.text(field));
        if text.is_empty() {
            errors.required(&path, "");
        } else if !text.starts_with('.') {
            errors.invalid(&path, text, "must be a simple json path starting with .");
        } else if !text.starts_with(&format!("{part}.")) {
            errors.invalid(&path, text, format!("should be a json path under {part}"));
        }
    }
    let (path, text) = (scale.at("labelSelectorPath"), scale.text("labelSelectorPath"));
    if text.is_empty() {
        return;
    }
    if !text.starts_with('.') {
        errors.invalid(&path, text, "must be a simple json path starting with .");
    } else if !text.starts_with(".spec.") && !text.starts_with(".status.") {
        errors.invalid(&path, text, "should be a json path under either .spec or .status");
    }
}

/// Implements `ValidateCustomResourceColumnDefinition`.
pub(crate) fn validate_column(errors: &mut Errors, column: &Node) {
    errors.require_text(column, "name");
    let (kind, format) = (column.text("type"), column.text("format"));
    let detail = format!("must be one of {}", COLUMN_TYPES.join(","));
    if kind.is_empty() {
        errors.required(&column.at("type"), detail);
    } else if !COLUMN_TYPES.contains(&kind) {
        errors.invalid(&column.at("type"), kind, detail);
    }
    if !format.is_empty() && !COLUMN_FORMATS.contains(&format) {
        let detail = format!("must be one of {}", COLUMN_FORMATS.join(","));
        errors.invalid(&column.at("format"), format, detail);
    }
    match column.text("jsonPath") {
        "" => errors.required(&column.at("JSONPath"), ""),
        path if !path.starts_with('.') => {
            errors.invalid(&column.at("JSONPath"), path, "must be a simple json path starting with .");
        }
        _ => {}
    }
}

/// Implements `ValidateCustomResourceSelectableFields`, of a version with `schema`.
pub(crate) fn validate_selectable_fields(errors: &mut Errors, holder: &Node, schema: &Value, is_kept: bool) {
    if let Some(detail) = schema::refused_by_structural(schema) {
        errors.invalid(&holder.at("schema.openAPIV3Schema"), "", detail);
    }
    let mut seen = Vec::new();
    for field in holder.items("selectableFields") {
        let text = field.text("jsonPath");
        if !errors.require_text(&field, "jsonPath") {
            continue;
        }
        let path = || field.at("jsonPath");
        let (steps, found) = match field_path::find(text, schema, false) {
            Ok(found) => found,
            Err(error) => {
                errors.invalid(&path(), text, format!("is an invalid path: {error}"));
                continue;
            }
        };
        if matches!(steps.first(), Some(Step::Property(name)) if name == "metadata") {
            errors.invalid(&path(), text, "must not point to fields in metadata");
        }
        let kind = found.and_then(|schema| schema["type"].as_str()).unwrap_or_default();
        if !["string", "boolean", "integer"].contains(&kind) {
            let detail = "must point to a field of type string, boolean or integer. Enum string fields and strings \
                          with formats are allowed.";
            errors.invalid(&path(), text, detail);
        }
        if seen.contains(&steps) {
            errors.duplicate(&path(), text);
        } else {
            seen.push(steps);
        }
    }
    if seen.len() > MAX_SELECTABLE_FIELDS && !is_kept {
        errors.too_many(&holder.at("selectableFields"), seen.len(), MAX_SELECTABLE_FIELDS);
    }
}

/// Implements `ValidateCustomResourceDefinitionNames`.
pub(crate) fn validate_names(errors: &mut Errors, found: &Node) {
    for (field, mixed) in [("plural", false), ("singular", false), ("kind", true), ("listKind", true)] {
        let text = found.text(field);
        let messages =
            if mixed { names::is_dns1035_label(&text.to_lowercase()) } else { names::is_dns1035_label(text) };
        if !text.is_empty() && !messages.is_empty() {
            let prefix = if mixed { "may have mixed case, but should otherwise match: " } else { "" };
            errors.invalid(&found.at(field), text, format!("{prefix}{}", messages.join(",")));
        }
    }
    validate_labels_of(errors, found, "shortNames");
    let list_kind = found.text("listKind");
    if !list_kind.is_empty() && list_kind == found.text("kind") {
        errors.invalid(&found.at("listKind"), list_kind, "kind and listKind may not be the same");
    }
    validate_labels_of(errors, found, "categories");
}

fn validate_labels_of(errors: &mut Errors, found: &Node, field: &'static str) {
    for (index, text) in found.texts(field).enumerate() {
        let messages = names::is_dns1035_label(text);
        if !messages.is_empty() {
            errors.invalid(&found.at(field).index(index), text, messages.join(","));
        }
    }
}

/// Implements `validateCustomResourceConversion`.
pub(crate) fn validate_conversion(
    errors: &mut Errors,
    conversion: &Node,
    known_review_version: bool,
    any_authorities: bool,
) {
    errors.require_one_of(conversion, "strategy", &["None", "Webhook"]);
    let path = || conversion.at(REVIEW_VERSIONS);
    let config = conversion.get("webhookClientConfig");
    if conversion.text("strategy") != "Webhook" {
        let detail = "should not be set when strategy is not set to Webhook";
        if let Some(config) = config {
            errors.forbidden(&config.here(), detail);
        }
        if conversion.len(REVIEW_VERSIONS) > 0 {
            errors.forbidden(&path(), detail);
        }
        return;
    }
    match config {
        None => {
            let detail = "required when strategy is set to Webhook";
            errors.required(&conversion.at("webhookClientConfig"), detail);
        }
        Some(config) => {
            validate_client_config(errors, &config);
            if let Some(detail) = refused_authorities(&config).filter(|_| !any_authorities) {
                errors.invalid_value(&config.at("caBundle"), config.raw("caBundle"), detail);
            }
        }
    }
    if conversion.len(REVIEW_VERSIONS) == 0 {
        errors.required(&path(), "");
    } else {
        validate_given_review_versions(errors, conversion, REVIEW_VERSIONS, known_review_version);
    }
}

/// Whether a webhook has a bundle of authorities that is invalid.
pub(crate) fn has_invalid_authorities(conversion: &Node) -> bool {
    refused_authorities(&conversion.child("webhookClientConfig")).is_some()
}

/// Implements `ValidateCABundle`.
fn refused_authorities(config: &Node) -> Option<String> {
    x509::refused_authorities(&STANDARD.decode(config.text("caBundle")).unwrap_or_default())
}
