//! Discovery of settings, skips, and baselines as other programs read them.

use std::fs;
use std::path::Path;
use std::process::Output;

use gotext::value::{Value, json};

use crate::golden;
use crate::scratch::Scratch;

const DENY: &str = "paths = [\"d.yaml\"]\nadmission-control = [\"AlwaysDeny\"]\n";

fn standard_error(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn status(command: &str, directory: &Path) -> Option<i32> {
    golden::run(command, directory).status.code()
}

#[test]
fn settings_are_found_above_up_to_the_root_of_the_repository() {
    let scratch = Scratch::with_manifest("found");
    let below = scratch.join("repository/apps/shop");
    fs::create_dir_all(&below).expect("directories");
    fs::write(scratch.join("kadmit.toml"), DENY).expect("settings");

    let found = golden::run("kadmit run -v", &below);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let note = "note: the settings are those of ../../../kadmit.toml\n";
    assert!(standard_error(&found).starts_with(note), "{found:?}");
    let text = String::from_utf8(found.stdout).expect("UTF-8");
    assert!(text.contains(" ../../../d.yaml:1\n"), "a path is relative to the file that names it: {text}");
    let quiet = golden::run("kadmit run -q", &below);
    assert!(!standard_error(&quiet).contains("kadmit.toml"), "the note is for --verbose: {quiet:?}");
    assert_eq!(status("kadmit run --no-settings ../../../d.yaml", &below), Some(0));

    // Only the nearest counts.
    fs::write(scratch.join("repository/apps/kadmit.toml"), "paths = [\"../../d.yaml\"]\n").expect("settings");
    assert_eq!(status("kadmit run", &below), Some(0));
    fs::remove_file(scratch.join("repository/apps/kadmit.toml")).expect("settings");

    // A worktree has a file with that name.
    fs::write(scratch.join("repository/.git"), "gitdir: elsewhere\n").expect("a repository");
    assert_eq!(status("kadmit run", &below), Some(2), "there is no PATH");
    assert_eq!(status("kadmit run --settings ../../../kadmit.toml", &below), Some(1));
    fs::write(scratch.join("repository/kadmit.toml"), DENY.replace("d.yaml", "../d.yaml")).expect("settings");
    assert_eq!(status("kadmit run", &below), Some(1), "the root itself is looked at");
}

#[test]
fn a_baseline_is_written_knows_and_forgets() {
    let scratch = Scratch::with_manifest("baseline");
    let run = |arguments: &str| {
        let command = format!("kadmit run --admission-control AlwaysDeny --baseline b.json {arguments}");
        golden::run(&command, &scratch)
    };
    let file = scratch.join("b.json");
    let second =
        fs::read_to_string(scratch.join("d.yaml")).expect("a manifest").replace("name: d", "name: e");
    fs::write(scratch.join("e.yaml"), second).expect("a manifest");

    assert_eq!(run("d.yaml").status.code(), Some(2), "there is none");
    let written = run("--update-baseline d.yaml");
    assert_eq!(written.status.code(), Some(0), "{written:?}");
    assert!(
        standard_error(&written).contains("note: wrote b.json: 1 finding, 1 new, 0 gone\n"),
        "{written:?}"
    );
    let first = fs::read_to_string(&file).expect("a baseline");
    let baseline: Value = serde_json::from_str(&first).expect("JSON");
    let finding = json!({
        "object": "ConfigMap default/d", "rule": "AlwaysDeny", "verdict": "denied", "count": 1,
        "message": "configmaps \"d\" is forbidden: admission control is denying all modifications",
    });
    assert_eq!(
        baseline,
        json!({"apiVersion": "kadmit.dev/v1alpha1", "kind": "Baseline", "findings": [finding]})
    );

    assert_eq!(run("d.yaml").status.code(), Some(0), "what is known is no failure");
    assert_eq!(run("d.yaml e.yaml").status.code(), Some(1), "what is new is one");
    assert_eq!(run("d.yaml d.yaml").status.code(), Some(1), "so is what is known when it comes once more");
    assert_eq!(fs::read_to_string(&file).expect("a baseline"), first, "nobody asked for an update");

    let gone = run("e.yaml");
    assert!(
        standard_error(&gone)
            .contains("1 finding of the baseline is gone; run --update-baseline to record that"),
        "{gone:?}"
    );
    assert!(standard_error(&run("--update-baseline e.yaml")).contains("1 finding, 1 new, 1 gone"));
    assert!(standard_error(&run("--update-baseline e.yaml d.yaml")).contains("2 findings, 1 new, 0 gone"));
    let sorted = fs::read_to_string(&file).expect("a baseline");
    assert!(standard_error(&run("--update-baseline d.yaml e.yaml")).contains("2 findings, 0 new, 0 gone"));
    assert_eq!(
        fs::read_to_string(&file).expect("a baseline"),
        sorted,
        "the order of evaluation does not matter"
    );

    let broken = run("--update-baseline d.yaml missing.yaml");
    assert_eq!(broken.status.code(), Some(2));
    assert!(standard_error(&broken).contains("warning: b.json is not written"), "{broken:?}");
    assert_eq!(fs::read_to_string(&file).expect("a baseline"), sorted);
}

#[test]
fn a_baseline_knows_the_pods_of_a_workload_when_its_template_changes() {
    let scratch = Scratch::with_manifest("template");
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli/input/baseline");
    let pods = fs::read_to_string(directory.join("pods.yaml")).expect("manifests");
    fs::write(scratch.join("pods.yaml"), pods.replace("image: web:1", "image: web:2")).expect("manifests");
    fs::copy(directory.join("baseline.json"), scratch.join("baseline.json")).expect("a baseline");
    let command =
        "kadmit run --apply create --admission-control PodSecurity --baseline baseline.json pods.yaml";
    assert_eq!(status(command, &scratch), Some(0));
    fs::write(scratch.join("pods.yaml"), pods.replace("hostNetwork", "hostIPC")).expect("manifests");
    assert_eq!(status(command, &scratch), Some(1), "another reason is another finding");
}

#[test]
fn the_machine_readable_report_says_what_is_accepted() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli/input");
    let report = |command: &str, below: &str| -> Value {
        serde_json::from_slice(&golden::run(command, &directory.join(below)).stdout).expect("JSON")
    };
    let skips = report("SOURCE_DATE_EPOCH=0 kadmit run -o json agent.yaml annotated.yaml", "skips");
    let results = skips["results"].as_array().expect("results");
    let find =
        |is_it: &dyn Fn(&Value) -> bool| results.iter().find(|result| is_it(result)).expect("a result");
    let agent = find(&|result| result["request"]["kind"]["kind"] == "DaemonSet");
    let pod = find(&|result| {
        result["request"]["kind"]["kind"] == "Pod" && result["cause"]["owner"]["kind"] == "DaemonSet"
    });
    let skip = json!({"reason": "watches the host", "source": {"file": "kadmit.toml", "line": 6}});
    assert_eq!((&pod["skipped"], &pod["allowed"]), (&skip, &json!(false)));
    let warnings = &agent["skippedWarnings"];
    assert_eq!((&warnings[0]["reason"], &warnings[0]["source"]), (&skip["reason"], &skip["source"]));
    assert_eq!(warnings[0]["message"], agent["warnings"][0]);
    assert_eq!(skips["summary"]["skipped"], 6, "{}", skips["summary"]);

    let command = "kadmit run --apply create -o json --admission-control PodSecurity --baseline baseline.json pods.yaml";
    let known = report(command, "baseline");
    let results = known["results"].as_array().expect("results");
    let is_known = |result: &&Value| result["known"] == true;
    assert_eq!(results.iter().filter(is_known).count(), 2);
    assert_eq!(results.iter().filter(|result| result.get("knownWarnings").is_some()).count(), 2);
    assert_eq!(known["summary"]["known"], 3);
}
