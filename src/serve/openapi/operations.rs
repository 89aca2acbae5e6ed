//! The operations of a resource and of its subresources.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/installer.go`, `k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder`

use gotext::value::json;
use kube_api::schema::{Scalar, Shape, Type};
use kube_api::{GroupVersionKind, Value, protobuf};

use super::paths::{Body, OK, Operation, PRODUCED, Parameter, Paths};
use super::schemas::{Schemas, capital};
use crate::serve::answer::{JSON, YAML};
use crate::serve::discovery::{Listed, SubResource};
use crate::serve::{connection, write};

/// What custom resources are answered in.
const PRODUCED_CUSTOM: [&str; 2] = [JSON, YAML];

/// What lists are answered in, which can be watches.
const PRODUCED_LISTS: [&str; 5] = [
    JSON,
    YAML,
    protobuf::MEDIA_TYPE,
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
];

/// What logs are answered in.
const PRODUCED_LOGS: [&str; 4] = ["text/plain", JSON, YAML, protobuf::MEDIA_TYPE];

/// The types of patches of built-in resources; custom ones have no strategic merges.
const PATCHES: [&str; 4] = [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];
const PATCHES_CUSTOM: [&str; 3] = [PATCHES[0], PATCHES[1], PATCHES[3]];

/// The parameters of lists and watches, with the first release that has them.
const OF_LISTS: [(&str, &str, u32); 11] = [
    ("allowWatchBookmarks", "boolean", 15),
    ("continue", "string", 0),
    ("fieldSelector", "string", 0),
    ("labelSelector", "string", 0),
    ("limit", "integer", 0),
    ("resourceVersion", "string", 0),
    ("resourceVersionMatch", "string", 19),
    ("sendInitialEvents", "boolean", 27),
    ("shardSelector", "string", 36),
    ("timeoutSeconds", "integer", 0),
    ("watch", "boolean", 0),
];

/// Those of lists that only a watch has.
const OF_WATCHES: [&str; 2] = ["allowWatchBookmarks", "watch"];

/// The parameters of requests that write an object, with the first release that has them.
const OF_WRITES: [(&str, &str, u32); 3] =
    [("dryRun", "string", 12), ("fieldManager", "string", 13), ("fieldValidation", "string", 23)];

const OK_OR_CREATED: &[(&str, &str)] = &[("200", "OK"), ("201", "Created")];
const OK_OR_ACCEPTED: &[(&str, &str)] = &[("200", "OK"), ("202", "Accepted")];
const CREATED: &[(&str, &str)] = &[("200", "OK"), ("201", "Created"), ("202", "Accepted")];

/// The methods that a proxy passes on, which are more than those of its verbs.
const OF_PROXIES: [&str; 7] = ["delete", "get", "head", "options", "patch", "post", "put"];

/// A resource whose paths are added.
struct Resource<'a> {
    listed: &'a Listed,
    /// The group and version as the names of operations have them.
    title: String,
    namespaced: &'static str,
}

/// Adds the paths of a resource.
pub(super) fn add(paths: &mut Paths<'_, '_>, listed: &Listed) {
    let GroupVersionKind { group, version, kind } = &listed.kind;
    let resource = Resource {
        listed,
        title: capital(&group_name(group)) + &capital(version),
        namespaced: if listed.is_namespaced { "Namespaced" } else { "" },
    };
    let root = root(group, version);
    let tag = tag(group, version);
    let within = if listed.is_namespaced { "/namespaces/{namespace}" } else { "" };
    let collection = format!("{within}/{}", listed.name);
    let object = format!("{collection}/{{name}}");
    let everywhere = format!("/{}", listed.name);

    let operations = resource.collection(paths.schemas);
    paths.add(format!("{root}{collection}"), &tag, operations);
    let operations = resource.object(paths.schemas);
    paths.add(format!("{root}{object}"), &tag, operations);
    let id = format!("{}{kind}", resource.title);
    if listed.is_namespaced && resource.has("list") {
        let list = resource.list(paths.schemas, format!("list{id}ForAllNamespaces"), false);
        paths.add(format!("{root}{everywhere}"), &tag, vec![list]);
    }
    if resource.has("watch") && !listed.is_custom {
        let id = format!("{}{}{kind}", resource.title, resource.namespaced);
        let watch =
            resource.watch(paths.schemas, "watchlist", format!("watch{id}List"), resource.place(false));
        paths.add(format!("{root}/watch{collection}"), &tag, vec![watch]);
        let watch = resource.watch(paths.schemas, "watch", format!("watch{id}"), resource.place(true));
        paths.add(format!("{root}/watch{object}"), &tag, vec![watch]);
        if listed.is_namespaced {
            let id = format!("watch{}{kind}ListForAllNamespaces", resource.title);
            let watch = resource.watch(paths.schemas, "watchlist", id, Vec::new());
            paths.add(format!("{root}/watch{everywhere}"), &tag, vec![watch]);
        }
    }
    for below in &listed.sub_resources {
        let path = format!("{root}{object}/{}", below.name);
        if connection::methods(&below.name).is_none() || below.name == "log" {
            let operations = resource.sub_resource(paths.schemas, below);
            paths.add(path, &tag, operations);
            continue;
        }
        let operations = resource.connections(paths.schemas, below, "");
        paths.add(path.clone(), &tag, operations);
        if below.name == "proxy" {
            let operations = resource.connections(paths.schemas, below, "WithPath");
            paths.add(format!("{path}/{{path}}"), &tag, operations);
        }
    }
}

impl Resource<'_> {
    fn has(&self, verb: &str) -> bool {
        self.listed.verbs.iter().any(|known| known == verb)
    }

    /// Returns the parameters in the path.
    fn place(&self, is_of_object: bool) -> Vec<Parameter> {
        let names = [("namespace", self.listed.is_namespaced), ("name", is_of_object)];
        names
            .into_iter()
            .filter(|(_, is_there)| *is_there)
            .map(|(name, _)| Parameter::in_path(name))
            .collect()
    }

    /// Returns the name of an operation on objects of the resource, or on those `below`.
    fn id(&self, verb: &str, below: &str) -> String {
        format!("{verb}{}{}{}{}", self.title, self.namespaced, self.listed.kind.kind, capital(below))
    }

    fn produces(&self) -> &'static [&'static str] {
        if self.listed.is_custom { &PRODUCED_CUSTOM } else { &PRODUCED }
    }

    fn consumes(&self) -> &'static [&'static str] {
        if self.listed.is_custom { &PRODUCED_CUSTOM } else { &["*/*"] }
    }

    /// Returns an operation that has a body if it writes something.
    fn operation<'b>(
        &self,
        method: &'static str,
        id: String,
        action: (&'static str, &'b GroupVersionKind),
        parameters: Vec<Parameter>,
        answer: Value,
    ) -> Operation<'b> {
        let consumes = self.consumes();
        let produces = self.produces();
        Operation {
            method,
            id,
            action: Some(action),
            parameters,
            body: None,
            consumes,
            produces,
            answer,
            codes: OK,
        }
    }

    /// Returns the operations on all objects of a namespace, or of a resource without them.
    fn collection<'b>(&'b self, schemas: &mut Schemas<'_>) -> Vec<Operation<'b>> {
        let mut operations = Vec::new();
        if self.has("list") {
            operations.push(self.list(schemas, self.id("list", ""), self.listed.is_namespaced));
        }
        if self.has("create") {
            let answer = schemas.kind(&self.listed.kind);
            operations.push(self.written(
                schemas,
                "create",
                "",
                &self.listed.kind,
                answer,
                self.place(false),
            ));
        }
        if self.has("deletecollection") {
            let kind = &self.listed.kind;
            let id = format!("delete{}Collection{}{}", self.title, self.namespaced, kind.kind);
            let mut parameters = self.place(false);
            let of_lists = of_lists(schemas);
            if self.listed.is_custom {
                parameters.extend(of_lists);
            } else {
                parameters.extend(of_lists.filter(|parameter| !OF_WATCHES.contains(&parameter.name())));
                parameters.extend(of_deletions(schemas));
            }
            parameters.push(pretty());
            let answer = schemas.meta("Status");
            let operation = self.operation("delete", id, ("deletecollection", kind), parameters, answer);
            let body = (!self.listed.is_custom).then(|| deletion(schemas));
            operations.push(Operation { body, ..operation });
        }
        operations
    }

    /// Returns the operations on one object.
    fn object<'b>(&'b self, schemas: &mut Schemas<'_>) -> Vec<Operation<'b>> {
        let kind = &self.listed.kind;
        let answer = schemas.kind(kind);
        let mut operations = Vec::new();
        for verb in ["get", "update", "patch"].into_iter().filter(|verb| self.has(verb)) {
            operations.push(self.written(schemas, verb, "", kind, answer.clone(), self.place(true)));
        }
        if self.has("delete") {
            let is_returned = kind.kind != "Namespace" && write::is_returned(&kind.group, &self.listed.name);
            let answer = if is_returned { answer } else { schemas.meta("Status") };
            let mut parameters = self.place(true);
            parameters.extend(of_deletions(schemas));
            parameters.push(pretty());
            let operation =
                self.operation("delete", self.id("delete", ""), ("delete", kind), parameters, answer);
            let body = Some(deletion(schemas));
            operations.push(Operation { body, codes: OK_OR_ACCEPTED, ..operation });
        }
        operations
    }

    fn list<'b>(&'b self, schemas: &mut Schemas<'_>, id: String, is_namespaced: bool) -> Operation<'b> {
        let mut parameters = if is_namespaced { self.place(false) } else { Vec::new() };
        parameters.extend(of_lists(schemas));
        parameters.push(pretty());
        let answer = schemas.list(&self.listed.kind);
        let operation = self.operation("get", id, ("list", &self.listed.kind), parameters, answer);
        if self.listed.is_custom { operation } else { Operation { produces: &PRODUCED_LISTS, ..operation } }
    }

    fn watch<'b>(
        &'b self,
        schemas: &mut Schemas<'_>,
        action: &'static str,
        id: String,
        mut parameters: Vec<Parameter>,
    ) -> Operation<'b> {
        parameters.extend(of_lists(schemas));
        parameters.push(pretty());
        let answer = schemas.meta("WatchEvent");
        let operation = self.operation("get", id, (action, &self.listed.kind), parameters, answer);
        Operation { produces: &PRODUCED_LISTS, ..operation }
    }

    /// Returns the operation of `verb` on an object, or on what is `below` it.
    fn written<'b>(
        &self,
        schemas: &mut Schemas<'_>,
        verb: &str,
        below: &str,
        kind: &'b GroupVersionKind,
        answer: Value,
        mut parameters: Vec<Parameter>,
    ) -> Operation<'b> {
        parameters.push(pretty());
        let (method, action, word) = match verb {
            "create" => ("post", "post", "create"),
            "update" => ("put", "put", "replace"),
            "patch" => ("patch", "patch", "patch"),
            _ => ("get", "get", "read"),
        };
        let id = self.id(word, below);
        if verb == "get" {
            if self.listed.is_custom {
                parameters.push(Parameter::in_query("resourceVersion", "string"));
            }
            return self.operation(method, id, (action, kind), parameters, answer);
        }
        parameters.extend(of_writes(schemas));
        let schema = if verb == "patch" { schemas.meta("Patch") } else { answer.clone() };
        let body = Some(Body { schema, is_required: true });
        let mut operation =
            Operation { body, ..self.operation(method, id, (action, kind), parameters, answer) };
        operation.codes = match verb {
            "create" => CREATED,
            "patch" if self.listed.is_custom => OK,
            _ => OK_OR_CREATED,
        };
        if verb == "patch" {
            operation.parameters.push(Parameter::in_query("force", "boolean"));
            operation.consumes = if self.listed.is_custom { &PATCHES_CUSTOM } else { &PATCHES };
        }
        operation
    }

    /// Returns the operations on a subresource.
    fn sub_resource<'b>(&'b self, schemas: &mut Schemas<'_>, below: &'b SubResource) -> Vec<Operation<'b>> {
        let is_log = below.name == "log";
        let answer = if is_log { json!({"type": "string"}) } else { schemas.kind(&below.kind) };
        // The scale of a custom resource has the kind of the resource.
        let kind = if self.listed.is_custom { &self.listed.kind } else { &below.kind };
        let verbs = ["get", "create", "update", "patch"].into_iter();
        let served = verbs.filter(|verb| below.verbs.iter().any(|known| known == verb));
        let operations = served.map(|verb| {
            let mut parameters = self.place(true);
            if is_log {
                parameters.extend(of_options(schemas, "core/v1.PodLogOptions"));
            }
            let operation = self.written(schemas, verb, &below.name, kind, answer.clone(), parameters);
            if is_log { Operation { produces: &PRODUCED_LOGS, ..operation } } else { operation }
        });
        operations.collect()
    }

    /// Returns the operations on a subresource that connects the client to another server.
    fn connections<'b>(
        &'b self,
        schemas: &Schemas<'_>,
        below: &'b SubResource,
        suffix: &str,
    ) -> Vec<Operation<'b>> {
        let methods: &[&'static str] = if below.name == "proxy" { &OF_PROXIES } else { &["get", "post"] };
        let operations = methods.iter().map(|method| {
            let mut parameters = self.place(true);
            parameters.extend(of_options(schemas, &format!("core/v1.{}", below.kind.kind)));
            if !suffix.is_empty() {
                parameters.push(Parameter::in_path("path"));
            }
            let id = format!(
                "connect{}{}{}{}{}{suffix}",
                self.title,
                capital(method),
                self.namespaced,
                self.listed.kind.kind,
                capital(&below.name)
            );
            let answer = json!({"type": "string"});
            let operation = self.operation(method, id, ("connect", &below.kind), parameters, answer);
            Operation { produces: &["*/*"], ..operation }
        });
        operations.collect()
    }
}

/// Returns the body of a deletion.
fn deletion(schemas: &mut Schemas<'_>) -> Body {
    Body { schema: schemas.meta("DeleteOptions"), is_required: false }
}

fn pretty() -> Parameter {
    Parameter::in_query("pretty", "string")
}

fn of_lists(schemas: &Schemas<'_>) -> impl Iterator<Item = Parameter> + use<> {
    since(&OF_LISTS, schemas)
}

fn of_writes(schemas: &Schemas<'_>) -> impl Iterator<Item = Parameter> + use<> {
    since(&OF_WRITES, schemas)
}

fn since(
    parameters: &'static [(&str, &'static str, u32)],
    schemas: &Schemas<'_>,
) -> impl Iterator<Item = Parameter> + use<> {
    let release = schemas.release;
    let served = parameters.iter().filter(move |(.., since)| release.minor >= *since);
    served.map(|(name, kind, _)| Parameter::in_query(name, kind))
}

fn of_deletions(schemas: &Schemas<'_>) -> Vec<Parameter> {
    of_options(schemas, "meta/v1.DeleteOptions")
}

/// Returns the fields of options that a query can have.
fn of_options(schemas: &Schemas<'_>, table: &str) -> Vec<Parameter> {
    let fields = schemas.tables().named(table).map_or(&[][..], Type::fields);
    let fields = fields.iter().filter(|field| field.embedded.is_empty());
    let written =
        fields.filter_map(|field| Some(Parameter::in_query(&field.name, of_query(field.reference.get())?)));
    written.collect()
}

/// Returns the type of a parameter.
fn of_query(table: &Type) -> Option<&'static str> {
    match &table.shape {
        Shape::List(item) => of_query(item.get()),
        Shape::Scalar(Scalar::String) => Some("string"),
        Shape::Scalar(Scalar::Bool) => Some("boolean"),
        Shape::Scalar(Scalar::Int32 | Scalar::Int64) => Some("integer"),
        _ => None,
    }
}

/// Returns the path of a group and version.
pub(super) fn root(group: &str, version: &str) -> String {
    if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") }
}

/// Returns the tag of the operations of a group and version.
pub(super) fn tag(group: &str, version: &str) -> String {
    format!("{}_{version}", group_name(group))
}

/// Returns the name of a group in those of operations: `rbac.authorization.k8s.io` is `rbacAuthorization`.
///
/// Source: `k8s.io/apiserver/pkg/endpoints/openapi.GetOperationIDAndTags`
pub(super) fn group_name(group: &str) -> String {
    let mut parts = group.strip_suffix(".k8s.io").unwrap_or(group).split('.');
    let first = parts.next().filter(|first| !first.is_empty()).unwrap_or("core");
    first.to_owned() + &parts.map(capital).collect::<String>()
}
