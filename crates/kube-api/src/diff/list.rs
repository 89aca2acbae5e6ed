//! The difference of two lists: the items that stay, and those added and removed between them.

use std::collections::BTreeSet;

use crate::Value;

use super::Patch;

/// The number of pairs of items that are compared at most; longer lists are compared position by position.
const MAX_PAIRS: usize = 250_000;

/// Adds the steps from the list `before` to the list `after`.
pub(super) fn change(patch: &mut Patch, before: &[Value], after: &[Value]) {
    let identity = if have_names(before) && have_names(after) { Identity::Name } else { Identity::Content };
    let mut cursor = Cursor { patch, index: 0, identity };
    let (mut from, mut to) = (0, 0);
    for (kept, kept_as) in align(before, after, identity) {
        cursor.exchange(&before[from..kept], &after[to..kept_as]);
        cursor.keep(&before[kept], &after[kept_as]);
        (from, to) = (kept + 1, kept_as + 1);
    }
    cursor.exchange(&before[from..], &after[to..]);
}

/// A place in the list as the steps so far have left it.
struct Cursor<'a> {
    patch: &'a mut Patch,
    index: usize,
    identity: Identity,
}

impl Cursor<'_> {
    fn keep(&mut self, before: &Value, after: &Value) {
        self.patch.at_index(self.index, |patch| patch.change(before, after));
        self.index += 1;
    }

    /// Compares items between two that stay: they replace each other, unless they have names.
    fn exchange(&mut self, before: &[Value], after: &[Value]) {
        let exchanged = match self.identity {
            Identity::Name => 0,
            Identity::Content => before.len().min(after.len()),
        };
        for value in &after[..exchanged] {
            self.patch.at_index(self.index, |patch| patch.replace(value));
            self.index += 1;
        }
        for _ in &before[exchanged..] {
            self.patch.at_index(self.index, Patch::remove);
        }
        for value in &after[exchanged..] {
            self.patch.at_index(self.index, |patch| patch.add(value));
            self.index += 1;
        }
    }
}

/// The identity of an item.
#[derive(Clone, Copy)]
enum Identity {
    /// Its field `name`, which no other item has.
    Name,
    /// All that is in it.
    Content,
}

impl Identity {
    /// Returns how much two items are the same one: 0 is not at all.
    fn likeness(self, before: &Value, after: &Value) -> u32 {
        match self {
            Self::Name => u32::from(name(before) == name(after)),
            Self::Content if before == after => 3,
            Self::Content => match (before.as_object(), after.as_object()) {
                (Some(before), Some(after)) => {
                    u32::from(before.iter().any(|(key, value)| after.look_up(key) == Some(value)))
                }
                _ => 0,
            },
        }
    }
}

/// Returns the name of an item of any type.
fn name(item: &Value) -> Option<&str> {
    item.look_up("name")?.as_str()
}

/// Whether every item has a unique name, as containers, volumes and variables have.
fn have_names(items: &[Value]) -> bool {
    let mut names = BTreeSet::new();
    items.iter().all(|item| name(item).is_some_and(|name| names.insert(name)))
}

/// Returns the places of the items that stay, before and after, in order: the choice with the most likeness.
fn align(before: &[Value], after: &[Value], identity: Identity) -> Vec<(usize, usize)> {
    let start = before.iter().zip(after).take_while(|(before, after)| before == after).count();
    let (rest_before, rest_after) = (&before[start..], &after[start..]);
    let pairs_from_end = rest_before.iter().rev().zip(rest_after.iter().rev());
    let end = pairs_from_end.take_while(|(before, after)| before == after).count();
    let middle_before = &rest_before[..rest_before.len() - end];
    let middle_after = &rest_after[..rest_after.len() - end];

    let middle = align_middle(middle_before, middle_after, identity);
    let same_start = (0..start).map(|index| (index, index));
    let same_middle = middle.into_iter().map(|(before, after)| (start + before, start + after));
    let same_end = (before.len() - end..before.len()).zip(after.len() - end..after.len());
    same_start.chain(same_middle).chain(same_end).collect()
}

fn align_middle(before: &[Value], after: &[Value], identity: Identity) -> Vec<(usize, usize)> {
    if before.len().saturating_mul(after.len()) > MAX_PAIRS {
        let places = before.iter().zip(after).enumerate();
        let alike = places.filter(|(_, (before, after))| identity.likeness(before, after) > 0);
        return alike.map(|(index, _)| (index, index)).collect();
    }
    // The likeness that is left to gain from an item before and an item after on.
    let width = after.len() + 1;
    let mut gains = vec![0; (before.len() + 1) * width];
    for (row, item) in before.iter().enumerate().rev() {
        for (column, other) in after.iter().enumerate().rev() {
            let here = row * width + column;
            let likeness = identity.likeness(item, other);
            let kept = if likeness > 0 { gains[here + width + 1] + likeness } else { 0 };
            gains[here] = kept.max(gains[here + width]).max(gains[here + 1]);
        }
    }
    let mut kept = Vec::new();
    let (mut row, mut column) = (0, 0);
    while row < before.len() && column < after.len() {
        let here = row * width + column;
        if gains[here] == gains[here + width] {
            row += 1;
        } else if gains[here] == gains[here + 1] {
            column += 1;
        } else {
            kept.push((row, column));
            (row, column) = (row + 1, column + 1);
        }
    }
    kept
}
