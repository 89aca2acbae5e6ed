//! The Kubernetes release that brought a macro or a part of the syntax; `data/cel.txt` has that of a function.
//!
//! A server accepts a new expression only if its previous release can evaluate it, too, so that it can be rolled back.
//! Stored expressions may use all that the server has.
//!
//! Source: `baseOpts` of `k8s.io/apiserver/pkg/cel/environment`.

/// The oldest release that has to understand an expression; unless it is named, the newest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Oldest(Option<u32>);

const OPTIONALS: u32 = 28;
const TWO_VARIABLES: u32 = 32;
const SORT_BY: u32 = 34;

impl Oldest {
    /// Returns the release 1.`minor`.
    pub(super) fn minor(minor: u32) -> Self {
        Self(Some(minor))
    }

    fn has(self, since: u32) -> bool {
        self.0.is_none_or(|minor| minor >= since)
    }

    /// Whether it has optional values, their syntax, and a type for calls of methods that do not exist.
    pub(super) fn has_optionals(self) -> bool {
        self.has(OPTIONALS)
    }

    /// Whether a function whose declarations have `since` is there.
    pub(super) fn has_function(self, since: Option<u32>) -> bool {
        since.is_none_or(|since| self.has(since))
    }

    /// Whether it expands a call of `function` with that number of arguments, if it is one of a macro.
    pub(super) fn has_macro(self, function: &str, arguments: usize) -> bool {
        match (function, arguments) {
            ("optMap" | "optFlatMap", _) => self.has(OPTIONALS),
            ("all" | "exists" | "exists_one" | "existsOne", 3)
            | ("transformList" | "transformMap" | "transformMapEntry", _) => self.has(TWO_VARIABLES),
            ("sortBy", _) => self.has(SORT_BY),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Env, Type};

    #[test]
    fn releases_before_know_neither_functions_nor_macros_nor_syntax() {
        let says = |minor: u32, expression: &str| {
            let env = Env::new().with_variable("self", Type::map(Type::String, Type::String)).as_of(minor);
            env.compile(expression).err().map(|issues| {
                let text = issues.to_string();
                text.lines().filter(|line| !line.starts_with(" |")).collect::<Vec<_>>().join("; ")
            })
        };
        let cases = [
            (28, "self.?a.hasValue()", "ERROR: <input>:1:5: unsupported syntax '.?'"),
            (28, "self[?'a'].hasValue()", "ERROR: <input>:1:5: unsupported syntax '[?'"),
            (28, "[?optional.of(1)] == [1]", "ERROR: <input>:1:2: unsupported syntax '?'"),
            (28, "{?'a': optional.of(1)} == {'a': 1}", "ERROR: <input>:1:2: unsupported syntax '?'"),
            (
                28,
                "isQuantity(self.a)",
                "ERROR: <input>:1:11: undeclared reference to 'isQuantity' (in container '')",
            ),
            (
                29,
                "sets.contains([1], [1])",
                "ERROR: <input>:1:1: undeclared reference to 'sets' (in container '')",
            ),
            (30, "isCIDR(self.a)", "ERROR: <input>:1:7: undeclared reference to 'isCIDR' (in container '')"),
            (
                31,
                "format.named('uri').hasValue()",
                "ERROR: <input>:1:1: undeclared reference to 'format' (in container '')",
            ),
            (
                33,
                "isSemver(self.a)",
                "ERROR: <input>:1:9: undeclared reference to 'isSemver' (in container '')",
            ),
            (34, "[1].sort() == [1]", "ERROR: <input>:1:9: undeclared reference to 'sort' (in container '')"),
        ];
        for (since, expression, error) in cases {
            assert_eq!(says(since, expression), None, "{expression}");
            let before = says(since - 1, expression).unwrap_or_default();
            assert!(before.starts_with(error), "{expression}: {before}");
        }
        assert_eq!(says(32, "self.all(k, v, v == k)"), None);
        assert!(says(31, "self.all(k, v, v == k)").is_some());
    }

    #[test]
    fn a_method_that_does_not_exist_had_no_type() {
        let says = |minor: u32| {
            let env = Env::new().with_variable("self", Type::String).as_of(minor);
            env.compile("self == self.orNothing('')").unwrap_err().to_string()
        };
        let undeclared = "ERROR: <input>:1:23: undeclared reference to 'orNothing' (in container '')\n \
                          | self == self.orNothing('')\n | ......................^";
        assert_eq!(says(28), undeclared);
        let mismatch = "ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(string, <nil>)'\n \
                        | self == self.orNothing('')\n | .....^\n";
        assert_eq!(says(27), format!("{mismatch}{undeclared}"));
    }
}
