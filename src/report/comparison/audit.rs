//! The effect of a change of the server, for people: what happens alike to many objects is said once.

use std::io::{self, Write};

use colored::{ColoredString, Colorize};

use crate::report::comparison::difference::Event;
use crate::report::comparison::grouped::{Alike, alike};
use crate::report::comparison::tally::{self, Example, Group, Tally};
use crate::report::comparison::text::{
    place, write_acceptance, write_denied_by_both, write_hidden, write_notes, write_quotas, write_sizes,
};
use crate::report::comparison::{Compared, Side};
use crate::report::fold::fold;
use crate::report::text::{Headline, counted, write_labelled};

/// The number of different effects of a group that are said.
const MAX_ALIKE: usize = 10;
/// The same where someone has to act on each.
const MAX_PROBLEMS: usize = 30;

/// The number of notes that are said.
const MAX_NOTES: usize = 3;

/// Writes the effect of a change of the server: events by plugin, the worst first, with at most `examples` of each
/// effect; of those that only matter to the curious, one. With [`usize::MAX`] all are written.
pub fn write_audit(
    out: &mut impl Write,
    compared: &Compared,
    examples: usize,
    width: usize,
) -> io::Result<()> {
    if compared.is_empty() {
        return Ok(());
    }
    write_plugins(out, "switched on:", &compared.after, &compared.before, width)?;
    write_plugins(out, "switched off:", &compared.before, &compared.after, width)?;
    let tally = Tally::of(&compared.differences);
    let audit = Audit { examples, width };
    for (group, namespaces) in &tally.groups {
        audit.write_group(out, group, tally::count(namespaces), &alike(namespaces, audit.is_whole()))?;
    }
    write_notes(out, compared, if audit.is_whole() { usize::MAX } else { MAX_NOTES }, width)?;
    write_quotas(out, compared, width)?;
    write_denied_by_both(out, compared, audit.is_whole(), width)?;
    write_sizes(out, compared)?;
    if !write_hidden(out, compared)? {
        writeln!(out, "{}", fold(&tally::in_words(&tally.by_event()), width).join("\n"))?;
    }
    out.flush()
}

struct Audit {
    examples: usize,
    width: usize,
}

impl Audit {
    fn is_whole(&self) -> bool {
        self.examples == usize::MAX
    }

    fn write_group(
        &self,
        out: &mut impl Write,
        group: &Group,
        count: usize,
        alike: &[Alike<'_>],
    ) -> io::Result<()> {
        let accepted = if group.is_accepted { ", accepted" } else { "" };
        let title = format!("{} by {}{accepted}: {count}", group.event.as_str(), group.rule);
        let title = if group.is_accepted { title.normal() } else { colored(group.event, &title) }.bold();
        let most = match group.event {
            _ if self.is_whole() => usize::MAX,
            event if needs_attention(event) => MAX_PROBLEMS,
            _ => MAX_ALIKE,
        };
        match alike {
            // A single effect without words of its own needs no line of its own.
            [only] if only.what.is_none() && !self.is_whole() => {
                let such = self.such(only);
                writeln!(out, "{title}")?;
                write_labelled(out, " ", &"".normal(), such.trim_start_matches(", "), self.width)?;
            }
            _ => {
                writeln!(out, "{title}")?;
                alike.iter().take(most).try_for_each(|alike| self.write_alike(out, group.event, alike))?;
            }
        }
        if alike.len() > most {
            let rest: usize = alike[most..].iter().map(|alike| alike.examples.len()).sum();
            let rest = format!(
                "… and {} of {} (--all)",
                counted(alike.len() - most, "other"),
                counted(rest, "object")
            );
            writeln!(out, "  {}", rest.dimmed())?;
        }
        writeln!(out)
    }

    fn write_alike(&self, out: &mut impl Write, event: Event, alike: &Alike<'_>) -> io::Result<()> {
        let count = match alike.examples.len() {
            1 => String::new(),
            count => format!("{count}×"),
        };
        let what = alike.what.as_deref().unwrap_or_default();
        if !needs_attention(event) && !self.is_whole() {
            return write_labelled(
                out,
                " ",
                &count.bold(),
                &format!("{what}{}", self.such(alike)),
                self.width,
            );
        }
        if !what.is_empty() {
            write_labelled(out, " ", &count.bold(), what, self.width)?;
        }
        let examples = &alike.examples;
        examples.iter().take(self.examples).try_for_each(|example| self.write_example(out, example))?;
        if self.examples > 0 && examples.len() > self.examples {
            writeln!(out, "    {}", format!("… and {} more", examples.len() - self.examples).dimmed())?;
        }
        Ok(())
    }

    /// Returns `, such as Pod shop/web (web.yaml:1)`; nothing if no examples are wanted.
    fn such(&self, alike: &Alike<'_>) -> String {
        let Some(example) = alike.examples.first().filter(|_| self.examples > 0) else {
            return String::new();
        };
        let words = if alike.examples.len() > 1 { "such as " } else { "" };
        let place = match place(example.difference) {
            place if place.is_empty() => place,
            place => format!(" ({place})"),
        };
        format!(", {words}{}{place}", example.difference.subject)
    }

    fn write_example(&self, out: &mut impl Write, example: &Example<'_>) -> io::Result<()> {
        let difference = example.difference;
        let (mark, subject) = ("-".dimmed(), difference.subject.normal());
        Headline { lead: "    ", mark, subject: &subject, remark: "", place: &place(difference) }
            .write(out, self.width)?;
        write_acceptance(out, "      ", example.accepted, self.width)
    }
}

/// Whether someone has to act on it.
fn needs_attention(event: Event) -> bool {
    matches!(event, Event::NewlyDenied | Event::DeniedOtherwise | Event::NewlyWarned)
}

/// Returns `text` in the colour of `event`.
pub(crate) fn colored(event: Event, text: &str) -> ColoredString {
    match event {
        Event::NewlyDenied | Event::DeniedOtherwise => text.red(),
        Event::NewlyWarned => text.yellow(),
        Event::NewlyMutated | Event::MutatedOtherwise | Event::NewlyDefaulted | Event::NewlyRead => {
            text.cyan()
        }
        Event::NoLongerDenied | Event::NoLongerWarned | Event::NoLongerMutated => text.green(),
    }
}

/// Writes the plugins of one side that the other does not have.
fn write_plugins(
    out: &mut impl Write,
    label: &str,
    these: &Side,
    others: &Side,
    width: usize,
) -> io::Result<()> {
    let plugins: Vec<&str> =
        these.plugins.iter().copied().filter(|plugin| !others.plugins.contains(plugin)).collect();
    if plugins.is_empty() {
        return Ok(());
    }
    write_labelled(out, "", &label.dimmed(), &plugins.join(", "), width)?;
    writeln!(out)
}
