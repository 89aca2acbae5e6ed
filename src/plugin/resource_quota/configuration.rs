//! The plugin's configuration: the resources that may not be used without a quota for them.

use gotext::value::json;

use crate::plugin::FactoryError;
use crate::quota::scopes::ScopedResourceSelectorRequirement;
use crate::versioned::{Kind, Scheme};
use kube_api::field::{Error, Path, aggregate};
use kube_api::version::Version;
use kube_api::{GroupResource, Value};

/// The kinds of its files, the newest first.
pub(in crate::plugin) const SCHEME: Scheme = Scheme {
    name: "k8s.io/apiserver/pkg/admission/plugin/resourcequota/config.go:31",
    strict: true,
    kinds: &[
        kind("apiserver.config.k8s.io/v1", "ResourceQuotaConfiguration", "resourcequota/v1.Configuration"),
        kind(
            "resourcequota.admission.k8s.io/v1beta1",
            "Configuration",
            "resourcequota/v1beta1.Configuration",
        ),
        kind(
            "resourcequota.admission.k8s.io/v1alpha1",
            "Configuration",
            "resourcequota/v1alpha1.Configuration",
        ),
    ],
};

const fn kind(api_version: &'static str, kind: &'static str, table: &'static str) -> Kind {
    Kind { api_version, kind, table, internal: "resourcequota.Configuration" }
}

/// The limits by default.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    pub(super) limited_resources: Vec<LimitedResource>,
}

/// A resource whose consumption needs a quota that covers it.
#[derive(Debug)]
pub(super) struct LimitedResource {
    pub(super) resource: GroupResource,
    /// Substrings of the names of the limited resources.
    pub(super) match_contains: Vec<String>,
    /// Objects that match need a quota with that scope.
    pub(super) match_scopes: Vec<ScopedResourceSelectorRequirement>,
}

impl Configuration {
    /// Reads a configuration, or returns why a server of `release` would not start with it.
    pub(super) fn load(text: &str, release: Version) -> Result<Self, FactoryError> {
        let strict = release >= Version::minor(32);
        let value = Scheme { strict, ..SCHEME }.read(text)?.value;
        let limited_resources: Vec<_> =
            value.list("limitedResources").iter().map(LimitedResource::of).collect();
        validate(&limited_resources)?;
        Ok(Self { limited_resources })
    }

    /// Returns the configuration with its defaults, in its newest version.
    pub(super) fn to_value(&self) -> Value {
        let limited = self.limited_resources.iter().map(|limited| {
            json!({
                "apiGroup": limited.resource.group,
                "resource": limited.resource.resource,
                "matchContains": limited.match_contains,
                "matchScopes": limited
                    .match_scopes
                    .iter()
                    .map(ScopedResourceSelectorRequirement::to_value)
                    .collect::<Vec<_>>(),
            })
        });
        json!({"limitedResources": limited.collect::<Vec<_>>()})
    }
}

impl LimitedResource {
    fn of(value: &Value) -> Self {
        let text = |field| value.text(field).to_owned();
        let contains = value.list("matchContains").iter().filter_map(Value::as_str);
        Self {
            resource: GroupResource { group: text("apiGroup").into(), resource: text("resource").into() },
            match_contains: contains.map(str::to_owned).collect(),
            match_scopes: value
                .list("matchScopes")
                .iter()
                .map(ScopedResourceSelectorRequirement::of)
                .collect(),
        }
    }
}

/// Source: `ValidateConfiguration`.
fn validate(limited_resources: &[LimitedResource]) -> Result<(), String> {
    let path = Path::new("limitedResources");
    let nameless =
        limited_resources.iter().enumerate().filter(|(_, limited)| limited.resource.resource.is_empty());
    let errors: Vec<_> =
        nameless.map(|(index, _)| Error::required(&path.index(index).child("resource"), "")).collect();
    if errors.is_empty() { Ok(()) } else { Err(aggregate(&errors)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(api_version: &str, kind: &str, limited_resources: &Value) -> Result<Configuration, String> {
        let value = json!({"apiVersion": api_version, "kind": kind, "limitedResources": limited_resources});
        Configuration::load(&value.to_string(), Version::BINARY).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_every_version() {
        let limited = json!([{"resource": "pods", "matchContains": ["cpu"], "matchScopes": [{"scopeName": "PriorityClass", "operator": "Exists"}]}]);
        for kind in SCHEME.kinds {
            let configuration = load(kind.api_version, kind.kind, &limited).unwrap();
            let limited = &configuration.limited_resources[0];
            assert_eq!(limited.resource, GroupResource::new("", "pods"));
            assert_eq!(limited.match_contains, ["cpu"]);
            assert_eq!(limited.match_scopes[0].to_string(), "{PriorityClass Exists []}");
        }
    }

    #[test]
    fn refuses_what_the_server_does_not_start_with() {
        assert_eq!(
            load("apiserver.config.k8s.io/v1", "Configuration", &json!([])).unwrap_err(),
            "no kind \"Configuration\" is registered for version \"apiserver.config.k8s.io/v1\" in scheme \"k8s.io/apiserver/pkg/admission/plugin/resourcequota/config.go:31\""
        );
        assert_eq!(
            load(
                "apiserver.config.k8s.io/v1",
                "ResourceQuotaConfiguration",
                &json!([{"resource": "pods", "matchContain": ["cpu"]}])
            )
            .unwrap_err(),
            "strict decoding error: unknown field \"limitedResources[0].matchContain\""
        );
        assert_eq!(
            load("apiserver.config.k8s.io/v1", "ResourceQuotaConfiguration", &json!([{}, {"resource": ""}]))
                .unwrap_err(),
            "[limitedResources[0].resource: Required value, limitedResources[1].resource: Required value]"
        );
        assert_eq!(
            Configuration::load("{}", Version::BINARY).unwrap_err().to_string(),
            "Object 'Kind' is missing in '{}'"
        );
    }
}
