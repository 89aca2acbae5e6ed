//! What is required, for people and programs.

use std::fmt::Write;

use serde_json::json;

use crate::admission::Need;
use crate::report::{Refused, counted};
use crate::require::manifests::{self, Manifest};
use crate::require::{Grant, Lacking, Requirements};
use kube_api::resource;
use kube_api::resources::{NAMESPACES, NODES};

const INDENT: &str = "    ";

/// Writes the manifests with a comment for each reason, and what they do not achieve as comments at the end.
pub fn write_yaml(out: &mut String, required: &Requirements) {
    let manifests = required.grants.manifests();
    let requests = counted(required.requests, "document");
    if manifests.is_empty() {
        comment(out, &format!("Nothing is required by {requests}."));
    } else {
        comment(
            out,
            &format!("What a cluster must have so that it admits {} of {requests}.", required.admitted),
        );
    }
    for manifest in &manifests {
        out.push_str("---\n");
        for line in remarks(manifest) {
            comment(out, &line);
        }
        // Go refuses to write some texts; the YAML is valid nevertheless.
        let _ = kube_yaml::write_yaml(&manifest.value, out);
    }
    if required.refused.is_empty() && required.lacking.is_empty() && required.gates.is_empty() {
        return;
    }
    if !manifests.is_empty() {
        out.push_str("---\n");
    }
    for (heading, list) in required.settings() {
        comment(out, heading);
        for lacking in list {
            comment(out, &format!("- {}: {}", lacking.what, lacking.places()));
        }
    }
    if !required.refused.is_empty() {
        comment(out, REFUSED);
    }
    for reason in &required.refused {
        comment(out, &format!("- {}: {}", reason.place(), reason.message));
    }
}

/// What comes before that which no manifest here grants.
const LACKING: &str = "Needed as well, besides manifests:";
/// What comes before the settings of a server that lets it keep what is written.
const GATES: &str = "Admitted without them, but fields are dropped:";
/// What comes before the refusals.
const REFUSED: &str = "Refused whatever the cluster has:";

/// Returns what is remarkable about a manifest, and why it is required.
fn remarks(manifest: &Manifest) -> Vec<String> {
    let mut lines = Vec::new();
    if manifest.key.0 == NODES {
        lines.push("It exists; its kubelet declares the features, as a newer one does.".to_owned());
    } else if !manifest.is_new {
        let changes = manifest.changes.iter().filter(|change| !change.path.to_string().starts_with("status"));
        let fields: Vec<String> = changes.map(|change| change.path.to_string()).collect();
        lines.push(format!("It exists; {} changed.", listed(&fields)));
    } else if manifest.key.0 == NAMESPACES && manifest.reasons.is_empty() {
        lines.push("The objects in it cannot be applied before it is there.".to_owned());
    } else if let Some(remark) = manifests::remark(&manifest.key.0) {
        lines.push(format!("{remark}."));
    }
    // The rules of a role are the rights that its requests lack.
    let says_why = manifest.value["rules"].is_null();
    let mut reasons: Vec<String> = Vec::new();
    for reason in &manifest.reasons {
        let message = reason.message.lines().next().unwrap_or_default();
        let line = if says_why { format!("{}: {message}", reason.place()) } else { reason.place() };
        if !reasons.contains(&line) {
            reasons.push(line);
        }
    }
    let rest = reasons.len().saturating_sub(MAX_REASONS);
    reasons.truncate(MAX_REASONS);
    lines.extend(reasons);
    lines.extend((rest > 0).then(|| format!("and {rest} more")));
    lines
}

/// The most reasons that are written at a manifest.
const MAX_REASONS: usize = 5;

/// Writes a line for each requirement, with the requests that need it.
pub fn write_text(out: &mut String, required: &Requirements) {
    if required.grants.is_empty() {
        let _ = writeln!(out, "nothing is required by {}", counted(required.requests, "document"));
    } else {
        let _ = writeln!(out, "required by {}:", counted(required.requests, "document"));
    }
    for grant in required.grants.iter() {
        let _ = writeln!(out, "  {}", grant.describe());
        for reason in &grant.reasons {
            let _ = writeln!(out, "{INDENT}{}", reason.place());
        }
    }
    for (heading, list) in required.settings() {
        let _ = writeln!(out, "\n{}", heading.to_lowercase());
        for lacking in list {
            let _ = writeln!(out, "  {}\n{INDENT}{}", lacking.what, lacking.places());
        }
    }
    if !required.refused.is_empty() {
        let _ = writeln!(out, "\n{}", REFUSED.to_lowercase());
    }
    for reason in &required.refused {
        let _ = writeln!(out, "  {}", reason.place());
        for line in reason.message.lines() {
            let _ = writeln!(out, "{INDENT}{line}");
        }
    }
}

/// Writes lists for a ticket or a comment, and the manifests in a block.
pub fn write_markdown(out: &mut String, required: &Requirements) {
    let _ = writeln!(out, "Required by {}:\n", counted(required.requests, "document"));
    for grant in required.grants.iter() {
        let reasons: Vec<String> = grant.reasons.iter().map(|reason| code(&reason.place())).collect();
        let _ = writeln!(out, "- {}: {}", code(&grant.describe()), reasons.join(", "));
    }
    if required.grants.is_empty() {
        let _ = writeln!(out, "- nothing");
    } else {
        let mut manifests = String::new();
        write_yaml(
            &mut manifests,
            &Requirements { refused: Vec::new(), lacking: Vec::new(), gates: Vec::new(), ..required.clone() },
        );
        // A fence in a message does not end the block.
        let _ = writeln!(out, "\n~~~~~yaml\n{}~~~~~", manifests.replace("~~~~~", "~ ~ ~"));
    }
    for (heading, list) in required.settings() {
        let _ = writeln!(out, "\n{heading}\n");
        for lacking in list {
            let _ = writeln!(out, "- {}: {}", code(&lacking.what), code(&lacking.places()));
        }
    }
    if !required.refused.is_empty() {
        let _ = writeln!(out, "\n{REFUSED}\n");
    }
    for reason in &required.refused {
        let _ = writeln!(out, "- {}: {}", code(&reason.place()), code(&reason.message));
    }
}

/// Writes one JSON document. Its shape is public API, so fields are only ever added.
pub fn write_json(out: &mut String, required: &Requirements) {
    let manifest = |manifest: &Manifest| {
        json!({
            "manifest": manifest.value,
            "exists": !manifest.is_new,
            "because": manifest.reasons.iter().map(Refused::to_json).collect::<Vec<_>>(),
        })
    };
    let grant = |grant: &Grant| {
        json!({
            "need": grant.describe(),
            "because": grant.reasons.iter().map(Refused::to_json).collect::<Vec<_>>(),
        })
    };
    let document = json!({
        "apiVersion": "kadmit.dev/v1alpha1",
        "kind": "Requirements",
        "documents": required.requests,
        "admitted": required.admitted,
        "required": required.grants.iter().map(grant).collect::<Vec<_>>(),
        "manifests": required.grants.manifests().iter().map(manifest).collect::<Vec<_>>(),
        "lacking": required.lacking.iter().map(Lacking::to_json).collect::<Vec<_>>(),
        "gates": required.gates.iter().map(Lacking::to_json).collect::<Vec<_>>(),
        "refused": required.refused.iter().map(Refused::to_json).collect::<Vec<_>>(),
    });
    let _ = writeln!(out, "{document:#}");
}

impl Grant {
    /// Returns what is granted in a few words: `jane may create deployments.apps in shop`.
    pub fn describe(&self) -> String {
        let within = |namespace: &str, name: &str| {
            if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") }
        };
        match &self.need {
            Need::Right(right) => {
                let dot = if right.group.is_empty() { "" } else { "." };
                let scope = if right.namespace.is_empty() {
                    String::new()
                } else {
                    format!(" in {}", right.namespace)
                };
                let name = if right.name.is_empty() { String::new() } else { format!(" {}", right.name) };
                format!(
                    "{} may {} {}{dot}{}{name}{scope}",
                    right.user, right.verb, right.resource, right.group
                )
            }
            Need::Object { resource, namespace, name } => {
                let kind = resource::kind_of(resource).unwrap_or(&resource.resource);
                format!("{kind} {}", within(namespace, name))
            }
            Need::Level { namespace, level } => format!("Namespace {namespace} enforces at most {level}"),
            Need::Quota { resource, namespace, name, counted, amount, .. } => {
                let kind = resource::kind_of(resource).unwrap_or(&resource.resource);
                format!("{kind} {} allows {counted}: {amount}", within(namespace, name))
            }
            Need::Bound { namespace, name, path, amount: Some(amount) } => {
                format!("LimitRange {} has {path}: {amount}", within(namespace, name))
            }
            Need::Feature { node, feature } => format!("Node {node} declares {feature}"),
            Need::Bound { namespace, name, path, amount: None } => {
                format!("LimitRange {} has no {path}", within(namespace, name))
            }
        }
    }
}

impl Requirements {
    /// Returns what no manifest grants, each list with its heading.
    fn settings(&self) -> impl Iterator<Item = (&'static str, &[Lacking])> {
        let lists = [(LACKING, &*self.lacking), (GATES, &*self.gates)];
        lists.into_iter().filter(|(_, list)| !list.is_empty())
    }
}

impl Lacking {
    /// Returns the places of the documents.
    fn places(&self) -> String {
        let places = self.documents.iter().take(MAX_REASONS).map(|(file, line)| format!("{file}:{line}"));
        let rest = self.documents.len().saturating_sub(MAX_REASONS);
        let rest = (rest > 0).then(|| format!("and {rest} more"));
        places.chain(rest).collect::<Vec<_>>().join(", ")
    }

    fn to_json(&self) -> serde_json::Value {
        let place = |(file, line): &(String, usize)| json!({"file": file, "line": line});
        json!({"need": self.what, "because": self.documents.iter().map(place).collect::<Vec<_>>()})
    }
}

impl Refused {
    /// Returns the request and its place.
    fn place(&self) -> String {
        if self.file.is_empty() {
            self.subject.clone()
        } else {
            format!("{} ({}:{})", self.subject, self.file, self.line)
        }
    }

    fn to_json(&self) -> serde_json::Value {
        json!({
            "request": self.subject,
            "file": self.file,
            "line": self.line,
            "plugin": self.plugin,
            "message": self.message,
        })
    }
}

fn comment(out: &mut String, text: &str) {
    for line in text.lines() {
        let _ = writeln!(out, "# {line}");
    }
}

fn listed(fields: &[String]) -> String {
    let verb = if fields.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", fields.join(", "))
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").replace(['\n', '\r'], " "))
}
