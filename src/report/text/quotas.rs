//! The usage of quotas after a run.

use std::io::{self, Write};

use colored::Colorize;

use crate::evaluation::{Amounts, QuotaUse};
use crate::report::Summary;
use crate::report::text::{TextStyle, Verbosity, write_labelled};

/// Writes the usage of the quotas that refused something, or of all in verbose output.
pub(super) fn write(out: &mut impl Write, summary: &Summary, style: TextStyle) -> io::Result<()> {
    let has_refused =
        |quota: &QuotaUse| summary.refusing_quotas.contains(&(quota.namespace.clone(), quota.name.clone()));
    let is_shown = |quota: &&QuotaUse| match style.verbosity {
        Verbosity::Quiet => false,
        Verbosity::Normal => has_refused(quota),
        Verbosity::Verbose => true,
    };
    let mut shown = summary.quotas.iter().filter(is_shown).peekable();
    if shown.peek().is_none() {
        return Ok(());
    }
    for quota in shown {
        write_quota(out, quota, style.width)?;
        for user in quota.by.iter() {
            let used = user.used.iter().map(|(name, amount)| format!("{name} {amount}"));
            let text = format!(
                "{} {}/{}: {}",
                user.kind.kind,
                user.namespace,
                user.name,
                used.collect::<Vec<_>>().join(", ")
            );
            write_labelled(out, "  ", &"by".normal(), &text, style.width)?;
        }
    }
    writeln!(out)
}

/// Writes the usage of one quota.
pub(crate) fn write_quota(out: &mut impl Write, quota: &QuotaUse, width: usize) -> io::Result<()> {
    write_labelled(out, "", &"quota:".cyan(), &quota_text(quota), width)
}

/// Returns `shop/pods: pods 1 → 3 of 5`.
pub(in crate::report) fn quota_text(quota: &QuotaUse) -> String {
    let resources = quota.resources.iter().map(|(name, amounts)| format!("{name} {}", used(amounts)));
    let run = quota.run.as_ref().map_or_else(String::new, |run| format!(" ({run})"));
    let resources = resources.collect::<Vec<_>>().join(", ");
    format!("{}/{}{run}: {resources}", quota.namespace, quota.name)
}

/// Returns `1 → 3 of 5`, or `1 of 5` if nothing changed.
fn used(amounts: &Amounts) -> String {
    let Amounts { hard, before, after } = amounts;
    if before == after { format!("{after} of {hard}") } else { format!("{before} → {after} of {hard}") }
}
