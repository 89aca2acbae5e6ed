//! The definition of the arguments with its help arranged: examples first, and in `-h` the flags of every day.

use std::collections::BTreeSet;

use clap::{Command, CommandFactory};
use textwrap::Options;

use crate::cli::Cli;

/// Those of the flags of `kadmit run` that its `-h` describes.
const OFTEN: [&str; 20] = [
    "apply",
    "as_group",
    "as_user",
    "baseline",
    "cluster",
    "enable_admission_plugins",
    "enforce",
    "fail_on",
    "filename",
    "kube_apiserver",
    "kubernetes_version",
    "namespace",
    "only",
    "output",
    "paths",
    "policy",
    "quiet",
    "strict",
    "verbose",
    "watch",
];

/// The number of flags from which on `-h` leaves out the rare ones.
const MANY: usize = 30;

/// Examples, usage and flags in the order in which they are read.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

/// The columns of help.
pub(super) const WIDTH: usize = 80;

/// Returns the definition of the arguments with its help arranged.
pub fn definition() -> Command {
    let command = Cli::command();
    let run = command.find_subcommand("run").expect("the command is there");
    let rare: BTreeSet<String> = run
        .get_arguments()
        .map(|arg| arg.get_id().to_string())
        .filter(|id| !OFTEN.contains(&id.as_str()))
        .collect();
    arranged(command, "kadmit", &rare)
}

fn arranged(command: Command, name: &str, rare: &BTreeSet<String>) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let is_long = command.get_arguments().count() > MANY;
    let mut command = command.disable_help_subcommand(true).help_template(TEMPLATE);
    if is_long {
        command = command.mut_args(|arg| {
            let is_rare = rare.contains(arg.get_id().as_str());
            arg.hide_short_help(is_rare)
        });
        command = command.after_help(format!(
            "`{name} --help` describes all flags, `kadmit help server` those of servers,\n\
             and `kadmit help settings` the file kadmit.toml."
        ));
    }
    if let Some((about, statuses)) =
        command.get_long_about().and_then(|about| exit_statuses(&about.to_string()))
    {
        let mut after = exit_status_text(&statuses);
        if is_long {
            after.push_str("\n`kadmit help settings` describes kadmit.toml, which has defaults for flags.\n");
        }
        command = command.long_about(about).after_long_help(after);
    }
    for own in names {
        let full = format!("{name} {own}");
        command = command.mut_subcommand(own, |command| arranged(command, &full, rare));
    }
    command
}

/// Splits the description of a command into what precedes its paragraph about the exit status, and each status with its
/// meaning.
pub fn exit_statuses(about: &str) -> Option<(String, Vec<String>)> {
    let (about, list) = about.rsplit_once("\n\nExit status: ")?;
    let mut statuses = Vec::new();
    let mut rest = list.trim_end().trim_end_matches('.');
    for next in 1.. {
        // A status may be left out, and what it means may have commas.
        let positions = (next..=3).filter_map(|status| rest.find(&format!(", {status} ")));
        let Some(position) = positions.min() else { break };
        statuses.push(rest[..position].to_owned());
        rest = &rest[position + 2..];
    }
    statuses.push(rest.to_owned());
    Some((about.to_owned(), statuses))
}

fn exit_status_text(statuses: &[String]) -> String {
    let mut text = "Exit status:\n".to_owned();
    for status in statuses {
        let (number, meaning) = status.split_once(' ').expect("a number and its meaning");
        let options = Options::new(WIDTH).initial_indent("  ").subsequent_indent("     ");
        text.push_str(&textwrap::fill(&format!("{number}  {meaning}"), options));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `check` for every command.
    fn for_each(command: &Command, name: &str, check: &mut dyn FnMut(&Command, &str)) {
        for own in command.get_subcommands() {
            for_each(own, &format!("{name} {}", own.get_name()), check);
        }
        check(command, name);
    }

    #[test]
    fn the_flags_of_every_day_exist() {
        let command = Cli::command();
        let run = command.find_subcommand("run").unwrap();
        for id in OFTEN {
            assert!(run.get_arguments().any(|arg| arg.get_id() == id), "{id}");
        }
    }

    #[test]
    fn every_command_has_examples_that_it_accepts() {
        let mut count = 0;
        let definition = definition();
        for_each(&definition, "kadmit", &mut |command, name| {
            let examples = command.get_before_help().expect("a command has examples").to_string();
            for line in examples.lines().skip(1) {
                let Some(start) = line.find("kadmit ").filter(|_| !line.contains("'kadmit krm'")) else {
                    continue;
                };
                let end = line.find(" > ").or(line.find(") ")).or(line.find(" | Out")).or(line.find(" < "));
                let line =
                    line[start..end.unwrap_or(line.len()).max(start)].trim_end_matches([')', '|', ' ']);
                let line =
                    line.split("   ").next().unwrap_or_default().split("  ").next().unwrap_or_default();
                let line = line.split(" | ").next().unwrap_or_default();
                let mut words = Vec::new();
                for (position, part) in line.split('\'').enumerate() {
                    if position % 2 == 1 {
                        words.push(part.to_owned());
                    } else {
                        words.extend(part.split_whitespace().map(str::to_owned));
                    }
                }
                let parsed = definition.clone().try_get_matches_from(&words);
                assert!(parsed.is_ok(), "{name}: {words:?}\n{}", parsed.expect_err("an error"));
                count += 1;
            }
        });
        assert!(count > 40, "{count}");
    }

    #[test]
    fn short_help_fits_on_two_screens() {
        let mut lines = 0;
        for_each(&definition(), "kadmit", &mut |command, name| {
            let text = command.clone().term_width(WIDTH).render_help().to_string();
            let count = text.lines().count();
            assert!(count <= 90, "{name} -h has {count} lines:\n{text}");
            lines += count;
        });
        assert!(lines > 300, "{lines}");
    }

    #[test]
    fn exit_statuses_are_a_list() {
        let about = "What it does.\n\nExit status: 0 all admitted, or skipped, 2 wrong, 3 kadmit has a bug.";
        let (about, statuses) = exit_statuses(about).unwrap();
        assert_eq!(about, "What it does.");
        assert_eq!(statuses, ["0 all admitted, or skipped", "2 wrong", "3 kadmit has a bug"]);
        assert_eq!(
            exit_status_text(&statuses),
            "Exit status:\n  0  all admitted, or skipped\n  2  wrong\n  3  kadmit has a bug\n"
        );
    }
}
