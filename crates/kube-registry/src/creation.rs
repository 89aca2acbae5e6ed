//! The registry's part in the creation of an object, between the two phases of admission and after them.

use std::cell::Cell;

use crate::kind::Kind;
use crate::merge::managed_fields;
use crate::store::wipe_system_fields;
use crate::strategy::Context;
use kube_api::server_profile::ServerProfile;
use kube_api::{Object, field};

/// The registry's answer to an object that is to be created.
#[derive(Clone, Debug)]
pub struct Creation {
    /// The warnings of preparing it, which precede the others.
    pub preparation_warnings: Vec<String>,
    /// The errors in it.
    pub errors: Vec<field::Error>,
    /// The warnings about it; none if it has errors.
    pub warnings: Vec<String>,
}

impl Creation {
    /// Prepares `object` and validates it.
    pub fn of(kind: &Kind, object: &mut Object, context: &Context<'_>) -> Self {
        let preparation_warnings = kind.prepare_for_create(object, context);
        let errors = kind.validate_create(object, context);
        let warnings =
            if errors.is_empty() { kind.warnings(object, None, "", context.profile) } else { Vec::new() };
        Self { preparation_warnings, errors, warnings }
    }

    /// Does the same, or what `rehearsal` did if that was of this object; then it also returns the object as it comes
    /// back from the storage.
    pub fn rehearsed(
        rehearsal: Option<Box<Rehearsal>>,
        kind: &Kind,
        object: &mut Object,
        context: &Context<'_>,
    ) -> (Self, Option<Object>) {
        match rehearsal.filter(|rehearsal| rehearsal.is_of(object)) {
            Some(rehearsal) => {
                *object = rehearsal.prepared;
                (rehearsal.creation, Some(rehearsal.stored))
            }
            None => (Self::of(kind, object, context), None),
        }
    }
}

/// The creation of an object that no plugin changes, computed before its request is evaluated: that needs neither the
/// cluster nor the requests before, so it can be done in parallel.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// The object as plugins leave it.
    pub object: Object,
    /// The object, prepared.
    prepared: Object,
    /// The answer to it.
    creation: Creation,
    /// The object as it comes back from the storage.
    pub stored: Object,
}

impl Rehearsal {
    /// Rehearses the creation of `object` in `namespace`, unless it depends on the request.
    pub fn of(kind: &Kind, object: &Object, namespace: &str, profile: &ServerProfile) -> Option<Self> {
        if object.name().is_empty() {
            return None;
        }
        let mut object = object.clone();
        wipe_system_fields(&mut object);
        managed_fields::settle(&mut object, None);
        if !namespace.is_empty() && object.namespace().is_empty() {
            object.set(["metadata", "namespace"], namespace);
        }
        let is_asked = Cell::new(false);
        let mut prepared = object.clone();
        let creation = Creation::of(kind, &mut prepared, &Context::without_request(profile, &is_asked));
        if is_asked.get() {
            return None;
        }
        let mut stored = prepared.clone();
        kind.store(&mut stored, profile);
        Some(Self { object, prepared, creation, stored })
    }

    /// Whether the object passes validation.
    pub fn is_valid(&self) -> bool {
        self.creation.errors.is_empty()
    }

    /// Whether it is that of `object`.
    pub fn is_of(&self, object: &Object) -> bool {
        self.object == *object
    }
}
