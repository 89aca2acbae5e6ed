//! The regular expressions that `regexp.CompilePOSIX` accepts: those of `egrep`, without Perl's extensions.
//!
//! Source: Go's `regexp/syntax`, `parse` without flags.

/// The most repetitions that `{n}` may ask for.
const MOST: u32 = 1000;

const CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

/// Whether `pattern` is a POSIX expression.
pub fn is_valid(pattern: &str) -> bool {
    let characters: Vec<char> = pattern.chars().collect();
    Parser { rest: &characters }.parse().is_some()
}

struct Parser<'a> {
    rest: &'a [char],
}

impl Parser<'_> {
    /// Reads the expression; nothing if it is wrong.
    fn parse(&mut self) -> Option<()> {
        let (mut open, mut has_operand) = (0_usize, false);
        while let [first, rest @ ..] = self.rest {
            self.rest = rest;
            match first {
                '(' => (open, has_operand) = (open + 1, false),
                ')' => (open, has_operand) = (open.checked_sub(1)?, true),
                '|' => has_operand = false,
                '*' | '+' | '?' if !has_operand => return None,
                '*' | '+' | '?' => {}
                '{' => match self.repetition() {
                    Some((low, high)) if !has_operand || low > MOST || high > MOST || high < low => {
                        return None;
                    }
                    Some(_) => {}
                    None => has_operand = true,
                },
                '[' => {
                    self.class()?;
                    has_operand = true;
                }
                '\\' => {
                    self.escape()?;
                    has_operand = true;
                }
                _ => has_operand = true,
            }
        }
        (open == 0).then_some(())
    }

    /// Reads `2,3}` after a brace; nothing if the brace is a character.
    fn repetition(&mut self) -> Option<(u32, u32)> {
        let end = self.rest.iter().position(|character| *character == '}')?;
        let text: String = self.rest[..end].iter().collect();
        let number = |text: &str| {
            let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let is_plain = is_plain && (text == "0" || !text.starts_with('0'));
            is_plain.then(|| text.parse().unwrap_or(u32::MAX))
        };
        let (low, high) = match text.split_once(',') {
            None => (number(&text)?, number(&text)?),
            Some((low, "")) => (number(low)?, number(low)?),
            Some((low, high)) => (number(low)?, number(high)?),
        };
        self.rest = &self.rest[end + 1..];
        Some((low, high))
    }

    /// Reads what follows a bracket.
    fn class(&mut self) -> Option<()> {
        if let ['^', rest @ ..] = self.rest {
            self.rest = rest;
        }
        let mut is_first = true;
        loop {
            match self.rest {
                [']', rest @ ..] if !is_first => {
                    self.rest = rest;
                    return Some(());
                }
                // A hyphen is the first or the last.
                ['-', next, ..] if !is_first && *next != ']' => return None,
                ['[', ':', rest @ ..] => {
                    let end = rest.windows(2).position(|pair| pair == [':', ']']);
                    let Some(end) = end else {
                        self.range()?;
                        is_first = false;
                        continue;
                    };
                    let name: String = rest[..end].iter().collect();
                    CLASSES.contains(&name.trim_start_matches('^')).then_some(())?;
                    self.rest = &rest[end + 2..];
                }
                _ => self.range()?,
            }
            is_first = false;
        }
    }

    /// Reads a character of a class, or two with a hyphen between them.
    fn range(&mut self) -> Option<()> {
        let low = self.character()?;
        if let ['-', next, ..] = self.rest
            && *next != ']'
        {
            self.rest = &self.rest[1..];
            return (low <= self.character()?).then_some(());
        }
        Some(())
    }

    fn character(&mut self) -> Option<char> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        if *first == '\\' { self.escape() } else { Some(*first) }
    }

    /// Reads what follows a backslash.
    fn escape(&mut self) -> Option<char> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        match first {
            '1'..='7' if !rest.first().is_some_and(|next| ('0'..='7').contains(next)) => None,
            '0'..='7' => {
                let more = self.rest.iter().take(2).take_while(|next| ('0'..='7').contains(*next)).count();
                let (digits, rest) = self.rest.split_at(more);
                self.rest = rest;
                let value = digits
                    .iter()
                    .fold(first.to_digit(8)?, |value, digit| value * 8 + digit.to_digit(8).unwrap_or(0));
                char::from_u32(value)
            }
            'x' => self.hexadecimal(),
            'a' => Some('\x07'),
            'f' => Some('\x0c'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\x0b'),
            other if other.is_ascii_punctuation() => Some(*other),
            _ => None,
        }
    }

    fn hexadecimal(&mut self) -> Option<char> {
        let (digits, after) = if let ['{', rest @ ..] = self.rest {
            let end = rest.iter().position(|character| *character == '}')?;
            (&rest[..end], &rest[end + 1..])
        } else {
            self.rest.split_at_checked(2)?
        };
        self.rest = after;
        let text: String = digits.iter().collect();
        u32::from_str_radix(&text, 16).ok().and_then(char::from_u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_what_egrep_reads() {
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
        ] {
            assert!(is_valid(pattern), "{pattern}");
        }
    }

    #[test]
    fn rejects_the_extensions_of_perl_and_what_is_open() {
        let wrong = [
            "/(?:a)", "/\\w+", "/\\d", "/(a", "/a)", "/[a", "*", "/(*)", "/a|*", "/[b-a]", "/[a-z-9]", "/\\",
            "/a{1001}", "/[[:x:]]",
        ];
        for pattern in wrong {
            assert!(!is_valid(pattern), "{pattern}");
        }
    }
}
