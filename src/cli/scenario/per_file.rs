//! The settings of requests that documents do not contain.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::admission::Operation;
use crate::cli::client_flags::ClientFlags;
use crate::cli::overrides::Overrides;
use crate::cli::recreate::Recreation;
use crate::evaluation::{Apply, ApplyOptions, RequestDefaults};
use kube_api::version::Version;
use kube_yaml::Item;

/// The settings of requests that documents do not contain, per file.
pub(super) struct ForFiles<'a> {
    pub(super) client: &'a ClientFlags,
    pub(super) operation: Option<Operation>,
    pub(super) recreation: Recreation,
    pub(super) generates_names: bool,
    /// Files of existing objects, which are created anew.
    pub(super) existing: BTreeSet<String>,
    pub(super) overrides: &'a Overrides,
    pub(super) release: Version,
}

impl ForFiles<'_> {
    pub(super) fn defaults(&self) -> RequestDefaults {
        self.of(self.client, false)
    }

    fn of(&self, client: &ClientFlags, recreates: bool) -> RequestDefaults {
        let defaults = client.defaults(self.operation, self.release);
        let apply = if recreates {
            ApplyOptions { apply: Apply::Create, recreates: true, ..(*defaults.apply).clone() }
        } else if self.generates_names {
            ApplyOptions { generates_names: true, ..(*defaults.apply).clone() }
        } else {
            return defaults;
        };
        RequestDefaults { apply: Arc::new(apply), ..defaults }
    }

    /// Whether the object of `item` is created anew.
    pub(super) fn recreates(&self, item: &Item) -> bool {
        self.recreation.is_of(&item.node) || self.existing.contains(item.source.name())
    }

    /// Returns the settings for an object in `file`, if they are not those of all others.
    pub(super) fn own_defaults(&self, file: &str, recreates: bool) -> Option<RequestDefaults> {
        let mut client = None;
        for overriding in self.overrides.of_client(file) {
            client.get_or_insert_with(|| self.client.clone()).take(overriding);
        }
        if client.is_none() && !recreates {
            return None;
        }
        let client = client.unwrap_or_else(|| self.client.clone());
        Some(self.of(&client, recreates))
    }
}
