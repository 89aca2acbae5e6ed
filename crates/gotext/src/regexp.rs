//! Go's regular expressions (RE2) for the `regex` crate, which matches as fast but reads some patterns differently.
//!
//! `\d`, `\s`, `\w` and `\b` are ASCII in Go, a brace that does not begin a repetition is a character, `[` inside a
//! class is one too, and `\Q…\E` quotes. What both read alike is passed on as it is. What Go refuses is refused in its
//! words.
//!
//! Source: Go's `regexp/syntax`.

mod parser;

use regex::{Regex, RegexBuilder};

use parser::Parser;

/// Bounded repetitions of large classes need more room than the crate gives by default.
const SIZE_LIMIT: usize = 100 << 20;

/// A pattern that Go reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern<'a> {
    text: &'a str,
    /// The same for the `regex` crate.
    translation: String,
    /// The number of its parts with all repetitions expanded.
    pub weight: u64,
}

impl<'a> Pattern<'a> {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// Returns Go's error.
    pub fn parse(text: &'a str) -> Result<Self, String> {
        let (translation, weight) = Parser::parse(text, true)?;
        Ok(Self { text, translation, weight })
    }

    /// Returns the expression that Go would compile.
    ///
    /// # Errors
    ///
    /// Fails if it would be too large.
    pub fn compile(&self) -> Result<Regex, String> {
        let built = RegexBuilder::new(&self.translation).size_limit(SIZE_LIMIT).build();
        built.map_err(|_| format!("error parsing regexp: expression too large: `{}`", self.text))
    }
}

/// Whether `regexp.CompilePOSIX` accepts `pattern`: that of `egrep`, without Perl's extensions.
pub fn is_posix(pattern: &str) -> bool {
    Parser::parse(pattern, false).is_ok()
}

/// Returns the expression that Go would compile from `pattern`, or Go's error.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    Pattern::parse(pattern)?.compile()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}")).is_match(text)
    }

    proptest::proptest! {
        #[test]
        fn any_pattern_is_taken_or_refused(pattern in r"[\\\[\](){}^$.|?*+,:a-zQEdpwx0-9é-]{0,20}", text in ".{0,8}") {
            if let Ok(expression) = compile(&pattern) {
                expression.is_match(&text);
            }
        }
    }

    #[test]
    fn letters_and_digits_are_ascii() {
        for (pattern, text) in [(r"^\d$", "٣"), (r"^\w$", "é"), (r"^\s$", "\u{a0}"), (r"^[\w.]$", "é")] {
            assert!(!matches(pattern, text), "{pattern}");
        }
        for (pattern, text) in [(r"^\D$", "٣"), (r"^\W$", "é"), (r"^[^\s]$", "\u{b}"), (r"é\b", "éa")] {
            assert!(matches(pattern, text), "{pattern}");
        }
        assert!(matches(r"a\Bb", "ab"));
    }

    #[test]
    fn brackets_and_braces_that_begin_nothing_are_characters() {
        for (pattern, text) in [
            (r"^a{$", "a{"),
            (r"^a{,5}$", "a{,5}"),
            (r"^{}$", "{}"),
            (r"^a]$", "a]"),
            (r"^[]a]+$", "]a"),
            (r"^[[a]+$", "[a"),
            (r"^[a&&b]+$", "a&b"),
            (r"^[a~~b]+$", "a~b"),
            (r"^[+--b]+$", "+,-b"),
            (r"^[a-]+$", "a-"),
            (r"^[-a]+$", "-a"),
            (r"^[0-9-\p{L}]+$", "1-é"),
        ] {
            assert!(matches(pattern, text), "{pattern}");
        }
        assert!(matches(r"^a{2,3}$", "aaa") && !matches(r"^a{2}$", "aaa"));
    }

    #[test]
    fn escapes_mean_what_they_mean_in_go() {
        for (pattern, text) in [
            (r"^\Qa.b*\E+$", "a.b**"),
            (r"^\Q{", "{"),
            (r"^\101\x41\x{41}$", "AAA"),
            (r"^[\x41-\x{43}]+$", "ABC"),
            (r"^\_\<\ $", "_< "),
            (r"^\p{^Greek}\PN\pL$", "aaa"),
            (r"^[[:alpha:][:^digit:]]+$", "a"),
            (r"^[\t\n\-\]]+$", "\t\n-]"),
        ] {
            assert!(matches(pattern, text), "{pattern}");
        }
        assert!(!matches(r"^\p{^Greek}$", "α"));
        assert!(compile("(").is_err() && compile("[a").is_err() && compile("\\").is_err());
    }

    #[test]
    fn posix_is_what_egrep_reads() {
        for pattern in [
            "/",
            "/a.*",
            "/(a|b)+$",
            "/[a-z0-9_-]",
            "/a{2,3}",
            "/{id}",
            "/a*?",
            "/\\.well",
            "/[[:alpha:]]",
            "/[]a]",
            "/[a-]",
            "/a**",
            "/\\ ",
        ] {
            assert!(is_posix(pattern), "{pattern}");
        }
    }

    #[test]
    fn posix_has_no_extensions_of_perl() {
        let wrong = [
            "/(?:a)", "/\\w+", "/\\d", "/(a", "/a)", "/[a", "*", "/(*)", "/a|*", "/[b-a]", "/[a-z-9]", "/\\",
            "/a{1001}", "/[[:x:]]",
        ];
        for pattern in wrong {
            assert!(!is_posix(pattern), "{pattern}");
        }
    }
}
