//! `kadmit plugins`

use clap::{ArgMatches, Args, ValueEnum};
use serde::Serialize;

use crate::admission::Phase;
use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::settings::SettingsFlags;
use crate::configuration::Flags;
use crate::plugin::{self, Plugin};
use crate::report::Diagnostic;
use kube_api::distribution::Server;
use kube_api::version::{Version, default_minor};
use kube_yaml::write_yaml;

/// List the admission plugins of a release
///
/// The plugins are listed in the order in which kube-apiserver calls them. A plugin that is inert is called by default,
/// but does nothing until its feature gate is on.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Plugins {
    #[command(flatten)]
    settings: SettingsFlags,

    #[arg(long, value_name = "VERSION", help = concat!(
        "List the plugins of this release of Kubernetes, from 1.10 on [default: 1.", default_minor!(), "]"
    ))]
    kubernetes_version: Option<String>,

    /// List those of the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]
    #[arg(long, value_name = "NAME")]
    distribution: Option<String>,

    /// Choose the format of the list
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  kadmit plugins
  kadmit plugins --kubernetes-version 1.20 -o wide
  kadmit plugins --distribution openshift";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A table for people
    Table,
    /// The table with feature gates, configurations and the objects that plugins read
    Wide,
    /// A JSON array
    Json,
    /// The same in YAML
    Yaml,
}

/// The row of a plugin.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PluginRow {
    name: &'static str,
    phases: &'static [Phase],
    /// Whether it has an effect by default.
    default: bool,
    since: String,
    until: Option<String>,
    feature_gate: Option<&'static str>,
    configuration: Vec<String>,
    reads: Vec<&'static str>,
    #[serde(skip)]
    inert: bool,
}

impl PluginRow {
    fn of(plugin: &'static Plugin, server: Server, release: Version) -> Self {
        let is_active = plugin.is_active(release, |gate| gate.default_in(release) == Some(true));
        let default_on = plugin.default_on_in(server, release);
        let default = default_on && is_active;
        Self {
            name: plugin.name,
            phases: plugin.phases,
            default,
            since: plugin.releases.since(),
            until: plugin.releases.until(),
            feature_gate: plugin.gates_in(release).next().map(|gate| gate.feature.name()),
            configuration: plugin.configurations_in(release).map(ToString::to_string).collect(),
            reads: plugin.reads_in(release).collect(),
            inert: !default && default_on,
        }
    }

    fn cells(&self) -> [String; 8] {
        let phases: Vec<_> = self.phases.iter().map(|phase| phase.as_str()).collect();
        let default = match (self.default, self.inert) {
            (true, _) => "on",
            (false, true) => "inert",
            (false, false) => "",
        };
        [
            self.name.to_owned(),
            phases.join(", "),
            default.to_owned(),
            self.since.clone(),
            self.until.clone().unwrap_or_default(),
            self.feature_gate.unwrap_or_default().to_owned(),
            self.configuration.join(", "),
            self.reads.join(", "),
        ]
    }
}

const HEADINGS: [&str; 8] =
    ["NAME", "PHASES", "DEFAULT", "SINCE", "UNTIL", "FEATURE GATE", "CONFIGURATION", "READS"];
/// The columns of a table that is not wide.
const NARROW: usize = 5;

impl Plugins {
    /// Prints the list. `given` are the arguments of these flags.
    pub(super) fn execute(self, given: &ArgMatches, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        let Some(complete) = self.settings.completed::<Self>("plugins", given, &mut console) else {
            return console.exit();
        };
        complete.list(console)
    }

    fn list(self, mut console: Console) -> Exit {
        let mut flags = Flags::default();
        let given =
            [("--kubernetes-version", &self.kubernetes_version), ("--distribution", &self.distribution)];
        for (flag, value) in given {
            if let Some(value) = value
                && let Err(error) = flags.set(flag, value)
            {
                console.say(&Diagnostic::from(&error));
                return console.exit();
            }
        }
        let (release, server) = (flags.release(), flags.distribution.kube_apiserver());
        let plugins = plugin::of(server, release).into_iter();
        let entries: Vec<_> = plugins.map(|plugin| PluginRow::of(plugin, server, release)).collect();
        console.print(&self.output.render(&entries));
        console.exit()
    }
}

impl Output {
    fn render(self, entries: &[PluginRow]) -> String {
        const PLAIN: &str = "names, flags and texts are JSON";
        match self {
            Self::Table => table(entries, NARROW),
            Self::Wide => table(entries, HEADINGS.len()),
            Self::Json => serde_json::to_string_pretty(entries).expect(PLAIN) + "\n",
            Self::Yaml => {
                let mut text = String::new();
                write_yaml(&gotext::value::to_value(entries).expect(PLAIN), &mut text).expect(PLAIN);
                text
            }
        }
    }
}

fn table(entries: &[PluginRow], columns: usize) -> String {
    let rows: Vec<_> = entries.iter().map(PluginRow::cells).collect();
    let widths: Vec<_> = (0..columns)
        .map(|column| {
            let cells = rows.iter().map(|row| row[column].len());
            cells.max().unwrap_or_default().max(HEADINGS[column].len())
        })
        .collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells = cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        line.trim_end().to_owned() + "\n"
    };
    let mut text = line(&mut HEADINGS.into_iter());
    text.extend(rows.iter().map(|row| line(&mut row.iter().map(String::as_str))));
    text
}
