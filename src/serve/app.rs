//! The way of a request: who sends it, what it is about, and who answers it.

#![expect(clippy::result_large_err, reason = "a refusal is the answer to a request, and is made once")]

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use hyper::HeaderMap;
use hyper::http::request::Parts;

use crate::admission::UserInfo;
use crate::evaluation::{Routes, Served};
use crate::serve::access::Gate;
use crate::serve::answer::{
    Accepted, Answer, Form, JSON, YAML, not_found_page, route, unacceptable, unrouted,
};
use crate::serve::connection::{self, Connection};
use crate::serve::engine::{Engine, Job};
use crate::serve::path::{self, Query, RequestInfo, ResourcePath};
use crate::serve::read::{Reading, Watch};
use crate::serve::shelf::Shelf;
use crate::serve::token::Tokens;
use crate::serve::write::Writing;
use gotext::{duration, names};
use kube_api::version::Version;
use kube_api::{Object, Status, protobuf};

/// The first release without the beta version of aggregated discovery.
const NO_BETA_DISCOVERY: Version = Version::minor(33);

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
    time: Option<Duration>,
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
        if path::lacks_resource(head.uri.path()) {
            return Err(no_request_info(&head));
        }
        let is_pretty = is_pretty(&query, text(&head.headers, "user-agent"));
        let has_beta = self.routes.profile().release() < NO_BETA_DISCOVERY;
        let info = RequestInfo::of(head.method.as_str(), head.uri.path(), &query);
        let lists_groups = ["/api", "/apis"].contains(&info.path.trim_end_matches('/'));
        let is_offered = |accepted: &Accepted| match accepted.aggregated.as_deref() {
            Some(version) => lists_groups && (has_beta || version != "v2beta1"),
            None => info.target.is_some() || accepted.form == Form::Whole,
        };
        let accepted = Accepted::of(text(&head.headers, "accept"), is_pretty, is_offered);
        let admitted = self.gate.admit(&head.headers, &info);
        // Refusals have a form even if nothing else does.
        let refused = |status| accepted.clone().unwrap_or_default().status(&status);
        let time = time_of(&info, &query).map_err(refused)?;
        let user = admitted.map_err(refused)?;
        Ok(Received { head, query, accepted, info, user, time })
    }

    /// Answers a request.
    pub(super) fn reply(&self, received: Received, body: Vec<u8>) -> Reply {
        let Received { head, query, accepted, info: RequestInfo { verb, path, target }, user, time } =
            received;
        let Some(target) = target else { return Reply::Answer(self.page(&head, &path, accepted)) };
        if path.starts_with("//") {
            return Reply::Answer(not_found_page());
        }
        let form = accepted.clone().unwrap_or_default();
        let is_connection = connection::is_connection(&target.sub_resource);
        let result = self.found(head.method.as_str(), verb, &target).and_then(|served| {
            let accepted = if is_connection {
                form.clone()
            } else {
                check_route(verb, &served, &target, text(&head.headers, "accept"))?;
                accepted?
            };
            self.resource(verb, served, target, query, accepted, user, time, &head, body)
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
        if target.is_watch && !target.sub_resource.is_empty() && served.custom().is_none() {
            return Err(unrouted(404).into());
        }
        let has_namespace = !target.namespace.is_empty() && target.resource.resource != "namespaces";
        let is_across = served.is_namespaced() && !has_namespace && !["list", "watch"].contains(&verb);
        let is_misplaced = is_across || !served.is_namespaced() && has_namespace;
        let is_of_object = !target.name.is_empty();
        let is_fitting = match verb {
            // What handles custom resources looks at the name when it needs one, and watches whatever the method is.
            _ if served.custom().is_some() => true,
            "watch" => method == "GET",
            "update" | "patch" => is_of_object,
            "create" => !is_of_object || !target.sub_resource.is_empty(),
            _ => true,
        };
        let methods = connection::methods(&target.sub_resource);
        let is_served = match methods {
            Some(methods) => methods.contains(&method),
            None => is_fitting && served.serves(verb) && (method != "HEAD" || served.custom().is_some()),
        };
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
        } else if !is_served {
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
        if !target.is_of_no_group && self.is_built_in(&resource.group) {
            return unrouted(404).into();
        }
        Refused(None, not_found_page())
    }

    pub(super) fn is_built_in(&self, group: &str) -> bool {
        self.routes.built_in().any(|found| found.group == group)
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
        time: Option<Duration>,
        head: &Parts,
        body: Vec<u8>,
    ) -> Result<Reply, Refused> {
        let now = now();
        let is_log = path.sub_resource == "log";
        // What only answers has no columns.
        let has_columns = !is_log && (!path.sub_resource.is_empty() || served.serves("list"));
        if accepted.form == Form::Table && !has_columns {
            return Err(unacceptable(text(&head.headers, "accept")).into());
        }
        if is_log {
            Connection { shelf: &self.shelf, path: &path, query: &query }.log()?;
            return Ok(Reply::Answer(Answer { code: 204, ..Answer::default() }));
        }
        let is_connection = connection::is_connection(&path.sub_resource);
        if ["get", "list", "watch"].contains(&verb) && !is_connection {
            let (shelf, warning) = (&self.shelf, served.deprecation_warning(self.routes.profile().release()));
            let reading =
                Reading { served: &served, path: &path, query: &query, accepted: &accepted, shelf, now };
            let answer = match verb {
                "get" => reading.get(),
                "list" => reading.list(),
                _ => return Ok(Reply::Watch(Box::new(reading.watch()?))),
            };
            let answer = answer.unwrap_or_else(|status| accepted.status(&status));
            return Ok(Reply::Answer(answer.warning(warning)));
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
            time,
        };
        Ok(self.send(writing))
    }

    /// Lets the engine answer.
    fn send(&self, writing: Writing) -> Reply {
        let (gate, tokens, shelf) = (self.gate.clone(), self.tokens.clone(), self.shelf.clone());
        let is_short = writing.is_short() && !self.asks_webhooks;
        let answer = move |engine: &mut Engine| {
            let path = writing.path.clone();
            let finish = |object: &mut Object| tokens.complete(object, &path, &gate, &shelf);
            let answer = writing.answer(engine, finish);
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
}

/// The longest time that a request may take.
const MAX_TIME: Duration = Duration::from_secs(60);

/// Returns the time that a request may take, by the `timeout` in its query; nothing for watches, logs and connections.
///
/// Source: `WithRequestDeadline`
fn time_of(info: &RequestInfo, query: &Query) -> Result<Option<Duration>, Status> {
    let sub_resource = info.target.as_ref().map_or("", |target| &target.sub_resource);
    if info.verb == "watch" || connection::methods(sub_resource).is_some() {
        return Ok(None);
    }
    let given = query.get("timeout").map(duration::parse).transpose().map_err(|error| {
        Status::new_bad_request(format!("invalid timeout specified in the request URL - {error}"))
    })?;
    let given = given.and_then(|given| u64::try_from(given).ok()).filter(|given| *given > 0);
    Ok(Some(given.map_or(MAX_TIME, |given| MAX_TIME.min(Duration::from_nanos(given)))))
}

/// Refuses a client that accepts none of the types of a resource's route; custom resources have no routes.
fn check_route(verb: &str, served: &Served, target: &ResourcePath, accept: &str) -> Result<(), Status> {
    const PROTOBUF: &str = protobuf::MEDIA_TYPE;
    match (verb, &*target.sub_resource) {
        _ if served.custom().is_some() => Ok(()),
        ("list" | "watch", _) => {
            let streams =
                ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
            route(accept, &[[JSON, YAML, PROTOBUF].as_slice(), &streams].concat())
        }
        (_, "log") => route(accept, &["text/plain", JSON, YAML, PROTOBUF]),
        _ => route(accept, &[JSON, YAML, PROTOBUF]),
    }
}

/// Returns the answer to a request whose path names no resource where one belongs.
///
/// Source: `responsewriters.InternalError`
fn no_request_info(head: &Parts) -> Answer {
    let uri = gotext::quote(head.uri.path_and_query().map_or("", |uri| uri.as_str()));
    let error = "failed to create RequestInfo: unable to determine kind and namespace from url";
    let text = format!("Internal Server Error: {uri}: {error}, {}", head.uri.path());
    Answer::text(500, &(text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;") + "\n"))
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
