//! Comparison of golden files with the program's output.
//!
//! `KADMIT_UPDATE=1 cargo test` writes them anew.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use snapbox::assert::Action;
use snapbox::{Assert, Data};

/// The marks of the start and end of a shell session in a Markdown file.
const SESSION: &str = "```console\n";
const FENCE: &str = "```\n";
/// The end of a session whose output has such marks: another tick stands before its start.
const LONG_FENCE: &str = "````\n";

/// Compares `text` with the file at `path`.
pub(crate) fn compare(text: String, path: &Path) {
    let update = std::env::var_os("KADMIT_UPDATE").is_some();
    let action = if update { Action::Overwrite } else { Action::Verify };
    Assert::new().action(action).eq(Data::text(text).raw(), Data::read_from(path, None).raw());
}

/// Runs every command of the sessions in the Markdown file at `path` and compares the text after the command with its
/// output. Returns the number of commands.
pub(crate) fn compare_sessions(path: &Path, directory: &Path) -> usize {
    let text = fs::read_to_string(path).expect("the file is there");
    let mut sessions = text.split(SESSION);
    let mut rewritten = sessions.next().unwrap_or_default().to_owned();
    let mut count = 0;
    for session in sessions {
        let fence = if rewritten.ends_with('`') { LONG_FENCE } else { FENCE };
        let (session, rest) = session.split_once(fence).expect("a session ends");
        rewritten.push_str(SESSION);
        for command in session.lines().filter_map(|line| line.strip_prefix("$ ")) {
            rewritten.extend(["$ ", command, "\n", &transcript(&run(command, directory))]);
            count += 1;
        }
        rewritten.push_str(fence);
        rewritten.push_str(rest);
    }
    compare(rewritten, path);
    count
}

/// Runs `command`, which may name environment variables before the program and a file for standard input after it, as
/// if there were 80 columns.
pub(crate) fn run(command: &str, directory: &Path) -> Output {
    let mut process = Command::new(env!("CARGO_BIN_EXE_kadmit"));
    process.current_dir(directory).stdin(Stdio::null());
    for variable in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "COLUMNS", "SOURCE_DATE_EPOCH"] {
        process.env_remove(variable);
    }
    process.env("COLUMNS", "80");
    let words = words(command);
    let program = words.iter().position(|word| !word.contains('=')).expect("a command has a program");
    for (name, value) in words[..program].iter().filter_map(|word| word.split_once('=')) {
        process.env(name, value);
    }
    let mut words = words[program..].iter().map(String::as_str);
    match words.next() {
        Some("kadmit") => {}
        // As in the README for readers without an installed kadmit.
        Some("cargo") => assert!(words.by_ref().any(|word| word == "--"), "`{command}` runs kadmit"),
        _ => panic!("`{command}` is not a command of kadmit"),
    }
    while let Some(word) = words.next() {
        if word == "<" {
            let file = directory.join(words.next().expect("`<` names a file"));
            process.stdin(fs::File::open(&file).expect("the file of standard input is there"));
        } else {
            process.arg(word);
        }
    }
    process.output().expect("the program runs")
}

/// Splits `command` into words like a shell, but with single quotes only.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (position, part) in command.split('\'').enumerate() {
        if position % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Returns the output of a run: standard error with `!` before every line, then standard output, then the exit status
/// unless it is 0.
fn transcript(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the program prints UTF-8");
    let mut transcript = String::new();
    for line in text(&output.stderr).lines() {
        transcript.push_str(format!("! {line}").trim_end());
        transcript.push('\n');
    }
    let stdout = text(&output.stdout);
    let stdout = indented(&stdout).unwrap_or(stdout);
    for line in stdout.lines() {
        let line = indented(line).unwrap_or_else(|| without_time(line));
        transcript.push_str(&visible(&line));
        transcript.push('\n');
    }
    match output.status.code() {
        Some(0) => {}
        Some(code) => transcript.extend(["[exit status ", &code.to_string(), "]\n"]),
        None => transcript.push_str("[killed]\n"),
    }
    transcript
}

/// Returns the line without the time in the summary, which always differs.
fn without_time(line: &str) -> String {
    match line.strip_suffix(" ms").and_then(|line| line.rsplit_once("; ")) {
        Some((summary, time)) if time.bytes().all(|byte| byte.is_ascii_digit()) => format!("{summary}; … ms"),
        _ => line.to_owned(),
    }
}

/// Returns JSON for reviewers, if `text` is a JSON object.
fn indented(text: &str) -> Option<String> {
    let value: gotext::value::Map = serde_json::from_str(text).ok()?;
    serde_json::to_string_pretty(&value).ok()
}

/// Colours as text.
fn visible(line: &str) -> String {
    line.replace('\x1b', "␛").trim_end().to_owned()
}
