//! `-o policyreport`: reports for policy dashboards: one for each namespace, and one for cluster-scoped objects.
//!
//! A refusal fails and a warning warns; an accepted one is skipped, and an object without findings passes. There is no
//! time in it, so that the same input results in the same bytes.
//!
//! Source: `openreports.io/v1alpha1`, `wgpolicyk8s.io/v1alpha2`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use crate::evaluation::Outcome;
use crate::report::finding::{Finding, INPUT};
use crate::report::printable::printable;
use crate::report::records::{record, records};
use crate::report::subject::Subject;
use crate::report::{Diagnostic, Fixtures, Report, Severity, Summary};
use gotext::value::json;
use kube_api::Value;
use kube_yaml::write_yaml;

/// The API of the reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyReportApi {
    /// `openreports.io/v1alpha1`
    OpenReports,
    /// `wgpolicyk8s.io/v1alpha2`
    PolicyWorkingGroup,
}

/// YAML documents, written at the end. The results are kept in memory as text.
pub struct PolicyReport<W> {
    out: W,
    api: PolicyReportApi,
    fixtures: Arc<Fixtures>,
    namespaces: BTreeMap<String, Results>,
}

/// The results of a namespace.
#[derive(Default)]
struct Results {
    text: String,
    counts: [usize; 5],
}

/// The status of a result.
#[derive(Clone, Copy, PartialEq)]
enum Ending {
    Error,
    Fail,
    Pass,
    Skip,
    Warn,
}

/// The policy of a passing object.
const CHAIN: &str = "AdmissionChain";

impl Ending {
    const ALL: [Self; 5] = [Self::Error, Self::Fail, Self::Pass, Self::Skip, Self::Warn];

    fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Fail => "fail",
            Self::Pass => "pass",
            Self::Skip => "skip",
            Self::Warn => "warn",
        }
    }
}

impl PolicyReportApi {
    fn api_version(self) -> &'static str {
        match self {
            Self::OpenReports => "openreports.io/v1alpha1",
            Self::PolicyWorkingGroup => "wgpolicyk8s.io/v1alpha2",
        }
    }

    /// Returns the kind of a report about a namespace or about cluster-scoped objects.
    fn kind(self, is_cluster: bool) -> &'static str {
        match (self, is_cluster) {
            (Self::OpenReports, true) => "ClusterReport",
            (Self::OpenReports, false) => "Report",
            (Self::PolicyWorkingGroup, true) => "ClusterPolicyReport",
            (Self::PolicyWorkingGroup, false) => "PolicyReport",
        }
    }
}

impl<W: Write> PolicyReport<W> {
    /// Returns a report to `out` as objects of `api`; `fixtures` has the places of the objects of the cluster.
    pub fn new(out: W, api: PolicyReportApi, fixtures: Arc<Fixtures>) -> Self {
        Self { out, api, fixtures, namespaces: BTreeMap::new() }
    }

    fn add(&mut self, namespace: &str, ending: usize, text: &str) {
        let results = self.namespaces.entry(namespace.to_owned()).or_default();
        results.counts[ending] += 1;
        results.text.push_str(text);
    }
}

impl<W: Write + Send + Sync> Report for PolicyReport<W> {
    /// Renders results, each preceded by its namespace and the number of its status.
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = String::new();
        for (request, findings) in
            outcomes.iter().flat_map(|outcome| Finding::by_request(outcome, &self.fixtures))
        {
            let subject = Subject::of(request);
            let mut put = |ending: Ending, result: &Value| -> io::Result<()> {
                text.push_str(&record(&printable(subject.namespace), ending as usize, &item(result)));
                Ok(())
            };
            let resource = resource(request, &subject);
            if findings.is_empty() {
                let result = json!({
                    "policy": CHAIN,
                    "result": Ending::Pass.as_str(),
                    "scored": true,
                    "source": SOURCE,
                    "resources": [resource.clone()],
                });
                put(Ending::Pass, &result)?;
            }
            for finding in &findings {
                let (ending, result) = result(finding, request, &resource);
                put(ending, &result)?;
            }
        }
        Ok(text.into_bytes())
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        for (namespace, ending, text) in records(rendered)? {
            self.add(namespace, ending.parse().unwrap_or_default(), text);
        }
        Ok(())
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        if diagnostic.severity != Severity::Error {
            return Ok(());
        }
        let finding = Finding::of_diagnostic(diagnostic);
        let mut result = json!({
            "policy": INPUT,
            "rule": (diagnostic.code.name()),
            "result": Ending::Error.as_str(),
            "message": text_of(&diagnostic.message),
            "scored": true,
            "source": SOURCE,
        });
        if let Some(place) = finding.place() {
            result["properties"] = json!({"file": text_of(&place)});
        }
        let text = item(&result);
        self.add("", Ending::Error as usize, &text);
        Ok(())
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        for (position, (namespace, results)) in self.namespaces.iter().enumerate() {
            if position > 0 {
                self.out.write_all(b"---\n")?;
            }
            let is_cluster = namespace.is_empty();
            let mut metadata = json!({"name": SOURCE, "labels": {"app.kubernetes.io/managed-by": SOURCE}});
            if !is_cluster {
                metadata["namespace"] = namespace.as_str().into();
            }
            let head = json!({
                "apiVersion": self.api.api_version(),
                "kind": self.api.kind(is_cluster),
                "metadata": metadata,
            });
            let counts = Ending::ALL.into_iter().zip(results.counts);
            let counts: Vec<_> = counts.map(|(ending, count)| (ending.as_str(), count)).collect();
            let mut summary = json!({});
            for (name, count) in counts {
                summary[name] = (count as u64).into();
            }
            let (mut text, mut end) = (String::new(), String::new());
            // The text is complete, even where Go would refuse to write it.
            let _ = write_yaml(&head, &mut text);
            let _ = write_yaml(&json!({"summary": summary}), &mut end);
            write!(self.out, "{text}results:\n{}{end}", results.text)?;
        }
        self.out.flush()
    }
}

/// The source of the reports.
const SOURCE: &str = "kadmit";

fn result(finding: &Finding<'_>, request: &Outcome, resource: &Value) -> (Ending, Value) {
    let (ending, severity) = match (finding.accepted, finding.severity) {
        (Some(_), _) => (Ending::Skip, "low"),
        (None, Severity::Error) => (Ending::Fail, "high"),
        (None, _) => (Ending::Warn, "medium"),
    };
    let policy_rule = request.refusal.as_ref().and_then(|refusal| refusal.rule.as_deref());
    let policy_rule = policy_rule.filter(|_| finding.severity == Severity::Error);
    let mut properties = json!({});
    let mut put = |name: &str, value: &str| properties[name] = text_of(value).as_str().into();
    if let Some(place) = finding.place() {
        put("file", &place);
    }
    if let Some(rule) = policy_rule {
        put("policy", &rule.policy);
        if !rule.binding.is_empty() {
            put("binding", &rule.binding);
        }
    }
    let reasons: Vec<String> = finding.reasons.iter().map(ToString::to_string).collect();
    if !reasons.is_empty() {
        put("because", &reasons.join("\n"));
    }
    if let Some(accepted) = finding.accepted {
        put("accepted", &accepted.to_string());
    }
    let mut result = json!({
        "policy": finding.rule,
        "rule": text_of(&finding.code),
        "result": ending.as_str(),
        "severity": severity,
        "category": "Kubernetes admission",
        "message": text_of(finding.message),
        "scored": true,
        "source": SOURCE,
        "resources": [resource.clone()],
    });
    if properties.as_object().is_some_and(|properties| !properties.is_empty()) {
        result["properties"] = properties;
    }
    (ending, result)
}

/// Returns a reference to the object of `request`.
fn resource(request: &Outcome, subject: &Subject<'_>) -> Value {
    let name = subject.name.as_deref().unwrap_or_default();
    let mut resource = json!({
        "apiVersion": request.kind.api_version(),
        "kind": subject.kind,
        "name": text_of(name),
    });
    if !subject.namespace.is_empty() {
        resource["namespace"] = text_of(subject.namespace).as_str().into();
    }
    resource
}

fn text_of(text: &str) -> String {
    printable(text).into_owned()
}

/// Returns `value` as the only item of a list.
fn item(value: &Value) -> String {
    let mut text = String::new();
    // The text is complete, even where Go would refuse to write it.
    let _ = write_yaml(&json!([value.clone()]), &mut text);
    text
}
