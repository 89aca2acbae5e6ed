//! Amounts of a container of which a quota does not allow as much.

use crate::admission::{Change, Need, Remedy};
use crate::cluster::Cluster;
use crate::evaluation::Outcome;
use gotext::quantity::Quantity;
use kube_api::resource_list::ResourceList;
use kube_api::resources::RESOURCE_QUOTAS;
use kube_registry::pod::{Container, PodTemplate};

const MEBIBYTE: i64 = 1 << 20;

/// Returns the changes of the Pod of `request` after which as many as are wanted fit into the quotas that refuse it;
/// nothing if its amounts are those of several containers, of which each could give way.
pub(super) fn remedies(request: &Outcome, cluster: &Cluster) -> Vec<Remedy> {
    let needs = request.refusal.iter().flat_map(|refusal| &refusal.needs);
    let remedies: Option<Vec<_>> = needs.map(|need| remedies_of(need, request, cluster)).collect();
    remedies.unwrap_or_default().into_iter().flatten().collect()
}

fn remedies_of(need: &Need, request: &Outcome, cluster: &Cluster) -> Option<Vec<Remedy>> {
    let Need::Quota { resource, namespace, name, counted, amount, requested } = need else { return None };
    let (side, counted_resource) = counted.split_once('.').unwrap_or(("requests", counted));
    if *resource != RESOURCE_QUOTAS || !["cpu", "memory", "ephemeral-storage"].contains(&counted_resource) {
        return None;
    }
    let quota = cluster.get(resource, namespace, name)?;
    let hard = quota.at(["status", "hard"]).or_else(|| quota.at(["spec", "hard"]));
    let hard = ResourceList::of(hard).get(counted)?.milli_value();
    let (replicas, admitted) =
        request.cause.as_ref().map_or((1, 0), |cause| (cause.replicas, cause.admitted));
    let used = amount.sub(requested).milli_value() - requested.times(admitted).milli_value();
    let each = hard.checked_sub(used)? / i64::try_from(replicas).ok()?;
    let least = shown(counted_resource, each)?;

    let pod = request.received.as_deref()?;
    let amount_of = |container: &Container<'_>, side: &str| {
        ResourceList::of(container.value.at(["resources", side])).get(counted_resource).cloned()
    };
    let stated = |container: &Container<'_>| {
        amount_of(container, side).or_else(|| amount_of(container, "limits").filter(|_| side == "requests"))
    };
    let container =
        PodTemplate::of(pod)?.containers().find(|container| stated(container).as_ref() == Some(requested))?;
    let set = |side: &'static str| {
        let path = container.path().child("resources").child(side).key(counted_resource.to_owned());
        Remedy::choosing(Change::set(path, least.as_str()))
    };
    let is_below_request = |amount: Quantity| amount.milli_value() > each;
    let with_request = side == "limits" && amount_of(&container, "requests").is_some_and(is_below_request);
    Some(if with_request {
        vec![set("requests"), set("limits")]
    } else {
        vec![set(if side == "limits" { "limits" } else { "requests" })]
    })
}

/// Returns the largest round amount of `resource` that is at most `thousandths`; nothing if that is nothing.
fn shown(resource: &str, thousandths: i64) -> Option<String> {
    let text = match (resource, thousandths / 1000) {
        ("cpu", whole) if whole * 1000 == thousandths => whole.to_string(),
        ("cpu", _) => format!("{thousandths}m"),
        (_, bytes) if bytes >= MEBIBYTE => format!("{}Mi", bytes / MEBIBYTE),
        (_, bytes) => bytes.to_string(),
    };
    (thousandths > 0 && text != "0").then_some(text)
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn amounts_are_round() {
        assert_eq!(shown("cpu", 2000).as_deref(), Some("2"));
        assert_eq!(shown("cpu", 166).as_deref(), Some("166m"));
        assert_eq!(shown("memory", (1 << 29) * 1000 / 3).as_deref(), Some("170Mi"));
        assert_eq!(shown("memory", 999), None);
        assert_eq!(shown("cpu", -1), None);
    }
}
