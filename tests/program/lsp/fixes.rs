//! Quick fixes are the edits of `kadmit fix`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::{Session, applied};

/// The number of actions after which a file is given up.
const MAX_ACTIONS: usize = 20;

/// Returns `text` after the first preferred action in a file; nothing if there is none.
fn fixed(session: &mut Session, file: &str, text: &str) -> Option<String> {
    let uri = session.uri(file);
    let params = json!({
        "textDocument": {"uri": uri},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": text.lines().count(), "character": 0}},
        "context": {"diagnostics": []},
    });
    let actions = session.request("textDocument/codeAction", &params);
    let action = actions.as_array().expect("a list").iter().find(|action| action["isPreferred"] == true)?;
    assert_eq!(action["kind"], "quickfix");
    Some(applied(action, &uri, text))
}

#[test]
fn quick_fixes_are_the_edits_of_fix() {
    for file in ["types.yaml", "moved.yaml"] {
        let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli/input/fix").join(file);
        let mut text = fs::read_to_string(input).expect("a text");
        let mut session = Session::start(&format!("same-{file}"), &[(file, &text)]);
        session.open(file, &text);
        for version in 2..=MAX_ACTIONS {
            let Some(edited) = fixed(&mut session, file, &text) else { break };
            text = edited;
            let document = json!({"uri": session.uri(file), "version": version});
            let change =
                json!({"textDocument": document.clone(), "contentChanges": [{"text": text.as_str()}]});
            session.notify("textDocument/didChange", &change);
        }
        let path = session.directory.join(file);
        let fix = Command::new(env!("CARGO_BIN_EXE_kadmit"))
            .args(["fix", "--write", "--no-settings"])
            .arg(&path)
            .output()
            .expect("the program runs");
        assert_eq!(text, fs::read_to_string(path).expect("a text"), "{fix:?}");
        session.end();
    }
}
