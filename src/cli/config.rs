//! `kadmit config`

use clap::{ArgMatches, Args, Subcommand, ValueEnum};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::server_flags::ServerFlags;
use crate::cli::settings::SettingsFlags;
use crate::code::Code;
use crate::configuration::{Check, Flags, View};
use crate::report::{Diagnostic, Escapes};
use kube_yaml::write_yaml;

/// Check or show the configuration of the API server
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Config {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(CheckConfiguration),
    View(ViewConfiguration),
}

/// Check the flags, the AdmissionConfiguration and the files of plugins
///
/// Reports all errors with which kube-apiserver would refuse to start, and the settings that it silently ignores.
///
/// Exit status: 0 the server starts, 2 it does not.
#[derive(Debug, Args)]
#[command(before_help = CHECK_EXAMPLES)]
struct CheckConfiguration {
    #[command(flatten)]
    settings: SettingsFlags,

    #[command(flatten)]
    server: ServerFlags,
}

const EXAMPLES: &str = "\
Examples:
  kadmit config check --kube-apiserver kube-apiserver.yaml
  kadmit config view --kube-apiserver kube-apiserver.yaml";

const CHECK_EXAMPLES: &str = "\
Examples:
  kadmit config check --kube-apiserver kube-apiserver.yaml --root /mnt/node
  kadmit config check --admission-control-config-file admission.yaml";

const VIEW_EXAMPLES: &str = "\
Examples:
  kadmit config view
  kadmit config view --kube-apiserver kube-apiserver.yaml";

/// Show the chain and the configuration of its plugins, with all defaults
#[derive(Debug, Args)]
#[command(before_help = VIEW_EXAMPLES)]
struct ViewConfiguration {
    /// Choose the format
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: Output,

    #[command(flatten)]
    settings: SettingsFlags,

    #[command(flatten)]
    server: ServerFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// YAML
    Yaml,
    /// One JSON document
    Json,
}

impl Config {
    /// Checks or shows it. `given` are the arguments of these flags.
    pub(super) fn execute(self, given: &ArgMatches, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        let given = given.subcommand().expect("the command that was parsed").1;
        match self.command {
            Command::Check(check) => {
                if let Some(complete) =
                    check.settings.completed::<CheckConfiguration>("config", given, &mut console)
                {
                    complete.execute(&mut console);
                }
            }
            Command::View(view) => {
                if let Some(complete) =
                    view.settings.completed::<ViewConfiguration>("config", given, &mut console)
                {
                    complete.execute(&mut console);
                }
            }
        }
        console.exit()
    }
}

impl CheckConfiguration {
    fn execute(&self, console: &mut Console) {
        let (flags, mut errors) = self.server.read_all();
        say_origin(&flags, console);
        let Check { errors: more, remarks } = Check::of(&flags);
        errors.extend(more);
        for error in &errors {
            console.say(&Diagnostic::from(error));
        }
        for remark in &remarks {
            console.say(&Diagnostic::remark(remark));
        }
        let verdict = match (errors.len(), remarks.len()) {
            (0, 0) => "the server starts\n".to_owned(),
            (0, remarks) => format!("the server starts; {remarks} to check\n"),
            (errors, _) => format!("the server does not start: {errors} to fix\n"),
        };
        console.print(&verdict);
    }
}

impl ViewConfiguration {
    fn execute(&self, console: &mut Console) {
        const PLAIN: &str = "what a view has is JSON";
        let view = self.server.read().and_then(|flags| {
            say_origin(&flags, console);
            View::of(&flags)
        });
        match view {
            Ok(view) => {
                let (text, escapes) = match self.output {
                    Output::Json => (serde_json::to_string_pretty(&view).expect(PLAIN) + "\n", Escapes::Json),
                    Output::Yaml => {
                        let mut text = String::new();
                        // The text is complete even if Go would refuse to write it.
                        let _ = write_yaml(&gotext::value::to_value(&view).expect(PLAIN), &mut text);
                        (text, Escapes::Text)
                    }
                };
                console.write(&text, escapes);
            }
            Err(error) => console.say(&Diagnostic::from(&error)),
        }
    }
}

/// Reports what was taken from a server's own file.
fn say_origin(flags: &Flags, console: &mut Console) {
    if let Some(origin) = &flags.origin {
        console.say(&Diagnostic::note(Code::ConfigurationNote, origin.as_str()));
    }
}
