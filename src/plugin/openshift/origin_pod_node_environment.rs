//! Adds to pods the node selector of their project, else that of the cluster, so that projects run on their own nodes.
//!
//! # When it rejects
//!
//! - The pod selects another value of a label than its project.
//! - The pod names a node that does not have the labels.
//! - The selector of the project cannot be parsed.
//!
//! # Cluster objects it reads
//!
//! The Namespace of the pod, the Node that it names.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 3.0, on by default.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/scheduler/nodeenv`

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::admission::{
    Attributes, Evidence, Handler, MutationInterface, Phase, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use gotext::names;
use gotext::quote;
use kube_api::field::Path;
use kube_api::resources::{NAMESPACES, NODES};
use kube_api::{Object, Status, pairs};

/// The selector of a project.
const PROJECT: &str = "openshift.io/node-selector";
/// Kubernetes' annotation, which another plugin handles.
const KUBERNETES: &str = "scheduler.alpha.kubernetes.io/node-selector";

type Labels = BTreeMap<String, String>;

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let cluster = initializer.cluster.clone();
    let default = initializer.openshift.default_node_selector.clone();
    Handler::both(OriginPodNodeEnvironment { cluster, default })
}

struct OriginPodNodeEnvironment {
    cluster: Arc<Cluster>,
    default: String,
}

impl MutationInterface for OriginPodNodeEnvironment {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let missing = self.missing(attributes, Phase::Mutating)?;
        if !missing.is_empty()
            && let Some(pod) = attributes.object_mut()
        {
            for (key, value) in missing {
                pod.set(["spec", "nodeSelector", &key], value);
            }
        }
        Ok(())
    }
}

impl ValidationInterface for OriginPodNodeEnvironment {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        self.missing(attributes, Phase::Validating).map(|_| ())
    }
}

impl OriginPodNodeEnvironment {
    /// Returns the labels that the project selects and the pod does not; a refusal if the two contradict each other.
    fn missing(&self, attributes: &Attributes, phase: Phase) -> Result<Labels, Refusal> {
        let nothing = Ok(Labels::new());
        if !attributes.is_for("", "pods") {
            return nothing;
        }
        let Some(pod) = attributes.object.as_deref() else { return nothing };
        let forbidden = |error: &str| {
            let resource = attributes.resource.group_resource();
            Refusal::from(Status::new_forbidden(&resource, pod.name(), error))
        };
        let Some(namespace) = self.cluster.namespace(&attributes.namespace) else {
            return Err(forbidden(&format!("namespace {} not found", quote(&attributes.namespace))));
        };
        if namespace.annotation(KUBERNETES).is_some() {
            return nothing;
        }
        let text = namespace.annotation(PROJECT).unwrap_or(&self.default);
        let wanted = parse(text).map_err(Status::from_error)?;
        let refuse = |error: &str, field: &'static str| {
            let says = format!("selects the nodes {text}");
            let refusal = forbidden(error).at(Path::new(field));
            refusal.because(evidence(&namespace, says))
        };
        let selector = "spec.nodeSelector";
        let given: Labels = pairs(pod.at(["spec", "nodeSelector"]))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        let conflicts = |(key, value): (&String, &String)| given.get(key).is_some_and(|other| other != value);
        if wanted.iter().any(conflicts) {
            let error = "pod node label selector conflicts with its project node label selector";
            return Err(refuse(error, selector));
        }
        let missing: Labels =
            wanted.clone().into_iter().filter(|(key, _)| !given.contains_key(key)).collect();
        if phase == Phase::Validating && !missing.is_empty() {
            let error = "pod node label selector does not extend project node label selector";
            return Err(refuse(error, selector));
        }
        let name = pod.text(["spec", "nodeName"]);
        if !name.is_empty() && !wanted.is_empty() {
            let Some(node) = self.cluster.get(&NODES, "", name) else {
                let error =
                    format!("cannot validate project node label selector: node {} not found", quote(name));
                return Err(refuse(&error, "spec.nodeName"));
            };
            if wanted.iter().any(|(key, value)| node.label(key) != Some(value)) {
                let error = "pod node name conflicts with project node label selector";
                return Err(refuse(error, "spec.nodeName"));
            }
        }
        Ok(missing)
    }
}

fn evidence(namespace: &Object, says: String) -> Evidence {
    Evidence::of(NAMESPACES, namespace, says).at(Path::new("metadata.annotations").key(PROJECT))
}

/// Reads `key=value,key2=value2`.
///
/// Source: `library-go/pkg/.../labelselector`.
fn parse(text: &str) -> Result<Labels, String> {
    let mut labels = Labels::new();
    let mut tokens = tokens(text).into_iter().peekable();
    match tokens.peek().map(String::as_str) {
        None => return Ok(labels),
        Some(token @ ("=" | ",")) => {
            return Err(format!("found '{token}', expected: identifier or 'end of string'"));
        }
        Some(_) => {}
    }
    loop {
        let requirement = |error: String| format!("unable to parse requirement: {error}");
        let found = |token: &Option<String>| token.clone().unwrap_or_default();
        let key = tokens.next().unwrap_or_default();
        let detail = "must match format [ DNS 1123 subdomain / ] DNS 1123 label";
        if !names::is_qualified_name(&key).is_empty() {
            return Err(requirement(format!("label key: Invalid value: {}: {detail}", quote(&key))));
        }
        let operator = tokens.next();
        if operator.as_deref() != Some("=") {
            return Err(requirement(format!("found '{}', expected: '='", found(&operator))));
        }
        let value = match tokens.peek().map(String::as_str) {
            None | Some(",") => String::new(),
            Some("=") => return Err(requirement("found '=', expected: identifier".to_owned())),
            Some(_) => tokens.next().unwrap_or_default(),
        };
        if !names::is_valid_label_value(&value).is_empty() {
            return Err(requirement(format!("label value: Invalid value: {}: {detail}", quote(&value))));
        }
        labels.insert(key, value);
        match tokens.next() {
            None => return Ok(labels),
            Some(token) if token == "," => match tokens.peek().map(String::as_str) {
                None => return Err("found '', expected: identifier after ','".to_owned()),
                Some(token @ ("=" | ",")) => {
                    return Err(format!("found '{token}', expected: identifier after ','"));
                }
                Some(_) => {}
            },
            Some(token) => return Err(format!("found '{token}', expected: ',' or 'end of string'")),
        }
    }
}

/// Returns words, and the significant characters between them.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut word = String::new();
    let is_space = |character: char| [' ', '\t', '\r', '\n'].contains(&character);
    for character in text.chars() {
        if is_space(character) || ['=', ','].contains(&character) {
            if !word.is_empty() {
                tokens.push(std::mem::take(&mut word));
            }
            if !is_space(character) {
                tokens.push(character.to_string());
            }
        } else {
            word.push(character);
        }
    }
    if !word.is_empty() {
        tokens.push(word);
    }
    tokens
}
