//! A pack: the kept results of one run, in one file that is never changed.
//!
//! It begins with a line that names the format. The blocks follow, one per result: what each report has of it,
//! compressed. The index after them says what they are, and at the end are its offset and the SHA-256 of all before. The
//! name of the file has the key of the flags, and that digest: a file that is foreign, incomplete or damaged is no pack.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::cli::cache::{Key, digest_of};
use crate::report::Counts;

/// The beginning of every pack.
const MAGIC: &[u8] = b"kadmit cache 1\n";

/// The end of the name of every pack.
pub(super) const SUFFIX: &str = ".kadmit";

/// The bytes after the index: its offset, and the digest.
const FOOTER: u64 = 8 + 32;

/// The kept results of one run.
pub(super) struct Pack {
    path: PathBuf,
    file: Mutex<File>,
    pub(super) entries: HashMap<Key, Entry>,
    pub(super) routes: HashMap<Key, Route>,
}

/// The results of a sequence.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The offset and length of the block of each document.
    pub(super) blocks: Vec<(u64, u32)>,
    /// Those of the results of requests that controllers repeated.
    pub(super) later: Vec<(u64, u32)>,
    /// The position of the first document for which they do.
    pub(super) first_waiting: Option<u32>,
    pub(super) counts: Counts,
    /// The usage of its quotas, as lines of `-o jsonl`.
    pub(super) quotas: Vec<String>,
    /// The positions and names of the refused documents.
    pub(super) refused: Vec<(u32, String)>,
    pub(super) is_masked: bool,
}

/// What a document is, as far as that decides which others depend on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Route {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) namespace: Option<String>,
    /// Whether it is a Service that names addresses or ports of the cluster.
    pub(super) names_network: bool,
}

#[derive(Default, Serialize, Deserialize)]
struct Index {
    entries: BTreeMap<String, Entry>,
    routes: BTreeMap<String, Route>,
}

impl Pack {
    /// Returns the packs in `directory` of runs with the flags `base`, the newest first.
    pub(super) fn of(directory: &Path, base: Key) -> io::Result<Vec<Self>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(digest) = name.strip_prefix(&base.hex()).and_then(|rest| rest.strip_suffix(SUFFIX)) {
                let modified = entry.metadata().and_then(|metadata| metadata.modified());
                found.push((modified.unwrap_or(SystemTime::UNIX_EPOCH), digest.to_owned(), entry.path()));
            }
        }
        found.sort_by(|one, other| other.cmp(one));
        Ok(found.into_iter().filter_map(|(_, digest, path)| Self::open(path, &digest)).collect())
    }

    /// Opens the file, unless it is not exactly what a run wrote.
    fn open(path: PathBuf, digest: &str) -> Option<Self> {
        let mut file = File::open(&path).ok()?;
        let content = file.metadata().ok()?.len().checked_sub(FOOTER)?;
        let known = digest_of((&mut file).take(content + 8)).ok()?;
        let mut written = [0; 32];
        file.read_exact(&mut written).ok()?;
        if known != written || name_of(&known) != digest {
            return None;
        }
        let mut bytes = [0; 8];
        file.seek(SeekFrom::Start(content)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        let start = u64::from_le_bytes(bytes);
        let mut index = vec![0; usize::try_from(content.checked_sub(start)?).ok()?];
        file.seek(SeekFrom::Start(start)).ok()?;
        file.read_exact(&mut index).ok()?;
        let index = lz4_flex::decompress_size_prepended(&index).ok()?;
        let Index { entries, routes } = serde_json::from_slice(&index).ok()?;
        Some(Self { path, file: Mutex::new(file), entries: read(entries)?, routes: read(routes)? })
    }

    /// Returns the block at `offset`.
    pub(super) fn block(&self, (offset, length): (u64, u32)) -> io::Result<Vec<Vec<u8>>> {
        let mut bytes = vec![0; length as usize];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(&mut bytes)?;
        }
        let bytes = lz4_flex::decompress_size_prepended(&bytes).map_err(io::Error::other)?;
        let mut rest = &bytes[..];
        let mut parts = Vec::new();
        while let Some((length, after)) = rest.split_first_chunk() {
            let (part, after) = after
                .split_at_checked(u32::from_le_bytes(*length) as usize)
                .ok_or(io::ErrorKind::InvalidData)?;
            parts.push(part.to_vec());
            rest = after;
        }
        Ok(parts)
    }

    /// Records that it was used.
    pub(super) fn touch(&self) {
        // A directory that cannot be written is a cache nevertheless.
        let _ = File::options()
            .append(true)
            .open(&self.path)
            .and_then(|file| file.set_modified(SystemTime::now()));
    }
}

fn read<V>(map: BTreeMap<String, V>) -> Option<HashMap<Key, V>> {
    map.into_iter().map(|(key, value)| Some((Key::read(&key)?, value))).collect()
}

/// Returns the end of the name of a pack with this digest.
fn name_of(digest: &[u8; 32]) -> String {
    let short: [u8; 8] = digest[..8].try_into().expect("a digest is longer");
    format!("-{:016x}", u64::from_be_bytes(short))
}

/// Returns a block with the renderings of a result by each report.
pub(super) fn packed(renderings: &[Vec<u8>]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for rendering in renderings {
        bytes.extend(u32::try_from(rendering.len()).map_err(io::Error::other)?.to_le_bytes());
        bytes.extend(rendering);
    }
    Ok(lz4_flex::compress_prepend_size(&bytes))
}

/// A pack that is being written.
pub(super) struct PackWriter {
    file: BufWriter<File>,
    temporary: PathBuf,
    hash: Sha256,
    offset: u64,
}

impl PackWriter {
    pub(super) fn create(temporary: PathBuf) -> io::Result<Self> {
        let file = BufWriter::new(File::options().write(true).create_new(true).open(&temporary)?);
        let mut writer = Self { file, temporary, hash: Sha256::new(), offset: 0 };
        writer.write(MAGIC)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.offset += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// Adds a block, and returns where it is.
    pub(super) fn add(&mut self, block: &[u8]) -> io::Result<(u64, u32)> {
        let place = (self.offset, u32::try_from(block.len()).map_err(io::Error::other)?);
        self.write(block)?;
        Ok(place)
    }

    /// Completes the pack of a run with the flags `base`, and gives it its name in `directory`.
    pub(super) fn end(
        mut self,
        directory: &Path,
        base: Key,
        entries: BTreeMap<Key, Entry>,
        routes: BTreeMap<Key, Route>,
    ) -> io::Result<()> {
        let start = self.offset;
        let index = Index {
            entries: entries.into_iter().map(|(key, entry)| (key.hex(), entry)).collect(),
            routes: routes.into_iter().map(|(key, route)| (key.hex(), route)).collect(),
        };
        let index = lz4_flex::compress_prepend_size(&serde_json::to_vec(&index)?);
        self.write(&index)?;
        self.write(&start.to_le_bytes())?;
        let digest: [u8; 32] = self.hash.clone().finalize().into();
        self.file.write_all(&digest)?;
        self.file.flush()?;
        let name = format!("{}{}{SUFFIX}", base.hex(), name_of(&digest));
        fs::rename(&self.temporary, directory.join(name))
    }
}

impl Drop for PackWriter {
    fn drop(&mut self) {
        // It has another name if it is complete.
        let _ = fs::remove_file(&self.temporary);
    }
}
