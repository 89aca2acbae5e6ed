//! The creation of an object: what the server does before, between and after the phases of admission.
//!
//! Source: `createHandler` of `k8s.io/apiserver/pkg/endpoints/handlers`, `rest.BeforeCreate`, `registry.Store.Create`.

use std::sync::Arc;

use crate::admission::{Operation, Refusal, UserInfo};
use crate::evaluation::issued;
use crate::evaluation::server::checks::{check_name, ensure_namespace};
use crate::evaluation::server::{
    Answer, Call, Server, attributes, escalation, receive, receive_late, take_body,
};
use crate::evaluation::{initializers, owner_references, parent, review};
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{Object, Status, name_generator};
use kube_registry::merge::managed_fields;
use kube_registry::{Creation, RequestInfo, Requester, strategy};

/// The first release that fills in the namespace before admission; older ones do it after the mutating half.
const NAMESPACE_FIRST: Version = Version::minor(24);

/// A new object that the registry prepared.
struct PreparedObject {
    creation: Creation,
    /// The object as it comes back from the storage, if that is known.
    stored: Option<Object>,
}

impl Server<'_> {
    pub(super) fn create(self, mut call: Call, answer: &mut Answer) -> Result<Option<Arc<Object>>, Refusal> {
        answer.operation = Operation::Create;
        let (body, had_labels) = take_body(&mut call, answer)?;
        let received = self.receive_new(body, &call, answer)?;
        let mut attributes = attributes(&call, Operation::Create, Some(received.clone()), None);
        answer.name.clone_from(&attributes.name);

        self.chain.admit(&mut attributes, &mut answer.trace, &|object| self.make(object, &call))?;

        let left = self.handlers.left_by_plugins(&attributes);
        let object = attributes.object_mut().expect("a CREATE has an object");
        let is_copied = self.name_new(object, &mut call, answer)?;
        let prepared = self.prepare_new(object, &mut call, had_labels || is_copied, answer)?;
        attributes.name.clone_from(&call.name);
        answer.name.clone_from(&call.name);
        let object = attributes.object.as_ref().expect("a CREATE has an object");
        let stored = self.check_new(object, &call, prepared, answer)?;
        if !call.target.is_aggregated() {
            receive_late(object, answer);
        }

        self.chain.validate(&attributes, &mut answer.trace)?;

        let object = attributes.object.expect("a CREATE has an object");
        let object = self.carry_out(object, stored, &received, &call, answer)?;
        initializers::wait(&object, call.options.as_deref())?;
        Ok(call.target.answers_object().then_some(left.unwrap_or(object)))
    }

    /// Completes the metadata of the body, as far as this happens before admission.
    fn receive_new(self, mut body: Object, call: &Call, answer: &mut Answer) -> Result<Arc<Object>, Refusal> {
        if self.completes_before_admission() {
            wipe_system_fields(&mut body, call, self.profile);
            ensure_namespace(&mut body, call)?;
        }
        // What is applied has the name of the URL.
        if call.is_patch {
            check_name(&body, call)?;
        }
        owner_references::deduplicate_sent(&mut body, call.is_patch, self.profile, &mut answer.trace);
        managed_fields::settle(&mut body, None);
        Ok(receive(body, answer))
    }

    fn completes_before_admission(self) -> bool {
        self.handlers.completes_before_admission() && self.profile.release() >= NAMESPACE_FIRST
    }

    /// Completes the metadata of an object that may have been mutated, and generates its name; returns whether the
    /// object was copied for that.
    fn name_new(self, object: &mut Object, call: &mut Call, answer: &mut Answer) -> Result<bool, Refusal> {
        // Again, as what mutates may have changed it.
        owner_references::deduplicate(object, true, self.profile, &mut answer.trace);
        if !self.completes_before_admission() && self.handlers.completes_before_admission() {
            wipe_system_fields(object, call, self.profile);
        }
        ensure_namespace(object, call)?;
        escalation::check(call, self.authorizer, object, None)?;
        // An object whose name is generated is copied first: shared parts are then no longer shared.
        let is_copied = object.name().is_empty() && self.profile.enabled(Feature::RetryGenerateName);
        if call.sub_resource.is_empty() {
            kube_registry::generate_name(object, |base| name_generator::generate_name(base, call.ordinal));
            object.name().clone_into(&mut call.name);
            if call.name.is_empty() && call.target.strategy.names_nameless() {
                object.set(["metadata", "name"], name_generator::generate_uid(call.ordinal));
            }
        }
        Ok(is_copied)
    }

    /// Allocates what the object needs, and lets the registry prepare and validate it.
    fn prepare_new(
        self,
        object: &mut Object,
        call: &mut Call,
        had_labels: bool,
        answer: &mut Answer,
    ) -> Result<PreparedObject, Refusal> {
        let uid = name_generator::generate_uid(call.ordinal);
        let requester = requester(&call.user_info);
        let managed_fields = match (&answer.received, call.target.answer()) {
            (Some(received), Some(_)) => managed_fields::of_received(received, call.options.as_deref()),
            _ => None,
        };
        let namespace = self.cluster.namespace(object.namespace());
        let request = RequestInfo {
            uid: &uid,
            requester: Some(&requester),
            had_labels,
            namespace: namespace.as_deref(),
            managed_fields: managed_fields.as_ref(),
            ..RequestInfo::default()
        };
        self.allocate(object, None, call, answer)?;
        let errors = self.handlers.allocate(self, object, call);
        let rehearsal = call.rehearsal.take();
        let (mut creation, stored) = self.with_context(call, request, |context| {
            Creation::rehearsed(rehearsal, &call.target.strategy, object, context)
        });
        creation.errors.splice(0..0, errors);
        answer.trace.warn(std::mem::take(&mut creation.preparation_warnings));
        Ok(PreparedObject { creation, stored })
    }

    /// Refuses an object that is invalid; returns it as it comes back from the storage, if that is known.
    fn check_new(
        self,
        object: &Object,
        call: &Call,
        prepared: PreparedObject,
        answer: &mut Answer,
    ) -> Result<Option<Object>, Refusal> {
        let PreparedObject { mut creation, stored } = prepared;
        if !call.sub_resource.is_empty() {
            let place = (call.namespace.as_str(), call.name.as_str());
            parent::check(object, call.target.answer(), place, call.dry_run, self.cluster)?;
            if call.target.answer() == Some(strategy::Answer::TokenRequest) {
                parent::check_account(object, place, self, &mut answer.trace)?;
            }
        }
        if call.target.answer() == Some(strategy::Answer::TokenReview) {
            review::check(object)?;
        }
        answer.trace.notes.extend(call.target.strategy.left_out());
        let need = self.check_param_rights(call, object, None, &mut creation.errors);
        let refused = self.handlers.refuse_invalid(self, object, None, call, creation.errors);
        refused.map_err(|refusal| refusal.needing(need))?;
        answer.trace.warn(creation.warnings);
        Ok(stored)
    }

    /// Stores an admitted object, or does what the request asks for; returns what the server answers.
    fn carry_out(
        self,
        mut object: Arc<Object>,
        stored: Option<Object>,
        received: &Object,
        call: &Call,
        answer: &mut Answer,
    ) -> Result<Arc<Object>, Refusal> {
        let group_resource = call.target.group_resource();
        let is_stored = call.sub_resource.is_empty() && call.target.strategy.is_stored();
        if is_stored {
            check_version(&object, call)?;
        }
        if is_stored && let Some(existing) = self.cluster.get(&group_resource, &call.namespace, &call.name) {
            return Err(Self::already_exists(&existing, &call.target.resource.group_resource()).into());
        }
        self.handlers.write_others(self, &object, call, &mut answer.trace)?;
        match call.target.answer() {
            Some(strategy::Answer::Binding) => self.bind(&object, call)?,
            Some(strategy::Answer::Eviction) => answer.trace.notes.extend(self.evict(&object, call)?),
            Some(strategy::Answer::TokenRequest) => {
                parent::check_bound_object(&object, (&call.namespace, &call.name), self.cluster)?;
            }
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
        if let Some(clock) = self.clock {
            let (now, object) = (clock(), Arc::make_mut(&mut object));
            if is_stored {
                issued::issue(object, None, &call.storing(received, &now));
            } else if call.target.answers_object()
                && call.target.answer() != Some(strategy::Answer::SelfSubjectRulesReview)
            {
                self.identify(object, call, &now);
                issued::issue_owners(object, None, &call.storing(received, &now));
            }
        }
        if is_stored && !call.dry_run {
            self.store(&group_resource, object.clone());
        }
        Ok(object)
    }
}

impl Server<'_> {
    /// Gives an object that is only answered what the server says about it.
    fn identify(self, object: &mut Object, call: &Call, now: &str) {
        match call.target.answer() {
            Some(strategy::Answer::TokenRequest) => {
                let account = self.cluster.get(&call.target.group_resource(), &call.namespace, &call.name);
                let uid = account.map(|account| account.text(["metadata", "uid"]).to_owned());
                object.set(["metadata", "name"], call.name.as_str());
                object.set(["metadata", "namespace"], call.namespace.as_str());
                object.set(["metadata", "uid"], uid.unwrap_or_default());
                object.set(["metadata", "creationTimestamp"], now);
            }
            Some(strategy::Answer::SelfSubjectReview) => {
                object.set(["metadata", "creationTimestamp"], now);
            }
            _ => {}
        }
    }
}

/// Refuses a new object that has a version, before the storage looks whether it exists. An update that creates the object
/// may have one, and what is not a number is ignored.
fn check_version(object: &Object, call: &Call) -> Result<(), Refusal> {
    let version = object.text(["metadata", "resourceVersion"]).parse().unwrap_or(0_u64);
    if call.dry_run || call.operation != Operation::Create || version == 0 {
        return Ok(());
    }
    let error = Status::from_error("resourceVersion should not be set on objects to be created");
    Err(Refusal::from(error).at(Path::new("metadata.resourceVersion")))
}

/// The first release in which a request for a token may name the uid of its service account.
const TOKEN_REQUESTS_NAME_UID: Version = Version::minor(34);

/// Removes the metadata that only the server sets, except from the binding of a Pod and the request for a token, which
/// may name the uid of the object whose subresource they are.
fn wipe_system_fields(object: &mut Object, call: &Call, profile: &ServerProfile) {
    let names_uid = match call.target.answer() {
        Some(strategy::Answer::Binding) => !call.sub_resource.is_empty(),
        Some(strategy::Answer::TokenRequest) => profile.release() >= TOKEN_REQUESTS_NAME_UID,
        _ => false,
    };
    if !names_uid {
        kube_registry::wipe_system_fields(object);
    }
}

fn requester(user_info: &UserInfo) -> Requester {
    let UserInfo { username, uid, groups, extra } = user_info.clone();
    Requester { name: username, uid, groups, extra }
}
