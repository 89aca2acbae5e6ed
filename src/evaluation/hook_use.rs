//! What policies and webhooks did in a run, and with which requests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::admission::{Effect, Hook};

/// What a policy or webhook did with the requests of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct HookUse {
    /// The requests of the run that it could have been for.
    pub requests: usize,
    /// Those of them for which it was evaluated or called.
    pub evaluated: usize,
    /// Those of them that it changed.
    pub changed: usize,
    /// Those of them that it warned of, or marked in the audit event.
    pub reported: usize,
    /// Those of them that it refused.
    pub denied: usize,
    /// Those of them for which it failed, and its failure policy ignored that.
    pub failed_open: usize,
    /// The requests for which it would be called, if webhooks were.
    pub skipped: usize,
    /// The other requests, by what they do not match.
    pub not_matched: BTreeMap<String, usize>,
    /// The first failure that was ignored.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub failure: String,
    /// What is wrong with it, whatever the requests are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl HookUse {
    /// Counts a request.
    pub fn count(&mut self, effect: &Effect) {
        self.requests += 1;
        self.evaluated += usize::from(*effect >= Effect::Evaluated);
        match effect {
            Effect::NotMatched(mismatch) => *self.not_matched.entry(mismatch.to_string()).or_default() += 1,
            Effect::Skipped => self.skipped += 1,
            Effect::Evaluated => {}
            Effect::Changed => self.changed += 1,
            Effect::FailedOpen(error) => {
                self.failed_open += 1;
                if self.failure.is_empty() {
                    self.failure.clone_from(error);
                }
            }
            Effect::Reported => self.reported += 1,
            Effect::Denied => self.denied += 1,
        }
    }

    /// Adds what it did in another run.
    pub fn join(&mut self, other: Self) {
        self.requests += other.requests;
        self.evaluated += other.evaluated;
        self.changed += other.changed;
        self.reported += other.reported;
        self.denied += other.denied;
        self.failed_open += other.failed_open;
        self.skipped += other.skipped;
        for (mismatch, count) in other.not_matched {
            *self.not_matched.entry(mismatch).or_default() += count;
        }
        if self.failure.is_empty() {
            self.failure = other.failure;
        }
        for remark in other.remarks {
            if !self.remarks.contains(&remark) {
                self.remarks.push(remark);
            }
        }
    }

    /// Whether something is wrong with it.
    pub fn is_faulty(&self) -> bool {
        self.failed_open > 0 || !self.remarks.is_empty()
    }

    /// Whether its author should look at it: it did nothing at all, or something is wrong.
    pub fn is_suspicious(&self) -> bool {
        let is_idle = self.requests > 0 && self.evaluated == 0 && self.skipped == 0;
        is_idle || self.is_faulty()
    }

    /// Returns `evaluated 3 of 12 requests, denied 1; not matched 9 (rules 7, matchCondition never 2)`; of a hook that
    /// may change objects, also that it changed none.
    pub fn says(&self, hook: &Hook) -> String {
        let requests = if self.requests == 1 { "request" } else { "requests" };
        let mut text = format!("evaluated {} of {} {requests}", self.evaluated, self.requests);
        for (did, count) in [
            ("changed", self.changed),
            ("reported", self.reported),
            ("denied", self.denied),
            ("failed open", self.failed_open),
            ("not called", self.skipped),
        ] {
            if count > 0 {
                text.extend([", ", did, " ", &count.to_string()]);
            }
        }
        if hook.mutates() && self.evaluated > self.denied + self.failed_open && self.changed == 0 {
            text.push_str(", changed nothing");
        }
        let missed: usize = self.not_matched.values().sum();
        if missed > 0 {
            let causes = self.not_matched.iter().map(|(cause, count)| format!("{cause} {count}"));
            let causes = causes.collect::<Vec<_>>().join(", ");
            text.extend(["; not matched ", &missed.to_string(), " (", &causes, ")"]);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::Mismatch;

    #[test]
    fn says_what_a_policy_did() {
        let mut own = HookUse::default();
        assert!(!own.is_suspicious());
        own.count(&Effect::NotMatched(Mismatch::Rules));
        own.count(&Effect::NotMatched(Mismatch::Condition("never".into())));
        assert!(own.is_suspicious());
        own.count(&Effect::Denied);
        assert!(!own.is_suspicious());
        let hook = |kind: &str| Hook {
            kind: kind.to_owned().into(),
            name: "own".to_owned(),
            webhook: String::new(),
        };
        let missed = "not matched 2 (matchCondition never 1, rules 1)";
        let validating = hook("ValidatingAdmissionPolicy");
        assert_eq!(own.says(&validating), format!("evaluated 1 of 3 requests, denied 1; {missed}"));
        own.count(&Effect::Evaluated);
        assert_eq!(own.says(&validating), format!("evaluated 2 of 4 requests, denied 1; {missed}"));
        assert_eq!(
            own.says(&hook("MutatingAdmissionPolicy")),
            format!("evaluated 2 of 4 requests, denied 1, changed nothing; {missed}")
        );
    }
}
