//! Security context constraints: those that a pod may use, their order, and the effect of the first that accepts the
//! pod.
//!
//! Source: `github.com/openshift/apiserver-library-go/pkg/securitycontextconstraints`.

mod apply;
mod check;
mod choice;
mod label_sync;
mod order;
mod provider;
mod remedies;
mod right;
mod skip;
mod uid_block;
mod volume;

use std::sync::Arc;

use crate::admission::{Attributes, Evidence, Need, Operation, Recorder, Refusal, Remedy, UserInfo};
use crate::cluster::authorizer::Authorizer;
use crate::cluster::{Cluster, Derived};
use crate::plugin::PluginInitializer;
use gotext::quote;
use kube_api::field::{self, Path};
use kube_api::{GroupResource, GroupVersionKind, Map, Object, Value};
use kube_registry::pod::PodTemplate;

use choice::{choice, origin_of};
use order::precedes;
pub(super) use provider::Provider;
use right::Right;
pub(super) use skip::is_skipped;
pub(super) use volume::all_types;

/// The objects that constrain pods.
pub(super) const CONSTRAINTS: GroupResource =
    GroupResource::new("security.openshift.io", "securitycontextconstraints");
/// The annotation that names the constraint that the pod must be validated by.
pub(super) const REQUIRED: &str = "openshift.io/required-scc";
/// The annotation that names the constraint that accepted the pod.
pub(super) const VALIDATED: &str = "openshift.io/scc";
/// The annotation with the kind of user whose right was used.
const SUBJECT_TYPE: &str = "security.openshift.io/validated-scc-subject-type";
const AUDIT: &str = "securitycontextconstraints.admission.openshift.io";

/// The constraints that every cluster has; without them the list counts as incomplete.
const STANDARD: [&str; 10] = [
    "anyuid",
    "hostaccess",
    "hostmount-anyuid",
    "hostnetwork",
    "hostnetwork-v2",
    "nonroot",
    "nonroot-v2",
    "privileged",
    "restricted",
    "restricted-v2",
];

/// Tries constraints on pods.
pub(super) struct Matcher {
    cluster: Arc<Cluster>,
    authorizer: Arc<Authorizer>,
    levels: Derived<label_sync::Levels>,
}

/// The changes of a pod that are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mutation {
    Spec,
    EphemeralContainers,
    None,
}

/// The result of trying constraints.
#[derive(Default)]
struct Computed {
    /// The pod as the constraint changed it, and the right that was used.
    allowed: Option<(Object, Right, Arc<Object>)>,
    errors: Vec<field::Error>,
    /// The constraints that refused the pod.
    evidence: Vec<Evidence>,
    /// The fields that they refused, with the reason and the constraint.
    reasons: Vec<(Path, String)>,
    /// The right to use the most restrictive constraint that accepts the pod, if it cannot be used.
    need: Option<Need>,
    /// The changes after which the usable constraint that refuses the fewest fields accepts the pod.
    remedies: Vec<Remedy>,
}

impl Computed {
    /// Takes `remedies` if they are fewer than those of another constraint.
    fn offer(&mut self, remedies: Vec<Remedy>) {
        let is_first = self.remedies.is_empty();
        if !remedies.is_empty() && (is_first || remedies.len() < self.remedies.len()) {
            self.remedies = remedies;
        }
    }

    fn refuse(self, refusal: Refusal) -> Refusal {
        let refusal = refusal.at_each(self.reasons).needing(self.need).cured_by(self.remedies);
        self.evidence.into_iter().fold(refusal, Refusal::because)
    }
}

/// The context for trying constraints on a request's pod.
struct Attempt<'a> {
    attributes: &'a Attributes,
    pod: &'a Object,
    mutation: Mutation,
    required: &'a str,
    hint: &'a str,
}

impl Matcher {
    /// Returns a matcher of the constraints in the cluster.
    pub(super) fn new(initializer: &PluginInitializer) -> Self {
        Self {
            cluster: initializer.cluster.clone(),
            authorizer: initializer.authorizer.clone(),
            levels: Derived::of(&label_sync::RESOURCES),
        }
    }

    /// Applies the first constraint that accepts the pod of the request.
    pub(super) fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let Some(pod) = attributes.object.clone() else { return Ok(()) };
        let required = annotation(&pod, REQUIRED).to_owned();
        if let (Operation::Update, Some(old)) = (attributes.operation, attributes.old_object.as_deref())
            && annotation(old, REQUIRED) != required
        {
            let error =
                format!("invalid change of required security context constraint annotation: {REQUIRED}");
            return Err(attributes.new_forbidden(error).at(Path::new("metadata.annotations").key(REQUIRED)));
        }
        let mutation = match attributes.operation {
            Operation::Create => Mutation::Spec,
            Operation::Update if attributes.sub_resource == "ephemeralcontainers" => {
                Mutation::EphemeralContainers
            }
            _ => Mutation::None,
        };
        let attempt = Attempt { attributes, pod: &pod, mutation, required: &required, hint: "" };
        let mut computed = self.compute(&attempt, recorder)?;
        let Some((mut allowed, right, constraint)) = computed.allowed.take() else {
            let errors = field::aggregate(&computed.errors);
            let error = format!("unable to validate against any security context constraint: {errors}");
            return Err(computed.refuse(attributes.new_forbidden(error)));
        };
        if mutation == Mutation::Spec {
            recorder.add_note(choice(&pod, &allowed, constraint.name(), &right, &computed.evidence));
            self.labels_to_sync(&attributes.namespace).into_iter().for_each(|note| recorder.add_note(note));
        }
        allowed.set(["metadata", "annotations", VALIDATED], constraint.name());
        allowed.set(["metadata", "annotations", SUBJECT_TYPE], right.subject_type);
        if allowed.value != pod.value {
            recorder.add_source(&CONSTRAINTS, "", constraint.name());
            attributes.object = Some(Arc::new(allowed));
        }
        Ok(())
    }

    /// Whether a constraint accepts the pod of the request as it is.
    pub(super) fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let Some(pod) = attributes.object.as_deref() else { return Ok(()) };
        let (required, hint) = (annotation(pod, REQUIRED), annotation(pod, VALIDATED));
        if !required.is_empty() && required != hint {
            let error = format!("required scc/{required} does not match the suggested scc/{hint}");
            return Err(attributes.new_forbidden(error).at(Path::new("metadata.annotations").key(REQUIRED)));
        }
        let attempt = Attempt { attributes, pod, mutation: Mutation::None, required, hint };
        let computed = self.compute(&attempt, recorder)?;
        if computed.allowed.is_some() {
            return Ok(());
        }
        let errors: Vec<String> = computed.errors.iter().map(ToString::to_string).collect();
        let error =
            format!("unable to validate against any security context constraint: [{}]", errors.join(" "));
        Err(computed.refuse(attributes.new_forbidden(error)))
    }

    /// Returns the pod of a workload's template, changed by the first constraint that its service account may use.
    pub(super) fn pod_of_template(
        &self,
        attributes: &Attributes,
        template: PodTemplate<'_>,
    ) -> Option<Object> {
        let namespace = attributes.namespace.as_str();
        let mut value = Map::new();
        value.insert("apiVersion", "v1".into());
        value.insert("kind", "Pod".into());
        let parts = template.value.as_object().into_iter().flatten();
        value.extend(parts.map(|(field, part)| (field.clone(), part.clone())));
        let mut pod = Object::new(GroupVersionKind::new("", "v1", "Pod"), Value::Object(value));
        if pod.text(["spec", "serviceAccountName"]).is_empty() {
            pod.set(["spec", "serviceAccountName"], "default");
        }
        let mut user = UserInfo::of_service_account(namespace, pod.text(["spec", "serviceAccountName"]));
        user.groups.insert(0, "system:authenticated".to_owned());
        let attributes = &Attributes { user_info: Arc::new(user), ..attributes.clone() };
        let required = annotation(&pod, REQUIRED);
        let attempt = Attempt { attributes, pod: &pod, mutation: Mutation::Spec, required, hint: "" };
        let mut silent = Recorder::silent();
        let (allowed, ..) = self.compute(&attempt, &mut silent).ok()?.allowed?;
        Some(allowed)
    }

    /// Source: `computeSecurityContext`.
    fn compute(&self, attempt: &Attempt<'_>, recorder: &mut Recorder) -> Result<Computed, Refusal> {
        let attributes = attempt.attributes;
        let constraints = self.constraints(attempt)?;
        let providers = self
            .providers(&attributes.namespace, &constraints)
            .map_err(|errors| attributes.new_forbidden(field::aggregate(&errors)))?;
        if providers.is_empty() {
            let error = "no SecurityContextConstraintsProvider available to validate pod request";
            return Err(attributes.new_forbidden(error));
        }
        let mut computed = Computed::default();
        let mut denied: Vec<&str> = Vec::new();
        let mut failures: Vec<(&str, String)> = Vec::new();
        let mut tried = 0;
        for provider in &providers {
            tried += 1;
            let name = provider.name();
            let Some(right) = self.right(attempt, provider) else {
                denied.push(name);
                computed.errors.push(field::Error::forbidden(
                    &Path::named(format!("provider {}", quote(name))),
                    "not usable by user or serviceaccount",
                ));
                let says = "may be used neither by the user nor by the service account";
                computed.evidence.push(evidence(name, says.to_owned()));
                continue;
            };
            match apply::apply(provider, attempt.pod) {
                Err(errors) => {
                    computed.offer(remedies::of(attempt.pod, &errors));
                    failures.push((name, field::aggregate(&errors)));
                    let why: Vec<String> = errors.iter().map(|error| own_words(error, name)).collect();
                    let why = format!("may be used {right}, but does not take the pod: {}", why.join("; "));
                    computed.evidence.push(evidence(name, why));
                    let places = errors.iter().filter_map(|error| Some((check::place(error)?, error)));
                    computed.reasons.extend(places.map(|(path, error)| {
                        (origin_of(attempt.pod, path, error), format!("{}: {name}", detail(error)))
                    }));
                    computed.errors.extend(errors);
                }
                Ok(pod) if is_acceptable(attempt, &pod) => {
                    computed.allowed = Some((pod, right, provider.constraint().clone()));
                    break;
                }
                Ok(_) => {
                    failures.push((name, "failures final validation after mutating admission".to_owned()));
                    let why = format!("may be used {right}, but would have to change the pod");
                    computed.evidence.push(evidence(name, why));
                }
            }
        }
        if computed.allowed.is_none() {
            let refused = providers.iter().filter(|provider| denied.contains(&provider.name()));
            let accepted = refused.filter(|provider| is_accepted(attempt, provider));
            let least = accepted.min_by_key(|provider| order::points(provider.constraint()));
            computed.need = least.and_then(|provider| right::need(attempt, provider.name()));
            hint_at_restricted(attempt, &providers, &denied, &mut computed);
        }
        let later = &providers[tried..];
        self.annotate(attempt, &computed, (&denied, &failures), later, recorder);
        Ok(computed)
    }

    /// Returns the constraints to try, in their order.
    fn constraints(&self, attempt: &Attempt<'_>) -> Result<Vec<Arc<Object>>, Refusal> {
        let attributes = attempt.attributes;
        let mut constraints = self.cluster.list_all(&CONSTRAINTS);
        let missing: Vec<&str> = STANDARD
            .into_iter()
            .filter(|name| constraints.iter().all(|constraint| constraint.name() != *name))
            .collect();
        if !missing.is_empty() {
            let error = format!("{CONSTRAINTS} cache is missing {}", missing.join(", "));
            return Err(attributes.new_forbidden(error));
        }
        if !attempt.required.is_empty() {
            let name = attempt.required;
            constraints.retain(|constraint| constraint.name() == name);
            if constraints.is_empty() {
                let error = format!(
                    "failed to retrieve the required SCC {0}: {CONSTRAINTS} {0} not found",
                    quote(name)
                );
                let path = Path::new("metadata.annotations").key(REQUIRED);
                return Err(attributes.new_forbidden(error).at(path));
            }
        }
        constraints.sort_by(|left, right| precedes(left, right));
        if attempt.mutation != Mutation::Spec && !attempt.hint.is_empty() {
            constraints.sort_by_key(|constraint| constraint.name() != attempt.hint);
        }
        Ok(constraints)
    }

    /// Returns the constraints with the namespace's values; and all their errors.
    fn providers(&self, name: &str, constraints: &[Arc<Object>]) -> Result<Vec<Provider>, Vec<String>> {
        let unable = |why: String| vec![format!("error fetching namespace {}: {why}", quote(name))];
        let Some(namespace) = self.cluster.namespace(name) else {
            return Err(unable(format!("namespace {} not found", quote(name))));
        };
        for annotation in [provider::UID_RANGE, provider::MCS] {
            if namespace.annotation(annotation).is_none() {
                return Err(unable(format!("unable to find annotation {annotation}")));
            }
        }
        let (mut providers, mut errors) = (Vec::new(), Vec::new());
        for constraint in constraints {
            match Provider::new(constraint, &namespace) {
                Ok(provider) => providers.push(provider),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(providers) } else { Err(errors) }
    }

    /// Adds the choice to the audit event.
    fn annotate(
        &self,
        attempt: &Attempt<'_>,
        computed: &Computed,
        (denied, failures): (&[&str], &[(&str, String)]),
        later: &[Provider],
        recorder: &mut Recorder,
    ) {
        let chosen = computed.allowed.as_ref().map(|(.., constraint)| constraint);
        let mut add =
            |key: &str, value: String| recorder.add_audit_annotation(format!("{AUDIT}/{key}"), value);
        if attempt.mutation == Mutation::Spec {
            for (name, why) in failures {
                add(&format!("too-restrictive-{name}"), why.clone());
            }
            let next = later.iter().find(|provider| {
                self.right(attempt, provider).is_some() && apply::apply(provider, attempt.pod).is_ok()
            });
            let reason = match (chosen, next) {
                (Some(chosen), Some(next)) => {
                    let why = order::reason(chosen, next.constraint());
                    let (name, next) = (quote(chosen.name()), quote(next.name()));
                    format!(
                        "{name} is most restrictive, not denied, and chosen over {next} because {name} {why}"
                    )
                }
                (Some(chosen), None) => {
                    format!("{} is the only one not too restrictive and not denied", quote(chosen.name()))
                }
                (None, _) if failures.is_empty() => "all denied".to_owned(),
                (None, _) => "all too restrictive or denied".to_owned(),
            };
            add("reason", reason);
            recorder.add_audit_annotation(
                "securityserviceconstraints.admission.openshift.io/denied",
                denied.join(","),
            );
            return;
        }
        let hint = attempt.hint;
        if !hint.is_empty() && chosen.is_none_or(|chosen| chosen.name() != hint) {
            let quoted = quote(hint);
            match failures.iter().find(|(name, _)| *name == hint) {
                Some((_, why)) => add(&format!("too-restrictive-{hint}"), why.clone()),
                None => add(
                    "denied-validation",
                    format!(
                        "originally chosen {quoted} got denied in final validation after mutating admission"
                    ),
                ),
            }
            match chosen {
                Some(chosen) => add(
                    "reason-validation",
                    format!(
                        "originally chosen {quoted} did not pass final validation after mutating admission, but {} did \
                         instead",
                        quote(chosen.name())
                    ),
                ),
                None => add(
                    "denied-validation",
                    format!(
                        "originally chosen {quoted} got denied in final validation after mutating admission, and no \
                         other matched"
                    ),
                ),
            }
        }
        if let Some(chosen) = chosen {
            add("chosen", chosen.name().to_owned());
        }
    }
}

/// Whether the constraint accepts the pod, whoever may use it.
fn is_accepted(attempt: &Attempt<'_>, provider: &Provider) -> bool {
    apply::apply(provider, attempt.pod).is_ok_and(|pod| is_acceptable(attempt, &pod))
}

/// Whether only allowed changes were made.
fn is_acceptable(attempt: &Attempt<'_>, pod: &Object) -> bool {
    match attempt.mutation {
        Mutation::Spec => true,
        Mutation::None => pod.value == attempt.pod.value,
        Mutation::EphemeralContainers => {
            let mut rest = pod.clone();
            if let Some(containers) = attempt.pod.at(["spec", "ephemeralContainers"]) {
                rest.set(["spec", "ephemeralContainers"], containers.clone());
            }
            rest.value == attempt.pod.value
        }
    }
}

/// Adds a hint: a pod that ran on a cluster before `restricted-v2` existed may only need the right to `restricted`.
fn hint_at_restricted(
    attempt: &Attempt<'_>,
    providers: &[Provider],
    denied: &[&str],
    computed: &mut Computed,
) {
    let has_second = providers.iter().any(|provider| provider.name() == "restricted-v2");
    let first = providers.iter().find(|provider| provider.name() == "restricted");
    let Some(first) = first.filter(|_| has_second && denied.contains(&"restricted")) else { return };
    if apply::apply(first, attempt.pod).is_ok() {
        computed.errors.push(field::Error::forbidden(
            &Path::named("no access to scc/restricted"),
            "the pod fails to validate against the `restricted-v2` security context constraint, but would validate \
             successfully against the `restricted` security context constraint",
        ));
    }
}

fn annotation<'a>(pod: &'a Object, key: &str) -> &'a str {
    pod.annotation(key).unwrap_or_default()
}

fn evidence(name: &str, says: String) -> Evidence {
    Evidence::named(CONSTRAINTS, "", name, says)
}

/// Returns what is wrong with a field in a few words, without colons: what a reader may do without follows one.
fn detail(error: &field::Error) -> String {
    let text = if error.detail.is_empty() { error.body() } else { error.detail.clone() };
    text.replace(": ", " ")
}

/// Returns `error` without the name of the constraint before it.
fn own_words(error: &field::Error, name: &str) -> String {
    let text = error.to_string();
    text.strip_prefix(&format!("provider {name}: .")).unwrap_or(&text).to_owned()
}
