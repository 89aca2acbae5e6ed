//! Objects as rows for people: the columns that `kubectl get` prints.
//!
//! Source: `k8s.io/kubernetes/pkg/printers/internalversion/printers.go`,
//! `k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor`

mod built_in;
mod json_path;

use crate::evaluation::Served;
use crate::serve::answer::{metadata_of, shown};
use crate::serve::path::Query;
use gotext::time;
use gotext::value::json;
use kube_api::field::{self, Path};
use kube_api::{Object, Status, Value};

pub(super) use json_path::JsonPath;

/// How much of an object is next to its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Include {
    Nothing,
    Metadata,
    Object,
}

impl Include {
    /// Returns what the query of a request says.
    ///
    /// # Errors
    ///
    /// Returns 400 if that is something else.
    pub(super) fn of(query: &Query) -> Result<Self, Status> {
        match query.get("includeObject") {
            Some("None") => Ok(Self::Nothing),
            Some("Object") => Ok(Self::Object),
            None | Some("Metadata") => Ok(Self::Metadata),
            Some(other) => {
                let detail = "must be 'Metadata', 'Object', 'None', or empty";
                let error = field::Error::invalid_text(&Path::new("includeObject"), other, detail);
                Err(Status::new_bad_request(format!("Unable to convert to Table as requested: {error}")))
            }
        }
    }
}

/// The columns of a resource.
pub(super) struct Columns(Vec<Column>);

/// A column.
struct Column {
    name: String,
    kind: String,
    format: String,
    description: String,
    /// 0 if it is always printed.
    priority: i64,
    cell: Cell,
}

/// How the cell of a column follows from an object.
enum Cell {
    BuiltIn(&'static built_in::Column),
    /// By a path in a definition.
    Path(JsonPath),
}

impl Columns {
    /// Returns the columns of a resource.
    pub(super) fn of(served: &Served) -> Self {
        let built_in = built_in::columns(served.kind());
        let Some((definition, version)) = served.custom() else {
            return Self(built_in.iter().map(Column::from).collect());
        };
        let [name, age] = built_in::NAME_AND_AGE.each_ref().map(Column::from);
        if served.kind().group != *definition.group {
            // The numbers of a scale are between the columns of custom resources.
            let numbers = built_in.iter().filter(|column| ["Desired", "Available"].contains(&column.name));
            let age = Column { kind: "date".to_owned(), ..age };
            return Self(std::iter::once(name).chain(numbers.map(Column::from)).chain([age]).collect());
        }
        let own: Vec<Column> = match version.printer_columns.as_slice() {
            [] => vec![Column { kind: "date".to_owned(), ..age }],
            columns => columns.iter().filter_map(Column::of_definition).collect(),
        };
        Self(std::iter::once(name).chain(own).collect())
    }

    /// Returns the rows of `objects`, with the columns if they are asked for.
    pub(super) fn table(
        &self,
        version: &str,
        objects: &[&Object],
        revision: &str,
        includes: Include,
        now: i64,
        has_header: bool,
    ) -> Value {
        let columns = has_header.then(|| self.0.iter().map(Column::definition).collect::<Vec<_>>());
        let rows = objects.iter().map(|object| {
            let cells: Vec<Value> = self.0.iter().map(|column| column.cell(object, now)).collect();
            let mut row = json!({"cells": cells});
            let conditions = built_in::row_conditions(object);
            if !conditions.is_empty() {
                row["conditions"] = conditions.into();
            }
            row["object"] = match includes {
                Include::Nothing => Value::Null,
                Include::Metadata => metadata_of(object, version),
                Include::Object => shown(object),
            };
            row
        });
        json!({
            "kind": "Table",
            "apiVersion": format!("meta.k8s.io/{version}"),
            "metadata": {"resourceVersion": revision},
            "columnDefinitions": columns,
            "rows": rows.collect::<Vec<_>>(),
        })
    }
}

impl Column {
    fn of_definition(column: &Value) -> Option<Self> {
        let text = |field: &str| column.text(field).to_owned();
        Some(Self {
            name: text("name"),
            kind: text("type"),
            format: text("format"),
            description: match text("description").as_str() {
                "" => format!("Custom resource definition column (in JSONPath format): {}", text("jsonPath")),
                own => own.to_owned(),
            },
            priority: column.int("priority"),
            cell: Cell::Path(JsonPath::parse(column.text("jsonPath"))?),
        })
    }

    fn definition(&self) -> Value {
        json!({
            "name": self.name,
            "type": self.kind,
            "format": self.format,
            "description": self.description,
            "priority": self.priority,
        })
    }

    fn cell(&self, object: &Object, now: i64) -> Value {
        match &self.cell {
            Cell::BuiltIn(column) => column.cell(object, now),
            Cell::Path(path) => match (self.kind.as_str(), path.find(&object.value).first()) {
                ("date", Some(Value::String(text))) => match time::parse_rfc3339(text) {
                    Some((then, _)) => human_duration(now - then).into(),
                    None => "<invalid>".into(),
                },
                ("integer" | "number", Some(value @ Value::Number(_)))
                | ("boolean", Some(value @ Value::Bool(_))) => (*value).clone(),
                ("string", Some(Value::String(text))) => Value::String(text.clone()),
                ("string", Some(other)) => gotext::encoding_json::to_string(other).into(),
                _ => Value::Null,
            },
        }
    }
}

impl From<&'static built_in::Column> for Column {
    fn from(column: &'static built_in::Column) -> Self {
        Self {
            name: column.name.to_owned(),
            kind: column.kind.to_owned(),
            format: column.format().to_owned(),
            description: String::new(),
            priority: column.priority,
            cell: Cell::BuiltIn(column),
        }
    }
}

fn age(object: &Object, now: i64) -> String {
    since(object.text(["metadata", "creationTimestamp"]), now)
}

/// Returns the time since `then` in the few characters that people need.
///
/// Source: `k8s.io/apimachinery/pkg/util/duration.HumanDuration`
fn since(then: &str, now: i64) -> String {
    let Some((then, _)) = time::parse_rfc3339(then) else { return "<unknown>".to_owned() };
    human_duration(now - then)
}

fn human_duration(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const YEAR: i64 = 365 * DAY;
    let two = |whole: i64, unit: &str, rest: i64, below: &str| match rest {
        0 => format!("{whole}{unit}"),
        rest => format!("{whole}{unit}{rest}{below}"),
    };
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1..=0 => "0s".to_owned(),
        1..120 => format!("{seconds}s"),
        120..600 => two(seconds / MINUTE, "m", seconds % MINUTE, "s"),
        600..10_800 => format!("{}m", seconds / MINUTE),
        10_800..28_800 => two(seconds / HOUR, "h", seconds % HOUR / MINUTE, "m"),
        28_800..172_800 => format!("{}h", seconds / HOUR),
        172_800..691_200 => two(seconds / DAY, "d", seconds % DAY / HOUR, "h"),
        691_200..63_072_000 => format!("{}d", seconds / DAY),
        63_072_000..252_288_000 => two(seconds / YEAR, "y", seconds % YEAR / DAY, "d"),
        _ => format!("{}y", seconds / YEAR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        for (seconds, expected) in [
            (-5, "<invalid>"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (700, "11m"),
            (10_860, "3h1m"),
            (172_800, "2d"),
            (176_400, "2d1h"),
            (700_000, "8d"),
            (63_072_000, "2y"),
        ] {
            assert_eq!(human_duration(seconds), expected, "{seconds}");
        }
    }
}
