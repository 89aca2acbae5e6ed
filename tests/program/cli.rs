//! The output of the program, for every kind of input and every flag.
//!
//! The sessions in `testdata/cli/*.md` are run in that directory; `KADMIT_UPDATE=1 cargo test` refreshes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::golden;
use crate::scratch::Scratch;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli")
}

fn compare(file: &str, commands: usize) {
    compare_in(file, "", commands);
}

fn compare_in(file: &str, working_directory: &str, commands: usize) {
    let count = golden::compare_sessions(&directory().join(file), &directory().join(working_directory));
    assert_eq!(count, commands, "commands in {file}");
}

#[test]
fn quickstart() {
    compare("quickstart.md", 3);
}

#[test]
fn what_others_need_comes_first() {
    compare("order.md", 12);
}

#[test]
fn dumps_of_live_clusters() {
    compare("dumps.md", 9);
}

#[cfg(feature = "openshift")]
#[test]
fn whether_a_server_starts() {
    compare("start.md", 15);
}

#[test]
fn what_is_trusted() {
    compare_in("trust.md", "input/trust/found", 2);
}

#[test]
fn every_command_reads_the_settings() {
    compare_in("settings-of-all.md", "input/trust/named", 8);
}

#[test]
fn live_objects_next_to_manifests() {
    compare("drift.md", 27);
}

#[test]
fn expressions_outside_of_admission() {
    compare("expressions.md", 19);
}

#[test]
fn what_webhooks_get_and_answer() {
    compare("webhooks.md", 7);
}

#[test]
fn what_is_equal_is_said_once() {
    compare("grouped.md", 2);
}

#[cfg(feature = "openshift")]
#[test]
fn servers_of_openshift() {
    compare("openshift.md", 13);
}

#[cfg(feature = "openshift")]
#[test]
fn controllers_of_openshift() {
    compare("openshift-controllers.md", 4);
}

/// The annotation in which `kubectl apply` records a manifest has a limit.
#[test]
fn large_manifests_are_refused_as_kubectl_applies_them() {
    let scratch = Scratch::new("large");
    let data = "x".repeat(300_000);
    let manifest =
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: large}}\ndata:\n  a: {data}\n");
    fs::write(scratch.join("large.yaml"), manifest).expect("a manifest");
    let run = |command: &str| golden::run(command, &scratch);
    let refused = run("COLUMNS=200 kadmit run --no-settings large.yaml");
    let text = String::from_utf8(refused.stdout).expect("UTF-8");
    assert_eq!(refused.status.code(), Some(1), "{text}");
    assert!(text.contains("metadata.annotations: Too long: may not be more than 262144 bytes"), "{text}");
    assert!(text.contains("--apply server-side does not"), "{text}");
    assert_eq!(run("kadmit run --no-settings --apply server-side large.yaml").status.code(), Some(0));
}

/// A pipe or a device in a directory has no end, and a link may lead anywhere.
#[cfg(unix)]
#[test]
fn only_files_of_a_directory_are_read() {
    let (scratch, outside) = (Scratch::with_manifest("special"), Scratch::new("outside"));
    fs::write(outside.join("secret.yaml"), "token: hunter2\n").expect("a file");
    std::os::unix::fs::symlink("/dev/zero", scratch.join("zero.yaml")).expect("a link");
    std::os::unix::fs::symlink(outside.join("secret.yaml"), scratch.join("token.yaml")).expect("a link");
    let made = Command::new("mkfifo").arg(scratch.join("pipe.yaml")).status();
    assert!(made.expect("mkfifo is there").success());
    let output = golden::run("kadmit run --no-settings .", &scratch);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(text.matches("left out ./").count(), 3, "{text}");
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let link = "left out ./zero.yaml: the link leads out of the directory; a file that is named is read";
    assert!(one_line.contains(link), "{text}");
}

#[test]
fn rules_of_older_releases() {
    compare("past.md", 3);
}

#[test]
fn objects_that_exist() {
    compare("exists.md", 10);
}

#[test]
fn replay() {
    compare("replay.md", 33);
}

#[test]
fn formats() {
    compare("formats.md", 8);
}

#[test]
fn reports() {
    compare("reports.md", 24);
}

#[test]
fn text() {
    compare("text.md", 10);
}

#[test]
fn input() {
    compare("input.md", 14);
}

#[test]
fn krm() {
    compare("krm.md", 2);
}

#[test]
fn directories() {
    compare("directories.md", 12);
}

#[test]
fn policy_reports() {
    compare("policyreport.md", 2);
}

#[test]
fn stored_results() {
    compare("report.md", 11);
}

#[test]
fn the_same_flags() {
    compare("same-flags.md", 22);
}

#[test]
fn only() {
    compare("only.md", 9);
}

#[test]
fn workloads() {
    compare("workloads.md", 7);
}

#[test]
fn stories() {
    compare("stories.md", 12);
}

#[test]
fn services() {
    compare("services.md", 3);
}

#[cfg(feature = "openshift")]
#[test]
fn require() {
    compare("require.md", 19);
}

#[cfg(feature = "openshift")]
#[test]
fn fix() {
    compare("fix.md", 22);
}

#[test]
fn levels() {
    compare("levels.md", 6);
}

#[test]
fn quotas() {
    compare("quotas.md", 6);
}

#[test]
fn unknown() {
    compare("unknown.md", 7);
}

#[test]
fn requests() {
    compare("requests.md", 8);
}

#[test]
fn apply() {
    compare("apply.md", 14);
}

#[test]
fn bad_input() {
    compare("bad-input.md", 20);
}

#[test]
fn bad_flags() {
    compare("bad-flags.md", 18);
}

#[test]
fn exit_status() {
    compare("exit-status.md", 9);
}

#[cfg(feature = "openshift")]
#[test]
fn help() {
    compare("help.md", 5);
}

/// What the user of another tool types first leads to what kadmit has for it.
#[test]
fn near_misses() {
    compare("near-misses.md", 17);
}

#[test]
fn a_level_is_tried_without_a_namespace() {
    compare("enforce.md", 5);
}

#[test]
fn configuration() {
    compare("config.md", 12);
}

#[test]
fn server() {
    compare("server.md", 10);
}

#[test]
fn fixtures() {
    compare("fixtures.md", 8);
}

#[test]
fn policies() {
    compare("policies.md", 33);
}

#[test]
fn releases() {
    compare("releases.md", 8);
    compare("upgrade.md", 8);
}

/// Runs the sessions about settings, next to their files.
#[test]
fn settings() {
    compare_in("settings.md", "input/settings", 13);
}

#[test]
fn skips() {
    compare_in("skips.md", "input/skips", 15);
}

#[test]
fn baseline() {
    compare_in("baseline.md", "input/baseline", 8);
}

#[test]
fn no_settings_lie_above_the_sessions() {
    for directory in directory().ancestors() {
        assert!(!directory.join("kadmit.toml").exists(), "{}", directory.display());
    }
}

#[test]
fn differences() {
    compare("diff.md", 10);
}

#[test]
fn comparisons() {
    compare("compare.md", 12);
}

#[test]
fn kubectl_calls_it_by_its_own_name() {
    let scratch =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kadmit-plugin-{}", std::process::id()));
    let usage = |name: &str, arguments: &[&str]| {
        fs::create_dir_all(&scratch).expect("a scratch directory");
        let program = scratch.join(name);
        // A copy could still be open for writing in another test's child, and then does not run.
        fs::hard_link(env!("CARGO_BIN_EXE_kadmit"), &program).expect("a link to the program");
        let output = Command::new(&program).args(arguments).output().expect("the program runs");
        fs::remove_dir_all(&scratch).expect("the scratch directory goes");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).expect("UTF-8");
        text.lines().find_map(|line| line.strip_prefix("Usage: ")).unwrap_or(&text).to_owned()
    };
    assert_eq!(usage("kubectl-kadmit", &["--help"]), "kubectl kadmit [OPTIONS] <COMMAND>");
    assert_eq!(usage("kubectl-kadmit.exe", &["run", "--help"]), "kubectl kadmit run [OPTIONS] [PATH]...");
    let help = |program: &str| {
        format!("  × <NAME> is missing\n  help: `{program} explain -h` shows how it is used\n")
    };
    assert_eq!(usage("kubectl-kadmit", &["explain"]), help("kubectl kadmit"));
    assert_eq!(usage("kadmit", &["explain"]), help("kadmit"));
    assert_eq!(usage("kubectl-kadmit", &["--version"]), concat!("kadmit ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn hooks_judge_manifests_and_pass_what_is_none() {
    let hooks = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".pre-commit-hooks.yaml"));
    let hooks = hooks.expect("the hooks are there");
    let entries: Vec<&str> = hooks.lines().filter_map(|line| line.strip_prefix("  entry: ")).collect();
    assert_eq!(entries.len(), 4, "{entries:?}");
    for entry in entries {
        let status = |rest: &str| golden::run(&format!("{entry} {rest}"), &directory()).status.code();
        assert_eq!(status("input/mixed/values.yaml"), Some(0), "{entry}");
        assert_eq!(status("--admission-control AlwaysDeny input/many/d.yaml"), Some(1), "{entry}");
    }
}

#[test]
fn advice() {
    compare("advice.md", 9);
}

/// Not on a terminal nothing is folded, and nothing is between a place and its end of line.
#[test]
fn what_is_not_for_a_terminal_is_not_folded() {
    let run = |columns: &str| {
        let command =
            format!("COLUMNS={columns} kadmit run --cluster ../quickstart/cluster ../quickstart/manifests");
        String::from_utf8(golden::run(&command, &directory()).stdout).expect("UTF-8")
    };
    let (whole, narrow) = (run("0"), run("60"));
    assert!(whole.lines().any(|line| line.chars().count() > 200), "{whole}");
    assert!(
        narrow
            .lines()
            .all(|line| line.chars().count() <= 60 || line.contains(".yaml:") || line.contains('│')),
        "{narrow}"
    );
    for text in [&whole, &narrow] {
        for file in ["cache", "checkout", "orders", "report", "search", "storefront", "worker"] {
            assert!(text.contains(&format!("../quickstart/manifests/{file}.yaml:1")), "{text}");
        }
    }
    assert!(whole.lines().count() < 120, "the quick start is short");
}

#[test]
fn secrets() {
    compare("secrets.md", 10);
}

#[test]
fn suites() {
    compare("test.md", 19);
}

#[test]
fn every_file_is_compared() {
    let tests = include_str!("cli.rs");
    let mut missing = Vec::new();
    for file in fs::read_dir(directory()).expect("the directory is there") {
        let path = file.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if path.is_file() && !tests.contains(&format!("(\"{name}\", ")) {
            missing.push(name.into_owned());
        }
    }
    assert!(missing.is_empty(), "no test compares {missing:?}");
}

#[test]
fn nesting_is_bounded() {
    let scratch = Scratch::new("nesting");
    let blocks: Vec<String> = (0..2_000).map(|depth| format!("{}a:", " ".repeat(depth))).collect();
    for (name, text) in [
        ("flow.yaml", format!("a: {}{}", "[".repeat(10_000), "]".repeat(10_000))),
        ("open.yaml", "[".repeat(10_000)),
        ("block.yaml", format!("a:\n{}", "- ".repeat(10_000))),
        ("indented.yaml", blocks.join("\n")),
        ("deep.json", format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000))),
    ] {
        fs::write(scratch.join(name), text).expect("a file");
        let output = golden::run(&format!("kadmit run {name}"), &scratch);
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{name}: {text}");
        assert!(text.contains(&format!("{name}:")), "{name}: {text}");
        assert!(text.len() < 4000, "{name}: {} bytes", text.len());
    }
}

#[test]
fn messages_that_no_other_session_shows() {
    compare("codes.md", 17);
}
