//! Requests about typed objects, by a user.

use std::sync::Arc;

use serde::Serialize;

use crate::admission::UserInfo;
use crate::api_server::{Errors, Evaluation, OfflineCluster};
use crate::code::Code;
use crate::evaluation::{Apply, ApplyOptions, RequestDefaults};
use crate::report::Diagnostic;
use gotext::source::SourceFile;
use gotext::value::to_value;
use kube_yaml::write_yaml;

/// A user who sends requests to a cluster.
///
/// ```
/// use kadmit::{ApiServer, UserInfo};
/// use serde_json::json;
///
/// let server = ApiServer::from_flags(["--authorization-mode=RBAC"])?;
/// let mut cluster = server.cluster(&[])?;
/// let settings = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}});
/// let mut alice = cluster.as_user(UserInfo::new("alice", ["developers"]));
/// let evaluation = alice.in_namespace("shop").create(&settings)?;
/// assert!(evaluation.to_string().contains("User \"alice\" cannot create resource \"configmaps\""), "{evaluation}");
/// # Ok::<(), kadmit::Errors>(())
/// ```
pub struct Client<'a> {
    cluster: &'a mut OfflineCluster,
    defaults: RequestDefaults,
}

impl OfflineCluster {
    /// Returns `user`, ready to send requests. By default an administrator sends them.
    pub fn as_user(&mut self, user: UserInfo) -> Client<'_> {
        let defaults = RequestDefaults { user_info: Arc::new(user), ..self.defaults() };
        Client { cluster: self, defaults }
    }

    /// Applies `object` as `kubectl apply` does: it is created, or changed if it exists. It is anything that serde writes as
    /// an object of Kubernetes: a type of `k8s-openapi`, a custom resource of `kube`, a `serde_json::Value`.
    ///
    /// ```
    /// use serde_json::json;
    ///
    /// let mut cluster = kadmit::ApiServer::from_flags::<&str>([])?.cluster(&[])?;
    /// let pod = json!({
    ///     "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
    ///     "spec": {"containers": [{"name": "web", "image": "nginx"}]},
    /// });
    /// let evaluation = cluster.apply(&pod)?;
    /// assert!(evaluation.is_admitted(), "{evaluation}");
    /// let stored: serde_json::Value = evaluation.outcomes[0].object_as()?;
    /// assert_eq!(stored["spec"]["serviceAccountName"], "default");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if `object` cannot be written as JSON. Whether the server takes it is in the evaluation.
    pub fn apply(&mut self, object: &impl Serialize) -> Result<Evaluation, Errors> {
        self.client().apply(object)
    }

    /// Creates `object`, which is a 409 if it exists.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub fn create(&mut self, object: &impl Serialize) -> Result<Evaluation, Errors> {
        self.client().create(object)
    }

    /// Replaces the existing object by `object`, as a PUT does.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub fn update(&mut self, object: &impl Serialize) -> Result<Evaluation, Errors> {
        self.client().update(object)
    }

    /// Deletes the object of the kind and name of `object`.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub fn delete(&mut self, object: &impl Serialize) -> Result<Evaluation, Errors> {
        self.client().delete(object)
    }

    fn client(&mut self) -> Client<'_> {
        let defaults = self.defaults();
        Client { cluster: self, defaults }
    }
}

impl Client<'_> {
    /// Uses this namespace for objects without one, instead of `default`.
    #[must_use]
    pub fn in_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.defaults.namespace = namespace.into();
        self
    }

    /// Sends dry runs: what is admitted does not exist afterwards.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.defaults.dry_run = true;
        self
    }

    /// Applies `object` as [`OfflineCluster::apply`] does.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn apply(&mut self, object: &impl Serialize) -> Result<Evaluation, Errors> {
        self.send(object, Apply::ClientSide)
    }

    /// Creates `object`.
    ///
    /// # Errors
    ///
    /// As [`OfflineCluster::apply`].
    pub fn create(&mut self, object: &impl Serialize) -> Result<Evaluation, Errors> {
        self.send(object, Apply::Create)
    }

    /// Replaces the existing object by `object`.
    ///
    /// # Errors
    ///
    /// As [`OfflineCluster::apply`].
    pub fn update(&mut self, object: &impl Serialize) -> Result<Evaluation, Errors> {
        self.send(object, Apply::Replace)
    }

    /// Deletes the object of the kind and name of `object`.
    ///
    /// # Errors
    ///
    /// As [`OfflineCluster::apply`].
    pub fn delete(&mut self, object: &impl Serialize) -> Result<Evaluation, Errors> {
        self.send(object, Apply::Delete)
    }

    /// Applies every manifest, and sends the request in every `AdmissionReview`.
    pub fn evaluate(&mut self, documents: &[Arc<SourceFile>]) -> Evaluation {
        self.cluster.evaluate_with(documents, &self.defaults)
    }

    fn send(&mut self, object: &impl Serialize, apply: Apply) -> Result<Evaluation, Errors> {
        let file = source(object)?;
        let apply = Arc::new(ApplyOptions { apply, ..ApplyOptions::default() });
        let defaults = RequestDefaults { apply, ..self.defaults.clone() };
        Ok(self.cluster.evaluate_with(&[file], &defaults))
    }
}

/// Returns `object` as a manifest, so that errors have a line of it; the file is called like the object.
fn source(object: &impl Serialize) -> Result<Arc<SourceFile>, Errors> {
    let unwritable = |error: String| Diagnostic::input(Code::LibraryObject, error);
    let value = to_value(object).map_err(|error| unwritable(error.to_string()))?;
    let text = |pointer: &str| value.pointer(pointer).and_then(|value| value.as_str()).unwrap_or_default();
    let name = format!("{}/{}", text("/kind"), text("/metadata/name"));
    let mut yaml = String::new();
    write_yaml(&value, &mut yaml).map_err(|error| unwritable(error.to_string()))?;
    Ok(SourceFile::new(name, yaml))
}
