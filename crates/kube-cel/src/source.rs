//! The text of an expression, counted in code points as cel-go counts.

/// A place in an expression: the line counted from one, the column from zero in code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Counted from one; `-1` if an issue has no place.
    pub line: i64,
    /// Counted from zero; `-1` if an issue has no place.
    pub column: i64,
}

impl Location {
    /// The place of an issue with the expression as a whole.
    pub const NONE: Self = Self { line: -1, column: -1 };
}

/// An expression and where its lines begin.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) characters: Vec<char>,
    line_starts: Vec<usize>,
}

impl Source {
    pub(super) fn new(text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let breaks = characters.iter().enumerate().filter(|(_, character)| **character == '\n');
        let line_starts = std::iter::once(0).chain(breaks.map(|(position, _)| position + 1)).collect();
        Self { characters, line_starts }
    }

    /// Returns the place of an offset. cel-go places an error in empty text before the first column.
    pub(super) fn location(&self, offset: usize) -> Location {
        if self.characters.is_empty() {
            return Location { line: 1, column: -1 };
        }
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let column = offset - self.line_starts[line - 1];
        Location { line: as_number(line), column: as_number(column) }
    }

    pub(super) fn text(&self, start: usize, end: usize) -> String {
        self.characters[start..end.min(self.characters.len())].iter().collect()
    }

    /// Returns the line with this number, from one.
    pub(super) fn line(&self, number: i64) -> Option<String> {
        let index = usize::try_from(number - 1).ok()?;
        let start = *self.line_starts.get(index)?;
        let end = self.line_starts.get(index + 1).map_or(self.characters.len(), |next| next - 1);
        (!self.characters.is_empty()).then(|| self.text(start, end))
    }
}

fn as_number(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
