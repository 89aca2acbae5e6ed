//! Private keys, as far as they tell which certificate is theirs.
//!
//! Source: `parsePrivateKey` of `crypto/tls`, `ParsePKCS1PrivateKey`, `ParsePKCS8PrivateKey` and `ParseECPrivateKey` of
//! `crypto/x509`

use p256::elliptic_curve::sec1::{FromSec1Point, ModulusSize, ToSec1Point};
use p256::elliptic_curve::{AffinePoint, CurveArithmetic, FieldBytesSize, SecretKey};
use rsa::BoxedUint;
use rsa::traits::PrivateKeyParts;

use crate::x509::asn1::{BIT_STRING, Elements, IDENTIFIER, INTEGER};
use crate::x509::public_key::{EC, ED25519, P224, P256, P384, P521, RSA, X25519};
use crate::x509::request::Algorithm;
use crate::x509::signature::{Key, MAX_EXPONENT, MAX_MODULUS};

/// The public part of a private key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PrivateKey<'a> {
    /// The modulus and the exponent, the most significant byte first.
    Rsa { modulus: &'a [u8], exponent: &'a [u8] },
    /// The point on its curve, as SEC1 has it.
    Elliptic(Vec<u8>),
    /// The point.
    Ed25519([u8; 32]),
    /// That of a type with which nothing is signed.
    X25519,
}

impl<'a> PrivateKey<'a> {
    /// Reads a key in DER.
    ///
    /// # Errors
    ///
    /// Returns Go's error.
    pub(crate) fn parse(der: &'a [u8]) -> Result<Self, String> {
        let read = read_rsa(der).or_else(|_| read_wrapped(der)).or_else(|_| read_elliptic(der, None));
        match read {
            Ok(Self::X25519) => Err("tls: found unknown private key type in PKCS#8 wrapping".to_owned()),
            Ok(key) => Ok(key),
            Err(_) => Err("tls: failed to parse private key".to_owned()),
        }
    }

    /// Whether `key` is its public part; nothing if that is a key of another type.
    pub(crate) fn is_of(&self, key: Key<'_>) -> Option<bool> {
        match (self, key) {
            (Self::Rsa { modulus, exponent }, Key::Rsa { modulus: own, exponent: public }) => {
                Some((*modulus, *exponent) == (own, public))
            }
            // Points on different curves are not of the same length.
            (Self::Elliptic(point), Key::P224(own) | Key::P256(own) | Key::P384(own) | Key::P521(own)) => {
                Some(point == own)
            }
            (Self::Ed25519(point), Key::Ed25519(own)) => Some(point == own),
            _ => None,
        }
    }
}

/// Returns an error that is not shown: Go has one text for all keys that cannot be read.
fn fault<T>(text: &str) -> Result<T, String> {
    Err(text.to_owned())
}

/// Reads a key as PKCS #1 writes it.
fn read_rsa(der: &[u8]) -> Result<PrivateKey<'_>, String> {
    let mut input = Elements::new(der);
    let (mut key, _) = input.fields("pkcs1PrivateKey")?;
    let version = key.integer()?;
    if version > 1 || !input.is_empty() {
        return fault("unsupported version, or trailing data");
    }
    let (modulus, exponent) = (key.number("")?, key.number("int")?);
    let [private, first, second] = [key.number("")?, key.number("")?, key.number("")?];
    let mut for_remainders = Vec::new();
    while for_remainders.len() < 3 && key.next_is(INTEGER) {
        for_remainders.push(key.number("")?);
    }
    let has_more_primes = key.items("").is_ok_and(|primes| !primes.is_empty());
    let numbers = [modulus, private, first, second];
    let is_positive = |number: &[u8]| number[0] & 0x80 == 0 && number != [0];
    // The others are smaller than the modulus.
    let is_possible = |number: &[u8]| is_positive(number) && number.len() <= modulus.len();
    if exponent.len() > size_of::<i64>() || !numbers.into_iter().all(is_possible) {
        return fault("impossible number");
    }
    if !has_more_primes && 8 * modulus.len() <= MAX_MODULUS {
        let number = BoxedUint::from_be_slice_vartime;
        let [modulus, exponent, private] = [modulus, exponent, private].map(number);
        if exponent > BoxedUint::from(MAX_EXPONENT) {
            return fault("public exponent too large");
        }
        let key =
            rsa::PrivateKey::from_components(modulus, exponent, private, vec![number(first), number(second)])
                .map_err(|error| error.to_string())?;
        let known = [key.dp().cloned(), key.dq().cloned(), key.crt_coefficient()];
        if !for_remainders.into_iter().zip(known).all(|(given, known)| known == Some(number(given))) {
            return fault("invalid CRT exponent or coefficient");
        }
    }
    Ok(PrivateKey::Rsa { modulus, exponent })
}

/// Reads a key of any type as PKCS #8 writes it.
fn read_wrapped(der: &[u8]) -> Result<PrivateKey<'_>, String> {
    let (mut info, _) = Elements::new(der).fields("pkcs8")?;
    info.integer()?;
    let Algorithm { identifier, parameters } = Algorithm::read(&mut info)?;
    let key = info.octets()?;
    let seed = || {
        let seed = Elements::new(key).octets().ok().filter(|_| parameters.is_empty());
        seed.and_then(|seed| <[u8; 32]>::try_from(seed).ok()).ok_or_else(|| "not a seed".to_owned())
    };
    match identifier {
        RSA => read_rsa(key),
        EC => read_elliptic(key, Elements::new(parameters).identifier().ok()),
        ED25519 => {
            let key = ed25519_dalek::SigningKey::from_bytes(&seed()?);
            Ok(PrivateKey::Ed25519(key.verifying_key().to_bytes()))
        }
        X25519 => seed().map(|_| PrivateKey::X25519),
        _ => fault("unknown algorithm"),
    }
}

/// Reads a key as SEC 1 writes it, which is on `curve` or on one that it names itself.
fn read_elliptic<'a>(der: &'a [u8], curve: Option<&'a [u8]>) -> Result<PrivateKey<'a>, String> {
    const CURVE: u32 = 0;
    const POINT: u32 = 1;
    let (mut key, _) = Elements::new(der).fields("ecPrivateKey")?;
    let (version, number) = (key.integer()?, key.octets()?);
    let named = if key.explicit(CURVE, IDENTIFIER)? { Some(key.identifier()?) } else { None };
    if key.explicit(POINT, BIT_STRING)? {
        key.bits()?;
    }
    if version != 1 {
        return fault("unknown version");
    }
    let padded = |size: usize| {
        let (zeros, digits) = number.split_at(number.len().saturating_sub(size));
        let is_small = zeros.iter().all(|byte| *byte == 0);
        is_small.then(|| [&vec![0; size - digits.len()], digits].concat())
    };
    let point = match curve.or(named) {
        Some(P224) => padded(28).and_then(|number| point_of::<p224::NistP224>(&number)),
        Some(P256) => padded(32).and_then(|number| point_of::<p256::NistP256>(&number)),
        Some(P384) => padded(48).and_then(|number| point_of::<p384::NistP384>(&number)),
        Some(P521) => padded(66).and_then(|number| point_of::<p521::NistP521>(&number)),
        _ => None,
    };
    point.map(PrivateKey::Elliptic).ok_or_else(|| "unknown curve, or invalid number".to_owned())
}

/// Returns the public part of a key on a curve, if it is one.
fn point_of<C>(number: &[u8]) -> Option<Vec<u8>>
where
    C: CurveArithmetic,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
    FieldBytesSize<C>: ModulusSize,
{
    let key = SecretKey::<C>::from_slice(number).ok()?;
    Some(key.public_key().to_sec1_point(false).as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{KeyPair, PublicKeyData};

    const NUMBER: u8 = 0x02;
    const OCTETS: u8 = 0x04;
    const SEQUENCE: u8 = 0x30;

    /// Returns an element with `tag`.
    fn der(tag: u8, content: &[&[u8]]) -> Vec<u8> {
        let content = content.concat();
        [&[tag, u8::try_from(content.len()).expect("is short")], &content[..]].concat()
    }

    #[test]
    fn knows_the_public_part_of_keys_that_sign() {
        let algorithms =
            [&rcgen::PKCS_ECDSA_P256_SHA256, &rcgen::PKCS_ECDSA_P384_SHA384, &rcgen::PKCS_ED25519];
        for algorithm in algorithms {
            let pair = KeyPair::generate_for(algorithm).expect("keys are made");
            let key = PrivateKey::parse(pair.serialized_der()).expect("it is a key");
            assert_eq!(key.point(), pair.der_bytes());
        }
    }

    #[test]
    fn reads_keys_of_rsa_alone_or_wrapped() {
        // 61 times 53.
        const MODULUS: &[u8] = &[0x0c, 0xa1];
        const PRIVATE: &[u8] = &[0x0a, 0xc1];
        let number = |digits: &[u8]| der(NUMBER, &[digits]);
        let bare = |numbers: &[&[u8]]| {
            let numbers: Vec<_> = numbers.iter().map(|digits| number(digits)).collect();
            der(SEQUENCE, &numbers.iter().map(Vec::as_slice).collect::<Vec<_>>())
        };
        let key = bare(&[&[0], MODULUS, &[17], PRIVATE, &[61], &[53]]);
        let read = Ok(PrivateKey::Rsa { modulus: MODULUS, exponent: &[17] });
        assert_eq!(PrivateKey::parse(&key), read);
        let with_remainders =
            |first: &[u8]| bare(&[&[0], MODULUS, &[17], PRIVATE, &[61], &[53], first, &[49], &[38]]);
        assert_eq!(PrivateKey::parse(&with_remainders(&[53])), read);
        let algorithm = der(SEQUENCE, &[&der(0x06, &[RSA])]);
        assert_eq!(
            PrivateKey::parse(&der(SEQUENCE, &[&number(&[0]), &algorithm, &der(OCTETS, &[&key])])),
            read
        );
        let failed = || Err("tls: failed to parse private key".to_owned());
        let wrong: [&[&[u8]]; 5] = [
            &[&[2], MODULUS, &[17], PRIVATE, &[61], &[53]],
            &[&[0], MODULUS, &[17], PRIVATE, &[61]],
            &[&[0], &[0], &[17], PRIVATE, &[61], &[53]],
            &[&[0], MODULUS, &[17], PRIVATE, &[0x85], &[53]],
            &[&[0], MODULUS, &[17], PRIVATE, &[59], &[53]],
        ];
        for numbers in wrong {
            assert_eq!(PrivateKey::parse(&bare(numbers)), failed(), "{numbers:?}");
        }
        assert_eq!(PrivateKey::parse(&with_remainders(&[52])), failed());
        assert_eq!(PrivateKey::parse(b"x"), failed());
        let exchange = der(SEQUENCE, &[&der(0x06, &[X25519])]);
        let seed = der(OCTETS, &[&der(OCTETS, &[&[7; 32]])]);
        assert_eq!(
            PrivateKey::parse(&der(SEQUENCE, &[&number(&[0]), &exchange, &seed])),
            Err("tls: found unknown private key type in PKCS#8 wrapping".to_owned())
        );
    }

    #[test]
    fn numbers_of_points_may_be_longer_or_shorter() {
        let name = der(0xa0, &[&der(0x06, &[P256])]);
        let key = |number: &[u8]| der(SEQUENCE, &[&der(NUMBER, &[&[1]]), &der(OCTETS, &[number]), &name]);
        let (short, long, other) = (key(&[7]), key(&[&[0; 40][..], &[7]].concat()), key(&[8]));
        let read = PrivateKey::parse(&short);
        assert!(read.is_ok());
        assert_eq!(read, PrivateKey::parse(&long));
        assert_ne!(read, PrivateKey::parse(&other));
        assert!(PrivateKey::parse(&key(&[0xff; 32])).is_err() && PrivateKey::parse(&key(&[1; 33])).is_err());
    }

    impl PrivateKey<'_> {
        fn point(&self) -> &[u8] {
            match self {
                Self::Elliptic(point) => point,
                Self::Ed25519(point) => point,
                Self::Rsa { .. } | Self::X25519 => &[],
            }
        }
    }
}
