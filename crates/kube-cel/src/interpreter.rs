//! Evaluates the steps of an expression.
//!
//! Source: cel-go `interpreter/interpretable.go`.

mod attribute;
mod call_cost;
mod scope;
mod tracker;

use std::sync::Arc;

use super::activation::Activation;
use super::ast::ExprId;
use super::equality;
use super::failure::Fault;
use super::meter::Meter;
use super::observer::Observer;
use super::plan::{CallStep, Callee, EntryStep, FieldStep, FoldStep, Plan, Step};
use super::printed;
use super::value::Outcome;
use super::value::{Entries, Key, Map, ObjectValue, Value};

use scope::{Frame, Phase};
pub(super) use tracker::Tracker;

/// The variables of the folds around a step, the innermost first.
type Scope<'s, 'a> = Option<&'s Frame<'s, 'a>>;

pub(super) struct Interpreter<'p, 'a> {
    plan: &'p Plan,
    activation: &'p dyn Activation<'a>,
    meter: Meter,
    tracker: Tracker<'a>,
    observer: Option<&'p mut dyn Observer<'a>>,
}

impl<'p, 'a> Interpreter<'p, 'a> {
    pub(super) fn new(
        plan: &'p Plan,
        activation: &'p dyn Activation<'a>,
        cost_limit: Option<u64>,
        observer: Option<&'p mut dyn Observer<'a>>,
    ) -> Self {
        let tracker = Tracker::new(plan.collecting.len(), cost_limit);
        Self { plan, activation, meter: Meter::new(cost_limit), tracker, observer }
    }

    /// Returns the value of the expression, and its cost.
    pub(super) fn run(mut self) -> (Outcome<'a>, u64) {
        let outcome = self.eval(&self.plan.root, None);
        (outcome, self.tracker.cost())
    }

    fn eval(&mut self, step: &Step, scope: Scope<'_, 'a>) -> Outcome<'a> {
        match step {
            Step::Constant { id, value } => {
                let value: Value<'a> = value.clone();
                self.observe(*id, Ok(value))
            }
            Step::Attribute(attribute) => self.attribute_step(attribute, scope),
            Step::Logic { id, is_or, terms } => self.logic(*id, *is_or, terms, scope),
            Step::Call(call) => self.call(call, scope),
            Step::Otherwise { id, operands, unwraps } => {
                let outcome = match self.eval(&operands[0], scope) {
                    Ok(Value::Optional(None)) => self.eval(&operands[1], scope),
                    Ok(Value::Optional(Some(value))) if *unwraps => Ok(Value::clone(&value)),
                    other => other,
                };
                self.observe(*id, outcome)
            }
            Step::Member { id, operand, members } => {
                let outcome = self.eval(operand, scope);
                let outcome = outcome.and_then(|value| match Key::of(&value) {
                    Some(key) => Ok(Value::Bool(members.contains(&key))),
                    None if matches!(value, Value::Bytes(_)) => Err(unhashable(&value)),
                    None => Ok(Value::Bool(false)),
                });
                self.observe(*id, outcome)
            }
            Step::List { id, elements, optional } => {
                let outcome = self.list(*id, elements, optional, scope);
                self.tracker.drop_all(elements.iter().map(Step::id));
                self.tracker.add_cost(10);
                self.observe(*id, outcome)
            }
            Step::Map { id, entries } => {
                let outcome = self.map(*id, entries, scope);
                self.tracker.drop_all(entries.iter().flat_map(|entry| [entry.key.id(), entry.value.id()]));
                self.tracker.add_cost(30);
                self.observe(*id, outcome)
            }
            Step::Object { id, type_name, fields } => {
                let outcome = self.object(*id, type_name, fields, scope);
                self.tracker.drop_all(fields.iter().map(|field| field.value.id()));
                self.tracker.add_cost(40);
                self.observe(*id, outcome)
            }
            Step::Fold(fold) => {
                let outcome = self.fold(fold, scope);
                self.tracker.drop(fold.range.id());
                self.observe(fold.id, outcome)
            }
        }
    }

    /// Records the value of a node; evaluation continues only within the budget.
    fn observe(&mut self, id: ExprId, outcome: Outcome<'a>) -> Outcome<'a> {
        self.note(id, &outcome)?;
        outcome
    }

    fn note(&mut self, id: ExprId, outcome: &Outcome<'a>) -> Result<(), Fault> {
        let value = match outcome {
            Ok(value) => {
                let is_collecting = self.plan.collecting[id.index()];
                Some(if is_collecting { Value::Null } else { value.clone() })
            }
            Err(Fault::Error(_)) => None,
            Err(fault) => return Err(fault.clone()),
        };
        if let Some(observer) = &mut self.observer {
            match outcome {
                Ok(value) => observer.value(id, Ok(value)),
                Err(Fault::Error(error)) => observer.value(id, Err(error)),
                Err(_) => {}
            }
        }
        self.tracker.push(id, value)
    }

    /// Evaluates `&&` or `||`; the first error counts if no term decides.
    fn logic(&mut self, id: ExprId, is_or: bool, terms: &[Step], scope: Scope<'_, 'a>) -> Outcome<'a> {
        let mut failed = None;
        let mut outcome = Ok(Value::Bool(!is_or));
        for term in terms {
            match self.eval(term, scope) {
                Ok(Value::Bool(value)) if value == is_or => {
                    outcome = Ok(Value::Bool(value));
                    failed = None;
                    break;
                }
                Ok(Value::Bool(_)) => {}
                Ok(_) => failed = failed.or_else(|| Some(Fault::no_such_overload().at(id))),
                Err(fault) if fault.is_error() => failed = failed.or(Some(fault)),
                Err(fault) => return Err(fault),
            }
        }
        if let Some(fault) = failed {
            outcome = Err(fault);
        }
        self.tracker.drop_each(terms.iter().map(Step::id));
        self.observe(id, outcome)
    }

    fn call(&mut self, call: &CallStep, scope: Scope<'_, 'a>) -> Outcome<'a> {
        let outcome = self.called(call, scope);
        if let Err(fault) = &outcome
            && !fault.is_error()
        {
            return outcome;
        }
        if let Some(arguments) = self.tracker.take_all(call.arguments.iter().map(Step::id)) {
            let cost = call_cost::of(call, &arguments, outcome.as_ref().ok());
            self.tracker.add_cost(cost);
        }
        self.observe(call.id, outcome)
    }

    fn called(&mut self, call: &CallStep, scope: Scope<'_, 'a>) -> Outcome<'a> {
        if matches!(call.callee, Callee::NotStrictlyFalse) {
            return match self.eval(&call.arguments[0], scope) {
                Ok(value @ Value::Bool(_)) => Ok(value),
                Err(fault) if !fault.is_error() => Err(fault),
                _ => Ok(Value::Bool(true)),
            };
        }
        let mut arguments = Vec::with_capacity(call.arguments.len());
        let mut failed = None;
        for argument in &call.arguments {
            match self.eval(argument, scope) {
                Ok(value) => arguments.push(value),
                Err(fault) if fault.is_error() && !call.is_sequential => failed = failed.or(Some(fault)),
                Err(fault) => return Err(fault),
            }
        }
        if let Some(fault) = failed {
            return Err(fault);
        }
        self.precheck(call, &arguments)?;
        let outcome = match call.callee {
            Callee::Equal { is_negated: false } => {
                equality::equal(&self.meter, &arguments[0], &arguments[1]).map(Value::Bool)
            }
            Callee::Equal { is_negated: true } => {
                equality::is_equal(&self.meter, &arguments[0], &arguments[1]).map(|is| Value::Bool(!is))
            }
            _ => call.callee.call(&call.function, &self.meter, arguments),
        };
        outcome.map_err(|fault| fault.at(call.id))
    }

    /// Fails for a call that would exceed the budget.
    fn precheck(&self, call: &CallStep, arguments: &[Value<'a>]) -> Result<(), Fault> {
        match (&*call.function, arguments) {
            ("lists.range", [Value::Int(end)]) => self.tracker.check(u64::try_from(*end).unwrap_or_default()),
            ("sort" | "reverse" | "flatten" | "@in" | "join", [.., Value::List(list)]) => {
                // The minimum cost of each item.
                self.tracker.check(list.len() as u64 / 8)
            }
            ("distinct", [Value::List(list)]) => {
                self.tracker.check((list.len() as u64).saturating_mul(list.len() as u64))
            }
            _ => Ok(()),
        }
    }

    fn list(
        &mut self,
        id: ExprId,
        elements: &[Step],
        optional: &[usize],
        scope: Scope<'_, 'a>,
    ) -> Outcome<'a> {
        let mut items = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let value = self.eval(element, scope)?;
            if !optional.contains(&index) {
                items.push(value);
                continue;
            }
            match value {
                Value::Optional(value) => items.extend(value.as_deref().cloned()),
                other => {
                    let message = "cannot initialize optional list element from non-optional value";
                    return Err(Fault::new(format!("{message} {}", printed::print(&other))).at(id));
                }
            }
        }
        Ok(Value::list(items))
    }

    fn map(&mut self, id: ExprId, steps: &[EntryStep], scope: Scope<'_, 'a>) -> Outcome<'a> {
        let mut entries = Entries::default();
        for entry in steps {
            let key = self.eval(&entry.key, scope)?;
            let mut value = self.eval(&entry.value, scope)?;
            if entry.is_optional {
                let Some(present) = optional(&value, &key).map_err(|fault| fault.at(id))? else {
                    entries.remove(&key);
                    continue;
                };
                value = present;
            }
            let fault = unhashable(&key);
            if !entries.set(key, value) {
                return Err(fault);
            }
        }
        Ok(Value::Map(entries.into()))
    }

    fn object(
        &mut self,
        id: ExprId,
        type_name: &Arc<str>,
        steps: &[FieldStep],
        scope: Scope<'_, 'a>,
    ) -> Outcome<'a> {
        let mut fields: Vec<(Arc<str>, Value)> = Vec::new();
        for field in steps {
            let mut value = self.eval(&field.value, scope)?;
            if field.is_optional {
                let name = Value::text(&*field.name);
                let Some(present) = optional(&value, &name).map_err(|fault| fault.at(id))? else {
                    fields.retain(|(name, _)| *name != field.name);
                    continue;
                };
                value = present;
            }
            match fields.iter_mut().find(|(name, _)| *name == field.name) {
                Some((_, known)) => *known = value,
                None => fields.push((Arc::clone(&field.name), value)),
            }
        }
        if &**type_name == "JSONPatch" {
            check_patch(&fields).map_err(|fault| fault.at(id))?;
        }
        Ok(Value::Object(Arc::new(ObjectValue { type_name: Arc::clone(type_name), fields })))
    }

    fn fold(&mut self, fold: &FoldStep, scope: Scope<'_, 'a>) -> Outcome<'a> {
        let range = self.eval(&fold.range, scope)?;
        let frame = Frame::new(fold, scope);
        match (&range, &fold.second_variable) {
            (Value::List(list), None) => {
                for item in list {
                    if !self.fold_step(&frame, item, None)? {
                        break;
                    }
                }
            }
            (Value::List(list), Some(_)) => {
                for (index, item) in list.iter().enumerate() {
                    let index = Value::Int(i64::try_from(index).unwrap_or(i64::MAX));
                    if !self.fold_step(&frame, index, Some(item))? {
                        break;
                    }
                }
            }
            (Value::Map(map), second) => {
                for (key, value) in map.entries() {
                    if !self.fold_step(&frame, key, second.is_some().then_some(value))? {
                        break;
                    }
                }
            }
            (other, Some(_)) => {
                let message = format!("unsupported comprehension range type: {}", other.go_type());
                return Err(Fault::new(message).at(fold.id));
            }
            (other, None) => {
                let message = format!("got '{}', expected iterable type", other.go_type());
                return Err(Fault::new(message).at(fold.id));
            }
        }
        frame.phase.set(Phase::Result);
        if let Some(observer) = &mut self.observer {
            observer.end(fold.id);
        }
        self.eval(&fold.result, Some(&frame))
    }

    /// Performs a step of a fold; returns whether the fold continues.
    fn fold_step(
        &mut self,
        frame: &Frame<'_, 'a>,
        first: Value<'a>,
        second: Option<Value<'a>>,
    ) -> Result<bool, Fault> {
        self.meter.charge(1)?;
        if let Some(observer) = &mut self.observer {
            observer.item(frame.fold.id, &first, second.as_ref());
        }
        frame.bind(first, second);
        frame.phase.set(Phase::Condition);
        match self.eval(&frame.fold.condition, Some(frame)) {
            Ok(Value::Bool(false)) => return Ok(false),
            Err(fault) if !fault.is_error() => return Err(fault),
            _ => {}
        }
        frame.phase.set(Phase::Step);
        let outcome = self.eval(&frame.fold.step, Some(frame));
        if let Err(fault) = &outcome
            && !fault.is_error()
        {
            return Err(fault.clone());
        }
        frame.accumulate(outcome);
        Ok(true)
    }
}

fn unhashable(value: &Value) -> Fault {
    Fault::Panic(format!("runtime error: hash of unhashable type {}", value.go_type()).into())
}

/// Returns the value of an optional entry.
fn optional<'a>(value: &Value<'a>, key: &Value<'a>) -> Result<Option<Value<'a>>, Fault> {
    match value {
        Value::Optional(value) => Ok(value.as_deref().cloned()),
        other => {
            let (key, other) = (printed::print(key), printed::print(other));
            let message = "cannot initialize optional entry";
            Err(Fault::new(format!("{message} '{key}' from non-optional value {other}")))
        }
    }
}

fn check_patch(fields: &[(Arc<str>, Value)]) -> Result<(), Fault> {
    for (name, value) in fields {
        match &**name {
            "op" | "path" | "from" if value.as_text().is_none() => {
                let found = value.go_value_type();
                return Err(Fault::new(format!("unexpected type {found} for JSONPatchType '{name}' field")));
            }
            "op" | "path" | "from" | "value" => {}
            other => return Err(Fault::new(format!("unexpected JSONPatchType field: {other}"))),
        }
    }
    Ok(())
}

/// Returns the map that is iterated over, or the value that an empty accumulator starts with.
fn fresh(value: Value<'_>) -> Value<'_> {
    match value {
        Value::List(list) if list.is_empty() => Value::list(Vec::new()),
        Value::Map(map) if map.is_empty() => Value::Map(Map::from(Entries::default())),
        other => other,
    }
}
