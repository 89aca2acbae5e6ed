//! Values in errors, which servers before 1.34 print in Go's syntax and later ones as JSON.
//!
//! Source: `Error.ErrorBody` of `k8s.io/apimachinery/pkg/util/validation/field`.

use crate::older_releases::rules::Subject;
use gotext::quote;
use kube_api::field::{Error, Path, Segment};
use kube_api::go_syntax;
use kube_api::internal_json::{self, PACKAGES};
use kube_api::schema::{self, Reference, Shape, Type};
use kube_api::version::Version;

/// The minor of the first release that prints JSON.
pub(super) const JSON: u32 = 34;

/// The minor of the first release that knows Unicode 15, as Go 1.21 does; before, it is Unicode 13.
pub(super) const UNICODE_15: u32 = 26;

/// Escapes the Chinese characters that Unicode 14 added in a quoted text.
pub(super) fn escaped(text: String) -> String {
    const ADDED: std::ops::RangeInclusive<char> = '\u{9ffd}'..='\u{9fff}';
    if !text.contains(|letter| ADDED.contains(&letter)) {
        return text;
    }
    let escape = |letter: char| {
        if ADDED.contains(&letter) { format!("\\u{:04x}", u32::from(letter)) } else { letter.to_string() }
    };
    text.chars().map(escape).collect()
}

/// Writes the value of an error as servers before 1.34 do.
pub(super) fn in_go(error: &mut Error, subject: &Subject<'_>) {
    let Some(typed) = &error.value else { return };
    let tables = schema::of_release(subject.profile.release());
    // A type of a version that came later is that of one before.
    let named = |table: &str| {
        let before = |version: &&str| tables.named(&table.replace("/v1.", &format!("/{version}.")));
        tables.named(table).or_else(|| ["v1beta3", "v1beta2", "v1beta1"].iter().find_map(before))
    };
    let found = match typed.table {
        Some(table) => {
            let (table, field) =
                table.split_once('#').map_or((table, None), |(table, field)| (table, Some(field)));
            let kind = match table.strip_prefix("internal.") {
                Some(name) => PACKAGES.iter().find_map(|package| named(&format!("{package}.{name}"))),
                None => named(table),
            };
            kind.and_then(|kind| {
                let Some(field) = field else { return Some((kind, true)) };
                let reference = &kind.field(field)?.reference;
                Some((reference.get(), reference.pointer))
            })
        }
        None => error.path.as_ref().and_then(|path| at(tables.of(subject.kind)?, path)),
    };
    if let Some((kind, is_pointer)) = found {
        error.bad_value = go_syntax::of_error(kind, is_pointer, &typed.value).or(error.bad_value.take());
    } else if let Some(text) = typed.value.as_str() {
        error.bad_value = Some(quote(text));
    } else if tables.of(subject.kind).is_none() {
        // A part of a custom resource.
        let is_null = typed.value.is_null();
        error.bad_value = Some(if is_null { quote("null") } else { go_syntax::of_json(&typed.value) });
    }
}

/// Writes the value of an error as JSON without the fields that came after `release`.
pub(crate) fn in_json(error: &mut Error, release: Version) {
    let Some((typed, printed)) = error.value.as_ref().zip(error.bad_value.as_ref()) else { return };
    let Some(table) = typed.table.filter(|table| !table.contains('#') && schema::named(table).is_some())
    else {
        return;
    };
    if *printed == internal_json::compact(table, &typed.value) {
        error.bad_value = Some(internal_json::compact_in(release, table, &typed.value));
    } else if *printed == internal_json::internal(table, &typed.value) {
        error.bad_value = Some(internal_json::internal_in(release, table, &typed.value));
    }
}

/// Returns the type of the value at `path` of an object of type `kind`, and whether it is behind a pointer.
fn at(kind: &'static Type, path: &Path) -> Option<(&'static Type, bool)> {
    /// The fields of a definition that the internal type has for all versions together, and the version for each.
    const COMMON: [(&str, &str); 3] = [
        ("validation", "schema"),
        ("subresources", "subresources"),
        ("additionalPrinterColumns", "additionalPrinterColumns"),
    ];
    let step = |(around, _): (&'static Type, bool), segment: &Segment| {
        let reference: &'static Reference = match (&around.shape, segment) {
            (Shape::Struct(structure), Segment::Field(name)) => &structure.field(name)?.reference,
            (Shape::List(item), Segment::Index(_)) | (Shape::Map { value: item, .. }, Segment::Key(_)) => {
                item
            }
            _ => return None,
        };
        Some((reference.get(), reference.pointer))
    };
    let in_version = |field: &'static str| {
        [Segment::Field("versions".into()), Segment::Index(0), Segment::Field(field.into())]
    };
    let segments = path.segments();
    let common = match segments.get(1) {
        Some(Segment::Field(field)) if kind.short_name() == "CustomResourceDefinition" => {
            COMMON.iter().find(|(common, _)| common == field)
        }
        _ => None,
    };
    let Some((_, field)) = common else { return segments.into_iter().try_fold((kind, false), step) };
    let (spec, below) = (segments[..1].iter(), segments[2..].iter());
    spec.copied().chain(&in_version(field)).chain(below.copied()).try_fold((kind, false), step)
}
