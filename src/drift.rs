//! The drift of live objects from their manifests.
//!
//! Every manifest is applied to the object that exists, and created as if none did. What applying changes would change;
//! what then still differs from the object that the manifest alone leads to is the work of others, unless a default, a
//! plugin, a controller or the server explains it. No rule of the chain is here.

mod blame;
mod encrypted;
mod explain;
mod meanwhile;
mod object;
mod owner;
mod written;

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use crate::api_server::{self, OfflineCluster};
use crate::cluster::Cluster;
use crate::code::Code;
use crate::evaluation::{AgainstLive, Evaluator, GENERATED, Place, Prepared, RequestDefaults, Unevaluated};
use crate::report::drift::{Drift, DriftedObject};
use crate::report::{Diagnostic, Fixtures, Severity, counted};
use gotext::source::SourceFile;
use kube_api::GroupVersionKind;
use kube_api::labels::Selector;

pub(crate) use encrypted::is_encrypted;
use explain::Autoscalers;
use owner::Owners;

/// What a comparison includes.
#[derive(Clone, Debug, Default)]
pub struct DriftOptions {
    /// The labels of the objects that belong to the manifests, if they have some.
    pub prune_selector: Option<Selector>,
    /// Whether the origin of every line is found.
    pub blames: bool,
    /// Whether only fields that manifests have are explained, which takes less time.
    pub is_brief: bool,
}

/// Compares manifests with live objects, one after the other.
pub struct Comparison {
    evaluator: Evaluator,
    owners: Owners,
    autoscalers: Autoscalers,
    options: DriftOptions,
    drift: Drift,
}

/// The number of objects that are compared in one go.
const BATCH: usize = 64;

impl Comparison {
    /// Returns a comparison with the objects of the cluster of `evaluator`, whose places are in `fixtures`.
    pub fn new(evaluator: Evaluator, fixtures: &Fixtures, options: DriftOptions) -> Self {
        let owners = Owners::of(evaluator.cluster(), fixtures, options.prune_selector.as_ref());
        let drift = Drift { plugins: evaluator.plugins(), ..Drift::default() };
        let autoscalers = Autoscalers::of(evaluator.cluster());
        Self { evaluator, owners, autoscalers, options, drift }
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
        let mut replaced = 0;
        let documents = documents.into_iter().enumerate().filter_map(|(position, document)| {
            let later =
                object(&document).and_then(|object| last.get(&object)).filter(|last| **last > position);
            replaced += usize::from(later.is_some());
            later.is_none().then_some(document)
        });
        let Self { evaluator, owners, autoscalers, options, drift } = self;
        let cluster = evaluator.cluster().clone();
        // Objects are compared while the next ones are evaluated.
        let compare = |batch: Vec<AgainstLive>| {
            let compare = |against| object::compare(against, autoscalers, options);
            let objects: Vec<DriftedObject> = batch.iter().map(compare).collect();
            cluster.pack();
            objects
        };
        drift.objects.extend(meanwhile::map(&compare, |hand_over| {
            let mut batch = Vec::with_capacity(BATCH);
            for document in documents {
                match document.map(|prepared| evaluate(prepared, evaluator, owners)) {
                    Ok(Ok(against)) => batch.push(against),
                    Ok(Err(Unevaluated::UnknownKind(unknown))) => {
                        say(Diagnostic::from(&unknown), Some(&unknown.kind));
                    }
                    Ok(Err(unsent)) => say(of_unsent(&unsent), None),
                    Err(diagnostic) => say(diagnostic, None),
                }
                if batch.len() == BATCH {
                    hand_over(mem::replace(&mut batch, Vec::with_capacity(BATCH)));
                }
            }
            hand_over(batch);
        }));
        if replaced > 0 {
            let replaced = counted(replaced, "manifest");
            let message = format!("left out {replaced} whose objects a later document defines again");
            say(Diagnostic::note(Code::DriftRepeated, message), None);
        }
    }

    /// Returns what was found, and the live objects that no manifest has.
    pub fn finish(mut self) -> Drift {
        self.drift.objects.extend(self.owners.extra());
        self.drift
    }
}

/// Applies a manifest next to its object, and records the marks of its owner.
fn evaluate(
    prepared: Prepared,
    evaluator: &mut Evaluator,
    owners: &mut Owners,
) -> Result<AgainstLive, Unevaluated> {
    let against = evaluator.evaluate_against_live(prepared)?;
    if against.applied.place.as_ref().is_some_and(Place::is_review) {
        let message = "an AdmissionReview is not a manifest".to_owned();
        return Err(Unevaluated::Unsent { message, place: against.applied.place });
    }
    owners.find(&against.applied, against.live.as_ref());
    Ok(against)
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
        let mut comparison = Comparison::new(self.evaluator, &self.setup.fixtures, options);
        let manifests: Vec<_> =
            manifests.iter().map(|source| comparison.decrypted(source, &defaults.namespace)).collect();
        let items = api_server::sorted_items(&manifests, order, &mut diagnostics);
        let profile = comparison.evaluator.profile().clone();
        let documents = items.into_iter().map(|item| api_server::request(item, defaults, &profile));
        comparison.take_all(documents.collect(), |diagnostic, _| diagnostics.push(diagnostic));
        Drift { diagnostics, ..comparison.finish() }
    }
}
