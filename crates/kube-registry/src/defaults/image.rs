//! The tag of an image reference.
//!
//! Source: `k8s.io/kubernetes/pkg/util/parsers`, `github.com/distribution/reference`.

/// Returns the default pull policy: `Always` for images whose tag is `latest`, given or implied. A malformed reference
/// has no tag.
pub(crate) fn pull_policy(image: &str) -> &'static str {
    if tag(image) == Some("latest") { "Always" } else { "IfNotPresent" }
}

/// Returns the tag of `image`: `latest` if it has neither tag nor digest, nothing if it has only a digest or is
/// malformed.
pub(crate) fn tag(image: &str) -> Option<&str> {
    let is_identifier = image.len() == 64 && image.bytes().all(is_lower_hex);
    if is_identifier {
        return None;
    }
    let (named, digest) = match image.split_once('@') {
        Some((named, digest)) if is_digest(digest) => (named, Some(digest)),
        Some(_) => return None,
        None => (image, None),
    };
    // A colon before the last slash belongs to the port of the registry.
    let path_start = named.rfind('/').map_or(0, |slash| slash + 1);
    let (name, tag) = match named[path_start..].find(':') {
        Some(colon) => (&named[..path_start + colon], Some(&named[path_start + colon + 1..])),
        None => (named, None),
    };
    if !is_name(name) || !tag.is_none_or(is_tag) {
        return None;
    }
    match (tag, digest) {
        (None, None) => Some("latest"),
        (tag, _) => tag,
    }
}

/// Whether `name` is a registry, if the first component looks like one, and path components.
pub(crate) fn is_name(name: &str) -> bool {
    const MAX_PATH: usize = 255;
    let (domain, path) = match name.split_once('/') {
        Some((first, rest)) if is_registry(first) => (first, rest),
        _ => ("", name),
    };
    let on_docker_hub = matches!(domain, "" | "docker.io" | "index.docker.io");
    let library = if on_docker_hub && !path.contains('/') { "library/".len() } else { 0 };
    let all_path = path.split('/').all(is_path_component);
    all_path
        && if domain.is_empty() || is_domain(domain) {
            library + path.len() <= MAX_PATH
        } else {
            is_path_component(domain) && name.len() <= MAX_PATH
        }
}

fn is_registry(component: &str) -> bool {
    component == "localhost" || component.contains(['.', ':']) || component.chars().any(char::is_uppercase)
}

fn is_domain(domain: &str) -> bool {
    let (host, port) = if domain.starts_with('[') {
        let Some(end) = domain.find(']') else { return false };
        let (host, port) = domain.split_at(end + 1);
        let address = &host[1..end];
        if address.is_empty() || !address.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':') {
            return false;
        }
        return port.is_empty() || port.strip_prefix(':').is_some_and(is_number);
    } else {
        domain.split_once(':').map_or((domain, None), |(host, port)| (host, Some(port)))
    };
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.split('.').all(is_label) && port.is_none_or(is_number)
}

pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether `component` is lower-case letters and digits, with `.`, `_`, `__` or any number of `-` between them.
fn is_path_component(component: &str) -> bool {
    let is_alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = component.as_bytes();
    let ends = bytes.first().copied().is_some_and(is_alphanumeric)
        && bytes.last().copied().is_some_and(is_alphanumeric);
    ends && bytes.split(|byte| is_alphanumeric(*byte)).all(|separator| match separator {
        b"" | b"." | b"_" | b"__" => true,
        other => other.iter().all(|byte| *byte == b'-'),
    })
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = tag.as_bytes();
    (1..=128).contains(&bytes.len())
        && is_word(bytes[0])
        && bytes.iter().all(|byte| is_word(*byte) || matches!(byte, b'.' | b'-'))
}

fn is_digest(digest: &str) -> bool {
    let Some((algorithm, encoded)) = digest.split_once(':') else { return false };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    encoded.len() == length && encoded.bytes().all(is_lower_hex)
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulls_latest_always() {
        for image in [
            "nginx",
            "nginx:latest",
            "registry:5000/web",
            "LOCAL/web",
            "localhost/web:latest",
            "[::1]:5000/a/b",
        ] {
            assert_eq!(pull_policy(image), "Always", "{image}");
        }
    }

    #[test]
    fn pulls_other_tags_and_digests_if_not_present() {
        let digest = format!("nginx@sha256:{}", "a".repeat(64));
        for image in ["nginx:1.27", "registry:5000/web:v1", &digest] {
            assert_eq!(pull_policy(image), "IfNotPresent", "{image}");
        }
        assert_eq!(pull_policy(&digest.replace('@', ":latest@")), "Always");
    }

    #[test]
    fn a_reference_that_cannot_be_read_has_no_tag() {
        let identifier = "a".repeat(64);
        let long = "a".repeat(256);
        for image in
            ["", " nginx", "Nginx", "web/", "-a", "a..b", "a:", "a@sha256:12", "a:b:c", &identifier, &long]
        {
            assert_eq!(pull_policy(image), "IfNotPresent", "{image}");
        }
    }
}
