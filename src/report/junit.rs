//! `-o junit`: JUnit's XML, one suite per file and one test case per request.
//!
//! There is no schema of JUnit itself; the elements and attributes are those that Jenkins, GitLab and Surefire share.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::mem;
use std::sync::Arc;

use crate::evaluation::{Outcome, Place};
use crate::report::finding::Finding;
use crate::report::records::{record, records};
use crate::report::subject::Subject;
use crate::report::{Diagnostic, Fixtures, Report, Severity, Summary};

/// Suites, written when the next file begins. Memory holds the test cases of one file.
pub struct JUnit<W> {
    out: W,
    fixtures: Arc<Fixtures>,
    suite: Suite,
    input: Suite,
    notes: Vec<String>,
}

/// The test cases so far of a file, in XML.
#[derive(Default)]
struct Suite {
    name: String,
    cases: String,
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

/// The result of a test case.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Verdict {
    Passed,
    Failure,
    Error,
    Skipped,
}

impl<W: Write> JUnit<W> {
    /// Returns a report to `out`; `fixtures` has the places of the objects of the cluster.
    pub fn new(out: W, fixtures: Arc<Fixtures>) -> Self {
        let input = Suite { name: "input".to_owned(), ..Suite::default() };
        Self { out, fixtures, suite: Suite::default(), input, notes: Vec::new() }
    }
}

impl<W: Write + Send + Sync> Report for JUnit<W> {
    fn begin(&mut self, _: &[&'static str]) -> io::Result<()> {
        writeln!(self.out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kadmit\">")
    }

    /// Renders test cases, each after the name of its suite and the letter of its verdict.
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = String::new();
        let requests = outcomes.iter().flat_map(|outcome| Finding::by_request(outcome, &self.fixtures));
        for (request, findings) in requests {
            let file = request.place.as_ref().map_or("-", Place::file);
            let verdict = match (request.allowed(), request.fails()) {
                (true, _) => Verdict::Passed,
                (false, true) => Verdict::Failure,
                (false, false) => Verdict::Skipped,
            };
            text.push_str(&test_case(&Subject::of(request).to_string(), file, verdict, &findings));
        }
        Ok(text.into_bytes())
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        for (file, letter, case) in records(rendered)? {
            if self.suite.name != file {
                let next = Suite { name: file.to_owned(), ..Suite::default() };
                mem::replace(&mut self.suite, next).write(&mut self.out, &[])?;
            }
            self.suite.add(Verdict::of(letter), case);
        }
        Ok(())
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        let finding = Finding::of_diagnostic(diagnostic);
        let verdict = match finding.severity {
            Severity::Error => Verdict::Error,
            // A document that the user allows to be skipped.
            _ if finding.code.ends_with("::unknown_kind") => Verdict::Skipped,
            _ => {
                self.notes.push(diagnostic.message.clone());
                return Ok(());
            }
        };
        let name = finding.place().unwrap_or_else(|| finding.code.to_string());
        let file = finding.spots.first().map_or("-", |spot| spot.file);
        let case = case(&name, file, verdict, &[finding]);
        self.input.add(verdict, &case);
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        mem::take(&mut self.suite).write(&mut self.out, &[])?;
        self.notes.extend(summary.counted_notes());
        mem::take(&mut self.input).write(&mut self.out, &self.notes)?;
        writeln!(self.out, "</testsuites>")?;
        self.out.flush()
    }
}

impl Suite {
    fn add(&mut self, verdict: Verdict, case: &str) {
        self.cases.push_str(case);
        self.tests += 1;
        match verdict {
            Verdict::Passed => {}
            Verdict::Failure => self.failures += 1,
            Verdict::Error => self.errors += 1,
            Verdict::Skipped => self.skipped += 1,
        }
    }

    fn write(self, out: &mut impl Write, notes: &[String]) -> io::Result<()> {
        if self.tests == 0 && notes.is_empty() {
            return Ok(());
        }
        let Self { name, cases, tests, failures, errors, skipped } = self;
        write!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" \
             skipped=\"{skipped}\">\n{cases}"
        )?;
        if !notes.is_empty() {
            writeln!(out, "    <system-out>{}</system-out>", escape(&notes.join("\n")))?;
        }
        writeln!(out, "  </testsuite>")
    }
}

impl Verdict {
    const ALL: [Self; 4] = [Self::Passed, Self::Failure, Self::Error, Self::Skipped];

    fn letter(self) -> char {
        match self {
            Self::Passed => 'P',
            Self::Failure => 'F',
            Self::Error => 'E',
            Self::Skipped => 'S',
        }
    }

    fn of(letter: &str) -> Self {
        let found = Self::ALL.into_iter().find(|verdict| letter.starts_with(verdict.letter()));
        found.expect("a rendered test case has the letter of a verdict")
    }

    fn element(self) -> Option<&'static str> {
        match self {
            Self::Passed => None,
            Self::Failure => Some("failure"),
            Self::Error => Some("error"),
            Self::Skipped => Some("skipped"),
        }
    }
}

/// Returns a test case after the name of its suite and the letter of its verdict.
pub(super) fn test_case(name: &str, file: &str, verdict: Verdict, findings: &[Finding<'_>]) -> String {
    let case = case(name, file, verdict, findings);
    record(&escape(file), verdict.letter(), &case)
}

/// Renders a test case: the first finding is the reason of its verdict, warnings are its output.
fn case(name: &str, file: &str, verdict: Verdict, findings: &[Finding<'_>]) -> String {
    let mut case = format!("    <testcase name=\"{}\" classname=\"{}\"", attribute(name), attribute(file));
    if findings.is_empty() {
        case.push_str("/>\n");
        return case;
    }
    case.push_str(">\n");
    let (reason, warnings) = match (verdict.element(), findings) {
        (Some(element), [reason, warnings @ ..]) => (Some((element, reason)), warnings),
        (_, warnings) => (None, warnings),
    };
    if let Some((element, reason)) = reason {
        let accepted = reason.accepted.map(ToString::to_string);
        let message = accepted.as_deref().unwrap_or(reason.message);
        let _ = writeln!(
            case,
            "      <{element} type=\"{}\" message=\"{}\">{}</{element}>",
            attribute(&reason.code),
            attribute(message),
            escape(&whole(reason))
        );
    }
    if !warnings.is_empty() {
        let lines: Vec<String> = warnings.iter().map(whole).collect();
        let _ = writeln!(case, "      <system-out>{}</system-out>", escape(&lines.join("\n")));
    }
    case.push_str("    </testcase>\n");
    case
}

/// Returns the whole text of a finding.
fn whole(finding: &Finding<'_>) -> String {
    let mut text = format!("{} {}: {}", finding.rule, finding.verdict(), finding.message);
    if let Some(accepted) = finding.accepted {
        let _ = write!(text, "\n  {accepted}");
    }
    if let Some(place) = finding.place() {
        let _ = write!(text, "\n  at {place}");
    }
    for reason in &finding.reasons {
        let _ = write!(text, "\n  because {reason}");
    }
    if let Some(help) = finding.help {
        let _ = write!(text, "\n  help: {help}");
    }
    text
}

/// Returns `text` for use between tags; characters that XML cannot hold are replaced.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\r' => escaped.push_str("&#13;"),
            '\t' | '\n' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'.. => {
                escaped.push(character);
            }
            _ => escaped.push(char::REPLACEMENT_CHARACTER),
        }
    }
    escaped
}

/// Returns `text` as the value of an attribute, where line breaks would become blanks.
pub(crate) fn attribute(text: &str) -> String {
    escape(text).replace('\n', "&#10;").replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    #[test]
    fn what_has_a_meaning_is_escaped_and_the_rest_replaced() {
        assert_eq!(escape("<a>&\"]]>\r\nü\u{1F600}"), "&lt;a&gt;&amp;&quot;]]&gt;&#13;\nü\u{1F600}");
        assert_eq!(escape("\0\u{7}\u{1B}[1m\u{1E}\u{FFFE}"), "\u{FFFD}\u{FFFD}\u{FFFD}[1m\u{FFFD}\u{FFFD}");
        assert_eq!(attribute("a\n\tb"), "a&#10;&#9;b");
    }

    #[test]
    fn a_suite_ends_where_the_file_does() {
        let mut junit = JUnit::new(Vec::new(), Arc::default());
        let record = |file: &str, verdict: Verdict| test_case("Pod a", file, verdict, &[]);
        let records = [
            record("a&b.yaml", Verdict::Passed),
            record("a&b.yaml", Verdict::Failure),
            record("c.yaml", Verdict::Passed),
        ];
        junit.write(records.concat().as_bytes()).unwrap();
        junit.end(&Summary::default()).unwrap();
        let text = String::from_utf8(junit.out).unwrap();
        let suites: Vec<&str> = text.lines().filter(|line| line.contains("<testsuite ")).collect();
        assert_eq!(
            suites,
            [
                "  <testsuite name=\"a&amp;b.yaml\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">",
                "  <testsuite name=\"c.yaml\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">",
            ]
        );
    }

    #[test]
    fn what_nobody_evaluated_is_skipped() {
        let mut junit = JUnit::new(Vec::new(), Arc::default());
        junit.diagnostic(&Diagnostic::note(Code::RequestUnknownKind, "no kind Widget")).unwrap();
        junit.diagnostic(&Diagnostic::note(Code::ClusterAssumed, "a namespace")).unwrap();
        junit.diagnostic(&Diagnostic::input(Code::InputEmpty, "nothing").help("more")).unwrap();
        junit.end(&Summary::default()).unwrap();
        let text = String::from_utf8(junit.out).unwrap();
        assert!(
            text.contains("name=\"input\" tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\""),
            "{text}"
        );
        assert!(text.contains("<skipped type=\"kadmit::request::unknown_kind\""), "{text}");
        assert!(text.contains(">Input wrong input: nothing\n  help: more</error>"), "{text}");
        assert!(text.contains("<system-out>a namespace</system-out>"), "{text}");
    }
}
