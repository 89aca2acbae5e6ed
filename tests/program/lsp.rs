//! `kadmit lsp`: sessions like those of an editor.

mod actions;
mod fixes;
mod settings;
mod shown;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// A timeout longer than any machine needs; it only passes when something is broken.
const PATIENCE: Duration = Duration::from_secs(60);

const NAMESPACE: &str = "apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels:
    pod-security.kubernetes.io/enforce: baseline
";

const POD: &str = "apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
spec:
  hostNetwork: true
  containers:
  - name: web
    image: nginx
";

/// A program that serves an editor, and the directory of its files.
struct Session {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    directory: PathBuf,
    last: i64,
    /// The shown diagnostics of each file.
    shown: BTreeMap<String, Vec<Value>>,
}

impl Session {
    fn start(name: &str, files: &[(&str, &str)]) -> Self {
        let directory = std::env::temp_dir().join(format!("kadmit-lsp-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a scratch directory");
        let directory = fs::canonicalize(directory).expect("its name");
        for (file, text) in files {
            let path = directory.join(file);
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_kadmit"))
            .args(["lsp", "--stdio"])
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut session = Self { child, input, messages, directory, last: 0, shown: BTreeMap::new() };
        let offered = json!({"general": {"positionEncodings": ["utf-16"]}});
        let answer = session
            .request("initialize", &json!({"processId": null, "rootUri": null, "capabilities": offered}));
        assert_eq!(answer["serverInfo"]["name"], "kadmit");
        assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
        session.notify("initialized", &json!({}));
        session
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}", self.directory.join(file).display())
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("a session");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("a program that reads");
        input.flush().expect("a program that reads");
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("an answer in time");
            if message["id"] == id {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].clone();
            }
            self.take(&message);
        }
    }

    /// Records the shown diagnostics.
    fn take(&mut self, message: &Value) {
        if message["method"] == "textDocument/publishDiagnostics" {
            let uri = message["params"]["uri"].as_str().expect("a file");
            let name = uri.rsplit_once(&format!("{}/", self.directory.display()));
            let name = name.map_or(uri, |(_, name)| name).to_owned();
            let diagnostics = message["params"]["diagnostics"].as_array().expect("a list");
            self.shown.insert(name, diagnostics.clone());
        }
    }

    fn open(&mut self, file: &str, text: &str) {
        let document = json!({"uri": self.uri(file), "languageId": "yaml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    /// Replaces the text between two positions.
    fn edit(&mut self, file: &str, start: (u32, u32), end: (u32, u32), text: &str) {
        let at = |(line, character)| json!({"line": line, "character": character});
        let range = json!({"start": at(start), "end": at(end)});
        let document = json!({"uri": self.uri(file), "version": 2});
        let changes = json!([{"range": range, "text": text}]);
        self.notify("textDocument/didChange", &json!({"textDocument": document, "contentChanges": changes}));
    }

    /// Returns the marks of `file` after all answers: line, rule and first line of each.
    fn marks(&mut self, file: &str) -> Vec<(u64, String, String)> {
        let params =
            json!({"textDocument": {"uri": self.uri(file)}, "position": {"line": 0, "character": 0}});
        self.request("textDocument/hover", &params);
        let shown = self.shown.get(file).cloned().unwrap_or_default();
        let text =
            |value: &Value| value.as_str().unwrap_or_default().lines().next().unwrap_or_default().to_owned();
        let mark = |mark: &Value| {
            let line = mark["range"]["start"]["line"].as_u64().expect("a line");
            (line, text(&mark["code"]), text(&mark["message"]))
        };
        shown.iter().map(mark).collect()
    }

    fn hover(&mut self, file: &str, line: u32) -> String {
        let params =
            json!({"textDocument": {"uri": self.uri(file)}, "position": {"line": line, "character": 4}});
        let hover = self.request("textDocument/hover", &params);
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the titles of the actions for a line, and `text` after the action whose title begins with `title`.
    fn act(&mut self, file: &str, line: u32, title: &str, text: &str) -> (Vec<String>, String) {
        let at = json!({"line": line, "character": 4});
        let params = json!({
            "textDocument": {"uri": self.uri(file)},
            "range": {"start": at, "end": at},
            "context": {"diagnostics": []},
        });
        let actions = self.request("textDocument/codeAction", &params);
        let actions = actions.as_array().expect("a list");
        let title_of = |action: &Value| action["title"].as_str().unwrap_or_default().to_owned();
        let titles: Vec<String> = actions.iter().map(title_of).collect();
        let action = actions.iter().find(|action| title_of(action).starts_with(title)).expect("the action");
        let edited = applied(action, &self.uri(file), text);
        (titles, edited)
    }

    /// Ends the session as an editor does.
    fn end(mut self) {
        assert_eq!(self.request("shutdown", &Value::Null), Value::Null);
        self.notify("exit", &Value::Null);
        self.input = None;
        assert_eq!(self.child.wait().expect("an exit status").code(), Some(0));
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended, which is why the test fails then.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Returns `text`, that of the file `uri`, after an action.
fn applied(action: &Value, uri: &str, text: &str) -> String {
    let mut edited = text.to_owned();
    for edit in action["edit"]["changes"][uri].as_array().expect("edits").iter().rev() {
        let offset = |end: &str| {
            let part = |part: &str| {
                let number = edit["range"][end][part].as_u64().expect("a number");
                usize::try_from(number).expect("a small one")
            };
            text.split_inclusive('\n').take(part("line")).map(str::len).sum::<usize>() + part("character")
        };
        edited.replace_range(offset("start")..offset("end"), edit["newText"].as_str().expect("text"));
    }
    edited
}

/// Returns the next message, if there is one.
fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim_end() {
            "" => break,
            header => {
                if let Some(text) = header.strip_prefix("Content-Length: ") {
                    length = text.parse().expect("a number");
                }
            }
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).ok()?;
    Some(serde_json::from_slice(&text).expect("JSON"))
}

fn project(name: &str) -> Session {
    Session::start(
        name,
        &[
            ("kadmit.toml", "paths = [\"manifests\"]\ncluster = [\"cluster\"]\n"),
            ("cluster/namespace.yaml", NAMESPACE),
            ("manifests/web.yaml", POD),
        ],
    )
}

fn mark(line: u64, rule: &str, message: &str) -> (u64, String, String) {
    (line, rule.to_owned(), message.to_owned())
}

const REFUSED: &str =
    r#"pods "web" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)"#;

#[test]
fn marks_what_is_typed() {
    let mut session = project("marks");
    session.open("manifests/web.yaml", POD);
    assert_eq!(session.marks("manifests/web.yaml"), [mark(6, "PodSecurity", REFUSED)]);
    let shown = &session.shown["manifests/web.yaml"][0];
    assert_eq!(shown["range"]["start"]["character"], 15);
    assert_eq!(shown["relatedInformation"][0]["message"], "Namespace shop enforces baseline");
    let page = "https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podsecurity";
    assert_eq!(shown["codeDescription"]["href"], page);
    assert!(
        shown["relatedInformation"][0]["location"]["uri"]
            .as_str()
            .unwrap()
            .ends_with("cluster/namespace.yaml")
    );

    session.edit("manifests/web.yaml", (6, 15), (6, 19), "false");
    assert_eq!(session.marks("manifests/web.yaml"), []);

    session.edit("manifests/web.yaml", (6, 2), (6, 13), "hostNetwrk");
    let strict = r#"strict decoding error: unknown field "spec.hostNetwrk""#;
    let marks = session.marks("manifests/web.yaml");
    assert_eq!(marks.len(), 1, "{marks:?}");
    assert!(marks[0].2.contains(strict), "{marks:?}");

    session.edit("manifests/web.yaml", (6, 0), (6, 0), "\t");
    let marks = session.marks("manifests/web.yaml");
    assert_eq!(marks.len(), 1, "{marks:?}");
    assert!(marks[0].1.starts_with("kadmit::manifest::"), "{marks:?}");
    session.end();
}

#[test]
fn a_file_that_was_never_saved_belongs_to_its_directory() {
    let mut session = project("unsaved");
    session.open("manifests/new.yaml", &POD.replace("name: web", "name: new"));
    let refused = REFUSED.replace("\"web\"", "\"new\"");
    assert_eq!(session.marks("manifests/new.yaml"), [mark(6, "PodSecurity", &refused)]);
    session.open("elsewhere.yaml", POD);
    assert_eq!(session.marks("elsewhere.yaml"), []);
    session.end();
}

#[test]
fn a_change_marks_other_files() {
    let mut session = project("others");
    session.open("manifests/web.yaml", POD);
    session.open("cluster/namespace.yaml", NAMESPACE);
    assert_eq!(session.marks("manifests/web.yaml").len(), 1);
    session.edit("cluster/namespace.yaml", (5, 40), (5, 48), "privileged");
    assert_eq!(session.marks("manifests/web.yaml"), []);
    // A namespace in the documents counts as one before the Pod.
    session.open("manifests/namespace.yaml", "");
    session.edit("cluster/namespace.yaml", (5, 40), (5, 50), "restricted");
    assert_eq!(session.marks("manifests/web.yaml").len(), 1);
    session.end();
}

#[test]
fn a_quota_is_used_up_by_a_document_before() {
    let quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: pods, namespace: shop}\n\
                 spec: {hard: {pods: '2'}}\nstatus: {hard: {pods: '2'}, used: {pods: '0'}}\n";
    let deployment = "apiVersion: apps/v1
kind: Deployment
metadata: {name: a, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec: {containers: [{name: a, image: a}]}
";
    let mut session = Session::start(
        "quota",
        &[
            ("kadmit.toml", "paths = [\"manifests\"]\ncluster = [\"cluster\"]\n"),
            ("cluster/namespace.yaml", NAMESPACE),
            ("cluster/quota.yaml", quota),
            ("manifests/a.yaml", deployment),
            ("manifests/web.yaml", &POD.replace("  hostNetwork: true\n", "")),
        ],
    );
    session.open("manifests/a.yaml", deployment);
    assert_eq!(session.marks("manifests/a.yaml"), []);
    assert_eq!(session.marks("manifests/web.yaml"), []);
    session.edit("manifests/a.yaml", (4, 12), (4, 13), "2");
    assert_eq!(session.marks("manifests/a.yaml"), []);
    let refused =
        r#"pods "web" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=2, limited: pods=2"#;
    assert_eq!(session.marks("manifests/web.yaml"), [mark(0, "ResourceQuota", refused)]);
    session.edit("manifests/a.yaml", (4, 12), (4, 13), "1");
    assert_eq!(session.marks("manifests/web.yaml"), []);
    session.end();
}

#[test]
fn errors_in_expressions_are_marked_at_their_columns() {
    let policy = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  validations:
  - expression: >-
      has(object.spec) &&
      object.spec.replicas <= nothing
";
    let mut session = Session::start("columns", &[("policy.yaml", policy)]);
    session.open("policy.yaml", policy);
    let marks = session.marks("policy.yaml");
    assert_eq!(marks.len(), 1, "{marks:?}");
    let start = &session.shown["policy.yaml"][0]["range"]["start"];
    assert_eq!(*start, json!({"line": 9, "character": 30}));
    let end = &session.shown["policy.yaml"][0]["range"]["end"];
    assert_eq!(*end, json!({"line": 9, "character": 37}));
    session.end();
}

#[test]
fn a_change_does_not_wait_for_the_answers_to_the_one_before() {
    let pods: String = (0..60)
        .map(|number| POD.replace("name: web\n  n", &format!("name: web-{number}\n  n")))
        .flat_map(|pod| ["---\n".to_owned(), pod])
        .collect();
    let files = [
        ("kadmit.toml", "paths = ['a.yaml', 'many.yaml']\ncluster = ['cluster']\n"),
        ("cluster/namespace.yaml", NAMESPACE),
        ("a.yaml", POD),
        ("many.yaml", &pods),
    ];
    let mut session = Session::start("interrupted", &files);
    session.open("a.yaml", POD);
    assert_eq!(session.marks("a.yaml").len(), 1);
    // Each change is sent before the answers to the last one are complete.
    for _ in 0..4 {
        session.edit("a.yaml", (6, 15), (6, 19), "false");
        session.edit("a.yaml", (6, 15), (6, 20), "true");
    }
    session.edit("a.yaml", (6, 15), (6, 19), "false");
    assert_eq!(session.marks("a.yaml"), []);
    assert_eq!(session.marks("many.yaml").len(), 60);
    session.end();
}
