//! The variable `authorizer`: what the user of the request may do, or a service account.

use crate::admission::UserInfo;
use crate::cel::{AuthorizationRequest, AuthorizationTarget, Authorizer as CelAuthorizer, Decision};
use crate::cluster::authorizer::{Access, Authorizer, ResourceAttributes, Subject};

/// An authorizer that answers about one user and about service accounts.
#[derive(Clone, Copy, Debug)]
pub struct RequestAuthorizer<'a> {
    authorizer: &'a Authorizer,
    user: &'a UserInfo,
}

impl<'a> RequestAuthorizer<'a> {
    /// Answers about `user`.
    pub fn new(authorizer: &'a Authorizer, user: &'a UserInfo) -> Self {
        Self { authorizer, user }
    }
}

impl CelAuthorizer for RequestAuthorizer<'_> {
    fn authorize(&self, request: &AuthorizationRequest) -> Decision {
        let account = request.service_account.as_ref().map(|(namespace, name)| {
            let groups = vec![
                "system:serviceaccounts".to_owned(),
                format!("system:serviceaccounts:{namespace}"),
                "system:authenticated".to_owned(),
            ];
            (format!("system:serviceaccount:{namespace}:{name}"), groups)
        });
        let (user, groups) = match &account {
            Some((name, groups)) => (name.as_str(), groups.as_slice()),
            None => (self.user.username.as_str(), self.user.groups.as_slice()),
        };
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
        let decision = self.authorizer.authorize(&Access { user, groups, verb: &request.verb, subject });
        Decision { is_allowed: decision.allowed, reason: decision.reason, error: None }
    }
}
