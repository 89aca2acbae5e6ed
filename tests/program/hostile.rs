//! Input never controls a terminal or breaks out of a report.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kadmit::SourceFile;

use gotext::value::Value;

use crate::reports;

/// The number of hostile documents, unless `KADMIT_HOSTILE` sets another.
const COUNT: usize = 500;

fn count() -> usize {
    env::var("KADMIT_HOSTILE").map_or(COUNT, |count| count.parse().expect("KADMIT_HOSTILE is a number"))
}

/// Returns the program: that of this build, or for many documents the faster one that `KADMIT_PROGRAM` names.
fn program() -> PathBuf {
    env::var_os("KADMIT_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_kadmit").into(), PathBuf::from)
}

/// A colour that no report has.
const FOREIGN_COLOR: &str = "\u{1B}[35;7m";

/// The hostile text: as it is, or escaped as in YAML.
const POISONS: [&str; 14] = [
    FOREIGN_COLOR,
    "\u{1B}]0;title\u{7}",
    "\u{9B}2J",
    "\u{202E}",
    "\u{2066}",
    "\u{200F}",
    "\u{7F}",
    "\r",
    "\u{85}",
    "\n::error::broken",
    "`|<script>@kadmit",
    "<!-- x",
    "\u{1B}[2K\u{1B}[1A",
    "\u{0}",
];

const FORMATS: [&str; 15] = [
    "text",
    "blame",
    "tap",
    "github",
    "markdown",
    "json",
    "jsonl",
    "yaml",
    "sarif",
    "junit",
    "gitlab",
    "html",
    "policyreport",
    "policyreport-v1alpha2",
    "admissionreview",
];

/// A generator of reproducible random numbers: xorshift.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("it is below a usize")
    }
}

/// Returns the manifests of the repository's own examples, as text.
fn manifests() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let mut texts = Vec::new();
    for directory in ["quickstart/manifests", "quickstart/cluster", "cli/input/odd"] {
        let mut files: Vec<PathBuf> = fs::read_dir(root.join(directory))
            .expect("a directory")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
            .collect();
        files.sort();
        texts.extend(files.iter().map(|file| fs::read_to_string(file).expect("a text")));
    }
    texts
}

/// Returns `poison` as YAML writes it in double quotes.
fn escaped(poison: &str) -> String {
    let escape = |character| format!("\\U{:08x}", u32::from(character));
    poison.chars().map(escape).collect::<Vec<_>>().concat()
}

/// Returns `text` with hostile text at a place where it may be a key, a value, a comment, or invalid YAML.
fn poisoned(text: &str, numbers: &mut Numbers) -> String {
    let poison = POISONS[numbers.below(POISONS.len())];
    let lines: Vec<&str> = text.lines().collect();
    let target = numbers.below(lines.len());
    let mut shown: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let line = &mut shown[target];
    match (numbers.below(4), line.split_once(": ")) {
        (0, _) => line.extend([" # ", &poison.replace(['\n', '\r'], " ")]),
        (1, Some((key, value))) => {
            let escaped = escaped(poison);
            *line = format!("{key}: \"{}{escaped}\"", value.replace(['"', '\\'], ""));
        }
        (2, Some((key, value))) => {
            let indent = key.len() - key.trim_start_matches([' ', '-']).len();
            let escaped = escaped(poison);
            *line = format!("{}\"{}{escaped}\": {value}", &key[..indent], &key[indent..]);
        }
        _ => line.push_str(poison),
    }
    shown.join("\n") + "\n"
}

/// Returns the files of hostile documents, in a separate directory.
fn hostile_directory(name: &str, count: usize, seed: u64) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a directory");
    let (texts, mut numbers) = (manifests(), Numbers(seed));
    for position in 0..count {
        let text = &texts[numbers.below(texts.len())];
        let file = directory.join(format!("{position:05}.yaml"));
        fs::write(file, poisoned(text, &mut numbers)).expect("it can be written");
    }
    directory
}

fn run(directory: &Path, format: &str, color: &str) -> (String, String) {
    let arguments = ["run", "--no-settings", "--color", color, "-o", format];
    execute(&arguments.map(OsStr::new), &[directory])
}

/// Returns the two outputs of the program.
fn execute(arguments: &[&OsStr], paths: &[&Path]) -> (String, String) {
    let output = Command::new(program()).args(arguments).args(paths).output().expect("the program runs");
    let status = output.status.code();
    assert!(
        matches!(status, Some(0..=2)),
        "{arguments:?}: {status:?} {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

/// Returns the first character of `text` that controls a terminal; with `colors`, apart from colour sequences.
fn steering(text: &str, colors: bool) -> Option<String> {
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let sequence = rest.strip_prefix("\u{1B}[").and_then(|parameters| {
            let end = parameters.find(|character: char| !character.is_ascii_digit() && character != ';')?;
            parameters[end..].starts_with('m').then_some(&parameters[end + 1..])
        });
        if let (true, Some(behind)) = (colors, sequence) {
            rest = behind;
            continue;
        }
        let is_steering = match character {
            '\n' | '\t' => false,
            '\u{200F}' | '\u{202E}' | '\u{2066}' => true,
            other => other.is_control(),
        };
        if is_steering {
            let start = text.len() - rest.len();
            let from = (0..=start.saturating_sub(60)).rev().find(|at| text.is_char_boundary(*at));
            return Some(format!("{character:?} behind {:?}", &text[from.unwrap_or(0)..start]));
        }
        rest = &rest[character.len_utf8()..];
    }
    None
}

#[test]
fn no_control_character_reaches_a_terminal() {
    let directory = hostile_directory("hostile", count(), 0x9E37_79B9_7F4A_7C15);
    for format in FORMATS {
        let (out, err) = run(&directory, format, "never");
        assert!(!out.is_empty(), "{format}");
        assert_eq!(steering(&err, false), None, "standard error of {format}");
        match format {
            "json" | "sarif" | "gitlab" => {
                serde_json::from_str::<Value>(&out).expect("JSON");
            }
            "jsonl" | "admissionreview" => out.lines().for_each(|line| {
                serde_json::from_str::<Value>(line).expect("JSON");
            }),
            "junit" => drop(roxmltree::Document::parse(&out).expect("XML")),
            "yaml" | "policyreport" | "policyreport-v1alpha2" => {
                for document in kube_yaml::read(&SourceFile::new(format, out.as_str())) {
                    document.unwrap_or_else(|error| panic!("{format}: {error}"));
                }
                // Marks of writing direction are text in YAML that other programs read.
                let is_control = |character: char| character.is_control() && character != '\n';
                assert!(!out.contains(is_control), "{format}");
            }
            "html" => {
                let page = reports::page(&out);
                assert_eq!(page.matches("<script").count(), 1, "the only script is ours");
                // The rows beyond the first are comments until they are scrolled to.
                let comments = page.matches("<!--rows\n").count();
                assert_eq!(page.matches("<!--").count(), comments, "nothing else is a comment");
                assert_eq!(page.matches("-->").count(), comments, "nothing ends a comment");
            }
            _ => {}
        }
        assert!(format == "yaml" || steering(&out, false).is_none(), "{format}: {:?}", steering(&out, false));
        if format == "github" {
            assert!(out.lines().all(|line| line.starts_with("::")), "every line is one command");
            assert!(
                !out.lines().any(|line| line.starts_with("::error::broken")),
                "nothing else is a command"
            );
        }
    }
}

#[test]
fn colours_are_ours_alone() {
    let directory = hostile_directory("hostile-colours", count(), 0xD1B5_4A32_D192_ED03);
    for format in ["text", "blame"] {
        let (out, err) = run(&directory, format, "always");
        for text in [&out, &err] {
            assert_eq!(steering(text, true), None, "{format}");
            assert!(!text.contains(FOREIGN_COLOR), "{format}");
        }
        // A colour from the input would be the only one without an end.
        let plain = run(&directory, format, "never").0;
        let escaped = |text: &str| text.matches("\\u{1b}").count();
        assert!(escaped(&plain) > 10, "{format}");
        assert_eq!(escaped(&out), escaped(&plain), "{format}");
    }
}

#[test]
fn no_command_passes_a_control_character_on() {
    let seeds = [("hostile-before", 0x9E37_79B9_7F4A_7C15), ("hostile-after", 0xD1B5_4A32_D192_ED03)];
    let [before, after] = seeds.map(|(name, seed)| {
        let directory = hostile_directory(name, count() / 5, seed);
        // A name of a file is input as well.
        #[cfg(unix)]
        fs::copy(
            directory.join("00000.yaml"),
            directory.join(FOREIGN_COLOR.to_owned() + "\u{202E}\n::error::.yaml"),
        )
        .expect("it can be written");
        directory
    });
    let cluster = before.to_str().expect("UTF-8");
    let mut commands: Vec<(Vec<&str>, Vec<&Path>)> = Vec::new();
    for format in ["text", "json", "markdown", "html", "sarif", "junit", "github"] {
        let always = ["--no-settings", "--color", "always", "-o", format];
        commands.push(([&["diff"], &always[..]].concat(), vec![&before, &after]));
        let audit = ["--cluster", cluster, "--after", "--enable-admission-plugins=AlwaysPullImages"];
        commands.push(([&["compare"], &always[..], &audit].concat(), vec![&after]));
        if format != "html" {
            commands.push(([&["test"], &always[..]].concat(), vec![&before]));
        }
    }
    for format in ["text", "json", "markdown"] {
        let levels = ["levels", "--color", "always", "-o", format, "--cluster", cluster];
        commands.push((levels.to_vec(), vec![]));
    }
    commands.push((["fixtures", "--color", "always", "--check"].to_vec(), vec![&before, &after]));
    for (arguments, paths) in commands {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let (out, err) = execute(&arguments, &paths);
        for text in [&out, &err] {
            assert_eq!(steering(text, true), None, "{arguments:?}");
            assert!(!text.contains(FOREIGN_COLOR), "{arguments:?}");
        }
    }
}
