//! `kadmit run --watch` prints again when a file has changed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// A timeout longer than any machine needs, which only expires if the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\n\
                   spec: {containers: [{name: a, image: a}]}\n";

/// The program while it watches, and the directory that it watches.
struct Watching {
    child: Child,
    lines: Receiver<String>,
    directory: PathBuf,
}

impl Watching {
    fn start(name: &str, files: &[(&str, &str)], arguments: &[&str]) -> Self {
        Self::start_of("run", name, files, arguments)
    }

    fn start_of(subcommand: &str, name: &str, files: &[(&str, &str)], arguments: &[&str]) -> Self {
        let directory = std::env::temp_dir().join(format!("kadmit-watch-{name}-{}", std::process::id()));
        fs::create_dir_all(directory.join("manifests")).expect("a scratch directory");
        for (file, text) in files {
            fs::write(directory.join(file), text).expect("a file");
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
        command.args([subcommand, "--watch"]).args(arguments).current_dir(&directory);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let lines = lines_of(child.stdout.take().expect("its output"));
        Self { child, lines, directory }
    }

    /// Returns the next line that summarizes a report.
    fn summary(&self) -> String {
        self.line_with(" admitted, ")
    }

    /// The next line with `part` in it.
    fn line_with(&self, part: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("a report in time");
            if line.contains(part) {
                return line;
            }
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // It may have ended, which is then the failure.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn lines_of(output: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// Replaces the file as many editors do: the new text takes the name of the old one.
fn replace(file: &Path, text: &str) {
    let temporary = file.with_extension("tmp");
    fs::write(&temporary, text).expect("a file");
    fs::rename(&temporary, file).expect("it takes the name");
}

#[test]
fn every_change_is_a_new_report() {
    let cluster = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n";
    let watching = Watching::start(
        "changes",
        &[("manifests/a.yaml", POD), ("cluster.yaml", cluster)],
        &["manifests", "--cluster", "cluster.yaml", "-o", "text", "-o", "json=manifests/report.json"],
    );
    assert!(watching.summary().starts_with("1 object: 1 admitted, 0 denied"));

    // A file is written anew.
    let privileged = POD.replace("image: a", "image: a, securityContext: {privileged: true}");
    replace(&watching.file("manifests/a.yaml"), &privileged);
    assert!(watching.summary().contains("1 object: 1 admitted, 0 denied"));

    // The cluster changes.
    let label = "labels: {pod-security.kubernetes.io/enforce: baseline}";
    fs::write(watching.file("cluster.yaml"), cluster.replace("name: shop", &format!("name: shop, {label}")))
        .expect("a file");
    assert!(watching.summary().contains("1 object: 0 admitted, 1 denied"));

    // A file is added to the directory.
    fs::write(watching.file("manifests/b.yaml"), POD.replace("web", "plain")).expect("a file");
    assert!(watching.summary().contains("2 objects: 1 admitted, 1 denied"));

    // A file is removed.
    fs::remove_file(watching.file("manifests/a.yaml")).expect("it was there");
    assert!(watching.summary().contains("1 object: 1 admitted, 0 denied"));
}

#[test]
fn comparisons_and_suites_are_made_again_as_well() {
    let files = [("before.yaml", POD), ("manifests/a.yaml", POD)];
    let arguments = ["before.yaml", "manifests", "--admission-control", "AlwaysAdmit"];
    let watching = Watching::start_of("diff", "diff", &files, &arguments);
    assert_eq!(watching.line_with("differ"), "no difference");
    replace(&watching.file("manifests/a.yaml"), &POD.replace("image: a", "image: b"));
    assert_eq!(watching.line_with("changed"), "1 changed");

    let suite = "apiVersion: kadmit.dev/v1alpha1\nkind: Suite\ncases:\n- name: a\n  requests: [manifests/a.yaml]\n  \
                 expect: {allowed: true}\n";
    let files = [("kadmit-test.yaml", suite), ("manifests/a.yaml", POD)];
    let watching = Watching::start_of("test", "test", &files, &["."]);
    assert!(watching.line_with("1 suite, ").ends_with("1 passed"));
    replace(&watching.file("kadmit-test.yaml"), &suite.replace("true", "false"));
    assert!(watching.line_with("1 suite, ").ends_with("1 failed"));
}

#[test]
fn a_configuration_that_changes_is_a_new_report() {
    let configuration = |enforce: &str| {
        format!(
            "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: PodSecurity\n  \
             configuration:\n    apiVersion: pod-security.admission.config.k8s.io/v1\n    kind: \
             PodSecurityConfiguration\n    defaults: {{enforce: {enforce}}}\n"
        )
    };
    let watching = Watching::start(
        "configuration",
        &[("manifests/a.yaml", POD), ("admission.yaml", &configuration("baseline"))],
        &["manifests/*.yaml", "--admission-control-config-file", "admission.yaml"],
    );
    assert!(watching.summary().starts_with("1 object: 1 admitted, 0 denied"));
    fs::write(watching.file("admission.yaml"), configuration("restricted")).expect("a file");
    assert!(watching.summary().contains("1 object: 0 admitted, 1 denied"));
}

#[test]
fn settings_that_change_are_a_new_report() {
    let watching = Watching::start(
        "settings",
        &[("manifests/a.yaml", POD), ("kadmit.toml", "paths = 7\n")],
        &["--settings", "kadmit.toml"],
    );
    let settings = |more: &str| {
        let file = watching.file("kadmit.toml");
        replace(&file, &format!("paths = [\"manifests\"]\n{more}"));
    };
    // The errors in the settings were reported on standard error.
    settings("");
    assert!(watching.summary().contains("1 object: 1 admitted, 0 denied"));
    settings("admission-control = [\"AlwaysDeny\"]\n");
    assert!(watching.summary().contains("1 object: 0 admitted, 1 denied"));
}
