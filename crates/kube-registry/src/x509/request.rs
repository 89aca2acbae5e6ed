//! PKCS #10 requests for certificates.
//!
//! Source: `ParseCertificateRequest`, `CertificateRequest.CheckSignature` of `crypto/x509`

use std::collections::BTreeSet;

use crate::x509::asn1::{self, Elements};
use crate::x509::der::Der;
use crate::x509::extensions::check_alternative_names;
use crate::x509::public_key::PublicKey;
use crate::x509::signature::{self, Hash, Key, MAX_EXPONENT, Padding};

/// `1.2.840.113549.1.9.14`
const EXTENSION_REQUEST: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x0e];
/// `2.5.29.17`
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];

/// A request for a certificate.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    signed: Signed<'a>,
    /// The attributes of the subject that are text, by their identifiers.
    pub(crate) subject: Vec<(&'a [u8], String)>,
    /// The key that the certificate is for.
    pub(crate) key: KeyInfo<'a>,
}

/// What a key has signed, and the signature.
#[derive(Debug)]
pub(crate) struct Signed<'a> {
    info: &'a [u8],
    algorithm: Algorithm<'a>,
    signature: Vec<u8>,
}

/// An identifier, and its parameters as a whole element, or nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Algorithm<'a> {
    pub(super) identifier: &'a [u8],
    pub(super) parameters: &'a [u8],
}

/// A public key with its type.
#[derive(Debug)]
pub(crate) struct KeyInfo<'a> {
    algorithm: Algorithm<'a>,
    bits: Vec<u8>,
}

impl<'a> KeyInfo<'a> {
    /// Reads a key in DER that stands alone. Keys of unknown types are refused.
    ///
    /// # Errors
    ///
    /// Returns Go's error.
    ///
    /// Source: `x509.ParsePKIXPublicKey`
    pub(crate) fn parse(der: &'a [u8]) -> Result<Self, String> {
        let mut input = Elements::new(der);
        let info = Self::read(&mut input)?;
        if !input.is_empty() {
            return Err("x509: trailing data after ASN.1 of public-key".to_owned());
        }
        match info.check()? {
            PublicKey::Unknown => Err("x509: unknown public key algorithm".to_owned()),
            _ => Ok(info),
        }
    }

    fn read(elements: &mut Elements<'a>) -> Result<Self, String> {
        let (mut fields, _) = elements.fields("publicKeyInfo")?;
        Ok(Self { algorithm: Algorithm::read(&mut fields)?, bits: fields.bits()? })
    }

    fn check(&self) -> Result<PublicKey<'_>, String> {
        PublicKey::parse(self.algorithm.identifier, self.algorithm.parameters, &self.bits)
    }

    /// Returns the key, which has been checked.
    pub(crate) fn key(&self) -> PublicKey<'_> {
        self.check().unwrap_or(PublicKey::Unknown)
    }
}

impl<'a> Algorithm<'a> {
    pub(super) fn read(elements: &mut Elements<'a>) -> Result<Self, String> {
        let (mut fields, _) = elements.fields("AlgorithmIdentifier")?;
        let identifier = fields.identifier()?;
        let parameters = if fields.is_empty() { &[] } else { fields.any()?.whole };
        Ok(Self { identifier, parameters })
    }
}

impl<'a> Request<'a> {
    /// Reads a request in DER.
    ///
    /// # Errors
    ///
    /// Returns Go's error.
    pub(crate) fn parse(der: &'a [u8]) -> Result<Self, String> {
        let mut input = Elements::new(der);
        let (mut request, _) = input.fields("certificateRequest")?;
        let (mut info, whole_info) = request.fields("tbsCertificateRequest")?;
        info.integer()?;
        let subject = info.any()?.whole;
        let key = KeyInfo::read(&mut info)?;
        let attributes = info.attributes()?;
        let algorithm = Algorithm::read(&mut request)?;
        let signed = Signed { info: whole_info, algorithm, signature: request.bits()? };
        if !input.is_empty() {
            return Err("asn1: syntax error: trailing data".to_owned());
        }
        key.check()?;
        let subject = read_subject(subject)?;
        for attribute in attributes {
            check_attribute(attribute.whole)?;
        }
        Ok(Self { signed, subject, key })
    }

    /// Checks that the key made the signature.
    ///
    /// # Errors
    ///
    /// Returns Go's error.
    pub(crate) fn check_signature(&self) -> Result<(), String> {
        self.signed.check_by(&self.key)
    }
}

impl<'a> Signed<'a> {
    /// Reads a certificate in DER: what is signed of it, and its key.
    ///
    /// # Errors
    ///
    /// Returns Go's error.
    pub(crate) fn of_certificate(der: &'a [u8]) -> Result<(Self, KeyInfo<'a>), String> {
        const VERSION: u32 = 0;
        let (mut certificate, _) = Elements::new(der).fields("certificate")?;
        let (mut body, info) = certificate.fields("tbsCertificate")?;
        let first = body.any()?.head.tag;
        // The serial number, the algorithm, the issuer, the validity and the subject come before the key.
        for _ in 0..if first == VERSION { 5 } else { 4 } {
            body.any()?;
        }
        let key = KeyInfo::read(&mut body)?;
        let algorithm = Algorithm::read(&mut certificate)?;
        Ok((Self { info, algorithm, signature: certificate.bits()? }, key))
    }

    /// Checks that `by` made the signature, which is that of a certificate: SHA-1 is too weak for one.
    ///
    /// # Errors
    ///
    /// Returns Go's error.
    ///
    /// Source: `Certificate.CheckSignatureFrom`
    pub(crate) fn check_certificate_by(&self, by: &KeyInfo<'_>) -> Result<(), String> {
        let made = Making::of(self.algorithm).filter(|made| made.insecure.is_none());
        let weak = match made.map(|made| (made.key, made.hash)) {
            Some(("RSA", Hash::Sha1)) => "SHA1-RSA",
            Some(("ECDSA", Hash::Sha1)) => "ECDSA-SHA1",
            _ => return self.check_by(by),
        };
        Err(insecure(weak))
    }

    /// Checks that `by` made the signature.
    ///
    /// # Errors
    ///
    /// Returns Go's error.
    ///
    /// Source: `checkSignature`
    pub(crate) fn check_by(&self, by: &KeyInfo<'_>) -> Result<(), String> {
        const UNSUPPORTED: &str = "x509: cannot verify signature: algorithm unimplemented";
        let fault = |message: &str| Err(message.to_owned());
        let Some(made) = Making::of(self.algorithm) else { return fault(UNSUPPORTED) };
        if let Some(name) = made.insecure {
            return Err(insecure(name));
        }
        let PublicKey::Signing(key) = by.key() else { return fault(UNSUPPORTED) };
        let (of_key, go_type) = match key {
            Key::Rsa { .. } => ("RSA", "*rsa.PublicKey"),
            Key::Ed25519(_) => ("Ed25519", "ed25519.PublicKey"),
            _ => ("ECDSA", "*ecdsa.PublicKey"),
        };
        let wanted = made.key;
        if wanted != of_key {
            return Err(format!(
                "x509: signature algorithm specifies an {wanted} public key, but have public key of type {go_type}"
            ));
        }
        if let Key::Rsa { modulus, exponent } = key {
            check_numbers(modulus, exponent)?;
        }
        if signature::is_made_by(key, (made.hash, made.padding), self.info, &self.signature) {
            return Ok(());
        }
        match key {
            Key::Rsa { .. } => fault("crypto/rsa: verification error"),
            _ => Err(format!("x509: {of_key} verification failure")),
        }
    }
}

fn insecure(algorithm: &str) -> String {
    format!("x509: cannot verify signature: insecure algorithm {algorithm}")
}

/// Refuses RSA keys that are too small or cannot be keys.
///
/// Source: `checkKeySize` of `crypto/rsa`, `checkPublicKey` of `crypto/internal/fips140/rsa`
fn check_numbers(modulus: &[u8], exponent: &[u8]) -> Result<(), String> {
    const MIN_BITS: usize = 1024;
    let digits = modulus.strip_prefix(&[0]).unwrap_or(modulus);
    let unused = digits.first().map_or(0, |first| first.leading_zeros() as usize);
    let bits = digits.len() * 8 - unused;
    if bits < MIN_BITS {
        return Err(format!(
            "crypto/rsa: {bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)"
        ));
    }
    let is_even = |number: &[u8]| number.last().is_some_and(|last| last % 2 == 0);
    let value = exponent.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    let fault = if is_even(modulus) {
        "modulus is even"
    } else if value <= 1 {
        "exponent too small or negative"
    } else if is_even(exponent) {
        "exponent is even"
    } else if value > u64::from(MAX_EXPONENT) {
        "exponent too large"
    } else {
        return Ok(());
    };
    Err(format!("crypto/rsa: public {fault}"))
}

/// How a signature is made.
struct Making {
    /// The type of the key.
    key: &'static str,
    hash: Hash,
    padding: Padding,
    /// The name of an algorithm that is not secure.
    insecure: Option<&'static str>,
}

impl Making {
    /// Returns what `algorithm` says, if it is known.
    ///
    /// Source: `getSignatureAlgorithmFromAI`
    fn of(algorithm: Algorithm<'_>) -> Option<Self> {
        const OF_RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
        const OF_DSA: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03];
        const OF_EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04];
        /// `1.3.14.3.2.29`
        const ISO_SHA1_WITH_RSA: &[u8] = &[0x2b, 0x0e, 0x03, 0x02, 0x1d];
        /// `1.2.840.10040.4.3`
        const DSA_WITH_SHA1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x03];
        /// `1.3.101.112`
        const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
        let made = |key, hash| Self { key, hash, padding: Padding::Pkcs1, insecure: None };
        let Algorithm { identifier, parameters } = algorithm;
        match identifier {
            ISO_SHA1_WITH_RSA => return Some(made("RSA", Hash::Sha1)),
            DSA_WITH_SHA1 => return Some(made("DSA", Hash::Sha1)),
            ED25519 if parameters.is_empty() => return Some(made("Ed25519", Hash::Sha512)),
            _ => {}
        }
        if let Some([number]) = identifier.strip_prefix(OF_RSA) {
            return match number {
                4 => Some(Self { insecure: Some("MD5-RSA"), ..made("RSA", Hash::Sha1) }),
                5 => Some(made("RSA", Hash::Sha1)),
                10 => Self::with_salt(parameters),
                11 => Some(made("RSA", Hash::Sha256)),
                12 => Some(made("RSA", Hash::Sha384)),
                13 => Some(made("RSA", Hash::Sha512)),
                _ => None,
            };
        }
        match (identifier.strip_prefix(OF_DSA), identifier.strip_prefix(OF_EC)) {
            (Some([2]), _) => Some(made("DSA", Hash::Sha256)),
            (_, Some([1])) => Some(made("ECDSA", Hash::Sha1)),
            (_, Some([3, 2])) => Some(made("ECDSA", Hash::Sha256)),
            (_, Some([3, 3])) => Some(made("ECDSA", Hash::Sha384)),
            (_, Some([3, 4])) => Some(made("ECDSA", Hash::Sha512)),
            _ => None,
        }
    }

    /// Returns what the parameters of PSS say, if they are the usual ones.
    fn with_salt(parameters: &[u8]) -> Option<Self> {
        const OF_HASHES: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02];
        /// `1.2.840.113549.1.1.8`
        const MASK: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x08];
        let is_nothing = |parameters: &[u8]| parameters.is_empty() || parameters == [5, 0];
        let (mut fields, _) = Elements::new(parameters).fields("pssParameters").ok()?;
        let mut parts = Vec::new();
        while !fields.is_empty() {
            parts.push(fields.any().ok()?);
        }
        let part = |tag: u32| parts.iter().find(|part| part.head.tag == tag).map(|part| part.content);
        let hash = Algorithm::read(&mut Elements::new(part(0)?)).ok()?;
        let mask = Algorithm::read(&mut Elements::new(part(1)?)).ok()?;
        let of_mask = Algorithm::read(&mut Elements::new(mask.parameters)).ok()?;
        let salt = Elements::new(part(2)?).integer().ok()?;
        let trailer = part(3).map_or(Some(1), |part| Elements::new(part).integer().ok())?;
        let is_usual = is_nothing(hash.parameters)
            && mask.identifier == MASK
            && of_mask.identifier == hash.identifier
            && is_nothing(of_mask.parameters)
            && trailer == 1;
        let hash = match (hash.identifier.strip_prefix(OF_HASHES)?, salt) {
            ([1], 32) => Hash::Sha256,
            ([2], 48) => Hash::Sha384,
            ([3], 64) => Hash::Sha512,
            _ => return None,
        };
        is_usual.then_some(Self { key: "RSA", hash, padding: Padding::PssOfHash, insecure: None })
    }
}

/// Returns the attributes of a subject that are text.
fn read_subject(der: &[u8]) -> Result<Vec<(&[u8], String)>, String> {
    let names = Elements::new(der).items("RDNSequence")?.each_compound(true)?;
    let mut subject = Vec::new();
    for name in names {
        for attribute in Elements::new(name.content).each_compound(false)? {
            let mut fields = Elements::new(attribute.content);
            let identifier = fields.identifier()?;
            if let Some(text) = asn1::text(&fields.any()?)? {
                subject.push((identifier, text));
            }
        }
    }
    Ok(subject)
}

/// Checks the extensions that an attribute asks for, if it does.
///
/// Source: `parseCSRExtensions`
fn check_attribute(der: &[u8]) -> Result<(), String> {
    let Some(values) = extension_request(der) else { return Ok(()) };
    let list = Elements::new(values).items("")?.each_compound(false)?;
    let (mut seen, mut names) = (BTreeSet::new(), Vec::new());
    for extension in list {
        let mut fields = Elements::new(extension.content);
        let identifier = fields.identifier()?;
        fields.optional_flag()?;
        let value = fields.octets()?;
        if !seen.insert(identifier) {
            return Err("x509: certificate request contains duplicate requested extensions".to_owned());
        }
        if identifier == ALTERNATIVE_NAMES {
            names.push(value);
        }
    }
    names.into_iter().try_for_each(|names| check_alternative_names(Der(names)))
}

/// Returns the first value of an attribute that asks for extensions; others, and those that cannot be read, do not count.
fn extension_request(der: &[u8]) -> Option<&[u8]> {
    let mut input = Elements::new(der);
    let (mut fields, _) = input.fields("pkcs10Attribute").ok()?;
    let identifier = fields.identifier().ok().filter(|_| input.is_empty())?;
    let values = fields.set("").ok()?.each().ok()?;
    let value = values.first()?.whole;
    (identifier == EXTENSION_REQUEST).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::pem;

    fn der(text: &str) -> Vec<u8> {
        pem::blocks(text).remove(0).bytes
    }

    #[test]
    fn the_key_of_a_request_signs_it() {
        for text in [
            include_str!("../../testdata/certificates/developers.csr"),
            include_str!("../../testdata/certificates/p224.csr"),
            include_str!("../../testdata/certificates/p224-sha512.csr"),
            include_str!("../../testdata/certificates/p256.csr"),
            include_str!("../../testdata/certificates/p384.csr"),
            include_str!("../../testdata/certificates/p521.csr"),
            include_str!("../../testdata/certificates/ed25519.csr"),
            include_str!("../../testdata/certificates/rsa-sha1.csr"),
            include_str!("../../testdata/certificates/rsa-pss.csr"),
        ] {
            let mut request = der(text);
            assert_eq!(Request::parse(&request).expect("a request").check_signature(), Ok(()));
            // A subject that was not signed.
            let letter = request.windows(4).position(|window| window == b"jane").expect("the common name");
            request[letter] = b'm';
            let changed = Request::parse(&request).expect("a request").check_signature();
            assert!(changed.is_err_and(|error| error.contains("verification")), "{text}");
        }
    }

    #[test]
    fn numbers_of_rsa_can_be_a_key() {
        let mut modulus = [0xff; 128];
        let error = |modulus: &[u8], exponent: u64| {
            check_numbers(modulus, &exponent.to_be_bytes()).err().unwrap_or_default()
        };
        for exponent in [3, 65_537, (1 << 31) - 1] {
            assert_eq!(error(&modulus, exponent), "", "{exponent}");
        }
        assert_eq!(error(&modulus, 1), "crypto/rsa: public exponent too small or negative");
        assert_eq!(error(&modulus, 1 << 32), "crypto/rsa: public exponent is even");
        assert_eq!(error(&modulus, (1 << 31) + 1), "crypto/rsa: public exponent too large");
        modulus[127] = 0xfe;
        assert_eq!(error(&modulus, 1), "crypto/rsa: public modulus is even");
        modulus[0] = 0x7f;
        assert_eq!(
            error(&modulus, 1),
            "crypto/rsa: 1023-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)"
        );
    }

    #[test]
    fn says_what_is_wrong() {
        let request = der(include_str!("../../testdata/certificates/developers.csr"));
        let error = |der: &[u8]| Request::parse(der).expect_err("no request");
        assert_eq!(error(&[request.as_slice(), b"x"].concat()), "asn1: syntax error: trailing data");
        assert_eq!(error(&request[..request.len() - 1]), "asn1: syntax error: data truncated");
        assert!(
            error(b"foo")
                .starts_with("asn1: structure error: tags don't match (16 vs {class:1 tag:6 length:111 ")
        );
    }
}
