//! The configured tolerations for namespaces without annotations.

use crate::plugin::FactoryError;
use crate::versioned::{Kind, Scheme};
use kube_api::Value;
use kube_api::field::Path;
use kube_registry::validation::validate_tolerations;

/// The kinds of its files, the newest first.
pub(in crate::plugin) const SCHEME: Scheme = Scheme {
    name: "pkg/admission/podtolerationrestriction/config.go:32",
    strict: false,
    kinds: &[Kind {
        api_version: "podtolerationrestriction.admission.k8s.io/v1alpha1",
        kind: "Configuration",
        table: "podtolerationrestriction/v1alpha1.Configuration",
        internal: "podtolerationrestriction.Configuration",
    }],
};

/// The configuration for the whole cluster.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Configuration {
    /// Added to new pods.
    pub(super) default: Vec<Value>,
    /// The allowed tolerations; all if empty.
    pub(super) whitelist: Vec<Value>,
}

impl Configuration {
    /// Reads and checks a configuration, or returns why the server would not start with it.
    pub(super) fn load(text: &str) -> Result<Self, FactoryError> {
        let value = SCHEME.read(text)?.value;
        let list = |field| value.at(field).and_then(Value::as_array).cloned().unwrap_or_default();
        let configuration = Self { default: list("default"), whitelist: list("whitelist") };
        configuration.validate()?;
        Ok(configuration)
    }

    fn validate(&self) -> Result<(), String> {
        let path = Path::new("podtolerationrestriction");
        let mut errors = validate_tolerations(&self.default, &path.child("default"));
        errors.extend(validate_tolerations(&self.whitelist, &path.child("whitelist")));
        if errors.is_empty() {
            return Ok(());
        }
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Err(format!("invalid config: [{}]", errors.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn load(body: &str) -> Result<Configuration, FactoryError> {
        let header = "apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1\nkind: Configuration\n";
        Configuration::load(&format!("{header}{body}"))
    }

    #[test]
    fn reads_both_lists_and_ignores_other_fields() {
        let configuration =
            load("default: [{key: a}]\nwhitelist: [{operator: Exists}]\ndefaults: 1\n").unwrap();
        assert_eq!(configuration.default, [json!({"key": "a"})]);
        assert_eq!(configuration.whitelist, [json!({"operator": "Exists"})]);
        assert_eq!(load("default: null\n"), Ok(Configuration::default()));
    }

    #[test]
    fn rejects_tolerations_that_no_pod_could_have() {
        assert_eq!(
            load("default: [{}]\nwhitelist: [{operator: Exists, value: b}]\n").unwrap_err().to_string(),
            "invalid config: [podtolerationrestriction.default[0].operator: Invalid value: \"\": operator must be Exists \
             when `key` is empty, which means \"match all values and all keys\" \
             podtolerationrestriction.whitelist[0].operator: Invalid value: \"b\": value must be empty when `operator` is \
             'Exists']"
        );
    }

    #[test]
    fn rejects_other_versions() {
        let text = "apiVersion: podtolerationrestriction.admission.k8s.io/v1\nkind: Configuration\n";
        assert_eq!(
            Configuration::load(text).unwrap_err().to_string(),
            "no kind \"Configuration\" is registered for version \"podtolerationrestriction.admission.k8s.io/v1\" in \
             scheme \"pkg/admission/podtolerationrestriction/config.go:32\""
        );
    }
}
