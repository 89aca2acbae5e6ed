//! The types of CEL, and which of them are assignable to each other.
//!
//! Source: cel-go `common/types/types.go`, `checker/types.go`, `checker/format.go`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The limit on the parts of a type; cel-go has none, and does not terminate in practice for types that double at each
/// step.
const MAX_PARTS: usize = 10_000;

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// The type of a field that exists but has no type: nothing is assignable to it.
    Unspecified,
    /// The type of what does not compile.
    Error,
    /// Any type, determined at run time.
    Dyn,
    /// Like `dyn`, but not a type to iterate over.
    Any,
    /// `null_type`
    Null,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `double`
    Double,
    /// `string`
    String,
    /// `bytes`
    Bytes,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// `google.protobuf.Duration`
    Duration,
    /// `list(element)`
    List(Arc<Type>),
    /// `map(key, value)`
    Map(Arc<(Type, Type)>),
    /// `type(T)`, or any type at all.
    Type(Option<Arc<Type>>),
    /// A named type that has no fields: `optional_type(T)`, `net.IP`.
    Opaque(Arc<str>, Arc<[Type]>),
    /// A named type with fields.
    Object(Arc<str>),
    /// A type that is to be inferred.
    Parameter(Arc<str>),
}

impl Type {
    /// Returns `list(element)`.
    pub fn list(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    /// Returns `map(key, value)`.
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// Returns a type with fields.
    pub fn object(name: &str) -> Self {
        Self::Object(name.into())
    }

    /// Returns `optional_type(value)`.
    pub fn optional(value: Self) -> Self {
        Self::Opaque("optional_type".into(), [value].into())
    }

    /// Returns the value's type if this is an `optional_type`.
    pub(super) fn unwrap_optional(&self) -> Option<&Self> {
        match self {
            Self::Opaque(name, parameters) if &**name == "optional_type" => parameters.first(),
            _ => None,
        }
    }

    pub(super) fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any)
    }

    pub(super) fn is_dyn_or_error(&self) -> bool {
        self.is_dyn() || *self == Self::Error
    }

    /// Returns the name without parameters, as used by values.
    pub fn name(&self) -> &str {
        match self {
            Self::Unspecified => "",
            Self::Error => "error",
            Self::Dyn => "dyn",
            Self::Any => "google.protobuf.Any",
            Self::Null => "null_type",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Timestamp => "google.protobuf.Timestamp",
            Self::Duration => "google.protobuf.Duration",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Type(_) => "type",
            Self::Opaque(name, _) | Self::Object(name) | Self::Parameter(name) => name,
        }
    }

    fn parameters(&self) -> Vec<&Self> {
        match self {
            Self::List(element) => vec![element],
            Self::Map(entry) => vec![&entry.0, &entry.1],
            Self::Type(of) => of.as_deref().into_iter().collect(),
            Self::Opaque(_, parameters) => parameters.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the type as in the checker's messages.
    pub(super) fn in_message(&self) -> String {
        match self {
            Self::Any => "any".to_owned(),
            Self::Duration => "duration".to_owned(),
            Self::Timestamp => "timestamp".to_owned(),
            Self::Error => "!error!".to_owned(),
            Self::Null => "null".to_owned(),
            _ => self.with_parameters(Self::in_message),
        }
    }

    fn with_parameters(&self, print: impl Fn(&Self) -> String) -> String {
        let parameters: Vec<String> = self.parameters().into_iter().map(print).collect();
        match parameters.len() {
            0 => self.name().to_owned(),
            _ => format!("{}({})", self.name(), parameters.join(", ")),
        }
    }

    /// Whether both are the same, apart from the names of their parameters.
    pub(super) fn is_equivalent(&self, other: &Self) -> bool {
        let (own, others) = (self.parameters(), other.parameters());
        let is_same_name = match (self, other) {
            (Self::Parameter(_), Self::Parameter(_)) => true,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other) && self.name() == other.name(),
        };
        is_same_name
            && own.len() == others.len()
            && own.into_iter().zip(others).all(|(one, other)| one.is_equivalent(other))
    }

    /// Whether the type has more parts than a written type can have; it may share them.
    pub(super) fn is_too_large(&self) -> bool {
        let (mut count, mut open) = (0, vec![self]);
        while let Some(next) = open.pop() {
            count += 1;
            if count > MAX_PARTS {
                return true;
            }
            open.extend(next.parameters());
        }
        false
    }

    /// Returns the same type with its parameters mapped.
    fn map_parameters(&self, change: &mut impl FnMut(&Self) -> Self) -> Self {
        match self {
            Self::List(element) => Self::list(change(element)),
            Self::Map(entry) => Self::map(change(&entry.0), change(&entry.1)),
            Self::Type(Some(of)) => Self::Type(Some(Arc::new(change(of)))),
            Self::Opaque(name, parameters) => {
                Self::Opaque(Arc::clone(name), parameters.iter().map(change).collect())
            }
            other => other.clone(),
        }
    }

    fn is_legacy_nullable(&self) -> bool {
        matches!(self, Self::Opaque(..) | Self::Object(_) | Self::Any | Self::Duration | Self::Timestamp)
    }

    /// Whether a value of `from` is accepted where this type is expected, both without parameters to infer.
    fn accepts(&self, from: &Self) -> bool {
        self == from || self.is_dyn() || matches!(self, Self::Parameter(_))
    }

    fn is_equal_or_less_specific(&self, other: &Self) -> bool {
        if self.is_dyn() || matches!(self, Self::Parameter(_)) {
            return true;
        }
        if other.is_dyn() || matches!(other, Self::Parameter(_)) {
            return false;
        }
        match (self, other) {
            (Self::Type(_), Self::Type(_)) => true,
            (Self::Opaque(..), Self::Opaque(..))
            | (Self::List(_), Self::List(_))
            | (Self::Map(_), Self::Map(_)) => {
                let (own, others) = (self.parameters(), other.parameters());
                self.name() == other.name()
                    && own.len() == others.len()
                    && own.into_iter().zip(others).all(|(one, other)| one.is_equal_or_less_specific(other))
            }
            _ => self == other,
        }
    }

    /// Returns the more general of two types that are known to fit each other.
    pub(super) fn most_general<'a>(&'a self, other: &'a Self) -> &'a Self {
        if self.is_equal_or_less_specific(other) { self } else { other }
    }
}

/// Formats the type as Go's `String` does.
impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(name) => write!(formatter, "<{name}>"),
            _ => formatter.write_str(&self.with_parameters(ToString::to_string)),
        }
    }
}

/// The inferred values of type parameters.
///
/// cel-go looks them up by the printed type, so that a type which prints like a parameter would be mistaken for one; no
/// type does.
#[derive(Debug, Clone, Default)]
pub(super) struct Substitutions {
    by_name: BTreeMap<Arc<str>, Type>,
    /// The names that were added or changed, with their former values, to undo that.
    undo: Vec<(Arc<str>, Option<Type>)>,
}

impl Substitutions {
    pub(super) fn add(&mut self, name: &Arc<str>, to: Type) {
        let before = self.by_name.insert(Arc::clone(name), to);
        self.undo.push((Arc::clone(name), before));
    }

    fn find(&self, of: &Type) -> Option<&Type> {
        match of {
            Type::Parameter(name) => self.by_name.get(name),
            _ => None,
        }
    }

    /// Implements `isAssignable`: whether `from` fits `to`; inferences are kept only then.
    pub(super) fn assign(&mut self, from: &Type, to: &Type) -> bool {
        self.attempt(|this| this.fits(from, to))
    }

    /// Implements `isAssignableList`.
    pub(super) fn assign_all(&mut self, from: &[Type], to: &[Type]) -> bool {
        from.len() == to.len()
            && self.attempt(|this| from.iter().zip(to).all(|(from, to)| this.fits(from, to)))
    }

    fn attempt(&mut self, fits: impl FnOnce(&mut Self) -> bool) -> bool {
        self.undo.clear();
        let is_fit = fits(self);
        if !is_fit {
            while let Some((name, before)) = self.undo.pop() {
                match before {
                    Some(before) => self.by_name.insert(name, before),
                    None => self.by_name.remove(&name),
                };
            }
        }
        is_fit
    }

    fn fits(&mut self, from: &Type, to: &Type) -> bool {
        if let Type::Parameter(name) = to {
            let (is_valid, is_known) = self.infer(from, to, name);
            if is_valid || is_known {
                return is_valid;
            }
        }
        if let Type::Parameter(name) = from {
            return self.infer(to, from, name).0;
        }
        if from.is_dyn_or_error() || to.is_dyn_or_error() {
            return true;
        }
        match (from, to) {
            (Type::Null, _) => to.is_legacy_nullable() || to.accepts(&Type::Null),
            (_, Type::Null) => from.is_legacy_nullable() || from.accepts(&Type::Null),
            (Type::Type(_), _) => matches!(to, Type::Type(_)),
            (Type::Opaque(..), Type::Opaque(..))
            | (Type::List(_), Type::List(_))
            | (Type::Map(_), Type::Map(_)) => {
                let (own, others) = (from.parameters(), to.parameters());
                from.name() == to.name()
                    && own.len() == others.len()
                    && own.into_iter().zip(others).all(|(from, to)| self.fits(from, to))
            }
            (Type::Opaque(..) | Type::List(_) | Type::Map(_) | Type::Unspecified, _) => false,
            _ => to.accepts(from),
        }
    }

    /// Implements `isValidTypeSubstitution`: whether `parameter` may be `of`, and whether it was bound already.
    fn infer(&mut self, of: &Type, parameter: &Type, name: &Arc<str>) -> (bool, bool) {
        if of == parameter {
            return (true, true);
        }
        if let Some(known) = self.by_name.get(name).cloned() {
            if *of == known {
                return (true, true);
            }
            if !self.fits(of, &known) {
                return (false, true);
            }
            let general = of.most_general(&known).clone();
            if self.is_unreferenced(parameter, &general) {
                self.add(name, general);
            }
            return (true, true);
        }
        let is_valid = self.is_unreferenced(parameter, of);
        if is_valid {
            self.add(name, of.clone());
        }
        (is_valid, false)
    }

    /// Whether `parameter` is not part of `within`: a type cannot contain itself.
    fn is_unreferenced(&self, parameter: &Type, within: &Type) -> bool {
        if parameter == within {
            return false;
        }
        if let Type::Parameter(_) = within {
            return self.find(within).is_none_or(|found| self.is_unreferenced(parameter, found));
        }
        within.parameters().into_iter().all(|inner| self.is_unreferenced(parameter, inner))
    }

    /// Returns the type with all inferences applied; open parameters become `dyn` if `open_is_dyn`.
    pub(super) fn apply(&self, to: &Type, open_is_dyn: bool) -> Type {
        self.apply_within(to, open_is_dyn, &mut (2 * MAX_PARTS))
    }

    /// Applies with `left` parts remaining; a type that needs more is too large, and is cut off.
    fn apply_within(&self, to: &Type, open_is_dyn: bool, left: &mut usize) -> Type {
        if *left == 0 {
            return Type::Dyn;
        }
        *left -= 1;
        match (to, self.find(to)) {
            (_, Some(found)) => self.apply_within(found, open_is_dyn, left),
            (Type::Parameter(_), None) if open_is_dyn => Type::Dyn,
            _ => to.map_parameters(&mut |inner| self.apply_within(inner, open_is_dyn, left)),
        }
    }
}
