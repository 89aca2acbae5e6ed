//! Reads a pattern as Go does, with Go's errors, and writes it for the `regex` crate.
//!
//! Source: Go's `regexp/syntax/parse.go`.

use std::fmt::Write;

use regex::Regex;

const MAX_REPEAT: i64 = 1000;
const MAX_DEPTH: usize = 1000;

/// The number of parts that a character class counts for: those beyond ASCII are large.
const CLASS: u64 = 64;

/// The error, and the part of the pattern that it is about.
struct Misuse<'a>(&'static str, &'a str);

/// An item on the parser's stack.
enum ClassItem {
    Open,
    Bar,
    Part(Repeats),
}

/// The repetitions of a part, including the parts in it.
#[derive(Default)]
struct Repeats {
    times: Option<i64>,
    inner: Vec<Repeats>,
    depth: usize,
    weight: u64,
}

impl Repeats {
    fn of(inner: Vec<Self>) -> Self {
        let depth = inner.iter().map(|part| part.depth).max().unwrap_or_default() + 1;
        let weight = inner.iter().fold(1, |sum: u64, part| sum.saturating_add(part.weight));
        Self { times: None, inner, depth, weight }
    }

    /// Implements `repeatIsValid`.
    fn is_valid(&self, mut left: i64) -> bool {
        match self.times {
            Some(0) => return true,
            Some(times) if times > left => return false,
            Some(times) if times > 0 => left /= times,
            _ => {}
        }
        self.inner.iter().all(|part| part.is_valid(left))
    }
}

pub(super) struct Parser<'a> {
    whole: &'a str,
    /// Whether Perl's extensions are read.
    is_perl: bool,
    stack: Vec<ClassItem>,
    output: String,
}

impl<'a> Parser<'a> {
    /// Returns `pattern` for the `regex` crate, and the number of its parts with all repetitions expanded.
    pub(super) fn parse(pattern: &'a str, is_perl: bool) -> Result<(String, u64), String> {
        let output = String::with_capacity(pattern.len() + 16);
        let mut parser = Self { whole: pattern, is_perl, stack: Vec::new(), output };
        match parser.run() {
            Ok(()) => Ok((parser.output, weight(&parser.stack))),
            Err(Misuse(message, part)) => Err(format!("error parsing regexp: {message}: `{part}`")),
        }
    }

    fn run(&mut self) -> Result<(), Misuse<'a>> {
        let mut rest = self.whole;
        // The repetition that ends here, with the rest of the text.
        let mut last_repeat = "";
        while let Some(first) = rest.chars().next() {
            let mut repeat = "";
            match first {
                '(' => {
                    let after = self.open(rest)?;
                    rest = self.pass(rest, after);
                }
                '|' => {
                    self.stack.push(ClassItem::Bar);
                    rest = self.pass(rest, &rest[1..]);
                }
                ')' => {
                    self.close()?;
                    rest = self.pass(rest, &rest[1..]);
                }
                '[' => {
                    rest = self.class(rest)?;
                    self.class_part();
                }
                '*' | '+' | '?' => {
                    let after = self.repeat(rest, &rest[1..], last_repeat, None)?;
                    (repeat, rest) = (rest, self.pass(rest, after));
                }
                '{' => match repetition(rest) {
                    None => {
                        self.part();
                        self.literal('{');
                        rest = &rest[1..];
                    }
                    Some((least, most, after)) => {
                        let is_valid = (0..=MAX_REPEAT).contains(&least)
                            && most <= MAX_REPEAT
                            && (most < 0 || least <= most);
                        if !is_valid {
                            return Err(Misuse("invalid repeat count", &rest[..rest.len() - after.len()]));
                        }
                        let times = if most < 0 { least } else { most };
                        let after = self.repeat(rest, after, last_repeat, Some((least, times)))?;
                        (repeat, rest) = (rest, self.pass(rest, after));
                    }
                },
                '\\' => rest = self.escape(rest)?,
                '}' | ']' => {
                    self.part();
                    self.literal(first);
                    rest = &rest[1..];
                }
                other => {
                    self.part();
                    rest = self.pass(rest, &rest[other.len_utf8()..]);
                }
            }
            last_repeat = repeat;
        }
        let is_open = self.stack.iter().any(|item| matches!(item, ClassItem::Open));
        if is_open { Err(Misuse("missing closing )", self.whole)) } else { Ok(()) }
    }

    /// Writes what is between `before` and `after` as it is; returns the latter.
    fn pass(&mut self, before: &str, after: &'a str) -> &'a str {
        self.output.push_str(&before[..before.len() - after.len()]);
        after
    }

    /// Writes a character as one that matches itself.
    fn literal(&mut self, character: char) {
        write!(self.output, "\\x{{{:x}}}", u32::from(character)).expect("a String takes everything");
    }

    fn part(&mut self) {
        self.stack.push(ClassItem::Part(Repeats::of(Vec::new())));
    }

    fn class_part(&mut self) {
        self.stack.push(ClassItem::Part(Repeats { weight: CLASS, ..Repeats::of(Vec::new()) }));
    }

    fn repeat(
        &mut self,
        before: &'a str,
        mut after: &'a str,
        last_repeat: &'a str,
        bounds: Option<(i64, i64)>,
    ) -> Result<&'a str, Misuse<'a>> {
        after = after.strip_prefix('?').filter(|_| self.is_perl).unwrap_or(after);
        if self.is_perl && !last_repeat.is_empty() {
            let part = &last_repeat[..last_repeat.len() - after.len()];
            return Err(Misuse("invalid nested repetition operator", part));
        }
        let written = &before[..before.len() - after.len()];
        let Some(ClassItem::Part(part)) = self.stack.pop() else {
            return Err(Misuse("missing argument to repetition operator", written));
        };
        let mut repeated = Repeats::of(vec![part]);
        if let Some((least, times)) = bounds {
            repeated.times = Some(times);
            let count = u64::try_from(times.max(least)).unwrap_or(1);
            repeated.weight = repeated.weight.saturating_mul(count.max(1));
            if (least >= 2 || times >= 2) && !repeated.is_valid(MAX_REPEAT) {
                return Err(Misuse("invalid repeat count", written));
            }
        }
        self.push(repeated)?;
        Ok(after)
    }

    fn push(&mut self, part: Repeats) -> Result<(), Misuse<'a>> {
        if part.depth > MAX_DEPTH {
            return Err(Misuse("expression nests too deeply", self.whole));
        }
        self.stack.push(ClassItem::Part(part));
        Ok(())
    }

    fn close(&mut self) -> Result<(), Misuse<'a>> {
        let mut inner = Vec::new();
        loop {
            match self.stack.pop() {
                None => return Err(Misuse("unexpected )", self.whole)),
                Some(ClassItem::Open) => break,
                Some(ClassItem::Bar) => {}
                Some(ClassItem::Part(part)) => inner.push(part),
            }
        }
        self.push(Repeats::of(inner))
    }

    /// Returns a group, or flags alone.
    fn open(&mut self, rest: &'a str) -> Result<&'a str, Misuse<'a>> {
        let Some(special) = rest.strip_prefix("(?").filter(|_| self.is_perl) else {
            self.stack.push(ClassItem::Open);
            return Ok(&rest[1..]);
        };
        let named = special.strip_prefix("P<").or_else(|| special.strip_prefix('<'));
        if let Some(name) = named.filter(|name| !name.is_empty()) {
            let Some(end) = name.find('>') else { return Err(Misuse("invalid named capture", rest)) };
            let after = &name[end + 1..];
            let is_letter = |character: char| character == '_' || character.is_ascii_alphanumeric();
            if end == 0 || !name[..end].chars().all(is_letter) {
                return Err(Misuse("invalid named capture", &rest[..rest.len() - after.len()]));
            }
            self.stack.push(ClassItem::Open);
            return Ok(after);
        }
        let (mut is_negated, mut has_flag) = (false, false);
        let mut characters = special.char_indices();
        let mut end = special.len();
        for (position, character) in characters.by_ref() {
            end = position + character.len_utf8();
            match character {
                'i' | 'm' | 's' | 'U' => has_flag = true,
                '-' if !is_negated => (is_negated, has_flag) = (true, false),
                ':' | ')' if !is_negated || has_flag => {
                    if character == ':' {
                        self.stack.push(ClassItem::Open);
                    }
                    return Ok(&special[end..]);
                }
                _ => break,
            }
        }
        Err(Misuse("invalid or unsupported Perl syntax", &rest[..end + 2]))
    }

    /// Reads an escape outside of a class.
    fn escape(&mut self, rest: &'a str) -> Result<&'a str, Misuse<'a>> {
        let letter = rest[1..].chars().next().filter(|_| self.is_perl).unwrap_or_default();
        match letter {
            'C' => return Err(Misuse("invalid escape sequence", &rest[..2])),
            'Q' => {
                let (quoted, after) = rest[2..].split_once("\\E").unwrap_or((&rest[2..], ""));
                for character in quoted.chars() {
                    self.part();
                    self.literal(character);
                }
                return Ok(after);
            }
            'p' | 'P' => {
                let after = self.unicode_class(rest)?;
                self.class_part();
                return Ok(after);
            }
            _ => {}
        }
        self.part();
        let own = match letter {
            'A' => r"\A",
            'z' => r"\z",
            'b' => r"(?-u:\b)",
            'B' => r"(?-u:\B)",
            _ => {
                let Some(class) = named_class(letter) else {
                    let (character, after) = character(rest)?;
                    self.literal(character);
                    return Ok(after);
                };
                class
            }
        };
        self.output.push_str(own);
        Ok(&rest[2..])
    }

    /// Reads `\pN` or `\p{Greek}`, or the inner negation `\p{^Greek}`; returns the rest of the text.
    fn unicode_class(&mut self, text: &'a str) -> Result<&'a str, Misuse<'a>> {
        let after = &text[2..];
        let Some(first) = after.chars().next() else {
            return Err(Misuse("invalid character class range", text));
        };
        let (name, rest) = if first == '{' {
            let Some(end) = after.find('}') else {
                return Err(Misuse("invalid character class range", text));
            };
            (&after[1..end], &after[end + 1..])
        } else {
            after.split_at(first.len_utf8())
        };
        let positive = name.strip_prefix('^').unwrap_or(name);
        let is_name = positive.starts_with(|first: char| first.is_ascii_uppercase())
            && positive.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if !is_name || positive != "Any" && Regex::new(&format!(r"\p{{{positive}}}")).is_err() {
            return Err(Misuse("invalid character class range", &text[..text.len() - rest.len()]));
        }
        let is_negated = text.starts_with(r"\P") != (positive != name);
        self.output.extend([if is_negated { r"\P{" } else { r"\p{" }, positive, "}"]);
        Ok(rest)
    }

    /// Reads a class in brackets; returns the rest of the text.
    fn class(&mut self, text: &'a str) -> Result<&'a str, Misuse<'a>> {
        let rest = &text[1..];
        let mut rest = self.pass(text, rest.strip_prefix('^').unwrap_or(rest));
        let mut is_first = true;
        loop {
            if let Some(after) = rest.strip_prefix(']').filter(|_| !is_first) {
                return Ok(self.pass(rest, after));
            }
            if !self.is_perl
                && !is_first
                && rest.starts_with('-')
                && let Some(next) = rest[1..].chars().next().filter(|next| *next != ']')
            {
                return Err(Misuse("invalid character class range", &rest[..=next.len_utf8()]));
            }
            is_first = false;
            if let Some(named) = rest.strip_prefix("[:")
                && let Some(end) = named.find(":]")
            {
                let name = &named[..end];
                if !POSIX.contains(&name.strip_prefix('^').unwrap_or(name)) {
                    return Err(Misuse("invalid character class range", &rest[..end + 4]));
                }
                rest = self.pass(rest, &named[end + 2..]);
                continue;
            }
            if self.is_perl && (rest.starts_with(r"\p") || rest.starts_with(r"\P")) {
                rest = self.unicode_class(rest)?;
                continue;
            }
            let escaped = rest.strip_prefix('\\').and_then(|after| after.chars().next());
            if let Some(class) = escaped.and_then(named_class).filter(|_| self.is_perl) {
                self.output.push_str(class);
                rest = &rest[2..];
                continue;
            }
            let start = rest;
            let low;
            (low, rest) = class_character(rest, text)?;
            self.literal(low);
            if rest.starts_with('-') && !rest[1..].starts_with(']') && rest.len() > 1 {
                let high;
                (high, rest) = class_character(&rest[1..], text)?;
                if high < low {
                    let range = &start[..start.len() - rest.len()];
                    return Err(Misuse("invalid character class range", range));
                }
                self.output.push('-');
                self.literal(high);
            }
        }
    }
}

fn weight(stack: &[ClassItem]) -> u64 {
    stack.iter().fold(1, |sum: u64, item| match item {
        ClassItem::Part(part) => sum.saturating_add(part.weight),
        _ => sum,
    })
}

/// Returns the class that `letter` denotes after a backslash, if it denotes one.
fn named_class(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => r"[\t\n\f\r ]",
        'S' => r"[^\t\n\f\r ]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        _ => return None,
    })
}

/// Reads `{2}`, `{2,}` or `{2,3}`: the least, the most or -1, and the rest of the text.
fn repetition(text: &str) -> Option<(i64, i64, &str)> {
    let (least, rest) = number(&text[1..])?;
    let (most, rest) = match rest.strip_prefix(',') {
        None => (least, rest),
        Some(rest) if rest.starts_with('}') => (-1, rest),
        Some(rest) => number(rest)?,
    };
    let rest = rest.strip_prefix('}')?;
    // A number that is too large is treated like one that is too small.
    Some((least, if most == i64::MAX { MAX_REPEAT + 1 } else { most }, rest))
}

/// Returns a number without leading zeros.
fn number(text: &str) -> Option<(i64, &str)> {
    let end = text.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if digits.is_empty() || digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    Some((digits.parse().unwrap_or(i64::MAX), rest))
}

/// Returns an escaped character, and the rest of the text.
fn character(text: &str) -> Result<(char, &str), Misuse<'_>> {
    let Some(letter) = text[1..].chars().next() else {
        return Err(Misuse("trailing backslash at end of expression", ""));
    };
    let rest = &text[1 + letter.len_utf8()..];
    let invalid = |rest: &str| Misuse("invalid escape sequence", &text[..text.len() - rest.len()]);
    match letter {
        '1'..='7' if !rest.starts_with(|next: char| next.is_digit(8)) => Err(invalid(rest)),
        '0'..='7' => {
            let more = rest.bytes().take(2).take_while(|digit| (b'0'..=b'7').contains(digit)).count();
            let code = u32::from_str_radix(&text[1..2 + more], 8).unwrap_or_default();
            Ok((char::from_u32(code).unwrap_or_default(), &rest[more..]))
        }
        'x' => hexadecimal(text, rest),
        'a' => Ok(('\u{7}', rest)),
        'f' => Ok(('\u{c}', rest)),
        'n' => Ok(('\n', rest)),
        'r' => Ok(('\r', rest)),
        't' => Ok(('\t', rest)),
        'v' => Ok(('\u{b}', rest)),
        other if other.is_ascii() && !other.is_ascii_alphanumeric() => Ok((other, rest)),
        _ => Err(invalid(rest)),
    }
}

/// Reads `\x41` or `\x{41}`, where `rest` begins after the letter.
fn hexadecimal<'a>(text: &'a str, rest: &'a str) -> Result<(char, &'a str), Misuse<'a>> {
    let invalid = |rest: &str| Misuse("invalid escape sequence", &text[..text.len() - rest.len()]);
    let Some(braced) = rest.strip_prefix('{') else {
        let mut digits = rest.chars();
        let first = digits.next();
        let second = if first.is_some() { digits.next() } else { None };
        let code =
            first.and_then(|digit| digit.to_digit(16)).zip(second.and_then(|digit| digit.to_digit(16)));
        let after = digits.as_str();
        return match code {
            Some((high, low)) => Ok((char::from_u32(high * 16 + low).unwrap_or_default(), after)),
            None => Err(invalid(after)),
        };
    };
    let (mut code, mut count) = (0_u32, 0);
    let mut digits = braced.chars();
    loop {
        match digits.next() {
            Some('}') if count > 0 => {
                // Go accepts lone surrogates, which text cannot contain.
                return Ok((char::from_u32(code).unwrap_or('\u{fffd}'), digits.as_str()));
            }
            Some(digit) => match digit.to_digit(16) {
                Some(value) if code * 16 + value <= 0x0010_ffff => code = code * 16 + value,
                _ => return Err(invalid(digits.as_str())),
            },
            None => return Err(invalid("")),
        }
        count += 1;
    }
}

const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

fn class_character<'a>(text: &'a str, whole: &'a str) -> Result<(char, &'a str), Misuse<'a>> {
    match text.chars().next() {
        None => Err(Misuse("missing closing ]", whole)),
        Some('\\') => character(text),
        Some(other) => Ok((other, &text[other.len_utf8()..])),
    }
}
