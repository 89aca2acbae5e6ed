//! Lines about policies and webhooks.

use serde::Deserialize;

use crate::admission::Hook;
use crate::evaluation::HookUse;

/// A line of `-o jsonl` about a policy or webhook.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum HookLine {
    Policy(HookEntry),
    Webhook(HookEntry),
}

/// What a policy or webhook did.
#[derive(Deserialize)]
pub(super) struct HookEntry {
    kind: String,
    name: String,
    #[serde(default)]
    webhook: String,
    #[serde(flatten)]
    own: HookUse,
}

impl From<HookLine> for (Hook, HookUse) {
    fn from(line: HookLine) -> Self {
        let (HookLine::Policy(entry) | HookLine::Webhook(entry)) = line;
        let HookEntry { kind, name, webhook, own } = entry;
        (Hook { kind: kind.into(), name, webhook }, own)
    }
}
