//! The rules of validation that came, went or were phrased in other words between the oldest release and the newest.
//!
//! Most of them are distinguished where they are checked, by `Errors::since`. Here is what remains: words about names and
//! addresses, which changed for all kinds at once; the rules that errors carry by name, because what older releases said
//! instead depends on more than is at hand where they are checked; how values are printed; and, as functions, the rules
//! that are gone, which older releases had in addition. Rules about fields that a release does not have need no entry,
//! as such fields are dropped.
//!
//! Source: `pkg/apis/*/validation`, `k8s.io/apimachinery/pkg/{api,util}/validation` of each release.

mod gone;
mod instead;
mod named;
mod printed;
mod words;

pub(crate) use crate::older_releases::rules::gone::validate as validate_gone;
pub(crate) use crate::older_releases::rules::printed::in_json;

use kube_api::field::{self, Path, Segment};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Value};

/// What an older release has instead of an error.
#[derive(Clone, Copy)]
enum Replacement {
    /// The same error with this before its detail.
    Phrase(&'static str),
    /// The same error with another detail.
    Detail(&'static str),
    /// The same error, and another one after it.
    Followed(fn(&field::Error) -> field::Error),
    /// Another error, or none.
    Error(fn(field::Error, &Subject<'_>) -> Option<field::Error>),
}

/// The object that the errors are about.
struct Subject<'a> {
    kind: &'a GroupVersionKind,
    object: &'a Value,
    profile: &'a ServerProfile,
}

/// Returns the names of the fields of `path`, joined by dots.
fn fields_of(path: Option<&Path>) -> String {
    let segments = path.map(Path::segments).unwrap_or_default();
    let names = segments.into_iter().filter_map(|segment| match segment {
        Segment::Field(name) => Some(&**name),
        Segment::Index(_) | Segment::Key(_) => None,
    });
    names.collect::<Vec<_>>().join(".")
}

impl Subject<'_> {
    /// Returns the value at `path`, `null` where it is absent.
    fn at(&self, path: &Path) -> &Value {
        path.value_in(self.object).unwrap_or(&Value::Null)
    }
}

/// The minor of the first release that spells `matchResources` in errors about bindings of policies.
const SPELLS_MATCH_RESOURCES: u32 = 32;

/// Returns what the release of `features` has instead of the newest release's `errors` in `object`.
pub(crate) fn of_release(
    errors: Vec<field::Error>,
    kind: &GroupVersionKind,
    object: &Value,
    profile: &ServerProfile,
) -> Vec<field::Error> {
    let release = profile.release();
    if release == Version::BINARY || errors.is_empty() {
        return errors;
    }
    let subject = Subject { kind, object, profile };
    let mut found: Vec<_> =
        errors.into_iter().flat_map(|error| with_follower(error, &subject, release.minor)).collect();
    // Several wrong ranges were one wrong list.
    found.dedup_by(|later, earlier| later.rule == Some(field::Rule::SourceRange) && later == earlier);
    if kind.kind == "ValidatingAdmissionPolicyBinding" && release.minor < SPELLS_MATCH_RESOURCES {
        found.iter_mut().for_each(instead::in_first_binding);
    }
    if kind.kind == "Ingress" && kind.version == "v1beta1" {
        found.iter_mut().for_each(instead::in_first_ingress);
    }
    found
}

/// Returns what the release has instead of an error, and what it has after it.
fn with_follower(error: field::Error, subject: &Subject<'_>, minor: u32) -> Vec<field::Error> {
    let follower = named::rows().find_map(|row| match row.then {
        Replacement::Followed(follower) if minor < row.since && error.rule == Some(row.rule) => {
            Some(follower(&error))
        }
        _ => None,
    });
    then(error, subject, minor).into_iter().chain(follower).collect()
}

fn then(mut error: field::Error, subject: &Subject<'_>, minor: u32) -> Option<field::Error> {
    words::of_release(&mut error, minor);
    let rule = error.rule;
    for row in named::rows().filter(|row| minor < row.since && rule == Some(row.rule)) {
        match row.then {
            Replacement::Phrase(phrase) => error.detail = phrase.to_owned() + &error.detail,
            Replacement::Detail(detail) => detail.clone_into(&mut error.detail),
            Replacement::Followed(_) => {}
            Replacement::Error(instead) => error = instead(error, subject)?,
        }
    }
    if minor < printed::JSON {
        printed::in_go(&mut error, subject);
    }
    if minor < printed::UNICODE_15 {
        error.bad_value = error.bad_value.map(printed::escaped);
    }
    Some(error)
}

/// Returns the number of rules that `release` had and that are gone since.
pub fn gone_since(release: Version) -> usize {
    gone::in_release(release).count()
}

#[cfg(test)]
mod tests;
