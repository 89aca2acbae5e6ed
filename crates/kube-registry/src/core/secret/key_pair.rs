//! Whether a private key is that of a certificate. For elliptic curves this is known if the key includes its public
//! part, as most do.
//!
//! Source: `crypto/tls.X509KeyPair`, `crypto/x509`.

/// The comparable part of a key.
#[derive(Debug, PartialEq, Eq)]
enum KeyMaterial<'a> {
    /// The modulus.
    Rsa(&'a [u8]),
    /// The point on the curve, if the key has it.
    Ec(Option<&'a [u8]>),
    Ed25519,
}

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;

/// `1.2.840.113549.1.1.1`
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
/// `1.2.840.10045.2.1`
const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
/// `1.3.101.112`
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

/// Returns Go's error about a certificate and a private key in DER that do not match.
pub(super) fn mismatch(certificate: &[u8], key: &[u8]) -> Option<&'static str> {
    let Some((SEQUENCE, content, _)) = element(certificate) else {
        return Some("x509: malformed certificate");
    };
    let Some(private) = private_key(key) else { return Some("tls: failed to parse private key") };
    // Errors deeper in a certificate have many texts.
    let public = certificate_key(content)?;
    match (public, private) {
        (KeyMaterial::Rsa(public), KeyMaterial::Rsa(private)) if public != private => {
            Some("tls: private key does not match public key")
        }
        (KeyMaterial::Ec(Some(public)), KeyMaterial::Ec(Some(private))) if public != private => {
            Some("tls: private key does not match public key")
        }
        (KeyMaterial::Rsa(_), KeyMaterial::Rsa(_))
        | (KeyMaterial::Ec(_), KeyMaterial::Ec(_))
        | (KeyMaterial::Ed25519, KeyMaterial::Ed25519) => None,
        _ => Some("tls: private key type does not match public key type"),
    }
}

/// Returns the first element of `der`: its tag, its content, and the rest.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        if bytes.is_empty() || bytes.len() > 4 {
            return None;
        }
        (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// Returns the content of the first element, which must have `tag`, and the rest.
fn expect(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    element(der).filter(|(found, ..)| *found == tag).map(|(_, content, rest)| (content, rest))
}

/// Returns the modulus at the start of an RSA key of either kind.
fn modulus(der: &[u8]) -> Option<&[u8]> {
    expect(der, INTEGER).map(|(modulus, _)| modulus)
}

/// Returns the public key of a certificate, of which `content` is the content.
fn certificate_key(content: &[u8]) -> Option<KeyMaterial<'_>> {
    let (mut rest, _) = expect(content, SEQUENCE)?;
    if let Some((0xa0, _, after)) = element(rest) {
        rest = after;
    }
    // Serial number, algorithm, issuer, validity and subject.
    for tag in [INTEGER, SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE] {
        rest = expect(rest, tag)?.1;
    }
    let (info, _) = expect(rest, SEQUENCE)?;
    let (algorithm, rest) = expect(info, SEQUENCE)?;
    let (bits, _) = expect(rest, BIT_STRING)?;
    let key = bits.get(1..)?;
    match expect(algorithm, OBJECT_IDENTIFIER)?.0 {
        RSA => modulus(expect(key, SEQUENCE)?.0).map(KeyMaterial::Rsa),
        EC => Some(KeyMaterial::Ec(Some(key))),
        ED25519 => Some(KeyMaterial::Ed25519),
        _ => None,
    }
}

/// Source: `parsePrivateKey`
fn private_key(der: &[u8]) -> Option<KeyMaterial<'_>> {
    let (content, _) = expect(der, SEQUENCE)?;
    let (version, rest) = expect(content, INTEGER)?;
    match element(rest)? {
        // PKCS #1.
        (INTEGER, modulus, _) if version == [0] => Some(KeyMaterial::Rsa(modulus)),
        // PKCS #8.
        (SEQUENCE, algorithm, rest) => {
            let (key, _) = expect(rest, OCTET_STRING)?;
            match expect(algorithm, OBJECT_IDENTIFIER)?.0 {
                RSA => {
                    let (key, _) = expect(key, SEQUENCE)?;
                    modulus(expect(key, INTEGER)?.1).map(KeyMaterial::Rsa)
                }
                EC => elliptic(key),
                ED25519 => expect(key, OCTET_STRING).map(|_| KeyMaterial::Ed25519),
                _ => None,
            }
        }
        (OCTET_STRING, ..) if version == [1] => elliptic(der),
        _ => None,
    }
}

/// Returns a key as SEC 1 writes it.
fn elliptic(der: &[u8]) -> Option<KeyMaterial<'_>> {
    let (content, _) = expect(der, SEQUENCE)?;
    let (version, rest) = expect(content, INTEGER)?;
    let (_, mut rest) = expect(rest, OCTET_STRING)?;
    if version != [1] {
        return None;
    }
    while let Some((tag, content, after)) = element(rest) {
        if tag == 0xa1 {
            return Some(KeyMaterial::Ec(expect(content, BIT_STRING)?.0.get(1..)));
        }
        rest = after;
    }
    Some(KeyMaterial::Ec(None))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an element with `tag`.
    fn der(tag: u8, content: &[&[u8]]) -> Vec<u8> {
        let content = content.concat();
        [&[tag, u8::try_from(content.len()).expect("is short")], &content[..]].concat()
    }

    fn certificate(algorithm: &[u8], key: &[u8]) -> Vec<u8> {
        let empty = der(SEQUENCE, &[]);
        let algorithm = der(SEQUENCE, &[&der(OBJECT_IDENTIFIER, &[algorithm])]);
        let info = der(SEQUENCE, &[&algorithm, &der(BIT_STRING, &[&[0], key])]);
        let body = der(SEQUENCE, &[&der(INTEGER, &[&[1]]), &empty, &empty, &empty, &empty, &info]);
        der(SEQUENCE, &[&body, &empty])
    }

    fn rsa_public(modulus: u8) -> Vec<u8> {
        der(SEQUENCE, &[&der(INTEGER, &[&[modulus]]), &der(INTEGER, &[&[3]])])
    }

    fn rsa_private(modulus: u8) -> Vec<u8> {
        der(SEQUENCE, &[&der(INTEGER, &[&[0]]), &der(INTEGER, &[&[modulus]]), &der(INTEGER, &[&[3]])])
    }

    fn ec_private(point: &[u8]) -> Vec<u8> {
        let public = der(0xa1, &[&der(BIT_STRING, &[&[0], point])]);
        der(SEQUENCE, &[&der(INTEGER, &[&[1]]), &der(OCTET_STRING, &[&[7]]), &public])
    }

    #[test]
    fn a_key_is_that_of_its_certificate_or_not() {
        let certificate_of_rsa = certificate(RSA, &rsa_public(5));
        assert_eq!(mismatch(&certificate_of_rsa, &rsa_private(5)), None);
        let other = Some("tls: private key does not match public key");
        assert_eq!(mismatch(&certificate_of_rsa, &rsa_private(6)), other);
        let algorithm = der(SEQUENCE, &[&der(OBJECT_IDENTIFIER, &[RSA])]);
        let wrapped =
            der(SEQUENCE, &[&der(INTEGER, &[&[0]]), &algorithm, &der(OCTET_STRING, &[&rsa_private(5)])]);
        assert_eq!(mismatch(&certificate_of_rsa, &wrapped), None);
        let type_differs = Some("tls: private key type does not match public key type");
        assert_eq!(mismatch(&certificate_of_rsa, &ec_private(&[4, 1])), type_differs);
        let certificate_of_ec = certificate(EC, &[4, 1]);
        assert_eq!(mismatch(&certificate_of_ec, &ec_private(&[4, 1])), None);
        assert_eq!(mismatch(&certificate_of_ec, &ec_private(&[4, 2])), other);
        assert_eq!(mismatch(&certificate_of_ec, b"x"), Some("tls: failed to parse private key"));
        assert_eq!(mismatch(b"x", &rsa_private(5)), Some("x509: malformed certificate"));
    }
}
