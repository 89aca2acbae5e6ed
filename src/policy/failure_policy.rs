//! Failure policies of policies and webhooks.

use kube_api::Value;

/// `failurePolicy`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailurePolicy {
    /// The request is refused.
    #[default]
    Fail,
    /// The request continues as if the policy or webhook did not exist.
    Ignore,
}

impl FailurePolicy {
    /// Reads the field `failurePolicy` of `spec`.
    pub fn of(spec: &Value) -> Self {
        if spec["failurePolicy"] == "Ignore" { Self::Ignore } else { Self::Fail }
    }
}
