//! The schema of a version as the server publishes it: with the metadata of every object, also of objects within it.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder` (`buildKubeNative`).

use std::sync::LazyLock;

use crate::custom_resource::declared::declare_object;
use crate::validation::node::Node;
use gotext::value::json;
use kube_api::schema::{self, Scalar, Shape, Type};
use kube_api::{GroupVersionKind, Map, Object, Value};
use kube_cel::Env;

/// `metadata` of every object.
static METADATA: LazyLock<Value> = LazyLock::new(|| {
    let kind = GroupVersionKind::new("", "v1", "Namespace");
    let field = schema::of(&kind).and_then(|of| match &of.shape {
        Shape::Struct(fields) => fields.fields.iter().find(|field| field.name == "metadata"),
        _ => None,
    });
    field.map_or_else(|| json!({"type": "object"}), |field| schema_of(field.reference.get()))
});

/// Declares the type that policies see for the objects of `definition` in `version` as `name`, and returns it; nothing
/// if there is no such version.
pub fn declare_published(
    env: &mut Env,
    definition: &Object,
    version: &str,
    name: &str,
) -> Option<kube_cel::Type> {
    let versions = definition.list(["spec", "versions"]);
    let version = versions.iter().find(|written| written["name"] == version)?;
    let schema = published(&version["schema"]["openAPIV3Schema"]);
    Some(declare_object(env, &Node::root(&schema), true, name).of)
}

/// Returns the published form of the schema of a version.
fn published(schema: &Value) -> Value {
    if !schema.is_object() {
        return json!({"type": "object"});
    }
    let mut schema = schema.clone();
    complete(&mut schema, true);
    schema
}

/// Adds the metadata to the schemas of objects in `schema`, and to itself if `is_resource`.
fn complete(schema: &mut Value, is_resource: bool) {
    let is_resource = is_resource || schema["x-kubernetes-embedded-resource"] == true;
    let Value::Object(props) = schema else { return };
    if let Some(Value::Object(properties)) = props.get_mut("properties") {
        for (_, property) in properties.iter_mut() {
            complete(property, false);
        }
    }
    for part in ["items", "additionalProperties"] {
        if let Some(part) = props.get_mut(part) {
            complete(part, false);
        }
    }
    if !is_resource {
        return;
    }
    if !props.get("properties").is_some_and(Value::is_object) {
        props.insert("properties".to_owned(), Map::new().into());
    }
    if let Some(Value::Object(properties)) = props.get_mut("properties") {
        properties.insert("metadata".to_owned(), METADATA.clone());
        for name in ["apiVersion", "kind"] {
            properties.insert(name.to_owned(), json!({"type": "string"}));
        }
    }
}

/// Returns the schema of a built-in type.
fn schema_of(of: &Type) -> Value {
    match &of.shape {
        Shape::Struct(fields) => {
            let fields = fields.fields.iter();
            let properties: Map =
                fields.map(|field| (field.name.to_string(), schema_of(field.reference.get()))).collect();
            json!({"type": "object", "properties": properties})
        }
        Shape::List(item) => json!({"type": "array", "items": schema_of(item.get())}),
        Shape::Map { value, .. } => {
            json!({"type": "object", "additionalProperties": schema_of(value.get())})
        }
        Shape::Scalar(scalar) => match scalar {
            Scalar::Bool => json!({"type": "boolean"}),
            Scalar::Int32 | Scalar::Int64 | Scalar::Uint8 => json!({"type": "integer"}),
            Scalar::Float64 => json!({"type": "number"}),
            Scalar::Time | Scalar::MicroTime => json!({"type": "string", "format": "date-time"}),
            Scalar::Bytes => json!({"type": "string", "format": "byte"}),
            Scalar::IntOrString => json!({"x-kubernetes-int-or-string": true}),
            Scalar::Json => json!({"type": "object"}),
            _ => json!({"type": "string"}),
        },
    }
}
