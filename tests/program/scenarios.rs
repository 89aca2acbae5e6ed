//! Whole scenarios: compares a cluster's handling of directories of manifests with the program's.
//!
//! `testdata/scenarios/` has the results of a real kubectl, API server and controller manager for each step. The
//! program keeps no state, so every step gets the objects that existed before it as `--cluster`. Differences are
//! compared by equality with `testdata/scenarios/deviations.txt`, which has a reason for each scenario. The same steps
//! are sent to a server over HTTP; `served.txt` has where its answers differ from the program's.

mod answers;
mod made;
mod served;
mod story;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/scenarios")
}

/// Returns the scenarios that are known to differ, each with its differences: the indented lines after its reason.
fn deviations(file: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(directory().join(file)).expect("the deviations");
    let mut known = BTreeMap::<String, String>::new();
    let mut name = "";
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(difference) = line.strip_prefix("  ") {
            let differences = known.get_mut(name).expect("a name and a reason before a difference");
            differences.push_str(difference);
            differences.push('\n');
        } else {
            name = line.split_once(": ").expect("a name and a reason").0;
            known.insert(name.to_owned(), String::new());
        }
    }
    known
}

#[test]
fn stories_end_as_they_did_in_a_cluster() {
    let mut files: Vec<PathBuf> = fs::read_dir(directory())
        .expect("the scenarios")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no scenario is there");
    let known = ["deviations.txt", "served.txt"].map(deviations);
    let names = known.iter().flat_map(BTreeMap::keys);
    let unknown: Vec<_> = names.filter(|name| !directory().join(format!("{name}.yaml")).is_file()).collect();
    assert!(unknown.is_empty(), "no scenarios: {unknown:?}");
    let mut wrong = Vec::new();
    for file in &files {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let played = story::play(file);
        for (differences, known) in [played.from_cluster, played.served].iter().zip(&known) {
            let differences: String =
                differences.iter().flat_map(|difference| [difference.as_str(), "\n"]).collect();
            let expected = known.get(&name).map_or("", String::as_str);
            if differences != expected {
                wrong.push(format!("{name}\n{differences}  expected:\n{expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} scenarios\n{}", wrong.len(), wrong.join("\n"));
}
