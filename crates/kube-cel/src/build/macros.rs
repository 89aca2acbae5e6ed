//! The macros: calls that expand to a fold over a list or a map.
//!
//! Source: cel-go `parser/macro.go`, `cel/library.go`, `ext/comprehensions.go`, `ext/lists.go`, `ext/bindings.go`.

use std::sync::Arc;

use super::Builder;
use crate::ast::{Comprehension, Expr, ExprId, Field, Literal, MapEntry};

/// The macros of an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Macros {
    #[default]
    Base,
    /// With `cel.bind`.
    WithBind,
}

pub(crate) const ACCUMULATOR: &str = "@result";
const FORMER_ACCUMULATOR: &str = "__result__";
const UNUSED: &str = "#unused";
/// Nested `optMap`s double their operand each time; cel-go would expand until it runs out of memory.
const MAX_NODES: usize = 1 << 18;
const SORT_INPUT: &str = "@__sortBy_input__";

/// The faulty argument of a macro, and the error.
type Misuse = (ExprId, String);

/// Expands a call, if it is one of a macro.
pub(crate) fn expand(
    builder: &mut Builder,
    id: ExprId,
    function: &str,
    target: Option<ExprId>,
    arguments: &[ExprId],
) -> Option<ExprId> {
    if !builder.has_macro(function, arguments.len()) {
        return None;
    }
    let offset = builder.ast.offset(id);
    let mut expander = Expander { builder, offset };
    let result = match (target, function, arguments) {
        (None, "has", [argument]) => expander.has(*argument),
        (Some(range), "all" | "exists" | "exists_one" | "existsOne", [variable, predicate]) => expander
            .variable(*variable, "argument must be a simple name")
            .map(|name| expander.quantifier(function, range, (name, None), *predicate)),
        (Some(range), "all" | "exists" | "exists_one" | "existsOne", [first, second, predicate]) => expander
            .two_variables(*first, *second)
            .map(|names| expander.quantifier(function, range, names, *predicate)),
        (Some(range), "map", [variable, rest @ ..]) if matches!(rest.len(), 1 | 2) => {
            expander.map(range, *variable, rest)
        }
        (Some(range), "filter", [variable, predicate]) => expander.filter(range, *variable, *predicate),
        (Some(range), "transformList", [first, second, rest @ ..]) if matches!(rest.len(), 1 | 2) => {
            expander.two_variables(*first, *second).map(|names| expander.collect(range, names, rest))
        }
        (Some(range), "transformMap" | "transformMapEntry", [first, second, rest @ ..])
            if matches!(rest.len(), 1 | 2) =>
        {
            expander
                .two_variables(*first, *second)
                .map(|names| expander.collect_map(range, names, rest, function == "transformMapEntry"))
        }
        (Some(range), "sortBy", [variable, key]) => expander.sort_by(range, *variable, *key),
        (Some(target), "optMap" | "optFlatMap", [variable, transform]) => {
            expander.optional_map(function, target, *variable, *transform)
        }
        (Some(target), "bind", [variable, value, body]) if expander.is_cel(target) => {
            expander.bind(*variable, *value, *body)
        }
        _ => return None,
    };
    Some(result.unwrap_or_else(|(argument, message)| {
        let offset = expander.builder.ast.offset(argument);
        expander.builder.fail(offset, message)
    }))
}

type Names = (Arc<str>, Option<Arc<str>>);

/// Creates the nodes of an expansion; their place is the macro's.
struct Expander<'a, 'b> {
    builder: &'a mut Builder<'b>,
    offset: Option<usize>,
}

impl Expander<'_, '_> {
    fn add(&mut self, expr: Expr) -> ExprId {
        self.builder.ast.add(expr, self.offset)
    }

    fn literal(&mut self, literal: Literal) -> ExprId {
        self.add(Expr::Literal(literal))
    }

    fn ident(&mut self, name: &str) -> ExprId {
        self.add(Expr::Ident(name.into()))
    }

    fn accumulator(&mut self) -> ExprId {
        self.ident(ACCUMULATOR)
    }

    fn call(&mut self, function: &str, arguments: Vec<ExprId>) -> ExprId {
        self.add(Expr::Call { function: function.into(), target: None, arguments })
    }

    fn member_call(&mut self, function: &str, target: ExprId, arguments: Vec<ExprId>) -> ExprId {
        self.add(Expr::Call { function: function.into(), target: Some(target), arguments })
    }

    fn list(&mut self, elements: Vec<ExprId>) -> ExprId {
        self.add(Expr::List { elements, optional: Vec::new() })
    }

    /// Returns a fold whose result is its accumulator, under the macros' reserved name.
    fn fold(&mut self, range: ExprId, names: Names, initial: ExprId, step: ExprId) -> ExprId {
        let condition = self.literal(Literal::Bool(true));
        let result = self.accumulator();
        self.comprehension(range, names, initial, condition, step, result)
    }

    fn comprehension(
        &mut self,
        range: ExprId,
        (variable, second_variable): Names,
        initial: ExprId,
        condition: ExprId,
        step: ExprId,
        result: ExprId,
    ) -> ExprId {
        let accumulator = ACCUMULATOR.into();
        let fold =
            Comprehension { range, variable, second_variable, accumulator, initial, condition, step, result };
        self.add(Expr::Comprehension(Arc::new(fold)))
    }

    /// Returns an expression that names a value: a fold over nothing.
    fn let_in(&mut self, name: &str, value: ExprId, body: ExprId) -> ExprId {
        let range = self.list(Vec::new());
        let condition = self.literal(Literal::Bool(false));
        let step = self.ident(name);
        let fold = Comprehension {
            range,
            variable: UNUSED.into(),
            second_variable: None,
            accumulator: name.into(),
            initial: value,
            condition,
            step,
            result: body,
        };
        self.add(Expr::Comprehension(Arc::new(fold)))
    }

    fn name(&self, argument: ExprId) -> Option<Arc<str>> {
        match self.builder.ast.expr(argument) {
            Expr::Ident(name) => Some(Arc::clone(name)),
            _ => None,
        }
    }

    fn variable(&self, argument: ExprId, misuse: &str) -> Result<Arc<str>, Misuse> {
        let name = self.name(argument).ok_or_else(|| (argument, misuse.to_owned()))?;
        if [ACCUMULATOR, FORMER_ACCUMULATOR].contains(&&*name) {
            return Err((argument, "iteration variable overwrites accumulator variable".to_owned()));
        }
        Ok(name)
    }

    fn two_variables(&self, first: ExprId, second: ExprId) -> Result<Names, Misuse> {
        const SIMPLE: &str = "argument must be a simple name";
        let names = [first, second].map(|argument| self.name(argument));
        if let [Some(one), Some(other)] = &names
            && one == other
        {
            return Err((second, format!("duplicate variable name: {one}")));
        }
        if names[0].is_some() && names[1].is_none() {
            return Err((second, SIMPLE.to_owned()));
        }
        Ok((self.variable(first, SIMPLE)?, Some(self.variable(second, SIMPLE)?)))
    }

    fn has(&mut self, argument: ExprId) -> Result<ExprId, Misuse> {
        match self.builder.ast.expr(argument) {
            Expr::Select { operand, field, .. } => {
                let test = Expr::Select { operand: *operand, field: Arc::clone(field), is_test: true };
                Ok(self.add(test))
            }
            _ => Err((argument, "invalid argument to has() macro".to_owned())),
        }
    }

    fn quantifier(&mut self, function: &str, range: ExprId, names: Names, predicate: ExprId) -> ExprId {
        let accumulator = self.accumulator();
        let (initial, condition, step, result) = match function {
            "all" => {
                let initial = self.literal(Literal::Bool(true));
                let condition = self.call("@not_strictly_false", vec![accumulator]);
                let accumulator = self.accumulator();
                let step = self.call("_&&_", vec![accumulator, predicate]);
                (initial, condition, step, self.accumulator())
            }
            "exists" => {
                let initial = self.literal(Literal::Bool(false));
                let negated = self.call("!_", vec![accumulator]);
                let condition = self.call("@not_strictly_false", vec![negated]);
                let accumulator = self.accumulator();
                let step = self.call("_||_", vec![accumulator, predicate]);
                (initial, condition, step, self.accumulator())
            }
            _ => {
                let initial = self.literal(Literal::Int(0));
                let condition = self.literal(Literal::Bool(true));
                let one = self.literal(Literal::Int(1));
                let more = self.call("_+_", vec![accumulator, one]);
                let same = self.accumulator();
                let step = self.call("_?_:_", vec![predicate, more, same]);
                let (accumulator, one) = (self.accumulator(), self.literal(Literal::Int(1)));
                (initial, condition, step, self.call("_==_", vec![accumulator, one]))
            }
        };
        self.comprehension(range, names, initial, condition, step, result)
    }

    /// Returns `predicate ? step : accumulator`, if there is a predicate.
    fn only_if(&mut self, predicate: Option<ExprId>, step: ExprId) -> ExprId {
        match predicate {
            None => step,
            Some(predicate) => {
                let accumulator = self.accumulator();
                self.call("_?_:_", vec![predicate, step, accumulator])
            }
        }
    }

    /// Returns a fold to a list: of `[transform]`, or of `[predicate, transform]`.
    fn collect(&mut self, range: ExprId, names: Names, rest: &[ExprId]) -> ExprId {
        let (transform, predicate) = (rest[rest.len() - 1], (rest.len() > 1).then(|| rest[0]));
        let initial = self.list(Vec::new());
        let element = self.list(vec![transform]);
        let accumulator = self.accumulator();
        let step = self.call("_+_", vec![accumulator, element]);
        let step = self.only_if(predicate, step);
        self.fold(range, names, initial, step)
    }

    fn collect_map(&mut self, range: ExprId, names: Names, rest: &[ExprId], is_entry: bool) -> ExprId {
        let (transform, predicate) = (rest[rest.len() - 1], (rest.len() > 1).then(|| rest[0]));
        let initial = self.add(Expr::Map(Vec::new()));
        let accumulator = self.accumulator();
        let step = if is_entry {
            self.call("cel.@mapInsert", vec![accumulator, transform])
        } else {
            let key = self.ident(&names.0);
            self.call("cel.@mapInsert", vec![accumulator, key, transform])
        };
        let step = self.only_if(predicate, step);
        self.fold(range, names, initial, step)
    }

    fn map(&mut self, range: ExprId, variable: ExprId, rest: &[ExprId]) -> Result<ExprId, Misuse> {
        let name = self.variable(variable, "argument is not an identifier")?;
        Ok(self.collect(range, (name, None), rest))
    }

    fn filter(&mut self, range: ExprId, variable: ExprId, predicate: ExprId) -> Result<ExprId, Misuse> {
        let name = self.variable(variable, "argument is not an identifier")?;
        Ok(self.collect(range, (name, None), &[predicate, variable]))
    }

    fn sort_by(&mut self, range: ExprId, variable: ExprId, key: ExprId) -> Result<ExprId, Misuse> {
        const MISUSE: &str =
            "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
        if matches!(
            self.builder.ast.expr(range),
            Expr::Unspecified | Expr::Literal(_) | Expr::Map(_) | Expr::Object { .. }
        ) {
            return Err((range, MISUSE.to_owned()));
        }
        let input = self.ident(SORT_INPUT);
        let keys = self.map(input, variable, &[key])?;
        let input = self.ident(SORT_INPUT);
        let sorted = self.member_call("@sortByAssociatedKeys", input, vec![keys]);
        Ok(self.let_in(SORT_INPUT, range, sorted))
    }

    fn optional_map(
        &mut self,
        function: &str,
        target: ExprId,
        variable: ExprId,
        transform: ExprId,
    ) -> Result<ExprId, Misuse> {
        let misuse = || (variable, format!("{function}() variable name must be a simple identifier"));
        let name = self.name(variable).ok_or_else(misuse)?;
        let has_value = self.member_call("hasValue", target, Vec::new());
        let copy = self.copy(target);
        let value = self.member_call("value", copy, Vec::new());
        let mut mapped = self.let_in(&name, value, transform);
        if function == "optMap" {
            mapped = self.call("optional.of", vec![mapped]);
        }
        let none = self.call("optional.none", Vec::new());
        Ok(self.call("_?_:_", vec![has_value, mapped, none]))
    }

    fn is_cel(&self, target: ExprId) -> bool {
        self.builder.has_macros(Macros::WithBind) && self.name(target).is_some_and(|name| &*name == "cel")
    }

    fn bind(&mut self, variable: ExprId, value: ExprId, body: ExprId) -> Result<ExprId, Misuse> {
        let misuse = || (variable, "cel.bind() variable names must be simple identifiers".to_owned());
        let name = self.name(variable).ok_or_else(misuse)?;
        Ok(self.let_in(&name, value, body))
    }

    /// Returns a copy of the expression with its own nodes.
    fn copy(&mut self, id: ExprId) -> ExprId {
        let offset = self.builder.ast.offset(id);
        if self.builder.ast.len() > MAX_NODES {
            return self.builder.fail(None, format!("expression expands to more than {MAX_NODES} nodes"));
        }
        let copy = match self.builder.ast.expr(id).clone() {
            plain @ (Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_)) => plain,
            Expr::Select { operand, field, is_test } => {
                Expr::Select { operand: self.copy(operand), field, is_test }
            }
            Expr::Call { function, target, arguments } => Expr::Call {
                function,
                target: target.map(|target| self.copy(target)),
                arguments: arguments.into_iter().map(|argument| self.copy(argument)).collect(),
            },
            Expr::List { elements, optional } => Expr::List {
                elements: elements.into_iter().map(|element| self.copy(element)).collect(),
                optional,
            },
            Expr::Map(entries) => Expr::Map(
                entries
                    .into_iter()
                    .map(|entry| MapEntry {
                        id: self.builder.ast.reserve(self.offset),
                        key: self.copy(entry.key),
                        value: self.copy(entry.value),
                        is_optional: entry.is_optional,
                    })
                    .collect(),
            ),
            Expr::Object { type_name, fields } => {
                let fields = fields.into_iter().map(|field| Field {
                    id: self.builder.ast.reserve(self.offset),
                    value: self.copy(field.value),
                    ..field
                });
                Expr::Object { type_name, fields: fields.collect() }
            }
            Expr::Comprehension(fold) => Expr::Comprehension(Arc::new(Comprehension {
                range: self.copy(fold.range),
                initial: self.copy(fold.initial),
                condition: self.copy(fold.condition),
                step: self.copy(fold.step),
                result: self.copy(fold.result),
                ..Comprehension::clone(&fold)
            })),
        };
        self.builder.ast.add(copy, offset)
    }
}
