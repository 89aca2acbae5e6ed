//! Whether a key made a signature.
//!
//! Source: `crypto/ed25519`, `crypto/ecdsa`, `crypto/rsa`

use p256::ecdsa::signature::hazmat::PrehashVerifier;
use sha2::{Digest, Sha256};

/// A public key of a kind that signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PublicKey<'a> {
    /// The point.
    Ed25519(&'a [u8]),
    /// The point on the curve, as SEC1 has it.
    P256(&'a [u8]),
    /// The point on the curve, as SEC1 has it.
    P384(&'a [u8]),
    /// The point on the curve, as SEC1 has it.
    P521(&'a [u8]),
    /// The modulus and the exponent, the most significant byte first.
    Rsa { modulus: &'a [u8], exponent: &'a [u8] },
}

/// Whether `key` made the signature of `message`: of its SHA-256, except with Ed25519, and with RSA in the form PSS.
pub(super) fn is_made_by(key: PublicKey<'_>, message: &[u8], signature: &[u8]) -> bool {
    let digest = Sha256::digest(message);
    match key {
        PublicKey::Ed25519(point) => is_of_ed25519(point, message, signature).unwrap_or(false),
        PublicKey::P256(point) => is_of_p256(point, &digest, signature).unwrap_or(false),
        PublicKey::P384(point) => is_of_p384(point, &digest, signature).unwrap_or(false),
        PublicKey::P521(point) => is_of_p521(point, &digest, signature).unwrap_or(false),
        PublicKey::Rsa { modulus, exponent } => {
            is_of_rsa(modulus, exponent, &digest, signature).unwrap_or(false)
        }
    }
}

fn is_of_ed25519(point: &[u8], message: &[u8], signature: &[u8]) -> Option<bool> {
    let key = ed25519_dalek::VerifyingKey::from_bytes(point.try_into().ok()?).ok()?;
    let signature = ed25519_dalek::Signature::from_slice(signature).ok()?;
    Some(ed25519_dalek::Verifier::verify(&key, message, &signature).is_ok())
}

fn is_of_p256(point: &[u8], digest: &[u8], signature: &[u8]) -> Option<bool> {
    let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(point).ok()?;
    let signature = p256::ecdsa::Signature::from_slice(&scalars(signature, 32)?).ok()?;
    Some(key.verify_prehash(digest, &signature).is_ok())
}

fn is_of_p384(point: &[u8], digest: &[u8], signature: &[u8]) -> Option<bool> {
    let key = p384::ecdsa::VerifyingKey::from_sec1_bytes(point).ok()?;
    let signature = p384::ecdsa::Signature::from_slice(&scalars(signature, 48)?).ok()?;
    Some(key.verify_prehash(digest, &signature).is_ok())
}

fn is_of_p521(point: &[u8], digest: &[u8], signature: &[u8]) -> Option<bool> {
    let key = p521::ecdsa::VerifyingKey::from_sec1_bytes(point).ok()?;
    let signature = p521::ecdsa::Signature::from_slice(&scalars(signature, 66)?).ok()?;
    // The crate refuses digests of less than half of the size of the field; zeros in front do not change the number.
    let digest = [&[0; 66 - 32], digest].concat();
    Some(key.verify_prehash(&digest, &signature).is_ok())
}

/// Returns the two numbers of a signature in DER, each of `size` bytes.
fn scalars(der: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut numbers = crate::x509::integers(der)?;
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

/// Implements `rsa.VerifyPSS`, with salt of any length.
fn is_of_rsa(modulus: &[u8], exponent: &[u8], digest: &[u8], signature: &[u8]) -> Option<bool> {
    let modulus = modulus.strip_prefix(&[0]).unwrap_or(modulus);
    if signature.len() != modulus.len() {
        return Some(false);
    }
    let message = number::power(signature, exponent, modulus)?;
    let bits = modulus.len() * 8 - usize::try_from(modulus.first()?.leading_zeros()).ok()? - 1;
    let message = &message[message.len() - bits.div_ceil(8)..];
    let (block, hash) = message.strip_suffix(&[0xbc])?.split_at_checked(message.len() - 33)?;
    let unused = 8 * message.len() - bits;
    let mut block: Vec<u8> =
        block.iter().zip(mask(hash, block.len())).map(|(byte, mask)| byte ^ mask).collect();
    let first = block.first_mut()?;
    *first &= 0xff >> unused;
    let start = block.iter().position(|byte| *byte != 0).filter(|start| block[*start] == 1)?;
    let salt = &block[start + 1..];
    let expected = Sha256::new().chain_update([0; 8]).chain_update(digest).chain_update(salt).finalize();
    Some(expected.as_slice() == hash)
}

/// Returns `length` bytes of the mask that grows from `seed` (MGF1).
fn mask(seed: &[u8], length: usize) -> Vec<u8> {
    let mut mask = Vec::with_capacity(length + 32);
    for counter in 0_u32.. {
        if mask.len() >= length {
            break;
        }
        mask.extend(Sha256::new().chain_update(seed).chain_update(counter.to_be_bytes()).finalize());
    }
    mask.truncate(length);
    mask
}

/// Whole numbers of many digits, the most significant first. What is computed with is public, so time may depend on it.
mod number {
    /// Returns `base` to the power of `exponent` modulo `modulus`, in as many bytes as that has.
    pub(super) fn power(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Option<Vec<u8>> {
        let modulus = limbs(modulus);
        if modulus.iter().all(|limb| *limb == 0) {
            return None;
        }
        let base = limbs(base);
        if !is_less(&base, &modulus) {
            return None;
        }
        let mut result: Option<Vec<u64>> = None;
        for bit in exponent.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)) {
            result = result.map(|result| product(&result, &result, &modulus));
            if bit == 1 {
                result =
                    Some(result.map_or_else(|| base.clone(), |result| product(&result, &base, &modulus)));
            }
        }
        let bytes: Vec<u8> = result?.iter().rev().flat_map(|limb| limb.to_be_bytes()).collect();
        Some(bytes)
    }

    /// Returns the digits, the least significant first.
    fn limbs(bytes: &[u8]) -> Vec<u64> {
        let limb = |chunk: &[u8]| chunk.iter().fold(0, |limb, byte| limb << 8 | u64::from(*byte));
        bytes.rchunks(8).map(limb).collect()
    }

    fn is_less(left: &[u64], right: &[u64]) -> bool {
        left.iter().rev().lt(right.iter().rev())
    }

    /// Returns the product of two numbers that are less than `modulus`: doubles and adds.
    fn product(left: &[u64], right: &[u64], modulus: &[u64]) -> Vec<u64> {
        let mut result = vec![0; modulus.len()];
        for limb in left.iter().rev() {
            for bit in (0..64).rev() {
                let carry = double(&mut result);
                reduce(&mut result, carry, modulus);
                if limb >> bit & 1 == 1 {
                    let carry = add(&mut result, right);
                    reduce(&mut result, carry, modulus);
                }
            }
        }
        result
    }

    fn double(number: &mut [u64]) -> bool {
        let mut carry = 0;
        for limb in number {
            (*limb, carry) = (*limb << 1 | carry, *limb >> 63);
        }
        carry == 1
    }

    fn add(number: &mut [u64], other: &[u64]) -> bool {
        let mut carry = false;
        for (limb, other) in number.iter_mut().zip(other) {
            let (sum, first) = limb.overflowing_add(*other);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*limb, carry) = (sum, first || second);
        }
        carry
    }

    /// Subtracts `modulus` once if the number, with its carry, is not less.
    fn reduce(number: &mut [u64], carry: bool, modulus: &[u64]) {
        if !carry && is_less(number, modulus) {
            return;
        }
        let mut borrow = false;
        for (limb, other) in number.iter_mut().zip(modulus) {
            let (rest, first) = limb.overflowing_sub(*other);
            let (rest, second) = rest.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (rest, first || second);
        }
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn raises_to_a_power() {
            let power = |base: u64, exponent: u64, modulus: u64| {
                let bytes = |number: u64| number.to_be_bytes().to_vec();
                let power = super::power(&bytes(base), &bytes(exponent), &bytes(modulus)).expect("a number");
                u64::from_be_bytes(power.try_into().expect("as long as the modulus"))
            };
            assert_eq!(power(4, 13, 497), 445);
            assert_eq!(power(2, 65537, u64::MAX - 58), {
                let modulus = u128::from(u64::MAX - 58);
                let expected = (0..65537).fold(1_u128, |power, _| power * 2 % modulus);
                u64::try_from(expected).expect("less than the modulus")
            });
        }
    }
}
