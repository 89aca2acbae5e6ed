//! Which objects a list or watch is about: selectors of labels and fields.
//!
//! Source: `k8s.io/apimachinery/pkg/fields`, the conversions of field labels in `k8s.io/kubernetes/pkg/apis`

use crate::serve::path::{Query, ResourcePath};
use kube_api::labels::{self, Selector};
use kube_api::{GroupVersionKind, Object, Status, Value};

/// The fields that objects of some kinds can be selected by. The name selects all kinds, and the namespace where it is
/// in the list.
const FIELDS: [(&str, &str, &[&str]); 13] = [
    (
        "",
        "Pod",
        &[
            "metadata.namespace",
            "spec.host",
            "spec.hostNetwork",
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.nominatedNodeName",
            "status.phase",
            "status.podIP",
            "status.podIPs",
        ],
    ),
    (
        "",
        "Event",
        &[
            "involvedObject.apiVersion",
            "involvedObject.fieldPath",
            "involvedObject.kind",
            "involvedObject.name",
            "involvedObject.namespace",
            "involvedObject.resourceVersion",
            "involvedObject.uid",
            "metadata.namespace",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
    ),
    (
        "events.k8s.io",
        "Event",
        &[
            "metadata.namespace",
            "reason",
            "regarding.apiVersion",
            "regarding.fieldPath",
            "regarding.kind",
            "regarding.name",
            "regarding.namespace",
            "regarding.resourceVersion",
            "regarding.uid",
            "reportingController",
            "type",
        ],
    ),
    ("", "Namespace", &["status.phase"]),
    ("", "Node", &["spec.unschedulable"]),
    ("", "ReplicationController", &["metadata.namespace", "status.replicas"]),
    ("", "Secret", &["metadata.namespace", "type"]),
    ("", "Service", &["metadata.namespace", "spec.clusterIP", "spec.type"]),
    ("batch", "Job", &["metadata.namespace", "status.successful"]),
    ("certificates.k8s.io", "CertificateSigningRequest", &["spec.signerName"]),
    ("certificates.k8s.io", "ClusterTrustBundle", &["spec.signerName"]),
    ("certificates.k8s.io", "PodCertificateRequest", &["spec.nodeName", "spec.podName", "spec.signerName"]),
    ("resource.k8s.io", "ResourceSlice", &["spec.driver", "spec.nodeName"]),
];

/// The selected objects.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    pub(super) namespace: String,
    name: Option<String>,
    labels: Option<Selector>,
    fields: Vec<Term>,
}

/// A condition on a field.
#[derive(Clone, Debug)]
struct Term {
    field: String,
    value: String,
    is_equal: bool,
}

impl Selection {
    /// Reads the selectors in `query`.
    ///
    /// # Errors
    ///
    /// Returns 400 about a selector that cannot be read.
    pub(super) fn of(path: &ResourcePath, query: &Query) -> Result<Self, Status> {
        let labels = query.get("labelSelector").map(labels::parse).transpose();
        let labels = labels.map_err(|error| Status::new_bad_request(error.to_string()))?;
        let fields = terms(query.get("fieldSelector").unwrap_or_default())?;
        let is_cluster_wide = path.resource.resource == "namespaces";
        let namespace = if is_cluster_wide { String::new() } else { path.namespace.clone() };
        let name = Some(path.name.clone()).filter(|name| !name.is_empty());
        Ok(Self { namespace, name, labels, fields })
    }

    /// Refuses fields that do not select objects of `kind`; `custom` are the fields that the definition of a custom
    /// resource adds.
    pub(super) fn check(&self, kind: &GroupVersionKind, custom: Option<&[String]>) -> Result<(), Status> {
        self.fields.iter().try_for_each(|term| check(&term.field, kind, custom))
    }

    /// Whether all objects are selected.
    pub(super) fn is_everything(&self) -> bool {
        self.name.is_none() && self.labels.is_none() && self.fields.is_empty()
    }

    /// Whether `object` is selected.
    pub(super) fn selects(&self, object: &Object) -> bool {
        let in_namespace = self.namespace.is_empty() || self.namespace == object.namespace();
        in_namespace
            && self.name.as_deref().is_none_or(|name| name == object.name())
            && self
                .labels
                .as_ref()
                .is_none_or(|selector| selector.matches_labels(object.at(["metadata", "labels"])))
            && self.fields.iter().all(|term| (field(object, &term.field) == term.value) == term.is_equal)
    }
}

/// Reads a selector of fields.
///
/// Source: `fields.ParseSelector`
fn terms(text: &str) -> Result<Vec<Term>, Status> {
    let term = |part: &str| {
        let Some((field, operator, value)) = operation(part) else {
            return Err(format!("invalid selector: '{text}'; can't understand '{part}'"));
        };
        Ok(Term { field: field.to_owned(), value: unescaped(value)?, is_equal: operator != "!=" })
    };
    let mut parts = split(text);
    parts.sort_unstable();
    let terms = parts.iter().filter(|part| !part.is_empty()).map(|part| term(part));
    terms.collect::<Result<_, _>>().map_err(Status::new_bad_request)
}

/// Returns the parts of a term at its first operator.
fn operation(term: &str) -> Option<(&str, &str, &str)> {
    const OPERATORS: [&str; 3] = ["!=", "==", "="];
    term.char_indices().find_map(|(place, _)| {
        let (field, rest) = term.split_at(place);
        OPERATORS.into_iter().find_map(|operator| Some((field, operator, rest.strip_prefix(operator)?)))
    })
}

/// Returns the value of a term without its escapes.
///
/// Source: `fields.UnescapeValue`
fn unescaped(value: &str) -> Result<String, String> {
    let (mut plain, mut characters) = (String::with_capacity(value.len()), value.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(escaped @ ('\\' | ',' | '=')) => plain.push(escaped),
                other => {
                    let sequence: String = ['\\'].into_iter().chain(other).collect();
                    return Err(format!("invalid field selector: invalid escape sequence: {sequence}"));
                }
            },
            // Go prints the number of the character.
            ',' | '=' => {
                let number = u32::from(character);
                return Err(format!("invalid field selector: unescaped character in value: {number}"));
            }
            other => plain.push(other),
        }
    }
    Ok(plain)
}

/// Splits at commas that are not escaped.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut is_escaped = false;
    for character in text.chars() {
        if character == ',' && !is_escaped {
            parts.push(String::new());
            continue;
        }
        is_escaped = character == '\\' && !is_escaped;
        parts.last_mut().into_iter().for_each(|part| part.push(character));
    }
    parts
}

fn check(field: &str, kind: &GroupVersionKind, custom: Option<&[String]>) -> Result<(), Status> {
    let own = FIELDS.iter().find(|(group, name, _)| kind.group == *group && kind.kind == *name);
    let is_known = match (own, custom) {
        _ if field == "metadata.name" => true,
        (Some((_, _, fields)), _) => fields.contains(&field),
        (None, Some(selectable)) => {
            field == "metadata.namespace" || selectable.iter().any(|own| own == field)
        }
        (None, None) => field == "metadata.namespace",
    };
    if is_known {
        return Ok(());
    }
    let message = match (own, &*kind.kind) {
        (None, _) if custom.is_none() => format!(
            "\"{field}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        ),
        (Some(_), "Job") => format!("field label {} not supported for Job", gotext::quote(field)),
        (Some(_), "ResourceSlice") => {
            format!("field label not supported for {}, Kind=ResourceSlice: {field}", kind.api_version())
        }
        _ => format!("field label not supported: {field}"),
    };
    Err(Status::new_bad_request(message))
}

/// Returns the value of a field as selectors compare it.
fn field(object: &Object, field: &str) -> String {
    if (&*object.kind.kind, field) == ("Event", "source") {
        return object.text(["source", "component"]).to_owned();
    }
    let field = match (&*object.kind.kind, field) {
        ("Pod", "spec.host") => "spec.nodeName",
        ("Job", "status.successful") => "status.succeeded",
        (_, field) => field,
    };
    let steps: Vec<&str> = field.split('.').collect();
    match object.at(&steps) {
        Some(Value::String(text)) => text.to_string(),
        Some(Value::Bool(flag)) => flag.to_string(),
        Some(Value::Number(number)) => number.to_string(),
        _ if field == "spec.unschedulable" || field == "spec.hostNetwork" => "false".to_owned(),
        _ if field == "status.replicas" || field == "status.succeeded" => "0".to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;

    fn selected(query: &str) -> Result<bool, String> {
        let kind = GroupVersionKind::new("", "v1", "Pod");
        let selection = Selection::of(&ResourcePath::default(), &Query::of(query));
        let selection = selection.and_then(|selection| selection.check(&kind, None).map(|()| selection));
        let pod = json!({
            "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
            "spec": {"nodeName": "n1"},
        });
        selection.map(|selection| selection.selects(&Object::new(kind, pod))).map_err(|status| status.message)
    }

    #[test]
    fn labels_and_fields_select() {
        for (query, expected) in [
            ("", true),
            ("labelSelector=app%3Dweb", true),
            ("labelSelector=app!%3Dweb", false),
            ("fieldSelector=spec.nodeName%3Dn1,metadata.name!%3Ddb", true),
            ("fieldSelector=status.phase%3DRunning", false),
            ("fieldSelector=spec.hostNetwork%3D%3Dfalse", true),
            ("fieldSelector=metadata.name%3Dweb%5C%2C", false),
        ] {
            assert_eq!(selected(query), Ok(expected), "{query}");
        }
        assert_eq!(
            selected("fieldSelector=spec.image%3Dx").unwrap_err(),
            "field label not supported: spec.image"
        );
        for (query, error) in [
            ("fieldSelector=x", "invalid selector: 'x'; can't understand 'x'"),
            ("fieldSelector=a%3D%5Co", "invalid field selector: invalid escape sequence: \\o"),
            ("fieldSelector=a%3D%5C", "invalid field selector: invalid escape sequence: \\"),
            ("fieldSelector=a%3Db%3Dc", "invalid field selector: unescaped character in value: 61"),
        ] {
            assert_eq!(selected(query).unwrap_err(), error, "{query}");
        }
    }
}
