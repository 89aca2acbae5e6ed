//! Reads the lines of any text as those of an audit log, and sends their requests through the default chain, without a
//! panic.

#![no_main]

use std::sync::Arc;

use kadmit::cluster::Cluster;
use kadmit::configuration::{Configuration, Flags};
use kadmit::evaluation::Evaluator;
use kadmit::replay::{Document, Line, Replay};
use kube_api::server_profile::ServerProfile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let profile = Arc::new(ServerProfile::default());
    let cluster = Arc::new(Cluster::new());
    let configuration = Configuration::new(&Flags::default(), profile.clone(), cluster.clone());
    let chain = configuration.expect("a valid configuration").chain;
    let evaluator = Evaluator::new(cluster, chain, profile.clone(), false);
    let mut replay = Replay::new(evaluator, None, true);
    for (position, text) in text.split(|byte| *byte == b'\n').enumerate() {
        let line = Line { file: "audit.log".into(), number: position + 1 };
        for document in Document::read(text, &line, &profile) {
            replay.take_document(document);
        }
    }
    let _ = replay.finish();
});
