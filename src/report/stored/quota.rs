//! Lines of quotas, and the usage of a quota over several runs.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::evaluation::{Amounts, QuotaUse, QuotaUser};
use kube_api::GroupVersionKind;

/// A line of `-o jsonl` about a quota.
#[derive(Deserialize)]
pub(super) struct QuotaLine {
    pub(super) quota: QuotaEntry,
}

/// The usage of a quota after a run.
#[derive(Deserialize)]
pub(super) struct QuotaEntry {
    namespace: String,
    name: String,
    resources: BTreeMap<String, AmountsEntry>,
    #[serde(default)]
    by: Vec<QuotaUserEntry>,
    #[serde(default)]
    run: Option<String>,
}

#[derive(Deserialize)]
struct AmountsEntry {
    hard: String,
    before: String,
    after: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct QuotaUserEntry {
    api_version: String,
    kind: String,
    namespace: String,
    name: String,
    used: BTreeMap<String, String>,
}

impl From<QuotaEntry> for QuotaUse {
    fn from(entry: QuotaEntry) -> Self {
        let amounts = |AmountsEntry { hard, before, after }| Amounts { hard, before, after };
        let user = |user: QuotaUserEntry| QuotaUser {
            kind: GroupVersionKind::from_api_version(&user.api_version, &user.kind),
            namespace: user.namespace,
            name: user.name,
            used: user.used,
        };
        Self {
            namespace: entry.namespace,
            name: entry.name,
            resources: entry.resources.into_iter().map(|(name, own)| (name, amounts(own))).collect(),
            by: entry.by.into_iter().map(user).collect(),
            run: entry.run,
        }
    }
}
