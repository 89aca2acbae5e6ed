//! Sets the default class on a new Ingress that names none, so that a controller serves it. Without a class an Ingress
//! may be served by every controller of the cluster, or by none.
//!
//! # When it rejects
//!
//! Never since 1.25, where the newest of several default classes counts; until 1.24 several of them were an error.
//! Without a default class the Ingress is not changed.
//!
//! # Cluster objects it reads
//!
//! Ingress classes with the annotation `ingressclass.kubernetes.io/is-default-class: "true"`. Of several the newest
//! counts, then the first by name.
//!
//! # Offline
//!
//! `metadata.creationTimestamp` decides which class is the newest; a class without one counts as just created.
//!
//! # Since
//!
//! 1.18, on by default. Until 1.24 several default classes were an error.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/network/defaultingressclass`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::cluster::{Cluster, Derived};
use crate::plugin::PluginInitializer;
use kube_api::version::Version;
use kube_api::{GroupResource, Object};
use kube_registry::default_class::{count_default_classes, default_class};

static RESOURCES: [GroupResource; 1] = [GroupResource::new("networking.k8s.io", "ingressclasses")];
const ANNOTATION: &str = "ingressclass.kubernetes.io/is-default-class";

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::mutating(DefaultIngressClass {
        cluster: initializer.cluster.clone(),
        default_class: Derived::of(&RESOURCES),
        refuses_several: initializer.profile.release() < Version::minor(25),
    })
}

struct DefaultIngressClass {
    cluster: Arc<Cluster>,
    /// The class that counts, and the number of default classes.
    default_class: Derived<(Option<Arc<Object>>, usize)>,
    refuses_several: bool,
}

impl MutationInterface for DefaultIngressClass {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("networking.k8s.io", "ingresses")
            || attributes.object.as_deref().is_some_and(names_class)
        {
            return Ok(());
        }
        let found = self.default_class.get(&self.cluster, || {
            let classes = self.cluster.list_all(&RESOURCES[0]);
            (default_class(&classes, &[ANNOTATION]), count_default_classes(&classes, &[ANNOTATION]))
        });
        let (class, count) = &*found;
        if self.refuses_several && *count > 1 {
            let error = format!("Internal error occurred: {count} default IngressClasses were found");
            return Err(attributes.new_forbidden(error));
        }
        if let Some(class) = class
            && let Some(ingress) = attributes.object_mut()
        {
            ingress.set(["spec", "ingressClassName"], class.name());
            recorder.add_source(&RESOURCES[0], "", class.name());
        }
        Ok(())
    }
}

/// Whether the Ingress names a class: an empty name is a name, and the old annotation counts too.
fn names_class(ingress: &Object) -> bool {
    ingress.has(["spec", "ingressClassName"]) || ingress.annotation("kubernetes.io/ingress.class").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, update, with_spec};
    use gotext::value::json;
    use kube_api::Value;

    fn bench() -> Bench {
        let class = |name, annotation: &str| {
            json!({
                "apiVersion": "networking.k8s.io/v1", "kind": "IngressClass",
                "metadata": {"name": name, "annotations": {annotation: "true"}},
            })
        };
        Bench::new(
            "DefaultIngressClass",
            [
                class("edge", "ingressclass.kubernetes.io/is-default-class"),
                class("beta", "ingressclass.beta.kubernetes.io/is-default-class"),
            ],
        )
    }

    fn ingress(spec: Value) -> Value {
        with_spec("networking.k8s.io/v1", "Ingress", spec)
    }

    #[test]
    fn admits_ingresses_without_a_class_with_the_default_one() {
        assert_eq!(
            bench().admitted(create(ingress(json!({})))),
            ingress(json!({"ingressClassName": "edge"}))
        );
    }

    #[test]
    fn ignores_ingresses_with_a_class_and_updates() {
        assert!(bench().leaves_alone(create(ingress(json!({"ingressClassName": ""})))));
        let mut annotated = ingress(json!({}));
        annotated["metadata"]["annotations"] = json!({"kubernetes.io/ingress.class": ""});
        assert!(bench().leaves_alone(create(annotated)));
        assert!(bench().leaves_alone(update(ingress(json!({})), ingress(json!({})))));
    }

    #[test]
    fn rejects_several_default_classes_until_1_24() {
        fn class(name: &&str) -> Value {
            json!({
                "apiVersion": "networking.k8s.io/v1", "kind": "IngressClass",
                "metadata": {"name": name, "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}},
            })
        }
        let admit = |minor, classes: &[&str]| {
            let classes = classes.iter().map(class);
            let bench = Bench::of_release("DefaultIngressClass", Version::minor(minor), classes);
            bench.admit(&mut create(ingress(json!({})))).map_err(|refusal| refusal.status.message)
        };
        let refused = admit(24, &["a", "b"]).unwrap_err();
        assert!(
            refused.ends_with(" is forbidden: Internal error occurred: 2 default IngressClasses were found"),
            "{refused}"
        );
        assert_eq!(admit(24, &["a"]), Ok(()));
        assert_eq!(admit(25, &["a", "b"]), Ok(()));
    }

    #[test]
    fn ignores_ingresses_where_no_class_is_the_default() {
        assert!(Bench::new("DefaultIngressClass", []).leaves_alone(create(ingress(json!({})))));
    }
}
