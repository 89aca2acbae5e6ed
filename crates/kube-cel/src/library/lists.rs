//! Lists and sets.
//!
//! Source: cel-go `ext/lists.go`, `ext/sets.go`, `k8s.io/apiserver/pkg/cel/library/lists.go`.

mod sort;

use std::cmp::Ordering;

use super::Function;
use crate::failure::Fault;
use crate::meter::Meter;
use crate::time::Duration;
use crate::value::Outcome;
use crate::value::{List, Trait, Value};
use crate::{arithmetic, equality};

pub(super) fn singleton(function: &str) -> Option<(Option<Trait>, Function)> {
    Some(match function {
        "sort" => (Some(Trait::Lister), |meter, arguments| {
            let list = list(arguments)?;
            sort::by_keys(meter, list, list)
        }),
        "@sortByAssociatedKeys" => (Some(Trait::Lister), |meter, arguments| match arguments {
            [Value::List(list), Value::List(keys)] => sort::by_keys(meter, list, keys),
            _ => Err(Fault::no_such_overload()),
        }),
        _ => return None,
    })
}

pub(super) fn overload(identity: &str) -> Option<Function> {
    Some(match identity {
        "list_slice" => slice,
        "list_flatten" => |meter, arguments| flattened(meter, list(arguments)?, 1),
        "list_flatten_int" => |meter, arguments| match arguments {
            [Value::List(list), Value::Int(depth)] => flattened(meter, list, *depth),
            _ => Err(Fault::no_such_overload()),
        },
        "lists_range" => range,
        "list_reverse" => |meter, arguments| {
            let list = list(arguments)?;
            meter.charge_items(list.len())?;
            let mut items: Vec<Value> = list.iter().collect();
            items.reverse();
            Ok(Value::list(items))
        },
        "list_distinct" => distinct,
        "list_a_index_of_int" => |meter, arguments| {
            let list = list(arguments)?;
            position(meter, list, &arguments[1], 0..list.len())
        },
        "list_a_last_index_of_int" => |meter, arguments| {
            let list = list(arguments)?;
            position(meter, list, &arguments[1], (0..list.len()).rev())
        },
        "list_sets_contains_list" => |meter, arguments| two(arguments, meter, contains),
        "list_sets_equivalent_list" => |meter, arguments| {
            two(arguments, meter, |meter, list, other| {
                Ok(contains(meter, list, other)? && contains(meter, other, list)?)
            })
        },
        "list_sets_intersects_list" => |meter, arguments| {
            two(arguments, meter, |meter, list, other| {
                for item in list {
                    if has(meter, other, &item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            })
        },
        "list_int_sum_int" => |meter, arguments| sum(meter, arguments, Value::Int(0)),
        "list_uint_sum_uint" => |meter, arguments| sum(meter, arguments, Value::Uint(0)),
        "list_double_sum_double" => |meter, arguments| sum(meter, arguments, Value::Double(0.0)),
        "list_duration_sum_duration" => {
            |meter, arguments| sum(meter, arguments, Value::Duration(Duration(0)))
        }
        _ if identity.starts_with("list_") && identity.ends_with("_is_sorted_bool") => is_sorted,
        _ if identity.starts_with("list_") && identity.contains("_max_") => {
            |meter, arguments| extreme(meter, arguments, "max", Ordering::Less)
        }
        _ if identity.starts_with("list_") && identity.contains("_min_") => {
            |meter, arguments| extreme(meter, arguments, "min", Ordering::Greater)
        }
        _ => return None,
    })
}

fn list<'l, 'a>(arguments: &'l [Value<'a>]) -> Result<&'l List<'a>, Fault> {
    match arguments.first() {
        Some(Value::List(list)) => Ok(list),
        _ => Err(Fault::no_such_overload()),
    }
}

fn slice<'a>(meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let [Value::List(list), Value::Int(start), Value::Int(end)] = arguments else {
        return Err(Fault::no_such_overload());
    };
    let refuse = |reason: &str| Err(Fault::new(format!("cannot slice({start}, {end}), {reason}")));
    let length = list.len();
    let (Ok(from), Ok(until)) = (usize::try_from(*start), usize::try_from(*end)) else {
        return refuse("negative indexes not supported");
    };
    if from > until {
        return refuse("start index must be less than or equal to end index");
    }
    if length < until {
        return refuse(&format!("list is length {length}"));
    }
    meter.charge_items(until - from)?;
    Ok(Value::list((from..until).filter_map(|index| list.get(index)).collect()))
}

fn flattened<'a>(meter: &Meter, list: &List<'a>, depth: i64) -> Outcome<'a> {
    if depth < 0 {
        return Err(Fault::new("level must be non-negative"));
    }
    let mut items = Vec::new();
    flatten(meter, list, depth, &mut items)?;
    Ok(Value::list(items))
}

fn flatten<'a>(meter: &Meter, list: &List<'a>, depth: i64, items: &mut Vec<Value<'a>>) -> Result<(), Fault> {
    for item in list {
        meter.charge(1)?;
        match item {
            Value::List(inner) if depth > 0 => flatten(meter, &inner, depth - 1, items)?,
            other => items.push(other),
        }
    }
    Ok(())
}

fn range<'a>(meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let [Value::Int(end)] = arguments else { return Err(Fault::no_such_overload()) };
    meter.charge(u64::try_from(*end).unwrap_or_default())?;
    Ok(Value::list((0..*end).map(Value::Int).collect()))
}

fn distinct<'a>(meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let list = list(arguments)?;
    let mut kept: Vec<Value> = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let mut is_known = false;
        for (position, other) in kept.iter().enumerate() {
            if position != index && equality::is_equal(meter, &item, other)? {
                is_known = true;
                break;
            }
        }
        if !is_known {
            kept.push(item);
        }
    }
    Ok(Value::list(kept))
}

fn position<'a>(
    meter: &Meter,
    list: &List<'a>,
    wanted: &Value<'a>,
    positions: impl Iterator<Item = usize>,
) -> Outcome<'a> {
    for index in positions {
        if let Some(item) = list.get(index)
            && equality::is_equal(meter, &item, wanted)?
        {
            return Ok(Value::Int(i64::try_from(index).unwrap_or(i64::MAX)));
        }
    }
    Ok(Value::Int(-1))
}

fn has<'a>(meter: &Meter, list: &List<'a>, wanted: &Value<'a>) -> Result<bool, Fault> {
    for item in list {
        if equality::is_equal(meter, wanted, &item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn contains<'a>(meter: &Meter, list: &List<'a>, wanted: &List<'a>) -> Result<bool, Fault> {
    for item in wanted {
        if !has(meter, list, &item)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn two<'a>(
    arguments: &[Value<'a>],
    meter: &Meter,
    test: fn(&Meter, &List<'a>, &List<'a>) -> Result<bool, Fault>,
) -> Outcome<'a> {
    match arguments {
        [Value::List(list), Value::List(other)] => test(meter, list, other).map(Value::Bool),
        _ => Err(Fault::no_such_overload()),
    }
}

fn sum<'a>(meter: &Meter, arguments: &[Value<'a>], zero: Value<'a>) -> Outcome<'a> {
    let mut sum = zero;
    for item in list(arguments)? {
        meter.charge(1)?;
        sum = arithmetic::add(meter, sum, item)?;
    }
    Ok(sum)
}

fn is_sorted<'a>(meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let mut previous: Option<Value> = None;
    for item in list(arguments)? {
        meter.charge(1)?;
        if !item.has(Trait::Comparer) {
            return Err(Fault::no_such_overload());
        }
        if let Some(previous) = &previous
            && matches!(equality::compare(previous, &item), Ok(Ordering::Greater))
        {
            return Ok(Value::Bool(false));
        }
        previous = Some(item);
    }
    Ok(Value::Bool(true))
}

/// Returns the first of the items such that no item is `worse`.
fn extreme<'a>(meter: &Meter, arguments: &[Value<'a>], name: &str, worse: Ordering) -> Outcome<'a> {
    let mut best: Option<Value> = None;
    for item in list(arguments)? {
        meter.charge(1)?;
        if !item.has(Trait::Comparer) {
            return Err(Fault::no_such_overload());
        }
        match &best {
            Some(known) if equality::compare(known, &item).ok() != Some(worse) => {}
            _ => best = Some(item),
        }
    }
    best.ok_or_else(|| Fault::new(format!("{name} called on empty list")))
}
