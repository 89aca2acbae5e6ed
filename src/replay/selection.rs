//! The requests that the user chooses.

use jiff::Timestamp;

use crate::replay::event::Event;

/// The requests to judge: those that match everything that is given.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Not those that ended before.
    pub since: Option<Timestamp>,
    /// Not those that ended later.
    pub until: Option<Timestamp>,
    /// The users whose requests are meant; empty for all.
    pub users: Vec<String>,
    /// The namespaces that are meant; empty for all.
    pub namespaces: Vec<String>,
}

impl Selection {
    /// Whether the request of `event` is meant.
    pub(super) fn has(&self, event: &Event) -> bool {
        let is_meant = |words: &[String], word: &str| words.is_empty() || words.iter().any(|own| own == word);
        is_meant(&self.users, &event.user.username)
            && is_meant(&self.namespaces, &event.namespace)
            && self.has_time(event)
    }

    fn has_time(&self, event: &Event) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let Ok(time) = event.time.parse::<Timestamp>() else { return false };
        self.since.is_none_or(|since| since <= time) && self.until.is_none_or(|until| time <= until)
    }
}
