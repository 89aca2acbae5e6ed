//! The handling of one request by kube-apiserver, around and between the two phases of admission.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers` and `k8s.io/apiserver/pkg/registry/generic/registry`.

pub(super) mod checks;
mod escalation;
mod status_rights;
mod storage_key;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::admission::{Attributes, Chain, Operation, Refusal, Trace, UserInfo};
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::evaluation::issued::{self, Storing, Writer};
use crate::evaluation::target::Target;
use crate::evaluation::{binding, initializers, owner_references, parent, review};
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::resources::PODS;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupResource, Name, Object, Status, Value, name_generator};
use kube_registry::merge::managed_fields;
use kube_registry::openshift::allowed_registries::AllowedRegistries;
use kube_registry::openshift::image_stream;
use kube_registry::{
    Context, Creation, NOW, Read, Rehearsal, RequestInfo, Requester, ServiceNetwork, strategy,
};

pub(super) use checks::check_preconditions;
use checks::{check_name, check_resource_version, check_uid, ensure_namespace, refuse_invalid, with_version};

/// A request whose body was read, ready for admission.
#[derive(Debug)]
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
            is_patch: true,
            knows_version: true,
            rehearsal: None,
            writer: Writer { manager: CONTROLLERS.to_owned(), applied: None },
        }
    }
}

/// The field manager of controllers.
const CONTROLLERS: &str = "kube-controller-manager";

/// The first release that fills in the namespace before admission; older ones do it after the mutating half.
const NAMESPACE_FIRST: Version = Version::minor(24);

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
    /// The address of OpenShift's integrated registry; empty if unknown.
    pub(super) registry: &'a str,
    /// The configured domain of routes without a host; empty if there is none.
    pub(super) route_domain: &'a str,
    /// The registries that OpenShift's image streams may refer to.
    pub(super) allowed_registries: &'a AllowedRegistries,
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
        let warning = call.target.deprecation_warning(self.profile.release());
        if let Some(warning) = warning.filter(|_| self.profile.origin().is_none()) {
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

    #[expect(clippy::too_many_lines, reason = "the steps of one request, in the server's order")]
    fn create(self, mut call: Call, answer: &mut Answer) -> Result<Option<Arc<Object>>, Refusal> {
        answer.operation = Operation::Create;
        let (mut body, had_labels) = take_body(&mut call, answer)?;
        let origin = self.profile.origin();
        let checks_before_admission = origin.is_none() && self.profile.release() >= NAMESPACE_FIRST;
        if checks_before_admission {
            wipe_system_fields(&mut body, &call);
            ensure_namespace(&mut body, &call)?;
        }
        owner_references::deduplicate_sent(&mut body, call.is_patch, self.profile, &mut answer.trace);
        managed_fields::settle(&mut body, None);
        let group_resource = call.target.group_resource();
        let received = receive(body, answer);
        let mut attributes = attributes(&call, Operation::Create, Some(received.clone()), None);
        answer.name.clone_from(&attributes.name);

        self.chain.admit(&mut attributes, &mut answer.trace, &|object| self.make(object, &call))?;

        let left = self.left_by_plugins(&attributes);
        let object = attributes.object_mut().expect("a CREATE has an object");
        // Again, as what mutates may have changed it.
        owner_references::deduplicate(object, true, self.profile, &mut answer.trace);
        if !checks_before_admission && origin.is_none() {
            wipe_system_fields(object, &call);
        }
        ensure_namespace(object, &call)?;
        escalation::check(&call, self.authorizer, object, None)?;
        // An object whose name is generated is copied first: shared parts are then no longer shared.
        let is_copied = object.name().is_empty() && self.profile.enabled(Feature::RetryGenerateName);
        if call.sub_resource.is_empty() {
            kube_registry::generate_name(object, |base| name_generator::generate_name(base, call.ordinal));
            object.name().clone_into(&mut call.name);
        }
        let uid = name_generator::generate_uid(call.ordinal);
        let requester = requester(&call.user_info);
        let managed_fields = match (&answer.received, call.target.answer()) {
            (Some(received), Some(_)) => managed_fields::of_received(received, call.options.as_deref()),
            _ => None,
        };
        let namespace = self.cluster.namespace(object.namespace());
        let around = self.surroundings(&call);
        let request = RequestInfo {
            image_streams: around.as_ref(),
            uid: &uid,
            requester: Some(&requester),
            had_labels: had_labels || is_copied,
            namespace: namespace.as_deref(),
            managed_fields: managed_fields.as_ref(),
            facts: None,
            registry: self.registry,
        };
        self.allocate(object, None, &call, answer)?;
        let host_errors = self.allocate_host(object, &call);
        let rehearsal = call.rehearsal.take();
        let (mut creation, stored) = self.with_facts(&call, |facts| {
            let context = Context::of_request(self.profile, RequestInfo { facts, ..request });
            Creation::rehearsed(rehearsal, &call.target.strategy, object, &context)
        });
        creation.errors.splice(0..0, host_errors);
        answer.trace.warn(creation.preparation_warnings);
        attributes.name.clone_from(&call.name);
        answer.name.clone_from(&call.name);
        let object = attributes.object.as_ref().expect("a CREATE has an object");
        if !call.sub_resource.is_empty() {
            let place = (call.namespace.as_str(), call.name.as_str());
            parent::check(object, call.target.answer(), place, call.dry_run, self.cluster)?;
        }
        if call.target.answer() == Some(strategy::Answer::TokenReview) {
            review::check(object)?;
        }
        answer.trace.notes.extend(call.target.strategy.left_out());
        self.refuse_invalid(object, None, &call, around.as_ref(), creation.errors)?;
        answer.trace.warn(creation.warnings);

        if !call.target.is_aggregated() {
            receive_late(object, answer);
        }
        self.chain.validate(&attributes, &mut answer.trace)?;

        let mut object = attributes.object.expect("a CREATE has an object");
        let is_stored = call.sub_resource.is_empty() && call.target.strategy.is_stored();
        if is_stored && let Some(existing) = self.cluster.get(&group_resource, &call.namespace, &call.name) {
            return Err(Self::already_exists(&existing, &group_resource).into());
        }
        self.write_stream(&object, &call)?;
        self.write_proxied(&object, &call, &mut answer.trace)?;
        self.create_namespace(&object, &call)?;
        match call.target.answer() {
            Some(strategy::Answer::Binding) => self.bind(&object, &call)?,
            Some(strategy::Answer::Eviction) => answer.trace.notes.extend(self.evict(&object, &call)?),
            _ => {}
        }
        if let Some(kind) = call.target.answer() {
            review::answer(kind, Arc::make_mut(&mut object), self.authorizer, &call.user_info)?;
            if kind == strategy::Answer::TokenReview {
                answer.trace.notes.push(review::UNKNOWN_TOKEN.to_owned());
            }
        } else if let Some(stored) = stored {
            object = Arc::new(stored);
        } else {
            call.target.strategy.store(Arc::make_mut(&mut object), self.profile);
        }
        if is_stored && let Some(clock) = self.clock {
            issued::issue(Arc::make_mut(&mut object), None, &call.storing(&received, &clock()));
        }
        if is_stored && !call.dry_run {
            self.store_new(&group_resource, object.clone())?;
        }
        initializers::wait(&object, call.options.as_deref())?;
        Ok(call.target.answers_object().then_some(left.unwrap_or(object)))
    }

    #[expect(clippy::too_many_lines, reason = "the steps of one request, in the server's order")]
    fn update(self, mut call: Call, answer: &mut Answer) -> Result<Option<Arc<Object>>, Refusal> {
        let (mut body, had_labels) = take_body(&mut call, answer)?;
        if self.profile.origin().is_none() {
            ensure_namespace(&mut body, &call)?;
        }
        check_name(&body, &call)?;
        owner_references::deduplicate_sent(&mut body, call.is_patch, self.profile, &mut answer.trace);
        let group_resource = call.target.group_resource();
        let stored = self.cluster.get(&group_resource, &call.namespace, &call.name);
        let old_object = match call.old_object.take().or(stored) {
            Some(old_object) => call.target.read_stored(old_object),
            None if call.sub_resource.is_empty() && call.target.strategy.allows_create_on_update() => {
                call.body = Some(Read::of(body, had_labels));
                return self.create(call, answer);
            }
            None if image_stream::is_tag(&call.target.kind) => {
                let stream = self.stream_of(&call);
                if stream.is_none() && self.profile.origin().is_none() {
                    call.body = Some(Read::of(body, had_labels));
                    return self.create(call, answer);
                }
                Arc::new(image_stream::unset_tag(
                    &call.target.kind,
                    &call.namespace,
                    &call.name,
                    stream.is_some(),
                ))
            }
            None => return Err(Status::new_not_found(&group_resource, &call.name).into()),
        };
        if !call.is_patch {
            check_uid(&body, &old_object, &call, self.cluster.distribution())?;
        }
        managed_fields::settle(&mut body, Some(&old_object));

        let old_in_kind = match &*call.sub_resource {
            "scale" => Arc::new(call.target.strategy.scale_of(&old_object)),
            _ if call.target.shows_ephemeral_containers() => {
                Arc::new(kube_registry::ephemeral_containers_of(&old_object))
            }
            _ => old_object.clone(),
        };
        let received = receive(body, answer);
        let mut attributes =
            attributes(&call, Operation::Update, Some(received.clone()), Some(old_in_kind.clone()));
        self.chain.admit(&mut attributes, &mut answer.trace, &|object| self.make(object, &call))?;

        if let Some(object) = attributes.object_mut() {
            owner_references::deduplicate(object, true, self.profile, &mut answer.trace);
            escalation::check(&call, self.authorizer, object, Some(&old_in_kind))?;
        }
        check_resource_version(&attributes, &old_object, &group_resource)?;
        let left = self.left_by_plugins(&attributes);
        let object = attributes.object_mut().expect("an UPDATE has an object");
        ensure_namespace(object, &call)?;
        let around = self.surroundings(&call);
        let namespace = self.namespace_around(&call);
        let request = RequestInfo { namespace: namespace.as_deref(), ..RequestInfo::around(around.as_ref()) };
        let context = Context::of_request(self.profile, request);
        self.allocate(object, Some(&old_in_kind), &call, answer)?;
        call.target.strategy.prepare_for_update(object, &old_in_kind, &call.sub_resource, &context);
        if call.sub_resource == "scale" {
            // Validation sees the workload as its subresource.
            *object = call.target.strategy.scale_of(&call.target.strategy.apply_scale(&old_object, object));
        }
        if call.target.shows_ephemeral_containers() {
            *object = Self::ephemeral_containers(object, &old_object, &context, &call)?;
        }
        let object = attributes.object.as_ref().expect("an UPDATE has an object");
        let versioned = with_version(object, &old_in_kind, &call);
        let (strategy, mut warnings) = (&call.target.strategy, Vec::new());
        let mut errors = self.host_errors(object, &old_in_kind, &call);
        errors.extend(self.with_facts(&call, |facts| {
            let context = Context::of_request(self.profile, RequestInfo { facts, ..request });
            match &*call.sub_resource {
                "scale" => strategy.validate_scale(&versioned, &old_object, &context, &mut warnings),
                name => strategy.validate_update(&versioned, &old_in_kind, name, &context, &mut warnings),
            }
        }));
        self.check_status_rights(&call, object, &old_in_kind, &mut errors);
        answer.trace.warn(warnings);
        answer.trace.notes.extend(call.target.strategy.left_out());
        self.refuse_invalid(object, Some(&old_object), &call, around.as_ref(), errors)?;
        answer.trace.warn(strategy.warnings(object, Some(&old_in_kind), &call.sub_resource, self.profile));

        receive_late(object, answer);
        self.chain.validate(&attributes, &mut answer.trace)?;

        let mut object = attributes.object.expect("an UPDATE has an object");
        self.write_stream(&object, &call)?;
        self.write_proxied(&object, &call, &mut answer.trace)?;
        call.target.strategy.store(Arc::make_mut(&mut object), self.profile);
        let (mut stored, is_view) = match &*call.sub_resource {
            "scale" => (Arc::new(call.target.strategy.apply_scale(&old_object, &object)), true),
            _ if call.target.shows_ephemeral_containers() => {
                (Arc::new(kube_registry::apply_ephemeral_containers(&old_object, &object)), true)
            }
            _ => (object.clone(), false),
        };
        if let Some(clock) = self.clock {
            let now = clock();
            let received = if is_view { stored.clone() } else { received };
            let storing = call.storing(&received, &now);
            issued::issue(Arc::make_mut(&mut stored), Some(&old_object), &storing);
            if !is_view {
                object = stored.clone();
            }
        }
        if !call.dry_run {
            if Self::ends(&stored, &old_object) {
                self.cluster.remove(&group_resource, stored.namespace(), stored.name());
            } else {
                self.store(&group_resource, stored);
            }
        }
        Ok(Some(left.unwrap_or(object)))
    }

    /// Returns the object as the plugins of a master of Origin left it, which is the answer: what its storage does then
    /// is known of image streams alone, if there is a registry for them.
    fn left_by_plugins(self, attributes: &Attributes) -> Option<Arc<Object>> {
        attributes.object.clone().filter(|_| self.profile.origin().is_some() && self.registry.is_empty())
    }

    /// Returns the namespace of a subresource, whose rules may depend on it.
    fn namespace_around(self, call: &Call) -> Option<Arc<Object>> {
        if call.sub_resource.is_empty() { None } else { self.cluster.namespace(&call.namespace) }
    }

    /// Sets the ephemeral containers of `pod` to those of `view`, as prepared for the Pod; the Pod must be valid with
    /// them.
    fn ephemeral_containers(
        view: &Object,
        pod: &Object,
        context: &Context<'_>,
        call: &Call,
    ) -> Result<Object, Refusal> {
        let Some(strategy) = kube_registry::of(&pod.kind) else { return Ok(view.clone()) };
        let mut changed = kube_registry::apply_ephemeral_containers(pod, view);
        strategy.prepare_for_update(&mut changed, pod, &call.sub_resource, context);
        let changed = Arc::new(changed);
        let versioned = with_version(&changed, pod, call);
        let errors = strategy.validate_update(&versioned, pod, &call.sub_resource, context);
        refuse_invalid(&call.target, &changed, &errors, kube_api::version::Version::BINARY)?;
        Ok(kube_registry::ephemeral_containers_of(&changed))
    }

    fn delete(self, mut call: Call, answer: &mut Answer) -> Result<Option<Arc<Object>>, Refusal> {
        let group_resource = call.target.group_resource();
        let stored = self.cluster.get(&group_resource, &call.namespace, &call.name);
        let Some(old_object) = call.old_object.take().or(stored) else {
            return Err(Status::new_not_found(&group_resource, &call.name).into());
        };
        let old_object = call.target.read_stored(old_object);
        let kind = &call.target.kind;
        let kind = GroupResource { group: kind.group.clone(), resource: kind.kind.clone() };
        check_preconditions(call.options.as_deref(), &kind, &call.name, &old_object)?;
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

    /// Stores a new object, which has no version yet.
    fn store_new(self, resource: &GroupResource, object: Arc<Object>) -> Result<(), Refusal> {
        if !object.text(["metadata", "resourceVersion"]).is_empty() {
            let error = Status::from_error("resourceVersion should not be set on objects to be created");
            return Err(Refusal::from(error).at(Path::new("metadata.resourceVersion")));
        }
        self.store(resource, object);
        Ok(())
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
    let Some(body) = call.body.take() else {
        return Err(Status::new_bad_request("the request has no object").into());
    };
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

/// Removes the metadata that only the server sets, except from the binding of a Pod, which may name its uid.
fn wipe_system_fields(object: &mut Object, call: &Call) {
    if call.sub_resource.is_empty() || call.target.answer() != Some(strategy::Answer::Binding) {
        kube_registry::wipe_system_fields(object);
    }
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
        name: call.name.clone(),
        object,
        old_object,
        options: call.options.clone(),
        dry_run: call.dry_run,
        user_info: call.user_info.clone(),
        reinvocation: false,
        reinvocation_context: crate::admission::ReinvocationContext::default(),
        ordinal: call.ordinal,
        time: call.time,
    }
}

fn requester(user_info: &UserInfo) -> Requester {
    let UserInfo { username, uid, groups, extra } = user_info.clone();
    Requester { name: username, uid, groups, extra }
}
