//! Conversion of custom resources through OpenShift's Go types: unknown fields are lost, and those that Go always
//! writes appear.

use crate::admission::Refusal;
use gotext::source::Node;
use kube_api::decode::{self, FieldValidation};
use kube_api::schema::{self, Scalar, Shape, Type};
use kube_api::{Map, Object, Status, Value};

/// Returns `object` as the type `table` of the field tables has it.
pub(super) fn read(object: &Object, table: &str) -> Result<Object, Refusal> {
    let found = schema::named(table).expect("the tables have OpenShift's types");
    let node = Node::from(object.value.clone());
    let (value, _) = decode::read(node, found, FieldValidation::Ignore, &[])
        .map_err(|fault| Status::from_error(fault.message().replace("struct field v1.", "struct field ")))?;
    let mut value = value;
    if let (Value::Object(value), Value::Object(given)) = (&mut value, &object.value) {
        for field in ["apiVersion", "kind"] {
            value.extend(given.get(field).map(|text| (field.to_owned(), text.clone())));
        }
        value.extend(given.get("metadata").map(|metadata| ("metadata".to_owned(), metadata.clone())));
    }
    Ok(Object::new(object.kind.clone(), value))
}

/// Returns `object` converted to the type `table` of the field tables, with the texts of the other converter.
pub(super) fn restore(object: &Object, table: &str) -> Result<Object, Refusal> {
    read(object, table).map_err(|refusal| {
        // `cannot unmarshal string into Go … of type v1.RouteSpec`
        let message = &refusal.status.message;
        let found = message.split_whitespace().nth(3).unwrap_or_default();
        let wanted = message.rsplit(' ').next().unwrap_or_default();
        let text = match wanted {
            "bool" | "int32" | "int64" | "string" => format!("cannot convert {found} to {wanted}"),
            wanted if wanted.starts_with("[]") => format!("cannot restore slice from: {found}"),
            wanted if wanted.starts_with("map[") => format!("cannot restore map from: {found}"),
            _ => format!("cannot restore struct from: {found}"),
        };
        Status::from_error(text).into()
    })
}

/// Writes `object`, of the type `table`, as Go does.
pub(super) fn write(object: &mut Object, table: &str) {
    let found = schema::named(table).expect("the tables have OpenShift's types");
    let metadata = object.value.get("metadata").cloned();
    complete(&mut object.value, found);
    if let (Value::Object(map), Some(metadata)) = (&mut object.value, metadata) {
        map.insert("metadata".to_owned(), metadata);
    }
}

fn complete(value: &mut Value, table: &Type) {
    match (&table.shape, value) {
        (Shape::Struct(structure), Value::Object(map)) => {
            for field in &structure.fields {
                let target = field.reference.get();
                match map.get_mut(&field.name) {
                    Some(value) if !value.is_null() => {
                        complete(value, target);
                        let is_left_out = field.omit_empty
                            && !field.reference.pointer
                            && target.can_be_empty()
                            && value.is_zero_value();
                        if is_left_out {
                            map.remove(&field.name);
                        }
                    }
                    _ if field.reference.pointer => {
                        map.remove(&field.name);
                        if !field.omit_empty {
                            map.insert(field.name.to_string(), Value::Null);
                        }
                    }
                    _ if field.omit_zero || field.omit_empty && target.can_be_empty() => {
                        map.remove(&field.name);
                    }
                    _ => {
                        map.insert(field.name.to_string(), zero(target));
                    }
                }
            }
        }
        (Shape::List(item), Value::Array(items)) => {
            for value in items {
                complete(value, item.get());
            }
        }
        (Shape::Map { value: item, .. }, Value::Object(entries)) => {
            for value in entries.values_mut() {
                complete(value, item.get());
            }
        }
        _ => {}
    }
}

/// Returns Go's zero value of a type, as it is written.
fn zero(table: &Type) -> Value {
    match &table.shape {
        Shape::Struct(_) => {
            let mut value = Value::Object(Map::new());
            complete(&mut value, table);
            value
        }
        Shape::List(_) | Shape::Map { .. } => Value::Null,
        Shape::Scalar(scalar) => match scalar {
            Scalar::String | Scalar::Duration => "".into(),
            Scalar::Bool => false.into(),
            Scalar::Int32 | Scalar::Int64 | Scalar::Uint8 | Scalar::Float64 | Scalar::IntOrString => 0.into(),
            Scalar::Quantity => "0".into(),
            _ => Value::Null,
        },
    }
}
