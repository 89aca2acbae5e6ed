//! The schemas of everything that the server serves, as OpenAPI documents: `kubectl` learns from them how lists merge
//! and what `explain` prints. Deliberately absent: descriptions, which the field tables do not have.
//!
//! Source: `k8s.io/kube-openapi/pkg/{handler,handler3,builder3}`

mod protobuf;

use std::collections::BTreeMap;

use crate::serve::answer::{Answer, JSON};
use crate::serve::discovery::{self, Discovery, Listed};
use crate::serve::path::Query;
use crate::serve::shelf::{Shelf, VERSION};
use gotext::value::json;
use kube_api::resources::CUSTOM_RESOURCE_DEFINITIONS;
use kube_api::schema::{self, Field, Scalar, Shape, Topology, Type};
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Map, Object, Value};

/// The parameters of requests that change something, which `kubectl` looks for.
const PARAMETERS: [(&str, &str); 5] = [
    ("dryRun", "string"),
    ("fieldManager", "string"),
    ("fieldValidation", "string"),
    ("force", "boolean"),
    ("pretty", "string"),
];

/// Where packages of the field tables are in Go, by their first part.
const PACKAGES: [(&str, &str); 3] = [
    ("meta", "io.k8s.apimachinery.pkg.apis.meta"),
    ("apiextensions", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"),
    ("apiregistration", "io.k8s.kube-aggregator.pkg.apis.apiregistration"),
];

/// The documents of a server.
pub(super) struct OpenApi<'a> {
    pub(super) discovery: &'a Discovery,
    pub(super) shelf: &'a Shelf,
    pub(super) release: Version,
}

/// Returns the media type that `header` prefers, of JSON and `others`.
///
/// Source: `goautoneg.ParseAccept`
fn accepted(header: &str, others: &[&'static str]) -> Option<&'static str> {
    let mut clauses: Vec<(f64, &str)> = header
        .split(',')
        .map(|clause| {
            let (kind, parameters) = clause.split_once(';').unwrap_or((clause, ""));
            let weight = parameters.split(';').find_map(|part| part.trim().strip_prefix("q="));
            (weight.and_then(|weight| weight.parse().ok()).unwrap_or(1.0), kind.trim())
        })
        .collect();
    clauses.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    clauses.into_iter().find_map(|(_, kind)| match kind {
        "*/*" | "application/*" | JSON => Some(JSON),
        "" if header.is_empty() => Some(JSON),
        kind => others.iter().find(|other| **other == kind).copied(),
    })
}

/// A dialect of OpenAPI.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
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

impl OpenApi<'_> {
    /// Answers a request for `path`, if that is one of OpenAPI. `accept` is what the client accepts, `known` the tag of
    /// the document that it has.
    pub(super) fn answer(&self, path: &str, query: &Query, accept: &str, known: &str) -> Option<Answer> {
        if path == "/openapi/v3" {
            let index = Answer::json(200, &self.index());
            return Some(Answer { content_type: "text/plain; charset=utf-8", ..index });
        }
        let group_version = path.strip_prefix("/openapi/v3/");
        if path != "/openapi/v2" && group_version.is_none() {
            return None;
        }
        let tag = self.tag();
        let mut headers = vec![("vary", "Accept".to_owned())];
        if let (Some(hash), Some(group_version)) = (query.get("hash"), group_version) {
            if hash != tag {
                let location = vec![("location", format!("/openapi/v3/{group_version}?hash={tag}"))];
                return Some(Answer { headers: location, ..Answer::text(301, "") });
            }
            headers.push(("cache-control", "public, immutable".to_owned()));
        }
        let is_known = known == format!("\"{tag}\"");
        // What the client has is not written again.
        let document = |group_version| if is_known { Some(Value::Null) } else { self.v3(group_version) };
        let versions = group_version.map(document);
        let kinds: &[&'static str] = if group_version.is_some() { &[] } else { &protobuf::ACCEPTED };
        let answer = match (versions, accepted(accept, kinds)) {
            (Some(None), _) => return Some(Answer { code: 404, ..Answer::default() }),
            (_, None) => return Some(Answer { code: 406, headers, ..Answer::default() }),
            _ if is_known => Answer::json(200, &Value::Null),
            (Some(Some(document)), _) => Answer::json(200, &document),
            (None, Some(JSON)) => Answer::json(200, &self.v2()),
            (None, Some(_)) => Answer::new(200, protobuf::MEDIA_TYPE, protobuf::written(&self.v2())),
        };
        Some(Answer { headers, ..answer }.tagged(&tag, known))
    }

    /// Returns the tag of all documents: they change with the release and with definitions.
    fn tag(&self) -> String {
        let definitions = self.shelf.list(&CUSTOM_RESOURCE_DEFINITIONS, "").objects;
        let version = |found: &std::sync::Arc<Object>| format!("{}@{}", found.name(), found.text(VERSION));
        let versions: Vec<String> = definitions.iter().map(version).collect();
        discovery::tag(format!("{} {}", self.release, versions.join(" ")).as_bytes())
    }

    fn index(&self) -> Value {
        let tag = self.tag();
        let paths = self.discovery.versions().map(|(group, version)| {
            let path =
                if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") };
            let url = format!("/openapi/v3/{path}?hash={tag}");
            (path, json!({"serverRelativeURL": url}))
        });
        json!({"paths": paths.collect::<Map>()})
    }

    fn v3(&self, group_version: &str) -> Option<Value> {
        let (group, version) = match group_version.split('/').collect::<Vec<_>>().as_slice() {
            ["api", version] => ("", *version),
            ["apis", group, version] => (*group, *version),
            _ => return None,
        };
        let resources = self.discovery.resources(group, version)?;
        let mut schemas = Schemas { dialect: Dialect::V3, found: BTreeMap::new(), release: self.release };
        let mut paths = Map::new();
        for listed in resources {
            self.add(listed, &mut schemas);
            paths.extend(self::paths(listed, Dialect::V3));
        }
        Some(json!({
            "openapi": "3.0.0",
            "info": self.info(),
            "paths": paths,
            "components": {"schemas": schemas.found.into_iter().collect::<Map>()},
        }))
    }

    fn v2(&self) -> Value {
        let mut schemas = Schemas { dialect: Dialect::V2, found: BTreeMap::new(), release: self.release };
        let mut paths = Map::new();
        for (group, version) in self.discovery.versions() {
            for listed in self.discovery.resources(group, version).into_iter().flatten() {
                self.add(listed, &mut schemas);
                paths.extend(self::paths(listed, Dialect::V2));
            }
        }
        json!({
            "swagger": "2.0",
            "info": self.info(),
            "paths": paths,
            "definitions": schemas.found.into_iter().collect::<Map>(),
        })
    }

    fn info(&self) -> Value {
        json!({"title": "Kubernetes", "version": format!("v{}.0", self.release)})
    }

    fn add(&self, listed: &Listed, schemas: &mut Schemas) {
        if let Some(table) = schema::of_release(self.release).of(&listed.kind) {
            schemas.add_kind(&listed.kind, table);
        } else {
            let definitions = self.shelf.list(&CUSTOM_RESOURCE_DEFINITIONS, "").objects;
            let is_own = |definition: &&std::sync::Arc<Object>| {
                definition.text(["spec", "group"]) == listed.kind.group
                    && definition.text(["spec", "names", "kind"]) == listed.kind.kind
            };
            if let Some(definition) = definitions.iter().find(is_own) {
                schemas.add_custom(&listed.kind, definition);
            }
        }
    }
}

/// Returns the paths of a resource, with the operations that clients look for.
fn paths(listed: &Listed, dialect: Dialect) -> Vec<(String, Value)> {
    let kind = &listed.kind;
    let root = if kind.group.is_empty() {
        format!("/api/{}", kind.version)
    } else {
        format!("/apis/{}/{}", kind.group, kind.version)
    };
    let within = if listed.is_namespaced { "/namespaces/{namespace}" } else { "" };
    let all = format!("{root}{within}/{}", listed.name);
    let operation = |method: &str, action: &str| {
        let parameters = PARAMETERS.iter().filter(|_| method != "get").map(|(name, kind)| match dialect {
            Dialect::V2 => json!({"name": name, "in": "query", "type": kind, "uniqueItems": true}),
            Dialect::V3 => {
                json!({"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": true}})
            }
        });
        json!({
            "parameters": parameters.collect::<Vec<_>>(),
            "responses": {"200": {"description": "OK"}},
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": group_version_kind(kind),
        })
    };
    let of = |operations: &[(&'static str, &'static str, &'static str)]| {
        let served = operations.iter().filter(|(_, _, verb)| listed.verbs.iter().any(|own| own == verb));
        Value::Object(
            served.map(|(method, action, _)| ((*method).to_owned(), operation(method, action))).collect(),
        )
    };
    vec![
        (all.clone(), of(&[("get", "list", "list"), ("post", "post", "create")])),
        (
            format!("{all}/{{name}}"),
            of(&[
                ("get", "get", "get"),
                ("put", "put", "update"),
                ("patch", "patch", "patch"),
                ("delete", "delete", "delete"),
            ]),
        ),
    ]
}

fn group_version_kind(kind: &GroupVersionKind) -> Value {
    json!({"group": kind.group, "version": kind.version, "kind": kind.kind})
}

/// The schemas of a document.
struct Schemas {
    dialect: Dialect,
    found: BTreeMap<String, Value>,
    release: Version,
}

impl Schemas {
    fn add_kind(&mut self, kind: &GroupVersionKind, table: &Type) {
        let name = name(table);
        self.add_type(table);
        if let Some(found) = self.found.get_mut(&name) {
            found["x-kubernetes-group-version-kind"] = vec![group_version_kind(kind)].into();
        }
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
            table.fields().iter().map(|field| (field.name.to_string(), self.field(field))).collect();
        let mut found = json!({"type": "object", "properties": properties});
        if matches!(&table.shape, Shape::Struct(structure) if structure.atomic) {
            found["x-kubernetes-map-type"] = "atomic".into();
        }
        self.found.insert(name, found);
    }

    fn field(&mut self, field: &Field) -> Value {
        let found = self.value(field.reference.get());
        let mut extensions = Map::new();
        if let Some((strategy, key)) = &field.patch {
            extensions.insert("x-kubernetes-patch-strategy", (*strategy).into());
            if let Some(key) = key {
                extensions.insert("x-kubernetes-patch-merge-key", (*key).into());
            }
        }
        let is_list = matches!(field.reference.get().shape, Shape::List(_));
        match &field.topology {
            Topology::Default => {}
            Topology::Atomic => {
                let name = if is_list { "x-kubernetes-list-type" } else { "x-kubernetes-map-type" };
                extensions.insert(name, "atomic".into());
            }
            Topology::Granular => drop(extensions.insert("x-kubernetes-map-type", "granular".into())),
            Topology::Set => drop(extensions.insert("x-kubernetes-list-type", "set".into())),
            Topology::Map(keys) => {
                extensions.insert("x-kubernetes-list-type", "map".into());
                extensions.insert("x-kubernetes-list-map-keys", keys.clone().into());
            }
        }
        match found {
            // Keywords next to a reference would be ignored.
            Value::Object(map) if map.contains_key("$ref") && self.dialect == Dialect::V3 => {
                let mut whole = json!({"allOf": [map]});
                whole.as_object_mut().into_iter().for_each(|whole| whole.extend(extensions.clone()));
                whole
            }
            Value::Object(mut map) => {
                map.extend(extensions);
                Value::Object(map)
            }
            other => other,
        }
    }

    fn value(&mut self, table: &Type) -> Value {
        match &table.shape {
            Shape::Struct(_) => {
                self.add_type(table);
                self.dialect.reference(&name(table))
            }
            Shape::List(item) => json!({"type": "array", "items": self.value(item.get())}),
            Shape::Map { value, .. } => {
                json!({"type": "object", "additionalProperties": self.value(value.get())})
            }
            Shape::Scalar(scalar) => self.scalar(*scalar),
        }
    }

    fn scalar(&mut self, scalar: Scalar) -> Value {
        let mut named = |name: &str, found: Value| {
            self.found.insert(name.to_owned(), found);
            self.dialect.reference(name)
        };
        match scalar {
            Scalar::String | Scalar::Duration => json!({"type": "string"}),
            Scalar::Bool => json!({"type": "boolean"}),
            Scalar::Int32 | Scalar::Uint8 => json!({"type": "integer", "format": "int32"}),
            Scalar::Int64 => json!({"type": "integer", "format": "int64"}),
            Scalar::Float64 => json!({"type": "number", "format": "double"}),
            Scalar::Bytes => json!({"type": "string", "format": "byte"}),
            Scalar::Quantity => {
                named("io.k8s.apimachinery.pkg.api.resource.Quantity", json!({"type": "string"}))
            }
            Scalar::IntOrString => named(
                "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
                json!({"type": "string", "format": "int-or-string"}),
            ),
            Scalar::Time => named(
                "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
                json!({"type": "string", "format": "date-time"}),
            ),
            Scalar::MicroTime => named(
                "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
                json!({"type": "string", "format": "date-time"}),
            ),
            Scalar::Json => named("io.k8s.apimachinery.pkg.runtime.RawExtension", json!({"type": "object"})),
            Scalar::SchemaOrBool | Scalar::SchemaOrArray | Scalar::SchemaOrStrings => json!({}),
        }
    }

    fn add_custom(&mut self, kind: &GroupVersionKind, definition: &Object) {
        let mut versions = definition.items(["spec", "versions"]);
        let version = versions.find(|version| version.text("name") == kind.version);
        let written = version.and_then(|version| version.at(["schema", "openAPIV3Schema"]));
        let mut found = written.cloned().map_or_else(|| json!({"type": "object"}), Value::untyped);
        if self.dialect == Dialect::V2 {
            forget_preserved(&mut found);
            if found.get("properties").is_none() {
                return drop(self.found.insert(custom_name(kind), with_kind(found, kind)));
            }
        }
        let metadata =
            schema::of_release(self.release).named("meta/v1.ObjectMeta").map(|table| self.value(table));
        found["properties"]["apiVersion"] = json!({"type": "string"});
        found["properties"]["kind"] = json!({"type": "string"});
        found["properties"]["metadata"] = metadata.unwrap_or_default();
        self.found.insert(custom_name(kind), with_kind(found, kind));
    }
}

fn with_kind(mut found: Value, kind: &GroupVersionKind) -> Value {
    found["x-kubernetes-group-version-kind"] = vec![group_version_kind(kind)].into();
    found
}

/// Returns the name of the schema of a custom resource.
fn custom_name(kind: &GroupVersionKind) -> String {
    let reversed: Vec<&str> = kind.group.split('.').rev().collect();
    format!("{}.{}.{}", reversed.join("."), kind.version, kind.kind)
}

/// Removes the fields of objects that may have others, which version 2 cannot say.
///
/// Source: `ToStructuralOpenAPIV2`
fn forget_preserved(schema: &mut Value) {
    let is_preserved =
        schema.get("x-kubernetes-preserve-unknown-fields").and_then(Value::as_bool) == Some(true);
    let Some(map) = schema.as_object_mut() else { return };
    if is_preserved {
        map.remove("properties");
        map.remove("items");
        map.remove("additionalProperties");
    }
    if let Some(items) = map.get_mut("items") {
        forget_preserved(items);
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(forget_preserved);
    }
}

/// Returns the name of a type in documents.
fn name(table: &Type) -> String {
    let (first, version) = table.package.split_once('/').unwrap_or((table.package, ""));
    let known = PACKAGES.iter().find(|(package, _)| *package == first).map(|(_, path)| (*path).to_owned());
    let path = known.unwrap_or_else(|| format!("io.k8s.api.{first}"));
    format!("{path}.{version}.{}", table.short_name())
}
