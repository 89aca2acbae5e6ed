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
