//! Values in errors, which servers before 1.34 print in Go's syntax and later ones as JSON.
//!
//! Source: `Error.ErrorBody` of `k8s.io/apimachinery/pkg/util/validation/field`.

use crate::older_releases::rules::Subject;
use gotext::quote;
use kube_api::field::{Error, Path, Segment};
use kube_api::go_syntax;
use kube_api::schema::{self, Reference, Shape, Type};

/// The minor of the first release that prints JSON.
pub(super) const JSON: u32 = 34;

/// The packages with the versioned type of an internal one, the first that has it.
const PACKAGES: [&str; 8] = [
    "core/v1",
    "apps/v1",
    "batch/v1",
    "policy/v1",
    "networking/v1",
    "rbac/v1",
    "storage/v1",
    "certificates/v1",
];

/// Writes the value of an error as servers before 1.34 do.
pub(super) fn in_go(error: &mut Error, subject: &Subject<'_>) {
    let Some(typed) = &error.value else { return };
    let tables = schema::of_release(subject.profile.release());
    let found = match typed.table {
        Some(table) => {
            let (table, field) =
                table.split_once('#').map_or((table, None), |(table, field)| (table, Some(field)));
            let kind = match table.strip_prefix("internal.") {
                Some(name) => PACKAGES.iter().find_map(|package| tables.named(&format!("{package}.{name}"))),
                None => tables.named(table),
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
    }
}

/// Returns the type of the value at `path` of an object of type `kind`, and whether it is behind a pointer.
fn at(kind: &'static Type, path: &Path) -> Option<(&'static Type, bool)> {
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
    path.segments().into_iter().try_fold((kind, false), step)
}
