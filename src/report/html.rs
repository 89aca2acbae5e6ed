//! `-o html`: a self-contained page, readable without scripts.
//!
//! Rows are written as outcomes arrive; the totals are written last, and shown first.

mod page;
mod row;
mod totals;

use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use crate::evaluation::Outcome;
use crate::report::finding::verdict;
use crate::report::{Diagnostic, Fixtures, Report, Severity, Summary};
use kube_api::version::Version;

use totals::Totals;

pub(super) use page::{Foot, Head, MessageEntry, rendered};
pub(super) use row::{Block, Doing, Row, diff_lines, frame_of};
pub(super) use totals::{Count, Table, TableRow};

/// A page of a run.
pub struct Html<W> {
    out: W,
    fixtures: Arc<Fixtures>,
    release: Option<Version>,
    diff: bool,
    /// Sums, to which requests rendered in parallel add.
    totals: Mutex<Totals>,
    diagnostics: Vec<Diagnostic>,
    /// The rows of requests that are not refused, which come after those that are: with a warning, and without.
    waiting: [Vec<String>; 2],
    /// The number of objects without a refusal or warning whose rows are shown, and of those that are left out.
    shown: usize,
    left_out: usize,
    /// What heads the page, instead of "Admission report".
    title: Option<String>,
    /// The number of objects whose rows are written.
    drawn: usize,
    /// The rows of the comment that is not complete, and how many objects they are of.
    comment: (String, usize),
}

/// The number of objects without a refusal or warning that a page has: browsers load no more in a reasonable time.
const MAX_ADMITTED: usize = 50_000;

/// The number of objects whose rows are part of the page from the start. The rows of others are in comments, from which
/// the script makes them when they are scrolled to, or fit a filter.
const DRAWN: usize = 500;

/// The number of objects in a comment.
const CHUNK: usize = 250;

/// The terminator of the rows of an object, which begin with the number of their part. Rows do not contain it.
const END: char = '\u{1E}';

impl<W: Write> Html<W> {
    /// Returns a report to `out` about servers of `release`, or of several; `fixtures` has the places of the objects of
    /// the cluster; `diff` shows changes.
    pub fn new(out: W, release: Option<Version>, fixtures: Arc<Fixtures>, diff: bool) -> Self {
        Self {
            out,
            fixtures,
            release,
            diff,
            totals: Mutex::default(),
            diagnostics: Vec::new(),
            waiting: Default::default(),
            shown: 0,
            left_out: 0,
            title: None,
            drawn: 0,
            comment: (String::new(), 0),
        }
    }

    /// Heads the page with `title`, such as the repository, the day and the command: without it, a page depends on the
    /// input of the run alone.
    #[must_use]
    pub fn titled(self, title: Option<String>) -> Self {
        Self { title, ..self }
    }

    /// Writes the rows of an object.
    fn write_rows(&mut self, rows: &str) -> io::Result<()> {
        self.drawn += 1;
        if self.drawn <= DRAWN {
            return self.out.write_all(rows.as_bytes());
        }
        // Two hyphens would end a comment.
        self.comment.0.push_str(&rows.replace("--", "&#45;&#45;"));
        self.comment.1 += 1;
        if self.comment.1 == CHUNK { self.end_comment() } else { Ok(()) }
    }

    fn end_comment(&mut self) -> io::Result<()> {
        let (rows, count) = mem::take(&mut self.comment);
        if count == 0 { Ok(()) } else { writeln!(self.out, "<!--rows\n{rows}-->") }
    }
}

impl<W: Write + Send + Sync> Report for Html<W> {
    fn begin(&mut self, plugins: &[&'static str]) -> io::Result<()> {
        let release = self.release.map(|release| format!("Kubernetes {release}"));
        let plugins = match plugins.len() {
            1 => "1 admission plugin".to_owned(),
            count => format!("{count} admission plugins"),
        };
        let about = release.into_iter().chain([plugins]).collect::<Vec<_>>().join(", ");
        let title = self.title.as_deref().unwrap_or("Admission report");
        let head = Head::new(title, &about, "Objects");
        self.out.write_all(rendered(&head)?.as_bytes())
    }

    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = String::new();
        let mut totals = Totals::default();
        for outcome in outcomes {
            let rows = Row::of(outcome, &self.fixtures, self.diff);
            let is = |tone: &str| rows.iter().any(|row| row.tone == tone);
            text.push(match () {
                () if is("denied") => '0',
                () if is("warned") => '1',
                () => '2',
            });
            for row in &rows {
                totals.add(row);
                text.push_str(&rendered(row)?);
            }
            text.push(END);
        }
        self.totals.lock().unwrap_or_else(PoisonError::into_inner).join(totals);
        Ok(text.into_bytes())
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        let text = str::from_utf8(rendered).map_err(io::Error::other)?;
        for rows in text.split_terminator(END) {
            match rows.split_at(1) {
                ("0", rows) => self.write_rows(rows)?,
                ("1", rows) => self.waiting[0].push(rows.to_owned()),
                _ if self.shown >= MAX_ADMITTED => self.left_out += 1,
                (_, rows) => {
                    self.shown += 1;
                    self.waiting[1].push(rows.to_owned());
                }
            }
        }
        Ok(())
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        self.diagnostics.push(diagnostic.clone());
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        for rows in mem::take(&mut self.waiting).into_iter().flatten() {
            self.write_rows(&rows)?;
        }
        self.end_comment()?;
        let totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let counts = [
            ("requests", summary.requests, ""),
            ("admitted", summary.admitted, "good"),
            ("denied", summary.denied, "denied"),
            ("changed", summary.mutated, "changed"),
            ("warnings", summary.warnings, "warned"),
            ("skipped", summary.skipped, ""),
            ("known", summary.known, ""),
            ("errors in the input", summary.errors, "denied"),
        ];
        let is_always_shown = |name: &str| matches!(name, "requests" | "admitted" | "denied");
        let counts = counts.into_iter().filter(|(name, number, _)| is_always_shown(name) || *number > 0);
        let counts = counts.map(|(name, number, tone)| {
            let tone = if number > 0 { tone } else { "" };
            Count { name, number, tone }
        });
        let hooks = summary.hooks.iter().flat_map(|(hook, own)| {
            let is_binding = hook.kind.ends_with("Binding");
            let severity = if own.is_suspicious() { Severity::Warning } else { Severity::Note };
            let says = (!is_binding).then(|| own.says(hook));
            let says = says.into_iter().chain(own.remarks.iter().cloned());
            says.map(move |says| MessageEntry::bare(severity, format!("{} {hook}: {says}", hook.kind)))
        });
        let left_out = (self.left_out > 0).then(|| {
            let all = self.left_out + self.shown;
            format!(
                "{MAX_ADMITTED} of {all} objects without a refusal or warning are shown; -o jsonl has all"
            )
        });
        let notes = left_out.into_iter().chain(summary.counted_notes());
        let notes = notes.map(|note| MessageEntry::bare(Severity::Note, note));
        let said = self.diagnostics.iter().map(MessageEntry::of).chain(notes).chain(hooks);
        let (quotas, tables) = (&summary.quotas, totals.tables());
        let foot = Foot::new(verdict(summary), counts.collect(), tables, quotas, said.collect());
        self.out.write_all(rendered(&foot)?.as_bytes())?;
        self.out.flush()
    }
}

/// Returns the class of `severity`.
pub(super) fn tone(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "denied",
        Severity::Warning => "warned",
        Severity::Note => "quiet",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::{Effect, Hook, Mismatch};
    use crate::evaluation::HookUse;

    #[test]
    fn later_rows_wait_in_comments() {
        let mut out = Vec::new();
        let mut page = Html::new(&mut out, None, Arc::default(), true).titled(Some("shop & co".to_owned()));
        page.begin(&[]).unwrap();
        let row = |rank: char, name: &str| format!("{rank}<tbody class=\"object\">{name}--flag</tbody>{END}");
        let admitted: String = (0..=DRAWN + CHUNK).map(|_| row('2', "web")).collect();
        page.write(admitted.as_bytes()).unwrap();
        page.write(row('0', "refused").as_bytes()).unwrap();
        page.end(&Summary::default()).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("<h1>shop &#38; co</h1>"), "{}", &text[..1500.min(text.len())]);
        let (drawn, rest) = text.split_once("<!--rows\n").unwrap();
        assert_eq!(drawn.matches("<tbody").count(), DRAWN);
        assert!(drawn.find("refused").unwrap() < drawn.find("web--flag").unwrap());
        let (comment, last) = rest.split_once("-->").unwrap();
        assert_eq!(comment.matches("<tbody").count(), CHUNK);
        assert!(!comment.contains("--"), "which would end the comment");
        assert_eq!(last.matches("<tbody class").count(), 2);
    }

    #[test]
    fn a_policy_that_was_never_evaluated_is_a_warning() {
        let hook = Hook { kind: "MutatingAdmissionPolicy".into(), name: "p".to_owned(), ..Hook::default() };
        for (effect, class, says) in [
            (
                Effect::NotMatched(Mismatch::Rules),
                "warned",
                "evaluated 0 of 1 request; not matched 1 (rules 1)",
            ),
            (Effect::Evaluated, "quiet", "evaluated 1 of 1 request, changed nothing"),
        ] {
            let mut own = HookUse::default();
            own.count(&effect);
            let mut summary = Summary::default();
            summary.hooks.insert(hook.clone(), own);
            let mut out = Vec::new();
            let mut page = Html::new(&mut out, None, Arc::default(), true);
            page.begin(&[]).unwrap();
            page.end(&summary).unwrap();
            let line = format!("<li class=\"{class}\">MutatingAdmissionPolicy p: {says}</li>");
            assert!(String::from_utf8(out).unwrap().contains(&line), "{line}");
        }
    }

    #[test]
    fn what_is_admitted_without_a_warning_is_limited() {
        let mut out = Vec::new();
        let mut page = Html::new(&mut out, None, Arc::default(), true);
        page.begin(&[]).unwrap();
        let rows = |rank: char, count: usize| format!("{rank}<tbody>{END}").repeat(count);
        page.write(rows('2', MAX_ADMITTED + 3).as_bytes()).unwrap();
        page.write(rows('1', 2).as_bytes()).unwrap();
        page.write(rows('0', 2).as_bytes()).unwrap();
        page.end(&Summary::default()).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.matches("<tbody>").count(), MAX_ADMITTED + 4, "all that is refused or warned");
        assert!(text.contains("50000 of 50003 objects without a refusal or warning are shown"));
    }
}
