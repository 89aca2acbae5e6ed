//! The functions that expressions may call: the implementation of each overload.
//!
//! An overload is found by its identity in `data/cel.txt`. A function whose overloads all do the same is bound by its
//! name; before it is called, cel-go checks whether its first argument has the operation.

mod addresses;
pub(super) mod device;
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
mod semver;

use super::meter::Meter;
use super::value::{Outcome, Trait, Value};

pub(super) use device::MAX_ATTRIBUTE_VALUES;
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
