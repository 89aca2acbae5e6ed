//! The values of flags that choose among a few.

use clap::ValueEnum;

use crate::admission::Operation;

/// Whether the requests of controllers because of workloads are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Workloads {
    /// Send them through the chain as well
    Follow,
    /// Evaluate only the given documents
    Ignore,
}

/// What the documents of a shard have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ShardBy {
    /// Their namespace
    Namespace,
}

/// What is done with every document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DocumentOperation {
    /// Create the object
    Create,
    /// Apply the document to the existing object, as kubectl apply --server-side does
    Update,
    /// Delete the object
    Delete,
}

impl From<DocumentOperation> for Operation {
    fn from(operation: DocumentOperation) -> Self {
        match operation {
            DocumentOperation::Create => Self::Create,
            DocumentOperation::Update => Self::Update,
            DocumentOperation::Delete => Self::Delete,
        }
    }
}
