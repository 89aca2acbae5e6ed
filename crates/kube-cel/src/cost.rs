//! Estimates the most that an expression may cost, before it is evaluated on anything.
//!
//! Source: cel-go `checker/cost.go`.

mod call;
mod range;

use std::collections::BTreeMap;
use std::sync::Arc;

use range::Range;

use super::Checked;
use super::ast::{Comprehension, Expr, ExprId, Literal};
use super::build::macros::ACCUMULATOR;
use super::check::Reference;
use super::types::Type;

const STRING_FACTOR: f64 = 0.1;
const LIST_COST: u64 = 10;
const MAP_COST: u64 = 30;
const OBJECT_COST: u64 = 40;

/// The bound on the size of a variable's value: characters, items or entries.
#[derive(Debug, Clone, Default)]
pub struct Bounds {
    /// The bound of the value itself; zero where values have no size.
    pub max: u64,
    /// The bounds of the fields of an object.
    pub fields: BTreeMap<String, Bounds>,
    /// The bounds of the items of a list or the values of a map.
    pub items: Option<Box<Bounds>>,
    /// The bounds of the keys of a map.
    pub keys: Option<Box<Bounds>>,
    /// Whether the values of a map may have the names of fields.
    pub has_fields_for_keys: bool,
}

impl Checked {
    /// Returns the most that evaluation may cost. `bounds` are those of the variable `of`, or of all variables if `of`
    /// is unset.
    pub fn max_cost(&self, bounds: &Bounds, of: Option<&str>) -> u64 {
        self.estimate(bounds, of, None)
    }

    /// Returns the most that evaluation may cost if every value whose size is not known from the expression has `size`.
    pub fn max_cost_of_size(&self, size: u64) -> u64 {
        self.estimate(&Bounds::default(), None, Some(size))
    }

    fn estimate(&self, bounds: &Bounds, of: Option<&str>, fixed: Option<u64>) -> u64 {
        let mut estimator = Estimator {
            checked: self,
            bounds,
            fixed,
            variable: of,
            paths: BTreeMap::new(),
            scopes: Vec::new(),
            sizes: BTreeMap::new(),
            entries: BTreeMap::new(),
        };
        estimator.cost(self.ast().root()).max
    }
}

/// The path to a value: a variable, then fields, `@items`, `@values` and `@keys`.
type Path = Vec<Arc<str>>;

/// The sizes of the items of a list or the entries of a map.
#[derive(Debug, Clone, Copy)]
struct EntrySize {
    is_list: bool,
    key: Range,
    value: Range,
}

impl EntrySize {
    fn join(self, other: Self) -> Self {
        Self { is_list: self.is_list, key: self.key.join(other.key), value: self.value.join(other.value) }
    }
}

#[derive(Debug, Clone)]
struct Local {
    name: Arc<str>,
    path: Path,
    size: Option<Range>,
    entries: Option<EntrySize>,
}

/// An argument of a call.
struct Term {
    id: ExprId,
    path: Path,
    of: Type,
    size: Option<Range>,
}

/// The cost of a call, and the size of its result.
struct Call {
    cost: Range,
    size: Option<Range>,
}

struct Estimator<'a> {
    checked: &'a Checked,
    bounds: &'a Bounds,
    /// The size of every value, if it does not depend on the path.
    fixed: Option<u64>,
    variable: Option<&'a str>,
    paths: BTreeMap<ExprId, Path>,
    scopes: Vec<Local>,
    sizes: BTreeMap<ExprId, Range>,
    entries: BTreeMap<ExprId, EntrySize>,
}

impl Estimator<'_> {
    fn expr(&self, id: ExprId) -> &Expr {
        self.checked.ast().expr(id)
    }

    /// Returns the size of the value at a path, as declared.
    fn size_at(&self, path: &[Arc<str>]) -> Option<Range> {
        if let Some(size) = self.fixed {
            return Some(Range::of(size));
        }
        let (first, rest) = path.split_first()?;
        if self.variable.is_some_and(|variable| variable != &**first) {
            return None;
        }
        let found = rest.iter().try_fold(self.bounds, |bounds, step| match &**step {
            "@items" | "@values" => bounds.items.as_deref(),
            "@keys" => bounds.keys.as_deref(),
            field => {
                let found = bounds.fields.get(field);
                found.or_else(|| bounds.items.as_deref().filter(|_| bounds.has_fields_for_keys))
            }
        })?;
        Some(Range { min: 0, max: found.max })
    }

    fn cost(&mut self, id: ExprId) -> Range {
        let checked = self.checked;
        match checked.ast().expr(id) {
            Expr::Unspecified | Expr::Literal(_) => Range::NOTHING,
            Expr::Ident(name) => {
                let path =
                    self.local(name).map_or_else(|| vec![Arc::clone(name)], |local| local.path.clone());
                self.paths.insert(id, path);
                Range::of(1)
            }
            // A test for presence is free.
            Expr::Select { operand, is_test: true, .. } => self.cost(*operand),
            Expr::Select { operand, field, .. } => {
                let operand_cost = self.cost(*operand);
                let mut path = self.path(*operand);
                path.push(Arc::clone(field));
                self.paths.insert(id, path);
                let is_counted =
                    matches!(checked.type_of(*operand), Type::Map(_) | Type::Object(_) | Type::Parameter(_));
                operand_cost.plus(Range::of(u64::from(is_counted)))
            }
            Expr::Call { function, target, arguments } => self.call(id, function, *target, arguments),
            Expr::List { elements, .. } => {
                let mut cost = Range::of(LIST_COST);
                let mut value = if elements.is_empty() { Range::NOTHING } else { Range::NONE_YET };
                for element in elements {
                    cost = cost.plus(self.cost(*element));
                    value = value.join(self.size_or_unknown(*element));
                }
                self.entries.insert(id, EntrySize { is_list: true, key: Range::of(1), value });
                cost
            }
            Expr::Map(entries) => {
                let mut cost = Range::of(MAP_COST);
                let none = if entries.is_empty() { Range::NOTHING } else { Range::NONE_YET };
                let (mut key, mut value) = (none, none);
                for entry in entries {
                    cost = cost.plus(self.cost(entry.key)).plus(self.cost(entry.value));
                    key = key.join(self.size_or_unknown(entry.key));
                    value = value.join(self.size_or_unknown(entry.value));
                }
                self.entries.insert(id, EntrySize { is_list: false, key, value });
                cost
            }
            Expr::Object { fields, .. } => {
                let costs = fields.iter().map(|field| self.cost(field.value));
                costs.fold(Range::of(OBJECT_COST), Range::plus)
            }
            Expr::Comprehension(fold) => {
                if self.is_binding(fold) {
                    self.binding(id, fold)
                } else {
                    self.comprehension(id, fold)
                }
            }
        }
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.scopes.iter().rev().find(|local| &*local.name == name)
    }

    fn local_of(&self, id: ExprId) -> Option<&Local> {
        match self.checked.ast().expr(id) {
            Expr::Ident(name) => self.local(name),
            _ => None,
        }
    }

    fn path(&self, id: ExprId) -> Path {
        let local = self.local_of(id).map(|local| local.path.clone());
        local.or_else(|| self.paths.get(&id).cloned()).unwrap_or_default()
    }

    fn size(&mut self, id: ExprId) -> Option<Range> {
        if let Some(size) = self.sizes.get(&id) {
            return Some(*size);
        }
        let written = match self.checked.ast().expr(id) {
            Expr::Literal(Literal::String(text)) => Some(text.chars().count()),
            Expr::Literal(Literal::Bytes(bytes)) => Some(bytes.len()),
            Expr::Literal(_) => Some(1),
            Expr::List { elements, .. } => Some(elements.len()),
            Expr::Map(entries) => Some(entries.len()),
            _ => None,
        };
        if let Some(size) = written {
            return Some(Range::of(size as u64));
        }
        if let Some(size) = self.size_at(&self.path(id)) {
            self.sizes.insert(id, size);
            return Some(size);
        }
        if is_scalar(self.checked.type_of(id)) {
            return Some(Range::of(1));
        }
        self.local_of(id).and_then(|local| local.size)
    }

    fn size_or_unknown(&mut self, id: ExprId) -> Range {
        self.size(id).unwrap_or(Range::UNKNOWN)
    }

    fn set_size(&mut self, id: ExprId, size: Option<Range>) {
        if let Some(size) = size {
            self.sizes.insert(id, size);
        }
    }

    fn entry_size(&self, id: ExprId) -> Option<EntrySize> {
        let found = self.entries.get(&id).copied();
        found.or_else(|| self.local_of(id).and_then(|local| local.entries))
    }

    fn copy_sizes(&mut self, to: ExprId, from: ExprId) {
        let size = self.size(from);
        self.set_size(to, size);
        if let Some(entries) = self.entry_size(from) {
            self.entries.insert(to, entries);
        }
    }

    fn term(&mut self, id: ExprId) -> Term {
        let mut path = self.path(id);
        if path.first().is_some_and(|first| &**first == ACCUMULATOR) {
            path.clear();
        }
        Term { id, path, of: self.checked.type_of(id).clone(), size: self.size(id) }
    }

    fn call(&mut self, id: ExprId, function: &str, target: Option<ExprId>, arguments: &[ExprId]) -> Range {
        if let ("dyn", [argument]) = (function, arguments) {
            let cost = self.cost(*argument);
            self.copy_sizes(id, *argument);
            return cost.plus(Range::of(1));
        }
        let mut costs = Vec::new();
        let mut terms = Vec::new();
        for argument in arguments {
            costs.push(self.cost(*argument));
            terms.push(self.term(*argument));
        }
        let Some(Reference::Overloads(overloads)) = self.checked.reference(id) else { return Range::NOTHING };
        let (target_cost, target) = match target {
            Some(target) => (self.cost(target), Some(self.term(target))),
            None => (Range::NOTHING, None),
        };
        let terms: Vec<&Term> = target.iter().chain(&terms).collect();
        let (mut cost, mut size) = (Range::NONE_YET, None::<Range>);
        for overload in overloads {
            let call = self.overload(id, overload, &terms, &costs);
            cost = cost.join(call.cost);
            if let Some(found) = call.size {
                size = Some(size.map_or(found, |size| size.join(found)));
            }
            let step = match overload.identity {
                "index_list" => Some("@items"),
                "index_map" => Some("@values"),
                _ => None,
            };
            if let (Some(step), Some(container)) = (step, arguments.first()) {
                size = self.entry_size(*container).map(|entries| entries.value);
                let mut path = self.path(*container);
                path.push(step.into());
                self.paths.insert(id, path);
            }
            if size.is_none() {
                size = self.size(id);
            }
        }
        self.set_size(id, size);
        target_cost.plus(cost)
    }

    /// Sets the sizes of the items of a value that is one of two, or both together.
    fn join_entries(&mut self, id: ExprId, left: ExprId, right: ExprId) {
        if let Some((left, right)) = self.entry_size(left).zip(self.entry_size(right)) {
            self.entries.insert(id, left.join(right));
        }
    }

    /// Whether a fold over nothing only names a value.
    fn is_binding(&self, fold: &Comprehension) -> bool {
        let ast = self.checked.ast();
        matches!(ast.expr(fold.range), Expr::List { elements, .. } if elements.is_empty())
            && matches!(ast.expr(fold.condition), Expr::Literal(Literal::Bool(false)))
    }

    fn push_accumulator(&mut self, fold: &Comprehension) {
        let local = Local {
            name: Arc::clone(&fold.accumulator),
            path: self.path(fold.initial),
            size: self.size(fold.initial),
            entries: self.entry_size(fold.initial),
        };
        self.scopes.push(local);
    }

    fn binding(&mut self, id: ExprId, fold: &Comprehension) -> Range {
        let before = self.cost(fold.range).plus(self.cost(fold.initial));
        self.push_accumulator(fold);
        let cost = before.plus(self.cost(fold.result));
        self.scopes.pop();
        self.copy_sizes(id, fold.result);
        cost
    }

    fn comprehension(&mut self, id: ExprId, fold: &Comprehension) -> Range {
        let before = self.cost(fold.range).plus(self.cost(fold.initial));
        self.push_accumulator(fold);
        let depth = self.scopes.len();
        self.push_variables(fold);
        let condition = self.cost(fold.condition);
        let step = self.cost(fold.step);
        self.scopes.truncate(depth);
        let after = self.cost(fold.result);
        self.scopes.pop();
        let count = self.size_or_unknown(fold.range);
        match self.checked.ast().expr(fold.initial) {
            Expr::Literal(_) => {
                let size = self.size(fold.initial);
                self.set_size(id, size);
            }
            Expr::List { .. } | Expr::Map(_) => {
                self.set_size(id, Some(count));
                if let Some(entries) = self.entry_size(fold.step) {
                    self.entries.insert(id, entries);
                }
            }
            _ => {}
        }
        before.plus(after).plus(count.times(step.plus(condition)))
    }

    fn push_variables(&mut self, fold: &Comprehension) {
        let entries = self.entry_size(fold.range);
        let is_list =
            entries.map_or(matches!(self.checked.type_of(fold.range), Type::List(_)), |found| found.is_list);
        let path = self.path(fold.range);
        let mut push = |name: &Arc<str>, step: &str, size: Option<Range>| {
            let path = path.iter().cloned().chain([step.into()]).collect();
            self.scopes.push(Local { name: Arc::clone(name), path, size, entries: None });
        };
        let (key, value) = (entries.map(|found| found.key), entries.map(|found| found.value));
        let (keys, values) = if is_list { ("@indices", "@items") } else { ("@keys", "@values") };
        match &fold.second_variable {
            Some(second) => {
                push(&fold.variable, keys, key);
                push(second, values, value);
            }
            None if is_list => push(&fold.variable, values, value),
            None => push(&fold.variable, keys, key),
        }
    }
}

fn is_scalar(of: &Type) -> bool {
    match of {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => true,
        _ => of.unwrap_optional().is_some_and(is_scalar),
    }
}
