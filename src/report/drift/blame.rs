//! Live objects, every line with its origin.

use std::io::{self, Write};

use crate::report::blame::write_lines;
use crate::report::drift::Drift;
use crate::report::drift::text::write_headline;

/// Writes the objects that exist as YAML, every line with its origin, and one line for every other.
pub fn write_blame(out: &mut impl Write, drift: &Drift, width: usize) -> io::Result<()> {
    for (position, object) in drift.objects.iter().enumerate() {
        if position > 0 {
            writeln!(out)?;
        }
        write_headline(out, object, width)?;
        write_lines(out, &object.blame, width)?;
    }
    out.flush()
}
