//! A schema as its rules see it: its type, and the bounds on the size of its values.
//!
//! Source: `k8s.io/apiserver/pkg/cel/common/schemas.go`.

use crate::validation::node::Node;
use kube_api::Value;
use kube_cel::{Bounds, Env, ObjectType, Type};

/// The largest request that a server accepts, in bytes.
pub(crate) const MAX_REQUEST: u64 = 3 * 1024 * 1024;

/// A schema as its rules see it.
pub(crate) struct Declared {
    pub(crate) of: Type,
    pub(crate) bounds: Bounds,
    /// The least number of bytes of a value in JSON.
    pub(crate) least_bytes: u64,
}

impl Declared {
    fn new(of: Type, most: u64, least_bytes: u64) -> Self {
        Self { of, bounds: Bounds { max: most, ..Bounds::default() }, least_bytes }
    }

    fn text() -> Self {
        Self::new(Type::String, MAX_REQUEST - 2, 2)
    }
}

/// Returns the type that rules see for a schema, and declares the types of objects in it under `name`. There is none
/// for what rules cannot see.
pub(crate) fn declare(env: &mut Env, schema: &Node, is_resource: bool, name: &str) -> Option<Declared> {
    let most = |field: &str| schema.number(field).map(|most| u64::try_from(most).unwrap_or_default());
    let most_text = || most("maxLength").map(|most| most.saturating_mul(4));
    if schema.flag("x-kubernetes-int-or-string") {
        return Some(Declared::new(Type::Dyn, most_text().unwrap_or(MAX_REQUEST - 2), 1));
    }
    let is_embedded = |schema: &Node| schema.flag("x-kubernetes-embedded-resource");
    Some(match schema.text("type") {
        "array" => {
            let items = schema.get("items")?;
            let items = declare(env, &items, is_embedded(&items), &format!("{name}.@idx"))?;
            let most = most("maxItems").unwrap_or((MAX_REQUEST - 2) / (items.least_bytes + 1));
            let mut list = Declared::new(Type::list(items.of), most, 2);
            list.bounds.items = Some(Box::new(items.bounds));
            list
        }
        "object" => {
            let values = schema.get("additionalProperties").filter(|values| values.value().is_object());
            let Some(values) = values else { return Some(declare_object(env, schema, is_resource, name)) };
            let values = declare(env, &values, is_embedded(&values), &format!("{name}.@elem"))?;
            let most = most("maxProperties").unwrap_or((MAX_REQUEST - 2) / (values.least_bytes + 6));
            let mut map = Declared::new(Type::map(Type::String, values.of), most, 2);
            map.bounds.items = Some(Box::new(values.bounds));
            map.bounds.keys = Some(Box::default());
            map
        }
        "string" => match schema.text("format") {
            "byte" => Declared::new(Type::Bytes, most("maxLength").unwrap_or(MAX_REQUEST - 2), 2),
            "duration" => Declared::new(Type::Duration, 32, 3),
            "date" => Declared::new(Type::Timestamp, 12, 12),
            "date-time" => Declared::new(Type::Timestamp, 32, 21),
            _ => {
                let choices = schema.list("enum").iter().filter_map(Value::as_str).map(str::len);
                let longest = || (schema.len("enum") > 0).then(|| choices.max().unwrap_or_default() as u64);
                let most = most_text().or_else(longest).unwrap_or(MAX_REQUEST - 2);
                Declared::new(Type::String, most, 2)
            }
        },
        "boolean" => Declared::new(Type::Bool, 0, 4),
        "number" => Declared::new(Type::Double, 0, 1),
        "integer" => Declared::new(Type::Int, 0, 1),
        _ => return None,
    })
}

/// Declares the type of an object; a resource has a version, a kind and a name, even if its schema does not declare
/// them.
pub(crate) fn declare_object(env: &mut Env, schema: &Node, is_resource: bool, name: &str) -> Declared {
    let type_of = |path: &[&str]| {
        let found = path.iter().fold(schema.value(), |value, step| &value["properties"][*step]);
        found.text("type")
    };
    let is_complete = type_of(&["kind"]) == "string"
        && type_of(&["apiVersion"]) == "string"
        && type_of(&["metadata"]) == "object"
        && type_of(&["metadata", "name"]) == "string"
        && type_of(&["metadata", "generateName"]) == "string";
    let is_fixed = is_resource && !is_complete;
    let mut object = Declared::new(Type::object(name), 0, 2);
    let mut fields = ObjectType::default();
    let mut add = |property: &str, field: &str, part: Declared, has_default: bool| {
        if !has_default && schema.texts("required").any(|required| required == property) {
            object.least_bytes += property.len() as u64 + part.least_bytes + 4;
        }
        fields.set(field, part.of);
        object.bounds.fields.insert(field.to_owned(), part.bounds);
    };
    for (property, part) in schema.entries("properties") {
        if is_fixed && ["kind", "apiVersion", "metadata"].contains(&property) {
            continue;
        }
        let Some(field) = kube_cel::escape(property) else { continue };
        let part = Node::new(schema.at("properties").key(property), part);
        let is_resource = part.flag("x-kubernetes-embedded-resource");
        if let Some(declared) = declare(env, &part, is_resource, &format!("{name}.{field}")) {
            add(property, &field, declared, part.has("default"));
        }
    }
    if is_fixed {
        let metadata = format!("{name}.metadata");
        let names = ["name", "generateName"];
        env.declare_object(&metadata, ObjectType::new(names.map(|name| (name, Type::String))));
        let mut declared = Declared::new(Type::object(&metadata), 0, 2);
        declared.bounds.fields = names.map(|name| (name.to_owned(), Declared::text().bounds)).into();
        add("kind", "kind", Declared::text(), false);
        add("apiVersion", "apiVersion", Declared::text(), false);
        add("metadata", "metadata", declared, false);
    }
    env.declare_object(name, fields);
    object
}
