//! The changes of objects that rule refusals out, where the refusing rule itself does not name them.

mod decoding;
mod invalid;
mod names;
mod quota;

use crate::admission::Remedy;
use crate::cluster::Cluster;
use crate::evaluation::{Outcome, Place, Written};
use kube_api::version::Version;

/// Adds the remedies of the refusals among `outcome` and the requests that it caused.
pub(super) fn complete(outcome: &mut Outcome, cluster: &Cluster, release: Version) {
    for index in 0..=outcome.caused.len() {
        let request = index.checked_sub(1).map_or(&*outcome, |index| &outcome.caused[index]);
        let found = remedies(request, cluster, release);
        let request = match index.checked_sub(1) {
            Some(index) => &mut outcome.caused[index],
            None => &mut *outcome,
        };
        if let Some(refusal) = &mut request.refusal {
            refusal.remedies.extend(found);
        }
    }
}

/// Returns the changes after which `request` is not refused for the same reason, unless its refusal names them.
fn remedies(request: &Outcome, cluster: &Cluster, release: Version) -> Vec<Remedy> {
    let Some(refusal) = request.refusal.as_ref().filter(|refusal| refusal.remedies.is_empty()) else {
        return Vec::new();
    };
    let mut found: Vec<Remedy> =
        refusal.errors.iter().flat_map(|error| invalid::remedies(error, request)).collect();
    if found.is_empty() && request.cause.is_none() {
        let span = request.decode_span;
        let written = span.and(request.place.as_ref()).and_then(Place::written);
        let part = written.as_ref().and_then(Written::node).zip(span);
        found.extend(part.and_then(|(node, span)| decoding::remedy(node, span, request, release)));
    }
    if found.is_empty() {
        found.extend(names::remedies(refusal, cluster));
    }
    if found.is_empty() {
        found.extend(quota::remedies(request, cluster));
    }
    found
}
