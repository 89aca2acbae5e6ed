//! The variable `authorizer`: the rights of the request's user or of a service account.

use crate::admission::{Attributes, UserInfo};
use crate::cluster::authorizer::{Access, Authorizer, ResourceAttributes, Subject};
use kube_cel::{AuthorizationRequest, AuthorizationTarget, Authorizer as CelAuthorizer, Decision, Value};

/// An authorizer that answers about the user of a request and about service accounts.
#[derive(Clone, Copy, Debug)]
pub struct RequestAuthorizer<'a> {
    authorizer: &'a Authorizer,
    attributes: &'a Attributes,
}

impl<'a> RequestAuthorizer<'a> {
    /// Returns an authorizer for the user of `attributes`.
    pub fn new(authorizer: &'a Authorizer, attributes: &'a Attributes) -> Self {
        Self { authorizer, attributes }
    }

    /// Returns `authorizer.requestResource`: the resource of the request.
    pub(super) fn request_resource(&'a self) -> Value<'a> {
        let Attributes { resource, sub_resource, namespace, name, .. } = self.attributes;
        Value::request_resource(self, &resource.group, [&resource.resource, sub_resource], [namespace, name])
    }
}

impl CelAuthorizer for RequestAuthorizer<'_> {
    fn authorize(&self, request: &AuthorizationRequest) -> Decision {
        let account = request.service_account.as_ref().map(|(namespace, name)| {
            let mut user = UserInfo::of_service_account(namespace, name);
            user.groups.push("system:authenticated".to_owned());
            user
        });
        let asker = account.as_ref().unwrap_or(&self.attributes.user_info);
        let (user, groups) = (asker.username.as_str(), asker.groups.as_slice());
        let subject = match &request.target {
            AuthorizationTarget::Path(path) => Subject::Path(path),
            AuthorizationTarget::Resource { group, resource, subresource, namespace, name, .. } => {
                Subject::Resource(ResourceAttributes {
                    namespace,
                    group,
                    resource,
                    sub_resource: subresource,
                    name,
                })
            }
        };
        let decision =
            self.authorizer.authorize_expression(&Access { user, groups, verb: &request.verb, subject });
        Decision { is_allowed: decision.allowed, reason: decision.reason, error: None }
    }
}
