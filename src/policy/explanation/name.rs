//! The names under which expressions read values: `object.spec.replicas`.

use kube_api::field::Path;

/// A name that an expression reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    /// The field of the object, if it is one.
    pub(super) path: Option<FieldOf>,
    /// The key of the map `text`, if the key itself is read.
    pub(super) key: Option<String>,
}

/// The object as a whole, or a field of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FieldOf {
    Object,
    Field(Path),
}

impl Name {
    pub(super) fn of_variable(name: &str) -> Option<Self> {
        const KNOWN: [&str; 11] = [
            "object",
            "oldObject",
            "request",
            "params",
            "namespaceObject",
            "variables",
            "self",
            "oldSelf",
            "device",
            "claims",
            "user",
        ];
        let path = (name == "object").then_some(FieldOf::Object);
        KNOWN.contains(&name).then(|| Self { text: name.to_owned(), path, key: None })
    }

    pub(super) fn field(self, name: &str) -> Self {
        let path = self.path.map(|path| path.child(name));
        Self { text: format!("{}.{name}", self.text), path, key: None }
    }

    pub(super) fn entry(self, key: &str) -> Self {
        let path = self.path.map(|path| path.child(key));
        Self { text: format!("{}['{key}']", self.text), path, key: None }
    }

    /// Returns the name of a key of this map.
    pub(super) fn key(self, key: &str) -> Self {
        let path = self.path.map(|path| path.child(key));
        Self { text: self.text, path, key: Some(key.to_owned()) }
    }

    pub(super) fn index(self, index: usize) -> Self {
        let path = self.path.and_then(|path| match path {
            FieldOf::Field(path) => Some(FieldOf::Field(path.index(index))),
            FieldOf::Object => None,
        });
        Self { text: format!("{}[{index}]", self.text), path, key: None }
    }
}

impl FieldOf {
    fn child(&self, name: &str) -> Self {
        Self::Field(match self {
            Self::Object => Path::named(name.to_owned()),
            // As paths print the keys of maps.
            Self::Field(path) if name.contains(['.', '/']) => path.key(name.to_owned()),
            Self::Field(path) => path.child(name.to_owned()),
        })
    }
}
