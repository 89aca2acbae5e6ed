//! Values in errors that are not printed as they are in the value tree. Go prints one of its type `string` in its own quotes, and one of a named type, or at a pointer, as
//! JSON. The two differ in special characters only.
//!
//! Source: `Error.ErrorBody` of `k8s.io/apimachinery/pkg/util/validation/field`.

use std::borrow::Cow;

use gotext::{encoding_json, quote};
use kube_api::field::{Error, Path, Segment};
use kube_api::schema::{self, Reference, Scalar, Shape, Type};
use kube_api::version::Version;
use kube_api::{Object, Value};

/// The first release that prints JSON.
pub(crate) const SINCE: Version = Version::minor(34);

/// The fields of type `*string` that validation passes to an error as they are, not the text they point to.
const POINTERS: [(&str, &str); 11] = [
    ("AppArmorProfile", "localhostProfile"),
    ("CronJobSpec", "timeZone"),
    ("CustomResourceDefinitionVersion", "deprecationWarning"),
    ("CustomResourceSubresourceScale", "labelSelectorPath"),
    ("JobStatus", "failedIndexes"),
    ("JSONSchemaProps", "x-kubernetes-list-type"),
    ("PodResourceClaimStatus", "resourceClaimName"),
    ("ServiceSpec", "loadBalancerClass"),
    ("WindowsSecurityContextOptions", "gmsaCredentialSpec"),
    ("WindowsSecurityContextOptions", "gmsaCredentialSpecName"),
    ("WindowsSecurityContextOptions", "runAsUserName"),
];

/// The fields of named types that validation converts to `string` first.
const CONVERTED: [(&str, &str); 6] = [
    ("DeviceRequestAllocationResult", "shareID"),
    ("NamespaceSpec", "finalizers"),
    ("PodFailurePolicyOnPodConditionsPattern", "type"),
    ("PodReadinessGate", "conditionType"),
    ("StorageVersionCondition", "status"),
    ("StorageVersionCondition", "type"),
];

/// Prints the texts of named types in `errors` about `object` as JSON.
pub(crate) fn print(errors: &mut [Error], object: &Object) {
    for error in errors {
        let Some(printed) = error.bad_value.as_deref().filter(|printed| is_special(printed)) else {
            continue;
        };
        let (Some(path), Some(table)) = (&error.path, schema::of(&object.kind)) else { continue };
        if let Some(text) =
            named_at(path, table, &object.value).into_iter().find(|text| quote(text) == printed)
        {
            error.bad_value = Some(encoding_json::to_string(&Value::from(&*text)));
        }
    }
}

/// Prints JSON of any type in the order of writing, as Go does, where `errors` show it.
pub(crate) fn print_as_written(errors: &mut [Error], object: &Object) {
    for (path, sorted, written) in object.json_as_written() {
        for error in errors.iter_mut() {
            let is_around =
                error.path.as_ref().is_some_and(|around| path.segments().starts_with(&around.segments()));
            if let Some(printed) = error.bad_value.as_mut().filter(|_| is_around) {
                *printed = printed.replacen(&sorted, written, 1);
            }
        }
    }
}

/// Whether `printed` is a text that JSON may write differently.
fn is_special(printed: &str) -> bool {
    printed.starts_with('"') && printed.contains(['<', '>', '&', '\\'])
}

/// Returns the texts of a named type at `path`: the value itself, the items of a list, or the key of a map.
fn named_at<'a>(path: &Path, mut table: &'static Type, mut value: &'a Value) -> Vec<Cow<'a, str>> {
    let (mut field, mut key): ((&str, Cow<'_, str>), Option<String>) = (("", Cow::Borrowed("")), None);
    for segment in path.segments() {
        key = None;
        let reference: &'static Reference = match (&table.shape, segment) {
            (Shape::Struct(structure), Segment::Field(name)) => {
                let Some(found) = structure.field(name) else { return Vec::new() };
                field = (table.short_name(), name.clone());
                value = &value[&**name];
                &found.reference
            }
            (Shape::List(item), Segment::Index(index)) => {
                value = value.as_array().and_then(|items| items.get(*index)).unwrap_or(&Value::Null);
                item
            }
            (Shape::Map { key: name, value: item }, Segment::Key(step)) => {
                key = (**name != *"string").then(|| step.clone());
                value = &value[&**step];
                item
            }
            (Shape::Map { key: name, value: item }, Segment::Field(step)) => {
                key = (**name != *"string").then(|| step.clone().into_owned());
                field = (table.short_name(), step.clone());
                value = &value[&**step];
                item
            }
            // A few paths repeat the name of the field.
            (Shape::Scalar(_), Segment::Field(name)) if field.1 == *name => continue,
            // `limits` and `requests` are not always a field of the object.
            (_, Segment::Key(step)) if ["limits", "requests"].contains(&&*field.1) => {
                return vec![Cow::Owned(step.clone())];
            }
            _ => return Vec::new(),
        };
        table = reference.get();
    }
    let field = (field.0, &*field.1);
    match (&table.shape, value) {
        (Shape::Scalar(Scalar::String), Value::String(text)) if is_named(table, field) => {
            vec![Cow::Borrowed(text.as_str())]
        }
        (Shape::List(item), Value::Array(items)) if is_named(item.get(), field) => {
            items.iter().filter_map(Value::as_str).map(Cow::Borrowed).collect()
        }
        // Some errors about a field have the path of what is around it.
        (Shape::Struct(_), value) => named_in(table, value),
        (Shape::List(item), Value::Array(items)) => {
            items.iter().flat_map(|value| named_in(item.get(), value)).collect()
        }
        _ => key.map(Cow::Owned).into_iter().collect(),
    }
}

/// Returns the texts of named types in the fields of a struct.
fn named_in<'a>(table: &'static Type, value: &'a Value) -> Vec<Cow<'a, str>> {
    let (Shape::Struct(structure), Value::Object(fields)) = (&table.shape, value) else { return Vec::new() };
    let texts = fields.iter().filter_map(|(name, value)| {
        let reference = &structure.field(name)?.reference;
        is_named(reference.get(), (table.short_name(), name)).then_some(value.as_str()?)
    });
    texts.map(Cow::Borrowed).collect()
}

fn is_named(table: &Type, field: (&str, &str)) -> bool {
    matches!(table.shape, Shape::Scalar(Scalar::String))
        && (!table.name.is_empty() || POINTERS.contains(&field))
        && !CONVERTED.contains(&field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::object;
    use gotext::value::json;

    #[test]
    fn only_texts_of_named_types_are_printed_as_json() {
        let pod = object(&json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web"},
            "spec": {"restartPolicy": "a&b", "hostname": "a&b", "containers": null},
        }));
        let path = |field| Path::new("spec").child(field);
        let mut errors =
            ["restartPolicy", "hostname"].map(|field| Error::invalid_text(&path(field), "a&b", ""));
        print(&mut errors, &pod);
        let printed = errors.map(|error| error.bad_value.expect("a value"));
        assert_eq!(printed, ["\"a\\u0026b\"", "\"a&b\""]);
    }
}
