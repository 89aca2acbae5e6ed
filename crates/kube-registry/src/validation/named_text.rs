//! Values in errors that are not printed as they are in the value tree. Go prints one of its type `string` in its own
//! quotes, and one of a named type, or at a pointer, as JSON. The two differ in special characters only.
//!
//! Source: `Error.ErrorBody` of `k8s.io/apimachinery/pkg/util/validation/field`.

use std::borrow::Cow;

use gotext::{encoding_json, quote};
use kube_api::field::{Error, Path, Segment};
use kube_api::schema::{self, Reference, Scalar, Shape, Type};
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Object, Value};

use crate::table;

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
        let segments = in_object(path);
        let mut found = named_at(&segments, table, &object.value).into_iter();
        let text = found.find(|text| quote(text) == printed).map(Cow::into_owned);
        if let Some(text) = text.or_else(|| named_in_first_version(&segments, &object.kind, printed)) {
            error.bad_value = Some(encoding_json::to_string(&Value::from(text)));
        }
    }
}

/// Returns `path` with the names that the fields have in an object: validation has the taints of nodes in their metadata,
/// and what all versions of a definition share above them.
fn in_object(path: &Path) -> Vec<&Segment> {
    static SPEC: Segment = Segment::Field(Cow::Borrowed("spec"));
    static VERSIONS: Segment = Segment::Field(Cow::Borrowed("versions"));
    static SCHEMA: Segment = Segment::Field(Cow::Borrowed("schema"));
    let segments = path.segments();
    match segments.as_slice() {
        [_, second @ Segment::Field(field), rest @ ..] if field == "taints" => {
            [&SPEC, *second].into_iter().chain(rest.iter().copied()).collect()
        }
        [first, Segment::Field(field), rest @ ..] if field == "validation" => {
            [*first, &VERSIONS, &SCHEMA].into_iter().chain(rest.iter().copied()).collect()
        }
        _ => segments,
    }
}

/// Returns the text that is `printed`, if its path leads to a named type in the first of the versions of `kind`, which is
/// closest to what validation sees.
fn named_in_first_version(segments: &[&Segment], kind: &GroupVersionKind, printed: &str) -> Option<String> {
    let strategy = table::of(kind)?;
    let first = GroupVersionKind::new(strategy.group, *strategy.versions.first()?, strategy.kind);
    if first.version == kind.version || !leads_to_named(segments, schema::of(&first)?, ("", "")) {
        return None;
    }
    encoding_json::from_slice(printed.as_bytes()).ok()?.as_str().map(str::to_owned)
}

fn leads_to_named(segments: &[&Segment], table: &Type, field: (&str, &str)) -> bool {
    let [segment, rest @ ..] = segments else { return is_named(table, field) };
    match (&table.shape, segment) {
        (Shape::Struct(structure), Segment::Field(name)) => {
            let below = |of| leads_to_named(rest, of, (table.short_name(), name));
            structure.field(name).is_some_and(|found| below(found.reference.get()))
        }
        (Shape::List(item), Segment::Index(_)) => leads_to_named(rest, item.get(), field),
        (Shape::Map { value, .. }, Segment::Key(_) | Segment::Field(_)) => {
            leads_to_named(rest, value.get(), field)
        }
        _ => false,
    }
}

/// Prints JSON of any type in the order of writing, as Go does, where `errors` show it.
pub(crate) fn print_as_written(errors: &mut [Error], object: &Object) {
    for (path, sorted, written) in object.json_as_written() {
        for error in errors.iter_mut() {
            let is_around =
                error.path.as_ref().is_some_and(|around| path.segments().starts_with(&around.segments()));
            if let Some(printed) = error.bad_value.as_mut().filter(|_| is_around) {
                *printed = printed.replacen(&sorted, &written, 1);
            }
        }
    }
}

/// Whether `printed` is a text that JSON may write differently.
fn is_special(printed: &str) -> bool {
    printed.starts_with('"') && printed.contains(['<', '>', '&', '\\'])
}

/// Returns the texts of a named type at a path: the value itself, the items of a list, or the key of a map.
fn named_at<'a>(segments: &[&Segment], mut table: &'static Type, mut value: &'a Value) -> Vec<Cow<'a, str>> {
    let (mut field, mut key): ((&str, Cow<'_, str>), Option<String>) = (("", Cow::Borrowed("")), None);
    for (position, segment) in segments.iter().copied().enumerate() {
        key = None;
        let reference: &'static Reference = match (&table.shape, segment) {
            // Validation has the overhead of Pods in the limits of a container.
            (shape, Segment::Field(limits)) if limits == "limits" && !has_field(shape, limits) => {
                return match segments.get(position + 1) {
                    Some(Segment::Key(name)) => vec![Cow::Owned(name.clone())],
                    _ => Vec::new(),
                };
            }
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
            // A few paths do not say which item it is.
            (Shape::List(item), Segment::Field(_)) => {
                let items = value.as_array().into_iter().flatten();
                return items.flat_map(|value| named_at(&segments[position..], item.get(), value)).collect();
            }
            // A few paths repeat the name of the field.
            (Shape::Scalar(_), Segment::Field(name)) if field.1 == *name => continue,
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

fn has_field(shape: &Shape, name: &str) -> bool {
    matches!(shape, Shape::Struct(structure) if structure.field(name).is_some())
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

    #[test]
    fn paths_may_leave_out_an_index_or_name_another_parent() {
        let mounts = json!([{"name": "a", "mountPropagation": "<"}]);
        let pod = object(&json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web"},
            "spec": {"containers": [{"name": "a", "volumeMounts": mounts}]},
        }));
        let container = Path::new("spec").child("containers").index(0);
        let mounts = container.child("volumeMounts").child("mountPropagation");
        let taints = json!([{"key": "a", "effect": "<"}]);
        let node = object(&json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "web"},
            "spec": {"taints": taints},
        }));
        let effect = Path::new("metadata").child("taints").index(0).child("effect");
        let claim = object(&json!({
            "apiVersion": "resource.k8s.io/v1beta1",
            "kind": "ResourceClaim",
            "metadata": {"name": "web"},
            "spec": {"devices": {"requests": [{"name": "a", "allocationMode": "<"}]}},
        }));
        let request = Path::new("spec").child("devices").child("requests").index(0).child("exactly");
        let mode = request.child("allocationMode");
        let schema = json!({"type": "array", "x-kubernetes-list-type": "<"});
        let definition = object(&json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "web"},
            "spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]},
        }));
        let list =
            Path::new("spec").child("validation").child("openAPIV3Schema").child("x-kubernetes-list-type");
        let class = object(&json!({
            "apiVersion": "node.k8s.io/v1",
            "kind": "RuntimeClass",
            "metadata": {"name": "web"},
            "overhead": {"podFixed": {"<": "1"}},
        }));
        let overhead = Path::new("overhead").child("limits").key("<");
        for (object, path) in
            [(pod, mounts), (node, effect), (claim, mode), (definition, list), (class, overhead)]
        {
            let mut errors = [Error::invalid_text(&path, "<", "")];
            print(&mut errors, &object);
            assert_eq!(errors[0].bad_value.as_deref(), Some("\"\\u003c\""), "{path}");
        }
    }
}
