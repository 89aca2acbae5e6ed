//! `PodSecurityConfiguration`: the policy of namespaces without labels, and who is exempt.
//!
//! Source: `k8s.io/pod-security-admission/admission/api`.

use std::borrow::Cow;
use std::str::FromStr;

use serde_json::json;

use super::policy::{Mode, Policy};
use crate::api::field::{self, Path};
use crate::api::{Map, Value};

/// What the plugin goes by.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    /// What applies where a namespace has no labels.
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
    /// Reads and checks the configuration in `text`; without one everything is allowed and nobody is exempt.
    pub(super) fn load(text: Option<&str>) -> Result<Self, String> {
        let decoded = match text {
            None | Some("") => Decoded::default(),
            Some(text) => decode(text)?,
        };
        let failed = |phrase: &str, errors: String| {
            format!("failed to initialize admission plugin \"PodSecurity\": PodSecurity {phrase}: {errors}")
        };
        let defaults =
            decoded.policy().map_err(|errors| failed("configuration error", field::aggregate(&errors)))?;
        let errors = validate_exemptions(&decoded.exemptions);
        if !errors.is_empty() {
            return Err(failed("invalid", field::aggregate(&errors)));
        }
        Ok(Self { defaults, exemptions: decoded.exemptions })
    }
}

/// A configuration as it is written.
#[derive(Default)]
struct Decoded {
    /// Level and version of each mode in the order of [`Mode::ALL`]; empty where none is given.
    defaults: [(String, String); 3],
    exemptions: Exemptions,
}

impl Decoded {
    /// The default policy, or every level and version that is none.
    fn policy(&self) -> Result<Policy, Vec<String>> {
        let mut policy = Policy::PRIVILEGED;
        let mut errors = Vec::new();
        for (mode, (level, version)) in Mode::ALL.into_iter().zip(&self.defaults) {
            let of_mode = policy.mode_mut(mode);
            read_into(&mut of_mode.level, level, mode.name(), &mut errors);
            read_into(&mut of_mode.version, version, &format!("{}-version", mode.name()), &mut errors);
        }
        if errors.is_empty() { Ok(policy) } else { Err(errors) }
    }
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
    let mut errors = validate_names("namespaces", namespaces, label_error);
    errors.extend(validate_names("runtimeClasses", runtime_classes, subdomain_error));
    errors.extend(validate_names("usernames", usernames, username_error));
    errors
}

/// What is wrong with a list of names: each must be one, and none may come twice.
fn validate_names(
    list: &'static str,
    names: &[String],
    error_of: fn(&str) -> Option<String>,
) -> Vec<field::Error> {
    let mut errors = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let path = Path::new("exemptions").child(list).index(index);
        if let Some(error) = error_of(name) {
            errors.push(field::Error::invalid_text(&path, name, error));
        } else if names[..index].contains(name) {
            errors.push(field::Error::duplicate(&path, &json!(name)));
        }
    }
    errors
}

fn username_error(name: &str) -> Option<String> {
    name.is_empty().then(|| "username must not be empty".to_owned())
}

/// Why `name` cannot be the name of a Namespace.
///
/// Source: `validation.IsDNS1123Label`.
fn label_error(name: &str) -> Option<String> {
    let mut errors = Vec::new();
    if name.len() > 63 {
        errors.push("must be no more than 63 characters");
    }
    if !is_label(name) {
        errors.push(if name.split('.').all(is_label) {
            "must not contain dots"
        } else {
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
        });
    }
    (!errors.is_empty()).then(|| errors.join(", "))
}

/// Why `name` cannot be the name of a `RuntimeClass`.
///
/// Source: `validation.IsDNS1123Subdomain`.
fn subdomain_error(name: &str) -> Option<String> {
    let mut errors = Vec::new();
    if name.len() > 253 {
        errors.push("must be no more than 253 characters");
    }
    if !name.split('.').all(is_label) {
        errors.push("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
    }
    (!errors.is_empty()).then(|| errors.join(", "))
}

fn is_label(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.bytes().all(is_inner) && !name.starts_with('-') && !name.ends_with('-')
}

const GROUP: &str = "pod-security.admission.config.k8s.io";
const KIND: &str = "PodSecurityConfiguration";
const VERSIONS: [&str; 3] = ["v1", "v1beta1", "v1alpha1"];

/// Reads a configuration in any of its versions, which all have the same fields.
fn decode(text: &str) -> Result<Decoded, String> {
    let value = parse(text)?;
    let version = version_of(&value, text)?;
    let mut decoder = Decoder { version, ..Decoder::default() };
    let configuration = decoder.configuration(&value);
    if let Some(error) = decoder.type_error {
        return Err(error);
    }
    if !decoder.unknown_fields.is_empty() {
        return Err(format!("strict decoding error: {}", decoder.unknown_fields.join(", ")));
    }
    Ok(configuration)
}

/// The value that `text` is.
fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// The version of the configuration in `value`, if it is one that the plugin knows.
fn version_of(value: &Value, text: &str) -> Result<&'static str, String> {
    let empty = Map::new();
    let map = match value {
        Value::Object(map) => map,
        Value::Null => &empty,
        other => {
            return Err(format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                go_kind(other)
            ));
        }
    };
    let text_of = |name: &str| match map.get(name) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(other) => Err(format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go struct field .{name} of type string",
            go_kind(other)
        )),
    };
    let api_version = text_of("apiVersion")?;
    let kind = text_of("kind")?;
    if kind.is_empty() {
        return Err(format!("Object 'Kind' is missing in '{text}'"));
    }
    if api_version.is_empty() {
        return Err(format!("Object 'apiVersion' is missing in '{text}'"));
    }
    let version = api_version.split_once('/').filter(|(group, _)| *group == GROUP && kind == KIND);
    version.and_then(|(_, version)| VERSIONS.into_iter().find(|known| *known == version)).ok_or_else(|| {
        format!(
            "no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31\""
        )
    })
}

/// Walks a configuration, and keeps what Go's decoder would say: the first wrong type, or every unknown field.
#[derive(Default)]
struct Decoder {
    version: &'static str,
    type_error: Option<String>,
    unknown_fields: Vec<String>,
}

/// A field that is being read: its struct in Go and its place.
struct Place<'a> {
    holder: &'static str,
    path: Cow<'a, str>,
}

impl Decoder {
    fn configuration(&mut self, value: &Value) -> Decoded {
        let mut decoded = Decoded::default();
        for (key, value) in value.as_object().into_iter().flatten() {
            let place = Place { holder: KIND, path: key.into() };
            match key.as_str() {
                "apiVersion" | "kind" => {}
                "defaults" => {
                    if let Some(map) = self.map(value, &place, "PodSecurityDefaults") {
                        decoded.defaults = self.defaults(map);
                    }
                }
                "exemptions" => {
                    if let Some(map) = self.map(value, &place, "PodSecurityExemptions") {
                        decoded.exemptions = self.exemptions(map);
                    }
                }
                _ => self.unknown_field(&place),
            }
        }
        decoded
    }

    fn defaults(&mut self, map: &Map) -> [(String, String); 3] {
        let mut defaults = <[(String, String); 3]>::default();
        for (key, value) in map {
            let place = Place { holder: "PodSecurityDefaults", path: format!("defaults.{key}").into() };
            let name = key.strip_suffix("-version").unwrap_or(key);
            let mode = Mode::ALL.into_iter().zip(&mut defaults).find(|(mode, _)| mode.name() == name);
            match mode {
                Some((_, (level, _))) if name == key => *level = self.text(value, &place),
                Some((_, (_, version))) => *version = self.text(value, &place),
                None => self.unknown_field(&place),
            }
        }
        defaults
    }

    fn exemptions(&mut self, map: &Map) -> Exemptions {
        let mut exemptions = Exemptions::default();
        for (key, value) in map {
            let place = Place { holder: "PodSecurityExemptions", path: format!("exemptions.{key}").into() };
            let list = match key.as_str() {
                "usernames" => &mut exemptions.usernames,
                "namespaces" => &mut exemptions.namespaces,
                "runtimeClasses" => &mut exemptions.runtime_classes,
                _ => {
                    self.unknown_field(&place);
                    continue;
                }
            };
            *list = self.texts(value, &place);
        }
        exemptions
    }

    fn map<'v>(&mut self, value: &'v Value, place: &Place<'_>, type_name: &str) -> Option<&'v Map> {
        if !value.is_object() {
            self.wrong_type(value, place, &format!("{}.{type_name}", self.version));
        }
        value.as_object()
    }

    fn texts(&mut self, value: &Value, place: &Place<'_>) -> Vec<String> {
        let Value::Array(items) = value else {
            self.wrong_type(value, place, "[]string");
            return Vec::new();
        };
        items.iter().map(|item| self.text(item, place)).collect()
    }

    fn text(&mut self, value: &Value, place: &Place<'_>) -> String {
        if !value.is_string() {
            self.wrong_type(value, place, "string");
        }
        value.as_str().unwrap_or_default().to_owned()
    }

    fn wrong_type(&mut self, value: &Value, place: &Place<'_>, type_name: &str) {
        if value.is_null() {
            return;
        }
        let Place { holder, path } = place;
        self.type_error.get_or_insert_with(|| {
            let kind = go_kind(value);
            format!("json: cannot unmarshal {kind} into Go struct field {holder}.{path} of type {type_name}")
        });
    }

    fn unknown_field(&mut self, place: &Place<'_>) {
        self.unknown_fields.push(format!("unknown field \"{}\"", place.path));
    }
}

/// What Go's JSON decoder calls the kind of `value`.
fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(mut configuration: Value) -> Result<Configuration, String> {
        configuration["apiVersion"] = json!("pod-security.admission.config.k8s.io/v1");
        configuration["kind"] = json!("PodSecurityConfiguration");
        Configuration::load(Some(&configuration.to_string()))
    }

    fn error(configuration: Value) -> String {
        load(configuration).unwrap_err()
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
            "failed to initialize admission plugin \"PodSecurity\": PodSecurity configuration error: \
             [enforce: must be one of privileged, baseline, restricted, audit-version: must be \"latest\" or \"v1.x\", \
             warn: must be one of privileged, baseline, restricted]"
        );
        assert_eq!(
            error(json!({"defaults": {"warn": "x"}, "exemptions": {"usernames": [""]}})),
            "failed to initialize admission plugin \"PodSecurity\": PodSecurity configuration error: \
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
                "failed to initialize admission plugin \"PodSecurity\": PodSecurity invalid: \
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
        let load = |text: &str| Configuration::load(Some(text)).unwrap_err();
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
