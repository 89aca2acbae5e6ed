//! Live objects, every line with its origin.

use std::io::{self, Write};

use colored::Colorize;

use crate::report::drift::Drift;
use crate::report::printable::printable;

/// Writes the objects that exist as YAML, every line with its origin, and one line for every other.
pub fn write_blame(out: &mut impl Write, drift: &Drift) -> io::Result<()> {
    for (position, object) in drift.objects.iter().enumerate() {
        if position > 0 {
            writeln!(out)?;
        }
        let subject = object.identity.to_string();
        writeln!(out, "{} ({})", printable(&subject).bold(), object.state.as_str())?;
        let width = object.blame.iter().map(|line| line.origin.chars().count()).max().unwrap_or_default();
        for line in &object.blame {
            let padding = " ".repeat(width - line.origin.chars().count());
            let origin = printable(&line.origin);
            writeln!(out, "{origin}{padding} {} {}", "│".dimmed(), printable(&line.text))?;
        }
    }
    out.flush()
}
