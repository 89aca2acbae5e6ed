//! The registry's handling of every object, around that of its kind: defaults, preparation, validation, warnings, and
//! the round trip through the storage.
//!
//! Deliberately absent are the values that the server generates: uids, resource versions, generations, cluster IPs and
//! node ports.
//!
//! Source: `k8s.io/apiserver/pkg/registry/generic/registry/store.go`, `k8s.io/apiserver/pkg/registry/rest`.

use std::borrow::Cow;

use crate::autoscaling::horizontal_pod_autoscaler::conversion as autoscaler;
use crate::core::service;
use crate::defaults::pod;
use crate::generation;
use crate::preparation::{copy_metadata, keep_metadata};
use crate::strategy::{Context, ObjectStatus, Strategy};
use crate::validation::metadata::{
    self, Scope, validate_object_meta_accessor, validate_object_meta_accessor_update,
};
use crate::validation::named_text;
use crate::validation::node::{Errors, Node};
use crate::warnings::Warnings;
use crate::{older_releases, openshift, table};
use gotext::value::{Seal, Walk};
use kube_api::decode::normalize_in;
use kube_api::features::Feature;
use kube_api::field::{Path, Segment};
use kube_api::schema::{self, Scalar, Shape, Type};
use kube_api::server_profile::ServerProfile;
use kube_api::tree::copy;
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Map, Object, Status, Value, field, resource};

/// Fills in the defaults of `object`. Values already set stay; doing it twice changes nothing.
///
/// The object must have been decoded: fields of other types than the API's are skipped.
pub fn set_defaults(object: &mut Object, profile: &ServerProfile) {
    let Some(strategy) = table::of(&object.kind) else { return openshift::set_defaults(object) };
    if profile.release() != Version::BINARY {
        // Fields that the release does not have are dropped in encoding.
        schema::forget(&mut object.value);
    }
    let Object { kind, value: Value::Object(map), .. } = object else { return };
    if let Some(set_defaults) = strategy.defaults {
        set_defaults(map, &kind.version, profile);
        if profile.release() < pod::LEAVES_PORTS_OF_TEMPLATES {
            pod::host_ports_of_templates(map);
        }
    }
}

/// Fills in the defaults that the server takes from its clock: `now` as RFC 3339.
pub(super) fn set_default_times(object: &mut Object, now: &str) {
    let set = table::of(&object.kind).and_then(|strategy| strategy.default_times);
    if let (Some(set), Value::Object(map)) = (set, &mut object.value) {
        set(map, now);
    }
}

/// Names an object that has only `metadata.generateName`; `generate` turns that into a name.
pub fn generate_name(object: &mut Object, generate: impl FnOnce(&str) -> String) {
    if object.name().is_empty() && !object.generate_name().is_empty() {
        let name = generate(object.generate_name());
        object.set(["metadata", "name"], name);
    }
}

impl Strategy {
    /// Prepares `object` to be created, and returns the warnings about it. They precede those of
    /// [`Strategy::warnings`].
    pub fn prepare_for_create(&self, object: &mut Object, context: &Context<'_>) -> Vec<String> {
        let mut warnings = Vec::new();
        let Value::Object(map) = &mut object.value else { return warnings };
        match self.status {
            ObjectStatus::None | ObjectStatus::Users => {}
            ObjectStatus::Controllers => drop(map.remove("status")),
            ObjectStatus::Initialized(begin) => {
                map.remove("status");
                begin(map);
            }
        }
        generation::forget(map, self.group, self.kind);
        for gated in self.gated {
            gated.drop_disabled(map, None, context.profile);
        }
        if let Some(prepare) = self.prepare_for_create {
            prepare(map, context, &mut warnings);
        }
        older_releases::initializers::drop_disabled(map, context.profile);
        normalize_in(context.profile.release(), object);
        warnings
    }

    /// Prepares `object` to replace `old`, through `sub_resource` or, where that is empty, as a whole.
    pub fn prepare_for_update(
        &self,
        object: &mut Object,
        old: &Object,
        sub_resource: &str,
        context: &Context<'_>,
    ) {
        let (Value::Object(map), Value::Object(old)) = (&mut object.value, &old.value) else { return };
        copy_metadata(map, old, &["generation"]);
        if sub_resource.is_empty() {
            if matches!(self.status, ObjectStatus::Controllers | ObjectStatus::Initialized(_)) {
                copy(map, old, "status");
            }
            if let Some(prepare) = self.prepare_for_update {
                prepare(map, old, context);
            }
        } else if let Some(prepare) = self.sub_resource(sub_resource).and_then(|part| part.prepare_for_update)
        {
            prepare(map, old, context);
        }
        for gated in self.gated {
            gated.drop_disabled(map, Some(old), context.profile);
        }
        keep_metadata(map, old);
        older_releases::initializers::drop_disabled(map, context.profile);
        normalize_in(context.profile.release(), object);
    }

    /// Fills in the times that the server takes from its clock when it prepares an object: `now`, in RFC 3339. For an
    /// update, `old` is what the object replaces.
    pub fn fill_times(
        &self,
        object: &mut Object,
        old: Option<&Object>,
        sub_resource: &str,
        profile: &ServerProfile,
        now: &str,
    ) {
        let fill = match sub_resource {
            "" => self.prepared_times,
            name => self.sub_resource(name).and_then(|part| part.prepared_times),
        };
        if let (Some(fill), Value::Object(map)) = (fill, &mut object.value) {
            fill(map, old, now, profile);
        }
    }

    /// Turns `object` into what comes back from the storage: it is encoded there in a format without empty lists, and
    /// defaulted again when it is read.
    pub fn store(&self, object: &mut Object, profile: &ServerProfile) {
        // Definitions are stored as JSON.
        if self.group != "apiextensions.k8s.io"
            && let Some(table) = schema::of(&object.kind)
        {
            forget_empty_lists(&mut object.value, table);
        }
        set_defaults(object, profile);
        if let (Some(on_read), Value::Object(map)) =
            (on_read(&object.kind, profile.release()), &mut object.value)
        {
            on_read(map);
        }
        if self.kind == "HorizontalPodAutoscaler"
            && !profile.enabled(Feature::HPAConfigurableTolerance)
            && let Value::Object(map) = &mut object.value
        {
            if profile.release() < autoscaler::HAS_TOLERANCE {
                autoscaler::forget_tolerance(map);
            } else {
                autoscaler::reset_tolerance(map);
            }
        }
        normalize_in(profile.release(), object);
        object.forget_all_empty();
    }

    /// Returns the errors in an object to be created.
    pub fn validate_create(&self, object: &Object, context: &Context<'_>) -> Vec<field::Error> {
        let object = &*self.with_later_defaults(self.in_memory(object, None, context), context.profile);
        let mut errors = Errors::of(context.profile.release());
        self.validate_whole(&mut errors, object, None, context);
        if errors.is_empty() && self.is_stored() {
            validate_stored_metadata(&mut errors, object);
        }
        as_of_release(errors.0, object, context.profile)
    }

    /// Returns the object as the server has it in memory; what was given empty is dropped by gates, too.
    fn in_memory<'a>(
        &self,
        object: &'a Object,
        old: Option<&Object>,
        context: &Context<'_>,
    ) -> Cow<'a, Object> {
        let mut object = object.in_memory();
        if let Cow::Owned(Object { value: Value::Object(map), .. }) = &mut object {
            let old = old.and_then(|old| old.value.as_object());
            self.gated.iter().for_each(|gated| gated.drop_disabled(map, old, context.profile));
        }
        object
    }

    /// Returns the object as validation sees it: validation is that of the newest release, so it sees that release's
    /// defaults.
    fn with_later_defaults<'a>(&self, object: Cow<'a, Object>, profile: &ServerProfile) -> Cow<'a, Object> {
        let is_older = profile.release() < Version::RECORDED;
        let Some(set_defaults) = self.defaults.filter(|_| is_older) else {
            return object;
        };
        let mut filled = object.into_owned();
        schema::forget(&mut filled.value);
        if let Value::Object(map) = &mut filled.value {
            set_defaults(map, &filled.kind.version, profile);
        }
        Cow::Owned(filled)
    }

    /// Returns the errors in an object, or in its subresource, that is to replace `old`.
    pub fn validate_update(
        &self,
        object: &Object,
        old: &Object,
        sub_resource: &str,
        context: &Context<'_>,
    ) -> Vec<field::Error> {
        let object = &*self.with_later_defaults(self.in_memory(object, Some(old), context), context.profile);
        let old = &*self.with_later_defaults(Cow::Borrowed(old), context.profile);
        // Definitions have such JSON as values.
        let old =
            &*if self.group == "apiextensions.k8s.io" { Cow::Borrowed(old) } else { old.beside(object) };
        let mut errors = Errors::of(context.profile.release());
        validate_common_fields(&mut errors, object, old);
        if sub_resource.is_empty() {
            self.validate_whole(&mut errors, object, Some(old), context);
        } else if let Some(validate) = self.sub_resource(sub_resource).and_then(|part| part.validate_update) {
            validate(&mut errors, &Node::root(&object.value), &Node::root(&old.value), context);
        }
        as_of_release(errors.0, object, context.profile)
    }

    fn validate_whole(
        &self,
        errors: &mut Errors,
        object: &Object,
        old: Option<&Object>,
        context: &Context<'_>,
    ) {
        let Some(validate) = self.validate else { return };
        if let Some(as_validated) = self.as_validated {
            let (object, old) = (as_validated(object, context), old.map(|old| as_validated(old, context)));
            let old = old.as_ref().map(|old| Node::root(&old.value));
            validate(errors, &Node::root(&object.value), old.as_ref(), context);
        } else {
            let old = old.map(|old| Node::root(&old.value));
            validate(errors, &Node::root(&object.value), old.as_ref(), context);
        }
        if context.profile.release() != Version::BINARY {
            let old = old.map(|old| &old.value);
            older_releases::rules::validate_gone(errors, &object.kind, &object.value, old, context.profile);
        }
    }

    /// Returns the answer to an object that is not valid. It names the object as the server does.
    pub fn refusal(&self, kind: &GroupVersionKind, name: &str, errors: &[field::Error]) -> Status {
        match self.refuse {
            Some(refuse) => refuse(name, errors),
            None => Status::new_invalid(kind, name, errors),
        }
    }

    /// Returns the server's warnings when `object` is created or replaces `old`, in their order. The object has been
    /// prepared.
    pub fn warnings(&self, object: &Object, old: Option<&Object>, profile: &ServerProfile) -> Vec<String> {
        Warnings::of(profile, |warnings| {
            if let Some(warn) = self.warnings {
                warn(object, old, warnings);
            }
        })
    }

    /// Returns the server's warnings when `object` is written through `sub_resource`.
    pub fn sub_resource_warnings(
        &self,
        object: &Object,
        sub_resource: &str,
        profile: &ServerProfile,
    ) -> Vec<String> {
        Warnings::of(profile, |warnings| {
            if let Some(warn) = self.sub_resource(sub_resource).and_then(|part| part.warnings) {
                warn(object, warnings);
            }
        })
    }
}

/// Returns the errors that the release of the server has instead of the newest release's `errors`.
pub fn as_of_release(
    mut errors: Vec<field::Error>,
    object: &Object,
    profile: &ServerProfile,
) -> Vec<field::Error> {
    let release = profile.release();
    if release != Version::BINARY {
        for error in &mut errors {
            older_releases::rules::in_json(error, release);
        }
    }
    if release >= named_text::SINCE {
        named_text::print(&mut errors, object);
        named_text::print_as_written(&mut errors, object);
    }
    if release == Version::BINARY {
        return errors;
    }
    let errors = older_releases::rules::of_release(errors, &object.kind, &object.value, profile);
    without_later_fields(errors, &object.kind, release)
}

/// Returns the errors except those about fields that `release` does not have yet.
fn without_later_fields(
    mut errors: Vec<field::Error>,
    kind: &GroupVersionKind,
    release: Version,
) -> Vec<field::Error> {
    if release == Version::BINARY || errors.is_empty() {
        return errors;
    }
    let tables = schema::of_release(release).of(kind).zip(schema::of_release(Version::BINARY).of(kind));
    if let Some((then, now)) = tables {
        errors.retain(|error| !error.path.as_ref().is_some_and(|path| is_later(path, then, now)));
    }
    errors
}

/// Whether `path` passes through a field that the type has `now` and did not have `then`.
fn is_later(path: &Path, mut then: &'static Type, mut now: &'static Type) -> bool {
    for segment in path.segments() {
        let step = |table: &'static Type| match (&table.shape, segment) {
            (Shape::Struct(structure), Segment::Field(name)) => Some(structure.field(name)?.reference.get()),
            (Shape::List(item), Segment::Index(_)) | (Shape::Map { value: item, .. }, Segment::Key(_)) => {
                Some(item.get())
            }
            _ => None,
        };
        match (step(then), step(now)) {
            (Some(old), Some(new)) => (then, now) = (old, new),
            (old, new) => return old.is_none() && new.is_some(),
        }
    }
    false
}

/// Validates what `rest.BeforeCreate` requires of every kind after its own rules.
fn validate_stored_metadata(errors: &mut Errors, object: &Object) {
    let is_namespaced = resource::by_kind(&object.kind).map(|resource| resource.namespaced);
    let is_namespaced = is_namespaced.unwrap_or(!object.namespace().is_empty());
    let scope = if is_namespaced { Scope::Namespaced } else { Scope::Cluster };
    let metadata = Node::root(&object.value).child("metadata");
    validate_object_meta_accessor(errors, &metadata, scope, metadata::name_is_path_segment);
}

/// Validates what `rest.BeforeUpdate` requires of every kind before its own rules, which often require the same again:
/// the message then has it once, the causes twice.
fn validate_common_fields(errors: &mut Errors, object: &Object, old: &Object) {
    validate_stored_metadata(errors, object);
    let [metadata, before] = [object, old].map(|object| Node::root(&object.value).child("metadata"));
    validate_object_meta_accessor_update(errors, &metadata, &before);
}

/// Turns `value` of type `table` into what comes back from a format without empty lists.
fn forget_empty_lists(value: &mut Value, table: &'static Type) {
    // Writing to a container shared with an earlier version copies it, so this is checked first.
    if !is_changed_by_storage(value, table) {
        return;
    }
    match (value, &table.shape) {
        (value @ Value::Array(_), Shape::List(_)) if value.as_array().is_some_and(Vec::is_empty) => {
            *value = Value::Null;
        }
        (Value::Array(items), Shape::List(item)) => {
            for value in items {
                forget_empty_lists(value, item.get());
            }
        }
        (Value::Object(entries), Shape::Map { value: item, .. }) => {
            let are_bytes = matches!(item.get().shape, Shape::Scalar(Scalar::Bytes));
            for value in entries.values_mut() {
                // Absent bytes are stored as empty ones.
                if are_bytes && value.is_null() {
                    *value = "".into();
                }
                forget_empty_lists(value, item.get());
            }
        }
        (Value::Object(entries), Shape::Struct(structure)) => {
            for (name, value) in entries {
                let Some(field) = structure.field(name) else { continue };
                if is_empty_bytes(value, field.reference.get()) {
                    *value = Value::Null;
                }
                forget_empty_lists(value, field.reference.get());
            }
        }
        _ => {}
    }
}

fn is_empty_bytes(value: &Value, table: &'static Type) -> bool {
    matches!(table.shape, Shape::Scalar(Scalar::Bytes)) && value.as_str() == Some("")
}

/// Whether [`forget_empty_lists`] changes `value`.
fn is_changed_by_storage(value: &Value, table: &'static Type) -> bool {
    match (value, &table.shape) {
        (Value::Array(items), Shape::List(item)) => {
            items.is_empty() || items.iter().any(|value| is_changed_by_storage(value, item.get()))
        }
        (Value::Object(entries), Shape::Map { value: item, .. }) => {
            let are_bytes = matches!(item.get().shape, Shape::Scalar(Scalar::Bytes));
            entries
                .values()
                .any(|value| are_bytes && value.is_null() || is_changed_by_storage(value, item.get()))
        }
        (Value::Object(entries), Shape::Struct(structure)) => {
            let seal = Seal::of(Walk::Storage, table);
            if entries.is_sealed(seal) {
                return false;
            }
            let is_empty_text = |value: &Value| value.as_str() == Some("");
            let mut below = entries
                .iter()
                .filter(|(_, value)| value.is_array() || value.is_object() || is_empty_text(value));
            let is_changed = below.any(|(name, value)| {
                structure.field(name).is_some_and(|field| {
                    let target = field.reference.get();
                    is_empty_bytes(value, target) || is_changed_by_storage(value, target)
                })
            });
            if !is_changed {
                entries.seal(seal);
            }
            is_changed
        }
        _ => false,
    }
}

/// Returns what the server does to objects of `kind` that it reads from the storage, besides setting defaults.
fn on_read(kind: &GroupVersionKind, release: Version) -> Option<fn(&mut Map)> {
    match (&*kind.group, &*kind.version, &*kind.kind) {
        ("", _, "Service") => Some(service::default_on_read),
        ("autoscaling", "v1", "HorizontalPodAutoscaler") if release >= autoscaler::IS_STORED_AS_V2 => {
            Some(autoscaler::complete_v1)
        }
        ("autoscaling", "v1", "HorizontalPodAutoscaler") => Some(autoscaler::write_v1),
        _ => None,
    }
}

/// Removes the metadata that only the server sets from an object to be created.
///
/// Source: `rest.WipeObjectMetaSystemFields`
pub fn wipe_system_fields(object: &mut Object) {
    const FIELDS: [&str; 5] =
        ["creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];
    for field in FIELDS {
        if object.has(["metadata", field]) {
            object.remove(["metadata", field]);
        }
    }
}
