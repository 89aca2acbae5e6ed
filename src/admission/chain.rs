//! The plugins in order, and the trace around each.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::admission::{
    Applied, Asked, Attributes, Create, Edit, Evidence, Operation, PolicyViolation, Recorder, Refusal,
};
use kube_api::diff::{PatchOperation, json_patch};
use kube_api::field::Path;
use kube_api::{GroupVersionResource, Object, Value};

/// Room for the plugins that run for most requests.
const TYPICAL_STEPS: usize = 32;

/// The mutating half of a plugin, which may change the object.
pub trait MutationInterface: Send + Sync {
    /// Changes the object of the request, or refuses it.
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal>;
}

/// The validating half of a plugin, which sees the object after all changes and after API validation.
pub trait ValidationInterface: Send + Sync {
    /// Lets the request pass, or refuses it.
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal>;

    /// Admits `count` more requests that are equal to an admitted one, or returns how many of them and why not the
    /// next. Only plugins that remember what they admitted implement this.
    fn repeat(&self, _: &Attributes, _count: u64, _: &mut Recorder) -> Result<(), (u64, Refusal)> {
        Ok(())
    }
}

/// A condition on the requests that a plugin is called for.
pub(super) type Condition = dyn Fn(&Attributes) -> bool + Send + Sync;

/// A plugin as the chain calls it: the halves that it has.
#[derive(Clone, Default)]
pub struct Handler {
    applies: Option<Arc<Condition>>,
    mutation: Option<Arc<dyn MutationInterface>>,
    validation: Option<Arc<dyn ValidationInterface>>,
}

impl Handler {
    /// Returns a plugin with a mutating half only.
    pub fn mutating(plugin: impl MutationInterface + 'static) -> Self {
        Self { mutation: Some(Arc::new(plugin)), ..Self::default() }
    }

    /// Returns a plugin with a validating half only.
    pub fn validating(plugin: impl ValidationInterface + 'static) -> Self {
        Self { validation: Some(Arc::new(plugin)), ..Self::default() }
    }

    /// Returns a plugin with both halves.
    pub fn both(plugin: impl MutationInterface + ValidationInterface + 'static) -> Self {
        let plugin = Arc::new(plugin);
        Self { mutation: Some(plugin.clone()), validation: Some(plugin), applies: None }
    }

    /// Returns the same plugin, called only if `applies` returns true.
    #[must_use]
    pub fn only_where(self, applies: impl Fn(&Attributes) -> bool + Send + Sync + 'static) -> Self {
        Self { applies: Some(Arc::new(applies)), ..self }
    }

    /// Returns the same plugin, called once: if it has no mutating half, the validating one is called in the mutating
    /// phase.
    #[must_use]
    pub fn in_one_phase(self) -> Self {
        let Self { mutation, validation, applies } = self;
        let mutation = mutation.or_else(|| {
            validation.map(|validation| Arc::new(Early(validation)) as Arc<dyn MutationInterface>)
        });
        Self { mutation, validation: None, applies }
    }

    /// Runs the mutating half alone, outside of a chain.
    #[cfg(any(test, feature = "openshift"))]
    pub(crate) fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        self.mutation.as_ref().map_or(Ok(()), |plugin| plugin.admit(attributes, recorder))
    }

    /// Returns the phases in which it is called.
    pub fn phases(&self) -> impl Iterator<Item = Phase> + use<> {
        let mutating = self.mutation.as_ref().map(|_| Phase::Mutating);
        mutating.into_iter().chain(self.validation.as_ref().map(|_| Phase::Validating))
    }

    fn applies(&self, attributes: &Attributes) -> bool {
        self.applies.as_ref().is_none_or(|applies| applies(attributes))
    }
}

/// A validating half in the mutating phase.
struct Early(Arc<dyn ValidationInterface>);

impl MutationInterface for Early {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        self.0.validate(attributes, recorder)
    }
}

/// The two phases of admission; API validation runs between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Plugins may change the object.
    Mutating,
    /// Plugins see the final object.
    Validating,
}

impl Phase {
    /// Returns the name in a report.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mutating => "mutating",
            Self::Validating => "validating",
        }
    }
}

/// A plugin at its place in the chain.
pub struct Link {
    /// Name of the plugin.
    pub name: &'static str,
    /// The operations it is called for.
    pub operations: &'static [Operation],
    /// The plugin.
    pub handler: Handler,
}

/// The effect of one call of a plugin. Calls without a change or a message have no step.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    /// Name of the plugin.
    pub plugin: &'static str,
    /// The phase in which it was called.
    pub phase: Phase,
    /// Whether it was called again because a webhook or policy changed the object.
    pub reinvocation: bool,
    /// The object before and after, if the plugin changed it.
    pub change: Option<(Arc<Object>, Arc<Object>)>,
    /// The parts of the change by the mutations of policies, or by webhooks.
    pub edits: Vec<Edit>,
    /// The objects in the cluster whose values the change has.
    pub sources: Vec<Evidence>,
    /// The refusal, if it refused.
    pub refusal: Option<Refusal>,
    /// The warnings.
    pub warnings: Vec<String>,
    /// The fields that the warnings are about.
    pub fields: Vec<Path>,
    /// The objects in the cluster that cause the warnings.
    pub evidence: Vec<Evidence>,
}

impl Step {
    /// Returns the change as a JSON patch (RFC 6902), which has no operation if the plugin changed nothing.
    pub fn patch(&self) -> Vec<PatchOperation> {
        let change = self.change.as_ref();
        change.map(|(before, after)| json_patch(&before.value, &after.value)).unwrap_or_default()
    }

    /// Returns the states of the object that it has, in order.
    pub(crate) fn states_mut(&mut self) -> impl Iterator<Item = &mut Arc<Object>> {
        let (before, after) = self.change.as_mut().map(|(before, after)| (before, after)).unzip();
        let between = self.edits.iter_mut().flat_map(|edit| [&mut edit.before, &mut edit.after]);
        before.into_iter().chain(between).chain(after)
    }
}

/// The trace of one request through the chain.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Trace {
    /// Every plugin that was called, in order.
    pub ran: Vec<(&'static str, Phase)>,
    /// The effects of the calls, in order.
    pub steps: Vec<Step>,
    /// Every warning of the answer so far, in order.
    pub warnings: Vec<String>,
    /// Annotations of the audit event.
    pub audit_annotations: BTreeMap<String, String>,
    /// The rules of policies that the request breaks, and that do not refuse it.
    pub violations: Vec<PolicyViolation>,
    /// What became of the request at each policy and webhook, once for each time that they were asked.
    pub applied: Vec<Applied>,
    /// What webhooks are sent, or would be.
    pub asked: Vec<Asked>,
    /// Assumptions of offline evaluation, and what it could not know.
    pub notes: Vec<String>,
    /// The requests that plugins sent to the API themselves.
    pub writes: Vec<Value>,
    /// The questions of plugins to the authorizer, and its answers, where plugins record them.
    pub access_reviews: Vec<Value>,
    /// The objects with secret values that policies and webhooks could read, so that messages may quote them.
    pub secrets: Vec<Arc<Object>>,
    /// Every warning of the answer so far, uncut.
    recorded: Vec<String>,
    /// The number of characters in the warnings of the answer.
    written: usize,
    /// Whether the warnings are cut because they are too long together.
    is_truncating: bool,
}

/// The limit of characters in all warnings of an answer; beyond it each is cut to the limit for one.
const MAX_WARNINGS: usize = 4 * 1024;
const MAX_CUT_WARNING: usize = 256;

/// The enabled plugins in the order of kube-apiserver.
#[derive(Default)]
pub struct Chain {
    links: Vec<Link>,
    aggregated: Option<Box<Aggregated>>,
}

/// The chain of an API server that serves some resources in the place of kube-apiserver.
struct Aggregated {
    serves: Box<dyn Fn(&GroupVersionResource) -> bool + Send + Sync>,
    links: Vec<Link>,
}

impl Chain {
    /// Returns a chain of `links`, called in the order given.
    pub fn new(links: Vec<Link>) -> Self {
        Self { links, aggregated: None }
    }

    /// Returns the same chain with another one, of `links`, for the resources for which `serves` returns true.
    #[must_use]
    pub fn with_aggregated(
        self,
        links: Vec<Link>,
        serves: impl Fn(&GroupVersionResource) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { aggregated: Some(Box::new(Aggregated { serves: Box::new(serves), links })), ..self }
    }

    /// Returns the links that a request for `resource` goes through.
    fn links_for(&self, resource: &GroupVersionResource) -> &[Link] {
        match &self.aggregated {
            Some(aggregated) if (aggregated.serves)(resource) => &aggregated.links,
            _ => &self.links,
        }
    }

    /// Returns the names of the plugins, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let is_new = |link: &&Link| self.links.iter().all(|known| known.name != link.name);
        let aggregated = self.aggregated.iter().flat_map(|aggregated| &aggregated.links).filter(is_new);
        self.links.iter().chain(aggregated).map(|link| link.name)
    }

    /// Runs the mutating halves, and runs them again if a webhook or policy changed the object. The first refusal ends
    /// the phase. `create` answers the requests that plugins make themselves.
    pub fn admit(
        &self,
        attributes: &mut Attributes,
        trace: &mut Trace,
        create: &Create<'_>,
    ) -> Result<(), Refusal> {
        self.admit_once(attributes, trace, create)?;
        if attributes.reinvocation_context.should_reinvoke() && !attributes.reinvocation {
            attributes.reinvocation = true;
            self.admit_once(attributes, trace, create)?;
        }
        Ok(())
    }

    fn admit_once(
        &self,
        attributes: &mut Attributes,
        trace: &mut Trace,
        create: &Create<'_>,
    ) -> Result<(), Refusal> {
        let operation = attributes.operation;
        let links = self.links_for(&attributes.resource).iter();
        let mut recorder = Recorder::new(create);
        for link in links.filter(|link| link.operations.contains(&operation)) {
            let Some(plugin) = &link.handler.mutation else { continue };
            if !link.handler.applies(attributes) {
                continue;
            }
            let before = attributes.object.clone();
            let result = plugin.admit(attributes, &mut recorder);
            let change = before
                .zip(attributes.object.clone())
                .filter(|(before, after)| !Arc::ptr_eq(before, after) && before.value != after.value);
            let refusal = result.as_ref().err().cloned();
            trace.take(link.name, Phase::Mutating, attributes.reinvocation, change, refusal, &mut recorder);
            result?;
        }
        Ok(())
    }

    /// Runs the validating halves. The first refusal ends the phase.
    pub fn validate(&self, attributes: &Attributes, trace: &mut Trace) -> Result<(), Refusal> {
        let links = self.links_for(&attributes.resource).iter();
        let mut recorder = Recorder::silent();
        for link in links.filter(|link| link.operations.contains(&attributes.operation)) {
            let Some(plugin) = &link.handler.validation else { continue };
            if !link.handler.applies(attributes) {
                continue;
            }
            let result = plugin.validate(attributes, &mut recorder).map_err(|refusal| trace.blamed(refusal));
            let refusal = result.as_ref().err().cloned();
            let change = attributes.object.clone().zip(recorder.replaced.take());
            trace.take(link.name, Phase::Validating, false, change, refusal, &mut recorder);
            result?;
        }
        Ok(())
    }

    /// Admits `count` more requests that are equal to an admitted one; returns how many, and the step of the plugin
    /// that refuses the next one.
    pub fn repeat(
        &self,
        attributes: &Attributes,
        mut count: u64,
        trace: &mut Trace,
    ) -> (u64, Option<Refusal>) {
        let mut first_refusal = None;
        let links = self.links_for(&attributes.resource).iter();
        for link in links.filter(|link| link.operations.contains(&attributes.operation)) {
            let Some(plugin) = &link.handler.validation else { continue };
            if !link.handler.applies(attributes) {
                continue;
            }
            if let Err((fit, refusal)) = plugin.repeat(attributes, count, &mut Recorder::silent()) {
                count = fit;
                first_refusal = Some(refusal.clone());
                trace.steps.push(Step {
                    plugin: link.name,
                    phase: Phase::Validating,
                    reinvocation: false,
                    change: None,
                    edits: Vec::new(),
                    sources: Vec::new(),
                    refusal: Some(refusal),
                    warnings: Vec::new(),
                    fields: Vec::new(),
                    evidence: Vec::new(),
                });
            }
        }
        (count, first_refusal)
    }
}

impl Trace {
    /// Adds warnings to the answer. The same text is sent once; if all are too long together, each is cut, and those
    /// beyond the limit even then are omitted.
    ///
    /// Source: `k8s.io/apiserver/pkg/endpoints/filters/warning.go`.
    pub fn warn(&mut self, warnings: impl IntoIterator<Item = String>) {
        for warning in warnings {
            if warning.is_empty()
                || (self.is_truncating && self.written >= MAX_WARNINGS)
                || self.recorded.contains(&warning)
            {
                continue;
            }
            self.recorded.push(warning.clone());
            // A header cannot carry it.
            if warning.chars().any(char::is_control) {
                continue;
            }
            let length = warning.chars().count();
            if !self.is_truncating && self.written + length <= MAX_WARNINGS {
                self.written += length;
                self.warnings.push(warning);
                continue;
            }
            let replayed = if self.is_truncating { self.recorded.len() - 1 } else { 0 };
            if !self.is_truncating {
                self.is_truncating = true;
                self.written = 0;
                self.warnings.clear();
            }
            for text in &self.recorded[replayed..] {
                let cut: String = text.chars().take(MAX_CUT_WARNING).collect();
                if cut.chars().any(char::is_control) {
                    continue;
                }
                self.written += cut.chars().count();
                self.warnings.push(cut);
            }
        }
    }

    fn take(
        &mut self,
        plugin: &'static str,
        phase: Phase,
        reinvocation: bool,
        change: Option<(Arc<Object>, Arc<Object>)>,
        refusal: Option<Refusal>,
        recorder: &mut Recorder<'_>,
    ) {
        if self.ran.is_empty() {
            self.ran.reserve(TYPICAL_STEPS);
        }
        self.ran.push((plugin, phase));
        // Most plugins have nothing to say about most requests.
        if change.is_none() && refusal.is_none() && recorder.is_empty() {
            return;
        }
        let recorder = recorder.take();
        self.applied.extend(recorder.applied);
        self.asked.extend(recorder.asked);
        self.warn(recorder.warnings.iter().cloned());
        for (key, value) in recorder.audit_annotations {
            self.audit_annotations.entry(key).or_insert(value);
        }
        let violations = recorder.violations.into_iter();
        self.violations.extend(violations.map(|violation| PolicyViolation { plugin, ..violation }));
        self.notes.extend(recorder.notes);
        self.writes.extend(recorder.writes);
        self.access_reviews.extend(recorder.access_reviews);
        self.secrets.extend(recorder.secrets);
        if change.is_some() || refusal.is_some() || !recorder.warnings.is_empty() {
            self.steps.push(Step {
                plugin,
                phase,
                reinvocation,
                change,
                edits: recorder.edits,
                sources: recorder.sources,
                refusal,
                warnings: recorder.warnings,
                fields: recorder.fields,
                evidence: recorder.evidence,
            });
        }
    }
}
