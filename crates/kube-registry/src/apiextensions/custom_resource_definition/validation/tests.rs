use super::approval::APPROVED;
use super::*;
use gotext::value::json;

fn definition(schema: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let version =
        json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let names =
        json!({"plural": "backups", "singular": "backup", "kind": "Backup", "listKind": "BackupList"});
    let mut value = json!({
        "metadata": {"name": "backups.example.com", "resourceVersion": "1"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
        "status": {"storedVersions": ["v1"]},
    });
    change(&mut value);
    value
}

fn errors(new: &Value, old: Option<&Value>) -> Vec<String> {
    let mut errors = Errors::default();
    let old = old.map(Node::root);
    validate_definition(&mut errors, &Node::root(new), old.as_ref());
    errors.0.iter().map(ToString::to_string).collect()
}

#[test]
fn takes_a_definition_as_people_write_it() {
    let schema = json!({
        "type": "object",
        "properties": {"spec": {
            "type": "object",
            "properties": {"port": {
                "x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}],
            }},
        }},
    });
    assert_eq!(errors(&definition(&schema, |_| {}), None), [""; 0]);
}

#[test]
fn points_to_the_top_for_what_all_versions_share() {
    let schema = json!({"type": "object", "properties": {"spec": {}}});
    assert_eq!(
        errors(&definition(&schema, |_| {}), None),
        [
            "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified \
             object fields"
        ]
    );
    let two = definition(&json!({"type": "object", "nullable": true}), |value| {
        let other = json!({"name": "v2", "schema": {"openAPIV3Schema": {"type": "object"}}});
        value["spec"]["versions"].as_array_mut().expect("a list").push(other);
    });
    assert_eq!(
        errors(&two, None),
        ["spec.versions[0].schema.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root"]
    );
}

#[test]
fn wants_conditions_to_be_about_what_is_defined() {
    let part = json!({"properties": {"spec": {"required": ["a"]}, "other": {"type": "string"}}});
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object"}}, "allOf": [part]});
    assert_eq!(
        errors(&definition(&schema, |_| {}), None),
        [
            "spec.validation.openAPIV3Schema.allOf[0].properties[other].type: Forbidden: must be empty to be \
             structural",
            "spec.validation.openAPIV3Schema.properties[other]: Required value: because it is defined in \
             spec.validation.openAPIV3Schema.allOf[0].properties[other]",
        ]
    );
}

#[test]
fn leaves_an_old_definition_its_mistakes_but_not_its_names() {
    let schema = json!({"type": "object", "properties": {"spec": {"type": "strign"}}});
    let old = definition(&schema, |_| {});
    assert!(!errors(&old, None).is_empty());
    assert_eq!(errors(&old, Some(&old)), [""; 0]);
    let renamed = definition(&schema, |value| value["spec"]["group"] = json!("example.org"));
    assert_eq!(
        errors(&renamed, Some(&old)),
        ["spec.group: Invalid value: \"example.org\": field is immutable"]
    );
}

#[test]
fn wants_groups_of_the_community_to_be_approved() {
    let approved = |text: &str| {
        definition(&json!({"type": "object"}), |value| {
            value["metadata"] = json!({"name": "backups.apps.k8s.io", "annotations": {APPROVED: text}});
            value["spec"]["group"] = json!("apps.k8s.io");
        })
    };
    assert_eq!(errors(&approved("https://github.com/kubernetes/enhancements/pull/1"), None), [""; 0]);
    assert_eq!(
        errors(&approved(""), None),
        [
            "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval \
             annotation \"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111"
        ]
    );
}

#[test]
fn rejects_defaults_patterns_and_paths_that_do_not_fit_the_schema() {
    let spec = json!({"type": "object", "properties": {
        "count": {"type": "integer", "default": "one"},
        "code": {"type": "string", "pattern": "a("},
        "tags": {"type": "array", "items": {"type": "string"}},
    }});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    let at = "spec.validation.openAPIV3Schema.properties[spec].properties";
    let only_default = definition(&schema, |value| {
        let version = &mut value["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        version["properties"]["spec"]["properties"]["code"] = json!({"type": "string"});
    });
    let default = format!(
        "{at}[count].default: Invalid value: \"string\":  in body must be of type integer: \"string\""
    );
    assert_eq!(errors(&only_default, None), [default]);
    let pattern = format!(
        "{at}[code].pattern: Invalid value: \"a(\": must be a valid regular expression, but isn't: error parsing \
         regexp: missing closing ): `a(`"
    );
    assert_eq!(errors(&definition(&schema, |_| {}), None), [pattern]);

    let tags = json!({"type": "object", "properties": {"spec": {
        "type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}},
        "x-kubernetes-validations": [{"rule": "true", "fieldPath": ".name"}],
    }}});
    let selectable = definition(&tags, |value| {
        let fields = json!([{"jsonPath": ".spec.tags"}, {"jsonPath": ".spec.name"}]);
        value["spec"]["versions"][0]["selectableFields"] = fields;
    });
    assert_eq!(
        errors(&selectable, None),
        [
            "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].fieldPath: Invalid value: \
             \".name\": must be a valid path",
            "spec.selectableFields[0].jsonPath: Invalid value: \".spec.tags\": must point to a field of type string, \
             boolean or integer. Enum string fields and strings with formats are allowed.",
            "spec.selectableFields[1].jsonPath: Invalid value: \".spec.name\": is an invalid path: does not refer to a \
             valid field",
        ]
    );
}
