//! Explains why an expression refuses a request: the deciding part of it, and the values that this part read.
//!
//! The expression is evaluated once more, with every value kept apart for each item of a fold. From its result the way
//! leads down to what decided: the false term of a conjunction, the item that fails `all`, the value of a variable.

mod name;
mod origin;
mod part;
mod reading;

use std::rc::Rc;

use crate::admission::Explanation;
use crate::policy::{Bindings, Expression, Inputs, Variable};
use kube_api::field::Path;
use kube_cel::{Comprehension, Expr, Meaning, PER_CALL_LIMIT, Value};

use name::{FieldOf, Name};
use reading::{Bound, Reading, Site, Trace, Truth};

/// The limit on the number of values shown: more would obscure the reason.
const MAX_VALUES: usize = 10;

/// The length to which a value is shown.
const LONGEST_VALUE: usize = 80;

/// The values that an expression read when it refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explained {
    /// The deciding part, and the values that it read.
    pub explanation: Explanation,
    /// The fields of the object among them.
    pub fields: Vec<Path>,
}

impl Expression {
    /// Evaluates the expression again and records what its deciding part reads; nothing for an expression that does not
    /// compile.
    pub fn explain<'a>(&'a self, inputs: Inputs<'a>, variables: &'a [Variable]) -> Explained {
        let mut explained = Explained::default();
        self.text.trim().clone_into(&mut explained.explanation.expression);
        let mut explainer = Explainer {
            explained,
            bindings: Bindings::new(inputs, variables).uncounted(),
            variables,
            readings: vec![None; variables.len()],
            pending: Vec::new(),
            known: Vec::new(),
        };
        if let Some(reading) = explainer.read(self) {
            let (decisive, part) = part::decisive(&Site::root(reading), &self.text);
            explainer.visit(&decisive);
            let indent = self.text.len() - self.text.trim_start().len();
            explainer.explained.explanation.part = part.start - indent..part.end - indent;
        }
        while let Some(position) = explainer.pending.pop() {
            if let Some(root) = explainer.root_of(position) {
                explainer.visit(&root);
            }
        }
        explainer.explained
    }
}

/// Collects the values that decide.
struct Explainer<'a> {
    explained: Explained,
    bindings: Bindings<'a>,
    variables: &'a [Variable],
    /// The evaluations of the variables, each done when it is first needed.
    readings: Vec<Option<Rc<Reading<'a>>>>,
    /// Variables that were read, and whose own expressions have not been visited yet.
    pending: Vec<usize>,
    known: Vec<(String, Option<String>)>,
}

impl<'a> Explainer<'a> {
    fn read(&self, expression: &'a Expression) -> Option<Rc<Reading<'a>>> {
        let (checked, program) = expression.compiled().ok()?;
        let mut trace = Trace::new();
        let _ = program.eval_observed(&self.bindings, Some(PER_CALL_LIMIT), &mut trace);
        Some(Rc::new(Reading { ast: checked.ast(), trace }))
    }

    /// Returns the evaluation of the variable at `position`.
    fn root_of(&mut self, position: usize) -> Option<Site<'a>> {
        if self.readings[position].is_none() {
            self.readings[position] = self.read(&self.variables[position].expression);
        }
        self.readings[position].clone().map(Site::root)
    }

    /// Visits what decided the value of a node that was evaluated.
    fn visit(&mut self, site: &Site<'a>) {
        if let Some(name) = self.name(site) {
            for condition in conditions(site) {
                self.visit(&condition);
            }
            return self.record(site, name);
        }
        let visit_all = |explainer: &mut Self, sites: Vec<Site<'a>>| {
            for site in &sites {
                explainer.visit(site);
            }
        };
        match site.expr() {
            Expr::Ident(name) => match site.bound(name) {
                Some(Bound::Let(value)) => self.visit(&value),
                Some(Bound::Item { fold, frame, is_second }) => {
                    if let Some(origin) = self.origin_of_item(site, fold, frame, is_second) {
                        self.visit(&origin);
                    }
                }
                None => {}
            },
            Expr::Call { function, .. } if matches!(&**function, "_&&_" | "_||_") => {
                let terms = site.terms(function);
                let decisive = if &**function == "_&&_" { Truth::False } else { Truth::True };
                match part::deciding(&terms, site.truth(), decisive) {
                    Some(term) => self.visit(&terms[term]),
                    None => visit_all(self, terms),
                }
            }
            Expr::Call { arguments, .. } if origin::is_conditional(site) => {
                self.visit(&site.at(arguments[0]));
                if let Some(branch) = origin::branch(site) {
                    self.visit(&branch);
                }
            }
            Expr::Call { target: Some(target), arguments, function } if &**function == "orValue" => {
                let target = site.at(*target);
                self.visit(&target);
                if matches!(target.value(), Some(Ok(Value::Optional(None)))) {
                    self.visit(&site.at(arguments[0]));
                }
            }
            Expr::Call { target: Some(_), .. } if origin::asks_authorizer(site) => {
                self.add(origin::written(site), None, None, said(site));
                visit_all(self, origin::arguments_of_chain(site));
            }
            Expr::Call { .. } => {
                let operands = operands(site);
                if let Some((counted, is_passing)) = counted(&operands) {
                    self.visit_counted(&counted, is_passing);
                    let others = operands.into_iter().filter(|operand| counted_fold(operand).is_none());
                    return visit_all(self, others.collect());
                }
                visit_all(self, operands);
            }
            Expr::Comprehension(fold) => self.visit_fold(site, fold),
            _ => visit_all(self, operands(site)),
        }
    }

    /// Visits the items that decide the result of a fold.
    fn visit_fold(&mut self, site: &Site<'a>, fold: &'a Comprehension) {
        if let Some(body) = site.body() {
            return self.visit(&body);
        }
        let truth = site.truth();
        let predicate = match (site.reading.ast.meaning(fold), truth) {
            (Meaning::All(predicate), _) => Some((predicate, Some(Truth::False))),
            (Meaning::Exists(predicate), _) => Some((predicate, Some(Truth::True))),
            (Meaning::ExistsOne(predicate), _) => Some((predicate, None)),
            (Meaning::Collect { predicate, transform }, _) => {
                let items: Vec<usize> = site.items().to_vec();
                if items.is_empty() {
                    return self.visit(&site.at(fold.range));
                }
                let fails = |frame: &usize| {
                    let parts = predicate.into_iter().chain([transform]);
                    parts
                        .map(|part| site.of_item(part, *frame))
                        .find(|part| part.truth() == Some(Truth::Error))
                };
                if let Some(failed) = items.iter().find_map(fails) {
                    return self.visit(&failed);
                }
                for frame in items {
                    let passes = predicate.map(|predicate| site.of_item(predicate, frame));
                    let is_in = passes.as_ref().is_none_or(|passes| passes.truth() == Some(Truth::True));
                    let decides = if is_in { Some(site.of_item(transform, frame)) } else { passes };
                    if let Some(site) = &decides {
                        self.visit(site);
                    }
                }
                return;
            }
            _ => None,
        };
        let Some((predicate, decisive)) = predicate else { return self.visit(&site.at(fold.range)) };
        let items: Vec<Site<'a>> = site.items().iter().map(|frame| site.of_item(predicate, *frame)).collect();
        let position = |wanted: Truth| items.iter().position(|item| item.truth() == Some(wanted));
        let one = match (decisive, truth) {
            (Some(decisive), Some(Truth::Error)) => position(Truth::Error).or_else(|| position(decisive)),
            (Some(decisive), _) => position(decisive),
            (None, Some(Truth::Error)) => position(Truth::Error),
            (None, _) => None,
        };
        match one {
            Some(one) => self.visit(&items[one]),
            None if items.is_empty() => self.visit(&site.at(fold.range)),
            None => {
                let is_true = |item: &&Site<'a>| item.truth() == Some(Truth::True);
                let trues: Vec<&Site<'a>> = items.iter().filter(is_true).collect();
                // More than one item for `exists_one`.
                let all = if decisive.is_none() && trues.len() > 1 { trues } else { items.iter().collect() };
                for item in all {
                    self.visit(item);
                }
            }
        }
    }

    /// Visits the items that a filter keeps, or those that it leaves out.
    fn visit_counted(&mut self, site: &Site<'a>, is_passing: bool) {
        let Expr::Comprehension(fold) = site.expr() else { return };
        let Meaning::Collect { predicate: Some(predicate), .. } = site.reading.ast.meaning(fold) else {
            return;
        };
        let wanted = if is_passing { Truth::True } else { Truth::False };
        let items = site.items().iter().map(|frame| site.of_item(predicate, *frame));
        let items: Vec<Site<'a>> = items.filter(|item| item.truth() == Some(wanted)).collect();
        match items.as_slice() {
            [] => self.visit(&site.at(fold.range)),
            items => items.iter().for_each(|item| self.visit(item)),
        }
    }

    /// Records the value of what has a name.
    fn record(&mut self, site: &Site<'a>, name: Name) {
        // What is missing is the first field that is missing.
        if let Some(outer) = first_failure(site)
            && let Some(name) = self.name(&outer)
        {
            return self.record(&outer, name);
        }
        let is_variable = name.text.strip_prefix("variables.").filter(|_| name.path.is_none());
        if let Some(variable) = is_variable {
            let variable = variable.split(['.', '[']).next().unwrap_or_default();
            let position = self.variables.iter().rposition(|known| known.name == variable);
            self.pending.splice(0..0, position.filter(|position| !self.pending.contains(position)));
        }
        let says = match &name.key {
            Some(key) => format!("has the key '{key}'"),
            None => said(site),
        };
        self.add(name.text, name.key, name.path, says);
    }

    fn add(&mut self, text: String, key: Option<String>, path: Option<FieldOf>, says: String) {
        let known = (text, key);
        if self.known.contains(&known) {
            return;
        }
        if let Some(FieldOf::Field(path)) = path
            && !self.explained.fields.contains(&path)
        {
            self.explained.fields.push(path);
        }
        if self.explained.explanation.values.len() < MAX_VALUES {
            self.explained.explanation.values.push((known.0.clone(), says));
        }
        self.known.push(known);
    }
}

/// Returns the nodes directly below one that explain its value: those with errors, if it has one because of them.
fn operands<'a>(site: &Site<'a>) -> Vec<Site<'a>> {
    let children: Vec<Site<'a>> =
        site.reading.ast.children(site.id).into_iter().map(|id| site.at(id)).collect();
    if matches!(site.value(), Some(Err(_))) {
        let has_error = |child: &&Site<'a>| matches!(child.value(), Some(Err(_)));
        let failed: Vec<Site<'a>> = children.iter().filter(has_error).cloned().collect();
        if !failed.is_empty() {
            return failed;
        }
    }
    children
}

/// Returns what a field or an item is selected from.
fn operand<'a>(site: &Site<'a>) -> Option<Site<'a>> {
    match site.expr() {
        Expr::Select { operand, .. } => Some(site.at(*operand)),
        Expr::Call { function, arguments, .. } if matches!(&**function, "_[_]" | "_?._" | "_[?_]") => {
            Some(site.at(arguments[0]))
        }
        _ => None,
    }
}

/// Returns the conditions that choose what `site` is selected from.
fn conditions<'a>(site: &Site<'a>) -> Vec<Site<'a>> {
    let mut conditions = Vec::new();
    let mut from = operand(site);
    while let Some(site) = from {
        from = match site.expr() {
            Expr::Call { arguments, .. } if origin::is_conditional(&site) => {
                conditions.push(site.at(arguments[0]));
                origin::branch(&site)
            }
            _ => operand(&site),
        };
    }
    conditions
}

/// Returns the first selection that fails among those that `site` is selected from.
fn first_failure<'a>(site: &Site<'a>) -> Option<Site<'a>> {
    let operand = operand(site)?;
    let is_error = matches!(operand.value(), Some(Err(_)));
    first_failure(&operand).or_else(|| is_error.then_some(operand))
}

/// Returns the filter whose size `site` is.
fn counted_fold<'a>(site: &Site<'a>) -> Option<Site<'a>> {
    let Expr::Call { function, target, arguments } = site.expr() else { return None };
    let of = site.at(target.or_else(|| arguments.first().copied()).filter(|_| &**function == "size")?);
    let Expr::Comprehension(fold) = of.expr() else { return None };
    let meaning = of.reading.ast.meaning(fold);
    matches!(meaning, Meaning::Collect { predicate: Some(_), .. }).then_some(of)
}

/// Returns a filter whose size is one of two different numbers, and whether it is the larger one: then the items that
/// it keeps are the reason, else those that it leaves out.
fn counted<'a>(operands: &[Site<'a>]) -> Option<(Site<'a>, bool)> {
    let [one, other] = operands else { return None };
    let number = |site: &Site<'a>| match site.value() {
        Some(Ok(Value::Int(number))) => Some(*number),
        _ => match site.expr() {
            Expr::Literal(kube_cel::Literal::Int(number)) => Some(*number),
            _ => None,
        },
    };
    let (left, right) = (number(one)?, number(other)?);
    match (counted_fold(one), counted_fold(other)) {
        (Some(fold), None) => Some((fold, left >= right)),
        (None, Some(fold)) => Some((fold, right >= left)),
        _ => None,
    }
}

/// Returns what is said about the value of a node.
fn said(site: &Site<'_>) -> String {
    let is_test = matches!(site.expr(), Expr::Select { is_test: true, .. });
    match site.value() {
        Some(Ok(Value::Bool(is_set))) if is_test => if *is_set { "is set" } else { "is not set" }.to_owned(),
        Some(Ok(Value::Optional(None))) => "is not set".to_owned(),
        Some(Ok(Value::Optional(Some(value)))) => format!("is {}", shown(value)),
        Some(Ok(value)) => format!("is {}", shown(value)),
        Some(Err(error)) if error.starts_with("no such key") => "is not set".to_owned(),
        Some(Err(_)) | None => "has no value".to_owned(),
    }
}

fn shown(value: &Value<'_>) -> String {
    let text = value.written();
    if text.chars().count() <= LONGEST_VALUE {
        return text;
    }
    text.chars().take(LONGEST_VALUE - 1).chain(['…']).collect()
}
