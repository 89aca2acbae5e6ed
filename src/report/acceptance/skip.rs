//! `[[skip]]` of the settings.

use std::sync::Arc;

use glob::Pattern;

use crate::evaluation::{Place, Skipped};
use crate::plugin;
use crate::report::Summary;
use crate::report::acceptance::{Candidate, Date, FilePatterns, skipped};
use crate::report::finding::{API_SERVER, API_VALIDATION};
use crate::report::subject::Subject;
use gotext::source::{SourceFile, Span};

/// A skip: the finding that the user accepts, and the objects; without a filter all.
#[derive(Clone, Debug)]
pub struct Skip {
    /// The rule of the finding, as [`rule_named`] returns it.
    pub rule: &'static str,
    /// Patterns for the file, one of each of which must match.
    pub files: Vec<FilePatterns>,
    /// The kind of the object, or of the one that a controller creates it for.
    pub kind: Option<Pattern>,
    /// The namespace of the same object.
    pub namespace: Option<Pattern>,
    /// The name of the same object.
    pub name: Option<Pattern>,
    /// Part of the message.
    pub message: Option<String>,
    /// The reason of the user.
    pub reason: String,
    /// The last day on which it is accepted.
    pub expires: Option<Date>,
    /// The file with the skip.
    pub source: Arc<SourceFile>,
    /// Where in the file.
    pub span: Span,
}

/// There is no rule with that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRule {
    /// Advice on how to fix it.
    pub help: String,
}

/// What an editor writes in the place of a reason, for the user to replace.
#[cfg(feature = "report")]
pub(in crate::report) const PLACEHOLDER: &str = "TODO: why";

/// Whether `text` says more than that a reason is to be written.
pub fn is_reason(text: &str) -> bool {
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).any(|word| word != "todo" && word != "why")
}

/// The name of API validation in the text report.
const VALIDATION: &str = "API validation";

/// Returns the rule called `name`: a plugin, `API validation` or `API server`.
pub fn rule_named(name: &str) -> Result<&'static str, UnknownRule> {
    if let Some(plugin) = plugin::find(name) {
        return Ok(plugin.name);
    }
    match name {
        VALIDATION | API_VALIDATION => Ok(API_VALIDATION),
        Summary::API_SERVER | API_SERVER => Ok(API_SERVER),
        _ => {
            let help = match plugin::suggest(name) {
                Some(plugin) => format!("did you mean \"{}\"?", plugin.name),
                None => format!(
                    "`kadmit plugins` lists the plugins; the server itself is \"{VALIDATION}\" or \"{}\"",
                    Summary::API_SERVER
                ),
            };
            Err(UnknownRule { help })
        }
    }
}

/// Returns the name of `rule` for people.
pub(in crate::report) fn title(rule: &'static str) -> &'static str {
    match rule {
        API_VALIDATION => VALIDATION,
        API_SERVER => Summary::API_SERVER,
        plugin => plugin,
    }
}

impl Skip {
    /// Whether it accepts the finding `said`.
    pub(super) fn is_about(&self, said: &Candidate<'_>) -> bool {
        let file = said.request.place.as_ref().map(Place::file);
        self.rule == said.rule
            && self.message.as_ref().is_none_or(|part| said.message.contains(part))
            && self.is_about_object(said)
            && self.files.iter().all(|patterns| file.is_some_and(|file| patterns.fit(file)))
    }

    fn is_about_object(&self, said: &Candidate<'_>) -> bool {
        let fits = |pattern: &Option<Pattern>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| pattern.matches(text))
        };
        let fit = |kind: &str, namespace: &str, name: &str| {
            fits(&self.kind, kind) && fits(&self.namespace, namespace) && fits(&self.name, name)
        };
        let subject = Subject::of(said.request);
        let owner = said.request.cause.as_ref();
        fit(subject.kind, subject.namespace, subject.name.as_deref().unwrap_or_default())
            || owner
                .is_some_and(|owner| fit(&owner.owner_kind.kind, &owner.owner_namespace, &owner.owner_name))
    }

    pub(super) fn skipped(&self) -> Skipped {
        skipped(&self.reason, &self.source, self.span, false)
    }
}
