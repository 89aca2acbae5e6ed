//! Edits for people and programs.

use std::fmt::Write;
use std::sync::Arc;

use serde_json::json;
use similar::TextDiff;

use crate::admission::{Action, Change};
use crate::fix::{Fixed, Fixes, Left, Skipped};
use crate::report::{counted, shown_text};
use gotext::source::SourceFile;
use kube_yaml::RepeatedKey;

/// A file with its edits.
#[derive(Clone, Debug)]
pub struct FixedFile {
    /// The file as it was read.
    pub source: Arc<SourceFile>,
    /// Its text with all edits.
    pub text: String,
}

/// Writes the edits as a diff that `patch` and `git apply` read.
pub fn write_diff(out: &mut String, fixes: &Fixes) {
    for FixedFile { source, text } in &fixes.files {
        let name = source.name();
        // What follows the edits of a document may be a Secret.
        let (before, after) = (shown_text(source), shown_text(&SourceFile::new(name, text.as_str())));
        let diff = TextDiff::from_lines(&before, &after);
        let _ = write!(out, "{}", diff.unified_diff().header(name, name));
    }
}

/// Writes what was fixed and what was left, with the reasons.
pub fn write_summary(out: &mut String, fixes: &Fixes) {
    for (file, RepeatedKey { key, line, .. }) in &fixes.repeated {
        let _ = writeln!(out, "removed key {key} ({file}:{line}): its mapping has it twice");
    }
    for fixed in &fixes.fixed {
        let changes = counted(fixed.changes.len(), "change");
        let _ = writeln!(out, "fixed {} ({}:{}): {changes}", fixed.subject, fixed.file, fixed.line);
    }
    let mut notes: Vec<&str> = fixes.fixed.iter().flat_map(|fixed| fixed.notes.iter().copied()).collect();
    notes.sort_unstable();
    notes.dedup();
    for note in notes {
        let _ = writeln!(out, "note: {note}");
    }
    for Skipped { refused, why } in &fixes.skipped {
        let _ = writeln!(out, "{} ({}:{}): {why}", refused.subject, refused.file, refused.line);
    }
    for left in &fixes.left {
        let Left { refused, why, next } = left;
        let _ = writeln!(out, "left {} ({}:{}): {why}", refused.subject, refused.file, refused.line);
        let next = next.as_ref().map(|message| format!("after its edits: {message}"));
        for line in refused.message.lines().chain(next.iter().flat_map(|next| next.lines())) {
            let _ = writeln!(out, "  {line}");
        }
    }
    let (edited, left, skipped) = (fixes.fixed.len(), fixes.left.len(), fixes.skipped.len());
    let admitted = fixes.documents.saturating_sub(edited + left + skipped);
    let skipped = if skipped == 0 { String::new() } else { format!(", {skipped} skipped") };
    let _ = writeln!(
        out,
        "{}: {admitted} admitted as written, {edited} fixed, {left} left{skipped}",
        counted(fixes.documents, "document")
    );
}

/// Writes one JSON document. Its shape is public API, so fields are only ever added.
pub fn write_json(out: &mut String, fixes: &Fixes) {
    let mut diff = String::new();
    write_diff(&mut diff, fixes);
    let document = json!({
        "apiVersion": "kadmit.dev/v1alpha1",
        "kind": "Fixes",
        "documents": fixes.documents,
        "fixed": fixes.fixed.iter().map(Fixed::to_json).collect::<Vec<_>>(),
        "repeatedKeys": fixes.repeated.iter().map(repeated_to_json).collect::<Vec<_>>(),
        "left": fixes.left.iter().map(Left::to_json).collect::<Vec<_>>(),
        "skipped": fixes.skipped.iter().map(Skipped::to_json).collect::<Vec<_>>(),
        "diff": diff,
    });
    let _ = writeln!(out, "{document:#}");
}

fn repeated_to_json((file, RepeatedKey { key, line, .. }): &(String, RepeatedKey)) -> serde_json::Value {
    json!({"file": file, "line": line, "key": key})
}

impl Fixed {
    fn to_json(&self) -> serde_json::Value {
        let change = |Change { path, action }: &Change| match action {
            Action::Set(_) | Action::Append(_) if self.is_secret => json!({"path": path.to_string()}),
            Action::Set(value) => json!({"path": path.to_string(), "set": value}),
            Action::Append(item) => json!({"path": path.to_string(), "append": item}),
            Action::Remove => json!({"path": path.to_string(), "remove": true}),
            Action::Rename(name) => json!({"path": path.to_string(), "rename": name}),
        };
        json!({
            "object": self.subject,
            "file": self.file,
            "line": self.line,
            "changes": self.changes.iter().map(change).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}

impl Skipped {
    fn to_json(&self) -> serde_json::Value {
        json!({
            "object": self.refused.subject,
            "file": self.refused.file,
            "line": self.refused.line,
            "message": self.refused.message,
            "why": self.why,
        })
    }
}

impl Left {
    fn to_json(&self) -> serde_json::Value {
        let mut left = json!({
            "object": self.refused.subject,
            "file": self.refused.file,
            "line": self.refused.line,
            "message": self.refused.message,
            "why": self.why,
        });
        if let Some(next) = &self.next {
            left["next"] = json!(next);
        }
        left
    }
}
