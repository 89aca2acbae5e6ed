//! A request on its way to the chain, as far as it can be brought without the cluster.

use crate::admission::Operation;
use crate::evaluation::routing::Routing;
use crate::evaluation::target::Target;
use crate::evaluation::{Place, Request};
use crate::workload;
use gotext::source::Node;
use kube_api::decode::{DecodeContext, DecodeError};
use kube_api::resources::{PODS, SERVICES};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, GroupVersionKind, Object};
use kube_registry::{Read, Rehearsal};

/// Resources whose objects almost every server changes, by plugins or when it allocates addresses, before it prepares
/// them.
const USUALLY_CHANGED: [GroupResource; 2] = [PODS, SERVICES];

/// A request that was prepared without the cluster, so that requests can be prepared in parallel.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) request: Request,
    pub(super) routing: Routing,
    pub(super) body: Body,
    pub(super) old_object: Body,
    pub(super) rehearsal: Option<Box<Rehearsal>>,
    /// The request that a controller sends because of this one.
    pub(super) predicted: Option<Box<Foreseen>>,
    /// Whether a policy of the run can have the object as its parameter.
    pub(crate) is_parameter: bool,
    /// The sequence of documents that it belongs to, if results are kept for later runs.
    pub(crate) sequence: Option<u32>,
    /// Whether its outcome is known from an earlier run, and it is evaluated because of its effects.
    pub(crate) is_known: bool,
}

/// The request of a controller because of an object that is created as it was rehearsed.
#[derive(Clone, Debug)]
pub(super) struct Foreseen {
    /// The object, as it comes back from the storage.
    because_of: Object,
    /// The creation of the object that the controller requests.
    pub(super) rehearsal: Box<Rehearsal>,
}

impl Foreseen {
    fn of(rehearsal: &Rehearsal, profile: &ServerProfile) -> Option<Self> {
        if !rehearsal.is_valid() {
            return None;
        }
        let because_of = rehearsal.stored.clone();
        let mut object = workload::foresee(&because_of)?;
        kube_registry::set_defaults(&mut object, profile);
        let strategy = Target::of_kind(&object.kind)?.strategy;
        let rehearsal = Box::new(Rehearsal::of(&strategy, &object, "", profile)?);
        Some(Self { because_of, rehearsal })
    }

    /// Returns what a controller requests because of `object`, if that is the object.
    pub(super) fn requested(&self, object: &Object) -> Option<&Object> {
        (self.because_of == *object).then_some(&self.rehearsal.object)
    }
}

/// The object of a request.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// There is none.
    Absent,
    /// The kind comes from the cluster: a custom resource.
    Undecoded(Node),
    /// It was read.
    Read(Result<Read, DecodeError>),
}

impl Prepared {
    /// Returns where the request was written, if it was.
    pub fn place(&self) -> Option<&Place> {
        self.request.place.as_ref()
    }

    /// Looks up the target of `request` and decodes its body, if its kind is built in.
    pub fn new(mut request: Request, profile: &ServerProfile) -> Self {
        let routing = Routing::of(&request, profile.release());
        let kind = match &routing {
            Routing::BuiltIn(target) => Some(&target.kind),
            Routing::Unknown => None,
        };
        let body = Body::read(request.object.take(), kind, &request, profile);
        let old_object = Body::read(request.old_object.take(), kind, &request, profile);
        let rehearsal = Self::rehearse(&request, &routing, &body, profile).map(Box::new);
        Self {
            request,
            routing,
            body,
            old_object,
            rehearsal,
            predicted: None,
            is_parameter: false,
            sequence: None,
            is_known: false,
        }
    }

    /// Forgets how JSON of any type was written in the body.
    pub(super) fn forget_written(&mut self) {
        if let Body::Read(Ok(read)) = &mut self.body {
            read.object.forget_written();
        }
    }

    /// Leaves the body of `request` to be decoded when it is evaluated, if it is.
    pub fn undecoded(mut request: Request, profile: &ServerProfile) -> Self {
        let routing = Routing::of(&request, profile.release());
        let undecoded = |node: Option<Node>| node.map_or(Body::Absent, Body::Undecoded);
        let body = undecoded(request.object.take());
        let old_object = undecoded(request.old_object.take());
        Self {
            request,
            routing,
            body,
            old_object,
            rehearsal: None,
            predicted: None,
            is_parameter: false,
            sequence: None,
            is_known: false,
        }
    }

    /// Returns the resource, namespace and name of the object of a manifest, if it has a name; the kind in the place of the
    /// resource of a custom resource, whose definition comes from the cluster.
    #[cfg(feature = "report")]
    pub(crate) fn object(&self) -> Option<(GroupResource, String, String)> {
        let (resource, is_namespaced, name) = match (&self.routing, &self.body) {
            (Routing::BuiltIn(target), Body::Read(Ok(read))) => {
                (target.group_resource(), target.namespaced, read.object.name())
            }
            (Routing::Unknown, Body::Undecoded(node)) => {
                let kind = self.request.kind.as_ref()?;
                let resource = GroupResource { group: kind.group.clone(), resource: kind.kind.clone() };
                (resource, true, node.get("metadata")?.get("name")?.as_str()?)
            }
            _ => return None,
        };
        let namespace = self.request.namespace.as_deref().filter(|_| is_namespaced).unwrap_or_default();
        (!name.is_empty()).then(|| (resource, namespace.to_owned(), name.to_owned()))
    }

    /// Prepares for the request that a controller sends because of this one.
    #[must_use]
    pub fn followed(self, profile: &ServerProfile) -> Self {
        let predicted = self.rehearsal.as_deref().and_then(|rehearsal| Foreseen::of(rehearsal, profile));
        Self { predicted: predicted.map(Box::new), ..self }
    }

    /// Rehearses the creation of the object, if the request may be for that.
    fn rehearse(
        request: &Request,
        routing: &Routing,
        body: &Body,
        profile: &ServerProfile,
    ) -> Option<Rehearsal> {
        let (Routing::BuiltIn(target), Body::Read(Ok(read))) = (routing, body) else { return None };
        let is_rehearsed = request.operation_where(|| false) == Operation::Create
            && request.sub_resource.is_empty()
            && target.strategy.is_stored()
            && !USUALLY_CHANGED.contains(&target.group_resource())
            && profile.origin().is_none();
        let namespace = request.namespace.as_deref().filter(|_| target.namespaced).unwrap_or_default();
        is_rehearsed.then(|| Rehearsal::of(&target.strategy, &read.object, namespace, profile)).flatten()
    }
}

impl Body {
    fn context<'a>(kind: &'a GroupVersionKind, request: &'a Request) -> DecodeContext<'a> {
        DecodeContext {
            kind,
            field_validation: request.field_validation,
            strict_errors: &request.strict_errors,
            body: request.place.as_ref().map_or("", Place::text),
        }
    }

    fn read(
        node: Option<Node>,
        kind: Option<&GroupVersionKind>,
        request: &Request,
        profile: &ServerProfile,
    ) -> Self {
        match (node, kind) {
            (None, _) => Self::Absent,
            (Some(node), None) => Self::Undecoded(node),
            (Some(node), Some(kind)) => {
                let context = Self::context(kind, request);
                let mut read = kube_registry::read(node, &context, profile, kube_registry::NOW);
                if let (Ok(read), Some(_)) = (&mut read, &request.apply) {
                    read.object.forget_written();
                }
                Self::Read(read)
            }
        }
    }

    /// Returns the object, read by `target` if that was not known.
    pub(super) fn finish(
        self,
        target: &Target,
        request: &Request,
        profile: &ServerProfile,
    ) -> Result<Option<Read>, DecodeError> {
        match self {
            Self::Absent => Ok(None),
            Self::Read(result) => result.map(Some),
            Self::Undecoded(node) => {
                let context = Self::context(&target.kind, request);
                let mut read = target.strategy.read(node, &context, profile)?;
                if request.apply.is_some() {
                    read.object.forget_written();
                }
                Ok(Some(read))
            }
        }
    }
}
