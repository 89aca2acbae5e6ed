//! Turns stored results into the outcomes that they were.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::admission::{
    Edit, Evidence, Explanation, Hook, Phase, PolicyRule, PolicyViolation, Refusal, Step,
};
use crate::evaluation::{Acceptance, Accepted, Cause, Outcome, Place, Skipped};
use crate::report::Fixtures;
use crate::report::stored::entry::{
    CauseEntry, EditEntry, LineEntry, ManifestEntry, PhaseEntry, ReasonEntry, RequestEntry, RuleEntry,
    SkippedEntry, Source, StepEntry, StoredResult, ViolationEntry,
};
use crate::report::stored::{interned, rule_of};
use gotext::pointer::unescape;
use kube_api::field::Path;
use kube_api::resources::{MUTATING_ADMISSION_POLICIES, MUTATING_WEBHOOK_CONFIGURATIONS};
use kube_api::{GroupResource, GroupVersionKind, GroupVersionResource, Object, Status, Value, json_patch};

/// Returns the outcome for the results of a request and of those that it caused; the first result is its own. The
/// places of the objects of the cluster are added to `fixtures`.
pub fn stored_outcome(results: Vec<StoredResult>, fixtures: &Fixtures) -> Option<Outcome> {
    let mut results = results.into_iter();
    let mut outcome = results.next()?.into_outcome(None, fixtures);
    let place = outcome.place.clone();
    outcome.caused = results.map(|caused| caused.into_outcome(place.as_ref(), fixtures)).collect();
    Some(outcome)
}

impl StoredResult {
    /// Converts it to an outcome. `root` is the place of the object for which the request is sent, if the place is the
    /// same.
    fn into_outcome(self, root: Option<&Place>, fixtures: &Fixtures) -> Outcome {
        let RequestEntry { operation, kind, resource, sub_resource, namespace, name, dry_run, user_info } =
            self.request;
        let kind = GroupVersionKind::new(kind.group, kind.version, kind.kind);
        let resource = GroupVersionResource {
            group: Cow::Owned(resource.group),
            version: Cow::Owned(resource.version),
            resource: Cow::Owned(resource.resource),
        };
        let mut outcome = Outcome::about(operation, kind, resource, Arc::new(user_info));
        outcome.sub_resource = Cow::Owned(sub_resource);
        outcome.is_pending = self.pending;
        (outcome.namespace, outcome.name, outcome.dry_run) = (namespace, name, dry_run);
        outcome.release = self.kubernetes_version.and_then(|release| release.parse().ok());
        let mark = self.manifest.as_ref().and_then(|manifest| Some((manifest.mark?, manifest.text.offset)));
        let file = self.source.as_ref().map(|source| source.file.clone()).unwrap_or_default();
        outcome.place = self.source.map(|source| source.into_place(self.manifest, root));
        if let (Some(((start, end), offset)), Some(place)) = (mark, &outcome.place) {
            outcome.decode_span = place.span_in_text(offset + start, offset + end);
        }
        let object = |value: Value| Arc::new(Object::new(kind_of(&value, &outcome.kind), value));
        outcome.received = self.received.map(object);
        outcome.object = self.object.map(object);
        outcome.cause = self.cause.map(CauseEntry::into_cause);
        let trace = &mut outcome.trace;
        trace.ran = self.ran.iter().map(|ran| ran_of(ran)).collect();
        trace.warnings = self.warnings;
        trace.audit_annotations = self.audit_annotations;
        trace.notes = self.notes;
        let mut last = outcome.received.clone();
        for step in self.steps {
            trace.steps.push(step.into_step(&mut last, self.status.as_ref(), fixtures));
        }
        let violations = self.violations.into_iter();
        trace.violations =
            violations.map(|violation| violation.into_violation(last.as_deref(), fixtures)).collect();
        let by_plugin = trace.steps.iter().rev().find_map(|step| step.refusal.clone());
        if !self.allowed {
            let own = || {
                let status = self.status.clone().unwrap_or_default();
                let received = outcome.received.as_deref();
                let fields = fields_of(&self.fields, received);
                let evidence = evidence_of(&self.reasons, fixtures);
                Refusal { fields, evidence, ..Refusal::from(status) }
            };
            outcome.refusal = Some(by_plugin.unwrap_or_else(own));
        }
        outcome.accepted = Accepted {
            refusal: acceptance(self.skipped.as_ref(), self.known, &file),
            warnings: accepted_warnings(&self.skipped_warnings, self.known_warnings, &file),
        };
        outcome
    }
}

impl Source {
    fn into_place(self, manifest: Option<ManifestEntry>, root: Option<&Place>) -> Place {
        let Self { file, document, line, column, field } = self;
        let own = manifest.and_then(|manifest| Place::stored(&file, manifest.text, document));
        let place = match (own, root) {
            (Some(place), _) => place,
            (None, Some(root)) if root.written().is_some() => root.clone(),
            _ => return Place::unread(&file, line, column, document),
        };
        let path = field.and_then(|field| path_of(&field, None));
        path.map_or(place.clone(), |path| place.within(&path))
    }
}

impl CauseEntry {
    fn into_cause(self) -> Cause {
        Cause {
            controller: interned(&self.controller),
            owner_kind: GroupVersionKind::from_api_version(&self.owner.api_version, &self.owner.kind),
            owner_namespace: self.owner.namespace,
            owner_name: self.owner.name,
            replicas: self.replicas,
            admitted: self.admitted,
        }
    }
}

impl ViolationEntry {
    fn into_violation(self, object: Option<&Object>, fixtures: &Fixtures) -> PolicyViolation {
        PolicyViolation {
            plugin: rule_of(&self.plugin),
            fields: fields_of(&self.fields, object),
            evidence: evidence_of(&self.reasons, fixtures),
            rule: self.rule.read().unwrap_or_default(),
            actions: self.actions,
            message: self.message,
            warning: self.warning,
        }
    }
}

impl StepEntry {
    /// Converts it to a step. `last` is the object before the step, and then the one after it.
    fn into_step(self, last: &mut Option<Arc<Object>>, status: Option<&Status>, fixtures: &Fixtures) -> Step {
        let fields = fields_of(&self.fields, last.as_deref());
        let evidence = evidence_of(&self.reasons, fixtures);
        let rule = self.rule.read().map(Box::new);
        let refusal = self.error.map(|message| {
            let own = Status {
                code: self.code.unwrap_or_default(),
                reason: self.reason.unwrap_or_default(),
                message,
                ..Status::default()
            };
            // The status that was sent has more details, if it is the same.
            let status = status.filter(|status| status.message == own.message).cloned().unwrap_or(own);
            let (fields, evidence) = (fields.clone(), evidence.clone());
            let reasons = fields.iter().cloned().zip(self.field_reasons).collect();
            Refusal { fields, reasons, evidence, rule, ..Refusal::from(status) }
        });
        let is_of_refusal = refusal.is_some();
        Step {
            plugin: rule_of(&self.plugin),
            phase: match self.phase {
                PhaseEntry::Mutating => Phase::Mutating,
                PhaseEntry::Validating => Phase::Validating,
            },
            reinvocation: self.reinvocation,
            edits: edits_of(self.edits, last.as_ref(), fixtures),
            change: changed(last, &self.patch),
            sources: evidence_of(&self.sources, fixtures),
            warnings: self.warnings,
            fields: if is_of_refusal { Vec::new() } else { fields },
            evidence: if is_of_refusal { Vec::new() } else { evidence },
            refusal,
        }
    }
}

impl RuleEntry {
    fn read(&self) -> Option<PolicyRule> {
        let policy = self.policy.as_ref()?;
        let explanation = self.expression.as_ref().map(|expression| {
            let start = expression.text.find(&expression.part).unwrap_or_default();
            let values = expression.values.iter();
            Explanation {
                expression: expression.text.clone(),
                part: start..start + expression.part.len(),
                values: values.map(|value| (value.name.clone(), value.says.clone())).collect(),
            }
        });
        Some(PolicyRule {
            policy: policy.name.clone(),
            binding: self.binding.as_ref().map(|binding| binding.name.clone()).unwrap_or_default(),
            params: self.params.as_ref().map(|params| (params.namespace.clone(), params.name.clone())),
            explanation,
            reads_secret: false,
        })
    }
}

/// Returns the object before and after `patch`, which is assigned to `last`; nothing if the patch changes nothing or
/// does not fit.
fn changed(last: &mut Option<Arc<Object>>, patch: &Value) -> Option<(Arc<Object>, Arc<Object>)> {
    let patch = json_patch::decode(patch).ok().filter(|patch| !patch.operations().is_empty())?;
    let before = last.clone()?;
    let value = patch.apply(before.value.clone()).ok()?;
    let after = Arc::new(Object::new(before.kind.clone(), value));
    *last = Some(Arc::clone(&after));
    Some((before, after))
}

/// Returns the parts of the change of the object `before`, unless one does not fit.
fn edits_of(entries: Vec<EditEntry>, before: Option<&Arc<Object>>, fixtures: &Fixtures) -> Vec<Edit> {
    let mut last = before.cloned();
    let edits = entries.into_iter().map(|EditEntry { kind, name, webhook, field, source, patch }| {
        let resource =
            if webhook.is_empty() { MUTATING_ADMISSION_POLICIES } else { MUTATING_WEBHOOK_CONFIGURATIONS };
        let field = field.and_then(|field| path_of(&field, None));
        let by = Evidence::named(resource, "", name.as_str(), "").at(field);
        if let Some(LineEntry { file, line }) = &source {
            fixtures.learn(&by, file, *line);
        }
        let (before, after) = changed(&mut last, &patch)?;
        Some(Edit { hook: Arc::new(Hook { kind: kind.into(), name, webhook }), by, before, after })
    });
    edits.collect::<Option<_>>().unwrap_or_default()
}

fn fields_of(pointers: &[String], object: Option<&Object>) -> Vec<Path> {
    let root = object.map(|object| &object.value);
    pointers.iter().filter_map(|pointer| path_of(pointer, root)).collect()
}

fn evidence_of(reasons: &[ReasonEntry], fixtures: &Fixtures) -> Vec<Evidence> {
    let evidence = reasons.iter().map(|reason| {
        let evidence = Evidence {
            resource: GroupResource {
                group: Cow::Owned(reason.group.clone()),
                resource: Cow::Owned(reason.resource.clone()),
            },
            namespace: reason.namespace.clone(),
            name: reason.name.clone(),
            path: reason.field.as_deref().and_then(|field| path_of(field, None)),
            says: reason.says.clone(),
        };
        if let Some(LineEntry { file, line }) = &reason.source {
            fixtures.learn(&evidence, file, *line);
        }
        evidence
    });
    evidence.collect()
}

fn accepted_warnings(
    skipped: &[SkippedEntry],
    known: Vec<String>,
    file: &str,
) -> BTreeMap<String, Acceptance> {
    let known = known.into_iter().map(|warning| (warning, Acceptance::Known));
    let skipped =
        skipped.iter().filter_map(|skip| Some((skip.message.clone()?, acceptance(Some(skip), false, file)?)));
    known.chain(skipped).collect()
}

/// Returns the reason for an acceptance of an object in `file`.
fn acceptance(skipped: Option<&SkippedEntry>, is_known: bool, file: &str) -> Option<Acceptance> {
    match skipped {
        Some(SkippedEntry { reason, source, .. }) => Some(Acceptance::Skipped(Skipped {
            reason: reason.clone(),
            file: source.file.clone(),
            line: source.line,
            in_manifest: source.file == file,
        })),
        None => is_known.then_some(Acceptance::Known),
    }
}

/// Returns the kind in `value`; a request for a subresource has another kind.
fn kind_of(value: &Value, otherwise: &GroupVersionKind) -> GroupVersionKind {
    let text = |field| value.get(field).and_then(Value::as_str);
    match (text("apiVersion"), text("kind")) {
        (Some(api_version), Some(kind)) => GroupVersionKind::from_api_version(api_version, kind),
        _ => otherwise.clone(),
    }
}

/// Returns the plugin and phase of `PodSecurity/validating`.
fn ran_of(text: &str) -> (&'static str, Phase) {
    let (plugin, phase) = text.split_once('/').unwrap_or((text, ""));
    (rule_of(plugin), if phase == "mutating" { Phase::Mutating } else { Phase::Validating })
}

/// Returns the path of a JSON pointer. `root`, the object, determines which steps are indices.
fn path_of(pointer: &str, root: Option<&Value>) -> Option<Path> {
    let mut value = root;
    let mut path: Option<Path> = None;
    for step in pointer.strip_prefix('/')?.split('/') {
        let name = unescape(step).into_owned();
        let index: Option<usize> = name.parse().ok();
        let is_index = match value {
            Some(Value::Array(_)) => true,
            Some(Value::Object(_)) => false,
            _ => index.is_some() && path.is_some(),
        };
        value = value.and_then(|value| match (value, index) {
            (Value::Array(items), Some(index)) => items.get(index),
            _ => value.get(name.as_str()),
        });
        path = Some(match (path, index) {
            (None, _) => Path::named(name),
            (Some(path), Some(index)) if is_index => path.index(index),
            (Some(path), _) if name.contains(['.', '/']) => path.key(name),
            (Some(path), _) => path.child(name),
        });
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn pointers_are_fields_of_the_object() {
        let object = json!({"data": {"80": "x"}, "spec": {"containers": [{"name": "a"}]}});
        let shown = |pointer: &str| path_of(pointer, Some(&object)).map(|path| path.to_string());
        assert_eq!(shown("/data/80").as_deref(), Some("data.80"));
        assert_eq!(shown("/spec/containers/0/image").as_deref(), Some("spec.containers[0].image"));
        assert_eq!(shown("/metadata/labels/a~1b").as_deref(), Some("metadata.labels[a/b]"));
        assert_eq!(shown(""), None);
    }
}
