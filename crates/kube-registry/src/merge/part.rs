//! The part of a value's type that decides how the value merges.
//!
//! Source: `sigs.k8s.io/structured-merge-diff/v6/schema`, `k8s.io/kube-openapi/pkg/schemaconv`.

use std::borrow::Cow;
use std::fmt;

use crate::custom_resource::{ListType, Schema, Version};
use kube_api::schema::{self, Scalar, Shape, Topology, Type};
use kube_api::{GroupVersionKind, Value};

/// The type of a value, as far as merging needs it.
#[derive(Clone, Copy)]
pub(super) enum Part<'a> {
    /// A type of the field tables, and the topology of its field.
    Typed(&'a Type, &'a Topology),
    /// A schema of a definition; a resource has the metadata of all objects.
    Described { schema: &'a Schema, is_resource: bool },
    /// An unknown type: maps merge, lists do not.
    Deduced,
}

/// The way that a list merges.
pub(super) enum Items<'a> {
    Atomic,
    Set,
    Keyed(Vec<&'a str>),
}

impl<'a> Part<'a> {
    /// Returns a whole object. `version` is that of a custom resource, whose schema decides how it merges; other kinds
    /// merge by their field tables.
    pub(super) fn of(kind: &GroupVersionKind, version: Option<&'a Version>) -> Self {
        match (version, schema::of(kind)) {
            (Some(version), _) => Self::Described { schema: version.schema(), is_resource: true },
            (None, Some(table)) => Self::Typed(table, &Topology::Default),
            (None, None) => Self::Deduced,
        }
    }

    /// Whether maps are replaced as a whole.
    pub(super) fn is_atomic_map(self) -> bool {
        match self {
            Self::Typed(kind, topology) => {
                let is_atomic = || {
                    kind.name == "runtime.RawExtension"
                        || matches!(&kind.shape, Shape::Struct(structure) if structure.atomic)
                };
                *topology == Topology::Atomic || *topology != Topology::Granular && is_atomic()
            }
            Self::Described { schema, .. } => schema.is_atomic_map,
            Self::Deduced => false,
        }
    }

    /// Returns the way that a list merges.
    pub(super) fn items(self) -> Items<'a> {
        match self {
            Self::Typed(_, Topology::Set)
            | Self::Described { schema: Schema { list_type: ListType::Set, .. }, .. } => Items::Set,
            Self::Typed(_, Topology::Map(keys)) => Items::Keyed(keys.clone()),
            Self::Described { schema: Schema { list_type: ListType::Map(keys), .. }, .. } => {
                Items::Keyed(keys.iter().map(String::as_str).collect())
            }
            _ => Items::Atomic,
        }
    }

    pub(super) fn field(self, name: &str) -> Self {
        match self {
            Self::Typed(Type { shape: Shape::Map { value, .. }, .. }, _) => {
                Self::Typed(value.get(), &Topology::Default)
            }
            Self::Typed(kind, _) => kind
                .field(name)
                .map_or(Self::Deduced, |field| Self::Typed(field.reference.get(), &field.topology)),
            Self::Described { is_resource: true, .. } if name == "metadata" => {
                let table = schema::named("meta/v1.ObjectMeta").expect("the tables have it");
                Self::Typed(table, &Topology::Default)
            }
            Self::Described { schema, .. } => schema.field(name).map_or(Self::Deduced, |schema| {
                Self::Described { schema, is_resource: schema.is_embedded_resource }
            }),
            Self::Deduced => Self::Deduced,
        }
    }

    /// Whether `name` is a field of a struct, not just a key of a map.
    pub(super) fn is_named(self, name: &str) -> bool {
        match self {
            Self::Typed(kind, _) => kind.field(name).is_some(),
            Self::Described { schema, is_resource } => {
                schema.has_property(name) || is_resource && ["apiVersion", "kind", "metadata"].contains(&name)
            }
            Self::Deduced => false,
        }
    }

    pub(super) fn item(self) -> Self {
        match self {
            Self::Typed(Type { shape: Shape::List(item), .. }, _) => {
                Self::Typed(item.get(), &Topology::Default)
            }
            Self::Described { schema: Schema { items: Some(schema), .. }, .. } => {
                Self::Described { schema, is_resource: schema.is_embedded_resource }
            }
            _ => Self::Deduced,
        }
    }

    /// Returns what distinguishes an item of this list from the others.
    pub(super) fn key_of(self, item: &Value) -> ItemKey<'_> {
        let Items::Keyed(mut names) = self.items() else {
            return ItemKey(vec![(String::new(), Cow::Borrowed(item))]);
        };
        names.sort_unstable();
        let value = |name: &str| match item.get(name) {
            Some(value) => Some(Cow::Borrowed(value)),
            None => self.item().default_of(name).map(Cow::Owned),
        };
        ItemKey(names.into_iter().filter_map(|name| Some((name.to_owned(), value(name)?))).collect())
    }

    /// Returns the value that an absent key `name` of an item of this list has in a typed merge: by the types, required
    /// fields are zero by default.
    pub(super) fn key_default(self, name: &str) -> Option<Value> {
        let item = self.item();
        let Self::Typed(kind, _) = item else { return item.default_of(name) };
        let own = item.default_of(name);
        own.or_else(|| match kind.field(name)?.reference.get().shape {
            Shape::Scalar(Scalar::String) => Some("".into()),
            Shape::Scalar(Scalar::Int32 | Scalar::Int64) => Some(0.into()),
            _ => None,
        })
    }

    /// Returns the default of an item's key `name`.
    fn default_of(self, name: &str) -> Option<Value> {
        match self {
            // The only key of the field tables that has a default.
            Self::Typed(..) if name == "protocol" => Some("TCP".into()),
            Self::Described { schema, .. } => schema.field(name)?.default.clone(),
            Self::Typed(..) | Self::Deduced => None,
        }
    }
}

/// The keys of an item with their values, ordered by name; an item of a set is its own key.
#[derive(PartialEq)]
pub(super) struct ItemKey<'v>(Vec<(String, Cow<'v, Value>)>);

impl ItemKey<'_> {
    pub(super) fn into_value(self) -> Value {
        self.0.into_iter().map(|(name, value)| (name, value.into_owned())).collect()
    }
}

impl fmt::Display for ItemKey<'_> {
    /// Formats it as the server does: `[containerPort=80,protocol="TCP"]`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        write!(formatter, "[{}]", pairs.join(","))
    }
}
