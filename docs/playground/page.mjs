// The page: shows what the module answers about the texts, and what the editor knows.

import { Asking } from "./asking.mjs";
import { edit } from "./editor.js";
import { examples } from "./examples.mjs";
import * as flags from "./flags.mjs";
import * as link from "./link.mjs";
import { markdown } from "./markdown.mjs";
import { classes, parts } from "./report.mjs";
import { verdictOf } from "./verdict.mjs";

const field = (id) => document.getElementById(id);
const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

/** The milliseconds after which a pause in typing is one. */
const PAUSE = 120;
const DRAFT = "kadmit";

const asking = new Asking(new Worker("worker.mjs", { type: "module" }));
const knowledge = {
  hover: (offset) => asking.ask({ ask: "hover", offset }),
  actions: (offset) => asking.ask({ ask: "actions", offset }),
  complete: (text, offset) => asking.ask({ ask: "complete", text, offset }),
};
const ofCluster = { hover: async () => null, actions: async () => [], complete: knowledge.complete };

let timer;
const changed = () => {
  clearTimeout(timer);
  timer = setTimeout(run, PAUSE);
};
const start = (await link.read(location.hash)) ?? draft() ?? examples[0];
const editors = {
  manifests: edit(field("manifests"), { text: start.manifests, label: "Manifests", changed, knowledge, markdown }),
  cluster: edit(field("cluster"), { text: start.cluster, label: "Objects that exist", changed, knowledge: ofCluster, markdown }),
  flags: edit(field("flags"), { text: start.flags, label: "Flags of kube-apiserver", changed, isYaml: false }),
};

function texts() {
  const { manifests, cluster, flags } = editors;
  return { manifests: manifests.text, cluster: cluster.text, flags: flags.text };
}

/** How many characters fit into a line of the report. */
function columns() {
  const probe = field("report").firstElementChild.appendChild(element("span", { textContent: "0".repeat(100), className: "probe" }));
  const width = probe.getBoundingClientRect().width / 100;
  probe.remove();
  const { paddingLeft, paddingRight } = getComputedStyle(field("report").firstElementChild);
  const room = document.querySelector(".output").clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - 16;
  return Math.floor(room / (width || 8));
}

/** What was typed in this tab of the browser before the page was loaded again. */
function draft() {
  try {
    return JSON.parse(sessionStorage.getItem(DRAFT) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

function run() {
  try {
    sessionStorage.setItem(DRAFT, JSON.stringify(texts()));
  } catch {
    // The browser keeps nothing.
  }
  field("release").value = flags.release(editors.flags.text) ?? field("release").options[0]?.value ?? "";
  return asking.evaluate({ ...texts(), width: columns() }, show);
}

function show(answer, about) {
  const verdict = field("verdict");
  verdict.className = answer.admitted ? "admitted" : "denied";
  verdict.textContent = verdictOf(answer);
  showReport(answer);
  field("stored").firstElementChild.textContent = answer.stored ?? "";
  showPolicies(answer.policies ?? []);
  showObjects(answer.objects ?? []);
  for (const [name, editor] of Object.entries(editors)) {
    const marks = answer.marks.filter(({ file }) => file === `${name}.yaml`);
    editor.show(about[name], marks, name === "manifests" ? answer : {});
    const errors = marks.filter(({ severity }) => severity === "error").length;
    count(name, errors);
  }
  document.documentElement.dataset.shown = String(Number(document.documentElement.dataset.shown ?? 0) + 1);
}

/** Shows a number after the name of a tab. */
function count(name, number) {
  const tab = document.querySelector(`[aria-controls="${name}"]`);
  tab.querySelector(".count")?.remove();
  if (number > 0) tab.append(element("span", { className: "count denied", textContent: number }));
}

function showReport({ text, diagnostics }) {
  // What is said of the input and the server is not in the report of the requests.
  const said = diagnostics.map(({ severity, file, line, message, help }) => {
    const place = file ? `${file}${line ? `:${line}` : ""}: ` : "";
    return `${severity === "error" ? "×" : severity}${severity === "error" ? " error" : ""}: ${place}${message}${help ? `\n│ help: ${help}` : ""}`;
  });
  const flat = (text) => text.replace(/[\s│]+/g, " ");
  const missing = said.filter((one, index) => !flat(text).includes(flat(diagnostics[index].message)));
  const lines = [...missing.flatMap((one) => one.split("\n")), ...(missing.length > 0 ? [""] : []), ...text.split("\n")];
  const colours = classes(lines);
  const spans = lines.map((line, index) => {
    const span = element("span", { className: colours[index] });
    for (const { text, file, line: number, column } of parts(line)) {
      if (!file) span.append(text);
      else span.append(element("a", { textContent: text, href: `#${text}`, onclick: (event) => go(event, file, number, column) }));
    }
    span.append("\n");
    return span;
  });
  field("report").firstElementChild.replaceChildren(...spans);
}

function go(event, name, line, column) {
  event.preventDefault();
  select(name);
  editors[name].go(line, column);
}

function showPolicies(policies) {
  count("policies", policies.reduce((sum, { denied }) => sum + denied, 0));
  if (policies.length === 0) {
    const text = "No ValidatingAdmissionPolicy or MutatingAdmissionPolicy is among the objects that exist.";
    field("policies").replaceChildren(element("p", { className: "note", textContent: text }));
    return;
  }
  const columns = ["requests", "evaluated", "changed", "reported", "denied"];
  const head = element("tr", {}, ...["policy", ...columns].map((name) => element("th", { textContent: name })));
  const rows = policies.map((policy) => {
    const numbers = columns.map((name) => element("td", { className: "number", textContent: policy[name] ?? 0 }));
    const others = Object.entries(policy.notMatched ?? {}).map(([why, number]) => `${number} not matched: ${why}`);
    const name = element("td", { textContent: policy.name });
    for (const text of [...others, ...(policy.remarks ?? []), ...(policy.failure ? [policy.failure] : [])]) {
      name.append(element("div", { className: "note", textContent: text }));
    }
    return element("tr", {}, name, ...numbers);
  });
  field("policies").replaceChildren(element("table", {}, head, ...rows));
}

function showObjects(objects) {
  const chosen = field("object").selectedIndex;
  field("object").replaceChildren(...objects.map((name, value) => element("option", { textContent: name, value })));
  if (objects.length > 0) field("object").selectedIndex = Math.min(Math.max(chosen, 0), objects.length - 1);
  evaluate();
}

async function evaluate() {
  const expression = field("expression").value;
  const shown = field("value");
  if (expression.trim() === "" || field("object").options.length === 0) {
    shown.textContent = "";
    return;
  }
  const found = await asking.ask({ ask: "eval", expression, object: Number(field("object").value) }).catch(() => null);
  if (!found || expression !== field("expression").value) return;
  const first = found.error ?? `${found.value}  (${found.type}, cost ${found.cost})`;
  shown.className = found.error ? "denied" : "";
  shown.textContent = `${first}\n${found.explanation}`;
}

/** Shows the panel called `name` and hides the others of its list. */
function select(name) {
  const list = document.querySelector(`[aria-controls="${name}"]`).parentElement;
  for (const tab of list.children) {
    const panel = tab.getAttribute("aria-controls");
    tab.setAttribute("aria-selected", String(panel === name));
    tab.tabIndex = panel === name ? 0 : -1;
    field(panel).hidden = panel !== name;
  }
}

for (const list of document.querySelectorAll("[role=tablist]")) {
  const tabs = [...list.children];
  select(tabs[0].getAttribute("aria-controls"));
  for (const tab of tabs) tab.onclick = () => select(tab.getAttribute("aria-controls"));
  list.onkeydown = ({ key }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!step) return;
    const at = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
    const next = tabs[(at + step + tabs.length) % tabs.length];
    select(next.getAttribute("aria-controls"));
    next.focus();
  };
}

for (const example of examples) {
  const button = element("button", { type: "button", textContent: example.name });
  button.onclick = () => {
    for (const other of field("examples").querySelectorAll("button")) other.ariaPressed = String(other === button);
    for (const name of ["manifests", "cluster", "flags"]) editors[name].text = example[name];
    field("expression").value = example.expression ?? "";
    select("manifests");
    select("report");
  };
  field("examples").append(button);
}

field("release").onchange = ({ target }) => {
  editors.flags.text = flags.set(editors.flags.text, "kubernetes-version", target.value);
};
field("plugin").onchange = ({ target }) => {
  const [plugin, enables] = target.value.split(" ");
  target.selectedIndex = 0;
  editors.flags.text = flags.switchPlugin(editors.flags.text, plugin, enables === "on");
  select("flags");
};
for (const id of ["object", "expression"]) field(id).addEventListener("input", evaluate);

let isWarned = false;
field("link").onclick = async () => {
  const said = field("linked");
  if (link.hasSecret(texts()) && !isWarned) {
    isWarned = true;
    said.className = "denied";
    said.textContent = "There is a Secret in these texts, and the link would contain it. Click again to copy it nevertheless.";
    return;
  }
  isWarned = false;
  const hash = await link.written(texts());
  history.replaceState(null, "", hash);
  said.className = "";
  try {
    await navigator.clipboard.writeText(location.href);
    said.textContent = "Copied. The link contains everything that you typed here.";
  } catch {
    said.textContent = "The address of this page is the link. It contains everything that you typed here.";
  }
};

const menus = await asking.ask({ ask: "menus" }).catch(() => ({ releases: [], plugins: [] }));
field("release").append(...menus.releases.map((release) => element("option", { textContent: release, value: release })));
for (const plugin of menus.plugins) {
  for (const state of ["on", "off"]) {
    field("plugin").append(element("option", { textContent: `${plugin} ${state}`, value: `${plugin} ${state}` }));
  }
}
field("project").href = menus.project ?? "";
await run();
