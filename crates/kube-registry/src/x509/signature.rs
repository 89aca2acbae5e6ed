//! Whether a key made a signature.
//!
//! Source: `crypto/ed25519`, `crypto/ecdsa`, `crypto/rsa`

use p256::ecdsa::signature::Verifier;
use p256::ecdsa::signature::hazmat::PrehashVerifier;
use rsa::{BoxedUint, PublicKey, pkcs1v15, pss};
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha256, Sha384, Sha512};

use crate::x509::der::Der;

/// A public key of a kind that signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key<'a> {
    /// The point.
    Ed25519(&'a [u8]),
    /// The point on the curve, as SEC1 has it.
    P224(&'a [u8]),
    /// The point on the curve, as SEC1 has it.
    P256(&'a [u8]),
    /// The point on the curve, as SEC1 has it.
    P384(&'a [u8]),
    /// The point on the curve, as SEC1 has it.
    P521(&'a [u8]),
    /// The modulus and the exponent, the most significant byte first.
    Rsa { modulus: &'a [u8], exponent: &'a [u8] },
}

/// A hash of a message, of which the signature is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// The form of a signature by an RSA key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    /// PKCS #1, version 1.5.
    Pkcs1,
    /// PSS, with salt of any length.
    Pss,
    /// PSS, with salt as long as the hash.
    PssOfHash,
}

impl Hash {
    fn of(self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha1 => Sha1::digest(message).to_vec(),
            Self::Sha256 => Sha256::digest(message).to_vec(),
            Self::Sha384 => Sha384::digest(message).to_vec(),
            Self::Sha512 => Sha512::digest(message).to_vec(),
        }
    }
}

/// Whether `key` made the signature of `message`: of its `hash`, except with Ed25519.
pub(crate) fn is_made_by(
    key: Key<'_>,
    (hash, padding): (Hash, Padding),
    message: &[u8],
    signature: &[u8],
) -> bool {
    let is_made = match key {
        Key::Ed25519(point) => is_of_ed25519(point, message, signature),
        Key::P224(point) => is_of_p224(point, &hash.of(message), signature),
        Key::P256(point) => is_of_p256(point, &hash.of(message), signature),
        Key::P384(point) => is_of_p384(point, &hash.of(message), signature),
        Key::P521(point) => is_of_p521(point, &hash.of(message), signature),
        Key::Rsa { modulus, exponent } => is_of_rsa(modulus, exponent, (hash, padding), message, signature),
    };
    is_made.unwrap_or(false)
}

fn is_of_ed25519(point: &[u8], message: &[u8], signature: &[u8]) -> Option<bool> {
    let key = ed25519_dalek::VerifyingKey::from_bytes(point.try_into().ok()?).ok()?;
    let signature = ed25519_dalek::Signature::from_slice(signature).ok()?;
    Some(ed25519_dalek::Verifier::verify(&key, message, &signature).is_ok())
}

fn is_of_p224(point: &[u8], digest: &[u8], signature: &[u8]) -> Option<bool> {
    let key = p224::ecdsa::VerifyingKey::from_sec1_bytes(point).ok()?;
    let signature = p224::ecdsa::Signature::from_slice(&scalars(signature, 28)?).ok()?;
    Some(key.verify_prehash(&padded(digest, 28), &signature).is_ok())
}

fn is_of_p256(point: &[u8], digest: &[u8], signature: &[u8]) -> Option<bool> {
    let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(point).ok()?;
    let signature = p256::ecdsa::Signature::from_slice(&scalars(signature, 32)?).ok()?;
    Some(key.verify_prehash(&padded(digest, 32), &signature).is_ok())
}

fn is_of_p384(point: &[u8], digest: &[u8], signature: &[u8]) -> Option<bool> {
    let key = p384::ecdsa::VerifyingKey::from_sec1_bytes(point).ok()?;
    let signature = p384::ecdsa::Signature::from_slice(&scalars(signature, 48)?).ok()?;
    Some(key.verify_prehash(&padded(digest, 48), &signature).is_ok())
}

fn is_of_p521(point: &[u8], digest: &[u8], signature: &[u8]) -> Option<bool> {
    let key = p521::ecdsa::VerifyingKey::from_sec1_bytes(point).ok()?;
    let signature = p521::ecdsa::Signature::from_slice(&scalars(signature, 66)?).ok()?;
    Some(key.verify_prehash(&padded(digest, 66), &signature).is_ok())
}

/// Returns a digest of at least `size` bytes: the crates refuse those of less than half of the size of the field; zeros in
/// front do not change the number.
fn padded(digest: &[u8], size: usize) -> Vec<u8> {
    let mut padded = vec![0; size.saturating_sub(digest.len())];
    padded.extend(digest);
    padded
}

/// Returns the two numbers of a signature in DER, each of `size` bytes.
fn scalars(der: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut numbers = Der::integers(der)?;
    let second = numbers.pop()?;
    let first = numbers.pop().filter(|_| numbers.is_empty())?;
    let mut scalars = Vec::with_capacity(2 * size);
    for number in [first, second] {
        let digits = number.strip_prefix(&[0]).unwrap_or(number);
        scalars.extend(std::iter::repeat_n(0, size.checked_sub(digits.len())?));
        scalars.extend(digits);
    }
    Some(scalars)
}

/// The largest public exponent of an RSA key.
pub(super) const MAX_EXPONENT: u32 = (1 << 31) - 1;
/// The largest modulus of a key that is used, in bits: what follows takes time.
pub(super) const MAX_MODULUS: usize = 16 * 1024;

fn is_of_rsa(
    modulus: &[u8],
    exponent: &[u8],
    (hash, padding): (Hash, Padding),
    message: &[u8],
    signature: &[u8],
) -> Option<bool> {
    let number = |bytes| Some(BoxedUint::from_be_slice_vartime(bytes));
    let key = PublicKey::new_with_size_limits(number(modulus)?, number(exponent)?, 1..=MAX_MODULUS).ok()?;
    match hash {
        Hash::Sha1 => is_of_rsa_with::<Sha1>(key, padding, message, signature),
        Hash::Sha256 => is_of_rsa_with::<Sha256>(key, padding, message, signature),
        Hash::Sha384 => is_of_rsa_with::<Sha384>(key, padding, message, signature),
        Hash::Sha512 => is_of_rsa_with::<Sha512>(key, padding, message, signature),
    }
}

fn is_of_rsa_with<D>(key: PublicKey, padding: Padding, message: &[u8], signature: &[u8]) -> Option<bool>
where
    D: Digest + sha2::digest::FixedOutputReset + sha2::digest::const_oid::AssociatedOid,
{
    let key = match padding {
        Padding::Pkcs1 => {
            let signature = pkcs1v15::Signature::try_from(signature).ok()?;
            return Some(pkcs1v15::VerifyingKey::<D>::new(key).verify(message, &signature).is_ok());
        }
        Padding::Pss => pss::VerifyingKey::<D>::new_with_auto_salt_len(key),
        Padding::PssOfHash => pss::VerifyingKey::<D>::new(key),
    };
    let signature = pss::Signature::try_from(signature).ok()?;
    Some(key.verify(message, &signature).is_ok())
}
