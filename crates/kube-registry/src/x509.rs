//! X.509 certificates and requests for them, as strict as Go is, with its errors.
//!
//! Source: `crypto/x509/parser.go`, `golang.org/x/crypto/cryptobyte`

mod asn1;
mod der;
mod extensions;
mod peer;
pub(crate) mod private_key;
pub(crate) mod public_key;
pub(crate) mod request;
pub(crate) mod signature;

use std::collections::BTreeSet;

use crate::x509::der::{Der, OCTET_STRING, SEQUENCE, SET};
use crate::x509::extensions::Extension;
use crate::x509::public_key::PublicKey;
use kube_api::pem;

pub use peer::PeerCertificate;

const UTF8_STRING: u8 = 0x0c;
const NUMERIC_STRING: u8 = 0x12;
const PRINTABLE_STRING: u8 = 0x13;
const T61_STRING: u8 = 0x14;
const IA5_STRING: u8 = 0x16;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const BMP_STRING: u8 = 0x1e;
const VERSION: u8 = 0xa0;
const ISSUER_ID: u8 = 0x81;
const SUBJECT_ID: u8 = 0x82;
const EXTENSIONS: u8 = 0xa3;

/// The part of a certificate that validation looks at.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Certificate<'a> {
    /// Whether it is that of an authority.
    pub(crate) is_authority: bool,
    /// The key that it is for.
    pub(crate) key: PublicKey<'a>,
}

/// Reads one certificate in DER.
///
/// # Errors
///
/// Returns Go's error.
///
/// Source: `x509.ParseCertificate`
pub(crate) fn parse_certificate(der: &[u8]) -> Result<Certificate<'_>, String> {
    let mut input = Der(der);
    let certificate = parse_next(&mut input)?;
    if input.0.is_empty() { Ok(certificate) } else { Err("x509: trailing data".to_owned()) }
}

/// Reads the certificates that follow each other in DER.
///
/// # Errors
///
/// Returns Go's error about the first that it cannot read.
///
/// Source: `x509.ParseCertificates`
pub(crate) fn parse_certificates(der: &[u8]) -> Result<Vec<Certificate<'_>>, String> {
    let (mut input, mut certificates) = (Der(der), Vec::new());
    while !input.0.is_empty() {
        certificates.push(parse_next(&mut input)?);
    }
    Ok(certificates)
}

fn malformed(what: &str) -> impl FnOnce() -> String {
    let text = format!("x509: malformed {what}");
    move || text
}

/// Returns why the server cannot trust the certificates in `bundle`, in PEM: none can be read. An empty one is fine.
///
/// Source: `rootCertPool` of `k8s.io/client-go/transport`
pub fn refused_authorities(bundle: &[u8]) -> Option<String> {
    if bundle.is_empty() {
        return None;
    }
    let blocks = pem::blocks(&String::from_utf8_lossy(bundle));
    let certificates = blocks.iter().filter(|block| block.kind == "CERTIFICATE" && !block.has_headers);
    let read: Vec<_> = certificates.map(|block| parse_certificate(&block.bytes)).collect();
    if read.iter().any(Result::is_ok) {
        return None;
    }
    let detail = match read.into_iter().find_map(Result::err) {
        Some(error) => format!("failed to parse certificate: {error}"),
        None if blocks.is_empty() => "unable to parse bytes as PEM block".to_owned(),
        None => "no valid certificate authority data seen".to_owned(),
    };
    Some(format!("unable to load root certificates: {detail}"))
}

/// Source: `parseCertificate`
fn parse_next<'a>(der: &mut Der<'a>) -> Result<Certificate<'a>, String> {
    let mut input = der.read(SEQUENCE).ok_or_else(malformed("certificate"))?;
    let mut body = input.read(SEQUENCE).ok_or_else(malformed("tbs certificate"))?;
    let version = read_version(&mut body)?;
    let serial = body.read_integer().ok_or_else(malformed("serial number"))?;
    if serial.first().is_some_and(|first| first & 0x80 != 0) {
        return Err("x509: negative serial number".to_owned());
    }
    let algorithm = body.read(SEQUENCE).ok_or_else(malformed("signature algorithm identifier"))?;
    let outer = input.read(SEQUENCE).ok_or_else(malformed("algorithm identifier"))?;
    if outer.0 != algorithm.0 {
        return Err("x509: inner and outer signature algorithm identifiers don't match".to_owned());
    }
    read_algorithm(algorithm)?;
    check_name(body.read(SEQUENCE).ok_or_else(malformed("issuer"))?)?;
    check_validity(body.read(SEQUENCE).ok_or_else(malformed("validity"))?)?;
    check_name(body.read(SEQUENCE).ok_or_else(malformed("issuer"))?)?;
    let mut info = body.read(SEQUENCE).ok_or_else(malformed("spki"))?;
    let (of_key, parameters) =
        read_algorithm(info.read(SEQUENCE).ok_or_else(malformed("public key algorithm identifier"))?)?;
    let bits = info.read_bits().ok_or_else(malformed("subjectPublicKey"))?;
    let key = PublicKey::parse(of_key, parameters, bits)?;
    let mut is_authority = false;
    if version > 1 {
        body.read_optional(ISSUER_ID).ok_or_else(malformed("issuerUniqueID"))?;
        body.read_optional(SUBJECT_ID).ok_or_else(malformed("subjectUniqueID"))?;
        if version == 3 && body.next_is(EXTENSIONS) {
            is_authority = read_extensions(body.read(EXTENSIONS).ok_or_else(malformed("extensions"))?)?;
        }
    }
    input.read_bits().ok_or_else(malformed("signature"))?;
    Ok(Certificate { is_authority, key })
}

/// Returns the version, counted from 1.
fn read_version(body: &mut Der<'_>) -> Result<i64, String> {
    if !body.next_is(VERSION) {
        return Ok(1);
    }
    let read = body.read(VERSION).and_then(|mut version| {
        let digits = version.read_integer().filter(|_| version.0.is_empty())?;
        // Versions are small; any larger one is as invalid as the next.
        let first = i64::from(digits.first()?.cast_signed());
        Some(if digits.len() > 1 { first.signum().max(0) * 1000 + first.min(0) } else { first })
    });
    match read {
        None | Some(i64::MIN..0) => Err(malformed("version")()),
        Some(version) if version > 2 => Err("x509: invalid version".to_owned()),
        Some(version) => Ok(version + 1),
    }
}

/// Returns the identifier of an algorithm, and its parameters as a whole element.
///
/// Source: `parseAI`
fn read_algorithm(mut algorithm: Der<'_>) -> Result<(&[u8], &[u8]), String> {
    let identifier = algorithm.read_identifier().ok_or_else(malformed("OID"))?;
    let whole = algorithm.0;
    if !whole.is_empty() {
        algorithm.read_any().ok_or_else(malformed("parameters"))?;
    }
    Ok((identifier, &whole[..whole.len() - algorithm.0.len()]))
}

/// Source: `parseName`
fn check_name(mut names: Der<'_>) -> Result<(), String> {
    const INVALID: &str = "x509: invalid RDNSequence";
    while !names.0.is_empty() {
        let mut set = names.read(SET).ok_or(INVALID)?;
        while !set.0.is_empty() {
            let mut attribute = set.read(SEQUENCE).ok_or_else(|| format!("{INVALID}: invalid attribute"))?;
            attribute.read_identifier().ok_or_else(|| format!("{INVALID}: invalid attribute type"))?;
            let (tag, value) =
                attribute.read_any().ok_or_else(|| format!("{INVALID}: invalid attribute value"))?;
            check_text(tag, value).map_err(|error| format!("{INVALID}: invalid attribute value: {error}"))?;
        }
    }
    Ok(())
}

/// Source: `parseASN1String`
fn check_text(tag: u8, value: &[u8]) -> Result<(), String> {
    let is_printable = |byte: &u8| byte.is_ascii_alphanumeric() || b" '()+,-./:=?*&".contains(byte);
    let (is_valid, name) = match tag {
        T61_STRING => (true, ""),
        PRINTABLE_STRING => (value.iter().all(is_printable), "PrintableString"),
        UTF8_STRING => (std::str::from_utf8(value).is_ok(), "UTF-8 string"),
        BMP_STRING => (value.len().is_multiple_of(2), "BMPString"),
        IA5_STRING => (value.is_ascii(), "IA5String"),
        NUMERIC_STRING => (value.iter().all(|byte| byte.is_ascii_digit() || *byte == b' '), "NumericString"),
        other => return Err(format!("unsupported string type: {other}")),
    };
    if is_valid { Ok(()) } else { Err(format!("invalid {name}")) }
}

/// Source: `parseValidity`
fn check_validity(mut validity: Der<'_>) -> Result<(), String> {
    for _ in 0..2 {
        let (tag, name, digits) = if validity.next_is(UTC_TIME) {
            (UTC_TIME, "UTCTime", 12)
        } else if validity.next_is(GENERALIZED_TIME) {
            (GENERALIZED_TIME, "GeneralizedTime", 14)
        } else {
            return Err("x509: unsupported time format".to_owned());
        };
        let text = validity.read(tag).ok_or_else(malformed(name))?;
        if !is_time(text.0, digits) {
            return Err(malformed(name)());
        }
    }
    Ok(())
}

/// Whether `text` is a date and a time in UTC, with a year of two or four digits. Seconds may be left out of the former.
fn is_time(text: &[u8], digits: usize) -> bool {
    let Some((b'Z', numbers)) = text.split_last() else { return false };
    if !numbers.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let is_short = digits == 12 && numbers.len() == 10;
    if numbers.len() != digits && !is_short {
        return false;
    }
    let (year, rest) = numbers.split_at(digits - 10);
    let pairs: Vec<u8> = rest.chunks(2).map(|pair| (pair[0] - b'0') * 10 + (pair[1] - b'0')).collect();
    let year = year.iter().fold(0_u16, |year, digit| year * 10 + u16::from(digit - b'0'));
    let year = if digits == 12 { if year >= 50 { 1900 + year } else { 2000 + year } } else { year };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match pairs[0] {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&pairs[1]) && pairs[2] < 24 && pairs[3..].iter().all(|part| *part < 60)
}

/// Returns the numbers of an object identifier, joined by dots.
fn dotted(identifier: &[u8]) -> String {
    let parts = identifier.split_inclusive(|byte| byte & 0x80 == 0);
    let numbers =
        parts.map(|part| part.iter().fold(0_u64, |number, byte| number << 7 | u64::from(byte & 0x7f)));
    let mut text = String::new();
    for number in numbers {
        if text.is_empty() {
            let first = (number / 40).min(2);
            text = format!("{first}.{}", number - 40 * first);
        } else {
            text.extend([".", &number.to_string()]);
        }
    }
    text
}

/// Reads the extensions; returns whether one of them says that this is an authority.
fn read_extensions(mut extensions: Der<'_>) -> Result<bool, String> {
    let mut list = extensions.read(SEQUENCE).ok_or_else(malformed("extensions"))?;
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while !list.0.is_empty() {
        let mut extension = list.read(SEQUENCE).ok_or_else(malformed("extension"))?;
        let name = extension.read_identifier().ok_or_else(malformed("extension OID field"))?;
        let mut is_critical = false;
        if extension.next_is(der::BOOLEAN) {
            is_critical = extension.read_flag().ok_or_else(malformed("extension critical field"))?;
        }
        let value = extension.read(OCTET_STRING).ok_or_else(malformed("extension value field"))?;
        if !seen.insert(name) {
            let name = gotext::quote(&dotted(name));
            return Err(format!("x509: certificate contains duplicate extension with OID {name}"));
        }
        found.push(Extension { name, is_critical, value });
    }
    found.iter().try_fold(false, |is_authority, extension| Ok(extension.check()? || is_authority))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn der(text: &str) -> Vec<u8> {
        pem::blocks(text).remove(0).bytes
    }

    #[test]
    fn finds_out_whether_a_certificate_is_that_of_an_authority() {
        let of = |text| parse_certificate(&der(text)).map(|certificate| certificate.is_authority);
        assert_eq!(of(include_str!("../testdata/certificates/authority.crt")), Ok(true));
        assert_eq!(of(include_str!("../testdata/certificates/server.crt")), Ok(false));
    }

    #[test]
    fn says_what_is_wrong() {
        let authority = der(include_str!("../testdata/certificates/authority.crt"));
        let error = |bytes: &[u8]| parse_certificate(bytes).expect_err("not a certificate");
        assert_eq!(error(b"foo"), "x509: malformed certificate");
        assert_eq!(error(&[authority.as_slice(), b"x"].concat()), "x509: trailing data");
        assert_eq!(error(&[SEQUENCE, 0]), "x509: malformed tbs certificate");
        assert_eq!(parse_certificates(&authority.repeat(2)).map(|all| all.len()), Ok(2));
        assert_eq!(parse_certificates(&[]).map(|all| all.len()), Ok(0));
    }

    #[test]
    fn shows_identifiers() {
        assert_eq!(dotted(&[0x55, 0x1d, 0x0e]), "2.5.29.14");
        assert_eq!(dotted(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01]), "1.2.840.113549.1");
    }

    #[test]
    fn dates_exist() {
        assert!(is_time(b"00010101000000Z", 14));
        assert!(is_time(b"240229235959Z", 12));
        assert!(!is_time(b"230229235959Z", 12));
        assert!(!is_time(b"20240101000000", 14));
    }
}
