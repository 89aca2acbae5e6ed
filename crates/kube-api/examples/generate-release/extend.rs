//! Extends the history by one release: the differences between two consecutive releases.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::document::{Documents, texts};

/// Adds to the history of `old` the additions and removals of `new`. Returns the changes that it cannot express.
pub(crate) fn extend(old: &Documents, new: &Documents) -> (Value, Vec<String>) {
    let mut history = old.history.clone();
    let mut step = Step { old, new, problems: Vec::new() };
    if let Some(releases) = history["releases"].as_array_mut() {
        releases.push(json!(new.release));
    }
    step.resources(&mut history["resources"]);
    if let Some(types) = history["types"].as_object_mut() {
        step.types(types);
    }
    (history, step.problems)
}

/// Returns the text of a history: one line per resource and per type.
pub(crate) fn text(history: &Value) -> String {
    let mut text = format!("{{\"releases\":{},\n\"resources\":[\n", history["releases"]);
    let resources = history["resources"].as_array().map(Vec::as_slice).unwrap_or_default();
    text.push_str(&resources.iter().map(Value::to_string).collect::<Vec<_>>().join(",\n"));
    text.push_str("\n],\n\"types\":{\n");
    let types = history["types"].as_object().into_iter().flatten();
    let lines: Vec<_> = types.map(|(name, found)| format!("{}:{found}", json!(name))).collect();
    let _ = writeln!(text, "{}\n}}}}", lines.join(",\n"));
    text
}

struct Step<'a> {
    old: &'a Documents,
    new: &'a Documents,
    problems: Vec<String>,
}

/// The key that distinguishes resources and subresources.
type Key = [String; 4];

fn key(of: &Value) -> Key {
    ["group", "version", "resource", "name"].map(|word| of[word].as_str().unwrap_or_default().to_owned())
}

/// Returns the key of a subresource, which includes its kind.
fn key_below(of: &Value) -> Key {
    ["group", "version", "kind", "name"].map(|word| of[word].as_str().unwrap_or_default().to_owned())
}

fn by_key(list: &Value, key: impl Fn(&Value) -> Key) -> BTreeMap<Key, &Value> {
    list.as_array().into_iter().flatten().map(|found| (key(found), found)).collect()
}

impl Step<'_> {
    fn resources(&mut self, history: &mut Value) {
        let of = |documents: &Documents| Value::from(documents.resources.clone());
        let (old, new) = (of(self.old), of(self.new));
        let (old, new) = (by_key(&old, key), by_key(&new, key));
        let Some(history) = history.as_array_mut() else { return };
        for found in history.iter_mut().filter(|found| found["until"].is_null()) {
            match (old.get(&key(found)), new.get(&key(found))) {
                (Some(_), None) => found["until"] = json!(self.old.release),
                (Some(old), Some(new)) => self.changed(found, old, new),
                _ => self.problems.push(format!(
                    "{:?}: not in the documents of {}",
                    key(found),
                    self.old.release
                )),
            }
        }
        for (_, found) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
            let mut added = (*found).clone();
            let word = |key: &str| found[key].as_str().unwrap_or_default();
            let kind = json!({"group": word("group"), "version": word("version"), "kind": word("kind")});
            let definition = self.new.definitions.iter().find(|(_, definition)| {
                let kinds = definition["x-kubernetes-group-version-kind"].as_array();
                kinds.is_some_and(|kinds| kinds.contains(&kind))
            });
            added["definition"] = json!(definition.map(|(name, _)| name));
            added["since"] = json!(self.new.release);
            added["until"] = Value::Null;
            added["served_by_default"] = json!(found["served"] == "default");
            if let Some(added) = added.as_object_mut() {
                for key in ["served", "shortNames", "singular"] {
                    added.remove(key);
                }
            }
            history.push(added);
        }
    }

    /// Records the changes of a resource that both releases have.
    fn changed(&mut self, found: &mut Value, old: &Value, new: &Value) {
        if old["served"] != new["served"] {
            self.problems.push(format!(
                "{:?}: {} by default before, now {}",
                key(new),
                old["served"],
                new["served"]
            ));
        }
        self.verbs(found, old, new);
        let (old, new) = (by_key(&old["subresources"], key_below), by_key(&new["subresources"], key_below));
        let Some(below) = found["subresources"].as_array_mut() else { return };
        for found in below.iter_mut().filter(|found| found["until"].is_null()) {
            match (old.get(&key_below(found)), new.get(&key_below(found))) {
                (Some(old), Some(new)) => self.verbs(found, old, new),
                _ => found["until"] = json!(self.old.release),
            }
        }
        for (_, found) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
            let mut added = (*found).clone();
            added["since"] = json!(self.new.release);
            below.push(added);
        }
    }

    fn verbs(&mut self, found: &mut Value, old: &Value, new: &Value) {
        let (before, now) = (texts(&old["verbs"]), texts(&new["verbs"]));
        for verb in now.iter().filter(|verb| !before.contains(verb)) {
            found["verb_since"][*verb] = json!(self.new.release);
        }
        for verb in before.iter().filter(|verb| !now.contains(verb)) {
            self.problems
                .push(format!("{:?}: can no longer {verb}, for which the history has no words", key(found)));
        }
        found["verbs"] = new["verbs"].clone();
    }

    fn types(&mut self, history: &mut Map<String, Value>) {
        for (name, old) in &self.old.definitions {
            let new = self.new.definitions.get(name);
            let mut found = history
                .get(name)
                .cloned()
                .unwrap_or_else(|| json!({"since": null, "until": null, "fields": {}}));
            let before = found.clone();
            self.fields(name, &mut found["fields"], old, new);
            if new.is_none() {
                found["until"] = json!(self.old.release);
                if old["properties"].is_null() {
                    found["type"] = plain(old);
                }
            }
            if found != before {
                history.insert(name.clone(), found);
            }
        }
        for name in self.new.definitions.keys().filter(|name| !self.old.definitions.contains_key(*name)) {
            let added = json!({"since": self.new.release, "until": null, "fields": {}});
            if history.insert(name.clone(), added).is_some() {
                self.problems
                    .push(format!("{name}: it was there before, for which the history has no words"));
            }
        }
    }

    fn fields(&mut self, name: &str, found: &mut Value, old: &Value, new: Option<&Value>) {
        let empty = Map::new();
        let properties = |of: &Value| of["properties"].as_object().unwrap_or(&empty).clone();
        let (before, now) = (properties(old), new.map(properties));
        for (field, schema) in &before {
            let schema = plain(schema);
            match now.as_ref().map(|now| now.get(field).map(plain)) {
                Some(Some(now)) if now == schema => {}
                Some(Some(_)) => {
                    let was = json!({"until": self.old.release, "type": schema});
                    match found[field]["was"].as_array_mut() {
                        Some(earlier) => earlier.push(was),
                        None => found[field]["was"] = json!([was]),
                    }
                }
                // The field is gone; or its type is, and its OpenAPI definition with it.
                gone => {
                    if gone.is_some() {
                        found[field]["until"] = json!(self.old.release);
                    }
                    found[field]["type"] = schema;
                    if texts(&old["required"]).contains(&field.as_str()) {
                        found[field]["required"] = json!(true);
                    }
                }
            }
        }
        for field in now.iter().flat_map(Map::keys).filter(|field| !before.contains_key(*field)) {
            if found[field].is_null() {
                found[field] = json!({"since": self.new.release});
            } else {
                self.problems
                    .push(format!("{name}.{field}: it was there before, for which the history has no words"));
            }
        }
    }
}

/// Returns a schema as the history has it: the type alone.
fn plain(schema: &Value) -> Value {
    if let Some(full) = crate::document::referred(schema) {
        return json!({"$ref": full});
    }
    let mut kept = Map::new();
    for key in ["type", "format"] {
        if !schema[key].is_null() {
            kept.insert(key.to_owned(), schema[key].clone());
        }
    }
    for key in ["items", "additionalProperties"] {
        if schema[key].is_object() {
            kept.insert(key.to_owned(), plain(&schema[key]));
        }
    }
    Value::Object(kept)
}
