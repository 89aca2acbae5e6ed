use std::sync::Arc;

use super::*;
use gotext::path::Path;

fn document(text: &str) -> Document {
    let source: Arc<SourceFile> = SourceFile::new("a.yaml", text);
    crate::read(&source).next().expect("a document").expect("YAML")
}

/// Returns `text` with `change`; nothing if no edit makes it.
#[track_caller]
fn edited(text: &str, change: &Change) -> Option<String> {
    edit(&document(text), change).map(|edit| edit.apply(text))
}

#[track_caller]
fn assert_edit(text: &str, change: &Change, expected: &str) {
    assert_eq!(edited(text, change).as_deref(), Some(expected), "{change:?} of {text}");
}

fn path(text: &'static str) -> Path {
    Path::new(text)
}

#[test]
fn a_missing_field_follows_the_last_one_of_its_map() {
    let text = "# pod\nspec:\n  containers: # all\n  - name: ü # first\n\n  # second\n  - name: b\n# end\n";
    let flag = |index| path("spec.containers").index(index).child("securityContext").child("privileged");
    assert_edit(
        text,
        &Change::set(flag(0), false),
        "# pod\nspec:\n  containers: # all\n  - name: ü # first\n    securityContext:\n      privileged: false\n\n  # second\n  - \
         name: b\n# end\n",
    );
    assert_edit(
        text,
        &Change::set(flag(1), false),
        "# pod\nspec:\n  containers: # all\n  - name: ü # first\n\n  # second\n  - name: b\n    securityContext:\n      \
         privileged: false\n# end\n",
    );
    assert_edit(
        text,
        &Change::set(path("spec.hostUsers"), false),
        "# pod\nspec:\n  containers: # all\n  - name: ü # first\n\n  # second\n  - name: b\n  hostUsers: false\n# end\n",
    );
}

#[test]
fn an_empty_or_unset_map_becomes_lines() {
    let change = Change::set(path("spec.a.b"), "c");
    for text in [
        "spec:\n  a: {}\n  d: 1\n",
        "spec:\n  a:\n  d: 1\n",
        "spec:\n  a: null\n  d: 1\n",
        "spec:\n  a: ~\n  d: 1\n",
    ] {
        assert_edit(text, &change, "spec:\n  a:\n    b: c\n  d: 1\n");
    }
    assert_edit("spec:\n  a: # none\n  d: 1\n", &change, "spec:\n  a: # none\n    b: c\n  d: 1\n");
    assert_edit("spec:\n  a: {} # none\n  d: 1\n", &change, "spec:\n  a: {b: c} # none\n  d: 1\n");
    assert_edit("spec:", &change, "spec:\n  a:\n    b: c");
}

#[test]
fn what_is_in_brackets_stays_in_brackets() {
    assert_edit("spec: {a: 1}\n", &Change::set(path("spec.b.c"), "x, y"), "spec: {a: 1, b: {c: \"x, y\"}}\n");
    assert_edit("spec: {a: {}, b: 1}\n", &Change::set(path("spec.a.c"), 2), "spec: {a: {c: 2}, b: 1}\n");
    assert_edit("a: [x, y]\n", &Change::append(path("a"), "z"), "a: [x, y, z]\n");
    assert_edit("a: [x, y]\n", &Change::remove(path("a").index(1)), "a: [x]\n");
    assert_edit("a: [x, y]\n", &Change::remove(path("a").index(0)), "a: [y]\n");
    assert_edit("a: [x]\n", &Change::remove(path("a").index(0)), "a: []\n");
    assert_edit("spec: {a: 1, b: 2}\n", &Change::remove(path("spec.a")), "spec: {b: 2}\n");
}

#[test]
fn json_stays_json() {
    let text = "{\n  \"spec\": {\n    \"a\": \"x\"\n  },\n  \"b\": {}\n}\n";
    assert_edit(
        text,
        &Change::set(path("spec.c.d"), json!([1, "y"])),
        "{\n  \"spec\": {\n    \"a\": \"x\",\n    \"c\": {\"d\":[1,\"y\"]}\n  },\n  \"b\": {}\n}\n",
    );
    assert_edit(
        text,
        &Change::set(path("b.c"), true),
        "{\n  \"spec\": {\n    \"a\": \"x\"\n  },\n  \"b\": {\"c\":true}\n}\n",
    );
    assert_edit(
        text,
        &Change::set(path("spec.a"), 8),
        "{\n  \"spec\": {\n    \"a\": 8\n  },\n  \"b\": {}\n}\n",
    );
    assert_edit(
        text,
        &Change::rename(path("spec.a"), "e"),
        "{\n  \"spec\": {\n    \"e\": \"x\"\n  },\n  \"b\": {}\n}\n",
    );
    assert_edit(text, &Change::remove(path("b")), "{\n  \"spec\": {\n    \"a\": \"x\"\n  }\n}\n");
}

#[test]
fn values_are_replaced_where_they_are() {
    assert_edit("a: '80' # port\nb: 1\n", &Change::set(path("a"), 80), "a: 80 # port\nb: 1\n");
    assert_edit("a: yes\n", &Change::set(path("a"), "yes"), "a: \"yes\"\n");
    assert_edit("a: |\n  x\n  y\nb: 1\n", &Change::set(path("a"), "z"), "a: z\nb: 1\n");
    assert_edit("a:\n  b: 1\nc: 2\n", &Change::set(path("a"), json!({"d": 1})), "a:\n  d: 1\nc: 2\n");
    assert_edit("a: 1\n", &Change::set(path("a"), json!(["x"])), "a:\n- x\n");
    assert_edit("a:\nb: 1\n", &Change::set(path("a"), 2), "a: 2\nb: 1\n");
}

#[test]
fn items_are_added_and_removed_by_line() {
    let text = "drop: # these\n  - KILL # one\n  - CHOWN\n# end\n";
    assert_edit(
        text,
        &Change::append(path("drop"), "ALL"),
        "drop: # these\n  - KILL # one\n  - CHOWN\n  - ALL\n# end\n",
    );
    assert_edit(text, &Change::remove(path("drop").index(0)), "drop: # these\n  - CHOWN\n# end\n");
    assert_edit(text, &Change::remove(path("drop").index(1)), "drop: # these\n  - KILL # one\n# end\n");
    assert_edit("a:\n- x\n", &Change::remove(path("a").index(0)), "a: []\n");
    assert_edit(
        "a: []\nb: 1\n",
        &Change::append(path("a"), json!({"c": 1, "d": 2})),
        "a:\n- c: 1\n  d: 2\nb: 1\n",
    );
    assert_edit("a:\n- b: 1\n", &Change::append(path("a"), json!({"c": 1})), "a:\n- b: 1\n- c: 1\n");
}

#[test]
fn fields_are_removed_with_their_lines() {
    let text = "spec:\n  # why\n  hostPID: true # because\n  a:\n  - hostPort: 80\n    port: 1\n  - port: 2\n    hostPort: 81\n";
    assert_edit(
        text,
        &Change::remove(path("spec.hostPID")),
        "spec:\n  # why\n  a:\n  - hostPort: 80\n    port: 1\n  - port: 2\n    hostPort: 81\n",
    );
    assert_edit(
        text,
        &Change::remove(path("spec.a").index(0).child("hostPort")),
        "spec:\n  # why\n  hostPID: true # because\n  a:\n  - port: 1\n  - port: 2\n    hostPort: 81\n",
    );
    assert_edit(
        text,
        &Change::remove(path("spec.a").index(1).child("hostPort")),
        "spec:\n  # why\n  hostPID: true # because\n  a:\n  - hostPort: 80\n    port: 1\n  - port: 2\n",
    );
    assert_edit("a:\n  b: 1\nc: 2\n", &Change::remove(path("a.b")), "a: {}\nc: 2\n");
    assert_edit("a: 1\nb: 2", &Change::remove(path("b")), "a: 1");
}

#[test]
fn keys_are_renamed() {
    assert_edit(
        "spec:\n  replica: 1 # one\n",
        &Change::rename(path("spec.replica"), "replicas"),
        "spec:\n  replicas: 1 # one\n",
    );
}

#[test]
fn other_documents_stay() {
    let text = "a: 1\n---\nb:\n  c: 1\n---\nd: 1\n";
    let source: Arc<SourceFile> = SourceFile::new("a.yaml", text);
    let second = crate::read(&source).nth(1).expect("a document").expect("YAML");
    let edit = edit(&second, &Change::set(path("b.e"), 2)).expect("an edit");
    assert_eq!(edit.apply(text), "a: 1\n---\nb:\n  c: 1\n  e: 2\n---\nd: 1\n");
}

#[test]
fn what_is_shared_by_an_alias_is_not_edited() {
    let text = "a: &x\n  b: 1\nc: *x\n";
    assert_eq!(edited(text, &Change::set(path("c.b"), 2)), None);
    assert_eq!(edited(text, &Change::set(path("a.b"), 2)), None);
    assert_edit("a: &x\n  b: 1\nd: 1\n", &Change::set(path("a.b"), 2), "a: &x\n  b: 2\nd: 1\n");
}

#[test]
fn line_breaks_of_windows_stay() {
    assert_edit("a:\r\n  b: 1\r\nc: 1\r\n", &Change::set(path("a.b"), 2), "a:\r\n  b: 2\r\nc: 1\r\n");
    let text = "a: 1\r\nb:\r\n- x\r\n- y\r\n\r\nc: 1";
    assert_edit(text, &Change::remove(path("b").index(0)), "a: 1\r\nb:\r\n- y\r\n\r\nc: 1");
    assert_edit(text, &Change::remove(path("b")), "a: 1\r\n\r\nc: 1");
    assert_edit(text, &Change::remove(path("c")), "a: 1\r\nb:\r\n- x\r\n- y\r\n");
}

#[test]
fn comments_after_the_last_field_stay_with_it() {
    let text =
        "spec:\n  containers:\n  - name: a\n    ports: []\n    # env:\n\n    # - name: b\n  # second\n";
    assert_edit(
        text,
        &Change::set(path("spec.containers").index(0).child("tty"), true),
        "spec:\n  containers:\n  - name: a\n    ports: []\n    # env:\n\n    # - name: b\n    tty: true\n  # second\n",
    );
    assert_edit(
        text,
        &Change::set(path("spec.hostIPC"), true),
        "spec:\n  containers:\n  - name: a\n    ports: []\n    # env:\n\n    # - name: b\n  # second\n  hostIPC: true\n",
    );
}

#[test]
fn a_text_keeps_its_quotes() {
    for (old, new) in [("\"A\"", "\"b: 'c'\""), ("'A'", "'b: ''c'''"), ("A", "'b: ''c'''")] {
        let text = |value| format!("metadata:\n  name: {value} # a\n");
        assert_edit(&text(old), &Change::set(path("metadata.name"), "b: 'c'"), &text(new));
    }
}

#[test]
fn what_moves_keeps_its_lines() {
    let before = document("old: # a\n  # b\n  c:\n  - d # e\n\n  # f\n  g: |\n    # h\n  # i\n# j\nk: l\n");
    let moved = |after: &str| {
        let edit = keep_lines((&before, &path("old")), (&document(after), &path("m.new")));
        edit.map(|edit| edit.apply(after))
    };
    let generated = "k: l\nm:\n    new:\n      c:\n      - d\n      g: |\n        # h\n    n: o\n";
    assert_eq!(
        moved(generated).as_deref(),
        Some(
            "k: l\nm:\n    new: # a\n      # b\n      c:\n      - d # e\n\n      # f\n      g: |\n        # h\n      # i\n    n: o\n"
        )
    );
    // It is not the same, or not written in lines.
    assert_eq!(moved("m:\n  new:\n    c: [d]\n"), None);
    assert_eq!(moved("m: {new: {c: [d], g: \"# h\\n\"}}\n"), None);
}

#[test]
fn changes_of_an_object_are_made_together() {
    let text = "items:\n- a: 1\n- name: z\n  list:\n  - x\n  - y # last\n  old:\n    # why\n    b: 1\n";
    let (list, old) = (path("list"), path("old"));
    let changes = [
        Change::remove(list.index(0)),
        Change::remove(list.index(1)),
        Change::set(path("new"), json!([{"part": {"b": 1}}])),
        Change::remove(old.clone()),
    ];
    let (edited, made) = edit_all(text, Some(1), &changes).expect("edits");
    assert_eq!(edited, "items:\n- a: 1\n- name: z\n  new:\n  - part:\n      # why\n      b: 1\n");
    assert_eq!(made, [Change::remove(list), changes[2].clone(), changes[3].clone()]);
    assert_eq!(edit_all(text, Some(1), &[changes[3].clone(), Change::remove(path("none"))]), None);
    assert_eq!(edit_all(text, None, &[Change::remove(old)]), None);
}

#[test]
fn lines_move_with_the_names_that_keys_have_afterwards() {
    let text = "columns: # shown\n- name: a\n  JSONPath: .a # the first\n- name: b\n  # and\n  JSONPath: .b\nkind: x\n";
    let columns = json!([{"jsonPath": ".a", "name": "a"}, {"jsonPath": ".b", "name": "b"}]);
    let changes =
        [Change::set(path("versions"), json!([{"columns": columns}])), Change::remove(path("columns"))];
    let (edited, _) = edit_all(text, None, &changes).expect("edits");
    assert_eq!(
        edited,
        "kind: x\nversions:\n- columns: # shown\n  - name: a\n    jsonPath: .a # the first\n  - name: b\n    # and\n    \
         jsonPath: .b\n"
    );
}
