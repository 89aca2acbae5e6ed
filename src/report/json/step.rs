//! The JSON of what a plugin or the server did: changes, refusals, violations, and the objects that they are about.

use serde::Serialize;

use crate::admission::{Edit, Evidence, Phase, PolicyRule, PolicyViolation, Step};
use crate::evaluation::{Outcome, Written};
use crate::report::Fixtures;
use kube_api::diff;
use kube_api::field::Path;

/// The object of a refusal or of warnings.
#[derive(Default, Serialize)]
pub(super) struct About<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location<'a>>,
    /// The objects in the cluster that cause it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<ReasonEntry<'a>>,
}

/// An object in the cluster that causes a refusal, or whose values were written.
#[derive(Serialize)]
struct ReasonEntry<'a> {
    group: &'a str,
    resource: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The text that follows the kind and the name of the object.
    says: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<ReasonSource>,
}

#[derive(Serialize)]
struct ReasonSource {
    file: String,
    line: usize,
}

impl<'a> About<'a> {
    pub(super) fn of(
        paths: impl Iterator<Item = &'a Path> + Clone,
        evidence: impl Iterator<Item = &'a Evidence>,
        outcome: &'a Outcome,
        written: Option<&Written<'_>>,
        fixtures: &Fixtures,
    ) -> Self {
        let location = |path| {
            let (line, column) = written?.line_column(path)?;
            Some(Location { file: outcome.place.as_ref()?.file(), line, column })
        };
        Self {
            fields: paths.clone().map(Path::json_pointer).collect(),
            locations: paths.filter_map(location).collect(),
            reasons: evidence.map(|evidence| ReasonEntry::of(evidence, fixtures)).collect(),
        }
    }
}

impl<'a> ReasonEntry<'a> {
    fn of(evidence: &'a Evidence, fixtures: &Fixtures) -> Self {
        Self {
            group: &evidence.resource.group,
            resource: &evidence.resource.resource,
            namespace: &evidence.namespace,
            name: &evidence.name,
            field: evidence.path.as_ref().map(Path::json_pointer),
            says: &evidence.says,
            source: fixtures.locate(evidence).map(|(file, line)| ReasonSource { file, line }),
        }
    }
}

#[derive(Serialize)]
pub(super) struct StepEntry<'a> {
    plugin: &'static str,
    phase: Phase,
    reinvocation: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    patch: Vec<diff::PatchOperation>,
    /// The parts of the patch by the mutations of policies, or by webhooks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edits: Vec<EditEntry<'a>>,
    /// The objects in the cluster whose values the patch has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<ReasonEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// The warnings.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
    #[serde(flatten)]
    about: About<'a>,
    /// The reason of a refusal at each of `fields`, where it differs between them.
    #[serde(rename = "fieldReasons", skip_serializing_if = "Vec::is_empty")]
    field_reasons: Vec<&'a str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    rule: Option<RuleEntry<'a>>,
}

/// A change by one mutation of a policy, or by one webhook.
#[derive(Serialize)]
struct EditEntry<'a> {
    kind: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    webhook: &'a str,
    /// The mutation or webhook in the object `name`.
    field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<ReasonSource>,
    patch: Vec<diff::PatchOperation>,
}

impl<'a> EditEntry<'a> {
    fn of(edit: &'a Edit, fixtures: &Fixtures) -> Self {
        let Edit { hook, by, before, after } = edit;
        Self {
            kind: &hook.kind,
            name: &hook.name,
            webhook: &hook.webhook,
            field: by.path.as_ref().map(Path::json_pointer),
            source: fixtures.locate(by).map(|(file, line)| ReasonSource { file, line }),
            patch: diff::json_patch(&before.value, &after.value),
        }
    }
}

/// A rule of a policy that is broken and does not deny.
#[derive(Serialize)]
pub(super) struct ViolationEntry<'a> {
    plugin: &'static str,
    actions: &'a [String],
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'a str>,
    #[serde(flatten)]
    about: About<'a>,
    #[serde(flatten)]
    rule: RuleEntry<'a>,
}

impl<'a> ViolationEntry<'a> {
    pub(super) fn of(
        violation: &'a PolicyViolation,
        written: Option<&Written<'_>>,
        outcome: &'a Outcome,
        fixtures: &Fixtures,
    ) -> Self {
        Self {
            plugin: violation.plugin,
            actions: &violation.actions,
            message: &violation.message,
            warning: violation.warning.as_deref(),
            about: About::of(violation.fields.iter(), violation.evidence.iter(), outcome, written, fixtures),
            rule: RuleEntry::of(&violation.rule),
        }
    }
}

/// The rule of a policy that denied.
#[derive(Serialize)]
struct RuleEntry<'a> {
    policy: Named<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    binding: Option<Named<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Named<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expression: Option<ExpressionEntry<'a>>,
}

#[derive(Serialize)]
struct Named<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'a str,
    name: &'a str,
}

/// An expression and the values in it.
#[derive(Serialize)]
struct ExpressionEntry<'a> {
    text: &'a str,
    /// The decisive part.
    part: &'a str,
    values: Vec<ValueEntry<'a>>,
}

/// A name in an expression, and its value as text: `is 5`, `is not set`.
#[derive(Serialize)]
struct ValueEntry<'a> {
    name: &'a str,
    says: &'a str,
}

impl<'a> RuleEntry<'a> {
    fn of(rule: &'a PolicyRule) -> Self {
        let named = |name: &'a String| Named { namespace: "", name };
        Self {
            policy: named(&rule.policy),
            binding: Some(&rule.binding).filter(|name| !name.is_empty()).map(named),
            params: rule.params.as_ref().map(|(namespace, name)| Named { namespace, name }),
            expression: rule.explanation.as_ref().map(|explanation| ExpressionEntry {
                text: &explanation.expression,
                part: &explanation.expression[explanation.part.clone()],
                values: explanation.values.iter().map(|(name, says)| ValueEntry { name, says }).collect(),
            }),
        }
    }
}

#[derive(Serialize)]
struct Location<'a> {
    file: &'a str,
    line: usize,
    column: usize,
}

impl<'a> StepEntry<'a> {
    pub(super) fn of(
        step: &'a Step,
        written: Option<&Written<'_>>,
        outcome: &'a Outcome,
        fixtures: &Fixtures,
    ) -> Self {
        let status = step.refusal.as_ref().map(|refusal| &refusal.status);
        let refusal = step.refusal.as_ref();
        let refused: &[Path] = refusal.map_or(&[], |refusal| &refusal.fields);
        let evidence: &[Evidence] = refusal.map_or(&[], |refusal| &refusal.evidence);
        let about = About::of(
            refused.iter().chain(&step.fields),
            evidence.iter().chain(&step.evidence),
            outcome,
            written,
            fixtures,
        );
        Self {
            plugin: step.plugin,
            phase: step.phase,
            reinvocation: step.reinvocation,
            patch: step.patch(),
            edits: step.edits.iter().map(|edit| EditEntry::of(edit, fixtures)).collect(),
            sources: step.sources.iter().map(|evidence| ReasonEntry::of(evidence, fixtures)).collect(),
            code: status.map(|status| status.code),
            reason: status.map(|status| status.reason.as_str()).filter(|reason| !reason.is_empty()),
            error: status.map(|status| status.message.as_str()),
            rule: step.refusal.as_ref().and_then(|refusal| refusal.rule.as_deref()).map(RuleEntry::of),
            warnings: &step.warnings,
            about,
            field_reasons: refusal
                .filter(|refusal| refusal.reasons.len() == refusal.fields.len())
                .map(|refusal| refusal.reasons.iter().map(|(_, reason)| reason.as_str()).collect())
                .unwrap_or_default(),
        }
    }
}
