//! Extensions of certificates that Go reads.
//!
//! Source: `processExtensions` of `crypto/x509/parser.go`

use std::fmt::Write as _;
use std::net::IpAddr;

use crate::x509::der::{BOOLEAN, Der, INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE};
use gotext::url::Url;

/// The identifier of what certificates say of themselves: `2.5.29`, before a number.
const OF_CERTIFICATES: &[u8] = &[0x55, 0x1d];
/// `1.3.6.1.5.5.7.1.1`
const AUTHORITY_ACCESS: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x01];

/// Tags of what is distinguished by its place, alone or around others.
const FIRST: u8 = 0x80;
const SECOND: u8 = 0x81;
const FIRST_AROUND: u8 = 0xa0;
const SECOND_AROUND: u8 = 0xa1;
const ADDRESS: u8 = 0x86;

/// An extension of a certificate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extension<'a> {
    /// The identifier.
    pub(super) name: &'a [u8],
    pub(super) is_critical: bool,
    pub(super) value: Der<'a>,
}

impl Extension<'_> {
    /// Reads the extension; returns whether it says that the certificate is that of an authority.
    ///
    /// # Errors
    ///
    /// Returns Go's error.
    pub(super) fn check(&self) -> Result<bool, String> {
        let value = self.value;
        let Some([number]) = self.name.strip_prefix(OF_CERTIFICATES) else {
            return if self.name == AUTHORITY_ACCESS { self.authority_access() } else { Ok(false) };
        };
        let is_valid = match number {
            14 if self.is_critical => {
                return fault("x509: subject key identifier incorrectly marked critical");
            }
            14 => Der(value.0).read(OCTET_STRING).is_some(),
            15 => is_key_usage(value),
            17 => return check_alternative_names(value).map(|()| false),
            19 => return basic_constraints(value).ok_or("x509: invalid basic constraints".to_owned()),
            30 => return check_name_constraints(value).map(|()| false),
            31 => return check_distribution_points(value).map(|()| false),
            32 => are_policies(value),
            33 => are_mappings(value),
            35 if self.is_critical => {
                return fault("x509: authority key identifier incorrectly marked critical");
            }
            35 => is_authority_key(value),
            36 => are_policy_constraints(value),
            37 => are_usages(value),
            54 => is_number(value),
            _ => true,
        };
        let what = match number {
            14 => "subject key identifier",
            15 => "key usage",
            32 => "certificate policies",
            33 => "policy mappings extension",
            35 => "authority key identifier",
            36 => "policy constraints extension",
            37 => "extended key usages",
            _ => "inhibit any policy extension",
        };
        if is_valid { Ok(false) } else { Err(format!("x509: invalid {what}")) }
    }

    fn authority_access(&self) -> Result<bool, String> {
        if self.is_critical {
            return fault("x509: authority info access incorrectly marked critical");
        }
        let are_valid = each(self.value, |mut access| {
            let has_method = access.read_identifier().is_some();
            has_method && (!access.next_is(ADDRESS) || access.read(ADDRESS).is_some())
        });
        if are_valid { Ok(false) } else { fault("x509: invalid authority info access") }
    }
}

fn fault<T>(message: &str) -> Result<T, String> {
    Err(message.to_owned())
}

/// Whether `value` is a list of sequences, all of which `check` accepts.
fn each(mut value: Der<'_>, check: impl Fn(Der<'_>) -> bool) -> bool {
    let Some(mut list) = value.read(SEQUENCE) else { return false };
    while !list.0.is_empty() {
        if !list.read(SEQUENCE).is_some_and(&check) {
            return false;
        }
    }
    true
}

fn is_key_usage(mut value: Der<'_>) -> bool {
    value.read_bits().is_some()
}

/// Source: `parseBasicConstraintsExtension`
fn basic_constraints(mut value: Der<'_>) -> Option<bool> {
    let mut constraints = value.read(SEQUENCE)?;
    let is_authority = if constraints.next_is(BOOLEAN) { constraints.read_flag()? } else { false };
    if constraints.next_is(INTEGER) {
        constraints.read_integer().filter(|length| length[0] & 0x80 == 0 && length.len() <= 8)?;
    }
    Some(is_authority)
}

/// Source: `parseSANExtension`
pub(super) fn check_alternative_names(mut value: Der<'_>) -> Result<(), String> {
    let Some(mut names) = value.read(SEQUENCE) else {
        return fault("x509: invalid subject alternative names");
    };
    while !names.0.is_empty() {
        let Some((tag, name)) = names.read_any() else {
            return fault("x509: invalid subject alternative name");
        };
        let kind = match tag & 0x1f {
            1 => "rfc822Name",
            2 => "dNSName",
            6 => "uniformResourceIdentifier",
            7 if ![4, 16].contains(&name.len()) => {
                return Err(format!("x509: cannot parse IP address of length {}", name.len()));
            }
            _ => continue,
        };
        let Some(text) = str::from_utf8(name).ok().filter(|text| text.is_ascii()) else {
            return Err(format!("x509: SAN {kind} is malformed"));
        };
        if kind == "uniformResourceIdentifier" {
            check_address(text)?;
        }
    }
    Ok(())
}

/// Checks a web address: that it can be parsed, and that its host may be the name of a domain.
fn check_address(text: &str) -> Result<(), String> {
    let fault = |error: &str| Err(format!("x509: cannot parse URI {}: {error}", gotext::quote(text)));
    match Url::parse(text) {
        Err(error) => fault(&error),
        Ok(url) if !url.host.is_empty() && !may_be_domain(&url.host) => fault("invalid domain"),
        Ok(_) => Ok(()),
    }
}

/// Whether `text` may be the address of a mailbox. Names in quotes, or with escapes, are not looked at.
///
/// Source: `parseRFC2821Mailbox`
fn may_be_mailbox(text: &str) -> bool {
    let is_atom = |atom: &str| {
        let is_possible = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
        !atom.is_empty() && atom.bytes().all(is_possible)
    };
    let is_plain = |(name, domain): (&str, &str)| name.split('.').all(is_atom) && may_be_domain(domain);
    text.contains(['"', '\\']) || text.split_once('@').is_some_and(is_plain)
}

/// Whether `host` may be the name of a domain.
///
/// Source: `domainNameValid`
fn may_be_domain(host: &str) -> bool {
    const MAX_DOMAIN: usize = 253;
    const MAX_LABEL: usize = 63;
    host.len() <= MAX_DOMAIN
        && host.bytes().all(|byte| byte.is_ascii_graphic())
        && host.split('.').all(|label| (1..=MAX_LABEL).contains(&label.len()))
}

/// Source: `parseNameConstraintsExtension`
fn check_name_constraints(mut value: Der<'_>) -> Result<(), String> {
    const INVALID: &str = "x509: invalid NameConstraints extension";
    let parts = value.read(SEQUENCE).filter(|_| value.0.is_empty()).and_then(|mut list| {
        let permitted = list.read_optional(FIRST_AROUND)?;
        let excluded = list.read_optional(SECOND_AROUND)?;
        list.0.is_empty().then_some([permitted, excluded])
    });
    let Some(parts) = parts else { return fault(INVALID) };
    if parts.iter().flatten().all(|part| part.0.is_empty()) {
        return fault("x509: empty name constraints extension");
    }
    for mut subtrees in parts.into_iter().flatten() {
        while !subtrees.0.is_empty() {
            let base = subtrees.read(SEQUENCE).and_then(|mut subtree| subtree.read_any());
            let Some((tag, base)) = base else { return fault(INVALID) };
            check_constraint(tag, base)?;
        }
    }
    Ok(())
}

fn check_constraint(tag: u8, base: &[u8]) -> Result<(), String> {
    const MAIL: u8 = 0x81;
    const HOST: u8 = 0x82;
    const RANGE: u8 = 0x87;
    if tag == RANGE {
        let (8 | 32) = base.len() else {
            return Err(format!("x509: IP constraint contained value of length {}", base.len()));
        };
        let mask = &base[base.len() / 2..];
        let ones = mask.iter().take_while(|byte| **byte == 0xff).count();
        let is_prefix = mask[ones..].iter().enumerate().all(|(index, byte)| {
            if index == 0 { byte.leading_ones() + byte.trailing_zeros() == 8 } else { *byte == 0 }
        });
        if is_prefix {
            return Ok(());
        }
        let mask = mask.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        return Err(format!("x509: IP constraint contained invalid mask {mask}"));
    }
    let name = match tag {
        MAIL => "rfc822Name",
        HOST => "dnsName",
        ADDRESS => "URI",
        _ => return Ok(()),
    };
    let text = String::from_utf8_lossy(base);
    let quoted = gotext::quote_bytes(base);
    if !text.is_ascii() {
        return Err(format!(
            "x509: invalid constraint value: x509: {quoted} cannot be encoded as an IA5String"
        ));
    }
    if tag == ADDRESS && text.parse::<IpAddr>().is_ok() {
        return Err(format!("x509: failed to parse URI constraint {quoted}: cannot be IP address"));
    }
    let is_valid = if tag == MAIL && text.contains('@') {
        may_be_mailbox(&text)
    } else {
        text.is_empty() || may_be_domain(text.strip_prefix('.').unwrap_or(&text))
    };
    if is_valid {
        return Ok(());
    }
    Err(format!("x509: failed to parse {name} constraint {quoted}"))
}

fn check_distribution_points(mut value: Der<'_>) -> Result<(), String> {
    let Some(mut list) = value.read(SEQUENCE) else { return fault("x509: invalid CRL distribution points") };
    while !list.0.is_empty() {
        let is_valid = list.read(SEQUENCE).is_some_and(|mut point| match point.read_optional(FIRST_AROUND) {
            None => false,
            Some(None) => true,
            Some(Some(mut name)) => name.read(FIRST_AROUND).is_some_and(|mut names| {
                while names.next_is(ADDRESS) {
                    if names.read(ADDRESS).is_none() {
                        return false;
                    }
                }
                true
            }),
        });
        if !is_valid {
            return fault("x509: invalid CRL distribution point");
        }
    }
    Ok(())
}

/// Source: `parseCertificatePoliciesExtension`
fn are_policies(mut value: Der<'_>) -> bool {
    let mut seen = Vec::new();
    let Some(mut list) = value.read(SEQUENCE) else { return false };
    while !list.0.is_empty() {
        let Some(policy) = list.read(SEQUENCE).and_then(|mut policy| policy.read_identifier()) else {
            return false;
        };
        if seen.contains(&policy) {
            return false;
        }
        seen.push(policy);
    }
    true
}

fn are_mappings(value: Der<'_>) -> bool {
    each(value, |mut mapping| {
        mapping.read(OBJECT_IDENTIFIER).is_some() && mapping.read(OBJECT_IDENTIFIER).is_some()
    })
}

/// Source: `parseAuthorityKeyIdentifier`
fn is_authority_key(mut value: Der<'_>) -> bool {
    value.read(SEQUENCE).is_some_and(|mut key| !key.next_is(FIRST) || key.read(FIRST).is_some())
}

fn are_policy_constraints(mut value: Der<'_>) -> bool {
    let Some(mut list) = value.read(SEQUENCE) else { return false };
    [FIRST, SECOND].into_iter().all(|tag| {
        !list.next_is(tag)
            || list.read(tag).is_some_and(|number| Der::is_minimal(number.0) && number.0.len() <= 8)
    })
}

/// Source: `parseExtKeyUsageExtension`
fn are_usages(mut value: Der<'_>) -> bool {
    let Some(mut list) = value.read(SEQUENCE) else { return false };
    while !list.0.is_empty() {
        if list.read_identifier().is_none() {
            return false;
        }
    }
    true
}

fn is_number(mut value: Der<'_>) -> bool {
    value.read_integer().is_some_and(|number| number.len() <= 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_addresses_can_be_parsed() {
        let error = |text| check_address(text).err().unwrap_or_default();
        for text in
            ["", "foo", "a:b:c", "http://*.x/", "http://[fe80::1%25en0]/", "http://x:80/", "spiffe://ns/sa"]
        {
            assert_eq!(error(text), "", "{text}");
        }
        assert_eq!(error("%zz"), "x509: cannot parse URI \"%zz\": parse \"%zz\": invalid URL escape \"%zz\"");
        assert_eq!(
            error("\n"),
            "x509: cannot parse URI \"\\n\": parse \"\\n\": net/url: invalid control character in URL"
        );
        assert_eq!(error("http://x./"), "x509: cannot parse URI \"http://x./\": invalid domain");
        assert_eq!(error("http://x..y/"), "x509: cannot parse URI \"http://x..y/\": invalid domain");
    }

    #[test]
    fn name_constraints_are_names() {
        const MAIL: u8 = 0x81;
        const HOST: u8 = 0x82;
        let error = |tag, base: &[u8]| check_constraint(tag, base).err().unwrap_or_default();
        for (tag, base) in
            [(HOST, ".x.example"), (HOST, ""), (MAIL, "a.b@x.example"), (MAIL, "\"a b\"@x"), (ADDRESS, ".x")]
        {
            assert_eq!(error(tag, base.as_bytes()), "", "{base}");
        }
        assert_eq!(
            error(HOST, b".x.e\0ample"),
            r#"x509: failed to parse dnsName constraint ".x.e\x00ample""#
        );
        assert_eq!(
            error(MAIL, b"a@..example"),
            r#"x509: failed to parse rfc822Name constraint "a@..example""#
        );
        assert_eq!(
            error(MAIL, b"@@x.example"),
            r#"x509: failed to parse rfc822Name constraint "@@x.example""#
        );
        assert_eq!(error(ADDRESS, b".x z"), r#"x509: failed to parse URI constraint ".x z""#);
        assert_eq!(
            error(ADDRESS, b"1.2.3.4"),
            r#"x509: failed to parse URI constraint "1.2.3.4": cannot be IP address"#
        );
        assert_eq!(
            error(HOST, b".xy\xfa"),
            r#"x509: invalid constraint value: x509: ".xy\xfa" cannot be encoded as an IA5String"#
        );
    }
}
