//! Suites: what is asked of which server, and what it is expected to answer, in a file.
//!
//! The room lies above `report`, because what a suite comes to is told with the same words as a run (subjects,
//! diagnostics), and below `cli`, which makes the requests: the model and the comparison know no arguments, no
//! server and no output.
//!
//! The format is described in `docs/test.md`.

mod compare;
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
use crate::api::Value;
use crate::api::decode::FieldValidation;
use crate::evaluation::{Apply, Outcome};
use crate::manifest::Item;
use crate::report::Diagnostic;
use crate::source::{Entry, Node, SourceFile, Span};

pub use compare::Failure;
pub use result::{CaseResult, SuiteResult, Tally, Verdict};
pub use update::Refusal;

/// The `apiVersion` of a suite.
pub const API_VERSION: &str = "kadmit.dev/v1alpha1";

/// The `kind` of a suite.
pub const KIND: &str = "Suite";

/// How the names of suite files end that are found in directories.
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
    /// What exists.
    pub cluster: Vec<Given>,
    /// Flags of kube-apiserver.
    pub flags: Vec<String>,
    /// Where the flags stand.
    pub flags_span: Span,
    /// Whose requests they are, where a case does not say it.
    pub client: Client,
    /// Whether nothing is taken for granted.
    pub strict: bool,
    /// Whether controllers make their requests; unless it is said they do if the suite is not strict.
    pub workloads: Option<bool>,
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// The whole document.
    node: Node,
}

/// What documents do not say about their requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// The user.
    pub user: Option<String>,
    /// The UID of the user.
    pub uid: Option<String>,
    /// The groups of the user.
    pub groups: Option<Vec<String>>,
    /// The namespace of objects that name none.
    pub namespace: Option<String>,
    /// What is done with objects.
    pub operation: Option<Operation>,
    /// How manifests reach the server.
    pub apply: Option<Apply>,
    /// What becomes of unknown and repeated fields.
    pub field_validation: Option<FieldValidation>,
}

/// Objects that a suite names.
#[derive(Clone, Debug)]
pub enum Given {
    /// Those in a file, a directory or the files of a pattern, seen from the directory of the suite.
    Path(String, Span),
    /// One that stands in the suite itself.
    Object(Box<Item>),
}

/// Requests, and what is expected of their answers.
#[derive(Debug)]
pub struct Case {
    /// What it is called.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Whose requests they are.
    pub client: Client,
    /// What is asked, in order.
    pub requests: Vec<Given>,
    /// What is expected; nothing in a case whose expectations are still to be written.
    pub expectations: Vec<Expectation>,
}

/// What is expected of the requests about one object, or of all.
#[derive(Debug)]
pub struct Expectation {
    /// `Kind namespace/name` of the object; every request without.
    of: Option<(String, Span)>,
    checks: Vec<Check>,
    /// What controllers ask for because of it; an empty list expects nothing of the kind.
    caused: Option<(Span, Vec<Caused>)>,
}

/// What is expected of what controllers ask for.
#[derive(Debug)]
struct Caused {
    kind: String,
    kind_span: Span,
    checks: Vec<Check>,
}

/// One field of an answer, and what it is expected to be.
#[derive(Clone, Debug)]
struct Check {
    field: Field,
    entry: Entry,
    expected: Value,
    /// The map that the check is in.
    map: Span,
    /// How many checks the map has, this one among them.
    siblings: usize,
}

/// What can be expected of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// Whether the server does it.
    Allowed,
    /// Who refuses it.
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
    /// Fields of the object that the server answers.
    Object,
    /// How many objects a controller wants.
    Replicas,
    /// How many of them the server lets pass.
    Admitted,
}

impl Field {
    /// In the order in which they are listed to people.
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

    /// The key in the file.
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

    /// Whether it tells something only of what controllers ask for.
    fn is_of_caused(self) -> bool {
        matches!(self, Self::Replicas | Self::Admitted)
    }
}

/// What became of the requests of a case.
#[derive(Debug, Default)]
pub struct Answers {
    /// Those of the documents, in order.
    pub requests: Vec<Outcome>,
    /// Those that controllers made at last.
    pub late: Vec<Outcome>,
}

impl Suite {
    /// Reads a suite.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn read(source: &Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        read::suite(source)
    }

    /// What `answers` are that `case` does not expect; `shows_secrets` leaves in it what Secrets keep.
    pub fn compare(&self, case: &Case, answers: &Answers, shows_secrets: bool) -> Vec<Failure> {
        compare::case(case, answers, shows_secrets)
    }

    /// The text of the file in which `cases` expect what their answers are. Everything else stays as it is.
    ///
    /// # Errors
    ///
    /// The text cannot be changed so without losing something.
    pub fn update(&self, cases: &[(&Case, &Answers)]) -> Result<String, Vec<Refusal>> {
        update::update(self, cases)
    }
}

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
