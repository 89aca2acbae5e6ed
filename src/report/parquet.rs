//! `-o parquet`: the results as columns, for engines that query them.
//!
//! The schema is public API: columns are only ever added, and the key `kadmit.schema` of the file's metadata has its
//! version.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use serde::{Deserialize, Serialize};

use crate::admission::Step;
use crate::evaluation::{Outcome, Place};
use crate::report::finding::Finding;
use crate::report::{Diagnostic, Fixtures, Report, Summary};
use kube_api::field::Path;
use kube_api::version::Version;

/// The version of the schema.
const SCHEMA: &str = "1";

/// The number of rows that are kept until they are written.
const ROWS: usize = 1 << 16;

/// Writes a row for each request, and one for each refusal, warning and error in the input.
pub struct Parquet<W: Write + Send> {
    release: Option<Version>,
    fixtures: Arc<Fixtures>,
    file: File<W>,
    /// The values that are not written yet, by column.
    pending: Vec<Vec<Cell>>,
}

/// The file before its first bytes and after them.
enum File<W: Write + Send> {
    Unopened(Option<W>),
    Open(SerializedFileWriter<W>),
}

/// What a row is about.
#[derive(Clone, Copy)]
struct Row<'a> {
    release: Option<Version>,
    request: Option<&'a Outcome>,
    finding: Option<&'a Finding<'a>>,
}

/// A value of a row.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Cell {
    Truth(bool),
    Number(i32),
    Text(String),
    Unknown,
}

/// A column: its name, its type, and its value in a row.
type Column = (&'static str, Type, fn(Row<'_>) -> Option<Cell>);

#[derive(Clone, Copy)]
enum Type {
    Truth,
    Number,
    Text,
}

const COLUMNS: &[Column] = &[
    ("row", Type::Text, |row| text(if row.finding.is_some() { "finding" } else { "request" })),
    ("file", Type::Text, |row| text(row.file()?)),
    ("line", Type::Number, |row| number(row.line()?)),
    ("operation", Type::Text, |row| row.in_request(|it| text(it.operation.as_str()))),
    ("api_group", Type::Text, |row| row.in_request(|it| text(&it.kind.group))),
    ("version", Type::Text, |row| row.in_request(|it| text(&it.kind.version))),
    ("kind", Type::Text, |row| row.in_request(|it| text(&it.kind.kind))),
    ("subresource", Type::Text, |row| row.in_request(|it| some(&it.sub_resource))),
    ("namespace", Type::Text, |row| row.in_request(|it| some(&it.namespace))),
    ("name", Type::Text, |row| row.in_request(|it| some(&it.name))),
    ("user", Type::Text, |row| row.in_request(|it| some(&it.user_info.username))),
    ("controller", Type::Text, |row| row.in_request(|it| text(it.cause.as_ref()?.controller))),
    ("release", Type::Text, |row| text(&row.release?.to_string())),
    ("allowed", Type::Truth, |row| row.in_request(|it| Some(Cell::Truth(it.allowed())))),
    ("code", Type::Number, |row| row.in_request(|it| Some(Cell::Number(it.status()?.code.into())))),
    ("changed_by", Type::Text, |row| row.in_request(|it| some(&changed_by(it)))),
    ("warnings", Type::Number, |row| row.in_request(|it| number(it.trace.warnings.len()))),
    ("verdict", Type::Text, |row| row.in_finding(|it| text(it.verdict()))),
    ("rule", Type::Text, |row| row.in_finding(|it| text(it.rule))),
    ("reason", Type::Text, |row| row.in_finding(|it| text(&it.code))),
    ("message", Type::Text, |row| row.in_finding(|it| text(it.message))),
    ("field", Type::Text, |row| row.in_finding(|it| some(&it.spots.first()?.field.map(Path::json_pointer)?))),
    ("accepted", Type::Truth, |row| row.in_finding(|it| Some(Cell::Truth(it.accepted.is_some())))),
    ("fingerprint", Type::Text, |row| row.in_finding(|it| some(&it.fingerprint()))),
];

impl<W: Write + Send> Parquet<W> {
    /// Returns a report to `out` about servers of `release`, or of several; `fixtures` has the places of the objects of
    /// the cluster.
    pub fn new(out: W, release: Option<Version>, fixtures: Arc<Fixtures>) -> Self {
        Self { release, fixtures, file: File::Unopened(Some(out)), pending: empty() }
    }

    /// Writes the rows that are pending as a group.
    fn flush(&mut self) -> io::Result<()> {
        let File::Open(file) = &mut self.file else { return Ok(()) };
        let columns = std::mem::replace(&mut self.pending, empty());
        if columns[0].is_empty() {
            return Ok(());
        }
        let mut group = file.next_row_group().map_err(io::Error::other)?;
        for values in columns {
            let column = group.next_column().map_err(io::Error::other)?;
            let column = column.ok_or_else(|| io::Error::other("a column is missing in the schema"))?;
            write_column(column, &values).map_err(io::Error::other)?;
        }
        group.close().map_err(io::Error::other)?;
        Ok(())
    }
}

impl<W: Write + Send + Sync> Report for Parquet<W> {
    fn begin(&mut self, _: &[&'static str]) -> io::Result<()> {
        let File::Unopened(out) = &mut self.file else { return Ok(()) };
        let Some(out) = out.take() else { return Ok(()) };
        let schema = parse_message_type(&schema()).map_err(io::Error::other)?;
        let metadata = vec![KeyValue::new("kadmit.schema".to_owned(), SCHEMA.to_owned())];
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("kadmit ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(metadata));
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()));
        self.file = File::Open(file.map_err(io::Error::other)?);
        Ok(())
    }

    /// Renders each row as a line of JSON.
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut lines = Vec::new();
        for (request, findings) in
            outcomes.iter().flat_map(|outcome| Finding::by_request(outcome, &self.fixtures))
        {
            let release = request.release.or(self.release);
            let row = Row { release, request: Some(request), finding: None };
            render(&mut lines, row)?;
            for finding in &findings {
                render(&mut lines, Row { finding: Some(finding), ..row })?;
            }
        }
        Ok(lines)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        for row in serde_json::Deserializer::from_slice(rendered).into_iter::<Vec<Cell>>() {
            for (column, cell) in self.pending.iter_mut().zip(row?) {
                column.push(cell);
            }
        }
        if self.pending[0].len() >= ROWS { self.flush() } else { Ok(()) }
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        let finding = Finding::of_diagnostic(diagnostic);
        let mut line = Vec::new();
        render(&mut line, Row { release: self.release, request: None, finding: Some(&finding) })?;
        self.write(&line)
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        self.flush()?;
        let File::Open(file) = &mut self.file else { return Ok(()) };
        file.finish().map_err(io::Error::other)?;
        file.inner_mut().flush()
    }
}

impl<'a> Row<'a> {
    /// Returns what `value` says of the request, if the row has one.
    fn in_request(self, value: impl Fn(&'a Outcome) -> Option<Cell>) -> Option<Cell> {
        self.request.and_then(value)
    }

    /// Returns what `value` says of the finding, if the row has one.
    fn in_finding(self, value: impl Fn(&'a Finding<'a>) -> Option<Cell>) -> Option<Cell> {
        self.finding.and_then(value)
    }

    /// Returns the file of the finding, or else of the document.
    fn file(self) -> Option<&'a str> {
        let of_finding = self.finding.and_then(|finding| finding.spots.first());
        of_finding.map(|spot| spot.file).or_else(|| Some(place(self.request?)?.file()))
    }

    /// Returns the line of the finding, or else of the document.
    fn line(self) -> Option<usize> {
        let of_finding = self.finding.and_then(|finding| finding.spots.first()?.line);
        of_finding.or_else(|| Some(place(self.request?)?.line_column().0))
    }
}

fn render(lines: &mut Vec<u8>, row: Row<'_>) -> io::Result<()> {
    let cells: Vec<Cell> = COLUMNS.iter().map(|(_, _, value)| value(row).unwrap_or(Cell::Unknown)).collect();
    serde_json::to_writer(&mut *lines, &cells)?;
    lines.push(b'\n');
    Ok(())
}

fn empty() -> Vec<Vec<Cell>> {
    COLUMNS.iter().map(|_| Vec::new()).collect()
}

fn schema() -> String {
    let columns = COLUMNS.iter().map(|(name, type_, _)| match type_ {
        Type::Truth => format!("optional boolean {name};"),
        Type::Number => format!("optional int32 {name};"),
        Type::Text => format!("optional binary {name} (STRING);"),
    });
    format!("message kadmit {{ {} }}", columns.collect::<Vec<_>>().join(" "))
}

fn write_column(mut column: SerializedColumnWriter<'_>, cells: &[Cell]) -> parquet::errors::Result<()> {
    let known: Vec<i16> = cells.iter().map(|cell| i16::from(!matches!(cell, Cell::Unknown))).collect();
    match column.untyped() {
        ColumnWriter::BoolColumnWriter(writer) => {
            writer.write_batch(&values(cells, Cell::truth), Some(&known), None)?
        }
        ColumnWriter::Int32ColumnWriter(writer) => {
            writer.write_batch(&values(cells, Cell::number), Some(&known), None)?
        }
        ColumnWriter::ByteArrayColumnWriter(writer) => {
            writer.write_batch(&values(cells, Cell::text), Some(&known), None)?
        }
        _ => 0,
    };
    column.close()
}

fn values<T>(cells: &[Cell], value: impl Fn(&Cell) -> Option<T>) -> Vec<T> {
    cells.iter().filter_map(value).collect()
}

impl Cell {
    fn truth(&self) -> Option<bool> {
        if let Self::Truth(truth) = self { Some(*truth) } else { None }
    }

    fn number(&self) -> Option<i32> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    fn text(&self) -> Option<ByteArray> {
        if let Self::Text(text) = self { Some(ByteArray::from(text.as_str())) } else { None }
    }
}

fn place(request: &Outcome) -> Option<&Place> {
    request.place.as_ref()
}

/// Returns the plugins that changed the object, in order, separated by commas.
fn changed_by(request: &Outcome) -> String {
    let changing = request.trace.steps.iter().filter(|step| step.change.is_some());
    let mut plugins: Vec<&str> = changing.map(|step: &Step| step.plugin).collect();
    plugins.dedup();
    plugins.join(",")
}

#[expect(clippy::unnecessary_wraps, reason = "columns ask for what may be unknown")]
fn text(text: &str) -> Option<Cell> {
    Some(Cell::Text(text.to_owned()))
}

/// Returns `text`, unless it is empty.
fn some(value: &str) -> Option<Cell> {
    if value.is_empty() { None } else { text(value) }
}

fn number(number: usize) -> Option<Cell> {
    i32::try_from(number).ok().map(Cell::Number)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::*;
    use crate::{ApiServer, SourceFile};

    const PODS: &str = "
apiVersion: v1
kind: Pod
metadata: {name: fine, namespace: shop}
spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: v1
kind: Pod
metadata: {name: refused, namespace: shop}
spec:
  hostNetwork: true
  containers: [{name: web, image: nginx}]
";

    const NAMESPACE: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: baseline}}";

    /// Returns the report about `files`.
    fn evaluated(files: &[(&str, &str)]) -> Parquet<Vec<u8>> {
        let server = ApiServer::from_flags::<&str>([]).unwrap();
        let mut cluster = server.cluster(&[SourceFile::new("cluster.yaml", NAMESPACE)]).unwrap();
        let files: Vec<_> = files.iter().map(|(name, text)| SourceFile::new(*name, *text)).collect();
        let evaluation = cluster.evaluate(&files);
        let mut report = Parquet::new(Vec::new(), None, Arc::default());
        report.begin(&[]).unwrap();
        let rendered = report.render(&evaluation.outcomes).unwrap();
        report.write(&rendered).unwrap();
        report.end(&Summary::default()).unwrap();
        report
    }

    fn bytes(report: &Parquet<Vec<u8>>) -> &[u8] {
        let File::Open(file) = &report.file else { return &[] };
        file.inner()
    }

    /// Returns each row of the file as its fields that have a value, by name.
    fn rows(report: &Parquet<Vec<u8>>) -> Vec<Vec<(String, Field)>> {
        let path = std::env::temp_dir().join(format!("kadmit-{}.parquet", std::process::id()));
        std::fs::write(&path, bytes(report)).unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let keys = reader.metadata().file_metadata().key_value_metadata().unwrap();
        assert_eq!(keys[0], KeyValue::new("kadmit.schema".to_owned(), SCHEMA.to_owned()));
        let rows = reader.get_row_iter(None).unwrap().map(|row| {
            let columns = row.unwrap().into_columns();
            columns.into_iter().filter(|(_, field)| *field != Field::Null).collect()
        });
        let rows = rows.collect();
        std::fs::remove_file(&path).unwrap();
        rows
    }

    fn field<'a>(row: &'a [(String, Field)], name: &str) -> Option<&'a Field> {
        row.iter().find(|(column, _)| column == name).map(|(_, field)| field)
    }

    #[test]
    fn a_request_and_each_finding_have_a_row() {
        let report = evaluated(&[("pods.yaml", PODS)]);
        let rows = rows(&report);
        let text = |text: &str| Field::Str(text.to_owned());
        let kinds: Vec<_> = rows.iter().filter_map(|row| field(row, "row")).collect();
        assert_eq!(kinds, [&text("request"), &text("request"), &text("finding")]);
        assert_eq!(field(&rows[0], "allowed"), Some(&Field::Bool(true)));
        assert_eq!(field(&rows[0], "rule"), None);
        assert_eq!(
            field(&rows[0], "changed_by"),
            Some(&text("ServiceAccount,Priority,DefaultTolerationSeconds"))
        );
        assert_eq!(field(&rows[1], "code"), Some(&Field::Int(403)));
        assert_eq!(field(&rows[2], "rule"), Some(&text("PodSecurity")));
        assert_eq!(field(&rows[2], "field"), Some(&text("/spec/hostNetwork")));
        assert_eq!(field(&rows[2], "name"), Some(&text("refused")));
        assert_eq!(field(&rows[2], "line"), Some(&Field::Int(11)));
    }

    /// Runs queries, which standard input has as JSON, and prints their rows; fails with 3 if DuckDB is not installed.
    const DUCKDB: &str = "
import json, sys
try:
    import duckdb
except ImportError:
    sys.exit(3)
rows = [duckdb.sql(query).fetchall() for query in json.load(sys.stdin)]
print(json.dumps(rows))";

    /// Runs the queries of the page about scale as printed, if Python has the package `duckdb`.
    #[test]
    fn the_queries_of_the_page_work() {
        let queries = PAGE.split("```sql\n").skip(1).map(|block| block.split_once("```").unwrap().0);
        let queries: Vec<&str> = queries.collect();
        let scratch = std::env::temp_dir().join(format!("kadmit-columns-{}", std::process::id()));
        std::fs::create_dir_all(&scratch).unwrap();
        let other = PODS.replace("refused", "other").replace("fine", "fine-too");
        let nights: [(&str, &[_]); 2] = [
            ("tonight", &[("asia/pods.yaml", PODS), ("europe/pods.yaml", &other)]),
            ("yesterday", &[("europe/pods.yaml", &other)]),
        ];
        for (night, files) in nights {
            std::fs::write(scratch.join(format!("{night}.parquet")), bytes(&evaluated(files))).unwrap();
        }
        let mut command = Command::new("python3");
        command.args(["-c", DUCKDB]).current_dir(&scratch).stdin(Stdio::piped()).stdout(Stdio::piped());
        let Ok(mut child) = command.spawn() else { return eprintln!("skipped: there is no python3") };
        serde_json::to_writer(child.stdin.take().unwrap(), &queries).unwrap();
        let output = child.wait_with_output().unwrap();
        std::fs::remove_dir_all(&scratch).unwrap();
        if output.status.code() == Some(3) {
            return eprintln!("skipped: python3 has no package duckdb");
        }
        assert!(output.status.success());
        let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let message = rows[2][0][1].clone();
        assert!(message.as_str().unwrap().contains(r#"pods "refused" is forbidden: violates PodSecurity"#));
        let example = rows[1][0][3].clone();
        assert!(["asia/pods.yaml:11", "europe/pods.yaml:11"].contains(&example.as_str().unwrap()));
        assert_eq!(
            rows,
            serde_json::json!([
                [["asia", 1], ["europe", 1]],
                [["PodSecurity", "Forbidden", 2, example]],
                [["asia/pods.yaml", message, "new"]],
            ])
        );
    }

    const PAGE: &str = include_str!("../../docs/scale.md");

    #[test]
    fn every_column_is_documented() {
        for (name, ..) in COLUMNS {
            assert!(PAGE.contains(&format!("`{name}`")), "docs/scale.md does not mention {name}");
        }
    }
}
