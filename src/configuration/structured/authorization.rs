//! The `AuthorizationConfiguration`.

use std::path::Path as FilePath;

use super::{Structured, compile, kind};
use crate::configuration::ConfigurationError;
use crate::versioned::{Scheme, ServerFiles};
use gotext::value::json;
use gotext::{duration, names};
use kube_api::Value;
use kube_api::field::{Error, Path};
use kube_cel::{Env, Type};

const INTERNAL: &str = "apiserver.AuthorizationConfiguration";
const KIND: &str = "AuthorizationConfiguration";

const SCHEME: Scheme = Scheme {
    name: "k8s.io/apiserver/pkg/apis/apiserver/load/load.go:32",
    strict: true,
    kinds: &[
        kind("apiserver.config.k8s.io/v1", KIND, "apiserver/v1.AuthorizationConfiguration", INTERNAL),
        kind("apiserver.config.k8s.io/v1beta1", KIND, "apiserver/v1.AuthorizationConfiguration", INTERNAL),
        kind(
            "apiserver.config.k8s.io/v1alpha1",
            KIND,
            "apiserver/v1alpha1.AuthorizationConfiguration",
            INTERNAL,
        ),
    ],
};

/// The types of authorizers that a configuration can have.
const TYPES: [&str; 6] = ["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"];

/// The limit on the conditions of a webhook.
const MAX_CONDITIONS: usize = 64;

/// Reads and checks the file of `--authorization-config`; `files` has the files that it names.
pub fn authorization(path: &FilePath, files: &ServerFiles) -> Structured {
    let mut read = Structured::read(path, &SCHEME, "failed to load AuthorizationConfiguration from file: ");
    if !read.errors.is_empty() {
        return read;
    }
    let errors = validate(&read.value, files);
    read.refuse(errors);
    // The names of all types but webhooks are fixed.
    for (index, authorizer) in read.value.list("authorizers").to_vec().iter().enumerate() {
        let (of, name) = (authorizer.text("type"), authorizer.text("name"));
        let expected = of.to_lowercase();
        if TYPES.contains(&of) && of != "Webhook" && name != expected {
            let message = format!("expected name {expected} for authorizer {of} instead of {name}");
            let place = read.place(&format!("authorizers[{index}].name"));
            read.errors.push(ConfigurationError { place, ..ConfigurationError::new(message) });
        }
    }
    read
}

/// Source: `ValidateAuthorizationConfiguration`.
fn validate(configuration: &Value, files: &ServerFiles) -> Vec<Error> {
    let list = Path::new("authorizers");
    let mut errors = Vec::new();
    let authorizers = configuration.list("authorizers");
    if authorizers.is_empty() {
        errors.push(Error::required(&list, "at least one authorization mode must be defined"));
    }
    let (mut types, mut seen): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (index, authorizer) in authorizers.iter().enumerate() {
        let at = list.index(index);
        let (of, name) = (authorizer.text("type"), authorizer.text("name"));
        if of.is_empty() {
            errors.push(Error::required(&at.child("type"), ""));
            continue;
        }
        if !TYPES.contains(&of) {
            errors.push(Error::not_supported(&at.child("type"), &of.into(), &TYPES));
            continue;
        }
        if types.contains(&of) && of != "Webhook" {
            errors.push(Error::duplicate(&at.child("type"), &of.into()));
            continue;
        }
        types.push(of);
        let faults = names::is_dns1123_subdomain(name);
        if name.is_empty() {
            errors.push(Error::required(&at.child("name"), ""));
        } else if seen.contains(&name) {
            errors.push(Error::duplicate(&at.child("name"), &name.into()));
        } else if !faults.is_empty() {
            let detail = format!("authorizer name is invalid: {}", faults.join(", "));
            errors.push(Error::invalid_text(&at.child("name"), name, detail));
        }
        seen.push(name);
        let webhook = authorizer.get("webhook").filter(|webhook| !webhook.is_null());
        match (of, webhook) {
            ("Webhook", None) => {
                errors.push(Error::required(&at.child("webhook"), "required when type=Webhook"));
            }
            ("Webhook", Some(webhook)) => validate_webhook(&at, webhook, files, &mut errors),
            (_, Some(_)) => {
                let detail = "may only be specified when type=Webhook";
                errors.push(Error::invalid_text(&at.child("webhook"), "non-null", detail));
            }
            (_, None) => {}
        }
    }
    errors
}

/// Source: `ValidateWebhookConfiguration`, whose paths leave out `webhook`.
fn validate_webhook(at: &Path, webhook: &Value, files: &ServerFiles, errors: &mut Vec<Error>) {
    let nanoseconds = |name: &str| duration::parse(webhook.text(name)).unwrap_or_default();
    let timeout = nanoseconds("timeout");
    if timeout == 0 {
        errors.push(Error::required(&at.child("timeout"), ""));
    } else if !(0..=30_000_000_000).contains(&timeout) {
        let detail = "must be > 0s and <= 30s";
        errors.push(Error::invalid_text(&at.child("timeout"), webhook.text("timeout"), detail));
    }
    // Those that are 0 have defaults.
    for name in ["authorizedTTL", "unauthorizedTTL"] {
        if nanoseconds(name) < 0 {
            errors.push(Error::invalid_text(&at.child(name), webhook.text(name), "must be > 0s"));
        }
    }
    let conditions = webhook.list("matchConditions");
    let needed =
        if conditions.is_empty() { None } else { Some("required if match conditions are specified") };
    for (name, supported, required) in [
        ("subjectAccessReviewVersion", &["v1", "v1beta1"][..], Some("")),
        ("matchConditionSubjectAccessReviewVersion", &["v1"][..], needed),
        ("failurePolicy", &["NoOpinion", "Deny"][..], Some("")),
    ] {
        let value = webhook.text(name);
        match required {
            Some(detail) if value.is_empty() => errors.push(Error::required(&at.child(name), detail)),
            _ if value.is_empty() || supported.contains(&value) => {}
            _ => errors.push(Error::not_supported(&at.child(name), &value.into(), supported)),
        }
    }
    errors.extend(error_of_connection(&at.child("connectionInfo"), &webhook["connectionInfo"], files));
    let list = at.child("matchConditions");
    if conditions.len() > MAX_CONDITIONS {
        errors.push(Error::too_many(&list, conditions.len(), MAX_CONDITIONS));
        return;
    }
    let (env, mut seen) = (Env::authorization(), Vec::new());
    for (index, condition) in conditions.iter().enumerate() {
        let (path, text) = (list.index(index).child("expression"), condition.text("expression"));
        if text.trim().is_empty() {
            errors.push(Error::required(&path, ""));
        } else if seen.contains(&text) {
            errors.push(Error::duplicate(&path, &text.into()));
        } else {
            seen.push(text);
            errors.extend(compile(&env, text, &path, (&[Type::Bool], true)).err());
        }
    }
}

fn error_of_connection(at: &Path, connection: &Value, files: &ServerFiles) -> Option<Error> {
    let (path, file) = (at.child("kubeConfigFile"), connection.text("kubeConfigFile"));
    let invalid = |detail: String| Some(Error::invalid_text(&path, file, detail));
    match connection.text("type") {
        "" => Some(Error::required(&at.child("type"), "")),
        "InClusterConfig" if connection.has("kubeConfigFile") => {
            invalid("can only be set when type=KubeConfigFile".to_owned())
        }
        "InClusterConfig" => None,
        "KubeConfigFile" if file.is_empty() => Some(Error::required(&path, "")),
        "KubeConfigFile" if !file.starts_with('/') => invalid("must be an absolute path".to_owned()),
        // The webhook is not asked, and its credentials are seldom where manifests are checked.
        "KubeConfigFile" => match std::fs::metadata(files.locate(FilePath::new(file))) {
            Ok(found) if !found.is_file() => invalid("must be a regular file".to_owned()),
            _ => None,
        },
        of => {
            let printed = json!({"Type": of, "KubeConfigFile": connection.get("kubeConfigFile").cloned()});
            Some(Error::not_supported(&at.child("type"), &printed, &["InClusterConfig", "KubeConfigFile"]))
        }
    }
}
