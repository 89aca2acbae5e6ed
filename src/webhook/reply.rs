//! The content of an HTTP response: the object in its body, or the error.
//!
//! Source: `NewGenericServerResponse` of `k8s.io/apimachinery/pkg/api/errors`, `transformResponse` of `k8s.io/client-go/rest`.

use gotext::quote;
use kube_api::{GroupVersionKind, Value, decode};

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
    let node = read(&reply.body)?;
    recognize(&node, expected)?;
    match table {
        Some(table) if is_object(&reply.body) => decode::typed_json(node, &reply.body, table),
        Some(table) => decode::typed(node, table),
        None => Ok(node.into_value()),
    }
}

/// Checks that a response is of the expected kind. The client of admission webhooks knows only their reviews, that of
/// image policies all kinds of the server.
fn recognize(node: &Node, expected: &GroupVersionKind) -> Result<(), String> {
    let (api_version, kind) = decode::interpret(node)?;
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
    if let Ok(node) = read(&reply.body)
        && decode::interpret(&node)
            .is_ok_and(|(version, kind)| ["", "v1"].contains(&&*version) && kind == "Status")
    {
        let status = node.into_value();
        if status["status"] == "Failure" {
            return status.text("message").to_owned();
        }
    }
    let text = if reply.is_text() { quoted_part(&reply.body) } else { "unknown" };
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
    use super::*;

    fn error(status: u16, content_type: &str, body: &str) -> String {
        let reply = Reply { status, content_type: content_type.to_owned(), body: body.to_owned() };
        let review = GroupVersionKind::new(ADMISSION, "v1", "AdmissionReview");
        decode(&reply, &review, Some("admission/v1.AdmissionReview")).expect_err("an error")
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
}
