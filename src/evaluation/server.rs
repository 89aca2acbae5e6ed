//! The handling of one request by kube-apiserver, around and between the two phases of admission.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers` and `k8s.io/apiserver/pkg/registry/generic/registry`.

pub(super) mod checks;
mod create;
mod escalation;
pub(super) mod handlers;
mod param_rights;
mod status_rights;
mod storage_key;
mod update;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::admission::{Attributes, Chain, Operation, Refusal, Trace, UserInfo};
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::evaluation::binding;
use crate::evaluation::issued::{Storing, Writer};
use crate::evaluation::server::handlers::Handlers;
use crate::evaluation::target::Target;
use kube_api::resources::{CUSTOM_RESOURCE_DEFINITIONS, PODS};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, Name, Object, Status, Value};
use kube_registry::{Context, NOW, Read, Rehearsal, RequestInfo, ServiceNetwork};

pub(super) use checks::check_preconditions;

/// A request whose body was read, ready for admission.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is about another property of the request")]
pub(super) struct Call {
    pub(super) operation: Operation,
    pub(super) target: Target,
    pub(super) sub_resource: Name,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) body: Option<Read>,
    pub(super) old_object: Option<Arc<Object>>,
    pub(super) options: Option<Arc<Value>>,
    pub(super) dry_run: bool,
    pub(super) user_info: Arc<UserInfo>,
    pub(super) ordinal: u64,
    pub(super) time: Duration,
    /// When the server stops waiting for webhooks, if it does.
    pub(super) deadline: Option<Instant>,
    /// Whether the request deletes a collection: the chain then knows the object, and no name.
    pub(super) is_of_collection: bool,
    /// Whether the object is the result of patching the stored one.
    pub(super) is_patch: bool,
    /// Whether the client sets the version of the object that it changes, as one that read it before does.
    pub(super) knows_version: bool,
    /// What the registry makes of the object if no plugin changes it.
    pub(super) rehearsal: Option<Box<Rehearsal>>,
    /// The owner of the fields that it changes.
    pub(super) writer: Writer,
}

impl Call {
    /// Returns group and kind of what it defines, if it creates a definition.
    pub(super) fn defines(&self) -> Option<(String, String)> {
        let is_definition = self.target.group_resource() == CUSTOM_RESOURCE_DEFINITIONS;
        let definition =
            &self.body.as_ref().filter(|_| is_definition && self.operation == Operation::Create)?.object;
        let text = |field: &[&str]| definition.text(field).to_owned();
        Some((text(&["spec", "group"]), text(&["spec", "names", "kind"])))
    }

    /// Removes the version of an object that is to be created, as clients do.
    pub(super) fn forget_version(&mut self) {
        if let Some(body) = &mut self.body
            && body.object.has(["metadata", "resourceVersion"])
        {
            body.object.remove(["metadata", "resourceVersion"]);
        }
    }

    /// Returns what decides about the values that are issued to the object that it stores.
    fn storing<'a>(&'a self, received: &'a Object, now: &'a str) -> Storing<'a> {
        Storing {
            writer: &self.writer,
            sub_resource: &self.sub_resource,
            version: self.target.strategy.definition().map(|(_, version)| version),
            ordinal: self.ordinal,
            received,
            now,
            scale: None,
        }
    }

    /// Returns the request that a plugin or controller sends for an object of a built-in kind.
    pub(super) fn of(
        operation: Operation,
        object: Object,
        user_info: Arc<UserInfo>,
        ordinal: u64,
        time: Duration,
    ) -> Self {
        Self {
            operation,
            target: Target::of_kind(&object.kind).expect("plugins and controllers make built-in kinds"),
            sub_resource: Name::Borrowed(""),
            namespace: object.namespace().to_owned(),
            name: object.name().to_owned(),
            body: Some(Read::of(object, false)),
            old_object: None,
            options: None,
            dry_run: false,
            user_info,
            ordinal,
            time,
            deadline: None,
            is_of_collection: false,
            is_patch: true,
            knows_version: true,
            rehearsal: None,
            writer: Writer { manager: CONTROLLERS.to_owned(), ..Writer::default() },
        }
    }
}

/// The field manager of controllers.
const CONTROLLERS: &str = "kube-controller-manager";

/// The server's answer, and the trace of the request.
#[derive(Debug)]
pub(super) struct Answer {
    /// The operation that admission saw: a PUT of a missing object of some kinds is a CREATE.
    pub(super) operation: Operation,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) received: Option<Arc<Object>>,
    pub(super) object: Option<Arc<Object>>,
    pub(super) trace: Trace,
    pub(super) refusal: Option<Refusal>,
    pub(super) ordinal: u64,
}

impl Answer {
    /// Returns the refusal of an object in `namespace` before anything is known about it.
    pub(super) fn refused(operation: Operation, namespace: &str, status: Status) -> Self {
        Self {
            operation,
            namespace: namespace.to_owned(),
            name: String::new(),
            received: None,
            object: None,
            trace: Trace::default(),
            refusal: Some(status.into()),
            ordinal: 0,
        }
    }
}

/// The parts of an API server that a request passes.
#[derive(Clone, Copy)]
pub(super) struct Server<'a> {
    pub(super) chain: &'a Chain,
    pub(super) cluster: &'a Cluster,
    pub(super) profile: &'a ServerProfile,
    pub(super) authorizer: &'a Authorizer,
    /// What the distribution does otherwise than Kubernetes.
    pub(super) handlers: &'a dyn Handlers,
    /// The network of Services, as far as it is known.
    pub(super) services: &'a ServiceNetwork,
    /// Whether kubelets remove deleted Pods.
    pub(super) has_kubelets: bool,
    /// The server's clock, if objects get what a server issues.
    pub(super) clock: Option<fn() -> String>,
}

impl Server<'_> {
    /// Answers `call`. Changes are persisted unless it is a dry run.
    pub(super) fn answer(self, call: Call) -> Answer {
        let mut answer = Answer {
            operation: call.operation,
            namespace: call.namespace.clone(),
            name: call.name.clone(),
            received: None,
            object: None,
            trace: Trace::default(),
            refusal: None,
            ordinal: call.ordinal,
        };
        if !call.target.serves(call.operation) {
            answer.refusal = Some(call.target.not_allowed(call.operation).into());
            return answer;
        }
        if let Some(warning) = call.target.deprecation_warning(self.profile.release()) {
            answer.trace.warn([warning]);
            answer.trace.audit_annotations.insert("k8s.io/deprecated".to_owned(), "true".to_owned());
        }
        let result = match call.operation {
            Operation::Create => self.create(call, &mut answer),
            Operation::Update => self.update(call, &mut answer),
            Operation::Delete => self.delete(call, &mut answer),
            Operation::Connect => self.connect(call, &mut answer),
        };
        match result {
            Ok(object) => answer.object = object,
            Err(refusal) => answer.refusal = Some(answer.trace.blamed(refusal)),
        }
        answer
    }

    /// Calls `with` with what the strategy needs to know of the request besides `request`.
    fn with_context<T>(
        self,
        call: &Call,
        request: RequestInfo<'_>,
        with: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        let (mut with, mut result) = (Some(with), None);
        self.handlers.with_context(self, call, &mut |openshift| {
            let context = Context::of_request(self.profile, RequestInfo { openshift, ..request });
            result = with.take().map(|with| with(&context));
        });
        result.expect("the context is passed on once")
    }

    fn delete(self, mut call: Call, answer: &mut Answer) -> Result<Option<Arc<Object>>, Refusal> {
        let group_resource = call.target.group_resource();
        self.check_unreadable(&call)?;
        Self::check_system_class(&call)?;
        answer.trace.warn(self.deletion_warning(&group_resource, call.options.as_deref()));
        let stored = self.cluster.get(&group_resource, &call.namespace, &call.name);
        let Some(old_object) = call.old_object.take().or(stored) else {
            return Err(Status::new_not_found(&call.target.resource.group_resource(), &call.name).into());
        };
        let old_object = call.target.read_stored(old_object);
        let kind = &call.target.kind;
        let kind = GroupResource { group: kind.group.clone(), resource: kind.kind.clone() };
        if call.target.is_namespaces() {
            checks::check_namespace_preconditions(call.options.as_deref(), &old_object)?;
        } else {
            check_preconditions(call.options.as_deref(), &kind, &call.name, &old_object)?;
        }
        if checks::is_pending(&old_object, call.options.as_deref()) {
            return Ok(None);
        }
        let mut attributes = attributes(&call, Operation::Delete, None, Some(old_object.clone()));
        self.chain.admit(&mut attributes, &mut answer.trace, &|object| self.make(object, &call))?;
        self.chain.validate(&attributes, &mut answer.trace)?;
        if !call.dry_run {
            self.remove(&group_resource, &old_object, call.options.as_deref());
        }
        Ok(None)
    }

    fn connect(self, mut call: Call, answer: &mut Answer) -> Result<Option<Arc<Object>>, Refusal> {
        let received = match call.body.take() {
            Some(body) => Some(receive(body.object, answer)),
            None => None,
        };
        let mut attributes = attributes(&call, Operation::Connect, received, None);
        self.chain.admit(&mut attributes, &mut answer.trace, &|object| self.make(object, &call))?;
        self.chain.validate(&attributes, &mut answer.trace)?;
        Ok(attributes.object)
    }

    /// Places the pod of `binding`.
    fn bind(self, binding: &Object, call: &Call) -> Result<(), Refusal> {
        binding::check_name(binding.name())?;
        let Some(stored) = self.cluster.get(&PODS, &call.namespace, binding.name()) else {
            return Err(Status::new_not_found(&PODS, binding.name()).into());
        };
        // A dry run does not come as far as to get the start of the key.
        let prefix = if call.dry_run { "" } else { self.handlers.storage(&call.target).0 };
        checks::check_bound(binding, &stored, prefix)?;
        let mut pod = Object::clone(&stored);
        binding::assign(&mut pod, binding, self.profile, &self.now())?;
        if !call.dry_run {
            self.cluster.put(&PODS, Arc::new(pod));
        }
        Ok(())
    }

    /// Returns the time of the server's clock.
    pub(super) fn now(self) -> Cow<'static, str> {
        self.clock.map_or(Cow::Borrowed(NOW), |clock| Cow::Owned(clock()))
    }

    /// Sends a plugin's own request, as the API server's own user.
    fn make(self, mut object: Object, parent: &Call) -> Result<(), Refusal> {
        let user_info = UserInfo {
            username: "system:apiserver".to_owned(),
            groups: vec!["system:masters".to_owned(), "system:authenticated".to_owned()],
            ..UserInfo::default()
        };
        kube_registry::set_defaults(&mut object, self.profile);
        let (ordinal, time) = (parent.ordinal, parent.time);
        let answer = self.answer(Call::of(Operation::Create, object, Arc::new(user_info), ordinal, time));
        answer.refusal.map_or(Ok(()), Err)
    }

    /// Stores `object`, in its storage version.
    fn store(self, resource: &GroupResource, object: Arc<Object>) {
        match kube_registry::stored::to_storage(&object) {
            Some((resource, converted)) => self.cluster.put(&resource, Arc::new(converted)),
            None => self.cluster.put(resource, object),
        }
    }
}

fn take_body(call: &mut Call, answer: &mut Answer) -> Result<(Object, bool), Refusal> {
    let Some(mut body) = call.body.take() else {
        return Err(Status::new_bad_request("the request has no object").into());
    };
    let needs_version =
        call.operation == Operation::Update && !call.target.strategy.allows_unconditional_update();
    if !needs_version && body.object.text(["metadata", "resourceVersion"]) == "0" {
        // As for a store, whose versions are numbers.
        body.object.remove(["metadata", "resourceVersion"]);
    }
    answer.trace.warn(body.warnings);
    let dropped = body.dropped.into_iter().map(|fault| {
        format!("{fault} of {} {}: this server drops it without a warning", body.object.kind.kind, call.name)
    });
    answer.trace.notes.extend(dropped);
    Ok((body.object, body.had_labels))
}

fn receive(object: Object, answer: &mut Answer) -> Arc<Object> {
    let object = Arc::new(object);
    answer.received = Some(object.clone());
    object
}

/// Sets the received object late: if no plugin mutates, the first one sees the object after the server prepared it.
fn receive_late(object: &Arc<Object>, answer: &mut Answer) {
    if answer.trace.ran.is_empty() {
        answer.received = Some(object.clone());
    }
}

/// Returns the request as the chain sees it. A Namespace counts as being in itself.
fn attributes(
    call: &Call,
    operation: Operation,
    object: Option<Arc<Object>>,
    old_object: Option<Arc<Object>>,
) -> Attributes {
    Attributes {
        operation,
        kind: call.target.kind.clone(),
        resource: call.target.resource.clone(),
        sub_resource: call.sub_resource.clone(),
        namespace: if call.target.is_namespaces() { call.name.clone() } else { call.namespace.clone() },
        name: if call.is_of_collection { String::new() } else { call.name.clone() },
        object,
        old_object,
        options: call.options.clone(),
        dry_run: call.dry_run,
        user_info: call.user_info.clone(),
        reinvocation: false,
        reinvocation_context: crate::admission::ReinvocationContext::default(),
        ordinal: call.ordinal,
        time: call.time,
        deadline: call.deadline,
    }
}
