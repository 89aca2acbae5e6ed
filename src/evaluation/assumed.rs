//! Objects that are assumed to exist, unless the evaluation is strict: namespaces and what is deleted.

use std::sync::Arc;

use crate::admission::Operation;
use crate::evaluation::server::Call;
use crate::evaluation::{Evaluator, LiteralOrder, Request};
use crate::workload;
use kube_api::resources::NAMESPACES;

/// The start of the note about a namespace that is assumed, by which reports count them.
pub(crate) const ASSUMED_NAMESPACE: &str = "assumed namespace ";

impl Evaluator {
    /// Assumes the object of a manifest that is to be deleted: without `strict`, one that is not among the cluster
    /// objects is assumed to exist as in the manifest.
    pub(super) fn assume_deleted(&self, call: &mut Call) -> Option<String> {
        if call.operation != Operation::Delete {
            return None;
        }
        let mut object = call.body.take()?.object;
        let target = &call.target;
        if self.strict
            || self.knows_all()
            || self.cluster.get(&target.group_resource(), &call.namespace, &call.name).is_some()
        {
            return None;
        }
        if !call.namespace.is_empty() {
            object.set(["metadata", "namespace"], call.namespace.as_str());
        }
        let note = format!("assumed {} \"{}\" (not among the cluster objects)", target.kind.kind, call.name);
        call.old_object = Some(Arc::new(object));
        Some(note)
    }

    /// Changes an object that controllers make in every namespace instead of creating it, if its namespace is assumed.
    pub(super) fn find_made_with_namespace(&mut self, request: &Request, call: &mut Call) {
        let is_created = call.operation == Operation::Create && request.operation.is_none();
        if !is_created
            || !workload::is_made_with_namespace(
                self.profile.distribution(),
                &call.target.group_resource(),
                &call.name,
            )
            || self.cluster.namespace(&call.namespace).is_some()
            || self.assume_namespace(call).is_none()
        {
            return;
        }
        call.operation = request.operation_where(|| true);
        call.options = request.options_as_sent(call.operation, self.profile.release()).map(Arc::new);
    }

    /// Assumes an undeclared namespace without `strict`; its Namespace may still come.
    pub(super) fn assume_namespace(&mut self, call: &Call) -> Option<String> {
        if !self.assumes_namespaces {
            return None;
        }
        if call.target.is_namespaces() || self.handlers.makes_namespace(&call.target) {
            if call.operation == Operation::Create && self.assumed_namespaces.remove(&call.name) {
                self.cluster.remove(&NAMESPACES, "", &call.name);
            }
            return None;
        }
        let namespace = &call.namespace;
        if namespace.is_empty() {
            return None;
        }
        let is_missing =
            |order: &LiteralOrder| order.is_whole_cluster || order.namespaces.contains(namespace);
        if self.cluster.namespace(namespace).is_none() {
            if self.literal_order.as_ref().is_some_and(is_missing) {
                return None;
            }
            workload::make_namespace(&self.cluster, namespace, &self.profile);
            self.assumed_namespaces.insert(namespace.clone());
        }
        let assumed = self.assumed_namespaces.contains(namespace);
        assumed.then(|| format!("{ASSUMED_NAMESPACE}\"{namespace}\" (not among the cluster objects)"))
    }
}
