//! Faults of policies and webhooks that no request shows: what is bound to nothing, and rules for what does not exist.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::admission::Hook;
use crate::cluster::Cluster;
use kube_api::resource::{self, ApiResource};
use kube_api::resources::{
    CUSTOM_RESOURCE_DEFINITIONS, MUTATING_ADMISSION_POLICIES, MUTATING_ADMISSION_POLICY_BINDINGS,
    MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_ADMISSION_POLICIES, VALIDATING_ADMISSION_POLICY_BINDINGS,
    VALIDATING_WEBHOOK_CONFIGURATIONS,
};
use kube_api::version::Version;
use kube_api::{Object, Value};

/// Returns the policies, bindings and webhooks in `cluster`, each with what is wrong with it.
pub fn census(cluster: &Cluster, release: Version) -> BTreeMap<Hook, Vec<String>> {
    let mut census = BTreeMap::new();
    let named = Resources { cluster, release };
    for (policies, bindings) in [
        (&VALIDATING_ADMISSION_POLICIES, &VALIDATING_ADMISSION_POLICY_BINDINGS),
        (&MUTATING_ADMISSION_POLICIES, &MUTATING_ADMISSION_POLICY_BINDINGS),
    ] {
        let (policies, bindings) = (cluster.list_all(policies), cluster.list_all(bindings));
        let policy_of = |binding: &Object| binding.text(["spec", "policyName"]).to_owned();
        for policy in &policies {
            let mut remarks = named.remarks(policy.list(["spec", "matchConstraints", "resourceRules"]));
            if !bindings.iter().any(|binding| policy_of(binding) == policy.name()) {
                remarks.push(format!("no {}Binding names it, so it does nothing", policy.kind.kind));
            }
            census.insert(hook_of(policy, ""), remarks);
        }
        for binding in &bindings {
            let policy = policy_of(binding);
            let mut remarks = named.remarks(binding.list(["spec", "matchResources", "resourceRules"]));
            if !policies.iter().any(|known| known.name() == policy) {
                remarks.push(missing(&policy, &policies));
            }
            if !remarks.is_empty() {
                census.insert(hook_of(binding, ""), remarks);
            }
        }
    }
    for configurations in [&MUTATING_WEBHOOK_CONFIGURATIONS, &VALIDATING_WEBHOOK_CONFIGURATIONS] {
        for configuration in cluster.list_all(configurations) {
            for webhook in configuration.list("webhooks") {
                let rules = webhook["rules"].as_array().map_or(&[][..], Vec::as_slice);
                census.insert(hook_of(&configuration, webhook.text("name")), named.remarks(rules));
            }
        }
    }
    census
}

fn hook_of(object: &Object, webhook: &str) -> Hook {
    Hook { kind: object.kind.kind.clone(), name: object.name().to_owned(), webhook: webhook.to_owned() }
}

fn missing(policy: &str, policies: &[Arc<Object>]) -> String {
    let near = policies.iter().map(|known| (strsim::damerau_levenshtein(known.name(), policy), known.name()));
    let near = near.filter(|(distance, _)| *distance <= 3).min();
    let help = near.map_or_else(String::new, |(_, name)| format!(", did you mean \"{name}\"?"));
    format!("there is no policy \"{policy}\"{help}")
}

/// The resources that a server has.
struct Resources<'a> {
    cluster: &'a Cluster,
    release: Version,
}

impl Resources<'_> {
    /// Returns what is wrong with the names in `rules`.
    fn remarks(&self, rules: &[Value]) -> Vec<String> {
        let mut remarks = Vec::new();
        for rule in rules {
            let texts = |field: &str| -> Vec<String> {
                let items = rule[field].as_array().into_iter().flatten();
                items.filter_map(Value::as_str).map(str::to_owned).collect()
            };
            let (groups, versions) = (texts("apiGroups"), texts("apiVersions"));
            for resource in texts("resources") {
                let name = resource.split('/').next().unwrap_or_default();
                if let Some(remark) = self.remark(&groups, &versions, name)
                    && !remarks.contains(&remark)
                {
                    remarks.push(remark);
                }
            }
        }
        remarks
    }

    /// Returns what is wrong with a rule for the resource `name`, if none of `groups` has it.
    fn remark(&self, groups: &[String], versions: &[String], name: &str) -> Option<String> {
        let own: Vec<&ApiResource> = resource::of_release(self.release).iter().collect();
        let has = |list: &[String], item: &str| list.iter().any(|known| known == "*" || known == item);
        let is_custom_group = |group: &str| !own.iter().any(|entry| entry.group == group);
        if name == "*" || groups.iter().any(|group| group == "*" || is_custom_group(group)) {
            return None;
        }
        let is_named = |entry: &&&ApiResource| entry.resource == name;
        let in_groups = || own.iter().filter(|entry| has(groups, entry.group));
        if in_groups().any(|entry| entry.resource == name && has(versions, entry.version))
            || self.is_defined(groups, name)
        {
            return None;
        }
        let group_versions: Vec<String> = groups
            .iter()
            .flat_map(|group| versions.iter().map(move |version| group_version(group, version)))
            .collect();
        let lower = name.to_lowercase();
        let other = in_groups().find(is_named).or_else(|| own.iter().find(is_named));
        let help = if let Some(entry) = other {
            format!(", it is in {}", group_version(entry.group, entry.version))
        } else {
            let is_meant = |entry: &&&ApiResource| {
                entry.singular == lower || entry.kind.to_lowercase() == lower || entry.resource == lower
            };
            let close = || {
                let near =
                    in_groups().map(|entry| (strsim::damerau_levenshtein(entry.resource, &lower), *entry));
                near.filter(|(distance, _)| *distance <= 2)
                    .min_by_key(|(distance, _)| *distance)
                    .map(|(_, entry)| entry)
            };
            let meant = in_groups().find(is_meant).copied().or_else(close);
            meant.map_or_else(String::new, |entry| format!(", did you mean \"{}\"?", entry.resource))
        };
        Some(format!("there is no resource \"{name}\" in {}{help}", group_versions.join(" or ")))
    }

    /// Whether a custom resource has the name.
    fn is_defined(&self, groups: &[String], name: &str) -> bool {
        self.cluster.list_all(&CUSTOM_RESOURCE_DEFINITIONS).iter().any(|definition| {
            definition.text(["spec", "names", "plural"]) == name
                && groups.iter().any(|group| group == definition.text(["spec", "group"]))
        })
    }
}

fn group_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}
