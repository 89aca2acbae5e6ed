//! The warnings of the controller that type-checks policies: about expressions that read fields which the matched kinds
//! do not have. They never change the effect of a policy.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/policy/validating/typechecking.go`, `…/pkg/cel/common/schemas.go`.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::field::Path;
use crate::api::schema::{self, Scalar, Shape};
use crate::api::{GroupVersionKind, GroupVersionResource, Object, Value, resource};
use crate::cel::{AdmissionVariables, Env, ObjectType, Type, escape};

/// The number of kinds of a rule that are checked.
const MOST_TYPES: usize = 10;

/// Returns the warnings of `status.typeChecking` of a `ValidatingAdmissionPolicy`, each with the field of its
/// expression. Only built-in kinds are checked.
pub fn type_warnings(policy: &Object) -> Vec<(Path, String)> {
    let spec = policy.at(&["spec"]).unwrap_or(&Value::Null);
    let params = spec.get("paramKind").filter(|kind| !kind.is_null()).map(|kind| {
        let text = |field: &str| kind[field].as_str().unwrap_or_default();
        GroupVersionKind::from_api_version(text("apiVersion"), text("kind"))
    });
    let kinds: Vec<Typed> =
        kinds_of(spec).into_iter().filter_map(|kind| Typed::new(kind, spec, params.as_ref())).collect();
    let mut warnings = Vec::new();
    for (index, validation) in spec["validations"].as_array().into_iter().flatten().enumerate() {
        for field in ["expression", "messageExpression"] {
            let Some(expression) = validation[field].as_str().filter(|text| !text.is_empty()) else {
                continue;
            };
            let found: Vec<String> = kinds.iter().filter_map(|kind| kind.check(expression)).collect();
            if !found.is_empty() {
                let path = Path::new("spec").child("validations").index(index).child(field);
                warnings.push((path, found.join("\n")));
            }
        }
    }
    warnings
}

/// Returns the kinds that the rules of a policy name without wildcards, in order.
fn kinds_of(spec: &Value) -> BTreeSet<GroupVersionKind> {
    let mut kinds = BTreeSet::new();
    let rules = spec.get("matchConstraints").and_then(|constraints| constraints.get("resourceRules"));
    for rule in rules.and_then(Value::as_array).into_iter().flatten() {
        let texts = |field: &str| {
            let items = rule[field].as_array().into_iter().flatten();
            let mut texts: Vec<&str> = items.into_iter().filter_map(Value::as_str).collect();
            texts.sort_unstable();
            texts
        };
        let (groups, versions) = (texts("apiGroups"), texts("apiVersions"));
        if groups.iter().chain(&versions).any(|text| text.contains('*')) {
            continue;
        }
        let resources = texts("resources").into_iter().filter(|resource| !resource.contains(['*', '/']));
        let resources: Vec<&str> = resources.collect();
        let mut found = Vec::new();
        for group in &groups {
            for version in &versions {
                found.extend(resources.iter().filter_map(|name| {
                    let named = GroupVersionResource::new(
                        (*group).to_owned(),
                        (*version).to_owned(),
                        (*name).to_owned(),
                    );
                    let resource = resource::by_resource(&named)?;
                    Some(GroupVersionKind::new(resource.group, resource.version, resource.kind))
                }));
            }
        }
        found.truncate(MOST_TYPES);
        kinds.extend(found);
    }
    kinds
}

/// The environment of a policy's expressions for objects of one kind.
struct Typed {
    kind: GroupVersionKind,
    env: Env,
}

impl Typed {
    /// Returns the environment; nothing if the fields of the kind are unknown.
    fn new(kind: GroupVersionKind, spec: &Value, params: Option<&GroupVersionKind>) -> Option<Self> {
        let mut types = Types::default();
        let object = types.declare(schema::of(&kind)?)?;
        let param = params.and_then(schema::of).and_then(|of| types.declare(of));
        let env = |variables: &ObjectType| {
            let declared = AdmissionVariables {
                params: params.is_some(),
                authorizer: true,
                patch_types: false,
                variables: Some(variables),
            };
            let mut env = Env::admission(declared)
                .with_variable("object", object.clone())
                .with_variable("oldObject", object.clone());
            if let Some(param) = &param {
                env = env.with_variable("params", param.clone());
            }
            for (name, fields) in &types.objects {
                env.declare_object(name, fields.clone());
            }
            env
        };
        let mut variables = ObjectType::default();
        for variable in spec["variables"].as_array().into_iter().flatten() {
            let text = |field: &str| variable[field].as_str().unwrap_or_default();
            let checked = env(&variables).compile(text("expression"));
            let of = checked.map_or(Type::Dyn, |checked| checked.output_type().of_variable());
            variables.set(text("name"), of);
        }
        Some(Self { env: env(&variables), kind })
    }

    fn check(&self, expression: &str) -> Option<String> {
        let issues = self.env.compile(expression).err()?;
        Some(format!("{}: compilation failed: {issues}\n", self.kind))
    }
}

/// The types of objects by their names.
#[derive(Default)]
struct Types {
    objects: BTreeMap<String, ObjectType>,
    /// Types that are being declared: a recursive type has no schema that the controller could resolve.
    open: BTreeSet<String>,
}

impl Types {
    /// Returns the type that expressions see for `of`; nothing for what they cannot see.
    fn declare(&mut self, of: &schema::Type) -> Option<Type> {
        match &of.shape {
            Shape::Struct(fields) => {
                let name = format!("kubernetes.{}", of.name);
                if self.objects.contains_key(&name) {
                    return Some(Type::object(&name));
                }
                if !self.open.insert(name.clone()) {
                    return None;
                }
                let mut object = ObjectType::default();
                for field in &fields.fields {
                    let Some(escaped) = escape(&field.name) else { continue };
                    if let Some(declared) = self.declare(field.reference.get()) {
                        object.set(&escaped, declared);
                    }
                }
                self.open.remove(&name);
                self.objects.insert(name.clone(), object);
                Some(Type::object(&name))
            }
            Shape::List(item) => Some(Type::list(self.declare(item.get())?)),
            Shape::Map { value, .. } => Some(Type::map(Type::String, self.declare(value.get())?)),
            Shape::Scalar(scalar) => match scalar {
                Scalar::String | Scalar::Duration => Some(Type::String),
                Scalar::Bool => Some(Type::Bool),
                Scalar::Int32 | Scalar::Int64 | Scalar::Uint8 => Some(Type::Int),
                Scalar::Float64 => Some(Type::Double),
                Scalar::Bytes => Some(Type::Bytes),
                Scalar::IntOrString => Some(Type::Dyn),
                Scalar::Time | Scalar::MicroTime => Some(Type::Timestamp),
                // Their schemas have no separate type.
                Scalar::Quantity
                | Scalar::Json
                | Scalar::SchemaOrBool
                | Scalar::SchemaOrArray
                | Scalar::SchemaOrStrings => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn warnings(expression: &str) -> Vec<String> {
        let kind = GroupVersionKind::from_api_version(
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmissionPolicy",
        );
        let rule = json!({"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"]});
        let spec = json!({
            "matchConstraints": {"resourceRules": [rule]},
            "variables": [{"name": "spec", "expression": "object.spec.template.spec"}],
            "validations": [{"expression": expression}],
        });
        let policy = Object::new(kind, json!({"metadata": {"name": "p"}, "spec": spec}));
        type_warnings(&policy).into_iter().map(|(path, warning)| format!("{path}: {warning}")).collect()
    }

    #[test]
    fn finds_fields_that_a_kind_does_not_have() {
        assert_eq!(
            warnings("object.spec.replica > 1"),
            [concat!(
                "spec.validations[0].expression: apps/v1, Kind=Deployment: compilation failed: ",
                "ERROR: <input>:1:12: undefined field 'replica'\n | object.spec.replica > 1\n | ...........^\n"
            )]
        );
        assert_eq!(warnings("object.spec.replicas == '1'").len(), 1);
    }

    #[test]
    fn knows_what_a_kind_has() {
        for expression in [
            "object.spec.replicas > 1",
            "object.spec.template.spec.containers.all(c, c.image.contains('/'))",
            "object.metadata.labels['app'] == 'web'",
            "object.metadata.creationTimestamp < timestamp('2026-01-01T00:00:00Z')",
            "object.spec.strategy.rollingUpdate.maxSurge == 1",
            "has(variables.spec.hostNetwork)",
        ] {
            assert_eq!(warnings(expression), Vec::<String>::new(), "{expression}");
        }
    }
}
