//! `kadmit report`

mod quotas;
mod replayed;
mod stored;

use std::io;
use std::str::FromStr;

use clap::{ArgMatches, Args};
use rayon::prelude::*;

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::refuse;
use crate::cli::output::{Format, Outputs, still_open};
use crate::cli::reporting::Reporting;
use crate::cli::session::{CHUNK, Session};
use crate::cli::settings::{self, SettingsFlags};
use crate::report::acceptance::Acceptor;
use crate::report::stored_outcome;
use kube_api::version::Version;

use stored::Stored;

/// Report stored results again, in any format, combining those of several runs
///
/// The results are those of `kadmit run -o jsonl` or `-o json`. They are sorted by the names of the manifests, whatever
/// the order of the files, and a manifest with the same verdict in several runs is reported once. Those of `kadmit replay -o
/// json` or `-o jsonl` for parts of a log, in the order of their times, are joined to those of the whole.
///
/// Exit status: 0 all admitted or skipped or known, 1 some denied or an event of --fail-on, 2 the input of a run was
/// wrong, or the results are, or there are none, 3 kadmit has a bug.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Report {
    /// Read the results in these files, directories (.jsonl below them), patterns, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,

    /// Prefix the names of the manifests in each FILE with its name, without its ending
    ///
    /// For runs on several repositories or clusters, whose manifests have the same names.
    #[arg(long)]
    prefix: bool,

    #[command(flatten)]
    reporting: Reporting,

    #[command(flatten)]
    settings: SettingsFlags,
}

const EXAMPLES: &str = "\
Examples:
  kadmit run -o jsonl=results.jsonl manifests
  kadmit report -o html=report.html results.jsonl
  kadmit report shard-1.jsonl shard-2.jsonl";

impl Report {
    /// Reads, reports, and returns the result. `given` are the arguments of these flags.
    pub(super) fn execute(&self, given: &ArgMatches, colors: Colors) -> Exit {
        match self.settings.complete::<Self>("report", given) {
            Ok(complete) => {
                let Self { files, reporting, .. } = &complete.flags;
                if replayed::are_replayed(files) {
                    return replayed::report(files, &reporting.output, colors);
                }
                complete.flags.carry_out(colors)
            }
            Err(errors) => refuse(&errors, colors),
        }
    }

    fn carry_out(&self, colors: Colors) -> Exit {
        let checked = self.reporting.check().map_err(|error| vec![error]).and_then(|()| {
            let baseline = self.reporting.read_baseline()?;
            Ok(Acceptor::new(Vec::new(), settings::today()?, baseline))
        });
        let acceptor = match checked {
            Ok(acceptor) => acceptor,
            Err(errors) => return refuse(&errors, colors),
        };
        let outputs = match Outputs::open(&self.reporting.output, Format::Text) {
            Ok(outputs) => outputs,
            Err(error) => return refuse(&[error], colors),
        };
        let mut session = Session::new(colors, false, acceptor).showing_secrets(self.reporting.show_secrets);
        if let Err(error) = still_open(self.report(outputs, &mut session)) {
            session.say(&error);
        }
        self.reporting.exit(&session)
    }

    fn report(&self, outputs: Outputs, session: &mut Session) -> io::Result<()> {
        let mut stored = Stored::find(&self.files, self.prefix);
        let mut reports = outputs.reports(&self.reporting.context(release(&stored), session));
        reports.begin(&stored.plugins)?;
        while let Some(groups) = stored.next(CHUNK, session) {
            let fixtures = session.fixtures.clone();
            let outcomes = groups.into_par_iter().filter_map(|group| stored_outcome(group, &fixtures));
            let mut outcomes: Vec<_> = outcomes.collect();
            for outcome in &mut outcomes {
                session.take_stored(outcome);
            }
            reports.take(outcomes)?;
        }
        for diagnostic in &stored.diagnostics {
            session.say(diagnostic);
        }
        if !self.reporting.allow_empty {
            session.refuse_nothing(|| None);
        }
        for idle in reports.filter().idle_words() {
            session.say(&idle);
        }
        self.reporting.end_baseline(false, session);
        self.reporting.note_masked(session);
        session.summary.quotas = std::mem::take(&mut stored.quotas);
        session.summary.add_hooks(std::mem::take(&mut stored.hooks));
        self.reporting.end(reports, session)
    }
}

/// Returns the release of the servers, if all have the same.
fn release(stored: &Stored) -> Option<Version> {
    let mut releases = stored.releases.iter();
    match (releases.next(), releases.next()) {
        (Some(release), None) => Version::from_str(release).ok(),
        _ => None,
    }
}
