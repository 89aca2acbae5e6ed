//! The rights of a kubelet: what its own pods need, and what every node does.
//!
//! Source: `k8s.io/kubernetes/plugin/pkg/auth/authorizer/node`. Deliberately absent: field selectors, by which a kubelet
//! lists its pods and slices; and what it may read beyond what its pods name: resource claims and the secrets of volumes.

use super::rbac::BuiltIn;
use super::{Access, Decision, ResourceAttributes, Rule, Subject};
use crate::cluster::Cluster;
use gotext::quote;
use kube_api::resources::{PERSISTENT_VOLUMES, PODS, RESOURCE_SLICES, VOLUME_ATTACHMENTS};
use kube_api::{GroupResource, Object};
use kube_registry::pod::PodTemplate;
use kube_registry::pod_references;

const MIRROR_POD: &str = "kubernetes.io/config.mirror";
const NODE_LEASES: &str = "kube-node-lease";
const OWN_OBJECT: [&str; 5] = ["get", "create", "update", "patch", "delete"];

/// Decides on the `access` of a node; has no opinion on other users.
pub(super) fn authorize(cluster: &Cluster, built_in: &BuiltIn, access: &Access<'_>) -> Decision {
    let Some(node) = name(access.user, access.groups) else { return Decision::default() };
    if node.is_empty() {
        let reason = format!("unknown node for user {}", quote(access.user));
        return Decision { allowed: false, reason };
    }
    let result = match access.subject {
        Subject::Resource(resource) => Node { name: node, cluster, built_in }.authorize(access, &resource),
        Subject::Path(_) => by_rules(built_in, access),
    };
    match result {
        Ok(()) => Decision { allowed: true, reason: String::new() },
        Err(reason) => Decision { allowed: false, reason },
    }
}

/// Returns the name of the node that the user is; empty if it is unknown.
pub(super) fn name<'a>(user: &'a str, groups: &[String]) -> Option<&'a str> {
    user.strip_prefix("system:node:").filter(|_| groups.iter().any(|group| group == "system:nodes"))
}

/// The requesting node.
struct Node<'a> {
    name: &'a str,
    cluster: &'a Cluster,
    built_in: &'a BuiltIn,
}

impl Node<'_> {
    fn authorize(&self, access: &Access<'_>, wanted: &ResourceAttributes<'_>) -> Result<(), String> {
        let verb = access.verb;
        match (wanted.group, wanted.resource) {
            ("", "secrets" | "configmaps") => self.may_read(verb, wanted),
            ("", "persistentvolumeclaims") if wanted.sub_resource == "status" => {
                ensure(["update", "patch"].contains(&verb), "can only get/update/patch this type")?;
                self.is_related(wanted)
            }
            ("", "persistentvolumeclaims" | "persistentvolumes")
            | ("resource.k8s.io", "resourceclaims")
            | ("storage.k8s.io", "volumeattachments") => self.may_get(verb, wanted),
            ("", "serviceaccounts") if verb == "get" && wanted.sub_resource.is_empty() => {
                self.may_read(verb, wanted)
            }
            ("", "serviceaccounts") => {
                let one = verb == "create" && !wanted.name.is_empty();
                ensure(one, "can only create tokens for individual service accounts")?;
                let token = wanted.sub_resource == "token";
                ensure(token, "can only create token subresource of serviceaccount")?;
                self.is_related(wanted)
            }
            ("coordination.k8s.io", "leases") => self.may_lease(verb, wanted),
            ("storage.k8s.io", "csinodes") => {
                let known = OWN_OBJECT.contains(&verb);
                ensure(known, "can only get, create, update, patch, or delete a CSINode")?;
                ensure(wanted.sub_resource.is_empty(), "cannot authorize CSINode subresources")?;
                let own = verb == "create" || wanted.name == self.name;
                ensure(own, "can only access CSINode with the same name as the requesting node")
            }
            ("resource.k8s.io", "resourceslices") => self.may_slice(verb, wanted),
            ("", "nodes") => self.may_node(verb, wanted),
            ("", "pods") => self.may_pod(verb, wanted),
            ("certificates.k8s.io", "podcertificaterequests") => {
                ensure(verb == "create" && wanted.sub_resource.is_empty(), "")
            }
            _ => by_rules(self.built_in, access),
        }
    }

    fn may_read(&self, verb: &str, wanted: &ResourceAttributes<'_>) -> Result<(), String> {
        ensure(["get", "list", "watch"].contains(&verb), "can only read resources of this type")?;
        ensure(wanted.sub_resource.is_empty(), "cannot read subresource")?;
        ensure(!wanted.namespace.is_empty(), "can only read namespaced object of this type")?;
        self.is_related(wanted)
    }

    fn may_get(&self, verb: &str, wanted: &ResourceAttributes<'_>) -> Result<(), String> {
        ensure(verb == "get", "can only get individual resources of this type")?;
        ensure(wanted.sub_resource.is_empty(), "cannot get subresource")?;
        self.is_related(wanted)
    }

    fn may_lease(&self, verb: &str, wanted: &ResourceAttributes<'_>) -> Result<(), String> {
        let known = OWN_OBJECT.contains(&verb);
        ensure(known, "can only get, create, update, patch, or delete a node lease")?;
        if wanted.namespace != NODE_LEASES {
            return Err(format!("can only access leases in the {} system namespace", quote(NODE_LEASES)));
        }
        let own = verb == "create" || wanted.name == self.name;
        ensure(own, "can only access node lease with the same name as the requesting node")
    }

    fn may_slice(&self, verb: &str, wanted: &ResourceAttributes<'_>) -> Result<(), String> {
        ensure(wanted.sub_resource.is_empty(), "cannot authorize ResourceSlice subresources")?;
        match verb {
            "create" => Ok(()),
            "get" | "update" | "patch" | "delete" => self.is_related(wanted),
            "watch" | "list" | "deletecollection" => {
                Err("can only list/watch/deletecollection resourceslices with nodeName field selector".to_owned())
            }
            _ => Err("only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, \
                      patch, delete, deletecollection"
                .to_owned()),
        }
    }

    fn may_node(&self, verb: &str, wanted: &ResourceAttributes<'_>) -> Result<(), String> {
        match (wanted.sub_resource, verb) {
            ("", "create" | "update" | "patch") | ("status", "update" | "patch") => Ok(()),
            ("", "get" | "list" | "watch") if wanted.name == self.name => Ok(()),
            ("", "get" | "list" | "watch") => Err(match wanted.name {
                "" => format!("node '{}' cannot read all nodes, only its own Node object", self.name),
                name => format!("node '{}' cannot read '{name}', only its own Node object", self.name),
            }),
            _ => Err(String::new()),
        }
    }

    fn may_pod(&self, verb: &str, wanted: &ResourceAttributes<'_>) -> Result<(), String> {
        match (wanted.sub_resource, verb) {
            ("", "create" | "delete") | ("status", "update" | "patch") | ("eviction", "create") => Ok(()),
            ("", "get") => self.is_related(wanted),
            ("", "list" | "watch") if !wanted.name.is_empty() => self.is_related(wanted),
            ("", "list" | "watch") => {
                Err("can only list/watch pods with spec.nodeName field selector".to_owned())
            }
            _ => Err(String::new()),
        }
    }

    /// Whether a pod of the node needs the object, or the object belongs to the node.
    fn is_related(&self, wanted: &ResourceAttributes<'_>) -> Result<(), String> {
        ensure(!wanted.name.is_empty(), "No Object name found")?;
        let of_node = |resource: &GroupResource| {
            let object = self.cluster.get(resource, wanted.namespace, wanted.name);
            object.is_some_and(|object| object.text(["spec", "nodeName"]) == self.name)
        };
        let related = match wanted.resource {
            "pods" => of_node(&PODS),
            "resourceslices" => of_node(&RESOURCE_SLICES),
            "volumeattachments" => of_node(&VOLUME_ATTACHMENTS),
            "persistentvolumes" => self.has_volume(wanted.name),
            resource => self.pod_needs(wanted.namespace, resource, wanted.name),
        };
        if related {
            return Ok(());
        }
        Err(format!("no relationship found between node '{}' and this object", self.name))
    }

    fn has_volume(&self, name: &str) -> bool {
        let volume = self.cluster.get(&PERSISTENT_VOLUMES, "", name);
        volume.is_some_and(|volume| {
            let claim = |field| volume.text(["spec", "claimRef", field]);
            self.pod_needs(claim("namespace"), "persistentvolumeclaims", claim("name"))
        })
    }

    /// Whether a pod of the node needs the object. A mirror pod, which the node creates itself, gives no access.
    fn pod_needs(&self, namespace: &str, resource: &str, name: &str) -> bool {
        self.cluster.list(&PODS, namespace).iter().any(|pod| {
            pod.text(["spec", "nodeName"]) == self.name
                && pod.annotation(MIRROR_POD).is_none()
                && needs(pod, resource, name)
        })
    }
}

fn needs(pod: &Object, resource: &str, name: &str) -> bool {
    let Some(template) = PodTemplate::of(pod) else { return false };
    let has = |names: Vec<pod_references::Named<'_>>| names.iter().any(|(_, named)| *named == name);
    match resource {
        "serviceaccounts" => template.text("serviceAccountName") == name,
        "secrets" => has(pod_references::secrets(&template)),
        "configmaps" => has(pod_references::config_maps(&template)),
        "persistentvolumeclaims" => template.list("volumes").iter().any(|volume| {
            let text = |fields: &[&str]| volume.text(fields);
            let is_ephemeral = volume.has("ephemeral");
            text(&["persistentVolumeClaim", "claimName"]) == name
                || is_ephemeral && format!("{}-{}", pod.name(), text(&["name"])) == name
        }),
        _ => false,
    }
}

fn by_rules(built_in: &BuiltIn, access: &Access<'_>) -> Result<(), String> {
    let role = built_in
        .iter()
        .map(|(_, object)| object)
        .find(|object| object.has("rules") && object.name() == "system:node");
    let rules = role.into_iter().flat_map(|role| role.list("rules"));
    ensure(rules.map(Rule::of).any(|rule| rule.allows(access)), "")
}

fn ensure(holds: bool, reason: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(reason.to_owned()) }
}
