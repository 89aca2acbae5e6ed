//! Fields with values that validation refuses, where there is one right value.

use crate::admission::{Change, Remedy};
use crate::evaluation::Outcome;
use crate::evaluation::remedies::names::nearest;
use gotext::names::is_dns1123_label;
use kube_api::field::{Error, ErrorType, Path, Segment};
use kube_api::{Object, Value, pairs};
use kube_registry::pod::PodTemplate;

/// What is said of mounts that have the same path.
const UNIQUE: &str = "must be unique";

/// Returns the changes after which the object of `outcome` does not have `error`.
pub(super) fn remedies(error: &Error, outcome: &Outcome) -> Vec<Remedy> {
    let (Some(path), Some(object)) = (&error.path, outcome.received.as_deref()) else { return Vec::new() };
    match error.error_type {
        ErrorType::NotSupported => supported(error, path, object).into_iter().collect(),
        ErrorType::Duplicate => repeated(path, object).into_iter().collect(),
        ErrorType::NotFound => mount(path).into_iter().collect(),
        ErrorType::Required => {
            selector(path, object).or_else(|| target_type(path, object)).into_iter().collect()
        }
        ErrorType::Invalid if error.detail == UNIQUE => repeated(path, object).into_iter().collect(),
        ErrorType::Invalid => {
            let labels = labels(path, object);
            if labels.is_empty() { name(path, object).into_iter().collect() } else { labels }
        }
        _ => Vec::new(),
    }
}

/// Returns the only supported value, or the only one that is near.
fn supported(error: &Error, path: &Path, object: &Object) -> Option<Remedy> {
    let value = match &*error.supported {
        [only] => only,
        several => {
            let written = path.value_in(&object.value)?.as_str()?;
            nearest(written, several.iter().map(String::as_str))?
        }
    };
    Some(Remedy::of(Change::set(path.clone(), value)))
}

/// Returns the removal of an item that is equal to an earlier one as a whole.
fn repeated(path: &Path, object: &Object) -> Option<Remedy> {
    let mut item = path.clone();
    let index = loop {
        if let Some(Segment::Index(index)) = item.segments().last() {
            break *index;
        }
        item = item.parent()?.clone();
    };
    let list = item.parent()?.value_in(&object.value)?.as_array()?;
    let is_repeated = list.get(index).is_some_and(|own| list[..index].contains(own));
    is_repeated.then(|| Remedy::of(Change::remove(item)))
}

/// Returns the removal of a mount of a volume that does not exist, such as one that was removed.
fn mount(path: &Path) -> Option<Remedy> {
    let item = path.parent()?;
    let is_mount = item.parent()?.to_string().ends_with(".volumeMounts");
    is_mount.then(|| Remedy::removing(item.clone()))
}

/// Returns the selector of a workload that has none: the labels of its Pods.
fn selector(path: &Path, object: &Object) -> Option<Remedy> {
    let template = PodTemplate::of(object).filter(|_| path.to_string() == "spec.selector")?;
    let labels = template.value.child(["metadata", "labels"]).filter(|labels| !labels.is_empty())?;
    Some(Remedy::of(Change::set(path.child("matchLabels"), labels.clone())))
}

/// The types of the targets of an autoscaler, by the field that has the amount.
const TARGETS: [(&str, &str); 3] =
    [("averageUtilization", "Utilization"), ("averageValue", "AverageValue"), ("value", "Value")];

/// Returns the type of a target that has one amount.
fn target_type(path: &Path, object: &Object) -> Option<Remedy> {
    let target =
        path.parent().filter(|_| path.to_string().ends_with(".target.type"))?.value_in(&object.value)?;
    let mut given = TARGETS.iter().filter(|(field, _)| target.has(*field));
    let (Some((_, name)), None) = (given.next(), given.next()) else { return None };
    Some(Remedy::of(Change::set(path.clone(), *name)))
}

/// Returns the labels that the Pods of a workload lack for its selector. One with another value is a choice.
fn labels(path: &Path, object: &Object) -> Vec<Remedy> {
    let template = PodTemplate::of(object).filter(|_| path.to_string() == "spec.template.metadata.labels");
    let Some(template) = template else { return Vec::new() };
    let own = template.value.at(["metadata", "labels"]);
    let wanted = pairs(object.at(["spec", "selector", "matchLabels"]));
    let different = wanted.filter_map(|(key, value)| {
        let given = own.and_then(|labels| labels.get(key)).and_then(Value::as_str);
        let change = || Change::set(path.key(key), value);
        match given {
            Some(given) if given == value => None,
            Some(_) => Some(Remedy::choosing(change())),
            None => Some(Remedy::of(change())),
        }
    });
    different.collect()
}

/// Returns the name of an object or container in the form of RFC 1123.
fn name(path: &Path, object: &Object) -> Option<Remedy> {
    let text = path.to_string();
    let is_variable = text.contains("].env[");
    let is_name = text == "metadata.name" || text.ends_with("].name") && !is_variable;
    let written = path.value_in(&object.value).filter(|_| is_name)?.as_str()?;
    let valid = |character: char| {
        if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '-' }
    };
    let name: String = written.chars().map(valid).collect();
    let name = name.trim_matches('-');
    let is_other = name != written && is_dns1123_label(name).is_empty();
    // Others may refer to it by its name, which admission does not see.
    is_other.then(|| Remedy::choosing(Change::set(path.clone(), name)))
}
