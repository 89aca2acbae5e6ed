//! Files of stored results. They are read twice: first to index and order the results, then group by group, so that
//! little of the results of thousands of runs is in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::admission::Hook;
use crate::cli::report::quotas::Quotas;
use crate::cli::session::Session;
use crate::code::Code;
use crate::evaluation::{HookUse, QuotaUse};
use crate::plugin;
use crate::report::{Diagnostic, Severity, StoredKey, StoredLine, StoredReport, StoredResult};
use kube_yaml::files;

/// The stored results of several runs.
pub(super) struct Stored {
    /// The plugins of the chain, in its order; of lines, which do not have it, those that were called.
    pub(super) plugins: Vec<&'static str>,
    /// The releases of the servers.
    pub(super) releases: BTreeSet<String>,
    /// The errors in the files, and the diagnostics of the runs about their input.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The usage of every quota after the runs.
    pub(super) quotas: Vec<QuotaUse>,
    pub(super) hooks: BTreeMap<Hook, HookUse>,
    origins: Vec<Origin>,
    groups: std::vec::IntoIter<Group>,
    /// The file that was read last.
    open: Option<(usize, BufReader<File>)>,
}

/// A file of results.
struct Origin {
    name: String,
    /// The prefix of the names of its manifests.
    prefix: String,
    /// The release of the server, of a file that is one document.
    release: Option<String>,
    text: Text,
}

/// The text of a file.
enum Text {
    /// It is read on demand.
    File(PathBuf),
    /// It was read already: standard input, or a JSON document, in which case each result is a line here.
    Whole(Vec<u8>),
}

/// The results of an object and of the objects that controllers create for it.
struct Group {
    key: StoredKey,
    origin: usize,
    /// Its bytes in the text.
    start: usize,
    end: usize,
    verdict: String,
}

/// The group being read, with its first result.
struct Open {
    group: Group,
    root: StoredResult,
}

impl Stored {
    /// Reads and orders the results in `arguments`. With `has_prefix`, each manifest is prefixed with the name of its
    /// file.
    pub(super) fn find(arguments: &[String], has_prefix: bool) -> Self {
        let mut stored = Self {
            plugins: Vec::new(),
            releases: BTreeSet::new(),
            diagnostics: Vec::new(),
            quotas: Vec::new(),
            hooks: BTreeMap::new(),
            origins: Vec::new(),
            groups: Vec::new().into_iter(),
            open: None,
        };
        let mut plugins = BTreeSet::new();
        let mut groups = Vec::new();
        let mut quotas = Quotas::default();
        let paths = expand(arguments, &mut stored.diagnostics);
        let above = shared_directory(&paths);
        for path in &paths {
            let name = path.display().to_string();
            let own = path.strip_prefix(&above).unwrap_or(path).with_extension("");
            let prefix = if has_prefix { format!("{}/", own.display()) } else { String::new() };
            match text_of(path) {
                Ok(text) => stored.origins.push(Origin { name, prefix, release: None, text }),
                Err(error) => {
                    stored.diagnostics.push(Diagnostic::from(&files::unreadable(name, error)));
                    continue;
                }
            }
            let found = stored.scan(stored.origins.len() - 1, &mut plugins, &mut quotas);
            groups.extend(found);
        }
        stored.plugins = in_order(&plugins);
        stored.groups = stored.deduplicate(groups).into_iter();
        stored.sort_diagnostics();
        let (quotas, note) = quotas.joined(has_prefix);
        stored.quotas = quotas;
        stored.diagnostics.extend(note);
        stored
    }

    /// Returns the next `count` groups of results.
    pub(super) fn next(&mut self, count: usize, session: &mut Session) -> Option<Vec<Vec<StoredResult>>> {
        let mut chunk = Vec::new();
        while chunk.len() < count {
            let Some(group) = self.groups.next() else { break };
            match self.read(&group) {
                Ok(results) => chunk.push(results),
                Err(error) => {
                    let name = &self.origins[group.origin].name;
                    session.say(&Diagnostic::from(&files::unreadable(name.as_str(), error)));
                }
            }
        }
        (!chunk.is_empty()).then_some(chunk)
    }

    /// Returns the groups of a file, and adds the errors in it to the diagnostics.
    fn scan(
        &mut self,
        position: usize,
        plugins: &mut BTreeSet<&'static str>,
        quotas: &mut Quotas,
    ) -> Vec<Group> {
        let origin = &mut self.origins[position];
        let document = match &origin.text {
            Text::File(path) => whole_document(path),
            Text::Whole(bytes) => str::from_utf8(bytes).ok().and_then(StoredReport::read),
        };
        if let Some(StoredReport { kubernetes_version, plugins: chain, lines }) = document {
            plugins.extend(chain);
            self.releases.extend(kubernetes_version.clone());
            origin.release = kubernetes_version;
            origin.text = Text::Whole(lines.into_bytes());
        }
        let origin = &self.origins[position];
        let mut groups =
            Groups { position, plugins, releases: &mut self.releases, found: Vec::new(), open: None };
        let mut reader: Box<dyn BufRead + '_> = match &origin.text {
            Text::File(path) => match File::open(path) {
                Ok(file) => Box::new(BufReader::with_capacity(1 << 18, file)),
                Err(error) => {
                    let unreadable = files::unreadable(origin.name.as_str(), error);
                    self.diagnostics.push(Diagnostic::from(&unreadable));
                    return Vec::new();
                }
            },
            Text::Whole(bytes) => Box::new(&**bytes),
        };
        let (mut offset, mut number, mut bytes) = (0, 0, Vec::new());
        loop {
            bytes.clear();
            let length = match reader.read_until(b'\n', &mut bytes) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) => {
                    let unreadable = files::unreadable(origin.name.as_str(), error);
                    self.diagnostics.push(Diagnostic::from(&unreadable));
                    break;
                }
            };
            number += 1;
            let line = String::from_utf8_lossy(&bytes);
            if !line.trim().is_empty() {
                match StoredLine::read(&line) {
                    Ok(StoredLine::Result(result)) => {
                        groups.add(*result, &origin.prefix, offset, offset + length);
                    }
                    Ok(StoredLine::Diagnostic(mut diagnostic)) => {
                        below(&mut diagnostic, &origin.prefix);
                        self.diagnostics.push(diagnostic);
                    }
                    Ok(StoredLine::Quota(quota)) => {
                        let run = origin.prefix.strip_suffix('/').unwrap_or(&origin.name);
                        quotas.add(run, quota);
                    }
                    Ok(StoredLine::Hook(hook, own)) => self.hooks.entry(hook).or_default().join(own),
                    Err(error) => {
                        self.diagnostics.push(no_result(&origin.name, number, &error));
                        // In a file of another format every line would be wrong.
                        if number == 1 {
                            break;
                        }
                    }
                }
            }
            offset += length;
        }
        groups.finish()
    }

    /// Orders the groups and removes duplicates; contradicting ones are reported.
    fn deduplicate(&mut self, mut groups: Vec<Group>) -> Vec<Group> {
        groups.sort_by(|left, right| {
            (&left.key, left.origin, left.start).cmp(&(&right.key, right.origin, right.start))
        });
        let mut kept: Vec<Group> = Vec::new();
        let mut contradicted: BTreeMap<(usize, usize), (usize, String)> = BTreeMap::new();
        for group in groups {
            let others = kept.iter().rev().take_while(|other| other.key == group.key);
            let (mut is_known, mut other_origin) = (false, None);
            for other in others.filter(|other| other.origin != group.origin) {
                is_known |= other.verdict == group.verdict;
                other_origin = Some(other.origin);
            }
            match other_origin {
                Some(_) if is_known => {}
                Some(other) => {
                    let place = group.key.place();
                    contradicted.entry((other, group.origin)).or_insert((0, place)).0 += 1;
                    kept.push(group);
                }
                None => kept.push(group),
            }
        }
        for ((one, other), (count, place)) in contradicted {
            let (one, other) = (&self.origins[one].name, &self.origins[other].name);
            let objects = if count == 1 { "1 object".to_owned() } else { format!("{count} objects") };
            let message =
                format!("{one} and {other} have different results for {objects}, such as that at {place}");
            let note = Diagnostic::note(Code::ReportDifferent, message);
            self.diagnostics.push(note.help("both are reported; --prefix distinguishes them"));
        }
        kept
    }

    /// Orders the diagnostics as the results, errors first as in a run, and removes duplicates: runs over the same files
    /// say some of them each.
    fn sort_diagnostics(&mut self) {
        let key = |diagnostic: &Diagnostic| {
            (
                diagnostic.severity != Severity::Error,
                diagnostic.file.clone(),
                diagnostic.file_line,
                diagnostic.code.name(),
                diagnostic.message.clone(),
            )
        };
        self.diagnostics.sort_by_key(key);
        self.diagnostics.dedup_by_key(|diagnostic| key(diagnostic));
    }

    fn read(&mut self, group: &Group) -> io::Result<Vec<StoredResult>> {
        let Group { origin: position, start, end, .. } = *group;
        let origin = &self.origins[position];
        let mut results = match &origin.text {
            Text::Whole(bytes) => parse(&bytes[start..end])?,
            Text::File(path) => {
                let reader = match &mut self.open {
                    Some((open, reader)) if *open == position => reader,
                    open => &mut open.insert((position, BufReader::new(File::open(path)?))).1,
                };
                reader.seek(SeekFrom::Start(start as u64))?;
                let mut bytes = vec![0; end - start];
                reader.read_exact(&mut bytes)?;
                parse(&bytes)?
            }
        };
        for result in &mut results {
            if !origin.prefix.is_empty() {
                result.put_below(&origin.prefix);
            }
            if result.kubernetes_version.is_none() {
                result.kubernetes_version.clone_from(&origin.release);
            }
        }
        Ok(results)
    }
}

/// The groups of one file.
struct Groups<'a> {
    position: usize,
    plugins: &'a mut BTreeSet<&'static str>,
    releases: &'a mut BTreeSet<String>,
    found: Vec<Group>,
    open: Option<Open>,
}

impl Groups<'_> {
    /// Adds a result in the bytes from `start` to `end`.
    fn add(&mut self, mut result: StoredResult, prefix: &str, start: usize, end: usize) {
        if !prefix.is_empty() {
            result.put_below(prefix);
        }
        self.look(&result);
        if let Some(open) = &mut self.open
            && open.group.end == start
            && result.is_below(&open.root)
        {
            open.group.end = end;
            open.group.verdict.push_str(&result.verdict());
            return;
        }
        let group = Group { key: result.key(), origin: self.position, start, end, verdict: result.verdict() };
        let last = self.open.replace(Open { group, root: result });
        self.found.extend(last.map(|open| open.group));
    }

    fn look(&mut self, result: &StoredResult) {
        self.plugins.extend(result.ran());
        self.releases.extend(result.kubernetes_version.iter().cloned());
    }

    fn finish(mut self) -> Vec<Group> {
        self.found.extend(self.open.take().map(|open| open.group));
        self.found
    }
}

/// Returns the files named by `arguments`, each once.
fn expand(arguments: &[String], diagnostics: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for argument in arguments {
        let path = PathBuf::from(argument);
        if argument == "-" || path.exists() || !argument.contains(['*', '?', '[']) {
            add_below(&path, &mut paths);
            continue;
        }
        let found: Vec<PathBuf> = glob::glob(argument).into_iter().flatten().filter_map(Result::ok).collect();
        if found.is_empty() {
            let message = format!("`{argument}` matches no file");
            diagnostics.push(Diagnostic::input(Code::InputNoMatch, message));
        }
        for path in &found {
            add_below(path, &mut paths);
        }
    }
    let mut known = BTreeSet::new();
    paths.retain(|path| known.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    paths
}

/// Returns the innermost directory that contains all of `paths`.
fn shared_directory(paths: &[PathBuf]) -> PathBuf {
    let directories = paths.iter().map(|path| path.parent().unwrap_or(Path::new("")).to_owned());
    let shared = directories.reduce(|one, other| {
        let steps = one.components().zip(other.components()).take_while(|(one, other)| one == other);
        steps.map(|(step, _)| step).collect()
    });
    shared.unwrap_or_default()
}

/// Adds the file, or the files of results below the directory, in the order of names.
fn add_below(path: &Path, paths: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        paths.push(path.to_owned());
        return;
    }
    let entries = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    let mut below: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    below.sort();
    for path in below {
        let is_link = path.is_symlink();
        if path.is_dir() && !is_link {
            add_below(&path, paths);
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            paths.push(path);
        }
    }
}

fn text_of(path: &Path) -> io::Result<Text> {
    if path != Path::new("-") {
        return File::open(path).map(|_| Text::File(path.to_owned()));
    }
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    Ok(Text::Whole(bytes))
}

/// Returns the content of a file that is one JSON document instead of one per line.
fn whole_document(path: &Path) -> Option<StoredReport> {
    let mut line = Vec::new();
    let file = File::open(path).ok()?;
    BufReader::new(file).take(LONGEST_BEGINNING).read_until(b'\n', &mut line).ok()?;
    let beginning = String::from_utf8_lossy(&line);
    // A line of results is a complete document; the first line of a report is not.
    let is_report = beginning.trim() == "{" || beginning.contains("\"kind\":\"AdmissionReport\"");
    if !is_report {
        return None;
    }
    StoredReport::read(&fs::read_to_string(path).ok()?)
}

/// The number of bytes at the start of a file that identify a report.
const LONGEST_BEGINNING: u64 = 512;

/// Returns the results in `bytes`, one per line.
fn parse(bytes: &[u8]) -> io::Result<Vec<StoredResult>> {
    let text = String::from_utf8_lossy(bytes);
    let mut results = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let StoredLine::Result(result) = StoredLine::read(line).map_err(io::Error::other)? {
            results.push(*result);
        }
    }
    Ok(results)
}

fn no_result(name: &str, line: usize, error: &serde_json::Error) -> Diagnostic {
    let text = error.to_string();
    let (what, _) = text.rsplit_once(" at line ").unwrap_or((&text, ""));
    let message = format!("{name}:{line}: this is not a result of a run: {what}");
    let diagnostic = Diagnostic::input(Code::ReportResult, message);
    let diagnostic = diagnostic.help("results are stored with `kadmit run -o jsonl=FILE`");
    Diagnostic { file: Some(name.to_owned()), file_line: Some(line), ..diagnostic }
}

/// Adds `prefix` to the file name in `diagnostic`.
fn below(diagnostic: &mut Diagnostic, prefix: &str) {
    if let Some(file) = &mut diagnostic.file {
        *file = if prefix.is_empty() {
            file.clone()
        } else {
            format!("{prefix}{}", file.trim_start_matches("./"))
        };
    }
}

/// Returns the plugins in the order of the chain, followed by unknown ones.
fn in_order(plugins: &BTreeSet<&'static str>) -> Vec<&'static str> {
    let position = |name: &str| plugin::all().position(|plugin| plugin.name == name).unwrap_or(usize::MAX);
    let mut ordered: Vec<&'static str> = plugins.iter().copied().collect();
    ordered.sort_by_key(|name| (position(name), *name));
    ordered
}
