//! The texts of files: those of the editor, or else those on disk, read again when they change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::cli::input::Input;
use crate::code::Code;
use crate::report::Diagnostic;
use gotext::source::SourceFile;
use kube_yaml::files;

/// All texts that are known.
#[derive(Debug, Default)]
pub(super) struct Texts {
    open: BTreeMap<PathBuf, Arc<SourceFile>>,
    read: BTreeMap<PathBuf, Read>,
    /// The number of times that files may have changed.
    changes: u64,
}

/// A file as it was read.
#[derive(Debug)]
struct Read {
    modified: Option<SystemTime>,
    length: u64,
    /// The number of possible changes when it was checked last.
    checked: u64,
    source: Arc<SourceFile>,
}

impl Texts {
    /// Sets the editor's text of the file at `path`.
    pub(super) fn open(&mut self, path: &Path, text: String) {
        self.open.insert(path.to_owned(), SourceFile::new(path.display().to_string(), text));
    }

    /// Removes the editor's text of the file at `path`.
    pub(super) fn close(&mut self, path: &Path) {
        self.open.remove(path);
        // The editor may have written it.
        self.read.remove(path);
    }

    /// Returns the files that the editor has open.
    pub(super) fn opened(&self) -> impl Iterator<Item = &Path> {
        self.open.keys().map(PathBuf::as_path)
    }

    /// Returns the editor's text of the file at `path`.
    pub(super) fn of_open(&self, path: &Path) -> Option<&Arc<SourceFile>> {
        self.open.get(path)
    }

    /// Returns the known text of the file called `name`.
    pub(super) fn known(&self, name: &str) -> Option<&Arc<SourceFile>> {
        let path = Path::new(name);
        self.open.get(path).or_else(|| self.read.get(path).map(|read| &read.source))
    }

    /// Checks files on disk again when they are read next.
    pub(super) fn invalidate(&mut self) {
        self.changes += 1;
    }

    /// Returns the current file at `path`. An unchanged text is the same [`SourceFile`].
    pub(super) fn read(&mut self, path: &Path) -> Result<Arc<SourceFile>, Diagnostic> {
        if let Some(open) = self.open.get(path) {
            return Ok(open.clone());
        }
        let changes = self.changes;
        if let Some(read) = self.read.get(path).filter(|read| read.checked == changes) {
            return Ok(read.source.clone());
        }
        let metadata = fs::metadata(path).ok();
        let (modified, length) = match &metadata {
            Some(metadata) => (metadata.modified().ok(), metadata.len()),
            None => (None, 0),
        };
        if let Some(read) = self.read.get_mut(path)
            && read.modified == modified
            && read.length == length
            && modified.is_some()
        {
            read.checked = changes;
            return Ok(read.source.clone());
        }
        let source = files::read_file(path).map_err(|error| {
            self.read.remove(path);
            Diagnostic::from(&error)
        })?;
        // A file may be rewritten with the same text.
        let known =
            self.read.get(path).map(|read| &read.source).filter(|known| known.text() == source.text());
        let source = known.cloned().unwrap_or(source);
        self.read
            .insert(path.to_owned(), Read { modified, length, checked: changes, source: source.clone() });
        Ok(source)
    }

    /// Returns `input` with its text. Standard input belongs to the client.
    pub(super) fn input(&mut self, input: Result<Input, Diagnostic>) -> Result<Input, Diagnostic> {
        match input? {
            Input::File(path) => self.read(&path).map(Input::Text),
            Input::Standard => Err(no_standard_input()),
            read @ (Input::Text(_) | Input::Unpacked(_)) => Ok(read),
        }
    }
}

/// Returns the error about standard input, which belongs to the client.
pub(super) fn no_standard_input() -> Diagnostic {
    Diagnostic::input(Code::LspStandardInput, "an editor has no standard input: `-` cannot be read")
}
