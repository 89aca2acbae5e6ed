//! Several changes of one object as one edit of its document.

use std::collections::BTreeSet;

use gotext::change::{Action, Change, in_order};
use gotext::path::{Path, Segment};
use gotext::source::{Data, SourceFile};
use gotext::value::{Map, Value};

use super::{edit, keep_lines};
use crate::{Document, node_at};

/// Returns `text`, one document, with `changes` of its object, or of the item at `position` of a list, and
/// the changes that were made: a list is removed instead of all its items. Lines that move keep their comments. Nothing
/// unless every change is possible.
pub fn edit_all(text: &str, position: Option<usize>, changes: &[Change]) -> Option<(String, Vec<Change>)> {
    let document = document(text)?;
    let whole = |change: &Change| match position {
        Some(position) => change.within(&Path::new("items").index(position)),
        None => change.clone(),
    };
    let of_lists = without_empty_lists(changes, |list| {
        let path = whole(&Change::remove(list.clone())).path;
        match &node_at(&document.node, &path)?.data {
            Data::Array(items) => Some(items.len()),
            _ => None,
        }
    });
    [of_lists.as_slice(), changes].into_iter().find_map(|changes| {
        let text = edited(&document, &changes.iter().map(whole).collect::<Vec<_>>())?;
        Some((text, changes.to_vec()))
    })
}

fn document(text: &str) -> Option<Document> {
    crate::read(&SourceFile::new("", text)).next()?.ok()
}

/// Returns `changes` with the removal of a whole list instead of all its items, which would leave an empty one; `length`
/// is that of a list.
fn without_empty_lists(changes: &[Change], length: impl Fn(&Path) -> Option<usize>) -> Vec<Change> {
    let list_of = |change: &Change| match (change.path.segments().last()?, &change.action) {
        (Segment::Index(_), Action::Remove) => change.path.parent().cloned(),
        _ => None,
    };
    let mut found: Vec<Change> = Vec::new();
    for change in changes {
        let list = list_of(change).filter(|list| {
            let removed: BTreeSet<String> = changes
                .iter()
                .filter(|other| list_of(other).as_ref() == Some(list))
                .map(|other| other.path.to_string())
                .collect();
            length(list) == Some(removed.len())
        });
        let change = list.map_or_else(|| change.clone(), Change::remove);
        if !found.contains(&change) {
            found.push(change);
        }
    }
    found
}

/// Returns the text of `before` with `changes`.
fn edited(before: &Document, changes: &[Change]) -> Option<String> {
    let mut text = before.source.text().to_owned();
    for change in in_order(changes) {
        text = edit(&document(&text)?, change)?.apply(&text);
    }
    Some(with_moved_lines(before, changes, text))
}

/// Writes what `changes` moved with the lines that it had in `before`: they may have comments.
fn with_moved_lines(before: &Document, changes: &[Change], mut text: String) -> String {
    for from in changes.iter().filter(|change| change.action == Action::Remove) {
        let Some(moved) = node_at(&before.node, &from.path) else { continue };
        let moved = moved.clone().into_value();
        let mut places = Vec::new();
        for change in changes {
            if let Action::Set(value) = &change.action {
                find(value, &moved, &change.path, &mut places);
            }
        }
        for (to, value) in places {
            let mut renamed = Vec::new();
            rename_keys(&moved, value, &from.path, &mut renamed);
            let before = renamed.iter().try_fold(before.clone(), |document, rename| {
                self::document(&edit(&document, rename)?.apply(document.source.text()))
            });
            let (Some(before), Some(after)) = (before, document(&text)) else { continue };
            if let Some(edit) = keep_lines((&before, &from.path), (&after, &to)) {
                text = edit.apply(&text);
            }
        }
    }
    text
}

/// Adds the paths to collections in `value`, which is at `path`, that are `moved`, but for the case of keys.
fn find<'v>(value: &'v Value, moved: &Value, path: &Path, found: &mut Vec<(Path, &'v Value)>) {
    let is_collection = matches!(value, Value::Object(_) | Value::Array(_));
    match value {
        _ if is_collection && is_same(value, moved) => found.push((path.clone(), value)),
        Value::Object(map) => {
            map.iter().for_each(|(name, value)| find(value, moved, &path.child(name.to_string()), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| find(item, moved, &path.index(index), found));
        }
        _ => {}
    }
}

/// Whether `value` is `other`, but for the case of keys.
fn is_same(value: &Value, other: &Value) -> bool {
    match (value, other) {
        (Value::Object(map), Value::Object(other)) => {
            map.len() == other.len()
                && map.iter().all(|(key, value)| {
                    entry_like(key.as_str(), other).is_some_and(|(_, other)| is_same(value, other))
                })
        }
        (Value::Array(items), Value::Array(others)) => {
            items.len() == others.len() && items.iter().zip(others.iter()).all(|(a, b)| is_same(a, b))
        }
        _ => value == other,
    }
}

/// Returns the entry of `map` whose key is `key`, or that key in another case.
fn entry_like<'m>(key: &str, map: &'m Map) -> Option<(&'m str, &'m Value)> {
    let entries = || map.iter().map(|(own, value)| (own.as_str(), value));
    let same = entries().find(|(own, _)| *own == key);
    same.or_else(|| entries().find(|(own, _)| own.eq_ignore_ascii_case(key)))
}

/// Adds the changes that rename the keys of `value`, which is at `path`, to those of `new`, the inner ones first.
fn rename_keys(value: &Value, new: &Value, path: &Path, changes: &mut Vec<Change>) {
    match (value, new) {
        (Value::Object(map), Value::Object(new)) => {
            for (key, value) in map {
                let Some((name, new)) = entry_like(key.as_str(), new) else { continue };
                let path = path.child(key.to_string());
                rename_keys(value, new, &path, changes);
                if name != key.as_str() {
                    changes.push(Change::rename(path, name));
                }
            }
        }
        (Value::Array(items), Value::Array(new)) => {
            let pairs = items.iter().zip(new.iter()).enumerate();
            pairs.for_each(|(index, (item, new))| rename_keys(item, new, &path.index(index), changes));
        }
        _ => {}
    }
}
