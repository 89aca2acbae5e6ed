//! `kadmit completions`

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Args, Command};
use clap_complete::Shell;

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::definition::definition;
use crate::cli::help::TOPICS;
use crate::code::Code;
use crate::plugin::{self, ALL_ORDERED_PLUGINS};
use kube_api::features;
use kube_api::version::Version;

/// Print the completions of a shell
///
/// They know the names of plugins, releases, feature gates and codes.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Completions {
    /// Complete in this shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  source <(kadmit completions bash)                      in ~/.bashrc
  kadmit completions zsh > \"${fpath[1]}/_kadmit\"
  kadmit completions fish > ~/.config/fish/completions/kadmit.fish
  kadmit completions powershell | Out-String | Invoke-Expression
  eval (kadmit completions elvish | slurp)               in rc.elv";

impl Completions {
    pub(super) fn execute(self, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        console.print(&script(self.shell));
        console.exit()
    }
}

/// Returns the script that completes arguments in `shell`.
pub fn script(shell: Shell) -> String {
    let mut definition = definition_with_names();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut definition, "kadmit", &mut script);
    let script = String::from_utf8(script).expect("scripts are UTF-8");
    match shell {
        Shell::Bash => completing_files(&script),
        Shell::Fish => script + &names_without_flags(&definition),
        _ => script,
    }
}

/// Returns the definition of the arguments with the names that a shell can offer: for completions alone, since values
/// that are read here have better errors, and lists.
fn definition_with_names() -> Command {
    let mut plugins: Vec<&str> = ALL_ORDERED_PLUGINS.iter().map(|plugin| plugin.name).collect();
    plugins.sort_unstable();
    let releases = (Version::OLDEST.minor..=Version::BINARY.minor).map(|minor| format!("1.{minor}"));
    let releases: Vec<String> = releases.collect();
    // What is on by default can be set to false, and what is off to true.
    let gates = features::gates().iter().filter_map(|gate| {
        let now = gate.in_release(Version::DEFAULT).filter(|now| !now.locked)?;
        Some(format!("{}={}", gate.name, !now.default))
    });
    let gates: Vec<String> = gates.collect();
    let mut explained: Vec<&str> = plugin::all().map(|plugin| plugin.name).collect();
    explained.sort_unstable();
    explained.dedup();
    explained.extend(Code::ALL.iter().map(|code| code.name()));
    let definition = definition();
    let commands = definition.get_subcommands().map(Command::get_name);
    let topics: Vec<String> = commands.chain(TOPICS).map(str::to_owned).collect();
    let names = |id: &str| -> Option<Vec<String>> {
        match id {
            "enable_admission_plugins" | "disable_admission_plugins" | "admission_control" => {
                Some(plugins.iter().map(|&name| name.to_owned()).collect())
            }
            "kubernetes_version" | "to" => Some(releases.clone()),
            "feature_gates" => Some(gates.clone()),
            "name" => Some(explained.iter().map(|&name| name.to_owned()).collect()),
            "words" => Some(topics.clone()),
            _ => None,
        }
    };
    named(definition.clone(), &names)
}

fn named(command: Command, names: &dyn Fn(&str) -> Option<Vec<String>>) -> Command {
    let own: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let command = command.mut_args(|arg| match names(arg.get_id().as_str()) {
        Some(names) => arg.value_parser(PossibleValuesParser::new(names)),
        None => arg,
    });
    own.into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, |command| named(command, names)))
}

/// Returns what fish offers for arguments without a flag, which the generator leaves out.
fn names_without_flags(definition: &Command) -> String {
    let mut lines = String::new();
    for command in definition.get_subcommands() {
        for arg in command.get_positionals() {
            let values = arg.get_possible_values();
            let values: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
            if !values.is_empty() {
                let condition = format!("__fish_kadmit_using_subcommand {}", command.get_name());
                lines.extend([
                    "complete -c kadmit -n \"",
                    &condition,
                    "\" -f -a \"",
                    &values.join(" "),
                    "\"\n",
                ]);
            }
        }
    }
    lines
}

/// Returns a script for bash that offers files where an argument is a path, instead of flags, and the values of a flag
/// after its `=` and codes, since bash splits words at `=` and `:`.
fn completing_files(script: &str) -> String {
    let is_path = |arg: &Arg| {
        let names = arg.get_value_names().unwrap_or_default();
        names.iter().any(|name| ["PATH", "BEFORE", "LOG", "FILE"].contains(&name.as_str()))
    };
    let definition = definition();
    let commands = definition.get_subcommands().filter(|command| command.get_positionals().any(is_path));
    let labels: Vec<String> =
        commands.map(|command| format!("kadmit__subcmd__{})", command.get_name())).collect();
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    let mut out = String::new();
    let mut takes_paths = false;
    for line in script.lines() {
        if line.trim_start().starts_with("kadmit__subcmd__") && line.ends_with(')') {
            takes_paths = labels.iter().any(|label| label == line.trim_start());
        }
        let is_first = line.trim_start().starts_with("if [[ ${cur} == -* || ${COMP_CWORD} -eq ");
        match line {
            _ if is_first && takes_paths => {
                let indent = &line[..line.len() - line.trim_start().len()];
                out.extend([indent, "if [[ ${cur} == -* ]] ; then"]);
            }
            "    prev=\"$3\"" => out.extend([AFTER_EQUALS, &AFTER_COLONS.replace("CODES", &codes.join(" "))]),
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

const AFTER_EQUALS: &str = r#"    prev="$3"
    if [[ "${cur}" == "=" ]]; then
        cur=""
    elif [[ "${prev}" == "=" ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
"#;

/// Bash completes what follows the last colon.
const AFTER_COLONS: &str = r#"    if [[ "${COMP_WORDBREAKS}" == *:* && "${COMP_LINE:0:COMP_POINT}" =~ [^[:space:]]+:[^[:space:]:]*$ ]]; then
        cur="${BASH_REMATCH[0]}"
        COMPREPLY=( $(compgen -W "CODES" -- "${cur}") )
        COMPREPLY=( "${COMPREPLY[@]#"${cur%"${cur##*:}"}"}" )
        return 0
    fi"#;
