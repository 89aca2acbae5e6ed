//! Pods may only set kernel parameters that affect only themselves.
//!
//! - since v1.0: any name in `spec.securityContext.sysctls` that is not in the safe set fails.
//! - since v1.27, v1.29 and v1.32: more names are in the safe set.

use super::findings::Findings;
use super::{Check, Level, Revision, Violation};
use kube_api::Value;
use kube_api::pod_security::SAFE_SYSCTLS;
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "sysctls",
    level: Level::Baseline,
    revisions: &[
        Revision::since(0, |pod| check_pod(pod, 0)),
        Revision::since(27, |pod| check_pod(pod, 27)),
        Revision::since(29, |pod| check_pod(pod, 29)),
        Revision::since(32, |pod| check_pod(pod, 32)),
    ],
    overrides: None,
};

/// What joined the safe set later: which names, and since which policy version.
const LATER: [(i64, &str); 7] = [
    (27, "net.ipv4.ip_local_reserved_ports"),
    (29, "net.ipv4.tcp_keepalive_time"),
    (29, "net.ipv4.tcp_fin_timeout"),
    (29, "net.ipv4.tcp_keepalive_intvl"),
    (29, "net.ipv4.tcp_keepalive_probes"),
    (32, "net.ipv4.tcp_rmem"),
    (32, "net.ipv4.tcp_wmem"),
];

fn check_pod(pod: PodTemplate<'_>, minor: i64) -> Option<Violation> {
    let is_safe = |name: &str| {
        SAFE_SYSCTLS.contains(&name)
            || LATER.iter().any(|(since_minor, safe)| *since_minor <= minor && *safe == name)
    };
    let sysctls = pod.at(["securityContext", "sysctls"]).and_then(Value::as_array)?;
    let mut findings = Findings::default();
    let mut names = Vec::new();
    for (index, sysctl) in sysctls.iter().enumerate() {
        let name = sysctl.text("name");
        if !is_safe(name) {
            names.push(name);
            let path = pod.spec_path().child("securityContext").child("sysctls");
            findings.add_field(path.index(index).child("name"));
        }
    }
    let violation = findings.into_violation("forbidden sysctls", |_| names.join(", "));
    Some(violation?.removing_items())
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::{CHECK, LATER, SAFE_SYSCTLS};
    use kube_api::Value;

    #[test]
    fn rejects_others_in_the_order_of_the_pod() {
        let spec = json!({"securityContext": {"sysctls": [
            {"name": "net.core.somaxconn", "value": "1"},
            {"name": "net.ipv4.tcp_syncookies", "value": "1"},
            {"name": "kernel.msgmax", "value": "1"},
        ]}});
        assert_eq!(
            check_spec(&CHECK, 0, spec),
            "forbidden sysctls (net.core.somaxconn, kernel.msgmax)\n\
             spec.securityContext.sysctls[0].name\nspec.securityContext.sysctls[2].name"
        );
    }

    #[test]
    fn admits_the_safe_set_of_the_version() {
        let names = SAFE_SYSCTLS.into_iter().chain(LATER.into_iter().map(|(_, name)| name));
        let sysctls: Vec<Value> = names.map(|name| json!({"name": name, "value": "1"})).collect();
        let spec = json!({"securityContext": {"sysctls": sysctls}});
        let forbidden = |minor| check_spec(&CHECK, minor, spec.clone()).lines().skip(1).count();
        assert_eq!([26, 27, 28, 29, 31, 32, 35].map(forbidden), [7, 6, 6, 2, 2, 0, 0]);
    }
}
