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
  const page = it.codeDescription?.href;
  result.code = page ? { value: it.code, target: vscode.Uri.parse(page) } : it.code;
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

/** A command of the server that this extension carries out. */
function command({ title }) {
  return { title, command: "kadmit.showStored" };
}

function action(it) {
  if (!it.edit) {
    const result = new vscode.CodeAction(it.title, vscode.CodeActionKind.Empty);
    result.command = command(it);
    return result;
  }
  const result = new vscode.CodeAction(it.title, new vscode.CodeActionKind(it.kind));
  result.edit = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(it.edit.changes ?? {})) {
    for (const edit of edits) result.edit.replace(vscode.Uri.parse(uri), range(edit.range), edit.newText);
  }
  result.diagnostics = (it.diagnostics ?? []).map(diagnostic);
  result.isPreferred = it.isPreferred;
  return result;
}

function hint(it) {
  const at = new vscode.Position(it.position.line, it.position.character);
  const result = new vscode.InlayHint(at, it.label);
  result.paddingLeft = it.paddingLeft;
  return result;
}

function lens(it) {
  return new vscode.CodeLens(range(it.range), command(it.command));
}

function completion(it) {
  const result = new vscode.CompletionItem(it.label, vscode.CompletionItemKind.EnumMember);
  result.detail = it.detail;
  result.insertText = it.textEdit.newText;
  result.range = range(it.textEdit.range);
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

/** Tells VS Code to ask again for what is shown in texts. */
class Refresh {
  constructor() {
    this.changed = new vscode.EventEmitter();
    this.event = this.changed.event;
  }
}

async function start({ diagnostics, output, refresh }) {
  client?.stop();
  diagnostics.clear();
  const program = vscode.workspace.getConfiguration("kadmit").get("path");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  client = new Client(program, ["lsp"], folder, (text) => output.append(text));
  client.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics: list }) =>
    diagnostics.set(vscode.Uri.parse(uri), list.map(diagnostic)),
  );
  for (const method of ["workspace/inlayHint/refresh", "workspace/codeLens/refresh"]) {
    client.onNotification(method, () => refresh.changed.fire());
  }
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
  const refresh = new Refresh();
  const session = { diagnostics, output, refresh };
  const documentOf = (document) => ({ textDocument: { uri: document.uri.toString() } });
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
        return actions.map(action);
      },
    }),
    vscode.languages.registerInlayHintsProvider(selector, {
      onDidChangeInlayHints: refresh.event,
      async provideInlayHints(document, shown) {
        const params = { ...documentOf(document), range: shown };
        return ((await client?.request("textDocument/inlayHint", params)) ?? []).map(hint);
      },
    }),
    vscode.languages.registerCodeLensProvider(selector, {
      onDidChangeCodeLenses: refresh.event,
      async provideCodeLenses(document) {
        return ((await client?.request("textDocument/codeLens", documentOf(document))) ?? []).map(lens);
      },
    }),
    vscode.languages.registerCompletionItemProvider(
      selector,
      {
        async provideCompletionItems(document, at) {
          return ((await client?.request("textDocument/completion", positionOf(document, at))) ?? []).map(completion);
        },
      },
      " ",
      ".",
      ";",
      '"',
    ),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, stored),
    vscode.commands.registerCommand("kadmit.showStored", async () => {
      const document = vscode.window.activeTextEditor?.document;
      if (!document || !isManifest(document)) return;
      const name = document.uri.path.split("/").pop();
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `stored ${name}`, query: document.uri.toString() });
      stored.changed.fire(uri);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), vscode.ViewColumn.Beside);
    }),
    vscode.commands.registerCommand("kadmit.restart", () => start(session)),
  );
  await start(session);
};

exports.deactivate = () => client?.stop();
