//! The kinds of the group settings, which is gone.

pub(super) mod pod_preset;
