//! `kadmit compare`

use std::io::Write;

use clap::{ArgGroup, ArgMatches, Args, ValueHint};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::comparison::{self, Around, Comparing, Format, Planned};
use crate::cli::input::Named;
use crate::cli::scenario::Scenario;
use crate::cli::settings::Complete;
use crate::cli::watch::{self, Watched};
use crate::configuration::{ConfigurationError, Flags, Variant};
use crate::report::Diagnostic;
use crate::report::comparison::{
    Compared, Varied, write_audit, write_audit_markdown, write_html, write_json,
};

/// Show what a change of the server changes in outcomes, before it is made
///
/// The same manifests are sent through two servers. Both have the flags of kube-apiserver that are given here, and
/// --before and --after say how each differs. Objects of a dump (kubectl get -o yaml) are sent as if they were created
/// anew. CONFIG is flags in one argument, which win over what both servers have, or
/// a file: an AdmissionConfiguration, or what starts the server, as --kube-apiserver takes it.
///
/// What is skipped or in the baseline is shown and no failure. Flags about the cluster, the server and the user are read
/// from kadmit.toml as `kadmit run` reads them, and those of this command from its table `[compare]`.
///
/// Exit status: 0 nothing is newly denied, 1 something is, 2 the input or configuration is wrong or nothing was
/// evaluated, 3 an internal error.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group = ArgGroup::new("change").args(["before", "after", "after_cluster", "to"]).required(true).multiple(true))]
pub(super) struct Compare {
    #[command(flatten)]
    named: Named,

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
    ///
    /// The workloads that only exist among the objects of --cluster are evaluated too; PATH is then optional.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    after_cluster: Vec<String>,

    #[command(flatten)]
    comparing: Comparing,

    /// Print at most this many examples of what happens in a namespace
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    examples: usize,

    #[command(flatten)]
    scenario: Scenario,
}

const EXAMPLES: &str = "\
Examples:
  kadmit compare --after --enable-admission-plugins=AlwaysPullImages manifests
  kadmit compare --kube-apiserver server.yaml --after admission.yaml manifests
  kadmit compare --before old/server.yaml --after new/server.yaml manifests
  kadmit compare --kubernetes-version=1.30 --to 1.36 manifests";

/// The flags that are complete, and what the settings say besides.
type Settled = Result<(Complete<Compare>, Around), Vec<Diagnostic>>;

impl Compare {
    /// Evaluates on both servers, prints what is different, and says how it ended. `given` is what these flags were read
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
        let mut complete: Complete<Self> = self.comparing.settings.complete("compare", given)?;
        let Self { named, scenario, after, after_cluster, to, .. } = &mut complete.flags;
        // Then the workloads that exist are evaluated.
        if after_cluster.is_empty() || !named.is_empty() {
            named.settle(scenario).map_err(|error| vec![error])?;
        }
        after.extend(to.take().map(|release| format!("--kubernetes-version={release}")));
        let skips = std::mem::take(&mut complete.skips);
        let around = complete.flags.comparing.around(std::mem::take(&mut complete.overrides), skips)?;
        Ok((complete, around))
    }

    fn watched(&self, file: Option<&str>) -> Watched {
        let mut watched = self.scenario.watched(&self.named.paths);
        watched.paths.extend(file.map(str::to_owned));
        watched.paths.extend_from_slice(&self.after_cluster);
        self.comparing.watch_also(&mut watched);
        watched
    }

    fn compare(&self, around: &Around, colors: Colors) -> (Exit, bool) {
        let planned = |configs: &[String], cluster: &[String]| Planned {
            paths: self.named.paths.clone(),
            server: self.server(configs),
            cluster: cluster.to_vec(),
        };
        let sides = [planned(&self.before, &[]), planned(&self.after, &self.after_cluster)];
        // Of what exists it is asked whether it could be created anew.
        let recreate = self.scenario.recreate || self.scenario.is_dump(&self.named.paths);
        let mut scenario = self.scenario.clone();
        scenario.recreate = recreate;
        let write = |format, mut out: &mut dyn Write, compared: &Compared, width| match format {
            Format::Json => write_json(&mut out, compared, false),
            Format::Markdown => write_audit_markdown(&mut out, compared, self.examples),
            Format::Html => write_html(&mut out, compared, Varied::Server, true),
            _ => write_audit(&mut out, compared, self.examples, width),
        };
        comparison::execute(&scenario, sides, Varied::Server, &self.comparing, around, colors, write)
    }

    fn server(&self, configs: &[String]) -> Result<Flags, ConfigurationError> {
        let variants: Vec<_> = configs.iter().map(|text| Variant::new(text)).collect::<Result<_, _>>()?;
        self.scenario.server.read_varied(&variants)
    }
}
