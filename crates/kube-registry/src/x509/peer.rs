//! Whether a client may trust the certificate of a server.
//!
//! Source: `Certificate.Verify`, `Certificate.VerifyHostname`, `HostnameError`, `UnknownAuthorityError` of `crypto/x509`

use std::net::IpAddr;

use crate::x509::der::{BOOLEAN, Der, OCTET_STRING, SEQUENCE, SET};
use crate::x509::public_key::PublicKey;
use crate::x509::request::{KeyInfo, Signed};
use crate::x509::{EXTENSIONS, ISSUER_ID, SUBJECT_ID, UTC_TIME, parse_certificate, read_version};
use gotext::time;

/// `2.5.29.17`, `2.5.29.19`, `2.5.29.37`
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
const EXTENDED_USAGE: &[u8] = &[0x55, 0x1d, 0x25];
/// `2.5.4.3`, `2.5.4.10`
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
/// `1.3.6.1.5.5.7.3.1`
const SERVERS: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
/// `2.5.29.37.0`
const ANY_USAGE: &[u8] = &[0x55, 0x1d, 0x25, 0x00];

const MAIL: u8 = 0x81;
const DNS_NAME: u8 = 0x82;
const ADDRESS: u8 = 0x87;

/// The number of names from which on an error gives their number instead.
const MAX_NAMES: usize = 100;

/// The names that a certificate is for besides its subject.
#[derive(Clone, Debug, Default)]
pub(crate) struct AlternativeNames {
    /// The names of hosts.
    pub(crate) hosts: Vec<String>,
    /// The addresses of mail.
    pub(crate) mails: Vec<String>,
    addresses: Vec<IpAddr>,
}

/// A certificate of a server or of an authority.
#[derive(Debug)]
pub struct PeerCertificate<'a> {
    signed: Signed<'a>,
    key: KeyInfo<'a>,
    version: i64,
    serial: &'a [u8],
    issuer: &'a [u8],
    subject: &'a [u8],
    /// The first and the last second of validity, in RFC 3339.
    validity: [String; 2],
    /// Whether it is that of an authority, if it says so.
    is_authority: Option<bool>,
    /// The names in its extension for them.
    alternatives: Option<AlternativeNames>,
    /// The identifiers of the uses that it is restricted to.
    usages: Option<Vec<&'a [u8]>>,
}

impl<'a> PeerCertificate<'a> {
    /// Reads a certificate in DER, if it is one.
    pub fn parse(der: &'a [u8]) -> Option<Self> {
        parse_certificate(der).ok()?;
        let mut body = Der(der).read(SEQUENCE)?.read(SEQUENCE)?;
        let version = read_version(&mut body).ok()?;
        let serial = body.read_integer()?;
        body.read(SEQUENCE)?;
        let issuer = body.read(SEQUENCE)?.0;
        let mut validity = body.read(SEQUENCE)?;
        let validity = [moment(validity.read_any()?)?, moment(validity.read_any()?)?];
        let subject = body.read(SEQUENCE)?.0;
        body.read(SEQUENCE)?;
        body.read_optional(ISSUER_ID)?;
        body.read_optional(SUBJECT_ID)?;
        let (signed, key) = Signed::of_certificate(der).ok()?;
        let mut certificate = Self {
            signed,
            key,
            version,
            serial,
            issuer,
            subject,
            validity,
            is_authority: None,
            alternatives: None,
            usages: None,
        };
        if let Some(mut extensions) = body.read_optional(EXTENSIONS)? {
            let mut list = extensions.read(SEQUENCE)?;
            while !list.0.is_empty() {
                certificate.read_extension(list.read(SEQUENCE)?)?;
            }
        }
        Some(certificate)
    }

    fn read_extension(&mut self, mut extension: Der<'a>) -> Option<()> {
        let name = extension.read_identifier()?;
        extension.read_optional(BOOLEAN)?;
        let mut value = extension.read(OCTET_STRING)?;
        if ![BASIC_CONSTRAINTS, ALTERNATIVE_NAMES, EXTENDED_USAGE].contains(&name) {
            return Some(());
        }
        let mut list = value.read(SEQUENCE)?;
        match name {
            BASIC_CONSTRAINTS => {
                self.is_authority = Some(list.next_is(BOOLEAN) && list.read_flag()?);
            }
            ALTERNATIVE_NAMES => {
                let mut names = AlternativeNames::default();
                let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                while !list.0.is_empty() {
                    match list.read_any()? {
                        (MAIL, mail) => names.mails.push(text(mail)),
                        (DNS_NAME, host) => names.hosts.push(text(host)),
                        (ADDRESS, bytes) => names.addresses.push(address(bytes)?),
                        _ => {}
                    }
                }
                self.alternatives = Some(names);
            }
            _ => {
                let mut usages = Vec::new();
                while !list.0.is_empty() {
                    usages.push(list.read_identifier()?);
                }
                self.usages = Some(usages);
            }
        }
        Some(())
    }

    /// Returns the key that it is for.
    pub(crate) fn key(&self) -> PublicKey<'_> {
        self.key.key()
    }

    /// Returns the names that it is for besides its subject.
    pub(crate) fn alternatives(&self) -> Option<&AlternativeNames> {
        self.alternatives.as_ref()
    }

    /// Returns the first and the last second of validity, since 1970.
    pub(crate) fn validity(&self) -> [i64; 2] {
        let seconds = |moment: &String| time::parse_rfc3339(moment).map_or(0, |(seconds, _)| seconds);
        self.validity.each_ref().map(seconds)
    }

    /// Returns why the certificate is not valid at `now`, in seconds since 1970.
    pub fn out_of_date(&self, now: i64) -> Option<String> {
        let current = time::after("1970-01-01T00:00:00Z", now);
        let ([begin, end], [first, last]) = (self.validity(), &self.validity);
        let when = if now < begin {
            format!("current time {current} is before {first}")
        } else if now > end {
            format!("current time {current} is after {last}")
        } else {
            return None;
        };
        Some(format!("x509: certificate has expired or is not yet valid: {when}"))
    }

    /// Returns why the certificate is not that of `host`, a name or an address.
    pub fn wrong_name(&self, host: &str) -> Option<String> {
        let host = host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host);
        let AlternativeNames { hosts: names, addresses, .. } = self.alternatives.clone().unwrap_or_default();
        let found = host.parse::<IpAddr>().ok();
        let is_valid = match found {
            Some(wanted) => addresses.iter().any(|known| known.to_canonical() == wanted.to_canonical()),
            None => names.iter().any(|name| is_for_host(name, host)),
        };
        if is_valid {
            return None;
        }
        let common_name = self.subject_part(COMMON_NAME).unwrap_or_default();
        if self.alternatives.is_none() && is_for_host(&common_name, host) {
            return Some("x509: certificate relies on legacy Common Name field, use SANs instead".to_owned());
        }
        let (known, of) = match found {
            Some(_) => (addresses.iter().map(ToString::to_string).collect(), "IP SANs"),
            None => (names, "names"),
        };
        Some(if found.is_some() && known.is_empty() {
            format!("x509: cannot validate certificate for {host} because it doesn't contain any IP SANs")
        } else if known.len() >= MAX_NAMES {
            format!("x509: certificate is valid for {} {of}, but none matched {host}", known.len())
        } else if known.is_empty() {
            format!("x509: certificate is not valid for any names, but wanted to match {host}")
        } else {
            format!("x509: certificate is valid for {}, not {host}", known.join(", "))
        })
    }

    /// Whether a server may use it.
    pub fn is_for_servers(&self) -> bool {
        let usages = self.usages.as_ref();
        usages.is_none_or(|usages| usages.iter().any(|usage| [SERVERS, ANY_USAGE].contains(usage)))
    }

    /// Whether it may sign others at `now`.
    pub fn is_usable_authority(&self, now: i64) -> bool {
        self.may_sign() && self.out_of_date(now).is_none()
    }

    /// Whether it is that of an authority.
    pub fn is_authority(&self) -> bool {
        self.is_authority == Some(true)
    }

    /// Whether an authority of `roots` has signed it, directly or through some of `others`, which all may sign for servers
    /// at `now`.
    pub fn is_trusted(&self, roots: &[Self], others: &[Self], now: i64) -> bool {
        let is_signed_by = |signed: &Self, authority: &Self| {
            authority.subject == signed.issuer
                && authority.is_usable_authority(now)
                && authority.is_for_servers()
                && signed.signed.check_certificate_by(&authority.key).is_ok()
        };
        // Each of the others is an end once, however they sign each other.
        let mut others: Vec<&Self> = others.iter().collect();
        let mut ends = vec![self];
        while let Some(end) = ends.pop() {
            if roots.iter().any(|root| is_signed_by(end, root)) {
                return true;
            }
            let (signers, rest) = others.into_iter().partition::<Vec<_>, _>(|other| is_signed_by(end, other));
            ends.extend(signers);
            others = rest;
        }
        false
    }

    fn may_sign(&self) -> bool {
        self.is_authority.unwrap_or(self.version < 3)
    }

    /// Returns that none of `authorities` has signed the certificate, with the reason for one that seems to have.
    pub fn unknown_authority(&self, authorities: &[PeerCertificate<'_>], now: i64) -> String {
        let unknown = "x509: certificate signed by unknown authority".to_owned();
        let Some(candidate) = authorities.iter().find(|other| other.subject == self.issuer) else {
            return unknown;
        };
        let reason = if candidate.may_sign() {
            self.signed.check_certificate_by(&candidate.key).err().or_else(|| candidate.out_of_date(now))
        } else {
            Some(
                "x509: invalid signature: parent certificate cannot sign this kind of certificate".to_owned(),
            )
        };
        let Some(reason) = reason else { return unknown };
        format!(
            "{unknown} (possibly because of {} while trying to verify candidate authority certificate {})",
            gotext::quote(&reason),
            gotext::quote(&candidate.shown())
        )
    }

    /// Returns the name of an authority in errors.
    fn shown(&self) -> String {
        let named = self.subject_part(COMMON_NAME).filter(|name| !name.is_empty());
        let named = named.or_else(|| self.subject_part(ORGANIZATION));
        named.unwrap_or_else(|| format!("serial:{}", decimal(self.serial)))
    }

    /// Returns the last attribute of the subject that has this identifier.
    fn subject_part(&self, identifier: &[u8]) -> Option<String> {
        let (mut names, mut found) = (Der(self.subject), None);
        while !names.0.is_empty() {
            let mut set = names.read(SET)?;
            while !set.0.is_empty() {
                let mut attribute = set.read(SEQUENCE)?;
                if attribute.read_identifier()? == identifier {
                    found = Some(String::from_utf8_lossy(attribute.read_any()?.1).into_owned());
                }
            }
        }
        found
    }
}

/// Returns a time of a certificate in RFC 3339.
fn moment((tag, text): (u8, &[u8])) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let (year, rest) = if tag == UTC_TIME {
        let (year, rest) = text.split_at_checked(2)?;
        (format!("{}{year}", if year < "50" { "20" } else { "19" }), rest)
    } else {
        let (year, rest) = text.split_at_checked(4)?;
        (year.to_owned(), rest)
    };
    let part = |start: usize| rest.get(start..start + 2);
    let seconds = part(8).unwrap_or("00");
    Some(format!("{year}-{}-{}T{}:{}:{seconds}Z", part(0)?, part(2)?, part(4)?, part(6)?))
}

/// Returns the digits of a number, whose most significant byte is the first.
fn decimal(bytes: &[u8]) -> String {
    // The least significant digit is the first.
    let mut digits = vec![0_u32];
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += *digit << 8;
            *digit = carry % 10;
            carry /= 10;
        }
        while carry > 0 {
            digits.push(carry % 10);
            carry /= 10;
        }
    }
    digits.iter().rev().filter_map(|digit| char::from_digit(*digit, 10)).collect()
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    four.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()
}

/// Whether `pattern`, whose first label may be `*`, is that of `host`.
fn is_for_host(pattern: &str, host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let (mut patterns, mut labels) = (pattern.split('.'), host.split('.'));
    if pattern.is_empty() || host.is_empty() || patterns.clone().count() != labels.clone().count() {
        return false;
    }
    let (first, label) = (patterns.next().unwrap_or_default(), labels.next().unwrap_or_default());
    (first == "*" || first.eq_ignore_ascii_case(label))
        && patterns.zip(labels).all(|(pattern, label)| pattern.eq_ignore_ascii_case(label))
}
