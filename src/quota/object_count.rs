//! Objects of which quotas count only the number.

use super::evaluator::{Evaluator, count, object_count_name};
use super::openshift;
use crate::admission::{Attributes, Operation};
use kube_api::resource_list::ResourceList;
use kube_api::{GroupResource, GroupVersionResource};

/// Resources that quotas also count under their bare name, as before `count/…` existed.
const LEGACY_NAMES: &[&str] = &["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];

/// An object that counts as one.
pub(crate) struct ObjectCount {
    names: Vec<String>,
}

/// Source: `objectCountEvaluator.Handles`.
pub(crate) fn handles(attributes: &Attributes) -> bool {
    attributes.operation == Operation::Create && !attributes.has_sub_resource()
}

impl ObjectCount {
    pub(crate) fn of(resource: &GroupVersionResource) -> Self {
        let GroupResource { group, resource: name } = &resource.group_resource();
        let mut names = vec![object_count_name(&resource.group_resource())];
        if group.is_empty() && LEGACY_NAMES.contains(&name.as_ref()) {
            names.push(name.to_string());
        }
        names.extend(openshift::name_of(&resource.group_resource()).map(str::to_owned));
        Self { names }
    }
}

impl Evaluator for ObjectCount {
    fn counts(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    fn usage(&self) -> ResourceList<'_> {
        self.names.iter().map(|name| (name.as_str(), count(1))).collect()
    }
}
