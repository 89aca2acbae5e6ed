//! The status of a pod, which its kubelet writes.
//!
//! Source: `ValidatePodStatusUpdate`.

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::core::pod::preparation::KEEPS_QUALITY;
use crate::core::pod::update::{options, validate_annotation_updates};
use crate::validation::address::is_valid_ip_for_legacy_field;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::validation::pod::Options;
use crate::validation::resources::{is_native_resource, quantity};
use gotext::names;
use gotext::net::parse_ip_sloppy;
use kube_api::features::Feature;
use kube_api::field::{Error, ErrorType, Path};
use kube_api::server_profile::ServerProfile;
use kube_api::{Value, internal_json};

const NOT_NEGATIVE: &str = "must be a non-negative integer";
const HEALTH: [&str; 3] = ["Healthy", "Unhealthy", "Unknown"];
/// Each list of container statuses, and the list of containers that it is about.
const STATUSES: [(&str, &str); 3] = [
    ("containerStatuses", "containers"),
    ("initContainerStatuses", "initContainers"),
    ("ephemeralContainerStatuses", "ephemeralContainers"),
];

/// Implements `ValidatePodStatusUpdate`.
pub(crate) fn validate_pod_status_update(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
    profile: &ServerProfile,
) {
    let options = options(old, profile);
    validate_object_meta_update(errors, object, old);
    validate_annotation_updates(errors, object, old, &options);
    let (status, before) = (object.child("status"), old.child("status"));
    let (spec, old_spec) = (object.child("spec"), old.child("spec"));
    validate_conditions(errors, &status);
    validate_node_names(errors, &status, &before, [&spec, &old_spec], profile);
    if status.int("observedGeneration") < 0 {
        errors.invalid_int(&status.at("observedGeneration"), status.int("observedGeneration"), NOT_NEGATIVE);
    }
    let is_compared = profile.release() >= KEEPS_QUALITY;
    if is_compared && status.text("qosClass") != before.text("qosClass") {
        errors.invalid(&status.at("qosClass"), status.text("qosClass"), IMMUTABLE);
    }
    for (list, containers) in STATUSES {
        validate_state_transitions(errors, [&status, &before], &old_spec, (list, containers), &options);
    }
    validate_resource_claim_statuses(errors, &status, &spec);
    validate_extended_resource_claim_status(errors, &status, &spec);
    validate_node_allocatable_claims(errors, &status, &spec);
    validate_ips(errors, &status, &before, ("podIPs", "internal.PodIP"), profile);
    if status.len("hostIPs") > 0 {
        let first = Node::root(&status.list("hostIPs")[0]).text("ip");
        if status.text("hostIP") != first {
            let path = status.at("hostIPs").index(0).child("ip");
            errors.invalid(&path, first, "must be equal to `hostIP`");
        }
        validate_ips(errors, &status, &before, ("hostIPs", "internal.HostIP"), profile);
    }
    let system = spec.child("os").given("name").unwrap_or("linux");
    for (list, _) in STATUSES {
        status.items(list).for_each(|container| validate_user(errors, &container, system));
    }
    for (list, containers) in &STATUSES[..2] {
        for container in status.items(list) {
            validate_allocated_resources(errors, &container, spec.list(containers));
        }
    }
    for container in status.items("ephemeralContainerStatuses") {
        if container.len("allocatedResourcesStatus") > 0 {
            let detail = "must not be specified in container status";
            errors.forbidden(&container.at("allocatedResourcesStatus"), detail);
        }
    }
    if profile.enabled(Feature::ImageVolumeWithDigest) {
        for mount in
            STATUSES.iter().flat_map(|(list, _)| status.items(list)).flat_map(|it| it.items("volumeMounts"))
        {
            validate_volume_status(errors, &mount.child("volumeStatus"));
        }
    }
}

/// Implements `validatePodConditions`.
pub(crate) fn validate_conditions(errors: &mut Errors, status: &Node) {
    for (index, condition) in status.items("conditions").enumerate() {
        let generation = condition.int("observedGeneration");
        if generation < 0 {
            errors.invalid_int(&condition.at("observedGeneration"), generation, NOT_NEGATIVE);
        }
        let kind = condition.text("type");
        if !["PodScheduled", "Ready", "Initialized"].contains(&kind) {
            let path = if errors.since(33) {
                condition.at("Type")
            } else {
                Path::new("metadata").child("conditions").index(index).child("Type")
            };
            errors.each(|| path, kind, names::is_qualified_name(kind));
        }
    }
}

fn validate_node_names(
    errors: &mut Errors,
    status: &Node,
    before: &Node,
    [spec, old_spec]: [&Node; 2],
    profile: &ServerProfile,
) {
    let node = old_spec.text("nodeName");
    if spec.text("nodeName") != node {
        errors.forbidden(&status.at("nodeName"), "may not be changed directly");
    }
    let nominated = status.text("nominatedNodeName");
    if nominated.is_empty() || nominated == before.text("nominatedNodeName") {
        return;
    }
    errors.each_of(status, "nominatedNodeName", name_is_dns_subdomain(nominated, false));
    if !node.is_empty() && profile.enabled(Feature::ClearingNominatedNodeNameAfterBinding) {
        let detail = "may not be set on pods that are already bound to a node";
        errors.forbidden(&status.at("nominatedNodeName"), detail);
    }
}

/// Checks that a terminated container stays so, unless it is to be restarted.
///
/// Source: `ValidateContainerStateTransition`, `ValidateInitContainerStateTransition`,
/// `ValidateEphemeralContainerStateTransition`.
fn validate_state_transitions(
    errors: &mut Errors,
    [status, before]: [&Node; 2],
    spec: &Node,
    (list, containers): (&'static str, &'static str),
    options: &Options,
) {
    let ephemeral = containers == "ephemeralContainers";
    if !ephemeral && may_restart_all(spec, options) {
        return;
    }
    for (index, old) in before.list(list).iter().map(Node::root).enumerate() {
        let Some(ended) = old.child("state").get("terminated") else { continue };
        let name = old.text("name");
        let mut revived = status
            .items(list)
            .filter(|status| status.text("name") == name && !status.child("state").has("terminated"));
        let container =
            spec.list(containers).iter().map(Node::root).find(|container| container.text("name") == name);
        let allowed = match container {
            _ if ephemeral => false,
            container if options.container_restart_rules => container
                .is_some_and(|container| should_restart(&container, spec, ended.int("exitCode"), options)),
            container => {
                let sidecar = containers == "initContainers"
                    && container.is_some_and(|container| container.text("restartPolicy") == "Always");
                sidecar || pod_restarts(spec, ended.int("exitCode"))
            }
        };
        if !allowed && revived.next().is_some() {
            let path = status.at(list).index(index).child("state");
            errors.forbidden(&path, "may not be transitioned to non-terminated state");
        }
    }
}

/// Implements `AllContainersCouldRestart`.
fn may_restart_all(spec: &Node, options: &Options) -> bool {
    options.container_restart_rules
        && options.restart_all_containers
        && spec.items("initContainers").chain(spec.items("containers")).any(|container| {
            container.list("restartPolicyRules").iter().any(|rule| rule["action"] == "RestartAllContainers")
        })
}

fn pod_restarts(spec: &Node, exit_code: i64) -> bool {
    match spec.text("restartPolicy") {
        "OnFailure" => exit_code != 0,
        "Never" => false,
        _ => true,
    }
}

/// Implements `ContainerShouldRestart`.
fn should_restart(container: &Node, spec: &Node, exit_code: i64, options: &Options) -> bool {
    let matching = |rule: &Node| {
        let codes = rule.child("exitCodes");
        let listed = codes.list("values").contains(&Value::from(exit_code));
        match codes.text("operator") {
            "In" => listed,
            "NotIn" => !listed,
            _ => false,
        }
    };
    let Some(policy) = container.given("restartPolicy") else { return pod_restarts(spec, exit_code) };
    let rule = container.items("restartPolicyRules").find(matching);
    match rule.as_ref().map(|rule| rule.text("action")) {
        Some("Restart") => return true,
        Some("RestartAllContainers")
            if options.profile.enabled(Feature::RestartAllContainersOnContainerExits) =>
        {
            return true;
        }
        _ => {}
    }
    match policy {
        "Always" => true,
        "OnFailure" => exit_code != 0,
        "Never" => false,
        _ => pod_restarts(spec, exit_code),
    }
}

/// Implements `validatePodResourceClaimStatuses`.
fn validate_resource_claim_statuses(errors: &mut Errors, status: &Node, spec: &Node) {
    let mut seen = BTreeSet::new();
    for claim in status.items("resourceClaimStatuses") {
        let name = claim.text("name");
        if !spec.list("resourceClaims").iter().any(|known| Node::root(known).text("name") == name) {
            let detail = "must match the name of an entry in `spec.resourceClaims`";
            errors.invalid(&claim.at("name"), name, detail);
        }
        if !seen.insert(name) {
            errors.duplicate(&claim.at("name"), name);
        }
        if let Some(name) = claim.given("resourceClaimName") {
            errors.each_of(&claim, "resourceClaimName", name_is_dns_subdomain(name, false));
        }
    }
}

/// Implements `validatePodExtendedResourceClaimStatus`.
fn validate_extended_resource_claim_status(errors: &mut Errors, status: &Node, spec: &Node) {
    let Some(claim) = status.get("extendedResourceClaimStatus") else { return };
    if claim.len("requestMappings") == 0 {
        errors.required(&claim.at("requestMappings"), "at least one request mapping is required");
    }
    let mut seen = BTreeSet::new();
    for mapping in claim.items("requestMappings") {
        let (container, resource) = (mapping.text("containerName"), mapping.text("resourceName"));
        let mut known = spec.list("containers").iter().chain(spec.list("initContainers")).map(Node::root);
        match known.find(|known| known.text("name") == container) {
            None => {
                let detail =
                    "must match the name of an entry in spec.initContainers.name or spec.containers.name";
                errors.invalid(&mapping.at("containerName"), container, detail);
            }
            Some(known) if known.child("resources").raw("requests").get(resource).is_none() => {
                let detail = "must match the extended resource name of an entry in \
                              spec.initContainers.resources.requests or spec.containers.resources.requests";
                errors.invalid(&mapping.at("resourceName"), resource, detail);
            }
            Some(_) => {}
        }
        let request = mapping.text("requestName");
        errors.each(|| claim.at("requestName"), request, names::is_dns1123_label(request));
        if !seen.insert([container, resource, request]) {
            for field in ["containerName", "resourceName", "requestName"] {
                errors.duplicate(&mapping.at(field), mapping.text(field));
            }
        }
    }
    if errors.require_text(&claim, "resourceClaimName") {
        let messages = name_is_dns_subdomain(claim.text("resourceClaimName"), false);
        errors.each_of(&claim, "resourceClaimName", messages);
    }
}

/// Implements `validateNodeAllocatableResourceClaimStatus`.
fn validate_node_allocatable_claims(errors: &mut Errors, status: &Node, spec: &Node) {
    for claim in status.items("nodeAllocatableResourceClaimStatuses") {
        let name = claim.text("resourceClaimName");
        if name.is_empty() {
            errors.required(&claim.at("resourceClaimName"), "must not be empty");
        }
        let mut known = spec.list("resourceClaims").iter().chain(status.list("resourceClaimStatuses"));
        if !known.any(|known| Node::root(known).given("resourceClaimName") == Some(name)) {
            let detail = "no mapping found in pod reference";
            errors.invalid(&claim.at("resourceClaimName"), name, detail);
        }
        for list in ["containers", "resources"] {
            if claim.len(list) == 0 {
                errors.required(&claim.at(list), "must not be empty");
            }
        }
        for (resource, amount) in claim.entries("resources") {
            let path = claim.at("resources").key(resource);
            if !is_native_resource(resource) {
                errors.invalid(&path, resource, "must be a node allocatable resource name");
            }
            let amount = quantity(amount);
            if amount.sign() < 0 {
                errors.invalid(&path, &amount.canonical(), "must be non-negative");
            }
        }
    }
}

/// Implements `validatePodIPs`, `validateHostIPs`: addresses, two at most, one per family.
fn validate_ips(
    errors: &mut Errors,
    status: &Node,
    before: &Node,
    (list, name): (&'static str, &'static str),
    profile: &ServerProfile,
) {
    /// The minor of the first release in which invalid addresses may stay, and repeated ones are not reported as such.
    const LENIENT: u32 = 33;
    let texts = |status: &Node<'_>| -> Vec<String> {
        status.list(list).iter().map(|entry| Node::root(entry).text("ip").to_owned()).collect()
    };
    let ips = texts(status);
    let existing = if errors.since(LENIENT) { texts(before) } else { Vec::new() };
    for (index, ip) in ips.iter().enumerate() {
        let path = || status.at(list).index(index);
        is_valid_ip_for_legacy_field(errors, path, ip, profile, existing.iter().map(String::as_str));
    }
    if ips.len() < 2 {
        return;
    }
    let path = status.at(list);
    let repeated: Vec<Error> = (1..ips.len())
        .filter(|index| !errors.since(LENIENT) && ips[..*index].contains(&ips[*index]))
        .map(|index| Error::duplicate_typed(&path.index(index), name, &status.list(list)[index]))
        .collect();
    let (first, last) = if list == "hostIPs" { (repeated, Vec::new()) } else { (Vec::new(), repeated) };
    errors.0.extend(first);
    let parsed: Vec<Option<IpAddr>> = ips.iter().map(|ip| parse_ip_sloppy(ip)).collect();
    let unreadable = parsed.iter().position(Option::is_none);
    if let Some(index) = unreadable {
        let detail = format!("failed to check for dual stack with error:invalid IP[{index}]: {}", ips[index]);
        errors.push(internal_error(&path, detail));
    }
    let families: BTreeSet<bool> =
        parsed.into_iter().flatten().map(|ip| ip.to_canonical().is_ipv6()).collect();
    if unreadable.is_some() || families.len() < 2 || ips.len() > 2 {
        let printed: Vec<_> =
            status.list(list).iter().map(|entry| internal_json::compact(name, entry)).collect();
        let detail = "may specify no more than one IP for each IP family";
        let error = Error::invalid_printed(&path, format!("[{}]", printed.join(",")), detail);
        errors.push(error.about(None, status.raw(list)));
    }
    errors.0.extend(last);
}

fn internal_error(path: &Path, detail: String) -> Error {
    let mut error = Error::invalid_omitted(path, detail);
    error.error_type = ErrorType::Internal;
    error
}

/// Implements `validateContainerStatusUsers`.
fn validate_user(errors: &mut Errors, container: &Node, system: &str) {
    let Some(linux) = container.child("user").get("linux") else { return };
    match system {
        "windows" => errors.forbidden(&linux.here(), "cannot be set for a windows pod"),
        "linux" => {
            for message in names::is_valid_user_id(linux.int("uid")) {
                errors.invalid_int(&linux.at("uid"), linux.int("uid"), message);
            }
            for message in names::is_valid_user_id(linux.int("gid")) {
                errors.invalid_int(&linux.at("gid"), linux.int("gid"), message);
            }
            for (index, group) in linux.list("supplementalGroups").iter().enumerate() {
                let group = group.as_i64().unwrap_or_default();
                for message in names::is_valid_user_id(group) {
                    errors.invalid_int(&linux.at("supplementalGroups").index(index), group, message);
                }
            }
        }
        _ => {}
    }
}

/// Implements `validateContainerStatusAllocatedResourcesStatus` for one container.
fn validate_allocated_resources(errors: &mut Errors, status: &Node, containers: &[Value]) {
    let mut containers = containers.iter().map(Node::root);
    let container = containers.find(|container| container.text("name") == status.text("name"));
    for allocated in status.items("allocatedResourcesStatus") {
        let name = allocated.text("name");
        if let Some(container) = &container {
            let resources = container.child("resources");
            let (known, detail) = if name.starts_with("claim:") {
                let claims = resources.list("claims").iter().map(Node::root);
                let mut keys = claims.map(|claim| match claim.text("request") {
                    "" => format!("claim:{}", claim.text("name")),
                    request => format!("claim:{}/{request}", claim.text("name")),
                });
                let detail = "must match one of the container's resource claims in a format \
                              'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
                (keys.any(|key| key == name), detail)
            } else {
                let known = resources.raw("requests").get(name).is_some();
                (known, "must match one of the container's resource requests")
            };
            if !known {
                errors.invalid(&allocated.at("name"), name, detail);
            }
        }
        let mut seen = BTreeSet::new();
        for resource in allocated.items("resources") {
            errors.one_of(&resource, "health", &HEALTH);
            match resource.given("message").map(str::len) {
                Some(0) => errors.required(&resource.at("message"), "must be non-empty if specified"),
                Some(1025..) => errors.too_long(&resource.at("message"), 1024),
                _ => {}
            }
            if !seen.insert(resource.text("resourceID")) {
                errors.duplicate(&resource.at("resourceID"), resource.text("resourceID"));
            }
        }
    }
}

/// Implements `validateVolumeStatus`.
fn validate_volume_status(errors: &mut Errors, volume: &Node) {
    if let Some(image) = volume.get("image") {
        // Upstream names the field as its type.
        let path = volume.at("imageVolumeStatus").child("imageRef");
        match image.text("imageRef").len() {
            0 => errors.required(&path, "imageRef must not be empty"),
            257.. => errors.too_long(&path, 256),
            _ => {}
        }
    }
}
