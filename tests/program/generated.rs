//! Completions and man pages are generated from the definition of the arguments; `KADMIT_UPDATE=1 cargo test` refreshes
//! them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use clap::CommandFactory;
use clap_complete::{Generator, Shell};
use clap_mangen::Man;
use kadmit::cli::Cli;

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
    let script = |shell: Shell| {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "kadmit", &mut script);
        (shell.file_name("kadmit"), script)
    };
    let files: BTreeMap<_, _> = SHELLS.into_iter().map(script).collect();
    assert_eq!(files.len(), SHELLS.len());
    compare("completions", &files);
    for shell in SHELLS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
        let output = command.args(["completions", &shell.to_string()]).output().expect("the program runs");
        assert!(output.stdout == files[&shell.file_name("kadmit")], "{shell}");
    }
}

#[test]
fn man_pages() {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut files = BTreeMap::new();
    add_page(&command, &mut files);
    assert!(files.contains_key("kadmit.1") && files.contains_key("kadmit-config-check.1"));
    compare("man", &files);
}

fn add_page(command: &clap::Command, files: &mut BTreeMap<String, Vec<u8>>) {
    let man = Man::new(command.clone()).source(concat!("kadmit ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render(&mut text).expect("memory can be written");
    files.insert(man.get_filename(), text);
    for subcommand in command.get_subcommands() {
        add_page(subcommand, files);
    }
}
