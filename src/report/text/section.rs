//! Writes the text about an object, and about the requests of controllers for it.

use std::io::{self, Write};
use std::mem;

use colored::{ColoredString, Colorize};

use crate::admission::{Evidence, PolicyViolation, Refusal, Step};
use crate::evaluation::{Acceptance, Outcome, is_said};
use crate::report::advice::advice;
use crate::report::change::Row;
use crate::report::finding::grouped;
use crate::report::routine::routine;
use crate::report::subject::Subject;
use crate::report::{Fixtures, Summary};
use kube_api::{GroupVersionKind, Object, Value};

use super::block::{self, About, Again, Block, Part, Relation};
use super::denied::{denied_below, denied_of};
use super::headline::{Headline, change_rows, place_text, write_labelled, write_rows};
use super::hooks::write_effects;
use super::{TextStyle, Verbosity, explained, frame};

/// The indentation of requests by controllers.
const INDENT: usize = 2;

/// The number of broken rules that are explained of an object, unless all are wanted.
const MAX_EXPLAINED: usize = 3;

/// The least length of a warning that is written once for all objects with the same one.
const LONG_WARNING: usize = 100;

/// The number of lines of a refusal that are written for every object with the same one.
const MAX_REPEATED: usize = 5;

/// The text of an object.
pub(super) struct Section<'a> {
    block: Block,
    /// Lines that are not in the block yet.
    out: Vec<u8>,
    indent: usize,
    style: TextStyle,
    fixtures: &'a Fixtures,
}

impl Section<'_> {
    /// Returns the text about `outcome` and the requests that it caused.
    pub(super) fn block(style: TextStyle, fixtures: &Fixtures, outcome: &Outcome) -> Option<Block> {
        let mut section = Section { block: Block::default(), out: Vec::new(), indent: 0, style, fixtures };
        let has_body = section.has_body(outcome);
        if style.verbosity == Verbosity::Quiet && !has_body {
            return None;
        }
        // Writing to memory does not fail.
        section.outcome(outcome).ok()?;
        section.end_lines();
        let is_refused = outcome.with_caused().any(Outcome::fails);
        Some(Block { is_refused, has_body, relation: relation(outcome), ..section.block })
    }

    fn outcome(&mut self, outcome: &Outcome) -> io::Result<()> {
        if !is_pending(outcome) {
            self.headline(outcome, "", &Subject::of(outcome).to_string().bold())?;
        }
        self.body(outcome, &[])?;
        for caused in &outcome.caused {
            if self.is_shown(caused, &outcome.trace.warnings) {
                self.caused(caused, &outcome.trace.warnings)?;
            }
        }
        Ok(())
    }

    /// Writes the outcome of a controller's request, below that of the object that caused it.
    fn caused(&mut self, outcome: &Outcome, said: &[String]) -> io::Result<()> {
        self.end_lines();
        let style = TextStyle { width: self.style.width - INDENT, ..self.style };
        let indent = self.indent + INDENT;
        let block = mem::take(&mut self.block);
        let mut section = Section { block, out: Vec::new(), indent, style, fixtures: self.fixtures };
        section.headline(outcome, "↳ ", &Subject::of(outcome).below_owner().normal())?;
        section.body(outcome, said)?;
        section.end_lines();
        self.block = section.block;
        Ok(())
    }

    /// Ends the lines so far; what follows them is another part of the block.
    fn end_lines(&mut self) {
        let lines = indented(&mem::take(&mut self.out), self.indent);
        if !lines.is_empty() {
            self.block.push_lines(&lines);
        }
    }

    /// Writes what there is to say of `outcome`, but for the warnings in `said`.
    fn body(&mut self, outcome: &Outcome, said: &[String]) -> io::Result<()> {
        let by_plugins: Vec<&String> = outcome.trace.steps.iter().flat_map(|step| &step.warnings).collect();
        let own = outcome.trace.warnings.iter().filter(|warning| !by_plugins.contains(warning));
        self.warnings(Summary::API_SERVER, own, outcome, said)?;
        for step in &outcome.trace.steps {
            self.step(step, outcome, said)?;
        }
        self.audited(outcome)?;
        if let (None, Some(refusal)) = (outcome.denied_by(), &outcome.refusal) {
            self.refusal(outcome, refusal, None)?;
        }
        self.unshown_changes(outcome)?;
        if self.style.verbosity == Verbosity::Verbose {
            self.idle(outcome)?;
        }
        Ok(())
    }

    /// Whether there is something to say of `outcome`, but for the warnings in `said`.
    fn is_shown(&self, outcome: &Outcome, said: &[String]) -> bool {
        let accepted = &outcome.accepted;
        let is_known = |warning| accepted.warnings.get(warning) == Some(&Acceptance::Known);
        let warns =
            || outcome.trace.warnings.iter().any(|warning| !is_said(warning, said) && !is_known(warning));
        let is_refused = || !outcome.allowed() && accepted.refusal != Some(Acceptance::Known);
        match self.style.verbosity {
            Verbosity::Quiet => {
                outcome.fails() || (self.style.warnings_fail && has_open_warnings(outcome, said))
            }
            Verbosity::Normal => {
                let audits = || outcome.trace.violations.iter().any(|violation| violation.warning.is_none());
                is_refused() || (outcome.allowed() && outcome.mutated()) || warns() || audits()
            }
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
        let denied = denied_below(outcome);
        let mark = if denied.is_some() { "✗".red() } else { mark };
        let is_known = outcome.accepted.refusal == Some(Acceptance::Known);
        let known = is_known.then(|| ": denied as in the baseline".to_owned());
        let remark = denied.or(known).unwrap_or_default();
        Headline { lead, mark, subject, remark: &remark, place: &place }
            .write(&mut self.out, self.style.width)
    }

    fn step(&mut self, step: &Step, outcome: &Outcome, said: &[String]) -> io::Result<()> {
        if let Some((before, after)) = &step.change
            && (self.shows_changes(outcome)
                || outcome.refusal.as_ref().is_some_and(|refusal| step.is_blamed(refusal)))
            && self.style.verbosity > Verbosity::Quiet
        {
            self.change(step, outcome, before, after)?;
        }
        self.warnings(step.plugin, step.warnings.iter(), outcome, said)?;
        if let Some(refusal) = &step.refusal {
            self.refusal(outcome, refusal, Some(step.plugin))?;
        }
        Ok(())
    }

    fn change(&mut self, step: &Step, outcome: &Outcome, before: &Object, after: &Object) -> io::Result<()> {
        let words = if step.reinvocation { "changed it once more" } else { "changed it" };
        let TextStyle { width, diff, all_diffs, verbosity, .. } = self.style;
        if !diff {
            return writeln!(self.out, "  {} {words}{}", step.plugin.cyan(), step.authors());
        }
        let is_brief = !all_diffs && verbosity < Verbosity::Verbose;
        if let Some(says) = is_brief.then(|| routine(step.plugin, before, after)).flatten() {
            let says = format!("{words}: {says}");
            return write_labelled(&mut self.out, "  ", &step.plugin.cyan(), &says, width);
        }
        let rows = change_rows(before, after, width);
        let changed = rows.iter().flat_map(|row| match row {
            Row::Inside(text) | Row::Added(text) => ["+", text],
            Row::Removed(text) => ["-", text],
        });
        let key = block::key([step.plugin].into_iter().chain(changed));
        let mut lines = Vec::new();
        writeln!(lines, "  {} {words}{}", step.plugin.cyan(), step.authors())?;
        write_rows(&mut lines, &rows)?;
        self.push(Again {
            key,
            about: About::Change,
            indent: 2,
            label: step.plugin.to_owned(),
            brief: words.to_owned(),
            subject: Subject::of(outcome).to_string(),
            names: Vec::new(),
            lines,
        });
        Ok(())
    }

    fn push(&mut self, again: Again) {
        self.end_lines();
        let (indent, lines) = (again.indent + self.indent, indented(&again.lines, self.indent));
        self.block.parts.push(Part::Again(Again { indent, lines, ..again }));
    }

    /// Whether the changes by plugins are shown: those of a refused object have no effect, and those of an object that a
    /// controller created are in no manifest.
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
        for warning in warnings.filter(|warning| !is_said(warning, said)) {
            match outcome.accepted.warnings.get(warning) {
                None => open.push(warning),
                Some(acceptance) if self.shows(acceptance) => accepted.push((warning, acceptance)),
                Some(_) => {}
            }
        }
        if let [warning] = open[..]
            && warning.chars().count() >= LONG_WARNING
        {
            self.long_warning(who, warning, outcome)?;
        } else if !open.is_empty() {
            writeln!(self.out, "  {} warned", who.yellow())?;
            for warning in open {
                write_labelled(&mut self.out, "  ", &"⚠".yellow(), warning, self.style.width)?;
                let explanation = self.explanation_of(warning, outcome)?;
                self.out.extend(explanation);
            }
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

    /// Writes a warning, which may be the same for other objects but for the names of containers.
    fn long_warning(&mut self, who: &str, warning: &str, outcome: &Outcome) -> io::Result<()> {
        let mut lines = Vec::new();
        writeln!(lines, "  {} warned", who.yellow())?;
        write_labelled(&mut lines, "  ", &"⚠".yellow(), warning, self.style.width)?;
        let explanation = self.explanation_of(warning, outcome)?;
        lines.extend(&explanation);
        let (nameless, names) = nameless(outcome, warning);
        self.push(Again {
            key: block::key([who, &nameless, &String::from_utf8_lossy(&explanation)].into_iter()),
            about: About::Warning,
            indent: 2,
            label: who.to_owned(),
            brief: "warned".to_owned(),
            subject: Subject::of(outcome).to_string(),
            names,
            lines,
        });
        Ok(())
    }

    /// Explains the broken rule that `warning` is about, if it is one.
    fn explanation_of(&self, warning: &str, outcome: &Outcome) -> io::Result<Vec<u8>> {
        let mut violations = outcome.trace.violations.iter().enumerate();
        let found = violations.find(|(_, violation)| violation.warning.as_deref() == Some(warning));
        found.map_or_else(|| Ok(Vec::new()), |(position, found)| self.explain(position, found, outcome))
    }

    /// Explains a broken rule: the lines of the manifest, the policy, and what its expression read.
    fn explain(
        &self,
        position: usize,
        violation: &PolicyViolation,
        outcome: &Outcome,
    ) -> io::Result<Vec<u8>> {
        let mut lines = Vec::new();
        let is_shown = position < MAX_EXPLAINED || self.style.verbosity == Verbosity::Verbose;
        if is_shown && self.style.verbosity > Verbosity::Quiet {
            let width = self.style.width;
            let evidence = grouped(&violation.evidence, self.fixtures).into_iter();
            let help: Vec<String> =
                evidence.map(|(evidence, place)| located(&evidence, place.as_ref())).collect();
            frame::write_violation(&mut lines, outcome, violation, &help.join("\n"), width)?;
            if let Some(explanation) = &violation.rule.explanation {
                explained::write_explanation(&mut lines, explanation, width)?;
            }
        }
        Ok(lines)
    }

    /// Writes the broken rules that only mark the audit event.
    fn audited(&mut self, outcome: &Outcome) -> io::Result<()> {
        if self.style.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        let is_audited = |violation: &&PolicyViolation| violation.warning.is_none();
        let audited = outcome.trace.violations.iter().filter(is_audited);
        for (position, violation) in audited.enumerate() {
            let PolicyViolation { plugin, message, rule, .. } = violation;
            if position == 0 {
                writeln!(self.out, "  {} marks the audit event", plugin.cyan())?;
            }
            let says = format!("'{}' with binding '{}': {message}", rule.policy, rule.binding);
            write_labelled(&mut self.out, "  ", &"·".cyan(), &says, self.style.width)?;
            let explanation = self.explain(position, violation, outcome)?;
            self.out.extend(explanation);
        }
        Ok(())
    }

    /// Whether something is said of what the user accepts.
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
        let mut lines = Vec::new();
        let brief = format!("denied it ({}{reason})", status.code);
        match &outcome.accepted.refusal {
            None => writeln!(lines, "  {} {brief}", who.red().bold())?,
            Some(acceptance) if self.shows(acceptance) => {
                let says = format!("denied it ({}{reason}), {acceptance}", status.code);
                write_labelled(&mut self.out, "  ", &who.yellow(), &says, self.style.width)?;
                if self.style.verbosity < Verbosity::Verbose {
                    return Ok(());
                }
            }
            Some(_) => return Ok(()),
        }
        let help = self.help(outcome, refusal);
        frame::write_refusal(&mut lines, outcome, refusal, plugin, help.as_deref(), self.style.width)?;
        if let Some(explanation) = refusal.rule.as_ref().and_then(|rule| rule.explanation.as_ref()) {
            explained::write_explanation(&mut lines, explanation, self.style.width)?;
        }
        let is_long = lines.split(|byte| *byte == b'\n').count() > MAX_REPEATED + 1;
        if !is_long || outcome.accepted.refusal.is_some() {
            self.out.extend(lines);
            return Ok(());
        }
        let (message, names) = nameless(outcome, &status.message);
        let message = message.replace(&format!("\"{}\"", outcome.name), "\"\u{0}\"");
        self.push(Again {
            key: block::key([who, &brief, &message, help.as_deref().unwrap_or_default()].into_iter()),
            about: About::Refusal,
            indent: 2,
            label: who.to_owned(),
            brief,
            subject: match &outcome.cause {
                Some(cause) => format!("{} {}", cause.owner_kind.kind, cause.owner_name),
                None => Subject::of(outcome).to_string(),
            },
            names,
            lines,
        });
        Ok(())
    }

    /// Names who changed an object whose changes are not shown.
    fn unshown_changes(&mut self, outcome: &Outcome) -> io::Result<()> {
        let mut plugins: Vec<&str> = Vec::new();
        for step in outcome.trace.steps.iter().filter(|step| step.change.is_some()) {
            if !plugins.contains(&step.plugin) {
                plugins.push(step.plugin);
            }
        }
        let is_quiet = self.style.verbosity == Verbosity::Quiet;
        if plugins.is_empty() || self.shows_changes(outcome) || is_quiet || !outcome.allowed() {
            return Ok(());
        }
        write_labelled(&mut self.out, "  ", &"changed by".dimmed(), &plugins.join(", "), self.style.width)
    }

    /// Returns what in the cluster demands it and what to do about it, one line each.
    fn help(&self, outcome: &Outcome, refusal: &Refusal) -> Option<String> {
        let evidence = grouped(&refusal.evidence, self.fixtures).into_iter();
        let evidence = evidence.map(|(evidence, place)| located(&evidence, place.as_ref()));
        let lines: Vec<String> = evidence.chain(advice(outcome, refusal, self.fixtures)).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn idle(&mut self, outcome: &Outcome) -> io::Result<()> {
        write_effects(&mut self.out, &outcome.trace, self.style.width)?;
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

/// Returns `text` without the names of the containers of `outcome`, and those of them that it has.
fn nameless(outcome: &Outcome, text: &str) -> (String, Vec<String>) {
    let mut names = containers(outcome);
    let nameless = names.iter().enumerate().fold(text.to_owned(), |text, (position, name)| {
        text.replace(&format!("\"{name}\""), &format!("\"\u{0}{position}\""))
    });
    names.retain(|name| text.contains(&format!("\"{name}\"")));
    (nameless, names)
}

/// The names of the containers of the Pod in `outcome`, or of the Pods that its object is a template for.
fn containers(outcome: &Outcome) -> Vec<String> {
    const PODS: [&[&str]; 3] =
        [&["spec"], &["spec", "template", "spec"], &["spec", "jobTemplate", "spec", "template", "spec"]];
    let Some(object) = outcome.received.as_deref() else { return Vec::new() };
    // Which of these an object of its kind has is not asked.
    let pods =
        PODS.iter().filter_map(|way| way.iter().try_fold(&object.value, |value, field| value.look_up(field)));
    let lists = pods.flat_map(|pod| ["initContainers", "containers"].map(|list| pod.look_up(list)));
    let containers = lists.flatten().filter_map(Value::as_array).flatten();
    containers.filter_map(|container| Some(container.look_up("name")?.as_str()?.to_owned())).collect()
}

/// Whether `outcome` warns of something that the user does not accept, but for what is in `said`.
fn has_open_warnings(outcome: &Outcome, said: &[String]) -> bool {
    let is_open =
        |warning: &&String| !is_said(warning, said) && !outcome.accepted.warnings.contains_key(*warning);
    outcome.trace.warnings.iter().any(|warning| is_open(&warning))
}

/// Whether the outcomes of requests that controllers repeat decide the headline of `outcome`.
fn is_pending(outcome: &Outcome) -> bool {
    outcome.is_pending && outcome.allowed()
}

fn relation(outcome: &Outcome) -> Relation {
    let object = |kind: &GroupVersionKind, namespace: &str, name: &str| {
        format!("{} {} {namespace}/{name}", kind.group, kind.kind)
    };
    if let Some(cause) = &outcome.cause {
        let (denied, all) = denied_of(outcome);
        return Relation::Later {
            object: object(&cause.owner_kind, &cause.owner_namespace, &cause.owner_name),
            denied: (denied > 0).then(|| (outcome.kind.kind.to_string(), denied, all)),
        };
    }
    if !is_pending(outcome) {
        return Relation::Whole;
    }
    Relation::Pending {
        object: object(&outcome.kind, &outcome.namespace, &outcome.name),
        subject: Subject::of(outcome).to_string(),
        place: outcome.place.as_ref().map(place_text).unwrap_or_default(),
    }
}

/// Returns the evidence with the place where it is written, if that is known.
fn located(evidence: &Evidence, place: Option<&(String, usize)>) -> String {
    let place = place.map(|(file, line)| format!(" ({file}:{line})")).unwrap_or_default();
    format!("{evidence}{place}")
}

/// Returns `lines`, each `columns` to the right.
fn indented(lines: &[u8], columns: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(lines.len());
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        if line != b"\n" {
            text.resize(text.len() + columns, b' ');
        }
        text.extend_from_slice(line);
    }
    text
}
