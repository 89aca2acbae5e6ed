//! Reads an object the way the API server does: by the types of its kind, with Go's errors; and writes it as the
//! server's encoder does.
//!
//! Custom resources have schemas instead of types and are not read here.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers`, `k8s.io/apimachinery/pkg/runtime/serializer`,
//! `sigs.k8s.io/json`.

mod complete;
mod encoded;
mod fault;
mod registered;
mod spelling;
mod type_meta;
mod walk;

use crate::field::Path;
use crate::version::Version;
use crate::{GroupVersionKind, Map, Object, Status, Value, schema};
use gotext::quantity::Quantity;
use gotext::quote;
use gotext::source::{Node, Span};

use walk::Walk;

pub use encoded::{empty, normalize, normalize_as, normalize_in};
pub use fault::Fault;
pub use registered::group_versions;
pub use type_meta::{group_version, interpret, qualify};

/// The context in which an object is read.
#[derive(Clone, Copy, Debug)]
pub struct DecodeContext<'a> {
    /// The kind that the URL of the request names.
    pub kind: &'a GroupVersionKind,
    /// The treatment of fields that the kind does not have.
    pub field_validation: FieldValidation,
    /// The repeated keys that the YAML reader found, in its words: `line 8: key "a" already set in map`. If there are
    /// any, repeated keys are not reported again; those of JSON are found here.
    pub strict_errors: &'a [String],
    /// The body's text; messages about a body that is not an object quote it.
    pub body: &'a str,
}

/// Returns how unknown fields are treated in `release`, whose servers before 1.25 drop them silently.
pub fn field_validation_in(release: Version, given: FieldValidation) -> FieldValidation {
    match given {
        FieldValidation::Warn if release < FIELDS_VALIDATED => FieldValidation::Ignore,
        given => given,
    }
}

/// The first release whose servers report unknown fields by default.
pub const FIELDS_VALIDATED: Version = Version::minor(25);

/// The treatment of unknown and repeated fields: the `fieldValidation` of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// They are ignored.
    Ignore,
    /// A warning for each.
    #[default]
    Warn,
    /// The request is refused.
    Strict,
}

impl FieldValidation {
    /// Returns the name in requests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ignore => "Ignore",
            Self::Warn => "Warn",
            Self::Strict => "Strict",
        }
    }

    /// Returns the mode called `name`, if there is one; an empty name means the server's default.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "Ignore" => Some(Self::Ignore),
            "" | "Warn" => Some(Self::Warn),
            "Strict" => Some(Self::Strict),
            _ => None,
        }
    }
}

/// An object as it is written, read by the types of its kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The object, without defaults, in the version of the URL.
    pub object: Object,
    /// The warnings for the client, in the order of the object's fields.
    pub warnings: Vec<String>,
    /// What the server drops without a warning, in the words of later ones.
    pub dropped: Vec<String>,
}

impl Decoded {
    /// Returns what a server of `release` reads, which may give no warning.
    #[must_use]
    pub fn by(self, release: Version, field_validation: FieldValidation) -> Self {
        if field_validation_in(release, field_validation) == field_validation {
            return self;
        }
        Self { dropped: self.warnings, warnings: Vec::new(), ..self }
    }
}

/// Why an object cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", status.message)]
pub struct DecodeError {
    /// The server's answer: 400.
    pub status: Box<Status>,
    /// The offending value, if there is one.
    pub span: Option<Span>,
    /// The offending field, if there is one.
    pub path: Option<Path>,
    /// The decoder's message, without the request that it was called for.
    pub cause: String,
    /// The message of a decoder that reads a tree and not text, where it is another one.
    pub unstructured: Option<String>,
    /// Whether it is an object of a kind that the server knows, but not of the expected one.
    pub is_of_other_kind: bool,
}

impl DecodeError {
    /// Creates the answer to a body that cannot be decoded, with the decoder's message.
    pub fn new(message: String) -> Self {
        Self::from(Box::new(Status::new_bad_request(message)))
    }

    /// Returns the error about an object of kind `found` in a request for an object of `kind`.
    pub fn refusing(found: &GroupVersionKind, kind: &str, cause: String) -> Self {
        let version = quote(&found.version);
        let message = format!("{} in version {version} cannot be handled as a {kind}: {cause}", found.kind);
        Self { cause, ..Self::new(message) }
    }
}

impl From<Box<Status>> for DecodeError {
    fn from(status: Box<Status>) -> Self {
        let cause = status.message.clone();
        Self { status, span: None, path: None, cause, unstructured: None, is_of_other_kind: false }
    }
}

/// Reads `node` as an object of `context.kind`.
///
/// The order of the node's keys decides which of several errors is reported, as on the server: JSON comes in the
/// order of writing, YAML with its keys sorted ([`Node::sort_keys`]).
pub fn decode(node: Node, context: &DecodeContext<'_>) -> Result<Decoded, DecodeError> {
    decode_in(Version::BINARY, node, context)
}

/// Reads `node` as the server of `release` reads it, by the fields that its kinds have.
pub fn decode_in(release: Version, node: Node, context: &DecodeContext<'_>) -> Result<Decoded, DecodeError> {
    decode_by(node, context, release, |kind| schema::of_release(release).of(kind))
}

/// Reads `node` as the server of `release` does, by the types that `type_of` finds for kinds.
pub fn decode_by(
    node: Node,
    context: &DecodeContext<'_>,
    release: Version,
    type_of: impl FnOnce(&GroupVersionKind) -> Option<&'static schema::Type>,
) -> Result<Decoded, DecodeError> {
    let expected = context.kind;
    let written = interpret(&node).and_then(|(api_version, kind)| qualify(&api_version, kind, expected));
    let kind = written.map_err(|error| {
        let body = summary(context.body);
        DecodeError::new(format!(
            "the object provided is unrecognized (must be of type {}): {error} ({body})",
            expected.kind
        ))
    })?;
    let refuse = |error: String| DecodeError::refusing(&kind, &expected.kind, error);
    if kind.version.is_empty() {
        return Err(refuse(format!("Object 'apiVersion' is missing in '{}'", context.body)));
    }
    let is_earlier = registered::is_earlier_form(&kind, expected);
    let table = type_of(if is_earlier { expected } else { &kind });
    if table.is_none() && !registered::contains(&kind) {
        return Err(refuse(registered::unknown(&kind, expected)));
    }
    let read = table.map(|table| {
        read_whole(node, table, context.field_validation, context.strict_errors, context.body, release)
    });
    let read = read.transpose();
    let Whole { value, strict, spellings, written } = read
        .map_err(|fault| DecodeError {
            span: Some(fault.span),
            path: fault.path.clone(),
            unstructured: fault.unstructured(),
            ..refuse(fault.message())
        })?
        .unwrap_or_default();
    if let Some(error) = registered::conversion_error(&kind, expected) {
        return Err(DecodeError { is_of_other_kind: true, ..refuse(error) });
    }
    if context.field_validation == FieldValidation::Strict
        && let Some(first) = strict.first()
    {
        let refused = refuse(strict_message(&strict, context.strict_errors.len()));
        return Err(DecodeError { span: first.span, ..refused });
    }
    if !is_earlier && (kind.group != expected.group || kind.version != expected.version) {
        return Err(DecodeError::new(format!(
            "the API version in the data ({}) does not match the expected API version ({})",
            kind.api_version(),
            expected.api_version()
        )));
    }
    let warnings = strict.into_iter().map(|error| error.text).collect();
    let mut object = complete(value, if is_earlier { expected.clone() } else { kind });
    object.remember_spellings(spellings);
    object.remember_written(written);
    Ok(Decoded { object, warnings, dropped: Vec::new() }.by(release, context.field_validation))
}

/// Whether the server has a type for objects of `kind`.
pub fn is_registered(kind: &GroupVersionKind) -> bool {
    schema::of_release(Version::BINARY).of(kind).is_some() || registered::contains(kind)
}

/// Returns `node` as a value of the type called `table`, as written.
pub fn typed(node: Node, table: &str) -> Result<Value, String> {
    exchanged(node, table).map_err(|fault| fault.message())
}

/// Reads `node`, the content of the JSON `text`, as [`typed`] does, but as Go reads JSON: an integer is not written as a
/// fraction.
pub fn typed_json(node: Node, text: &str, table: &str) -> Result<Value, String> {
    let mut value = Value::Object(Map::new());
    let read = Walk::new(false, false).of_json(text).read(node, exchange(table), &mut value);
    read.map(|()| value).map_err(|fault| fault.message())
}

/// Reads the value of `field` of a struct that Go reads whole, as [`typed`] does.
pub fn typed_field(node: Node, table: &str, field: &str) -> Result<Value, String> {
    exchanged(node, table).map_err(|fault| fault.within(field).message())
}

fn exchanged(node: Node, table: &str) -> Result<Value, Fault> {
    read(node, exchange(table), FieldValidation::Ignore, &[]).map(|(value, _)| value)
}

fn exchange(table: &str) -> &'static schema::Type {
    schema::named(table).expect("the field tables have the types of exchanges")
}

/// A fault that only strict decoding refuses.
pub struct StrictError {
    /// The decoder's message.
    pub text: String,
    /// Where the field is written, if it is.
    pub span: Option<Span>,
}

/// Returns the message of strict decoding for these errors, the first of which the YAML reader found.
pub fn strict_message(errors: &[StrictError], from_reader: usize) -> String {
    let (reader, own) = errors.split_at(from_reader);
    let texts = |errors: &[StrictError]| errors.iter().map(|error| error.text.clone()).collect::<Vec<_>>();
    let mut errors = texts(own);
    if !reader.is_empty() {
        errors.insert(0, format!("yaml: unmarshal errors:\n  {}", texts(reader).join("\n  ")));
    }
    format!("strict decoding error: {}", errors.join(", "))
}

/// Reads the metadata of an object that has a schema instead of types; `place` is where it is, such as `metadata`.
/// Unknown fields are reported if `validate` demands it. The error is Go's message and the value it is about.
pub fn metadata(
    mut node: Node,
    place: &str,
    validate: bool,
) -> Result<(Value, Vec<StrictError>), (String, Span)> {
    let table = schema::named("meta/v1.ObjectMeta").expect("the tables have it");
    // Metadata comes out of a Go map, whose keys are sorted and unique.
    node.sort_keys();
    let mut walk = Walk::below(place, validate);
    let mut value = Value::Object(Map::new());
    walk.read(node, table, &mut value).map_err(|fault| (fault.message(), fault.span))?;
    complete::complete(table, &mut value, &mut Vec::new());
    schema::know(table, &mut value);
    Ok((value, walk.into_strict_errors()))
}

/// Returns `node` as a value of type `table`, as written: without conversion, defaults and zero values; and what strict
/// decoding refuses, with the findings of the text's reader (`reader_errors`) first.
pub fn read(
    node: Node,
    table: &'static schema::Type,
    field_validation: FieldValidation,
    reader_errors: &[String],
) -> Result<(Value, Vec<StrictError>), Fault> {
    read_whole(node, table, field_validation, reader_errors, "", Version::BINARY)
        .map(|whole| (whole.value, whole.strict))
}

/// The first release whose messages name the inlined structs that a field is in.
const NAMES_EMBEDDED: Version = Version::minor(35);

/// A decoded value.
#[derive(Default)]
struct Whole {
    value: Value,
    strict: Vec<StrictError>,
    /// The quantities whose text differs from the stored form.
    spellings: Vec<(Path, Quantity)>,
    /// JSON of any type that is not written as the server would write it.
    written: Vec<(Path, String)>,
}

fn read_whole(
    node: Node,
    table: &'static schema::Type,
    field_validation: FieldValidation,
    reader_errors: &[String],
    body: &str,
    release: Version,
) -> Result<Whole, Fault> {
    let validate = field_validation != FieldValidation::Ignore;
    let walk = Walk::new(validate, validate && reader_errors.is_empty());
    let mut walk = walk.naming_embedded(release >= NAMES_EMBEDDED).by(schema::of_release(release));
    let body = body.trim();
    if body.starts_with('{') && body.len() == node.span.end - node.span.start {
        walk = walk.of_text(body, node.span.start);
    }
    let mut value = Value::Object(Map::new());
    walk.read(node, table, &mut value)?;
    schema::know(table, &mut value);
    let reader = reader_errors.iter().filter(|_| validate);
    let reader = reader.map(|text| StrictError { text: text.clone(), span: None });
    let (spellings, written) = (walk.take_spellings(), walk.take_written());
    Ok(Whole { value, strict: reader.chain(walk.into_strict_errors()).collect(), spellings, written })
}

/// Returns the object with the version and kind that it was read as, whether it was written with them or not.
fn complete(mut value: Value, kind: GroupVersionKind) -> Object {
    if let Value::Object(map) = &mut value {
        map.insert("apiVersion", kind.api_version().into());
        map.insert("kind", (*kind.kind).into());
    }
    Object::new(kind, value)
}

/// Returns the first 30 bytes of a body: text if it looks like an object, hexadecimal otherwise.
pub fn summary(body: impl AsRef<[u8]>) -> String {
    use std::fmt::Write;
    const LIMIT: usize = 30;
    let body = body.as_ref();
    if body.is_empty() {
        return "<empty>".to_owned();
    }
    let start = &body[..body.len().min(LIMIT)];
    let mut summary = if start[0] == b'{' {
        String::from_utf8_lossy(start).into_owned()
    } else {
        start.iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("writing to a string does not fail");
            hex
        })
    };
    if body.len() > LIMIT {
        summary.push_str(" ...");
    }
    summary
}

#[cfg(test)]
mod tests;
