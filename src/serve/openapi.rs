//! Everything that the server serves, as OpenAPI documents: `kubectl` learns from them how lists merge and what
//! `explain` prints, and clients are generated from them. Deliberately absent: descriptions, which the field tables do
//! not have.
//!
//! Source: `k8s.io/kube-openapi/pkg/{handler,handler3,builder3}`

mod operations;
mod paths;
mod protobuf;
mod schemas;

use crate::serve::answer::{Answer, JSON};
use crate::serve::discovery::{self, Discovery};
use crate::serve::path::Query;
use crate::serve::shelf::{Shelf, VERSION};
use gotext::value::json;
use kube_api::resources::CUSTOM_RESOURCE_DEFINITIONS;
use kube_api::version::Version;
use kube_api::{Map, Object, Value};
use paths::Paths;
use schemas::{Dialect, Schemas};

/// The paths of what clients must know to verify tokens.
const ISSUER: &str = ".well-known/openid-configuration";
const KEYS: &str = "openid/v1/jwks";

/// The documents of a server.
pub(super) struct OpenApi<'a> {
    pub(super) discovery: &'a Discovery,
    pub(super) shelf: &'a Shelf,
    pub(super) release: Version,
}

/// Returns the media type that `header` prefers, of JSON and `others`.
///
/// Source: `goautoneg.ParseAccept`
fn accepted(header: &str, others: &[&'static str]) -> Option<&'static str> {
    let mut clauses: Vec<(f64, &str)> = header
        .split(',')
        .map(|clause| {
            let (kind, parameters) = clause.split_once(';').unwrap_or((clause, ""));
            let weight = parameters.split(';').find_map(|part| part.trim().strip_prefix("q="));
            (weight.and_then(|weight| weight.parse().ok()).unwrap_or(1.0), kind.trim())
        })
        .collect();
    clauses.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    clauses.into_iter().find_map(|(_, kind)| match kind {
        "*/*" | "application/*" | JSON => Some(JSON),
        "" if header.is_empty() => Some(JSON),
        kind => others.iter().find(|other| **other == kind).copied(),
    })
}

impl OpenApi<'_> {
    /// Answers a request for `path`, if that is one of OpenAPI. `accept` is what the client accepts, `known` the tag of
    /// the document that it has.
    pub(super) fn answer(&self, path: &str, query: &Query, accept: &str, known: &str) -> Option<Answer> {
        if path == "/openapi/v3" {
            let index = Answer::json(200, &self.index());
            return Some(Answer { content_type: "text/plain; charset=utf-8", ..index });
        }
        let group_version = path.strip_prefix("/openapi/v3/");
        if path != "/openapi/v2" && group_version.is_none() {
            return None;
        }
        let tag = self.tag();
        let mut headers = vec![("vary", "Accept".to_owned())];
        if let (Some(hash), Some(group_version)) = (query.get("hash"), group_version) {
            if hash != tag {
                let location = vec![("location", format!("/openapi/v3/{group_version}?hash={tag}"))];
                return Some(Answer { headers: location, ..Answer::text(301, "") });
            }
            headers.push(("cache-control", "public, immutable".to_owned()));
        }
        let is_known = known == format!("\"{tag}\"");
        // What the client has is not written again.
        let document = |group_version| if is_known { Some(Value::Null) } else { self.v3(group_version) };
        let versions = group_version.map(document);
        let kinds: &[&'static str] = if group_version.is_some() { &[] } else { &protobuf::ACCEPTED };
        let answer = match (versions, accepted(accept, kinds)) {
            (Some(None), _) => return Some(Answer { code: 404, ..Answer::default() }),
            (_, None) => return Some(Answer { code: 406, headers, ..Answer::default() }),
            _ if is_known => Answer::json(200, &Value::Null),
            (Some(Some(document)), _) => Answer::json(200, &document),
            (None, Some(JSON)) => Answer::json(200, &self.v2()),
            (None, Some(_)) => Answer::new(200, protobuf::MEDIA_TYPE, protobuf::written(&self.v2())),
        };
        Some(Answer { headers, ..answer }.tagged(&tag, known))
    }

    /// Returns the tag of all documents: they change with the release and with definitions.
    fn tag(&self) -> String {
        let definitions = self.shelf.list(&CUSTOM_RESOURCE_DEFINITIONS, "").objects;
        let version = |found: &std::sync::Arc<Object>| format!("{}@{}", found.name(), found.text(VERSION));
        let versions: Vec<String> = definitions.iter().map(version).collect();
        discovery::tag(format!("{} {}", self.release, versions.join(" ")).as_bytes())
    }

    fn index(&self) -> Value {
        let tag = self.tag();
        let mut names: Vec<String> = ["api", "apis", "version", ISSUER, KEYS].map(str::to_owned).to_vec();
        let mut groups: Vec<&str> = Vec::new();
        for (group, version) in self.discovery.versions() {
            names.push(operations::root(group, version)[1..].to_owned());
            if !group.is_empty() && !groups.contains(&group) && self.is_built_in(group, version) {
                groups.push(group);
                names.push(format!("apis/{group}"));
            }
        }
        let paths = names.into_iter().map(|path| {
            let url = format!("/openapi/v3/{path}?hash={tag}");
            (path, json!({"serverRelativeURL": url}))
        });
        json!({"paths": paths.collect::<Map>()})
    }

    /// Whether the resources of a group and version are not custom ones.
    fn is_built_in(&self, group: &str, version: &str) -> bool {
        let resources = self.discovery.resources(group, version).unwrap_or_default();
        resources.iter().any(|listed| !listed.is_custom)
    }

    fn v3(&self, name: &str) -> Option<Value> {
        let (group, version) = match name.split('/').collect::<Vec<_>>().as_slice() {
            ["api", version] => ("", *version),
            ["apis", group, version] => (*group, *version),
            _ => ("", ""),
        };
        let own = Some((group, version)).filter(|(_, version)| !version.is_empty());
        let mut schemas =
            Schemas::new(Dialect::V3, self.release, self.shelf, Some(own.unwrap_or(("", "v1"))));
        let mut paths = Paths::new(&mut schemas);
        match (own, name.split('/').collect::<Vec<_>>().as_slice()) {
            (Some((group, version)), _) => {
                self.discovery.resources(group, version)?;
                self.add_version(&mut paths, group, version);
            }
            (None, ["api"]) => add_core(&mut paths),
            (None, ["apis"]) => add_groups(&mut paths),
            (None, ["version"]) => add_version_page(&mut paths),
            (None, _) if name == ISSUER => add_issuer(&mut paths),
            (None, _) if name == KEYS => add_keys(&mut paths),
            (None, ["apis", group])
                if self
                    .discovery
                    .versions()
                    .any(|(known, version)| known == *group && self.is_built_in(known, version)) =>
            {
                add_group(&mut paths, group);
            }
            _ => return None,
        }
        let (paths, _) = paths.into_maps();
        let mut components = json!({"securitySchemes": security()});
        let found = schemas.into_map();
        if !found.is_empty() {
            components["schemas"] = found.into();
        }
        Some(json!({"openapi": "3.0.0", "info": self.info(), "paths": paths, "components": components}))
    }

    fn v2(&self) -> Value {
        let mut schemas = Schemas::new(Dialect::V2, self.release, self.shelf, None);
        let mut paths = Paths::new(&mut schemas);
        add_core(&mut paths);
        add_groups(&mut paths);
        add_version_page(&mut paths);
        add_issuer(&mut paths);
        add_keys(&mut paths);
        let mut last = "";
        for (group, version) in self.discovery.versions() {
            if !group.is_empty() && group != last && self.is_built_in(group, version) {
                add_group(&mut paths, group);
            }
            last = group;
            self.add_version(&mut paths, group, version);
        }
        let (paths, parameters) = paths.into_maps();
        json!({
            "swagger": "2.0",
            "info": self.info(),
            "paths": paths,
            "definitions": schemas.into_map(),
            "parameters": parameters,
            "securityDefinitions": security(),
            "security": [{"BearerToken": []}],
        })
    }

    fn info(&self) -> Value {
        json!({"title": "Kubernetes", "version": self.release.to_string()})
    }

    /// Adds the list of the resources of a version, and their paths.
    fn add_version(&self, paths: &mut Paths<'_, '_>, group: &str, version: &str) {
        if self.is_built_in(group, version) {
            let title = schemas::capital(&operations::group_name(group)) + &schemas::capital(version);
            let path = operations::root(group, version) + "/";
            let tag = operations::tag(group, version);
            paths.discovery(&path, &tag, &format!("get{title}APIResources"), "APIResourceList");
        }
        for listed in self.discovery.resources(group, version).into_iter().flatten() {
            operations::add(paths, listed);
        }
    }
}

fn add_core(paths: &mut Paths<'_, '_>) {
    paths.discovery("/api/", "core", "getCoreAPIVersions", "APIVersions");
}

fn add_groups(paths: &mut Paths<'_, '_>) {
    paths.discovery("/apis/", "apis", "getAPIVersions", "APIGroupList");
}

fn add_group(paths: &mut Paths<'_, '_>, group: &str) {
    let name = operations::group_name(group);
    let id = format!("get{}APIGroup", schemas::capital(&name));
    paths.discovery(&format!("/apis/{group}/"), &name, &id, "APIGroup");
}

fn add_version_page(paths: &mut Paths<'_, '_>) {
    let answer = paths.schemas.version();
    paths.page("/version/", "version", "getCodeVersion", answer, [&[JSON]; 2]);
}

fn add_issuer(paths: &mut Paths<'_, '_>) {
    let text = json!({"type": "string"});
    paths.page(
        &format!("/{ISSUER}/"),
        "WellKnown",
        "getServiceAccountIssuerOpenIDConfiguration",
        text,
        [&[], &[JSON]],
    );
}

fn add_keys(paths: &mut Paths<'_, '_>) {
    let (text, types) = (json!({"type": "string"}), ["application/jwk-set+json"]);
    paths.page(&format!("/{KEYS}/"), "openid", "getServiceAccountIssuerOpenIDKeyset", text, [&[], &types]);
}

/// Returns how clients say who they are.
fn security() -> Value {
    json!({"BearerToken": {"type": "apiKey", "name": "authorization", "in": "header"}})
}
