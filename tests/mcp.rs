//! `kadmit mcp`: a session like that of an assistant.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const POD: &str = "apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  containers:
  - name: web
    image: nginx
";

/// A program that serves an assistant.
struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: i64,
}

impl Session {
    fn start(directory: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kadmit"))
            .arg("mcp")
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut session = Self { child, input, output, last: 0 };
        let client = json!({"name": "test", "version": "1"});
        let parameters = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let answer = session.request("initialize", &parameters);
        assert_eq!(answer["result"]["serverInfo"]["name"], "kadmit", "{answer}");
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
        session.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    fn write(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("the program reads");
    }

    fn request(&mut self, method: &str, parameters: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        let mut line = String::new();
        self.output.read_line(&mut line).expect("an answer");
        let answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool, and returns its text and whether it is an error.
    fn call(&mut self, name: &str, arguments: &Value) -> (String, bool) {
        let answer = self.request("tools/call", &json!({"name": name, "arguments": arguments}));
        let content = answer["result"]["content"].as_array().unwrap_or_else(|| panic!("{answer}"));
        let texts: Vec<&str> = content.iter().filter_map(|part| part["text"].as_str()).collect();
        (texts.join("\n"), answer["result"]["isError"] == true)
    }

    fn end(mut self) {
        drop(self.input);
        let status = self.child.wait().expect("the program ends");
        assert!(status.success(), "{status}");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn lists_its_tools() {
    let mut session = Session::start(root());
    let answer = session.request("tools/list", &json!({}));
    let tools = answer["result"]["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["evaluate", "explain", "compare", "fix"]);
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
    }
    session.end();
}

#[test]
fn answers_as_the_commands_do() {
    let mut session = Session::start(root());
    let (text, is_error) =
        session.call("evaluate", &json!({"manifests": POD, "flags": ["--enforce=restricted"]}));
    assert!(!is_error, "{text}");
    assert!(text.contains("violates PodSecurity \"restricted:latest\""), "{text}");

    let (text, is_error) = session.call(
        "evaluate",
        &json!({
            "paths": ["testdata/quickstart/manifests/report.yaml"],
            "cluster": ["testdata/quickstart/cluster"],
            "output": "json",
        }),
    );
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    let report = values.next().expect("a report").unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(!is_error && report["summary"]["denied"] == 1, "{text}");

    let (text, is_error) = session.call("fix", &json!({"manifests": POD, "flags": ["--enforce=restricted"]}));
    assert!(!is_error && text.contains("allowPrivilegeEscalation: false"), "{text}");

    let (text, is_error) = session.call(
        "compare",
        &json!({"manifests": POD, "after": ["--enable-admission-plugins=AlwaysPullImages"]}),
    );
    assert!(!is_error && text.contains("AlwaysPullImages"), "{text}");

    let (text, is_error) = session.call("explain", &json!({"name": "LimitRanger"}));
    assert!(!is_error && text.starts_with("LimitRanger\n"), "{text}");
    session.end();
}

#[test]
fn wrong_input_is_an_error_of_the_call() {
    let mut session = Session::start(root());
    let (text, is_error) = session.call("evaluate", &json!({"manifests": "kind: [\n"}));
    assert!(is_error && text.contains("-:"), "{text}");
    let (text, is_error) = session.call("explain", &json!({"name": "LimitRange"}));
    assert!(is_error && text.contains("did you mean \"LimitRanger\"?"), "{text}");
    let answer = session.request(
        "tools/call",
        &json!({"name": "fix", "arguments": {"manifests": POD, "flags": ["--write"]}}),
    );
    let message = answer["error"]["message"].as_str().expect("an error");
    assert!(message.starts_with("\"--write\" is not permitted"), "{message}");
    // The session goes on.
    assert!(!session.call("explain", &json!({"name": "psa"})).1);
    session.end();
}

/// No call leaves a file, even where kadmit.toml requests one.
#[test]
fn writes_no_file() {
    let directory = std::env::temp_dir().join(format!("kadmit-mcp-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a scratch directory");
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).expect("a file");
    write("pod.yaml", POD);
    write("kadmit.toml", "output = [\"html=page.html\"]\n");
    let mut session = Session::start(&directory);
    for tool in ["evaluate", "fix"] {
        let (text, is_error) =
            session.call(tool, &json!({"paths": ["pod.yaml"], "flags": ["--enforce=restricted"]}));
        assert!(!is_error, "{text}");
    }
    session.end();
    let names = std::fs::read_dir(&directory).expect("the directory").count();
    let text = std::fs::read_to_string(directory.join("pod.yaml")).expect("the manifest");
    std::fs::remove_dir_all(&directory).expect("the directory can be removed");
    assert_eq!((names, text.as_str()), (2, POD));
}

#[test]
fn a_long_answer_is_cut_after_a_line() {
    let mut session = Session::start(root());
    let pods: String =
        (0..400).map(|n| format!("---\n{}", POD.replace("name: web,", &format!("name: web-{n},")))).collect();
    let arguments = json!({"manifests": pods, "output": "json", "flags": ["--enforce=restricted"]});
    let (text, is_error) = session.call("evaluate", &arguments);
    assert!(!is_error, "{text}");
    let (head, end) = text.split_once("\n[").expect("an end that says so");
    assert!(head.len() < 100_000, "{}", head.len());
    assert!(end.contains("more bytes are left out: name fewer manifests, or the output \"text\"]"), "{end}");
    session.end();
}

#[test]
fn a_cancelled_call_ends() {
    let mut session = Session::start(root());
    let pods: String = (0..20_000)
        .map(|n| format!("---\n{}", POD.replace("name: web,", &format!("name: web-{n},"))))
        .collect();
    session.write(&json!({
        "jsonrpc": "2.0", "id": 100, "method": "tools/call",
        "params": {"name": "evaluate", "arguments": {"manifests": pods}},
    }));
    let cancelled = json!({"requestId": 100, "reason": "enough"});
    session.write(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}));
    let (text, is_error) = session.call("explain", &json!({"name": "LimitRanger"}));
    assert!(!is_error && text.contains("LimitRange"), "{text}");
    session.end();
}
