//! What a text of an object is, and which parts of it are names.

use std::net::IpAddr;

use jiff::Timestamp;

use super::{Change, Sort};

/// Fields of the API whose texts are words of the API.
const WORDS: [&str; 34] = [
    "apiGroup",
    "apiGroups",
    "apiVersion",
    "apiVersions",
    "capabilities",
    "cidr",
    "cidrs",
    "clusterIP",
    "clusterIPs",
    "divisor",
    "except",
    "fieldPath",
    "finalizers",
    "group",
    "key",
    "kind",
    "operation",
    "operations",
    "operator",
    "phase",
    "propagationPolicy",
    "protocol",
    "resource",
    "resourceVersion",
    "resources",
    "schedule",
    "scope",
    "seLinuxOptions",
    "subResource",
    "sysctls",
    "timeZone",
    "topologyKey",
    "verbs",
    "version",
];

/// Names that every cluster has.
const COMMON: [&str; 16] = [
    "admin",
    "cluster-admin",
    "default",
    "default-scheduler",
    "edit",
    "kube-node-lease",
    "kube-public",
    "kube-root-ca.crt",
    "kube-system",
    "kubeadm:cluster-admins",
    "kubernetes",
    "kubernetes-admin",
    "/",
    "/dev/termination-log",
    "/var/run/secrets/kubernetes.io/serviceaccount",
    "view",
];

/// Returns what a text in the field `key`, in a map of the field `parent`, is; nothing if it stays.
pub(super) fn sort_of(parent: &str, key: &str, text: &str) -> Option<Sort> {
    if key == "uid" {
        return Some(Sort::Uid);
    }
    let is_label = is_label(parent, key);
    let is_annotation = parent == "annotations";
    if is_label || is_annotation {
        return Some(if is_label { Sort::Label } else { Sort::Annotation });
    }
    if [key, parent].iter().any(|field| WORDS.contains(field)) {
        return None;
    }
    Some(match key {
        "namespace" | "namespaces" | "targetNamespace" => Sort::Namespace,
        "username" | "user" => Sort::User,
        "groups" => Sort::Group,
        "host" | "hosts" | "hostnames" | "externalName" | "server" | "url" => Sort::Host,
        "hostname" | "name" | "resourceNames" | "serviceAccount" | "subdomain" => Sort::Name,
        _ if key == "image" || key.ends_with("Image") => Sort::Image,
        _ if key.ends_with("Name") => Sort::Name,
        _ if text.starts_with('/') => Sort::Path,
        _ if is_free(parent, key) => Sort::Value,
        _ if is_word(text) => return None,
        _ => Sort::Value,
    })
}

/// Whether the texts of a field are values of labels. Those of the application have a domain of Kubernetes, too.
pub(super) fn is_label(parent: &str, key: &str) -> bool {
    ["labels", "matchLabels", "nodeSelector", "selector"].contains(&parent) || key == "values"
}

/// Whether the texts of a field are those of users, even if they look like words of the API.
fn is_free(parent: &str, key: &str) -> bool {
    ["args", "command", "value"].contains(&key)
        || ["binaryData", "data", "extra", "parameters", "stringData"].contains(&parent)
}

/// Whether `text` looks like a word of the API, such as `ClusterFirst`.
fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether `text` begins with a domain of Kubernetes.
pub(super) fn is_of_kubernetes(text: &str) -> bool {
    let domain = text.split_once('/').map_or("", |(domain, _)| domain);
    if domain == "app.kubernetes.io" {
        return false;
    }
    ["kubernetes.io", "k8s.io", "openshift.io"].iter().any(|known| {
        domain.strip_suffix(known).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

/// Whether `text` is empty, a truth value, a number, a quantity or a time.
fn is_plain(text: &str) -> bool {
    let number = text.trim_start_matches(['+', '-']);
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.len() <= 20
        && unit.len() <= 3
        && unit.chars().all(|c| c.is_ascii_alphabetic() || c == '%');
    text.is_empty() || ["true", "false"].contains(&text) || is_number || text.parse::<Timestamp>().is_ok()
}

fn is_range(text: &str) -> bool {
    let parts = text.split_once('/');
    parts.is_some_and(|(address, bits)| address.parse::<IpAddr>().is_ok() && bits.parse::<u8>().is_ok())
}

/// Returns `text` of a `sort` with the new names of its parts, if there are some.
pub(super) fn leaf(sort: Sort, text: &str, change: &mut Change<'_>) -> Option<String> {
    if sort == Sort::Uid && !text.is_empty() {
        return change(Some(sort), text);
    }
    if text.parse::<IpAddr>().is_ok() {
        return change(Some(Sort::Address), text);
    }
    if is_plain(text) || is_range(text) || COMMON.contains(&text) || text.starts_with("system-") {
        return None;
    }
    if let Some(account) = text.strip_prefix("system:serviceaccount:") {
        let (namespace, name) = account.split_once(':')?;
        let new = [leaf(Sort::Namespace, namespace, change), leaf(Sort::Name, name, change)];
        let [namespace, name] = [(namespace, &new[0]), (name, &new[1])]
            .map(|(old, new)| new.clone().unwrap_or_else(|| old.to_owned()));
        return Some(format!("system:serviceaccount:{namespace}:{name}"));
    }
    for (prefix, sort) in [("system:serviceaccounts:", Sort::Namespace), ("system:node:", Sort::Name)] {
        if let Some(rest) = text.strip_prefix(prefix) {
            return leaf(sort, rest, change).map(|new| format!("{prefix}{new}"));
        }
    }
    if text.starts_with("system:") {
        return None;
    }
    match sort {
        Sort::Image => {
            let (image, digest) =
                text.split_once('@').map_or((text, None), |(image, end)| (image, Some(end)));
            let start = image.rfind('/').map_or(0, |slash| slash + 1);
            let end = image[start..].find(':').map_or(image.len(), |colon| start + colon);
            let new = change(Some(sort), &image[..end])?;
            let tag = match &image[end..] {
                "" => "",
                ":latest" => ":latest",
                _ => ":1",
            };
            let digest = digest.map(|_| format!("@sha256:{}", "0".repeat(64))).unwrap_or_default();
            Some(format!("{new}{tag}{digest}"))
        }
        Sort::Host if text.contains("://") => {
            let (scheme, rest) = text.split_once("://")?;
            let host = rest.split(['/', ':', '?']).next()?;
            leaf(sort, host, change).map(|new| format!("{scheme}://{new}"))
        }
        Sort::Host => {
            let (wildcard, host) = text.strip_prefix("*.").map_or(("", text), |host| ("*.", host));
            change(Some(sort), host).map(|new| format!("{wildcard}{new}"))
        }
        _ if text.contains("://") => leaf(Sort::Host, text, change),
        _ if is_of_kubernetes(text) => None,
        Sort::Name if text.ends_with('-') => {
            change(Some(sort), text.trim_end_matches('-')).map(|new| format!("{new}-"))
        }
        _ => change(Some(sort), text),
    }
}
