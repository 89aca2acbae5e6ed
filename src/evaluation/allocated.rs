//! What a server allocates: two servers answer the same request with objects that differ in nothing else.

use gotext::value::Value;
use kube_api::Object;
use kube_registry::NOW;

/// The fields of the metadata that servers allocate or count.
pub const METADATA: [&str; 7] = [
    "creationTimestamp",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// The fields with addresses and ports that the server allocates.
pub const NETWORK: [&str; 4] = ["clusterIP", "clusterIPs", "healthCheckNodePort", "nodePort"];

/// The name of the volume with a Pod's token, before the generated part.
pub const TOKEN_VOLUME: &str = "kube-api-access-";

/// The start of the identifiers that kadmit generates, and the length of any.
const GENERATED_UID: &str = "00000000-0000-4000-8000-";
const UID_LENGTH: usize = 36;

/// The names that two servers allocated for the same object.
#[derive(Clone, Copy, Debug)]
pub struct Allocated<'a> {
    own: [&'a str; 2],
    theirs: [&'a str; 2],
}

impl<'a> Allocated<'a> {
    /// Returns the names in kadmit's object and in that of a server.
    pub fn of(own: &'a Object, theirs: &'a Object) -> Self {
        let names = |object: &'a Object| [object.name(), object.text(["metadata", "uid"])];
        Self { own: names(own), theirs: names(theirs) }
    }

    /// Whether a value of kadmit's object is the server's, except for what is allocated.
    pub fn is_same(&self, own: &Value, theirs: &Value) -> bool {
        match (own.as_str(), theirs.as_str()) {
            (Some(own), Some(theirs)) => self.is_same_text(own, theirs),
            _ => own == theirs,
        }
    }

    fn is_same_text(&self, own: &str, theirs: &str) -> bool {
        if own == theirs || own == NOW && is_time(theirs) {
            return true;
        }
        if own.starts_with(TOKEN_VOLUME) && theirs.starts_with(TOKEN_VOLUME) {
            return true;
        }
        let mut text = own.to_owned();
        if let Some(start) = own.find(GENERATED_UID) {
            let end = (start + UID_LENGTH).min(own.len());
            // An object as it is written before it exists has no identifier, but may refer to it.
            let any = || theirs.get(start..end).filter(|uid| is_uid(uid)).unwrap_or_default();
            text.replace_range(start..end, if self.theirs[1].is_empty() { any() } else { self.theirs[1] });
        }
        let both = self.own.iter().zip(self.theirs);
        for (own, theirs) in both.filter(|(own, theirs)| !own.is_empty() && !theirs.is_empty()) {
            text = text.replace(own, theirs);
        }
        text == theirs
    }
}

fn is_uid(text: &str) -> bool {
    text.len() == UID_LENGTH && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn is_time(text: &str) -> bool {
    text.len() >= NOW.len() && text.parse::<jiff::Timestamp>().is_ok()
}
