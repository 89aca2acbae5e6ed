//! The documents that Kubernetes publishes about a release.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The documents of one release.
pub(crate) struct Documents {
    /// The release, such as `1.36`.
    pub(crate) release: String,
    /// The definitions of OpenAPI by their full names.
    pub(crate) definitions: BTreeMap<String, Value>,
    /// The resources of discovery, in its order.
    pub(crate) resources: Vec<Value>,
    /// The feature gates that can be set, by name.
    pub(crate) gates: BTreeMap<String, Value>,
    /// The additions and removals in the releases up to this one.
    pub(crate) history: Value,
}

impl Documents {
    /// Reads the documents in `directory`: of `release`, or of the newest one present.
    pub(crate) fn read(directory: &Path, release: Option<&str>) -> Result<Self, String> {
        let release = match release {
            Some(release) => release.to_owned(),
            None => last_release(directory)?,
        };
        let read = |name: &str| {
            let path = directory.join(format!("{name}.json"));
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            serde_json::from_str::<Value>(&text).map_err(|error| format!("{}: {error}", path.display()))
        };
        let documents = Self {
            definitions: definitions(read(&format!("openapi-v{release}"))?),
            resources: read(&format!("resources-v{release}"))?.as_array().cloned().unwrap_or_default(),
            gates: entries(read(&format!("feature-gates-v{release}"))?),
            history: read("history")?,
            release,
        };
        if documents.definitions.is_empty() || documents.resources.is_empty() || documents.gates.is_empty() {
            return Err(format!("{}: a document of {} is empty", directory.display(), documents.release));
        }
        Ok(documents)
    }
}

fn last_release(directory: &Path) -> Result<String, String> {
    let files = fs::read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let releases = files.filter_map(|file| {
        let name = file.ok()?.file_name().into_string().ok()?;
        let minor = name.strip_prefix("openapi-v1.")?.strip_suffix(".json")?;
        minor.parse::<u32>().ok()
    });
    let last = releases.max().ok_or_else(|| format!("{}: no openapi-v1.*.json", directory.display()))?;
    Ok(format!("1.{last}"))
}

/// Returns the definitions in a bare table of them or in a whole OpenAPI document.
fn definitions(mut document: Value) -> BTreeMap<String, Value> {
    for place in ["/components/schemas", "/definitions"] {
        if let Some(found) = document.pointer_mut(place) {
            return entries(found.take());
        }
    }
    entries(document)
}

fn entries(value: Value) -> BTreeMap<String, Value> {
    match value {
        Value::Object(entries) => entries.into_iter().collect(),
        _ => BTreeMap::new(),
    }
}

/// Returns the full name of the definition that a schema refers to, even if it is wrapped to have a default.
pub(crate) fn referred(schema: &Value) -> Option<&str> {
    let wrapped = schema["allOf"].as_array().and_then(|all| all.first()).unwrap_or(schema);
    let reference = wrapped["$ref"].as_str()?;
    Some(reference.rsplit('/').next().unwrap_or(reference))
}

/// Returns the texts of a list.
pub(crate) fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}
