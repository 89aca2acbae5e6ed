//! The drift of live objects from their manifests: what differs, who made it so, and what explains the rest.

mod blame;
mod findings;
mod html;
mod json;
mod markdown;
mod rules;
mod text;

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::admission::Hook;
use crate::report::{BlamedLine, Diagnostic, Severity};
use kube_api::{Object, Value};

pub use blame::write_blame;
pub use findings::{write_github, write_junit, write_sarif};
pub use html::write_html;
pub use json::write_json;
pub use kube_registry::merge::Writer;
pub use markdown::write_markdown;
pub use rules::{RuleFormat, write_rules};
pub use text::write_text;

/// The drift of the live objects of some manifests.
#[derive(Debug, Default)]
pub struct Drift {
    /// The objects of the manifests, in the order of evaluation, and then the extra ones.
    pub objects: Vec<DriftedObject>,
    /// Errors in the input, and assumptions.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the program fails if something differs.
    pub fails: bool,
    /// The enabled chain, in order.
    pub plugins: Vec<&'static str>,
}

/// An object that exists, or that a manifest defines.
#[derive(Debug)]
pub struct DriftedObject {
    /// Its kind, namespace and name.
    pub identity: Identity,
    /// File and line of its manifest.
    pub place: Option<(String, usize)>,
    /// How it is in relation to its manifest.
    pub state: State,
    /// The fields that differ, and that nothing explains.
    pub fields: Vec<DriftedField>,
    /// The fields that differ from the manifest, or that it does not have, and why.
    pub explained: Vec<ExplainedField>,
    /// The server's refusal of the manifest.
    pub refusal: Option<Refused>,
    /// The object as it exists, and as it is after applying the manifest, if that changes it.
    pub change: Option<(Object, Object)>,
    /// The lines of the object as it exists, each with its origin.
    pub blame: Vec<BlamedLine>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// The identity of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    /// Such as `apps/v1`.
    pub api_version: String,
    /// Such as `Deployment`.
    pub kind: String,
    /// The namespace, or nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// How an object is in relation to its manifest: the first of these that is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// The server refuses the manifest.
    Refused,
    /// The object does not exist.
    Missing,
    /// Applying the manifest changes the object.
    WouldChange,
    /// Fields outside of the manifest are as neither the server nor a controller makes them.
    ChangedByOthers,
    /// The owner of the manifests made the object, and no manifest has it.
    Extra,
    /// kubectl applied the object, and no manifest has it; that of another directory may.
    PerhapsExtra,
    /// Nothing differs, or the difference is explained.
    InSync,
}

/// A field that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct DriftedField {
    /// Such as `spec.containers[0].image`.
    pub path: String,
    /// Its value in the object as it exists; nothing if it is absent.
    pub live: Option<Value>,
    /// The value that it would have from the manifest alone; nothing if it would be absent.
    pub wanted: Option<Value>,
    /// Whether applying the manifest changes it.
    pub is_applied: bool,
    /// Its line in the manifest, or that of the smallest field around it.
    pub line: Option<usize>,
    /// Whether the manifest has the field.
    pub in_manifest: bool,
    /// Those who wrote it.
    pub writers: Vec<Writer>,
}

/// A field that differs from the manifest for a known reason, or that the manifest does not have.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedField {
    /// The names of the fields that lead to it, as `metadata.managedFields` has them.
    pub names: Vec<String>,
    /// Such as `spec.containers[0].image`.
    pub path: String,
    /// Who wrote it.
    pub cause: Cause,
    /// Whether the manifest has the field, with another value.
    pub in_manifest: bool,
}

/// The reason that a field differs from the manifest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A default of the API.
    Default,
    /// The server allocates or calculates it.
    Server,
    /// A plugin.
    Plugin(&'static str),
    /// A policy or a webhook.
    Hook(Hook),
    /// An autoscaler, by namespace and name.
    Autoscaler(String),
    /// A controller, or another part of the cluster.
    Controller(String),
    /// The server wrote it when the manifest was applied, and would not with its present configuration and objects.
    Earlier,
}

/// The server's refusal of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The plugin, or the part of the server.
    pub plugin: &'static str,
    /// The HTTP status.
    pub code: u16,
    /// The message.
    pub message: String,
}

impl Drift {
    /// Whether an object differs from its manifest, is missing or is certainly extra, or a manifest would be refused.
    pub fn has_drift(&self) -> bool {
        self.objects.iter().any(|object| object.state.is_drift())
    }

    /// Whether something in the input is wrong.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns the number of objects in each state.
    pub fn counts(&self) -> BTreeMap<State, usize> {
        let mut counts = BTreeMap::new();
        for object in &self.objects {
            *counts.entry(object.state).or_default() += 1;
        }
        counts
    }

    /// Returns the number of explained fields by their reasons.
    pub fn explained(&self) -> BTreeMap<&Cause, usize> {
        let mut counts = BTreeMap::new();
        for field in self.objects.iter().flat_map(|object| &object.explained) {
            *counts.entry(&field.cause).or_default() += 1;
        }
        counts
    }

    /// Returns the objects by state, in one line.
    fn in_words(&self) -> String {
        let counts = self.counts();
        let total: usize = counts.values().sum();
        let words: Vec<String> =
            counts.iter().map(|(state, count)| format!("{count} {}", state.as_str())).collect();
        let objects = if total == 1 { "object" } else { "objects" };
        if words.is_empty() {
            "no objects".to_owned()
        } else {
            format!("{total} {objects}: {}", words.join(", "))
        }
    }
}

impl DriftedObject {
    /// Returns an object in this state, of which nothing else is known.
    pub(crate) fn new(identity: Identity, state: State) -> Self {
        Self {
            identity,
            place: None,
            state,
            fields: Vec::new(),
            explained: Vec::new(),
            refusal: None,
            change: None,
            blame: Vec::new(),
            notes: Vec::new(),
        }
    }
}

impl State {
    /// Whether the manifests and the cluster differ.
    pub fn is_drift(self) -> bool {
        !matches!(self, Self::InSync | Self::PerhapsExtra)
    }

    /// Returns the words for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused if applied now",
            Self::Missing => "missing",
            Self::WouldChange => "would change when applied",
            Self::ChangedByOthers => "changed by others",
            Self::Extra => "extra",
            Self::PerhapsExtra => "perhaps extra",
            Self::InSync => "in sync",
        }
    }
}

impl fmt::Display for Identity {
    /// Formats it as `Deployment shop/web`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, namespace, name, .. } = self;
        let separator = if namespace.is_empty() { "" } else { "/" };
        write!(formatter, "{kind} {namespace}{separator}{name}")
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("API default"),
            Self::Server => formatter.write_str("API server"),
            Self::Plugin(name) => formatter.write_str(name),
            Self::Hook(hook) => formatter.write_str(&hook.with_kind()),
            Self::Autoscaler(name) => write!(formatter, "HorizontalPodAutoscaler {name}"),
            Self::Controller(name) => formatter.write_str(name),
            Self::Earlier => formatter.write_str("the server as it was then"),
        }
    }
}

impl DriftedField {
    /// Returns the difference in a few words: `5, from the manifest 3`.
    fn values(&self) -> String {
        let shown = |value: &Option<Value>| value.as_ref().map_or_else(|| "absent".to_owned(), shortened);
        format!("{} → {}", shown(&self.live), shown(&self.wanted))
    }

    /// Returns who wrote it, in words.
    fn by(&self) -> String {
        written_by(&self.writers)
    }
}

/// Returns managers in words: `kubectl-edit (Update, 2026-01-01T00:00:00Z)`.
pub(crate) fn written_by(writers: &[Writer]) -> String {
    let one = |writer: &Writer| {
        let by = Some(&writer.sub_resource).filter(|name| !name.is_empty());
        let by = by.map(|name| format!("subresource {name}"));
        let details = [Some(writer.operation.clone()), by, Some(writer.time.clone())];
        let details: Vec<String> = details.into_iter().flatten().filter(|text| !text.is_empty()).collect();
        format!("{} ({})", writer.manager, details.join(", "))
    };
    writers.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The longest value that is shown.
const LONGEST: usize = 120;

/// Returns `value` as JSON on one line, cut if it is long.
fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
