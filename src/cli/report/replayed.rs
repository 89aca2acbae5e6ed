//! The findings of `kadmit replay` for the parts of a log.

use std::fs;
use std::io::{self, Read, stdin};

use crate::cli::color::Colors;
use crate::cli::output::{Format, Output, Outputs, still_open};
use crate::cli::replay;
use crate::cli::{Exit, console};
use crate::code::Code;
use crate::replay::Findings;
use crate::report::{Diagnostic, Escapes};

/// How the findings of a replay begin, and the records before them, without spaces.
const STARTS: [&str; 2] = [r#"{"judged":"#, r#"{"auditID":"#];

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
    let is_other = |output: &&Output<Format>| !matches!(output.format, Format::Text | Format::Json);
    if outputs.iter().any(|output| is_other(&output)) {
        let error =
            Diagnostic::input(Code::Output, "findings of kadmit replay are written as text or JSON only");
        return console::refuse(&[error.help("use -o text or -o json")], colors);
    }
    let parts: Result<Vec<Findings>, Diagnostic> = files.iter().map(|file| read(file)).collect();
    let opened = parts.and_then(|parts| Ok((parts, Outputs::open(outputs, Format::Text)?)));
    let (parts, outputs) = match opened {
        Ok(opened) => opened,
        Err(error) => return console::refuse(&[error], colors),
    };
    let findings = Findings::joined(parts);
    let escapes = |format| if format == Format::Json { Escapes::Json } else { Escapes::Text };
    let written = outputs.write_whole(colors.everywhere, escapes, |format, out, _| {
        let format = if format == Format::Json { replay::Format::Json } else { replay::Format::Text };
        out.write_all(format.text(&findings).as_bytes())
    });
    match still_open(written) {
        Ok(_) => replay::exit(&findings, 100.0).unwrap_or(Exit::Input),
        Err(error) => console::refuse(&[error], colors),
    }
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
