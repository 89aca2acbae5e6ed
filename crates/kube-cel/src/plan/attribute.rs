//! Variables, and the fields and items selected from them.
//!
//! Source: cel-go `interpreter/attributes.go`.

use std::sync::Arc;

use super::{AttributeStep, Planner, Step};
use crate::ast::ExprId;
use crate::failure::EvalError;
use crate::types::Type;
use crate::value::{Text, Value};

/// The source of a value, and the fields and items selected from it.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) kind: AttributeKind,
    pub(crate) qualifiers: Vec<Arc<Qualifier>>,
}

/// The source of a value.
#[derive(Debug)]
pub(crate) enum AttributeKind {
    /// A variable.
    Absolute { id: ExprId, name: Arc<str> },
    /// The value of another step.
    Relative { id: ExprId, operand: Box<Step> },
    /// One of two; what is selected is selected of either.
    Conditional { id: ExprId, condition: Box<Step>, branches: Box<[Attribute; 2]> },
}

/// A selected field or item.
#[derive(Debug)]
pub(crate) struct Qualifier {
    pub(crate) id: ExprId,
    pub(crate) kind: QualifierKind,
    pub(crate) is_optional: bool,
}

/// The form of a selection.
#[derive(Debug)]
pub(crate) enum QualifierKind {
    /// By a constant; `is_test` if only its presence matters.
    Constant { key: Value<'static>, is_test: bool },
    /// A field of an object literal.
    Field { name: Arc<str>, is_test: bool },
    /// By the value of an attribute.
    Attribute(Attribute),
    /// The value of another step.
    Computed(Attribute),
}

impl Attribute {
    pub(crate) fn id(&self) -> ExprId {
        if let Some(last) = self.qualifiers.last() {
            return last.id;
        }
        match &self.kind {
            AttributeKind::Absolute { id, .. } | AttributeKind::Relative { id, .. } => *id,
            AttributeKind::Conditional { id, branches, .. } => {
                let [yes, no] = branches.each_ref().map(Self::id);
                if yes == no { yes } else { *id }
            }
        }
    }

    fn add(&mut self, qualifier: &Arc<Qualifier>) {
        match &mut self.kind {
            AttributeKind::Conditional { branches, .. } => {
                branches.iter_mut().for_each(|branch| branch.add(qualifier));
            }
            _ => self.qualifiers.push(Arc::clone(qualifier)),
        }
    }

    fn of(step: Step) -> Self {
        match step {
            Step::Attribute(step) => step.attribute,
            other => Self::relative(other.id(), other),
        }
    }

    fn relative(id: ExprId, operand: Step) -> Self {
        Self { kind: AttributeKind::Relative { id, operand: Box::new(operand) }, qualifiers: Vec::new() }
    }
}

impl Planner<'_> {
    pub(super) fn select(
        &mut self,
        id: ExprId,
        operand: ExprId,
        field: &Arc<str>,
        is_test: bool,
    ) -> Result<Step, EvalError> {
        let mut attribute = Attribute::of(self.plan(operand)?);
        let kind = if self.is_object_literal(operand) {
            QualifierKind::Field { name: Arc::clone(field), is_test }
        } else {
            QualifierKind::Constant { key: Value::String(Text::Shared(Arc::clone(field))), is_test }
        };
        attribute.add(&Arc::new(Qualifier { id, kind, is_optional: false }));
        Ok(Step::Attribute(Box::new(AttributeStep { attribute, test: is_test.then_some(id) })))
    }

    /// Whether the node creates an `Object{…}` or a part of one.
    fn is_object_literal(&self, id: ExprId) -> bool {
        matches!(self.checked.type_of(id), Type::Object(name) if &**name == "Object" || name.starts_with("Object."))
    }

    pub(super) fn index(
        id: ExprId,
        operand: Step,
        index: Step,
        is_optional: bool,
    ) -> Result<Step, EvalError> {
        let kind = match index {
            Step::Constant { value, .. } => {
                check_key(&value)?;
                QualifierKind::Constant { key: value, is_test: false }
            }
            Step::Attribute(step) => QualifierKind::Attribute(step.attribute),
            other => QualifierKind::Computed(Attribute::relative(id, other)),
        };
        let mut attribute = Attribute::of(operand);
        attribute.add(&Arc::new(Qualifier { id, kind, is_optional }));
        Ok(Step::Attribute(Box::new(AttributeStep { attribute, test: None })))
    }

    pub(super) fn conditional(id: ExprId, condition: Step, yes: Step, no: Step) -> Step {
        let branches = Box::new([yes, no].map(Attribute::of));
        super::attribute_step(AttributeKind::Conditional { id, condition: Box::new(condition), branches })
    }
}

/// Refuses values that cannot be keys.
pub(crate) fn check_key(key: &Value) -> Result<(), EvalError> {
    match key {
        Value::String(_) | Value::Int(_) | Value::Uint(_) | Value::Bool(_) | Value::Double(_) => Ok(()),
        other => Err(EvalError::new(format!("invalid qualifier type: {}", other.go_type()))),
    }
}
