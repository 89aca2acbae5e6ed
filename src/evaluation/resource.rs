//! What the server's registry does with the objects of a target: by what it knows of its own kinds, or by the
//! definition of a custom resource.

use std::sync::Arc;

use crate::api::features::FeatureGates;
use crate::api::field;
use crate::api::{GroupVersionKind, Name, Object, deprecation};
use crate::evaluation::target::Target;
use crate::registry::scale;
use crate::registry::strategy::{self, Creation};
use crate::registry::validation;
use crate::registry::warnings;

impl Target {
    /// What every request to the resource is warned of.
    pub(super) fn deprecation_warning(&self) -> Option<String> {
        match self.definition() {
            Some((definition, version)) => definition.deprecation_warning(version),
            None => deprecation::warning(&self.kind),
        }
    }

    pub(super) fn prepare_for_create(
        &self,
        object: &mut Object,
        creation: &Creation<'_>,
        features: &FeatureGates,
    ) -> Vec<String> {
        let Some((_, version)) = self.definition() else {
            return strategy::prepare_for_create(object, creation, features);
        };
        strategy::prepare_custom_for_create(object, version.has_status);
        Vec::new()
    }

    pub(super) fn prepare_for_update(
        &self,
        object: &mut Object,
        old: &Object,
        sub_resource: &str,
        features: &FeatureGates,
    ) {
        match self.definition() {
            None => strategy::prepare_for_update(object, old, sub_resource, features),
            // What is updated is the resource behind the scale.
            Some(_) if sub_resource == "scale" => {}
            Some((_, version)) => {
                strategy::prepare_custom_for_update(object, old, sub_resource, version.has_status);
            }
        }
    }

    pub(super) fn validate_create(&self, object: &Object, features: &FeatureGates) -> Vec<field::Error> {
        match self.definition() {
            Some((definition, version)) => definition.validate_create(version, object),
            None => validation::validate_create(object, features),
        }
    }

    pub(super) fn validate_update(
        &self,
        object: &Object,
        old: &Object,
        sub_resource: &str,
        features: &FeatureGates,
    ) -> Vec<field::Error> {
        match self.definition() {
            Some((definition, version)) => definition.validate_update(version, object, old, sub_resource),
            None => validation::validate_update(object, old, sub_resource, features),
        }
    }

    /// What is wrong with `scale` as an update of `old`. A custom resource is validated as a whole.
    pub(super) fn validate_scale(
        &self,
        scale: &Object,
        old: &Object,
        features: &FeatureGates,
    ) -> Vec<field::Error> {
        let Some((definition, version)) = self.definition() else {
            return validation::validate_update(scale, &self.scale_of(old), "scale", features);
        };
        let mut object = self.apply_scale(old, scale);
        strategy::prepare_custom_for_update(&mut object, old, "", version.has_status);
        definition.validate_update(version, &object, old, "")
    }

    /// The kind that is said to be invalid.
    pub(super) fn validated_kind(&self, object: &Object) -> GroupVersionKind {
        match self.definition() {
            Some((definition, _)) if self.kind.group != definition.group => {
                let name = |text: &str| Name::Owned(text.to_owned());
                let version = self.resource.version.clone();
                GroupVersionKind::new(name(&definition.group), version, name(&definition.kind))
            }
            _ => object.kind.clone(),
        }
    }

    /// What the server would have done beyond finding `errors`.
    pub(super) fn left_out(&self, errors: &[field::Error]) -> Vec<String> {
        let Some((definition, version)) = self.definition() else { return Vec::new() };
        let name = &definition.name;
        let mut notes = Vec::new();
        if version.leaves_rules_open(errors) {
            notes.push(format!("x-kubernetes-validations of {name}/{} were not evaluated", version.name));
        }
        if definition.is_converted_by_webhook(version) {
            notes.push(format!("the conversion webhook of {name} was not called"));
        }
        notes
    }

    pub(super) fn warnings_on_create(&self, object: &Object, features: &FeatureGates) -> Vec<String> {
        match self.definition() {
            Some(_) => warnings::warnings_on_custom(object, None),
            None => warnings::warnings_on_create(object, features),
        }
    }

    pub(super) fn warnings_on_update(
        &self,
        object: &Object,
        old: &Object,
        sub_resource: &str,
    ) -> Vec<String> {
        match self.definition() {
            None => warnings::warnings_on_update(object, old, sub_resource),
            Some(_) if sub_resource == "status" => Vec::new(),
            Some(_) => warnings::warnings_on_custom(object, Some(old)),
        }
    }

    /// Makes `object` what comes back from the storage.
    pub(super) fn store(&self, object: &mut Object, features: &FeatureGates) {
        match self.definition() {
            Some((definition, _)) if self.kind.group == definition.group => definition.store(object),
            _ => strategy::store(object, features),
        }
    }

    /// A stored object in the version of the request.
    pub(super) fn read_stored(&self, object: Arc<Object>) -> Arc<Object> {
        match self.definition() {
            Some((definition, version)) if object.kind.version != version.name => {
                Arc::new(definition.in_version(&object, &version.name))
            }
            _ => object,
        }
    }

    /// How an object looks through the `scale` subresource.
    pub(super) fn scale_of(&self, object: &Object) -> Object {
        match self.definition().and_then(|(_, version)| version.scale.as_ref()) {
            Some(scale) => scale.scale_of(object),
            None => scale::scale_of(object),
        }
    }

    /// `object` with the number of replicas that `scale` asks for.
    pub(super) fn apply_scale(&self, object: &Object, scale: &Object) -> Object {
        match self.definition().and_then(|(_, version)| version.scale.as_ref()) {
            Some(paths) => paths.apply(object, scale),
            None => scale::apply_scale(object, scale),
        }
    }
}
