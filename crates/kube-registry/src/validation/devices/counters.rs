//! Counters of devices before 1.35: limits on their totals, and references to sets within the same slice.
//!
//! Source: `validateResourceSliceSpec`, `validateDevice`

use crate::validation::node::{Errors, Node};
use kube_api::Value;

const MAX_COUNTERS_OF_DEVICE: usize = 32;
const MAX_COUNTERS_OF_DEVICES: usize = 1024;
const MAX_SHARED_COUNTERS: usize = 32;

/// Checks that a device uses counters of the slice, and not too many.
pub(super) fn validate_of_device(errors: &mut Errors, spec: &Node, device: &Node) {
    let count = consumed(device);
    if count > MAX_COUNTERS_OF_DEVICE {
        let detail = format!("the total number of counters must not exceed {MAX_COUNTERS_OF_DEVICE}");
        errors.invalid_value(&device.here(), &Value::from(count), detail);
    }
    for used in device.items("consumesCounters") {
        let name = used.text("counterSet");
        // The last set of a name counts.
        let Some(set) = spec.items("sharedCounters").filter(|set| set.text("name") == name).last() else {
            let detail = "must reference a counterSet defined in the ResourceSlice sharedCounters";
            errors.invalid(&used.at("counterSet"), name, detail);
            continue;
        };
        for (counter, _) in used.entries("counters") {
            if set.raw("counters").get(counter).is_none() {
                let detail = "must reference a counter defined in the ResourceSlice sharedCounters";
                errors.invalid(&used.at("counters"), counter, detail);
            }
        }
    }
}

/// Checks the number of counters in a slice.
pub(super) fn validate_totals(errors: &mut Errors, spec: &Node) {
    let of_devices: usize = spec.items("devices").map(|device| consumed(&device)).sum();
    let shared: usize = spec.items("sharedCounters").map(|set| set.len("counters")).sum();
    for (field, things, count, most) in [
        ("devices", "counters in devices", of_devices, MAX_COUNTERS_OF_DEVICES),
        ("sharedCounters", "shared counters", shared, MAX_SHARED_COUNTERS),
    ] {
        if count > most {
            let detail = format!("the total number of {things} must not exceed {most}");
            errors.invalid_value(&spec.at(field), &Value::from(count), detail);
        }
    }
}

fn consumed(device: &Node) -> usize {
    device.items("consumesCounters").map(|used| used.len("counters")).sum()
}
