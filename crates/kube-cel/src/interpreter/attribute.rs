//! Variables, and the fields and items that are selected from them.
//!
//! Source: cel-go `interpreter/attributes.go`.

use std::sync::Arc;

use super::{Interpreter, Scope};
use crate::failure::{EvalError, Fault};
use crate::plan::{Attribute, AttributeKind, AttributeStep, Qualifier, QualifierKind};
use crate::printed;
use crate::value::Outcome;
use crate::value::{List, Map, Opaque, Text, Value, double_to_int};

impl<'a> Interpreter<'_, 'a> {
    pub(super) fn attribute_step(&mut self, step: &AttributeStep, scope: Scope<'_, 'a>) -> Outcome<'a> {
        let attribute = &step.attribute;
        let mut outcome = self.resolve(attribute, scope);
        match &mut outcome {
            Err(fault) if !fault.is_error() => return outcome,
            Ok(value) if step.test.is_some() => {
                if let Value::Optional(found) = value {
                    *value = Value::Bool(found.is_some());
                }
            }
            _ => {}
        }
        let id = step.test.unwrap_or_else(|| attribute.id());
        let outcome = outcome.map_err(|fault| fault.at(id));
        if let AttributeKind::Conditional { condition, branches, .. } = &attribute.kind {
            self.tracker.drop_each([branches[1].id(), branches[0].id(), condition.id()]);
        } else {
            self.tracker.drop(attribute.id());
            self.tracker.add_cost(u64::from(step.test.is_none()));
        }
        self.observe(id, outcome)
    }

    fn resolve(&mut self, attribute: &Attribute, scope: Scope<'_, 'a>) -> Outcome<'a> {
        let mut qualifiers = attribute.qualifiers.as_slice();
        let value = match &attribute.kind {
            AttributeKind::Absolute { id, name } => {
                if let Some((first, rest)) = qualifiers.split_first()
                    && let Some(found) = self.lazy_field(name, first, scope)
                {
                    qualifiers = rest;
                    self.noted(first, found)?
                } else {
                    let is_collecting = self.plan.collecting[id.index()];
                    let found = self.look_up(name, is_collecting, scope);
                    found.ok_or_else(|| Fault::new(format!("no such attribute(s): {name}")).at(*id))??
                }
            }
            AttributeKind::Relative { operand, .. } => self.eval(operand, scope)?,
            AttributeKind::Conditional { id, condition, branches } => {
                return match self.eval(condition, scope)? {
                    Value::Bool(true) => self.resolve(&branches[0], scope),
                    Value::Bool(false) => self.resolve(&branches[1], scope),
                    _ => Err(Fault::no_such_overload().at(*id)),
                };
            }
        };
        self.qualify(value, qualifiers, scope)
    }

    /// Returns a field that the activation computes when it is requested.
    fn lazy_field(
        &mut self,
        variable: &str,
        qualifier: &Qualifier,
        scope: Scope<'_, 'a>,
    ) -> Option<Outcome<'a>> {
        let QualifierKind::Constant { key: Value::String(field), is_test } = &qualifier.kind else {
            return None;
        };
        if scope.is_some_and(|frame| frame.has(variable)) {
            return None;
        }
        if *is_test {
            return self.activation.has_field(variable, field).map(|is_there| Ok(Value::Bool(is_there)));
        }
        self.activation.field(variable, field).map(|found| found.map_err(Into::into))
    }

    /// Counts and records the result of a qualifier.
    fn noted(&mut self, qualifier: &Qualifier, outcome: Outcome<'a>) -> Outcome<'a> {
        let outcome = outcome.map_err(|fault| fault.at(qualifier.id));
        if let QualifierKind::Computed(attribute) = &qualifier.kind {
            self.tracker.drop(attribute.id());
        }
        self.tracker.add_cost(1);
        self.observe(qualifier.id, outcome)
    }

    /// Implements `applyQualifiers`.
    fn qualify(
        &mut self,
        value: Value<'a>,
        qualifiers: &[Arc<Qualifier>],
        scope: Scope<'_, 'a>,
    ) -> Outcome<'a> {
        let (mut object, mut is_optional) = match value {
            Value::Optional(None) => return Ok(value),
            Value::Optional(Some(value)) => (through_native(&value)?, true),
            other => (other, false),
        };
        for qualifier in qualifiers {
            is_optional |= qualifier.is_optional;
            let found = self.select(&object, qualifier, is_optional, scope);
            object = match found {
                Ok(Some(value)) => self.noted(qualifier, Ok(value))?,
                Ok(None) if is_optional => return Ok(Value::Optional(None)),
                Ok(None) => Value::Null,
                // A failure of an optional selection is not observed.
                Err(fault) if is_optional => return Err(fault.at(qualifier.id)),
                Err(fault) => self.noted(qualifier, Err(fault))?,
            };
        }
        Ok(if is_optional { Value::optional(object) } else { object })
    }

    /// Returns the selected value; `None` if it is optional and absent.
    fn select(
        &mut self,
        object: &Value<'a>,
        qualifier: &Qualifier,
        is_optional: bool,
        scope: Scope<'_, 'a>,
    ) -> Result<Option<Value<'a>>, Fault> {
        match &qualifier.kind {
            QualifierKind::Constant { key, is_test } => {
                let key: Value<'a> = key.clone();
                test(find(object, &key, is_optional || *is_test), *is_test, is_optional)
            }
            QualifierKind::Field { name, is_test } => {
                let found = match object {
                    Value::Object(object) => object.get(name).map(Value::without_object_types),
                    other => find(other, &Value::String(Text::Shared(Arc::clone(name))), true)?,
                };
                // An unset field reads as null.
                let found = found.or_else(|| (!is_optional && !is_test).then_some(Value::Null));
                test(Ok(found), *is_test, is_optional)
            }
            QualifierKind::Attribute(attribute) | QualifierKind::Computed(attribute) => {
                let key = self.resolve(attribute, scope)?;
                check_key(&key)?;
                find(object, &key, is_optional)
            }
        }
    }
}

fn test(
    found: Result<Option<Value<'_>>, Fault>,
    is_test: bool,
    is_optional: bool,
) -> Result<Option<Value<'_>>, Fault> {
    match found {
        Ok(found) if is_test && !is_optional => Ok(Some(Value::Bool(found.is_some()))),
        other => other,
    }
}

/// Returns an entry or item, as `refQualify` does; an error if it is required and missing.
fn find<'a>(object: &Value<'a>, key: &Value<'a>, may_be_absent: bool) -> Result<Option<Value<'a>>, Fault> {
    let missing = match object {
        Value::Map(map) => match map.read(key) {
            Some(value) => return Ok(Some(value)),
            None => "no such key",
        },
        Value::List(list) => {
            let index = index(key)?;
            match usize::try_from(index).ok().and_then(|index| list.get(index)) {
                Some(value) => return Ok(Some(value)),
                None => "index out of bounds",
            }
        }
        Value::Object(object) if &*object.type_name == "JSONPatch" => {
            return patch_field(|name| object.get(name).cloned(), key).map(Some);
        }
        _ => "no such key",
    };
    if may_be_absent { Ok(None) } else { Err(Fault::new(format!("{missing}: {}", printed::print(key)))) }
}

/// Returns a field of a `JSONPatch`; unset texts are empty.
fn patch_field<'a>(field: impl Fn(&str) -> Option<Value<'a>>, key: &Value<'a>) -> Outcome<'a> {
    match key.as_text() {
        Some(name @ ("op" | "path" | "from")) => Ok(field(name).unwrap_or_else(|| Value::text(""))),
        Some("value") => Ok(field("value").unwrap_or(Value::Null)),
        _ => Err(Fault::new(format!("unexpected indexed JSONPatchType field: {}", printed::print(key)))),
    }
}

/// Implements `IndexOrError`.
fn index(key: &Value) -> Result<i64, Fault> {
    let unsupported = || Fault::new(format!("unsupported index value {} in list", printed::print(key)));
    match key {
        Value::Int(index) => Ok(*index),
        Value::Double(index) => double_to_int(*index).ok_or_else(unsupported),
        Value::Uint(index) => i64::try_from(*index).map_err(|_| unsupported()),
        other => Err(Fault::new(format!("unsupported index type '{}' in list", other.type_name()))),
    }
}

/// Refuses values that cannot be keys.
fn check_key(key: &Value) -> Result<(), Fault> {
    let found = match key {
        Value::String(_) | Value::Int(_) | Value::Uint(_) | Value::Bool(_) | Value::Double(_) => {
            return Ok(());
        }
        Value::Null => "<nil>",
        Value::List(List::Tree(_)) => "[]interface {}",
        Value::Map(Map::Tree(_)) => "map[string]interface {}",
        other => other.go_type(),
    };
    Err(EvalError::new(format!("invalid qualifier type: {found}")).into())
}

/// Returns the value of an optional that cel-go unwraps to Go's own value and wraps again.
fn through_native<'a>(value: &Value<'a>) -> Outcome<'a> {
    match value {
        Value::Type(name) => Ok(Value::String(Text::Shared(Arc::clone(name)))),
        Value::Optional(inner) => inner.as_deref().map_or(Ok(Value::Null), through_native),
        Value::Opaque(opaque) => Err(Fault::new(format!(
            "unsupported conversion to ref.Val: ({}){}",
            native_type(opaque),
            printed::print(value)
        ))),
        other => Ok(other.clone()),
    }
}

fn native_type(opaque: &Opaque) -> &'static str {
    match opaque {
        Opaque::Quantity { .. } => "*resource.Quantity",
        Opaque::Ip(_) => "netip.Addr",
        Opaque::Cidr(_) => "netip.Prefix",
        Opaque::Url(_) => "*url.URL",
        Opaque::Semver(_) => "semver.Version",
        Opaque::Format(_) => "cel.Format",
        _ => "*types.Err",
    }
}
