//! The update of an object: what the server does before, between and after the phases of admission.
//!
//! Source: `UpdateResource` of `k8s.io/apiserver/pkg/endpoints/handlers`, `rest.BeforeUpdate`, `registry.Store.Update`.

use std::sync::Arc;

use crate::admission::{Operation, Refusal};
use crate::evaluation::issued::Storing;
use crate::evaluation::server::checks::{
    check_name, check_resource_version, check_uid, ensure_namespace, refuse_invalid, with_version,
};
use crate::evaluation::server::handlers::Missing;
use crate::evaluation::server::{
    Answer, Call, Server, attributes, escalation, receive, receive_late, take_body,
};
use crate::evaluation::{issued, owner_references};
use kube_api::version::Version;
use kube_api::{Object, Status};
use kube_registry::merge::managed_fields;
use kube_registry::{Context, Read, RequestInfo};

/// The object that an update changes.
struct OldObject {
    /// The whole object.
    stored: Arc<Object>,
    /// The object as the subresource of the request shows it.
    view: Arc<Object>,
}

impl OldObject {
    fn new(stored: Arc<Object>, call: &Call) -> Self {
        let view = match &*call.sub_resource {
            "scale" => Arc::new(call.target.strategy.scale_of(&stored)),
            _ if call.target.shows_ephemeral_containers() => {
                Arc::new(kube_registry::ephemeral_containers_of(&stored))
            }
            _ => stored.clone(),
        };
        Self { stored, view }
    }
}

impl Server<'_> {
    pub(super) fn update(self, mut call: Call, answer: &mut Answer) -> Result<Option<Arc<Object>>, Refusal> {
        let (mut body, had_labels) = take_body(&mut call, answer)?;
        if self.handlers.completes_before_admission() {
            ensure_namespace(&mut body, &call)?;
        }
        check_name(&body, &call)?;
        owner_references::deduplicate_sent(&mut body, call.is_patch, self.profile, &mut answer.trace);
        let Some(stored) = self.object_to_update(&mut call)? else {
            call.body = Some(Read::of(body, had_labels));
            return self.create(call, answer);
        };
        if !call.is_patch {
            check_uid(&body, &stored, &call, self.handlers.storage(&call.target))?;
        }
        call.writer.resets = managed_fields::is_reset(&body);
        managed_fields::settle(&mut body, Some(&stored));
        let old = OldObject::new(stored, &call);
        let received = receive(body, answer);
        let mut attributes =
            attributes(&call, Operation::Update, Some(received.clone()), Some(old.view.clone()));

        self.chain.admit(&mut attributes, &mut answer.trace, &|object| self.make(object, &call))?;

        if let Some(object) = attributes.object_mut() {
            owner_references::deduplicate(object, true, self.profile, &mut answer.trace);
            escalation::check(&call, self.authorizer, object, Some(&old.view))?;
        }
        check_resource_version(&attributes, &old.stored, &call, self.profile)?;
        let left = self.handlers.left_by_plugins(&attributes);
        let namespace = self.namespace_around(&call);
        let request = RequestInfo { namespace: namespace.as_deref(), ..RequestInfo::default() };
        let object = attributes.object_mut().expect("an UPDATE has an object");
        self.prepare_changed(object, &old, &call, request, answer)?;
        let object = attributes.object.as_ref().expect("an UPDATE has an object");
        self.check_changed(object, &old, &call, request, answer)?;
        receive_late(object, answer);

        self.chain.validate(&attributes, &mut answer.trace)?;

        let object = attributes.object.expect("an UPDATE has an object");
        self.handlers.write_others(self, &object, &call, &mut answer.trace)?;
        let object = self.store_changed(object, &old, received, &call);
        Ok(Some(left.unwrap_or(object)))
    }

    /// Returns the object that is updated; nothing if the request creates it.
    fn object_to_update(self, call: &mut Call) -> Result<Option<Arc<Object>>, Refusal> {
        let group_resource = call.target.group_resource();
        let stored = self.cluster.get(&group_resource, &call.namespace, &call.name);
        match call.old_object.take().or(stored) {
            Some(old_object) => Ok(Some(call.target.read_stored(old_object))),
            None if call.sub_resource.is_empty() && call.target.strategy.allows_create_on_update() => {
                Ok(None)
            }
            None => match self.handlers.update_missing(self, call) {
                Missing::Changed(unset) => Ok(Some(unset)),
                Missing::Created => Ok(None),
                Missing::NotFound => {
                    Err(Status::new_not_found(&call.target.resource.group_resource(), &call.name).into())
                }
            },
        }
    }

    /// Lets the registry prepare the changed object, which becomes what its subresource shows.
    fn prepare_changed(
        self,
        object: &mut Object,
        old: &OldObject,
        call: &Call,
        request: RequestInfo<'_>,
        answer: &mut Answer,
    ) -> Result<(), Refusal> {
        ensure_namespace(object, call)?;
        let strategy = &call.target.strategy;
        self.allocate(object, Some(&old.view), call, answer)?;
        self.with_context(call, request, |context| {
            strategy.prepare_for_update(object, &old.view, &call.sub_resource, context);
        });
        if call.sub_resource == "scale" {
            // Validation sees the workload as its subresource.
            *object = strategy.scale_of(&strategy.apply_scale(&old.stored, object));
        }
        if call.target.shows_ephemeral_containers() {
            let context = Context::of_request(self.profile, request);
            *object = Self::ephemeral_containers(object, &old.stored, &context, call)?;
        }
        Ok(())
    }

    /// Refuses an object that is invalid.
    fn check_changed(
        self,
        object: &Arc<Object>,
        old: &OldObject,
        call: &Call,
        request: RequestInfo<'_>,
        answer: &mut Answer,
    ) -> Result<(), Refusal> {
        let versioned = with_version(object, &old.view);
        let (strategy, mut warnings) = (&call.target.strategy, Vec::new());
        let mut errors = self.handlers.forbidden_changes(self, object, &old.view, call);
        errors.extend(self.with_context(call, request, |context| match &*call.sub_resource {
            "scale" => strategy.validate_scale(&versioned, &old.stored, context, &mut warnings),
            name => strategy.validate_update(&versioned, &old.view, name, context, &mut warnings),
        }));
        self.check_status_rights(call, object, &old.view, &mut errors);
        let need = self.check_param_rights(call, object, Some(&old.view), &mut errors);
        answer.trace.warn(warnings);
        answer.trace.notes.extend(strategy.left_out());
        let refused = self.handlers.refuse_invalid(self, object, Some(&old.stored), call, errors);
        refused.map_err(|refusal| refusal.needing(need))?;
        answer.trace.warn(strategy.warnings(object, Some(&old.view), &call.sub_resource, self.profile));
        Ok(())
    }

    /// Stores an admitted object, and returns it as the server answers.
    fn store_changed(
        self,
        mut object: Arc<Object>,
        old: &OldObject,
        received: Arc<Object>,
        call: &Call,
    ) -> Arc<Object> {
        let strategy = &call.target.strategy;
        strategy.store(Arc::make_mut(&mut object), self.profile);
        let (mut stored, is_view) = match &*call.sub_resource {
            "scale" => (Arc::new(strategy.apply_scale(&old.stored, &object)), true),
            _ if call.target.shows_ephemeral_containers() => {
                (Arc::new(kube_registry::apply_ephemeral_containers(&old.stored, &object)), true)
            }
            _ => (object.clone(), false),
        };
        if let Some(clock) = self.clock {
            let now = clock();
            let is_scale = call.sub_resource == "scale";
            let received = if is_view && !is_scale { stored.clone() } else { received };
            let scale = is_scale.then(|| (&*old.view, strategy.replicas_path()));
            let storing = Storing { scale, ..call.storing(&received, &now) };
            issued::issue(Arc::make_mut(&mut stored), Some(&old.stored), &storing);
            if !is_view {
                object = stored.clone();
            }
        }
        if !call.dry_run {
            let group_resource = call.target.group_resource();
            if Self::ends(&stored, &old.stored) {
                self.cluster.remove(&group_resource, stored.namespace(), stored.name());
            } else {
                self.store(&group_resource, stored);
            }
        }
        object
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
        let versioned = with_version(&changed, pod);
        let errors = strategy.validate_update(&versioned, pod, &call.sub_resource, context);
        refuse_invalid(&call.target, &changed, &errors, Version::BINARY)?;
        Ok(kube_registry::ephemeral_containers_of(&changed))
    }
}
