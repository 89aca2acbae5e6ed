//! The errors of older releases that differ in more than their words.

#![expect(
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_value,
    reason = "every function of the table has this signature"
)]

use crate::older_releases::container_metrics;
use crate::older_releases::rules::{Subject, fields_of};
use gotext::net::parse_cidr_sloppy;
use gotext::{encoding_json, names, quote};
use kube_api::Value;
use kube_api::features::Feature;
use kube_api::field::{self, Error, ErrorType, Path, Segment};

/// Returns the error that the value at its path is not allowed.
fn invalid(error: &Error, subject: &Subject<'_>, detail: &str) -> Option<Error> {
    let path = error.path.as_ref()?;
    Some(Error::invalid(path, subject.at(path), detail))
}

pub(super) fn must_not_be_set(error: Error, subject: &Subject<'_>) -> Option<Error> {
    invalid(&error, subject, "must not be set for init containers")
}

pub(super) fn must_not_be_specified(error: Error, subject: &Subject<'_>) -> Option<Error> {
    invalid(&error, subject, "must not be specified")
}

/// Surges had a gate.
pub(super) fn cannot_be_0(error: Error, subject: &Subject<'_>) -> Option<Error> {
    if subject.profile.is_on_or(Feature::DaemonSetUpdateSurge.name(), false) {
        return Some(error);
    }
    invalid(&error, subject, "cannot be 0")
}

/// The error named the gate that was off.
pub(super) fn metric_of_container(mut error: Error, subject: &Subject<'_>) -> Option<Error> {
    if container_metrics::are_off(subject.profile) {
        error.detail.push_str(" (only allowed when HPAContainerMetrics feature is enabled)");
    }
    Some(error)
}

pub(super) fn greater_than_0(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    error.error_type = ErrorType::Invalid;
    error.bad_value = Some("0".to_owned());
    "must be greater than 0".clone_into(&mut error.detail);
    Some(error)
}

pub(super) fn termination_message_policy(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    error.error_type = ErrorType::Invalid;
    "must be 'File' or 'FallbackToLogsOnError'".clone_into(&mut error.detail);
    Some(error)
}

/// A Service had one cluster IP.
pub(super) fn one_cluster_ip(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    error.path = Some(Path::new("spec.clusterIP"));
    if error.detail.contains("ExternalName") {
        "must be empty for ExternalName services".clone_into(&mut error.detail);
    }
    Some(error)
}

/// The first address of an exception was within the range.
pub(super) fn not_within_range(mut error: Error, subject: &Subject<'_>) -> Option<Error> {
    let path = error.path.as_ref()?;
    let range = parse_cidr_sloppy(subject.at(&path.parent()?.parent()?.child("cidr")).as_str()?)?;
    let exception = parse_cidr_sloppy(subject.at(path).as_str()?)?;
    if range.contains(exception.address) {
        return None;
    }
    error.bad_value = Some(exception.address.to_string());
    "not within CIDR range".clone_into(&mut error.detail);
    Some(error)
}

/// The name of the field had a blank at its end.
pub(super) fn blank_in_path(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    let path = error.path.as_ref()?;
    let reference = path.parent()?.parent()?.child("nodePublishSecretRef ");
    error.path = path.segments().last().map(|field| reference.then(field));
    Some(error)
}

/// The namespace of a secret was reported at the source of the volume.
pub(super) fn namespace_at_source(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    if is_of_secret(&error, "namespace") {
        error.path = Some(error.path?.parent()?.parent()?.child("namespace"));
    }
    Some(error)
}

/// The name of a secret was no subdomain, but what a rule that is gone wants.
pub(super) fn without_name_of_secret(error: Error, _: &Subject<'_>) -> Option<Error> {
    let is_of_subdomain = ["subdomain", " 253 "].iter().any(|words| error.detail.contains(words));
    (!(is_of_subdomain && is_of_secret(&error, "name"))).then_some(error)
}

/// Whether the error is about a field of the secret of a driver.
fn is_of_secret(error: &Error, field: &str) -> bool {
    let fields = fields_of(error.path.as_ref());
    fields.strip_suffix(field).is_some_and(|reference| reference.ends_with("SecretRef."))
}

/// The field had the name that it has in Go.
pub(super) fn named_value(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    error.path = Some(Path::new("Value"));
    Some(error)
}

/// Values of selectors were not checked, except those that select nodes.
pub(super) fn only_for_nodes(error: Error, _: &Subject<'_>) -> Option<Error> {
    let fields = fields_of(error.path.as_ref());
    (fields.contains("nodeSelectorTerms") || fields.contains("preference")).then_some(error)
}

/// The amount of the limit was left out.
pub(super) fn without_limit(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    let limit = error.detail.find(" limit of ").filter(|_| error.detail.starts_with("must be "));
    if let Some(limit) = limit {
        error.detail.truncate(limit + " limit".len());
    }
    Some(error)
}

/// The error was about the other port.
pub(super) fn container_port(error: Error, subject: &Subject<'_>) -> Option<Error> {
    let path = error.path.as_ref()?.parent()?.child("containerPort");
    let port = subject.at(&path);
    Some(Error::invalid(&path, port, "must match `hostPort` when `hostNetwork` is true"))
}

pub(super) fn empty_selector(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    error.detail = error.detail.replace("is invalid for", "is not valid for") + ".";
    Some(error)
}

/// A zone in the schedule was only refused together with the field for it.
pub(super) fn zone_of_schedule(mut error: Error, subject: &Subject<'_>) -> Option<Error> {
    let zone = error.path.as_ref()?.parent()?.child("timeZone");
    if subject.at(&zone).is_null() {
        return None;
    }
    "cannot use both timeZone field and TZ or CRON_TZ in schedule".clone_into(&mut error.detail);
    Some(error)
}

/// The numbers in a status were only kept from being negative.
pub(super) fn only_negative(error: Error, _: &Subject<'_>) -> Option<Error> {
    (error.detail == "must be greater than or equal to 0").then_some(error)
}

/// A definition without a schema was refused in other words.
pub(super) fn schemas_are_required(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    if error.detail.is_empty() {
        "schemas are required".clone_into(&mut error.detail);
    }
    Some(error)
}

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
        return Some(error);
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

/// Required a value where it now refuses none.
pub(super) fn required_value(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    error.error_type = ErrorType::Required;
    error.bad_value = None;
    Some(error)
}

/// Reported a repeated request at its name.
pub(super) fn name_of_request(mut error: Error, _: &Subject<'_>) -> Option<Error> {
    error.path = Some(error.path?.child("name"));
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
