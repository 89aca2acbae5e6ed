//! The kinds of the group autoscaling.

pub(super) mod horizontal_pod_autoscaler;
pub(super) mod scale;
