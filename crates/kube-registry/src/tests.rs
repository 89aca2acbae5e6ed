//! The registry's handling of objects of all kinds.

mod defaults;
mod gates;
mod preparation;
mod validation;
mod warnings;

use std::collections::HashSet;

use gotext::value::json;

use crate::strategy::ObjectStatus;
use crate::{Context, Strategy, all, of, older_releases, set_defaults, stored};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Object, Value, resource};

fn written(value: Value) -> Object {
    let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
    Object::new(GroupVersionKind::from_api_version(&text("apiVersion"), &text("kind")), value)
}

fn strategy(object: &Object) -> &'static Strategy {
    of(&object.kind).expect("a built-in kind")
}

/// Returns `value` after defaulting; defaulting again must change nothing.
pub(super) fn defaulted(value: Value) -> Value {
    let mut object = written(value);
    set_defaults(&mut object, &ServerProfile::default());
    let once = object.value.clone();
    set_defaults(&mut object, &ServerProfile::default());
    assert_eq!(object.value, once, "defaulting twice");
    once
}

pub(super) fn object(value: &Value) -> Object {
    let mut object = written(value.clone());
    set_defaults(&mut object, &ServerProfile::default());
    object
}

pub(super) fn created(value: &Value) -> Value {
    let mut object = object(value);
    strategy(&object).prepare_for_create(&mut object, &Context::new(&ServerProfile::default()));
    object.value
}

pub(super) fn updated(new: &Value, old: &Value, sub_resource: &str) -> Value {
    let (mut new, old) = (object(new), object(old));
    let profile = ServerProfile::default();
    strategy(&new).prepare_for_update(&mut new, &old, sub_resource, &Context::new(&profile));
    new.value
}

/// Returns the server's warnings when `value` is created.
pub(super) fn on_create(value: Value) -> Vec<String> {
    let object = written(value);
    strategy(&object).warnings(&object, None, &ServerProfile::default())
}

#[test]
fn every_served_kind_has_a_strategy() {
    /// Kinds of requests that open a connection: their objects are passed on as they are.
    const CONNECTED: [&str; 6] = [
        "NodeProxyOptions",
        "PodAttachOptions",
        "PodExecOptions",
        "PodPortForwardOptions",
        "PodProxyOptions",
        "ServiceProxyOptions",
    ];
    for entry in resource::all() {
        let kind = entry.group_version_kind();
        let strategy = of(&kind).unwrap_or_else(|| panic!("{} has no strategy", kind.group_kind()));
        assert_eq!(strategy.is_stored(), entry.verbs.contains(&"get"), "{}", entry.kind);
        let has_status = !matches!(strategy.status, ObjectStatus::None);
        assert_eq!(has_status, entry.subresource("status").is_some(), "{}", entry.kind);
        for below in entry.subresources {
            let kind = below.group_version_kind();
            let is_written = below.verbs.contains(&"update") && !CONNECTED.contains(&below.kind);
            if CONNECTED.contains(&below.kind) {
                continue;
            }
            let found = of(&kind).unwrap_or_else(|| panic!("{}/{} has no strategy", entry.kind, below.name));
            let is_known = found.sub_resource(below.name).is_some();
            assert_eq!(is_known, is_written, "{}/{}", entry.kind, below.name);
        }
    }
}

#[test]
fn every_kind_of_every_release_has_a_strategy() {
    /// Neither has a strategy: one never existed, and of the other only the revision counts.
    const WITHOUT: [&str; 2] = ["ReplicationControllerDummy", "DeploymentRollback"];
    for minor in Version::OLDEST.minor..=Version::BINARY.minor {
        for entry in resource::of_release(Version::minor(minor)) {
            let below = entry.subresources.iter().map(|below| (below.group_version_kind(), false));
            let kinds = std::iter::once((entry.group_version_kind(), true)).chain(below);
            for (kind, is_whole) in kinds.filter(|(kind, _)| !WITHOUT.contains(&&*kind.kind)) {
                let is_connected = !is_whole && kind.kind.ends_with("Options");
                assert!(of(&kind).is_some() || is_connected, "{kind:?} of 1.{minor}");
            }
        }
    }
}

#[test]
fn every_older_strategy_is_of_a_kind_that_was_served() {
    for strategy in older_releases::all() {
        for version in strategy.versions {
            let kind = GroupVersionKind::new(strategy.group, *version, strategy.kind);
            assert!(kube_api::schema::of(&kind).is_some(), "{strategy:?} has no {version}");
            assert!(resource::by_kind(&kind).is_none(), "{kind:?} is still there");
            if let Some((stored, resource)) = stored::stored_as(&kind) {
                assert!(of(&stored).is_some(), "{kind:?} is stored as {stored:?}");
                let found = resource::by_kind(&stored);
                let name = found.map(|found| found.group_version_resource().group_resource());
                assert!(name.is_none_or(|name| name == resource), "{kind:?}: {resource}");
            }
        }
    }
}

#[test]
fn no_strategy_is_left_over() {
    let kinds = |entry: &'static resource::ApiResource| {
        let below = entry.subresources.iter().map(resource::Subresource::group_version_kind);
        below.chain([entry.group_version_kind()])
    };
    let served: HashSet<_> = resource::all().iter().flat_map(kinds).collect();
    for strategy in all() {
        for version in strategy.versions {
            let kind = GroupVersionKind::new(strategy.group, *version, strategy.kind);
            assert!(served.contains(&kind), "{kind:?} is not served");
        }
    }
}

#[test]
fn the_scope_of_every_kind_is_validated() {
    /// The namespace of an event must be that of its object, which may have none; the registry leaves the metadata of a
    /// budget to the rules of every kind.
    const OTHERWISE: [&str; 2] = ["Event", "PodDisruptionBudget"];
    let profile = ServerProfile::default();
    let mut wrong = Vec::new();
    for entry in resource::all() {
        let kind = entry.group_version_kind();
        let strategy = of(&kind).expect("every served kind has a strategy");
        if strategy.validate.is_none() || !strategy.is_stored() || OTHERWISE.contains(&entry.kind) {
            continue;
        }
        let is_refused = |namespace: &str| {
            let metadata = json!({"name": "a", "namespace": namespace});
            let api_version = kind.api_version();
            let mut object =
                written(json!({"apiVersion": api_version, "kind": entry.kind, "metadata": metadata}));
            set_defaults(&mut object, &profile);
            let errors = strategy.validate_create(&object, &Context::new(&profile));
            errors.iter().any(|error| error.to_string().starts_with("metadata.namespace: "))
        };
        if (is_refused(""), is_refused("b")) != (entry.namespaced, !entry.namespaced) {
            wrong.push(kind);
        }
    }
    assert_eq!(wrong, []);
}

#[test]
fn strategies_are_ordered() {
    assert!(all().is_sorted_by_key(|strategy| (strategy.group, strategy.kind)));
}
