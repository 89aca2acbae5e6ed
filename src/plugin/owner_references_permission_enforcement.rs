//! Lets only users who may delete an object change its owners, and only users who may set an owner's finalizers block
//! its deletion. The garbage collector deletes objects that have lost their owners, so writing an owner can delete an
//! object; and whoever writes a dependent that blocks its owner's deletion has power over the owner.
//!
//! # When it rejects
//!
//! - An update changes `metadata.ownerReferences` in any way, and the user may not `delete` the object.
//! - `blockOwnerDeletion: true` is new in an owner reference, and the user may not `update` the `finalizers`
//!   subresource of the owner. Users who may do so for everything pass.
//! - The same, and the server does not know the owner's kind.
//!
//! The status of pods is never checked.
//!
//! # Cluster objects it reads
//!
//! Roles, cluster roles and their bindings, with `--authorization-mode=RBAC`; in other modes every user may. Custom
//! resource definitions, for the kinds of owners.
//!
//! # Offline
//!
//! Kinds of aggregated API servers are unknown.
//!
//! # Since
//!
//! 1.4, off by default. `blockOwnerDeletion` since 1.7.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/gc`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Need, Operation, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::PluginInitializer;
use gotext::quote;
use kube_api::field::Path;
use kube_api::resource::{self, ApiResource, RuntimeConfig};
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Object, Value};
use kube_registry::custom_resource::CustomResource;

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(OwnerReferencesPermissionEnforcement {
        authorizer: initializer.authorizer.clone(),
        cluster: initializer.cluster.clone(),
        runtime_config: initializer.runtime_config.clone(),
        release: initializer.profile.release(),
    })
}

struct OwnerReferencesPermissionEnforcement {
    authorizer: Arc<Authorizer>,
    cluster: Arc<Cluster>,
    runtime_config: RuntimeConfig,
    release: Version,
}

impl ValidationInterface for OwnerReferencesPermissionEnforcement {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        let Some(object) = attributes.object.as_deref() else { return Ok(()) };
        let old = owners(attributes.old_object.as_deref());
        let new = owners(Some(object));
        if attributes.is_for_sub_resource("", "pods", "status") || new == old {
            return Ok(());
        }
        if attributes.operation != Operation::Create {
            self.may_delete(attributes)?;
        }
        let blocking: Vec<_> = new.iter().enumerate().filter(|(_, owner)| newly_blocks(owner, old)).collect();
        if blocking.is_empty() || self.may_finalize_anything(attributes) {
            return Ok(());
        }
        blocking.into_iter().try_for_each(|(index, owner)| self.may_finalize(attributes, index, owner))
    }
}

impl OwnerReferencesPermissionEnforcement {
    fn may_delete(&self, attributes: &Attributes) -> Result<(), Refusal> {
        let object = ResourceAttributes {
            namespace: &attributes.namespace,
            group: &attributes.resource.group,
            resource: &attributes.resource.resource,
            sub_resource: &attributes.sub_resource,
            name: &attributes.name,
        };
        let access = attributes.user_info.access("delete", object);
        let decision = self.authorizer.authorize(&access);
        if decision.allowed {
            return Ok(());
        }
        let error =
            format!("cannot set an ownerRef on a resource you can't delete: {}, <nil>", decision.reason);
        let refusal = attributes.new_forbidden(error).at(Path::new("metadata.ownerReferences"));
        Err(refusal.needing(access.right().map(Need::Right)))
    }

    fn may_finalize_anything(&self, attributes: &Attributes) -> bool {
        let anything = ResourceAttributes {
            group: "*",
            resource: "*",
            sub_resource: "finalizers",
            name: "*",
            ..ResourceAttributes::default()
        };
        self.authorizer.authorize(&attributes.user_info.access("update", anything)).allowed
    }

    fn may_finalize(&self, attributes: &Attributes, index: usize, owner: &Value) -> Result<(), Refusal> {
        let path = Path::new("metadata.ownerReferences").index(index);
        let (api_version, kind) = (owner.text("apiVersion"), owner.text("kind"));
        let Some(mapping) = self.mapping(&GroupVersionKind::from_api_version(api_version, kind)) else {
            let error = format!(
                "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion \
                 {api_version} Kind {kind}: no matches for kind {} in version {}",
                quote(kind),
                quote(api_version),
            );
            return Err(attributes.new_forbidden(error).at(path.child("kind")));
        };
        let finalizers = ResourceAttributes {
            namespace: if mapping.namespaced { &attributes.namespace } else { "" },
            group: &mapping.group,
            resource: &mapping.resource,
            sub_resource: "finalizers",
            name: owner.text("name"),
        };
        let access = attributes.user_info.access("update", finalizers);
        let decision = self.authorizer.authorize(&access);
        if decision.allowed {
            return Ok(());
        }
        let error = format!(
            "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: {}, \
             <nil>",
            decision.reason
        );
        let refusal = attributes.new_forbidden(error).at(path.child("blockOwnerDeletion"));
        Err(refusal.needing(access.right().map(Need::Right)))
    }

    /// Returns the resource whose objects are of `kind`, if the server serves it. Kinds in lower case are known, too, and
    /// those of lists, whose resources are guesses.
    ///
    /// Source: `NewDiscoveryRESTMapper` of `k8s.io/client-go/restmapper`
    fn mapping(&self, kind: &GroupVersionKind) -> Option<Mapping> {
        let lists = || format!("{}s", kind.kind.to_lowercase());
        let is_meant = |found: &str| found == kind.kind || found.to_lowercase() == kind.kind;
        let custom = |name: &str| self.cluster.custom_resource_of_kind(&kind.group, name);
        let in_lower_case = || self.cluster.custom_resource_of_lower_kind(&kind.group, &kind.kind);
        let found = self.built_in(kind, is_meant);
        let found = found.or_else(|| of_custom(kind, &*custom(&kind.kind).or_else(in_lower_case)?));
        if found.is_some() {
            return found;
        }
        let items = kind.kind.strip_suffix("List")?;
        if items.is_empty() {
            let group = self.built_in(kind, |_| true)?;
            return Some(Mapping { resource: lists(), namespaced: false, ..group });
        }
        let of_items =
            self.built_in(kind, |found| found == items).or_else(|| of_custom(kind, &*custom(items)?))?;
        Some(Mapping { resource: lists(), ..of_items })
    }

    /// Returns the first resource of the group and version of `kind` that the server serves, of those that are meant.
    fn built_in(&self, kind: &GroupVersionKind, is_meant: impl Fn(&str) -> bool) -> Option<Mapping> {
        let is_meant = |found: &&ApiResource| {
            found.group == kind.group
                && found.version == kind.version
                && is_meant(found.kind)
                && self.runtime_config.serves(found)
        };
        let found = resource::of_release(self.release).iter().find(is_meant)?;
        Some(Mapping {
            group: found.group.to_owned(),
            resource: found.resource.to_owned(),
            namespaced: found.namespaced,
        })
    }
}

/// Returns the mapping to a custom resource, if it is served in the version of `kind`.
fn of_custom(kind: &GroupVersionKind, found: &CustomResource) -> Option<Mapping> {
    found.version(&kind.version).filter(|version| version.is_served)?;
    let namespaced = found.is_namespaced;
    Some(Mapping { group: found.group.clone(), resource: found.plural.clone(), namespaced })
}

/// The resource of a kind's objects.
struct Mapping {
    group: String,
    resource: String,
    namespaced: bool,
}

fn owners(object: Option<&Object>) -> &[Value] {
    object.map_or(&[], |object| object.list(["metadata", "ownerReferences"]))
}

/// Whether `owner` blocks the deletion of an owner that nothing blocked before.
fn newly_blocks(owner: &Value, old: &[Value]) -> bool {
    let uid = owner.text("uid");
    // The last one of owners with the same uid counts.
    blocks(owner) && !old.iter().rev().find(|old| old.text("uid") == uid).is_some_and(blocks)
}

fn blocks(owner: &Value) -> bool {
    owner.flag("blockOwnerDeletion")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::admission::UserInfo;
    use crate::plugin::testing::{Bench, create, update};
    use gotext::value::json;

    fn bench(rules: &Value) -> Bench {
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": {"name": "editor", "namespace": "media"}, "rules": rules,
        });
        let binding = |name, role| {
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                "metadata": {"name": name, "namespace": "media"},
                "roleRef": {"kind": "Role", "name": role},
                "subjects": [{"kind": "Group", "name": "developers"}],
            })
        };
        let bindings = [binding("editor", "editor"), binding("lost", "gone")];
        let name = "OwnerReferencesPermissionEnforcement";
        Bench::with_roles(name, std::iter::once(role).chain(bindings))
    }

    fn object(owners: &Value) -> Value {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "settings", "namespace": "media", "ownerReferences": owners},
        })
    }

    fn owner(kind: &str, blocks: bool) -> Value {
        json!({"apiVersion": "apps/v1", "kind": kind, "name": "web", "uid": kind, "blockOwnerDeletion": blocks})
    }

    fn by_developer(request: Attributes) -> Attributes {
        let groups = vec!["developers".to_owned()];
        Attributes { user_info: Arc::new(UserInfo { groups, ..UserInfo::default() }), ..request }
    }

    fn refusal(rules: &Value, request: Attributes) -> Refusal {
        bench(rules).validate(&by_developer(request)).unwrap_err()
    }

    const NOT_FOUND: &str = "RBAC: role.rbac.authorization.k8s.io \"gone\" not found, <nil>";

    #[test]
    fn knows_kinds_in_lower_case_and_lists() {
        let finalizers = |resource: &str| json!([{"apiGroups": ["apps"], "resources": [format!("{resource}/finalizers")], "verbs": ["update"]}]);
        let owned_by = |kind: &str| create(object(&json!([owner(kind, true)])));
        let request = || owned_by("deployment");
        for (kind, resource) in [
            ("deployment", "deployments"),
            ("DeploymentList", "deploymentlists"),
            ("deploymentList", ""),
            ("List", ""),
        ] {
            let answer = bench(&finalizers(resource)).validate(&by_developer(owned_by(kind)));
            assert_eq!(answer.is_ok(), !resource.is_empty(), "{kind}: {answer:?}");
        }
        assert_eq!(
            refusal(&finalizers("replicasets"), request()).status.message,
            format!(
                "configmaps \"settings\" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a \
                 resource you can't set finalizers on: {NOT_FOUND}"
            )
        );
    }

    #[test]
    fn rejects_new_owners_of_what_the_user_may_not_delete() {
        let request = update(object(&json!([])), object(&json!([owner("Deployment", false)])));
        let refusal = refusal(&json!([]), request);
        assert_eq!(
            refusal.status.message,
            format!(
                "configmaps \"settings\" is forbidden: cannot set an ownerRef on a resource you can't delete: {NOT_FOUND}"
            )
        );
        assert_eq!(refusal.fields, [Path::new("metadata.ownerReferences")]);
    }

    #[test]
    fn rejects_to_block_what_the_user_may_not_finalize() {
        let rules = json!([
            {"apiGroups": ["apps"], "resources": ["deployments/finalizers", "replicasets"], "verbs": ["update"]},
        ]);
        let owners = json!([owner("Deployment", true), owner("ReplicaSet", true)]);
        let refusal = refusal(&rules, create(object(&owners)));
        assert_eq!(
            refusal.status.message,
            format!(
                "configmaps \"settings\" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a \
                 resource you can't set finalizers on: {NOT_FOUND}"
            )
        );
        assert_eq!(
            refusal.fields,
            [Path::new("metadata.ownerReferences").index(1).child("blockOwnerDeletion")]
        );
    }

    #[test]
    fn rejects_to_block_what_nobody_knows() {
        let refusal = refusal(&json!([]), create(object(&json!([owner("Widget", true)]))));
        assert_eq!(
            refusal.status.message,
            "configmaps \"settings\" is forbidden: cannot set blockOwnerDeletion in this case because cannot find \
             RESTMapping for APIVersion apps/v1 Kind Widget: no matches for kind \"Widget\" in version \"apps/v1\""
        );
    }

    #[test]
    fn admits_who_may() {
        let rules = json!([
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["delete"]},
            {"apiGroups": ["apps"], "resources": ["*/finalizers"], "verbs": ["*"], "resourceNames": ["web"]},
        ]);
        let owned = object(&json!([owner("Deployment", true)]));
        assert_eq!(bench(&rules).validate(&by_developer(update(object(&json!([])), owned))), Ok(()));
    }

    #[test]
    fn ignores_what_changes_no_owner_or_blocks_nothing_new() {
        let bench = bench(&json!([]));
        let owned = object(&json!([owner("Deployment", true)]));
        assert_eq!(bench.validate(&by_developer(update(owned.clone(), owned.clone()))), Ok(()));
        let free = object(&json!([owner("Deployment", false)]));
        assert_eq!(bench.validate(&by_developer(create(free))), Ok(()));
        let mut status = by_developer(update(object(&json!([])), owned));
        status.resource.resource = "pods".into();
        status.sub_resource = "status".into();
        assert_eq!(bench.validate(&status), Ok(()));
    }
}
