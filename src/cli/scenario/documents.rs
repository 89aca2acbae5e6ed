//! All documents of a scenario in memory, to be evaluated several times.

use std::sync::Arc;

use crate::cli::overrides::Overrides;
use crate::cli::scenario::Scenario;
use crate::cli::session::Session;
use crate::evaluation::{Evaluator, LiteralOrder, Prepared};
use gotext::source::SourceFile;
use kube_api::server_profile::ServerProfile;

/// The documents, in the order of their evaluation.
pub(in crate::cli) struct Documents {
    /// Each is a request, or an error that was reported.
    pub(in crate::cli) list: Vec<Option<Prepared>>,
    literal_order: Option<LiteralOrder>,
    paths: Vec<String>,
}

impl Scenario {
    /// Reads the documents of `paths`, and reports those that are not requests; `rewrite` may replace the text of a file.
    pub(in crate::cli) fn documents(
        &self,
        paths: &[String],
        overrides: &Overrides,
        profile: &ServerProfile,
        rewrite: &(dyn Fn(Arc<SourceFile>) -> Arc<SourceFile> + Sync),
        session: &mut Session,
    ) -> Documents {
        let sources = self.sources(paths, overrides);
        let sources = sources.into_iter().map(|source| source.map(rewrite)).collect();
        let documents = self.prepared(sources, overrides, profile);
        let list = documents.into_iter().map(|request| session.keep(request)).collect();
        let literal_order = self.literal_order(paths, overrides);
        Documents { list, literal_order, paths: paths.to_vec() }
    }
}

impl Documents {
    /// Prepares `evaluator` for the order of the documents.
    pub(in crate::cli) fn order(&self, scenario: &Scenario, evaluator: &mut Evaluator) {
        if let Some(order) = &self.literal_order {
            evaluator.keep_file_order(order.clone());
        }
        if let Some(files) = scenario.file_order(&self.paths) {
            evaluator.note_order(files);
        }
    }
}
