//! `-o text`: for people.
//!
//! Refusals come last, so that the end of the text lists what to fix. A change that an earlier object has as well is
//! named and not repeated.

mod block;
mod denied;
#[cfg(any(all(test, feature = "report"), feature = "miette"))]
mod error;
mod explained;
mod frame;
mod headline;
mod hooks;
mod quotas;
mod section;
mod snippet;

pub(super) use crate::report::printable::counted;
#[cfg(any(all(test, feature = "report"), feature = "miette"))]
pub use error::{Frames, ReportedError};
pub use explained::write_explanation;
pub use frame::write_diagnostic;
pub(super) use frame::{Excerpt, write_excerpt};
pub use headline::UNLIMITED;
pub(crate) use headline::write_labelled;
pub(super) use headline::{Headline, write_change};
pub(super) use quotas::{quota_text, write_quota};

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::mem;
use std::sync::Arc;
use std::time::Instant;

use colored::Colorize;

use crate::evaluation::Outcome;
use crate::evaluation::assumed::ASSUMED_NAMESPACE;
use crate::report::fold::fold;
use crate::report::{Fixtures, Report, Summary};

use block::{About, Again, Block, Part, Relation, TextHash};
use denied::Denied;
pub(super) use denied::denied_of;
use section::Section;

/// The amount of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Only what fails.
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
    /// Whether this includes changes that are routine or were shown before.
    pub all_diffs: bool,
    /// Whether a warning is a failure.
    pub warnings_fail: bool,
    /// Columns of the terminal; without one, more than any line has.
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
    /// The texts so far that may recur, each with the object that it is about and with the names in it.
    shown: HashMap<TextHash, (String, Vec<String>)>,
    /// The blocks of refused objects.
    refused: Vec<u8>,
    /// The objects whose headlines are not known yet.
    pending: Vec<Pending>,
    /// The last one of them for each object.
    latest: HashMap<String, usize>,
}

/// An object for which controllers repeat requests.
struct Pending {
    subject: String,
    place: String,
    block: Block,
    denied: Denied,
    /// The outcomes of the repeated requests.
    later: Vec<Block>,
}

impl Pending {
    /// Returns the block with its headline, and those of the repeated requests.
    fn into_blocks(self, style: TextStyle) -> impl Iterator<Item = Block> {
        let Self { subject, place, mut block, denied, later, .. } = self;
        let remark = denied.remark().unwrap_or_default();
        let mark = if remark.is_empty() && !block.is_refused { "✓".green() } else { "✗".red() };
        let mut headline = Vec::new();
        let written = Headline { lead: "", mark, subject: &subject.bold(), remark: &remark, place: &place }
            .write(&mut headline, style.width);
        debug_assert!(written.is_ok(), "writing to memory does not fail");
        block.parts.insert(0, Part::Lines(headline));
        std::iter::once(block).chain(later)
    }
}

/// What a note says of an object that is in several documents.
const REPEATED: &str = " already: ";

/// The number of such notes that are written.
const MAX_REPETITIONS: usize = 3;

/// The largest number of remembered texts.
const MAX_REMEMBERED: usize = 1 << 16;

/// Columns that are left for the time that a run took.
const TIME_WIDTH: usize = 12;

impl<W: Write> Text<W> {
    /// Returns a report to `out`; `fixtures` has the places of the objects of the cluster.
    pub fn new(out: W, style: TextStyle, fixtures: Arc<Fixtures>) -> Self {
        let started = cfg!(not(target_family = "wasm")).then(Instant::now);
        let (shown, refused) = (HashMap::new(), Vec::new());
        let (pending, latest) = (Vec::new(), HashMap::new());
        Self { out, style, fixtures, started, spaced: None, shown, refused, pending, latest }
    }

    /// Returns the same report without the time that the run took.
    pub(crate) fn timeless(self) -> Self {
        Self { started: None, ..self }
    }

    fn write_block(&mut self, block: &Block) -> io::Result<()> {
        // Objects with nothing but a headline follow each other without an empty line.
        if self.spaced.is_some_and(|spaced| spaced || block.has_body) {
            writeln!(self.out)?;
        }
        self.spaced = Some(block.has_body);
        for part in &block.parts {
            match part {
                Part::Lines(lines) => self.out.write_all(lines)?,
                Part::Again(again) => self.write_again(again)?,
            }
        }
        Ok(())
    }

    /// Writes what may have been said before; then the object is named that it was said of.
    fn write_again(&mut self, again: &Again) -> io::Result<()> {
        let Again { key, about, indent, label, brief, subject, names, lines } = again;
        let Some((first, first_names)) = self.shown.get(key).filter(|_| !self.style.all_diffs) else {
            if self.shown.len() < MAX_REMEMBERED {
                self.shown.insert(*key, (subject.clone(), names.clone()));
            }
            return self.out.write_all(lines);
        };
        let others = names.iter().zip(first_names).filter(|(name, first)| name != first);
        let others: Vec<String> = others.map(|(name, first)| format!(", {name} for {first}")).collect();
        let says = format!("{brief} as for {first} above{}", others.concat());
        let label = match about {
            About::Change => label.cyan(),
            About::Warning => label.yellow(),
            About::Refusal => label.red().bold(),
        };
        write_labelled(&mut self.out, &" ".repeat(*indent), &label, &says, self.style.width)
    }

    fn notes(&mut self, summary: &Summary) -> io::Result<()> {
        if summary.notes.is_empty() {
            return Ok(());
        }
        if self.spaced.is_some() {
            writeln!(self.out)?;
        }
        self.spaced = Some(true);
        let is_repetition = |note: &String| note.contains(REPEATED);
        let shown = if self.style.verbosity == Verbosity::Verbose { usize::MAX } else { MAX_REPETITIONS };
        let (repetitions, mut others): (Vec<String>, Vec<String>) =
            summary.counted_notes().partition(is_repetition);
        if self.style.verbosity == Verbosity::Quiet {
            count_assumed(&mut others);
        }
        let more = repetitions.len().saturating_sub(shown);
        let rest = (more > 0)
            .then(|| format!("{more} more documents are updates of objects in others (-v names them)"));
        for note in others.into_iter().chain(repetitions.into_iter().take(shown)).chain(rest) {
            write_labelled(&mut self.out, "", &"note:".cyan(), &note, self.style.width)?;
        }
        Ok(())
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

/// Replaces the notes about assumed namespaces by one, if there are several.
fn count_assumed(notes: &mut Vec<String>) {
    let is_assumed = |note: &String| note.starts_with(ASSUMED_NAMESPACE);
    let count = notes.iter().filter(|note| is_assumed(note)).count();
    if count > 1 {
        notes.retain(|note| !is_assumed(note));
        notes.insert(0, format!("assumed {count} namespaces (not among the cluster objects)"));
    }
}

impl<W: Write + Send + Sync> Report for Text<W> {
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut rendered = Vec::new();
        for outcome in outcomes {
            if let Some(block) = Section::block(self.style, &self.fixtures, outcome) {
                block.put(&mut rendered);
            }
        }
        Ok(rendered)
    }

    fn write(&mut self, mut rendered: &[u8]) -> io::Result<()> {
        while let Some(mut block) = Block::take(&mut rendered) {
            match mem::take(&mut block.relation) {
                Relation::Pending { object, subject, place } => {
                    self.latest.insert(object, self.pending.len());
                    let (denied, later) = (Denied::default(), Vec::new());
                    self.pending.push(Pending { subject, place, block, denied, later });
                    continue;
                }
                Relation::Later { object, denied } => {
                    if let Some(pending) = self.latest.get(&object).and_then(|at| self.pending.get_mut(*at)) {
                        if let Some((kind, denied, all)) = denied {
                            pending.denied.add(&kind, denied, all);
                        }
                        pending.later.push(block);
                        continue;
                    }
                }
                Relation::Whole => {}
            }
            if block.is_refused {
                block.put(&mut self.refused);
            } else {
                self.write_block(&block)?;
            }
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        if summary.requests == 0 {
            return self.out.flush();
        }
        let style = self.style;
        let is_admitted = |pending: &Pending| {
            !pending.block.is_refused && !pending.later.iter().any(|block| block.is_refused)
        };
        let (admitted, denied): (Vec<_>, Vec<_>) =
            mem::take(&mut self.pending).into_iter().partition(is_admitted);
        for block in admitted.into_iter().flat_map(|pending| pending.into_blocks(style)) {
            self.write_block(&block)?;
        }
        self.notes(summary)?;
        let refused = mem::take(&mut self.refused);
        let mut rest = &refused[..];
        while let Some(block) = Block::take(&mut rest) {
            self.write_block(&block)?;
        }
        for block in denied.into_iter().flat_map(|pending| pending.into_blocks(style)) {
            self.write_block(&block)?;
        }
        if self.spaced.is_some() {
            writeln!(self.out)?;
        }
        quotas::write(&mut self.out, summary, self.style)?;
        hooks::write(&mut self.out, summary, self.style)?;
        let mutations: usize = summary.mutations_by_plugin.values().sum();
        let mut parts = vec![format!(
            "{}{}: {} admitted, {}",
            counted(summary.requests, "object"),
            if summary.caused > 0 { format!(", {} by controllers", summary.caused) } else { String::new() },
            summary.admitted,
            summary.denials()
        )];
        if mutations > 0 {
            let plugins = counted(summary.mutations_by_plugin.len(), "plugin");
            parts.push(format!("{} by {plugins}", counted(mutations, "mutation")));
        }
        if summary.warnings > 0 {
            parts.push(summary.counted_warnings());
        }
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
