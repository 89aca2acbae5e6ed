//! The schema of a version, compiled once for pruning, defaulting, validation and merging.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apiserver/schema` (`NewStructural`) and `…/apiserver/validation`
//! (`ConvertJSONSchemaProps`).

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::Regex;

use gotext::format::Format;
use gotext::regexp;
use kube_api::{Map, Value};

/// `JSONSchemaProps` of a structural schema. What a definition may not have in `apiextensions.k8s.io/v1` (`$ref`,
/// `definitions`, `dependencies`, `patternProperties`, `additionalItems`, `items` as a list) is not read.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a schema has these flags")]
pub(crate) struct Schema {
    /// Returns the JSON types that are allowed; all if there are none.
    pub(super) types: Vec<String>,
    /// The format of the text or number, as written and as a check, if the server knows it.
    pub(super) format: Option<(String, Format)>,
    pub(super) nullable: bool,
    pub(crate) default: Option<Value>,
    pub(super) choices: Vec<Value>,
    pub(super) maximum: Option<Bound>,
    pub(super) minimum: Option<Bound>,
    pub(super) multiple_of: Option<f64>,
    pub(super) max_length: Option<i64>,
    pub(super) min_length: Option<i64>,
    pub(super) pattern: Option<Pattern>,
    pub(super) max_items: Option<i64>,
    pub(super) min_items: Option<i64>,
    pub(super) unique_items: bool,
    pub(super) max_properties: Option<i64>,
    pub(super) min_properties: Option<i64>,
    pub(super) required: Vec<String>,
    pub(super) properties: BTreeMap<String, Schema>,
    pub(super) additional: Option<Additional>,
    pub(crate) items: Option<Box<Schema>>,
    pub(super) all_of: Vec<Schema>,
    pub(super) any_of: Vec<Schema>,
    pub(super) one_of: Vec<Schema>,
    pub(super) not: Option<Box<Schema>>,
    pub(super) preserves_unknown_fields: bool,
    pub(crate) is_embedded_resource: bool,
    pub(crate) list_type: ListType,
    /// Whether it is replaced as a whole in a merge.
    pub(crate) is_atomic_map: bool,
    has_own_rules: bool,
}

/// A limit of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bound {
    pub(super) value: f64,
    pub(super) is_exclusive: bool,
}

/// `additionalProperties`
#[derive(Debug)]
pub(super) enum Additional {
    /// Any fields, or none.
    Bool(bool),
    /// Fields of this schema.
    Schema(Box<Schema>),
}

/// `x-kubernetes-list-type`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ListType {
    /// Not specified.
    #[default]
    Unspecified,
    /// Replaced as a whole.
    Atomic,
    /// Items are unique.
    Set,
    /// These fields are the key of an item.
    Map(Vec<String>),
}

/// A pattern as written, compiled when a text is first matched against it.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) text: String,
    expression: OnceLock<Result<Regex, String>>,
}

impl Schema {
    /// Returns the schema of objects that may have any field.
    #[cfg(feature = "openshift")]
    pub(super) fn preserving() -> Self {
        let mut props = Map::new();
        props.insert("type".to_owned(), "object".into());
        props.insert("x-kubernetes-preserve-unknown-fields".to_owned(), true.into());
        Self::new(&props)
    }

    /// Compiles a schema as written in a definition.
    pub(super) fn new(props: &Map) -> Self {
        let flag = |field: &str| props.flag(field);
        let text = |field: &str| props.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        let count = |field: &str| props.get(field).and_then(Value::as_i64);
        let number = |field: &str| props.get(field).and_then(Value::as_f64);
        let is_int_or_string = flag("x-kubernetes-int-or-string");
        let types = match text("type") {
            _ if is_int_or_string => vec!["integer".to_owned(), "string".to_owned()],
            Some(name) => vec![name.to_owned()],
            None => Vec::new(),
        };
        let bound =
            |limit, exclusive| number(limit).map(|value| Bound { value, is_exclusive: flag(exclusive) });
        Self {
            format: text("format").and_then(|name| Some((name.to_owned(), Format::of(name, &types)?))),
            nullable: flag("nullable"),
            default: props.get("default").filter(|value| !value.is_null()).cloned(),
            choices: list(props, "enum").to_vec(),
            maximum: bound("maximum", "exclusiveMaximum"),
            minimum: bound("minimum", "exclusiveMinimum"),
            multiple_of: number("multipleOf"),
            max_length: count("maxLength"),
            min_length: count("minLength"),
            pattern: text("pattern").map(Pattern::new),
            max_items: count("maxItems"),
            min_items: count("minItems"),
            unique_items: flag("uniqueItems"),
            max_properties: count("maxProperties"),
            min_properties: count("minProperties"),
            required: texts(props, "required"),
            properties: properties(props),
            additional: match props.get("additionalProperties") {
                Some(Value::Bool(allowed)) => Some(Additional::Bool(*allowed)),
                Some(Value::Object(schema)) => Some(Additional::Schema(Box::new(Self::new(schema)))),
                _ => None,
            },
            items: one(props, "items"),
            all_of: several(props, "allOf"),
            any_of: several(props, "anyOf"),
            one_of: several(props, "oneOf"),
            not: one(props, "not"),
            preserves_unknown_fields: flag("x-kubernetes-preserve-unknown-fields"),
            is_embedded_resource: flag("x-kubernetes-embedded-resource"),
            list_type: match text("x-kubernetes-list-type") {
                Some("atomic") => ListType::Atomic,
                Some("set") => ListType::Set,
                Some("map") => ListType::Map(texts(props, "x-kubernetes-list-map-keys")),
                _ => ListType::Unspecified,
            },
            is_atomic_map: text("x-kubernetes-map-type") == Some("atomic"),
            has_own_rules: !list(props, "x-kubernetes-validations").is_empty(),
            types,
        }
    }

    /// Returns the schema of values in the field `name`: that of a property, or of all others.
    pub(crate) fn field(&self, name: &str) -> Option<&Self> {
        self.properties.get(name).or_else(|| self.additional_schema())
    }

    /// Whether `name` is one of the properties.
    pub(crate) fn has_property(&self, name: &str) -> bool {
        self.properties.contains_key(name)
    }

    /// Returns the JSON types that are allowed; all if there are none.
    pub(crate) fn types(&self) -> &[String] {
        &self.types
    }

    /// Whether fields that it does not describe are kept.
    pub(crate) fn keeps_unknown_fields(&self) -> bool {
        self.preserves_unknown_fields
    }

    /// Returns the schema of fields that are not properties.
    pub(crate) fn additional_schema(&self) -> Option<&Self> {
        match &self.additional {
            Some(Additional::Schema(schema)) => Some(schema),
            _ => None,
        }
    }

    /// Whether there are rules (`x-kubernetes-validations`) here or anywhere below.
    ///
    /// Source: `hasXValidations` of `…/apiserver/schema/cel`.
    pub(super) fn has_rules(&self) -> bool {
        self.has_own_rules
            || self.properties.values().any(Self::has_rules)
            || self.additional_schema().is_some_and(Self::has_rules)
            || self.items.as_deref().is_some_and(Self::has_rules)
    }
}

impl Pattern {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), expression: OnceLock::new() }
    }

    /// Whether `text` matches; an error for an invalid pattern.
    pub(super) fn is_match(&self, text: &str) -> Result<bool, &str> {
        let expression = self.expression.get_or_init(|| regexp::compile(&self.text));
        expression.as_ref().map(|expression| expression.is_match(text)).map_err(String::as_str)
    }
}

fn list<'a>(props: &'a Map, field: &str) -> &'a [Value] {
    props.list(field)
}

fn texts(props: &Map, field: &str) -> Vec<String> {
    list(props, field).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn one(props: &Map, field: &str) -> Option<Box<Schema>> {
    props.get(field)?.as_object().map(|schema| Box::new(Schema::new(schema)))
}

fn several(props: &Map, field: &str) -> Vec<Schema> {
    list(props, field).iter().filter_map(Value::as_object).map(Schema::new).collect()
}

fn properties(props: &Map) -> BTreeMap<String, Schema> {
    let entries = props.get("properties").and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(name, schema)| Some((name.to_string(), Schema::new(schema.as_object()?)))).collect()
}
