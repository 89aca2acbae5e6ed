//! The schemas of a document: those of built-in types from the field tables, those of custom resources from their
//! definitions.

use std::collections::BTreeMap;

use crate::serve::shelf::Shelf;
use gotext::value::json;
use kube_api::resources::CUSTOM_RESOURCE_DEFINITIONS;
use kube_api::schema::{self, Field, Scalar, Shape, Tables, Topology, Type};
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Map, Object, Value, decode};

/// Where packages of the field tables are in Go, by their first part.
const PACKAGES: [(&str, &str); 3] = [
    ("meta", META),
    ("apiextensions", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"),
    ("apiregistration", "io.k8s.kube-aggregator.pkg.apis.apiregistration"),
];

const META: &str = "io.k8s.apimachinery.pkg.apis.meta";

/// The kinds that every group and version has.
const EVERYWHERE: [&str; 2] = ["DeleteOptions", "WatchEvent"];

/// The fields of the answer to `/version`: those that are required, and the others.
const VERSION_FIELDS: [&[&str]; 2] = [
    &[
        "major",
        "minor",
        "gitVersion",
        "gitCommit",
        "gitTreeState",
        "buildDate",
        "goVersion",
        "compiler",
        "platform",
    ],
    &["emulationMajor", "emulationMinor", "minCompatibilityMajor", "minCompatibilityMinor"],
];

/// A dialect of OpenAPI.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    V2,
    V3,
}

impl Dialect {
    fn prefix(self) -> &'static str {
        match self {
            Self::V2 => "#/definitions/",
            Self::V3 => "#/components/schemas/",
        }
    }

    fn reference(self, name: &str) -> Value {
        json!({"$ref": format!("{}{name}", self.prefix())})
    }
}

/// The schemas of a document.
pub(super) struct Schemas<'a> {
    pub(super) dialect: Dialect,
    pub(super) release: Version,
    shelf: &'a Shelf,
    /// The group and version of the document; all of them in that of version 2.
    group_version: Option<(&'a str, &'a str)>,
    found: BTreeMap<String, Value>,
}

impl<'a> Schemas<'a> {
    pub(super) fn new(
        dialect: Dialect,
        release: Version,
        shelf: &'a Shelf,
        group_version: Option<(&'a str, &'a str)>,
    ) -> Self {
        Self { dialect, release, shelf, group_version, found: BTreeMap::new() }
    }

    /// Returns all schemas by their names.
    pub(super) fn into_map(self) -> Map {
        self.found.into_iter().collect()
    }

    pub(super) fn tables(&self) -> Tables {
        schema::of_release(self.release)
    }

    /// Returns a reference to the schema of a kind.
    pub(super) fn kind(&mut self, kind: &GroupVersionKind) -> Value {
        match self.tables().of(kind) {
            Some(table) => self.value(table),
            None => self.custom(kind),
        }
    }

    /// Returns a reference to the schema of the lists of a kind.
    pub(super) fn list(&mut self, kind: &GroupVersionKind) -> Value {
        let table = self.tables().of(kind);
        let definition = if table.is_some() { None } else { self.definition(kind) };
        let name = table.map_or_else(|| custom_name(kind), name);
        let list_kind =
            definition.as_ref().map_or("", |definition| definition.text(["spec", "names", "listKind"]));
        let list_kind =
            if list_kind.is_empty() { format!("{}List", kind.kind) } else { list_kind.to_owned() };
        let name = format!("{}{list_kind}", name.strip_suffix(&*kind.kind).unwrap_or_default());
        let reference = self.dialect.reference(&name);
        if self.found.contains_key(&name) {
            return reference;
        }
        let item = self.kind(kind);
        let mut metadata = self.property(self.named("meta/v1.ListMeta"));
        if table.is_some() && self.dialect == Dialect::V3 {
            metadata["default"] = json!({});
        }
        let mut found = json!({
            "type": "object",
            "required": ["items"],
            "properties": {
                "apiVersion": {"type": "string"},
                "items": {"type": "array", "items": item},
                "kind": {"type": "string"},
                "metadata": metadata,
            },
        });
        found["x-kubernetes-group-version-kind"] = vec![group_version_kind(&GroupVersionKind::new(
            kind.group.clone(),
            kind.version.clone(),
            list_kind,
        ))]
        .into();
        if let Some(fields) = definition.and_then(|definition| selectable_fields(&definition, kind)) {
            found["x-kubernetes-selectable-fields"] = fields;
        }
        self.found.insert(name, found);
        reference
    }

    /// Returns a reference to the schema of a type of `meta/v1`.
    pub(super) fn meta(&mut self, name: &str) -> Value {
        if name == "Patch" {
            return self.whole(&format!("{META}.v1.Patch"), json!({"type": "object"}));
        }
        self.value(self.named(&format!("meta/v1.{name}")))
    }

    /// Returns a reference to the schema of the answer to `/version`.
    pub(super) fn version(&mut self) -> Value {
        let [required, others] = VERSION_FIELDS;
        let mut properties: Map =
            others.iter().map(|field| ((*field).to_owned(), json!({"type": "string"}))).collect();
        let mut text = json!({"type": "string"});
        if self.dialect == Dialect::V3 {
            text["default"] = "".into();
        }
        properties.extend(required.iter().map(|field| ((*field).to_owned(), text.clone())));
        let found = json!({"type": "object", "required": required.to_vec(), "properties": properties});
        self.whole("io.k8s.apimachinery.pkg.version.Info", found)
    }

    /// Returns the type of the tables called `path`, which all releases have.
    fn named(&self, path: &str) -> &'static Type {
        self.tables().named(path).unwrap_or_else(|| panic!("the field tables have no type {path}"))
    }

    /// Adds a schema, and returns a reference to it.
    fn whole(&mut self, name: &str, found: Value) -> Value {
        self.found.entry(name.to_owned()).or_insert(found);
        self.dialect.reference(name)
    }

    /// Adds a struct and those that it refers to.
    fn add_type(&mut self, table: &Type) {
        let name = name(table);
        if self.found.contains_key(&name) {
            return;
        }
        // A type may refer to itself.
        self.found.insert(name.clone(), Value::Null);
        let properties: Map =
            table.fields().iter().map(|field| (field.name.to_string(), self.field(table, field))).collect();
        let required = table.fields().iter().filter(|field| table.requires(field, self.release));
        let required: Vec<&str> = required.map(|field| field.name.as_ref()).collect();
        let mut found = json!({"type": "object"});
        if !required.is_empty() {
            found["required"] = required.into();
        }
        if !properties.is_empty() {
            found["properties"] = properties.into();
        }
        if matches!(&table.shape, Shape::Struct(structure) if structure.atomic) {
            found["x-kubernetes-map-type"] = "atomic".into();
        }
        let kinds = self.kinds(table);
        if !kinds.is_empty() {
            found["x-kubernetes-group-version-kind"] = kinds.into();
        }
        if let Some(union) = table.union() {
            let go_name = |field: &&str| ((*field).to_owned(), Value::from(capital(field)));
            let fields: Map = union.fields.iter().map(go_name).collect();
            let mut whole = json!({"fields-to-discriminateBy": fields});
            if let Some(discriminator) = union.discriminator {
                whole["discriminator"] = discriminator.into();
            }
            found["x-kubernetes-unions"] = vec![whole].into();
        }
        self.found.insert(name, found);
    }

    /// Returns the groups, versions and kinds that objects of a type have.
    fn kinds(&self, table: &Type) -> Vec<Value> {
        let Some(kind) = Self::kind_of(table) else { return Vec::new() };
        let in_version = |(group, version): (&str, &str)| {
            group_version_kind(&GroupVersionKind::new(
                group.to_owned(),
                version.to_owned(),
                kind.kind.clone(),
            ))
        };
        if !EVERYWHERE.contains(&&*kind.kind) {
            return vec![group_version_kind(&kind)];
        }
        let mut all: Vec<(&str, &str)> = match self.group_version {
            Some(own) => vec![("", "v1"), own],
            None => decode::group_versions().collect(),
        };
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(in_version).collect()
    }

    /// Returns the kind of a type; those of `meta/v1` are of the core.
    fn kind_of(table: &Type) -> Option<GroupVersionKind> {
        if table.package != "meta/v1" {
            return table.kind();
        }
        let name = table.short_name().to_owned();
        (table.kind().is_some() || name == "WatchEvent").then(|| GroupVersionKind::new("", "v1", name))
    }

    fn field(&mut self, owner: &Type, field: &Field) -> Value {
        let mut found = self.property(field.reference.get());
        let Some(map) = found.as_object_mut() else { return found };
        if let Some((strategy, key)) = &field.patch {
            map.insert("x-kubernetes-patch-strategy", (*strategy).into());
            if let Some(key) = key {
                map.insert("x-kubernetes-patch-merge-key", (*key).into());
            }
        }
        let is_list = matches!(field.reference.get().shape, Shape::List(_) | Shape::Scalar(Scalar::Bytes));
        match &field.topology {
            Topology::Default => {}
            Topology::Atomic => {
                let name = if is_list { "x-kubernetes-list-type" } else { "x-kubernetes-map-type" };
                map.insert(name, "atomic".into());
            }
            Topology::Granular => drop(map.insert("x-kubernetes-map-type", "granular".into())),
            Topology::Set => drop(map.insert("x-kubernetes-list-type", "set".into())),
            Topology::Map(keys) => {
                map.insert("x-kubernetes-list-type", "map".into());
                map.insert("x-kubernetes-list-map-keys", keys.clone().into());
            }
        }
        let default = owner.default_of(field);
        if self.dialect == Dialect::V3 && !default.is_null() {
            map.insert("default", default);
        }
        found
    }

    /// Returns the schema of a field: next to a reference, keywords would be ignored.
    fn property(&mut self, table: &Type) -> Value {
        let found = self.value(table);
        if self.dialect == Dialect::V3 && found.get("$ref").is_some() {
            return json!({"allOf": [found]});
        }
        found
    }

    fn value(&mut self, table: &Type) -> Value {
        let mut found = match &table.shape {
            Shape::Struct(_) => {
                self.add_type(table);
                self.dialect.reference(&name(table))
            }
            Shape::List(item) => json!({"type": "array", "items": self.value(item.get())}),
            Shape::Map { value, .. } => {
                json!({"type": "object", "additionalProperties": self.value(value.get())})
            }
            Shape::Scalar(scalar) => self.scalar(*scalar, table),
        };
        let values: Vec<&str> = table.values(self.release).collect();
        if !values.is_empty() {
            found["enum"] = values.into();
        }
        found
    }

    fn scalar(&mut self, scalar: Scalar, table: &Type) -> Value {
        let is_v2 = self.dialect == Dialect::V2;
        match scalar {
            Scalar::String | Scalar::Duration => json!({"type": "string"}),
            Scalar::Bool => json!({"type": "boolean"}),
            Scalar::Int32 | Scalar::Uint8 => json!({"type": "integer", "format": "int32"}),
            Scalar::Int64 => json!({"type": "integer", "format": "int64"}),
            Scalar::Float64 => json!({"type": "number", "format": "double"}),
            Scalar::Bytes => json!({"type": "string", "format": "byte"}),
            Scalar::Quantity => {
                let either = json!({"oneOf": [{"type": "string"}, {"type": "number"}]});
                let found = if is_v2 { json!({"type": "string"}) } else { either };
                self.whole("io.k8s.apimachinery.pkg.api.resource.Quantity", found)
            }
            Scalar::IntOrString => {
                let mut found = json!({"format": "int-or-string"});
                if is_v2 {
                    found["type"] = "string".into();
                } else {
                    found["oneOf"] = json!([{"type": "integer"}, {"type": "string"}]);
                }
                self.whole("io.k8s.apimachinery.pkg.util.intstr.IntOrString", found)
            }
            Scalar::Time | Scalar::MicroTime => {
                self.whole(&name(table), json!({"type": "string", "format": "date-time"}))
            }
            Scalar::Json if table.package.is_empty() => {
                self.whole("io.k8s.apimachinery.pkg.runtime.RawExtension", json!({"type": "object"}))
            }
            Scalar::Json if table.package == "meta/v1" => self.whole(&name(table), json!({"type": "object"})),
            Scalar::Json | Scalar::SchemaOrBool | Scalar::SchemaOrArray | Scalar::SchemaOrStrings => {
                self.whole(&name(table), json!({}))
            }
        }
    }

    fn definition(&self, kind: &GroupVersionKind) -> Option<std::sync::Arc<Object>> {
        let definitions = self.shelf.list(&CUSTOM_RESOURCE_DEFINITIONS, "").objects;
        definitions.into_iter().find(|definition| {
            definition.text(["spec", "group"]) == kind.group
                && definition.text(["spec", "names", "kind"]) == kind.kind
        })
    }

    /// Returns a reference to the schema of a custom resource.
    fn custom(&mut self, kind: &GroupVersionKind) -> Value {
        let name = custom_name(kind);
        let reference = self.dialect.reference(&name);
        if self.found.contains_key(&name) {
            return reference;
        }
        let Some(definition) = self.definition(kind) else { return json!({"type": "object"}) };
        let mut versions = definition.items(["spec", "versions"]);
        let version = versions.find(|version| version.text("name") == kind.version);
        let written = version.and_then(|version| version.at(["schema", "openAPIV3Schema"]));
        let mut found = written.cloned().map_or_else(|| json!({"type": "object"}), Value::untyped);
        self.complete(&mut found, true);
        found["x-kubernetes-group-version-kind"] = vec![group_version_kind(kind)].into();
        if let Some(fields) = selectable_fields(&definition, kind) {
            found["x-kubernetes-selectable-fields"] = fields;
        }
        self.found.insert(name, found);
        reference
    }

    /// Completes the schema of a custom resource, or one within it, as the dialect has it.
    ///
    /// Source: `ToStructuralOpenAPIV2`, `addEmbeddedProperties`
    fn complete(&mut self, schema: &mut Value, is_root: bool) {
        let flag = |name: &str| schema.get(name).and_then(Value::as_bool) == Some(true);
        let is_open = flag("x-kubernetes-preserve-unknown-fields");
        let is_object = is_root || flag("x-kubernetes-embedded-resource");
        let is_either = flag("x-kubernetes-int-or-string");
        let is_v2 = self.dialect == Dialect::V2;
        let is_nullable = flag("nullable");
        let is_forgotten = is_v2 && (is_open || is_nullable || is_either);
        let Some(map) = schema.as_object_mut() else { return };
        if is_v2 {
            for name in ["nullable", "default", "anyOf", "oneOf", "not"] {
                map.remove(name);
            }
        } else if is_either && !map.contains_key("anyOf") && !map.contains_key("allOf") {
            map.insert("anyOf", json!([{"type": "integer"}, {"type": "string"}]));
        }
        if is_forgotten {
            if !is_root {
                map.remove("type");
            }
            for name in ["properties", "items", "additionalProperties", "required", "enum"] {
                map.remove(name);
            }
        }
        if let Some(items) = map.get_mut("items") {
            self.complete(items, false);
        }
        if let Some(Value::Object(values)) =
            map.get_mut("additionalProperties").filter(|values| values.as_object().is_some())
        {
            let mut below = Value::Object(std::mem::take(values));
            self.complete(&mut below, false);
            map.insert("additionalProperties", below);
        }
        if let Some(Value::Object(properties)) = map.get_mut("properties") {
            properties.values_mut().for_each(|property| self.complete(property, false));
        }
        if is_v2 && is_root && is_open {
            map.remove("x-kubernetes-preserve-unknown-fields");
        }
        if !is_object || is_forgotten {
            return;
        }
        if !is_root {
            map.insert("required", required_of_objects(map.get("required")));
        }
        let metadata = self.property(self.named("meta/v1.ObjectMeta"));
        schema["properties"]["apiVersion"] = json!({"type": "string"});
        schema["properties"]["kind"] = json!({"type": "string"});
        schema["properties"]["metadata"] = metadata;
    }
}

/// Returns the fields that objects within others need, besides those that are `said`.
fn required_of_objects(said: Option<&Value>) -> Value {
    let mut all: Vec<Value> = said.and_then(Value::as_array).into_iter().flatten().cloned().collect();
    for name in ["kind", "apiVersion"] {
        if all.iter().all(|known| known.as_str() != Some(name)) {
            all.push(name.into());
        }
    }
    all.into()
}

/// Returns the fields by which clients can select objects of a custom resource.
fn selectable_fields(definition: &Object, kind: &GroupVersionKind) -> Option<Value> {
    let mut versions = definition.items(["spec", "versions"]);
    let version = versions.find(|version| version.text("name") == kind.version)?;
    let path = |field: &Map| {
        let path = field.text("jsonPath");
        json!({"fieldPath": path.strip_prefix('.').unwrap_or(path)})
    };
    let fields: Vec<Value> = version.items("selectableFields").map(path).collect();
    (!fields.is_empty()).then(|| fields.into())
}

pub(super) fn group_version_kind(kind: &GroupVersionKind) -> Value {
    json!({"group": kind.group, "version": kind.version, "kind": kind.kind})
}

/// Returns the name of the schema of a custom resource.
fn custom_name(kind: &GroupVersionKind) -> String {
    let reversed: Vec<&str> = kind.group.split('.').rev().collect();
    format!("{}.{}.{}", reversed.join("."), kind.version, kind.kind)
}

/// Returns the name of a type in documents.
fn name(table: &Type) -> String {
    let (first, version) = table.package.split_once('/').unwrap_or((table.package, ""));
    let known = PACKAGES.iter().find(|(package, _)| *package == first).map(|(_, path)| (*path).to_owned());
    let path = known.unwrap_or_else(|| format!("io.k8s.api.{first}"));
    format!("{path}.{version}.{}", table.short_name())
}

/// Returns a text with its first letter in upper case.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
