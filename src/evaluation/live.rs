//! A manifest next to the object that exists: the answer to applying it, and the object that it alone leads to.

use std::mem;
use std::sync::Arc;

use crate::admission::Operation;
use crate::evaluation::applied::AppliedManifests;
use crate::evaluation::prepared::Body;
use crate::evaluation::{Apply, ApplyOptions, Evaluator, Outcome, Prepared, Unevaluated};
use gotext::source::Node;
use kube_api::field::Path;
use kube_api::{Object, Value};
use kube_registry::Kind;
use kube_registry::custom_resource::Version;
use kube_registry::merge::{self, FieldChange};

/// The answers to a manifest, and its object as it exists.
#[derive(Debug)]
pub struct AgainstLive {
    /// The answer to applying it.
    pub applied: Outcome,
    /// What exists of it.
    pub live: Option<Live>,
}

/// The object of a manifest as it exists.
#[derive(Debug)]
pub struct Live {
    /// The object, in the version of the manifest.
    pub object: Arc<Object>,
    /// The answer to creating it from the manifest, as if it did not exist.
    pub anew: Outcome,
    /// The answer to an apply that takes over the fields of other managers, if the answer to that of the user is that
    /// others own fields.
    pub forced: Option<Outcome>,
    kind: Kind,
}

impl Live {
    /// Returns the fields in which two states of the object differ; two scalars are equal if `is_same` says so.
    pub fn changes(
        &self,
        before: &Object,
        after: &Object,
        is_same: &dyn Fn(&Value, &Value) -> bool,
    ) -> Vec<FieldChange> {
        merge::field_changes(before, after, self.version(), is_same)
    }

    /// Returns the names of the fields that lead to `path` in a state of the object, as `metadata.managedFields` has them.
    pub fn names(&self, object: &Object, path: &Path) -> Vec<String> {
        merge::names_of(object, path, self.version())
    }

    fn version(&self) -> Option<&Version> {
        self.kind.definition().map(|(_, version)| version)
    }
}

impl Evaluator {
    /// Applies the manifest of `prepared`, next to its object as it exists.
    ///
    /// # Errors
    ///
    /// Fails if the kind is not defined, or `kubectl` would not send it.
    pub fn evaluate_against_live(&mut self, prepared: Prepared) -> Result<AgainstLive, Unevaluated> {
        let Some((object, kind)) = self.live_object(&prepared) else {
            return Ok(AgainstLive { applied: self.evaluate(prepared)?, live: None });
        };
        let options = prepared.request.apply.as_deref().cloned().unwrap_or_default();
        let anew = ApplyOptions { apply: Apply::Create, recreates: true, ..options.clone() };
        let anew = self.try_with(prepared.clone(), anew)?;
        let is_in_conflict = |outcome: &Outcome| {
            options.apply == Apply::ServerSide
                && !options.force_conflicts
                && outcome.status().is_some_and(|status| status.code == 409)
        };
        let again = (options.apply == Apply::ServerSide).then(|| prepared.clone());
        let applied = self.evaluate(prepared)?;
        let forced = again.filter(|_| is_in_conflict(&applied)).map(|prepared| {
            self.try_with(prepared, ApplyOptions { force_conflicts: true, ..options.clone() })
        });
        Ok(AgainstLive { applied, live: Some(Live { object, anew, forced: forced.transpose()?, kind }) })
    }

    /// Returns the object of a manifest as it exists, and its kind.
    fn live_object(&self, prepared: &Prepared) -> Option<(Arc<Object>, Kind)> {
        let request = &prepared.request;
        request.apply.as_ref()?;
        let name = match &prepared.body {
            Body::Read(Ok(read)) => read.object.name().to_owned(),
            Body::Undecoded(node) => node.get("metadata")?.get("name").and_then(Node::as_str)?.to_owned(),
            Body::Absent | Body::Read(Err(_)) => return None,
        };
        let release = self.profile.release();
        let target = prepared.routing.clone().finish(
            request,
            &self.cluster,
            &self.runtime_config,
            &*self.handlers,
            release,
        );
        let target = target.ok()?.ok()?;
        let namespace = request.namespace.as_deref().filter(|_| target.namespaced).unwrap_or_default();
        let stored = self.cluster.get(&target.group_resource(), namespace, &name)?;
        Some((target.read_stored(stored), target.strategy.clone()))
    }

    /// Evaluates `prepared` as it would be sent with other `options`, and takes back all that it changes.
    fn try_with(&mut self, mut prepared: Prepared, options: ApplyOptions) -> Result<Outcome, Unevaluated> {
        prepared.request.apply = Some(Arc::new(options));
        self.cluster.record();
        let nothing = AppliedManifests::new(self.cluster.clone());
        let applied = match prepared.request.operation_where(|| true) {
            // An object that is created was not applied before.
            Operation::Create => mem::replace(&mut self.applied, nothing),
            _ => self.applied.clone(),
        };
        let ordinal = self.ordinal;
        let waiting = (self.postponed.clone(), self.unmet.clone());
        let (created, assumed) = (self.created.clone(), self.assumed_namespaces.clone());
        let outcome = self.evaluate_request(prepared);
        self.cluster.undo();
        self.applied = applied;
        self.ordinal = ordinal;
        (self.postponed, self.unmet) = waiting;
        (self.created, self.assumed_namespaces) = (created, assumed);
        outcome
    }
}
