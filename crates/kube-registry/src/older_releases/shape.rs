//! Parts of objects that older versions write differently.

use gotext::value::json;
use kube_api::tree::{child_mut, child_or_insert, items_mut, remove_key, set, set_if_absent, set_if_zero};
use kube_api::{Map, Value};

/// The annotation that counts the template changes of a daemon set.
pub(super) const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Renames the concurrency shares of older versions to those of newer ones, or back.
pub(super) fn rename_shares(level: &mut Map, to_old: bool) {
    const NAMES: [&str; 2] = ["assuredConcurrencyShares", "nominalConcurrencyShares"];
    let [from, to] = if to_old { [NAMES[1], NAMES[0]] } else { NAMES };
    let Some(limited) = child_mut(level, ["spec", "limited"]) else { return };
    if let Some(shares) = limited.remove(from) {
        limited.insert(to, shares);
    }
    if !to_old {
        set_if_absent(limited, "lendablePercent", 0);
    }
}

/// Moves the contents of a `v1alpha1` runtime class's spec to where later versions have them.
pub(super) fn flatten_runtime_class(class: &mut Map) {
    let Some(spec) = class.remove("spec") else { return };
    let Some(mut spec) = spec.as_object().cloned() else { return };
    if let Some(handler) = spec.remove("runtimeHandler") {
        class.insert("handler", handler);
    }
    class.extend(spec);
}

/// Converts the backends of an Ingress to `v1`.
pub(super) fn ingress_to_v1(ingress: &mut Map) {
    fn backend(backend: &mut Map) {
        let name = backend.remove("serviceName");
        let port = backend.remove("servicePort");
        let has_port = match &port {
            Some(Value::String(_)) => true,
            port => port.as_ref().and_then(Value::as_i64).is_some_and(|port| port != 0),
        };
        if !has_port && name.as_ref().and_then(Value::as_str).unwrap_or_default().is_empty() {
            return;
        }
        let mut service = Map::new();
        service.insert("name", name.unwrap_or_else(|| "".into()));
        if let Some(port) = port {
            let field = if port.is_string() { "name" } else { "number" };
            child_or_insert(&mut service, "port").insert(field, port);
        }
        backend.insert("service", service.into());
    }
    let spec = child_or_insert(ingress, "spec");
    if let Some(found) = spec.remove("backend") {
        spec.insert("defaultBackend", found);
    }
    if let Some(found) = child_mut(spec, "defaultBackend") {
        backend(found);
    }
    for rule in items_mut(spec, "rules") {
        let Some(http) = child_mut(rule, "http") else { continue };
        for path in items_mut(http, "paths") {
            set_if_absent(path, "pathType", "ImplementationSpecific");
            if let Some(found) = child_mut(path, "backend") {
                backend(found);
            }
        }
    }
}

/// Converts the backends of an Ingress to the versions before `v1`.
pub(super) fn ingress_from_v1(ingress: &mut Map) {
    fn backend(backend: &mut Map) {
        let Some(service) = backend.remove("service") else { return };
        let within = |fields: &[&str]| service.at(fields).cloned();
        backend.extend(within(&["name"]).map(|name| ("serviceName", name)));
        let port = within(&["port", "number"]).or_else(|| within(&["port", "name"]));
        backend.extend(port.map(|port| ("servicePort", port)));
    }
    let spec = child_or_insert(ingress, "spec");
    if let Some(found) = spec.remove("defaultBackend") {
        spec.insert("backend", found);
    }
    if let Some(found) = child_mut(spec, "backend") {
        backend(found);
    }
    for rule in items_mut(spec, "rules") {
        let Some(http) = child_mut(rule, "http") else { continue };
        items_mut(http, "paths").filter_map(|path| child_mut(path, "backend")).for_each(backend);
    }
}

/// Moves the topology of an endpoint to its own field, as in `v1`.
pub(super) fn endpoints_to_v1(slice: &mut Map) {
    for endpoint in items_mut(slice, "endpoints") {
        let topology = endpoint.remove("topology");
        let Some(mut topology) = topology.as_ref().and_then(|topology| topology.as_object().cloned()) else {
            continue;
        };
        for (label, field) in
            [("kubernetes.io/hostname", "nodeName"), ("topology.kubernetes.io/zone", "zone")]
        {
            if let Some(value) = topology.remove(label)
                && !endpoint.has(field)
            {
                set(endpoint, field, value);
            }
        }
        if !topology.is_empty() {
            endpoint.insert("deprecatedTopology", topology.into());
        }
    }
}

/// Strips the version from the group of `v1alpha1` subjects.
pub(super) fn subjects_to_v1(binding: &mut Map) {
    for subject in items_mut(binding, "subjects") {
        if let Some(version) = subject.remove("apiVersion") {
            let group = version.as_str().and_then(|version| version.split_once('/')).map(|(group, _)| group);
            if let Some(group) = group {
                set_if_absent(subject, "apiGroup", group);
            }
        }
    }
    remove_key(binding, "metadata", "initializers");
}

/// Moves the generation of a daemon set's template from its field into its annotation, or back.
pub(super) fn template_generation(daemon_set: &mut Map, to_field: bool) {
    if to_field {
        let annotations = daemon_set.child(["metadata", "annotations"]);
        let generation =
            annotations.and_then(|annotations| annotations.text(TEMPLATE_GENERATION).parse().ok());
        if let Some(metadata) = child_mut(daemon_set, "metadata") {
            remove_key(metadata, "annotations", TEMPLATE_GENERATION);
        }
        let generation: i64 = generation.unwrap_or_default();
        set(child_or_insert(daemon_set, "spec"), "templateGeneration", generation);
    } else {
        let generation = child_or_insert(daemon_set, "spec").remove("templateGeneration");
        let generation = generation.as_ref().and_then(Value::as_i64).unwrap_or_default().max(1);
        let annotations = child_or_insert(child_or_insert(daemon_set, "metadata"), "annotations");
        set(annotations, TEMPLATE_GENERATION, generation.to_string());
    }
}

/// Moves the revision to roll back to from its field into its annotation.
pub(super) fn rollback_to_annotation(deployment: &mut Map) {
    let Some(Value::Object(rollback)) = child_or_insert(deployment, "spec").remove("rollbackTo") else {
        return;
    };
    let revision = rollback.int("revision").to_string();
    set(
        child_or_insert(child_or_insert(deployment, "metadata"), "annotations"),
        "deprecated.deployment.rollback.to",
        revision,
    );
}
/// Converts a definition of `v1beta1` to `v1`: what all versions have in common is copied to each.
pub(super) fn definition_to_v1(definition: &mut Map) {
    let spec = child_or_insert(definition, "spec");
    let only = spec.remove("version").filter(|_| !spec.has("versions"));
    if let Some(name) = only.filter(|name| name.as_str().is_some_and(|name| !name.is_empty())) {
        set(spec, "versions", json!([{"name": name, "served": true, "storage": true}]));
    }
    let common = ["validation", "subresources", "additionalPrinterColumns"].map(|field| spec.remove(field));
    let [validation, subresources, columns] = common;
    let preserves = spec.flag("preserveUnknownFields");
    if !preserves {
        spec.remove("preserveUnknownFields");
    }
    for version in items_mut(spec, "versions") {
        for (field, value) in
            [("schema", &validation), ("subresources", &subresources), ("additionalPrinterColumns", &columns)]
        {
            if let Some(value) = value {
                set_if_absent(version, field, value.clone());
            }
        }
        for column in items_mut(version, "additionalPrinterColumns") {
            if let Some(path) = column.remove("JSONPath") {
                column.insert("jsonPath", path);
            }
        }
        if !version.has("schema") {
            let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
            set(version, "schema", json!({"openAPIV3Schema": any}));
        }
        if let Some(schema) = child_mut(version, ["schema", "openAPIV3Schema"]) {
            set_if_zero(schema, "type", "object");
        }
    }
    let Some(conversion) = child_mut(spec, ["conversion"]) else { return };
    if let Some(config) = conversion.remove("webhookClientConfig") {
        let versions = conversion.remove("conversionReviewVersions").unwrap_or_else(|| json!(["v1beta1"]));
        let webhook = json!({"clientConfig": config, "conversionReviewVersions": versions});
        conversion.insert("webhook", webhook);
    }
}
