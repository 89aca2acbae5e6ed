//! The files of audit logs: the events of several in the order of their times, compressed or not.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, stdin};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::{thread, vec};

use flate2::bufread::MultiGzDecoder;

use crate::api_server::STACK_SIZE;
use crate::code::Code;
use crate::replay::{self, Document, Line};
use crate::report::Diagnostic;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;

/// The first bytes of a compressed file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The longest first line in which a time is looked for.
const LONGEST: u64 = 16 << 20;

/// The number of documents that a thread reads before it passes them on, and of such portions that may wait.
const PORTION: usize = 64;
const WAITING: usize = 4;

/// A file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Log(Arc<str>);

/// The documents of logs in the order of their times: those of rotated files one after the other, and those of several
/// servers in turn.
pub(super) struct Documents {
    /// The files that are read.
    open: Vec<Open>,
    /// The others, the next one last.
    closed: Vec<(Option<String>, Result<Log, Diagnostic>)>,
    profile: Arc<ServerProfile>,
}

/// Returns the documents of the files that `arguments` name, those of directories included, as a server of `profile` reads
/// them.
pub(super) fn documents(arguments: &[String], profile: Arc<ServerProfile>) -> Documents {
    let files = files(arguments);
    let is_one = files.len() == 1;
    let time =
        |file: &Result<Log, Diagnostic>| file.as_ref().ok().filter(|_| !is_one).and_then(Log::first_time);
    let mut closed: Vec<_> = files.into_iter().map(|file| (time(&file), file)).collect();
    // A file without a time, such as standard input, comes first.
    closed.sort_by(|(left, _), (right, _)| right.cmp(left));
    Documents { open: Vec::new(), closed, profile }
}

/// The number of lines of a log in which its release is looked for.
const SEARCHED: usize = 2000;

/// Returns the release of the server that wrote the first of the files whose requests show it.
pub(super) fn release(arguments: &[String]) -> Option<Version> {
    let mut files: Vec<Log> = files(arguments).into_iter().filter_map(Result::ok).collect();
    files.sort_by_cached_key(Log::first_time);
    files.iter().filter(|file| &*file.0 != "-").find_map(Log::release)
}

impl Iterator for Documents {
    type Item = Result<Document, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let first =
                self.open.iter().enumerate().min_by(|(_, left), (_, right)| left.time().cmp(right.time()));
            let first = first.map(|(position, open)| (position, open.time()));
            // A file is opened when its first event is due.
            let is_due = |time: &Option<String>| first.is_none_or(|(_, next)| time.as_deref() < Some(next));
            if let Some((_, file)) = self.closed.pop_if(|(time, _)| is_due(time)) {
                match file.and_then(|file| file.read(&self.profile)) {
                    Ok(open) => self.open.extend(open),
                    Err(error) => return Some(Err(error)),
                }
                continue;
            }
            let (position, _) = first?;
            let taken = self.open[position].take();
            if self.open[position].next.is_none() {
                self.open.remove(position);
            }
            return Some(taken);
        }
    }
}

/// Returns the files that `arguments` name, those of directories included.
fn files(arguments: &[String]) -> Vec<Result<Log, Diagnostic>> {
    let mut files = Vec::new();
    for argument in arguments {
        if argument != "-" && Path::new(argument).is_dir() {
            files.extend(below(Path::new(argument)));
        } else {
            files.push(Ok(Log(argument.as_str().into())));
        }
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
    files.into_iter().map(|file| Ok(Log(file.display().to_string().into()))).collect()
}

fn unreadable(name: &str, error: &io::Error) -> Diagnostic {
    Diagnostic::input(Code::InputUnreadable, format!("cannot read {name}: {error}"))
}

/// A file that a thread reads.
struct Open {
    portions: Receiver<Vec<Result<Document, Diagnostic>>>,
    portion: vec::IntoIter<Result<Document, Diagnostic>>,
    next: Option<Result<Document, Diagnostic>>,
    thread: Option<JoinHandle<()>>,
    /// The latest time so far: what has none stays where it is.
    time: String,
}

impl Open {
    /// Returns the time of the next document; an error comes first.
    fn time(&self) -> &str {
        match &self.next {
            Some(Ok(document)) if document.time() > self.time.as_str() => document.time(),
            Some(Ok(_)) => &self.time,
            _ => "",
        }
    }

    /// Takes the next document, of which there is one.
    fn take(&mut self) -> Result<Document, Diagnostic> {
        self.time = self.time().to_owned();
        let taken = self.next.take();
        self.advance();
        taken.expect("a file without a next document is closed")
    }

    fn advance(&mut self) {
        self.next = self.portion.next();
        while self.next.is_none()
            && let Ok(portion) = self.portions.recv()
        {
            self.portion = portion.into_iter();
            self.next = self.portion.next();
        }
        if self.next.is_none()
            && let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
        {
            resume_unwind(panic);
        }
    }
}

impl Log {
    /// Starts to read the file; returns nothing if it is empty.
    fn read(self, profile: &Arc<ServerProfile>) -> Result<Option<Open>, Diagnostic> {
        let (sender, portions) = sync_channel(WAITING);
        let name = self.0.clone();
        let log = self.open().map_err(|error| unreadable(&name, &error))?;
        let reader = thread::Builder::new().name("log".to_owned()).stack_size(STACK_SIZE);
        let profile = profile.clone();
        let spawned = reader.spawn(move || {
            let mut portions = Portions { sender, portion: Vec::new(), is_closed: false };
            if let Err(error) = self.read_into(log, &profile, &mut portions) {
                portions.push(Err(unreadable(&self.0, &error)));
            }
            portions.send();
        });
        let thread = Some(spawned.map_err(|error| unreadable(&name, &error))?);
        let portion = Vec::new().into_iter();
        let mut open = Open { portions, portion, next: None, thread, time: String::new() };
        open.advance();
        Ok(open.next.is_some().then_some(open))
    }

    fn read_into(
        &self,
        mut log: Box<dyn BufRead + Send>,
        profile: &ServerProfile,
        portions: &mut Portions,
    ) -> io::Result<()> {
        let mut line = Line { file: self.0.clone(), number: 0 };
        let mut text = Vec::new();
        while !portions.is_closed && log.read_until(b'\n', &mut text)? > 0 {
            line.number += 1;
            if line.number == 1 && is_cut(&text) {
                // A document over several lines.
                log.read_to_end(&mut text)?;
                let documents = Document::read(&text, &line, profile);
                if documents.iter().all(Document::is_json) {
                    portions.take(documents);
                    return Ok(());
                }
                for (index, text) in text.split(|byte| *byte == b'\n').enumerate() {
                    let line = Line { number: index + 1, ..line.clone() };
                    portions.take(Document::read(text, &line, profile));
                }
                return Ok(());
            }
            portions.take(Document::read(&text, &line, profile));
            text.clear();
        }
        Ok(())
    }

    fn open(&self) -> io::Result<Box<dyn BufRead + Send>> {
        let mut plain: Box<dyn BufRead + Send> = if &*self.0 == "-" {
            Box::new(BufReader::new(stdin()))
        } else {
            Box::new(BufReader::with_capacity(1 << 18, File::open(&*self.0)?))
        };
        let is_compressed = plain.fill_buf()?.starts_with(&GZIP);
        Ok(if is_compressed {
            Box::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(plain)))
        } else {
            plain
        })
    }

    /// Returns the release of the server that wrote it, if the first lines show it.
    fn release(&self) -> Option<Version> {
        let lines = self.open().ok()?.take(LONGEST).split(b'\n');
        lines.map_while(Result::ok).take(SEARCHED).find_map(|line| replay::release_in(&line))
    }

    /// Returns the time of the first event; standard input can be read only once.
    fn first_time(&self) -> Option<String> {
        if &*self.0 == "-" {
            return None;
        }
        let mut text = Vec::new();
        let mut log = self.open().ok()?.take(LONGEST);
        log.read_until(b'\n', &mut text).ok()?;
        if is_cut(&text) {
            log.read_to_end(&mut text).ok()?;
        }
        Document::time_in(&text)
    }
}

/// The documents that a thread has read and not passed on.
struct Portions {
    sender: SyncSender<Vec<Result<Document, Diagnostic>>>,
    portion: Vec<Result<Document, Diagnostic>>,
    /// Whether nothing takes them any more.
    is_closed: bool,
}

impl Portions {
    fn take(&mut self, documents: Vec<Document>) {
        for document in documents {
            self.push(Ok(document));
        }
    }

    fn push(&mut self, document: Result<Document, Diagnostic>) {
        self.portion.push(document);
        if self.portion.len() >= PORTION {
            self.send();
        }
    }

    fn send(&mut self) {
        self.is_closed |= self.sender.send(std::mem::take(&mut self.portion)).is_err();
    }
}

/// Whether a line begins a JSON document and does not end it.
fn is_cut(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line == b"{" || line.starts_with(b"{") && line.ends_with(b",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_over_several_lines_is_known_by_the_first() {
        assert!(is_cut(b"{\n") && is_cut(b"{\"kind\": \"EventList\",\n"));
        assert!(!is_cut(b"{\"kind\": \"Event\"}\n") && !is_cut(b"\n"));
    }

    #[test]
    fn events_of_several_servers_are_read_in_turn() {
        let directory = std::env::temp_dir().join(format!("kadmit-logs-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let event = |time: u32| format!("{{\"stageTimestamp\":\"2026-01-01T00:00:0{time}Z\"}}\nx\n");
        let write = |name: &str, times: &[u32]| {
            let text: String = times.iter().map(|time| event(*time)).collect();
            fs::write(directory.join(name), text).unwrap();
        };
        write("one", &[1, 3, 5]);
        write("one.later", &[7]);
        write("other", &[2, 4, 6]);
        let profile = Arc::new(ServerProfile::default());
        let found = documents(&[directory.display().to_string()], profile);
        let times = found.map(|one| one.ok().unwrap().time().get(18..19).unwrap_or("x").to_owned());
        let times: Vec<String> = times.collect();
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(times, ["1", "x", "2", "x", "3", "x", "4", "x", "5", "x", "6", "x", "7", "x"]);
    }
}
