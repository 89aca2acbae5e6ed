//! Directories for the files of a test.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// A directory of a test alone, which is removed with its files in the end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Creates the directory of the test called `name`.
    pub(crate) fn new(name: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("kadmit-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a scratch directory");
        Self(fs::canonicalize(directory).expect("its name"))
    }

    /// Creates the directory of the test called `name`, with the manifest `d.yaml` in it.
    pub(crate) fn with_manifest(name: &str) -> Self {
        let scratch = Self::new(name);
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli/input/many/d.yaml");
        fs::copy(manifest, scratch.join("d.yaml")).expect("a manifest");
        scratch
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // At worst a directory is left over.
        let _ = fs::remove_dir_all(&self.0);
    }
}
