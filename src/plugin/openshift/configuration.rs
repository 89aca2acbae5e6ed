//! Configurations of OpenShift's plugins: one version of one kind, whose unknown fields do not matter.
//!
//! Source: `github.com/openshift/library-go/pkg/config/helpers/readresource.go`.

use crate::api::Value;
use crate::go::quote;
use crate::manifest::versioned;
use crate::plugin::{FactoryError, PluginConfiguration};
use crate::source::SourceFile;

/// The place in the source where the kinds are registered.
const SCHEME: &str = "github.com/openshift/library-go/pkg/config/helpers/readresource.go:36";

/// Returns the configuration of `kind` in `group`, if there is one.
pub(super) fn read(
    configuration: Option<&PluginConfiguration>,
    group: &str,
    kind: &str,
) -> Result<Option<Value>, FactoryError> {
    let Some(configuration) = configuration.filter(|given| !given.text.trim().is_empty()) else {
        return Ok(None);
    };
    let source = SourceFile::new("", configuration.text.as_str());
    let document =
        versioned::document(&source).map_err(|error| FactoryError::Configuration(error.to_string()))?;
    let value = document.node.into_value();
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    let (found, version) = (text("kind").to_owned(), text("apiVersion").to_owned());
    let json = crate::go::json::to_string(&value);
    if found.is_empty() {
        return Err(FactoryError::Configuration(format!("Object 'Kind' is missing in '{json}'")));
    }
    if version.is_empty() {
        return Err(FactoryError::Configuration(format!("Object 'apiVersion' is missing in '{json}'")));
    }
    if found != kind || version != format!("{group}/v1") && !(group.is_empty() && version == "v1") {
        return Err(FactoryError::Configuration(format!(
            "no kind {} is registered for version {} in scheme {}",
            quote(&found),
            quote(&version),
            quote(SCHEME)
        )));
    }
    Ok(Some(value))
}

/// Whether a configuration only switches its plugin on or off: `DefaultAdmissionConfig` of Origin.
pub(crate) fn switch_of(configuration: Option<&PluginConfiguration>) -> Option<bool> {
    let source = SourceFile::new("", configuration?.text.as_str());
    let value = versioned::document(&source).ok()?.node.into_value();
    let is_switch = value.get("kind").and_then(Value::as_str) == Some("DefaultAdmissionConfig");
    is_switch.then(|| value.get("disable").and_then(Value::as_bool) == Some(true))
}

/// Returns the items of the list of texts `field`.
pub(super) fn texts(value: &Value, field: &str) -> Vec<String> {
    let items = value.get(field).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
