//! Splits text into tokens: the longest token wins, and a character that begins none is reported and skipped.

use super::source::Source;
use super::token::{Token, TokenKind};

/// Text that is not a token: from its first character to the one that makes it invalid.
#[derive(Debug)]
pub(super) struct Unrecognized {
    pub(super) start: usize,
    pub(super) message: String,
}

/// Returns all tokens with the hidden ones, the end of the text last.
pub(super) fn lex(source: &Source) -> (Vec<Token>, Vec<Unrecognized>) {
    let characters = &source.characters;
    let (mut tokens, mut errors) = (Vec::new(), Vec::new());
    let mut start = 0;
    while start < characters.len() {
        let mut scan = Scan { characters, accepted: None, failed: start };
        scan.token(start);
        if let Some((kind, end)) = scan.accepted {
            tokens.push(Token { kind, start, end });
            start = end;
            continue;
        }
        let text = source.text(start, scan.failed + 1);
        errors.push(Unrecognized { start, message: format!("token recognition error at: '{text}'") });
        start = scan.failed + 1;
    }
    let end = characters.len();
    tokens.push(Token { kind: TokenKind::Eof, start: end, end });
    (tokens, errors)
}

/// The alternatives that begin at one place: the longest token, and where the last of them failed.
struct Scan<'a> {
    characters: &'a [char],
    accepted: Option<(TokenKind, usize)>,
    failed: usize,
}

impl Scan<'_> {
    fn at(&self, position: usize) -> Option<char> {
        self.characters.get(position).copied()
    }

    fn accept(&mut self, kind: TokenKind, end: usize) {
        if self.accepted.is_none_or(|(_, longest)| end > longest) {
            self.accepted = Some((kind, end));
        }
    }

    fn fail(&mut self, position: usize) {
        self.failed = self.failed.max(position);
    }

    /// Returns the first position at or after `start` whose character is not `wanted`.
    fn skip(&self, start: usize, wanted: impl Fn(char) -> bool) -> usize {
        let rest = self.characters[start.min(self.characters.len())..].iter();
        start + rest.take_while(|character| wanted(**character)).count()
    }

    fn token(&mut self, start: usize) {
        let Some(first) = self.at(start) else { return };
        match first {
            '\t' | ' ' | '\r' | '\n' | '\u{c}' => {
                let is_space = |next| matches!(next, '\t' | ' ' | '\r' | '\n' | '\u{c}');
                self.accept(TokenKind::Hidden, self.skip(start, is_space));
            }
            '0'..='9' | '.' => self.number(start),
            '`' => self.escaped_identifier(start),
            '"' | '\'' => self.string(TokenKind::String, start),
            'a'..='z' | 'A'..='Z' | '_' => self.word(start, first),
            _ => self.operator(start, first),
        }
    }

    fn operator(&mut self, start: usize, first: char) {
        let next = self.at(start + 1);
        let single = match first {
            '<' => TokenKind::Less,
            '>' => TokenKind::Greater,
            '[' => TokenKind::LBracket,
            ']' => TokenKind::RBracket,
            '{' => TokenKind::LBrace,
            '}' => TokenKind::RBrace,
            '(' => TokenKind::LParen,
            ')' => TokenKind::RParen,
            ',' => TokenKind::Comma,
            '-' => TokenKind::Minus,
            '!' => TokenKind::Exclam,
            '?' => TokenKind::Question,
            ':' => TokenKind::Colon,
            '+' => TokenKind::Plus,
            '*' => TokenKind::Star,
            '/' => TokenKind::Slash,
            '%' => TokenKind::Percent,
            '=' | '&' | '|' => TokenKind::Hidden,
            _ => return self.fail(start),
        };
        let double = match (first, next) {
            ('=', Some('=')) => Some(TokenKind::Equals),
            ('!', Some('=')) => Some(TokenKind::NotEquals),
            ('<', Some('=')) => Some(TokenKind::LessEquals),
            ('>', Some('=')) => Some(TokenKind::GreaterEquals),
            ('&', Some('&')) => Some(TokenKind::And),
            ('|', Some('|')) => Some(TokenKind::Or),
            ('/', Some('/')) => {
                return self.accept(TokenKind::Hidden, self.skip(start, |character| character != '\n'));
            }
            _ => None,
        };
        match double {
            Some(kind) => self.accept(kind, start + 2),
            None if matches!(first, '=' | '&' | '|') => self.fail(start + 1),
            None => self.accept(single, start + 1),
        }
    }

    fn number(&mut self, start: usize) {
        let digits = |scan: &Self, from: usize| scan.skip(from, |character| character.is_ascii_digit());
        let whole = digits(self, start);
        if whole > start {
            self.accept(TokenKind::Int, whole);
            self.unsigned(whole);
        } else {
            self.accept(TokenKind::Dot, start + 1);
        }
        if self.at(start) == Some('0') && self.at(start + 1) == Some('x') {
            let end = self.skip(start + 2, |character| character.is_ascii_hexdigit());
            if end > start + 2 {
                self.accept(TokenKind::Int, end);
                self.unsigned(end);
            }
        }
        let mut end = whole;
        if self.at(whole) == Some('.') {
            let fraction = digits(self, whole + 1);
            if fraction == whole + 1 {
                return;
            }
            self.accept(TokenKind::Float, fraction);
            end = fraction;
        }
        if matches!(self.at(end), Some('e' | 'E')) && end > start {
            let sign = usize::from(matches!(self.at(end + 1), Some('+' | '-')));
            let exponent = digits(self, end + 1 + sign);
            if exponent > end + 1 + sign {
                self.accept(TokenKind::Float, exponent);
            }
        }
    }

    fn unsigned(&mut self, end: usize) {
        if matches!(self.at(end), Some('u' | 'U')) {
            self.accept(TokenKind::Uint, end + 1);
        }
    }

    fn escaped_identifier(&mut self, start: usize) {
        let is_part =
            |next: char| next.is_ascii_alphanumeric() || matches!(next, '_' | '.' | '-' | '/' | ' ');
        let end = self.skip(start + 1, is_part);
        if end > start + 1 && self.at(end) == Some('`') {
            self.accept(TokenKind::EscIdentifier, end + 1);
        }
        self.fail(end);
    }

    /// Scans an identifier, a keyword, or a string after its prefix.
    fn word(&mut self, start: usize, first: char) {
        let end = self.skip(start, |next| next == '_' || next.is_ascii_alphanumeric());
        let text: String = self.characters[start..end].iter().collect();
        let kind = match text.as_str() {
            "in" => TokenKind::In,
            "true" => TokenKind::True,
            "false" => TokenKind::False,
            "null" => TokenKind::Null,
            _ => TokenKind::Identifier,
        };
        self.accept(kind, end);
        match first {
            'r' | 'R' => self.quoted(TokenKind::String, start + 1, true),
            'b' | 'B' => self.string(TokenKind::Bytes, start + 1),
            _ => {}
        }
    }

    fn string(&mut self, kind: TokenKind, start: usize) {
        let is_raw = matches!(self.at(start), Some('r' | 'R'));
        self.quoted(kind, start + usize::from(is_raw), is_raw);
    }

    /// Scans both forms of quotation that may begin here, single-line and triple-quoted.
    fn quoted(&mut self, kind: TokenKind, start: usize, is_raw: bool) {
        let Some(quote @ ('"' | '\'')) = self.at(start) else { return };
        self.body(kind, start + 1, quote, is_raw, 1);
        if self.at(start + 1) == Some(quote) && self.at(start + 2) == Some(quote) {
            self.body(kind, start + 3, quote, is_raw, 3);
        }
    }

    fn body(&mut self, kind: TokenKind, start: usize, quote: char, is_raw: bool, quotes: usize) {
        let mut position = start;
        while let Some(character) = self.at(position) {
            if character == quote && (1..quotes).all(|ahead| self.at(position + ahead) == Some(quote)) {
                return self.accept(kind, position + quotes);
            }
            position = match character {
                '\\' if !is_raw => match self.escape(position) {
                    Ok(next) => next,
                    Err(failed) => return self.fail(failed),
                },
                '\n' | '\r' if quotes == 1 => return self.fail(position),
                _ => position + 1,
            };
        }
        self.fail(position);
    }

    /// Returns the end of the escape that begins at `start`, or the character that makes it invalid.
    fn escape(&self, start: usize) -> Result<usize, usize> {
        let digits = |count: usize, is_digit: fn(char) -> bool| {
            let end = self.skip(start + 2, is_digit).min(start + 2 + count);
            if end == start + 2 + count { Ok(end) } else { Err(end) }
        };
        match self.at(start + 1) {
            Some('a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '"' | '\'' | '\\' | '?' | '`') => Ok(start + 2),
            Some('x' | 'X') => digits(2, |next| next.is_ascii_hexdigit()),
            Some('u') => digits(4, |next| next.is_ascii_hexdigit()),
            Some('U') => digits(8, |next| next.is_ascii_hexdigit()),
            Some('0'..='3') => digits(2, |next| matches!(next, '0'..='7')),
            _ => Err(start + 1),
        }
    }
}
