//! `-o admissionreview`: the answers of an imaginary webhook, one `AdmissionReview` per line for each request.
//!
//! Requests of controllers are left out, as no client waits for an answer to them.
//!
//! The patch leads from the object of the request to the one that the plugins made of it. The object of the request is
//! the one in the `AdmissionReview` that was read; a manifest is not a request, so there it is the object as the server
//! would send it, with its defaults.

use std::collections::BTreeMap;
use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::evaluation::{Outcome, Place, Written};
use crate::report::{Report, Summary, masked};
use kube_api::Status;
use kube_api::diff;

/// Writes one response per line.
pub struct AdmissionReview<W> {
    out: W,
    shows_secrets: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Review<'a> {
    api_version: &'static str,
    kind: &'static str,
    response: Response<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    uid: String,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    audit_annotations: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
}

impl<W: Write> AdmissionReview<W> {
    /// A report to `out`; `shows_secrets` says that the outcomes are not masked.
    pub fn new(out: W, shows_secrets: bool) -> Self {
        Self { out, shows_secrets }
    }
}

impl<W: Write + Send + Sync> Report for AdmissionReview<W> {
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        for outcome in outcomes.iter().filter(|outcome| outcome.cause.is_none()) {
            let review = Review {
                api_version: "admission.k8s.io/v1",
                kind: "AdmissionReview",
                response: Response::of(outcome, self.shows_secrets)?,
            };
            serde_json::to_writer(&mut text, &review)?;
            text.push(b'\n');
        }
        Ok(text)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        self.out.write_all(rendered)
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        self.out.flush()
    }
}

impl<'a> Response<'a> {
    fn of(outcome: &'a Outcome, shows_secrets: bool) -> io::Result<Self> {
        let written = outcome.place.as_ref().and_then(Place::written);
        let uid = written.as_ref().and_then(Written::review_uid);
        let patch = patch(outcome, written.as_ref(), shows_secrets)?;
        Ok(Self {
            uid: uid.map_or_else(|| placeholder(outcome.place.as_ref()), str::to_owned),
            allowed: outcome.allowed(),
            status: outcome.status(),
            patch_type: patch.is_some().then_some("JSONPatch"),
            patch,
            audit_annotations: &outcome.trace.audit_annotations,
            warnings: &outcome.trace.warnings,
        })
    }
}

/// The patch in base64, if the request is allowed and a plugin changed the object.
fn patch(
    outcome: &Outcome,
    written: Option<&Written<'_>>,
    shows_secrets: bool,
) -> io::Result<Option<String>> {
    let changes = || outcome.trace.steps.iter().filter_map(|step| step.change.as_ref());
    let (Some((first, _)), Some((_, last)), true) =
        (changes().next(), changes().next_back(), outcome.allowed())
    else {
        return Ok(None);
    };
    let operations = match written.and_then(Written::reviewed) {
        Some(reviewed) if shows_secrets => diff::json_patch(&reviewed, &last.value),
        // What was received is masked as this is, so that only what changed differs.
        Some(reviewed) => diff::json_patch(&masked(&last.kind, &reviewed, &reviewed).0, &last.value),
        None => diff::json_patch(&first.value, &last.value),
    };
    Ok(Some(STANDARD.encode(serde_json::to_vec(&operations)?)))
}

/// Returns a uid for a request without one, which is the same for the same place.
fn placeholder(place: Option<&Place>) -> String {
    let mut hash = Sha256::new();
    if let Some(place) = place {
        hash.update(place.file());
        hash.update([0]);
        hash.update(place.offset().to_le_bytes());
    }
    let digest = hash.finalize();
    let (digits, _) = digest.split_at(6);
    let number = digits.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("00000000-0000-4000-8000-{number:012x}")
}
