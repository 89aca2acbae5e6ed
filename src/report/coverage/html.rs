//! The coverage as a page: every expression with its conditions coloured.

use std::io::{self, Write};

use super::{CoverageReport, CoveredExpression, says};
use crate::policy::coverage::Branch;
use crate::report::escape;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em}\
pre{background:#f6f8fa;padding:.6em;overflow:auto;border-radius:4px;margin:.3em 0 1em}\
h2{margin:1.5em 0 .2em;font-size:1.1em}.q{color:#666}\
span{border-radius:3px}.both{background:#cdeccd}.one{background:#ffe8a8}.never{background:#ffcfcb}";

impl CoverageReport {
    /// Writes a page without scripts.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn write_html(&self, out: &mut dyn Write) -> io::Result<()> {
        let tally = self.tally();
        write!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <title>Coverage of policies</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <h1>Coverage of policies: {:.1}&nbsp;%</h1>\n\
             <p class=\"q\">{} of {}. <span class=\"both\">true and false</span> \
             <span class=\"one\">only one of them</span> <span class=\"never\">neither</span></p>\n",
            tally.percent(),
            tally.covered,
            tally.total
        )?;
        for policy in &self.policies {
            let own = policy.tally();
            let place =
                policy.place.as_ref().map_or_else(String::new, |(file, line)| format!(" {file}:{line}"));
            writeln!(
                out,
                "<h2>{} <span class=\"q\">{}{}, {:.1}&nbsp;%, matched {}</span></h2>",
                escape(&policy.hook.name),
                escape(&policy.hook.kind),
                escape(&place),
                own.percent(),
                policy.matched
            )?;
            for (name, matched) in &policy.bindings {
                let tone = if *matched > 0 { "both" } else { "never" };
                writeln!(
                    out,
                    "<div><span class=\"{tone}\">binding {}</span> matched {matched}</div>",
                    escape(name)
                )?;
            }
            for expression in &policy.expressions {
                writeln!(
                    out,
                    "<div>{} <span class=\"q\">line {}, {}</span></div>\n<pre>{}</pre>",
                    escape(&expression.field),
                    expression.line,
                    counts(expression),
                    coloured(expression)
                )?;
            }
        }
        writeln!(out, "</body>\n</html>")
    }
}

/// Returns how often the expression was evaluated, and with which results if they are to be true and false.
fn counts(expression: &CoveredExpression) -> String {
    let CoveredExpression { evaluated, errors, whole, .. } = expression;
    let results = format!(", true {}, false {}", whole.truths, whole.falsehoods);
    let results = if expression.is_condition { results } else { String::new() };
    let failed = if *errors > 0 { format!(", failed {errors}") } else { String::new() };
    format!("evaluated {evaluated}{results}{failed}")
}

/// Returns the text with an element around each condition.
fn coloured(expression: &CoveredExpression) -> String {
    let mut branches: Vec<&Branch> = expression.branches.iter().collect();
    if expression.is_condition || expression.evaluated == 0 || branches.is_empty() {
        branches.push(&expression.whole);
    }
    branches.sort_by_key(|branch| (branch.part.start, usize::MAX - branch.part.end));
    let (mut text, mut position, mut open) = (String::new(), 0, Vec::new());
    let close = |text: &mut String, position: &mut usize, open: &mut Vec<usize>, until: usize| {
        while let Some(end) = open.last().copied().filter(|end| *end <= until) {
            text.push_str(&escape(&expression.text[*position..end.max(*position)]));
            text.push_str("</span>");
            *position = end.max(*position);
            open.pop();
        }
    };
    for branch in branches {
        close(&mut text, &mut position, &mut open, branch.part.start);
        text.push_str(&escape(&expression.text[position..branch.part.start.max(position)]));
        position = branch.part.start.max(position);
        let is_whole = branch.part == expression.whole.part;
        let tone = match says(branch) {
            _ if is_whole && !expression.is_condition && expression.evaluated > 0 => "both",
            None => "both",
            Some("never evaluated") => "never",
            Some(_) => "one",
        };
        let title = if is_whole {
            counts(expression)
        } else {
            format!("true {}, false {}", branch.truths, branch.falsehoods)
        };
        text.extend(["<span class=\"", tone, "\" title=\"", &title, "\">"]);
        open.push(branch.part.end);
    }
    close(&mut text, &mut position, &mut open, expression.text.len());
    text.push_str(&escape(&expression.text[position..]));
    text
}
