//! `kadmit diff`

use std::io::Write;

use clap::{ArgMatches, Args, ValueHint};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::comparison::{self, Around, Comparing, Format, Plan, Planned};
use crate::cli::scenario::Scenario;
use crate::cli::settings::Complete;
use crate::cli::watch::{self, Watched};
use crate::report::Diagnostic;
use crate::report::comparison::{
    Compared, ComparedBy, write_diff, write_diff_markdown, write_html, write_json,
};

/// Compare the outcomes of two versions of your manifests
///
/// Both states of the manifests, such as two checkouts of a repository, are sent through the same server. Objects are
/// the same if operation, kind, namespace and name are; objects of controllers, if their owners and templates are.
/// Generated values, such as the end of a generated name, are never a difference.
///
/// Skipped requests and those in the baseline are shown, but do not fail. Flags about the cluster, the server and the
/// user are read from kadmit.toml as `kadmit run` reads them, and those of this command from its table `[diff]`.
///
/// Exit status: 0 nothing is newly denied, 1 something is, new objects included, 2 the input or configuration is wrong
/// or nothing was evaluated, 3 kadmit has a bug.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Diff {
    /// Read the manifests before the change from this file, directory or pattern
    #[arg(value_name = "BEFORE")]
    before: String,

    /// Read the manifests after the change from this file, directory or pattern
    #[arg(value_name = "AFTER")]
    after: String,

    /// Add the objects in this file, directory or pattern to the cluster after the change, in addition to those of
    /// --cluster or replacing them (may be repeated)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    after_cluster: Vec<String>,

    /// Do not print the differences of stored objects line by line
    #[arg(long = "no-diff")]
    is_brief: bool,

    #[command(flatten)]
    comparing: Comparing,

    #[command(flatten)]
    scenario: Scenario,
}

const EXAMPLES: &str = "\
Examples:
  git worktree add ../before origin/main
  kadmit diff --cluster cluster ../before/manifests manifests
  kadmit diff -o markdown=comment.md before after";

impl Diff {
    /// Evaluates both states, prints the differences, and returns the result. `given` are the arguments of these flags.
    pub(super) fn execute(&self, given: &ArgMatches, colors: Colors) -> Exit {
        let watched =
            |(complete, _): &(Complete<Self>, Around)| complete.flags.watched(complete.file.as_deref());
        let compare = |(complete, around): (Complete<Self>, Around)| complete.flags.compare(&around, colors);
        watch::repeat(self.comparing.watch, colors, || self.complete(given), watched, compare)
    }

    fn complete(&self, given: &ArgMatches) -> Result<(Complete<Self>, Around), Vec<Diagnostic>> {
        let mut complete: Complete<Self> = self.comparing.settings.complete("diff", given)?;
        let around = Comparing::around(&mut complete, |flags| &flags.comparing)?;
        Ok((complete, around))
    }

    fn watched(&self, file: Option<&str>) -> Watched {
        let mut watched = self.scenario.watched(&[self.before.clone(), self.after.clone()]);
        watched.paths.extend(file.map(str::to_owned));
        watched.paths.extend_from_slice(&self.after_cluster);
        self.comparing.watch_also(&mut watched);
        watched
    }

    fn compare(&self, around: &Around, colors: Colors) -> (Exit, bool) {
        let flags = self.scenario.server.read();
        let planned = |path: &String, cluster: &[String]| Planned {
            paths: vec![path.clone()],
            server: flags.clone(),
            cluster: cluster.to_vec(),
        };
        let (compared_by, diff) = (ComparedBy::Manifests, !self.is_brief);
        let (before, after) = (planned(&self.before, &[]), planned(&self.after, &self.after_cluster));
        let plan = Plan { scenario: &self.scenario, before, after, compared_by };
        let write = |format, mut out: &mut dyn Write, compared: &Compared, width| match format {
            Format::Json => write_json(&mut out, compared, diff),
            Format::Markdown => write_diff_markdown(&mut out, compared, diff),
            Format::Html => write_html(&mut out, compared, compared_by, diff),
            _ => write_diff(&mut out, compared, diff, width),
        };
        comparison::execute(&plan, &self.comparing, around, colors, write)
    }
}
