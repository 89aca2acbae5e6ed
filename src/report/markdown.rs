//! `-o markdown`: a comment on a pull request, never longer than one may be.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use crate::evaluation::Outcome;
use crate::report::change::{self, Row};
use crate::report::finding::{Finding, verdict};
use crate::report::printable::printable;
use crate::report::subject::Subject;
use crate::report::{Diagnostic, Fixtures, Report, Severity, Summary};
use kube_api::Object;

/// A heading, a table of findings and the changes, folded. Only what is shown is kept in memory.
pub struct Markdown<W> {
    out: W,
    fixtures: Arc<Fixtures>,
    diff: bool,
    /// Refusals and errors, then other findings, then changes: earlier tiers take precedence when space is short.
    tiers: [Tier; 3],
    /// Characters of all tiers.
    length: usize,
    notes: Vec<String>,
}

/// Parts of a comment of equal importance. A prefix of them is shown, without gaps.
#[derive(Default)]
struct Tier {
    parts: Vec<String>,
    missing: usize,
}

const ERRORS: usize = 0;
const OTHERS: usize = 1;
const CHANGES: usize = 2;

/// The limit of GitHub on the length of a comment.
pub(super) const LONGEST: usize = 65_536;

/// The number of characters for everything but the table and the changes.
pub(super) const RESERVED: usize = 4_096;

/// Notes, at most.
pub(super) const MAX_NOTES: usize = 10;

/// The limit on characters of one note.
pub(super) const LONGEST_NOTE: usize = 200;

/// Characters of a message, at most.
pub(super) const LONGEST_MESSAGE: usize = 2_000;

/// Columns of a change.
const WIDTH: usize = 100;

/// The widths of columns cannot be set, and code does not break: what identifies a finding is in one column.
const TABLE: &str = "| | Object | Message |\n|---|---|---|\n";

/// The terminator of every rendered part, which begins with the number of its tier. Parts do not contain it.
const END: char = '\u{1E}';

impl<W: Write> Markdown<W> {
    /// Returns a report to `out`; `fixtures` has the places of the objects of the cluster, `diff` is whether changes
    /// are shown.
    pub fn new(out: W, fixtures: Arc<Fixtures>, diff: bool) -> Self {
        Self { out, fixtures, diff, tiers: Default::default(), length: 0, notes: Vec::new() }
    }

    fn add(&mut self, tier: usize, part: &str) {
        let length = part.chars().count();
        let has_room = |used: usize| used + length <= LONGEST - RESERVED;
        while !has_room(self.length) {
            let mut behind = self.tiers[tier + 1..].iter_mut().rev();
            let Some(last) = behind.find(|tier| !tier.parts.is_empty()) else { break };
            self.length -= last.parts.pop().map_or(0, |part| part.chars().count());
            last.missing += 1;
        }
        let tier = &mut self.tiers[tier];
        if tier.missing == 0 && has_room(self.length) {
            self.length += length;
            tier.parts.push(part.to_owned());
        } else {
            tier.missing += 1;
        }
    }
}

impl<W: Write + Send + Sync> Report for Markdown<W> {
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = String::new();
        for outcome in outcomes {
            for finding in Finding::unaccepted(outcome, &self.fixtures) {
                let _ = write!(text, "{}{}{END}", tier(&finding), row(&finding));
            }
            if self.diff && outcome.allowed() && outcome.mutated() {
                let _ = write!(text, "{CHANGES}{}{END}", change(outcome));
            }
        }
        Ok(text.into_bytes())
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        let text = str::from_utf8(rendered).map_err(io::Error::other)?;
        for part in text.split_terminator(END) {
            let tier = part.bytes().next().map_or(CHANGES, |digit| usize::from(digit - b'0'));
            self.add(tier, &part[1..]);
        }
        Ok(())
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        let finding = Finding::of_diagnostic(diagnostic);
        if finding.severity == Severity::Note && finding.spots.is_empty() {
            self.notes.push(diagnostic.message.clone());
        } else {
            self.add(tier(&finding), &row(&finding));
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let mark = if summary.fails() || summary.errors > 0 { "❌" } else { "✅" };
        writeln!(self.out, "## {mark} kadmit: {}", verdict(summary))?;
        let [errors, others, changes] = &self.tiers;
        if !errors.parts.is_empty() || !others.parts.is_empty() {
            write!(self.out, "\n{TABLE}{}{}", errors.parts.concat(), others.parts.concat())?;
        }
        for change in &changes.parts {
            write!(self.out, "\n{change}")?;
        }
        self.notes.extend(summary.counted_notes());
        for (position, note) in self.notes.iter().take(MAX_NOTES).enumerate() {
            let separator = if position == 0 { "\n" } else { "" };
            writeln!(self.out, "{separator}- note: {}", code(note, LONGEST_NOTE))?;
        }
        let missing = [
            (errors.missing, "refusals and errors"),
            (others.missing, "other findings"),
            (changes.missing, "changed objects"),
            (self.notes.len().saturating_sub(MAX_NOTES), "notes"),
        ];
        let missing = missing.iter().filter(|(count, _)| *count > 0);
        let missing: Vec<String> = missing.map(|(count, what)| format!("{what}: {count}")).collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            writeln!(self.out, "\nLeft out, since a comment holds {LONGEST} characters: {missing}")?;
        }
        self.out.flush()
    }
}

fn tier(finding: &Finding<'_>) -> usize {
    if finding.severity == Severity::Error { ERRORS } else { OTHERS }
}

/// Returns a line of the table.
fn row(finding: &Finding<'_>) -> String {
    let mark = match finding.severity {
        Severity::Error => "❌",
        Severity::Warning => "⚠️",
        Severity::Note => "ℹ️",
    };
    let subject = finding.subject.as_ref().map(|subject| code(&subject.to_string(), LONGEST_NOTE));
    let rule = if subject.is_some() { finding.rule } else { &*finding.code };
    let place = finding.place().map(|place| code(&place, LONGEST_NOTE));
    let object: Vec<String> = subject.into_iter().chain(place).collect();
    let object = object.join("<br>");
    let reasons = finding.reasons.iter().map(ToString::to_string);
    let help = finding.help.map(str::to_owned);
    let says = std::iter::once(finding.message.to_owned()).chain(reasons).chain(help);
    let says = says.map(|text| code(&text, LONGEST_MESSAGE));
    let message: Vec<String> = std::iter::once(code(rule, LONGEST_NOTE)).chain(says).collect();
    let message = message.join("<br>");
    format!("| {mark} {} | {object} | {message} |\n", finding.verdict())
}

/// Returns the changes by plugins, folded.
fn change(outcome: &Outcome) -> String {
    let mut plugins: Vec<&str> = Vec::new();
    let mut diff = String::new();
    for step in &outcome.trace.steps {
        let Some((before, after)) = &step.change else { continue };
        if !plugins.contains(&step.plugin) {
            plugins.push(step.plugin);
        }
        let _ = writeln!(diff, "# {}", step.plugin);
        diff.push_str(&changed_lines(before, after));
    }
    let subject = Subject::of(outcome).to_string();
    folded(&subject, &format!("changed by {}", plugins.join(", ")), &diff)
}

/// Returns the differences of two states of an object, line by line.
pub(super) fn changed_lines(before: &Object, after: &Object) -> String {
    let mut diff = String::new();
    for row in change::rows(before, after, WIDTH) {
        let (mark, text) = match row {
            Row::Inside(field) => ("@@", format!("{field} @@")),
            Row::Added(text) => ("+", text),
            Row::Removed(text) => ("-", text),
        };
        let _ = writeln!(diff, "{mark} {}", printable(&text));
    }
    diff
}

/// Returns `diff` in a collapsed section below the outcome of `subject`.
pub(super) fn folded(subject: &str, what: &str, diff: &str) -> String {
    let fence = "`".repeat(longest_run(diff).max(2) + 1);
    format!(
        "<details><summary><code>{}</code> {what}</summary>\n\n{fence}diff\n{diff}{fence}\n\n</details>\n",
        html(&printable(subject))
    )
}

/// Returns `text` as code in a cell of a table, so that nothing in it is markup, an issue or a user's name. Each line
/// is separate; a long one is cut.
pub(super) fn code(text: &str, longest: usize) -> String {
    let text = match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty()).map(|line| {
        let fence = "`".repeat(longest_run(line) + 1);
        let pad = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
        format!("{fence}{pad}{}{pad}{fence}", printable(line).replace('|', "\\|"))
    });
    lines.collect::<Vec<_>>().join("<br>")
}

/// Returns the most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(markdown: &mut Markdown<Vec<u8>>, summary: &Summary) -> String {
        markdown.end(summary).unwrap();
        String::from_utf8(std::mem::take(&mut markdown.out)).unwrap()
    }

    #[test]
    fn nothing_in_code_is_markup() {
        assert_eq!(code("a|b <i>@you</i> #1", 99), "`a\\|b <i>@you</i> #1`");
        assert_eq!(code("`a` ``b", 99), "``` `a` ``b ```");
        assert_eq!(code("two\n\nlines\u{1B}", 99), "`two`<br>`lines\\u{1b}`");
        assert_eq!(code("long", 3), "`lon…`");
    }

    #[test]
    fn a_comment_is_never_too_long() {
        let mut markdown = Markdown::new(Vec::new(), Arc::default(), true);
        let mut summary = Summary { requests: 3_000, denied: 2_000, ..Summary::default() };
        for position in 0..1_000 {
            let change = format!("{CHANGES}<details>{position} {}</details>\n{END}", "ü".repeat(200));
            markdown.write(change.as_bytes()).unwrap();
        }
        let changes = markdown.tiers[CHANGES].parts.len();
        assert!(changes > 200, "{changes}");
        for position in 0..50 {
            markdown.write(format!("{OTHERS}| ⚠️ {position} |\n{END}").as_bytes()).unwrap();
        }
        for position in 0..2_000 {
            let row = format!("{ERRORS}| ❌ {position} {} |\n{END}", "é".repeat(100));
            markdown.write(row.as_bytes()).unwrap();
        }
        for position in 0..100 {
            summary.notes.insert(format!("{position} {}", "ö".repeat(1_000)), 1);
        }
        let text = rendered(&mut markdown, &summary);
        assert!(text.chars().count() <= LONGEST, "{}", text.chars().count());
        assert!(!text.contains("<details>") && !text.contains("⚠️"), "refusals are more than these");
        let shown = text.matches("| ❌").count();
        assert!(shown > 400, "{shown}");
        let missing = format!(
            "refusals and errors: {}, other findings: 50, changed objects: 1000, notes: 90\n",
            2_000 - shown
        );
        assert!(text.ends_with(&missing), "{missing}: {}", &text[text.len() - 200..]);
    }

    #[test]
    fn a_good_run_is_one_line() {
        let mut markdown = Markdown::new(Vec::new(), Arc::default(), true);
        let summary = Summary { requests: 2, admitted: 2, ..Summary::default() };
        assert_eq!(rendered(&mut markdown, &summary), "## ✅ kadmit: all 2 requests are admitted\n");
    }
}
