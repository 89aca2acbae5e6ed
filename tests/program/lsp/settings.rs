//! Marks in the settings, and files without settings.

use std::fs;

use serde_json::{Value, json};

use super::{NAMESPACE, POD, Session, mark};

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
