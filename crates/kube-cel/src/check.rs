//! The type checker: assigns every node its type and every call its overloads.
//!
//! Source: cel-go `checker/checker.go`, `checker/env.go`.

use std::sync::Arc;

use super::ast::{Ast, Comprehension, Expr, ExprId, Field, Literal};
use super::declarations::{self, Overload};
use super::environment::Env;
use super::issue::Issues;
use super::source::{Location, Source};
use super::types::{Substitutions, Type};

/// What a name refers to.
#[derive(Debug, Clone)]
pub(crate) enum Reference {
    /// A variable or a type, with its full name.
    Name(Arc<str>),
    /// The overloads that a call may resolve to.
    Overloads(Vec<&'static Overload>),
}

/// The checker's results, by node.
#[derive(Debug, Clone)]
pub(super) struct Findings {
    pub(super) types: Vec<Type>,
    pub(super) references: Vec<Option<Reference>>,
}

/// Checks `ast`, and writes full names into it; errors are added to `issues`.
pub(super) fn check(ast: &mut Ast, source: &Source, env: &Env, issues: &mut Issues) -> Findings {
    let types = vec![None; ast.len()];
    let references = vec![None; ast.len()];
    let substitutions = Substitutions::default();
    let mut checker =
        Checker { ast, source, env, issues, types, references, substitutions, scopes: Vec::new(), fresh: 0 };
    checker.check(checker.ast.root());
    let types = checker.types.iter().map(|found| {
        let found = found.as_ref().unwrap_or(&Type::Unspecified);
        checker.substitutions.apply(found, true)
    });
    Findings { types: types.collect(), references: checker.references }
}

struct Checker<'a> {
    ast: &'a mut Ast,
    source: &'a Source,
    env: &'a Env,
    issues: &'a mut Issues,
    types: Vec<Option<Type>>,
    references: Vec<Option<Reference>>,
    substitutions: Substitutions,
    /// The variables of folds, the innermost last.
    scopes: Vec<(Arc<str>, Type)>,
    fresh: usize,
}

impl Checker<'_> {
    fn check(&mut self, id: ExprId) {
        match self.ast.expr(id).clone() {
            Expr::Unspecified => {}
            Expr::Literal(literal) => self.set_type(id, type_of(&literal)),
            Expr::Ident(name) => self.ident(id, &name),
            Expr::Select { operand, field, is_test } => self.select(id, operand, &field, is_test),
            Expr::Call { function, target, arguments } => self.call(id, &function, target, &arguments),
            Expr::List { elements, optional } => self.list(id, &elements, &optional),
            Expr::Map(_) => self.map(id),
            Expr::Object { type_name, fields } => self.object(id, &type_name, fields),
            Expr::Comprehension(fold) => self.comprehension(id, &fold),
        }
    }

    fn report(&mut self, id: ExprId, message: String) {
        let location = self.ast.offset(id).map_or(Location::NONE, |offset| self.source.location(offset));
        self.issues.report(location, message);
    }

    fn set_type(&mut self, id: ExprId, found: Type) {
        let is_too_large = found.is_too_large();
        if is_too_large {
            self.report(id, "the type of the expression is too large".to_owned());
        }
        self.types[id.index()] = Some(if is_too_large { Type::Error } else { found });
    }

    fn type_of(&self, id: ExprId) -> Type {
        self.types[id.index()].clone().unwrap_or(Type::Unspecified)
    }

    /// Returns the type with all inferences so far applied.
    fn known_type(&self, id: ExprId) -> Type {
        self.substitutions.apply(&self.type_of(id), false)
    }

    fn fresh_type(&mut self) -> Type {
        self.fresh += 1;
        Type::Parameter(format!("_var{}", self.fresh - 1).into())
    }

    fn undeclared(&mut self, id: ExprId, name: &str) {
        let container = &self.env.container;
        self.report(id, format!("undeclared reference to '{name}' (in container '{container}')"));
        self.set_type(id, Type::Error);
    }

    fn mismatch(&mut self, id: ExprId, expected: &Type, found: &Type) {
        let (expected, found) = (expected.in_message(), found.in_message());
        self.report(id, format!("expected type '{expected}' but found '{found}'"));
    }

    /// Returns the variable or type with this name, in the scopes and then in the containers around the expression.
    fn look_up(&self, name: &str) -> Option<(Arc<str>, Type)> {
        self.env.candidates(name).into_iter().find_map(|candidate| {
            let local = self.scopes.iter().rev().find(|(name, _)| **name == *candidate);
            local.cloned().or_else(|| self.env.variable(&candidate).map(|found| (candidate.into(), found)))
        })
    }

    fn function(&self, name: &str) -> Option<(&'static str, &'static [Overload])> {
        let candidates = self.env.candidates(name).into_iter();
        let mut declared = candidates.filter_map(|name| declarations::function(&name));
        declared.find(|(name, overloads)| self.env.has_function(name, overloads[0].since))
    }

    fn resolve(&mut self, id: ExprId, name: Arc<str>, found: Type) {
        self.set_type(id, found);
        self.references[id.index()] = Some(Reference::Name(Arc::clone(&name)));
        self.ast.set(id, Expr::Ident(name));
    }

    fn ident(&mut self, id: ExprId, name: &str) {
        match self.look_up(name) {
            Some((name, found)) => self.resolve(id, name, found),
            None => self.undeclared(id, name),
        }
    }

    fn select(&mut self, id: ExprId, operand: ExprId, field: &str, is_test: bool) {
        let qualified = self.ast.qualified_name(id).and_then(|name| self.look_up(&name));
        if let Some((name, found)) = qualified {
            return self.resolve(id, name, found);
        }
        let found = self.field(id, operand, field, false);
        let found = if is_test { Type::Bool } else { self.substitutions.apply(&found, false) };
        self.set_type(id, found);
    }

    /// Checks `operand.?field`.
    fn optional_select(&mut self, id: ExprId, arguments: &[ExprId]) {
        let [operand, field] = arguments else { return };
        let Expr::Literal(Literal::String(name)) = self.ast.expr(*field) else { return };
        let name = Arc::clone(name);
        let found = self.field(id, *operand, &name, true);
        let found = self.substitutions.apply(&found, false);
        self.set_type(id, found);
        let overloads = declarations::function("_?._").into_iter().flat_map(|(_, overloads)| overloads);
        self.references[id.index()] = Some(Reference::Overloads(overloads.collect()));
    }

    fn field(&mut self, id: ExprId, operand: ExprId, field: &str, is_optional: bool) -> Type {
        self.check(operand);
        let operand = self.known_type(operand);
        let (target, was_optional) = match operand.unwrap_optional() {
            Some(value) => (value.clone(), true),
            None => (operand, false),
        };
        let found = match &target {
            Type::Map(entry) => entry.1.clone(),
            Type::Object(name) => self.field_of(id, name, field).unwrap_or(Type::Error),
            Type::Parameter(_) => {
                self.substitutions.assign(&Type::Dyn, &target);
                Type::Dyn
            }
            other => {
                if !other.is_dyn_or_error() {
                    let other = other.in_message();
                    self.report(id, format!("type '{other}' does not support field selection"));
                }
                Type::Dyn
            }
        };
        if was_optional || is_optional { Type::optional(found) } else { found }
    }

    fn field_of(&mut self, id: ExprId, object: &str, field: &str) -> Option<Type> {
        match self.env.object(object) {
            None => self.report(id, format!("unexpected failed resolution of '{object}'")),
            Some(known) => match known.field(field) {
                Some(found) => return Some(found),
                None => self.report(id, format!("undefined field '{field}'")),
            },
        }
        None
    }

    fn call(&mut self, id: ExprId, function: &str, target: Option<ExprId>, arguments: &[ExprId]) {
        if function == "_?._" && target.is_none() {
            return self.optional_select(id, arguments);
        }
        for argument in arguments {
            self.check(*argument);
        }
        let Some(receiver) = target else {
            let Some((name, overloads)) = self.function(function) else {
                return self.undeclared(id, function);
            };
            self.name_function(id, name, arguments);
            return self.overload(id, name, overloads, None, arguments);
        };
        // The apparent receiver may be the first part of a function's name.
        let qualified = self.ast.qualified_name(receiver).map(|prefix| format!("{prefix}.{function}"));
        if let Some((name, overloads)) = qualified.and_then(|name| self.function(&name)) {
            self.name_function(id, name, arguments);
            return self.overload(id, name, overloads, None, arguments);
        }
        self.check(receiver);
        if let Some((name, overloads)) = self.function(function) {
            return self.overload(id, name, overloads, target, arguments);
        }
        self.undeclared(id, function);
        if !self.env.oldest.has_optionals() {
            // It had no type, which is that of no overload.
            self.set_type(id, Type::Opaque("<nil>".into(), [].into()));
        }
    }

    fn name_function(&mut self, id: ExprId, name: &str, arguments: &[ExprId]) {
        let arguments = arguments.to_vec();
        self.ast.set(id, Expr::Call { function: name.into(), target: None, arguments });
    }

    fn overload(
        &mut self,
        id: ExprId,
        name: &str,
        overloads: &'static [Overload],
        target: Option<ExprId>,
        arguments: &[ExprId],
    ) {
        let mut found: Vec<Type> = target.iter().chain(arguments).map(|id| self.type_of(*id)).collect();
        if let ("_&&_" | "_||_", [overload]) = (name, overloads) {
            return self.logic(id, overload, arguments, &found);
        }
        let (mut matching, mut result) = (Vec::new(), None);
        for overload in overloads.iter().filter(|overload| overload.is_member == target.is_some()) {
            let mut renamed = Substitutions::default();
            for name in &overload.inferred {
                renamed.add(name, self.fresh_type());
            }
            let wanted: Vec<Type> =
                overload.arguments.iter().map(|argument| renamed.apply(argument, false)).collect();
            if !self.substitutions.assign_all(&found, &wanted) {
                continue;
            }
            matching.push(overload);
            let given = self.substitutions.apply(&renamed.apply(&overload.result, false), false);
            result = Some(match result {
                None => given,
                Some(known) if known == given || Type::is_dyn(&known) => known,
                Some(_) => Type::Dyn,
            });
        }
        if let Some(result) = result {
            self.set_type(id, result);
            self.references[id.index()] = Some(Reference::Overloads(matching));
            return;
        }
        for argument in &mut found {
            *argument = self.substitutions.apply(argument, true);
        }
        let mut printed: Vec<String> = found.iter().map(Type::in_message).collect();
        let receiver = if target.is_some() { printed.remove(0) + "." } else { String::new() };
        let printed = printed.join(", ");
        let message = format!("found no matching overload for '{name}' applied to '{receiver}({printed})'");
        self.report(id, message);
        self.set_type(id, Type::Error);
    }

    fn logic(&mut self, id: ExprId, overload: &'static Overload, arguments: &[ExprId], found: &[Type]) {
        let mut result = Type::Bool;
        for (argument, found) in arguments.iter().zip(found) {
            if !self.substitutions.assign(found, &Type::Bool) {
                self.mismatch(*argument, &Type::Bool, found);
                result = Type::Error;
            }
        }
        if result == Type::Bool {
            self.references[id.index()] = Some(Reference::Overloads(vec![overload]));
        }
        self.set_type(id, result);
    }

    fn list(&mut self, id: ExprId, elements: &[ExprId], optional: &[usize]) {
        let mut joined = None;
        for (index, element) in elements.iter().enumerate() {
            self.check(*element);
            let found = self.entry_type(*element, optional.contains(&index));
            joined = Some(self.join(joined, found));
        }
        let element = joined.unwrap_or_else(|| self.fresh_type());
        self.set_type(id, Type::list(element));
    }

    /// Returns the type of an entry, without the optional around it if it may be left out.
    fn entry_type(&mut self, id: ExprId, is_optional: bool) -> Type {
        let found = self.type_of(id);
        if !is_optional {
            return found;
        }
        if let Some(value) = found.unwrap_optional() {
            return value.clone();
        }
        if !found.is_dyn() {
            self.mismatch(id, &Type::optional(found.clone()), &found);
        }
        found
    }

    /// Returns the type that two entries have in common; whether they may differ is validated later.
    fn join(&mut self, previous: Option<Type>, current: Type) -> Type {
        let Some(previous) = previous else { return current };
        if self.substitutions.assign(&previous, &current) {
            return previous.most_general(&current).clone();
        }
        Type::Dyn
    }

    fn map(&mut self, id: ExprId) {
        let Expr::Map(entries) = self.ast.expr(id).clone() else { return };
        let (mut key, mut value) = (None, None);
        for entry in entries {
            self.check(entry.key);
            let found = self.type_of(entry.key);
            key = Some(self.join(key, found));
            self.check(entry.value);
            let found = self.entry_type(entry.value, entry.is_optional);
            value = Some(self.join(value, found));
        }
        let key = key.unwrap_or_else(|| self.fresh_type());
        let value = value.unwrap_or_else(|| self.fresh_type());
        self.set_type(id, Type::map(key, value));
    }

    fn object(&mut self, id: ExprId, type_name: &str, fields: Vec<Field>) {
        let Some((name, found)) = self.look_up(type_name) else {
            return self.undeclared(id, type_name);
        };
        self.ast.set(id, Expr::Object { type_name: Arc::clone(&name), fields: fields.clone() });
        self.references[id.index()] = Some(Reference::Name(Arc::clone(&name)));
        let result = match found {
            Type::Error => Type::Error,
            Type::Type(Some(of)) if matches!(*of, Type::Object(_)) => Type::clone(&of),
            Type::Type(of) => {
                let of = of.map_or("type".to_owned(), |of| of.name().to_owned());
                self.report(id, format!("'{of}' is not a message type"));
                Type::Error
            }
            other => {
                self.report(id, format!("'{}' is not a type", other.name()));
                Type::Error
            }
        };
        self.set_type(id, result);
        for field in fields {
            self.check(field.value);
            let wanted = self.field_of(field.id, &name, &field.name).unwrap_or(Type::Error);
            let found = self.entry_type(field.value, field.is_optional);
            if !self.substitutions.assign(&wanted, &found) {
                let (name, wanted, found) = (&field.name, wanted.in_message(), found.in_message());
                let message =
                    format!("expected type of field '{name}' is '{wanted}' but provided type is '{found}'");
                self.report(field.id, message);
            }
        }
    }

    fn comprehension(&mut self, id: ExprId, fold: &Comprehension) {
        self.check(fold.range);
        self.check(fold.initial);
        let range = self.known_type(fold.range);
        let accumulated = self.type_of(fold.initial);
        let depth = self.scopes.len();
        self.scopes.push((Arc::clone(&fold.accumulator), accumulated.clone()));
        let has_two = fold.second_variable.is_some();
        let (first, second) = match &range {
            Type::List(element) if has_two => (Type::Int, Type::clone(element)),
            Type::List(element) => (Type::clone(element), Type::Error),
            Type::Map(entry) => (entry.0.clone(), entry.1.clone()),
            Type::Dyn | Type::Error | Type::Parameter(_) => {
                self.substitutions.assign(&Type::Dyn, &range);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let other = other.in_message();
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                self.report(fold.range, message);
                (Type::Error, Type::Error)
            }
        };
        self.scopes.push((Arc::clone(&fold.variable), first));
        if let Some(name) = &fold.second_variable {
            self.scopes.push((Arc::clone(name), second));
        }
        self.check(fold.condition);
        self.expect(fold.condition, &Type::Bool);
        self.check(fold.step);
        self.expect(fold.step, &accumulated);
        self.scopes.truncate(depth + 1);
        self.check(fold.result);
        self.scopes.truncate(depth);
        let found = self.known_type(fold.result);
        self.set_type(id, found);
    }

    fn expect(&mut self, id: ExprId, wanted: &Type) {
        let found = self.type_of(id);
        if !self.substitutions.assign(wanted, &found) {
            self.mismatch(id, wanted, &found);
        }
    }
}

fn type_of(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}
