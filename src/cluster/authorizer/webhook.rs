//! Authorization webhooks, which are not asked: only the conditions under which they would be are evaluated.
//!
//! Source: `k8s.io/apiserver/plugin/pkg/authorizer/webhook`, `k8s.io/apiserver/pkg/authorization/cel`.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Access, Decision, ResourceAttributes, Subject};
use gotext::value::json;
use kube_api::field::aggregate;
use kube_api::{Value, resource};
use kube_cel::{Env, PER_CALL_LIMIT, Program, Variables};

/// An authorizer of the type `Webhook`.
#[derive(Debug)]
pub struct AuthorizationWebhook {
    /// Its name; empty if a flag sets it.
    pub name: String,
    conditions: Vec<(String, Program)>,
    /// Whether a question is denied if a condition fails.
    denies: bool,
    /// The number of questions that it would be asked.
    asked: AtomicUsize,
}

impl AuthorizationWebhook {
    /// Reads an authorizer of an `AuthorizationConfiguration`; conditions that do not compile are left out.
    pub fn new(authorizer: &Value) -> Self {
        let env = Env::authorization();
        let conditions = authorizer["webhook"].list("matchConditions").iter().filter_map(|condition| {
            let text = condition.text("expression");
            Some((text.to_owned(), Program::new(&env.compile(text).ok()?).ok()?))
        });
        Self {
            name: authorizer.text("name").to_owned(),
            conditions: conditions.collect(),
            denies: authorizer["webhook"].text("failurePolicy") == "Deny",
            asked: AtomicUsize::new(0),
        }
    }

    /// Returns the number of questions so far that it would be asked.
    pub(super) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// Evaluates the conditions, and returns the decision if they fail and that denies. The webhook itself has no
    /// opinion.
    pub(super) fn decide(&self, access: &Access<'_>) -> Option<Decision> {
        let request = review_of(access);
        let variables = Variables::new().with("request", &request);
        let mut errors = Vec::new();
        for (text, program) in &self.conditions {
            match program.eval(&variables, Some(PER_CALL_LIMIT)).result {
                Ok(kube_cel::Value::Bool(true)) => {}
                Ok(_) => return None,
                Err(error) => errors
                    .push(format!("cel evaluation error: expression '{text}' resulted in error: {error}")),
            }
        }
        if errors.is_empty() {
            self.asked.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        self.denies.then(|| Decision { allowed: false, reason: aggregate(&errors) })
    }
}

/// Returns the `spec` of the review about `access`, with every field.
///
/// Source: `convertObjectToUnstructured`.
fn review_of(access: &Access<'_>) -> Value {
    let mut review = json!({"user": access.user, "groups": access.groups, "uid": "", "extra": {}});
    match access.subject {
        Subject::Path(path) => review["nonResourceAttributes"] = json!({"verb": access.verb, "path": path}),
        Subject::Resource(ResourceAttributes { namespace, group, resource, sub_resource, name }) => {
            let version = resource::preferred_version(group, resource).unwrap_or_default();
            review["resourceAttributes"] = json!({
                "namespace": namespace,
                "verb": access.verb,
                "group": group,
                "version": version,
                "resource": resource,
                "subresource": sub_resource,
                "name": name,
            });
        }
    }
    review
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webhook(condition: &str, policy: &str) -> AuthorizationWebhook {
        AuthorizationWebhook::new(&json!({
            "name": "guard",
            "webhook": {"failurePolicy": policy, "matchConditions": [{"expression": condition}]},
        }))
    }

    fn access() -> Access<'static> {
        let attributes =
            ResourceAttributes { namespace: "shop", resource: "pods", ..ResourceAttributes::default() };
        Access { user: "ada", groups: &[], verb: "get", subject: Subject::Resource(attributes) }
    }

    #[test]
    fn conditions_decide_whether_it_is_asked_and_failing_ones_may_deny() {
        let asked = webhook("request.resourceAttributes.version == 'v1' && request.user == 'ada'", "Deny");
        assert_eq!((asked.decide(&access()), asked.asked()), (None, 1));
        let other = webhook("request.resourceAttributes.namespace == 'other'", "Deny");
        assert_eq!((other.decide(&access()), other.asked()), (None, 0));
        let failing = "request.nonResourceAttributes.path == '/'";
        assert_eq!(webhook(failing, "NoOpinion").decide(&access()), None);
        let denied = webhook(failing, "Deny").decide(&access()).expect("a denial");
        assert!(
            !denied.allowed && denied.reason.contains("no such key: nonResourceAttributes"),
            "{denied:?}"
        );
    }
}
