//! The content of an HTTP response: the object in its body, or the error.
//!
//! Source: `NewGenericServerResponse` of `k8s.io/apimachinery/pkg/api/errors`, `transformResponse` of `k8s.io/client-go/rest`.

use gotext::quote;
use kube_api::{GroupVersionKind, Value, decode};

use crate::webhook::Reply;
use gotext::source::{Node, SourceFile};

const ADMISSION: &str = "admission.k8s.io";

/// The number of bytes that are read of a response.
pub const LIMIT: usize = 3 << 20;

/// Reads the body of a response as an object of `expected`; a body without a kind counts as one.
///
/// # Errors
///
/// Fails if it is not one, with the message of the server's client.
pub fn decode(reply: &Reply, expected: &GroupVersionKind, table: Option<&str>) -> Result<Value, String> {
    if !(200..300).contains(&reply.status) {
        return Err(error_of(reply));
    }
    if reply.body.len() > LIMIT {
        return Err(format!("the answer is larger than {LIMIT} bytes"));
    }
    if reply.body.is_empty() {
        let content_type = if reply.is_text { "text/plain" } else { "application/json" };
        return Err(format!(
            "0-length response with status code: {} and content type: {content_type}",
            reply.status
        ));
    }
    // What does not begin as JSON does is read as YAML.
    let is_json = expected.group == ADMISSION && reply.body.trim_start().starts_with('{');
    let node = if is_json { read(&reply.body)? } else { read_yaml(&reply.body)? };
    if decode::interpret(&node).is_ok_and(|(version, kind)| version == "v1" && kind == "Status") {
        let status = node.clone().into_value();
        if status["status"] == "Failure" {
            return Err(status.text("message").to_owned());
        }
    }
    recognize(&node, expected)?;
    match table {
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
            is_review && ["v1", "v1beta1"].contains(&&*kind.version),
            "k8s.io/apiserver/pkg/util/webhook/client.go:71",
        )
    } else {
        (kind == *expected || decode::is_registered(&kind), "pkg/api/legacyscheme/scheme.go:30")
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

/// Reads JSON or, failing that, YAML.
fn read_yaml(body: &str) -> Result<Node, String> {
    let source = SourceFile::new("answer", body);
    match kube_yaml::read_first(&source) {
        Ok(document) => Ok(document.node),
        Err(error) => Err(format!("couldn't get version/kind; json parse error: {error}")),
    }
}

fn read(body: &str) -> Result<Node, String> {
    let parse_error = |error: String| format!("couldn't get version/kind; json parse error: {error}");
    gotext::encoding_json::scan_whole(body.as_bytes()).map_err(|failure| parse_error(failure.to_string()))?;
    let source = SourceFile::new("answer", body);
    let document = kube_yaml::read(&source).next();
    let document = document.ok_or_else(|| parse_error("unexpected end of JSON input".to_owned()))?;
    document.map(|document| document.node).map_err(|error| parse_error(error.to_string()))
}

/// Returns the error about a response with a status other than 2xx.
pub fn error_of(reply: &Reply) -> String {
    if let Ok(node) = read(&reply.body)
        && decode::interpret(&node).is_ok_and(|(version, kind)| version == "v1" && kind == "Status")
    {
        let status = node.into_value();
        return status.text("message").to_owned();
    }
    let text = if reply.is_text { reply.body.trim() } else { "unknown" };
    let text = if text.is_empty() { "unknown" } else { text };
    let fixed = match reply.status {
        400 => "the server rejected our request for an unknown reason",
        401 => "the server has asked for the client to provide credentials",
        404 => "the server could not find the requested resource",
        405 => "the server does not allow this method on the requested resource",
        406 if text == "unknown" => {
            "the server was unable to respond with a content type that the client supports"
        }
        409 => "the server reported a conflict",
        415 if text == "unknown" => "the server was unable to process the content type",
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
