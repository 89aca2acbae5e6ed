//! The fixture of plugins' unit tests: a cluster of a few objects, a request, and one plugin called as the chain calls
//! it.

use std::sync::Arc;
use std::time::Duration;

use gotext::value::json;

use crate::admission::{Attributes, Chain, Create, Handler, Link, Operation, Refusal, Trace, UserInfo};
use crate::cluster::authorizer::{AuthorizationMode, Authorizer};
use crate::cluster::{Cluster, server_looks_up};
use crate::plugin::{self, AdmissionControllerAddresses, Plugin, PluginInitializer, find};
use kube_api::distribution::Server;
use kube_api::kinds;
use kube_api::resource::RuntimeConfig;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupResource, GroupVersionKind, GroupVersionResource, Object, Value};

/// One plugin and the cluster that it sees.
pub(super) struct Bench {
    pub(super) cluster: Arc<Cluster>,
    plugin: &'static Plugin,
    chain: Chain,
}

impl Bench {
    /// Returns the plugin `name` as the table has it, in a fresh cluster with `objects`.
    pub(super) fn new(name: &str, objects: impl IntoIterator<Item = Value>) -> Self {
        Self::gated(name, "", objects)
    }

    /// Returns the plugin `name` in a cluster whose feature gates are set by `gates`.
    pub(super) fn gated(name: &str, gates: &str, objects: impl IntoIterator<Item = Value>) -> Self {
        Self::gated_in(name, Version::BINARY, gates, objects)
    }

    /// Returns the plugin `name` in a cluster of `release` whose feature gates are set by `gates`.
    pub(super) fn gated_in(
        name: &str,
        release: Version,
        gates: &str,
        objects: impl IntoIterator<Item = Value>,
    ) -> Self {
        let profile = Arc::new(ServerProfile::of_release(release, []).with(gates).unwrap());
        let initializer = PluginInitializer { profile, ..initializer(objects) };
        let plugin = find(name).unwrap();
        let handler = plugin.build(&initializer, None).unwrap();
        Self::of(name, handler, initializer.cluster)
    }

    /// Returns the plugin `name` in a cluster whose roles decide on users' rights.
    pub(super) fn with_roles(name: &str, objects: impl IntoIterator<Item = Value>) -> Self {
        let mut initializer = initializer(objects);
        let modes = vec![AuthorizationMode::Rbac];
        initializer.authorizer = Arc::new(Authorizer::new(initializer.cluster.clone(), modes));
        let plugin = find(name).unwrap();
        let handler = plugin.build(&initializer, None).unwrap();
        Self::of(name, handler, initializer.cluster)
    }

    /// Returns the plugin `name` as kadmit has it for `release`, in a cluster with `objects`.
    pub(super) fn of_release(name: &str, release: Version, objects: impl IntoIterator<Item = Value>) -> Self {
        let initializer = PluginInitializer { profile: profile_of(release), ..initializer(objects) };
        let handler = find(name).unwrap().build(&initializer, None).unwrap();
        Self::of(name, handler, initializer.cluster)
    }

    /// Returns a plugin that is built already, called for the operations that the table has for `name`.
    pub(super) fn of(name: &str, handler: Handler, cluster: Arc<Cluster>) -> Self {
        let plugin = find(name).unwrap();
        let link = Link { name: plugin.name, operations: plugin.operations, handler };
        Self { cluster, plugin, chain: Chain::new(vec![link]) }
    }

    /// Calls the mutating half; if it admits, again, and then nothing may change.
    pub(super) fn admit(&self, request: &mut Attributes) -> Result<(), Refusal> {
        self.admit_where(request, &|object| {
            self.create(object);
            Ok(())
        })
    }

    /// Returns the same, with `create` in the place of the API server.
    pub(super) fn admit_where(&self, request: &mut Attributes, create: &Create<'_>) -> Result<(), Refusal> {
        self.cluster.take_resources_read();
        let result = self.chain.admit(request, &mut Trace::default(), create);
        self.reads_what_the_table_says();
        result?;
        let before = request.object.clone();
        self.chain.admit(request, &mut Trace::default(), create)?;
        assert_eq!(request.object, before, "the second run changes nothing");
        Ok(())
    }

    /// Plays the API server: stores what a plugin creates.
    fn create(&self, object: Object) {
        self.cluster.put(&resource(&object.kind).group_resource(), Arc::new(object));
    }

    /// Calls the validating half.
    pub(super) fn validate(&self, request: &Attributes) -> Result<(), Refusal> {
        self.cluster.take_resources_read();
        let result = self.chain.validate(request, &mut Trace::default());
        self.reads_what_the_table_says();
        result
    }

    /// Asserts that the plugin read no other resources than its row in the table names, besides those that the server
    /// reads with every request.
    fn reads_what_the_table_says(&self) {
        let known: Vec<GroupResource> = self.plugin.resources().map(plugin::resource_named).collect();
        for resource in self.cluster.take_resources_read() {
            let is_known = known.contains(&resource) || server_looks_up(&resource);
            assert!(is_known, "{} reads {resource:?}, which the table does not say", self.plugin.name);
        }
    }

    /// Returns the object of `request` after the mutating half, which admits it.
    pub(super) fn admitted(&self, mut request: Attributes) -> Value {
        self.admit(&mut request).unwrap();
        request.object.unwrap().value.clone()
    }

    /// Whether the mutating half admits `request` and does not change or copy its object.
    pub(super) fn leaves_alone(&self, mut request: Attributes) -> bool {
        let before = request.object.clone().unwrap();
        self.admit(&mut request).unwrap();
        Arc::ptr_eq(&before, &request.object.unwrap())
    }
}

/// Returns the arguments of factories, with a fresh cluster and `objects` in it.
pub(super) fn initializer(objects: impl IntoIterator<Item = Value>) -> PluginInitializer {
    let cluster = Cluster::new();
    for value in objects {
        let object = object(value);
        cluster.put(&resource(&object.kind).group_resource(), Arc::new(object));
    }
    let cluster = Arc::new(cluster);
    PluginInitializer {
        coverage: None,
        authorizer: Arc::new(Authorizer::new(cluster.clone(), vec![AuthorizationMode::AlwaysAllow])),
        cluster,
        profile: Arc::new(ServerProfile::default()),
        webhooks: crate::webhook::Webhooks::Skip,
        runtime_config: RuntimeConfig::default(),
        default_not_ready_toleration_seconds: 300,
        default_unreachable_toleration_seconds: 300,
        enforce: None,
        explain_migration: false,
        admission_controllers: AdmissionControllerAddresses::default(),
        ir_namespace_only: false,
        files: crate::versioned::ServerFiles::default(),
        server: Server::Kubernetes,
        openshift: Arc::default(),
    }
}

/// Returns a request to create an object.
pub(super) fn create(value: Value) -> Attributes {
    let object = object(value);
    let is_namespace = object.kind.is(kinds::NAMESPACE);
    Attributes {
        operation: Operation::Create,
        kind: object.kind.clone(),
        resource: resource(&object.kind),
        sub_resource: "".into(),
        namespace: if is_namespace { object.name() } else { object.namespace() }.to_owned(),
        name: object.name().to_owned(),
        object: Some(Arc::new(object)),
        old_object: None,
        options: None,
        dry_run: false,
        user_info: Arc::new(UserInfo::default()),
        reinvocation: false,
        reinvocation_context: crate::admission::ReinvocationContext::default(),
        ordinal: 0,
        time: Duration::ZERO,
        deadline: None,
    }
}

/// Returns a request to change an object.
pub(super) fn update(old: Value, new: Value) -> Attributes {
    Attributes { operation: Operation::Update, old_object: Some(Arc::new(object(old))), ..create(new) }
}

/// Returns a request to remove an object.
pub(super) fn delete(old: Value) -> Attributes {
    let request = create(old);
    Attributes { operation: Operation::Delete, old_object: request.object, object: None, ..request }
}

/// Returns a pod `web` in the namespace `shop` with `spec`.
pub(super) fn pod(spec: Value) -> Value {
    let mut pod = with_spec("v1", "Pod", spec);
    pod["metadata"]["namespace"] = "shop".into();
    pod
}

/// Returns an object `web` of any kind.
pub(super) fn with_spec(api_version: &str, kind: &str, spec: Value) -> Value {
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "web"}});
    object["spec"] = spec;
    object
}

pub(super) fn object(value: Value) -> Object {
    let text = |field| value.at(field).and_then(Value::as_str).unwrap();
    Object::new(GroupVersionKind::from_api_version(text("apiVersion"), text("kind")), value)
}

/// Returns the resource of the kind by the English plural.
fn resource(kind: &GroupVersionKind) -> GroupVersionResource {
    let singular = kind.kind.to_lowercase();
    let plural = match singular.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if singular.ends_with('s') => singular + "es",
        None => singular + "s",
    };
    GroupVersionResource::new(kind.group.clone(), kind.version.clone(), plural)
}

/// Returns the profile of Kubernetes `release` with the defaults of all gates.
pub(super) fn profile_of(release: Version) -> Arc<ServerProfile> {
    Arc::new(ServerProfile::of_release(release, super::gate_defaults(release)))
}
