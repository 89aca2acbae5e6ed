//! Containers of every kind.
//!
//! Source: `validateContainers`, `validateInitContainers`, `validateEphemeralContainers`.

mod lifecycle;

use std::collections::{BTreeMap, BTreeSet};

use crate::validation::node::{Errors, Node};
use crate::validation::pod::environment::{validate_env, validate_env_from};
use crate::validation::pod::path::validate_local_descending_path;
use crate::validation::pod::security::validate_security_context;
use crate::validation::pod::volumes::{PULL_POLICIES, Volumes};
use crate::validation::pod::{Options, Pod};
use crate::validation::resources::{validate_container_resource_name, validate_resource_requirements};
use gotext::names;
use kube_api::Value;
use kube_api::field::Path;
use kube_api::version::Version;

use lifecycle::validate_lifecycle_and_probes;

/// `sets.List(supportedPortProtocols)`
pub(crate) const PORT_PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];
/// Implements `validateContainers`.
pub(crate) fn validate_containers(errors: &mut Errors, pod: &Pod, volumes: &Volumes, options: &Options) {
    if pod.spec.len("containers") == 0 {
        errors.required(&pod.spec.at("containers"), "");
        return;
    }
    let mut seen = BTreeSet::new();
    for container in pod.spec.items("containers") {
        validate_container_common(errors, &container, pod, volumes, options);
        if !seen.insert(container.text("name")) {
            errors.duplicate(&container.at("name"), container.text("name"));
        }
        validate_lifecycle_and_probes(errors, &container, pod);
        if options.container_restart_rules {
            validate_container_restart_policy(errors, &container, options);
        } else if container.has("restartPolicy") {
            errors.forbidden(&container.at("restartPolicy"), "may not be set for non-init containers");
        }
    }
    check_host_port_conflicts(errors, pod.spec.list("containers"), &pod.spec.at("containers"));
}

/// Implements `validateInitContainers`.
pub(crate) fn validate_init_containers(errors: &mut Errors, pod: &Pod, volumes: &Volumes, options: &Options) {
    let mut seen: BTreeSet<&str> =
        pod.spec.items("containers").map(|container| container.text("name")).collect();
    for container in pod.spec.items("initContainers") {
        validate_container_common(errors, &container, pod, volumes, options);
        validate_init_container_restart_policy(errors, &container, options);
        let name = container.text("name");
        if seen.contains(name) {
            errors.duplicate(&container.at("name"), name);
        } else if !name.is_empty() {
            seen.insert(name);
        }
        let alone = std::slice::from_ref(container.value());
        check_host_port_conflicts(errors, alone, &pod.spec.at("initContainers"));
        let sidecar = container.text("restartPolicy") == "Always";
        if sidecar {
            validate_lifecycle_and_probes(errors, &container, pod);
        } else {
            for field in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
                if container.has(field) {
                    let path = container.at(field);
                    match errors.release().minor {
                        ..25 => {
                            let detail = "must not be set for init containers";
                            errors.invalid_value(&path, container.raw(field), detail);
                        }
                        25..28 => errors.forbidden(&path, "may not be set for init containers"),
                        _ => errors.forbidden(
                            &path,
                            "may not be set for init containers without restartPolicy=Always",
                        ),
                    }
                }
            }
        }
        if !sidecar && !options.restart_container_for_init_container && errors.since(36) {
            for policy in container.items("resizePolicy") {
                if policy.text("restartPolicy") == "RestartContainer" {
                    let detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
                    errors.invalid(&policy.at("restartPolicy"), "RestartContainer", detail);
                }
            }
        }
    }
}

/// Implements `validateEphemeralContainers`.
pub(crate) fn validate_ephemeral_containers(
    errors: &mut Errors,
    pod: &Pod,
    volumes: &Volumes,
    options: &Options,
) {
    /// The Go names of the fields that ephemeral containers must not set, in the order of the struct.
    const FORBIDDEN: [&str; 9] = [
        "ports",
        "resources",
        "resizePolicy",
        "restartPolicy",
        "restartPolicyRules",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
        "lifecycle",
    ];
    if pod.spec.len("ephemeralContainers") == 0 {
        return;
    }
    let others: BTreeSet<&str> = ["containers", "initContainers"]
        .into_iter()
        .flat_map(|list| pod.spec.list(list))
        .map(|container| Node::root(container).text("name"))
        .collect();
    let mut seen = others.clone();
    for container in pod.spec.items("ephemeralContainers") {
        validate_container_common(errors, &container, pod, volumes, options);
        validate_container_only_for_pod(errors, &container);
        if !seen.insert(container.text("name")) {
            errors.duplicate(&container.at("name"), container.text("name"));
        }
        let target = container.text("targetContainerName");
        if !target.is_empty() && !others.contains(target) {
            errors.not_found(&container.at("targetContainerName"), target);
        }
        for field in FORBIDDEN {
            let is_set = if field == "resources" {
                container
                    .child(field)
                    .value()
                    .as_object()
                    .is_some_and(|fields| fields.values().any(|value| !value.is_null()))
            } else {
                !container.raw(field).is_null()
            };
            if is_set {
                errors.forbidden(&container.at(field), "cannot be set for an Ephemeral Container");
            }
        }
        for mount in container.items("volumeMounts") {
            for field in ["subPath", "subPathExpr"] {
                if !mount.text(field).is_empty() && errors.since(23) {
                    errors.forbidden(&mount.at(field), "cannot be set for an Ephemeral Container");
                }
            }
        }
    }
}

/// Implements `validateContainerOnlyForPod`.
pub(crate) fn validate_container_only_for_pod(errors: &mut Errors, container: &Node) {
    let image = container.text("image");
    if image.trim().len() != image.len() {
        errors.invalid(&container.at("image"), image, "must not have leading or trailing whitespace");
    }
}

/// The first release that requires a user namespace for an unmasked `/proc`.
const UNMASKED_NEEDS_USERS: Version = Version::minor(30);

fn validate_termination_message_policy(errors: &mut Errors, container: &Node) {
    const FIELD: &str = "terminationMessagePolicy";
    const POLICIES: [&str; 2] = ["File", "FallbackToLogsOnError"];
    let policy = container.text(FIELD);
    if errors.since(25) || policy.is_empty() {
        errors.require_one_of(container, FIELD, &POLICIES);
    } else if !POLICIES.contains(&policy) {
        errors.invalid(&container.at(FIELD), policy, "must be 'File' or 'FallbackToLogsOnError'");
    }
}

/// Implements `validateContainerCommon`.
fn validate_container_common(
    errors: &mut Errors,
    container: &Node,
    pod: &Pod,
    volumes: &Volumes,
    options: &Options,
) {
    if errors.require_text(container, "name") {
        errors.each_of(container, "name", names::is_dns1123_label(container.text("name")));
    }
    errors.require_text(container, "image");
    validate_termination_message_policy(errors, container);
    validate_container_ports(errors, container);
    validate_env(errors, container, options);
    validate_env_from(errors, container, options);
    validate_volume_mounts(errors, container, volumes);
    validate_volume_devices(errors, container, volumes);
    errors.require_one_of(container, "imagePullPolicy", &PULL_POLICIES);
    let resources = container.child("resources");
    validate_resource_requirements(
        errors,
        &resources,
        validate_container_resource_name,
        &pod.claims,
        options.indivisible_huge_pages,
    );
    validate_resize_policy(errors, container, pod);
    if let Some(context) = container.get("securityContext") {
        // Older releases leave the handling of an unmasked `/proc` to the kubelet.
        let host_users = pod.host_users && options.profile.release() >= UNMASKED_NEEDS_USERS;
        validate_security_context(errors, &context, host_users, options.profile);
    }
}

/// Implements `validateContainerPorts`.
fn validate_container_ports(errors: &mut Errors, container: &Node) {
    let mut seen = BTreeSet::new();
    for port in container.items("ports") {
        let name = port.text("name");
        if !name.is_empty() {
            let messages = names::is_valid_port_name(name);
            if !messages.is_empty() {
                errors.each_of(&port, "name", messages);
            } else if !seen.insert(name) {
                errors.duplicate(&port.at("name"), name);
            }
        }
        if port.int("containerPort") == 0 {
            errors.required(&port.at("containerPort"), "");
        } else {
            validate_port_number(errors, &port, "containerPort");
        }
        if port.int("hostPort") != 0 {
            validate_port_number(errors, &port, "hostPort");
        }
        errors.require_one_of(&port, "protocol", &PORT_PROTOCOLS);
    }
}

/// Checks that a number field is a port.
pub(crate) fn validate_port_number(errors: &mut Errors, node: &Node, name: &'static str) {
    for message in names::is_valid_port_num(node.int(name)) {
        errors.invalid_int(&node.at(name), node.int(name), message);
    }
}

/// Implements `ValidatePortNumOrName`.
pub(crate) fn validate_port_num_or_name(errors: &mut Errors, node: &Node, name: &'static str) {
    match node.raw(name) {
        Value::String(port) => errors.each_of(node, name, names::is_valid_port_name(port)),
        _ => validate_port_number(errors, node, name),
    }
}

/// Implements `ValidateVolumeMounts`.
pub(crate) fn validate_volume_mounts(errors: &mut Errors, container: &Node, volumes: &Volumes) {
    let devices = by_name(container, "volumeDevices", "devicePath");
    let mut seen = BTreeSet::new();
    for mount in container.items("volumeMounts") {
        let (name, path) = (mount.text("name"), mount.text("mountPath"));
        errors.require_text(&mount, "name");
        if !volumes.contains_key(name) {
            errors.not_found(&mount.at("name"), name);
        }
        errors.require_text(&mount, "mountPath");
        if !seen.insert(path) {
            errors.invalid(&mount.at("mountPath"), path, "must be unique");
        }
        if devices.contains_key(name) {
            errors.invalid(&mount.at("name"), name, "must not already exist in volumeDevices");
        }
        if devices.values().any(|device| *device == path) {
            let detail = "must not already exist as a path in volumeDevices";
            errors.invalid(&mount.at("mountPath"), path, detail);
        }
        // Upstream names the list here, not the mount.
        let list = || container.at("volumeMounts");
        if !mount.text("subPath").is_empty() {
            validate_local_descending_path(errors, mount.text("subPath"), || list().child("subPath"));
        }
        let expression = mount.text("subPathExpr");
        if !expression.is_empty() {
            if !mount.text("subPath").is_empty() {
                let detail = "subPathExpr and subPath are mutually exclusive";
                errors.invalid(&mount.at("subPathExpr"), expression, detail);
            }
            validate_local_descending_path(errors, expression, || list().child("subPathExpr"));
        }
        if mount.has("mountPropagation") {
            validate_mount_propagation(errors, &mount, container, &list().child("mountPropagation"));
        }
        validate_bind_mount_options(errors, &mount);
        if mount.has("recursiveReadOnly") {
            validate_mount_recursive_read_only(errors, &mount, &list().child("recursiveReadOnly"));
        }
    }
}

pub(crate) fn by_name<'a>(container: &Node<'a>, list: &str, value: &str) -> BTreeMap<&'a str, &'a str> {
    let items = container.list(list).iter().map(Node::root);
    items.map(|item| (item.text("name"), item.text(value))).collect()
}

/// Validates the options of a mount, which are a set.
fn validate_bind_mount_options(errors: &mut Errors, mount: &Node) {
    const OPTIONS: [&str; 3] = ["nodev", "noexec", "nosuid"];
    let mut seen = BTreeSet::new();
    for option in mount.items("bindMountOptions") {
        let text = option.value().as_str().unwrap_or_default();
        if !OPTIONS.contains(&text) {
            errors.not_supported(&option.here(), text, &OPTIONS);
        } else if !seen.insert(text) {
            errors.duplicate(&option.here(), text);
        }
    }
}

/// Implements `validateMountPropagation`.
fn validate_mount_propagation(errors: &mut Errors, mount: &Node, container: &Node, path: &Path) {
    let propagation = mount.text("mountPropagation");
    let supported = ["Bidirectional", "HostToContainer", "None"];
    if !supported.contains(&propagation) {
        errors.not_supported(path, propagation, &supported);
    }
    if propagation == "Bidirectional" && !container.child("securityContext").flag("privileged") {
        errors.forbidden(path, "Bidirectional mount propagation is available only to privileged containers");
    }
}

/// Implements `validateMountRecursiveReadOnly`.
fn validate_mount_recursive_read_only(errors: &mut Errors, mount: &Node, path: &Path) {
    match mount.text("recursiveReadOnly") {
        "Disabled" => {}
        "Enabled" | "IfPossible" => {
            if !mount.flag("readOnly") {
                errors.forbidden(path, "may only be specified when readOnly is true");
            }
            if mount.given("mountPropagation").is_some_and(|propagation| propagation != "None") {
                errors
                    .forbidden(path, "may only be specified when mountPropagation is None or not specified");
            }
        }
        other => errors.not_supported(path, other, &["Disabled", "Enabled", "IfPossible"]),
    }
}

/// Implements `ValidateVolumeDevices`.
fn validate_volume_devices(errors: &mut Errors, container: &Node, volumes: &Volumes) {
    if container.len("volumeDevices") == 0 {
        return;
    }
    let mounts = by_name(container, "volumeMounts", "mountPath");
    let (mut paths, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for device in container.items("volumeDevices") {
        let (name, path) = (device.text("name"), device.text("devicePath"));
        errors.require_text(&device, "name");
        if seen.contains(name) {
            errors.invalid(&device.at("name"), name, "must be unique");
        }
        match volumes.get(name) {
            Some(volume) if !volume.has("persistentVolumeClaim") && !volume.has("ephemeral") => {
                let detail =
                    "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                errors.invalid(&device.at("name"), name, detail);
            }
            Some(_) => {}
            None => errors.not_found(&device.at("name"), name),
        }
        errors.require_text(&device, "devicePath");
        if paths.contains(path) {
            errors.invalid(&device.at("devicePath"), path, "must be unique");
        }
        if path.split('/').any(|step| step == "..") {
            errors.invalid(&device.at("devicePath"), path, "can not contain backsteps ('..')");
        } else {
            paths.insert(path);
        }
        if mounts.contains_key(name) {
            errors.invalid(&device.at("name"), name, "must not already exist in volumeMounts");
        }
        if mounts.values().any(|mount| *mount == path) {
            let detail = "must not already exist as a path in volumeMounts";
            errors.invalid(&device.at("devicePath"), path, detail);
        }
        if !name.is_empty() {
            seen.insert(name);
        }
    }
}

/// Implements `validateResizePolicy`: upstream names the list, not the item.
fn validate_resize_policy(errors: &mut Errors, container: &Node, pod: &Pod) {
    let mut seen = BTreeSet::new();
    for policy in container.items("resizePolicy") {
        let path = container.at("resizePolicy");
        let (resource, restart) = (policy.text("resourceName"), policy.text("restartPolicy"));
        if !seen.insert(resource) {
            errors.duplicate(&policy.here(), resource);
        }
        match resource {
            "cpu" | "memory" => {}
            "" => errors.required(&path, ""),
            other => errors.not_supported(&path, other, &["cpu", "memory"]),
        }
        match restart {
            "NotRequired" | "RestartContainer" => {}
            "" => errors.required(&path, ""),
            other => errors.not_supported(&path, other, &["NotRequired", "RestartContainer"]),
        }
        if pod.spec.text("restartPolicy") == "Never" && restart != "NotRequired" {
            let whose = if errors.since(36) { "pod " } else { "" };
            errors.invalid(
                &path,
                restart,
                format!("must be 'NotRequired' when {whose}`restartPolicy` is 'Never'"),
            );
        }
    }
}

/// Implements `validateInitContainerRestartPolicy`.
fn validate_init_container_restart_policy(errors: &mut Errors, container: &Node, options: &Options) {
    let rules = container.len("restartPolicyRules");
    let Some(policy) = container.given("restartPolicy") else {
        if rules > 0 {
            let detail = "must specify restartPolicy when restart rules are used";
            errors.required(&container.at("restartPolicy"), detail);
        }
        return;
    };
    if !options.container_restart_rules {
        errors.one_of(container, "restartPolicy", &["Always"]);
    } else if policy != "Always" || options.restart_all_containers {
        validate_container_restart_policy(errors, container, options);
    } else if rules > 0 {
        let detail = "restartPolicyRules are not allowed for init containers with restart policy Always";
        errors.forbidden(&container.at("restartPolicyRules"), detail);
    }
}

/// Implements `validateContainerRestartPolicy`.
fn validate_container_restart_policy(errors: &mut Errors, container: &Node, options: &Options) {
    let rules = container.len("restartPolicyRules");
    if !container.has("restartPolicy") {
        if rules == 0 {
            return;
        }
        let detail = "must specify restartPolicy when restart rules are used";
        errors.required(&container.at("restartPolicy"), detail);
    }
    errors.optional_one_of(container, "restartPolicy", &["Always", "Never", "OnFailure"]);
    if rules > 20 {
        errors.too_many(&container.at("restartPolicyRules"), rules, 20);
    }
    let actions: &[&str] =
        if options.restart_all_containers { &["Restart", "RestartAllContainers"] } else { &["Restart"] };
    for rule in container.items("restartPolicyRules") {
        errors.one_of(&rule, "action", actions);
        let Some(codes) = rule.get("exitCodes") else {
            errors.required(&rule.at("exitCodes"), "must be specified");
            continue;
        };
        errors.one_of(&codes, "operator", &["In", "NotIn"]);
        if codes.len("values") > 255 {
            errors.too_many(&codes.at("values"), codes.len("values"), 255);
        }
    }
}

/// Implements `checkHostPortConflicts`.
fn check_host_port_conflicts(errors: &mut Errors, containers: &[Value], path: &Path) {
    let mut seen = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        for (port_index, port) in Node::root(container).list("ports").iter().enumerate() {
            let port = Node::root(port);
            if port.int("hostPort") == 0 {
                continue;
            }
            let key = format!("{}/{}/{}", port.text("protocol"), port.text("hostIP"), port.int("hostPort"));
            if seen.contains(&key) {
                let path = path.index(index).child("ports").index(port_index).child("hostPort");
                errors.duplicate(&path, &key);
            } else {
                seen.insert(key);
            }
        }
    }
}
