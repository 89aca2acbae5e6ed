//! `kadmit replay`

mod compared;
mod logs;
mod suite;
mod text;

use std::io::{self, BufWriter, Write as _, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use jiff::Timestamp;

use crate::api_server::{Choices, Setup, Undefined};
use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::{Console, file_width};
use crate::cli::input::{self, NonManifests};
use crate::cli::output::{Output, OutputParser, Outputs, still_open};
use crate::cli::progress::{self, Progress};
use crate::cli::server_flags::ServerFlags;
use crate::cluster::Cluster;
use crate::code::Code;
use crate::configuration::{ConfigurationError, Flags, Variant};
use crate::evaluation::Evaluator;
use crate::replay::{self, Added, Changes, Findings, Keep, Playback, Selection};
use crate::report::comparison::ComparedBy;
use crate::report::{Diagnostic, Escapes, OnlyWord, Printable};
use crate::webhook::Webhooks;
use kube_api::distribution::Distribution;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;

/// Send the requests of audit logs through the chain and compare the answers with the server's
///
/// A log has one event or list of events of audit.k8s.io/v1 per line, as the log backend of kube-apiserver writes it,
/// with the bodies of requests (level Request or above). What exists follows from --cluster and from the server's
/// answers, never from earlier predictions, so that each request is judged for itself. Requests that only read are
/// counted and skipped. The release is the one that the server's own requests in the log show, unless --kubernetes-version
/// chooses another.
///
/// With --after, --to or --after-cluster, another server gets the same requests, and what it newly refuses, warns about,
/// changes or allows is listed by plugin and message, with those who ask. Requests about objects that it refuses are
/// consequences, and counted as such.
///
/// Exit status: 0 all judged requests agree, or at least the share of --expect, and nothing is newly denied, 1 fewer do or
/// something is, 2 the input or configuration is wrong or nothing was judged, 3 kadmit has a bug.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Replay {
    /// Read events from these files, and those of these directories; - is standard input
    ///
    /// Files may be compressed by gzip. Several are read in the order of the times of their first events.
    #[arg(value_name = "LOG", required = true, value_hint = ValueHint::AnyPath)]
    logs: Vec<String>,

    /// Read the objects that existed before the first event from this file, directory or pattern (may be repeated)
    ///
    /// Without any, and with `empty` or /dev/null, nothing exists at first: the log begins with the first request to a new
    /// server.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    cluster: Vec<String>,

    /// Succeed if at least this share of the judged requests agrees
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "100", hide_default_value = true)]
    expect: f64,

    /// Send the requests also to a server configured like this (may be repeated)
    ///
    /// CONFIG is as for kadmit compare: flags in one argument, or a file.
    #[arg(long, value_name = "CONFIG", allow_hyphen_values = true)]
    after: Vec<String>,

    /// Emulate this release after the change: short for --after --kubernetes-version=VERSION
    #[arg(long, value_name = "VERSION")]
    to: Option<String>,

    /// Add the objects in this file, directory or pattern to the cluster after the change (may be repeated)
    ///
    /// A Namespace adds its labels and annotations to the one of the log, from when that exists. A quota counts what
    /// exists at the moment of each request.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    after_cluster: Vec<String>,

    /// Report only these changes, or write only such requests to --suite: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be
    /// repeated)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    only: Vec<OnlyWord>,

    /// Judge only requests that ended at this time or later, such as 2026-01-31T08:00:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<Timestamp>,

    /// Judge only requests that ended at this time or earlier
    #[arg(long, value_name = "TIME")]
    until: Option<Timestamp>,

    /// Judge only requests of this user (may be repeated)
    #[arg(long, value_name = "USER")]
    user: Vec<String>,

    /// Judge only requests in this namespace (may be repeated)
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Vec<String>,

    /// Write requests as suites for kadmit test to this directory, which expect the same answers
    ///
    /// Of requests that are alike, the first is written, at most 50 in all: with another server those that it answers
    /// otherwise, and its answers, or else the server's. --only, --user, --namespace, --since and --until choose among them.
    /// Names are replaced, and the values of Secrets left out; what then has another answer is not written.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    suite: Option<PathBuf>,

    /// Keep these in suites: namespaces, names, users, groups, images, hosts, addresses, labels, annotations, paths,
    /// values, everything, or a text (may be repeated)
    #[arg(long, value_name = "WHAT", value_delimiter = ',', requires = "suite")]
    keep: Vec<String>,

    /// Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]
    ///
    /// A file replaces the last report only when it is complete.
    #[arg(short, long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<Format>::new())]
    output: Vec<Output<Format>>,

    #[command(flatten)]
    server: ServerFlags,
}

/// The cluster without objects, unless there is such a file.
const EMPTY: &str = "empty";

const EXAMPLES: &str = "\
Examples:
  kadmit replay --kube-apiserver server.yaml --cluster dump.yaml audit.log
  kadmit replay --cluster dump.yaml --expect 99.9 -o json /var/log/audit
  kadmit replay --cluster dump.yaml --to 1.36 audit-*.log.gz
  kadmit replay --cluster dump.yaml --after-cluster labelled.yaml audit.log
  kadmit replay --cluster dump.yaml --only denied --suite tests audit.log";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// One JSON object per line for each judged request, and one with the findings, to standard output
    Jsonl,
    /// Comment on a pull request
    Markdown,
    /// One page with totals and differences, to be opened in a browser
    Html,
    /// SARIF 2.1.0, for code scanning: what is newly denied or warned of
    Sarif,
    /// XML of JUnit, a test case for each difference
    #[value(name = "junit")]
    JUnit,
    /// Workflow commands of GitHub Actions: what is newly denied or warned of
    #[value(name = "github")]
    GitHub,
}

impl Format {
    pub(super) fn escapes(self) -> Escapes {
        match self {
            Self::Json | Self::Jsonl | Self::Sarif => Escapes::Json,
            Self::JUnit => Escapes::Xml,
            Self::Text => Escapes::Colored,
            Self::Markdown | Self::Html | Self::GitHub => Escapes::Text,
        }
    }
}

/// A server that was set up.
struct Side {
    evaluator: Evaluator,
    /// What answers in the place of webhooks, unless the flags say otherwise.
    playback: Option<Arc<Playback>>,
    profile: Arc<ServerProfile>,
    /// Whether nothing exists at first.
    is_empty: bool,
    /// The objects that it has in addition to those of the log.
    added: Vec<Added>,
}

impl Replay {
    /// Replays, prints the findings, and returns the result.
    pub(super) fn execute(&self, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        let outputs = match self.open() {
            Ok(outputs) => outputs,
            Err(error) => {
                console.say(&error);
                return Exit::Input;
            }
        };
        let Some((mut replay, profile)) = self.set_up(&mut console) else { return Exit::Input };
        let mut progress = Progress::of("requests judged");
        for document in logs::documents(&self.logs, profile) {
            match document {
                Ok(document) => replay.take_document(document),
                Err(error) => {
                    progress::clear();
                    console.say(&error);
                }
            }
            progress.show(usize::try_from(replay.judged()).unwrap_or(usize::MAX));
        }
        progress::clear();
        let (findings, moments, idle) = replay.finish();
        for idle in &idle {
            console.say(idle);
        }
        if let Err(error) = write(outputs, &findings, self.expect, colors) {
            console.say(&error);
        }
        let exit = exit(&findings, self.expect).unwrap_or_else(|| {
            let error = Diagnostic::input(Code::InputEmpty, "nothing was judged");
            console.say(&error.help(if findings.unselected > 0 {
                "no request that can be judged fits --user, --namespace, --since and --until"
            } else {
                "bodies of requests are recorded at the levels Request and RequestResponse of an audit policy"
            }));
            Exit::Input
        });
        if let Some(directory) = &self.suite {
            match self.arguments() {
                Ok(arguments) => {
                    let kept = Keep::of(&self.keep);
                    let written = suite::write(directory, &moments, (&arguments, kept), colors, &mut console);
                    if self.output.is_empty() || self.prints(Format::Text) {
                        console.print(&written);
                    }
                }
                Err(error) => console.say(&Diagnostic::from(&error)),
            }
        }
        exit.max(console.exit())
    }

    /// Opens the reports, before a log is read for nothing.
    fn open(&self) -> Result<Outputs<Format>, Diagnostic> {
        self.suite.as_deref().map_or(Ok(()), suite::check)?;
        if !self.only.is_empty() && !self.is_changed() && self.suite.is_none() {
            let error = Diagnostic::input(Code::Only, "--only chooses among changes, and nothing is changed");
            return Err(error.help("add --after, --to, --after-cluster or --suite, or leave --only out"));
        }
        if self.output.iter().any(|output| output.format == Format::Jsonl && output.file.is_some()) {
            let message = "jsonl is written to standard output, while the log is read";
            return Err(Diagnostic::input(Code::Output, message).help("use `-o jsonl > FILE`"));
        }
        Outputs::open(&self.output, Format::Text)
    }

    /// Whether requests are sent to another server, too.
    fn is_changed(&self) -> bool {
        !self.after.is_empty() || self.to.is_some() || !self.after_cluster.is_empty()
    }

    fn prints(&self, format: Format) -> bool {
        self.output.iter().any(|output| output.format == format && output.file.is_none())
    }

    /// Returns the flags of the server whose answers suites expect, with their values.
    fn arguments(&self) -> Result<Vec<(String, String)>, ConfigurationError> {
        let given = self.server.arguments();
        let given = given.iter().filter_map(|argument| argument.split_once('='));
        let mut arguments: Vec<(String, String)> =
            given.map(|(flag, value)| (flag.to_owned(), value.to_owned())).collect();
        let logged = Self::of_release(self.server.read(), logs::release(&self.logs))?.kubernetes_version;
        let release = logged.map(|release| ("--kubernetes-version".to_owned(), release.to_string()));
        if !arguments.iter().any(|(flag, _)| flag == "--kubernetes-version") {
            arguments.extend(release);
        }
        for variant in self.variants()? {
            variant.change_arguments(&mut arguments);
        }
        Ok(arguments)
    }

    /// Returns `flags` for the release that the logs show, unless the flags choose one.
    fn of_release(
        flags: Result<Flags, ConfigurationError>,
        logged: Option<Version>,
    ) -> Result<Flags, ConfigurationError> {
        let mut flags = flags?;
        if flags.kubernetes_version.is_none() && flags.distribution == Distribution::Kubernetes {
            flags.kubernetes_version = logged;
        }
        Ok(flags)
    }

    fn set_up(&self, console: &mut Console) -> Option<(replay::Replay, Arc<ServerProfile>)> {
        let logged = logs::release(&self.logs);
        let before = self.side(Self::of_release(self.server.read(), logged), &[], console)?;
        let is_changed = self.is_changed();
        let after = if is_changed {
            // What the server has in common with the one before was said.
            Some(self.side(Self::of_release(self.changed(), logged), &self.after_cluster, console)?)
        } else {
            None
        };
        let old_release = before.profile.release();
        let selection = Selection {
            since: self.since,
            until: self.until,
            users: self.user.clone(),
            namespaces: self.namespace.clone(),
        };
        let mut replay =
            replay::Replay::new(before.evaluator, before.playback, before.is_empty).selecting(selection);
        if let Some(Side { evaluator, playback, profile, is_empty, added }) = after {
            let is_upgrade = profile.release() != old_release;
            let compared_by = if is_upgrade { ComparedBy::Release } else { ComparedBy::Server };
            let only = self.only.iter().cloned().collect();
            replay = replay.with_change((evaluator, playback), profile, added, (compared_by, only), is_empty);
        }
        if self.suite.is_some() {
            // The changes are chosen already.
            let only = if is_changed { Vec::new() } else { self.only.clone() };
            replay = replay.keeping(only.into_iter().collect());
        }
        if self.prints(Format::Jsonl) {
            let mut out = Printable::new(BufWriter::new(stdout()), Escapes::Json);
            replay = replay.recording(Box::new(move |record| {
                let json = serde_json::to_string(record).expect("names of fields are texts");
                // The reader may close the pipe.
                let _ = writeln!(out, "{json}");
            }));
        }
        Some((replay, before.profile))
    }

    /// Returns the flags of the server after the change.
    fn changed(&self) -> Result<Flags, ConfigurationError> {
        self.server.read_varied(&self.variants()?)
    }

    fn variants(&self) -> Result<Vec<Variant>, ConfigurationError> {
        let release = self.to.iter().map(|release| format!("--kubernetes-version={release}"));
        self.after.iter().cloned().chain(release).map(|text| Variant::new(&text)).collect()
    }

    /// Returns a server with the objects that exist at first; those of `added` are only read.
    fn side(
        &self,
        flags: Result<Flags, ConfigurationError>,
        added: &[String],
        console: &mut Console,
    ) -> Option<Side> {
        let setup = flags.and_then(Setup::new).map_err(|error| Diagnostic::from(&error));
        let mut setup = keep(setup, console)?.with_cluster(Cluster::forgetting_names);
        let mut put = |paths: &[String]| {
            let mut items = Vec::new();
            for found in NonManifests::Refused.items(paths, &input::Selection::default()) {
                items.extend(keep(found, console)?);
            }
            Some(setup.put(items, Undefined::Note, "default", |diagnostic| console.say(&diagnostic)))
        };
        let exists: Vec<String> =
            self.cluster.iter().filter(|path| *path != EMPTY || Path::new(EMPTY).exists()).cloned().collect();
        let is_empty = put(&exists)?.is_empty();
        setup.cluster.record();
        let added = put(added)?;
        setup.cluster.undo();
        // What controllers and kubelets did is in the log.
        let choices = Choices { strict: true, follows_workloads: Some(false), ..Choices::default() };
        let playback = (setup.flags.webhooks == Webhooks::Skip).then(Arc::<Playback>::default);
        if let Some(playback) = &playback {
            setup.flags.webhooks = Webhooks::Ask(playback.clone());
        }
        let started = setup.start(choices, |diagnostic| console.say(&diagnostic));
        let evaluator = keep(started.map_err(|error| Diagnostic::from(&error)), console)?;
        Some(Side { evaluator, playback, profile: setup.profile, is_empty, added })
    }
}

/// Writes the findings as all `outputs`.
pub(super) fn write(
    outputs: Outputs<Format>,
    findings: &Findings,
    expected: f64,
    colors: Colors,
) -> Result<(), Diagnostic> {
    let write = |format, out: &mut dyn io::Write, columns: Option<usize>| {
        compared::write(format, out, findings, expected, columns.unwrap_or_else(file_width))
    };
    still_open(outputs.write_whole(colors.everywhere, Format::escapes, write)).map(drop)
}

fn keep<T>(result: Result<T, Diagnostic>, console: &mut Console) -> Option<T> {
    result.map_err(|diagnostic| console.say(&diagnostic)).ok()
}

/// Returns the result if at least `expected` percent of the judged requests are to agree; nothing if none was judged.
pub(super) fn exit(findings: &Findings, expected: f64) -> Option<Exit> {
    let has_newly_denied = findings.changes.as_ref().is_some_and(Changes::has_newly_denied);
    let is_fine = findings.share()? >= expected && !has_newly_denied;
    Some(if is_fine { Exit::Admitted } else { Exit::Denied })
}

fn percent(text: &str) -> Result<f64, String> {
    let share: f64 = text.trim_end_matches('%').parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=100.0).contains(&share) { Ok(share) } else { Err("a share is from 0 to 100".to_owned()) }
}
