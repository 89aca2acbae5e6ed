//! Suites: files with requests to a server and the expected answers.
//!
//! The module is above `report`, because results of a suite are reported like those of a run (subjects, diagnostics),
//! and below `cli`, which sends the requests: the model and the comparison do not depend on arguments, a server or
//! output.
//!
//! The format is described in `docs/test.md`.

mod compare;
mod findings;
mod inline;
mod json;
mod junit;
mod partial;
mod read;
mod result;
mod text;
mod update;
mod write;

use std::path::Path;
use std::sync::Arc;

use crate::admission::Operation;
use crate::evaluation::{Apply, Outcome};
use crate::report::Diagnostic;
use gotext::source::{Entry, Node, SourceFile, Span};
use kube_api::Value;
use kube_api::decode::FieldValidation;
use kube_yaml::Item;

pub use compare::Failure;
pub use result::{CaseResult, SuiteResult, Tally, Verdict};
pub use update::Refusal;

/// The `apiVersion` of a suite.
pub const API_VERSION: &str = "kadmit.dev/v1alpha1";

/// The `kind` of a suite.
pub const KIND: &str = "Suite";

/// The suffixes of suite files that are found in directories.
const ENDINGS: [&str; 2] = ["kadmit-test.yaml", "kadmit-test.yml"];

/// Whether a file in a directory is a suite by its name: `kadmit-test.yaml` or `<name>.kadmit-test.yaml`.
pub fn is_suite_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    ENDINGS.iter().any(|ending| {
        name.strip_suffix(ending).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

/// A file of cases.
#[derive(Debug)]
pub struct Suite {
    /// The file.
    pub source: Arc<SourceFile>,
    /// The existing objects.
    pub cluster: Vec<Given>,
    /// The policies to try: one without a binding is bound to everything.
    pub policy: Vec<Given>,
    /// Flags of kube-apiserver.
    pub flags: Vec<String>,
    /// The place of the flags.
    pub flags_span: Span,
    /// The user and other settings of the requests, unless a case has its own.
    pub client: Client,
    /// Whether nothing is assumed.
    pub strict: bool,
    /// Whether controllers send their requests; by default they do unless the suite is strict.
    pub workloads: Option<bool>,
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// The whole document.
    node: Node,
}

/// Settings of requests that documents do not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// The user.
    pub user: Option<String>,
    /// The UID of the user.
    pub uid: Option<String>,
    /// The groups of the user.
    pub groups: Option<Vec<String>>,
    /// The namespace of objects without one.
    pub namespace: Option<String>,
    /// The operation on objects.
    pub operation: Option<Operation>,
    /// The way manifests are sent to the server.
    pub apply: Option<Apply>,
    /// The handling of unknown and repeated fields.
    pub field_validation: Option<FieldValidation>,
}

/// Objects that a suite names.
#[derive(Clone, Debug)]
pub enum Given {
    /// Those in a file, a directory or the files of a pattern, relative to the directory of the suite.
    Path(String, Span),
    /// One that is written in the suite itself.
    Object(Box<Item>),
}

/// Requests, and the expectations about their answers.
#[derive(Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Its place.
    pub span: Span,
    /// The user and other settings of the requests.
    pub client: Client,
    /// The requests, in order.
    pub requests: Vec<Given>,
    /// The expectations; empty in a case whose expectations are still to be written.
    pub expectations: Vec<Expectation>,
}

/// Expectations about the requests for one object, or about all.
#[derive(Debug)]
pub struct Expectation {
    /// `Kind namespace/name` of the object; every request without.
    of: Option<(String, Span)>,
    checks: Vec<Check>,
    /// The expected requests of controllers because of it; an empty list expects none.
    caused: Option<(Span, Vec<Caused>)>,
}

/// Expectations about the requests of controllers.
#[derive(Debug)]
struct Caused {
    kind: String,
    kind_span: Span,
    checks: Vec<Check>,
}

/// One field of an answer, and its expected value.
#[derive(Clone, Debug)]
struct Check {
    field: Field,
    entry: Entry,
    expected: Value,
    /// The map that the check is in.
    map: Span,
    /// The number of checks in the map, including this one.
    siblings: usize,
}

/// A field of an answer that can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// Whether the server admits it.
    Allowed,
    /// The plugin that refuses it.
    Plugin,
    /// The HTTP status code of the refusal.
    Code,
    /// The whole text of the refusal.
    Message,
    /// Parts of that text.
    MessageContains,
    /// The texts of all warnings.
    Warnings,
    /// Annotations of the audit event.
    AuditAnnotations,
    /// The effect of all plugins.
    Patch,
    /// Fields of the object that the server returns.
    Object,
    /// The number of objects that a controller wants.
    Replicas,
    /// The number of them that the server admits.
    Admitted,
}

impl Field {
    /// All fields, in the order in which they are listed.
    const ALL: [Self; 11] = [
        Self::Allowed,
        Self::Plugin,
        Self::Code,
        Self::Message,
        Self::MessageContains,
        Self::Warnings,
        Self::AuditAnnotations,
        Self::Patch,
        Self::Object,
        Self::Replicas,
        Self::Admitted,
    ];

    /// Returns the key in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Plugin => "plugin",
            Self::Code => "code",
            Self::Message => "message",
            Self::MessageContains => "messageContains",
            Self::Warnings => "warnings",
            Self::AuditAnnotations => "auditAnnotations",
            Self::Patch => "patch",
            Self::Object => "object",
            Self::Replicas => "replicas",
            Self::Admitted => "admitted",
        }
    }

    /// Whether it applies only to requests of controllers.
    fn is_of_caused(self) -> bool {
        matches!(self, Self::Replicas | Self::Admitted)
    }
}

/// The outcomes of the requests of a case.
#[derive(Debug, Default)]
pub struct Answers {
    /// Those of the documents, in order.
    pub requests: Vec<Outcome>,
    /// Those of the last requests of controllers.
    pub late: Vec<Outcome>,
}

impl Suite {
    /// Returns the place of the suite as a whole.
    pub fn span(&self) -> Span {
        self.node.span
    }

    /// Reads a suite.
    ///
    /// # Errors
    ///
    /// Returns all errors in it.
    pub fn read(source: &Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        read::suite(source)
    }

    /// Returns the differences between `answers` and the expectations of `case`; `shows_secrets` leaves the values of
    /// Secrets in them.
    pub fn compare(&self, case: &Case, answers: &Answers, shows_secrets: bool) -> Vec<Failure> {
        compare::case(case, answers, shows_secrets)
    }

    /// Returns the text of the file with the expectations of `cases` set to their answers. Everything else is kept.
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be changed without losing something.
    pub fn update(&self, cases: &[(&Case, &Answers)]) -> Result<String, Vec<Refusal>> {
        update::update(self, cases)
    }
}

pub use findings::{write_github, write_markdown, write_sarif};
pub use json::write_json;
pub use junit::write_junit;
pub use text::write_text;
pub use write::scalar;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_is_known_by_its_name() {
        let known = ["kadmit-test.yaml", "a/kadmit-test.yml", "quota.kadmit-test.yaml"];
        assert!(known.into_iter().all(|name| is_suite_file(Path::new(name))));
        let others = ["mykadmit-test.yaml", "kadmit-test.json", "kadmit-tests.yaml", "a.yaml"];
        assert!(!others.into_iter().any(|name| is_suite_file(Path::new(name))));
    }
}
