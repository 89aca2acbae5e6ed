//! Archives of manifests, such as the dump of a cluster: tar, tar compressed by gzip, and zip.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::mem;
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::cli::input::{Input, MAX_IN_MEMORY};
use crate::code::Code;
use crate::report::Diagnostic;
use gotext::source::SharedFile;
use kube_yaml::{LargeFile, files};

/// The bytes that the manifests of an archive may have: a small one may unpack to more than there is room for.
const MAX: u64 = 64 << 30;

/// A file in an archive: its path there, and its content.
type Entry = (String, Content);

enum Content {
    Memory(Vec<u8>),
    /// Offset and length in a temporary file.
    File(u64, u64),
}

/// Returns the manifests in the archive at `path`, in the order of their names; nothing if its name is not that of one.
#[expect(clippy::case_sensitive_file_extension_comparisons, reason = "the name is in lower case")]
pub(super) fn inputs(path: &Path) -> Option<Vec<Result<Input, Diagnostic>>> {
    let name = path.file_name()?.to_str()?.to_lowercase();
    let open = || File::open(path).map(BufReader::new);
    let mut unpacked = Unpacked::default();
    let read = if name.ends_with(".tar.gz") || name.ends_with(".tgz") {
        open().and_then(|file| of_tar(MultiGzDecoder::new(file), &mut unpacked))
    } else if name.ends_with(".tar") {
        open().and_then(|file| of_tar(file, &mut unpacked))
    } else if name.ends_with(".zip") {
        open().and_then(|file| of_zip(file, &mut unpacked))
    } else {
        return None;
    };
    let archive = path.display();
    let mut entries = match read {
        Ok(entries) => entries,
        Err(error) => {
            let message = format!("cannot read the archive {archive}: {error}");
            return Some(vec![Err(Diagnostic::input(Code::InputUnreadable, message))]);
        }
    };
    entries.sort_by(|(left, _), (right, _)| left.cmp(right));
    let file = unpacked.file.map(SharedFile::new);
    let input = |(name, content): Entry| {
        let name = format!("{archive}/{name}");
        match (content, &file) {
            (Content::File(offset, length), Some(file)) => {
                Ok(Input::Unpacked(LargeFile::part_of(file.clone(), name, offset, length)))
            }
            (Content::Memory(bytes), _) => {
                files::from_bytes(name, bytes).map(Input::Text).map_err(|error| Diagnostic::from(&error))
            }
            (Content::File(..), None) => unreachable!("the entry is in the file"),
        }
    };
    Some(entries.into_iter().map(input).collect())
}

/// Whether a file of this name is a manifest; hidden ones are of the system that packed it.
fn is_manifest(name: &str) -> bool {
    let is_hidden = name.split('/').any(|part| part.starts_with('.') && part != "." && part != "..");
    !is_hidden && files::has_ending(Path::new(name))
}

/// What was unpacked so far: little of it stays in memory, and more is in a temporary file.
#[derive(Default)]
struct Unpacked {
    length: u64,
    in_memory: u64,
    file: Option<File>,
    /// The number of bytes in the file.
    end: u64,
}

impl Unpacked {
    fn add(&mut self, mut entry: impl Read) -> io::Result<Content> {
        let mut bytes = Vec::new();
        let room = (MAX - self.length).min(MAX_IN_MEMORY - self.in_memory);
        let count = entry.by_ref().take(room).read_to_end(&mut bytes)? as u64;
        self.length += count;
        if count < room {
            self.in_memory += count;
            return Ok(Content::Memory(bytes));
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(files::unnamed("kadmit-archive")?),
        };
        io::copy(&mut &bytes[..], file)?;
        let more = io::copy(&mut entry.take(MAX - self.length + 1), file)?;
        self.length += more;
        if self.length > MAX {
            let message = format!("its manifests have more than {} GiB; unpack it", MAX >> 30);
            return Err(io::Error::other(message));
        }
        let end = self.end + count + more;
        Ok(Content::File(mem::replace(&mut self.end, end), count + more))
    }
}

fn of_tar(archive: impl Read, unpacked: &mut Unpacked) -> io::Result<Vec<Entry>> {
    let mut found = Vec::new();
    for entry in tar::Archive::new(archive).entries()? {
        let entry = entry?;
        let name = entry.path()?.to_string_lossy().trim_start_matches("./").to_owned();
        if entry.header().entry_type().is_file() && is_manifest(&name) {
            found.push((name, unpacked.add(entry)?));
        }
    }
    Ok(found)
}

fn of_zip(archive: BufReader<File>, unpacked: &mut Unpacked) -> io::Result<Vec<Entry>> {
    let mut archive = zip::ZipArchive::new(archive)?;
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index(index)?;
        let name = entry.name().to_owned();
        if entry.is_file() && is_manifest(&name) {
            found.push((name, unpacked.add(entry)?));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_manifests_are_read() {
        assert!(is_manifest("shop/web.yaml") && is_manifest("a.json"));
        assert!(!is_manifest("shop/._web.yaml") && !is_manifest("shop/web.log"));
    }

    #[test]
    fn what_is_large_goes_to_a_file() {
        let mut unpacked = Unpacked::default();
        assert!(matches!(unpacked.add(&b"ab"[..]), Ok(Content::Memory(bytes)) if bytes == b"ab"));
        let large = vec![b'x'; usize::try_from(MAX_IN_MEMORY).expect("it fits")];
        assert!(matches!(unpacked.add(&large[..]), Ok(Content::File(0, length)) if length == MAX_IN_MEMORY));
        let again = unpacked.add(&large[..]);
        assert!(matches!(again, Ok(Content::File(MAX_IN_MEMORY, MAX_IN_MEMORY))));
        unpacked.length = MAX - 1;
        assert!(unpacked.add(&b"cd"[..]).is_err());
    }
}
