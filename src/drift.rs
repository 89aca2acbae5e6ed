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

use std::sync::Arc;

use crate::api_server::{self, OfflineCluster};
use crate::cluster::Cluster;
use crate::evaluation::{Evaluator, Place, Prepared, RequestDefaults, Unevaluated};
use crate::report::Diagnostic;
use crate::report::drift::Drift;
use gotext::source::SourceFile;
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
}

impl Comparison {
    /// Returns a comparison with the objects of the cluster of `evaluator`.
    pub fn new(evaluator: Evaluator, options: DriftOptions) -> Self {
        let owners = Owners::of(evaluator.cluster(), options.prune_selector.as_ref());
        let drift = Drift { plugins: evaluator.plugins(), ..Drift::default() };
        Self { evaluator, owners, options, drift }
    }

    /// Returns `source` with what exists in place of what SOPS encrypted, which cannot be compared.
    pub fn decrypted(&self, source: &Arc<SourceFile>, namespace: &str) -> Arc<SourceFile> {
        encrypted::replaced(source, namespace, self.cluster()).unwrap_or_else(|| source.clone())
    }

    /// Returns the cluster.
    pub fn cluster(&self) -> &Arc<Cluster> {
        self.evaluator.cluster()
    }

    /// Compares the manifest of `prepared` with its object.
    ///
    /// # Errors
    ///
    /// Fails if the kind is not defined, or `kubectl` would not send it.
    pub fn take(&mut self, prepared: Prepared) -> Result<(), Unevaluated> {
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
        let mut comparison = Comparison::new(self.evaluator, options);
        let manifests: Vec<_> =
            manifests.iter().map(|source| comparison.decrypted(source, &defaults.namespace)).collect();
        for item in api_server::sorted_items(&manifests, order, &mut diagnostics) {
            let prepared = api_server::request(item, defaults, comparison.evaluator.features());
            let taken = prepared.and_then(|prepared| {
                comparison.take(prepared).map_err(|unevaluated| Diagnostic::from(&unevaluated))
            });
            diagnostics.extend(taken.err());
        }
        Drift { diagnostics, ..comparison.finish() }
    }
}
