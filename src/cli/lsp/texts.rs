//! The texts of files: as the editor has them, or else as they are on disk, read again when they change there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::cli::input::Input;
use crate::manifest::files;
use crate::report::Diagnostic;
use crate::source::SourceFile;

/// All texts that are known.
#[derive(Debug, Default)]
pub(super) struct Texts {
    open: BTreeMap<PathBuf, Arc<SourceFile>>,
    read: BTreeMap<PathBuf, Read>,
}

/// A file as it was read.
#[derive(Debug)]
struct Read {
    modified: Option<SystemTime>,
    length: u64,
    source: Arc<SourceFile>,
}

impl Texts {
    /// Takes the text that the editor has of the file at `path`.
    pub(super) fn open(&mut self, path: &Path, text: String) {
        self.open.insert(path.to_owned(), SourceFile::new(path.display().to_string(), text));
    }

    /// Forgets what the editor had of the file at `path`.
    pub(super) fn close(&mut self, path: &Path) {
        self.open.remove(path);
    }

    /// The files that the editor has open.
    pub(super) fn opened(&self) -> impl Iterator<Item = &Path> {
        self.open.keys().map(PathBuf::as_path)
    }

    /// What the editor has of the file at `path`.
    pub(super) fn of_open(&self, path: &Path) -> Option<&Arc<SourceFile>> {
        self.open.get(path)
    }

    /// What is known of the file called `name`.
    pub(super) fn known(&self, name: &str) -> Option<&Arc<SourceFile>> {
        let path = Path::new(name);
        self.open.get(path).or_else(|| self.read.get(path).map(|read| &read.source))
    }

    /// The file at `path` as it is now. The same [`SourceFile`] is the same text.
    pub(super) fn read(&mut self, path: &Path) -> Result<Arc<SourceFile>, Diagnostic> {
        if let Some(open) = self.open.get(path) {
            return Ok(open.clone());
        }
        let metadata = fs::metadata(path).ok();
        let (modified, length) = match &metadata {
            Some(metadata) => (metadata.modified().ok(), metadata.len()),
            None => (None, 0),
        };
        if let Some(read) = self.read.get(path)
            && read.modified == modified
            && read.length == length
            && modified.is_some()
        {
            return Ok(read.source.clone());
        }
        let source = files::read_file(path).map_err(|error| {
            self.read.remove(path);
            Diagnostic::from(&error)
        })?;
        // A text that was written anew as it was is the same.
        let known =
            self.read.get(path).map(|read| &read.source).filter(|known| known.text() == source.text());
        let source = known.cloned().unwrap_or(source);
        self.read.insert(path.to_owned(), Read { modified, length, source: source.clone() });
        Ok(source)
    }

    /// `input` with its text. Standard input is the client's.
    pub(super) fn input(&mut self, input: Result<Input, Diagnostic>) -> Result<Input, Diagnostic> {
        match input? {
            Input::File(path) => self.read(&path).map(Input::Text),
            Input::StandardInput => {
                let message = "an editor has no standard input: `-` cannot be read";
                Err(Diagnostic::input("kadmit::lsp::standard_input", message))
            }
            text @ Input::Text(_) => Ok(text),
        }
    }
}
