//! One mutation of a policy.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/policy/mutating/{dispatcher.go,patch}`.

use kube_api::decode::FieldValidation;
use kube_api::field::Path;
use kube_api::json_patch;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionKind, Map, Object, Status, Value};

use crate::cluster::Cluster;
use crate::policy::{
    Bindings, COST_BUDGET, Expression, ExpressionCompiler, Use, merged_value, patch_value, read_patched,
    type_name_errors,
};
use kube_registry::merge;

/// The mutations of a policy, compiled.
#[derive(Debug)]
pub(super) struct Evaluator {
    pub(super) mutations: Vec<Mutation>,
    /// Whether the policy is called again when something changes after it.
    pub(super) is_reinvoked_if_needed: bool,
}

/// One mutation.
#[derive(Debug)]
pub(super) enum Mutation {
    /// The expression's result is merged into the object.
    ApplyConfiguration(Expression),
    /// The expression's result is the operations of a patch.
    JsonPatch(Expression),
}

/// The reason that a mutation fails.
#[derive(Debug)]
pub(super) enum Error {
    /// A `test` of the patch failed at the path: the object stays as it is, and the server reports nothing.
    Test(String),
    /// A failure that the failure policy applies to.
    Policy(String),
    /// A refusal of the request, under every failure policy.
    Status(Box<Status>),
}

/// The target of a mutation.
pub(super) struct Target<'a> {
    pub(super) object: &'a Object,
    /// The kind of the request, which the object is converted back to.
    pub(super) request_kind: &'a GroupVersionKind,
    pub(super) cluster: &'a Cluster,
    pub(super) profile: &'a ServerProfile,
}

impl Evaluator {
    pub(super) fn new(spec: &Value, compiler: &ExpressionCompiler) -> Self {
        let mutations =
            spec["mutations"].as_array().into_iter().flatten().enumerate().map(|(index, mutation)| {
                let at = |list: &str| {
                    Path::new("spec")
                        .child("mutations")
                        .index(index)
                        .child(list.to_owned())
                        .child("expression")
                };
                let text = |field: &str| mutation[field].text("expression");
                if mutation["patchType"] == "JSONPatch" {
                    Mutation::JsonPatch(compiler.expression_at(
                        at("jsonPatch"),
                        text("jsonPatch"),
                        Use::JsonPatch,
                    ))
                } else {
                    let expression = text("applyConfiguration");
                    Mutation::ApplyConfiguration(compiler.expression_at(
                        at("applyConfiguration"),
                        expression,
                        Use::ApplyConfiguration,
                    ))
                }
            });
        Self {
            mutations: mutations.collect(),
            is_reinvoked_if_needed: spec["reinvocationPolicy"] == "IfNeeded",
        }
    }
}

impl Mutation {
    /// Returns the object after the mutation.
    pub(super) fn apply(&self, target: &Target<'_>, bindings: &Bindings<'_>) -> Result<Object, Error> {
        let (Self::ApplyConfiguration(expression) | Self::JsonPatch(expression)) = self;
        expression.compiled().map_err(|error| Error::Policy(error.to_owned()))?;
        let value = expression.evaluate(bindings, &mut COST_BUDGET.clone());
        let value = value.map_err(|fault| Error::Policy(fault.message))?;
        match self {
            Self::ApplyConfiguration(_) => target.apply_configuration(&value),
            Self::JsonPatch(_) => target.json_patch(&value),
        }
    }
}

impl Target<'_> {
    fn apply_configuration(&self, value: &kube_cel::Value<'_>) -> Result<Object, Error> {
        let kind = &self.object.kind;
        check_type_names(value)?;
        let mut patch = merged_value(value).map_err(Error::Policy)?;
        if let Value::Object(map) = &mut patch {
            map.insert("apiVersion".to_owned(), kind.api_version().into());
            map.insert("kind".to_owned(), Value::from(&*kind.kind));
        }
        let definition = self.cluster.custom_resource_of_kind(&kind.group, &kind.kind);
        let version = definition.as_ref().and_then(|definition| definition.version(&kind.version));
        let merged = merge::apply_configuration(self.object, &patch, version)
            .map_err(|error| Error::Policy(format!("error applying patch: {error}")))?;
        self.check_version()?;
        let read = read_patched(merged, kind, FieldValidation::Ignore, self.cluster, self.profile);
        read.map_err(|error| {
            let cause = error.unstructured.unwrap_or(error.cause);
            Error::Policy(format!("unable to convert unstructured object to {kind}: {cause}"))
        })
    }

    fn json_patch(&self, value: &kube_cel::Value<'_>) -> Result<Object, Error> {
        let patch = operations(value)?;
        let patch = json_patch::decode(&patch).and_then(|patch| patch.apply(self.object.value.clone()));
        let patched = match patch {
            Ok(patched) => patched,
            Err(json_patch::Error::TestFailed { path }) => {
                self.check_version()?;
                return Err(Error::Test(path));
            }
            Err(error) => return Err(Error::Policy(format!("JSON Patch: {error}"))),
        };
        let kind = &self.object.kind;
        let object = read_patched(patched, kind, FieldValidation::Strict, self.cluster, self.profile)
            .map_err(|error| {
                let context = if error.is_of_other_kind { "failed to convert object: " } else { "" };
                let message = format!("{context}{}", error.cause);
                Error::Status(Box::new(Status::new_internal_error(&message)))
            })?;
        self.check_version()?;
        Ok(object)
    }

    /// Checks the version: the server cannot convert a patched object back to the version of the request unless it is a
    /// custom resource.
    fn check_version(&self) -> Result<(), Error> {
        let (found, wanted) = (&self.object.kind, self.request_kind);
        let is_custom = || self.cluster.custom_resource_of_kind(&found.group, &found.kind).is_some();
        if found == wanted || is_custom() {
            return Ok(());
        }
        Err(Error::Policy(format!(
            "converting ({}.{}) to ({}.{}): unknown conversion",
            found.version, found.kind, wanted.version, wanted.kind
        )))
    }
}

/// Returns the patch in a list of `JSONPatch` objects.
fn operations(value: &kube_cel::Value<'_>) -> Result<Value, Error> {
    let kube_cel::Value::List(list) = value else {
        return Err(Error::Policy(
            "type mismatch: JSONPatchType.expression should evaluate to array".to_owned(),
        ));
    };
    let operations = list.iter().map(|item| {
        let kube_cel::Value::Object(object) = &item else {
            return Err(Error::Policy(
                "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch".to_owned(),
            ));
        };
        let text = |name: &str| match object.get(name) {
            Some(kube_cel::Value::String(text)) => text.to_string(),
            _ => String::new(),
        };
        let mut operation = Map::new();
        operation.insert("op".to_owned(), text("op").into());
        operation.insert("path".to_owned(), text("path").into());
        let from = text("from");
        if !from.is_empty() {
            operation.insert("from".to_owned(), from.into());
        }
        if let Some(value) = object.get("value") {
            check_type_names(value)?;
            let value = patch_value(value).map_err(|error| {
                Error::Policy(format!(
                    "JSONPath valueExpression evaluated to a type that could not marshal to JSON: {error}"
                ))
            })?;
            operation.insert("value".to_owned(), value);
        }
        Ok(Value::Object(operation))
    });
    operations.collect::<Result<_, _>>().map(Value::Array)
}

fn check_type_names(value: &kube_cel::Value<'_>) -> Result<(), Error> {
    match type_name_errors(value).as_slice() {
        [] => Ok(()),
        errors => Err(Error::Policy(format!("type mismatch: {}", errors.join("\n")))),
    }
}
