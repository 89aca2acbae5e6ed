//! The manual pages, from the definition of the arguments.

use std::fmt::Write;

use clap::{Arg, Command, CommandFactory};
use kadmit::cli::{Cli, SETTINGS_HELP, exit_statuses};

/// The day of the manual, for its header: readers of a page see how old it is.
const DATE: &str = "2026-11-23";

/// Returns the page of `command`, which is called `name`; `related` are other pages.
pub(crate) fn page(command: &Command, name: &str, related: &[String]) -> String {
    let title = name.replace(' ', "-");
    let mut page = Page(format!(
        ".TH {} 1 {DATE} \"kadmit {}\" \"User Commands\"\n",
        title.to_uppercase().replace('-', "\\-"),
        env!("CARGO_PKG_VERSION")
    ));
    page.section("Name");
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = writeln!(page.0, "{} \\- {}", escaped(&title), escaped(&about));
    page.section("Synopsis");
    page.synopsis(command, name);
    let (description, statuses) = self::about(name);
    page.section("Description");
    page.paragraphs(&description, ".PP");
    page.commands(command, &title);
    page.arguments(command);
    if name == "kadmit run" {
        page.section("Settings");
        page.verbatim(SETTINGS_HELP.trim_start_matches("Settings:\n"));
    }
    page.exit_status(&statuses);
    if let Some(examples) = command.get_before_help() {
        page.section("Examples");
        page.verbatim(examples.to_string().trim_start_matches("Examples:\n"));
    }
    page.section("See also");
    let related = related.iter().filter(|other| **other != title);
    let related: Vec<String> = related.map(|other| format!("\\fB{}\\fR(1)", escaped(other))).collect();
    let _ = writeln!(page.0, "{}", related.join(", "));
    page.0
}

/// Returns the description of the command `name`, and what its exit statuses mean.
pub(crate) fn about(name: &str) -> (String, Vec<String>) {
    let mut command = &Cli::command();
    for word in name.split(' ').skip(1) {
        let own = command.find_subcommand(word);
        command = own.expect("the definition has the command");
    }
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    exit_statuses(&about).unwrap_or((about, Vec::new()))
}

struct Page(String);

impl Page {
    fn section(&mut self, name: &str) {
        let _ = writeln!(self.0, ".SH {}", escaped(&name.to_uppercase()));
    }

    fn synopsis(&mut self, command: &Command, name: &str) {
        let _ = write!(self.0, "\\fB{}\\fR", escaped(name));
        if command.get_opts().next().is_some() {
            self.0.push_str(" [\\fIOPTIONS\\fR]");
        }
        for argument in command.get_positionals() {
            let value = format!("\\fI{}\\fR", escaped(&values(argument)));
            let several = matches!(argument.get_action(), clap::ArgAction::Append);
            let value = if argument.is_required_set() { value } else { format!("[{value}]") };
            let _ = write!(self.0, " {value}{}", if several { "..." } else { "" });
        }
        if command.has_subcommands() {
            self.0.push_str(" \\fICOMMAND\\fR");
        }
        self.0.push('\n');
    }

    fn commands(&mut self, command: &Command, title: &str) {
        if !command.has_subcommands() {
            return;
        }
        self.section("Commands");
        for own in command.get_subcommands() {
            let about = own.get_about().map(ToString::to_string).unwrap_or_default();
            let page = escaped(&format!("{title}-{}", own.get_name()));
            let _ = writeln!(self.0, ".TP\n\\fB{page}\\fR(1)\n{}", escaped(&about));
        }
    }

    /// Writes the arguments and flags, each group under its heading.
    fn arguments(&mut self, command: &Command) {
        let shown: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
        let mut headings: Vec<&str> = Vec::new();
        for arg in &shown {
            let heading = heading(arg);
            if !headings.contains(&heading) {
                headings.push(heading);
            }
        }
        for group in headings {
            self.section(group);
            for arg in shown.iter().filter(|arg| heading(arg) == group) {
                self.argument(arg);
            }
        }
    }

    fn argument(&mut self, arg: &Arg) {
        let mut names: Vec<String> =
            arg.get_short().map(|short| format!("\\fB\\-{short}\\fR")).into_iter().collect();
        names.extend(arg.get_long().map(|long| format!("\\fB\\-\\-{}\\fR", escaped(long))));
        let value = format!("\\fI{}\\fR", escaped(&values(arg)));
        let line = match (names.is_empty(), arg.get_action().takes_values()) {
            (true, _) => value,
            (false, true) => format!("{}={value}", names.join(", ")),
            (false, false) => names.join(", "),
        };
        let _ = writeln!(self.0, ".TP\n{line}");
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        self.paragraphs(&help, ".IP");
        let values = arg.get_possible_values();
        let shown: Vec<String> = values
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| match value.get_help() {
                Some(help) => {
                    format!("\\fB{}\\fR ({})", escaped(value.get_name()), escaped(&help.to_string()))
                }
                None => format!("\\fB{}\\fR", escaped(value.get_name())),
            })
            .collect();
        if !shown.is_empty() && arg.get_action().takes_values() {
            let _ = writeln!(self.0, ".IP\nValues: {}", shown.join(", "));
        }
        let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() && arg.get_action().takes_values() && !arg.is_hide_default_value_set() {
            let _ = writeln!(self.0, ".IP\nDefault: {}", escaped(&defaults.join(", ")));
        }
    }

    fn exit_status(&mut self, statuses: &[String]) {
        self.section("Exit status");
        let usual = ["0 done".to_owned(), "2 the input is wrong".to_owned(), "3 kadmit has a bug".to_owned()];
        for status in if statuses.is_empty() { &usual[..] } else { statuses } {
            let (number, meaning) = status.split_once(' ').expect("a number and its meaning");
            let _ = writeln!(self.0, ".TP\n\\fB{number}\\fR\n{}", escaped(meaning));
        }
    }

    /// Writes paragraphs; the first one needs nothing before it.
    fn paragraphs(&mut self, text: &str, separator: &str) {
        for (position, paragraph) in text.split("\n\n").enumerate() {
            if position > 0 {
                let _ = writeln!(self.0, "{separator}");
            }
            let _ = writeln!(self.0, "{}", escaped(&paragraph.replace('\n', " ")));
        }
    }

    fn verbatim(&mut self, text: &str) {
        self.0.push_str(".nf\n");
        for line in text.trim_end().lines() {
            let line = if line.is_empty() { "\\&".to_owned() } else { escaped(line) };
            let _ = writeln!(self.0, "{line}");
        }
        self.0.push_str(".fi\n");
    }
}

fn heading(arg: &Arg) -> &str {
    arg.get_help_heading().unwrap_or(if arg.is_positional() { "Arguments" } else { "Options" })
}

fn values(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Text as troff reads it.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}
