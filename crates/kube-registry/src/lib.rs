//! The kinds that the server knows: one file per kind, with its [`Strategy`].
//!
//! Reading an object means decoding it by the types of its kind, filling in defaults, and dropping the fields that the
//! server's encoder leaves out.
//!
//! ```
//! use gotext::json;
//! use kube_api::server_profile::ServerProfile;
//! use kube_api::{GroupVersionKind, Object};
//!
//! let pod = json!({"spec": {"containers": [{"name": "web", "image": "nginx"}]}});
//! let mut pod = Object::new(GroupVersionKind::new("", "v1", "Pod"), pod);
//! kube_registry::set_defaults(&mut pod, &ServerProfile::default());
//! assert_eq!(pod.text(["spec", "restartPolicy"]), "Always");
//! ```
//!
//! Source: `k8s.io/kubernetes/pkg/registry`, `k8s.io/kubernetes/pkg/apis`.

mod admissionregistration;
mod apiextensions;
mod apiregistration;
mod apiserverinternal;
mod apps;
mod authentication;
mod authorization;
mod autoscaling;
mod batch;
pub mod certificate_request;
mod certificates;
pub mod conversion;
mod coordination;
mod core;
mod creation;
pub mod custom_resource;
pub mod default_class;
mod defaults;
mod discovery;
mod events;
mod flowcontrol;
mod gated;
mod generation;
pub mod go_value;
mod kind;
mod lifecycle;
pub mod merge;
mod networking;
mod node;
mod older_releases;
#[cfg(feature = "openshift")]
pub mod openshift;
#[cfg(not(feature = "openshift"))]
#[path = "without_openshift.rs"]
pub mod openshift;
pub mod persistent_volume_claim;
pub mod pod;
pub mod pod_references;
pub mod pod_resources;
mod policy;
mod preparation;
mod rbac;
mod resource;
pub mod scale;
mod scheduling;
mod settings;
mod storage;
mod storagemigration;
mod store;
pub mod stored;
pub mod strategy;
mod table;
pub mod toleration;
pub mod validation;
mod warnings;
mod x509;

use gotext::source::Node;
use kube_api::decode::{self, DecodeContext, DecodeError, Decoded};
use kube_api::server_profile::ServerProfile;
use kube_api::{Object, Value};

pub use batch::cron_job::schedule::is_never_due;
pub use core::pod::ephemeral_containers::{apply_ephemeral_containers, ephemeral_containers_of};
pub use core::service::allocation::{Allocated, AllocationError, Allocator, Holder};
pub use core::service::network::{PortRange, ServiceNetwork};
pub use creation::{Creation, Rehearsal};
pub use generation::has_generation;
pub use kind::Kind;
pub use older_releases::rules::gone_since as rules_gone_since;
pub use older_releases::{has_own_rules, kind_in_refusals};
pub use store::{as_of_release, generate_name, set_defaults, wipe_system_fields};
pub use strategy::{Context, RequestInfo, Requester, Strategy};
pub use table::{all, of};
pub use x509::{PeerCertificate, refused_authorities};

/// The time of the server's clock, where an object must carry one.
pub const NOW: &str = "2026-01-01T00:00:00Z";

/// The object of a request as admission sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The object, defaulted, in the version of the URL.
    pub object: Object,
    /// The warnings for the client, in the order of the object's fields.
    pub warnings: Vec<String>,
    /// What the server drops without a warning.
    pub dropped: Vec<String>,
    /// Whether the object had labels before it was defaulted.
    pub had_labels: bool,
}

impl Read {
    /// Returns an object that is not read from text.
    pub fn of(object: Object, had_labels: bool) -> Self {
        Self { object, warnings: Vec::new(), dropped: Vec::new(), had_labels }
    }
}

impl From<Decoded> for Read {
    fn from(decoded: Decoded) -> Self {
        let had_labels = decoded.object.labels().next().is_some();
        let Decoded { object, warnings, dropped } = decoded;
        Self { object, warnings, dropped, had_labels }
    }
}

/// Reads `node` as an object of `context.kind`, fills in its defaults (times as `now`, in RFC 3339), and drops the
/// fields that the server's encoder leaves out.
pub fn read(
    node: Node,
    context: &DecodeContext<'_>,
    profile: &ServerProfile,
    now: &str,
) -> Result<Read, DecodeError> {
    #[cfg(feature = "openshift")]
    if let Some(release) = profile.origin() {
        return openshift::origin::read(node, context, release, profile);
    }
    let mut read = Read::from(decode::decode_in(profile.release(), node, context)?);
    if let (Some(convert), Value::Object(map)) =
        (table::of(context.kind).and_then(|strategy| strategy.convert), &read.object.value)
    {
        convert(map, &context.kind.version)
            .map_err(|cause| DecodeError::refusing(context.kind, &context.kind.kind, cause))?;
    }
    set_defaults(&mut read.object, profile);
    store::set_default_times(&mut read.object, now);
    decode::normalize_in(profile.release(), &mut read.object);
    Ok(read)
}

#[cfg(test)]
mod tests;
