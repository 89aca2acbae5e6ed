//! `kadmit explain`

use std::fmt::Write;

use clap::Args;
use colored::Colorize;
use textwrap::{Options, WordSeparator, WordSplitter};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::plugin::{self, Plugin};
use crate::report::{Code, Diagnostic, Escapes, Severity};

/// Explain what an admission plugin does, or what the code of an error means
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Explain {
    #[arg(
        value_name = "NAME",
        help = "Explain this plugin, such as LimitRanger, or this code, such as kadmit::manifest::yaml"
    )]
    name: String,
}

const EXAMPLES: &str = "\
Examples:
  kadmit explain PodSecurity
  kadmit explain restricted
  kadmit explain kadmit::manifest::yaml";

/// Prose is not read in longer lines, wherever it goes.
const WIDEST: usize = 100;

impl Explain {
    pub(super) fn execute(self, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        let width = console.width().min(WIDEST);
        match (found(&self.name), Code::find(&self.name)) {
            (Some(plugin), _) => console.write(&text(plugin, width), Escapes::Colored),
            (None, Some(code)) => console.write(&text_of_code(code, width), Escapes::Colored),
            (None, None) => console.say(&unknown(&self.name)),
        }
        console.exit()
    }
}

/// Other names of plugins, and what they are looked up for.
const ALIASES: &[(&[&str], &str)] = &[
    (&["baseline", "privileged", "psa", "pss", "restricted"], "PodSecurity"),
    (&["psp"], "PodSecurityPolicy"),
    (&["limits"], "LimitRanger"),
    (&["quota", "resourcequotas"], "ResourceQuota"),
    (&["scc"], "security.openshift.io/SecurityContextConstraint"),
    (&["vap"], "ValidatingAdmissionPolicy"),
    (&["map"], "MutatingAdmissionPolicy"),
    (&["webhook", "webhooks"], "ValidatingAdmissionWebhook"),
];

/// Returns the plugin with this name, in any case, or with this other name.
fn found(name: &str) -> Option<&'static Plugin> {
    let lower = name.to_lowercase();
    let alias = ALIASES.iter().find(|(aliases, _)| aliases.contains(&lower.as_str())).map(|(_, name)| *name);
    let same = || plugin::all().find(|plugin| plugin.name.to_lowercase() == lower);
    plugin::find(alias.unwrap_or(name)).or_else(same)
}

fn unknown(name: &str) -> Diagnostic {
    if name.starts_with("kadmit::") {
        let message = format!("there is no code \"{name}\"");
        let likely = Code::ALL.iter().map(|code| (strsim::jaro_winkler(code.name(), name), code.name()));
        let likely = likely.max_by(|(left, _), (right, _)| left.total_cmp(right));
        let help = likely.map_or(String::new(), |(_, likely)| format!("did you mean \"{likely}\"?"));
        return Diagnostic::input(Code::PluginUnknown, message).help(help);
    }
    let message = format!("there is no admission plugin \"{name}\"");
    let help = match plugin::suggest(name) {
        Some(plugin) => format!("did you mean \"{}\"?", plugin.name),
        None => "`kadmit plugins` lists them".to_owned(),
    };
    Diagnostic::input(Code::PluginUnknown, message).help(help)
}

fn text(plugin: &Plugin, width: usize) -> String {
    let mut text = format!("{}\n\n", plugin.name.bold());
    text.push_str(&render(&plugin.documentation(), width));
    text
}

fn text_of_code(code: Code, width: usize) -> String {
    let severity = match code.severity() {
        Severity::Error => "An error",
        Severity::Warning => "A warning",
        Severity::Note => "A note",
    };
    let markdown = format!("{severity}. {}\n\n# What to do\n\n{}\n", code.meaning(), code.remedy());
    format!("{}\n\n{}", code.name().bold(), render(&markdown, width))
}

/// Renders Markdown for a terminal: headings in bold, paragraphs and items as wide as `width`, code as it is.
fn render(markdown: &str, width: usize) -> String {
    let mut out = String::new();
    let mut block = String::new();
    let mut table = Vec::new();
    let mut code = false;
    for line in markdown.lines() {
        let fence = line.starts_with("```");
        let row = line.strip_prefix("| ").filter(|_| !code);
        let starts_block =
            fence || row.is_some() || line.is_empty() || line.starts_with("# ") || line.starts_with("- ");
        if starts_block || code {
            flush(&mut block, &mut out, width);
        }
        if row.is_none() && !line.starts_with("|-") {
            write_table(&mut table, &mut out);
        }
        if fence {
            code = !code;
        } else if code {
            let _ = writeln!(out, "    {line}");
        } else if let Some(heading) = line.strip_prefix("# ") {
            let _ = writeln!(out, "{}", heading.bold());
        } else if line.is_empty() {
            out.push('\n');
        } else if let Some(row) = row {
            table.push(row.trim_end_matches(['|', ' ']).split(" | ").map(str::trim).collect());
        } else if line.starts_with("|-") {
            // The line below the head of a table is not shown.
        } else {
            block.push_str(line.trim_start());
            block.push(' ');
        }
    }
    flush(&mut block, &mut out, width);
    write_table(&mut table, &mut out);
    out
}

/// Writes a table with columns as wide as needed.
fn write_table(rows: &mut Vec<Vec<&str>>, out: &mut String) {
    let cells_of = |column: usize| rows.iter().filter_map(move |row: &Vec<&str>| row.get(column).copied());
    let widths: Vec<_> = (0..).map_while(|column| cells_of(column).map(str::len).max()).collect();
    for row in rows.iter() {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        out.push_str(&with_code(line.trim_end()));
        out.push('\n');
    }
    rows.clear();
}

fn flush(block: &mut String, out: &mut String, width: usize) {
    if block.is_empty() {
        return;
    }
    let indent = if block.starts_with("- ") { "  " } else { "" };
    let options = Options::new(width)
        .subsequent_indent(indent)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    let wrapped = textwrap::fill(block.trim_end(), options);
    out.push_str(&with_code(&wrapped));
    out.push('\n');
    block.clear();
}

/// Colours code instead of keeping its backticks, if colours are enabled.
fn with_code(text: &str) -> String {
    if !colored::control::SHOULD_COLORIZE.should_colorize() {
        return text.to_owned();
    }
    let parts = text.split('`').enumerate();
    parts
        .map(|(position, part)| if position % 2 == 1 { part.cyan().to_string() } else { part.to_owned() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::ALL_ORDERED_PLUGINS;

    #[test]
    fn tables_keep_their_columns() {
        let markdown = "| Label | Means |\n|---|---|\n| `a` | one |\n| `long` | two |\n\nEnd.\n";
        assert_eq!(render(markdown, 80), "Label   Means\n`a`     one\n`long`  two\n\nEnd.\n");
    }

    #[test]
    fn renders_what_plugin_files_hold() {
        let markdown = "Gives pods\nwhat they need.\n\n# When it rejects\n\n- A pod of a\n  kind.\n- Another.\n\n```yaml\na:\n  b: 1\n```\n";
        assert_eq!(
            render(markdown, 20),
            "Gives pods what they\nneed.\n\nWhen it rejects\n\n- A pod of a kind.\n- Another.\n\n    a:\n      b: 1\n"
        );
    }

    #[test]
    fn every_plugin_is_explained() {
        for plugin in ALL_ORDERED_PLUGINS {
            let text = text(plugin, 80);
            assert!(text.lines().count() > 4, "{}", plugin.name);
            assert!(!text.contains("//!") && !text.contains("```"), "{text}");
        }
    }

    #[test]
    fn finds_plugins_by_what_they_are_called() {
        let of_openshift = |name: &str| name.contains('/') && cfg!(not(feature = "openshift"));
        for (aliases, name) in ALIASES.iter().filter(|(_, name)| !of_openshift(name)) {
            assert!(aliases.iter().all(|alias| found(alias).unwrap().name == *name), "{name}");
        }
        assert_eq!(found("limitranger").unwrap().name, "LimitRanger");
        assert!(found("x").is_none());
    }

    #[test]
    fn suggests_a_plugin_for_an_unknown_name() {
        assert_eq!(unknown("limitrange").help.unwrap(), "did you mean \"LimitRanger\"?");
        assert_eq!(unknown("x").help.unwrap(), "`kadmit plugins` lists them");
    }
}
