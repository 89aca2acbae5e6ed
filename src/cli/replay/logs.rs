//! The files of audit logs: several in the order of their times, compressed or not.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, stdin};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use crate::cli::progress::Progress;
use crate::code::Code;
use crate::replay::{Line, Replay};
use crate::report::Diagnostic;
use gotext::encoding_json;

/// The first bytes of a compressed file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The longest first line in which a time is looked for.
const LONGEST: u64 = 16 << 20;

/// A file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Log(String);

/// Returns the files that `arguments` name, those of directories included: rotated files in the order of the times of
/// their first events.
pub(super) fn files(arguments: &[String]) -> Vec<Result<Log, Diagnostic>> {
    let mut files: Vec<Result<Log, Diagnostic>> = Vec::new();
    for argument in arguments {
        if argument != "-" && Path::new(argument).is_dir() {
            files.extend(below(Path::new(argument)));
        } else {
            files.push(Ok(Log(argument.clone())));
        }
    }
    if files.len() > 1 {
        // A file without a time stays where it is named.
        files.sort_by_cached_key(|file| file.as_ref().ok().and_then(Log::first_time));
    }
    files
}

fn below(directory: &Path) -> Vec<Result<Log, Diagnostic>> {
    let name = directory.display().to_string();
    let read = fs::read_dir(directory).and_then(std::iter::Iterator::collect::<io::Result<Vec<_>>>);
    let entries = match read {
        Ok(entries) => entries,
        Err(error) => return vec![Err(unreadable(&name, &error))],
    };
    let mut files: Vec<PathBuf> =
        entries.iter().map(fs::DirEntry::path).filter(|path| path.is_file()).collect();
    files.sort();
    if files.is_empty() {
        let message = format!("there is no file in {name}");
        return vec![Err(Diagnostic::input(Code::InputNoMatch, message))];
    }
    files.into_iter().map(|file| Ok(Log(file.display().to_string()))).collect()
}

fn unreadable(name: &str, error: &io::Error) -> Diagnostic {
    Diagnostic::input(Code::InputUnreadable, format!("cannot read {name}: {error}"))
}

impl Log {
    /// Sends the events of the file through `replay`.
    pub(super) fn read(&self, replay: &mut Replay, progress: &mut Progress) -> Result<(), Diagnostic> {
        let mut read = || {
            let mut log = self.open()?;
            let mut line = Line { file: self.0.clone(), number: 0 };
            let mut text = Vec::new();
            while log.read_until(b'\n', &mut text)? > 0 {
                line.number += 1;
                if line.number == 1 && is_cut(&text) {
                    // A document over several lines.
                    log.read_to_end(&mut text)?;
                    match encoding_json::from_slice(text.trim_ascii()) {
                        Ok(document) => replay.take_value(&document, &line),
                        Err(_) => take_lines(&text, replay, &line.file),
                    }
                    return Ok(());
                }
                replay.take_line(&text, &line);
                text.clear();
                progress.show(usize::try_from(replay.judged()).unwrap_or(usize::MAX));
            }
            Ok(())
        };
        read().map_err(|error: io::Error| unreadable(&self.0, &error))
    }

    fn open(&self) -> io::Result<Box<dyn BufRead>> {
        let mut plain: Box<dyn BufRead> = if self.0 == "-" {
            Box::new(stdin().lock())
        } else {
            Box::new(BufReader::with_capacity(1 << 18, File::open(&self.0)?))
        };
        let is_compressed = plain.fill_buf()?.starts_with(&GZIP);
        Ok(if is_compressed {
            Box::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(plain)))
        } else {
            plain
        })
    }

    /// Returns the time of the first event; standard input can be read only once.
    fn first_time(&self) -> Option<String> {
        if self.0 == "-" {
            return None;
        }
        let mut line = Vec::new();
        self.open().ok()?.take(LONGEST).read_until(b'\n', &mut line).ok()?;
        let document = encoding_json::from_slice(line.trim_ascii()).ok()?;
        let event = document.list("items").first().unwrap_or(&document);
        Some(event.text("stageTimestamp").to_owned()).filter(|time| !time.is_empty())
    }
}

/// Whether a line begins a JSON document and does not end it.
fn is_cut(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line == b"{" || line.starts_with(b"{") && line.ends_with(b",")
}

fn take_lines(text: &[u8], replay: &mut Replay, file: &str) {
    for (index, text) in text.split(|byte| *byte == b'\n').enumerate() {
        replay.take_line(text, &Line { file: file.to_owned(), number: index + 1 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_over_several_lines_is_known_by_the_first() {
        assert!(is_cut(b"{\n") && is_cut(b"{\"kind\": \"EventList\",\n"));
        assert!(!is_cut(b"{\"kind\": \"Event\"}\n") && !is_cut(b"\n"));
    }
}
