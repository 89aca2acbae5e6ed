//! The columns of built-in kinds.
//!
//! Source: `k8s.io/kubernetes/pkg/printers/internalversion/printers.go`

mod autoscaling;
mod certificates;
mod discovery;
mod events;
mod flow;
mod jobs;
mod kinds;
mod nodes;
mod pods;
mod policies;
mod services;
mod storage;
mod workloads;

use crate::serve::table::age;
use gotext::value::json;
use kube_api::labels::Selector;
use kube_api::{GroupVersionKind, Object, Value, pairs};

/// A column of a built-in kind.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    /// 0 if it is always printed.
    pub(super) priority: i64,
    cell: Cell,
}

/// How the cell of a column follows from an object. Paths have dots.
enum Cell {
    Name,
    Age,
    /// The time of creation.
    Created,
    /// The text at a path, or another one if it is empty.
    Text(&'static str, &'static str),
    Number(&'static str),
    Flag(&'static str),
    /// The length of the list at a path.
    Count(&'static str),
    /// The labels at a path.
    Labels(&'static str),
    /// The selector of labels at a path.
    Selector(&'static str),
    /// What a field of the containers at a path says.
    Containers(&'static str, &'static str),
    /// By this function, which also gets the time.
    By(fn(&Object, i64) -> Value),
}

const NONE: &str = "<none>";
const UNSET: &str = "<unset>";

/// Returns the columns of `kind`.
pub(super) fn columns(kind: &GroupVersionKind) -> &'static [Column] {
    let is_builtin = !kind.group.contains('.') || kind.group.ends_with(".k8s.io");
    let found = kinds::TABLE.iter().find(|(name, _)| is_builtin && *kind.kind == **name);
    found.map_or(OTHERS, |(_, columns)| columns)
}

impl Column {
    const fn new(name: &'static str, cell: Cell) -> Self {
        let kind = match cell {
            Cell::Number(_) | Cell::Count(_) => "integer",
            Cell::Flag(_) => "boolean",
            Cell::Created => "date",
            _ => "string",
        };
        Self { name, kind, priority: 0, cell }
    }

    /// A column of text.
    const fn text(name: &'static str, path: &'static str) -> Self {
        Self::new(name, Cell::Text(path, ""))
    }

    /// A column of text, or of `other` where there is none.
    const fn text_or(name: &'static str, path: &'static str, other: &'static str) -> Self {
        Self::new(name, Cell::Text(path, other))
    }

    const fn number(name: &'static str, path: &'static str) -> Self {
        Self::new(name, Cell::Number(path))
    }

    const fn by(name: &'static str, cell: fn(&Object, i64) -> Value) -> Self {
        Self::new(name, Cell::By(cell))
    }

    /// A column that is printed only with `-o wide`.
    const fn wide(self) -> Self {
        Self { priority: 1, ..self }
    }

    const fn of_kind(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }

    pub(super) fn format(&self) -> &'static str {
        if self.name == "Name" { "name" } else { "" }
    }

    pub(super) fn cell(&self, object: &Object, now: i64) -> Value {
        let steps = |path: &'static str| path.split('.').collect::<Vec<_>>();
        match self.cell {
            Cell::Name => object.name().into(),
            Cell::Age => age(object, now).into(),
            Cell::Created => object.text(["metadata", "creationTimestamp"]).into(),
            Cell::Text(path, other) => or(object.text(&steps(path)[..]), other),
            Cell::Number(path) => object.int(&steps(path)[..]).into(),
            Cell::Flag(path) => object.flag(&steps(path)[..]).into(),
            Cell::Count(path) => object.list(&steps(path)[..]).len().into(),
            Cell::Labels(path) => {
                let pairs = pairs(object.at(&steps(path)[..])).map(|(key, value)| format!("{key}={value}"));
                or(&pairs.collect::<Vec<_>>().join(","), NONE)
            }
            Cell::Selector(path) => match object.at(&steps(path)[..]).map(Selector::from_label_selector) {
                Some(Ok(selector)) => or(&selector.to_string(), NONE),
                Some(Err(_)) => "<error>".into(),
                None => NONE.into(),
            },
            Cell::Containers(path, field) => {
                let containers = object.items(&steps(path)[..]).map(|container| container.text(field));
                containers.collect::<Vec<_>>().join(",").into()
            }
            Cell::By(cell) => cell(object, now),
        }
    }
}

/// The first and the last column of custom resources.
pub(super) static NAME_AND_AGE: [Column; 2] = [NAME, AGE];

const NAME: Column = Column::new("Name", Cell::Name);
const AGE: Column = Column::new("Age", Cell::Age);

/// The columns of kinds that have none of their own.
///
/// Source: `rest.NewDefaultTableConvertor`
const OTHERS: &[Column] = &[NAME, Column::new("Created At", Cell::Created)];

/// Returns `text`, or `other` if it is empty.
fn or(text: &str, other: &str) -> Value {
    if text.is_empty() { other.into() } else { text.into() }
}

/// Returns the first items, and how many follow them.
fn some(all: &[String], most: usize, separator: &str) -> String {
    let shown = all[..all.len().min(most)].join(separator);
    if all.len() > most { format!("{shown} + {} more...", all.len() - most) } else { shown }
}

/// Returns the condition of this type.
fn condition<'a>(object: &'a Object, kind: &str) -> Option<&'a kube_api::Map> {
    object.items(["status", "conditions"]).find(|condition| condition.text("type") == kind)
}

/// Returns what a row says about a Pod that has ended.
pub(super) fn row_conditions(object: &Object) -> Vec<Value> {
    if &*object.kind.kind != "Pod" || !object.kind.group.is_empty() {
        return Vec::new();
    }
    let (reason, message) = match object.text(["status", "phase"]) {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return Vec::new(),
    };
    vec![json!({"type": "Completed", "status": "True", "reason": reason, "message": message})]
}

#[cfg(test)]
mod tests;
