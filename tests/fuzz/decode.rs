//! Reads, decodes and defaults any bytes, and sends them through the default chain, without a panic.

#![no_main]

use std::sync::Arc;

use kube_api::decode::FieldValidation;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kadmit::cluster::Cluster;
use kadmit::configuration::{Configuration, Flags};
use kadmit::evaluation::{Evaluator, Prepared, Request, RequestDefaults};

use gotext::source::SourceFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut defaults = RequestDefaults::of_release(Version::BINARY);
    defaults.user_info = Arc::default();
    defaults.field_validation = FieldValidation::Warn;
    let profile = Arc::new(ServerProfile::default());
    let cluster = Arc::new(Cluster::new());
    let configuration = Configuration::new(&Flags::default(), profile.clone(), cluster.clone());
    let chain = configuration.expect("a valid configuration").chain;
    let mut evaluator = Evaluator::new(cluster, chain, profile.clone(), false);
    let source = SourceFile::new("input.yaml", text);
    for item in kube_yaml::read(&source).flatten().flat_map(|document| document.unwrap_list()) {
        let Ok(request) = Request::new(item, &defaults) else { continue };
        // An error about an unknown kind is an answer too.
        let _ = evaluator.evaluate(Prepared::new(request, &profile));
    }
});
