//! The kinds of the group node.k8s.io.

pub(super) mod runtime_class;
