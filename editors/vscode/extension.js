// A language client for `kadmit lsp` in one file: what kadmit answers is little enough that no library is needed, so
// that the extension packages without a network.
"use strict";

const vscode = require("vscode");
const { Client } = require("./client.js");

const SCHEME = "kadmit-stored";
const LANGUAGES = ["yaml", "json"];

let client;

function range(it) {
  return new vscode.Range(it.start.line, it.start.character, it.end.line, it.end.character);
}

function isManifest(document) {
  return document.uri.scheme === "file" && /\.(ya?ml|json)$/.test(document.uri.path);
}

const SEVERITIES = [
  vscode.DiagnosticSeverity.Error,
  vscode.DiagnosticSeverity.Error,
  vscode.DiagnosticSeverity.Warning,
  vscode.DiagnosticSeverity.Information,
  vscode.DiagnosticSeverity.Hint,
];

function diagnostic(it) {
  const result = new vscode.Diagnostic(range(it.range), it.message, SEVERITIES[it.severity ?? 1]);
  result.code = it.code;
  result.source = it.source;
  result.relatedInformation = (it.relatedInformation ?? []).map(
    (other) =>
      new vscode.DiagnosticRelatedInformation(
        new vscode.Location(vscode.Uri.parse(other.location.uri), range(other.location.range)),
        other.message,
      ),
  );
  return result;
}

function action(it) {
  if (!it.edit) return undefined;
  const result = new vscode.CodeAction(it.title, new vscode.CodeActionKind(it.kind));
  result.edit = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(it.edit.changes ?? {})) {
    for (const edit of edits) result.edit.replace(vscode.Uri.parse(uri), range(edit.range), edit.newText);
  }
  result.diagnostics = (it.diagnostics ?? []).map(diagnostic);
  result.isPreferred = it.isPreferred;
  return result;
}

/** The stored objects of a manifest, as a read-only document. */
class Stored {
  constructor() {
    this.changed = new vscode.EventEmitter();
    this.onDidChange = this.changed.event;
  }

  provideTextDocumentContent(uri) {
    return client?.request("kadmit/stored", { textDocument: { uri: uri.query } });
  }
}

function identifier(document) {
  return { uri: document.uri.toString(), version: document.version };
}

async function start(context, diagnostics, output) {
  client?.stop();
  diagnostics.clear();
  const program = vscode.workspace.getConfiguration("kadmit").get("path");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  client = new Client(program, ["lsp"], folder, (text) => output.append(text));
  client.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics: list }) =>
    diagnostics.set(vscode.Uri.parse(uri), list.map(diagnostic)),
  );
  client.onNotification("window/logMessage", ({ message }) => output.appendLine(message));
  client.onFailure((message) => vscode.window.showErrorMessage(`kadmit: ${message}`));
  await client.initialize();
  for (const document of vscode.workspace.textDocuments) open(document);
}

function open(document) {
  if (!isManifest(document)) return;
  const { uri, version } = identifier(document);
  const item = { uri, version, languageId: document.languageId, text: document.getText() };
  client?.notify("textDocument/didOpen", { textDocument: item });
}

function change(event) {
  if (!isManifest(event.document) || event.contentChanges.length === 0) return;
  const contentChanges = event.contentChanges.map(({ range: { start, end }, text }) => ({
    range: {
      start: { line: start.line, character: start.character },
      end: { line: end.line, character: end.character },
    },
    text,
  }));
  client?.notify("textDocument/didChange", { textDocument: identifier(event.document), contentChanges });
}

exports.activate = async function (context) {
  const output = vscode.window.createOutputChannel("kadmit");
  const diagnostics = vscode.languages.createDiagnosticCollection("kadmit");
  const stored = new Stored();
  const selector = LANGUAGES.map((language) => ({ language, scheme: "file" }));
  const positionOf = (document, at) => ({
    textDocument: { uri: document.uri.toString() },
    position: { line: at.line, character: at.character },
  });
  const watcher = vscode.workspace.createFileSystemWatcher("**/{*.yaml,*.yml,*.json,kadmit.toml}");
  const changed = (uri) =>
    client?.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: uri.toString(), type: 2 }] });
  context.subscriptions.push(
    output,
    diagnostics,
    watcher,
    watcher.onDidChange(changed),
    watcher.onDidCreate(changed),
    watcher.onDidDelete(changed),
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidChangeTextDocument(change),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (isManifest(document)) client?.notify("textDocument/didClose", { textDocument: identifier(document) });
    }),
    vscode.workspace.onDidSaveTextDocument((document) => {
      if (isManifest(document)) client?.notify("textDocument/didSave", { textDocument: identifier(document) });
      for (const other of vscode.workspace.textDocuments) {
        if (other.uri.scheme === SCHEME) stored.changed.fire(other.uri);
      }
    }),
    vscode.languages.registerHoverProvider(selector, {
      async provideHover(document, at) {
        const hover = await client?.request("textDocument/hover", positionOf(document, at));
        return hover && new vscode.Hover(new vscode.MarkdownString(hover.contents.value), range(hover.range));
      },
    }),
    vscode.languages.registerCodeActionsProvider(selector, {
      async provideCodeActions(document, selected) {
        const params = { textDocument: { uri: document.uri.toString() }, range: selected, context: { diagnostics: [] } };
        const actions = (await client?.request("textDocument/codeAction", params)) ?? [];
        return actions.map(action).filter((it) => it !== undefined);
      },
    }),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, stored),
    vscode.commands.registerCommand("kadmit.showStored", async () => {
      const document = vscode.window.activeTextEditor?.document;
      if (!document || !isManifest(document)) return;
      const name = document.uri.path.split("/").pop();
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `stored ${name}`, query: document.uri.toString() });
      stored.changed.fire(uri);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), vscode.ViewColumn.Beside);
    }),
    vscode.commands.registerCommand("kadmit.restart", () => start(context, diagnostics, output)),
  );
  await start(context, diagnostics, output);
};

exports.deactivate = () => client?.stop();
