//! The library says what the program says.

use std::path::Path;

use kadmit::{ApiServer, read_files};

use crate::golden;

/// A refused evaluation in the panic of a test reads like the terminal.
#[test]
fn an_evaluation_is_printed_as_the_program_prints_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifests = "testdata/quickstart/manifests";
    let output = golden::run(
        &format!("kadmit run --no-settings --cluster testdata/quickstart/cluster {manifests}"),
        root,
    );
    let program = [output.stderr, output.stdout].concat();
    let program = String::from_utf8(program).expect("UTF-8");
    let summary = program.lines().find(|line| line.ends_with(" ms")).expect("a summary");
    let (timeless, _) = summary.rsplit_once("; ").expect("a time at its end");

    let server = ApiServer::from_flags::<&str>([]).expect("a server");
    let mut cluster =
        server.cluster(&read_files("testdata/quickstart/cluster").expect("manifests")).expect("a cluster");
    let evaluation = cluster.evaluate(&read_files(manifests).expect("manifests"));
    assert!(!evaluation.is_admitted());
    assert_eq!(evaluation.to_string(), program.replace(summary, timeless));
    assert_ne!(format!("{evaluation:120}"), evaluation.to_string());
}
