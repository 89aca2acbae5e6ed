//! The kinds of the group certificates.k8s.io.

pub(super) mod certificate_signing_request;
pub(super) mod cluster_trust_bundle;
pub(super) mod pod_certificate_request;
