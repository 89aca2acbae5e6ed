//! The custom resources of the cluster's definitions, each compiled at its first use.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cluster::openshift;
use crate::cluster::{Cluster, Derived};
use kube_api::Object;
use kube_api::resources::CUSTOM_RESOURCE_DEFINITIONS;
use kube_registry::custom_resource::CustomResource;

/// The resources of the cluster's definitions.
#[derive(Debug)]
pub(super) struct Definitions {
    /// Compiled definitions by name.
    compiled: Mutex<BTreeMap<String, Compiled>>,
    index: Derived<Index>,
}

/// Definitions by group and kind or plural name.
type ByName = BTreeMap<(String, String), Arc<Object>>;

/// The definitions by group and kind, and by group and plural name.
#[derive(Debug, Default)]
struct Index {
    kinds: ByName,
    plurals: ByName,
}

/// A definition, and the object that it was compiled from.
#[derive(Debug)]
struct Compiled {
    object: Arc<Object>,
    resource: Arc<CustomResource>,
}

impl Default for Definitions {
    fn default() -> Self {
        let index = Derived::of(const { &[CUSTOM_RESOURCE_DEFINITIONS] });
        Self { compiled: Mutex::default(), index }
    }
}

impl Index {
    fn of(cluster: &Cluster) -> Self {
        let mut index = Self::default();
        for definition in cluster.list_all(&CUSTOM_RESOURCE_DEFINITIONS) {
            let key = |field: &[&str]| {
                (definition.text(["spec", "group"]).to_owned(), definition.text(field).to_owned())
            };
            let (kind, plural) = (key(&["spec", "names", "kind"]), key(&["spec", "names", "plural"]));
            index.kinds.entry(kind).or_insert_with(|| definition.clone());
            index.plurals.entry(plural).or_insert_with(|| definition.clone());
        }
        index
    }
}

impl Cluster {
    /// Returns the custom resource whose objects are of `kind`.
    pub fn custom_resource_of_kind(&self, group: &str, kind: &str) -> Option<Arc<CustomResource>> {
        let served = || openshift::definition_of_kind(self.distribution, group, kind);
        self.custom_resource_in(|index| &index.kinds, group, kind).or_else(served)
    }

    /// Returns the custom resource whose objects are of a kind that is `kind` in lower case.
    pub fn custom_resource_of_lower_kind(&self, group: &str, kind: &str) -> Option<Arc<CustomResource>> {
        let index = self.definitions.index.get(self, || Index::of(self));
        let mut kinds = index.kinds.keys().filter(|(of, _)| of == group).map(|(_, kind)| kind);
        self.custom_resource_of_kind(group, kinds.find(|found| found.to_lowercase() == kind)?)
    }

    /// Returns the definition among the objects of the cluster whose objects are of `kind`.
    pub fn definition_of_kind(&self, group: &str, kind: &str) -> Option<Arc<Object>> {
        self.definition_in(|index| &index.kinds, group, kind)
    }

    /// Returns the custom resource called `plural`.
    pub fn custom_resource(&self, group: &str, plural: &str) -> Option<Arc<CustomResource>> {
        let served = || openshift::definition(self.distribution, group, plural);
        self.custom_resource_in(|index| &index.plurals, group, plural).or_else(served)
    }

    fn definition_in(&self, table: fn(&Index) -> &ByName, group: &str, name: &str) -> Option<Arc<Object>> {
        let index = self.definitions.index.get(self, || Index::of(self));
        table(&index).get(&(group.to_owned(), name.to_owned())).cloned()
    }

    fn custom_resource_in(
        &self,
        table: fn(&Index) -> &ByName,
        group: &str,
        name: &str,
    ) -> Option<Arc<CustomResource>> {
        let definition = self.definition_in(table, group, name)?;
        let mut compiled = self.definitions.compiled.lock().unwrap_or_else(PoisonError::into_inner);
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
