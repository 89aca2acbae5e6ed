//! A state of the run to go back to, so that documents of which only the last ones change need not all be evaluated
//! again.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::GroupResource;
use crate::cluster::Mark;
use crate::evaluation::applied::AppliedManifests;
use crate::evaluation::follow_up::{Postponed, UnmetWork};
use crate::evaluation::{Evaluator, Place};

/// What an evaluator knows between two documents.
pub struct Checkpoint {
    cluster: Mark,
    looked_up_revision: u64,
    assumed_namespaces: BTreeSet<String>,
    applied: AppliedManifests,
    ordinal: u64,
    caused: u64,
    postponed: Vec<Postponed>,
    unmet: Vec<UnmetWork>,
    created: BTreeMap<(GroupResource, String), Place>,
}

impl Evaluator {
    /// Whether [`resume`](Self::resume) restores everything that later answers depend on. Not where documents are
    /// evaluated alone, which uses the record of the cluster itself, nor where a plugin counts requests over time.
    pub fn can_resume(&self) -> bool {
        !self.is_each_alone && !self.chain.names().any(|name| name == "EventRateLimit")
    }

    /// Starts to record changes, so that [`resume`](Self::resume) can undo them.
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
            caused: self.caused,
            postponed: self.postponed.clone(),
            unmet: self.unmet.clone(),
            created: self.created.clone(),
        }
    }

    /// Makes everything what it was at `checkpoint`, which is one of this evaluator and not after a state that was
    /// left this way.
    pub fn resume(&mut self, checkpoint: &Checkpoint) {
        self.cluster.undo_to(checkpoint.cluster);
        let (then, now) = (checkpoint.looked_up_revision, self.cluster.looked_up_revision());
        self.assumed_namespaces.clone_from(&checkpoint.assumed_namespaces);
        self.applied = checkpoint.applied.clone();
        self.ordinal = checkpoint.ordinal;
        self.caused = checkpoint.caused;
        self.postponed = checkpoint.postponed.iter().map(|postponed| postponed.at(then, now)).collect();
        self.unmet.clone_from(&checkpoint.unmet);
        self.created.clone_from(&checkpoint.created);
    }

    /// Whether every request so far has its last answer: no controller is to try again at the end of the run.
    pub fn is_settled(&self) -> bool {
        self.postponed.is_empty() && self.unmet.is_empty()
    }

    /// Leaves the number of a document out that cannot be read, so that the documents after it keep theirs.
    pub fn skip_document(&mut self) {
        self.ordinal += 1;
    }
}
