//! Answers from files: what webhooks once answered, or are to be taken to answer.
//!
//! A file is an AdmissionReview with its response, or the fields of a response alone, under the name of the webhook and
//! optionally with what the request has to be like:
//!
//! ```yaml
//! webhook: pods.example.com
//! match: {operation: CREATE, namespace: shop}
//! response: {allowed: false, status: {message: no}}
//! ```

use std::collections::BTreeMap;

use crate::api::Value;
use crate::value::json;
use crate::webhook::{Client, Exchange, Reply};

/// Recorded answers by the names of their webhooks.
#[derive(Debug, Default)]
pub struct Recordings(BTreeMap<String, Vec<Recording>>);

#[derive(Debug)]
struct Recording {
    /// Fields of the request that have to be as here.
    condition: Value,
    response: Value,
}

impl Recordings {
    /// Adds what a file says.
    ///
    /// # Errors
    ///
    /// What the file lacks.
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
        let request = &exchange.body["request"];
        let recordings = self.0.get(exchange.webhook).into_iter().flatten();
        let found = recordings.into_iter().find(|recording| agrees(&recording.condition, request));
        let recording = found.ok_or_else(|| format!("no recorded answer of {}", exchange.webhook))?;
        let mut response = recording.response.clone();
        response["uid"] = request["uid"].clone();
        if let Value::Array(patch) = &response["patch"] {
            let patch = Value::Array(patch.clone()).to_string();
            response["patch"] = crate::go::base64::encode(patch.as_bytes()).into();
            response["patchType"] = "JSONPatch".into();
        }
        let review = json!({
            "apiVersion": exchange.body["apiVersion"], "kind": "AdmissionReview", "response": response,
        });
        Ok(Reply { status: 200, is_text: false, body: review.to_string() })
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

    #[test]
    fn answers_by_the_name_of_the_webhook_and_the_request() {
        let mut recordings = Recordings::default();
        let recording =
            json!({"webhook": "a.example.com", "match": {"operation": "CREATE"}, "allowed": true});
        recordings.add(&recording).unwrap();
        let answer = |webhook: &str, operation: &str| {
            let body =
                json!({"apiVersion": "admission.k8s.io/v1", "request": {"uid": "u", "operation": operation}});
            let exchange = Exchange {
                webhook,
                url: "https://a.example.com",
                service: None,
                ca_bundle: &[],
                timeout: 10,
                body: &body,
            };
            recordings.post(&exchange).map(|reply| reply.body)
        };
        assert!(answer("a.example.com", "CREATE").unwrap().contains("\"uid\":\"u\""));
        assert_eq!(answer("a.example.com", "DELETE"), Err("no recorded answer of a.example.com".to_owned()));
        assert_eq!(answer("b.example.com", "CREATE"), Err("no recorded answer of b.example.com".to_owned()));
        assert!(recordings.add(&json!({"webhook": "a"})).is_err());
    }
}
