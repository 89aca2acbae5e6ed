//! The origins of an object's values.

use std::collections::BTreeMap;

use crate::admission::{Evidence, Hook, Step};
use crate::report::blame::BlamedOn;
use gotext::pointer::unescape;
use gotext::source::{Data, Node, SourceFile, Span};
use kube_api::diff;
use kube_api::field::{Path, Segment};
use kube_api::{Map, Value};

/// The origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin<'a> {
    /// The manifest, on this line.
    Manifest(usize),
    /// The stored object that the manifest is applied to.
    Stored,
    /// API defaulting.
    Default,
    /// The server, between and after the phases of admission.
    Server,
    /// The controller that created the object.
    Controller(&'static str),
    /// A plugin, and what made it do so.
    Plugin(&'static str, Because<'a>),
    /// Someone else.
    Others,
}

/// What made a plugin change an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Because<'a> {
    /// The objects in the cluster whose values it wrote, if there are some.
    Objects(&'a [Evidence]),
    /// A policy or a webhook.
    Hook(&'a Hook),
}

impl<'a> Origin<'a> {
    /// Returns the origin of what the plugin of `step` changed by itself.
    pub(super) fn of(step: &'a Step) -> Self {
        Self::Plugin(step.plugin, Because::Objects(&step.sources))
    }

    /// Returns its kind.
    pub(crate) fn kind(self) -> BlamedOn {
        match self {
            Self::Manifest(_) => BlamedOn::Manifest,
            Self::Stored | Self::Default | Self::Server => BlamedOn::Server,
            Self::Plugin(..) => BlamedOn::Plugin,
            Self::Controller(_) | Self::Others => BlamedOn::Others,
        }
    }
}

/// The origin of a value, and the origins of its parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Blame<'a> {
    pub(crate) origin: Origin<'a>,
    pub(crate) children: Children<'a>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Children<'a> {
    None,
    Map(BTreeMap<String, Blame<'a>>),
    List(Vec<Blame<'a>>),
}

/// The origins of values that the manifest does not have.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Rest<'d, 'a> {
    /// The manifest with API defaults, unless `otherwise` covers them.
    pub(in crate::report) defaulted: Option<&'d Value>,
    /// The origin of the other values in the object.
    pub(in crate::report) otherwise: Origin<'a>,
}

impl Rest<'_, '_> {
    fn field(&self, key: &str) -> Self {
        Self { defaulted: self.defaulted.and_then(|value| value.get(key)), ..*self }
    }

    fn item(&self, index: usize) -> Self {
        Self { defaulted: self.defaulted.and_then(|value| value.get(index)), ..*self }
    }
}

impl<'a> Blame<'a> {
    /// Returns all of `value` set by `origin`.
    pub(in crate::report) fn of_one(value: &Value, origin: &Origin<'a>) -> Self {
        let children = match value {
            Value::Object(map) => Children::Map(
                map.iter().map(|(key, value)| (key.to_string(), Self::of_one(value, origin))).collect(),
            ),
            Value::Array(items) => {
                Children::List(items.iter().map(|item| Self::of_one(item, origin)).collect())
            }
            _ => Children::None,
        };
        Self { origin: *origin, children }
    }

    /// Returns the origins of an object's values: those in `node` come from the manifest; of the rest, those in
    /// `defaulted` from API defaulting, and all others from `otherwise`. The server may have written a value
    /// differently; unless it `may_differ`, a different value does not come from the manifest.
    pub(in crate::report) fn of_manifest(
        value: &Value,
        node: &Node,
        source: &SourceFile,
        rest: Rest<'_, 'a>,
        may_differ: bool,
    ) -> Self {
        let below = |value, node, rest| match node {
            Some(node) => Self::of_manifest(value, node, source, rest, may_differ),
            None => Self::of_rest(value, rest),
        };
        let (line, _) = source.line_column(node.span.start);
        let children = match (value, &node.data) {
            (Value::Object(map), Data::Object(entries)) => Children::Map(
                map.iter()
                    .map(|(key, value)| {
                        let entry = entries.iter().rev().find(|entry| entry.key == *key);
                        let mut blame = below(value, entry.map(|entry| &entry.value), rest.field(key));
                        if let (Some(entry), Origin::Manifest(line)) = (entry, &mut blame.origin) {
                            (*line, _) = source.line_column(entry.key_span.start);
                        }
                        (key.to_string(), blame)
                    })
                    .collect(),
            ),
            (Value::Array(items), Data::Array(nodes)) => Children::List(
                items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| below(item, nodes.get(index), rest.item(index)))
                    .collect(),
            ),
            _ if may_differ || node.clone().into_value() == *value => Children::None,
            _ => return Self::of_rest(value, rest),
        };
        Self { origin: Origin::Manifest(line), children }
    }

    /// Records that values of `data` are written in plain text in the `stringData` of the Secret `node`.
    pub(in crate::report) fn read_plain_text(&mut self, node: &Node, source: &SourceFile) {
        let Data::Object(fields) = &node.data else { return };
        let Some(plain) = fields.iter().find(|field| field.key == *"stringData") else { return };
        let (Data::Object(entries), Some(data)) = (&plain.value.data, self.child("data")) else { return };
        let line = |span: Span| Origin::Manifest(source.line_column(span.start).0);
        if !matches!(data.origin, Origin::Manifest(_)) {
            data.origin = line(plain.key_span);
        }
        for entry in entries {
            if let Some(value) = data.child(&entry.key) {
                value.origin = line(entry.key_span);
            }
        }
    }

    fn of_rest(value: &Value, rest: Rest<'_, 'a>) -> Self {
        // The server writes an empty map for an unset one.
        let is_empty = value.as_object().is_some_and(Map::is_empty);
        if rest.defaulted == Some(value) || is_empty {
            return Self::of_one(value, &Origin::Default);
        }
        let children = match value {
            Value::Object(map) => Children::Map(
                map.iter()
                    .map(|(key, value)| (key.to_string(), Self::of_rest(value, rest.field(key))))
                    .collect(),
            ),
            _ => return Self::of_one(value, &rest.otherwise),
        };
        Self { origin: rest.otherwise, children }
    }

    /// Records that `origin` changed `before` to `after`.
    pub(crate) fn change(&mut self, before: &Value, after: &Value, origin: &Origin<'a>) {
        for operation in diff::json_patch(before, after) {
            let mut steps: Vec<String> =
                operation.path().split('/').skip(1).map(|step| unescape(step).into_owned()).collect();
            let value = operation.value().map(|value| Self::of_one(value, origin));
            match (steps.pop(), value) {
                (None, Some(value)) => *self = value,
                (None, None) => {}
                (Some(last), value) => {
                    let is_insertion = matches!(operation, diff::PatchOperation::Add { .. });
                    if let Some(parent) = steps.iter().try_fold(&mut *self, |blame, step| blame.child(step)) {
                        parent.set(&last, value, is_insertion);
                    }
                }
            }
        }
    }

    /// Returns the origin of the value at `path`, or of the smallest one around it.
    pub(crate) fn at(&self, path: &Path) -> Origin<'a> {
        let mut blame = self;
        for segment in path.segments() {
            let below = match (&blame.children, segment) {
                (Children::Map(children), Segment::Field(name)) => children.get(&**name),
                (Children::Map(children), Segment::Key(name)) => children.get(name),
                (Children::List(children), Segment::Index(index)) => children.get(*index),
                _ => None,
            };
            let Some(below) = below else { break };
            blame = below;
        }
        blame.origin
    }

    /// Calls `found` for every value without parts, with its path.
    pub(crate) fn for_each_leaf(&self, found: &mut impl FnMut(&Path, Origin<'a>)) {
        self.leaves(None, found);
    }

    fn leaves(&self, path: Option<&Path>, found: &mut impl FnMut(&Path, Origin<'a>)) {
        match (&self.children, path) {
            (Children::Map(children), _) => {
                for (name, child) in children {
                    child.leaves(Some(&below(path, name)), found);
                }
            }
            (Children::List(children), Some(path)) => {
                let items = children.iter().enumerate();
                items.for_each(|(index, child)| child.leaves(Some(&path.index(index)), found));
            }
            (_, Some(path)) => found(path, self.origin),
            _ => {}
        }
    }

    fn child(&mut self, step: &str) -> Option<&mut Self> {
        match &mut self.children {
            Children::None => None,
            Children::Map(children) => children.get_mut(step),
            Children::List(children) => children.get_mut(step.parse::<usize>().ok()?),
        }
    }

    fn set(&mut self, step: &str, value: Option<Self>, is_insertion: bool) {
        match &mut self.children {
            Children::None => {}
            Children::Map(children) => match value {
                Some(value) => drop(children.insert(step.to_owned(), value)),
                None => drop(children.remove(step)),
            },
            Children::List(children) => {
                let index = step.parse().unwrap_or(children.len()).min(children.len());
                if !is_insertion && index < children.len() {
                    children.remove(index);
                }
                if let Some(value) = value {
                    children.insert(index, value);
                }
            }
        }
    }
}

/// Returns the path of `name` below `path`: of a key of a map if it cannot be the name of a field.
pub(super) fn below(path: Option<&Path>, name: &str) -> Path {
    match path {
        Some(path) if name.contains(['.', '/', '-']) => path.key(name),
        Some(path) => path.child(name.to_owned()),
        None => Path::named(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;

    #[test]
    fn items_keep_who_set_them_when_they_move() {
        let source = SourceFile::new("a.yaml", "a: 1\nlist:\n- x\n- y\n");
        let node = kube_yaml::read(&source).next().expect("a document").expect("YAML").node;
        let received = json!({"a": 1, "b": 2, "list": ["x", "y"]});
        let rest = Rest { defaulted: None, otherwise: Origin::Default };
        let mut blame = Blame::of_manifest(&received, &node, &source, rest, true);
        let changed = json!({"a": 1, "list": ["w", "x", "z"]});
        blame.change(&received, &changed, &Origin::Plugin("P", Because::Objects(&[])));
        let Children::Map(children) = blame.children else { panic!("a map") };
        assert_eq!(children["a"].origin, Origin::Manifest(1));
        assert!(!children.contains_key("b"));
        let Children::List(items) = &children["list"].children else { panic!("a list") };
        let origins: Vec<_> = items.iter().map(|item| item.origin).collect();
        assert_eq!(
            origins,
            [
                Origin::Plugin("P", Because::Objects(&[])),
                Origin::Manifest(3),
                Origin::Plugin("P", Because::Objects(&[]))
            ]
        );
    }

    #[test]
    fn what_a_controller_writes_differently_is_its_own() {
        let source = SourceFile::new("a.yaml", "name: web\nimage: nginx\n");
        let node = kube_yaml::read(&source).next().expect("a document").expect("YAML").node;
        let made = json!({"name": "web-1", "image": "nginx", "resources": {}});
        let defaulted = json!({"name": "web", "image": "nginx", "resources": {}});
        let rest = Rest { defaulted: Some(&defaulted), otherwise: Origin::Controller("c") };
        let blame = Blame::of_manifest(&made, &node, &source, rest, false);
        let Children::Map(children) = blame.children else { panic!("a map") };
        assert_eq!(children["name"].origin, Origin::Controller("c"));
        assert_eq!(children["image"].origin, Origin::Manifest(2));
        assert_eq!(children["resources"].origin, Origin::Default);
    }
}
