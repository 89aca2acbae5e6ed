//! `kadmit.toml`: defaults for the flags of `kadmit run`, what holds for some files only, and skips.
//!
//! A key is the long name of a flag, so that no flag can be forgotten, and its value is read by the parser of that flag.

mod flags;
mod table;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{ArgMatches, Args, Command};
use toml::de::DeTable;

use crate::cli::client_flags::ClientOverride;
use crate::cli::overrides::{Override, Overrides};
use crate::manifest::files;
use crate::report::Diagnostic;
use crate::report::acceptance::{Date, FilePatterns, Skip, rule_named};
use crate::source::SourceFile;

use flags::Flags;
use table::{Table, Text};

/// The name of the file that is looked for.
pub(super) const NAME: &str = "kadmit.toml";

/// What `kadmit run --help` says about the file.
pub(super) const HELP: &str = include_str!("settings/help.txt");

/// The flags that are given, completed from a file.
pub(super) struct Complete<A> {
    pub(super) run: A,
    pub(super) overrides: Overrides,
    pub(super) skips: Vec<Skip>,
    /// The file, if there is one.
    pub(super) file: Option<String>,
    /// Whether the file names something to evaluate, and the command line something else.
    pub(super) is_partial: bool,
}

/// Completes the flags that are `given` from `file`, or else the one that is found.
pub(super) fn complete<A: Args>(
    given: &ArgMatches,
    file: Option<&Path>,
    no_settings: bool,
) -> Result<Complete<A>, Vec<Diagnostic>> {
    let mut flags = Flags::new(A::augment_args(Command::new("kadmit run")), given);
    let working_directory = env::current_dir().map_err(|error| {
        let message = format!("there is no working directory: {error}");
        vec![Diagnostic::input("kadmit::settings", message)]
    })?;
    let file = match file {
        Some(file) => Some(file.to_owned()),
        None if no_settings => None,
        None => find(&working_directory),
    };
    let mut overrides = Vec::new();
    let mut skips = Vec::new();
    if let Some(file) = &file {
        let source = files::read_file(file).map_err(|error| vec![Diagnostic::from(&error)])?;
        let directory = file.parent().unwrap_or(Path::new(""));
        read(&source, directory, &working_directory, &mut flags, &mut overrides, &mut skips)?;
    }
    let is_partial = flags.is_partial();
    let name = file.as_ref().map(|file| file.display().to_string());
    let run = flags.parse(name.as_deref()).map_err(|error| vec![error])?;
    Ok(Complete { run, overrides: Overrides(overrides), skips, file: name, is_partial })
}

/// Reads the file, which is in `directory`.
fn read(
    source: &Arc<SourceFile>,
    directory: &Path,
    working_directory: &Path,
    flags: &mut Flags<'_>,
    overrides: &mut Vec<Override>,
    skips: &mut Vec<Skip>,
) -> Result<(), Vec<Diagnostic>> {
    let mut text = Text::new(source.clone());
    let root = DeTable::parse(source.text());
    if let Some(root) = text.root(&root) {
        let mut reader = Reader { flags, directory, working_directory };
        reader.read(&root, &mut text, overrides, skips);
    }
    text.into_result()
}

/// The nearest file in `directory` or above, up to the root of the repository.
fn find(directory: &Path) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for directory in directory.ancestors() {
        if directory.join(NAME).is_file() {
            return Some(path.join(NAME));
        }
        if directory.join(".git").exists() {
            return None;
        }
        path.push("..");
    }
    None
}

/// The nearest file that holds for the file at `path`.
pub(super) fn find_above(path: &Path) -> Option<PathBuf> {
    let directory = path.parent()?;
    for directory in directory.ancestors() {
        let file = directory.join(NAME);
        if file.is_file() {
            return Some(file);
        }
        if directory.join(".git").exists() {
            return None;
        }
    }
    None
}

/// The day on which the run takes place: that of `SOURCE_DATE_EPOCH`, so that a run can be repeated, or else of the
/// clock.
pub(super) fn today() -> Result<Date, Vec<Diagnostic>> {
    const VARIABLE: &str = "SOURCE_DATE_EPOCH";
    let Some(text) = env::var_os(VARIABLE) else {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        return Ok(Date::of_unix_time(now.map(|now| now.as_secs()).unwrap_or_default()));
    };
    let seconds = text.to_str().and_then(|text| text.parse().ok()).filter(|seconds| *seconds <= LAST_SECOND);
    seconds.map(Date::of_unix_time).ok_or_else(|| {
        let message = format!("{VARIABLE} cannot be `{}`", text.to_string_lossy());
        let help = "it is a number of seconds since the beginning of 1970";
        vec![Diagnostic::input("kadmit::settings", message).help(help)]
    })
}

/// The end of the year 9999, the last that TOML knows.
const LAST_SECOND: u64 = 253_402_300_799;

/// Reads the tables of a file.
struct Reader<'a, 'given> {
    flags: &'a mut Flags<'given>,
    /// The directory of the file.
    directory: &'a Path,
    working_directory: &'a Path,
}

impl Reader<'_, '_> {
    fn read(
        &mut self,
        root: &Table<'_>,
        text: &mut Text,
        overrides: &mut Vec<Override>,
        skips: &mut Vec<Skip>,
    ) {
        for entry in &root.entries {
            match entry.key {
                "override" => {
                    for table in text.tables(entry) {
                        overrides.extend(self.read_override(&table, text, skips));
                    }
                }
                "skip" => {
                    for table in text.tables(entry) {
                        skips.extend(self.read_skip(&table, &[], text));
                    }
                }
                key if self.flags.keys().any(|known| known == key) => {
                    if let Some(words) = self.flags.words(entry, self.directory, text) {
                        self.flags.add(key, words);
                    }
                }
                _ => {
                    let known = self.flags.keys().chain(["override", "skip"]);
                    text.refuse_key(entry, known, "`kadmit run --help` lists the flags");
                }
            }
        }
    }

    /// `[[override]]`; its skips go to `skips`.
    fn read_override(&self, table: &Table<'_>, text: &mut Text, skips: &mut Vec<Skip>) -> Option<Override> {
        const OWN: [&str; 3] = ["match", "exclude", "skip"];
        let mut words = Vec::new();
        for entry in table.entries.iter().filter(|entry| !OWN.contains(&entry.key)) {
            if ClientOverride::FLAGS.contains(&entry.key) {
                let read = self.flags.words(entry, self.directory, text);
                words.extend(read.into_iter().flatten().filter(|_| !self.flags.is_given(entry.key)));
            } else {
                let known = OWN.into_iter().chain(ClientOverride::FLAGS);
                text.refuse_key(entry, known, "an override has `match` and what holds for these files");
            }
        }
        let exclude = text.boolean(table, "exclude");
        let Some(files) = self.files(table, "match", text) else {
            text.refuse_missing(table, "match", "an override");
            return None;
        };
        let tables = table.get("skip").map(|entry| text.tables(&entry)).unwrap_or_default();
        for skip in tables {
            skips.extend(self.read_skip(&skip, std::slice::from_ref(&files), text));
        }
        let client = ClientOverride::of(&self.flags.matches(&words).ok()?);
        Some(Override { files, client, exclude })
    }

    /// `[[skip]]`, for the files that fit `files`.
    fn read_skip(&self, table: &Table<'_>, files: &[FilePatterns], text: &mut Text) -> Option<Skip> {
        const KEYS: [&str; 8] =
            ["plugin", "paths", "kind", "namespace", "name", "message", "reason", "expires"];
        for entry in table.entries.iter().filter(|entry| !KEYS.contains(&entry.key)) {
            text.refuse_key(entry, KEYS, "a skip has `plugin`, `reason` and what it is about");
        }
        let rule = text.required(table, "plugin", "a skip").and_then(|(name, span)| match rule_named(name) {
            Ok(rule) => Some(rule),
            Err(unknown) => {
                text.refuse(span, format!("there is no plugin \"{name}\""), unknown.help);
                None
            }
        });
        let reason = text.required(table, "reason", "a skip");
        let mut pattern = |key| {
            let (pattern, span) = text.string(table, key)?;
            text.pattern(pattern, span)
        };
        let (kind, namespace, name) = (pattern("kind"), pattern("namespace"), pattern("name"));
        let message = text.string(table, "message").map(|(message, _)| message.to_owned());
        let expires = text.date(table, "expires");
        let own = self.files(table, "paths", text);
        Some(Skip {
            rule: rule?,
            files: files.iter().cloned().chain(own).collect(),
            kind,
            namespace,
            name,
            message,
            reason: reason?.0.to_owned(),
            expires,
            source: text.source().clone(),
            span: table.span,
        })
    }

    /// The patterns that `key` has.
    fn files(&self, table: &Table<'_>, key: &str, text: &mut Text) -> Option<FilePatterns> {
        let patterns = text.patterns(table, key)?;
        Some(FilePatterns::new(patterns, self.directory, self.working_directory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run::Run;

    /// What is wrong with `text`, a line each.
    fn errors(text: &str) -> Vec<String> {
        let command = Run::augment_args(Command::new("kadmit run"));
        let given = command.clone().get_matches_from(["kadmit run"]);
        let source = SourceFile::new("kadmit.toml", text);
        let (mut overrides, mut skips) = (Vec::new(), Vec::new());
        let mut flags = Flags::new(command, &given);
        let result = read(&source, Path::new(""), Path::new("/"), &mut flags, &mut overrides, &mut skips);
        let said = |error: Diagnostic| format!("{}: {}", error.line().unwrap(), error.message);
        result.err().into_iter().flatten().map(said).collect()
    }

    #[test]
    fn the_example_of_the_help_is_right() {
        let lines: Vec<&str> = HELP.lines().collect();
        let example = |line: &&&str| line.is_empty() || line.starts_with("    ");
        let start = lines.iter().position(|line| line.starts_with("    paths")).unwrap();
        let example: String =
            lines[start..].iter().take_while(example).flat_map(|line| [line, "\n"]).collect();
        assert!(example.contains("expires"), "{example}");
        assert_eq!(errors(&example), Vec::<String>::new());
        assert_eq!(errors(&example.replace("exclude", "include")), ["12: there is no setting `include`"]);
        assert!(HELP.lines().all(|line| line.len() <= 80));
    }

    #[test]
    fn a_number_is_one_only_where_one_belongs() {
        let wrong =
            "rate = 0.5\nkubernetes-version = 1.30\nas-uid = 7\ndefault-not-ready-toleration-seconds = 0x10";
        assert_eq!(
            errors(wrong),
            [
                "3: `as-uid` cannot be an integer",
                "4: `default-not-ready-toleration-seconds` cannot be an integer"
            ]
        );
    }

    #[test]
    fn all_that_is_wrong_is_said_in_the_order_of_the_file() {
        let wrong = "[[skip]]\nreason = 1\n\n[override]\nmatch = 'a'\n";
        assert_eq!(
            errors(wrong),
            [
                "1: a skip has no `plugin`",
                "2: `reason` cannot be an integer",
                "4: `override` cannot be a table"
            ]
        );
    }
}
