//! Custom resources as their definitions describe them: their versions, and the schema of their objects.
//!
//! A definition is compiled once ([`CustomResource::new`]); its objects are decoded, prepared, validated and stored by
//! the compiled form. An object is converted from one version to another as if there were no conversion webhook.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apiserver`, `…/pkg/registry/customresource`.

mod coerce;
pub(crate) mod declared;
pub(crate) mod default_values;
mod lists;
pub(crate) mod number;
mod place;
mod published;
mod resource;
pub(crate) mod rules;
mod scale;
mod schema;
mod validate;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::preparation::{copy_metadata, keep_metadata};
use gotext::quote;
use gotext::source::{Data, Node};
use kube_api::decode::{
    self, DecodeContext, DecodeError, Decoded, FieldValidation, StrictError, strict_message,
};
use kube_api::field::Path;
use kube_api::kinds::GroupKind;
use kube_api::tree::{child_mut, child_or_insert, copy};
use kube_api::{GroupVersionKind, Map, Name, Object, Value};

use rules::Validator;
pub use rules::{RuleVisit, TriedSchema};

pub use crate::custom_resource::published::declare_published;
pub use crate::custom_resource::scale::Scale;
pub(crate) use crate::custom_resource::schema::{ListType, Schema};

/// A custom resource definition, compiled.
#[derive(Debug)]
pub struct CustomResource {
    /// The definition's name: `backups.ops.example.com`.
    pub name: String,
    /// API group.
    pub group: String,
    /// Plural name.
    pub plural: String,
    /// Kind of the objects.
    pub kind: String,
    /// Kind of lists of them; empty if it is that of the objects with `List` after it.
    pub list_kind: String,
    /// Whether the objects live in namespaces.
    pub is_namespaced: bool,
    versions: Vec<Version>,
    has_conversion_webhook: bool,
    keeps_unknown_fields: bool,
}

/// One version of a custom resource.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a version has these flags")]
pub struct Version {
    /// Name, such as `v1beta1`.
    pub name: String,
    /// Whether requests for it are answered.
    pub is_served: bool,
    /// Whether there is a `status` subresource.
    pub has_status: bool,
    /// The `scale` subresource, if there is one.
    pub scale: Option<Scale>,
    /// The columns that clients print, as the definition has them.
    pub printer_columns: Vec<Value>,
    /// The fields that objects can be selected by, such as `spec.color`.
    pub selectable_fields: Vec<String>,
    is_stored: bool,
    is_deprecated: bool,
    deprecation_warning: Option<String>,
    schema: Schema,
    /// The schema as written, if it has rules; and the rules, compiled when they are first needed.
    with_rules: Option<Value>,
    rules: OnceLock<Option<Validator>>,
}

impl CustomResource {
    /// Compiles a `CustomResourceDefinition`.
    pub fn new(definition: &Object) -> Self {
        let text = |fields: &[&str]| definition.text(fields).to_owned();
        let versions = definition.items(["spec", "versions"]);
        Self {
            name: definition.name().to_owned(),
            group: text(&["spec", "group"]),
            plural: text(&["spec", "names", "plural"]),
            kind: text(&["spec", "names", "kind"]),
            list_kind: text(&["spec", "names", "listKind"]),
            is_namespaced: definition.text(["spec", "scope"]) == "Namespaced",
            versions: versions.map(Version::new).collect(),
            has_conversion_webhook: definition.text(["spec", "conversion", "strategy"]) == "Webhook",
            keeps_unknown_fields: definition.flag(["spec", "preserveUnknownFields"]),
        }
    }

    /// Returns a resource with one version that keeps every field of its objects.
    #[cfg(feature = "openshift")]
    pub(crate) fn preserving(
        group: &str,
        version: &str,
        plural: &str,
        kind: &str,
        is_namespaced: bool,
        has_status: bool,
    ) -> Self {
        let version = Version {
            name: version.to_owned(),
            is_served: true,
            is_stored: true,
            is_deprecated: false,
            deprecation_warning: None,
            has_status,
            scale: None,
            printer_columns: Vec::new(),
            selectable_fields: Vec::new(),
            with_rules: None,
            rules: OnceLock::new(),
            schema: Schema::preserving(),
        };
        Self {
            name: format!("{plural}.{group}"),
            group: group.to_owned(),
            plural: plural.to_owned(),
            kind: kind.to_owned(),
            list_kind: String::new(),
            is_namespaced,
            versions: vec![version],
            has_conversion_webhook: false,
            keeps_unknown_fields: true,
        }
    }

    /// Returns the version called `name`, served or not.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// Returns the versions that the server serves.
    pub fn served_versions(&self) -> impl Iterator<Item = &Version> {
        self.versions.iter().filter(|version| version.is_served)
    }

    /// Whether a webhook, which is not called here, converts objects between `version` and the stored one.
    pub fn is_converted_by_webhook(&self, version: &Version) -> bool {
        self.has_conversion_webhook && !version.is_stored
    }

    /// Returns the server's warning about every request to `version`, if it is deprecated.
    pub fn deprecation_warning(&self, version: &Version) -> Option<String> {
        if !version.is_deprecated {
            return None;
        }
        if let Some(warning) = &version.deprecation_warning {
            return Some(warning.clone());
        }
        let name = |version: &Version| format!("{}/{} {}", self.group, version.name, self.kind);
        let newer = self
            .versions
            .iter()
            .filter(|other| other.is_served && !other.is_deprecated)
            .filter(|other| compare_versions(&version.name, &other.name).is_lt())
            .max_by(|left, right| compare_versions(&left.name, &right.name));
        let hint = newer.map_or_else(String::new, |newer| format!("; use {}", name(newer)));
        Some(format!("{} is deprecated{hint}", name(version)))
    }

    /// Reads `node` as an object of `context.kind`, which is this resource in one of its versions: metadata by its
    /// type, everything else by the schema. An object of another kind is not touched; validation refuses it.
    pub fn decode(&self, node: Node, context: &DecodeContext<'_>) -> Result<Decoded, DecodeError> {
        let expected = context.kind;
        let unrecognized = |error: String| {
            let body = decode::summary(context.body);
            DecodeError::new(format!(
                "the object provided is unrecognized (must be of type {}): {error} ({body})",
                expected.kind
            ))
        };
        decode::interpret(&node)
            .and_then(|(api_version, kind)| decode::qualify(&api_version, kind, expected))
            .map_err(unrecognized)?;
        let written = |field: &str| node.get(field).and_then(Node::as_str).unwrap_or_default();
        if written("kind").is_empty() {
            return Err(unrecognized(format!("Object 'Kind' is missing in '{}'", context.body)));
        }
        let kind = GroupVersionKind::from_api_version(written("apiVersion"), written("kind"));
        let refuse = |error: String| DecodeError::refusing(&kind, &expected.kind, error);
        let validates = context.field_validation != FieldValidation::Ignore;
        let mut strict: Vec<StrictError> = Vec::new();
        let mut from_reader = 0;
        if validates {
            let reader = context.strict_errors.iter();
            strict.extend(reader.map(|text| StrictError { text: text.clone(), span: None }));
            from_reader = strict.len();
            if strict.is_empty() {
                repeated_keys(&node, &mut String::new(), &mut strict);
            }
        }
        let (value, unknown) = self.read(node, &kind, validates).map_err(|fault| DecodeError {
            span: fault.span,
            path: fault.path.clone(),
            ..refuse(fault.message)
        })?;
        if validates {
            strict.extend(unknown);
        }
        if context.field_validation == FieldValidation::Strict && !strict.is_empty() {
            let refused = refuse(strict_message(&strict, from_reader));
            let path = strict.get(from_reader).and_then(|error| unknown_field(&error.text));
            return Err(DecodeError { span: strict[0].span, path, ..refused });
        }
        if kind.group != expected.group || kind.version != expected.version {
            return Err(DecodeError::new(format!(
                "the API version in the data ({}) does not match the expected API version ({})",
                kind.api_version(),
                expected.api_version()
            )));
        }
        let warnings = strict.into_iter().map(|error| error.text).collect();
        Ok(Decoded { object: Object::new(kind, value), warnings, dropped: Vec::new() })
    }

    /// Fills in the defaults of the schema of the object's version.
    pub fn set_defaults(&self, object: &mut Object) {
        let version = self.version(&object.kind.version);
        if let (Value::Object(map), Some(version)) = (&mut object.value, version) {
            coerce::set_defaults_of(map, &version.schema);
        }
    }

    /// Returns `object` in `version`, as the server returns it.
    pub fn in_version(&self, object: &Object, version: &str) -> Object {
        let mut object = object.clone();
        self.convert(&mut object, version);
        object
    }

    /// Turns `object` into what comes back from the storage: there it was in the stored version, whose schema pruned it
    /// and filled in defaults.
    pub fn store(&self, object: &mut Object) {
        let requested = object.kind.version.clone();
        let Some(stored) = self.versions.iter().find(|version| version.is_stored) else { return };
        self.convert(object, &stored.name);
        if let Value::Object(map) = &mut object.value {
            coerce::drop_malformed_metadata(map);
            coerce::set_defaults_of(map, &stored.schema);
        }
        self.convert(object, &requested);
    }

    fn convert(&self, object: &mut Object, version: &str) {
        object.kind.version = Name::Owned(version.to_owned());
        let api_version = object.kind.api_version();
        let Value::Object(map) = &mut object.value else { return };
        map.insert("apiVersion".to_owned(), api_version.into());
        if let Some(version) = self.version(version) {
            self.fit(map, &version.schema);
        }
    }

    /// Returns the value of `node`, and the unknown fields.
    fn read(
        &self,
        node: Node,
        kind: &GroupVersionKind,
        validates: bool,
    ) -> Result<(Value, Vec<StrictError>), Fault> {
        let metadata = node.get("metadata").cloned();
        let mut value = node.into_value();
        let Value::Object(map) = &mut value else { return Ok((value, Vec::new())) };
        let mut unknown = Vec::new();
        if let Some(metadata) = metadata {
            let read = decode::metadata(metadata, "metadata", validates);
            let (metadata, others) =
                read.map_err(|(message, span)| Fault { message, span: Some(span), path: None })?;
            map.insert("metadata".to_owned(), metadata);
            unknown = others;
        }
        if kind.is(GroupKind { group: &self.group, kind: &self.kind }) {
            // A version that does not exist has no schema, and only metadata is left.
            let empty = Schema::default();
            let schema = self.version(&kind.version).map_or(&empty, |version| &version.schema);
            unknown.extend(
                self.fit(map, schema)
                    .into_iter()
                    .map(|path| StrictError { text: format!("unknown field \"{path}\""), span: None }),
            );
            let embedded = coerce::read_embedded(map, schema, validates);
            unknown.extend(embedded.map_err(|error| Fault {
                message: error.to_string(),
                span: None,
                path: error.path,
            })?);
            coerce::set_defaults_of(map, schema);
        }
        // An object always gets metadata in the end.
        map.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        Ok((value, unknown))
    }

    /// Removes what the schema does not describe, and the nulls that it does not allow; returns the unknown fields.
    fn fit(&self, map: &mut Map, schema: &Schema) -> Vec<String> {
        if self.keeps_unknown_fields {
            return Vec::new();
        }
        let unknown = coerce::prune(map, schema);
        coerce::drop_nulls_of(map, Some(schema));
        unknown
    }
}

/// The reason that an object cannot be read.
struct Fault {
    message: String,
    span: Option<gotext::source::Span>,
    path: Option<Path>,
}

impl Version {
    fn new(version: &Map) -> Self {
        let flag = |field: &str| version.flag(field);
        let text = |field: &str| version.get(field).and_then(Value::as_str);
        let sub_resource = |name: &str| version.get("subresources")?.get(name)?.as_object();
        let written = version.get("schema").and_then(|schema| schema.get("openAPIV3Schema"));
        let schema = written.and_then(Value::as_object).map(Schema::new).unwrap_or_default();
        let selectable = version.list("selectableFields").iter().map(|field| field.text("jsonPath"));
        let selectable = selectable.map(|path| path.trim_start_matches('.').to_owned());
        Self {
            name: text("name").unwrap_or_default().to_owned(),
            is_served: flag("served"),
            is_stored: flag("storage"),
            is_deprecated: flag("deprecated"),
            deprecation_warning: text("deprecationWarning").map(str::to_owned),
            has_status: sub_resource("status").is_some(),
            scale: sub_resource("scale").map(Scale::new),
            printer_columns: version.list("additionalPrinterColumns").to_vec(),
            selectable_fields: selectable.collect(),
            with_rules: written.filter(|_| schema.has_rules()).cloned(),
            rules: OnceLock::new(),
            schema,
        }
    }

    /// Returns the rules of its objects.
    fn rules(&self) -> Option<&Validator> {
        let schema = self.with_rules.as_ref()?;
        self.rules.get_or_init(|| Validator::new(schema)).as_ref()
    }

    /// Returns the schema of its objects.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }
}

/// Collects the keys that occur several times in a map.
fn repeated_keys(node: &Node, path: &mut String, errors: &mut Vec<StrictError>) {
    let length = path.len();
    match &node.data {
        Data::Object(entries) => {
            let mut seen = BTreeSet::new();
            for entry in entries {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&entry.key);
                let text = format!("duplicate field {}", quote(path));
                if !seen.insert(&entry.key) && errors.iter().all(|error| error.text != text) {
                    errors.push(StrictError { text, span: Some(entry.key_span) });
                }
                repeated_keys(&entry.value, path, errors);
                path.truncate(length);
            }
        }
        Data::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.extend(["[", &index.to_string(), "]"]);
                repeated_keys(item, path, errors);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

/// Returns which of two versions is the older one: `v1alpha1`, `v1beta1`, `v1`, `v2`; other names come first.
///
/// Source: `version.CompareKubeAwareVersionStrings`
fn compare_versions(left: &str, right: &str) -> Ordering {
    match (parse_version(left), parse_version(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        (None, None) => right.cmp(left),
    }
}

/// Returns stability, major and minor number.
fn parse_version(name: &str) -> Option<(u8, u64, u64)> {
    let rest = name.strip_prefix('v')?;
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    let (major, rest) = rest.split_at(end);
    let (stability, minor) = match rest.strip_prefix("alpha") {
        _ if rest.is_empty() => (2, "0"),
        Some(minor) => (0, minor),
        None => (1, rest.strip_prefix("beta")?),
    };
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| text.parse().ok().filter(|_| is_number(text));
    Some((stability, number(major)?, number(minor)?))
}

/// Prepares a custom resource to be created; its status is dropped if the definition has a status subresource.
pub(super) fn prepare_for_create(object: &mut Object, has_status: bool) {
    if has_status {
        object.remove(["status"]);
    }
}

/// Prepares a custom resource to replace `old`; if the definition has a status subresource, only that changes the
/// status, and nothing else.
pub(super) fn prepare_for_update(object: &mut Object, old: &Object, sub_resource: &str, has_status: bool) {
    let (Value::Object(map), Value::Object(old)) = (&mut object.value, &old.value) else { return };
    if sub_resource == "status" {
        let status = map.remove("status");
        let managed_fields = child_mut(map, "metadata").and_then(|metadata| metadata.remove("managedFields"));
        map.clone_from(old);
        map.remove("status");
        map.extend(status.map(|status| ("status".to_owned(), status)));
        let metadata = child_or_insert(map, "metadata");
        metadata.remove("managedFields");
        metadata.extend(managed_fields.map(|fields| ("managedFields".to_owned(), fields)));
        return;
    }
    copy_metadata(map, old, &["generation"]);
    if has_status {
        copy(map, old, "status");
    }
    keep_metadata(map, old);
}

/// Returns the path in the error about an unknown field: names after dots, numbers in brackets.
fn unknown_field(error: &str) -> Option<Path> {
    let text = error.strip_prefix("unknown field \"")?.strip_suffix('"')?;
    let mut path: Option<Path> = None;
    for step in text.split('.') {
        let (name, indices) = step.split_at(step.find('[').unwrap_or(step.len()));
        let named = path.map_or_else(|| Path::named(name.to_owned()), |path| path.child(name.to_owned()));
        let indices = indices.split(['[', ']']).filter_map(|index| index.parse().ok());
        path = Some(indices.fold(named, |path, index| path.index(index)));
    }
    path
}

#[cfg(test)]
mod tests;
