//! Annotations of pods, most of which predate a field for their purpose.
//!
//! Source: `ValidatePodSpecificAnnotations`.

use crate::validation::node::{Errors, Node};
use crate::validation::pod::path::validate_local_descending_path;
use crate::validation::pod::scheduling::validate_toleration;
use crate::validation::pod::{APP_ARMOR_PREFIX, MIRROR, Options, containers_of};
use gotext::encoding_json;
use gotext::quote;
use kube_api::Value;
use kube_api::field::Path;

pub(crate) const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_PREFIX: &str = "container.seccomp.security.alpha.kubernetes.io/";

/// Implements `ValidatePodSpecificAnnotations`.
pub(crate) fn validate_pod_specific_annotations(
    errors: &mut Errors,
    metadata: &Node,
    spec: &Node,
    options: &Options,
) {
    if metadata.len("annotations") == 0 {
        return;
    }
    let path = || metadata.at("annotations");
    let annotations = metadata.raw("annotations");
    let annotation = |key: &str| annotations.get(key).and_then(Value::as_str);
    if let Some(value) = annotation(MIRROR).filter(|_| spec.text("nodeName").is_empty()) {
        let detail = "must set spec.nodeName if mirror pod annotation is set";
        errors.invalid(&path().key(MIRROR), value, detail);
    }
    if let Some(tolerations) = annotation(TOLERATIONS).filter(|tolerations| !tolerations.is_empty()) {
        validate_tolerations_annotation(errors, tolerations, &path(), options);
    }
    if let Some(cost) =
        annotation(DELETION_COST).filter(|cost| !options.invalid_deletion_cost && !is_deletion_cost(cost))
    {
        errors.invalid(&path().key(DELETION_COST), cost, "must be a 32bit integer");
    }
    if let Some(profile) = annotation(SECCOMP_POD) {
        validate_seccomp_profile_name(errors, profile, || path().child(SECCOMP_POD));
    }
    for (key, profile) in metadata.pairs("annotations") {
        if key.starts_with(SECCOMP_PREFIX) {
            validate_seccomp_profile_name(errors, profile, || path().child(key.to_owned()));
        }
    }
    for (key, profile) in metadata.pairs("annotations") {
        let Some(name) = key.strip_prefix(APP_ARMOR_PREFIX) else { continue };
        if !containers_of(spec).any(|container| container.text("name") == name) {
            errors.invalid(&path().key(key), name, "container not found");
        }
        if !["", "runtime/default", "unconfined"].contains(&profile) && !profile.starts_with("localhost/") {
            let detail = format!("invalid AppArmor profile name: {}", quote(profile));
            errors.invalid(&path().key(key), profile, detail);
        }
    }
}

/// Implements `ValidateTolerationsInPodAnnotations`.
fn validate_tolerations_annotation(errors: &mut Errors, text: &str, path: &Path, options: &Options) {
    let read = encoding_json::from_slice(text.as_bytes());
    match read.and_then(|value| unmarshal_tolerations(&value)) {
        Err(error) => errors.invalid(path, TOLERATIONS, error),
        Ok(tolerations) => {
            for (index, toleration) in tolerations.iter().enumerate() {
                let path = path.child(TOLERATIONS).index(index);
                validate_toleration(errors, &Node::new(path, toleration), options.comparison_operators);
            }
        }
    }
}

fn unmarshal_tolerations(value: &Value) -> Result<Vec<Value>, String> {
    const FIELDS: [InternalField; 5] = [
        ("key", "Key", "string"),
        ("operator", "Operator", "core.TolerationOperator"),
        ("value", "Value", "string"),
        ("effect", "Effect", "core.TaintEffect"),
        ("tolerationSeconds", "TolerationSeconds", "int64"),
    ];
    unmarshal_internal(value, "Toleration", &FIELDS)
}

/// A field of the API, with the name and type that Go has for it.
pub(crate) type InternalField = (&'static str, &'static str, &'static str);

/// Reads a list of the internal type `name`, whose fields have no JSON names, so that their case does not count.
pub(crate) fn unmarshal_internal(
    value: &Value,
    name: &str,
    fields: &[InternalField],
) -> Result<Vec<Value>, String> {
    let mismatch = |value: &Value, into: &str| {
        format!("json: cannot unmarshal {} into Go {into}", gotext::encoding_json::kind(value))
    };
    let list = match value {
        Value::Null => return Ok(Vec::new()),
        Value::Array(list) => list,
        other => return Err(mismatch(other, &format!("value of type []core.{name}"))),
    };
    let read = |value: &Value| {
        let mut item = gotext::value::Map::new();
        let given = match value {
            Value::Null => return Ok(Value::Object(item)),
            Value::Object(given) => given,
            other => return Err(mismatch(other, &format!("value of type core.{name}"))),
        };
        for (key, value) in given.iter().filter(|(_, value)| !value.is_null()) {
            let named = fields.iter().find(|(field, ..)| field.eq_ignore_ascii_case(key));
            let Some((field, go_name, kind)) = named else { continue };
            let fits = if *kind == "int64" { value.is_i64() } else { value.is_string() };
            if !fits {
                return Err(mismatch(value, &format!("struct field {name}.{go_name} of type {kind}")));
            }
            item.insert((*field).to_owned(), value.clone());
        }
        Ok(Value::Object(item))
    };
    list.iter().map(read).collect()
}

/// Whether the deletion cost of a pod is not a number.
pub(crate) fn has_invalid_deletion_cost(metadata: &Node) -> bool {
    let cost = metadata.raw("annotations").get(DELETION_COST).and_then(Value::as_str);
    cost.is_some_and(|cost| !is_deletion_cost(cost))
}

fn is_deletion_cost(cost: &str) -> bool {
    let first = cost.as_bytes().first().copied().unwrap_or_default();
    (first == b'-' || cost == "0" || (b'1'..=b'9').contains(&first)) && cost.parse::<i32>().is_ok()
}

/// Implements `ValidateSeccompProfile`.
fn validate_seccomp_profile_name(errors: &mut Errors, profile: &str, path: impl Fn() -> Path) {
    if ["runtime/default", "docker/default", "unconfined"].contains(&profile) {
        return;
    }
    match profile.strip_prefix("localhost/") {
        Some(local) => validate_local_descending_path(errors, local, path),
        None => errors.invalid(&path(), profile, "must be a valid seccomp profile"),
    }
}
