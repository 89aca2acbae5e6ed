use gotext::value::json;

use crate::custom_resource::*;
use gotext::source::{Entry, Span};
use kube_api::field::aggregate;

/// Returns a definition of `Backup` whose version v1 has `spec` and `status` with these schemas.
fn definition(spec: &Value, status: &Value) -> CustomResource {
    let object = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let schema = json!({"type": "object", "properties": {"spec": spec, "status": status}});
    let definition = json!({
        "metadata": {"name": "backups.ops.example.com"},
        "spec": {
            "group": "ops.example.com",
            "scope": "Namespaced",
            "names": {"plural": "backups", "kind": "Backup"},
            "versions": [
                {
                    "name": "v1",
                    "served": true,
                    "storage": true,
                    "schema": {"openAPIV3Schema": schema},
                    "subresources": {
                        "status": {},
                        "scale": {
                            "specReplicasPath": ".spec.replicas",
                            "statusReplicasPath": ".status.replicas",
                            "labelSelectorPath": ".status.selector",
                        },
                    },
                },
                {"name": "v1beta1", "served": true, "deprecated": true, "schema": {"openAPIV3Schema": object}},
                {"name": "v2alpha1", "served": true, "deprecated": true, "deprecationWarning": "do not"},
                {"name": "v3", "deprecated": true},
            ],
        },
    });
    let kind = GroupVersionKind::new("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    CustomResource::new(&Object::new(kind, definition))
}

fn of_spec(spec: &Value) -> CustomResource {
    definition(spec, &json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}))
}

/// Returns a v1 object; its field `spec` is `spec`.
fn backup(spec: &Value) -> Value {
    let metadata = json!({"name": "nightly", "namespace": "shop"});
    json!({"apiVersion": "ops.example.com/v1", "kind": "Backup", "metadata": metadata, "spec": spec})
}

fn decode(definition: &CustomResource, node: impl Into<Node>, mode: &str) -> Result<Decoded, String> {
    let kind = GroupVersionKind::new("ops.example.com", "v1", "Backup");
    let context = DecodeContext {
        kind: &kind,
        field_validation: FieldValidation::parse(mode).expect("a mode"),
        strict_errors: &[],
        body: "{…}",
    };
    definition.decode(node.into(), &context).map_err(|error| error.to_string())
}

/// Returns `spec` as stored, and the warnings.
fn received(schema: &Value, spec: &Value) -> (Value, Vec<String>) {
    let decoded = decode(&of_spec(schema), backup(spec), "Warn").expect("decodes");
    (decoded.object.value["spec"].clone(), decoded.warnings)
}

fn object(value: Value) -> Object {
    Object::new(GroupVersionKind::new("ops.example.com", "v1", "Backup"), value)
}

/// Returns the errors in `spec` of a new object.
fn invalid(schema: &Value, spec: &Value) -> String {
    let definition = of_spec(schema);
    let version = definition.version("v1").expect("a version");
    aggregate(&definition.validate_create(version, &object(backup(spec))))
}

/// Returns the errors in an update from `old` to `new`.
fn invalid_update(schema: &Value, new: &Value, old: &Value) -> String {
    let definition = of_spec(schema);
    let version = definition.version("v1").expect("a version");
    let (new, old) = (object(backup(new)), object(backup(old)));
    aggregate(&definition.validate_update(version, &new, &old, "", &mut Vec::new()))
}

/// What a webhook wrote is not read before it is stored.
#[test]
fn malformed_metadata_are_not_stored() {
    let metadata =
        json!({"name": "a", "labels": {"n": 5}, "annotations": {"b": "c"}, "finalizers": "x", "z": 1});
    let mut written = object(json!({"metadata": metadata}));
    of_spec(&json!({"type": "object"})).store(&mut written);
    assert_eq!(written.value["metadata"], json!({"name": "a", "annotations": {"b": "c"}}));
}

#[test]
fn unknown_fields_go_with_a_warning() {
    let schema = json!({
        "type": "object",
        "properties": {
            "keep": {"type": "integer"},
            "hooks": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
            "free": {
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": true,
                "properties": {"tied": {"type": "object"}},
            },
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "list": {"type": "array", "x-kubernetes-preserve-unknown-fields": true},
        },
    });
    let spec = json!({
        "keep": 1,
        "b": 1,
        "a": {"c": 1},
        "hooks": [{"name": "x"}, {"nmae": "y"}],
        "free": {"any": {"thing": 1}, "tied": {"x": 1}},
        "labels": {"l": "m"},
        "list": [{"x": [{"y": 1}]}],
    });
    let (value, warnings) = received(&schema, &spec);
    assert_eq!(
        value,
        json!({
            "keep": 1,
            "hooks": [{"name": "x"}, {}],
            "free": {"any": {"thing": 1}, "tied": {}},
            "labels": {"l": "m"},
            "list": [{"x": [{"y": 1}]}],
        })
    );
    let unknown = ["spec.a", "spec.b", "spec.free.tied.x", "spec.hooks[1].nmae"];
    let unknown = unknown.map(|path| format!("unknown field \"{path}\""));
    assert_eq!(warnings, unknown);
    let strict = decode(&of_spec(&schema), backup(&json!({"b": 1, "a": 1})), "Strict");
    let expected = "Backup in version \"v1\" cannot be handled as a Backup: strict decoding error: unknown field \
                    \"spec.a\", unknown field \"spec.b\"";
    assert_eq!(strict.expect_err("is strict"), expected);
    let silent = decode(&of_spec(&schema), backup(&json!({"a": 1})), "Ignore").expect("decodes");
    assert_eq!((silent.object.value["spec"].clone(), silent.warnings), (json!({}), Vec::new()));
}

#[test]
fn defaults_come_in_at_every_level() {
    let schema = json!({
        "type": "object",
        "default": {},
        "properties": {
            "keep": {"type": "integer", "default": 7},
            "off": {"type": "string", "nullable": true, "default": "a"},
            "gone": {"type": "string"},
            "inner": {
                "type": "object",
                "default": {"name": "n"},
                "properties": {"name": {"type": "string"}, "level": {"type": "integer", "default": 3}},
            },
            "list": {"type": "array", "items": {"type": "object", "properties": {"on": {"type": "boolean", "default": true}}}},
            "map": {"type": "object", "additionalProperties": {"type": "string", "default": "d"}},
        },
    });
    let full = json!({"keep": 7, "off": "a", "inner": {"name": "n", "level": 3}});
    assert_eq!(received(&schema, &json!({})).0, full);
    let nulls = json!({"keep": null, "off": null, "gone": null, "inner": {"level": 1}, "list": [{}, {"on": false}], "map": {"a": null}});
    let expected = json!({
        "keep": 7,
        "off": null,
        "inner": {"level": 1},
        "list": [{"on": true}, {"on": false}],
        "map": {"a": "d"},
    });
    assert_eq!(received(&schema, &nulls).0, expected);
    let mut bare = backup(&json!({}));
    bare.as_object_mut().expect("a map").remove("spec");
    let decoded = decode(&of_spec(&schema), bare, "Strict").expect("decodes");
    assert_eq!(decoded.object.value["spec"], full);
}

#[test]
fn metadata_is_read_by_its_type() {
    let definition = of_spec(&json!({"type": "object"}));
    let mut value = backup(&json!({}));
    value["metadata"] = json!({"name": "a", "lables": {}, "creationTimestamp": null, "labels": {"a": "b"}});
    let decoded = decode(&definition, value.clone(), "Warn").expect("decodes");
    assert_eq!(decoded.object.value["metadata"], json!({"name": "a", "labels": {"a": "b"}}));
    assert_eq!(decoded.warnings, ["unknown field \"metadata.lables\""]);
    value["metadata"] = json!({"name": "a", "labels": {"a": 1}});
    assert_eq!(
        decode(&definition, value, "Warn").expect_err("is mistyped"),
        "Backup in version \"v1\" cannot be handled as a Backup: json: cannot unmarshal number into Go struct field \
         ObjectMeta.labels of type string"
    );
}

#[test]
fn objects_within_objects_have_metadata() {
    let embedded = json!({
        "type": "object",
        "x-kubernetes-embedded-resource": true,
        "properties": {"data": {"type": "string"}},
    });
    let schema = json!({"type": "object", "properties": {"template": embedded}});
    let template =
        json!({"apiVersion": "v1", "kind": "A", "metadata": {"name": "x", "nmae": "y"}, "dada": 1});
    let (spec, warnings) = received(&schema, &json!({"template": template}));
    assert_eq!(spec["template"], json!({"apiVersion": "v1", "kind": "A", "metadata": {"name": "x"}}));
    let unknown = ["spec.template.dada", "spec.template.metadata.nmae"];
    assert_eq!(warnings, unknown.map(|path| format!("unknown field \"{path}\"")));
    let wrong = backup(&json!({"template": {"apiVersion": 1, "kind": "A"}}));
    assert_eq!(
        decode(&of_spec(&schema), wrong, "Warn").expect_err("is mistyped"),
        "Backup in version \"v1\" cannot be handled as a Backup: spec.template.apiVersion: Invalid value: 1: must be \
         a string"
    );
    let template =
        json!({"apiVersion": "a/b/c", "kind": "9", "metadata": {"name": "a/b", "labels": {"-": ""}}});
    assert_eq!(
        invalid(&schema, &json!({"template": template})),
        "[spec.template.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c, \
         spec.template.kind: Invalid value: \"9\": may have mixed case, but should otherwise match: a DNS-1035 label \
         must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with \
         an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
         '[a-z]([-a-z0-9]*[a-z0-9])?'), spec.template.metadata.name: Invalid value: \"a/b\": may not contain '/', \
         spec.template.metadata.labels: Invalid value: \"-\": name part must consist of alphanumeric characters, \
         '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or \
         '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]"
    );
    assert_eq!(
        invalid(&schema, &json!({"template": {}})),
        "[spec.template.apiVersion: Required value, spec.template.kind: Required value]"
    );
}

#[test]
fn repeated_keys_are_named() {
    let node = |data| Node { span: Span::default(), data };
    let entry = |key: &str, value| Entry { key: key.into(), key_span: Span::new(3..4), value };
    let Data::Object(mut entries) = Node::from(backup(&json!({}))).data else { panic!("an object") };
    let keep = || entry("keep", node(Data::Number(1.into())));
    entries.push(entry("list", node(Data::Array(vec![node(Data::Object(vec![keep(), keep(), keep()]))]))));
    let schema = json!({"type": "object"});
    let error = decode(&of_spec(&schema), node(Data::Object(entries)), "Strict").expect_err("is strict");
    assert_eq!(
        error,
        "Backup in version \"v1\" cannot be handled as a Backup: strict decoding error: duplicate field \
         \"list[0].keep\", unknown field \"list\""
    );
}

#[test]
fn an_object_must_say_what_it_is() {
    let definition = of_spec(&json!({"type": "object"}));
    let error = |value: Value| decode(&definition, value, "Warn").expect_err("is no Backup");
    assert_eq!(
        error(json!({"apiVersion": "ops.example.com/v1"})),
        "the object provided is unrecognized (must be of type Backup): Object 'Kind' is missing in '{…}' ({…})"
    );
    assert_eq!(
        error(json!({"kind": "Backup"})),
        "the API version in the data () does not match the expected API version (ops.example.com/v1)"
    );
    assert_eq!(
        error(json!({"apiVersion": "ops.example.com/v1beta1", "kind": "Backup"})),
        "the API version in the data (ops.example.com/v1beta1) does not match the expected API version \
         (ops.example.com/v1)"
    );
    let other = json!({"apiVersion": "ops.example.com/v1", "kind": "Restore", "spec": {"any": 1}});
    let decoded = decode(&definition, other, "Strict").expect("is refused by validation");
    assert_eq!(decoded.object.value["spec"], json!({"any": 1}));
    let version = definition.version("v1").expect("a version");
    let errors = definition.validate_create(version, &decoded.object);
    assert_eq!(aggregate(&errors), "kind: Invalid value: \"Restore\": must be Backup");
}

#[test]
fn types_are_checked() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "b": {"type": "string"},
            "c": {"type": "array", "items": {"type": "boolean"}},
            "d": {"x-kubernetes-int-or-string": true},
            "e": {"type": "number"},
            "f": {"type": "string", "format": "date"},
            "g": {"type": "string", "nullable": true},
            "h": {"type": "integer", "format": "int32"},
        },
    });
    assert_eq!(invalid(&schema, &json!({"a": 1.0, "b": "", "c": [true], "d": "1", "e": 1, "g": null})), "[]");
    let checks = [
        (
            json!({"a": "1"}),
            "spec.a: Invalid value: \"string\": spec.a in body must be of type integer: \"string\"",
        ),
        (
            json!({"b": null}),
            "spec.b: Invalid value: \"null\": spec.b in body must be of type string: \"null\"",
        ),
        (
            json!({"b": {}}),
            "spec.b: Invalid value: \"object\": spec.b in body must be of type string: \"object\"",
        ),
        (
            json!({"c": [true, 1]}),
            "spec.c[1]: Invalid value: \"integer\": spec.c[1] in body must be of type boolean: \"integer\"",
        ),
        (
            json!({"d": true}),
            "spec.d: Invalid value: \"boolean\": spec.d in body must be of type integer,string: \"boolean\"",
        ),
        (json!({"f": 1}), "spec.f: Invalid value: \"int64\": spec.f in body must be of type date: \"int64\""),
        (json!({"f": "x"}), "spec.f: Invalid value: \"x\": spec.f in body must be of type date: \"x\""),
        (
            json!({"h": 5_000_000_000_i64}),
            "<nil>: Invalid value: \"\": Checked value must be of type integer with format int32 in spec.h",
        ),
        (
            json!({"a": 1.5}),
            "[spec.a: Invalid value: \"number\": spec.a in body must be of type integer: \"number\", <nil>: Invalid \
             value: \"\": Checked value must be of type integer (default format) in spec.a]",
        ),
    ];
    for (spec, expected) in checks {
        assert_eq!(invalid(&schema, &spec), expected);
    }
}

#[test]
fn values_are_checked() {
    let schema = json!({
        "type": "object",
        "required": ["must", "too"],
        "properties": {
            "min": {"type": "integer", "minimum": 3},
            "max": {"type": "integer", "maximum": 3, "exclusiveMaximum": true},
            "float": {"type": "number", "minimum": 0.5, "exclusiveMinimum": true},
            "multiple": {"type": "integer", "multipleOf": 5},
            "short": {"type": "string", "minLength": 2},
            "long": {"type": "string", "maxLength": 1},
            "pattern": {"type": "string", "pattern": "^[a-z]\\d$"},
            "choice": {"type": "string", "enum": ["full", "none"]},
            "number": {"type": "integer", "enum": [1, 2]},
            "few": {"type": "array", "minItems": 2, "items": {"type": "integer"}},
            "many": {"type": "array", "maxItems": 1, "items": {"type": "integer"}},
            "unique": {"type": "array", "uniqueItems": true, "items": {"type": "integer"}},
            "small": {"type": "object", "minProperties": 1},
            "big": {"type": "object", "maxProperties": 1, "additionalProperties": {"type": "string", "minLength": 1}},
            "closed": {"type": "object", "additionalProperties": false},
            "must": {"type": "string"},
        },
    });
    let checks = [
        (
            json!({"min": 2}),
            "spec.min: Invalid value: 2: spec.min in body should be greater than or equal to 3",
        ),
        (json!({"max": 3}), "spec.max: Invalid value: 3: spec.max in body should be less than 3"),
        (
            json!({"float": 0.5}),
            "spec.float: Invalid value: 0.5: spec.float in body should be greater than 0.5",
        ),
        (
            json!({"multiple": 7}),
            "spec.multiple: Invalid value: 7: spec.multiple in body should be a multiple of 5",
        ),
        (
            json!({"short": "ä"}),
            "spec.short: Invalid value: \"ä\": spec.short in body should be at least 2 chars long",
        ),
        (json!({"long": "ab"}), "spec.long: Too long: may not be more than 1 byte"),
        (
            json!({"pattern": "a٣"}),
            "spec.pattern: Invalid value: \"a٣\": spec.pattern in body should match '^[a-z]\\d$'",
        ),
        (
            json!({"choice": "x"}),
            "spec.choice: Unsupported value: \"x\": supported values: \"full\", \"none\"",
        ),
        (json!({"number": 3}), "spec.number: Unsupported value: 3: supported values: \"1\", \"2\""),
        (json!({"few": [1]}), "spec.few: Invalid value: 1: spec.few in body should have at least 2 items"),
        (json!({"many": [1, 2]}), "spec.many: Too many: 2: must have at most 1 item"),
        (
            json!({"unique": [1, 1]}),
            "spec.unique: Invalid value: \"\": spec.unique in body shouldn't contain duplicates",
        ),
        (
            json!({"small": {}}),
            "spec.small: Invalid value: 0: spec.small in body should have at least 1 properties",
        ),
        (
            json!({"big": {"a": "", "b": "c"}}),
            "[spec.big: Too many: 2: must have at most 1 item, spec.big.a: Invalid value: \"\": spec.big.a in body \
             should be at least 1 chars long]",
        ),
        (
            json!({"closed": {"a": 1}}),
            "spec.closed: Invalid value: \"a\": spec.closed.a in body is a forbidden property",
        ),
    ];
    for (mut spec, expected) in checks {
        spec["must"] = json!("");
        spec["too"] = json!(1);
        assert_eq!(invalid(&schema, &spec), expected);
    }
    assert_eq!(invalid(&schema, &json!({})), "[spec.must: Required value, spec.too: Required value]");
}

#[test]
fn compositions_are_checked() {
    let part = |field: &str| json!({"required": [field]});
    let either = |how: &str| json!({"type": "object", how: [part("a"), part("b")], "x-kubernetes-preserve-unknown-fields": true});
    assert_eq!(
        invalid(&either("oneOf"), &json!({})),
        "[<nil>: Invalid value: \"\": \"spec\" must validate one and only one schema (oneOf). Found none valid, \
         spec.a: Required value]"
    );
    assert_eq!(
        invalid(&either("oneOf"), &json!({"a": 1, "b": 1})),
        "<nil>: Invalid value: \"\": \"spec\" must validate one and only one schema (oneOf). Found 2 valid alternatives"
    );
    assert_eq!(invalid(&either("oneOf"), &json!({"b": 1})), "[]");
    assert_eq!(
        invalid(&either("anyOf"), &json!({})),
        "[<nil>: Invalid value: \"\": \"spec\" must validate at least one schema (anyOf), spec.a: Required value]"
    );
    assert_eq!(invalid(&either("anyOf"), &json!({"a": 1, "b": 1})), "[]");
    assert_eq!(
        invalid(&either("allOf"), &json!({"a": 1})),
        "[spec.b: Required value, <nil>: Invalid value: \"\": \"spec\" must validate all the schemas (allOf)]"
    );
    assert_eq!(
        invalid(&either("allOf"), &json!({})),
        "[spec.a: Required value, spec.b: Required value, <nil>: Invalid value: \"\": \"spec\" must validate all the \
         schemas (allOf). None validated]"
    );
    let not = json!({"type": "object", "not": part("a"), "x-kubernetes-preserve-unknown-fields": true});
    let forbidden = "<nil>: Invalid value: \"\": \"spec\" must not validate the schema (not)";
    assert_eq!(invalid(&not, &json!({"a": 1})), forbidden);
    // Of alternatives that all fail, the one that matches most is reported.
    let deep = json!({
        "type": "object",
        "properties": {"v": {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 5}]}},
    });
    assert_eq!(
        invalid(&deep, &json!({"v": 3})),
        "[<nil>: Invalid value: \"\": \"spec.v\" must validate at least one schema (anyOf), spec.v: Invalid value: 3: \
         spec.v in body should be greater than or equal to 5]"
    );
}

#[test]
fn lists_repeat_nothing() {
    let item =
        json!({"type": "object", "properties": {"name": {"type": "string"}, "port": {"type": "integer"}}});
    let schema = json!({
        "type": "object",
        "properties": {
            "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "map": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name", "port"],
                "items": item,
            },
        },
    });
    assert_eq!(
        invalid(&schema, &json!({"set": ["a", "b", "a", "a"]})),
        "spec.set[2]: Duplicate value: \"a\""
    );
    let map = json!([{"name": "a", "port": 1}, {"name": "a", "port": 2}, {"port": 1, "name": "a"}, {}, {}]);
    assert_eq!(
        invalid(&schema, &json!({"map": map})),
        "[spec.map[2]: Duplicate value: {\"name\":\"a\",\"port\":1}, spec.map[4]: Duplicate value: {}]"
    );
    // Old repetitions may stay.
    let (once, twice) = (json!({"set": ["a"]}), json!({"set": ["a", "a"]}));
    assert_eq!(invalid_update(&schema, &twice, &json!({"set": ["b", "b"]})), "[]");
    assert_eq!(invalid_update(&schema, &twice, &once), "spec.set[1]: Duplicate value: \"a\"");
}

#[test]
fn what_does_not_change_may_stay_wrong() {
    let item = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "level": {"type": "integer", "maximum": 3}},
    });
    let schema = json!({
        "type": "object",
        "properties": {
            "keep": {"type": "integer", "maximum": 3},
            "other": {"type": "integer"},
            "map": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": item},
            "list": {"type": "array", "items": item},
        },
    });
    let too_much = "spec.keep: Invalid value: 5: spec.keep in body should be less than or equal to 3";
    assert_eq!(
        invalid_update(&schema, &json!({"keep": 5, "other": 2}), &json!({"keep": 5, "other": 1})),
        "[]"
    );
    assert_eq!(invalid_update(&schema, &json!({"keep": 5}), &json!({"keep": 4})), too_much);
    assert_eq!(invalid_update(&schema, &json!({"keep": 5}), &json!({})), too_much);
    let wrong = json!({"name": "a", "level": 9});
    let moved = json!({"map": [{"name": "b"}, wrong]});
    assert_eq!(invalid_update(&schema, &moved, &json!({"map": [wrong]})), "[]");
    let in_list = |items: &[&Value]| json!({"list": items});
    assert_eq!(
        invalid_update(&schema, &in_list(&[&wrong, &json!({})]), &in_list(&[&wrong])),
        "spec.list[0].level: Invalid value: 9: spec.list[0].level in body should be less than or equal to 3"
    );
    let metadata_changes = {
        let definition = of_spec(&schema);
        let (old, mut new) = (backup(&json!({})), backup(&json!({})));
        new["metadata"]["name"] = "other".into();
        let version = definition.version("v1").expect("a version");
        aggregate(&definition.validate_update(version, &object(new), &object(old), "", &mut Vec::new()))
    };
    assert_eq!(metadata_changes, "metadata.name: Invalid value: \"other\": field is immutable");
}

#[test]
fn through_the_status_only_the_status_is_validated() {
    let spec = json!({"type": "object", "required": ["keep"]});
    let phase = json!({"type": "object", "properties": {"phase": {"type": "string", "enum": ["Done"]}}});
    let definition = definition(&spec, &phase);
    let version = definition.version("v1").expect("a version");
    let with = |phase: &str, replicas: &Value| {
        let mut value = backup(&json!({}));
        value["status"] = json!({"phase": phase, "replicas": replicas, "selector": 1});
        object(value)
    };
    let errors = definition.validate_update(
        version,
        &with("Odd", &json!(-1)),
        &with("Done", &json!(1)),
        "status",
        &mut Vec::new(),
    );
    assert_eq!(
        aggregate(&errors),
        "[status.phase: Unsupported value: \"Odd\": supported values: \"Done\", .status.replicas: Invalid value: -1: \
         should be a non-negative integer, .status.selector: Invalid value: \"\": .status.selector accessor error: 1 \
         is of the type int64, expected string]"
    );
}

#[test]
fn an_object_is_scaled_by_its_fields() {
    let definition = of_spec(&json!({"type": "object"}));
    let version = definition.version("v1").expect("a version");
    let scale = version.scale.as_ref().expect("scales");
    let mut value = backup(&json!({"replicas": 2}));
    value["status"] = json!({"replicas": 1, "selector": "app=a"});
    let scaled = scale.scale_of(&object(value.clone()));
    assert_eq!(
        scaled.value,
        json!({
            "apiVersion": "autoscaling/v1",
            "kind": "Scale",
            "metadata": {"name": "nightly", "namespace": "shop"},
            "spec": {"replicas": 2},
            "status": {"replicas": 1, "selector": "app=a"},
        })
    );
    let mut wanted = scaled;
    wanted.set(["spec", "replicas"], 5);
    assert_eq!(scale.apply(&object(value.clone()), &wanted).value["spec"], json!({"replicas": 5}));
    value["spec"] = json!({"replicas": "two"});
    assert_eq!(
        aggregate(&definition.validate_create(version, &object(value.clone()))),
        ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: two is of the type string, expected int64"
    );
    value["spec"] = json!("none");
    let errors = aggregate(&definition.validate_create(version, &object(value)));
    assert_eq!(
        errors,
        "[spec: Invalid value: \"string\": spec in body must be of type object: \"string\", .spec.replicas: Invalid \
         value: 0: .spec.replicas accessor error: none is of the type string, expected map[string]interface{}]"
    );
}

#[test]
fn rules_are_applied_to_what_they_can_read() {
    let rules = json!([
        {"rule": "self < 10"},
        {"rule": "self >= oldSelf", "message": "may not shrink", "reason": "FieldValueForbidden"},
        {"rule": "oldSelf.hasValue() || self < 9", "optionalOldSelf": true, "message": "begins small"},
    ]);
    let schema = json!({
        "type": "object",
        "properties": {"keep": {"type": "integer", "maximum": 30, "x-kubernetes-validations": rules}},
    });
    let definition = of_spec(&schema);
    let version = definition.version("v1").expect("a version");
    let create = |spec: Value| aggregate(&definition.validate_create(version, &object(backup(&spec))));
    assert_eq!(create(json!({"keep": 5})), "[]");
    assert_eq!(
        create(json!({"keep": 12})),
        "[spec.keep: Invalid value: 12: failed rule: self < 10, spec.keep: Invalid value: 12: begins small]"
    );
    assert_eq!(
        create(json!({"keep": ""})),
        "[spec.keep: Invalid value: \"string\": spec.keep in body must be of type integer: \"string\", <nil>: Invalid \
         value: null: some validation rules were not checked because the object was invalid; correct the existing \
         errors to complete validation]"
    );
    let update = |old: Value, new: Value| {
        let mut warnings = Vec::new();
        let versioned = |spec: &Value| {
            let mut object = object(backup(spec));
            object.set(["metadata", "resourceVersion"], "1");
            object
        };
        let (new, old) = (versioned(&new), versioned(&old));
        let errors = definition.validate_update(version, &new, &old, "", &mut warnings);
        (aggregate(&errors), warnings)
    };
    assert_eq!(update(json!({"keep": 5}), json!({"keep": 3})).0, "spec.keep: Forbidden: may not shrink");
    // Unchanged faults may stay.
    let warnings = vec!["spec.keep: Invalid value: 12: failed rule: self < 10".to_owned()];
    assert_eq!(update(json!({"keep": 12}), json!({"keep": 12, "other": 1})), ("[]".to_owned(), warnings));
}

#[test]
fn deprecated_versions_say_what_to_use() {
    let definition = of_spec(&json!({}));
    let warning = |name: &str| definition.deprecation_warning(definition.version(name).expect("a version"));
    assert_eq!(warning("v1"), None);
    let expected = "ops.example.com/v1beta1 Backup is deprecated; use ops.example.com/v1 Backup";
    assert_eq!(warning("v1beta1").as_deref(), Some(expected));
    assert_eq!(warning("v2alpha1").as_deref(), Some("do not"));
    assert_eq!(warning("v3").as_deref(), Some("ops.example.com/v3 Backup is deprecated"));
}

#[test]
fn versions_have_an_age() {
    let mut names = ["v2", "v1", "v1beta2", "foo", "v10", "v1alpha1", "bar", "v1beta10", "v1gamma1"];
    names.sort_by(|left, right| compare_versions(left, right));
    assert_eq!(names, ["v1gamma1", "foo", "bar", "v1alpha1", "v1beta2", "v1beta10", "v1", "v2", "v10"]);
}

#[test]
fn the_stored_version_fills_in_its_defaults() {
    let spec = json!({"type": "object", "properties": {"keep": {"type": "integer", "default": 7}}});
    let definition = of_spec(&spec);
    let kind = GroupVersionKind::new("ops.example.com", "v1beta1", "Backup");
    let value = json!({"apiVersion": "ops.example.com/v1beta1", "kind": "Backup", "spec": {"any": 1}});
    let mut object = Object::new(kind.clone(), value);
    definition.store(&mut object);
    assert_eq!(
        object.value,
        json!({"apiVersion": "ops.example.com/v1beta1", "kind": "Backup", "spec": {"keep": 7}})
    );
    assert_eq!(object.kind, kind);
    assert_eq!(definition.in_version(&object, "v1").value["apiVersion"], "ops.example.com/v1");
}

#[test]
fn custom_resources_have_a_status_where_their_definition_says_so() {
    let backup = |keep: i32, done: bool| {
        let value = json!({"metadata": {"name": "a"}, "spec": {"keep": keep}, "status": {"done": done}});
        Object::new(GroupVersionKind::new("example.com", "v1", "Backup"), value)
    };
    let mut new = backup(1, true);
    prepare_for_create(&mut new, false);
    assert_eq!(new, backup(1, true));
    prepare_for_create(&mut new, true);
    assert_eq!(new.at("status"), None);
    let old = backup(1, false);
    let mut new = backup(2, true);
    prepare_for_update(&mut new, &old, "", true);
    assert_eq!(new, backup(2, false));
    let mut new = backup(2, true);
    prepare_for_update(&mut new, &old, "status", true);
    assert_eq!(new, backup(1, true));
}
