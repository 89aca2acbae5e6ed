//! Whole scenarios: compares a cluster's handling of directories of manifests with the program's.
//!
//! `testdata/scenarios/` has the results of a real kubectl, API server and controller manager for each step. The
//! program keeps no state, so every step gets the objects that existed before it as `--cluster`. Differences are
//! compared by equality with `testdata/scenarios/deviations.txt`, which has a reason for each scenario.

mod answers;
mod made;
mod story;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/scenarios")
}

/// Scenarios that are known to differ, each with the reason.
fn deviations() -> BTreeMap<String, String> {
    let text = fs::read_to_string(directory().join("deviations.txt")).expect("the deviations");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| line.split_once(": ").expect("a name and a reason"))
        .map(|(a, b)| (a.into(), b.into()))
        .collect()
}

#[test]
fn stories_end_as_they_did_in_a_cluster() {
    let mut files: Vec<PathBuf> = fs::read_dir(directory())
        .expect("the scenarios")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    assert_eq!(files.len(), 60);
    let known = deviations();
    let (mut wrong, mut deviating) = (Vec::new(), BTreeSet::new());
    let mut agreements = 0;
    for file in &files {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let (agreed, differences) = story::play(file);
        agreements += agreed;
        if differences.is_empty() {
            continue;
        }
        if known.contains_key(&name) {
            deviating.insert(name);
        } else {
            wrong.extend(differences.iter().map(|difference| format!("{name} {difference}")));
        }
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
    let agrees: Vec<_> = known.keys().filter(|name| !deviating.contains(*name)).collect();
    assert!(agrees.is_empty(), "no deviation any more: {agrees:?}");
    assert!(agreements > 600, "only {agreements} things were compared");
}
