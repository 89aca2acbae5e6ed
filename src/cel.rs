//! The Common Expression Language, as Kubernetes configures it: an expression is read, checked and compiled here.
//!
//! Every node has a place, the checker gives it a type and the overloads that a call may turn out to be; what is wrong
//! is worded and quoted as by cel-go 0.26, which reads by a parser that ANTLR made.
//!
//! `cel` stands beside `api`: API validation compiles the expressions of policies, webhooks and device classes, and
//! CEL's library of Kubernetes has what `api` knows about regular expressions, durations, quantities and named formats.
//!
//! What compiles is made a [`Program`], which is evaluated over the variables of an [`Activation`]; what it costs is
//! counted as the API server counts it.
//!
//! Deliberately absent: messages of protocol buffers (no Kubernetes expression has any but those declared in [`Env`]).

mod activation;
mod arithmetic;
mod ast;
mod build;
mod check;
mod compile;
mod convert;
mod cost;
mod declarations;
mod environment;
mod equality;
mod escape;
mod failure;
mod grammar;
mod interpreter;
mod issue;
mod kubernetes;
mod lexer;
mod library;
mod literal;
mod meter;
mod number;
mod plan;
mod printed;
mod program;
mod schema;
mod source;
mod syntax;
mod time;
mod token;
mod tree;
mod typed;
mod types;
mod validate;
mod value;

pub use activation::{Activation, Variables};
pub use ast::{Ast, Comprehension, Expr, ExprId, Field, Literal, MapEntry};
pub use check::Reference;
pub use cost::Bounds;
pub use environment::{Env, ObjectType};
pub use escape::escape;
pub use failure::EvalError;
pub use issue::{Issue, Issues};
pub use kubernetes::{AdmissionVariables, device_bounds};
pub use library::authorizer::{AuthorizationRequest, AuthorizationTarget, Authorizer, Decision};
pub use program::{Evaluation, PER_CALL_LIMIT, Program};
pub use schema::{ListType, StringFormat, ValueSchema};
pub use source::Location;
pub use time::{Duration, Timestamp};
pub use types::Type;
pub use value::{Items, List, Map, ObjectValue, Opaque, Text, Value};

use check::Findings;

/// An expression that compiles.
#[derive(Debug, Clone)]
pub struct Checked {
    ast: Ast,
    findings: Findings,
}

impl Checked {
    fn new(ast: Ast, findings: Findings) -> Self {
        Self { ast, findings }
    }

    /// Returns the expression.
    pub fn ast(&self) -> &Ast {
        &self.ast
    }

    /// Returns the type of what the expression gives.
    pub fn output_type(&self) -> &Type {
        self.type_of(self.ast.root())
    }

    /// Returns the type of a node.
    pub fn type_of(&self, id: ExprId) -> &Type {
        &self.findings.types[id.index()]
    }

    /// Whether a variable is used anywhere.
    pub fn names(&self, variable: &str) -> bool {
        let references = self.findings.references.iter().flatten();
        references.into_iter().any(|found| matches!(found, Reference::Name(name) if &**name == variable))
    }

    /// Returns what the name of a node stands for, or what its call may turn out to be.
    pub fn reference(&self, id: ExprId) -> Option<&Reference> {
        self.findings.references[id.index()].as_ref()
    }
}

#[cfg(test)]
mod tests;
