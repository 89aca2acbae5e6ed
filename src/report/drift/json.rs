//! Drift as JSON. Its shape is public API, so fields are only ever added.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::report::Severity;
use crate::report::drift::{Drift, DriftedField, DriftedObject, Identity, Refused, State};
use kube_api::Value;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    api_version: &'static str,
    kind: &'static str,
    summary: Summary,
    /// The number of fields that differ from the manifests for each known reason.
    explained: BTreeMap<String, usize>,
    objects: Vec<Written<'a>>,
    diagnostics: Vec<Said<'a>>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    objects: usize,
    in_sync: usize,
    would_change: usize,
    changed_by_others: usize,
    missing: usize,
    extra: usize,
    perhaps_extra: usize,
    refused: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    #[serde(flatten)]
    identity: &'a Identity,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    state: State,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<Field<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    explained: BTreeMap<String, Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<&'a Refused>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Field<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wanted: Option<&'a Value>,
    /// Whether applying the manifest changes it.
    changes_when_applied: bool,
    in_manifest: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    writers: Vec<Manager<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "as in managed fields")]
struct Manager<'a> {
    manager: &'a str,
    operation: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    subresource: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    time: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Said<'a> {
    severity: Severity,
    code: &'static str,
    message: &'a str,
}

/// Writes one JSON document.
pub fn write_json(out: &mut impl Write, drift: &Drift) -> io::Result<()> {
    let counts = drift.counts();
    let count = |state: State| counts.get(&state).copied().unwrap_or_default();
    let document = Document {
        api_version: "kadmit.dev/v1alpha1",
        kind: "Drift",
        summary: Summary {
            objects: drift.objects.len(),
            in_sync: count(State::InSync),
            would_change: count(State::WouldChange),
            changed_by_others: count(State::ChangedByOthers),
            missing: count(State::Missing),
            extra: count(State::Extra),
            perhaps_extra: count(State::PerhapsExtra),
            refused: count(State::Refused),
        },
        explained: drift.explained().into_iter().map(|(cause, count)| (cause.to_string(), count)).collect(),
        objects: drift.objects.iter().map(written).collect(),
        diagnostics: drift
            .diagnostics
            .iter()
            .map(|said| Said { severity: said.severity, code: said.code.name(), message: &said.message })
            .collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn written(object: &DriftedObject) -> Written<'_> {
    let mut explained: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for field in &object.explained {
        explained.entry(field.cause.to_string()).or_default().push(&field.path);
    }
    Written {
        identity: &object.identity,
        file: object.place.as_ref().map(|(file, _)| file.as_str()),
        line: object.place.as_ref().map(|(_, line)| *line),
        state: object.state,
        fields: object.fields.iter().map(field).collect(),
        explained,
        refusal: object.refusal.as_ref(),
        notes: &object.notes,
    }
}

fn field(field: &DriftedField) -> Field<'_> {
    let writers = field.writers.iter().map(|writer| Manager {
        manager: &writer.manager,
        operation: &writer.operation,
        subresource: &writer.sub_resource,
        time: &writer.time,
    });
    Field {
        path: &field.path,
        live: field.live.as_ref(),
        wanted: field.wanted.as_ref(),
        changes_when_applied: field.is_applied,
        in_manifest: field.in_manifest,
        line: field.line,
        writers: writers.collect(),
    }
}
