//! `--watch`: doing it again whenever a file has changed.
//!
//! The files are polled five times a second instead of using the system's notifications: this detects editors that
//! write a new file and rename it, files that are added to directories and patterns, and changes on network drives and
//! mounts into containers, for which systems send no notifications; and polling costs only the metadata of a few
//! hundred files.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use crate::cli::color::Colors;
use crate::cli::input::{Input, Selection};
use crate::cli::{Exit, console};
use crate::report::Diagnostic;

/// The time between two looks.
const INTERVAL: Duration = Duration::from_millis(200);

/// The limit of looks to wait for files that keep changing.
const MAX_LOOKS: usize = 10;

/// The state of all files that a run reads.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Look(BTreeMap<PathBuf, Option<State>>);

/// The metadata that changes with the content of a file.
#[derive(Debug, PartialEq, Eq)]
struct State {
    modified: Option<SystemTime>,
    length: u64,
    /// A file that replaces another one may have the same age and size.
    number: u64,
}

/// The files to watch.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// Files, directories and patterns, as the user named them.
    pub(super) paths: Vec<String>,
    /// The selection of files in directories among them.
    pub(super) selection: Selection,
    /// Files that name others.
    pub(super) configurations: Vec<PathBuf>,
    /// The files that change with every run, which are not watched.
    pub(super) reports: Vec<PathBuf>,
}

/// Does something once, or with `is_watching` again whenever a file named by `complete` changes, until the output is
/// closed. `complete` reads the flags and the settings, whose errors are printed; `watched` returns the files that they
/// name.
pub(super) fn repeat<C>(
    is_watching: bool,
    colors: Colors,
    complete: impl Fn() -> Result<C, Vec<Diagnostic>>,
    watched: impl Fn(&C) -> Watched,
    carry_out: impl Fn(C) -> (Exit, bool),
) -> Exit {
    let watched = |completed: &Result<C, Vec<Diagnostic>>| match completed {
        Ok(complete) => watched(complete),
        Err(errors) => Watched::of_errors(errors),
    };
    let carry_out = |completed: Result<C, Vec<Diagnostic>>| match completed {
        Ok(complete) => carry_out(complete),
        Err(errors) => (console::refuse(&errors, colors), true),
    };
    loop {
        let completed = complete();
        if !is_watching {
            return carry_out(completed).0;
        }
        let seen = watched(&completed);
        // A change after this look is seen by the next one, and a change before it is read now.
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
        // Standard error may be closed; then there is no way to report it.
        let _ = writeln!(stderr(), "watching {files}; Ctrl-C ends it");
        seen.wait(&last);
        console::clear();
    }
}

impl Watched {
    /// Returns the files of flags that cannot be completed because of `errors`.
    fn of_errors(errors: &[Diagnostic]) -> Self {
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

    /// Waits until a look differs from `last`, and the next one is stable again: several files are often written
    /// together.
    pub(super) fn wait(&self, last: &Look) {
        let mut current = loop {
            sleep(INTERVAL);
            let current = self.look();
            if current != *last {
                break current;
            }
        };
        for _ in 0..MAX_LOOKS {
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
    /// Returns the number of files.
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

/// Returns `file` and the files next to it, as a configuration usually names those.
pub(super) fn around(file: &Path) -> Vec<PathBuf> {
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(directory) else { return vec![file.to_owned()] };
    let files = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.is_file());
    files.chain([file.to_owned()]).collect()
}
