//! Go's regular expressions (RE2) for the `regex` crate, which matches as fast but reads some patterns differently.
//!
//! `\d`, `\s`, `\w` and `\b` are ASCII in Go, a brace that does not begin a repetition is a character, `[` inside a
//! class is one too, and `\Q…\E` quotes. What both read alike is passed on as it is.
//!
//! Source: Go's `regexp/syntax`.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use regex::{Regex, RegexBuilder};

/// Bounded repetitions of large classes need more room than the crate gives by default.
const SIZE_LIMIT: usize = 100 << 20;

/// Returns the expression that Go would compile from `pattern`; an error for one that neither accepts.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    let translated = Translation::of(pattern);
    let built = RegexBuilder::new(&translated).size_limit(SIZE_LIMIT).build();
    built.map_err(|error| {
        let text = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
        go_error(pattern, &text).unwrap_or(text)
    })
}

/// Returns Go's error for a pattern for which the crate reports `text`, where both find the same fault.
///
/// Source: `regexp/syntax.Error`.
fn go_error(pattern: &str, text: &str) -> Option<String> {
    let says = |what: &str, part: &str| Some(format!("error parsing regexp: {what}: `{part}`"));
    if text.contains("unclosed group") {
        return says("missing closing )", pattern);
    }
    if text.contains("unopened group") {
        return says("unexpected )", pattern);
    }
    if text.contains("unclosed character class") {
        return says("missing closing ]", &pattern[pattern.rfind('[')?..]);
    }
    if text.contains("invalid character class range") {
        let characters: Vec<char> = pattern.chars().collect();
        let range = characters.windows(3).find(|range| range[1] == '-' && range[0] > range[2])?;
        return says("invalid character class range", &range.iter().collect::<String>());
    }
    if text.contains("repetition operator missing expression") {
        let start = pattern.find(['*', '+', '?'])?;
        return says("missing argument to repetition operator", pattern.get(start..=start)?);
    }
    if pattern.ends_with('\\') {
        return says("trailing backslash at end of expression", "");
    }
    None
}

struct Translation<'a> {
    rest: Peekable<Chars<'a>>,
    output: String,
}

impl<'a> Translation<'a> {
    fn of(pattern: &'a str) -> String {
        let output = String::with_capacity(pattern.len() + 16);
        let mut translation = Self { rest: pattern.chars().peekable(), output };
        while let Some(character) = translation.rest.next() {
            match character {
                '\\' => translation.escape(),
                '[' => translation.class(),
                '{' => translation.brace(),
                '}' | ']' => translation.literal(character),
                other => translation.output.push(other),
            }
        }
        translation.output
    }

    /// Reads an escape outside of a class, after its backslash.
    fn escape(&mut self) {
        match self.rest.next() {
            Some('b') => self.output.push_str(r"(?-u:\b)"),
            Some('B') => self.output.push_str(r"(?-u:\B)"),
            Some(anchor @ ('A' | 'z')) => self.output.extend(['\\', anchor]),
            Some('Q') => self.quotation(),
            Some(letter) if self.named_class(letter) => {}
            Some(letter) => match self.escaped(letter) {
                Some(character) => self.literal(character),
                None => self.output.extend(['\\', letter]),
            },
            None => self.output.push('\\'),
        }
    }

    /// Reads `\Q…\E`, or to the end of the pattern.
    fn quotation(&mut self) {
        while let Some(character) = self.rest.next() {
            if character == '\\' && self.rest.next_if_eq(&'E').is_some() {
                return;
            }
            self.literal(character);
        }
    }

    /// Reads a brace, which begins a repetition only as `{2}`, `{2,}` or `{2,3}`.
    fn brace(&mut self) {
        let ahead: String = self.rest.clone().take_while(|character| *character != '}').collect();
        let is_closed = self.rest.clone().nth(ahead.chars().count()) == Some('}');
        let (least, most) = ahead.split_once(',').unwrap_or((&ahead, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if is_closed && !least.is_empty() && is_number(least) && is_number(most) {
            self.output.extend(["{", &ahead, "}"]);
            self.rest.nth(ahead.len());
        } else {
            self.literal('{');
        }
    }

    /// Reads a class, after its opening bracket.
    fn class(&mut self) {
        self.output.push('[');
        if self.rest.next_if_eq(&'^').is_some() {
            self.output.push('^');
        }
        let mut is_first = true;
        while let Some(character) = self.rest.next() {
            match character {
                ']' if !is_first => {
                    self.output.push(']');
                    return;
                }
                '[' if self.rest.peek() == Some(&':') => self.posix_class(),
                '\\' => match self.rest.next() {
                    Some(letter) if self.named_class(letter) => {}
                    Some(letter) => match self.escaped(letter) {
                        Some(character) => self.range_from(character),
                        None => self.output.extend(['\\', letter]),
                    },
                    None => self.output.push('\\'),
                },
                character => self.range_from(character),
            }
            is_first = false;
        }
    }

    /// Reads `[:alpha:]` inside a class, after the bracket.
    fn posix_class(&mut self) {
        self.output.push('[');
        for character in self.rest.by_ref() {
            self.output.push(character);
            if character == ']' {
                return;
            }
        }
    }

    /// Reads a character of a class, or the range that it begins.
    fn range_from(&mut self, first: char) {
        self.literal(first);
        let mut ahead = self.rest.clone();
        if ahead.next() != Some('-') || ahead.next().is_none_or(|next| next == ']') {
            return;
        }
        self.rest.next();
        let last = match self.rest.next() {
            Some('\\') => self.rest.next().and_then(|letter| self.escaped(letter)),
            last => last,
        };
        self.output.push('-');
        if let Some(last) = last {
            self.literal(last);
        }
    }

    /// Writes the class that `letter` denotes after a backslash, if it denotes one.
    fn named_class(&mut self, letter: char) -> bool {
        let class = match letter {
            'd' => "[0-9]",
            'D' => "[^0-9]",
            's' => r"[\t\n\f\r ]",
            'S' => r"[^\t\n\f\r ]",
            'w' => "[0-9A-Za-z_]",
            'W' => "[^0-9A-Za-z_]",
            'p' | 'P' => {
                self.unicode_class(letter);
                return true;
            }
            _ => return false,
        };
        self.output.push_str(class);
        true
    }

    /// Reads `\pL`, `\p{Greek}`, or the inner negation `\p{^Greek}`, after the letter.
    fn unicode_class(&mut self, letter: char) {
        let has_name = self.rest.next_if_eq(&'{').is_some();
        let is_negated = has_name && self.rest.next_if_eq(&'^').is_some();
        self.output.push_str(if (letter == 'p') == is_negated { r"\P" } else { r"\p" });
        if has_name {
            self.output.push('{');
        }
        for character in self.rest.by_ref() {
            self.output.push(character);
            if !has_name || character == '}' {
                return;
            }
        }
    }

    /// Returns the character that an escape denotes, after its backslash and `letter`.
    fn escaped(&mut self, letter: char) -> Option<char> {
        Some(match letter {
            'a' => '\u{7}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '0'..='7' => {
                let mut code = letter.to_digit(8)?;
                for _ in 0..2 {
                    let Some(digit) = self.rest.next_if(|next| next.is_digit(8)) else { break };
                    code = code * 8 + digit.to_digit(8)?;
                }
                char::from_u32(code)?
            }
            'x' if self.rest.next_if_eq(&'{').is_some() => {
                let digits: String = self.rest.by_ref().take_while(|character| *character != '}').collect();
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            'x' => {
                let digits: String = self.rest.by_ref().take(2).collect();
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            letter if letter.is_ascii_alphanumeric() => return None,
            punctuation => punctuation,
        })
    }

    /// Writes a character as one that matches itself.
    fn literal(&mut self, character: char) {
        write!(self.output, "\\x{{{:x}}}", u32::from(character)).expect("a String takes everything");
    }
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
}
