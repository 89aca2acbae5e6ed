//! Where the objects of the cluster were written.

use std::collections::BTreeMap;

use crate::admission::Evidence;
use crate::api::{GroupResource, Object};
use crate::evaluation::Place;

/// The places of the objects that the user gave.
#[derive(Debug, Default)]
pub struct Fixtures {
    places: BTreeMap<(GroupResource, String, String), (String, Place)>,
}

impl Fixtures {
    /// Remembers that `object` was written at `place`.
    pub fn insert(&mut self, resource: &GroupResource, object: &Object, place: Place) {
        let key = (resource.clone(), object.namespace().to_owned(), object.name().to_owned());
        self.places.insert(key, (object.kind.kind.to_string(), place));
    }

    /// `file:line` of what `evidence` names, if the user wrote it.
    pub fn locate(&self, evidence: &Evidence) -> Option<String> {
        let (_, place) = self.find(evidence)?;
        let path = evidence.path.as_ref();
        let found = path.and_then(|path| Some(place.written()?.nearest(path)));
        let (line, _) = found.unwrap_or_else(|| place.line_column());
        Some(format!("{}:{line}", place.file()))
    }

    /// The kind of what `evidence` names, or its resource where nobody wrote it.
    pub fn kind<'a>(&'a self, evidence: &'a Evidence) -> &'a str {
        self.find(evidence).map_or(&evidence.resource.resource, |(kind, _)| kind)
    }

    fn find(&self, evidence: &Evidence) -> Option<&(String, Place)> {
        self.places.get(&(evidence.resource.clone(), evidence.namespace.clone(), evidence.name.clone()))
    }
}
