//! Containers must not see the parts of `/proc` that runtimes mask, not even in a user namespace.
//!
//! - since v1.35: like the check of the baseline level until v1.34. It replaces that check, which admits pods in a user
//!   namespace since v1.35; before, that check was as strict as this one.

use super::{Check, Level, Revision, proc_mount};

pub(super) const CHECK: Check = Check {
    id: "procMount_restricted",
    level: Level::Restricted,
    revisions: &[Revision::since(35, proc_mount::every_pod)],
    overrides: Some(proc_mount::CHECK.id),
};

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::CHECK;

    #[test]
    fn rejects_unmasked_in_a_user_namespace_too() {
        let container = json!({"name": "a", "securityContext": {"procMount": "Unmasked"}});
        let spec = json!({"hostUsers": false, "containers": [container]});
        assert_eq!(
            check_spec(&CHECK, 35, spec.clone()),
            "procMount (container \"a\" must not set securityContext.procMount to \"Unmasked\")\n\
             spec.containers[0].securityContext.procMount"
        );
        assert_eq!(check_spec(&CHECK, 34, spec), "");
    }

    #[test]
    fn admits_the_default() {
        assert_eq!(check_spec(&CHECK, 35, json!({"hostUsers": false, "containers": [{"name": "a"}]})), "");
    }
}
