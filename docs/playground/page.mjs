// The page: evaluates when the typing pauses, and keeps what was typed in the address after the #.

import * as example from "./example.mjs";
import { load } from "./kadmit.mjs";
import { verdictOf } from "./verdict.mjs";

const fields = ["flags", "cluster", "manifests"];
const field = (name) => document.getElementById(name);

function kept() {
  try {
    const bytes = Uint8Array.from(atob(location.hash.slice(1)), (letter) => letter.charCodeAt(0));
    return location.hash ? JSON.parse(new TextDecoder().decode(bytes)) : example;
  } catch {
    return example;
  }
}

function keep(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  history.replaceState(null, "", `#${btoa(letters)}`);
}

// The report is text; each line gets the colour that a terminal would give it.
function colour(line) {
  if (/^\s*✓|^\s*\+ /.test(line)) return "admitted";
  if (/^\s*✗|^\s*- |denied it|^\s*×/.test(line)) return "denied";
  if (/changed it/.test(line)) return "changed";
  if (/^\s*@@|^\s*note:/.test(line)) return "note";
  return "";
}

function lineOf(text, className) {
  const line = document.createElement("span");
  line.className = className;
  line.textContent = `${text}\n`;
  return line;
}

function show(answer) {
  const verdict = field("verdict");
  verdict.className = answer.admitted ? "admitted" : "denied";
  verdict.textContent = verdictOf(answer);
  field("report").replaceChildren(...answer.text.split("\n").map((line) => lineOf(line, colour(line))));
  const items = answer.diagnostics.map((said) => {
    const item = document.createElement("li");
    item.className = said.severity === "error" ? "denied" : "note";
    const place = said.file ? `${said.file}${said.line ? `:${said.line}` : ""}: ` : "";
    item.textContent = `${said.severity}: ${place}${said.message}${said.help ? ` — ${said.help}` : ""}`;
    item.title = said.code;
    return item;
  });
  field("diagnostics").replaceChildren(...items);
}

const response = await fetch("kadmit.wasm");
const module = response.ok ? await response.arrayBuffer() : undefined;
if (module) {
  let evaluate = await load(module);
  const run = async () => {
    const request = Object.fromEntries(fields.map((name) => [name, field(name).value]));
    keep(request);
    try {
      show(evaluate(request));
    } catch (error) {
      // A panic leaves the module as it is; the next request gets a new one.
      evaluate = await load(module);
      show({ admitted: false, text: `kadmit has a bug: ${error}`, diagnostics: [] });
    }
  };
  const start = kept();
  let timer;
  for (const name of fields) {
    field(name).value = start[name] ?? "";
    field(name).addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(run, 150);
    });
  }
  await run();
} else {
  field("verdict").textContent = "kadmit.wasm is not here: run build.sh";
}
