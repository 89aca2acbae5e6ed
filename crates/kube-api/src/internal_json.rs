//! JSON text of the API server's internal types, as its messages show them.
//!
//! The internal types have no JSON names: Go writes their fields under their Go names, in the order of the struct, and
//! leaves nothing out. Their tables (`schema/internal.txt`) name a field as Go does; where the field of the versioned
//! object differs by more than a lower-case first letter, it follows a `=`. `../` is a field of the struct around it.
//! `always` is a pointer that conversion always sets. An internal type with the same fields as a versioned one has no
//! table: its names follow from those of the versioned one.

use std::borrow::Cow;

use crate::Value;
use crate::schema::{self, Field, Reference, Scalar, Shape, Struct, Type};
use crate::version::Version;
use gotext::encoding_json;

/// The packages with the versioned type of an internal one, the first that has it.
pub const PACKAGES: [&str; 8] = [
    "core/v1",
    "apps/v1",
    "batch/v1",
    "policy/v1",
    "networking/v1",
    "rbac/v1",
    "storage/v1",
    "certificates/v1",
];

/// Returns the text of `value`, a part of a decoded object, on one line, where `name` is its type in the tables.
/// Versioned types, which internal ones contain, are written as such.
///
/// Source: `json.Marshal`.
pub fn compact(name: &str, value: &Value) -> String {
    compact_in(Version::BINARY, name, value)
}

/// Returns the same text as a server of `release` writes it.
pub fn compact_in(release: Version, name: &str, value: &Value) -> String {
    if value.is_null() {
        return "null".to_owned();
    }
    Writer::of_release(release).write(name, value)
}

/// Returns the text of `value`, a part of a decoded object, as the internal type with the fields of the versioned type
/// `name`, such as `flowcontrol/v1.FlowSchemaSpec`. It is not behind a pointer.
pub fn internal(name: &str, value: &Value) -> String {
    internal_in(Version::BINARY, name, value)
}

/// Returns the same text as a server of `release` writes it.
pub fn internal_in(release: Version, name: &str, value: &Value) -> String {
    Writer { has_go_names: true, ..Writer::of_release(release) }.write(name, value)
}

/// Returns the text of the `items` of a schema as the internal type: one schema, or a list of them.
pub fn schema_or_list(value: &Value) -> String {
    let mut writer = Writer { has_go_names: true, ..Writer::of_release(Version::BINARY) };
    writer.schema_or_list(value, "JSONSchemas");
    writer.text
}

/// Returns the text of `value` with one field per line, indented by one space, as a server of `release` writes it.
///
/// Source: `json.MarshalIndent`.
pub fn indented_in(release: Version, name: &str, value: &Value) -> String {
    Writer { indented: true, ..Writer::of_release(release) }.write(name, value)
}

struct Writer {
    release: Version,
    text: String,
    indented: bool,
    depth: usize,
    /// Whether the tables are those of versioned types, which internal ones replace.
    has_go_names: bool,
}

/// Types that internal ones share with the API, which do have JSON names.
const WITH_JSON_NAMES: [&str; 4] = ["Condition", "LabelSelector", "LabelSelectorRequirement", "ObjectMeta"];

/// Fields whose Go name in the internal type does not follow from the JSON name, and those that it lacks.
const RENAMED: [(&str, &str, Option<&str>); 7] = [
    ("BuildStrategy", "type", None),
    ("BuildTriggerPolicy", "bitbucket", Some("BitbucketWebHook")),
    ("BuildTriggerPolicy", "generic", Some("GenericWebHook")),
    ("BuildTriggerPolicy", "github", Some("GitHubWebHook")),
    ("BuildTriggerPolicy", "gitlab", Some("GitLabWebHook")),
    ("ImageLayer", "size", Some("LayerSize")),
    ("PodCertificateRequestSpec", "pkixPublicKey", Some("PKIXPublicKey")),
];

/// Initialisms that a Go name spells in capitals at its end, and at its start.
const INITIALISMS: [(&str, &str); 9] = [
    ("Id", "ID"),
    ("Ip", "IP"),
    ("Uid", "UID"),
    ("Uri", "URI"),
    ("Url", "URL"),
    ("Api", "API"),
    ("Cel", "CEL"),
    ("Csi", "CSI"),
    ("Json", "JSON"),
];

impl Writer {
    fn of_release(release: Version) -> Self {
        Self { release, text: String::new(), indented: false, depth: 0, has_go_names: false }
    }

    fn write(mut self, name: &str, value: &Value) -> String {
        let found = schema::named(name).expect("the tables have the types that messages show");
        self.typed(found, value, &Value::Null);
        self.text
    }

    fn referred(&mut self, reference: &Reference, always: bool, value: &Value, around: &Value) {
        if value.is_null() && reference.pointer && !always {
            self.text.push_str("null");
        } else {
            self.typed(reference.get(), value, around);
        }
    }

    fn typed(&mut self, found: &Type, value: &Value, around: &Value) {
        match &found.shape {
            Shape::Struct(structure) => {
                let has_go_names = self.has_go_names;
                self.has_go_names &= !WITH_JSON_NAMES.contains(&found.short_name());
                self.structure(found, structure, value, around);
                self.has_go_names = has_go_names;
            }
            // The values of dependencies are structs, which are never absent.
            Shape::Scalar(Scalar::SchemaOrStrings) if self.has_go_names => {
                self.schema_or_list(value, "Property");
            }
            Shape::Scalar(scalar) if value.is_null() => self.text.push_str(zero(*scalar)),
            Shape::Scalar(Scalar::SchemaOrBool) if self.has_go_names => self.schema_or_bool(value),
            Shape::Scalar(Scalar::SchemaOrArray) if self.has_go_names => {
                self.schema_or_list(value, "JSONSchemas");
            }
            Shape::Scalar(_) => self.text.push_str(&encoding_json::to_string(value)),
            Shape::List(item) => match value.as_array() {
                None => self.text.push_str("null"),
                Some(items) => self.braced(['[', ']'], items, |writer, value| {
                    writer.referred(item, false, value, &Value::Null);
                }),
            },
            Shape::Map { value: item, .. } => match value.as_object() {
                None => self.text.push_str("null"),
                Some(entries) => self.braced(['{', '}'], entries, |writer, (key, value)| {
                    writer.key(key);
                    writer.referred(item, false, value, &Value::Null);
                }),
            },
        }
    }

    fn structure(&mut self, found: &Type, structure: &Struct, value: &Value, around: &Value) {
        let name = found.short_name();
        let has_go_names = self.has_go_names;
        let is_later = later_fields(found, self.release);
        let mut fields: Vec<&Field> =
            if has_go_names { in_internal_order(name, structure) } else { structure.fields.iter().collect() };
        fields.retain(|field| !is_later(field));
        let written = fields.into_iter().filter_map(|field| {
            if has_go_names {
                let renamed = RENAMED.iter().find(|(of, from, _)| *of == name && *from == &*field.name);
                let name = match renamed {
                    None => Cow::from(go_name(&field.name)),
                    Some((_, _, name)) => Cow::from((*name)?),
                };
                return Some((field, name, &value[&*field.name]));
            }
            let (key, value) = find(field, value, around);
            (!is_omitted(field, value)).then_some((field, Cow::from(key), value))
        });
        self.braced(['{', '}'], written, |writer, (field, key, inner)| {
            writer.key(&key);
            writer.referred(&field.reference, field.always, inner, value);
        });
    }

    fn schema_or_bool(&mut self, value: &Value) {
        let allows = value.as_bool().unwrap_or(true);
        self.braced(['{', '}'], ["Allows", "Schema"], |writer, key| {
            writer.key(key);
            match key {
                "Allows" => writer.text.push_str(&allows.to_string()),
                _ => writer.schema(value),
            }
        });
    }

    /// Writes a schema, or a list of schemas or texts called `name`.
    fn schema_or_list(&mut self, value: &Value, name: &str) {
        self.braced(['{', '}'], ["Schema", name], |writer, key| {
            writer.key(key);
            match value.as_array() {
                _ if key == "Schema" => writer.schema(value),
                None => writer.text.push_str("null"),
                Some(items) => writer.braced(['[', ']'], items, |writer, item| match item {
                    Value::String(_) => writer.text.push_str(&encoding_json::to_string(item)),
                    schema => writer.schema(schema),
                }),
            }
        });
    }

    fn schema(&mut self, value: &Value) {
        match value {
            Value::Object(_) => {
                let props = schema::named("apiextensions/v1.JSONSchemaProps").expect("the tables have it");
                self.typed(props, value, &Value::Null);
            }
            _ => self.text.push_str("null"),
        }
    }

    fn key(&mut self, key: &str) {
        self.text.push_str(&encoding_json::to_string(&Value::from(key)));
        self.text.push_str(if self.indented { ": " } else { ":" });
    }

    fn braced<T>(
        &mut self,
        [open, close]: [char; 2],
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.text.push(open);
        self.depth += 1;
        let start = self.text.len();
        for item in items {
            if self.text.len() > start {
                self.text.push(',');
            }
            self.line();
            write(self, item);
        }
        self.depth -= 1;
        if self.text.len() > start {
            self.line();
        }
        self.text.push(close);
    }

    fn line(&mut self) {
        if self.indented {
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n(' ', self.depth));
        }
    }
}

/// Returns whether a field of the type came after `release`: the versioned type has it, and did not have it then.
fn later_fields(found: &Type, release: Version) -> impl Fn(&Field) -> bool {
    let packages: &[&str] = if found.package == "internal" { &PACKAGES } else { &[found.package] };
    let mut names = packages.iter().map(|package| format!("{package}.{}", found.short_name()));
    let types = (release < Version::BINARY)
        .then(|| {
            names.find_map(|name| Some((schema::of_release(release).named(&name)?, schema::named(&name)?)))
        })
        .flatten();
    move |field| {
        types.is_some_and(|(then, now)| {
            let (_, source) = source_of(field);
            then.field(&source).is_none() && now.field(&source).is_some()
        })
    }
}

/// Returns the name that Go writes a field under, and its value within `value`, a struct within `around`.
fn find<'a>(field: &'a Field, value: &'a Value, around: &'a Value) -> (&'a str, &'a Value) {
    let named = |value: &'a Value, name: &str| value.get(name).unwrap_or(&Value::Null);
    if field.embedded.contains(&"ObjectMeta") {
        return (&field.name, named(named(value, "metadata"), &field.name));
    }
    if let Some((name, source)) = field.name.split_once('=') {
        let found = match source.strip_prefix("../") {
            Some(source) => named(around, source),
            None => named(value, source),
        };
        return (name, found);
    }
    let mut source = field.name.to_string();
    if let Some(first) = source.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    (&field.name, named(value, &source))
}

/// Returns the name of a field of an internal type, and that of the field of the versioned type that it has its value
/// from.
pub(crate) fn source_of(field: &Field) -> (&str, String) {
    if let Some((name, source)) = field.name.split_once('=') {
        return (name, source.trim_start_matches("../").to_owned());
    }
    let mut source = field.name.to_string();
    if !field.embedded.contains(&"ObjectMeta")
        && let Some(first) = source.get_mut(..1)
    {
        first.make_ascii_lowercase();
    }
    (&field.name, source)
}

/// Returns the fields of a versioned type in the order of the internal one that it has the name of.
pub(crate) fn in_internal_order<'a>(name: &str, structure: &'a Struct) -> Vec<&'a Field> {
    let mut fields: Vec<&Field> = structure.fields.iter().collect();
    if name == "JSONSchemaProps" {
        // The internal type has this field earlier.
        let position = |name: &str| fields.iter().position(|field| field.name == name);
        if let (Some(from), Some(to)) = (position("nullable"), position("type")) {
            let moved = fields.remove(from);
            fields.insert(to + 1, moved);
        }
    }
    fields
}

/// Whether `omitempty` or `omitzero` leaves a field out; only versioned types have those.
fn is_omitted(field: &Field, value: &Value) -> bool {
    if !field.omit_empty && !field.omit_zero {
        return false;
    }
    match value {
        Value::Null => {
            field.omit_zero
                || field.reference.pointer
                || !matches!(field.reference.get().shape, Shape::Struct(_))
        }
        Value::Bool(flag) => !flag && !field.reference.pointer,
        Value::Number(number) => number.as_f64() == Some(0.0) && !field.reference.pointer,
        Value::String(text) => text.is_empty() && !field.reference.pointer,
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => {
            entries.is_empty() && matches!(field.reference.get().shape, Shape::Map { .. })
        }
    }
}

/// Returns how Go writes a value that is not set.
fn zero(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::String => "\"\"",
        Scalar::Bool => "false",
        Scalar::Int32 | Scalar::Int64 | Scalar::Uint8 | Scalar::Float64 | Scalar::IntOrString => "0",
        Scalar::Quantity => "\"0\"",
        Scalar::Duration => "\"0s\"",
        Scalar::Bytes
        | Scalar::Time
        | Scalar::MicroTime
        | Scalar::Json
        | Scalar::SchemaOrBool
        | Scalar::SchemaOrArray
        | Scalar::SchemaOrStrings => "null",
    }
}

/// Returns the Go name of the field that JSON calls `name`.
pub(crate) fn go_name(name: &str) -> String {
    let name = name.trim_start_matches('$');
    if let Some(extension) = name.strip_prefix("x-kubernetes-") {
        return format!("X{}", extension.split('-').map(go_name).collect::<String>());
    }
    let mut name = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
    for (word, initialism) in INITIALISMS {
        if let Some(rest) = name.strip_prefix(word)
            && rest.chars().next().is_none_or(char::is_uppercase)
        {
            name = format!("{initialism}{rest}");
        }
        if let Some(rest) = name.strip_suffix(word) {
            name = format!("{rest}{initialism}");
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn writes_every_field_under_its_go_name() {
        let term = json!({"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a<b"]}]});
        assert_eq!(
            compact("internal.NodeSelectorTerm", &term),
            r#"{"MatchExpressions":[{"Key":"zone","Operator":"In","Values":["a\u003cb"]}],"MatchFields":null}"#
        );
    }

    #[test]
    fn finds_what_the_internal_type_has_elsewhere() {
        let spec = json!({"hostNetwork": true, "containers": null, "securityContext": {"runAsUser": 0}});
        let text = indented_in(Version::BINARY, "internal.PodSpec", &spec);
        assert!(text.contains("\n \"Containers\": null,\n"), "{text}");
        assert!(
            text.contains("\n \"SecurityContext\": {\n  \"HostNetwork\": true,\n  \"HostPID\": false,"),
            "{text}"
        );
        assert!(text.contains("\n  \"RunAsUser\": 0,\n  \"RunAsGroup\": null,"), "{text}");
    }

    #[test]
    fn leaves_out_what_versioned_types_leave_out() {
        let template = json!({
            "metadata": {"labels": {"a": "b"}},
            "spec": {"selector": {"matchLabels": {"x": "y"}}, "resources": {"requests": {"storage": "1Gi"}}},
        });
        let text = compact("internal.PersistentVolumeClaimTemplate", &template);
        let start = r#"{"labels":{"a":"b"},"Spec":{"AccessModes":null,"Selector":{"matchLabels":{"x":"y"}},"Resources":{"Limits":null,"Requests":{"storage":"1Gi"}},"VolumeName":"","#;
        assert!(text.starts_with(start), "{text}");
    }

    #[test]
    fn derives_the_go_names_of_versioned_fields() {
        let subject = json!({"kind": "Group", "group": {"name": "a"}});
        assert_eq!(
            internal("flowcontrol/v1.Subject", &subject),
            r#"{"Kind":"Group","User":null,"Group":{"Name":"a"},"ServiceAccount":null}"#
        );
        let rule = json!({"verbs": ["*"], "apiGroups": ["*"]});
        assert_eq!(
            internal("flowcontrol/v1.ResourcePolicyRule", &rule),
            r#"{"Verbs":["*"],"APIGroups":["*"],"Resources":null,"ClusterScope":false,"Namespaces":null}"#
        );
        let reference = json!({"apiVersion": "v1", "uid": "u"});
        assert_eq!(
            internal("core/v1.ObjectReference", &reference),
            "{\"Kind\":\"\",\"Namespace\":\"\",\"Name\":\"\",\"UID\":\"u\",\"APIVersion\":\"v1\",\
             \"ResourceVersion\":\"\",\"FieldPath\":\"\"}"
        );
    }
}
