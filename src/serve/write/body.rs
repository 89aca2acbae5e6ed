//! The bodies of requests that change something: objects and patches.

use gotext::source::{Data, Node, SourceFile};

use crate::evaluation::Patch;
use crate::serve::answer::{JSON, YAML, unsupported_media_type};
use crate::serve::write::Writing;
use kube_api::decode::{self, DecodeError, FieldValidation};
use kube_api::field::{self, Path};
use kube_api::{GroupVersionKind, Status, StatusDetails, Value, protobuf, schema};
use kube_yaml::{Item, restore_fractions};

const JSON_PATCH: &str = "application/json-patch+json";
const MERGE_PATCH: &str = "application/merge-patch+json";
const STRATEGIC_MERGE_PATCH: &str = "application/strategic-merge-patch+json";
const APPLY_PATCH: &str = "application/apply-patch+yaml";

/// The operations of a JSON patch that are too many.
const MAX_PATCH_OPERATIONS: usize = 10_000;

impl Writing {
    /// Returns the media type of the body, without parameters.
    pub(super) fn media_type(&self) -> &str {
        self.content_type.split(';').next().unwrap_or_default().trim()
    }

    /// Reads an object in the form of typed clients in Go.
    pub(super) fn object_of_protobuf(&self) -> Result<Node, Status> {
        let (kind, tables) = (self.served.kind(), schema::of_release(self.release));
        let value = protobuf::read(&self.body, kind, tables).map_err(|error| match error {
            protobuf::Error::UnknownKind => unsupported_media_type(&[JSON, YAML]),
            error => Status::new_bad_request(format!(
                "the object provided is unrecognized (must be of type {}): {error}",
                kind.kind
            )),
        })?;
        Ok(Node::from(value))
    }

    /// Reads the object in the body.
    pub(super) fn object(&self) -> Result<Item, Status> {
        let kind = &self.served.kind().kind;
        self.item(|error, text| {
            let summary = decode::summary(text);
            let message =
                format!("the object provided is unrecognized (must be of type {kind}): {error} ({summary})");
            *DecodeError::new(message).status
        })
    }

    /// Reads the body; `unrecognized` returns the refusal of one with an error.
    pub(super) fn item(&self, unrecognized: impl Fn(&str, &str) -> Status) -> Result<Item, Status> {
        let is_json = match self.media_type() {
            "" | JSON => true,
            YAML => false,
            _ => return Err(unsupported_media_type(&[JSON, YAML, protobuf::MEDIA_TYPE])),
        };
        let text = str::from_utf8(&self.body).map_err(|_| unrecognized("the body is not UTF-8", ""))?;
        // Go leaves an object as it is that it reads from null.
        let text = if text.trim() == "null" { "{}" } else { text };
        let source = SourceFile::new(self.title.clone(), text);
        if is_json && !text.trim_start().starts_with('{') {
            let error = match kube_yaml::read_json(text) {
                Ok(_) => format!(
                    "couldn't get version/kind; json parse error: {}struct {{ APIVersion string \
                     \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                    not_into(text)
                ),
                Err(error) => format!("couldn't get version/kind; json parse error: {error}"),
            };
            return Err(unrecognized(&error, text));
        }
        let document =
            if is_json { kube_yaml::read_first(&source) } else { kube_yaml::read_first_yaml(&source) };
        let document = document.map_err(|error| unrecognized(&error.to_string(), text))?;
        let mut item = Item {
            source: document.source,
            document: 0,
            piece: document.span,
            position: None,
            span: document.node.span,
            format: document.format,
            node: document.node,
            strict_errors: document.strict_errors,
        };
        let is_typed = self.served.custom().is_none() || self.verb.starts_with("delete");
        if is_json && is_typed {
            restore_fractions(&mut item.node, text);
        }
        item.sort_keys();
        if !matches!(item.node.data, Data::Object(_)) {
            return Err(unrecognized("couldn't get version/kind; the body is not an object", text));
        }
        Ok(item)
    }

    /// Reads the patch in the body.
    pub(super) fn patch(&self) -> Result<Patch, Status> {
        let is_custom = self.served.custom().is_some();
        let accepted: &[&str] = if is_custom {
            &[JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
        } else {
            &[JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH]
        };
        let media_type = self.media_type();
        if !accepted.contains(&media_type) {
            return Err(if is_custom { unsupported_media_type(accepted) } else { unsupported() });
        }
        self.check_name()?;
        self.check_patch_options(media_type == APPLY_PATCH)?;
        if media_type == APPLY_PATCH {
            let text = str::from_utf8(&self.body).map_err(|_| bad_yaml("the body is not UTF-8"))?;
            let source = SourceFile::new(self.title.clone(), text);
            let document = kube_yaml::read_first_yaml(&source)
                .map_err(|error| bad_yaml(&format!("error converting YAML to JSON: {error}")))?;
            if let (Some(message), true) =
                (document.strict_message(), self.field_validation() != FieldValidation::Ignore)
            {
                return Err(Status::new_bad_request(format!("error strict decoding YAML: {message}")));
            }
            let manager = self.query.get("fieldManager").unwrap_or_default().to_owned();
            let manifest = Node::into_value(document.node).untyped();
            if !manifest.is_object() {
                let found = not_into(&manifest.to_string());
                return Err(bad_yaml(&format!(
                    "error unmarshaling JSON: while decoding JSON: {found}map[string]interface {{}}"
                )));
            }
            let kind = GroupVersionKind::from_api_version(manifest.text("apiVersion"), manifest.text("kind"));
            if kind != *self.served.kind() {
                let GroupVersionKind { group, version, kind } = kind;
                let error = format!("invalid object type: {group}/{version}, Kind={kind}");
                return Err(Status::new_bad_request(error));
            }
            return Ok(Patch::Apply { manifest, manager, forces: self.query.flag("force") });
        }
        let text = String::from_utf8_lossy(&self.body);
        let mut read = kube_yaml::read_json(&text)
            .map_err(|error| Status::new_bad_request(format!("error decoding patch: {error}")))?;
        if let Some(number) = beyond_floats(&read, &text) {
            let error = format!("json: cannot unmarshal number {number} into Go value of type float64");
            return Err(Status::new_bad_request(format!("error decoding patch: {error}")));
        }
        // A strategic merge is one of values, into which Go converts whole numbers.
        if !is_custom && media_type != STRATEGIC_MERGE_PATCH {
            restore_fractions(&mut read, &text);
        }
        let patch = Node::into_value(read);
        match media_type {
            JSON_PATCH if !matches!(patch, Value::Array(_) | Value::Null) => {
                let error =
                    format!("error decoding patch: {}[]handlers.jsonPatchOp", not_into(&patch.to_string()));
                Err(Status::new_bad_request(error))
            }
            JSON_PATCH => {
                let count = patch.as_array().map_or(0, Vec::len);
                if count > MAX_PATCH_OPERATIONS {
                    let message = format!(
                        "Request entity too large: The allowed maximum operations in a JSON patch is \
                         {MAX_PATCH_OPERATIONS}, got {count}"
                    );
                    let reason = "RequestEntityTooLarge".to_owned();
                    return Err(Status { code: 413, reason, message, ..Status::default() });
                }
                Ok(Patch::Json(patch))
            }
            _ if !patch.is_object() => {
                let found = not_into(&patch.to_string());
                let about = if media_type == MERGE_PATCH { "error decoding patch: " } else { "" };
                Err(Status::new_bad_request(format!("{about}{found}map[string]interface {{}}")))
            }
            MERGE_PATCH => Ok(Patch::Merge(patch)),
            _ => Ok(Patch::StrategicMerge(patch)),
        }
    }

    /// Refuses a change of a custom object without its name; other resources have no such path.
    pub(super) fn check_name(&self) -> Result<(), Status> {
        if self.path.name.is_empty() { Err(Status::new_bad_request("name must be provided")) } else { Ok(()) }
    }

    /// Source: `ValidatePatchOptions`
    pub(super) fn check_patch_options(&self, is_apply: bool) -> Result<(), Status> {
        let error = if is_apply && self.query.get("fieldManager").is_none() {
            field::Error::required(&Path::new("fieldManager"), "is required for apply patch")
        } else if !is_apply && self.query.get("force").is_some() {
            field::Error::forbidden(&Path::new("force"), "may not be specified for non-apply patch")
        } else {
            return Ok(());
        };
        let kind = GroupVersionKind::new("meta.k8s.io", "v1", "PatchOptions");
        Err(Status::new_invalid(&kind, "", &[error]))
    }
}

/// Returns the first number in JSON that is too large for a float.
fn beyond_floats<'t>(node: &Node, text: &'t str) -> Option<&'t str> {
    match &node.data {
        Data::Object(entries) => entries.iter().find_map(|entry| beyond_floats(&entry.value, text)),
        Data::Array(items) => items.iter().find_map(|item| beyond_floats(item, text)),
        Data::Number(_) => {
            let written = text.get(node.span.start..node.span.end)?;
            written.parse::<f64>().is_ok_and(f64::is_infinite).then_some(written)
        }
        _ => None,
    }
}

/// Returns the beginning of Go's error about a value that is no object, or no list where one is expected.
fn not_into(text: &str) -> String {
    let found = match text.trim_start().as_bytes().first() {
        Some(b'[') => "array",
        Some(b'{') => "object",
        Some(b'"') => "string",
        Some(b't' | b'f') => "bool",
        _ => "number",
    };
    format!("json: cannot unmarshal {found} into Go value of type ")
}

/// Returns the router's refusal of a body of another type.
fn unsupported() -> Status {
    Status {
        code: 415,
        reason: "UnsupportedMediaType".to_owned(),
        message: "415: Unsupported Media Type".to_owned(),
        details: Some(StatusDetails::default()),
        ..Status::default()
    }
}

fn bad_yaml(error: &str) -> Status {
    Status::new_bad_request(format!("error decoding YAML: {error}"))
}
