//! The places of nodes in the text of an expression, and the conditions that it branches on.

use std::ops::Range;

use super::ast::{Ast, Expr, ExprId};
use super::meaning::Meaning;

/// The text of an expression, by characters.
struct Text<'t>(&'t [char]);

impl Ast {
    /// Returns the place of a node in the `text` of the expression, in bytes, with the parentheses that it needs.
    pub fn extent(&self, id: ExprId, text: &str) -> Option<Range<usize>> {
        let characters: Vec<char> = text.chars().collect();
        let text = Text(&characters);
        let mut extent: Option<Range<usize>> = None;
        self.each_below(id, &mut |node| {
            if let Some(offset) = self.offset(node).filter(|offset| *offset < characters.len()) {
                let (start, end) = (text.token_start(offset), text.token_end(offset));
                extent = Some(match extent.take() {
                    Some(known) => known.start.min(start)..known.end.max(end),
                    None => start..end,
                });
            }
        });
        let extent = text.balanced(extent?);
        let bytes = |end: usize| characters[..end].iter().map(|character| character.len_utf8()).sum();
        Some(bytes(extent.start)..bytes(extent.end))
    }

    fn each_below(&self, id: ExprId, visit: &mut dyn FnMut(ExprId)) {
        visit(id);
        self.children(id).into_iter().for_each(|child| self.each_below(child, visit));
    }

    /// Returns the parts of the expression that are true or false and decide about others: the terms of conjunctions and
    /// disjunctions, the conditions of `?:`, and what macros ask of each item.
    pub fn branches(&self) -> Vec<ExprId> {
        let mut branches = Vec::new();
        self.add_branches(self.root(), &mut branches);
        branches
    }

    fn add_branches(&self, id: ExprId, branches: &mut Vec<ExprId>) {
        let add = |condition: ExprId, branches: &mut Vec<ExprId>| {
            let is_chain = matches!(self.expr(condition), Expr::Call { function, .. } if matches!(&**function, "_&&_" | "_||_"));
            if !is_chain
                && !matches!(self.expr(condition), Expr::Literal(_))
                && !branches.contains(&condition)
            {
                branches.push(condition);
            }
        };
        match self.expr(id) {
            Expr::Call { function, arguments, .. } if matches!(&**function, "_&&_" | "_||_") => {
                for argument in arguments {
                    add(*argument, branches);
                }
            }
            Expr::Call { function, arguments, .. } if &**function == "_?_:_" => add(arguments[0], branches),
            Expr::Comprehension(fold) => {
                let parts = match self.meaning(fold) {
                    Meaning::All(predicate) | Meaning::Exists(predicate) | Meaning::ExistsOne(predicate) => {
                        add(predicate, branches);
                        vec![fold.range, predicate]
                    }
                    Meaning::Collect { predicate, transform } => {
                        if let Some(predicate) = predicate {
                            add(predicate, branches);
                        }
                        predicate.into_iter().chain([fold.range, transform]).collect()
                    }
                    Meaning::Let => vec![fold.initial, fold.result],
                    Meaning::Other => vec![fold.range],
                };
                return parts.into_iter().for_each(|part| self.add_branches(part, branches));
            }
            _ => {}
        }
        self.children(id).into_iter().for_each(|child| self.add_branches(child, branches));
    }
}

impl Text<'_> {
    fn is_word(&self, position: usize) -> bool {
        self.0.get(position).is_some_and(|character| character.is_alphanumeric() || *character == '_')
    }

    /// Returns where the token at `offset` starts: the parenthesis of a call belongs to the name before it.
    fn token_start(&self, offset: usize) -> usize {
        let mut start = offset;
        if matches!(self.0[offset], '(' | '{') {
            while start > 0 && (self.is_word(start - 1) || self.0[start - 1] == '.') {
                start -= 1;
            }
        }
        start
    }

    /// Returns the end of the token at `offset`, with what its parenthesis encloses.
    fn token_end(&self, offset: usize) -> usize {
        match self.0[offset] {
            '(' | '[' | '{' => self.closing(offset),
            '\'' | '"' => self.string_end(offset),
            '.' => {
                let mut end = offset + 1;
                while self.0.get(end).is_some_and(|character| character.is_whitespace() || *character == '?')
                {
                    end += 1;
                }
                self.word_end(end)
            }
            _ if self.is_word(offset) => {
                let end = self.word_end(offset);
                // The prefix of a raw string or of bytes.
                let is_string = matches!(self.0.get(end), Some('\'' | '"'));
                if is_string { self.string_end(end) } else { end }
            }
            _ => offset + 1,
        }
    }

    fn word_end(&self, mut end: usize) -> usize {
        while self.is_word(end) || (self.0.get(end) == Some(&'.') && self.is_number(end)) {
            end += 1;
        }
        end
    }

    /// Whether the point at `position` is one of a number.
    fn is_number(&self, position: usize) -> bool {
        position > 0
            && self.0[position - 1].is_ascii_digit()
            && self.0.get(position + 1).is_some_and(char::is_ascii_digit)
    }

    fn string_end(&self, start: usize) -> usize {
        let quote = self.0[start];
        let is_triple = self.0[start..].starts_with(&[quote; 3]);
        let width = if is_triple { 3 } else { 1 };
        let mut position = start + width;
        while position < self.0.len() {
            if self.0[position] == '\\' {
                position += 2;
            } else if self.0[position..].starts_with(&[quote; 3][..width]) {
                return position + width;
            } else {
                position += 1;
            }
        }
        self.0.len()
    }

    /// Returns the end of what the parenthesis at `open` encloses.
    fn closing(&self, open: usize) -> usize {
        let (mut depth, mut position) = (0_usize, open);
        while position < self.0.len() {
            match self.0[position] {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return position + 1;
                    }
                }
                '\'' | '"' => {
                    position = self.string_end(position);
                    continue;
                }
                _ => {}
            }
            position += 1;
        }
        self.0.len()
    }

    /// Extends a range by the partners of its parentheses.
    fn balanced(&self, mut range: Range<usize>) -> Range<usize> {
        let (mut open, mut unmatched, mut position) = (0_usize, 0_usize, range.start);
        while position < range.end {
            match self.0[position] {
                '(' => open += 1,
                ')' if open == 0 => unmatched += 1,
                ')' => open -= 1,
                '\'' | '"' => {
                    position = self.string_end(position);
                    continue;
                }
                _ => {}
            }
            position += 1;
        }
        while unmatched > 0 && range.start > 0 {
            range.start -= 1;
            unmatched -= usize::from(self.0[range.start] == '(');
        }
        while open > 0 && range.end < self.0.len() {
            open -= usize::from(self.0[range.end] == ')');
            range.end += 1;
        }
        range
    }
}

#[cfg(test)]
mod tests {
    use crate::{Env, Type};

    fn branches(text: &str) -> Vec<String> {
        let checked = Env::new().with_variable("o", Type::Dyn).compile(text).expect("compiles");
        let ast = checked.ast();
        ast.branches().into_iter().map(|id| text[ast.extent(id, text).expect("a place")].to_owned()).collect()
    }

    #[test]
    fn finds_the_conditions_and_their_places() {
        assert_eq!(branches("has(o.a) && (o.b == ')' || !o.c)"), ["has(o.a)", "o.b == ')'", "!o.c"]);
        assert_eq!(
            branches("o.l.all(c, c.x.startsWith(\"a\") && c['y'] in [1.5, 2.0])"),
            ["c.x.startsWith(\"a\")", "c['y'] in [1.5, 2.0]"]
        );
        assert_eq!(branches("o.l.filter(c, (c.a + 1) * 2 > 3).size() == 0"), ["(c.a + 1) * 2 > 3"]);
        assert_eq!(branches("o.a == 'é' ? o.b : o.?c.orValue(true)"), ["o.a == 'é'"]);
        assert!(branches("o.a == 1").is_empty());
    }
}
