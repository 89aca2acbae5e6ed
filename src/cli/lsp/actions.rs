//! Code actions: edits that fix what is marked, and edits that add values set by the server.

use std::collections::HashMap;
use std::path::Path;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Command, Position, Range, TextEdit, Uri, WorkspaceEdit,
};

use crate::cli::lsp::position::{Encoding, uri_of};
use crate::cli::lsp::project::Project;
use crate::cli::lsp::texts::Texts;
use crate::cli::lsp::{STORED, marks};
use crate::evaluation::{Outcome, Place};
use crate::report::Diagnostic;
use crate::report::editor::{self, Edit, Mark};
use gotext::source::SourceFile;

/// The actions for the lines of `range`.
pub(super) struct Actions<'a> {
    pub(super) project: &'a Project,
    pub(super) texts: &'a Texts,
    pub(super) encoding: Encoding,
    pub(super) source: &'a SourceFile,
    pub(super) range: Range,
}

impl Actions<'_> {
    /// Returns the actions, the most useful first.
    pub(super) fn all(&self) -> Vec<CodeActionOrCommand> {
        let Some(uri) = uri_of(Path::new(self.source.name())) else { return Vec::new() };
        let name = self.source.name();
        let mut actions = Vec::new();
        for answer in self.project.answers(name) {
            actions.extend(answer.diagnostic.iter().filter_map(|diagnostic| self.fix(diagnostic, &uri)));
        }
        let mut has_object = false;
        for outcome in self.project.outcomes(name) {
            actions.extend(self.fixes(outcome, &uri));
            actions.extend(self.skips(outcome, &uri));
            if self.is_in_object(outcome) {
                has_object = true;
                let edits = editor::edits(outcome).into_iter();
                let kind = CodeActionKind::REFACTOR_REWRITE;
                let restricted = self
                    .project
                    .evaluator()
                    .and_then(|evaluator| editor::restrict(outcome, evaluator.profile().release()));
                let edits = edits.chain(restricted);
                actions.extend(edits.map(|edit| self.action(edit, kind.clone(), None, &uri)));
            }
        }
        let mut actions: Vec<CodeActionOrCommand> =
            merged(actions).into_iter().map(CodeActionOrCommand::CodeAction).collect();
        if has_object {
            let arguments = serde_json::to_value(&uri).into_iter().collect();
            let title = "Show what the server stores".to_owned();
            let command = Command { title, command: STORED.to_owned(), arguments: Some(arguments) };
            actions.push(CodeActionOrCommand::Command(command));
        }
        actions
    }

    /// Returns the edit that fixes an error in the input.
    fn fix(&self, diagnostic: &Diagnostic, uri: &Uri) -> Option<CodeAction> {
        let edit = editor::mend(diagnostic)?;
        let mark = editor::mark_of(diagnostic)?;
        let mut spans = edit.replacements.iter().map(|(span, _)| *span);
        let is_here =
            self.is_marked(&mark) || spans.any(|span| self.overlaps(self.encoding.range(self.source, span)));
        let action = self.action(edit, CodeActionKind::QUICKFIX, Some(&mark), uri);
        is_here.then_some(CodeAction { is_preferred: Some(true), ..action })
    }

    /// Returns the edits that `kadmit fix` would try for the refusals of `outcome` and of those that it caused.
    fn fixes(&self, outcome: &Outcome, uri: &Uri) -> Vec<CodeAction> {
        let marks = editor::marks(outcome, &crate::report::Fixtures::default());
        let Some(mark) = marks.iter().find(|mark| self.is_marked(mark)) else { return Vec::new() };
        let refused = outcome.with_caused().filter(|request| request.fails());
        let actions = refused.filter_map(|request| {
            let replacements = editor::fix(request)?;
            let title = format!("Fix what {} refuses", request.denied_by().unwrap_or("the API server"));
            let action = self.action(Edit { title, replacements }, CodeActionKind::QUICKFIX, Some(mark), uri);
            Some(CodeAction { is_preferred: Some(true), ..action })
        });
        actions.collect()
    }

    /// Returns skips for the refusals and warnings of `outcome` and of those that it caused.
    fn skips(&self, outcome: &Outcome, uri: &Uri) -> Vec<CodeAction> {
        let Some(place) = outcome.place.as_ref().filter(|place| !place.is_review()) else {
            return Vec::new();
        };
        // Their places do not depend on the objects of the cluster.
        let marks = editor::marks(outcome, &crate::report::Fixtures::default());
        let marks = marks.iter().filter(|mark| mark.can_be_skipped && self.is_marked(mark));
        let action = |mark: &Mark| {
            let edit = editor::skip(place, mark.rule)?;
            Some(self.action(edit, CodeActionKind::QUICKFIX, Some(mark), uri))
        };
        marks.filter_map(action).collect()
    }

    fn action(&self, edit: Edit, kind: CodeActionKind, mark: Option<&Mark>, uri: &Uri) -> CodeAction {
        let edits = edit
            .replacements
            .into_iter()
            .map(|(span, text)| TextEdit { range: self.encoding.range(self.source, span), new_text: text });
        #[expect(clippy::mutable_key_type, reason = "the protocol's type has it so; nothing changes the key")]
        let changes = HashMap::from([(uri.clone(), edits.collect())]);
        let diagnostics = mark.map(|mark| vec![marks::diagnostic(mark, self.texts, self.encoding)]);
        CodeAction {
            title: edit.title,
            kind: Some(kind),
            diagnostics,
            edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
            ..CodeAction::default()
        }
    }

    fn is_marked(&self, mark: &Mark) -> bool {
        mark.line.file == self.source.name()
            && self.overlaps(self.encoding.range_of_line(&mark.line, Some(self.source.text())))
    }

    fn is_in_object(&self, outcome: &Outcome) -> bool {
        let place = outcome.place.as_ref().filter(|_| outcome.cause.is_none()).map(Place::whole);
        place.is_some_and(|place| self.overlaps(self.encoding.range(self.source, place.span)))
    }

    /// Whether `range` includes lines of the requested ones.
    fn overlaps(&self, range: Range) -> bool {
        let line = |position: Position| position.line;
        line(range.start) <= line(self.range.end) && line(self.range.start) <= line(range.end)
    }
}

/// Returns each action once, for all that it fixes: a workload and its Pods may be refused for the same.
fn merged(actions: Vec<CodeAction>) -> Vec<CodeAction> {
    let mut merged: Vec<CodeAction> = Vec::new();
    for action in actions {
        let is_same = |known: &&mut CodeAction| known.title == action.title && known.edit == action.edit;
        match merged.iter_mut().find(is_same) {
            Some(known) => {
                known.diagnostics.get_or_insert_default().extend(action.diagnostics.into_iter().flatten());
            }
            None => merged.push(action),
        }
    }
    merged
}
