//! What a replay found: how often kadmit answered as the server did, and what differed.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::replay::Line;
use crate::replay::change::Changes;
use crate::replay::compare::Difference;
use crate::replay::event::{Event, Logged};

/// The findings of a replay, or of several.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Findings {
    /// The number of requests that were judged.
    pub judged: u64,
    /// The number of them that kadmit answered as the server did.
    pub agree: u64,
    /// The number of requests that only read.
    pub reads: u64,
    /// The number of requests that the selection does not have.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unselected: u64,
    /// The requests that were not judged, the most frequent cause first.
    pub not_judged: Vec<Counted>,
    /// The answers that differ, the most frequent cause first.
    pub differences: Vec<Differing>,
    /// What another server answers otherwise, if one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// The peculiarities of the log.
    pub notes: Vec<Noted>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Requests that were not judged for the same cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The cause.
    pub cause: String,
    /// Their number.
    pub count: u64,
}

/// Answers that differ in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differing {
    /// What they have in common.
    pub cause: String,
    /// Their number.
    pub count: u64,
    /// The first.
    pub example: Example,
}

/// A peculiarity of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// What it is.
    pub cause: String,
    /// How often it occurs.
    pub count: u64,
    /// The file of the first.
    pub file: String,
    /// Its line.
    pub line: usize,
}

/// An answer that is not the server's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// The request.
    #[serde(flatten)]
    pub logged: Logged,
    /// The user.
    pub user: String,
    /// The server's answer.
    pub server: String,
    /// Kadmit's answer.
    pub kadmit: String,
}

impl Findings {
    /// Returns the share of judged requests that agree, in percent; nothing if none was judged.
    #[expect(clippy::cast_precision_loss, reason = "a log has fewer requests than a double is exact for")]
    pub fn share(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.agree as f64 * 100.0 / self.judged as f64)
    }

    /// Returns the findings of a log from those of its `parts`, in the order of their times.
    pub fn joined(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        let (mut left_out, mut differences) = (BTreeMap::new(), BTreeMap::new());
        let (mut notes, mut changes): (BTreeMap<_, Noted>, Vec<Changes>) = (BTreeMap::new(), Vec::new());
        for part in parts {
            all.judged += part.judged;
            all.agree += part.agree;
            all.reads += part.reads;
            all.unselected += part.unselected;
            changes.extend(part.changes);
            for Counted { cause, count } in part.not_judged {
                *left_out.entry(cause).or_default() += count;
            }
            for Differing { cause, count, example } in part.differences {
                differences.entry(cause).or_insert((0, example)).0 += count;
            }
            for note in part.notes {
                let count = note.count;
                let first = Noted { count: 0, ..note };
                notes.entry(first.cause.clone()).or_insert(first).count += count;
            }
        }
        all.not_judged = by_count(left_out);
        all.differences = differing(differences);
        all.notes = notes.into_values().collect();
        all.changes = (!changes.is_empty()).then(|| Changes::joined(changes));
        all
    }
}

fn by_count(causes: BTreeMap<String, u64>) -> Vec<Counted> {
    let causes = causes.into_iter().map(|(cause, count)| Counted { cause, count });
    let mut causes: Vec<_> = causes.collect();
    causes.sort_by_key(|cause| Reverse(cause.count));
    causes
}

fn differing(groups: BTreeMap<String, (u64, Example)>) -> Vec<Differing> {
    let groups = groups.into_iter().map(|(cause, (count, example))| Differing { cause, count, example });
    let mut groups: Vec<_> = groups.collect();
    groups.sort_by_key(|group| Reverse(group.count));
    groups
}

/// The counts of a replay so far.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) judged: u64,
    agree: u64,
    pub(super) reads: u64,
    pub(super) unselected: u64,
    record: Option<Recorder>,
    left_out: BTreeMap<String, u64>,
    differences: BTreeMap<String, (u64, Example)>,
    notes: BTreeMap<&'static str, (u64, Line)>,
}

/// Takes the record of each judged request.
pub(super) type Recorder = Box<dyn FnMut(&Record<'_>)>;

/// One judged request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Record<'a> {
    /// The identifier of the event.
    #[serde(rename = "auditID")]
    pub audit_id: &'a str,
    /// The file of the event.
    pub file: &'a str,
    /// Its line.
    pub line: usize,
    /// When the request ended.
    pub time: &'a str,
    /// Verb, resource and object.
    pub request: String,
    /// The user.
    pub user: &'a str,
    /// The code of the server's answer.
    pub code: u16,
    /// Whether kadmit's answer is the same.
    pub agrees: bool,
    /// What differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'a str>,
}

impl Tally {
    pub(super) fn record_with(&mut self, take: Recorder) {
        self.record = Some(take);
    }

    pub(super) fn judge(&mut self, event: &Event, difference: Option<Difference>) {
        self.judged += 1;
        if let Some(record) = &mut self.record {
            record(&Record {
                audit_id: &event.audit_id,
                file: &event.line.file,
                line: event.line.number,
                time: &event.time,
                request: event.title(),
                user: &event.user.username,
                code: event.code,
                agrees: difference.is_none(),
                cause: difference.as_ref().map(|difference| &*difference.cause),
            });
        }
        let Some(Difference { cause, server, kadmit }) = difference else {
            self.agree += 1;
            return;
        };
        let example =
            || Example { logged: Logged::of(event), user: event.user.username.clone(), server, kadmit };
        self.differences.entry(cause).or_insert_with(|| (0, example())).0 += 1;
    }

    pub(super) fn leave_out(&mut self, cause: String) {
        *self.left_out.entry(cause).or_default() += 1;
    }

    pub(super) fn note(&mut self, cause: &'static str, line: &Line) {
        self.notes.entry(cause).or_insert_with(|| (0, line.clone())).0 += 1;
    }

    /// Returns what was found. All records are written then.
    pub(super) fn finish(self, changes: Option<Changes>) -> Findings {
        let noted = |(cause, (count, line)): (&str, (u64, Line))| Noted {
            cause: cause.to_owned(),
            count,
            file: line.file.to_string(),
            line: line.number,
        };
        Findings {
            judged: self.judged,
            agree: self.agree,
            reads: self.reads,
            unselected: self.unselected,
            not_judged: by_count(self.left_out),
            differences: differing(self.differences),
            changes,
            notes: self.notes.into_iter().map(noted).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::{from_value, json};

    #[test]
    fn parts_of_a_log_are_joined() {
        let part = |line: u32, count: u32| -> Findings {
            let group = json!({
                "event": "newlyDenied", "plugin": "PodSecurity", "message": "no", "count": count,
                "first": format!("2026-01-0{line}"), "last": format!("2026-01-0{line}"),
                "by": [{"user": "alice", "userAgent": "kubectl", "count": count}],
                "example": {"auditID": "a", "file": "log", "line": line, "request": "create pods shop/web"},
            });
            let example = json!({
                "auditID": "a", "file": "log", "line": line, "request": "create pods", "user": "alice",
                "server": "201", "kadmit": "403",
            });
            let value = json!({
                "judged": 4, "agree": 3, "reads": 1, "notJudged": [{"cause": "busy", "count": count}],
                "differences": [{"cause": "no", "count": 1, "example": example}],
                "changes": {"compared": 3, "consequences": 1, "groups": [group]},
                "notes": [{"cause": "cut", "count": count, "file": "log", "line": line}],
            });
            from_value(&value).unwrap()
        };
        let all = Findings::joined([part(1, 2), part(2, 3)]);
        assert_eq!((all.judged, all.agree, all.reads), (8, 6, 2));
        assert_eq!(all.not_judged, [Counted { cause: "busy".to_owned(), count: 5 }]);
        assert_eq!((all.differences[0].count, all.differences[0].example.logged.line), (2, 1));
        assert_eq!((all.notes[0].count, all.notes[0].line), (5, 1));
        let changes = all.changes.unwrap();
        let group = &changes.groups[0];
        assert_eq!((changes.compared, changes.consequences, group.count, group.by[0].count), (6, 2, 5, 5));
        assert_eq!((group.first.as_str(), group.last.as_str()), ("2026-01-01", "2026-01-02"));
    }
}
