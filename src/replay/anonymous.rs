//! Names in the place of those of a log. The same text has the same name everywhere, and names of one sort are in the
//! order of what they replace, since servers sort by name.
//!
//! Everything is replaced that is not known to be a word of the API. What stays is in the tables here and in [`text`].

mod text;

use std::collections::{BTreeMap, BTreeSet};

use kube_api::{GroupVersionKind, Object, Value, kinds, secret};

use text::{is_label, is_of_kubernetes, leaf, sort_of};

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Namespace,
    Name,
    User,
    Group,
    Image,
    Host,
    Address,
    Label,
    Annotation,
    Path,
    Value,
    Uid,
}

/// The sorts that can be kept, as `--keep` calls them.
const KEPT: [(&str, Sort); 11] = [
    ("namespaces", Sort::Namespace),
    ("names", Sort::Name),
    ("users", Sort::User),
    ("groups", Sort::Group),
    ("images", Sort::Image),
    ("hosts", Sort::Host),
    ("addresses", Sort::Address),
    ("labels", Sort::Label),
    ("annotations", Sort::Annotation),
    ("paths", Sort::Path),
    ("values", Sort::Value),
];

/// The word of `--keep` for all sorts.
const EVERYTHING: &str = "everything";

/// Fields with expressions, in which only the texts in quotes are names.
const EXPRESSIONS: [&str; 3] = ["expression", "messageExpression", "valueExpression"];

/// Kinds whose specification is program text, of which the same holds.
const PROGRAMS: [&str; 4] =
    ["CustomResourceDefinition", "DeviceClass", "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"];

/// The field `metadata` of a Namespace, whose name is a namespace.
const METADATA_OF_NAMESPACE: &str = "metadata of a Namespace";

/// What stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Keep {
    sorts: BTreeSet<Sort>,
    /// Texts that stay wherever they are.
    texts: BTreeSet<String>,
    everything: bool,
}

/// The new names.
#[derive(Debug, Default)]
pub struct Names {
    new: BTreeMap<(Space, String), String>,
    keep: Keep,
    /// The texts that stay because they are named, and occurred.
    kept: BTreeSet<String>,
}

/// Texts that can be equal without being the same name: an image is often called like its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Space {
    Common,
    Image,
    Host,
}

impl Sort {
    fn space(self) -> Space {
        match self {
            Self::Image => Space::Image,
            Self::Host => Space::Host,
            _ => Space::Common,
        }
    }

    /// Returns the name of this sort with a `number`, which is written with `digits`.
    fn name(self, text: &str, number: usize, digits: usize) -> String {
        let word = match self {
            Self::Namespace => "namespace",
            Self::Name => "name",
            Self::User => "user",
            Self::Group => "group",
            Self::Image => "image",
            Self::Label => "label",
            Self::Annotation => "annotation",
            Self::Path => "/path",
            Self::Value => "value",
            Self::Host => return format!("host-{number:0digits$}.example.com"),
            Self::Uid => return format!("00000000-0000-4000-8000-{number:012}"),
            Self::Address if text.contains(':') => return format!("2001:db8::{number:x}"),
            Self::Address => return format!("198.18.{}.{}", number / 256 % 256, number % 256),
        };
        format!("{word}-{number:0digits$}")
    }
}

impl Keep {
    /// Returns what the `words` of `--keep` name: a sort, or a text.
    pub fn of(words: &[String]) -> Self {
        let mut keep = Self::default();
        for word in words {
            match KEPT.iter().find(|(name, _)| name == word) {
                Some((_, sort)) => drop(keep.sorts.insert(*sort)),
                None if word == EVERYTHING => keep.everything = true,
                None => drop(keep.texts.insert(word.clone())),
            }
        }
        keep
    }
}

impl Names {
    /// Returns new names for what `values` have, except for what to `keep`.
    pub fn of<'v>(values: impl IntoIterator<Item = &'v Value>, keep: Keep) -> Self {
        let mut found: BTreeMap<(Space, String), Sort> = BTreeMap::new();
        for value in values {
            walk(&mut cleaned(value), &mut |sort, text| {
                let sort = sort?;
                let known = found.entry((sort.space(), text.to_owned())).or_insert(sort);
                *known = sort.min(*known);
                None
            });
        }
        let mut counts: BTreeMap<Sort, usize> = BTreeMap::new();
        for sort in found.values() {
            *counts.entry(*sort).or_default() += 1;
        }
        let digits: BTreeMap<Sort, usize> =
            counts.into_iter().map(|(sort, count)| (sort, count.to_string().len())).collect();
        let mut numbers: BTreeMap<Sort, usize> = BTreeMap::new();
        let (mut names, mut kept) = (BTreeMap::new(), BTreeSet::new());
        for ((space, text), sort) in found {
            if keep.texts.contains(&text) {
                kept.insert(text);
                continue;
            }
            if keep.everything || keep.sorts.contains(&sort) {
                continue;
            }
            let number = numbers.entry(sort).or_default();
            *number += 1;
            let name = sort.name(&text, *number, digits[&sort]);
            names.insert((space, text), name);
        }
        Self { new: names, keep, kept }
    }

    /// Returns the texts to keep that do not occur.
    pub fn idle(&self) -> impl Iterator<Item = &str> {
        self.keep.texts.difference(&self.kept).map(String::as_str)
    }

    /// Returns `value`, an object or a request, with the new names, and without what is secret or only records who wrote
    /// it.
    pub fn rename(&self, value: &Value) -> Value {
        let mut value = cleaned(value);
        walk(&mut value, &mut |sort, text| self.get(sort, text));
        value
    }

    /// Whether `after` says of the new names what `before` says of those of the log.
    pub fn is_said(&self, before: &str, after: &str) -> bool {
        let words = |text: &'_ str| -> Vec<String> {
            let is_word = |c: char| c.is_alphanumeric() || "-._:/@".contains(c);
            let words = text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
            words.map(|word| word.trim_end_matches(['.', ':']).to_owned()).collect()
        };
        let (before, after) = (words(before), words(after));
        let sorts = [Sort::Name, Sort::User, Sort::Image, Sort::Host];
        let is_renamed = |(before, after): (&String, &String)| {
            let renamed = |sort| leaf(sort, before, &mut |sort, text| self.get(sort, text));
            before == after || sorts.into_iter().any(|sort| renamed(sort).as_ref() == Some(after))
        };
        before.len() == after.len() && before.iter().zip(&after).all(is_renamed)
    }

    fn get(&self, sort: Option<Sort>, text: &str) -> Option<String> {
        let found = |space| self.new.get(&(space, text.to_owned()));
        match sort {
            Some(sort) => found(sort.space()),
            None => [Space::Common, Space::Image, Space::Host].into_iter().find_map(found),
        }
        .cloned()
    }
}

/// Returns an object or a request without what only records who wrote an object, and without the values of Secrets.
fn cleaned(value: &Value) -> Value {
    let mut value = value.clone();
    clean(&mut value);
    for field in ["object", "oldObject"] {
        if let Some(object) = value.get_mut("request").and_then(|request| request.get_mut(field)) {
            clean(object);
        }
    }
    value
}

fn clean(value: &mut Value) {
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        metadata.remove("selfLink");
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove(secret::LAST_APPLIED);
        }
    }
    let kind = GroupVersionKind::from_api_version(value.text("apiVersion"), value.text("kind"));
    let is_secret = kind.is(kinds::SECRET);
    let mut object = Object::new(kind, value.take());
    secret::for_each(&mut object, |pointer, value| {
        // The server reads these two; both are empty configurations.
        let is_config = is_secret && pointer.contains(".docker");
        *value = match (is_config, pointer.starts_with("/data/")) {
            (true, true) => "e30=",
            (true, false) => "{}",
            (false, true) => "Kioq",
            (false, false) => "***",
        }
        .into();
    });
    *value = object.value;
}

/// Returns the new name for a text of a sort; a text without one may be a name, and then has a sort elsewhere.
type Change<'a> = dyn FnMut(Option<Sort>, &str) -> Option<String> + 'a;

/// Replaces the names in `value` by what `change` returns for each.
fn walk(value: &mut Value, change: &mut Change<'_>) {
    walk_at(value, ("", ""), change);
}

/// Does so for a value of the field `key`, in a map of the field `parent`.
fn walk_at(value: &mut Value, (parent, key): (&str, &str), change: &mut Change<'_>) {
    // The request for a Namespace has its name.
    let is_namespace = value.text(["resource", "resource"]) == "namespaces" && value.has("operation");
    let kind = value.text("kind").to_owned();
    match value {
        Value::Object(map) => {
            for (name, value) in map.iter_mut() {
                let name = name.as_str().to_owned();
                match name.as_str() {
                    "name" if is_namespace || key == METADATA_OF_NAMESPACE => {
                        rename(value, Sort::Namespace, change);
                    }
                    "metadata" if kind == kinds::NAMESPACE.kind => {
                        walk_at(value, (key, METADATA_OF_NAMESPACE), change);
                    }
                    "spec" if PROGRAMS.contains(&kind.as_str()) => literals_in(value, change),
                    field if kind == kinds::SECRET.kind && secret::FIELDS.contains(&field) => {}
                    _ => walk_at(value, (key, &name), change),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| walk_at(item, (parent, key), change)),
        Value::String(_) if EXPRESSIONS.contains(&key) => literals_in(value, change),
        Value::String(text) if is_label(parent, key) && is_of_kubernetes(key) => {
            // Some have the name of an object, others a word of the API, such as a level.
            if let Some(new) = change(None, text).filter(|_| !key.contains("pod-security.")) {
                *value = new.into();
            }
        }
        Value::String(text) => {
            if let Some(sort) = sort_of(parent, key, text) {
                rename(value, sort, change);
            }
        }
        _ => {}
    }
}

fn rename(value: &mut Value, sort: Sort, change: &mut Change<'_>) {
    if let Some(new) = value.as_str().and_then(|text| leaf(sort, text, change)) {
        *value = new.into();
    }
}

/// Replaces the names that are texts in quotes, in program text.
fn literals_in(value: &mut Value, change: &mut Change<'_>) {
    match value {
        Value::Object(map) => map.values_mut().for_each(|value| literals_in(value, change)),
        Value::Array(items) => items.iter_mut().for_each(|value| literals_in(value, change)),
        Value::String(_) => {
            let text = value.as_str().unwrap_or_default();
            let mut renamed = String::with_capacity(text.len());
            let mut rest = text;
            while let Some(start) = rest.find(['\'', '"']) {
                let quote = &rest[start..=start];
                let inner = &rest[start + 1..];
                let Some(end) = inner.find(quote) else { break };
                let new = change(None, &inner[..end]);
                renamed.extend([&rest[..=start], new.as_deref().unwrap_or(&inner[..end]), quote]);
                rest = &inner[end + 1..];
            }
            renamed.push_str(rest);
            if renamed != text {
                *value = renamed.into();
            }
        }
        _ => {}
    }
}
