//! Files that get their names when they are complete.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// A file that gets its name when it is complete, and is deleted if it never is.
pub(super) struct Pending {
    temporary: PathBuf,
    name: PathBuf,
    is_kept: bool,
}

/// More temporary files of one process were not left by accident.
const MAX_LEFTOVERS: usize = 100;

/// A chain of more links is circular.
const MAX_LINKS: usize = 40;

/// The incomplete files of this process, which an interruption removes.
static TEMPORARIES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn temporaries() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pending {
    /// Creates the file to be named `name`. A link is kept: its target is written.
    pub(super) fn create(name: &Path) -> io::Result<(File, Self)> {
        remove_when_interrupted();
        let target = target_of(name);
        let existing = fs::metadata(&target).ok();
        if existing.as_ref().is_some_and(|metadata| metadata.permissions().readonly()) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let (file, temporary) = match create_next_to(&target) {
            // In a read-only directory, an existing file may still be writable.
            Err(error) if existing.is_some() && is_refused(&error) => {
                File::options().append(true).open(&target)?;
                let base = target.file_name().unwrap_or_default();
                create_next_to(&env::temp_dir().join(base))?
            }
            created => created?,
        };
        let pending = Self { temporary, name: target, is_kept: false };
        if let Some(metadata) = existing {
            file.set_permissions(metadata.permissions())?;
        }
        Ok((file, pending))
    }

    /// Gives the file its name.
    pub(super) fn keep(mut self) -> io::Result<()> {
        // An interruption waits until the file has one of its names.
        let mut temporaries = temporaries();
        if let Err(error) = fs::rename(&self.temporary, &self.name) {
            // A mounted file, or one on another file system, cannot be replaced, but its content can.
            if !self.name.is_file() {
                return Err(error);
            }
            let mut whole = File::open(&self.temporary)?;
            let mut file = File::options().write(true).truncate(true).open(&self.name)?;
            io::copy(&mut whole, &mut file)?;
            fs::remove_file(&self.temporary)?;
        }
        temporaries.remove(&self.temporary);
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.is_kept {
            // At worst, one file too many remains.
            let _ = fs::remove_file(&self.temporary);
            temporaries().remove(&self.temporary);
        }
    }
}

/// Replaces the content of the file `name` with `text`, entirely or not at all.
pub(in crate::cli) fn replace(name: &Path, text: &str) -> io::Result<()> {
    let (mut file, pending) = Pending::create(name)?;
    file.write_all(text.as_bytes())?;
    drop(file);
    pending.keep()
}

/// Returns the target of `name`, whether it exists or not.
fn target_of(name: &Path) -> PathBuf {
    if let Ok(target) = fs::canonicalize(name) {
        return target;
    }
    let mut target = name.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(link) = fs::read_link(&target) else { break };
        target = target.parent().unwrap_or(Path::new("")).join(link);
    }
    target
}

/// Creates a file of this process in the directory of `target`. Files that another process left or is writing are kept.
fn create_next_to(target: &Path) -> io::Result<(File, PathBuf)> {
    let base = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    for attempt in 0..MAX_LEFTOVERS {
        let mut name = OsStr::new(".").to_owned();
        name.push(base);
        name.push(format!(".{}-{attempt}", process::id()));
        let temporary = target.with_file_name(name);
        let mut temporaries = temporaries();
        match File::options().write(true).create_new(true).open(&temporary) {
            Ok(file) => {
                temporaries.insert(temporary.clone());
                return Ok((file, temporary));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Removes the incomplete files when the process is interrupted or terminated.
fn remove_when_interrupted() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // Without a handler the files are left behind, which is only untidy. Who has one already ends cleanly.
        let _ = ctrlc::set_handler(|| {
            let temporaries = temporaries();
            for temporary in &*temporaries {
                let _ = fs::remove_file(temporary);
            }
            end();
        });
    });
}

/// The exit status of a process ended by Ctrl-C, as in shells.
const INTERRUPTED: i32 = 130;

#[expect(clippy::exit, reason = "there is nothing to return to")]
fn end() {
    process::exit(INTERRUPTED);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let scratch = env::temp_dir().join(format!("kadmit-pending-{name}-{}", process::id()));
        fs::create_dir_all(&scratch).unwrap();
        scratch
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_not_kept_leaves_the_last_file() {
        let scratch = scratch("kept");
        let file = scratch.join("report");
        replace(&file, "old").unwrap();
        let (mut new, pending) = Pending::create(&file).unwrap();
        new.write_all(b"half").unwrap();
        drop(pending);
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        let (one, first) = Pending::create(&file).unwrap();
        let (two, second) = Pending::create(&file).unwrap();
        (&one).write_all(b"one").unwrap();
        (&two).write_all(b"two").unwrap();
        second.keep().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        first.keep().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "one");
        assert_eq!(names(&scratch), ["report"]);
        fs::remove_dir_all(scratch).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links() {
        use std::os::unix::fs::symlink;
        let scratch = scratch("links");
        symlink("target", scratch.join("dangling")).unwrap();
        symlink("dangling", scratch.join("second")).unwrap();
        replace(&scratch.join("second"), "text").unwrap();
        assert_eq!(fs::read_to_string(scratch.join("target")).unwrap(), "text");
        replace(&scratch.join("dangling"), "new").unwrap();
        assert_eq!(fs::read_to_string(scratch.join("target")).unwrap(), "new");
        assert!(scratch.join("second").is_symlink() && scratch.join("dangling").is_symlink());
        assert_eq!(names(&scratch), ["dangling", "second", "target"]);
        fs::remove_dir_all(scratch).unwrap();
    }
}
