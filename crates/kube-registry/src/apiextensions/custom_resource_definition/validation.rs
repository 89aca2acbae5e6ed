//! Definitions of custom resources.
//!
//! The server validates its internal version, in which everything that all versions share is at the top level: that is
//! where errors point.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation`.

mod approval;
pub(crate) mod first_beta;
pub(crate) mod parts;
pub(crate) mod rules;
pub(crate) mod schema;
pub(crate) mod structural;

use crate::apiextensions::custom_resource_definition::validation::approval::validate_api_approval;
use crate::apiextensions::custom_resource_definition::validation::parts::{
    REVIEW_VERSIONS, has_invalid_authorities, validate_column, validate_conversion, validate_names,
    validate_selectable_fields, validate_sub_resources,
};

use crate::custom_resource::default_values::{have_unknown_fields, validate_defaults};
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{
    Scope, name_is_dns_subdomain, validate_immutable_text, validate_names_by,
    validate_object_meta_accessor_update, validate_object_meta_common,
};
use crate::validation::node::{Errors, Node};
use crate::validation::webhook::knows_review_version;
use gotext::names;
use kube_api::field::Error;
use kube_api::{Map, Value, internal_json};

/// Fields that move to the top level when all versions agree on them, and their names there.
const SHARED: [(&str, &str); 4] = [
    ("subresources", "subresources"),
    ("schema", "validation"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
    ("selectableFields", "selectableFields"),
];

/// The faults of an old definition that may stay.
#[expect(clippy::struct_excessive_bools, reason = "each is a check of its own")]
#[derive(Clone, Copy)]
pub(crate) struct Options<'a> {
    known_review_version: bool,
    immutable_names: bool,
    schemas: bool,
    valid_types: bool,
    structural: bool,
    atomic_sets: bool,
    map_list_keys: bool,
    unknown_fields_in_defaults: bool,
    /// Whether the bundle of authorities of a webhook may be invalid.
    any_authorities: bool,
    /// The definition and the old one, in the server's internal version.
    compared: Option<(&'a Value, &'a Value)>,
}

impl<'a> Options<'a> {
    fn new(object: &'a Value, old: Option<&'a Value>) -> Self {
        let Some(old) = old else {
            return Self {
                known_review_version: true,
                immutable_names: false,
                schemas: true,
                valid_types: true,
                structural: true,
                atomic_sets: true,
                map_list_keys: true,
                unknown_fields_in_defaults: false,
                any_authorities: true,
                compared: None,
            };
        };
        let before = Node::root(old);
        let spec = before.child("spec");
        let conversion = spec.child("conversion");
        let established = before
            .child("status")
            .list("conditions")
            .iter()
            .any(|condition| condition["type"] == "Established" && condition["status"] == "True");
        let schemas = schemas_of(&spec);
        let all = |holds: fn(&Value) -> bool| schemas.iter().all(|schema| holds(schema));
        Self {
            known_review_version: conversion.len(REVIEW_VERSIONS) == 0
                || knows_review_version(&conversion, REVIEW_VERSIONS),
            immutable_names: established,
            schemas: !spec.child("validation").raw("openAPIV3Schema").is_null()
                || spec
                    .list("versions")
                    .iter()
                    .all(|version| !version["schema"]["openAPIV3Schema"].is_null()),
            valid_types: all(|schema| !schema::has(schema, &schema::has_unknown_type)),
            structural: all(structural::is_structural),
            atomic_sets: all(|schema| !schema::has(schema, &schema::has_non_atomic_set)),
            map_list_keys: all(|schema| !schema::has(schema, &schema::has_wrong_list_keys)),
            any_authorities: !established || has_invalid_authorities(&conversion),
            compared: Some((object, old)),
            unknown_fields_in_defaults: schemas
                .iter()
                .any(|schema| structural::is_structural(schema) && have_unknown_fields(schema)),
        }
    }
}

impl Options<'_> {
    /// Whether a version has the schema that it had.
    fn keeps_schema(&self, version: &str) -> bool {
        // Without versions that have one of their own, every version has the shared one, also one that does not exist.
        fn schema<'s>(object: &'s Value, name: &str) -> Option<&'s Value> {
            let spec = Node::root(object).child("spec");
            let versions = spec.list("versions");
            if versions.iter().all(|version| version["schema"].is_null()) {
                return Some(spec.raw("validation"));
            }
            versions.iter().find(|version| version["name"] == name).map(|version| &version["schema"])
        }
        self.compared.is_some_and(|(object, old)| {
            let schemas = schema(object, version).zip(schema(old, version));
            schemas.is_some_and(|(now, then)| plainly_equal(now, then))
        })
    }

    /// Whether the fields to select by are those that there were; `None` is the top level.
    fn keeps_selectable_fields(&self, version: Option<&str>) -> bool {
        fn fields<'s>(object: &'s Value, name: Option<&str>) -> Option<&'s Value> {
            let spec = Node::root(object).child("spec");
            let Some(name) = name else { return Some(spec.raw("selectableFields")) };
            spec.list("versions").iter().find(|version| version["name"] == name)?.get("selectableFields")
        }
        self.compared.is_some_and(|(object, old)| {
            let both = fields(object, version).zip(fields(old, version));
            both.is_some_and(|(now, then)| plainly_equal(now, then))
        })
    }
}

/// Runs `ValidateCustomResourceDefinition`, and `ValidateCustomResourceDefinitionUpdate` if there is an old object.
pub(crate) fn validate_definition(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let value = internal(object.value());
    let before = old.map(|old| internal(old.value()));
    let object = &Node::root(&value);
    let (metadata, spec) = (object.child("metadata"), object.child("spec"));
    let options = Options::new(&value, before.as_ref());
    match old {
        None => validate_metadata(errors, &metadata, &spec),
        Some(old) => validate_object_meta_accessor_update(errors, &metadata, &old.child("metadata")),
    }
    validate_spec(errors, &spec, options);
    if let Some(before) = &before {
        let before = Node::root(before);
        validate_spec_update(errors, &spec, &before.child("spec"), options);
    }
    let status = object.child("status");
    validate_names(errors, &status.child("acceptedNames"));
    validate_stored_versions(errors, &status, &spec);
    validate_api_approval(errors, &metadata, &spec, old);
    let preserves = |spec: &Node| spec.flag("preserveUnknownFields");
    if preserves(&spec) && !old.is_some_and(|old| preserves(&old.child("spec"))) {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema \
                      instead";
        errors.invalid_value(&spec.at("preserveUnknownFields"), &Value::Bool(true), detail);
    }
}

/// Implements `ValidateUpdateCustomResourceDefinitionStatus`.
pub(crate) fn validate_definition_status(errors: &mut Errors, object: &Node) {
    validate_names(errors, &object.child("status").child("acceptedNames"));
}

/// Returns a definition in the server's internal version.
pub(crate) fn internal(object: &Value) -> Value {
    let mut object = object.clone();
    let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else { return object };
    if let Some(conversion) = spec.get_mut("conversion").and_then(Value::as_object_mut)
        && let Some(Value::Object(mut webhook)) = conversion.remove("webhook")
    {
        let moved = [
            ("clientConfig", "webhookClientConfig"),
            ("conversionReviewVersions", "conversionReviewVersions"),
        ];
        for (field, name) in moved {
            conversion.extend(webhook.remove(field).map(|value| (name.to_owned(), value)));
        }
    }
    let Some(Value::Array(mut versions)) = spec.remove("versions") else { return object };
    for (field, name) in SHARED {
        let is_shared = versions.iter().all(|version| plainly_equal(&version[field], &versions[0][field]));
        if is_shared {
            let taken =
                versions.iter_mut().filter_map(Value::as_object_mut).map(|version| version.remove(field));
            let taken: Vec<Option<Value>> = taken.collect();
            let first = taken.into_iter().next().flatten();
            spec.extend(first.map(|value| (name.to_owned(), value)));
        }
    }
    spec.insert("versions".to_owned(), versions.into());
    object
}

/// Returns all schemas of a definition.
fn schemas_of<'a>(spec: &Node<'a>) -> Vec<&'a Value> {
    let shared = spec.raw("validation").get("openAPIV3Schema");
    let own =
        spec.list("versions").iter().filter_map(|version| version.get("schema")?.get("openAPIV3Schema"));
    shared.into_iter().chain(own).filter(|schema| !schema.is_null()).collect()
}

fn validate_metadata(errors: &mut Errors, metadata: &Node, spec: &Node) {
    let expected = format!("{}.{}", spec.child("names").text("plural"), spec.text("group"));
    let rule = |name: &str, prefix: bool| {
        let mut messages = name_is_dns_subdomain(name, prefix);
        if name != expected {
            messages.push("must be spec.names.plural+\".\"+spec.group".to_owned());
        }
        messages
    };
    validate_names_by(errors, metadata, rule);
    validate_object_meta_common(errors, metadata, Scope::Cluster);
}

/// Implements `validateCustomResourceDefinitionSpec`.
pub(crate) fn validate_spec(errors: &mut Errors, spec: &Node, mut options: Options<'_>) {
    if errors.require_text(spec, "group") {
        let group = spec.text("group");
        let messages = names::is_dns1123_subdomain(group);
        if !messages.is_empty() {
            errors.invalid(&spec.at("group"), group, messages.join(","));
        } else if !group.contains('.') {
            errors.invalid(&spec.at("group"), group, "should be a domain with at least one dot");
        }
    }
    errors.require_one_of(spec, "scope", &["Cluster", "Namespaced"]);
    let prunes = !spec.flag("preserveUnknownFields");
    let schemas = schemas_of(spec);
    let has_any = |holds: fn(&Map) -> bool| schemas.iter().any(|schema| schema::has(schema, &holds));
    options.structural |= prunes || has_any(schema::has_default) || has_any(schema::has_extension);
    validate_schemas_given(errors, spec, options, prunes);
    if has_any(schema::has_default) && !prunes {
        let detail = "must be false in order to use defaults in the schema";
        errors.invalid_value(&spec.at("preserveUnknownFields"), &Value::Bool(true), detail);
    }
    validate_versions(errors, spec, options);
    let names = spec.child("names");
    for field in ["plural", "singular", "kind", "listKind"] {
        errors.require_text(&names, field);
    }
    validate_names(errors, &names);
    let has_status = |node: &Node| node.child("subresources").has("status");
    let any_status = has_status(spec) || spec.items("versions").any(|version| has_status(&version));
    // Inside, the name of the first version is at the top level as well.
    let first = spec.items("versions").next().map_or("", |version| version.text("name"));
    let is_kept = options.keeps_schema(first);
    validate_schema_holder(errors, &spec.child("validation"), any_status, options, is_kept);
    validate_sub_resources(errors, spec);
    for column in spec.items("additionalPrinterColumns") {
        validate_column(errors, &column);
    }
    if spec.len("selectableFields") > 0 {
        if spec.has("validation") {
            let is_kept = options.keeps_selectable_fields(None);
            validate_selectable_fields(
                errors,
                spec,
                spec.child("validation").raw("openAPIV3Schema"),
                is_kept,
            );
        } else {
            let detail = "may only be set when validations.schema is included";
            errors.invalid(&spec.at("selectableFields"), "", detail);
        }
    }
    if let Some(conversion) = spec.get("conversion") {
        if conversion.text("strategy") != "None" && !prunes {
            let detail = "must be None if spec.preserveUnknownFields is true";
            errors.invalid(&conversion.at("strategy"), conversion.text("strategy"), detail);
        }
        validate_conversion(errors, &conversion, options.known_review_version, options.any_authorities);
    }
}

/// Checks that every version has a schema, its own or the shared one.
fn validate_schemas_given(errors: &mut Errors, spec: &Node, options: Options<'_>, prunes: bool) {
    if !spec.child("validation").raw("openAPIV3Schema").is_null() || !options.schemas && !prunes {
        return;
    }
    for version in spec.items("versions") {
        let is_given = !version.child("schema").raw("openAPIV3Schema").is_null();
        let path = || version.below(&["schema", "openAPIV3Schema"]);
        if !is_given && options.schemas {
            errors.required(&path(), if errors.since(34) { "" } else { "schemas are required" });
        } else if !is_given && version.flag("served") {
            errors.required(&path(), "because otherwise all fields are pruned");
        }
    }
}

fn validate_versions(errors: &mut Errors, spec: &Node, options: Options<'_>) {
    let own_sub_resources = spec.items("versions").any(|version| version.has("subresources"));
    let mut seen = Vec::new();
    let mut is_unique = true;
    for version in spec.items("versions") {
        let name = version.text("name");
        is_unique &= !seen.contains(&name);
        seen.push(name);
        let messages = names::is_dns1035_label(name);
        if !messages.is_empty() {
            errors.invalid(&version.at("name"), name, messages.join(","));
        }
        let holder = if own_sub_resources { &version } else { spec };
        validate_version(errors, &version, holder.child("subresources").has("status"), options);
    }
    let printed = || {
        if !spec.has("versions") {
            return "null".to_owned();
        }
        let version =
            |version| internal_json::internal("apiextensions/v1.CustomResourceDefinitionVersion", version);
        format!("[{}]", spec.list("versions").iter().map(version).collect::<Vec<_>>().join(","))
    };
    if !is_unique {
        let error =
            Error::invalid_printed(&spec.at("versions"), printed(), "must contain unique version names");
        errors.push(error.about(None, spec.raw("versions")));
    }
    if spec.items("versions").filter(|version| version.flag("storage")).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        let error = Error::invalid_printed(&spec.at("versions"), printed(), detail);
        errors.push(error.about(None, spec.raw("versions")));
    }
    // Inside, the name of the first version is at the top level as well.
    if let Some(version) = spec.items("versions").next().map(|version| version.text("name")) {
        let messages = names::is_dns1035_label(version);
        if !version.is_empty() && !messages.is_empty() {
            errors.invalid(&spec.at("version"), version, messages.join(","));
        }
    }
}

/// Implements `validateCustomResourceDefinitionVersion`.
pub(crate) fn validate_version(errors: &mut Errors, version: &Node, has_status: bool, options: Options<'_>) {
    for message in deprecation_messages(version) {
        let path = version.at("deprecationWarning");
        errors.invalid_value(&path, version.raw("deprecationWarning"), message);
    }
    let is_kept = options.keeps_schema(version.text("name"));
    validate_schema_holder(errors, &version.child("schema"), has_status, options, is_kept);
    validate_sub_resources(errors, version);
    for column in version.items("additionalPrinterColumns") {
        validate_column(errors, &column);
    }
    if version.len("selectableFields") > 0 {
        if version.child("schema").has("openAPIV3Schema") {
            let is_kept = options.keeps_selectable_fields(Some(version.text("name")));
            let schema = version.child("schema").raw("openAPIV3Schema");
            validate_selectable_fields(errors, version, schema, is_kept);
        } else {
            let detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
            errors.invalid(&version.at("selectableFields"), "", detail);
        }
    }
}

/// Implements `validateDeprecationWarning`.
fn deprecation_messages(version: &Node) -> Vec<String> {
    let Some(warning) = version.given("deprecationWarning") else { return Vec::new() };
    if !version.flag("deprecated") {
        return vec!["can only be set for deprecated versions".to_owned()];
    }
    let mut messages = Vec::new();
    if warning.len() > 256 {
        messages.push("must be <= 256 characters long".to_owned());
    }
    if warning.is_empty() {
        messages.push("must not be an empty string".to_owned());
    }
    let is_hidden = |character: char| character.is_control() || character != ' ' && character.is_whitespace();
    if let Some((index, _)) = warning.char_indices().find(|(_, character)| is_hidden(*character)) {
        messages.push(format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {index}"
        ));
    }
    messages
}

/// Implements `validateCustomResourceDefinitionValidation`.
fn validate_schema_holder(
    errors: &mut Errors,
    holder: &Node,
    has_status: bool,
    options: Options<'_>,
    is_kept: bool,
) {
    let Some(root) = holder.get("openAPIV3Schema") else { return };
    schema::validate_root(errors, &root, has_status);
    let mut found = errors.none();
    if options.structural {
        found.0 = structural::validate(&root);
        if found.is_empty() && !schema::has_unsupported_fields(root.value()) {
            validate_defaults(&mut found, &root, options.unknown_fields_in_defaults);
        }
    }
    let compiles_rules = options.structural && found.is_empty();
    errors.0.append(&mut found.0);
    let checks = schema::Checks {
        valid_types: options.valid_types,
        atomic_sets: options.atomic_sets,
        map_list_keys: options.map_list_keys,
    };
    schema::validate(errors, &root, checks);
    if compiles_rules {
        rules::validate(errors, &root, is_kept);
    }
}

/// Implements the rest of `validateCustomResourceDefinitionSpecUpdate`.
fn validate_spec_update(errors: &mut Errors, spec: &Node, before: &Node, options: Options<'_>) {
    let (names, old_names) = (spec.child("names"), before.child("names"));
    if options.immutable_names {
        validate_immutable_text(errors, spec, before, "scope");
        validate_immutable_text(errors, &names, &old_names, "kind");
    }
    validate_immutable_text(errors, spec, before, "group");
    validate_immutable_text(errors, &names, &old_names, "plural");
}

/// Implements `ValidateCustomResourceDefinitionStoredVersions`.
fn validate_stored_versions(errors: &mut Errors, status: &Node, spec: &Node) {
    let path = || status.at("storedVersions");
    let stored: Vec<&str> = status.texts("storedVersions").collect();
    if stored.is_empty() {
        errors.invalid_value(&path(), status.raw("storedVersions"), "must have at least one stored version");
        return;
    }
    for version in spec.items("versions") {
        let name = version.text("name");
        if version.flag("storage") && !stored.contains(&name) {
            let detail = format!("must have the storage version {name}");
            errors.invalid_value(&path(), status.raw("storedVersions"), detail);
        }
    }
    for (index, name) in stored.iter().enumerate() {
        if !spec.items("versions").any(|version| version.text("name") == *name) {
            if !errors.since(33) {
                errors.invalid(&path().index(index), name, "must appear in spec.versions");
                continue;
            }
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions \
                 until a storage migration ensures no data remains persisted in {name} and removes {name} from \
                 status.storedVersions"
            );
            errors.invalid(&path().index(index), name, detail);
        }
    }
}

#[cfg(test)]
mod tests;
