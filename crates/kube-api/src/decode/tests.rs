use gotext::source::Data;
use gotext::value::json;
use proptest::prelude::*;

use super::*;

fn decode_as(
    kind: &GroupVersionKind,
    value: Value,
    field_validation: FieldValidation,
) -> Result<Decoded, DecodeError> {
    let body = value.to_string();
    let context = DecodeContext { kind, field_validation, strict_errors: &[], body: &body };
    let mut decoded = decode(Node::from(value), &context)?;
    normalize(&mut decoded.object);
    Ok(decoded)
}

fn pod() -> GroupVersionKind {
    GroupVersionKind::new("", "v1", "Pod")
}

fn message(value: Value) -> String {
    decode_as(&pod(), value, FieldValidation::Warn).expect_err("an error").to_string()
}

#[test]
fn takes_kind_and_version_from_the_url_where_the_body_has_none() {
    let decoded =
        decode_as(&pod(), json!({"metadata": {"name": "web"}}), FieldValidation::Warn).expect("valid");
    assert_eq!(decoded.object.value["kind"], "Pod");
    assert_eq!(decoded.object.value["apiVersion"], "v1");
}

#[test]
fn refuses_what_is_no_object_of_the_url() {
    assert_eq!(
        message(json!({"apiVersion": "v1", "kind": "Podd"})),
        "Podd in version \"v1\" cannot be handled as a Pod: no kind \"Podd\" is registered for version \"v1\" in \
         scheme \"pkg/api/legacyscheme/scheme.go:30\""
    );
    assert_eq!(
        message(json!({"apiVersion": "apps/v1", "kind": "Deployment"})),
        "Deployment in version \"v1\" cannot be handled as a Pod: converting (v1.Deployment) to (core.Pod): unknown \
         conversion"
    );
    assert_eq!(
        message(json!({"apiVersion": "apps/v1/beta", "kind": "Pod"})),
        "the object provided is unrecognized (must be of type Pod): unexpected GroupVersion string: apps/v1/beta \
         ({\"apiVersion\":\"apps/v1/beta\",\" ...)"
    );
    assert_eq!(
        message(json!("pod")),
        "the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: \
         json: cannot unmarshal string into Go value of type struct { APIVersion string \
         \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" } (22706f6422)"
    );
    let hpa = GroupVersionKind::new("autoscaling", "v2", "HorizontalPodAutoscaler");
    let body = json!({"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler"});
    assert_eq!(
        decode_as(&hpa, body, FieldValidation::Warn).expect_err("an error").to_string(),
        "the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)"
    );
}

#[test]
fn an_error_of_a_type_with_its_own_reading_wins() {
    let mistyped = json!({"spec": {"containers": [{"image": 1, "resources": {"limits": {"cpu": "much"}}}]}});
    let error = decode_as(&pod(), mistyped, FieldValidation::Warn).expect_err("an error");
    assert_eq!(
        error.to_string(),
        "Pod in version \"v1\" cannot be handled as a Pod: quantities must match the regular expression \
         '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    );
    let path = error.path.expect("a path").to_string();
    assert_eq!(path, "spec.containers[0].resources.limits[cpu]");
}

#[test]
fn names_unknown_fields_as_requested() {
    let body = json!({"metadata": {"lables": {}}, "spec": {"containers": [{"imagePullpolicy": "Always"}]}});
    let unknown =
        ["unknown field \"metadata.lables\"", "unknown field \"spec.containers[0].imagePullpolicy\""];
    let decoded = decode_as(&pod(), body.clone(), FieldValidation::Warn).expect("valid");
    assert_eq!(decoded.warnings, unknown);
    assert!(decode_as(&pod(), body.clone(), FieldValidation::Ignore).expect("valid").warnings.is_empty());
    let error = decode_as(&pod(), body, FieldValidation::Strict).expect_err("an error");
    let expected = format!(
        "Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: {}",
        unknown.join(", ")
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_repeated_field_is_merged_and_named_unless_the_reader_did() {
    let mut node = Node::from(json!({"metadata": {"name": "web"}}));
    let again = Node::from(json!({"metadata": {"labels": {"a": "b"}}}));
    let (Data::Object(entries), Data::Object(more)) = (&mut node.data, again.data) else { unreachable!() };
    entries.extend(more);
    let kind = pod();
    let reader = ["line 3: key \"metadata\" already set in map".to_owned()];
    for (strict_errors, warning) in [(&[][..], "duplicate field \"metadata\""), (&reader[..], &reader[0])] {
        let context =
            DecodeContext { kind: &kind, field_validation: FieldValidation::Warn, strict_errors, body: "" };
        let decoded = decode(node.clone(), &context).expect("valid");
        assert_eq!(decoded.object.value["metadata"], json!({"name": "web", "labels": {"a": "b"}}));
        assert_eq!(decoded.warnings, [warning]);
    }
    let context = DecodeContext {
        kind: &kind,
        field_validation: FieldValidation::Strict,
        strict_errors: &reader,
        body: "",
    };
    assert_eq!(
        decode(node, &context).expect_err("an error").to_string(),
        "Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: yaml: unmarshal errors:\n  \
         line 3: key \"metadata\" already set in map"
    );
}

#[test]
fn writes_what_go_writes() {
    let body = json!({
        "metadata": {"name": "web", "creationTimestamp": null, "labels": {}},
        "spec": {"hostNetwork": false, "hostUsers": false, "containers": [{"name": "web", "command": []}]},
        "status": {"startTime": "2026-01-01T01:00:00+01:00"},
    });
    let value = decode_as(&pod(), body, FieldValidation::Warn).expect("valid").object.value;
    assert_eq!(value["metadata"], json!({"name": "web"}));
    assert_eq!(value["spec"].get("hostNetwork"), None);
    assert_eq!(value["spec"]["hostUsers"], false);
    assert_eq!(value["spec"]["containers"][0]["resources"], json!({}));
    assert_eq!(value["spec"]["containers"][0].get("command"), None);
    assert_eq!(value["status"], json!({"startTime": "2026-01-01T00:00:00Z"}));
}

/// Generates values of any shape under keys that many kinds have, except empty scaling policies: they are written as
/// absent, and absent ones are defaulted, here as on the server.
fn any_value() -> impl Strategy<Value = Value> {
    const KEYS: [&str; 20] = [
        "metadata",
        "spec",
        "status",
        "labels",
        "name",
        "template",
        "containers",
        "resources",
        "limits",
        "cpu",
        "env",
        "volumes",
        "selector",
        "versions",
        "schema",
        "openAPIV3Schema",
        "properties",
        "items",
        "ports",
        "data",
    ];
    const TEXTS: [&str; 8] = ["", "web", "1.5Gi", "9e99999", "2026-01-01T00:00:00Z", "1h30m", "YQ==", "25%"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(&TEXTS[..]).prop_map(Value::from),
    ];
    leaf.prop_recursive(8, 96, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(&KEYS[..]), inner, 0..6)
                .prop_map(|map| map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

proptest! {
    #[test]
    fn what_was_read_is_read_again_as_it_is(value in any_value(), kind in 0..crate::resource::all().len()) {
        let kind = crate::resource::all()[kind].group_version_kind();
        if let Ok(Decoded { object, .. }) = decode_as(&kind, value, FieldValidation::Warn) {
            let again = decode_as(&kind, object.value.clone(), FieldValidation::Warn);
            prop_assert_eq!(again.map(|decoded| decoded.object.value), Ok(object.value));
        }
    }
}

#[test]
fn a_reader_of_trees_has_other_words_for_wrong_types_and_bytes() {
    let unstructured = |kind: &GroupVersionKind, value| {
        decode_as(kind, value, FieldValidation::Ignore).expect_err("an error").unstructured
    };
    let secret = GroupVersionKind::new("", "v1", "Secret");
    assert_eq!(
        unstructured(&pod(), json!({"spec": {"priority": 1.5}})).as_deref(),
        Some("cannot convert float64 to int32")
    );
    assert_eq!(
        unstructured(&secret, json!({"data": {"a": "x!"}})).as_deref(),
        Some("error decoding from json: illegal base64 data at input byte 1")
    );
    for (value, message) in [
        (json!({"spec": {"priority": "high"}}), "unrecognized type: int32"),
        (json!({"spec": {"restartPolicy": 1}}), "cannot convert int64 to v1.RestartPolicy"),
        (json!({"spec": {"restartPolicy": true}}), "unrecognized type: string"),
        (json!({"metadata": {"labels": "invalid"}}), "cannot restore map from string"),
        (json!({"spec": {"containers": {}}}), "cannot restore slice from map"),
        (json!({"spec": 1.5}), "cannot restore struct from: float64"),
    ] {
        assert_eq!(unstructured(&pod(), value).as_deref(), Some(message));
    }
}
