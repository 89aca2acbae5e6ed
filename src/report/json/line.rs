//! A line of `-o jsonl`.

use serde::Serialize;

use crate::evaluation::{ManifestText, Outcome, Place};
use crate::report::Fixtures;
use crate::report::json::result::AdmissionResult;

/// A result with what is needed to report it again without its manifest.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredResult<'a> {
    #[serde(flatten)]
    result: AdmissionResult<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kubernetes_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest: Option<ManifestEntry>,
}

/// What was written.
#[derive(Serialize)]
struct ManifestEntry {
    #[serde(flatten)]
    text: ManifestText,
    /// Where in the text is what cannot be decoded, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<(usize, usize)>,
}

impl<'a> StoredResult<'a> {
    /// `is_own` is the result of a request that is not below another one, which is about the same manifest.
    pub(super) fn of(
        outcome: &'a Outcome,
        is_own: bool,
        fixtures: &Fixtures,
        release: Option<&'a str>,
    ) -> Self {
        let place = outcome.place.as_ref().filter(|_| is_own);
        Self {
            result: AdmissionResult::of(outcome, is_own, fixtures),
            kubernetes_version: release,
            manifest: place.map(|place| ManifestEntry::of(place, outcome)),
        }
    }
}

impl ManifestEntry {
    fn of(place: &Place, outcome: &Outcome) -> Self {
        let text = place.manifest_text(false);
        // What is stored of a Secret has lines of other lengths.
        let within = |offset: usize| {
            let (line, column) = place.source().line_column(offset);
            text.offset_of(line, column)
        };
        let mark = outcome.decode_span.and_then(|span| Some((within(span.start)?, within(span.end)?)));
        Self { text, mark }
    }
}
