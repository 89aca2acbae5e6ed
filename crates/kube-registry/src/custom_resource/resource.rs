//! Validation of whole custom resources, between the two phases of admission.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/registry/customresource`,
//! `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta/validation.go`.

use crate::custom_resource::place::{Update, field};
use crate::custom_resource::schema::Schema;
use crate::custom_resource::validate::validate;
use crate::custom_resource::{CustomResource, Version, lists};
use crate::validation::{
    validate_custom_metadata, validate_custom_metadata_update, validate_embedded_metadata,
};
use gotext::names;
use kube_api::field::{Error, ErrorType, Path};
use kube_api::{Map, Object, Value};

impl CustomResource {
    /// Returns the errors in an object to be created in `version`.
    pub fn validate_create(&self, version: &Version, object: &Object) -> Vec<Error> {
        let value = &object.value;
        let mut errors = self.type_errors(version, value);
        if errors.is_empty() {
            errors = validate_custom_metadata(value, self.is_namespaced);
            errors.extend(validate(&version.schema, value, None, None));
            version.validate_scale(value, &mut errors);
        }
        if let Some(map) = value.as_object() {
            embedded(map, &version.schema, None, &mut errors);
            lists::repetitions(map, &version.schema, None, &mut errors);
        }
        version.apply_rules(value, None, &mut errors);
        errors
    }

    /// Returns the errors in an object to replace `old` in `version`, through `sub_resource` or as a whole. Unchanged
    /// faults may stay; failures of rules about them are added to `warnings`.
    pub fn validate_update(
        &self,
        version: &Version,
        object: &Object,
        old: &Object,
        sub_resource: &str,
        warnings: &mut Vec<String>,
    ) -> Vec<Error> {
        let (new, old) = (&object.value, &old.value);
        let schema = &version.schema;
        let update = Update { schema, new, old };
        let update_of_all = update;
        let is_status = sub_resource == "status";
        let mut errors = self.type_errors(version, new);
        if errors.is_empty() {
            errors = validate_custom_metadata_update(new, old);
            if is_status {
                if let (Some(status), Some(schema)) = (new.get("status"), schema.properties.get("status")) {
                    let path = Path::new("status");
                    errors.extend(validate(schema, status, Some(&path), update.field("status")));
                }
                version.validate_scale_status(new, &mut errors);
            } else {
                errors.extend(validate(schema, new, None, Some(update)));
                version.validate_scale(new, &mut errors);
            }
        }
        if let (Some(new), Some(old)) = (new.as_object(), old.as_object()) {
            if !is_status {
                embedded(new, schema, None, &mut errors);
            }
            let mut before = Vec::new();
            lists::repetitions(old, schema, None, &mut before);
            if before.is_empty() {
                lists::repetitions(new, schema, None, &mut errors);
            }
        }
        warnings.extend(version.apply_rules(new, Some(update_of_all), &mut errors));
        errors
    }

    fn type_errors(&self, version: &Version, object: &Value) -> Vec<Error> {
        let text = |field: &str| object.text(field);
        let api_version = format!("{}/{}", self.group, version.name);
        [("kind", &*self.kind), ("apiVersion", &api_version)]
            .into_iter()
            .filter(|(field, wanted)| text(field) != *wanted)
            .map(|(field, wanted)| {
                Error::invalid_text(&Path::new(field), text(field), format!("must be {wanted}"))
            })
            .collect()
    }
}

impl Version {
    /// Evaluates the rules, unless the object is too broken for them, which the server then reports. Returns failures
    /// in parts that were invalid before.
    fn apply_rules(
        &self,
        object: &Value,
        update: Option<Update<'_>>,
        errors: &mut Vec<Error>,
    ) -> Vec<String> {
        let Some(rules) = self.rules() else { return Vec::new() };
        if errors.iter().any(blocks_rules) {
            let detail = "some validation rules were not checked because the object was invalid; correct the \
                          existing errors to complete validation";
            let error = Error::printed(ErrorType::Invalid, None, Some("null".to_owned()), detail);
            errors.push(error.about(None, &Value::Null));
            return Vec::new();
        }
        let findings = rules.validate(object, update);
        errors.extend(findings.errors);
        findings.warnings
    }

    fn validate_scale(&self, object: &Value, errors: &mut Vec<Error>) {
        if let Some(scale) = &self.scale {
            scale.validate_spec(object, errors);
            scale.validate_status(object, errors);
        }
    }

    fn validate_scale_status(&self, object: &Value, errors: &mut Vec<Error>) {
        if let Some(scale) = &self.scale {
            scale.validate_status(object, errors);
        }
    }
}

fn blocks_rules(error: &Error) -> bool {
    matches!(
        error.error_type,
        ErrorType::NotSupported
            | ErrorType::Required
            | ErrorType::TooLong
            | ErrorType::TooMany
            | ErrorType::TypeInvalid
    )
}

/// Validates the embedded objects of an object.
fn embedded(map: &Map, schema: &Schema, path: Option<&Path>, errors: &mut Vec<Error>) {
    if schema.is_embedded_resource && path.is_some() {
        embedded_resource(map, path, errors);
    }
    for (name, value) in map {
        if let Some(property) = schema.properties.get(name.as_str()) {
            embedded_below(value, property, &field(path, name), errors);
        } else if let Some(schema) = schema.additional_schema() {
            let path = path.map_or_else(|| Path::named(name.to_string()), |path| path.key(name.clone()));
            embedded_below(value, schema, &path, errors);
        }
    }
}

pub(super) fn embedded_below(value: &Value, schema: &Schema, path: &Path, errors: &mut Vec<Error>) {
    match value {
        Value::Object(map) => embedded(map, schema, Some(path), errors),
        Value::Array(items) => {
            let Some(schema) = &schema.items else { return };
            for (index, item) in items.iter().enumerate() {
                embedded_below(item, schema, &path.index(index), errors);
            }
        }
        _ => {}
    }
}

pub(super) fn embedded_resource(map: &Map, path: Option<&Path>, errors: &mut Vec<Error>) {
    let at = |name: &str| field(path, name);
    let missing = ["apiVersion", "kind"].into_iter().filter(|name| !map.contains_key(name));
    errors.extend(missing.map(|name| Error::required(&at(name), "")));
    for name in ["apiVersion", "kind"] {
        let detail = match map.get(name) {
            None => continue,
            Some(Value::String(text)) if text.is_empty() => "must not be empty".to_owned(),
            Some(Value::String(text)) if name == "apiVersion" => {
                if text.matches('/').count() < 2 {
                    continue;
                }
                format!("unexpected GroupVersion string: {text}")
            }
            Some(Value::String(text)) => match names::is_dns1035_label(&text.to_lowercase()) {
                messages if messages.is_empty() => continue,
                messages => {
                    let messages = messages.join(",");
                    format!("may have mixed case, but should otherwise match: {messages}")
                }
            },
            Some(_) => "must be a string".to_owned(),
        };
        errors.push(Error::invalid(&at(name), &map[name], detail));
    }
    if let Some(metadata) = map.get("metadata") {
        errors.extend(validate_embedded_metadata(metadata, &at("metadata")));
    }
}
