//! Writes `crates/kube-api/data/`: the tables of a release, from the documents that Kubernetes publishes and from facts that only its
//! Go sources have (`data/go/`). `docs/releases.md` explains how to add the next release.
//!
//! ```text
//! cargo run --example generate-release -- [--documents DIRECTORY] [--check | --add-likely | --extend-history] [RELEASE]
//! cargo run --example generate-release -- --openshift DIRECTORY [--check]
//! ```

mod document;
mod extend;
mod fields;
mod gates;
mod history;
mod join;
mod kinds;
mod notes;
mod openshift;
mod published;
mod rbac;
mod release;
mod resources;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use release::Release;

/// The mode of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Write,
    Check,
    AddLikely,
    ExtendHistory,
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(lines) => {
            print(&mut io::stdout().lock(), &lines);
            ExitCode::SUCCESS
        }
        Err(lines) => {
            print(&mut io::stderr().lock(), &lines);
            ExitCode::FAILURE
        }
    }
}

fn print(output: &mut impl io::Write, lines: &[String]) {
    for line in lines {
        // A closed reader needs no more lines.
        let _ = writeln!(output, "{line}");
    }
}

/// The published documents, from the folder of this crate.
const DOCUMENTS: &str = "../../testdata/kubernetes";

fn run(arguments: impl Iterator<Item = String>) -> Result<Vec<String>, Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut documents, mut wanted, mut mode) = (root.join(DOCUMENTS), None, Mode::Write);
    let mut openshift = None;
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--documents" => {
                let directory =
                    arguments.next().ok_or_else(|| vec!["--documents needs a directory".to_owned()])?;
                documents = PathBuf::from(directory);
            }
            "--openshift" => {
                let directory =
                    arguments.next().ok_or_else(|| vec!["--openshift needs a directory".to_owned()])?;
                openshift = Some(PathBuf::from(directory));
            }
            "--check" => mode = Mode::Check,
            "--add-likely" => mode = Mode::AddLikely,
            "--extend-history" => mode = Mode::ExtendHistory,
            minor if !minor.starts_with('-') => wanted = Some(minor.trim_start_matches('v').to_owned()),
            unknown => return Err(vec![format!("unknown argument {unknown}")]),
        }
    }
    if let Some(directory) = openshift {
        return openshift::run(&directory, &root.join("data"), mode == Mode::Check);
    }
    let published = document::Documents::read(&documents, wanted.as_deref()).map_err(|error| vec![error])?;
    if mode == Mode::ExtendHistory {
        return extend_history(&documents, &published);
    }
    let data = root.join("data");
    let mut notes = notes::Notes::read(&data.join("go")).map_err(|error| vec![error])?;
    let release = Release::make(&published, &notes);
    if mode == Mode::AddLikely {
        let added = notes.add(&release.likely);
        notes.write(&data.join("go")).map_err(|error| vec![error])?;
        return Ok(added);
    }
    if !release.problems.is_empty() {
        return Err(release.problems);
    }
    if mode == Mode::Check {
        let differences = release.differences(&data);
        return if differences.is_empty() { Ok(release.summary()) } else { Err(differences) };
    }
    release.write(&data).map_err(|error| vec![error])?;
    Ok(release.summary())
}

/// Adds the release to the history among the documents.
fn extend_history(directory: &Path, published: &document::Documents) -> Result<Vec<String>, Vec<String>> {
    let before = format!("1.{}", release::minor(&published.release).saturating_sub(1));
    let before = document::Documents::read(directory, Some(&before)).map_err(|error| vec![error])?;
    let (history, problems) = extend::extend(&before, published);
    if !problems.is_empty() {
        return Err(problems);
    }
    let path = directory.join("history.json");
    std::fs::write(&path, extend::text(&history))
        .map_err(|error| vec![format!("{}: {error}", path.display())])?;
    Ok(vec![format!("{}: up to {}", path.display(), published.release)])
}
