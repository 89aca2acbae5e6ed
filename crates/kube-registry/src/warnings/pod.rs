//! Pods and Pod templates.
//!
//! Source: `k8s.io/kubernetes/pkg/api/pod`.

use std::collections::BTreeSet;

use gotext::value::json;

use crate::warnings::Warnings;
use crate::warnings::volume::{claim_spec, fate_of_plugin, fractional_bytes, fractional_quantity, printed};
use crate::warnings::{address, node_label, port};
use gotext::quote;
use kube_api::field::Path;
use kube_api::{Map, Value};

pub(crate) const APP_ARMOR_ANNOTATION: &str = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD_ANNOTATION: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER_ANNOTATION: &str = "container.seccomp.security.alpha.kubernetes.io/";

/// The minor of the first release that warns about repeated variables by whether they hide others.
const DUPLICATES_HIDE: u32 = 28;

/// The volume plugins that the server warns about before it looks at the claim of an ephemeral volume, in its order.
const BEFORE_CLAIMS: [&str; 7] =
    ["photonPersistentDisk", "gitRepo", "scaleIO", "flocker", "storageos", "quobyte", "glusterfs"];

/// Those that it warns about after that.
const AFTER_CLAIMS: [&str; 2] = ["cephfs", "rbd"];

/// A Pod or a template, and where it is.
pub(crate) struct Pod<'a> {
    metadata: Option<&'a Map>,
    spec: &'a Map,
    path: Option<&'a Path>,
}

/// Returns the path of a field in a Pod or template.
pub(crate) type Place<'a> = &'a dyn Fn(&'static str) -> Path;

/// Adds the warnings about a Pod that is not a template.
pub(crate) fn pod(pod: &Map, warnings: &mut Warnings<'_>) {
    all(pod, None, warnings);
}

/// Adds the warnings about a template at `path`.
pub(crate) fn template(template: &Map, path: &Path, warnings: &mut Warnings<'_>) {
    all(template, Some(path), warnings);
}

/// Returns the field that corresponds to an annotation with an `AppArmor` profile, if it is well-formed.
pub(crate) fn app_armor_profile(annotation: &str) -> Option<Value> {
    match annotation {
        "unconfined" => Some(json!({"type": "Unconfined"})),
        "runtime/default" => Some(json!({"type": "RuntimeDefault"})),
        _ => {
            let profile = annotation.strip_prefix("localhost/").filter(|profile| !profile.is_empty())?;
            Some(json!({"type": "Localhost", "localhostProfile": profile}))
        }
    }
}

pub(crate) fn all(owner: &Map, path: Option<&Path>, warnings: &mut Warnings<'_>) {
    let Some(spec) = owner.child("spec") else { return };
    let pod = Pod { metadata: owner.child("metadata"), spec, path };
    let spec_path = pod.path("spec");
    let in_spec = |field: &'static str| spec_path.child(field);
    pod.node_labels(&in_spec, warnings);
    pod.deprecated_annotations(warnings);
    pod.volumes(&in_spec, warnings);
    crate::warnings::volume_path::overlapping(spec, warnings);
    duplicates(spec, "hostAliases", "ip", &in_spec, warnings);
    duplicates(spec, "imagePullSecrets", "name", &in_spec, warnings);
    for (index, secret) in spec.items("imagePullSecrets").enumerate() {
        if secret.is_zero("name") {
            let path = in_spec("imagePullSecrets").index(index).child("name");
            warnings.push(format!("{path}: invalid empty name \"\""));
        }
    }
    if !warnings.since(DUPLICATES_HIDE) {
        duplicates(spec, "volumes", "name", &in_spec, warnings);
    }
    if let Some(overhead) = spec.child("overhead") {
        for resource in ["memory", "ephemeral-storage"] {
            fractional_quantity(overhead, resource, || in_spec("overhead"), warnings);
        }
    }
    pod.seccomp(spec, SECCOMP_POD_ANNOTATION, warnings);
    let containers = pod.containers(&in_spec);
    for (container, path) in &containers {
        pod.container(container, path, warnings);
    }
    port::ports(&containers, warnings);
    if spec.int("terminationGracePeriodSeconds") < 0 && warnings.since(27) {
        warnings.push(format!(
            "{}: must be >= 0; negative values are invalid and will be treated as 1",
            in_spec("terminationGracePeriodSeconds")
        ));
    }
    affinity_selectors(spec, &in_spec, warnings);
    if !warnings.since(address::EVERYWHERE) {
        return;
    }
    if let Some(config) = spec.child("dnsConfig") {
        let path = in_spec("dnsConfig").child("nameservers");
        for (index, server) in config.list("nameservers").iter().filter_map(Value::as_str).enumerate() {
            address::ip(&path.index(index), server, warnings);
        }
    }
    for (index, alias) in spec.items("hostAliases").enumerate() {
        address::ip(&in_spec("hostAliases").index(index).child("ip"), alias.text("ip"), warnings);
    }
}

impl<'a> Pod<'a> {
    fn path(&self, field: &'static str) -> Path {
        self.path.map_or_else(|| Path::new(field), |path| path.child(field))
    }

    fn annotation(&self, key: &str) -> Option<&'a str> {
        self.metadata?.child("annotations")?.get(key)?.as_str()
    }

    fn annotation_path(&self, key: impl Into<String>) -> Path {
        self.path("metadata").child("annotations").key(key)
    }

    /// Returns init containers, containers and ephemeral containers, with their paths.
    fn containers(&self, in_spec: Place<'_>) -> Vec<(&'a Map, Path)> {
        let mut containers = Vec::new();
        for field in ["initContainers", "containers", "ephemeralContainers"] {
            for (index, container) in self.spec.items(field).enumerate() {
                containers.push((container, in_spec(field).index(index)));
            }
        }
        containers
    }

    fn node_labels(&self, in_spec: Place<'_>, warnings: &mut Warnings<'_>) {
        for (label, _) in self.spec.child("nodeSelector").into_iter().flatten() {
            if let Some(message) = node_label::deprecated(label, warnings) {
                warnings.push(format!("{}: {message}", in_spec("nodeSelector").key(label.as_str())));
            }
        }
        if let Some(affinity) = self.spec.child(["affinity", "nodeAffinity"]) {
            let path = in_spec("affinity").child("nodeAffinity");
            if let Some(required) = affinity.child("requiredDuringSchedulingIgnoredDuringExecution") {
                let path =
                    path.child("requiredDuringSchedulingIgnoredDuringExecution").child("nodeSelectorTerms");
                for (index, term) in required.items("nodeSelectorTerms").enumerate() {
                    node_label::selector_term(term, false, &path.index(index), warnings);
                }
            }
            let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
            for (index, term) in affinity.items(preferred).enumerate() {
                let path = path.child(preferred).index(index).child("preference");
                if let Some(term) = term.child("preference") {
                    node_label::selector_term(term, true, &path, warnings);
                }
            }
        }
        for (index, constraint) in self.spec.items("topologySpreadConstraints").enumerate() {
            let path = in_spec("topologySpreadConstraints").index(index);
            let key = constraint.text("topologyKey");
            if let Some(message) = node_label::deprecated(key, warnings) {
                warnings.push(format!("{}: {key} is {message}", path.child("topologyKey")));
            }
            null_selector(constraint, &path, warnings);
        }
    }

    fn deprecated_annotations(&self, warnings: &mut Warnings<'_>) {
        let annotations = [
            (
                "scheduler.alpha.kubernetes.io/critical-pod",
                "non-functional in v1.16+; use the \"priorityClassName\" field instead",
            ),
            (
                "security.alpha.kubernetes.io/sysctls",
                "non-functional in v1.11+; use the \"sysctls\" field instead",
            ),
            (
                "security.alpha.kubernetes.io/unsafe-sysctls",
                "non-functional in v1.11+; use the \"sysctls\" field instead",
            ),
        ];
        for (annotation, message) in annotations {
            if self.annotation(annotation).is_some() {
                warnings.push(format!("{}: {message}", self.annotation_path(annotation)));
            }
        }
    }

    fn volumes(&self, in_spec: Place<'_>, warnings: &mut Warnings<'_>) {
        for (index, volume) in self.spec.items("volumes").enumerate() {
            let path = in_spec("volumes").index(index);
            let warn = |plugins: &[&'static str], warnings: &mut Warnings<'_>| {
                for plugin in plugins.iter().filter(|plugin| volume.has(**plugin)) {
                    if let Some(fate) = fate_of_plugin(plugin, warnings) {
                        warnings.push(format!("{}: {fate}", path.child(printed(plugin).to_owned())));
                    }
                }
            };
            warn(&BEFORE_CLAIMS, warnings);
            if let Some(spec) = volume.child(["ephemeral", "volumeClaimTemplate", "spec"]) {
                let path = path.child("ephemeral").child("volumeClaimTemplate").child("spec");
                claim_spec(spec, &path, warnings);
            }
            warn(&AFTER_CLAIMS, warnings);
        }
    }

    /// Warns about a seccomp profile in an annotation, if `owner` has none in its security context.
    fn seccomp(&self, owner: &Map, annotation: &str, warnings: &mut Warnings<'_>) {
        let has_field = owner.child("securityContext").is_some_and(|context| context.has("seccompProfile"));
        if !has_field && self.annotation(annotation).is_some() {
            let fate = match warnings.profile().release().minor {
                27.. => "non-functional in v1.27+",
                25.. => "deprecated since v1.19, non-functional in a future release",
                23.. => "deprecated since v1.19, non-functional in v1.25+",
                _ => "deprecated since v1.19",
            };
            warnings.push(format!(
                "{}: {fate}; use the \"seccompProfile\" field instead",
                self.annotation_path(annotation)
            ));
        }
    }

    fn container(&self, container: &Map, path: &Path, warnings: &mut Warnings<'_>) {
        let name = container.text("name");
        self.seccomp(container, &format!("{SECCOMP_CONTAINER_ANNOTATION}{name}"), warnings);
        // For a Pod that is not a template, the registry has warned when it moved the annotation to a field.
        if self.path.is_some() {
            self.app_armor(container, &format!("{APP_ARMOR_ANNOTATION}{name}"), warnings);
        }
        for resource in ["memory", "ephemeral-storage"] {
            for list in ["limits", "requests"] {
                fractional_bytes(container, list, resource, path, warnings);
            }
        }
        if !warnings.since(DUPLICATES_HIDE) {
            duplicates(container, "env", "name", &|field| path.child(field), warnings);
            return;
        }
        let mut known = BTreeSet::new();
        for (index, variable) in container.items("env").enumerate() {
            let name = variable.text("name");
            if known.insert(name) {
                continue;
            }
            // A value that refers to the previous one is meant to replace it.
            let (value, reference) = (variable.text("value"), format!("$({name})"));
            if variable.has("valueFrom") || value == reference || !value.contains(&reference) {
                let path = path.child("env").index(index);
                let fate = if warnings.since(30) { ", which may be dropped when using apply" } else { "" };
                warnings.push(format!("{path}: hides previous definition of {}{fate}", quote(name)));
            }
        }
    }

    fn app_armor(&self, container: &Map, key: &str, warnings: &mut Warnings<'_>) {
        let profile = |owner: &'_ Map| -> Option<Value> {
            owner
                .child("securityContext")?
                .get("appArmorProfile")
                .filter(|profile| !profile.is_null())
                .cloned()
        };
        let Some(annotation) = self.annotation(key) else { return };
        if profile(container).is_some() {
            return;
        }
        let of_pod = profile(self.spec);
        let is_kept = of_pod.is_some() && (!warnings.since(34) || of_pod == app_armor_profile(annotation));
        if !is_kept && warnings.since(30) {
            warnings.push(format!(
                "{}: deprecated since v1.30; use the \"appArmorProfile\" field instead",
                self.annotation_path(key)
            ));
        }
    }
}

pub(crate) fn duplicates(
    spec: &Map,
    list: &'static str,
    key: &'static str,
    in_spec: Place<'_>,
    warnings: &mut Warnings<'_>,
) {
    let mut known = BTreeSet::new();
    for (index, item) in spec.items(list).enumerate() {
        let value = item.text(key);
        if !known.insert(value) {
            let path = in_spec(list).index(index).child(key);
            warnings.push(format!("{path}: duplicate {key} {}", quote(value)));
        }
    }
}

fn affinity_selectors(spec: &Map, in_spec: Place<'_>, warnings: &mut Warnings<'_>) {
    for kind in ["podAffinity", "podAntiAffinity"] {
        let Some(affinity) = spec.child(["affinity", kind]) else { continue };
        let path = in_spec("affinity").child(kind);
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        for (index, term) in affinity.items(required).enumerate() {
            null_selector(term, &path.child(required).index(index), warnings);
        }
        let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        let empty = Map::new();
        for (index, term) in affinity.items(preferred).enumerate() {
            let path = path.child(preferred).index(index).child("podAffinityTerm");
            null_selector(term.child("podAffinityTerm").unwrap_or(&empty), &path, warnings);
        }
    }
}

fn null_selector(owner: &Map, path: &Path, warnings: &mut Warnings<'_>) {
    if !owner.has("labelSelector") && warnings.since(28) {
        warnings.push(format!(
            "{}: a null labelSelector results in matching no pod",
            path.child("labelSelector")
        ));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::on_create;
    use gotext::value::{Value, json};

    fn pod(spec: &Value) -> Vec<String> {
        on_create(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}))
    }

    #[test]
    fn an_ordinary_pod_is_fine() {
        let env = json!([{"name": "A", "value": "1"}, {"name": "A", "value": "$(A):2"}]);
        assert!(pod(&json!({"containers": [{"name": "a", "env": env}]})).is_empty());
    }

    #[test]
    fn variables_that_hide_others_are_named() {
        let env = json!([{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]);
        assert_eq!(
            pod(&json!({"initContainers": [{"name": "a", "env": env}]})),
            [
                "spec.initContainers[0].env[1]: hides previous definition of \"A\", which may be dropped when using apply"
            ]
        );
    }

    #[test]
    fn what_does_nothing_any_more_is_named() {
        let volumes = json!([{"name": "a", "storageos": {}}, {"name": "b", "gitRepo": {}}]);
        let terms = json!([{"preference": {"matchExpressions": [{"key": "a", "values": ["-"]}]}}]);
        let affinity = json!({"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": terms}});
        let warnings = pod(&json!({
            "affinity": affinity,
            "hostAliases": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.1"}],
            "imagePullSecrets": [{}],
            "overhead": {"memory": "1500m"},
            "topologySpreadConstraints": [{}],
            "volumes": volumes
        }));
        let invalid = &warnings[0];
        assert!(invalid.starts_with(
            "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference\
             .matchExpressions[0].values[0]: - is invalid, "
        ));
        assert_eq!(
            warnings[1..],
            [
                "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
                "spec.volumes[0].storageOS: deprecated in v1.22, non-functional in v1.25+",
                "spec.volumes[1].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
                "spec.hostAliases[1].ip: duplicate ip \"10.0.0.1\"",
                "spec.imagePullSecrets[0].name: invalid empty name \"\"",
                "spec.overhead[memory]: fractional byte value \"1500m\" is invalid, must be an integer"
            ]
        );
    }

    #[test]
    fn profiles_in_annotations_are_named_in_templates() {
        let annotations = json!({
            "container.apparmor.security.beta.kubernetes.io/a": "unconfined",
            "container.seccomp.security.alpha.kubernetes.io/a": "unconfined"
        });
        let template = |context: Value| {
            let spec = json!({"containers": [{"name": "a"}], "securityContext": context});
            let template = json!({"metadata": {"annotations": annotations}, "spec": spec});
            on_create(json!({"apiVersion": "v1", "kind": "PodTemplate", "template": template}))
        };
        let seccomp = "template.metadata.annotations[container.seccomp.security.alpha.kubernetes.io/a]: non-functional in \
                       v1.27+; use the \"seccompProfile\" field instead";
        let app_armor = "template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/a]: deprecated since \
                         v1.30; use the \"appArmorProfile\" field instead";
        assert_eq!(template(json!({})), [seccomp, app_armor]);
        assert_eq!(template(json!({"appArmorProfile": {"type": "Unconfined"}})), [seccomp]);
    }
}
