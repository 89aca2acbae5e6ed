//! Metrics of single containers, which autoscalers of 1.20 to 1.29 keep only if the gate `HPAContainerMetrics` is on, as it
//! is by default since 1.27.
//!
//! Source: `pkg/registry/autoscaling/horizontalpodautoscaler` of these releases.

use kube_api::Map;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, items_mut};

const SOURCE: &str = "containerResource";
/// The minors of the first releases with the gate on, and without it.
const ON: u32 = 27;
const GONE: u32 = 30;

/// Whether the server drops the metrics.
pub(crate) fn are_off(profile: &ServerProfile) -> bool {
    let minor = profile.release().minor;
    minor < GONE && !profile.is_on_or(Feature::HPAContainerMetrics.name(), minor >= ON)
}

/// Drops the sources of such metrics from an autoscaler, unless the `old` one had one.
pub(crate) fn drop_disabled(autoscaler: &mut Map, old: Option<&Map>, profile: &ServerProfile) {
    let has = |autoscaler: &Map| {
        autoscaler.child("spec").is_some_and(|spec| spec.items("metrics").any(|metric| metric.has(SOURCE)))
    };
    if !are_off(profile) || old.is_some_and(has) {
        return;
    }
    if let Some(spec) = child_mut(autoscaler, "spec") {
        items_mut(spec, "metrics").for_each(|metric| drop(metric.remove(SOURCE)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::version::Version;

    #[test]
    fn the_gate_keeps_the_metrics_of_containers() {
        let kept = |minor: u32, gates: &str| {
            let profile = ServerProfile::of_release(Version::minor(minor), []).with(gates).expect("gates");
            let metric = json!({"type": "ContainerResource", "containerResource": {"name": "cpu"}});
            let object = json!({"spec": {"metrics": [metric]}});
            let (mut new, old) = (object.clone(), object.as_object().expect("a map"));
            let new = new.as_object_mut().expect("a map");
            drop_disabled(new, Some(old), &profile);
            assert_eq!(new, old);
            drop_disabled(new, None, &profile);
            new == old
        };
        assert!(!kept(26, "") && kept(26, "HPAContainerMetrics=true"));
        assert!(
            kept(27, "") && !kept(29, "HPAContainerMetrics=false") && kept(30, "HPAContainerMetrics=false")
        );
    }
}
