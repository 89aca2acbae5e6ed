//! The difference of two values, as the server appends it to a refusal.
//!
//! Source: `k8s.io/apimachinery/pkg/util/diff`, which compares lines by the method of Python's `difflib`.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

use kube_api::version::Version;
use kube_api::{Value, internal_json};

/// The number of lines shown before and after a change.
pub(crate) const CONTEXT: usize = 3;
/// The number of lines from which on a line that is more than a hundredth of them is not an anchor.
const MANY: usize = 200;

/// Returns the changes from `old` to `new`, both of an internal type of `release`: a unified difference of their
/// indented JSON, without a head.
pub fn difference(release: Version, internal_type: &str, old: &Value, new: &Value) -> String {
    let old = internal_json::indented_in(release, internal_type, old);
    let new = internal_json::indented_in(release, internal_type, new);
    unified(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>())
}

/// Returns the parts in which `old` and `new` differ, with the lines around them.
fn unified(old: &[&str], new: &[&str]) -> String {
    let mut text = String::new();
    for hunk in hunks(&changes(old, new)) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let before = first.old.start.min(first.new.start).min(CONTEXT);
        let after = (old.len() - last.old.end).min(CONTEXT);
        let (start, end) = (first.old.start - before, last.old.end + after);
        let (new_start, new_end) = (first.new.start - before, last.new.end + after);
        let (old_range, new_range) = (range(start..end), range(new_start..new_end));
        writeln!(text, "@@ -{old_range} +{new_range} @@").expect("text grows");
        let mut at = start;
        for change in hunk {
            lines(&mut text, ' ', &old[at..change.old.start]);
            lines(&mut text, '-', &old[change.old.clone()]);
            lines(&mut text, '+', &new[change.new.clone()]);
            at = change.old.end;
        }
        lines(&mut text, ' ', &old[at..end]);
    }
    text
}

pub(crate) fn lines(text: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        writeln!(text, "{sign}{line}").expect("text grows");
    }
}

/// Returns a range of lines as written in the head of a hunk.
pub(crate) fn range(lines: Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        length => format!("{},{length}", lines.start + 1),
    }
}

/// Lines of the old text and the lines of the new one that replace them; one of the two may be empty.
#[derive(Debug)]
pub(crate) struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// Groups the changes whose contexts overlap.
pub(crate) fn hunks(changes: &[Change]) -> impl Iterator<Item = &[Change]> {
    changes.chunk_by(|left, right| right.old.start - left.old.end <= 2 * CONTEXT)
}

pub(crate) fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let mut matcher = Matcher { old, new, places: places(new), same: Vec::new() };
    matcher.find(0..old.len(), 0..new.len());
    matcher.same.push((old.len(), new.len(), 0));
    let (mut old_at, mut new_at) = (0, 0);
    let mut changes = Vec::new();
    for (old_start, new_start, length) in matcher.same {
        if old_at < old_start || new_at < new_start {
            changes.push(Change { old: old_at..old_start, new: new_at..new_start });
        }
        (old_at, new_at) = (old_start + length, new_start + length);
    }
    changes
}

/// Returns the positions of each line, except for popular ones.
pub(crate) fn places<'a>(lines: &[&'a str]) -> HashMap<&'a str, Vec<usize>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        places.entry(line).or_default().push(index);
    }
    if lines.len() >= MANY {
        places.retain(|_, indices| indices.len() <= lines.len() / 100 + 1);
    }
    places
}

struct Matcher<'a> {
    old: &'a [&'a str],
    new: &'a [&'a str],
    places: HashMap<&'a str, Vec<usize>>,
    /// The equal blocks, in order: their start in the old and the new text, and their length.
    same: Vec<(usize, usize, usize)>,
}

impl Matcher<'_> {
    /// Finds the longest block within the two ranges, and those before and after it.
    fn find(&mut self, old: Range<usize>, new: Range<usize>) {
        if old.is_empty() || new.is_empty() {
            return;
        }
        let (old_start, new_start, length) = self.longest(&old, &new);
        if length == 0 {
            return;
        }
        self.find(old.start..old_start, new.start..new_start);
        self.same.push((old_start, new_start, length));
        self.find(old_start + length..old.end, new_start + length..new.end);
    }

    /// Returns the longest equal block; of several the first in the old, then in the new text.
    fn longest(&self, old: &Range<usize>, new: &Range<usize>) -> (usize, usize, usize) {
        let (mut old_start, mut new_start, mut length) = (old.start, new.start, 0);
        // The length of the block that ends at the line before, by its last position in the new text.
        let mut lengths: HashMap<usize, usize> = HashMap::new();
        for index in old.clone() {
            let mut longer = HashMap::new();
            for &place in self.places.get(self.old[index]).into_iter().flatten() {
                if !new.contains(&place) {
                    continue;
                }
                let before = place.checked_sub(1).and_then(|before| lengths.get(&before)).copied();
                let size = before.unwrap_or_default() + 1;
                longer.insert(place, size);
                if size > length {
                    (old_start, new_start, length) = (index + 1 - size, place + 1 - size, size);
                }
            }
            lengths = longer;
        }
        // Popular lines do not start a block, but belong to one next to them.
        while old_start > old.start
            && new_start > new.start
            && self.old[old_start - 1] == self.new[new_start - 1]
        {
            (old_start, new_start, length) = (old_start - 1, new_start - 1, length + 1);
        }
        while old_start + length < old.end
            && new_start + length < new.end
            && self.old[old_start + length] == self.new[new_start + length]
        {
            length += 1;
        }
        (old_start, new_start, length)
    }
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn joins_changes_that_are_near_and_parts_those_that_are_far() {
        let old: Vec<String> = (1..=30).map(|line| line.to_string()).collect();
        let mut new = old.clone();
        "two".clone_into(&mut new[1]);
        new.remove(8);
        new.insert(27, "more".to_owned());
        let lines = |text: &'_ [String]| text.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
        let (old, new) = (lines(&old), lines(&new));
        let text = unified(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>());
        let expected = [
            "@@ -1,12 +1,11 @@\n 1\n-2\n+two\n 3\n 4\n 5\n 6\n 7\n 8\n-9\n 10\n 11\n 12\n",
            "@@ -26,5 +25,6 @@\n 26\n 27\n 28\n+more\n 29\n 30\n",
        ];
        assert_eq!(text, expected.concat());
    }

    #[test]
    fn names_an_empty_range_by_the_line_before_it() {
        assert_eq!(unified(&[], &["a"]), "@@ -0,0 +1 @@\n+a\n");
        assert_eq!(unified(&["a", "b"], &["a"]), "@@ -1,2 +1 @@\n a\n-b\n");
    }
}
