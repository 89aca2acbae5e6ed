//! The registries that images may come from: `imagePolicyConfig.allowedRegistriesForImport`.
//!
//! Source: `openshift-apiserver` `pkg/image/apis/image/validation/whitelist`,
//! `ValidateImageStreamWithWhitelister`, `ValidateImageStreamTagWithWhitelister`, `ValidateAllowedRegistries`.

use std::collections::BTreeSet;

use crate::openshift::reference::Reference;
use crate::validation::node::{Errors, Node};
use gotext::quote;
use kube_api::Value;
use kube_api::field::{self, Path};

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
/// The names of the hub's API: of its first version and of its second.
const HUB_APIS: [&str; 2] = ["index.docker.io", "registry-1.docker.io"];
/// The annotation of streams whose images may come without TLS.
const INSECURE: &str = "openshift.io/image.insecureRepository";
/// The number of patterns that a message names.
const MAX_SHOWN: usize = 5;

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

    /// Returns the list with the address of the integrated registry, which is allowed; nothing if all are allowed.
    fn with(&self, registry: &str) -> Option<Self> {
        let mut allowed = self.clone();
        if !registry.is_empty() {
            // An address that cannot be added is not, as upstream.
            let _ = allowed.allow(registry, false);
        }
        (!self.patterns.is_empty()).then_some(allowed)
    }

    /// Returns the errors in the references of an image stream that replaces `old`, or nothing. `registry` is the
    /// address of the integrated registry.
    pub fn validate_stream(&self, stream: &Value, old: Option<&Value>, registry: &str) -> Vec<field::Error> {
        let Some(allowed) = self.with(registry) else { return Vec::new() };
        let known: BTreeSet<String> = old.into_iter().flat_map(repositories).collect();
        let mut errors = Errors::default();
        let mut check = |path: &dyn Fn() -> Path, name: &str, insecure: bool| {
            let Ok(reference) = Reference::parse(name) else { return };
            if !known.contains(&repository(&reference))
                && let Some(error) = allowed.refuse(&reference.registry, insecure)
            {
                errors.forbidden(&path(), error);
            }
        };
        let root = Node::root(stream);
        let insecure = is_insecure(&root);
        let is_insecure = |tag: &Node<'_>| tag.child("importPolicy").flag("insecure") || insecure;
        let spec = root.child("spec");
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
        for event in events(&root) {
            check(&|| event.path.clone(), &event.reference, event.insecure);
        }
        errors.0
    }

    /// Returns the errors in the references that a status has and that of `old` has not.
    ///
    /// Source: `ValidateImageStreamStatusUpdateWithWhitelister`.
    pub fn validate_status(&self, stream: &Value, old: &Value, registry: &str) -> Vec<field::Error> {
        let allowed = self.with(registry);
        let known: BTreeSet<String> =
            events(&Node::root(old)).into_iter().map(|event| event.reference).collect();
        let mut errors = Errors::default();
        let events = events(&Node::root(stream));
        for event in events.iter().filter(|event| !known.contains(&event.reference)) {
            let insecure = events.iter().any(|other| other.reference == event.reference && other.insecure);
            match Reference::parse(&event.reference) {
                Err(error) => errors.invalid(&event.path, &event.reference, error),
                Ok(reference) => {
                    let refused =
                        allowed.as_ref().and_then(|allowed| allowed.refuse(&reference.registry, insecure));
                    if let Some(error) = refused {
                        errors.forbidden(&event.path, error);
                    }
                }
            }
        }
        errors.0
    }

    /// Returns the error in the reference of a tag of a stream, called `field` in `tag`, which replaces `old`.
    pub fn validate_tag(
        &self,
        tag: &Value,
        old: Option<&Value>,
        field: &'static str,
        registry: &str,
    ) -> Option<field::Error> {
        let allowed = self.with(registry)?;
        let root = Node::root(tag);
        let reference = root.child(field);
        let from = reference.child("from");
        let parsed = |from: &Node<'_>| {
            let is_image = from.text("kind") == "DockerImage";
            Reference::parse(from.text("name")).ok().filter(|_| is_image)
        };
        let found = parsed(&from)?;
        let before = old.and_then(|old| parsed(&Node::root(old).child(field).child("from")));
        if before.is_some_and(|before| repository(&before) == repository(&found)) {
            return None;
        }
        let insecure = reference.child("importPolicy").flag("insecure") || is_insecure(&root);
        let error = allowed.refuse(&found.registry, insecure)?;
        Some(field::Error::forbidden(&from.at("name"), error))
    }

    /// Returns the errors in the registries of an import.
    pub fn validate_import(&self, import: &Value, registry: &str) -> Vec<field::Error> {
        let Some(allowed) = self.with(registry) else { return Vec::new() };
        let root = Node::root(import);
        let spec = root.child("spec");
        let repository = spec
            .get("repository")
            .filter(|repository| repository.child("from").text("kind") == "DockerImage");
        let mut errors = Errors::default();
        for source in repository.into_iter().chain(spec.items("images")) {
            let from = source.child("from");
            let found = Reference::parse(from.text("name")).unwrap_or_default();
            let (host, port) = host_and_port(&found.registry, source.child("importPolicy").flag("insecure"));
            let hostname = format!("{host}:{port}");
            if let Some(error) = allowed.refuse(&hostname, false) {
                let detail =
                    format!("importing images from registry {} is forbidden: {error}", quote(&hostname));
                errors.forbidden(&from.at("name"), detail);
            }
        }
        errors.0
    }

    /// Returns why images of `registry` are refused, if they are. An insecure one may be at the port of HTTP too.
    ///
    /// Source: `AdmitDockerImageReference`.
    fn refuse(&self, registry: &str, insecure: bool) -> Option<String> {
        let (host, port) = if insecure {
            let whole = if registry.is_empty() { HUB } else { registry };
            split(registry).filter(|(_, port)| !port.is_empty()).unwrap_or((whole, ""))
        } else {
            host_and_port(registry, false)
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
        if HUB_APIS.contains(&host) && matches(HUB) || matches(host) {
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
        if shown.len() > MAX_SHOWN {
            more = format!(", and {} more ...", shown.len() - MAX_SHOWN + 1);
            shown.truncate(MAX_SHOWN - 1);
        }
        Some(format!("registry {} not allowed by whitelist: {}{more}", quote(&hostname), shown.join(", ")))
    }
}

/// Returns the host and the port of a registry, with defaults.
///
/// Source: `RegistryHostPort`.
fn host_and_port(registry: &str, insecure: bool) -> (&str, &str) {
    let registry = match registry {
        "" => HUB,
        HUB | "index.docker.io" => HUB_APIS[1],
        other => other,
    };
    if registry.contains(':') {
        return split(registry).unwrap_or_default();
    }
    (registry, if insecure { "80" } else { "443" })
}

/// Splits `host:port`.
///
/// Source: `net.SplitHostPort`, for hosts as names of images have them.
fn split(registry: &str) -> Option<(&str, &str)> {
    registry.split_once(':').filter(|(_, port)| !port.contains(':'))
}

/// Whether the images of a stream or a tag may come without TLS.
fn is_insecure(object: &Node) -> bool {
    object.child("metadata").child("annotations").text(INSECURE) == "true"
}

/// An image in the history of a tag.
struct Event {
    path: Path,
    reference: String,
    insecure: bool,
}

/// Returns the images in the status of a stream.
fn events(stream: &Node) -> Vec<Event> {
    let insecure = is_insecure(stream);
    let (spec, status) = (stream.child("spec"), stream.child("status"));
    let mut events = Vec::new();
    for history in status.items("tags") {
        let name = history.text("tag");
        let own = spec.items("tags").find(|tag| tag.text("name") == name);
        let insecure = insecure || own.is_some_and(|tag| tag.child("importPolicy").flag("insecure"));
        for (index, event) in history.list("items").iter().enumerate() {
            let items = status.at("tags").key(name).child("items");
            let path = items.index(index).child("dockerImageReference");
            let reference = event["dockerImageReference"].as_str().unwrap_or_default().to_owned();
            events.push(Event { path, reference, insecure });
        }
    }
    events
}

/// Returns the repositories that a stream refers to.
fn repositories(stream: &Value) -> Vec<String> {
    let items = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let mut names = vec![stream["spec"]["dockerImageRepository"].clone()];
    let tags = items(&stream["spec"]["tags"]);
    let images = tags.iter().map(|tag| &tag["from"]).filter(|from| from["kind"] == "DockerImage");
    names.extend(images.map(|from| from["name"].clone()));
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
    use gotext::value::json;

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
    fn knows_the_hub_by_its_names() {
        let refused = |pattern: &str, image: &str, insecure: bool| {
            let allowed = AllowedRegistries::read(&json!([{"domainName": pattern}])).unwrap();
            let reference = Reference::parse(image).unwrap();
            allowed.refuse(&reference.registry, insecure).is_some()
        };
        assert!(!refused("docker.io", "nginx", false));
        assert!(!refused("docker.io", "index.docker.io/library/nginx", false));
        assert!(!refused("registry-1.docker.io", "docker.io/library/nginx", false));
        assert!(refused("registry-1.docker.io", "nginx", false));
        assert!(refused("index.docker.io", "index.docker.io/library/nginx", false));
        assert!(!refused("index.docker.io", "index.docker.io/library/nginx", true));
        assert!(refused("registry-1.docker.io", "docker.io/library/nginx", true));
    }

    #[test]
    fn rejects_imports_from_other_registries() {
        let allowed = AllowedRegistries::read(&json!([{"domainName": "quay.io"}])).unwrap();
        let import = json!({"spec": {
            "repository": {"from": {"kind": "DockerImage", "name": "quay.io/shop/web"}},
            "images": [
                {"from": {"kind": "DockerImage", "name": "nginx"}},
                {"from": {"kind": "DockerImage", "name": "quay.io/shop/web:1"}, "importPolicy": {"insecure": true}},
            ],
        }});
        let errors = allowed.validate_import(&import, "");
        assert_eq!(
            errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "spec.images[0].from.name: Forbidden: importing images from registry \"docker.io:443\" is forbidden: \
                 registry \"docker.io:443\" not allowed by whitelist: \"quay.io:443\"",
                "spec.images[1].from.name: Forbidden: importing images from registry \"quay.io:80\" is forbidden: \
                 registry \"quay.io:80\" not allowed by whitelist: \"quay.io:443\"",
            ]
        );
        assert_eq!(AllowedRegistries::default().validate_import(&import, ""), []);
    }

    #[test]
    fn rejects_tags_and_events_of_other_registries_unless_they_were_there() {
        let allowed = AllowedRegistries::read(&json!([{"domainName": "quay.io"}])).unwrap();
        let of = |image: &str| json!({"tag": {"from": {"kind": "DockerImage", "name": image}}});
        let error = allowed.validate_tag(&of("ghcr.io/shop/api:2"), None, "tag", "").unwrap();
        assert_eq!(
            error.to_string(),
            "tag.from.name: Forbidden: registry \"ghcr.io\" not allowed by whitelist: \"quay.io:443\""
        );
        let old = of("ghcr.io/shop/api:1");
        assert_eq!(allowed.validate_tag(&of("ghcr.io/shop/api:2"), Some(&old), "tag", ""), None);
        let status = |images: &[&str]| {
            let items: Vec<Value> =
                images.iter().map(|image| json!({"dockerImageReference": *image})).collect();
            json!({"status": {"tags": [{"tag": "1", "items": items}]}})
        };
        let errors = allowed.validate_status(
            &status(&["ghcr.io/a/b", "quay.io/a/b", "ghcr.io/a/c", "A"]),
            &status(&["ghcr.io/a/b"]),
            "",
        );
        assert_eq!(
            errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "status.tags[1].items[2].dockerImageReference: Forbidden: registry \"ghcr.io\" not allowed by whitelist: \
                 \"quay.io:443\"",
                "status.tags[1].items[3].dockerImageReference: Invalid value: \"A\": repository name must be lowercase",
            ]
        );
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
