//! Answers from files: recorded or prescribed answers of webhooks.
//!
//! A file is an AdmissionReview with its response, or the fields of a response alone, under the name of the webhook and
//! optionally with conditions on the request:
//!
//! ```yaml
//! webhook: pods.example.com
//! match: {operation: CREATE, namespace: shop}
//! response: {allowed: false, status: {message: no}}
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use kube_api::Value;

use crate::webhook::{Client, Exchange, Reply, reply};
use gotext::value::json;

/// Recorded answers by the names of their webhooks.
#[derive(Debug, Default)]
pub struct Recordings(BTreeMap<String, Vec<Recording>>);

#[derive(Debug)]
struct Recording {
    /// Fields that the request must have with these values.
    condition: Value,
    response: Value,
}

impl Recordings {
    /// Adds the recording in a file.
    ///
    /// # Errors
    ///
    /// Fails with what the file lacks.
    pub fn add(&mut self, file: &Value) -> Result<(), String> {
        let webhook = file["webhook"].as_str().filter(|name| !name.is_empty());
        let webhook = webhook.ok_or("a recording names its webhook: webhook: NAME")?;
        let response = file.get("response").unwrap_or(file);
        if response.get("allowed").and_then(Value::as_bool).is_none() {
            return Err("a recording says whether the request is allowed: response: {allowed: …}".to_owned());
        }
        let recording = Recording { condition: file["match"].clone(), response: response.clone() };
        self.0.entry(webhook.to_owned()).or_default().push(recording);
        Ok(())
    }
}

impl Client for Recordings {
    fn post(&self, exchange: &Exchange<'_>) -> Result<Reply, String> {
        let recordings = self.0.get(exchange.webhook).into_iter().flatten();
        let asked = asked(exchange.body);
        let found = recordings.into_iter().find(|recording| agrees(&recording.condition, asked));
        let recording = found.ok_or_else(|| format!("no recorded answer of {}", exchange.webhook))?;
        Ok(Reply::with(recording.response.clone(), exchange))
    }
}

impl Reply {
    /// Returns the reply to `exchange` with this `response`, the fields of one as they are in a recording.
    pub fn with(mut response: Value, exchange: &Exchange<'_>) -> Self {
        let (api_version, kind) = (&exchange.body["apiVersion"], &exchange.body["kind"]);
        if kind.is_null() {
            let status = if response["allowed"] == true { 200 } else { 403 };
            let body = response.text("reason").to_owned();
            return Self::text(status, body);
        }
        let body = if kind == "AdmissionReview" {
            response["uid"] = asked(exchange.body)["uid"].clone();
            // Operations written out; a list of numbers is how some servers write bytes.
            if let Value::Array(patch) = &response["patch"]
                && !patch.first().is_some_and(Value::is_number)
            {
                let patch = Value::Array(patch.clone()).to_string();
                response["patch"] = gotext::base64::encode(patch.as_bytes()).into();
                response["patchType"] = "JSONPatch".into();
            }
            json!({"apiVersion": api_version, "kind": kind, "response": response})
        } else {
            json!({"apiVersion": api_version, "kind": kind, "status": response})
        };
        Self::json(200, body.to_string())
    }
}

/// Returns the request in a review; the body sent to an admission controller by address is the request itself.
fn asked(body: &Value) -> &Value {
    match body["kind"].as_str() {
        Some("AdmissionReview") => &body["request"],
        Some(_) => &body["spec"],
        None => body,
    }
}

/// A client that records the answers of another one. It writes neither addresses nor credentials.
pub struct RecordingClient {
    inner: Arc<dyn Client>,
    directory: PathBuf,
    /// The written recordings, by the names of the webhooks: webhooks that are called concurrently answer in any order.
    written: Mutex<BTreeMap<String, BTreeSet<String>>>,
}

impl RecordingClient {
    /// Writes the answers of `inner` into `directory`, which it creates.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be created.
    pub fn new(inner: Arc<dyn Client>, directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        Ok(Self { inner, directory: directory.to_owned(), written: Mutex::default() })
    }

    /// Writes what `reply` answered, once for each question. An incomplete answer is not recorded: in a replay it is an
    /// unreachable webhook.
    fn record(&self, exchange: &Exchange<'_>, reply: &Reply) -> io::Result<()> {
        let Some(response) = answered(exchange.body, reply) else { return Ok(()) };
        let recording = json!({
            "webhook": exchange.webhook,
            "match": question(asked(exchange.body)),
            "response": response,
        });
        let mut text = String::new();
        kube_yaml::write_yaml(&recording, &mut text).map_err(io::Error::other)?;
        let safe = |character: char| {
            if character.is_ascii_alphanumeric() || "-.".contains(character) { character } else { '_' }
        };
        let name: String = exchange.webhook.chars().map(safe).collect();
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let own = written.entry(name.clone()).or_default();
        if !own.insert(text.clone()) {
            return Ok(());
        }
        fs::write(self.directory.join(format!("{name}-{:05}.yaml", own.len())), text)
    }
}

/// Returns the whole answer in `reply`; nothing if there is none.
fn answered(body: &Value, reply: &Reply) -> Option<Value> {
    if body["kind"].is_null() {
        return match reply.status {
            200 => Some(json!({"allowed": true})),
            403 => Some(json!({"allowed": false, "reason": reply.text_of_body().trim()})),
            _ => None,
        };
    }
    if !(200..300).contains(&reply.status) {
        return None;
    }
    let answer = reply::review_in(reply)?;
    let field = if body["kind"] == "AdmissionReview" { "response" } else { "status" };
    let mut response = answer.get(field)?.clone();
    response["allowed"].as_bool()?;
    response.as_object_mut()?.remove("uid");
    Some(response)
}

/// Returns what distinguishes a question from others: everything but the uid and the contents of a Secret.
fn question(asked: &Value) -> Value {
    let mut asked = asked.clone();
    let is_secret = asked["kind"]["kind"] == "Secret" || asked["object"]["kind"] == "Secret";
    if let Some(asked) = asked.as_object_mut() {
        asked.remove("uid");
        asked.retain(|_, value| !value.is_null());
        if is_secret {
            asked.remove("object");
            asked.remove("oldObject");
        }
    }
    asked
}

impl Client for RecordingClient {
    fn post(&self, exchange: &Exchange<'_>) -> Result<Reply, String> {
        let reply = self.inner.post(exchange)?;
        self.record(exchange, &reply).map_err(|error| format!("cannot write the recording: {error}"))?;
        Ok(reply)
    }

    fn is_remote(&self) -> bool {
        self.inner.is_remote()
    }
}

/// Whether `value` has everything that `condition` has.
fn agrees(condition: &Value, value: &Value) -> bool {
    match condition {
        Value::Null => true,
        Value::Object(fields) => fields.iter().all(|(name, field)| agrees(field, &value[name.as_str()])),
        other => other == value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(recordings: &Recordings, webhook: &str, operation: &str) -> Result<String, String> {
        let request = json!({"uid": "u", "operation": operation});
        let body =
            json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
        let exchange = Exchange {
            webhook,
            url: "https://a.example.com",
            service: None,
            has_service: false,
            ca_bundle: &[],
            credentials: None,
            timeout: None,
            body: &body,
        };
        recordings.post(&exchange).map(|reply| reply.text_of_body().into_owned())
    }

    #[test]
    fn answers_by_the_name_of_the_webhook_and_the_request() {
        let mut recordings = Recordings::default();
        let recording =
            json!({"webhook": "a.example.com", "match": {"operation": "CREATE"}, "allowed": true});
        recordings.add(&recording).unwrap();
        let answer = |webhook, operation| answer(&recordings, webhook, operation);
        assert!(answer("a.example.com", "CREATE").unwrap().contains("\"uid\":\"u\""));
        assert_eq!(answer("a.example.com", "DELETE"), Err("no recorded answer of a.example.com".to_owned()));
        assert_eq!(answer("b.example.com", "CREATE"), Err("no recorded answer of b.example.com".to_owned()));
        assert!(recordings.add(&json!({"webhook": "a"})).is_err());
    }

    #[test]
    fn distinguishes_operations_of_a_patch_from_its_bytes() {
        let patch_of = |patch: Value| {
            let mut recordings = Recordings::default();
            recordings.add(&json!({"webhook": "a", "allowed": true, "patch": patch})).unwrap();
            let answer: Value = serde_json::from_str(&answer(&recordings, "a", "CREATE").unwrap()).unwrap();
            answer["response"]["patch"].clone()
        };
        let operations = json!([{"op": "remove", "path": "/a"}]);
        assert_eq!(patch_of(operations.clone()), gotext::base64::encode(operations.to_string().as_bytes()));
        assert_eq!(patch_of(json!([91, 93])), json!([91, 93]));
        assert_eq!(patch_of(json!("W10=")), "W10=");
    }
}
