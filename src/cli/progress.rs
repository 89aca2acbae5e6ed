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
    started: Instant,
    shown: Option<Instant>,
    is_enabled: bool,
    evaluated: usize,
    /// The number of documents, or 0 while it is unknown.
    total: Arc<AtomicUsize>,
}

impl Progress {
    const PATIENCE: Duration = Duration::from_secs(1);
    const INTERVAL: Duration = Duration::from_millis(100);

    pub(super) fn new() -> Self {
        Self {
            started: Instant::now(),
            shown: None,
            is_enabled: color::shows_progress(),
            evaluated: 0,
            total: Arc::default(),
        }
    }

    /// Returns where the number of documents is set as soon as it is known.
    pub(super) fn total(&self) -> Arc<AtomicUsize> {
        self.total.clone()
    }

    /// Counts one more, and shows how many there are, if it is time.
    pub(super) fn advance(&mut self) {
        self.show(self.evaluated + 1);
    }

    /// Shows how many are `evaluated`, if it is time.
    pub(super) fn show(&mut self, evaluated: usize) {
        self.evaluated = evaluated;
        if !self.is_enabled || self.started.elapsed() < Self::PATIENCE {
            return;
        }
        if self.shown.is_none_or(|shown| shown.elapsed() >= Self::INTERVAL) {
            self.shown = Some(Instant::now());
            let mut is_shown = lock();
            let line = line(self.evaluated, self.total.load(Ordering::Relaxed));
            *is_shown = write!(stderr(), "\r{line} ").is_ok();
        }
    }
}

/// Returns how many are evaluated, of `total` unless that is 0.
fn line(evaluated: usize, total: usize) -> String {
    if total < evaluated {
        return format!("{evaluated} evaluated");
    }
    format!("{evaluated} of {total} evaluated, {} %", evaluated * 100 / total)
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
        assert_eq!(line(12, 0), "12 evaluated");
        assert_eq!(line(12, 48), "12 of 48 evaluated, 25 %");
    }
}
