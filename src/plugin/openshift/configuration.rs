//! Configurations of OpenShift's plugins: one version of one kind, whose unknown fields do not matter.
//!
//! Source: `github.com/openshift/library-go/pkg/config/helpers/readresource.go`.

use crate::api::Value;
use crate::go::{json, quote};
use crate::manifest::versioned;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use crate::source::SourceFile;

/// The place in the source where the kinds are registered.
const SCHEME: &str = "github.com/openshift/library-go/pkg/config/helpers/readresource.go:36";

/// The type of a field of a configuration, as Go names it.
#[derive(Clone, Copy)]
pub(super) enum FieldType {
    /// A number without a fraction.
    Int64,
    /// A flag.
    Bool,
    /// A text.
    Text,
    /// A list of texts.
    Texts,
}

/// Returns the configuration of `kind` in `group`, if there is one; masters of Origin have it in no group. The
/// `fields` must be of their types.
pub(super) fn read(
    initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
    (group, kind): (&str, &str),
    fields: &[(&str, FieldType)],
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
            let json = crate::go::json::to_string(&value);
            return Err(refuse(format!("Object '{field}' is missing in '{json}'")));
        }
    }
    let is_origins = initializer.openshift.server.is_origin() && version == "v1";
    if found != kind || !is_origins && version != format!("{group}/v1") {
        return Err(refuse(unregistered(found, version, SCHEME)));
    }
    for (field, wanted) in fields {
        check(&value, kind, field, *wanted).map_err(refuse)?;
    }
    Ok(Some(value))
}

/// Returns the document of a configuration.
pub(super) fn document(configuration: &PluginConfiguration) -> Result<Value, FactoryError> {
    let source = SourceFile::new("", configuration.text.as_str());
    let document =
        versioned::document(&source).map_err(|error| FactoryError::Configuration(error.to_string()))?;
    Ok(document.node.into_value())
}

/// Returns Go's error about a kind that is unknown to the scheme created at `place`.
pub(super) fn unregistered(kind: &str, version: &str, place: &str) -> String {
    let (kind, version, place) = (quote(kind), quote(version), quote(place));
    format!("no kind {kind} is registered for version {version} in scheme {place}")
}

fn check(value: &Value, kind: &str, field: &str, wanted: FieldType) -> Result<(), String> {
    let Some(given) = value.get(field).filter(|given| !given.is_null()) else { return Ok(()) };
    let found = match given {
        Value::Number(number) => format!("number {number}"),
        other => json::kind(other).to_owned(),
    };
    let refuse = |found: &str, name: &str| {
        Err(format!("json: cannot unmarshal {found} into Go struct field {kind}.{field} of type {name}"))
    };
    match (wanted, given) {
        (FieldType::Int64, Value::Number(number)) if number.as_i64().is_some() => Ok(()),
        (FieldType::Int64, _) => refuse(&found, "int64"),
        (FieldType::Bool, Value::Bool(_)) | (FieldType::Text, Value::String(_)) => Ok(()),
        (FieldType::Bool, _) => refuse(json::kind(given), "bool"),
        (FieldType::Text, _) => refuse(json::kind(given), "string"),
        (FieldType::Texts, Value::Array(items)) => {
            match items.iter().find(|item| !item.is_string() && !item.is_null()) {
                Some(item) => refuse(json::kind(item), "string"),
                None => Ok(()),
            }
        }
        (FieldType::Texts, _) => refuse(json::kind(given), "[]string"),
    }
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
