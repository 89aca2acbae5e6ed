//! One document of a log, read without the cluster, so that another thread can do it.

use crate::replay::Line;
use crate::replay::event::Event;
use crate::replay::state;
use gotext::encoding_json;
use kube_api::Value;
use kube_api::server_profile::ServerProfile;

/// An event, or a list of events.
pub struct Document {
    pub(super) line: Line,
    /// The events, of which one may lack what every event has; or why it has none.
    pub(super) events: Result<Vec<Option<Event>>, &'static str>,
    time: String,
}

impl Document {
    /// Reads a document; nothing if there is only white space. Objects are read as a server of `profile` does.
    pub fn read(text: &[u8], line: &Line, profile: &ServerProfile) -> Option<Self> {
        let text = text.trim_ascii();
        if text.is_empty() {
            return None;
        }
        let Ok(document) = encoding_json::from_slice(text) else {
            let events = Err("a line is not JSON, or is cut");
            return Some(Self { line: line.clone(), events, time: String::new() });
        };
        let event = |event: &Value| {
            let mut event = Event::of(event, line)?;
            event.answered = state::answered(&event, profile);
            Some(event)
        };
        let events = match (document.text("apiVersion"), document.text("kind")) {
            ("audit.k8s.io/v1", "Event") => Ok(vec![event(&document)]),
            ("audit.k8s.io/v1", "EventList") => Ok(document.list("items").iter().map(event).collect()),
            (version, "Event" | "EventList") if version.starts_with("audit.k8s.io/") => {
                Err("an event of another version than audit.k8s.io/v1")
            }
            _ => Err("a line is not an audit event"),
        };
        Some(Self { line: line.clone(), events, time: time_of(&document).to_owned() })
    }

    /// Whether it is JSON.
    pub fn is_read(&self) -> bool {
        self.events.is_ok()
    }

    /// Returns the time of its first event, or nothing.
    pub fn time(&self) -> &str {
        &self.time
    }

    /// Returns the time of the first event of a document that begins with `text`.
    pub fn time_in(text: &[u8]) -> Option<String> {
        let document = encoding_json::from_slice(text.trim_ascii()).ok()?;
        Some(time_of(&document).to_owned()).filter(|time| !time.is_empty())
    }
}

fn time_of(document: &Value) -> &str {
    document.list("items").first().unwrap_or(document).text("stageTimestamp")
}
