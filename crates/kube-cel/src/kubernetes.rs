//! The environments of Kubernetes' uses of CEL.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/cel`, `k8s.io/dynamic-resource-allocation/cel`.

use super::cost::Bounds;
use super::environment::{Env, ObjectType};
use super::library::{self, MAX_ATTRIBUTE_VALUES};
use super::types::Type;
use super::value::Value;

const VARIABLES: &str = "kubernetes.variables";

/// What an admission expression may refer to besides the request and its objects.
#[derive(Debug, Clone, Copy, Default)]
pub struct AdmissionVariables<'a> {
    /// `params`, if the policy has a kind of parameters.
    pub params: bool,
    /// `authorizer`
    pub authorizer: bool,
    /// Whether the types and functions for mutations are available.
    pub patch_types: bool,
    /// The variables of the policy, typed by their expressions.
    pub variables: Option<&'a ObjectType>,
}

impl Env {
    /// Declares `user`, the authenticated user.
    #[must_use]
    pub fn with_user(self) -> Self {
        self.with_variable("user", Type::object("kubernetes.UserInfo")).with_objects()
    }

    fn with_objects(mut self) -> Self {
        for (name, fields) in OBJECTS {
            let fields = fields.iter().map(|(name, of)| (*name, of.to_type()));
            self = self.with_object(name, ObjectType::new(fields));
        }
        self
    }

    /// Returns the environment of the claims of a token.
    ///
    /// Source: `k8s.io/apiserver/pkg/authentication/cel`.
    pub fn claims() -> Self {
        Self::new().with_variable("claims", Type::map(Type::String, Type::Any))
    }

    /// Returns the environment of the conditions under which an authorization webhook is asked.
    ///
    /// Source: `k8s.io/apiserver/pkg/authorization/cel`.
    pub fn authorization() -> Self {
        let mut env =
            Self::new().with_variable("request", Type::object("kubernetes.SubjectAccessReviewSpec"));
        for (name, fields) in AUTHORIZATION_OBJECTS {
            let fields = fields.iter().map(|(name, of)| (*name, of.to_type()));
            env = env.with_object(name, ObjectType::new(fields));
        }
        env
    }

    /// Returns the environment of policies and match conditions.
    pub fn admission(declared: AdmissionVariables) -> Self {
        let mut env = Self::new()
            .with_variable("object", Type::Dyn)
            .with_variable("oldObject", Type::Dyn)
            .with_variable("request", Type::object("kubernetes.AdmissionRequest"))
            .with_variable("namespaceObject", Type::object("kubernetes.Namespace"))
            .with_objects();
        if declared.params {
            env = env.with_variable("params", Type::Dyn);
        }
        if declared.authorizer {
            let resource_check = Type::object("kubernetes.authorization.ResourceCheck");
            env = env
                .with_variable("authorizer", Type::object("kubernetes.authorization.Authorizer"))
                .with_variable("authorizer.requestResource", resource_check);
        }
        if let Some(variables) = declared.variables {
            env = env
                .with_variable("variables", Type::object(VARIABLES))
                .with_object(VARIABLES, variables.clone());
        }
        if declared.patch_types { env.with_patch_types() } else { env }
    }

    /// Returns the environment of device selectors, with or without `device.allowMultipleAllocations` and attributes
    /// that are lists.
    pub fn device(has_multiple_allocations: bool, has_lists: bool) -> Self {
        const DEVICE: &str = "kubernetes.DRADevice";
        let by_domain = |of: Type| Type::map(Type::String, Type::map(Type::String, of));
        let mut device = ObjectType::new([
            ("driver", Type::String),
            ("attributes", by_domain(if has_lists { Type::Dyn } else { Type::Any })),
            ("capacity", by_domain(Type::object("kubernetes.Quantity"))),
        ]);
        if has_multiple_allocations {
            device.set("allowMultipleAllocations", Type::Bool);
        }
        let env =
            Self::new().with_bind().with_variable("device", Type::object(DEVICE)).with_object(DEVICE, device);
        if has_lists { env.with_includes() } else { env }
    }
}

impl<'a> Value<'a> {
    /// Returns `device` for a `device` of a `ResourceSlice` of `driver`.
    ///
    /// # Errors
    ///
    /// Fails for an attribute without a value that expressions can have.
    pub fn device(driver: &str, device: &'a gotext::value::Value) -> Result<Self, String> {
        library::device::value(driver, device)
    }
}

/// Returns the bounds of the parts of `device`, with attributes that are lists or without.
pub fn device_bounds(has_lists: bool) -> Bounds {
    const MAX_DRIVER: u64 = 63;
    const MAX_DOMAIN: u64 = 63;
    const MAX_ID: u64 = 32;
    const MAX_ENTRIES: u64 = 32;
    const MAX_ATTRIBUTE: u64 = 64;
    let of = |max: u64| Bounds { max, ..Bounds::default() };
    let map = |key: u64, value: Bounds, has_fields_for_keys: bool| Bounds {
        items: Some(Box::new(value)),
        keys: Some(Box::new(of(key))),
        has_fields_for_keys,
        ..of(MAX_ENTRIES)
    };
    let attribute = of(if has_lists { MAX_ATTRIBUTE.max(MAX_ATTRIBUTE_VALUES) } else { MAX_ATTRIBUTE });
    let fields = [
        ("driver", of(MAX_DRIVER)),
        ("allowMultipleAllocations", of(1)),
        ("attributes", map(MAX_DOMAIN, map(MAX_ID, attribute, true), false)),
        ("capacity", map(MAX_DOMAIN, map(MAX_ID, of(0), false), false)),
    ];
    Bounds { fields: fields.map(|(name, bounds)| (name.to_owned(), bounds)).into(), ..Bounds::default() }
}

impl Type {
    /// Returns the type of a policy's variable in the expressions after it, if its own expression has this one.
    #[must_use]
    pub fn of_variable(&self) -> Self {
        match self {
            Self::List(element) => Self::list(element.of_variable()),
            Self::Map(entry) => Self::map(entry.0.of_variable(), entry.1.of_variable()),
            Self::Any
            | Self::Bool
            | Self::Bytes
            | Self::Double
            | Self::Duration
            | Self::Int
            | Self::Null
            | Self::String
            | Self::Timestamp
            | Self::Uint => self.clone(),
            _ => Self::Dyn,
        }
    }
}

/// The type of a declared field.
enum Declared {
    Bool,
    Int,
    String,
    Strings,
    StringMap,
    StringListMap,
    Timestamp,
    Dyn,
    Object(&'static str),
    Objects(&'static str),
}

impl Declared {
    fn to_type(&self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::Int => Type::Int,
            Self::String => Type::String,
            Self::Strings => Type::list(Type::String),
            Self::StringMap => Type::map(Type::String, Type::String),
            Self::StringListMap => Type::map(Type::String, Type::list(Type::String)),
            Self::Timestamp => Type::Timestamp,
            Self::Dyn => Type::Dyn,
            Self::Object(name) => Type::object(name),
            Self::Objects(name) => Type::list(Type::object(name)),
        }
    }
}

static AUTHORIZATION_OBJECTS: &[(&str, &[(&str, Declared)])] = &[
    (
        "kubernetes.SubjectAccessReviewSpec",
        &[
            ("resourceAttributes", Declared::Object("kubernetes.ResourceAttributes")),
            ("nonResourceAttributes", Declared::Object("kubernetes.NonResourceAttributes")),
            ("user", Declared::String),
            ("groups", Declared::Strings),
            ("extra", Declared::StringListMap),
            ("uid", Declared::String),
        ],
    ),
    (
        "kubernetes.ResourceAttributes",
        &[
            ("namespace", Declared::String),
            ("verb", Declared::String),
            ("group", Declared::String),
            ("version", Declared::String),
            ("resource", Declared::String),
            ("subresource", Declared::String),
            ("name", Declared::String),
            ("fieldSelector", Declared::Object("kubernetes.FieldSelectorAttributes")),
            ("labelSelector", Declared::Object("kubernetes.LabelSelectorAttributes")),
        ],
    ),
    (
        "kubernetes.FieldSelectorAttributes",
        &[
            ("rawSelector", Declared::String),
            ("requirements", Declared::Objects("kubernetes.SelectorRequirement")),
        ],
    ),
    (
        "kubernetes.LabelSelectorAttributes",
        &[
            ("rawSelector", Declared::String),
            ("requirements", Declared::Objects("kubernetes.SelectorRequirement")),
        ],
    ),
    (
        "kubernetes.SelectorRequirement",
        &[("key", Declared::String), ("operator", Declared::String), ("values", Declared::Strings)],
    ),
    ("kubernetes.NonResourceAttributes", &[("path", Declared::String), ("verb", Declared::String)]),
];

static OBJECTS: &[(&str, &[(&str, Declared)])] = &[
    (
        "kubernetes.AdmissionRequest",
        &[
            ("kind", Declared::Object("kubernetes.GroupVersionKind")),
            ("resource", Declared::Object("kubernetes.GroupVersionResource")),
            ("subResource", Declared::String),
            ("requestKind", Declared::Object("kubernetes.GroupVersionKind")),
            ("requestResource", Declared::Object("kubernetes.GroupVersionResource")),
            ("requestSubResource", Declared::String),
            ("name", Declared::String),
            ("namespace", Declared::String),
            ("operation", Declared::String),
            ("userInfo", Declared::Object("kubernetes.UserInfo")),
            ("dryRun", Declared::Bool),
            ("options", Declared::Dyn),
        ],
    ),
    (
        "kubernetes.GroupVersionKind",
        &[("group", Declared::String), ("version", Declared::String), ("kind", Declared::String)],
    ),
    (
        "kubernetes.GroupVersionResource",
        &[("group", Declared::String), ("version", Declared::String), ("resource", Declared::String)],
    ),
    (
        "kubernetes.UserInfo",
        &[
            ("username", Declared::String),
            ("uid", Declared::String),
            ("groups", Declared::Strings),
            ("extra", Declared::StringListMap),
        ],
    ),
    (
        "kubernetes.Namespace",
        &[
            ("metadata", Declared::Object("kubernetes.NamespaceMetadata")),
            ("spec", Declared::Object("kubernetes.NamespaceSpec")),
            ("status", Declared::Object("kubernetes.NamespaceStatus")),
        ],
    ),
    (
        "kubernetes.NamespaceMetadata",
        &[
            ("name", Declared::String),
            ("generateName", Declared::String),
            ("namespace", Declared::String),
            ("labels", Declared::StringMap),
            ("annotations", Declared::StringMap),
            ("UID", Declared::String),
            ("creationTimestamp", Declared::Timestamp),
            ("deletionGracePeriodSeconds", Declared::Int),
            ("deletionTimestamp", Declared::Timestamp),
            ("generation", Declared::Int),
            ("resourceVersion", Declared::String),
            ("finalizers", Declared::Strings),
        ],
    ),
    ("kubernetes.NamespaceSpec", &[("finalizers", Declared::Strings)]),
    (
        "kubernetes.NamespaceStatus",
        &[("conditions", Declared::Objects("kubernetes.NamespaceCondition")), ("phase", Declared::String)],
    ),
    (
        "kubernetes.NamespaceCondition",
        &[
            ("status", Declared::String),
            ("type", Declared::String),
            ("lastTransitionTime", Declared::Timestamp),
            ("message", Declared::String),
            ("reason", Declared::String),
        ],
    ),
];
