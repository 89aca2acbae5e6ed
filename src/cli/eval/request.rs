//! The request that `kadmit eval` evaluates expressions for.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::admission::{Attributes, Operation, ReinvocationContext, UserInfo};
use crate::api_server::{self, put_definitions_first};
use crate::cli::eval::Eval;
use crate::cli::input::{NonManifests, Selection};
use crate::cluster::authorizer::{AuthorizationMode, Authorizer};
use crate::cluster::{Cluster, Fixture, is_policy};
use crate::code::Code;
use crate::configuration::Flags;
use crate::evaluation::Place;
use crate::policy::{ExpressionCompiler, Matched, Variable, admission_request, namespace_object};
use crate::report::Diagnostic;
use gotext::value::json;
use kube_api::decode::{DecodeContext, FieldValidation};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionKind, Name, Object, Value, resource};
use kube_yaml::Item;

/// The values of the variables.
pub(super) struct Request {
    pub(super) attributes: Attributes,
    pub(super) described: Value,
    pub(super) params: Option<Arc<Object>>,
    pub(super) namespace: Option<Value>,
    pub(super) authorizer: Authorizer,
    pub(super) policy: Arc<Variables>,
    /// The name of the object, if there are several.
    pub(super) subject: Option<String>,
    /// What is assumed.
    pub(super) notes: Vec<String>,
    /// The number of evaluations that are timed.
    pub(super) bench: u32,
}

/// The variables of a policy, and the compiler that knows them.
pub(super) struct Variables {
    pub(super) compiler: ExpressionCompiler,
    pub(super) variables: Vec<Variable>,
}

/// The objects that exist, and what they are read with.
pub(super) struct Existing<'a> {
    pub(super) cluster: Arc<Cluster>,
    pub(super) profile: ServerProfile,
    namespace: &'a str,
}

impl Eval {
    /// Returns the objects of --cluster.
    ///
    /// # Errors
    ///
    /// Returns the errors in the files.
    pub(super) fn existing(&self) -> Result<Existing<'_>, Vec<Diagnostic>> {
        let profile = Flags::default().profile().map_err(|error| vec![Diagnostic::from(&error)])?;
        let existing = Existing { cluster: Arc::new(Cluster::new()), profile, namespace: &self.namespace };
        existing.read(&self.cluster)?;
        Ok(existing)
    }

    /// Returns the requests: one for each object, or one without an object.
    ///
    /// # Errors
    ///
    /// Returns the errors in the files.
    pub(super) fn requests(&self) -> Result<Vec<Request>, Vec<Diagnostic>> {
        let existing = self.existing()?;
        let objects = match &self.file {
            Some(path) => existing.objects(path)?.into_iter().map(Some).collect(),
            None => vec![None],
        };
        let one = |path: &Option<String>| path.as_ref().map(|path| existing.object(path)).transpose();
        let old_object = one(&self.old)?;
        let params = self.params.as_ref().map(|path| existing.stored(path)).transpose()?;
        let written = one(&self.namespace_object)?;
        let policy = Arc::new(self.policy.as_ref().map_or_else(
            || Ok(Variables { compiler: ExpressionCompiler::of_policy(true), variables: Vec::new() }),
            |path| existing.variables(path),
        )?);
        let mode =
            if self.cluster.is_empty() { AuthorizationMode::AlwaysAllow } else { AuthorizationMode::Rbac };
        let are_several = objects.len() > 1;
        let user = Arc::new(self.user.user_info());
        let request = |object: Option<Arc<Object>>| {
            let subject = object.as_ref().filter(|_| are_several).map(|object| {
                let namespace = match object.namespace() {
                    "" => String::new(),
                    namespace => format!("{namespace}/"),
                };
                format!("{} {namespace}{}", object.kind.kind, object.name())
            });
            let attributes = attributes(object, old_object.clone(), user.clone(), self.dry_run);
            let mut notes = Vec::new();
            let namespace = match &written {
                Some(written) => Some(written.value.clone()),
                None => existing.namespace_of(&attributes, &mut notes),
            };
            Request {
                described: admission_request(&attributes, &Matched::exactly(&attributes)),
                attributes,
                params: params.clone(),
                namespace,
                authorizer: Authorizer::new(existing.cluster.clone(), vec![mode]),
                policy: policy.clone(),
                subject,
                notes,
                bench: self.bench,
            }
        };
        Ok(objects.into_iter().map(request).collect())
    }
}

/// Returns the request that the objects imply: creation, update or deletion.
fn attributes(
    object: Option<Arc<Object>>,
    old_object: Option<Arc<Object>>,
    user_info: Arc<UserInfo>,
    dry_run: bool,
) -> Attributes {
    let operation = match (&object, &old_object) {
        (Some(_), Some(_)) => Operation::Update,
        (None, Some(_)) => Operation::Delete,
        _ => Operation::Create,
    };
    let about = object.as_ref().or(old_object.as_ref());
    let kind = about.map(|object| object.kind.clone()).unwrap_or_default();
    let found = resource::by_kind(&kind);
    Attributes {
        operation,
        resource: found.map(resource::ApiResource::group_version_resource).unwrap_or_default(),
        kind,
        sub_resource: Name::default(),
        namespace: about.map(|object| object.namespace().to_owned()).unwrap_or_default(),
        name: about.map(|object| object.name().to_owned()).unwrap_or_default(),
        object,
        old_object,
        options: None,
        dry_run,
        user_info,
        reinvocation: false,
        reinvocation_context: ReinvocationContext::default(),
        ordinal: 0,
        time: Duration::ZERO,
        deadline: None,
    }
}

impl Existing<'_> {
    /// Reads the objects of `paths` into the cluster.
    pub(super) fn read(&self, paths: &[String]) -> Result<(), Vec<Diagnostic>> {
        let mut exists = items(paths)?;
        put_definitions_first(&mut exists);
        for item in exists {
            let fixture = self.fixture(item)?;
            self.cluster.put(&fixture.resource, fixture.object);
        }
        Ok(())
    }

    fn fixture(&self, item: Item) -> Result<Fixture, Vec<Diagnostic>> {
        let (place, fixture) = api_server::fixture(item, self.namespace, &self.cluster, &self.profile);
        fixture.map_err(|error| {
            let diagnostic = Diagnostic::input(error.code(), error.to_string());
            let diagnostic = Diagnostic { help: error.help().map(Cow::into_owned), ..diagnostic };
            vec![diagnostic.at(place.source().clone(), error.span().unwrap_or(place.span))]
        })
    }

    /// Returns the only object of a file as a server has stored it, if its kind is known.
    fn stored(&self, path: &str) -> Result<Arc<Object>, Vec<Diagnostic>> {
        let item = one(items(&[path.to_owned()])?, path)?;
        let text = |field| item.node.get(field).and_then(|node| node.as_str()).unwrap_or_default();
        let kind = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
        let is_custom = self.cluster.custom_resource_of_kind(&kind.group, &kind.kind).is_some();
        if is_custom || resource::by_kind(&kind).is_some() {
            return self.fixture(item).map(|fixture| fixture.object);
        }
        self.decoded(item)
    }

    /// Returns the only object of a file.
    pub(super) fn object(&self, path: &str) -> Result<Arc<Object>, Vec<Diagnostic>> {
        self.decoded(one(items(&[path.to_owned()])?, path)?)
    }

    /// Returns the objects of a file.
    pub(super) fn objects(&self, path: &str) -> Result<Vec<Arc<Object>>, Vec<Diagnostic>> {
        let items = items(&[path.to_owned()])?;
        if items.is_empty() {
            let error = Diagnostic::input(Code::EvalObject, format!("{path} does not contain an object"));
            return Err(vec![error]);
        }
        items.into_iter().map(|item| self.decoded(item)).collect()
    }

    /// Returns an object, defaulted if its kind is known.
    fn decoded(&self, item: Item) -> Result<Arc<Object>, Vec<Diagnostic>> {
        let (place, node) = Place::of(item);
        let text = |field| node.get(field).and_then(|node| node.as_str()).unwrap_or_default().to_owned();
        let kind = GroupVersionKind::from_api_version(&text("apiVersion"), &text("kind"));
        let context = DecodeContext {
            kind: &kind,
            field_validation: FieldValidation::Warn,
            strict_errors: &[],
            body: "",
        };
        let custom = self.cluster.custom_resource_of_kind(&kind.group, &kind.kind);
        let custom = custom.filter(|definition| definition.version(&kind.version).is_some());
        let (read, is_namespaced) = match (resource::by_kind(&kind), custom) {
            (Some(found), _) => {
                let read = kube_registry::read(node, &context, &self.profile, kube_registry::NOW);
                (read.map(|read| read.object), found.namespaced)
            }
            (None, Some(definition)) => {
                let read = definition.decode(node, &context);
                (read.map(|read| read.object), definition.is_namespaced)
            }
            (None, None) => return Ok(Arc::new(Object::new(kind, node.into_value()))),
        };
        let mut object = read.map_err(|error| {
            let span = error.span.unwrap_or(place.span);
            let diagnostic = Diagnostic::input(Code::EvalObject, error.to_string());
            vec![diagnostic.at(place.source().clone(), span)]
        })?;
        if is_namespaced && object.namespace().is_empty() {
            object.set(["metadata", "namespace"], self.namespace);
        }
        Ok(Arc::new(object))
    }

    /// Returns the variables of the only policy of a file.
    fn variables(&self, path: &str) -> Result<Variables, Vec<Diagnostic>> {
        let is_own = |item: &Item| {
            let text = |field| item.node.get(field).and_then(|node| node.as_str()).unwrap_or_default();
            let kind = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
            is_policy(&kind) && !kind.kind.ends_with("Binding")
        };
        let policies: Vec<Item> = items(&[path.to_owned()])?.into_iter().filter(is_own).collect();
        let policy = self.fixture(one(policies, path)?)?.object;
        let mut compiler = ExpressionCompiler::of_policy(true);
        let variables = policy.list(["spec", "variables"]).iter();
        let variables =
            variables.map(|variable| compiler.variable(variable.text("name"), variable.text("expression")));
        let variables = variables.collect();
        Ok(Variables { compiler, variables })
    }

    /// Returns the namespace of the request as policies see it: the one of the cluster, or else an assumed one.
    fn namespace_of(&self, attributes: &Attributes, notes: &mut Vec<String>) -> Option<Value> {
        if let Ok(found) = namespace_object(attributes, &self.cluster) {
            return found;
        }
        let name = attributes.namespace.as_str();
        notes.push(format!("assumed namespace \"{name}\" (not among the objects of --cluster)"));
        let labels = json!({"kubernetes.io/metadata.name": name});
        Some(json!({
            "metadata": {"name": name, "labels": labels},
            "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Active"},
        }))
    }
}

/// Returns the documents of `paths`.
fn items(paths: &[String]) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let found: Result<Vec<_>, Diagnostic> =
        NonManifests::Refused.items(paths, &Selection::default()).collect();
    found.map(|items| items.into_iter().flatten().collect()).map_err(|error| vec![error])
}

/// Returns the only item of a file.
fn one(mut items: Vec<Item>, path: &str) -> Result<Item, Vec<Diagnostic>> {
    if let (Some(item), true) = (items.pop(), items.is_empty()) {
        Ok(item)
    } else {
        let error =
            Diagnostic::input(Code::EvalObject, format!("{path} does not contain exactly one object"));
        Err(vec![error.help("name a file with a single document")])
    }
}
