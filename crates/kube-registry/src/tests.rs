//! The registry's handling of objects of all kinds.

mod defaults;
mod preparation;
mod validation;
mod warnings;

use gotext::value::json;

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
        assert_eq!((strategy.resource, strategy.kind), (entry.resource, entry.kind));
        assert_eq!(strategy.scope == crate::strategy::Scope::Namespaced, entry.namespaced, "{}", entry.kind);
        assert_eq!(strategy.is_stored(), entry.verbs.contains(&"get"), "{}", entry.kind);
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
    for minor in Version::OLDEST.minor..Version::BINARY.minor {
        for entry in resource::of_release(Version::minor(minor)) {
            let below = entry.subresources.iter().map(|below| (below.group_version_kind(), false));
            let kinds = std::iter::once((entry.group_version_kind(), true)).chain(below);
            for (kind, is_whole) in kinds.filter(|(kind, _)| !WITHOUT.contains(&&*kind.kind)) {
                let Some(strategy) = of(&kind) else {
                    assert!(!is_whole && kind.kind.ends_with("Options"), "{kind:?} of 1.{minor}");
                    continue;
                };
                if is_whole {
                    let is_namespaced = strategy.scope == crate::strategy::Scope::Namespaced;
                    assert_eq!((strategy.resource, is_namespaced), (entry.resource, entry.namespaced));
                }
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
    for strategy in all() {
        let is_served = |entry: &resource::ApiResource| {
            let of_kind = |group, kind| strategy.group == group && strategy.kind == kind;
            of_kind(entry.group, entry.kind)
                || entry.subresources.iter().any(|below| of_kind(below.group, below.kind))
        };
        assert!(resource::all().iter().any(is_served), "{strategy:?} is not served");
        for version in strategy.versions {
            let kind = GroupVersionKind::new(strategy.group, *version, strategy.kind);
            assert!(kube_api::schema::of(&kind).is_some(), "{strategy:?} has no {version}");
        }
    }
}

#[test]
fn strategies_are_ordered() {
    assert!(all().is_sorted_by_key(|strategy| (strategy.group, strategy.kind)));
}
