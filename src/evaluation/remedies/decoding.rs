//! Fields that the kind does not have, and values of another type.

use crate::admission::{Change, Remedy};
use crate::evaluation::Outcome;
use crate::evaluation::remedies::names::nearest;
use gotext::quantity::Quantity;
use gotext::source::{Data, Node, Span};
use kube_api::Value;
use kube_api::field::Path;
use kube_api::schema::{self, Field, Scalar, Shape, Type};
use kube_api::version::Version;

/// Returns the change of the part of `root` at `span`, for which the server could not decode the object of `outcome`.
pub(super) fn remedy(root: &Node, span: Span, outcome: &Outcome, release: Version) -> Option<Remedy> {
    let table = schema::of_release(release).of(&outcome.kind)?;
    let found = find(root, span, None, Some(table))?;
    let change = if found.is_key {
        let name = found.path.segments().last().and_then(|last| gotext::change::key_of(last))?.to_owned();
        let near = nearest(&name, found.around?.fields().iter().map(|field| &*field.name))?;
        let parent = found.path.parent();
        let is_taken = parent
            .map_or(root, |parent| kube_yaml::node_at(root, parent).unwrap_or(root))
            .get(near)
            .is_some();
        (!is_taken).then(|| Change::rename(found.path.clone(), near))?
    } else {
        let text = outcome.place.as_ref()?.source().text().get(span.start..span.end)?;
        Change::set(found.path.clone(), converted(found.node, text, found.table?)?)
    };
    Some(Remedy::of(change))
}

/// A part of an object.
struct Found<'a> {
    path: Path,
    node: &'a Node,
    /// Whether the span is that of the key.
    is_key: bool,
    /// The type of the map that has the key.
    around: Option<&'static Type>,
    /// The type that the value should have.
    table: Option<&'static Type>,
}

/// Returns the key or value at `span` below `node`, which is at `path`.
fn find<'a>(
    node: &'a Node,
    span: Span,
    path: Option<&Path>,
    table: Option<&'static Type>,
) -> Option<Found<'a>> {
    let below = |part: &dyn Fn(&Path) -> Path, first: &dyn Fn() -> Option<Path>| match path {
        Some(path) => Some(part(path)),
        None => first(),
    };
    match &node.data {
        Data::Object(entries) => entries.iter().find_map(|entry| {
            let key = entry.key.to_string();
            let own = below(&|path| path.child(key.clone()), &|| Some(Path::named(key.clone())))?;
            let value = table.and_then(|table| match &table.shape {
                Shape::Struct(_) => Some(table.field(&key)?.reference.get()),
                Shape::Map { value, .. } => Some(value.get()),
                _ => None,
            });
            let is_key = entry.key_span == span;
            if is_key || is_at(&entry.value, span) {
                return Some(Found { path: own, node: &entry.value, is_key, around: table, table: value });
            }
            find(&entry.value, span, Some(&own), value)
        }),
        Data::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            let own = below(&|path| path.index(index), &|| None)?;
            let value = table.and_then(|table| match &table.shape {
                Shape::List(item) => Some(item.get()),
                _ => None,
            });
            if is_at(item, span) {
                return Some(Found { path: own, node: item, is_key: false, around: None, table: value });
            }
            find(item, span, Some(&own), value)
        }),
        _ => None,
    }
}

fn is_at(node: &Node, span: Span) -> bool {
    node.span == span
}

/// Returns the value of `node`, written as `text`, as one of type `table`, if it has only one meaning.
fn converted(node: &Node, text: &str, table: &Type) -> Option<Value> {
    match (&table.shape, &node.data) {
        (Shape::Scalar(Scalar::String), Data::Bool(_) | Data::Number(_)) => Some(text.into()),
        (Shape::Scalar(Scalar::Bool), Data::String(written)) => match written.as_str() {
            "true" | "True" | "yes" | "on" => Some(true.into()),
            "false" | "False" | "no" | "off" => Some(false.into()),
            _ => None,
        },
        (Shape::Scalar(Scalar::Int32 | Scalar::Int64), Data::String(written)) => {
            written.parse::<i64>().ok().map(Value::from)
        }
        (Shape::Scalar(Scalar::Quantity), Data::String(written)) => Some(quantity(written)?.into()),
        (Shape::List(item), data) => {
            let is_item = is_of(data, item.get());
            let item = if is_item { node.clone().into_value() } else { converted(node, text, item.get())? };
            Some(Value::Array([item].into_iter().collect()))
        }
        (Shape::Struct(structure), data) => {
            let takes = |field: &&Field| {
                matches!(
                    (&field.reference.get().shape, data),
                    (Shape::Scalar(Scalar::String), Data::String(_))
                        | (Shape::Scalar(Scalar::Int32 | Scalar::Int64), Data::Number(_))
                )
            };
            let mut fields = structure.fields.iter().filter(takes);
            let (Some(field), None) = (fields.next(), fields.next()) else { return None };
            Some(Value::Object([(&*field.name, node.clone().into_value())].into_iter().collect()))
        }
        _ => None,
    }
}

/// The suffixes of amounts.
const SUFFIXES: [&str; 13] = ["m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// Returns the amount that is meant by `written`, whose suffix is another spelling of a valid one: `1GB`, `500 m`, `100K`.
fn quantity(written: &str) -> Option<String> {
    let end = written.find(|character: char| !character.is_ascii_digit() && character != '.')?;
    let (number, suffix) = written.split_at_checked(end).filter(|(number, _)| !number.is_empty())?;
    let suffix = suffix.trim();
    let unit = suffix.strip_suffix(['b', 'B']).unwrap_or(suffix);
    // A thousandth of a byte is not meant.
    let known = if unit == suffix { &SUFFIXES[..] } else { &SUFFIXES[1..] };
    let exact = known.iter().find(|known| **known == unit);
    let meant = exact.or_else(|| known.iter().find(|known| known.eq_ignore_ascii_case(unit)))?;
    let amount = format!("{number}{meant}");
    Quantity::parse(&amount).is_ok().then_some(amount)
}

fn is_of(data: &Data, table: &Type) -> bool {
    matches!(
        (&table.shape, data),
        (Shape::Scalar(Scalar::String), Data::String(_)) | (Shape::Struct(_), Data::Object(_))
    )
}

#[cfg(test)]
mod tests {
    use super::quantity;

    #[test]
    fn suffixes_of_amounts_have_other_spellings() {
        let meant = |written| quantity(written).unwrap_or_default();
        assert_eq!(
            ["1GB", "500 m", "100K", "512mb", "1.5 GiB", "2gi"].map(meant),
            ["1G", "500m", "100k", "512M", "1.5Gi", "2Gi"]
        );
        assert_eq!(["1 core", "x", "1", "GB"].map(meant), [""; 4]);
    }
}
