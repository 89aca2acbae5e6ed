//! One event of a log, read without the cluster, so that another thread can do it.

use crate::replay::Line;
use crate::replay::event::{Event, RESPONSE_COMPLETE};
use crate::replay::request;
use crate::replay::state;
use gotext::encoding_json;
use kube_api::Value;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;

const NOT_JSON: &str = "a line is not JSON, or is cut";

/// An event.
pub struct Document {
    pub(super) line: Line,
    /// The event, or why it is none.
    pub(super) event: Result<Event, &'static str>,
    time: String,
}

impl Document {
    /// Reads the event in `text`, or the events of a list; none if there is only white space. Objects are read as a server
    /// of `profile` does.
    pub fn read(text: &[u8], line: &Line, profile: &ServerProfile) -> Vec<Self> {
        let text = text.trim_ascii();
        if text.is_empty() {
            return Vec::new();
        }
        let without_event = |cause: &'static str, time: &str| Self {
            line: line.clone(),
            event: Err(cause),
            time: time.to_owned(),
        };
        let Some(document) = parsed(text) else {
            return vec![without_event(NOT_JSON, "")];
        };
        let read = |value: &Value| {
            let Some(mut event) = Event::of(value, line) else {
                let time = value.text("stageTimestamp");
                return without_event("an event without auditID, stage or verb", time);
            };
            if event.stage == RESPONSE_COMPLETE && !event.is_read() {
                event.answered = state::answered(&event, profile);
                event.requests = request::prepared(&event, profile);
            }
            let time = event.time.clone();
            Self { line: line.clone(), event: Ok(event), time }
        };
        match (document.text("apiVersion"), document.text("kind")) {
            ("audit.k8s.io/v1", "Event") => vec![read(&document)],
            ("audit.k8s.io/v1", "EventList") => document.list("items").iter().map(read).collect(),
            (version, "Event" | "EventList") if version.starts_with("audit.k8s.io/") => {
                vec![without_event("an event of another version than audit.k8s.io/v1", time_of(&document))]
            }
            _ => vec![without_event("a line is not an audit event", time_of(&document))],
        }
    }

    /// Whether it was read from JSON.
    pub fn is_json(&self) -> bool {
        !matches!(self.event, Err(NOT_JSON))
    }

    /// Returns the time of the event, or nothing.
    pub fn time(&self) -> &str {
        &self.time
    }

    /// Returns the time of the first event of a document that begins with `text`.
    pub fn time_in(text: &[u8]) -> Option<String> {
        let document = parsed(text.trim_ascii())?;
        Some(time_of(&document).to_owned()).filter(|time| !time.is_empty())
    }
}

/// Returns the document in `text`, if it is JSON.
fn parsed(text: &[u8]) -> Option<Value> {
    // Only text that a server does not write needs the rules of Go, which take longer.
    let written = str::from_utf8(text).ok().and_then(|text| serde_json::from_str(text).ok());
    written.or_else(|| encoding_json::from_slice(text).ok())
}

/// Returns the release of the server that wrote the event in `text`: its own requests name it, and those of the
/// controllers that come with it.
pub fn release_in(text: &[u8]) -> Option<Version> {
    const AGENTS: [&str; 2] = ["kube-apiserver/v", "kube-controller-manager/v"];
    // Most lines need not be parsed.
    let is_likely = |agent: &str| text.windows(agent.len()).any(|part| part == agent.as_bytes());
    if !AGENTS.into_iter().any(is_likely) {
        return None;
    }
    let document = parsed(text.trim_ascii())?;
    let event = document.list("items").first().unwrap_or(&document);
    let own = ["system:apiserver", "system:kube-controller-manager"];
    let agent = own.contains(&event.text(["user", "username"])).then(|| event.text("userAgent"))?;
    let version = AGENTS.into_iter().find_map(|name| agent.strip_prefix(name))?;
    let (major, rest) = version.split_once('.')?;
    let minor = rest.split_once('.').map_or(rest, |(minor, _)| minor);
    let release = format!("{major}.{minor}").parse().ok()?;
    (Version::OLDEST..=Version::BINARY).contains(&release).then_some(release)
}

fn time_of(document: &Value) -> &str {
    document.list("items").first().unwrap_or(document).text("stageTimestamp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_the_server_itself_show_its_release() {
        let event = |user: &str, agent: &str| {
            let text = format!(r#"{{"user":{{"username":"{user}"}},"userAgent":"{agent}"}}"#);
            release_in(text.as_bytes()).map(|release| release.to_string())
        };
        let agent = "kube-apiserver/v1.34.1 (linux/amd64) kubernetes/98b3519";
        assert_eq!(event("system:apiserver", agent).as_deref(), Some("1.34"));
        assert_eq!(event("alice", agent), None);
        assert_eq!(event("system:apiserver", "kube-apiserver/v1.999.0"), None);
        let controllers = "kube-controller-manager/v1.36.2+k3s1 (linux/amd64)";
        assert_eq!(event("system:kube-controller-manager", controllers).as_deref(), Some("1.36"));
    }
}
