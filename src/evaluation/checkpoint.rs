//! Checkpoints: states of the run to resume from, so that a change of the last documents does not evaluate all again.

use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::Mark;
use crate::evaluation::applied::AppliedManifests;
use crate::evaluation::follow_up::{Postponed, UnmetWork};
use crate::evaluation::quota_use::QuotaLedger;
use crate::evaluation::{Evaluator, Place, RememberedPlace};
use kube_api::GroupResource;

/// The state of an evaluator between two documents.
pub struct Checkpoint {
    cluster: Mark,
    looked_up_revision: u64,
    assumed_namespaces: BTreeSet<String>,
    applied: AppliedManifests,
    ordinal: u64,
    postponed: Vec<Postponed>,
    unmet: Vec<UnmetWork>,
    created: BTreeMap<(GroupResource, String), RememberedPlace>,
    denied_definitions: BTreeMap<(String, String), Place>,
    quotas: QuotaLedger,
}

impl Evaluator {
    /// Whether [`resume`](Self::resume) restores everything that later answers depend on. It does not if documents are
    /// evaluated alone, which uses the record of the cluster itself, or if a plugin counts requests over time.
    pub fn can_resume(&self) -> bool {
        !self.isolates_documents && !self.chain.names().any(|name| name == "EventRateLimit")
    }

    /// Starts recording changes, so that [`resume`](Self::resume) can undo them.
    pub fn record(&self) {
        self.cluster.record();
    }

    /// Returns the state before the next document, in a run that is recorded.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            cluster: self.cluster.mark(),
            looked_up_revision: self.cluster.looked_up_revision(),
            assumed_namespaces: self.assumed_namespaces.clone(),
            applied: self.applied.clone(),
            ordinal: self.ordinal,
            postponed: self.postponed.clone(),
            unmet: self.unmet.clone(),
            created: self.created.clone(),
            denied_definitions: self.denied_definitions.clone(),
            quotas: self.quotas.clone(),
        }
    }

    /// Restores the state `checkpoint` of this evaluator, unless it is later than a state that was restored.
    pub fn resume(&mut self, checkpoint: &Checkpoint) {
        self.cluster.undo_to(checkpoint.cluster);
        let (then, now) = (checkpoint.looked_up_revision, self.cluster.looked_up_revision());
        self.assumed_namespaces.clone_from(&checkpoint.assumed_namespaces);
        self.applied = checkpoint.applied.clone();
        self.ordinal = checkpoint.ordinal;
        self.postponed = checkpoint.postponed.iter().map(|postponed| postponed.at(then, now)).collect();
        self.unmet.clone_from(&checkpoint.unmet);
        self.created.clone_from(&checkpoint.created);
        self.denied_definitions.clone_from(&checkpoint.denied_definitions);
        self.quotas.clone_from(&checkpoint.quotas);
    }

    /// Adopts the state of the run of `other`, of whose cluster this evaluator has a copy.
    pub fn continue_from(&mut self, other: &Self) {
        let (then, now) = (other.cluster.looked_up_revision(), self.cluster.looked_up_revision());
        self.assumed_namespaces.clone_from(&other.assumed_namespaces);
        self.applied = other.applied.over(self.cluster.clone());
        self.ordinal = other.ordinal;
        self.postponed = other.postponed.iter().map(|postponed| postponed.at(then, now)).collect();
        self.unmet.clone_from(&other.unmet);
        self.created.clone_from(&other.created);
        self.denied_definitions.clone_from(&other.denied_definitions);
        self.quotas.clone_from(&other.quotas);
    }

    /// Skips the number of an unreadable document, so that the later documents keep theirs.
    pub fn skip_document(&mut self) {
        self.skip_documents(1);
    }

    /// Skips the numbers of `count` documents that other evaluators answer for.
    pub(crate) fn skip_documents(&mut self, count: u64) {
        self.ordinal += count;
    }
}
