//! The state that plugins keep for a request between the two runs of the mutating chain.
//!
//! Source: `k8s.io/apiserver/pkg/admission/reinvocation.go`, and the contexts of policies and webhooks, which are alike.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube_api::Object;

/// Whether the mutating chain runs again, and what the plugins remember for that run.
#[derive(Clone, Debug, Default)]
pub struct ReinvocationContext {
    should_reinvoke: bool,
    plugins: BTreeMap<&'static str, Invocations>,
}

impl ReinvocationContext {
    /// Requests a second run.
    pub fn set_should_reinvoke(&mut self) {
        self.should_reinvoke = true;
    }

    /// Whether a plugin requested a second run.
    pub fn should_reinvoke(&self) -> bool {
        self.should_reinvoke
    }

    /// Returns the state of the plugin called `name`.
    pub fn of(&mut self, name: &'static str) -> &mut Invocations {
        self.plugins.entry(name).or_default()
    }
}

/// The webhooks or policies that a plugin called, by the plugin's own keys.
#[derive(Clone, Debug, Default)]
pub struct Invocations {
    last_output: Option<Arc<Object>>,
    previously_invoked: BTreeSet<String>,
    to_reinvoke: BTreeSet<String>,
}

impl Invocations {
    /// Whether `key` is to be called again in the second run.
    pub fn should_reinvoke(&self, key: &str) -> bool {
        self.to_reinvoke.contains(key)
    }

    /// Whether another plugin changed the object since the last call.
    pub fn is_output_changed(&self, object: Option<&Arc<Object>>) -> bool {
        match (&self.last_output, object) {
            (Some(last), Some(object)) => !Arc::ptr_eq(last, object) && last.value != object.value,
            (last, object) => last.is_some() != object.is_some(),
        }
    }

    /// Records the object after the last call.
    pub fn set_last_output(&mut self, object: Option<&Arc<Object>>) {
        self.last_output = object.cloned();
    }

    /// Records that `key` was called and may be called again if something changes after it.
    pub fn add_previously_invoked(&mut self, key: impl Into<String>) {
        self.previously_invoked.insert(key.into());
    }

    /// Marks all that were called and may be called again, because something changed.
    pub fn require_reinvoking_previously_invoked(&mut self) {
        self.to_reinvoke.append(&mut self.previously_invoked);
    }
}
