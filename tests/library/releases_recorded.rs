//! Compares kadmit with kube-apiservers of older releases: `testdata/releases-recorded`, whose README describes the
//! records.
//!
//! `KADMIT_RELEASES=FOLDER cargo test --test library releases_recorded -- --nocapture` compares the records of another
//! folder, one folder per release, and `KADMIT_SHOW_DIFFERENCES=FILE` writes every difference to a file.

#![expect(clippy::print_stdout, reason = "the tally is for whoever runs the tests")]

mod difference;
mod record;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use rayon::prelude::*;

use difference::Difference;
use record::{Record, Server};

/// The records that one server answers before the next is made.
const AT_ONCE: usize = 250;

/// How many records agree.
#[derive(Clone, Copy, Default)]
struct Tally {
    all: usize,
    whole: usize,
    codes: usize,
}

#[test]
fn agrees_with_servers_of_older_releases() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/releases-recorded");
    let other = std::env::var_os("KADMIT_RELEASES");
    let folder = other.as_deref().map_or(&*own, Path::new);
    let records = record::read_all(folder);
    assert!(!records.is_empty(), "no record in {}", folder.display());
    let differences: Vec<_> = records
        .par_chunks(AT_ONCE)
        .flat_map_iter(|records| {
            let mut servers = BTreeMap::new();
            records.iter().map(move |record| {
                let release = record.release.as_str();
                servers.entry(release).or_insert_with(|| Server::of(release)).differences(record)
            })
        })
        .collect();
    let mut tallies = BTreeMap::<&str, Tally>::new();
    for (record, differences) in records.iter().zip(&differences) {
        let tally = tallies.entry(&record.release).or_default();
        tally.all += 1;
        tally.whole += usize::from(differences.is_empty());
        tally.codes += usize::from(!differences.iter().any(|difference| difference.what == "code"));
    }
    for (release, Tally { all, whole, codes }) in &tallies {
        println!("{release}: {whole} of {all} agree whole, {codes} in the code");
    }
    report(&records, &differences);
    let deviations = record::deviations(&own);
    let named: BTreeSet<&str> = deviations.iter().map(String::as_str).collect();
    let mut faults = String::new();
    let mut seen = BTreeSet::new();
    for (record, differences) in records.iter().zip(&differences) {
        seen.insert(record.name.as_str());
        match (named.contains(record.name.as_str()), differences.is_empty()) {
            (false, false) if other.is_none() => {
                let _ = writeln!(faults, "{}: {}", record.name, differences[0].text);
            }
            (true, true) => {
                let _ = writeln!(faults, "{}: agrees, but is a deviation", record.name);
            }
            _ => {}
        }
    }
    if other.is_none() {
        let gone: Vec<_> = named.difference(&seen).collect();
        assert!(gone.is_empty(), "deviations without a record: {gone:?}");
    }
    assert!(faults.is_empty(), "{faults}");
}

/// Writes every difference to the file that the environment names, the most frequent kind first.
fn report(records: &[Record], differences: &[Vec<Difference>]) {
    let Some(file) = std::env::var_os("KADMIT_SHOW_DIFFERENCES") else { return };
    let mut kinds = BTreeMap::<&str, Vec<(&Record, &Difference)>>::new();
    for (record, differences) in records.iter().zip(differences) {
        for difference in differences {
            kinds.entry(&difference.kind).or_default().push((record, difference));
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(kind, found)| (std::cmp::Reverse(found.len()), *kind));
    let mut text = String::new();
    for (kind, found) in kinds {
        let _ = writeln!(text, "=== {} x {kind}", found.len());
        for (record, difference) in found {
            let _ = writeln!(text, "{}\n{}", record.name, difference.text);
        }
    }
    fs::write(file, text).expect("a file that can be written");
}
