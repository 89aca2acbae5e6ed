//! Where the fields of a configuration file are.

use gotext::source::{Data, Node, Span};

/// Returns the field `path` of `node`, or of one of its fields, if the path omits that; a missing field is where it
/// would be.
pub(crate) fn find(node: &Node, path: &str) -> Option<Span> {
    let steps: Vec<_> = path.split(['.', '[']).map(|step| step.trim_end_matches(']')).collect();
    let Data::Object(entries) = &node.data else { return None };
    let mut roots = std::iter::once((node, &steps[..]))
        .chain(entries.iter().map(|entry| (&entry.value, &steps[..])))
        .chain(steps.get(1..).map(|rest| (node, rest)));
    roots.find_map(|(root, steps)| descend(root, steps))
}

fn descend(root: &Node, steps: &[&str]) -> Option<Span> {
    let mut node = root;
    for (depth, step) in steps.iter().enumerate() {
        let next = match &node.data {
            Data::Array(items) => step.parse().ok().and_then(|index: usize| items.get(index)),
            _ => node.get(step),
        };
        match next {
            Some(next) => node = next,
            None => return (depth > 0).then_some(node.span),
        }
    }
    (!steps.is_empty()).then_some(node.span)
}
