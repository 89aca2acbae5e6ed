//! `kadmit lsp`: sessions like those of an editor.

mod fixes;

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
fn hovering_names_who_sets_what() {
    let mut session = project("hover");
    let text = POD.replace("hostNetwork: true", "hostNetwork: false");
    session.open("manifests/web.yaml", &text);
    let hover = session.hover("manifests/web.yaml", 9);
    assert_eq!(hover, "✓ **Pod shop/web**\n\nset by the manifest, stored as `\"nginx\"`");
    let hover = session.hover("manifests/web.yaml", 7);
    assert!(hover.starts_with("✓ **Pod shop/web**\n\nset by the manifest\n"), "{hover}");
    assert!(hover.contains("`[0].imagePullPolicy`: `\"Always\"` · set by API default"), "{hover}");
    let hover = session.hover("manifests/web.yaml", 5);
    assert!(hover.contains("`priority`: `0` · set by Priority"), "{hover}");
    assert!(hover.contains("**Priority**: "), "{hover}");
    session.edit("manifests/web.yaml", (6, 15), (6, 20), "true");
    let hover = session.hover("manifests/web.yaml", 6);
    assert!(hover.contains("PodSecurity denied it"), "{hover}");
    assert!(hover.contains("**PodSecurity**: "), "{hover}");
    session.end();
}

#[test]
fn actions_skip_and_write_what_plugins_set() {
    let mut session = project("actions");
    session.open("manifests/web.yaml", POD);
    let (titles, edited) = session.act("manifests/web.yaml", 6, "Skip PodSecurity", POD);
    assert_eq!(
        titles,
        [
            "Skip PodSecurity with a reason",
            "Make it pass restricted, without spec.hostNetwork",
            "Show what the server stores"
        ]
    );
    let annotation = "  annotations:\n    kadmit.dev/skip: \"PodSecurity TODO: why\"\n";
    assert_eq!(edited, POD.replace("metadata:\n", &format!("metadata:\n{annotation}")));
    let whole = json!({
        "textDocument": {"uri": session.uri("manifests/web.yaml"), "version": 3},
        "contentChanges": [{"text": edited}],
    });
    session.notify("textDocument/didChange", &whole);
    let unexplained = session.marks("manifests/web.yaml");
    assert!(
        unexplained.iter().any(|(.., message)| message.contains("skips PodSecurity without a reason")),
        "{unexplained:?}"
    );
    let explained = json!({
        "textDocument": {"uri": session.uri("manifests/web.yaml"), "version": 4},
        "contentChanges": [{"text": edited.replace("TODO: why", "it watches the host")}],
    });
    session.notify("textDocument/didChange", &explained);
    assert_eq!(session.marks("manifests/web.yaml"), []);

    let class = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: fast\n  annotations: \
                 {storageclass.kubernetes.io/is-default-class: 'true'}\nprovisioner: disk\n";
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: data\n  namespace: shop\nspec:\n  \
                 accessModes: [ReadWriteOnce]\n  resources:\n    requests:\n      storage: 1Gi\n";
    fs::write(session.directory.join("cluster/class.yaml"), class).expect("a file");
    fs::write(session.directory.join("manifests/claim.yaml"), claim).expect("a file");
    session.notify("workspace/didChangeWatchedFiles", &json!({"changes": []}));
    session.open("manifests/claim.yaml", claim);
    let (_, edited) = session.act("manifests/claim.yaml", 5, "Write what DefaultStorageClass sets", claim);
    assert_eq!(edited, format!("{claim}  storageClassName: fast\n"));
    session.end();
}

#[test]
fn actions_fix_what_has_one_right_value() {
    let mut session = project("fixes");
    let profile = "securityContext: {seccompProfile: {type: Unconfined}}";
    let text = POD.replace("hostNetwork: true", profile);
    session.open("manifests/web.yaml", &text);
    let at = json!({"line": 6, "character": 4});
    let params = json!({
        "textDocument": {"uri": session.uri("manifests/web.yaml")},
        "range": {"start": at, "end": at},
        "context": {"diagnostics": []},
    });
    let actions = session.request("textDocument/codeAction", &params);
    let title = "Fix what PodSecurity refuses";
    let fix = actions.as_array().expect("a list").iter().find(|action| action["title"] == title);
    let edits = &fix.expect("a fix")["edit"]["changes"][session.uri("manifests/web.yaml")];
    assert_eq!(edits[0]["newText"], format!("  {}\n", profile.replace("Unconfined", "RuntimeDefault")));
    assert_eq!(edits.as_array().map(Vec::len), Some(1));
    session.end();
}

#[test]
fn actions_make_a_pod_pass_the_level_restricted() {
    let mut session = project("restricted");
    session.open("manifests/web.yaml", POD);
    let (_, edited) = session.act("manifests/web.yaml", 5, "Make it pass restricted", POD);
    assert!(!edited.contains("hostNetwork"), "{edited}");
    for field in ["allowPrivilegeEscalation: false", "- ALL", "runAsNonRoot: true", "type: RuntimeDefault"] {
        assert!(edited.contains(field), "{edited}");
    }
    let whole = json!({
        "textDocument": {"uri": session.uri("manifests/web.yaml"), "version": 3},
        "contentChanges": [{"text": edited}],
    });
    session.notify("textDocument/didChange", &whole);
    assert_eq!(session.marks("manifests/web.yaml"), []);
    session.end();
}

#[test]
fn the_stored_object_names_who_sets_it() {
    let mut session = project("stored");
    let text = POD.replace("hostNetwork: true", "hostNetwork: false");
    session.open("manifests/web.yaml", &text);
    let params = json!({"textDocument": {"uri": session.uri("manifests/web.yaml")}});
    let stored = session.request("kadmit/stored", &params);
    let stored = stored.as_str().expect("text");
    let line =
        |text: &str| stored.lines().find(|line| line.trim_start().starts_with(text)).unwrap_or_default();
    assert!(stored.starts_with("# ✓ Pod shop/web\n"), "{stored}");
    assert!(line("priority:").ends_with("# Priority"), "{stored}");
    assert!(line("- image: nginx").ends_with("- image: nginx"), "{stored}");
    let command = json!({"command": "kadmit.stored", "arguments": [session.uri("manifests/web.yaml")]});
    assert_eq!(session.request("workspace/executeCommand", &command), stored);
    session.end();
}

#[test]
fn files_without_settings_are_evaluated_as_they_are_open() {
    let mut session = Session::start("alone", &[("a.yaml", ""), ("values.yaml", "")]);
    let pod = POD.replace("image: nginx", "image: 1");
    session.open("a.yaml", &pod);
    let marks = session.marks("a.yaml");
    assert_eq!(marks.len(), 1, "{marks:?}");
    session.edit("a.yaml", (9, 11), (9, 12), "nginx");
    let note = "assumed namespace \"shop\" (not among the cluster objects)";
    assert_eq!(session.marks("a.yaml"), [mark(0, "Note", note)]);
    // It is a hint.
    assert_eq!(session.shown["a.yaml"][0]["severity"], 4);
    session.open("values.yaml", "replicas: 3\n");
    assert_eq!(session.marks("values.yaml"), []);
    let uri = session.uri("a.yaml");
    session.notify("textDocument/didClose", &json!({"textDocument": {"uri": uri}}));
    assert_eq!(session.marks("values.yaml"), []);
    assert_eq!(session.shown["a.yaml"], Vec::<Value>::new());
    session.end();
}

#[test]
fn wrong_settings_are_marked() {
    let mut session = Session::start("settings", &[("kadmit.toml", "path = ['a']\n"), ("a.yaml", POD)]);
    session.open("a.yaml", POD);
    assert_eq!(session.marks("a.yaml"), []);
    assert_eq!(session.marks("kadmit.toml"), [mark(0, "kadmit::settings", "there is no setting `path`")]);
    fs::write(session.directory.join("kadmit.toml"), "paths = ['a.yaml']\n").expect("a file");
    session.notify("workspace/didChangeWatchedFiles", &json!({"changes": []}));
    assert_eq!(session.marks("kadmit.toml"), []);
    session.end();
}

#[test]
fn what_no_editor_has_is_a_mark_in_the_settings() {
    for (name, settings, code, message) in [
        (
            "recreate",
            "paths = ['a.yaml']\nrecreate = true\n",
            "kadmit::lsp::recreate",
            "`recreate` is for a dump of a cluster, which no editor writes",
        ),
        (
            "standard",
            "paths = ['-']\n",
            "kadmit::lsp::standard_input",
            "an editor has no standard input: `-` cannot be read",
        ),
    ] {
        let mut session = Session::start(name, &[("kadmit.toml", settings), ("a.yaml", POD)]);
        session.open("a.yaml", POD);
        let marks = session.marks("kadmit.toml");
        assert!(marks.iter().any(|(_, own, text)| own == code && text == message), "{marks:?}");
        session.end();
    }
}

#[test]
fn settings_with_which_no_server_starts_are_marked() {
    let settings = "paths = ['a.yaml']\nenable-admission-plugins = ['PodSecurty']\n";
    let mut session = Session::start("start", &[("kadmit.toml", settings), ("a.yaml", POD)]);
    session.open("a.yaml", POD);
    assert_eq!(session.marks("a.yaml"), []);
    let marks = session.marks("kadmit.toml");
    assert_eq!(marks.len(), 1, "{marks:?}");
    assert_eq!(marks[0].0, 1);
    assert!(marks[0].2.contains("plugin \"PodSecurty\" is unknown"), "{marks:?}");
    session.end();
}

#[test]
fn a_cluster_that_is_not_there_is_a_mark_in_the_settings() {
    let settings = "paths = ['a.yaml']\ncluster = ['classes.yaml']\n";
    let mut session = Session::start("missing", &[("kadmit.toml", settings), ("a.yaml", POD)]);
    session.open("a.yaml", POD);
    // What it would say without the cluster is not true.
    assert_eq!(session.marks("a.yaml"), []);
    let marks = session.marks("kadmit.toml");
    assert_eq!(marks.len(), 1, "{marks:?}");
    assert_eq!(marks[0].0, 1);
    assert!(marks[0].2.contains("classes.yaml"), "{marks:?}");
    fs::write(session.directory.join("classes.yaml"), NAMESPACE).expect("a file");
    session.notify("workspace/didChangeWatchedFiles", &json!({"changes": []}));
    assert_eq!(session.marks("a.yaml").len(), 1);
    assert_eq!(session.marks("kadmit.toml"), []);
    session.end();
}

#[test]
fn hovering_over_a_map_names_the_origin_of_its_values() {
    let limits = "apiVersion: v1
kind: LimitRange
metadata: {name: sizes, namespace: shop}
spec: {limits: [{type: Container, default: {cpu: 500m}}]}
";
    let pod = POD.replace("hostNetwork: true", "hostNetwork: false");
    let files = [
        ("kadmit.toml", "paths = ['web.yaml']\ncluster = ['cluster']\n"),
        ("cluster/namespace.yaml", NAMESPACE),
        ("cluster/limits.yaml", limits),
        ("web.yaml", &*pod),
    ];
    let mut session = Session::start("origin", &files);
    session.open("web.yaml", &pod);
    let hover = session.hover("web.yaml", 7);
    let resources: Vec<&str> = hover.lines().filter(|line| line.contains("resources")).collect();
    assert!(!resources.is_empty(), "{hover}");
    assert!(resources.iter().all(|line| line.ends_with("set by LimitRanger")), "{hover}");
    session.end();
}

const LIMITS: &str = "apiVersion: v1
kind: LimitRange
metadata: {name: sizes, namespace: shop}
spec: {limits: [{type: Container, default: {cpu: 500m}}]}
";

const DEPLOYMENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      hostNetwork: false
      containers:
      - name: web
        image: nginx
";

/// Returns a session in which the Deployment is open, in a namespace with limits.
fn limited(name: &str) -> Session {
    let files = [
        ("kadmit.toml", "paths = ['web.yaml']\ncluster = ['cluster']\n"),
        ("cluster/namespace.yaml", NAMESPACE),
        ("cluster/limits.yaml", LIMITS),
        ("web.yaml", DEPLOYMENT),
    ];
    let mut session = Session::start(name, &files);
    session.open("web.yaml", DEPLOYMENT);
    session
}

#[test]
fn hovering_is_silent_about_requests_without_the_line() {
    let mut session = limited("replicas");
    let hover = session.hover("web.yaml", 4);
    assert!(hover.contains("set by the manifest, stored as `2`"), "{hover}");
    assert!(!hover.contains("---"), "{hover}");
    session.end();
}

#[test]
fn what_plugins_set_is_at_the_ends_of_lines() {
    let mut session = limited("hints");
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 20, "character": 0}});
    let params = json!({"textDocument": {"uri": session.uri("web.yaml")}, "range": range});
    let hints = session.request("textDocument/inlayHint", &params);
    let hints: Vec<_> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|hint| {
            (
                hint["position"]["line"].as_u64(),
                hint["position"]["character"].as_u64(),
                hint["label"].as_str(),
            )
        })
        .collect();
    let label = "resources.limits.cpu: 500m ‹LimitRanger›, resources.requests.cpu: 500m ‹LimitRanger›";
    assert!(hints.contains(&(Some(11), Some(17), Some(label))), "{hints:?}");
    session.end();
}

#[test]
fn the_verdict_is_above_each_object() {
    let mut session = limited("lenses");
    let params = json!({"textDocument": {"uri": session.uri("web.yaml")}});
    let title = |session: &mut Session| {
        let lenses = session.request("textDocument/codeLens", &params);
        assert_eq!(lenses.as_array().map(Vec::len), Some(1), "{lenses}");
        assert_eq!(lenses[0]["range"]["start"], json!({"line": 0, "character": 0}));
        assert_eq!(lenses[0]["command"]["command"], "kadmit.stored");
        lenses[0]["command"]["title"].as_str().expect("a title").to_owned()
    };
    assert_eq!(title(&mut session), "admitted with 2 Pods");
    session.edit("web.yaml", (9, 19), (9, 24), "true");
    assert_eq!(title(&mut session), "2 of 2 Pods denied by PodSecurity");
    session.edit("web.yaml", (1, 6), (1, 16), "Deploymnt");
    let lenses = session.request("textDocument/codeLens", &params);
    assert_eq!(lenses, json!([]));
    session.end();
}

#[test]
fn kinds_and_skips_are_completed() {
    let mut session = limited("complete");
    session.edit("web.yaml", (1, 6), (1, 16), "Dep");
    let complete = |session: &mut Session, line: u32, character: u32| -> Vec<(String, Value)> {
        let position = json!({"line": line, "character": character});
        let params = json!({"textDocument": {"uri": session.uri("web.yaml")}, "position": position});
        let items = session.request("textDocument/completion", &params);
        let item = |item: &Value| {
            let edit = &item["textEdit"];
            (edit["newText"].as_str().expect("text").to_owned(), edit["range"]["start"]["character"].clone())
        };
        items.as_array().expect("a list").iter().map(item).collect()
    };
    assert_eq!(complete(&mut session, 1, 9), [("Deployment".to_owned(), json!(6))]);
    session.edit("web.yaml", (1, 6), (1, 9), "Deployment");
    let annotations = "metadata: {name: web, namespace: shop}\n  annotations:\n    kadmit.dev/skip: PodSec";
    session.edit("web.yaml", (2, 0), (2, 39), annotations);
    assert_eq!(complete(&mut session, 4, 27), [("PodSecurity ".to_owned(), json!(21))]);
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
