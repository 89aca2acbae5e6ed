//! `--cache DIR`: the results of earlier runs.
//!
//! Documents of one namespace form a sequence. What its results depend on is its key: the program, its flags, the files
//! that they name, the documents whose objects other namespaces can depend on, and the documents of the namespace in
//! order. A sequence with the key of an earlier run is answered with what its reports were; all others are evaluated.

mod keeper;
mod pack;
mod plan;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;
use std::{env, process};

use clap::{Args, ValueHint};
use sha2::{Digest as _, Sha256};

use crate::code::Code;
use crate::evaluation::QuotaUse;
use crate::report::{Diagnostic, StoredLine, Summary};
use kube_api::GroupVersionKind;
use kube_api::version::Version;

pub(super) use keeper::Keeper;
pub(super) use plan::{Mark, Plan, Print, Prints};

use pack::{Entry, Pack, Route, SUFFIX};

/// The flags about kept results.
#[derive(Clone, Debug, Args)]
pub(super) struct CacheFlags {
    /// Keep results in this directory, and evaluate again only the namespaces for which something changed
    ///
    /// The results are those of a run without this flag. Several runs may share the directory.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) cache: Option<PathBuf>,

    /// Keep at most this much in the directory of --cache, such as 500Mi [default: 2Gi]
    #[arg(long, value_name = "SIZE", requires = "cache", value_parser = size)]
    cache_size: Option<u64>,
}

/// The size of the directory if none is given.
const DEFAULT_SIZE: u64 = 2 << 30;

/// Reads a number of bytes, such as `500Mi`.
fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u32); 4] = [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40)];
    let unit = UNITS.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)));
    let (number, shift) = unit.unwrap_or((text, 0));
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "not a size, such as 500Mi or 2Gi".to_owned())
}

/// The identity of what results depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key([u8; 16]);

impl Key {
    /// Returns the key of `parts`.
    fn of<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let mut key = [0; 16];
        key.copy_from_slice(&hash.finalize()[..16]);
        Self(key)
    }

    /// Returns the key of this and what follows.
    fn and(self, next: &[u8]) -> Self {
        Self::of([&self.0[..], next])
    }

    fn hex(self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.0))
    }

    fn read(text: &str) -> Option<Self> {
        (text.len() == 32).then(|| u128::from_str_radix(text, 16).ok())?.map(|key| Self(key.to_be_bytes()))
    }
}

/// What results depend on besides documents.
pub(super) struct Base(Vec<Vec<u8>>);

impl Base {
    /// Begins with this program: its version, and what distinguishes builds of it.
    pub(super) fn new() -> io::Result<Self> {
        let program = fs::metadata(env::current_exe()?)?;
        let mut base = Self(Vec::new());
        base.add(&(env!("CARGO_PKG_VERSION"), program.len(), program.modified()?));
        Ok(base)
    }

    /// Adds flags.
    pub(super) fn add(&mut self, flags: &impl Debug) {
        self.0.push(format!("{flags:?}").into_bytes());
    }

    /// Adds the content of a file; an unreadable one differs from all others.
    pub(super) fn add_file(&mut self, file: &Path) {
        let content = fs::read(file).unwrap_or_else(|error| error.to_string().into_bytes());
        self.0.push(file.display().to_string().into_bytes());
        self.0.push(Sha256::digest(content).to_vec());
    }
}

/// The results of earlier runs with the same flags, and those of this one.
pub(super) struct Cache {
    directory: PathBuf,
    limit: u64,
    base: Key,
    release: Version,
    /// Kinds of the cluster's parameters of policies.
    parameters: Vec<GroupVersionKind>,
    /// Whether all documents form one sequence.
    is_single: bool,
    packs: Vec<Pack>,
    /// What the documents of this run are, by their text.
    routes: Mutex<HashMap<Key, Route>>,
    plan: OnceLock<Plan>,
}

/// What the cluster adds to the keys.
pub(super) struct ServerFacts {
    pub(super) release: Version,
    pub(super) parameters: Vec<GroupVersionKind>,
    pub(super) is_single: bool,
}

impl Cache {
    /// Opens the directory of `flags` for a run with `base`.
    pub(super) fn open(flags: &CacheFlags, base: &Base, around: ServerFacts) -> Result<Self, Diagnostic> {
        let directory = flags.cache.clone().unwrap_or_default();
        let error = |error: io::Error| {
            let message = format!("cannot use {} as a cache: {error}", directory.display());
            Diagnostic::input(Code::Cache, message).help("name a directory that can be created or written")
        };
        fs::create_dir_all(&directory).map_err(error)?;
        let base = Key::of(base.0.iter().map(Vec::as_slice));
        let packs = Pack::of(&directory, base).map_err(error)?;
        let ServerFacts { release, parameters, is_single } = around;
        let limit = flags.cache_size.unwrap_or(DEFAULT_SIZE);
        let plan = OnceLock::new();
        let routes = Mutex::default();
        Ok(Self { directory, limit, base, release, parameters, is_single, packs, routes, plan })
    }

    /// Returns what an earlier run found a document with the text of this key to be.
    fn route(&self, text: Key) -> Option<Route> {
        let found = self.packs.iter().find_map(|pack| pack.routes.get(&text));
        found.cloned().or_else(|| self.routes().get(&text).cloned())
    }

    fn routes(&self) -> MutexGuard<'_, HashMap<Key, Route>> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entry(&self, key: Key) -> Option<(usize, &Entry)> {
        self.packs.iter().enumerate().find_map(|(position, pack)| Some((position, pack.entries.get(&key)?)))
    }

    /// Returns the entry of a sequence that an earlier run answered.
    fn known(&self, sequence: u32) -> Option<(&Pack, &Entry)> {
        let sequence = self.plan.get()?.sequences.get(sequence as usize)?;
        let (pack, key) = (&self.packs[sequence.pack?], sequence.key);
        Some((pack, pack.entries.get(&key)?))
    }

    /// Sets what is to be evaluated.
    pub(super) fn begin(&self, plan: Plan) {
        assert!(self.plan.set(plan).is_ok(), "documents are read once");
    }

    /// Records that a value of a Secret was masked in a result of `sequence`.
    pub(super) fn mark_masked(&self, sequence: u32) {
        if let Some(sequence) = self.plan.get().and_then(|plan| plan.sequences.get(sequence as usize)) {
            sequence.is_masked.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the name of the `nth` object of a known sequence if it was refused.
    pub(super) fn refused(&self, sequence: u32, nth: u32) -> Option<&str> {
        let (_, entry) = self.known(sequence)?;
        let found = entry.refused.binary_search_by_key(&nth, |(position, _)| *position).ok()?;
        Some(&entry.refused[found].1)
    }

    /// Returns the sequence with the documents of `namespace`.
    pub(super) fn sequence_of(&self, namespace: &str) -> Option<u32> {
        self.plan.get()?.numbers.get(if self.is_single { "" } else { namespace }).copied()
    }

    /// Whether an earlier run answered `sequence`.
    pub(super) fn is_known(&self, sequence: u32) -> bool {
        self.known(sequence).is_some()
    }

    /// Whether the `nth` object of a known sequence is the first for which controllers repeat requests.
    pub(super) fn waits_first(&self, sequence: u32, nth: u32) -> bool {
        self.known(sequence).is_some_and(|(_, entry)| entry.first_waiting == Some(nth))
    }

    /// Returns the number of known results of repeated requests in `sequence`.
    pub(super) fn later(&self, sequence: u32) -> usize {
        self.known(sequence).map_or(0, |(_, entry)| entry.later.len())
    }

    /// Adds the counts of all known sequences to `summary`, and returns whether something in them was masked.
    pub(super) fn add_known(&self, summary: &mut Summary) -> bool {
        let mut is_masked = false;
        for (_, entry) in self.each_known() {
            summary.join(entry.counts.clone().into());
            is_masked |= entry.is_masked;
        }
        is_masked
    }

    /// Replaces the quotas in `quotas` that a known sequence used by what it made of them.
    pub(super) fn replace_quotas(&self, quotas: &mut Vec<QuotaUse>) {
        let Some(plan) = self.plan.get() else { return };
        quotas.retain(|quota| {
            let sequence = self.sequence_of(&quota.namespace);
            sequence.is_none_or(|number| plan.sequences[number as usize].pack.is_none())
        });
        let lines = self.each_known().flat_map(|(_, entry)| &entry.quotas);
        quotas.extend(lines.filter_map(|line| match StoredLine::read(line) {
            Ok(StoredLine::Quota(quota)) => Some(quota),
            _ => None,
        }));
        quotas.sort_by(|one, other| (&one.namespace, &one.name).cmp(&(&other.namespace, &other.name)));
    }

    fn each_known(&self) -> impl Iterator<Item = (&Pack, &Entry)> {
        let count = self.plan.get().map_or(0, |plan| plan.sequences.len());
        (0..count).filter_map(|sequence| self.known(u32::try_from(sequence).ok()?))
    }

    /// Stores what `keeper` kept, with the usage of `quotas`, and removes what was not used for the longest time. The
    /// results are right without all that, so that an error is a warning.
    pub(super) fn end(&self, keeper: Keeper<'_>, quotas: &[QuotaUse]) -> Option<Diagnostic> {
        let ended = keeper.end(self, quotas).and_then(|()| self.shrink());
        let error = ended.err()?;
        let message = format!("cannot write to the cache {}: {error}", self.directory.display());
        Some(Diagnostic::warning(Code::Cache, message))
    }

    /// Marks the used packs as new, and removes the oldest ones until the others fit.
    fn shrink(&self) -> io::Result<()> {
        let used = self.plan.get().into_iter().flat_map(|plan| &plan.sequences).filter_map(|one| one.pack);
        let used: BTreeSet<usize> = used.collect();
        for position in used {
            self.packs[position].touch();
        }
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let name = entry.file_name();
            let is_ours = name.to_string_lossy().ends_with(SUFFIX);
            // Another run may remove it, too.
            let Some(metadata) = entry.metadata().ok().filter(|_| is_ours) else { continue };
            found.push((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), metadata.len(), entry.path()));
        }
        found.sort();
        let mut total: u64 = found.iter().map(|(_, length, _)| length).sum();
        for (_, length, path) in found {
            if total <= self.limit {
                break;
            }
            let _ = fs::remove_file(path);
            total -= length;
        }
        Ok(())
    }

    /// Returns the name of a file that no other run writes.
    fn temporary(&self) -> PathBuf {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        self.directory.join(format!(".{}-{}.tmp", process::id(), now.as_nanos()))
    }
}

/// Returns the SHA-256 of what `reader` has.
fn digest_of(mut reader: impl Read) -> io::Result<[u8; 32]> {
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 17]);
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(hash.finalize().into()),
            count => hash.update(&buffer[..count]),
        }
    }
}
