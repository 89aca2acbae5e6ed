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
        if self.namespaces.len() > 1 {
            self.write_overview(out)?;
        }
        for (position, level) in self.namespaces.iter().enumerate() {
            if position > 0 {
                writeln!(out)?;
            }
            writeln!(out, "{}: {}{}", level.namespace, level.level, level.remarks())?;
            let Some(next) = &level.next else { continue };
            writeln!(out, "  what keeps it from {}{}:", next.level, next.remark())?;
            for (reason, obstacles) in by_reason(&next.kept_by) {
                writeln!(out, "  {reason}{}", times(obstacles.len()))?;
                for obstacle in obstacles {
                    obstacle.write_text(out, width)?;
                }
            }
        }
        Ok(())
    }

    /// Writes a line for each namespace.
    fn write_overview(&self, out: &mut impl Write) -> io::Result<()> {
        const HEADINGS: [&str; 4] = ["NAMESPACE", "LEVEL", "ENFORCES", "NEXT LEVEL"];
        let row = |level: &NamespaceLevel| {
            let next = level.next.as_ref();
            let next = next.map(|next| format!("{}: {} to change", next.level, next.kept_by.len()));
            let enforced = level.enforced.clone().unwrap_or_else(|| "–".to_owned());
            [level.namespace.clone(), level.level.clone(), enforced, next.unwrap_or_default()]
        };
        let rows: Vec<[String; 4]> = self.namespaces.iter().map(row).collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or_default().max(HEADINGS[column].len())
        };
        let widths = [width(0), width(1), width(2)];
        for row in std::iter::once(HEADINGS.map(str::to_owned)).chain(rows.iter().cloned()) {
            let [namespace, level, enforced, next] = row;
            let [first, second, third] = widths;
            let line = format!("{namespace:<first$}  {level:<second$}  {enforced:<third$}  {next}");
            writeln!(out, "{}", line.trim_end())?;
        }
        writeln!(out)
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

/// Returns the violations of each check, in the order in which it is first violated.
fn by_reason(obstacles: &[Obstacle]) -> Vec<(&'static str, Vec<&Obstacle>)> {
    let mut checks: Vec<(&'static str, Vec<&Obstacle>)> = Vec::new();
    for obstacle in obstacles {
        match checks.iter_mut().find(|(reason, _)| *reason == obstacle.reason) {
            Some((_, found)) => found.push(obstacle),
            None => checks.push((obstacle.reason, vec![obstacle])),
        }
    }
    checks
}

/// Returns ` (3 workloads)`; nothing for one.
fn times(count: usize) -> String {
    if count == 1 { String::new() } else { format!(" ({count} workloads)") }
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
    /// Writes the workload, which part of it violates the check, and the fields with their lines.
    fn write_text(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        let Self { kind, name, file, line, detail, fields, .. } = self;
        writeln!(out, "    {kind} {name}  {file}:{line}")?;
        if !detail.is_empty() {
            for line in fold(detail, width.saturating_sub(6)) {
                writeln!(out, "      {line}")?;
            }
        }
        for field in fields {
            writeln!(out, "      :{} {}", field.line, field.path)?;
        }
        Ok(())
    }

    fn says(&self) -> String {
        if self.detail.is_empty() {
            self.reason.to_owned()
        } else {
            format!("{} ({})", self.reason, self.detail)
        }
    }
}
