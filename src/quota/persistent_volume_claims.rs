//! Claims: number and storage, both also by storage class.

use super::evaluator::{Evaluator, count};
use super::scopes::ScopedResourceSelectorRequirement;
use crate::admission::{Attributes, Operation};
use gotext::quantity::Quantity;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::resource_list::{ResourceList, rounded_up};
use kube_api::server_profile::ServerProfile;
use kube_api::{Object, Value};

const OBJECT_COUNT: &str = "count/persistentvolumeclaims";
const CLAIMS: &str = "persistentvolumeclaims";
const STORAGE: &str = "requests.storage";
const CLASS_CLAIMS_SUFFIX: &str = ".storageclass.storage.k8s.io/persistentvolumeclaims";
const CLASS_STORAGE_SUFFIX: &str = ".storageclass.storage.k8s.io/requests.storage";
const BETA_STORAGE_CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";
/// The scope of a quota that shares its name with the gate.
const VOLUME_ATTRIBUTES_CLASS: &str = Feature::VolumeAttributesClass.name();

/// A `PersistentVolumeClaim` as quotas see it.
pub(crate) struct PersistentVolumeClaims<'a> {
    claim: &'a Object,
    profile: &'a ServerProfile,
}

/// Whether the request is charged. With the gate `RecoverVolumeExpansionFailure` every update of the status counts:
/// upstream compares the addresses of two quantities, which always differ.
///
/// Source: `pvcEvaluator.Handles`, `RequiresQuotaReplenish`.
pub(crate) fn handles(attributes: &Attributes, profile: &ServerProfile) -> bool {
    match &*attributes.sub_resource {
        "" => matches!(attributes.operation, Operation::Create | Operation::Update),
        "status" => {
            let classes = |object: Option<&Object>| {
                let mut classes = object.map(attributes_classes).unwrap_or_default();
                classes.sort_unstable();
                classes.into_iter().map(str::to_owned).collect::<Vec<_>>()
            };
            profile.enabled(Feature::RecoverVolumeExpansionFailure)
                || profile.enabled(Feature::VolumeAttributesClass)
                    && classes(attributes.object.as_deref()) != classes(attributes.old_object.as_deref())
        }
        _ => false,
    }
}

impl<'a> PersistentVolumeClaims<'a> {
    pub(crate) fn of(claim: &'a Object, profile: &'a ServerProfile) -> Self {
        Self { claim, profile }
    }

    /// Returns the storage class; the annotation takes precedence over the field, even if it is empty.
    fn storage_class(&self) -> &'a str {
        let annotation = self.claim.annotation(BETA_STORAGE_CLASS_ANNOTATION);
        annotation.unwrap_or_else(|| self.claim.text(["spec", "storageClassName"]))
    }

    /// Returns the requested storage, or the allocated one if that is more (KEP-1790), in whole bytes.
    fn storage(&self) -> Option<Quantity> {
        let amount = |fields: &[&str]| ResourceList::of(self.claim.at(fields)).get("storage").map(rounded_up);
        let requested = amount(&["spec", "resources", "requests"])?;
        let allocated = amount(&["status", "allocatedResources"])
            .filter(|_| self.profile.enabled(Feature::RecoverVolumeExpansionFailure));
        Some(allocated.filter(|allocated| *allocated > requested).unwrap_or(requested))
    }
}

impl Evaluator for PersistentVolumeClaims<'_> {
    fn counts(&self, name: &str) -> bool {
        [OBJECT_COUNT, CLAIMS, STORAGE].contains(&name)
            || [CLASS_CLAIMS_SUFFIX, CLASS_STORAGE_SUFFIX].iter().any(|suffix| name.ends_with(suffix))
    }

    fn matches_scope(&self, requirement: &ScopedResourceSelectorRequirement) -> Result<bool, String> {
        if requirement.scope_name == VOLUME_ATTRIBUTES_CLASS
            && self.profile.enabled(Feature::VolumeAttributesClass)
        {
            requirement.matches(&attributes_classes(self.claim))
        } else {
            Ok(false)
        }
    }

    fn usage(&self) -> ResourceList<'_> {
        let mut usage: ResourceList = [(OBJECT_COUNT, count(1)), (CLAIMS, count(1))].into_iter().collect();
        let class = self.storage_class();
        if !class.is_empty() {
            usage.insert(format!("{class}{CLASS_CLAIMS_SUFFIX}"), count(1));
        }
        if let Some(storage) = self.storage() {
            if !class.is_empty() {
                usage.insert(format!("{class}{CLASS_STORAGE_SUFFIX}"), storage.clone());
            }
            usage.insert(STORAGE, storage);
        }
        usage
    }

    fn fields(&self, name: &str) -> Vec<Path> {
        let mut fields = Vec::new();
        if name.ends_with(STORAGE) {
            fields.push(Path::new("spec.resources.requests").key("storage"));
        }
        if name.ends_with(CLASS_CLAIMS_SUFFIX) || name.ends_with(CLASS_STORAGE_SUFFIX) {
            fields.push(match self.claim.annotation(BETA_STORAGE_CLASS_ANNOTATION) {
                Some(_) => Path::new("metadata.annotations").key(BETA_STORAGE_CLASS_ANNOTATION),
                None => Path::new("spec.storageClassName"),
            });
        }
        fields
    }

    fn scope_fields(&self, scope_name: &str) -> Vec<Path> {
        let known = scope_name == VOLUME_ATTRIBUTES_CLASS;
        known.then(|| Path::new("spec.volumeAttributesClassName")).into_iter().collect()
    }
}

/// Returns the classes that a claim requests, has, and is being changed to.
///
/// Source: `getReferencedVolumeAttributesClassNames`.
fn attributes_classes(claim: &Object) -> Vec<&str> {
    let places: [&[&str]; 3] = [
        &["spec", "volumeAttributesClassName"],
        &["status", "currentVolumeAttributesClassName"],
        &["status", "modifyVolumeStatus", "targetVolumeAttributesClassName"],
    ];
    let mut classes: Vec<&str> = Vec::new();
    for class in places.into_iter().filter_map(|fields| claim.at(fields).and_then(Value::as_str)) {
        if !class.is_empty() && !classes.contains(&class) {
            classes.push(class);
        }
    }
    classes
}
