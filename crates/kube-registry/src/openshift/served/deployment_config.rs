//! Deployment configurations: `apps.openshift.io`.
//!
//! Source: `openshift-apiserver` `pkg/apps/apis/apps/validation`.

use std::borrow::Cow;

use crate::openshift::reference::Reference;
use crate::openshift::served::image::stream_name;
use crate::validation::metadata::{validate_annotations, validate_labels};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::validate_pod_template_spec;
use crate::validation::workload::{NO_MATCH, template_options, validate_always_running};
use gotext::names;
use kube_api::Value;
use kube_api::server_profile::ServerProfile;

/// The seconds after which a deployment fails, unless the strategy states others.
const TIMEOUT: i64 = 600;
const COUNTERS: [&str; 6] = [
    "latestVersion",
    "observedGeneration",
    "replicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
];

pub(super) fn validate(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    let spec = object.child("spec");
    for trigger in spec.items("triggers") {
        validate_trigger(errors, &trigger);
    }
    let template = spec.get("template");
    let strategy = spec.child("strategy");
    if let Some(template) = &template {
        validate_strategy(errors, &strategy, &template.child("spec"));
    }
    if spec.has("revisionHistoryLimit") {
        errors.non_negative(&spec, "revisionHistoryLimit");
    }
    errors.non_negative(&spec, "minReadySeconds");
    let ready = spec.int("minReadySeconds");
    let timeout = ["rollingParams", "recreateParams"]
        .into_iter()
        .find_map(|params| strategy.child(params).number("timeoutSeconds"))
        .unwrap_or(TIMEOUT);
    let path = spec.at("minReadySeconds");
    if timeout > 0 && ready >= timeout {
        errors.invalid_int(&path, ready, format!("must be less than the deployment timeout ({timeout}s)"));
    }
    if let Some(deadline) = strategy.number("activeDeadlineSeconds").filter(|deadline| ready >= *deadline) {
        let detail =
            format!("must be less than activeDeadlineSeconds ({deadline}s - used by the deployer pod)");
        errors.invalid_int(&path, ready, detail);
    }
    match &template {
        None => errors.required(&spec.at("template"), ""),
        Some(template) => validate_template(errors, &spec, template, old, profile),
    }
    if spec.int("replicas") < 0 {
        errors.invalid_int(&spec.at("replicas"), spec.int("replicas"), "replicas cannot be negative");
    }
    if spec.len("selector") == 0 {
        errors.invalid_value(&spec.at("selector"), spec.raw("selector"), "selector cannot be empty");
    }
    validate_status(errors, object, old);
}

/// Validates the status, and that its versions do not go back.
fn validate_status(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let status = object.child("status");
    let counters =
        |errors: &mut Errors| COUNTERS.iter().for_each(|counter| errors.non_negative(&status, counter));
    counters(errors);
    let Some(old) = old.map(|old| old.child("status")) else { return };
    counters(errors);
    for field in ["latestVersion", "observedGeneration"] {
        if status.int(field) < old.int(field) {
            errors.invalid_int(
                &status.at(field),
                status.int(field),
                format!("{field} cannot be decremented"),
            );
        }
    }
}

fn validate_template(
    errors: &mut Errors,
    spec: &Node,
    template: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    let labels = template.child("metadata").raw("labels");
    if !spec.entries("selector").all(|(key, value)| labels.get(key) == Some(value)) {
        errors.invalid_value(&template.below(&["metadata", "labels"]), labels, NO_MATCH);
    }
    let completed = with_images(spec, template.value());
    let completed = Node::new(template.here(), &completed);
    validate_pod_template_spec(errors, &completed, &template_options(old, profile));
    validate_always_running(errors, template, "ReplicationController");
}

/// Returns the template with an image for each container without one that a trigger gives an image to.
fn with_images<'a>(spec: &Node, template: &'a Value) -> Cow<'a, Value> {
    let triggers = spec.items("triggers").filter(|trigger| trigger.text("type") == "ImageChange");
    let named: Vec<&str> =
        triggers.flat_map(|trigger| trigger.child("imageChangeParams").texts("containerNames")).collect();
    let mut completed = Cow::Borrowed(template);
    let count = template.get("spec").and_then(|spec| spec.get("containers")).and_then(Value::as_array);
    for index in 0..count.map_or(0, Vec::len) {
        let container = template.get("spec").and_then(|spec| spec.get("containers")?.as_array()?.get(index));
        let text =
            |field: &str| container.and_then(|container| container.get(field)?.as_str()).unwrap_or_default();
        if text("image").is_empty() && named.contains(&text("name")) {
            completed.to_mut()["spec"]["containers"][index]["image"] = "unset".into();
        }
    }
    completed
}

fn validate_strategy(errors: &mut Errors, strategy: &Node, pod: &Node) {
    let kind = strategy.text("type");
    if kind.is_empty() {
        errors.required(&strategy.at("type"), "");
    }
    if let Some(params) = strategy.get("customParams") {
        validate_environment(errors, &params, "environment");
    }
    let rolling = |errors: &mut Errors| match strategy.get("rollingParams") {
        Some(params) => validate_rolling(errors, &params, pod),
        None if kind == "Rolling" => errors.required(&strategy.at("rollingParams"), ""),
        None => {}
    };
    let recreate = |errors: &mut Errors| {
        if let Some(params) = strategy.get("recreateParams") {
            validate_recreate(errors, &params, pod);
        }
    };
    match kind {
        "Recreate" => recreate(errors),
        "Rolling" => rolling(errors),
        "Custom" => {
            if !strategy.has("customParams") {
                errors.required(&strategy.at("customParams"), "");
            }
            rolling(errors);
            recreate(errors);
        }
        "" => errors.required(&strategy.at("type"), "strategy type is required"),
        other => {
            let detail = "unsupported strategy type, use \"Custom\" instead and specify your own strategy";
            errors.invalid(&strategy.at("type"), other, detail);
        }
    }
    validate_labels(errors, strategy, "labels");
    validate_annotations(errors, strategy);
    let Some(deadline) = strategy.number("activeDeadlineSeconds") else { return };
    errors.non_negative(strategy, "activeDeadlineSeconds");
    let timeout = match strategy.get("rollingParams") {
        Some(rolling) => rolling.number("timeoutSeconds"),
        None => strategy.child("recreateParams").number("timeoutSeconds"),
    };
    if timeout.is_some_and(|timeout| deadline <= timeout) {
        let detail = "activeDeadlineSeconds must be greater than timeoutSeconds";
        errors.invalid_int(&strategy.at("activeDeadlineSeconds"), deadline, detail);
    }
}

fn validate_seconds(errors: &mut Errors, params: &Node, field: &'static str) {
    if let Some(seconds) = params.number(field).filter(|seconds| *seconds < 1) {
        errors.invalid_int(&params.at(field), seconds, "must be >0");
    }
}

fn validate_recreate(errors: &mut Errors, params: &Node, pod: &Node) {
    validate_seconds(errors, params, "timeoutSeconds");
    for hook in ["pre", "mid", "post"] {
        if let Some(hook) = params.get(hook) {
            validate_hook(errors, &hook, pod);
        }
    }
}

fn validate_rolling(errors: &mut Errors, params: &Node, pod: &Node) {
    for field in ["intervalSeconds", "updatePeriodSeconds", "timeoutSeconds"] {
        validate_seconds(errors, params, field);
    }
    for field in ["maxUnavailable", "maxSurge"] {
        match params.raw(field) {
            Value::String(text) if percent(text).is_none() => {
                errors.invalid(&params.at(field), text, "value should be int(5) or percentage(5%)");
            }
            Value::String(_) => {}
            _ => errors.non_negative(params, field),
        }
    }
    let amount = |field: &str| match params.raw(field) {
        Value::String(text) => percent(text).unwrap_or_default(),
        other => other.as_i64().unwrap_or_default(),
    };
    let path = params.at("maxUnavailable");
    let shown = match params.raw("maxUnavailable") {
        Value::Null => Value::from(0),
        other => other.clone(),
    };
    if amount("maxUnavailable") == 0 && amount("maxSurge") == 0 {
        errors.invalid_value(&path, &shown, "cannot be 0 when maxSurge is 0 as well");
    }
    if shown.as_str().and_then(percent).is_some_and(|percent| percent > 100) {
        errors.invalid_value(&path, &shown, "should not be more than 100%");
    }
    for hook in ["pre", "post"] {
        if let Some(hook) = params.get(hook) {
            validate_hook(errors, &hook, pod);
        }
    }
}

/// Returns the number of a text such as `25%`.
fn percent(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('%').filter(|digits| !digits.is_empty())?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(i64::MAX))
}

fn validate_hook(errors: &mut Errors, hook: &Node, pod: &Node) {
    if hook.text("failurePolicy").is_empty() {
        errors.required(&hook.at("failurePolicy"), "");
    }
    match (hook.get("execNewPod"), hook.len("tagImages")) {
        (Some(_), 1..) => {
            let detail = "only one of 'execNewPod' or 'tagImages' may be specified";
            errors.invalid(&hook.here(), "<hook>", detail);
        }
        (Some(exec), 0) => validate_exec(errors, &exec),
        (None, 1..) => hook.items("tagImages").for_each(|image| validate_tag_image(errors, &image, pod)),
        (None, 0) => {
            errors.invalid(&hook.here(), "<empty>", "One of execNewPod or tagImages must be specified");
        }
    }
}

fn validate_tag_image(errors: &mut Errors, image: &Node, pod: &Node) {
    let name = image.text("containerName");
    if name.is_empty() {
        errors.required(&image.at("containerName"), "a containerName is required");
    } else {
        let mut containers = pod.items("containers").chain(pod.items("initContainers"));
        let found = containers.find(|container| container.text("name") == name);
        let error = match found {
            None => Some(format!("no container {} found", gotext::quote(name))),
            Some(container) => Reference::parse(container.text("image")).err(),
        };
        if let Some(error) = error {
            errors.invalid(&image.at("containerName"), name, error);
        }
    }
    let to = image.child("to");
    if to.text("kind") != "ImageStreamTag" {
        errors.invalid(&to.at("kind"), to.text("kind"), "Must be 'ImageStreamTag'");
    }
    if to.text("name").is_empty() {
        errors.required(&to.at("name"), "a destination tag name is required");
    }
}

fn validate_exec(errors: &mut Errors, exec: &Node) {
    if exec.len("command") == 0 {
        errors.required(&exec.at("command"), "");
    }
    errors.require_text(exec, "containerName");
    validate_environment(errors, exec, "env");
    for (index, volume) in exec.texts("volumes").enumerate() {
        if volume.is_empty() {
            errors.invalid(&exec.at("volumes").index(index), "", "must not be empty");
        }
    }
}

fn validate_environment(errors: &mut Errors, holder: &Node, list: &'static str) {
    for variable in holder.items(list) {
        let name = variable.text("name");
        errors.require_text(&variable, "name");
        let messages = names::is_c_identifier(name);
        if !messages.is_empty() {
            errors.invalid(&variable.at("name"), name, messages.join(", "));
        }
    }
}

fn validate_trigger(errors: &mut Errors, trigger: &Node) {
    errors.require_text(trigger, "type");
    if trigger.text("type") != "ImageChange" {
        return;
    }
    let Some(params) = trigger.get("imageChangeParams") else {
        return errors.required(&trigger.at("imageChangeParams"), "");
    };
    let from = params.child("from");
    let (name, namespace) = (from.text("name"), from.text("namespace"));
    if name.is_empty() {
        errors.required(&from.here(), "");
    } else {
        if from.text("kind") != "ImageStreamTag" {
            errors.invalid(&from.at("kind"), from.text("kind"), "kind must be an ImageStreamTag");
        }
        match name.split_once(':') {
            None => errors.invalid(&from.at("name"), name, "must be in the form of <name>:<tag>"),
            Some((stream, _)) => {
                let messages = stream_name(stream, false);
                if !messages.is_empty() {
                    errors.invalid(&from.at("name"), name, messages.join(", "));
                }
            }
        }
        if !namespace.is_empty() && !names::is_dns1123_subdomain(namespace).is_empty() {
            errors.invalid(&from.at("namespace"), namespace, "namespace must be a valid subdomain");
        }
    }
    if params.len("containerNames") == 0 {
        errors.required(&params.at("containerNames"), "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openshift::served::tests::errors_in_spec;
    use gotext::value::json;

    fn texts(spec: &Value) -> Vec<String> {
        errors_in_spec(validate, spec)
    }

    #[test]
    fn rejects_a_configuration_without_a_template() {
        assert_eq!(
            texts(&json!({"triggers": [{"type": "ImageChange"}], "replicas": -1})),
            [
                "spec.triggers[0].imageChangeParams: Required value",
                "spec.template: Required value",
                "spec.replicas: Invalid value: -1: replicas cannot be negative",
                "spec.selector: Invalid value: null: selector cannot be empty",
            ]
        );
    }

    #[test]
    fn rejects_strategies_that_cannot_work() {
        let template = json!({
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [{"name": "app", "imagePullPolicy": "Always", "terminationMessagePolicy": "File"}],
                "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "terminationGracePeriodSeconds": 30,
            },
        });
        assert_eq!(
            texts(&json!({
                "selector": {"app": "web"}, "template": template, "minReadySeconds": 700,
                "triggers": [{"type": "ImageChange", "imageChangeParams": {
                    "containerNames": ["app"], "from": {"kind": "ImageStreamTag", "name": "web"},
                }}],
                "strategy": {"type": "Rolling", "activeDeadlineSeconds": 500, "rollingParams": {
                    "timeoutSeconds": 600, "maxSurge": 0, "maxUnavailable": "0%",
                    "pre": {"failurePolicy": "Abort", "tagImages": [
                        {"containerName": "other", "to": {"kind": "ImageStreamTag", "name": "web:1"}},
                    ]},
                }},
            })),
            [
                "spec.triggers[0].imageChangeParams.from.name: Invalid value: \"web\": must be in the form of <name>:<tag>",
                "spec.strategy.rollingParams.maxUnavailable: Invalid value: \"0%\": cannot be 0 when maxSurge is 0 as well",
                "spec.strategy.rollingParams.pre.tagImages[0].containerName: Invalid value: \"other\": no container \
                 \"other\" found",
                "spec.strategy.activeDeadlineSeconds: Invalid value: 500: activeDeadlineSeconds must be greater than \
                 timeoutSeconds",
                "spec.minReadySeconds: Invalid value: 700: must be less than the deployment timeout (600s)",
                "spec.minReadySeconds: Invalid value: 700: must be less than activeDeadlineSeconds (500s - used by the \
                 deployer pod)",
            ]
        );
    }
}
