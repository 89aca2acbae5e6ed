//! A line of `-o jsonl`.

use serde::Serialize;

use crate::evaluation::{ManifestText, Outcome, Place};
use crate::report::Fixtures;
use crate::report::json::result::AdmissionResult;
use kube_api::version::Version;

/// A result with what is needed to report it again without its manifest.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredResult<'a> {
    #[serde(flatten)]
    result: AdmissionResult<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest: Option<ManifestEntry>,
}

/// The manifest as written.
#[derive(Serialize)]
struct ManifestEntry {
    #[serde(flatten)]
    text: ManifestText,
    /// The bytes of the text that cannot be decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<(usize, usize)>,
}

impl<'a> StoredResult<'a> {
    /// Returns the line; `is_own` is the result of a request that is not below another one about the same manifest.
    pub(super) fn of(
        outcome: &'a Outcome,
        is_own: bool,
        fixtures: &Fixtures,
        release: Option<Version>,
        shows_secrets: bool,
    ) -> Self {
        let place = outcome.place.as_ref().filter(|_| is_own);
        Self {
            result: AdmissionResult::of(outcome, is_own, fixtures, outcome.release.or(release)),
            manifest: place.map(|place| ManifestEntry::of(place, outcome, shows_secrets)),
        }
    }
}

impl ManifestEntry {
    fn of(place: &Place, outcome: &Outcome, shows_secrets: bool) -> Self {
        let text = place.manifest_text(shows_secrets);
        // The stored text of a Secret has lines of other lengths.
        let within = |offset: usize| {
            let (line, column) = place.source().line_column(offset);
            text.offset_of(line, column)
        };
        let mark = outcome.decode_span.and_then(|span| Some((within(span.start)?, within(span.end)?)));
        Self { text, mark }
    }
}
