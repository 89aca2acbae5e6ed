//! The functions and operators that Kubernetes offers to expressions.
//!
//! The table `data/cel.txt` has one line per overload, in the order in which the checker tries them:
//! `name identity receiver.(arguments) result`; capital letters alone are types to be inferred.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::types::Type;

/// An overload of a function.
#[derive(Debug)]
pub(super) struct Overload {
    pub(super) identity: &'static str,
    pub(super) is_member: bool,
    /// The receiver first, if there is one.
    pub(super) arguments: Vec<Type>,
    pub(super) result: Type,
    /// The types that are inferred at each call.
    pub(super) inferred: Vec<Arc<str>>,
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
    let Reader { rest: "", inferred } = reader else { return None };
    Some((name, Overload { identity, is_member, arguments, result, inferred }))
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
    fn every_line_of_the_table_is_read() {
        let count: usize = FUNCTIONS.values().map(Vec::len).sum();
        assert_eq!(count, 342);
    }

    #[test]
    fn a_line_says_who_is_called_with_what() {
        let (name, overload) =
            overload("or one optional_type(V).(map(K, V), net.IP) type(V)").expect("a function");
        assert_eq!((name, overload.identity, overload.is_member), ("or", "one", true));
        let arguments: Vec<String> = overload.arguments.iter().map(ToString::to_string).collect();
        assert_eq!(arguments, ["optional_type(<V>)", "map(<K>, <V>)", "net.IP"]);
        assert_eq!(overload.result.to_string(), "type(<V>)");
        assert_eq!(overload.inferred.len(), 2);
    }
}
