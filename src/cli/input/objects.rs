//! Objects that are looked at, and not evaluated.

use std::sync::Arc;

use crate::api_server::{self, put_definitions_first};
use crate::cli::console::Console;
use crate::cli::input::{NonManifests, Selection};
use crate::cluster::{Cluster, FixtureError};
use crate::evaluation::Place;
use crate::report::{Diagnostic, Severity};
use kube_api::Object;
use kube_api::server_profile::ServerProfile;

impl NonManifests {
    /// Returns the objects in the files of `paths`, and prints what is wrong; those without a namespace are in
    /// `namespace`. Of a kind that is not defined there is a note: a dump has kinds that no plugin reads.
    pub(in crate::cli) fn objects(
        self,
        paths: [&Vec<String>; 2],
        namespace: &str,
        profile: &ServerProfile,
        console: &mut Console,
    ) -> Vec<(Arc<Object>, Place)> {
        let mut items = Vec::new();
        for found in paths.into_iter().flat_map(|paths| self.items(paths, &Selection::default())) {
            match found {
                Ok(found) => items.extend(found),
                Err(diagnostic) => console.say(&diagnostic),
            }
        }
        put_definitions_first(&mut items);
        let cluster = Cluster::new();
        let mut objects = Vec::new();
        for item in items {
            let (place, fixture) = api_server::fixture(item, namespace, &cluster, profile);
            match fixture {
                Ok(fixture) => {
                    cluster.put(&fixture.resource, fixture.object.clone());
                    objects.push((fixture.object, place));
                }
                Err(error) => {
                    let diagnostic = Diagnostic::input(error.code(), error.to_string());
                    let is_unknown = matches!(error, FixtureError::UnknownKind(..));
                    let severity = if is_unknown { Severity::Note } else { diagnostic.severity };
                    let span = error.span().unwrap_or(place.span);
                    console.say(&Diagnostic { severity, ..diagnostic }.at(place.source().clone(), span));
                }
            }
        }
        objects
    }
}
