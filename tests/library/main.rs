//! Tests of the library: recorded answers of real servers, vectors of Go's own code, and the rules of the code base.

mod api_vectors;
mod cel;
mod conformance;
mod crd_vectors;
mod drift;
mod explanations;
mod go_vectors;
mod go_vectors_yaml;
mod house;
mod policy_library;
mod releases_recorded;
mod upstream_vectors;
mod validation_vectors;
mod workloads;

use std::sync::LazyLock;

use kadmit::configuration::Flags;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;

/// Returns the server whose answers were recorded where a recording names no other.
fn recorded_server() -> Flags {
    Flags { kubernetes_version: Some(Version::RECORDED), ..Flags::default() }
}

/// Its profile.
static RECORDED: LazyLock<ServerProfile> = LazyLock::new(|| recorded_server().profile().expect("no gates"));
