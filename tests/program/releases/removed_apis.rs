//! Compares the releases in which kinds were removed with the list of another tool.

use std::fs;
use std::path::Path;

use kube_api::GroupVersionKind;
use kube_api::resource::{Lifetime, replacement};
use kube_api::version::Version;

/// Returns the reason to trust the tables where the list differs.
fn why_not(api_version: &str, kind: &str) -> Option<&'static str> {
    if api_version.starts_with("audit.k8s.io/") {
        return Some("a form of files, which no server serves");
    }
    if kind.ends_with("List") {
        return Some("a list is as its items");
    }
    match (api_version, kind) {
        ("apps/v1beta1", "ReplicaSet") | (_, "FlowControl") => Some("there was no such kind"),
        ("rbac.authorization.k8s.io/v1alpha1" | "scheduling.k8s.io/v1alpha1", _) => {
            Some("served longer than it was planned")
        }
        ("flowcontrol.apiserver.k8s.io/v1beta1", _) => Some("removed in 1.26, v1beta2 in 1.29"),
        ("admissionregistration.k8s.io/v1alpha1", _) => Some("removed in 1.32"),
        ("resource.k8s.io/v1beta1", _) => Some("still served by 1.37"),
        _ => None,
    }
}

#[test]
fn agrees_with_the_list_of_removed_apis() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/releases/removed-apis.txt");
    let list = fs::read_to_string(path).expect("the list");
    let (mut agree, mut differ) = (0, 0);
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.split(' ');
        let mut word = || words.next().expect("three words");
        let (api_version, kind, removed) = (word(), word(), word());
        let lifetime = Lifetime::of(&GroupVersionKind::from_api_version(api_version, kind));
        let until = lifetime.and_then(|lifetime| lifetime.default_until.or(lifetime.until));
        let agrees = until.is_some_and(|until| format!("1.{}", until + 1) == removed);
        match why_not(api_version, kind) {
            None => assert!(agrees, "{line}: {lifetime:?}"),
            Some(why) => assert!(!agrees, "{line}: agrees, although {why}"),
        }
        if agrees { agree += 1 } else { differ += 1 }
    }
    assert_eq!((agree, differ), (49, 35));
}

/// Returns the reason to trust the tables where a mark of a type says otherwise.
fn why_not_marked(api_version: &str, kind: &str) -> Option<&'static str> {
    match (api_version, kind) {
        (_, "AdmissionReview" | "APIGroupDiscovery" | "JobTemplate") => Some("no server serves it"),
        (_, "DeploymentRollback" | "Eviction" | "Scale") => Some("it is sent to a subresource"),
        ("storage.k8s.io/v1alpha1", "VolumeAttachment") => Some("removed in 1.23"),
        ("networking.k8s.io/v1alpha1", "ClusterCIDR") => Some("removed in 1.29"),
        ("networking.k8s.io/v1alpha1", "IPAddress" | "ServiceCIDR") => Some("removed in 1.31"),
        ("storagemigration.k8s.io/v1alpha1", _) => Some("removed in 1.35"),
        _ => None,
    }
}

#[test]
fn agrees_with_the_marks_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/releases/lifecycles.txt");
    let list = fs::read_to_string(path).expect("the list");
    let (mut agree, mut differ) = (0, 0);
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let words: Vec<_> = line.split(' ').collect();
        let [api_version, kind, removed, version, name] = words[..] else { panic!("{line}") };
        let marked = GroupVersionKind::from_api_version(api_version, kind);
        let lifetime = Lifetime::of(&marked);
        let until = lifetime.and_then(|lifetime| lifetime.default_until.or(lifetime.until));
        let agrees = until.is_some_and(|until| format!("1.{}", until + 1) == removed);
        let Some(why) = why_not_marked(api_version, kind) else {
            assert!(agrees, "{line}: {lifetime:?}");
            let found = replacement(&marked, Version::BINARY).map(|found| found.kind);
            let expected = (version != "-").then(|| GroupVersionKind::from_api_version(version, name));
            // What replaced it may be gone too.
            let is_present =
                expected.as_ref().is_some_and(|kind| Lifetime::of(kind).is_some_and(|it| it.until.is_none()));
            assert!(!is_present || found == expected, "{line}: {found:?}");
            agree += 1;
            continue;
        };
        assert!(!agrees, "{line}: agrees, although {why}");
        differ += 1;
    }
    assert_eq!((agree, differ), (59, 14));
}
