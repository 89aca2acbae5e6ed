//! The build without the feature `openshift`: there are Kubernetes' plugins alone.

use crate::admission::Handler;
use crate::plugin::additions::Additions;
use crate::plugin::{Plugin, PluginInitializer};
use kube_api::distribution::Server;

/// Parts of the configuration of OpenShift's servers that plugins read: none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenShiftOptions;

/// The validator of one resource of OpenShift: there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Validated {}

impl Validated {
    pub(crate) fn build(self, _: &PluginInitializer) -> Handler {
        match self {}
    }

    pub(crate) fn documentation(self) -> String {
        match self {}
    }
}

pub(crate) fn additions(_: Server) -> &'static Additions {
    static NONE: Additions = Additions::NONE;
    &NONE
}

pub(crate) fn plugins(_: Server, kubernetes: Vec<&'static Plugin>) -> Vec<&'static Plugin> {
    kubernetes
}

pub(crate) fn switches_on(_: Server, _: &str) -> bool {
    false
}

pub(crate) fn own() -> impl Iterator<Item = &'static Plugin> {
    std::iter::empty()
}

pub(crate) fn of_origin() -> impl Iterator<Item = &'static Plugin> {
    std::iter::empty()
}
