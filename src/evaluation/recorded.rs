//! Requests as a server received them: what its audit log records. The objects that exist are those that the log shows,
//! so nothing is assumed, and no controller is played.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers`

use thiserror::Error;

use crate::admission::Operation;
use crate::cluster::authorizer::ResourceAttributes;
use crate::evaluation::server::Call;
use crate::evaluation::target::Target;
use crate::evaluation::{Evaluator, Outcome, Prepared, Request, UnknownKind};
use gotext::source::Node;
use kube_api::decode::{DecodeContext, DecodeError, FieldValidation};
use kube_api::{Object, Status, Value, json_patch};
use kube_registry::Read;
use kube_registry::merge::{self, Applier};

/// A request that a server received.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The request, with its resource and operation; the body of a patch is in `patch`.
    pub request: Request,
    /// The verb that the authorizer decides on, such as `patch`.
    pub verb: String,
    /// The patch, if the body is one.
    pub patch: Option<Patch>,
}

/// A patch as it was sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// `application/json-patch+json`.
    Json(Value),
    /// `application/merge-patch+json`.
    Merge(Value),
    /// `application/strategic-merge-patch+json`.
    StrategicMerge(Value),
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

impl Evaluator {
    /// Answers `recorded` as the server with the objects of the cluster, which it changes.
    ///
    /// # Errors
    ///
    /// Fails if the kind is unknown, or the body is missing and decides.
    pub fn answer_recorded(&mut self, recorded: Recorded) -> Result<Outcome, Unrecorded> {
        let Recorded { request, verb, patch } = recorded;
        self.ordinal += 1;
        if let Err(status) = self.authorize_recorded(&request, &verb) {
            return Ok(Outcome::unrouted(request, status));
        }
        let needs_body = matches!(request.operation, Some(Operation::Create | Operation::Update));
        if needs_body && request.object.is_none() && patch.is_none() {
            return Err(Unrecorded::NoBody);
        }
        let profile = self.profile.clone();
        let Prepared { request, routing, body, rehearsal, .. } = Prepared::new(request, &profile);
        let target = match routing
            .finish(&request, &self.cluster, &self.runtime_config, profile.release())
            .map_err(|unknown| Unrecorded::UnknownKind(Box::new(unknown)))?
        {
            Ok(target) => target,
            Err(status) => return Ok(Outcome::unrouted(request, status)),
        };
        if let Some(status) = request.invalid_options() {
            return Ok(Outcome::unread(request, target, status.into(), &profile));
        }
        let body = match body.finish(&target, &request, &profile) {
            Ok(body) => body,
            Err(error) => return Ok(Outcome::undecoded(request, target, error, &profile)),
        };
        let mut call = Call { rehearsal, ..self.call(&request, target.clone(), body, None) };
        if let Some(patch) = patch
            && let Err(error) = self.apply_patch(patch, &request, &mut call)
        {
            return Ok(Outcome::undecoded(request, target, error, &profile));
        }
        let answer = self.server().answer(call);
        Ok(Outcome::answered(request, target, answer))
    }

    fn authorize_recorded(&self, request: &Request, verb: &str) -> Result<(), Status> {
        let Some(resource) = &request.resource else { return Ok(()) };
        let user = &request.user_info;
        let attributes = ResourceAttributes {
            namespace: request.namespace.as_deref().unwrap_or_default(),
            group: &resource.group,
            resource: &resource.resource,
            sub_resource: &request.sub_resource,
            // The name is not part of the path of a POST.
            name: request
                .name
                .as_deref()
                .filter(|_| verb != "create" || !request.sub_resource.is_empty())
                .unwrap_or_default(),
        };
        self.authorizer.require(&user.username, &user.groups, verb, attributes)
    }

    /// Gives `call` the object that `patch` makes of the stored one; a manifest without one creates it.
    fn apply_patch(&self, patch: Patch, request: &Request, call: &mut Call) -> Result<(), DecodeError> {
        let target = call.target.clone();
        let version = target.strategy.definition().map(|(_, version)| version);
        let name = (call.namespace.as_str(), call.name.as_str());
        let stored = self.cluster.get(&target.group_resource(), name.0, name.1);
        let stored = stored.map(|stored| target.read_stored(stored));
        if let Patch::Apply { manifest, .. } = &patch {
            merge::check_patch(&target.kind, name, manifest, version).map_err(refused)?;
        }
        call.is_patch = true;
        call.knows_version = true;
        let Some(stored) = stored else {
            let (Patch::Apply { manifest, .. }, true) = (patch, call.sub_resource.is_empty()) else {
                return Err(refused(Box::new(Status::new_not_found(&target.group_resource(), name.1))));
            };
            self.authorize_recorded(request, "create").map_err(|status| refused(Box::new(status)))?;
            call.operation = Operation::Create;
            call.options = request.options_as_sent(call.operation, self.profile.release()).map(Into::into);
            call.body = Some(self.read_patched(&target, manifest)?);
            call.forget_version();
            return Ok(());
        };
        let stored = match &*call.sub_resource {
            "scale" => std::sync::Arc::new(target.strategy.scale_of(&stored)),
            _ => stored,
        };
        let patched = match patch {
            Patch::Apply { manifest, manager, forces } => {
                let applier = Applier { manager: &manager, forces, migrates: false };
                let mut merged =
                    merge::apply(&stored, &manifest, applier, None, version).map_err(refused)?.value;
                if manager == Applier::default().manager {
                    merge::sync_last_applied(&mut merged, &manifest);
                }
                merged
            }
            Patch::StrategicMerge(patch) => merge::strategic_merge(&stored, &patch).map_err(refused)?,
            Patch::Merge(patch) => {
                json_patch::merge(plain(&stored), patch).map_err(|error| unusable(&error))?
            }
            Patch::Json(patch) => {
                let patch = json_patch::decode(&patch).map_err(|error| unusable(&error))?;
                patch.apply(plain(&stored)).map_err(|error| unusable(&error))?
            }
        };
        call.body = Some(self.read_patched(&target, patched)?);
        Ok(())
    }

    /// Decodes a patched object.
    fn read_patched(&self, target: &Target, value: Value) -> Result<Read, DecodeError> {
        let context = DecodeContext {
            kind: &target.kind,
            field_validation: FieldValidation::Ignore,
            strict_errors: &[],
            body: "",
        };
        target.strategy.read(Node::from(value), &context, &self.profile)
    }
}

fn plain(object: &Object) -> Value {
    object.value.clone().untyped()
}

fn refused(status: Box<Status>) -> DecodeError {
    DecodeError { cause: status.message.clone(), status, span: None, path: None, unstructured: None }
}

/// Returns the server's error about a patch that does not fit the object.
fn unusable(error: &json_patch::Error) -> DecodeError {
    let mut status =
        Status::new_bad_request("the server rejected our request due to an error in our request");
    (status.code, status.reason) = (422, "Invalid".to_owned());
    let mut refusal = refused(Box::new(status));
    refusal.cause = error.to_string();
    refusal
}
