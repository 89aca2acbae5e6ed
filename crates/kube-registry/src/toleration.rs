//! Tolerations: equivalence, and lists without duplicates.
//!
//! Source: `k8s.io/kubernetes/pkg/util/tolerations`.

use kube_api::Value;

/// A toleration by its fields; absent ones are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Toleration<'a> {
    /// Key of the taint; empty for every key.
    pub key: &'a str,
    /// `Exists`, `Equal` or empty; the API sets no default.
    pub operator: &'a str,
    /// Value of the taint, for `Equal`.
    pub value: &'a str,
    /// Effect of the taint; empty for every effect.
    pub effect: &'a str,
    /// The number of seconds that a `NoExecute` taint is tolerated; forever if unset.
    pub toleration_seconds: Option<i64>,
}

impl<'a> Toleration<'a> {
    /// Reads the fields of `value`.
    pub fn of(value: &'a Value) -> Self {
        let text = |field| value.text(field);
        Self {
            key: text("key"),
            operator: text("operator"),
            value: text("value"),
            effect: text("effect"),
            toleration_seconds: value.at("tolerationSeconds").and_then(Value::as_i64),
        }
    }

    /// Whether the pod may be on a node with `taint`.
    ///
    /// Source: `ToleratesTaint`.
    pub fn tolerates(&self, taint: &Value) -> bool {
        let taint = Toleration::of(taint);
        let is_any_or = |own: &str, of_taint: &str| own.is_empty() || own == of_taint;
        is_any_or(self.effect, taint.effect)
            && is_any_or(self.key, taint.key)
            && match self.operator {
                "Exists" => true,
                "" | "Equal" => self.value == taint.value,
                _ => false,
            }
    }

    /// Whether everything that `other` tolerates is tolerated by this one too.
    ///
    /// Source: `isSuperset`. `other` without an operator counts as covered by its equal alone, although it means
    /// `Equal`.
    pub fn is_superset_of(&self, other: &Self) -> bool {
        if self == other {
            return true;
        }
        let covers_key = self.key == other.key || (self.key.is_empty() && self.operator == "Exists");
        let covers_effect = self.effect == other.effect || self.effect.is_empty();
        let covers_seconds = match (self.effect, self.toleration_seconds) {
            ("NoExecute", Some(most)) => other.toleration_seconds.is_some_and(|seconds| seconds <= most),
            _ => true,
        };
        let covers_value = match self.operator {
            "Exists" => true,
            "" | "Equal" => other.operator == "Equal" && other.value == self.value,
            _ => false,
        };
        covers_key && covers_effect && covers_seconds && covers_value
    }
}

/// Returns the tolerations of both lists, without those that another one covers. Of equal ones the first stays.
///
/// Source: `MergeTolerations`.
pub fn merge(first: &[Value], second: &[Value]) -> Vec<Value> {
    let all: Vec<&Value> = first.iter().chain(second).collect();
    let mut merged: Vec<Value> = Vec::with_capacity(all.len());
    for (index, value) in all.iter().enumerate() {
        let toleration = Toleration::of(value);
        let is_covered = merged.iter().any(|kept| Toleration::of(kept).is_superset_of(&toleration));
        let will_be_covered = all[index + 1..]
            .iter()
            .map(|later| Toleration::of(later))
            .any(|later| later != toleration && later.is_superset_of(&toleration));
        if !is_covered && !will_be_covered {
            merged.push((*value).clone());
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn covers(one: &Value, other: &Value) -> bool {
        Toleration::of(one).is_superset_of(&Toleration::of(other))
    }

    #[test]
    fn a_toleration_covers_its_equal_and_what_is_narrower() {
        let all = json!({"operator": "Exists"});
        let gpu = json!({"key": "gpu", "operator": "Equal", "value": "a100", "effect": "NoSchedule"});
        let any_gpu = json!({"key": "gpu", "operator": "Exists"});
        assert!(covers(&all, &gpu) && covers(&any_gpu, &gpu) && covers(&all, &any_gpu));
        assert!(!covers(&gpu, &any_gpu) && !covers(&any_gpu, &all));
        let without_operator = json!({"key": "gpu", "value": "a100", "effect": "NoSchedule"});
        assert!(covers(&without_operator, &gpu) && !covers(&gpu, &without_operator));
        let unknown = json!({"key": "gpu", "operator": "Gt", "value": "1"});
        assert!(covers(&unknown, &unknown) && !covers(&unknown, &gpu));
    }

    #[test]
    fn seconds_count_with_no_execute_alone() {
        let for_seconds = |effect: &str, seconds: Option<i64>| json!({"key": "a", "operator": "Exists", "effect": effect, "tolerationSeconds": seconds});
        assert!(covers(&for_seconds("NoExecute", Some(30)), &for_seconds("NoExecute", Some(20))));
        assert!(!covers(&for_seconds("NoExecute", Some(30)), &for_seconds("NoExecute", Some(40))));
        assert!(!covers(&for_seconds("NoExecute", Some(30)), &for_seconds("NoExecute", None)));
        assert!(covers(&for_seconds("", Some(30)), &for_seconds("NoExecute", None)));
    }

    #[test]
    fn merging_keeps_the_widest_at_its_place() {
        let narrow = json!({"key": "a", "operator": "Equal", "value": "1"});
        let other = json!({"key": "b", "operator": "Exists"});
        let wide = json!({"key": "a", "operator": "Exists"});
        let merged = merge(&[narrow, other.clone(), other.clone()], std::slice::from_ref(&wide));
        assert_eq!(merged, [other, wide]);
        assert_eq!(merge(&merged, &merged), merged);
    }
}
