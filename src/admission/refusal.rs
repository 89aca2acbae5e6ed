//! A plugin's no, with what it is about.

use std::fmt;

use crate::api::field::Path;
use crate::api::{GroupResource, Status, resource};

/// Why a request is refused: what the client is told, and what helps a person to understand it.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What the API server answers.
    pub status: Box<Status>,
    /// The fields of the object that it is about; the most telling first.
    pub fields: Vec<Path>,
    /// The objects in the cluster that demand it.
    pub evidence: Vec<Evidence>,
}

/// An object in the cluster that is the reason of a refusal or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Resource of the object.
    pub resource: GroupResource,
    /// Namespace of the object, or nothing.
    pub namespace: String,
    /// Name of the object.
    pub name: String,
    /// The field that says so; the object as a whole without.
    pub path: Option<Path>,
    /// What it says, to be read behind the object's kind and name: `enforces baseline`.
    pub says: String,
}

impl fmt::Display for Evidence {
    /// `LimitRange container-sizes allows at most 2 cpu`
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = resource::kind_of(&self.resource).unwrap_or(&self.resource.resource);
        write!(formatter, "{kind} {} {}", self.name, self.says)
    }
}

impl Refusal {
    /// Names a field of the object that the refusal is about.
    #[must_use]
    pub fn at(mut self, path: Path) -> Self {
        self.fields.push(path);
        self
    }

    /// Names the fields of the object that the refusal is about.
    #[must_use]
    pub fn at_all(mut self, paths: impl IntoIterator<Item = Path>) -> Self {
        self.fields.extend(paths);
        self
    }

    /// Names the object in the cluster that demands it.
    #[must_use]
    pub fn because(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }
}

impl From<Status> for Refusal {
    fn from(status: Status) -> Self {
        Self { status: Box::new(status), fields: Vec::new(), evidence: Vec::new() }
    }
}
