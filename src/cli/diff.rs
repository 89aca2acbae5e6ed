//! `kadmit diff`

use std::io::Write;

use clap::{ArgMatches, Args};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::comparison::{self, Around, Comparing, Format, Planned};
use crate::cli::scenario::Scenario;
use crate::cli::settings::Complete;
use crate::cli::watch::{self, Watched};
use crate::report::Diagnostic;
use crate::report::comparison::{Compared, Varied, write_diff, write_diff_markdown, write_html, write_json};

/// Show what a change of manifests changes in outcomes
///
/// Both states of the manifests, such as two checkouts of a repository, are sent through the same server. Objects are
/// the same if operation, kind, namespace and name are; those that controllers make, if what they are made from is.
/// What the server makes up, such as the end of a generated name, is never a difference.
///
/// What is skipped or in the baseline is shown and no failure. Flags about the cluster, the server and the user are read
/// from kadmit.toml as `kadmit run` reads them, and those of this command from its table `[diff]`.
///
/// Exit status: 0 nothing is newly denied, 1 something is, which an object that was not there before may be as well, 2
/// the input or configuration is wrong or nothing was evaluated, 3 an internal error.
#[derive(Debug, Args)]
pub(super) struct Diff {
    /// Take the manifests as they were from this file, directory or pattern
    #[arg(value_name = "BEFORE")]
    before: String,

    /// Take the manifests as they are from this file, directory or pattern
    #[arg(value_name = "AFTER")]
    after: String,

    /// Do not print line by line how stored objects differ
    #[arg(long = "no-diff")]
    is_brief: bool,

    #[command(flatten)]
    comparing: Comparing,

    #[command(flatten)]
    scenario: Scenario,
}

/// The flags that are complete, and what the settings say besides.
type Settled = Result<(Complete<Diff>, Around), Vec<Diagnostic>>;

impl Diff {
    /// Evaluates both states, prints what is different, and says how it ended. `given` is what these flags were read
    /// from.
    pub(super) fn execute(&self, given: &ArgMatches, colors: Colors) -> Exit {
        let watched = |complete: &Settled| match complete {
            Ok((Complete { flags, file, .. }, _)) => flags.watched(file.as_deref()),
            Err(errors) => Watched::of_errors(errors),
        };
        let carry_out = |complete: Settled| match complete {
            Ok((complete, around)) => complete.flags.compare(&around, colors),
            Err(errors) => comparison::refuse(&errors, colors),
        };
        watch::repeat(self.comparing.watch, || self.complete(given), watched, carry_out)
    }

    fn complete(&self, given: &ArgMatches) -> Settled {
        let mut complete: Complete<Self> = self.comparing.settings.complete("diff", given)?;
        let skips = std::mem::take(&mut complete.skips);
        let around = complete.flags.comparing.around(std::mem::take(&mut complete.overrides), skips)?;
        Ok((complete, around))
    }

    fn watched(&self, file: Option<&str>) -> Watched {
        let mut watched = self.scenario.watched(&[self.before.clone(), self.after.clone()]);
        watched.paths.extend(file.map(str::to_owned));
        self.comparing.watch_also(&mut watched);
        watched
    }

    fn compare(&self, around: &Around, colors: Colors) -> (Exit, bool) {
        let flags = self.scenario.server.read();
        let planned =
            |path: &String| Planned { paths: vec![path.clone()], server: flags.clone(), cluster: Vec::new() };
        let sides = [planned(&self.before), planned(&self.after)];
        let (varied, diff) = (Varied::Manifests, !self.is_brief);
        let write = |format, mut out: &mut dyn Write, compared: &Compared, width| match format {
            Format::Json => write_json(&mut out, compared, diff),
            Format::Markdown => write_diff_markdown(&mut out, compared, diff),
            Format::Html => write_html(&mut out, compared, varied, diff),
            _ => write_diff(&mut out, compared, diff, width),
        };
        comparison::execute(&self.scenario, sides, varied, &self.comparing, around, colors, write)
    }
}
