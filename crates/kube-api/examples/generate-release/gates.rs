//! The feature gates with their history.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::document::Documents;
use crate::notes::Notes;
use crate::release::{MADE_BY, minor};

/// Returns the table, and where the notes differ from the published list.
pub(crate) fn table(documents: &Documents, notes: &Notes) -> (String, Vec<String>) {
    let mut problems = Vec::new();
    let mut text =
        format!("# {} and feature-gates-v{}.json; {MADE_BY}\n", notes.gates.source, documents.release);
    text.push_str(
        "# Name, then release:stage of each change, `on` by default, `locked` to the default; the gates it needs.\n\n",
    );
    let mut known = BTreeSet::new();
    let mut previous = "";
    for line in notes.gates.lines() {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        if name <= previous {
            problems.push(format!("gate {name}: not in order after {previous}"));
        }
        previous = name;
        known.insert(name);
        let (mut history, mut needs, mut unpublished) = (Vec::new(), None, false);
        for word in words {
            match word.split_once(':') {
                Some(("needs", gates)) => needs = Some(gates),
                Some(change) => history.push(change),
                None if word == "unpublished" => unpublished = true,
                None => problems.push(format!("gate {name}: unknown word {word}")),
            }
        }
        problems.extend(problem(documents, name, &history, unpublished));
        text.push_str(name);
        for (release, state) in history {
            let _ = write!(text, " {release}:{state}");
        }
        if let Some(needs) = needs {
            let _ = write!(text, " needs:{needs}");
        }
        text.push('\n');
    }
    for (name, gate) in documents.gates.iter().filter(|(name, _)| !known.contains(name.as_str())) {
        let stage = gate["stage"].as_str().unwrap_or_default().to_lowercase();
        let on = if gate["default"] == true { ",on" } else { "" };
        problems.push(format!(
            "gate {name}: published, the notes lack it; likely `{name} {}:{stage}{on}`",
            documents.release
        ));
    }
    (text, problems)
}

/// Returns the contradiction between the history of a gate and the published data.
fn problem(documents: &Documents, name: &str, history: &[(&str, &str)], unpublished: bool) -> Option<String> {
    let Some((since, change)) = history.last() else { return Some(format!("gate {name}: no history")) };
    if minor(since) > minor(&documents.release) || !history.is_sorted_by_key(|(since, _)| minor(since)) {
        return Some(format!("gate {name}: its releases are not in order"));
    }
    let mut words = change.split(',');
    let stage = words.next().unwrap_or_default();
    let marks: Vec<_> = words.collect();
    let published = documents.gates.get(name);
    let Some(published) = published else {
        // The published list has only those that are neither stable nor deprecated.
        let is_expected = ["alpha", "beta"].contains(&stage) && !marks.contains(&"locked") && !unpublished;
        return is_expected.then(|| format!("gate {name}: {stage} in the notes, not published"));
    };
    let (published_stage, on) =
        (published["stage"].as_str().unwrap_or_default(), published["default"] == true);
    if unpublished || !published_stage.eq_ignore_ascii_case(stage) || on != marks.contains(&"on") {
        let published = format!("{}{}", published_stage.to_lowercase(), if on { ",on" } else { "" });
        return Some(format!("gate {name}: published as {published}, the notes end with {change}"));
    }
    None
}
