//! Whether an answer is the server's, except for what a server allocates.

use crate::evaluation::Outcome;
use crate::evaluation::allocated::{Allocated, METADATA, NETWORK};
use crate::replay::event::Event;
use gotext::encoding_json;
use kube_api::resources::SECRETS;
use kube_api::{Map, Object, Value};

/// The longest part of a value that a difference shows.
const LONGEST: usize = 200;

/// An answer that is not the server's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What all differences of its group have in common.
    pub cause: String,
    /// The server's answer.
    pub server: String,
    /// Kadmit's answer.
    pub kadmit: String,
}

/// Returns how the answers differ, if they do. `theirs` is the object that the server answered with; `read` decodes one.
pub(super) fn difference(
    event: &Event,
    outcome: &Outcome,
    theirs: impl Fn() -> Option<Object>,
    read: impl Fn(&Value) -> Option<Object>,
) -> Option<Difference> {
    let what = format!("{} {}", event.verb, event.target());
    let answered = match outcome.status() {
        Some(status) => format!("{} {}", status.code, status.message),
        None => "admitted".to_owned(),
    };
    let server =
        if event.succeeded() { event.code.to_string() } else { format!("{} {}", event.code, event.message) };
    let differs = |cause: String| {
        Some(Difference {
            cause: format!("{what}: {cause}"),
            server: server.clone(),
            kadmit: answered.clone(),
        })
    };
    let by = outcome.denied_by().map(|plugin| format!(" by {plugin}")).unwrap_or_default();
    match (outcome.status(), event.succeeded()) {
        (None, false) => differs(format!("the server refuses with {}, kadmit admits", event.code)),
        (Some(status), true) => {
            differs(format!("the server admits, kadmit refuses with {}{by}", status.code))
        }
        (Some(status), false) if status.code != event.code => {
            differs(format!("the server refuses with {}, kadmit with {}{by}", event.code, status.code))
        }
        (Some(status), false) => {
            let message = with_name(&status.message, event, outcome);
            if message == event.message { None } else { differs(format!("another message{by}")) }
        }
        (None, true) => {
            let own = outcome.object.as_ref().filter(|_| event.response.is_some())?;
            let theirs = theirs().filter(|theirs| own.kind == theirs.kind)?;
            let mut path = Vec::new();
            // Most objects are the same before they are read again.
            Comparison(Allocated::of(own, &theirs)).first_difference(&own.value, &theirs.value, &mut path)?;
            path.clear();
            let own = read(&own.value)?;
            let comparison = Comparison(Allocated::of(&own, &theirs));
            let (left, right) = comparison.first_difference(&own.value, &theirs.value, &mut path)?;
            let hides = event.is_of(&SECRETS);
            Some(Difference {
                cause: format!("{what}: {}", path.join(".")),
                server: shown(right, hides),
                kadmit: shown(left, hides),
            })
        }
    }
}

/// Returns kadmit's message with the name that the server generated.
fn with_name(message: &str, event: &Event, outcome: &Outcome) -> String {
    let base = event.request.as_ref().map_or("", |body| body.text(["metadata", "generateName"]));
    let theirs = event.response.as_ref().map_or("", |status| status.text(["details", "name"]));
    let is_generated = !base.is_empty() && outcome.name.starts_with(base) && theirs.starts_with(base);
    if is_generated { message.replace(&outcome.name, theirs) } else { message.to_owned() }
}

fn shown(value: Option<&Value>, hides: bool) -> String {
    match value {
        None => "absent".to_owned(),
        Some(_) if hides => "a value that is not shown".to_owned(),
        Some(value) => {
            let text = encoding_json::to_string(value);
            match text.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}

/// The comparison of two objects.
struct Comparison<'a>(Allocated<'a>);

impl Comparison<'_> {
    /// Returns the first values that differ, and their path.
    fn first_difference<'v>(
        &self,
        own: &'v Value,
        theirs: &'v Value,
        path: &mut Vec<String>,
    ) -> Option<(Option<&'v Value>, Option<&'v Value>)> {
        match (own, theirs) {
            (Value::Object(left), Value::Object(right)) => self.in_maps(left, right, path),
            (Value::Array(left), Value::Array(right)) => {
                for (index, (left, right)) in left.iter().zip(right.iter()).enumerate() {
                    path.push(index.to_string());
                    if let Some(found) = self.first_difference(left, right, path) {
                        return Some(found);
                    }
                    path.pop();
                }
                (left.len() != right.len()).then_some((Some(own), Some(theirs)))
            }
            _ => (!self.0.is_same(own, theirs)).then_some((Some(own), Some(theirs))),
        }
    }

    fn in_maps<'v>(
        &self,
        own: &'v Map,
        theirs: &'v Map,
        path: &mut Vec<String>,
    ) -> Option<(Option<&'v Value>, Option<&'v Value>)> {
        let names = own.keys().chain(theirs.keys().filter(|name| !own.contains_key(name.as_str())));
        let is_metadata = path.len() == 1 && path[0] == "metadata";
        for name in names {
            let name = name.as_str();
            if is_metadata && METADATA.contains(&name) {
                continue;
            }
            let (left, right) = (own.get(name), theirs.get(name));
            if right.is_some() && NETWORK.contains(&name) {
                continue;
            }
            path.push(name.to_owned());
            let found = match (left, right) {
                (Some(left), Some(right)) => self.first_difference(left, right, path),
                (left, right) if left.or(right).is_some_and(|value| !is_nothing(value)) => {
                    Some((left, right))
                }
                _ => None,
            };
            if found.is_some() {
                return found;
            }
            path.pop();
        }
        None
    }
}

/// Whether the server's encoder may leave `value` out.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.values().all(is_nothing),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
