//! The bodies of requests that change something: objects and patches.

use gotext::source::{Data, Entry, Node, SourceFile};

use crate::evaluation::{Patch, validate_write_options};
use crate::serve::answer::{JSON, YAML, unsupported_media_type};
use crate::serve::shelf::Shelf;
use crate::serve::write::Writing;
use kube_api::decode::{self, DecodeError, FieldValidation};
use kube_api::field::{self, Path};
use kube_api::{GroupVersionKind, Map, Status, StatusDetails, Value, protobuf, schema};
use kube_yaml::{Document, Item, StrictError, restore_fractions};

const JSON_PATCH: &str = "application/json-patch+json";
const MERGE_PATCH: &str = "application/merge-patch+json";
const STRATEGIC_MERGE_PATCH: &str = "application/strategic-merge-patch+json";
const APPLY_PATCH: &str = "application/apply-patch+yaml";

/// The operations of a JSON patch that are too many.
const MAX_PATCH_OPERATIONS: usize = 10_000;

impl Writing {
    /// Returns the media type of the body, without parameters that can be read.
    ///
    /// Source: `mime.ParseMediaType`
    pub(super) fn media_type(&self) -> &str {
        let whole = self.content_type.trim();
        let mut parts = whole.strip_suffix(';').unwrap_or(whole).split(';').map(str::trim);
        let media_type = parts.next().unwrap_or_default();
        let is_parameter = |part: &str| part.split_once('=').is_some_and(|(name, _)| !name.is_empty());
        // A patch names its type before what it says about it.
        if self.verb == "patch" || parts.all(is_parameter) { media_type } else { whole }
    }

    /// Refuses a body of a type that objects do not have.
    pub(super) fn check_media_type(&self) -> Result<(), Status> {
        match self.media_type() {
            "" | JSON | YAML | protobuf::MEDIA_TYPE => Ok(()),
            _ => Err(unsupported_media_type(&[JSON, YAML, protobuf::MEDIA_TYPE])),
        }
    }

    /// Reads an object in the form of typed clients in Go; `unrecognized` returns the refusal of one with an error.
    pub(super) fn object_of_protobuf(&self, unrecognized: impl Fn(&str) -> Status) -> Result<Node, Status> {
        let (kind, tables) = (self.served.kind(), schema::of_release(self.release));
        let value = protobuf::read(&self.body, kind, tables).map_err(|error| match error {
            protobuf::Error::UnknownKind => unsupported_media_type(&[JSON, YAML]),
            error => unrecognized(&error.to_string()),
        })?;
        Ok(Node::from(value))
    }

    /// Returns the refusal of a body with an error that is not an object of the resource.
    pub(super) fn unrecognized(&self, error: &str, body: &[u8]) -> Status {
        let (kind, summary) = (&self.served.kind().kind, decode::summary(body));
        let message =
            format!("the object provided is unrecognized (must be of type {kind}): {error} ({summary})");
        *DecodeError::new(message).status
    }

    /// Reads the object in the body.
    pub(super) fn object(&self) -> Result<Item, Status> {
        self.item(|error, text| self.unrecognized(error, text.as_bytes()))
    }

    /// Reads the body; `unrecognized` returns the refusal of one with an error.
    pub(super) fn item(&self, unrecognized: impl Fn(&str, &str) -> Status) -> Result<Item, Status> {
        self.check_media_type()?;
        let is_json = self.media_type() != YAML;
        let text = str::from_utf8(&self.body).map_err(|_| unrecognized("the body is not UTF-8", ""))?;
        // Go leaves an object as it is that it reads from null.
        let text = if text.trim() == "null" { "{}" } else { text };
        let source = SourceFile::new(self.title.clone(), text);
        if is_json && !text.trim_start().starts_with('{') {
            let error = match kube_yaml::read_json(text) {
                Ok(_) => no_kind(text),
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

    /// Reads the patch in the body of a request for an object on `shelf`, and finds the keys that it has twice.
    pub(super) fn patch(&self, shelf: &Shelf) -> Result<(Patch, Vec<String>), Status> {
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
        let validation = decode::field_validation_in(self.release, self.field_validation());
        let validates = validation != FieldValidation::Ignore;
        // The patch of an object that does not exist is not read, unless it can create it.
        if media_type != APPLY_PATCH || !self.path.sub_resource.is_empty() {
            self.reading(shelf).find()?;
        }
        if media_type == APPLY_PATCH {
            return self.manifest(validates);
        }
        let text = String::from_utf8_lossy(&self.body);
        let about =
            if validates && media_type != STRATEGIC_MERGE_PATCH { "error decoding patch: " } else { "" };
        let refused = |error: &str| Status::new_bad_request(format!("{about}{error}"));
        let Document { mut node, strict_errors, .. } = match kube_yaml::read_json(&text) {
            Err(_) if media_type == MERGE_PATCH && !validates => return Err(no_merge_patch()),
            read => read.map_err(|error| refused(&error))?,
        };
        if let Some(number) = beyond_floats(&node, &text) {
            let error = format!("json: cannot unmarshal number {number} into Go value of type float64");
            return Err(refused(&error));
        }
        // A strategic merge is one of values, into which Go converts whole numbers.
        if !is_custom && media_type != STRATEGIC_MERGE_PATCH {
            restore_fractions(&mut node, &text);
        }
        let mut strict = strict_errors;
        if media_type == JSON_PATCH && validates {
            check_operations(&node, &mut strict).map_err(|error| refused(&error))?;
        }
        let strict = strict.into_iter().filter(|_| validates).map(|error| match media_type {
            JSON_PATCH => format!("json patch {}", error.text),
            _ => error.text,
        });
        let strict = strict.collect();
        let patch = Node::into_value(node);
        let not_a_map = || refused(&format!("{}map[string]interface {{}}", not_into(&patch.to_string())));
        Ok(match (media_type, &patch) {
            (JSON_PATCH, Value::Array(_) | Value::Null) => {
                check_size(&patch)?;
                (Patch::Json(patch), strict)
            }
            (JSON_PATCH, _) => {
                let found = not_into(&patch.to_string());
                return Err(Status::new_bad_request(format!("{found}jsonpatch.Patch")));
            }
            (MERGE_PATCH, Value::Object(_)) => (Patch::Merge(patch), strict),
            (MERGE_PATCH, Value::Null) => return Err(no_merge_patch()),
            (MERGE_PATCH, _) if validates => return Err(not_a_map()),
            (MERGE_PATCH, Value::Array(_)) => {
                // It replaces the object, and is none.
                let text = patch.to_string();
                let error = field::Error::invalid_text(&Path::new("patch"), &text, no_kind(&text));
                return Err(Status::new_invalid(&GroupVersionKind::default(), "", &[error]));
            }
            (MERGE_PATCH, _) => return Err(no_merge_patch()),
            (_, Value::Object(map)) => (Patch::StrategicMerge(map.clone()), strict),
            (_, Value::Null) => (Patch::StrategicMerge(Map::new()), strict),
            _ => return Err(not_a_map()),
        })
    }

    /// Reads the manifest of a server-side apply.
    fn manifest(&self, validates: bool) -> Result<(Patch, Vec<String>), Status> {
        let text = str::from_utf8(&self.body).map_err(|_| bad_yaml("the body is not UTF-8"))?;
        let source = SourceFile::new(self.title.clone(), text);
        let document = kube_yaml::read_first_yaml(&source)
            .map_err(|error| bad_yaml(&format!("error converting YAML to JSON: {error}")))?;
        let repeated = document.strict_errors.into_iter().filter(|_| validates).map(|error| error.text);
        let repeated = repeated.collect();
        let mut manifest = Node::into_value(document.node).untyped();
        if manifest.is_null() {
            manifest = Value::Object(Map::new());
        }
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
        let manager = self.query.get("fieldManager").unwrap_or_default().to_owned();
        Ok((Patch::Apply { manifest, manager, forces: self.query.flag("force") }, repeated))
    }

    /// Refuses a change of a custom object without its name; other resources have no such path.
    pub(super) fn check_name(&self) -> Result<(), Status> {
        if self.path.name.is_empty() { Err(Status::new_bad_request("name must be provided")) } else { Ok(()) }
    }

    /// Source: `ValidatePatchOptions`
    pub(super) fn check_patch_options(&self, is_apply: bool) -> Result<(), Status> {
        let mut errors = Vec::new();
        if is_apply && self.query.get("fieldManager").is_none() {
            errors.push(field::Error::required(&Path::new("fieldManager"), "is required for apply patch"));
        } else if !is_apply && self.query.get("force").is_some() {
            let detail = "may not be specified for non-apply patch";
            errors.push(field::Error::forbidden(&Path::new("force"), detail));
        }
        self.check_write_options("PatchOptions", errors)
    }

    /// Refuses the options of a request if they are wrong or have `errors`.
    pub(super) fn check_write_options(
        &self,
        kind: &'static str,
        mut errors: Vec<field::Error>,
    ) -> Result<(), Status> {
        errors.extend(validate_write_options(&self.write_options()));
        if errors.is_empty() {
            return Ok(());
        }
        Err(Status::new_invalid(&GroupVersionKind::new("meta.k8s.io", "v1", kind), "", &errors))
    }
}

/// Checks the types of the operations of a JSON patch, and adds the fields that they do not have to `strict`.
///
/// Source: `jsonPatchOp`
fn check_operations(patch: &Node, strict: &mut Vec<StrictError>) -> Result<(), String> {
    const FIELDS: [&str; 4] = ["op", "path", "from", "value"];
    let operations = match &patch.data {
        Data::Array(operations) => operations,
        Data::Null => return Ok(()),
        _ => return Err(format!("{}[]handlers.jsonPatchOp", not_into(&text_of(patch)))),
    };
    for (index, operation) in operations.iter().enumerate() {
        let fields = match &operation.data {
            Data::Object(fields) => fields,
            Data::Null => continue,
            _ => return Err(format!("{}handlers.jsonPatchOp", not_into(&text_of(operation)))),
        };
        for Entry { key, key_span, value } in fields {
            let name = key.as_str();
            if !FIELDS.contains(&name) {
                let text = format!("unknown field {}", gotext::quote(&format!("[{index}].{name}")));
                strict.push(StrictError { text, span: *key_span });
            } else if name != "value" && !matches!(value.data, Data::String(_) | Data::Null) {
                let found = not_into(&text_of(value)).replace("value of type ", "");
                return Err(format!("{found}struct field jsonPatchOp.{name} of type string"));
            }
        }
    }
    strict.sort_by_key(|error| error.span.start);
    Ok(())
}

/// Refuses a JSON patch with too many operations.
fn check_size(patch: &Value) -> Result<(), Status> {
    let count = patch.as_array().map_or(0, Vec::len);
    if count <= MAX_PATCH_OPERATIONS {
        return Ok(());
    }
    let message = format!(
        "Request entity too large: The allowed maximum operations in a JSON patch is {MAX_PATCH_OPERATIONS}, got {count}"
    );
    Err(Status { code: 413, reason: "RequestEntityTooLarge".to_owned(), message, ..Status::default() })
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

/// Returns Go's error about the kind of a value in JSON that is no object.
fn no_kind(text: &str) -> String {
    format!(
        "couldn't get version/kind; json parse error: {}struct {{ APIVersion string \
         \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
        not_into(text)
    )
}

fn text_of(node: &Node) -> String {
    node.clone().into_value().to_string()
}

fn no_merge_patch() -> Status {
    Status::new_bad_request("Invalid JSON Patch")
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
