//! The policy of a Namespace.

use super::checks::Violations;
use super::{annotate, would_violate};
use crate::admission::{Evidence, Recorder};
use kube_api::Object;
use kube_api::field::aggregate;
use kube_api::pod_security::{Level, Mode, Policy, deciding_label, label_path};
use kube_api::resources::NAMESPACES;

/// The policy that a pod must meet, and the Namespace whose labels require it.
pub(super) struct PolicyInForce<'a> {
    pub(super) namespace: &'a Object,
    defaults: &'a Policy,
    pub(super) policy: Policy,
    /// Whether `--enforce` sets the enforced level, and no label.
    pub(super) is_imposed: bool,
    /// The errors in the labels, as one text.
    pub(super) label_errors: Option<String>,
}

impl<'a> PolicyInForce<'a> {
    pub(super) fn of(namespace: &'a Object, defaults: &'a Policy, imposed: Option<Level>) -> Self {
        let (policy, errors) = match imposed {
            Some(level) => Policy::of(&labelled(namespace, level), defaults),
            None => Policy::of(namespace, defaults),
        };
        let is_imposed = imposed.is_some();
        let label_errors = (!errors.is_empty()).then(|| aggregate(&errors));
        Self { namespace, defaults, policy, is_imposed, label_errors }
    }

    pub(super) fn annotate_label_errors(&self, recorder: &mut Recorder) {
        if let Some(errors) = &self.label_errors {
            annotate(recorder, "error", format!("Failed to parse policy: {errors}"));
        }
    }

    pub(super) fn warn(&self, violations: &Violations, recorder: &mut Recorder) {
        if !violations.is_empty() {
            recorder.add_warning(would_violate(self.policy.warn, violations));
            recorder.add_fields(violations.fields());
            if let Some(evidence) = self.evidence(Mode::Warn) {
                recorder.add_evidence(evidence);
            }
        }
    }

    /// Returns the label that sets the level of `mode`; nothing if the configured default does.
    pub(super) fn evidence(&self, mode: Mode) -> Option<Evidence> {
        let label = deciding_label(self.namespace, mode, self.defaults)?;
        if self.is_imposed && label == Mode::Enforce.level_label() {
            return None;
        }
        let verb = if label == Mode::Warn.level_label() { "warns about" } else { "enforces" };
        Some(
            Evidence::of(NAMESPACES, self.namespace, format!("{verb} {}", self.policy.mode(mode).level))
                .at(label_path(label)),
        )
    }
}

/// Returns `namespace` as if its label required `level`.
fn labelled(namespace: &Object, level: Level) -> Object {
    let mut labelled = namespace.clone();
    labelled.set(["metadata", "labels", Mode::Enforce.level_label()], level.to_string());
    labelled.remove(["metadata", "labels", Mode::Enforce.version_label()]);
    labelled
}
