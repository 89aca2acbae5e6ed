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
mod references;
mod resolver;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::admission::{
    Attributes, Handler, MutationInterface, Operation, Phase, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::Cluster;
use crate::plugin::openshift::exemption;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use kube_api::distribution::Server;
use kube_api::field;
use kube_api::{Object, Status, Value};
use kube_registry::openshift::reference::Reference;

use configuration::Configuration;
use references::Named;
use resolver::{Failure, Resolved, Resolver};

const IGNORED_RULES: &str = "alpha.image.policy.openshift.io/ignore-rules";
const PROHIBITED: &str = "this image is prohibited by policy";

pub(super) fn new(
    initializer: &PluginInitializer,
    given: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let plugin = ImagePolicy {
        cluster: initializer.cluster.clone(),
        configuration: Configuration::read(given)?,
        resolver: Resolver::new(initializer),
        server: initializer.server,
    };
    Ok(exemption::outside_run_levels(Handler::both(plugin), initializer))
}

struct ImagePolicy {
    cluster: Arc<Cluster>,
    configuration: Configuration,
    resolver: Resolver,
    server: Server,
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
            let owners = object.list(["metadata", "ownerReferences"]);
            owners.iter().any(|owner| owner.at("controller") == Some(&Value::Bool(true)))
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
        let old = attributes.old_object.as_deref();
        let Some(references) = references::of(object, old) else {
            let error = format!(
                "unable to apply image policy against objects of type {}: No list of images available for this object",
                references::go_type(&object.kind, self.server)
            );
            let resource = attributes.resource.group_resource();
            let name = if attributes.name.is_empty() { object.name() } else { &attributes.name };
            return Err(Status::new_forbidden(&resource, name, &error).into());
        };
        let namespace = self.cluster.namespace(&attributes.namespace);
        let ignored =
            namespace.as_ref().and_then(|found| found.annotation(IGNORED_RULES)).unwrap_or_default();
        let ignored: Vec<&str> = if ignored.is_empty() { Vec::new() } else { ignored.split(',').collect() };
        let forced = references::resolves_all(object);
        // What was judged once is let through after that, even where it was refused.
        let mut judged: BTreeSet<Named> = BTreeSet::new();
        let mut errors = Vec::new();
        for reference in references {
            if judged.contains(&reference.named) {
                continue;
            }
            let (decision, known_as) = self.decision(attributes, &reference.named, (forced, phase), &ignored);
            judged.insert(known_as.unwrap_or_else(|| reference.named.clone()));
            match decision {
                Ok(Some(name)) if phase == Phase::Mutating => reference.place.set(changed, &name),
                Ok(_) => {}
                Err(failure) => {
                    errors.push(field::Error::forbidden(&reference.path, detail(&failure, phase)));
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

    /// Returns the decision about an image, and the name under which it is recorded if it is not the given one.
    ///
    /// Source: `accept`.
    fn decision(
        &self,
        attributes: &Attributes,
        named: &Named,
        (forced, phase): (bool, Phase),
        ignored: &[&str],
    ) -> (Decision, Option<Named>) {
        let resource = &attributes.resource.group_resource();
        let mut failure = None;
        let mut resolved = None;
        let mut rewritten = None;
        if self.configuration.requests_resolution(resource) {
            match self.resolver.resolve_reference(named, &attributes.namespace, forced) {
                Err(error) if self.configuration.is_required() => return (Err(error), None),
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
        let resolved = resolved.unwrap_or_else(|| {
            let name = if named.kind == "DockerImage" { Reference::parse(&named.name).ok() } else { None };
            Resolved::unknown(name.unwrap_or_default())
        });
        let known_as = rewritten.as_deref().filter(|_| phase == Phase::Mutating).map(Named::image);
        if self.configuration.accepts(resource, &resolved, ignored) {
            return (Ok(rewritten), known_as);
        }
        (Err(failure.unwrap_or_else(|| Failure::Text(PROHIBITED.to_owned()))), known_as)
    }
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
