//! Requests whose webhooks are called.

use gotext::value::json;

use super::{PODS, Program, pod};
use crate::webhooks::{directory, scripted};

const FLAGS: [&str; 4] = ["--webhooks", "call", "--cluster", "hook.yaml"];
const HOOK: &str = "{url: $WEBHOOK/validate, caBundle: $CA_BUNDLE}";

#[test]
fn the_time_of_a_request_bounds_its_webhooks() {
    let server = scripted(&json!({"/validate": {"delay": 5, "response": {"allowed": true}}}));
    let program = Program::start(&directory("hurried", &server, HOOK), &FLAGS);
    let refusal = |query: &str| program.client.post(&format!("{PODS}?{query}"), &pod("a")).refusal();
    let late = "Timeout: request did not complete within the allotted timeout";
    assert_eq!(refusal("timeout=100ms"), (504, "Timeout".to_owned(), late.to_owned()));
    let wrong = "invalid timeout specified in the request URL - time: invalid duration \"soon\"";
    assert_eq!(refusal("timeout=soon"), (400, "BadRequest".to_owned(), wrong.to_owned()));
    assert_eq!(program.client.get(&format!("{PODS}/a")).code, 404);
    program.end("TERM");
}

#[test]
fn a_denial_is_sent_as_the_webhook_gives_it() {
    let status = json!({"code": 418, "status": "Odd", "metadata": {"continue": "abc"}});
    let odd = json!({"allowed": false, "status": status});
    let broken = json!({"allowed": false, "status": {"code": 1000}});
    let server = scripted(&json!({"/validate": [{"response": odd}, {"response": broken}]}));
    let program = Program::start(&directory("odd", &server, HOOK), &FLAGS);
    let denied = program.client.post(PODS, &pod("a")).object(418);
    assert_eq!((denied.text("status"), denied.text(["metadata", "continue"])), ("Odd", "abc"));
    let body = pod("a").to_string();
    let request = format!(
        "POST {PODS} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    // As from a server, there is no answer.
    assert_eq!(program.client.send_raw(request.as_bytes()), b"");
    program.end("TERM");
}
