//! One event of an audit log.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::admission::UserInfo;
use crate::evaluation::PreparedRecord;
use crate::replay::Line;
use crate::replay::webhooks::Answers;
use gotext::value;
use kube_api::resources::NAMESPACES;
use kube_api::{GroupResource, GroupVersionResource, Name, Object, Value};

/// The stage of events that have the answer.
pub(super) const RESPONSE_COMPLETE: &str = "ResponseComplete";

/// Subresources that open a connection.
const CONNECTIONS: [&str; 4] = ["attach", "exec", "portforward", "proxy"];

/// An event: a request, and the server's answer.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) line: Line,
    pub(super) audit_id: String,
    pub(super) stage: String,
    pub(super) level: String,
    pub(super) verb: String,
    pub(super) uri: String,
    /// The user whose rights count.
    pub(super) user: Arc<UserInfo>,
    pub(super) resource: Option<GroupVersionResource>,
    group_resource: GroupResource,
    pub(super) sub_resource: Name,
    pub(super) namespace: String,
    pub(super) name: String,
    /// The name of the object, also if the server generated it.
    stored_name: String,
    /// The version of the object after the request.
    version: Option<u64>,
    pub(super) code: u16,
    pub(super) message: String,
    pub(super) request: Option<Value>,
    pub(super) response: Option<Value>,
    /// The requests that it may have been, or why it cannot be judged.
    pub(super) requests: Result<Vec<PreparedRecord>, String>,
    /// The object that the server answered with, if its kind is not defined in the cluster.
    pub(super) answered: Option<(GroupResource, Object)>,
    pub(super) time: String,
    /// Whether the server's authorizer refused it.
    pub(super) is_forbidden: bool,
    /// The answers of webhooks.
    pub(super) answers: Answers,
    user_agent: String,
}

impl Event {
    /// Reads an event of `audit.k8s.io/v1`; nothing if it lacks what every event has.
    pub(super) fn of(event: &Value, line: &Line) -> Option<Self> {
        let required =
            |field: &str| Some(event.text(field)).filter(|text| !text.is_empty()).map(str::to_owned);
        let reference = event.at("objectRef");
        let part = |field: &str| reference.map_or("", |reference| reference.text(field)).to_owned();
        let user = event.at("impersonatedUser").or_else(|| event.at("user"));
        let user: UserInfo = user.and_then(|user| value::from_value(user).ok()).unwrap_or_default();
        let name = |text: String| Name::Owned(text);
        let is_named = reference.is_some_and(|reference| !reference.text("resource").is_empty());
        let resource = is_named.then(|| {
            GroupVersionResource::new(
                name(part("apiGroup")),
                name(part("apiVersion")),
                name(part("resource")),
            )
        });
        // A text in the place of a body says that it was too large for the log.
        let is_body = |body: &&Value| matches!(body, Value::Object(_) | Value::Array(_));
        let body = |field: &str| event.at(field).filter(is_body).cloned();
        let (request, response) = (body("requestObject"), body("responseObject"));
        let mut event = Self {
            line: line.clone(),
            audit_id: required("auditID")?,
            stage: required("stage")?,
            level: event.text("level").to_owned(),
            verb: required("verb")?,
            uri: event.text("requestURI").to_owned(),
            user: Arc::new(user),
            group_resource: resource.as_ref().map(GroupVersionResource::group_resource).unwrap_or_default(),
            resource,
            sub_resource: Name::Owned(part("subresource")),
            namespace: part("namespace"),
            name: part("name"),
            stored_name: String::new(),
            version: None,
            code: u16::try_from(event.int(["responseStatus", "code"])).unwrap_or_default(),
            message: event.text(["responseStatus", "message"]).to_owned(),
            request,
            response,
            requests: Ok(Vec::new()),
            answered: None,
            time: event.text("stageTimestamp").to_owned(),
            is_forbidden: event.text(["annotations", "authorization.k8s.io/decision"]) == "forbid",
            answers: Answers::of(event.at("annotations"), event.at("responseStatus")),
            user_agent: event.text("userAgent").to_owned(),
        };
        event.stored_name = event.find_name();
        event.version = event.find_version();
        Some(event)
    }

    /// Whether the server did what was requested. It answers the request for a connection with 101, or with what the
    /// other end answers, which is no message of the server.
    pub(super) fn succeeded(&self) -> bool {
        (200..300).contains(&self.code)
            || self.code == 101
            || self.is_connection() && self.code > 0 && self.message.is_empty()
    }

    /// Whether it opens a connection, to a Pod, a Node or a Service.
    pub(super) fn is_connection(&self) -> bool {
        CONNECTIONS.contains(&&*self.sub_resource)
    }

    /// Whether it only reads. A connection may be opened with GET.
    pub(super) fn is_read(&self) -> bool {
        matches!(self.verb.as_str(), "get" | "list" | "watch" | "head" | "options") && !self.is_connection()
    }

    /// Returns the program that sent it, without its version.
    pub(super) fn program(&self) -> &str {
        self.user_agent.split([' ', '/']).next().unwrap_or_default()
    }

    /// Returns the resource without its version.
    pub(super) fn group_resource(&self) -> &GroupResource {
        &self.group_resource
    }

    /// Whether it is about objects of `resource`.
    pub(super) fn is_of(&self, resource: &GroupResource) -> bool {
        self.group_resource == *resource
    }

    /// Returns the namespace of the object. A Namespace counts as being in itself only for the authorizer.
    pub(super) fn own_namespace(&self) -> &str {
        if self.is_of(&NAMESPACES) { "" } else { &self.namespace }
    }

    /// Returns the name of the object, also if the server generated it.
    pub(super) fn stored_name(&self) -> &str {
        &self.stored_name
    }

    fn find_name(&self) -> String {
        let of = |body: &Option<Value>| {
            body.as_ref().map_or("", |body| body.text(["metadata", "name"])).to_owned()
        };
        [of(&self.response), self.name.clone(), of(&self.request)]
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or_default()
    }

    /// Returns the version of the object after the request, which grows with every change.
    pub(super) fn version(&self) -> Option<u64> {
        self.version
    }

    fn find_version(&self) -> Option<u64> {
        let response = self.response.as_ref().filter(|_| self.succeeded())?;
        response.text(["metadata", "resourceVersion"]).parse().ok()
    }

    /// Whether it is about the same object as `other`.
    pub(super) fn is_about_object_of(&self, other: &Self) -> bool {
        (&self.stored_name, &self.namespace) == (&other.stored_name, &other.namespace)
            && self.group_resource == other.group_resource
    }

    /// Returns the value of an option in the query of the URL.
    pub(super) fn option(&self, name: &str) -> Option<String> {
        self.options(name).next()
    }

    /// Returns all values of an option in the query of the URL.
    pub(super) fn options<'a>(&'a self, name: &'a str) -> impl Iterator<Item = String> + 'a {
        let query = self.uri.split_once('?').map_or("", |(_, query)| query);
        let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        pairs.filter(move |(key, _)| *key == name).map(|(_, value)| decoded(value))
    }

    /// Whether nothing is stored.
    pub(super) fn is_dry_run(&self) -> bool {
        let in_body = || {
            let body = self.request.as_ref().filter(|body| body.text("kind") == "DeleteOptions");
            body.is_some_and(|body| body.list("dryRun").iter().any(|value| value == "All"))
        };
        self.option("dryRun").as_deref() == Some("All") || in_body()
    }

    /// Returns verb, resource and object for people.
    pub(super) fn title(&self) -> String {
        let place = [self.own_namespace(), self.stored_name()];
        let place: Vec<_> = place.iter().filter(|part| !part.is_empty()).copied().collect();
        format!("{} {} {}", self.verb, self.target(), place.join("/"))
    }

    /// Returns the resource, with its group and subresource.
    pub(super) fn target(&self) -> String {
        let resource = self.group_resource.to_string();
        if self.sub_resource.is_empty() { resource } else { format!("{resource}/{}", self.sub_resource) }
    }
}

/// A request of the log, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logged {
    /// The identifier of the event.
    #[serde(rename = "auditID")]
    pub audit_id: String,
    /// The file of the event.
    pub file: String,
    /// Its line.
    pub line: usize,
    /// Verb, resource and object.
    pub request: String,
}

impl Logged {
    pub(super) fn of(event: &Event) -> Self {
        Self {
            audit_id: event.audit_id.clone(),
            file: event.line.file.to_string(),
            line: event.line.number,
            request: event.title(),
        }
    }
}

/// Returns a value of a query without its escapes.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = || {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            u8::from_str_radix(digits, 16).ok()
        };
        match first {
            b'%' if let Some(byte) = escaped() => {
                bytes.push(byte);
                rest = &tail[2..];
                continue;
            }
            b'+' => bytes.push(b' '),
            byte => bytes.push(*byte),
        }
        rest = tail;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn reads_who_asks_for_what() {
        let event = json!({
            "auditID": "1", "stage": "ResponseComplete", "verb": "patch", "level": "Request",
            "requestURI": "/apis/apps/v1/namespaces/shop/deployments/web?fieldManager=a%20b&force=true",
            "user": {"username": "admin"}, "impersonatedUser": {"username": "alice", "groups": ["dev"]},
            "objectRef": {"resource": "deployments", "namespace": "shop", "name": "web", "apiGroup": "apps", "apiVersion": "v1"},
            "responseStatus": {"code": 200},
        });
        let event = Event::of(&event, &Line::default()).unwrap();
        assert_eq!(
            (event.user.username.as_str(), event.title().as_str()),
            ("alice", "patch deployments.apps shop/web")
        );
        assert_eq!(event.option("fieldManager").as_deref(), Some("a b"));
        assert!(event.succeeded() && !event.is_dry_run());
    }

    #[test]
    fn a_text_in_the_place_of_a_body_is_none() {
        let text = "skipped-too-big-size-object";
        let event = json!({
            "auditID": "1", "stage": "ResponseComplete", "verb": "create", "level": "RequestResponse",
            "requestObject": text, "responseObject": text, "responseStatus": {"code": 201},
        });
        let event = Event::of(&event, &Line::default()).unwrap();
        assert_eq!((event.request, event.response), (None, None));
    }
}
