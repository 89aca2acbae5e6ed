//! The coverage of policies: which parts a run evaluated, and which of them were only ever true or false.

mod html;
mod json;
mod lcov;
mod text;

use std::ops::Range;
use std::sync::Arc;

use crate::admission::Hook;
use crate::policy::coverage::{Branch, Coverage, ExpressionCoverage, PolicyCoverage};
use crate::report::Fixtures;
use gotext::value::json;
use kube_api::resources::{MUTATING_ADMISSION_POLICIES, VALIDATING_ADMISSION_POLICIES};
use kube_api::{GroupVersionKind, Object};

/// The coverage of all policies of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageReport {
    /// The policies, by file and name.
    pub policies: Vec<CoveredPolicy>,
}

/// The coverage of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredPolicy {
    /// The policy.
    pub hook: Hook,
    /// The file and the line in which it is written, if that is known.
    pub place: Option<(String, usize)>,
    /// The number of requests that it matches.
    pub matched: usize,
    /// The number of requests that each binding matches, by its name.
    pub bindings: Vec<(String, usize)>,
    /// The expressions, in the order of the policy.
    pub expressions: Vec<CoveredExpression>,
}

/// The coverage of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredExpression {
    /// The field of the policy.
    pub field: String,
    /// The line in which the text begins; 0 if that is unknown.
    pub line: usize,
    /// The text.
    pub text: String,
    /// Whether it is to be true and false once each.
    pub is_condition: bool,
    /// The number of evaluations.
    pub evaluated: usize,
    /// The number of those that failed.
    pub errors: usize,
    /// The highest cost of an evaluation.
    pub cost: u64,
    /// The cost that the server estimates for objects of any size.
    pub worst_case: u64,
    /// The expression as a whole.
    pub whole: Branch,
    /// The conditions within it.
    pub branches: Vec<Branch>,
}

/// What is covered, and what there is to cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageTally {
    /// The number of parts and results that occurred.
    pub covered: usize,
    /// The number of all.
    pub total: usize,
}

/// Something that did not occur.
pub(crate) struct Gap {
    pub(crate) line: usize,
    pub(crate) field: String,
    /// The text of the part; empty if it is the expression as a whole, or no expression.
    pub(crate) part: String,
    pub(crate) says: &'static str,
}

impl CoverageReport {
    /// Returns the coverage of the policies in `coverage`, whose places are in `fixtures`.
    pub fn of(coverage: &Coverage, fixtures: &Fixtures) -> Self {
        let policies = coverage.policies().into_iter();
        let policies = policies.map(|(hook, own)| CoveredPolicy::of(hook, &own, fixtures)).collect();
        let mut report = Self { policies };
        report.sort();
        report
    }

    /// Adds the coverage of another run; a policy that both have is counted together.
    pub fn join(&mut self, other: Self) {
        for policy in other.policies {
            let same = |known: &&mut CoveredPolicy| known.is_same(&policy);
            match self.policies.iter_mut().find(same) {
                Some(known) => known.join(policy),
                None => self.policies.push(policy),
            }
        }
        self.sort();
    }

    /// Returns the sum over all policies.
    pub fn tally(&self) -> CoverageTally {
        let mut tally = CoverageTally::default();
        self.policies.iter().for_each(|policy| tally.add(policy.tally()));
        tally
    }

    fn sort(&mut self) {
        let key = |policy: &CoveredPolicy| (policy.place.clone(), policy.hook.clone());
        self.policies.sort_by_key(key);
    }
}

impl CoveredPolicy {
    fn of(hook: Hook, own: &PolicyCoverage, fixtures: &Fixtures) -> Self {
        let is_mutating = hook.kind.starts_with("Mutating");
        let resource = if is_mutating { MUTATING_ADMISSION_POLICIES } else { VALIDATING_ADMISSION_POLICIES };
        let kind = GroupVersionKind::from_api_version("admissionregistration.k8s.io/v1", &hook.kind);
        let object = Object::new(kind, json!({"metadata": {"name": hook.name.as_str()}}));
        let place = fixtures.place(&resource, &object);
        let written = place.as_ref().and_then(crate::evaluation::Place::written);
        let expression = |expression: Arc<ExpressionCoverage>| {
            let line = written.as_ref().map_or(0, |written| {
                let place = written.find(&expression.field).span();
                let source = written.source();
                let (line, _) = source.line_column(place.start);
                let is_block = source.text()[place.start..].starts_with(['|', '>']);
                line + usize::from(is_block)
            });
            CoveredExpression::of(&expression, line)
        };
        Self {
            place: place.as_ref().map(|place| (place.file().to_owned(), place.line_column().0)),
            matched: own.matched.get(),
            bindings: own.bindings(),
            expressions: own.expressions().into_iter().map(expression).collect(),
            hook,
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let texts = |policy: &Self| -> Vec<(String, String)> {
            policy.expressions.iter().map(|own| (own.field.clone(), own.text.clone())).collect()
        };
        self.hook == other.hook && self.place == other.place && texts(self) == texts(other)
    }

    fn join(&mut self, other: Self) {
        self.matched += other.matched;
        for (name, count) in other.bindings {
            match self.bindings.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known += count,
                None => self.bindings.push((name, count)),
            }
        }
        for (own, other) in self.expressions.iter_mut().zip(other.expressions) {
            own.evaluated += other.evaluated;
            own.errors += other.errors;
            own.cost = own.cost.max(other.cost);
            join_branch(&mut own.whole, &other.whole);
            own.branches.iter_mut().zip(&other.branches).for_each(|(own, other)| join_branch(own, other));
        }
    }

    /// Returns what of the policy is covered.
    pub fn tally(&self) -> CoverageTally {
        let mut tally = CoverageTally::default();
        tally.count(self.matched > 0);
        self.bindings.iter().for_each(|(_, matched)| tally.count(*matched > 0));
        for expression in &self.expressions {
            if expression.is_condition {
                tally.count_branch(&expression.whole);
            } else {
                tally.count(expression.evaluated > 0);
            }
            expression.branches.iter().for_each(|branch| tally.count_branch(branch));
        }
        tally
    }

    /// Returns what did not occur; nothing about the parts of what was not evaluated.
    pub(crate) fn gaps(&self) -> Vec<Gap> {
        let mut gaps = Vec::new();
        let line = self.place.as_ref().map_or(0, |(_, line)| *line);
        let mut add = |line, field: &str, part: &str, says| {
            gaps.push(Gap { line, field: field.to_owned(), part: part.to_owned(), says });
        };
        if self.matched == 0 {
            let says = if self.bindings.is_empty() { "nothing binds it" } else { "never matched a request" };
            add(line, "", "", says);
            return gaps;
        }
        for (name, matched) in &self.bindings {
            if *matched == 0 {
                add(line, &format!("binding {name}"), "", "never matched a request");
            }
        }
        for expression in &self.expressions {
            if expression.evaluated == 0 {
                add(expression.line, &expression.field, "", "never evaluated");
                continue;
            }
            let whole = match says(&expression.whole) {
                Some(_) if expression.errors == expression.evaluated => Some("always failed"),
                says => says,
            };
            if let Some(says) = whole.filter(|_| expression.is_condition) {
                add(expression.line, &expression.field, "", says);
            }
            for branch in &expression.branches {
                if let Some(says) = says(branch) {
                    let part = &expression.text[branch.part.clone()];
                    add(expression.line_of(branch), &expression.field, part, says);
                }
            }
        }
        gaps
    }
}

fn join_branch(own: &mut Branch, other: &Branch) {
    own.truths += other.truths;
    own.falsehoods += other.falsehoods;
}

fn says(branch: &Branch) -> Option<&'static str> {
    match (branch.truths, branch.falsehoods) {
        (0, 0) => Some("never evaluated"),
        (0, _) => Some("never true"),
        (_, 0) => Some("never false"),
        _ => None,
    }
}

impl CoveredExpression {
    fn of(own: &ExpressionCoverage, line: usize) -> Self {
        Self {
            field: own.field.to_string(),
            line,
            text: own.text.clone(),
            is_condition: own.is_condition,
            evaluated: own.evaluated(),
            errors: own.errors(),
            cost: own.cost(),
            worst_case: own.worst_case(),
            whole: own.whole(),
            branches: own.branches(),
        }
    }

    /// Returns the line in which a part begins.
    pub(crate) fn line_of(&self, branch: &Branch) -> usize {
        let Range { start, .. } = branch.part;
        if self.line == 0 { 0 } else { self.line + self.text[..start].matches('\n').count() }
    }
}

impl CoverageTally {
    /// Returns the covered part in percent; 100 if there is nothing to cover.
    #[expect(clippy::cast_precision_loss, reason = "there are no 2^52 parts")]
    pub fn percent(self) -> f64 {
        if self.total == 0 { 100.0 } else { self.covered as f64 / self.total as f64 * 100.0 }
    }

    fn count(&mut self, is_covered: bool) {
        self.total += 1;
        self.covered += usize::from(is_covered);
    }

    fn count_branch(&mut self, branch: &Branch) {
        self.count(branch.truths > 0);
        self.count(branch.falsehoods > 0);
    }

    fn add(&mut self, other: Self) {
        self.covered += other.covered;
        self.total += other.total;
    }
}
