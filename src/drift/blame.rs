//! The origin of every line of a live object.

use std::sync::Arc;

use crate::drift::explain::{Autoscalers, Difference};
use crate::evaluation::allocated::METADATA;
use crate::evaluation::{Live, Place};
use crate::report::drift::{Cause, written_by};
use crate::report::{Blame, BlamedLine, BlamedOn, Origin, blamed_lines, label, masked};
use kube_api::field::{Path, Segment};
use kube_api::secret::LAST_APPLIED;
use kube_api::{Object, Value};
use kube_registry::merge::{Writer, writers as managers};

/// Returns the lines of the object as it exists. `expected` is the object that its manifest at `place` alone leads to,
/// with the origins of its values.
pub(super) fn lines(
    live: &Live,
    expected: Option<(Arc<Object>, Blame<'_>)>,
    place: Option<&Place>,
    autoscalers: &Autoscalers,
) -> Vec<BlamedLine> {
    let mut object = Object::clone(&live.object);
    object.remove(["metadata", "managedFields"]);
    let (value, _) = masked(&object.kind, &object.value, &object.value);
    object.value = value;
    let mut text = String::new();
    // The text is complete, even where Go would refuse to write it.
    let _ = kube_yaml::write_yaml(&object.value, &mut text);
    let Some((expected, mut blame)) = expected else {
        let line =
            |text: &str| BlamedLine { origin: String::new(), on: BlamedOn::Others, text: text.to_owned() };
        return text.lines().map(line).collect();
    };
    let (shown, _) = masked(&expected.kind, &expected.value, &expected.value);
    let present = blame.clone();
    blame.change(&shown, &object.value, &Origin::Others);
    let file = place.map(Place::file).unwrap_or_default();
    let lines = blamed_lines(&text, &blame);
    let line = |(text, (origin, path)): (&str, (Origin<'_>, Option<Path>))| {
        let (says, on) = match (origin, &path) {
            (Origin::Others, Some(path)) => {
                let now = otherwise(path.value_in(&shown), present.at(path));
                (of_others(live, path, autoscalers) + &now, BlamedOn::Others)
            }
            (Origin::Manifest(_) | Origin::Default | Origin::Plugin(..), Some(path)) => {
                match contradiction(live, path) {
                    Some(others) => {
                        (format!("{}, written by {others}", label(&origin, file)), BlamedOn::Others)
                    }
                    None => (label(&origin, file), origin.kind()),
                }
            }
            _ => (label(&origin, file), origin.kind()),
        };
        BlamedLine { origin: says, on, text: text.to_owned() }
    };
    text.lines().zip(lines).map(line).collect()
}

/// Returns who wrote a field that the manifest does not lead to.
fn of_others(live: &Live, path: &Path, autoscalers: &Autoscalers) -> String {
    let segments = path.segments();
    match segments.as_slice() {
        [Segment::Field(metadata), Segment::Field(field), ..]
            if metadata == "metadata" && METADATA.contains(&&**field) =>
        {
            return "API server".to_owned();
        }
        _ => {}
    }
    let names = live.names(&live.object, path);
    let difference = Difference { live: &live.object, names: &names, exists: true, in_manifest: false };
    let writers = difference.writers();
    let by = if writers.is_empty() { String::new() } else { format!("manager {}", written_by(&writers)) };
    match (difference.cause(autoscalers), segments.first()) {
        (None, Some(Segment::Field(field))) if by.is_empty() && field == "status" => {
            "a controller".to_owned()
        }
        (None, _) if by.is_empty() => "unknown".to_owned(),
        (Some(cause), _) if by.is_empty() => cause.to_string(),
        (None | Some(Cause::Controller(_)), _) => by,
        (Some(cause), _) => format!("{cause}, by {by}"),
    }
}

/// Returns what the server makes of a field now, `value` with its `origin`, if it is not the manifest's.
fn otherwise(value: Option<&Value>, origin: Origin<'_>) -> String {
    match (value.filter(|value| is_scalar(value)), origin) {
        (Some(value), Origin::Default | Origin::Plugin(..)) => {
            format!("; {} sets {value} now", label(&origin, ""))
        }
        _ => String::new(),
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array() && !value.is_null()
}

/// Returns the managers of a field that is as the manifest leads to, if the one that applied the manifest is not among
/// them.
fn contradiction(live: &Live, path: &Path) -> Option<String> {
    // Maps and lists have the managers of what is in them.
    path.value_in(&live.object.value).filter(|value| is_scalar(value))?;
    let writers = managers(&live.object, &live.names(&live.object, path));
    let record = ["f:metadata".to_owned(), "f:annotations".to_owned(), format!("f:{LAST_APPLIED}")];
    let appliers = managers(&live.object, &record);
    let applies = |writer: &Writer| {
        writer.operation == "Apply" || appliers.iter().any(|applier| applier.manager == writer.manager)
    };
    let is_known = !appliers.is_empty()
        || live
            .object
            .list(["metadata", "managedFields"])
            .iter()
            .any(|entry| entry.text("operation") == "Apply");
    if writers.is_empty() || !is_known || writers.iter().any(applies) {
        return None;
    }
    Some(written_by(&writers))
}
