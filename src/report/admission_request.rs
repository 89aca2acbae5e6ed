//! `-o admissionrequest`: the `AdmissionReview` that each webhook gets or would get, for the tests of other engines: one
//! per line, or a file for each in a directory.
//!
//! Requests of controllers are among them, as webhooks see these as well.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::evaluation::Outcome;
use crate::report::{Report, Summary, masked};
use kube_api::{GroupVersionKind, Value};

/// Writes the requests to webhooks.
pub struct AdmissionRequests<W> {
    out: W,
    /// The directory for a file of each, instead of `out`.
    directory: Option<PathBuf>,
    shows_secrets: bool,
    written: usize,
}

/// Separates the name of a webhook from the review in what is rendered.
const SEPARATOR: u8 = b'\t';

impl<W: Write> AdmissionRequests<W> {
    /// Returns a report to `out`; `shows_secrets` says that values of Secrets are kept.
    pub fn new(out: W, shows_secrets: bool) -> Self {
        Self { out, directory: None, shows_secrets, written: 0 }
    }
}

impl AdmissionRequests<io::Sink> {
    /// Returns a report to files in `directory`, which is created.
    ///
    /// # Errors
    ///
    /// Fails if there is none and it cannot be created.
    pub fn in_directory(directory: PathBuf, shows_secrets: bool) -> io::Result<Self> {
        fs::create_dir_all(&directory)?;
        Ok(Self { directory: Some(directory), ..Self::new(io::sink(), shows_secrets) })
    }
}

impl<W> AdmissionRequests<W> {
    fn body(&self, body: &Value) -> Value {
        let mut body = body.clone();
        if !self.shows_secrets {
            let request = &mut body["request"];
            let kind = &request["kind"];
            let kind = GroupVersionKind::new(
                kind.text("group").to_owned(),
                kind.text("version").to_owned(),
                kind.text("kind").to_owned(),
            );
            let (old, new) = masked(&kind, &request["oldObject"], &request["object"]);
            request["oldObject"] = old;
            request["object"] = new;
        }
        body
    }
}

impl<W: Write + Send + Sync> Report for AdmissionRequests<W> {
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        for outcome in outcomes.iter().flat_map(Outcome::with_caused) {
            for asked in &outcome.trace.asked {
                write!(text, "{}", file_name(&asked.hook.webhook))?;
                text.push(SEPARATOR);
                serde_json::to_writer(&mut text, &self.body(&asked.body))?;
                text.push(b'\n');
            }
        }
        Ok(text)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        for line in rendered.split_inclusive(|byte| *byte == b'\n') {
            let end = line.iter().position(|byte| *byte == SEPARATOR).unwrap_or_default();
            let review = &line[(end + 1).min(line.len())..];
            self.written += 1;
            let Some(directory) = &self.directory else {
                self.out.write_all(review)?;
                continue;
            };
            let name = format!("{:05}-{}.json", self.written, String::from_utf8_lossy(&line[..end]));
            fs::write(directory.join(name), review)?;
        }
        Ok(())
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns the name of a webhook as a part of the name of a file.
fn file_name(webhook: &str) -> String {
    let plain = |character: char| match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' => character,
        _ => '-',
    };
    webhook.chars().map(plain).collect()
}
