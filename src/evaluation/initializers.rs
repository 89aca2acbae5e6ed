//! The handling of objects that initializers hold back, on servers until 1.13.
//!
//! Source: `Store.WaitForInitialized` of `k8s.io/apiserver/pkg/registry/generic/registry`.

use crate::admission::Refusal;
use kube_api::{Object, Status, Value};

const RESULT: [&str; 3] = ["metadata", "initializers", "result"];
const PENDING: [&str; 3] = ["metadata", "initializers", "pending"];

/// Answers the creation of an object that is not initialized: with its result, if it has one. A request with a timeout
/// gets no further answer, as no controller acts; all others are assumed to be initialized in the end.
pub(super) fn wait(object: &Object, options: Option<&Value>) -> Result<(), Refusal> {
    if let Some(result) = object.at(RESULT) {
        let text = |field: &str| result.text(field).to_owned();
        let code = result.at("code").and_then(Value::as_i64).and_then(|code| u16::try_from(code).ok());
        let status = Status {
            code: code.unwrap_or(500),
            reason: text("reason"),
            message: text("message"),
            ..Status::default()
        };
        return Err(status.into());
    }
    let timeout = options.and_then(|options| options.at("timeout")).and_then(Value::as_str);
    match timeout {
        Some(timeout) if !object.list(PENDING).is_empty() => Err(Status {
            code: 504,
            reason: "Timeout".to_owned(),
            message: format!("Timeout: request did not complete within requested timeout {timeout}"),
            ..Status::default()
        }
        .into()),
        _ => Ok(()),
    }
}
