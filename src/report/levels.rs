//! The levels of the Pod Security Standards that namespaces could enforce, for people and programs.

use std::io::{self, Write};

use serde::Serialize;

use crate::report::fold;
use kube_api::version::Version;

/// The level that a namespace could enforce.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NamespaceLevel {
    /// The namespace.
    pub namespace: String,
    /// The strictest level whose newest version admits everything in it.
    pub level: String,
    /// The level and version that it enforces now, if known and set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enforced: Option<String>,
    /// The number of checked workloads and Pods.
    pub workloads: usize,
    /// The next level, unless there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
}

/// A level that does not admit everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Next {
    /// The level.
    pub level: String,
    /// The minor of its newest version that admits everything, if one does.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_version")]
    pub version: Option<i64>,
    /// The violations of its newest version.
    pub kept_by: Vec<Obstacle>,
}

/// A violation of a level by a workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Obstacle {
    /// The kind of the workload.
    pub kind: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The file.
    pub file: String,
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The check, in a few words.
    pub reason: &'static str,
    /// The offending containers or fields, and how.
    pub detail: String,
    /// The offending fields, or those that would have to be set.
    pub fields: Vec<Field>,
}

/// A field and its line, or that of the nearest field around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Such as `spec.containers[0].image`.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
}

/// The levels of all namespaces, ordered by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The release whose levels are applied.
    pub release: Version,
    /// The namespaces.
    pub namespaces: Vec<NamespaceLevel>,
}

#[expect(clippy::ref_option, reason = "serde calls it so")]
fn as_version<S: serde::Serializer>(version: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    match version {
        Some(minor) => serializer.serialize_str(&format!("v1.{minor}")),
        None => serializer.serialize_none(),
    }
}

impl Report {
    /// Writes the report for people, `width` columns wide.
    pub fn write_text(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        for (position, level) in self.namespaces.iter().enumerate() {
            if position > 0 {
                writeln!(out)?;
            }
            writeln!(out, "{}: {}{}", level.namespace, level.level, level.remarks())?;
            let Some(next) = &level.next else { continue };
            writeln!(out, "  what keeps it from {}{}:", next.level, next.remark())?;
            let mut last = None;
            for obstacle in &next.kept_by {
                let subject = (&obstacle.kind, &obstacle.name);
                if last != Some(subject) {
                    writeln!(
                        out,
                        "  {} {}  {}:{}",
                        obstacle.kind, obstacle.name, obstacle.file, obstacle.line
                    )?;
                    last = Some(subject);
                }
                for line in fold(&obstacle.says(), width.saturating_sub(4)) {
                    writeln!(out, "    {line}")?;
                }
                for field in &obstacle.fields {
                    let place = format!("{}:{}", obstacle.file, field.line);
                    let length = place.chars().count() + 1 + field.path.chars().count();
                    let separator = if length + 6 > width { "\n        " } else { " " };
                    writeln!(out, "      {place}{separator}{}", field.path)?;
                }
            }
        }
        Ok(())
    }

    /// Writes one JSON document. Its shape is public API, so fields are only ever added.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Document<'a> {
            api_version: &'static str,
            kind: &'static str,
            kubernetes_version: String,
            namespaces: &'a [NamespaceLevel],
        }
        let document = Document {
            api_version: "kadmit.dev/v1alpha1",
            kind: "PodSecurityLevels",
            kubernetes_version: self.release.to_string(),
            namespaces: &self.namespaces,
        };
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)
    }

    /// Writes a table of the namespaces, and a list of the violations of each next level.
    pub fn write_markdown(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "| Namespace | Strictest level | Enforced now | Workloads | Next level |")?;
        writeln!(out, "|---|---|---|---|---|")?;
        for level in &self.namespaces {
            let next = level.next.as_ref().map_or_else(
                || "–".to_owned(),
                |next| format!("{}: {} to change{}", next.level, next.kept_by.len(), next.remark()),
            );
            let enforced = level.enforced.as_deref().map_or_else(|| "–".to_owned(), code);
            let (namespace, workloads) = (code(&level.namespace), level.workloads);
            writeln!(out, "| {namespace} | {} | {enforced} | {workloads} | {next} |", level.level)?;
        }
        for level in &self.namespaces {
            let Some(next) = &level.next else { continue };
            writeln!(out, "\n{} and {}:\n", code(&level.namespace), next.level)?;
            for obstacle in &next.kept_by {
                let subject = code(&format!("{} {}", obstacle.kind, obstacle.name));
                let fields: Vec<_> = obstacle
                    .fields
                    .iter()
                    .map(|field| format!("{} ({}:{})", code(&field.path), obstacle.file, field.line))
                    .collect();
                let fields = match fields.as_slice() {
                    [] => format!("{}:{}", obstacle.file, obstacle.line),
                    fields => fields.join(", "),
                };
                writeln!(out, "- {subject}: {}; {fields}", code(&obstacle.says()))?;
            }
        }
        Ok(())
    }
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").replace('|', "\\|"))
}

impl NamespaceLevel {
    fn remarks(&self) -> String {
        let workloads = match self.workloads {
            0 => "nothing runs there".to_owned(),
            1 => "1 workload".to_owned(),
            count => format!("{count} workloads"),
        };
        match &self.enforced {
            Some(enforced) => format!(" ({workloads}; enforces {enforced})"),
            None => format!(" ({workloads})"),
        }
    }
}

impl Next {
    fn remark(&self) -> String {
        self.version
            .map_or_else(String::new, |minor| format!(" (of which version v1.{minor} admits everything)"))
    }
}

impl Obstacle {
    fn says(&self) -> String {
        if self.detail.is_empty() {
            self.reason.to_owned()
        } else {
            format!("{} ({})", self.reason, self.detail)
        }
    }
}
