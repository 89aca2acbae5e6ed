//! Collects errors of the same sort, which are printed as one with all their places.

use std::collections::HashMap;
use std::io::{self, Write};

use colored::Colorize;

use crate::code::Code;
use crate::report::{Diagnostic, Severity, write_diagnostic, write_labelled};

/// The largest number of listed places.
const MOST_PLACES: usize = 20;

/// Errors that wait for others of their sort.
#[derive(Default)]
pub(super) struct Repeated {
    errors: Vec<(Diagnostic, Vec<String>)>,
    /// The position of the first error of each sort.
    sorts: HashMap<(Code, String), usize>,
}

impl Repeated {
    /// Takes `diagnostic` if others of its sort may follow; returns whether it did.
    pub(super) fn take(&mut self, diagnostic: &Diagnostic) -> bool {
        let is_within = |room: &&str| diagnostic.code.name().starts_with(*room);
        let is_of_documents =
            ["kadmit::kubectl::", "kadmit::manifest::", "kadmit::request::"].iter().any(is_within);
        if !is_of_documents || diagnostic.severity != Severity::Error {
            return false;
        }
        let sort = (diagnostic.code, sort(diagnostic));
        if let Some(position) = self.sorts.get(&sort) {
            self.errors[*position].1.extend(place(diagnostic));
        } else {
            self.sorts.insert(sort, self.errors.len());
            self.errors.push((diagnostic.clone(), Vec::new()));
        }
        true
    }

    /// Writes every sort once.
    pub(super) fn write(&mut self, out: &mut impl Write, width: usize) -> io::Result<()> {
        self.sorts.clear();
        for (first, places) in std::mem::take(&mut self.errors) {
            write_diagnostic(out, &first, width)?;
            if places.is_empty() {
                continue;
            }
            let more = places.len().saturating_sub(MOST_PLACES);
            let named = places[..places.len() - more].join(", ");
            let shown = if more > 0 { format!("{named} and {more} more") } else { named };
            write_labelled(out, "  ", &"also at".dimmed(), &shown, width)?;
        }
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }
}

/// Returns the message without the parts that depend on the place.
fn sort(diagnostic: &Diagnostic) -> String {
    let file = diagnostic.file.as_deref().filter(|file| !file.is_empty());
    let message =
        file.map_or_else(|| diagnostic.message.clone(), |file| diagnostic.message.replace(file, ""));
    let mut sort = String::with_capacity(message.len());
    for character in message.chars() {
        if !character.is_ascii_digit() {
            sort.push(character);
        } else if !sort.ends_with('#') {
            sort.push('#');
        }
    }
    sort
}

/// `a.yaml:3`
fn place(diagnostic: &Diagnostic) -> Option<String> {
    let file = diagnostic.file.as_ref()?;
    Some(diagnostic.line().map_or_else(|| file.clone(), |line| format!("{file}:{line}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(file: &str, line: usize, message: &str) -> Diagnostic {
        Diagnostic {
            file: Some(file.to_owned()),
            file_line: Some(line),
            ..Diagnostic::input(Code::ManifestYaml, message)
        }
    }

    #[test]
    fn errors_of_a_sort_are_one_with_its_places() {
        colored::control::set_override(false);
        let mut repeated = Repeated::default();
        for (file, line, message) in [
            ("a.yaml", 3, "a.yaml: line 3: bad"),
            ("b.yaml", 4, "b.yaml: line 4: worse"),
            ("c.yaml", 15, "c.yaml: line 15: bad"),
        ] {
            assert!(repeated.take(&error(file, line, message)));
        }
        assert!(!repeated.take(&Diagnostic::input(Code::Output, "cannot write")));
        let mut out = Vec::new();
        repeated.write(&mut out, 80).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "  × a.yaml: line 3: bad\n  also at c.yaml:15\n  × b.yaml: line 4: worse\n");
        assert!(repeated.is_empty());
    }
}
