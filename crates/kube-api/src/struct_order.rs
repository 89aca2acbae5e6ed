//! The order of fields in Go's structs. The server reads trees in it, and writes in it what a patch did not touch.

use gotext::encoding_json;
use gotext::pointer::unescape;
use gotext::source::{Data, Node};
use gotext::value::Text;

use crate::schema::{Shape, Type};
use crate::{Map, Value};

/// Sorts the fields of `node`, of type `kind`, as its structs have them.
pub fn sort(node: &mut Node, kind: &Type) {
    match (&mut node.data, &kind.shape) {
        (Data::Object(entries), Shape::Struct(structure)) => {
            entries.sort_by_key(|entry| structure.position(&entry.key).unwrap_or(usize::MAX));
            for entry in entries {
                if let Some(field) = structure.field(&entry.key) {
                    sort(&mut entry.value, field.reference.get());
                }
            }
        }
        (Data::Object(entries), Shape::Map { value, .. }) => {
            for entry in entries {
                sort(&mut entry.value, value.get());
            }
        }
        (Data::Array(items), Shape::List(item)) => {
            for node in items {
                sort(node, item.get());
            }
        }
        _ => {}
    }
}

/// Returns the JSON of `value`, of type `kind`, after a patch that has `touched` some of its maps: these have their keys
/// in order, others the fields of their structs. What the patch has at a key is `touched`, too.
///
/// Source: `lazyNode` of `gopkg.in/evanphx/json-patch.v4`
pub fn written(value: &Value, kind: Option<&Type>, touched: Option<&Value>) -> String {
    let quoted = |key: &str| encoding_json::to_string(&Value::from(key));
    match (value, kind.map(|kind| &kind.shape), touched) {
        (Value::Object(map), Some(shape), None | Some(Value::Object(_))) => {
            let type_of = |key: &str| match shape {
                Shape::Struct(structure) => structure.field(key).map(|field| field.reference.get()),
                Shape::Map { value, .. } => Some(value.get()),
                _ => None,
            };
            let mut keys: Vec<&str> = map.keys().map(Text::as_str).collect();
            if let (Shape::Struct(structure), None) = (shape, touched) {
                keys.sort_by_key(|key| structure.position(key).unwrap_or(usize::MAX));
            }
            let fields = keys.into_iter().filter_map(|key| {
                let (value, below) = (map.get(key)?, touched.and_then(|touched| touched.get(key)));
                Some(format!("{}:{}", quoted(key), written(value, type_of(key), below)))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        (Value::Array(items), Some(Shape::List(item)), None | Some(Value::Object(_))) => {
            let items = items.iter().enumerate().map(|(index, value)| {
                let below = touched.and_then(|touched| touched.get(index.to_string().as_str()));
                written(value, Some(item.get()), below)
            });
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        }
        _ => encoding_json::to_string(value),
    }
}

/// Returns the maps that the operations of a JSON patch touch, as a patch that merges has them.
pub fn touched(operations: &Value) -> Value {
    let mut touched = Value::Object(Map::new());
    for operation in operations.as_array().into_iter().flatten() {
        for pointer in ["path", "from"].map(|field| operation.text(field)) {
            let mut steps: Vec<_> = pointer.split('/').skip(1).collect();
            steps.pop();
            let mut map = &mut touched;
            for step in steps {
                let Some(below) = map.as_object_mut() else { break };
                map = below.entry(unescape(step).into_owned()).or_insert(Value::Object(Map::new()));
            }
        }
    }
    touched
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;
    use crate::{GroupVersionKind, schema};

    #[test]
    fn what_a_patch_touched_is_in_order() {
        let kind = schema::of(&GroupVersionKind::new("", "v1", "Pod")).expect("a type");
        let pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "a", "labels": {"b": "1", "a": "2"}},
            "spec": {"restartPolicy": "Never", "containers": [{"image": "i", "name": "n"}]},
        });
        assert_eq!(
            written(&pod, Some(kind), None),
            r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"a":"2","b":"1"}},"#
                .to_owned()
                + r#""spec":{"containers":[{"name":"n","image":"i"}],"restartPolicy":"Never"}}"#
        );
        let touched = touched(&json!([{"op": "add", "path": "/metadata/labels"}]));
        assert_eq!(touched, json!({"metadata": {}}));
        assert_eq!(
            written(&pod, Some(kind), Some(&touched)),
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"2","b":"1"},"name":"a"},"#
                .to_owned()
                + r#""spec":{"containers":[{"name":"n","image":"i"}],"restartPolicy":"Never"}}"#
        );
    }

    #[test]
    fn nodes_are_sorted_as_their_structs() {
        let kind = schema::of(&GroupVersionKind::new("", "v1", "Pod")).expect("a type");
        let mut node =
            Node::from(json!({"spec": {}, "metadata": {"annotations": {}, "labels": {}, "name": "a"}}));
        sort(&mut node, kind);
        let Data::Object(entries) = &node.data else { panic!("{node:?}") };
        let Data::Object(metadata) = &entries[0].value.data else { panic!("{node:?}") };
        let names: Vec<&str> = metadata.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(names, ["name", "labels", "annotations"]);
    }
}
