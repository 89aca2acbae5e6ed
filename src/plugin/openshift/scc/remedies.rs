//! The changes of a pod after which a constraint accepts it: what it does not allow is left to the constraint, which fills
//! in a value of its own.

use crate::admission::Remedy;
use crate::plugin::openshift::scc::check;
use crate::plugin::openshift::scc::choice::origin_of;
use kube_api::field::{self, Path};
use kube_api::{Object, Value};

/// Returns the removals of what `errors` are about; nothing if one of them is about a field that the pod does not have.
pub(super) fn of(pod: &Object, errors: &[field::Error]) -> Vec<Remedy> {
    let mut remedies: Vec<Remedy> = Vec::new();
    for error in errors {
        let removed = check::place(error).and_then(|path| removed(pod, &origin_of(pod, path, error), error));
        let Some(path) = removed else { return Vec::new() };
        let remedy = Remedy::removing(path);
        if !remedies.contains(&remedy) {
            remedies.push(remedy);
        }
    }
    remedies
}

/// Returns the field that `error` is about, or the item of it.
fn removed(pod: &Object, path: &Path, error: &field::Error) -> Option<Path> {
    let value = path.value_in(&pod.value).filter(|value| !value.is_null())?;
    let bad = error.bad_value.as_deref();
    let is_bad = |item: &Value| Some(item.to_string().as_str()) == bad;
    let item = value.as_array().and_then(|items| items.iter().position(is_bad));
    Some(item.map_or_else(|| path.clone(), |index| path.index(index)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    #[test]
    fn what_is_not_allowed_is_left_to_the_constraint() {
        let spec = json!({
            "securityContext": {"runAsUser": 5},
            "containers": [{"name": "a", "securityContext": {"capabilities": {"add": ["A", "B"]}}}],
        });
        let pod = Object::new(GroupVersionKind::new("", "v1", "Pod"), json!({"spec": spec}));
        let context = Path::named("provider a: ").child("containers").index(0);
        let user = field::Error::invalid(&context.child("runAsUser"), &5.into(), "");
        let added = field::Error::invalid(&context.child("capabilities").child("add"), &"B".into(), "");
        let removed: Vec<String> =
            of(&pod, &[user, added]).iter().map(|remedy| remedy.change.path.to_string()).collect();
        assert_eq!(
            removed,
            ["spec.securityContext.runAsUser", "spec.containers[0].securityContext.capabilities.add[1]"]
        );
        let missing = field::Error::invalid(&context.child("privileged"), &true.into(), "");
        assert_eq!(of(&pod, &[missing]), []);
    }
}
