//! Resource claims: their number, and the number of devices of each class.
//!
//! Since `DRAExtendedResource` (KEP-5004) a device can also be requested like an extended resource. Claims are then
//! also charged under the names of those resources, minus what their pod has been charged with already.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::evaluator::{Evaluator, count};
use super::pods::{Pods, is_extended_resource_name_for_quota};
use crate::admission::{Attributes, Operation};
use crate::cluster::Cluster;
use kube_api::field::Path;
use kube_api::resource_list::ResourceList;
use kube_api::resources::{DEVICE_CLASSES, PODS, RESOURCE_CLAIMS};
use kube_api::server_profile::ServerProfile;
use kube_api::{Object, Value};

const OBJECT_COUNT: &str = "count/resourceclaims.resource.k8s.io";
const CLASS_SUFFIX: &str = ".deviceclass.resource.k8s.io/devices";
const REQUESTS_PREFIX: &str = "requests.";
const IMPLICIT_PREFIX: &str = "requests.deviceclass.resource.kubernetes.io/";
const EXTENDED_RESOURCE_CLAIM_ANNOTATION: &str = "resource.kubernetes.io/extended-resource-claim";
/// The number of devices that a request for all matching devices is charged with.
const ALLOCATION_RESULTS_MAX_SIZE: usize = 32;

/// A `ResourceClaim` as quotas see it.
pub(crate) struct ResourceClaims<'a> {
    pub(crate) claim: &'a Object,
    pub(crate) cluster: &'a Cluster,
    pub(crate) profile: &'a ServerProfile,
    /// The device classes, with the gate `DRAExtendedResource`.
    pub(crate) device_classes: Option<Arc<DeviceClasses>>,
}

/// The device classes by name, with the extended resource that each provides, or nothing.
#[derive(Debug)]
pub(crate) struct DeviceClasses(BTreeMap<String, String>);

/// Source: `claimEvaluator.Handles`.
pub(crate) fn handles(attributes: &Attributes) -> bool {
    matches!(attributes.operation, Operation::Create | Operation::Update) && !attributes.has_sub_resource()
}

impl DeviceClasses {
    pub(crate) fn of(cluster: &Cluster) -> Self {
        let classes = cluster.list_all(&DEVICE_CLASSES).into_iter();
        let entry = |class: Arc<Object>| {
            (class.name().to_owned(), class.text(["spec", "extendedResourceName"]).to_owned())
        };
        Self(classes.map(entry).collect())
    }

    /// Whether a quota for `name` counts devices.
    fn count(&self, name: &str) -> bool {
        if name.strip_prefix(IMPLICIT_PREFIX).is_some_and(|class| self.0.contains_key(class)) {
            return true;
        }
        let resource =
            name.strip_prefix(REQUESTS_PREFIX).filter(|_| is_extended_resource_name_for_quota(name));
        resource.is_some_and(|resource| self.0.values().any(|extended| extended == resource))
    }
}

impl ResourceClaims<'_> {
    fn requests(&self) -> &[Value] {
        self.claim.list(["spec", "devices", "requests"])
    }

    /// Returns the usage of the same devices as extended resources.
    ///
    /// Source: `addExtendedResourceQuota`.
    fn extended_usage(&self, usage: &ResourceList, classes: &DeviceClasses) -> ResourceList<'static> {
        let mut extended = ResourceList::default();
        for (name, amount) in usage.iter() {
            let Some(class) = name.strip_suffix(CLASS_SUFFIX).filter(|class| !class.is_empty()) else {
                continue;
            };
            extended.insert(format!("{IMPLICIT_PREFIX}{class}"), amount.clone());
            if let Some(resource) = classes.0.get(class).filter(|resource| !resource.is_empty()) {
                extended.insert(format!("{REQUESTS_PREFIX}{resource}"), amount.clone());
            }
        }
        let Some(pod) = self.charged_pod() else { return extended };
        let pod = Pods::of(&pod, self.profile);
        let charged = pod.usage();
        let rest = extended.iter().map(|(name, amount)| {
            let rest = charged.get(name).map_or_else(|| amount.clone(), |charged| amount.sub(charged));
            (name.to_owned(), rest)
        });
        let mut rest: ResourceList = rest.collect();
        rest.retain(|_, amount| amount.sign() > 0);
        rest
    }

    /// Returns the pod for whose extended resources the scheduler created this claim. If the pod does not name the
    /// claim, it is the first one.
    ///
    /// Source: `getVerifiedPodUsage`.
    fn charged_pod(&self) -> Option<Arc<Object>> {
        let (name, uid) = controller_pod(self.claim)?;
        let namespace = self.claim.namespace();
        let pod = self.cluster.get(&PODS, namespace, name)?;
        if pod.text(["metadata", "uid"]) != uid {
            return None;
        }
        let named = pod.at(["status", "extendedResourceClaimStatus", "resourceClaimName"]);
        let is_the_one = named.map_or_else(
            || {
                let claims = self.cluster.list(&RESOURCE_CLAIMS, namespace);
                let is_of_pod = |other: &&Arc<Object>| {
                    controller_pod(other).is_some_and(|(_, other_uid)| other_uid == uid)
                };
                claims.iter().filter(is_of_pod).all(|other| !self.comes_after(other))
            },
            |named| named == self.claim.name(),
        );
        is_the_one.then_some(pod)
    }

    /// Whether this claim is newer than `other`: one that is being created has no time yet, and every other one is
    /// older.
    fn comes_after(&self, other: &Object) -> bool {
        let key = |claim: &Object| {
            (claim.text(["metadata", "creationTimestamp"]).to_owned(), claim.name().to_owned())
        };
        let is_stored =
            || self.cluster.get(&RESOURCE_CLAIMS, self.claim.namespace(), self.claim.name()).is_some();
        other.name() != self.claim.name() && (key(other) < key(self.claim) || !is_stored())
    }
}

impl Evaluator for ResourceClaims<'_> {
    fn counts(&self, name: &str) -> bool {
        name == OBJECT_COUNT
            || name.ends_with(CLASS_SUFFIX)
            || self.device_classes.as_ref().is_some_and(|classes| classes.count(name))
    }

    /// Returns the usage; of the alternatives of a request the most expensive one counts, by class.
    fn usage(&self) -> ResourceList<'_> {
        let mut usage: ResourceList = [(OBJECT_COUNT, count(1))].into_iter().collect();
        for request in self.requests() {
            let mut by_class = ResourceList::default();
            for choice in choices(request) {
                let class = choice.text("deviceClassName");
                let choice = [(format!("{class}{CLASS_SUFFIX}"), count(devices(choice)))];
                by_class.raise_to(&choice.into_iter().collect());
            }
            usage.add_all(&by_class);
        }
        if let Some(classes) = &self.device_classes {
            let extended = self.extended_usage(&usage, classes);
            usage.replace_with(extended);
        }
        usage
    }

    fn fields(&self, name: &str) -> Vec<Path> {
        let class_of = |choice: &Value| {
            let class = choice.text("deviceClassName");
            let classes = self.device_classes.as_ref();
            let extended = classes.and_then(|classes| classes.0.get(class)).map_or("", String::as_str);
            name.strip_suffix(CLASS_SUFFIX).is_some_and(|own| own == class)
                || name.strip_prefix(IMPLICIT_PREFIX).is_some_and(|own| own == class)
                || name.strip_prefix(REQUESTS_PREFIX).is_some_and(|own| !own.is_empty() && own == extended)
        };
        let requests = self.requests().iter().enumerate();
        let asking = requests.filter(|(_, request)| choices(request).any(class_of));
        asking.map(|(index, _)| Path::new("spec.devices.requests").index(index)).collect()
    }
}

/// Returns the alternatives of a request, or the only one, which `v1beta1` has in the request itself.
fn choices(request: &Value) -> impl Iterator<Item = &Value> {
    let alternatives = request.at("firstAvailable").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let exactly = request.at("exactly").or_else(|| request.at("deviceClassName").map(|_| request));
    alternatives.iter().chain(exactly.filter(|_| alternatives.is_empty()))
}

/// Returns the number of devices that a request may get; unknown modes count as none.
fn devices(choice: &Value) -> usize {
    match choice.at("allocationMode").and_then(Value::as_str) {
        Some("ExactCount") => {
            let count = choice.at("count").and_then(Value::as_u64).unwrap_or_default();
            usize::try_from(count).unwrap_or(usize::MAX)
        }
        Some("All") => ALLOCATION_RESULTS_MAX_SIZE,
        _ => 0,
    }
}

/// Returns name and UID of the pod for whose extended resources `claim` was created.
fn controller_pod(claim: &Object) -> Option<(&str, &str)> {
    if claim.annotation(EXTENDED_RESOURCE_CLAIM_ANNOTATION) != Some("true") {
        return None;
    }
    let owners = claim.list(["metadata", "ownerReferences"]).iter();
    let controller =
        owners.into_iter().find(|owner| owner.at("controller").and_then(Value::as_bool) == Some(true))?;
    let text = |field| controller.text(field);
    (text("kind") == "Pod" && text("apiVersion") == "v1").then(|| (text("name"), text("uid")))
}
