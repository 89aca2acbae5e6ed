//! Checks of security contexts that `SecurityContextConstraints` and `PodSecurityPolicy`, which have the same origin,
//! share.
//!
//! Source: `k8s.io/kubernetes/pkg/security/podsecuritypolicy/{selinux,sysctl}`.

use std::collections::BTreeSet;

use gotext::quote;
use kube_api::field::{self, Path};
use kube_api::{Object, Value};

/// Returns the value of a field that applies to a container: its own, else the pod's.
pub(super) fn effective<'a>(pod: &'a Object, container: &'a Value, field: &str) -> Option<&'a Value> {
    container.at(["securityContext", field]).or_else(|| pod.at(["spec", "securityContext", field]))
}

/// Returns the names in a list of capabilities.
pub(super) fn names<'a>(capabilities: &'a Value, field: &str) -> BTreeSet<&'a str> {
    let names = capabilities.at(field).and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Checks that the SELinux options match the `wanted` ones, if any.
pub(super) fn se_linux(
    errors: &mut Vec<field::Error>,
    wanted: Option<&Value>,
    path: &Path,
    given: Option<&Value>,
) {
    let Some(wanted) = wanted else { return };
    let Some(given) = given else {
        errors.push(field::Error::required(path, ""));
        return;
    };
    for part in ["level", "role", "type", "user"] {
        let (wanted, given) = (wanted.text(part), given.text(part));
        if wanted != given && !(part == "level" && are_equal_levels(wanted, given)) {
            errors.push(field::Error::invalid_text(&path.child(part), given, format!("must be {wanted}")));
        }
    }
}

/// Whether two levels differ only in the order of their categories.
fn are_equal_levels(left: &str, right: &str) -> bool {
    let parts = |level: &str| {
        let (sensitivity, categories) = level.split_once(':')?;
        let mut categories: Vec<String> = categories.split(',').map(str::to_owned).collect();
        categories.sort();
        Some((sensitivity.to_owned(), categories))
    };
    parts(left).zip(parts(right)).is_some_and(|(left, right)| left == right)
}

/// Checks the sysctls of a pod, which messages place below `path`: a name that is `forbidden` is refused, and one that
/// is neither safe nor `allowed`. A name may end with `*`.
pub(super) fn sysctls(
    errors: &mut Vec<field::Error>,
    pod: &Object,
    path: &Path,
    [forbidden, allowed]: [&[&str]; 2],
    is_safe: impl Fn(&str) -> bool,
) {
    let is_listed = |list: &[&str], name: &str| {
        list.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => *pattern == name,
        })
    };
    for (index, sysctl) in pod.list(["spec", "securityContext", "sysctls"]).iter().enumerate() {
        let name = sysctl.text("name");
        let unsafety = if is_listed(forbidden, name) {
            ""
        } else if is_safe(name) || is_listed(allowed, name) {
            continue;
        } else {
            "unsafe "
        };
        let detail = format!("{unsafety}sysctl {} is not allowed", quote(name));
        errors.push(field::Error::forbidden(&path.index(index), detail));
    }
}
