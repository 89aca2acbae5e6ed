//! What a policy or webhook did in a run, as JSON.

use serde::Serialize;

use crate::admission::Hook;
use crate::evaluation::HookUse;

/// A line of `-o jsonl` about a policy or webhook.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum HookLine<'a> {
    Policy(HookEntry<'a>),
    Webhook(HookEntry<'a>),
}

/// What a policy or webhook did.
#[derive(Serialize)]
pub(super) struct HookEntry<'a> {
    kind: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    webhook: &'a str,
    #[serde(flatten)]
    own: &'a HookUse,
}

impl<'a> HookEntry<'a> {
    pub(super) fn of((hook, own): (&'a Hook, &'a HookUse)) -> Self {
        Self { kind: &hook.kind, name: &hook.name, webhook: &hook.webhook, own }
    }

    pub(super) fn is_webhook(&self) -> bool {
        !self.webhook.is_empty()
    }

    pub(super) fn into_line(self) -> HookLine<'a> {
        if self.is_webhook() { HookLine::Webhook(self) } else { HookLine::Policy(self) }
    }
}
