//! `kadmit fixtures`

use std::collections::BTreeSet;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueHint};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::input::NonManifests;
use crate::cli::server_flags::ServerFlags;
use crate::cli::settings::SettingsFlags;
use crate::cluster::authorizer::AuthorizationMode;
use crate::cluster::gaps;
use crate::code::Code;
use crate::configuration::{Check, ConfigurationError, Flags};
use crate::evaluation::Place;
use crate::report::Diagnostic;
use kube_api::server_profile::ServerProfile;

/// Print the kubectl command that collects the objects that the chain reads
///
/// The command writes exactly the objects of a cluster that the enabled plugins read; give them to
/// `kadmit run --cluster`.
///
/// Exit status: 0 done, 1 something is missing among the checked objects, 2 the input or configuration is wrong.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Fixtures {
    /// With --check: the files, directories (.yaml, .yml and .json below them) or patterns of the objects, or - for
    /// standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<String>,

    /// Report what is missing among the objects in PATHS and --cluster instead
    #[arg(long)]
    check: bool,

    /// With --check: the objects in this file, directory or pattern, too (may be repeated)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    cluster: Vec<String>,

    #[command(flatten)]
    settings: SettingsFlags,

    #[command(flatten)]
    server: ServerFlags,
}

const EXAMPLES: &str = "\
Examples:
  kadmit fixtures
  kadmit fixtures --check cluster.yaml manifests";

/// The kinds that manifests create and quotas count, and those that controllers create for them: an existing object is
/// then updated, and its Pods are not counted twice.
const COUNTED: [&str; 10] = [
    "cronjobs.batch",
    "daemonsets.apps",
    "deployments.apps",
    "jobs.batch",
    "persistentvolumeclaims",
    "pods",
    "replicasets.apps",
    "replicationcontrollers",
    "services",
    "statefulsets.apps",
];

/// The resource that defines the kinds of custom resources.
const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// The resources that the RBAC authorizer reads.
const ROLES: [&str; 4] = [
    "clusterrolebindings.rbac.authorization.k8s.io",
    "clusterroles.rbac.authorization.k8s.io",
    "rolebindings.rbac.authorization.k8s.io",
    "roles.rbac.authorization.k8s.io",
];

impl Fixtures {
    /// Prints the command or what is missing. `given` are the arguments of these flags.
    pub(super) fn execute(self, given: &ArgMatches, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        let Some(complete) = self.settings.completed::<Self>("fixtures", given, &mut console) else {
            return console.exit();
        };
        if let Some(error) = complete.misuse(given) {
            console.say(&error);
            return console.exit();
        }
        let missing = match complete.server.read() {
            Ok(flags) => complete.answer(&flags, &mut console),
            Err(error) => Err(error),
        };
        match missing {
            Ok(0) => console.exit(),
            Ok(_) => Exit::Denied.max(console.exit()),
            Err(error) => {
                console.say(&Diagnostic::from(&error));
                console.exit()
            }
        }
    }

    /// Returns why the files to check make no sense. Those of the settings are there for other commands.
    fn misuse(&self, given: &ArgMatches) -> Option<Diagnostic> {
        let is_given = |flag: &str| given.value_source(flag) == Some(ValueSource::CommandLine);
        if self.check && self.paths.is_empty() && self.cluster.is_empty() {
            let error = Diagnostic::input(Code::InputNoPath, "there is nothing to check: no PATH is given");
            return Some(
                error.help("name files or directories, here or as `paths` in kadmit.toml, or --cluster"),
            );
        }
        (!self.check && (is_given("paths") || is_given("cluster"))).then(|| {
            let error = Diagnostic::input(Code::InputNoPath, "without --check, no file is read");
            error.help("add --check to report what is missing among the objects")
        })
    }

    /// Prints the answer; returns the number of gaps.
    fn answer(&self, flags: &Flags, console: &mut Console) -> Result<usize, ConfigurationError> {
        let profile = flags.profile()?;
        for remark in Check::of(flags).remarks {
            console.say(&Diagnostic::remark(&remark));
        }
        if !self.check {
            console.print(&command(&resources(flags, &profile)?));
            return Ok(0);
        }
        Ok(self.check_objects(&profile, console))
    }

    fn check_objects(&self, profile: &ServerProfile, console: &mut Console) -> usize {
        let (objects, places): (Vec<_>, Vec<_>) = NonManifests::Refused
            .objects([&self.cluster, &self.paths], "default", profile, console)
            .into_iter()
            .unzip();
        let gaps = gaps(&objects);
        for gap in &gaps {
            let place: &Place = &places[gap.object];
            let (line, _) = place.line_column();
            console.print(&format!("{}:{line}: {}\n  {}\n", place.file(), gap.message, gap.help));
        }
        let among = match objects.len() {
            1 => "1 object".to_owned(),
            count => format!("{count} objects"),
        };
        match gaps.len() {
            0 => console.print(&format!("nothing is missing among {among}\n")),
            missing => console.print(&format!("{missing} missing among {among}\n")),
        }
        gaps.len()
    }
}

/// Returns the resources that the active plugins read.
fn resources(flags: &Flags, profile: &ServerProfile) -> Result<BTreeSet<&'static str>, ConfigurationError> {
    let emulated = flags.emulated_version()?;
    let plugins = flags.enabled_plugins()?.into_iter();
    let active = plugins.filter(|plugin| plugin.is_active(emulated, |gate| profile.enabled(gate.feature)));
    let active: Vec<_> = active.collect();
    let mut resources: BTreeSet<_> = active.iter().flat_map(|plugin| plugin.reads_in(emulated)).collect();
    if active.iter().any(|plugin| plugin.name == "ResourceQuota") {
        resources.extend(COUNTED);
    }
    if !resources.is_empty() {
        resources.insert(DEFINITIONS);
    }
    let modes = flags.authorization_modes()?;
    let needs_roles = |mode: &AuthorizationMode| {
        !matches!(mode, AuthorizationMode::AlwaysAllow | AuthorizationMode::Webhook(_))
    };
    if modes.iter().any(needs_roles) {
        resources.extend(ROLES);
    }
    Ok(resources)
}

fn command(resources: &BTreeSet<&str>) -> String {
    if resources.is_empty() {
        return "# the chain reads no objects\n".to_owned();
    }
    let list: Vec<_> = resources.iter().copied().collect();
    format!(
        "kubectl get {} \\\n  --all-namespaces --show-managed-fields --output yaml > cluster.yaml\n",
        list.join(",\\\n")
    )
}
