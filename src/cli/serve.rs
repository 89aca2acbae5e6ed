//! `kadmit serve`

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use std::{io, iter, thread};

use clap::{Args, ValueEnum, ValueHint};

use crate::admission::UserInfo;
use crate::api_server::{Choices, Setup, Undefined};
use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::input::{NonManifests, Selection};
use crate::cli::output::{self, Format, Outputs, Reports, still_open};
use crate::cli::reporting::Reporting;
use crate::cli::server_flags::ServerFlags;
use crate::cli::session::Session;
use crate::cli::settings;
use crate::cluster::Cluster;
use crate::code::Code;
use crate::evaluation::{Evaluator, Outcome};
use crate::report::Diagnostic;
use crate::report::acceptance::Acceptor;
use crate::serve::{Pods, Server, ServerOptions};
use kube_api::version::Version;
use kube_yaml::write_yaml;

/// Answer requests over HTTPS as kube-apiserver does, without a cluster
///
/// kubectl, Helm, tests and operators use it as an API server in memory: objects are decoded, defaulted, validated,
/// admitted and stored, and controllers act on them; nothing runs. It stops with Ctrl-C, and then reports every request
/// that changed or tried to change something, as `kadmit run` does.
///
/// Exit status: 0 all admitted, 1 some denied or an event of --fail-on, 2 the input or configuration is wrong, or the
/// address is in use, 3 kadmit has a bug.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Serve {
    /// Read objects that exist at first from this file, directory or pattern (may be repeated)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    cluster: Vec<String>,

    /// Listen at this address; port 0 is any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// Allow an address that other machines reach
    #[arg(long)]
    allow_remote: bool,

    /// Write the kubeconfig of an administrator to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    kubeconfig: Option<PathBuf>,

    /// Write the URL to this file when the server answers
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    ready_file: Option<PathBuf>,

    /// Know this user by this bearer token, in these groups (may be repeated)
    #[arg(long, value_name = "NAME=TOKEN[,GROUP]", value_parser = user)]
    user: Vec<(String, UserInfo)>,

    /// Write the objects that exist in the end to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    dump: Option<PathBuf>,

    /// Let Pods on nodes wait for a kubelet when they are deleted, as without controllers
    #[arg(long)]
    strict: bool,

    /// Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with
    /// --strict ignore]
    #[arg(long, value_name = "WHETHER")]
    workloads: Option<Workloads>,

    /// Decide what becomes of Pods, which never run
    #[arg(long, value_name = "WHAT", default_value = "pending")]
    pods: PodsChoice,

    #[command(flatten)]
    reporting: Reporting,

    #[command(flatten)]
    server: ServerFlags,
}

const EXAMPLES: &str = "\
Examples:
  kadmit serve --kubeconfig kadmit.config
  kubectl --kubeconfig kadmit.config apply -f manifests/
  kadmit serve --authorization-mode RBAC --user alice=secret,developers
  kadmit serve --listen 127.0.0.1:6443 --ready-file ready --dump objects.yaml";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Workloads {
    /// Send them through the chain as well
    Follow,
    /// Answer only the requests of clients
    Ignore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PodsChoice {
    /// Leave them pending, as in a cluster without nodes
    Pending,
    /// Let them become ready at once, and those of Jobs succeed
    Ready,
}

impl From<PodsChoice> for Pods {
    fn from(choice: PodsChoice) -> Self {
        match choice {
            PodsChoice::Pending => Self::Pending,
            PodsChoice::Ready => Self::Ready,
        }
    }
}

/// The time in which outcomes are collected: to wake the thread that reports for each one takes the server longer than
/// to answer.
const BETWEEN_REPORTS: Duration = Duration::from_millis(50);

/// What the server tells the thread that reports.
enum Message {
    Outcome(Box<Outcome>),
    Stop,
}

impl Serve {
    /// Serves until it is interrupted, prints the reports, and returns the result.
    pub(super) fn execute(&self, colors: Colors) -> Exit {
        let baseline = self.reporting.read_baseline().and_then(|baseline| Ok((baseline, settings::today()?)));
        let acceptor = match baseline {
            Ok((baseline, today)) => Acceptor::new(Vec::new(), today, baseline),
            Err(errors) => return crate::cli::console::refuse(&errors, colors),
        };
        let mut session = Session::new(colors, false, acceptor).showing_secrets(self.reporting.show_secrets);
        let worked = self.serve(&mut session);
        session.end_errors();
        let exit = self.reporting.exit(&session);
        if worked { exit } else { Exit::Internal }
    }

    /// Serves; returns whether no bug ended it.
    fn serve(&self, session: &mut Session) -> bool {
        let (sender, messages) = mpsc::channel();
        let stop = sender.clone();
        // The first handler of a process stays: that of outputs that are opened would end it without their last lines.
        let handled = ctrlc::set_handler(move || drop(stop.send(Message::Stop)));
        let handled = handled.map_err(|error| cannot("be stopped by a signal", &error));
        let checked = handled.and_then(|()| self.reporting.check()).and_then(|()| self.check_address());
        let outputs = checked.and_then(|()| Outputs::open(&self.reporting.output, Format::Text));
        let Some(outputs) = session.keep(outputs) else { return true };
        let Some((evaluator, release)) = self.set_up(session) else { return true };
        let mut reports = outputs.reports(&self.reporting.context(Some(release), session));
        let plugins = evaluator.plugins();
        let options =
            ServerOptions { address: self.listen, users: self.user.clone(), pods: self.pods.into() };
        let started = Server::run(evaluator, &options, move |outcome| {
            // The other end is closed if the output is.
            let _ = sender.send(Message::Outcome(Box::new(outcome)));
        });
        let Some(server) = session.keep(started.map_err(|error| cannot("start", &error))) else {
            return true;
        };
        if session.keep(self.announce(&server)).is_none() {
            return true;
        }
        let message = format!("listening at {}", server.url());
        session.say(&Diagnostic::note(Code::Serve, message));
        if !self.listen.ip().is_loopback() {
            let message = "this is no cluster: whoever has a token can write its objects";
            session.say(&Diagnostic::warning(Code::Serve, message));
        }
        let written = report(&mut reports, &plugins, &messages, session);
        let objects = server.objects();
        let worked = server.stop();
        let dumped = self.dump.as_deref().map_or(Ok(()), |file| dump(file, &objects));
        session.keep(dumped.map_err(|error| cannot("write the objects", &error)));
        let written = written.and_then(|()| {
            self.reporting.note_masked(session);
            self.reporting.end_baseline(false, session);
            self.reporting.end(reports, session)
        });
        session.keep(still_open(written));
        worked
    }

    /// Refuses an address that other machines reach, unless that is wanted.
    fn check_address(&self) -> Result<(), Diagnostic> {
        if self.listen.ip().is_loopback() || self.allow_remote {
            return Ok(());
        }
        let message = format!("other machines may reach {}", self.listen);
        let error = Diagnostic::input(Code::Serve, message);
        Err(error.help("listen at 127.0.0.1, or add --allow-remote: this is no cluster, and whoever has a token can write its objects"))
    }

    /// Writes where the server is.
    fn announce(&self, server: &Server) -> Result<(), Diagnostic> {
        if let Some(file) = &self.kubeconfig {
            write_private(file, &server.kubeconfig()).map_err(|error| cannot_write(file, &error))?;
        }
        if let Some(file) = &self.ready_file {
            output::replace(file, &format!("{}\n", server.url()))
                .map_err(|error| cannot_write(file, &error))?;
        }
        Ok(())
    }

    /// Returns the server with the objects that exist at first.
    fn set_up(&self, session: &mut Session) -> Option<(Evaluator, Version)> {
        let setup = self.server.read().and_then(Setup::new).map_err(|error| Diagnostic::from(&error));
        let setup = session.keep(setup)?.with_cluster(Cluster::keeping_trees);
        let setup = Setup { fixtures: session.fixtures.clone(), ..setup };
        let mut items = Vec::new();
        for found in NonManifests::Refused.items(&self.cluster, &Selection::default()) {
            items.extend(session.keep(found)?);
        }
        setup.put(items, Undefined::Note, "default", |diagnostic| session.say(&diagnostic));
        if session.summary.errors > 0 {
            return None;
        }
        let choices = Choices {
            strict: self.strict,
            follows_workloads: self.workloads.map(|workloads| workloads == Workloads::Follow),
            ..Choices::default()
        };
        let started = setup.start(choices, |diagnostic| session.say(&diagnostic));
        let evaluator = session.keep(started.map_err(|error| Diagnostic::from(&error)))?;
        Some((evaluator, setup.flags.release()))
    }
}

/// Reports the outcomes until the server is to be stopped.
fn report(
    reports: &mut Reports,
    plugins: &[&'static str],
    messages: &mpsc::Receiver<Message>,
    session: &mut Session,
) -> io::Result<()> {
    reports.begin(plugins)?;
    while let Ok(first) = messages.recv() {
        let mut outcomes = Vec::new();
        let mut is_over = false;
        for message in iter::once(first).chain(messages.try_iter()) {
            match message {
                Message::Outcome(mut outcome) => {
                    session.take(&mut outcome);
                    outcomes.push(*outcome);
                }
                Message::Stop => {
                    is_over = true;
                    break;
                }
            }
        }
        reports.take(outcomes)?;
        if is_over {
            break;
        }
        thread::sleep(BETWEEN_REPORTS);
    }
    Ok(())
}

/// Writes the objects as manifests.
fn dump(file: &Path, objects: &[Arc<kube_api::Object>]) -> io::Result<()> {
    let mut text = String::new();
    for object in objects {
        text.push_str("---\n");
        let mut value = object.value.clone();
        value["apiVersion"] = object.kind.api_version().into();
        value["kind"] = object.kind.kind.to_string().into();
        if write_yaml(&value, &mut text).is_err() {
            // JSON is YAML as well.
            let _ = writeln!(text, "{value}");
        }
    }
    write_private(file, &text)
}

/// Writes a file with secrets, which the user alone can read.
fn write_private(file: &Path, text: &str) -> io::Result<()> {
    let mut options = std::fs::File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    io::Write::write_all(&mut options.open(file)?, text.as_bytes())
}

fn cannot(what: &str, error: &dyn std::error::Error) -> Diagnostic {
    Diagnostic::input(Code::Serve, format!("the server cannot {what}: {error}"))
}

fn cannot_write(file: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::input(Code::Serve, format!("cannot write {}: {error}", file.display()))
}

/// Reads a user: `alice=TOKEN,developers`.
fn user(text: &str) -> Result<(String, UserInfo), String> {
    let (name, rest) = text.split_once('=').ok_or("a token is missing: NAME=TOKEN[,GROUP]")?;
    let mut parts = rest.split(',');
    let token = parts.next().filter(|token| !token.is_empty()).ok_or("the token is empty")?;
    if name.is_empty() {
        return Err("the name is empty".to_owned());
    }
    let groups = parts.filter(|group| !group.is_empty()).map(str::to_owned).collect();
    Ok((token.to_owned(), UserInfo { username: name.to_owned(), groups, ..UserInfo::default() }))
}
