//! The functions and operators that Kubernetes offers to expressions.
//!
//! The table `data/cel.txt` has one line per overload, in the order in which the checker tries them:
//! `name identity receiver.(arguments) result cost release`; capital letters alone are types to be inferred.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::library::{self, Function};
use super::types::Type;

/// An overload of a function.
#[derive(Debug)]
pub(crate) struct Overload {
    pub(super) identity: &'static str,
    pub(super) is_member: bool,
    /// The receiver first, if there is one.
    pub(super) arguments: Vec<Type>,
    pub(super) result: Type,
    /// The types that are inferred at each call.
    pub(super) inferred: Vec<Arc<str>>,
    pub(super) cost: Cost,
    /// The minor of the first release that has a function of this name, if not all have it.
    pub(super) since: Option<u32>,
    /// The implementation, unless it is bound to the function or part of the plan.
    pub(super) call: Option<Function>,
}

/// How the cost of a call, estimated and actual, depends on its arguments, the receiver first, and on its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// That of any call.
    One,
    // CEL itself.
    Logic,
    Condition,
    Equality,
    Comparison,
    Concatenation,
    Append,
    Search,
    Affix,
    Containment,
    Matching,
    Format,
    ToBytes,
    ToText,
    Quote,
    // The libraries of lists and sets.
    ResultItems,
    Flattened,
    FlattenedToDepth,
    /// Each item with each other.
    Pairs,
    PairsOfKeys,
    Product,
    ProductTwice,
    // Kubernetes' libraries.
    Check,
    Selector,
    Items,
    Traversal,
    Parsing,
    Canonical,
    Replace,
    Split,
    Join,
    Find,
    ContainsIp,
    ContainsCidr,
    Validate,
    Includes,
}

impl Overload {
    /// Whether its second argument is a text.
    pub(super) fn takes_text(&self) -> bool {
        self.arguments.get(1) == Some(&Type::String)
    }
}

impl Cost {
    /// The cost of asking the authorizer.
    pub(super) const OF_CHECK: u64 = 350_000;

    fn read(word: &str) -> Option<Self> {
        Some(match word {
            "1" => Self::One,
            "logic" => Self::Logic,
            "condition" => Self::Condition,
            "equality" => Self::Equality,
            "comparison" => Self::Comparison,
            "concatenation" => Self::Concatenation,
            "append" => Self::Append,
            "search" => Self::Search,
            "affix" => Self::Affix,
            "containment" => Self::Containment,
            "matching" => Self::Matching,
            "format" => Self::Format,
            "to-bytes" => Self::ToBytes,
            "to-text" => Self::ToText,
            "quote" => Self::Quote,
            "result-items" => Self::ResultItems,
            "flattened" => Self::Flattened,
            "flattened-to-depth" => Self::FlattenedToDepth,
            "pairs" => Self::Pairs,
            "pairs-of-keys" => Self::PairsOfKeys,
            "product" => Self::Product,
            "product-twice" => Self::ProductTwice,
            "check" => Self::Check,
            "selector" => Self::Selector,
            "items" => Self::Items,
            "traversal" => Self::Traversal,
            "parsing" => Self::Parsing,
            "canonical" => Self::Canonical,
            "replace" => Self::Replace,
            "split" => Self::Split,
            "join" => Self::Join,
            "find" => Self::Find,
            "contains-ip" => Self::ContainsIp,
            "contains-cidr" => Self::ContainsCidr,
            "validate" => Self::Validate,
            "includes" => Self::Includes,
            _ => return None,
        })
    }

    /// Whether it is that of a function, also where the types of the arguments leave open which overload is called.
    fn is_of_function(self) -> bool {
        matches!(
            self,
            Self::Equality
                | Self::Check
                | Self::Selector
                | Self::Items
                | Self::Traversal
                | Self::Parsing
                | Self::Canonical
                | Self::Replace
                | Self::Split
                | Self::Join
                | Self::Find
                | Self::ContainsIp
                | Self::ContainsCidr
                | Self::Validate
        )
    }

    /// Returns the cost of a call of which only the function is known before evaluation.
    pub(super) fn of_function(name: &str) -> Self {
        let overloads = function(name).into_iter().flat_map(|(_, overloads)| overloads);
        overloads.map(|overload| overload.cost).find(|cost| cost.is_of_function()).unwrap_or(Self::One)
    }
}

/// The table of the release, after the sources of its facts.
static TABLE: &str = include_str!("../data/cel.txt");

static FUNCTIONS: LazyLock<BTreeMap<&'static str, Vec<Overload>>> =
    LazyLock::new(|| read(TABLE.split_once("\n\n").map_or("", |(_, body)| body)));

/// Returns all overloads of a function.
pub(super) fn function(name: &str) -> Option<(&'static str, &'static [Overload])> {
    FUNCTIONS.get_key_value(name).map(|(name, overloads)| (*name, overloads.as_slice()))
}

fn read(table: &'static str) -> BTreeMap<&'static str, Vec<Overload>> {
    let mut functions: BTreeMap<_, Vec<Overload>> = BTreeMap::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let (name, overload) = overload(line).expect("a line of the table is a function");
        functions.entry(name).or_default().push(overload);
    }
    functions
}

fn overload(line: &'static str) -> Option<(&'static str, Overload)> {
    let (name, rest) = line.split_once(' ')?;
    let (identity, signature) = rest.split_once(' ')?;
    let mut reader = Reader { rest: signature, inferred: Vec::new() };
    let mut arguments = Vec::new();
    let is_member = !signature.starts_with('(');
    if is_member {
        arguments.push(reader.one()?);
        reader.skip(".")?;
    }
    arguments.extend(reader.list()?);
    reader.skip(" ")?;
    let result = reader.one()?;
    reader.skip(" ")?;
    let Reader { rest, inferred } = reader;
    let (cost, since) = rest.split_once(" 1.").map_or((rest, None), |(cost, minor)| (cost, Some(minor)));
    let since = since.map(|minor| minor.parse().expect("a release"));
    let (cost, call) = (Cost::read(cost)?, library::overload(identity));
    Some((name, Overload { identity, is_member, arguments, result, inferred, cost, since, call }))
}

struct Reader {
    rest: &'static str,
    inferred: Vec<Arc<str>>,
}

impl Reader {
    fn skip(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    /// Reads types in parentheses.
    fn list(&mut self) -> Option<Vec<Type>> {
        self.skip("(")?;
        let mut types = Vec::new();
        while self.skip(")").is_none() {
            if !types.is_empty() {
                self.skip(", ")?;
            }
            types.push(self.one()?);
        }
        Some(types)
    }

    fn one(&mut self) -> Option<Type> {
        let end = self.rest.find(['(', ')', ',', ' ']).unwrap_or(self.rest.len());
        // A dot in front of the arguments ends a receiver.
        let (name, rest) = self.rest.split_at(end);
        let (name, rest) = match name.strip_suffix('.') {
            Some(receiver) => (receiver, &self.rest[end - 1..]),
            None => (name, rest),
        };
        self.rest = rest;
        let parameters = if rest.starts_with('(') { self.list()? } else { Vec::new() };
        self.named(name, parameters)
    }

    fn named(&mut self, name: &str, mut parameters: Vec<Type>) -> Option<Type> {
        Some(match name {
            "dyn" => Type::Dyn,
            "bool" => Type::Bool,
            "int" => Type::Int,
            "uint" => Type::Uint,
            "double" => Type::Double,
            "string" => Type::String,
            "bytes" => Type::Bytes,
            "Timestamp" => Type::Timestamp,
            "Duration" => Type::Duration,
            "list" => Type::list(parameters.pop()?),
            "map" => {
                let value = parameters.pop()?;
                Type::map(parameters.pop()?, value)
            }
            "type" => Type::Type(parameters.pop().map(Arc::new)),
            "optional_type" | "net.IP" | "net.CIDR" => Type::Opaque(name.into(), parameters.into()),
            _ if name.len() == 1 => {
                let name: Arc<str> = name.into();
                if !self.inferred.contains(&name) {
                    self.inferred.push(Arc::clone(&name));
                }
                Type::Parameter(name)
            }
            _ => Type::object(name),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_overload_has_one_implementation() {
        /// Operators that the planner turns into steps of their own.
        const PLANNED: [&str; 11] = [
            "@not_strictly_false",
            "_!=_",
            "_&&_",
            "_==_",
            "_?._",
            "_?_:_",
            "_[?_]",
            "_[_]",
            "_||_",
            "or",
            "orValue",
        ];
        let mut identities = BTreeMap::new();
        for (name, overload) in FUNCTIONS.iter().flat_map(|(name, of)| of.iter().map(move |of| (*name, of))) {
            let identity = overload.identity;
            assert!(identities.insert(identity, name).is_none(), "{identity} is declared twice");
            let found = [
                overload.call.is_some(),
                library::singleton(name).is_some(),
                library::named_format::constant(name).is_some(),
                PLANNED.contains(&name),
            ];
            assert_eq!(found.into_iter().filter(|is| *is).count(), 1, "{name} {identity}: {found:?}");
        }
        let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert_eq!(identities.len(), lines.count());
    }

    #[test]
    fn a_line_says_who_is_called_with_what() {
        let (name, overload) =
            overload("or one optional_type(V).(map(K, V), net.IP) type(V) 1").expect("a function");
        assert_eq!((name, overload.identity, overload.is_member), ("or", "one", true));
        let arguments: Vec<String> = overload.arguments.iter().map(ToString::to_string).collect();
        assert_eq!(arguments, ["optional_type(<V>)", "map(<K>, <V>)", "net.IP"]);
        assert_eq!(overload.result.to_string(), "type(<V>)");
        assert_eq!(overload.inferred.len(), 2);
    }
}
