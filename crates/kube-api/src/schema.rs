//! Field tables: the type of every field of every kind, from the Go types of the release.
//!
//! The tables are text, in the folder of the release one file per package (`fields/apps.v1.txt`), one paragraph per
//! type, one line per field:
//!
//! ```text
//! DeploymentSpec
//!   replicas *int32 omitempty
//!   template core/v1.PodTemplateSpec
//!   + meta/v1.TypeMeta
//! DeploymentConditionType = string
//! ```
//!
//! A `*` is a pointer, a `+` an inlined struct; `atomic`, `granular`, `set` and `map(keys)` say how lists and maps merge,
//! `patch(strategy:key)` how a strategic merge patch treats them; `always` is a pointer that the internal version does
//! not have. A type is parsed at its first use.
//!
//! `internal.txt` has the few internal types that appear in messages; `internal_json` writes them.
//!
//! Source: `k8s.io/api`, `k8s.io/apimachinery`, `k8s.io/apiextensions-apiserver`, `k8s.io/kube-aggregator`;
//! of configuration files `k8s.io/apiserver`, `k8s.io/pod-security-admission`, `k8s.io/kubernetes/plugin`.

mod known;
mod lifetime;
mod past;
mod published;
mod table;

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use crate::GroupVersionKind;

pub use known::{forget, know};
pub use lifetime::lifetime;
pub use published::Union;
pub use table::{Tables, of_release};

/// The type of a value: a built-in one of the tables, or one built at run time.
// The seals of maps are in the low bits of its address, of which 32-bit machines (WebAssembly) leave too few free.
#[derive(Debug)]
#[repr(align(8))]
pub struct Type {
    /// The name that Go prints, package included (`v1.ObjectMeta`); empty for types without a name, such as lists.
    pub name: Cow<'static, str>,
    /// The package of the tables that defines it, such as `core/v1`; empty if none does.
    pub package: &'static str,
    /// The shape of its values.
    pub shape: Shape,
}

/// The shape of a type's values.
#[derive(Debug)]
pub enum Shape {
    /// A map with known fields.
    Struct(Struct),
    /// A list of one type of items.
    List(Reference),
    /// A map from text to one type of values.
    Map {
        /// The type of the keys as Go prints it; keys are always text.
        key: Cow<'static, str>,
        /// The type of the values.
        value: Reference,
    },
    /// A single value, or one that reads itself.
    Scalar(Scalar),
}

/// A map with known fields.
#[derive(Debug)]
pub struct Struct {
    /// The fields in the order of the Go struct, those of inlined structs in their place.
    pub fields: Vec<Field>,
    /// Whether it is replaced as a whole in a merge.
    pub atomic: bool,
    /// The names of fields that the type has in the newest release, but not in this one.
    pub later: Vec<Cow<'static, str>>,
    by_name: Positions,
    /// Positions of the fields that the encoder writes even when unset. To compute them, the types of the fields must
    /// be known, one of which may be this very type.
    written_unset: OnceLock<Vec<usize>>,
}

/// One field of a [`Struct`].
#[derive(Debug)]
pub struct Field {
    /// The key in JSON.
    pub name: Cow<'static, str>,
    /// The Go names of the inlined structs that contain it, outermost first.
    pub embedded: Vec<&'static str>,
    /// Its type.
    pub reference: Reference,
    /// Whether the encoder leaves it out when it is empty: zero, no items, a null pointer.
    pub omit_empty: bool,
    /// Whether the encoder leaves it out when it is the zero value of a struct.
    pub omit_zero: bool,
    /// Whether the internal version has no pointer here: conversion through it always sets a value.
    pub always: bool,
    /// The way that it merges.
    pub topology: Topology,
    /// The strategies of a strategic merge patch, separated by commas, and the key to merge by.
    pub patch: Option<(&'static str, Option<&'static str>)>,
}

/// The way that a list, map or struct merges in a structured merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// Lists as a whole, maps and structs field by field.
    #[default]
    Default,
    /// As a whole.
    Atomic,
    /// Field by field, although its type is atomic.
    Granular,
    /// A list of scalars without repetition.
    Set,
    /// A list of structs, keyed by these fields.
    Map(Vec<&'static str>),
}

/// A type that is used by a field, a list or a map.
#[derive(Debug)]
pub struct Reference {
    /// Whether "not there" differs from "zero".
    pub pointer: bool,
    target: Target,
}

#[derive(Debug)]
enum Target {
    Owned(Box<Type>),
    Named { path: Cow<'static, str>, tables: Tables, resolved: OnceLock<&'static Type> },
}

/// Types that are read and written as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Text.
    String,
    /// `true` or `false`.
    Bool,
    /// A whole number of 32 bits.
    Int32,
    /// A whole number of 64 bits.
    Int64,
    /// A whole number from 0 to 255.
    Uint8,
    /// A floating point number.
    Float64,
    /// Bytes, written in base64.
    Bytes,
    /// `resource.Quantity`
    Quantity,
    /// `intstr.IntOrString`
    IntOrString,
    /// `metav1.Time`: RFC 3339, to the second.
    Time,
    /// `metav1.MicroTime`: RFC 3339, to the microsecond.
    MicroTime,
    /// `metav1.Duration`, such as `1h30m`.
    Duration,
    /// Any JSON value, kept as it is.
    Json,
    /// A JSON schema or a boolean.
    SchemaOrBool,
    /// A JSON schema or a list of them.
    SchemaOrArray,
    /// A JSON schema or a list of texts.
    SchemaOrStrings,
}

/// Returns the type of objects of `kind`: that of [`crate::version::Version::BINARY`], or, for a kind that is
/// gone, that of the last release that had it; nothing if no release table has it.
pub fn of(kind: &GroupVersionKind) -> Option<&'static Type> {
    Tables::PRESENT.of(kind).or_else(|| table::last_of(kind))
}

/// Returns the type called `path` in the tables, such as `core/v1.PodSpec`, or, for a type that is gone, as the last
/// release had it. Those of configuration files, which no API serves, are found only this way.
pub fn named(path: &str) -> Option<&'static Type> {
    Tables::PRESENT.named(path).or_else(|| table::last_named(path))
}

/// The positions of fields by the hashes of their names: a power of two of slots, at most half of them used. A field
/// is in the slot of its hash or in the next free one.
#[derive(Debug)]
struct Positions(Box<[Option<u32>]>);

impl Positions {
    fn of(fields: &[Field]) -> Self {
        let mut slots = vec![None; (2 * fields.len()).next_power_of_two()];
        for (position, field) in (0..).zip(fields) {
            let mut slot = first_slot(&field.name, slots.len());
            while slots[slot].is_some() {
                slot = (slot + 1) % slots.len();
            }
            slots[slot] = Some(position);
        }
        Self(slots.into())
    }
}

/// Returns the slot of the hash of `name`, of `slots` slots.
fn first_slot(name: &str, slots: usize) -> usize {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let name = name.as_bytes();
    let ends = match (name.first_chunk(), name.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => name.iter().fold(0, |ends, byte| ends << 8 | u64::from(*byte)),
    };
    let hash = (ends ^ name.len() as u64).wrapping_mul(SPREAD);
    (hash >> 32) as usize & (slots - 1)
}

impl Struct {
    /// Returns a struct of `fields`.
    pub fn new(fields: Vec<Field>, atomic: bool) -> Self {
        let by_name = Positions::of(&fields);
        Self { fields, atomic, later: Vec::new(), by_name, written_unset: OnceLock::new() }
    }

    /// Returns the position in `fields` of the one called `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        let Positions(slots) = &self.by_name;
        let mut slot = first_slot(name, slots.len());
        loop {
            let position = slots[slot]? as usize;
            if self.fields[position].name == name {
                return Some(position);
            }
            slot = (slot + 1) & (slots.len() - 1);
        }
    }

    /// Returns the field called `name`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.position(name).map(|position| &self.fields[position])
    }

    /// Returns the fields that the encoder writes even when unset.
    pub fn written_unset(&self) -> impl Iterator<Item = &Field> {
        let positions = self.written_unset.get_or_init(|| {
            (0..self.fields.len()).filter(|position| self.fields[*position].is_written_unset()).collect()
        });
        positions.iter().map(|position| &self.fields[*position])
    }
}

impl Field {
    /// Whether the encoder writes the field even when unset.
    pub fn is_written_unset(&self) -> bool {
        if self.reference.pointer {
            self.always || !self.omit_empty
        } else {
            !(self.omit_zero || self.omit_empty && self.reference.get().can_be_empty())
        }
    }
}

impl Type {
    /// Returns the fields, if this is a struct.
    pub fn fields(&self) -> &[Field] {
        match &self.shape {
            Shape::Struct(structure) => &structure.fields,
            _ => &[],
        }
    }

    /// Returns the field called `name`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        match &self.shape {
            Shape::Struct(structure) => structure.field(name),
            _ => None,
        }
    }

    /// Returns the type of the value at `path` of a value of this type, such as `spec.containers[0]`.
    pub fn at(&self, path: &str) -> Option<&Self> {
        let mut steps = path.split(['.', '[', ']']).filter(|step| !step.is_empty());
        steps.try_fold(self, |around, step| match &around.shape {
            Shape::Struct(structure) => Some(structure.field(step)?.reference.get()),
            Shape::List(item) => Some(item.get()),
            Shape::Map { value, .. } => Some(value.get()),
            Shape::Scalar(_) => None,
        })
    }

    /// Whether Go's `omitempty` recognizes an empty value of the type: structs, also those written as text, are never
    /// empty.
    pub fn can_be_empty(&self) -> bool {
        match &self.shape {
            Shape::List(_) | Shape::Map { .. } => true,
            Shape::Struct(_) => false,
            Shape::Scalar(scalar) => matches!(
                scalar,
                Scalar::String
                    | Scalar::Bool
                    | Scalar::Int32
                    | Scalar::Int64
                    | Scalar::Uint8
                    | Scalar::Float64
                    | Scalar::Bytes
            ),
        }
    }

    /// Returns the name without the package.
    pub fn short_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or_default()
    }

    /// Returns the kind of its objects, if it has a name and an API group and says its kind itself.
    pub fn kind(&self) -> Option<GroupVersionKind> {
        let group = table::group_of(self.package).filter(|_| self.is_kind())?;
        let version = self.package.rsplit('/').next().unwrap_or_default();
        Some(GroupVersionKind::new(group, version, self.short_name().to_owned()))
    }

    fn is_kind(&self) -> bool {
        self.field("apiVersion").is_some_and(|field| field.embedded == ["TypeMeta"])
    }
}

impl fmt::Display for Type {
    /// Formats it as Go does: `v1.ObjectMeta`, `[]v1.Container`, `map[string]string`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            return formatter.write_str(&self.name);
        }
        match &self.shape {
            Shape::List(item) => write!(formatter, "[]{item}"),
            Shape::Map { key, value } => write!(formatter, "map[{key}]{value}"),
            Shape::Scalar(scalar) => formatter.write_str(scalar.go_name()),
            Shape::Struct(_) => formatter.write_str("struct"),
        }
    }
}

impl Reference {
    /// Returns a type built at run time.
    pub fn new(pointer: bool, target: Type) -> Self {
        Self { pointer, target: Target::Owned(Box::new(target)) }
    }

    /// Returns a type of the tables, looked up at its first use.
    fn named(pointer: bool, tables: Tables, path: impl Into<Cow<'static, str>>) -> Self {
        Self { pointer, target: Target::Named { path: path.into(), tables, resolved: OnceLock::new() } }
    }

    /// Returns the type.
    pub fn get(&self) -> &Type {
        match &self.target {
            Target::Owned(target) => target,
            Target::Named { path, tables, resolved } => resolved.get_or_init(|| {
                let (package, name) = path.rsplit_once('.').unwrap_or_default();
                let found = tables.file(package).and_then(|file| file.find(name));
                found.unwrap_or_else(|| panic!("the field tables have no type {path}"))
            }),
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer {
            formatter.write_str("*")?;
        }
        self.get().fmt(formatter)
    }
}

impl Scalar {
    /// Returns the Go type, package included.
    pub fn go_name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Bool => "bool",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Uint8 => "uint8",
            Self::Float64 => "float64",
            Self::Bytes => "[]uint8",
            Self::Quantity => "resource.Quantity",
            Self::IntOrString => "intstr.IntOrString",
            Self::Time => "v1.Time",
            Self::MicroTime => "v1.MicroTime",
            Self::Duration => "v1.Duration",
            Self::Json => "runtime.RawExtension",
            Self::SchemaOrBool => "v1.JSONSchemaPropsOrBool",
            Self::SchemaOrArray => "v1.JSONSchemaPropsOrArray",
            Self::SchemaOrStrings => "v1.JSONSchemaPropsOrStringArray",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_the_tables_resolves() {
        fn walk(reference: &Reference) {
            match &reference.get().shape {
                Shape::List(item) => walk(item),
                Shape::Map { value, .. } => walk(value),
                Shape::Struct(_) | Shape::Scalar(_) => {}
            }
        }
        let mut count = 0;
        for file in &table::FILES {
            for name in file.names() {
                let found = file.find(name).expect("a name of the file");
                found.fields().iter().for_each(|field| walk(&field.reference));
                assert!(found.fields().len() <= 128, "{name}: a walk marks the fields in 128 bits");
                count += 1;
            }
        }
        assert!(count > 700, "{count} types");
    }

    #[test]
    fn knows_what_the_go_types_say() {
        let deployment = of(&GroupVersionKind::new("apps", "v1", "Deployment")).expect("a kind");
        let spec = deployment.field("spec").expect("a field").reference.get();
        assert_eq!(spec.to_string(), "v1.DeploymentSpec");
        let replicas = spec.field("replicas").expect("a field");
        assert!(replicas.reference.pointer && replicas.omit_empty);
        let pod = named("core/v1.PodSpec").expect("a type");
        let containers = pod.field("containers").expect("a field");
        assert_eq!(containers.reference.to_string(), "[]v1.Container");
        assert_eq!(containers.topology, Topology::Map(vec!["name"]));
        assert_eq!(containers.patch, Some(("merge", Some("name"))));
        let volume = named("core/v1.Volume").expect("a type");
        assert_eq!(volume.field("secret").expect("a field").embedded, ["VolumeSource"]);
    }

    #[test]
    fn a_part_of_a_kind_is_no_kind() {
        assert!(of(&GroupVersionKind::new("", "v1", "PodSpec")).is_none());
        assert!(of(&GroupVersionKind::new("apps", "v2", "Deployment")).is_none());
    }
}
