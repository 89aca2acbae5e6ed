//! Errors in the command line, in the words of all other errors, with what was probably meant.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ErrorKind};

use crate::cli::Exit;
use crate::cli::clap_error::{explain, text};
use crate::cli::color::Colors;
use crate::cli::console;
use crate::cli::definition::definition;
use crate::code::Code;
use crate::report::Diagnostic;

/// Commands of other tools, and the words of kadmit for the same.
const COMMANDS: &[(&[&str], &str)] = &[
    (
        &[
            "admit", "apply", "audit", "check", "dry-run", "evaluate", "lint", "review", "scan", "validate",
            "verify",
        ],
        "run",
    ),
    (&["create"], "run --apply create"),
    (&["delete"], "run --apply delete"),
    (&["replace"], "run --apply replace"),
    (&["blame"], "run -o blame"),
    (&["upgrade"], "compare --to"),
    (&["init"], "test --init"),
    (&["cel", "policy"], "eval"),
    (&["pod-security", "psa"], "levels"),
    (&["describe", "rule"], "explain"),
    (&["server"], "serve"),
    (&["function"], "krm"),
    (&["version"], "--version"),
];

/// Flags of other tools, and what kadmit has for the same.
const FLAGS: &[(&[&str], &str)] = &[
    (&["--user", "--username"], "`--as` names the user"),
    (&["--group", "--groups"], "`--as-group` names a group of the user"),
    (&["--format"], "`--output` names the format"),
    (&["--file"], "`-f` names a file"),
    (
        &["--k8s-version", "--kube-version", "--release", "--target-version"],
        "`--kubernetes-version` names the release",
    ),
    (
        &["--config"],
        "`--settings` names a kadmit.toml, `--admission-control-config-file` the server's configuration",
    ),
    (
        &["--level", "--pod-security", "--profile"],
        "`--enforce` names a Pod Security level for every namespace",
    ),
    (&["--ignore"], "`--exclude` leaves files out; `kadmit help settings` describes skips"),
    (&["--address", "--host", "--port"], "`kadmit serve --listen 127.0.0.1:PORT` names address and port"),
    (&["--server-side"], "`--apply server-side` lets the server merge"),
    (
        &["--context", "--kubeconfig", "--server"],
        "kadmit connects to no cluster: `kadmit fixtures` prints what to collect from one for `--cluster`",
    ),
];

/// Prints what is wrong with the command line, or the help or version that it requests; returns the result.
pub(super) fn report(error: &clap::Error, words: &[OsString], colors: Colors) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            Exit::Admitted
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            Exit::Input
        }
        _ => console::refuse(&[diagnostic(error, words)], colors),
    }
}

/// Prints the help of the command that `words` name.
pub(super) fn help_of(words: &[OsString], colors: Colors) -> Exit {
    let line = [OsString::from("kadmit")].into_iter().chain(words.iter().cloned());
    let line: Vec<_> = line.chain([OsString::from("--help")]).collect();
    match definition().try_get_matches_from(&line) {
        // A word after the name of a command is taken for an argument of it.
        Ok(_) => Exit::Admitted,
        Err(error) => report(&error, &line[1..], colors),
    }
}

/// Returns what is wrong with a command line of `words` after the name of the program.
fn diagnostic(error: &clap::Error, words: &[OsString]) -> Diagnostic {
    let (message, help) = explain(error);
    let help = near_miss(error, words).or(help).unwrap_or_else(|| {
        let command = words.first().and_then(|word| word.to_str()).filter(|word| is_command(word));
        format!(
            "`{} {}-h` shows how it is used",
            program(),
            command.map(|name| format!("{name} ")).unwrap_or_default()
        )
    });
    Diagnostic::input(Code::Usage, message).help(help)
}

/// Returns how the user calls the program.
fn program() -> String {
    let program = crate::cli::command(env::args_os().next().as_deref());
    program.get_bin_name().unwrap_or(program.get_name()).to_owned()
}

fn is_command(word: &str) -> bool {
    definition().find_subcommand(word).is_some()
}

/// Returns what the user of another tool probably means.
fn near_miss(error: &clap::Error, words: &[OsString]) -> Option<String> {
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = text(error, ContextKind::InvalidSubcommand)?;
            let looks_like_path = word == "-" || word.contains(['/', '.', '*']) || Path::new(&word).exists();
            if looks_like_path && words.first().is_some_and(|first| *first == *word) {
                let all: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
                return Some(format!("`kadmit run {}` evaluates it", all.join(" ")));
            }
            if words.first().is_none_or(|first| *first != *word) {
                return None;
            }
            if word == "mcp" {
                let build = "cargo install --locked --path . --features mcp";
                return Some(format!(
                    "this program is built without the feature `mcp`: `{build}` in a clone"
                ));
            }
            if let Some((_, name)) = COMMANDS.iter().find(|(others, _)| others.contains(&word.as_str())) {
                return Some(format!("`kadmit {name}` does that"));
            }
            let definition = definition();
            let mut names = definition.get_subcommands().map(clap::Command::get_name);
            let near = names.find(|name| strsim::damerau_levenshtein(name, &word) == 1)?;
            Some(format!("did you mean `{near}`?"))
        }
        ErrorKind::UnknownArgument => {
            let flag = text(error, ContextKind::InvalidArg)?;
            let name = flag.split('=').next().unwrap_or_default();
            if words.first().is_some_and(|first| first.to_string_lossy().starts_with('-')) {
                return Some("a command comes before its flags, such as `kadmit run`".to_owned());
            }
            let (_, help) = FLAGS.iter().find(|(others, _)| others.contains(&name))?;
            Some((*help).to_owned())
        }
        _ => None,
    }
}

/// Returns the words of the command line after the name of the program.
pub(super) fn words() -> Vec<OsString> {
    env::args_os().skip(1).collect()
}
