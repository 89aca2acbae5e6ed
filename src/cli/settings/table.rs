//! TOML with the places of its keys and values. All errors in a file are collected.

use std::ops::Range;
use std::sync::Arc;

use glob::Pattern;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::code::Code;
use crate::report::Diagnostic;
use crate::report::acceptance::Date;
use gotext::source::{SourceFile, Span};

/// A file, and the errors in it.
pub(super) struct Text {
    source: Arc<SourceFile>,
    errors: Vec<Diagnostic>,
}

/// A table, its entries in the order of writing.
pub(super) struct Table<'a> {
    /// Its start.
    pub(super) span: Span,
    pub(super) entries: Vec<Entry<'a>>,
}

/// A key with its value.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) key: &'a str,
    pub(super) key_span: Span,
    pub(super) value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Table<'a> {
    fn of(table: &'a DeTable<'a>, span: Range<usize>) -> Self {
        let entry = |(key, value): (&'a Spanned<_>, &'a Spanned<DeValue<'a>>)| {
            let name: &std::borrow::Cow<'a, str> = key.get_ref();
            Entry { key: name, key_span: Span::new(key.span()), value }
        };
        let mut entries: Vec<Entry<'a>> = table.iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.key_span);
        Self { span: Span::new(span), entries }
    }

    pub(super) fn get(&self, key: &str) -> Option<Entry<'a>> {
        self.entries.iter().find(|entry| entry.key == key).copied()
    }
}

impl Text {
    pub(super) fn new(source: Arc<SourceFile>) -> Self {
        Self { source, errors: Vec::new() }
    }

    pub(super) fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    /// Returns all errors in the order of the file, if there are any.
    pub(super) fn into_result(mut self) -> Result<(), Vec<Diagnostic>> {
        self.errors.sort_by_key(|error| error.source.as_ref().map(|(_, span)| *span));
        if self.errors.is_empty() { Ok(()) } else { Err(self.errors) }
    }

    pub(super) fn refuse(&mut self, span: Span, message: String, help: impl Into<String>) {
        let error = Diagnostic::input(Code::Settings, message).help(help);
        self.errors.push(error.at(self.source.clone(), span));
    }

    /// Refuses a key that is not one of `known`.
    pub(super) fn refuse_key<'k>(
        &mut self,
        entry: &Entry<'_>,
        known: impl IntoIterator<Item = &'k str>,
        help: &str,
    ) {
        let near = known.into_iter().map(|known| (strsim::damerau_levenshtein(entry.key, known), known));
        // Every word is near to a short one.
        let most = (entry.key.chars().count() / 3).min(3);
        let nearest = near.filter(|(distance, _)| *distance <= most).min();
        let help = nearest.map_or_else(|| help.to_owned(), |(_, known)| format!("did you mean `{known}`?"));
        self.refuse(entry.key_span, format!("there is no setting `{}`", entry.key), help);
    }

    /// Refuses the value of `entry`, which should be: `a string`, ...
    pub(super) fn refuse_type(&mut self, entry: &Entry<'_>, value: &Spanned<DeValue<'_>>, expected: &str) {
        let message = format!("`{}` cannot be {}", entry.key, described(value.get_ref()));
        self.refuse(Span::new(value.span()), message, format!("it is {expected}"));
    }

    /// Returns the whole file; nothing if it is not TOML.
    pub(super) fn root<'a>(
        &mut self,
        root: &'a Result<Spanned<DeTable<'a>>, toml::de::Error>,
    ) -> Option<Table<'a>> {
        match root {
            Ok(root) => Some(Table::of(root.get_ref(), root.span())),
            Err(error) => {
                let end = self.source.text().len();
                let span = error.span().map_or(Span::new(end..end), Span::new);
                let message = format!("this is not TOML: {}", error.message());
                self.refuse(span, message, "settings are written as `key = value`, see `kadmit run --help`");
                None
            }
        }
    }

    /// Returns the tables of a list of tables.
    pub(super) fn tables<'a>(&mut self, entry: &Entry<'a>) -> Vec<Table<'a>> {
        let help = "a list of tables, each below `[[KEY]]`".replace("KEY", entry.key);
        let DeValue::Array(items) = entry.value.get_ref() else {
            self.refuse_type(entry, entry.value, &help);
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in items {
            match item.get_ref() {
                DeValue::Table(table) => tables.push(Table::of(table, item.span())),
                _ => self.refuse_type(entry, item, &help),
            }
        }
        tables
    }

    /// Returns the table that `entry` is.
    pub(super) fn table<'a>(&mut self, entry: &Entry<'a>) -> Option<Table<'a>> {
        let DeValue::Table(table) = entry.value.get_ref() else {
            let help = "a table: keys below `[KEY]`".replace("KEY", entry.key);
            self.refuse_type(entry, entry.value, &help);
            return None;
        };
        Some(Table::of(table, entry.value.span()))
    }

    /// Returns the text of `key`, with its place.
    pub(super) fn string<'a>(&mut self, table: &Table<'a>, key: &str) -> Option<(&'a str, Span)> {
        let entry = table.get(key)?;
        let DeValue::String(text) = entry.value.get_ref() else {
            self.refuse_type(&entry, entry.value, "a string");
            return None;
        };
        Some((text, Span::new(entry.value.span())))
    }

    /// Returns the same, which must be set and not empty.
    pub(super) fn required<'a>(&mut self, table: &Table<'a>, key: &str, of: &str) -> Option<(&'a str, Span)> {
        if table.get(key).is_none() {
            self.refuse_missing(table, key, of);
        }
        let (text, span) = self.string(table, key)?;
        if text.trim().is_empty() {
            self.refuse(span, format!("the `{key}` of {of} is empty"), format!("say `{key} = \"...\"`"));
            return None;
        }
        Some((text.trim(), span))
    }

    pub(super) fn refuse_missing(&mut self, table: &Table<'_>, key: &str, of: &str) {
        self.refuse(table.span, format!("{of} has no `{key}`"), format!("say `{key} = \"...\"`"));
    }

    pub(super) fn boolean(&mut self, table: &Table<'_>, key: &str) -> Option<bool> {
        let entry = table.get(key)?;
        let DeValue::Boolean(value) = entry.value.get_ref() else {
            self.refuse_type(&entry, entry.value, "true or false");
            return None;
        };
        Some(*value)
    }

    pub(super) fn date(&mut self, table: &Table<'_>, key: &str) -> Option<Date> {
        let entry = table.get(key)?;
        let date = match entry.value.get_ref() {
            DeValue::Datetime(moment) if moment.time.is_none() => moment.to_string().parse().ok(),
            _ => None,
        };
        if date.is_none() {
            self.refuse_type(&entry, entry.value, "a day such as 2026-12-31, without quotes");
        }
        date
    }

    /// Returns the patterns of `key`, one or several.
    pub(super) fn patterns(&mut self, table: &Table<'_>, key: &str) -> Option<Vec<Pattern>> {
        let entry = table.get(key)?;
        let items = match entry.value.get_ref() {
            DeValue::Array(items) => items.iter().collect(),
            _ => vec![entry.value],
        };
        let mut patterns = Vec::new();
        for item in items {
            match item.get_ref() {
                DeValue::String(text) => patterns.extend(self.pattern(text, Span::new(item.span()))),
                _ => self.refuse_type(&entry, item, "a pattern or a list of patterns"),
            }
        }
        Some(patterns)
    }

    /// `text` as a pattern.
    pub(super) fn pattern(&mut self, text: &str, span: Span) -> Option<Pattern> {
        let refused = match Pattern::new(text) {
            Ok(pattern) => return Some(pattern),
            Err(error) => error.msg,
        };
        let help = "a pattern has `*`, `**`, `?` and `[...]`";
        self.refuse(span, format!("\"{text}\" is not a pattern: {refused}"), help);
        None
    }
}

/// `a string`, ...
fn described(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
