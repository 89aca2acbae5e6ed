//! Bytes that are moved to a temporary file when there are many.

use std::borrow::Cow;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use gotext::source::SharedFile;
use kube_yaml::files;

/// The bytes that are kept in memory. Fewer are read faster, and most runs have fewer.
const MAX_IN_MEMORY: usize = 16 << 20;

/// Bytes in memory or in the file.
#[derive(Debug)]
pub(crate) enum Shelved {
    Memory(Box<[u8]>),
    File(FilePlace),
}

/// A place in the file, which is not given to other bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FilePlace {
    pub(crate) offset: u64,
    pub(crate) length: u32,
}

/// The number of bytes in memory.
static IN_MEMORY: AtomicUsize = AtomicUsize::new(0);

/// The file of this process, which has no name and goes with it; nothing if none can be written.
static FILE: OnceLock<Option<Spill>> = OnceLock::new();

struct Spill {
    file: SharedFile,
    end: Mutex<u64>,
}

/// Keeps `bytes`, which have nothing secret.
pub(crate) fn shelve(bytes: Vec<u8>) -> Shelved {
    let is_much = IN_MEMORY.load(Ordering::Relaxed) > MAX_IN_MEMORY;
    let spilled = if is_much { spilled(&bytes) } else { None };
    spilled.map_or_else(|| Shelved::in_memory(bytes.into_boxed_slice()), Shelved::File)
}

fn spilled(bytes: &[u8]) -> Option<FilePlace> {
    let length = u32::try_from(bytes.len()).ok()?;
    let Spill { file, end } = FILE.get_or_init(|| Spill::create().ok()).as_ref()?;
    let mut end = end.lock().unwrap_or_else(PoisonError::into_inner);
    let offset = *end;
    // A full disk leaves them in memory; the next ones are written over what was written of these.
    file.write(offset, bytes).ok()?;
    *end += u64::from(length);
    Some(FilePlace { offset, length })
}

impl Shelved {
    /// Keeps `bytes` in memory, since they may have something secret.
    pub(crate) fn in_memory(bytes: Box<[u8]>) -> Self {
        IN_MEMORY.fetch_add(bytes.len(), Ordering::Relaxed);
        Self::Memory(bytes)
    }

    /// Whether both are the same bytes at the same place.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Memory(own), Self::Memory(other)) => ptr::eq(&raw const **own, &raw const **other),
            (Self::File(own), Self::File(other)) => own == other,
            _ => false,
        }
    }

    pub(crate) fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Memory(bytes) => Cow::Borrowed(bytes),
            Self::File(FilePlace { offset, length }) => {
                let spill = FILE.get().and_then(Option::as_ref).expect("it was written");
                let bytes = spill.file.read(*offset, *length as usize);
                Cow::Owned(bytes.expect("a file that only this process has can be read"))
            }
        }
    }
}

impl Clone for Shelved {
    fn clone(&self) -> Self {
        match self {
            Self::Memory(bytes) => Self::in_memory(bytes.clone()),
            Self::File(place) => Self::File(*place),
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
        for (part, place) in parts.iter().zip(&shelved).rev() {
            assert_eq!(*Shelved::File(*place).bytes(), **part);
        }
    }
}
