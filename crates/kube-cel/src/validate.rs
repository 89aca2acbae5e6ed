//! Invalid literals: durations, times, patterns, format strings, and literals of mixed types.
//!
//! Source: cel-go `cel/validator.go`, `ext/formatting.go`.

mod format;

use super::Checked;
use super::ast::{Expr, ExprId, Literal};
use super::check::Reference;
use super::declarations::Cost;
use super::issue::Issues;
use super::library;
use super::source::{Location, Source};
use super::types::Type;
use gotext::{duration, time};

/// The function whose list arguments may mix types.
const EXEMPT: &str = "format";

pub(super) fn validate(checked: &Checked, source: &Source, issues: &mut Issues) {
    let mut validator = Validator { checked, source, issues };
    // The nodes from the root down, with what is exempt.
    let mut open = vec![(checked.ast().root(), false)];
    while let Some((id, is_exempt)) = open.pop() {
        validator.node(id, is_exempt);
        let is_exempt = is_exempt
            || matches!(checked.ast().expr(id), Expr::Call { function, .. } if &**function == EXEMPT);
        open.extend(checked.ast().children(id).into_iter().rev().map(|child| (child, is_exempt)));
    }
}

struct Validator<'a> {
    checked: &'a Checked,
    source: &'a Source,
    issues: &'a mut Issues,
}

impl Validator<'_> {
    fn report(&mut self, id: ExprId, message: String) {
        let offset = self.checked.ast().offset(id);
        let location = offset.map_or(Location::NONE, |offset| self.source.location(offset));
        self.issues.report(location, message);
    }

    fn node(&mut self, id: ExprId, is_exempt: bool) {
        let checked = self.checked;
        match checked.ast().expr(id) {
            Expr::Call { function, target, arguments } => {
                if let Some(argument) = arguments.first() {
                    self.argument(function, *argument);
                }
                if let (EXEMPT, Some(target), [arguments]) = (&**function, target, arguments.as_slice()) {
                    self.format(id, *target, *arguments);
                }
            }
            Expr::List { elements, optional } if !is_exempt => {
                let types = elements.iter().enumerate().map(|(index, element)| {
                    (*element, entry_type(checked.type_of(*element), optional.contains(&index)))
                });
                self.same_types(types.collect(), true);
            }
            Expr::Map(entries) if !is_exempt => {
                let keys = entries.iter().map(|entry| (entry.key, checked.type_of(entry.key)));
                self.same_types(keys.collect(), false);
                let values = entries
                    .iter()
                    .map(|entry| (entry.value, entry_type(checked.type_of(entry.value), entry.is_optional)));
                self.same_types(values.collect(), false);
            }
            _ => {}
        }
    }

    fn argument(&mut self, function: &str, argument: ExprId) {
        let Expr::Literal(literal) = self.checked.ast().expr(argument) else { return };
        let is_valid = match (function, literal) {
            ("duration", Literal::String(text)) => duration::parse(text).is_ok(),
            ("timestamp", Literal::String(text)) => time::is_within_four_digits(text),
            ("timestamp", Literal::Int(seconds)) => (MIN_SECONDS..=MAX_SECONDS).contains(seconds),
            ("matches", Literal::String(pattern)) => library::is_pattern(pattern),
            _ => true,
        };
        if !is_valid {
            self.report(argument, format!("invalid {function} argument"));
        }
    }

    fn same_types(&mut self, entries: Vec<(ExprId, &Type)>, only_first: bool) {
        let mut entries = entries.into_iter();
        let Some((_, expected)) = entries.next() else { return };
        for (id, found) in entries.filter(|(_, found)| !expected.is_equivalent(found)) {
            let (expected, found) = (expected.in_message(), found.in_message());
            self.report(id, format!("expected type '{expected}' but found '{found}'"));
            if only_first {
                return;
            }
        }
    }

    fn format(&mut self, id: ExprId, target: ExprId, arguments: ExprId) {
        let ast = self.checked.ast();
        let is_format = matches!(
            self.checked.reference(id),
            Some(Reference::Overloads(overloads)) if overloads.iter().any(|found| found.cost == Cost::Format)
        );
        let (Expr::Literal(Literal::String(text)), Expr::List { elements, .. }) =
            (ast.expr(target), ast.expr(arguments))
        else {
            return;
        };
        if !is_format {
            return;
        }
        match format::check(text, elements, self.checked) {
            Ok(()) => {}
            Err((place, message)) => self.report(place.unwrap_or(id), message),
        }
    }
}

/// The years 1 to 9999.
const MIN_SECONDS: i64 = -62_135_596_800;
const MAX_SECONDS: i64 = 253_402_300_799;

fn entry_type(of: &Type, is_optional: bool) -> &Type {
    of.unwrap_optional().filter(|_| is_optional).unwrap_or(of)
}
