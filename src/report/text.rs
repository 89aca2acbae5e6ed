//! `-o text`: for people.

mod change;
mod frame;

pub use frame::write_diagnostic;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use colored::Colorize;

use crate::admission::{Evidence, Operation, Step};
use crate::evaluation::{Outcome, Place};
use crate::report::{Diagnostic, Fixtures, Report, Summary};

/// How much is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Only what is refused.
    Quiet,
    /// What plugins changed and refused.
    Normal,
    /// Which plugins did nothing, too.
    Verbose,
}

/// How the text looks.
#[derive(Clone, Copy, Debug)]
pub struct TextStyle {
    /// How much is said.
    pub verbosity: Verbosity,
    /// Whether changes are shown line by line.
    pub diff: bool,
    /// Columns of the terminal.
    pub width: usize,
}

/// Headlines, diffs, code frames and a summary.
pub struct Text<W> {
    out: W,
    style: TextStyle,
    fixtures: Arc<Fixtures>,
    started: Instant,
}

/// The text of outcomes that follow each other.
struct Section<'a> {
    out: Vec<u8>,
    style: TextStyle,
    fixtures: &'a Fixtures,
}

impl<W: Write> Text<W> {
    /// A report to `out`; `fixtures` says where the objects of the cluster were written.
    pub fn new(out: W, style: TextStyle, fixtures: Arc<Fixtures>) -> Self {
        Self { out, style, fixtures, started: Instant::now() }
    }

    fn counts(&mut self, label: &str, counts: &BTreeMap<&'static str, usize>) -> io::Result<()> {
        if counts.is_empty() {
            return Ok(());
        }
        let mut counts: Vec<_> = counts.iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let text =
            counts.iter().map(|(plugin, count)| format!("{plugin} {count}")).collect::<Vec<_>>().join(" · ");
        for (position, line) in fold(&text, self.style.width.saturating_sub(11)).iter().enumerate() {
            let label = if position == 0 { label } else { "" };
            writeln!(self.out, "{label:<10} {line}")?;
        }
        Ok(())
    }
}

impl Section<'_> {
    fn outcome(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.headline(outcome)?;
        let said: usize = outcome.trace.steps.iter().map(|step| step.warnings.len()).sum();
        if outcome.trace.warnings.len() > said {
            let by_plugins: Vec<&String> =
                outcome.trace.steps.iter().flat_map(|step| &step.warnings).collect();
            for warning in outcome.trace.warnings.iter().filter(|warning| !by_plugins.contains(warning)) {
                self.warning(warning, None)?;
            }
        }
        for step in &outcome.trace.steps {
            self.step(step, outcome)?;
        }
        if let (None, Some(refusal)) = (outcome.denied_by(), &outcome.refusal) {
            let status = &refusal.status;
            let what = if status.code == 422 { "API validation" } else { Summary::API_SERVER };
            writeln!(self.out, "  {} refused it ({} {})", what.red().bold(), status.code, status.reason)?;
            frame::write_refusal(&mut self.out, outcome, refusal, None, None, self.style.width)?;
        }
        if self.style.verbosity == Verbosity::Verbose {
            self.idle(outcome)?;
        }
        writeln!(self.out)
    }

    fn headline(&mut self, outcome: &Outcome) -> io::Result<()> {
        let mark = if outcome.allowed() { "✓".green() } else { "✗".red() };
        let mut subject = subject(outcome);
        if outcome.operation != Operation::Create || !outcome.sub_resource.is_empty() {
            subject.push_str(&format!(" ({})", verb(outcome)));
        }
        let place = outcome.place.as_ref().map(place_text).unwrap_or_default();
        let used = 2 + subject.chars().count() + place.chars().count();
        write!(self.out, "{mark} {}", subject.bold())?;
        if used < self.style.width {
            writeln!(self.out, "{}{}", " ".repeat(self.style.width - used), place.dimmed())
        } else {
            writeln!(self.out, "\n  {}", place.dimmed())
        }
    }

    fn step(&mut self, step: &Step, outcome: &Outcome) -> io::Result<()> {
        if let Some((before, after)) = &step.change
            && self.style.verbosity > Verbosity::Quiet
        {
            let again = if step.reinvocation { " once more" } else { "" };
            writeln!(self.out, "  {} changed it{again}", step.plugin.cyan())?;
            if self.style.diff {
                change::write(&mut self.out, before, after, self.style.width)?;
            }
        }
        for warning in &step.warnings {
            self.warning(warning, Some(step.plugin))?;
        }
        if let Some(refusal) = &step.refusal {
            let status = &refusal.status;
            let reason = if status.reason.is_empty() { String::new() } else { format!(" {}", status.reason) };
            writeln!(self.out, "  {} denied it ({}{reason})", step.plugin.red().bold(), status.code)?;
            let help = self.because(&refusal.evidence);
            frame::write_refusal(&mut self.out, outcome, refusal, Some(step.plugin), help, self.style.width)?;
        }
        Ok(())
    }

    fn warning(&mut self, text: &str, plugin: Option<&str>) -> io::Result<()> {
        let from = plugin.map(|plugin| format!(" ({plugin})")).unwrap_or_default();
        let lines = fold(&format!("{text}{from}"), self.style.width.saturating_sub(11));
        for (position, line) in lines.iter().enumerate() {
            let label = if position == 0 { "warning:" } else { "        " };
            writeln!(self.out, "  {} {line}", label.yellow())?;
        }
        Ok(())
    }

    /// What in the cluster demands it, a line each.
    fn because(&self, evidence: &[Evidence]) -> Option<String> {
        let lines: Vec<String> = evidence
            .iter()
            .map(|evidence| {
                let place =
                    self.fixtures.locate(evidence).map(|place| format!(" ({place})")).unwrap_or_default();
                let kind = self.fixtures.kind(evidence);
                format!("{kind} {} {}{place}", evidence.name, evidence.says)
            })
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn idle(&mut self, outcome: &Outcome) -> io::Result<()> {
        let steps = &outcome.trace.steps;
        let idle: Vec<String> = outcome
            .trace
            .ran
            .iter()
            .filter(|(plugin, phase)| {
                !steps.iter().any(|step| step.plugin == *plugin && step.phase == *phase)
            })
            .map(|(plugin, phase)| format!("{plugin}/{}", phase.as_str()))
            .collect();
        for (position, line) in fold(&idle.join(" "), self.style.width.saturating_sub(14)).iter().enumerate()
        {
            let label = if position == 0 { "nothing by " } else { "           " };
            writeln!(self.out, "  {}", format!("{label} {line}").dimmed())?;
        }
        Ok(())
    }
}

impl<W: Write + Send + Sync> Report for Text<W> {
    fn begin(&mut self, _: &[&'static str]) -> io::Result<()> {
        Ok(())
    }

    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut section = Section { out: Vec::new(), style: self.style, fixtures: &self.fixtures };
        let is_shown = |outcome: &&Outcome| self.style.verbosity > Verbosity::Quiet || !outcome.allowed();
        for outcome in outcomes.iter().filter(is_shown) {
            section.outcome(outcome)?;
        }
        Ok(section.out)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        self.out.write_all(rendered)
    }

    fn diagnostic(&mut self, _: &Diagnostic) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        for (note, count) in &summary.notes {
            let times = if *count > 1 { format!(" ({count} objects)") } else { String::new() };
            for (position, line) in
                fold(&format!("{note}{times}"), self.style.width.saturating_sub(6)).iter().enumerate()
            {
                let label = if position == 0 { "note:" } else { "     " };
                writeln!(self.out, "{} {line}", label.blue())?;
            }
        }
        if !summary.notes.is_empty() {
            writeln!(self.out)?;
        }
        let mutations: usize = summary.mutations_by_plugin.values().sum();
        let mut parts = vec![format!(
            "{}: {} admitted, {} denied",
            counted(summary.requests, "object"),
            summary.admitted,
            summary.denied
        )];
        if mutations > 0 {
            let plugins = counted(summary.mutations_by_plugin.len(), "plugin");
            parts.push(format!("{} by {plugins}", counted(mutations, "mutation")));
        }
        if summary.warnings > 0 {
            parts.push(counted(summary.warnings, "warning"));
        }
        if summary.errors > 0 {
            parts.push(format!("{} in the input", counted(summary.errors, "error")));
        }
        parts.push(format!("{} ms", self.started.elapsed().as_millis()));
        writeln!(self.out, "{}", parts.join("; "))?;
        if self.style.verbosity > Verbosity::Quiet {
            self.counts("changed by", &summary.mutations_by_plugin)?;
        }
        self.counts("denied by", &summary.denials_by_plugin)?;
        self.out.flush()
    }
}

/// `Pod payments/worker`
fn subject(outcome: &Outcome) -> String {
    let name = match (outcome.name.as_str(), outcome.received.as_deref()) {
        ("", Some(received)) if !received.generate_name().is_empty() => {
            format!("{}…", received.generate_name())
        }
        ("", _) => "(no name)".to_owned(),
        (name, _) => name.to_owned(),
    };
    let kind = &outcome.kind.kind;
    if outcome.namespace.is_empty() || outcome.kind.is("", "Namespace") {
        format!("{kind} {name}")
    } else {
        format!("{kind} {}/{name}", outcome.namespace)
    }
}

fn verb(outcome: &Outcome) -> String {
    let operation = outcome.operation.as_str().to_lowercase();
    if outcome.sub_resource.is_empty() { operation } else { format!("{operation} {}", outcome.sub_resource) }
}

fn place_text(place: &Place) -> String {
    format!("{}:{}", place.file(), place.line_column().0)
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// `text` in lines of at most `width` characters, broken at blanks where there are any.
fn fold(text: &str, width: usize) -> Vec<String> {
    text.lines()
        .flat_map(|line| textwrap::wrap(line, width.max(20)).into_iter().map(std::borrow::Cow::into_owned))
        .collect()
}
