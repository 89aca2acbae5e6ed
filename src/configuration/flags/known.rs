//! The flags that kube-apiserver of the newest release has.
//!
//! Source: `AddFlags` of `k8s.io/kubernetes/cmd/kube-apiserver/app/options` and of the options in it.

/// The names, one per line, in order.
const NAMES: &str = include_str!("known.txt");

/// Flags that are gone, and the release that was the first without them.
const GONE: [(&str, u32); 5] = [
    ("address", 24),
    ("basic-auth-file", 19),
    ("insecure-bind-address", 24),
    ("insecure-port", 24),
    ("port", 24),
];

/// Returns the minor of the first release without `flag`, which older ones have.
pub(in crate::configuration) fn gone_since(flag: &str) -> Option<u32> {
    let name = flag.strip_prefix("--")?;
    GONE.iter().find(|(gone, _)| *gone == name).map(|(_, minor)| *minor)
}

/// The most wrong characters of a misspelt flag.
const MAX_MISTAKES: usize = 3;

/// Whether the server has `flag`, which begins with two dashes.
pub(in crate::configuration) fn is_known(flag: &str) -> bool {
    flag.strip_prefix("--").is_some_and(|name| NAMES.lines().any(|known| known == name))
}

/// Returns the flag that `flag` was probably meant to be.
pub(in crate::configuration) fn nearest(flag: &str) -> Option<String> {
    let name = flag.strip_prefix("--")?;
    let near = NAMES.lines().map(|known| (strsim::damerau_levenshtein(known, name), known));
    let (distance, near) = near.min()?;
    (distance <= MAX_MISTAKES).then(|| format!("--{near}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(NAMES.lines().is_sorted());
        assert!(is_known("--admission-control") && !is_known("--insecure-port") && !is_known("secure-port"));
        assert_eq!(nearest("--enable-admision-plugins").as_deref(), Some("--enable-admission-plugins"));
        assert_eq!(nearest("--insecure-bind-address"), None);
    }
}
