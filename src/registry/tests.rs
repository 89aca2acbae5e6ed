//! What the registry does with objects of all kinds.

mod defaults;
mod preparation;
mod validation;
mod warnings;

use crate::value::json;

use crate::api::features::FeatureGates;
use crate::api::{GroupVersionKind, Object, Value, resource};
use crate::registry::{Context, Strategy, all, of, set_defaults};

fn written(value: Value) -> Object {
    let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
    Object::new(GroupVersionKind::from_api_version(&text("apiVersion"), &text("kind")), value)
}

fn strategy(object: &Object) -> &'static Strategy {
    of(&object.kind).expect("a built-in kind")
}

/// What defaulting makes of `value`; doing it again must change nothing.
pub(super) fn defaulted(value: Value) -> Value {
    let mut object = written(value);
    set_defaults(&mut object, &FeatureGates::default());
    let once = object.value.clone();
    set_defaults(&mut object, &FeatureGates::default());
    assert_eq!(object.value, once, "defaulting twice");
    once
}

pub(super) fn object(value: &Value) -> Object {
    let mut object = written(value.clone());
    set_defaults(&mut object, &FeatureGates::default());
    object
}

pub(super) fn created(value: &Value) -> Value {
    let mut object = object(value);
    strategy(&object).prepare_for_create(&mut object, &Context::new(&FeatureGates::default()));
    object.value
}

pub(super) fn updated(new: &Value, old: &Value, sub_resource: &str) -> Value {
    let (mut new, old) = (object(new), object(old));
    let features = FeatureGates::default();
    strategy(&new).prepare_for_update(&mut new, &old, sub_resource, &Context::new(&features));
    new.value
}

/// What the server warns about when `value` is created.
pub(super) fn on_create(value: Value) -> Vec<String> {
    let object = written(value);
    strategy(&object).warnings(&object, None, &FeatureGates::default())
}

#[test]
fn every_served_kind_has_a_strategy() {
    /// Kinds of requests that open a connection: nothing is done with their objects.
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
        assert_eq!(
            strategy.scope == crate::registry::strategy::Scope::Namespaced,
            entry.namespaced,
            "{}",
            entry.kind
        );
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
            assert!(crate::api::schema::of(&kind).is_some(), "{strategy:?} has no {version}");
        }
    }
}

#[test]
fn strategies_are_ordered() {
    assert!(all().is_sorted_by_key(|strategy| (strategy.group, strategy.kind)));
}
