//! What OpenAPI says of fields beyond their types: `published.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use crate::document::{Documents, referred, texts};
use crate::fields::published_fields;
use crate::join::{Entry, Names};
use crate::notes::{Notes, Package, Type};
use crate::release::MADE_BY;

const HEAD: &str = "\
# What OpenAPI documents say of fields, where the field tables do not say it. By default a field is required unless it is
# `omitempty`, and a value that is no pointer has its zero value as default if it is required, a struct always. `values`
# are those of a named type, `union` the field that chooses and the fields that are chosen.
";

/// Writes the table, and names what it cannot say.
pub(crate) fn table(documents: &Documents, notes: &Notes) -> (String, Vec<String>) {
    let names = Names::new(notes);
    let mut found = Found::default();
    for package in &notes.packages {
        for (name, known) in &package.types {
            let full = format!("{}.{name}", package.published);
            let Some(definition) = documents.definitions.get(&full) else { continue };
            found.structure(&names, package, name, known, definition);
        }
    }
    let mut text = format!("# openapi-v{}.json and data/go; {MADE_BY}\n{HEAD}\n", documents.release);
    for line in &found.lines {
        let _ = writeln!(text, "{line}");
    }
    for (name, values) in &found.values {
        let values: Vec<_> = values.iter().map(Value::to_string).collect();
        let _ = writeln!(text, "values {name} [{}]", values.join(","));
    }
    (text, found.problems)
}

#[derive(Default)]
struct Found {
    lines: Vec<String>,
    values: BTreeMap<String, Vec<Value>>,
    /// The named types that some field has without values.
    open: BTreeSet<String>,
    problems: Vec<String>,
}

impl Found {
    fn structure(&mut self, names: &Names, package: &Package, name: &str, known: &Type, definition: &Value) {
        let place = format!("{}.{name}", package.name);
        let required = texts(&definition["required"]);
        for (field, words) in published_fields(names, package, known) {
            let entry = Entry::of(names, package, definition, field);
            // The field tables name the problem.
            let Ok(entry) = entry.and_then(|entry| entry.with(names, package, words)) else { continue };
            let schema = &definition["properties"][field];
            let is_required = required.contains(&field);
            if is_required == entry.is_omitted() {
                let word = if is_required { "required" } else { "optional" };
                self.lines.push(format!("{word} {place} {field}"));
            }
            if schema["default"] != zero(&entry, schema) {
                self.lines.push(format!("default {place} {field} {}", schema["default"]));
            }
            self.enumeration(names, package, &format!("{place}.{field}"), &entry, schema);
        }
        for union in definition["x-kubernetes-unions"].as_array().into_iter().flatten() {
            let chosen = union["fields-to-discriminateBy"].as_object();
            let chosen: Vec<_> = chosen.into_iter().flatten().map(|(field, _)| field.as_str()).collect();
            let by = union["discriminator"].as_str().unwrap_or("-");
            self.lines.push(format!("union {place} {by} {}", chosen.join(" ")));
        }
    }

    /// Records the values of the type of a field or of its items.
    fn enumeration(&mut self, names: &Names, package: &Package, place: &str, entry: &Entry, schema: &Value) {
        let mut schema = schema;
        while let Some(item) =
            [&schema["items"], &schema["additionalProperties"]].iter().find(|item| item.is_object())
        {
            schema = item;
        }
        let named = names.named(package, entry.base());
        let Some(values) = schema["enum"].as_array() else {
            self.problems.extend(
                named
                    .iter()
                    .filter(|named| self.values.contains_key(*named))
                    .map(|named| format!("{place}: {named} has values elsewhere")),
            );
            self.open.extend(named);
            return;
        };
        let Some(named) = named else {
            self.problems.push(format!("{place}: it has values, and its type no name"));
            return;
        };
        let is_known = self.values.get(&named).is_none_or(|known| known == values);
        if self.open.contains(&named) || !is_known {
            self.problems.push(format!("{place}: {named} has other values elsewhere"));
        }
        self.values.insert(named, values.clone());
    }
}

/// Returns the default that a field has unless it is said.
fn zero(entry: &Entry, schema: &Value) -> Value {
    if entry.is_pointer() {
        return Value::Null;
    }
    if let Some(full) = referred(schema) {
        let is_whole = ["Time", "MicroTime", "Duration", "Quantity", "IntOrString", "RawExtension"];
        let is_struct = !full.rsplit('.').next().is_some_and(|name| is_whole.contains(&name));
        return if is_struct { serde_json::json!({}) } else { Value::Null };
    }
    match schema["type"].as_str() {
        _ if entry.is_omitted() => Value::Null,
        Some("string") if schema["format"] != "byte" => "".into(),
        Some("integer" | "number") => 0.into(),
        Some("boolean") => false.into(),
        _ => Value::Null,
    }
}
