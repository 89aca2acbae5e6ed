//! The history of types in older releases: `data/history/fields.txt`.
//!
//! It has one section per package. A type's line has the releases that had the type, a field's line those that had the
//! field; a field line with a type is a field that is gone, or its former type.

use std::collections::BTreeMap;

use super::{Field, Topology};
use crate::release::{self, Span};

static TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/history/fields.txt"));

/// The history of one package: the API group, if it has one, and its types.
pub(super) struct Section {
    pub(super) group: Option<&'static str>,
    pub(super) types: &'static str,
}

/// Returns the sections by package.
pub(super) fn sections() -> BTreeMap<&'static str, Section> {
    let mut sections = BTreeMap::new();
    for section in release::body(TEXT).trim_start_matches("= ").split("\n= ") {
        let (head, types) = section.split_once('\n').unwrap_or((section, ""));
        let (package, group) = head.split_once(' ').unwrap_or((head, ""));
        let group = match group {
            "" => None,
            "core" => Some(""),
            group => Some(group),
        };
        sections.insert(package, Section { group, types: types.trim_end() });
    }
    sections
}

/// Whether the history of a type called `name` of some package has `field`, or that of a struct that it inlines, by
/// `has_now`. It is a search of the text: to make the tables of all releases takes longer than a debug build's run.
#[cfg(debug_assertions)]
pub(super) fn had(name: &str, field: &str, has_now: fn(&str, &str) -> bool) -> bool {
    let head = format!("\n{name} ");
    TEXT.match_indices(&head).any(|(start, _)| {
        let lines = TEXT[start + head.len()..].lines().skip(1);
        lines.map_while(|line| line.strip_prefix("  ")).any(|line| match line.strip_prefix("+ ") {
            Some(inlined) => has_now(inlined.rsplit('.').next().unwrap_or_default(), field),
            None => line.split(' ').next() == Some(field),
        })
    })
}

/// The history of one type: its releases, what follows them, and the lines of its fields.
#[derive(Clone, Copy)]
pub(super) struct Past {
    pub(super) span: Span,
    pub(super) head: &'static str,
    pub(super) lines: &'static str,
}

/// One line of a field.
pub(super) struct Line {
    pub(super) name: &'static str,
    pub(super) span: Span,
    /// The type and the options; none if they are those of today.
    pub(super) entry: Option<&'static str>,
}

/// Returns the types of a section by name.
pub(super) fn types(section: &'static str) -> Vec<(&'static str, Past)> {
    let mut types = Vec::new();
    let mut rest = section;
    while !rest.is_empty() {
        // A type ends where the next line is not indented.
        let end = rest.match_indices('\n').map(|(at, _)| at + 1).find(|at| !rest[*at..].starts_with("  "));
        let (paragraph, next) = rest.split_at(end.unwrap_or(rest.len()));
        let (line, lines) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
        let mut words = line.splitn(3, ' ');
        let name = words.next().unwrap_or_default();
        let span = Span::read(words.next().unwrap_or_default()).expect("a type has its releases");
        types.push((name, Past { span, head: words.next().unwrap_or_default(), lines }));
        rest = next;
    }
    types
}

impl Past {
    /// Returns the lines of its fields.
    pub(super) fn lines(self) -> impl Iterator<Item = Line> {
        self.lines.lines().filter_map(|line| {
            let mut words = line.trim_start().splitn(3, ' ');
            let name = words.next()?;
            if name == "+" {
                return Some(Line { name, span: Span::ALWAYS, entry: words.next() });
            }
            let span = Span::read(words.next()?).expect("a field has its releases");
            Some(Line { name, span, entry: words.next() })
        })
    }
}

/// The fields that were written even when unset: package, type, field, and the minor of the first release that leaves
/// them out.
const ONCE_WRITTEN: &[(&str, &str, &str, u32)] = &[
    ("admissionregistration/v1beta1", "ValidatingAdmissionPolicySpec", "variables", 29),
    ("batch/v1", "PodFailurePolicyOnExitCodesRequirement", "containerName", 28),
    ("batch/v1", "PodFailurePolicyRule", "onExitCodes", 28),
    ("batch/v1", "PodFailurePolicyRule", "onPodConditions", 28),
    ("resource/v1", "ResourceSliceSpec", "devices", 35),
    ("resource/v1beta1", "ResourceSliceSpec", "devices", 35),
    ("resource/v1beta2", "ResourceSliceSpec", "devices", 35),
    ("resource/v1beta1", "DeviceRequestAllocationResult", "adminAccess", 34),
    ("resource/v1beta2", "DeviceRequestAllocationResult", "adminAccess", 34),
];

/// The fields that were left out when empty, in the same form: the minor of the first release that writes them.
const ONCE_LEFT_OUT: &[(&str, &str, &str, u32)] =
    &[("core/v1", "HostAlias", "ip", 30), ("core/v1", "HostIP", "ip", 30), ("core/v1", "PodIP", "ip", 30)];

/// The lists that were replaced as a whole, in the same form: the minor of the first release that merges them.
const ONCE_ATOMIC: &[(&str, &str, &str, u32)] =
    &[("core/v1", "PodStatus", "nodeAllocatableResourceClaimStatuses", 37)];

/// Returns the fields of a type, named by its package and itself, as the encoder of the release 1.`minor` writes them.
/// Encoders before 1.34 write the zero values of structs.
pub(super) fn as_written((package, name): (&str, &str), mut fields: Vec<Field>, minor: u32) -> Vec<Field> {
    for (table, omits) in [(ONCE_WRITTEN, false), (ONCE_LEFT_OUT, true)] {
        for (.., field, since) in table.iter().filter(|row| (row.0, row.1) == (package, name)) {
            if let Some(field) = fields.iter_mut().find(|known| known.name == *field && minor < *since) {
                field.omit_empty = omits;
            }
        }
    }
    for (.., field, since) in ONCE_ATOMIC.iter().filter(|row| (row.0, row.1) == (package, name)) {
        if let Some(field) = fields.iter_mut().find(|known| known.name == *field && minor < *since) {
            field.topology = Topology::Atomic;
            field.patch = None;
        }
    }
    if minor < 34 {
        for field in &mut fields {
            field.omit_zero = false;
        }
    }
    fields
}
