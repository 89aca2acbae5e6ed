//! Requests that change something: their options, and the answers to them.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers/{create,update,patch,delete}.go`

mod body;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::admission::{Operation, UserInfo};
use crate::evaluation::{Place, Recorded, Request, Served, connection_options, validate_delete_options};
use crate::serve::answer::{Accepted, Answer};
use crate::serve::connection::{self, Connection};
use crate::serve::engine::{Engine, Written, leaves_dependents};
use crate::serve::path::{Query, ResourcePath};
use crate::serve::read::{List, Reading};
use crate::serve::shelf::{Shelf, VERSION};
use gotext::source::Node;
use gotext::value::json;
use kube_api::decode::{self, FieldValidation};
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Object, Status, Value, protobuf, schema};
use kube_yaml::Format;

/// The scheme that has the options of deletions, as errors name it.
const DELETION_SCHEME: &str = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";

/// The resources whose deletion is answered with the object, by group.
///
/// Source: `ReturnDeletedObject` of the stores in `k8s.io/kubernetes/pkg/registry`
const RETURNED: [(&str, &[&str]); 3] = [
    (
        "",
        &[
            "namespaces",
            "persistentvolumeclaims",
            "persistentvolumes",
            "pods",
            "podtemplates",
            "resourcequotas",
            "serviceaccounts",
            "services",
        ],
    ),
    (
        "resource.k8s.io",
        &["deviceclasses", "devicetaintrules", "resourceclaims", "resourceclaimtemplates", "resourceslices"],
    ),
    (
        "storage.k8s.io",
        &["csidrivers", "csinodes", "storageclasses", "volumeattachments", "volumeattributesclasses"],
    ),
];

/// Whether the deletion of an object of a resource is answered with the object.
pub(super) fn is_returned(group: &str, resource: &str) -> bool {
    RETURNED.iter().any(|(known, names)| *known == group && names.contains(&resource))
}

/// A request that changes something.
pub(super) struct Writing {
    pub(super) verb: &'static str,
    pub(super) served: Served,
    pub(super) path: ResourcePath,
    pub(super) query: Query,
    pub(super) accepted: Accepted,
    pub(super) user: Arc<UserInfo>,
    pub(super) content_type: String,
    pub(super) user_agent: String,
    /// The line of the request, which reports name as the file of the body.
    pub(super) title: String,
    pub(super) body: Vec<u8>,
    pub(super) release: Version,
    pub(super) now: i64,
    /// The time that it may take, if that is limited.
    pub(super) time: Option<Duration>,
}

impl Writing {
    /// Whether the answer takes little time: it concerns one object, and no controller creates or deletes many others
    /// because of it.
    pub(super) fn is_short(&self) -> bool {
        let resource = &self.path.resource;
        let is_busy = ["apps", "batch"].contains(&&*resource.group)
            || resource.is("", "namespaces")
            || resource.is("", "replicationcontrollers");
        self.verb != "deletecollection" && !is_busy
    }

    /// Sends the request through the chain and returns the answer. `finish` may complete the object of the answer.
    pub(super) fn answer(self, engine: &mut Engine, finish: impl FnOnce(&mut Object)) -> Answer {
        let result = match self.verb {
            "deletecollection" => self.delete_collection(engine),
            _ => self.write(engine, finish),
        };
        result.unwrap_or_else(|status| {
            self.accepted.status(&status).warning(self.served.deprecation_warning(self.release))
        })
    }

    fn write(&self, engine: &mut Engine, finish: impl FnOnce(&mut Object)) -> Result<Answer, Status> {
        let recorded = self.recorded(engine)?;
        let dry_run = recorded.request.dry_run;
        let is_foreground = |options: &Value| options.text("propagationPolicy") == "Foreground";
        let waits = leaves_dependents(&recorded.request)
            || recorded.request.options.as_ref().is_some_and(is_foreground);
        let Written { outcome, stored, before } = engine.answer(recorded, &self.served.stored_as())?;
        let warnings = outcome.trace.warnings.clone();
        let answer = match outcome.status() {
            Some(status) => self.accepted.status(status),
            None if outcome.operation == Operation::Delete => {
                // A dry run leaves what it would remove.
                let remains = |object: &Arc<Object>| {
                    !dry_run || waits || !object.list(["metadata", "finalizers"]).is_empty()
                };
                self.deleted(engine, stored.filter(remains).as_ref(), before.as_ref())
            }
            None if outcome.operation == Operation::Connect => {
                let Self { path, query, .. } = self;
                let connection = Connection { shelf: engine.shelf(), path, query };
                self.accepted.status(&connection.refusal())
            }
            None => {
                let is_created = outcome.operation == Operation::Create;
                let is_read = !dry_run && (!is_created || self.path.sub_resource.is_empty());
                let object = match stored.filter(|_| is_read) {
                    Some(stored) => Some(self.served.read(stored)),
                    None => outcome.object.clone(),
                };
                let code = if is_created { 201 } else { 200 };
                match object {
                    Some(mut object) => {
                        if dry_run && let Some(before) = before.filter(|_| !is_created) {
                            Arc::make_mut(&mut object).insert_default(VERSION, before.text(VERSION));
                        }
                        finish(Arc::make_mut(&mut object));
                        self.shown(engine, code, &object)
                    }
                    None => self.accepted.answer(code, &success(code, None)),
                }
            }
        };
        engine.report(outcome);
        Ok(answer.warning(warnings))
    }

    /// Returns an object as an answer, in the form that the client accepts.
    fn shown(&self, engine: &Engine, code: u16, object: &Object) -> Answer {
        let form = self.reading(engine.shelf()).form(object);
        form.map_or_else(|status| self.accepted.status(&status), |form| self.accepted.answer(code, &form))
    }

    fn reading<'a>(&'a self, shelf: &'a Shelf) -> Reading<'a> {
        let Self { served, path, query, accepted, .. } = self;
        Reading { served, path, query, accepted, shelf, now: self.now }
    }

    /// Returns the answer to a deletion: the object if it still exists, or is of a kind whose deletion is answered so.
    fn deleted(&self, engine: &Engine, stored: Option<&Arc<Object>>, before: Option<&Arc<Object>>) -> Answer {
        let resource = self.served.resource();
        let is_returned = is_returned(&resource.group, &resource.resource);
        let shown_object = match (stored, before) {
            (Some(stored), _) => Some(stored.clone()),
            (None, Some(before)) if resource.is("", "pods") => Some(Arc::new(self.ended(before))),
            (None, Some(before)) if is_returned => Some(before.clone()),
            _ => None,
        };
        if let Some(object) = shown_object {
            return self.shown(engine, 200, &self.served.read(object));
        }
        let mut details = json!({"name": self.path.name, "kind": resource.resource});
        if !resource.group.is_empty() {
            details["group"] = resource.group.to_string().into();
        }
        if let Some(before) = before {
            details["uid"] = before.text(["metadata", "uid"]).into();
        }
        self.accepted.answer(200, &success(0, Some(details)))
    }

    /// Returns a Pod that is gone at once as the answer to its deletion shows it: with a time of grace of no seconds.
    ///
    /// Source: `rest.BeforeDelete`
    fn ended(&self, pod: &Object) -> Object {
        let mut ended = pod.clone();
        if !pod.has(["metadata", "deletionTimestamp"]) {
            let now = jiff::Timestamp::from_second(self.now).unwrap_or_default();
            ended.set(["metadata", "deletionTimestamp"], now.to_string());
            ended.set(["metadata", "generation"], pod.int(["metadata", "generation"]) + 1);
        }
        ended.set(["metadata", "deletionGracePeriodSeconds"], 0);
        ended
    }

    fn delete_collection(&self, engine: &mut Engine) -> Result<Answer, Status> {
        let shelf = engine.shelf().clone();
        let reading = self.reading(&shelf);
        let (selection, limit) = reading.options(self.query.flag("watch"))?;
        let options = self.delete_options()?;
        if let Some(options) = &options {
            let errors = validate_delete_options(options, false);
            if !errors.is_empty() {
                let kind = GroupVersionKind::new("meta.k8s.io", "v1", "DeleteOptions");
                return Err(Status::new_invalid(&kind, "", &errors));
            }
        }
        // A server deletes what it lists page by page, unless the limit is negative.
        let limit = if self.query.number("limit")?.unwrap_or(0) == 0 { usize::MAX } else { limit };
        let stored_as = self.served.stored_as();
        let mut warnings = Vec::new();
        let List { objects, metadata } = match reading.listed(&selection, limit)? {
            Ok(list) => list,
            Err(expired) => return Ok(expired),
        };
        for object in &objects {
            let mut recorded = self.request(Operation::Delete, options.clone());
            recorded.request.namespace = Some(object.namespace().to_owned());
            recorded.request.name = Some(object.name().to_owned());
            let written = engine.answer(recorded, &stored_as)?;
            let refusal = written.outcome.status().filter(|status| status.code != 404).cloned();
            for warning in &written.outcome.trace.warnings {
                if !warnings.contains(warning) {
                    warnings.push(warning.clone());
                }
            }
            engine.report(written.outcome);
            if let Some(status) = refusal {
                return Ok(self.accepted.status(&status).warning(warnings));
            }
        }
        let form = reading.list_form(&objects, metadata)?;
        Ok(self.accepted.answer(200, &form).warning(warnings))
    }

    /// Returns the request to the chain.
    fn recorded(&self, engine: &Engine) -> Result<Recorded, Status> {
        let is_connection = connection::is_connection(&self.path.sub_resource);
        match self.verb {
            _ if is_connection => {
                let all = |name: &str| self.query.all(name).map(str::to_owned).collect();
                let (path, rest) = (&self.path, self.path.rest.join("/"));
                let rest = Some(rest.as_str()).filter(|rest| !rest.is_empty());
                let object = connection_options(&path.resource.resource, &path.sub_resource, all, rest);
                let mut recorded = self.request(Operation::Connect, None);
                recorded.request.object = object.map(Node::from);
                Ok(recorded)
            }
            "create" | "update" => {
                if self.verb == "update" {
                    self.check_name()?;
                }
                let (operation, options) = match self.verb {
                    "create" => (Operation::Create, "CreateOptions"),
                    _ => (Operation::Update, "UpdateOptions"),
                };
                // The type of a body that replaces an object is looked at after the options.
                if operation == Operation::Create {
                    self.check_media_type()?;
                }
                self.check_write_options(options, Vec::new())?;
                let mut recorded = self.request(operation, Some(self.write_options()));
                if self.media_type() == protobuf::MEDIA_TYPE {
                    let object = self.object_of_protobuf(|error| self.unrecognized(error, &self.body))?;
                    recorded.request.object = Some(object);
                    return Ok(recorded);
                }
                let item = self.object()?;
                recorded.request.strict_errors = match item.format {
                    Format::Yaml => item.strict_errors.iter().map(|error| error.text.clone()).collect(),
                    Format::Json => Vec::new(),
                };
                let (place, node) = Place::of(item);
                recorded.request.place = Some(place);
                recorded.request.object = Some(node);
                Ok(recorded)
            }
            "patch" => {
                let (patch, strict_errors) = self.patch(engine.shelf())?;
                let mut recorded = self.request(Operation::Update, Some(self.write_options()));
                (recorded.patch, recorded.request.strict_errors) = (Some(patch), strict_errors);
                Ok(recorded)
            }
            _ => Ok(self.request(Operation::Delete, self.delete_options()?)),
        }
    }

    fn request(&self, operation: Operation, options: Option<Value>) -> Recorded {
        let is_dry_run = |options: &Value| !options.list("dryRun").is_empty();
        // The name is that of the path; a new object has its own.
        let has_name = operation != Operation::Create || !self.path.sub_resource.is_empty();
        let request = Request {
            operation: Some(operation),
            namespace: Some(self.namespace().to_owned()),
            name: has_name.then(|| self.path.name.clone()),
            dry_run: options.as_ref().is_some_and(is_dry_run),
            options,
            user_info: self.user.clone(),
            field_validation: self.field_validation(),
            ..Request::to(self.path.resource.clone(), &self.path.sub_resource)
        };
        let (verb, manager) = (self.verb.to_owned(), self.manager());
        Recorded {
            request,
            verb,
            patch: None,
            manager,
            deadline: self.time.map(|time| Instant::now() + time),
        }
    }

    fn namespace(&self) -> &str {
        if self.served.is_namespaced() { &self.path.namespace } else { "" }
    }

    fn field_validation(&self) -> FieldValidation {
        FieldValidation::parse(self.query.get("fieldValidation").unwrap_or_default()).unwrap_or_default()
    }

    /// Returns the owner of the fields that the request sets.
    ///
    /// Source: `managerOrUserAgent`
    fn manager(&self) -> String {
        const LONGEST: usize = 128;
        if let Some(manager) = self.query.get("fieldManager") {
            return manager.to_owned();
        }
        let client = self.user_agent.split('/').next().unwrap_or_default();
        if client.is_empty() {
            return "unknown".to_owned();
        }
        client.chars().filter(|character| !character.is_control()).take(LONGEST).collect()
    }

    /// Returns the options in the query, and no others: a client that names none leaves them to the server.
    fn write_options(&self) -> Value {
        let mut options = json!({});
        for name in ["fieldManager", "fieldValidation"] {
            if let Some(value) = self.query.get(name) {
                options[name] = value.into();
            }
        }
        let dry_run: Vec<&str> = self.query.all("dryRun").collect();
        if !dry_run.is_empty() {
            options["dryRun"] = dry_run.into();
        }
        options
    }

    /// Returns the options in the body of a deletion, or those of its query.
    fn delete_options(&self) -> Result<Option<Value>, Status> {
        if !self.body.is_empty() {
            let node = match self.media_type() {
                protobuf::MEDIA_TYPE => self.object_of_protobuf(|error| Status::new_bad_request(error))?,
                _ => self.item(|error, _| Status::new_bad_request(error.to_owned()))?.node,
            };
            if let Some(table) = schema::of_release(self.release).named("meta/v1.DeleteOptions") {
                decode::read(node.clone(), table, FieldValidation::Ignore, &[])
                    .map_err(|fault| Status::new_bad_request(fault.message()))?;
            }
            let mut options = node.into_value();
            let kind = options.text("kind");
            if !["", "DeleteOptions"].contains(&kind) {
                let version = match options.text("apiVersion") {
                    "" => "meta.k8s.io/v1",
                    version => version,
                };
                return Err(Status::new_bad_request(format!(
                    "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"{DELETION_SCHEME}\""
                )));
            }
            if let Some(map) = options.as_object_mut() {
                map.remove("kind");
                map.remove("apiVersion");
            }
            return Ok(Some(options).filter(|options| options.as_object().is_none_or(|map| !map.is_empty())));
        }
        let mut options = self.write_options();
        if let Some(policy) = self.query.get("propagationPolicy") {
            options["propagationPolicy"] = policy.into();
        }
        if let Some(orphans) = self.query.flag_if_given("orphanDependents") {
            options["orphanDependents"] = orphans.into();
        }
        if let Some(seconds) = self.query.number("gracePeriodSeconds")? {
            options["gracePeriodSeconds"] = seconds.into();
        }
        Ok(options.as_object().is_some_and(|options| !options.is_empty()).then_some(options))
    }
}

/// Returns a status that is no refusal.
fn success(code: u16, details: Option<Value>) -> Value {
    let mut status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"});
    if code > 0 {
        status["code"] = code.into();
    }
    if let Some(details) = details {
        status["details"] = details;
    }
    status
}
