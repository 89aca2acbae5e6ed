//! The plugin's configuration: what nobody may have without a quota for it.

use serde_json::Deserializer;

use super::scopes::ScopedResourceSelectorRequirement;
use crate::api::field::{Error, Path, aggregate, go_quote};
use crate::api::{GroupResource, Value, at};

/// The versions under which the server knows the configuration; all have the same fields.
const KINDS: &[(&str, &str)] = &[
    ("apiserver.config.k8s.io/v1", "ResourceQuotaConfiguration"),
    ("resourcequota.admission.k8s.io/v1beta1", "Configuration"),
    ("resourcequota.admission.k8s.io/v1alpha1", "Configuration"),
];

/// What the administrator limits by default.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    pub(super) limited_resources: Vec<LimitedResource>,
}

/// A resource whose consumption needs a quota that covers it.
#[derive(Debug)]
pub(super) struct LimitedResource {
    pub(super) resource: GroupResource,
    /// Texts that the names of the resources in question contain.
    pub(super) match_contains: Vec<String>,
    /// Objects that match need a quota with that scope.
    pub(super) match_scopes: Vec<ScopedResourceSelectorRequirement>,
}

impl Configuration {
    /// Reads a configuration, or says why the server would not start with it.
    pub(super) fn load(text: &str) -> Result<Self, String> {
        let value = parse(text)?;
        let text_of = |field| at(&value, &[field]).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind) = (text_of("apiVersion"), text_of("kind"));
        if kind.is_empty() {
            return Err(format!("Object 'Kind' is missing in '{text}'"));
        }
        if api_version.is_empty() {
            return Err(format!("Object 'apiVersion' is missing in '{text}'"));
        }
        if !KINDS.contains(&(api_version, kind)) {
            return Err(format!(
                "no kind {} is registered for version {} in scheme \"k8s.io/apiserver/pkg/admission/plugin/resourcequota/config.go:31\"",
                go_quote(kind),
                go_quote(api_version)
            ));
        }
        let unknown = unknown_fields(&value);
        if !unknown.is_empty() {
            return Err(format!("strict decoding error: {}", unknown.join(", ")));
        }
        let limited_resources: Vec<_> =
            list(&value, "limitedResources").iter().map(LimitedResource::of).collect();
        validate(&limited_resources)?;
        Ok(Self { limited_resources })
    }
}

impl LimitedResource {
    fn of(value: &Value) -> Self {
        let text = |field| at(value, &[field]).and_then(Value::as_str).unwrap_or_default().to_owned();
        let contains = list(value, "matchContains").iter().filter_map(Value::as_str);
        Self {
            resource: GroupResource { group: text("apiGroup").into(), resource: text("resource").into() },
            match_contains: contains.map(str::to_owned).collect(),
            match_scopes: list(value, "matchScopes")
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

fn parse(text: &str) -> Result<Value, String> {
    let mut documents = Deserializer::from_str(text).into_iter::<Value>();
    documents.next().unwrap_or(Ok(Value::Null)).map_err(|error| error.to_string())
}

fn unknown_fields(value: &Value) -> Vec<String> {
    let mut unknown = Vec::new();
    note_unknown(value, "", &["apiVersion", "kind", "limitedResources"], &mut unknown);
    for (index, limited) in list(value, "limitedResources").iter().enumerate() {
        let place = format!("limitedResources[{index}].");
        note_unknown(
            limited,
            &place,
            &["apiGroup", "resource", "matchContains", "matchScopes"],
            &mut unknown,
        );
        for (index, scope) in list(limited, "matchScopes").iter().enumerate() {
            let place = format!("{place}matchScopes[{index}].");
            note_unknown(scope, &place, &["scopeName", "operator", "values"], &mut unknown);
        }
    }
    unknown
}

fn note_unknown(value: &Value, place: &str, known: &[&str], unknown: &mut Vec<String>) {
    let fields = value.as_object().into_iter().flatten().map(|(field, _)| field);
    let fields = fields.filter(|field| !known.contains(&field.as_str()));
    unknown.extend(fields.map(|field| format!("unknown field {}", go_quote(&format!("{place}{field}")))));
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    at(value, &[field]).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn load(api_version: &str, kind: &str, limited_resources: &Value) -> Result<Configuration, String> {
        let value = json!({"apiVersion": api_version, "kind": kind, "limitedResources": limited_resources});
        Configuration::load(&value.to_string())
    }

    #[test]
    fn reads_every_version() {
        let limited = json!([{"resource": "pods", "matchContains": ["cpu"], "matchScopes": [{"scopeName": "PriorityClass", "operator": "Exists"}]}]);
        for (api_version, kind) in KINDS {
            let configuration = load(api_version, kind, &limited).unwrap();
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
            load(KINDS[0].0, KINDS[0].1, &json!([{"resource": "pods", "matchContain": ["cpu"]}]))
                .unwrap_err(),
            "strict decoding error: unknown field \"limitedResources[0].matchContain\""
        );
        assert_eq!(
            load(KINDS[0].0, KINDS[0].1, &json!([{}, {"resource": ""}])).unwrap_err(),
            "[limitedResources[0].resource: Required value, limitedResources[1].resource: Required value]"
        );
        assert_eq!(Configuration::load("{}").unwrap_err(), "Object 'Kind' is missing in '{}'");
    }
}
