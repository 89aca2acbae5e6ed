//! OpenAPI documents: what they have is served, and what is served they have.

use std::collections::BTreeSet;

use gotext::value::{Value, json};

use super::start;
use crate::client::Client;

/// Returns the paths of a group and version, with their methods, as discovery names its resources.
fn served(client: &Client, root: &str) -> BTreeSet<(String, &'static str)> {
    let list = client.get(root).object(200);
    let mut found = BTreeSet::from([(format!("{root}/"), "get")]);
    for resource in list.list("resources") {
        let (name, below) = resource.text("name").split_once('/').unwrap_or((resource.text("name"), ""));
        let within = if resource.flag("namespaced") { "/namespaces/{namespace}" } else { "" };
        let collection = format!("{root}{within}/{name}");
        let object = format!("{collection}/{{name}}");
        let mut add = |path: String, method| {
            found.insert((path, method));
        };
        if below == "proxy" {
            for method in ["delete", "get", "head", "options", "patch", "post", "put"] {
                add(format!("{object}/proxy"), method);
                add(format!("{object}/proxy/{{path}}"), method);
            }
            continue;
        }
        for verb in resource.list("verbs").iter().filter_map(Value::as_str) {
            let below = if below.is_empty() { object.clone() } else { format!("{object}/{below}") };
            match verb {
                "create" if below == object => add(collection.clone(), "post"),
                "create" => add(below, "post"),
                "deletecollection" => add(collection.clone(), "delete"),
                "delete" => add(below, "delete"),
                "get" => add(below, "get"),
                "list" => {
                    add(collection.clone(), "get");
                    add(format!("{root}/{name}"), "get");
                }
                "patch" => add(below, "patch"),
                "update" => add(below, "put"),
                "watch" => {
                    for path in [&collection, &object, &format!("{root}/{name}")] {
                        add(path.replacen(root, &format!("{root}/watch"), 1), "get");
                    }
                }
                other => panic!("an unknown verb {other}"),
            }
        }
    }
    found
}

/// Returns the paths of a document with their methods.
fn documented(document: &Value) -> BTreeSet<(String, &'static str)> {
    let methods = ["delete", "get", "head", "options", "patch", "post", "put"];
    let paths = document["paths"].as_object().expect("paths").iter();
    let operations = paths.flat_map(|(path, item)| {
        let present = methods.into_iter().filter(|method| item.get(method).is_some());
        present.map(|method| (path.to_string(), method))
    });
    operations.collect()
}

/// Fails if a reference leads nowhere.
fn check_references(document: &Value, found: &Value) {
    match found {
        Value::Object(map) => {
            if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
                let path: Vec<&str> = reference.trim_start_matches("#/").split('/').collect();
                assert!(document.at(path.as_slice()).is_some(), "{reference}");
            }
            map.values().for_each(|below| check_references(document, below));
        }
        Value::Array(items) => items.iter().for_each(|below| check_references(document, below)),
        _ => {}
    }
}

#[test]
fn documents_have_what_is_served() {
    let (_server, client) = start(&[]);
    let index = client.get("/openapi/v3").object(200);
    let whole = client.get("/openapi/v2").object(200);
    check_references(&whole, &whole);
    let mut all = BTreeSet::new();
    for (name, _) in index["paths"].as_object().expect("paths") {
        let document = client.get(&format!("/openapi/v3/{name}")).object(200);
        check_references(&document, &document);
        let found = documented(&document);
        if name.rsplit('/').next().is_some_and(|last| last.starts_with('v') && last != "version") {
            assert_eq!(found, served(&client, &format!("/{name}")), "{name}");
        }
        all.extend(found);
    }
    assert_eq!(documented(&whole), all);
    let mut names = BTreeSet::new();
    for (path, method) in &all {
        let name = whole["paths"][path.as_str()][*method]["operationId"].clone();
        assert!(names.insert(name.as_str().expect("a name").to_owned()), "{method} {path}");
    }
}

#[test]
fn schemas_say_what_is_required_and_which_values_there_are() {
    let (_server, client) = start(&["--kubernetes-version=1.37"]);
    let core = client.get("/openapi/v3/api/v1").object(200);
    let schema =
        |name: &str| core["components"]["schemas"][format!("io.k8s.api.core.v1.{name}").as_str()].clone();
    assert_eq!(schema("PodSpec")["required"], json!(["containers"]));
    let policy = json!({"type": "string", "enum": ["Always", "Never", "OnFailure"]});
    assert_eq!(schema("PodSpec")["properties"]["restartPolicy"], policy);
    let port = schema("ContainerPort");
    assert_eq!(port["required"], json!(["containerPort"]));
    assert_eq!(port["properties"]["protocol"]["default"], "TCP");
    let list = schema("PodList");
    assert_eq!(list["required"], json!(["items"]));
    assert_eq!(
        list["properties"]["items"],
        json!({"type": "array", "items": {"$ref": "#/components/schemas/io.k8s.api.core.v1.Pod"}})
    );
    let scale = "/api/v1/namespaces/{namespace}/replicationcontrollers/{name}/scale";
    let put = &core["paths"][scale]["put"];
    assert_eq!(
        put["x-kubernetes-group-version-kind"],
        json!({"group": "autoscaling", "version": "v1", "kind": "Scale"})
    );
    let options = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
    assert_eq!(
        core["components"]["schemas"][options]["properties"]["propagationPolicy"],
        json!({"type": "string"})
    );
    // A release begins to require the type of a strategy, or offers another one.
    for (version, values, required) in [
        ("1.36", json!(["OnDelete", "RollingUpdate"]), Value::Null),
        ("1.37", json!(["OnDelete", "Recreate", "RollingUpdate"]), json!(["spec"])),
    ] {
        let (_server, client) = start(&[&format!("--kubernetes-version={version}")]);
        let apps = client.get("/openapi/v3/apis/apps/v1").object(200);
        let schemas = &apps["components"]["schemas"];
        let strategy = &schemas["io.k8s.api.apps.v1.StatefulSetUpdateStrategy"];
        assert_eq!(strategy["properties"]["type"]["enum"], values, "{version}");
        let set = &schemas["io.k8s.api.apps.v1.StatefulSet"];
        assert_eq!(set.get("required").cloned().unwrap_or_default(), required, "{version}");
    }
}

#[test]
fn documents_have_custom_resources() {
    let (_server, client) = start(&[]);
    let definition = json!({
        "metadata": {"name": "apples.fruit.io"},
        "spec": {
            "group": "fruit.io",
            "scope": "Namespaced",
            "names": {"plural": "apples", "kind": "Apple", "listKind": "Apples"},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
                    "type": "object",
                    "properties": {
                        "size": {"type": "integer", "nullable": true},
                        "port": {"x-kubernetes-int-or-string": true},
                        "object": {
                            "type": "object",
                            "x-kubernetes-embedded-resource": true,
                            "properties": {"spec": {"type": "string"}},
                        },
                    },
                }}}},
                "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.n"}},
                "selectableFields": [{"jsonPath": ".spec.size"}],
            }],
        },
    });
    client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).object(201);
    let document = client.get("/openapi/v3/apis/fruit.io/v1").object(200);
    check_references(&document, &document);
    let paths: BTreeSet<&str> =
        document["paths"].as_object().expect("paths").keys().map(gotext::value::Text::as_str).collect();
    let object = "/apis/fruit.io/v1/namespaces/{namespace}/apples/{name}";
    assert_eq!(
        paths,
        BTreeSet::from([
            "/apis/fruit.io/v1/apples",
            "/apis/fruit.io/v1/namespaces/{namespace}/apples",
            object,
            "/apis/fruit.io/v1/namespaces/{namespace}/apples/{name}/scale",
            "/apis/fruit.io/v1/namespaces/{namespace}/apples/{name}/status",
        ])
    );
    let schemas = &document["components"]["schemas"];
    let apple = &schemas["io.fruit.v1.Apple"];
    assert_eq!(apple["x-kubernetes-selectable-fields"], json!([{"fieldPath": "spec.size"}]));
    let spec = &apple["properties"]["spec"]["properties"];
    assert_eq!(spec["port"]["anyOf"], json!([{"type": "integer"}, {"type": "string"}]));
    assert_eq!(spec["object"]["required"], json!(["kind", "apiVersion"]));
    assert_eq!(schemas["io.fruit.v1.Apples"]["required"], json!(["items"]));
    let patch = &document["paths"][object]["patch"]["requestBody"]["content"];
    assert!(patch.get("application/strategic-merge-patch+json").is_none());
    let whole = client.get("/openapi/v2").object(200);
    check_references(&whole, &whole);
    let spec = &whole["definitions"]["io.fruit.v1.Apple"]["properties"]["spec"]["properties"];
    assert_eq!(spec["size"], json!({}));
    assert_eq!(spec["port"], json!({"x-kubernetes-int-or-string": true}));
}
