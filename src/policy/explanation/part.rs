//! The deciding part of an expression in its text.

use std::ops::Range;

use kube_cel::Expr;

use super::reading::{Site, Truth};

/// Returns the position of the term that decides a chain of `&&` or `||` with the value `truth`: one with the value
/// `decisive`, or the first error.
pub(super) fn deciding(terms: &[Site<'_>], truth: Option<Truth>, decisive: Truth) -> Option<usize> {
    let position = |wanted: Truth| terms.iter().position(|term| term.truth() == Some(wanted));
    match truth {
        Some(Truth::Error) if decisive == Truth::False => position(Truth::Error),
        Some(Truth::Error) => None,
        _ => position(decisive),
    }
}

/// Returns the innermost deciding term of a conjunction, and its place in bytes.
pub(super) fn decisive<'a>(root: &Site<'a>, text: &str) -> (Site<'a>, Range<usize>) {
    let characters: Vec<char> = text.chars().collect();
    let range = without_parentheses(&characters, 0..characters.len());
    let mut terms = Vec::new();
    place_terms(root, &characters, range.clone(), &mut terms);
    let are_whole = terms.iter().all(|(_, range)| is_balanced(&characters[range.clone()]));
    let bytes = |end: usize| characters[..end].iter().map(|character| character.len_utf8()).sum();
    let sites: Vec<Site<'a>> = terms.iter().map(|(site, _)| site.clone()).collect();
    let (site, range) = match deciding(&sites, root.truth(), Truth::False) {
        Some(term) if terms.len() > 1 && are_whole => terms.swap_remove(term),
        _ => (root.clone(), range),
    };
    (site, bytes(range.start)..bytes(range.end))
}

fn place_terms<'a>(
    site: &Site<'a>,
    text: &[char],
    range: Range<usize>,
    terms: &mut Vec<(Site<'a>, Range<usize>)>,
) {
    let range = without_parentheses(text, range);
    match (site.expr(), site.reading.ast.offset(site.id)) {
        (Expr::Call { function, arguments, .. }, Some(operator))
            if &**function == "_&&_" && range.contains(&operator) =>
        {
            place_terms(&site.at(arguments[0]), text, range.start..operator, terms);
            place_terms(&site.at(arguments[1]), text, operator + "&&".len()..range.end, terms);
        }
        _ => terms.push((site.clone(), range)),
    }
}

/// Returns `range` without blanks and pairs of parentheses around it.
fn without_parentheses(text: &[char], mut range: Range<usize>) -> Range<usize> {
    loop {
        while range.start < range.end && text[range.start].is_whitespace() {
            range.start += 1;
        }
        while range.start < range.end && text[range.end - 1].is_whitespace() {
            range.end -= 1;
        }
        let inner = range.start + 1..range.end.saturating_sub(1).max(range.start + 1);
        let is_enclosed = range.len() > 1
            && (text[range.start], text[range.end - 1]) == ('(', ')')
            && is_balanced(&text[inner.clone()]);
        if !is_enclosed {
            return range;
        }
        range = inner;
    }
}

/// Whether every parenthesis has its partner. Those in string literals count as well, which at worst keeps an
/// expression whole.
fn is_balanced(text: &[char]) -> bool {
    let mut depth = 0_usize;
    for character in text {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}
