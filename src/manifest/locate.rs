//! Where the fields of an object stand.

use crate::api::field::{Path, Segment};
use crate::source::{Data, Entry, Node, Span};

/// Where a field stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Location {
    /// It was written.
    Exact {
        /// Its key; an item of a list, and the root, have none.
        key: Option<Span>,
        /// Its value.
        value: Span,
    },
    /// It was not written; this is the innermost field around it that was.
    Nearest {
        /// The steps of the path that were found.
        depth: usize,
        /// The key of that field, if it has one.
        key: Option<Span>,
        /// The value of that field.
        value: Span,
    },
}

impl Location {
    /// The value's place, or the one of the innermost field around it.
    pub fn span(&self) -> Span {
        match self {
            Self::Exact { value, .. } | Self::Nearest { value, .. } => *value,
        }
    }

    /// The key's place, or the one of the innermost field around it.
    pub fn key(&self) -> Option<Span> {
        match self {
            Self::Exact { key, .. } | Self::Nearest { key, .. } => *key,
        }
    }
}

/// Where the field `path` of `root` stands. Of a repeated key the last one counts, as when it is read.
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

/// What stands at the field `path` of `root`, if it was written.
pub fn node_at<'a>(root: &'a Node, path: &Path) -> Option<&'a Node> {
    path.segments().into_iter().try_fold(root, |node, segment| step(node, segment).map(|(_, node)| node))
}

/// The nodes below `root` on the way to `path`, as far as they are there; the one at `path` is the last.
pub fn way_to<'a>(root: &'a Node, path: &Path) -> Vec<&'a Node> {
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
