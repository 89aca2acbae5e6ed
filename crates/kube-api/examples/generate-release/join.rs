//! One field: its OpenAPI definition, corrected by that of Go.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::document::{referred, texts};
use crate::notes::{Notes, Package, Type};

/// The types of the notes by their names, also by those of OpenAPI.
pub(crate) struct Names<'a> {
    packages: BTreeMap<&'a str, &'a Package>,
    published: BTreeMap<&'a str, &'a Package>,
    /// Whether packages may have had types that the notes do not have.
    has_gone: bool,
}

/// One field in the format of the tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pointer: bool,
    /// The Go type, without the pointer.
    expression: String,
    marks: BTreeSet<Mark>,
    topology: Option<String>,
    patch: Option<String>,
}

/// The marks of a field from Go, in the order of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    OmitEmpty,
    OmitZero,
    Always,
}

/// Types that are read as a whole, by their names in OpenAPI, and those that Go packages outside the notes name.
const WHOLE: [(&str, &str); 3] = [
    ("io.k8s.apimachinery.pkg.api.resource.Quantity", "resource.Quantity"),
    ("io.k8s.apimachinery.pkg.runtime.RawExtension", "runtime.RawExtension"),
    ("io.k8s.apimachinery.pkg.util.intstr.IntOrString", "intstr.IntOrString"),
];

impl<'a> Names<'a> {
    pub(crate) fn new(notes: &'a Notes) -> Self {
        let packages = notes.packages.iter().map(|package| (package.name.as_str(), package)).collect();
        let published = notes.packages.iter().map(|package| (package.published.as_str(), package)).collect();
        Self { packages, published, has_gone: false }
    }

    /// Returns the types of the release and those that are gone.
    pub(crate) fn with_gone(notes: &'a Notes, gone: &'a [Package]) -> Self {
        let mut names = Self { has_gone: true, ..Self::new(notes) };
        names.packages.extend(gone.iter().map(|package| (package.name.as_str(), package)));
        names.published.extend(gone.iter().map(|package| (package.published.as_str(), package)));
        names
    }

    /// Returns the type `name` of `package`.
    pub(crate) fn find(&self, package: &str, name: &str) -> Option<(&'a Package, &'a Type)> {
        let package = *self.packages.get(package)?;
        Some((package, package.types.get(name)?))
    }

    /// Returns the full name of a type that has a name and is not a struct.
    pub(crate) fn named(&self, package: &Package, expression: &str) -> Option<String> {
        let (owner, name) = expression.rsplit_once('.').unwrap_or((&package.name, expression));
        let (owner, found) = self.find(owner, name)?;
        matches!(found, Type::Alias(_)).then(|| format!("{}.{name}", owner.name))
    }

    /// Returns the Go type of a schema as `package` spells it.
    fn expression(&self, package: &Package, schema: &Value) -> Result<String, String> {
        if let Some(full) = referred(schema) {
            if let Some((_, whole)) = WHOLE.iter().find(|(name, _)| *name == full) {
                return Ok((*whole).to_owned());
            }
            let (path, name) = full.rsplit_once('.').unwrap_or_default();
            let found = self.published.get(path);
            let found = found.filter(|package| self.has_gone || package.types.contains_key(name));
            let found = found.ok_or_else(|| format!("its type {full} is not in the notes"))?;
            return Ok(if found.name == package.name {
                name.to_owned()
            } else {
                format!("{}.{name}", found.name)
            });
        }
        let format = schema["format"].as_str().unwrap_or_default();
        Ok(match schema["type"].as_str() {
            Some("string") if format == "byte" => "[]byte".to_owned(),
            Some("string") => "string".to_owned(),
            Some("boolean") => "bool".to_owned(),
            Some("number") => "float64".to_owned(),
            Some("integer") if ["int32", "int64"].contains(&format) => format.to_owned(),
            Some("array") => format!("[]{}", self.expression(package, &schema["items"])?),
            Some("object") if schema["additionalProperties"].is_object() => {
                format!("map[string]{}", self.expression(package, &schema["additionalProperties"])?)
            }
            _ => return Err(format!("no Go type is known for {schema}")),
        })
    }

    /// Returns the type with its package and without names for other types, so that two spellings of one type are
    /// equal.
    fn resolved(&self, package: &str, expression: &str) -> String {
        let expression = expression.trim_start_matches('*');
        if expression == "[]byte" {
            return expression.to_owned();
        }
        if let Some(item) = expression.strip_prefix("[]") {
            return format!("[]{}", self.resolved(package, item));
        }
        if let Some((_, value)) = expression.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
            return format!("map[string]{}", self.resolved(package, value));
        }
        match expression {
            "types.UID" | "types.NodeName" => return "string".to_owned(),
            "runtime.Unknown" => return "runtime.RawExtension".to_owned(),
            _ => {}
        }
        let (owner, name) = expression.rsplit_once('.').unwrap_or((package, expression));
        match self.find(owner, name) {
            // Types that are read as a whole have a word instead of a type.
            Some((_, Type::Alias(target))) if target.contains(' ') || is_word(target) => {
                format!("{owner}.{name}")
            }
            Some((_, Type::Alias(target))) => self.resolved(owner, target),
            Some((_, Type::Struct { .. })) => format!("{owner}.{name}"),
            None => expression.to_owned(),
        }
    }
}

fn is_word(target: &str) -> bool {
    ["time", "microtime", "duration", "json"].contains(&target)
}

impl Entry {
    /// Returns the OpenAPI definition of `field`, with the likely marks of the Go struct.
    pub(crate) fn of(
        names: &Names,
        package: &Package,
        definition: &Value,
        field: &str,
    ) -> Result<Self, String> {
        let schema = &definition["properties"][field];
        if schema.is_null() {
            return Err("the notes have it, OpenAPI lacks it".to_owned());
        }
        let required = texts(&definition["required"]).contains(&field);
        let expression = names.expression(package, schema)?;
        let pointer = match referred(schema) {
            None => false,
            Some(_) => match expression.rsplit('.').next() {
                Some("Time") => false,
                Some("MicroTime" | "Quantity" | "IntOrString" | "RawExtension") => !required,
                // A struct that is always present defaults to its zero value.
                _ => schema["default"].is_null(),
            },
        };
        let topology = match schema["x-kubernetes-list-type"].as_str() {
            Some("map") => {
                let keys = texts(&schema["x-kubernetes-list-map-keys"]);
                Some(format!("map({})", keys.join(",")))
            }
            Some(other) => Some(other.to_owned()),
            None => schema["x-kubernetes-map-type"].as_str().map(str::to_owned),
        };
        let patch = schema["x-kubernetes-patch-strategy"].as_str().map(|strategy| {
            match schema["x-kubernetes-patch-merge-key"].as_str() {
                Some(key) => format!("patch({strategy}:{key})"),
                None => format!("patch({strategy})"),
            }
        });
        let marks = if required { BTreeSet::new() } else { BTreeSet::from([Mark::OmitEmpty]) };
        Ok(Self { pointer, expression, marks, topology, patch })
    }

    /// Returns the entry with the marks of the same field of another type, if its type is the same except for the
    /// version.
    pub(crate) fn like(mut self, names: &Names, package: &Package, other: &Self, around: &Package) -> Self {
        let plain = |package: &Package, expression: &str| {
            let resolved = names.resolved(&package.name, expression);
            let start = resolved.rfind([']', '/']).map_or(0, |end| end + 1);
            let brackets = resolved.rfind(']').map_or(0, |end| end + 1);
            format!("{}{}", &resolved[..brackets], resolved[start..].rsplit('.').next().unwrap_or_default())
        };
        if plain(package, &self.expression) == plain(around, &other.expression) {
            let expression = std::mem::take(&mut self.expression);
            return Self { expression, ..other.clone() };
        }
        self
    }

    /// Returns the entry corrected by Go: by a type, or by differences from the likely form.
    pub(crate) fn with(mut self, names: &Names, package: &Package, words: &[String]) -> Result<Self, String> {
        for word in words {
            match word.as_str() {
                "*" => self.pointer = true,
                "value" => self.pointer = false,
                "written" => _ = self.marks.remove(&Mark::OmitEmpty),
                "omitempty" => _ = self.marks.insert(Mark::OmitEmpty),
                "omitzero" => _ = self.marks.insert(Mark::OmitZero),
                "always" => _ = self.marks.insert(Mark::Always),
                // Waits for review.
                "?" => {}
                go => {
                    let resolved = |expression: &str| names.resolved(&package.name, expression);
                    if resolved(go) != resolved(&self.expression) {
                        return Err(format!("{go} in Go, {} in OpenAPI", self.expression));
                    }
                    self.pointer = go.starts_with('*');
                    go.trim_start_matches('*').clone_into(&mut self.expression);
                }
            }
        }
        Ok(self)
    }
}

impl Entry {
    /// Whether the field is a pointer.
    pub(crate) fn is_pointer(&self) -> bool {
        self.pointer
    }

    /// Whether Go leaves the field out when it is empty.
    pub(crate) fn is_omitted(&self) -> bool {
        self.marks.contains(&Mark::OmitEmpty)
    }

    /// Returns the type, or that of the items of lists and maps.
    pub(crate) fn base(&self) -> &str {
        self.expression.rsplit(']').next().unwrap_or_default().trim_start_matches('*')
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", if self.pointer { "*" } else { "" }, self.expression)?;
        for mark in &self.marks {
            let mark = match mark {
                Mark::OmitEmpty => "omitempty",
                Mark::OmitZero => "omitzero",
                Mark::Always => "always",
            };
            write!(formatter, " {mark}")?;
        }
        for option in [&self.topology, &self.patch].into_iter().flatten() {
            write!(formatter, " {option}")?;
        }
        Ok(())
    }
}
