//! The expressions of policies, webhooks and device selectors: each has to compile, and to give what its use asks for.
//!
//! Not looked for: constant parts that fail when they are evaluated, and what an expression may cost.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/cel`, `k8s.io/dynamic-resource-allocation/cel`.

use super::node::{Errors, Node};
use crate::api::features::FeatureGates;
use crate::api::field::Path;
use crate::cel::{AdmissionVariables, Env, ObjectType, Type};

/// What an expression of admission is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// A validation or a match condition.
    Condition,
    Message,
    AuditAnnotation,
    Variable,
    ApplyConfiguration,
    JsonPatch,
}

impl Use {
    /// The types that may come out; none if any may.
    fn results(self) -> Vec<Type> {
        match self {
            Self::Condition => vec![Type::Bool],
            Self::Message => vec![Type::String],
            Self::AuditAnnotation => vec![Type::String, Type::Null],
            Self::Variable => Vec::new(),
            Self::ApplyConfiguration => vec![Type::object("Object")],
            Self::JsonPatch => vec![Type::list(Type::object("JSONPatch"))],
        }
    }
}

/// Compiles the expressions of one object, each with the variables in front of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Compiler {
    params: bool,
    variables: Option<ObjectType>,
}

impl Compiler {
    /// Without variables of the user's own.
    pub(super) fn new(params: bool) -> Self {
        Self { params, variables: None }
    }

    /// With `variables`, empty at first.
    pub(super) fn with_variables(params: bool) -> Self {
        Self { params, variables: Some(ObjectType::default()) }
    }

    /// Compiles a variable and declares it for those that follow, whether it compiles or not.
    pub(super) fn declare(&mut self, errors: &mut Errors, path: &Path, name: &str, expression: &str) {
        let result = self.compile(expression, Use::Variable);
        if let Some(variables) = &mut self.variables {
            variables.set(name, result.as_ref().map_or(Type::Dyn, Type::of_variable));
        }
        if let Err(detail) = result {
            errors.invalid(path, expression, detail);
        }
    }

    /// Says what is wrong with `expression`, and shows it as `shown`.
    pub(super) fn require(
        &self,
        errors: &mut Errors,
        path: &Path,
        (expression, shown): (&str, &str),
        of: Use,
    ) {
        if let Err(detail) = self.compile(expression, of) {
            errors.invalid(path, shown, detail);
        }
    }

    fn compile(&self, expression: &str, of: Use) -> Result<Type, String> {
        let env = Env::admission(AdmissionVariables {
            params: self.params,
            authorizer: of != Use::Message,
            patch_types: matches!(of, Use::ApplyConfiguration | Use::JsonPatch),
            variables: self.variables.as_ref(),
        });
        let checked = env.compile(expression).map_err(|issues| format!("compilation failed: {issues}"))?;
        let (found, wanted) = (checked.output_type(), of.results());
        if wanted.is_empty() || wanted.contains(found) {
            return Ok(found.clone());
        }
        let printed: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        Err(match printed.as_slice() {
            [wanted] => format!("must evaluate to {wanted} but got {found}"),
            wanted => format!("must evaluate to one of [{}] but got {found}", wanted.join(" ")),
        })
    }
}

/// The `expression` of a node must say something, and compile.
pub(super) fn require_expression(
    errors: &mut Errors,
    node: &Node,
    detail: &str,
    compiler: &Compiler,
    of: Use,
) {
    let expression = node.text("expression").trim();
    if expression.is_empty() {
        errors.required(&node.at("expression"), detail);
    } else {
        compiler.require(errors, &node.at("expression"), (expression, expression), of);
    }
}

/// `validateCELSelector`, of an expression that is not too long.
pub(super) fn validate_device_expression(errors: &mut Errors, selector: &Node, features: &FeatureGates) {
    let expression = selector.text("expression");
    let has_lists = features.enabled("DRAListTypeAttributes");
    let detail = match Env::device(features.enabled("DRAConsumableCapacity"), has_lists).compile(expression) {
        Err(issues) => format!("compilation failed: {issues}"),
        Ok(checked) => match checked.output_type() {
            Type::Bool | Type::Any => return,
            Type::Dyn if has_lists => return,
            found => format!("must evaluate to bool or the unknown type, not {found}"),
        },
    };
    errors.invalid(&selector.at("expression"), expression, detail);
}
