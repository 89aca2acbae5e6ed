//! The status of a claim: what was allocated, for whom, and what drivers say about the devices.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/resource/validation`, `k8s.io/kubernetes/pkg/registry/resource`.

use crate::strategy::Context;
use crate::validation::condition::validate_conditions_of;
use crate::validation::devices::slice::validate_binding_conditions;
use crate::validation::devices::{
    ADMIN_ACCESS_LABEL, MAX_CONFIGURATIONS, MAX_REQUESTS, RequestNames, request_names,
    validate_csi_driver_name, validate_device_configuration, validate_list, validate_pool_name,
    validate_raw_extension, validate_request_reference, validate_request_references,
};
use crate::validation::equal::semantically_equal;
use crate::validation::metadata::validate_object_meta_update;
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::validation::pod::validate_node_selector;
use gotext::encoding_json;
use gotext::names;
use gotext::net::{parse_cidr_sloppy, parse_ip_sloppy};
use gotext::quote;
use kube_api::{Map, Value};

const MAX_CONSUMERS: usize = 256;

const MAX_CONDITIONS: usize = 8;

const MAX_ADDRESSES: usize = 16;

const MAX_INTERFACE_NAME: usize = 256;

const MAX_HARDWARE_ADDRESS: usize = 128;

/// What distinguishes one allocated device from another: driver, pool, device, share.
type DeviceId<'a> = [&'a str; 4];

fn device_id(device: &Map) -> DeviceId<'_> {
    ["driver", "pool", "device", "shareID"].map(|field| device.text(field))
}

/// Returns `id` as Go prints it, in the order of its fields.
fn printed([driver, pool, device, share]: DeviceId<'_>) -> String {
    let quoted = |text: &str| encoding_json::to_string(&Value::from(text));
    format!(
        "{{\"Driver\":{},\"Pool\":{},\"Device\":{},\"ShareID\":{}}}",
        quoted(driver),
        quoted(pool),
        quoted(device),
        quoted(share)
    )
}

fn results(claim: &Map) -> impl Iterator<Item = &Map> {
    claim.list(["status", "allocation", "devices", "results"]).iter().filter_map(Value::as_object)
}

/// Removes what drivers said about devices that the claim has no longer.
///
/// Source: `dropDeallocatedStatusDevices`
pub(crate) fn drop_deallocated_devices(claim: &mut Map, old: &Map) {
    let allocated: Vec<_> = results(claim).map(|result| device_id(result).map(str::to_owned)).collect();
    let before: Vec<_> = results(old).map(|result| device_id(result).map(str::to_owned)).collect();
    let Some(Value::Object(status)) = claim.get_mut("status") else { return };
    let is_gone = |device: &Map| {
        let id = device_id(device).map(str::to_owned);
        before.contains(&id) && !allocated.contains(&id)
    };
    if !status.items("devices").any(is_gone) {
        return;
    }
    let kept = status.items("devices").filter(|device| !is_gone(device));
    let kept: Vec<Value> = kept.map(|device| device.clone().into()).collect();
    if kept.is_empty() {
        status.remove("devices");
    } else {
        status.insert("devices", kept.into());
    }
}

/// Implements `AuthorizedForAdminStatus`.
pub(crate) fn validate_admin_access_of_status(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
    context: &Context<'_>,
) {
    let requested = |claim: &Node| {
        let devices = claim.child("status").child("allocation").child("devices");
        devices
            .items("results")
            .find(|result| result.flag("adminAccess"))
            .map(|result| result.at("adminAccess"))
    };
    let Some(path) = requested(object).filter(|_| requested(old).is_none()) else { return };
    if context.request().namespace.and_then(|namespace| namespace.label(ADMIN_ACCESS_LABEL)) != Some("true") {
        let detail = format!(
            "admin access to devices requires the `{ADMIN_ACCESS_LABEL}: true` label on the containing namespace"
        );
        errors.forbidden(&path, detail);
    }
}

/// Implements `ValidateResourceClaimStatusUpdate`.
pub(crate) fn validate_claim_status(errors: &mut Errors, object: &Node, old: &Node) {
    validate_object_meta_update(errors, object, old);
    let names = request_names(&object.child("spec").child("devices"));
    let (status, old_status) = (object.child("status"), old.child("status"));
    validate_consumers(errors, &status);
    validate_device_statuses(errors, &status);
    let is_deleted = object.child("metadata").has("deletionTimestamp");
    if status.len("reservedFor") > 0 {
        let path = || status.at("reservedFor");
        if !status.has("allocation") {
            errors.forbidden(&path(), "may not be specified when `allocated` is not set");
        } else if is_deleted
            && status.list("reservedFor").iter().any(|new| !old_status.list("reservedFor").contains(new))
        {
            let detail =
                "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
            errors.forbidden(&path(), detail);
        }
    }
    match (status.get("allocation"), old_status.get("allocation")) {
        (Some(new), Some(old)) => {
            const TYPE: &str = "resource/v1.AllocationResult";
            if !semantically_equal(TYPE, new.value(), old.value()) {
                errors.invalid_internal(&new.here(), TYPE, new.value(), IMMUTABLE);
            }
        }
        (Some(new), None) => validate_allocation(errors, &new, &names),
        (None, _) => {}
    }
}

fn validate_consumers(errors: &mut Errors, status: &Node) {
    validate_list(errors, status, "reservedFor", MAX_CONSUMERS, |errors, consumer| {
        for field in ["resource", "name", "uid"] {
            errors.require_text(consumer, field);
        }
    });
    if status.len("reservedFor") > MAX_CONSUMERS {
        return;
    }
    let mut seen = Vec::new();
    for consumer in status.items("reservedFor") {
        if seen.contains(&consumer.text("uid")) {
            let path = if errors.since(35) { consumer.here() } else { consumer.at("uid") };
            errors.duplicate(&path, consumer.text("uid"));
        }
        seen.push(consumer.text("uid"));
    }
}

/// The name of a device as 1.34 prints it, whose parts had no public fields.
const UNPRINTABLE: &str = r#"{"Driver":{},"Pool":{},"Device":{},"ShareID":{}}"#;

fn validate_device_statuses(errors: &mut Errors, status: &Node) {
    let allocated = status.child("allocation").child("devices");
    let allocated: Vec<_> =
        allocated.list("results").iter().filter_map(Value::as_object).map(device_id).collect();
    for device in status.items("devices") {
        let Some(map) = device.value().as_object() else { continue };
        let id = device_id(map);
        validate_csi_driver_name(errors, &device, "driver");
        validate_pool_name(errors, &device, "pool");
        errors.each_of(&device, "device", names::is_dns1123_label(device.text("device")));
        validate_share(errors, &device);
        if !allocated.contains(&id) {
            let printed = if errors.since(35) { printed(id) } else { UNPRINTABLE.to_owned() };
            errors.invalid_printed(&device.here(), printed, "must be an allocated device in the claim");
        }
        if device.len("conditions") > MAX_CONDITIONS {
            errors.too_many(&device.at("conditions"), device.len("conditions"), MAX_CONDITIONS);
        }
        validate_conditions_of(errors, &device);
        if device.has("data") {
            validate_raw_extension(errors, &device, "data", false);
        }
        if let Some(network) = device.get("networkData") {
            validate_network_data(errors, &network);
        }
    }
    let mut seen = Vec::new();
    for device in status.items("devices") {
        let Some(id) = device.value().as_object().map(device_id) else { continue };
        if seen.contains(&id) {
            if errors.since(35) {
                errors.duplicate_printed(&device.here(), printed(id));
            } else {
                errors.duplicate_printed(&device.at("deviceID"), UNPRINTABLE.to_owned());
            }
        }
        seen.push(id);
    }
}

/// Implements `validateNetworkDeviceData`.
fn validate_network_data(errors: &mut Errors, network: &Node) {
    for (field, most) in [("interfaceName", MAX_INTERFACE_NAME), ("hardwareAddress", MAX_HARDWARE_ADDRESS)] {
        if network.text(field).len() > most {
            errors.too_long(&network.at(field), most);
        }
    }
    let addresses: Vec<&str> = network.texts("ips").collect();
    if addresses.len() > MAX_ADDRESSES {
        return errors.too_many(&network.at("ips"), addresses.len(), MAX_ADDRESSES);
    }
    let path = |index: usize| network.at("ips").index(index);
    for (index, address) in addresses.iter().enumerate() {
        match canonical_address(address) {
            None => {
                let detail = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
                errors.invalid(&path(index), address, detail);
            }
            Some(canonical) if canonical != *address => {
                let detail = format!("must be in canonical form ({})", quote(&canonical));
                errors.invalid(&path(index), address, detail);
            }
            Some(_) => {}
        }
    }
    for (index, address) in addresses.iter().enumerate() {
        if addresses[..index].contains(address) {
            errors.duplicate(&path(index), address);
        }
    }
}

/// Returns the canonical form of an address with its prefix.
///
/// Source: `IsValidInterfaceAddress`
fn canonical_address(text: &str) -> Option<String> {
    let cidr = parse_cidr_sloppy(text)?;
    let address = parse_ip_sloppy(text.split_once('/')?.0)?.to_canonical();
    let prefix = i16::from(cidr.prefix);
    let prefix = if address.is_ipv4() && prefix > 32 { prefix - 96 } else { prefix };
    Some(format!("{address}/{prefix}"))
}

/// Implements `validateAllocationResult`.
fn validate_allocation(errors: &mut Errors, allocation: &Node, names: &RequestNames) {
    let devices = allocation.child("devices");
    validate_list(errors, &devices, "results", MAX_REQUESTS, |errors, result| {
        validate_request_reference(errors, result.text("request"), || result.at("request"), names);
        validate_csi_driver_name(errors, result, "driver");
        validate_pool_name(errors, result, "pool");
        errors.each_of(result, "device", names::is_dns1123_label(result.text("device")));
        validate_binding_conditions(errors, result);
        validate_share(errors, result);
    });
    validate_list(errors, &devices, "config", 2 * MAX_CONFIGURATIONS, |errors, config| {
        errors.require_one_of(config, "source", &["FromClaim", "FromClass"]);
        validate_request_references(errors, config, names);
        validate_device_configuration(errors, config, false);
    });
    if let Some(selector) = allocation.get("nodeSelector") {
        validate_node_selector(errors, &selector, false);
    }
}

fn validate_share(errors: &mut Errors, device: &Node) {
    let Some(share) = device.given("shareID") else { return };
    if let Some(error) = uuid_error(share) {
        errors.invalid(&device.at("shareID"), share, format!("error validating uid: {error}"));
    } else if share.len() != 36 || share.chars().any(|character| character.is_ascii_uppercase()) {
        let detail = "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase \
                      hexadecimal characters";
        errors.invalid(&device.at("shareID"), share, detail);
    }
}

/// Returns why `text` is not a UUID in any of its notations.
///
/// Source: `Validate` of `github.com/google/uuid`
fn uuid_error(text: &str) -> Option<String> {
    const FORMAT: &str = "invalid UUID format";
    let is_hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let inner = match text.len() {
        32 => return (!is_hexadecimal(text)).then(|| FORMAT.to_owned()),
        36 => text,
        38 => match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(inner) => inner,
            None => return Some("invalid bracketed UUID format".to_owned()),
        },
        45 => match text.split_at_checked(9) {
            Some((prefix, inner)) if prefix.eq_ignore_ascii_case("urn:uuid:") => inner,
            prefixed => {
                return Some(format!(
                    "invalid urn prefix: {}",
                    quote(prefixed.map_or(text, |(prefix, _)| prefix))
                ));
            }
        },
        length => return Some(format!("invalid UUID length: {length}")),
    };
    let lengths: Vec<usize> = inner.split('-').map(str::len).collect();
    let is_valid = lengths == [8, 4, 4, 4, 12] && inner.split('-').all(is_hexadecimal);
    (!is_valid).then(|| FORMAT.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::of;
    use gotext::value::json;
    use kube_api::server_profile::ServerProfile;
    use kube_api::{GroupVersionKind, Object};

    fn claim(status: &Value) -> Object {
        let kind = GroupVersionKind::new("resource.k8s.io", "v1", "ResourceClaim");
        let request = json!({"name": "gpu", "exactly": {"deviceClassName": "gpu", "allocationMode": "All"}});
        let metadata = json!({"name": "gpu", "namespace": "shop", "resourceVersion": "1"});
        let spec = json!({"devices": {"requests": [request]}});
        Object::new(kind, json!({"metadata": metadata, "spec": spec, "status": status}))
    }

    fn errors(old: &Value, new: &Value) -> Vec<String> {
        let (object, old) = (claim(new), claim(old));
        let profile = ServerProfile::default();
        let context = Context::new(&profile);
        let errors = of(&object.kind).unwrap().validate_update(&object, &old, "status", &context);
        errors.iter().map(ToString::to_string).collect()
    }

    fn allocation(device: &str) -> Value {
        let result =
            json!({"request": "gpu", "driver": "gpu.example.com", "pool": "node-1", "device": device});
        json!({"devices": {"results": [result]}})
    }

    #[test]
    fn admits_an_allocation_and_what_the_driver_says() {
        let device = json!({"driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0",
                            "networkData": {"ips": ["10.9.8.7/24"]}});
        let consumer = json!({"resource": "pods", "name": "web", "uid": "1"});
        let status =
            json!({"allocation": allocation("gpu-0"), "reservedFor": [consumer], "devices": [device]});
        assert_eq!(errors(&json!({}), &status), [""; 0]);
        assert_eq!(errors(&status, &json!({})), [""; 0]);
    }

    #[test]
    fn rejects_another_allocation() {
        let errors =
            errors(&json!({"allocation": allocation("gpu-0")}), &json!({"allocation": allocation("gpu-1")}));
        assert_eq!(errors.len(), 1);
        assert!(errors[0].starts_with("status.allocation: Invalid value: {"), "{}", errors[0]);
        assert!(errors[0].ends_with(": field is immutable"), "{}", errors[0]);
    }

    #[test]
    fn rejects_consumers_of_nothing_and_devices_that_are_not_allocated() {
        let device = json!({"driver": "gpu.example.com", "pool": "node-1", "device": "gpu-9"});
        let status = json!({
            "reservedFor": [{"resource": "pods", "name": "web", "uid": "1"}, {"resource": "pods", "uid": "1"}],
            "devices": [device],
        });
        assert_eq!(
            errors(&json!({}), &status),
            [
                "status.reservedFor[1].name: Required value",
                "status.reservedFor[1]: Duplicate value: \"1\"",
                "status.devices[0]: Invalid value: {\"Driver\":\"gpu.example.com\",\"Pool\":\"node-1\",\
                 \"Device\":\"gpu-9\",\"ShareID\":\"\"}: must be an allocated device in the claim",
                "status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
            ]
        );
    }

    #[test]
    fn rejects_results_for_other_requests() {
        let mut allocation = allocation("GPU");
        let result = &mut allocation["devices"]["results"][0];
        result["request"] = "disk".into();
        result["shareID"] = "1".into();
        result["adminAccess"] = true.into();
        allocation["devices"]["config"] = json!([{"source": "FromPod"}]);
        assert_eq!(
            errors(&json!({}), &json!({"allocation": allocation})),
            [
                "status.allocation.devices.results[0].adminAccess: Forbidden: admin access to devices requires the \
                 `resource.kubernetes.io/admin-access: true` label on the containing namespace",
                "status.allocation.devices.results[0].request: Invalid value: \"disk\": must be the name of a request \
                 in the claim or the name of a request and a subrequest separated by '/'",
                "status.allocation.devices.results[0].device: Invalid value: \"GPU\": a lowercase RFC 1123 label must \
                 consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric \
                 character (e.g. 'my-name',  or '123-abc', regex used for validation is \
                 '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
                "status.allocation.devices.results[0].shareID: Invalid value: \"1\": error validating uid: invalid UUID \
                 length: 1",
                "status.allocation.devices.config[0].source: Unsupported value: \"FromPod\": supported values: \
                 \"FromClaim\", \"FromClass\"",
                "status.allocation.devices.config[0].opaque: Required value",
            ]
        );
    }

    #[test]
    fn forgets_devices_that_were_given_back() {
        let device = |name: &str| json!({"driver": "gpu.example.com", "pool": "node-1", "device": name});
        let old = claim(&json!({"allocation": allocation("gpu-0"), "devices": [device("gpu-0")]}));
        let mut new = claim(&json!({"devices": [device("gpu-0"), device("gpu-1")]}));
        drop_deallocated_devices(new.value.as_object_mut().unwrap(), old.value.as_object().unwrap());
        assert_eq!(new.value["status"], json!({"devices": [device("gpu-1")]}));
    }

    #[test]
    fn rejects_addresses_in_other_notations() {
        let network = json!({"ips": ["10.9.8.7", "2001:DB8::1/64"]});
        let mut errors = Errors::default();
        validate_network_data(&mut errors, &Node::root(&network));
        let errors: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
        assert_eq!(
            errors,
            [
                "ips[0]: Invalid value: \"10.9.8.7\": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or \
                 2001:db8::1/64)",
                "ips[1]: Invalid value: \"2001:DB8::1/64\": must be in canonical form (\"2001:db8::1/64\")",
            ]
        );
    }
}
