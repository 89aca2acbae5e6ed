//! Answers one AdmissionReview from standard input, like a webhook that runs the whole chain.
//!
//! `cargo run --example evaluate-review -- CLUSTER < review.json`, where CLUSTER is a file or directory with the
//! existing objects.

use std::env;
use std::error::Error;
use std::io::{Read, stdin, stdout};

use kadmit::{AdmissionReview, ApiServer, Errors, SourceFile, read_files};

fn main() -> Result<(), Box<dyn Error>> {
    let objects = match env::args().nth(1) {
        Some(path) => read_files(path)?,
        None => Vec::new(),
    };
    let mut review = String::new();
    stdin().read_to_string(&mut review)?;

    let mut cluster =
        ApiServer::from_flags(["--enable-admission-plugins=AlwaysPullImages"])?.cluster(&objects)?;
    let evaluation = cluster.evaluate(&[SourceFile::new("-", review)]);
    let errors: Vec<_> = evaluation.errors().cloned().collect();
    if !errors.is_empty() {
        return Err(Errors::from(errors).into());
    }
    evaluation.write_to(&mut AdmissionReview::new(stdout(), true))?;
    Ok(())
}
