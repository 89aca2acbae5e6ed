//! `kadmit replay`

mod logs;
mod text;

use std::io::{BufWriter, Write as _, stdout};
use std::path::Path;
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use jiff::Timestamp;
use serde::Serialize;

use crate::api_server::{self, Choices};
use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::input::{self, NonManifests};
use crate::cli::progress::{self, Progress};
use crate::cli::server_flags::ServerFlags;
use crate::cluster::Cluster;
use crate::code::Code;
use crate::configuration::{Check, Configuration, ConfigurationError, Flags, Variant};
use crate::evaluation::Evaluator;
use crate::plugin;
use crate::replay::{self, Added, Changed, Changes, Counted, Example, Findings, Noted, Selection};
use crate::report::comparison::ComparedBy;
use crate::report::{Diagnostic, Escapes, Fixtures, OnlyWord, Printable, Severity};
use kube_api::server_profile::ServerProfile;

use text::Pieces;

/// Send the requests of audit logs through the chain and compare the answers with the server's
///
/// A log has one event or list of events of audit.k8s.io/v1 per line, as the log backend of kube-apiserver writes it,
/// with the bodies of requests (level Request or above). What exists follows from --cluster and from the server's
/// answers, never from earlier predictions, so that each request is judged for itself. Requests that only read are
/// counted and skipped.
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

    /// Report only these changes: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be
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

    /// Print findings in this format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Format,

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
  kadmit replay --cluster dump.yaml --after-cluster labelled.yaml audit.log";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// One JSON object per line for each judged request, and one with the findings
    Jsonl,
}

/// The findings as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    judged: u64,
    agree: u64,
    reads: u64,
    #[serde(skip_serializing_if = "is_zero")]
    unselected: u64,
    not_judged: Vec<Counted>,
    differences: Vec<Group<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<WrittenChanges<'a>>,
    notes: Vec<Noted>,
}

#[derive(Serialize)]
struct Group<'a> {
    cause: &'a str,
    count: u64,
    example: &'a Example,
}

#[derive(Serialize)]
struct WrittenChanges<'a> {
    compared: u64,
    consequences: u64,
    groups: Vec<Changed<'a>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A server that was set up.
struct Side {
    evaluator: Evaluator,
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
        let Some(mut replay) = self.set_up(&mut console) else { return Exit::Input };
        let mut progress = Progress::new();
        for log in logs::files(&self.logs) {
            let read = log.and_then(|log| log.read(&mut replay, &mut progress));
            progress::clear();
            if let Err(error) = read {
                console.say(&error);
            }
        }
        let (findings, changes) = replay.finish();
        match self.output {
            Format::Text => {
                console.print(&text::of(&Pieces { findings: &findings, changes: changes.as_ref() }));
            }
            Format::Json => {
                let json = serde_json::to_string_pretty(&written(&findings, changes.as_ref()));
                console.write(&format!("{}\n", json.expect("names of fields are texts")), Escapes::Json);
            }
            Format::Jsonl => {
                let json = serde_json::to_string(&written(&findings, changes.as_ref()));
                console.write(&format!("{}\n", json.expect("names of fields are texts")), Escapes::Json);
            }
        }
        let has_newly_denied = changes.is_some_and(|changes| changes.has_newly_denied());
        let exit = match findings.share() {
            Some(share) if share >= self.expect && !has_newly_denied => Exit::Admitted,
            Some(_) => Exit::Denied,
            None => {
                let error = Diagnostic::input(Code::InputEmpty, "nothing was judged");
                console.say(&error.help("bodies of requests are recorded at the levels Request and RequestResponse of an audit policy"));
                Exit::Input
            }
        };
        exit.max(console.exit())
    }

    fn set_up(&self, console: &mut Console) -> Option<replay::Replay> {
        let before = self.side(self.server.read(), &[], console)?;
        let is_changed = !self.after.is_empty() || self.to.is_some() || !self.after_cluster.is_empty();
        let after = if is_changed {
            // What the server has in common with the one before was said.
            Some(self.side(self.changed(), &self.after_cluster, console)?)
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
        let mut replay = replay::Replay::new(before.evaluator, before.is_empty).selecting(selection);
        if let Some(Side { evaluator, profile, is_empty, added }) = after {
            let is_upgrade = profile.release() != old_release;
            let varied = if is_upgrade { ComparedBy::Release } else { ComparedBy::Server };
            let only = self.only.iter().cloned().collect();
            replay = replay.with_change((evaluator, profile), added, (varied, only), is_empty);
        }
        if self.output == Format::Jsonl {
            let mut out = Printable::new(BufWriter::new(stdout()), Escapes::Json);
            replay = replay.recording(Box::new(move |record| {
                let json = serde_json::to_string(record).expect("names of fields are texts");
                // The reader may close the pipe.
                let _ = writeln!(out, "{json}");
            }));
        }
        Some(replay)
    }

    /// Returns the flags of the server after the change.
    fn changed(&self) -> Result<Flags, ConfigurationError> {
        let release = self.to.iter().map(|release| format!("--kubernetes-version={release}"));
        let configs: Vec<String> = self.after.iter().cloned().chain(release).collect();
        let variants: Vec<_> = configs.iter().map(|text| Variant::new(text)).collect::<Result<_, _>>()?;
        self.server.read_varied(&variants)
    }

    /// Returns a server with the objects that exist at first; those of `added` are only read.
    fn side(
        &self,
        flags: Result<Flags, ConfigurationError>,
        added: &[String],
        console: &mut Console,
    ) -> Option<Side> {
        let started = flags.and_then(|flags| {
            let profile = flags.profile()?;
            Ok((flags, Arc::new(profile)))
        });
        let (flags, profile) = keep(started.map_err(|error| Diagnostic::from(&error)), console)?;
        let cluster = Arc::new(Cluster::of(flags.distribution, plugin::looks_up));
        let mut put = |paths: &[String]| {
            let mut items = Vec::new();
            for found in NonManifests::Refused.items(paths, &input::Selection::default()) {
                items.extend(keep(found, console)?);
            }
            api_server::put_definitions_first(&mut items);
            let fixtures = Fixtures::default();
            let put = api_server::put_fixtures(
                items,
                "default",
                &cluster,
                &profile,
                Some(&flags.runtime_config()),
                &fixtures,
                |diagnostic, is_unknown| {
                    let severity = if is_unknown { Severity::Note } else { diagnostic.severity };
                    console.say(&Diagnostic { severity, ..diagnostic });
                },
            );
            Some(put)
        };
        let exists: Vec<String> =
            self.cluster.iter().filter(|path| *path != EMPTY || Path::new(EMPTY).exists()).cloned().collect();
        let is_empty = put(&exists)?.is_empty();
        cluster.record();
        let added = put(added)?;
        cluster.undo();
        let configuration = Configuration::new(&flags, profile.clone(), cluster.clone());
        let configuration = keep(configuration.map_err(|error| Diagnostic::from(&error)), console)?;
        for note in &configuration.notes {
            console.say(&Diagnostic::note(Code::ConfigurationNote, note.as_str()));
        }
        for remark in Check::of(&flags).remarks {
            console.say(&Diagnostic::remark(&remark));
        }
        let evaluator = evaluator(&flags, configuration, cluster);
        Some(Side { evaluator, profile, is_empty, added })
    }
}

fn evaluator(flags: &Flags, configuration: Configuration, cluster: Arc<Cluster>) -> Evaluator {
    // What controllers and kubelets did is in the log.
    let choices = Choices {
        strict: true,
        follows_workloads: Some(false),
        isolate_documents: false,
        rate: None,
        shard: None,
    };
    api_server::evaluator(flags, configuration, cluster, choices)
}

fn keep<T>(result: Result<T, Diagnostic>, console: &mut Console) -> Option<T> {
    result.map_err(|diagnostic| console.say(&diagnostic)).ok()
}

fn written<'a>(findings: &'a Findings, changes: Option<&'a Changes>) -> Written<'a> {
    let differences = findings.differences().into_iter();
    Written {
        judged: findings.judged,
        agree: findings.agree,
        reads: findings.reads,
        unselected: findings.unselected,
        not_judged: findings.not_judged(),
        differences: differences.map(|(cause, count, example)| Group { cause, count, example }).collect(),
        changes: changes.map(|changes| WrittenChanges {
            compared: changes.compared,
            consequences: changes.consequences,
            groups: changes.groups(),
        }),
        notes: findings.notes(),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let share: f64 = text.trim_end_matches('%').parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=100.0).contains(&share) { Ok(share) } else { Err("a share is from 0 to 100".to_owned()) }
}
