//! The way of a request: who sends it, what it is about, and who answers it.

#![expect(clippy::result_large_err, reason = "a refusal is the answer to a request, and is made once")]

use std::sync::{Arc, Mutex, mpsc};

use hyper::HeaderMap;
use hyper::http::request::Parts;

use crate::admission::UserInfo;
use crate::evaluation::{Routes, Served};
use crate::serve::access::Gate;
use crate::serve::answer::{Accepted, Answer, Form, not_found_page, unacceptable, unrouted};
use crate::serve::discovery::Discovery;
use crate::serve::engine::{Engine, Job};
use crate::serve::openapi::OpenApi;
use crate::serve::path::{Query, RequestInfo, ResourcePath};
use crate::serve::read::{Reading, Watch};
use crate::serve::shelf::Shelf;
use crate::serve::token::{self, Tokens};
use crate::serve::write::{CONNECTIONS, Writing, check_container, not_implemented};
use gotext::names;
use gotext::value::json;
use kube_api::resources::PODS;
use kube_api::version::Version;
use kube_api::{GroupResource, Status};

/// The checks of the health of a server, which has no others while it answers.
const CHECKS: [&str; 3] = ["ping", "log", "etcd"];

/// The first release without the beta version of aggregated discovery.
const NO_BETA_DISCOVERY: Version = Version::minor(33);

/// The first release whose version says which release it emulates.
const EMULATION: Version = Version::minor(34);

/// The parts of a server that answer requests.
pub(super) struct App {
    pub(super) gate: Arc<Gate>,
    pub(super) routes: Routes,
    pub(super) shelf: Arc<Shelf>,
    pub(super) engine: Arc<Mutex<Engine>>,
    /// The thread that evaluates what may take long.
    pub(super) jobs: mpsc::Sender<Job>,
    /// Whether evaluations wait for webhooks, which may read from this server.
    pub(super) asks_webhooks: bool,
    pub(super) tokens: Tokens,
    /// The address that clients reach.
    pub(super) address: String,
}

/// A request of a user who may send it, before its body arrives.
pub(super) struct Received {
    head: Parts,
    query: Query,
    accepted: Result<Accepted, Status>,
    info: RequestInfo,
    user: Arc<UserInfo>,
}

/// The answer to a request, or who gives it.
pub(super) enum Reply {
    Answer(Answer),
    /// The answer comes from another thread.
    Later(tokio::sync::oneshot::Receiver<Answer>),
    Watch(Box<Watch>),
}

impl App {
    /// Reads the head of a request.
    ///
    /// # Errors
    ///
    /// Returns the answer to a request that its sender may not send, whose body is not read.
    pub(super) fn receive(&self, head: Parts) -> Result<Received, Answer> {
        let query = Query::of(head.uri.query().unwrap_or_default());
        let is_pretty = is_pretty(&query, text(&head.headers, "user-agent"));
        let has_beta = self.routes.profile().release() < NO_BETA_DISCOVERY;
        let accepted = Accepted::of(text(&head.headers, "accept"), is_pretty, has_beta);
        let info = RequestInfo::of(head.method.as_str(), head.uri.path(), &query);
        let admitted = self.gate.admit(&head.headers, &info);
        // Refusals have a form even if nothing else does.
        let refused = |status| accepted.clone().unwrap_or_default().status(&status);
        let user = admitted.map_err(refused)?;
        Ok(Received { head, query, accepted, info, user })
    }

    /// Answers a request.
    pub(super) fn reply(&self, received: Received, body: Vec<u8>) -> Reply {
        let Received { head, query, accepted, info: RequestInfo { verb, path, target }, user } = received;
        let Some(target) = target else { return Reply::Answer(self.page(&head, &path, accepted)) };
        let form = accepted.clone().unwrap_or_default();
        let result = self.found(head.method.as_str(), verb, &target).and_then(|served| {
            let accepted = accepted?;
            self.resource(verb, served, target, query, accepted, user, &head, body)
        });
        result.unwrap_or_else(|answer| {
            Reply::Answer(answer.0.map_or_else(|| answer.1.clone(), |status| form.status(&status)))
        })
    }

    /// Returns the resource in the path.
    fn found(&self, method: &str, verb: &str, target: &ResourcePath) -> Result<Served, Refused> {
        let found = self.routes.find(&target.resource, &target.sub_resource);
        let served = found.map_err(|_| self.unknown(target))?;
        if target.sub_resource.is_empty() && !target.rest.is_empty() {
            return Err(Refused(None, not_found_page()));
        }
        let has_namespace = !target.namespace.is_empty() && target.resource.resource != "namespaces";
        let is_across = served.is_namespaced() && !has_namespace && !["list", "watch"].contains(&verb);
        let is_misplaced = is_across || !served.is_namespaced() && has_namespace;
        let is_of_object = !target.name.is_empty();
        let is_fitting = match verb {
            // What handles custom resources looks at the name when it needs one.
            _ if served.custom().is_some() => true,
            "update" | "patch" => is_of_object,
            "create" => !is_of_object || !target.sub_resource.is_empty(),
            _ => true,
        };
        let is_connection =
            target.sub_resource == "log" || CONNECTIONS.contains(&target.sub_resource.as_str());
        let is_served = is_fitting && (is_connection || served.serves(verb));
        if served.custom().is_some() {
            match (is_misplaced, is_served) {
                (true, _) => return Err(Refused(None, not_found_page())),
                (_, false) => {
                    return Err(Status::new_method_not_supported(&served.stored_as(), verb).into());
                }
                _ => {}
            }
        } else if is_misplaced {
            // All namespaces have one list, which is the only thing to do with them together.
            return Err(unrouted(if is_across && !is_of_object { 405 } else { 404 }).into());
        } else if !is_served || method == "HEAD" {
            return Err(unrouted(405).into());
        }
        let errors = names::is_path_segment_name(&target.name);
        if is_of_object && verb != "create" && !errors.is_empty() {
            let name = gotext::quote(&target.name);
            let error = format!("Name parameter invalid: {name}: {}", errors.join(";"));
            return Err(Status::new_bad_request(error).into());
        }
        Ok(served)
    }

    /// Returns the answer about a resource that does not exist.
    fn unknown(&self, target: &ResourcePath) -> Refused {
        let resource = &target.resource;
        let is_custom = || self.routes.find(resource, "").is_ok_and(|served| served.custom().is_some());
        if !target.sub_resource.is_empty() && is_custom() {
            return Status::new_not_found(&resource.group_resource(), &target.name).into();
        }
        if self.is_built_in(&resource.group) {
            return unrouted(404).into();
        }
        Refused(None, not_found_page())
    }

    fn is_built_in(&self, group: &str) -> bool {
        self.routes.built_in().any(|found| found.group == group)
    }

    /// Whether the part of the server that knows built-in groups answers requests for `path`.
    ///
    /// Source: `director.ServeHTTP`
    fn is_routed(&self, path: &str) -> bool {
        match path.strip_prefix('/').unwrap_or(path).split('/').collect::<Vec<_>>().as_slice() {
            ["version" | "api", ..] | ["apis"] | ["apis", ""] => true,
            ["apis", group, ..] => !group.is_empty() && self.is_built_in(group),
            _ => false,
        }
    }

    #[expect(clippy::too_many_arguments, reason = "they are the parts of one request")]
    fn resource(
        &self,
        verb: &'static str,
        served: Served,
        path: ResourcePath,
        query: Query,
        accepted: Accepted,
        user: Arc<UserInfo>,
        head: &Parts,
        body: Vec<u8>,
    ) -> Result<Reply, Refused> {
        let now = now();
        if path.sub_resource == "log" {
            return Ok(Reply::Answer(self.log(&path, &query)?));
        }
        // What only answers has no columns.
        if accepted.form == Form::Table && path.sub_resource.is_empty() && !served.serves("list") {
            return Err(unacceptable().into());
        }
        let is_connection = CONNECTIONS.contains(&path.sub_resource.as_str());
        if ["get", "list", "watch"].contains(&verb) && !is_connection {
            let (shelf, warning) = (&self.shelf, served.deprecation_warning(self.routes.profile().release()));
            let reading =
                Reading { served: &served, path: &path, query: &query, accepted: &accepted, shelf, now };
            return Ok(match verb {
                "get" => Reply::Answer(reading.get()?.warning(warning)),
                "list" => Reply::Answer(reading.list()?.warning(warning)),
                _ => Reply::Watch(Box::new(reading.watch()?)),
            });
        }
        let writing = Writing {
            verb,
            served,
            path,
            query,
            accepted,
            user,
            content_type: text(&head.headers, "content-type").to_owned(),
            user_agent: text(&head.headers, "user-agent").to_owned(),
            title: format!("{} {}", head.method, head.uri.path()),
            body,
            release: self.routes.profile().release(),
            now,
        };
        Ok(self.send(writing))
    }

    /// Lets the engine answer.
    fn send(&self, writing: Writing) -> Reply {
        let (gate, tokens) = (self.gate.clone(), self.tokens.clone());
        let is_short = writing.is_short() && !self.asks_webhooks;
        let answer = move |engine: &mut Engine| {
            let path = writing.path.clone();
            let answer = writing.answer(engine, |object| token::complete(object, &path, &gate, &tokens));
            // Tests see what controllers did as soon as they have the answer.
            engine.settle();
            answer
        };
        // To wake another thread and to be woken by it takes longer than to answer.
        if is_short && let Ok(mut engine) = self.engine.try_lock() {
            return Reply::Answer(answer(&mut engine));
        }
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let job: Job = Box::new(move |engine: &mut Engine| {
            // The client may have left.
            let _ = sender.send(answer(engine));
        });
        match self.jobs.send(job) {
            Ok(()) => Reply::Later(receiver),
            Err(_) => Reply::Answer(Answer::from(&stopped())),
        }
    }

    /// Answers a request for the log of a container, which is empty before the Pod has a node.
    ///
    /// Source: `LogLocation`
    fn log(&self, path: &ResourcePath, query: &Query) -> Result<Answer, Status> {
        let pod = self.shelf.get(&PODS, &path.namespace, &path.name);
        let pod = pod.ok_or_else(|| Status::new_not_found(&PODS, &path.name))?;
        check_container(&pod, query)?;
        if pod.text(["spec", "nodeName"]).is_empty() {
            return Ok(Answer { code: 204, ..Answer::default() });
        }
        Err(not_implemented("no containers run, so there is nothing to read from"))
    }

    /// Answers a request for another path than that of a resource.
    fn page(&self, head: &Parts, path: &str, accepted: Result<Accepted, Status>) -> Answer {
        let trimmed = path.trim_end_matches('/');
        let query = Query::of(head.uri.query().unwrap_or_default());
        if let Some(answer) = health(trimmed, &query) {
            return answer;
        }
        let discovery = Discovery::of(&self.routes, &self.shelf);
        let release = self.routes.profile().release();
        let is_read = ["GET", "HEAD"].contains(&head.method.as_str());
        let known = text(&head.headers, "if-none-match");
        let openapi = OpenApi { discovery: &discovery, shelf: &self.shelf, release };
        if let Some(answer) = openapi.answer(path, &query, text(&head.headers, "accept"), known) {
            return answer;
        }
        let accepted = match accepted {
            Ok(accepted) => accepted,
            Err(status) => return Answer::from(&status),
        };
        let found = match trimmed {
            "/version" => Some(accepted.answer(200, &self.version())),
            _ => discovery.answer(path, &self.address, &accepted, known),
        };
        let is_routed = self.is_routed(path);
        match found {
            Some(_) if is_routed && head.method != "GET" => return accepted.status(&unrouted(405)),
            Some(answer) => return answer,
            None if is_routed => return accepted.status(&unrouted(404)),
            None if !is_read => return not_found_page(),
            None => {}
        }
        match trimmed {
            "/metrics" => self.metrics(),
            "" => {
                let groups = discovery.versions().map(|(group, version)| match group {
                    "" => format!("/api/{version}"),
                    group => format!("/apis/{group}/{version}"),
                });
                let mut paths: Vec<String> = groups.collect();
                paths.extend(
                    [
                        "/api",
                        "/apis",
                        "/healthz",
                        "/livez",
                        "/metrics",
                        "/openapi/v2",
                        "/openapi/v3",
                        "/readyz",
                        "/version",
                    ]
                    .map(str::to_owned),
                );
                paths.sort_unstable();
                accepted.answer(200, &json!({"paths": paths}))
            }
            _ => not_found_page(),
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

    fn version(&self) -> kube_api::Value {
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

/// Returns the time as seconds since 1970.
pub(super) fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// A refusal, or a page that is not an object.
struct Refused(Option<Status>, Answer);

impl From<Status> for Refused {
    fn from(status: Status) -> Self {
        Self(Some(status), Answer::default())
    }
}

/// Returns 500: the thread that evaluates is gone.
pub(super) fn stopped() -> Status {
    Status::new_internal_error("the evaluation has stopped by a bug, which the output of the server reports")
}

/// Answers a request for the health of the server, or for one of its checks.
fn health(path: &str, query: &Query) -> Option<Answer> {
    let path = path.strip_prefix('/')?;
    let (root, check) = path.split_once('/').unwrap_or((path, ""));
    if !["healthz", "livez", "readyz"].contains(&root) || !check.is_empty() && !CHECKS.contains(&check) {
        return None;
    }
    if check.is_empty() && query.has("verbose") {
        let lines = CHECKS.map(|check| format!("[+]{check} ok\n")).concat();
        return Some(Answer::text(200, &format!("{lines}{root} check passed\n")));
    }
    Some(Answer::text(200, "ok"))
}

/// Returns the text of a header; empty if there is none.
pub(super) fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Whether a person reads the answer.
///
/// Source: `isPrettyPrint`
fn is_pretty(query: &Query, user_agent: &str) -> bool {
    let is_person = ["curl", "Wget", "Mozilla/5.0"].iter().any(|start| user_agent.starts_with(start));
    query.flag_if_given("pretty").unwrap_or(is_person)
}
