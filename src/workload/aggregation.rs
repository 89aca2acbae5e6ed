//! Roles that consist of the rules of others.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/clusterroleaggregation`

use crate::cluster::Cluster;
use kube_api::labels::Selector;
use kube_api::resources::CLUSTER_ROLES;
use kube_api::{Object, Value};

const SELECTORS: [&str; 2] = ["aggregationRule", "clusterRoleSelectors"];

/// Returns the aggregated roles whose rules are others now.
pub fn aggregated(cluster: &Cluster) -> Vec<Object> {
    let roles = cluster.list_all(&CLUSTER_ROLES);
    let aggregated = roles.iter().filter(|role| !role.list(SELECTORS).is_empty());
    let changed = aggregated.filter_map(|role| {
        let mut rules: Vec<Value> = Vec::new();
        for selector in role.list(SELECTORS) {
            let Ok(selector) = Selector::from_label_selector(selector) else { continue };
            let is_part = |other: &&std::sync::Arc<Object>| {
                other.name() != role.name() && selector.matches_labels(other.at(["metadata", "labels"]))
            };
            for rule in roles.iter().filter(is_part).flat_map(|other| other.list("rules")) {
                if !rules.contains(rule) {
                    rules.push(rule.clone());
                }
            }
        }
        if role.list("rules") == rules.as_slice() {
            return None;
        }
        let mut changed = Object::clone(role);
        changed.set("rules", rules);
        Some(changed)
    });
    changed.collect()
}
