//! Runs a suite from its file to its result.

use std::fmt::Display;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::cli::color::Colors;
use crate::cli::input::{NonManifests, Selection};
use crate::cli::output;
use crate::cli::scenario::Stage;
use crate::code::Code;
use crate::policy::coverage::Coverage;
use crate::report::coverage::CoverageReport;
use crate::report::{Diagnostic, Fixtures};
use crate::suite::{Answers, Case, CaseResult, Given, Refusal, Suite, SuiteResult, Verdict};
use gotext::source::{SourceFile, Span};
use kube_yaml::{Item, files};

/// A case, and the outcomes of its requests.
pub(in crate::cli) type Played<'a> = (&'a Case, Result<Answers, Vec<Diagnostic>>);

/// The cases of a suite with their outcomes, and the notes about its configuration.
pub(in crate::cli) type PlayedSuite<'a> = (Vec<Played<'a>>, Vec<Diagnostic>, Arc<Fixtures>);

/// The treatment of the cases of a suite.
#[derive(Clone, Copy)]
pub(super) struct Play<'a> {
    /// A part of the names of the cases to run.
    pub(super) filter: Option<&'a str>,
    /// Whether the expectations are updated.
    pub(super) update: bool,
    pub(super) show_secrets: bool,
    pub(super) colors: Colors,
    /// The place for the coverage of policies, if it is wanted.
    pub(super) coverage: Option<&'a Mutex<CoverageReport>>,
}

/// Runs the cases of the suite in `file`.
pub(super) fn run(file: &Path, how: Play<'_>) -> SuiteResult {
    let Play { filter, update, show_secrets, colors, coverage } = how;
    let name = file.display().to_string();
    let failed = |source, errors| SuiteResult {
        file: name.clone(),
        source,
        cases: Vec::new(),
        errors,
        remarks: Vec::new(),
    };
    let source = match files::read_file(file) {
        Ok(source) => source,
        Err(error) => return failed(None, vec![Diagnostic::from(&error)]),
    };
    let suite = match Suite::read(&source) {
        Ok(suite) => suite,
        Err(errors) => return failed(Some(source), errors),
    };
    let is_chosen = |case: &&Case| filter.is_none_or(|filter| case.name.contains(filter));
    let chosen: Vec<&Case> = suite.cases.iter().filter(is_chosen).collect();
    if chosen.is_empty() {
        return failed(Some(source), Vec::new());
    }
    let counters = coverage.map(|_| Arc::<Coverage>::default());
    let (played, remarks) = match play(&suite, &chosen, directory_of(file), colors, counters.clone()) {
        Ok((played, remarks, fixtures)) => {
            if let (Some(all), Some(counters)) = (coverage, counters) {
                let own = CoverageReport::of(&counters, &fixtures);
                all.lock().unwrap_or_else(PoisonError::into_inner).join(own);
            }
            (played, remarks)
        }
        Err(errors) => return failed(Some(source), errors),
    };
    let mut result = compare(&suite, &played, show_secrets);
    result.remarks = remarks;
    if update {
        write_what_is(file, &suite, &played, &mut result);
    } else {
        refuse_unchecked(&suite, &chosen, &mut result);
    }
    result
}

pub(super) fn directory_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

/// Sends the requests of `cases`, each in a separate cluster.
///
/// # Errors
///
/// Returns the errors in the suite itself.
pub(in crate::cli) fn play<'a>(
    suite: &Suite,
    cases: &[&'a Case],
    directory: &Path,
    colors: Colors,
    coverage: Option<Arc<Coverage>>,
) -> Result<PlayedSuite<'a>, Vec<Diagnostic>> {
    let stage = stage(suite, directory, colors, coverage)?;
    let play = |case: &&'a Case| {
        let answers = items(&case.requests, directory, &suite.source).and_then(|items| {
            let answers = stage.play(&case.client, items, None)?;
            if answers.requests.is_empty() {
                let error = Diagnostic::input(Code::SuiteEmpty, "there is no document among the requests");
                return Err(vec![error.at(suite.source.clone(), case.span)]);
            }
            Ok(answers)
        });
        (*case, answers)
    };
    Ok((cases.par_iter().map(play).collect(), stage.remarks.clone(), stage.fixtures().clone()))
}

/// Returns the common start of the cases of `suite`.
///
/// # Errors
///
/// Returns the errors in the suite itself.
pub(super) fn stage(
    suite: &Suite,
    directory: &Path,
    colors: Colors,
    coverage: Option<Arc<Coverage>>,
) -> Result<Stage, Vec<Diagnostic>> {
    let cluster = items(&suite.cluster, directory, &suite.source)?;
    let policies = items(&suite.policy, directory, &suite.source)?;
    Stage::set(suite, directory, (cluster, policies), coverage, colors)
}

/// Returns the objects that `given` names.
pub(super) fn items(
    given: &[Given],
    directory: &Path,
    suite: &Arc<SourceFile>,
) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let (mut items, mut errors) = (Vec::new(), Vec::new());
    for given in given {
        let (path, span) = match given {
            Given::Object(item) => {
                items.extend(unwrapped(item));
                continue;
            }
            Given::Path(path, span) => (path, *span),
        };
        if path == "-" {
            let error = Diagnostic::input(Code::SuiteFormat, "a suite cannot read standard input");
            errors.push(error.at(suite.clone(), span));
            continue;
        }
        let path = below(directory, path).display().to_string();
        for found in NonManifests::Refused.items(&[path], &Selection::default()) {
            match found {
                Ok(found) => items.extend(found),
                Err(error) if error.source.is_none() => {
                    // A missing file is reported where it is named.
                    errors.push(error.at(suite.clone(), span));
                }
                Err(error) => errors.push(error),
            }
        }
    }
    if errors.is_empty() { Ok(items) } else { Err(errors) }
}

/// Returns `path` relative to `directory`, without `..` if that is the same file.
fn below(directory: &Path, path: &str) -> PathBuf {
    let joined = directory.join(path);
    let mut direct = PathBuf::new();
    for component in joined.components() {
        match (component, direct.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => drop(direct.pop()),
            (Component::CurDir, _) => {}
            _ => direct.push(component),
        }
    }
    match (fs::canonicalize(&joined), fs::canonicalize(&direct)) {
        (Ok(one), Ok(other)) if one == other => direct,
        _ => joined,
    }
}

/// Returns the object, or the items if it is a list.
fn unwrapped(item: &Item) -> Vec<Item> {
    let part = kube_yaml::Part {
        source: item.source.clone(),
        index: item.document,
        span: item.piece,
        format: item.format,
    };
    // It was parsed successfully before.
    NonManifests::Refused.items_of(&part).unwrap_or_default()
}

fn compare(suite: &Suite, played: &[Played<'_>], show_secrets: bool) -> SuiteResult {
    let case = |(case, answers): &Played<'_>| {
        let verdict = match answers {
            Err(errors) => Verdict::Broken(errors.clone()),
            Ok(answers) => {
                let failures = suite.compare(case, answers, show_secrets);
                if failures.is_empty() { Verdict::Passed } else { Verdict::Failed(failures) }
            }
        };
        CaseResult { name: case.name.clone(), line: suite.source.line_column(case.span.start).0, verdict }
    };
    SuiteResult {
        file: suite.source.name().to_owned(),
        source: Some(suite.source.clone()),
        cases: played.iter().map(case).collect(),
        errors: Vec::new(),
        remarks: Vec::new(),
    }
}

/// Refuses cases without expectations, which cannot fail.
fn refuse_unchecked(suite: &Suite, cases: &[&Case], result: &mut SuiteResult) {
    for (case, result) in cases.iter().zip(&mut result.cases) {
        if case.expectations.is_empty() && !matches!(result.verdict, Verdict::Broken(_)) {
            let message = format!("the case \"{}\" expects nothing", case.name);
            let error = Diagnostic::input(Code::SuiteFormat, message)
                .help("write what is expected below `expect`, or let `kadmit test --update` write the current answers");
            result.verdict = Verdict::Broken(vec![error.at(suite.source.clone(), case.span)]);
        }
    }
}

fn write_what_is(file: &Path, suite: &Suite, played: &[Played<'_>], result: &mut SuiteResult) {
    let is_changed = |case: &Case, verdict: &Verdict| {
        matches!(verdict, Verdict::Failed(_))
            || (matches!(verdict, Verdict::Passed) && case.expectations.is_empty())
    };
    let changed = played.iter().zip(&result.cases).filter_map(|((case, answers), result)| {
        Some((*case, answers.as_ref().ok()?)).filter(|_| is_changed(case, &result.verdict))
    });
    let changed: Vec<_> = changed.collect();
    if changed.is_empty() {
        return;
    }
    let written = suite
        .update(&changed)
        .map_err(|refusals| refused(suite, &refusals))
        .and_then(|text| output::replace(file, &text).map_err(|error| vec![unwritable(file, error)]));
    match written {
        Ok(()) => {
            for ((case, _), result) in played.iter().zip(&mut result.cases) {
                if is_changed(case, &result.verdict) {
                    result.verdict = Verdict::Updated;
                }
            }
        }
        Err(errors) => result.errors = errors,
    }
}

pub(in crate::cli) fn refused(suite: &Suite, refusals: &[Refusal]) -> Vec<Diagnostic> {
    let told = |Refusal { span, message }: &Refusal| at(suite, *span, message);
    refusals.iter().map(told).collect()
}

fn at(suite: &Suite, span: Span, message: &str) -> Diagnostic {
    let error = Diagnostic::input(Code::SuiteUpdate, format!("cannot be updated: {message}"));
    error.at(suite.source.clone(), span)
}

pub(in crate::cli) fn unwritable(file: &Path, error: impl Display) -> Diagnostic {
    let message = format!("cannot write {}: {error}", file.display());
    Diagnostic::input(Code::Output, message)
}
