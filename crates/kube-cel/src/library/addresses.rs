//! IP addresses, ranges of them, and web addresses.
//!
//! Source: `k8s.io/apiserver/pkg/cel/library/{ip,cidr,urls}.go`.

use std::sync::Arc;

use super::Function;
use super::ip::{self, Address, Prefix};
use crate::failure::Fault;
use crate::value::Outcome;
use crate::value::{Entries, Opaque, Value};
use gotext::url::Url;

pub(super) fn overload(identity: &str) -> Option<Function> {
    range(identity).or_else(|| web(identity)).or_else(|| {
        Some(match identity {
            "string_to_ip" => |_, arguments| {
                let address = ip::parse(text(arguments)?).map_err(Fault::new)?;
                Ok(Value::Opaque(Opaque::Ip(address)))
            },
            "is_ip" => |_, arguments| Ok(Value::Bool(ip::parse(text(arguments)?).is_ok())),
            "ip_is_canonical" => |_, arguments| {
                let text = text(arguments)?;
                let address = ip::parse(text).map_err(Fault::new)?;
                Ok(Value::Bool(address.to_string() == text))
            },
            "ip_to_string" => |_, arguments| Ok(Value::text(address(arguments)?.to_string())),
            "ip_family" => |_, arguments| Ok(Value::Int(address(arguments)?.family())),
            "ip_is_unspecified" => |_, arguments| test(arguments, Address::is_unspecified),
            "ip_is_loopback" => |_, arguments| test(arguments, Address::is_loopback),
            "ip_is_link_local_multicast" => |_, arguments| test(arguments, Address::is_link_local_multicast),
            "ip_is_link_local_unicast" => |_, arguments| test(arguments, Address::is_link_local_unicast),
            "ip_is_global_unicast" => |_, arguments| test(arguments, Address::is_global_unicast),
            _ => return None,
        })
    })
}

fn range(identity: &str) -> Option<Function> {
    Some(match identity {
        "string_to_cidr" => |_, arguments| Ok(Value::Opaque(Opaque::Cidr(parse_prefix(text(arguments)?)?))),
        "is_cidr" => |_, arguments| Ok(Value::Bool(ip::parse_prefix(text(arguments)?).is_ok())),
        "cidr_to_string" => |_, arguments| Ok(Value::text(prefix(arguments)?.to_string())),
        "cidr_prefix_length" => |_, arguments| Ok(Value::Int(prefix(arguments)?.bits())),
        "cidr_ip" => |_, arguments| Ok(Value::Opaque(Opaque::Ip(prefix(arguments)?.address()))),
        "cidr_masked" => |_, arguments| Ok(Value::Opaque(Opaque::Cidr(prefix(arguments)?.masked()))),
        "cidr_contains_ip_string" | "cidr_contains_ip_ip" => |_, arguments| {
            let address = match &arguments[1] {
                Value::Opaque(Opaque::Ip(address)) => *address,
                // The server does not say what is wrong with a text that is not an address.
                Value::String(text) => ip::parse(text).map_err(|_| Fault::no_such_overload())?,
                _ => return Err(Fault::no_such_overload()),
            };
            Ok(Value::Bool(prefix(arguments)?.contains(address)))
        },
        "cidr_contains_cidr_string" | "cidr_contains_cidr" => |_, arguments| {
            let other = match &arguments[1] {
                Value::Opaque(Opaque::Cidr(prefix)) => *prefix,
                Value::String(text) => parse_prefix(text)?,
                _ => return Err(Fault::no_such_overload()),
            };
            Ok(Value::Bool(prefix(arguments)?.contains_prefix(other)))
        },
        _ => return None,
    })
}

fn web(identity: &str) -> Option<Function> {
    Some(match identity {
        "string_to_url" => |_, arguments| {
            let url =
                Url::parse_request(text(arguments)?).and_then(|_| Url::parse(text(arguments).unwrap_or("")));
            let url = url.map_err(|error| {
                Fault::new(format!("URL parse error during conversion from string: {error}"))
            })?;
            Ok(Value::Opaque(Opaque::Url(Arc::new(url))))
        },
        "is_url_string" => |_, arguments| Ok(Value::Bool(Url::parse_request(text(arguments)?).is_ok())),
        "url_get_scheme" => |_, arguments| Ok(Value::text(url(arguments)?.scheme.as_str())),
        "url_get_host" => |_, arguments| Ok(Value::text(url(arguments)?.host.as_str())),
        "url_get_hostname" => |_, arguments| Ok(Value::text(url(arguments)?.host_and_port().0)),
        "url_get_port" => |_, arguments| Ok(Value::text(url(arguments)?.host_and_port().1)),
        "url_get_escaped_path" => |_, arguments| Ok(Value::text(url(arguments)?.escaped_path())),
        "url_get_query" => |_, arguments| {
            let mut entries = Entries::default();
            for (key, values) in url(arguments)?.query_values() {
                entries.set(Value::text(key), Value::texts(values));
            }
            Ok(Value::Map(entries.into()))
        },
        _ => return None,
    })
}

fn text<'v>(arguments: &'v [Value]) -> Result<&'v str, Fault> {
    arguments.first().and_then(Value::as_text).ok_or_else(Fault::no_such_overload)
}

fn address(arguments: &[Value]) -> Result<Address, Fault> {
    match arguments.first() {
        Some(Value::Opaque(Opaque::Ip(address))) => Ok(*address),
        _ => Err(Fault::no_such_overload()),
    }
}

fn test<'a>(arguments: &[Value<'a>], test: fn(Address) -> bool) -> Outcome<'a> {
    address(arguments).map(test).map(Value::Bool)
}

fn parse_prefix(text: &str) -> Result<Prefix, Fault> {
    ip::parse_prefix(text).map_err(|error| {
        Fault::new(format!("network address parse error during conversion from string: {error}"))
    })
}

fn prefix(arguments: &[Value]) -> Result<Prefix, Fault> {
    match arguments.first() {
        Some(Value::Opaque(Opaque::Cidr(prefix))) => Ok(*prefix),
        _ => Err(Fault::no_such_overload()),
    }
}

fn url<'v>(arguments: &'v [Value]) -> Result<&'v Url, Fault> {
    match arguments.first() {
        Some(Value::Opaque(Opaque::Url(url))) => Ok(url),
        _ => Err(Fault::no_such_overload()),
    }
}
