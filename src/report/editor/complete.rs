//! What can follow the text before the cursor: kinds, the names of skips, and the variables of policies.
//!
//! What is being written can rarely be read, so this looks at lines alone.

use std::collections::BTreeSet;

use gotext::source::Span;
use kube_api::version::Version;
use kube_api::{resource, resource::ApiResource};

use crate::report::acceptance::SKIP_ANNOTATION;

/// A text that can replace what was begun.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Completion {
    /// The text.
    pub label: String,
    /// What it is.
    pub detail: String,
}

/// What an editor completes with.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The release of the server.
    pub release: Version,
    /// Whether it serves OpenShift's kinds.
    pub is_openshift: bool,
    /// The plugins of the server.
    pub plugins: &'a [&'static str],
}

/// The fields of expressions in policies.
const EXPRESSIONS: [&str; 4] = ["auditAnnotation", "expression", "messageExpression", "valueExpression"];

/// The variables of every expression.
const VARIABLES: [(&str, &str); 4] = [
    ("object", "the object of the request; null for a deletion"),
    ("oldObject", "the existing object; null for a creation"),
    ("request", "the admission request"),
    ("authorizer", "checks what the user may do"),
];

/// The variables that policies have and webhooks do not.
const OF_POLICIES: [(&str, &str); 3] = [
    ("namespaceObject", "the namespace; null for an object without one"),
    ("params", "the object that paramKind and the binding name"),
    ("variables", "the variables of the policy"),
];

/// The fields of `request`.
const REQUEST: [&str; 11] = [
    "dryRun",
    "kind",
    "name",
    "namespace",
    "operation",
    "options",
    "requestKind",
    "requestResource",
    "requestSubResource",
    "resource",
    "userInfo",
];

/// Returns what can be written at `offset` of `text`, and the part that it replaces.
pub fn complete(text: &str, offset: usize, names: Names<'_>) -> (Span, Vec<Completion>) {
    let offset = offset.min(text.len());
    let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..offset].trim_start_matches([' ', '-']);
    let document = Document::around(text, offset);
    let after = |key: &str| line.strip_prefix(key).filter(|rest| rest.starts_with([' ', '"', '\'']));
    let quotes = [' ', '"', '\''];
    if let Some(begun) = after("kind:").map(|rest| rest.trim_start_matches(quotes)) {
        return (span(offset, begun), kinds(names, document.value("apiVersion:"), begun));
    }
    if let Some(begun) = after("apiVersion:").map(|rest| rest.trim_start_matches(quotes)) {
        return (span(offset, begun), api_versions(names, document.value("kind:"), begun));
    }
    let key = line.trim_start_matches(['"', '\'']).strip_prefix(SKIP_ANNOTATION);
    if let Some(value) = key.and_then(|rest| rest.trim_start_matches(['"', '\'']).strip_prefix(": ")) {
        let begun = value.rsplit(';').next().unwrap_or_default().trim_start_matches(quotes);
        return (span(offset, begun), skips(names, begun));
    }
    if document.is_in_expression(&text[..offset]) {
        expression(&document, line, offset)
    } else {
        (span(offset, ""), Vec::new())
    }
}

fn span(offset: usize, begun: &str) -> Span {
    Span::new(offset - begun.len()..offset)
}

fn resources(names: Names<'_>) -> impl Iterator<Item = &'static ApiResource> {
    let openshift = if names.is_openshift { resource::openshift() } else { &[] };
    resource::of_release(names.release).iter().chain(openshift)
}

fn kinds(names: Names<'_>, api_version: Option<&str>, begun: &str) -> Vec<Completion> {
    let of_version = |entry: &&ApiResource| api_version.is_none_or(|wanted| entry.group_version() == wanted);
    let found = resources(names).filter(of_version).filter(|entry| entry.kind.starts_with(begun));
    let found = found.map(|entry| Completion { label: entry.kind.to_owned(), detail: entry.group_version() });
    sorted(found)
}

fn api_versions(names: Names<'_>, kind: Option<&str>, begun: &str) -> Vec<Completion> {
    let of_kind = |entry: &&ApiResource| kind.is_none_or(|wanted| entry.kind == wanted);
    let found = resources(names).filter(of_kind).map(ApiResource::group_version);
    let found: BTreeSet<String> = found.filter(|version| version.starts_with(begun)).collect();
    let detail = kind.map(|kind| format!("a version of {kind}")).unwrap_or_default();
    found.into_iter().map(|label| Completion { label, detail: detail.clone() }).collect()
}

fn skips(names: Names<'_>, begun: &str) -> Vec<Completion> {
    let plugins = names.plugins.iter().map(|name| (*name, "a plugin of the server"));
    let own = [("API server", "the server itself"), ("API validation", "the validation of the object")];
    let found = plugins.chain(own).filter(|(name, _)| name.starts_with(begun));
    // A skip needs a reason, which follows the name.
    sorted(found.map(|(name, detail)| Completion { label: format!("{name} "), detail: detail.to_owned() }))
}

fn expression(document: &Document<'_>, line: &str, offset: usize) -> (Span, Vec<Completion>) {
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '.');
    let chain = line.rfind(|character| !is_part(character)).map_or(line, |end| {
        let end = end + line[end..].chars().next().map_or(0, char::len_utf8);
        &line[end..]
    });
    let (base, begun) = chain.rsplit_once('.').map_or((None, chain), |(base, begun)| (Some(base), begun));
    let all: Vec<(&str, &str)> = match base {
        None if document.is_policy() => VARIABLES.iter().chain(&OF_POLICIES).copied().collect(),
        None => VARIABLES.to_vec(),
        Some("variables") => document.variables().map(|name| (name, "a variable of the policy")).collect(),
        Some("request") => REQUEST.map(|name| (name, "a field of the request")).to_vec(),
        Some(_) => Vec::new(),
    };
    let found = all.into_iter().filter(|(name, _)| name.starts_with(begun));
    let found =
        found.map(|(label, detail)| Completion { label: label.to_owned(), detail: detail.to_owned() });
    (span(offset, begun), sorted(found))
}

fn sorted(found: impl Iterator<Item = Completion>) -> Vec<Completion> {
    found.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The lines of one document.
struct Document<'a>(&'a str);

impl<'a> Document<'a> {
    /// Returns the document of `text` around `offset`.
    fn around(text: &'a str, offset: usize) -> Self {
        let is_end = |line: &str| line.trim_end() == "---";
        let (mut start, mut at) = (0, 0);
        for line in text.split_inclusive('\n') {
            if is_end(line) && at + line.len() <= offset {
                start = at + line.len();
            } else if is_end(line) && at >= offset {
                return Self(&text[start..at]);
            }
            at += line.len();
        }
        Self(&text[start..])
    }

    /// Returns the value of a key of the object itself.
    fn value(&self, key: &str) -> Option<&'a str> {
        let value = self.0.lines().find_map(|line| line.strip_prefix(key))?;
        Some(value.trim().trim_matches(['"', '\''])).filter(|value| !value.is_empty())
    }

    fn is_policy(&self) -> bool {
        self.value("kind:").is_some_and(|kind| kind.ends_with("AdmissionPolicy"))
    }

    /// Whether the end of `before`, the text up to there, is in an expression of a policy or of a webhook.
    fn is_in_expression(&self, before: &str) -> bool {
        let is_webhook = self.value("kind:").is_some_and(|kind| kind.ends_with("WebhookConfiguration"));
        if !self.is_policy() && !is_webhook {
            return false;
        }
        let key_of = |line: &str| {
            let (key, rest) = line.trim_start_matches([' ', '-']).split_once(':')?;
            EXPRESSIONS.contains(&key).then(|| rest.trim().to_owned())
        };
        let indent = |line: &str| line.len() - line.trim_start().len();
        let mut lines = before.rsplit('\n');
        let Some(line) = lines.next() else { return false };
        if key_of(line).is_some() {
            return true;
        }
        let above = lines.find(|above| !above.trim().is_empty() && indent(above) < indent(line));
        above.and_then(key_of).is_some_and(|style| style.starts_with(['|', '>']) || style.is_empty())
    }

    /// Returns the names of the variables that the policy defines.
    fn variables(&self) -> impl Iterator<Item = &'a str> {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let mut lines = self.0.lines().skip_while(|line| line.trim() != "variables:");
        let own = lines.next().map_or(0, indent);
        let below = move |line: &&str| {
            line.trim().is_empty()
                || indent(line) > own
                || (indent(line) == own && line.trim_start().starts_with('-'))
        };
        let names = lines.take_while(below).filter_map(|line| {
            line.trim_start_matches([' ', '-'])
                .strip_prefix("name:")
                .map(|name| name.trim().trim_matches(['"', '\'']))
        });
        names.filter(|name| !name.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the labels for the text with a `|` at the cursor, and what they replace.
    fn labels(text: &str) -> (String, Vec<String>) {
        let offset = text.find('¦').expect("a cursor");
        let text = text.replace('¦', "");
        let names =
            Names { release: Version::BINARY, is_openshift: false, plugins: &["PodSecurity", "Priority"] };
        let (span, found) = complete(&text, offset, names);
        (text[span.start..span.end].to_owned(), found.into_iter().map(|one| one.label).collect())
    }

    #[test]
    fn kinds_are_those_of_the_version() {
        assert_eq!(labels("apiVersion: apps/v1\nkind: De¦\n"), ("De".into(), vec!["Deployment".into()]));
        assert_eq!(labels("kind: Deployment\napiVersion: ¦"), (String::new(), vec!["apps/v1".into()]));
        assert_eq!(labels("a: b¦").1, Vec::<String>::new());
    }

    #[test]
    fn skips_name_plugins() {
        let text = "metadata:\n  annotations:\n    kadmit.dev/skip: \"PodSecurity a reason; Pri¦";
        assert_eq!(labels(text), ("Pri".into(), vec!["Priority ".into()]));
    }

    #[test]
    fn expressions_have_the_variables_of_the_policy() {
        let policy = "kind: ValidatingAdmissionPolicy\nspec:\n  variables:\n  - name: replicas\n    expression: '1'\n  \
                      - expression: '2'\n    name: most\n  validations:\n  - expression: ¦\n";
        let at = |written: &str| labels(&policy.replace('¦', written));
        assert_eq!(at("variables.¦").1, ["most", "replicas"]);
        assert_eq!(at("object.spec == var¦"), ("var".into(), vec!["variables".into()]));
        assert_eq!(at(">-\n      a &&\n      o¦").1, ["object", "oldObject"]);
        assert_eq!(at("request.operat¦").1, ["operation"]);
        assert_eq!(at("'1'\n    message: o¦").1, Vec::<String>::new());
        let webhook =
            "kind: ValidatingWebhookConfiguration\nwebhooks:\n- matchConditions:\n  - expression: p¦";
        assert_eq!(labels(webhook).1, Vec::<String>::new());
    }
}
