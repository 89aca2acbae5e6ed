//! A progress line on standard error, if that is a terminal and the run takes long.

use std::io::{self, Write, stderr, stdout};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::cli::color;

/// Whether the line is on the terminal, and has to be cleared before other output.
static IS_SHOWN: Mutex<bool> = Mutex::new(false);

/// The progress of a run.
pub(super) struct Progress {
    /// Such as `objects evaluated`.
    what: &'static str,
    started: Instant,
    shown: Option<Instant>,
    is_enabled: bool,
    done: usize,
    /// The number of all, or 0 while it is unknown.
    total: Arc<AtomicUsize>,
}

impl Progress {
    const PATIENCE: Duration = Duration::from_secs(1);
    const INTERVAL: Duration = Duration::from_millis(100);

    /// Starts to count `what`, such as `objects evaluated`.
    pub(super) fn of(what: &'static str) -> Self {
        Self {
            what,
            started: Instant::now(),
            shown: None,
            is_enabled: color::shows_progress(),
            done: 0,
            total: Arc::default(),
        }
    }

    /// Returns where the number of all is set as soon as it is known.
    pub(super) fn total(&self) -> Arc<AtomicUsize> {
        self.total.clone()
    }

    /// Counts one more, and shows how many there are, if it is time.
    pub(super) fn advance(&mut self) {
        self.show(self.done + 1);
    }

    /// Shows how many are `done`, if it is time.
    pub(super) fn show(&mut self, done: usize) {
        self.done = done;
        if !self.is_enabled || self.started.elapsed() < Self::PATIENCE {
            return;
        }
        if self.shown.is_none_or(|shown| shown.elapsed() >= Self::INTERVAL) {
            self.shown = Some(Instant::now());
            let mut is_shown = lock();
            let line = line(self.done, self.total.load(Ordering::Relaxed), self.what);
            *is_shown = write!(stderr(), "\r{line} ").is_ok();
        }
    }
}

/// Returns how many are done, of `total` unless that is unknown.
fn line(done: usize, total: usize, what: &str) -> String {
    if total < done {
        return format!("{done} {what}");
    }
    format!("{done} of {total} {what}, {} %", done * 100 / total)
}

/// Takes the line away, so that something else can be written.
pub(super) fn clear() {
    clear_line(&mut lock());
}

fn clear_line(is_shown: &mut bool) {
    if *is_shown {
        *is_shown = false;
        // Standard error may be closed; there is nowhere left to say so.
        let _ = write!(stderr(), "\r\x1b[K");
    }
}

fn lock() -> MutexGuard<'static, bool> {
    IS_SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Standard output, which may be the same terminal.
pub(super) struct StandardOutput;

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut is_shown = lock();
        clear_line(&mut is_shown);
        stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        stdout().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn the_total_is_shown_when_it_is_known() {
        assert_eq!(line(12, 0, "objects evaluated"), "12 objects evaluated");
        assert_eq!(line(12, 48, "objects evaluated"), "12 of 48 objects evaluated, 25 %");
    }
}
