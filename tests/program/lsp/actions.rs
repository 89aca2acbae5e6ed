//! Actions skip a plugin, write what plugins set, and fix.

use std::fs;

use serde_json::json;

use super::{POD, project};

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
