//! Requests as a server receives them, or as its audit log records them. Nothing is assumed: an object that does not
//! exist is missing.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers`

use std::sync::Arc;
use std::time::Instant;

use thiserror::Error;

use crate::admission::Operation;
use crate::evaluation::issued::Writer;
use crate::evaluation::server::Call;
use crate::evaluation::target::Target;
use crate::evaluation::{Evaluator, Outcome, Prepared, Request, UnknownKind};
use gotext::source::Node;
use kube_api::decode::{DecodeContext, DecodeError, FieldValidation};
use kube_api::field::{self, Path};
use kube_api::server_profile::ServerProfile;
use kube_api::{
    GroupVersionKind, Map, Object, Status, StatusDetails, Value, json_patch, schema, struct_order,
};
use kube_registry::Read;
use kube_registry::go_value::printed;
use kube_registry::merge::{self, Applier};

/// A request that a server receives or received.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The request, with its resource and operation; the body of a patch is in `patch`.
    pub request: Request,
    /// The verb that the authorizer decides on, such as `patch`.
    pub verb: String,
    /// The patch, if the body is one.
    pub patch: Option<Patch>,
    /// The owner of the fields that it sets: the field manager, or else the client.
    pub manager: String,
    /// When the server stops waiting for webhooks, if it does.
    pub deadline: Option<Instant>,
}

impl Recorded {
    /// Decodes the body, as far as that needs no cluster: a server of `profile` may answer it on another thread.
    pub fn prepare(self, profile: &ServerProfile) -> PreparedRecord {
        let Self { request, verb, patch, manager, deadline } = self;
        let needs_body = matches!(request.operation, Some(Operation::Create | Operation::Update));
        let lacks_body = needs_body && request.object.is_none() && patch.is_none();
        PreparedRecord {
            prepared: Prepared::new(request, profile),
            lacks_body,
            verb,
            patch,
            manager,
            deadline,
        }
    }
}

/// A request that a server receives or received, decoded without the cluster.
#[derive(Clone, Debug)]
pub struct PreparedRecord {
    prepared: Prepared,
    lacks_body: bool,
    verb: String,
    patch: Option<Patch>,
    manager: String,
    deadline: Option<Instant>,
}

impl PreparedRecord {
    /// Forgets how JSON of any type was written: a log has it as the server wrote it again.
    #[must_use]
    pub fn of_log(mut self) -> Self {
        self.prepared.forget_written();
        self
    }
}

/// A patch as it was sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// `application/json-patch+json`.
    Json(Value),
    /// `application/merge-patch+json`.
    Merge(Value),
    /// `application/strategic-merge-patch+json`.
    StrategicMerge(Map),
    /// `application/apply-patch+yaml`.
    Apply {
        /// The manifest.
        manifest: Value,
        /// The field manager.
        manager: String,
        /// Whether it takes over fields of other managers.
        forces: bool,
    },
}

/// The reason that a recorded request has no outcome.
#[derive(Clone, Debug, Error)]
pub enum Unrecorded {
    /// Its kind is unknown to the server and the cluster.
    #[error(transparent)]
    UnknownKind(Box<UnknownKind>),
    /// The authorizer allows it, and what it then sends was not recorded.
    #[error("the request has no body")]
    NoBody,
}

/// The answer to a request on which controllers have not acted yet.
#[derive(Clone, Debug)]
pub struct Answered {
    /// What the server answered.
    pub outcome: Outcome,
    before: Option<Arc<Object>>,
}

impl From<Outcome> for Answered {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, before: None }
    }
}

impl Evaluator {
    /// Answers `recorded` as the server with the objects of the cluster, which it changes.
    /// [`let_controllers_act`](Self::let_controllers_act) goes on with it.
    ///
    /// # Errors
    ///
    /// Fails if the kind is unknown, or the body is missing and decides.
    pub fn answer_recorded(&mut self, recorded: Recorded) -> Result<Answered, Unrecorded> {
        let profile = self.profile.clone();
        self.answer_alone(recorded.prepare(&profile))
    }

    /// Answers a request that was prepared for this server. Controllers act on it unless the evaluator is strict.
    ///
    /// # Errors
    ///
    /// Fails if the kind is unknown, or the body is missing and decides.
    pub fn answer_prepared(&mut self, record: PreparedRecord) -> Result<Outcome, Unrecorded> {
        self.answer_alone(record).map(|answered| self.let_controllers_act(answered))
    }

    /// Lets controllers act on what the server answered, unless the evaluator is strict.
    pub fn let_controllers_act(&mut self, answered: Answered) -> Outcome {
        let Answered { mut outcome, before } = answered;
        if outcome.allowed() && !outcome.dry_run {
            self.run_controllers(&mut outcome, before);
        }
        outcome
    }

    fn answer_alone(&mut self, record: PreparedRecord) -> Result<Answered, Unrecorded> {
        let PreparedRecord { prepared, lacks_body, verb, patch, manager, deadline } = record;
        let Prepared { request, routing, body, rehearsal, .. } = prepared;
        self.ordinal += 1;
        if let Err(status) = self.authorize_recorded(&request, &verb) {
            return Ok(Outcome::unrouted(request, status).into());
        }
        if lacks_body {
            return Err(Unrecorded::NoBody);
        }
        let profile = self.profile.clone();
        let target = match routing
            .finish(&request, &self.cluster, &self.runtime_config, &*self.handlers, profile.release())
            .map_err(|unknown| Unrecorded::UnknownKind(Box::new(unknown)))?
        {
            Ok(target) => target,
            Err(status) => return Ok(Outcome::unrouted(request, status).into()),
        };
        if let Some(status) = request.invalid_options(&profile) {
            return Ok(Outcome::unread(request, target, status.into(), &profile).into());
        }
        let body = match body.finish(&target, &request, &profile) {
            Ok(body) => body,
            Err(error) => return Ok(Outcome::undecoded(request, target, error, &profile).into()),
        };
        let writer = Writer { manager, ..Writer::default() };
        let is_of_collection = verb == "deletecollection";
        let call = self.call(&request, target.clone(), body, None);
        let mut call = Call { deadline, is_of_collection, rehearsal, writer, knows_version: false, ..call };
        if let Some(patch) = patch
            && let Err(error) = self.apply_patch(patch, &request, &mut call)
        {
            return Ok(Outcome::undecoded(request, target, error, &profile).into());
        }
        let before = self.before(&call);
        let answer = self.server().answer(call);
        Ok(Answered { outcome: Outcome::answered(request, target, answer), before })
    }

    /// Answers `record`, the deletion of a collection that has objects with these `names`.
    ///
    /// # Errors
    ///
    /// Fails if the kind is unknown.
    pub fn answer_collection(
        &mut self,
        record: &PreparedRecord,
        names: Vec<String>,
    ) -> Result<Outcome, Unrecorded> {
        let request = &record.prepared.request;
        if let Err(status) = self.authorize_recorded(request, &record.verb) {
            self.ordinal += 1;
            return Ok(Outcome::unrouted(request.clone(), status));
        }
        let mut admitted = None;
        for name in names {
            let mut one = record.clone();
            one.prepared.request.name = Some(name);
            let outcome = self.answer_prepared(one)?;
            match outcome.status() {
                // What is gone by then is not missed.
                Some(status) if status.code == 404 => {}
                Some(_) => return Ok(outcome),
                None => admitted = Some(outcome),
            }
        }
        let Request { resource, user_info, .. } = request.clone();
        let about = || {
            Outcome::about(
                Operation::Delete,
                GroupVersionKind::default(),
                resource.unwrap_or_default(),
                user_info,
            )
        };
        Ok(admitted.unwrap_or_else(about))
    }

    fn authorize_recorded(&self, request: &Request, verb: &str) -> Result<(), Status> {
        let Some(resource) = &request.resource else { return Ok(()) };
        let namespace = request.namespace.as_deref().unwrap_or_default();
        let name = request.name.as_deref().unwrap_or_default();
        let place = (namespace, name, &*request.sub_resource);
        let authorized = self.authorize(&request.user_info, verb, &resource.group_resource(), place);
        authorized.map_err(|refusal| *refusal.status)
    }

    /// Gives `call` the object that `patch` makes of the stored one; a manifest without one creates it.
    fn apply_patch(&self, patch: Patch, request: &Request, call: &mut Call) -> Result<(), DecodeError> {
        let target = call.target.clone();
        let is_scale = call.sub_resource == "scale";
        let version = target.strategy.definition().map(|(_, version)| version).filter(|_| !is_scale);
        let name = (call.namespace.as_str(), call.name.as_str());
        let stored = self.cluster.get(&target.group_resource(), name.0, name.1);
        let stored = stored.map(|stored| target.read_stored(stored));
        if let Patch::Apply { manifest, .. } = &patch {
            let metadata = |field: &str| manifest["metadata"].text(field);
            let own = (metadata("namespace"), metadata("name"));
            merge::check_patch(&target.kind, own, manifest, version).map_err(DecodeError::from)?;
        }
        call.is_patch = true;
        call.knows_version = true;
        let Some(stored) = stored else {
            let (Patch::Apply { manifest, .. }, true) = (patch, call.sub_resource.is_empty()) else {
                return Err(DecodeError::from(Box::new(Status::new_not_found(
                    &target.resource.group_resource(),
                    name.1,
                ))));
            };
            self.authorize_recorded(request, "create")
                .map_err(|status| DecodeError::from(Box::new(status)))?;
            call.operation = Operation::Create;
            call.writer.applied = Some(Arc::new(manifest.clone()));
            call.options = request.options_as_sent(call.operation, self.profile.release()).map(Into::into);
            call.body = Some(self.read_applied(&target, &manifest, request)?);
            call.forget_version();
            return Ok(());
        };
        let stored = if is_scale {
            let mut scale = target.strategy.scale_of(&stored);
            let managers = merge::managers_of_scale(&stored, &target.strategy.replicas_path());
            scale.set(["metadata", "managedFields"], managers);
            Arc::new(scale)
        } else {
            stored
        };
        let strict = &request.strict_errors;
        call.body = Some(match patch {
            Patch::Apply { manifest, manager, forces } => {
                let sub_resource = &*call.sub_resource;
                let applier = Applier { manager: &manager, forces, migrates: false, sub_resource };
                let mut merged = merge::apply(&stored, &manifest, applier, None, version)
                    .map_err(DecodeError::from)?
                    .value;
                // A server cannot convert the scale of a custom resource after an apply.
                if is_scale && target.strategy.definition().is_some() && merged != plain(&stored) {
                    let (metadata, kind) = (&manifest["metadata"], &target.kind);
                    let of = format!("{}/{}; {kind}", metadata.text("namespace"), metadata.text("name"));
                    let error = "request to convert CR to an invalid group/version: autoscaling/v1";
                    let error = format!("failed to convert new object ({of}) to proper version: {error}");
                    return Err(DecodeError::from(Box::new(Status::from_error(error))));
                }
                if manager == Applier::default().manager {
                    merge::sync_last_applied(&mut merged, &manifest);
                }
                call.writer.applied = Some(Arc::new(manifest));
                self.read_applied(&target, &merged, request)?
            }
            Patch::StrategicMerge(mut patch) => {
                let merged = merge::strategic_merge(&stored, &mut patch).map_err(DecodeError::from)?;
                self.read_patched(&target, &merged, request, (Quoted::Patch(patch), strict))?
            }
            Patch::Merge(patch) => {
                let quoted = Quoted::Result(patch.clone());
                let merged = json_patch::merge(plain(&stored), patch).map_err(|error| unusable(&error))?;
                self.read_patched(&target, &merged, request, (quoted, strict))?
            }
            Patch::Json(patch) => {
                let quoted = Quoted::Result(struct_order::touched(&patch));
                let patch = json_patch::decode(&patch).map_err(|error| unusable(&error))?;
                let patched = patch.apply(plain(&stored)).map_err(|error| unusable(&error))?;
                self.read_patched(&target, &patched, request, (quoted, strict))?
            }
        });
        Ok(())
    }

    /// Decodes an object that was applied to. Repeated keys of the manifest count after the apply.
    ///
    /// Source: `applyPatcher`
    fn read_applied(&self, target: &Target, value: &Value, request: &Request) -> Result<Read, DecodeError> {
        let repeated = &request.strict_errors;
        if request.field_validation == FieldValidation::Strict && !repeated.is_empty() {
            let lines = repeated.join("\n  ");
            return Err(DecodeError::new(format!(
                "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  {lines}"
            )));
        }
        let mut read = self.read_patched(target, value, request, (Quoted::Result(Value::Null), &[]))?;
        read.warnings.splice(0..0, repeated.iter().cloned());
        Ok(read)
    }

    /// Decodes a patched object. The patch has the `strict` errors.
    fn read_patched(
        &self,
        target: &Target,
        value: &Value,
        request: &Request,
        (quoted, strict): (Quoted, &[String]),
    ) -> Result<Read, DecodeError> {
        const STRICT: &str = "strict decoding error: ";
        let context = DecodeContext {
            kind: &target.kind,
            field_validation: request.field_validation,
            strict_errors: &[],
            body: "",
        };
        let (kind, mut node) = (schema::of(&target.kind), Node::from(value.clone()));
        let is_tree = matches!(quoted, Quoted::Patch(_));
        if let (Some(kind), true) = (kind, is_tree) {
            struct_order::sort(&mut node, kind);
        }
        let invalid = |cause: &str| {
            let text = match &quoted {
                Quoted::Patch(patch) => printed(&Value::Object(patch.clone())),
                Quoted::Result(touched) => struct_order::written(value, kind, Some(touched)),
            };
            let found = field::Error::invalid_text(&Path::new("patch"), &text, cause);
            Box::new(Status::new_invalid(&GroupVersionKind::default(), "", &[found]))
        };
        let all = strict.join(", ");
        match target.strategy.read(node, &context, &self.profile) {
            Err(error) => {
                let cause = error.unstructured.as_ref().filter(|_| is_tree).unwrap_or(&error.cause);
                let status = match cause.strip_prefix(STRICT) {
                    Some(others) if !strict.is_empty() => invalid(&format!("{STRICT}{all}, {others}")),
                    _ => invalid(cause),
                };
                Err(DecodeError { status, ..error })
            }
            Ok(_) if request.field_validation == FieldValidation::Strict && !strict.is_empty() => {
                Err(DecodeError::from(invalid(&format!("{STRICT}{all}"))))
            }
            Ok(mut read) => {
                read.warnings.splice(0..0, strict.iter().cloned());
                Ok(read)
            }
        }
    }
}

/// What errors about a patched object quote.
enum Quoted {
    /// The strategic merge patch, whose result is read as it is.
    Patch(Map),
    /// The result, which is read as text, and the maps in it that the patch touched.
    Result(Value),
}

fn plain(object: &Object) -> Value {
    object.value.clone().untyped()
}

/// Returns the server's error about a patch that does not fit the object.
fn unusable(error: &json_patch::Error) -> DecodeError {
    let mut status =
        Status::new_bad_request("the server rejected our request due to an error in our request");
    (status.code, status.reason) = (422, "Invalid".to_owned());
    status.details = Some(StatusDetails::default());
    let mut refusal = DecodeError::from(Box::new(status));
    refusal.cause = error.to_string();
    refusal
}
