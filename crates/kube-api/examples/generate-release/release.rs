//! The folder of a release as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::document::Documents;
use crate::fields::{self, Likely};
use crate::notes::{Line, Note, Notes, Type};
use crate::{gates, history, kinds, published, rbac, resources};

/// The end of every head line.
pub(crate) const MADE_BY: &str = "made by examples/generate-release";

/// The files of a release and the errors in them.
pub(crate) struct Release {
    name: String,
    /// By their paths below `data`.
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) problems: Vec<String>,
    /// The entries that can be added to the notes.
    pub(crate) likely: Vec<Likely>,
    /// The added entries that wait for review.
    pub(crate) unreviewed: Vec<String>,
}

impl Release {
    /// Joins the documents with the notes.
    pub(crate) fn make(documents: &Documents, notes: &Notes) -> Self {
        let fields::Tables { mut files, mut problems, likely } = fields::tables(documents, notes);
        let (gates, found) = gates::table(documents, notes);
        problems.extend(found);
        let (kinds, deprecations, found) = kinds::tables(documents, notes);
        problems.extend(found);
        let (published, found) = published::table(documents, notes);
        problems.extend(found);
        problems.extend(rbac::problems(notes));
        problems.extend(other_tags(documents, notes));
        files.insert("published.txt".to_owned(), published);
        files.insert("resources.txt".to_owned(), resources::table(documents));
        files.insert("gates.txt".to_owned(), gates);
        files.insert("kinds.txt".to_owned(), kinds);
        files.insert("deprecations.txt".to_owned(), deprecations);
        files.insert("rbac.txt".to_owned(), copied(&notes.rbac));
        let name = format!("v{}", documents.release);
        let mut files: BTreeMap<_, _> =
            files.into_iter().map(|(file, text)| (format!("{name}/{file}"), text)).collect();
        let (resources, fields, found) = history::tables(documents, notes);
        problems.extend(found);
        files.insert("history/resources.txt".to_owned(), resources);
        files.insert("history/fields.txt".to_owned(), fields);
        Self { name, files, problems, likely, unreviewed: unreviewed(notes) }
    }

    /// Returns the folders that contain only generated files.
    fn folders(&self) -> [String; 3] {
        [self.name.clone(), format!("{}/fields", self.name), "history".to_owned()]
    }

    /// Writes the folders below `data`.
    pub(crate) fn write(&self, data: &Path) -> Result<(), String> {
        let written = || {
            for folder in self.folders() {
                let folder = data.join(folder);
                if folder.exists() {
                    fs::remove_dir_all(&folder)?;
                }
                fs::create_dir_all(&folder)?;
            }
            self.files.iter().try_for_each(|(name, text)| fs::write(data.join(name), text))
        };
        written().map_err(|error| format!("{}: {error}", data.display()))
    }

    /// Returns the differences of the folders below `data` from the generated files.
    pub(crate) fn differences(&self, data: &Path) -> Vec<String> {
        let mut differences = self.unreviewed.clone();
        for (name, text) in &self.files {
            match fs::read_to_string(data.join(name)) {
                Ok(found) if found == *text => {}
                Ok(found) => differences.push(difference(name, &found, text)),
                Err(error) => differences.push(format!("{name}: {error}")),
            }
        }
        for folder in self.folders() {
            let present = fs::read_dir(data.join(&folder)).into_iter().flatten().flatten();
            let names = present.filter(|file| file.path().is_file());
            let names: BTreeSet<_> =
                names.map(|file| format!("{folder}/{}", file.file_name().to_string_lossy())).collect();
            let unknown = names.iter().filter(|name| !self.files.contains_key(*name));
            differences.extend(unknown.map(|name| format!("{name}: nothing makes it")));
        }
        differences
    }

    /// Returns a summary of the generated files, and of what waits for review.
    pub(crate) fn summary(&self) -> Vec<String> {
        let mut lines = vec![format!("data/{} and data/history: {} files", self.name, self.files.len())];
        lines.extend(self.unreviewed.iter().cloned());
        lines
    }
}

fn copied(note: &Note) -> String {
    let comment: Vec<_> = note.head.lines().filter(|line| !line.starts_with("# source: ")).collect();
    format!("# {}; {MADE_BY}\n{}\n\n{}", note.source, comment.join("\n"), note.body)
}

fn difference(name: &str, found: &str, expected: &str) -> String {
    let lines = found.lines().zip(expected.lines());
    let (number, (found, expected)) = lines
        .enumerate()
        .find(|(_, (found, expected))| found != expected)
        .unwrap_or((found.lines().count().min(expected.lines().count()), ("…", "…")));
    format!("{name}:{}: `{found}` should be `{expected}`", number + 1)
}

/// Returns the notes with another release than the documents.
fn other_tags(documents: &Documents, notes: &Notes) -> Vec<String> {
    let tag = format!(" v{}.", documents.release);
    let whole = [&notes.left_out, &notes.gone, &notes.gates, &notes.kinds, &notes.rbac, &notes.cel];
    let sources = notes.packages.iter().map(|package| &package.source);
    let other = whole.iter().map(|note| &note.source).chain(sources).filter(|source| !source.contains(&tag));
    other.map(|source| format!("{source}: the documents are of v{}", documents.release)).collect()
}

/// Returns the fields that were added in their likely form.
fn unreviewed(notes: &Notes) -> Vec<String> {
    let mut found = Vec::new();
    for package in &notes.packages {
        for (name, kind) in &package.types {
            let Type::Struct { lines, .. } = kind else { continue };
            for line in lines {
                if let Line::Field(field, words) = line
                    && words.iter().any(|word| word == "?")
                {
                    let place = format!("{}.{name}.{field}", package.name);
                    found.push(format!("{place}: read it in {} and take away the `?`", package.source));
                }
            }
        }
    }
    found
}

/// Returns the minor of a release such as `1.36`.
pub(crate) fn minor(release: &str) -> u32 {
    release.strip_prefix("1.").and_then(|minor| minor.parse().ok()).unwrap_or_default()
}

/// Returns a group and a version as an `apiVersion`.
pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}
