//! Marks that are sent before the run ends: first those of the file that the user edits, then those of other files as
//! their documents are answered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cli::incremental::{Answer, Document};
use crate::report::Fixtures;
use crate::report::acceptance::Acceptor;
use crate::report::editor::{self, Mark};

/// The time between two messages about other files.
const INTERVAL: Duration = Duration::from_millis(50);

/// The number of documents at the end for which an early message about other files comes too late.
const NEARLY_ALL: usize = 16;

/// The marks of a run so far.
pub(super) struct Early<'a> {
    focus: Option<&'a str>,
    /// The position of the last document of each file.
    last_of: BTreeMap<&'a str, usize>,
    count: usize,
    acceptor: Acceptor,
    fixtures: Fixtures,
    /// Marks of errors in skips, by their files.
    remarks: BTreeMap<String, Vec<Mark>>,
    /// The number of answers that the acceptor has judged.
    judged: usize,
    /// The number of answers whose files were sent, if they were complete: at first those of the last run.
    sent: Option<usize>,
    sent_at: Instant,
}

impl<'a> Early<'a> {
    /// Returns the marks of a run on `documents`, before it begins; `focus` is the file that the user edits, and
    /// `fixtures` has the places of the objects of the cluster.
    pub(super) fn new(
        documents: &'a [Arc<Document>],
        focus: Option<&'a str>,
        acceptor: Acceptor,
        fixtures: Fixtures,
    ) -> Self {
        let last_of = documents.iter().enumerate().map(|(position, one)| (&*one.file, position)).collect();
        Self {
            focus,
            last_of,
            count: documents.len(),
            acceptor,
            fixtures,
            remarks: BTreeMap::new(),
            judged: 0,
            sent: None,
            sent_at: Instant::now(),
        }
    }

    /// Sends the marks of files whose documents are all among `answers`, if it is time.
    pub(super) fn send(&mut self, answers: &mut [Answer], mut send: impl FnMut(&str, &[Mark])) {
        let answered = answers.len();
        let first_new = *self.sent.get_or_insert(answered - 1);
        let is_focus = self.focus.is_some_and(|focus| self.last_of.get(focus) == Some(&(answered - 1)));
        let is_time = answered + NEARLY_ALL < self.count && self.sent_at.elapsed() >= INTERVAL;
        if self.count <= NEARLY_ALL || (!is_focus && !is_time) {
            return;
        }
        self.judge(&mut answers[self.judged..]);
        self.judged = answered;
        let new = if is_focus { &answers[answered - 1..] } else { &answers[first_new..] };
        let is_complete = |file: &Arc<str>| self.last_of.get(&**file).is_some_and(|last| *last < answered);
        let files: BTreeSet<Arc<str>> =
            new.iter().map(|answer| answer.document.file.clone()).filter(is_complete).collect();
        let mut marks: BTreeMap<Arc<str>, Vec<Mark>> =
            files.into_iter().map(|file| (file, Vec::new())).collect();
        let idle = self.acceptor.idle_skips(true);
        let idle = idle.iter().filter_map(editor::mark_of).map(|mark| (mark.line.file.clone(), mark));
        for answer in answers {
            if let Some(marks) = marks.get_mut(&answer.document.file) {
                marks.extend(answer.compute_marks(&self.fixtures).iter().cloned());
            }
        }
        for (file, mark) in idle {
            if let Some(marks) = marks.get_mut(&*file) {
                marks.push(mark);
            }
        }
        for (file, mut marks) in marks {
            marks.retain(|mark| *mark.line.file == *file);
            marks.extend(self.remarks.get(&*file).into_iter().flatten().cloned());
            send(&file, &marks);
        }
        if !is_focus {
            self.sent = Some(answered);
            self.sent_at = Instant::now();
        }
    }

    /// Records what the user accepts in the next `answers`.
    fn judge(&mut self, answers: &mut [Answer]) {
        for outcome in answers.iter().flat_map(|answer| &answer.outcomes) {
            self.fixtures.remember(outcome);
        }
        let diagnostics = answers.iter_mut().flat_map(|answer| answer.judge(&mut self.acceptor));
        for mark in diagnostics.filter_map(|diagnostic| editor::mark_of(&diagnostic)) {
            self.remarks.entry(mark.line.file.clone()).or_default().push(mark);
        }
    }
}
