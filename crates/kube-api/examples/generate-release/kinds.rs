//! The registered kinds, and the deprecated ones among them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use crate::document::Documents;
use crate::notes::Notes;
use crate::release::{MADE_BY, api_version};

/// Kinds that every group version has.
const EVERYWHERE: [&str; 2] = ["DeleteOptions", "WatchEvent"];

/// Returns the tables of registered and of deprecated kinds, and the errors in them.
pub(crate) fn tables(documents: &Documents, notes: &Notes) -> (String, String, Vec<String>) {
    let mut problems = Vec::new();
    let mut registered: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut kinds =
        format!("# {}; {MADE_BY}\n# One group version per line, then its kinds.\n", notes.kinds.source);
    let mut marks = BTreeMap::new();
    let mut version = "";
    for line in notes.kinds.lines() {
        let Some(line) = line.strip_prefix("  ") else {
            version = line;
            let _ = write!(kinds, "\n{version}");
            continue;
        };
        let (kind, lifecycle) = line.split_once(' ').unwrap_or((line, ""));
        let _ = write!(kinds, " {kind}");
        registered.entry(version).or_default().insert(kind);
        if !lifecycle.is_empty() {
            match deprecation(lifecycle) {
                Some(deprecation) => {
                    marks.insert(format!("{version} {kind}"), deprecation);
                }
                None => problems.push(format!("{version} {kind}: {lifecycle}")),
            }
        }
    }
    kinds.push('\n');
    let mut deprecations = format!(
        "# {}; {MADE_BY}\n# Version and kind, the releases from which it is deprecated and removed, what to use instead.\n\n",
        notes.kinds.source
    );
    for (kind, deprecation) in marks {
        let _ = writeln!(deprecations, "{kind} {deprecation}");
    }
    for (version, kind) in published(documents, notes) {
        if !registered.get(version.as_str()).is_some_and(|kinds| kinds.contains(kind)) {
            problems.push(format!("{version} {kind}: published, and not among the registered kinds"));
        }
    }
    (kinds, deprecations, problems)
}

/// Returns `1.19 1.22 apps/v1 Deployment`, with `-` where a deprecated kind stays.
fn deprecation(lifecycle: &str) -> Option<String> {
    let marks: Option<BTreeMap<_, _>> = lifecycle.split(' ').map(|word| word.split_once(':')).collect();
    let mut marks = marks?;
    let since = marks.remove("deprecated")?;
    let removed = marks.remove("removed").unwrap_or("-");
    let replacement = match marks.remove("replacement") {
        Some(path) => {
            let (version, kind) = path.rsplit_once('.')?;
            format!(" {version} {kind}")
        }
        None => String::new(),
    };
    marks.is_empty().then(|| format!("{since} {removed}{replacement}"))
}

/// Returns the kinds in the documents.
fn published<'a>(documents: &'a Documents, notes: &Notes) -> BTreeSet<(String, &'a str)> {
    let word = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let mut kinds = BTreeSet::new();
    let left_out: BTreeSet<_> = notes.left_out.lines().collect();
    let types = documents.definitions.iter().filter(|(name, _)| !left_out.contains(name.as_str()));
    let of_types = types.flat_map(|(_, definition)| {
        definition["x-kubernetes-group-version-kind"].as_array().into_iter().flatten()
    });
    let of_resources = documents.resources.iter();
    let below = documents
        .resources
        .iter()
        .flat_map(|resource| resource["subresources"].as_array().into_iter().flatten());
    for found in of_types.chain(of_resources).chain(below) {
        let kind = found["kind"].as_str().unwrap_or_default();
        if !EVERYWHERE.contains(&kind) {
            kinds.insert((api_version(&word(found, "group"), &word(found, "version")), kind));
        }
    }
    kinds
}
