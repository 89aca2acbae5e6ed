//! Collects errors and notes of the same sort, which are printed as one with their places.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use colored::Colorize;

use crate::code::Code;
use crate::report::{Diagnostic, Severity, write_diagnostic, write_labelled};

/// The largest number of listed places.
const MAX_PLACES: usize = 20;

/// The number of notes of a sort that are printed one by one.
const MAX_NOTES: usize = 3;

/// The number of places or names in a note about many.
const MAX_EXAMPLES: usize = 5;

/// Errors and notes that wait for others of their sort.
#[derive(Default)]
pub(super) struct Repeated {
    errors: Vec<(Diagnostic, Vec<String>)>,
    /// The position of the first error of each sort.
    sorts: HashMap<(Code, String, Option<String>), usize>,
    /// Notes by sort, in the order of the first ones.
    notes: Vec<((Code, String), Vec<Diagnostic>)>,
}

impl Repeated {
    /// Takes `diagnostic` if others of its sort may follow; returns whether it did.
    pub(super) fn take(&mut self, diagnostic: &Diagnostic) -> bool {
        if diagnostic.severity == Severity::Note {
            return self.take_note(diagnostic);
        }
        let is_within = |room: &&str| diagnostic.code.name().starts_with(*room);
        let is_of_documents =
            ["kadmit::kubectl::", "kadmit::manifest::", "kadmit::request::"].iter().any(is_within);
        if !is_of_documents || diagnostic.severity != Severity::Error {
            return false;
        }
        // What is to be done about an old version differs from one to the next.
        let sort = (diagnostic.code, sort(diagnostic), diagnostic.help.clone());
        if let Some(position) = self.sorts.get(&sort) {
            self.errors[*position].1.extend(place(diagnostic));
        } else {
            self.sorts.insert(sort, self.errors.len());
            self.errors.push((diagnostic.clone(), Vec::new()));
        }
        true
    }

    /// Takes a note of which there may be many; returns whether it did.
    fn take_note(&mut self, note: &Diagnostic) -> bool {
        let sort = match note.code {
            Code::InputChart | Code::InputKustomization | Code::InputNoFile => String::new(),
            Code::InputNoManifest => reason(note).to_owned(),
            Code::RequestUnknownKind | Code::ClusterObject => "kinds".to_owned(),
            Code::ClusterIgnored => note.message.clone(),
            _ => return false,
        };
        let key = (note.code, sort);
        match self.notes.iter_mut().find(|(known, _)| *known == key) {
            Some((_, notes)) => notes.push(note.clone()),
            None => self.notes.push((key, vec![note.clone()])),
        }
        true
    }

    /// Writes every sort once.
    pub(super) fn write(&mut self, out: &mut impl Write, width: usize) -> io::Result<()> {
        for (_, notes) in std::mem::take(&mut self.notes) {
            match summary(&notes) {
                Some(summary) => write_diagnostic(out, &summary, width)?,
                None => notes.iter().try_for_each(|note| write_diagnostic(out, note, width))?,
            }
        }
        self.sorts.clear();
        for (first, places) in std::mem::take(&mut self.errors) {
            write_diagnostic(out, &first, width)?;
            if places.is_empty() {
                continue;
            }
            let more = places.len().saturating_sub(MAX_PLACES);
            let named = places[..places.len() - more].join(", ");
            let shown = if more > 0 { format!("{named} and {more} more") } else { named };
            write_labelled(out, "  ", &"also at".dimmed(), &shown, width)?;
        }
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty() && self.notes.is_empty()
    }
}

/// Returns the reason that something was left out: what comes after its place.
fn reason(note: &Diagnostic) -> &str {
    note.message.split_once(": ").map_or("", |(_, reason)| reason)
}

/// Returns one note about many; nothing if they are few.
fn summary(notes: &[Diagnostic]) -> Option<Diagnostic> {
    let first = notes.first().filter(|_| notes.len() > MAX_NOTES)?;
    let count = notes.len();
    let listed = |names: Vec<String>| {
        let more = names.len().saturating_sub(MAX_EXAMPLES);
        let shown = names[..names.len() - more].join(", ");
        if more > 0 { format!("{shown} and {more} more") } else { shown }
    };
    let places = || listed(notes.iter().filter_map(place).collect());
    let left_out = first.message.strip_prefix("left out ").unwrap_or(&first.message);
    let message = match first.code {
        Code::InputKustomization => {
            format!("left out {count} kustomizations and parts of them, such as {left_out}")
        }
        Code::InputChart => format!("left out {count} charts, such as {left_out}"),
        Code::InputNoFile => format!("left out {count} files, such as {left_out}"),
        Code::InputNoManifest => {
            let names = notes.iter().filter_map(|note| {
                Some(note.message.strip_prefix("left out ")?.split_once(": ")?.0.to_owned())
            });
            format!("left out {count} documents, since {}: {}", reason(first), listed(names.collect()))
        }
        Code::ClusterIgnored => format!("{} ({count} objects, at {})", first.message, places()),
        _ => {
            let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
            for note in notes {
                *kinds.entry(note.message.as_str()).or_default() += 1;
            }
            let mut kinds: Vec<(&str, usize)> = kinds.into_iter().collect();
            kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let names = kinds.iter().map(|(message, count)| {
                let parts: Vec<&str> = message.split('"').collect();
                let name = match parts[..] {
                    [_, kind, _, version, ..] => format!("{kind} of {version}"),
                    _ => (*message).to_owned(),
                };
                if *count > 1 { format!("{name} ({count})") } else { name }
            });
            let kinds_in_words =
                if kinds.len() == 1 { "1 kind".to_owned() } else { format!("{} kinds", kinds.len()) };
            format!("no definition of {kinds_in_words}, {count} objects: {}", listed(names.collect()))
        }
    };
    Some(Diagnostic { file: None, source: None, file_line: None, message, ..first.clone() })
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
