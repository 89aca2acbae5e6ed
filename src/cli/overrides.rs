//! What holds for some files only.

use crate::cli::client_flags::ClientOverride;
use crate::report::acceptance::FilePatterns;

/// What the settings say about some files, in the order of writing: the last word counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Overrides(pub(super) Vec<Override>);

/// What the settings say about the files that fit patterns.
#[derive(Clone, Debug)]
pub(super) struct Override {
    pub(super) files: FilePatterns,
    pub(super) client: ClientOverride,
    /// Whether the files are left out.
    pub(super) exclude: Option<bool>,
}

impl Overrides {
    /// Whether `file` is left out.
    pub(super) fn exclude(&self, file: &str) -> bool {
        self.of(file).filter_map(|one| one.exclude).last().unwrap_or(false)
    }

    /// What is said about the requests of `file`.
    pub(super) fn of_client<'a>(&'a self, file: &'a str) -> impl Iterator<Item = &'a ClientOverride> {
        self.of(file).map(|one| &one.client)
    }

    fn of<'a>(&'a self, file: &'a str) -> impl Iterator<Item = &'a Override> {
        self.0.iter().filter(move |one| one.files.fit(file))
    }
}
