//! Calls, including those whose result is known in advance.

use std::collections::HashSet;
use std::sync::Arc;

use super::{CallStep, Callee, Planner, Step};
use crate::ast::ExprId;
use crate::check::Reference;
use crate::declarations::{self, Cost, Overload};
use crate::failure::{EvalError, Fault};
use crate::library::{self, Action, named_format};
use crate::meter::Meter;
use crate::number;
use crate::types::Type;
use crate::value::{Key, Outcome, Value};

impl Planner<'_> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        function: &Arc<str>,
        target: Option<ExprId>,
        arguments: &[ExprId],
    ) -> Result<Step, EvalError> {
        let arguments = self.plan_all(target.into_iter().chain(arguments.iter().copied()))?;
        match (&**function, arguments.len()) {
            ("_&&_" | "_||_", _) => {
                return Ok(Step::Logic { id, is_or: &**function == "_||_", terms: arguments });
            }
            ("_?_:_", 3) => {
                let [condition, yes, no] = exactly(arguments);
                return Ok(Self::conditional(id, condition, yes, no));
            }
            ("_[_]" | "_[?_]" | "_?._", 2) => {
                let [operand, index] = exactly(arguments);
                return Self::index(id, operand, index, &**function != "_[_]");
            }
            ("or" | "orValue", 2) => {
                let operands = Box::new(exactly(arguments));
                return Ok(Step::Otherwise { id, operands, unwraps: &**function == "orValue" });
            }
            _ => {}
        }
        let overload = match self.checked.reference(id) {
            Some(Reference::Overloads(overloads)) if overloads.len() == 1 => Some(overloads[0]),
            _ => None,
        };
        let cost = overload.map_or_else(|| Cost::of_function(function), |found| found.cost);
        let callee = callee(function, overload, arguments.len());
        let is_sequential = arguments.len() > 2 || matches!(callee, Callee::Dispatch) || cost == Cost::Format;
        let function = Arc::clone(function);
        self.optimize(CallStep { id, function, overload, cost, arguments, callee, is_sequential })
    }

    /// Folds conversions of constants, looks up items of constant lists by hash, and compiles constant patterns.
    fn optimize(&self, mut call: CallStep) -> Result<Step, EvalError> {
        let id = call.id;
        if call.cost == Cost::Search
            && let Some(Value::List(list)) = call.arguments[1].constant()
        {
            if list.is_empty() {
                return Ok(Step::Constant { id, value: Value::Bool(false) });
            }
            if let Some(members) = list.iter().map(|item| members(&item)).collect::<Option<Vec<_>>>() {
                let members: HashSet<Key> = members.into_iter().flatten().collect();
                let operand = Box::new(call.arguments.swap_remove(0));
                return Ok(Step::Member { id, operand, members });
            }
        }
        if is_conversion(&call.function)
            && let [Step::Constant { value, .. }] = &call.arguments[..]
        {
            let value = call.callee.call(&call.function, &self.meter, vec![value.clone()]);
            let value = value.map_err(|fault| fault.at(id).into_error())?;
            return Ok(Step::Constant { id, value });
        }
        if let Some(action) = Action::of(&call.function)
            && let Some(Value::String(pattern)) = call.arguments.get(1).and_then(Step::constant)
        {
            let pattern = action.compile(pattern).map_err(|fault| fault.at(id).into_error())?;
            (call.callee, call.is_sequential) = (Callee::Pattern(pattern), true);
        }
        Ok(Step::Call(Box::new(call)))
    }
}

fn exactly<const COUNT: usize>(steps: Vec<Step>) -> [Step; COUNT] {
    match <[Step; COUNT]>::try_from(steps) {
        Ok(steps) => steps,
        Err(_) => unreachable!("the number of operands was matched"),
    }
}

fn callee(function: &str, overload: Option<&'static Overload>, count: usize) -> Callee {
    match function {
        "_==_" => return Callee::Equal { is_negated: false },
        "_!=_" => return Callee::Equal { is_negated: true },
        "@not_strictly_false" => return Callee::NotStrictlyFalse,
        _ => {}
    }
    if count == 0
        && let Some(format) = named_format::constant(function)
    {
        return Callee::Constant(format);
    }
    if let Some(singleton) = library::singleton(function) {
        return Callee::Singleton(singleton);
    }
    match overload {
        None => Callee::Dispatch,
        Some(overload) => overload.call.map_or(Callee::Nothing, |call| Callee::Overload(overload, call)),
    }
}

/// Implements `IsTypeConversionFunction`.
fn is_conversion(function: &str) -> bool {
    matches!(
        function,
        "bool" | "bytes" | "double" | "duration" | "dyn" | "int" | "string" | "timestamp" | "type" | "uint"
    )
}

/// Returns an item of a constant list, under all keys by which it may be found; `None` if it has none.
#[expect(clippy::cast_precision_loss, reason = "cel-go converts so")]
fn members(item: &Value<'static>) -> Option<Vec<Key<'static>>> {
    let others: [Option<Value>; 2] = match item {
        Value::Bool(_) | Value::String(_) => [None, None],
        Value::Double(value) => {
            let whole = |is_same: bool, key: Value<'static>| is_same.then_some(key);
            let int = number::double_to_int(*value);
            let uint = number::double_to_uint(*value);
            [
                int.and_then(|int| whole(number::compare_double_int(*value, int).is_eq(), Value::Int(int))),
                uint.and_then(|uint| {
                    whole(number::compare_double_uint(*value, uint).is_eq(), Value::Uint(uint))
                }),
            ]
        }
        Value::Int(value) => {
            [Some(Value::Double(*value as f64)), u64::try_from(*value).ok().map(Value::Uint)]
        }
        Value::Uint(value) => {
            [Some(Value::Double(*value as f64)), i64::try_from(*value).ok().map(Value::Int)]
        }
        _ => return None,
    };
    Some(others.iter().flatten().chain([item]).filter_map(Key::of).collect())
}

impl Callee {
    /// Calls the bound function, with arguments that are not errors.
    pub(crate) fn call<'a>(
        &self,
        function: &str,
        meter: &Meter,
        mut arguments: Vec<Value<'a>>,
    ) -> Result<Value<'a>, Fault> {
        match self {
            Self::Constant(value) => Ok(value.clone()),
            Self::Equal { .. } | Self::NotStrictlyFalse => Err(Fault::no_such_overload()),
            Self::Singleton(singleton) => match singleton.needs {
                Some(needed) if !arguments[0].has(needed) => Err(without(function, &arguments[0])),
                // The left operand may be what a fold collects: it grows in place if it is not shared.
                _ if function == "_+_" && arguments.len() == 2 => {
                    let right = arguments.pop().unwrap_or(Value::Null);
                    let left = arguments.pop().unwrap_or(Value::Null);
                    crate::arithmetic::add(meter, left, right)
                }
                _ => (singleton.call)(meter, &arguments),
            },
            Self::Overload(declared, bound) => {
                if !is_unguarded(function) && !fits(declared, &arguments) {
                    return Err(no_such_overload(function, &arguments));
                }
                if function == "cel.@mapInsert" {
                    return library::insert(meter, arguments);
                }
                bound(meter, &arguments)
            }
            Self::Dispatch if function == "cel.@mapInsert" => library::insert(meter, arguments),
            Self::Dispatch => dispatch(function, meter, &arguments),
            Self::Pattern(pattern) => pattern.call(meter, &arguments),
            Self::Nothing => Err(arguments.first().map_or_else(
                || Fault::new(format!("no such overload: {function}()")),
                |first| without(function, first),
            )),
        }
    }
}

/// Returns cel-go's error for a first argument that lacks the trait that the function needs.
fn without(function: &str, first: &Value) -> Fault {
    if first.has(crate::value::Trait::Receiver) {
        Fault::no_such_overload()
    } else {
        Fault::new(format!("no such overload: {function}"))
    }
}

/// Returns the overload of a function that fits the arguments, at run time.
fn dispatch<'a>(function: &str, meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let (_, overloads) = declarations::function(function).unwrap_or((" ", &[]));
    for candidate in overloads {
        if candidate.arguments.len() == arguments.len()
            && (is_unguarded(function) || fits(candidate, arguments))
            && let Some(call) = candidate.call
        {
            return call(meter, arguments);
        }
    }
    Err(no_such_overload(function, arguments))
}

/// Whether the types of the arguments are not checked before the call.
fn is_unguarded(function: &str) -> bool {
    matches!(function, "contains" | "endsWith" | "startsWith" | "flatten")
}

/// Whether the arguments fit the overload, judged by their first items.
fn fits(overload: &Overload, arguments: &[Value]) -> bool {
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

fn no_such_overload(function: &str, arguments: &[Value]) -> Fault {
    let types: Vec<&str> = arguments.iter().map(Value::type_name).collect();
    Fault::new(format!("no such overload: {function}({})", types.join(", ")))
}
