//! Every recorded case of `testdata/conformance`: what a real kube-apiserver did with a request, and what kadmit
//! does with it; and of `testdata/conformance-openshift`: the same of OpenShift's servers; and of
//! `testdata/conformance-removed`: the same of the plugins that Kubernetes has removed, by older servers.
//!
//! `cargo test --test conformance -- FILTER` runs the cases whose path contains FILTER and prints every difference.

#![expect(clippy::print_stdout, reason = "the tally is for whoever runs the tests")]

mod conformance {
    pub(crate) mod case;
    pub(crate) mod compare;
    pub(crate) mod script;
    #[cfg(feature = "call")]
    pub(crate) mod server;
}

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use conformance::case::{Case, Need};

const CASES: [&str; 3] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance-openshift"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance-removed"),
];

/// How the cases of a folder came out.
#[derive(Default)]
struct Folder {
    agree: usize,
    differ: Vec<String>,
    not_built: BTreeMap<Need, usize>,
}

fn main() -> ExitCode {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let mut folders = BTreeMap::<String, Folder>::new();
    for (root, path) in CASES
        .into_iter()
        .flat_map(|root| Case::paths(Path::new(root)).into_iter().map(move |path| (root, path)))
    {
        let name = path.strip_prefix(root).expect("a path below the cases").display().to_string();
        if !name.contains(&filter) {
            continue;
        }
        let folder = folders.entry(name.split('/').next().unwrap_or_default().to_owned()).or_default();
        let case = Case::read(&path);
        if let Some(need) = case.need() {
            *folder.not_built.entry(need).or_default() += 1;
            continue;
        }
        match answer(&case, &path) {
            Ok(()) => folder.agree += 1,
            Err(difference) => folder.differ.push(format!("{name}: {difference}")),
        }
    }
    print(&folders)
}

/// The first difference of a case, if there is one; its webhooks answer in place first and then over HTTPS.
#[cfg_attr(not(feature = "call"), expect(unused_variables, reason = "no webhook is called"))]
fn answer(case: &Case, path: &Path) -> Result<(), String> {
    case.run()?;
    #[cfg(feature = "call")]
    if let Some(case) = Case::served(path) {
        case.run().map_err(|difference| format!("over HTTPS: {difference}"))?;
    }
    Ok(())
}

fn print(folders: &BTreeMap<String, Folder>) -> ExitCode {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for (name, folder) in folders {
        let not_built: usize = folder.not_built.values().sum();
        let evaluated = folder.agree + folder.differ.len();
        let needs: Vec<String> =
            folder.not_built.iter().map(|(need, count)| format!("{count} need {need}")).collect();
        println!("{name:<64} {:>3} of {evaluated:>3} agree  {}", folder.agree, needs.join(", "));
        passed += folder.agree;
        failed += folder.differ.len();
        skipped += not_built;
    }
    for difference in folders.values().flat_map(|folder| &folder.differ) {
        println!("\n{difference}");
    }
    println!("\n{passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
