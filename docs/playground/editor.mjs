// The text editor: CodeMirror with what the module knows. build.sh bundles it into editor.js.

import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, WidgetType, drawSelection, highlightActiveLine, hoverTooltip, keymap, lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

const SEVERITIES = { error: "error", warning: "warning", note: "info", hint: "hint" };

class Label extends WidgetType {
  constructor(text, className) {
    super();
    Object.assign(this, { text, className });
  }

  eq(other) {
    return other.text === this.text && other.className === this.className;
  }

  toDOM() {
    const tag = this.className.startsWith("lens") ? "div" : "span";
    return Object.assign(document.createElement(tag), { className: `cm-${this.className}`, textContent: this.text });
  }
}

const setLabels = StateEffect.define();
const labels = StateField.define({
  create: () => Decoration.none,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setLabels)) return effect.value;
    return shown.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorations(state, { hints = [], lenses = [] }) {
  const within = ({ at }) => at <= state.doc.length;
  const ends = hints.filter(within).map(({ at, text }) =>
    Decoration.widget({ widget: new Label(text, "hint"), side: 1 }).range(state.doc.lineAt(at).to),
  );
  const above = lenses.filter(within).map(({ at, text }) => {
    const className = /denied/.test(text) ? "lens denied" : "lens";
    return Decoration.widget({ widget: new Label(text, className), side: -1, block: true }).range(state.doc.lineAt(at).from);
  });
  return Decoration.set([...ends, ...above], true);
}

function changesOf(view, changes) {
  const fits = ({ from, to }) => from <= to && to <= view.state.doc.length;
  if (changes.every(fits)) view.dispatch({ changes });
}

/** Shows `text` in `parent`; `changed` is called after each change. `knowledge` answers `hover`, `actions` and `complete`. */
export function edit(parent, { text, label, changed, knowledge, markdown, isYaml = true }) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = new Compartment();
  const colours = () => EditorView.theme({}, { dark: dark.matches });
  const actionsOf = (view, actions, close) =>
    actions.map(({ title, changes }) => {
      const button = Object.assign(document.createElement("button"), { textContent: title, className: "action" });
      button.onclick = () => {
        close?.();
        changesOf(view, changes);
      };
      return button;
    });
  const hover = hoverTooltip(async (view, at) => {
    const doc = view.state.doc;
    const [found, actions] = await Promise.all([knowledge.hover(at), knowledge.actions(at)]).catch(() => []);
    if (!found || view.state.doc !== doc || found.to > doc.length) return null;
    return {
      pos: Math.min(found.from, at),
      end: Math.max(found.to, at),
      create() {
        const dom = document.createElement("div");
        dom.append(markdown(found.text), ...actionsOf(view, actions ?? []));
        return { dom };
      },
    };
  });
  const complete = async (context) => {
    const found = await knowledge.complete(context.state.doc.toString(), context.pos).catch(() => null);
    if (!found || found.options.length === 0 || context.aborted) return null;
    const nearly = found.to === found.from && !context.explicit;
    const before = context.state.sliceDoc(Math.max(0, found.from - 1), found.from);
    if (nearly && !/[ ."']/.test(before)) return null;
    return { from: found.from, to: found.to, options: found.options };
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of("kadmit"),
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        bracketMatching(),
        indentOnInput(),
        syntaxHighlighting(classHighlighter),
        theme.of(colours()),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, autocapitalize: "off", spellcheck: "false" }),
        keymap.of([...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
        isYaml ? [yaml(), lintGutter()] : [],
        knowledge ? [labels, hover, autocompletion({ override: [complete] })] : [],
        EditorView.updateListener.of((update) => update.docChanged && changed()),
      ],
    }),
  });
  dark.addEventListener("change", () => view.dispatch({ effects: theme.reconfigure(colours()) }));
  return {
    view,
    get text() {
      return view.state.doc.toString();
    },
    set text(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    /** Shows what an answer says about the text that it is about. */
    show(about, marks, answer) {
      if (about !== view.state.doc.toString()) return;
      const diagnostics = marks.map(({ from, to, severity, code, message, page, actions = [] }) => ({
        from,
        to,
        severity: SEVERITIES[severity],
        source: code,
        message,
        renderMessage() {
          const dom = Object.assign(document.createElement("div"), { className: "message", textContent: message });
          if (page) dom.append(Object.assign(document.createElement("a"), { href: page, target: "_blank", rel: "noopener", textContent: ` about ${code}` }));
          return dom;
        },
        actions: actions.map(({ title, changes }) => ({ name: title, apply: (view) => changesOf(view, changes) })),
      }));
      view.dispatch(setDiagnostics(view.state, diagnostics));
      if (knowledge) view.dispatch({ effects: setLabels.of(decorations(view.state, answer)) });
    },
    /** Puts the cursor at a line and a column, which are counted from 1. */
    go(line, column) {
      const at = view.state.doc.line(Math.min(line, view.state.doc.lines));
      const anchor = Math.min(at.from + column - 1, at.to);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      view.focus();
    },
  };
}
