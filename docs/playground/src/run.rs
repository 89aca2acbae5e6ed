//! An evaluation, and what the page asks about it.

use std::sync::Arc;

use kadmit::report::editor::{self, Mark, Names};
use kadmit::{
    ApiServer, Diagnostic, Errors, Evaluation, OfflineCluster, Outcome, Severity, SourceFile, Span, Text,
    TextStyle, Verbosity, Version, plugin,
};
use kube_api::distribution::Distribution;
use serde::Serialize;
use serde_json::{Value, json};

use crate::Texts;
use crate::positions::{byte_of, span_of, unit_of, units_of};

/// The names of the files of the page.
pub const MANIFESTS: &str = "manifests.yaml";
const CLUSTER: &str = "cluster.yaml";

/// A server that answered.
pub struct Run {
    pub cluster: OfflineCluster,
    pub evaluation: Evaluation,
    pub manifests: Arc<SourceFile>,
    /// What the outcomes of the manifests mark in them, and where.
    pub marks: Vec<Vec<(Span, Mark)>>,
    width: usize,
}

#[derive(Serialize)]
pub struct Said {
    severity: Severity,
    code: String,
    message: String,
    help: Option<String>,
    file: Option<String>,
    line: Option<usize>,
}

impl Run {
    /// Evaluates the texts of the page; there is no run if the server does not start.
    pub fn of(texts: &Texts) -> (Option<Self>, Value) {
        let cluster = SourceFile::new(CLUSTER, texts.cluster.as_str());
        match Self::started(texts, &cluster) {
            Ok(run) => {
                let answer = run.answer(&cluster);
                (Some(run), answer)
            }
            Err(errors) => {
                let marks = errors.diagnostics.iter().filter_map(editor::mark_of);
                let marks: Vec<Value> =
                    marks.map(|mark| mark_in(&mark, &cluster, &texts.manifests)).collect();
                let said = said(&errors.diagnostics);
                (
                    None,
                    json!({"text": errors.to_string(), "diagnostics": said, "marks": marks, "admitted": false}),
                )
            }
        }
    }

    fn started(texts: &Texts, cluster: &Arc<SourceFile>) -> Result<Self, Errors> {
        let flags = texts.flags.lines().map(str::trim);
        let flags = flags.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut cluster = ApiServer::from_flags(flags)?.cluster(&[cluster.clone()])?;
        let manifests = SourceFile::new(MANIFESTS, texts.manifests.as_str());
        let evaluation = cluster.evaluate(&[manifests.clone()]);
        let width = texts.width.clamp(30, 200);
        let mut run = Self { cluster, evaluation, manifests, marks: Vec::new(), width };
        let marks = |outcome: &Outcome| {
            let marks = editor::marks(outcome, run.evaluation.fixtures()).into_iter();
            let marks = marks.filter(|mark| mark.line.file == MANIFESTS);
            marks.map(|mark| (span_of(run.manifests.text(), &mark.line), mark)).collect()
        };
        run.marks = run.outcomes().map(marks).collect();
        Ok(run)
    }

    fn answer(&self, cluster: &SourceFile) -> Value {
        let evaluation = &self.evaluation;
        let style = TextStyle {
            verbosity: Verbosity::Normal,
            diff: true,
            all_diffs: false,
            warnings_fail: false,
            width: self.width,
        };
        let (mut text, mut json) = (Vec::new(), Vec::new());
        // Only memory is written, which does not fail.
        let _ = evaluation.write_to(&mut Text::new(&mut text, style, evaluation.fixtures().clone()));
        let _ = evaluation.write_json(&mut json);
        let json: Value = serde_json::from_slice(&json).unwrap_or_default();
        let manifests = self.manifests.text();
        let of_outcomes =
            evaluation.outcomes.iter().flat_map(|one| editor::marks(one, evaluation.fixtures()));
        let marks = of_outcomes.chain(evaluation.diagnostics.iter().filter_map(editor::mark_of));
        let hint = |hint: editor::Hint| json!({"at": unit_of(manifests, hint.offset), "text": hint.text});
        let lens = |lens: editor::Lens| json!({"at": unit_of(manifests, lens.offset), "text": lens.title});
        json!({
            "text": String::from_utf8_lossy(&text),
            "summary": json["summary"],
            "policies": json["policies"],
            "release": evaluation.release.to_string(),
            "plugins": evaluation.plugins,
            "diagnostics": said(&evaluation.diagnostics),
            "admitted": evaluation.is_admitted(),
            "stored": editor::stored(self.outcomes()),
            "objects": self.objects(),
            "marks": marks.map(|mark| self.with_actions(&mark, cluster)).collect::<Vec<_>>(),
            "hints": self.outcomes().flat_map(editor::hints).map(hint).collect::<Vec<_>>(),
            "lenses": editor::lenses(&self.outcomes().collect::<Vec<_>>()).into_iter().map(lens).collect::<Vec<_>>(),
        })
    }

    /// Returns a mark with the edits that fix it.
    fn with_actions(&self, mark: &Mark, cluster: &SourceFile) -> Value {
        let mut shown = mark_in(mark, cluster, self.manifests.text());
        if mark.line.file == MANIFESTS && mark.severity != Severity::Note {
            let at = shown["from"].as_u64().and_then(|at| usize::try_from(at).ok());
            shown["actions"] = self.actions(at.unwrap_or_default());
        }
        shown
    }

    /// Returns the outcomes of the manifests.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        let is_here =
            |outcome: &&Outcome| outcome.place.as_ref().is_some_and(|place| place.file() == MANIFESTS);
        self.evaluation.outcomes.iter().filter(is_here)
    }

    /// Returns the requests that an expression can be about.
    fn requests(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes().flat_map(Outcome::with_caused)
    }

    fn objects(&self) -> Vec<String> {
        let object = |outcome: &Outcome| {
            let by =
                outcome.cause.as_ref().map(|cause| format!(" of {}", cause.owner_name)).unwrap_or_default();
            format!("{} {}{by}", outcome.kind.kind, outcome.name)
        };
        self.requests().map(object).collect()
    }

    /// Returns the explanation of the field at an offset.
    pub fn hover(&self, unit: usize) -> Value {
        let text = self.manifests.text();
        let offset = byte_of(text, unit);
        let found: Vec<editor::Explanation> =
            self.outcomes().filter_map(|outcome| editor::explain(outcome, offset)).collect();
        let Some(first) = found.first() else { return Value::Null };
        let (from, to) = units_of(text, first.span);
        let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
        json!({"from": from, "to": to, "text": texts.join("\n\n---\n\n")})
    }

    /// Returns what can be written at an offset of `text`.
    pub fn complete(&self, text: &str, unit: usize) -> Value {
        let evaluator = self.cluster.evaluator();
        let plugins = evaluator.plugins();
        let names = Names {
            release: evaluator.profile().reading_release(),
            is_openshift: evaluator.profile().distribution() != Distribution::Kubernetes,
            plugins: &plugins,
        };
        let (span, found) = editor::complete(text, byte_of(text, unit), names);
        let option = |found: &editor::Completion| json!({"label": found.label, "detail": found.detail});
        let (from, to) = units_of(text, span);
        json!({"from": from, "to": to, "options": found.iter().map(option).collect::<Vec<_>>()})
    }

    /// Evaluates an expression about the request with this number.
    pub fn eval(&self, expression: &str, object: usize) -> Value {
        let Some(outcome) = self.requests().nth(object) else { return Value::Null };
        let evaluated = self.cluster.eval(outcome, expression, self.width);
        json!({
            "value": evaluated.value.as_ref().ok(),
            "error": evaluated.value.as_ref().err(),
            "type": evaluated.type_name,
            "cost": evaluated.cost,
            "explanation": evaluated.explanation,
        })
    }
}

/// Returns the releases and plugins to choose from.
pub fn menus() -> Value {
    let releases: Vec<String> = (Version::OLDEST.minor..=Version::DEFAULT.minor)
        .rev()
        .map(|minor| Version::minor(minor).to_string())
        .collect();
    let plugins: Vec<&str> = plugin::of_release(Version::BINARY).iter().map(|plugin| plugin.name).collect();
    json!({"releases": releases, "plugins": plugins, "project": editor::PROJECT})
}

fn mark_in(mark: &Mark, cluster: &SourceFile, manifests: &str) -> Value {
    let text = if mark.line.file == CLUSTER { cluster.text() } else { manifests };
    let (from, to) = units_of(text, span_of(text, &mark.line));
    json!({
        "file": mark.line.file,
        "from": from,
        "to": to,
        "severity": if mark.code == editor::NOTE { json!("hint") } else { json!(mark.severity) },
        "code": if mark.can_be_skipped { mark.rule } else { &mark.code },
        "message": mark.message,
        "page": editor::page_about(mark),
    })
}

pub fn said(diagnostics: &[Diagnostic]) -> Vec<Said> {
    let said = |diagnostic: &Diagnostic| Said {
        severity: diagnostic.severity,
        code: diagnostic.code.to_string(),
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        file: diagnostic.file.clone(),
        line: diagnostic.line(),
    };
    diagnostics.iter().map(said).collect()
}
