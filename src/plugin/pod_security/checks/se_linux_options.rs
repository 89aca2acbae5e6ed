//! Containers must stay in the `SELinux` domains meant for containers.
//!
//! - since v1.0: `seLinuxOptions` of the pod or of a container fails with a `user`, a `role`, or a `type` other than
//!   `container_t`, `container_init_t` and `container_kvm_t`.
//! - since v1.31: the type `container_engine_t` is allowed too.

use super::findings::{Findings, plural, security_contexts};
use super::{Check, Level, Revision, Violation};
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "seLinuxOptions",
    level: Level::Baseline,
    revisions: &[Revision::since(0, without_engines), Revision::since(31, with_engines)],
    overrides: None,
};

fn without_engines(pod: PodTemplate<'_>) -> Option<Violation> {
    check_pod(pod, &["", "container_t", "container_init_t", "container_kvm_t"])
}

fn with_engines(pod: PodTemplate<'_>) -> Option<Violation> {
    check_pod(pod, &["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"])
}

fn check_pod(pod: PodTemplate<'_>, allowed_types: &[&str]) -> Option<Violation> {
    let mut findings = Findings::default();
    let mut sets_user = false;
    let mut sets_role = false;
    for context in security_contexts(pod) {
        let Some(options) = context.at("seLinuxOptions") else { continue };
        let text = |field| options.text(field);
        if !allowed_types.contains(&text("type")) {
            findings.add(context, &["seLinuxOptions", "type"]);
            findings.add_value(text("type"));
        }
        if !text("user").is_empty() {
            findings.add(context, &["seLinuxOptions", "user"]);
            sets_user = true;
        }
        if !text("role").is_empty() {
            findings.add(context, &["seLinuxOptions", "role"]);
            sets_role = true;
        }
    }
    findings.into_violation("seLinuxOptions", |found| {
        let mut data = Vec::new();
        if !found.values().is_empty() {
            data.push(format!("{} {}", plural("type", "types", found.values().len()), found.quoted_values()));
        }
        if sets_user {
            data.push("user may not be set".to_owned());
        }
        if sets_role {
            data.push("role may not be set".to_owned());
        }
        format!("{} set forbidden securityContext.seLinuxOptions: {}", found.setters(), data.join("; "))
    })
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::CHECK;

    #[test]
    fn rejects_types_users_and_roles() {
        let spec = json!({
            "securityContext": {"seLinuxOptions": {"type": "spc_t", "role": "r", "user": "u"}},
            "containers": [
                {"name": "a", "securityContext": {"seLinuxOptions": {"type": "other_t"}}},
                {"name": "b", "securityContext": {"seLinuxOptions": {"type": "container_t"}}},
            ],
        });
        assert_eq!(
            check_spec(&CHECK, 0, spec),
            "seLinuxOptions (pod and container \"a\" set forbidden securityContext.seLinuxOptions: \
             types \"other_t\", \"spc_t\"; user may not be set; role may not be set)\n\
             spec.securityContext.seLinuxOptions.type\n\
             spec.securityContext.seLinuxOptions.user\n\
             spec.securityContext.seLinuxOptions.role\n\
             spec.containers[0].securityContext.seLinuxOptions.type"
        );
        let spec = json!({"securityContext": {"seLinuxOptions": {"user": "u"}}});
        assert_eq!(
            check_spec(&CHECK, 35, spec),
            "seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: user may not be set)\n\
             spec.securityContext.seLinuxOptions.user"
        );
    }

    #[test]
    fn admits_levels_and_since_1_31_engines() {
        assert_eq!(
            check_spec(&CHECK, 0, json!({"securityContext": {"seLinuxOptions": {"level": "s0"}}})),
            ""
        );
        let spec = json!({"securityContext": {"seLinuxOptions": {"type": "container_engine_t"}}});
        assert_eq!(check_spec(&CHECK, 31, spec.clone()), "");
        assert_eq!(
            check_spec(&CHECK, 30, spec),
            "seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type \"container_engine_t\")\n\
             spec.securityContext.seLinuxOptions.type"
        );
    }
}
