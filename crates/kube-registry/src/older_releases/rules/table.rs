//! The table of the rules that came later or had other words, by the release that has them as they are now.
//!
//! An error passes through all rules that fit it, the oldest release first.

use crate::older_releases::rules::instead;
use crate::older_releases::rules::{Mark, Rule, Then};
use kube_api::field::ErrorType;

/// Returns all rules, the oldest release first.
pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    [WORDS, CORE, WORKLOADS, OTHERS].into_iter().flatten()
}

const fn any(fields: &'static str, detail: &'static str) -> Mark {
    Mark { error_type: None, kind: "", fields, detail }
}

const fn of(error_type: ErrorType, fields: &'static str, detail: &'static str) -> Mark {
    Mark { error_type: Some(error_type), kind: "", fields, detail }
}

const fn on(kind: &'static str, fields: &'static str, detail: &'static str) -> Mark {
    Mark { error_type: None, kind, fields, detail }
}

const fn since(since: u32, of: Mark, then: Then) -> Rule {
    Rule { since, of, then }
}

/// The texts of names, addresses and lengths, which all kinds share.
static WORDS: &[Rule] = &[
    since(17, of(ErrorType::TooLong, "", " bytes"), Then::Phrase(" characters")),
    since(20, any("", "a lowercase RFC 1123 label must"), Then::Phrase("a DNS-1123 label must")),
    since(20, any("", "a lowercase RFC 1123 subdomain must"), Then::Phrase("a DNS-1123 subdomain must")),
    since(20, any("", "(e.g. 10.9.8.7 or 2001:db8::ffff)"), Then::Phrase("(e.g. 10.9.8.7)")),
    since(26, any("", "must not contain dots"), Then::Detail(LABEL)),
    since(23, any("", "may not be unspecified ("), Then::Detail("may not be unspecified (0.0.0.0)")),
    since(23, any("", "(127.0.0.0/8, ::1/128)"), Then::Phrase("(127.0.0.0/8)")),
    since(23, any("", "(169.254.0.0/16, fe80::/10)"), Then::Phrase("(169.254.0.0/16)")),
    since(23, any("", "(224.0.0.0/24, ff02::/10)"), Then::Phrase("(224.0.0.0/24)")),
    since(30, any("dnsConfig.nameservers", IP), Then::Detail("must be valid IP address")),
    since(30, any("hostAliases.ip", IP), Then::Detail("must be valid IP address")),
    since(30, any("loadBalancer.ingress.ip", IP), Then::Detail("must be a valid IP address")),
    since(30, any("ipBlock.cidr", CIDR), Then::Detail("not a valid CIDR")),
    since(30, any("ipBlock.except", CIDR), Then::Detail("not a valid CIDR")),
    since(32, of(ErrorType::TooLong, "", "may not be more than "), Then::Phrase("must have at most ")),
    since(35, any("", "a valid label key "), Then::Phrase("a qualified name ")),
    since(
        35,
        of(ErrorType::Invalid, "", "must be no more than 63 bytes"),
        Then::Phrase("must be no more than 63 characters"),
    ),
    since(
        35,
        of(ErrorType::Invalid, "", "must be no more than 253 bytes"),
        Then::Phrase("must be no more than 253 characters"),
    ),
    since(34, any("ownerReferences.kind", "must not be empty"), Then::Detail("kind must not be empty")),
    since(34, any("ownerReferences.name", "must not be empty"), Then::Detail("name must not be empty")),
    since(34, any("ownerReferences.uid", "must not be empty"), Then::Detail("uid must not be empty")),
];
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
                     start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for \
                     validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const IP: &str = "must be a valid IP address, (e.g. ";
const CIDR: &str = "must be a valid CIDR value, (e.g. ";

/// Selectors, Pods, Services, volumes.
static CORE: &[Rule] = &[
    since(
        12,
        of(ErrorType::Forbidden, "", "must not be specified when serviceAccountName is not set"),
        Then::Admitted,
    ),
    since(19, on("PersistentVolumeClaim", "spec", CLAIM), Then::Detail(CLAIM_BEFORE)),
    since(
        19,
        on("PersistentVolume", "", "spec.persistentvolumesource is immutable after creation"),
        Then::Detail("is immutable after creation"),
    ),
    since(20, on("Service", "clusterIPs", "may not be set "), Then::Error(instead::one_cluster_ip)),
    since(23, of(ErrorType::Forbidden, "volumeMounts.subPath", EPHEMERAL), Then::Admitted),
    since(23, of(ErrorType::Forbidden, "volumeMounts.subPathExpr", EPHEMERAL), Then::Admitted),
    since(
        23,
        any("externalTrafficPolicy", EXTERNAL),
        Then::Detail("ExternalTrafficPolicy can only be set on NodePort and LoadBalancer service"),
    ),
    since(
        23,
        any("healthCheckNodePort", "may only be set when `type` is 'LoadBalancer' and "),
        Then::Detail(
            "HealthCheckNodePort can only be set on LoadBalancer service with ExternalTrafficPolicy=Local",
        ),
    ),
    since(
        23,
        any("clusterIPs", "first value must match `clusterIP`"),
        Then::Detail("element [0] must match clusterIP"),
    ),
    since(
        23,
        any("clusterIPs", "must be empty when `clusterIP` is not specified"),
        Then::Detail("must be empty when clusterIP is empty"),
    ),
    since(
        22,
        any("spec", POD_UPDATE),
        Then::Phrase(
            "`spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds` or \
             `spec.tolerations` (only additions to existing tolerations)",
        ),
    ),
    since(24, of(ErrorType::Required, "nodePublishSecretRef.name", ""), Then::Error(instead::blank_in_path)),
    since(
        24,
        of(ErrorType::Required, "nodePublishSecretRef.namespace", ""),
        Then::Error(instead::blank_in_path),
    ),
    since(25, CSI, Then::Error(instead::namespace_at_source)),
    since(25, any("", NOT_FOR_INIT), Then::Error(instead::must_not_be_set)),
    since(
        25,
        of(ErrorType::NotSupported, "terminationMessagePolicy", ""),
        Then::Error(instead::termination_message_policy),
    ),
    since(
        25,
        on("PriorityClass", "value", "may not be changed in an update."),
        Then::Error(instead::named_value),
    ),
    since(
        26,
        of(ErrorType::Invalid, "dataSource", "must be 'PersistentVolumeClaim' when "),
        Then::Detail(""),
    ),
    since(
        26,
        of(ErrorType::Invalid, "dataSourceRef", "must be 'PersistentVolumeClaim' when "),
        Then::Detail(""),
    ),
    since(26, of(ErrorType::Invalid, "matchExpressions.values", ""), Then::Error(instead::only_for_nodes)),
    since(
        27,
        any("spec", POD_UPDATE),
        Then::Phrase(
            "`spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, \
             `spec.tolerations` (only additions to existing tolerations) or `spec.terminationGracePeriodSeconds` \
             (allow it to be set to 1 if it was previously negative)",
        ),
    ),
    since(27, CSI, Then::Error(instead::without_name_of_secret)),
    since(27, any("topologySpreadConstraints.labelSelector.*", ""), Then::Admitted),
    since(27, any("", "static pods do not support ephemeral containers"), Then::Admitted),
    since(27, of(ErrorType::Invalid, "", " limit of "), Then::Error(instead::without_limit)),
    since(28, any("", NOT_FOR_INIT), Then::Detail("may not be set for init containers")),
    since(
        28,
        any("ports.hostPort", "must match `containerPort` when `hostNetwork` is true"),
        Then::Error(instead::container_port),
    ),
    since(
        29,
        any("externalTrafficPolicy", EXTERNAL),
        Then::Detail("may only be set when `type` is 'NodePort' or 'LoadBalancer'"),
    ),
    since(
        29,
        on("Service", "loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'"),
        Then::Admitted,
    ),
    since(
        29,
        on("PersistentVolumeClaim", "spec", " and volumeAttributesClassName for bound"),
        Then::Phrase(" for bound"),
    ),
    since(33, of(ErrorType::Invalid, "nodeSelectorTerms.matchExpressions.values", ""), Then::Admitted),
    since(33, of(ErrorType::Invalid, "preference.matchExpressions.values", ""), Then::Admitted),
];
const CSI: Mark =
    Mark { error_type: Some(ErrorType::Invalid), kind: "PersistentVolume", fields: "csi.*", detail: "" };
const CLAIM: &str = "spec is immutable after creation except resources.requests";
const CLAIM_BEFORE: &str = "is immutable after creation except resources.requests for bound claims";
const EPHEMERAL: &str = "cannot be set for an Ephemeral Container";
const EXTERNAL: &str = "may only be set for externally-accessible services";
const NOT_FOR_INIT: &str = "may not be set for init containers without restartPolicy=Always";
const POD_UPDATE: &str = "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
                          `spec.tolerations` (only additions to existing tolerations),\
                          `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// Workloads, jobs, autoscalers.
static WORKLOADS: &[Rule] = &[
    since(
        12,
        of(ErrorType::Invalid, "selector", "empty selector is invalid for "),
        Then::Error(instead::empty_selector),
    ),
    since(
        12,
        on("StatefulSet", "spec", STATEFUL_SET),
        Then::Detail(
            "updates to statefulset spec for fields other than 'replicas', 'template', and 'updateStrategy' are \
             forbidden.",
        ),
    ),
    since(14, any("activeDeadlineSeconds", " is not Supported"), Then::Error(instead::must_not_be_specified)),
    since(
        16,
        any("minReplicas", "must be greater than or equal to 1"),
        Then::Detail("must be greater than 0"),
    ),
    since(
        18,
        any("ipBlock.except", "must be a strict subset of `cidr`"),
        Then::Error(instead::not_within_range),
    ),
    since(20, any("metrics.type", "\"ContainerResource\", "), Then::Phrase("")),
    since(
        22,
        of(ErrorType::Required, "maxUnavailable", "cannot be 0 when maxSurge is 0"),
        Then::Error(instead::cannot_be_0),
    ),
    since(
        30,
        any("containerResource", "must populate information for the given metric source"),
        Then::Error(instead::metric_of_container),
    ),
    since(
        23,
        on("StatefulSet", "spec", "'replicas', 'ordinals', 'template', "),
        Then::Detail(
            "updates to statefulset spec for fields other than 'replicas', 'template', and 'updateStrategy' are \
             forbidden",
        ),
    ),
    since(
        26,
        on(
            "StatefulSet",
            "spec",
            "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', ",
        ),
        Then::Phrase("'replicas', 'template', 'updateStrategy', "),
    ),
    since(29, any("schedule", "use timeZone field instead"), Then::Error(instead::zone_of_schedule)),
    since(30, on("Job", "status.*", ""), Then::Error(instead::only_negative)),
    since(33, on("StatefulSet", "spec", " 'revisionHistoryLimit',"), Then::Phrase("")),
    since(
        36,
        of(ErrorType::Required, "maxReplicas", "must be set and greater than 0"),
        Then::Error(instead::greater_than_0),
    ),
    since(
        36,
        any("maxReplicas", "must be greater than or equal to 1"),
        Then::Detail("must be greater than 0"),
    ),
];
const STATEFUL_SET: &str = "updates to statefulset spec for fields other than ";

/// Networks and priorities.
static OTHERS: &[Rule] = &[
    since(
        11,
        on("PriorityClass", "metadata.name", "priority class names with 'system-' prefix are reserved"),
        Then::Admitted,
    ),
    since(
        11,
        on("PriorityClass", "value", "maximum allowed value of a user defined priority is "),
        Then::Admitted,
    ),
    since(11, any("from", "must specify a peer"), Then::Detail("must specify a from type")),
    since(11, any("to", "must specify a peer"), Then::Detail("must specify a to type")),
    since(
        11,
        any("from", "may not specify both ipBlock and another peer"),
        Then::Detail("may not specify more than 1 from type"),
    ),
    since(
        11,
        any("to", "may not specify both ipBlock and another peer"),
        Then::Detail("may not specify more than 1 to type"),
    ),
    since(26, on("Ingress", "ingress.hostname", ""), Then::Admitted),
    since(
        34,
        of(ErrorType::Required, "versions.schema.openAPIV3Schema", ""),
        Then::Error(instead::schemas_are_required),
    ),
    // Before, the two exclude each other.
    since(27, on("Ingress", "", "must match `ingressClassName` when both are specified"), Then::Admitted),
];
