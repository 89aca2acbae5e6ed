use super::*;

fn written(text: &str) -> Place {
    let source = SourceFile::new("a.yaml", text);
    let document = kube_yaml::read(&source).next().unwrap().unwrap();
    Place::of(document.unwrap_list().pop().unwrap()).0
}

#[test]
fn finds_fields_of_an_item_of_a_list() {
    let place = written("kind: List\nitems:\n- kind: Pod\n- kind: Pod\n  spec:\n    hostPID: true\n");
    let written = place.written().unwrap();
    assert_eq!(written.line_column(&Path::new("spec.hostPID")), Some((6, 14)));
    assert_eq!(written.line_column(&Path::new("spec.hostIPC")), None);
    assert_eq!(written.nearest(&Path::new("spec.hostIPC")), (5, 3));
}

#[test]
fn data_of_a_secret_is_found_in_its_string_data() {
    let place = written("kind: Secret\nstringData:\n  a: x\n");
    let written = place.written().unwrap();
    assert_eq!(written.line_column(&Path::new("data").child("a")), Some((3, 6)));
    assert_eq!(written.line_column(&Path::new("data").child("b")), None);
}

#[test]
fn annotations_are_those_of_the_object_and_of_its_templates() {
    let text = "kind: CronJob
metadata: {annotations: {a: own, b: other}}
spec:
  jobTemplate:
    spec:
      template:
        metadata: {annotations: {a: template}}
        spec: {}
";
    let place = written(text);
    let annotations = |place: &Place| {
        let written = place.written().unwrap();
        written.annotations("a").iter().map(|(text, _)| (*text).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(annotations(&place), ["own"]);
    assert_eq!(annotations(&place.within(&Path::new("spec.jobTemplate"))), ["own"]);
    assert_eq!(annotations(&place.within(&Path::new("spec.jobTemplate.spec.template"))), ["own", "template"]);
}

#[test]
fn strikes_out_what_a_secret_keeps() {
    let place = written("kind: Secret\ndata:\n  password: aHVudGVyMg==\n");
    let written = place.written().unwrap();
    assert_eq!(written.shown_text(), "kind: Secret\ndata:\n  password: ***         \n");
    let marked = written.mark(&written.find(&Path::new("data").key("password")));
    assert_eq!(marked.end - marked.start, MASK);
}

#[test]
fn strikes_out_comments_among_values() {
    let text = "kind: Secret\nstringData:\n  # old: hunter1\n  a: hunter2 # or hunter3\n  # hunter4\n  b: x # hunter5\nmetadata:\n  name: a # shown\n";
    let text = written(text).written().unwrap().shown_text();
    assert!(
        !text.contains("hunter") && text.contains("  b: *") && text.contains("name: a # shown"),
        "{text}"
    );
}

#[test]
fn strikes_out_what_secrets_inside_of_other_objects_keep() {
    let text = "kind: Work\nspec:\n  manifests:\n  - kind: Secret\n    data:\n      a: hunter2\n";
    assert!(!written(text).written().unwrap().shown_text().contains("hunter"));
}

#[test]
fn an_excerpt_is_the_lines_around_within_the_document() {
    let place = written("kind: Secret\ndata:\n  ä: aHVudGVyMg==\nmetadata:\n  name: a\n---\nkind: Pod\n");
    let written = place.written().unwrap();
    let span = |path| written.mark(&written.find(&Path::new(path)));
    assert_eq!(written.excerpt(span("data")), Some((2, "data:\n  ä: ***         \nmetadata:".to_owned())));
    assert_eq!(written.excerpt(span("metadata.name")), Some((4, "metadata:\n  name: a\n".to_owned())));
    assert_eq!(written.excerpt(span("kind")), Some((1, "kind: Secret\ndata:".to_owned())));
}

#[test]
fn there_is_no_excerpt_of_a_very_long_line() {
    let text =
        format!("{{kind: Pod, metadata: {{name: a, labels: {{a: {}}}}}}}", "x".repeat(MAX_EXCERPT_BYTES));
    let place = written(&text);
    let written = place.written().unwrap();
    assert_eq!(written.excerpt(written.mark(&written.find(&Path::new("metadata.name")))), None);
}

#[test]
fn strikes_out_what_other_secrets_of_a_list_keep() {
    let text = "kind: List\nitems:\n- kind: Secret\n  stringData:\n    a: hunter2\n- kind: Pod\n";
    let written = written(text);
    assert!(!written.written().unwrap().shown_text().contains("hunter2"));
}
