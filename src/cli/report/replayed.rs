//! The findings of `kadmit replay` for the parts of a log.

use std::fs;
use std::io::{self, Read, stdin};

use clap::ValueEnum;

use crate::cli::color::Colors;
use crate::cli::output::{Format, Output, Outputs};
use crate::cli::replay;
use crate::cli::{Exit, console};
use crate::code::Code;
use crate::replay::Findings;
use crate::report::Diagnostic;

/// How the findings of a replay begin, and the records before them, without spaces.
const STARTS: [&str; 2] = [r#"{"judged":"#, r#"{"auditID":"#];

/// The share of requests that are to agree, in percent.
const ALL: f64 = 100.0;

/// Whether `files` have the findings of replays.
pub(super) fn are_replayed(files: &[String]) -> bool {
    files.first().is_some_and(|file| {
        let mut start = String::new();
        let read = fs::File::open(file).and_then(|file| file.take(64).read_to_string(&mut start));
        let start: String = start.split_whitespace().collect();
        read.is_ok() && STARTS.iter().any(|known| start.starts_with(known))
    })
}

/// Joins the findings in `files`, reports them, and returns the result.
pub(super) fn report(files: &[String], outputs: &[Output<Format>], colors: Colors) -> Exit {
    let outputs: Option<Vec<_>> = outputs.iter().map(of_replay).collect();
    let Some(outputs) = outputs else {
        let message = "findings of kadmit replay are written as text, json, jsonl, markdown, html, sarif, junit or github";
        return console::refuse(&[Diagnostic::input(Code::Output, message)], colors);
    };
    let parts: Result<Vec<Findings>, Diagnostic> = files.iter().map(|file| read(file)).collect();
    let opened = parts.and_then(|parts| Ok((parts, Outputs::open(&outputs, replay::Format::Text)?)));
    let (parts, outputs) = match opened {
        Ok(opened) => opened,
        Err(error) => return console::refuse(&[error], colors),
    };
    let findings = Findings::joined(parts);
    match replay::write(outputs, &findings, ALL, colors) {
        Ok(()) => replay::exit(&findings, ALL).unwrap_or(Exit::Input),
        Err(error) => console::refuse(&[error], colors),
    }
}

/// Returns the output with the format as that of a replay, if it has it.
fn of_replay(output: &Output<Format>) -> Option<Output<replay::Format>> {
    let name = output.format.to_possible_value()?;
    let format = replay::Format::from_str(name.get_name(), false).ok()?;
    Some(Output { format, file: output.file.clone() })
}

/// Reads the findings in a file: the document, or the last line.
fn read(file: &str) -> Result<Findings, Diagnostic> {
    let text = if file == "-" { io::read_to_string(stdin()) } else { fs::read_to_string(file) };
    let text = text
        .map_err(|error| Diagnostic::input(Code::InputUnreadable, format!("cannot read {file}: {error}")))?;
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    let found = serde_json::from_str(&text).or_else(|_| serde_json::from_str(last));
    found.map_err(|error| {
        let message = format!("{file} does not end with the findings of a replay: {error}");
        Diagnostic::input(Code::ReportResult, message)
            .help("run `kadmit replay -o json` again for this part of the log")
    })
}
