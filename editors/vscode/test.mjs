// The extension against the real server, with the part of VS Code's interface that it uses:
// `KADMIT=target/debug/kadmit node --test editors/vscode/test.mjs`.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import Module from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

const program = resolve(process.env.KADMIT ?? "target/debug/kadmit");

class EventEmitter {
  constructor() {
    this.listeners = [];
    this.event = (listener) => {
      this.listeners.push(listener);
      return { dispose() {} };
    };
  }

  fire(it) {
    for (const listener of this.listeners) listener(it);
  }
}

const record = (...names) =>
  class {
    constructor(...values) {
      names.forEach((name, index) => (this[name] = values[index]));
    }
  };

/** The interface of VS Code as far as the extension uses it; `providers` and `commands` have what it registers. */
function vscode(folder, documents) {
  const events = Object.fromEntries(["open", "change", "close", "save"].map((name) => [name, new EventEmitter()]));
  const shown = new Map();
  const providers = {};
  const commands = {};
  const provider = (name) => (selector, it) => {
    providers[name] = it;
    return { dispose() {} };
  };
  const ignored = () => ({ dispose() {} });
  const Uri = {
    parse: (text) => ({ ...new URL(text), scheme: text.split(":")[0], path: new URL(text).pathname, toString: () => text }),
    from: ({ scheme, path, query }) => ({ scheme, path, query, toString: () => `${scheme}:${path}` }),
  };
  const messages = [];
  return {
    providers, commands, shown, events, messages,
    api: {
      Uri, EventEmitter,
      Position: record("line", "character"),
      Range: class {
        constructor(a, b, c, d) {
          this.start = { line: a, character: b };
          this.end = { line: c, character: d };
        }
      },
      Diagnostic: record("range", "message", "severity"),
      DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
      DiagnosticRelatedInformation: record("location", "message"),
      Location: record("uri", "range"),
      CodeAction: record("title", "kind"),
      CodeActionKind: Object.assign(record("value"), { Empty: { value: "" } }),
      WorkspaceEdit: class {
        constructor() {
          this.edits = [];
        }

        replace(uri, range, text) {
          this.edits.push({ uri, range, text });
        }
      },
      Hover: record("contents", "range"),
      MarkdownString: record("value"),
      InlayHint: record("position", "label"),
      CodeLens: record("range", "command"),
      CompletionItem: record("label", "kind"),
      CompletionItemKind: { EnumMember: 19 },
      ViewColumn: { Beside: -2 },
      languages: {
        createDiagnosticCollection: () => ({ set: (uri, list) => shown.set(uri.toString(), list), clear: () => shown.clear(), dispose() {} }),
        registerHoverProvider: provider("hover"),
        registerCodeActionsProvider: provider("actions"),
        registerInlayHintsProvider: provider("hints"),
        registerCodeLensProvider: provider("lenses"),
        registerCompletionItemProvider: provider("completion"),
      },
      window: {
        createOutputChannel: () => ({ append() {}, appendLine() {}, dispose() {} }),
        showErrorMessage: (message) => messages.push(message),
        showTextDocument: async () => {},
      },
      workspace: {
        getConfiguration: () => ({ get: () => program }),
        workspaceFolders: [{ uri: { fsPath: folder } }],
        textDocuments: documents,
        onDidOpenTextDocument: events.open.event,
        onDidChangeTextDocument: events.change.event,
        onDidCloseTextDocument: events.close.event,
        onDidSaveTextDocument: events.save.event,
        createFileSystemWatcher: () => ({ onDidChange: ignored, onDidCreate: ignored, onDidDelete: ignored, dispose() {} }),
        registerTextDocumentContentProvider: provider("stored"),
      },
      commands: { registerCommand: (name, run) => ((commands[name] = run), { dispose() {} }) },
    },
  };
}

const POD = `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
spec:
  hostNetwork: true
  containers:
  - name: web
    image: nginx
`;
const CLUSTER = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: baseline}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: sizes, namespace: shop}
spec: {limits: [{type: Container, default: {cpu: 500m}}]}
`;

async function until(is) {
  for (let tries = 0; tries < 600; tries++) {
    const found = is();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail("not in time");
}

test("a session", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "kadmit-vscode-"));
  context.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "kadmit.toml"), "paths = ['web.yaml']\ncluster = ['cluster.yaml']\n");
  writeFileSync(join(folder, "cluster.yaml"), CLUSTER);
  writeFileSync(join(folder, "web.yaml"), POD);
  const uri = pathToFileURL(join(folder, "web.yaml")).toString();
  const documents = [];
  const host = vscode(folder, documents);
  const document = { uri: host.api.Uri.parse(uri), version: 1, languageId: "yaml", getText: () => POD };
  documents.push(document);

  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? host.api : load(name, ...rest));
  const extension = createRequire(import.meta.url)("./extension.js");
  await extension.activate({ subscriptions: [] });

  const [mark] = await until(() => host.shown.get(uri));
  assert.equal(mark.severity, host.api.DiagnosticSeverity.Error);
  assert.equal(mark.code.value, "PodSecurity");
  assert.match(mark.code.target.toString(), /#podsecurity$/);
  assert.deepEqual(mark.range.start, { line: 6, character: 15 });

  const actions = await host.providers.actions.provideCodeActions(document, mark.range);
  const skip = actions.find(({ title }) => title === "Skip PodSecurity with a reason");
  assert.match(skip.edit.edits[0].text, /kadmit\.dev\/skip/);
  const show = actions.find(({ title }) => title === "Show what the server stores");
  assert.equal(show.command.command, "kadmit.showStored");

  const [lens] = await host.providers.lenses.provideCodeLenses(document);
  assert.equal(lens.command.title, "denied by PodSecurity");

  const change = { document: { ...document, version: 2 }, contentChanges: [{ range: mark.range, text: "false" }] };
  host.events.change.fire(change);
  await until(() => host.shown.get(uri).length === 0);
  const hover = await host.providers.hover.provideHover(document, { line: 9, character: 6 });
  assert.match(hover.contents.value, /set by the manifest/);
  const whole = { start: { line: 0, character: 0 }, end: { line: 20, character: 0 } };
  const hints = await host.providers.hints.provideInlayHints(document, whole);
  assert.ok(hints.some(({ label }) => /cpu: 500m ‹LimitRanger›/.test(label)), JSON.stringify(hints));
  const kinds = await host.providers.completion.provideCompletionItems(document, { line: 1, character: 7 });
  assert.ok(kinds.some(({ insertText }) => insertText === "Pod"));
  const stored = await host.providers.stored.provideTextDocumentContent({ query: uri });
  assert.match(stored, /cpu: 500m\s+# LimitRanger/);

  extension.deactivate();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.deepEqual(host.messages, []);
});
