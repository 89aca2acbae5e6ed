//! The variables and types that an expression may refer to.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::build::macros::Macros;
use super::escape;
use super::history::Oldest;
use super::types::Type;

/// A type with fields that Kubernetes or a user declares.
#[derive(Debug, Clone, Default)]
pub struct ObjectType {
    fields: BTreeMap<Arc<str>, Type>,
}

impl ObjectType {
    /// Returns a type with these fields.
    pub fn new<'a>(fields: impl IntoIterator<Item = (&'a str, Type)>) -> Self {
        Self { fields: fields.into_iter().map(|(name, of)| (name.into(), of)).collect() }
    }

    /// Adds a field, or changes the type of one.
    pub fn set(&mut self, name: &str, of: Type) {
        self.fields.insert(name.into(), of);
    }
}

/// A type with fields that the environment knows.
pub(super) enum KnownObject<'a> {
    Declared(&'a ObjectType),
    /// An operation of a JSON patch.
    JsonPatch,
    /// A part of the object that a policy applies: any field, of any type.
    Applied,
}

impl KnownObject<'_> {
    pub(super) fn field(&self, name: &str) -> Option<Type> {
        match self {
            // A field whose name is a keyword may be written unescaped.
            Self::Declared(object) => {
                let found = object.fields.get(name);
                found.or_else(|| object.fields.get(&*escape::escape(name)?)).cloned()
            }
            Self::JsonPatch => Some(match name {
                "op" | "path" | "from" => Type::String,
                "value" => Type::Dyn,
                _ => Type::Unspecified,
            }),
            Self::Applied => Some(Type::Dyn),
        }
    }
}

/// The variables and types of one use of CEL; the functions are a table that all uses share.
#[derive(Debug, Clone, Default)]
pub struct Env {
    variables: BTreeMap<Arc<str>, Type>,
    objects: BTreeMap<Arc<str>, ObjectType>,
    pub(super) container: Arc<str>,
    pub(super) macros: Macros,
    pub(super) oldest: Oldest,
    has_patch_types: bool,
    has_includes: bool,
    /// Whether literals may mix types and be invalid for their use.
    pub(super) is_lenient: bool,
}

impl Env {
    /// Returns an environment without variables, as Kubernetes configures CEL.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a variable.
    #[must_use]
    pub fn with_variable(mut self, name: &str, of: Type) -> Self {
        self.variables.insert(name.into(), of);
        self
    }

    /// Declares a type with fields.
    #[must_use]
    pub fn with_object(mut self, name: &str, object: ObjectType) -> Self {
        self.declare_object(name, object);
        self
    }

    /// Resolves names in this namespace first.
    #[cfg(test)]
    #[must_use]
    pub(super) fn in_container(mut self, container: &str) -> Self {
        self.container = container.into();
        self
    }

    /// Adds the macro `cel.bind`.
    #[must_use]
    pub fn with_bind(mut self) -> Self {
        self.macros = Macros::WithBind;
        self
    }

    /// Leaves out what Kubernetes 1.`minor` does not have.
    #[must_use]
    pub fn as_of(mut self, minor: u32) -> Self {
        self.oldest = Oldest::minor(minor);
        self
    }

    /// Adds what is reserved for mutations: the types `Object` and `JSONPatch`, `jsonpatch.escapeKey`.
    #[must_use]
    pub fn with_patch_types(mut self) -> Self {
        self.has_patch_types = true;
        self
    }

    /// Adds the function `includes` of the attributes of devices.
    pub(super) fn with_includes(mut self) -> Self {
        self.has_includes = true;
        self
    }

    /// Lifts what Kubernetes forbids beyond CEL itself.
    #[cfg(test)]
    pub(super) fn lenient(mut self) -> Self {
        self.is_lenient = true;
        self
    }

    /// Declares a type with fields.
    pub fn declare_object(&mut self, name: &str, object: ObjectType) {
        self.objects.insert(name.into(), object);
    }

    /// Returns the full names that `name` may be short for, in the order of their precedence.
    pub(super) fn candidates(&self, name: &str) -> Vec<String> {
        if let Some(name) = name.strip_prefix('.') {
            return vec![name.to_owned()];
        }
        let mut candidates = Vec::new();
        let mut container = &*self.container;
        while !container.is_empty() {
            candidates.push(format!("{container}.{name}"));
            container = container.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        candidates.push(name.to_owned());
        candidates
    }

    pub(super) fn variable(&self, name: &str) -> Option<Type> {
        if let Some(found) = self.variables.get(name) {
            return Some(found.clone());
        }
        let named = if self.object(name).is_some() { Type::object(name) } else { standard_type(name)? };
        Some(Type::Type(Some(Arc::new(named))))
    }

    pub(super) fn object(&self, name: &str) -> Option<KnownObject<'_>> {
        match name {
            "JSONPatch" if self.has_patch_types => Some(KnownObject::JsonPatch),
            "Object" if self.has_patch_types => Some(KnownObject::Applied),
            _ if self.has_patch_types && name.starts_with("Object.") => Some(KnownObject::Applied),
            _ => self.objects.get(name).map(KnownObject::Declared),
        }
    }

    /// Whether a function is there that is declared with `since`.
    pub(super) fn has_function(&self, name: &str, since: Option<u32>) -> bool {
        match name {
            "jsonpatch.escapeKey" => self.has_patch_types,
            "includes" => self.has_includes,
            _ => self.oldest.has_function(since),
        }
    }
}

/// Returns the types that expressions refer to by name.
fn standard_type(name: &str) -> Option<Type> {
    let parameter = |name: &str| Type::Parameter(name.into());
    Some(match name {
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "duration" | "google.protobuf.Duration" => Type::Duration,
        "int" => Type::Int,
        "list" => Type::list(parameter("A")),
        "map" => Type::map(parameter("A"), parameter("B")),
        "null_type" => Type::Null,
        "string" => Type::String,
        "timestamp" | "google.protobuf.Timestamp" => Type::Timestamp,
        "type" => Type::Type(None),
        "uint" => Type::Uint,
        "optional_type" => Type::optional(parameter("T")),
        "net.IP" | "net.CIDR" => Type::Opaque(name.into(), [].into()),
        _ => return None,
    })
}
