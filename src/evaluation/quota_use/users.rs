//! The objects that changed the usage of a quota, in little memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::{fmt, iter, mem};

use crate::cluster::{Shelved, shelve};
use crate::evaluation::QuotaUser;
use gotext::varint;
use kube_api::GroupVersionKind;

/// The objects that changed the usage of a quota. There may be one for every document of a run, so each is some dozen
/// bytes, of which all but the last are out of the way: what repeats (kinds, names of resources) by its number.
#[derive(Clone, Default)]
pub struct QuotaUsers {
    words: Vec<Box<str>>,
    earlier: Vec<Shelved>,
    bytes: Vec<u8>,
}

/// The number of bytes that are moved out of the way together.
const FULL: usize = 4096;

impl QuotaUsers {
    /// Adds the object `name`, and what it changed.
    pub(super) fn add(
        &mut self,
        kind: &GroupVersionKind,
        (namespace, name): (&str, &str),
        used: impl ExactSizeIterator<Item = (impl AsRef<str>, impl AsRef<str>)>,
    ) {
        for word in [&*kind.group, &*kind.version, &*kind.kind, namespace] {
            self.word(word);
        }
        self.text(name);
        self.number(used.len());
        for (resource, amount) in used {
            self.word(resource.as_ref());
            self.text(amount.as_ref());
        }
        if self.bytes.len() >= FULL {
            self.earlier.push(shelve(mem::take(&mut self.bytes)));
        }
    }

    /// Returns them, in the order of the run.
    pub fn iter(&self) -> impl Iterator<Item = QuotaUser> {
        let earlier = self.earlier.iter().map(Shelved::bytes);
        earlier.chain([Cow::Borrowed(&*self.bytes)]).flat_map(|bytes| {
            let mut reader = Reader { words: &self.words, bytes: &bytes };
            iter::from_fn(|| reader.user()).collect::<Vec<_>>()
        })
    }

    fn word(&mut self, word: &str) {
        let known = self.words.iter().position(|known| &**known == word);
        let number = known.unwrap_or_else(|| {
            self.words.push(word.into());
            self.words.len() - 1
        });
        self.number(number);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn number(&mut self, number: usize) {
        varint::push(&mut self.bytes, number as u64);
    }
}

impl PartialEq for QuotaUsers {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for QuotaUsers {}

impl fmt::Debug for QuotaUsers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl Extend<QuotaUser> for QuotaUsers {
    fn extend<T: IntoIterator<Item = QuotaUser>>(&mut self, users: T) {
        for QuotaUser { kind, namespace, name, used } in users {
            self.add(&kind, (&namespace, &name), used.into_iter());
        }
    }
}

impl FromIterator<QuotaUser> for QuotaUsers {
    fn from_iter<T: IntoIterator<Item = QuotaUser>>(users: T) -> Self {
        let mut own = Self::default();
        own.extend(users);
        own
    }
}

struct Reader<'a> {
    words: &'a [Box<str>],
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn user(&mut self) -> Option<QuotaUser> {
        let kind = GroupVersionKind::new(self.word()?, self.word()?, self.word()?);
        let (namespace, name) = (self.word()?, self.text()?);
        let mut used = BTreeMap::new();
        for _ in 0..self.number()? {
            used.insert(self.word()?, self.text()?);
        }
        Some(QuotaUser { kind, namespace, name, used })
    }

    fn word(&mut self) -> Option<String> {
        let number = self.number()?;
        self.words.get(number).map(ToString::to_string)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn number(&mut self) -> Option<usize> {
        usize::try_from(varint::take(&mut self.bytes)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_come_back_in_little_memory() {
        let user = |number: usize| QuotaUser {
            kind: GroupVersionKind::new("apps", "v1", "Deployment"),
            namespace: "shop".to_owned(),
            name: format!("{}{number}", "web-".repeat(number)),
            used: [("pods", "1"), ("requests.cpu", "100m")].map(|(a, b)| (a.into(), b.into())).into(),
        };
        let users: QuotaUsers = (0..200).map(user).collect();
        assert_eq!(users.iter().collect::<Vec<_>>(), (0..200).map(user).collect::<Vec<_>>());
        let few: QuotaUsers = (0..4).map(|_| user(1)).collect();
        assert_eq!(few.bytes.len(), 4 * 20);
    }
}
