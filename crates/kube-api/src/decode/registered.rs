//! The kinds that the server can read, served or not, and its errors about others.
//!
//! Source: `k8s.io/kubernetes/pkg/api/legacyscheme`, `k8s.io/apimachinery/pkg/runtime`.

use crate::group_version::group_and_version;
use crate::{GroupVersionKind, release};
use gotext::quote;

/// One line per group version: its `apiVersion`, then its kinds.
static KINDS: &str = release::table!("kinds.txt");

/// Kinds that every group version has.
const EVERYWHERE: [&str; 7] = [
    "CreateOptions",
    "DeleteOptions",
    "GetOptions",
    "ListOptions",
    "PatchOptions",
    "UpdateOptions",
    "WatchEvent",
];

/// Returns the groups and versions of which the server has kinds, served or not.
pub fn group_versions() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = release::body(KINDS).lines().filter_map(|line| line.split_once(' '));
    lines.map(|(line, _)| group_and_version(line))
}

/// Whether the server can read `kind`.
pub(super) fn contains(kind: &GroupVersionKind) -> bool {
    let mut lines = KINDS.lines().filter_map(|line| line.split_once(' '));
    lines.any(|(line, kinds)| {
        kind.is_in(line)
            && (EVERYWHERE.contains(&kind.kind.as_ref()) || kinds.split(' ').any(|known| known == kind.kind))
    })
}

/// Whether `kind` is an earlier version of `expected`, with the same fields, that its requests may have as well.
///
/// Source: `EvictionREST.AcceptsGroupVersion`
pub(super) fn is_earlier_form(kind: &GroupVersionKind, expected: &GroupVersionKind) -> bool {
    let is_eviction = |it: &GroupVersionKind, version: &str| {
        it.group == "policy" && it.kind == "Eviction" && it.version == version
    };
    is_eviction(expected, "v1") && is_eviction(kind, "v1beta1")
}

/// Returns the error about a kind that the server, expecting `expected`, cannot read.
pub(super) fn unknown(kind: &GroupVersionKind, expected: &GroupVersionKind) -> String {
    let scheme = match expected.group.as_ref() {
        "apiextensions.k8s.io" => "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55",
        "apiregistration.k8s.io" => "k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28",
        _ => "pkg/api/legacyscheme/scheme.go:30",
    };
    let (kind, version) = (quote(&kind.kind), quote(&kind.api_version()));
    format!("no kind {kind} is registered for version {version} in scheme {}", quote(scheme))
}

/// Returns the error about a kind that cannot be converted to another kind, in any version.
pub(super) fn conversion_error(kind: &GroupVersionKind, expected: &GroupVersionKind) -> Option<String> {
    let (found, wanted) = (internal(kind), internal(expected));
    if found == wanted {
        return None;
    }
    let version = if EVERYWHERE.contains(&kind.kind.as_ref()) { "v1" } else { kind.version.as_ref() };
    let (package, name) = wanted;
    Some(format!("converting ({version}.{}) to ({package}.{name}): unknown conversion", kind.kind))
}

/// Returns the Go type, package and name, of the internal version of `kind`.
fn internal(kind: &GroupVersionKind) -> (&str, &str) {
    let package = match (kind.group.as_ref(), kind.kind.as_ref()) {
        ("", _) | ("events.k8s.io", "Event" | "EventList") => "core",
        (_, "Scale") => "autoscaling",
        (
            "extensions",
            "Deployment" | "DeploymentList" | "DaemonSet" | "DaemonSetList" | "ReplicaSet" | "ReplicaSetList",
        ) => "apps",
        ("extensions", "Ingress" | "IngressList" | "NetworkPolicy" | "NetworkPolicyList") => "networking",
        ("internal.apiserver.k8s.io", _) => "apiserverinternal",
        (group, _) => group.split('.').next().unwrap_or_default(),
    };
    (package, &kind.kind)
}
