//! The comparison of one manifest with its object.

use std::sync::Arc;

use crate::drift::DriftOptions;
use crate::drift::blame;
use crate::drift::explain::{Autoscalers, Difference};
use crate::drift::written;
use crate::evaluation::allocated::{self, Allocated};
use crate::evaluation::{AgainstLive, Live, Outcome, Place};
use crate::report::drift::{Cause, DriftedField, DriftedObject, ExplainedField, Identity, Refused, State};
use crate::report::{Because, Origin, Summary, blame_of, last_object, masked, without_secrets};
use gotext::source::{Node, SourceFile};
use gotext::value::json;
use kube_api::field::{Path, Segment};
use kube_api::secret::{self, LAST_APPLIED};
use kube_api::{Object, Value, kinds};
use kube_registry::merge::{FieldChange, last_applied};

/// The text in the place of a secret value.
const MASK: &str = "***";

/// The text in the place of another one.
const CHANGED: &str = "*** (changed)";

/// Returns how the object of a manifest differs from it.
pub(super) fn compare(
    against: &AgainstLive,
    autoscalers: &Autoscalers,
    options: &DriftOptions,
) -> DriftedObject {
    let applied = &against.applied;
    let mut object = DriftedObject::new(identity(against), State::InSync);
    object.place = applied.place.as_ref().map(|place| (place.file().to_owned(), place.line_column().0));
    object.refusal = refused(applied);
    let Some(live) = &against.live else {
        object.state = if object.refusal.is_some() { State::Refused } else { State::Missing };
        return object;
    };
    if live.object.has(["metadata", "deletionTimestamp"]) {
        object.notes.push("it is being deleted".to_owned());
    }
    let written = applied.place.as_ref().and_then(Place::written);
    let nothing = Node::from(json!({}));
    let node = written.as_ref().and_then(|written| written.node()).unwrap_or(&nothing);
    let source = applied.place.as_ref().map(Place::source);
    let manifest = Manifest { node, source };
    let work = Work { live, manifest, autoscalers, expected: last_object(&live.anew) };
    let after = live.forced.as_ref().unwrap_or(applied).object.as_ref();
    let mut changes = work.changed_by_applying(after);
    let mut differing: Vec<Vec<String>> = changes.iter().map(|change| change.names.clone()).collect();
    changes.retain(|change| {
        let cause = work.difference(change).cause_of_next(autoscalers);
        if let Some(cause) = &cause {
            let verb = if change.after.is_some() { "sets" } else { "removes" };
            object.notes.push(format!("applying {verb} {}, and {cause} changes it again", change.path));
            object.explained.push(work.explained(change, cause.clone()));
        }
        cause.is_none()
    });
    object.fields.extend(changes.iter().map(|change| work.field(change, true)));
    work.left(&mut differing, &mut object);
    work.overridden(&mut object, &differing, options.is_brief);
    if let (Some(after), false) = (after, changes.is_empty()) {
        object.change = Some(work.shown_change(after));
    }
    if let Some(conflict) = object.refusal.take_if(|refused| refused.code == 409 && changes.is_empty()) {
        // What the user wants is there: the conflict is about what is explained, or about a version.
        object.notes.push(format!("the server refuses it as it is now: {}", conflict.message));
    }
    object.state = match (&object.refusal, changes.is_empty(), object.fields.is_empty()) {
        (Some(_), ..) => State::Refused,
        (None, false, _) => State::WouldChange,
        (None, true, false) => State::ChangedByOthers,
        (None, true, true) => State::InSync,
    };
    if options.blames {
        object.blame = blame::lines(live, blame_of(&live.anew), applied.place.as_ref(), autoscalers);
    }
    object
}

fn identity(against: &AgainstLive) -> Identity {
    let applied = &against.applied;
    let (namespace, name) = match &against.live {
        Some(live) => (live.object.namespace(), live.object.name()),
        None if applied.kind.is(kinds::NAMESPACE) => ("", &*applied.name),
        None => (&*applied.namespace, &*applied.name),
    };
    let name = if name.is_empty() { written_name(applied).unwrap_or_default() } else { name.to_owned() };
    Identity {
        api_version: applied.kind.api_version().clone(),
        kind: applied.kind.kind.to_string(),
        namespace: namespace.to_owned(),
        name,
    }
}

/// Returns the name in the text of a manifest, which is the only one if it cannot be decoded.
fn written_name(applied: &Outcome) -> Option<String> {
    let written = applied.place.as_ref().and_then(Place::written)?;
    Some(written.node()?.get("metadata")?.get("name")?.as_str()?.to_owned())
}

fn refused(outcome: &Outcome) -> Option<Refused> {
    let status = outcome.status()?;
    let plugin = outcome.denied_by().unwrap_or(Summary::API_SERVER);
    let message = without_secrets(outcome, plugin, &status.message).into_owned();
    Some(Refused { plugin, code: status.code, message })
}

/// Returns `object` without what servers and controllers count, and without the record of `kubectl apply`.
pub(super) fn essence(object: &Object) -> Object {
    let mut essence = object.clone();
    for field in allocated::METADATA {
        essence.remove(["metadata", field]);
    }
    essence.remove(["metadata", "annotations", LAST_APPLIED]);
    essence.remove(["status"]);
    essence
}

/// Whether servers and controllers count the field.
fn is_counted_by_servers(path: &Path) -> bool {
    match path.segments().as_slice() {
        [Segment::Field(root), ..] if root == "status" => true,
        [Segment::Field(root), Segment::Field(field), ..] => {
            root == "metadata" && allocated::METADATA.contains(&&**field)
        }
        _ => false,
    }
}

/// Whether one of the fields contains the other.
fn is_related(left: &[String], right: &[String]) -> bool {
    left.iter().zip(right).all(|(left, right)| left == right)
}

/// A manifest as it was written.
struct Manifest<'a> {
    node: &'a Node,
    source: Option<&'a Arc<SourceFile>>,
}

impl Manifest<'_> {
    fn has(&self, names: &[String]) -> bool {
        let is_there = |names: &[String]| written::find(self.node, names).is_exact;
        // What is written in plain text is stored in another field.
        let [first, rest @ ..] = names else { return false };
        is_there(names) || first == "f:data" && is_there(&[&["f:stringData".to_owned()], rest].concat())
    }

    fn line(&self, names: &[String]) -> Option<usize> {
        let start = written::find(self.node, names).start;
        self.source.map(|source| source.line_column(start).0)
    }
}

/// A manifest, its object as it exists, and the object that it alone leads to.
struct Work<'a> {
    live: &'a Live,
    manifest: Manifest<'a>,
    autoscalers: &'a Autoscalers,
    expected: Option<&'a Arc<Object>>,
}

impl Work<'_> {
    /// Returns the fields that applying the manifest changes, from the live values to those `after` it; if the server
    /// refuses it, those that the manifest has or had.
    fn changed_by_applying(&self, after: Option<&Arc<Object>>) -> Vec<FieldChange> {
        let live = essence(&self.live.object);
        if let Some(after) = after {
            return self.live.changes(&live, &essence(after), &|live, after| live == after);
        }
        let before = last_applied(&self.live.object).map(Node::from);
        let had =
            |names: &[String]| before.as_ref().is_some_and(|before| written::find(before, names).is_exact);
        let mut changes = self.differences();
        changes.retain(|change| self.manifest.has(&change.names) || had(&change.names));
        changes
    }

    /// Returns the fields in which the live object differs from the one that the manifest alone leads to.
    fn differences(&self) -> Vec<FieldChange> {
        let Some(expected) = self.expected else { return Vec::new() };
        let allocated = Allocated::of(expected, &self.live.object);
        let (live, expected) = (essence(&self.live.object), essence(&self.renamed(expected)));
        self.live.changes(&live, &expected, &|live, own| allocated.is_same(own, live))
    }

    /// Returns `expected` with the name of the token volume that the live Pod has.
    fn renamed(&self, expected: &Object) -> Object {
        if !expected.kind.is(kinds::POD) {
            return expected.clone();
        }
        let volume = |pod: &Object| {
            let volumes = pod.list(["spec", "volumes"]).iter();
            let names = volumes.map(|volume| volume.text("name").to_owned());
            names.into_iter().find(|name| name.starts_with(allocated::TOKEN_VOLUME))
        };
        let mut renamed = expected.clone();
        if let (Some(own), Some(theirs)) = (volume(expected), volume(&self.live.object)) {
            replace(&mut renamed.value, &own, &theirs);
        }
        renamed
    }

    fn difference<'c>(&'c self, change: &'c FieldChange) -> Difference<'c> {
        Difference {
            live: &self.live.object,
            names: &change.names,
            exists: change.before.is_some(),
            in_manifest: self.manifest.has(&change.names),
        }
    }

    fn field(&self, change: &FieldChange, is_applied: bool) -> DriftedField {
        let difference = self.difference(change);
        let shown = |value: &Option<Value>| value.as_ref().map(|value| self.shown(&change.names, value));
        let (live, wanted) = (shown(&change.before), shown(&change.after));
        let is_masked = live == wanted && wanted.is_some();
        DriftedField {
            path: change.path.to_string(),
            live,
            wanted: if is_masked { Some(CHANGED.into()) } else { wanted },
            is_applied,
            line: self.manifest.line(&change.names),
            in_manifest: difference.in_manifest,
            writers: difference.writers(),
        }
    }

    /// Returns `value` of a field, unless it is secret.
    fn shown(&self, names: &[String], value: &Value) -> Value {
        let object = &self.live.object;
        let is_secret = if object.kind.is(kinds::SECRET) {
            names.first().is_some_and(|name| secret::FIELDS.contains(&name.trim_start_matches("f:")))
        } else {
            secret::is_kept_in(object)
        };
        if is_secret { MASK.into() } else { value.clone() }
    }

    fn explained(&self, change: &FieldChange, cause: Cause) -> ExplainedField {
        ExplainedField {
            names: change.names.clone(),
            path: change.path.to_string(),
            cause,
            in_manifest: self.manifest.has(&change.names),
        }
    }

    /// Adds the differences that applying the manifest leaves to `object`, explained or not, and their fields to those that
    /// are `differing`, which it has already.
    fn left(&self, differing: &mut Vec<Vec<String>>, object: &mut DriftedObject) {
        let covered = differing.len();
        for change in self.differences() {
            if differing[..covered].iter().any(|names| is_related(names, &change.names)) {
                continue;
            }
            differing.push(change.names.clone());
            match self.difference(&change).cause(self.autoscalers) {
                // Rules of other tools are about what ends up different from the manifest.
                Some(cause) => object.explained.push(self.explained(&change, cause)),
                None => object.fields.push(self.field(&change, false)),
            }
        }
    }

    /// Adds the fields that the server and its plugins write: those that the manifest has with other values, and unless it
    /// `is_brief` those that it does not have. The `differing` fields of the live object are another's.
    fn overridden(&self, object: &mut DriftedObject, differing: &[Vec<String>], is_brief: bool) {
        let (Some(expected), Some(received)) = (self.expected, &self.live.anew.received) else {
            return;
        };
        let is_known = |names: &[String], object: &DriftedObject| {
            object.explained.iter().any(|field| is_related(&field.names, names))
        };
        let mut changes =
            self.live.changes(&essence(received), &essence(expected), &|left, right| left == right);
        changes.retain(|change| self.manifest.has(&change.names) && !is_known(&change.names, object));
        if is_brief && changes.is_empty() {
            return;
        }
        let Some((_, blame)) = blame_of(&self.live.anew) else { return };
        for change in changes {
            if let (false, Some(cause)) = (is_known(&change.names, object), cause_of(blame.at(&change.path)))
            {
                object.explained.push(self.explained(&change, cause));
            }
        }
        if is_brief {
            return;
        }
        blame.for_each_leaf(&mut |path, origin| {
            let (false, Some(cause)) = (is_counted_by_servers(path), cause_of(origin)) else { return };
            let names = self.live.names(expected, path);
            if !differing.iter().any(|differing| is_related(differing, &names)) {
                let path = path.to_string();
                object.explained.push(ExplainedField { names, path, cause, in_manifest: false });
            }
        });
    }

    /// Returns the object as it exists and `after` applying the manifest, without what is secret.
    fn shown_change(&self, after: &Object) -> (Object, Object) {
        let (live, after) = (essence(&self.live.object), essence(after));
        let (live_value, after_value) = masked(&after.kind, &live.value, &after.value);
        (Object::new(live.kind, live_value), Object::new(after.kind, after_value))
    }
}

/// Returns the reason that a value is not the manifest's; nothing if it is.
fn cause_of(origin: Origin<'_>) -> Option<Cause> {
    match origin {
        Origin::Manifest(_) | Origin::Stored | Origin::Others => None,
        Origin::Default => Some(Cause::Default),
        Origin::Server => Some(Cause::Server),
        Origin::Controller(name) => Some(Cause::Controller(name.to_owned())),
        Origin::Plugin(_, Because::Hook(hook)) => Some(Cause::Hook(hook.clone())),
        Origin::Plugin(name, _) => Some(Cause::Plugin(name)),
    }
}

fn replace(value: &mut Value, old: &str, new: &str) {
    match value {
        Value::String(text) if *text == old => *value = new.into(),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, old, new)),
        Value::Object(map) => map.values_mut().for_each(|value| replace(value, old, new)),
        _ => {}
    }
}
