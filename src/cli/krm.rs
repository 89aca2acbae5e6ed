//! `kadmit krm`: a KRM function for the items of kustomize and kpt.
//!
//! Source: the KRM Functions Specification, `config.kubernetes.io/v1` `ResourceList`.

mod config;
mod resource_list;

use std::io::{Write, stderr, stdout};
use std::sync::Arc;

use clap::Args;

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console;
use crate::cli::incremental::{Document, Incremental};
use crate::cli::input::Input;
use crate::cli::run::Completed;
use crate::cli::session::Session;
use crate::cli::settings::Complete;
use crate::report::{Diagnostic, krm, printable};
use gotext::source::SourceFile;
use kube_api::Value;

use resource_list::ResourceList;

/// Validate the items of a ResourceList on standard input, as a function of kustomize and kpt
///
/// The functionConfig has the flags of `kadmit run` by their names: a ConfigMap in `data`, any other kind in `spec`.
/// The items are evaluated as the documents of a directory are. Standard output is the ResourceList with `results`;
/// refusals are printed on standard error too.
///
/// Exit status: 0 all admitted, 1 some denied or an event of fail-on, 2 the input or configuration is wrong, 3 kadmit
/// has a bug.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Krm {}

impl Krm {
    #[expect(clippy::unused_self, reason = "every subcommand is executed so")]
    pub(super) fn execute(&self, colors: Colors) -> Exit {
        match evaluate(colors) {
            Ok(exit) => exit,
            Err(errors) => console::refuse(&errors, colors),
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  kpt fn eval manifests --exec 'kadmit krm' -- cluster=$PWD/cluster
  kadmit krm < resource-list.yaml";

/// Reads the list, evaluates its items and writes it with the results. Errors in the list itself are returned; errors
/// in its items or its configuration are results.
fn evaluate(colors: Colors) -> Result<Exit, Vec<Diagnostic>> {
    let source = Input::Standard.read().map_err(|error| vec![error])?;
    let list = ResourceList::read(&source)?;
    let (results, exit) = match config::settings(&list) {
        Ok(completed) => validate(&list, &completed, colors),
        Err(errors) => (errors.iter().map(|error| krm::result_of(error, None)).collect(), Exit::Input),
    };
    // The reader may close the pipe.
    let _ = stdout().lock().write_all(list.with_results(&results).as_bytes());
    if exit != Exit::Admitted {
        // kustomize shows only the standard error of a failing function.
        let lines = results.iter().filter(|result| result["severity"] != "info").map(line);
        let _ = stderr().lock().write_all(lines.collect::<String>().as_bytes());
    }
    Ok(exit)
}

/// Returns the results of all items, and the exit status.
fn validate(list: &ResourceList, completed: &Completed, colors: Colors) -> (Vec<Value>, Exit) {
    let Complete { flags: run, overrides, .. } = &completed.complete;
    let scenario = run.scenario();
    let mut session = Session::new(colors, scenario.ignore_unknown_kinds, completed.acceptor()).silent();
    let evaluator = match scenario.set_up(&mut session) {
        Ok((evaluator, _)) => evaluator,
        Err(error) => return (vec![krm::result_of(&Diagnostic::from(&error), None)], Exit::Input),
    };
    let profile = evaluator.profile().clone();
    let mut documents: Vec<Arc<Document>> = Vec::new();
    let inputs: Vec<Input> = list.files.iter().map(|file| Input::Text(file.source.clone())).collect();
    for input in &inputs {
        let read = scenario.read_file(Ok(input.clone()), overrides, &profile);
        let file: Arc<str> = Arc::from(&*input.name());
        documents.extend(
            read.into_iter().map(|(rank, request)| Arc::new(Document { rank, file: file.clone(), request })),
        );
    }
    scenario.sort(&mut documents, |document| &document.rank);
    let mut incremental = Incremental::new(evaluator, scenario.ignore_unknown_kinds);
    incremental.order(scenario.literal_order_of(&inputs), scenario.file_order(&[]));
    incremental.update(&documents, |_| std::ops::ControlFlow::Continue(()));
    let mut wrong: Vec<Diagnostic> = std::mem::take(&mut session.diagnostics);
    wrong.extend(incremental.judge(&mut session.acceptor));
    for outcome in incremental.outcomes() {
        session.summary.count(outcome);
        session.fixtures.remember(outcome);
    }
    wrong.extend(incremental.answers().iter().filter_map(|answer| answer.diagnostic.clone()));
    wrong.extend(session.acceptor.idle_skips(true));
    for diagnostic in &wrong {
        session.summary.count_diagnostic(diagnostic);
    }
    let item_of = |source: &SourceFile, offset: usize| {
        let file = list.files.iter().find(|file| file.source.name() == source.name());
        file.and_then(|file| file.item(offset)).cloned()
    };
    let is_of_items = |name: &str| list.files.iter().any(|file| file.source.name() == name);
    let mut results: Vec<Value> = Vec::new();
    for outcome in incremental.outcomes() {
        let item = outcome.place.as_ref().and_then(|place| item_of(place.source(), place.span.start));
        results.extend(krm::results(outcome, &session.fixtures, &item.unwrap_or_default(), &is_of_items));
    }
    for diagnostic in &wrong {
        let item = diagnostic.source.as_ref().and_then(|(source, span)| item_of(source, span.start));
        results.push(krm::result_of(diagnostic, item.as_ref()));
    }
    results.extend(session.summary.counted_notes().map(|note| krm::note(&note)));
    (results, run.reporting().exit(&session))
}

/// Returns a result as one line.
fn line(result: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let reference = &result["resourceRef"];
    let name = match (text(&reference["namespace"]), text(&reference["name"])) {
        (namespace, name) if namespace.is_empty() => name,
        (namespace, name) => format!("{namespace}/{name}"),
    };
    let file = text(&result["file"]["path"]);
    let field = text(&result["field"]["path"]);
    let about = [text(&reference["kind"]), name, file, field];
    let about: Vec<&str> = about.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let place = if about.is_empty() { String::new() } else { format!("{}: ", about.join(" ")) };
    let text = format!("[{}] {place}{}\n", text(&result["severity"]), text(&result["message"]));
    printable(&text).into_owned()
}
