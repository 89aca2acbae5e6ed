//! Builds and their configurations: `build.openshift.io`.
//!
//! Source: `openshift-apiserver` `pkg/build/apis/build/validation`.

mod source;
mod triggers;
mod volumes;

use std::collections::BTreeSet;

use crate::openshift::reference::Reference;
use crate::openshift::served::image::stream_name;
use crate::validation::equal::plainly_equal;
use crate::validation::node::{Errors, Node};
use gotext::names;
use gotext::value::json;
use kube_api::server_profile::ServerProfile;
use kube_api::{Map, Value, field, internal_json};

/// The strategies of which a build has one; all but the last start from an image.
const STRATEGIES: [&str; 4] =
    ["sourceStrategy", "dockerStrategy", "customStrategy", "jenkinsPipelineStrategy"];
const MAX_JENKINSFILE: usize = 100_000;

pub(super) fn validate_build(errors: &mut Errors, object: &Node, old: Option<&Node>, _: &ServerProfile) {
    let Some(old) = old else { return validate_common(errors, &object.child("spec")) };
    let phase = |node: &Node<'_>| node.child("status").text("phase").to_owned();
    let is_complete = !["", "New", "Pending", "Running"].contains(&phase(old).as_str());
    if is_complete && phase(object) != phase(old) {
        let detail = "phase cannot be updated from a terminal state";
        errors.invalid(&object.child("status").at("phase"), &phase(object), detail);
    }
    // The secret to push with may change.
    let (new, mut before) = (object.raw("spec"), old.raw("spec").clone());
    let secret = new.get("output").and_then(|output| output.get("pushSecret")).cloned().unwrap_or_default();
    if let Some(output) = before.get_mut("output").and_then(Value::as_object_mut) {
        output.remove("pushSecret");
        if !secret.is_null() {
            output.insert("pushSecret", secret);
        }
    }
    if let Some(changes) = changes(&before, new) {
        let changes = gotext::encoding_json::to_string(&json!({"spec": changes}));
        errors.invalid(
            &object.at("spec"),
            "content of spec is not printed out, please refer to the details",
            format!("spec is immutable, diff: {changes}"),
        );
    }
}

/// Validates a change of the details of a build: its revision is set once.
pub(super) fn validate_details(errors: &mut Errors, object: &Node, old: &Node) {
    let (new, before) = (object.child("spec"), old.child("spec"));
    let Some(revision) = before.get("revision") else { return };
    if !new.has("revision") {
        let detail = "cannot set an empty revision in build spec";
        errors.invalid_value(&new.at("revision"), &Value::Null, detail);
    }
    if !plainly_equal(new.raw("revision"), before.raw("revision")) {
        let printed = internal_json::internal("openshift/build/v1.SourceRevision", revision.value());
        errors.push(field::Error::duplicate_printed(&new.at("revision"), printed));
    }
}

/// Returns the merge patch from `old` to `new`; none if they are equal. Lists are replaced, as those of builds are,
/// except for volumes.
///
/// Source: `CreateBuildPatch`.
fn changes(old: &Value, new: &Value) -> Option<Value> {
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        return (!plainly_equal(old, new)).then(|| new.clone());
    };
    let mut patch = Map::new();
    for (name, value) in after {
        let found = before.get(name.as_str()).unwrap_or(&Value::Null);
        patch.extend(changes(found, value).map(|value| (name.to_string(), value)));
    }
    for (name, _) in before.iter().filter(|(name, _)| after.get(name.as_str()).is_none()) {
        patch.insert(name.to_string(), Value::Null);
    }
    (!patch.is_empty()).then(|| patch.into())
}

pub(super) fn validate_config(errors: &mut Errors, object: &Node, _: Option<&Node>, _: &ServerProfile) {
    let spec = object.child("spec");
    let strategy = spec.child("strategy");
    let from = STRATEGIES[..3].iter().find_map(|kind| strategy.get(kind)).and_then(|kind| kind.get("from"));
    let namespace = object.child("metadata").text("namespace");
    let mut seen = BTreeSet::new();
    for trigger in spec.items("triggers") {
        triggers::validate(errors, &trigger, from.as_ref());
        let Some(change) = trigger.get("imageChange").filter(|_| trigger.text("type") == "ImageChange")
        else {
            continue;
        };
        let own = change.get("from");
        let key = match own.as_ref().or(from.as_ref()).filter(|from| from.text("kind") == "ImageStreamTag") {
            None => "nil".to_owned(),
            Some(from) => {
                let given = from.text("namespace");
                format!("{}/{}", if given.is_empty() { namespace } else { given }, from.text("name"))
            }
        };
        if !seen.insert(key) {
            let table = "openshift/build/v1.BuildTriggerPolicy";
            let all = spec.items("triggers").map(|trigger| internal_json::internal(table, trigger.value()));
            let printed = format!("[{}]", all.collect::<Vec<_>>().join(","));
            let detail = "multiple ImageChange triggers refer to the same image stream tag";
            errors.invalid_printed(&spec.at("triggers"), printed, detail);
        }
    }
    let policy = spec.text("runPolicy");
    if !["Parallel", "Serial", "SerialLatestOnly"].contains(&policy) {
        errors.invalid(
            &spec.at("runPolicy"),
            policy,
            "run policy must Parallel, Serial, or SerialLatestOnly",
        );
    }
    for limit in ["successfulBuildsHistoryLimit", "failedBuildsHistoryLimit"] {
        errors.non_negative(&spec, limit);
    }
    validate_common(errors, &spec);
}

/// Implements `validateCommonSpec`.
fn validate_common(errors: &mut Errors, spec: &Node) {
    let (source, strategy) = (spec.child("source"), spec.child("strategy"));
    let (is_docker, pipeline) = (strategy.has("dockerStrategy"), strategy.get("jenkinsPipelineStrategy"));
    let has_input = ["git", "binary", "dockerfile", "images"].iter().any(|input| source.has(input));
    if is_docker && pipeline.is_none() && !has_input {
        let detail = "must provide a value for at least one source input(git, binary, dockerfile, images).";
        errors.invalid(&source.here(), "", detail);
    }
    let reads_repository = pipeline.is_some_and(|pipeline| pipeline.text("jenkinsfile").is_empty());
    source::validate(errors, &source, strategy.has("customStrategy"), is_docker, reads_repository);
    if let Some(seconds) = spec.number("completionDeadlineSeconds").filter(|seconds| *seconds <= 0) {
        let detail = "completionDeadlineSeconds must be a positive integer greater than 0";
        errors.invalid_int(&spec.at("completionDeadlineSeconds"), seconds, detail);
    }
    validate_output(errors, &spec.child("output"));
    validate_strategy(errors, &strategy);
    let commit = spec.child("postCommit");
    if !commit.text("script").is_empty() && commit.len("command") > 0 {
        let printed = internal_json::internal("openshift/build/v1.BuildPostCommitSpec", commit.value());
        errors.invalid_printed(&commit.here(), printed, "cannot use command and script together");
    }
    let selector = spec.child("nodeSelector");
    for (key, value) in spec.pairs("nodeSelector") {
        let is_valid =
            names::is_qualified_name(key).is_empty() && names::is_valid_label_value(value).is_empty();
        if !is_valid {
            errors.invalid(&selector.here().key(key), value, "must be a valid node selector");
        }
    }
}

/// Validates a reference to a secret that need not be there.
fn validate_secret(errors: &mut Errors, holder: &Node, field: &'static str) {
    if let Some(secret) = holder.get(field) {
        errors.require_text(&secret, "name");
    }
}

/// Implements `validateImageReference`.
fn validate_image_reference(errors: &mut Errors, from: &Node) {
    let (name, namespace) = (from.text("name"), from.text("namespace"));
    let is_namespace = namespace.is_empty() || names::is_dns1123_subdomain(namespace).is_empty();
    match from.text("kind") {
        kind @ ("ImageStreamTag" | "ImageStreamImage") => {
            if name.is_empty() {
                errors.required(&from.at("name"), "");
            } else if kind == "ImageStreamTag" {
                match name.split_once(':') {
                    None => errors.invalid(&from.at("name"), name, "must be <name>:<tag>"),
                    Some((stream, _)) if !stream_name(stream, false).is_empty() => {
                        errors.invalid(&from.at("name"), stream, "invalid name syntax");
                    }
                    Some(_) => {}
                }
            }
            if !is_namespace {
                errors.invalid(&from.at("namespace"), namespace, "must be a valid namespace");
            }
        }
        "DockerImage" => {
            if !namespace.is_empty() {
                let detail = "not valid when used with a 'DockerImage'";
                errors.invalid(&from.at("namespace"), namespace, detail);
            }
            if name.is_empty() {
                errors.required(&from.at("name"), "");
            } else if let Err(error) = Reference::parse(name) {
                let detail = format!("not a valid Docker pull specification: {error}");
                errors.invalid(&from.at("name"), name, detail);
            }
        }
        "" => errors.required(&from.at("kind"), ""),
        other => {
            let detail = "must be 'ImageStreamTag', 'ImageStreamImage', or 'DockerImage'";
            errors.invalid(&from.at("kind"), other, detail);
        }
    }
}

fn validate_output(errors: &mut Errors, output: &Node) {
    if let Some(to) = output.get("to") {
        validate_target(errors, &to);
    }
    validate_secret(errors, output, "pushSecret");
    for label in output.items("imageLabels") {
        let name = label.text("name");
        let messages = names::is_qualified_name(name);
        if name.is_empty() {
            errors.required(&label.at("name"), "");
        } else if !messages.is_empty() {
            errors.invalid(&label.at("name"), name, messages.join("; "));
        }
    }
    let mut seen = BTreeSet::new();
    for label in output.items("imageLabels") {
        if !seen.insert(label.text("name")) {
            errors.invalid(&label.at("name"), label.text("name"), "duplicate name");
        }
    }
}

/// Implements `validateToImageReference`.
fn validate_target(errors: &mut Errors, to: &Node) {
    let (name, namespace) = (to.text("name"), to.text("namespace"));
    match to.text("kind") {
        "ImageStreamTag" => {
            match name.split_once(':') {
                _ if name.is_empty() => errors.required(&to.at("name"), ""),
                None => {
                    let detail = "ImageStreamTag object references must be in the form <name>:<tag>";
                    errors.invalid(&to.at("name"), name, detail);
                }
                Some((stream, _)) if !stream_name(stream, false).is_empty() => {
                    errors.invalid(&to.at("name"), stream, "ImageStreamTag name contains invalid syntax");
                }
                Some(_) => {}
            }
            if !namespace.is_empty() && !names::is_dns1123_subdomain(namespace).is_empty() {
                errors.invalid(&to.at("namespace"), namespace, "namespace must be a valid subdomain");
            }
        }
        "DockerImage" => {
            if !namespace.is_empty() {
                let detail = "namespace is not valid when used with a 'DockerImage'";
                errors.invalid(&to.at("namespace"), namespace, detail);
            }
            if let Err(error) = Reference::parse(name) {
                let detail = format!("name is not a valid Docker pull specification: {error}");
                errors.invalid(&to.at("name"), name, detail);
            }
        }
        "" => errors.required(&to.at("kind"), ""),
        other => {
            let detail = "the target of build output must be an 'ImageStreamTag' or 'DockerImage'";
            errors.invalid(&to.at("kind"), other, detail);
        }
    }
}

fn validate_strategy(errors: &mut Errors, strategy: &Node) {
    let mut given = STRATEGIES.into_iter().filter_map(|kind| Some((kind, strategy.get(kind)?)));
    let (Some((kind, chosen)), None) = (given.next(), given.next()) else {
        let printed = internal_json::internal("openshift/build/v1.BuildStrategy", strategy.value());
        let detail = "must provide a value for exactly one of sourceStrategy, customStrategy, dockerStrategy, or \
                      jenkinsPipelineStrategy";
        return errors.invalid_printed(&strategy.here(), printed, detail);
    };
    match kind {
        "jenkinsPipelineStrategy" => return validate_pipeline(errors, &chosen),
        "dockerStrategy" => {
            if let Some(from) = chosen.get("from") {
                validate_image_reference(errors, &from);
            }
        }
        _ => validate_image_reference(errors, &chosen.child("from")),
    }
    validate_secret(errors, &chosen, "pullSecret");
    if kind == "dockerStrategy" {
        let policy = chosen.text("imageOptimizationPolicy");
        let policies = ["None", "SkipLayers", "SkipLayersAndWarn"];
        if chosen.has("imageOptimizationPolicy") && !policies.contains(&policy) {
            let detail = "must be unset, 'None', 'SkipLayers', or 'SkipLayersAndWarn'";
            errors.invalid(&chosen.at("imageOptimizationPolicy"), policy, detail);
        }
        validate_relative(errors, &chosen, "dockerfilePath");
        volumes::validate(errors, &chosen);
    }
    validate_environment(errors, &chosen);
    if kind == "sourceStrategy" {
        volumes::validate(errors, &chosen);
    }
}

fn validate_pipeline(errors: &mut Errors, pipeline: &Node) {
    let (file, path) = (pipeline.text("jenkinsfile"), pipeline.text("jenkinsfilePath"));
    if !file.is_empty() && !path.is_empty() {
        let table = "openshift/build/v1.JenkinsPipelineBuildStrategy";
        let printed = internal_json::internal(table, pipeline.value());
        let detail = "must provide a value for at most one of jenkinsfilePath, or jenkinsfile";
        return errors.invalid_printed(&pipeline.here(), printed, detail);
    }
    if file.len() > MAX_JENKINSFILE {
        let detail = format!("must be smaller than {MAX_JENKINSFILE} bytes");
        errors.invalid(&pipeline.at("jenkinsfile"), "", detail);
    }
    validate_relative(errors, pipeline, "jenkinsfilePath");
    validate_environment(errors, pipeline);
}

fn validate_relative(errors: &mut Errors, holder: &Node, field: &'static str) {
    let path = holder.text(field);
    let cleaned = clean(path);
    if !path.is_empty() && (cleaned.starts_with('/') || cleaned == ".." || cleaned.starts_with("../")) {
        let detail = format!("{field} must be a relative path within your source location");
        errors.invalid(&holder.at(field), path, detail);
    }
}

fn validate_environment(errors: &mut Errors, strategy: &Node) {
    for variable in strategy.items("env") {
        let name = variable.text("name");
        let messages = names::is_relaxed_env_var_name(name);
        if name.is_empty() {
            errors.required(&variable.at("name"), "");
        } else if !messages.is_empty() {
            errors.invalid(&variable.at("name"), name, messages.join("; "));
        }
        let from = variable.child("valueFrom");
        if from.has("resourceFieldRef") {
            let detail = "ResourceFieldRef is not valid for valueFrom in build environment variables";
            errors.invalid(&from.at("ResourceFieldRef"), name, detail);
        }
    }
}

/// Implements `path.Clean`.
fn clean(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if is_absolute => {}
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    match (is_absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openshift::served::tests::errors_in_spec;

    fn texts(spec: &Value) -> Vec<String> {
        errors_in_spec(validate_config, spec)
    }

    #[test]
    fn rejects_changes_of_a_build_except_of_its_push_secret() {
        let build = |commit: &str, secret: Value| {
            json!({"spec": {
                "revision": {"git": {"commit": commit}},
                "strategy": {"sourceStrategy": {"env": [{"name": "A", "value": commit}]}},
                "output": {"pushSecret": secret, "to": {"name": "web:1"}},
            }})
        };
        let update = |new: &Value, old: &Value| {
            let mut errors = Errors::default();
            let profile = ServerProfile::default();
            validate_build(&mut errors, &Node::root(new), Some(&Node::root(old)), &profile);
            errors.0.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let old = build("a1", json!({"name": "hub"}));
        assert_eq!(update(&build("a1", Value::Null), &old), [""; 0]);
        assert_eq!(update(&build("a1", json!({"name": "quay"})), &old), [""; 0]);
        assert_eq!(
            update(&build("b2", json!({"name": "hub"})), &old),
            [
                "spec: Invalid value: \"content of spec is not printed out, please refer to the details\": spec is \
              immutable, diff: {\"spec\":{\"revision\":{\"git\":{\"commit\":\"b2\"}},\"strategy\":{\
              \"sourceStrategy\":{\"env\":[{\"name\":\"A\",\"value\":\"b2\"}]}}}}"
            ]
        );
    }

    #[test]
    fn cleans_paths_as_go_does() {
        let pairs = [("", "."), ("a/../..", ".."), ("/../a", "/a"), ("./a//b/.", "a/b"), ("/", "/")];
        assert!(pairs.iter().all(|(path, cleaned)| clean(path) == *cleaned));
    }

    #[test]
    fn rejects_a_configuration_without_a_source() {
        assert_eq!(
            texts(&json!({"runPolicy": "Serial", "strategy": {"type": "Docker", "dockerStrategy": {}}})),
            [
                "spec.source: Invalid value: \"\": must provide a value for at least one source input(git, binary, \
                 dockerfile, images)."
            ]
        );
    }

    #[test]
    fn rejects_what_cannot_be_built() {
        let spec = json!({
            "runPolicy": "Often",
            "source": {"git": {"uri": "https://git.example.com:x/web"}, "contextDir": "../a", "sourceSecret": {}},
            "strategy": {"sourceStrategy": {"from": {"kind": "ImageStreamTag", "name": "node"},
                "env": [{"name": "A=B"}]}},
            "output": {"to": {"kind": "ImageStreamTag", "name": "web"}},
            "triggers": [{"type": "GitHub", "github": {}}, {"type": "Push"}, {"type": "ImageChange", "imageChange": {}}],
        });
        assert_eq!(
            texts(&spec),
            [
                "spec.triggers[0].github: Invalid value: {\"Secret\":\"\",\"AllowEnv\":false,\"SecretReference\":null}: \
                 must provide a value for at least one of secret or secretReference",
                "spec.triggers[1].type: Invalid value: \"Push\": invalid trigger type",
                "spec.runPolicy: Invalid value: \"Often\": run policy must Parallel, Serial, or SerialLatestOnly",
                "spec.source.git.uri: Invalid value: \"https://git.example.com:x/web\": parse \
                 \"https://git.example.com:x/web\": invalid port \":x\" after host",
                "spec.source.sourceSecret.name: Required value",
                "spec.source.contextDir: Invalid value: \"../a\": context dir must not be a relative path",
                "spec.output.to.name: Invalid value: \"web\": ImageStreamTag object references must be in the form \
                 <name>:<tag>",
                "spec.strategy.sourceStrategy.from.name: Invalid value: \"node\": must be <name>:<tag>",
                "spec.strategy.sourceStrategy.env[0].name: Invalid value: \"A=B\": a valid environment variable name must \
                 consist only of printable ASCII characters other than '='",
            ]
        );
    }
}
