//! Files of a server's own configuration: kinds with versions that are not served by an API, read by Go's codecs.
//!
//! A file is JSON if it begins with `{`, and YAML otherwise, of which the first document counts. Its `apiVersion` and
//! `kind` are looked up in a [`Scheme`]; the rest is read by the kind's field table.
//!
//! Source: `k8s.io/apimachinery/pkg/runtime`, `k8s.io/apimachinery/pkg/runtime/serializer`.

mod field;
mod server_files;

use gotext::quote;
use gotext::source::{Data, Node, SourceFile, Span};
use kube_api::decode::{self, Fault, FieldValidation, StrictError};
use kube_api::{Value, schema};
use kube_yaml::{Document, Format};

pub(crate) use field::find;
pub use server_files::ServerFiles;

/// The kinds that one reader of files supports: a `runtime.Scheme` with its codecs.
#[derive(Debug)]
pub struct Scheme {
    /// The place in the server's source where it is created; messages use it as the name.
    pub name: &'static str,
    /// Whether unknown and repeated fields are refused.
    pub strict: bool,
    /// Its kinds.
    pub kinds: &'static [Kind],
}

/// One version of a kind.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// The `apiVersion` of its files.
    pub api_version: &'static str,
    /// The `kind` of its files.
    pub kind: &'static str,
    /// Its type in the field tables, such as `podsecurity/v1.PodSecurityConfiguration`.
    pub table: &'static str,
    /// The Go type that all its versions are converted to, such as `api.PodSecurityConfiguration`.
    pub internal: &'static str,
}

/// A file that has been read. Types can be trusted; absent fields have their zero values.
#[derive(Debug, PartialEq)]
pub struct Versioned {
    /// Its kind.
    pub kind: &'static Kind,
    /// Its fields, `apiVersion` and `kind` among them.
    pub value: Value,
}

/// The reason that a file cannot be read. The texts are the server's.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is neither YAML nor JSON.
    #[error(transparent)]
    Syntax(#[from] kube_yaml::Error),
    /// `apiVersion` and `kind` cannot be determined.
    #[error("{0}")]
    NoHeader(String),
    /// There is no `kind`.
    #[error("Object 'Kind' is missing in '{0}'")]
    MissingKind(String),
    /// There is no `apiVersion`.
    #[error("Object 'apiVersion' is missing in '{0}'")]
    MissingVersion(String),
    /// The scheme does not know the version, or not this kind in it.
    #[error(
        "no kind {} is registered for version {} in scheme {}",
        quote(kind),
        quote(api_version),
        quote(scheme)
    )]
    NotRegistered {
        /// The `kind`.
        kind: String,
        /// The `apiVersion`.
        api_version: String,
        /// The name of the scheme.
        scheme: &'static str,
    },
    /// A field has a value of the wrong type.
    #[error("{text}")]
    Mistyped {
        /// Go's text.
        text: String,
        /// The value.
        span: Span,
    },
    /// Fields are unknown or repeated.
    #[error("strict decoding error: {}", texts.join(", "))]
    Strict {
        /// The error in each.
        texts: Vec<String>,
        /// The first of them.
        span: Option<Span>,
    },
    /// The scheme knows the kind, but another one was requested.
    #[error("unexpected type: *{0}")]
    UnexpectedType(&'static str),
}

impl Error {
    /// Whether the file has no known kind.
    pub fn is_unrecognized(&self) -> bool {
        matches!(self, Self::MissingKind(_) | Self::MissingVersion(_) | Self::NotRegistered { .. })
    }

    /// Returns the place in the file, unless the error is about the whole file.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Syntax(error) => error.span(),
            Self::Mistyped { span, .. } => Some(*span),
            Self::Strict { span, .. } => *span,
            _ => None,
        }
    }
}

impl Scheme {
    /// Reads the text of a file.
    pub fn read(&self, text: &str) -> Result<Versioned, Error> {
        self.decode(&kube_yaml::read_first(&SourceFile::new("", text))?)
    }

    /// Reads a file that [`document`] has identified.
    pub fn decode(&self, document: &Document) -> Result<Versioned, Error> {
        let kind = self.kind_of(document)?;
        let table = schema::named(kind.table).expect("the field tables have the kinds of all schemes");
        Ok(Versioned { kind, value: read_as(document, table, self.strict)? })
    }

    fn kind_of(&self, document: &Document) -> Result<&'static Kind, Error> {
        let (api_version, kind) = header(document)?;
        let found = self.kinds.iter().find(|known| known.api_version == api_version && known.kind == kind);
        found.ok_or(Error::NotRegistered { api_version, kind, scheme: self.name })
    }
}

/// Returns the `apiVersion` and `kind` of a document.
pub fn header(document: &Document) -> Result<(String, String), Error> {
    let text = || document.source.text().to_owned();
    let (api_version, kind) = decode::interpret(&document.node).map_err(Error::NoHeader)?;
    let (group, version) = decode::group_version(&api_version).map_err(Error::NoHeader)?;
    if kind.is_empty() {
        return Err(Error::MissingKind(text()));
    }
    if version.is_empty() {
        return Err(Error::MissingVersion(text()));
    }
    let api_version = if group.is_empty() { version.to_owned() } else { api_version };
    Ok((api_version, kind))
}

/// Reads the fields of a document by a field table.
pub fn read_as(document: &Document, table: &'static schema::Type, strict: bool) -> Result<Value, Error> {
    let validation = if strict { FieldValidation::Strict } else { FieldValidation::Ignore };
    let mut node = document.node.clone();
    if document.format == Format::Yaml {
        sort_and_keep_last(&mut node);
    }
    let (value, unknown) = read_node(node, table, validation)?;
    if strict {
        check_strictly(document, unknown)?;
    }
    Ok(value)
}

/// Reads a value by a field table; what strict decoding refuses is returned, too.
fn read_node(
    node: Node,
    table: &'static schema::Type,
    validation: FieldValidation,
) -> Result<(Value, Vec<StrictError>), Error> {
    decode::read(node, table, validation, &[])
        .map_err(|fault: Fault| Error::Mistyped { text: fault.message(), span: fault.span })
}

/// Returns the fields of `node` that a field table does not have.
pub fn unread(node: &Node, table: &'static schema::Type) -> Result<Vec<StrictError>, Error> {
    let mut node = node.clone();
    sort_and_keep_last(&mut node);
    Ok(read_node(node, table, FieldValidation::Strict)?.1)
}

/// Refuses a document with `unknown` or repeated fields.
pub fn check_strictly(document: &Document, unknown: Vec<StrictError>) -> Result<(), Error> {
    let repeated = document.strict_errors.first().map(|error| error.span);
    let repeated = repeated.filter(|_| document.format == Format::Yaml);
    let message = repeated.and_then(|_| document.strict_message());
    let span = repeated.or_else(|| unknown.first()?.span);
    let texts: Vec<_> = message.into_iter().chain(unknown.into_iter().map(|error| error.text)).collect();
    if texts.is_empty() { Ok(()) } else { Err(Error::Strict { texts, span }) }
}

/// Returns the fields of `node` that strict decoding as the kind with the field table `table` would refuse, as they
/// have no meaning. None if its types are wrong, because then none of it is read.
pub fn unread_fields(node: &Node, table: &str) -> Vec<(String, Option<Span>)> {
    let unread = schema::named(table).and_then(|table| unread(node, table).ok()).unwrap_or_default();
    unread.into_iter().map(|error| (error.text, error.span)).collect()
}

impl Versioned {
    /// Returns the fields, if the file is of the kind with the Go type `internal`.
    pub fn expect(self, internal: &str) -> Result<Value, Error> {
        if self.kind.internal == internal {
            Ok(self.value)
        } else {
            Err(Error::UnexpectedType(self.kind.internal))
        }
    }
}

/// Converts a YAML document as for JSON: keys are sorted, and the last of repeated ones stays.
fn sort_and_keep_last(node: &mut Node) {
    match &mut node.data {
        Data::Array(items) => items.iter_mut().for_each(sort_and_keep_last),
        Data::Object(entries) => {
            entries.sort_by(|left, right| left.key.cmp(&right.key));
            entries.dedup_by(|later, earlier| {
                let repeated = later.key == earlier.key;
                if repeated {
                    std::mem::swap(later, earlier);
                }
                repeated
            });
            for entry in entries {
                sort_and_keep_last(&mut entry.value);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;

    const STRICT: Scheme = Scheme {
        name: "k8s.io/example/scheme.go:31",
        strict: true,
        kinds: &[
            Kind {
                api_version: "resourcequota.admission.k8s.io/v1beta1",
                kind: "Configuration",
                table: "resourcequota/v1beta1.Configuration",
                internal: "resourcequota.Configuration",
            },
            Kind {
                api_version: "apiserver.config.k8s.io/v1",
                kind: "EncryptionConfiguration",
                table: "apiserver/v1.EncryptionConfiguration",
                internal: "apiserver.EncryptionConfiguration",
            },
        ],
    };
    const LENIENT: Scheme = Scheme { strict: false, ..STRICT };
    const HEADER: &str = "apiVersion: resourcequota.admission.k8s.io/v1beta1\nkind: Configuration\n";

    fn read(scheme: &Scheme, body: &str) -> Result<Value, String> {
        let read = scheme.read(&format!("{HEADER}{body}"));
        read.map(|file| file.value["limitedResources"].clone()).map_err(|error| error.to_string())
    }

    fn error(text: &str) -> String {
        STRICT.read(text).unwrap_err().to_string()
    }

    #[test]
    fn reads_yaml_and_json_alike() {
        let limited = json!([{"resource": "pods", "matchContains": ["cpu"]}]);
        let yaml = "limitedResources:\n- resource: pods\n  matchContains: [cpu]\n---\nlimitedResources: 7\n";
        assert_eq!(read(&STRICT, yaml), Ok(limited.clone()));
        let json = json!({
            "kind": "Configuration",
            "apiVersion": "resourcequota.admission.k8s.io/v1beta1",
            "limitedResources": limited,
        });
        let file = STRICT.read(&format!(" \n{json}\n")).unwrap();
        assert_eq!(file.kind, &STRICT.kinds[0]);
        assert_eq!(file.expect("resourcequota.Configuration").unwrap(), json);
    }

    #[test]
    fn asks_what_it_is_first() {
        assert_eq!(error(""), "Object 'Kind' is missing in ''");
        assert_eq!(error("# none\n"), "Object 'Kind' is missing in '# none\n'");
        assert_eq!(error("a: 1\n"), "Object 'Kind' is missing in 'a: 1\n'");
        assert_eq!(error("{\"kind\":\"A\"}"), "Object 'apiVersion' is missing in '{\"kind\":\"A\"}'");
        assert_eq!(
            error("apiVersion: resourcequota.admission.k8s.io/v2\nkind: Configuration\n"),
            "no kind \"Configuration\" is registered for version \"resourcequota.admission.k8s.io/v2\" in scheme \
             \"k8s.io/example/scheme.go:31\""
        );
        assert_eq!(error("apiVersion: a/b/c\nkind: A\n"), "unexpected GroupVersion string: a/b/c");
        let target = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; \
                      Kind string \"json:\\\"kind,omitempty\\\"\" }";
        for (text, found) in [("- a\n", "array"), ("none\n", "string"), ("7", "number")] {
            assert_eq!(
                error(text),
                format!(
                    "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go value of type \
                     {target}"
                )
            );
        }
        assert_eq!(
            error("kind: [A]\n"),
            "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of \
             type string"
        );
        assert!(STRICT.read("").unwrap_err().is_unrecognized());
        assert!(!STRICT.read("- a\n").unwrap_err().is_unrecognized());
    }

    #[test]
    fn words_syntax_errors_by_the_language() {
        assert_eq!(
            error("a:\n- b\n\tc: 1\n"),
            "yaml: line 3: found a tab character that violates indentation"
        );
        let json = |text| error(text).replace("couldn't get version/kind; json parse error: ", "");
        assert_eq!(json("{\"a\": 1"), "unexpected end of JSON input");
        assert_eq!(json("{a: 1}"), "invalid character 'a' looking for beginning of object key string");
        assert_eq!(json("{} {}"), "invalid character '{' after top-level value");
    }

    #[test]
    fn refuses_unknown_and_repeated_fields_where_it_is_strict() {
        let twice =
            "limitedResources: [{resource: a}]\nlimited: 1\nlimitedResources: [{matchContains: [b]}]\n";
        assert_eq!(
            read(&STRICT, twice),
            Err("strict decoding error: yaml: unmarshal errors:\n  line 5: key \"limitedResources\" already set in map, \
                 unknown field \"limited\""
                .to_owned())
        );
        assert_eq!(read(&LENIENT, twice), Ok(json!([{"matchContains": ["b"]}])));
        assert_eq!(
            read(&STRICT, "limitedResources: [{}, {matchContain: []}]\nmetadata: {}\n"),
            Err("strict decoding error: unknown field \"limitedResources[1].matchContain\", unknown field \
                 \"metadata\""
                .to_owned())
        );
        assert_eq!(
            error(
                "{\"kind\":\"Configuration\",\"kind\":\"Configuration\",\"apiVersion\":\"resourcequota.admission.k8s.io/v1beta1\"}"
            ),
            "strict decoding error: duplicate field \"kind\""
        );
    }

    #[test]
    fn wrong_types_go_before_strictness() {
        let scalar = "limited: 1\nlimitedResources: [{matchContains: cpu}]\n";
        for scheme in [STRICT, LENIENT] {
            assert_eq!(
                read(&scheme, scalar),
                Err("json: cannot unmarshal string into Go struct field LimitedResource.limitedResources.matchContains \
                     of type []string"
                    .to_owned())
            );
        }
        let list = STRICT.read(&format!("{HEADER}limitedResources: {{}}\n")).unwrap_err();
        assert_eq!(
            list.to_string(),
            "json: cannot unmarshal object into Go struct field Configuration.limitedResources of type \
             []v1beta1.LimitedResource"
        );
        assert_eq!(list.span().unwrap().start, HEADER.len() + "limitedResources: ".len());
    }

    #[test]
    fn another_kind_of_the_scheme_is_unexpected() {
        let text = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources: []\n";
        let error = STRICT.read(text).unwrap().expect("resourcequota.Configuration").unwrap_err();
        assert_eq!(error.to_string(), "unexpected type: *apiserver.EncryptionConfiguration");
    }
}
