//! A `DeploymentConfig` of OpenShift creates a `ReplicationController` from its template, which a deployer pod scales.
//!
//! Source: `github.com/openshift/openshift-controller-manager/pkg/apps/deploymentconfig`, `MakeDeployment` of
//! `github.com/openshift/library-go/pkg/apps/appsutil`.

use std::sync::Arc;

use gotext::value::json;

use crate::workload::openshift::deployer::{self, CONFIG, DEPLOYMENT};
use crate::workload::owned::{self, make};
use crate::workload::rollout::replicas;
use crate::workload::{Event, Existing, Reaction, Replica, Template, pod};
use kube_api::resources::REPLICATION_CONTROLLERS;
use kube_api::{GroupVersionKind, Object, Value, pairs};

/// Labels and annotations that relate the objects.
const CONFIG_LABEL: &str = "deploymentconfig";
const DEPLOYMENT_LABEL: &str = "deployment";
const VERSION: &str = "openshift.io/deployment-config.latest-version";

const IMAGES: &str = "the images of a DeploymentConfig's triggers are taken to be those of its template, and the image of \
                      its deployer pod to be quay.io/openshift/origin-deployer";

const UNRESOLVED: &str = "a DeploymentConfig is deployed once its triggers have found their images: an image that its \
                          template lacks is taken to be called like its image stream tag";

pub(super) fn react(event: &Event<'_>) -> Vec<Reaction> {
    let config = event.object;
    if config.at(["spec", "paused"]) == Some(&Value::Bool(true)) || !is_triggered(config) {
        return Vec::new();
    }
    let existing = owned::controlled(event.cluster, &REPLICATION_CONTROLLERS, config);
    let (current, old): (Vec<Existing>, Vec<Existing>) =
        existing.iter().cloned().partition(|existing| has_template_of(config, &existing.object));
    let mut deleted = Vec::new();
    for controller in &old {
        deleted.extend(owned::pods(event.cluster, &controller.object));
        let mut scaled = Object::clone(&controller.object);
        scaled.set(["spec", "replicas"], 0);
        event.cluster.put(&REPLICATION_CONTROLLERS, Arc::new(scaled));
    }
    let deleted = owned::with_dependents(event.cluster, deleted);
    let wanted = match current.first() {
        Some(current) if deployer::is_awaited(&current.object) => return Vec::new(),
        Some(current) if replicas(&current.object) == replicas(config) => return Vec::new(),
        Some(current) => {
            let mut scaled = Object::clone(&current.object);
            scaled.set(["spec", "replicas"], replicas(config));
            scaled
        }
        None => controller(config, 1 + existing.iter().map(|one| version(&one.object)).max().unwrap_or(0)),
    };
    let has_unresolved = pod::template(&wanted)["spec"] != pod::template(config)["spec"];
    let replicas = vec![Replica::of(Template { object: wanted, path: None })];
    let reaction = Reaction { deleted, replicas, times: 1, ..Reaction::default() };
    vec![reaction.note(if has_unresolved { UNRESOLVED } else { IMAGES })]
}

/// Whether a change of the template or of an image starts a deployment. Without triggers only its user does.
fn is_triggered(config: &Object) -> bool {
    let types = config.list(["spec", "triggers"]).iter().map(|trigger| trigger.text("type"));
    types.into_iter().any(|name| matches!(name, "ConfigChange" | "ImageChange"))
        || config.int(["status", "latestVersion"]) > 0
}

fn version(controller: &Object) -> u64 {
    controller.annotation(VERSION).and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Returns the controller of the deployment with this number.
fn controller(config: &Object, version: u64) -> Object {
    let name = format!("{}-{version}", config.name());
    let kind = GroupVersionKind::new("", "v1", "ReplicationController");
    let mut made = make(config, kind, &json!({"name": name}));
    for (key, value) in pairs(config.at(["metadata", "labels"])) {
        made.set(["metadata", "labels", key], value);
    }
    made.set(["metadata", "labels", CONFIG], config.name());
    let version = version.to_string();
    for (key, value) in [(CONFIG, config.name()), (VERSION, version.as_str())] {
        made.set(["metadata", "annotations", key], value);
    }
    if let Some(selector) = config.at(["spec", "selector"]) {
        made.set(["spec", "selector"], selector.clone());
    }
    made.set(["spec", "template"], pod::template(config).clone());
    name_images(&mut made, config);
    deployer::await_deployer(&mut made, replicas(config));
    let labels = [(CONFIG_LABEL, config.name()), (DEPLOYMENT_LABEL, name.as_str())];
    for (key, value) in labels {
        made.set(["spec", "selector", key], value);
        made.set(["spec", "template", "metadata", "labels", key], value);
    }
    for (key, value) in [(DEPLOYMENT, name.as_str()), (CONFIG, config.name()), (VERSION, version.as_str())] {
        made.set(["spec", "template", "metadata", "annotations", key], value);
    }
    made
}

/// Gives the containers of the template that have no image those of the triggers of `config`, which are found before
/// anything is deployed.
///
/// Source: `canTrigger` and `processTriggers` of openshift-apiserver's `registry/instantiate`.
fn name_images(controller: &mut Object, config: &Object) {
    let changes = config.list(["spec", "triggers"]).iter().map(|trigger| &trigger["imageChangeParams"]);
    for change in changes.filter(|change| change.is_object()) {
        let found = match change.text("lastTriggeredImage") {
            "" => format!("{}/{}", change["from"].text("namespace"), change["from"].text("name")),
            found => found.to_owned(),
        };
        let named: Vec<_> = change["containerNames"].as_array().into_iter().flatten().collect();
        for list in ["containers", "initContainers"] {
            let containers =
                controller.at_mut(["spec", "template", "spec", list]).and_then(Value::as_array_mut);
            for container in containers.into_iter().flatten() {
                let is_named = named.contains(&&container["name"]);
                if let Some(container) = container.as_object_mut().filter(|_| is_named)
                    && container
                        .get("image")
                        .and_then(Value::as_str)
                        .is_none_or(|image| image.trim().is_empty())
                {
                    container.insert("image", Value::from(found.as_str()));
                }
            }
        }
    }
}

/// Whether `controller` was made from the template that `config` has.
fn has_template_of(config: &Object, controller: &Object) -> bool {
    let own = self::controller(config, version(controller));
    pod::template(&own) == pod::template(controller)
}
