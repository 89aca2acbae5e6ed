//! `kadmit replay`

use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufRead, BufReader, stdin};
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use serde::Serialize;

use crate::api_server::{self, Choices};
use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::input::{NonManifests, Selection};
use crate::cli::progress::{self, Progress};
use crate::cli::server_flags::ServerFlags;
use crate::cluster::Cluster;
use crate::code::Code;
use crate::configuration::{Check, Configuration, Flags};
use crate::plugin;
use crate::replay::{self, Counted, Example, Findings, Line, Noted};
use crate::report::{Diagnostic, Escapes, Fixtures, Severity};

/// Send the requests of audit logs through the chain and compare the answers with the server's
///
/// A log has one event or list of events of audit.k8s.io/v1 per line, as the log backend of kube-apiserver writes it,
/// with the bodies of requests (level Request or above). What exists follows from --cluster and from the server's
/// answers, never from earlier predictions, so that each request is judged for itself. Requests that only read are
/// counted and skipped.
///
/// Exit status: 0 all judged requests agree, or at least the share of --expect, 1 fewer do, 2 the input or configuration
/// is wrong or nothing was judged, 3 an internal error.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Replay {
    /// Read events from these files, in this order; - is standard input
    #[arg(value_name = "LOG", required = true, value_hint = ValueHint::FilePath)]
    logs: Vec<String>,

    /// Read the objects that existed before the first event from this file, directory or pattern (may be repeated)
    ///
    /// Without any, nothing exists at first: the log begins with the first request to a new server.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    cluster: Vec<String>,

    /// Succeed if at least this share of the judged requests agrees
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "100", hide_default_value = true)]
    expect: f64,

    /// Print findings in this format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Format,

    #[command(flatten)]
    server: ServerFlags,
}

const EXAMPLES: &str = "\
Examples:
  kadmit replay --kube-apiserver /etc/kubernetes/manifests/kube-apiserver.yaml --cluster dump.yaml audit.log
  zcat audit-*.log.gz | kadmit replay --cluster dump.yaml --expect 99.9 -o json -";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// The findings as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    judged: u64,
    agree: u64,
    reads: u64,
    not_judged: Vec<Counted>,
    differences: Vec<Group<'a>>,
    notes: Vec<Noted>,
}

#[derive(Serialize)]
struct Group<'a> {
    cause: &'a str,
    count: u64,
    example: &'a Example,
}

impl Replay {
    /// Replays, prints the findings, and returns the result.
    pub(super) fn execute(&self, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        let Some(mut replay) = self.set_up(&mut console) else { return Exit::Input };
        let mut progress = Progress::new();
        for log in &self.logs {
            let read = open(log).and_then(|log_text| read(log_text, log, &mut replay, &mut progress));
            progress::clear();
            if let Err(error) = read {
                let message = format!("cannot read {log}: {error}");
                console.say(&Diagnostic::input(Code::InputUnreadable, message));
            }
        }
        let findings = replay.finish();
        match self.output {
            Format::Text => console.print(&text(&findings)),
            Format::Json => {
                let json =
                    serde_json::to_string_pretty(&written(&findings)).expect("names of fields are texts");
                console.write(&format!("{json}\n"), Escapes::Json);
            }
        }
        let exit = match findings.share() {
            Some(share) if share >= self.expect => Exit::Admitted,
            Some(_) => Exit::Denied,
            None => {
                let error = Diagnostic::input(Code::InputEmpty, "nothing was judged");
                console.say(&error.help("bodies of requests are recorded at the levels Request and RequestResponse of an audit policy"));
                Exit::Input
            }
        };
        exit.max(console.exit())
    }

    /// Returns the server with the objects that exist at first.
    fn set_up(&self, console: &mut Console) -> Option<replay::Replay> {
        let started = self.server.read().map_err(|error| Diagnostic::from(&error)).and_then(|flags| {
            let profile = flags.profile().map_err(|error| Diagnostic::from(&error))?;
            Ok((flags, Arc::new(profile)))
        });
        let (flags, profile) = keep(started, console)?;
        let cluster = Arc::new(Cluster::of(flags.distribution, plugin::looks_up));
        let mut items = Vec::new();
        for found in NonManifests::Refused.items(&self.cluster, &Selection::default()) {
            items.extend(keep(found, console)?);
        }
        let is_empty = items.is_empty();
        api_server::put_definitions_first(&mut items);
        let fixtures = Fixtures::default();
        api_server::put_fixtures(
            items,
            "default",
            &cluster,
            &profile,
            &fixtures,
            |diagnostic, is_unknown| {
                let severity = if is_unknown { Severity::Note } else { diagnostic.severity };
                console.say(&Diagnostic { severity, ..diagnostic });
            },
        );
        let configuration = Configuration::new(&flags, profile, cluster.clone());
        let configuration = keep(configuration.map_err(|error| Diagnostic::from(&error)), console)?;
        for note in &configuration.notes {
            console.say(&Diagnostic::note(Code::ConfigurationNote, note.as_str()));
        }
        for remark in Check::of(&flags).remarks {
            console.say(&Diagnostic::remark(&remark));
        }
        Some(replay::Replay::new(evaluator(&flags, configuration, cluster), is_empty))
    }
}

fn evaluator(
    flags: &Flags,
    configuration: Configuration,
    cluster: Arc<Cluster>,
) -> crate::evaluation::Evaluator {
    // What controllers and kubelets did is in the log.
    let choices =
        Choices { strict: true, follows_workloads: Some(false), isolate_documents: false, rate: None };
    api_server::evaluator(flags, configuration, cluster, choices)
}

fn keep<T>(result: Result<T, Diagnostic>, console: &mut Console) -> Option<T> {
    result.map_err(|diagnostic| console.say(&diagnostic)).ok()
}

fn open(log: &str) -> io::Result<Box<dyn BufRead>> {
    if log == "-" {
        return Ok(Box::new(stdin().lock()));
    }
    Ok(Box::new(BufReader::new(File::open(log)?)))
}

fn read(
    mut log: Box<dyn BufRead>,
    name: &str,
    replay: &mut replay::Replay,
    progress: &mut Progress,
) -> io::Result<()> {
    let mut line = Line { file: name.to_owned(), number: 0 };
    let mut text = Vec::new();
    while log.read_until(b'\n', &mut text)? > 0 {
        line.number += 1;
        replay.take_line(&text, &line);
        text.clear();
        progress.show(usize::try_from(replay.judged()).unwrap_or(usize::MAX));
    }
    Ok(())
}

fn written(findings: &Findings) -> Written<'_> {
    let differences = findings.differences().into_iter();
    Written {
        judged: findings.judged,
        agree: findings.agree,
        reads: findings.reads,
        not_judged: findings.not_judged(),
        differences: differences.map(|(cause, count, example)| Group { cause, count, example }).collect(),
        notes: findings.notes(),
    }
}

fn text(findings: &Findings) -> String {
    let mut text = String::new();
    // Writing to memory does not fail.
    let _ = write_text(&mut text, findings);
    text
}

fn write_text(out: &mut String, findings: &Findings) -> std::fmt::Result {
    if let Some(share) = findings.share() {
        // Rounded down: 100 % is all of them.
        let share = (share * 100.0).floor() / 100.0;
        writeln!(out, "{} of {} judged requests agree ({share:.2} %)", findings.agree, findings.judged)?;
    }
    for (cause, count, example) in findings.differences() {
        writeln!(out, "\n{count} × {cause}")?;
        writeln!(out, "  {}:{} {}", example.file, example.line, example.audit_id)?;
        writeln!(out, "  {} by {}", example.request, example.user)?;
        writeln!(out, "  server: {}", example.server.replace('\n', "\n          "))?;
        writeln!(out, "  kadmit: {}", example.kadmit.replace('\n', "\n          "))?;
    }
    let left_out = findings.not_judged();
    if !left_out.is_empty() {
        writeln!(out, "\nnot judged:")?;
        for Counted { cause, count } in left_out {
            writeln!(out, "  {count} × {cause}")?;
        }
    }
    if findings.reads > 0 {
        writeln!(out, "\n{} requests that only read were skipped", findings.reads)?;
    }
    for Noted { cause, count, file, line } in findings.notes() {
        writeln!(out, "\nnote: {cause}: {count} ×, first at {file}:{line}")?;
    }
    Ok(())
}

fn percent(text: &str) -> Result<f64, String> {
    let share: f64 = text.trim_end_matches('%').parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=100.0).contains(&share) { Ok(share) } else { Err("a share is from 0 to 100".to_owned()) }
}
