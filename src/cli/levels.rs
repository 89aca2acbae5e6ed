//! `kadmit levels`

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write, stdout};
use std::sync::Arc;

use clap::{ArgMatches, Args, ValueEnum, ValueHint};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::{Console, width};
use crate::cli::input::NonManifests;
use crate::cli::settings::SettingsFlags;
use crate::code::Code;
use crate::configuration::{ConfigurationError, Flags};
use crate::evaluation::Place;
use crate::plugin::pod_security_levels::{Forbidden, Level, Standards, enforced};
use crate::report::levels::{Field, NamespaceLevel, Next, Obstacle, Report};
use crate::report::{Diagnostic, Escapes, Printable};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{Object, Value, kinds};
use kube_registry::pod::PodTemplate;

/// Report the strictest Pod Security level that each namespace could enforce
///
/// Checks every workload and Pod in PATHS and among the objects of --cluster, and lists by workload, field and line
/// what keeps a namespace from the next level. Pods that a workload of the input controls count as that workload.
///
/// Exit status: 0 done, 1 a namespace is below the level of --at-least, 2 the input is wrong or there is none.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Levels {
    /// Check these files, directories (.yaml, .yml and .json below them), patterns, or - for standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<String>,

    /// Check also the objects in this file, directory or pattern; those of PATH replace them (may be repeated)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    cluster: Vec<String>,

    /// The namespace of objects without one
    #[arg(short, long, value_name = "NAMESPACE", default_value = "default")]
    namespace: String,

    /// Use the levels of this release of Kubernetes [default: the newest]
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<String>,

    /// Leave out files and documents that are not manifests, with a note
    #[arg(long)]
    ignore_non_manifests: bool,

    /// Report only these namespaces (may be repeated)
    #[arg(long, value_name = "NAMESPACE", value_delimiter = ',')]
    only: Vec<String>,

    /// Fail if a reported namespace could not enforce this level
    #[arg(long, value_name = "LEVEL")]
    at_least: Option<AtLeast>,

    /// Report in this format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Format,

    #[command(flatten)]
    settings: SettingsFlags,
}

const EXAMPLES: &str = "\
Examples:
  kadmit levels --cluster dump.yaml
  kadmit levels --at-least baseline manifests";

/// The levels that a namespace may be required to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AtLeast {
    /// No known privilege escalation
    Baseline,
    /// Hardened
    Restricted,
}

/// The form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// Tables and lists for a comment or a ticket
    Markdown,
}

/// An object of the input and its place.
type Written = (Arc<Object>, Place);

/// Kind, namespace and name.
type ObjectName = (String, String, String);

impl Levels {
    /// Prints the level of every namespace, and returns the result.
    ///
    /// `given` are the arguments of these flags.
    pub(super) fn execute(self, given: &ArgMatches, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        let Some(complete) = self.settings.completed::<Self>("levels", given, &mut console) else {
            return console.exit();
        };
        complete.report(console)
    }

    fn report(self, mut console: Console) -> Exit {
        if self.paths.is_empty() && self.cluster.is_empty() {
            let error = Diagnostic::input(Code::InputNoPath, "there is nothing to check: no PATH is given");
            console.say(
                &error.help("name files or directories, here or as `paths` in kadmit.toml, or --cluster"),
            );
            return console.exit();
        }
        let release = match self.release() {
            Ok(release) => release,
            Err(error) => {
                console.say(&Diagnostic::from(&error));
                return console.exit();
            }
        };
        // The levels of an older release apply to objects as they are today.
        let objects = self.read(&ServerProfile::default(), &mut console);
        if objects.is_empty() {
            let message = "there is no object in the input";
            console.say(&Diagnostic::input(Code::InputEmpty, message));
            return console.exit();
        }
        let mut namespaces = levels(objects, &Standards::new(release));
        for name in self.only.iter().filter(|name| !namespaces.iter().any(|level| level.namespace == **name))
        {
            let message = format!("--only {name} matches no namespace of the input");
            console.say(&Diagnostic::input(Code::Only, message));
        }
        namespaces.retain(|level| self.only.is_empty() || self.only.contains(&level.namespace));
        let is_below = |level: &NamespaceLevel| match self.at_least {
            None => false,
            Some(AtLeast::Baseline) => level.level == Level::Privileged.to_string(),
            Some(AtLeast::Restricted) => level.level != Level::Restricted.to_string(),
        };
        let fails = namespaces.iter().any(is_below);
        let report = Report { release, namespaces };
        let mut out = BufWriter::new(stdout().lock());
        let escapes = if self.output == Format::Json { Escapes::Json } else { Escapes::Text };
        let mut printable = Printable::new(&mut out, escapes);
        let written = match self.output {
            Format::Text => report.write_text(&mut printable, width()),
            Format::Json => report.write_json(&mut printable),
            Format::Markdown => report.write_markdown(&mut printable),
        };
        // The reader may have closed the pipe.
        let _ = written.and_then(|()| printable.flush());
        if fails { Exit::Denied.max(console.exit()) } else { console.exit() }
    }

    fn release(&self) -> Result<Version, ConfigurationError> {
        let mut flags = Flags::default();
        if let Some(version) = &self.kubernetes_version {
            flags.set("--kubernetes-version", version)?;
        }
        Ok(flags.release())
    }

    /// Returns the objects of the input; of several with the same name the last.
    fn read(&self, profile: &ServerProfile, console: &mut Console) -> Vec<Written> {
        let non_manifests =
            if self.ignore_non_manifests { NonManifests::LeftOut } else { NonManifests::Refused };
        let objects = non_manifests.objects([&self.cluster, &self.paths], &self.namespace, profile, console);
        let objects: BTreeMap<ObjectName, Written> =
            objects.into_iter().map(|(object, place)| (key(&object), (object, place))).collect();
        objects.into_values().collect()
    }
}

fn key(object: &Object) -> ObjectName {
    (object.kind.kind.to_string(), object.namespace().to_owned(), object.name().to_owned())
}

/// Returns the level of every namespace that is declared or has objects.
fn levels(objects: Vec<Written>, standards: &Standards) -> Vec<NamespaceLevel> {
    // The custom resource of an operator has no Pods of its own to check.
    let workloads = objects.iter().filter(|(object, _)| PodTemplate::of(object).is_some());
    let workloads: BTreeSet<ObjectName> = workloads.map(|(object, _)| key(object)).collect();
    let mut namespaces: BTreeMap<String, (Option<String>, Vec<Written>)> = BTreeMap::new();
    for (object, place) in objects {
        if object.kind.is(kinds::NAMESPACE) {
            namespaces.entry(object.name().to_owned()).or_default().0 = enforced(&object);
        } else if PodTemplate::of(&object).is_some() && !is_controlled(&object, &workloads) {
            let namespace = object.namespace().to_owned();
            namespaces.entry(namespace).or_default().1.push((object, place));
        }
    }
    let level = |(namespace, (enforced, workloads)): (String, (Option<String>, Vec<Written>))| {
        level_of(namespace, enforced, &workloads, standards)
    };
    namespaces.into_iter().map(level).collect()
}

/// Whether one of `workloads` controls this object.
fn is_controlled(object: &Object, workloads: &BTreeSet<ObjectName>) -> bool {
    object.list(["metadata", "ownerReferences"]).iter().any(|reference| {
        let text = |field: &str| reference[field].as_str().unwrap_or_default().to_owned();
        reference["controller"] == Value::Bool(true)
            && workloads.contains(&(text("kind"), object.namespace().to_owned(), text("name")))
    })
}

fn level_of(
    namespace: String,
    enforced: Option<String>,
    workloads: &[Written],
    standards: &Standards,
) -> NamespaceLevel {
    let obstacles = |level: Level| -> Vec<Obstacle> {
        let found = workloads.iter().flat_map(|(object, place)| {
            let forbidden = standards.forbids(level, object).into_iter();
            forbidden.map(|forbidden| obstacle(object, place, forbidden))
        });
        found.collect()
    };
    let next = |level: Level, kept_by: Vec<Obstacle>| {
        let objects: Vec<&Object> = workloads.iter().map(|(object, _)| &**object).collect();
        let version = standards.newest_admitting(level, &objects);
        Some(Next { level: level.to_string(), version, kept_by })
    };
    let (restricted, baseline) = (obstacles(Level::Restricted), obstacles(Level::Baseline));
    let (level, next) = if restricted.is_empty() {
        (Level::Restricted, None)
    } else if baseline.is_empty() {
        (Level::Baseline, next(Level::Restricted, restricted))
    } else {
        (Level::Privileged, next(Level::Baseline, baseline))
    };
    NamespaceLevel { namespace, enforced, level: level.to_string(), workloads: workloads.len(), next }
}

fn obstacle(object: &Object, place: &Place, forbidden: Forbidden) -> Obstacle {
    let written = place.written();
    let line =
        |path: &_| written.as_ref().map_or_else(|| place.line_column().0, |written| written.nearest(path).0);
    let fields = forbidden.fields.iter().map(|path| Field { path: path.to_string(), line: line(path) });
    Obstacle {
        kind: object.kind.kind.to_string(),
        namespace: object.namespace().to_owned(),
        name: object.name().to_owned(),
        file: place.file().to_owned(),
        line: place.line_column().0,
        reason: forbidden.reason,
        detail: forbidden.detail,
        fields: fields.collect(),
    }
}
