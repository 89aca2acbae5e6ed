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
    /// Reads the selectors in `query` of a request for objects of `kind`; `custom` are the fields that the definition of
    /// a custom resource adds.
    ///
    /// # Errors
    ///
    /// Returns 400 about a selector that cannot be read, or a field that does not select.
    pub(super) fn of(
        path: &ResourcePath,
        query: &Query,
        kind: &GroupVersionKind,
        custom: Option<&[String]>,
    ) -> Result<Self, Status> {
        let labels = query.get("labelSelector").map(labels::parse).transpose();
        let labels = labels.map_err(|error| Status::new_bad_request(error.to_string()))?;
        let fields = terms(query.get("fieldSelector").unwrap_or_default())?;
        for term in &fields {
            check(&term.field, kind, custom)?;
        }
        let is_cluster_wide = path.resource.resource == "namespaces";
        let namespace = if is_cluster_wide { String::new() } else { path.namespace.clone() };
        let name = Some(path.name.clone()).filter(|name| !name.is_empty());
        Ok(Self { namespace, name, labels, fields })
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
fn terms(text: &str) -> Result<Vec<Term>, Status> {
    let term = |part: &str| {
        let (field, value, is_equal) = if let Some((field, value)) = part.split_once("!=") {
            (field, value, false)
        } else if let Some((field, value)) = part.split_once("==") {
            (field, value, true)
        } else if let Some((field, value)) = part.split_once('=') {
            (field, value, true)
        } else {
            let error = format!("invalid selector: '{text}'; can't understand '{part}'");
            return Err(Status::new_bad_request(error));
        };
        let value = value.replace("\\,", ",").replace("\\=", "=").replace("\\\\", "\\");
        Ok(Term { field: field.to_owned(), value, is_equal })
    };
    split(text).into_iter().filter(|part| !part.is_empty()).map(|part| term(&part)).collect()
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
        let selection = Selection::of(&ResourcePath::default(), &Query::of(query), &kind, None);
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
        ] {
            assert_eq!(selected(query), Ok(expected), "{query}");
        }
        assert_eq!(
            selected("fieldSelector=spec.image%3Dx").unwrap_err(),
            "field label not supported: spec.image"
        );
        assert_eq!(selected("fieldSelector=x").unwrap_err(), "invalid selector: 'x'; can't understand 'x'");
    }
}
