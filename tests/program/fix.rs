//! What `kadmit fix --write` leaves is admitted, and everything else in the files stays.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::scratch::Scratch;

const CLUSTER: &str = "testdata/cli/input/fix/cluster.yaml";

fn kadmit(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).args([
        "--cluster",
        CLUSTER,
        "--no-settings",
    ]);
    command.output().expect("the program runs")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Copies the manifests that need fixes into `scratch`.
fn copied(scratch: &Scratch) -> String {
    let manifests = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli/input/fix/shop.yaml");
    let copy = scratch.join("shop.yaml");
    fs::copy(manifests, &copy).expect("a copy");
    copy.display().to_string()
}

/// Returns the comments of `text`, in their order.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.split_once('#').map(|(_, comment)| comment)).collect()
}

#[test]
fn what_is_written_is_admitted_and_keeps_everything_else() {
    let scratch = Scratch::new("fix");
    let file = copied(&scratch);
    let before = fs::read_to_string(&file).expect("a text");
    let fixes = json(&kadmit(&["fix", &file, "--write", "--allow-removals", "-o", "json"]));
    let after = fs::read_to_string(&file).expect("a text");
    assert_eq!(fixes["fixed"].as_array().map(Vec::len), Some(4), "{fixes:#}");
    assert_eq!(fixes["left"].as_array().map(Vec::len), Some(1), "{fixes:#}");
    assert_eq!(comments(&after), comments(&before));
    assert_ne!(after, before);

    // Only what is left is refused, and nothing more is to be fixed.
    let run = json(&kadmit(&["run", &file, "-o", "json"]));
    assert_eq!(run["summary"]["denied"], 1, "{after}");
    let again = json(&kadmit(&["fix", &file, "--allow-removals", "-o", "json"]));
    assert_eq!(again["diff"], "");
    let last = |text: &str| text.rsplit("---\n").next().map(str::to_owned);
    assert_eq!(last(&after), last(&before), "a document that is left keeps its text");
}

#[test]
fn without_write_nothing_is_written() {
    let scratch = Scratch::new("fix-diff");
    let file = copied(&scratch);
    let before = fs::read_to_string(&file).expect("a text");
    let output = kadmit(&["fix", &file]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("--- "), "{output:?}");
    assert_eq!(fs::read_to_string(&file).expect("a text"), before);
}

/// Returns the texts after each of the fixes in the SARIF log of `file`.
fn sarif_fixes(file: &str) -> Vec<String> {
    let log = json(&kadmit(&["run", file, "-o", "sarif"]));
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a text");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let fixes = results.iter().filter_map(|result| result["fixes"][0]["artifactChanges"][0].as_object());
    let offset = |line: &Value, column: &Value| {
        let number = |value: &Value| usize::try_from(value.as_u64().expect("a number")).expect("a small one");
        text.split_inclusive('\n').take(number(line) - 1).map(str::len).sum::<usize>() + number(column) - 1
    };
    let edited = fixes.map(|change| {
        let mut edited = text.clone();
        for replacement in change["replacements"].as_array().expect("replacements").iter().rev() {
            let region = &replacement["deletedRegion"];
            let (start, end) = (&region["startLine"], region.get("endLine").unwrap_or(&region["startLine"]));
            let part = offset(start, &region["startColumn"])..offset(end, &region["endColumn"]);
            edited.replace_range(part, replacement["insertedContent"]["text"].as_str().expect("a text"));
        }
        edited
    });
    edited.collect()
}

#[test]
fn sarif_has_the_same_edits() {
    let fixed = sarif_fixes("testdata/cli/input/fix/shop.yaml");
    let has = |part: &str| fixed.iter().any(|text| text.contains(part));
    assert!(has("\ndata: {debug: \"yes\"}\n"), "{fixed:#?}");
    assert!(has("\n      containers:\n      # There is only one.\n"), "{fixed:#?}");
    assert!(fixed.iter().all(|text| text.contains("\n  hostNetwork: true\n")), "nothing is removed");
}

#[test]
fn sarif_has_every_sort_of_edit() {
    let fixed = sarif_fixes("testdata/cli/input/fix/types.yaml");
    for part in [
        "\n      limits: {memory: 1GB, cpu: 500m} # twice as much at night\n",
        "\n        backend: {service: {name: web, port: {number: 80}}}\n",
        "\n    resource: {name: cpu, target: {averageUtilization: 50, type: Utilization}}\n",
        "\n    - {name: data, mountPath: /data}\n  volumes:\n  - name: data\n    emptyDir: {}\n",
    ] {
        assert!(fixed.iter().any(|text| text.contains(part) || text.ends_with(part)), "{part} in {fixed:#?}");
    }
}

#[test]
fn sarif_moves_the_fields_of_versions_that_are_gone() {
    let fixed = sarif_fixes("testdata/cli/input/fix/moved.yaml");
    for (version, moved) in [
        ("networking.k8s.io/v1", "\n  defaultBackend: # everything else\n    service:\n"),
        ("autoscaling/v2", "\n      target:\n        averageUtilization: 60\n        type: Utilization\n"),
        ("flowcontrol.apiserver.k8s.io/v1", "{nominalConcurrencyShares: 5, limitResponse: {type: Reject}}"),
    ] {
        let version = format!("\napiVersion: {version}\n");
        let is_whole = |text: &String| text.contains(&version) && text.contains(moved);
        assert!(fixed.iter().any(is_whole), "{version} in {fixed:#?}");
    }
}

#[test]
fn sarif_has_no_edits_of_secrets() {
    let fixed = sarif_fixes("testdata/cli/input/fix/secret.yaml");
    assert_eq!(fixed.len(), 1, "{fixed:#?}");
    assert!(fixed[0].contains("\ndata: {debug: \"yes\"}\n"), "{fixed:#?}");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let scratch = Scratch::new("fix-link");
    let file = copied(&scratch);
    let before = fs::read_to_string(&file).expect("a text");
    let link = scratch.join("link.yaml");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    let output = kadmit(&["fix", link.to_str().expect("text"), "--write"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(fs::read_to_string(&file).expect("a text"), before);
}
