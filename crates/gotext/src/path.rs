//! The way from an object's root to one of its fields.
//!
//! Source: `k8s.io/apimachinery/pkg/util/validation/field`.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::sync::Arc;

use crate::pointer::escape;
use crate::value::Value;

/// The path from an object's root to one of its fields. Cheap to clone and to extend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(Arc<Link>);

#[derive(Debug, PartialEq, Eq)]
struct Link {
    parent: Option<Path>,
    segment: Segment,
}

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// A field of a struct: `.name`.
    Field(Cow<'static, str>),
    /// An item of a list: `[0]`.
    Index(usize),
    /// A key of a map: `[key]`.
    Key(String),
}

impl Path {
    /// Returns the top-level field `name`. Dots in `name` separate steps: `spec.template.spec`.
    pub fn new(name: &'static str) -> Self {
        let mut steps = name.split('.');
        let first = steps.next().unwrap_or_default();
        steps.fold(Self::link(None, Segment::Field(Cow::Borrowed(first))), |path, step| path.child(step))
    }

    /// Returns the top-level field `name`. Dots in `name` are part of it.
    pub fn named(name: impl Into<Cow<'static, str>>) -> Self {
        Self::link(None, Segment::Field(name.into()))
    }

    /// Returns the field `name` below this one. Dots in `name` are part of it.
    #[must_use]
    pub fn child(&self, name: impl Into<Cow<'static, str>>) -> Self {
        Self::link(Some(self.clone()), Segment::Field(name.into()))
    }

    /// Returns the item `index` of this list.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Self::link(Some(self.clone()), Segment::Index(index))
    }

    /// Returns the value of `key` in this map.
    #[must_use]
    pub fn key(&self, key: impl Into<String>) -> Self {
        Self::link(Some(self.clone()), Segment::Key(key.into()))
    }

    /// Returns `path` appended to this one.
    #[must_use]
    pub fn join(&self, path: &Self) -> Self {
        self.extended(path.segments())
    }

    /// Returns the path with more steps.
    #[must_use]
    pub fn extended<'s>(&self, segments: impl IntoIterator<Item = &'s Segment>) -> Self {
        segments.into_iter().fold(self.clone(), |path, segment| path.then(segment))
    }

    /// Returns the path with one more step.
    #[must_use]
    pub fn then(&self, segment: &Segment) -> Self {
        Self::link(Some(self.clone()), segment.clone())
    }

    /// Returns the path without its last step, unless that is the only one.
    pub fn parent(&self) -> Option<&Self> {
        self.0.parent.as_ref()
    }

    /// Returns the value at this path below `root`.
    pub fn value_in<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        self.segments().into_iter().try_fold(root, |value, segment| match segment {
            Segment::Field(name) => value.look_up(name),
            Segment::Key(key) => value.look_up(key),
            Segment::Index(index) => value.get(index),
        })
    }

    /// Returns the value at this path below `root`, to be changed.
    pub fn value_in_mut<'v>(&self, root: &'v mut Value) -> Option<&'v mut Value> {
        self.segments().into_iter().try_fold(root, |value, segment| match segment {
            Segment::Field(name) => value.get_mut(name.as_ref()),
            Segment::Key(key) => value.get_mut(key),
            Segment::Index(index) => value.get_mut(index),
        })
    }

    /// Returns the steps from the root on.
    pub fn segments(&self) -> Vec<&Segment> {
        let mut segments = vec![&self.0.segment];
        let mut parent = &self.0.parent;
        while let Some(path) = parent {
            segments.push(&path.0.segment);
            parent = &path.0.parent;
        }
        segments.reverse();
        segments
    }

    /// Returns the path as a JSON pointer (RFC 6901).
    pub fn json_pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in self.segments() {
            pointer.push('/');
            match segment {
                Segment::Field(name) => pointer.push_str(&escape(name)),
                Segment::Key(key) => pointer.push_str(&escape(key)),
                Segment::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }

    fn link(parent: Option<Self>, segment: Segment) -> Self {
        Self(Arc::new(Link { parent, segment }))
    }
}

impl fmt::Display for Path {
    /// Formats it as Go does: `spec.containers[0].image`, `metadata.labels[app]`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.segments().into_iter().enumerate() {
            match segment {
                Segment::Field(name) if position == 0 => formatter.write_str(name)?,
                Segment::Field(name) => {
                    formatter.write_char('.')?;
                    formatter.write_str(name)?;
                }
                Segment::Index(index) => write!(formatter, "[{index}]")?,
                Segment::Key(key) => write!(formatter, "[{key}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_paths_as_go_does() {
        let path = Path::new("spec.containers").index(0).child("resources").child("limits").key("cpu");
        assert_eq!(path.to_string(), "spec.containers[0].resources.limits[cpu]");
        assert_eq!(path.json_pointer(), "/spec/containers/0/resources/limits/cpu");
        let label = Path::new("metadata.labels").key("a.b/c~d");
        assert_eq!(label.to_string(), "metadata.labels[a.b/c~d]");
        assert_eq!(label.json_pointer(), "/metadata/labels/a.b~1c~0d");
    }
}
