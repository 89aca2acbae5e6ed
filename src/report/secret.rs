//! Masks the values of Secrets: reports show only whether they changed.
//!
//! Outcomes are masked before any format sees them, so that no format can forget it. Two states that are compared are
//! masked together.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
#[cfg(feature = "report")]
use gotext::source::SourceFile;

use crate::admission::{Effect, PolicyRule, PolicyViolation, Refusal, Step};
use crate::evaluation::{Outcome, Place, Written};
#[cfg(feature = "report")]
use kube_api::GroupVersionKind;
use kube_api::{Object, Value, kinds, secret};

/// The text in the place of a value.
const MASK: &str = "***";

/// The fewest characters of a value that is looked for in messages: shorter ones would be found everywhere.
const SHORTEST: usize = 4;

/// The plugins with messages of users and webhooks, which may quote a value.
const QUOTING: [&str; 6] = [
    "AdmissionControllers",
    "ImagePolicyWebhook",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
];

/// Masks the values of Secrets in `outcome` and in the requests that it caused: in every state of their objects, in the
/// messages of policies and webhooks, and in the values that expressions read. Returns whether an object had any.
///
/// Every value becomes the same text, whatever it is and however long; another value in its place says that it changed.
/// The patches between the masked states lead from one to the next.
pub fn mask_secrets(outcome: &mut Outcome) -> bool {
    let mut is_masked = mask(outcome);
    for caused in &mut outcome.caused {
        is_masked |= mask(caused);
    }
    is_masked
}

fn mask(outcome: &mut Outcome) -> bool {
    let quoted = Quoted::about(outcome);
    let is_secret = outcome.kind.is(kinds::SECRET);
    for step in &mut outcome.trace.steps {
        if let Some(refusal) = &mut step.refusal {
            quoted.mask_refusal(step.plugin, refusal, is_secret);
        }
        step.warnings.iter_mut().for_each(|warning| quoted.mask(step.plugin, warning));
    }
    if let (Some(plugin), Some(refusal)) = (outcome.denied_by(), &mut outcome.refusal) {
        quoted.mask_refusal(plugin, refusal, is_secret);
    }
    // The server's own warnings quote nothing, but those that are cut cannot be distinguished.
    let trace = &mut outcome.trace;
    if trace.steps.iter().any(|step| is_quoting(step.plugin) && !step.warnings.is_empty()) {
        trace.warnings.iter_mut().for_each(|warning| quoted.mask_text(warning));
    }
    trace.audit_annotations.values_mut().for_each(|value| quoted.mask_text(value));
    for violation in &mut trace.violations {
        quoted.mask_violation(violation, is_secret);
    }
    trace.notes.iter_mut().for_each(|note| quoted.mask_text(note));
    for applied in &mut trace.applied {
        if let Effect::FailedOpen(error) = &mut applied.effect {
            quoted.mask_text(error);
        }
    }
    trace.secrets.clear();
    let keeps = |object: &Option<Arc<Object>>| object.as_deref().is_some_and(secret::is_kept_in);
    if !is_secret && !keeps(&outcome.received) && !keeps(&outcome.object) {
        return false;
    }
    let mut masks = Masks::default();
    let states = outcome.trace.steps.iter_mut().flat_map(Step::states_mut);
    for object in outcome.received.iter_mut().chain(states).chain(&mut outcome.object) {
        masks.mask_shared(object);
    }
    !masks.seen.is_empty()
}

/// Masks two states of an object of `kind` that are compared.
#[cfg(feature = "report")]
pub(crate) fn masked(kind: &GroupVersionKind, before: &Value, after: &Value) -> (Value, Value) {
    let mut masks = Masks::default();
    let mut masked = |value: &Value| {
        let mut object = Object::new(kind.clone(), value.clone());
        if secret::is_kept_in(&object) {
            masks.mask(&mut object);
        }
        object.value
    };
    (masked(before), masked(after))
}

/// The values at each place of an object, in the order of its states.
#[derive(Default)]
struct Masks {
    seen: BTreeMap<String, Vec<Value>>,
}

impl Masks {
    fn mask_shared(&mut self, object: &mut Arc<Object>) {
        if secret::is_kept_in(object) {
            self.mask(Arc::make_mut(object));
        }
    }

    fn mask(&mut self, object: &mut Object) {
        secret::for_each(object, |pointer, value| {
            let seen = self.seen.entry(pointer.to_owned()).or_default();
            let known = seen.iter().position(|known| known == value);
            let position = known.unwrap_or_else(|| {
                seen.push(value.clone());
                seen.len() - 1
            });
            *value = match position {
                0 => MASK.into(),
                1 => format!("{MASK} (changed)").into(),
                more => format!("{MASK} (changed {more} times)").into(),
            };
        });
    }
}

/// Whether messages about `outcome` may quote values of Secrets.
#[cfg(feature = "report")]
pub(crate) fn quotes(outcome: &Outcome) -> bool {
    let speaks = |step: &Step| step.refusal.is_some() || !step.warnings.is_empty();
    let mut steps = outcome.with_caused().flat_map(|request| &request.trace.steps);
    steps.any(|step| is_quoting(step.plugin) && speaks(step))
}

/// Returns `outcome` with the values of Secrets masked, if messages about it may quote some.
#[cfg(feature = "report")]
pub(crate) fn shown(outcome: &Outcome) -> Cow<'_, Outcome> {
    if !(quotes(outcome) || outcome.kind.is(kinds::SECRET)) {
        return Cow::Borrowed(outcome);
    }
    let mut outcome = outcome.clone();
    mask_secrets(&mut outcome);
    Cow::Owned(outcome)
}

/// Returns the text of `source` with the contents of its Secrets masked: every character keeps its place.
#[cfg(feature = "report")]
pub(crate) fn shown_text(source: &Arc<SourceFile>) -> String {
    let mut text = source.text().to_owned();
    for document in kube_yaml::read(source).flatten() {
        let span = document.span;
        let item = document.unwrap_list().into_iter().next();
        let place = item.map(|item| Place::of(item).0);
        if let Some(written) = place.as_ref().and_then(Place::written) {
            text.replace_range(span.start..span.end, &written.shown(span));
        }
    }
    text
}

/// Returns `text`, which `plugin` says of `request`, without values of Secrets.
#[cfg(feature = "report")]
pub(crate) fn without_secrets<'t>(request: &Outcome, plugin: &str, text: &'t str) -> Cow<'t, str> {
    if !is_quoting(plugin) {
        return Cow::Borrowed(text);
    }
    let masked = Quoted::about(request).masked_text(text).into_owned();
    Cow::Owned(masked)
}

/// The values of Secrets that a text may quote.
#[derive(Default)]
pub(crate) struct Quoted {
    /// The longest first.
    texts: Vec<String>,
}

impl Quoted {
    /// Returns what the object of `outcome` keeps, and what the policies and webhooks could read.
    pub(crate) fn about(outcome: &Outcome) -> Self {
        let mut quoted = Self::default();
        quoted.add_all(outcome.trace.secrets.iter().map(|object| Object::clone(object)));
        let written = || {
            let place: &Place = outcome.place.as_ref().filter(|_| outcome.kind.is(kinds::SECRET))?;
            let node = place.written().as_ref().and_then(Written::node).cloned();
            Some(Object::new(outcome.kind.clone(), node?.into_value()))
        };
        let first = outcome.received.as_deref().filter(|received| secret::is_kept_in(received));
        if first.is_none() && !outcome.kind.is(kinds::SECRET) {
            return quoted.in_order();
        }
        let last = outcome.object.as_deref();
        // A refused object has the states between the plugins alone.
        let of_step = |step: &'_ Step| {
            let edits = step.edits.iter().map(|edit| edit.after.clone());
            edits.chain(step.change.as_ref().map(|(_, after)| after.clone())).collect::<Vec<_>>()
        };
        let states: Vec<Arc<Object>> = outcome.trace.steps.iter().flat_map(of_step).collect();
        quoted.add_all(
            first
                .into_iter()
                .chain(last)
                .chain(states.iter().map(|state| &**state))
                .cloned()
                .chain(written()),
        );
        quoted.in_order()
    }

    fn add_all(&mut self, objects: impl Iterator<Item = Object>) {
        for mut object in objects {
            secret::for_each(&mut object, |_, value| {
                self.texts.extend(value.as_str().into_iter().flat_map(spellings));
            });
        }
    }

    /// Returns the same values without those that are too short, the longest first.
    fn in_order(mut self) -> Self {
        self.texts.retain(|text| text.chars().count() >= SHORTEST);
        self.texts.sort_by(|left, right| (Reverse(left.len()), left).cmp(&(Reverse(right.len()), right)));
        self.texts.dedup();
        self
    }

    fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns `text`, which `plugin` says, without values.
    pub(crate) fn masked<'t>(&self, plugin: &str, text: &'t str) -> Cow<'t, str> {
        if is_quoting(plugin) { self.masked_text(text) } else { Cow::Borrowed(text) }
    }

    /// Returns `text` without values.
    pub(crate) fn masked_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut masked = Cow::Borrowed(text);
        for quoted in &self.texts {
            if masked.contains(quoted.as_str()) {
                masked = Cow::Owned(masked.replace(quoted.as_str(), MASK));
            }
        }
        masked
    }

    fn mask(&self, plugin: &str, text: &mut String) {
        if let Cow::Owned(masked) = self.masked(plugin, text) {
            *text = masked;
        }
    }

    fn mask_text(&self, text: &mut String) {
        if let Cow::Owned(masked) = self.masked_text(text) {
            *text = masked;
        }
    }

    fn mask_refusal(&self, plugin: &str, refusal: &mut Refusal, is_secret: bool) {
        let status = &mut refusal.status;
        self.mask(plugin, &mut status.message);
        let causes = status.details.iter_mut().flat_map(|details| &mut details.causes);
        causes.for_each(|cause| self.mask(plugin, &mut cause.message));
        if let Some(rule) = &mut refusal.rule {
            self.mask_rule(rule, is_secret);
        }
    }

    fn mask_violation(&self, violation: &mut PolicyViolation, is_secret: bool) {
        self.mask_text(&mut violation.message);
        violation.warning.iter_mut().for_each(|warning| self.mask_text(warning));
        self.mask_rule(&mut violation.rule, is_secret);
    }

    fn mask_rule(&self, rule: &mut PolicyRule, is_secret: bool) {
        if is_secret || rule.reads_secret || !self.is_empty() {
            let values = rule.explanation.iter_mut().flat_map(|explanation| &mut explanation.values);
            values.for_each(|(_, says)| "is masked".clone_into(says));
        }
    }
}

fn is_quoting(plugin: &str) -> bool {
    QUOTING.contains(&plugin)
}

/// Returns a value as it is written, encoded in base64, and decoded.
fn spellings(value: &str) -> Vec<String> {
    let decoded = STANDARD.decode(value).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let plain = decoded.iter().map(|text| text.trim_end().to_owned());
    [value.to_owned(), STANDARD.encode(value)].into_iter().chain(decoded.clone()).chain(plain).collect()
}

#[cfg(all(test, feature = "report"))]
mod tests {
    use super::*;
    use gotext::value::json;

    fn secret(password: &str) -> Value {
        json!({
            "metadata": {"annotations": {(secret::LAST_APPLIED): password, "team": "shop"}},
            "data": {"password": STANDARD.encode(password), "user": "aHVudGVy"},
        })
    }

    #[test]
    fn states_say_only_whether_a_value_changed() {
        let kind = GroupVersionKind::new("", "v1", "Secret");
        let (before, after) = masked(&kind, &secret("hunter1"), &secret("hunter2"));
        let shown = |password: &str| {
            json!({
                "metadata": {"annotations": {(secret::LAST_APPLIED): password, "team": "shop"}},
                "data": {"password": password, "user": "***"},
            })
        };
        assert_eq!((before, after), (shown("***"), shown("*** (changed)")));
    }

    #[test]
    fn a_value_that_comes_back_is_the_first_again() {
        let mut masks = Masks::default();
        let kind = GroupVersionKind::new("", "v1", "Secret");
        let shown = ["one", "two", "three", "one"].map(|password| {
            let mut object = Object::new(kind.clone(), json!({"stringData": {"password": password}}));
            masks.mask(&mut object);
            object.value.text(["stringData", "password"]).to_owned()
        });
        assert_eq!(shown, ["***", "*** (changed)", "*** (changed 2 times)", "***"]);
    }

    #[test]
    fn nothing_that_a_policy_says_quotes_a_value() {
        let quoted = Quoted { texts: spellings("aHVudGVyMg==") };
        let said = "the password hunter2 (aHVudGVyMg==) is too short";
        assert_eq!(quoted.masked("ValidatingAdmissionPolicy", said), "the password *** (***) is too short");
        assert_eq!(quoted.masked("ServiceAccount", said), said);
    }
}
