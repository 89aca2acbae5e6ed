//! The owner of manifests: by what marks of it live objects belong to the same ones, and which of them no manifest has.

use std::collections::BTreeSet;

use crate::cluster::Cluster;
use crate::evaluation::{Live, Outcome};
use crate::report::Fixtures;
use crate::report::drift::{DriftedObject, Identity, State};
use kube_api::labels::Selector;
use kube_api::secret::LAST_APPLIED;
use kube_api::{GroupVersionKind, Object, Value};

/// A mark of the owner of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    /// `kubectl apply` recorded its manifest, in this namespace.
    Applied(String),
    /// The application of Argo CD.
    ArgoCd(String),
    /// The release of Helm.
    Helm(String),
    /// The resource of Flux.
    Flux(String),
    /// The user's selector selects it.
    Selected,
}

/// Group, kind, namespace and name.
type Key = (String, String, String, String);

/// The objects with marks of owners.
pub(super) struct Owners {
    marked: Vec<(Key, Identity, Vec<Mark>)>,
    known: BTreeSet<Key>,
    own: BTreeSet<Mark>,
}

impl Owners {
    /// Returns the objects of `cluster` with marks, of those with a place in `fixtures`: the others are what every server
    /// has. `selector` selects some that have no marks.
    pub(super) fn of(cluster: &Cluster, fixtures: &Fixtures, selector: Option<&Selector>) -> Self {
        let mut marked = Vec::new();
        cluster.for_each(|resource, object| {
            let marks = marks(object, selector);
            if !marks.is_empty() && fixtures.place(resource, object).is_some() {
                marked.push((key(&object.kind, object.namespace(), object.name()), identity(object), marks));
            }
        });
        marked.sort_by(|(left, ..), (right, ..)| left.cmp(right));
        Self { marked, known: BTreeSet::new(), own: BTreeSet::from([Mark::Selected]) }
    }

    /// Records that a manifest has the object of `applied`, and the marks of the object as it exists.
    pub(super) fn find(&mut self, applied: &Outcome, live: Option<&Live>) {
        match live {
            Some(Live { object, .. }) => {
                self.known.insert(key(&object.kind, object.namespace(), object.name()));
                self.own.extend(marks(object, None));
            }
            None => drop(self.known.insert(key(&applied.kind, &applied.namespace, &applied.name))),
        }
    }

    /// Returns the objects of the same owners that no manifest has.
    pub(super) fn extra(&self) -> Vec<DriftedObject> {
        let left = self.marked.iter().filter(|(key, ..)| !self.known.contains(key));
        let extra = left.filter_map(|(_, identity, marks)| {
            let mut own = marks.iter().filter(|mark| self.own.contains(mark)).peekable();
            own.peek()?;
            let is_certain = own.any(|mark| !matches!(mark, Mark::Applied(_)));
            let state = if is_certain { State::Extra } else { State::PerhapsExtra };
            Some(DriftedObject::new(identity.clone(), state))
        });
        extra.collect()
    }
}

/// Returns the identity of a live object.
fn identity(object: &Object) -> Identity {
    Identity {
        api_version: object.kind.api_version().clone(),
        kind: object.kind.kind.to_string(),
        namespace: object.namespace().to_owned(),
        name: object.name().to_owned(),
    }
}

/// Returns what identifies an object in all versions of its kind.
fn key(kind: &GroupVersionKind, namespace: &str, name: &str) -> Key {
    let stored = kube_registry::stored::stored_as(kind).map(|(stored, _)| stored);
    let kind = stored.as_ref().unwrap_or(kind);
    (kind.group.to_string(), kind.kind.to_string(), namespace.to_owned(), name.to_owned())
}

fn marks(object: &Object, selector: Option<&Selector>) -> Vec<Mark> {
    let owners = object.list(["metadata", "ownerReferences"]);
    if owners.iter().any(|owner| owner.flag("controller")) {
        return Vec::new();
    }
    let label = |name: &str| object.text(["metadata", "labels", name]);
    let annotation = |name: &str| object.annotation(name).unwrap_or_default();
    let mut marks = Vec::new();
    let is_selected = selector.is_some_and(|selector| {
        !selector.is_everything() && selector.matches_labels(object.at(["metadata", "labels"]))
    });
    if is_selected {
        marks.push(Mark::Selected);
    }
    // The identifier names the object, as others copy annotations.
    if let Some((application, rest)) = annotation("argocd.argoproj.io/tracking-id").split_once(':')
        && rest.ends_with(&format!("/{}", object.name()))
    {
        marks.push(Mark::ArgoCd(application.to_owned()));
    }
    if !label("argocd.argoproj.io/instance").is_empty() {
        marks.push(Mark::ArgoCd(label("argocd.argoproj.io/instance").to_owned()));
    }
    let release = annotation("meta.helm.sh/release-name");
    if label("app.kubernetes.io/managed-by") == "Helm" && !release.is_empty() {
        marks.push(Mark::Helm(format!("{}/{release}", annotation("meta.helm.sh/release-namespace"))));
    }
    for tool in ["kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"] {
        let [name, namespace] = ["name", "namespace"].map(|part| label(&format!("{tool}/{part}")).to_owned());
        if !name.is_empty() {
            marks.push(Mark::Flux(format!("{tool} {namespace}/{name}")));
        }
    }
    let has_record = object.at(["metadata", "annotations", LAST_APPLIED]).and_then(Value::as_str).is_some();
    if has_record && !object.namespace().is_empty() {
        marks.push(Mark::Applied(object.namespace().to_owned()));
    }
    marks
}
