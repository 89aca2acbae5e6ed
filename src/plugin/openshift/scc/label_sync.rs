//! The labels of Pod Security that a controller of OpenShift gives namespaces: the level that fits the constraints
//! which the service accounts of a namespace may use.
//!
//! Deliberately absent: the owners of labels. A label that a namespace has is taken for the user's, and stays.
//!
//! Source: `github.com/openshift/cluster-policy-controller` `pkg/psalabelsyncer`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use crate::admission::UserInfo;
use crate::plugin::openshift::scc::provider::UID_RANGE;
use crate::plugin::openshift::scc::uid_block::Block;
use crate::plugin::openshift::scc::{CONSTRAINTS, Matcher};
use kube_api::pod_security::{BASELINE_CAPABILITIES, Level, Mode, SAFE_SYSCTLS};
use kube_api::resources::SERVICE_ACCOUNTS;
use kube_api::{GroupResource, Object, Value};

/// The label by which users turn the controller on or off.
const SYNC: &str = "security.openshift.io/scc.podSecurityLabelSync";

/// Namespaces of the cluster itself that the controller leaves alone; those that begin with `openshift-` it touches
/// only on request.
const EXEMPT: [&str; 5] = ["default", "kube-node-lease", "kube-public", "kube-system", "openshift"];

const RESTRICTED_VOLUMES: [&str; 11] = [
    "configMap",
    "downwardAPI",
    "emptyDir",
    "projected",
    "secret",
    "csi",
    "persistentVolumeClaim",
    "ephemeral",
    "none",
    "image",
    "serviceAccountToken",
];

/// The resources that the level of a namespace is computed from, besides roles and bindings.
pub(super) static RESOURCES: [GroupResource; 2] = [CONSTRAINTS, SERVICE_ACCOUNTS];

/// The level of each namespace with its first user, and the reason for it, at a revision of roles and bindings.
pub(super) type Levels = Mutex<BTreeMap<(String, u32), (u64, Option<(Level, String)>)>>;

impl Matcher {
    /// Returns a note on the labels that the controller would add to the namespace, if it would.
    pub(super) fn labels_to_sync(&self, namespace: &str) -> Option<String> {
        let object = self.cluster.namespace(namespace)?;
        if !is_controlled(&object) {
            return None;
        }
        let levels = [Mode::Audit, Mode::Warn].into_iter();
        let missing: Vec<(&str, bool)> = levels
            .flat_map(|mode| [(mode.level_label(), false), (mode.version_label(), true)])
            .filter(|(label, _)| object.label(label).is_none())
            .collect();
        if missing.is_empty() {
            return None;
        }
        let range = Block::parse(object.annotation(UID_RANGE)?).ok()?;
        let (level, why) = self.level(namespace, range.start)?;
        let labels: Vec<String> = missing
            .iter()
            .map(|(label, is_version)| {
                let label = label.trim_start_matches("pod-security.kubernetes.io/");
                if *is_version { format!("{label}=latest") } else { format!("{label}={level}") }
            })
            .collect();
        Some(format!(
            "OpenShift's controller would give namespace \"{namespace}\" the labels pod-security.kubernetes.io/{}, as {why}",
            labels.join(", ")
        ))
    }

    /// Returns the level that fits what the service accounts of the namespace may use, and the account that needs it.
    fn level(&self, namespace: &str, first_user: u32) -> Option<(Level, String)> {
        let levels = self.levels.get(&self.cluster, Levels::default);
        let mut levels = levels.lock().unwrap_or_else(PoisonError::into_inner);
        let (key, revision) = ((namespace.to_owned(), first_user), self.authorizer.revision());
        match levels.get(&key) {
            Some((known, level)) if *known == revision => level.clone(),
            _ => {
                let level = self.compute_level(namespace, first_user);
                levels.insert(key, (revision, level.clone()));
                level
            }
        }
    }

    fn compute_level(&self, namespace: &str, first_user: u32) -> Option<(Level, String)> {
        let stored = self.cluster.list(&SERVICE_ACCOUNTS, namespace);
        let others: BTreeSet<&str> =
            stored.iter().map(|account| account.name()).filter(|name| *name != "default").collect();
        let names = std::iter::once("default").chain(others);
        let user = |account: &str| {
            let mut user = UserInfo::of_service_account(namespace, account);
            user.groups.push("system:authenticated".to_owned());
            user
        };
        let accounts: Vec<(&str, UserInfo)> = names.map(|name| (name, user(name))).collect();
        let mut widest: Option<(Level, String)> = None;
        for constraint in self.cluster.list_all(&CONSTRAINTS) {
            let level = level_of(&constraint.value, first_user)?;
            if widest.as_ref().is_some_and(|(found, _)| *found <= level) {
                continue;
            }
            let may = |(_, user): &&(&str, UserInfo)| self.granted(user, namespace, &constraint).is_some();
            if let Some((account, _)) = accounts.iter().find(may) {
                let name = constraint.name();
                widest = Some((level, format!("its service account {account} may use {name}")));
            }
        }
        widest
    }
}

/// Source: `isNSControlled`.
fn is_controlled(namespace: &Object) -> bool {
    let name = namespace.name();
    if EXEMPT.contains(&name) {
        return false;
    }
    match namespace.label(SYNC) {
        Some("true") => true,
        Some("false") => false,
        _ => !name.starts_with("openshift-"),
    }
}

/// Returns the level that allows everything the constraint does in a namespace whose users begin with `first_user`;
/// nothing if the constraint is malformed.
///
/// Source: `convertSCCToPSALevel`.
fn level_of(constraint: &Value, first_user: u32) -> Option<Level> {
    use Level::{Baseline, Privileged, Restricted};
    let flag = |field: &str| constraint.at(field).and_then(Value::as_bool);
    let texts =
        |field: &str| -> Vec<&str> { constraint.list(field).iter().filter_map(Value::as_str).collect() };
    let volumes = texts("volumes");
    let opens_the_host =
        ["allowHostDirVolumePlugin", "allowHostIPC", "allowHostNetwork", "allowHostPID", "allowHostPorts"]
            .into_iter()
            .any(|field| flag(field) == Some(true));
    let capabilities = texts("allowedCapabilities");
    let sysctls = texts("allowedUnsafeSysctls");
    let profiles = texts("seccompProfiles");
    let is_wide = opens_the_host
        || flag("allowPrivilegedContainer") == Some(true)
        || volumes.iter().any(|volume| ["hostPath", "*"].contains(volume))
        || capabilities.iter().any(|name| !BASELINE_CAPABILITIES.contains(name))
        || sysctls.iter().any(|name| !SAFE_SYSCTLS.contains(name))
        || profiles.iter().any(|profile| !is_valid_profile(profile))
        || !has_own_labels(constraint);
    if is_wide {
        return Some(Privileged);
    }
    let number = |field: &str| constraint.at(["runAsUser", field]).and_then(Value::as_i64);
    let may_be_root = match constraint.text(["runAsUser", "type"]) {
        "MustRunAsNonRoot" => false,
        "MustRunAs" => number("uid").is_none_or(|uid| uid <= 0),
        "MustRunAsRange" => match (number("uidRangeMin"), number("uidRangeMax")) {
            (Some(min), Some(_)) => min <= 0,
            _ => first_user == 0,
        },
        "RunAsAny" => true,
        _ => return None,
    };
    let is_baseline = may_be_root
        || flag("allowPrivilegeEscalation") != Some(false)
        || capabilities.iter().any(|name| *name != "NET_BIND_SERVICE")
        || !texts("requiredDropCapabilities").contains(&"ALL")
        || profiles.is_empty()
        || volumes.iter().any(|volume| !RESTRICTED_VOLUMES.contains(volume));
    Some(if is_baseline { Baseline } else { Restricted })
}

fn is_valid_profile(profile: &str) -> bool {
    ["docker/default", "runtime/default"].contains(&profile) || profile.starts_with("localhost/")
}

/// Whether containers keep to SELinux labels that the level `baseline` allows.
fn has_own_labels(constraint: &Value) -> bool {
    let option = |field: &str| constraint.text(["seLinuxContext", "seLinuxOptions", field]);
    constraint.text(["seLinuxContext", "type"]) == "MustRunAs"
        && ["", "container_t", "container_init_t", "container_kvm_t"].contains(&option("type"))
        && option("user").is_empty()
        && option("role").is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    #[test]
    fn finds_the_level_of_the_standard_constraints() {
        let standard = include_str!("../../../workload/openshift/standard.jsonl");
        let constraints = standard.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let levels: Vec<String> = constraints
            .filter(|constraint| constraint.text("kind") == "SecurityContextConstraints")
            .map(|constraint| {
                let level = level_of(&constraint, 1_000_650_000)
                    .map_or("malformed".to_owned(), |level| level.to_string());
                format!("{} {level}", constraint.text(["metadata", "name"]))
            })
            .collect();
        assert_eq!(
            levels,
            [
                "anyuid baseline",
                "hostaccess privileged",
                "hostmount-anyuid privileged",
                "hostnetwork privileged",
                "hostnetwork-v2 privileged",
                "nonroot baseline",
                "nonroot-v2 restricted",
                "privileged privileged",
                "restricted baseline",
                "restricted-v2 restricted",
            ]
        );
    }

    #[test]
    fn leaves_namespaces_of_the_cluster_alone() {
        let namespace = |name: &str, sync: &str| {
            let value = json!({"metadata": {"name": name, "labels": {SYNC: sync}}});
            is_controlled(&Object::new(GroupVersionKind::new("", "v1", "Namespace"), value))
        };
        assert!(namespace("shop", ""));
        assert!(!namespace("shop", "false"));
        assert!(!namespace("default", "true"));
        assert!(!namespace("openshift-mine", ""));
        assert!(namespace("openshift-mine", "true"));
    }
}
