//! The parts of a SARIF log that kadmit writes.
//!
//! Source: SARIF 2.1.0, <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{MAIN_SEPARATOR, Path};

use serde::Serialize;

use crate::evaluation::Acceptance;
use crate::report::edits::Replacements;
use crate::report::finding::{Finding, Reason, Spot};
use crate::report::sarif::fix::Edit;
use crate::report::subject::Subject;
use crate::report::{RepositoryPaths, Severity};
use gotext::source::{SourceFile, Span};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    pub(super) id: &'static str,
    pub(super) short_description: Text,
    pub(super) full_description: Text,
    pub(super) help: Text,
}

/// Text, and the same in Markdown.
#[derive(Serialize)]
pub(super) struct Text {
    pub(super) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) markdown: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation<'a> {
    pub(super) execution_successful: bool,
    pub(super) exit_code: u8,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) tool_configuration_notifications: &'a [gotext::value::Value],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(super) struct Notification {
    #[serde(skip_serializing_if = "Option::is_none")]
    descriptor: Option<Descriptor>,
    level: &'static str,
    message: Text,
}

/// The descriptor of a notification.
#[derive(Serialize)]
struct Descriptor {
    id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Result<'a> {
    rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    /// Absent if it is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    level: &'static str,
    message: Text,
    locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    /// All results of a run have them, or none: an empty list means that it is not accepted.
    suppressions: Vec<Suppression<'a>>,
    properties: Properties<'a>,
}

/// An edit.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fix {
    description: Text,
    artifact_changes: Vec<ArtifactChange>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: ArtifactLocation,
    replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    inserted_content: Text,
}

/// The reason that a result is suppressed.
#[derive(Serialize)]
struct Suppression<'a> {
    kind: &'static str,
    justification: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location<'a>>,
}

/// Properties that SARIF has no name for.
#[derive(Serialize)]
struct Properties<'a> {
    /// The reason of a refusal, or the code of an error in the input.
    code: &'a str,
}

#[derive(Serialize)]
struct Location<'a> {
    #[serde(rename = "physicalLocation", skip_serializing_if = "Option::is_none")]
    physical: Option<PhysicalLocation>,
    #[serde(rename = "logicalLocations", skip_serializing_if = "Vec::is_empty")]
    logical: Vec<LogicalLocation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_region: Option<ContextRegion>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextRegion {
    start_line: usize,
    end_line: usize,
    snippet: Text,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation<'a> {
    name: String,
    fully_qualified_name: String,
    kind: &'a str,
}

impl Text {
    pub(super) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), markdown: None }
    }
}

impl Notification {
    pub(super) fn of(finding: &Finding<'_>) -> Self {
        let descriptor = Some(Descriptor { id: finding.code.to_string() });
        Self { descriptor, level: level(finding.severity), message: message(finding) }
    }

    pub(super) fn note(text: &str) -> Self {
        Self { descriptor: None, level: level(Severity::Note), message: Text::plain(text) }
    }
}

impl<'a> Result<'a> {
    pub(super) fn of(finding: &'a Finding<'_>, rule_index: Option<usize>) -> Self {
        let mut first = finding.spots.first().map(PhysicalLocation::of);
        if let (Some(place), Some((start_line, text))) = (&mut first, &finding.excerpt) {
            let end_line = start_line + text.lines().count().max(1) - 1;
            let snippet = Text::plain(text);
            place.context_region = Some(ContextRegion { start_line: *start_line, end_line, snippet });
        }
        let logical = finding.subject.iter().map(LogicalLocation::of).collect();
        let says = finding.spots.first().and_then(|spot| spot.says.as_deref());
        let location = Location { physical: first, logical, message: says.map(Text::plain) };
        let others =
            finding.spots.iter().skip(1).map(Location::at).chain(finding.reasons.iter().map(Location::of));
        Self {
            rule_id: finding.rule,
            rule_index,
            kind: None,
            level: level(finding.severity),
            message: message(finding),
            related_locations: others.collect(),
            locations: vec![location],
            fixes: Vec::new(),
            partial_fingerprints: BTreeMap::from([("kadmit/v1", finding.fingerprint())]),
            suppressions: finding.accepted.map(Suppression::of).into_iter().collect(),
            properties: Properties { code: &finding.code },
        }
    }

    /// Returns the result about a value that `plugin` sets in the object of `finding`, with the edit that adds it to
    /// the manifest.
    pub(super) fn of_change(finding: &'a Finding<'_>, rule_index: Option<usize>, edits: Vec<Edit>) -> Self {
        let file = finding.spots.first().map_or("", |spot| spot.file);
        let replacements = edits
            .into_iter()
            .map(|edit| Replacement::of((edit.line, edit.column, edit.end_column), &edit.text));
        let fixes = vec![Fix::of("add it to the manifest", file, replacements.collect())];
        // It is not an error: it is there as information, and to be applied.
        Self { kind: Some("informational"), level: "none", fixes, ..Self::of(finding, rule_index) }
    }

    /// Returns the result with URIs for files, which `paths` names.
    pub(super) fn naming(mut self, paths: &RepositoryPaths) -> Self {
        let suppressed = self.suppressions.iter_mut().filter_map(|suppression| suppression.location.as_mut());
        let locations = self.locations.iter_mut().chain(&mut self.related_locations).chain(suppressed);
        let places = locations.filter_map(|location| location.physical.as_mut());
        let places = places.map(|place| &mut place.artifact_location);
        let changed = self.fixes.iter_mut().flat_map(|fix| &mut fix.artifact_changes);
        for place in places.chain(changed.map(|change| &mut change.artifact_location)) {
            place.become_uri(paths);
        }
        self
    }

    /// Adds the edit that fixes `file`: a text in the place of a part of one line.
    pub(super) fn fixed_by(self, file: &str, part: (usize, usize, usize), text: &str) -> Self {
        let replacements = vec![Replacement::of(part, text)];
        Self { fixes: vec![Fix::of("write the version that is served", file, replacements)], ..self }
    }

    /// Adds the edits that `kadmit fix` makes of `source`.
    pub(super) fn mended(self, source: &SourceFile, edits: Replacements) -> Self {
        let replacements = edits.into_iter().map(|(span, text)| Replacement::of_lines(source, span, &text));
        let fix = Fix::of("make the edits of `kadmit fix`", source.name(), replacements.collect());
        Self { fixes: vec![fix], ..self }
    }
}

impl Fix {
    fn of(description: &str, file: &str, replacements: Vec<Replacement>) -> Self {
        let change = ArtifactChange { artifact_location: ArtifactLocation::of(file), replacements };
        Self { description: Text::plain(description), artifact_changes: vec![change] }
    }
}

impl Replacement {
    /// Returns the edit that puts `text` in the place of a part of a line: from a column to that after the last.
    fn of((start_line, from, to): (usize, usize, usize), text: &str) -> Self {
        Self {
            deleted_region: Region {
                start_line,
                start_column: Some(from),
                end_line: None,
                end_column: Some(to),
            },
            inserted_content: Text::plain(text),
        }
    }
}

impl Replacement {
    /// Returns the edit that puts `text` in the place of a part of `source` that may have several lines.
    fn of_lines(source: &SourceFile, span: Span, text: &str) -> Self {
        let ((start_line, from), (end_line, to)) =
            (source.line_column(span.start), source.line_column(span.end));
        Self {
            deleted_region: Region {
                start_line,
                start_column: Some(from),
                end_line: Some(end_line),
                end_column: Some(to),
            },
            inserted_content: Text::plain(text),
        }
    }
}

impl<'a> Suppression<'a> {
    fn of(accepted: &'a Acceptance) -> Self {
        match accepted {
            Acceptance::Skipped(skipped) => {
                let spot = Spot::at(&skipped.file, Some(skipped.line));
                Self {
                    kind: if skipped.in_manifest { "inSource" } else { "external" },
                    justification: Cow::Borrowed(&skipped.reason),
                    location: Some(Location::at(&spot)),
                }
            }
            Acceptance::Known => {
                Self { kind: "external", justification: Cow::Owned(accepted.to_string()), location: None }
            }
        }
    }
}

impl Location<'_> {
    fn at(spot: &Spot<'_>) -> Self {
        let message = spot.says.as_deref().map(Text::plain);
        Self { physical: Some(PhysicalLocation::of(spot)), logical: Vec::new(), message }
    }

    /// Returns the object in the cluster that causes it.
    fn of(reason: &Reason) -> Self {
        let place = reason.place.as_ref();
        let place = place.map(|(file, line)| PhysicalLocation::of(&Spot::at(file, Some(*line))));
        let message = Some(Text::plain(&reason.text));
        Self { physical: place, logical: Vec::new(), message }
    }
}

impl PhysicalLocation {
    fn of(spot: &Spot<'_>) -> Self {
        let region = spot.line.map(|start_line| Region {
            start_line,
            end_line: None,
            start_column: spot.columns.map(|(start, _)| start),
            end_column: spot.columns.map(|(_, end)| end),
        });
        Self { artifact_location: ArtifactLocation::of(spot.file), region, context_region: None }
    }
}

impl ArtifactLocation {
    /// Returns the place of `file`, which [`Result::naming`] makes a URI.
    fn of(file: &str) -> Self {
        Self { uri: file.to_owned(), uri_base_id: None }
    }

    /// Turns the name of the file into a URI: a relative one is relative to the root of the sources.
    fn become_uri(&mut self, paths: &RepositoryPaths) {
        let name = paths.name(&self.uri).replace(MAIN_SEPARATOR, "/");
        let mut uri = encoded(&name);
        if Path::new(&self.uri).is_absolute() {
            let root = if uri.starts_with('/') { "file://" } else { "file:///" };
            uri.insert_str(0, root);
        } else if !name.starts_with("../") {
            self.uri_base_id = Some("%SRCROOT%");
        }
        self.uri = uri;
    }
}

/// Returns `path` in a URI: with a `%` and two digits for every byte that is not allowed there.
fn encoded(path: &str) -> String {
    path.bytes().fold(String::with_capacity(path.len()), |mut uri, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
        uri
    })
}

impl<'a> LogicalLocation<'a> {
    fn of(subject: &Subject<'a>) -> Self {
        let name = subject.name.clone().unwrap_or_default();
        let fully_qualified_name = match subject.namespace {
            "" => format!("{}/{name}", subject.kind),
            namespace => format!("{namespace}/{}/{name}", subject.kind),
        };
        Self { name, fully_qualified_name, kind: "resource" }
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Returns the message, the controller's object that it is about, its cause and advice on fixing it, one per line.
fn message(finding: &Finding<'_>) -> Text {
    let caused = finding.subject.as_ref().filter(|subject| subject.is_caused()).map(ToString::to_string);
    let reasons = finding.reasons.iter().map(|reason| reason.text.as_str());
    let lines = std::iter::once(finding.message).chain(caused.as_deref()).chain(reasons).chain(finding.help);
    Text::plain(&lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_uris() {
        let place = |file| {
            let mut place = ArtifactLocation::of(file);
            place.become_uri(&RepositoryPaths::default());
            (place.uri, place.uri_base_id.is_some())
        };
        assert_eq!(place("./a b/ü%#?:1.yaml"), ("a%20b/%C3%BC%25%23%3F%3A1.yaml".to_owned(), true));
        assert_eq!(place("/srv/a.yaml"), ("file:///srv/a.yaml".to_owned(), false));
        assert_eq!(place("../a.yaml"), ("../a.yaml".to_owned(), false));
    }
}
