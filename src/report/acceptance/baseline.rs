//! `--baseline`: the known findings.
//!
//! A finding is identified by its rule, the object and the message; not by its place, which moves, nor by generated
//! values.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::report::acceptance::Candidate;
use crate::report::subject::Subject;

/// Findings with the number of their occurrences: in the file, and in this run.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    known: BTreeMap<Finding, usize>,
    found: BTreeMap<Finding, usize>,
    is_updated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    object: String,
    rule: String,
    verdict: Verdict,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Denied,
    Warned,
}

/// The file.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    api_version: ApiVersion,
    kind: Kind,
    findings: Vec<FindingEntry>,
}

#[derive(Deserialize, Serialize)]
enum ApiVersion {
    #[serde(rename = "kadmit.dev/v1alpha1")]
    V1Alpha1,
}

#[derive(Deserialize, Serialize)]
enum Kind {
    Baseline,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct FindingEntry {
    object: String,
    rule: String,
    verdict: Verdict,
    message: String,
    count: usize,
}

/// Line numbers in messages about unreadable text.
static LINE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bline \d+\b").expect("a regular expression"));

/// The usage by others in a quota's message.
static USED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bused: \S+, limited: ").expect("a regular expression"));

impl Baseline {
    /// Reads the text of the file.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        let file: File = serde_json::from_str(text)?;
        let mut known = BTreeMap::new();
        for FindingEntry { object, rule, verdict, message, count } in file.findings {
            *known.entry(Finding { object, rule, verdict, message }).or_default() += count;
        }
        Ok(Self { known, ..Self::default() })
    }

    /// Returns the same baseline in a mode that adds unknown findings.
    #[must_use]
    pub fn updated(self) -> Self {
        Self { is_updated: true, ..self }
    }

    /// Returns the text of a file with all findings: sorted, one entry per finding.
    pub fn to_text(&self) -> serde_json::Result<String> {
        let entry = |(finding, count): (&Finding, &usize)| {
            let Finding { object, rule, verdict, message } = finding.clone();
            FindingEntry { object, rule, verdict, message, count: *count }
        };
        let findings = self.found.iter().map(entry).collect();
        let file = File { api_version: ApiVersion::V1Alpha1, kind: Kind::Baseline, findings };
        Ok(serde_json::to_string_pretty(&file)? + "\n")
    }

    /// Returns the number of findings in this run.
    pub fn found(&self) -> usize {
        self.found.values().sum()
    }

    /// Returns the number of findings of the file that did not occur.
    pub fn resolved(&self) -> usize {
        missing(&self.known, &self.found)
    }

    /// Returns the number of findings that were not in the file.
    pub fn added(&self) -> usize {
        missing(&self.found, &self.known)
    }

    /// Counts the finding `said`, and returns whether it is known.
    pub(super) fn knows(&mut self, said: &Candidate<'_>) -> bool {
        let finding = Finding::of(said);
        let known = self.known.get(&finding).copied().unwrap_or_default();
        let found = self.found.entry(finding).or_default();
        *found += 1;
        self.is_updated || *found <= known
    }
}

/// Returns the number of `findings` that are not among `others`.
fn missing(findings: &BTreeMap<Finding, usize>, others: &BTreeMap<Finding, usize>) -> usize {
    let among_others = |finding| others.get(finding).copied().unwrap_or_default();
    findings.iter().map(|(finding, count)| count.saturating_sub(among_others(finding))).sum()
}

impl Finding {
    fn of(said: &Candidate<'_>) -> Self {
        let subject = Subject::of(said.request);
        Self {
            object: subject.without_generated_name(&subject.identity()),
            rule: said.rule.to_owned(),
            verdict: if said.is_refusal { Verdict::Denied } else { Verdict::Warned },
            message: stable(&subject.without_generated_name(&said.message)),
        }
    }
}

/// Returns `message` without the parts that depend on other objects.
fn stable(message: &str) -> String {
    let message = LINE.replace_all(message, "line …");
    USED.replace_all(&message, "used: …, limited: ").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{
  \"apiVersion\": \"kadmit.dev/v1alpha1\",
  \"kind\": \"Baseline\",
  \"findings\": [
    {
      \"object\": \"Pod shop/web\",
      \"rule\": \"PodSecurity\",
      \"verdict\": \"denied\",
      \"message\": \"no\",
      \"count\": 2
    }
  ]
}
";

    #[test]
    fn what_was_found_is_what_is_read() {
        let Baseline { known, .. } = Baseline::read(TEXT).unwrap();
        let baseline = Baseline { found: known, ..Baseline::default() };
        assert_eq!(baseline.to_text().unwrap(), TEXT);
        assert_eq!((baseline.found(), baseline.added(), baseline.resolved()), (2, 2, 0));
    }

    #[test]
    fn what_is_no_baseline_is_refused_with_its_place() {
        let refused = |text: &str| Baseline::read(text).unwrap_err().to_string();
        assert_eq!(refused("{}"), "missing field `apiVersion` at line 1 column 2");
        assert_eq!(
            refused(&TEXT.replace("\"count\": 2", "\"count\": 2, \"line\": 3")),
            "unknown field `line`, expected one of `object`, `rule`, `verdict`, `message`, `count` at line 10 column 24"
        );
        assert_eq!(
            refused(&TEXT.replace("v1alpha1", "v9")),
            "unknown variant `kadmit.dev/v9`, expected `kadmit.dev/v1alpha1` at line 2 column 31"
        );
    }

    #[test]
    fn what_others_use_and_where_it_stands_do_not_count() {
        assert_eq!(
            stable("exceeded quota: q, requested: pods=1, used: cpu=1,pods=4, limited: pods=4"),
            "exceeded quota: q, requested: pods=1, used: …, limited: pods=4"
        );
        assert_eq!(stable("json: line 12: offline 3"), "json: line …: offline 3");
    }
}
