//! `kadmit compare`

use std::io::Write;

use clap::{ArgGroup, ArgMatches, Args, Command, ValueHint};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::comparison::{self, Around, Comparing, Format, Plan, Planned};
use crate::cli::input::Named;
use crate::cli::scenario::Scenario;
use crate::cli::settings::Complete;
use crate::cli::watch::{self, Watched};
use crate::configuration::{ConfigurationError, Flags, Variant};
use crate::report::Diagnostic;
use crate::report::comparison::{
    Compared, ComparedBy, write_audit, write_audit_markdown, write_html, write_json,
};

/// Preview a change of the server: plugins, configuration, release
///
/// The same manifests are sent through two servers. Both have the given flags of kube-apiserver, and --before and
/// --after set the differences of each. Objects of a dump (kubectl get -o yaml) are sent as if they were created anew.
/// CONFIG is flags in one argument, which override those of both servers, or a file: an AdmissionConfiguration, or a
/// file that starts the server, as for --kube-apiserver.
///
/// Skipped requests and those in the baseline are shown, but do not fail. Flags about the cluster, the server and the
/// user are read from kadmit.toml as `kadmit run` reads them, and those of this command from its table `[compare]`.
///
/// Exit status: 0 nothing is newly denied, 1 something is, 2 the input or configuration is wrong or nothing was
/// evaluated, 3 kadmit has a bug.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
#[command(group = ArgGroup::new("change").args(["before", "after", "after_cluster", "to"]).required(true).multiple(true))]
pub(super) struct Compare {
    #[command(flatten)]
    named: Named,

    /// Configure the server like this before the change (may be repeated)
    #[arg(long, value_name = "CONFIG", allow_hyphen_values = true)]
    before: Vec<String>,

    /// Configure the server like this after the change (may be repeated)
    #[arg(long, value_name = "CONFIG", allow_hyphen_values = true)]
    after: Vec<String>,

    /// Emulate this release after the change: short for --after --kubernetes-version=VERSION
    #[arg(long, value_name = "VERSION")]
    to: Option<String>,

    /// Add the objects in this file, directory or pattern to the cluster after the change, in addition to those of
    /// --cluster or replacing them (may be repeated)
    ///
    /// Objects that only exist are evaluated as if created anew, as they are without PATH: workloads, claims, Services
    /// and everything else that users apply.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    after_cluster: Vec<String>,

    #[command(flatten)]
    comparing: Comparing,

    /// Print at most this many examples of each effect
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    examples: usize,

    /// Print every object, effect and note
    ///
    /// Without it, text names one object for an effect that needs no action, such as a new default, and leaves out
    /// differences that the server prints in messages.
    #[arg(long, conflicts_with = "examples")]
    all: bool,

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
    /// Evaluates on both servers, prints the differences, and returns the result. `given` are the arguments of these
    /// flags.
    pub(super) fn execute(&self, given: &ArgMatches, colors: Colors) -> Exit {
        let watched =
            |(complete, _): &(Complete<Self>, Around)| complete.flags.watched(complete.file.as_deref());
        let compare = |(complete, around): (Complete<Self>, Around)| complete.flags.compare(&around, colors);
        watch::repeat(self.comparing.watch, colors, || self.complete(given), watched, compare)
    }

    fn complete(&self, given: &ArgMatches) -> Result<(Complete<Self>, Around), Vec<Diagnostic>> {
        let mut complete: Complete<Self> = self.comparing.settings.complete("compare", given)?;
        let Self { named, scenario, after, after_cluster, to, .. } = &mut complete.flags;
        // Without manifests, what exists is evaluated.
        let has_existing = scenario.has_cluster() || !after_cluster.is_empty();
        if !has_existing || !named.is_empty() {
            named.combine(scenario).map_err(|error| vec![error])?;
        }
        after.extend(to.take().map(|release| format!("--kubernetes-version={release}")));
        let around = Comparing::around(&mut complete, |flags| &flags.comparing)?;
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
        // Existing objects are checked as if they were created anew.
        let scenario = self.scenario.recreating_dumps();
        let plan = Plan {
            scenario: &scenario,
            before: planned(&self.before, &[]),
            after: planned(&self.after, &self.after_cluster),
            compared_by: ComparedBy::Server,
        };
        let examples = if self.all { usize::MAX } else { self.examples };
        let write = |format, mut out: &mut dyn Write, compared: &Compared, width| match format {
            Format::Json => write_json(&mut out, compared, false),
            Format::Markdown => write_audit_markdown(&mut out, compared, examples),
            Format::Html => write_html(&mut out, compared, ComparedBy::Server, true),
            _ => write_audit(&mut out, compared, examples, width),
        };
        comparison::execute(&plan, &self.comparing, around, colors, write)
    }

    fn server(&self, configs: &[String]) -> Result<Flags, ConfigurationError> {
        let variants: Vec<_> = configs.iter().map(|text| Variant::new(text)).collect::<Result<_, _>>()?;
        self.scenario.server.read_varied(&variants).map_err(|error| match own_flag(configs) {
            Some(flag) => {
                let help = format!(
                    "--before and --after need flags of the server or a file; {flag} goes before them or after their value"
                );
                ConfigurationError { help: Some(help), ..error }
            }
            None => error,
        })
    }
}

/// Returns a flag of this command that was taken for the value of `--before` or `--after`.
fn own_flag(configs: &[String]) -> Option<&str> {
    let own = Compare::augment_args(Command::new("compare"));
    let is_own = |flag: &str| own.get_arguments().any(|argument| argument.get_long() == Some(flag));
    let flags = configs.iter().filter_map(|config| config.split(['=', ' ']).next());
    flags.into_iter().find(|flag| {
        flag.strip_prefix("--")
            .is_some_and(|name| is_own(name) && matches!(Flags::default().set(flag, ""), Ok(false)))
    })
}
