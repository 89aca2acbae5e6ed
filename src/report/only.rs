//! `--only`: the outcomes to show. It does not affect what counts as a failure.

use std::collections::BTreeSet;
use std::fmt;
use std::mem;
use std::str::FromStr;

use crate::code::Code;
use crate::evaluation::{Outcome, is_said};
use crate::plugin;
use crate::report::Diagnostic;
use crate::report::acceptance::rule_named;
use crate::report::finding::{refusing, warning_of};
use crate::report::subject::Subject;
use gotext::names;
use kube_api::resource;

/// One word of `--only`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnlyWord {
    /// An event.
    Event(RequestEvent),
    /// The plugin or part of the server that caused it.
    Rule(&'static str),
    /// The kind of the object, or of the object for which a controller creates it.
    Kind(String),
    /// The namespace of the object.
    Namespace(String),
}

/// An event of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestEvent {
    /// It is refused.
    Denied,
    /// A plugin changes its object.
    Changed,
    /// The server warns.
    Warned,
}

/// The error about a word that names nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownWord(String);

/// The outcomes to show: words of one sort are alternatives, and words of different sorts must all match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Only {
    events: Vec<RequestEvent>,
    rules: Vec<&'static str>,
    kinds: Vec<String>,
    namespaces: Vec<String>,
}

/// Chooses among outcomes, and records the kinds and namespaces that occurred.
#[derive(Debug, Default)]
pub struct OutcomeFilter {
    only: Only,
    kinds: BTreeSet<String>,
    namespaces: BTreeSet<String>,
    shown: usize,
}

/// The largest number of wrong letters in a word for a suggestion.
const NEAR: usize = 2;

impl RequestEvent {
    const ALL: [Self; 3] = [Self::Denied, Self::Changed, Self::Warned];

    fn as_str(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Changed => "changed",
            Self::Warned => "warned",
        }
    }
}

impl FromStr for OnlyWord {
    type Err = UnknownWord;

    /// Reads `denied`, `plugin=PodSecurity`, `kind=Pod`, `namespace=shop`, or the last three without their names.
    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        match text.split_once('=') {
            Some((_, "")) => Err(UnknownWord(format!("nothing follows the `=` of `{text}`"))),
            Some(("plugin", name)) => {
                rule_named(name).map(Self::Rule).map_err(|unknown| UnknownWord(unknown.help))
            }
            Some(("kind", name)) => Ok(Self::Kind(name.to_owned())),
            Some(("namespace", name)) => Ok(Self::Namespace(name.to_owned())),
            Some(_) => Err(UnknownWord("write plugin=NAME, kind=NAME or namespace=NAME".to_owned())),
            None => bare(text),
        }
    }
}

/// Returns the meaning of a word without `=`: a plugin takes precedence over a kind of the same name; a namespace has
/// no capital letters.
fn bare(text: &str) -> Result<OnlyWord, UnknownWord> {
    if let Some(event) = RequestEvent::ALL.into_iter().find(|event| event.as_str() == text) {
        return Ok(OnlyWord::Event(event));
    }
    if let Ok(rule) = rule_named(text) {
        return Ok(OnlyWord::Rule(rule));
    }
    let kinds: BTreeSet<&str> = resource::all().iter().map(|resource| resource.kind).collect();
    if kinds.contains(text) {
        return Ok(OnlyWord::Kind(text.to_owned()));
    }
    let has_capitals = text.chars().any(char::is_uppercase);
    let most = if has_capitals { NEAR } else { 0 };
    let near = nearest(text, RequestEvent::ALL.into_iter().map(RequestEvent::as_str), NEAR)
        .or_else(|| plugin::suggest(text).map(|plugin| plugin.name).filter(|name| is_near(text, name, most)))
        .or_else(|| nearest(text, kinds.iter().copied(), most));
    match near {
        Some(near) if has_capitals => {
            Err(UnknownWord(format!("did you mean `{near}`? (kind={text} for a kind of that name)")))
        }
        Some(near) => Err(UnknownWord(format!(
            "did you mean `{near}`? (namespace={text} for a namespace of that name)"
        ))),
        None if has_capitals => Ok(OnlyWord::Kind(text.to_owned())),
        None if names::is_dns1123_label(text).is_empty() => Ok(OnlyWord::Namespace(text.to_owned())),
        None => Err(UnknownWord(
            "it is denied, changed, warned, or the name of a plugin, a kind or a namespace".to_owned(),
        )),
    }
}

fn distance(one: &str, other: &str) -> usize {
    strsim::damerau_levenshtein(&one.to_lowercase(), &other.to_lowercase())
}

fn is_near(one: &str, other: &str, most: usize) -> bool {
    // Every word is near to a short one.
    distance(one, other) <= most.min(one.chars().count() / 3)
}

fn nearest<'a>(text: &str, known: impl Iterator<Item = &'a str>, most: usize) -> Option<&'a str> {
    let near = known.filter(|known| is_near(text, known, most));
    near.min_by_key(|known| (distance(text, known), known.to_owned()))
}

impl FromIterator<OnlyWord> for Only {
    fn from_iter<I: IntoIterator<Item = OnlyWord>>(words: I) -> Self {
        let mut only = Self::default();
        for word in words {
            match word {
                OnlyWord::Event(event) => only.events.push(event),
                OnlyWord::Rule(rule) => only.rules.push(rule),
                OnlyWord::Kind(kind) => only.kinds.push(kind),
                OnlyWord::Namespace(namespace) => only.namespaces.push(namespace),
            }
        }
        only
    }
}

impl Only {
    /// Whether everything is shown.
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// Whether an outcome with the events `happened`, about an object of one of `kinds` in `namespace`, is shown.
    pub(super) fn takes<'a>(
        &self,
        kinds: &[&str],
        namespace: &str,
        mut happened: impl Iterator<Item = (RequestEvent, &'a str)>,
    ) -> bool {
        let is_of_kind =
            self.kinds.is_empty() || self.kinds.iter().any(|kind| kinds.contains(&kind.as_str()));
        let is_in = self.namespaces.is_empty() || self.namespaces.iter().any(|name| name == namespace);
        let is_any = self.events.is_empty() && self.rules.is_empty();
        let is_meant = |(event, rule): (RequestEvent, &str)| {
            (self.events.is_empty() || self.events.contains(&event))
                && (self.rules.is_empty() || self.rules.contains(&rule))
        };
        is_of_kind && is_in && (is_any || happened.any(is_meant))
    }
}

impl OutcomeFilter {
    /// Returns a filter by `only`.
    pub fn new(only: Only) -> Self {
        Self { only, ..Self::default() }
    }

    /// Returns the number of chosen outcomes, unless all are chosen.
    pub fn shown(&self) -> Option<usize> {
        (!self.only.is_all()).then_some(self.shown)
    }

    /// Returns the outcomes to show. The answer to a controller is shown without the object that it works for if that
    /// one is not shown.
    pub fn choose(&mut self, outcomes: Vec<Outcome>) -> Vec<Outcome> {
        if self.only.is_all() {
            return outcomes;
        }
        let mut chosen = Vec::new();
        for mut outcome in outcomes {
            let mut caused = mem::take(&mut outcome.caused);
            caused.retain(|caused| self.takes(caused, &outcome.trace.warnings));
            if self.takes(&outcome, &[]) {
                outcome.caused = caused;
                chosen.push(outcome);
            } else {
                chosen.append(&mut caused);
            }
        }
        self.shown += chosen.iter().map(|outcome| outcome.with_caused().count()).sum::<usize>();
        chosen
    }

    /// Whether `outcome` is shown; the warnings in `said` belong to another one.
    fn takes(&mut self, outcome: &Outcome, said: &[String]) -> bool {
        let subject = Subject::of(outcome);
        let owner = outcome.cause.as_ref().map(|cause| &*cause.owner_kind.kind);
        let kinds: Vec<&str> = [subject.kind].into_iter().chain(owner).collect();
        for kind in &kinds {
            if !self.kinds.contains(*kind) {
                self.kinds.insert((*kind).to_owned());
            }
        }
        // A Namespace belongs to the namespace that it creates.
        let namespace = &outcome.namespace;
        if !self.namespaces.contains(namespace) {
            self.namespaces.insert(namespace.clone());
        }
        let denied = outcome.refusal.iter().map(|refusal| (RequestEvent::Denied, refusing(outcome, refusal)));
        let warnings = outcome.trace.warnings.iter().filter(|warning| !is_said(warning, said));
        let warned = warnings.map(|warning| (RequestEvent::Warned, warning_of(outcome, warning)));
        let steps = outcome.trace.steps.iter().filter(|step| step.change.is_some());
        let changed = steps.map(|step| (RequestEvent::Changed, step.plugin));
        self.only.takes(&kinds, namespace, denied.chain(warned).chain(changed))
    }

    /// Returns errors about the words that match no object.
    pub fn idle_words(&self) -> Vec<Diagnostic> {
        self.only.idle(&self.kinds, &self.namespaces)
    }
}

impl Only {
    /// Returns errors about the words that match none of `objects`, which are kinds and namespaces.
    pub(crate) fn idle_words<'a>(
        &self,
        objects: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Vec<Diagnostic> {
        let (kinds, namespaces) =
            objects.map(|(kind, namespace)| (kind.to_owned(), namespace.to_owned())).unzip();
        self.idle(&kinds, &namespaces)
    }

    fn idle(&self, kinds: &BTreeSet<String>, namespaces: &BTreeSet<String>) -> Vec<Diagnostic> {
        let no_kind = "there is no object of that kind";
        let no_namespace = "no object is in a namespace of that name";
        let idle_kinds = self.kinds.iter().filter(|kind| !kinds.contains(*kind));
        let idle_kinds = idle_kinds.map(|kind| idle(kind, no_kind, kinds));
        let idle_namespaces = self.namespaces.iter().filter(|name| !namespaces.contains(*name));
        idle_kinds.chain(idle_namespaces.map(|name| idle(name, no_namespace, namespaces))).collect()
    }
}

/// Returns the error that nothing matches `name`, with a suggestion from `known`.
fn idle(name: &str, why: &str, known: &BTreeSet<String>) -> Diagnostic {
    let warning = Diagnostic::warning(Code::Only, format!("--only {name}: {why}"));
    let known = known.iter().map(String::as_str).filter(|known| !known.is_empty());
    let names: Vec<&str> = known.collect();
    match nearest(name, names.iter().copied(), NEAR) {
        Some(near) => warning.help(format!("did you mean `{near}`?")),
        None if names.is_empty() || names.len() > MAX_LISTED => warning,
        None => warning.help(format!("there are {}", names.join(", "))),
    }
}

/// The limit of names that are listed.
const MAX_LISTED: usize = 8;

impl fmt::Display for OnlyWord {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(event) => formatter.write_str(event.as_str()),
            Self::Rule(rule) => write!(formatter, "plugin={rule}"),
            Self::Kind(kind) => write!(formatter, "kind={kind}"),
            Self::Namespace(namespace) => write!(formatter, "namespace={namespace}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match text.parse::<OnlyWord>() {
            Ok(word) => word.to_string(),
            Err(unknown) => unknown.to_string(),
        }
    }

    #[test]
    fn a_word_is_what_it_names() {
        for (text, word) in [
            ("denied", "denied"),
            ("PodSecurity", "plugin=PodSecurity"),
            ("ServiceAccount", "plugin=ServiceAccount"),
            ("kind=ServiceAccount", "kind=ServiceAccount"),
            ("APIValidation", "plugin=APIValidation"),
            ("plugin=API validation", "plugin=APIValidation"),
            ("Deployment", "kind=Deployment"),
            ("Widget", "kind=Widget"),
            ("shop", "namespace=shop"),
            ("namespace=denied", "namespace=denied"),
        ] {
            assert_eq!(read(text), word, "{text}");
        }
    }

    #[test]
    fn a_word_that_is_nearly_another_is_refused() {
        for (text, help) in [
            ("dennied", "did you mean `denied`? (namespace=dennied for a namespace of that name)"),
            ("PodSecurty", "did you mean `PodSecurity`? (kind=PodSecurty for a kind of that name)"),
            (
                "podsecurity",
                "did you mean `PodSecurity`? (namespace=podsecurity for a namespace of that name)",
            ),
            ("Deploymnt", "did you mean `Deployment`? (kind=Deploymnt for a kind of that name)"),
            ("pod", "did you mean `Pod`? (namespace=pod for a namespace of that name)"),
            ("plugin=PodSecurty", "did you mean \"PodSecurity\"?"),
            ("plugin=", "nothing follows the `=` of `plugin=`"),
            ("verdict=denied", "write plugin=NAME, kind=NAME or namespace=NAME"),
            ("a_b", "it is denied, changed, warned, or the name of a plugin, a kind or a namespace"),
        ] {
            assert_eq!(read(text), help, "{text}");
        }
    }

    #[test]
    fn words_of_one_sort_are_alternatives_and_sorts_must_all_hold() {
        let words = ["denied", "warned", "PodSecurity", "Pod", "shop", "web"];
        let only: Only = words.iter().map(|word| word.parse::<OnlyWord>().unwrap()).collect();
        let takes = |kind, namespace, happened: &[(RequestEvent, &str)]| {
            only.takes(&[kind], namespace, happened.iter().copied())
        };
        assert!(takes("Pod", "web", &[(RequestEvent::Warned, "PodSecurity")]));
        assert!(!takes(
            "Pod",
            "web",
            &[(RequestEvent::Changed, "PodSecurity"), (RequestEvent::Denied, "Priority")]
        ));
        assert!(!takes("Pod", "other", &[(RequestEvent::Denied, "PodSecurity")]));
        assert!(!takes("Job", "shop", &[(RequestEvent::Denied, "PodSecurity")]));
        assert!(Only::default().takes(&["Job"], "", std::iter::empty()));
    }
}
