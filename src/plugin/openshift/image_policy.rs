//! Resolves the images of pods and workloads that are tags of image streams, and lets the administrator restrict which
//! images may run at all: by registry, or by labels and annotations of the image.
//!
//! # When it rejects
//!
//! - A rule rejects the image, or there are rules that allow and none of them matches.
//! - The image has to be resolved and cannot be.
//!
//! # Configuration
//!
//! ```yaml
//! apiVersion: image.openshift.io/v1
//! kind: ImagePolicyConfig
//! resolveImages: AttemptRewrite
//! executionRules:
//! - name: no-docker-hub
//!   reject: true
//!   onResources: [{resource: pods}]
//!   matchRegistries: [docker.io, '']
//! ```
//!
//! # Cluster objects it reads
//!
//! `imagestreamtags`, `imagestreams` and `images` of image.openshift.io, the Namespace.
//!
//! # Offline
//!
//! The tags have to be given as `imagestreamtags`: they are not derived from the status of a stream.
//!
//! # Since
//!
//! OpenShift 3.3, on by default.
//!
//! # Upstream
//!
//! `github.com/openshift/apiserver-library-go/pkg/admission/imagepolicy`

mod configuration;
mod resolver;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::admission::{
    Attributes, Handler, MutationInterface, Operation, Phase, Recorder, Refusal, ValidationInterface,
};
use crate::api::field::{self, Path};
use crate::api::{Object, Status, Value, at};
use crate::cluster::Cluster;
use crate::plugin::openshift::exemption;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use crate::registry::openshift::reference::Reference;
use crate::registry::pod::template_location;

use configuration::Configuration;
use resolver::{Failure, Resolved, Resolver};

const IGNORED_RULES: &str = "alpha.image.policy.openshift.io/ignore-rules";
const RESOLVE_NAMES: &str = "alpha.image.policy.openshift.io/resolve-names";
const PROHIBITED: &str = "this image is prohibited by policy";

pub(super) fn new(
    initializer: &PluginInitializer,
    given: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let plugin = ImagePolicy {
        cluster: initializer.cluster.clone(),
        configuration: Configuration::read(given)?,
        resolver: Resolver::new(initializer),
    };
    Ok(exemption::outside_run_levels(Handler::both(plugin), initializer))
}

struct ImagePolicy {
    cluster: Arc<Cluster>,
    configuration: Configuration,
    resolver: Resolver,
}

/// The decision on an image, with its new name.
type Decision = Result<Option<String>, Failure>;

impl MutationInterface for ImagePolicy {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let Some(object) = attributes.object.clone().filter(|_| self.is_own(attributes)) else {
            return Ok(());
        };
        let mut changed = Object::clone(&object);
        let decided = self.decide(attributes, &object, Phase::Mutating, &mut changed);
        if changed != *object {
            attributes.object = Some(Arc::new(changed));
        }
        decided
    }
}

impl ValidationInterface for ImagePolicy {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let Some(object) = attributes.object.as_deref().filter(|_| self.is_own(attributes)) else {
            return Ok(());
        };
        self.decide(attributes, object, Phase::Validating, &mut object.clone())
    }
}

impl ImagePolicy {
    fn is_own(&self, attributes: &Attributes) -> bool {
        let resource = &attributes.resource.group_resource();
        let is_covered = self.configuration.executes(resource) || self.configuration.resolves(resource);
        let object = attributes.object.as_deref();
        let is_controlled = object.is_some_and(|object| {
            let owners = object.list(&["metadata", "ownerReferences"]);
            owners.iter().any(|owner| at(owner, &["controller"]) == Some(&Value::Bool(true)))
        });
        is_covered && !is_controlled && !attributes.has_sub_resource()
    }

    fn decide(
        &self,
        attributes: &Attributes,
        object: &Object,
        phase: Phase,
        changed: &mut Object,
    ) -> Result<(), Refusal> {
        if object.kind.group == "build.openshift.io" {
            return self.decide_build(attributes, object, phase, changed);
        }
        let Some(spec) = spec_of(object) else { return Ok(()) };
        let namespace = self.cluster.namespace(&attributes.namespace);
        let ignored =
            namespace.as_ref().and_then(|found| found.annotation(IGNORED_RULES)).unwrap_or_default();
        let ignored: Vec<&str> = if ignored.is_empty() { Vec::new() } else { ignored.split(',').collect() };
        let forced = resolves_all(object, &spec);
        let old = attributes.old_object.as_deref();
        let is_same_effect = old.is_some_and(|old| resolves_all(old, &spec) == forced);
        let mut decisions: BTreeMap<String, Decision> = BTreeMap::new();
        let mut errors = Vec::new();
        for list in ["initContainers", "containers"] {
            let fields: Vec<&str> = spec.iter().copied().chain([list]).collect();
            for (index, container) in object.list(&fields).iter().enumerate() {
                let image = text(container, "image");
                let before = old.filter(|_| is_same_effect).and_then(|old| {
                    old.list(&fields).iter().find(|other| text(other, "name") == text(container, "name"))
                });
                if before.is_some_and(|before| text(before, "image") == image) {
                    continue;
                }
                let decision = decisions
                    .entry(image.to_owned())
                    .or_insert_with(|| self.decision(attributes, image, forced, &ignored));
                let path = spec.iter().fold(None, |path: Option<Path>, step| {
                    Some(path.map_or_else(
                        || Path::named((*step).to_owned()),
                        |path| path.child((*step).to_owned()),
                    ))
                });
                let path = path.unwrap_or_else(|| Path::new("spec"));
                let path = path.child(list).index(index).child("image");
                match decision {
                    Ok(Some(name)) if phase == Phase::Mutating => set_image(changed, &fields, index, name),
                    Ok(_) => {}
                    Err(failure) => errors.push(field::Error::forbidden(&path, detail(failure, phase))),
                }
            }
        }
        if errors.is_empty() {
            return Ok(());
        }
        let name = if attributes.name.is_empty() { object.name() } else { &attributes.name };
        let status = Status::new_invalid(&attributes.kind, name, &errors);
        Err(Refusal::from(status).at_all(errors.into_iter().filter_map(|error| error.path)))
    }

    /// Returns the image that a build starts from.
    fn decide_build(
        &self,
        attributes: &Attributes,
        object: &Object,
        phase: Phase,
        changed: &mut Object,
    ) -> Result<(), Refusal> {
        for strategy in ["dockerStrategy", "sourceStrategy", "customStrategy"] {
            let from = ["spec", "strategy", strategy, "from"];
            let Some(reference) = object.at(&from).filter(|from| text(from, "kind") == "DockerImage") else {
                continue;
            };
            let old = attributes.old_object.as_deref();
            if old.is_some_and(|old| old.at(&from) == Some(reference)) {
                continue;
            }
            let forced = object.annotation(RESOLVE_NAMES) == Some("*");
            match self.decision(attributes, text(reference, "name"), forced, &[]) {
                Ok(Some(name)) if phase == Phase::Mutating => {
                    changed.set(&["spec", "strategy", strategy, "from", "name"], name);
                }
                Ok(_) => {}
                Err(failure) => {
                    let path = Path::new("spec.strategy").child(strategy).child("from").child("name");
                    let error = field::Error::forbidden(&path, detail(&failure, phase));
                    let status = Status::new_invalid(&attributes.kind, object.name(), &[error]);
                    return Err(Refusal::from(status).at(path));
                }
            }
        }
        Ok(())
    }

    /// Source: `accept`.
    fn decision(&self, attributes: &Attributes, image: &str, forced: bool, ignored: &[&str]) -> Decision {
        let resource = &attributes.resource.group_resource();
        let mut failure = None;
        let mut resolved = None;
        let mut rewritten = None;
        if self.configuration.requests_resolution(resource) {
            match self.resolver.resolve(image, &attributes.namespace, forced) {
                Err(error) if self.configuration.is_required() => return Err(error),
                Err(error) => failure = Some(error),
                Ok(found) => {
                    let is_update = attributes.operation == Operation::Update;
                    if self.configuration.rewrites(found.local_rewrite, is_update, resource) {
                        rewritten = Some(found.name.exact());
                    }
                    resolved = Some(found);
                }
            }
        }
        let resolved =
            resolved.unwrap_or_else(|| Resolved::unknown(Reference::parse(image).unwrap_or_default()));
        if self.configuration.accepts(resource, &resolved, ignored) {
            return Ok(rewritten);
        }
        Err(failure.unwrap_or_else(|| Failure::Text(PROHIBITED.to_owned())))
    }
}

/// Returns where the spec of the pods is.
fn spec_of(object: &Object) -> Option<Vec<&'static str>> {
    let template = template_location(&object.kind.group, &object.kind.kind)?;
    let is_pod_template = object.kind.kind == "PodTemplate";
    (!is_pod_template).then(|| template.iter().copied().chain(["spec"]).collect())
}

/// Whether the object or its template requires that every name is resolved.
fn resolves_all(object: &Object, spec: &[&str]) -> bool {
    let template: Vec<&str> =
        spec[..spec.len() - 1].iter().copied().chain(["metadata", "annotations", RESOLVE_NAMES]).collect();
    object.annotation(RESOLVE_NAMES) == Some("*") || object.text(&template) == "*"
}

fn detail(failure: &Failure, phase: Phase) -> String {
    match (failure, phase) {
        (Failure::Text(text), Phase::Mutating) if text == PROHIBITED => PROHIBITED.to_owned(),
        (Failure::Text(text), Phase::Mutating) => format!("{PROHIBITED}: {text}"),
        // The text of a status is lost.
        (Failure::NotFound(_), Phase::Mutating) => format!("{PROHIBITED}: "),
        (Failure::Text(text) | Failure::NotFound(text), Phase::Validating) => {
            format!("{PROHIBITED}: error in image policy validation: {text}")
        }
    }
}

fn set_image(object: &mut Object, list: &[&str], index: usize, name: &str) {
    let containers = object.at_mut(list).and_then(Value::as_array_mut);
    if let Some(Value::Object(container)) = containers.and_then(|containers| containers.get_mut(index)) {
        container.insert("image".to_owned(), name.into());
    }
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    at(value, &[field]).and_then(Value::as_str).unwrap_or_default()
}
