//! Definitions of `v1beta1`: a schema is optional, need not be structural unless unknown fields are pruned, and cannot
//! have defaults; what all versions share is at the top level.
//!
//! Source: `ValidateCustomResourceDefinition` of the releases before 1.22, called for `v1beta1`.

use super::approval::{Approval, validate_api_approval};
use super::{
    Options, schema, validate_metadata, validate_names, validate_spec, validate_spec_update,
    validate_stored_versions,
};
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::validate_object_meta_accessor_update;
use crate::validation::node::{Errors, Node};
use kube_api::field::Path;
use kube_api::{Value, internal_json};

/// The fields of a version that the top level may have instead: their names there, in a version, and in errors.
const SHARED: [(&str, &str, &str); 3] = [
    ("validation", "schema", "schemas"),
    ("subresources", "subresources", "subresources"),
    ("additionalPrinterColumns", "additionalPrinterColumns", "additionalPrinterColumns"),
];

/// Runs `ValidateCustomResourceDefinition`, and `ValidateCustomResourceDefinitionUpdate` if there is an old object.
pub(crate) fn validate(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let value = internal(object.value());
    let before = old.map(|old| internal(old.value()));
    let object = &Node::root(&value);
    let (metadata, spec) = (object.child("metadata"), object.child("spec"));
    let mut options = Options::new(&value, before.as_ref());
    options.schemas = false;
    options.valid_types = false;
    options.structural = false;
    match old {
        None => validate_metadata(errors, &metadata, &spec),
        Some(old) => validate_object_meta_accessor_update(errors, &metadata, &old.child("metadata")),
    }
    let had_defaults = before
        .as_ref()
        .is_some_and(|before| schemas(before).any(|found| schema::has(found, &schema::has_default)));
    let checked = if had_defaults { value.clone() } else { refuse_defaults(errors, &value) };
    let spec = &Node::root(&checked).child("spec");
    validate_spec(errors, spec, options);
    validate_shared(errors, spec);
    if let Some(before) = &before {
        validate_spec_update(errors, spec, &Node::root(before).child("spec"), options);
    }
    let status = object.child("status");
    validate_names(errors, &status.child("acceptedNames"));
    validate_stored_versions(errors, &status, spec);
    if Approval::of(&metadata) != Approval::Missing {
        validate_api_approval(errors, &metadata, spec, old);
    }
}

/// Returns a definition in the server's internal version.
fn internal(object: &Value) -> Value {
    fn rename(holder: &mut Value) {
        let columns = holder.get_mut("additionalPrinterColumns").and_then(Value::as_array_mut);
        for column in columns.into_iter().flatten().filter_map(Value::as_object_mut) {
            let path = column.remove("JSONPath");
            column.extend(path.map(|path| ("jsonPath", path)));
        }
    }
    let mut object = object.clone();
    if let Some(spec) = object.get_mut("spec") {
        rename(spec);
        let versions = spec.get_mut("versions").and_then(Value::as_array_mut);
        versions.into_iter().flatten().for_each(rename);
    }
    object
}

fn schemas(definition: &Value) -> impl Iterator<Item = &Value> {
    let spec = &definition["spec"];
    let own = spec["versions"].as_array().into_iter().flatten().map(|version| &version["schema"]);
    own.chain([&spec["validation"]]).map(|holder| &holder["openAPIV3Schema"])
}

/// Checks that fields are at the top level or in the versions, and there only if the versions differ.
fn validate_shared(errors: &mut Errors, spec: &Node) {
    let versions = spec.list("versions");
    let given = |value: &Value| !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty());
    for (name, field, plural) in SHARED {
        if given(spec.raw(name)) && versions.iter().any(|version| given(&version[field])) {
            let detail = format!("top-level and per-version {plural} are mutually exclusive");
            errors.forbidden(&spec.at(name), detail);
        }
    }
    for (name, field, plural) in SHARED {
        let equal =
            |version: &Value| given(&version[field]) && plainly_equal(&version[field], &versions[0][field]);
        if !versions.is_empty() && versions.iter().all(equal) {
            let version = |version| {
                internal_json::internal("apiextensions/v1.CustomResourceDefinitionVersion", version)
            };
            let printed = format!("[{}]", versions.iter().map(version).collect::<Vec<_>>().join(","));
            let detail = format!(
                "per-version {plural} may not all be set to identical values (top-level {name} should be used instead)"
            );
            errors.invalid_printed(&spec.at("versions"), printed, detail);
        }
    }
    let first = versions.first().and_then(|version| version["name"].as_str());
    if let (Some(first), Some(version)) = (first, spec.given("version"))
        && !version.is_empty()
        && first != version
    {
        errors.invalid(&spec.at("version"), version, "must match the first version in spec.versions");
    }
}

/// Adds an error for each default in the schemas, and returns the definition without them.
fn refuse_defaults(errors: &mut Errors, definition: &Value) -> Value {
    let mut definition = definition.clone();
    let path = Path::new("spec");
    if let Some(versions) = definition["spec"].get_mut("versions").and_then(Value::as_array_mut) {
        for (index, version) in versions.iter_mut().enumerate() {
            let path = path.child("versions").index(index).child("schema").child("openAPIV3Schema");
            if let Some(schema) =
                version.get_mut("schema").and_then(|holder| holder.get_mut("openAPIV3Schema"))
            {
                remove_defaults(errors, &path, schema);
            }
        }
    }
    let top = definition["spec"].get_mut("validation").and_then(|holder| holder.get_mut("openAPIV3Schema"));
    if let Some(schema) = top {
        remove_defaults(errors, &path.child("validation").child("openAPIV3Schema"), schema);
    }
    definition
}

fn remove_defaults(errors: &mut Errors, path: &Path, schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    if fields.remove("default").is_some_and(|default| !default.is_null()) {
        errors.forbidden(
            &path.child("default"),
            "must not be set (cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use \
             apiextensions.k8s.io/v1)",
        );
    }
    for field in ["items", "not", "additionalProperties", "additionalItems"] {
        if let Some(below) = fields.get_mut(field) {
            remove_defaults(errors, &path.child(field), below);
        }
    }
    for field in ["items", "allOf", "anyOf", "oneOf"] {
        let list = fields.get_mut(field).and_then(Value::as_array_mut);
        for (index, below) in list.into_iter().flatten().enumerate() {
            remove_defaults(errors, &path.child(field).index(index), below);
        }
    }
    for field in ["properties", "patternProperties", "definitions", "dependencies"] {
        let Some(map) = fields.get_mut(field).and_then(Value::as_object_mut) else { continue };
        let names: Vec<String> = map.iter().map(|(name, _)| name.to_string()).collect();
        for name in names {
            if let Some(below) = map.get_mut(name.as_str()) {
                remove_defaults(errors, &path.child(field).key(name), below);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn definition(change: impl FnOnce(&mut Value)) -> Value {
        let mut value = json!({
            "metadata": {"name": "backups.example.com", "resourceVersion": "1"},
            "spec": {
                "group": "example.com", "version": "v1", "scope": "Namespaced", "preserveUnknownFields": true,
                "names": {"plural": "backups", "singular": "backup", "kind": "Backup", "listKind": "BackupList"},
                "versions": [{"name": "v1", "served": true, "storage": true}],
            },
            "status": {"storedVersions": ["v1"]},
        });
        change(&mut value["spec"]);
        value
    }

    fn errors(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut errors = Errors::default();
        validate(&mut errors, &Node::root(&definition(change)), None);
        errors.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn admits_definitions_without_a_schema_and_with_one_that_is_not_structural() {
        assert_eq!(errors(|_| {}), [""; 0]);
        let schema = json!({"properties": {"spec": {"properties": {"size": {"type": "integer"}}}}});
        assert_eq!(errors(|spec| spec["validation"] = json!({"openAPIV3Schema": schema})), [""; 0]);
    }

    #[test]
    fn rejects_what_prunes_without_a_structural_schema() {
        assert_eq!(
            errors(|spec| spec["preserveUnknownFields"] = json!(false)),
            [
                "spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned"
            ]
        );
        let prunes = |spec: &mut Value| {
            spec["preserveUnknownFields"] = json!(false);
            spec["validation"] = json!({"openAPIV3Schema": {"properties": {"spec": {"type": "object"}}}});
        };
        assert_eq!(
            errors(prunes),
            ["spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root"]
        );
    }

    #[test]
    fn rejects_defaults_and_fields_in_two_places() {
        let schema = json!({"type": "object", "properties": {"size": {"type": "integer", "default": 1}}});
        assert_eq!(
            errors(|spec| spec["validation"] = json!({"openAPIV3Schema": schema})),
            [
                "spec.validation.openAPIV3Schema.properties[size].default: Forbidden: must not be set (cannot set default \
              values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)"
            ]
        );
        let twice = |spec: &mut Value| {
            spec["subresources"] = json!({"status": {}});
            spec["versions"] = json!([
                {"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}},
                {"name": "v2", "served": true, "storage": false},
            ]);
        };
        assert_eq!(
            errors(twice),
            ["spec.subresources: Forbidden: top-level and per-version subresources are mutually exclusive"]
        );
        assert_eq!(
            errors(|spec| spec["version"] = json!("v2")),
            ["spec.version: Invalid value: \"v2\": must match the first version in spec.versions"]
        );
    }

    #[test]
    fn checks_columns_by_the_name_of_their_field() {
        let column = json!([{"name": "Size", "type": "integer", "JSONPath": "spec.size"}]);
        assert_eq!(
            errors(|spec| spec["additionalPrinterColumns"] = column),
            [
                "spec.additionalPrinterColumns[0].JSONPath: Invalid value: \"spec.size\": must be a simple json path \
              starting with ."
            ]
        );
    }
}
