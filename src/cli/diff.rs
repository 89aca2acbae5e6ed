//! `kadmit diff`

use clap::Args;

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::comparison::{self, Format, Planned};
use crate::cli::console::width;
use crate::cli::scenario::Scenario;
use crate::report::comparison::{Varied, write_diff, write_diff_markdown, write_json};

/// Show what a change of manifests changes in outcomes
///
/// Both states of the manifests, such as two checkouts of a repository, are sent through the same server. Objects are
/// the same if operation, kind, namespace and name are; those that controllers make, if what they are made from is.
/// What the server makes up, such as the end of a generated name, is never a difference.
///
/// A refusal that an annotation of its manifest skips is shown and no failure; settings and baselines are those of
/// `kadmit run` alone.
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

    /// Report in this format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Format,

    /// Do not print line by line how stored objects differ
    #[arg(long = "no-diff")]
    is_brief: bool,

    /// Print what Secrets keep, which is masked otherwise
    #[arg(long)]
    show_secrets: bool,

    #[command(flatten)]
    scenario: Scenario,
}

impl Diff {
    /// Evaluates both states, prints what is different, and says how it ended.
    pub(super) fn execute(self, colors: Colors) -> Exit {
        let flags = self.scenario.server.read();
        let planned =
            |path: &String| Planned { paths: vec![path.clone()], server: flags.clone(), cluster: Vec::new() };
        let sides = [planned(&self.before), planned(&self.after)];
        let diff = !self.is_brief;
        let (varied, secrets) = (Varied::Manifests, self.show_secrets);
        comparison::execute(&self.scenario, sides, varied, secrets, colors, |mut out, compared| {
            match self.output {
                Format::Text => write_diff(&mut out, compared, diff, width()),
                Format::Json => write_json(&mut out, compared, diff),
                Format::Markdown => write_diff_markdown(&mut out, compared, diff),
            }
        })
    }
}
