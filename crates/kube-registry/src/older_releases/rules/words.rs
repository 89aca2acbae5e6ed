//! The words about names and addresses, which all kinds share and which changed for all of them at once.

use kube_api::field::{Error, ErrorType};

/// Words of the newest release.
struct Words {
    /// The minor of the first release with them.
    since: u32,
    /// The words.
    now: &'static str,
    /// Those of the releases before.
    then: &'static str,
}

const fn changed_in(since: u32, now: &'static str, then: &'static str) -> Words {
    Words { since, now, then }
}

/// The words, the oldest release first: a text passes through all that it has.
static WORDS: &[Words] = &[
    changed_in(20, "a lowercase RFC 1123 label must", "a DNS-1123 label must"),
    changed_in(20, "a lowercase RFC 1123 subdomain must", "a DNS-1123 subdomain must"),
    changed_in(20, "(e.g. 10.9.8.7 or 2001:db8::ffff)", "(e.g. 10.9.8.7)"),
    changed_in(23, "(127.0.0.0/8, ::1/128)", "(127.0.0.0/8)"),
    changed_in(23, "(169.254.0.0/16, fe80::/10)", "(169.254.0.0/16)"),
    changed_in(23, "(224.0.0.0/24, ff02::/10)", "(224.0.0.0/24)"),
    changed_in(26, "must not contain dots", LABEL),
    changed_in(35, "a valid label key ", "a qualified name "),
    changed_in(35, "must be no more than 63 bytes", "must be no more than 63 characters"),
    changed_in(35, "must be no more than 253 bytes", "must be no more than 253 characters"),
];
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
                     start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for \
                     validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/// Replaces the words of an error about a name or an address by those of the release 1.`minor`.
pub(super) fn of_release(error: &mut Error, minor: u32) {
    if error.error_type != ErrorType::Invalid {
        return;
    }
    for words in WORDS.iter().rev().filter(|words| minor < words.since) {
        if error.detail.contains(words.now) {
            error.detail = error.detail.replace(words.now, words.then);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::field::Path;

    #[test]
    fn releases_before_the_boundary_have_other_words() {
        for words in WORDS {
            let in_release = |minor| {
                let mut error = Error::invalid_text(&Path::new("metadata"), "a", words.now);
                of_release(&mut error, minor);
                error.detail
            };
            assert_eq!(in_release(words.since), words.now);
            assert_ne!(in_release(words.since - 1), words.now);
        }
    }
}
