//! The configuration of which images are resolved, rewritten and admitted.
//!
//! Source: `imagepolicy/v1/{defaults.go,default-policy.yaml}`, `imagepolicy/validation`, `imagepolicy/rules`.

use std::collections::BTreeSet;

use crate::plugin::openshift::configuration;
use crate::plugin::openshift::image_policy::resolver::Resolved;
use crate::plugin::{FactoryError, PluginConfiguration};
use kube_api::field::{self, Path};
use kube_api::internal_json;
use kube_api::labels::Selector;
use kube_api::{GroupResource, Value};

const NAME: &str = "image.openshift.io/ImagePolicy";

/// The resources whose names are resolved if no rules are given.
const DEFAULT_TARGETS: [(&str, &str); 13] = [
    ("", "pods"),
    ("", "replicationcontrollers"),
    ("apps.openshift.io", "deploymentconfigs"),
    ("apps", "daemonsets"),
    ("apps", "deployments"),
    ("apps", "statefulsets"),
    ("apps", "replicasets"),
    ("build.openshift.io", "builds"),
    ("batch", "jobs"),
    ("batch", "cronjobs"),
    ("extensions", "daemonsets"),
    ("extensions", "deployments"),
    ("extensions", "replicasets"),
];

/// The configuration with its defaults.
pub(super) struct Configuration {
    resolve_images: String,
    resolutions: Vec<Resolution>,
    executions: Vec<Execution>,
}

struct Resolution {
    target: (String, String),
    policy: String,
    local_names: bool,
}

struct Execution {
    name: String,
    rule: Value,
    resources: Vec<(String, String)>,
    selectors: Vec<Selector>,
}

fn flag(value: &Value, field: &str) -> bool {
    value.at(field) == Some(&Value::Bool(true))
}

fn pair(value: &Value) -> (String, String) {
    (value.text("group").to_owned(), value.text("resource").to_owned())
}

impl Configuration {
    pub(super) fn read(given: Option<&PluginConfiguration>) -> Result<Self, FactoryError> {
        let given = read(given)?;
        let resolve_images = match given.text("resolveImages") {
            "" => "Attempt".to_owned(),
            other => other.to_owned(),
        };
        let mut errors = Vec::new();
        let executions = executions(&given, &mut errors);
        let rules = given.list("resolutionRules");
        // An empty list is a list.
        let has_rules = given.get("resolutionRules").is_some_and(|rules| !rules.is_null());
        let mut resolutions = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            let target = rule.at("targetResource").map(pair).unwrap_or_default();
            if target.1.is_empty() {
                let path = Path::named(NAME).child("resolutionRules").index(index);
                let path = path.child("targetResource").child("resource");
                let detail = "a target resource name or '*' must be provided";
                errors.push(field::Error::required(&path, detail));
            }
            let policy = match rule.text("policy") {
                "" => resolve_images.clone(),
                policy => policy.to_owned(),
            };
            resolutions.push(Resolution { target, policy, local_names: flag(rule, "localNames") });
        }
        if resolve_images == "DoNotAttempt" {
            refuse_conditions(&given, &mut errors);
        }
        if !errors.is_empty() {
            return Err(FactoryError::Configuration(field::aggregate(&errors)));
        }
        if !has_rules {
            for (group, resource) in DEFAULT_TARGETS {
                let target = (group.to_owned(), resource.to_owned());
                let is_executed = executions.iter().any(|rule: &Execution| rule.targets(&target));
                let policy = if is_executed { resolve_images.clone() } else { "DoNotAttempt".to_owned() };
                resolutions.push(Resolution { target, policy, local_names: true });
            }
        }
        Ok(Self { resolve_images, resolutions, executions })
    }

    /// Whether an execution rule is about `resource`.
    pub(super) fn executes(&self, resource: &GroupResource) -> bool {
        self.executions.iter().any(|rule| rule.covers(resource))
    }

    /// Whether a resolution rule is about `resource`.
    pub(super) fn resolves(&self, resource: &GroupResource) -> bool {
        self.resolutions.iter().any(|rule| rule.covers(resource))
    }

    pub(super) fn requests_resolution(&self, resource: &GroupResource) -> bool {
        ["RequiredRewrite", "Required", "AttemptRewrite", "Attempt"].contains(&self.resolve_images.as_str())
            || self.resolves(resource)
    }

    pub(super) fn is_required(&self) -> bool {
        ["RequiredRewrite", "Required"].contains(&self.resolve_images.as_str())
    }

    /// Whether the resolved name replaces the written one.
    pub(super) fn rewrites(&self, is_local: bool, is_update: bool, resource: &GroupResource) -> bool {
        let is_fixed = [("batch", "jobs"), ("build.openshift.io", "builds")]
            .iter()
            .any(|(group, name)| resource.group == *group && resource.resource == *name);
        if is_update && is_fixed {
            return false;
        }
        let mut covering = self.resolutions.iter().filter(|rule| rule.covers(resource)).peekable();
        if covering.peek().is_none() {
            return is_rewrite(&self.resolve_images);
        }
        covering.any(|rule| rule.local_names && is_local || is_rewrite(&rule.policy))
    }

    /// Source: `executionAccepter.Accepts`.
    pub(super) fn accepts(&self, resource: &GroupResource, resolved: &Resolved, ignored: &[&str]) -> bool {
        let rules: Vec<&Execution> = self.executions.iter().filter(|rule| rule.covers(resource)).collect();
        let mut is_allowed = rules.iter().all(|rule| flag(&rule.rule, "reject"));
        for rule in rules {
            let is_ignored =
                ignored.contains(&rule.name.as_str()) && !flag(&rule.rule, "ignoreNamespaceOverride");
            let is_skipped = resolved.image.is_none() && flag(&rule.rule, "skipOnResolutionFailure");
            if is_ignored || is_skipped || !rule.matches(resolved) {
                continue;
            }
            if flag(&rule.rule, "reject") {
                return false;
            }
            is_allowed = true;
        }
        is_allowed
    }
}

impl Resolution {
    fn covers(&self, resource: &GroupResource) -> bool {
        let (group, name) = &self.target;
        *group == resource.group && (*name == resource.resource || name == "*")
    }
}

impl Execution {
    /// Whether the rule applies to the `target` of a default; only there a `*` stands for every resource.
    fn targets(&self, (group, name): &(String, String)) -> bool {
        self.resources.iter().any(|(own, resource)| own == group && (resource == name || resource == "*"))
    }

    fn covers(&self, resource: &GroupResource) -> bool {
        self.resources.iter().any(|(group, name)| *group == resource.group && *name == resource.resource)
    }

    fn matches(&self, resolved: &Resolved) -> bool {
        self.meets(resolved) != flag(&self.rule, "invertMatch")
    }

    fn meets(&self, resolved: &Resolved) -> bool {
        let rule = &self.rule;
        if flag(rule, "matchIntegratedRegistry") && !resolved.integrated {
            return false;
        }
        let registries = rule.list("matchRegistries");
        let is_listed = |registry: &Value| registry.as_str() == Some(resolved.name.registry.as_str());
        if !registries.is_empty() && !registries.iter().any(is_listed) {
            return false;
        }
        let conditions = ["matchImageLabels", "matchImageAnnotations", "matchDockerImageLabels"];
        let Some(image) = &resolved.image else {
            return conditions.iter().all(|field| rule.list(field).is_empty());
        };
        let has_metadata = image.has("dockerImageMetadata");
        if !rule.list("matchDockerImageLabels").is_empty() && !has_metadata {
            return false;
        }
        let meets = |field: &str, path: &[&str]| {
            rule.list(field).iter().all(|condition| {
                let found = image.at(path).and_then(|all| all.get(condition.text("key")));
                if flag(condition, "set") {
                    found.is_some()
                } else {
                    found.and_then(Value::as_str).unwrap_or_default() == condition.text("value")
                }
            })
        };
        meets("matchDockerImageLabels", &["dockerImageMetadata", "Config", "Labels"])
            && meets("matchImageAnnotations", &["metadata", "annotations"])
            && self.selectors.iter().all(|selector| selector.matches_labels(image.at(["metadata", "labels"])))
    }
}

/// Returns the configuration without defaults; a missing kind and version are assumed.
fn read(given: Option<&PluginConfiguration>) -> Result<Value, FactoryError> {
    const SCHEME: &str =
        "github.com/openshift/apiserver-library-go/pkg/admission/imagepolicy/imagepolicy.go:50";
    let Some(given) = given.filter(|given| !given.text.trim().is_empty()) else {
        return Ok(Value::default());
    };
    let value = configuration::document(given)?;
    let or = |field: &str, default: &'static str| match value.text(field) {
        "" => default.to_owned(),
        given => given.to_owned(),
    };
    let (kind, version) = (or("kind", "ImagePolicyConfig"), or("apiVersion", "image.openshift.io/v1"));
    if kind != "ImagePolicyConfig" || !["image.openshift.io/v1", "v1"].contains(&version.as_str()) {
        return Err(FactoryError::Configuration(configuration::unregistered(&kind, &version, SCHEME)));
    }
    configuration::typed(value, &kind).map_err(FactoryError::Configuration)
}

fn executions(given: &Value, errors: &mut Vec<field::Error>) -> Vec<Execution> {
    let mut names = BTreeSet::new();
    let mut executions = Vec::new();
    for (index, rule) in given.list("executionRules").iter().enumerate() {
        let path = Path::named(NAME).child("executionRules").index(index);
        let name = rule.text("name").to_owned();
        if !names.insert(name.clone()) {
            errors.push(field::Error::duplicate(&path.child("name"), &Value::from(name.as_str())));
        }
        let mut selectors = Vec::new();
        for (position, selector) in rule.list("matchImageLabels").iter().enumerate() {
            match Selector::from_label_selector(selector) {
                Ok(selector) => selectors.push(selector),
                Err(error) => {
                    let path = path.child("matchImageLabels").index(position);
                    errors.push(field::Error::invalid(&path, &Value::Null, error.to_string()));
                }
            }
        }
        let resources = rule.list("onResources");
        let resources = if resources.is_empty() {
            vec![(String::new(), "pods".to_owned())]
        } else {
            resources.iter().map(pair).collect()
        };
        executions.push(Execution { name, rule: rule.clone(), resources, selectors });
    }
    executions
}

/// Refuses conditions that need an image if no image is looked up.
fn refuse_conditions(given: &Value, errors: &mut Vec<field::Error>) {
    for (index, rule) in given.list("executionRules").iter().enumerate() {
        let path = Path::named(NAME).child("executionRules").index(index);
        for field in ["matchDockerImageLabels", "matchImageLabels", "matchImageAnnotations"] {
            let conditions = rule.list(field);
            if conditions.is_empty() {
                continue;
            }
            let printed: Vec<String> = conditions
                .iter()
                .map(|condition| match field {
                    "matchImageLabels" => internal_json::compact("meta/v1.LabelSelector", condition),
                    _ => printed_condition(condition),
                })
                .collect();
            let detail = "images are not being resolved, this condition will always fail";
            let printed = format!("[{}]", printed.join(","));
            errors.push(field::Error::invalid_printed(&path.child(field), printed, detail));
        }
    }
}

/// Returns the JSON of a condition on a value; Go writes every field of it.
fn printed_condition(condition: &Value) -> String {
    let json = |field| gotext::encoding_json::to_string(&Value::from(condition.text(field)));
    format!(r#"{{"key":{},"set":{},"value":{}}}"#, json("key"), flag(condition, "set"), json("value"))
}

fn is_rewrite(policy: &str) -> bool {
    ["RequiredRewrite", "AttemptRewrite"].contains(&policy)
}
