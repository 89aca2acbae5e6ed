//! The session: the requests of the client and the messages to it.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, LogMessage, Notification as _, PublishDiagnostics,
};
use lsp_types::request::{
    CodeActionRequest, CodeLensRefresh, CodeLensRequest, Completion, ExecuteCommand, HoverRequest,
    InlayHintRefreshRequest, InlayHintRequest, RegisterCapability, Request as _, Shutdown,
};
use lsp_types::{
    CodeActionParams, CodeLensParams, CompletionParams, DidChangeTextDocumentParams,
    DidChangeWatchedFilesRegistrationOptions, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    ExecuteCommandParams, FileSystemWatcher, GlobPattern, Hover, HoverContents, HoverParams, InlayHintParams,
    LogMessageParams, MarkupContent, MarkupKind, MessageType, PublishDiagnosticsParams, Registration,
    RegistrationParams, Uri,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::lsp::STORED;
use crate::cli::lsp::actions::Actions;
use crate::cli::lsp::capabilities::{Client, capabilities};
use crate::cli::lsp::inline;
use crate::cli::lsp::position::path_of;
use crate::cli::lsp::project::{Marks, Progress, Project, root_of};
use crate::cli::lsp::published::Published;
use crate::cli::lsp::texts::Texts;
use crate::cli::settings;
use crate::report::editor::{self, Mark};
use gotext::source::SourceFile;

/// The request with the same effect.
const STORED_REQUEST: &str = "kadmit/stored";

/// The error that ends a session.
type Failure = Box<dyn Error + Send + Sync>;

/// A session.
pub(super) struct Server<'a> {
    connection: &'a Connection,
    colors: Colors,
    texts: Texts,
    projects: BTreeMap<PathBuf, Project>,
    /// The version of each open document.
    versions: BTreeMap<PathBuf, i32>,
    /// The diagnostics that the client shows for each file.
    published: BTreeMap<PathBuf, Published>,
    /// Messages that came during an evaluation.
    pending: RefCell<VecDeque<Message>>,
    client: Client,
    /// Requests that wait for the evaluation of the newest texts.
    waiting: Vec<Request>,
    /// The file that changed last.
    focus: Option<PathBuf>,
    is_changed: bool,
    said: Vec<String>,
}

/// The parameters of the request for the stored objects.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredParams {
    text_document: lsp_types::TextDocumentIdentifier,
}

impl<'a> Server<'a> {
    /// Serves the client until it ends the session.
    pub(super) fn serve(connection: &'a Connection, colors: Colors) -> Result<Exit, Failure> {
        let (id, params) = connection.initialize_start()?;
        let client = Client::of(&params);
        let result = serde_json::json!({
            "capabilities": capabilities(client.encoding),
            "serverInfo": {"name": "kadmit", "version": env!("CARGO_PKG_VERSION")},
        });
        connection.initialize_finish(id, result)?;
        let mut server = Self {
            connection,
            colors,
            texts: Texts::default(),
            projects: BTreeMap::new(),
            versions: BTreeMap::new(),
            published: BTreeMap::new(),
            pending: RefCell::default(),
            client,
            waiting: Vec::new(),
            focus: None,
            is_changed: false,
            said: Vec::new(),
        };
        if server.client.watches {
            server.watch()?;
        }
        server.run()
    }

    fn run(&mut self) -> Result<Exit, Failure> {
        while let Some(message) = self.newest().or_else(|| self.connection.receiver.recv().ok()) {
            if let Some(exit) = self.take(message)? {
                return Ok(exit);
            }
            // Pending messages are newer.
            while let Some(message) = self.newest() {
                if let Some(exit) = self.take(message)? {
                    return Ok(exit);
                }
            }
            if self.is_changed {
                self.is_changed = !self.update()?;
                if !self.is_changed {
                    self.refresh()?;
                }
            }
            if !self.is_changed {
                for request in std::mem::take(&mut self.waiting) {
                    let response = self.answer(request);
                    self.send(Message::Response(response))?;
                }
            }
        }
        // The client ended without a message.
        Ok(Exit::Denied)
    }

    /// Returns the next message, if there is one already.
    fn newest(&self) -> Option<Message> {
        let pending = self.pending.borrow_mut().pop_front();
        pending.or_else(|| self.connection.receiver.try_recv().ok())
    }

    fn take(&mut self, message: Message) -> Result<Option<Exit>, Failure> {
        match message {
            Message::Request(request) => {
                if self.connection.handle_shutdown(&request)? {
                    return Ok(Some(Exit::Admitted));
                }
                self.waiting.push(request);
            }
            Message::Notification(notification) if notification.method == "exit" => {
                return Ok(Some(Exit::Denied));
            }
            Message::Notification(notification) => self.note(notification)?,
            Message::Response(_) => {}
        }
        Ok(None)
    }

    /// Applies what has happened.
    fn note(&mut self, notification: Notification) -> Result<(), Failure> {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let params: DidOpenTextDocumentParams = serde_json::from_value(notification.params)?;
                let document = params.text_document;
                if let Some(path) = path_of(&document.uri) {
                    self.texts.open(&path, document.text);
                    self.versions.insert(path.clone(), document.version);
                    self.changed(path);
                }
            }
            DidChangeTextDocument::METHOD => {
                let params: DidChangeTextDocumentParams = serde_json::from_value(notification.params)?;
                if let Some(path) = path_of(&params.text_document.uri) {
                    self.edit(&path, params);
                    self.changed(path);
                }
            }
            DidCloseTextDocument::METHOD => {
                let params: DidCloseTextDocumentParams = serde_json::from_value(notification.params)?;
                if let Some(path) = path_of(&params.text_document.uri) {
                    self.texts.close(&path);
                    self.versions.remove(&path);
                    self.is_changed = true;
                }
            }
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => {
                self.texts.invalidate();
                self.projects.values_mut().for_each(Project::invalidate);
                self.is_changed = true;
            }
            "$/cancelRequest" => {
                let params: lsp_types::CancelParams = serde_json::from_value(notification.params)?;
                let id = match params.id {
                    lsp_types::NumberOrString::Number(id) => RequestId::from(id),
                    lsp_types::NumberOrString::String(id) => RequestId::from(id),
                };
                if let Some(position) = self.waiting.iter().position(|request| request.id == id) {
                    let request = self.waiting.remove(position);
                    let code = ErrorCode::RequestCanceled as i32;
                    self.send(Message::Response(Response::new_err(
                        request.id,
                        code,
                        "cancelled".to_owned(),
                    )))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Applies the changes of `params`, each to the result of the previous one.
    fn edit(&mut self, path: &Path, params: DidChangeTextDocumentParams) {
        let mut text = self.texts.of_open(path).map(|source| source.text().to_owned()).unwrap_or_default();
        for change in params.content_changes {
            match change.range {
                None => text = change.text,
                Some(range) => {
                    let start = self.client.encoding.offset(&text, range.start);
                    let end = self.client.encoding.offset(&text, range.end).max(start);
                    text.replace_range(start..end, &change.text);
                }
            }
        }
        self.texts.open(path, text);
        self.versions.insert(path.to_owned(), params.text_document.version);
    }

    fn changed(&mut self, path: PathBuf) {
        self.project_of(&path);
        self.focus = Some(path);
        self.is_changed = true;
    }

    /// Returns the project of the file at `path`; a new one if none is open.
    fn project_of(&mut self, path: &Path) -> &mut Project {
        let settings = settings::find_above(path);
        let key = settings.clone().unwrap_or_else(|| root_of(path));
        let colors = self.colors;
        let directory = key.clone();
        self.projects.entry(key).or_insert_with(|| Project::new(settings, directory, colors))
    }

    /// Evaluates the changes and sends the marks; false if newer changes interrupted it.
    fn update(&mut self) -> Result<bool, Failure> {
        let focus = self.focus.as_ref().map(|focus| focus.display().to_string());
        let keys: Vec<PathBuf> = self.projects.keys().cloned().collect();
        for key in keys {
            let Some(mut project) = self.projects.remove(&key) else { continue };
            let marks = {
                let (receiver, pending) = (&self.connection.receiver, &self.pending);
                // A message is received to know whether there is one: the channel keeps none.
                let is_outdated = || {
                    let mut pending = pending.borrow_mut();
                    pending.extend(receiver.try_iter());
                    pending.iter().any(|message| match message {
                        Message::Notification(_) => true,
                        Message::Request(request) => request.method == Shutdown::METHOD,
                        Message::Response(_) => false,
                    })
                };
                let (connection, encoding, versions) =
                    (self.connection, self.client.encoding, &self.versions);
                let published = self.published.entry(key.clone()).or_default();
                let mut send = |file: &str, marks: &[Mark], texts: &Texts| {
                    let version = versions.get(Path::new(file)).copied();
                    if let Some(params) = published.show(file, version, marks, (texts, encoding)) {
                        // A failed write will fail again, and is detected then.
                        let _ = publish(connection, params);
                    }
                };
                let mut progress =
                    Progress { focus: focus.as_deref(), is_outdated: &is_outdated, early: &mut send };
                project.update(&mut self.texts, &mut progress)
            };
            let messages = std::mem::take(&mut project.messages);
            self.projects.insert(key.clone(), project);
            let Some(marks) = marks else { return Ok(false) };
            self.publish_all(&key, &marks)?;
            self.say(messages)?;
        }
        Ok(true)
    }

    fn publish_all(&mut self, key: &Path, marks: &Marks) -> Result<(), Failure> {
        let mut published = self.published.remove(key).unwrap_or_default();
        let gone: Vec<String> =
            published.files().filter(|file| !marks.contains_key(*file)).cloned().collect();
        let gone = gone.iter().map(|file| (file, &[][..]));
        for (file, marks) in gone.chain(marks.iter().map(|(file, marks)| (file, &marks[..]))) {
            let version = self.versions.get(Path::new(file)).copied();
            if let Some(params) = published.show(file, version, marks, (&self.texts, self.client.encoding)) {
                publish(self.connection, params)?;
            }
        }
        self.published.insert(key.to_owned(), published);
        Ok(())
    }

    /// Sends messages without a place, unless they are the same as last time.
    fn say(&mut self, messages: Vec<String>) -> Result<(), Failure> {
        if messages == self.said {
            return Ok(());
        }
        for message in messages.iter().filter(|message| !self.said.contains(message)) {
            let params = LogMessageParams { typ: MessageType::WARNING, message: message.clone() };
            let notification = Notification::new(LogMessage::METHOD.to_owned(), params);
            self.send(Message::Notification(notification))?;
        }
        self.said = messages;
        Ok(())
    }

    fn answer(&mut self, request: Request) -> Response {
        let id = request.id.clone();
        let result = match request.method.as_str() {
            HoverRequest::METHOD => answered(request, |params| self.hover(&params)),
            CodeActionRequest::METHOD => answered(request, |params| self.actions(&params)),
            InlayHintRequest::METHOD => answered(request, |params| self.hints(&params)),
            CodeLensRequest::METHOD => answered(request, |params| self.lenses(&params)),
            Completion::METHOD => answered(request, |params| self.complete(&params)),
            STORED_REQUEST => {
                answered(request, |params: StoredParams| self.stored(&params.text_document.uri))
            }
            ExecuteCommand::METHOD => parse(request).and_then(|params| self.execute(params)),
            method => Err((ErrorCode::MethodNotFound, format!("there is no request `{method}`"))),
        };
        match result {
            Ok(result) => Response::new_ok(id, result),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        }
    }

    fn hover(&self, params: &HoverParams) -> Option<Hover> {
        let position = params.text_document_position_params.position;
        let uri = &params.text_document_position_params.text_document.uri;
        let encoding = self.client.encoding;
        let (project, source) = self.document(uri)?;
        let offset = encoding.offset(source.text(), position);
        let mut explanations =
            project.outcomes(source.name()).filter_map(|outcome| editor::explain(outcome, offset));
        let first = explanations.next()?;
        let texts: Vec<String> =
            std::iter::once(first.text).chain(explanations.map(|one| one.text)).collect();
        let value = texts.join("\n\n---\n\n");
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        Some(Hover { contents, range: Some(encoding.range(&source, first.span)) })
    }

    fn actions(&self, params: &CodeActionParams) -> Vec<lsp_types::CodeActionOrCommand> {
        let Some((project, source)) = self.document(&params.text_document.uri) else { return Vec::new() };
        let (texts, encoding) = (&self.texts, self.client.encoding);
        let actions = Actions { project, texts, encoding, source: &source, range: params.range };
        actions.all()
    }

    fn hints(&self, params: &InlayHintParams) -> Vec<lsp_types::InlayHint> {
        let document = self.document(&params.text_document.uri);
        document
            .map(|(project, source)| inline::hints(project, &source, params.range, self.client.encoding))
            .unwrap_or_default()
    }

    fn lenses(&self, params: &CodeLensParams) -> Vec<lsp_types::CodeLens> {
        let uri = &params.text_document.uri;
        let document = self.document(uri);
        document
            .map(|(project, source)| inline::lenses(project, &source, uri, self.client.encoding))
            .unwrap_or_default()
    }

    fn complete(&self, params: &CompletionParams) -> Vec<lsp_types::CompletionItem> {
        let at = &params.text_document_position;
        let document = self.document(&at.text_document.uri);
        document
            .map(|(project, source)| inline::complete(project, &source, at.position, self.client.encoding))
            .unwrap_or_default()
    }

    fn stored(&self, uri: &Uri) -> Option<String> {
        let (project, source) = self.document(uri)?;
        Some(editor::stored(project.outcomes(source.name())))
    }

    fn execute(&self, params: ExecuteCommandParams) -> Result<serde_json::Value, (ErrorCode, String)> {
        if params.command != STORED {
            return Err((ErrorCode::InvalidParams, format!("there is no command `{}`", params.command)));
        }
        let uri = params.arguments.into_iter().next().unwrap_or_default();
        let uri: Uri =
            serde_json::from_value(uri).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))?;
        to_value(self.stored(&uri))
    }

    /// Returns the project and the text of an open document.
    fn document(&self, uri: &Uri) -> Option<(&Project, Arc<SourceFile>)> {
        let path = path_of(uri)?;
        let key = settings::find_above(&path).unwrap_or_else(|| root_of(&path));
        Some((self.projects.get(&key)?, self.texts.of_open(&path)?.clone()))
    }

    /// Asks the client to ask again for what it shows in the texts of other files.
    fn refresh(&self) -> Result<(), Failure> {
        let methods = [
            (self.client.refreshes_hints, InlayHintRefreshRequest::METHOD),
            (self.client.refreshes_lenses, CodeLensRefresh::METHOD),
        ];
        for (_, method) in methods.into_iter().filter(|(refreshes, _)| *refreshes) {
            let request = Request::new(RequestId::from(method.to_owned()), method.to_owned(), ());
            self.send(Message::Request(request))?;
        }
        Ok(())
    }

    /// Asks the client to report changes of files.
    fn watch(&self) -> Result<(), Failure> {
        let watcher = |pattern: &str| FileSystemWatcher {
            glob_pattern: GlobPattern::String(pattern.to_owned()),
            kind: None,
        };
        let options = DidChangeWatchedFilesRegistrationOptions {
            watchers: vec![watcher("**/*.{yaml,yml,json}"), watcher("**/kadmit.toml")],
        };
        let registration = Registration {
            id: "kadmit-files".to_owned(),
            method: DidChangeWatchedFiles::METHOD.to_owned(),
            register_options: Some(serde_json::to_value(options)?),
        };
        let params = RegistrationParams { registrations: vec![registration] };
        let id = RequestId::from("kadmit-files".to_owned());
        let request = Request::new(id, RegisterCapability::METHOD.to_owned(), params);
        self.send(Message::Request(request))
    }

    fn send(&self, message: Message) -> Result<(), Failure> {
        Ok(self.connection.sender.send(message)?)
    }
}

/// Sends the diagnostics of a file.
fn publish(connection: &Connection, params: PublishDiagnosticsParams) -> Result<(), Failure> {
    let notification = Notification::new(PublishDiagnostics::METHOD.to_owned(), params);
    Ok(connection.sender.send(Message::Notification(notification))?)
}

fn parse<T: DeserializeOwned>(request: Request) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(request.params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

fn to_value<T: serde::Serialize>(value: T) -> Result<serde_json::Value, (ErrorCode, String)> {
    serde_json::to_value(value).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}

fn answered<P: DeserializeOwned, A: serde::Serialize>(
    request: Request,
    answer: impl FnOnce(P) -> A,
) -> Result<serde_json::Value, (ErrorCode, String)> {
    parse(request).map(answer).and_then(to_value)
}
