//! Defaults of LimitRanges that contradict the requests of a Pod.

use crate::admission::Need;
use crate::cluster::Cluster;
use crate::evaluation::Outcome;
use gotext::quantity::Quantity;
use kube_api::Value;
use kube_api::field::{Path, Segment};
use kube_api::resource_list::ResourceList;
use kube_api::resources::LIMIT_RANGES;
use kube_registry::pod::PodTemplate;

/// Whether a bound of a LimitRange is one from below, which gives way by falling.
pub(super) fn is_lower_bound(path: &Path) -> bool {
    path.segments().iter().any(|segment| **segment == Segment::Field("min".into()))
}

/// Returns the defaults that a LimitRange would have to raise: it gave a container a limit below its request, for which
/// the validation of the Pod then refused it.
pub(super) fn defaults(outcome: &Outcome, cluster: &Cluster) -> Vec<Need> {
    let is_invalid = outcome.refusal.as_ref().is_some_and(|refusal| !refusal.errors.is_empty());
    let step = outcome.trace.steps.iter().find(|step| step.plugin == "LimitRanger");
    let Some((before, after)) = step.filter(|_| is_invalid).and_then(|step| step.change.as_ref()) else {
        return Vec::new();
    };
    let (Some(before), Some(after)) = (PodTemplate::of(before), PodTemplate::of(after)) else {
        return Vec::new();
    };
    let mut needs = Vec::new();
    for (stated, filled) in before.containers().zip(after.containers()) {
        let list =
            |value: &'_ Value, side: &str| ResourceList::of(value.at(["resources", side])).into_owned();
        let (own, limits) = (list(stated.value, "limits"), list(filled.value, "limits"));
        for (resource, request) in list(filled.value, "requests").iter() {
            let limit = limits.get(resource).filter(|limit| !own.contains(resource) && request > limit);
            if let Some(limit) = limit {
                needs.extend(default_of(outcome, cluster, resource, limit, request));
            }
        }
    }
    needs
}

/// Returns the need that the LimitRange that gave containers the limit of a resource gives them `request`.
fn default_of(
    outcome: &Outcome,
    cluster: &Cluster,
    resource: &str,
    limit: &Quantity,
    request: &Quantity,
) -> Option<Need> {
    cluster.list(&LIMIT_RANGES, &outcome.namespace).iter().find_map(|object| {
        let items = object.list(["spec", "limits"]).iter().enumerate();
        let given = |item: &Value| {
            let list = ResourceList::of(item.at("default").or_else(|| item.at("max")));
            item.text("type") == "Container" && list.get(resource) == Some(limit)
        };
        let (index, _) = items.into_iter().find(|(_, item)| given(item))?;
        let path = Path::new("spec.limits").index(index).child("default").key(resource);
        let (namespace, name) = (object.namespace().to_owned(), object.name().to_owned());
        Some(Need::Bound { namespace, name, path, amount: Some(request.clone()) })
    })
}
