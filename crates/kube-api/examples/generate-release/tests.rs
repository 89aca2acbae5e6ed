use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::document::Documents;
use crate::extend;
use crate::notes::{Notes, Type};
use crate::release::Release;

const DEPLOYMENT_SPEC: &str = "io.k8s.api.apps.v1.DeploymentSpec";

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

fn documents() -> Documents {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(crate::DOCUMENTS);
    Documents::read(&directory, None).expect("the documents")
}

fn notes() -> Notes {
    Notes::read(&data().join("go")).expect("the notes")
}

fn problems(documents: &Documents) -> Vec<String> {
    Release::make(documents, &notes()).problems
}

#[test]
fn the_folder_is_what_the_documents_and_the_notes_say() {
    let made = Release::make(&documents(), &notes());
    assert_eq!(made.problems, [""; 0]);
    assert_eq!(made.differences(&data()), [""; 0], "`cargo run --example generate-release` writes it");
    assert!(made.files.len() > 50, "{} files", made.files.len());
}

#[test]
fn a_changed_file_is_named_with_its_line() {
    let mut made = Release::make(&documents(), &notes());
    let text = made.files["v1.37/rbac.txt"].replace("ClusterRole cluster-admin", "ClusterRole admin-of-all");
    made.files.insert("v1.37/rbac.txt".to_owned(), text);
    made.files.insert("v1.37/new.txt".to_owned(), String::new());
    made.files.remove("v1.37/resources.txt");
    let differences = made.differences(&data());
    assert_eq!(differences.len(), 3, "{differences:#?}");
    assert!(differences[0].starts_with("v1.37/new.txt: "), "{differences:#?}");
    assert!(
        differences[1].ends_with(": `ClusterRole cluster-admin` should be `ClusterRole admin-of-all`"),
        "{differences:#?}"
    );
    assert_eq!(differences[2], "v1.37/resources.txt: nothing makes it");
}

#[test]
fn notes_are_written_as_they_are_read() {
    for package in notes().packages {
        let path = data().join("go/fields").join(package.file());
        assert!(fs::read_to_string(&path).expect("a note") == package.text(), "{}", path.display());
    }
}

#[test]
fn a_field_that_the_notes_lack_is_named_with_what_it_likely_is() {
    let mut documents = documents();
    let definition = documents.definitions.get_mut(DEPLOYMENT_SPEC).expect("a definition");
    definition["properties"]["limits"] =
        json!({"$ref": "io.k8s.api.core.v1.PodSpec", "x-kubernetes-map-type": "atomic"});
    assert_eq!(
        problems(&documents),
        [
            "apps/v1.DeploymentSpec.limits: OpenAPI has it, the notes lack it; likely `*core/v1.PodSpec omitempty atomic`"
        ]
    );

    let mut notes = notes();
    let added = notes.add(&Release::make(&documents, &notes).likely);
    assert_eq!(added, ["apps/v1.DeploymentSpec, likely:\n  limits ?"]);
    let made = Release::make(&documents, &notes);
    assert_eq!(made.problems, [""; 0]);
    assert_eq!(
        made.unreviewed,
        ["apps/v1.DeploymentSpec.limits: read it in k8s.io/api/apps/v1 v1.37.0 and take away the `?`"]
    );
    let table = &made.files["v1.37/fields/apps.v1.txt"];
    assert!(table.contains(
        "\n  progressDeadlineSeconds *int32 omitempty\n  limits *core/v1.PodSpec omitempty atomic\n"
    ));
    assert_eq!(made.differences(&data()).len(), 2);
}

#[test]
fn a_type_that_the_notes_lack_is_named() {
    let mut documents = documents();
    let of_kind = json!([{"group": "apps", "version": "v1", "kind": "Gadget"}]);
    let gadget = json!({"properties": {"size": {"type": "integer", "format": "int32", "default": 0}},
        "required": ["size"], "x-kubernetes-group-version-kind": of_kind});
    documents.definitions.insert("io.k8s.api.apps.v1.Gadget".to_owned(), gadget);
    documents.definitions.insert("io.k8s.api.gadgets.v1.Gadget".to_owned(), json!({"properties": {}}));
    assert_eq!(
        problems(&documents),
        [
            "apps/v1.Gadget.size: OpenAPI has it, the notes lack it; likely `int32`",
            "io.k8s.api.gadgets.v1.Gadget: data/go/fields has no file of its package",
            "apps/v1 Gadget: published, and not among the registered kinds",
        ]
    );
    let mut notes = notes();
    notes.add(&Release::make(&documents, &notes).likely);
    let apps = notes.packages.iter().find(|package| package.name == "apps/v1").expect("a package");
    assert!(matches!(&apps.types["Gadget"], Type::Struct { lines, .. } if lines.len() == 1));
}

#[test]
fn a_field_that_is_gone_or_another_one_is_named() {
    let mut documents = documents();
    let definition = documents.definitions.get_mut(DEPLOYMENT_SPEC).expect("a definition");
    let properties = definition["properties"].as_object_mut().expect("properties");
    properties.remove("paused");
    properties.insert("strategy".to_owned(), json!({"type": "string"}));
    properties.insert("template".to_owned(), json!({"$ref": "io.k8s.api.core.v1.Unheard"}));
    let rolling = documents.definitions.get_mut("io.k8s.api.core.v1.PodSpec").expect("a definition");
    rolling["properties"]["restartPolicy"] = json!({"type": "boolean"});
    assert_eq!(
        problems(&documents),
        [
            "apps/v1.DeploymentSpec.template: its type io.k8s.api.core.v1.Unheard is not in the notes",
            "apps/v1.DeploymentSpec.paused: the notes have it, OpenAPI lacks it",
            "core/v1.PodSpec.restartPolicy: RestartPolicy in Go, bool in OpenAPI",
        ]
    );
}

#[test]
fn gates_are_compared_with_the_published_list() {
    let mut documents = documents();
    documents.gates.insert("Gadgets".to_owned(), json!({"stage": "BETA", "default": true}));
    documents.gates.remove("WatchList");
    documents.gates.insert("AtomicFIFO".to_owned(), json!({"stage": "BETA", "default": false}));
    assert_eq!(
        problems(&documents),
        [
            "gate AtomicFIFO: published as beta, the notes end with beta,on",
            "gate WatchList: beta in the notes, not published",
            "gate Gadgets: published, the notes lack it; likely `Gadgets 1.37:beta,on`",
        ]
    );
}

#[test]
fn notes_of_another_release_are_not_joined() {
    let mut documents = documents();
    documents.release = "1.38".to_owned();
    let found = problems(&documents);
    assert!(
        found.contains(&"k8s.io/api/apps/v1 v1.37.0: the documents are of v1.38".to_owned()),
        "{found:#?}"
    );
}

#[test]
fn the_history_is_extended_by_a_release() {
    let old = documents();
    let mut new = documents();
    new.release = "1.38".to_owned();
    new.resources.retain(|resource| resource["resource"] != "componentstatuses");
    new.definitions.remove("io.k8s.api.core.v1.ComponentStatus");
    let gadgets = json!({"group": "apps", "version": "v1", "resource": "gadgets", "kind": "Gadget", "singular": "gadget",
        "namespaced": true, "verbs": ["get"], "shortNames": [], "subresources": [], "served": "runtime-config"});
    new.resources.push(gadgets);
    let of_kind = json!([{"group": "apps", "version": "v1", "kind": "Gadget"}]);
    let gadget = json!({"properties": {}, "x-kubernetes-group-version-kind": of_kind});
    new.definitions.insert("io.k8s.api.apps.v1.Gadget".to_owned(), gadget);
    let spec = new.definitions.get_mut(DEPLOYMENT_SPEC).expect("a definition");
    spec["properties"]["limits"] = json!({"type": "string"});
    spec["properties"]["paused"] = json!({"type": "string"});
    spec["properties"].as_object_mut().expect("properties").remove("replicas");

    let (history, problems) = extend::extend(&old, &new);
    assert_eq!(problems, [""; 0]);
    let fields = &history["types"][DEPLOYMENT_SPEC]["fields"];
    assert_eq!(fields["limits"], json!({"since": "1.38"}));
    assert_eq!(fields["paused"], json!({"was": [{"until": "1.37", "type": {"type": "boolean"}}]}));
    assert_eq!(fields["replicas"], json!({"until": "1.37", "type": {"type": "integer", "format": "int32"}}));
    let status = &history["types"]["io.k8s.api.core.v1.ComponentStatus"];
    assert_eq!(
        (&status["until"], &status["fields"]["kind"]),
        (&json!("1.37"), &json!({"type": {"type": "string"}}))
    );
    let resources = history["resources"].as_array().expect("resources");
    let resource = |name: &str| resources.iter().find(|found| found["resource"] == name).expect("a resource");
    assert_eq!(resource("componentstatuses")["until"], "1.37");
    assert_eq!(resource("gadgets")["since"], "1.38");
    assert_eq!(resource("gadgets")["definition"], "io.k8s.api.apps.v1.Gadget");
    assert_eq!(resource("gadgets")["served_by_default"], false);
    let again: serde_json::Value = serde_json::from_str(&extend::text(&history)).expect("JSON");
    assert_eq!(again, history);

    // The tables of the next release can be generated from it.
    new.history = history;
    let made = Release::make(&new, &notes());
    let table = &made.files["history/fields.txt"];
    assert!(table.contains("\n  paused -1.37 bool omitempty\n  paused 1.38-\n"), "{:#?}", made.problems);
    assert!(table.contains("\n  replicas -1.37 int32 omitempty\n"));
    let table = &made.files["history/resources.txt"];
    assert!(
        table.contains(
            "\nv1 componentstatuses -1.37 ComponentStatus componentstatus cluster default get,list\n"
        )
    );
    assert!(table.contains("\napps/v1 gadgets 1.38-\n"));
}

#[test]
fn a_release_that_changes_nothing_adds_its_name_alone() {
    let mut new = documents();
    new.release = "1.38".to_owned();
    let (mut history, problems) = extend::extend(&documents(), &new);
    assert_eq!(problems, [""; 0]);
    history["releases"].as_array_mut().expect("releases").pop();
    assert!(history == new.history);
}
