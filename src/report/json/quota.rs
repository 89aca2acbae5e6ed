//! The usage of each quota after a run, as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::evaluation::{Amounts, QuotaUse};
use kube_api::Name;

/// A line of `-o jsonl` about a quota.
#[derive(Serialize)]
pub(super) struct QuotaLine<'a> {
    pub(super) quota: QuotaEntry<'a>,
}

/// The usage of a quota after a run.
#[derive(Serialize)]
pub(super) struct QuotaEntry<'a> {
    namespace: &'a str,
    name: &'a str,
    resources: BTreeMap<&'a str, AmountsEntry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by: Vec<QuotaUserEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'a str>,
}

#[derive(Serialize)]
struct AmountsEntry<'a> {
    hard: &'a str,
    before: &'a str,
    after: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QuotaUserEntry {
    api_version: String,
    kind: Name,
    namespace: String,
    name: String,
    used: BTreeMap<String, String>,
}

impl<'a> QuotaEntry<'a> {
    pub(super) fn of(quota: &'a QuotaUse) -> Self {
        let amounts = |amounts: &'a Amounts| AmountsEntry {
            hard: &amounts.hard,
            before: &amounts.before,
            after: &amounts.after,
        };
        let by = quota.by.iter().map(|user| QuotaUserEntry {
            api_version: user.kind.api_version(),
            kind: user.kind.kind,
            namespace: user.namespace,
            name: user.name,
            used: user.used,
        });
        Self {
            namespace: &quota.namespace,
            name: &quota.name,
            resources: quota.resources.iter().map(|(name, own)| (name.as_str(), amounts(own))).collect(),
            by: by.collect(),
            run: quota.run.as_deref(),
        }
    }
}
