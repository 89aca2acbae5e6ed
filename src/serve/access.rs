//! Who sends a request, and what they may do: bearer tokens, impersonation, and the authorizer of the server.
//!
//! Source: `k8s.io/apiserver/pkg/authentication`, `k8s.io/apiserver/pkg/endpoints/filters/{authorization,impersonation}.go`

use std::collections::BTreeMap;
use std::sync::Arc;

use hyper::HeaderMap;

use crate::admission::UserInfo;
use crate::cluster::authorizer::{Access, Authorizer, ResourceAttributes, Subject};
use crate::serve::claims::{self, Token};
use crate::serve::jwt::Signer;
use crate::serve::path::{self, RequestInfo};
use crate::serve::shelf::Shelf;
use kube_api::service_account;
use kube_api::{GroupResource, Status};

const AUTHENTICATED: &str = "system:authenticated";
const UNAUTHENTICATED: &str = "system:unauthenticated";
const ANONYMOUS: &str = "system:anonymous";

/// The paths that everyone may read.
const ALWAYS_ALLOWED: [&str; 3] = ["/healthz", "/livez", "/readyz"];

/// The users that the server knows, and their rights.
pub(super) struct Gate {
    authorizer: Arc<Authorizer>,
    /// Whether requests without a token are those of an anonymous user.
    allows_anonymous: bool,
    /// Whether rights to impersonate are constrained, as from 1.36.
    is_constrained: bool,
    shelf: Arc<Shelf>,
    /// The key that signs the tokens of service accounts.
    signer: Arc<Signer>,
    /// The tokens of users, which do not end.
    users: BTreeMap<String, Arc<Token>>,
}

impl Gate {
    /// Returns a gate where `authorizer` decides. As on a server, requests are not anonymous if everything is allowed.
    pub(super) fn new(
        authorizer: Arc<Authorizer>,
        allows_anonymous: bool,
        is_constrained: bool,
        shelf: Arc<Shelf>,
        signer: Arc<Signer>,
    ) -> Self {
        Self { authorizer, allows_anonymous, is_constrained, shelf, signer, users: BTreeMap::new() }
    }

    /// Accepts the token `text` of a user.
    pub(super) fn add(&mut self, text: String, user: UserInfo) {
        self.users.insert(text, Arc::new(authenticated(Token::of_user(user))));
    }

    /// Returns the token with this `text`, if it is one that still holds.
    pub(super) fn token(&self, text: &str) -> Option<Arc<Token>> {
        if let Some(token) = self.users.get(text) {
            return Some(token.clone());
        }
        let claims = self.signer.claims(text)?;
        let token = claims::accepted(text, &claims, &self.shelf, jiff::Timestamp::now().as_second())?;
        Some(Arc::new(authenticated(token)))
    }

    /// Returns the user of a request who may send it.
    ///
    /// # Errors
    ///
    /// Returns 401 or 403.
    pub(super) fn admit(&self, headers: &HeaderMap, info: &RequestInfo) -> Result<Arc<UserInfo>, Status> {
        let user = self.authenticate(headers)?;
        let user = self.impersonate(headers, user)?;
        self.authorize(&user, info)?;
        Ok(user)
    }

    fn authenticate(&self, headers: &HeaderMap) -> Result<Arc<UserInfo>, Status> {
        let header = headers.get("authorization").and_then(|value| value.to_str().ok());
        let token = header.and_then(|text| text.split_once(' '));
        let token =
            token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim());
        match token.filter(|token| !token.is_empty()) {
            Some(text) => {
                let token = self.token(text).filter(|token| !token.accepted_by(&[]).is_empty());
                token.map(|token| token.user.clone()).ok_or_else(unauthorized)
            }
            None if self.allows_anonymous => Ok(Arc::new(UserInfo {
                username: ANONYMOUS.to_owned(),
                groups: vec![UNAUTHENTICATED.to_owned()],
                ..UserInfo::default()
            })),
            None => Err(unauthorized()),
        }
    }

    fn impersonate(&self, headers: &HeaderMap, user: Arc<UserInfo>) -> Result<Arc<UserInfo>, Status> {
        let all = |name: &str| {
            let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
            values.filter(|text| !text.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        let (name, mut groups, uid) =
            (all("impersonate-user"), all("impersonate-group"), all("impersonate-uid"));
        let extra = extra(headers);
        let Some(name) = name.into_iter().next() else {
            if groups.is_empty() && uid.is_empty() && extra.is_empty() {
                return Ok(user);
            }
            if self.is_constrained {
                let wanted = shown(uid.first().map_or("", String::as_str), &groups, &extra);
                let error = format!("requested {wanted} without impersonating a user name");
                return Err(Status::new_bad_request(error));
            }
            let error = "requested impersonation without impersonating a user";
            return Err(Status::new_internal_error(&format!("[{error}]")));
        };
        let ask = |group: &str, resource: &str, sub_resource: &str, namespace: &str, name: &str| {
            let attributes = ResourceAttributes { namespace, group, resource, sub_resource, name };
            self.authorizer.require(&user.username, &user.groups, "impersonate", attributes)
        };
        match service_account::split_username(&name) {
            Some((namespace, account)) => ask("", "serviceaccounts", "", namespace, account)?,
            None => ask("", "users", "", "", &name)?,
        }
        for group in &groups {
            ask("", "groups", "", "", group)?;
        }
        for (key, values) in &extra {
            for value in values {
                ask("authentication.k8s.io", "userextras", key, "", value)?;
            }
        }
        for uid in &uid {
            ask("authentication.k8s.io", "uids", "", "", uid)?;
        }
        if let Some((namespace, _)) = service_account::split_username(&name).filter(|_| groups.is_empty()) {
            groups = service_account::make_group_names(namespace);
        }
        let own = if name == ANONYMOUS { UNAUTHENTICATED } else { AUTHENTICATED };
        if !groups.iter().any(|group| group == own || group == UNAUTHENTICATED) {
            groups.push(own.to_owned());
        }
        let uid = uid.into_iter().next().unwrap_or_default();
        Ok(Arc::new(UserInfo { username: name, uid, groups, extra }))
    }

    fn authorize(&self, user: &UserInfo, info: &RequestInfo) -> Result<(), Status> {
        let Some(target) = &info.target else {
            let path = info.path.trim_end_matches('/');
            if ALWAYS_ALLOWED.contains(&path) {
                return Ok(());
            }
            let subject = Subject::Path(&info.path);
            let access = Access { user: &user.username, groups: &user.groups, verb: info.verb, subject };
            if self.authorizer.authorize(&access).allowed {
                return Ok(());
            }
            let error = format!("User \"{}\" cannot {} path \"{}\"", user.username, info.verb, info.path);
            return Err(Status::new_forbidden(&GroupResource::default(), "", &error));
        };
        let attributes = ResourceAttributes {
            namespace: &target.namespace,
            group: &target.resource.group,
            resource: &target.resource.resource,
            sub_resource: &target.sub_resource,
            name: &target.name,
        };
        self.authorizer.require(&user.username, &user.groups, info.verb, attributes)
    }
}

/// Adds the group of all authenticated users to those of a token's user.
fn authenticated(mut token: Token) -> Token {
    if !token.user.groups.iter().any(|group| group == AUTHENTICATED) {
        Arc::make_mut(&mut token.user).groups.push(AUTHENTICATED.to_owned());
    }
    token
}

/// Returns the further attributes of an impersonated user.
fn extra(headers: &HeaderMap) -> BTreeMap<String, Vec<String>> {
    let mut extra = BTreeMap::<String, Vec<String>>::new();
    for (name, value) in headers {
        if let (Some(key), Ok(value)) = (name.as_str().strip_prefix("impersonate-extra-"), value.to_str()) {
            extra.entry(path::decoded(key).into_owned()).or_default().push(value.to_owned());
        }
    }
    extra
}

/// Returns a user without a name as Go writes it.
fn shown(uid: &str, groups: &[String], extra: &BTreeMap<String, Vec<String>>) -> String {
    let list = |values: &[String]| {
        let quoted: Vec<String> = values.iter().map(|value| gotext::quote(value)).collect();
        if quoted.is_empty() { "(nil)".to_owned() } else { format!("{{{}}}", quoted.join(", ")) }
    };
    let entry =
        |(key, values): (&String, &Vec<String>)| format!("{}:[]string{}", gotext::quote(key), list(values));
    let entries: Vec<String> = extra.iter().map(entry).collect();
    let extra = if entries.is_empty() { "(nil)".to_owned() } else { format!("{{{}}}", entries.join(", ")) };
    format!(
        "&user.DefaultInfo{{Name:\"\", UID:{}, Groups:[]string{}, Extra:map[string][]string{extra}}}",
        gotext::quote(uid),
        list(groups)
    )
}

fn unauthorized() -> Status {
    Status {
        code: 401,
        reason: "Unauthorized".to_owned(),
        message: "Unauthorized".to_owned(),
        ..Status::default()
    }
}
