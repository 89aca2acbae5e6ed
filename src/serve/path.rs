//! The parts of a request's URL.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/request/requestinfo.go`

use std::borrow::Cow;
use std::num::{IntErrorKind, ParseIntError};

use gotext::names;
use kube_api::{GroupVersionResource, Status};

/// The subresources of namespaces, whose paths look like those of resources in namespaces.
const OF_NAMESPACES: [&str; 2] = ["finalize", "status"];

/// The target of a request and what it does, as the authorizer sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestInfo {
    /// The verb, such as `list`; of other paths than those of resources the method in lower case.
    pub(super) verb: &'static str,
    /// The path, decoded.
    pub(super) path: String,
    /// The resource; none for other paths.
    pub(super) target: Option<ResourcePath>,
}

/// The path of a resource, an object or a subresource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ResourcePath {
    pub(super) resource: GroupVersionResource,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) sub_resource: String,
    /// What follows the subresource.
    pub(super) rest: Vec<String>,
    /// Whether the path begins with `watch`, the former way to watch.
    pub(super) is_watch: bool,
    /// Whether the path begins with `/apis//`: the group without a name is at `/api`.
    pub(super) is_of_no_group: bool,
}

/// The parameters of a query, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads the part of a URL after `?`. Go leaves out pairs with a semicolon, or with an escape of nothing.
    pub(super) fn of(text: &str) -> Self {
        let is_read = |pair: &&str| !pair.is_empty() && !pair.contains(';') && is_escaped(pair);
        let pairs = text.split('&').filter(is_read).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(&name.replace('+', " ")).into_owned(), decoded(&value.replace('+', " ")).into_owned())
        });
        Self(pairs.collect())
    }

    /// Returns the first value of `name`, if there is one that is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Whether the parameter `name` is there, even without a value.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }

    /// Returns all values of `name`.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Returns the number `name`, if it is there.
    pub(super) fn number(&self, name: &str) -> Result<Option<i64>, Status> {
        let Some((_, text)) = self.0.iter().find(|(own, _)| own == name) else { return Ok(None) };
        text.parse().map(Some).map_err(|error: ParseIntError| {
            let reason = match error.kind() {
                IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
                _ => "invalid syntax",
            };
            let text = gotext::quote(text);
            Status::new_bad_request(format!("strconv.ParseInt: parsing {text}: {reason}"))
        })
    }

    /// Whether the parameter `name` is set and not false.
    ///
    /// Source: `runtime.Convert_Slice_string_To_bool`
    pub(super) fn flag(&self, name: &str) -> bool {
        self.flag_if_given(name).unwrap_or(false)
    }

    /// Returns whether the parameter `name` is not false, if it is there.
    pub(super) fn flag_if_given(&self, name: &str) -> Option<bool> {
        let (_, value) = self.0.iter().find(|(own, _)| own == name)?;
        Some(!matches!(value.to_lowercase().as_str(), "false" | "0"))
    }
}

impl RequestInfo {
    /// Reads the method and the path of a request.
    pub(super) fn of(method: &str, path: &str, query: &Query) -> Self {
        let path = decoded(path).into_owned();
        let by_method = match method {
            "POST" => "create",
            "GET" | "HEAD" => "get",
            "PUT" => "update",
            "PATCH" => "patch",
            "DELETE" => "delete",
            _ => "",
        };
        let Some(target) = ResourcePath::of(&path) else {
            let verb = match method {
                "GET" => "get",
                "HEAD" => "head",
                "POST" => "post",
                "PUT" => "put",
                "PATCH" => "patch",
                "DELETE" => "delete",
                "OPTIONS" => "options",
                _ => "",
            };
            return Self { verb, path, target: None };
        };
        let mut target = target;
        let verb = match by_method {
            _ if target.is_watch => "watch",
            "get" if target.name.is_empty() => {
                let selected =
                    query.get("fieldSelector").and_then(|text| text.strip_prefix("metadata.name="));
                let selected = selected.filter(|name| names::is_path_segment_name(name).is_empty());
                if let Some(name) = selected.filter(|name| !name.contains([',', '='])) {
                    name.clone_into(&mut target.name);
                }
                if query.flag("watch") { "watch" } else { "list" }
            }
            "delete" if target.name.is_empty() => "deletecollection",
            verb => verb,
        };
        Self { verb, path, target: Some(target) }
    }
}

impl ResourcePath {
    fn of(path: &str) -> Option<Self> {
        let mut parts = path.trim_matches('/').split('/');
        let (group, is_of_no_group) = match parts.next()? {
            "api" => ("", false),
            "apis" => parts.next().map(|group| (group, group.is_empty()))?,
            _ => return None,
        };
        let version = parts.next()?;
        let mut parts: Vec<&str> = parts.collect();
        let is_watch = parts.first() == Some(&"watch") && parts.len() > 1;
        if is_watch {
            parts.remove(0);
        }
        let mut namespace = "";
        if parts.first() == Some(&"namespaces") && parts.len() > 1 {
            namespace = parts[1];
            if parts.len() > 2 && !OF_NAMESPACES.contains(&parts[2]) {
                parts.drain(..2);
            }
        }
        let owned = |index: usize| parts.get(index).map(|part| (*part).to_owned()).unwrap_or_default();
        let resource = owned(0);
        if resource.is_empty() {
            return None;
        }
        Some(Self {
            resource: GroupVersionResource::new(group.to_owned(), version.to_owned(), resource),
            namespace: namespace.to_owned(),
            name: owned(1),
            sub_resource: owned(2),
            rest: parts.iter().skip(3).map(|part| (*part).to_owned()).collect(),
            is_watch,
            is_of_no_group,
        })
    }
}

/// Whether `path` begins as one to watch and ends there.
pub(super) fn lacks_resource(path: &str) -> bool {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    matches!(parts.as_slice(), ["api", _, "watch"] | ["apis", _, _, "watch"])
}

/// Whether every percent sign escapes a byte.
fn is_escaped(text: &str) -> bool {
    let mut escapes = text.split('%').skip(1);
    escapes.all(|rest| rest.len() >= 2 && rest.bytes().take(2).all(|digit| digit.is_ascii_hexdigit()))
}

/// Replaces the escapes of a URL by what they stand for. What is not UTF-8 then is replaced.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| str::from_utf8(digits).ok());
        let byte = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(method: &str, url: &str) -> RequestInfo {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        RequestInfo::of(method, path, &Query::of(query))
    }

    fn shown(method: &str, url: &str) -> String {
        let info = info(method, url);
        let target = info.target.map(|target| {
            let GroupVersionResource { group, version, resource } = target.resource;
            format!(
                "{group}/{version} {resource} {}/{} {}",
                target.namespace, target.name, target.sub_resource
            )
        });
        format!("{} {}", info.verb, target.unwrap_or(info.path))
    }

    #[test]
    fn paths_name_resources_and_verbs() {
        for (method, url, expected) in [
            ("GET", "/api/v1/pods", "list /v1 pods / "),
            ("GET", "/api/v1/namespaces/shop/pods?watch=1", "watch /v1 pods shop/ "),
            ("GET", "/api/v1/watch/namespaces/shop/pods", "watch /v1 pods shop/ "),
            ("GET", "/api/v1/namespaces/shop", "get /v1 namespaces shop/shop "),
            ("PUT", "/api/v1/namespaces/shop/finalize", "update /v1 namespaces shop/shop finalize"),
            ("GET", "/api/v1/namespaces", "list /v1 namespaces / "),
            (
                "PATCH",
                "/apis/apps/v1/namespaces/a/deployments/web/scale",
                "patch apps/v1 deployments a/web scale",
            ),
            ("DELETE", "/apis/apps/v1/namespaces/a/deployments", "deletecollection apps/v1 deployments a/ "),
            ("GET", "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dweb", "list /v1 pods a/web "),
            ("GET", "/apis/apps/v1", "get /apis/apps/v1"),
            ("GET", "/apis//", "get /apis//"),
            ("HEAD", "/healthz", "head /healthz"),
            ("GET", "/%2e%2", "get /.%2"),
        ] {
            assert_eq!(shown(method, url), expected, "{method} {url}");
        }
    }

    #[test]
    fn parameters_are_decoded() {
        let query = Query::of("labelSelector=a%3Db+c&watch&force=false&x=%zz&y=1;z=2");
        assert_eq!(query.get("labelSelector"), Some("a=b c"));
        assert!(query.flag("watch") && !query.flag("force") && !query.flag("other"));
        assert!(!query.has("x") && !query.has("y"), "{query:?}");
    }
}
