//! The parts of a page around its rows.

use std::io;

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::evaluation::QuotaUse;
use crate::report::html::{Count, Table, tone};
use crate::report::text::quota_text;
use crate::report::{Diagnostic, Severity};

const STYLE: &str = include_str!("../../../templates/html/style.css");
const SCRIPT: &str = include_str!("../../../templates/html/script.js");

/// Everything before the rows.
#[derive(Template)]
#[template(path = "html/head.html")]
pub(in crate::report) struct Head<'a> {
    title: &'a str,
    about: &'a str,
    rows_title: &'a str,
    version: &'static str,
    /// The content security policy: only the page's own style and script, identified by their hashes.
    policy: String,
    style: &'static str,
}

/// Everything after the rows.
#[derive(Template)]
#[template(path = "html/foot.html")]
pub(in crate::report) struct Foot {
    verdict: String,
    counts: Vec<Count>,
    tables: Vec<Table>,
    quotas: Vec<String>,
    parts: Vec<Part>,
    footer: String,
    script: &'static str,
}

/// What is said apart from the rows, under a title.
struct Part {
    title: &'static str,
    said: Vec<MessageEntry>,
}

/// A diagnostic about the input, or a note.
pub(in crate::report) struct MessageEntry {
    tone: &'static str,
    place: String,
    message: String,
    help: String,
}

impl<'a> Head<'a> {
    pub(in crate::report) fn new(title: &'a str, about: &'a str, rows_title: &'a str) -> Self {
        let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
        let policy = format!(
            "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'",
            hash(STYLE),
            hash(SCRIPT)
        );
        Self { title, about, rows_title, version: env!("CARGO_PKG_VERSION"), policy, style: STYLE }
    }
}

impl Foot {
    pub(in crate::report) fn new(
        verdict: String,
        counts: Vec<Count>,
        tables: Vec<Table>,
        quotas: &[QuotaUse],
        said: Vec<MessageEntry>,
    ) -> Self {
        let footer = format!("kadmit {}", env!("CARGO_PKG_VERSION"));
        let quotas = quotas.iter().map(quota_text).collect();
        Self { verdict, counts, tables, quotas, parts: Vec::new(), footer, script: SCRIPT }
            .with("About the input", said)
    }

    /// Returns the same with what is `said` under a title, before the rest that is said.
    #[must_use]
    pub(in crate::report) fn with(mut self, title: &'static str, said: Vec<MessageEntry>) -> Self {
        if !said.is_empty() {
            self.parts.insert(0, Part { title, said });
        }
        self
    }
}

impl MessageEntry {
    pub(in crate::report) fn of(diagnostic: &Diagnostic) -> Self {
        let place = diagnostic.file.as_ref().map(|file| match diagnostic.line() {
            Some(line) => format!("{file}:{line}"),
            None => file.clone(),
        });
        Self {
            tone: tone(diagnostic.severity),
            place: place.unwrap_or_default(),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone().unwrap_or_default(),
        }
    }

    /// Returns a message that is about no place.
    pub(in crate::report) fn bare(severity: Severity, message: String) -> Self {
        Self { tone: tone(severity), place: String::new(), message, help: String::new() }
    }
}

/// Returns the text of a template.
pub(in crate::report) fn rendered(template: &impl Template) -> io::Result<String> {
    template.render().map_err(io::Error::other)
}
