//! `kadmit compare`

use clap::{ArgGroup, Args, ValueHint};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::comparison::{self, Format, Planned};
use crate::cli::console::width;
use crate::cli::scenario::Scenario;
use crate::configuration::{ConfigurationError, Flags, Variant};
use crate::report::comparison::{Varied, write_audit, write_audit_markdown, write_json};

/// Show what a change of the server changes in outcomes, before it is made
///
/// The same manifests are sent through two servers. Both have the flags of kube-apiserver that are given here, and
/// --before and --after say how each differs. Objects of a dump (kubectl get -o yaml) are sent as if they were created
/// anew. CONFIG is flags in one argument, which win over what both servers have, or
/// a file: an AdmissionConfiguration, or what starts the server, as --kube-apiserver takes it.
///
/// A refusal that an annotation of its manifest skips is shown and no failure; settings and baselines are those of
/// `kadmit run` alone.
///
/// Exit status: 0 nothing is newly denied, 1 something is, 2 the input or configuration is wrong or nothing was
/// evaluated, 3 an internal error.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group = ArgGroup::new("change").args(["before", "after", "after_cluster", "to"]).required(true).multiple(true))]
pub(super) struct Compare {
    /// Evaluate these files, directories (.yaml, .yml and .json below them), patterns, or - for standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,

    /// Let the server be like this before the change (may be repeated)
    #[arg(long, value_name = "CONFIG", allow_hyphen_values = true)]
    before: Vec<String>,

    /// Let the server be like this after the change (may be repeated)
    #[arg(long, value_name = "CONFIG", allow_hyphen_values = true)]
    after: Vec<String>,

    /// Let the server be of this release after the change: short for --after --kubernetes-version=VERSION
    #[arg(long, value_name = "VERSION")]
    to: Option<String>,
    /// Let the objects in this file, directory or pattern exist after the change; they add to those of --cluster, or
    /// take their place (may be repeated)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    after_cluster: Vec<String>,

    /// Report in this format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Format,

    /// Print at most this many examples of what happens in a namespace
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    examples: usize,

    /// Print what Secrets keep, which is masked otherwise
    #[arg(long)]
    show_secrets: bool,

    #[command(flatten)]
    scenario: Scenario,
}

const EXAMPLES: &str = "\
Examples:
  kadmit compare --after --enable-admission-plugins=AlwaysPullImages manifests
  kadmit compare --kube-apiserver server.yaml --after admission.yaml manifests
  kadmit compare --before old/server.yaml --after new/server.yaml manifests
  kadmit compare --kubernetes-version=1.30 --to 1.36 manifests";

impl Compare {
    /// Evaluates on both servers, prints what is different, and says how it ended.
    pub(super) fn execute(mut self, colors: Colors) -> Exit {
        self.after.extend(self.to.take().map(|release| format!("--kubernetes-version={release}")));
        let planned = |configs: &[String], cluster: &[String]| Planned {
            paths: self.paths.clone(),
            server: self.server(configs),
            cluster: cluster.to_vec(),
        };
        let sides = [planned(&self.before, &[]), planned(&self.after, &self.after_cluster)];
        // Of what exists it is asked whether it could be created anew.
        let recreate = self.scenario.recreate || Scenario::is_dump(&self.paths);
        let mut scenario = self.scenario.clone();
        scenario.recreate = recreate;
        let secrets = self.show_secrets;
        comparison::execute(&scenario, sides, Varied::Server, secrets, colors, |mut out, compared| match self
            .output
        {
            Format::Text => write_audit(&mut out, compared, self.examples, width()),
            Format::Json => write_json(&mut out, compared, false),
            Format::Markdown => write_audit_markdown(&mut out, compared, self.examples),
        })
    }

    fn server(&self, configs: &[String]) -> Result<Flags, ConfigurationError> {
        let variants: Vec<_> = configs.iter().map(|text| Variant::new(text)).collect::<Result<_, _>>()?;
        self.scenario.server.read_varied(&variants)
    }
}
