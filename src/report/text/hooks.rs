//! What policies and webhooks did in a run.

use std::io::{self, Write};

use colored::Colorize;

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
