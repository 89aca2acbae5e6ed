//! `kadmit.toml`: defaults for flags, overrides for some files, and skips.
//!
//! A key is the long name of a flag, so that no flag can be forgotten, and its value is read by the parser of that
//! flag. Keys about the cluster, the server and the user apply to every subcommand that evaluates manifests; all others
//! apply to `kadmit run`, and those of other subcommands are in tables of their own.

mod flags;
mod table;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{ArgMatches, Args, Command, CommandFactory};
use toml::de::DeTable;

use crate::cli::Cli;
use crate::cli::client_flags::ClientOverride;
use crate::cli::console::Console;
use crate::cli::input::Selection;
use crate::cli::overrides::{Override, Overrides};
use crate::cli::scenario::Scenario;
use crate::code::Code;
use crate::report::Diagnostic;
use crate::report::acceptance::{Date, FilePatterns, Skip, day_of_unix_time, is_reason, rule_named};
use gotext::source::SourceFile;
use kube_yaml::files;

use flags::Flags;
use table::{Entry, Table, Text};

/// The name of the file.
pub(super) const NAME: &str = "kadmit.toml";

/// The text of `kadmit help settings`.
pub const HELP: &str = include_str!("settings/help.txt");

/// The subcommands that have a table of their own in the file.
const TABLES: [&str; 4] = ["diff", "compare", "test", "report"];

/// The subcommand whose flags are outside all tables.
const RUN: &str = "run";

/// The flags about settings themselves.
#[derive(Clone, Debug, Args)]
pub(super) struct SettingsFlags {
    /// Read the defaults of flags from this file [default: the nearest kadmit.toml]
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,

    /// Do not read a settings file
    #[arg(long, conflicts_with = "settings")]
    no_settings: bool,
}

/// The given flags, completed from a file.
pub(super) struct Complete<A> {
    pub(super) flags: A,
    pub(super) overrides: Overrides,
    pub(super) skips: Vec<Skip>,
    /// The file, if there is one.
    pub(super) file: Option<String>,
    /// Whether the file names something to evaluate, and the command line others.
    pub(super) is_partial: bool,
}

impl SettingsFlags {
    /// Returns the flags that name `file`, or no file.
    pub(super) fn of_file(file: Option<PathBuf>) -> Self {
        Self { no_settings: file.is_none(), settings: file }
    }

    /// Completes the flags of a subcommand without a report as [`complete`](Self::complete) does, and prints the file
    /// that they are from, or the errors in it.
    pub(super) fn completed<A: Args>(
        &self,
        name: &'static str,
        given: &ArgMatches,
        console: &mut Console,
    ) -> Option<A> {
        match self.complete::<A>(name, given) {
            Ok(Complete { flags, file, .. }) => {
                if let Some(file) = file {
                    let message = format!("the settings are those of {file}");
                    console.say(&Diagnostic::note(Code::SettingsFile, message));
                }
                Some(flags)
            }
            Err(errors) => {
                for error in &errors {
                    console.say(error);
                }
                None
            }
        }
    }

    /// Completes the flags of the subcommand `name` that are `given` from the file, if there is one.
    pub(super) fn complete<A: Args>(
        &self,
        name: &'static str,
        given: &ArgMatches,
    ) -> Result<Complete<A>, Vec<Diagnostic>> {
        let mut flags = Flags::new(A::augment_args(Command::new(name)), given);
        let working_directory = env::current_dir().map_err(|error| {
            let message = format!("there is no working directory: {error}");
            vec![Diagnostic::input(Code::Settings, message)]
        })?;
        let file = match &self.settings {
            Some(file) => Some(file.clone()),
            None if self.no_settings => None,
            None => find(&working_directory),
        };
        let is_named = self.settings.is_some();
        let mut found = Found::default();
        if let Some(file) = &file {
            let source = files::read_file(file).map_err(|error| vec![Diagnostic::from(&error)])?;
            let directory = file.parent().unwrap_or(Path::new(""));
            let place = Place { directory, working_directory: &working_directory, is_named };
            read(&source, name, place, &mut flags, &mut found)?;
        }
        let is_partial = flags.is_partial();
        let file = file.as_ref().map(|file| file.display().to_string());
        let flags = flags.parse(file.as_deref()).map_err(|error| vec![error])?;
        Ok(Complete { flags, overrides: Overrides(found.overrides), skips: found.skips, file, is_partial })
    }
}

/// The settings of a file that are not flags.
#[derive(Default)]
struct Found {
    overrides: Vec<Override>,
    skips: Vec<Skip>,
}

/// Where a file is, and how it was found.
#[derive(Clone, Copy)]
struct Place<'a> {
    directory: &'a Path,
    working_directory: &'a Path,
    /// Whether the user named the file, and so trusts it.
    is_named: bool,
}

/// Reads the file at `place` for the subcommand `name`.
fn read(
    source: &Arc<SourceFile>,
    name: &'static str,
    place: Place<'_>,
    flags: &mut Flags<'_>,
    found: &mut Found,
) -> Result<(), Vec<Diagnostic>> {
    let Place { directory, working_directory, is_named } = place;
    let mut text = Text::new(source.clone());
    let root = DeTable::parse(source.text());
    if let Some(root) = text.root(&root) {
        let nothing = ArgMatches::default();
        let run = Flags::new(subcommand(RUN), &nothing);
        let mut reader = Reader { name, flags, run, directory, working_directory, is_named };
        reader.read(&root, &mut text, found);
    }
    text.into_result()
}

/// Returns the definition of the subcommand `name`.
fn subcommand(name: &str) -> Command {
    let program = Cli::command();
    program.find_subcommand(name).expect("the tables are those of subcommands").clone()
}

/// Whether a key outside all tables applies to the subcommand `name`.
fn is_for(name: &str, key: &str) -> bool {
    let has = |command: Command| command.get_arguments().any(|arg| arg.get_long() == Some(key));
    match name {
        RUN => true,
        // These have paths of one kind of documents, as `kadmit run` has.
        "compare" | "fix" | "fixtures" | "levels" | "require" if key == "paths" => true,
        // A suite configures its server itself.
        "test" => has(Selection::augment_args(Command::new(""))),
        _ => has(Scenario::augment_args(Command::new(""))),
    }
}

/// Returns the nearest settings file for those in `directory`, relative to it.
fn find(directory: &Path) -> Option<PathBuf> {
    let mut path: PathBuf = std::iter::repeat_n("..", depth_of_file(directory)?).collect();
    path.push(NAME);
    Some(path)
}

/// Returns the nearest settings file for the file at `path`.
pub(super) fn find_above(path: &Path) -> Option<PathBuf> {
    let directory = path.parent()?;
    Some(directory.ancestors().nth(depth_of_file(directory)?)?.join(NAME))
}

/// Returns how far above `directory` the nearest settings file is, up to the root of the repository.
fn depth_of_file(directory: &Path) -> Option<usize> {
    let has_any = |directory: &&Path| directory.join(NAME).is_file() || directory.join(".git").exists();
    let (depth, nearest) = directory.ancestors().enumerate().find(|(_, directory)| has_any(directory))?;
    nearest.join(NAME).is_file().then_some(depth)
}

/// Returns the day of the run: that of `SOURCE_DATE_EPOCH`, so that a run can be repeated, or else of the clock.
pub(super) fn today() -> Result<Date, Vec<Diagnostic>> {
    const VARIABLE: &str = "SOURCE_DATE_EPOCH";
    let Some(text) = env::var_os(VARIABLE) else {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        return Ok(day_of_unix_time(now.map(|now| now.as_secs()).unwrap_or_default()));
    };
    let seconds = text.to_str().and_then(|text| text.parse().ok()).filter(|seconds| *seconds <= LAST_SECOND);
    seconds.map(day_of_unix_time).ok_or_else(|| {
        let message = format!("{VARIABLE} cannot be `{}`", text.to_string_lossy());
        let help = "it is a number of seconds since the beginning of 1970";
        vec![Diagnostic::input(Code::Settings, message).help(help)]
    })
}

/// The end of the year 9999, the last that TOML supports.
const LAST_SECOND: u64 = 253_402_300_799;

/// Reads the tables of a file.
struct Reader<'a, 'given> {
    /// The subcommand whose flags are completed.
    name: &'static str,
    flags: &'a mut Flags<'given>,
    /// The flags of `kadmit run`, which parse the keys outside all tables.
    run: Flags<'a>,
    /// The directory of the file.
    directory: &'a Path,
    working_directory: &'a Path,
    is_named: bool,
}

impl Reader<'_, '_> {
    fn read(&mut self, root: &Table<'_>, text: &mut Text, found: &mut Found) {
        // The subcommand's own table takes precedence.
        let own = |entry: &&Entry<'_>| entry.key == self.name && TABLES.contains(&entry.key);
        if let Some(entry) = root.entries.iter().find(own) {
            self.read_own(entry, text);
        }
        for entry in &root.entries {
            match entry.key {
                "override" => {
                    for table in text.tables(entry) {
                        found.overrides.extend(self.read_override(&table, text, &mut found.skips));
                    }
                }
                "skip" => {
                    for table in text.tables(entry) {
                        found.skips.extend(self.read_skip(&table, &[], text));
                    }
                }
                key if key == self.name && TABLES.contains(&key) => {}
                key if TABLES.contains(&key) => self.check_other(entry, text),
                key if self.run.keys().any(|known| known == key) => {
                    let words = self.run.words(entry, self.directory, text);
                    if let Some(words) = words.filter(|_| is_for(self.name, key)) {
                        self.refuse_untrusted(entry, &words, text);
                        self.flags.add(key, words);
                    }
                }
                _ => {
                    let known = self.run.keys().chain(["override", "skip"]).chain(TABLES);
                    text.refuse_key(entry, known, "`kadmit run --help` lists the flags");
                }
            }
        }
    }

    /// Reads the table of the subcommand itself.
    fn read_own(&mut self, entry: &Entry<'_>, text: &mut Text) {
        let Some(table) = text.table(entry) else { return };
        for entry in &table.entries {
            if !self.flags.keys().any(|known| known == entry.key) {
                let help = format!("`kadmit {} --help` lists the flags", self.name);
                text.refuse_key(entry, self.flags.keys(), &help);
            } else if let Some(words) = self.flags.words(entry, self.directory, text) {
                self.refuse_untrusted(entry, &words, text);
                self.flags.add(entry.key, words);
            }
        }
    }

    /// Refuses what a file that was only found must not do: it is input, as the manifests next to it, and may be someone
    /// else's.
    fn refuse_untrusted(&self, entry: &Entry<'_>, words: &[String], text: &mut Text) {
        if self.is_named || self.flags.is_given(entry.key) {
            return;
        }
        if let Some(what) = words.iter().find_map(|word| self.untrusted(word)) {
            let message = format!("this file was found and not named, so it cannot {what}");
            let help =
                format!("if you trust it, name it: --settings {}", self.directory.join(NAME).display());
            text.refuse(entry.key_span, message, help);
        }
    }

    /// Returns what the flag `word` does beyond reading and reporting.
    fn untrusted(&self, word: &str) -> Option<&'static str> {
        let (flag, value) = word.split_once('=').unwrap_or((word, ""));
        match flag.strip_prefix("--")? {
            "show-secrets" => Some("print the values of Secrets"),
            "webhooks" if value == "call" => Some("connect to webhooks"),
            "webhook-service" | "admission-controllers" | "admission-controller-service" => {
                Some("connect to webhooks")
            }
            "record" => Some("record the answers of webhooks"),
            "output" | "coverage" | "cost" => {
                let (_, file) = value.split_once('=')?;
                self.is_outside(Path::new(file)).then_some("write a file outside of its directory")
            }
            _ => None,
        }
    }

    /// Whether `file`, relative to the working directory, is not below the directory of the settings.
    fn is_outside(&self, file: &Path) -> bool {
        let root = self.working_directory.join(self.directory).canonicalize();
        let file = self.working_directory.join(file);
        let target = match file.canonicalize() {
            Ok(target) => Ok(target),
            // It does not exist yet; its directory does.
            Err(_) => file.parent().unwrap_or(&file).canonicalize(),
        };
        !matches!((root, target), (Ok(root), Ok(target)) if target.starts_with(&root))
    }

    /// Reads the table of another subcommand, so that every run reports the errors in it.
    fn check_other(&self, entry: &Entry<'_>, text: &mut Text) {
        let Some(table) = text.table(entry) else { return };
        let nothing = ArgMatches::default();
        let flags = Flags::new(subcommand(entry.key), &nothing);
        for other in &table.entries {
            if flags.keys().any(|known| known == other.key) {
                flags.words(other, self.directory, text);
            } else {
                let help = format!("`kadmit {} --help` lists the flags", entry.key);
                text.refuse_key(other, flags.keys(), &help);
            }
        }
    }

    /// Reads `[[override]]`; its skips are added to `skips`.
    fn read_override(&self, table: &Table<'_>, text: &mut Text, skips: &mut Vec<Skip>) -> Option<Override> {
        const OWN: [&str; 3] = ["match", "exclude", "skip"];
        let mut words = Vec::new();
        for entry in table.entries.iter().filter(|entry| !OWN.contains(&entry.key)) {
            if ClientOverride::FLAGS.contains(&entry.key) {
                let read = self.run.words(entry, self.directory, text);
                words.extend(read.into_iter().flatten().filter(|_| !self.flags.is_given(entry.key)));
            } else {
                let known = OWN.into_iter().chain(ClientOverride::FLAGS);
                text.refuse_key(entry, known, "an override has `match` and settings for these files");
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
        let client = ClientOverride::of(&self.run.matches(&words).ok()?);
        let place = (text.source().clone(), table.get("match").map_or(table.span, |entry| entry.key_span));
        Some(Override { files, client, exclude, place })
    }

    /// Reads `[[skip]]`, for the files that match `files`.
    fn read_skip(&self, table: &Table<'_>, files: &[FilePatterns], text: &mut Text) -> Option<Skip> {
        const KEYS: [&str; 8] =
            ["plugin", "paths", "kind", "namespace", "name", "message", "reason", "expires"];
        for entry in table.entries.iter().filter(|entry| !KEYS.contains(&entry.key)) {
            text.refuse_key(entry, KEYS, "a skip has `plugin`, `reason` and filters");
        }
        let rule = text.required(table, "plugin", "a skip").and_then(|(name, span)| match rule_named(name) {
            Ok(rule) => Some(rule),
            Err(unknown) => {
                text.refuse(span, format!("there is no plugin \"{name}\""), unknown.help);
                None
            }
        });
        let reason = text.required(table, "reason", "a skip").filter(|(reason, span)| {
            let is_reason = is_reason(reason);
            if !is_reason {
                text.refuse(*span, format!("\"{reason}\" is no reason"), "say why it is accepted".to_owned());
            }
            is_reason
        });
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

    /// Returns the patterns of `key`.
    fn files(&self, table: &Table<'_>, key: &str, text: &mut Text) -> Option<FilePatterns> {
        let patterns = text.patterns(table, key)?;
        Some(FilePatterns::new(patterns, self.directory, self.working_directory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run::Run;

    /// Returns the errors in `text`, one per line.
    fn errors(text: &str) -> Vec<String> {
        let command = Run::augment_args(Command::new("kadmit run"));
        let given = command.clone().get_matches_from(["kadmit run"]);
        let source = SourceFile::new("kadmit.toml", text);
        let mut flags = Flags::new(command, &given);
        let mut found = Found::default();
        let place = Place { directory: Path::new(""), working_directory: Path::new("/"), is_named: true };
        let result = read(&source, RUN, place, &mut flags, &mut found);
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
        assert_eq!(errors(&example.replace("exclude", "include")), ["15: there is no setting `include`"]);
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
    fn a_table_has_the_flags_of_its_subcommand() {
        assert_eq!(
            errors("[diff]\noutput = ['html=diff.html']\n[compare]\nexamples = '9'"),
            Vec::<String>::new()
        );
        assert_eq!(
            errors(
                "[diff]\nexamples = '9'\noutput = 'tap'\n[test]\npaths = 'suites'\nstrict = true\nfilterr = ''"
            ),
            [
                "2: there is no setting `examples`",
                "3: `output` cannot be \"tap\"",
                "7: there is no setting `filterr`"
            ]
        );
    }

    #[test]
    fn errors_are_in_the_order_of_the_file() {
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
