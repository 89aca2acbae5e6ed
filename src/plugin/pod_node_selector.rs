//! Adds the node selector of their namespace to pods, so that each team's pods run on its own nodes, and refuses pods
//! that select other nodes. A namespace has its selector in the annotation
//! `scheduler.alpha.kubernetes.io/node-selector`; for the others there is a default in the configuration, which also
//! restricts the labels that the pods of a namespace may select at all.
//!
//! # When it rejects
//!
//! - A pod selects another value of a label than its namespace does.
//! - A pod, including the added selector, selects a label that the configuration does not list for its namespace.
//! - The annotation, the default or the list is not a list of `key=value`: every pod of the namespace is refused.
//!
//! # Configuration
//!
//! ```yaml
//! podNodeSelectorPluginConfig:
//!   clusterDefaultNodeSelector: env=shared     # for namespaces without the annotation
//!   payments: env=pci,region=eu-west-1         # all that pods of the namespace payments may select
//! ```
//!
//! It has no version. What the plugin cannot parse is ignored silently.
//!
//! # Cluster objects it reads
//!
//! The Namespace of the request.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! 1.5, off by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/podnodeselector`

use std::collections::BTreeMap;
use std::sync::Arc;

use gotext::value::json;

use crate::admission::{
    Attributes, Evidence, Handler, MutationInterface, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::Cluster;
use gotext::names;
use gotext::quote;
use kube_api::field::Path;
use kube_api::resources::NAMESPACES;
use kube_api::{Object, Status, Value, pairs};

use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use gotext::source::{Data, Node, SourceFile, Span};

const ANNOTATION: &str = "scheduler.alpha.kubernetes.io/node-selector";
/// The key of the configuration that is not a namespace; its upper case letters are invalid in one.
const CLUSTER_DEFAULT: &str = "clusterDefaultNodeSelector";

#[expect(clippy::unnecessary_wraps, reason = "every factory has this signature")]
pub(super) fn new(
    initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let selectors = configuration.map(|configuration| parse(&configuration.text)).unwrap_or_default();
    let place = |namespace: &String| {
        let place = configuration?.place(&[FIELD, namespace])?;
        Some((namespace.clone(), place))
    };
    let places = selectors.keys().filter_map(place).collect();
    Ok(Handler::both(PodNodeSelector { cluster: initializer.cluster.clone(), selectors, places }))
}

#[expect(clippy::unnecessary_wraps, reason = "every plugin has this signature")]
pub(super) fn effective(
    _initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Value, FactoryError> {
    let selectors = configuration.map(|configuration| parse(&configuration.text)).unwrap_or_default();
    Ok(json!({"podNodeSelectorPluginConfig": selectors}))
}

/// The only field of the configuration.
const FIELD: &str = "podNodeSelectorPluginConfig";

struct PodNodeSelector {
    cluster: Arc<Cluster>,
    /// Selectors as written: the default, and the allowed ones of each namespace.
    selectors: BTreeMap<String, String>,
    /// The file and line of each of them, where it is known.
    places: BTreeMap<String, String>,
}

type Labels = BTreeMap<String, String>;

impl MutationInterface for PodNodeSelector {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") {
            return Ok(());
        }
        let missing = self.missing_labels(attributes, recorder)?;
        if !missing.is_empty()
            && let Some(pod) = attributes.object_mut()
        {
            for (key, value) in missing {
                pod.set(["spec", "nodeSelector", &key], value);
            }
        }
        self.check_whitelist(attributes)
    }
}

impl ValidationInterface for PodNodeSelector {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") {
            return Ok(());
        }
        self.missing_labels(attributes, recorder)?;
        self.check_whitelist(attributes)
    }
}

impl PodNodeSelector {
    /// Returns the labels that the namespace selects and the pod does not yet; a refusal if they contradict each other.
    fn missing_labels(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<Labels, Refusal> {
        let Some(namespace) = self.cluster.namespace(&attributes.namespace) else {
            let error = format!("namespace {} does not exist", attributes.namespace);
            return Err(Refusal::from(Status::new_internal_error(&error)).at(Path::new("metadata.namespace")));
        };
        let annotation = namespace.annotation(ANNOTATION);
        let selector = annotation.unwrap_or_else(|| self.selector(CLUSTER_DEFAULT));
        let blamed = |refusal: Refusal, says: String| match annotation {
            Some(_) => refusal.because(evidence(&namespace, says)),
            None => refusal,
        };
        let mut wanted = to_labels(selector).map_err(|error| {
            blamed(Refusal::from(Status::from_error(error)), format!("has the node selector \"{selector}\""))
        })?;
        for (key, value) in node_selector(attributes) {
            let Some(other) = wanted.remove(key) else { continue };
            if other != value {
                let error = "pod node label selector conflicts with its namespace node label selector";
                return Err(blamed(refuse(attributes, error, key), format!("selects {key}={other}")));
            }
        }
        if annotation.is_some() {
            recorder.add_source(&NAMESPACES, "", namespace.name());
        }
        Ok(wanted)
    }

    fn check_whitelist(&self, attributes: &Attributes) -> Result<(), Refusal> {
        let whitelist = to_labels(self.selector(&attributes.namespace))
            .map_err(|error| Refusal::from(Status::from_error(error)))?;
        if whitelist.is_empty() {
            return Ok(());
        }
        let unlisted = node_selector(attributes)
            .find(|(key, value)| whitelist.get(*key).is_none_or(|listed| listed != value));
        match unlisted {
            Some((key, _)) => {
                let error = "pod node label selector labels conflict with its namespace whitelist";
                let listed: Vec<String> =
                    whitelist.iter().map(|(key, value)| format!("{key}={value}")).collect();
                let namespace = &attributes.namespace;
                let place = self.places.get(namespace).map(|place| format!(" ({place})")).unwrap_or_default();
                let help = format!(
                    "{FIELD} in the configuration of PodNodeSelector allows {} in {namespace}{place}",
                    listed.join(", ")
                );
                Err(refuse(attributes, error, key).advise(help))
            }
            None => Ok(()),
        }
    }

    fn selector(&self, name: &str) -> &str {
        self.selectors.get(name).map_or("", String::as_str)
    }
}

fn node_selector(attributes: &Attributes) -> impl Iterator<Item = (&str, &str)> {
    pairs(attributes.object.as_deref().and_then(|pod| pod.at(["spec", "nodeSelector"])))
}

/// Returns the refusal. Upstream names the pod as the object does: not at all before its name is generated.
fn refuse(attributes: &Attributes, error: &str, key: &str) -> Refusal {
    let name = attributes.object.as_deref().map_or("", Object::name);
    let status = Status::new_forbidden(&attributes.resource.group_resource(), name, error);
    Refusal::from(status).at(Path::new("spec.nodeSelector").key(key))
}

fn evidence(namespace: &Object, says: String) -> Evidence {
    Evidence::of(NAMESPACES, namespace, says).at(Path::new("metadata.annotations").key(ANNOTATION))
}

/// Returns the labels in `key=value,other=value`. The last value of a repeated key counts.
///
/// Source: `labels.ConvertSelectorToLabelsMap`.
fn to_labels(selector: &str) -> Result<Labels, String> {
    let mut labels = Labels::new();
    if selector.is_empty() {
        return Ok(labels);
    }
    for label in selector.split(',') {
        let parts: Vec<&str> = label.split('=').collect();
        let [key, value] = parts[..] else {
            return Err(format!("invalid selector: [{}]", parts.join(" ")));
        };
        let (key, value) = (key.trim(), value.trim());
        let errors = names::is_qualified_name(key);
        if !errors.is_empty() {
            return Err(format!("<nil>: Invalid value: {}: {}", quote(key), errors.join("; ")));
        }
        let errors = names::is_valid_label_value(value);
        if !errors.is_empty() {
            return Err(format!("[{key}]: Invalid value: {}: {}", quote(value), errors.join("; ")));
        }
        labels.insert(key.to_owned(), value.to_owned());
    }
    Ok(labels)
}

/// Returns what is wrong with the selectors in a configuration, with their places: the server starts with them, and then
/// answers every pod of the namespace with an error.
pub(crate) fn invalid_node_selectors(configuration: &Node) -> Vec<(String, Span)> {
    let Data::Object(fields) = &configuration.data else { return Vec::new() };
    let mut faults = Vec::new();
    for field in fields.iter().filter(|field| field.key.eq_ignore_ascii_case(FIELD)) {
        let Data::Object(entries) = &field.value.data else { continue };
        for entry in entries {
            let Some(Err(error)) = entry.value.as_str().map(to_labels) else { continue };
            let whom = match entry.key.as_str() {
                CLUSTER_DEFAULT => "every pod of a namespace without an annotation".to_owned(),
                namespace => format!("every pod of {namespace}"),
            };
            faults.push((format!("PodNodeSelector will refuse {whom}: {error}"), entry.value.span));
        }
    }
    faults
}

/// Returns the selectors in `text`. A document with an error is skipped for the next one, but what was read of it
/// stays, as in upstream's `readConfig`.
fn parse(text: &str) -> BTreeMap<String, String> {
    let mut selectors = BTreeMap::new();
    let source = SourceFile::new("PodNodeSelector", text);
    for document in kube_yaml::read(&source).flatten() {
        if read_into(&mut selectors, &document.node) {
            break;
        }
    }
    selectors
}

/// Reads the well-formed part of a document; returns whether that is all of it.
fn read_into(selectors: &mut BTreeMap<String, String>, document: &Node) -> bool {
    let Data::Object(fields) = &document.data else { return document.data == Data::Null };
    let mut is_whole = true;
    for field in fields.iter().filter(|field| field.key.eq_ignore_ascii_case(FIELD)) {
        match &field.value.data {
            Data::Object(entries) => {
                for entry in entries {
                    let text = text_of(&entry.value);
                    is_whole &= text.is_some();
                    selectors.insert(entry.key.to_string(), text.unwrap_or_default());
                }
            }
            Data::Null => {}
            _ => is_whole = false,
        }
    }
    is_whole
}

/// Returns a scalar as the text that sigs.k8s.io/yaml converts it to.
fn text_of(value: &Node) -> Option<String> {
    match &value.data {
        Data::Null => Some(String::new()),
        Data::Bool(flag) => Some(flag.to_string()),
        Data::Number(number) => Some(number.to_string()),
        Data::String(text) => Some(text.to_string()),
        Data::Array(_) | Data::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, initializer, pod, update};
    use gotext::value::json;
    use kube_api::Value;

    fn shop(annotations: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "annotations": annotations}})
    }

    fn bench(selector: &str) -> Bench {
        Bench::new("PodNodeSelector", [shop(&json!({ANNOTATION: selector}))])
    }

    fn configured(text: &str) -> Bench {
        let initializer = initializer([shop(&json!({}))]);
        let configuration = PluginConfiguration::from(text.to_owned());
        let handler = new(&initializer, Some(&configuration)).unwrap();
        Bench::of("PodNodeSelector", handler, initializer.cluster)
    }

    fn selecting(selector: &Value) -> Value {
        pod(json!({"nodeSelector": selector}))
    }

    #[test]
    fn admits_pods_with_the_selector_of_their_namespace() {
        let given = selecting(&json!({"disk": "ssd", "env": "dev"}));
        assert_eq!(
            bench("env=dev, zone = a,zone=b").admitted(create(given)),
            selecting(&json!({"disk": "ssd", "env": "dev", "zone": "b"}))
        );
    }

    #[test]
    fn admits_pods_with_the_default_where_the_namespace_has_no_annotation() {
        let bench = configured("PodNodeSelectorPluginConfig: {clusterDefaultNodeSelector: env=shared}");
        assert_eq!(bench.admitted(create(pod(json!({})))), selecting(&json!({"env": "shared"})));
    }

    #[test]
    fn rejects_another_value_than_the_namespace_has() {
        let mut request = create(selecting(&json!({"env": "prod"})));
        let refusal = bench("env=dev").admit(&mut request).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: pod node label selector conflicts with its namespace node label selector"
        );
        assert_eq!(refusal.fields[0].to_string(), "spec.nodeSelector[env]");
        assert_eq!(refusal.evidence[0].says, "selects env=dev");
        assert_eq!(bench("env=dev").validate(&request).unwrap_err(), refusal);
    }

    #[test]
    fn rejects_pods_without_a_name_without_quoting_it() {
        let mut nameless = selecting(&json!({"env": "prod"}));
        nameless["metadata"] = json!({"generateName": "web-", "namespace": "shop"});
        let refusal = bench("env=dev").admit(&mut create(nameless)).unwrap_err();
        assert!(refusal.status.message.starts_with("pods is forbidden: "));
    }

    #[test]
    fn rejects_what_the_whitelist_lacks_even_if_it_is_the_default() {
        let bench = configured(
            "podNodeSelectorPluginConfig:\n  clusterDefaultNodeSelector: env=shared\n  shop: env=pci,zone=a",
        );
        let refusal = bench.admit(&mut create(pod(json!({})))).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: pod node label selector labels conflict with its namespace whitelist"
        );
        let bench = configured("podNodeSelectorPluginConfig: {shop: 'env=pci,zone=a'}");
        assert!(bench.leaves_alone(create(selecting(&json!({"zone": "a"})))));
    }

    #[test]
    fn rejects_every_pod_where_the_selector_is_none() {
        for (selector, message) in [
            ("region", "invalid selector: [region]"),
            ("a==b", "invalid selector: [a  b]"),
            ("a=b,", "invalid selector: []"),
        ] {
            let refusal = bench(selector).admit(&mut create(pod(json!({})))).unwrap_err();
            assert_eq!((refusal.status.code, refusal.status.message.as_str()), (500, message));
        }
        assert!(to_labels("a b=c").unwrap_err().starts_with("<nil>: Invalid value: \"a b\": name part must"));
        assert!(
            to_labels("a=b c").unwrap_err().starts_with("[a]: Invalid value: \"b c\": a valid label must")
        );
    }

    #[test]
    fn rejects_pods_of_namespaces_that_do_not_exist() {
        let refusal = Bench::new("PodNodeSelector", []).admit(&mut create(pod(json!({})))).unwrap_err();
        assert_eq!(refusal.status.message, "Internal error occurred: namespace shop does not exist");
    }

    #[test]
    fn ignores_configurations_that_it_cannot_read() {
        assert_eq!(parse("podNodeSelectorPluginConfig: [zone=green]"), BTreeMap::new());
        assert_eq!(parse("- a"), BTreeMap::new());
        assert_eq!(parse("a: [\n"), BTreeMap::new());
        let read = parse(
            "podNodeSelectorPluginConfig: {a: [x], b: 5}\n---\npodNodeSelectorPluginConfig: {c: z=1}\n",
        );
        assert_eq!(
            read.into_iter().collect::<Vec<_>>(),
            [
                ("a".to_owned(), String::new()),
                ("b".to_owned(), "5".to_owned()),
                ("c".to_owned(), "z=1".to_owned()),
            ]
        );
    }

    #[test]
    fn ignores_updates() {
        assert!(bench("env=dev").leaves_alone(update(pod(json!({})), pod(json!({})))));
    }
}
