//! Places of an object's fields.

use gotext::path::{Path, Segment};
use gotext::source::{Data, Entry, Node, Span};

/// The place of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Location {
    /// It was written.
    Exact {
        /// Its key; an item of a list, and the root, have none.
        key: Option<Span>,
        /// Its value.
        value: Span,
    },
    /// The field was not written; this is the innermost written field around it.
    Nearest {
        /// The number of steps of the path that were found.
        depth: usize,
        /// The key of that field, if it has one.
        key: Option<Span>,
        /// The value of that field.
        value: Span,
    },
}

impl Location {
    /// Returns the value's place, or the one of the innermost field around it.
    pub fn span(&self) -> Span {
        match self {
            Self::Exact { value, .. } | Self::Nearest { value, .. } => *value,
        }
    }

    /// Returns the key's place, or the one of the innermost field around it.
    pub fn key(&self) -> Option<Span> {
        match self {
            Self::Exact { key, .. } | Self::Nearest { key, .. } => *key,
        }
    }
}

/// Returns the place of the field `path` of `root`. The last one of a repeated key counts, as in decoding.
pub fn locate(root: &Node, path: &Path) -> Location {
    let mut node = root;
    let mut key = None;
    for (depth, segment) in path.segments().into_iter().enumerate() {
        let Some((next_key, next_node)) = step(node, segment) else {
            return Location::Nearest { depth, key, value: node.span };
        };
        (key, node) = (next_key, next_node);
    }
    Location::Exact { key, value: node.span }
}

/// Returns the node of the field `path` of `root`, if it was written.
pub fn node_at<'a>(root: &'a Node, path: &Path) -> Option<&'a Node> {
    path.segments().into_iter().try_fold(root, |node, segment| step(node, segment).map(|(_, node)| node))
}

/// Returns the existing nodes below `root` on the way to `path`; the last is the one at `path`.
pub fn ancestors_of<'a>(root: &'a Node, path: &Path) -> Vec<&'a Node> {
    let mut node = root;
    let mut next = |segment: &Segment| {
        node = step(node, segment)?.1;
        Some(node)
    };
    path.segments().into_iter().map_while(&mut next).collect()
}

fn step<'a>(node: &'a Node, segment: &Segment) -> Option<(Option<Span>, &'a Node)> {
    match (segment, &node.data) {
        (Segment::Field(name), Data::Object(entries)) => last(entries, name),
        (Segment::Key(name), Data::Object(entries)) => last(entries, name),
        (Segment::Index(index), Data::Array(items)) => items.get(*index).map(|item| (None, item)),
        _ => None,
    }
}

fn last<'a>(entries: &'a [Entry], name: &str) -> Option<(Option<Span>, &'a Node)> {
    entries.iter().rev().find(|entry| entry.key == name).map(|entry| (Some(entry.key_span), &entry.value))
}
