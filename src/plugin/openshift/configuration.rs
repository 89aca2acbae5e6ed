//! Configurations of OpenShift's plugins: one version of one kind, whose unknown fields do not matter.
//!
//! Source: `github.com/openshift/library-go/pkg/config/helpers/readresource.go`.

use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use gotext::quote;
use gotext::source::{Node, SourceFile};
use kube_api::decode::{self, FieldValidation};
use kube_api::{Value, schema};

/// The place in the source where the kinds are registered.
const SCHEME: &str = "github.com/openshift/library-go/pkg/config/helpers/readresource.go:36";

/// Returns the configuration of `kind` in `group` by its Go type, if there is one; masters of Origin have it in no group.
pub(super) fn read(
    initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
    (group, kind): (&str, &str),
) -> Result<Option<Value>, FactoryError> {
    let Some(configuration) = configuration.filter(|given| !given.text.trim().is_empty()) else {
        return Ok(None);
    };
    let refuse = |error: String| FactoryError::Configuration(format!("error reading config: {error}"));
    let value = document(configuration).map_err(|error| refuse(error.to_string()))?;
    let text = |field: &str| value.text(field);
    let (found, version) = (text("kind"), text("apiVersion"));
    for (field, given) in [("Kind", found), ("apiVersion", version)] {
        if given.is_empty() {
            let json = gotext::encoding_json::to_string(&value);
            return Err(refuse(format!("Object '{field}' is missing in '{json}'")));
        }
    }
    let is_origins = initializer.server.is_origin() && version == "v1";
    if found != kind || !is_origins && version != format!("{group}/v1") {
        return Err(refuse(unregistered(found, version, SCHEME)));
    }
    typed(value, kind).map(Some).map_err(refuse)
}

/// Returns the document of a configuration.
pub(super) fn document(configuration: &PluginConfiguration) -> Result<Value, FactoryError> {
    let source = SourceFile::new("", configuration.text.as_str());
    let document =
        kube_yaml::read_first(&source).map_err(|error| FactoryError::Configuration(error.to_string()))?;
    Ok(document.node.into_value())
}

/// Returns Go's error about a kind that is unknown to the scheme created at `place`.
pub(super) fn unregistered(kind: &str, version: &str, place: &str) -> String {
    let (kind, version, place) = (quote(kind), quote(version), quote(place));
    format!("no kind {kind} is registered for version {version} in scheme {place}")
}

/// Returns the fields of a configuration that its type has; or Go's error about one of another type.
pub(super) fn typed(value: Value, kind: &str) -> Result<Value, String> {
    let table = schema::named(&format!("openshift/plugins/v1.{kind}"));
    let table = table.expect("the tables have the configurations of OpenShift's plugins");
    let read = decode::read(Node::from(value), table, FieldValidation::Ignore, &[]);
    read.map(|(value, _)| value).map_err(|fault| fault.message())
}

/// Whether a configuration only switches its plugin on or off: `DefaultAdmissionConfig` of Origin.
pub(crate) fn switch_of(configuration: Option<&PluginConfiguration>) -> Option<bool> {
    let source = SourceFile::new("", configuration?.text.as_str());
    let value = kube_yaml::read_first(&source).ok()?.node.into_value();
    let is_switch = value.get("kind").and_then(Value::as_str) == Some("DefaultAdmissionConfig");
    is_switch.then(|| value.get("disable").and_then(Value::as_bool) == Some(true))
}

/// Returns the items of the list of texts `field`.
pub(super) fn texts(value: &Value, field: &str) -> Vec<String> {
    let items = value.get(field).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
