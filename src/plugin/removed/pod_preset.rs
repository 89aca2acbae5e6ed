//! Adds environment variables, volumes and volume mounts to pods that a `PodPreset` of their namespace selects, so that
//! their authors need not know the needs of a service. Mutating webhooks replaced it.
//!
//! If the presets' additions contradict the pod or each other, the pod is not changed.
//!
//! # When it rejects
//!
//! When the selector of a preset is malformed, which validation of the preset prevents.
//!
//! # Cluster objects it reads
//!
//! `podpresets.settings.k8s.io` of the pod's namespace.
//!
//! # Offline
//!
//! The annotation that names the preset has the resource version of the preset, if its fixture has one. Presets are
//! applied in the order of their names, on the server in any order.
//!
//! # Since
//!
//! Before 1.10, until 1.19; off unless enabled. Needs `--runtime-config=settings.k8s.io/v1alpha1=true`. Init
//! containers count since 1.14; sources of variables are merged since 1.15.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/podpreset`

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Operation, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use kube_api::labels::Selector;
use kube_api::resources::POD_PRESETS;
use kube_api::version::Version;
use kube_api::{Map, Object, Status, Value};

const PREFIX: &str = "podpreset.admission.kubernetes.io/podpreset-";
const EXCLUDE: &str = "podpreset.admission.kubernetes.io/exclude";
const MIRROR: &str = "kubernetes.io/config.mirror";

/// The first release that also changes init containers.
const INIT_CONTAINERS: Version = Version::minor(14);
/// The first release that merges the sources of variables.
const MERGES_SOURCES: Version = Version::minor(15);

pub(in crate::plugin) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::mutating(PodPreset {
        cluster: initializer.cluster.clone(),
        release: initializer.profile.release(),
    })
}

struct PodPreset {
    cluster: Arc<Cluster>,
    release: Version,
}

/// The conflict of a preset: a variable, a mount or a volume by its name.
struct Conflict {
    preset: String,
    what: &'static str,
    name: String,
}

impl MutationInterface for PodPreset {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if attributes.operation != Operation::Create || !attributes.is_for("", "pods") {
            return Ok(());
        }
        let Some(pod) = attributes.object.clone() else { return Ok(()) };
        if pod.annotation(MIRROR).is_some() || pod.annotation(EXCLUDE) == Some("true") {
            return Ok(());
        }
        let presets = self.selecting(&pod, &attributes.namespace)?;
        if presets.is_empty() {
            return Ok(());
        }
        match self.apply(&pod, &presets) {
            Ok(pod) => attributes.object = Some(Arc::new(pod)),
            Err(conflict) => recorder.add_note(format!(
                "no pod preset was applied: the {} \"{}\" of the preset \"{}\" is in conflict",
                conflict.what, conflict.name, conflict.preset
            )),
        }
        Ok(())
    }
}

impl PodPreset {
    /// Returns the presets of the namespace that select the pod.
    fn selecting(&self, pod: &Object, namespace: &str) -> Result<Vec<Arc<Object>>, Refusal> {
        let mut selecting = Vec::new();
        for preset in self.cluster.list(&POD_PRESETS, namespace) {
            let written = preset.at(["spec", "selector"]).cloned().unwrap_or_else(|| Map::new().into());
            let selector = Selector::from_label_selector(&written).map_err(|error| {
                let message = format!(
                    "filtering pod presets failed: label selector conversion failed: {error} for selector: {written}"
                );
                Status::new_internal_error(&message)
            })?;
            if selector.matches_labels(pod.at(["metadata", "labels"])) {
                selecting.push(preset);
            }
        }
        Ok(selecting)
    }

    fn apply(&self, pod: &Object, presets: &[Arc<Object>]) -> Result<Object, Conflict> {
        let mut changed = Object::clone(pod);
        let volumes = merge(pod.list(["spec", "volumes"]), presets, ("volumes", "volume"), &["name"])?;
        set(&mut changed.value["spec"], "volumes", volumes);
        let lists: &[&'static str] = match self.release {
            release if release >= INIT_CONTAINERS => &["containers", "initContainers"],
            _ => &["containers"],
        };
        for list in lists {
            for (index, container) in pod.list(["spec", list]).iter().enumerate() {
                let own = |field: &str| container.at(field).and_then(Value::as_array);
                let own = |field: &str| own(field).map(Vec::as_slice).unwrap_or_default();
                let env = merge(own("env"), presets, ("env", "variable"), &["name"])?;
                let keys = ["name", "mountPath"];
                let mounts = merge(own("volumeMounts"), presets, ("volumeMounts", "volume mount"), &keys)?;
                let sources = self.merge_sources(own("envFrom"), presets);
                let Some(container) = changed.at_mut(["spec", list]).and_then(|list| list.get_mut(index))
                else {
                    continue;
                };
                set(container, "env", env);
                set(container, "volumeMounts", mounts);
                set(container, "envFrom", sources);
            }
        }
        for preset in presets {
            let annotation = format!("{PREFIX}{}", preset.name());
            let version = preset.text(["metadata", "resourceVersion"]);
            changed.set(["metadata", "annotations", &annotation], version);
        }
        Ok(changed)
    }

    /// Source: `mergeEnvFrom`.
    fn merge_sources(&self, own: &[Value], presets: &[Arc<Object>]) -> Vec<Value> {
        let mut merged = own.to_vec();
        let added = presets.iter().flat_map(|preset| preset.list(["spec", "envFrom"]));
        if self.release < MERGES_SOURCES {
            merged.extend(added.cloned());
            return merged;
        }
        for source in added {
            match own.iter().rfind(|own| source_key(own) == source_key(source)) {
                None => merged.push(source.clone()),
                Some(own) if own == source => {}
                // The merge fails, which is not noticed.
                Some(_) => return Vec::new(),
            }
        }
        merged
    }
}

/// Returns the key of a source of variables: its prefix and the names in it.
fn source_key(source: &Value) -> [&str; 3] {
    [&["prefix"][..], &["configMapRef", "name"], &["secretRef", "name"]].map(|fields| source.text(fields))
}

/// Returns `own` with the items of the presets' `field` that it lacks by the first of `keys`. Items that agree in any
/// of the keys must be equal.
///
/// Source: `mergeEnv`, `mergeVolumeMounts`, `mergeVolumes`.
fn merge(
    own: &[Value],
    presets: &[Arc<Object>],
    (field, what): (&str, &'static str),
    keys: &[&'static str],
) -> Result<Vec<Value>, Conflict> {
    let mut merged = own.to_vec();
    let mut known = BTreeMap::new();
    for item in own {
        known.extend(keys.iter().map(|key| ((*key, item.text(key)), item)));
    }
    for preset in presets {
        for item in preset.list(["spec", field]) {
            for key in keys {
                let value = item.text(key);
                match known.get(&(*key, value)) {
                    Some(found) if *found == item => {}
                    Some(_) => {
                        let preset = preset.name().to_owned();
                        return Err(Conflict { preset, what, name: value.to_owned() });
                    }
                    None => {
                        known.insert((*key, value), item);
                        if keys.first() == Some(key) {
                            merged.push(item.clone());
                        }
                    }
                }
            }
        }
    }
    Ok(merged)
}

/// Writes a list that is not empty, or empties one that was given.
fn set(parent: &mut Value, field: &'static str, list: Vec<Value>) {
    let Some(map) = parent.as_object_mut() else { return };
    if list.is_empty() {
        map.remove(field);
    } else if map.get(field).and_then(Value::as_array).map(Vec::as_slice) != Some(list.as_slice()) {
        map.insert(field, Value::from(list));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, pod};
    use gotext::value::json;

    fn preset(name: &str, spec: &Value) -> Value {
        let mut preset = json!({
            "apiVersion": "settings.k8s.io/v1alpha1",
            "kind": "PodPreset",
            "metadata": {"name": name, "namespace": "shop", "resourceVersion": "7"},
            "spec": {"selector": {}},
        });
        for (field, value) in spec.as_object().into_iter().flatten() {
            preset["spec"][field.as_str()] = value.clone();
        }
        preset
    }

    fn bench(release: u32, presets: impl IntoIterator<Item = Value>) -> Bench {
        Bench::of_release("PodPreset", Version::minor(release), presets)
    }

    #[test]
    fn admits_with_what_the_presets_add() {
        let spec =
            json!({"env": [{"name": "A", "value": "1"}], "envFrom": [{"configMapRef": {"name": "m"}}]});
        let containers = json!([{"name": "a", "env": [{"name": "B", "value": "2"}]}]);
        let admitted =
            bench(15, [preset("p", &spec)]).admitted(create(pod(json!({"containers": containers}))));
        assert_eq!(
            admitted["spec"]["containers"][0],
            json!({
                "name": "a",
                "env": [{"name": "B", "value": "2"}, {"name": "A", "value": "1"}],
                "envFrom": [{"configMapRef": {"name": "m"}}],
            })
        );
        assert_eq!(admitted["metadata"]["annotations"], json!({format!("{PREFIX}p"): "7"}));
    }

    #[test]
    fn ignores_pods_that_the_presets_contradict() {
        let presets = [
            preset("p", &json!({"env": [{"name": "A", "value": "1"}]})),
            preset("q", &json!({"env": [{"name": "A", "value": "2"}]})),
        ];
        assert!(bench(13, presets).leaves_alone(create(pod(json!({"containers": [{"name": "a"}]})))));
    }

    #[test]
    fn sources_that_differ_are_all_lost_since_they_are_merged() {
        let own = json!({"configMapRef": {"name": "m"}});
        let other = json!({"configMapRef": {"name": "m", "optional": true}});
        let plugin = |release| PodPreset { cluster: Arc::default(), release: Version::minor(release) };
        let preset = crate::plugin::testing::object(preset("p", &json!({"envFrom": [other]})));
        let presets = [Arc::new(preset)];
        assert_eq!(plugin(14).merge_sources(std::slice::from_ref(&own), &presets), [own.clone(), other]);
        assert!(plugin(15).merge_sources(&[own], &presets).is_empty());
    }
}
