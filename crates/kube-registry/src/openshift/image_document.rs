//! The JSON documents in an image: its manifest and its configuration, which Go reads into types.
//!
//! Source: `openshift-apiserver` `pkg/image/apis/image/docker10/types.go`.

use gotext::encoding_json;
use kube_api::Value;

/// A type that Go reads a document into.
pub(super) struct Struct {
    name: &'static str,
    fields: &'static [(&'static str, Type)],
}

/// The type of a field.
enum Type {
    Text,
    Texts,
    Number(&'static str),
    Flag,
    Time,
    One(&'static Struct),
    Many(&'static Struct),
    /// A type that is read elsewhere.
    Other,
}

const DESCRIPTOR: Struct = Struct {
    name: "Descriptor",
    fields: &[("mediaType", Type::Text), ("size", Type::Number("int64")), ("digest", Type::Text)],
};

/// The manifest of an image.
pub(super) const MANIFEST: Struct = Struct {
    name: "DockerImageManifest",
    fields: &[
        ("schemaVersion", Type::Number("int")),
        ("mediaType", Type::Text),
        ("name", Type::Text),
        ("tag", Type::Text),
        ("architecture", Type::Text),
        ("fsLayers", Type::Many(&Struct { name: "DockerFSLayer", fields: &[("blobSum", Type::Text)] })),
        (
            "history",
            Type::Many(&Struct { name: "DockerHistory", fields: &[("v1Compatibility", Type::Text)] }),
        ),
        ("layers", Type::Many(&DESCRIPTOR)),
        ("config", Type::One(&DESCRIPTOR)),
    ],
};

/// The fields of an image in documents of both schemas, and `$more`.
macro_rules! image_fields {
    ($($more:expr),* $(,)?) => {
        &[
            ("id", Type::Text),
            ("parent", Type::Text),
            ("comment", Type::Text),
            ("created", Type::Time),
            ("container", Type::Text),
            ("container_config", Type::Other),
            ("docker_version", Type::Text),
            ("author", Type::Text),
            ("config", Type::Other),
            ("architecture", Type::Text),
            ("size", Type::Number("int64")),
            $($more,)*
        ]
    };
}

/// An entry of the history in a manifest of schema 1.
pub(super) const COMPATIBILITY: Struct =
    Struct { name: "DockerV1CompatibilityImage", fields: image_fields![] };

/// The size in an entry of a history.
pub(super) const COMPATIBILITY_SIZE: Struct =
    Struct { name: "DockerV1CompatibilityImageSize", fields: &[("size", Type::Number("int64"))] };

/// The configuration of an image of schema 2.
pub(super) const CONFIG: Struct = Struct {
    name: "DockerImageConfig",
    fields: image_fields![
        (
            "rootfs",
            Type::One(&Struct {
                name: "DockerConfigRootFS",
                fields: &[("type", Type::Text), ("diff_ids", Type::Texts)],
            }),
        ),
        (
            "history",
            Type::Many(&Struct {
                name: "DockerConfigHistory",
                fields: &[
                    ("created", Type::Time),
                    ("author", Type::Text),
                    ("created_by", Type::Text),
                    ("comment", Type::Text),
                    ("empty_layer", Type::Flag),
                ],
            }),
        ),
        ("os", Type::Text),
        ("os.version", Type::Text),
        ("os.features", Type::Texts),
    ],
};

/// A JSON document whose keys are looked up in any case, as in Go.
#[derive(Default)]
pub(super) struct Document(Value);

impl Document {
    /// Reads a document of a type; `package` is that of the type in Go.
    pub(super) fn parse(text: &str, of: &Struct, package: &str) -> Result<Self, String> {
        let value = encoding_json::from_slice(text.as_bytes())?;
        let reader = Reader { package };
        match reader.check(of, &value, "") {
            Err(Fault::Root(kind)) => {
                let name = of.name;
                Err(format!("json: cannot unmarshal {kind} into Go value of type {package}.{name}"))
            }
            Err(Fault::Within(error)) => Err(error),
            Ok(()) => Ok(Self(value)),
        }
    }

    pub(super) fn get(&self, field: &str) -> Option<&Value> {
        let fields = self.0.as_object()?;
        let other =
            || fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(field)).map(|(_, value)| value);
        fields.get(field).or_else(other)
    }

    pub(super) fn text(&self, field: &str) -> &str {
        self.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn number(&self, field: &str) -> i64 {
        self.get(field).and_then(Value::as_i64).unwrap_or_default()
    }

    pub(super) fn items(&self, field: &str) -> Vec<Self> {
        let items = self.get(field).and_then(Value::as_array);
        items.into_iter().flatten().cloned().map(Self).collect()
    }

    pub(super) fn child(&self, field: &str) -> Self {
        Self(self.get(field).cloned().unwrap_or_default())
    }
}

/// A value that does not fit its type.
enum Fault {
    /// The value itself, as Go calls its kind.
    Root(&'static str),
    Within(String),
}

struct Reader<'a> {
    package: &'a str,
}

impl Reader<'_> {
    /// Checks a value that is at `path` of the document.
    fn check(&self, of: &Struct, value: &Value, path: &str) -> Result<(), Fault> {
        let fields = match value {
            Value::Null => return Ok(()),
            Value::Object(fields) => fields,
            other => return Err(Fault::Root(encoding_json::kind(other))),
        };
        for (key, value) in fields {
            let Some((name, wanted)) = of.fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(key))
            else {
                continue;
            };
            let path = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
            let unfit = |found: &Value, wanted: &str| {
                let owner = of.name;
                let kind = match (found, wanted) {
                    (Value::Number(number), "int" | "int64") => format!("number {number}"),
                    (other, _) => encoding_json::kind(other).to_owned(),
                };
                Fault::Within(format!(
                    "json: cannot unmarshal {kind} into Go struct field {owner}.{path} of type {wanted}"
                ))
            };
            match (wanted, value) {
                (_, Value::Null)
                | (Type::Other, _)
                | (Type::Text, Value::String(_))
                | (Type::Flag, Value::Bool(_)) => {}
                (Type::Number(_), Value::Number(number)) if number.as_i64().is_some() => {}
                (Type::Time, Value::String(text)) => {
                    gotext::time::to_the_second(text).map_err(Fault::Within)?;
                }
                (Type::Time, _) => {
                    return Err(Fault::Within("Time.UnmarshalJSON: input is not a JSON string".to_owned()));
                }
                (Type::Text, found) => return Err(unfit(found, "string")),
                (Type::Flag, found) => return Err(unfit(found, "bool")),
                (Type::Number(wanted), found) => return Err(unfit(found, wanted)),
                (Type::Texts, Value::Array(items)) => {
                    if let Some(item) = items.iter().find(|item| !item.is_string() && !item.is_null()) {
                        return Err(unfit(item, "string"));
                    }
                }
                (Type::Texts, found) => return Err(unfit(found, "[]string")),
                (Type::One(inner), found) => {
                    self.within(inner, found, &path, &unfit)?;
                }
                (Type::Many(inner), Value::Array(items)) => {
                    for item in items {
                        self.within(inner, item, &path, &unfit)?;
                    }
                }
                (Type::Many(inner), found) => {
                    return Err(unfit(found, &format!("[]{}.{}", self.package, inner.name)));
                }
            }
        }
        Ok(())
    }

    fn within(
        &self,
        of: &Struct,
        value: &Value,
        path: &str,
        unfit: &dyn Fn(&Value, &str) -> Fault,
    ) -> Result<(), Fault> {
        self.check(of, value, path).map_err(|fault| match fault {
            Fault::Root(_) => unfit(value, &format!("{}.{}", self.package, of.name)),
            within @ Fault::Within(_) => within,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_values_of_other_types() {
        let error = |text: &str, of: &Struct| Document::parse(text, of, "docker10").err().unwrap_or_default();
        assert_eq!(
            error("[]", &MANIFEST),
            "json: cannot unmarshal array into Go value of type docker10.DockerImageManifest"
        );
        assert_eq!(
            error(r#"{"schemaVersion":"2"}"#, &MANIFEST),
            "json: cannot unmarshal string into Go struct field DockerImageManifest.schemaVersion of type int"
        );
        assert_eq!(
            error(r#"{"layers":{}}"#, &MANIFEST),
            "json: cannot unmarshal object into Go struct field DockerImageManifest.layers of type []docker10.Descriptor"
        );
        assert_eq!(
            error(r#"{"layers":[{"size":1.5}]}"#, &MANIFEST),
            "json: cannot unmarshal number 1.5 into Go struct field Descriptor.layers.size of type int64"
        );
        assert_eq!(
            error(r#"{"config":5}"#, &MANIFEST),
            "json: cannot unmarshal number into Go struct field DockerImageManifest.config of type docker10.Descriptor"
        );
        assert_eq!(
            error(r#"{"created":"now"}"#, &CONFIG),
            "parsing time \"now\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"now\" as \"2006\""
        );
        assert_eq!(error("null", &MANIFEST), "");
        assert_eq!(error(r#"{"SchemaVersion":2,"other":{}}"#, &MANIFEST), "");
    }
}
