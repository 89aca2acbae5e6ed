//! `PodSecurityConfiguration`: the policy of namespaces without labels, and the exemptions.
//!
//! Source: `k8s.io/pod-security-admission/admission/api`.

use std::collections::BTreeMap;
use std::str::FromStr;

use gotext::value::json;

use crate::plugin::FactoryError;
use crate::versioned::{Kind, Scheme};
use gotext::names::{is_dns1123_label, is_dns1123_subdomain};
use kube_api::Value;
use kube_api::field::{self, Path};
use kube_api::pod_security::{LevelVersion, Mode, Policy};

/// The kinds of its files, the newest first.
pub(in crate::plugin) const SCHEME: Scheme = Scheme {
    name: "k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31",
    strict: true,
    kinds: &[
        kind("pod-security.admission.config.k8s.io/v1", "podsecurity/v1.PodSecurityConfiguration"),
        kind("pod-security.admission.config.k8s.io/v1beta1", "podsecurity/v1beta1.PodSecurityConfiguration"),
        kind(
            "pod-security.admission.config.k8s.io/v1alpha1",
            "podsecurity/v1alpha1.PodSecurityConfiguration",
        ),
    ],
};

const fn kind(api_version: &'static str, table: &'static str) -> Kind {
    Kind { api_version, kind: "PodSecurityConfiguration", table, internal: "api.PodSecurityConfiguration" }
}

/// The effective configuration of the plugin.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    /// The policy of namespaces without labels.
    pub(super) defaults: Policy,
    pub(super) exemptions: Exemptions,
}

/// Requests that no policy applies to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Exemptions {
    usernames: Vec<String>,
    namespaces: Vec<String>,
    runtime_classes: Vec<String>,
}

impl Exemptions {
    pub(super) fn has_user(&self, username: &str) -> bool {
        self.usernames.iter().any(|exempt| exempt == username)
    }

    pub(super) fn has_namespace(&self, namespace: &str) -> bool {
        self.namespaces.iter().any(|exempt| exempt == namespace)
    }

    pub(super) fn has_runtime_class(&self, runtime_class: &str) -> bool {
        self.runtime_classes.iter().any(|exempt| exempt == runtime_class)
    }
}

impl Configuration {
    /// Reads and checks the configuration in `text`; without one everything is allowed and nothing is exempt.
    pub(super) fn load(text: Option<&str>) -> Result<Self, FactoryError> {
        let written = match text {
            None | Some("") => Value::Null,
            Some(text) => SCHEME.read(text)?.value,
        };
        let failed = |phrase: &str, errors: String| {
            FactoryError::Initialization(format!("PodSecurity {phrase}: {errors}"))
        };
        let defaults = default_policy(&written)
            .map_err(|errors| failed("configuration error", field::aggregate(&errors)))?;
        let exemptions = Exemptions::of(&written);
        let errors = validate_exemptions(&exemptions);
        if !errors.is_empty() {
            return Err(failed("invalid", field::aggregate(&errors)));
        }
        Ok(Self { defaults, exemptions })
    }

    /// Returns the configuration with its defaults, in its newest version.
    pub(super) fn to_value(&self) -> Value {
        let defaults = Mode::ALL.into_iter().flat_map(|mode| {
            let LevelVersion { level, version } = self.defaults.mode(mode);
            let name = mode.name();
            [(name.to_owned(), level.to_string()), (format!("{name}-version"), version.to_string())]
        });
        let Exemptions { usernames, namespaces, runtime_classes } = &self.exemptions;
        json!({
            "defaults": defaults.collect::<BTreeMap<_, _>>(),
            "exemptions": {
                "usernames": usernames,
                "namespaces": namespaces,
                "runtimeClasses": runtime_classes,
            },
        })
    }
}

impl Exemptions {
    fn of(configuration: &Value) -> Self {
        let list = |field| {
            let names = configuration.list(["exemptions", field]).iter();
            names.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            usernames: list("usernames"),
            namespaces: list("namespaces"),
            runtime_classes: list("runtimeClasses"),
        }
    }
}

/// Returns the default policy, or an error for every invalid level and version.
fn default_policy(configuration: &Value) -> Result<Policy, Vec<String>> {
    let text = |field: &str| configuration.text(["defaults", field]);
    let mut policy = Policy::PRIVILEGED;
    let mut errors = Vec::new();
    for mode in Mode::ALL {
        let of_mode = policy.mode_mut(mode);
        let (level, version) = (mode.name(), format!("{}-version", mode.name()));
        read_into(&mut of_mode.level, text(level), level, &mut errors);
        read_into(&mut of_mode.version, text(&version), &version, &mut errors);
    }
    if errors.is_empty() { Ok(policy) } else { Err(errors) }
}

fn read_into<T: FromStr<Err = &'static str>>(
    target: &mut T,
    text: &str,
    field: &str,
    errors: &mut Vec<String>,
) {
    if text.is_empty() {
        return;
    }
    match text.parse() {
        Ok(value) => *target = value,
        Err(error) => errors.push(format!("{field}: {error}")),
    }
}

/// Source: `ValidatePodSecurityConfiguration`.
fn validate_exemptions(exemptions: &Exemptions) -> Vec<field::Error> {
    let Exemptions { usernames, namespaces, runtime_classes } = exemptions;
    let mut errors = validate_names("namespaces", namespaces, is_dns1123_label);
    errors.extend(validate_names("runtimeClasses", runtime_classes, is_dns1123_subdomain));
    errors.extend(validate_names("usernames", usernames, is_username));
    errors
}

/// Returns the errors in a list of names: each must be valid, and none may be repeated.
fn validate_names(
    list: &'static str,
    names: &[String],
    errors_of: fn(&str) -> Vec<String>,
) -> Vec<field::Error> {
    let mut errors = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let path = Path::new("exemptions").child(list).index(index);
        let wrong = errors_of(name);
        if !wrong.is_empty() {
            errors.push(field::Error::invalid_text(&path, name, wrong.join(", ")));
        } else if names[..index].contains(name) {
            errors.push(field::Error::duplicate(&path, &json!(name)));
        }
    }
    errors
}

fn is_username(name: &str) -> Vec<String> {
    if name.is_empty() { vec!["username must not be empty".to_owned()] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(mut configuration: Value) -> Result<Configuration, FactoryError> {
        configuration["apiVersion"] = json!("pod-security.admission.config.k8s.io/v1");
        configuration["kind"] = json!("PodSecurityConfiguration");
        Configuration::load(Some(&configuration.to_string()))
    }

    fn error(configuration: Value) -> String {
        load(configuration).unwrap_err().to_string()
    }

    #[test]
    fn allows_everything_without_a_configuration() {
        let open = Configuration { defaults: Policy::PRIVILEGED, exemptions: Exemptions::default() };
        assert_eq!(Configuration::load(None).as_ref(), Ok(&open));
        assert_eq!(Configuration::load(Some("")).as_ref(), Ok(&open));
        assert_eq!(load(json!({"defaults": {"enforce": ""}, "exemptions": null})).as_ref(), Ok(&open));
    }

    #[test]
    fn reads_defaults_and_exemptions() {
        let configuration = load(json!({
            "defaults": {"enforce": "baseline", "enforce-version": "v1.31", "warn": "restricted"},
            "exemptions": {"usernames": ["a"], "namespaces": ["b"], "runtimeClasses": ["c.d"]},
        }))
        .unwrap();
        assert_eq!(configuration.defaults.enforce.to_string(), "baseline:v1.31");
        assert_eq!(configuration.defaults.audit.to_string(), "privileged:latest");
        assert_eq!(configuration.defaults.warn.to_string(), "restricted:latest");
        assert!(configuration.exemptions.has_user("a"));
        assert!(configuration.exemptions.has_namespace("b"));
        assert!(configuration.exemptions.has_runtime_class("c.d"));
        assert!(!configuration.exemptions.has_user(""));
    }

    #[test]
    fn rejects_levels_and_versions_that_are_none() {
        assert_eq!(
            error(json!({"defaults": {"enforce": "high", "audit-version": "1.24", "warn": "Baseline"}})),
            "PodSecurity configuration error: \
             [enforce: must be one of privileged, baseline, restricted, audit-version: must be \"latest\" or \"v1.x\", \
             warn: must be one of privileged, baseline, restricted]"
        );
        assert_eq!(
            error(json!({"defaults": {"warn": "x"}, "exemptions": {"usernames": [""]}})),
            "PodSecurity configuration error: \
             warn: must be one of privileged, baseline, restricted"
        );
    }

    #[test]
    fn rejects_exemptions_that_name_nothing() {
        let exemptions = json!({
            "usernames": ["", "alice", "alice"],
            "runtimeClasses": ["kata", "-", "kata"],
            "namespaces": ["a.b", "Infra"],
        });
        let label = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end \
                     with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
                     '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
        let subdomain = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
                         start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                         '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
        assert_eq!(
            error(json!({"exemptions": exemptions})),
            format!(
                "PodSecurity invalid: \
                 [exemptions.namespaces[0]: Invalid value: \"a.b\": must not contain dots, \
                 exemptions.namespaces[1]: Invalid value: \"Infra\": {label}, \
                 exemptions.runtimeClasses[1]: Invalid value: \"-\": {subdomain}, \
                 exemptions.runtimeClasses[2]: Duplicate value: \"kata\", \
                 exemptions.usernames[0]: Invalid value: \"\": username must not be empty, \
                 exemptions.usernames[2]: Duplicate value: \"alice\"]"
            )
        );
    }

    #[test]
    fn rejects_what_the_decoder_does_not_know() {
        assert_eq!(
            error(
                json!({"default": {}, "defaults": {"enforced": "baseline", "-version": "v1.1"}, "exemptions": {"users": []}})
            ),
            "strict decoding error: unknown field \"default\", unknown field \"defaults.-version\", \
             unknown field \"defaults.enforced\", unknown field \"exemptions.users\""
        );
        assert_eq!(
            error(json!({"defaults": {"enforce-version": 1.24, "other": 1}})),
            "json: cannot unmarshal number into Go struct field PodSecurityDefaults.defaults.enforce-version of type string"
        );
        assert_eq!(
            error(json!({"defaults": []})),
            "json: cannot unmarshal array into Go struct field PodSecurityConfiguration.defaults of type v1.PodSecurityDefaults"
        );
        assert_eq!(
            error(json!({"exemptions": {"namespaces": "infra", "usernames": [true]}})),
            "json: cannot unmarshal string into Go struct field PodSecurityExemptions.exemptions.namespaces of type []string"
        );
    }

    #[test]
    fn rejects_other_kinds_and_versions() {
        let load = |text: &str| Configuration::load(Some(text)).unwrap_err().to_string();
        assert_eq!(load("{\"a\":1}"), "Object 'Kind' is missing in '{\"a\":1}'");
        assert_eq!(load("{\"kind\":\"A\"}"), "Object 'apiVersion' is missing in '{\"kind\":\"A\"}'");
        assert_eq!(
            load(
                "{\"apiVersion\":\"pod-security.admission.config.k8s.io/v2\",\"kind\":\"PodSecurityConfiguration\"}"
            ),
            "no kind \"PodSecurityConfiguration\" is registered for version \"pod-security.admission.config.k8s.io/v2\" \
             in scheme \"k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31\""
        );
        assert_eq!(
            load("[]"),
            "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type \
             struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }"
        );
    }
}
