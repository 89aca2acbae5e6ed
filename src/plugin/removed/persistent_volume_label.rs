//! Adds to persistent volumes of cloud providers the labels of their zone and region, and the node affinity that
//! follows, so that pods run where their volume can be mounted. Cloud controller managers replaced it.
//!
//! # When it rejects
//!
//! - The cloud provider cannot be reached, or does not know the volume.
//! - The zones of a volume, separated by `__`, include an empty one.
//!
//! # Cluster objects it reads
//!
//! None.
//!
//! # Offline
//!
//! There is no cloud provider. A fixture supplies its answers: `kind: CloudVolumeLabels` of `kadmit.dev/v1alpha1` with
//! `volumes: {VOLUME: {LABEL: VALUE}}`, or `{VOLUME: {error: TEXT}}` for one that fails; `VOLUME` is the volume ID,
//! disk name or path in the volume. Without such a fixture the volume is refused, as by a server without a cloud
//! provider.
//!
//! # Since
//!
//! Before 1.10, until 1.30; on by default until 1.10. It handles Cinder since 1.14 and vSphere since 1.17; Azure and
//! vSphere are gone in 1.30. In Origin 1.4, and without the gate `VolumeScheduling` of Kubernetes 1.10 to 1.13, it adds
//! labels and no node affinity.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/storage/persistentvolume/label`

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Operation, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use gotext::value::json;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::resources::CLOUD_VOLUME_LABELS;
use kube_api::version::Version;
use kube_api::{Object, Value, pairs};

const ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
const REGION: &str = "failure-domain.beta.kubernetes.io/region";
const STABLE_ZONE: &str = "topology.kubernetes.io/zone";
const STABLE_REGION: &str = "topology.kubernetes.io/region";
const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
/// The name of a volume that is still being provisioned.
const PLACEHOLDER: &str = "placeholder-for-provisioning";
const ZONE_DELIMITER: &str = "__";

/// The first release that trusts the labels of provisioned volumes, and that takes the first of several sources.
const TRUSTS_PROVISIONERS: Version = Version::minor(14);
/// The first release that knows the stable labels of zone and region.
const STABLE_LABELS: Version = Version::minor(21);

/// A kind of volume that a cloud provider has.
struct Source {
    /// The field of the volume, and the field in it that names the volume.
    field: &'static str,
    name: &'static str,
    /// Its name in messages, and the message without such a provider.
    called: &'static str,
    unable: &'static str,
    has_placeholder: bool,
    since: Version,
    until: Option<Version>,
}

const SOURCES: [Source; 5] = [
    Source {
        field: "awsElasticBlockStore",
        name: "volumeID",
        called: "AWS EBS volume",
        unable: "unable to build AWS cloud provider for EBS",
        has_placeholder: true,
        since: Version::OLDEST,
        until: None,
    },
    Source {
        field: "gcePersistentDisk",
        name: "pdName",
        called: "GCE PD volume",
        unable: "unable to build GCE cloud provider for PD",
        has_placeholder: true,
        since: Version::OLDEST,
        until: None,
    },
    Source {
        field: "azureDisk",
        name: "diskName",
        called: "AzureDisk volume",
        unable: "unable to build Azure cloud provider for AzureDisk",
        has_placeholder: true,
        since: Version::minor(12),
        until: Some(Version::minor(29)),
    },
    Source {
        field: "cinder",
        name: "volumeID",
        called: "Cinder volume",
        unable: "unable to build OpenStack cloud provider for Cinder disk",
        has_placeholder: true,
        since: Version::minor(14),
        until: None,
    },
    Source {
        field: "vsphereVolume",
        name: "volumePath",
        called: "vSphere Volume",
        unable: "unable to build vSphere cloud provider",
        has_placeholder: false,
        since: Version::minor(17),
        until: Some(Version::minor(29)),
    },
];

pub(in crate::plugin) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::mutating(PersistentVolumeLabel {
        cluster: initializer.cluster.clone(),
        release: initializer.profile.release(),
        requires_nodes: !initializer.additions().has_volumes_without_nodes
            && !initializer.profile.is_switched_off(Feature::VolumeScheduling, 14),
    })
}

struct PersistentVolumeLabel {
    cluster: Arc<Cluster>,
    release: Version,
    /// Whether volumes have a node affinity, which Kubernetes 1.4 did not have, and none has without `VolumeScheduling`.
    requires_nodes: bool,
}

impl MutationInterface for PersistentVolumeLabel {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if attributes.operation != Operation::Create || !attributes.resource.is("", "persistentvolumes") {
            return Ok(());
        }
        let Some(volume) = attributes.object.clone() else { return Ok(()) };
        let labels =
            self.labels(&volume).map_err(|(path, error)| attributes.new_forbidden(error).at(path))?;
        if labels.is_empty() {
            return Ok(());
        }
        let mut labelled = Object::clone(&volume);
        let mut requirements = Vec::new();
        for (key, value) in &labels {
            labelled.set(["metadata", "labels", key], value.as_str());
            let values = match key.as_str() {
                key if self.requires_nodes && self.is_zone(key) => {
                    let Some(zones) = zones(value) else {
                        // Labels set so far stay set in the object that is refused.
                        attributes.object = Some(Arc::new(labelled));
                        let error = format!("failed to convert label string for Zone: {value} to a Set");
                        let path = Path::new("metadata.labels").key(key.to_owned());
                        return Err(attributes.new_forbidden(error).at(path));
                    };
                    zones
                }
                _ => vec![value.clone()],
            };
            requirements.push(json!({"key": key, "operator": "In", "values": values}));
        }
        if self.requires_nodes {
            require(&mut labelled, &labels, &requirements);
        }
        attributes.object = Some(Arc::new(labelled));
        Ok(())
    }
}

impl PersistentVolumeLabel {
    /// Returns the labels of the volume by key; or the faulty field, and the reason.
    fn labels(&self, volume: &Object) -> Result<Vec<(String, String)>, (Path, String)> {
        if self.release >= TRUSTS_PROVISIONERS
            && volume.annotation(PROVISIONED_BY).is_some()
            && let Some(labels) = self.provisioned(volume)
        {
            return Ok(labels);
        }
        let given = SOURCES.iter().filter(|source| {
            source.since <= self.release
                && source.until.is_none_or(|until| self.release <= until)
                && volume.has(["spec", source.field])
        });
        // Before, each source was asked, and the last one counted.
        let counted = if self.release >= TRUSTS_PROVISIONERS { 1 } else { SOURCES.len() };
        given.take(counted).try_fold(Vec::new(), |_, source| self.labels_of(volume, source))
    }

    fn labels_of(&self, volume: &Object, source: &Source) -> Result<Vec<(String, String)>, (Path, String)> {
        let name = volume.text(["spec", source.field, source.name]);
        if source.has_placeholder && name == PLACEHOLDER {
            return Ok(Vec::new());
        }
        self.ask(name).map_err(|error| {
            let error = error.as_deref().unwrap_or(source.unable);
            let path = Path::new("spec").child(source.field).child(source.name);
            (path, format!("error querying {} {name}: {error}", source.called))
        })
    }

    fn is_zone(&self, key: &str) -> bool {
        key == ZONE || key == STABLE_ZONE && self.release >= STABLE_LABELS
    }

    /// Returns the region and the zone that the volume has as labels, if it has both: the stable ones first.
    fn provisioned(&self, volume: &Object) -> Option<Vec<(String, String)>> {
        let both = |keys: [&str; 2]| {
            keys.into_iter().map(|key| Some((key.to_owned(), volume.label(key)?.to_owned()))).collect()
        };
        let stable = (self.release >= STABLE_LABELS).then_some([STABLE_REGION, STABLE_ZONE]);
        stable.and_then(both).or_else(|| both([REGION, ZONE]))
    }

    /// Returns the cloud provider's labels of a volume; the error is empty if there is no provider.
    fn ask(&self, name: &str) -> Result<Vec<(String, String)>, Option<String>> {
        let fixtures = self.cluster.list_all(&CLOUD_VOLUME_LABELS);
        if fixtures.is_empty() {
            return Err(None);
        }
        let Some(answer) = fixtures.iter().find_map(|fixture| fixture.at(["volumes", name]).cloned()) else {
            return Ok(Vec::new());
        };
        if let Some(error) = answer.at("error").and_then(Value::as_str) {
            return Err(Some(error.to_owned()));
        }
        Ok(pairs(Some(&answer)).map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
    }
}

/// Returns the zones of a label; nothing if one of them is empty.
///
/// Source: `volumehelpers.LabelZonesToSet`.
fn zones(label: &str) -> Option<Vec<String>> {
    let zones: BTreeSet<&str> = label.split(ZONE_DELIMITER).map(str::trim).collect();
    (!zones.contains("")).then(|| zones.into_iter().map(str::to_owned).collect())
}

/// Adds the requirements to every term of the node affinity, unless one of them has one of the keys already.
fn require(volume: &mut Object, labels: &[(String, String)], requirements: &[Value]) {
    const TERMS: [&str; 4] = ["spec", "nodeAffinity", "required", "nodeSelectorTerms"];
    if volume.list(TERMS).is_empty() {
        volume.set(TERMS, vec![json!({})]);
    }
    let expressions =
        |term: &Value| term.at("matchExpressions").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_known = volume.list(TERMS).iter().flat_map(expressions).any(|expression| {
        let key = expression.at("key").and_then(Value::as_str).map(str::to_owned);
        labels.iter().any(|(known, _)| key.as_deref() == Some(known))
    });
    if is_known {
        return;
    }
    for term in volume.at_mut(TERMS).and_then(Value::as_array_mut).into_iter().flatten() {
        let mut all = expressions(term);
        for requirement in requirements {
            all.push(requirement.clone());
        }
        term["matchExpressions"] = Value::from(all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{create, initializer, profile_of, with_spec};
    use kube_api::GroupVersionKind;

    fn labelled(release: u32, answer: Option<Value>, spec: Value) -> Result<Value, String> {
        let initializer =
            PluginInitializer { profile: profile_of(Version::minor(release)), ..initializer([]) };
        if let Some(volumes) = answer {
            let kind = GroupVersionKind::new("kadmit.dev", "v1alpha1", "CloudVolumeLabels");
            let fixture = Object::new(kind, json!({"metadata": {"name": "a"}, "volumes": volumes}));
            initializer.cluster.put(&CLOUD_VOLUME_LABELS, Arc::new(fixture));
        }
        let mut request = create(with_spec("v1", "PersistentVolume", spec));
        let plugin = new(&initializer);
        plugin
            .admit(&mut request, &mut Recorder::silent())
            .map_err(|refusal| refusal.status.message.clone())?;
        Ok(request.object.unwrap().value.clone())
    }

    #[test]
    fn admits_with_the_labels_of_the_cloud() {
        let answer = json!({"vol-1": {ZONE: "b__a"}});
        let volume =
            labelled(20, Some(answer), json!({"awsElasticBlockStore": {"volumeID": "vol-1"}})).unwrap();
        assert_eq!(volume["metadata"]["labels"], json!({ZONE: "b__a"}));
        let expression = json!({"key": ZONE, "operator": "In", "values": ["a", "b"]});
        assert_eq!(
            volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"],
            json!([{"matchExpressions": [expression]}])
        );
    }

    #[test]
    fn admits_with_stable_labels_since_1_21() {
        let answer = || Some(json!({"vol-1": {STABLE_ZONE: "b__a"}}));
        let values = |release| {
            let spec = json!({"awsElasticBlockStore": {"volumeID": "vol-1"}});
            let volume = labelled(release, answer(), spec).unwrap();
            let terms = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"].clone();
            terms[0]["matchExpressions"][0]["values"].clone()
        };
        assert_eq!(values(20), json!(["b__a"]));
        assert_eq!(values(21), json!(["a", "b"]));

        let mut volume = with_spec("v1", "PersistentVolume", json!({"cinder": {"volumeID": "c"}}));
        volume["metadata"]["annotations"] = json!({PROVISIONED_BY: "a"});
        volume["metadata"]["labels"] = json!({STABLE_ZONE: "a", STABLE_REGION: "b"});
        let admitted = |release| {
            let initializer =
                PluginInitializer { profile: profile_of(Version::minor(release)), ..initializer([]) };
            let plugin = new(&initializer);
            let mut request = create(volume.clone());
            plugin
                .admit(&mut request, &mut Recorder::silent())
                .map_err(|refusal| refusal.status.message.clone())
        };
        assert_eq!(admitted(21), Ok(()));
        assert_eq!(
            admitted(20).unwrap_err(),
            "persistentvolumes \"web\" is forbidden: error querying Cinder volume c: unable to build OpenStack cloud \
             provider for Cinder disk"
        );
    }

    #[test]
    fn rejects_where_the_cloud_cannot_be_asked() {
        let spec = || json!({"cinder": {"volumeID": "c"}});
        let message = "persistentvolumes \"web\" is forbidden: error querying Cinder volume c: ";
        let unable = "unable to build OpenStack cloud provider for Cinder disk";
        assert_eq!(labelled(20, None, spec()), Err(format!("{message}{unable}")));
        let answer = json!({"c": {"error": "no such volume"}});
        assert_eq!(labelled(20, Some(answer), spec()), Err(format!("{message}no such volume")));
    }

    #[test]
    fn admits_with_the_labels_of_the_last_of_several_sources_before_1_14() {
        let answer = || Some(json!({"vol-1": {ZONE: "b__a__b"}, "disk": {REGION: "r"}}));
        let spec = || {
            json!({
                "awsElasticBlockStore": {"volumeID": "vol-1"},
                "gcePersistentDisk": {"pdName": "disk"},
            })
        };
        let labels = |release| labelled(release, answer(), spec()).unwrap()["metadata"]["labels"].clone();
        assert_eq!(labels(13), json!({REGION: "r"}));
        assert_eq!(labels(14), json!({ZONE: "b__a__b"}));
        let volume = labelled(13, answer(), json!({"awsElasticBlockStore": {"volumeID": "vol-1"}})).unwrap();
        let terms = &volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"];
        assert_eq!(terms[0]["matchExpressions"][0]["values"], json!(["a", "b"]));
    }

    #[test]
    fn ignores_volumes_that_the_release_did_not_know() {
        let spec = || json!({"cinder": {"volumeID": "c"}});
        assert_eq!(labelled(13, None, spec()).unwrap()["spec"], spec());
    }
}
