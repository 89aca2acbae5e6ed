//! The paths of a document, and the operations that clients send there.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/installer.go`, `k8s.io/kube-openapi/pkg/{builder,builder3}`

use gotext::value::json;
use kube_api::{GroupVersionKind, Map, Value, protobuf};

use super::schemas::{Dialect, Schemas, group_version_kind};
use crate::serve::answer::{JSON, YAML};

/// What built-in resources are answered in.
pub(super) const PRODUCED: [&str; 3] = [JSON, YAML, protobuf::MEDIA_TYPE];

/// The parameters that clients look for where they are used.
const UNSHARED: [&str; 3] = ["dryRun", "fieldValidation", "name"];

/// A parameter in the path or in the query.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Parameter {
    name: String,
    place: &'static str,
    kind: &'static str,
}

impl Parameter {
    pub(super) fn in_query(name: &str, kind: &'static str) -> Self {
        Self { name: name.to_owned(), place: "query", kind }
    }

    pub(super) fn in_path(name: &str) -> Self {
        Self { name: name.to_owned(), place: "path", kind: "string" }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn written(&self, dialect: Dialect) -> Value {
        let mut found = json!({"name": self.name, "in": self.place});
        if self.place == "path" {
            found["required"] = true.into();
        }
        match dialect {
            Dialect::V2 => {
                found["type"] = self.kind.into();
                found["uniqueItems"] = true.into();
            }
            Dialect::V3 => found["schema"] = json!({"type": self.kind, "uniqueItems": true}),
        }
        found
    }

    /// Whether documents of version 2 have the parameter once.
    fn is_shared(&self) -> bool {
        !UNSHARED.contains(&&*self.name) && (self.place == "query" || self.name == "namespace")
    }
}

/// The body of a request.
pub(super) struct Body {
    pub(super) schema: Value,
    pub(super) is_required: bool,
}

/// A request that clients can send to a path.
pub(super) struct Operation<'a> {
    pub(super) method: &'static str,
    pub(super) id: String,
    /// The verb and the kind that clients find the operation by.
    pub(super) action: Option<(&'static str, &'a GroupVersionKind)>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<Body>,
    pub(super) consumes: &'a [&'static str],
    pub(super) produces: &'a [&'static str],
    pub(super) answer: Value,
    pub(super) codes: &'static [(&'static str, &'static str)],
}

/// The codes of answers that are not errors.
pub(super) const OK: &[(&str, &str)] = &[("200", "OK")];

/// The paths of a document.
pub(super) struct Paths<'a, 'b> {
    pub(super) schemas: &'a mut Schemas<'b>,
    found: Map,
    /// The parameters that documents of version 2 have once.
    shared: Map,
}

impl<'a, 'b> Paths<'a, 'b> {
    pub(super) fn new(schemas: &'a mut Schemas<'b>) -> Self {
        Self { schemas, found: Map::new(), shared: Map::new() }
    }

    /// Returns the paths and the parameters that they share.
    pub(super) fn into_maps(self) -> (Map, Map) {
        (self.found, self.shared)
    }

    /// Adds the path of a document of discovery, or another one that is only read.
    pub(super) fn page(
        &mut self,
        path: &str,
        tag: &str,
        id: &str,
        answer: Value,
        [consumes, produces]: [&[&'static str]; 2],
    ) {
        let operation = Operation {
            method: "get",
            id: id.to_owned(),
            action: None,
            parameters: Vec::new(),
            body: None,
            consumes,
            produces,
            answer,
            codes: OK,
        };
        self.add(path.to_owned(), tag, vec![operation]);
    }

    /// Adds the document that lists groups, those of the versions of a group, or the resources of one.
    pub(super) fn discovery(&mut self, path: &str, tag: &str, id: &str, table: &str) {
        let answer = self.schemas.meta(table);
        self.page(path, tag, id, answer, [&PRODUCED; 2]);
    }

    /// Adds a path with its operations, unless there are none.
    pub(super) fn add(&mut self, path: String, tag: &str, mut operations: Vec<Operation<'_>>) {
        let Some(first) = operations.first() else { return };
        let is_common = |parameter: &&Parameter| {
            operations.iter().all(|operation| operation.parameters.contains(parameter))
        };
        let common: Vec<Parameter> = first.parameters.iter().filter(is_common).cloned().collect();
        for operation in &mut operations {
            operation.parameters.retain(|parameter| !common.contains(parameter));
        }
        let mut item = Map::new();
        for operation in operations {
            let method = operation.method;
            let written = self.operation(operation, tag);
            item.insert(method, written);
        }
        if !common.is_empty() {
            let common = self.parameters(common, None);
            item.insert("parameters", common);
        }
        self.found.insert(path, item.into());
    }

    /// Returns parameters, ordered by their names, and a body as one of them.
    fn parameters(&mut self, mut parameters: Vec<Parameter>, body: Option<Value>) -> Value {
        parameters.sort_unstable();
        let dialect = self.schemas.dialect;
        let mut written: Vec<(String, Value)> = Vec::new();
        for parameter in parameters {
            let whole = parameter.written(dialect);
            let found = if dialect == Dialect::V2 && parameter.is_shared() {
                let reference = json!({"$ref": format!("#/parameters/{}", parameter.name)});
                self.shared.insert(parameter.name.as_str(), whole);
                reference
            } else {
                whole
            };
            written.push((parameter.name, found));
        }
        if let Some(body) = body {
            let position = written.partition_point(|(name, _)| name.as_str() < "body");
            written.insert(position, ("body".to_owned(), body));
        }
        written.into_iter().map(|(_, found)| found).collect::<Vec<_>>().into()
    }

    fn operation(&mut self, operation: Operation<'_>, tag: &str) -> Value {
        let Operation { id, action, parameters, body, consumes, produces, answer, codes, .. } = operation;
        let dialect = self.schemas.dialect;
        let content = |types: &[&str], schema: &Value| {
            types.iter().map(|kind| ((*kind).to_owned(), json!({"schema": schema}))).collect::<Map>()
        };
        let mut responses: Map = codes
            .iter()
            .map(|(code, description)| {
                let found = match dialect {
                    Dialect::V2 => json!({"description": description, "schema": answer}),
                    Dialect::V3 => {
                        json!({"description": description, "content": content(produces, &answer)})
                    }
                };
                ((*code).to_owned(), found)
            })
            .collect();
        responses.insert("401", json!({"description": "Unauthorized"}));
        let mut found = json!({"operationId": id, "responses": responses, "tags": [tag]});
        if let Some((action, kind)) = action {
            found["x-kubernetes-action"] = action.into();
            found["x-kubernetes-group-version-kind"] = group_version_kind(kind);
        }
        let has_parameters = !parameters.is_empty();
        if dialect == Dialect::V2 {
            if !consumes.is_empty() {
                found["consumes"] = consumes.to_vec().into();
            }
            found["produces"] = produces.to_vec().into();
            found["schemes"] = json!(["https"]);
            let body = body.map(|body| {
                let mut whole = json!({"name": "body", "in": "body", "schema": body.schema});
                if body.is_required {
                    whole["required"] = true.into();
                }
                whole
            });
            if has_parameters || body.is_some() {
                found["parameters"] = self.parameters(parameters, body);
            }
            return found;
        }
        if has_parameters {
            found["parameters"] = self.parameters(parameters, None);
        }
        if let Some(body) = body {
            found["requestBody"] = json!({"content": content(consumes, &body.schema)});
            if body.is_required {
                found["requestBody"]["required"] = true.into();
            }
        }
        found
    }
}
