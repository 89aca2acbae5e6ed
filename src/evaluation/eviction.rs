//! Evictions: whether a disruption budget allows that a Pod is removed. Deliberately absent: the admission of the
//! server's own change to the status of the budget.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core/pod/storage/eviction.go`

use std::sync::Arc;

use crate::admission::{Evidence, Refusal};
use crate::evaluation::server::{Call, Server, check_preconditions};
use gotext::value::json;
use kube_api::field::Path;
use kube_api::labels::Selector;
use kube_api::resources::{POD_DISRUPTION_BUDGETS, PODS};
use kube_api::{GroupResource, Object, Status, StatusCause, StatusDetails, Value};

/// The name of the resource in two refusals.
const BUDGET: GroupResource = GroupResource::new("policy", "poddisruptionbudget");

/// The number of Pods that may be on the way out of one budget.
const MAX_DISRUPTED_PODS: usize = 2000;

/// The condition of a budget that allows disruptions.
const ALLOWED: &str = "DisruptionAllowed";

/// The field of the options of the deletion.
const OPTIONS: &str = "deleteOptions";

impl Server<'_> {
    /// Evicts the Pod of `call`. Returns a note about what had to be assumed.
    pub(super) fn evict(self, eviction: &Object, call: &Call) -> Result<Option<String>, Refusal> {
        let Some(pod) = self.cluster.get(&PODS, &call.namespace, &call.name) else {
            return Err(Status::new_not_found(&PODS, &call.name).into());
        };
        let mut note = None;
        if !ignores_budgets(&pod) {
            let budgets = self.budgets_of(&pod);
            if budgets.len() > 1 {
                let status = Status::from_error(
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
                );
                let mut refusal = Refusal::from(status);
                for budget in &budgets {
                    refusal =
                        refusal.because(Evidence::of(POD_DISRUPTION_BUDGETS, budget, "selects the Pod"));
                }
                return Err(refusal);
            }
            if let [budget] = budgets.as_slice() {
                if self.has_kubelets && was_never_counted(budget) {
                    note = Some(format!(
                        "PodDisruptionBudget \"{}\" has no status: assumed that it allows the eviction",
                        budget.name()
                    ));
                } else if is_ready(&pod) || !allows_unhealthy(budget) {
                    check_budget(budget)?;
                    self.count_disruption(budget, &pod, call);
                }
            }
        }
        let options = eviction.at([OPTIONS]);
        check_preconditions(options, &GroupResource::new("", "Pod"), &call.name, &pod)?;
        let dry_run = call.dry_run || !eviction.list([OPTIONS, "dryRun"]).is_empty();
        if !dry_run {
            self.remove(&PODS, &pod, options);
        }
        Ok(note)
    }

    /// Source: `EvictionREST.getPodDisruptionBudgets`
    fn budgets_of(self, pod: &Object) -> Vec<Arc<Object>> {
        let mut budgets = self.cluster.list(&POD_DISRUPTION_BUDGETS, pod.namespace());
        budgets.retain(|budget| {
            let selector = budget.at(["spec", "selector"]).unwrap_or(&Value::Null);
            let selector = Selector::from_label_selector(selector);
            selector.is_ok_and(|selector| selector.matches_labels(pod.at(["metadata", "labels"])))
        });
        budgets
    }

    /// Records the eviction in the status of the budget, as the server does until the controller counts again.
    fn count_disruption(self, budget: &Object, pod: &Object, call: &Call) {
        if call.dry_run {
            return;
        }
        let mut budget = budget.clone();
        let left = number(&budget, "disruptionsAllowed") - 1;
        budget.set(["status", "disruptionsAllowed"], left);
        if left == 0 {
            report_exhaustion(&mut budget, &self.now());
        }
        let mut disrupted =
            budget.at(["status", "disruptedPods"]).and_then(Value::as_object).cloned().unwrap_or_default();
        disrupted.insert(pod.name().to_owned(), (&*self.now()).into());
        budget.set(["status", "disruptedPods"], Value::Object(disrupted));
        self.cluster.put(&POD_DISRUPTION_BUDGETS, Arc::new(budget));
    }
}

/// Sets the condition of a budget that allows no further disruption.
///
/// Source: `UpdateDisruptionAllowedCondition`
fn report_exhaustion(budget: &mut Object, now: &str) {
    let mut conditions = budget.list(["status", "conditions"]).to_vec();
    let known = conditions.iter().position(|condition| condition["type"] == ALLOWED);
    let before = known.map(|position| conditions.remove(position)).unwrap_or_default();
    let since = if before["status"] == "False" { before["lastTransitionTime"].clone() } else { now.into() };
    let condition = json!({
        "type": ALLOWED,
        "status": "False",
        "observedGeneration": number(budget, "observedGeneration"),
        "lastTransitionTime": since,
        "reason": "InsufficientPods",
        "message": "",
    });
    conditions.insert(known.unwrap_or(conditions.len()), condition);
    budget.set(["status", "conditions"], conditions);
}

/// Whether the Pod disrupts nothing: it has ended, does not run yet, or is on its way out.
///
/// Source: `canIgnorePDB`
fn ignores_budgets(pod: &Object) -> bool {
    matches!(pod.text(["status", "phase"]), "" | "Failed" | "Pending" | "Succeeded")
        || pod.at(["metadata", "deletionTimestamp"]).is_some()
}

fn is_ready(pod: &Object) -> bool {
    let conditions = pod.list(["status", "conditions"]);
    conditions.iter().any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

fn number(budget: &Object, field: &str) -> i64 {
    budget.at(["status", field]).and_then(Value::as_i64).unwrap_or(0)
}

/// Whether no disruption controller has looked at the budget.
fn was_never_counted(budget: &Object) -> bool {
    const FIELDS: [&str; 4] = ["observedGeneration", "disruptionsAllowed", "desiredHealthy", "expectedPods"];
    FIELDS.iter().all(|field| number(budget, field) == 0) && budget.list(["status", "conditions"]).is_empty()
}

/// Whether the budget lets go of a Pod that is not ready.
fn allows_unhealthy(budget: &Object) -> bool {
    let desired = number(budget, "desiredHealthy");
    budget.text(["spec", "unhealthyPodEvictionPolicy"]) == "AlwaysAllow"
        || (desired > 0 && number(budget, "currentHealthy") >= desired)
}

/// Refuses the eviction if the budget allows no disruption.
///
/// Source: `EvictionREST.checkAndDecrement`
fn check_budget(budget: &Object) -> Result<(), Refusal> {
    let name = budget.name();
    // The server gives every new object the first generation.
    let generation = budget.at(["metadata", "generation"]).and_then(Value::as_i64).unwrap_or(1);
    let evidence = |says: &str| Evidence::of(POD_DISRUPTION_BUDGETS, budget, says);
    if number(budget, "observedGeneration") < generation {
        let cause = format!("The disruption budget {name} is still being processed by the server.");
        let evidence =
            evidence("is still being processed by the server").at(Path::new("status.observedGeneration"));
        return Err(Refusal::from(too_many_requests(10, cause)).because(evidence));
    }
    let allowed = number(budget, "disruptionsAllowed");
    let disrupted = budget.at(["status", "disruptedPods"]).and_then(Value::as_object);
    let forbidden = |error: &str, says: &str| {
        Err(Refusal::from(Status::new_forbidden(&BUDGET, name, error)).because(evidence(says)))
    };
    if allowed < 0 {
        return forbidden("pdb disruptions allowed is negative", "allows a negative number of disruptions");
    }
    if disrupted.is_some_and(|disrupted| disrupted.len() > MAX_DISRUPTED_PODS) {
        let error = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
        return forbidden(error, "waits for its controller");
    }
    if allowed > 0 {
        return Ok(());
    }
    let why = why_none(budget);
    let evidence = evidence(&why).at(Path::new("status.disruptionsAllowed"));
    let cause = format!("The disruption budget {name} {why}");
    Err(Refusal::from(too_many_requests(0, cause)).because(evidence))
}

/// Returns why the budget allows no disruption, to be read after its name.
fn why_none(budget: &Object) -> String {
    let conditions = budget.list(["status", "conditions"]);
    let condition = conditions.iter().find(|condition| condition["type"] == ALLOWED);
    let text = |field: &str| condition.and_then(|condition| condition[field].as_str()).unwrap_or_default();
    let (reason, message) = (text("reason"), text("message"));
    let explains = text("status") == "False" && !message.is_empty();
    let (current, desired) = (number(budget, "currentHealthy"), number(budget, "desiredHealthy"));
    match reason {
        "SyncFailed" if explains => {
            format!("does not allow evicting pods currently because it failed sync: {message}")
        }
        _ if current <= desired => {
            format!("needs {desired} healthy pods and has {current} currently")
        }
        _ if explains => format!("does not allow evicting pods currently ({reason}): {message}"),
        _ => "does not allow evicting pods currently".to_owned(),
    }
}

/// Returns 429 with `cause`; the client may try again after some seconds, if that many are known.
fn too_many_requests(retry_after_seconds: u32, cause: String) -> Status {
    let cause = StatusCause { reason: "DisruptionBudget".to_owned(), message: cause, field: String::new() };
    Status {
        code: 429,
        reason: "TooManyRequests".to_owned(),
        message: "Cannot evict pod as it would violate the pod's disruption budget.".to_owned(),
        details: Some(StatusDetails { causes: vec![cause], retry_after_seconds, ..StatusDetails::default() }),
        ..Status::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::GroupVersionKind;

    fn budget(spec: &Value, status: &Value) -> Object {
        let kind = GroupVersionKind::new("policy", "v1", "PodDisruptionBudget");
        let metadata = json!({"name": "web", "namespace": "shop", "generation": 2});
        Object::new(kind, json!({"metadata": metadata, "spec": spec, "status": status}))
    }

    /// Returns the code, the seconds to wait, and the cause or message.
    fn refusal(status: &Value) -> (u16, u32, String) {
        let status = check_budget(&budget(&json!({}), status)).unwrap_err().status;
        let details = status.details.unwrap_or_default();
        let cause = details.causes.into_iter().next().map(|cause| cause.message);
        (status.code, details.retry_after_seconds, cause.unwrap_or(status.message))
    }

    #[test]
    fn admits_while_disruptions_are_left() {
        let status = json!({"observedGeneration": 2, "disruptionsAllowed": 1});
        assert_eq!(check_budget(&budget(&json!({}), &status)), Ok(()));
    }

    #[test]
    fn rejects_when_no_disruption_is_left() {
        let status = |more: Value| {
            let mut status = json!({"observedGeneration": 2, "disruptionsAllowed": 0});
            for (field, value) in more.as_object().unwrap() {
                status[&**field] = value.clone();
            }
            status
        };
        let condition = |reason: &str, message: &str| json!([{"type": "DisruptionAllowed", "status": "False", "reason": reason, "message": message}]);
        assert_eq!(
            refusal(&status(json!({"currentHealthy": 2, "desiredHealthy": 2}))),
            (429, 0, "The disruption budget web needs 2 healthy pods and has 2 currently".to_owned())
        );
        let failed = condition("SyncFailed", "no controllers");
        assert_eq!(
            refusal(&status(json!({"conditions": failed}))).2,
            "The disruption budget web does not allow evicting pods currently because it failed sync: no controllers"
        );
        let other =
            json!({"currentHealthy": 3, "desiredHealthy": 2, "conditions": condition("Busy", "wait")});
        assert_eq!(
            refusal(&status(other)).2,
            "The disruption budget web does not allow evicting pods currently (Busy): wait"
        );
        assert_eq!(
            refusal(&status(json!({"currentHealthy": 3, "desiredHealthy": 2}))).2,
            "The disruption budget web does not allow evicting pods currently"
        );
        let processed = "The disruption budget web is still being processed by the server.".to_owned();
        assert_eq!(refusal(&json!({"observedGeneration": 1, "disruptionsAllowed": 1})), (429, 10, processed));
        assert_eq!(
            refusal(&status(json!({"disruptionsAllowed": -1}))),
            (
                403,
                0,
                "poddisruptionbudget.policy \"web\" is forbidden: pdb disruptions allowed is negative"
                    .to_owned()
            )
        );
    }

    #[test]
    fn lets_go_of_pods_that_are_not_ready_by_policy() {
        let healthy = json!({"currentHealthy": 2, "desiredHealthy": 2});
        assert!(allows_unhealthy(&budget(&json!({}), &healthy)));
        let unhealthy = json!({"currentHealthy": 1, "desiredHealthy": 2});
        assert!(!allows_unhealthy(&budget(
            &json!({"unhealthyPodEvictionPolicy": "IfHealthyBudget"}),
            &unhealthy
        )));
        assert!(allows_unhealthy(&budget(&json!({"unhealthyPodEvictionPolicy": "AlwaysAllow"}), &unhealthy)));
        assert!(!allows_unhealthy(&budget(&json!({}), &json!({}))));
    }
}
