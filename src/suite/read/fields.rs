//! Conversion of nodes to values of known types.

use std::sync::Arc;

use crate::code::Code;
use crate::report::Diagnostic;
use gotext::source::{Data, Entry, Node, SourceFile, Span};

/// Reads values from a file, and collects the errors in them.
pub(super) struct Reader {
    pub(super) source: Arc<SourceFile>,
    pub(super) errors: Vec<Diagnostic>,
}

/// The fields of a map.
pub(super) struct Fields<'a>(&'a [Entry]);

impl<'a> Fields<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&'a Entry> {
        self.0.iter().rev().find(|entry| entry.key == key)
    }

    pub(super) fn has_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.get(key).is_some())
    }
}

impl Reader {
    pub(super) fn new(source: Arc<SourceFile>) -> Self {
        Self { source, errors: Vec::new() }
    }

    pub(super) fn error(&mut self, span: Span, message: &str, help: Option<String>) {
        let error = Diagnostic::input(Code::SuiteFormat, message);
        self.errors.push(Diagnostic { help, ..error }.at(self.source.clone(), span));
    }

    /// Returns the fields of `node`, which is a `what` with the fields `known`.
    pub(super) fn fields<'a>(&mut self, node: &'a Node, what: &str, known: &[&str]) -> Option<Fields<'a>> {
        self.fields_or(node, what, known, |_| None)
    }

    /// Does the same, with `help` for fields that belong elsewhere.
    pub(super) fn fields_or<'a>(
        &mut self,
        node: &'a Node,
        what: &str,
        known: &[&str],
        help: impl Fn(&str) -> Option<String>,
    ) -> Option<Fields<'a>> {
        let Data::Object(entries) = &node.data else {
            self.error(node.span, &format!("{what} is a map"), None);
            return None;
        };
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let near = || nearest(&entry.key, known).map(|name| format!("did you mean `{name}`?"));
            let all = || format!("it has {}", known.join(", "));
            let help = help(&entry.key).or_else(near).unwrap_or_else(all);
            self.error(entry.key_span, &format!("{what} has no field `{}`", entry.key), Some(help));
        }
        Some(Fields(entries))
    }

    pub(super) fn mistyped<T>(&mut self, entry: &Entry, what: &str) -> Option<T> {
        self.error(entry.value.span, &format!("`{}` is {what}", entry.key), None);
        None
    }

    pub(super) fn text(&mut self, entry: &Entry) -> Option<String> {
        match &entry.value.data {
            Data::String(text) => Some(text.to_string()),
            _ => self.mistyped(entry, "text"),
        }
    }

    pub(super) fn text_of(&mut self, fields: &Fields<'_>, key: &str) -> Option<String> {
        fields.get(key).and_then(|entry| self.text(entry))
    }

    pub(super) fn flag(&mut self, entry: &Entry) -> Option<bool> {
        match entry.value.data {
            Data::Bool(flag) => Some(flag),
            _ => self.mistyped(entry, "true or false"),
        }
    }

    pub(super) fn number(&mut self, entry: &Entry) -> Option<u64> {
        match &entry.value.data {
            Data::Number(number) if number.is_u64() => number.as_u64(),
            _ => self.mistyped(entry, "a number"),
        }
    }

    pub(super) fn choice<T: Copy>(&mut self, entry: &Entry, choices: &[(&str, T)]) -> Option<T> {
        let text = entry.value.as_str();
        let chosen =
            choices.iter().find(|(name, _)| text.is_some_and(|text| text.eq_ignore_ascii_case(name)));
        if let Some((_, value)) = chosen {
            return Some(*value);
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let (last, others) = names.split_last().expect("there is something to choose from");
        self.mistyped(entry, &format!("{} or {last}", others.join(", ")))
    }

    pub(super) fn list<'a>(&mut self, entry: &'a Entry) -> Vec<&'a Node> {
        match &entry.value.data {
            Data::Array(items) => items.iter().collect(),
            _ => self.mistyped(entry, "a list").unwrap_or_default(),
        }
    }

    /// Returns the list `key`; none if it is absent.
    pub(super) fn list_of<'a>(&mut self, fields: &Fields<'a>, key: &str) -> Vec<&'a Node> {
        fields.get(key).map(|entry| self.list(entry)).unwrap_or_default()
    }

    pub(super) fn texts(&mut self, entry: &Entry) -> Option<Vec<String>> {
        let Data::Array(items) = &entry.value.data else { return self.mistyped(entry, "a list of texts") };
        let texts: Option<Vec<_>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        texts.or_else(|| self.mistyped(entry, "a list of texts"))
    }

    pub(super) fn texts_of(&mut self, fields: &Fields<'_>, key: &str) -> Option<Vec<String>> {
        fields.get(key).and_then(|entry| self.texts(entry))
    }
}

/// Returns the known name that was probably meant, if one is near enough.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let distance = |known: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &known.to_lowercase());
    let near = known.iter().map(|known| (distance(known), *known));
    near.filter(|(distance, _)| *distance <= 3).min().map(|(_, known)| known)
}
