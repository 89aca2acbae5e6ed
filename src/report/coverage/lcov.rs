//! The coverage in the format of LCOV, which editors and services read: a policy is a function, an expression a line,
//! and each result of a condition a branch.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{CoverageReport, CoveredPolicy};
use crate::policy::coverage::Branch;

/// A condition: its line, its results, and whether it was evaluated.
type Taken = (usize, [usize; 2]);

impl CoverageReport {
    /// Writes a record for each file.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn write_lcov(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut files: BTreeMap<&str, Vec<&CoveredPolicy>> = BTreeMap::new();
        for policy in &self.policies {
            if let Some((file, _)) = &policy.place {
                files.entry(file).or_default().push(policy);
            }
        }
        for (file, policies) in files {
            writeln!(out, "TN:\nSF:{file}")?;
            for policy in &policies {
                let line = policy.place.as_ref().map_or(0, |(_, line)| *line);
                writeln!(out, "FN:{line},{}", policy.hook.name)?;
            }
            for policy in &policies {
                writeln!(out, "FNDA:{},{}", policy.matched, policy.hook.name)?;
            }
            let called = policies.iter().filter(|policy| policy.matched > 0).count();
            writeln!(out, "FNF:{}\nFNH:{called}", policies.len())?;
            write_branches(out, &policies)?;
            write_lines(out, &policies)?;
            writeln!(out, "end_of_record")?;
        }
        Ok(())
    }
}

fn write_branches(out: &mut dyn Write, policies: &[&CoveredPolicy]) -> io::Result<()> {
    let taken = |line: usize, branch: &Branch| (line, [branch.truths, branch.falsehoods]);
    let expressions = policies.iter().flat_map(|policy| &policy.expressions);
    let branches: Vec<Taken> = expressions
        .flat_map(|own| {
            let whole = own.is_condition.then(|| taken(own.line, &own.whole));
            whole.into_iter().chain(own.branches.iter().map(|branch| taken(own.line_of(branch), branch)))
        })
        .collect();
    for (block, (line, results)) in branches.iter().enumerate() {
        let is_evaluated = results.iter().any(|count| *count > 0);
        for (number, count) in results.iter().enumerate() {
            let count = if is_evaluated { count.to_string() } else { "-".to_owned() };
            writeln!(out, "BRDA:{line},{block},{number},{count}")?;
        }
    }
    let hit = branches.iter().flat_map(|(_, results)| results).filter(|count| **count > 0).count();
    writeln!(out, "BRF:{}\nBRH:{hit}", branches.len() * 2)
}

fn write_lines(out: &mut dyn Write, policies: &[&CoveredPolicy]) -> io::Result<()> {
    let mut lines: BTreeMap<usize, usize> = BTreeMap::new();
    for own in policies.iter().flat_map(|policy| &policy.expressions) {
        let count = own.text.trim_end().lines().count().max(1);
        for line in own.line..own.line + count {
            *lines.entry(line).or_default() += own.evaluated;
        }
    }
    for (line, count) in &lines {
        writeln!(out, "DA:{line},{count}")?;
    }
    let hit = lines.values().filter(|count| **count > 0).count();
    writeln!(out, "LF:{}\nLH:{hit}", lines.len())
}
