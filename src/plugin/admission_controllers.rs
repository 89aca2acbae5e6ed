//! Asks servers outside of the API server whether an object may be created or updated: the first design of admission
//! control by external programs. Each server gets the user, the operation and the proposed object, and all of them must
//! agree. Nothing is changed.
//!
//! # When it rejects
//!
//! - A server answers 403: with the reason in its response.
//! - A server answers anything but 200 and 403, or does not answer: nothing passes unchecked.
//! - `--admission-controller-service` matches no server.
//!
//! Deletions are never sent.
//!
//! # Configuration
//!
//! None; `--admission-controllers ADDRESS,…` and `--admission-controller-service NAMESPACE/LABEL=VALUE` set the
//! addresses of the servers.
//!
//! # Cluster objects it reads
//!
//! Services with the label, and their EndpointSlices.
//!
//! # Offline
//!
//! No server is called unless `--webhooks` allows it: a note names the server.
//!
//! # Since
//!
//! In no release: kube-apiserver adopted the idea as webhooks. It is off unless one of its flags is set, and comes
//! last.
//!
//! # Upstream
//!
//! None.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::admission::{Attributes, Handler, Operation, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::{Factory, Plugin, PluginInitializer, table};
use crate::webhook::{self, Client, Exchange, Webhooks};
use gotext::quote;
use gotext::value::json;
use kube_api::resources::{ENDPOINT_SLICES, SERVICES};
use kube_api::{Object, Value};

/// The plugin's entry, like those in the table of releases.
pub(super) static PLUGIN: Plugin = table::plugin(
    NAME,
    table::VALIDATING,
    table::CREATE_UPDATE,
    Factory::Plain(new),
    include_str!("admission_controllers.rs"),
);

const NAME: &str = "AdmissionControllers";

/// The path that requests are sent to.
const PATH: &str = "/admissionController";

/// The number of seconds that an answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The addresses of the servers, or the label of the Services in front of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdmissionControllerAddresses {
    /// Addresses: host and port, with a scheme or for plain HTTP without.
    pub addresses: Vec<String>,
    /// The namespace, the name of a label and its value of Services.
    pub service: Option<(String, String, String)>,
}

impl AdmissionControllerAddresses {
    /// Whether no server is named.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty() && self.service.is_none()
    }

    /// Reads `NAMESPACE/LABEL=VALUE`.
    ///
    /// # Errors
    ///
    /// Fails if it has another form.
    pub fn set_service(&mut self, text: &str) -> Result<(), String> {
        let read = text.split_once('/').and_then(|(namespace, label)| {
            let (label, value) = label.rsplit_once('=')?;
            let is_whole = !namespace.is_empty() && !label.is_empty();
            is_whole.then(|| (namespace.to_owned(), label.to_owned(), value.to_owned()))
        });
        self.service = Some(read.ok_or("it is NAMESPACE/LABEL=VALUE")?);
        Ok(())
    }
}

fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(AdmissionControllers {
        addresses: initializer.admission_controllers.clone(),
        cluster: initializer.cluster.clone(),
        webhooks: initializer.webhooks.clone(),
    })
}

struct AdmissionControllers {
    addresses: AdmissionControllerAddresses,
    cluster: Arc<Cluster>,
    webhooks: Webhooks,
}

impl ValidationInterface for AdmissionControllers {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let result = self.ask_all(attributes, recorder);
        webhook::note_secrets(&self.cluster, &attributes.namespace, &result, recorder);
        result
    }
}

impl AdmissionControllers {
    fn ask_all(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let action = match attributes.operation {
            Operation::Create => "create",
            Operation::Update => "update",
            Operation::Delete | Operation::Connect => return Ok(()),
        };
        let addresses = self.all_addresses().map_err(|error| webhook::internal_error(&error))?;
        let client = match &self.webhooks {
            Webhooks::Ask(client) => client,
            Webhooks::Skip => {
                for address in addresses {
                    recorder.add_note(format!(
                        "the admission controller at {address} would be called; see --webhooks"
                    ));
                }
                return Ok(());
            }
        };
        let object = attributes.object.as_deref().map_or(Value::Null, |object| object.value.clone());
        let body = json!({"user": &*attributes.user_info, "action": action, "object": object});
        addresses.iter().try_for_each(|address| ask(&**client, address, &body, attributes))
    }
}

/// Sends the request to the server at `address`.
fn ask(client: &dyn Client, address: &str, body: &Value, attributes: &Attributes) -> Result<(), Refusal> {
    let url = match address.split_once("://") {
        Some(_) => format!("{}{PATH}", address.trim_end_matches('/')),
        None => format!("http://{address}{PATH}"),
    };
    let exchange = Exchange {
        webhook: address,
        url: &url,
        service: None,
        has_service: false,
        ca_bundle: &[],
        credentials: None,
        timeout: Some(TIMEOUT),
        body,
    };
    let failed = |reason: &str| {
        webhook::internal_error(&format!("failed calling admission controller {}: {reason}", quote(address)))
    };
    let reply = client.post(&exchange).map_err(|error| failed(&error))?;
    match reply.status {
        200 => Ok(()),
        403 => {
            let denied = format!("admission controller {} denied the request", quote(address));
            Err(attributes.new_forbidden(match reason(&reply.text_of_body()).as_str() {
                "" => format!("{denied} without explanation"),
                reason => format!("{denied}: {reason}"),
            }))
        }
        status => Err(failed(&format!("it answered {status}, which is neither 200 nor 403"))),
    }
}

/// Returns the reason in the body of a denial: its text, or the field `reason` of an object.
fn reason(body: &str) -> String {
    let read = serde_json::from_str::<Value>(body).ok();
    let field = read.as_ref().and_then(|read| read.get("reason")).and_then(Value::as_str);
    field.unwrap_or(body).trim().to_owned()
}

impl AdmissionControllers {
    /// Returns the configured addresses, and those of the Services.
    fn all_addresses(&self) -> Result<Vec<String>, String> {
        let mut addresses = self.addresses.addresses.clone();
        let Some((namespace, label, value)) = &self.addresses.service else { return Ok(addresses) };
        let services = self.cluster.list(&SERVICES, namespace);
        let is_meant = |service: &&Arc<Object>| has_label(service, label, value);
        let found: BTreeSet<String> =
            services.iter().filter(is_meant).flat_map(|service| self.addresses_of(service)).collect();
        if found.is_empty() {
            return Err(format!(
                "no admission controller is behind the Services with {label}={value} in the namespace {}",
                quote(namespace)
            ));
        }
        addresses.extend(found);
        Ok(addresses)
    }

    /// Returns the endpoints of a Service that are ready; its own address if no `EndpointSlice` is known.
    fn addresses_of(&self, service: &Object) -> Vec<String> {
        let slices = self.cluster.list(&ENDPOINT_SLICES, service.namespace());
        let of_service =
            slices.iter().filter(|slice| has_label(slice, "kubernetes.io/service-name", service.name()));
        let mut addresses = Vec::new();
        let mut is_sliced = false;
        for slice in of_service {
            is_sliced = true;
            let ports: Vec<u64> =
                slice.list("ports").iter().filter_map(|port| port["port"].as_u64()).collect();
            for endpoint in slice.list("endpoints") {
                if endpoint["conditions"]["ready"] == false {
                    continue;
                }
                let hosts = endpoint["addresses"].as_array().into_iter().flatten().filter_map(Value::as_str);
                addresses.extend(hosts.flat_map(|host| ports.iter().map(move |port| at(host, *port))));
            }
        }
        let own = service.text(["spec", "clusterIP"]);
        if !is_sliced && !own.is_empty() && own != "None" {
            let ports = service.list(["spec", "ports"]).iter().filter_map(|port| port["port"].as_u64());
            addresses.extend(ports.map(|port| at(own, port)));
        }
        addresses
    }
}

fn has_label(object: &Object, label: &str, value: &str) -> bool {
    object.labels().any(|pair| pair == (label, value))
}

fn at(host: &str, port: u64) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::create;
    use crate::webhook::Reply;

    struct Answers(u16, &'static str);

    impl Client for Answers {
        fn post(&self, exchange: &Exchange<'_>) -> Result<Reply, String> {
            assert_eq!(exchange.url, "http://10.0.0.1:8080/admissionController");
            assert_eq!(exchange.body["action"], "create");
            if self.0 == 0 {
                return Err("connection refused".to_owned());
            }
            Ok(Reply::text(self.0, self.1.to_owned()))
        }
    }

    fn message(status: u16, body: &'static str) -> Option<String> {
        let attributes = create(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}));
        let sent = json!({"action": "create"});
        let answer = ask(&Answers(status, body), "10.0.0.1:8080", &sent, &attributes);
        answer.err().map(|refusal| refusal.status.message)
    }

    #[test]
    fn only_a_200_lets_pass() {
        assert_eq!(message(200, ""), None);
        let denied =
            "configmaps \"a\" is forbidden: admission controller \"10.0.0.1:8080\" denied the request";
        assert_eq!(message(403, "no\n"), Some(format!("{denied}: no")));
        assert_eq!(message(403, "{\"reason\": \"no\"}"), Some(format!("{denied}: no")));
        assert_eq!(message(403, ""), Some(format!("{denied} without explanation")));
        let failed = "Internal error occurred: failed calling admission controller \"10.0.0.1:8080\"";
        for status in [204, 302, 404, 500] {
            let why = format!("{failed}: it answered {status}, which is neither 200 nor 403");
            assert_eq!(message(status, ""), Some(why));
        }
        assert_eq!(message(0, ""), Some(format!("{failed}: connection refused")));
    }
}
