//! The drift of live objects from their manifests.
//!
//! Every manifest is applied to the object that exists, and created as if none did. What applying changes would change;
//! what then still differs from the object that the manifest alone leads to is the work of others, unless a default, a
//! plugin, a controller or the server explains it. No rule of the chain is here.

mod blame;
mod encrypted;
mod explain;
mod object;
mod owner;
mod written;

use std::collections::HashMap;
use std::sync::Arc;

use crate::api_server::{self, OfflineCluster};
use crate::cluster::Cluster;
use crate::code::Code;
use crate::evaluation::{Evaluator, GENERATED, Place, Prepared, RequestDefaults, Unevaluated};
use crate::report::drift::Drift;
use crate::report::{Diagnostic, Fixtures, Severity};
use gotext::source::SourceFile;
use kube_api::GroupVersionKind;
use kube_api::labels::Selector;

use owner::Owners;

/// What a comparison includes.
#[derive(Clone, Debug, Default)]
pub struct DriftOptions {
    /// The labels of the objects that belong to the manifests, if they have some.
    pub prune_selector: Option<Selector>,
    /// Whether the origin of every line is found.
    pub blames: bool,
}

/// Compares manifests with live objects, one after the other.
pub struct Comparison {
    evaluator: Evaluator,
    owners: Owners,
    options: DriftOptions,
    drift: Drift,
    /// The number of manifests whose objects a later one defines again.
    replaced: usize,
}

impl Comparison {
    /// Returns a comparison with the objects of the cluster of `evaluator`, whose places are in `fixtures`.
    pub fn new(evaluator: Evaluator, fixtures: &Fixtures, options: DriftOptions) -> Self {
        let owners = Owners::of(evaluator.cluster(), fixtures, options.prune_selector.as_ref());
        let drift = Drift { plugins: evaluator.plugins(), ..Drift::default() };
        Self { evaluator, owners, options, drift, replaced: 0 }
    }

    /// Returns `source` with what exists in place of what SOPS encrypted, which cannot be compared.
    pub fn decrypted(&self, source: &Arc<SourceFile>, namespace: &str) -> Arc<SourceFile> {
        encrypted::replaced(source, namespace, self.cluster()).unwrap_or_else(|| source.clone())
    }

    /// Returns the cluster.
    pub fn cluster(&self) -> &Arc<Cluster> {
        self.evaluator.cluster()
    }

    /// Compares the manifests of `documents` with their objects, in this order; errors are passed to `say`. Of several
    /// manifests of one object the last one decides.
    pub fn take_all(
        &mut self,
        documents: Vec<Result<Prepared, Diagnostic>>,
        mut say: impl FnMut(Diagnostic, Option<&GroupVersionKind>),
    ) {
        let object = |document: &Result<Prepared, Diagnostic>| document.as_ref().ok()?.object();
        let mut last = HashMap::new();
        for (position, document) in documents.iter().enumerate() {
            last.extend(object(document).map(|object| (object, position)));
        }
        for (position, document) in documents.into_iter().enumerate() {
            let later =
                object(&document).and_then(|object| last.get(&object)).filter(|last| **last > position);
            if later.is_some() {
                self.replaced += 1;
                continue;
            }
            match document.map(|prepared| self.take(prepared)) {
                Ok(Ok(())) => {}
                Ok(Err(Unevaluated::UnknownKind(unknown))) => {
                    say(Diagnostic::from(&unknown), Some(&unknown.kind));
                }
                Ok(Err(unsent)) => say(of_unsent(&unsent), None),
                Err(diagnostic) => say(diagnostic, None),
            }
        }
        if self.replaced > 0 {
            let count = self.replaced;
            let message =
                format!("left out {count} manifests of objects that a later document defines again");
            say(Diagnostic::note(Code::DriftRepeated, message), None);
        }
    }

    fn take(&mut self, prepared: Prepared) -> Result<(), Unevaluated> {
        let against = self.evaluator.evaluate_against_live(prepared)?;
        if against.applied.place.as_ref().is_some_and(Place::is_review) {
            let message = "an AdmissionReview is not a manifest".to_owned();
            return Err(Unevaluated::Unsent { message, place: against.applied.place });
        }
        self.owners.find(&against.applied, against.live.as_ref());
        let object = object::compare(&against, self.evaluator.cluster(), self.options.blames);
        self.drift.objects.push(object);
        Ok(())
    }

    /// Returns what was found, and the live objects that no manifest has.
    pub fn finish(mut self) -> Drift {
        self.drift.objects.extend(self.owners.extra());
        self.drift
    }
}

/// Returns the diagnostic about a manifest that `kubectl` does not send.
fn of_unsent(unsent: &Unevaluated) -> Diagnostic {
    let diagnostic = Diagnostic::from(unsent);
    if !diagnostic.message.ends_with(GENERATED) {
        return diagnostic;
    }
    let message = "left out, as its name is generated: it is another object each time".to_owned();
    Diagnostic { severity: Severity::Note, code: Code::DriftGeneratedName, message, help: None, ..diagnostic }
}

impl OfflineCluster {
    /// Compares `manifests` with the objects of this cluster: what applying them changes, what others changed, and what
    /// is missing or extra.
    ///
    /// ```
    /// use kadmit::{ApiServer, SourceFile};
    ///
    /// let server = ApiServer::from_flags::<&str>([])?;
    /// let live = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {mode: slow, more: x}}";
    /// let cluster = server.cluster(&[SourceFile::new("live.yaml", live)])?;
    /// let manifest = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {mode: fast}}";
    /// let drift = cluster.drift(&[SourceFile::new("a.yaml", manifest)]);
    ///
    /// let fields: Vec<&str> = drift.objects[0].fields.iter().map(|field| &*field.path).collect();
    /// assert_eq!(fields, ["data[mode]", "data[more]"]);
    /// # Ok::<(), kadmit::Errors>(())
    /// ```
    pub fn drift(self, manifests: &[Arc<SourceFile>]) -> Drift {
        let defaults = self.defaults();
        self.drift_with(manifests, &defaults, DriftOptions::default())
    }

    /// Compares `manifests` with the objects of this cluster; `defaults` has the way to apply them.
    pub fn drift_with(
        self,
        manifests: &[Arc<SourceFile>],
        defaults: &RequestDefaults,
        options: DriftOptions,
    ) -> Drift {
        let mut diagnostics = Vec::new();
        let order = self.order;
        let mut comparison = Comparison::new(self.evaluator, &self.fixtures, options);
        let manifests: Vec<_> =
            manifests.iter().map(|source| comparison.decrypted(source, &defaults.namespace)).collect();
        let items = api_server::sorted_items(&manifests, order, &mut diagnostics);
        let profile = comparison.evaluator.profile().clone();
        let documents = items.into_iter().map(|item| api_server::request(item, defaults, &profile));
        comparison.take_all(documents.collect(), |diagnostic, _| diagnostics.push(diagnostic));
        Drift { diagnostics, ..comparison.finish() }
    }
}
