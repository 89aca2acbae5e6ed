//! `-o text`: for people.

mod explained;
mod frame;
mod quotas;
mod window;

pub use explained::write_explanation;
pub use frame::write_diagnostic;
pub(super) use frame::{Excerpt, write_excerpt};

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use colored::{ColoredString, Colorize};

use crate::admission::{Evidence, Refusal, Step};
use crate::api::Object;
use crate::evaluation::{Acceptance, Outcome, Place};
use crate::report::change::{self, Row};
use crate::report::fold::{fold, folding};
use crate::report::printable::printable;
use crate::report::subject::Subject;
use crate::report::{Diagnostic, Fixtures, Report, Summary};

/// The amount of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Only refusals.
    Quiet,
    /// Changes and refusals by plugins.
    Normal,
    /// Also the plugins that did nothing.
    Verbose,
}

/// The style of the text.
#[derive(Clone, Copy, Debug)]
pub struct TextStyle {
    /// The amount of output.
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
    /// Unset where there is no clock, as in WebAssembly.
    started: Option<Instant>,
    /// Whether the last object was more than a headline, if there was one.
    spaced: Option<bool>,
}

/// The indentation of controllers' requests.
const INDENT: &str = "  ";

/// The text of consecutive outcomes. If the first is more than a headline, it begins with the blank line that separates
/// such an object from the previous one.
struct Section<'a> {
    out: Vec<u8>,
    style: TextStyle,
    fixtures: &'a Fixtures,
}

impl<W: Write> Text<W> {
    /// Returns a report to `out`; `fixtures` has the places of the objects of the cluster.
    pub fn new(out: W, style: TextStyle, fixtures: Arc<Fixtures>) -> Self {
        let started = cfg!(not(target_family = "wasm")).then(Instant::now);
        Self { out, style, fixtures, started, spaced: None }
    }

    fn counts(&mut self, label: &str, counts: &BTreeMap<&'static str, usize>) -> io::Result<()> {
        if counts.is_empty() {
            return Ok(());
        }
        let mut counts: Vec<_> = counts.iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let text =
            counts.iter().map(|(plugin, count)| format!("{plugin} {count}")).collect::<Vec<_>>().join(" · ");
        write_labelled(&mut self.out, "", &label.normal(), &text, self.style.width)
    }
}

impl Section<'_> {
    fn outcome(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.headline(outcome, "", &Subject::of(outcome).to_string().bold())?;
        self.body(outcome, &[])?;
        for caused in &outcome.caused {
            if self.is_shown(caused, &outcome.trace.warnings) {
                self.caused(caused, &outcome.trace.warnings)?;
            }
        }
        Ok(())
    }

    /// Writes a controller's request, below its owner.
    fn caused(&mut self, outcome: &Outcome, said: &[String]) -> io::Result<()> {
        let style = TextStyle { width: self.style.width - INDENT.len(), ..self.style };
        let mut section = Section { out: Vec::new(), style, fixtures: self.fixtures };
        section.headline(outcome, "↳ ", &Subject::of(outcome).below_owner().normal())?;
        section.body(outcome, said)?;
        for line in section.out.split_inclusive(|byte| *byte == b'\n') {
            if line != b"\n" {
                self.out.write_all(INDENT.as_bytes())?;
            }
            self.out.write_all(line)?;
        }
        Ok(())
    }

    /// Writes the details of `outcome`, except the warnings in `said`.
    fn body(&mut self, outcome: &Outcome, said: &[String]) -> io::Result<()> {
        let by_plugins: Vec<&String> = outcome.trace.steps.iter().flat_map(|step| &step.warnings).collect();
        let own = outcome.trace.warnings.iter().filter(|warning| !by_plugins.contains(warning));
        self.warnings(Summary::API_SERVER, own, outcome, said)?;
        for step in &outcome.trace.steps {
            self.step(step, outcome, said)?;
        }
        if let (None, Some(refusal)) = (outcome.denied_by(), &outcome.refusal) {
            self.refusal(outcome, refusal, None)?;
        }
        self.unshown_changes(outcome)?;
        if self.style.verbosity == Verbosity::Verbose {
            self.idle(outcome)?;
        }
        Ok(())
    }

    /// Whether there are details of `outcome`, except the warnings in `said`.
    fn is_shown(&self, outcome: &Outcome, said: &[String]) -> bool {
        let accepted = &outcome.accepted;
        let is_known = |warning| accepted.warnings.get(warning) == Some(&Acceptance::Known);
        let warns =
            || outcome.trace.warnings.iter().any(|warning| !said.contains(warning) && !is_known(warning));
        let is_refused = || !outcome.allowed() && accepted.refusal != Some(Acceptance::Known);
        match self.style.verbosity {
            Verbosity::Quiet => outcome.fails(),
            Verbosity::Normal => is_refused() || (outcome.allowed() && outcome.mutated()) || warns(),
            Verbosity::Verbose => true,
        }
    }

    fn has_body(&self, outcome: &Outcome) -> bool {
        outcome.with_caused().any(|outcome| self.is_shown(outcome, &[]))
    }

    fn headline(&mut self, outcome: &Outcome, lead: &str, subject: &ColoredString) -> io::Result<()> {
        let mark = match (outcome.allowed(), outcome.fails()) {
            (true, _) => "✓".green(),
            (false, true) => "✗".red(),
            (false, false) => "–".yellow(),
        };
        let place = outcome.place.as_ref().map(place_text).unwrap_or_default();
        Headline { lead, mark, subject, place: &place }.write(&mut self.out, self.style.width)
    }

    fn step(&mut self, step: &Step, outcome: &Outcome, said: &[String]) -> io::Result<()> {
        if let Some((before, after)) = &step.change
            && self.shows_changes(outcome)
        {
            let again = if step.reinvocation { " once more" } else { "" };
            writeln!(self.out, "  {} changed it{again}", step.plugin.cyan())?;
            if self.style.diff {
                write_change(&mut self.out, before, after, self.style.width)?;
            }
        }
        self.warnings(step.plugin, step.warnings.iter(), outcome, said)?;
        if let Some(refusal) = &step.refusal {
            self.refusal(outcome, refusal, Some(step.plugin))?;
        }
        Ok(())
    }

    /// Whether changes are shown. Changes to an object that is refused in the end have no effect; those to an object of
    /// a controller are not in a manifest.
    fn shows_changes(&self, outcome: &Outcome) -> bool {
        self.style.verbosity == Verbosity::Verbose || (outcome.allowed() && outcome.cause.is_none())
    }

    fn warnings<'w>(
        &mut self,
        who: &str,
        warnings: impl Iterator<Item = &'w String>,
        outcome: &Outcome,
        said: &[String],
    ) -> io::Result<()> {
        let (mut open, mut accepted) = (Vec::new(), Vec::new());
        for warning in warnings.filter(|warning| !said.contains(warning)) {
            match outcome.accepted.warnings.get(warning) {
                None => open.push(warning),
                Some(acceptance) if self.shows(acceptance) => accepted.push((warning, acceptance)),
                Some(_) => {}
            }
        }
        if !open.is_empty() {
            writeln!(self.out, "  {} warned", who.yellow())?;
        }
        for warning in open {
            write_labelled(&mut self.out, "  ", &"⚠".yellow(), warning, self.style.width)?;
        }
        for (warning, acceptance) in accepted {
            let says = format!("warned, {acceptance}");
            write_labelled(&mut self.out, "  ", &who.normal(), &says, self.style.width)?;
            if self.style.verbosity == Verbosity::Verbose {
                write_labelled(&mut self.out, "  ", &"⚠".dimmed(), warning, self.style.width)?;
            }
        }
        Ok(())
    }

    /// Whether accepted findings are shown.
    fn shows(&self, acceptance: &Acceptance) -> bool {
        match self.style.verbosity {
            Verbosity::Quiet => false,
            Verbosity::Normal => *acceptance != Acceptance::Known,
            Verbosity::Verbose => true,
        }
    }

    fn refusal(&mut self, outcome: &Outcome, refusal: &Refusal, plugin: Option<&str>) -> io::Result<()> {
        let status = &refusal.status;
        let who = plugin.unwrap_or(if status.code == 422 { "API validation" } else { Summary::API_SERVER });
        let reason = if status.reason.is_empty() { String::new() } else { format!(" {}", status.reason) };
        match &outcome.accepted.refusal {
            None => writeln!(self.out, "  {} denied it ({}{reason})", who.red().bold(), status.code)?,
            Some(acceptance) if self.shows(acceptance) => {
                let says = format!("denied it ({}{reason}), {acceptance}", status.code);
                write_labelled(&mut self.out, "  ", &who.yellow(), &says, self.style.width)?;
                if self.style.verbosity < Verbosity::Verbose {
                    return Ok(());
                }
            }
            Some(_) => return Ok(()),
        }
        let help = self.because(&refusal.evidence);
        frame::write_refusal(&mut self.out, outcome, refusal, plugin, help, self.style.width)?;
        let explanation = refusal.rule.as_ref().and_then(|rule| rule.explanation.as_ref());
        explanation.map_or(Ok(()), |explanation| {
            explained::write_explanation(&mut self.out, explanation, self.style.width)
        })
    }

    /// Names the plugins that changed an object whose changes are not shown.
    fn unshown_changes(&mut self, outcome: &Outcome) -> io::Result<()> {
        let mut plugins: Vec<&str> = Vec::new();
        for step in outcome.trace.steps.iter().filter(|step| step.change.is_some()) {
            if !plugins.contains(&step.plugin) {
                plugins.push(step.plugin);
            }
        }
        let is_accepted = outcome.accepted.refusal.is_some();
        let is_short = is_accepted || self.style.verbosity == Verbosity::Quiet;
        if plugins.is_empty() || self.shows_changes(outcome) || is_short {
            return Ok(());
        }
        let label = if outcome.allowed() { "changed by" } else { "changed before by" }.dimmed();
        write_labelled(&mut self.out, "  ", &label, &plugins.join(", "), self.style.width)
    }

    /// Returns the causes in the cluster, one per line.
    fn because(&self, evidence: &[Evidence]) -> Option<String> {
        let lines: Vec<String> = evidence
            .iter()
            .map(|evidence| {
                let place = self.fixtures.locate(evidence);
                let place = place.map(|(file, line)| format!(" ({file}:{line})")).unwrap_or_default();
                format!("{evidence}{place}")
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
        if idle.is_empty() {
            return Ok(());
        }
        write_labelled(&mut self.out, "  ", &"nothing done by".dimmed(), &idle.join(" "), self.style.width)
    }
}

impl<W: Write + Send + Sync> Report for Text<W> {
    fn begin(&mut self, _: &[&'static str]) -> io::Result<()> {
        Ok(())
    }

    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut section = Section { out: Vec::new(), style: self.style, fixtures: &self.fixtures };
        let mut spaced = false;
        for outcome in outcomes {
            let has_body = section.has_body(outcome);
            if self.style.verbosity == Verbosity::Quiet && !has_body {
                continue;
            }
            // Objects without details are not separated by blank lines.
            if spaced || has_body {
                writeln!(section.out)?;
            }
            spaced = has_body;
            section.outcome(outcome)?;
        }
        Ok(section.out)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        let Some(last_line) = rendered.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()) else {
            return Ok(());
        };
        let text = match (self.spaced, rendered.strip_prefix(b"\n")) {
            (None, Some(rest)) => rest,
            (Some(true), None) => {
                writeln!(self.out)?;
                rendered
            }
            _ => rendered,
        };
        // Only headlines begin in the first column.
        self.spaced = Some(last_line.starts_with(b" "));
        self.out.write_all(text)
    }

    fn diagnostic(&mut self, _: &Diagnostic) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        if summary.requests == 0 {
            return self.out.flush();
        }
        if self.spaced.is_some() {
            writeln!(self.out)?;
        }
        quotas::write(&mut self.out, summary, self.style)?;
        for note in summary.counted_notes() {
            write_labelled(&mut self.out, "", &"note:".blue(), &note, self.style.width)?;
        }
        if !summary.notes.is_empty() {
            writeln!(self.out)?;
        }
        let mutations: usize = summary.mutations_by_plugin.values().sum();
        let mut parts = vec![format!(
            "{}{}: {} admitted, {} denied",
            counted(summary.requests, "object"),
            if summary.caused > 0 { format!(", {} by controllers", summary.caused) } else { String::new() },
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
        parts.extend(summary.accepted_findings());
        parts.extend(summary.shown.map(|shown| format!("{shown} shown by --only")));
        if summary.errors > 0 {
            parts.push(format!("{} in the input", counted(summary.errors, "error")));
        }
        // The end of a line must not depend on the elapsed time.
        let lines = fold(&parts.join("; "), self.style.width - TIME_WIDTH);
        let time = self.started.map(|started| format!("; {} ms", started.elapsed().as_millis()));
        writeln!(self.out, "{}{}", lines.join("\n"), time.unwrap_or_default())?;
        if self.style.verbosity > Verbosity::Quiet {
            self.counts("changed by", &summary.mutations_by_plugin)?;
        }
        self.counts("denied by ", &summary.denials_by_plugin)?;
        self.out.flush()
    }
}

/// The headline of an object.
pub(super) struct Headline<'a> {
    pub(super) lead: &'a str,
    pub(super) mark: ColoredString,
    pub(super) subject: &'a ColoredString,
    pub(super) place: &'a str,
}

impl Headline<'_> {
    /// Writes it with the place at the end of the line, or below if there is no room for both.
    pub(super) fn write(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        let Self { lead, mark, subject, place } = self;
        let place = printable(place);
        let indent = lead.chars().count() + 2;
        let lines = fold(subject, width - indent);
        for (position, line) in lines.iter().enumerate() {
            let mut shown = (*subject).clone();
            shown.input.clone_from(line);
            match position {
                0 => write!(out, "{lead}{mark} {shown}")?,
                _ => write!(out, "\n{:indent$}{shown}", "")?,
            }
        }
        let used = indent + lines.last().map_or(0, |line| line.chars().count()) + place.chars().count();
        if used < width {
            writeln!(out, "{}{}", " ".repeat(width - used), place.dimmed())
        } else {
            let below = lead.len() - lead.trim_start().len() + 2;
            writeln!(out, "\n{:below$}{}", "", place.dimmed())
        }
    }
}

/// Writes the differences of two states of an object, line by line.
pub(super) fn write_change(
    out: &mut impl Write,
    before: &Object,
    after: &Object,
    width: usize,
) -> io::Result<()> {
    for row in change::rows(before, after, width.saturating_sub(6)) {
        match row {
            Row::Inside(field) if field.is_empty() => writeln!(out, "    {}", "@@ @@".blue())?,
            Row::Inside(field) => writeln!(out, "    {}", format!("@@ {field} @@").blue())?,
            Row::Same(text) => writeln!(out, "      {}", text.dimmed())?,
            Row::Added(text) => writeln!(out, "    {}", format!("+ {text}").green())?,
            Row::Removed(text) => writeln!(out, "    {}", format!("- {text}").red())?,
        }
    }
    Ok(())
}

fn place_text(place: &Place) -> String {
    format!("{}:{}", place.file(), place.line_column().0)
}

pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// The columns reserved for the elapsed time.
const TIME_WIDTH: usize = 12;

/// The maximum indentation of the lines after a label.
const DEEPEST: usize = 20;

/// Writes `label text`, folded, with continuation lines indented like the text.
pub(crate) fn write_labelled(
    out: &mut impl Write,
    indent: &str,
    label: &ColoredString,
    text: &str,
    width: usize,
) -> io::Result<()> {
    let lead = format!("{indent}{} ", &**label);
    let hanging = " ".repeat(lead.chars().count().min(DEEPEST));
    let options = folding(width).initial_indent(&lead).subsequent_indent(&hanging);
    let text = printable(text);
    let lines = textwrap::wrap(&text, options);
    for (position, line) in lines.iter().enumerate() {
        match line.strip_prefix(&lead) {
            Some(rest) if position == 0 => writeln!(out, "{indent}{label} {rest}")?,
            _ => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}
