//! Lists whose items are not distinguished by their order: sets, and maps by some of their fields.

use crate::failure::Fault;
use crate::meter::Meter;
use crate::schema::ListType;
use crate::value::{List, Text, Value};

/// Whether two lists of the same length have the same items.
pub(super) fn equal<'a>(
    meter: &Meter,
    left: &List<'a>,
    right: &List<'a>,
    list_type: &'a ListType,
) -> Result<bool, Fault> {
    for item in right {
        let mut found = None;
        for candidate in left {
            if is_same(meter, &candidate, &item, list_type)? {
                found = Some(candidate);
            }
        }
        let Some(found) = found else { return Ok(false) };
        if !super::equal(meter, &found, &item)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the items of the left list, and those of the right one that it does not have; in maps the right one's
/// replace the left one's.
pub(crate) fn add<'a>(
    meter: &Meter,
    left: &List<'a>,
    right: &List<'a>,
    list_type: &'a ListType,
) -> Result<List<'a>, Fault> {
    meter.charge_items(left.len())?;
    let mut items: Vec<Value> = left.iter().collect();
    for item in right {
        let mut known = None;
        for (position, candidate) in items.iter().enumerate() {
            if is_same(meter, candidate, &item, list_type)? {
                known = Some(position);
            }
        }
        match known {
            None => items.push(item),
            Some(position) if matches!(list_type, ListType::Map(_)) => items[position] = item,
            Some(_) => {}
        }
    }
    Ok(List::keyed(items, list_type))
}

/// Whether two items are the same, by their keys alone.
fn is_same<'a>(
    meter: &Meter,
    left: &Value<'a>,
    right: &Value<'a>,
    list_type: &'a ListType,
) -> Result<bool, Fault> {
    let ListType::Map(keys) = list_type else { return super::is_equal(meter, left, right) };
    let (Value::Map(left), Value::Map(right)) = (left, right) else { return Ok(false) };
    for key in keys {
        let name = crate::escape::escape(key);
        let name = Value::String(name.map_or(Text::Borrowed(key), Text::from));
        let is_same = match (left.find(&name), right.find(&name)) {
            (None, None) => true,
            (Some(left), Some(right)) => super::is_equal(meter, &left, &right)?,
            _ => false,
        };
        if !is_same {
            return Ok(false);
        }
    }
    Ok(true)
}
