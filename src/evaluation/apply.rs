//! The ways to send a manifest to the server: the requests of `kubectl`, its own refusals, and the merge of a manifest
//! into an existing object.
//!
//! Source: `k8s.io/kubectl/pkg/cmd/{apply,create,replace}`, `k8s.io/cli-runtime/pkg/resource`.

use std::sync::Arc;

use thiserror::Error;

use crate::admission::{Need, Operation, Refusal, UserInfo};
use crate::cluster::authorizer::ResourceAttributes;
use crate::evaluation::server::Call;
use crate::evaluation::target::Target;
use crate::evaluation::{Evaluator, Place, Request, UnknownKind};
use gotext::source::Node;
use kube_api::decode::{DecodeContext, DecodeError, FieldValidation};
use kube_api::resources::NAMESPACES;
use kube_api::secret::LAST_APPLIED;
use kube_api::{GroupResource, Map, Object, Value};
use kube_registry::merge::{self, Applier, last_applied, three_way};

/// The note where a server-side apply cannot have the cluster's result.
const NO_MANAGERS: &str = "conflicts and fields that the manifest no longer names are not seen: the object has no managed \
                           fields (kubectl get --show-managed-fields shows them)";

/// The end of `kubectl`'s refusal of a generated name.
pub(crate) const GENERATED: &str = "cannot use generate name with apply";

/// The annotations of hooks, and of the policy for deleting them, whose default is to do so before they are created.
const HOOKS: [(&str, [&str; 2]); 2] = [
    ("Helm", ["helm.sh/hook", "helm.sh/hook-delete-policy"]),
    ("Argo CD", ["argocd.argoproj.io/hook", "argocd.argoproj.io/hook-delete-policy"]),
];

/// The bytes that the annotations of an object may have.
const MAX_ANNOTATIONS: usize = 256 << 10;

/// A way to send manifests to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Apply {
    /// `kubectl apply`: creates the object, or changes the fields that differ from the manifest and removes those of an
    /// earlier manifest.
    #[default]
    ClientSide,
    /// `kubectl apply --server-side`: the server merges, and refuses to change fields of other managers.
    ServerSide,
    /// `kubectl create`.
    Create,
    /// `kubectl replace`.
    Replace,
    /// `kubectl delete`.
    Delete,
}

/// The way to send manifests to the server, and the sender.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a choice of the user, and independent of the others"
)]
pub struct ApplyOptions {
    /// The way.
    pub apply: Apply,
    /// Whether a server-side apply takes over fields of other managers.
    pub force_conflicts: bool,
    /// The field manager of a server-side apply, if it is not `kubectl`.
    pub field_manager: Option<String>,
    /// The namespace that all objects must be in, unless they have none.
    pub namespace: Option<String>,
    /// Whether an existing object is removed first, with the objects that controllers created for it.
    pub recreates: bool,
    /// Whether an object whose name is to be generated is created, although `kubectl apply` refuses it.
    pub generates_names: bool,
    /// Whether the refusals of `kubectl` apply that depend on its flags: of another namespace, and without a name.
    pub is_literal: bool,
}

/// The result of applying a manifest to an existing object.
#[derive(Default)]
pub(super) struct Patched {
    /// The assumption that was made.
    pub(super) note: Option<String>,
    /// The fields that other managers still own.
    pub(super) others: Map,
    /// The object, if there is nothing to change: `kubectl` then sends nothing.
    pub(super) unchanged: Option<Arc<Object>>,
}

/// The reason that no request is sent.
pub(super) enum Unsent {
    /// `kubectl` refuses the manifest.
    Kubectl(String),
    /// The server does not allow the user to do it, or to read the object before.
    Forbidden(Box<Refusal>),
}

/// The reason that a document has no outcome.
#[derive(Clone, Debug, Error)]
pub enum Unevaluated {
    /// Its kind is unknown to the server and the cluster.
    #[error(transparent)]
    UnknownKind(#[from] UnknownKind),
    /// `kubectl` refuses it without a request.
    #[error("{message}")]
    Unsent {
        /// The reason, in its words.
        message: String,
        /// Where the document was written.
        place: Option<Place>,
    },
}

impl ApplyOptions {
    /// Returns the operation for a manifest; `exists` is whether its object exists.
    pub(super) fn operation(&self, exists: bool) -> Operation {
        match self.apply {
            Apply::ClientSide | Apply::ServerSide if exists => Operation::Update,
            Apply::ClientSide | Apply::ServerSide | Apply::Create => Operation::Create,
            Apply::Replace => Operation::Update,
            Apply::Delete => Operation::Delete,
        }
    }

    fn is_apply(&self) -> bool {
        matches!(self.apply, Apply::ClientSide | Apply::ServerSide)
    }

    fn applier(&self) -> Applier<'_> {
        let default = Applier::default();
        Applier {
            manager: self.field_manager.as_deref().unwrap_or(default.manager),
            forces: self.force_conflicts,
            ..default
        }
    }
}

impl Evaluator {
    /// Returns why `kubectl` or the server's authorizer stops the request, if one of them does.
    pub(super) fn unsent(&self, request: &Request, call: &Call) -> Option<Unsent> {
        let options = request.apply.as_deref();
        if let Some(message) = options.and_then(|options| Self::refused_by_kubectl(options, call)) {
            return Some(Unsent::Kubectl(message));
        }
        if !(options.is_some_and(|options| options.is_literal) || self.authorizes_requests) {
            return None;
        }
        let resource = call.target.group_resource();
        let is_manifest = request.place.as_ref().is_some_and(|place| !place.is_review());
        let verbs: &[&str] = match (options.map(|options| options.apply), call.operation) {
            (Some(Apply::ClientSide), Operation::Create) => &["get", "create"],
            (Some(Apply::ClientSide), _) => &["get", "patch"],
            (Some(Apply::ServerSide), Operation::Create) => &["patch", "create"],
            (Some(Apply::ServerSide), _) => &["patch"],
            (None, Operation::Update) if is_manifest || request.is_patch() => &["patch"],
            (Some(Apply::Replace), _) | (None, Operation::Update) => &["update"],
            (Some(Apply::Delete), _) | (None, Operation::Delete) => &["delete"],
            // The method of a request that is passed on, and so its verb, is not known.
            (None, Operation::Connect) if call.sub_resource == "proxy" => &[],
            (Some(Apply::Create), _) | (None, Operation::Create | Operation::Connect) => &["create"],
        };
        let namespace = if call.target.is_namespaces() { &call.name } else { &call.namespace };
        let place = (namespace.as_str(), call.name.as_str(), &*call.sub_resource);
        let authorize = |verb: &&str| self.authorize(&request.user_info, verb, &resource, place).err();
        let mut refusals = verbs.iter().filter_map(authorize);
        let first = refusals.next()?;
        // The first refuses the request, and each of the others would.
        let needs: Vec<Need> = refusals.flat_map(|refusal| refusal.needs).collect();
        Some(Unsent::Forbidden(Box::new(first.needing(needs))))
    }

    /// Returns 403 if the user may not do `verb` to the object in this namespace, of this name, or to this subresource
    /// of it, and the right that is missing: to the resource, as roles of those who apply manifests have it.
    pub(super) fn authorize(
        &self,
        user: &UserInfo,
        verb: &str,
        resource: &GroupResource,
        (namespace, name, sub_resource): (&str, &str, &str),
    ) -> Result<(), Refusal> {
        // The path of a POST has no name, unless it goes on to a subresource.
        let is_nameless = verb == "create" && sub_resource.is_empty();
        let attributes = ResourceAttributes {
            namespace: if is_nameless && *resource == NAMESPACES { "" } else { namespace },
            group: &resource.group,
            resource: &resource.resource,
            sub_resource,
            name: if is_nameless { "" } else { name },
        };
        let required = self.authorizer.require(&user.username, &user.groups, verb, attributes);
        let namespace = if *resource == NAMESPACES { "" } else { attributes.namespace };
        let of_all = ResourceAttributes { namespace, name: "", ..attributes };
        required.map_err(|status| {
            Refusal::from(status).needing(user.access(verb, of_all).right().map(Need::Right))
        })
    }

    /// Returns the message with which `kubectl` refuses the manifest.
    fn refused_by_kubectl(options: &ApplyOptions, call: &Call) -> Option<String> {
        if options.is_literal {
            let own = call.body.as_ref().map(|body| body.object.namespace()).unwrap_or_default();
            let wanted = options.namespace.as_deref().unwrap_or_default();
            if !wanted.is_empty() && !own.is_empty() && own != wanted && call.target.namespaced {
                return Some(format!(
                    "the namespace from the provided object \"{own}\" does not match the namespace \"{wanted}\". You \
                     must pass '--namespace={own}' to perform this operation."
                ));
            }
        }
        if let (true, "", Some(body)) = (options.is_apply(), call.name.as_str(), &call.body)
            && !options.generates_names
            && !body.object.generate_name().is_empty()
        {
            let base = body.object.generate_name();
            return Some(format!("from {base}: {GENERATED}"));
        }
        let is_nameless = options.is_apply() && call.name.is_empty() && call.body.is_some();
        (options.is_literal && is_nameless).then(|| "resource name may not be empty".to_owned())
    }

    /// Deletes the existing object of a hook, which Helm and Argo CD do before they create it again, unless the manifest
    /// asks for another policy. Returns the note about that.
    pub(super) fn replace_hook(&self, request: &Request, call: &mut Call) -> Option<String> {
        let options = request.apply.as_deref()?;
        if !options.is_apply() || call.operation != Operation::Update || !call.sub_resource.is_empty() {
            return None;
        }
        let object = &call.body.as_ref()?.object;
        let (tool, _) = HOOKS.iter().find(|(_, [hook, policy])| {
            let policies = object.annotation(policy).map(str::to_lowercase);
            let is_deleted =
                policies.is_none_or(|policies| policies.replace('-', "").contains("beforehookcreation"));
            object.annotation(hook).is_some() && is_deleted
        })?;
        self.remove_existing(call);
        call.operation = Operation::Create;
        call.options = request.options_as_sent(call.operation, self.profile.release()).map(Arc::new);
        Some(format!("{tool} deletes the hook {} before it creates it again", call.name))
    }

    /// Adds the annotation in which a client-side apply records its manifest, if the object cannot keep it: the server
    /// refuses the object then. Otherwise it is left out, as nothing but the size depends on it.
    ///
    /// Source: `GetModifiedConfiguration`, `ValidateAnnotationsSize`.
    pub(super) fn outgrow(request: &Request, call: &mut Call) {
        let is_applied = request.apply.as_deref().is_some_and(|options| options.apply == Apply::ClientSide);
        let is_written = matches!(call.operation, Operation::Create | Operation::Update);
        let (Some(place), Some(body)) = (&request.place, &mut call.body) else { return };
        if !is_applied
            || !is_written
            || !call.sub_resource.is_empty()
            || place.is_review()
            || !place.may_outgrow()
        {
            return;
        }
        let Some(manifest) = place.written().and_then(|written| written.manifest()) else { return };
        let Some(manifest) = manifest.as_object() else { return };
        let record = merge::record_created(manifest, &call.namespace);
        let annotations = body.object.child(["metadata", "annotations"]);
        let others = annotations.into_iter().flat_map(Map::iter).filter(|(key, _)| **key != *LAST_APPLIED);
        let others: usize = others.map(|(key, value)| key.len() + value.as_str().map_or(0, str::len)).sum();
        if others + LAST_APPLIED.len() + record.len() > MAX_ANNOTATIONS {
            body.object.set(["metadata", "annotations", LAST_APPLIED], record);
            call.rehearsal = None;
        }
    }

    /// Returns the server's error about a manifest of a server-side apply that does not fit the types of its kind. It
    /// comes before the checks of `fieldValidation`.
    pub(super) fn typed_patch_error(request: &Request, target: &Target) -> Option<DecodeError> {
        let options = request.apply.as_deref().filter(|options| options.is_literal)?;
        if options.apply != Apply::ServerSide {
            return None;
        }
        let manifest = request.place.as_ref()?.written()?.manifest()?;
        let name = manifest.text(["metadata", "name"]);
        let namespace = request.namespace.as_deref().filter(|_| target.namespaced).unwrap_or_default();
        let version = target.strategy.definition().map(|(_, version)| version);
        merge::check_patch(&target.kind, (namespace, name), &manifest, version)
            .map_err(DecodeError::from)
            .err()
    }

    /// Turns the update `call` into one that applies its manifest: fields that the manifest does not have stay. An
    /// `AdmissionReview` contains the resulting object. An object that is stored in another version of a built-in kind
    /// is replaced, since it cannot be converted, with a note.
    pub(super) fn apply_manifest(&self, request: &Request, call: &mut Call) -> Result<Patched, DecodeError> {
        let nothing = || Ok(Patched::default());
        if call.operation != Operation::Update || !call.sub_resource.is_empty() {
            return nothing();
        }
        let server_side = ApplyOptions { apply: Apply::ServerSide, ..ApplyOptions::default() };
        let options = request.apply.as_deref().unwrap_or(&server_side);
        let target = &call.target;
        let stored = self.cluster.get(&target.group_resource(), &call.namespace, &call.name);
        let stored = stored.map(|stored| target.read_stored(stored));
        let (Some(stored), Some(body)) = (stored, &mut call.body) else { return nothing() };
        if options.apply == Apply::Replace {
            call.knows_version = true;
            return nothing();
        }
        let manifest = || request.place.as_ref()?.written()?.manifest();
        let Some(manifest) = manifest() else { return nothing() };
        call.knows_version = true;
        call.is_patch = true;
        if stored.kind.version != body.object.kind.version {
            let (old, new) = (stored.kind.api_version(), body.object.kind.api_version());
            let note = format!("replaced the object, because {new} cannot be applied to {old}");
            return Ok(Patched { note: Some(note), ..Patched::default() });
        }
        let before = self.applied.of(&target.group_resource(), &call.namespace, &call.name);
        if options.apply == Apply::ClientSide {
            let original = before.map(|before| before.manifest).or_else(|| last_applied(&stored));
            let is_custom = target.strategy.definition().is_some();
            let merged = three_way(&stored, &manifest, original.as_ref(), is_custom);
            let is_known = || {
                let namespace = &call.namespace;
                original.as_ref().is_some_and(|original| is_same(original, &manifest, namespace))
            };
            let unchanged = (merged == stored.value && is_known()).then(|| stored.clone());
            if unchanged.is_none() {
                body.object = self.read(target, merged)?;
            }
            return Ok(Patched { unchanged, ..Patched::default() });
        }
        let version = target.strategy.definition().map(|(_, version)| version);
        let merged = merge::apply(&stored, &manifest, options.applier(), before.as_ref(), version)
            .map_err(DecodeError::from)?;
        body.object = self.read(target, merged.value)?;
        let versions = merge::unknown_versions(&stored, version);
        let note = if !versions.is_empty() {
            Some(format!("did not check the owners of fields of the object in {}", versions.join(", ")))
        } else if before.is_none() && stored.list(["metadata", "managedFields"]).is_empty() {
            Some(NO_MANAGERS.to_owned())
        } else {
            None
        };
        Ok(Patched { note, others: merged.others, unchanged: None })
    }

    /// Decodes a merged object. Unknown fields of the manifest were reported when it was decoded.
    fn read(&self, target: &Target, merged: Value) -> Result<Object, DecodeError> {
        let context = DecodeContext {
            kind: &target.kind,
            field_validation: FieldValidation::Ignore,
            strict_errors: &[],
            body: "",
        };
        Ok(target.strategy.read(Node::from(merged), &context, &self.profile)?.object)
    }
}

/// Whether both manifests are equal after `kubectl`'s additions.
fn is_same(original: &Value, manifest: &Value, namespace: &str) -> bool {
    let filled = |value: &Value| {
        let mut value = value.clone();
        if let Some(Value::Object(metadata)) = value.get_mut("metadata") {
            if !namespace.is_empty() {
                metadata.insert("namespace", namespace.into());
            }
            if metadata.get("annotations").is_some_and(|value| value.as_object().is_none_or(Map::is_empty)) {
                metadata.remove("annotations");
            }
        }
        value
    };
    filled(original) == filled(manifest)
}
