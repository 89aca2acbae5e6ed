//! The objects of every OpenShift cluster: the standard security context constraints with the roles to use them, the
//! rights to its other resources, its own namespaces, and the blocks of ids that each namespace gets.
//!
//! Source: `cluster-kube-apiserver-operator/bindata/bootkube/scc-manifests`, `openshift-apiserver/pkg/bootstrappolicy`,
//! `cluster-policy-controller/pkg/security/controller`.

use std::sync::Arc;

use crate::cluster::Cluster;
use kube_api::resources::NAMESPACES;
use kube_api::{GroupResource, GroupVersionKind, Object, Value, resource};
use kube_registry::openshift::{self, project};

const PROJECTS: GroupResource = GroupResource::new("project.openshift.io", "projects");

/// One object per line.
const STANDARD: &str = include_str!("openshift/standard.jsonl");

/// The annotations that a namespace gets; the ids are the same for all namespaces.
const ANNOTATIONS: [(&str, &str); 3] = [
    ("openshift.io/sa.scc.mcs", "s0:c26,c5"),
    ("openshift.io/sa.scc.supplemental-groups", "1000650000/10000"),
    ("openshift.io/sa.scc.uid-range", "1000650000/10000"),
];

/// Creates the objects of every cluster that do not exist yet; returns notes about them.
pub(super) fn make_standard(cluster: &Cluster) -> Vec<String> {
    if !cluster.distribution().is_openshift() {
        return Vec::new();
    }
    let mut made = 0;
    for line in STANDARD.lines() {
        let Some(object) = read(line) else { continue };
        let Some(resource) = resource_of(&object.kind) else { continue };
        if !cluster.contains(&resource, "", object.name()) {
            made += 1;
            cluster.put(&resource, Arc::new(object));
        }
    }
    if made == 0 {
        return Vec::new();
    }
    vec![format!(
        "{made} objects that every OpenShift cluster has are assumed, such as the standard SecurityContextConstraints"
    )]
}

/// Creates the namespaces of projects, of which they are views.
pub(super) fn make_namespaces(cluster: &Cluster) {
    for object in cluster.list_all(&PROJECTS) {
        let is_missing = cluster.namespace(object.name()).is_none();
        for namespace in project::created_with(&object, "").into_iter().filter(|_| is_missing) {
            cluster.put(&NAMESPACES, Arc::new(namespace));
        }
    }
}

fn read(line: &str) -> Option<Object> {
    let value: Value = gotext::encoding_json::from_slice(line.as_bytes()).ok()?;
    let text = |field: &str| value.get(field).and_then(Value::as_str);
    let kind = GroupVersionKind::from_api_version(text("apiVersion")?, text("kind")?);
    Some(Object::new(kind, value))
}

fn resource_of(kind: &GroupVersionKind) -> Option<GroupResource> {
    if let Some(found) = resource::by_kind(kind) {
        return Some(found.group_version_resource().group_resource());
    }
    let found = openshift::definition_of_kind(&kind.group, &kind.kind)?;
    Some(GroupResource { group: kind.group.clone(), resource: found.plural.clone().into() })
}

/// Returns a note about the ids that namespaces without any get.
pub(super) fn about_numbers(cluster: &Cluster) -> Option<String> {
    let [(_, categories), _, (_, block)] = ANNOTATIONS;
    cluster.distribution().is_openshift().then(|| {
        format!(
            "namespaces without annotations openshift.io/sa.scc.* are taken to have the block {block} of users and groups, \
             and the categories {categories}"
        )
    })
}

/// Sets the missing ids of a namespace. The same ids for every namespace suffice for admission.
pub(super) fn annotate(cluster: &Cluster, name: &str) {
    let namespace = cluster.namespace(name).filter(|_| cluster.distribution().is_openshift());
    let Some(namespace) = namespace else { return };
    let mut annotated = Object::clone(&namespace);
    for (key, value) in ANNOTATIONS {
        // Without blocks of group ids those of user ids count.
        if key.ends_with("supplemental-groups") && namespace.annotation(ANNOTATIONS[2].0).is_some() {
            continue;
        }
        annotated.insert_default(["metadata", "annotations", key], value);
    }
    if annotated != *namespace {
        cluster.put(&NAMESPACES, Arc::new(annotated));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::distribution::Distribution;

    #[test]
    fn makes_the_standard_constraints_once() {
        let cluster = Cluster::of(Distribution::OpenShift, |_| false);
        assert_eq!(make_standard(&cluster).len(), 1);
        let constraints = GroupResource::new("security.openshift.io", "securitycontextconstraints");
        assert_eq!(cluster.list_all(&constraints).len(), 10);
        assert_eq!(make_standard(&cluster), Vec::<String>::new());
        assert_eq!(make_standard(&Cluster::new()), Vec::<String>::new());
        assert_eq!(
            about_numbers(&cluster).as_deref(),
            Some(
                "namespaces without annotations openshift.io/sa.scc.* are taken to have the block 1000650000/10000 of \
                 users and groups, and the categories s0:c26,c5"
            )
        );
        assert_eq!(about_numbers(&Cluster::new()), None);
    }

    #[test]
    fn gives_numbers_to_a_namespace_without() {
        let cluster = Cluster::of(Distribution::OpenShift, |_| false);
        annotate(&cluster, "default");
        let namespace = cluster.namespace("default").unwrap();
        assert_eq!(namespace.annotation("openshift.io/sa.scc.uid-range"), Some("1000650000/10000"));
    }
}
