//! Records what a plugin reports besides its verdict.

use std::mem;
use std::sync::Arc;

use crate::admission::{Applied, Asked, Edit, Effect, Evidence, Hook, PolicyViolation, Refusal};
use gotext::names;
use kube_api::field::Path;
use kube_api::{GroupResource, Object, Value};

/// Creates an object as a client of the API server does: it passes the whole chain.
pub type Create<'a> = dyn Fn(Object) -> Result<(), Refusal> + 'a;

/// Records what one call of a plugin reports, and sends its requests to the API server.
pub struct Recorder<'a> {
    create: &'a Create<'a>,
    pub(super) warnings: Vec<String>,
    pub(super) audit_annotations: Vec<(String, String)>,
    pub(super) notes: Vec<String>,
    pub(super) fields: Vec<Path>,
    pub(super) evidence: Vec<Evidence>,
    pub(super) sources: Vec<Evidence>,
    pub(super) violations: Vec<PolicyViolation>,
    pub(super) replaced: Option<Arc<Object>>,
    pub(super) writes: Vec<Value>,
    pub(super) access_reviews: Vec<Value>,
    pub(super) secrets: Vec<Arc<Object>>,
    pub(super) applied: Vec<Applied>,
    pub(super) edits: Vec<Edit>,
    pub(super) asked: Vec<Asked>,
}

impl<'a> Recorder<'a> {
    /// Returns a fresh record; `create` answers the plugin's requests to the API server.
    pub(super) fn new(create: &'a Create<'a>) -> Self {
        Self {
            create,
            warnings: Vec::new(),
            audit_annotations: Vec::new(),
            notes: Vec::new(),
            fields: Vec::new(),
            evidence: Vec::new(),
            sources: Vec::new(),
            violations: Vec::new(),
            replaced: None,
            writes: Vec::new(),
            access_reviews: Vec::new(),
            secrets: Vec::new(),
            applied: Vec::new(),
            edits: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// Returns a record that is discarded.
    pub(crate) fn silent() -> Recorder<'static> {
        Recorder::new(&|_| Ok(()))
    }

    /// Returns what was recorded, and begins anew.
    pub(super) fn take(&mut self) -> Self {
        mem::replace(self, Self::new(self.create))
    }

    /// Whether nothing was recorded.
    pub(super) fn is_empty(&self) -> bool {
        let Self {
            create: _,
            warnings,
            audit_annotations,
            notes,
            fields,
            evidence,
            sources,
            violations,
            replaced,
            writes,
            access_reviews,
            secrets,
            applied,
            edits,
            asked,
        } = self;
        warnings.is_empty()
            && audit_annotations.is_empty()
            && notes.is_empty()
            && fields.is_empty()
            && evidence.is_empty()
            && sources.is_empty()
            && violations.is_empty()
            && replaced.is_none()
            && writes.is_empty()
            && access_reviews.is_empty()
            && secrets.is_empty()
            && applied.is_empty()
            && edits.is_empty()
            && asked.is_empty()
    }

    /// Creates an object by a separate request.
    pub fn create(&self, object: Object) -> Result<(), Refusal> {
        (self.create)(object)
    }

    /// Records what became of the request at a policy or webhook.
    pub fn add_applied(&mut self, hook: &Arc<Hook>, effect: Effect) {
        self.applied.push(Applied { hook: hook.clone(), effect });
    }

    /// Records what a webhook is sent, or would be.
    pub fn add_asked(&mut self, hook: &Arc<Hook>, body: &Value) {
        self.asked.push(Asked { hook: hook.clone(), body: body.clone() });
    }

    /// Records a change of the object by one mutation of a policy, or by one webhook.
    pub fn add_edit(&mut self, edit: Edit) {
        self.edits.push(edit);
    }

    /// Adds a `Warning` header to the answer.
    pub fn add_warning(&mut self, text: impl Into<String>) {
        self.warnings.push(text.into());
    }

    /// Adds an annotation to the audit event. The first value of a key stays, and a key that is not a qualified name
    /// with a prefix is dropped, as in kube-apiserver.
    pub fn add_audit_annotation(&mut self, key: impl Into<String>, value: impl Into<String>) {
        let key = key.into();
        if key.contains('/') && names::is_qualified_name(&key).is_empty() {
            self.audit_annotations.push((key, value.into()));
        }
    }

    /// Adds a rule that the request breaks, and that does not refuse it.
    pub fn add_violation(&mut self, violation: PolicyViolation) {
        self.violations.push(violation);
    }

    /// Adds a note about what offline evaluation assumes or cannot know.
    pub fn add_note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Adds a write request of the plugin to the API: method, path and body.
    pub fn add_write(&mut self, write: Value) {
        self.writes.push(write);
    }

    /// Adds a question to the authorizer, and its answer.
    pub fn add_access_review(&mut self, review: Value) {
        self.access_reviews.push(review);
    }

    /// Adds objects with secret values that a policy or webhook could read, so that its messages may quote them.
    pub fn add_secrets(&mut self, objects: impl IntoIterator<Item = Arc<Object>>) {
        self.secrets.extend(objects);
    }

    /// Whether the plugin reports something in words of its own.
    pub(crate) fn has_messages(&self) -> bool {
        // The server itself annotates every call of a webhook.
        let is_own = |key: &str| key.contains(".webhook.admission.k8s.io/");
        let has_failed = |applied: &Applied| matches!(applied.effect, Effect::FailedOpen(_));
        !self.warnings.is_empty()
            || self.applied.iter().any(has_failed)
            || self.audit_annotations.iter().any(|(key, _)| !is_own(key))
    }

    /// Adds fields of the object that a warning is about.
    pub fn add_fields(&mut self, paths: impl IntoIterator<Item = Path>) {
        self.fields.extend(paths);
    }

    /// Replaces the object in the validating phase, which is too late to be stored. Upstream forbids that, and one
    /// plugin does it nevertheless.
    pub fn replace_object(&mut self, object: Object) {
        self.replaced = Some(Arc::new(object));
    }

    /// Adds an object in the cluster whose values the plugin writes into the object of the request.
    pub fn add_source(&mut self, resource: &GroupResource, namespace: &str, name: &str) {
        self.sources.push(Evidence::named(resource.clone(), namespace, name, "has its values"));
    }

    /// Adds an object in the cluster that causes a warning.
    pub fn add_evidence(&mut self, evidence: Evidence) {
        self.evidence.push(evidence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_annotations_whose_key_is_no_qualified_name_with_a_prefix() {
        let mut recorder = Recorder::silent();
        for key in ["a.example/ok", "bare", "a.example/b/c", "a.example/", "a.example/not so"] {
            recorder.add_audit_annotation(key, "x");
        }
        assert_eq!(recorder.audit_annotations, [("a.example/ok".to_owned(), "x".to_owned())]);
    }
}
