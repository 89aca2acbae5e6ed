//! The build without the feature `openshift`: there are no kinds of OpenShift, and their functions do nothing.

use std::sync::Arc;

use crate::custom_resource::CustomResource;
use crate::strategy::Context;
use kube_api::{GroupVersionKind, Object, field};

pub use facts::RequestContext;

/// A kind that openshift-apiserver serves: there is none.
#[derive(Debug)]
pub enum ServedKind {}

pub mod facts {
    //! What the rules of the kinds need to know of a request: nothing.

    use std::marker::PhantomData;

    /// The context of a request.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct RequestContext<'a>(PhantomData<&'a ()>);
}

impl ServedKind {
    pub(crate) fn prepare_for_create(&self, _: &mut Object, _: &Context<'_>) {
        match *self {}
    }

    pub(crate) fn prepare_for_update(&self, _: &mut Object, _: &Object, _: &str, _: &Context<'_>) {
        match *self {}
    }

    pub(crate) fn errors(
        &self,
        _: &Object,
        _: Option<&Object>,
        _: &str,
        _: &Context<'_>,
    ) -> Vec<field::Error> {
        match *self {}
    }

    pub(crate) fn warnings(&self, _: &Object) -> Vec<String> {
        match *self {}
    }
}

pub(crate) fn of(_: &GroupVersionKind) -> Option<&'static ServedKind> {
    None
}

pub(crate) fn prepare_unchecked(_: &mut Object, _: Option<(&Object, &str)>, _: &Context<'_>) {}

pub(crate) fn set_defaults(_: &mut Object) {}

pub(crate) fn typed(object: Arc<Object>) -> Arc<Object> {
    object
}

/// Returns the custom resource called `plural` that OpenShift has from the start: there is none.
pub fn definition(_: &str, _: &str) -> Option<Arc<CustomResource>> {
    None
}
