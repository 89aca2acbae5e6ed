//! Fields of a manifest, found by the names that managed fields have for them.

use gotext::source::{Data, Node};
use kube_registry::merge::keys_of;

/// A field in a manifest.
pub(super) struct Found {
    /// Whether the manifest has it; else this is about the smallest field around it.
    pub(super) is_exact: bool,
    /// The start of its key, or of the item.
    pub(super) start: usize,
}

/// Returns the place of the field of `root` that `names` lead to.
pub(super) fn find(root: &Node, names: &[String]) -> Found {
    let mut found = Found { is_exact: true, start: root.span.start };
    let mut node = root;
    for name in names {
        let Some((start, below)) = step(node, name) else {
            return Found { is_exact: false, ..found };
        };
        (found.start, node) = (start, below);
    }
    // A field that is written without a value is none.
    found.is_exact = node.data != Data::Null;
    found
}

fn step<'n>(node: &'n Node, name: &str) -> Option<(usize, &'n Node)> {
    let (sort, rest) = name.split_once(':')?;
    match (&node.data, sort) {
        (Data::Object(entries), "f") => {
            let entry = entries.iter().rev().find(|entry| entry.key == *rest)?;
            Some((entry.key_span.start, &entry.value))
        }
        (Data::Array(items), "i") => items.get(rest.parse::<usize>().ok()?).map(at),
        (Data::Array(items), "k") => {
            let keys = keys_of(name)?;
            let keys = keys.as_object()?;
            // A key that is not written has a default.
            let has_keys = |item: &Node| {
                keys.iter().all(|(key, value)| {
                    item.get(key).is_none_or(|written| written.clone().into_value() == *value)
                })
            };
            items.iter().find(|item| has_keys(item)).map(at)
        }
        (Data::Array(items), "v") => {
            let value = keys_of(name)?;
            items.iter().find(|item| (*item).clone().into_value() == value).map(at)
        }
        _ => None,
    }
}

fn at(item: &Node) -> (usize, &Node) {
    (item.span.start, item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::source::SourceFile;

    #[test]
    fn items_are_found_by_their_keys() {
        let text = "spec:\n  containers:\n  - image: a\n    name: one\n  - name: two\n    ports:\n    - containerPort: 80\n  paused: null\n";
        let source = SourceFile::new("a.yaml", text);
        let root = kube_yaml::read(&source).next().expect("a document").expect("YAML").node;
        let line = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let found = find(&root, &names);
            (found.is_exact, source.line_column(found.start).0)
        };
        let two = "k:{\"name\":\"two\"}";
        let port = "k:{\"containerPort\":80,\"protocol\":\"TCP\"}";
        assert_eq!(line(&["f:spec", "f:containers", "k:{\"name\":\"one\"}", "f:image"]), (true, 3));
        assert_eq!(line(&["f:spec", "f:containers", two, "f:ports", port]), (true, 7));
        assert_eq!(line(&["f:spec", "f:containers", two, "f:image"]), (false, 5));
        assert_eq!(line(&["f:spec", "f:paused"]), (false, 8));
        assert_eq!(line(&["f:metadata"]), (false, 1));
    }
}
