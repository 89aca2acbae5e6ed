//! The findings that a check collects in a pod, and their phrasing in messages.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::iter;

use super::Violation;
use crate::admission::Remedy;
use gotext::value::Steps;
use kube_api::Value;
use kube_api::field::Path;
use kube_registry::pod::{Container, PodTemplate};

/// The security context of the pod itself or of one of its containers, whether it is set or not.
#[derive(Clone, Copy)]
pub(super) struct SecurityContext<'a> {
    value: Option<&'a Value>,
    pod: PodTemplate<'a>,
    container: Option<Container<'a>>,
}

/// The containers that violate a check, with values and places.
#[derive(Default)]
pub(super) struct Findings<'a> {
    is_pod: bool,
    containers: Vec<Container<'a>>,
    values: BTreeSet<Cow<'a, str>>,
    fields: Vec<Path>,
}

/// Returns the security context of every container.
pub(super) fn container_contexts(pod: PodTemplate<'_>) -> impl Iterator<Item = SecurityContext<'_>> {
    pod.containers().map(move |container| SecurityContext {
        value: container.at("securityContext"),
        pod,
        container: Some(container),
    })
}

/// Returns the security context of the pod, then those of its containers.
pub(super) fn security_contexts(pod: PodTemplate<'_>) -> impl Iterator<Item = SecurityContext<'_>> {
    let of_pod = SecurityContext { value: pod.at("securityContext"), pod, container: None };
    iter::once(of_pod).chain(container_contexts(pod))
}

/// Returns the place of the named fields in the security context of the pod itself.
pub(super) fn of_pod(pod: PodTemplate<'_>, fields: &[&'static str]) -> Path {
    below(pod.spec_path().child("securityContext"), fields)
}

impl<'a> SecurityContext<'a> {
    /// Whether this is the pod's own.
    pub(super) fn is_of_pod(&self) -> bool {
        self.container.is_none()
    }

    /// Returns a value at the named fields.
    pub(super) fn at(&self, fields: impl Steps) -> Option<&'a Value> {
        self.value?.at(fields)
    }

    /// Returns a text at the named fields.
    pub(super) fn text(&self, fields: impl Steps) -> Option<&'a str> {
        self.at(fields)?.as_str()
    }

    /// Returns a flag at the named fields.
    pub(super) fn flag(&self, fields: impl Steps) -> Option<bool> {
        self.at(fields)?.as_bool()
    }

    /// Returns the texts of the list at the named fields.
    pub(super) fn texts(&self, fields: &[&str]) -> impl Iterator<Item = &'a str> + use<'a> {
        let list = self.at(fields).and_then(Value::as_array);
        list.into_iter().flatten().map(|item| item.as_str().unwrap_or_default())
    }

    /// Returns the place of the named fields in the object.
    pub(super) fn path(&self, fields: &[&'static str]) -> Path {
        let owner = self.container.map_or_else(|| self.pod.spec_path(), |container| container.path());
        below(owner.child("securityContext"), fields)
    }
}

impl<'a> Findings<'a> {
    /// Adds a violation of the pod or container of `context` in the named fields.
    pub(super) fn add(&mut self, context: SecurityContext<'a>, fields: &[&'static str]) {
        self.add_at(context, context.path(fields));
    }

    /// Adds a violation of the pod or container of `context` at `path`.
    pub(super) fn add_at(&mut self, context: SecurityContext<'a>, path: Path) {
        if let Some(container) = context.container {
            self.add_container(container, path);
        } else {
            self.is_pod = true;
            self.fields.push(path);
        }
    }

    /// Adds a violation of `container` at `path`. Several in a row in one container name it once.
    pub(super) fn add_container(&mut self, container: Container<'a>, path: Path) {
        let place = |container: &Container| (container.container_type, container.index);
        if self.containers.last().map(place) != Some(place(&container)) {
            self.containers.push(container);
        }
        self.fields.push(path);
    }

    /// Adds a violation at `path` that belongs neither to the pod nor to a container.
    pub(super) fn add_field(&mut self, path: Path) {
        self.fields.push(path);
    }

    /// Adds a value that is not allowed.
    pub(super) fn add_value(&mut self, value: impl Into<Cow<'a, str>>) {
        self.values.insert(value.into());
    }

    /// Returns `container "a"` or `containers "a", "b"`.
    pub(super) fn containers(&self) -> String {
        let names: Vec<&str> = self.containers.iter().map(Container::name).collect();
        named_containers(&names)
    }

    /// Returns the names of the containers, in their order in the pod.
    pub(super) fn container_names(&self) -> impl Iterator<Item = &'a str> {
        self.containers.iter().map(Container::name)
    }

    /// Returns `pod`, `container "a"`, or `pod and containers "a", "b"`.
    pub(super) fn setters(&self) -> String {
        let containers = (!self.containers.is_empty()).then(|| self.containers());
        let pod = self.is_pod.then(|| "pod".to_owned());
        pod.into_iter().chain(containers).collect::<Vec<_>>().join(" and ")
    }

    /// Returns the values, unique and ordered by their bytes.
    pub(super) fn values(&self) -> &BTreeSet<Cow<'a, str>> {
        &self.values
    }

    /// Returns `"a", "b"`.
    pub(super) fn quoted_values(&self) -> String {
        quoted(self.values.iter().map(AsRef::as_ref))
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Returns the findings as a violation, if there are any; it is cured by removing the fields.
    pub(super) fn into_violation(
        self,
        reason: &'static str,
        detail: impl FnOnce(&Self) -> String,
    ) -> Option<Violation> {
        (!self.is_empty()).then(|| Violation {
            reason,
            detail: detail(&self),
            remedies: self.fields.iter().cloned().map(Remedy::removing).collect(),
            fields: self.fields,
        })
    }
}

/// Returns `path` and the named fields below it.
pub(super) fn below(path: Path, fields: &[&'static str]) -> Path {
    fields.iter().fold(path, |path, field| path.child(*field))
}

/// Returns `container "a"` or `containers "a", "b"`.
pub(super) fn named_containers(names: &[&str]) -> String {
    format!("{} {}", plural("container", "containers", names.len()), quoted(names.iter().copied()))
}

/// Returns `"a", "b"`; quotes in the items stay as they are.
pub(super) fn quoted<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| format!("\"{item}\"")).collect();
    items.join(", ")
}

/// Returns the singular or plural word for `count`.
pub(super) fn plural(one: &'static str, many: &'static str, count: usize) -> &'static str {
    if count == 1 { one } else { many }
}
