//! What an editor shows about what plugins set, and completes: at the cursor, at the ends of lines, above objects.

use serde_json::{Value, json};

use super::{NAMESPACE, POD, Session, project};

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
