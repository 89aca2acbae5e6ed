//! The order in which constraints are tried: by priority, then the more restrictive first, then by name.
//!
//! Source: `util/sort/{bypriority,byrestrictions}.go`.

use std::cmp::Ordering;

use kube_api::{Object, Value};

const PRIVILEGED: i64 = 1_600_000;
const HOST_PORTS: i64 = 800_000;
const HOST_NETWORK: i64 = 400_000;
const HOST_VOLUME: i64 = 200_000;
const NON_TRIVIAL_VOLUME: i64 = 100_000;

/// Compares two constraints by the order of trying them.
pub(super) fn precedes(left: &Object, right: &Object) -> Ordering {
    priority(right)
        .cmp(&priority(left))
        .then_with(|| points(left).cmp(&points(right)))
        .then_with(|| left.name().cmp(right.name()))
}

fn priority(constraint: &Object) -> i64 {
    constraint.int("priority")
}

/// Returns a score for what a constraint allows.
pub(super) fn points(constraint: &Object) -> i64 {
    let allows = |field: &str| constraint.at(field) == Some(&Value::Bool(true));
    let part = |allowed: bool, points: i64| if allowed { points } else { 0 };
    let strategy = |field: &str| match constraint.value.text([field, "type"]) {
        "RunAsAny" => 40_000,
        "MustRunAsNonRoot" => 30_000,
        "MustRunAsRange" => 20_000,
        "MustRunAs" => 10_000,
        _ => 0,
    };
    part(allows("allowPrivilegedContainer"), PRIVILEGED)
        + volumes(constraint)
        + part(allows("allowHostNetwork"), HOST_NETWORK)
        + part(allows("allowHostPorts"), HOST_PORTS)
        + capabilities(constraint)
        + strategy("seLinuxContext")
        + strategy("runAsUser")
}

fn texts<'a>(constraint: &'a Object, field: &'a str) -> impl Iterator<Item = &'a str> {
    constraint.list(field).iter().filter_map(Value::as_str)
}

fn volumes(constraint: &Object) -> i64 {
    const TRIVIAL: [&str; 6] = ["secret", "configMap", "emptyDir", "downwardAPI", "projected", "none"];
    let mut points = 0;
    for volume in texts(constraint, "volumes") {
        points = points.max(match volume {
            "hostPath" | "*" => HOST_VOLUME,
            other if TRIVIAL.contains(&other) => 0,
            _ => NON_TRIVIAL_VOLUME,
        });
    }
    points
}

fn capabilities(constraint: &Object) -> i64 {
    let count = |field| i64::try_from(constraint.list(field).len()).unwrap_or(i64::MAX / 1000);
    let has = |field, wanted: &[&str]| {
        texts(constraint, field).any(|name| wanted.contains(&name.to_uppercase().as_str()))
    };
    let mut points = 5000 + 300 * count("defaultAddCapabilities");
    points +=
        if has("allowedCapabilities", &["*", "ALL"]) { 4000 } else { 10 * count("allowedCapabilities") };
    points -=
        if has("requiredDropCapabilities", &["ALL"]) { 3000 } else { 50 * count("requiredDropCapabilities") };
    points.clamp(0, 9999)
}

/// Returns why `chosen` comes before `next`.
pub(super) fn reason(chosen: &Object, next: &Object) -> &'static str {
    match priority(chosen).cmp(&priority(next)) {
        Ordering::Greater => return "has higher priority",
        Ordering::Less => return "has lower priority",
        Ordering::Equal => {}
    }
    let (mut chosen, mut next) = (points(chosen), points(next));
    if chosen == next {
        return "ordered by name";
    }
    // Two constraints that a hint moved may be in reverse order.
    if chosen > next {
        std::mem::swap(&mut chosen, &mut next);
    }
    let steps = [
        (PRIVILEGED, "forbids privileged"),
        (HOST_PORTS, "forbids host ports"),
        (HOST_NETWORK, "forbids host networking"),
        (HOST_VOLUME, "forbids host volume mounts"),
        (NON_TRIVIAL_VOLUME, "forbids non-trivial volume mounts"),
    ];
    for (points, reason) in steps {
        if chosen >= points && next >= points {
            chosen -= points;
            next -= points;
        } else if chosen < points && next >= points {
            return reason;
        }
    }
    if chosen / 10_000 < next / 10_000 {
        "permits less runAs strategies"
    } else if chosen % 10_000 < next % 10_000 {
        "permits less capabilities"
    } else {
        "is equally restrictive"
    }
}
