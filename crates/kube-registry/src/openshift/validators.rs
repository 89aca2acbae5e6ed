//! The kinds that a plugin of OpenShift's kube-apiserver validates: they are custom resources whose schema allows all.
//!
//! Source: `openshift-kube-apiserver/admission/customresourcevalidation`.

pub use crate::openshift::authorization::ROLE_BINDING_RESTRICTION;
pub use crate::openshift::config::{
    API_REQUEST_COUNT, API_SERVER, AUTHENTICATION, CONSOLE, FEATURE_GATE, IMAGE, NETWORK, NODE, PROJECT,
    SCHEDULER, authentication_warnings,
};
pub use crate::openshift::oauth::OAUTH;
pub use crate::openshift::operator::{DNS, KUBE_CONTROLLER_MANAGER};
pub use crate::openshift::quota::CLUSTER_RESOURCE_QUOTA;
pub use crate::openshift::route::ROUTE;
pub use crate::openshift::security::SECURITY_CONTEXT_CONSTRAINTS;
