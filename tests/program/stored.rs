//! `kadmit report` on stored results agrees with the report of the run.

use std::fs;
use std::path::{Path, PathBuf};

use gotext::value::Value;

use crate::golden;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli")
}

fn scratch(name: &str) -> PathBuf {
    let scratch =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stored-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&scratch);
    fs::create_dir_all(&scratch).expect("a scratch directory");
    scratch
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Returns the text without the duration of the run.
fn without_time(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix(" ms").and_then(|line| line.rsplit_once("; ")) {
        Some((rest, _)) => format!("{rest}\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Runs whose files are evaluated in the order in which they are reported again.
const RUNS: &[&str] = &[
    "--cluster ../quickstart/cluster ../quickstart/manifests",
    "--admission-control AlwaysDeny --field-validation Warn input/odd",
    "--cluster ../quickstart/cluster input/deployment.yaml",
    "input/list.yaml input/secret.yaml input/wrong-type.yaml",
    "--cluster input/policies/soft.yaml input/policies/storefront.deployment.yaml",
    "--settings input/skips/kadmit.toml --order file input/skips",
    "--admission-control PodSecurity --baseline input/baseline/baseline.json input/baseline/pods.yaml",
];

/// The formats that depend only on the results of a run.
const FORMATS: &[&str] = &[
    "text",
    "yaml",
    "blame",
    "junit",
    "github",
    "gitlab",
    "tap",
    "markdown",
    "policyreport",
    "admissionreview",
    "jsonl",
];

#[test]
fn stored_results_are_reported_as_they_were() {
    let scratch = scratch("formats");
    for run in RUNS {
        let stored = scratch.join("run.jsonl");
        let outputs: Vec<String> =
            FORMATS.iter().map(|format| format!("-o {format}={}/{format}", scratch.display())).collect();
        let outputs = outputs.join(" ");
        let command = format!("SOURCE_DATE_EPOCH=0 kadmit run {outputs} -o jsonl={} {run}", stored.display());
        golden::run(&command, &directory());
        for format in FORMATS {
            let command = format!("kadmit report -o {format} {}", stored.display());
            let output = golden::run(&command, &directory());
            let again = String::from_utf8(output.stdout).expect("UTF-8");
            let first = read(&scratch.join(format));
            assert_eq!(without_time(&again), without_time(&first), "{run}: {format}");
        }
    }
    fs::remove_dir_all(scratch).expect("the scratch directory goes");
}

/// Results of `-o sarif` and `-o json`, which name the whole chain as well.
#[test]
fn results_are_the_same_in_documents() {
    let scratch = scratch("documents");
    let outputs = format!("-o sarif={0}/sarif -o json={0}/json -o jsonl={0}/run.jsonl", scratch.display());
    golden::run(&format!("kadmit run {outputs} {}", RUNS[0]), &directory());
    let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    for (format, pointer) in
        [("sarif", "/runs/0/results"), ("json", "/results"), ("json", "/quotas"), ("json", "/summary")]
    {
        for stored in ["run.jsonl", "json"] {
            let command = format!("kadmit report -o {format} {}/{stored}", scratch.display());
            let output = golden::run(&command, &directory());
            let again = value(&String::from_utf8(output.stdout).expect("UTF-8"));
            let first = value(&read(&scratch.join(format)));
            let of = |value: &Value| {
                let mut part = value.pointer(pointer).expect("it is there").clone();
                if let Some(results) = part.as_array_mut() {
                    for index in 0..results.len() {
                        let result = results.get_mut(index).and_then(Value::as_object_mut);
                        if let Some(result) = result {
                            result.remove("ruleIndex");
                            // A JSON document has no text to find columns in.
                            if stored == "json" {
                                for field in ["locations", "relatedLocations", "fixes", "partialFingerprints"]
                                {
                                    result.remove(field);
                                }
                            }
                        }
                    }
                }
                part
            };
            let (again, first) = (of(&again), of(&first));
            if stored == "json" && format == "sarif" {
                let count = |value: &Value| {
                    value
                        .as_array()
                        .map(|results| results.iter().filter(|result| result["level"] == *"error").count())
                };
                assert_eq!(count(&again), count(&first));
            } else if stored == "run.jsonl" || ["/quotas", "/summary"].contains(&pointer) {
                assert_eq!(again, first, "{format} of {stored}");
            }
        }
    }
    fs::remove_dir_all(scratch).expect("the scratch directory goes");
}

#[test]
fn the_order_of_files_does_not_matter_and_nothing_counts_twice() {
    let scratch = scratch("order");
    let manifests = "../quickstart/manifests";
    let run = |name: &str, files: &[&str]| {
        let files: Vec<String> = files.iter().map(|file| format!("{manifests}/{file}.yaml")).collect();
        let command = format!(
            "kadmit run -o jsonl={}/{name}.jsonl --admission-control PodSecurity,LimitRanger --cluster \
             ../quickstart/cluster {}",
            scratch.display(),
            files.join(" ")
        );
        golden::run(&command, &directory());
    };
    run("a", &["worker", "cache", "report"]);
    run("b", &["orders", "search", "worker"]);
    run("whole", &["cache", "orders", "report", "search", "worker"]);
    let report = |files: &[&str]| {
        let files: Vec<String> = files.iter().map(|file| format!("{}/{file}", scratch.display())).collect();
        let command = format!("kadmit report -o markdown {}", files.join(" "));
        let output = golden::run(&command, &directory());
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    };
    let whole = report(&["whole.jsonl"]);
    assert_eq!(whole.0, Some(1));
    assert_eq!(report(&["a.jsonl", "b.jsonl"]), whole);
    assert_eq!(report(&["b.jsonl", "a.jsonl", "b.jsonl"]), whole);
    assert_eq!(report(&["[ab].jsonl"]), whole);
    assert_eq!(report(&["."]), whole);
    fs::remove_dir_all(scratch).expect("the scratch directory goes");
}

/// Runs the commands of the page about scale as printed.
#[cfg(unix)]
#[test]
fn the_commands_of_the_page_about_scale_work() {
    let page = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scale.md"));
    let scratch = scratch("scale");
    let pod = |name: &str, image: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: {name}}}\n\
             spec: {{hostPID: true, containers: [{{name: a, image: {image}}}]}}\n"
        )
    };
    for name in ["payments", "search", "shop"] {
        let repository = scratch.join("repositories").join(name);
        fs::create_dir_all(&repository).expect("a directory");
        fs::write(repository.join("pod.yaml"), pod(name, "a")).expect("a manifest");
        let settings = "enable-admission-plugins = [\"AlwaysDeny\"]\n";
        fs::write(repository.join("kadmit.toml"), settings).expect("settings");
    }
    let program = Path::new(env!("CARGO_BIN_EXE_kadmit")).parent().expect("a directory");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let mut printed = Vec::new();
    for block in page.split("```sh\n").skip(1) {
        let (script, _) = block.split_once("```").expect("the end of the block");
        let output = std::process::Command::new("sh")
            .args(["-e", "-c", script])
            .current_dir(&scratch)
            .env("PATH", &path)
            .output()
            .expect("a shell");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{script}\n{err}");
        printed.push(String::from_utf8(output.stdout).expect("UTF-8"));
    }
    assert_eq!(printed.len(), 6, "blocks of the page");
    assert!(printed[1].contains("shop/pod.yaml:1"), "{}", printed[1]);
    assert!(printed[1].contains("3 objects: 0 admitted, 3 denied"), "{}", printed[1]);
    assert!(read(&scratch.join("audit.html")).starts_with("<!DOCTYPE html>"));
    assert!(read(&scratch.join("policyreport.yaml")).contains("apiVersion: openreports.io/v1alpha1"));
    for place in ["asia/payments/pod.yaml:1:1", "europe/shop/pod.yaml:1:1"] {
        assert!(read(&scratch.join("company.md")).contains(place), "{place}");
    }
    assert!(read(&scratch.join("comment.md")).contains("all 3 requests are admitted"));
    fs::remove_dir_all(scratch).expect("the scratch directory goes");
}

/// Results of servers of several releases have their own.
#[test]
fn a_joined_report_names_the_release_of_each_result() {
    let scratch = scratch("releases");
    for (release, manifest) in [("1.34", "cache"), ("1.36", "worker")] {
        let command = format!(
            "kadmit run -o jsonl={0}/{release}.jsonl --kubernetes-version {release} \
             ../quickstart/manifests/{manifest}.yaml",
            scratch.display()
        );
        golden::run(&command, &directory());
    }
    for format in ["json", "jsonl"] {
        let output = golden::run(&format!("kadmit report -o {format} {}", scratch.display()), &directory());
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let results: Vec<Value> = match format {
            "json" => {
                let report: Value = serde_json::from_str(&text).expect("JSON");
                assert!(report.get("kubernetesVersion").is_none());
                report["results"].as_array().expect("results").clone()
            }
            _ => text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect(),
        };
        let own = results.iter().filter(|result| result.get("request").is_some());
        let releases: Vec<&str> =
            own.map(|result| result["kubernetesVersion"].as_str().unwrap_or("none")).collect();
        assert_eq!(releases, ["1.34", "1.36"], "{format}");
    }
    fs::remove_dir_all(scratch).expect("the scratch directory goes");
}
