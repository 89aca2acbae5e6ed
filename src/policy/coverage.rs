//! Which parts of policies a run evaluates, and with which results.
//!
//! Policies, bindings and expressions are entered when they are compiled; the counters are shared with what counts, and
//! cost an increment each.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::admission::Hook;
use kube_api::field::Path;
use kube_cel::{Bounds, Checked, EvalError, Evaluation, ExprId, Observer, Value};

/// The counters of a run.
#[derive(Debug, Default)]
pub struct Coverage {
    policies: Mutex<BTreeMap<Hook, Arc<PolicyCoverage>>>,
}

/// The counters of a policy.
#[derive(Debug, Default)]
pub struct PolicyCoverage {
    /// The requests that its rules and selectors match.
    pub matched: Counter,
    bindings: Mutex<BTreeMap<String, Arc<Counter>>>,
    expressions: Mutex<Vec<Arc<ExpressionCoverage>>>,
}

/// A number that several threads increase.
#[derive(Debug, Default)]
pub struct Counter(AtomicUsize);

/// The counters of an expression.
#[derive(Debug)]
pub struct ExpressionCoverage {
    /// Its field in the policy.
    pub field: Path,
    /// Its text.
    pub text: String,
    /// Whether it is true or false by itself, and not a value that is used.
    pub is_condition: bool,
    evaluated: Counter,
    /// The highest cost of an evaluation.
    cost: AtomicU64,
    errors: Counter,
    branches: Vec<(ExprId, Range<usize>)>,
    /// The expression.
    pub(super) checked: Checked,
    /// For each node the numbers of times that it was false and true.
    truths: Vec<[Counter; 2]>,
}

/// A condition within an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its place in the text, in bytes.
    pub part: Range<usize>,
    /// How often it was true.
    pub truths: usize,
    /// How often it was false.
    pub falsehoods: usize,
}

/// Counters are the same only if they count together.
impl PartialEq for Coverage {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Coverage {}

impl Counter {
    /// Adds one.
    pub fn increase(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number.
    pub fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Coverage {
    /// Returns the counters of a policy.
    pub fn of(&self, hook: &Hook) -> Arc<PolicyCoverage> {
        let mut policies = self.policies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = policies.get(hook) {
            return known.clone();
        }
        policies.entry(hook.clone()).or_default().clone()
    }

    /// Returns the policies, by name.
    pub fn policies(&self) -> Vec<(Hook, Arc<PolicyCoverage>)> {
        let policies = self.policies.lock().unwrap_or_else(PoisonError::into_inner);
        policies.iter().map(|(hook, own)| (hook.clone(), own.clone())).collect()
    }
}

impl PolicyCoverage {
    /// Returns the counter of the requests that a binding matches.
    pub fn binding(&self, name: &str) -> Arc<Counter> {
        let mut bindings = self.bindings.lock().unwrap_or_else(PoisonError::into_inner);
        bindings.entry(name.to_owned()).or_default().clone()
    }

    /// Returns the counters of an expression, which is `checked`.
    pub fn expression(&self, field: Path, text: &str, checked: &Checked) -> Arc<ExpressionCoverage> {
        let mut expressions = self.expressions.lock().unwrap_or_else(PoisonError::into_inner);
        let known = expressions.iter().find(|known| known.field == field && known.text == text);
        if let Some(known) = known {
            return known.clone();
        }
        let own = Arc::new(ExpressionCoverage::new(field, text, checked));
        expressions.push(own.clone());
        own
    }

    /// Returns the bindings by name, each with the number of requests that it matches.
    pub fn bindings(&self) -> Vec<(String, usize)> {
        let bindings = self.bindings.lock().unwrap_or_else(PoisonError::into_inner);
        bindings.iter().map(|(name, matched)| (name.clone(), matched.get())).collect()
    }

    /// Returns the expressions, in the order of the policy.
    pub fn expressions(&self) -> Vec<Arc<ExpressionCoverage>> {
        self.expressions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ExpressionCoverage {
    fn new(field: Path, text: &str, checked: &Checked) -> Self {
        let ast = checked.ast();
        let branches = ast.branches().into_iter();
        let place = field.to_string();
        let decides =
            ["spec.validations[", "spec.matchConditions["].iter().any(|list| place.starts_with(list));
        Self {
            is_condition: decides && place.ends_with("].expression"),
            field,
            text: text.to_owned(),
            evaluated: Counter::default(),
            cost: AtomicU64::new(0),
            errors: Counter::default(),
            branches: branches.filter_map(|id| Some((id, ast.extent(id, text)?))).collect(),
            checked: checked.clone(),
            truths: (0..ast.len()).map(|_| Default::default()).collect(),
        }
    }

    /// Counts an evaluation.
    pub fn count(&self, evaluation: &Evaluation<'_>) {
        self.evaluated.increase();
        self.cost.fetch_max(evaluation.cost, Ordering::Relaxed);
        if evaluation.result.is_err() {
            self.errors.increase();
        }
    }

    /// Returns how often it was evaluated.
    pub fn evaluated(&self) -> usize {
        self.evaluated.get()
    }

    /// Returns the highest cost of an evaluation.
    pub fn cost(&self) -> u64 {
        self.cost.load(Ordering::Relaxed)
    }

    /// Returns the cost that the server estimates for objects of any size.
    pub fn worst_case(&self) -> u64 {
        self.checked.max_cost(&Bounds::default(), None)
    }

    /// Returns how often it failed.
    pub fn errors(&self) -> usize {
        self.errors.get()
    }

    /// Returns the expression as a whole as a branch.
    pub fn whole(&self) -> Branch {
        self.branch(self.checked.ast().root(), 0..self.text.len())
    }

    /// Returns the conditions within the expression.
    pub fn branches(&self) -> Vec<Branch> {
        self.branches.iter().map(|(id, part)| self.branch(*id, part.clone())).collect()
    }

    fn branch(&self, id: ExprId, part: Range<usize>) -> Branch {
        let [falsehoods, truths] = &self.truths[id.index()];
        Branch { part, truths: truths.get(), falsehoods: falsehoods.get() }
    }
}

/// Counts the nodes that are true or false.
#[derive(Debug)]
pub(super) struct Counting<'c> {
    coverage: &'c ExpressionCoverage,
    /// The node that was reported last: a selected field is reported as a selection, and again as a value.
    last: Option<ExprId>,
}

impl<'c> Counting<'c> {
    pub(super) fn new(coverage: &'c ExpressionCoverage) -> Self {
        Self { coverage, last: None }
    }
}

impl<'a> Observer<'a> for Counting<'_> {
    fn value(&mut self, id: ExprId, value: Result<&Value<'a>, &EvalError>) {
        let is_again = self.last.replace(id) == Some(id);
        if let (Ok(Value::Bool(value)), false) = (value, is_again) {
            self.coverage.truths[id.index()][usize::from(*value)].increase();
        }
    }
}
