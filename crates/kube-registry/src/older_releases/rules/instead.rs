//! The errors of older releases that differ in more than their words.

#![expect(clippy::unnecessary_wraps, reason = "every function of the table has this signature")]

use crate::older_releases::rules::{Subject, fields_of};
use crate::validation::condition::STATUSES;
use gotext::{encoding_json, names, quote};
use kube_api::Value;
use kube_api::features::Feature;
use kube_api::field::{self, Error, ErrorType, Path, Segment};

/// The name of a resource printed itself, from 1.29 on, where it has a type of its own.
pub(super) fn bare_resource_name(mut error: Error, subject: &Subject<'_>) -> Option<Error> {
    const HAS_TYPE: u32 = 29;
    if subject.profile.release().minor >= HAS_TYPE
        && let Some(quoted) = &error.bad_value
        && let Ok(Value::String(text)) = encoding_json::from_slice(quoted.as_bytes())
    {
        error.bad_value = Some(text.to_string());
    }
    Some(error)
}

/// The field of an Ingress' class was named in the detail; that of a backend was not.
pub(super) fn name_is_required(error: Error, subject: &Subject<'_>) -> Option<Error> {
    Some(with_required(error, subject, "name is required"))
}

/// The field of an Ingress' class was named in the detail; that of a backend was not.
pub(super) fn kind_is_required(error: Error, subject: &Subject<'_>) -> Option<Error> {
    Some(with_required(error, subject, "kind is required"))
}

/// The field of the signer was named in the detail.
pub(super) fn signer_name_is_required(error: Error, subject: &Subject<'_>) -> Option<Error> {
    Some(with_required(error, subject, "signerName must be provided"))
}

fn with_required(mut error: Error, _: &Subject<'_>, detail: &str) -> Error {
    if error.error_type == ErrorType::Required {
        detail.clone_into(&mut error.detail);
    }
    error
}

/// The whole list was wrong if one of its ranges was.
pub(super) fn list_of_ranges(mut error: Error, subject: &Subject<'_>) -> Option<Error> {
    let is_field = error.path.as_ref().is_some_and(|path| fields_of(Some(path)).starts_with("spec"));
    let given = if is_field {
        error.path = Some(Path::new("spec").child("LoadBalancerSourceRanges"));
        let ranges = subject.at(&Path::new("spec").child("loadBalancerSourceRanges"));
        let texts: Vec<&str> = ranges.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        format!("[{}]", texts.join(" "))
    } else {
        subject.at(error.path.as_ref()?).as_str().unwrap_or_default().to_owned()
    };
    error.bad_value = Some(quote(&given));
    "must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ".clone_into(&mut error.detail);
    error.value = None;
    Some(error)
}

/// The type of a value was printed instead of it.
pub(super) fn type_of_value(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    error.bad_value = Some(quote(error.value.as_ref()?.value.as_str()?));
    Some(error)
}

/// A range of Pods was reported with all of them.
pub(super) fn list_of_pod_ranges(mut error: Error, subject: &Subject<'_>) -> Option<Error> {
    let ranges = subject.at(&Path::new("spec").child("podCIDRs"));
    "must be valid CIDR".clone_into(&mut error.detail);
    Some(error.about(Some("core/v1.NodeSpec#podCIDRs"), ranges))
}

/// The error printed the whole toleration, where it now prints its value.
pub(super) fn whole_toleration(mut error: Error, subject: &Subject<'_>) -> Option<Error> {
    let toleration = subject.at(error.path.as_ref()?.parent()?);
    error.value = Some(field::Typed { table: Some("core/v1.Toleration"), value: toleration.clone() });
    Some(error)
}

/// The error did not say which alias is wrong.
pub(super) fn without_index_of_alias(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    let segments = error.path.as_ref()?.segments();
    let aliases = segments
        .iter()
        .position(|segment| matches!(segment, Segment::Field(name) if name == "hostAliases"))?;
    let mut path: Option<Path> = None;
    for (position, segment) in segments.into_iter().enumerate() {
        // What is below the alias had no index either.
        if position > aliases && matches!(segment, Segment::Index(_)) {
            continue;
        }
        path = match (path, segment) {
            (None, Segment::Field(name)) => Some(Path::named(name.clone())),
            (None, Segment::Index(_) | Segment::Key(_)) => None,
            (Some(path), segment) => Some(path.then(segment)),
        };
    }
    error.path = path;
    Some(error)
}

/// A host was to be provided, not specified.
pub(super) fn host_must_be_provided(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    error.detail = error.detail.replace("host must be specified", "host must be provided");
    Some(error)
}

/// A sleep could not be none, unless a gate was on since 1.32.
pub(super) fn sleep_of_some_time(mut error: Error, subject: &Subject<'_>) -> Option<Error> {
    const HAS_GATE: u32 = 32;
    if subject.profile.enabled(Feature::PodLifecycleSleepActionAllowZero) {
        let is_none = error.bad_value.as_deref() == Some("0");
        return (!is_none).then_some(error);
    }
    error.detail = error.detail.replace("must be non-negative and less", "must be greater than 0 and less");
    if subject.profile.release().minor >= HAS_GATE {
        error.detail.push_str(". Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.");
    }
    Some(error)
}

/// The rules of a binding were misspelled.
pub(super) fn in_first_binding(error: &mut Error) {
    let Some(segments) = error.path.as_ref().map(Path::segments) else { return };
    let mut path: Option<Path> = None;
    for segment in segments {
        path = match (path, segment) {
            (Some(path), Segment::Field(name)) if name == "matchResources" => {
                Some(path.child("matchResouces"))
            }
            (Some(path), segment) => Some(path.then(segment)),
            (None, Segment::Field(name)) => Some(Path::named(name.clone())),
            (None, Segment::Index(_) | Segment::Key(_)) => return,
        };
    }
    error.path = path;
}

/// No name was no subdomain either.
pub(super) fn no_subdomain(error: &Error) -> Error {
    let detail = names::is_dns1123_subdomain("").join("");
    Error::printed(ErrorType::Invalid, error.path.clone(), Some(quote("")), detail)
}

/// The operator was misspelled.
pub(super) fn exist(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    error.detail = error.detail.replace("'Exists'", "'Exist'");
    Some(error)
}

/// Printed the missing value as text.
pub(super) fn text_of_null(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    error.bad_value = Some("\"null\"".to_owned());
    Some(error)
}

/// Named the list of owners, not the one at fault, and phrased an absent field as an invalid one.
pub(super) fn owner_without_index(mut error: Error, subject: &Subject<'_>) -> Option<Error> {
    let fields = error.path.as_ref()?.segments();
    let field = match fields.last()? {
        Segment::Field(name) => Some(name.clone()),
        Segment::Index(_) | Segment::Key(_) => None,
    };
    let value = subject.at(error.path.as_ref()?).as_str().unwrap_or_default().to_owned();
    let above = fields.into_iter().take_while(|segment| !matches!(segment, Segment::Index(_)));
    let list = above.fold(None, |path: Option<Path>, segment| match (path, segment) {
        (Some(path), segment) => Some(path.then(segment)),
        (None, Segment::Field(name)) => Some(Path::named(name.clone())),
        (None, _) => None,
    })?;
    let Some(field) = field else {
        error.path = Some(list);
        return Some(error);
    };
    let detail = match &*field {
        "apiVersion" => "version must not be empty".to_owned(),
        field if subject.profile.release().minor < 34 => format!("{field} must not be empty"),
        _ => "must not be empty".to_owned(),
    };
    Some(Error::invalid_text(&list.then(&Segment::Field(field)), &value, detail))
}

pub(super) fn invalid_operation(error: Error, subject: &Subject<'_>) -> Option<Error> {
    let path = error.path?;
    let operation = subject.at(&path).as_str().unwrap_or_default();
    Some(Error::invalid_text(&path, operation, "must be `Apply` or `Update`"))
}

/// Was the first of two errors about the form of an empty name.
pub(super) fn name_of_condition(error: Error, _: &Subject<'_>) -> Option<Error> {
    let message = names::is_qualified_name("").into_iter().next()?;
    Some(Error::invalid_text(&error.path?, "", message))
}

/// Was the second one.
pub(super) fn form_of_condition(error: &Error) -> Error {
    let message = names::is_qualified_name("").into_iter().nth(1).unwrap_or_default();
    Error { detail: message, error_type: ErrorType::Invalid, bad_value: Some(quote("")), ..error.clone() }
}

pub(super) fn unsupported_status(error: Error, _: &Subject<'_>) -> Option<Error> {
    Some(Error::not_supported(&error.path?, &Value::from(""), STATUSES))
}

pub(super) fn at_its_type(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    error.path = Some(error.path?.child("type"));
    Some(error)
}

/// Names the fields as the first versions of an Ingress do.
pub(super) fn in_first_ingress(error: &mut Error) {
    error.detail = error.detail.replace("`defaultBackend`", "`backend`");
    let Some(path) = &error.path else { return };
    let segments = path.segments();
    let is = |segment: &Segment, wanted: &str| matches!(segment, Segment::Field(name) if name == wanted);
    let mut moved: Option<Path> = None;
    let mut rest = segments.as_slice();
    while let [first, after @ ..] = rest {
        let (name, left) = match after {
            _ if is(first, "defaultBackend") => (Some("backend"), after),
            [name, left @ ..] if is(first, "service") && is(name, "name") => (Some("serviceName"), left),
            [port, left @ ..] if is(first, "service") && is(port, "port") => {
                (Some("servicePort"), left.get(1..).unwrap_or_default())
            }
            _ => (None, after),
        };
        moved = match (moved, name, first) {
            (Some(path), Some(name), _) => Some(path.child(name)),
            (Some(path), None, segment) => Some(path.then(segment)),
            (None, Some(name), _) => Some(Path::new(name)),
            (None, None, Segment::Field(name)) => Some(Path::named(name.clone())),
            (None, None, Segment::Index(_) | Segment::Key(_)) => return,
        };
        rest = left;
    }
    error.path = moved;
}
