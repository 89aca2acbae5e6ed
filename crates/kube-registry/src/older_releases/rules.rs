//! The rules of validation that came, went or were phrased in other words between the oldest release and the newest.
//!
//! Validation is that of the newest release. What an older one had instead of one of its errors is in a table: nothing,
//! because the rule came later; other words; or another error. The rules that are gone, which older releases had in
//! addition, are functions. Rules about fields that a release does not have need no entry, as such fields are dropped.
//!
//! Source: `pkg/apis/*/validation`, `k8s.io/apimachinery/pkg/{api,util}/validation` of each release.

mod gone;
mod instead;
mod named;
mod printed;
mod table;

pub(crate) use crate::older_releases::rules::gone::validate as validate_gone;

use kube_api::field::{self, ErrorType, Path, Segment};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Value};

/// A rule of the newest release, and what older ones have instead.
struct Rule {
    /// The minor of the first release that has the rule as it is now.
    since: u32,
    /// How its errors are recognized.
    of: Mark,
    /// What a release before that has.
    then: Then,
}

/// The errors of a rule.
struct Mark {
    /// Their type, if only one counts.
    error_type: Option<ErrorType>,
    /// The kind of the object, if only one has the rule.
    kind: &'static str,
    /// The last fields of the path, joined by dots; `.*` at the end means whatever is below them.
    fields: &'static str,
    /// A part of the detail.
    detail: &'static str,
}

/// What an older release has instead of an error.
#[derive(Clone, Copy)]
enum Then {
    /// Nothing.
    Admitted,
    /// The same error with the recognized part of its detail replaced.
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

impl Mark {
    fn fits(&self, error: &field::Error, fields: &str, subject: &Subject<'_>) -> bool {
        self.error_type.is_none_or(|wanted| wanted == error.error_type)
            && (self.kind.is_empty() || self.kind == subject.kind.kind)
            && error.detail.contains(self.detail)
            && ends_with(fields, self.fields)
    }
}

/// Whether the last of `fields` are the `wanted` ones.
fn ends_with(fields: &str, wanted: &str) -> bool {
    if let Some(above) = wanted.strip_suffix("*") {
        return fields.starts_with(above) || fields.contains(&format!(".{above}"));
    }
    wanted.is_empty()
        || fields.strip_suffix(wanted).is_some_and(|before| before.is_empty() || before.ends_with('.'))
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
        Then::Followed(follower) if minor < row.since && error.rule == Some(row.rule) => {
            Some(follower(&error))
        }
        _ => None,
    });
    then(error, subject, minor).into_iter().chain(follower).collect()
}

fn then(mut error: field::Error, subject: &Subject<'_>, minor: u32) -> Option<field::Error> {
    for rule in table::rules().filter(|rule| minor < rule.since) {
        // A rule may have moved the error, so its path is read each time.
        if !rule.of.fits(&error, &fields_of(error.path.as_ref()), subject) {
            continue;
        }
        match rule.then {
            Then::Admitted => return None,
            Then::Phrase(phrase) => error.detail = error.detail.replace(rule.of.detail, phrase),
            Then::Detail(detail) => detail.clone_into(&mut error.detail),
            Then::Followed(_) => {}
            Then::Error(instead) => error = instead(error, subject)?,
        }
    }
    let rule = error.rule;
    for row in named::rows().filter(|row| minor < row.since && rule == Some(row.rule)) {
        match row.then {
            Then::Admitted => return None,
            Then::Phrase(phrase) => error.detail = phrase.to_owned() + &error.detail,
            Then::Detail(detail) => detail.clone_into(&mut error.detail),
            Then::Followed(_) => {}
            Then::Error(instead) => error = instead(error, subject)?,
        }
    }
    if minor < printed::JSON {
        printed::in_go(&mut error, subject);
    }
    Some(error)
}

/// Returns the number of rules that the releases before `release` do not have, have in other words, and had and that
/// are gone since.
pub fn differences(release: Version) -> [usize; 3] {
    let (mut later, mut phrased) = (0, 0);
    let old = table::rules().map(|rule| (rule.since, rule.then));
    let named = named::rows().map(|row| (row.since, row.then));
    for (_, then) in old.chain(named).filter(|(since, _)| release.minor < *since) {
        match then {
            Then::Admitted => later += 1,
            Then::Phrase(_) | Then::Detail(_) | Then::Followed(_) | Then::Error(_) => phrased += 1,
        }
    }
    [later, phrased, gone::in_release(release).count()]
}

#[cfg(test)]
mod tests;
