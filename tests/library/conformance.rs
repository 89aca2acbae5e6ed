//! Runs every recorded case of `testdata/conformance`, which compares kadmit's handling of a request with that of a
//! real kube-apiserver; of `testdata/conformance-1.30`, the same for a server of that release; of
//! `testdata/conformance-openshift`, the same for OpenShift's servers; and of `testdata/conformance-removed`, the same
//! for the plugins that Kubernetes has removed, by older servers.
//!
//! `KADMIT_CASES=TEXT cargo test --test library conformance -- --nocapture` runs the cases whose path contains TEXT.

#![expect(clippy::print_stdout, reason = "the tally is for whoever runs the tests")]

mod case;
mod compare;
mod script;
#[cfg(feature = "call")]
#[expect(dead_code, reason = "no case has a client certificate")]
mod server;

use std::collections::BTreeMap;
use std::env;
use std::path::Path;

use case::Case;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// The results of the cases in a folder.
#[derive(Default)]
struct Folder {
    agree: usize,
    differ: Vec<String>,
}

#[test]
fn kubernetes() {
    run(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance"));
}

#[test]
fn kubernetes_1_30() {
    run(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance-1.30"));
}

#[cfg(feature = "openshift")]
#[test]
fn openshift() {
    run(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance-openshift"));
}

#[test]
fn removed() {
    run(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance-removed"));
}

/// Runs the cases below `root`, every one of which must agree.
fn run(root: &str) {
    let filter = env::var("KADMIT_CASES").unwrap_or_default();
    let mut folders = BTreeMap::<String, Folder>::new();
    let name_of =
        |path: &Path| path.strip_prefix(root).expect("a path below the cases").display().to_string();
    let mut paths = Case::paths(Path::new(root));
    paths.retain(|path| name_of(path).contains(&filter));
    let answers: Vec<_> = paths.par_iter().map(|path| (name_of(path), answer(path))).collect();
    let deviations = deviations(Path::new(root));
    for (name, answer) in answers {
        let folder = folders.entry(name.split('/').next().unwrap_or_default().to_owned()).or_default();
        match (answer, deviations.contains(&name)) {
            (Ok(()), false) => folder.agree += 1,
            (Ok(()), true) => folder.differ.push(format!("{name}: agrees, but is a deviation")),
            (Err(difference), false) => folder.differ.push(format!("{name}: {difference}")),
            (Err(_), true) => println!("{name} is a known deviation"),
        }
    }
    hold(&folders, filter.is_empty());
}

/// Returns the cases that are known not to agree: those in backticks at the start of a row of `deviations.md`.
fn deviations(root: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(root.join("deviations.md")).unwrap_or_default();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    rows.map(|(name, _)| name.to_owned()).collect()
}

/// Returns the first difference of a case, if there is one; its webhooks first answer in the process and then over
/// HTTPS.
fn answer(path: &Path) -> Result<(), String> {
    Case::read(path).run()?;
    #[cfg(feature = "call")]
    if let Some(case) = Case::served(path) {
        case.run().map_err(|difference| format!("over HTTPS: {difference}"))?;
    }
    Ok(())
}

/// Prints the tally of each folder and fails unless every case agrees, and if `whole` unless there is one.
fn hold(folders: &BTreeMap<String, Folder>, whole: bool) {
    let mut passed = 0;
    for (name, folder) in folders {
        println!("{name:<64} {:>3} of {:>3} agree", folder.agree, folder.agree + folder.differ.len());
        passed += folder.agree;
    }
    let differ: Vec<&str> = folders.values().flat_map(|folder| &folder.differ).map(String::as_str).collect();
    println!("\n{passed} agree, {} differ", differ.len());
    assert!(differ.is_empty(), "{}", differ.join("\n\n"));
    assert!(passed > 0 || !whole, "no case was evaluated");
}
