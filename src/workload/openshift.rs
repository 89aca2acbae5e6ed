//! What OpenShift's controllers do, and the objects of every OpenShift cluster: the standard security context constraints with the roles to use them, the
//! rights to its other resources, its own namespaces, and the blocks of ids that each namespace gets.
//!
//! Source: `cluster-kube-apiserver-operator/bindata/bootkube/scc-manifests`, `openshift-apiserver/pkg/bootstrappolicy`,
//! `cluster-policy-controller/pkg/security/controller`.

mod deployer;
mod deployment_config;
mod quota;

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::workload::Controller;
use kube_api::distribution::Distribution;
use kube_api::kinds::{self, GroupKind};
use kube_api::resources::NAMESPACES;
use kube_api::server_profile::ServerProfile;
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

/// The controllers of OpenShift, after those of Kubernetes.
pub(super) const CONTROLLERS: &[Controller] = &[
    Controller {
        name: "deploymentconfig-controller",
        kind: GroupKind { group: "apps.openshift.io", kind: "DeploymentConfig" },
        react: deployment_config::react,
    },
    Controller {
        name: deployer::NAME,
        kind: kinds::REPLICATION_CONTROLLER,
        react: deployer::react_to_controller,
    },
    Controller { name: deployer::NAME, kind: kinds::POD, react: deployer::react_to_pod },
];

/// Returns the namespace of the account of a controller, if it is one of OpenShift's.
pub(super) fn namespace_of(controller: &str) -> Option<&'static str> {
    CONTROLLERS.iter().any(|own| own.name == controller).then_some("openshift-infra")
}

/// Returns the names of the service accounts that every namespace gets besides `default`.
pub(super) fn accounts(distribution: Distribution) -> &'static [&'static str] {
    if distribution.is_openshift() { &["builder", "deployer"] } else { &[] }
}

/// Whether `object` is a project or the request of one, and its namespace exists.
pub(super) fn has_namespace(cluster: &Cluster, object: &Object) -> bool {
    project::makes_namespace(&object.kind) && cluster.namespace(object.name()).is_some()
}

/// Keeps the state of the quotas that select projects, for an object that was created or changed; returns the
/// assumption that this made.
pub(super) fn keep_state(
    cluster: &Arc<Cluster>,
    object: &Arc<Object>,
    profile: &Arc<ServerProfile>,
) -> Option<String> {
    if object.kind.is(GroupKind { group: "quota.openshift.io", kind: "ClusterResourceQuota" }) {
        return quota::fill(cluster, object, profile);
    }
    if (object.kind.is(kinds::NAMESPACE) || project::makes_namespace(&object.kind))
        && let Some(project) = cluster.namespace(object.name())
    {
        quota::follow_project(cluster, &project, profile);
    }
    None
}

/// Computes the status of every quota that selects projects and has no status.
pub(super) fn fill_quotas(cluster: &Arc<Cluster>, profile: &Arc<ServerProfile>) -> Vec<String> {
    quota::fill_all(cluster, profile)
}

/// Creates the objects of every cluster that do not exist yet, and the namespaces of projects; returns notes about them.
pub(super) fn make_standard(cluster: &Cluster, profile: &ServerProfile) -> Vec<String> {
    let mut notes = Vec::new();
    if profile.distribution().is_openshift() {
        notes.extend(make_objects(cluster));
        notes.push(about_numbers());
    }
    make_namespaces(cluster);
    notes
}

fn make_objects(cluster: &Cluster) -> Option<String> {
    let mut made = 0;
    for line in STANDARD.lines() {
        let Some(object) = read(line) else { continue };
        let Some(resource) = resource_of(&object.kind) else { continue };
        if !cluster.contains(&resource, "", object.name()) {
            made += 1;
            cluster.put(&resource, Arc::new(object));
        }
    }
    (made > 0).then(|| {
        format!(
            "{made} objects that every OpenShift cluster has are assumed, such as the standard \
             SecurityContextConstraints"
        )
    })
}

/// Creates the namespaces of projects, of which they are views.
fn make_namespaces(cluster: &Cluster) {
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
fn about_numbers() -> String {
    let [(_, categories), _, (_, block)] = ANNOTATIONS;
    format!(
        "namespaces without annotations openshift.io/sa.scc.* are taken to have the block {block} of users and groups, \
         and the categories {categories}"
    )
}

/// Sets the missing ids of a namespace. The same ids for every namespace suffice for admission.
pub(super) fn annotate(cluster: &Cluster, name: &str, profile: &ServerProfile) {
    let namespace = cluster.namespace(name).filter(|_| profile.distribution().is_openshift());
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

    fn on_openshift() -> ServerProfile {
        ServerProfile::default().on(Distribution::OpenShift)
    }

    #[test]
    fn makes_the_standard_constraints_once() {
        let cluster = Cluster::of(Distribution::OpenShift, |_| false);
        let about_numbers = "namespaces without annotations openshift.io/sa.scc.* are taken to have the block \
                             1000650000/10000 of users and groups, and the categories s0:c26,c5";
        let notes = make_standard(&cluster, &on_openshift());
        assert_eq!((notes.len(), notes[1].as_str()), (2, about_numbers));
        let constraints = GroupResource::new("security.openshift.io", "securitycontextconstraints");
        assert_eq!(cluster.list_all(&constraints).len(), 10);
        assert_eq!(make_standard(&cluster, &on_openshift()), [about_numbers]);
        assert_eq!(make_standard(&Cluster::new(), &ServerProfile::default()), Vec::<String>::new());
    }

    #[test]
    fn gives_numbers_to_a_namespace_without() {
        let cluster = Cluster::of(Distribution::OpenShift, |_| false);
        annotate(&cluster, "default", &on_openshift());
        let namespace = cluster.namespace("default").unwrap();
        assert_eq!(namespace.annotation("openshift.io/sa.scc.uid-range"), Some("1000650000/10000"));
    }
}
