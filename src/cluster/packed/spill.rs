//! Bytes that are moved to a temporary file when there are many.

use std::borrow::Cow;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use gotext::source::SharedFile;
use kube_yaml::files;

/// The bytes that are kept in memory. Fewer are read faster, and most runs have fewer.
const MAX_IN_MEMORY: usize = 16 << 20;

/// Bytes in memory or in the file.
#[derive(Debug)]
pub(in crate::cluster) enum Shelved {
    Memory(Box<[u8]>),
    File { offset: u64, length: u32 },
}

/// The number of bytes in memory.
static IN_MEMORY: AtomicUsize = AtomicUsize::new(0);

/// The file of this process, which has no name and goes with it; nothing if none can be written.
static FILE: OnceLock<Option<Spill>> = OnceLock::new();

struct Spill {
    file: SharedFile,
    end: Mutex<u64>,
}

/// Keeps `bytes`; what `is_secret` stays in memory.
pub(in crate::cluster) fn shelve(bytes: Vec<u8>, is_secret: bool) -> Shelved {
    let is_much = IN_MEMORY.load(Ordering::Relaxed) > MAX_IN_MEMORY;
    if is_much
        && !is_secret
        && let Some(shelved) = spilled(&bytes)
    {
        return shelved;
    }
    IN_MEMORY.fetch_add(bytes.len(), Ordering::Relaxed);
    Shelved::Memory(bytes.into_boxed_slice())
}

fn spilled(bytes: &[u8]) -> Option<Shelved> {
    let length = u32::try_from(bytes.len()).ok()?;
    let Spill { file, end } = FILE.get_or_init(|| Spill::create().ok()).as_ref()?;
    let mut end = end.lock().unwrap_or_else(PoisonError::into_inner);
    let offset = *end;
    // A full disk leaves them in memory; the next ones are written over what was written of these.
    file.write(offset, bytes).ok()?;
    *end += u64::from(length);
    Some(Shelved::File { offset, length })
}

impl Shelved {
    pub(in crate::cluster) fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Memory(bytes) => Cow::Borrowed(bytes),
            Self::File { offset, length } => {
                let spill = FILE.get().and_then(Option::as_ref).expect("it was written");
                let bytes = spill.file.read(*offset, *length as usize);
                Cow::Owned(bytes.expect("a file that only this process has can be read"))
            }
        }
    }
}

impl Drop for Shelved {
    fn drop(&mut self) {
        if let Self::Memory(bytes) = self {
            IN_MEMORY.fetch_sub(bytes.len(), Ordering::Relaxed);
        }
    }
}

impl Spill {
    fn create() -> io::Result<Self> {
        Ok(Self { file: SharedFile::new(files::unnamed("kadmit-objects")?), end: Mutex::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_moved_to_a_file_comes_back() {
        let parts = [&b"one"[..], b"", b"three"];
        let shelved: Vec<_> =
            parts.iter().map(|part| spilled(part).expect("a file can be written")).collect();
        for (part, shelved) in parts.iter().zip(&shelved).rev() {
            assert!(matches!(shelved, Shelved::File { .. }));
            assert_eq!(*shelved.bytes(), **part);
        }
    }
}
