//! The custom resources that the cluster's definitions make, each compiled when it is first asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::api::Object;
use crate::api::resources::CUSTOM_RESOURCE_DEFINITIONS;
use crate::cluster::Cluster;
use crate::registry::custom_resource::CustomResource;
use crate::registry::openshift;

/// Compiled definitions by name.
#[derive(Debug, Default)]
pub(super) struct Definitions(Mutex<BTreeMap<String, Compiled>>);

/// A definition, and the object that it was compiled from.
#[derive(Debug)]
struct Compiled {
    object: Arc<Object>,
    resource: Arc<CustomResource>,
}

impl Cluster {
    /// The custom resource whose objects are of `kind`.
    pub fn custom_resource_of_kind(&self, group: &str, kind: &str) -> Option<Arc<CustomResource>> {
        let served =
            || openshift::definition_of_kind(group, kind).filter(|_| self.distribution.is_openshift());
        self.custom_resource_with(group, &["spec", "names", "kind"], kind).or_else(served)
    }

    /// The custom resource called `plural`.
    pub fn custom_resource(&self, group: &str, plural: &str) -> Option<Arc<CustomResource>> {
        let served = || openshift::definition(group, plural).filter(|_| self.distribution.is_openshift());
        self.custom_resource_with(group, &["spec", "names", "plural"], plural).or_else(served)
    }

    fn custom_resource_with(&self, group: &str, field: &[&str], value: &str) -> Option<Arc<CustomResource>> {
        let definition = self
            .list_all(&CUSTOM_RESOURCE_DEFINITIONS)
            .into_iter()
            .find(|found| found.text(&["spec", "group"]) == group && found.text(field) == value)?;
        let mut compiled = self.definitions.0.lock().unwrap_or_else(PoisonError::into_inner);
        match compiled.get(definition.name()) {
            Some(known) if Arc::ptr_eq(&known.object, &definition) => Some(known.resource.clone()),
            _ => {
                let resource = Arc::new(CustomResource::new(&definition));
                let name = definition.name().to_owned();
                compiled.insert(name, Compiled { object: definition, resource: resource.clone() });
                Some(resource)
            }
        }
    }
}
