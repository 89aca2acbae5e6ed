//! The order of events. A log has them in the order in which requests ended, which for two changes of one object can be
//! another than that of the changes.

use std::collections::VecDeque;

use crate::evaluation::Evaluator;
use crate::replay::event::Event;
use kube_api::resources::NAMESPACES;

/// The number of events that wait: how much later an earlier change may be written.
const WAITING: usize = 64;

/// The events that wait for earlier ones.
#[derive(Debug, Default)]
pub(super) struct Order(VecDeque<Event>);

impl Order {
    pub(super) fn push(&mut self, event: Event) {
        self.0.push_back(event);
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.len() > WAITING
    }

    /// Takes the event that comes next on the server of `evaluator`.
    pub(super) fn next(&mut self, evaluator: &Evaluator) -> Option<Event> {
        let first = self.0.front()?;
        let position = match first.version() {
            Some(_) if lacks_namespace(first, evaluator) => self.creation_of_namespace(first),
            Some(version) => self.before(first, version),
            None if first.code == 409 && first.verb == "update" => self.cause_of_conflict(first, evaluator),
            None => None,
        };
        self.0.remove(position.unwrap_or(0))
    }

    /// Returns the position of the earliest change of the object before its `version`.
    fn before(&self, first: &Event, version: u64) -> Option<usize> {
        let others = self.0.iter().enumerate().skip(1);
        let earlier = others.filter_map(|(position, event)| Some((event.version()?, position, event)));
        let earlier = earlier.filter(|(found, _, event)| *found < version && event.is_about_object_of(first));
        earlier.map(|(found, position, _)| (found, position)).min().map(|(_, position)| position)
    }

    /// Returns the position of the creation of the namespace that `first` is in.
    fn creation_of_namespace(&self, first: &Event) -> Option<usize> {
        let is_creation = |event: &Event| {
            event.verb == "create" && event.is_of(&NAMESPACES) && event.stored_name() == first.namespace
        };
        self.0.iter().position(|event| event.succeeded() && is_creation(event))
    }

    /// Returns the position of the change with which `first` was in conflict, if it is still to come.
    fn cause_of_conflict(&self, first: &Event, evaluator: &Evaluator) -> Option<usize> {
        let sent = first.request.as_ref()?.text(["metadata", "resourceVersion"]);
        let stored =
            evaluator.cluster().get(first.group_resource(), first.own_namespace(), first.stored_name());
        if stored?.text(["metadata", "resourceVersion"]) != sent {
            return None;
        }
        let mut others = self.0.iter().enumerate().skip(1);
        others
            .find(|(_, event)| event.succeeded() && event.is_about_object_of(first))
            .map(|(position, _)| position)
    }
}

/// Whether `event` is in a namespace that does not exist yet.
fn lacks_namespace(event: &Event, evaluator: &Evaluator) -> bool {
    let namespace = event.own_namespace();
    !namespace.is_empty() && evaluator.cluster().namespace(namespace).is_none()
}
