//! The history of the releases: the resources, types and fields that were added or removed, compared with those of the
//! release.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::document::{Documents, referred, texts};
use crate::fields::{is_list, published_fields};
use crate::join::{Entry, Names};
use crate::notes::{Notes, Package, Type};
use crate::release::{MADE_BY, api_version};
use crate::resources;

/// Returns the tables of resources and of fields, and the contradictions between the history and the documents of the
/// release.
pub(crate) fn tables(documents: &Documents, notes: &Notes) -> (String, String, Vec<String>) {
    let mut problems = Vec::new();
    let last = texts(&documents.history["releases"]).last().copied().unwrap_or_default();
    if last != documents.release {
        problems.push(format!("history.json ends with {last}, the documents are of {}", documents.release));
    }
    let resources = resources(documents, &mut problems);
    let fields = fields(documents, notes, &mut problems);
    (resources, fields, problems)
}

/// Returns `1.14-1.21`, without the end that is open.
fn span(of: &Value) -> String {
    let end = |key: &str| of[key].as_str().unwrap_or_default();
    format!("{}-{}", end("since"), end("until"))
}

fn resources(documents: &Documents, problems: &mut Vec<String>) -> String {
    let mut text = format!("# history.json; {MADE_BY}\n");
    text.push_str(
        "# Version, resource and the releases that can serve it. What the release has no more is whole: kind, singular\n\
         # name, scope, where it is served by default, verbs, short names. `since:` has verbs that came later. Below it\n\
         # subresources in the same way. What is not here is as it is in the release, in every one.\n\n",
    );
    let key = |resource: &Value| {
        let word = |key: &str| resource[key].as_str().unwrap_or_default().to_owned();
        (word("group"), word("version"), word("resource"))
    };
    let current: BTreeMap<_, _> =
        documents.resources.iter().map(|resource| (key(resource), resource)).collect();
    let mut lived = BTreeSet::new();
    for resource in documents.history["resources"].as_array().into_iter().flatten() {
        let key = key(resource);
        let name = format!("{} {}", api_version(&key.0, &key.1), key.2);
        let now = current.get(&key).copied();
        if now.is_some() != resource["until"].is_null() {
            problems
                .push(format!("{name}: history.json and the documents differ about whether it is served"));
        }
        if now.is_some_and(|now| resource["served_by_default"] != (now["served"] == "default")) {
            problems
                .push(format!("{name}: history.json and the documents differ about what is on by default"));
        }
        let mut line = format!("{name} {}", span(resource));
        if now.is_none() {
            line.push_str(&whole(resource, documents));
        }
        line.push_str(&later_verbs(resource));
        let mut below = String::new();
        for subresource in resource["subresources"].as_array().into_iter().flatten() {
            let is_same = |found: &Value| {
                ["name", "group", "version", "kind"].iter().all(|key| found[*key] == subresource[*key])
            };
            let now = now.and_then(|now| now["subresources"].as_array()?.iter().find(|found| is_same(found)));
            let (lived, verbs) = (span(subresource), later_verbs(subresource));
            if now.is_some() && lived == "-" && verbs.is_empty() {
                continue;
            }
            let word = |key: &str| subresource[key].as_str().unwrap_or_default();
            let _ = write!(below, "  {} {lived}", word("name"));
            if now.is_none() {
                let version = api_version(word("group"), word("version"));
                let _ = write!(below, " {version} {} {}", word("kind"), resources::verbs(subresource));
            }
            let _ = writeln!(below, "{verbs}");
        }
        if now.is_none() || !below.is_empty() || line != format!("{name} -") {
            let _ = write!(text, "{line}\n{below}");
        }
        lived.insert(key);
    }
    for (group, version, resource) in current.keys().filter(|key| !lived.contains(*key)) {
        problems.push(format!("{} {resource}: history.json lacks it", api_version(group, version)));
    }
    text
}

/// Returns the description of a resource that the release no longer has. Its short names are those of the resource with
/// its name today.
fn whole(resource: &Value, documents: &Documents) -> String {
    let kind = resource["kind"].as_str().unwrap_or_default();
    let scope = if resource["namespaced"] == true { "namespaced" } else { "cluster" };
    let served = match &resource["served_by_default"] {
        Value::Bool(true) => "default".to_owned(),
        Value::Bool(false) => "runtime-config".to_owned(),
        lived => format!("default:{}", span(lived)),
    };
    let heir = documents.resources.iter().find(|found| found["resource"] == resource["resource"]);
    let short_names = heir.map(|heir| texts(&heir["shortNames"]).join(",")).unwrap_or_default();
    let space = if short_names.is_empty() { "" } else { " " };
    let verbs = resources::verbs(resource);
    format!(" {kind} {} {scope} {served} {verbs}{space}{short_names}", kind.to_lowercase())
}

fn later_verbs(of: &Value) -> String {
    let verbs = of["verb_since"].as_object().into_iter().flatten();
    let verbs: Vec<_> =
        verbs.map(|(verb, since)| format!("{verb}@{}", since.as_str().unwrap_or_default())).collect();
    if verbs.is_empty() { String::new() } else { format!(" since:{}", verbs.join(",")) }
}

fn fields(documents: &Documents, notes: &Notes, problems: &mut Vec<String>) -> String {
    let mut text = format!("# history.json, openapi-v{}.json and data/go; {MADE_BY}\n", documents.release);
    text.push_str(
        "# A package begins with `=`, its name and its group. A type has the releases that had it, its fields those that\n\
         # had them; a field with a type is one that the release has no more, or what it was before. Types that are gone\n\
         # have the order and the marks of the type that has their name now, or else likely ones: OpenAPI says neither.\n",
    );
    let gone = gone_packages(documents, notes);
    let names = Names::with_gone(notes, &gone);
    let past = Past { documents, notes, names, kinds: kinds(documents) };
    let left_out: BTreeSet<_> = notes.left_out.lines().collect();
    let mut by_package: BTreeMap<&str, Vec<(&str, &str, &Value)>> = BTreeMap::new();
    for (full, found) in documents.history["types"].as_object().into_iter().flatten() {
        let (path, name) = full.rsplit_once('.').unwrap_or_default();
        let is_gone = !found["until"].is_null();
        if is_gone == documents.definitions.contains_key(full) {
            problems.push(format!("{full}: history.json and OpenAPI differ about whether it is there"));
        }
        if !left_out.contains(full.as_str()) && !is_past_list(name, found, documents.definitions.get(full)) {
            by_package.entry(path).or_default().push((full, name, found));
        }
    }
    for (path, types) in by_package {
        let Some(package) = notes.packages.iter().chain(&gone).find(|package| package.published == path)
        else {
            problems.push(format!("{path}: no package of the history is called so"));
            continue;
        };
        let group =
            package.group.as_deref().map_or("", |group| if group.is_empty() { "core" } else { group });
        let _ = writeln!(text, "\n= {} {group}", package.name);
        for (full, name, found) in types {
            match past.history(package, full, name, found) {
                Ok(paragraph) => text.push_str(&paragraph),
                Err(problem) => problems.push(format!("{full}: {problem}")),
            }
        }
        let start = format!("{}.", package.name);
        let aliases = notes.gone.lines().filter(|line| line.contains(" = "));
        aliases.filter_map(|line| line.strip_prefix(&start)).for_each(|line| text.extend([line, "\n"]));
    }
    text
}

fn is_past_list(name: &str, found: &Value, definition: Option<&Value>) -> bool {
    match definition {
        Some(definition) => is_list(name, definition),
        None => is_list(name, &serde_json::json!({"properties": found["fields"]})),
    }
}

/// Returns the packages that the release no longer has.
fn gone_packages(documents: &Documents, notes: &Notes) -> Vec<Package> {
    let mut packages: BTreeMap<&str, Package> = BTreeMap::new();
    for (full, _) in documents.history["types"].as_object().into_iter().flatten() {
        let (path, name) = full.rsplit_once('.').unwrap_or_default();
        if notes.packages.iter().any(|package| package.published == path) {
            continue;
        }
        let package = packages.entry(path).or_insert_with(|| Package::gone(path, group(documents, path)));
        package.types.insert(name.to_owned(), Type::published());
    }
    packages.into_values().collect()
}

/// Returns the API group of the resources that are defined in a package.
fn group(documents: &Documents, path: &str) -> Option<String> {
    let resources = documents.history["resources"].as_array().into_iter().flatten();
    let mut of_package = resources.filter(|resource| {
        let definition = resource["definition"].as_str().and_then(|full| full.rsplit_once('.'));
        definition.is_some_and(|(found, _)| found == path)
    });
    of_package.next()?["group"].as_str().map(str::to_owned)
}

/// Returns the definitions of kinds, that resources and subresources name: group, version and kind.
fn kinds(documents: &Documents) -> BTreeSet<(String, String, String)> {
    let mut kinds = BTreeSet::new();
    for resource in documents.history["resources"].as_array().into_iter().flatten() {
        let below = resource["subresources"].as_array().into_iter().flatten();
        for found in std::iter::once(resource).chain(below) {
            let word = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
            kinds.insert((word("group"), word("version"), word("kind")));
        }
    }
    kinds
}

struct Past<'a> {
    documents: &'a Documents,
    notes: &'a Notes,
    names: Names<'a>,
    kinds: BTreeSet<(String, String, String)>,
}

impl Past<'_> {
    /// Returns the paragraph of a type: its head, and its fields that have a history.
    fn history(&self, package: &Package, full: &str, name: &str, found: &Value) -> Result<String, String> {
        let empty = Map::new();
        let fields = found["fields"].as_object().unwrap_or(&empty);
        let mut text = format!("{name} {}", span(found));
        if let Some(definition) = self.documents.definitions.get(full) {
            let mut lines = String::new();
            for (field, history) in fields {
                self.field((package, name), Some(definition), None, (field, history), &mut lines)?;
            }
            return Ok(if lines.is_empty() && span(found) == "-" {
                String::new()
            } else {
                format!("{text}\n{lines}")
            });
        }
        let heir = self.heir(package, name, fields);
        if fields.is_empty() {
            match heir {
                Some((_, Type::Alias(expression), _)) => {
                    let _ = write!(text, " = {expression}");
                }
                Some(_) => {}
                None => text.push_str(" = json"),
            }
            return Ok(format!("{text}\n"));
        }
        if heir.is_some_and(|(_, _, now)| now["x-kubernetes-map-type"] == "atomic") {
            text.push_str(" atomic");
        }
        text.push('\n');
        let is_kind = self.is_kind(package, name, fields);
        if is_kind {
            text.push_str("  + meta/v1.TypeMeta\n");
        }
        let order = heir.map(|(package, found, _)| published_fields(&self.names, package, found));
        let place = |field: &str| {
            let known = order.as_ref().and_then(|order| order.iter().position(|(known, _)| *known == field));
            known.unwrap_or(usize::MAX)
        };
        let mut names: Vec<_> = fields.keys().map(String::as_str).collect();
        names.retain(|field| !(is_kind && ["apiVersion", "kind"].contains(field)));
        names.sort_by_key(|field| place(field));
        for field in names {
            self.field((package, name), None, heir, (field, &fields[field]), &mut text)?;
        }
        Ok(text)
    }

    /// Returns the lines of one field: its former forms, then the releases with the current one.
    fn field(
        &self,
        (package, name): (&Package, &str),
        current: Option<&Value>,
        heir: Option<(&Package, &Type, &Value)>,
        (field, history): (&str, &Value),
        lines: &mut String,
    ) -> Result<(), String> {
        let mut since = history["since"].as_str().unwrap_or_default().to_owned();
        for before in history["was"].as_array().into_iter().flatten() {
            let until = before["until"].as_str().unwrap_or_default();
            let entry = self.entry(package, heir, field, &before["type"], history)?;
            let entry = self.with_notes(package, name, field, &entry.to_string());
            let _ = writeln!(lines, "  {field} {since}-{until} {entry}");
            let minor: u32 =
                until.trim_start_matches("1.").parse().map_err(|_| format!("release {until}"))?;
            since = format!("1.{}", minor + 1);
        }
        let until = history["until"].as_str().unwrap_or_default();
        let is_there = current.is_some_and(|current| !current["properties"][field].is_null());
        if is_there {
            let _ = writeln!(lines, "  {field} {since}-{until}");
        } else {
            let entry = self.entry(package, heir, field, &history["type"], history)?;
            let entry = self.with_notes(package, name, field, &entry.to_string());
            let _ = writeln!(lines, "  {field} {since}-{until} {entry}");
        }
        Ok(())
    }

    /// Returns the entry as Go had it, if the notes have the field: a pointer, `written` even when unset, or of a named
    /// type.
    fn with_notes(&self, package: &Package, name: &str, field: &str, entry: &str) -> String {
        let full = format!("{}.{name}.{field}", package.name);
        let noted = self.notes.gone.lines().find_map(|line| {
            let (path, word) = line.split_once(' ').unwrap_or((line, ""));
            (path == full).then_some(word)
        });
        let (of, marks) = entry.split_once(' ').unwrap_or((entry, ""));
        let of = of.trim_start_matches('*');
        match noted {
            None => entry.to_owned(),
            Some("") => format!("*{of} {marks}").trim_end().to_owned(),
            Some("written") => {
                format!("*{of} {}", marks.trim_start_matches("omitempty")).trim_end().to_owned()
            }
            Some(named) => format!("{named} {marks}").trim_end().to_owned(),
        }
    }

    /// Returns the likely entry of a field that is gone, or its entry in the type that has the name today.
    fn entry(
        &self,
        package: &Package,
        heir: Option<(&Package, &Type, &Value)>,
        field: &str,
        schema: &Value,
        history: &Value,
    ) -> Result<Entry, String> {
        let mut schema = schema.clone();
        let is_required = history["required"] == true;
        // The usual parts of an object are always present; other structs are unknown.
        if referred(&schema).is_some()
            && (is_required
                || ["metadata", "spec", "status", "template", "loadBalancer", "resources"].contains(&field))
        {
            schema["default"] = serde_json::json!({});
        }
        let required: &[&str] = if is_required { &[field] } else { &[] };
        let mut properties = Map::new();
        properties.insert(field.to_owned(), schema);
        let definition = serde_json::json!({"properties": properties, "required": required});
        let entry = Entry::of(&self.names, package, &definition, field)?;
        let Some((heir, found, now)) = heir else { return Ok(entry) };
        let fields = published_fields(&self.names, heir, found);
        let Some((_, words)) = fields.iter().find(|(known, _)| *known == field) else { return Ok(entry) };
        let Ok(of_heir) = Entry::of(&self.names, heir, now, field) else { return Ok(entry) };
        Ok(match of_heir.with(&self.names, heir, words) {
            Ok(of_heir) => entry.like(&self.names, package, &of_heir, heir),
            Err(_) => entry,
        })
    }

    fn is_kind(&self, package: &Package, name: &str, fields: &Map<String, Value>) -> bool {
        let group = package.group.clone().unwrap_or_default();
        let version = package.name.rsplit('/').next().unwrap_or_default().to_owned();
        let has = |field: &str| fields.contains_key(field);
        has("apiVersion")
            && has("kind")
            && (has("metadata") || self.kinds.contains(&(group, version, name.to_owned())))
    }

    /// Returns the type of the release that has the name today: of the same group, or the one with most of its fields.
    fn heir(
        &self,
        package: &Package,
        name: &str,
        fields: &Map<String, Value>,
    ) -> Option<(&Package, &Type, &Value)> {
        let base = |package: &Package| package.name.split('/').next().unwrap_or_default().to_owned();
        let null = &Value::Null;
        let mut found: Vec<_> = self
            .notes
            .packages
            .iter()
            .filter(|found| found.group.is_some())
            .filter_map(|found| {
                let definition = self.documents.definitions.get(&format!("{}.{name}", found.published));
                let kind = found.types.get(name)?;
                let properties = definition.and_then(|definition| definition["properties"].as_object());
                let has = |field: &&String| properties.is_some_and(|known| known.contains_key(*field));
                let common = fields.keys().filter(has).count();
                let is_same_group = base(found) == base(package);
                (is_same_group || common * 2 > fields.len()).then_some((
                    is_same_group,
                    common,
                    found,
                    kind,
                    definition.unwrap_or(null),
                ))
            })
            .collect();
        found.sort_by_key(|(is_same_group, common, ..)| (!is_same_group, usize::MAX - common));
        found.first().map(|(_, _, package, kind, definition)| (*package, *kind, *definition))
    }
}
