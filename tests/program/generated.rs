//! Completions and man pages are generated from the definition of the arguments; `KADMIT_UPDATE=1 cargo test` refreshes
//! them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use clap_complete::{Generator, Shell};

use crate::manual;

/// Compares the directory `name` with `files`: each byte for byte, without missing or extra files.
fn compare(name: &str, files: &BTreeMap<String, Vec<u8>>) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if env::var_os("KADMIT_UPDATE").is_some() {
        write(&directory, files).expect("the files can be written");
    }
    let present = fs::read_dir(&directory).expect("the directory is there");
    let present: BTreeMap<String, PathBuf> = present
        .map(|file| file.expect("a file"))
        .map(|file| (file.file_name().to_string_lossy().into_owned(), file.path()))
        .collect();
    let names = |files: &mut dyn Iterator<Item = &String>| files.cloned().collect::<Vec<_>>();
    assert_eq!(names(&mut present.keys()), names(&mut files.keys()), "the files in {name}");
    for (file, expected) in files {
        let same = fs::read(&present[file]).expect("a readable file") == *expected;
        assert!(same, "{name}/{file} is not up to date; KADMIT_UPDATE=1 cargo test writes it");
    }
}

fn write(directory: &Path, files: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    fs::create_dir_all(directory)?;
    files.iter().try_for_each(|(name, content)| fs::write(directory.join(name), content))
}

const SHELLS: [Shell; 5] = [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh];

#[test]
fn completions() {
    let script =
        |shell: Shell| (shell.file_name("kadmit"), kadmit::cli::completion_script(shell).into_bytes());
    let files: BTreeMap<_, _> = SHELLS.into_iter().map(script).collect();
    assert_eq!(files.len(), SHELLS.len());
    compare("completions", &files);
    for shell in SHELLS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
        let output = command.args(["completions", &shell.to_string()]).output().expect("the program runs");
        assert!(output.stdout == files[&shell.file_name("kadmit")], "{shell}");
    }
}

/// Names that a shell can offer are in its script, and paths are not flags.
#[test]
fn completions_know_names() {
    let script = kadmit::cli::completion_script(Shell::Bash);
    for name in ["AlwaysPullImages", "1.30", "kadmit::manifest::yaml", "AllAlpha=true", "settings"] {
        assert!(script.contains(name), "{name}");
    }
    let fish = kadmit::cli::completion_script(Shell::Fish);
    assert!(fish.contains(r#"-n "__fish_kadmit_using_subcommand explain" -f -a "AlwaysAdmit "#));
    let run = script.split("        kadmit__subcmd__run)").nth(1).expect("the completion of `kadmit run`");
    assert!(run.lines().nth(2).is_some_and(|line| line.trim() == "if [[ ${cur} == -* ]] ; then"), "{run}");
}

#[test]
fn man_pages() {
    let mut command = kadmit::cli::definition();
    command.build();
    let mut names = Vec::new();
    add_names(&command, "kadmit", &mut names);
    let mut files = BTreeMap::new();
    add_page(&command, "kadmit", &names, &mut files);
    assert!(files.contains_key("kadmit.1") && files.contains_key("kadmit-config-check.1"));
    compare("man", &files);
    lint(&files);
}

fn add_names(command: &clap::Command, name: &str, names: &mut Vec<String>) {
    names.push(name.replace(' ', "-"));
    for own in command.get_subcommands() {
        add_names(own, &format!("{name} {}", own.get_name()), names);
    }
}

fn add_page(command: &clap::Command, name: &str, names: &[String], files: &mut BTreeMap<String, Vec<u8>>) {
    let title = name.replace(' ', "-");
    // The page of a command leads to that of the program, and the page of the program to all others.
    let parts: Vec<String> =
        names.iter().filter(|other| other.starts_with(&format!("{title}-"))).cloned().collect();
    let main = ["kadmit".to_owned()];
    let related = if parts.is_empty() { &main[..] } else { &parts };
    files.insert(format!("{title}.1"), manual::page(command, name, related).into_bytes());
    for own in command.get_subcommands() {
        add_page(own, &format!("{name} {}", own.get_name()), names, files);
    }
}

/// Asks mandoc about the pages, where it is installed.
fn lint(files: &BTreeMap<String, Vec<u8>>) {
    if Command::new("mandoc").arg("-h").output().is_err() {
        return;
    }
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
    for name in files.keys() {
        let output =
            Command::new("mandoc").args(["-T", "lint", "-W", "warning"]).arg(directory.join(name)).output();
        let output = output.expect("mandoc runs");
        let said = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
        assert!(said.is_empty(), "{said}");
    }
}
