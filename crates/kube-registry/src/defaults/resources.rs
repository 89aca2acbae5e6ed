//! Lists of resource quantities.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/core/v1`, `SetDefaults_ResourceList`, `defaultHugePagePodLimits`,
//! `defaultPodRequests`; `k8s.io/component-helpers/resource`.

use std::collections::BTreeMap;

use gotext::quantity::Quantity;
use gotext::value::Text;
use kube_api::tree::{child_mut, child_or_insert};
use kube_api::{Map, Value, pairs};

pub(crate) const HUGE_PAGES_PREFIX: &str = "hugepages-";

/// Rounds `requests` and `limits` of `owner.resources` up to thousandths.
pub(crate) fn requirements(owner: &mut Map) {
    if let Some(requirements) = child_mut(owner, "resources") {
        round_up(requirements, "limits");
        round_up(requirements, "requests");
    }
}

/// Rounds the quantities of the map `field` up to thousandths.
pub(crate) fn round_up(owner: &mut Map, field: &str) {
    for (_, quantity) in child_mut(owner, field).into_iter().flatten() {
        if let Value::String(text) = quantity
            && let Some(rounded) = rounded_up(text)
        {
            *text = rounded.into();
        }
    }
}

/// Returns the quantity rounded up to thousandths, unless it is a multiple of them already.
pub(crate) fn rounded_up(text: &str) -> Option<String> {
    // Only these spellings of canonical quantities go below a thousandth.
    if !text.contains(['n', 'u', 'e']) {
        return None;
    }
    let quantity = Quantity::parse(text).ok()?;
    let rounded = Quantity::from_milli(quantity.milli_value(), quantity.format());
    // Values beyond 64 bits of thousandths saturate; those have no fraction left to round.
    (rounded > quantity).then(|| rounded.canonical().into_owned())
}

/// Completes the limits and requests of a Pod as a whole, if the Pod has one of them: huge pages are limited to the sum
/// of the containers' limits, and an absent request becomes the sum of the containers' requests, or the limit.
pub(crate) fn pod_level(spec: &mut Map) {
    let Some(resources) = spec.child("resources") else { return };
    if resources.is_zero("limits") && resources.is_zero("requests") {
        return;
    }
    let mut limits = Vec::new();
    for (name, limit) in aggregate(spec, "limits") {
        let given = |list: &str| resources.child(list).is_some_and(|list| list.contains_key(name));
        if name.starts_with(HUGE_PAGES_PREFIX) && !given("requests") && !given("limits") {
            limits.push((Text::from(name), Value::from(limit.canonical())));
        }
    }
    add(spec, "limits", limits);
    let Some(resources) = spec.child("resources") else { return };
    if resources.is_zero("limits") {
        return;
    }
    let mut requests = BTreeMap::new();
    for (name, limit) in resources.child("limits").into_iter().flatten() {
        if is_pod_level(name) {
            requests.insert(name.clone(), limit.clone());
        }
    }
    for (name, request) in aggregate(spec, "requests") {
        if matches!(name, "cpu" | "memory") {
            requests.insert(name.into(), Value::from(request.canonical()));
        }
    }
    if let Some(given) = resources.child("requests") {
        requests.retain(|name, _| !given.contains_key(name));
    }
    add(spec, "requests", requests);
}

pub(crate) fn add(spec: &mut Map, list: &'static str, quantities: impl IntoIterator<Item = (Text, Value)>) {
    let mut quantities = quantities.into_iter().peekable();
    if quantities.peek().is_some() {
        child_or_insert(child_or_insert(spec, "resources"), list).extend(quantities);
    }
}

fn is_pod_level(resource: &str) -> bool {
    matches!(resource, "cpu" | "memory") || resource.starts_with(HUGE_PAGES_PREFIX)
}

/// Returns what the containers of a Pod need of each resource at any one time: those that run together add up, init
/// containers run one after the other besides the sidecars started before them.
pub(crate) fn aggregate<'a>(spec: &'a Map, list: &str) -> BTreeMap<&'a str, Quantity> {
    let mut total = BTreeMap::new();
    for container in spec.items("containers") {
        add_list(&mut total, quantities(container, list));
    }
    let mut sidecars = BTreeMap::new();
    let mut peak: BTreeMap<&str, Quantity> = BTreeMap::new();
    for container in spec.items("initContainers") {
        let mut needed = sidecars.clone();
        add_list(&mut needed, quantities(container, list));
        if container.text("restartPolicy") == "Always" {
            add_list(&mut total, quantities(container, list));
            sidecars.clone_from(&needed);
        }
        raise(&mut peak, needed);
    }
    raise(&mut total, peak);
    total
}

pub(crate) fn quantities<'a>(container: &'a Map, list: &str) -> impl Iterator<Item = (&'a str, Quantity)> {
    let list = container.child("resources").and_then(|resources| resources.get(list));
    pairs(list).filter_map(|(name, text)| Some((name, Quantity::parse(text).ok()?)))
}

pub(crate) fn add_list<'a>(
    total: &mut BTreeMap<&'a str, Quantity>,
    list: impl Iterator<Item = (&'a str, Quantity)>,
) {
    for (name, quantity) in list {
        let sum = total.get(name).map_or_else(|| quantity.clone(), |value| value.add(&quantity));
        total.insert(name, sum);
    }
}

pub(crate) fn raise<'a>(total: &mut BTreeMap<&'a str, Quantity>, other: BTreeMap<&'a str, Quantity>) {
    for (name, quantity) in other {
        if total.get(name).is_none_or(|value| quantity > *value) {
            total.insert(name, quantity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::defaulted;
    use gotext::value::json;

    #[test]
    fn rounds_up_to_thousandths() {
        assert_eq!(rounded_up("1u").as_deref(), Some("1m"));
        assert_eq!(rounded_up("1500001n").as_deref(), Some("2m"));
        assert_eq!(rounded_up("999999999n").as_deref(), Some("1"));
        for text in ["1", "100m", "1Gi", "1e3", "nonsense"] {
            assert_eq!(rounded_up(text), None, "{text}");
        }
    }

    #[test]
    fn a_pod_as_a_whole_requests_what_its_containers_do() {
        let container = |cpu: &str| json!({"resources": {"requests": {"cpu": cpu}}});
        let sidecar = json!({"restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}});
        let pod = |containers, init_containers| {
            let resources = json!({"limits": {"cpu": "9", "memory": "1Gi"}});
            let spec = json!({
                "containers": containers,
                "initContainers": init_containers,
                "resources": resources
            });
            let mut pod = defaulted(json!({"apiVersion": "v1", "kind": "Pod", "spec": spec}));
            pod["spec"]["resources"]["requests"].take()
        };
        let together = pod(json!([container("1"), container("500m")]), json!([container("2")]));
        assert_eq!(together, json!({"cpu": "2", "memory": "1Gi"}));
        let beside = pod(json!([container("1"), container("500m")]), json!([sidecar, container("2")]));
        assert_eq!(beside, json!({"cpu": "3", "memory": "1Gi"}));
        assert_eq!(pod(json!([]), json!([])), json!({"cpu": "9", "memory": "1Gi"}));
    }

    #[test]
    fn huge_pages_of_containers_limit_the_pod() {
        let resources = json!({"limits": {"hugepages-2Mi": "4Mi"}, "requests": {"hugepages-2Mi": "4Mi"}});
        let spec = json!({"containers": [{"resources": resources}], "resources": {"requests": {"cpu": "1"}}});
        let pod = defaulted(json!({"apiVersion": "v1", "kind": "Pod", "spec": spec}));
        let whole = &pod["spec"]["resources"];
        assert_eq!(whole["limits"], json!({"hugepages-2Mi": "4Mi"}));
        assert_eq!(whole["requests"], json!({"cpu": "1", "hugepages-2Mi": "4Mi"}));
    }
}
