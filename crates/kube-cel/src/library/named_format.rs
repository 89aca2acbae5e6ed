//! Named formats of text.
//!
//! Source: `k8s.io/apiserver/pkg/cel/library/format.go`.

use super::Function;
use crate::failure::Fault;
use crate::value::{Opaque, Value};
use gotext::format;
use gotext::names;
use gotext::url::Url;

/// A format by name.
#[derive(Debug)]
pub struct NamedFormat {
    /// Its name in expressions.
    key: &'static str,
    /// Its name on the server.
    pub name: &'static str,
    /// The length of the expression that it denotes, which decides the cost of a check.
    pub(crate) regex_size: u64,
    validate: fn(&str) -> Vec<String>,
}

static FORMATS: [NamedFormat; 13] = [
    format("dns1123Label", "DNS1123Label", 30, names::is_dns1123_label),
    format("dns1123Subdomain", "DNS1123Subdomain", 60, names::is_dns1123_subdomain),
    format("dns1035Label", "DNS1035Label", 30, names::is_dns1035_label),
    format("qualifiedName", "QualifiedName", 60, names::is_qualified_name),
    format("dns1123LabelPrefix", "DNS1123LabelPrefix", 30, |text| {
        names::is_dns1123_label(&names::mask_trailing_dash(text))
    }),
    format("dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, |text| {
        names::is_dns1123_subdomain(&names::mask_trailing_dash(text))
    }),
    format("dns1035LabelPrefix", "DNS1035LabelPrefix", 30, |text| {
        names::is_dns1035_label(&names::mask_trailing_dash(text))
    }),
    format("labelValue", "LabelValue", 40, names::is_valid_label_value),
    format("uri", "URI", 1103, |text| Url::parse_request(text).err().into_iter().collect()),
    format("uuid", "uuid", 70, |text| checked("uuid", text, "does not match the UUID format")),
    format("byte", "byte", 84, |text| checked("byte", text, "invalid base64")),
    format("date", "date", 71, |text| checked("date", text, "invalid date")),
    format("datetime", "datetime", 71, |text| checked("datetime", text, "invalid datetime")),
];

const fn format(
    key: &'static str,
    name: &'static str,
    regex_size: u64,
    validate: fn(&str) -> Vec<String>,
) -> NamedFormat {
    NamedFormat { key, name, regex_size, validate }
}

fn checked(format: &str, text: &str, complaint: &str) -> Vec<String> {
    if format::text_check(format).is_none_or(|check| check(text)) {
        Vec::new()
    } else {
        vec![complaint.to_owned()]
    }
}

fn named(key: &str) -> Option<Value<'static>> {
    let format = FORMATS.iter().find(|format| format.key == key)?;
    Some(Value::Opaque(Opaque::Format(format)))
}

/// Returns the format that a function without arguments denotes: `format.uuid`.
pub(crate) fn constant(function: &str) -> Option<Value<'static>> {
    named(function.strip_prefix("format.")?)
}

pub(super) fn overload(identity: &str) -> Option<Function> {
    Some(match identity {
        "format-named" => |_, arguments| match &arguments[0] {
            Value::String(name) => Ok(Value::Optional(named(name).map(Into::into))),
            _ => Err(Fault::no_such_overload()),
        },
        "format-validate" => |_, arguments| match arguments {
            [Value::Opaque(Opaque::Format(format)), Value::String(text)] => {
                let complaints = (format.validate)(text);
                let complaints = (!complaints.is_empty()).then(|| Value::texts(complaints));
                Ok(Value::Optional(complaints.map(Into::into)))
            }
            _ => Err(Fault::no_such_overload()),
        },
        _ => return None,
    })
}
