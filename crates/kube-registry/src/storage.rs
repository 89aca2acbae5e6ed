//! The kinds of the group storage.k8s.io.

pub(super) mod csi_driver;
pub(super) mod csi_node;
pub(super) mod csi_storage_capacity;
pub(super) mod storage_class;
pub(super) mod volume_attachment;
pub(super) mod volume_attributes_class;
