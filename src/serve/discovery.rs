//! What the server serves, as clients ask for it: in several documents or, aggregated, in one.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/discovery`, `k8s.io/api/apidiscovery`

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::evaluation::Routes;
use crate::serve::answer::{Accepted, Answer};
use crate::serve::shelf::Shelf;
use gotext::value::json;
use kube_api::resource::ApiResource;
use kube_api::resources::CUSTOM_RESOURCE_DEFINITIONS;
use kube_api::{GroupVersionKind, Object, Value};

/// The verbs of custom resources.
const VERBS: [&str; 8] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/// The verbs of their subresources.
const SUB_RESOURCE_VERBS: [&str; 3] = ["get", "patch", "update"];

/// The media types of aggregated discovery.
const AGGREGATED: [(&str, &str); 2] = [
    ("v2", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
    ("v2beta1", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"),
];

/// The groups in the order of the priorities that servers give them. Others follow, ordered by name.
///
/// Source: `DefaultGenericAPIServicePriorities`
const ORDER: [&str; 23] = [
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "storagemigration.k8s.io",
];

/// The groups of resources that people name together.
///
/// Source: the methods `Categories` of `k8s.io/kubernetes/pkg/registry`
const CATEGORIES: [(&str, &[(&str, &str)]); 2] = [
    (
        "all",
        &[
            ("", "pods"),
            ("", "replicationcontrollers"),
            ("", "services"),
            ("apps", "daemonsets"),
            ("apps", "deployments"),
            ("apps", "replicasets"),
            ("apps", "statefulsets"),
            ("autoscaling", "horizontalpodautoscalers"),
            ("batch", "cronjobs"),
            ("batch", "jobs"),
        ],
    ),
    (
        "api-extensions",
        &[
            ("admissionregistration.k8s.io", "mutatingadmissionpolicies"),
            ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings"),
            ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
            ("admissionregistration.k8s.io", "validatingadmissionpolicies"),
            ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
            ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
            ("apiextensions.k8s.io", "customresourcedefinitions"),
            ("apiregistration.k8s.io", "apiservices"),
        ],
    ),
];

/// A resource of a group and version.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) kind: GroupVersionKind,
    pub(super) is_namespaced: bool,
    singular: String,
    pub(super) verbs: Vec<String>,
    short_names: Vec<String>,
    categories: Vec<String>,
    pub(super) sub_resources: Vec<SubResource>,
    storage_version: String,
    pub(super) is_custom: bool,
}

/// A resource as the list of its group and version shows it: `kubectl` and others print the fields in this order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApiResourceEntry<'a> {
    name: Cow<'a, str>,
    singular_name: &'a str,
    namespaced: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    group: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    version: &'a str,
    kind: &'a str,
    verbs: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    short_names: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    categories: &'a [String],
    #[serde(skip_serializing_if = "String::is_empty")]
    storage_version_hash: String,
}

/// The resources of a group and version.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApiResourceList<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    api_version: &'static str,
    group_version: String,
    resources: Vec<ApiResourceEntry<'a>>,
}

#[derive(Clone, Debug)]
pub(super) struct SubResource {
    pub(super) name: String,
    pub(super) kind: GroupVersionKind,
    pub(super) verbs: Vec<String>,
}

/// The resources that the server serves, by group and version; the preferred version is the first one of its group.
pub(super) struct Discovery(BTreeMap<String, Vec<(String, Vec<Listed>)>>);

impl Discovery {
    /// Returns what is served now.
    pub(super) fn of(routes: &Routes, shelf: &Shelf) -> Self {
        let mut groups = BTreeMap::<String, Vec<(String, Vec<Listed>)>>::new();
        let definitions = shelf.list(&CUSTOM_RESOURCE_DEFINITIONS, "").objects;
        let custom = definitions.iter().flat_map(|definition| of_definition(definition));
        for listed in routes.built_in().map(Listed::from).chain(custom) {
            let versions = groups.entry(listed.kind.group.to_string()).or_default();
            let version = &*listed.kind.version;
            match versions.iter_mut().find(|(name, _)| name == version) {
                Some((_, resources)) => resources.push(listed),
                None => versions.push((version.to_owned(), vec![listed])),
            }
        }
        for versions in groups.values_mut() {
            versions.sort_by_cached_key(|(name, _)| Reverse(precedence(name)));
            store_in_preferred(versions);
        }
        Self(groups)
    }

    /// Returns the groups in the order in which clients look for a resource.
    fn groups(&self) -> impl Iterator<Item = (&String, &Vec<(String, Vec<Listed>)>)> {
        let mut groups: Vec<_> = self.0.iter().collect();
        groups.sort_by_key(|(name, _)| ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()));
        groups.into_iter()
    }

    /// Returns the resources of a group and version.
    pub(super) fn resources(&self, group: &str, version: &str) -> Option<&[Listed]> {
        let versions = self.0.get(group)?;
        versions.iter().find(|(name, _)| name == version).map(|(_, resources)| resources.as_slice())
    }

    /// Returns all groups and versions.
    pub(super) fn versions(&self) -> impl Iterator<Item = (&str, &str)> {
        let of = |(group, versions): (_, _)| (group, versions);
        let groups = self.0.iter().map(of);
        groups.flat_map(|(group, versions)| {
            versions.iter().map(move |(name, _)| (group.as_str(), name.as_str()))
        })
    }

    /// Answers a request for `path`, if that is one of discovery.
    /// `known` is the tag of the answer that the client has.
    pub(super) fn answer(
        &self,
        path: &str,
        address: &str,
        accepted: &Accepted,
        known: &str,
    ) -> Option<Answer> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let parts: Vec<&str> = path.strip_suffix('/').unwrap_or(path).split('/').collect();
        let found = match parts.as_slice() {
            [root @ ("api" | "apis")] if accepted.aggregated.is_some() => {
                let version = accepted.aggregated.as_deref().unwrap_or_default();
                let answer = self.aggregated(*root == "api", version);
                let tag = tag(&answer.body);
                let headers = vec![("vary", "Accept".to_owned()), ("cache-control", "public".to_owned())];
                return Some(Answer { headers, ..answer }.tagged(&tag, known));
            }
            ["api"] => Some(json!({
                "kind": "APIVersions",
                "versions": ["v1"],
                "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
            })),
            ["apis"] => {
                let groups = self.groups().filter(|(name, _)| !name.is_empty());
                let groups: Vec<Value> = groups.map(|(name, versions)| group(name, versions)).collect();
                Some(json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))
            }
            ["apis", name] => self.0.get(*name).filter(|_| !name.is_empty()).map(|versions| {
                let mut found = group(name, versions);
                found["kind"] = "APIGroup".into();
                found["apiVersion"] = "v1".into();
                found
            }),
            ["api", version] => return self.answer_list("", version, accepted),
            ["apis", name, version] if !name.is_empty() => {
                return self.answer_list(name, version, accepted);
            }
            _ => return None,
        };
        found.map(|found| accepted.answer(200, &found))
    }

    fn answer_list(&self, group: &str, version: &str, accepted: &Accepted) -> Option<Answer> {
        self.list(group, version).map(|found| accepted.answer_ordered(&found))
    }

    fn list(&self, group: &str, version: &str) -> Option<ApiResourceList<'_>> {
        let resources = self.resources(group, version)?;
        let kind = GroupVersionKind::new(group.to_owned(), version.to_owned(), "");
        Some(ApiResourceList {
            kind: "APIResourceList",
            api_version: if group.is_empty() { "" } else { "v1" },
            group_version: kind.api_version(),
            resources: resources.iter().flat_map(Listed::entries).collect(),
        })
    }

    fn aggregated(&self, is_core: bool, version: &str) -> Answer {
        let groups = self.groups().filter(|(name, _)| name.is_empty() == is_core);
        let groups = groups.map(|(name, versions)| {
            let versions: Vec<Value> = versions
                .iter()
                .map(|(name, resources)| {
                    let resources: Vec<Value> = resources.iter().map(Listed::aggregated).collect();
                    json!({"version": name, "resources": resources, "freshness": "Current"})
                })
                .collect();
            let metadata = if name.is_empty() { json!({}) } else { json!({"name": name}) };
            json!({"metadata": metadata, "versions": versions})
        });
        let list = json!({
            "kind": "APIGroupDiscoveryList",
            "apiVersion": format!("apidiscovery.k8s.io/{version}"),
            "metadata": {},
            "items": groups.collect::<Vec<_>>(),
        });
        let (_, content_type) =
            AGGREGATED.into_iter().find(|(own, _)| *own == version).unwrap_or(AGGREGATED[0]);
        Answer { content_type, ..Answer::json(200, &list) }
    }
}

/// Returns the tag of a document, which changes with it.
pub(super) fn tag(document: &[u8]) -> String {
    base16ct::upper::encode_string(&Sha256::digest(document))
}

/// Sets the version in which the objects of built-in kinds are stored: the preferred one that has the kind.
fn store_in_preferred(versions: &mut [(String, Vec<Listed>)]) {
    let mut preferred = BTreeMap::<String, String>::new();
    for (version, resources) in versions {
        for listed in resources.iter_mut().filter(|listed| listed.storage_version.is_empty()) {
            let found = preferred.entry(listed.name.clone()).or_insert_with(|| version.clone());
            listed.storage_version.clone_from(found);
        }
    }
}

fn group(name: &str, versions: &[(String, Vec<Listed>)]) -> Value {
    let version = |(version, _): &(String, Vec<Listed>)| json!({"groupVersion": format!("{name}/{version}"), "version": version});
    let all: Vec<Value> = versions.iter().map(version).collect();
    json!({"name": name, "versions": all, "preferredVersion": versions.first().map(version)})
}

/// Returns what versions are sorted by: stable ones after beta and alpha, and higher numbers after lower ones.
///
/// Source: `k8s.io/apimachinery/pkg/version.CompareKubeAwareVersionStrings`
fn precedence(version: &str) -> (u8, u32, u32, Reverse<String>) {
    let split = |text: &str, separator: &str| {
        let (major, minor) = text.split_once(separator)?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    let number = version.strip_prefix('v').unwrap_or_default();
    let (stage, (major, minor)) = if let Ok(major) = number.parse() {
        (3, (major, 0))
    } else if let Some(found) = split(number, "beta") {
        (2, found)
    } else if let Some(found) = split(number, "alpha") {
        (1, found)
    } else {
        (0, (0, 0))
    };
    (stage, major, minor, Reverse(version.to_owned()))
}

impl From<&'static ApiResource> for Listed {
    fn from(found: &'static ApiResource) -> Self {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let is_in =
            |(_, members): &&(&str, &[(&str, &str)])| members.contains(&(found.group, found.resource));
        let sub_resources = found.subresources.iter().map(|below| SubResource {
            name: below.name.to_owned(),
            kind: below.group_version_kind(),
            verbs: owned(below.verbs),
        });
        Self {
            name: found.resource.to_owned(),
            kind: found.group_version_kind(),
            is_namespaced: found.namespaced,
            singular: found.singular.to_owned(),
            verbs: owned(found.verbs),
            short_names: owned(found.short_names),
            categories: CATEGORIES.iter().filter(is_in).map(|(name, _)| (*name).to_owned()).collect(),
            sub_resources: sub_resources.collect(),
            storage_version: String::new(),
            is_custom: false,
        }
    }
}

/// Returns the resources of a definition, one for each served version.
fn of_definition(definition: &Object) -> Vec<Listed> {
    let texts = |field: &str| {
        let texts = definition.list(["spec", "names", field]).iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect::<Vec<_>>()
    };
    let name = |field: &str| definition.text(["spec", "names", field]).to_owned();
    let group = definition.text(["spec", "group"]).to_owned();
    let mut all = definition.items(["spec", "versions"]);
    let stored = all.find(|version| version.flag("storage"));
    let storage_version = stored.map_or("", |version| version.text("name")).to_owned();
    let versions = definition.items(["spec", "versions"]).filter(|version| version.flag("served"));
    let resources = versions.map(|version| {
        let kind = GroupVersionKind::new(group.clone(), version.text("name").to_owned(), name("kind"));
        let below = |name: &str, kind: &GroupVersionKind| {
            let verbs = SUB_RESOURCE_VERBS.map(str::to_owned).to_vec();
            version.has(["subresources", name]).then(|| SubResource {
                name: name.to_owned(),
                kind: kind.clone(),
                verbs,
            })
        };
        let scale = GroupVersionKind::new("autoscaling", "v1", "Scale");
        Listed {
            name: name("plural"),
            is_namespaced: definition.text(["spec", "scope"]) == "Namespaced",
            singular: name("singular"),
            verbs: VERBS.map(str::to_owned).to_vec(),
            short_names: texts("shortNames"),
            categories: texts("categories"),
            sub_resources: below("status", &kind).into_iter().chain(below("scale", &scale)).collect(),
            storage_version: storage_version.clone(),
            is_custom: true,
            kind,
        }
    });
    resources.collect()
}

impl Listed {
    /// Returns the entries of the resource and its subresources.
    fn entries(&self) -> impl Iterator<Item = ApiResourceEntry<'_>> {
        let own = ApiResourceEntry {
            name: Cow::Borrowed(&self.name),
            singular_name: &self.singular,
            namespaced: self.is_namespaced,
            group: "",
            version: "",
            kind: &self.kind.kind,
            verbs: &self.verbs,
            short_names: &self.short_names,
            categories: &self.categories,
            storage_version_hash: self.storage_version_hash(),
        };
        let below = self.sub_resources.iter().map(|below| {
            let is_other = (&below.kind.group, &below.kind.version) != (&self.kind.group, &self.kind.version);
            let (group, version) =
                if is_other { (&*below.kind.group, &*below.kind.version) } else { ("", "") };
            ApiResourceEntry {
                name: Cow::Owned(format!("{}/{}", self.name, below.name)),
                singular_name: "",
                namespaced: self.is_namespaced,
                group,
                version,
                kind: &below.kind.kind,
                verbs: &below.verbs,
                short_names: &[],
                categories: &[],
                storage_version_hash: String::new(),
            }
        });
        std::iter::once(own).chain(below)
    }

    /// Returns what clients compare to find out whether objects are stored in another version than before; nothing if
    /// they are not stored.
    ///
    /// Source: `StorageVersionHash`
    fn storage_version_hash(&self) -> String {
        if !self.verbs.iter().any(|verb| verb == "list") || &*self.kind.kind == "ComponentStatus" {
            return String::new();
        }
        let GroupVersionKind { group, kind, .. } = &self.kind;
        let (group, version) = match &**kind {
            // Both kinds of events are stored as that of the core.
            _ if self.is_custom => (&**group, &*self.storage_version),
            "Event" => ("", "v1"),
            "CustomResourceDefinition" => (&**group, "v1beta1"),
            _ => (&**group, &*self.storage_version),
        };
        let hash = Sha256::digest(format!("{group}/{version}/{kind}"));
        BASE64_STANDARD.encode(&hash[..8])
    }

    fn aggregated(&self) -> Value {
        // Built-in kinds name their group and version only if these are others.
        let is_own = |kind: &GroupVersionKind| {
            !self.is_custom && (&kind.group, &kind.version) == (&self.kind.group, &self.kind.version)
        };
        let kind = |kind: &GroupVersionKind| {
            let (group, version) = if is_own(kind) { ("", "") } else { (&*kind.group, &*kind.version) };
            json!({"group": group, "version": version, "kind": kind.kind})
        };
        let mut found = json!({
            "resource": self.name,
            "responseKind": kind(&self.kind),
            "scope": if self.is_namespaced { "Namespaced" } else { "Cluster" },
            "singularResource": self.singular,
            "verbs": self.verbs,
        });
        for (field, texts) in [("shortNames", &self.short_names), ("categories", &self.categories)] {
            if !texts.is_empty() {
                found[field] = texts.clone().into();
            }
        }
        let below = self.sub_resources.iter().map(|below| {
            json!({"subresource": below.name, "responseKind": kind(&below.kind), "verbs": below.verbs})
        });
        let below: Vec<Value> = below.collect();
        if !below.is_empty() {
            found["subresources"] = below.into();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_versions_are_preferred() {
        let mut versions = ["v1alpha1", "v1", "v2", "v1beta2", "v10", "foo", "v1beta10"];
        versions.sort_by_key(|version| Reverse(precedence(version)));
        assert_eq!(versions, ["v10", "v2", "v1", "v1beta10", "v1beta2", "v1alpha1", "foo"]);
    }
}
