//! Public keys in certificates and in requests for them.
//!
//! Source: `parsePublicKey` of `crypto/x509/parser.go`

use crate::x509::der::{Der, SEQUENCE};
use crate::x509::signature::Key;

/// `1.2.840.113549.1.1.1`
pub(super) const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
/// `1.2.840.10040.4.1`
const DSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01];
/// `1.2.840.10045.2.1`
pub(super) const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
/// `1.3.101.110`
pub(super) const X25519: &[u8] = &[0x2b, 0x65, 0x6e];
/// `1.3.101.112`
pub(super) const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

/// `1.3.132.0.33`
pub(super) const P224: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x21];
/// `1.2.840.10045.3.1.7`
pub(super) const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
/// `1.3.132.0.34`
pub(super) const P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];
/// `1.3.132.0.35`
pub(super) const P521: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x23];

/// The numbers of the fields that curves are over, the most significant byte first: coordinates are smaller.
const FIELD_OF_P224: [u8; 28] =
    *b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\x01";
const FIELD_OF_P256: [u8; 32] =
    *b"\xff\xff\xff\xff\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
const FIELD_OF_P384: [u8; 48] = *b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\
       \xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\
       \xff\xff\xff\xff\0\0\0\0\0\0\0\0\xff\xff\xff\xff";
const FIELD_OF_P521: [u8; 66] = {
    let mut field = [0xff; 66];
    field[0] = 1;
    field
};

/// The parameters of keys that have none to give.
const NULL: &[u8] = &[0x05, 0x00];

/// A public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PublicKey<'a> {
    /// One whose signatures are verified.
    Signing(Key<'a>),
    /// One of a known type whose signatures are not.
    Other,
    /// One of an unknown type, which is not read.
    Unknown,
}

impl<'a> PublicKey<'a> {
    /// Reads the `bits` of a key of the type `algorithm`, an identifier; `parameters` is a whole element, or nothing.
    ///
    /// # Errors
    ///
    /// Returns Go's error.
    pub(crate) fn parse(algorithm: &[u8], parameters: &[u8], bits: &'a [u8]) -> Result<Self, String> {
        match algorithm {
            RSA => rsa(parameters, bits).map(Self::Signing),
            EC => elliptic(parameters, bits).map(Self::Signing),
            ED25519 if !parameters.is_empty() => fault("x509: Ed25519 key encoded with illegal parameters"),
            ED25519 if bits.len() != 32 => fault("x509: wrong Ed25519 public key size"),
            ED25519 => Ok(Self::Signing(Key::Ed25519(bits))),
            X25519 if !parameters.is_empty() => fault("x509: X25519 key encoded with illegal parameters"),
            X25519 if bits.len() != 32 => fault("crypto/ecdh: invalid public key"),
            X25519 => Ok(Self::Other),
            DSA => dsa(parameters, bits).map(|()| Self::Other),
            _ => Ok(Self::Unknown),
        }
    }
}

fn fault<T>(message: &str) -> Result<T, String> {
    Err(message.to_owned())
}

fn rsa<'a>(parameters: &[u8], bits: &'a [u8]) -> Result<Key<'a>, String> {
    if parameters != NULL {
        return fault("x509: RSA key missing NULL parameters");
    }
    let Some(mut key) = Der(bits).read(SEQUENCE) else { return fault("x509: invalid RSA public key") };
    let Some(modulus) = key.read_integer() else { return fault("x509: invalid RSA modulus") };
    let Some(exponent) = key.read_integer().filter(|exponent| exponent.len() <= 8) else {
        return fault("x509: invalid RSA public exponent");
    };
    if !is_positive(modulus) {
        return fault("x509: RSA modulus is not a positive number");
    }
    if !is_positive(exponent) {
        return fault("x509: RSA public exponent is not a positive number");
    }
    Ok(Key::Rsa { modulus, exponent })
}

fn is_positive(number: &[u8]) -> bool {
    number.first().is_some_and(|first| first & 0x80 == 0) && number.iter().any(|byte| *byte != 0)
}

fn elliptic<'a>(parameters: &[u8], bits: &'a [u8]) -> Result<Key<'a>, String> {
    let Some(curve) = Der(parameters).read_identifier() else {
        return fault("x509: invalid ECDSA parameters");
    };
    // The code of one of them is assembly, with words of its own.
    let (name, element, field, key) = match curve {
        P224 => ("P224", "P224Element", &FIELD_OF_P224[..], Key::P224(bits)),
        P256 => ("P256", "P256 element", &FIELD_OF_P256[..], Key::P256(bits)),
        P384 => ("P384", "P384Element", &FIELD_OF_P384[..], Key::P384(bits)),
        P521 => ("P521", "P521Element", &FIELD_OF_P521[..], Key::P521(bits)),
        _ => return fault("x509: unsupported elliptic curve"),
    };
    if bits.first() != Some(&4) {
        return fault("ecdsa: invalid uncompressed public key");
    }
    if bits.len() != 1 + 2 * field.len() {
        return Err(format!("invalid {name} point encoding"));
    }
    if bits[1..].chunks(field.len()).any(|number| number >= field) {
        return Err(format!("invalid {element} encoding"));
    }
    let is_on_curve = match key {
        Key::P224(point) => p224::ecdsa::VerifyingKey::from_sec1_bytes(point).is_ok(),
        Key::P256(point) => p256::ecdsa::VerifyingKey::from_sec1_bytes(point).is_ok(),
        Key::P384(point) => p384::ecdsa::VerifyingKey::from_sec1_bytes(point).is_ok(),
        Key::P521(point) => p521::ecdsa::VerifyingKey::from_sec1_bytes(point).is_ok(),
        _ => true,
    };
    if is_on_curve { Ok(key) } else { Err(format!("{name} point not on curve")) }
}

fn dsa(parameters: &[u8], bits: &[u8]) -> Result<(), String> {
    let Some(key) = Der(bits).read_integer() else { return fault("x509: invalid DSA public key") };
    let numbers = Der(parameters)
        .read(SEQUENCE)
        .and_then(|mut list| Some([list.read_integer()?, list.read_integer()?, list.read_integer()?]));
    let Some(numbers) = numbers else { return fault("x509: invalid DSA parameters") };
    if is_positive(key) && numbers.into_iter().all(is_positive) {
        Ok(())
    } else {
        fault("x509: zero or negative DSA parameter")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_point_off_the_curve() {
        let curves = [
            ("P224", "P224Element", P224, 28),
            ("P256", "P256 element", P256, 32),
            ("P384", "P384Element", P384, 48),
            ("P521", "P521Element", P521, 66),
        ];
        for (name, element, curve, size) in curves {
            let length = u8::try_from(curve.len()).expect("a short identifier");
            let parameters = [&[6, length], curve].concat();
            let mut point = vec![1; 1 + 2 * size];
            assert_eq!(
                PublicKey::parse(EC, &parameters, &point),
                fault("ecdsa: invalid uncompressed public key")
            );
            point[0] = 4;
            // The first byte of a coordinate of P521 has one bit.
            assert_eq!(PublicKey::parse(EC, &parameters, &point), Err(format!("{name} point not on curve")));
            let mut large = point.clone();
            large[1 + size..].fill(0xff);
            assert_eq!(PublicKey::parse(EC, &parameters, &large), Err(format!("invalid {element} encoding")));
            assert_eq!(
                PublicKey::parse(EC, &parameters, &point[..size]),
                Err(format!("invalid {name} point encoding"))
            );
        }
    }
}
