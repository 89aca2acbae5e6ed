//! What Secrets keep reaches no report, in whatever format.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::golden;

/// What the Secrets of the examples keep, as it is written and as it is stored.
const KEPT: [&str; 2] = ["hunter", "aHVudGVy"];

/// Commands that may print objects; `FORMAT` stands for every format that they know.
const COMMANDS: [&str; 16] = [
    "run -v -o FORMAT --cluster input/secrets/rotate.yaml input/secrets/database.yaml input/secrets/review.yaml",
    "run -v -o FORMAT --policy input/secrets/policies.yaml input/secrets/database.yaml",
    "run -v -o FORMAT --cluster input/secrets/policies.yaml --cluster input/secrets/warnings.yaml \
     input/secrets/database.yaml",
    "run -v -o FORMAT --cluster input/secrets/database.yaml --admission-control AlwaysDeny input/secrets/review.yaml",
    "run -v -o FORMAT input/secret-invalid.yaml input/secret-not-base64.yaml input/secret-duplicate.yaml",
    "run -v -o FORMAT --cluster input/secrets/rotate.yaml --cluster input/secrets/policies.yaml \
     input/secrets/database.yaml",
    "run -v -o FORMAT --cluster input/secrets/params.yaml input/secrets/app.yaml",
    "run -v -o FORMAT --cluster input/secrets/params.yaml --cluster input/secrets/params-warn.yaml \
     input/secrets/app.yaml",
    "run -v -o FORMAT --cluster input/secrets/hook.yaml --webhook-recordings input/secrets/recordings \
     input/secrets/app.yaml",
    "run -v -o FORMAT input/secrets/misspelt.yaml input/secrets/lower.yaml input/secrets/nameless.yaml \
     input/secrets/misplaced.yaml",
    "compare -o FORMAT --after-cluster input/secrets/params.yaml input/secrets/app.yaml",
    "diff -o FORMAT input/diff/before/secret.yaml input/diff/after/secret.yaml",
    "compare -o FORMAT --after-cluster input/secrets/rotate.yaml input/secrets/database.yaml",
    "compare -o FORMAT --after-cluster input/secrets/policies.yaml --cluster input/secrets/warnings.yaml \
     input/secrets/database.yaml",
    "test -o FORMAT input/suites/secret.kadmit-test.yaml",
    "drift -o FORMAT --live input/secrets/params.yaml --cluster input/fix/cluster.yaml input/secrets/app.yaml",
];

fn cli() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli")
}

fn print(command: &str) -> String {
    let output = golden::run(&format!("kadmit {command}"), &cli());
    let mut text = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
    for patch in text.clone().split("\"patch\":\"").skip(1) {
        let (patch, _) = patch.split_once('"').expect("a text ends");
        text.push_str(&String::from_utf8(STANDARD.decode(patch).expect("base64")).expect("UTF-8"));
    }
    text
}

/// The formats that `command` knows.
fn formats(command: &str) -> Vec<String> {
    let refused = print(&command.replace("FORMAT", "nothing"));
    let (_, values) = refused.split_once("help: it is one of ").expect(&refused);
    values.split(',').map(|format| format.trim().to_owned()).collect()
}

#[test]
fn no_format_prints_what_secrets_keep() {
    for command in COMMANDS {
        let formats = formats(command);
        assert!(formats.len() >= 3, "{formats:?}");
        for format in formats {
            let text = print(&command.replace("FORMAT", &format));
            // Without a webhook there are no requests to one.
            assert!(!text.is_empty() || format == "admissionrequest", "{command}: {format}");
            for kept in KEPT {
                assert!(!text.contains(kept), "{command}: {format} prints {kept}:\n{text}");
            }
        }
    }
}

#[test]
fn results_of_a_function_have_no_value() {
    let text = print("krm < input/secrets/list.yaml");
    assert!(
        text.contains("the password is ***") && text.contains("params.data.password is masked"),
        "{text}"
    );
    assert!(KEPT.iter().all(|kept| !text.contains(kept)), "{text}");
}

#[test]
fn explanations_name_what_an_expression_read_and_mask_its_values() {
    let arguments = "--cluster input/secrets/params.yaml input/secrets/app.yaml";
    for format in ["text", "json", "sarif", "html", "github", "junit", "tap", "markdown", "policyreport"] {
        let text = print(&format!("run -o {format} {arguments}"));
        assert!(text.contains("is masked"), "{format}: {text}");
    }
    for format in ["json", "sarif", "html"] {
        let text =
            print(&format!("compare -o {format} --after-cluster {}", &arguments["--cluster ".len()..]));
        assert!(text.contains("is masked"), "{format}: {text}");
    }
}

#[test]
fn values_are_printed_to_those_who_want_them() {
    let text = print("run -o json --show-secrets input/secrets/review.yaml");
    assert!(text.contains("aHVudGVyMg=="), "{text}");
}

#[test]
fn baselines_hold_no_value_even_where_values_are_printed() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("secrets-baseline");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a directory");
    let baseline = directory.join("baseline.json");
    let flags = format!("--cluster input/secrets/params.yaml --baseline {}", baseline.display());
    let text = print(&format!("run -o json --show-secrets --update-baseline {flags} input/secrets/app.yaml"));
    assert!(text.contains("the password is aHVudGVyMg=="), "{text}");
    let written = fs::read_to_string(baseline).expect("a baseline");
    assert!(written.contains("denied request: the password is ***"), "{written}");
    assert!(KEPT.iter().all(|kept| !written.contains(kept)), "{written}");
    let known = print(&format!("run {flags} input/secrets/app.yaml"));
    assert!(known.contains("1 denied (1 known)"), "{known}");
    let compared = flags.replace("--cluster", "--after-cluster");
    let compared = golden::run(&format!("kadmit compare {compared} input/secrets/app.yaml"), &cli());
    assert_eq!(compared.status.code(), Some(0), "{compared:?}");
}

#[test]
fn stored_results_hold_values_only_where_they_are_printed() {
    for (flag, is_there) in [("", false), ("--show-secrets", true)] {
        let text = print(&format!("run -o jsonl {flag} input/secrets/database.yaml"));
        let result: serde_json::Value =
            serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
        let manifest = result["manifest"]["text"].as_str().expect("a text");
        assert_eq!(manifest.contains("password: hunter2"), is_there, "{manifest}");
    }
}
