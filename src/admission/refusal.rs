//! A plugin's refusal, with its reasons.

use std::fmt;
use std::ops::Range;

use crate::admission::{Need, Remedy};
use kube_api::field;
use kube_api::field::Path;
use kube_api::{GroupResource, Object, Status, resource};
use kube_registry::openshift;

/// A refusal of a request: the answer to the client, and details that help people to understand it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Refusal {
    /// The API server's answer.
    pub status: Box<Status>,
    /// The fields of the object that it is about, the most relevant first.
    pub fields: Vec<Path>,
    /// What is wrong with one of these fields, in a few words, where it differs between them.
    pub reasons: Vec<(Path, String)>,
    /// The objects in the cluster that cause it.
    pub evidence: Vec<Evidence>,
    /// What helps to fix it, one line each.
    pub help: Vec<String>,
    /// What the cluster lacks, if it could grant the request.
    pub needs: Vec<Need>,
    /// The changes of the object that rule it out together, if there are any.
    pub remedies: Vec<Remedy>,
    /// The errors about fields of the object, if its validation refused it.
    pub errors: Vec<field::Error>,
    /// The rule of a policy that refused, and why.
    pub rule: Option<Box<PolicyRule>>,
}

/// The rule of a policy that refused a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyRule {
    /// Name of the policy.
    pub policy: String,
    /// Name of the binding, if evaluation got that far.
    pub binding: String,
    /// Namespace and name of the parameters, if there are any.
    pub params: Option<(String, String)>,
    /// The explanation of its expression, if one decided.
    pub explanation: Option<Explanation>,
    /// Whether its parameters are a Secret, so that what it read is not for everybody.
    pub reads_secret: bool,
}

/// A rule of a policy that a request breaks, and that does not refuse it: it warns, or marks the audit event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyViolation {
    /// Name of the plugin.
    pub plugin: &'static str,
    /// Its actions: `Warn`, `Audit`.
    pub actions: Vec<String>,
    /// The message of the policy.
    pub message: String,
    /// The warning that it is, if it warns.
    pub warning: Option<String>,
    /// The rule.
    pub rule: PolicyRule,
    /// The fields of the object that it is about.
    pub fields: Vec<Path>,
    /// The objects in the cluster that cause it.
    pub evidence: Vec<Evidence>,
}

/// The values that an expression read when it refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The expression.
    pub expression: String,
    /// The deciding part of the expression, in bytes.
    pub part: Range<usize>,
    /// The names that this part reads, and the value of each: `is 5`, `is not set`.
    pub values: Vec<(String, String)>,
}

#[doc(hidden)]
impl Explanation {
    /// Whether it has nothing besides the expression as a whole.
    pub fn is_bare(&self) -> bool {
        self.values.is_empty() && self.part == (0..self.expression.len())
    }
}

/// An object in the cluster that causes a refusal or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// Resource of the object.
    pub resource: GroupResource,
    /// Namespace of the object, or nothing.
    pub namespace: String,
    /// Name of the object.
    pub name: String,
    /// The relevant field; the object as a whole if unset.
    pub path: Option<Path>,
    /// The description, to be read after the object's kind and name: `enforces baseline`.
    pub says: String,
}

#[doc(hidden)]
impl Evidence {
    /// Returns the evidence that `object` of `resource` as a whole is; `says` follows its kind and name.
    pub fn of(resource: GroupResource, object: &Object, says: impl Into<String>) -> Self {
        Self::named(resource, object.namespace(), object.name(), says)
    }

    /// Returns the evidence that the object `name` as a whole is; `namespace` may be empty.
    pub fn named(
        resource: GroupResource,
        namespace: impl Into<String>,
        name: impl Into<String>,
        says: impl Into<String>,
    ) -> Self {
        Self { resource, namespace: namespace.into(), name: name.into(), path: None, says: says.into() }
    }

    /// Names the relevant field.
    #[must_use]
    pub fn at(self, path: impl Into<Option<Path>>) -> Self {
        Self { path: path.into(), ..self }
    }
}

impl Evidence {
    /// Returns the kind and name of the object, such as `LimitRange container-sizes`.
    pub(crate) fn object(&self) -> String {
        let GroupResource { group, resource: plural } = &self.resource;
        let of_openshift = || Some(openshift::definition(group, plural)?.kind.clone());
        let built_in = resource::kind_of(&self.resource).map(str::to_owned);
        let kind = built_in.or_else(of_openshift).unwrap_or_else(|| plural.to_string());
        format!("{kind} {}", self.name)
    }
}

impl fmt::Display for Evidence {
    /// Formats it as `LimitRange container-sizes allows at most 2 cpu`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.object(), self.says)
    }
}

/// What plugins build refusals with.
#[doc(hidden)]
impl Refusal {
    /// Names a field of the object that the refusal is about.
    #[must_use]
    pub fn at(mut self, path: Path) -> Self {
        self.fields.push(path);
        self
    }

    /// Names the fields of the object that the refusal is about.
    #[must_use]
    pub fn at_all(mut self, paths: impl IntoIterator<Item = Path>) -> Self {
        self.fields.extend(paths);
        self
    }

    /// Adds a line that helps to fix it.
    #[must_use]
    pub fn advise(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Names what the cluster would have to grant.
    #[must_use]
    pub fn needing(mut self, needs: impl IntoIterator<Item = Need>) -> Self {
        self.needs.extend(needs);
        self
    }

    /// Names changes of the object that rule it out together.
    #[must_use]
    pub fn cured_by(mut self, remedies: impl IntoIterator<Item = Remedy>) -> Self {
        self.remedies.extend(remedies);
        self
    }

    /// Names fields of the object that the refusal is about, with what is wrong with each.
    #[must_use]
    pub fn at_each(mut self, reasons: impl IntoIterator<Item = (Path, String)>) -> Self {
        for (path, reason) in reasons {
            self.fields.push(path.clone());
            self.reasons.push((path, reason));
        }
        self
    }

    /// Names the rule of a policy that refused.
    #[must_use]
    pub fn by(mut self, rule: PolicyRule) -> Self {
        self.rule = Some(Box::new(rule));
        self
    }

    /// Names the object in the cluster that causes it.
    #[must_use]
    pub fn because(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }
}

impl From<Status> for Refusal {
    fn from(status: Status) -> Self {
        Self {
            status: Box::new(status),
            fields: Vec::new(),
            reasons: Vec::new(),
            evidence: Vec::new(),
            help: Vec::new(),
            needs: Vec::new(),
            remedies: Vec::new(),
            errors: Vec::new(),
            rule: None,
        }
    }
}
