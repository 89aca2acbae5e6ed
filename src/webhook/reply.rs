//! The content of an HTTP response: the object in its body, or the error.
//!
//! Source: `NewGenericServerResponse` of `k8s.io/apimachinery/pkg/api/errors`, `transformResponse` of `k8s.io/client-go/rest`.

use std::borrow::Cow;

use gotext::quote;
use kube_api::protobuf::Unread;
use kube_api::{GroupVersionKind, Value, decode, schema};

use crate::webhook::Reply;
use gotext::source::{Node, SourceFile};

const ADMISSION: &str = "admission.k8s.io";

/// The statuses of a success.
const SUCCESS: std::ops::RangeInclusive<u16> = 200..=206;

/// The number of bytes of a body that an error quotes.
const MAX_QUOTED: usize = 2048;

/// The number of bytes that are read of a response.
pub const LIMIT: usize = 3 << 20;

/// Reads the body of a response as an object of `expected`; a body without a kind counts as one.
///
/// # Errors
///
/// Fails if it is not one, with the message of the server's client.
pub fn decode(reply: &Reply, expected: &GroupVersionKind, table: Option<&str>) -> Result<Value, String> {
    if !SUCCESS.contains(&reply.status) {
        return Err(error_of(reply));
    }
    if reply.body.len() > LIMIT {
        return Err(format!("the answer is larger than {LIMIT} bytes"));
    }
    if reply.body.is_empty() {
        let content_type =
            if reply.content_type.is_empty() { "application/json" } else { &*reply.content_type };
        return Err(format!(
            "0-length response with status code: {} and content type: {content_type}",
            reply.status
        ));
    }
    let content = Content::of(&reply.body)?;
    recognize(content.names()?, expected)?;
    match (content, table) {
        (Content::Text(node, text), Some(table)) if is_object(&text) => {
            decode::typed_json(node, &text, table)
        }
        (Content::Text(node, _), Some(table)) => decode::typed(node, table),
        (content, table) => {
            let is_message = matches!(content, Content::Message(_));
            let mut value = content.into_value(table.unwrap_or_default())?;
            if is_message {
                value["apiVersion"] = expected.api_version().into();
                value["kind"] = expected.kind.to_string().into();
            }
            Ok(value)
        }
    }
}

/// Returns the review in a response, as it is written.
pub(super) fn review_in(reply: &Reply) -> Option<Value> {
    Content::of(&reply.body).and_then(|content| content.into_value(REVIEW)).ok()
}

/// The type of reviews in the field tables.
pub(super) const REVIEW: &str = "admission/v1.AdmissionReview";

/// The content of a body.
enum Content<'b> {
    /// JSON or YAML.
    Text(Node, Cow<'b, str>),
    /// A protocol buffer, whatever the type of the body is.
    Message(Unread<'b>),
}

impl<'b> Content<'b> {
    fn of(body: &'b [u8]) -> Result<Self, String> {
        if let Some(unread) = Unread::of(body) {
            return unread.map(Self::Message).map_err(|error| error.to_string());
        }
        let text = String::from_utf8_lossy(body);
        Ok(Self::Text(read(&text)?, text))
    }

    /// Returns version and kind, as they are written.
    fn names(&self) -> Result<(String, String), String> {
        match self {
            Self::Text(node, _) => decode::interpret(node),
            Self::Message(unread) => Ok((unread.api_version.clone(), unread.kind.clone())),
        }
    }

    /// Returns the value as it is written; that of a message is of the type called `table`.
    fn into_value(self, table: &str) -> Result<Value, String> {
        match self {
            Self::Text(node, _) => Ok(node.into_value()),
            Self::Message(unread) => {
                let found = schema::named(table)
                    .ok_or("kadmit reads protocol buffers of admission webhooks alone")?;
                unread.read(found).map_err(|error| error.to_string())
            }
        }
    }
}

/// Checks that a response is of the expected kind. The client of admission webhooks knows only their reviews, that of
/// image policies all kinds of the server.
fn recognize((api_version, kind): (String, String), expected: &GroupVersionKind) -> Result<(), String> {
    let kind = decode::qualify(&api_version, kind, expected)?;
    let is_admission = expected.group == ADMISSION;
    let (is_known, scheme) = if is_admission {
        let is_review = kind.group == expected.group && kind.kind == expected.kind;
        (
            (is_review && ["v1", "v1beta1"].contains(&&*kind.version)) || is_in_every_scheme(&kind),
            "k8s.io/apiserver/pkg/util/webhook/client.go:71",
        )
    } else {
        let is_known = kind == *expected || decode::is_registered(&kind) || is_in_every_scheme(&kind);
        (is_known, "pkg/api/legacyscheme/scheme.go:30")
    };
    if !is_known {
        let (kind, version) = (quote(&kind.kind), quote(&kind.api_version()));
        return Err(format!(
            "no kind {kind} is registered for version {version} in scheme {}",
            quote(scheme)
        ));
    }
    if kind != *expected {
        let shown = |kind: &GroupVersionKind| format!("{}.{}", kind.version, kind.kind);
        return Err(format!("converting ({}) to ({}): unknown conversion", shown(&kind), shown(expected)));
    }
    Ok(())
}

/// Whether every scheme has a kind: what a server answers to any request.
///
/// Source: `AddToGroupVersion` of `k8s.io/apimachinery/pkg/apis/meta/v1`.
fn is_in_every_scheme(kind: &GroupVersionKind) -> bool {
    const KINDS: [&str; 5] = ["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"];
    kind.group.is_empty() && kind.version == "v1" && KINDS.contains(&&*kind.kind)
}

/// Whether a body is JSON, as it begins as an object does.
fn is_object(body: &str) -> bool {
    body.trim_start().starts_with('{')
}

/// Reads a body as JSON if it begins as an object does, and as YAML otherwise.
fn read(body: &str) -> Result<Node, String> {
    let source = SourceFile::new("answer", body);
    if !is_object(body) {
        return kube_yaml::read_first(&source)
            .map(|document| document.node)
            .map_err(|error| error.to_string());
    }
    let parse_error = |error: String| format!("couldn't get version/kind; json parse error: {error}");
    gotext::encoding_json::scan_whole(body.as_bytes()).map_err(|failure| parse_error(failure.to_string()))?;
    let document = kube_yaml::read(&source).next();
    let document = document.ok_or_else(|| parse_error("unexpected end of JSON input".to_owned()))?;
    document.map(|document| document.node).map_err(|error| parse_error(error.to_string()))
}

/// Returns the error about a response that is not a success: the message of the Status in its body, if that is one.
pub fn error_of(reply: &Reply) -> String {
    if let Ok(content) = Content::of(&reply.body)
        && content.names().is_ok_and(|(version, kind)| ["", "v1"].contains(&&*version) && kind == "Status")
        && let Ok(status) = content.into_value("meta/v1.Status")
        && status["status"] == "Failure"
    {
        return status.text("message").to_owned();
    }
    let body = reply.text_of_body();
    let text = if reply.is_text() { quoted_part(&body) } else { "unknown" };
    let fixed = match reply.status {
        400 => "the server rejected our request for an unknown reason",
        401 => "the server has asked for the client to provide credentials",
        404 => "the server could not find the requested resource",
        405 => "the server does not allow this method on the requested resource",
        406 if ["", "unknown"].contains(&text) => {
            "the server was unable to respond with a content type that the client supports"
        }
        409 => "the server reported a conflict",
        422 => "the server rejected our request due to an error in our request",
        429 => "the server has received too many requests and has asked us to try again later",
        503 => "the server is currently unable to handle the request",
        504 => {
            "the server was unable to return a response in the time allotted, but may still be processing the request"
        }
        403 | 406 | 415 => text,
        status if status >= 500 => {
            return format!(
                "an error on the server ({}) has prevented the request from succeeding",
                quote(text)
            );
        }
        status => {
            return format!(
                "the server responded with the status code {status} but did not return more information"
            );
        }
    };
    fixed.to_owned()
}

/// Returns the part of a body that errors quote.
fn quoted_part(body: &str) -> &str {
    let end = (0..=MAX_QUOTED.min(body.len())).rev().find(|end| body.is_char_boundary(*end));
    body[..end.unwrap_or_default()].trim()
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;

    fn error(status: u16, content_type: &str, body: &str) -> String {
        let reply = Reply { status, content_type: content_type.to_owned(), body: body.into() };
        let review = GroupVersionKind::new(ADMISSION, "v1", "AdmissionReview");
        decode(&reply, &review, Some(REVIEW)).expect_err("an error")
    }

    /// Expected texts are those of client-go v0.36.
    #[test]
    fn a_response_without_a_status_is_described_by_its_code() {
        let text = "text/plain; charset=utf-8";
        let prevented =
            |said: &str| format!("an error on the server ({said}) has prevented the request from succeeding");
        assert_eq!(error(500, text, ""), prevented("\"\""));
        assert_eq!(error(500, "", ""), prevented("\"\""));
        assert_eq!(error(500, "application/json", ""), prevented("\"unknown\""));
        assert_eq!(error(502, "text/html", "<h1>Bad Gateway</h1>\n"), prevented("\"<h1>Bad Gateway</h1>\""));
        assert_eq!(error(500, text, &"a".repeat(5000)), prevented(&format!("\"{}\"", "a".repeat(2048))));
        assert_eq!(error(403, text, "who are you?"), "who are you?");
        assert_eq!(error(403, "application/json", "{}"), "unknown");
        assert_eq!(error(415, "application/json", "{}"), "unknown");
        let unsupported = "the server was unable to respond with a content type that the client supports";
        assert_eq!(error(406, text, ""), unsupported);
        for status in [207, 301, 308, 418] {
            let wanted = format!(
                "the server responded with the status code {status} but did not return more information"
            );
            assert_eq!(error(status, text, "no"), wanted);
        }
    }

    #[test]
    fn only_the_status_of_a_failure_speaks_for_a_response() {
        let down = r#"{"kind":"Status","status":"Failure","message":"backend is down"}"#;
        assert_eq!(error(500, "application/json", down), "backend is down");
        let fine = r#"{"apiVersion":"v1","kind":"Status","status":"Success","message":"fine"}"#;
        assert!(error(500, "application/json", fine).starts_with("an error on the server (\"unknown\")"));
        let unknown = "converting (v1.Status) to (v1.AdmissionReview): unknown conversion";
        assert_eq!(error(200, "application/json", fine), unknown);
    }

    #[test]
    fn what_is_no_object_is_read_as_yaml() {
        let into = "Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; \
                    Kind string \"json:\\\"kind,omitempty\\\"\" }";
        let wrong = |found: &str| {
            format!("couldn't get version/kind; json parse error: json: cannot unmarshal {found} into {into}")
        };
        assert_eq!(error(200, "text/html", "<html><body>hello</body></html>"), wrong("string"));
        assert_eq!(error(200, "application/json", "[1]"), wrong("array"));
        assert_eq!(error(200, "application/json", "12"), wrong("number"));
        assert_eq!(
            error(200, "text/html", "<p>\n  a: b\n"),
            "yaml: line 2: mapping values are not allowed in this context"
        );
        assert_eq!(
            error(200, "application/json", "{\"kind\": "),
            "couldn't get version/kind; json parse error: unexpected end of JSON input"
        );
        let fraction = r#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"status": {"code": 4e2}}}"#;
        assert_eq!(
            error(200, "application/json", fraction),
            "json: cannot unmarshal number 4e2 into Go struct field Status.response.status.code of type int32"
        );
        assert_eq!(
            error(204, "", ""),
            "0-length response with status code: 204 and content type: application/json"
        );
    }

    fn field(number: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).expect("short");
        [&[number << 3 | 2, length], content].concat()
    }

    fn message(api_version: &str, kind: &str, content: &[u8]) -> Vec<u8> {
        let names = [field(1, api_version.as_bytes()), field(2, kind.as_bytes())].concat();
        [b"k8s\0", &*field(1, &names), &field(2, content)].concat()
    }

    /// Expected texts are those of a server of 1.36.
    #[test]
    fn protocol_buffers_are_read_whatever_the_type_says() {
        let review = GroupVersionKind::new(ADMISSION, "v1", "AdmissionReview");
        let read = |status: u16, body: &[u8]| {
            let reply = Reply { status, content_type: "application/json".to_owned(), body: body.to_owned() };
            decode(&reply, &review, Some(REVIEW))
        };
        let said = [field(3, b"no"), vec![6 << 3, 200, 3]].concat();
        let content = field(2, &[field(1, b"u"), vec![2 << 3, 0], field(3, &said), field(7, b"w")].concat());
        let wanted = json!({
            "apiVersion": "admission.k8s.io/v1",
            "kind": "AdmissionReview",
            "response": {
                "uid": "u", "allowed": false, "status": {"message": "no", "code": 456}, "warnings": ["w"],
            },
        });
        for (api_version, kind) in [("admission.k8s.io/v1", "AdmissionReview"), ("", "")] {
            assert_eq!(read(200, &message(api_version, kind, &content)), Ok(wanted.clone()));
        }
        let refused = |status: u16, body: &[u8]| read(status, body).expect_err("an error");
        assert_eq!(refused(200, b"k8s\0"), "empty body");
        let whole = message("admission.k8s.io/v1", "AdmissionReview", &content);
        assert_eq!(refused(200, &whole[..whole.len() - 3]), "unexpected EOF");
        assert_eq!(
            refused(200, &message("v1", "Pod", &content)),
            "no kind \"Pod\" is registered for version \"v1\" in scheme \
             \"k8s.io/apiserver/pkg/util/webhook/client.go:71\""
        );
        let down = message("v1", "Status", &[field(2, b"Failure"), field(3, b"it is down")].concat());
        assert_eq!(refused(500, &down), "it is down");
    }
}
