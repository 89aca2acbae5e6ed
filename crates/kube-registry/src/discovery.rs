//! The kinds of the group discovery.k8s.io.

pub(super) mod endpoint_slice;
