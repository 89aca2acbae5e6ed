//! Reading the tables' text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::{Field, Reference, Scalar, Shape, Struct, Topology, Type};
use crate::api::release;

// `FILES`, the tables of the release.
include!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/data/v1.",
    crate::api::release::binary_minor!(),
    "/fields.rs"
));

/// The types of one package.
pub(super) struct File {
    /// The API group; none of types that only files of a server's configuration have.
    pub(super) group: Option<&'static str>,
    /// The Go package, as the tables spell it.
    pub(super) package: &'static str,
    text: &'static str,
    index: OnceLock<BTreeMap<&'static str, Definition>>,
}

struct Definition {
    body: Body,
    parsed: OnceLock<Type>,
}

#[derive(Clone, Copy)]
enum Body {
    /// `Name = expression`
    Alias(&'static str),
    /// The field lines, and whether the struct is atomic.
    Fields(&'static str, bool),
}

impl File {
    const fn new(group: &'static str, package: &'static str, text: &'static str) -> Self {
        Self { group: Some(group), package, text, index: OnceLock::new() }
    }

    const fn of_configuration(package: &'static str, text: &'static str) -> Self {
        Self { group: None, package, text, index: OnceLock::new() }
    }

    /// The API version.
    pub(super) fn version(&self) -> &'static str {
        self.package.rsplit('/').next().unwrap_or_default()
    }

    /// The type called `name`.
    pub(super) fn find(&'static self, name: &str) -> Option<&'static Type> {
        let (name, definition) = self.index().get_key_value(name)?;
        Some(definition.parsed.get_or_init(|| {
            let name = Cow::Owned(format!("{}.{name}", self.version()));
            Type { name, shape: self.shape(definition.body) }
        }))
    }

    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.index().keys().copied()
    }

    fn index(&self) -> &BTreeMap<&'static str, Definition> {
        self.index.get_or_init(|| {
            release::body(self.text)
                .trim_end()
                .split("\n\n")
                .map(|paragraph| {
                    let (head, fields) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
                    let (name, body) = match head.split_once(" = ") {
                        Some((name, expression)) => (name, Body::Alias(expression)),
                        None => match head.strip_suffix(" atomic") {
                            Some(name) => (name, Body::Fields(fields, true)),
                            None => (head, Body::Fields(fields, false)),
                        },
                    };
                    (name, Definition { body, parsed: OnceLock::new() })
                })
                .collect()
        })
    }

    fn shape(&self, body: Body) -> Shape {
        match body {
            Body::Alias(expression) => self.alias(expression),
            Body::Fields(lines, atomic) => Shape::Struct(Struct::new(self.fields(lines), atomic)),
        }
    }

    /// The shape of a named type: that of the type it is defined by.
    fn alias(&self, expression: &'static str) -> Shape {
        let scalar = match expression {
            "time" => Scalar::Time,
            "microtime" => Scalar::MicroTime,
            "duration" => Scalar::Duration,
            "json" => Scalar::Json,
            "JSONSchemaProps or bool" => Scalar::SchemaOrBool,
            "JSONSchemaProps or array" => Scalar::SchemaOrArray,
            "JSONSchemaProps or strings" => Scalar::SchemaOrStrings,
            _ => return self.expression(expression),
        };
        Shape::Scalar(scalar)
    }

    fn expression(&self, expression: &'static str) -> Shape {
        if let Some(found) = unnamed(self, expression) {
            return found.shape;
        }
        let (file, name) = self.locate(expression);
        let definition = file.index().get(name).expect("the tables define every name they use");
        file.shape(definition.body)
    }

    fn fields(&self, lines: &'static str) -> Vec<Field> {
        let mut fields = Vec::with_capacity(lines.len() / 32);
        for line in lines.lines() {
            let mut words = line.split_ascii_whitespace();
            let name = words.next().expect("a field line has a name");
            let expression = words.next().expect("a field line has a type");
            if name == "+" {
                let (file, inlined) = self.locate(expression);
                let Shape::Struct(Struct { fields: below, .. }) = file.shape(file.index()[inlined].body)
                else {
                    unreachable!("{expression} is inlined and no struct")
                };
                fields.extend(below.into_iter().map(|mut field| {
                    field.embedded.insert(0, inlined);
                    field
                }));
            } else {
                fields.push(self.field(name, expression, words));
            }
        }
        fields
    }

    fn field(
        &self,
        name: &'static str,
        expression: &'static str,
        options: impl Iterator<Item = &'static str>,
    ) -> Field {
        let mut field = Field {
            name: Cow::Borrowed(name),
            embedded: Vec::new(),
            reference: self.reference(expression),
            omit_empty: false,
            omit_zero: false,
            always: false,
            topology: Topology::Default,
            patch: None,
        };
        for option in options {
            match option {
                "omitempty" => field.omit_empty = true,
                "omitzero" => field.omit_zero = true,
                "always" => field.always = true,
                "atomic" => field.topology = Topology::Atomic,
                "set" => field.topology = Topology::Set,
                _ => {
                    if let Some(keys) = arguments(option, "map(") {
                        field.topology = Topology::Map(keys.split(',').collect());
                    } else if let Some(patch) = arguments(option, "patch(") {
                        field.patch = Some(match patch.split_once(':') {
                            Some((strategies, key)) => (strategies, Some(key)),
                            None => (patch, None),
                        });
                    }
                }
            }
        }
        field
    }

    fn reference(&self, expression: &'static str) -> Reference {
        let (pointer, expression) =
            expression.strip_prefix('*').map_or((false, expression), |target| (true, target));
        if let Some(found) = unnamed(self, expression) {
            return Reference::new(pointer, found);
        }
        if expression.contains('.') {
            Reference::named(pointer, expression)
        } else {
            Reference::named(pointer, format!("{}.{expression}", self.package))
        }
    }

    /// The file and the name within it that `expression` speaks of.
    fn locate(&self, expression: &'static str) -> (&File, &'static str) {
        match expression.rsplit_once('.') {
            None => (self, expression),
            Some((package, name)) => {
                let file = FILES.iter().find(|file| file.package == package);
                (file.expect("the tables define every package they use"), name)
            }
        }
    }
}

/// The type of an expression that names no type of the tables.
fn unnamed(file: &File, expression: &'static str) -> Option<Type> {
    if expression == "[]byte" {
        return Some(Type { name: Cow::Borrowed(""), shape: Shape::Scalar(Scalar::Bytes) });
    }
    if let Some(item) = expression.strip_prefix("[]") {
        return Some(Type { name: Cow::Borrowed(""), shape: Shape::List(file.reference(item)) });
    }
    if let Some((key, value)) = expression.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
        let key = match key.rsplit_once('/') {
            Some((_, name)) => Cow::Borrowed(name),
            None if key == "string" => Cow::Borrowed(key),
            None => Cow::Owned(format!("{}.{key}", file.version())),
        };
        return Some(Type {
            name: Cow::Borrowed(""),
            shape: Shape::Map { key, value: file.reference(value) },
        });
    }
    let (name, scalar) = match expression {
        "string" => ("", Scalar::String),
        "bool" => ("", Scalar::Bool),
        "int32" => ("", Scalar::Int32),
        "int64" => ("", Scalar::Int64),
        "float64" => ("", Scalar::Float64),
        "types.UID" | "types.NodeName" => (expression, Scalar::String),
        "resource.Quantity" => (expression, Scalar::Quantity),
        "intstr.IntOrString" => (expression, Scalar::IntOrString),
        "runtime.RawExtension" | "runtime.Unknown" => (expression, Scalar::Json),
        _ => return None,
    };
    Some(Type { name: Cow::Borrowed(name), shape: Shape::Scalar(scalar) })
}

fn arguments<'a>(option: &'a str, name: &str) -> Option<&'a str> {
    option.strip_prefix(name)?.strip_suffix(')')
}
