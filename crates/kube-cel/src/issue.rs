//! Errors in an expression, printed as cel-go prints them.

use std::fmt;

use super::source::{Location, Source};

const MAX_ISSUES: usize = 100;
/// Lines longer than this many bytes are not quoted.
const MAX_SNIPPET: usize = 16384;

/// An error in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Its place.
    pub location: Location,
    /// The message, without place and quotation.
    pub message: String,
    /// The line it is in.
    snippet: Option<String>,
}

impl fmt::Display for Issue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location { line, column } = self.location;
        write!(formatter, "ERROR: <input>:{line}:{}: {}", column + 1, self.message)?;
        let Some(snippet) = &self.snippet else { return Ok(()) };
        write!(formatter, "\n | {snippet}\n | ")?;
        let mut characters = snippet.chars();
        for character in characters.by_ref().take(usize::try_from(column).unwrap_or_default()) {
            formatter.write_str(if character.is_ascii() { "." } else { "．" })?;
        }
        let is_wide = characters.next().is_some_and(|character| !character.is_ascii());
        formatter.write_str(if is_wide { "＾" } else { "^" })
    }
}

/// All errors in an expression, ordered by place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Issues {
    issues: Vec<Issue>,
    truncated: usize,
}

impl Issues {
    pub(super) fn report(&mut self, location: Location, message: String) {
        if self.issues.len() == MAX_ISSUES {
            self.truncated += 1;
        } else {
            self.issues.push(Issue { location, message, snippet: None });
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.issues.is_empty()
    }

    /// Sorts the issues and quotes the lines they are in.
    pub(super) fn finish(mut self, source: &Source) -> Self {
        self.issues.sort_by_key(|issue| issue.location);
        for issue in &mut self.issues {
            let line = source.line(issue.location.line).filter(|line| line.len() <= MAX_SNIPPET);
            issue.snippet = line.map(|line| line.replace('\t', " "));
        }
        self
    }

    /// Returns the issues in order.
    pub fn as_slice(&self) -> &[Issue] {
        &self.issues
    }
}

impl fmt::Display for Issues {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, issue) in self.issues.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(formatter, "{separator}{issue}")?;
        }
        match self.truncated {
            0 => Ok(()),
            count => write!(formatter, "\n{count} more errors were truncated"),
        }
    }
}
