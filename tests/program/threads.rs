//! The number of threads does not affect the answer.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

/// Returns documents of one file, more than are evaluated concurrently: Pods, some of which are refused, updated or
/// broken.
fn documents() -> String {
    let mut text = String::new();
    for number in 0..700 {
        let name = number % 600;
        match number % 50 {
            7 => text.push_str("broken: [\n"),
            11 => text.push_str("apiVersion: example.com/v1\nkind: Unknown\nmetadata: {name: a}\n"),
            13 => text.push_str("# nothing\n"),
            23 => text.push_str("apiVersion: v1\nkind: Pod\nmetadata: {name: no-containers}\n"),
            _ => write!(
                text,
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: pod-{name}}}\nspec:\n  containers:\n  \
                 - {{name: main, image: nginx}}\n"
            )
            .expect("writing to a string does not fail"),
        }
        text.push_str("---\n");
    }
    text
}

fn run(path: &Path, format: &str, threads: &str) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_kadmit"))
        .args(["run", "-o", format])
        .arg(path)
        .env("RAYON_NUM_THREADS", threads)
        .stderr(Stdio::null())
        .output()
        .expect("a program to run");
    output.stdout
}

#[test]
fn the_report_is_the_same_on_any_number_of_threads() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("threads.yaml");
    fs::write(&path, documents()).expect("a folder to write to");
    for format in ["json", "jsonl", "yaml"] {
        let one = run(&path, format, "1");
        assert!(one.len() > 100_000, "{format}: {} bytes", one.len());
        assert!(one == run(&path, format, "2"), "{format}");
        assert!(one == run(&path, format, "5"), "{format}");
    }
}
