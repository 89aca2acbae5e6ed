//! Misspelt names of objects that exist.

use crate::admission::{Change, Need, Refusal, Remedy};
use crate::cluster::Cluster;

/// The most characters that are wrong in a misspelt name.
const MAX_MISTAKES: usize = 2;

/// Returns the change of the name of a missing object into the only near one that exists.
pub(super) fn remedies(refusal: &Refusal, cluster: &Cluster) -> Option<Remedy> {
    let ([Need::Object { resource, namespace, name }], [field]) = (&*refusal.needs, &*refusal.fields) else {
        return None;
    };
    let objects = cluster.list(resource, namespace);
    let near = nearest(name, objects.iter().map(|object| object.name()))?;
    Some(Remedy::of(Change::set(field.clone(), near)))
}

/// Returns the only one of `known` that is near to `written`.
pub(super) fn nearest<'a>(written: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = MAX_MISTAKES.min(written.chars().count() / 3);
    let distance = |known: &str| {
        if known.eq_ignore_ascii_case(written) { 0 } else { strsim::damerau_levenshtein(known, written) }
    };
    let mut near: Vec<(usize, &str)> = known.map(|known| (distance(known), known)).collect();
    near.retain(|(distance, _)| *distance <= most);
    near.sort_unstable();
    match near[..] {
        [(_, only)] => Some(only),
        [(first, only), (second, _), ..] if first < second => Some(only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_one_near_name_is_meant() {
        assert_eq!(nearest("contianers", ["containers", "initContainers"].into_iter()), Some("containers"));
        assert_eq!(nearest("always", ["Always", "Never"].into_iter()), Some("Always"));
        assert_eq!(nearest("web-3", ["web-1", "web-2"].into_iter()), None);
        assert_eq!(nearest("db", ["dc"].into_iter()), None);
    }
}
