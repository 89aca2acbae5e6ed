//! The text form of selectors: `app=web,tier in (front,back),!legacy`.

use std::collections::BTreeSet;

use super::{Operator, Requirement, Selector, SelectorError, key_error};

/// Reads a selector.
///
/// Source: `labels.Parse`.
pub fn parse(text: &str) -> Result<Selector, SelectorError> {
    let mut parser = Parser { tokens: Tokens { text, position: 0 }, ahead: None };
    Ok(Selector::new(parser.requirements()?))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Identifier(&'a str),
    /// A symbol, or one of the words `in` and `notin`, which are identifiers in the place of values.
    Literal(&'static str),
    End,
}

impl<'a> Token<'a> {
    fn text(self) -> &'a str {
        match self {
            Self::Identifier(text) | Self::Literal(text) => text,
            Self::End => "",
        }
    }

    /// Returns the token in the place of a key or value.
    fn as_value(self) -> Self {
        match self {
            Self::Literal(word @ ("in" | "notin")) => Self::Identifier(word),
            other => other,
        }
    }
}

struct Tokens<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Token<'a> {
        let rest = self.text[self.position..].trim_start_matches([' ', '\t', '\r', '\n']);
        let start = self.text.len() - rest.len();
        let (length, token) = match rest.as_bytes() {
            // Go's reader treats a NUL as the end.
            [] | [0, ..] => return Token::End,
            [b'=', b'=', ..] => (2, Token::Literal("==")),
            [b'!', b'=', ..] => (2, Token::Literal("!=")),
            [b'=', ..] => (1, Token::Literal("=")),
            [b'!', ..] => (1, Token::Literal("!")),
            [b'(', ..] => (1, Token::Literal("(")),
            [b')', ..] => (1, Token::Literal(")")),
            [b',', ..] => (1, Token::Literal(",")),
            [b'>', ..] => (1, Token::Literal(">")),
            [b'<', ..] => (1, Token::Literal("<")),
            _ => {
                let end = rest.find(|next| " \t\r\n=!(),><\0".contains(next)).unwrap_or(rest.len());
                let token = match &rest[..end] {
                    "in" => Token::Literal("in"),
                    "notin" => Token::Literal("notin"),
                    word => Token::Identifier(word),
                };
                (end, token)
            }
        };
        self.position = start + length;
        // A NUL that ends a token is consumed with it.
        if self.text.as_bytes().get(self.position) == Some(&0) {
            self.position += 1;
        }
        token
    }
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    ahead: Option<Token<'a>>,
}

impl<'a> Parser<'a> {
    fn requirements(&mut self) -> Result<Vec<Requirement>, SelectorError> {
        let mut requirements = Vec::new();
        loop {
            match self.peek().as_value() {
                Token::Identifier(_) | Token::Literal("!") => {}
                Token::End => return Ok(requirements),
                other @ Token::Literal(_) => {
                    return Err(found(other, ", expected: !, identifier, or 'end of string'"));
                }
            }
            let requirement = self.requirement();
            requirements.push(
                requirement
                    .map_err(|error| SelectorError(format!("unable to parse requirement: {error}")))?,
            );
            match self.consume() {
                Token::End => return Ok(requirements),
                Token::Literal(",") => match self.peek().as_value() {
                    Token::Identifier(_) | Token::Literal("!") => {}
                    other => return Err(found(other, ", expected: identifier after ','")),
                },
                other => return Err(found(other, ", expected: ',' or 'end of string'")),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, SelectorError> {
        let absent = self.peek() == Token::Literal("!");
        if absent {
            self.consume();
        }
        let key = match self.consume().as_value() {
            Token::Identifier(key) => key,
            other => return Err(found(other, ", expected: identifier")),
        };
        if let Some(error) = key_error(None, key) {
            return Err(SelectorError(error.to_string()));
        }
        if absent {
            return Requirement::new(key, Operator::DoesNotExist, Vec::new());
        }
        if matches!(self.peek(), Token::End | Token::Literal(",")) {
            return Requirement::new(key, Operator::Exists, Vec::new());
        }
        let operator = self.operator()?;
        let values = match operator {
            Operator::In | Operator::NotIn => self.values()?,
            _ => vec![self.exact_value()?],
        };
        Requirement::new(key, operator, values)
    }

    fn operator(&mut self) -> Result<Operator, SelectorError> {
        match self.consume() {
            Token::Literal("in") => Ok(Operator::In),
            Token::Literal("notin") => Ok(Operator::NotIn),
            Token::Literal("=") => Ok(Operator::Equals),
            Token::Literal("==") => Ok(Operator::DoubleEquals),
            Token::Literal("!=") => Ok(Operator::NotEquals),
            Token::Literal(">") => Ok(Operator::GreaterThan),
            Token::Literal("<") => Ok(Operator::LessThan),
            other => Err(found(other, ", expected: in, notin, =, ==, !=, gt, lt")),
        }
    }

    fn exact_value(&mut self) -> Result<String, SelectorError> {
        if matches!(self.peek(), Token::End | Token::Literal(",")) {
            return Ok(String::new());
        }
        match self.consume().as_value() {
            Token::Identifier(value) => Ok(value.to_owned()),
            other => Err(found(other, ", expected: identifier")),
        }
    }

    /// Reads values in parentheses; nothing between two commas is the empty value.
    fn values(&mut self) -> Result<Vec<String>, SelectorError> {
        let open = self.consume();
        if open != Token::Literal("(") {
            return Err(found(open, " expected: '('"));
        }
        let mut values = BTreeSet::new();
        match self.peek().as_value() {
            Token::Identifier(_) | Token::Literal(",") => {}
            Token::Literal(")") => {
                self.consume();
                return Ok(vec![String::new()]);
            }
            other => return Err(found(other, ", expected: ',', ')' or identifier")),
        }
        loop {
            match self.consume().as_value() {
                Token::Identifier(value) => {
                    values.insert(value.to_owned());
                    match self.peek() {
                        Token::Literal("," | ")") => {}
                        other => return Err(found(other, ", expected: ',' or ')'")),
                    }
                }
                Token::Literal(",") => {
                    if values.is_empty() || matches!(self.peek(), Token::Literal("," | ")")) {
                        values.insert(String::new());
                    }
                }
                Token::Literal(")") if !values.is_empty() => return Ok(values.into_iter().collect()),
                other => return Err(found(other, ", expected: ',', or identifier")),
            }
        }
    }

    fn peek(&mut self) -> Token<'a> {
        *self.ahead.get_or_insert_with(|| self.tokens.next())
    }

    fn consume(&mut self) -> Token<'a> {
        self.ahead.take().unwrap_or_else(|| self.tokens.next())
    }
}

fn found(token: Token<'_>, expected: &str) -> SelectorError {
    SelectorError(format!("found '{}'{expected}", token.text()))
}
