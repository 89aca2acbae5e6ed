//! The flags that kube-apiserver of the newest release has.
//!
//! Source: `AddFlags` of `k8s.io/kubernetes/cmd/kube-apiserver/app/options` and of the options in it.

/// The names, in order.
const NAMES: [&str; 179] = [
    "admission-control",
    "admission-control-config-file",
    "advertise-address",
    "aggregator-reject-forwarding-redirect",
    "allow-metric-labels",
    "allow-metric-labels-manifest",
    "allow-privileged",
    "anonymous-auth",
    "api-audiences",
    "apiserver-count",
    "audit-log-batch-buffer-size",
    "audit-log-batch-max-size",
    "audit-log-batch-max-wait",
    "audit-log-batch-throttle-burst",
    "audit-log-batch-throttle-enable",
    "audit-log-batch-throttle-qps",
    "audit-log-compress",
    "audit-log-format",
    "audit-log-maxage",
    "audit-log-maxbackup",
    "audit-log-maxsize",
    "audit-log-mode",
    "audit-log-path",
    "audit-log-truncate-enabled",
    "audit-log-truncate-max-batch-size",
    "audit-log-truncate-max-event-size",
    "audit-log-version",
    "audit-policy-file",
    "audit-webhook-batch-buffer-size",
    "audit-webhook-batch-initial-backoff",
    "audit-webhook-batch-max-size",
    "audit-webhook-batch-max-wait",
    "audit-webhook-batch-throttle-burst",
    "audit-webhook-batch-throttle-enable",
    "audit-webhook-batch-throttle-qps",
    "audit-webhook-config-file",
    "audit-webhook-initial-backoff",
    "audit-webhook-mode",
    "audit-webhook-truncate-enabled",
    "audit-webhook-truncate-max-batch-size",
    "audit-webhook-truncate-max-event-size",
    "audit-webhook-version",
    "authentication-config",
    "authentication-token-webhook-cache-ttl",
    "authentication-token-webhook-config-file",
    "authentication-token-webhook-version",
    "authorization-config",
    "authorization-mode",
    "authorization-policy-file",
    "authorization-webhook-cache-authorized-ttl",
    "authorization-webhook-cache-unauthorized-ttl",
    "authorization-webhook-config-file",
    "authorization-webhook-version",
    "bind-address",
    "cert-dir",
    "client-ca-file",
    "contention-profiling",
    "coordinated-leadership-lease-duration",
    "coordinated-leadership-renew-deadline",
    "coordinated-leadership-retry-period",
    "cors-allowed-origins",
    "debug-socket-path",
    "default-not-ready-toleration-seconds",
    "default-unreachable-toleration-seconds",
    "default-watch-cache-size",
    "delete-collection-workers",
    "disable-admission-plugins",
    "disable-http2-serving",
    "disabled-metrics",
    "egress-selector-config-file",
    "emulated-version",
    "emulation-forward-compatible",
    "enable-admission-plugins",
    "enable-aggregator-routing",
    "enable-bootstrap-token-auth",
    "enable-garbage-collector",
    "enable-logs-handler",
    "enable-priority-and-fairness",
    "encryption-provider-config",
    "encryption-provider-config-automatic-reload",
    "endpoint-reconciler-type",
    "etcd-cafile",
    "etcd-certfile",
    "etcd-compaction-interval",
    "etcd-count-metric-poll-period",
    "etcd-db-metric-poll-interval",
    "etcd-healthcheck-timeout",
    "etcd-keyfile",
    "etcd-prefix",
    "etcd-readycheck-timeout",
    "etcd-servers",
    "etcd-servers-overrides",
    "event-ttl",
    "external-hostname",
    "feature-gates",
    "goaway-chance",
    "help",
    "http2-max-streams-per-connection",
    "kubeconfig",
    "kubelet-certificate-authority",
    "kubelet-client-certificate",
    "kubelet-client-key",
    "kubelet-port",
    "kubelet-preferred-address-types",
    "kubelet-read-only-port",
    "kubelet-timeout",
    "kubernetes-service-node-port",
    "lease-reuse-duration-seconds",
    "livez-grace-period",
    "log-flush-frequency",
    "log-json-info-buffer-size",
    "log-json-split-stream",
    "log-text-info-buffer-size",
    "log-text-split-stream",
    "logging-format",
    "max-connection-bytes-per-sec",
    "max-mutating-requests-inflight",
    "max-requests-inflight",
    "min-compatibility-version",
    "min-request-timeout",
    "oidc-ca-file",
    "oidc-client-id",
    "oidc-groups-claim",
    "oidc-groups-prefix",
    "oidc-issuer-url",
    "oidc-required-claim",
    "oidc-signing-algs",
    "oidc-username-claim",
    "oidc-username-prefix",
    "peer-advertise-ip",
    "peer-advertise-port",
    "peer-ca-file",
    "permit-address-sharing",
    "permit-port-sharing",
    "profiling",
    "proxy-client-cert-file",
    "proxy-client-key-file",
    "request-timeout",
    "requestheader-allowed-names",
    "requestheader-client-ca-file",
    "requestheader-extra-headers-prefix",
    "requestheader-group-headers",
    "requestheader-uid-headers",
    "requestheader-username-headers",
    "runtime-config",
    "runtime-config-emulation-forward-compatible",
    "secure-port",
    "send-retry-after-while-not-ready-once",
    "service-account-extend-token-expiration",
    "service-account-issuer",
    "service-account-jwks-uri",
    "service-account-key-file",
    "service-account-lookup",
    "service-account-max-token-expiration",
    "service-account-signing-endpoint",
    "service-account-signing-key-file",
    "service-cluster-ip-range",
    "service-node-port-range",
    "show-hidden-metrics-for-version",
    "shutdown-delay-duration",
    "shutdown-send-retry-after",
    "shutdown-watch-termination-grace-period",
    "storage-backend",
    "storage-initialization-timeout",
    "storage-media-type",
    "strict-transport-security-directives",
    "tls-cert-file",
    "tls-cipher-suites",
    "tls-curve-preferences",
    "tls-min-version",
    "tls-private-key-file",
    "tls-sni-cert-key",
    "token-auth-file",
    "tracing-config-file",
    "v",
    "version",
    "vmodule",
    "watch-cache",
    "watch-cache-sizes",
];

/// Flags that are gone, and the release that was the first without them.
const GONE: [(&str, u32); 5] = [
    ("address", 24),
    ("basic-auth-file", 19),
    ("insecure-bind-address", 24),
    ("insecure-port", 24),
    ("port", 24),
];

/// Returns the minor of the first release without `flag`, which older ones have.
pub(in crate::configuration) fn gone_since(flag: &str) -> Option<u32> {
    let name = flag.strip_prefix("--")?;
    GONE.iter().find(|(gone, _)| *gone == name).map(|(_, minor)| *minor)
}

/// The most wrong characters of a misspelt flag.
const MOST_MISTAKES: usize = 3;

/// Whether the server has `flag`, which begins with two dashes.
pub(in crate::configuration) fn is_known(flag: &str) -> bool {
    flag.strip_prefix("--").is_some_and(|name| NAMES.binary_search(&name).is_ok())
}

/// Returns the flag that `flag` was probably meant to be.
pub(in crate::configuration) fn nearest(flag: &str) -> Option<String> {
    let name = flag.strip_prefix("--")?;
    let near = NAMES.iter().map(|known| (strsim::damerau_levenshtein(known, name), known));
    let (distance, near) = near.min()?;
    (distance <= MOST_MISTAKES).then(|| format!("--{near}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(NAMES.is_sorted());
        assert!(is_known("--admission-control") && !is_known("--insecure-port") && !is_known("secure-port"));
        assert_eq!(nearest("--enable-admision-plugins").as_deref(), Some("--enable-admission-plugins"));
        assert_eq!(nearest("--insecure-bind-address"), None);
    }
}
