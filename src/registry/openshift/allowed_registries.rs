//! The registries that images may come from: `imagePolicyConfig.allowedRegistriesForImport`.
//!
//! Deliberately absent: the check of an `ImageStreamImport` itself, which depends on the user's right to create images.
//!
//! Source: `openshift-apiserver` `pkg/image/apis/image/validation/whitelist`,
//! `ValidateImageStreamWithWhitelister`.

use std::collections::BTreeSet;

use crate::api::Value;
use crate::api::field::{self, Path};
use crate::go::quote;
use crate::registry::openshift::reference::Reference;
use crate::registry::validation::node::{Errors, Node};

/// Patterns of the hosts and ports of registries; without any, all are allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedRegistries {
    patterns: Vec<(String, String)>,
}

/// A domain name of the configuration that has more than one colon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed to parse allowed registry {}: too many colons", quote(.0))]
pub struct TooManyColons(String);

const HUB: &str = "docker.io";
/// The name by which the server calls the hub's API.
const HUB_API: &str = "registry-1.docker.io";
/// The number of patterns that a message names.
const MOST_SHOWN: usize = 5;

impl AllowedRegistries {
    /// Reads the list of the configuration.
    ///
    /// # Errors
    ///
    /// Fails if a domain name has more than one colon.
    pub fn read(list: &Value) -> Result<Self, TooManyColons> {
        let mut allowed = Self::default();
        for item in list.as_array().into_iter().flatten().rev() {
            let name = item["domainName"].as_str().unwrap_or_default();
            allowed.allow(name, item["insecure"] == true)?;
        }
        Ok(allowed)
    }

    /// Adds the pattern `name` before the others.
    fn allow(&mut self, name: &str, insecure: bool) -> Result<(), TooManyColons> {
        let default = if insecure { "80" } else { "443" };
        let (host, port) = name.split_once(':').unwrap_or((name, default));
        if port.contains(':') {
            return Err(TooManyColons(name.to_owned()));
        }
        let pattern = (host.to_owned(), port.to_owned());
        if !self.patterns.contains(&pattern) {
            self.patterns.insert(0, pattern);
        }
        Ok(())
    }

    /// Returns the errors in the references of an image stream that replaces `old`, or nothing. `registry` is the
    /// address of the integrated registry, which is allowed.
    pub fn validate_stream(&self, stream: &Value, old: Option<&Value>, registry: &str) -> Vec<field::Error> {
        if self.patterns.is_empty() {
            return Vec::new();
        }
        let mut allowed = self.clone();
        if !registry.is_empty() && allowed.allow(registry, false).is_err() {
            return Vec::new();
        }
        let known: BTreeSet<String> = old.into_iter().flat_map(repositories).collect();
        let mut errors = Errors::default();
        let mut check = |path: &dyn Fn() -> Path, name: &str, insecure: bool| {
            let Ok(reference) = Reference::parse(name) else { return };
            if !known.contains(&repository(&reference))
                && let Some(error) = allowed.refuse(&reference, insecure)
            {
                errors.forbidden(&path(), error);
            }
        };
        let root = Node::root(stream);
        let metadata = root.child("metadata");
        let annotations = metadata.child("annotations");
        let insecure = annotations.text("openshift.io/image.insecureRepository") == "true";
        let is_insecure = |tag: &Node<'_>| tag.child("importPolicy").flag("insecure") || insecure;
        let (spec, status) = (root.child("spec"), root.child("status"));
        let name = spec.text("dockerImageRepository");
        if !name.is_empty() {
            check(&|| spec.at("dockerImageRepository"), name, insecure);
        }
        for tag in spec.items("tags") {
            let from = tag.child("from");
            if from.text("kind") == "DockerImage" {
                let path = || spec.at("tags").key(tag.text("name")).child("from").child("name");
                check(&path, from.text("name"), is_insecure(&tag));
            }
        }
        for history in status.items("tags") {
            let name = history.text("tag");
            let own = spec.items("tags").find(|tag| tag.text("name") == name);
            let insecure = own.map_or(insecure, |tag| is_insecure(&tag));
            for (index, event) in history.list("items").iter().enumerate() {
                let path = || {
                    let items = status.at("tags").key(name).child("items");
                    items.index(index).child("dockerImageReference")
                };
                check(&path, event["dockerImageReference"].as_str().unwrap_or_default(), insecure);
            }
        }
        errors.0
    }

    /// Returns why the registry of an image is refused, if it is. An insecure one may be at the port of HTTP too.
    fn refuse(&self, reference: &Reference, insecure: bool) -> Option<String> {
        let registry = reference.registry.as_str();
        let (host, port) = match registry.split_once(':') {
            Some(found) => found,
            None if registry.is_empty() => (HUB, if insecure { "" } else { "443" }),
            None => (registry, if insecure { "" } else { "443" }),
        };
        let matches = |host: &str| {
            self.patterns.iter().any(|(hosts, ports)| {
                let is_port = match port {
                    "" => ["80", "443", "*"].contains(&ports.as_str()),
                    port => is_match(port, ports),
                };
                is_match(host, hosts) && is_port
            })
        };
        let is_hub = [HUB, HUB_API, "index.docker.io"].contains(&host);
        if matches(host) || is_hub && (matches(HUB) || matches(HUB_API)) {
            return None;
        }
        let hostname = match (registry, port) {
            ("", "") => host.to_owned(),
            ("", port) => format!("{host}:{port}"),
            (registry, _) => registry.to_owned(),
        };
        let pattern = |(host, port): &(String, String)| quote(&format!("{host}:{port}"));
        let mut shown: Vec<String> = self.patterns.iter().map(pattern).collect();
        let mut more = String::new();
        if shown.len() > MOST_SHOWN {
            more = format!(", and {} more ...", shown.len() - MOST_SHOWN + 1);
            shown.truncate(MOST_SHOWN - 1);
        }
        Some(format!("registry {} not allowed by whitelist: {}{more}", quote(&hostname), shown.join(", ")))
    }
}

/// Returns the repositories that a stream refers to.
fn repositories(stream: &Value) -> Vec<String> {
    let items = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let mut names = vec![stream["spec"]["dockerImageRepository"].clone()];
    names.extend(items(&stream["spec"]["tags"]).iter().map(|tag| tag["from"]["name"].clone()));
    for history in items(&stream["status"]["tags"]) {
        names.extend(items(&history["items"]).iter().map(|event| event["dockerImageReference"].clone()));
    }
    let parsed = names.iter().filter_map(|name| Reference::parse(name.as_str()?).ok());
    parsed.map(|reference| repository(&reference)).collect()
}

/// Returns the name of the repository of an image with all defaults.
fn repository(reference: &Reference) -> String {
    let mut repository = Reference { tag: String::new(), id: String::new(), ..reference.clone() };
    if repository.registry.is_empty() {
        HUB.clone_into(&mut repository.registry);
    }
    if repository.namespace.is_empty() && repository.registry == HUB {
        "library".clone_into(&mut repository.namespace);
    }
    repository.exact()
}

/// Implements `IsWildcardMatch`: `*` is any text, `?` a character.
fn is_match(text: &str, pattern: &str) -> bool {
    let text = text.as_bytes();
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for wanted in pattern.bytes() {
        let mut next = vec![wanted == b'*' && reached[0]];
        for (index, byte) in text.iter().enumerate() {
            next.push(if wanted == b'*' {
                next[index] || reached[index + 1]
            } else {
                reached[index] && (wanted == b'?' || wanted == *byte)
            });
        }
        reached = next;
    }
    reached[text.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn texts(stream: &Value, old: Option<&Value>) -> Vec<String> {
        let list = json!([
            {"domainName": "quay.io"}, {"domainName": "docker.io"}, {"domainName": "*.example.com:5000"},
            {"domainName": "old.example", "insecure": true},
        ]);
        let allowed = AllowedRegistries::read(&list).unwrap();
        let errors = allowed.validate_stream(stream, old, "registry.svc:5000");
        errors.iter().map(ToString::to_string).collect()
    }

    fn tag(image: &str) -> Value {
        json!({"spec": {"tags": [{"name": "1", "from": {"kind": "DockerImage", "name": image}}]}})
    }

    #[test]
    fn admits_what_a_pattern_allows() {
        let images = [
            "quay.io/shop/api:1",
            "nginx",
            "docker.io/library/nginx",
            "a.example.com:5000/web",
            "registry.svc:5000/shop/web",
        ];
        for image in images {
            assert_eq!(texts(&tag(image), None), [""; 0], "{image}");
        }
        let mut insecure = tag("old.example/web");
        insecure["metadata"] = json!({"annotations": {"openshift.io/image.insecureRepository": "true"}});
        assert_eq!(texts(&insecure, None), [""; 0]);
        assert_eq!(AllowedRegistries::default().validate_stream(&tag("x.example/web"), None, ""), []);
    }

    #[test]
    fn rejects_other_registries_unless_the_stream_had_them() {
        let stream = tag("ghcr.io/shop/api:2");
        assert_eq!(
            texts(&stream, None),
            [
                "spec.tags[1].from.name: Forbidden: registry \"ghcr.io\" not allowed by whitelist: \"registry.svc:5000\", \
              \"quay.io:443\", \"docker.io:443\", \"*.example.com:5000\", \"old.example:80\""
            ]
        );
        assert_eq!(texts(&stream, Some(&tag("ghcr.io/shop/api:1"))), [""; 0]);
        let error = AllowedRegistries::read(&json!([{"domainName": "a:1:2"}])).unwrap_err();
        assert_eq!(error.to_string(), "failed to parse allowed registry \"a:1:2\": too many colons");
    }
}
