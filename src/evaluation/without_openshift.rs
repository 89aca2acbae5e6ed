//! The build without the feature `openshift`: every server is one of Kubernetes.

use std::sync::Arc;

use crate::configuration::OpenShiftSettings;
use crate::evaluation::server::handlers::{Handlers, Kubernetes};
use kube_api::distribution::Distribution;

pub(super) fn handlers(_: Distribution, _: OpenShiftSettings) -> Arc<dyn Handlers> {
    Arc::new(Kubernetes)
}
