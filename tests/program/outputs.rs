//! `-o FORMAT=FILE`: files that are complete or as they were, whatever happens to the run and to its readers.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use gotext::value::Value;

use crate::golden;
use crate::scratch::Scratch;

fn names(directory: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).expect("the directory");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn several_reports_come_of_one_run() {
    let scratch = Scratch::with_manifest("several");
    let reports =
        ["json=a.json", "jsonl=a.jsonl", "sarif=a.sarif", "junit=a.xml", "markdown=a.md", "text=a.txt"];
    let options = format!(" -o {}", reports.join(" -o "));
    let deny = "--admission-control AlwaysDeny d.yaml";
    let output = golden::run(&format!("CLICOLOR=1 kadmit run{options} -o tap {deny}"), &scratch);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.starts_with(b"TAP version 14\nnot ok 1 - "), "{output:?}");
    for report in reports {
        let (format, file) = report.split_once('=').expect("a file");
        let alone = golden::run(&format!("kadmit run -o {format} {deny}"), &scratch);
        let written = fs::read_to_string(scratch.join(file)).expect("a report");
        let printed = String::from_utf8(alone.stdout).expect("UTF-8");
        // The elapsed time always differs.
        let timeless = |text: &str| {
            text.lines().filter(|line| !line.ends_with(" ms")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(timeless(&written), timeless(&printed), "{format}");
    }
    let quiet = golden::run(&format!("kadmit run -o json=a.json {deny}"), &scratch);
    assert!(quiet.stdout.is_empty(), "nothing but what is wrong is printed");
    assert_eq!(names(&scratch).len(), 1 + reports.len(), "{:?}", names(&scratch));
}

#[test]
fn a_file_has_colours_only_when_they_are_asked_for() {
    let scratch = Scratch::with_manifest("colours");
    let run = |arguments: &str| {
        golden::run(&format!("{arguments} --admission-control AlwaysDeny -o text=a.txt d.yaml"), &scratch);
        fs::read_to_string(scratch.join("a.txt")).expect("a report").contains('\x1b')
    };
    assert!(!run("kadmit run"));
    assert!(run("kadmit run --color always"));
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let scratch = Scratch::with_manifest("unwritable");
    fs::create_dir(scratch.join("directory")).expect("a directory");
    for file in ["missing/a.xml", "directory", "d.yaml/a.xml"] {
        let output = golden::run(&format!("kadmit run -o text -o junit={file} d.yaml"), &scratch);
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(&format!("cannot write {file}: ")), "{text}");
        assert!(output.stdout.is_empty(), "nothing is evaluated for a report that cannot be written");
    }
    assert_eq!(names(&scratch).len(), 2, "{:?}", names(&scratch));
}

#[test]
fn a_report_takes_the_place_of_the_last_one_and_keeps_what_the_file_is() {
    let scratch = Scratch::with_manifest("replace");
    let file = scratch.join("a.json");
    fs::write(&file, "old").expect("a file");
    golden::run("kadmit run -o json=a.json --admission-control AlwaysAdmit d.yaml", &scratch);
    assert!(fs::read_to_string(&file).expect("a report").starts_with('{'));
    // No report is written if the arguments are wrong; the last one stays.
    fs::write(&file, "old").expect("a file");
    golden::run("kadmit run -o json=a.json -o yaml=missing/b.yaml d.yaml", &scratch);
    assert_eq!(fs::read_to_string(&file).expect("the old file"), "old");
    assert_eq!(names(&scratch).len(), 2, "{:?}", names(&scratch));
}

#[cfg(target_os = "linux")]
#[test]
fn links_stay_links_and_devices_devices() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let scratch = Scratch::with_manifest("links");
    fs::write(scratch.join("real.json"), "old").expect("a file");
    fs::set_permissions(scratch.join("real.json"), fs::Permissions::from_mode(0o604)).expect("permissions");
    symlink("real.json", scratch.join("link.json")).expect("a link");
    let run = |file: &str| {
        golden::run(&format!("kadmit run -o {file} --admission-control AlwaysAdmit d.yaml"), &scratch)
    };
    assert_eq!(run("json=link.json").status.code(), Some(0));
    assert!(fs::symlink_metadata(scratch.join("link.json")).expect("the link").is_symlink());
    assert!(fs::read_to_string(scratch.join("real.json")).expect("a report").starts_with('{'));
    let mode = fs::metadata(scratch.join("real.json")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o604);
    let same = run("json=link.json -o yaml=./real.json");
    assert_eq!(same.status.code(), Some(2), "{same:?}");
    assert_eq!(run("json=/dev/null").status.code(), Some(0));
    assert!(run("json=/dev/stdout").stdout.starts_with(b"{"));
    let both = run("jsonl=/dev/stderr -o tap");
    assert!(both.stderr.starts_with(b"{") && both.stdout.starts_with(b"TAP"), "{both:?}");
    let full = run("json=real.json -o tap=/dev/full");
    let text = String::from_utf8(full.stderr).expect("UTF-8");
    assert_eq!(full.status.code(), Some(2), "{text}");
    assert!(text.contains("cannot write the report: /dev/full: "), "{text}");
    assert_eq!(names(&scratch).len(), 3, "{:?}", names(&scratch));
}

#[test]
fn a_reader_that_has_seen_enough_leaves_the_other_reports_whole() {
    let scratch = Scratch::with_manifest("pipe");
    let document = |number| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}}}\n---\n");
    let documents: Vec<String> = (0..4000).map(document).collect();
    fs::write(scratch.join("d.yaml"), documents.concat()).expect("manifests");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
    command.args(["run", "-o", "jsonl", "-o", "tap=a.tap", "--admission-control", "AlwaysAdmit", "d.yaml"]);
    let mut process =
        command.current_dir(&*scratch).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
    let mut reader = BufReader::new(process.stdout.take().expect("a pipe"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("a line");
    drop(reader);
    assert_eq!(process.wait().expect("it ends").code(), Some(0));
    let report = fs::read_to_string(scratch.join("a.tap")).expect("a report");
    assert!(report.ends_with("\n1..4000\n"), "{} bytes", report.len());
}

/// Whatever is not read yet when the reader goes does not keep the program.
#[test]
fn a_reader_that_has_seen_enough_ends_the_run() {
    let scratch = Scratch::with_manifest("enough");
    let document = |number| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}}}\n---\n");
    let documents: Vec<String> = (0..20_000).map(document).collect();
    fs::write(scratch.join("d.yaml"), documents.concat()).expect("manifests");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
    command.args(["run", "-o", "jsonl", "--admission-control", "AlwaysAdmit", "d.yaml"]);
    let mut process =
        command.current_dir(&*scratch).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
    let mut reader = BufReader::new(process.stdout.take().expect("a pipe"));
    reader.read_line(&mut String::new()).expect("a line");
    drop(reader);
    assert_eq!(process.wait().expect("it ends").code(), Some(0));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_the_last_report_and_nothing_else() {
    let scratch = Scratch::with_manifest("interrupted");
    fs::write(scratch.join("a.json"), "old").expect("a file");
    for signal in ["-INT", "-TERM"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
        command.args(["run", "-o", "json=a.json", "-o", "html=b.html", "-"]).current_dir(&*scratch);
        // It waits for the rest of its input.
        let mut process = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
        let input = process.stdin.take().expect("standard input");
        while names(&scratch).len() < 4 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let kill = Command::new("kill").args([signal, &process.id().to_string()]).status().expect("a signal");
        assert!(kill.success());
        assert_eq!(process.wait().expect("it ends").code(), Some(130), "{signal}");
        drop(input);
        assert_eq!(fs::read_to_string(scratch.join("a.json")).expect("the old file"), "old");
        assert_eq!(names(&scratch), BTreeSet::from(["a.json".to_owned(), "d.yaml".to_owned()]));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_of_several_evaluators_has_no_report() {
    let scratch = Scratch::with_manifest("interrupted-evaluators");
    fs::write(scratch.join("a.json"), "old").expect("a file");
    let document = |number| {
        let namespace = number % 9;
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}, namespace: team-{namespace}}}\n---\n"
        )
    };
    let documents: Vec<String> = (0..10_000).map(document).collect();
    fs::write(scratch.join("d.yaml"), documents.concat()).expect("manifests");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
    command.env("RAYON_NUM_THREADS", "3").args(["run", "-o", "json=a.json", "-o", "jsonl", "d.yaml"]);
    command.current_dir(&*scratch).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("it runs");
    let mut reader = BufReader::new(process.stdout.take().expect("a pipe"));
    // The rest of the lines waits for the reader.
    reader.read_line(&mut String::new()).expect("a line");
    let kill = Command::new("kill").args(["-INT", &process.id().to_string()]).status().expect("a signal");
    assert!(kill.success());
    let ended = process.wait_with_output().expect("it ends");
    assert_eq!((ended.status.code(), ended.stderr), (Some(130), Vec::new()));
    assert_eq!(fs::read_to_string(scratch.join("a.json")).expect("the old file"), "old");
    assert_eq!(names(&scratch), BTreeSet::from(["a.json".to_owned(), "d.yaml".to_owned()]));
}

#[test]
fn two_runs_at_once_do_not_mix() {
    let scratch = Scratch::with_manifest("at-once");
    let start = |plugin: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
        command.args(["run", "-o", "json=a.json", "--admission-control", plugin, "d.yaml"]);
        command.current_dir(&*scratch).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs")
    };
    let runs: Vec<_> =
        (0..8).map(|run| start(if run % 2 == 0 { "AlwaysDeny" } else { "AlwaysAdmit" })).collect();
    for mut run in runs {
        run.wait().expect("it ends");
        let report = fs::read_to_string(scratch.join("a.json")).expect("a report");
        let report: Value = serde_json::from_str(&report).expect("a whole report");
        assert_eq!(report["summary"]["requests"].as_u64(), Some(1));
    }
    assert_eq!(names(&scratch).len(), 2, "{:?}", names(&scratch));
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_written_and_a_pipe_as_it_is() {
    let scratch = Scratch::with_manifest("special");
    std::os::unix::fs::symlink("target.json", scratch.join("dangling.json")).expect("a link");
    let run = |file: &str| golden::run(&format!("kadmit run -o json={file} d.yaml"), &scratch);
    assert_eq!(run("dangling.json").status.code(), Some(0));
    assert!(scratch.join("dangling.json").is_symlink());
    assert!(fs::read_to_string(scratch.join("target.json")).expect("a report").starts_with('{'));
    let pipe = scratch.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).expect("what is written"));
    assert_eq!(run("pipe").status.code(), Some(0));
    assert!(reader.join().expect("a reader").starts_with('{'));
    assert_eq!(names(&scratch).len(), 4, "{:?}", names(&scratch));
}

#[test]
fn costs_of_expressions_are_compared() {
    let scratch = Scratch::new("eval-costs");
    let eval = |more: &str| {
        golden::run(&format!("kadmit eval --bench=2 -o json 1+2 '[1, 2].all(x, x > 0)'{more}"), &scratch)
    };
    let first = eval("");
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let mut costs: Value = serde_json::from_slice(&first.stdout).expect("JSON");
    assert!(costs[0]["bench"]["nanoseconds"].is_number());
    fs::write(scratch.join("costs.json"), &first.stdout).expect("a file");
    assert_eq!(eval(" --compare costs.json").status.code(), Some(0));
    let cost = costs[1]["cost"].as_u64().expect("a cost");
    costs[1]["cost"] = 2.into();
    fs::write(scratch.join("costs.json"), costs.to_string()).expect("a file");
    let dearer = eval(" --compare costs.json");
    assert_eq!(dearer.status.code(), Some(1));
    let said = String::from_utf8(dearer.stderr).expect("UTF-8");
    assert_eq!(said.trim(), format!("note: [1, 2].all(x, x > 0) costs {cost}, it was 2"));
    fs::write(scratch.join("costs.json"), "{}").expect("a file");
    let wrong = eval(" --compare costs.json");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(wrong.stdout.is_empty());
    let said = String::from_utf8(wrong.stderr).expect("UTF-8");
    assert!(said.contains("costs.json") && said.contains("kadmit eval --bench -o json > FILE"), "{said}");
}

#[test]
fn reviews_are_files_in_a_directory() {
    let scratch = Scratch::new("reviews");
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli/input/webhooks");
    for file in ["hooks.yaml", "pod.yaml"] {
        fs::copy(input.join(file), scratch.join(file)).expect("a file");
    }
    let output =
        golden::run("kadmit run -q --cluster hooks.yaml -o admissionrequest=out/ pod.yaml", &scratch);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let files = names(&scratch.join("out"));
    assert_eq!(
        files.iter().map(String::as_str).collect::<Vec<_>>(),
        ["00001-labels.example.com.json", "00002-ports.example.com.json"]
    );
    for file in files {
        let text = fs::read_to_string(scratch.join("out").join(file)).expect("a review");
        let review: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&review["kind"], &review["request"]["name"]), (&"AdmissionReview".into(), &"web".into()));
    }
}
