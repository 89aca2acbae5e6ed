//! The warnings of the controller that type-checks policies: about expressions that read fields which the matched kinds
//! do not have. They never change the effect of a policy.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/policy/validating/typechecking.go`, `…/pkg/cel/common/schemas.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::cluster::Cluster;
use kube_api::field::Path;
use kube_api::resource::{self, ApiResource, Served};
use kube_api::resources::CUSTOM_RESOURCE_DEFINITIONS;
use kube_api::schema::{self, Scalar, Shape};
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Object, Value};
use kube_cel::{AdmissionVariables, Env, ObjectType, Type, escape};
use kube_registry::custom_resource::declare_published;
use kube_registry::validation::expression::instantiation_error;

/// The number of kinds of a rule at which no more kinds are looked for.
const MAX_TYPES: usize = 10;

/// The type of an object without known fields, such as one that contains itself.
const OPEN: &str = "kubernetes.object";

/// The types whose values are any objects.
const OPAQUE: &[&str] = &["runtime.RawExtension", "v1.FieldsV1"];

/// Returns the warnings of `status.typeChecking` of a `ValidatingAdmissionPolicy`, each with the field of its
/// expression. `cluster` has the definitions of custom resources.
pub fn type_warnings(policy: &Object, cluster: &Cluster, release: Version) -> Vec<(Path, String)> {
    let spec = policy.at("spec").unwrap_or(&Value::Null);
    let params = spec.get("paramKind").filter(|kind| !kind.is_null()).map(|kind| {
        let text = |field: &str| kind[field].as_str().unwrap_or_default();
        GroupVersionKind::from_api_version(text("apiVersion"), text("kind"))
    });
    let kinds: Vec<Typed> = kinds_of(spec, cluster, release)
        .into_iter()
        .filter_map(|kind| Typed::new(kind, spec, params.as_ref(), cluster))
        .collect();
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
fn kinds_of(spec: &Value, cluster: &Cluster, release: Version) -> BTreeSet<GroupVersionKind> {
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
        let mut count = 0;
        for group in &groups {
            for version in &versions {
                for resource in &resources {
                    for kind in kinds_for(group, version, resource, cluster, release) {
                        kinds.insert(kind);
                        count += 1;
                        if count == MAX_TYPES {
                            return kinds;
                        }
                    }
                }
            }
        }
    }
    kinds
}

/// Returns the kinds of the objects of `resource`, which may be a singular name. Without a group, it is a resource of
/// any group that has the version.
///
/// Source: `KindsFor` of `DefaultRESTMapper` of `k8s.io/apimachinery/pkg/api/meta`.
fn kinds_for(
    group: &str,
    version: &str,
    resource: &str,
    cluster: &Cluster,
    release: Version,
) -> Vec<GroupVersionKind> {
    let resource = resource.to_lowercase();
    let is_named = |own_group: &str, own_version: &str, plural: &str, singular: &str| {
        (group.is_empty() || group == own_group)
            && version == own_version
            && (plural == resource || singular == resource)
    };
    let served = resource::of_release(release).iter().filter(|entry| entry.served == Served::Default);
    let built_in = served
        .filter(|entry| is_named(entry.group, entry.version, entry.resource, entry.singular))
        .map(ApiResource::group_version_kind);
    let mut kinds: Vec<GroupVersionKind> = built_in.collect();
    for definition in cluster.list_all(&CUSTOM_RESOURCE_DEFINITIONS) {
        let (own, plural) =
            (definition.text(["spec", "group"]), definition.text(["spec", "names", "plural"]));
        let kind = definition.text(["spec", "names", "kind"]);
        let singular = match definition.text(["spec", "names", "singular"]) {
            "" => kind.to_lowercase(),
            singular => singular.to_owned(),
        };
        let is_served = definition
            .list(["spec", "versions"])
            .iter()
            .any(|written| written["name"] == version && written["served"] == true);
        if is_served && is_named(own, version, plural, &singular) {
            kinds.push(GroupVersionKind::new(own.to_owned(), version.to_owned(), kind.to_owned()));
        }
    }
    kinds
}

/// The fields of a kind.
enum Fields {
    BuiltIn(&'static schema::Type),
    /// Those of a definition.
    Custom(Arc<Object>),
}

impl Fields {
    fn of(kind: &GroupVersionKind, cluster: &Cluster) -> Option<Self> {
        if let Some(of) = schema::of(kind) {
            return Some(Self::BuiltIn(of));
        }
        cluster.definition_of_kind(&kind.group, &kind.kind).map(Self::Custom)
    }

    /// Declares the type of `kind`, and returns it; nothing for what expressions cannot see.
    fn declare(&self, env: &mut Env, kind: &GroupVersionKind) -> Option<Type> {
        match self {
            Self::BuiltIn(of) => {
                let mut types = Types::default();
                let declared = types.declare(of);
                for (name, fields) in types.objects {
                    env.declare_object(&name, fields);
                }
                declared
            }
            Self::Custom(definition) => {
                let name = format!("{}.{}.{}", kind.group, kind.version, kind.kind);
                declare_published(env, definition, &kind.version, &name)
            }
        }
    }
}

/// The environment of a policy's expressions for objects of one kind.
struct Typed {
    kind: GroupVersionKind,
    env: Env,
}

impl Typed {
    /// Returns the environment; nothing if the fields of the kind are unknown.
    fn new(
        kind: GroupVersionKind,
        spec: &Value,
        params: Option<&GroupVersionKind>,
        cluster: &Cluster,
    ) -> Option<Self> {
        let fields = Fields::of(&kind, cluster)?;
        let param_fields = params.and_then(|params| Some((params, Fields::of(params, cluster)?)));
        let env = |variables: &ObjectType| {
            let declared = AdmissionVariables {
                params: params.is_some(),
                authorizer: true,
                patch_types: false,
                variables: Some(variables),
            };
            let mut env = Env::admission(declared);
            if let Some(object) = fields.declare(&mut env, &kind) {
                env = env.with_variable("object", object.clone()).with_variable("oldObject", object);
            }
            if let Some((params, fields)) = &param_fields
                && let Some(param) = fields.declare(&mut env, params)
            {
                env = env.with_variable("params", param);
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
        let env = env(&variables);
        Some(Self { kind, env })
    }

    fn check(&self, expression: &str) -> Option<String> {
        match self.env.compile(expression) {
            Err(issues) => Some(format!("{}: {issues}\n", self.kind)),
            Ok(checked) => {
                let error = instantiation_error(&checked)?;
                Some(format!("{}: type checking error: {error}\n", self.kind))
            }
        }
    }
}

/// The types of objects by their names.
#[derive(Default)]
struct Types {
    objects: BTreeMap<String, ObjectType>,
    /// Types that are being declared.
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
                    // The controller resolves no further than that it is an object.
                    self.objects.insert(OPEN.to_owned(), ObjectType::default());
                    return Some(Type::object(OPEN));
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
                // Their schemas are objects without properties.
                Scalar::Json if OPAQUE.contains(&&*of.name) => {
                    self.objects.insert(OPEN.to_owned(), ObjectType::default());
                    Some(Type::object(OPEN))
                }
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
    use gotext::value::json;

    fn policy(rule: &Value, expression: &str) -> Object {
        let kind = GroupVersionKind::from_api_version(
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmissionPolicy",
        );
        let spec = json!({
            "matchConstraints": {"resourceRules": [rule]},
            "variables": [{"name": "spec", "expression": "object.spec"}],
            "validations": [{"expression": expression}],
        });
        Object::new(kind, json!({"metadata": {"name": "p"}, "spec": spec}))
    }

    fn warnings_for(rule: &Value, cluster: &Cluster, expression: &str) -> Vec<String> {
        let warnings = type_warnings(&policy(rule, expression), cluster, Version::BINARY);
        warnings.into_iter().map(|(path, warning)| format!("{path}: {warning}")).collect()
    }

    fn warnings(expression: &str) -> Vec<String> {
        let rule = json!({"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"]});
        warnings_for(&rule, &Cluster::new(), expression)
    }

    /// Returns a cluster with a definition of `Widget`.
    fn with_widgets(schema: &Value) -> Cluster {
        let cluster = Cluster::new();
        let kind = GroupVersionKind::from_api_version("apiextensions.k8s.io/v1", "CustomResourceDefinition");
        let names = json!({"plural": "widgets", "singular": "widget", "kind": "Widget"});
        let version =
            json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
        let spec =
            json!({"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]});
        let definition = json!({"metadata": {"name": "widgets.example.com"}, "spec": spec});
        cluster.put(&CUSTOM_RESOURCE_DEFINITIONS, Arc::new(Object::new(kind, definition)));
        cluster
    }

    #[test]
    fn finds_fields_that_a_kind_does_not_have() {
        assert_eq!(
            warnings("object.spec.replica > 1"),
            [concat!(
                "spec.validations[0].expression: apps/v1, Kind=Deployment: ",
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
            "has(variables.spec.template.spec.hostNetwork)",
        ] {
            assert_eq!(warnings(expression), Vec::<String>::new(), "{expression}");
        }
    }

    #[test]
    fn knows_the_fields_of_custom_resources() {
        let size = json!({"type": "object", "properties": {"size": {"type": "integer"}, "any": {
            "x-kubernetes-preserve-unknown-fields": true}}});
        let cluster = with_widgets(&json!({"type": "object", "properties": {"spec": size}}));
        let rule = json!({"apiGroups": ["example.com"], "apiVersions": ["v1"], "resources": ["widgets"]});
        for expression in [
            "object.spec.size > 1",
            "variables.spec.size > 1",
            "object.metadata.labels['a'] == 'b' && object.kind == 'Widget'",
            "object.metadata.ownerReferences.all(owner, owner.controller)",
        ] {
            assert_eq!(warnings_for(&rule, &cluster, expression), Vec::<String>::new(), "{expression}");
        }
        assert_eq!(
            warnings_for(&rule, &cluster, "object.spec.sise > 1"),
            [concat!(
                "spec.validations[0].expression: example.com/v1, Kind=Widget: ",
                "ERROR: <input>:1:12: undefined field 'sise'\n | object.spec.sise > 1\n | ...........^\n"
            )]
        );
        // What has no type is not exposed.
        assert_eq!(warnings_for(&rule, &cluster, "object.spec.any == 1").len(), 1);
        assert_eq!(warnings_for(&rule, &Cluster::new(), "object.spec.sise > 1"), Vec::<String>::new());
    }

    #[test]
    fn objects_without_schema_have_a_name() {
        let cluster = with_widgets(&Value::Null);
        let rule = json!({"apiGroups": ["example.com"], "apiVersions": ["v1"], "resources": ["widget"]});
        let of = |expression: &str| warnings_for(&rule, &cluster, expression).len();
        assert_eq!([of("object.metadata.name == ''"), of("object.metadata.labels.size() == 0")], [0, 1]);
    }

    /// The mapping of names to kinds takes the core group for no group at all.
    #[test]
    fn finds_kinds_of_any_group_without_one() {
        let kinds = |group: &str, resource: &str| -> Vec<String> {
            let rule = json!({"apiGroups": [group], "apiVersions": ["v1"], "resources": [resource]});
            let spec = policy(&rule, "true").value["spec"].clone();
            kinds_of(&spec, &Cluster::new(), Version::BINARY).iter().map(ToString::to_string).collect()
        };
        assert_eq!(kinds("", "events"), ["/v1, Kind=Event", "events.k8s.io/v1, Kind=Event"]);
        assert_eq!(kinds("", "deployments"), ["apps/v1, Kind=Deployment"]);
        assert_eq!(kinds("batch", "deployments"), [""; 0]);
        assert_eq!(kinds("apps", "Deployment"), ["apps/v1, Kind=Deployment"]);
    }

    #[test]
    fn types_that_contain_themselves_are_objects_in_the_end() {
        let rule = json!({"apiGroups": ["apiextensions.k8s.io"], "apiVersions": ["v1"],
            "resources": ["customresourcedefinitions"]});
        let path = "object.spec.versions.all(v, has(v.schema.openAPIV3Schema.not";
        let of = |rest: &str| warnings_for(&rule, &Cluster::new(), &format!("{path}{rest}))")).len();
        assert_eq!([of(""), of(".type")], [0, 1]);
    }
}
