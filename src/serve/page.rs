//! Paths other than those of resources: the health and the version of the server, and what it serves.

use hyper::http::request::Parts;

use crate::serve::answer::{Accepted, Answer, JSON, YAML, not_found_page, route, unrouted};
use crate::serve::app::{App, text};
use crate::serve::claims::ISSUER;
use crate::serve::discovery::Discovery;
use crate::serve::jwt;
use crate::serve::openapi::OpenApi;
use crate::serve::path::Query;
use gotext::value::json;
use kube_api::version::Version;
use kube_api::{GroupResource, Status, Value, protobuf};

/// The checks of the health of a server, which has no others while it answers.
const CHECKS: [&str; 3] = ["ping", "log", "etcd"];

/// The paths of what is not in a group.
const PATHS: [&str; 11] = [
    "/.well-known/openid-configuration",
    "/api",
    "/apis",
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
];

/// The first release whose version says which release it emulates.
const EMULATION: Version = Version::minor(34);

impl App {
    /// Answers a request for another path than that of a resource.
    pub(super) fn page(&self, head: &Parts, path: &str, accepted: Result<Accepted, Status>) -> Answer {
        let query = Query::of(head.uri.query().unwrap_or_default());
        let header = |name| text(&head.headers, name);
        let (accept, known) = (header("accept"), header("if-none-match"));
        let discovery = Discovery::of(&self.routes, &self.shelf);
        let release = self.routes.profile().release();
        let openapi = OpenApi { discovery: &discovery, shelf: &self.shelf, release };
        let answer = health(path, &query).or_else(|| openapi.answer(path, &query, accept, known));
        if let Some(answer) = answer {
            return answer;
        }
        let form = accepted.clone().unwrap_or_default();
        let trimmed = path.trim_end_matches('/');
        let found = match trimmed {
            "" if path == "/" => return Answer::pretty(&json!({"paths": paths(&discovery)})),
            "/metrics" if path == trimmed => return self.metrics(),
            "/.well-known/openid-configuration" => return self.issuer(),
            "/openid/v1/jwks" => return self.public_keys(),
            "/version" => Some(Answer::pretty(&self.version())),
            _ if path.starts_with("/apis//") => None,
            _ => discovery.answer(trimmed, &self.address, &form, known),
        };
        let is_routed = self.is_routed(path);
        match found {
            None if is_routed => form.status(&unrouted(404)),
            None => not_found_page(),
            Some(_) if is_routed && head.method != "GET" => form.status(&unrouted(405)),
            Some(answer) => {
                let is_version = trimmed == "/version";
                let types: &[&str] = if is_version { &[JSON] } else { &[JSON, YAML, protobuf::MEDIA_TYPE] };
                let routed = if is_routed { route(accept, types) } else { Ok(()) };
                let refused = routed.err().or_else(|| accepted.err().filter(|_| !is_version));
                refused.map_or(answer, |status| form.status(&status))
            }
        }
    }

    /// Returns what clients must know of the issuer of tokens.
    ///
    /// Source: `openIDMetadata`
    fn issuer(&self) -> Answer {
        let found = json!({
            "issuer": ISSUER,
            "jwks_uri": format!("https://{}/openid/v1/jwks", self.address),
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [jwt::ALGORITHM],
        });
        public(Answer::json(200, &found), JSON)
    }

    fn public_keys(&self) -> Answer {
        public(Answer::json(200, &self.tokens.signer.public_keys()), "application/jwk-set+json")
    }

    /// Whether routes lead to `path`, each for one method and some media types. The lists of groups, and of the versions of
    /// a group, have none, nor do custom resources.
    ///
    /// Source: `director.ServeHTTP`, `apiGroupHandler`
    fn is_routed(&self, path: &str) -> bool {
        match path.split('/').skip(1).collect::<Vec<_>>().as_slice() {
            ["version" | "api", ..] => true,
            ["apis", _] | ["apis", _, ""] => false,
            ["apis", group, ..] => !group.is_empty() && self.is_built_in(group),
            _ => false,
        }
    }

    /// Returns the numbers of objects, as Prometheus reads them.
    fn metrics(&self) -> Answer {
        let mut text = "# HELP apiserver_resource_objects Number of objects that exist.\n\
                        # TYPE apiserver_resource_objects gauge\n"
            .to_owned();
        for (GroupResource { group, resource }, count) in self.shelf.counts() {
            let count = count.to_string();
            let parts = [
                "apiserver_resource_objects{group=\"",
                &group,
                "\",resource=\"",
                &resource,
                "\"} ",
                &count,
                "\n",
            ];
            text.extend(parts);
        }
        Answer::new(200, "text/plain; version=0.0.4; charset=utf-8", text)
    }

    fn version(&self) -> Value {
        let release = self.routes.profile().release();
        let (os, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
        let os = if os == "macos" { "darwin" } else { os };
        let architecture = match architecture {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            other => other,
        };
        let mut version = json!({
            "major": "1",
            "minor": release.minor.to_string(),
            "gitVersion": format!("v{release}.0+kadmit"),
            "gitCommit": "",
            "gitTreeState": "",
            "buildDate": "",
            "goVersion": "",
            "compiler": "",
            "platform": format!("{os}/{architecture}"),
        });
        if release >= EMULATION {
            version["emulationMajor"] = "1".into();
            version["emulationMinor"] = release.minor.to_string().into();
            version["minCompatibilityMajor"] = "1".into();
            version["minCompatibilityMinor"] = (release.minor - 1).to_string().into();
        }
        version
    }
}

/// Returns the paths that the server lists.
fn paths(discovery: &Discovery) -> Vec<String> {
    let groups = discovery.versions().map(|(group, version)| match group {
        "" => format!("/api/{version}"),
        group => format!("/apis/{group}/{version}"),
    });
    let mut paths: Vec<String> = groups.chain(PATHS.map(str::to_owned)).collect();
    paths.sort_unstable();
    paths
}

/// Answers a request for the health of the server, or for one of its checks.
fn health(path: &str, query: &Query) -> Option<Answer> {
    let path = path.strip_prefix('/')?;
    let (root, check) = match path.split_once('/') {
        Some((_, "")) => return None,
        found => found.unwrap_or((path, "")),
    };
    if !["healthz", "livez", "readyz"].contains(&root) || !check.is_empty() && !CHECKS.contains(&check) {
        return None;
    }
    if check.is_empty() && query.has("verbose") {
        let lines = CHECKS.map(|check| format!("[+]{check} ok\n")).concat();
        return Some(Answer::text(200, &format!("{lines}{root} check passed\n")));
    }
    Some(Answer::text(200, "ok"))
}

/// Returns an answer that clients may keep for an hour.
fn public(answer: Answer, content_type: &'static str) -> Answer {
    let headers = vec![("cache-control", "public, max-age=3600".to_owned())];
    Answer { content_type, headers, ..answer }
}
