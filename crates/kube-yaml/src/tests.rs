use gotext::value::json;
use proptest::prelude::*;

use super::*;
use gotext::value::Value;

fn documents(text: &str) -> Vec<Result<Document, Error>> {
    read(&SourceFile::new("a.yaml", text)).collect()
}

fn values(text: &str) -> Vec<Result<Value, String>> {
    let value = |result: Result<Document, Error>| match result {
        Ok(document) => Ok(document.node.into_value()),
        Err(error) => Err(error.to_string()),
    };
    documents(text).into_iter().map(value).collect()
}

fn only_error(text: &str) -> Error {
    let mut results = documents(text);
    assert_eq!(results.len(), 1, "{text}");
    results.remove(0).expect_err("an error")
}

fn at(document: &Document, span: Span) -> &str {
    &document.source.text()[span.start..span.end]
}

#[test]
fn counts_pieces_and_leaves_out_empty_ones() {
    let results = documents("# only a comment\n---\n---\na: 1\n---\n\n---\nb: [\n---\nnull\n---\nc: 3");
    let found: Vec<_> = results
        .iter()
        .map(|result| match result {
            Ok(document) => (document.index, true),
            Err(error) => (error.place().expect("a place").document, false),
        })
        .collect();
    assert_eq!(found, [(2, true), (4, false), (6, true)]);
}

#[test]
fn stops_at_a_separator_with_content() {
    let results = documents("a: 1\n---\nb: 2\n--- c\n---\nd: 4\n");
    assert_eq!(results.len(), 2);
    let error = results[1].as_ref().expect_err("an error");
    assert_eq!(error.to_string(), "invalid Yaml document separator: c");
    assert!(error.line() == Some(4) && matches!(error, Error::Separator { .. }));
}

#[test]
fn places_are_bytes_of_the_file() {
    let text = "---\r\nä: ö\r\n# ü\r\nlist:\r\n- \"😀 x\" # é\r\n- &a {ключ: |-\r\n    no}\r\n";
    for text in [text.replace("|-\r\n    no", "да"), text.replace("|-\r\n    no", "да").replace("\r\n", "\n")]
    {
        let document = documents(&text).remove(0).expect("a document");
        let place = |path: &Path| match document.locate(path) {
            Location::Exact { key, value } => (key.map(|key| at(&document, key)), at(&document, value)),
            Location::Nearest { .. } => panic!("{path} is there"),
        };
        let list = Path::new("list");
        assert_eq!(place(&Path::new("ä")), (Some("ä"), "ö"));
        assert_eq!(place(&list.index(0)), (None, "\"😀 x\""));
        assert_eq!(place(&list.index(1).child("ключ")), (Some("ключ"), "да"));
        let (key, value) = place(&list);
        assert_eq!(key, Some("list"));
        assert!(value.starts_with("- \"😀 x\"") && value.ends_with("да}"), "{value}");
    }
}

#[test]
fn finds_the_nearest_field() {
    let document = documents("spec:\n  containers:\n  - name: a\n").remove(0).expect("a document");
    let path = Path::new("spec.containers").index(0).child("resources").child("limits");
    let Location::Nearest { depth, key, value } = document.locate(&path) else { panic!("not written") };
    assert_eq!((depth, key, at(&document, value)), (3, None, "name: a"));
    assert!(matches!(document.locate(&Path::new("kind")), Location::Nearest { depth: 0, key: None, .. }));
}

#[test]
fn a_byte_order_mark_does_not_shift_places() {
    let document = documents("\u{feff}a: bc\n").remove(0).expect("a document");
    assert_eq!(at(&document, document.locate(&Path::new("a")).span()), "bc");
}

#[test]
fn reads_a_sequence_of_json_values() {
    assert_eq!(
        values("{\"a\":1}{\"b\":2.0}\n null {\"c\":[]}"),
        [Ok(json!({"a": 1})), Ok(json!({"b": 2})), Ok(json!({"c": []}))]
    );
    let results = documents("{\"a\": {\"b\": 1, \"b\": 2}}");
    let document = results[0].as_ref().expect("a document");
    assert_eq!(document.format, Format::Json);
    assert_eq!(document.strict_message().as_deref(), Some("duplicate field \"a.b\""));
}

#[test]
fn goes_over_from_json_to_yaml_where_go_does() {
    assert_eq!(values("{a: 1}\n"), [Ok(json!({"a": 1}))]);
    assert_eq!(values("{\"a\":1}\n---\nb: 2\n"), [Ok(json!({"a": 1})), Ok(json!({"b": 2}))]);
    assert_eq!(documents("{\"a\":1}\n---\nb: 2\n")[1].as_ref().expect("a document").index, 1);
    let broken = "invalid character '-' in numeric literal".to_owned();
    assert_eq!(
        values("{\"a\":1}{\"b\":2}\n---\nb: 2\n"),
        [Ok(json!({"a": 1})), Ok(json!({"b": 2})), Err(broken)]
    );
    assert_eq!(
        values("{\"a\": 1} x"),
        [
            Ok(json!({"a": 1})),
            Err("json: offset 10: invalid character 'x' looking for beginning of value".to_owned())
        ]
    );
    let error = only_error("{\n\t\"foo\": {\n\t\t\"stuff\": 1\n\t\t\"otherStuff\": 2\n\t}\n}\n");
    assert_eq!(error.to_string(), "json: offset 28: invalid character '\"' after object key:value pair");
    assert_eq!(error.line(), Some(4));
}

#[test]
fn strict_errors_name_the_repeated_key() {
    let text = "a: 0\n---\nb: 1\nc: {x: 1, x: 2}\n\"b\": 2\n";
    let document = documents(text).remove(1).expect("a document");
    let message = "yaml: unmarshal errors:\n  line 2: key \"x\" already set in map\n  line 3: key \"b\" already set in map";
    assert_eq!(document.strict_message().as_deref(), Some(message));
    assert_eq!(at(&document, document.strict_errors[1].span), "\"b\"");
}

#[test]
fn a_tag_may_have_commas_and_brackets() {
    let value = Ok(json!({"a": ["x", "1", "z"]}));
    assert_eq!(
        values("# one, two! three,\na: [x, !,\n  !!int, 1, !,!, z]\n"),
        [Err("yaml: line 2: did not find expected ',' or ']'".to_owned())]
    );
    assert_eq!(values("# one, two! three,\na: [x,\n  !!int, 1, !,!, z]\n"), [value]);
    assert_eq!(values("a: !x[y] 1\n"), [Ok(json!({"a": "1"}))]);
    assert_eq!(values("a: [hello !x, z]\n"), [Ok(json!({"a": ["hello !x", "z"]}))]);
    assert_eq!(
        values("a: [!x{, z]\n"),
        [Err("yaml: did not find expected whitespace or line break".to_owned())]
    );
    assert_eq!(values("a: [!x,,y 1, 2]\n"), [Ok(json!({"a": ["1", 2]}))]);
    assert_eq!(
        values("a: {\"x\":\"!a\",\"y\":\"b!\",\"z\":c!}\n"),
        [Ok(json!({"a": {"x": "!a", "y": "b!", "z": "c!"}}))]
    );
    let odd = "!!str, 1, ".repeat(200);
    assert_eq!(documents(&format!("a: [{odd}]\n")).len(), 1);
}

#[test]
fn unfit_values_only_matter_where_they_stay() {
    assert_eq!(values("{x: .inf, x: 1}\n"), [Ok(json!({"x": 1}))]);
    assert_eq!(values("a: &a .nan\na: *a\n"), [Err("json: unsupported value: NaN".to_owned())]);
    assert_eq!(values("~: {1: .5}\n"), [Err(
        "unsupported map key of type: %!s(<nil>), key: <nil>, value: map[interface {}]interface {}{\"1\":0.5}".to_owned()
    )]);
}

#[test]
fn a_control_character_behind_another_error_is_not_seen() {
    let text = format!("a: b: c\n{}\u{1}\n", "# long\n".repeat(400));
    assert_eq!(only_error(&text).to_string(), "yaml: mapping values are not allowed in this context");
    let error = only_error("a: 1\nb: x\u{1}\n");
    assert_eq!(error.to_string(), "yaml: control characters are not allowed");
    assert_eq!(error.line(), Some(2));
}

#[test]
fn errors_come_with_a_remedy() {
    for (text, part) in [
        ("a:\n\tb: 1\n", "tabs"),
        ("a: b: c\n", "quotes"),
        ("a: {{ .Values.x }}\n", "template"),
        ("a: @b\n", "quotes"),
        ("a: *\n", "alias"),
        ("<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n", "merge conflict"),
        ("a: *b\n", "alias"),
        ("- a\n b\nc: 1\n", "indentation"),
        ("%YAML 1.2\n", "directives"),
        ("1: .inf\n", "quotes"),
    ] {
        let results = documents(text);
        let error = results.iter().find_map(|result| result.as_ref().err()).expect(text);
        let help = error.help().unwrap_or_default();
        assert!(help.contains(part), "{text:?}: {error}: {help}");
    }
}

#[test]
fn unwraps_lists() {
    let text = "kind: PodList\napiVersion: v1\nitems:\n- metadata: {name: a}\n- kind: X\n  a: 1\n  a: 2\n";
    let items = documents(text).remove(0).expect("a document").unwrap_list();
    assert_eq!(items.len(), 2);
    assert_eq!(
        items[0].node.clone().into_value(),
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}})
    );
    let line = |item: &Item| item.source.line_column(item.span.start).0;
    assert_eq!((line(&items[0]), line(&items[1]), items[1].position), (4, 5, Some(1)));
    assert_eq!((items[0].strict_errors.len(), items[1].strict_errors.len()), (0, 1));
    for text in ["kind: List\nitems: []\n", "kind: List\nitems:\n"] {
        assert!(documents(text).remove(0).expect("a document").unwrap_list().is_empty());
    }
    let joined = "kind: List\nitems:\n- kind: X\nkind: List\nitems:\n- kind: Y\n- kind: Z\n  kind: Z\n";
    let items = documents(joined).remove(0).expect("a document").unwrap_list();
    let lost = |item: &Item| item.lost_object().map(|error| error.text.clone());
    let found: Vec<_> = items.iter().map(|item| (item.strict_errors.len(), lost(item))).collect();
    let key = |line: usize| Some(format!("line {line}: key \"kind\" already set in map"));
    assert_eq!(found, [(2, key(4)), (1, key(8))]);
    let emptied =
        documents("kind: List\nitems:\n- kind: X\nkind: List\nitems: []\n").remove(0).expect("a document");
    assert_eq!(emptied.unwrap_list().iter().map(lost).collect::<Vec<_>>(), [key(4)]);
    let other =
        documents("kind: X\nspec:\n  kind: a\n  kind: b\n").remove(0).expect("a document").unwrap_list();
    assert_eq!((other[0].strict_errors.len(), lost(&other[0])), (1, None));
    let no_list = documents("kind: Pod\nitems: []\n").remove(0).expect("a document").unwrap_list();
    assert_eq!((no_list.len(), no_list[0].position), (1, None));
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| {
        [format!("a: {}{}\n", "[".repeat(depth), "]".repeat(depth)), "- ".repeat(depth) + "a\n"]
    };
    for text in nested(compose::MAX_DEPTH - 1) {
        let document = documents(&text).remove(0).expect("not too deep");
        let mut copy = document.node.clone();
        copy.sort_keys();
        let mut out = String::new();
        write_yaml(&copy.into_value(), &mut out).expect("plain values");
    }
    for depth in [compose::MAX_DEPTH + 1, 9_990] {
        for text in nested(depth) {
            assert!(matches!(only_error(&text), Error::TooDeep { .. }), "{depth}");
        }
    }
    for text in nested(10_100) {
        assert_eq!(only_error(&text).to_string(), "yaml: exceeded max depth of 10000");
    }
    let json = "{\"a\":".repeat(600) + "1" + &"}".repeat(600);
    assert!(matches!(only_error(&json), Error::TooDeep { .. }));
}

#[test]
fn aliases_are_bounded() {
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..9 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(",");
        bomb.extend([format!("a{level}: &a{level} [{aliases}]\n")]);
    }
    assert_eq!(only_error(&bomb).to_string(), "yaml: document contains excessive aliasing");
}

#[test]
fn folds_and_quotes_long_text() {
    let mut out = String::new();
    let long = "word ".repeat(30).trim_end().to_owned();
    write_yaml(&json!({"a": long, "b": format!("- {long}"), "c": [[{"d": {}}], []]}), &mut out)
        .expect("plain text");
    let back = documents(&out).remove(0).expect("YAML").node.into_value();
    assert_eq!(back["a"], json!(long));
    assert_eq!(back["c"], json!([[{"d": {}}], []]));
    assert!(out.lines().all(|line| line.chars().count() <= 90));
}

/// Generates values that survive being written. Go's own writer loses a text that ends with U+2028, as no line break
/// follows it, and the key `<<`, which it does not quote.
fn json_value() -> impl Strategy<Value = Value> {
    let text =
        || proptest::string::string_regex("[ -~\\n\\té€😀\u{a0}]{0,12}").expect("a regular expression");
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e30..1e30).prop_map(Value::from),
        text().prop_map(Value::from),
        "[-+:._0-9ynoff<>]{0,6}".prop_map(Value::from),
        "[a-z' ]{60,200}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(text().prop_filter("a merge", |key| key != "<<"), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(source) = files::from_bytes("a.yaml", bytes) {
            for error in read(&source).filter_map(Result::err) {
                let _ = (error.help(), error.line());
            }
        }
    }

    #[test]
    fn reading_text_like_yaml_never_panics(
        text in "([-?:,{}\\[\\]&*!|>'\"%@`#<~a0x.+_ \\n\\r\té😀]|---\n|<<: |\\.\\.\\.|: |- |!!int |&a |\\*a){0,60}",
    ) {
        for result in read(&SourceFile::new("a.yaml", text.as_str())) {
            match result {
                Ok(document) => {
                    document.locate(&Path::new("a.b").index(0));
                    document.unwrap_list();
                }
                Err(error) => {
                    let _ = (error.help(), error.line());
                }
            }
        }
    }

    #[test]
    fn reading_tags_never_panics(text in "a: [\\[{]?([!,\\[\\]{}:*&x\"' \n]|, |\", |!!str |\": ){0,40}") {
        let source = SourceFile::new("input.yaml", text.as_str());
        for part in split(&source).flatten() {
            let _ = part.read_in_full();
        }
    }

    #[test]
    fn reading_text_like_json_never_panics(text in "\\{([\\[\\]{}:,\" \\n\\\\u0-9a-f.eE+-]|\"a\":|true|null){0,40}") {
        read(&SourceFile::new("a.json", text.as_str())).for_each(drop);
    }

    #[test]
    fn what_is_written_is_read_back(value in json_value()) {
        let mut yaml = String::new();
        write_yaml(&value, &mut yaml).expect("no control characters");
        let results: Vec<_> = read_yaml(&SourceFile::new("a.yaml", yaml.as_str())).collect();
        let back = match results.into_iter().next() {
            Some(result) => result.expect("YAML").node.into_value(),
            None => Value::Null,
        };
        let through_json = |value: &Value| Node::from(value.clone());
        let mut expected = through_json(&value);
        whole_floats(&mut expected);
        prop_assert_eq!(back, expected.into_value(), "{}", yaml);
    }
}

/// Converts whole floats to integers, as Go does.
fn whole_floats(node: &mut Node) {
    match &mut node.data {
        Data::Number(number) if number.is_f64() => {
            *number = go_text::through_json(number.as_f64().expect("a float")).expect("finite");
        }
        Data::Array(items) => items.iter_mut().for_each(whole_floats),
        Data::Object(entries) => entries.iter_mut().for_each(|entry| whole_floats(&mut entry.value)),
        _ => {}
    }
}
