//! The answers of the server, and the media types in which clients accept them.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers/{negotiation,responsewriters}`

use gotext::encoding_json;
use gotext::value::json;
use kube_api::{Object, Status, StatusDetails, Value, protobuf};
use kube_yaml::write_yaml;
use serde::Serialize;

pub(super) const JSON: &str = "application/json";
pub(super) const YAML: &str = "application/yaml";

/// An answer with its body.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub(super) code: u16,
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
    pub(super) warnings: Vec<String>,
    pub(super) headers: Vec<(&'static str, String)>,
}

/// The form in which a client accepts an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Accepted {
    is_yaml: bool,
    is_pretty: bool,
    /// The other kind that it asks for instead of the object's.
    pub(super) form: Form,
    /// The version of that kind.
    pub(super) version: String,
    /// Parameters that only some paths know.
    pub(super) aggregated: Option<String>,
}

/// What is answered instead of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// The object.
    #[default]
    Whole,
    /// Rows for people.
    Table,
    /// The metadata of an object.
    Metadata,
    /// The metadata of the objects in a list.
    MetadataList,
}

impl Accepted {
    /// Returns the form that `header` prefers among those that exist and are offered.
    ///
    /// # Errors
    ///
    /// Returns 406 if there is none.
    pub(super) fn of(
        header: &str,
        is_pretty: bool,
        is_offered: impl Fn(&Self) -> bool,
    ) -> Result<Self, Status> {
        let clauses = header.split(',').filter_map(|clause| Self::clause(clause, is_pretty));
        let mut clauses: Vec<(f64, Self)> = clauses.filter(|(_, accepted)| is_offered(accepted)).collect();
        if header.trim().is_empty() {
            return Ok(Self { is_pretty, ..Self::default() });
        }
        clauses.sort_by(|(left, _), (right, _)| right.total_cmp(left));
        clauses.into_iter().next().map(|(_, accepted)| accepted).ok_or_else(|| unacceptable(header))
    }

    /// Reads one alternative and its weight, if the server has it.
    fn clause(clause: &str, is_pretty: bool) -> Option<(f64, Self)> {
        let mut parts = clause.split(';').map(str::trim);
        let mut accepted = Self { is_pretty, ..Self::default() };
        match parts.next()? {
            JSON | "application/*" | "*/*" => {}
            YAML => accepted.is_yaml = true,
            _ => return None,
        }
        let (mut weight, mut group) = (1.0, "");
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            match name {
                "q" => weight = value.parse().unwrap_or(1.0),
                "as" => match value {
                    "Table" => accepted.form = Form::Table,
                    "PartialObjectMetadata" => accepted.form = Form::Metadata,
                    "PartialObjectMetadataList" => accepted.form = Form::MetadataList,
                    "APIGroupDiscoveryList" => accepted.aggregated = Some(String::new()),
                    _ => return None,
                },
                "v" => value.clone_into(&mut accepted.version),
                "g" => group = value,
                "pretty" => accepted.is_pretty = value == "1",
                "stream" if value != "watch" => return None,
                "sv" => return None,
                _ => {}
            }
        }
        if let Some(version) = &mut accepted.aggregated {
            version.clone_from(&accepted.version);
            let is_known = group == "apidiscovery.k8s.io" && ["v2", "v2beta1"].contains(&version.as_str());
            return is_known.then_some((weight, accepted));
        }
        let is_known = accepted.form == Form::Whole
            || group == "meta.k8s.io" && ["v1", "v1beta1"].contains(&accepted.version.as_str());
        is_known.then_some((weight, accepted))
    }

    /// Returns `value` in this form.
    pub(super) fn answer(&self, code: u16, value: &Value) -> Answer {
        if self.is_yaml {
            let mut text = String::new();
            if write_yaml(value, &mut text).is_ok() {
                return Answer::new(code, YAML, text);
            }
        }
        if self.is_pretty
            && let Ok(text) = serde_json::to_string_pretty(value)
        {
            return Answer::new(code, JSON, text);
        }
        Answer::json(code, value)
    }

    /// Returns a found page, whose fields keep their order in JSON.
    pub(super) fn answer_ordered(&self, page: &impl Serialize) -> Answer {
        if !self.is_yaml
            && !self.is_pretty
            && let Ok(text) = serde_json::to_string(page)
        {
            return Answer::new(200, JSON, text + "\n");
        }
        self.answer(200, &gotext::value::to_value(page).unwrap_or_default())
    }

    /// Whether a stream of events has this form: YAML has none.
    ///
    /// # Errors
    ///
    /// Returns 406 if it does not.
    pub(super) fn streams(&self) -> Result<(), Status> {
        const STREAMS: &str =
            "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
        if self.is_yaml { Err(not_acceptable(STREAMS)) } else { Ok(()) }
    }

    /// Returns `status` in this form.
    pub(super) fn status(&self, status: &Status) -> Answer {
        let mut answer = self.answer(status.code, &written(status));
        let after = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
        if after > 0 {
            answer.headers.push(("retry-after", after.to_string()));
        }
        answer
    }
}

impl Answer {
    /// Returns an answer with a body of this type.
    pub(super) fn new(code: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { code, content_type, body: body.into(), ..Self::default() }
    }

    /// Returns an answer of JSON.
    pub(super) fn json(code: u16, value: &Value) -> Self {
        let mut text = encoding_json::to_string(value);
        text.push('\n');
        Self::new(code, JSON, text)
    }

    /// Returns an answer of JSON for people.
    pub(super) fn pretty(value: &Value) -> Self {
        Self::new(200, JSON, serde_json::to_string_pretty(value).unwrap_or_default())
    }

    /// Returns an answer of text.
    pub(super) fn text(code: u16, text: &str) -> Self {
        Self::new(code, "text/plain; charset=utf-8", text)
    }

    /// Adds the tag of the answer; it has no body if the client has it, whose tag is `known`.
    ///
    /// Source: `ServeHTTPWithETag`
    pub(super) fn tagged(mut self, tag: &str, known: &str) -> Self {
        let tag = format!("\"{tag}\"");
        if tag == known {
            self.code = 304;
            self.body.clear();
        }
        self.headers.push(("etag", tag));
        self
    }

    /// Adds warnings for the client.
    #[must_use]
    pub(super) fn warning(mut self, warnings: impl IntoIterator<Item = String>) -> Self {
        self.warnings.extend(warnings);
        self
    }
}

impl From<&Status> for Answer {
    fn from(status: &Status) -> Self {
        Accepted::default().status(status)
    }
}

/// Returns `status` as the server writes it.
pub(super) fn written(status: &Status) -> Value {
    // A plain page has no details, not even the fields of a Status.
    let mut value = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": (if status.metadata.is_null() { json!({}) } else { status.metadata.clone() }),
        "status": (if status.status.is_empty() { "Failure" } else { &status.status }),
        "message": status.message,
        "code": status.code,
    });
    if !status.reason.is_empty() {
        value["reason"] = status.reason.as_str().into();
    }
    if let Some(details) = &status.details {
        value["details"] = gotext::value::to_value(details).unwrap_or_default();
    }
    value
}

/// Returns `object` as the server writes it: with its kind.
pub(super) fn shown(object: &Object) -> Value {
    let mut value = object.value.clone();
    value["apiVersion"] = object.kind.api_version().into();
    value["kind"] = object.kind.kind.to_string().into();
    value
}

/// Returns the metadata of `object` as an object of its own.
pub(super) fn metadata_of(object: &Object, version: &str) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": format!("meta.k8s.io/{version}"),
        "metadata": object.at("metadata").cloned().unwrap_or_default(),
    })
}

/// Returns 404 about a path that does not exist.
pub(super) fn not_found_page() -> Answer {
    Answer::text(404, "404 page not found\n")
}

/// Returns the refusal of a request below a built-in group that no resource answers: 404, or 405 for another method.
///
/// Source: `serviceErrorHandler`
pub(super) fn unrouted(code: u16) -> Status {
    let (reason, message) = match code {
        405 => ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
        _ => ("NotFound", "the server could not find the requested resource"),
    };
    let details = Some(StatusDetails::default());
    Status { code, reason: reason.to_owned(), message: message.to_owned(), details, ..Status::default() }
}

/// Refuses a client that accepts none of `types`, of which a route has at least one; what it says about them, such as `as`,
/// is for others.
///
/// Source: `Route.matchesAccept` of `github.com/emicklei/go-restful`
pub(super) fn route(header: &str, types: &[&str]) -> Result<(), Status> {
    let mut accepted = header.split(',').map(|clause| clause.split(';').next().unwrap_or_default().trim());
    if header.is_empty() || accepted.any(|accepted| accepted == "*/*" || types.contains(&accepted)) {
        return Ok(());
    }
    let types = named_types(header, types);
    let message = format!("406: Not Acceptable\n\nAvailable representations: {types}");
    let details = Some(StatusDetails::default());
    Err(Status { code: 406, reason: "NotAcceptable".to_owned(), message, details, ..Status::default() })
}

fn not_acceptable(accepted: &str) -> Status {
    not_convertible(format!("only the following media types are accepted: {accepted}"))
}

/// Returns 406 about an answer in none of the types in `header`, which a client accepts.
pub(super) fn unacceptable(header: &str) -> Status {
    not_acceptable(&named_types(header, &[JSON, YAML, protobuf::MEDIA_TYPE]))
}

/// Returns the types that a refusal names: protocol buffers only to those who do not ask for them in vain.
fn named_types(header: &str, types: &[&str]) -> String {
    let asks = header.contains(protobuf::MEDIA_TYPE);
    let named = types.iter().filter(|name| !asks || !name.starts_with(protobuf::MEDIA_TYPE));
    named.copied().collect::<Vec<_>>().join(", ")
}

/// Returns 406 about an answer that has no such form.
pub(super) fn not_convertible(message: String) -> Status {
    Status { code: 406, reason: "NotAcceptable".to_owned(), message, ..Status::default() }
}

/// Returns 415 about a body of another type than `accepted`.
pub(super) fn unsupported_media_type(accepted: &[&str]) -> Status {
    Status {
        code: 415,
        reason: "UnsupportedMediaType".to_owned(),
        message: format!(
            "the body of the request was in an unknown format - accepted media types include: {}",
            accepted.join(", ")
        ),
        ..Status::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(header: &str) -> String {
        match Accepted::of(header, false, |_| true) {
            Ok(Accepted { is_yaml, form, version, aggregated, .. }) => {
                format!("{} {form:?} {version} {aggregated:?}", if is_yaml { "yaml" } else { "json" })
            }
            Err(status) => format!("{} {}", status.code, status.message),
        }
    }

    #[test]
    fn clients_get_the_form_that_they_prefer() {
        for (header, expected) in [
            ("", "json Whole  None"),
            ("*/*", "json Whole  None"),
            ("application/yaml", "yaml Whole  None"),
            ("application/yaml;q=0.5, application/json", "json Whole  None"),
            ("application/vnd.kubernetes.protobuf,application/json", "json Whole  None"),
            ("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "json Table v1 None"),
            ("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "json Metadata v1 None"),
            ("application/json;as=Table;v=v2;g=meta.k8s.io,application/json", "json Whole  None"),
            (
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
                "json Whole v2 Some(\"v2\")",
            ),
            (
                "application/vnd.kubernetes.protobuf",
                "406 only the following media types are accepted: application/json, application/yaml",
            ),
        ] {
            assert_eq!(accepted(header), expected, "{header}");
        }
    }
}
