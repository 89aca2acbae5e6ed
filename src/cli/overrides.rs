//! Settings for some files only.

use crate::cli::client_flags::ClientOverride;
use crate::report::acceptance::FilePatterns;

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

    fn of<'a>(&'a self, file: &'a str) -> impl Iterator<Item = &'a Override> {
        self.0.iter().filter(move |one| one.files.fit(file))
    }
}
