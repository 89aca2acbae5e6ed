//! Sets on every new pod a service account, the credentials to access the API server as that account, and the account's
//! pull secrets. A pod that names no account gets `default`. Unless the pod or the account declines, each container
//! gets a short-lived token mounted at `/var/run/secrets/kubernetes.io/serviceaccount`. Accounts with the annotation
//! `kubernetes.io/enforce-mountable-secrets: "true"` restrict their pods to the secrets that they list, so that users
//! who may create pods cannot read every secret of the namespace through them.
//!
//! # When it rejects
//!
//! - The service account of a pod does not exist in its namespace.
//! - A pod refers to a secret that its account does not list, if the account restricts that; ephemeral containers
//!   count, too.
//! - A mirror pod (the image of a static pod) refers to a service account, a secret or a token.
//!
//! # Cluster objects it reads
//!
//! Service accounts of the pod's namespace: `secrets`, `imagePullSecrets`, `automountServiceAccountToken` and the
//! annotation. Before 1.21 also the secrets with their tokens.
//!
//! # Offline
//!
//! The random end of the volume's name `kube-api-access-…` is the same in every run. Before 1.24 each account is assumed
//! to have a token, unless `--strict` is given: the secret `…-token-…` that it lists, or another one.
//!
//! # Since
//!
//! Before 1.10, on by default. The projected token volume since 1.21; before, the token is a secret that the account
//! lists, and a pod is refused until there is one. The annotation is deprecated since 1.32.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/serviceaccount`

use std::sync::Arc;

use gotext::value::json;

use crate::admission::{
    Attributes, Evidence, Handler, MutationInterface, Need, Operation, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use gotext::quote;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::resources::{SECRETS, SERVICE_ACCOUNTS};
use kube_api::service_account::is_token_of;
use kube_api::version::Version;
use kube_api::{Object, Status, Value, append};
use kube_registry::pod::{Container, ContainerType, PodTemplate};
use kube_registry::pod_references::{self, keys_of, pull_secrets, sources, volumes, wholes_of};

const MIRROR_POD: &str = "kubernetes.io/config.mirror";
const ENFORCE_MOUNTABLE_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";
const TOKEN_VOLUME_PREFIX: &str = "kube-api-access-";
const TOKEN_MOUNT_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
/// Seconds; this odd number marks a token that was not requested, so that the API server warns and does not refuse
/// clients that keep using an old one.
const TOKEN_EXPIRATION_SECONDS: i64 = 3607;

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let token_sources = token_sources((initializer.additions().token_sources)());
    let profile = &initializer.profile;
    let has_secret_tokens = initializer.profile.release() < BOUND_TOKENS
        && !profile.enabled(Feature::BoundServiceAccountTokenVolume);
    let cluster = initializer.cluster.clone();
    Handler::both(ServiceAccount { cluster, token_sources, has_secret_tokens })
}

/// The first release in which tokens come as projected volumes without a gate.
const BOUND_TOKENS: Version = Version::minor(21);

struct ServiceAccount {
    cluster: Arc<Cluster>,
    /// What the volume with a token projects, the same for every Pod.
    token_sources: Value,
    has_secret_tokens: bool,
}

impl MutationInterface for ServiceAccount {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if attributes.operation != Operation::Create || !attributes.is_for("", "pods") {
            return Ok(());
        }
        // The kubelet deletes a mirror pod that differs from its static pod.
        if attributes.object.as_deref().is_some_and(|pod| pod.annotation(MIRROR_POD).is_none()) {
            self.assign_account(attributes, recorder)?;
        }
        self.check_pod(attributes)
    }
}

impl ValidationInterface for ServiceAccount {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        match attributes.operation {
            Operation::Create if attributes.is_for("", "pods") => self.check_pod(attributes),
            Operation::Update if attributes.is_for_sub_resource("", "pods", "ephemeralcontainers") => {
                self.check_ephemeral_containers(attributes)
            }
            _ => Ok(()),
        }
    }
}

impl ServiceAccount {
    fn assign_account(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if account_name(attributes).is_empty()
            && let Some(pod) = attributes.object_mut()
        {
            pod.set(["spec", "serviceAccountName"], "default");
            // The deprecated alias always has the same value.
            pod.set(["spec", "serviceAccount"], "default");
        }
        let account = self.account(attributes)?;
        if attributes.object.as_deref().is_some_and(|pod| wants_token(pod, &account)) {
            let secret = self.secret_token(&account)?;
            mount_token(attributes, secret.as_deref(), &self.token_sources);
        }
        copy_image_pull_secrets(attributes, &account);
        recorder.add_source(&SERVICE_ACCOUNTS, account.namespace(), account.name());
        Ok(())
    }

    /// Returns the secret with the token of `account`, where tokens come as secrets.
    fn secret_token(&self, account: &Object) -> Result<Option<String>, Refusal> {
        if !self.has_secret_tokens {
            return Ok(None);
        }
        let secrets = self.cluster.list(&SECRETS, account.namespace());
        let is_token =
            |name: &&str| secrets.iter().any(|secret| secret.name() == *name && is_token_of(secret, account));
        if let Some(token) = names(account, "secrets").find(is_token) {
            return Ok(Some(token.to_owned()));
        }
        let message = format!(
            "No API token found for service account {}, retry after the token is automatically created and added to \
             the service account",
            quote(account.name())
        );
        Err(Refusal::from(Status::new_server_timeout(message, &SERVICE_ACCOUNTS, "create pod", 1))
            .at(Path::new("spec.serviceAccountName")))
    }

    fn check_pod(&self, attributes: &Attributes) -> Result<(), Refusal> {
        let Some(pod) = pod_of(attributes) else { return Ok(()) };
        if pod.annotation(MIRROR_POD).is_some() {
            return check_mirror_pod(attributes, pod);
        }
        let account = self.named_account(attributes)?;
        if !enforces_mountable_secrets(&account) {
            return Ok(());
        }
        let unlisted = unlisted_secret_volume(pod, &account)
            .or_else(|| unlisted_container_secret(pod, &[ContainerType::Init, ContainerType::Main], &account))
            .or_else(|| unlisted_pull_secret(pod, &account));
        match unlisted {
            Some((error, path)) => {
                Err(attributes.new_forbidden(error).at(path).because(enforcement(&account)))
            }
            None => Ok(()),
        }
    }

    fn check_ephemeral_containers(&self, attributes: &Attributes) -> Result<(), Refusal> {
        let Some(pod) = pod_of(attributes) else { return Ok(()) };
        let account = self.named_account(attributes)?;
        if !enforces_mountable_secrets(&account) {
            return Ok(());
        }
        match unlisted_container_secret(pod, &[ContainerType::Ephemeral], &account) {
            // Upstream returns this one as a plain error, which the server does not treat as a refusal.
            Some((error, path)) => {
                Err(Refusal::from(Status::from_error(error)).at(path).because(enforcement(&account)))
            }
            None => Ok(()),
        }
    }

    fn named_account(&self, attributes: &Attributes) -> Result<Arc<Object>, Refusal> {
        if account_name(attributes).is_empty() {
            let name = attributes.object.as_deref().map_or("", Object::name);
            let error = format!("no service account specified for pod {}/{name}", attributes.namespace);
            return Err(attributes.new_forbidden(error).at(Path::new("spec.serviceAccountName")));
        }
        self.account(attributes)
    }

    fn account(&self, attributes: &Attributes) -> Result<Arc<Object>, Refusal> {
        let (namespace, name) = (attributes.namespace.as_str(), account_name(attributes));
        self.cluster.get(&SERVICE_ACCOUNTS, namespace, name).ok_or_else(|| {
            let error = format!(
                "error looking up service account {namespace}/{name}: serviceaccount {} not found",
                quote(name)
            );
            let refusal = attributes.new_forbidden(error).at(Path::new("spec.serviceAccountName"));
            refusal.needing([Need::object(&SERVICE_ACCOUNTS, namespace, name)])
        })
    }
}

fn account_name(attributes: &Attributes) -> &str {
    attributes.object.as_deref().map_or("", |pod| pod.text(["spec", "serviceAccountName"]))
}

fn pod_of(attributes: &Attributes) -> Option<PodTemplate<'_>> {
    PodTemplate::of(attributes.object.as_deref()?)
}

/// Whether the pod gets a token: the pod's setting takes precedence over the account's; the default is yes.
fn wants_token(pod: &Object, account: &Object) -> bool {
    let field = "automountServiceAccountToken";
    pod.at(["spec", field]).or_else(|| account.at(field)).and_then(Value::as_bool).unwrap_or(true)
}

/// Mounts the token, which is in `secret` or else projected, in the containers that have nothing at its path. Ephemeral
/// containers never get it.
fn mount_token(attributes: &mut Attributes, secret: Option<&str>, sources: &Value) {
    let Some(pod) = pod_of(attributes) else { return };
    let name = |volume: &Value| Some(volume.get("name")?.as_str()?.to_owned());
    let is_token = |volume: &&Value| match secret {
        Some(secret) => volume.text(["secret", "secretName"]) == secret,
        None => volume.text("name").starts_with(TOKEN_VOLUME_PREFIX),
    };
    let existing = pod.list("volumes").iter().find(is_token).and_then(name);
    let taken: Vec<String> = pod.list("volumes").iter().filter_map(name).collect();
    let lacking: Vec<_> = [ContainerType::Init, ContainerType::Main]
        .into_iter()
        .flat_map(|container_type| pod.containers_of(container_type))
        .filter(|container| !has_token_mount(container))
        .map(|container| (container.container_type, container.index))
        .collect();
    if lacking.is_empty() {
        return;
    }
    let is_new = existing.is_none();
    let volume = match (existing, secret.map(|secret| secret.replace('.', "-"))) {
        (Some(existing), _) => existing,
        (None, Some(name)) if taken.contains(&name) => attributes.generate_name(&format!("{name}-")),
        (None, Some(name)) => name,
        (None, None) => attributes.generate_name(TOKEN_VOLUME_PREFIX),
    };
    let Some(pod) = attributes.object_mut() else { return };
    for (container_type, index) in lacking {
        let containers = pod.at_mut(["spec", container_type.field()]).and_then(Value::as_array_mut);
        let container = containers.and_then(|list| list.get_mut(index)?.as_object_mut());
        if let Some(container) = container {
            let mount = json!({"name": volume, "readOnly": true, "mountPath": TOKEN_MOUNT_PATH});
            append(container, "volumeMounts", mount);
        }
    }
    if is_new {
        let (kind, source) = match secret {
            Some(secret) => ("secret", json!({"secretName": secret})),
            None => ("projected", sources.clone()),
        };
        pod.append(["spec", "volumes"], json!({"name": volume, kind: source}));
    }
}

/// Whether the token's path is mounted already; paths are compared as written, so a trailing slash makes another path.
fn has_token_mount(container: &Container<'_>) -> bool {
    container
        .list("volumeMounts")
        .iter()
        .any(|mount| mount.get("mountPath").and_then(Value::as_str) == Some(TOKEN_MOUNT_PATH))
}

/// Returns the volume with the token; `others` are the sources that the distribution adds.
fn token_sources(others: Vec<Value>) -> Value {
    let namespace = json!({"apiVersion": "v1", "fieldPath": "metadata.namespace"});
    let mut sources = vec![
        json!({"serviceAccountToken": {"path": "token", "expirationSeconds": TOKEN_EXPIRATION_SECONDS}}),
        json!({"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}),
        json!({"downwardAPI": {"items": [{"path": "namespace", "fieldRef": namespace}]}}),
    ];
    sources.extend(others);
    json!({"defaultMode": 0o644, "sources": sources})
}

fn copy_image_pull_secrets(attributes: &mut Attributes, account: &Object) {
    let path = ["spec", "imagePullSecrets"];
    let has_own = attributes.object.as_deref().is_some_and(|pod| !pod.list(path).is_empty());
    let secrets: Vec<Value> = names(account, "imagePullSecrets").map(|name| json!({"name": name})).collect();
    if !has_own
        && !secrets.is_empty()
        && let Some(pod) = attributes.object_mut()
    {
        pod.set(path, secrets);
    }
}

fn check_mirror_pod(attributes: &Attributes, pod: PodTemplate<'_>) -> Result<(), Refusal> {
    let (error, path) = if !pod.text("serviceAccountName").is_empty() {
        ("a mirror pod may not reference service accounts", pod.spec_path().child("serviceAccountName"))
    } else if let Some((path, _)) = pod_references::secrets(&pod).into_iter().next() {
        ("a mirror pod may not reference secrets", path)
    } else if let Some(path) = token_projection(pod) {
        ("a mirror pod may not use ServiceAccountToken volume projections", path)
    } else {
        return Ok(());
    };
    Err(attributes.new_forbidden(error).at(path))
}

fn token_projection(pod: PodTemplate<'_>) -> Option<Path> {
    volumes(&pod).into_iter().find_map(|(path, volume)| {
        let is_token = |(_, source): &(Path, &Value)| source.has("serviceAccountToken");
        let (path, _) = sources(volume, &path).into_iter().find(is_token)?;
        Some(path.child("serviceAccountToken"))
    })
}

/// Whether the annotation is true as Go's `strconv.ParseBool` reads it.
fn enforces_mountable_secrets(account: &Object) -> bool {
    let value = account.annotation(ENFORCE_MOUNTABLE_SECRETS);
    value.is_some_and(|value| ["1", "t", "T", "TRUE", "true", "True"].contains(&value))
}

fn enforcement(account: &Object) -> Evidence {
    Evidence::of(SERVICE_ACCOUNTS, account, "allows only the secrets that it lists")
        .at(Path::new("metadata.annotations").key(ENFORCE_MOUNTABLE_SECRETS))
}

/// Returns a volume with an unlisted secret. Only volumes of the type `secret` count: upstream does not check projected
/// ones.
fn unlisted_secret_volume(pod: PodTemplate<'_>, account: &Object) -> Option<(String, Path)> {
    volumes(&pod).into_iter().find_map(|(path, volume)| {
        let secret = volume.at("secret")?.text("secretName");
        if names(account, "secrets").any(|name| name == secret) {
            return None;
        }
        let error = format!(
            "volume with secret.secretName=\"{secret}\" is not allowed because service account {} does not \
             reference that secret",
            account.name()
        );
        Some((error, path.child("secret").child("secretName")))
    })
}

fn unlisted_container_secret(
    pod: PodTemplate<'_>,
    container_types: &[ContainerType],
    account: &Object,
) -> Option<(String, Path)> {
    let containers = container_types.iter().flat_map(|container_type| pod.containers_of(*container_type));
    containers.into_iter().find_map(|container| {
        let sources = keys_of(&container, "secretKeyRef").into_iter();
        let source = sources
            .chain(wholes_of(&container, "secretRef"))
            .find(|source| names(account, "secrets").all(|name| name != source.name))?;
        let container_type = match container.container_type {
            ContainerType::Init => "init container",
            ContainerType::Main => "container",
            ContainerType::Ephemeral => "ephemeral container",
        };
        let place = match source.variable {
            Some(variable) => format!("envVar {variable}"),
            None => "envFrom".to_owned(),
        };
        let error = format!(
            "{container_type} {} with {place} referencing secret.secretName=\"{}\" is not allowed because service \
             account {} does not reference that secret",
            container.name(),
            source.name,
            account.name()
        );
        Some((error, source.path))
    })
}

fn unlisted_pull_secret(pod: PodTemplate<'_>, account: &Object) -> Option<(String, Path)> {
    pull_secrets(&pod).into_iter().enumerate().find_map(|(index, (path, secret))| {
        if names(account, "imagePullSecrets").any(|name| name == secret) {
            return None;
        }
        let error = format!(
            "imagePullSecrets[{index}].name=\"{secret}\" is not allowed because service account {} does not \
             reference that imagePullSecret",
            account.name()
        );
        Some((error, path))
    })
}

/// Returns the names in a list of references of the account.
fn names<'a>(account: &'a Object, field: &str) -> impl Iterator<Item = &'a str> {
    account.list(field).iter().map(|reference| reference.text("name"))
}

#[cfg(test)]
mod tests;
