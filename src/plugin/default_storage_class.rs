//! Sets the default storage class on a new claim that names none, so that a claim gets a volume without knowing the
//! names of the cluster's storage classes. A claim with `storageClassName: ""` has none on purpose and keeps that.
//!
//! # When it rejects
//!
//! Never since 1.26, where the newest of several default classes counts; until 1.25 several of them were an error.
//! Without a default class the claim is not changed.
//!
//! # Cluster objects it reads
//!
//! Storage classes with the annotation `storageclass.kubernetes.io/is-default-class: "true"` (or its old spelling
//! `storageclass.beta.kubernetes.io/is-default-class`). Of several the newest counts, then the first by name.
//!
//! # Offline
//!
//! `metadata.creationTimestamp` decides which class is the newest; a class without one counts as just created.
//!
//! # Since
//!
//! Before 1.10, on by default. Until 1.25 several default classes were an error.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/storage/storageclass/setdefault`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::cluster::{Cluster, Derived};
use crate::plugin::PluginInitializer;
use kube_api::version::Version;
use kube_api::{GroupResource, Object};
use kube_registry::default_class::{count_default_classes, default_class};
use kube_registry::persistent_volume_claim::storage_class_name;

static RESOURCES: [GroupResource; 1] = [GroupResource::new("storage.k8s.io", "storageclasses")];
const ANNOTATIONS: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::mutating(DefaultStorageClass {
        cluster: initializer.cluster.clone(),
        default_class: Derived::of(&RESOURCES),
        refuses_several: initializer.profile.release() < Version::minor(26),
    })
}

struct DefaultStorageClass {
    cluster: Arc<Cluster>,
    /// The class that counts, and the number of default classes.
    default_class: Derived<(Option<Arc<Object>>, usize)>,
    refuses_several: bool,
}

impl MutationInterface for DefaultStorageClass {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "persistentvolumeclaims")
            || attributes.object.as_deref().is_some_and(|claim| storage_class_name(claim).is_some())
        {
            return Ok(());
        }
        let found = self.default_class.get(&self.cluster, || {
            let classes = self.cluster.list_all(&RESOURCES[0]);
            (default_class(&classes, &ANNOTATIONS), count_default_classes(&classes, &ANNOTATIONS))
        });
        let (class, count) = &*found;
        if self.refuses_several && *count > 1 {
            let error = format!("Internal error occurred: {count} default StorageClasses were found");
            return Err(attributes.new_forbidden(error));
        }
        if let Some(class) = class
            && let Some(claim) = attributes.object_mut()
        {
            claim.set(["spec", "storageClassName"], class.name());
            recorder.add_source(&RESOURCES[0], "", class.name());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, update, with_spec};
    use gotext::value::json;
    use kube_api::Value;

    fn class(name: &str, annotations: &Value) -> Value {
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": {"name": name, "annotations": annotations},
        })
    }

    fn bench() -> Bench {
        Bench::new(
            "DefaultStorageClass",
            [
                class("fast", &json!({"storageclass.kubernetes.io/is-default-class": "yes"})),
                class(
                    "slow",
                    &json!({
                        "storageclass.kubernetes.io/is-default-class": "false",
                        "storageclass.beta.kubernetes.io/is-default-class": "true",
                    }),
                ),
            ],
        )
    }

    fn claim(spec: Value) -> Value {
        with_spec("v1", "PersistentVolumeClaim", spec)
    }

    #[test]
    fn rejects_several_default_classes_until_1_25() {
        let marked = json!({"storageclass.kubernetes.io/is-default-class": "true"});
        let admit = |minor| {
            let classes = [class("a", &marked), class("b", &marked)];
            let bench = Bench::of_release("DefaultStorageClass", Version::minor(minor), classes);
            bench.admit(&mut create(claim(json!({})))).map_err(|refusal| refusal.status.message)
        };
        let refused = admit(25).unwrap_err();
        assert!(
            refused.ends_with(" is forbidden: Internal error occurred: 2 default StorageClasses were found"),
            "{refused}"
        );
        assert_eq!(admit(26), Ok(()));
    }

    #[test]
    fn admits_claims_without_a_class_with_the_default_one() {
        assert_eq!(
            bench().admitted(create(claim(json!({"volumeName": "pv-1"})))),
            claim(json!({"volumeName": "pv-1", "storageClassName": "slow"}))
        );
    }

    #[test]
    fn admits_claims_as_the_cluster_changes() {
        let bench = bench();
        bench.admitted(create(claim(json!({}))));
        bench.cluster.remove(&RESOURCES[0], "", "slow");
        assert!(bench.leaves_alone(create(claim(json!({})))));
    }

    #[test]
    fn ignores_claims_with_a_class_and_updates() {
        assert!(bench().leaves_alone(create(claim(json!({"storageClassName": ""})))));
        let mut annotated = claim(json!({}));
        annotated["metadata"]["annotations"] = json!({"volume.beta.kubernetes.io/storage-class": ""});
        assert!(bench().leaves_alone(create(annotated)));
        assert!(bench().leaves_alone(update(claim(json!({})), claim(json!({})))));
    }
}
