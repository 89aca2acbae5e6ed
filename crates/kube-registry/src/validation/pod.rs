//! Pods, and the templates of kinds that create pods.
//!
//! Source: `ValidatePodSpec`, `ValidatePodCreate`, `ValidatePodTemplateSpec`.

pub(crate) mod annotations;
pub(crate) mod containers;
pub(crate) mod environment;
pub(crate) mod path;
pub(crate) mod pod_resources;
pub(crate) mod scheduling;
pub(crate) mod security;
pub(crate) mod volumes;

use crate::validation::address::is_valid_ip_for_legacy_field;
use crate::validation::metadata::{name_is_dns_subdomain, validate_annotations, validate_labels};
use crate::validation::node::{Errors, Node};
pub(crate) use crate::validation::pod::annotations::validate_pod_specific_annotations;
pub(crate) use crate::validation::pod::containers::{
    PORT_PROTOCOLS, validate_port_num_or_name, validate_port_number,
};
pub(crate) use crate::validation::pod::path::validate_path_no_backsteps;
pub(crate) use crate::validation::pod::scheduling::{
    has_invalid_label_value, validate_node_selector, validate_taint_effect, validate_tolerations,
};
pub(crate) use crate::validation::pod::volumes::{
    ISCSI_TOO_LONG, validate_csi_driver_name, validate_iscsi, validate_shared_source, validate_signer_name,
    validate_user_annotations,
};
use crate::validation::resources::{HUGE_PAGES, is_huge_page_value_divisible, quantity, validate_overhead};
use crate::validation::selector::has_invalid_label_selector;
use gotext::names;
use kube_api::Value;
use kube_api::features::Feature;
use kube_api::field::Rule;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use std::collections::BTreeSet;

pub(crate) const MIRROR: &str = "kubernetes.io/config.mirror";

pub(crate) const APP_ARMOR_PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";

/// The relaxations that apply because a feature is on or because the old object needs them.
///
/// Source: `GetValidationOptionsFromPodSpecAndMeta`.
#[expect(clippy::struct_excessive_bools, reason = "every option is one of upstream's")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a> {
    pub(crate) profile: &'a ServerProfile,
    pub(crate) resource_is_pod: bool,
    pub(crate) indivisible_huge_pages: bool,
    pub(crate) env_files: bool,
    pub(crate) relaxed_variable_names: bool,
    pub(crate) expanded_dns_config: bool,
    pub(crate) relaxed_dns_searches: bool,
    pub(crate) container_restart_rules: bool,
    pub(crate) restart_all_containers: bool,
    pub(crate) restart_container_for_init_container: bool,
    pub(crate) non_local_projected_token_path: bool,
    pub(crate) namespaced_sysctls: bool,
    pub(crate) invalid_selector_values: bool,
    pub(crate) invalid_node_affinity_values: bool,
    pub(crate) invalid_topology_selector: bool,
    pub(crate) merged_match_label_keys: bool,
    pub(crate) comparison_operators: bool,
    pub(crate) invalid_deletion_cost: bool,
    pub(crate) host_network_user_namespaces: bool,
    pub(crate) volume_devices_user_namespaces: bool,
    pub(crate) se_linux_mount: bool,
}

impl<'a> Options<'a> {
    /// Returns the options for a pod or a template that replaces `old`, or nothing.
    pub(crate) fn new(profile: &'a ServerProfile, old: Option<&Node>) -> Self {
        let mut options = Self {
            profile,
            resource_is_pod: false,
            indivisible_huge_pages: false,
            env_files: profile.enabled(Feature::EnvFiles),
            relaxed_variable_names: profile.enabled(Feature::RelaxedEnvironmentVariableValidation),
            expanded_dns_config: profile.release() >= EXPANDED_DNS_CONFIG
                || profile.enabled(Feature::ExpandedDNSConfig),
            relaxed_dns_searches: profile.enabled(Feature::RelaxedDNSSearchValidation),
            container_restart_rules: profile.enabled(Feature::ContainerRestartRules),
            restart_all_containers: profile.enabled(Feature::RestartAllContainersOnContainerExits),
            restart_container_for_init_container: false,
            non_local_projected_token_path: false,
            namespaced_sysctls: profile.release() < security::HOST_SYSCTLS,
            invalid_selector_values: false,
            invalid_node_affinity_values: false,
            invalid_topology_selector: false,
            merged_match_label_keys: profile.enabled(Feature::MatchLabelKeysInPodTopologySpread)
                && profile.enabled(Feature::MatchLabelKeysInPodTopologySpreadSelectorMerge),
            comparison_operators: profile.enabled(Feature::TaintTolerationComparisonOperators),
            invalid_deletion_cost: !profile.enabled(Feature::PodDeletionCost),
            host_network_user_namespaces: profile.enabled(Feature::UserNamespacesHostNetworkSupport),
            volume_devices_user_namespaces: false,
            se_linux_mount: profile.enabled(Feature::SELinuxMount),
        };
        if let Some(old) = old {
            options.invalid_deletion_cost |= annotations::has_invalid_deletion_cost(&old.child("metadata"));
            options.ratchet(&old.child("spec"));
        }
        options
    }

    /// Allows the old spec's faults, and the fields that it uses although their gate is now off.
    fn ratchet(&mut self, old: &Node) {
        self.ratchet_containers(old);
        self.ratchet_searches(old);
        self.indivisible_huge_pages = uses_indivisible_huge_pages(old);
        let context = old.child("securityContext");
        self.namespaced_sysctls |= context
            .list("sysctls")
            .iter()
            .any(|sysctl| security::host_sysctl(Node::root(sysctl).text("name"), old).is_some());
        self.invalid_selector_values |= scheduling::has_invalid_pod_affinity_selector(old);
        self.invalid_node_affinity_values = scheduling::has_invalid_node_affinity_value(old);
        self.invalid_topology_selector = old
            .items("topologySpreadConstraints")
            .any(|constraint| has_invalid_label_selector(&constraint, "labelSelector"));
        if self.profile.enabled(Feature::MatchLabelKeysInPodTopologySpread)
            && scheduling::has_invalid_match_label_keys(old, self.merged_match_label_keys)
        {
            // The old spec breaks the rules in force, so the other ones apply.
            self.merged_match_label_keys = !self.merged_match_label_keys;
        }
        self.non_local_projected_token_path = volumes::has_non_local_projected_token_path(old);
        self.comparison_operators |=
            old.items("tolerations").any(|toleration| ["Lt", "Gt"].contains(&toleration.text("operator")));
        self.se_linux_mount |= context.has("seLinuxChangePolicy");
        let user_namespaces = old.truth("hostUsers") == Some(false);
        self.host_network_user_namespaces |= user_namespaces && old.flag("hostNetwork");
        self.volume_devices_user_namespaces =
            user_namespaces && containers_of(old).any(|container| container.len("volumeDevices") > 0);
    }

    fn ratchet_searches(&mut self, old: &Node) {
        let config = old.child("dnsConfig");
        self.expanded_dns_config |=
            config.len("searches") > LEGACY_SEARCHES.0 || length_of_searches(&config) > LEGACY_SEARCHES.1;
        self.relaxed_dns_searches |= config.texts("searches").any(|search| {
            !names::is_dns1123_subdomain(search.strip_suffix('.').unwrap_or(search)).is_empty()
        });
    }

    fn ratchet_containers(&mut self, old: &Node) {
        let is_relaxed = |name: &str| !name.is_empty() && !names::is_env_var_name(name).is_empty();
        self.relaxed_variable_names |= containers_of(old).any(|container| {
            container.list("env").iter().any(|variable| is_relaxed(Node::root(variable).text("name")))
                || container
                    .list("envFrom")
                    .iter()
                    .any(|source| is_relaxed(Node::root(source).text("prefix")))
        });
        let reads_file = |variable: &Value| !variable["valueFrom"]["fileKeyRef"].is_null();
        self.env_files |= containers_of(old).any(|container| container.list("env").iter().any(reads_file));
        let restarts_all = |rule: &Value| rule["action"] == "RestartAllContainers";
        for container in old.items("containers") {
            self.container_restart_rules |= container.has("restartPolicy");
            self.restart_all_containers |= container.list("restartPolicyRules").iter().any(restarts_all);
        }
        for container in old.items("initContainers") {
            let (sidecar, rules) =
                (container.text("restartPolicy") == "Always", container.list("restartPolicyRules"));
            self.container_restart_rules |= container.has("restartPolicy") && !sidecar || !rules.is_empty();
            self.restart_all_containers |= rules.iter().any(restarts_all) || sidecar && !rules.is_empty();
            self.restart_container_for_init_container |= !sidecar
                && container
                    .items("resizePolicy")
                    .any(|policy| policy.text("restartPolicy") == "RestartContainer");
        }
    }
}

/// Implements `usesIndivisibleHugePagesValues`.
fn uses_indivisible_huge_pages(spec: &Node) -> bool {
    let indivisible = |(name, amount): (&str, &Value)| {
        name.starts_with(HUGE_PAGES) && !is_huge_page_value_divisible(name, &quantity(amount))
    };
    containers_of(spec).any(|container| {
        let resources = container.child("resources");
        resources.entries("limits").chain(resources.entries("requests")).any(indivisible)
    }) || spec.entries("overhead").any(indivisible)
}

/// A pod spec under validation, and what is computed from it once.
#[derive(Debug)]
pub(crate) struct Pod<'a> {
    pub(crate) spec: Node<'a>,
    /// The pod's name; empty in a template.
    name: &'a str,
    /// Whether this is the mirror of a static pod.
    mirror: bool,
    claims: BTreeSet<&'a str>,
    host_users: bool,
}

impl<'a> Pod<'a> {
    pub(crate) fn new(spec: Node<'a>, metadata: Option<&Node<'a>>) -> Self {
        let claims = spec.list("resourceClaims").iter().map(|claim| Node::root(claim).text("name"));
        Self {
            name: metadata.map_or("", |metadata| metadata.text("name")),
            mirror: metadata.is_some_and(|metadata| metadata.raw("annotations").get(MIRROR).is_some()),
            claims: claims.filter(|name| !name.is_empty()).collect(),
            host_users: spec.truth("hostUsers").unwrap_or(true),
            spec,
        }
    }
}

/// Returns all containers of a pod spec in upstream's order: init, regular, ephemeral.
///
/// Source: `podshelper.VisitContainersWithPath`.
pub(crate) fn containers_of<'a>(spec: &Node<'a>) -> impl Iterator<Item = Node<'a>> {
    spec.items("initContainers").chain(spec.items("containers")).chain(spec.items("ephemeralContainers"))
}

/// Implements `ValidatePodTemplateSpec`: `template` is the template with its path.
pub(crate) fn validate_pod_template_spec(errors: &mut Errors, template: &Node, options: &Options) {
    let (metadata, spec) = (template.child("metadata"), template.child("spec"));
    // Upstream omits `metadata` from the path.
    let unnested = Node::new(template.here(), metadata.value());
    validate_labels(errors, &unnested, "labels");
    validate_annotations(errors, &unnested);
    validate_pod_specific_annotations(errors, &unnested, &spec, options);
    validate_pod_spec(errors, &Pod::new(spec.clone(), None), options);
    security::validate_annotations_match_fields(errors, &metadata, &spec);
    if spec.len("ephemeralContainers") > 0 {
        let detail = "ephemeral containers not allowed in pod template";
        errors.forbidden(&spec.at("ephemeralContainers"), detail);
    }
}

/// Implements `ValidatePodSpec`.
pub(crate) fn validate_pod_spec(errors: &mut Errors, pod: &Pod, options: &Options) {
    let spec = &pod.spec;
    if !spec.has("terminationGracePeriodSeconds") {
        errors.required(&spec.at("terminationGracePeriodSeconds"), "");
    }
    let volumes = volumes::validate_volumes(errors, pod, options);
    pod_resources::validate_pod_resource_claims(errors, pod);
    containers::validate_containers(errors, pod, &volumes, options);
    containers::validate_init_containers(errors, pod, &volumes, options);
    containers::validate_ephemeral_containers(errors, pod, &volumes, options);
    if options.profile.enabled(Feature::PodLevelResources) {
        pod_resources::validate_pod_resources(errors, pod, options);
    }
    validate_host_network(errors, pod, options);
    errors.require_one_of(spec, "restartPolicy", &["Always", "OnFailure", "Never"]);
    errors.require_one_of(spec, "dnsPolicy", &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]);
    validate_labels(errors, spec, "nodeSelector");
    security::validate_pod_security_context(errors, pod, options);
    scheduling::validate_affinity(errors, pod, options);
    validate_dns_config(errors, spec, options);
    scheduling::validate_gates(errors, pod);
    scheduling::validate_topology_spread_constraints(errors, pod, options);
    security::validate_windows_host_process_pod(errors, pod);
    validate_host_users(errors, pod, options);
    validate_pod_host_name(errors, spec);
    validate_pod_names(errors, spec, options);
    if let Some(overhead) = spec.get("overhead") {
        validate_overhead(errors, overhead.here(), overhead.value(), options.indivisible_huge_pages);
    }
    security::validate_os(errors, pod);
    // Without the gate, the field was dropped earlier, unless the old object has it.
    if let Some(group) = spec.get("schedulingGroup") {
        match group.given("podGroupName") {
            None => {
                errors.invalid_printed(
                    &group.at("podGroupName"),
                    "null",
                    "must specify one of: `podGroupName`",
                );
            }
            Some(name) => errors.each_of(&group, "podGroupName", name_is_dns_subdomain(name, false)),
        }
    }
    validate_file_key_ref_volumes(errors, spec);
}

/// Validates the names and plain values of [`validate_pod_spec`].
fn validate_pod_names(errors: &mut Errors, spec: &Node, options: &Options) {
    for field in ["serviceAccountName", "nodeName"] {
        if !spec.text(field).is_empty() {
            errors.each_of(spec, field, name_is_dns_subdomain(spec.text(field), false));
        }
    }
    if let Some(seconds) = spec.number("activeDeadlineSeconds") {
        for message in names::is_in_range(seconds, 1, i64::from(i32::MAX)) {
            errors.invalid_int(&spec.at("activeDeadlineSeconds"), seconds, message);
        }
    }
    for field in ["hostname", "subdomain"] {
        if !spec.text(field).is_empty() {
            errors.each_of(spec, field, names::is_dns1123_label(spec.text(field)));
        }
    }
    scheduling::validate_tolerations(errors, spec.items("tolerations"), options.comparison_operators);
    for alias in spec.items("hostAliases") {
        errors.by(Rule::HostAlias, |errors| {
            let (path, ip) = (|| alias.at("ip"), alias.text("ip"));
            errors.in_words_until(30, "must be valid IP address", |errors| {
                is_valid_ip_for_legacy_field(errors, path, ip, options.profile, std::iter::empty());
            });
            for (index, hostname) in alias.texts("hostnames").enumerate() {
                let path = || alias.at("hostnames").index(index);
                errors.each(path, hostname, names::is_dns1123_subdomain(hostname));
            }
        });
    }
    if !spec.text("priorityClassName").is_empty() {
        errors.each_of(
            spec,
            "priorityClassName",
            name_is_dns_subdomain(spec.text("priorityClassName"), false),
        );
    }
    if let Some(class) = spec.given("runtimeClassName") {
        errors.each_of(spec, "runtimeClassName", name_is_dns_subdomain(class, false));
    }
    if spec.has("preemptionPolicy") {
        errors.require_one_of(spec, "preemptionPolicy", &["PreemptLowerPriority", "Never"]);
    }
}

/// Implements `validatePodHostNetworkDeps`.
fn validate_host_network(errors: &mut Errors, pod: &Pod, options: &Options) {
    if !pod.spec.flag("hostNetwork") {
        return;
    }
    for container in pod.spec.items("containers") {
        for port in container.items("ports") {
            let host = port.int("hostPort");
            if (options.resource_is_pod || host != 0) && host != port.int("containerPort") {
                if errors.since(28) {
                    let detail = "must match `containerPort` when `hostNetwork` is true";
                    errors.invalid_int(&port.at("hostPort"), host, detail);
                } else {
                    let detail = "must match `hostPort` when `hostNetwork` is true";
                    errors.invalid_int(&port.at("containerPort"), port.int("containerPort"), detail);
                }
            }
        }
    }
}

/// The first release that allows longer lists of search paths.
const EXPANDED_DNS_CONFIG: Version = Version::minor(26);
/// The number of search paths, and of characters in their list: now, and before.
const SEARCHES: (usize, usize) = (32, 2048);
const LEGACY_SEARCHES: (usize, usize) = (6, 256);

/// Returns the length of the search paths joined by spaces.
fn length_of_searches(config: &Node) -> usize {
    config.texts("searches").map(|search| search.len() + 1).sum::<usize>().saturating_sub(1)
}

/// Implements `validatePodDNSConfig`.
fn validate_dns_config(errors: &mut Errors, spec: &Node, options: &Options) {
    let config = spec.get("dnsConfig");
    if spec.text("dnsPolicy") == "None" {
        let Some(config) = &config else {
            errors.required(&spec.at("dnsConfig"), "must provide `dnsConfig` when `dnsPolicy` is None");
            return;
        };
        if config.len("nameservers") == 0 {
            let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            errors.required(&config.at("nameservers"), detail);
            return;
        }
    }
    let Some(config) = config else { return };
    let list = |errors: &mut Errors, field: &'static str, detail: &str| {
        errors.invalid_value(&config.at(field), config.raw(field), detail);
    };
    if config.len("nameservers") > 3 {
        list(errors, "nameservers", "must not have more than 3 nameservers");
    }
    for (index, server) in config.texts("nameservers").enumerate() {
        let path = || config.at("nameservers").index(index);
        errors.in_words_until(30, "must be valid IP address", |errors| {
            is_valid_ip_for_legacy_field(errors, path, server, options.profile, std::iter::empty());
        });
    }
    let (paths, characters) = if options.expanded_dns_config { SEARCHES } else { LEGACY_SEARCHES };
    if config.len("searches") > paths {
        list(errors, "searches", &format!("must not have more than {paths} search paths"));
    }
    if length_of_searches(&config) > characters {
        let detail =
            format!("must not have more than {characters} characters (including spaces) in the search list");
        list(errors, "searches", &detail);
    }
    for (index, search) in config.texts("searches").enumerate() {
        let relaxed = options.relaxed_dns_searches;
        if search != "." || !relaxed {
            let search = search.strip_suffix('.').unwrap_or(search);
            let check = if relaxed {
                names::is_dns1123_subdomain_with_underscore
            } else {
                names::is_dns1123_subdomain
            };
            let messages = check(search);
            errors.each(|| config.at("searches").index(index), search, messages);
        }
    }
    for option in config.items("options") {
        if option.text("name").is_empty() {
            errors.required(&option.here(), "must not be empty");
        }
    }
}

/// Implements `validateHostUsers`.
fn validate_host_users(errors: &mut Errors, pod: &Pod, options: &Options) {
    if pod.host_users {
        return;
    }
    let detail = "when `hostUsers` is false";
    if pod.spec.flag("hostNetwork") && !options.host_network_user_namespaces {
        errors.forbidden(&pod.spec.at("hostNetwork"), detail);
    }
    for (field, printed) in [("hostPID", "HostPID"), ("hostIPC", "HostIPC")] {
        if pod.spec.flag(field) {
            errors.forbidden(&pod.spec.at(printed), detail);
        }
    }
    if !options.volume_devices_user_namespaces {
        for container in containers_of(&pod.spec) {
            if container.len("volumeDevices") > 0 {
                errors.forbidden(&container.at("volumeDevices"), detail);
            }
        }
    }
}

/// Implements `validatePodHostName`.
fn validate_pod_host_name(errors: &mut Errors, spec: &Node) {
    let Some(name) = spec.given("hostnameOverride") else { return };
    if spec.flag("setHostnameAsFQDN") {
        let detail = "may not be specified when setHostnameAsFQDN is true";
        errors.forbidden(&spec.at("hostnameOverride"), detail);
    }
    if spec.flag("hostNetwork") {
        errors.forbidden(&spec.at("hostnameOverride"), "may not be specified when hostNetwork is true");
    }
    if name.len() > 64 {
        errors.too_long(&spec.at("hostnameOverride"), 64);
    }
    errors.each_of(spec, "hostnameOverride", names::is_dns1123_subdomain(name));
}

/// Implements `validateFileKeyRefVolumes`.
fn validate_file_key_ref_volumes(errors: &mut Errors, spec: &Node) {
    for container in containers_of(spec) {
        for variable in container.list("env").iter().enumerate() {
            let (index, variable) = (variable.0, Node::root(variable.1));
            let Some(name) =
                variable.child("valueFrom").get("fileKeyRef").map(|file| file.text("volumeName"))
            else {
                continue;
            };
            let volume =
                spec.list("volumes").iter().rev().map(Node::root).find(|volume| volume.text("name") == name);
            let path = || {
                let env = container.at("env").index(index);
                env.child("valueFrom").child("fileKeyRef").child("volumeName")
            };
            match volume {
                None => errors.not_found(&path(), name),
                Some(volume) if !volume.has("emptyDir") => {
                    errors.invalid(&path(), name, "referenced volume must be of type emptyDir");
                }
                Some(_) => {}
            }
        }
    }
}
