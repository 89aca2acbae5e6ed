//! The fields that the API server fills in after decoding: API defaulting, and the traces of converting to the internal
//! version and back.
//!
//! Source: `k8s.io/kubernetes/pkg/apis`, the `defaults.go`, `zz_generated.defaults.go` and `conversion.go` of each
//! version.

pub(crate) mod admission_registration;
pub(crate) mod cluster;
pub(crate) mod device;
pub(crate) mod image;
pub(crate) mod pod;
pub(crate) mod resources;
pub(crate) mod volume;
pub(crate) mod workload;
