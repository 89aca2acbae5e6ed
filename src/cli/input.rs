//! What the user names on the command line: files, directories, patterns and standard input.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::manifest::{self, Document, Item, Part, files};
use crate::report::Diagnostic;
use crate::source::SourceFile;

/// A file to read, in the order in which the user named them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    File(PathBuf),
    StandardInput,
}

/// The files that `arguments` stand for: files as they are, directories and patterns in the order of names.
/// Standard input is `-`.
pub(super) fn expand(arguments: &[String]) -> Vec<Result<Input, Diagnostic>> {
    arguments.iter().flat_map(|argument| expand_one(argument)).collect()
}

fn expand_one(argument: &str) -> Vec<Result<Input, Diagnostic>> {
    if argument == "-" {
        return vec![Ok(Input::StandardInput)];
    }
    let path = PathBuf::from(argument);
    if path.exists() || !argument.contains(['*', '?', '[']) {
        return files_of(&path);
    }
    let matches = match glob::glob(argument) {
        Ok(matches) => matches,
        Err(error) => {
            let message = format!("`{argument}` is no pattern: {}", error.msg);
            return vec![Err(Diagnostic::input("kadmit::input::pattern", message))];
        }
    };
    let mut inputs = Vec::new();
    for found in matches {
        match found {
            Ok(path) => inputs.extend(files_of(&path)),
            Err(error) => inputs.push(Err(Diagnostic::input("kadmit::input::unreadable", error.to_string()))),
        }
    }
    if inputs.is_empty() {
        let message = format!("`{argument}` matches no file");
        inputs.push(Err(Diagnostic::input("kadmit::input::no_match", message)));
    }
    inputs
}

fn files_of(path: &Path) -> Vec<Result<Input, Diagnostic>> {
    let found = files::list(path).into_iter();
    found.map(|file| file.map(Input::File).map_err(|error| Diagnostic::from(&error))).collect()
}

impl Input {
    /// The name by which it is reported.
    pub(super) fn name(&self) -> Cow<'_, str> {
        match self {
            Self::File(path) => path.to_string_lossy(),
            Self::StandardInput => Cow::Borrowed("-"),
        }
    }

    /// Reads the whole file.
    pub(super) fn read(&self) -> Result<Arc<SourceFile>, Diagnostic> {
        let read = match self {
            Self::File(path) => files::read_file(path),
            Self::StandardInput => return STANDARD_INPUT.get_or_init(read_standard_input).clone(),
        };
        read.map_err(|error| Diagnostic::from(&error))
    }
}

/// It can be read once, and may be asked for by two runs.
static STANDARD_INPUT: OnceLock<Result<Arc<SourceFile>, Diagnostic>> = OnceLock::new();

fn read_standard_input() -> Result<Arc<SourceFile>, Diagnostic> {
    let mut bytes = Vec::new();
    let read = io::stdin().read_to_end(&mut bytes).map_err(|error| files::unreadable("-", error));
    read.and_then(|_| files::from_bytes("-", bytes)).map_err(|error| Diagnostic::from(&error))
}

/// The documents of a file, found and not yet read.
pub(super) fn parts_of(
    input: Result<Input, Diagnostic>,
) -> Box<dyn Iterator<Item = Result<Part, Diagnostic>>> {
    match input.and_then(|input| input.read()) {
        Ok(source) => Box::new(manifest::split(&source).map(|part| part.map_err(|error| (&error).into()))),
        Err(diagnostic) => Box::new(std::iter::once(Err(diagnostic))),
    }
}

/// The objects of a document.
pub(super) fn items_of(part: &Part) -> Result<Vec<Item>, Diagnostic> {
    let document = part.read().map_err(|error| Diagnostic::from(&error))?;
    Ok(document.map(Document::unwrap_list).unwrap_or_default())
}
