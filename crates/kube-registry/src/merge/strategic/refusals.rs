//! What a strategic merge patch is refused for, in the words of the server.
//!
//! Source: `k8s.io/apimachinery/pkg/util/strategicpatch`

use kube_api::schema::Shape;
use kube_api::{Map, Status, StatusDetails, Value};

use crate::go_value::{printed, printed_as_text, type_name};
use crate::merge::three_way::{Items, Part};

pub(super) const DIRECTIVE: &str = "$patch";
pub(super) const ORDER: &str = "$setElementOrder";

/// The types that errors expect.
const MAP: &str = "map[string]interface {}";
pub(super) const LIST: &str = "[]interface {}";

pub(super) type Result<T> = std::result::Result<T, Box<Status>>;

/// Refuses a list of a patch whose order contradicts the one that the patch sets.
///
/// Source: `validatePatchWithSetOrderList`
pub(super) fn check_order(patch: &[Value], order: &[Value], key: Option<&str>) -> Result<()> {
    if patch.is_empty() || order.is_empty() {
        return Ok(());
    }
    let mut left = Vec::with_capacity(patch.len());
    for item in patch {
        let is_deletion = match key {
            Some(_) => map_of(item)?.get(DIRECTIVE).is_some_and(|directive| *directive == "delete"),
            None => false,
        };
        if !is_deletion {
            left.push(item);
        }
    }
    let mut left = left.into_iter().peekable();
    for named in order {
        while left.next_if(|item| item.get(DIRECTIVE).is_some()).is_some() {}
        let Some(item) = left.peek() else { return Ok(()) };
        let is_same = match key {
            Some(key) => value_of(map_of(item)?, key)? == value_of(map_of(named)?, key)?,
            None => *item == named,
        };
        if is_same {
            left.next();
        }
    }
    while left.next_if(|item| item.get(DIRECTIVE).is_some()).is_some() {}
    if left.next().is_none() {
        return Ok(());
    }
    let list = |items: &[Value]| printed(&Value::from(items.to_vec()));
    Err(failed(format!(
        "The order in patch list:\n{}\n doesn't match {ORDER} list:\n{}\n",
        list(patch),
        list(order)
    )))
}

/// Whether both lists are of maps, and not of scalars.
///
/// Source: `sliceElementType`
pub(super) fn is_of_maps(old: &[Value], patch: &[Value]) -> Result<bool> {
    let mut types = old.iter().chain(patch).map(type_name);
    let Some(first) = types.next() else {
        return Err(failed("no elements in any of the given slices"));
    };
    if first == LIST {
        let message = "the server rejected our request due to an error in our request".to_owned();
        let details = Some(StatusDetails::default());
        return Err(Box::new(Status {
            code: 422,
            reason: "Invalid".to_owned(),
            message,
            details,
            ..Status::default()
        }));
    }
    if types.any(|other| other != first) {
        let lists = Value::from(vec![Value::from(old.to_vec()), Value::from(patch.to_vec())]);
        return Err(failed(format!("list element types are not identical: {}", printed(&lists))));
    }
    Ok(first == MAP)
}

/// Returns the position of the first of `items` whose `key` has this value.
pub(super) fn find(items: &[Value], key: &str, value: &Value) -> Result<Option<usize>> {
    for (position, item) in items.iter().enumerate() {
        let Some(map) = item.as_object() else {
            return Err(failed(format!("value for key {position} is not a map")));
        };
        if map.get(key) == Some(value) {
            return Ok(Some(position));
        }
    }
    Ok(None)
}

/// Returns the name after the prefix of a directive.
pub(super) fn named<'a>(rest: &'a str, refusal: &str) -> Result<&'a str> {
    rest.strip_prefix('/').ok_or_else(|| bad_format(refusal))
}

pub(super) fn map_of(item: &Value) -> Result<&Map> {
    item.as_object().ok_or_else(|| wrong_type(MAP, item))
}

pub(super) fn value_of<'a>(map: &'a Map, key: &str) -> Result<&'a Value> {
    map.get(key).ok_or_else(|| {
        let map = printed(&Value::Object(map.clone()));
        failed(format!("map: {map} does not contain declared merge key: {key}"))
    })
}

pub(super) fn unknown_directive(directive: &Value, map: &Map) -> Box<Status> {
    let (directive, map) = (printed_as_text(directive), printed(&Value::Object(map.clone())));
    failed(format!("unknown patch type: {directive} in map: {map}"))
}

pub(super) fn wrong_type(expected: &str, value: &Value) -> Box<Status> {
    let found = if value.is_null() { "%!s(<nil>)" } else { type_name(value) };
    failed(format!("expected a {expected}, but received a {found}"))
}

/// Returns an error that the server takes for its own.
pub(super) fn failed(error: impl Into<String>) -> Box<Status> {
    Box::new(Status::from_error(error))
}

pub(super) fn bad_format(error: &str) -> Box<Status> {
    Box::new(Status::new_bad_request(error))
}

impl Part {
    /// Returns the field by which the items of the list `name` are distinguished.
    pub(super) fn merge_key(self, name: &str) -> Option<&'static str> {
        match self.items(name) {
            Items::MergedBy(key) => Some(key),
            Items::Merged | Items::Replaced => None,
        }
    }

    /// Refuses a field of a struct that does not have it.
    ///
    /// Source: `LookupPatchMetadataForStruct`
    pub(super) fn check_field(self, name: &str) -> Result<()> {
        let Self::Typed(kind) = self else { return Ok(()) };
        let found = match &kind.shape {
            Shape::Struct(structure) if structure.field(name).is_some() => return Ok(()),
            Shape::Map { .. } => "map",
            Shape::List(_) => "slice",
            Shape::Struct(_) | Shape::Scalar(_) => {
                let kind = kind.short_name();
                let error =
                    format!("unable to find api field in struct {kind} for the json field \"{name}\"");
                return Err(failed(error));
            }
        };
        Err(failed(format!("merging an object in json but data type is not struct, instead is: {found}")))
    }

    /// Refuses a field that is not a list.
    ///
    /// Source: `LookupPatchMetadataForSlice`
    pub(super) fn check_list(self, name: &str) -> Result<()> {
        self.check_field(name)?;
        match self.field(name) {
            Self::Typed(kind) if !matches!(kind.shape, Shape::List(_)) => {
                Err(failed("expected slice or array type, but got: struct"))
            }
            _ => Ok(()),
        }
    }
}
