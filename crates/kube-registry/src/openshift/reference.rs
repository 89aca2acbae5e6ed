//! Names of images: `registry/namespace/name:tag@digest`.
//!
//! Source: `github.com/openshift/library-go/pkg/image/reference`, `github.com/distribution/distribution/reference`.

use std::sync::LazyLock;

use regex::Regex;

/// The parts of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// Host of the registry, with its port; empty where none is named.
    pub registry: String,
    /// The part between the registry and the name.
    pub namespace: String,
    /// The last part; with slashes if there are more than two.
    pub name: String,
    /// Tag, or nothing.
    pub tag: String,
    /// Digest, or nothing.
    pub id: String,
}

const PATTERN: &str = r"^((?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(?::[0-9]+)?/)?[a-z0-9]+(?:(?:[._]|__|[-]*)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|[-]*)[a-z0-9]+)*)*)(?::([\w][\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$";

impl Reference {
    /// Reads a name; errors have the library's texts.
    pub fn parse(text: &str) -> Result<Self, String> {
        static GRAMMAR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(PATTERN).ok());
        let found = |text: &str| {
            GRAMMAR.as_ref().and_then(|grammar| {
                let captures = grammar.captures(text)?;
                let part = |index| captures.get(index).map_or("", |part| part.as_str()).to_owned();
                Some((part(1), part(2), part(3)))
            })
        };
        let Some((name, tag, id)) = found(text) else {
            return Err(match text {
                "" => "repository name must have at least one component",
                text if found(&text.to_lowercase()).is_some() => "repository name must be lowercase",
                _ => "invalid reference format",
            }
            .to_owned());
        };
        if name.len() > 255 {
            return Err("repository name must not be more than 255 characters".to_owned());
        }
        if !id.is_empty() {
            check_digest(&id)?;
        }
        // A host without a path is a registry, with all that follows.
        if !name.contains('/') && (name.contains('.') || name.starts_with("localhost")) {
            return Ok(Self { registry: text.to_owned(), id, ..Self::default() });
        }
        let (registry, name) = match name.split_once('/') {
            Some((first, rest)) if first.contains([':', '.']) || first == "localhost" => {
                (first.to_owned(), rest.to_owned())
            }
            _ => (String::new(), name),
        };
        let (namespace, name) = match name.split_once('/') {
            Some((namespace, name)) => (namespace.to_owned(), name.to_owned()),
            None => (String::new(), name),
        };
        Ok(Self { registry, namespace, name, tag, id })
    }

    /// Returns the name as it is written, with the digest instead of the tag if there is one.
    pub fn exact(&self) -> String {
        let mut text = String::new();
        if self.name.is_empty() {
            return text;
        }
        for part in [&self.registry, &self.namespace] {
            if !part.is_empty() {
                text.push_str(part);
                text.push('/');
            }
        }
        text.push_str(&self.name);
        if !self.id.is_empty() {
            text.push('@');
            text.push_str(&self.id);
        } else if !self.tag.is_empty() {
            text.push(':');
            text.push_str(&self.tag);
        }
        text
    }

    /// Returns the name by which a daemon knows the image: the same for equivalent references.
    ///
    /// Source: `DockerClientDefaults`, `DaemonMinimal`, `Minimal`.
    pub fn minimal(mut self) -> String {
        if self.registry.is_empty() || HUB.contains(&self.registry.as_str()) {
            "docker.io".clone_into(&mut self.registry);
            if self.namespace == "library" {
                self.namespace.clear();
            }
        }
        if self.tag == "latest" {
            self.tag.clear();
        }
        self.exact()
    }
}

/// Source: `github.com/openshift/library-go/pkg/image/internal/digest`.
fn check_digest(id: &str) -> Result<(), String> {
    let (algorithm, hex) = id.split_once(':').unwrap_or_default();
    let digits = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return Err("unsupported digest algorithm".to_owned()),
    };
    if hex.len() == digits { Ok(()) } else { Err("invalid checksum digest length".to_owned()) }
}

/// Names of one registry.
const HUB: [&str; 3] = ["docker.io", "index.docker.io", "registry-1.docker.io"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_names_apart() {
        let found = Reference::parse("registry.example.com:5000/shop/web:1.4").unwrap();
        assert_eq!(
            (found.registry.as_str(), found.namespace.as_str()),
            ("registry.example.com:5000", "shop")
        );
        assert_eq!(found.exact(), "registry.example.com:5000/shop/web:1.4");
        assert_eq!(Reference::parse("Web:1").unwrap_err(), "repository name must be lowercase");
    }

    #[test]
    fn gives_one_image_one_name() {
        let minimal = |name: &str| Reference::parse(name).unwrap().minimal();
        for name in ["nginx", "library/nginx", "docker.io/library/nginx:latest", "index.docker.io/nginx"] {
            assert_eq!(minimal(name), "docker.io/nginx", "{name}");
        }
        assert_eq!(minimal("quay.io/library/nginx:1"), "quay.io/library/nginx:1");
    }
}
