//! The functions that expressions may call: the implementation of each overload.
//!
//! An overload is found by its identity in `declarations/functions.txt`. A function whose overloads all do the same is
//! bound by its name; before it is called, cel-go checks whether its first argument has the operation.

mod addresses;
mod device;
mod format;
mod lists;
mod optionals;
mod patterns;
mod quantities;
mod standard;
mod strings;
mod times;

pub(super) mod authorizer;
pub(super) mod ip;
pub(super) mod named_format;
pub(super) mod semver;
pub(super) mod url;

use super::declarations::{self, Overload};
use super::failure::Fault;
use super::meter::Meter;
use super::types::Type;
use super::value::Outcome;
use super::value::{Trait, Value};

pub(super) use patterns::{Action, Pattern, is_pattern};
pub(super) use standard::insert;

/// The implementation of a call.
pub(super) type Function = for<'a> fn(&Meter, &[Value<'a>]) -> Outcome<'a>;

/// The implementation of a function, the same for all overloads.
#[derive(Clone, Copy)]
pub(super) struct Singleton {
    /// The trait that its first argument must have.
    pub(super) needs: Option<Trait>,
    pub(super) call: Function,
}

/// Returns the function that is bound by name.
pub(super) fn singleton(function: &str) -> Option<Singleton> {
    let (needs, call) = standard::singleton(function).or_else(|| lists::singleton(function))?;
    Some(Singleton { needs, call })
}

/// Returns the implementation of an overload.
pub(super) fn overload(identity: &str) -> Option<Function> {
    standard::overload(identity)
        .or_else(|| times::overload(identity))
        .or_else(|| strings::overload(identity))
        .or_else(|| lists::overload(identity))
        .or_else(|| optionals::overload(identity))
        .or_else(|| patterns::overload(identity))
        .or_else(|| addresses::overload(identity))
        .or_else(|| quantities::overload(identity))
        .or_else(|| semver::overload(identity))
        .or_else(|| named_format::overload(identity))
        .or_else(|| authorizer::overload(identity))
        .or_else(|| device::overload(identity))
}

/// Returns the overload of a function that fits the arguments, at run time.
pub(super) fn dispatch<'a>(function: &str, meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let (_, overloads) = declarations::function(function).unwrap_or((" ", &[]));
    for candidate in overloads {
        if candidate.arguments.len() == arguments.len()
            && (is_unguarded(function) || fits(candidate, arguments))
            && let Some(call) = overload(candidate.identity)
        {
            return call(meter, arguments);
        }
    }
    Err(no_such_overload(function, arguments))
}

/// Whether the types of the arguments are not checked before the call.
pub(super) fn is_unguarded(function: &str) -> bool {
    matches!(function, "contains" | "endsWith" | "startsWith" | "flatten")
}

/// Whether the arguments fit the overload, judged by their first items.
pub(super) fn fits(overload: &Overload, arguments: &[Value]) -> bool {
    overload.arguments.len() == arguments.len()
        && overload.arguments.iter().zip(arguments).all(|(wanted, argument)| is_assignable(wanted, argument))
}

fn is_assignable(wanted: &Type, value: &Value) -> bool {
    match (wanted, value) {
        (Type::Dyn | Type::Any | Type::Parameter(_), _) => true,
        (Type::List(element), Value::List(list)) => {
            list.get(0).is_none_or(|first| is_assignable(element, &first))
        }
        (Type::Map(entry), Value::Map(map)) => map
            .entries()
            .next()
            .is_none_or(|(key, value)| is_assignable(&entry.0, &key) && is_assignable(&entry.1, &value)),
        _ => wanted.name() == value.type_name(),
    }
}

pub(super) fn no_such_overload(function: &str, arguments: &[Value]) -> Fault {
    let types: Vec<&str> = arguments.iter().map(Value::type_name).collect();
    Fault::new(format!("no such overload: {function}({})", types.join(", ")))
}
