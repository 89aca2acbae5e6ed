//! The server's answers to access reviews.
//!
//! Selectors of a review are ignored, and no token is known: the user of a token is unknown offline.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/{authorization,authentication}`.

use gotext::value::json;

use crate::admission::{Refusal, UserInfo};
use crate::cluster::authorizer::{Access, Authorizer, Permissions, ResourceAttributes, Rule, Subject};
use kube_api::field::{Path, aggregate};
use kube_api::{Object, Status, Value};
use kube_registry::strategy::Answer;

/// The answer to a review of a token.
pub(super) const UNKNOWN_TOKEN: &str =
    "treated the token as unknown, because tokens cannot be checked offline";

/// Refuses a review without a token.
pub(super) fn check(review: &Object) -> Result<(), Refusal> {
    if review.text(["spec", "token"]).is_empty() {
        let status = Status::new_bad_request("token is required for TokenReview in authentication");
        return Err(Refusal::from(status).at(Path::new("spec.token")));
    }
    Ok(())
}

/// Fills the status of `review`, sent by `requester`; other objects stay as they are.
pub(super) fn answer(
    kind: Answer,
    review: &mut Object,
    authorizer: &Authorizer,
    requester: &UserInfo,
) -> Result<(), Refusal> {
    match kind {
        Answer::SelfSubjectRulesReview => return answer_rules(review, authorizer, requester),
        Answer::SelfSubjectAccessReview => {
            answer_access(review, authorizer, &requester.username, &requester.groups);
        }
        Answer::SubjectAccessReview => {
            let user = review.text(["spec", "user"]).to_owned();
            let groups = review.list(["spec", "groups"]).iter().filter_map(Value::as_str);
            let groups: Vec<String> = groups.map(str::to_owned).collect();
            answer_access(review, authorizer, &user, &groups);
        }
        Answer::SelfSubjectReview => {
            // The server answers with the status alone.
            review.set(["metadata"], json!({}));
            review.set(["status"], json!({"userInfo": requester}));
        }
        Answer::TokenReview => {
            review.remove(["status", "authenticated"]);
            review.set(["status", "error"], "invalid bearer token");
        }
        Answer::Binding | Answer::Eviction | Answer::Scale | Answer::TokenRequest => {}
    }
    Ok(())
}

fn answer_access(review: &mut Object, authorizer: &Authorizer, user: &str, groups: &[String]) {
    let text = |part, field| review.text(["spec", part, field]);
    let decision = if review.has(["spec", "resourceAttributes"]) {
        let resource = |field| text("resourceAttributes", field);
        let subject = Subject::Resource(ResourceAttributes {
            namespace: resource("namespace"),
            group: resource("group"),
            resource: resource("resource"),
            sub_resource: resource("subresource"),
            name: resource("name"),
        });
        authorizer.authorize(&Access { user, groups, verb: resource("verb"), subject })
    } else {
        let subject = Subject::Path(text("nonResourceAttributes", "path"));
        let verb = text("nonResourceAttributes", "verb");
        authorizer.authorize(&Access { user, groups, verb, subject })
    };
    review.set(["status"], json!({"allowed": decision.allowed}));
    if !decision.reason.is_empty() {
        review.set(["status", "reason"], decision.reason);
    }
}

fn answer_rules(review: &mut Object, authorizer: &Authorizer, requester: &UserInfo) -> Result<(), Refusal> {
    let namespace = review.text(["spec", "namespace"]);
    if namespace.is_empty() {
        let refusal = Refusal::from(Status::new_bad_request("no namespace on request"));
        return Err(refusal.at(Path::new("spec.namespace")));
    }
    let Permissions { rules, errors, incomplete } =
        authorizer.rules(&requester.username, &requester.groups, namespace);
    let of_resources = rules.iter().filter(|rule| !rule.resources.is_empty()).map(resource_rule);
    let of_urls = rules.iter().filter(|rule| !rule.non_resource_urls.is_empty());
    let of_urls = of_urls.map(|rule| json!({"verbs": rule.verbs, "nonResourceURLs": rule.non_resource_urls}));
    let mut status = json!({
        "resourceRules": of_resources.collect::<Vec<_>>(),
        "nonResourceRules": of_urls.collect::<Vec<_>>(),
        "incomplete": incomplete,
    });
    if !errors.is_empty() {
        status["evaluationError"] = aggregate(&errors).into();
    }
    // The server answers with the status alone.
    review.set(["metadata"], json!({}));
    review.set(["spec"], json!({}));
    review.set(["status"], status);
    Ok(())
}

fn resource_rule(rule: &Rule) -> Value {
    let mut written = json!({"verbs": rule.verbs, "apiGroups": rule.api_groups, "resources": rule.resources});
    if !rule.resource_names.is_empty() {
        written["resourceNames"] = json!(rule.resource_names);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cluster::Cluster;
    use crate::cluster::authorizer::AuthorizationMode;
    use kube_api::GroupVersionKind;

    fn answered(asked: Answer, spec: &Value, mode: AuthorizationMode) -> Value {
        let authorizer = Authorizer::new(Arc::new(Cluster::new()), vec![mode]);
        let groups = vec!["system:authenticated".to_owned()];
        let requester = UserInfo { groups, ..UserInfo::default() };
        let kind = GroupVersionKind::new("authorization.k8s.io", "v1", "Review");
        let mut review = Object::new(kind, json!({"metadata": {}, "spec": spec}));
        answer(asked, &mut review, &authorizer, &requester).unwrap();
        review.value["status"].clone()
    }

    #[test]
    fn asks_for_the_user_of_the_review_or_of_the_request() {
        let attributes =
            json!({"group": "authorization.k8s.io", "resource": "selfsubjectreviews", "verb": "create"});
        let attributes = json!({"resourceAttributes": attributes, "user": "x", "groups": ["g"]});
        assert_eq!(
            answered(Answer::SubjectAccessReview, &attributes, AuthorizationMode::Rbac),
            json!({"allowed": false})
        );
        assert_eq!(
            answered(Answer::SubjectAccessReview, &attributes, AuthorizationMode::AlwaysAllow),
            json!({"allowed": true})
        );
        let path = json!({"nonResourceAttributes": {"path": "/version", "verb": "get"}});
        assert_eq!(
            answered(Answer::SelfSubjectAccessReview, &path, AuthorizationMode::Rbac),
            json!({
                "allowed": true,
                "reason": "RBAC: allowed by ClusterRoleBinding \"system:discovery\" of ClusterRole \"system:discovery\" \
                           to Group \"system:authenticated\"",
            })
        );
    }

    #[test]
    fn names_the_user_without_a_token() {
        let authorizer = Authorizer::new(Arc::new(Cluster::new()), Vec::new());
        let requester = UserInfo { username: "alice".to_owned(), ..UserInfo::default() };
        let answered = |asked: Answer, review: Value| {
            let mut review =
                Object::new(GroupVersionKind::new("authentication.k8s.io", "v1", "Review"), review);
            answer(asked, &mut review, &authorizer, &requester).unwrap();
            review.value
        };
        let myself = json!({"metadata": {"name": "a"}, "status": {"userInfo": {"uid": "1"}}});
        assert_eq!(
            answered(Answer::SelfSubjectReview, myself),
            json!({"metadata": {}, "status": {"userInfo": {"username": "alice"}}})
        );
        let token = json!({"spec": {"token": "x"}, "status": {"authenticated": true, "audiences": ["a"]}});
        assert_eq!(
            answered(Answer::TokenReview, token),
            json!({"spec": {"token": "x"}, "status": {"audiences": ["a"], "error": "invalid bearer token"}})
        );
    }

    #[test]
    fn a_token_review_has_a_token() {
        let kind = GroupVersionKind::new("authentication.k8s.io", "v1", "TokenReview");
        assert!(check(&Object::new(kind.clone(), json!({"spec": {"token": "x"}}))).is_ok());
        let refusal = check(&Object::new(kind, json!({"spec": {}}))).expect_err("asks nothing");
        assert_eq!(refusal.status.message, "token is required for TokenReview in authentication");
    }

    #[test]
    fn lists_rules() {
        let namespace = json!({"namespace": "shop"});
        let status = answered(Answer::SelfSubjectRulesReview, &namespace, AuthorizationMode::AlwaysAllow);
        assert_eq!(
            status,
            json!({
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
                "incomplete": false,
            })
        );
    }
}
