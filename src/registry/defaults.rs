//! The fields that the API server fills in after decoding: API defaulting, and the traces of converting to the internal
//! version and back.
//!
//! Source: `k8s.io/kubernetes/pkg/apis`, the `defaults.go`, `zz_generated.defaults.go` and `conversion.go` of each
//! version.

pub(in crate::registry) mod admission_registration;
pub(in crate::registry) mod cluster;
pub(in crate::registry) mod device;
pub(in crate::registry) mod image;
pub(in crate::registry) mod pod;
pub(in crate::registry) mod resources;
pub(in crate::registry) mod volume;
pub(in crate::registry) mod workload;
