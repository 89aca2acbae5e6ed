//! The syntax of `JSONPath` templates. Only whether one can be read matters here, and the error if not.
//!
//! Source: `k8s.io/client-go/util/jsonpath`.

/// Checks the expression `text` of a template, without its braces.
pub(super) fn check(text: &str) -> Result<(), String> {
    let template = format!("{{{text}}}");
    Parser { input: &template, start: 0, position: 0, after_descent: false }.text()
}

struct Parser<'a> {
    input: &'a str,
    /// Where the part that is read begins.
    start: usize,
    position: usize,
    /// Whether the last step was `..`.
    after_descent: bool,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.input[self.position..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.position += next.len_utf8();
        Some(next)
    }

    fn consume(&mut self) -> &'a str {
        let text = &self.input[self.start..self.position];
        self.start = self.position;
        text
    }

    fn skip(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.position += prefix.len();
            self.start = self.position;
        }
        found
    }

    fn text(mut self) -> Result<(), String> {
        while let Some(brace) = self.rest().find('{') {
            self.position += brace + 1;
            self.start = self.position;
            self.after_descent = false;
            while !self.skip("}") {
                self.step()?;
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), String> {
        if self.skip("[?(") {
            self.after_descent = false;
            return self.filter();
        }
        if self.rest().starts_with("..") {
            if self.after_descent {
                return Err("invalid multiple recursive descent".to_owned());
            }
            self.skip("..");
            self.after_descent = true;
            if self.peek().is_some_and(is_alphanumeric) {
                self.field();
            }
            return Ok(());
        }
        match self.peek() {
            None | Some('\n' | '\r') => return Err("unclosed action".to_owned()),
            Some(' ' | '@' | '$') => {
                self.next();
                self.start = self.position;
                return Ok(());
            }
            Some('[') => self.array()?,
            Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
            Some('.') => {
                self.skip(".");
                self.field();
            }
            Some(first) if first == '+' || first == '-' || is_digit(first) => self.number()?,
            Some(first) if is_alphanumeric(first) => {
                while !self.peek().is_none_or(is_terminator) {
                    self.next();
                }
                self.consume();
            }
            Some(other) => {
                let shown = format!("U+{:04X} '{other}'", u32::from(other));
                return Err(format!("unrecognized character in action: {shown}"));
            }
        }
        self.after_descent = false;
        Ok(())
    }

    /// Reads a field until a terminator that is not escaped.
    fn field(&mut self) {
        while !self.peek().is_none_or(is_terminator) {
            if self.next() == Some('\\') {
                self.next();
            }
        }
        self.consume();
        self.after_descent = false;
    }

    fn number(&mut self) -> Result<(), String> {
        self.next();
        while self.peek().is_some_and(|next| next == '.' || is_digit(next)) {
            self.next();
        }
        let number = self.consume();
        number.parse::<f64>().map(drop).map_err(|_| format!("cannot parse number {number}"))
    }

    fn array(&mut self) -> Result<(), String> {
        let end = self.rest().find([']', '\n']).filter(|end| self.rest().as_bytes()[*end] == b']');
        let Some(end) = end else { return Err("unterminated array".to_owned()) };
        self.position += end + 1;
        let array = self.consume();
        let text = match &array[1..array.len() - 1] {
            "*" => ":",
            text => text,
        };
        if text.contains(',') {
            return text.split(',').try_for_each(|part| check(&format!("[{}]", part.trim_matches(' '))));
        }
        let key = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        if let Some(key) = key.filter(|key| !key.contains('\'')) {
            return check(&format!(".{key}"));
        }
        let parts: Vec<&str> = text.split(':').collect();
        let is_index =
            |part: &&str| part.strip_prefix('-').unwrap_or(part).bytes().all(|byte| byte.is_ascii_digit());
        if parts.len() > 3 || !parts.iter().all(is_index) {
            return Err(format!("invalid array index {text}"));
        }
        match parts.iter().find(|part| !part.is_empty() && part.parse::<i64>().is_err()) {
            Some(part) => Err(format!("array index {part} is not a number")),
            None => Ok(()),
        }
    }

    fn filter(&mut self) -> Result<(), String> {
        const OPERATORS: [char; 4] = ['!', '<', '>', '='];
        let (mut quote, mut is_closed, mut before) = (None, false, '(');
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated filter".to_owned()),
                Some(')') if quote.is_none() || is_closed => break,
                Some(next @ ('"' | '\'')) => match quote {
                    None => quote = Some(next),
                    Some(quote) => is_closed |= before != '\\' && next == quote,
                },
                Some(_) => {}
            }
            before = self.input[..self.position].chars().next_back().unwrap_or_default();
        }
        if self.next() != Some(']') {
            return Err("unclosed array expect ]".to_owned());
        }
        let text = self.consume();
        let text = &text[..text.len() - 2];
        let Some(operator) = text.find(OPERATORS).filter(|operator| *operator > 0) else {
            return check(text);
        };
        let after = text[operator..].trim_start_matches(OPERATORS);
        // The operator leaves a character to the right side.
        let right = if after.is_empty() { &text[text.len() - 1..] } else { after };
        if text.len() - right.len() == operator {
            return check(text);
        }
        check(&text[..operator])?;
        check(right)
    }

    fn quoted(&mut self, quote: char) -> Result<(), String> {
        self.next();
        let mut before = quote;
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated quoted string".to_owned()),
                Some(next) if next == quote && before != '\\' => break,
                Some(next) => before = next,
            }
        }
        let value = self.consume();
        if is_escaped_right(&value[1..value.len() - 1], quote) {
            Ok(())
        } else {
            Err(format!("unquote string {value} error invalid syntax"))
        }
    }
}

/// Whether Go's `UnquoteChar` reads every character.
fn is_escaped_right(text: &str, quote: char) -> bool {
    let mut rest = text;
    while let Some(backslash) = rest.find('\\') {
        let escaped = &rest[backslash + 1..];
        let hexadecimal = |digits: usize| {
            let digits =
                escaped.get(1..=digits).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
            digits.and_then(|text| u32::from_str_radix(text, 16).ok()).filter(|code| *code <= 0x0010_ffff)
        };
        let length = match escaped.chars().next() {
            Some('a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '\\') => Some(1),
            Some(next) if next == quote => Some(1),
            Some('x') => hexadecimal(2).map(|_| 3),
            Some('u') => hexadecimal(4).and_then(char::from_u32).map(|_| 5),
            Some('U') => hexadecimal(8).and_then(char::from_u32).map(|_| 9),
            Some('0'..='7') => escaped
                .get(..3)
                .and_then(|digits| u32::from_str_radix(digits, 8).ok())
                .filter(|code| *code <= 0xff)
                .map(|_| 3),
            _ => None,
        };
        let Some(length) = length else { return false };
        rest = &escaped[length..];
    }
    true
}

fn is_digit(character: char) -> bool {
    character.is_numeric() && !character.is_alphabetic()
}

fn is_alphanumeric(character: char) -> bool {
    character == '_' || character.is_alphabetic() || is_digit(character)
}

fn is_terminator(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_has_the_syntax() {
        for text in [
            "spec.validations[0].expression",
            ".a['b.c'].d",
            "a[*]",
            "a[1:2:-1]",
            "a[0,1]",
            "..name",
            "a..b",
            "[?(@.name == 'x')]",
            "[?(@.name)]",
            "'it\\'s'",
            "-1.5",
            "$",
            "a\\.b",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, error) in [
            ("spec[foo]", "invalid array index foo"),
            ("spec[1:2:3:4]", "invalid array index 1:2:3:4"),
            ("spec[-]", "array index - is not a number"),
            ("spec[0", "unterminated array"),
            ("spec[?(@.a]", "unterminated filter"),
            ("spec[?(@.a)", "unclosed array expect ]"),
            ("'a", "unterminated quoted string"),
            ("'\\q'", "unquote string '\\q' error invalid syntax"),
            ("a....b", "invalid multiple recursive descent"),
            ("1.2.3", "cannot parse number 1.2.3"),
            ("!a", "unrecognized character in action: U+0021 '!'"),
            ("a{", "unrecognized character in action: U+007B '{'"),
            ("a\nb", "unclosed action"),
        ] {
            assert_eq!(check(text), Err(error.to_owned()), "{text}");
        }
    }
}
