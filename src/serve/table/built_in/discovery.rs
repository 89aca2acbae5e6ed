//! What endpoints and addresses show.

use crate::serve::table::built_in::{NONE, UNSET, some};
use kube_api::{Object, Value};

/// The number of endpoints that are shown.
const MAX: usize = 3;

/// Source: `formatEndpoints`
pub(super) fn endpoints(endpoints: &Object) -> Value {
    let mut all = Vec::new();
    for subset in endpoints.items("subsets") {
        let addresses: Vec<&str> = subset.items("addresses").map(|address| address.text("ip")).collect();
        if subset.list("ports").is_empty() {
            all.extend(addresses.iter().map(|address| (*address).to_owned()));
        }
        for port in subset.items("ports") {
            let number = port.int("port");
            let joined = |address: &&str| {
                if address.contains(':') {
                    format!("[{address}]:{number}")
                } else {
                    format!("{address}:{number}")
                }
            };
            all.extend(addresses.iter().map(joined));
        }
    }
    if endpoints.list("subsets").is_empty() { NONE.into() } else { some(&all, MAX, ",").into() }
}

/// Source: `formatDiscoveryPorts`
pub(super) fn slice_ports(slice: &Object) -> Value {
    let ports =
        slice.items("ports").map(|port| match (port.at("port").and_then(Value::as_i64), port.at("name")) {
            (Some(number), _) => number.to_string(),
            (None, Some(Value::String(name))) => name.to_string(),
            (None, _) => "*".to_owned(),
        });
    or_unset(&ports.collect::<Vec<_>>())
}

/// Source: `formatDiscoveryEndpoints`
pub(super) fn slice_addresses(slice: &Object) -> Value {
    let addresses = slice.items("endpoints").flat_map(|endpoint| endpoint.list("addresses"));
    or_unset(&addresses.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>())
}

fn or_unset(all: &[String]) -> Value {
    match some(all, MAX, ",").as_str() {
        "" => UNSET.into(),
        shown => shown.into(),
    }
}

pub(super) fn parent(address: &Object) -> Value {
    let text = |field| address.text(["spec", "parentRef", field]);
    if !address.has(["spec", "parentRef"]) {
        return NONE.into();
    }
    let mut shown = text("resource").to_lowercase();
    for (separator, part) in [(".", text("group").to_lowercase()), ("/", text("namespace").to_owned())] {
        if !part.is_empty() {
            shown.push_str(separator);
            shown.push_str(&part);
        }
    }
    format!("{shown}/{}", text("name")).into()
}

pub(super) fn ranges(range: &Object) -> Value {
    let ranges = range.list(["spec", "cidrs"]).iter().filter_map(Value::as_str);
    ranges.collect::<Vec<_>>().join(",").into()
}
