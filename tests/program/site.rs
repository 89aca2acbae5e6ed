//! The site in `docs`: every page is in its summary, every link leads somewhere, its sessions and reference pages are the
//! program's. `KADMIT_UPDATE=1 cargo test` writes them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Arg;
use kadmit::cli::{SETTINGS_HELP, definition};
use kadmit::plugin::ALL_ORDERED_PLUGINS;

use crate::golden;
use crate::manual;

/// Where pages link to what is not in the site.
const REPOSITORY: &str = "https://github.com/OWNER/kadmit/";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the pages below `docs`, by their paths from there.
fn pages() -> BTreeSet<PathBuf> {
    let mut pages = BTreeSet::new();
    let mut directories = vec![root().join("docs")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "playground") {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.insert(path.strip_prefix(root().join("docs")).expect("below docs").to_owned());
            }
        }
    }
    pages
}

/// Returns the targets of the links in the Markdown `text`, outside of code.
fn links(text: &str) -> Vec<&str> {
    let mut in_code = false;
    let prose = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !is_fence && !in_code
    });
    prose.flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split(')').next()).collect()
}

/// Returns the anchors of the headings in the Markdown `text`.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let anchor = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|character| character.is_alphanumeric() || [' ', '-', '_'].contains(character));
        kept.collect::<String>().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("a summary");
    let mut listed: BTreeSet<PathBuf> = links(&summary).into_iter().map(PathBuf::from).collect();
    listed.insert("SUMMARY.md".into());
    assert_eq!(listed, pages());
}

#[test]
fn every_link_leads_somewhere() {
    let docs = fs::canonicalize(root().join("docs")).expect("a name");
    let mut count = 0;
    for page in pages() {
        let path = root().join("docs").join(&page);
        let text = fs::read_to_string(&path).expect("a page");
        for link in links(&text).into_iter().filter(|link| !link.contains(' ')) {
            if let Some(rest) = link.strip_prefix(REPOSITORY) {
                let file = rest.split_once("/main/").map_or("", |(_, file)| file);
                let file = file.split('#').next().unwrap_or_default();
                assert!(root().join(file).exists(), "{}: {link}", page.display());
            }
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if file.is_empty() { path.clone() } else { path.parent().expect("a directory").join(file) };
            assert!(target.exists(), "{}: {link}", page.display());
            let is_in_site = fs::canonicalize(&target).expect("a name").starts_with(&docs);
            assert!(is_in_site, "{}: {link} is not in the site; begin it with {REPOSITORY}", page.display());
            if !anchor.is_empty() && target.extension().is_some_and(|extension| extension == "md") {
                let text = fs::read_to_string(&target).expect("a page");
                assert!(anchors(&text).contains(anchor), "{}: {link}", page.display());
            }
            count += 1;
        }
    }
    assert!(count > 50, "{count} links");
}

/// Readers copy the commands, also those that need a cluster or files of their own and are not run here.
#[test]
fn every_command_of_the_pages_can_be_parsed() {
    let definition = definition();
    let mut count = 0;
    let pages = pages().into_iter().map(|page| Path::new("docs").join(page));
    for page in pages.chain(["README.md".into(), "packaging/README.md".into()]) {
        // What xargs replaces.
        let text = fs::read_to_string(root().join(&page)).expect("a page").replace("NUMBER", "1");
        for words in shell_blocks(&text).iter().flat_map(|block| commands(block)) {
            let is_own =
                |pair: &[String]| pair[0] == "kadmit" && definition.find_subcommand(&pair[1]).is_some();
            let Some(start) = words.windows(2).position(is_own) else { continue };
            let parsed = definition.clone().try_get_matches_from(&words[start..]);
            assert!(parsed.is_ok(), "{}: {words:?}\n{}", page.display(), parsed.expect_err("an error"));
            count += 1;
        }
    }
    assert!(count > 120, "{count} commands");
}

/// Returns what is typed in the shell blocks of the Markdown `text`.
fn shell_blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<(bool, String)> = None;
    let mut continues = false;
    for line in text.lines().map(str::trim_start) {
        match &mut block {
            None if line == "```sh" || line == "```console" => {
                block = Some((line == "```console", String::new()));
            }
            None => {}
            Some(_) if line == "```" => blocks.extend(block.take().map(|(_, typed)| typed)),
            Some((is_session, typed)) => {
                let prompted = line.strip_prefix("$ ");
                if !*is_session || continues || prompted.is_some() {
                    typed.extend([prompted.unwrap_or(line), "\n"]);
                    continues = line.ends_with('\\');
                }
            }
        }
    }
    blocks
}

/// Returns the words of each command in `text`, which is for a shell; what a redirection names is a command here.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let text = text.replace("\\\n", " ");
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => {
                characters.by_ref().find(|&character| character == '\n');
                commands.push(Vec::new());
            }
            (None, ' ' | '\n' | '|' | ';' | '&' | '(' | ')' | '<' | '>') => {
                commands.last_mut().expect("a command").extend(word.take());
                if character != ' ' {
                    commands.push(Vec::new());
                }
            }
            _ => word.get_or_insert_default().push(character),
        }
    }
    commands
}

#[test]
fn the_sessions_of_the_guides_are_real() {
    let directory = root().join("testdata/guides");
    let count = |page: &str| golden::compare_sessions(&root().join("docs").join(page), &directory);
    let counts = [
        ("tutorial.md", 3),
        ("guides/pod-security.md", 2),
        ("guides/quota.md", 1),
        ("guides/limit-range.md", 1),
        ("guides/scc.md", 1),
        ("guides/upgrade.md", 1),
        ("guides/policy-in-ci.md", 2),
        ("guides/diff.md", 1),
        ("guides/compare.md", 2),
        ("guides/blame.md", 1),
        ("guides/fixtures.md", 2),
    ];
    for (page, expected) in counts {
        assert_eq!(count(page), expected, "{page}");
    }
}

#[test]
fn the_reference_of_flags_is_the_programs() {
    let mut command = definition();
    command.build();
    let mut text =
        "# Commands and flags\n\nWritten by the tests from the program's own definition.\n".to_owned();
    for own in command.get_subcommands() {
        write_command(&mut text, own, &format!("kadmit {}", own.get_name()));
    }
    golden::compare(text, &root().join("docs/reference/flags.md"));
}

fn write_command(text: &mut String, command: &clap::Command, name: &str) {
    if command.has_subcommands() {
        for own in command.get_subcommands() {
            write_command(text, own, &format!("{name} {}", own.get_name()));
        }
        return;
    }
    let (about, statuses) = manual::about(name);
    let _ = write!(text, "\n## `{name}`\n\n{}\n", escaped(&about));
    if let Some(examples) = command.get_before_help() {
        let examples = dedented(examples.to_string().trim_start_matches("Examples:\n"));
        let examples: Vec<String> = examples.lines().map(commented).collect();
        let _ = write!(text, "\n```sh\n{}\n```\n", examples.join("\n"));
    }
    if !statuses.is_empty() {
        text.push_str("\n| exit status | meaning |\n|---|---|\n");
        for status in statuses {
            let (number, meaning) = status.split_once(' ').expect("a number and its meaning");
            let _ = writeln!(text, "| {number} | {} |", escaped(meaning));
        }
    }
    text.push_str("\n| flag | |\n|---|---|\n");
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        let mut help = escaped(&help.replace("\n\n", " ").replace('\n', " ")).replace('|', "\\|");
        let values = arg.get_possible_values();
        if !values.is_empty() && arg.get_action().takes_values() {
            let names: Vec<String> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
            let _ = write!(help, ". One of {}", names.join(", "));
        }
        let _ = writeln!(text, "| {} | {help} |", flag(arg).replace('|', "\\|"));
    }
}

fn flag(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    let value = names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let short = arg.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
    match (arg.get_long(), arg.get_action().takes_values()) {
        (Some(long), true) => format!("{short}`--{long} {value}`"),
        (Some(long), false) => format!("{short}`--{long}`"),
        (None, _) => format!("`{value}`"),
    }
}

/// Text that Markdown does not take for HTML.
fn escaped(text: &str) -> String {
    text.split('`')
        .enumerate()
        .map(
            |(position, part)| {
                if position % 2 == 1 { format!("`{part}`") } else { part.replace('<', "&lt;") }
            },
        )
        .collect()
}

/// Marks what is said about an example as a comment, so that its line can be copied into a shell.
fn commented(example: &str) -> String {
    let command = example.trim_start();
    match command.find("  ") {
        Some(end) => {
            let gap = command[end..].len() - command[end..].trim_start().len();
            format!("{}# {}", &example[..example.len() - command.len() + end + gap], &command[end + gap..])
        }
        None => example.to_owned(),
    }
}

fn dedented(text: &str) -> String {
    text.trim_end().lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_reference_of_settings_is_the_programs() {
    let text = format!(
        "# kadmit.toml\n\nThis is what `kadmit help settings` prints; the keys are the flags in [commands and \
         flags](flags.md).\n\n```text\n{}\n```\n",
        dedented(SETTINGS_HELP.trim_start_matches("Settings:\n"))
    );
    golden::compare(text, &root().join("docs/reference/settings.md"));
}

#[test]
fn the_reference_of_plugins_is_what_explain_prints() {
    let mut text =
        "# What each plugin does\n\nAs `kadmit explain` prints it, in the order of the chain.\n".to_owned();
    for plugin in ALL_ORDERED_PLUGINS {
        let _ = write!(text, "\n## {}\n\n", plugin.name);
        let mut in_code = false;
        for line in plugin.documentation().lines() {
            in_code ^= line.starts_with("```");
            let heading = if line.starts_with("# ") && !in_code { "##" } else { "" };
            let _ = writeln!(text, "{heading}{line}");
        }
    }
    golden::compare(text, &root().join("docs/reference/plugins.md"));
}

/// `mdBook` is no dependency; where it is installed, the site is built.
#[test]
fn the_site_can_be_built() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
    let Ok(output) =
        Command::new("mdbook").arg("build").arg(root().join("docs")).arg("--dest-dir").arg(&target).output()
    else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("[WARN]"), "{said}");
    assert!(target.join("guides/quota.html").is_file());
}
