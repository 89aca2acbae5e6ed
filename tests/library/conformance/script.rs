//! The scripted server of a case: its answers by path, and the requests it received.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gotext::value::json;
use kadmit::webhook::{Client, Exchange, Reply};
use kube_api::Value;

/// The placeholder of the server's address in the recordings.
const SERVER: &str = "$WEBHOOK";

/// Answers by path, and the calls so far.
#[derive(Default)]
pub(crate) struct Script {
    answers: BTreeMap<String, Vec<Value>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    counts: BTreeMap<String, usize>,
    calls: Vec<Value>,
}

impl Script {
    /// Reads `webhooks` of a case.
    pub(crate) fn new(webhooks: &Value) -> Self {
        let answers = webhooks.as_object().into_iter().flatten().map(|(path, answer)| {
            let answers = answer.as_array().map_or_else(|| vec![answer.clone()], Vec::clone);
            (path.to_string(), answers)
        });
        Self { answers: answers.collect(), state: Mutex::default() }
    }

    /// Returns the calls since the last time, as the recorder wrote them.
    pub(crate) fn take_calls(&self, is_sorted: bool) -> Value {
        let mut calls = std::mem::take(&mut self.state.lock().expect("no poison").calls);
        if is_sorted {
            calls.sort_by_key(|call| call["path"].as_str().unwrap_or_default().to_owned());
        }
        json!(calls)
    }
}

impl Client for Script {
    fn post(&self, exchange: &Exchange<'_>) -> Result<Reply, String> {
        let url = exchange.url;
        let failed = |error: &str| Err(format!("Post \"{url}\": {error}"));
        if let Some((_, name, _)) = exchange.service {
            return failed(&format!("service \"{name}\" not found"));
        }
        let Some(path) = url.strip_prefix(SERVER) else {
            let address = url.trim_start_matches("https://").split('/').next().unwrap_or_default();
            return failed(&format!("dial tcp {address}: connect: connection refused"));
        };
        if exchange.ca_bundle.is_empty() {
            return failed(
                "tls: failed to verify certificate: x509: certificate signed by unknown authority",
            );
        }
        let path = path.split('?').next().unwrap_or_default();
        let (delay, reply) = self.answer(path, exchange.body);
        let delayed = Duration::from_secs(delay);
        if delay > 0 && exchange.timeout.is_some_and(|timeout| delayed >= timeout) {
            return failed("context deadline exceeded");
        }
        Ok(reply)
    }
}

impl Script {
    /// Accepts `body` at `path`, and returns the answer and its delay in seconds.
    pub(crate) fn answer(&self, path: &str, body: &Value) -> (u64, Reply) {
        let mut state = self.state.lock().expect("no poison");
        let mut sent = body.clone();
        if let Some(request) = sent.get_mut("request").and_then(Value::as_object_mut) {
            request.remove("uid");
            for object in ["object", "oldObject"] {
                let Some(Value::Object(object)) = request.get_mut(object) else { continue };
                let Some(Value::Object(metadata)) = object.get_mut("metadata") else { continue };
                for field in ["uid", "creationTimestamp", "resourceVersion", "generation", "managedFields"] {
                    metadata.remove(field);
                }
            }
        }
        state.calls.push(json!({"path": path, "review": sent}));
        let count = state.counts.entry(path.to_owned()).or_default();
        let answers = self.answers.get(path).map_or(&[][..], Vec::as_slice);
        let answer = answers.get(*count).or(answers.last());
        *count += 1;
        let Some(answer) = answer else {
            return (0, Reply::text(404, "404 page not found".to_owned()));
        };
        let delay = answer["delay"].as_u64().unwrap_or_default();
        let status = answer["status"].as_u64().map_or(200, |status| u16::try_from(status).expect("a status"));
        let content_type = answer["type"].as_str().unwrap_or("application/json");
        let uid = body["request"]["uid"].as_str().unwrap_or_default();
        let text = if let Some(raw) = answer["raw"].as_str() {
            raw.to_owned()
        } else if answer.get("response").is_some() {
            review(body, &answer["response"]).to_string()
        } else {
            answer["body"].to_string().replace("$UID", uid)
        };
        (delay, Reply { status, content_type: content_type.to_owned(), body: text.into() })
    }
}

fn review(sent: &Value, response: &Value) -> Value {
    let mut response = response.clone();
    if response.get("uid").is_none() {
        response["uid"] = sent["request"]["uid"].clone();
    }
    if let Value::Array(patch) = &response["patch"] {
        response["patch"] = STANDARD.encode(json!(patch).to_string()).into();
        response["patchType"] = "JSONPatch".into();
    } else if response["patch"].is_null()
        && let Some(response) = response.as_object_mut()
    {
        response.remove("patch");
    }
    json!({"apiVersion": sent["apiVersion"], "kind": sent["kind"], "response": response})
}
