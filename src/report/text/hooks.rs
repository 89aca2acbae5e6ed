//! What policies and webhooks did in a run.

use std::io::{self, Write};

use colored::Colorize;

use crate::admission::{Effect, Hook, Trace};
use crate::report::Summary;
use crate::report::text::{TextStyle, Verbosity, write_labelled};

/// Writes a line for each policy and webhook, and what is wrong with it; in quiet output only for those with which
/// something is wrong, whatever the requests are.
pub(super) fn write(out: &mut impl Write, summary: &Summary, style: TextStyle) -> io::Result<()> {
    let is_quiet = style.verbosity == Verbosity::Quiet;
    let mut shown = summary.hooks.iter().filter(|(_, own)| !is_quiet || own.is_faulty()).peekable();
    if shown.peek().is_none() {
        return Ok(());
    }
    for (hook, own) in shown {
        let label = if hook.webhook.is_empty() { "policy:" } else { "webhook:" };
        let label = match (own.is_suspicious(), own.is_faulty()) {
            (true, true) => label.yellow(),
            (true, false) => format!("⚠ {label}").yellow(),
            (false, _) => label.cyan(),
        };
        let is_binding = hook.kind.ends_with("Binding");
        let says = if is_binding { String::from("binding") } else { own.says(hook) };
        let named_alike = |other: &Hook| (&other.name, &other.webhook) == (&hook.name, &hook.webhook);
        let kind = if summary.hooks.keys().filter(|other| named_alike(other)).count() > 1 {
            format!(" ({})", hook.kind)
        } else {
            String::new()
        };
        write_labelled(out, "", &label, &format!("{hook}{kind}: {says}"), style.width)?;
        let failure = (!own.failure.is_empty()).then(|| format!("failed: {}", own.failure));
        for remark in failure.iter().chain(&own.remarks) {
            write_labelled(out, "  ", &"⚠".yellow(), remark, style.width)?;
        }
    }
    writeln!(out)
}

/// Writes what became of one request at each policy and webhook.
pub(super) fn write_effects(out: &mut impl Write, trace: &Trace, width: usize) -> io::Result<()> {
    for applied in trace.effects() {
        let says = match &applied.effect {
            Effect::NotMatched(mismatch) => format!("not matched ({mismatch})"),
            Effect::Skipped => "not called".to_owned(),
            Effect::Evaluated => "evaluated, changed nothing and refused nothing".to_owned(),
            Effect::Changed => "changed it".to_owned(),
            Effect::FailedOpen(error) => format!("failed open: {error}"),
            Effect::Reported => "reported it".to_owned(),
            Effect::Denied => "denied it".to_owned(),
        };
        let label = if applied.hook.webhook.is_empty() { "policy" } else { "webhook" };
        write_labelled(out, "  ", &label.dimmed(), &format!("{}: {says}", applied.hook), width)?;
    }
    Ok(())
}
