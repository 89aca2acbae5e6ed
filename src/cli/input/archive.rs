//! Archives of manifests, such as the dump of a cluster: tar, tar compressed by gzip, and zip.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::cli::input::Input;
use crate::code::Code;
use crate::report::Diagnostic;
use kube_yaml::files;

/// The bytes that the manifests of an archive may have: a small one may unpack to more than fits into memory.
const MOST: u64 = 4 << 30;

/// A file in an archive: its path there, and its content.
type Entry = (String, Vec<u8>);

/// Returns the manifests in the archive at `path`, in the order of their names; nothing if its name is not that of one.
#[expect(clippy::case_sensitive_file_extension_comparisons, reason = "the name is in lower case")]
pub(super) fn inputs(path: &Path) -> Option<Vec<Result<Input, Diagnostic>>> {
    let name = path.file_name()?.to_str()?.to_lowercase();
    let open = || File::open(path).map(BufReader::new);
    let read = if name.ends_with(".tar.gz") || name.ends_with(".tgz") {
        open().and_then(|file| of_tar(MultiGzDecoder::new(file)))
    } else if name.ends_with(".tar") {
        open().and_then(of_tar)
    } else if name.ends_with(".zip") {
        open().and_then(of_zip)
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
    let input = |(name, bytes): Entry| {
        let source = files::from_bytes(format!("{archive}/{name}"), bytes);
        source.map(Input::Text).map_err(|error| Diagnostic::from(&error))
    };
    Some(entries.into_iter().map(input).collect())
}

/// Whether a file of this name is a manifest; hidden ones are of the system that packed it.
fn is_manifest(name: &str) -> bool {
    let is_hidden = name.split('/').any(|part| part.starts_with('.') && part != "." && part != "..");
    !is_hidden && files::has_ending(Path::new(name))
}

/// The bytes that are left.
struct Room(u64);

impl Room {
    fn read(&mut self, entry: impl Read) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let count = entry.take(self.0 + 1).read_to_end(&mut bytes)?;
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.0 = self.0.checked_sub(count).ok_or_else(|| {
            io::Error::other(format!("its manifests have more than {} GiB; unpack it", MOST >> 30))
        })?;
        Ok(bytes)
    }
}

fn of_tar(archive: impl Read) -> io::Result<Vec<Entry>> {
    let (mut room, mut found) = (Room(MOST), Vec::new());
    for entry in tar::Archive::new(archive).entries()? {
        let entry = entry?;
        let name = entry.path()?.to_string_lossy().trim_start_matches("./").to_owned();
        if entry.header().entry_type().is_file() && is_manifest(&name) {
            found.push((name, room.read(entry)?));
        }
    }
    Ok(found)
}

fn of_zip(archive: BufReader<File>) -> io::Result<Vec<Entry>> {
    let mut archive = zip::ZipArchive::new(archive)?;
    let (mut room, mut found) = (Room(MOST), Vec::new());
    for index in 0..archive.len() {
        let entry = archive.by_index(index)?;
        let name = entry.name().to_owned();
        if entry.is_file() && is_manifest(&name) {
            found.push((name, room.read(entry)?));
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
    fn more_than_there_is_room_for_is_an_error() {
        let mut room = Room(3);
        assert_eq!(room.read(&b"ab"[..]).expect("there is room"), b"ab");
        assert!(room.read(&b"cd"[..]).is_err());
    }
}
