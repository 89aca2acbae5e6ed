//! Results of a KRM function, which kustomize and kpt show for items.
//!
//! Source: the KRM Functions Specification, `config.kubernetes.io/v1` `ResourceList`.

use crate::evaluation::Outcome;
use kube_api::Value;
use kube_api::kinds;

use crate::report::finding::{Finding, Reason};
use crate::report::printable::printable;
use crate::report::{Diagnostic, Fixtures, Severity, shown};
use gotext::value::{Map, json};

/// The lines of these files differ from those of the items' own files.
pub(crate) type IsOfItems<'a> = &'a dyn Fn(&str) -> bool;

/// The identity of an item in a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ItemReference {
    /// `apiVersion`, `kind`, `name` and `namespace` of the item.
    pub(crate) resource: Map,
    /// `path` and `index` of the file that the item is from, if it is known.
    pub(crate) file: Map,
}

/// Returns the results of `outcome` and of the requests that it caused, except those that the user accepts; without what
/// Secrets keep.
pub(crate) fn results(
    outcome: &Outcome,
    fixtures: &Fixtures,
    item: &ItemReference,
    is_of_items: IsOfItems<'_>,
) -> Vec<Value> {
    let shown = shown(outcome);
    let findings = Finding::by_request(&shown, fixtures)
        .flat_map(|(request, findings)| findings.into_iter().map(move |finding| (request, finding)));
    let unaccepted = findings.filter(|(_, finding)| finding.accepted.is_none());
    unaccepted.map(|(request, finding)| result(&finding, Some((request, item)), is_of_items)).collect()
}

/// Returns the result of an error in the input, about `item` if that is known.
pub(crate) fn result_of(diagnostic: &Diagnostic, item: Option<&ItemReference>) -> Value {
    let mut result = result(&Finding::of_diagnostic(diagnostic), None, &|_| false);
    if let (Some(item), Some(result)) = (item, result.as_object_mut()) {
        refer(result, item);
    }
    result
}

/// Returns a result without an item.
pub(crate) fn note(text: &str) -> Value {
    json!({"message": (printable(text)), "severity": (severity(Severity::Note))})
}

fn result(
    finding: &Finding<'_>,
    about: Option<(&Outcome, &ItemReference)>,
    is_of_items: IsOfItems<'_>,
) -> Value {
    let caused = finding.subject.as_ref().filter(|subject| subject.is_caused()).map(ToString::to_string);
    let who = finding.subject.as_ref().map(|_| format!("{}: {}", finding.rule, finding.message));
    let message = [Some(who.as_deref().unwrap_or(finding.message)), caused.as_deref()];
    let reason = |reason: &Reason| match &reason.place {
        Some((file, _)) if is_of_items(file) && file == "-" => reason.text.clone(),
        Some((file, _)) if is_of_items(file) => format!("{} ({file})", reason.text),
        _ => reason.to_string(),
    };
    let reasons: Vec<String> = finding.reasons.iter().map(reason).collect();
    let lines = message.into_iter().flatten().chain(reasons.iter().map(String::as_str)).chain(finding.help);
    let message = lines.collect::<Vec<_>>().join("\n");
    let mut result = Map::new();
    result.insert("message", printable(&message).into_owned().into());
    result.insert("severity", severity(finding.severity).into());
    let tags = json!({"code": (printable(&finding.code)), "rule": (finding.rule)});
    result.insert("tags", tags);
    if let Some((request, item)) = about {
        refer(&mut result, item);
        if let Some(field) = field(request, finding) {
            result.insert("field", field);
        }
    }
    Value::Object(result)
}

fn refer(result: &mut Map, item: &ItemReference) {
    for (key, map) in [("resourceRef", &item.resource), ("file", &item.file)] {
        if !map.is_empty() {
            result.insert(key, Value::Object(map.clone()));
        }
    }
}

/// Returns the field of the item that the finding is about, with its value unless that is secret or large.
fn field(request: &Outcome, finding: &Finding<'_>) -> Option<Value> {
    let path = finding.spots.first()?.field?;
    let place = request.place.as_ref()?;
    let whole = place.field().map_or_else(|| path.clone(), |field| field.join(path));
    let mut field = json!({"path": (whole.to_string())});
    let item = place.whole();
    let written = item.written()?;
    let node = written.node().filter(|_| !request.kind.is(kinds::SECRET));
    let value = node.and_then(|node| kube_yaml::node_at(node, &whole)).map(|node| node.clone().into_value());
    if let Some(value) = value.filter(|value| !matches!(value, Value::Object(_) | Value::Array(_))) {
        field["currentValue"] = value;
    }
    Some(field)
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "info",
    }
}
