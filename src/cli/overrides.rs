//! Settings for some files only.

use std::sync::Arc;

use crate::cli::client_flags::ClientOverride;
use crate::code::Code;
use crate::report::Diagnostic;
use crate::report::acceptance::FilePatterns;
use gotext::source::{SourceFile, Span};

/// The settings for some files, in the order of the file: the last one counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Overrides(pub(super) Vec<Override>);

/// The settings for the files that match patterns.
#[derive(Clone, Debug)]
pub(super) struct Override {
    pub(super) files: FilePatterns,
    pub(super) client: ClientOverride,
    /// Whether the files are left out.
    pub(super) exclude: Option<bool>,
    /// The patterns in the settings.
    pub(super) place: (Arc<SourceFile>, Span),
}

impl Overrides {
    /// Whether `file` is left out.
    pub(super) fn exclude(&self, file: &str) -> bool {
        self.of(file).filter_map(|one| one.exclude).last().unwrap_or(false)
    }

    /// Returns the settings for the requests of `file`.
    pub(super) fn of_client<'a>(&'a self, file: &'a str) -> impl Iterator<Item = &'a ClientOverride> {
        self.of(file).map(|one| &one.client)
    }

    /// Returns a warning about each override that fits none of the `files` of the input.
    pub(super) fn idle(&self, files: &[String]) -> Vec<Diagnostic> {
        let idle = self.0.iter().filter(|one| !files.iter().any(|file| one.files.fit(file)));
        let warning = |one: &Override| {
            let message = if one.exclude == Some(true) {
                "this override excludes nothing: its patterns fit no file of the input"
            } else {
                "this override has no effect: its patterns fit no file of the input"
            };
            let (source, span) = one.place.clone();
            let help = "patterns are relative to the directory of the settings; correct them or remove it";
            Diagnostic::warning(Code::SettingsUnmatched, message).help(help).at(source, span)
        };
        idle.map(warning).collect()
    }

    fn of<'a>(&'a self, file: &'a str) -> impl Iterator<Item = &'a Override> {
        self.0.iter().filter(move |one| one.files.fit(file))
    }
}
