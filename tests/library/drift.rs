//! Live objects next to their manifests: what a cluster has after an apply is no drift, and a single edit of it is found
//! alone, with its manager.
//!
//! The live objects are those of `testdata/scenarios`, as a real cluster had them after each step. `KADMIT_EDITS` sets
//! the number of random edits, which are the same in every run; `cargo bench --bench drift` makes 5,000.

mod edits;
mod states;

use gotext::source::SourceFile;
use kadmit::ApiServer;

use states::{differences, states};

/// What the cluster has other than its manifests say, in the recorded states: the work of others, and what the server or
/// `kubectl` refused to create or to change.
const DRIFTED: &[(&str, &[&str])] = &[
    (
        "client-side-drops-fields 1",
        &[
            "Deployment shop/web spec.replicas by kubectl-edit",
            "Deployment shop/web metadata.labels[by] by kubectl-edit",
        ],
    ),
    (
        "conflict-before-first-apply 1",
        &[
            "ConfigMap shop/settings refused",
            "ConfigMap shop/settings data[mode] by ",
            "Deployment shop/web refused",
            "Deployment shop/web spec.template.spec.containers[0].image by ",
        ],
    ),
    (
        "conflict-client-side-over-argocd 1",
        &[
            "ConfigMap shop/settings data[region] by argocd-controller",
            "Deployment shop/web metadata.labels[team] by argocd-controller",
        ],
    ),
    (
        "conflict-client-side-over-argocd 2",
        &[
            "ConfigMap shop/settings data[region] by argocd-controller",
            "Deployment shop/web metadata.labels[team] by argocd-controller",
        ],
    ),
    (
        "conflict-helm 1",
        &[
            "Deployment shop/web refused",
            "Deployment shop/web spec.replicas by helm",
            "Deployment shop/web spec.template.spec.containers[0].image by helm",
            "Deployment shop/web spec.template.spec.containers[0].resources.requests[cpu] by helm",
        ],
    ),
    (
        "conflict-helm 2",
        &["Deployment shop/web spec.template.spec.containers[0].resources.requests[cpu] by helm"],
    ),
    (
        "conflict-helm 3",
        &["Deployment shop/web spec.template.spec.containers[0].resources.requests[cpu] by "],
    ),
    (
        "conflict-kubectl-edit 1",
        &["Deployment shop/web refused", "Deployment shop/web spec.replicas by kubectl-edit"],
    ),
    (
        "conflict-kubectl-edit 2",
        &["Deployment shop/web refused", "Deployment shop/web spec.replicas by kubectl-edit"],
    ),
    ("conflict-kubectl-edit 3", &["Deployment shop/web spec.replicas by kubectl-edit"]),
    (
        "create-and-replace 2",
        &[
            "ConfigMap shop/settings data[mode] by kubectl-create",
            "Deployment shop/web spec.replicas by kubectl-create",
        ],
    ),
    ("create-and-replace 3", &["ConfigMap shop/missing refused"]),
    ("documents-namespace-argument 2", &["Deployment shop/web missing"]),
    (
        "documents-one-is-wrong 1",
        &["Deployment shop/web refused", "Service shop/web refused", "Deployment shop/api refused"],
    ),
    ("dump-of-another-cluster-applied 1", &["ReplicaSet shop/web-7c5ddbdf54 missing"]),
    ("dump-of-another-cluster-applied 2", &["ReplicaSet shop/web-7c5ddbdf54 missing"]),
    (
        "immutable-fields 2",
        &[
            "Job shop/report refused",
            "Job shop/report spec.template.spec.containers[0].image by ",
            "Deployment shop/web refused",
            "Deployment shop/web spec.selector.matchLabels[v] by ",
            "Deployment shop/web spec.template.metadata.labels[v] by ",
            "Service shop/web refused",
            "Service shop/web spec.clusterIP by ",
            "PersistentVolumeClaim shop/data refused",
            "PersistentVolumeClaim shop/data spec.resources.requests[storage] by ",
            "StatefulSet shop/db refused",
            "StatefulSet shop/db spec.replicas by ",
            "StatefulSet shop/db spec.volumeClaimTemplates[0].spec.resources.requests[storage] by ",
            "ConfigMap shop/settings refused",
            "ConfigMap shop/settings data[a] by ",
            "Secret shop/db refused",
            "Secret shop/db type by ",
            "Pod shop/one refused",
            "Pod shop/one spec.containers[0].image by ",
            "Pod shop/one spec.hostNetwork by ",
        ],
    ),
    ("namespace-terminating 2", &["ConfigMap shop/new refused", "Deployment shop/web refused"]),
    ("order-crd-and-custom-resource 1", &["Backup shop/nightly missing"]),
    ("order-deployment-before-namespace 1", &["Deployment shop/web missing"]),
    ("owner-references 1", &["Pod shop/orphan missing", "Pod shop/two refused"]),
    ("policy-enforced 2", &["Deployment shop/web refused"]),
    ("priority-class-behind-deployment 2", &["Pod shop/one refused", "PriorityClass second refused"]),
    (
        "quota-counts 1",
        &[
            "ConfigMap shop/two missing",
            "Secret shop/two missing",
            "Service shop/api missing",
            "Service shop/admin refused",
            "Deployment shop/api missing",
            "Ingress shop/web refused",
        ],
    ),
    (
        "rbac-edit 1",
        &[
            "ConfigMap other/settings missing",
            "ResourceQuota shop/pods missing",
            "RoleBinding shop/admin missing",
        ],
    ),
    (
        "twice-classes 3",
        &[
            "RuntimeClass gvisor refused",
            "RuntimeClass gvisor handler by ",
            "CSIDriver csi.example.com refused",
            "CSIDriver csi.example.com spec.attachRequired by ",
            "PriorityClass high refused",
            "PriorityClass high value by ",
            "StorageClass fast refused",
            "StorageClass fast provisioner by ",
            "IngressClass nginx refused",
            "IngressClass nginx spec.controller by ",
        ],
    ),
    (
        "twice-classes-server-side 3",
        &[
            "RuntimeClass gvisor refused",
            "RuntimeClass gvisor handler by ",
            "CSIDriver csi.example.com refused",
            "CSIDriver csi.example.com spec.attachRequired by ",
            "PriorityClass high refused",
            "PriorityClass high value by ",
            "StorageClass fast refused",
            "StorageClass fast provisioner by ",
            "IngressClass nginx refused",
            "IngressClass nginx spec.controller by ",
        ],
    ),
    (
        "twice-core-objects 3",
        &[
            "RoleBinding shop/read refused",
            "RoleBinding shop/read roleRef.name by ",
            "PersistentVolumeClaim shop/data refused",
            "PersistentVolumeClaim shop/data spec.accessModes[0] by ",
        ],
    ),
];

#[test]
fn what_was_applied_is_in_sync() {
    let mut wrong = Vec::new();
    let mut states = states();
    assert!(states.len() > 100, "only {} states", states.len());
    for state in &mut states {
        let drift = state.drift_of(&state.live);
        let found = differences(&drift);
        let known = DRIFTED.iter().find(|(name, _)| *name == state.name).map_or(&[][..], |(_, known)| known);
        if found != known {
            wrong.push(format!("    (\"{}\", &{found:#?}),", state.name));
        }
    }
    assert!(wrong.is_empty(), "{} states\n{}", wrong.len(), wrong.join("\n"));
}
#[test]
fn of_several_manifests_of_a_custom_resource_the_last_decides() {
    let definition = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: backups.example.com}, \
                      spec: {group: example.com, scope: Namespaced, names: {kind: Backup, plural: backups}, versions: [{name: v1, \
                      served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, \
                      x-kubernetes-preserve-unknown-fields: true}}}}}]}}";
    let backup = |day: &str| {
        format!(
            "{{apiVersion: example.com/v1, kind: Backup, metadata: {{name: a, namespace: b}}, spec: {{day: {day}}}}}"
        )
    };
    let server = ApiServer::from_flags::<&str>([]).expect("it starts");
    let live = [SourceFile::new("crd.yaml", definition), SourceFile::new("live.yaml", backup("fri"))];
    let manifests = [SourceFile::new("a.yaml", backup("mon")), SourceFile::new("b.yaml", backup("fri"))];
    let drift = server.cluster(&live).expect("a cluster").drift(&manifests);
    assert_eq!(drift.objects.len(), 1, "{:?}", drift.objects);
    assert_eq!(differences(&drift), Vec::<String>::new());
}

#[test]
fn a_random_edit_is_found_alone() {
    let count = std::env::var("KADMIT_EDITS").ok().and_then(|count| count.parse().ok()).unwrap_or(40);
    let wrong = edits::not_found(count);
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}
