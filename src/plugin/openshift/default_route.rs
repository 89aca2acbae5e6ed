//! Sets the defaults of a Route where custom resources serve routes: the kind and the weight of targets, the wildcard
//! policy, the termination of TLS.
//!
//! # When it rejects
//!
//! - A field has another type than it should.
//!
//! # Cluster objects it reads
//!
//! None.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 4.14, on by default.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/customresourcevalidation/route`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::typed;
use kube_registry::openshift::default_route;

const TABLE: &str = "openshift/route/v1.Route";

pub(super) fn new(_: &PluginInitializer) -> Handler {
    Handler::mutating(DefaultRoute)
}

struct DefaultRoute;

impl MutationInterface for DefaultRoute {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("route.openshift.io", "routes") {
            return Ok(());
        }
        let Some(object) = attributes.object.clone() else { return Ok(()) };
        let mut route = typed::restore(&object, TABLE)?;
        if let Some(map) = route.value.as_object_mut() {
            default_route(map);
        }
        typed::write(&mut route, TABLE);
        attributes.object = Some(Arc::new(route));
        Ok(())
    }
}
