//! The kind that a request is for: one of the server's own, or one that a custom resource definition adds.

use std::sync::Arc;

use crate::custom_resource::{self, CustomResource, Version};
use crate::older_releases::rules::of_release;
use crate::openshift::ServedKind;
use crate::strategy::{Context, Strategy};
use crate::warnings::{Warnings, warnings_on_custom};
use crate::{NOW, Read, openshift, read, scale, table};
use gotext::source::Node;
use kube_api::decode::{DecodeContext, DecodeError};
use kube_api::server_profile::ServerProfile;
use kube_api::version as release;
use kube_api::{GroupVersionKind, Name, Object, Status, deprecation, field};

/// A kind with the server's handling of its objects.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A kind that the server has built in.
    BuiltIn(&'static Strategy),
    /// A kind of openshift-apiserver.
    Served(&'static ServedKind),
    /// The options of a connection to an object: they are passed on as they are.
    Connection,
    /// A kind of which only decoding and defaults are known, such as one on a master of Origin.
    Unchecked,
    /// A custom resource in the named version, which the definition has.
    Custom(Arc<CustomResource>, Name),
    /// The `scale` subresource of a custom resource in the named version.
    CustomScale(Arc<CustomResource>, Name),
}

impl Kind {
    /// Returns the kind of a resource that the server has built in.
    pub fn of(kind: &GroupVersionKind) -> Self {
        let served = || openshift::of(kind).map(Self::Served);
        let unknown = if kind.kind.ends_with("Options") { Self::Connection } else { Self::Unchecked };
        table::of(kind).map(Self::BuiltIn).or_else(served).unwrap_or(unknown)
    }

    /// Returns the strategy, if the kind is built in.
    pub fn strategy(&self) -> Option<&'static Strategy> {
        match self {
            Self::BuiltIn(strategy) => Some(strategy),
            Self::Served(_)
            | Self::Connection
            | Self::Unchecked
            | Self::Custom(..)
            | Self::CustomScale(..) => None,
        }
    }

    /// Returns the definition and the version of it, if this is a custom resource or its scale.
    pub fn definition(&self) -> Option<(&CustomResource, &Version)> {
        let (Self::Custom(definition, version) | Self::CustomScale(definition, version)) = self else {
            return None;
        };
        Some((definition, definition.version(version)?))
    }

    /// Reads an object of the kind.
    pub fn read(
        &self,
        node: Node,
        context: &DecodeContext<'_>,
        profile: &ServerProfile,
    ) -> Result<Read, DecodeError> {
        match self {
            Self::Custom(definition, _) => {
                let decoded = definition.decode(node, context)?;
                Ok(decoded.by(profile.release(), context.field_validation).into())
            }
            Self::BuiltIn(_)
            | Self::Served(_)
            | Self::Connection
            | Self::Unchecked
            | Self::CustomScale(..) => read(node, context, profile, NOW),
        }
    }

    /// Returns the warning about every request for an object of `kind` in `release`.
    pub fn deprecation_warning(&self, kind: &GroupVersionKind, release: release::Version) -> Option<String> {
        match (self, self.definition()) {
            (_, Some((definition, version))) => definition.deprecation_warning(version),
            // Masters of Origin are older than these warnings.
            (Self::Unchecked, None) => None,
            (_, None) => deprecation::warning_in(release, kind),
        }
    }

    /// Whether creating an object stores it.
    pub fn is_stored(&self) -> bool {
        self.strategy().is_none_or(Strategy::is_stored)
    }

    /// Whether an update need not name the version that it is based on.
    pub fn allows_unconditional_update(&self) -> bool {
        match self {
            Self::Custom(..) => false,
            kind => kind.strategy().is_none_or(|strategy| strategy.allow_unconditional_update),
        }
    }

    /// Whether a PUT of an object that does not exist creates it.
    pub fn allows_create_on_update(&self) -> bool {
        self.strategy().is_some_and(|strategy| strategy.allow_create_on_update)
    }

    /// Whether an object without a name gets a uid for one when it is created.
    pub fn names_nameless(&self) -> bool {
        self.strategy().is_some_and(|strategy| strategy.names_nameless)
    }

    /// Prepares `object` to be created, and returns the warnings about it.
    pub fn prepare_for_create(&self, object: &mut Object, context: &Context<'_>) -> Vec<String> {
        match self {
            Self::BuiltIn(strategy) => {
                let warnings = strategy.prepare_for_create(object, context);
                strategy.fill_times(object, None, "", context.profile, NOW);
                warnings
            }
            Self::Served(served) => {
                served.prepare_for_create(object, context);
                Vec::new()
            }
            Self::Unchecked => {
                openshift::prepare_unchecked(object, None, context);
                Vec::new()
            }
            Self::Connection => Vec::new(),
            Self::Custom(..) | Self::CustomScale(..) => {
                let has_status = self.definition().is_some_and(|(_, version)| version.has_status);
                custom_resource::prepare_for_create(object, has_status);
                Vec::new()
            }
        }
    }

    /// Prepares `object` to replace `old`, through `sub_resource` or, where that is empty, as a whole.
    pub fn prepare_for_update(
        &self,
        object: &mut Object,
        old: &Object,
        sub_resource: &str,
        context: &Context<'_>,
    ) {
        match self {
            Self::BuiltIn(strategy) => {
                strategy.prepare_for_update(object, old, sub_resource, context);
                strategy.fill_times(object, Some(old), sub_resource, context.profile, NOW);
            }
            Self::Custom(..) => {
                let has_status = self.definition().is_some_and(|(_, version)| version.has_status);
                custom_resource::prepare_for_update(object, old, sub_resource, has_status);
            }
            Self::Served(served) => served.prepare_for_update(object, old, sub_resource, context),
            Self::Unchecked => openshift::prepare_unchecked(object, Some((old, sub_resource)), context),
            // What is updated is the resource that the scale belongs to.
            Self::Connection | Self::CustomScale(..) => {}
        }
    }

    /// Returns the errors in an object to be created.
    pub fn validate_create(&self, object: &Object, context: &Context<'_>) -> Vec<field::Error> {
        match self {
            Self::BuiltIn(strategy) => strategy.validate_create(object, context),
            Self::Served(served) => served.errors(object, None, "", context),
            Self::Connection | Self::Unchecked => Vec::new(),
            Self::Custom(..) | Self::CustomScale(..) => {
                let definition = self.definition();
                let errors = definition.map_or_else(Vec::new, |(definition, version)| {
                    definition.validate_create(version, object)
                });
                of_release(errors, &object.kind, &object.value, context.profile)
            }
        }
    }

    /// Returns the errors in an object, or in its subresource, that is to replace `old`. Faults that may stay are added
    /// to `warnings`.
    pub fn validate_update(
        &self,
        object: &Object,
        old: &Object,
        sub_resource: &str,
        context: &Context<'_>,
        warnings: &mut Vec<String>,
    ) -> Vec<field::Error> {
        match self {
            Self::BuiltIn(strategy) => strategy.validate_update(object, old, sub_resource, context),
            Self::Served(served) => served.errors(object, Some(old), sub_resource, context),
            Self::Connection | Self::Unchecked => Vec::new(),
            Self::Custom(..) | Self::CustomScale(..) => {
                let errors = self.definition().map_or_else(Vec::new, |(definition, version)| {
                    definition.validate_update(version, object, old, sub_resource, warnings)
                });
                of_release(errors, &object.kind, &object.value, context.profile)
            }
        }
    }

    /// Returns the errors in `scale` as an update of `old`. A custom resource is validated as a whole.
    pub fn validate_scale(
        &self,
        scale: &Object,
        old: &Object,
        context: &Context<'_>,
        warnings: &mut Vec<String>,
    ) -> Vec<field::Error> {
        let Some((definition, version)) = self.definition() else {
            return self.validate_update(scale, &self.scale_of(old), "scale", context, warnings);
        };
        let mut object = self.apply_scale(old, scale);
        custom_resource::prepare_for_update(&mut object, old, "", version.has_status);
        definition.validate_update(version, &object, old, "", warnings)
    }

    /// Returns the answer to an object of `kind` called `name` that is not valid.
    pub fn refusal(&self, kind: &GroupVersionKind, name: &str, errors: &[field::Error]) -> Status {
        match self {
            Self::BuiltIn(strategy) => strategy.refusal(kind, name, errors),
            Self::Served(_) | Self::Connection | Self::Unchecked | Self::Custom(..) => {
                Status::new_invalid(kind, name, errors)
            }
            Self::CustomScale(definition, version) => {
                let owned = |text: &str| Name::Owned(text.to_owned());
                let (group, kind) = (owned(&definition.group), owned(&definition.kind));
                Status::new_invalid(&GroupVersionKind::new(group, version.clone(), kind), name, errors)
            }
        }
    }

    /// Returns the checks that the server would have made and kadmit does not.
    pub fn left_out(&self) -> Vec<String> {
        match self {
            Self::Unchecked => vec![
                "the server's rules for this kind are not known: it was decoded and defaulted, not validated"
                    .to_owned(),
            ],
            Self::Custom(..) | Self::CustomScale(..) => {
                let converted = self
                    .definition()
                    .filter(|(definition, version)| definition.is_converted_by_webhook(version));
                let note = converted.map(|(definition, _)| {
                    format!("the conversion webhook of {} was not called", definition.name)
                });
                note.into_iter().collect()
            }
            Self::BuiltIn(_) | Self::Served(_) | Self::Connection => Vec::new(),
        }
    }

    /// Returns the server's warnings when `object` is created, or replaces `old` through `sub_resource`.
    pub fn warnings(
        &self,
        object: &Object,
        old: Option<&Object>,
        sub_resource: &str,
        profile: &ServerProfile,
    ) -> Vec<String> {
        match self {
            Self::BuiltIn(strategy) if sub_resource.is_empty() || old.is_none() => {
                strategy.warnings(object, old, profile)
            }
            Self::BuiltIn(strategy) => strategy.sub_resource_warnings(object, sub_resource, profile),
            Self::Served(served) => served.warnings(object),
            Self::Connection | Self::Unchecked => Vec::new(),
            Self::Custom(..) | Self::CustomScale(..) if sub_resource == "status" => Vec::new(),
            Self::Custom(..) | Self::CustomScale(..) => {
                Warnings::of(profile, |warnings| warnings_on_custom(object, old, warnings))
            }
        }
    }

    /// Turns `object` into what comes back from the storage.
    pub fn store(&self, object: &mut Object, profile: &ServerProfile) {
        match self {
            Self::BuiltIn(strategy) => strategy.store(object, profile),
            Self::Custom(definition, _) => definition.store(object),
            Self::Served(_) | Self::Connection | Self::Unchecked | Self::CustomScale(..) => {}
        }
    }

    /// Returns a stored object in the version of the request.
    pub fn read_stored(&self, object: Arc<Object>) -> Arc<Object> {
        match self.definition() {
            Some((definition, version)) if object.kind.version != version.name => {
                Arc::new(definition.in_version(&object, &version.name))
            }
            _ if matches!(self, Self::Served(_) | Self::Unchecked) => openshift::typed(object),
            _ => object,
        }
    }

    /// Returns `object` as it is seen through the `scale` subresource.
    pub fn scale_of(&self, object: &Object) -> Object {
        match self.definition().and_then(|(_, version)| version.scale.as_ref()) {
            Some(scale) => scale.scale_of(object),
            None => scale::scale_of(object),
        }
    }

    /// Returns the path of the field that the `scale` subresource sets.
    pub fn replicas_path(&self) -> Vec<&str> {
        match self.definition().and_then(|(_, version)| version.scale.as_ref()) {
            Some(scale) => scale.replicas_path().collect(),
            None => vec!["spec", "replicas"],
        }
    }

    /// Returns `object` with the number of replicas that `scale` requests.
    pub fn apply_scale(&self, object: &Object, scale: &Object) -> Object {
        match self.definition().and_then(|(_, version)| version.scale.as_ref()) {
            Some(paths) => paths.apply(object, scale),
            None => scale::apply_scale(object, scale),
        }
    }
}
