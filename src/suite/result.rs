//! Results of suites.

use std::sync::Arc;

use crate::report::{Diagnostic, Severity};
use crate::suite::Failure;
use gotext::source::SourceFile;

/// The result of a suite.
#[derive(Debug)]
pub struct SuiteResult {
    /// The name of the file.
    pub file: String,
    /// The file, if it could be read.
    pub source: Option<Arc<SourceFile>>,
    /// The cases that were selected, in the order of the file.
    pub cases: Vec<CaseResult>,
    /// The errors if there are none.
    pub errors: Vec<Diagnostic>,
    /// The notes about the configuration, such as that something in it is not read.
    pub remarks: Vec<Diagnostic>,
}

/// The result of a case.
#[derive(Debug)]
pub struct CaseResult {
    /// Its name.
    pub name: String,
    /// Its line, counted from 1.
    pub line: usize,
    /// Its verdict.
    pub verdict: Verdict,
}

/// The verdict on a case.
#[derive(Debug)]
pub enum Verdict {
    /// Everything is as expected.
    Passed,
    /// Some expectations failed.
    Failed(Vec<Failure>),
    /// The expectations were updated.
    Updated,
    /// The requests could not be sent.
    Broken(Vec<Diagnostic>),
}

/// The number of cases by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cases.
    pub cases: usize,
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed.
    pub failed: usize,
    /// Cases whose expectations were written.
    pub updated: usize,
    /// Cases that could not be run, and suites that could not be read.
    pub broken: usize,
}

impl SuiteResult {
    /// Counts the cases by verdict.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally { broken: usize::from(!self.errors.is_empty()), ..Tally::default() };
        for case in &self.cases {
            tally.cases += 1;
            *match case.verdict {
                Verdict::Passed => &mut tally.passed,
                Verdict::Failed(_) => &mut tally.failed,
                Verdict::Updated => &mut tally.updated,
                Verdict::Broken(_) => &mut tally.broken,
            } += 1;
        }
        tally
    }

    /// Returns the line of the expectation of `failure`, counted from 1.
    pub(super) fn line(&self, failure: &Failure) -> usize {
        self.source.as_ref().map_or(0, |source| source.line_column(failure.span.start).0)
    }

    /// Returns all errors in the input, and the notes about the configuration.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let of_cases = self.cases.iter().flat_map(|case| match &case.verdict {
            Verdict::Broken(diagnostics) => diagnostics.as_slice(),
            _ => &[],
        });
        let errors = self.errors.iter().chain(of_cases);
        errors.filter(|diagnostic| diagnostic.severity == Severity::Error).chain(&self.remarks)
    }
}

impl Tally {
    /// Returns all of `results` together.
    pub fn of(results: &[SuiteResult]) -> Self {
        results.iter().map(SuiteResult::tally).fold(Self::default(), |sum, tally| Self {
            cases: sum.cases + tally.cases,
            passed: sum.passed + tally.passed,
            failed: sum.failed + tally.failed,
            updated: sum.updated + tally.updated,
            broken: sum.broken + tally.broken,
        })
    }
}
