//! `--watch`: doing it again whenever a file has changed.
//!
//! The files are looked at five times a second instead of asking the system to tell: that sees what editors do that
//! write a new file and rename it, files that come to directories and patterns, and files on network drives and
//! mounts into containers, for which systems tell nothing; and what a look costs is a look at a few hundred files.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use crate::cli::input::{Input, Selection};
use crate::cli::{Exit, console};
use crate::report::Diagnostic;

/// The time between two looks.
const INTERVAL: Duration = Duration::from_millis(200);

/// More looks than this at files that change all the time are not waited for.
const MOST_LOOKS: usize = 10;

/// The state of all files that a run reads.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Look(BTreeMap<PathBuf, Option<State>>);

/// What changes with the content of a file.
#[derive(Debug, PartialEq, Eq)]
struct State {
    modified: Option<SystemTime>,
    length: u64,
    /// A file that takes the name of another one may be as old and as long.
    number: u64,
}

/// What is looked at.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// Files, directories and patterns, as the user named them.
    pub(super) paths: Vec<String>,
    /// How directories among them are read.
    pub(super) selection: Selection,
    /// Files that name others.
    pub(super) configurations: Vec<PathBuf>,
    /// What changes with every run, and is not looked at.
    pub(super) reports: Vec<PathBuf>,
}

/// Does something once, or with `is_watching` again whenever a file changes that `complete` names, until what is
/// printed is not read any more. `complete` reads the flags and the settings, `watched` says which files those are.
pub(super) fn repeat<C>(
    is_watching: bool,
    complete: impl Fn() -> C,
    watched: impl Fn(&C) -> Watched,
    carry_out: impl Fn(C) -> (Exit, bool),
) -> Exit {
    loop {
        let completed = complete();
        if !is_watching {
            return carry_out(completed).0;
        }
        let seen = watched(&completed);
        // What changes after this look is seen by the next one, and what changed before it is read now.
        let last = seen.look();
        let completed = complete();
        let seen = watched(&completed);
        let (exit, is_read) = carry_out(completed);
        if !is_read || last.files() == 0 {
            return exit;
        }
        let files = match last.files() {
            1 => "1 file".to_owned(),
            files => format!("{files} files"),
        };
        // Standard error may be closed; there is nowhere left to say so.
        let _ = writeln!(stderr(), "watching {files}; Ctrl-C ends it");
        seen.wait(&last);
        console::clear();
    }
}

impl Watched {
    /// The files of flags that cannot be completed because of `errors`.
    pub(super) fn of_errors(errors: &[Diagnostic]) -> Self {
        let paths = errors.iter().filter_map(|error| error.file.clone()).collect();
        Self { paths, ..Self::default() }
    }

    /// Looks at all files.
    pub(super) fn look(&self) -> Look {
        let mut states = BTreeMap::new();
        let found = self.selection.expand(&self.paths).into_iter().filter_map(|input| match input {
            Ok(Input::File(file)) => Some(file),
            _ => None,
        });
        states.extend(found.map(with_state));
        let around = self.configurations.iter().flat_map(|file| around(file));
        states.extend(around.map(with_state));
        let reports: Vec<_> =
            self.reports.iter().filter_map(|report| fs::canonicalize(report).ok()).collect();
        states.retain(|file, _| !fs::canonicalize(file).is_ok_and(|file| reports.contains(&file)));
        Look(states)
    }

    /// Waits until a look differs from `last`, and the next one does not any more: several files are often written
    /// together.
    pub(super) fn wait(&self, last: &Look) {
        let mut current = loop {
            sleep(INTERVAL);
            let current = self.look();
            if current != *last {
                break current;
            }
        };
        for _ in 0..MOST_LOOKS {
            sleep(INTERVAL / 4);
            let next = self.look();
            if next == current {
                return;
            }
            current = next;
        }
    }
}

impl Look {
    /// How many files there are.
    pub(super) fn files(&self) -> usize {
        self.0.values().flatten().count()
    }
}

fn with_state(file: PathBuf) -> (PathBuf, Option<State>) {
    let state = fs::metadata(&file).ok().map(|metadata| State::of(&metadata));
    (file, state)
}

impl State {
    fn of(metadata: &Metadata) -> Self {
        Self { modified: metadata.modified().ok(), length: metadata.len(), number: number(metadata) }
    }
}

#[cfg(unix)]
fn number(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.ino()
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}

/// `file` and the files beside it: what a configuration names stands there as a rule.
fn around(file: &Path) -> Vec<PathBuf> {
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(directory) else { return vec![file.to_owned()] };
    let files = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.is_file());
    files.chain([file.to_owned()]).collect()
}
