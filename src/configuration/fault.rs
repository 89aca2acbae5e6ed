//! What is wrong with the description of a server, as values.

use kube_api::features::FeatureGateError;

/// What is wrong with the description of a server. The message with it is in the server's words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// This is no release, or none that kadmit knows.
    UnknownRelease(String),
    /// kadmit does not know this distribution.
    UnknownDistribution(String),
    /// kadmit was built without this feature of Cargo.
    MissingFeature(&'static str),
    /// The server has no such admission plugins.
    UnknownPlugins(Vec<String>),
    /// The release does not take these settings of feature gates.
    FeatureGates(Vec<FeatureGateError>),
}
