//! The field tables: OpenAPI's properties, in the order and with the marks of the Go structs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use serde_json::Value;

use crate::document::Documents;
use crate::join::{Entry, Names};
use crate::notes::{Line, Notes, Package, Type, write_all};
use crate::release::MADE_BY;

/// An entry that OpenAPI has and the notes lack, in its likely form.
pub(crate) struct Likely {
    pub(crate) package: String,
    pub(crate) owner: String,
    pub(crate) lines: Vec<Line>,
}

impl fmt::Display for Likely {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = String::new();
        write_all(&self.lines, &mut lines);
        write!(formatter, "{}.{}, likely:\n{}", self.package, self.owner, lines.trim_end())
    }
}

/// The tables and the errors in them.
#[derive(Default)]
pub(crate) struct Tables {
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) problems: Vec<String>,
    pub(crate) likely: Vec<Likely>,
}

/// Joins the documents with the notes.
pub(crate) fn tables(documents: &Documents, notes: &Notes) -> Tables {
    let join = Join { documents, names: Names::new(notes), inliners: inliners(notes) };
    let mut tables = Tables::default();
    let mut index = format!(
        "// {MADE_BY}\n/// The tables, one per Go package.\npub(super) static FILES: [File; {}] = [\n",
        notes.packages.len()
    );
    for package in &notes.packages {
        tables.package(&join, package);
        let file = package.file();
        let _ = match &package.group {
            Some(group) => {
                writeln!(
                    index,
                    "    File::new({group:?}, {:?}, include_str!(\"fields/{file}\")),",
                    package.name
                )
            }
            None => writeln!(
                index,
                "    File::of_configuration({:?}, include_str!(\"fields/{file}\")),",
                package.name
            ),
        };
    }
    index.push_str("];\n");
    tables.files.insert("fields.rs".to_owned(), index);
    tables.missing_types(&join, notes);
    tables
}

struct Join<'a> {
    documents: &'a Documents,
    names: Names<'a>,
    /// The structs that have the fields of another one, by its package and name.
    inliners: BTreeMap<(String, String), Vec<(&'a Package, &'a str)>>,
}

fn inliners(notes: &Notes) -> BTreeMap<(String, String), Vec<(&Package, &str)>> {
    let mut inliners: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for package in &notes.packages {
        for (owner, found) in &package.types {
            let Type::Struct { lines, unpublished: false, .. } = found else { continue };
            for line in lines {
                if let Line::Inlined(path) = line {
                    inliners.entry(located(package, path)).or_default().push((package, owner.as_str()));
                }
            }
        }
    }
    inliners
}

/// Returns the package and the name that `path` refers to within `package`.
fn located(package: &Package, path: &str) -> (String, String) {
    match path.rsplit_once('.') {
        Some((package, name)) => (package.to_owned(), name.to_owned()),
        None => (package.name.clone(), path.to_owned()),
    }
}

impl<'a> Join<'a> {
    /// Returns the definition of a struct, or those of the structs that have its fields.
    fn definitions(&self, package: &Package, name: &str) -> Vec<&'a Value> {
        if let Some(own) = self.documents.definitions.get(&format!("{}.{name}", package.published)) {
            return vec![own];
        }
        let around = self.inliners.get(&(package.name.clone(), name.to_owned()));
        let around = around.into_iter().flatten();
        around.flat_map(|(package, owner)| self.definitions(package, owner)).collect()
    }
}

impl Tables {
    fn package(&mut self, join: &Join, package: &Package) {
        let document = format!("openapi-v{}.json", join.documents.release);
        let mut text = format!("# {} and {document}; {MADE_BY}\n", package.source);
        for (name, found) in &package.types {
            text.push('\n');
            match found {
                Type::Alias(expression) => {
                    let _ = writeln!(text, "{name} = {expression}");
                }
                Type::Struct { unpublished: true, atomic, lines } => {
                    if join.documents.definitions.contains_key(&format!("{}.{name}", package.published)) {
                        self.problems
                            .push(format!("{}.{name}: `unpublished`, but OpenAPI has it", package.name));
                    }
                    let _ = writeln!(text, "{name}{}", if *atomic { " atomic" } else { "" });
                    write_all(lines, &mut text);
                }
                Type::Struct { lines, .. } => self.structure(join, package, name, lines, &mut text),
            }
        }
        self.files.insert(format!("fields/{}", package.file()), text);
    }

    fn structure(&mut self, join: &Join, package: &Package, name: &str, lines: &[Line], text: &mut String) {
        let place = format!("{}.{name}", package.name);
        let definitions = join.definitions(package, name);
        let Some(first) = definitions.first() else {
            self.problems.push(format!("{place}: OpenAPI has neither it nor a type with its fields"));
            return;
        };
        let atomic = first["x-kubernetes-map-type"] == "atomic";
        let _ = writeln!(text, "{name}{}", if atomic { " atomic" } else { "" });
        for line in lines {
            match line {
                Line::Inlined(_) => line.write(text),
                Line::Field(field, words) => {
                    match field_line(&join.names, package, &definitions, field, words) {
                        Ok(line) => {
                            let _ = writeln!(text, "  {field} {line}");
                        }
                        Err(problem) => self.problems.push(format!("{place}.{field}: {problem}")),
                    }
                }
            }
        }
        if join.documents.definitions.contains_key(&format!("{}.{name}", package.published)) {
            let found = &package.types[name];
            let known = published_fields(&join.names, package, found).into_iter().map(|(field, _)| field);
            let known = known.collect();
            self.missing(join, package, name, first, &known);
        }
    }

    /// Records the properties of `definition` that are not `known`.
    fn missing(
        &mut self,
        join: &Join,
        package: &Package,
        owner: &str,
        definition: &Value,
        known: &BTreeSet<&str>,
    ) {
        let properties = definition["properties"].as_object().into_iter().flatten();
        let lines: Vec<_> = properties
            .filter(|(field, _)| !known.contains(field.as_str()))
            .map(|(field, _)| {
                let entry = Entry::of(&join.names, package, definition, field);
                let entry = entry.map_or_else(|problem| problem, |entry| entry.to_string());
                self.problems.push(format!(
                    "{}.{owner}.{field}: OpenAPI has it, the notes lack it; likely `{entry}`",
                    package.name
                ));
                Line::Field(field.clone(), vec!["?".to_owned()])
            })
            .collect();
        if !lines.is_empty() {
            self.likely.push(Likely { package: package.name.clone(), owner: owner.to_owned(), lines });
        }
    }

    /// Records the definitions that have no type.
    fn missing_types(&mut self, join: &Join, notes: &Notes) {
        let left_out: BTreeSet<_> = notes.left_out.lines().collect();
        for (full, definition) in &join.documents.definitions {
            let Some((path, name)) = full.rsplit_once('.') else { continue };
            if left_out.contains(full.as_str()) || is_list(name, definition) {
                continue;
            }
            match notes.packages.iter().find(|package| package.published == path) {
                None => self.problems.push(format!("{full}: data/go/fields has no file of its package")),
                Some(package) if !package.types.contains_key(name) => {
                    self.missing(join, package, name, definition, &BTreeSet::new());
                }
                Some(_) => {}
            }
        }
        for name in left_out {
            if !join.documents.definitions.contains_key(name) {
                self.problems.push(format!("{name}: left out, and OpenAPI does not have it"));
            }
        }
    }
}

pub(crate) fn is_list(name: &str, definition: &Value) -> bool {
    let properties = definition["properties"].as_object();
    name.ends_with("List")
        && properties.is_some_and(|properties| {
            properties.keys().eq(["apiVersion", "items", "kind", "metadata"].iter().copied())
        })
}

/// Returns the line of a field that each of `definitions` has.
fn field_line(
    names: &Names,
    package: &Package,
    definitions: &[&Value],
    field: &str,
    words: &[String],
) -> Result<String, String> {
    let mut found: Option<Entry> = None;
    for definition in definitions {
        let entry = Entry::of(names, package, definition, field)?.with(names, package, words)?;
        match &found {
            Some(found) if *found != entry => {
                return Err(format!("the types that have it differ: `{found}` and `{entry}`"));
            }
            _ => found = Some(entry),
        }
    }
    found.map(|entry| entry.to_string()).ok_or_else(|| "no definition".to_owned())
}

/// Returns the fields of a struct with their marks from Go, those of inlined structs in their place.
pub(crate) fn published_fields<'a>(
    names: &Names<'a>,
    package: &'a Package,
    found: &'a Type,
) -> Vec<(&'a str, &'a [String])> {
    let Type::Struct { lines, .. } = found else { return Vec::new() };
    let mut fields = Vec::new();
    for line in lines {
        match line {
            Line::Field(name, words) => fields.push((name.as_str(), words.as_slice())),
            Line::Inlined(path) => {
                let (around, name) = located(package, path);
                if let Some((package, found)) = names.find(&around, &name) {
                    fields.extend(published_fields(names, package, found));
                }
            }
        }
    }
    fields
}
