//! Patterns of names as Go's `path/filepath.Match` reads them.

/// Whether `name` matches `pattern`; nothing for a malformed pattern.
pub(super) fn matches(pattern: &str, name: &str) -> Option<bool> {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    is_valid(&pattern).then(|| is_match(&pattern, &name))
}

fn is_valid(pattern: &[char]) -> bool {
    let mut rest = pattern;
    while let Some((first, after)) = rest.split_first() {
        rest = match first {
            '[' => match class(after) {
                Some((_, after)) => after,
                None => return false,
            },
            '\\' if after.is_empty() => return false,
            '\\' => &after[1..],
            _ => after,
        };
    }
    true
}

/// Whether a class is negated, and its ranges.
type Class = (bool, Vec<(char, char)>);

/// Returns the ranges of a class after its opening bracket, and the rest.
fn class(pattern: &[char]) -> Option<(Class, &[char])> {
    let (is_negated, mut rest) = match pattern.split_first() {
        Some(('^', rest)) => (true, rest),
        _ => (false, pattern),
    };
    let mut ranges = Vec::new();
    loop {
        let (first, after) = rest.split_first()?;
        if *first == ']' && !ranges.is_empty() {
            return Some(((is_negated, ranges), after));
        }
        let (low, after) = member(*first, after)?;
        let (high, after) = match after.split_first() {
            Some(('-', after)) => {
                let (first, after) = after.split_first()?;
                member(*first, after)?
            }
            _ => (low, after),
        };
        ranges.push((low, high));
        rest = after;
    }
}

fn member(first: char, rest: &[char]) -> Option<(char, &[char])> {
    match first {
        '-' | ']' => None,
        '\\' => rest.split_first().map(|(character, rest)| (*character, rest)),
        other => Some((other, rest)),
    }
}

fn is_match(pattern: &[char], name: &[char]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return name.is_empty() };
    match first {
        '*' => (0..=name.len()).any(|end| !name[..end].contains(&'/') && is_match(rest, &name[end..])),
        '?' => name.split_first().is_some_and(|(character, name)| *character != '/' && is_match(rest, name)),
        '[' => {
            let (Some(((is_negated, ranges), rest)), Some((character, name))) =
                (class(rest), name.split_first())
            else {
                return false;
            };
            let within = ranges.iter().any(|(low, high)| (low..=high).contains(&character));
            within != is_negated && is_match(rest, name)
        }
        '\\' => {
            let matches = rest.first().zip(name.first()).is_some_and(|(left, right)| left == right);
            matches && is_match(&rest[1..], &name[1..])
        }
        literal => name.first() == Some(literal) && is_match(rest, &name[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn reads_patterns_as_go_does() {
        assert_eq!(matches("*.example.com", "a.b.example.com"), Some(true));
        assert_eq!(matches("*.example.com", "example.com"), Some(false));
        assert_eq!(matches("[a-c]x", "bx"), Some(true));
        assert_eq!(matches("[a-", "a"), None);
    }
}
