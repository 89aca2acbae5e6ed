//! The steps of an evaluation: an expression with its constants folded and its functions bound.
//!
//! The steps are those of cel-go, down to which of them it observes: the cost of an evaluation depends on that.
//!
//! Source: cel-go `interpreter/planner.go`, `interpreter/decorators.go`, `cel/library.go`.

mod attribute;
mod call;
mod fold;

use std::collections::HashSet;
use std::sync::Arc;

use super::Checked;
use super::ast::{Expr, ExprId, Literal};
use super::declarations::{Cost, Overload};
use super::failure::EvalError;
use super::library::{Function, Pattern, Singleton};
use super::meter::Meter;
use super::types::Type;
use super::value::{Entries, Key, Text, Value};

pub(super) use attribute::{Attribute, AttributeKind, Qualifier, QualifierKind};

/// A step of an evaluation.
#[derive(Debug)]
pub(super) enum Step {
    Constant {
        id: ExprId,
        value: Value<'static>,
    },
    Attribute(Box<AttributeStep>),
    Logic {
        id: ExprId,
        is_or: bool,
        terms: Vec<Step>,
    },
    Call(Box<CallStep>),
    /// `or` and `orValue` of optionals: the second is evaluated only if the first is none.
    Otherwise {
        id: ExprId,
        operands: Box<[Step; 2]>,
        unwraps: bool,
    },
    /// `x in [1, 2]` where the whole list is constant.
    Member {
        id: ExprId,
        operand: Box<Step>,
        members: HashSet<Key<'static>>,
    },
    List {
        id: ExprId,
        elements: Vec<Step>,
        optional: Vec<usize>,
    },
    Map {
        id: ExprId,
        entries: Vec<EntryStep>,
    },
    Object {
        id: ExprId,
        type_name: Arc<str>,
        fields: Vec<FieldStep>,
    },
    Fold(Box<FoldStep>),
}

/// A variable or a value, and the fields and items that are selected from it.
#[derive(Debug)]
pub(super) struct AttributeStep {
    pub(super) attribute: Attribute,
    /// The node of `has()`, if only presence matters.
    pub(super) test: Option<ExprId>,
}

#[derive(Debug)]
pub(super) struct CallStep {
    pub(super) id: ExprId,
    pub(super) function: Arc<str>,
    /// The overload, if the types of the arguments leave only one.
    pub(super) overload: Option<&'static Overload>,
    pub(super) cost: Cost,
    pub(super) arguments: Vec<Step>,
    pub(super) callee: Callee,
    /// Whether evaluation of the arguments stops at the first failure.
    pub(super) is_sequential: bool,
}

/// The target of a call.
#[derive(Clone)]
pub(super) enum Callee {
    Equal {
        is_negated: bool,
    },
    NotStrictlyFalse,
    /// A format that is selected by name.
    Constant(Value<'static>),
    /// The function, the same for all overloads.
    Singleton(Singleton),
    /// The one overload that fits.
    Overload(&'static Overload, Function),
    /// The overload that fits the arguments at run time.
    Dispatch,
    Pattern(Pattern),
    /// No function is bound.
    Nothing,
}

impl std::fmt::Debug for Callee {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Callee")
    }
}

#[derive(Debug)]
pub(super) struct EntryStep {
    pub(super) key: Step,
    pub(super) value: Step,
    pub(super) is_optional: bool,
}

#[derive(Debug)]
pub(super) struct FieldStep {
    pub(super) name: Arc<str>,
    pub(super) value: Step,
    pub(super) is_optional: bool,
}

#[derive(Debug)]
pub(super) struct FoldStep {
    pub(super) id: ExprId,
    pub(super) range: Step,
    pub(super) variable: Arc<str>,
    pub(super) second_variable: Option<Arc<str>>,
    pub(super) accumulator: Arc<str>,
    pub(super) initial: Step,
    pub(super) condition: Step,
    pub(super) step: Step,
    pub(super) result: Step,
}

impl Step {
    pub(super) fn id(&self) -> ExprId {
        match self {
            Self::Constant { id, .. }
            | Self::Logic { id, .. }
            | Self::Otherwise { id, .. }
            | Self::Member { id, .. }
            | Self::List { id, .. }
            | Self::Map { id, .. }
            | Self::Object { id, .. } => *id,
            Self::Attribute(step) => step.test.unwrap_or_else(|| step.attribute.id()),
            Self::Call(call) => call.id,
            Self::Fold(fold) => fold.id,
        }
    }

    fn constant(&self) -> Option<&Value<'static>> {
        match self {
            Self::Constant { value, .. } => Some(value),
            _ => None,
        }
    }
}

/// The steps of an expression.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) root: Step,
    /// The nodes that pass on what a fold collects, which must not be shared so that it can grow in place.
    pub(super) collecting: Vec<bool>,
}

impl Plan {
    pub(super) fn new(checked: &Checked) -> Result<Self, EvalError> {
        let mut planner =
            Planner { checked, collecting: vec![false; checked.ast().len()], meter: Meter::new(None) };
        let root = planner.plan(checked.ast().root())?;
        Ok(Self { root, collecting: planner.collecting })
    }
}

struct Planner<'a> {
    checked: &'a Checked,
    collecting: Vec<bool>,
    meter: Meter,
}

impl<'a> Planner<'a> {
    fn expr(&self, id: ExprId) -> &'a Expr {
        self.checked.ast().expr(id)
    }

    fn plan(&mut self, id: ExprId) -> Result<Step, EvalError> {
        match self.expr(id) {
            Expr::Unspecified => Err(EvalError::new("unsupported expr")),
            Expr::Literal(literal) => Ok(Step::Constant { id, value: literal_value(literal) }),
            Expr::Ident(name) => self.ident(id, name),
            Expr::Select { operand, field, is_test } => self.select(id, *operand, field, *is_test),
            Expr::Call { function, target, arguments } => self.call(id, function, *target, arguments),
            Expr::List { elements, optional } => self.list(id, elements, optional),
            Expr::Map(entries) => {
                let mut steps = Vec::new();
                for entry in entries {
                    let (key, value) = (self.plan(entry.key)?, self.plan(entry.value)?);
                    steps.push(EntryStep { key, value, is_optional: entry.is_optional });
                }
                Ok(fold_map(id, steps))
            }
            Expr::Object { type_name, fields } => {
                let mut steps = Vec::new();
                for field in fields {
                    let (name, value) = (Arc::clone(&field.name), self.plan(field.value)?);
                    steps.push(FieldStep { name, value, is_optional: field.is_optional });
                }
                Ok(Step::Object { id, type_name: Arc::clone(type_name), fields: steps })
            }
            Expr::Comprehension(fold) => self.fold(id, fold),
        }
    }

    fn plan_all(&mut self, ids: impl IntoIterator<Item = ExprId>) -> Result<Vec<Step>, EvalError> {
        ids.into_iter().map(|id| self.plan(id)).collect()
    }

    fn ident(&mut self, id: ExprId, name: &Arc<str>) -> Result<Step, EvalError> {
        if let Type::Type(of) = self.checked.type_of(id) {
            return match known_type(name, of.as_deref()) {
                Some(named) => Ok(Step::Constant { id, value: Value::Type(named.into()) }),
                None => Err(EvalError::new(format!("reference to undefined type: {name}"))),
            };
        }
        let kind = AttributeKind::Absolute { id, name: Arc::clone(name) };
        Ok(attribute_step(kind))
    }

    fn list(&mut self, id: ExprId, elements: &[ExprId], optional: &[usize]) -> Result<Step, EvalError> {
        let elements = self.plan_all(elements.iter().copied())?;
        let constants: Option<Vec<Value>> =
            elements.iter().map(|element| element.constant().cloned()).collect();
        if let Some(mut values) = constants.filter(|_| optional.is_empty()) {
            values.shrink_to_fit();
            return Ok(Step::Constant { id, value: Value::list(values) });
        }
        Ok(Step::List { id, elements, optional: optional.to_vec() })
    }
}

fn attribute_step(kind: AttributeKind) -> Step {
    let attribute = Attribute { kind, qualifiers: Vec::new() };
    Step::Attribute(Box::new(AttributeStep { attribute, test: None }))
}

fn fold_map(id: ExprId, steps: Vec<EntryStep>) -> Step {
    let mut entries = Entries::default();
    let is_constant = steps.iter().all(|entry| {
        let (Some(key), Some(value)) = (entry.key.constant(), entry.value.constant()) else { return false };
        !entry.is_optional && entries.set(key.clone(), value.clone())
    });
    if is_constant {
        Step::Constant { id, value: Value::Map(entries.into()) }
    } else {
        Step::Map { id, entries: steps }
    }
}

fn literal_value(literal: &Literal) -> Value<'static> {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Int(value) => Value::Int(*value),
        Literal::Uint(value) => Value::Uint(*value),
        Literal::Double(value) => Value::Double(*value),
        Literal::String(text) => Value::String(Text::Shared(Arc::clone(text))),
        Literal::Bytes(bytes) => Value::Bytes(Arc::clone(bytes)),
    }
}

/// Returns the name of the type that an identifier stands for; a variable whose value is a type denotes none.
fn known_type<'t>(name: &str, of: Option<&'t Type>) -> Option<&'t str> {
    let named = of.map_or("type", Type::name);
    (name == named || matches!(name, "duration" | "timestamp")).then_some(named)
}
