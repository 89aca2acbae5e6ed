//! Explanation of a policy's refusal: the deciding part of the expression, and the values that it read.

use std::io::{self, Write};

use colored::Colorize;

use crate::admission::Explanation;
use crate::report::fold::fold;
use crate::report::printable::printable;

const INDENT: &str = "    ";

/// Shows the expression with the deciding part underlined if it is not the whole, and below it the values that it read.
/// If the expression does not fit into a line, only that part is shown.
pub fn write_explanation(out: &mut impl Write, explanation: &Explanation, width: usize) -> io::Result<()> {
    let Explanation { expression, part, values } = explanation;
    let width = width.saturating_sub(INDENT.len());
    if explanation.is_bare() {
        return Ok(());
    }
    let is_line = !expression.contains('\n') && expression.chars().count() <= width;
    if is_line {
        let before = expression[..part.start].chars().count();
        let length = expression[part.clone()].chars().count();
        writeln!(out, "{INDENT}{}", printable(expression))?;
        if length < expression.chars().count() {
            writeln!(out, "{INDENT}{}{}", " ".repeat(before), "─".repeat(length).red())?;
        }
    } else {
        for line in expression[part.clone()].lines().flat_map(|line| fold(line.trim_end(), width)) {
            writeln!(out, "{INDENT}{}", printable(&line).red())?;
        }
    }
    for (name, says) in values {
        for line in fold(&format!("{name} {says}"), width) {
            writeln!(out, "{INDENT}{}", printable(&line).dimmed())?;
        }
    }
    Ok(())
}
