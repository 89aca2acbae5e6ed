//! Outcomes for readers: one file a format.

mod json;
mod summary;
mod yaml;

use std::io::{self, Write};

use serde::Serialize;

use crate::evaluation::Outcome;
use crate::source::{SourceFile, Span};

pub use json::{Json, JsonLines};
pub use summary::Summary;
pub use yaml::Yaml;

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The input or configuration is wrong.
    Error,
    /// The run is less than a server would do, or more than was asked for.
    Note,
}

/// What is wrong with the input itself.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable name, such as `kadmit::manifest::duplicate_key`.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The file, where there is one.
    pub file: Option<String>,
    /// Where in the file, if its text could be read.
    pub source: Option<(std::sync::Arc<SourceFile>, Span)>,
}

/// Takes the outcomes of a run one after the other and writes them out, so that memory does not grow with them.
pub trait Report {
    /// Before the first outcome. `plugins` is the enabled chain, in order.
    fn begin(&mut self, plugins: &[&'static str]) -> io::Result<()>;
    /// An outcome, in the order of evaluation.
    fn outcome(&mut self, outcome: &Outcome) -> io::Result<()>;
    /// Something wrong with the input.
    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()>;
    /// After the last outcome.
    fn end(&mut self, summary: &Summary) -> io::Result<()>;
}
