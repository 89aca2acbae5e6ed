//! A part of an object under validation, and the list of its errors.

use kube_api::Value;
use kube_api::field::{Error, Path, Rule};
use kube_api::version::Version;

/// A value and its path. Fields are read by name; their paths are built only if an error needs them.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    path: Option<Path>,
    value: &'a Value,
}

impl<'a> Node<'a> {
    /// Returns the whole object; paths begin with the names of its fields.
    pub(crate) fn root(value: &'a Value) -> Self {
        Self { path: None, value }
    }

    /// Returns a value with a path that differs from its place, as upstream sometimes does.
    pub(crate) fn new(path: Path, value: &'a Value) -> Self {
        Self { path: Some(path), value }
    }

    /// Returns the value itself.
    pub(crate) fn value(&self) -> &'a Value {
        self.value
    }

    /// Returns the path of this value; that of the object as a whole prints as nothing.
    pub(crate) fn here(&self) -> Path {
        self.path.clone().unwrap_or_else(|| Path::new(""))
    }

    /// Returns the path of a field.
    pub(crate) fn at(&self, name: &'static str) -> Path {
        self.path.as_ref().map_or_else(|| Path::new(name), |path| path.child(name))
    }

    /// Returns the path of a field of a field.
    pub(crate) fn below(&self, names: &[&'static str]) -> Path {
        let (first, rest) = names.split_first().expect("a path has a step");
        rest.iter().fold(self.at(first), |path, name| path.child(*name))
    }

    /// Returns the field as Go has it behind a pointer: nothing if it is absent.
    pub(crate) fn get(&self, name: &'static str) -> Option<Self> {
        let value = self.raw(name);
        (!value.is_null()).then(|| Self { path: Some(self.at(name)), value })
    }

    /// Returns the field as Go has it in a struct: empty if it is absent.
    pub(crate) fn child(&self, name: &'static str) -> Self {
        Self { path: Some(self.at(name)), value: self.raw(name) }
    }

    /// Whether a field behind a pointer is set.
    pub(crate) fn has(&self, name: &str) -> bool {
        !self.raw(name).is_null()
    }

    /// Returns the value of a field, `null` where it is absent.
    pub(crate) fn raw(&self, name: &str) -> &'a Value {
        match self.value {
            Value::Object(fields) => fields.get(name).unwrap_or(&Value::Null),
            _ => &Value::Null,
        }
    }

    /// Returns the names of the fields that are set.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let fields = self.value.as_object().into_iter().flatten();
        fields.filter(|(_, value)| !value.is_null()).map(|(name, _)| name.as_str())
    }

    /// Returns a text field, empty where it is absent.
    pub(crate) fn text(&self, name: &str) -> &'a str {
        self.given(name).unwrap_or_default()
    }

    /// Returns a text field behind a pointer.
    pub(crate) fn given(&self, name: &str) -> Option<&'a str> {
        self.raw(name).as_str()
    }

    /// Returns a number, 0 where it is absent.
    pub(crate) fn int(&self, name: &str) -> i64 {
        self.number(name).unwrap_or_default()
    }

    /// Returns a number behind a pointer.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.raw(name).as_i64()
    }

    /// Returns a boolean, false where it is absent.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.truth(name).unwrap_or_default()
    }

    /// Returns a boolean behind a pointer.
    pub(crate) fn truth(&self, name: &str) -> Option<bool> {
        self.raw(name).as_bool()
    }

    /// Returns a list, empty where it is absent.
    pub(crate) fn list(&self, name: &str) -> &'a [Value] {
        self.raw(name).as_array().map_or(&[], Vec::as_slice)
    }

    /// Returns a list of texts, empty where it is absent.
    pub(crate) fn texts(&self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.list(name).iter().map(|item| item.as_str().unwrap_or_default())
    }

    /// Returns the items of a list, with their paths.
    pub(crate) fn items(&self, name: &'static str) -> impl Iterator<Item = Self> + use<'a> {
        let list = self.list(name);
        let path = (!list.is_empty()).then(|| self.at(name));
        list.iter()
            .enumerate()
            .filter_map(move |(index, value)| Some(Self { path: Some(path.as_ref()?.index(index)), value }))
    }

    /// Returns the entries of a map, ordered by key.
    pub(crate) fn entries(&self, name: &str) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        self.raw(name).as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
    }

    /// Returns the entries of a map of texts, ordered by key.
    pub(crate) fn pairs(&self, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        self.entries(name).map(|(key, value)| (key, value.as_str().unwrap_or_default()))
    }

    /// Returns the number of items of a list or entries of a map.
    pub(crate) fn len(&self, name: &str) -> usize {
        match self.raw(name) {
            Value::Array(items) => items.len(),
            Value::Object(entries) => entries.len(),
            _ => 0,
        }
    }
}

/// Returns the path of errors that upstream gives an empty name, which prints as `[]`.
pub(crate) fn nameless() -> Path {
    Path::new("").key("")
}

/// Errors in the server's order. A rule that is not in every release asks for the release where it is checked.
#[derive(Debug)]
pub(crate) struct Errors(pub(crate) Vec<Error>, Version);

impl Default for Errors {
    fn default() -> Self {
        Self::of(Version::BINARY)
    }
}

impl Errors {
    /// Returns no errors, of a server of `release`.
    pub(crate) fn of(release: Version) -> Self {
        Self(Vec::new(), release)
    }

    /// Returns no errors, of the same server.
    pub(crate) fn none(&self) -> Self {
        Self::of(self.1)
    }

    /// Returns the release of the server.
    pub(crate) fn release(&self) -> Version {
        self.1
    }

    /// Whether the server is of the release 1.`minor` or a later one.
    pub(crate) fn since(&self, minor: u32) -> bool {
        self.1.minor >= minor
    }

    /// Whether there are no errors so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn push(&mut self, error: Error) {
        self.0.push(error);
    }

    pub(crate) fn required(&mut self, path: &Path, detail: impl Into<String>) {
        self.push(Error::required(path, detail));
    }

    /// Adds that the field must be set to one of these values.
    pub(crate) fn required_one_of(&mut self, path: &Path, detail: impl Into<String>, supported: &[&str]) {
        let supported = supported.iter().map(|value| (*value).to_owned()).collect();
        self.push(Error { supported, ..Error::required(path, detail) });
    }

    pub(crate) fn forbidden(&mut self, path: &Path, detail: impl Into<String>) {
        self.push(Error::forbidden(path, detail));
    }

    pub(crate) fn invalid(&mut self, path: &Path, value: &str, detail: impl Into<String>) {
        self.push(Error::invalid_text(path, value, detail));
    }

    pub(crate) fn invalid_value(&mut self, path: &Path, value: &Value, detail: impl Into<String>) {
        self.push(Error::invalid(path, value, detail));
    }

    pub(crate) fn invalid_int(&mut self, path: &Path, value: i64, detail: impl Into<String>) {
        self.push(Error::invalid_printed(path, value.to_string(), detail));
    }

    /// Adds an error about a value that Go prints as `printed`, which is neither text nor as in the object.
    pub(crate) fn invalid_printed(
        &mut self,
        path: &Path,
        printed: impl Into<String>,
        detail: impl Into<String>,
    ) {
        self.push(Error::invalid_printed(path, printed, detail));
    }

    /// Adds an error about a value of the type that the field tables call `name`; Go prints internal ones in its own
    /// way.
    pub(crate) fn invalid_typed(
        &mut self,
        path: &Path,
        name: &'static str,
        value: &Value,
        detail: impl Into<String>,
    ) {
        self.push(Error::invalid_typed(path, name, value, detail));
    }

    /// Adds an error about a value that Go has as the internal type of the versioned one that the field tables call
    /// `name`.
    pub(crate) fn invalid_internal(
        &mut self,
        path: &Path,
        name: &'static str,
        value: &Value,
        detail: impl Into<String>,
    ) {
        self.push(Error::invalid_internal(path, name, value, detail));
    }

    /// Runs `check`, whose errors are those of `rule`.
    pub(crate) fn by<T>(&mut self, rule: Rule, check: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.0.len();
        let result = check(self);
        for error in &mut self.0[before..] {
            error.rule = Some(rule);
        }
        result
    }

    /// Adds the errors of `check`, which in releases before 1.`since` all have the words `words`.
    pub(crate) fn in_words_until(&mut self, since: u32, words: &str, check: impl FnOnce(&mut Self)) {
        let before = self.0.len();
        check(self);
        if !self.since(since) {
            for error in &mut self.0[before..] {
                words.clone_into(&mut error.detail);
            }
        }
    }

    pub(crate) fn duplicate(&mut self, path: &Path, value: &str) {
        self.push(Error::duplicate(path, &Value::from(value)));
    }

    /// Adds an error about a duplicate value that Go prints as `printed`.
    pub(crate) fn duplicate_printed(&mut self, path: &Path, printed: String) {
        self.push(Error::duplicate_printed(path, printed));
    }

    /// Adds an error about a duplicate value of the type that the field tables call `name`.
    pub(crate) fn duplicate_typed(&mut self, path: &Path, name: &'static str, value: &Value, detail: &str) {
        let mut error = Error::duplicate_typed(path, name, value);
        detail.clone_into(&mut error.detail);
        self.push(error);
    }

    pub(crate) fn not_found(&mut self, path: &Path, value: &str) {
        self.push(Error::not_found(path, &Value::from(value)));
    }

    pub(crate) fn not_supported(&mut self, path: &Path, value: &str, supported: &[&str]) {
        self.push(Error::not_supported(path, &Value::from(value), supported));
    }

    pub(crate) fn too_long(&mut self, path: &Path, max: usize) {
        let mut error = Error::too_long(path, max);
        if !self.since(32) {
            let unit = if self.since(17) { "bytes" } else { "characters" };
            error.detail = format!("must have at most {max} {unit}");
        }
        self.push(error);
    }

    pub(crate) fn too_many(&mut self, path: &Path, actual: usize, max: usize) {
        self.push(Error::too_many(path, actual, max));
    }

    /// Adds one error per message about the same text.
    pub(crate) fn each(&mut self, path: impl FnOnce() -> Path, value: &str, messages: Vec<String>) {
        if messages.is_empty() {
            return;
        }
        let path = path();
        for message in messages {
            self.invalid(&path, value, message);
        }
    }

    /// Adds one error per message about a text field.
    pub(crate) fn each_of(&mut self, node: &Node, name: &'static str, messages: Vec<String>) {
        self.each(|| node.at(name), node.text(name), messages);
    }

    /// Checks that a text field is not empty; returns whether it is not.
    pub(crate) fn require_text(&mut self, node: &Node, name: &'static str) -> bool {
        let given = !node.text(name).is_empty();
        if !given {
            self.required(&node.at(name), "");
        }
        given
    }

    /// Implements `ValidateNonnegativeField`.
    pub(crate) fn non_negative(&mut self, node: &Node, name: &'static str) {
        let value = node.int(name);
        if value < 0 {
            self.invalid_int(&node.at(name), value, IS_NEGATIVE);
        }
    }

    /// Implements `ValidatePositiveField`.
    pub(crate) fn positive(&mut self, node: &Node, name: &'static str) {
        let value = node.int(name);
        if value <= 0 {
            self.invalid_int(&node.at(name), value, "must be greater than zero");
        }
    }

    /// Checks that a text field is one of `supported`.
    pub(crate) fn one_of(&mut self, node: &Node, name: &'static str, supported: &[&str]) {
        let value = node.text(name);
        if !supported.contains(&value) {
            self.not_supported(&node.at(name), value, supported);
        }
    }

    /// Checks that a text field is set and one of `supported`.
    pub(crate) fn require_one_of(&mut self, node: &Node, name: &'static str, supported: &[&str]) {
        if self.require_text(node, name) {
            self.one_of(node, name, supported);
        }
    }

    /// Checks that a text field behind a pointer is one of `supported` if it is set.
    pub(crate) fn optional_one_of(&mut self, node: &Node, name: &'static str, supported: &[&str]) {
        if node.has(name) {
            self.one_of(node, name, supported);
        }
    }
}

/// `IsNegativeErrorMsg`
pub(crate) const IS_NEGATIVE: &str = "must be greater than or equal to 0";
/// `FieldImmutableErrorMsg`
pub(crate) const IMMUTABLE: &str = "field is immutable";
