//! What policies and webhooks did in a run.

use std::io::{self, Write};

use colored::Colorize;

use crate::admission::{Effect, Trace};
use crate::evaluation::Outcome;
use crate::report::Summary;
use crate::report::text::{TextStyle, Verbosity, write_labelled};

/// Writes a line for each policy and webhook, and what is wrong with it; in quiet output only for those that did
/// nothing or failed.
pub(super) fn write(out: &mut impl Write, summary: &Summary, style: TextStyle) -> io::Result<()> {
    let is_quiet = style.verbosity == Verbosity::Quiet;
    let mut shown = summary.hooks.iter().filter(|(_, own)| !is_quiet || own.is_suspicious()).peekable();
    if shown.peek().is_none() {
        return Ok(());
    }
    for (hook, own) in shown {
        let label = if hook.webhook.is_empty() { "policy:" } else { "webhook:" };
        let label = if own.is_suspicious() { label.yellow() } else { label.cyan() };
        let is_binding = hook.kind.ends_with("Binding");
        let says = if is_binding { String::from("binding") } else { own.says() };
        write_labelled(out, "", &label, &format!("{hook}: {says}"), style.width)?;
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

/// Returns the names of the webhooks that changed the object of `outcome`, in parentheses, if `plugin` calls them. The
/// server writes them into the audit event.
pub(super) fn webhooks_of(plugin: &str, outcome: &Outcome) -> String {
    if plugin != "MutatingAdmissionWebhook" {
        return String::new();
    }
    let annotations = outcome.trace.audit_annotations.iter();
    let calls = annotations.filter(|(key, _)| key.starts_with("mutation.webhook.admission.k8s.io/"));
    let mut names: Vec<String> = Vec::new();
    for (_, text) in calls {
        let Ok(call) = serde_json::from_str::<serde_json::Value>(text) else { continue };
        let name = call["webhook"].as_str().unwrap_or_default().to_owned();
        if call["mutated"] == true && !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
}
