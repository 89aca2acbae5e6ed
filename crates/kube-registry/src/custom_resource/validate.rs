//! Validation of a value against a schema, with the texts and the order of the server. Where Go iterates a map in
//! random order, the order is by key.
//!
//! Source: `k8s.io/kube-openapi/pkg/validation/validate` and `…/errors`,
//! `k8s.io/apiextensions-apiserver/pkg/apiserver/validation`.

use std::fmt;

use crate::custom_resource::number::{self, GoNumber};
use crate::custom_resource::place::{Place, Update};
use crate::custom_resource::schema::{Additional, Bound, Schema};
use gotext::format::Format;
use gotext::quote;
use kube_api::field::{Error, ErrorType, Path};
use kube_api::{Map, Value};

/// Returns the errors in `value`. Its fields are below `base`, if it is a part of an object; an update has the old
/// value as well.
pub(super) fn validate(
    schema: &Schema,
    value: &Value,
    base: Option<&Path>,
    update: Option<Update<'_>>,
) -> Vec<Error> {
    let findings = Validation { base }.part(schema, value, &Place::ROOT, update);
    findings.findings.into_iter().map(|finding| finding.error).collect()
}

#[derive(Clone, Copy)]
struct Validation<'a> {
    base: Option<&'a Path>,
}

/// The result of one schema. Of several alternatives that all fail, the one with most matches is reported.
#[derive(Default)]
struct Findings {
    findings: Vec<Finding>,
    matches: usize,
}

struct Finding {
    /// The message by which upstream distinguishes findings.
    message: String,
    error: Error,
}

impl Findings {
    fn is_valid(&self) -> bool {
        self.findings.is_empty()
    }

    fn add(&mut self, finding: Finding) {
        if self.findings.iter().all(|known| known.message != finding.message) {
            self.findings.push(finding);
        }
    }

    fn merge(&mut self, other: Self) {
        self.matches += other.matches;
        other.findings.into_iter().for_each(|finding| self.add(finding));
    }

    /// Adds the findings of a check that always counts as one match.
    fn checked(&mut self, other: Self) {
        self.merge(other);
        self.matches += 1;
    }
}

impl From<Finding> for Findings {
    fn from(finding: Finding) -> Self {
        Self { findings: vec![finding], matches: 0 }
    }
}

impl Validation<'_> {
    /// Validates a value with its own place; unchanged, it may be invalid.
    fn part(self, schema: &Schema, value: &Value, place: &Place, update: Option<Update>) -> Findings {
        let mut findings = self.value(schema, value, place, update);
        if !findings.is_valid() && update.is_some_and(Update::is_unchanged) {
            findings.findings.clear();
        }
        findings
    }

    fn value(self, schema: &Schema, value: &Value, place: &Place, update: Option<Update>) -> Findings {
        let mut findings = Findings::default();
        if value.is_null() {
            findings.merge(self.kind(schema, value, place));
            findings.merge(self.choice(schema, value, place));
            return findings;
        }
        if !schema.types.is_empty() || schema.format.is_some() {
            findings.checked(self.kind(schema, value, place));
        }
        findings.checked(self.composition(schema, value, place, update));
        match value {
            Value::String(text) => {
                findings.checked(self.text(schema, text, place));
                if let Some((name, Format::Text(is_fine))) = &schema.format {
                    let wrong = (!is_fine(text)).then(|| self.mistyped(place, name, Some(text)));
                    findings.checked(wrong.map_or_else(Findings::default, Findings::from));
                }
            }
            Value::Number(value) => findings.checked(self.number(schema, GoNumber::of(value), place)),
            Value::Array(items) => findings.checked(self.list(schema, items, place, update)),
            Value::Null | Value::Bool(_) | Value::Object(_) => {}
        }
        findings.checked(self.choice(schema, value, place));
        if let Value::Object(map) = value {
            findings.checked(self.map(schema, map, place, update));
        }
        findings.matches += 1;
        findings
    }

    /// Returns the type, and whether a number fits its format.
    fn kind(self, schema: &Schema, value: &Value, place: &Place) -> Findings {
        let allows = |name: &str| schema.types.iter().any(|allowed| allowed == name);
        let types = || schema.types.join(",");
        let right = Findings { findings: Vec::new(), matches: 1 };
        let (name, format) = match value {
            Value::Null => {
                let is_wrong = !schema.types.is_empty() && !allows("null") && !schema.nullable;
                return if is_wrong { self.mistyped(place, &types(), Some("null")).into() } else { right };
            }
            Value::Bool(_) => ("boolean", ""),
            Value::Number(number) if number.as_i64().is_some() => ("integer", "int64"),
            Value::Number(_) => ("number", "float64"),
            Value::String(_) => ("string", ""),
            Value::Array(_) => ("array", ""),
            Value::Object(_) => ("object", ""),
        };
        let is_other_number = match GoNumber::try_of(value) {
            Some(GoNumber::Float(float)) => allows("integer") && number::is_whole(float),
            Some(GoNumber::Int(_)) => allows("number"),
            None => false,
        };
        let is_text_or_list = matches!(value, Value::String(_) | Value::Array(_));
        if let Some((wanted, _)) = &schema.format {
            if !(is_text_or_list || allows(name) || format == wanted || is_other_number) {
                return self.mistyped(place, wanted, Some(format)).into();
            }
            if is_text_or_list && !(allows("number") || allows("integer")) {
                return right;
            }
        }
        if allows(name) || is_other_number {
            return right;
        }
        self.mistyped(place, &types(), Some(name)).into()
    }

    /// Validates `anyOf`, `oneOf`, `allOf` and `not`.
    fn composition(self, schema: &Schema, value: &Value, place: &Place, update: Option<Update>) -> Findings {
        let mut findings = Findings::default();
        let fails = |message: String| self.composite(&place.text(), &message);
        if !schema.any_of.is_empty() {
            let mut best: Option<Findings> = None;
            for alternative in &schema.any_of {
                let found = self.value(alternative, value, place, update);
                if found.is_valid() || best.as_ref().is_none_or(|best| found.matches > best.matches) {
                    let is_valid = found.is_valid();
                    best = Some(found);
                    if is_valid {
                        break;
                    }
                }
            }
            let best = best.unwrap_or_default();
            if !best.is_valid() {
                findings.add(fails("must validate at least one schema (anyOf)".to_owned()));
            }
            findings.merge(best);
        }
        if !schema.one_of.is_empty() {
            let (mut valid, mut best): (usize, Option<Findings>) = (0, None);
            for alternative in &schema.one_of {
                let found = self.value(alternative, value, place, update);
                if found.is_valid() {
                    valid += 1;
                    if valid == 1 {
                        best = Some(found);
                    }
                } else if valid == 0 && best.as_ref().is_none_or(|best| found.matches > best.matches) {
                    best = Some(found);
                }
            }
            let count = match valid {
                0 => "Found none valid".to_owned(),
                _ => format!("Found {valid} valid alternatives"),
            };
            if valid != 1 {
                findings.add(fails(format!("must validate one and only one schema (oneOf). {count}")));
            }
            if valid < 2 {
                findings.merge(best.unwrap_or_default());
            }
        }
        if !schema.all_of.is_empty() {
            let mut valid = 0;
            for part in &schema.all_of {
                let found = self.value(part, value, place, update);
                valid += usize::from(found.is_valid());
                findings.merge(found);
            }
            if valid != schema.all_of.len() {
                let none = if valid == 0 { ". None validated" } else { "" };
                findings.add(fails(format!("must validate all the schemas (allOf){none}")));
            }
        }
        if let Some(not) = &schema.not
            && self.value(not, value, place, update).is_valid()
        {
            findings.add(fails("must not validate the schema (not)".to_owned()));
        }
        findings.matches += 1;
        findings
    }

    /// Checks length and pattern of a text; reports the first error.
    fn text(self, schema: &Schema, text: &str, place: &Place) -> Findings {
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        let finding = if let Some(most) = schema.max_length.filter(|most| length > *most) {
            let error = Error::too_long(&self.path(place), usize::try_from(most).unwrap_or_default());
            Finding { message: message(place, format_args!("should be at most {most} chars long")), error }
        } else if let Some(least) = schema.min_length.filter(|least| length < *least) {
            self.invalid(place, quote(text), format_args!("should be at least {least} chars long"))
        } else if let Some(pattern) = &schema.pattern {
            match pattern.is_match(text) {
                Ok(true) => return Findings::default(),
                Ok(false) => {
                    self.invalid(place, quote(text), format_args!("should match '{}'", pattern.text))
                }
                Err(error) => self.invalid(
                    place,
                    quote(text),
                    format_args!("should match '{}, but pattern is invalid: {error}'", pattern.text),
                ),
            }
        } else {
            return Findings::default();
        };
        finding.into()
    }

    fn number(self, schema: &Schema, value: GoNumber, place: &Place) -> Findings {
        let mut findings = Findings::default();
        let outside = |value, what: &str| outside_of_range(schema, value, what, place);
        if let Some(text) = outside(value, "Checked") {
            findings.add(self.plain(text));
        }
        if let Some(factor) = schema.multiple_of {
            let wrong = outside(GoNumber::Float(factor), "MultipleOf");
            let value = if wrong.is_some() { GoNumber::Float(value.as_float()) } else { value };
            if let Some(text) = wrong {
                findings.add(self.plain(text));
            }
            findings.merge(self.multiple(value, factor, place));
        }
        let bounds = [
            (schema.minimum, "Minimum boundary", ["greater than or equal to", "greater than"]),
            (schema.maximum, "Maximum boundary", ["less than or equal to", "less than"]),
        ];
        for (bound, what, words) in bounds {
            let Some(bound) = bound else { continue };
            let wrong = outside(GoNumber::Float(bound.value), what);
            let value = if wrong.is_some() { GoNumber::Float(value.as_float()) } else { value };
            if let Some(text) = wrong {
                findings.add(self.plain(text));
            }
            let is_maximum = what.starts_with("Maximum");
            if let Some(limit) = exceeded(value, bound, is_maximum) {
                let words = words[usize::from(bound.is_exclusive)];
                findings.add(self.invalid(place, value.printed(), format_args!("should be {words} {limit}")));
            }
        }
        findings.matches += 1;
        findings
    }

    fn multiple(self, value: GoNumber, factor: f64, place: &Place) -> Findings {
        let (is_positive, is_multiple, printed) = match value {
            GoNumber::Int(value) => {
                let factor = number::truncated(factor);
                (factor > 0, factor > 0 && value % factor == 0, factor.to_string())
            }
            GoNumber::Float(value) => {
                let quotient = if factor < 1.0 { 1.0 / factor * value } else { value / factor };
                (factor > 0.0, number::is_whole(quotient), number::printed(factor))
            }
        };
        if !is_positive {
            let message =
                format!("factor MultipleOf declared for {} must be positive: {printed}", place.text());
            return self.invalid_with(place, printed, message).into();
        }
        if is_multiple {
            return Findings::default();
        }
        self.invalid(place, value.printed(), format_args!("should be a multiple of {printed}")).into()
    }

    fn list(self, schema: &Schema, items: &[Value], place: &Place, update: Option<Update>) -> Findings {
        let mut findings = Findings::default();
        if let Some(item_schema) = &schema.items {
            for (index, item) in items.iter().enumerate() {
                let update = update.and_then(|update| update.item(index));
                findings.merge(self.part(item_schema, item, &place.index(index), update));
            }
        }
        let size = i64::try_from(items.len()).unwrap_or(i64::MAX);
        if let Some(least) = schema.min_items.filter(|least| size < *least) {
            let detail = format_args!("should have at least {least} items");
            findings.add(self.invalid(place, size.to_string(), detail));
        }
        if let Some(most) = schema.max_items.filter(|most| size > *most) {
            findings.add(self.too_many(place, size, most, "items"));
        }
        if schema.unique_items && has_repetition(items) {
            findings.add(self.invalid(place, quote(""), format_args!("shouldn't contain duplicates")));
        }
        findings.matches += 1;
        findings
    }

    fn map(self, schema: &Schema, map: &Map, place: &Place, update: Option<Update>) -> Findings {
        let mut findings = Findings::default();
        let size = i64::try_from(map.len()).unwrap_or(i64::MAX);
        if let Some(least) = schema.min_properties.filter(|least| size < *least) {
            let detail = format_args!("should have at least {least} properties");
            findings.add(self.invalid(place, size.to_string(), detail));
        }
        if let Some(most) = schema.max_properties.filter(|most| size > *most) {
            findings.add(self.too_many(place, size, most, "properties"));
        }
        let others = map.iter().filter(|(name, _)| !schema.properties.contains_key(name.as_str()));
        for (name, value) in others {
            match &schema.additional {
                Some(Additional::Bool(false)) => {
                    let text = format!("{}.{name} in body is a forbidden property", place.text());
                    findings.add(self.invalid_with(place, quote(name), text));
                }
                Some(Additional::Schema(schema)) => {
                    let update = update.and_then(|update| update.field(name));
                    findings.merge(self.part(schema, value, &place.additional(name), update));
                }
                Some(Additional::Bool(true)) | None => {}
            }
        }
        for (name, property) in &schema.properties {
            let Some(value) = map.get(name) else { continue };
            // Changes of an object's version and kind are not visible here.
            let is_type =
                self.base.is_none() && place.text().is_empty() && matches!(&**name, "apiVersion" | "kind");
            let update = update.and_then(|update| update.field(name)).filter(|_| !is_type);
            findings.merge(self.part(property, value, &place.property(name), update));
        }
        for name in schema.required.iter().filter(|name| !map.contains_key(name)) {
            let place = place.property(name);
            let error = Error::required(&self.path(&place), "");
            findings.add(Finding { message: message(&place, format_args!("is required")), error });
        }
        findings
    }

    /// Validates `enum`.
    fn choice(self, schema: &Schema, value: &Value, place: &Place) -> Findings {
        if schema.choices.is_empty() || schema.choices.iter().any(|choice| is_choice(value, choice)) {
            return Findings::default();
        }
        let printed: Vec<String> = schema
            .choices
            .iter()
            .map(|choice| choice.as_str().map_or_else(|| choice.to_string(), str::to_owned))
            .collect();
        let supported: Vec<&str> = printed.iter().map(String::as_str).collect();
        let error = Error {
            path: place.path(self.base),
            ..Error::not_supported(&self.path(place), value, &supported)
        };
        let message = message(place, format_args!("should be one of [{}]", printed.join(" ")));
        Finding { message, error }.into()
    }

    fn path(self, place: &Place) -> Path {
        place.path(self.base).unwrap_or_else(|| Path::new(""))
    }

    fn mistyped(self, place: &Place, wanted: &str, found: Option<&str>) -> Finding {
        let found = quote(found.unwrap_or_default());
        let message = message(place, format_args!("must be of type {wanted}: {found}"));
        let error =
            Error::printed(ErrorType::TypeInvalid, place.path(self.base), Some(found), message.clone());
        Finding { message, error }
    }

    fn invalid(self, place: &Place, printed: String, detail: fmt::Arguments<'_>) -> Finding {
        self.invalid_with(place, printed, message(place, detail))
    }

    fn invalid_with(self, place: &Place, printed: String, message: String) -> Finding {
        let error = Error::printed(ErrorType::Invalid, place.path(self.base), Some(printed), message.clone());
        Finding { message, error }
    }

    fn too_many(self, place: &Place, size: i64, most: i64, what: &str) -> Finding {
        let noun = if most == 1 { "item" } else { "items" };
        let error = Error::printed(
            ErrorType::TooMany,
            place.path(self.base),
            Some(size.to_string()),
            format!("must have at most {most} {noun}"),
        );
        Finding { message: message(place, format_args!("should have at most {most} {what}")), error }
    }

    /// Returns a finding that is not about a field.
    fn composite(self, place: &str, text: &str) -> Finding {
        self.plain(format!("{} {text}", quote(place)))
    }

    fn plain(self, message: String) -> Finding {
        let error = Error::printed(ErrorType::Invalid, self.base.cloned(), Some(quote("")), message.clone());
        Finding { message, error }
    }
}

fn message(place: &Place, text: fmt::Arguments<'_>) -> String {
    format!("{} in body {text}", place.text())
}

/// Returns the finding about a number that the type or the format cannot hold.
///
/// Source: `validate.IsValueValidAgainstRange`
fn outside_of_range(schema: &Schema, value: GoNumber, what: &str, place: &Place) -> Option<String> {
    let [name] = schema.types.as_slice() else { return None };
    let format = schema.format.as_ref();
    let decimal = value.decimal();
    let is_fine = match (&**name, format.map(|(_, format)| format)) {
        ("integer", Some(Format::Int32)) => decimal.parse::<i32>().is_ok(),
        ("integer", _) => decimal.parse::<i64>().is_ok(),
        ("number", Some(Format::Float)) => decimal.parse::<f32>().is_ok_and(f32::is_finite),
        _ => true,
    };
    let format =
        format.map_or_else(|| "(default format)".to_owned(), |(name, _)| format!("with format {name}"));
    (!is_fine).then(|| format!("{what} value must be of type {name} {format} in {}", place.text()))
}

/// Returns the limit as it is printed, if `value` is beyond it. Whole numbers are compared with the whole part of the
/// limit.
fn exceeded(value: GoNumber, bound: Bound, is_maximum: bool) -> Option<String> {
    let ordering = match value {
        GoNumber::Int(value) => Some(value.cmp(&number::truncated(bound.value))),
        GoNumber::Float(value) => value.partial_cmp(&bound.value),
    }?;
    let ordering = if is_maximum { ordering } else { ordering.reverse() };
    let is_exceeded = ordering.is_gt() || bound.is_exclusive && ordering.is_eq();
    is_exceeded.then(|| match value {
        GoNumber::Int(_) => number::truncated(bound.value).to_string(),
        GoNumber::Float(_) => number::printed(bound.value),
    })
}

/// Whether `value` equals a choice of an enumeration, once it is converted to the choice's type as Go converts it.
fn is_choice(value: &Value, choice: &Value) -> bool {
    match (GoNumber::try_of(value), GoNumber::try_of(choice)) {
        (Some(GoNumber::Float(value)), Some(GoNumber::Int(choice))) => number::truncated(value) == choice,
        #[expect(clippy::float_cmp, reason = "upstream compares the converted values")]
        (Some(value), Some(GoNumber::Float(choice))) => value.as_float() == choice,
        _ => value == choice && !value.is_null(),
    }
}

fn has_repetition(items: &[Value]) -> bool {
    items.iter().enumerate().any(|(index, item)| items[..index].contains(item))
}
