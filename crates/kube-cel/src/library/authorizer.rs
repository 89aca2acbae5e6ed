//! Checks of what a user may do.
//!
//! Source: `k8s.io/apiserver/pkg/cel/library/authz.go`.

use std::fmt;
use std::sync::Arc;

use super::Function;
use crate::failure::Fault;
use crate::value::Outcome;
use crate::value::{Opaque, Value};
use gotext::names;

/// Answers whether a user may do something.
pub trait Authorizer: fmt::Debug + Sync {
    /// Decides on a request of the user that the request under admission is from, or of a service account.
    fn authorize(&self, request: &AuthorizationRequest) -> Decision;
}

/// The question for the authorizer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationRequest {
    /// Namespace and name of the service account that would do it; `None` for the user of the request under
    /// admission.
    pub service_account: Option<(String, String)>,
    /// The verb: `get`, `post`.
    pub verb: String,
    /// The target of the action.
    pub target: AuthorizationTarget,
}

/// The target of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthorizationTarget {
    /// A path that does not belong to a resource.
    Path(String),
    /// A resource; unset parts are empty.
    Resource {
        /// The API group.
        group: String,
        /// The resource: `pods`.
        resource: String,
        /// The subresource: `status`.
        subresource: String,
        /// The namespace.
        namespace: String,
        /// The name of the object.
        name: String,
        /// The field selector, as written.
        field_selector: String,
        /// The label selector, as written.
        label_selector: String,
    },
}

/// The decision of an authorizer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// Whether it is allowed.
    pub is_allowed: bool,
    /// The reason.
    pub reason: String,
    /// The error, if there was one.
    pub error: Option<String>,
}

/// An authorizer and its user.
#[derive(Debug, Clone)]
pub struct Authority<'a> {
    authorizer: &'a dyn Authorizer,
    service_account: Option<(Arc<str>, Arc<str>)>,
}

/// A resource that an action is checked for.
#[derive(Debug, Clone)]
pub struct ResourceCheck<'a> {
    authority: Arc<Authority<'a>>,
    group: Arc<str>,
    resource: Arc<str>,
    subresource: Arc<str>,
    namespace: Arc<str>,
    name: Arc<str>,
    field_selector: Arc<str>,
    label_selector: Arc<str>,
}

impl<'a> Value<'a> {
    /// Returns the variable `authorizer`.
    pub fn authorizer(authorizer: &'a dyn Authorizer) -> Self {
        Self::Opaque(Opaque::Authorizer(Arc::new(Authority { authorizer, service_account: None })))
    }

    /// Returns the variable `authorizer.requestResource`: the resource of the request under admission.
    pub fn request_resource(
        authorizer: &'a dyn Authorizer,
        group: &str,
        [resource, subresource]: [&str; 2],
        [namespace, name]: [&str; 2],
    ) -> Self {
        let authority = Arc::new(Authority { authorizer, service_account: None });
        let check = ResourceCheck {
            subresource: subresource.into(),
            namespace: namespace.into(),
            name: name.into(),
            ..ResourceCheck::new(authority, group.into(), resource.into())
        };
        Self::Opaque(Opaque::ResourceCheck(Arc::new(check)))
    }
}

impl<'a> ResourceCheck<'a> {
    fn new(authority: Arc<Authority<'a>>, group: Arc<str>, resource: Arc<str>) -> Self {
        let empty: Arc<str> = "".into();
        Self {
            authority,
            group,
            resource,
            subresource: Arc::clone(&empty),
            namespace: Arc::clone(&empty),
            name: Arc::clone(&empty),
            field_selector: Arc::clone(&empty),
            label_selector: empty,
        }
    }

    fn target(&self) -> AuthorizationTarget {
        AuthorizationTarget::Resource {
            group: self.group.to_string(),
            resource: self.resource.to_string(),
            subresource: self.subresource.to_string(),
            namespace: self.namespace.to_string(),
            name: self.name.to_string(),
            field_selector: self.field_selector.to_string(),
            label_selector: self.label_selector.to_string(),
        }
    }
}

impl Authority<'_> {
    fn decide(&self, verb: &str, target: AuthorizationTarget) -> Value<'static> {
        let account = self.service_account.as_ref();
        let request = AuthorizationRequest {
            service_account: account.map(|(namespace, name)| (namespace.to_string(), name.to_string())),
            verb: verb.to_owned(),
            target,
        };
        Value::Opaque(Opaque::Decision(Arc::new(self.authorizer.authorize(&request))))
    }
}

pub(super) fn overload(identity: &str) -> Option<Function> {
    Some(match identity {
        "authorizer_path" => |_, arguments| match arguments {
            [Value::Opaque(Opaque::Authorizer(authority)), Value::String(path)] => {
                if path.trim().is_empty() {
                    return Err(Fault::new("path must not be empty"));
                }
                Ok(Value::Opaque(Opaque::PathCheck(Arc::clone(authority), (&**path).into())))
            }
            _ => Err(Fault::no_such_overload()),
        },
        "authorizer_group" => |_, arguments| match arguments {
            [Value::Opaque(Opaque::Authorizer(authority)), Value::String(group)] => {
                Ok(Value::Opaque(Opaque::GroupCheck(Arc::clone(authority), (&**group).into())))
            }
            _ => Err(Fault::no_such_overload()),
        },
        "authorizer_serviceaccount" => |_, arguments| service_account(arguments),
        "groupcheck_resource" => |_, arguments| match arguments {
            [Value::Opaque(Opaque::GroupCheck(authority, group)), Value::String(resource)] => {
                if resource.trim().is_empty() {
                    return Err(Fault::new("resource must not be empty"));
                }
                let (authority, group) = (Arc::clone(authority), Arc::clone(group));
                let check = ResourceCheck::new(authority, group, (&**resource).into());
                Ok(Value::Opaque(Opaque::ResourceCheck(Arc::new(check))))
            }
            _ => Err(Fault::no_such_overload()),
        },
        "resourcecheck_subresource" => {
            |_, arguments| narrow(arguments, |check, text| check.subresource = text)
        }
        "resourcecheck_namespace" => |_, arguments| narrow(arguments, |check, text| check.namespace = text),
        "resourcecheck_name" => |_, arguments| narrow(arguments, |check, text| check.name = text),
        "authorizer_fieldselector" => {
            |_, arguments| narrow(arguments, |check, text| check.field_selector = text)
        }
        "authorizer_labelselector" => {
            |_, arguments| narrow(arguments, |check, text| check.label_selector = text)
        }
        "pathcheck_check" => |_, arguments| match arguments {
            [Value::Opaque(Opaque::PathCheck(authority, path)), Value::String(verb)] => {
                Ok(authority.decide(verb, AuthorizationTarget::Path(path.to_string())))
            }
            _ => Err(Fault::no_such_overload()),
        },
        "resourcecheck_check" => |_, arguments| match arguments {
            [Value::Opaque(Opaque::ResourceCheck(check)), Value::String(verb)] => {
                Ok(check.authority.decide(verb, check.target()))
            }
            _ => Err(Fault::no_such_overload()),
        },
        "decision_allowed" => |_, arguments| Ok(Value::Bool(decision(arguments)?.is_allowed)),
        "decision_errored" => |_, arguments| Ok(Value::Bool(decision(arguments)?.error.is_some())),
        "decision_reason" => |_, arguments| Ok(Value::text(decision(arguments)?.reason.as_str())),
        "decision_error" => {
            |_, arguments| Ok(Value::text(decision(arguments)?.error.as_deref().unwrap_or_default()))
        }
        _ => return None,
    })
}

fn service_account<'a>(arguments: &[Value<'a>]) -> Outcome<'a> {
    let [Value::Opaque(Opaque::Authorizer(authority)), Value::String(namespace), Value::String(name)] =
        arguments
    else {
        return Err(Fault::no_such_overload());
    };
    if !names::is_dns1123_subdomain(name).is_empty() {
        return Err(Fault::new("Invalid service account name"));
    }
    if !names::is_dns1123_label(namespace).is_empty() {
        return Err(Fault::new("Invalid service account namespace"));
    }
    let service_account = Some(((&**namespace).into(), (&**name).into()));
    let authority = Authority { service_account, ..Authority::clone(authority) };
    Ok(Value::Opaque(Opaque::Authorizer(Arc::new(authority))))
}

fn narrow<'a>(arguments: &[Value<'a>], set: fn(&mut ResourceCheck<'a>, Arc<str>)) -> Outcome<'a> {
    let [Value::Opaque(Opaque::ResourceCheck(check)), Value::String(text)] = arguments else {
        return Err(Fault::no_such_overload());
    };
    let mut check = ResourceCheck::clone(check);
    set(&mut check, (&**text).into());
    Ok(Value::Opaque(Opaque::ResourceCheck(Arc::new(check))))
}

fn decision<'v>(arguments: &'v [Value]) -> Result<&'v Decision, Fault> {
    match arguments.first() {
        Some(Value::Opaque(Opaque::Decision(decision))) => Ok(decision),
        _ => Err(Fault::no_such_overload()),
    }
}
