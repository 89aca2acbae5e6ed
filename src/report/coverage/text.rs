//! The coverage for people: what did not occur.

use std::io::{self, Write};

use colored::Colorize;

use super::{CoverageReport, CoverageTally};
use crate::report::{fold, printable};

impl CoverageReport {
    /// Writes a line for each policy, and below it what did not occur.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn write_text(&self, out: &mut dyn Write, width: usize) -> io::Result<()> {
        let tally = self.tally();
        writeln!(out, "{} {}", "coverage of policies:".bold(), shown(tally))?;
        for policy in &self.policies {
            let own = policy.tally();
            let mark = if own.covered == own.total { "✓".green() } else { "✗".yellow() };
            let place =
                policy.place.as_ref().map_or_else(String::new, |(file, line)| format!("  {file}:{line}"));
            writeln!(
                out,
                "{mark} {}{}  {}",
                printable(&policy.hook.name),
                printable(&place).dimmed(),
                shown(own)
            )?;
            for gap in policy.gaps() {
                let line = if gap.line == 0 { String::new() } else { format!("{}: ", gap.line) };
                let field = gap.field.strip_prefix("spec.").unwrap_or(&gap.field);
                let space = if field.is_empty() { "" } else { " " };
                writeln!(out, "  {line}{}{space}{}", printable(field), gap.says.yellow())?;
                for text in gap.part.lines().flat_map(|line| fold(line.trim_end(), width.saturating_sub(4))) {
                    writeln!(out, "    {}", printable(&text).dimmed())?;
                }
            }
        }
        Ok(())
    }
}

fn shown(tally: CoverageTally) -> String {
    format!("{:.1} % ({} of {})", tally.percent(), tally.covered, tally.total)
}
